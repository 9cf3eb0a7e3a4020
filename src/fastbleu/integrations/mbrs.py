"""BLEU for the library `mbrs`: a replacement of its `MetricBLEU`.

    from mbrs.decoders import DecoderMBR
    from fastbleu.integrations.mbrs import MetricBLEU

    decoder = DecoderMBR(DecoderMBR.Config(), MetricBLEU(MetricBLEU.Config()))

Importing this module registers the metric with mbrs as "fastbleu". To use ``--metric fastbleu`` in
mbrs' commands, pass ``--plugin_dir DIR``, where ``DIR/__init__.py`` imports this module.
"""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from typing import Any

import numpy

from ..core.inputs.errors import InputError
from ..core.metric.argument import counter_of, scorer_of
from ..core.metric.bleu import BLEU
from ..core.scoring._sacrebleu import SMOOTH_DEFAULTS
from ..matrix.all_pairs import PairScorer
from ..matrix.decoding import Aggregation
from ..matrix.reader import SentenceReader
from ..sacrebleu import BLEU as _SacrebleuBLEU
from ._host_metric import host_imports

with host_imports("mbrs", "torch", "mbrs"):
    import torch
    from mbrs import timer
    from mbrs.metrics import MetricBLEU as _MetricBLEU
    from mbrs.metrics import register


@register("fastbleu")
class MetricBLEU(_MetricBLEU):
    """sacreBLEU's sentence BLEU, on 0-100: mbrs' metric "bleu", to the last bit of its tensors.

    Results have torch's default dtype.

    Parameters
    ----------
    cfg : MetricBLEU.Config
        The same fields and defaults as in mbrs. `num_workers` is a number of threads here, at most
        the number of processors.

    References
    ----------
    mbrs 0.1.8, ``mbrs.metrics.MetricBLEU``.

    Examples
    --------
    >>> metric = MetricBLEU(MetricBLEU.Config())
    >>> metric.pairwise_scores(["a cat sat", "it sat there"], ["a cat sat", "it sat"])
    tensor([[100.0000,  27.5161],
            [ 27.5161,  55.0321]])
    """

    scorer: Any  # a fastbleu.sacrebleu.BLEU, for single pairs and corpora

    def __init__(self, cfg: Any) -> None:
        super().__init__(cfg)
        takes_value = SMOOTH_DEFAULTS[cfg.smooth_method] is not None
        self._bleu = BLEU(
            tokenize=self.scorer.tokenizer.tokenizer,
            lowercase=cfg.lowercase,
            max_ngram_order=cfg.max_ngram_order,
            smooth_method=cfg.smooth_method,
            smooth_value=cfg.smooth_value if takes_value else None,
            effective_order=cfg.effective_order,
            threads=max(1, min(cfg.num_workers, os.cpu_count() or 1)),
        )

    @staticmethod
    def _initialize_bleu(cfg: Any) -> Any:
        """Create the scorer; mbrs calls this when a metric is created."""
        names = ["lowercase", "force", "tokenize", "smooth_method", "smooth_value"]
        names += ["max_ngram_order", "effective_order", "trg_lang"]
        return _SacrebleuBLEU(**{name: getattr(cfg, name) for name in names})

    def scores(
        self, hypotheses: Sequence[str], references: Sequence[str], *_: object, **__: object
    ) -> torch.Tensor:
        """The score of each of N hypotheses against the reference at its position, shape (N,).

        TypeError if a text is not a str, ValueError if the numbers differ.
        """
        with timer.measure("score") as watch:
            watch.set_delta_ncalls(len(hypotheses))
            nested = [[reference] for reference in references]
            counter, scorer = counter_of(self._bleu), scorer_of(self._bleu)
            batch = counter.read(hypotheses, nested)
            batch.warns = False  # samples are repeated, with each of the references
            counted = counter.count(batch)
            return _tensor(scorer.row_scores(counted.stats))

    def pairwise_scores(
        self, hypotheses: Sequence[str], references: Sequence[str], *_: object, **__: object
    ) -> torch.Tensor:
        """The score of each of H hypotheses against each of R references, shape (H, R).

        TypeError if a text is not a str.
        """
        with timer.measure("score") as watch:
            watch.set_delta_ncalls(len(hypotheses) * len(references))
            sentences = SentenceReader(self._bleu).read_pair(hypotheses, references)
            scores = numpy.empty([len(side) for side in sentences])
            pairs = PairScorer(scorer_of(self._bleu), self._bleu.threads)
            pairs.prepare(*sentences)
            pairs.fill(scores)
            return _tensor(scores)

    def expected_scores_reference_aggregation(
        self,
        hypotheses: Sequence[str],
        references: Sequence[str],
        source: str | None = None,
        reference_lprobs: torch.Tensor | None = None,
    ) -> torch.Tensor:
        """The score of each of H hypotheses against the references' expected n-grams, shape (H,).

        The weights of the R references are the softmax of `reference_lprobs`, shape (R,). The
        source is ignored. TypeError or ValueError if a text is not a str, there are no references,
        or the log-probabilities differ in number, are nan, or are all -inf.
        """
        with timer.measure("expectation") as watch:
            watch.set_delta_ncalls(len(hypotheses))
            if not len(references):
                raise InputError("references is empty: there is nothing to expect")
            if reference_lprobs is None:
                logarithms = [-math.log(len(references))] * len(references)
            else:
                logarithms = reference_lprobs.log_softmax(dim=-1, dtype=torch.float32).tolist()
                if len(logarithms) != len(references):
                    raise InputError(
                        f"there are {len(logarithms)} reference_lprobs for {len(references)} "
                        "references"
                    )
                if any(map(math.isnan, logarithms)):
                    raise InputError("reference_lprobs has no softmax: it has nan, or only -inf")
            sentences = SentenceReader(self._bleu).read_pair(hypotheses, references)
            aggregation = Aggregation(scorer_of(self._bleu))
            weights = numpy.array(logarithms)
            return _tensor(aggregation.scores(*sentences, weights, logarithms=True))


def _tensor(scores: Any) -> torch.Tensor:
    """The same as ``torch.Tensor(scores.tolist())``, which mbrs uses."""
    return torch.from_numpy(scores).to(torch.get_default_dtype())
