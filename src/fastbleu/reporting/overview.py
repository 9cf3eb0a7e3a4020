"""The numbers of whole systems: scores, intervals, comparisons, other dialects."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from itertools import combinations, pairwise
from math import prod
from typing import TYPE_CHECKING, Any

from ..diagnosis.explanation import CANNOT_SCORE, dialect_metric, shown_score
from ..dialects.base import SUMS
from ..dialects.names import get, names
from ..dialects.score import Score
from ..significance import Comparison, Interval, bootstrap
from ..significance.procedures import compare_pairs
from ..significance.results import known
from .buckets import Buckets, make_buckets
from .mistakes import SERIOUS_POINTS, Mistake, find_mistakes
from .verdict import listed

if TYPE_CHECKING:
    from .report_input import Segments

# With more hypotheses, scores by every dialect are computed only on request: some are slow.
_MOST_FOR_DIALECTS = 20_000


@dataclass
class System:
    """A system as a whole; `points` are its score on 0-100.

    `steps` lead from 100 % down to the score: (name, value afterwards), on the dialect's scale.
    None for dialects whose score is not a product.
    """

    name: str
    score: Score
    points: float
    interval: Interval | None
    steps: list[tuple[str, float]] | None

    @property
    def length_ratio(self) -> float:
        """Tokens of the hypotheses for each token of the closest references."""
        return self.score.hyp_len / self.score.ref_len if self.score.ref_len else float("nan")


@dataclass
class DialectScores:
    """The scores of all systems by a dialect.

    `lead` says which system is best, and by how many points on 0-100; `is_reordered` whether the
    systems are in another order than in the report.
    """

    name: str
    printed: list[str]
    lead: str
    is_reordered: bool


@dataclass
class Overview:
    """All systems.

    Attributes
    ----------
    systems : list of K System
    comparisons : dict of Comparison
        By the numbers of two systems, the lower one first, which is the baseline.
    buckets : list of Buckets
    mistakes : list of Mistake
    dialects : list of DialectScores
    failures : list of str
        Why other dialects have no scores.
    notes : list of str
        Why there are no intervals, or no dialects.
    """

    systems: list[System]
    comparisons: dict[tuple[int, int], Comparison]
    buckets: list[Buckets]
    mistakes: list[Mistake]
    dialects: list[DialectScores]
    failures: list[str]
    notes: list[str]

    @property
    def order(self) -> list[int]:
        """The systems' numbers, from the best to the worst."""
        return sorted(range(len(self.systems)), key=lambda k: -self.systems[k].score.value)

    @property
    def pair(self) -> tuple[int, int]:
        """The systems that are shown first, A and B: of three or more the second and the best."""
        if len(self.systems) < 3:
            return 0, len(self.systems) - 1
        best, second, *_ = self.order
        return second, best

    def having(self, mistake: Mistake) -> str:
        """The names of the systems that have a mistake."""
        if 1 < len(mistake.systems) == len(self.systems):
            return "all systems"
        return listed([self.systems[system].name for system in mistake.systems])

    @property
    def warnings(self) -> list[tuple[Mistake, str, str]]:
        """The serious mistakes of all systems, whose they are, and how the scores would change."""
        shown = []
        for mistake in self.mistakes:
            if mistake.is_serious_in_all:
                having = self.having(mistake)
                gains = mistake.effect.replace("+", "")
                text = f"Without it the score would be {gains} points higher"
                if len(self.systems) > 1:
                    having, points = "All systems", self._points_without(mistake)
                    best, second, *_ = sorted(self.order, key=lambda k: -points[k])
                    still = "still " if best == self.order[0] else ""
                    lead = f"{points[best] - points[second]:.2f}"
                    text += f", and {self.systems[best].name} would {still}lead by {lead}"
                shown.append((mistake, having, f"{text}."))
        return shown

    def _points_without(self, mistake: Mistake) -> list[float]:
        """The points of the systems, on 0-100, without a mistake."""
        gains = zip(self.systems, mistake.points, strict=True)
        return [system.points + gain for system, gain in gains]

    @property
    def is_order_held(self) -> bool:
        """Whether a serious mistake of all systems reverses two of them, so that ranks mislead."""
        for mistake, *_ in self.warnings:
            points = self._points_without(mistake)
            for better, worse in combinations(self.order, 2):
                if points[worse] - points[better] >= SERIOUS_POINTS:
                    return True
        return False

    @property
    def dialects_summary(self) -> str:
        """Whether all dialects have the systems in the same order."""
        text = f"The same output by every BLEU ({len(self.dialects)} dialects)"
        if len(self.systems) == 1:
            return text
        reordered = [scores.name for scores in self.dialects if scores.is_reordered]
        others = "all have the same order of the systems"
        return f"{text}: {f'another order by {listed(reordered)}' if reordered else others}"

    @property
    def ranking(self) -> list[tuple[int, str, bool]]:
        """The systems' numbers from the best to the worst, with their ranks, and where groups end.

        Ranks are from 1 + the number of systems that are significantly better to the number of
        those that are not significantly worse. The last system of a group is True if every system
        up to it is significantly better than all below.
        """
        order, ranked, reach = self.order, [], 0
        for place, system in enumerate(order):
            near = [at for at, k in enumerate(order) if not self.differ(system, k)]
            better = place - sum(at < place for at in near)
            worst = better + len(near)
            reach = max(reach, near[-1])
            ranks = f"{better + 1}-{worst}" if len(near) > 1 else f"{worst}"
            ranked.append((system, ranks, reach == place and place + 1 < len(order)))
        return ranked

    def between(self, a: int, b: int) -> Comparison | None:
        """The comparison of two systems: of the later one with the other."""
        return self.comparisons.get((min(a, b), max(a, b)))

    def differ(self, a: int, b: int) -> bool:
        """Whether two systems differ significantly."""
        comparison = self.between(a, b)
        return comparison is not None and comparison.is_significant


