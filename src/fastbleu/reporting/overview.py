"""The numbers of whole systems: scores, intervals, pairs, what costs points, likely mistakes."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Any

from ..diagnosis.corpus import Corpus
from ..diagnosis.explanation import CANNOT_SCORE, dialect_metric, shown_score
from ..diagnosis.findings import Finding, find
from ..dialects import names
from ..dialects.base import SUMS
from ..dialects.score import Score
from ..significance import Comparison, Interval, bootstrap
from ..significance.procedures import compare_pairs
from ..significance.results import known
from .buckets import Buckets, make_buckets
from .verdict import make_verdicts

if TYPE_CHECKING:
    from .report_input import Segments

# Likely mistakes with less effect are not shown, in points on 0-100.
_LEAST_POINTS = 0.1


@dataclass
class System:
    """A system as a whole.

    `steps` lead from 100 % down to the score: (name, value afterwards), on the dialect's scale.
    None for dialects whose score is not a product.
    """

    name: str
    score: Score
    interval: Interval | None
    steps: list[tuple[str, float]] | None

    @property
    def length_ratio(self) -> float:
        """Tokens of the hypotheses for each token of the closest references."""
        return self.score.hyp_len / self.score.ref_len if self.score.ref_len else float("nan")


@dataclass
class Pair:
    """Two systems, by index: how much higher the second scores, and how certain this is."""

    first: int
    second: int
    comparison: Comparison

    @property
    def numbers(self) -> frozenset[int]:
        """Both systems."""
        return frozenset((self.first, self.second))


@dataclass
class Overview:
    """All systems; `notes` say why there are no intervals.

    `verdicts` has a sentence for each system B (rows) against each system A (columns).
    `mistakes` has a row of text for each likely mistake: of which systems, its name, the points
    that the score would gain, and what was found.
    `dialects` has a row for each dialect: its name and the printed score of each system; `failures`
    says why other dialects have none.
    """

    systems: list[System]
    pairs: list[Pair]
    buckets: list[Buckets]
    mistakes: list[tuple[str, str, str, str]]
    dialects: list[tuple[str, list[str]]]
    failures: list[str]
    notes: list[str]
    verdicts: list[list[str]]

    @property
    def ranking(self) -> list[tuple[int, str, bool]]:
        """The systems' indices from the best to the worst, with their ranks, and where groups end.

        Ranks are from 1 + the number of systems that are significantly better to the number of
        those that are not significantly worse. The last system of a group is True if every system
        up to it is significantly better than all below.
        """
        order = sorted(range(len(self.systems)), key=lambda k: -self.systems[k].score.value)
        alike = {pair.numbers for pair in self.pairs if not pair.comparison.is_significant}
        ranked, reach = [], 0
        for place, system in enumerate(order):
            near = [at for at, k in enumerate(order) if k == system or {system, k} in alike]
            better = place - sum(at < place for at in near)
            worst = better + len(near)
            reach = max(reach, near[-1])
            ranks = f"{better + 1}-{worst}" if len(near) > 1 else f"{worst}"
            ranked.append((system, ranks, reach == place and place + 1 < len(order)))
        return ranked

    def between(self, a: int, b: int) -> Comparison | None:
        """The comparison of B, here always the later system, with A."""
        numbers = frozenset((a, b))
        return next((pair.comparison for pair in self.pairs if pair.numbers == numbers), None)


def make_overview(
    segments: Segments, samples: int, seed: int | None, dialects: bool, progress: bool
) -> Overview:
    """Score all systems, compare each with each, and look for likely mistakes."""
    notes: list[str] = []
    settings: dict[str, Any] = {"samples": samples, "seed": seed, "metric": segments.metric}
    intervals, pairs = _resample(segments, settings, progress, notes)
    systems, findings, scorer = [], {}, segments.metric._scorer
    for number, name in enumerate(segments.names):
        score = scorer.score(scorer.sums(segments.counted[number]))
        corpus = Corpus(segments.hypotheses[number], segments.references, segments.metric)
        findings[name] = find(corpus, segments.labels.sources if segments.is_text else None)
        steps = _steps(segments, score)
        systems.append(System(name, score, intervals[number], steps))
    by_dialect, failures = _by_dialect(segments) if dialects else ([], [])
    buckets = make_buckets(segments, settings)
    verdicts = make_verdicts(segments, systems, pairs, buckets)
    mistakes = _mistakes(findings)
    return Overview(systems, pairs, buckets, mistakes, by_dialect, failures, notes, verdicts)


def _resample(
    segments: Segments, settings: dict[str, Any], progress: bool, notes: list[str]
) -> tuple[list[Interval | None], list[Pair]]:
    """The confidence interval of each system, and the comparisons of all pairs."""
    count = len(segments.names)
    stats = [counted.stats for counted in segments.counted]
    intervals: list[Interval | None] = [None] * count
    pairs: list[Pair] = []
    if not settings["samples"]:
        return intervals, pairs
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            if count == 1:
                intervals[0] = known(bootstrap(stats[0], **settings, progress=progress))
            else:
                compared = compare_pairs(stats, **settings, progress=progress)
                for (first, second), comparison in compared.items():
                    pairs.append(Pair(first, second, comparison))
                    intervals[first] = comparison.baseline_interval
                    intervals[second] = comparison.interval
    except (ValueError, OverflowError) as error:
        notes.append(f"No confidence intervals and no tests: {error}.")
        return [None] * count, []
    notes += dict.fromkeys(f"{warning.message}." for warning in caught)
    return intervals, pairs


def _mistakes(findings: dict[str, list[Finding]]) -> list[tuple[str, str, str, str]]:
    """The rows of `Overview.mistakes`: equal findings once, without those of little effect."""
    merged: dict[tuple[str, str], dict[str, float]] = {}
    for system, findings_of_system in findings.items():
        for finding in findings_of_system:
            if abs(finding.points) >= _LEAST_POINTS:
                merged.setdefault((finding.name, finding.message), {})[system] = finding.points
    rows = []
    for (name, message), points in merged.items():
        is_all = 1 < len(points) == len(findings)
        bounds = dict.fromkeys(f"{gain:+.2f}" for gain in sorted(points.values()))
        effect = " to ".join([*bounds][:: max(1, len(bounds) - 1)])
        systems = "all systems" if is_all else ", ".join(points)
        rows.append((max(map(abs, points.values())), (systems, name, effect, message)))
    return [row for _, row in sorted(rows, key=lambda row: -row[0])]


def _steps(segments: Segments, score: Score) -> list[tuple[str, float]] | None:
    """What costs the points: each precision to the power of its weight, then the brevity penalty.

    What smoothing, or rounding, changes comes last.
    """
    scorer = segments.metric._scorer
    if not scorer.dialect.supports(SUMS):
        return None
    scale, orders = scorer.dialect.scale, len(score.precisions)
    weights = scorer.weights or (1 / orders,) * orders
    factors = [p**weight for p, weight in zip(score.precisions, weights, strict=True)]
    names = [f"{order}-grams" for order in range(1, orders + 1)]
    steps = [(name, scale * prod(factors[: n + 1])) for n, name in enumerate(names)]
    steps.append(("length", scale * prod(factors) * score.bp))
    if abs(steps[-1][1] - score.value) > 1e-9 * scale:
        steps.append(("smoothing", score.value))
    return [(name, float(value)) for name, value in steps]


def _by_dialect(segments: Segments) -> tuple[list[tuple[str, list[str]]], list[str]]:
    """The score of each system by each dialect that can score them all, and why others cannot."""
    scored, failed = [], []
    for name in names():
        try:
            metric = dialect_metric(name, segments.is_text)
            scores = [
                Corpus(hypotheses, segments.references, metric).score()
                for hypotheses in segments.hypotheses
            ]
        except CANNOT_SCORE as error:
            failed.append(f"{name} has no score: {error}")
            continue
        scored.append((name, [shown_score(name, score) for score in scores]))
    return scored, failed
