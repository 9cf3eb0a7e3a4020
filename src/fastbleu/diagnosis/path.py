"""The path from one metric's score to another's, on which one rule changes at a time.

A metric is taken apart into rules: how it reads text, which references and reference length it
takes, and those of a `MixedScorer`. A metric may also count by itself or round in its arithmetic:
what the rules do not explain is the last step, so the first score is A's, the last one is B's, and
the steps between add up.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import isnan, nan
from typing import NamedTuple

import numpy

from ..dialects.base import Dialect
from ..dialects.mixed_scorer import MixedScorer
from ..tokenizers.loaded import Tokenizer
from .corpus import Corpus

TYPE_CHECKING = False
if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..counting.stats import Stats
    from ..inputs.ids import IdFilter

# Segments that are named for a step.
_NAMED = 3
# Smaller differences are rounding errors.
_ROUNDING = 1e-10
# A step is a detour if together with the next one it has less than this share of their effects.
_LEFT = 0.01


@dataclass(frozen=True)
class RuleSet:
    """The rules of one metric, or of two in part."""

    corpus: Corpus
    tokenizer: Tokenizer | IdFilter | None
    lowercase: bool
    references: str
    reference_length: str
    scorer: MixedScorer

    @classmethod
    def of(cls, corpus: Corpus) -> RuleSet:
        """The rules of a corpus' metric."""
        counter, scorer = corpus.metric.counter, corpus.metric.scorer
        return cls(
            corpus,
            counter.tokenizer or counter.id_filter,
            counter.lowercase,
            scorer.dialect.references,
            counter.reference_length,
            MixedScorer.of(scorer),
        )

    def rows(self) -> Stats:
        return self.corpus.rows(
            self.tokenizer,
            self.lowercase,
            self.references,
            self.reference_length,
            self.scorer.orders.max_order,
        )

    def points(self) -> float:
        """The score on 0-100; nan if the rules cannot be combined."""
        return self.scorer.points(self.rows())

    def known_rules(self) -> tuple[Rule, ...]:
        """Of one metric those that its score follows; what others do is part of the rest."""
        if not self.scorer.average.takes_tokens:
            return _RULES[:1]
        return _RULES if self.scorer.is_average(self.rows()) else _RULES[:6]

    def sentence_points(self) -> NDArray[numpy.float64]:
        """The score of each segment by these rules, 0-100; nan where they have none."""
        return self.scorer.sentence_points(self.rows())


class Rule(NamedTuple):
    """A rule that may change on the way.

    `fields` are its values in a RuleSet, or in its scorer; None: the one of its name.
    """

    name: str
    describe: Callable[[RuleSet], str]
    sentence: str
    fields: tuple[str, ...] | None = None

    def taken_from(self, other: RuleSet, into: RuleSet) -> RuleSet:
        """`into`, with this rule of `other`."""
        fields = (self.name,) if self.fields is None else self.fields
        of_scorer = {n: getattr(other.scorer, n) for n in fields if hasattr(other.scorer, n)}
        changed = {n: getattr(other, n) for n in fields if n not in of_scorer}
        return replace(into, scorer=replace(into.scorer, **of_scorer), **changed)


