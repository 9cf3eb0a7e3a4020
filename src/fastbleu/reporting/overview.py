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
from ..dialects.score import Score
from ..inputs.warnings import InputWarning
from ..significance import Comparison, Interval, bootstrap, paired_bootstrap
from ..significance.texts import scoring_options

if TYPE_CHECKING:
    from .segments import Segments


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
    findings: list[Finding]

    @property
    def length_ratio(self) -> float:
        """Tokens of the hypotheses for each token of the closest references."""
        return self.score.hyp_len / self.score.ref_len if self.score.ref_len else float("nan")


@dataclass
class Pair:
    """Two systems, by index: how much higher `other` scores than `one`, and how certain this is."""

    one: int
    other: int
    comparison: Comparison


@dataclass
class Overview:
    """All systems; `notes` say why there are no intervals.

    `dialects` has a row for each dialect: its name and the printed score of each system; `failures`
    says why other dialects have none.
    """

    systems: list[System]
    pairs: list[Pair]
    dialects: list[tuple[str, list[str]]]
    failures: list[str]
    notes: list[str]


def make_overview(
    segments: Segments, samples: int, seed: int | str | None, dialects: bool
) -> Overview:
    """Score all systems, compare each with each, and look for likely mistakes."""
    notes: list[str] = []
    intervals, pairs = _resample(segments, samples, seed, notes)
    systems = []
    for number, name in enumerate(segments.names):
        score = system_score(segments, number)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", InputWarning)
            corpus = Corpus(segments.hypotheses[number], segments.references, segments.metric)
            found = find(corpus, segments.labels.sources if segments.is_text else None)
        steps = _steps(segments, score)
        systems.append(System(name, score, intervals[number], steps, found))
    by_dialect, failures = _by_dialect(segments) if dialects else ([], [])
    return Overview(systems, pairs, by_dialect, failures, notes)


def system_score(segments: Segments, number: int) -> Score:
    """The metric's score of a system, from its rows."""
    counted, parameters = segments.counted[number], segments.parameters
    rules = parameters.rules
    counts = counted.stats if rules.mean_of_sentences else rules.adapt(counted.stats).sum()
    return parameters.score(counts, counted.nrefs, counted.tokenized_periods, counted.tokens)


def _resample(
    segments: Segments, samples: int, seed: int | str | None, notes: list[str]
) -> tuple[list[Interval | None], list[Pair]]:
    """The confidence interval of each system, and the comparisons of all pairs."""
    count = len(segments.names)
    stats = [counted.stats for counted in segments.counted]
    how: dict[str, Any] = {
        "samples": samples,
        "seed": seed,
        "dialect": segments.parameters.rules,
        **scoring_options(segments.metric),
    }
    intervals: list[Interval | None] = [None] * count
    pairs: list[Pair] = []
    if not samples:
        return intervals, pairs
    try:
        if count == 1:
            return [bootstrap(stats[0], **how)], pairs
        for one in range(count - 1):
            found = paired_bootstrap(stats[one], stats[one + 1 :], **how)
            for other, comparison in enumerate(found, one + 1):
                pairs.append(Pair(one, other, comparison))
                intervals[one] = comparison.baseline_interval
                intervals[other] = comparison.interval
    except (ValueError, ZeroDivisionError, OverflowError) as error:
        notes.append(f"No confidence intervals and no tests: {error}.")
        return [None] * count, []
    return intervals, pairs


def _steps(segments: Segments, score: Score) -> list[tuple[str, float]] | None:
    """What costs the points: each precision to the power of its weight, then the brevity penalty.

    What smoothing, or rounding, changes comes last.
    """
    rules, options = segments.parameters.rules, segments.parameters.options
    if rules.mean_of_sentences:
        return None
    orders = len(score.precisions)
    weights = options.weights or (1 / orders,) * orders
    factors = [its**weight for its, weight in zip(score.precisions, weights, strict=True)]
    names = [f"{order}-grams" for order in range(1, orders + 1)]
    steps = [(name, rules.scale * prod(factors[: n + 1])) for n, name in enumerate(names)]
    steps.append(("length", rules.scale * prod(factors) * score.bp))
    if abs(steps[-1][1] - score.value) > 1e-9 * rules.scale:
        steps.append(("smoothing", score.value))
    return [(name, float(value)) for name, value in steps]


def _by_dialect(segments: Segments) -> tuple[list[tuple[str, list[str]]], list[str]]:
    """The score of each system by each dialect that can score them all, and why others cannot."""
    found, failed = [], []
    for name in names():
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", InputWarning)
                metric = dialect_metric(name, segments.is_text)
                scores = [_score_by(metric, segments, its) for its in segments.hypotheses]
        except CANNOT_SCORE as error:
            failed.append(f"{name} has no score: {error}")
            continue
        found.append((name, [shown_score(name, score) for score in scores]))
    return found, failed


def _score_by(metric: Any, segments: Segments, hypotheses: list[Any]) -> Score:
    return Corpus(hypotheses, segments.references, metric).score()
