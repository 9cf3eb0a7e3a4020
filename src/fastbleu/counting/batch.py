"""Counting a batch: checked segments in, rows of counts out.

`count_batch` trusts the layout of what it is given; `count_input` (input.py) checks it first.
"""

from __future__ import annotations

from _thread import allocate_lock as _Lock
from functools import partial

from .._core import SegmentCounter, accumulate_rows, zero_rows
from .._packed import PackedSegments
from ..inputs._ids import IdRows
from ..inputs._utf8 import Utf8Rows
from ..inputs.ids import IdRules
from ..inputs.segments import TextChecks, TokenChecks, changed_while_read
from ..runtime.threads import Pool, run_on_threads
from ._ids import CHUNK_IDS, IdPacker
from ._text import TextPacker
from ._tokens import TokenPacker, TokenRounds
from ._utf8 import Utf8Packer
from .splitting import PreparedPacker, SplittingPacker
from .stats import Stats

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ..runtime.progress import ProgressBar
    from ..tokenizers.table import Tokenizer

    Segment = tuple[list[Any], list[list[Any]]]

_TOKEN_CHECKS = TokenChecks()


class CountOptions:
    """How to count: arguments that were checked. Keeps the memory of its workers between calls.

    Without a tokenizer the input is lists of tokens, or rows of ids, of which `id_rules` says which
    count. `missing`: a reference may be None. `raise_totals`: a total counts at least 1 in sums.
    """

    def __init__(
        self,
        tokenizer: Tokenizer | None,
        lowercase: bool = False,
        max_order: int = 4,
        threads: int = 1,
        *,
        reference_length: str = "closest",
        id_rules: IdRules | None = None,
        missing: bool = False,
        raise_totals: bool = False,
        checks: TokenChecks | None = None,
    ) -> None:
        self.tokenizer = tokenizer
        self.lowercase = lowercase
        self.max_order = max_order
        self.threads = threads
        self.reference_length = reference_length
        self.id_rules = id_rules or None
        self.missing = missing
        self.raise_totals = raise_totals
        self.checks = _TOKEN_CHECKS if checks is None else checks
        self.padding_was_checked = False
        # Segments in favour of the layout of references, and against it: see `warn_of_layout`.
        self.layout_votes = 0, 0
        # Workers that are not in use, by what they count.
        self.idle = {kind: Pool(threads) for kind in (list, IdRows, Utf8Rows)}

    @property
    def reads_utf8(self) -> bool:
        """Whether text can be counted as UTF-8: by a compiled tokenizer, without Python strings."""
        return self.tokenizer is not None and self.tokenizer.function is None

    def new_worker(self, kind: type) -> _Worker:
        """What one more thread counts lists of segments, IdRows or Utf8Rows with."""
        counter = SegmentCounter(self.max_order, self.reference_length)
        return _Worker(self._packer(kind), counter)

    def _packer(self, kind: type) -> Any:
        if kind is IdRows:
            rules = self.id_rules or IdRules()
            return IdPacker(rules.ignore_ids, rules.skip_ids, rules.stop_ids)
        if self.tokenizer is None:
            return TokenPacker(self.checks)
        function, how = self.tokenizer.function, (self.lowercase, self.missing)
        if self.tokenizer.prepared is not None:
            return PreparedPacker(*self.tokenizer.prepared, *how)
        if function is not None:
            return SplittingPacker(self.checks, function, *how)
        packer = Utf8Packer if kind is Utf8Rows else TextPacker
        return packer(TextChecks(), str(self.tokenizer.compiled), *how)


class Counted:
    """What counting a batch tells: `stats` are the rows of all segments, or one row, their sum."""

    def __init__(self, rows: int, max_order: int) -> None:
        self.stats = Stats._own(zero_rows(rows, max_order), max_order)
        self.segments = 0
        self.nrefs = 0  # of every segment; -1 where their number varies
        self.tokenized_periods = 0  # hypotheses that end in " ."; 0 for tokens
        self.label_padding = False  # whether the id -100 was counted
        # Of lists of tokens: the last segment as it was read, (hypothesis, references).
        self.last_segment: tuple[Any, Any] = (None, None)
        # Of a dialect that counts tokens itself: (hypothesis, references) of each segment.
        self.tokens: list[Segment] | None = None

    def add(self, other: Counted, keep_rows: bool) -> None:
        """Add what counting the next segments tells; `keep_rows` as for `count_batch`."""
        rows = other.stats._rows
        if keep_rows and not self.segments:
            self.stats = other.stats
        elif keep_rows:
            self.stats._rows.extend(rows)
        else:
            accumulate_rows(rows, 1, self.stats._rows)
        self.segments += other.segments
        self.nrefs = joint_nrefs(self.nrefs, other.nrefs) if self.nrefs else other.nrefs
        self.tokenized_periods += other.tokenized_periods
        self.label_padding |= other.label_padding
        self.last_segment = other.last_segment

    def note(self, packer: PackedSegments) -> None:
        """Add what a packer tells of the segments that it has packed."""
        nrefs = packer.nrefs
        self.nrefs = joint_nrefs(self.nrefs, nrefs) if self.nrefs else nrefs
        self.tokenized_periods += packer.tokenized_periods
        self.label_padding |= packer.label_padding
        if type(packer) is TokenPacker:
            self.last_segment = packer.last_hypothesis, packer.last_references


