"""Counting segments into rows, on one thread or several.

Below counting.py: here the corpus is checked, and its layout is known.
"""

from __future__ import annotations

from _thread import allocate_lock as _Lock
from collections.abc import Callable, Sequence

from .._core import PackedSegments, SegmentCounter, zero_rows
from ..inputs.arguments import check_positive
from ..inputs.segments import TextChecks, TokenChecks, check_lengths, list_or_tuple, lists_of_tokens
from ..runtime.threads import Pool, run_on_threads
from ..tokenizers.table import Tokenizer
from ._ids import CHUNK_IDS, IdPacker
from ._text import TextPacker
from ._tokens import TokenPacker
from .stats import Stats

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..inputs._ids import IdRows
    from ..inputs.ids import IdRules


class Counted:
    """What counting a corpus tells.

    Attributes
    ----------
    stats : Stats
        A row for each segment, or one row: their sum.
    segments : int
    nrefs : int
        References of every segment, -1 where their number varies, 0 where there are no segments.
    tokenized_periods : int
        Hypotheses that end in " .", which text that was never tokenised hardly does; 0 for tokens.
    label_padding : bool
        Whether the token id -100, which pads labels, was counted.
    """

    __slots__ = ("label_padding", "nrefs", "segments", "stats", "tokenized_periods")

    def __init__(self, stats: Stats) -> None:
        self.stats = stats
        self.segments = self.nrefs = self.tokenized_periods = 0
        self.label_padding = False

    def note(self, packer: PackedSegments) -> None:
        """Add what a packer tells of the segments that it has packed."""
        self.nrefs = joint_nrefs(self.nrefs, packer.nrefs)
        self.tokenized_periods += packer.tokenized_periods
        self.label_padding |= packer.label_padding


def joint_nrefs(one: int, other: int) -> int:
    """The number of references of every segment of two corpora together."""
    if one == other or other == 0:
        return one
    return -1 if one else other


class Worker:
    """What one thread counts with."""

    __slots__ = ("counter", "packer")

    def __init__(self, packer: Any, counter: SegmentCounter) -> None:
        self.packer = packer
        self.counter = counter

    @property
    def cancelled(self) -> bool:
        return self.counter.cancelled

    @cancelled.setter
    def cancelled(self, value: bool) -> None:
        self.packer.cancelled = self.counter.cancelled = value

    @property
    def capacity(self) -> int:
        capacity: int = self.packer.capacity
        return capacity

    def reset(self) -> None:
        self.packer.reset()


class CountOptions:
    """How to count; whoever counts again and again keeps it, and with it the workers' memory.

    Parameters
    ----------
    tokenizer : Tokenizer or None
        None stands for lists of tokens.
    lowercase, max_order, threads
        As for `fastbleu.count`.
    missing : bool, default False
        Whether a reference may be None, which stands for no reference.
    reference_length : str, default "closest"
        One of `_core.REFERENCE_LENGTHS`.
    ids : IdRules, optional
        The corpus is a pair of `IdRows`, of whose ids these count.
    """

    __slots__ = (
        "ids",
        "lowercase",
        "max_order",
        "missing",
        "pool",
        "reference_length",
        "threads",
        "tokenizer",
    )

    def __init__(
        self,
        tokenizer: Tokenizer | None,
        lowercase: bool = False,
        max_order: int = 4,
        threads: int = 1,
        missing: bool = False,
        reference_length: str = "closest",
        ids: IdRules | None = None,
    ) -> None:
        self.tokenizer = tokenizer
        self.lowercase = lowercase
        self.max_order = check_positive("max_order", max_order)
        self.threads = check_positive("threads", threads)
        self.missing = missing
        self.reference_length = reference_length
        self.ids = ids
        self.pool = Pool(self.threads)

    def worker(self) -> Worker:
        """What a thread counts with."""
        return Worker(self._packer(), SegmentCounter(self.max_order, self.reference_length))

    def _packer(self) -> Any:
        if self.ids is not None:
            return IdPacker(self.ids.ignore_ids, self.ids.skip_ids, self.ids.stop_ids)
        if self.tokenizer is None or self.tokenizer.compiled is None:
            return TokenPacker(TokenChecks())
        return TextPacker(TextChecks(), self.tokenizer.compiled, self.lowercase, self.missing)


