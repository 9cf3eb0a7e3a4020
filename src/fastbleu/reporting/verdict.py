"""How two systems differ, in one sentence: by how much, whether by chance, in what, and where."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy

from ..significance.results import shown_bounds
from .buckets import digits_on

if TYPE_CHECKING:
    from ..significance import Comparison
    from .buckets import Buckets
    from .overview import Pair, System
    from .report_input import Segments

_FEWEST = 4  # documents of which the two with most of the difference are named
_CHARACTERS = 40  # of their names


def make_verdicts(
    segments: Segments, systems: list[System], pairs: list[Pair], buckets: list[Buckets]
) -> list[list[str]]:
    """A sentence for each system B (rows) against each system A (columns), or for B alone."""
    made = [[_alone(segments, system)] * len(systems) for system in systems]
    for pair in pairs:
        for a, b in ((pair.one, pair.other), (pair.other, pair.one)):
            made[b][a] = _sentence(segments, systems, pair.comparison, buckets, a, b)
    return made


def _alone(segments: Segments, system: System) -> str:
    digits = digits_on(segments.metric.scorer.dialect.scale)
    text = f"{system.name} scores {system.score.value:.{digits}f}"
    if system.interval is not None:
        text += f" (95 %: {shown_bounds(system.interval, digits)})"
    return f"{text}."


def _sentence(
    segments: Segments,
    systems: list[System],
    comparison: Comparison,
    buckets: list[Buckets],
    a: int,
    b: int,
) -> str:
    one, other = systems[a], systems[b]
    digits = digits_on(segments.metric.scorer.dialect.scale)
    difference = other.score.value - one.score.value
    if not difference:
        return f"{other.name} and {one.name} have the same score."
    word, most = ("better", "most") if difference > 0 else ("worse", "worst")
    certainty = comparison._p_statement
    if interval := comparison.difference_interval:
        # In the direction of the sentence: above 0 where it holds.
        sign = 1 if comparison.difference > 0 else -1
        bounds = [sign * interval.low, sign * interval.high]
        certainty = f"95 %: {min(bounds):.{digits}f} to {max(bounds):.{digits}f}; {certainty}"
    chance = "" if comparison.is_significant else ", which may be chance"
    text = f"{other.name} is {abs(difference):.{digits}f} {word} than {one.name} ({certainty})"
    text += chance + _parts(one, other, digits)
    if names := _places(buckets, a, b, difference):
        text += f"; {most} in {names}"
    if comparison.is_significant and one.steps:
        share = _share_of_half(segments, *((a, b) if difference > 0 else (b, a)))
        text += f"; {100 * share:.{0 if share >= 0.01 else 1}f} % of the segments make half of it"
    return f"{text}."


def _parts(one: System, other: System, digits: int) -> str:
    """What n-grams and length contribute: each factor's change times the mean of the other one."""
    if not one.steps or not other.steps:
        return ""
    factors = []
    for system in (one, other):
        value = dict(system.steps or ())
        before = value[f"{len(system.score.precisions)}-grams"]
        factors.append((before, value["length"] / before if before else 1.0))
    (precision, bp), (other_precision, other_bp) = factors
    found = {
        "n-grams": (other_precision - precision) * (bp + other_bp) / 2,
        "length": (other_bp - bp) * (precision + other_precision) / 2,
    }
    rest = other.score.value - one.score.value - sum(found.values())
    if round(rest, digits):
        found["smoothing"] = rest
    return ": " + ", ".join([f"{name} {points:+.{digits}f}" for name, points in found.items()])


def _places(buckets: list[Buckets], a: int, b: int, difference: float) -> str:
    """The documents, or groups, that have most of the difference: by its size times theirs."""
    of_name = {its.name: its for its in buckets if len(its.labels) >= _FEWEST}
    its = of_name.get("document") or of_name.get("group")
    if its is None:
        return ""
    sizes = numpy.bincount(its.codes, minlength=len(its.labels)).tolist()
    gaps = [
        (0 if of_b is None or of_a is None else of_b - of_a) * size
        for of_a, of_b, size in zip(its.scores[a], its.scores[b], sizes, strict=True)
    ]
    sign = 1 if difference > 0 else -1
    order = sorted(range(len(gaps)), key=lambda number: -sign * gaps[number])[:2]
    names = [its.labels[number][:_CHARACTERS] for number in order if sign * gaps[number] > 0]
    return f"{its.name}{'s' * (len(names) > 1)} {' and '.join(names)}" if names else ""


def _share_of_half(segments: Segments, worse: int, better: int) -> float:
    """The smallest share of the segments that has half of the difference, 0-1.

    A segment's part is the change of the score's logarithm, linear at the mean of the two systems.
    """
    one, other = (segments.counted[number].stats for number in (worse, better))
    scorer = segments.metric.scorer
    orders = segments.metric.max_order
    weights = scorer.weights or (1 / orders,) * orders
    parts = numpy.zeros(len(segments))
    for order, weight in enumerate(weights):
        for sign, its, of_other in (
            (1, one.matches[:, order], other.matches[:, order]),
            (-1, one.totals[:, order], other.totals[:, order]),
        ):
            if mean := (its.sum() + of_other.sum()) / 2:
                parts += sign * weight * (of_other - its) / mean
    hyp = (one.hyp_lens.sum() + other.hyp_lens.sum()) / 2
    ref = (one.ref_lens.sum() + other.ref_lens.sum()) / 2
    if 0 < hyp < ref:
        parts += ref / hyp**2 * (other.hyp_lens - one.hyp_lens)
        parts -= (other.ref_lens - one.ref_lens) / hyp
    sums = numpy.cumsum(numpy.sort(parts)[::-1])
    return float(numpy.argmax(sums >= sums[-1] / 2) + 1) / len(parts)
