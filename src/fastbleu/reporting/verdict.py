"""Sentences on how systems differ: by how much, whether by chance, why, and where."""

from __future__ import annotations

from math import isnan
from typing import TYPE_CHECKING

import numpy

from ..diagnosis.repairs import REPAIRS
from ..significance.results import shown_bounds
from .overview import Mistake, Overview, System, listed

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..significance import Comparison

    # Parts of a text, each with its link on the page, or "".
    Sentences = list[tuple[str, str]]

FIRST = 20  # segments: their share of the difference is said
_FEWEST = 4  # with fewer documents, or groups, none is named
_CHARACTERS = 40  # shown of their names
# A mistake is named as a cause if the difference is smaller by this share without it, and by this
# many points on 0-100.
_CAUSE_SHARE, _LEAST_CAUSE = 0.25, 0.1
CAUSES = {name: repair.cause for name, repair in REPAIRS.items()} | {
    "script": "the wrong tokenizer",
    "nan": "missing values",
    "blank": "blank text",
    "empty": "empty segments",
    "shifted": "shifted lines",
    "exchanged": "exchanged lines",
    "shuffled": "the order of lines",
    "short": "truncated text",
    "constant text": "a tag, prompt, id or Markdown at the beginning or end of lines",
    "lost characters": "letters lost in the wrong encoding",
    "unknown words": "marks for unknown words",
    "same text": "the same text for many segments",
    "language": "text in another language",
    "source copied": "copies of the source",
    "words reversed": "words in reverse order",
    "ids": "ids for text",
    "equal": "copies of references",
    "long": "text far longer than its references",
    "spaces": "missing spaces",
}