# In the order of the path: the scale, five of texts, six of counts.
_RULES = (
    Rule(
        "scale",
        lambda r: f"0-{r.scorer.smoothing.dialect.scale:g}",
        "Scores are printed on this scale.",
        (),
    ),
    Rule(
        "input",
        lambda r: "text" if isinstance(r.tokenizer, Tokenizer) else "lists of tokens",
        "Lists of tokens are compared as they are; text is tokenized.",
        ("corpus", "tokenizer"),
    ),
    Rule(
        "tokenizer",
        lambda r: "none" if r.tokenizer is None else r.tokenizer.signature,
        "A different tokenizer splits the same text into different n-grams.",
    ),
    Rule(
        "case",
        lambda r: "ignored" if r.lowercase else "kept",
        "If case is ignored, words that differ only in capitals match.",
        ("lowercase",),
    ),
    Rule(
        "references",
        lambda r: {"first": "the first", "fewest": "the fewest"}.get(r.references, "all"),
        "Additional references can only add matches.",
    ),
    Rule(
        "reference length",
        lambda r: r.reference_length,
        "Which reference's length counts for the brevity penalty, also among equally close ones.",
        ("reference_length",),
    ),
    Rule(
        "totals",
        lambda r: _owner_of(r.scorer.counts, "adapt", f"at least {r.scorer.counts.minimum_total}"),
        "How segments are counted that are shorter than an order's n-grams, or of unusual length.",
        ("counts",),
    ),
    Rule(
        "smoothing",
        lambda r: _smoothing_of(r.scorer),
        "How precisions are smoothed, especially those of orders without matches.",
    ),
    Rule(
        "orders",
        lambda r: (
            f"1-{r.scorer.orders.max_order}"
            + ", as far as reached" * r.scorer.orders.effective_order
        ),
        "The orders of n-grams that the score is averaged over.",
    ),
    Rule(
        "weights",
        lambda r: ", ".join(map(str, r.scorer.weights)) if r.scorer.weights else "equal",
        "How much each order counts.",
    ),
    Rule(
        "brevity penalty",
        lambda r: _owner_of(
            r.scorer.brevity_penalty, "brevity_penalty", "exp(1 - ref_len / hyp_len)"
        ),
        "The factor for hypotheses that are shorter than their references.",
        ("brevity_penalty",),
    ),
    Rule(
        "average",
        lambda r: "mean of sentences" if r.scorer.averages_sentences else "corpus",
        "BLEU of the summed counts, or the mean of all segments' own scores.",
    ),
)
_REST = (
    "What no other rule explains: counting or averaging of its own, or rounding in the original's "
    "arithmetic."
)


def _owner_of(dialect: Dialect, method: str, usual: str) -> str:
    """The `usual` rule, or the name of the dialect if it overrides `method`."""
    return usual if getattr(type(dialect), method) is getattr(Dialect, method) else dialect.name


def _smoothing_of(scorer: MixedScorer) -> str:
    owner = scorer.smoothing
    value = "" if owner.smoothing_value is None else f"[{owner.smoothing_value}]"
    return f"{owner.smoothing}{value} of {owner.dialect._arithmetic.name}"


class Step(NamedTuple):
    """One rule that changes on the way.

    Attributes
    ----------
    rule : str
        Its name.
    a, b : str
        The rule before and after.
    score : float
        The score after the step, 0-100; nan if it means nothing without the next steps: it cannot
        be computed, or the next step takes this one back.
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
    known, other = current.known_rules(), end.known_rules()
    if known == _RULES[:6]:
        current = replace(current, scorer=replace(current.scorer, is_divided=False))
    # What the first metric's own counting and arithmetic add stays until the end.
    own = float(numpy.nan_to_num(score - current.points()))
    highest = max(100.0, score, last) + _ROUNDING  # that of e2e may be above 100
    sentences = current.sentence_points() if segments else numpy.zeros(0)
    for rule in min(known, other, key=len):
        before, after = rule.describe(current), rule.describe(end)
        same = before == after
        if rule.name == "input":
            same = current.corpus.hypotheses is end.corpus.hypotheses
        if not (same and rule.name == "input"):
            current = rule.taken_from(end, current)
        if same:
            shared.append(rule.name)
            continue
        points = current.points() + own
        if not -_ROUNDING <= points <= highest:  # no score: the rules cannot be combined
            points = nan
        most: list[int] = []
        if segments:
            sentences, earlier = current.sentence_points(), sentences
            moved = numpy.nan_to_num(abs(sentences - earlier))
            most = [int(n) for n in moved.argsort(kind="stable")[::-1][:_NAMED] if moved[n] > 0]
        change = 0.0 if isnan(points) or abs(points - score) < _ROUNDING else points - score
        steps.append(Step(rule.name, before, after, points, change, rule.sentence, tuple(most)))
        score = score if isnan(points) else points
    if abs(last - score) < _ROUNDING:
        shared.append("the rest")
    else:
        before, after = (corpus.metric.scorer.dialect.name for corpus in (a, b))
        steps.append(Step("the rest", before, after, last, last - score, _REST, ()))
    return _without_detours(steps), shared


def _without_detours(steps: list[Step]) -> list[Step]:
    """The steps, of which a step that the next one takes back has no effect without that one."""
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
    """The metric's own score on 0-100; its error if there is none."""
    points = corpus.points()
    return corpus.score().value if isnan(points) else points
