"""Scores of systems and of buckets of segments, comparisons, and likely mistakes."""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass
from itertools import combinations, pairwise
from math import isnan, prod
from typing import TYPE_CHECKING, Any

import numpy

from ..core.counting.stats import Stats
from ..core.inputs.errors import without_input_warnings
from ..core.metric.argument import scorer_of
from ..core.scoring.base import SUMS
from ..core.scoring.names import get, names
from ..core.scoring.score import NoScoreError, Score, shown_score
from ..diagnosis.corpus import dialect_metric
from ..diagnosis.explanation import CANNOT_SCORE
from ..diagnosis.findings import find
from ..significance import Comparison, Interval, bootstrap
from ..significance.procedures import compare_pairs, difference_intervals
from ..significance.results import known

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from ..diagnosis.search import Finding
    from .report_input import Segments

# With more hypotheses, scores by every dialect are computed only on request: some are slow.
_MOST_FOR_DIALECTS = 20_000

_MOST_NAMES = 4  # of systems that are listed
# In points on 0-100: mistakes that cost less are not shown; mistakes that cost both A and B at
# least this much are shown at the top.
_LEAST_POINTS, _SERIOUS_POINTS = 0.1, 0.5
_NUMBER = re.compile(r"\d[\d.,]*\d|\d")
# Where buckets by reference length begin, in tokens.
_LENGTHS = (0, 6, 11, 16, 21, 31, 41, 61, 101)
# With more buckets, times systems, there are no intervals: each takes milliseconds.
_MOST_INTERVALS = 1000


@dataclass
class System:
    """A system as a whole; `points` are its score on 0-100.

    `before_length` is the mean of the precisions, on the dialect's scale; None for dialects whose
    score is not a product.
    """

    name: str
    score: Score
    points: float
    interval: Interval | None
    before_length: float | None

    @property
    def length_ratio(self) -> float:
        """The hypotheses' tokens per token of the references whose lengths count."""
        return self.score.hyp_len / self.score.ref_len if self.score.ref_len else float("nan")


@dataclass
class DialectScores:
    """The scores of all systems by a dialect."""

    name: str
    printed: list[str]
    lead: str  # which system is best, and by how many points on 0-100
    is_reordered: bool  # whether the order of the systems differs from the report's


@dataclass
class Buckets:
    """A way of sorting the segments into buckets."""

    name: str  # "reference length", "document" or "group"
    labels: list[str]
    codes: NDArray[numpy.int64]  # the bucket of each segment
    sizes: list[int]  # the number of segments in each bucket
    scores: list[list[float | None]]  # of each system in each bucket; None if there is none
    # For two systems, by their numbers, the 95 % bootstrap interval of their difference in each
    # bucket; for a single one, by (0, 0), that of its score. None if unknown; empty without
    # samples, and if there are too many buckets.
    intervals: dict[tuple[int, int], list[tuple[float, float] | None]]


@dataclass
class Mistake:
    """A likely mistake."""

    name: str  # as of a finding of `fastbleu.explain`
    message: str  # what was found, and where; a range for each number that differs between systems
    systems: list[int]  # those in which it was found and costs at least 0.1 points
    # By how many points, on 0-100, the score of every system would rise without it; NaN for those
    # of which that is unknown.
    points: list[float]
    weight: float = 0.0  # the least effect on a system that is known, also if the points are not

    @property
    def sentence(self) -> str:
        """The message, with a full stop if it is no question."""
        return self.message + "." * (not self.message.endswith("?"))

    @property
    def effect(self) -> str:
        """The gain of the systems that have it: "+0.51 to +0.83"."""
        gains = sorted(self.points[system] for system in self.systems)
        if any(map(isnan, gains)):
            return "unknown"
        return " to ".join(dict.fromkeys(f"{gain:+.2f}" for gain in (gains[0], gains[-1])))