def make_overview(
    segments: Segments, samples: int, seed: int | None, dialects: bool | None, progress: bool
) -> Overview:
    """Score all systems, compare each with each, and look for likely mistakes."""
    notes: list[str] = []
    settings: dict[str, Any] = {"samples": samples, "seed": seed, "metric": segments.metric}
    intervals, comparisons = _resample(segments, settings, progress, notes)
    systems, scorer = [], segments.metric._scorer
    for number, name in enumerate(segments.shown_names):
        score = scorer.score(scorer.sums(segments.counted[number]))
        points = score.value * 100 / scorer.dialect.scale
        systems.append(System(name, score, points, intervals[number], _steps(segments, score)))
    count = len(segments) * len(systems)
    if dialects is None and count > _MOST_FOR_DIALECTS:
        limit = f"there are more than {_MOST_FOR_DIALECTS:,} hypotheses"
        notes.append(f"Scores by other dialects are left out, because {limit}: dialects=True.")
        dialects = False
    by_dialect, failures = ([], []) if dialects is False else _by_dialect(segments)
    buckets, mistakes = make_buckets(segments, settings), find_mistakes(segments)
    return Overview(systems, comparisons, buckets, mistakes, by_dialect, failures, notes)


def _resample(
    segments: Segments, settings: dict[str, Any], progress: bool, notes: list[str]
) -> tuple[list[Interval | None], dict[tuple[int, int], Comparison]]:
    """The confidence interval of each system, and the comparisons of all pairs."""
    count = len(segments.names)
    stats = [counted.stats for counted in segments.counted]
    intervals: list[Interval | None] = [None] * count
    pairs: dict[tuple[int, int], Comparison] = {}
    if not settings["samples"]:
        return intervals, pairs
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            if count == 1:
                intervals[0] = known(bootstrap(stats[0], **settings, progress=progress))
            else:
                pairs = compare_pairs(stats, **settings, progress=progress)
                for (first, second), comparison in pairs.items():
                    intervals[first] = comparison.baseline_interval
                    intervals[second] = comparison.interval
    except (ValueError, OverflowError) as error:
        notes.append(f"No confidence intervals and no tests: {error}.")
        return [None] * count, {}
    notes += dict.fromkeys(f"{warning.message}." for warning in caught)
    return intervals, pairs


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


def _by_dialect(segments: Segments) -> tuple[list[DialectScores], list[str]]:
    """The scores of all systems by each dialect that can score them, and why others cannot."""
    scored, failed, own = [], [], segments.metric._scorer
    values = [own.value(own.sums(counted)) for counted in segments.counted]
    order = sorted(range(len(values)), key=lambda system: -values[system])
    for name in names():
        try:
            metric = dialect_metric(name, segments.is_text)
            metric._scorer.dialect._check_references(segments.counted[0].nrefs)
            scores = [corpus.scored_by(metric).score() for corpus in segments.corpora]
        except CANNOT_SCORE as error:
            failed.append(f"{name} has no score: {error}")
            continue
        points = [score.value * 100 / get(name).scale for score in scores]
        lead = ""
        if len(points) > 1:
            best, second, *_ = sorted(order, key=lambda system: -points[system])
            lead = f"{segments.shown_names[best]} +{points[best] - points[second]:.2f}"
        is_reordered = any(points[k] < points[after] for k, after in pairwise(order))
        printed = [shown_score(name, score) for score in scores]
        scored.append(DialectScores(name, printed, lead, is_reordered))
    return scored, failed
