"""The path from one metric's score to another's, on which one rule changes at a time.

A metric is taken apart into rules: how it reads text, which references and reference length it
takes, the minimum of totals, the smoothed precisions, the brevity penalty, and whether its score is
that of the corpus or a mean of sentences. A mixture of two metrics' rules is scored by

    precisions(counts) * brevity_penalty(lengths), of the sums or as a mean of the rows,

where `precisions` is the owner's own score for a hypothesis as long as its reference. A metric may
also count by itself or round in its arithmetic: the difference of its own score from that of its
rules is a rule as well, the last one. So the first score is A's, the last one is B's, and the steps
between add up.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import fsum, isnan, nan
from typing import NamedTuple

import numpy

from ..counting.stats import Stats
from ..dialects.base import Dialect
from .corpus import Corpus

TYPE_CHECKING = False
if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..dialects.parameters import Parameters
    from ..tokenizers.table import Tokenizer

# Segments that are named for a step.
_NAMED = 3


@dataclass(frozen=True)
class Rules:
    """Rules of one metric, or of two in part."""

    corpus: Corpus
    tokenizer: Tokenizer | None
    lowercase: bool
    single_reference: bool
    reference_length: str
    totals: Dialect
    smoothing: Parameters
    orders: tuple[int, bool]  # the largest, and whether only those that are reached count
    brevity_penalty: Dialect
    mean_of_sentences: bool
    own: float  # points that a metric's own counting and arithmetic add
    owner: str

    @classmethod
    def of(cls, corpus: Corpus) -> Rules:
        """The rules of a corpus' metric; ValueError or ZeroDivisionError if it has no score."""
        parameters: Parameters = corpus.metric._parameters
        dialect = parameters.rules
        rules = cls(
            corpus,
            parameters.tokenizer,
            parameters.lowercase,
            dialect.single_reference,
            dialect._counted_length(parameters.reference_length),
            dialect,
            parameters,
            (parameters.max_order, parameters.effective_order),
            dialect,
            dialect.mean_of_sentences,
            0.0,
            dialect.name,
        )
        return replace(rules, own=corpus.score().value * 100 / dialect.scale - rules.points())

    def points(self) -> float:
        """The score on 0-100."""
        adapted = self._adapted()
        scores = self._scores(adapted if self.mean_of_sentences else adapted.sum())
        return fsum(scores) / len(scores) + self.own

    def sentence_points(self) -> NDArray[numpy.float64]:
        """The score of each segment by these rules, 0-100; nan where they have none."""
        adapted = self._adapted()
        try:
            return numpy.array(self._scores(adapted))
        except (ValueError, ZeroDivisionError):
            return numpy.array([self._score_or_nan(row) for row in adapted])

    def _score_or_nan(self, row: Stats) -> float:
        try:
            return self._scores(row)[0]
        except (ValueError, ZeroDivisionError):
            return nan

    def _adapted(self) -> Stats:
        rows = self.corpus.rows(
            self.tokenizer,
            self.lowercase,
            self.single_reference,
            self.reference_length,
            self.orders[0],
        )
        return self.totals.adapt(rows)

    def _scores(self, adapted: Stats) -> list[float]:
        owner, (max_order, effective_order) = self.smoothing, self.orders
        weights = owner.weights if max_order == owner.max_order else None
        how = owner.smoothing, owner.smoothing_value, effective_order
        options = owner.rules.read_options(max_order, weights, *how)
        table = numpy.array(adapted)
        lengths = table[:, :2].tolist()
        table[:, 1] = table[:, 0]
        scale = 100 / owner.rules.scale
        found = owner.rules._scores(Stats(table, max_order), options)
        penalty = self.brevity_penalty.brevity_penalty
        return [scale * one * penalty(*its) for one, its in zip(found, lengths, strict=True)]


# Smaller differences are rounding errors.
_ROUNDING = 1e-10

