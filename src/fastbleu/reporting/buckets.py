"""Segments in buckets: by reference length, document, group or position, each bucket scored."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy

from ..counting.stats import Stats
from ..inputs.errors import without_input_warnings
from ..significance import bootstrap
from ..significance.results import known

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from ..counting._counted import Counted
    from ..dialects.scorer import Scorer
    from .report_input import Segments

# Bounds of the reference lengths, in tokens; and the number of buckets by position.
_LENGTHS = (0, 6, 11, 16, 21, 31, 41, 61, 101)
_PARTS = 10
# More buckets, times systems, have no intervals: each takes milliseconds.
_MOST_INTERVALS = 400


def digits_on(scale: float) -> int:
    """How many decimals a score is shown with."""
    return 2 if scale == 100 else 4


@dataclass
class Buckets:
    """A way of sorting the segments into buckets.

    Attributes
    ----------
    name : str
        "reference length", "position", "document" or "group".
    labels : list of str
    codes : ndarray of int64, shape (S,)
        The bucket of each segment.
    sizes : list of int
        The number of segments in each bucket.
    scores : list of K lists of float or None
        The score of each system in each bucket; None if there is none.
    intervals : list of K lists of (float, float) or None
        Their 95 % bootstrap intervals; None without samples, and if there are too many buckets.
    """

    name: str
    labels: list[str]
    codes: NDArray[numpy.int64]
    sizes: list[int]
    scores: list[list[float | None]]
    intervals: list[list[tuple[float, float] | None]]


def make_buckets(segments: Segments, settings: dict[str, Any]) -> list[Buckets]:
    """All buckets that the segments can be sorted into; `settings` are those of `bootstrap`."""
    count = len(segments)
    ref_lens = segments.counted[0].stats.ref_lens
    lengths = numpy.searchsorted(_LENGTHS, ref_lens, side="right") - 1
    names = [f"{low}-{high - 1}" for low, high in pairwise(_LENGTHS)]
    made = [("reference length", [*names, f"{_LENGTHS[-1]} or more"], lengths)]
    if count >= 2 * _PARTS and segments.labels.documents is None:
        edges = [count * part // _PARTS for part in range(_PARTS + 1)]
        labels = [f"{low}-{high - 1}" for low, high in pairwise(edges)]
        parts = numpy.searchsorted(edges, numpy.arange(count), side="right") - 1
        made.append(("position", labels, parts))
    for name, values in (
        ("document", segments.labels.documents),
        ("group", segments.labels.groups),
    ):
        if values is not None:
            made.append((name, *_numbered(values)))
    return [_scored(segments, settings, *bucket) for bucket in made]


def _numbered(values: Sequence[str]) -> tuple[list[str], NDArray[Any]]:
    """The distinct values in order of appearance, and the index of each value among them."""
    numbers: dict[str, int] = {}
    codes = [numbers.setdefault(value, len(numbers)) for value in values]
    return list(numbers), numpy.array(codes, numpy.int64)


def _scored(
    segments: Segments,
    settings: dict[str, Any],
    name: str,
    labels: list[str],
    codes: NDArray[Any],
) -> Buckets:
    """The buckets that have segments, with their scores."""
    order = numpy.argsort(codes, kind="stable")
    used, starts = numpy.unique(codes[order], return_index=True)
    bounds = [*starts.tolist(), len(codes)]
    numbers = numpy.empty(len(labels), numpy.int64)
    numbers[used] = numpy.arange(len(used))
    scores, intervals = [], []
    if len(used) * len(segments.counted) > _MOST_INTERVALS:
        settings = {**settings, "samples": 0}
    scorer = segments.metric._scorer
    for counted in segments.counted:
        rows = numpy.asarray(counted.stats)[order]
        parts = [rows[low:high] for low, high in pairwise(bounds)]
        scores.append([score_rows(scorer, counted, part) for part in parts])
        intervals.append([_interval(scorer, counted, part, settings) for part in parts])
    named = name, [labels[code] for code in used], numbers[codes]
    return Buckets(*named, numpy.diff(bounds).tolist(), scores, intervals)


@without_input_warnings
def _interval(
    scorer: Scorer, counted: Counted, rows: NDArray[Any], settings: dict[str, Any]
) -> tuple[float, float] | None:
    if counted.extra is not None or not settings["samples"] or len(rows) < 2:
        return None
    try:
        interval = known(bootstrap(Stats(rows, scorer.max_ngram_order), **settings))
    except (ValueError, OverflowError):
        return None
    return None if interval is None else (interval.low, interval.high)


def score_rows(scorer: Scorer, counted: Counted, rows: NDArray[Any]) -> float | None:
    """The score of some rows; None if the dialect cannot score them."""
    if counted.extra is not None:  # for a dialect that counts tokens itself
        return None
    try:
        return scorer.value(scorer.sums_of(Stats(rows, scorer.max_ngram_order)))
    except ValueError:
        return None