@dataclass
class Overview:
    """What the report says about whole systems."""

    segments: Segments
    systems: list[System]
    # By the numbers of two systems; the lower one is first and is the baseline.
    comparisons: dict[tuple[int, int], Comparison]
    buckets: list[Buckets]
    mistakes: list[Mistake]
    dialects: list[DialectScores]
    failures: list[str]  # why other dialects have no scores
    notes: list[str]  # why there are no intervals, or no dialects

    @property
    def order(self) -> list[int]:
        """The systems' numbers, from the best to the worst."""
        return sorted(range(len(self.systems)), key=lambda k: -self.systems[k].score.value)

    @property
    def pair(self) -> tuple[int, int]:
        """The systems that are shown first, A and B; of three or more, the second best and best."""
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
        """Serious mistakes of A and B: with the systems that have them, and the effects."""
        shown = []
        for mistake in self.mistakes:
            serious = {k for k in mistake.systems if mistake.points[k] >= _SERIOUS_POINTS}
            if serious >= {*self.pair}:
                having = self.having(mistake)
                having = "All systems" if having == "all systems" else having
                gains = mistake.effect.replace("+", "")
                text = f"Without it the score would be {gains} points higher"
                # Larger mistakes of some systems decide about the lead.
                others = [it for it in self.mistakes if it is not mistake]
                is_alone = not any(
                    gain >= _SERIOUS_POINTS or (isnan(gain) and system in self.pair)
                    for it in others
                    for system, gain in enumerate(it.points)
                )
                if len(self.systems) > 1 and is_alone:
                    points = self._points_without(mistake)
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
        """Whether a mistake among the `warnings` reverses two systems, so that ranks mislead."""
        for mistake, *_ in self.warnings:
            points = self._points_without(mistake)
            for better, worse in combinations(self.order, 2):
                if points[worse] - points[better] >= _SERIOUS_POINTS:
                    return True
        return False

    @property
    def dialects_summary(self) -> str:
        """Whether all dialects rank the systems in the same order, as text."""
        text = f"The same output by every BLEU ({len(self.dialects)} dialects)"
        if len(self.systems) == 1:
            return text
        reordered = [scores.name for scores in self.dialects if scores.is_reordered]
        others = "all have the same order of the systems"
        return f"{text}: {f'another order by {listed(reordered)}' if reordered else others}"

    @property
    def ranking(self) -> list[tuple[int, str, bool]]:
        """The systems from best to worst: their numbers, their ranks, and whether a group ends.

        Ranks are from 1 + the number of systems that are significantly better to the number of
        those that are not significantly worse. A group ends with a system if every system up to it
        is significantly better than all below.
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

    @property
    def named_comparisons(self) -> dict[str, Comparison]:
        """The comparisons by "B - A"."""
        pairs = self.comparisons.items()
        names = [system.name for system in self.systems]
        return {f"{names[b]} - {names[a]}": comparison for (a, b), comparison in pairs}

    def shares(self, a: int, b: int) -> NDArray[numpy.float64] | None:
        """The share of B's lead over A that each segment makes; for a == b, of its score.

        Shape (S,). It is the part of the lead that would be lost without the segment. None if there
        is no lead, or if it does not follow from sums.
        """
        parts, lead = self.segments.parts, self.systems[b].score.value
        if a != b:
            lead -= self.systems[a].score.value
        if parts is None or not lead:
            return None
        return (parts[b] - parts[a] if a != b else parts[b]) / lead

    def between(self, a: int, b: int) -> Comparison | None:
        """The comparison of two systems; the one with the lower number is the baseline."""
        return self.comparisons.get((min(a, b), max(a, b)))

    def differ(self, a: int, b: int) -> bool:
        """Whether two systems differ significantly."""
        comparison = self.between(a, b)
        return comparison is not None and comparison.is_significant


def make_overview(
    segments: Segments, samples: int, seed: int | None, dialects: bool | None, progress: bool
) -> Overview:
    """Score all systems, compare all pairs, and look for likely mistakes."""
    notes: list[str] = []
    settings: dict[str, Any] = {"samples": samples, "seed": seed, "metric": segments.metric}
    intervals, comparisons = _resample(segments, settings, progress, notes)
    systems, scorer = [], segments.scorer
    for number, name in enumerate(segments.shown_names):
        score = scorer.score(scorer.sums(segments.counted[number]))
        if isnan(score.value):
            raise NoScoreError(f"systems[{name!r}] has no score: it is NaN; leave the system out")
        points = score.value * 100 / scorer.scale
        systems.append(
            System(name, score, points, intervals[number], _before_length(segments, score))
        )
    count = len(segments) * len(systems)
    if dialects is None and count > _MOST_FOR_DIALECTS:
        limit = f"there are more than {_MOST_FOR_DIALECTS:,} hypotheses"
        notes.append(f"Scores by other dialects are left out, because {limit}; use dialects=True.")
        dialects = False
    by_dialect, failures = ([], []) if dialects is False else _by_dialect(segments)
    buckets, mistakes = make_buckets(segments, settings), find_mistakes(segments)
    return Overview(segments, systems, comparisons, buckets, mistakes, by_dialect, failures, notes)


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


def _before_length(segments: Segments, score: Score) -> float | None:
    scorer, orders = segments.scorer, len(score.precisions)
    if not scorer.supports(SUMS):
        return None
    weights = scorer.weights or (1 / orders,) * orders
    factors = [p**weight for p, weight in zip(score.precisions, weights, strict=True)]
    return float(scorer.scale * prod(factors))


def _by_dialect(segments: Segments) -> tuple[list[DialectScores], list[str]]:
    """The scores of all systems by each dialect that can score them, and why others cannot."""
    scored, failed, own = [], [], segments.scorer
    values = [own.value(own.sums(counted)) for counted in segments.counted]
    order = sorted(range(len(values)), key=lambda system: -values[system])
    for name in names():
        try:
            metric = dialect_metric(name, segments.counter.is_text)
            scorer_of(metric).check_references(segments.counted[0].nrefs)
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
        printed = [shown_score(score) for score in scores]
        scored.append(DialectScores(name, printed, lead, is_reordered))
    return scored, failed


def make_buckets(segments: Segments, settings: dict[str, Any]) -> list[Buckets]:
    """All ways to sort the segments into buckets; `settings` are arguments of `bootstrap`."""
    ref_lens = segments.counted[0].stats.ref_lens
    lengths = numpy.searchsorted(_LENGTHS, ref_lens, side="right") - 1
    names = [f"{low}-{high - 1}" for low, high in pairwise(_LENGTHS)]
    made = [("reference length", [*names, f"{_LENGTHS[-1]} or more"], lengths)]
    for name, values in (("document", segments.documents), ("group", segments.groups)):
        if values is not None:
            numbers = {label: number for number, label in enumerate(dict.fromkeys(values))}
            codes = numpy.array([numbers[value] for value in values])
            made.append((name, [*numbers], codes))
    return [_scored(segments, settings, *bucket) for bucket in made]


def _scored(
    segments: Segments,
    settings: dict[str, Any],
    name: str,
    labels: list[str],
    codes: NDArray[Any],
) -> Buckets:
    """The buckets that are not empty, with their scores."""
    used, codes = numpy.unique(codes, return_inverse=True)
    order = numpy.argsort(codes, kind="stable")
    bounds = [0, *numpy.bincount(codes).cumsum().tolist()]
    scores, intervals = [], []
    has_intervals = settings["samples"] and len(used) * len(segments.counted) <= _MOST_INTERVALS
    tables = [numpy.asarray(counted.stats)[order] for counted in segments.counted]
    for low, high in pairwise(bounds):
        parts = [rows[low:high] for rows in tables]
        scores.append([*map(segments.score_rows, segments.counted, parts)])
        intervals.append(_intervals(segments, parts, settings) if has_intervals else {})
    of_pairs = {pair: [found.get(pair) for found in intervals] for pair in set().union(*intervals)}
    named = name, [labels[code] for code in used], codes, numpy.diff(bounds).tolist()
    return Buckets(*named, [*map(list, zip(*scores, strict=True))], of_pairs)


@without_input_warnings
def _intervals(
    segments: Segments, tables: list[NDArray[Any]], settings: dict[str, Any]
) -> dict[tuple[int, int], tuple[float, float]]:
    """The intervals that are known of rows of all systems."""
    rows = [Stats(table, segments.scorer.max_ngram_order) for table in tables]
    try:
        intervals = difference_intervals(rows, **settings)
    except (ValueError, OverflowError):
        return {}
    return {pair: (found.low, found.high) for pair, found in intervals.items() if found}


def find_mistakes(segments: Segments) -> list[Mistake]:
    """The likely mistakes of all systems, those with the largest effect first."""
    corpora = segments.corpora
    sources = segments.sources if segments.counter.is_text else None
    alike: dict[tuple[str, str], dict[int, Finding]] = {}
    for system, corpus in enumerate(corpora):
        for finding in find(corpus, sources):
            key = finding.name, _NUMBER.sub("#", finding.message)  # equal except for the numbers
            alike.setdefault(key, {})[system] = finding
    mistakes = []
    for (name, _), findings in alike.items():
        gains = {system: finding._exact_points for system, finding in findings.items()}
        costly = [system for system, gain in gains.items() if not gain < _LEAST_POINTS]
        if not costly:
            continue
        if rewrite := [*findings.values()][-1]._rewrite:
            # Rewriting the references can change the score of any system.
            references = enumerate(corpora[0].references)
            changed = [n for n, texts in references if [*map(rewrite, texts)] != texts]
            for system in set(range(len(corpora))) - {*gains} if changed else ():
                corpus = corpora[system]
                gains[system] = corpus.rewritten(rewrite, changed).points() - corpus.points()
        of_all = [gains.get(system, 0.0) for system in range(len(corpora))]
        message = _merged([findings[system].message for system in costly])
        weight = max(finding._weight for finding in findings.values())
        mistakes.append(Mistake(name, message, costly, of_all, weight))
    return sorted(mistakes, key=lambda it: -it.weight)


def _merged(messages: Sequence[str]) -> str:
    """One message, with ranges, for messages that differ only in numbers."""
    columns = zip(*map(_NUMBER.findall, messages), strict=True)
    ranges = [sorted({*column}, key=_value) for column in columns]
    shown = iter([" to ".join(dict.fromkeys((numbers[0], numbers[-1]))) for numbers in ranges])
    return _NUMBER.sub(lambda _: next(shown), messages[0])


def _value(number: str) -> float:
    """The value of a number in a message; those in texts may have several separators."""
    whole, _, decimals = number.replace(",", "").partition(".")
    return float(f"{whole}.{decimals.replace('.', '')}")


def listed(names: list[str]) -> str:
    """The first names, and how many more there are: "a, b and c", "a, b, c, d and 7 more"."""
    shown = names[:_MOST_NAMES] if len(names) > _MOST_NAMES + 1 else names
    if len(shown) < len(names):
        shown = [*shown, f"{len(names) - len(shown)} more"]
    return " and ".join(filter(None, (", ".join(shown[:-1]), shown[-1])))
