"""The order of hypotheses: shifted, exchanged or shuffled ones fit the references of others."""

from __future__ import annotations

import re
from collections import Counter
from itertools import chain
from typing import NamedTuple

import numpy

from .corpus import Corpus

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

# Scripts without spaces between words.
_HAS_NO_SPACES = re.compile("[\u0e00-\u9fff]")
# Words in more references tell nothing about pairs.
_COMMON = 3
# Fewer segments may fit others by chance; so may these shares of them, in runs or not.
_LEAST_SEGMENTS, _SHIFTED_SHARE, _MOVED_SHARE = 5, 0.01, 0.04
# The points that a shift has to gain for each place where it begins; and how many are tried.
_SHIFT_POINTS, _MOST_OFFSETS = 100.0, 12
# The effect is known if at most this share of the pairs is not.
_UNKNOWN_SHARE = 0.05


class Reordered(NamedTuple):
    """What is wrong with the order of a corpus, and its pairs in the right one.

    `kept` are the hypotheses that are left, `segments` those that were moved. If it `is_partial`,
    not all pairs are known.
    """

    name: str
    message: str
    corpus: Corpus
    kept: Sequence[int]
    segments: Sequence[int]
    is_partial: bool = False


def reordered(corpus: Corpus, numbers: Sequence[int]) -> Reordered | None:
    """The corpus in the right order, if hypotheses fit the references of other segments.

    `numbers` are those of its segments, for the message.
    """
    if len(corpus) < _LEAST_SEGMENTS:
        return None
    best = _fitting_references(corpus.hypotheses, corpus.references)
    moved = [n for n, other in enumerate(best) if other not in (n, -1)]
    if len(moved) < max(2, _SHIFTED_SHARE * len(corpus)):
        return None
    if 2 * len({best[n] for n in moved}) < len(moved):  # many fit the same one
        return None
    fitting = [n if other < 0 else other for n, other in enumerate(best)]
    # Neighbors, each of which fits the other or is unknown; shifted ones have one direction.
    exchanged = [best[n] - n for n in moved if abs(best[n] - n) == 1 and best[best[n]] in (n, -1)]
    rarer = min(exchanged.count(1), exchanged.count(-1))
    is_exchange = 2 * len(exchanged) > len(moved) and 4 * rarer > len(exchanged)
    if not is_exchange:
        offsets = _offsets(corpus, best)
        fit = [offsets[n] == best[n] - n for n in moved if offsets[n]]
        if fit and 2 * sum(fit) > len(fit):
            return _shifted(corpus, numbers, offsets)
    if len(moved) < max(_LEAST_SEGMENTS, _MOVED_SHARE * len(corpus)):
        return None
    if is_exchange:
        # Both of a pair, also where one has no rare words.
        for n in moved:
            if abs(fitting[n] - n) == 1 and best[fitting[n]] in (n, -1):
                fitting[fitting[n]] = n
        name, what = "exchanged", "neighbors are exchanged"
    else:
        _match_rest(corpus, best, fitting)
        name, what = "shuffled", "the order of one side differs: it is shuffled or sorted"
    every = range(len(corpus))
    changed = [n for n in every if fitting[n] != n]
    message = f"{len(changed)} hypotheses fit the reference of another segment: {what}"
    is_partial = best.count(-1) > _UNKNOWN_SHARE * len(corpus)
    return Reordered(name, message, corpus.part(every, fitting), every, changed, is_partial)


def _fitting_references(hypotheses: Sequence[Any], references: Sequence[Any]) -> list[int]:
    """For each hypothesis the segment whose references share most rare words with it, or -1."""
    segments: dict[object, list[int]] = {}
    for number, texts in enumerate(references):
        for word in set(chain.from_iterable(map(_words, texts))):
            segments.setdefault(word, []).append(number)
    rare = {word: places for word, places in segments.items() if len(places) <= _COMMON}
    best = []
    for number, text in enumerate(hypotheses):
        votes: dict[int, int] = {}
        for word in dict.fromkeys(_words(text)):  # in order, so that the first of equals wins
            for segment in rare.get(word, ()):
                votes[segment] = votes.get(segment, 0) + 1
        own = votes.get(number, 0)
        other = max(votes, key=votes.__getitem__, default=-1)
        is_clear = (most := votes.get(other, 0)) >= 2 and most > 2 * own
        best.append(other if is_clear else number if own else -1)
    return best


def _words(text: Any) -> list[Any]:
    """The words of a text, or pairs of characters; or tokens."""
    if not isinstance(text, str):
        return [str(token) for token in text]
    if not text.isascii() and _HAS_NO_SPACES.search(text):
        return [text[n : n + 2] for n in range(len(text) - 1)]
    return text.lower().split()


def _offsets(corpus: Corpus, best: Sequence[int]) -> list[int]:
    """How far the fitting reference of each segment is away, where these are shifted in runs."""
    count = len(corpus)
    seen = Counter(other - n for n, other in enumerate(best) if other >= 0 and other != n)
    tried = [offset for offset, times in seen.most_common(_MOST_OFFSETS) if times > 1]
    gains = numpy.zeros((1 + len(tried), count))
    for gain, offset in zip(gains, [0, *tried], strict=True):
        first = max(0, -offset)
        similarities = corpus.similarities(offset)
        gain[first : first + len(similarities)] = similarities
    # The best path through the offsets, where each change costs points.
    total, steps = gains[:, 0] - _SHIFT_POINTS * (numpy.arange(len(gains)) > 0), []
    for column in gains.T[1:]:
        changed = int(total.argmax())
        stays = total > total[changed] - _SHIFT_POINTS
        steps.append(numpy.where(stays, numpy.arange(len(gains)), changed))
        total = numpy.maximum(total, total[changed] - _SHIFT_POINTS) + column
    path = [int(total.argmax())]
    for step in reversed(steps):
        path.append(int(step[path[-1]]))
    return [[0, *tried][choice] for choice in reversed(path)]


def _shifted(corpus: Corpus, numbers: Sequence[int], offsets: Sequence[int]) -> Reordered:
    count = len(offsets)
    kept = [n for n, offset in enumerate(offsets) if 0 <= n + offset < count]
    repaired = corpus.part(kept, [n + offsets[n] for n in kept])
    starts = [n for n in range(count) if offsets[n] != (offsets[n - 1] if n else 0)]
    runs = []
    for start, end in zip(starts, [*starts[1:], count], strict=True):
        offset, first, last = offsets[start], numbers[start], numbers[end - 1]
        if offset and end == count:
            start_of_run = f"{first} or before" if start <= 1 and numbers[0] > 0 else f"{first}"
            runs.append(f"from segment {start_of_run} on hypothesis i fits reference i{offset:+d}")
        elif offset:
            runs.append(f"hypotheses {first} to {last} fit reference i{offset:+d}")
    side = "a hypothesis" if offsets[starts[0]] > 0 else "a reference"
    message = f"{', '.join(runs[:4])}: {side} is missing there, or the other side has one too many"
    return Reordered("shifted", message, repaired, kept, starts[:1])


def _match_rest(corpus: Corpus, best: Sequence[int], fitting: list[int]) -> None:
    """Pair the hypotheses without rare words with the references that are left, by length."""
    left = sorted(
        {*range(len(corpus))} - {other for other in best if other >= 0},
        key=lambda n: len(corpus.references[n][0]),
    )
    unknown = [n for n, other in enumerate(best) if other < 0]
    unknown.sort(key=lambda n: len(corpus.hypotheses[n]))
    for number, other in zip(unknown, left, strict=False):
        fitting[number] = other
