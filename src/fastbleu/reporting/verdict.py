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
        for a, b in ((pair.first, pair.second), (pair.second, pair.first)):
            made[b][a] = _sentence(segments, systems, pair.comparison, buckets, a, b)
    return made


def _alone(segments: Segments, system: System) -> str:
    digits = digits_on(segments.metric._scorer.dialect.scale)
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
    first, second = systems[a], systems[b]
    digits = digits_on(segments.metric._scorer.dialect.scale)
    difference = second.score.value - first.score.value
    if not difference:
        return f"{second.name} and {first.name} have the same score."
    word, opposite, most = (
        ("better", "worse", "most") if difference > 0 else ("worse", "better", "worst")
    )
    certainty = comparison._p_statement
    if interval := comparison.difference_interval:
        # In the direction of the sentence: above 0 where it holds.
        sign = 1 if comparison.difference > 0 else -1
        bounds = [sign * interval.low, sign * interval.high]
        certainty = f"95 %: {min(bounds):.{digits}f} to {max(bounds):.{digits}f}; {certainty}"
    chance = "" if comparison.is_significant else ", which may be chance"
    text = f"{second.name} is {abs(difference):.{digits}f} {word} than {first.name} ({certainty})"
    text += chance + _parts(first, second, digits)
    names, exception = _places(buckets, a, b, difference)
    if names:
        text += f"; {most} in {names}"
    if exception:
        text += f"{',' if names else ';'} but {opposite} in {exception}"
    if comparison.is_significant and first.steps:
        percent = 100 * _share_of_half(segments, *((a, b) if difference > 0 else (b, a)))
        shown = f"{percent:.0f}" if percent >= 1 else f"{percent:.1g}"
        text += f"; {shown} % of the segments make half of it"
    return f"{text}."


def _parts(first: System, second: System, digits: int) -> str:
    """What n-grams and length contribute: each factor's change times the mean of the other one."""
    if not first.steps or not second.steps:
        return ""
    factors = []
    for system in (first, second):
        value = dict(system.steps or ())
        before = value[f"{len(system.score.precisions)}-grams"]
        factors.append((before, value["length"] / before if before else 1.0))
    (precision, bp), (other_precision, other_bp) = factors
    effects = {
        "n-grams": (other_precision - precision) * (bp + other_bp) / 2,
        "length": (other_bp - bp) * (precision + other_precision) / 2,
    }
    rest = second.score.value - first.score.value - sum(effects.values())
    if round(rest, digits):
        effects["smoothing"] = rest
    return ": " + ", ".join([f"{name} {points:+.{digits}f}" for name, points in effects.items()])


def _places(buckets: list[Buckets], a: int, b: int, difference: float) -> tuple[str, str]:
    """The documents, or groups, that have most of the difference: by its size times theirs.

    And one in which it is the other way round, and larger than in these.
    """
    of_name = {kind.name: kind for kind in buckets if len(kind.labels) >= _FEWEST}
    kind = of_name.get("document") or of_name.get("group")
    if kind is None:
        return "", ""
    sizes = numpy.bincount(kind.codes, minlength=len(kind.labels)).tolist()
    sign = 1 if difference > 0 else -1
    parts = [
        0 if of_b is None or of_a is None else sign * (of_b - of_a) * size
        for of_a, of_b, size in zip(kind.scores[a], kind.scores[b], sizes, strict=True)
    ]
    first, second, *_, last = sorted(range(len(parts)), key=lambda number: -parts[number])
    names = [kind.labels[number][:_CHARACTERS] for number in (first, second) if parts[number] > 0]
    shown = f"{kind.name}{'s' * (len(names) > 1)} {' and '.join(names)}" if names else ""
    is_exception = parts[last] < -max(parts[first], 0)
    return shown, f"{kind.name} {kind.labels[last][:_CHARACTERS]}" if is_exception else ""


def _share_of_half(segments: Segments, worse: int, better: int) -> float:
    """The smallest share of the segments that has half of the difference, 0-1.

    A segment's part is the change of the score's logarithm, linear at the mean of the two systems.
    """
    worse_stats, better_stats = (segments.counted[number].stats for number in (worse, better))
    scorer = segments.metric._scorer
    orders = segments.metric.max_ngram_order
    weights = scorer.weights or (1 / orders,) * orders
    parts = numpy.zeros(len(segments))
    for order, weight in enumerate(weights):
        for sign, of_one, of_other in (
            (1, worse_stats.matches[:, order], better_stats.matches[:, order]),
            (-1, worse_stats.totals[:, order], better_stats.totals[:, order]),
        ):
            if mean := (of_one.sum() + of_other.sum()) / 2:
                parts += sign * weight * (of_other - of_one) / mean
    hyp = (worse_stats.hyp_lens.sum() + better_stats.hyp_lens.sum()) / 2
    ref = (worse_stats.ref_lens.sum() + better_stats.ref_lens.sum()) / 2
    if 0 < hyp < ref:
        parts += ref / hyp**2 * (better_stats.hyp_lens - worse_stats.hyp_lens)
        parts -= (better_stats.ref_lens - worse_stats.ref_lens) / hyp
    sums = numpy.cumsum(numpy.sort(parts)[::-1])
    return float(numpy.argmax(sums >= sums[-1] / 2) + 1) / len(parts)
