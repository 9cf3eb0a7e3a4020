"""The path from one metric's score to another's, on which one rule changes at a time.

A metric is taken apart into rules: how it reads text, which references and reference length it
uses, how it turns counts into a score. A metric may also count in its own way, or round: effects
that the rules do not explain are the last step, so that the path begins at A's score, ends at B's,
and its steps add up.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import fsum, isclose, isnan, nan
from typing import NamedTuple

import numpy

from ..core.counting.stats import AdaptedRows
from ..core.scoring.base import TOKENS, Dialect
from ..core.scoring.counters import check_order
from ..core.scoring.scorer import Scorer
from ..core.tokenizers.tokenizer import Tokenizer
from ..originals.counters import TokenListCounter
from .corpus import Corpus

TYPE_CHECKING = False
if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..core.counting.stats import Stats
    from ..core.inputs.ids import IdFilter

# How many segments are named for a step.
_NAMED = 3
# Smaller differences are rounding errors.
_ROUNDING = 1e-10
# A step is a detour if it and the next one together have less than this share of the larger effect.
_LEFT = 0.01


@dataclass(frozen=True)
class RuleSet:
    """The rules of one metric, or a mixture of the rules of two.

    The score is precisions(counts) * brevity_penalty(lengths), of the summed rows or as the mean of
    the rows, where `precisions` is a scorer's score for a hypothesis as long as its reference.
    """

    corpus: Corpus
    tokenizer: Tokenizer | IdFilter | None
    lowercase: bool
    references: str  # "all", "first", or "fewest": as many as every segment has
    reference_length: str
    totals: Scorer  # adapts the rows before they are added up
    smoothing: Scorer
    orders: Scorer  # has `max_ngram_order`, `effective_order`
    weights: Sequence[float] | None  # of the orders; None: equal ones
    brevity_penalty: Dialect
    average: Dialect  # scores a corpus as a whole, or as the mean of its sentences
    is_divided: bool = True  # False: a single scorer has all rules, and scores the corpus itself

    @classmethod
    def of(cls, corpus: Corpus) -> RuleSet:
        """The rules of the corpus's metric."""
        counter, scorer = corpus.counter, corpus.scorer
        arithmetic = scorer.dialect.arithmetic
        return cls(
            corpus,
            tokenizer=counter.tokenizer or counter.id_filter,
            lowercase=counter.lowercase,
            references=scorer.dialect.references,
            reference_length=counter.reference_length,
            totals=scorer,
            smoothing=scorer,
            orders=scorer,
            weights=scorer.weights,
            brevity_penalty=arithmetic,
            average=scorer.dialect,
        )

    def known_rules(self) -> tuple[Rule, ...]:
        """The rules that this metric's score follows; all other effects belong to the rest."""
        if TOKENS not in self.average.features:
            return (_SCALE,)
        return _OF_TEXTS + _OF_COUNTS if self._is_average() else _OF_TEXTS

    def _is_average(self) -> bool:
        """Whether a score that should be the mean of the sentences' scores really is."""
        if self.average.aggregation != "mean" or issubclass(self.average.counter, TokenListCounter):
            return True  # not a mean, or not computed from rows
        scorer, rows = self.smoothing, self.rows()
        mean = fsum(scorer.row_scores(rows)) / len(rows)
        return isclose(mean, scorer.value(scorer.sums_of(rows)), rel_tol=1e-4)

    def rows(self) -> Stats:
        """The counts of the segments by these rules."""
        return self.corpus.counts(
            self.tokenizer,
            self.lowercase,
            self.references,
            self.reference_length,
            self.orders.max_ngram_order,
        ).stats

    def _adapted(self) -> AdaptedRows:
        return self.totals.adapted(self.rows())

    def has_negative_totals(self) -> bool:
        """Whether some totals are below 0, as those of e2e for short segments."""
        return bool((self._adapted().totals < 0).any())

    def points(self) -> float:
        """The score of the corpus on 0-100; NaN if the rules cannot be combined."""
        scorer = self.smoothing
        try:
            if not self.is_divided:
                return scorer.value(scorer.sums_of(self.rows())) * 100 / scorer.scale
            adapted = self._adapted()
        except (ValueError, ImportError):  # without PyTorch
            return nan
        is_mean = self.average.aggregation == "mean"
        scores = self._scores_or_nan(adapted if is_mean else adapted.sum())
        return fsum(scores) / len(scores)

    def sentence_points(self) -> NDArray[numpy.float64]:
        """The score of each segment, 0-100; NaN for segments without one."""
        return numpy.array(self._scores_or_nan(self._adapted()))

    def _scores_or_nan(self, adapted: AdaptedRows) -> list[float]:
        try:
            return self._scores(adapted)
        except ImportError:  # without PyTorch
            return [nan] * len(adapted)
        except (ValueError, ZeroDivisionError):  # from scores, from brevity penalties
            if len(adapted) <= 1:
                return [nan]
            return [score for row in adapted for score in self._scores_or_nan(row)]

    def _scores(self, adapted: AdaptedRows) -> list[float]:
        """The score of each row, 0-100."""
        dialect, max_ngram_order = self.smoothing.dialect, self.orders.max_ngram_order
        check_order(dialect.arithmetic, max_ngram_order)
        weights = self.weights if self.weights and len(self.weights) == max_ngram_order else None
        if weights is None and dialect.options.get("weights"):
            weights = (1 / max_ngram_order,) * max_ngram_order  # instead of the recipe's own
        smoothing = self.smoothing.smooth_method, self.smoothing.smooth_value
        scorer = Scorer(dialect, max_ngram_order, weights, *smoothing, self.orders.effective_order)
        table = numpy.array(adapted)
        lengths = table[:, :2].tolist()
        table[:, 1] = table[:, 0]
        with numpy.errstate(all="ignore"):  # counts of one dialect may not suit another
            precisions = scorer.scores_of_sums(AdaptedRows.of_table(table))
        penalties = [self.brevity_penalty.brevity_penalty(*pair) for pair in lengths]
        scale = 100 / dialect.scale
        return [scale * p * penalty for p, penalty in zip(precisions, penalties, strict=True)]


