"""Replacements of the functions that count in TorchMetrics, TorchEval and ignite.

Each function replaces only the host's counting. It returns NotImplemented, or raises, if it cannot
count exactly as the original does: for all but lists and tuples of str (or int, for ignite), or
counts beyond the integers that the host's floating-point tensors hold exactly.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import lru_cache, partial
from types import ModuleType
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from ..core.inputs.errors import without_input_warnings
from ..core.metric.argument import sums_of_batch
from ..core.metric.bleu import BLEU
from ..core.runtime.import_lock import lazy
from ..originals import recipe_arithmetic
from ..originals.float32 import tensors
from ..originals.formulas import running_sum, split_rows
from ._internals import is_nested
from .replacing import PatchTarget

if TYPE_CHECKING:
    from ..integrations import torchmetrics
else:
    torchmetrics = lazy("fastbleu.integrations.torchmetrics")


def torchmetrics_targets(module: ModuleType) -> list[PatchTarget]:
    """What to replace for torchmetrics.functional.text.sacre_bleu."""
    counting = sys.modules["torchmetrics.functional.text.bleu"]
    update = _torchmetrics_update(counting._tokenize_fn, module._SacreBLEUTokenizer)
    used = [(module, "_SacreBLEUTokenizer"), (counting, "_tokenize_fn")]
    return [PatchTarget(counting, "_bleu_score_update", update, used)]


def torcheval_targets(module: ModuleType) -> list[PatchTarget]:
    """What to replace in torcheval.metrics.functional.text.bleu."""
    return [PatchTarget(module, "_bleu_score_update", _torcheval_update)]


def ignite_targets(module: ModuleType) -> list[PatchTarget]:
    """What to replace in ignite.metrics.nlp.bleu."""
    used = [(module, "_Smoother")]
    update = PatchTarget(module.Bleu, "update", _ignite_update(module._Smoother), used)
    return [PatchTarget(module.Bleu, "_n_gram_counter", _ignite_counter), update]


def _torchmetrics_update(split: Any, kind: type) -> Callable[..., Any]:
    """Replaces ``_bleu_score_update`` of torchmetrics.functional.text.bleu.

    `split` is TorchMetrics' default tokenizer, and `kind` the class of the others.
    """

    def update(preds: Any, target: Any, *others: Any) -> Any:
        numerator, denominator, preds_len, target_len, n_gram, tokenizer = others
        states = preds_len, target_len, numerator, denominator
        if not (is_nested(preds, 1) and is_nested(target, 2)):
            return NotImplemented
        named = ("none", False) if tokenizer is split else _tokenizer_and_case(tokenizer, kind)
        counts = _counted(states, lambda: _torchmetrics(n_gram, *named)._count(preds, target))
        if counts is None:
            return NotImplemented
        for state, count in zip(states, counts, strict=True):
            state += count
        return preds_len, target_len

    return update


def _torcheval_update(input: Any, target: Any, n_gram: int, device: Any) -> Any:
    """Replaces ``_bleu_score_update`` of torcheval.metrics.functional.text.bleu."""
    states = [torch.tensor(0, device=device), torch.tensor(0, device=device)]
    states += [torch.zeros(n_gram, device=device), torch.zeros(n_gram, device=device)]
    if not (is_nested(input, 1) and is_nested(target, 2)):
        return NotImplemented
    counts = _counted(states[2:], lambda: sums_of_batch(_torcheval(n_gram), input, target))
    if counts is None or not counts[3].all():
        return NotImplemented
    return tuple(state + count for state, count in zip(states, counts, strict=True))


def _ignite_counter(
    metric: Any, references: Any, candidates: Any, p_numerators: Tensor, p_denominators: Tensor
) -> Any:
    """Replaces ``Bleu._n_gram_counter`` of ignite.metrics.nlp.bleu."""
    if not (is_nested(candidates, 2) and is_nested(references, 3)):
        return NotImplemented
    states = p_numerators[1:], p_denominators[1:]
    metric = _ignite(metric.ngrams_order)
    counts = _counted(states, lambda: sums_of_batch(metric, candidates, references))
    if counts is None:
        return NotImplemented
    states[0].add_(counts[2])
    states[1].add_(counts[3])
    return int(counts[0]), int(counts[1])


def _ignite_update(kind: Any) -> Callable[..., Any]:
    """Replaces ``Bleu.update`` of ignite.metrics.nlp.bleu, whose smoothers are of the class `kind`.

    Only for its default, the mean of sentences.
    """

    @without_input_warnings
    def update(metric: Any, output: Any) -> Any:
        # A sum of float32 would have to be rounded after each sentence.
        if metric.average != "macro" or metric._sum_of_bleu.dtype.itemsize < 8:
            return NotImplemented
        order, smoother = metric.ngrams_order, metric.smoother
        if metric.weights != [1 / order] * order or type(smoother) is not kind:
            return NotImplemented
        if type(output) not in (list, tuple) or vars(smoother).keys() != {"smooth"}:
            return NotImplemented
        hypotheses, references = output
        if not (is_nested(hypotheses, 2) and is_nested(references, 3)):
            return NotImplemented
        rows = [*split_rows(_ignite(order).count(hypotheses, references))]
        if max([max(c, r) for c, r, _, _ in rows], default=0) > 1 << 24:
            return NotImplemented  # ignite's counts are float32
        scores = [recipe_arithmetic.ignite(smoother.smooth, True, *row) for row in rows]
        metric._sum_of_bleu.fill_(running_sum([metric._sum_of_bleu.item(), *scores]))
        metric._num_sentences += len(scores)
        return None

    return update


@without_input_warnings
def _counted(states: Any, count: Callable[[], Any]) -> list[Tensor] | None:
    """The counts of a batch; None if they cannot be added exactly to these states.

    They are the int64 tensors of `tensors`, without the first dimension.
    """
    sums = count().adapted()
    # No side has more n-grams than tokens, so the longer side bounds every count.
    largest = max(sums.hyp_lens[0], sums.ref_lens[0])
    for state in states:
        if not state.dtype.is_floating_point:
            return None
        held = float(state.detach().max())
        if not held + largest <= 2 / torch.finfo(state.dtype).eps:
            return None
    return [count[0] for count in tensors(sums, states[0].device)]


def _tokenizer_and_case(tokenizer: Any, kind: Any) -> tuple[Any, bool]:
    """The name of TorchMetrics' own tokenizer and whether it lowercases; ValueError for others."""
    if type(tokenizer) is partial and tokenizer.func == kind.tokenize and not tokenizer.args:
        return tokenizer.keywords["tokenize"], tokenizer.keywords["lowercase"]
    if type(tokenizer) is kind and vars(tokenizer).keys() == {"tokenize_fn", "lowercase"}:
        for name, method in kind._TOKENIZE_FN.items():
            if tokenizer.tokenize_fn == getattr(kind, method):
                return name, tokenizer.lowercase
    raise ValueError("this tokenizer is not one of TorchMetrics")


@lru_cache(maxsize=64, typed=True)
def _torchmetrics(n_gram: int, tokenize: Any, lowercase: bool) -> Any:
    options = {"tokenize": tokenize, "lowercase": lowercase, "max_ngram_order": n_gram}
    return torchmetrics.BLEUScore(metric=BLEU("torchmetrics", **options))


@lru_cache(maxsize=64, typed=True)
def _torcheval(n_gram: int) -> BLEU:
    if n_gram not in (1, 2, 3, 4):
        raise ValueError("TorchEval has orders 1 to 4")
    return BLEU("torcheval", tokenize="none", max_ngram_order=n_gram)


@lru_cache(maxsize=64, typed=True)
def _ignite(max_ngram_order: int) -> BLEU:
    return BLEU(tokenize=False, max_ngram_order=max_ngram_order)