# In the order of the path: name, the attributes that change, the rule as text, what it decides.
_RULES: tuple[tuple[str, tuple[str, ...], Callable[[Rules], str], str], ...] = (
    ("scale", (), lambda r: f"0-{r.smoothing.rules.scale:g}", "Scores are printed on this scale."),
    (
        "input",
        ("corpus", "tokenizer"),
        lambda r: "lists of tokens" if r.tokenizer is None else "text",
        "Lists of tokens are compared as they are; text is tokenized.",
    ),
    (
        "tokenizer",
        ("tokenizer",),
        lambda r: "none" if r.tokenizer is None else r.tokenizer.signature,
        "A different tokenizer splits the same text into different n-grams.",
    ),
    (
        "case",
        ("lowercase",),
        lambda r: "ignored" if r.lowercase else "kept",
        "If case is ignored, words that differ only in capitals match.",
    ),
    (
        "references",
        ("single_reference",),
        lambda r: "the first" if r.single_reference else "all",
        "Additional references can only add matches.",
    ),
    (
        "reference length",
        ("reference_length",),
        lambda r: r.reference_length,
        "Which reference's length counts for the brevity penalty, also among equally close ones.",
    ),
    (
        "totals",
        ("totals",),
        lambda r: _owner_of(r.totals, "adapt", f"at least {r.totals.minimum_total}"),
        "How segments are counted that are shorter than an order's n-grams, or of unusual length.",
    ),
    (
        "smoothing",
        ("smoothing",),
        lambda r: f"{r.smoothing.smoothing} of {r.smoothing.rules.name}",
        "How precisions are smoothed, especially those of orders without matches.",
    ),
    (
        "orders",
        ("orders",),
        lambda r: f"1-{r.orders[0]}" + ", as far as reached" * r.orders[1],
        "The orders of n-grams that the score is averaged over.",
    ),
    (
        "brevity penalty",
        ("brevity_penalty",),
        lambda r: _owner_of(r.brevity_penalty, "brevity_penalty", "exp(1 - ref_len / hyp_len)"),
        "The factor for hypotheses that are shorter than their references.",
    ),
    (
        "average",
        ("mean_of_sentences",),
        lambda r: "mean of sentences" if r.mean_of_sentences else "corpus",
        "BLEU of the summed counts, or the mean of all segments' own scores.",
    ),
    (
        "own counting",
        ("own", "owner"),
        lambda r: r.owner if abs(r.own) > _ROUNDING else "none",
        "The original's own rules for counting, or rounding in its arithmetic.",
    ),
)


def _owner_of(dialect: Dialect, method: str, usual: str) -> str:
    """The `usual` rule, or the name of the dialect if it overrides `method`."""
    return usual if getattr(type(dialect), method) is getattr(Dialect, method) else dialect.name


class Step(NamedTuple):
    """One rule that changes on the way.

    Attributes
    ----------
    rule : str
        Its name.
    a, b : str
        The rule before and after.
    score : float
        The score after the step, 0-100; nan if it cannot be computed without the next steps.
    points : float
        The effect of the step, in points of 0-100.
    sentence : str
        What the rule decides.
    segments : tuple of int
        The segments whose own scores change most, at most three.
    """

    rule: str
    a: str
    b: str
    score: float
    points: float
    sentence: str
    segments: tuple[int, ...]


def walk(a: Rules, b: Rules, segments: bool = True) -> tuple[list[Step], list[str]]:
    """The steps from one metric to the other, and the names of the rules that they share.

    Finding the `segments` that change most takes most of the time.
    """
    steps: list[Step] = []
    shared: list[str] = []
    rules, score, last = a, a.points(), b.points()
    highest = max(100.0, score, last) + _ROUNDING  # that of e2e may be above 100
    sentences = a.sentence_points() if segments else numpy.zeros(0)
    for name, fields, describe, sentence in _RULES:
        before, after = describe(rules), describe(b)
        if name == "input":
            same = rules.corpus.hypotheses is b.corpus.hypotheses
        else:
            same = before == after
        if not (same and name == "input"):
            rules = replace(rules, **{field: getattr(b, field) for field in fields})
        if same:
            shared.append(name)
            continue
        try:
            points = last if name == _RULES[-1][0] else rules.points()
        except (ValueError, ZeroDivisionError):
            points = nan
        if not -_ROUNDING <= points <= highest:  # no score: the rules cannot be combined
            points = nan
        most: list[int] = []
        if segments:
            sentences, before_it = rules.sentence_points(), sentences
            moved = numpy.nan_to_num(abs(sentences - before_it))
            most = [int(n) for n in moved.argsort(kind="stable")[::-1][:_NAMED] if moved[n] > 0]
        change = 0.0 if isnan(points) or abs(points - score) < _ROUNDING else points - score
        steps.append(Step(name, before, after, points, change, sentence, tuple(most)))
        score = score if isnan(points) else points
    return steps, shared
