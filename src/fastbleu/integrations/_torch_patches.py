"""Replacements of the functions that count in TorchMetrics, TorchEval and ignite.

Each function takes over the host's counting alone, and leaves a call that it cannot count exactly
to the original: input that raises, types it does not know, counts beyond the integers that the
host's floating-point tensors hold exactly.
"""

from __future__ import annotations

from functools import lru_cache, partial
from itertools import chain

from ..dialects import recipe_rows
from ..dialects.plain import plain_rows
from ..dialects.torchmetrics import tensors
from ..metric.bleu import BLEU
from ..runtime.import_lock import import_lock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType
    from typing import Any

    from torch import Tensor


def torchmetrics_update(module: ModuleType) -> Callable[..., Any]:
    """``_bleu_score_update`` of torchmetrics.functional.text.bleu, for its class and functions."""
    original, split = module._bleu_score_update, module._tokenize_fn

    def update(
        preds: Any,
        target: Any,
        numerator: Tensor,
        denominator: Tensor,
        preds_len: Tensor,
        target_len: Tensor,
        n_gram: int = 4,
        tokenizer: Any = split,
    ) -> tuple[Tensor, Tensor]:
        states = preds_len, target_len, numerator, denominator

        def count() -> Any:
            named = ("none", False) if tokenizer is split else _tokenizer_and_case(tokenizer)
            return _torchmetrics(n_gram, *named)._count(preds, target)

        counts = _counted(states, count)
        if counts is None:
            return original(  # type: ignore[no-any-return]
                preds, target, numerator, denominator, preds_len, target_len, n_gram, tokenizer
            )
        for state, count in zip(states, counts, strict=True):
            state += count
        return preds_len, target_len

    return update


def torcheval_update(module: ModuleType) -> Callable[..., Any]:
    """``_bleu_score_update`` of torcheval.metrics.functional.text.bleu."""
    original, torch = module._bleu_score_update, module.torch

    def update(input: Any, target: Any, n_gram: int, device: Any = None) -> Any:
        states = [torch.tensor(0, device=device), torch.tensor(0, device=device)]
        states += [torch.zeros(n_gram, device=device), torch.zeros(n_gram, device=device)]
        hypotheses = [input] if isinstance(input, str) else input
        counts = _counted(states[2:], lambda: _torcheval(n_gram).sums(hypotheses, target))
        if counts is None or not counts[3].all():
            return original(input, target, n_gram, device)
        return tuple(state + count for state, count in zip(states, counts, strict=True))

    return update


def ignite_counter(module: ModuleType) -> Callable[..., Any]:
    """``Bleu._n_gram_counter`` of ignite.metrics.nlp.bleu."""
    original = module.Bleu._n_gram_counter

    def counter(
        self: Any, references: Any, candidates: Any, p_numerators: Tensor, p_denominators: Tensor
    ) -> tuple[int, int]:
        states = p_numerators[1:], p_denominators[1:]
        counts = _counted(states, lambda: _ignite(self.ngrams_order).sums(candidates, references))
        if counts is None or not _are_tokens(candidates, *references):
            arguments = references, candidates, p_numerators, p_denominators
            return original(self, *arguments)  # type: ignore[no-any-return]
        states[0].add_(counts[2])
        states[1].add_(counts[3])
        return int(counts[0]), int(counts[1])

    return counter


def ignite_update(module: ModuleType) -> Callable[..., Any]:
    """``Bleu.update`` of ignite.metrics.nlp.bleu, whose default is the mean of sentences."""
    original = module.Bleu.update

    def update(self: Any, output: Any) -> None:
        scores = _ignite_scores(self, output) if self.average == "macro" else None
        if scores is None:
            original(self, output)
            return
        self._sum_of_bleu.fill_(recipe_rows.running_sum([self._sum_of_bleu.item(), *scores]))
        self._num_sentences += len(scores)

    return module.reinit__is_reduced(update)  # type: ignore[no-any-return]


def _ignite_scores(metric: Any, output: Any) -> list[float] | None:
    """The score of each sentence, None if ignite has to score them."""
    if metric._sum_of_bleu.dtype.itemsize < 8:
        return None  # a sum of float32 would have to be rounded after each sentence
    try:
        hypotheses, references = output
        if not _are_tokens(hypotheses, *references):
            return None
        rows = [*plain_rows(_ignite(metric.ngrams_order).statistics(hypotheses, references))]
    except (TypeError, ValueError, Warning):  # the original raises its own
        return None
    if max([max(c, r) for c, r, _, _ in rows], default=0) > 1 << 24:
        return None  # ignite's counts are float32
    return [recipe_rows.ignite(metric.smoother.smooth, True, *row) for row in rows]


def _counted(states: Any, count: Callable[[], Any]) -> list[Tensor] | None:
    """The counts of a batch, None if they cannot be counted or added exactly to these states.

    They are int64 tensors as of `tensors`, without its first dimension.
    """
    with import_lock:
        import torch
    try:
        sums = count()
    except (TypeError, ValueError, Warning):  # the original raises its own
        return None
    # n-grams are at most tokens of the longer side, so the largest bounds every count.
    largest = max(sums.hyp_lens[0], sums.ref_lens[0])
    for state in states:
        if not state.dtype.is_floating_point:
            return None
        held = float(state.detach().max())
        if not held + largest <= 2 / torch.finfo(state.dtype).eps:
            return None
    return [count[0] for count in tensors(sums, states[0].device)]


def _are_tokens(*lists: Any) -> bool:
    """Whether these are lists of lists of str or int, for which equality is that of Counter."""
    rows = [*chain(*lists)]
    if not {*map(type, rows)} <= {list, tuple}:
        return False
    return {*map(type, chain.from_iterable(rows))} <= {str, int}


def _tokenizer_and_case(tokenizer: Any) -> tuple[Any, bool]:
    """The name of TorchMetrics' own tokenizer and whether it lowercases; ValueError for others."""
    name = "_SacreBLEUTokenizer"
    if isinstance(tokenizer, partial) and tokenizer.func.__qualname__ == f"{name}.tokenize":
        return tokenizer.keywords["tokenize"], tokenizer.keywords["lowercase"]
    if type(tokenizer).__qualname__ == name:
        for name, method in tokenizer._TOKENIZE_FN.items():
            if tokenizer.tokenize_fn.__name__ == method:
                return name, tokenizer.lowercase
    raise ValueError("this tokenizer is not one of TorchMetrics")


@lru_cache(maxsize=64)
def _torchmetrics(n_gram: int, tokenize: Any, lowercase: bool) -> Any:
    with import_lock:
        from .torchmetrics import BLEUScore
    return BLEUScore(n_gram, tokenize=tokenize, lowercase=lowercase, dialect="torchmetrics")


@lru_cache(maxsize=64)
def _torcheval(n_gram: int) -> BLEU:
    if n_gram not in (1, 2, 3, 4):
        raise ValueError("TorchEval has orders 1 to 4")
    return BLEU("none", max_order=n_gram, dialect="torcheval")


@lru_cache(maxsize=64)
def _ignite(max_order: int) -> BLEU:
    return BLEU(None, max_order=max_order)
