"""Scores of rows by a dialect, without a metric."""

from fastbleu.dialects.scorer import Scorer


def score(dialect, stats, nrefs=None, **options):
    """The score of a corpus from its rows."""
    scorer = Scorer(dialect, stats.max_ngram_order, **options)
    return scorer.score(scorer.sums_of(stats, nrefs), warns=False)


def sentence_scores(dialect, stats, **options):
    """The score of each row."""
    return Scorer(dialect, stats.max_ngram_order, **options).scores_of_sums(dialect.adapt(stats))