class Rule(NamedTuple):
    """A rule that may change on the path; `fields` are its attributes in a `RuleSet`."""

    name: str
    fields: tuple[str, ...]
    describe: Callable[[RuleSet], str]
    sentence: str


_SCALE = Rule(
    "scale",
    (),
    lambda rules: f"0-{rules.smoothing.dialect.scale:g}",
    "Scores are printed on this scale.",
)
_INPUT = Rule(
    "input",
    ("corpus", "tokenizer"),
    lambda rules: "text" if isinstance(rules.tokenizer, Tokenizer) else "lists of tokens",
    "Lists of tokens are compared as they are; text is tokenized.",
)
# Rules in the order of the path.
_OF_TEXTS = (
    _SCALE,
    _INPUT,
    Rule(
        "tokenizer",
        ("tokenizer",),
        lambda rules: "none" if rules.tokenizer is None else rules.tokenizer.signature,
        "A different tokenizer splits the same text into different n-grams.",
    ),
    Rule(
        "case",
        ("lowercase",),
        lambda rules: "ignored" if rules.lowercase else "kept",
        "If case is ignored, words that differ only in capitals match.",
    ),
    Rule(
        "references",
        ("references",),
        lambda rules: "all" if rules.references == "all" else f"the {rules.references}",
        "Additional references can only add matches.",
    ),
    Rule(
        "reference length",
        ("reference_length",),
        lambda rules: rules.reference_length,
        "Which reference length the brevity penalty uses, also among equally close ones.",
    ),
)
_OF_COUNTS = (
    Rule(
        "totals",
        ("totals",),
        lambda rules: _totals_of(rules.totals) + ", some below 0" * rules.has_negative_totals(),
        "How segments are counted that are too short for an order, or of unusual length.",
    ),
    Rule(
        "smoothing",
        ("smoothing",),
        lambda rules: _smoothing_of(rules.smoothing),
        "How precisions are smoothed, especially those of orders without matches.",
    ),
    Rule(
        "orders",
        ("orders",),
        lambda rules: (
            f"1-{rules.orders.max_ngram_order}"
            + ", as far as reached" * rules.orders.effective_order
        ),
        "The orders of n-grams over which the score is averaged.",
    ),
    Rule(
        "weights",
        ("weights",),
        lambda rules: ", ".join(map(str, rules.weights)) if rules.weights else "equal",
        "How much each order counts.",
    ),
    Rule(
        "brevity penalty",
        ("brevity_penalty",),
        lambda rules: _own_or(
            "exp(1 - ref_len / hyp_len)", rules.brevity_penalty, "brevity_penalty"
        ),
        "The factor for hypotheses that are shorter than their references.",
    ),
    Rule(
        "average",
        ("average",),
        lambda rules: "mean of sentences" if rules.average.aggregation == "mean" else "corpus",
        "BLEU of the summed counts, or the mean of the segments' own scores.",
    ),
)
_REST = (
    "What no other rule explains: counting or averaging in the original's own way, or rounding in "
    "its arithmetic."
)


