"""Draw samples of segments, and add up their rows exactly in bounded memory.

All systems get the same samples. If memory allows, their rows are side by side in one table, so
that a drawn segment is read once for all of them. Samples are processed in blocks to bound memory.
The draws are those of sacreBLEU 2.6.0 with the same numpy.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.counting.stats import Stats
from ..core.inputs.arguments import check_integer
from ..core.runtime.threads import share_out
from . import _resample

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Integers = NDArray[np.int64]
    Words = NDArray[np.uint32]

# Maximum bytes of the table of all systems side by side.
LARGEST_TABLE = 1 << 27
COPIED_ROWS = 1 << 17
# How many indices are drawn at once, but at least those of one sample.
INDICES = 1 << 17
# With at least this many segments, the rows do not fit into a cache, so the draws of each segment
# are counted first: this many samples together, with this many words between two checks for Ctrl-C.
# A sample is assumed to begin within this many standard deviations of the expected word.
COUNTED_SEGMENTS = 1 << 17
COUNTED_SAMPLES = 24
WORDS = 1 << 20
DEVIATIONS = 10
# How many coins are tossed at once, and the limits of trials in a block: small blocks are slow,
# because sums of rows that all trials share are computed for every block.
COINS = 1 << 27
FEWEST_TRIALS, MOST_TRIALS = 128, 512
_NO_SEED = ", or None for a new one each time"


def check_seed(seed: object) -> int | None:
    """The seed of numpy's generator, an integer from 0; None for a new one each time."""
    return None if seed is None else check_integer("seed", seed, 0, _NO_SEED)