def count_segments(
    hypotheses: Sequence[Any],
    references: Sequence[Any],
    options: CountOptions,
    floor: bool | None = None,
) -> Counted:
    """Count a corpus whose layout is known to be segment-major.

    Where `floor` is a bool rows are not kept: the result is one row, their sum, and memory does not
    grow with the corpus. True raises every total of a row to at least 1 before, as nltk does.
    """
    segments = check_lengths(hypotheses, references)
    ours, theirs = list_or_tuple(hypotheses), list_or_tuple(references)
    tokenizer = options.tokenizer
    if tokenizer is None or tokenizer.function is None:
        # No more threads than have work.
        threads = 1 + segments // TokenPacker.chunk_segments
        counted = count_packed(ours, theirs, options, threads, floor)
    else:
        counted = _count_by_function((ours, theirs), options, tokenizer.function, floor)
    if counted.segments != segments:
        raise ValueError(
            f"{segments} segments became {counted.segments} while they were counted: hypotheses is "
            f"a {type(hypotheses).__name__}, references is a {type(references).__name__}; pass "
            "lists that nothing else changes, of a DataFrame frame.values.tolist()"
        )
    return counted


def count_packed(
    hypotheses: Any,
    references: Any,
    options: CountOptions,
    threads: int,
    floor: bool | None = None,
) -> Counted:
    """Count what the options' packers read, on at most so many threads."""
    segments = len(hypotheses)
    rows = _Rows(segments, options.max_order, floor)
    counted = Counted(rows.stats)
    workers: list[Worker] = [options.pool.acquire(options.worker)]
    if threads == 1 or options.threads == 1:
        # Of a few segments turns would cost as much as counting.
        worker, read = workers[0], 0
        while read < segments and (taken := worker.packer.fill(hypotheses, references, read)):
            rows.count(worker, read)
            read += taken
        counted.segments = read
    else:
        more = range(min(threads, options.threads) - 1)
        workers += [options.pool.acquire(options.worker) for _ in more]
        counted.segments = _count_in_turns((hypotheses, references), rows, workers)
    for worker in workers:
        counted.note(worker.packer)
        options.pool.release(worker)
    return counted


def threads_with_work(hypotheses: IdRows, references: IdRows) -> int:
    """How many threads have work with rows of ids."""
    return 1 + (hypotheses.size + references.size) // CHUNK_IDS


class _Rows:
    """Where rows go: to their places in one array, or into their sum."""

    def __init__(self, segments: int, max_order: int, floor: bool | None) -> None:
        self._floor = floor
        rows = zero_rows(segments if floor is None else 1, max_order)
        self.stats = Stats._own(rows, max_order)

    def count(self, worker: Worker, first: int) -> None:
        """Count a packer's segments, of which `first` is the number of the first."""
        if self._floor is None:
            worker.counter.count(worker.packer, self.stats._rows, first)
        else:
            worker.counter.count_sum(worker.packer, self.stats._rows, self._floor)


def _count_by_function(
    corpus: tuple[Any, Any],
    options: CountOptions,
    split: Callable[[str], list[str]],
    floor: bool | None,
) -> Counted:
    """Count text by a tokenizer that is a Python function."""
    rows = _Rows(len(corpus[0]), options.max_order, floor)
    worker, checks = options.pool.acquire(options.worker), TextChecks()
    read = periods = 0
    while read < min(map(len, corpus)):
        hypotheses, references = (part[read : read + TokenPacker.chunk_segments] for part in corpus)
        periods += sum(isinstance(h, str) and h.endswith(" .") for h in hypotheses)
        tokens = lists_of_tokens(
            hypotheses, references, split, options.lowercase, options.missing, checks, read
        )
        start = 0
        while taken := worker.packer.fill(*tokens, start, read):
            rows.count(worker, read + start)
            start += taken
        read += len(hypotheses)
    counted = Counted(rows.stats)
    counted.note(worker.packer)
    counted.segments, counted.tokenized_periods = read, periods
    options.pool.release(worker)
    return counted


def _count_in_turns(corpus: tuple[Any, Any], rows: _Rows, workers: list[Worker]) -> int:
    """Count with a thread for each worker, which take turns at reading; the segments read."""
    read, reading = 0, _Lock()

    def work(worker: Worker) -> None:
        nonlocal read
        while not worker.cancelled:
            with reading:
                first = read
                read += worker.packer.fill(*corpus, first)
            if not len(worker.packer):
                break
            rows.count(worker, first)

    run_on_threads(work, workers)
    return read
