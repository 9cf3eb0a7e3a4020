"""Metrics made of counts, counts by a metric, and scores of rows, in one call each."""

import functools
from collections.abc import Sequence
from typing import Any

from fastbleu import BLEU, Score, Stats
from fastbleu.core.scoring.scorer import Scorer


def count(
    hypotheses: Any, references: Any, max_ngram_order: int = 4, threads: int = 1, **options: Any
) -> Stats:
    """The rows of lists of tokens, or of texts with `tokenize=`."""
    options = {"tokenize": False, **options}
    metric = kept_metric(max_ngram_order=max_ngram_order, threads=threads, **options)
    return metric.count(hypotheses, references)


@functools.lru_cache(typed=True)
def kept_metric(**options: Any) -> BLEU:
    """A new one would look for mistakes in random texts again."""
    return BLEU(**options)


def from_state(state: Any, **parameters: Any) -> BLEU:
    """A metric to which a state was added, as a user adds it."""
    metric = BLEU(**parameters)
    metric.merge(state)
    return metric


def metric_with(state: Sequence[int], **parameters: Any) -> BLEU:
    """A metric with any counts, also such as no text has, which `merge` refuses."""
    metric = BLEU(**parameters)
    metric._sums.add(metric._scorer.restore(state))
    return metric


def score(dialect: Any, stats: Stats, nrefs: int | None = None, **options: Any) -> Score:
    """The score of a corpus from its rows, by a dialect."""
    scorer = Scorer(dialect, stats.max_ngram_order, **options)
    return scorer.score(scorer.sums_of(stats, nrefs), warns=False)


def sentence_scores(dialect: Any, stats: Stats, **options: Any) -> Any:
    """The score of each row."""
    return Scorer(dialect, stats.max_ngram_order, **options).scores_of_sums(dialect.adapt(stats))