def joint_nrefs(one: int, other: int) -> int:
    """The references of every segment of two corpora together: see `Counted.nrefs`."""
    if one == other or other == 0:
        return one
    return -1 if one else other


class _Worker:
    """What one thread counts with."""

    def __init__(self, packer: Any, counter: SegmentCounter) -> None:
        self.packer = packer
        self.counter = counter
        self.reset = packer.reset

    @property
    def capacity(self) -> int:
        return int(self.packer.capacity)

    @property
    def cancelled(self) -> bool:
        return self.counter.cancelled

    @cancelled.setter
    def cancelled(self, value: bool) -> None:
        self.packer.cancelled = self.counter.cancelled = value


def count_batch(
    hypotheses: Any,
    references: Any,
    options: CountOptions,
    *,
    keep_rows: bool = True,
    before: int = 0,
    bar: ProgressBar | None = None,
    meanwhile: Callable[[], None] | None = None,
) -> Counted:
    """Count segments, in lists or tuples, IdRows or Utf8Rows, whose layout was checked.

    Without `keep_rows` the result has one row, the sum of all, and memory does not grow with the
    corpus. `before` is the number of segments before these, for messages; `bar` is advanced. If
    there are several threads, the calling one calls `meanwhile` before it counts.
    """
    kind = type(hypotheses) if type(hypotheses) in (IdRows, Utf8Rows) else list
    segments, read = len(hypotheses), 0
    idle, new_worker = options.idle[kind], partial(options.new_worker, kind)
    workers = [idle.acquire(new_worker)]
    counted = Counted(segments if keep_rows else 1, options.max_order)
    rows = counted.stats._rows

    def count(worker: _Worker, first: int) -> None:
        if keep_rows:
            worker.counter.count(worker.packer, rows, first)
        else:
            worker.counter.count_sum(worker.packer, rows, options.raise_totals)
        if bar is not None:
            bar.update(len(worker.packer))

    def take_part(worker: _Worker) -> None:
        nonlocal read
        if worker is not workers[0]:
            rounds.follow(worker.packer, worker.counter)
            return
        try:
            while taken := rounds.lead(worker.packer, worker.counter):
                read += taken
                if bar is not None:
                    bar.update(taken)
        finally:
            rounds.end()

    def take_turns(worker: _Worker) -> None:
        nonlocal read
        if meanwhile is not None and worker is workers[0]:
            meanwhile()
        while not worker.cancelled:
            with reading:
                first = read
                read += worker.packer.fill(hypotheses, references, first, before)
            if not len(worker.packer):
                break
            count(worker, first)

    threads = _useful_threads(hypotheses, references, options) if options.threads > 1 else 1
    if threads == 1:
        worker = workers[0]
        while read < segments and (
            taken := worker.packer.fill(hypotheses, references, read, before)
        ):
            count(worker, read)
            read += taken
    else:
        workers += [idle.acquire(new_worker) for _ in range(threads - 1)]
        if kind is list and options.tokenizer is None and TokenRounds.possible:
            where = rows, options.max_order, keep_rows, options.raise_totals
            rounds = TokenRounds(hypotheses, references, *where, before)
            run_on_threads(take_part, workers)
            if not keep_rows:
                rounds.add_sums()
        else:
            reading = _Lock()
            run_on_threads(take_turns, workers)
    for worker in workers:
        counted.note(worker.packer)
        idle.release(worker)
    if read != segments and not options.checks.lists_may_change:
        raise changed_while_read(segments, read, hypotheses, references)
    counted.segments = read
    return counted


def _useful_threads(hypotheses: Any, references: Any, options: CountOptions) -> int:
    """How many threads have work."""
    if type(hypotheses) is IdRows:
        chunks: int = (hypotheses.size + references.size) // CHUNK_IDS
    elif options.tokenizer is not None and options.tokenizer.function is not None:
        return 1  # a user's function may not be safe on several
    else:
        chunks = len(hypotheses) // TokenPacker.chunk_segments
    return min(1 + chunks, options.threads)
