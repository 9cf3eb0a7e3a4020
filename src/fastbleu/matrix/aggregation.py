"""Expected utility in linear time: hypotheses against the expected n-gram counts of all references.

References
----------
DeNero, Chiang and Knight (2009), Fast consensus decoding over translation forests: BLEU against
expected counts. Vamvas and Sennrich (2024), Linear-time minimum Bayes risk decoding with reference
aggregation: what it does to other utilities, and how to name it.
"""

from __future__ import annotations

from math import exp, log

import numpy

from ._ngrams import Features, Ngrams, expected_rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..dialects.scorer import Scorer
    from ._sentences import Sentences


class Aggregation:
    """Scores hypotheses, by sacreBLEU's formula, against the mean counts of their references.

    The matches of an n-gram are the smaller of its count in the hypothesis and its mean count in
    the references; the reference length is their mean length.
    """

    def __init__(self, scorer: Scorer) -> None:
        self.cancelled = False  # whether to stop after the present source: another thread sets it
        self._scorer = scorer
        self._ngrams = Ngrams(scorer.max_ngram_order)

    def scores(
        self,
        hypotheses: Sentences,
        references: Sentences,
        weights: NDArray[numpy.float64] | None = None,
        logarithms: bool = False,
    ) -> NDArray[numpy.float64]:
        """The score (0-100) of each hypothesis against the expected counts, over one vocabulary.

        By default all references have equal weights. With `logarithms` the weights are logarithms
        of weights that add up to 1, and the sums are those of `mbrs` to the last bit.
        """
        if weights is None:
            weights = numpy.ones(len(references))
        self._ngrams.clear()
        reference_features = Features(self._ngrams, references)
        alone = hypotheses is references
        hypothesis_features = reference_features if alone else Features(self._ngrams, hypotheses)
        flat = expected_rows(
            self._ngrams, hypothesis_features, reference_features, weights, logarithms
        )
        max_ngram_order = self._scorer.max_ngram_order
        rows = numpy.frombuffer(flat).reshape(-1, 2 + 2 * max_ngram_order)
        if logarithms:
            # Python's own sum, which is compensated from 3.12 on.
            lengths = zip(references.lengths, weights.tolist(), strict=True)
            rows[:, 1] = sum([exp(log(n) + weight) if n else 0.0 for n, weight in lengths])
        return numpy.asarray(self._scorer.expected_scores(rows), numpy.float64)