class Columns:
    """The rows of M systems, equally many, from which sums of samples are made.

    They are int64 or uint16; those of a single uint16 system are not copied. With `repeated`, a
    sample may have a segment several times. OverflowError if sums may exceed int64.
    """

    def __init__(self, systems: Sequence[Stats | NDArray[Any]], repeated: bool) -> None:
        self.rows: list[NDArray[Any]] = [np.asarray(system) for system in systems]
        self.segments, self.width = self.rows[0].shape
        largest = max(int(table.max()) for table in self.rows)
        if repeated:
            bound = self.segments * largest
        else:
            # Shuffled corpora contain rows of two systems.
            bound = 2 * max(int(table.sum(0).max()) for table in self.rows)
        if bound >= 1 << 63:
            raise OverflowError(
                f"the sums of a sample may reach {bound}, which does not fit into int64: there are "
                f"{self.segments} rows with numbers up to {largest}"
            )
        self._sum_type: type[Any] = np.int64
        self._tables: list[NDArray[Any]] = self.rows
        is_uint16 = self.rows[0].dtype == np.uint16
        if is_uint16 and len(self.rows) == 1 and largest < _resample.NARROW:
            self._sum_type = np.int32
            return
        # Widths are multiples of 8, because the loops use vectors of 8 numbers.
        used = self.width * len(self.rows)
        shape = self.segments, -(-used // 8) * 8
        least = min(int(table.min()) for table in self.rows)  # the dialect e2e has negative totals
        fits = least >= 0 and largest < _resample.NARROW and bound < 1 << 31
        if fits and 2 * shape[0] * shape[1] <= LARGEST_TABLE:
            table = np.zeros(shape, np.uint16)
            # In parts, so that Ctrl-C is handled in between.
            for first in range(0, self.segments, COPIED_ROWS):
                part = slice(first, first + COPIED_ROWS)
                rows = [table_of_system[part] for table_of_system in self.rows]
                np.concatenate(rows, axis=1, out=table[part, :used], casting="unsafe")
            self._tables, self._sum_type = [table], np.int32
        elif is_uint16:
            self._tables = [system.astype(np.int64) for system in self.rows]

    def add_drawn(self, indices: Integers) -> Integers:
        """Sums, shape (M, samples, columns), of the rows at `indices`, (samples, segments)."""
        return self._add(len(indices), _resample.add_drawn, indices)

    def add_counted(self, times: NDArray[np.uint8], threads: int) -> Integers:
        """Like `add_drawn`, with each row taken `times` times; shape (samples, segments)."""
        parts = [np.zeros((len(times), table.shape[1]), np.int64) for table in self._tables]
        size = -(-len(times) // threads)

        def add(first: int) -> None:
            part = slice(first, first + size)
            for table, sums in zip(self._tables, parts, strict=True):
                _resample.add_counted(table, times[part], sums[part])

        _on_threads(add, range(0, len(times), size), threads)
        return self._by_system(parts)

    def add_tossed(self, words: Words, first_bit: int, trials: int) -> Integers:
        """Sums, shape (M, trials, columns), of the rows whose coin of `toss_coins` shows heads."""
        return self._add(trials, _resample.add_tossed, words, first_bit)

    def _add(self, samples: int, add: Callable[..., None], *which: Any) -> Integers:
        parts = []
        for table in self._tables:
            sums = np.empty((samples, table.shape[1]), self._sum_type)
            add(table, *which, sums)
            parts.append(sums)
        return self._by_system(parts)

    def _by_system(self, parts: Sequence[NDArray[Any]]) -> Integers:
        """The sums of each table by system, shape (M, samples, columns)."""
        if self._sum_type is np.int64:
            return np.stack(parts)
        together = parts[0][:, : self.width * len(self.rows)]
        beside = together.reshape(-1, len(self.rows), self.width)
        return np.ascontiguousarray(beside.swapaxes(0, 1), np.int64)


def draw_sums(
    generator: np.random.Generator, columns: Columns, samples: int, threads: int = 1
) -> Iterator[tuple[Integers, Integers | None]]:
    """The sums of bootstrap samples in blocks, shape (M, samples, columns), and what was drawn.

    The draws are those of ``generator.choice(segments, size=(samples, segments))``. With many
    segments they are only counted, and None is returned for them. The generator must be new and
    cannot be used afterwards.
    """
    segments = columns.segments
    if segments < COUNTED_SEGMENTS or not draws_are_words():
        size = max(1, INDICES // segments)
        for first in range(0, samples, size):
            indices = generator.choice(segments, size=(min(size, samples - first), segments))
            yield columns.add_drawn(indices), indices
        return
    memory = np.empty((min(COUNTED_SAMPLES, samples), segments), np.uint8)
    position = 0
    for first in range(0, samples, COUNTED_SAMPLES):
        times = memory[: samples - first]
        position = count_draws(generator, position, times, threads)
        yield columns.add_counted(times, threads), None


def count_draws(
    generator: np.random.Generator, position: int, times: NDArray[np.uint8], threads: int
) -> int:
    """Count in `times`, shape (samples, segments), how often each segment is drawn.

    Random words are read from `position` on; returns the position after the last one. Some words
    are skipped, so the word at which a sample begins is known only after the sample before it has
    been counted. Threads therefore begin at a later word, by which the sample has almost surely
    begun, and leave out as many draws as there may be before that word. These are counted
    afterwards, sample by sample.
    """
    segments = times.shape[1]
    skipped = (1 << 32) % segments / (1 << 32)  # the share of the words
    state: Any = generator.bit_generator.state["state"]

    def read(number: int, word: int, draws: int, end: int = 1 << 63) -> tuple[int, int]:
        """Count a sample's draws from `word` on; returns the next word and the draws left."""
        while draws and word < end:
            stop = min(word + WORDS, end)
            word, draws = _resample.count_drawn_rows(
                state["state"], state["inc"], word, stop, draws, times[number]
            )
        return word, draws

    later_words, draws_left = [], []
    for draws in range(0, times.size, segments):
        margin = DEVIATIONS * math.sqrt(draws * skipped) / (1 - skipped)
        later_words.append(position + math.ceil(draws / (1 - skipped) + margin))
        draws_left.append(min(math.ceil(2 * margin), segments))
    next_words = list(later_words)

    def read_most(number: int) -> None:
        times[number].fill(0)
        draws = segments - draws_left[number]
        next_words[number], _ = read(number, later_words[number], draws)

    _on_threads(read_most, range(len(times)), threads)
    for number, later_word in enumerate(later_words):
        word, draws = read(number, position, draws_left[number], later_word)
        if word == later_word:
            position, _ = read(number, next_words[number], draws)
        else:  # it begins after the later word, or too early: count the whole sample again
            times[number].fill(0)
            position, _ = read(number, position, segments)
    return position


def _on_threads(work: Callable[[int], None], numbers: Sequence[int], threads: int) -> None:
    """Call `work` with each number, on at most `threads` threads."""
    workers = [SimpleNamespace(cancelled=False) for _ in range(min(threads, len(numbers)))]
    share_out(lambda _, number: work(number), numbers, workers)


@cache
def draws_are_words() -> bool:
    """Whether numpy draws indices as `count_draws` does; all versions so far do (1.22 to 2.5)."""
    generator, segments = np.random.default_rng(1), 1_000_000  # 225 words are skipped
    if type(generator.bit_generator).__name__ != "PCG64":
        return False
    times = np.empty((1, segments), np.uint8)
    count_draws(generator, 0, times, 1)
    indices = generator.choice(segments, segments)
    return bool((np.bincount(indices, minlength=segments) == times[0]).all())


def toss_coins(
    generator: np.random.Generator, segments: int, trials: int
) -> Iterator[tuple[Words, int, int]]:
    """``generator.integers(2, size=(trials, segments), dtype=bool)`` in blocks of trials, as bits.

    Yields the words of the coins, lowest bit first, plus one extra word; the bit of the first word
    at which the block's coins begin; and the number of trials in the block.
    """
    size = min(MOST_TRIALS, max(FEWEST_TRIALS, COINS // segments))
    last_word = np.zeros(0, np.uint32)
    first_bit = 0
    for first in range(0, trials, size):
        count = min(size, trials - first)
        end = first_bit + count * segments
        drawn = draw_words(generator, -(-end // 32) - len(last_word))
        words = np.concatenate([last_word, drawn, np.zeros(1, np.uint32)])
        yield words, first_bit, count
        first_bit = end % 32
        last_word = words[end // 32 : end // 32 + 1].copy() if first_bit else words[:0].copy()


def draw_words(generator: np.random.Generator, count: int) -> Words:
    """32 coin tosses in each of `count` words, the first in the lowest bit."""
    if coins_are_bits():
        return generator.integers(0, 1 << 32, size=count, dtype=np.uint32)
    coins = generator.integers(2, size=32 * count, dtype=bool)
    return np.packbits(coins, bitorder="little").view("<u4").astype(np.uint32, copy=False)


@cache
def coins_are_bits() -> bool:
    """Whether numpy takes 32 random booleans from one word, the lowest bit first.

    All versions so far do (1.22 to 2.5); keeping them as bits is many times faster.
    """
    generator, numpys = np.random.default_rng(1), np.random.default_rng(1)
    words = generator.integers(0, 1 << 32, size=3, dtype=np.uint32).tolist()
    bits = [bool(word >> place & 1) for word in words for place in range(32)]
    coins = numpys.integers(2, size=70, dtype=bool).tolist()
    same_state = generator.integers(1 << 40) == numpys.integers(1 << 40)
    return coins == bits[:70] and bool(same_state)