def _own_or(usual: str, dialect: Dialect, method: str) -> str:
    """The `usual` rule, or the name of the dialect if it overrides `method`."""
    return usual if getattr(type(dialect), method) is getattr(Dialect, method) else dialect.name


def _totals_of(scorer: Scorer) -> str:
    dialect = scorer.dialect.arithmetic
    return _own_or(f"at least {dialect.minimum_total}", dialect, "adapt")


def _smoothing_of(scorer: Scorer) -> str:
    value = "" if scorer.smooth_value is None else f"[{scorer.smooth_value}]"
    return f"{scorer.smooth_method}{value} of {scorer.dialect.arithmetic.name}"


class Step(NamedTuple):
    """One rule that changes on the path.

    Attributes
    ----------
    rule : str
        Its name.
    a, b : str
        The rule before and after.
    score : float
        The score after the step, 0-100; NaN if it cannot be computed, or if the next step takes
        this one back.
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


def walk(a: Corpus, b: Corpus, segments: bool = True) -> tuple[list[Step], list[str]]:
    """The steps from one metric to the other, and the names of the rules that they share.

    Finding the `segments` that change most takes most of the time.

    Raises
    ------
    ValueError
        One of the metrics has no score.
    """
    steps: list[Step] = []
    shared: list[str] = []
    current, end = RuleSet.of(a), RuleSet.of(b)
    score, last = _points(a), _points(b)
    rules = current.known_rules()
    if rules == _OF_TEXTS:
        current = replace(current, is_divided=False)
    rules = min(rules, end.known_rules(), key=len)
    if len(rules) > len(_OF_TEXTS) and end.has_negative_totals():
        # Only the second metric's formula knows what to do with them.
        totals, smoothing, *others = _OF_COUNTS
        rules = (*_OF_TEXTS, smoothing, totals, *others)
    # The effect of the first metric's own counting and arithmetic remains until the last step.
    own = float(numpy.nan_to_num(score - current.points()))
    highest = max(100.0, score, last) + _ROUNDING  # e2e's may be above 100
    sentences = current.sentence_points() if segments else numpy.zeros(0)
    for rule in rules:
        if rule is _INPUT and current.corpus.hypotheses is end.corpus.hypotheses:
            shared.append(rule.name)  # the tokenizer is a rule of its own
            continue
        before, after = rule.describe(current), rule.describe(end)
        current = replace(current, **{field: getattr(end, field) for field in rule.fields})
        if before == after and rule is not _INPUT:
            shared.append(rule.name)
            continue
        points = current.points() + own
        if not -_ROUNDING <= points <= highest:  # no score: the rules cannot be combined
            points = nan
        most: tuple[int, ...] = ()
        if segments:
            sentences, earlier = current.sentence_points(), sentences
            most = _most_changed(earlier, sentences)
        change = 0.0 if isnan(points) or abs(points - score) < _ROUNDING else points - score
        steps.append(Step(rule.name, before, after, points, change, rule.sentence, most))
        score = score if isnan(points) else points
    if abs(last - score) < _ROUNDING:
        shared.append("the rest")
    else:
        before, after = (corpus.scorer.dialect.name for corpus in (a, b))
        steps.append(Step("the rest", before, after, last, last - score, _REST, ()))
    return _without_detours(steps), shared


def _most_changed(
    earlier: NDArray[numpy.float64], later: NDArray[numpy.float64]
) -> tuple[int, ...]:
    """The segments whose scores change most, the largest change first."""
    changes = numpy.nan_to_num(abs(later - earlier))
    order = changes.argsort(kind="stable")[::-1][:_NAMED].tolist()
    return tuple(segment for segment in order if changes[segment] > 0)


def _without_detours(steps: list[Step]) -> list[Step]:
    """Move the effect of a step that the next one takes back into that next one."""
    moving: list[int] = []
    for number, step in enumerate(steps):
        while moving and step.points:
            before = steps[moving[-1]].points
            both = before + step.points
            if abs(both) >= _LEFT * max(abs(before), abs(step.points)):
                break
            step = step._replace(points=both if abs(both) >= _ROUNDING else 0.0)
            for detour in range(moving.pop(), number):
                steps[detour] = steps[detour]._replace(score=nan, points=0.0)
        steps[number] = step
        if step.points:
            moving.append(number)
    return steps


def _points(corpus: Corpus) -> float:
    """The metric's own score on 0-100; raises its error if there is none."""
    points = corpus.points()
    return corpus.score().value if isnan(points) else points