class Verdicts:
    """The sentences about the systems of an overview."""

    def __init__(self, overview: Overview) -> None:
        self._overview, self._segments = overview, overview.segments
        self._scale = self._segments.scorer.scale
        self._digits = self._segments.digits

    def headline(self) -> str:
        """Which system of three or more is best, and which are not significantly worse."""
        overview = self._overview
        systems, order = overview.systems, overview.order
        if len(systems) < 3:
            return ""
        if overview.is_order_held:
            return "Ranks are left out, because the likely mistake above changes their order."
        best = systems[order[0]]
        text = f"{best.name} has the highest score of {len(systems)} systems"
        text += f", {best.score.value:.{self._digits}f}"
        if not overview.comparisons:
            return f"{text}."
        tied = [systems[k].name for k in order[1:] if not overview.differ(order[0], k)]
        adjusted = f"p adjusted for {len(overview.comparisons)} comparisons"
        if not tied:
            return f"{text}; all others are significantly worse ({adjusted})."
        are = "is" if len(tied) == 1 else "are"
        rest = ", all others are" if len(tied) < len(systems) - 1 else ""
        return f"{text}; {listed(tied)} {are} not significantly worse{rest} ({adjusted})."

    def text(self, a: int, b: int) -> str:
        """`between` without links."""
        return "".join([text for text, _ in self.between(a, b)])

    def between(self, a: int, b: int) -> Sentences:
        """How system B differs from A, whatever other systems there are; or its own score."""
        first, second = self._overview.systems[a], self._overview.systems[b]
        if a == b:
            interval = shown_bounds(second.interval, self._digits)
            bounds = f" (95 %: {interval})" if interval else ""
            return [(f"{second.name} scores {self._number(second.score.value)}{bounds}.", "")]
        difference = second.score.value - first.score.value
        if not difference:
            return [(f"{second.name} and {first.name} have the same score.", "")]
        comparison = self._overview.between(a, b)
        comparison = comparison and comparison._alone
        text = f"{second.name} is {self._change(difference)} than {first.name}"
        if comparison and comparison._too_few:
            text += f"; {comparison._too_few}"
        elif comparison:
            text += f" ({self._certainty(comparison)})"
            text += "" if comparison.is_significant else ", which may be chance"
        parts = [(f"{text}.", "")]
        mistakes = [it for it in self._overview.mistakes if {a, b} & {*it.systems}]
        if mistakes:
            # One only: the effects of several overlap.
            changes = [(abs(it.points[b] - it.points[a]), it) for it in mistakes]
            sizes = [it.weight if isnan(change) else change for change, it in changes]
            largest = mistakes[sizes.index(max(sizes))]
            cause = self._cause(largest, a, b, difference)
            parts += cause or [(" No known mistake explains it.", "")]
        if effects := self._effects(first, second):
            parts.append((f" Of the difference: {effects}.", ""))
        scores = self._segments.scores
        better, worse = (int((sign * (scores[b] - scores[a]) > 0).sum()) for sign in (1, -1))
        equal = int((scores[b] == scores[a]).sum())  # not those without a score
        segments = f"{better:,} segment{'s' * (better != 1)}"
        parts.append((f" Better in {segments}, worse in {worse:,}, equal in {equal:,}.", ""))
        if comparison and comparison.is_significant:
            parts += self._documents(comparison, a, b, difference)
        return parts

    def explained(self, a: int, b: int) -> str:
        """What the difference would be without the segments that make most of it."""
        shares = self._overview.shares(a, b) if a != b else None
        if shares is None or len(shares) < 2 * FIRST:
            return ""
        first = numpy.argsort(-shares, kind="stable")[:FIRST]
        without = self._difference_without(numpy.isin(numpy.arange(len(shares)), first), a, b)
        if without is None:
            return ""
        systems = self._overview.systems
        share = 1 - without / (systems[b].score.value - systems[a].score.value)
        explained = f"The {FIRST} segments that count most explain {100 * share:.0f} % of the"
        return f"{explained} difference: without them it would be {self._change(without)}."

    def _number(self, points: float) -> str:
        return f"{points:.{self._digits}f}"

    def _change(self, difference: float) -> str:
        return f"{self._number(abs(difference))} {'better' if difference > 0 else 'worse'}"

    def _certainty(self, comparison: Comparison) -> str:
        """The interval, in the direction of the sentence, and the p-values."""
        interval = comparison.difference_interval
        if interval is None:
            return comparison._p_statement
        sign = 1 if comparison.difference > 0 else -1
        low, high = sorted((sign * interval.low, sign * interval.high))
        return f"95 %: {self._number(low)} to {self._number(high)}; {comparison._p_statement}"

    def _cause(self, mistake: Mistake, a: int, b: int, difference: float) -> Sentences:
        """How much of the difference a mistake causes, if that is much."""
        unit = self._scale / 100
        link = CAUSES.get(mistake.name, mistake.name), "#mistakes"
        change = (mistake.points[b] - mistake.points[a]) * unit
        if isnan(change):
            having = [system for system in mistake.systems if system in (a, b)]
            if len(having) != 1:
                return []
            name = self._overview.systems[having[0]].name
            return [(f" {name} has ", ""), link, (", whose effect is unknown.", "")]
        without = difference + change
        most = (1 - _CAUSE_SHARE) * abs(difference)
        if abs(without) > most or abs(change) < _LEAST_CAUSE * unit:
            return []
        if without / difference >= 0 or not round(without, self._digits):
            return [(f" About {self._number(abs(change))} of it is ", ""), link, (".", "")]
        return [(" Without ", ""), link, (f" it would be {self._change(without)}.", "")]

    def _effects(self, first: System, second: System) -> str:
        """The effects of n-grams and length: each one's change times the mean of the other."""
        precision, other_precision = first.before_length, second.before_length
        bp, other_bp = first.score.bp, second.score.bp
        if precision is None or other_precision is None or bp is None or other_bp is None:
            return ""
        effects = {
            "n-grams": (other_precision - precision) * (bp + other_bp) / 2,
            "length": (other_bp - bp) * (precision + other_precision) / 2,
        }
        difference = second.score.value - first.score.value
        rest = difference - sum(effects.values())
        if round(rest, self._digits):
            has_negative = min(*first.score.totals, *second.score.totals) < 0
            effects["totals < 0" if has_negative else "smoothing"] = rest
        # The printed numbers add up to the printed difference.
        printed = [round(points, self._digits) for points in effects.values()]
        effects["n-grams"] = round(difference, self._digits) - sum(printed[1:])
        return ", ".join([f"{name} {points:+.{self._digits}f}" for name, points in effects.items()])

    def _documents(self, comparison: Comparison, a: int, b: int, difference: float) -> Sentences:
        """The one or two documents, or groups, without which little of the difference is left."""
        buckets = enumerate(self._overview.buckets)
        named = [(n, kind) for n, kind in buckets if kind.name in ("document", "group")]
        if not named or len(named[0][1].labels) < _FEWEST:
            return []
        number, kind = named[0]
        scores = zip(kind.scores[a], kind.scores[b], kind.sizes, strict=True)
        shares = [
            0.0 if a is None or b is None else (b - a) * size / difference for a, b, size in scores
        ]
        first, second = sorted(range(len(shares)), key=lambda code: -shares[code])[:2]
        interval = comparison.difference_interval
        most = abs(difference) / 2
        if interval:
            most = min(most, (interval.high - interval.low) / 2)  # which may be chance
        for chosen in ([first], [first, second]):
            without = self._difference_without(numpy.isin(kind.codes, chosen), a, b)
            if without is not None and without * numpy.sign(difference) <= most:
                links = [(kind.labels[n][:_CHARACTERS], f"#bucket={number}.{n}") for n in chosen]
                joined = [links[0], *((" and ", ""), *links[1:])] if links[1:] else links
                start = f" Without {kind.name}{'s' * (len(chosen) > 1)} "
                return [(start, ""), *joined, (f" it would be {self._change(without)}.", "")]
        return [(f" No {kind.name} explains it.", "")]

    def _difference_without(self, left_out: NDArray[numpy.bool_], a: int, b: int) -> float | None:
        """The difference without some segments; None if the rest cannot be scored."""
        values = []
        for counted in (self._segments.counted[a], self._segments.counted[b]):
            rows = numpy.asarray(counted.stats)[~left_out]
            if (value := self._segments.score_rows(counted, rows)) is None:
                return None
            values.append(value)
        return values[1] - values[0]
