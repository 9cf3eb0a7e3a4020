"""Counting a batch: checked segments in, rows of counts out.

Every caller counts by `count_batch`: the metric, the drop-ins, the command. It trusts the layout of
what it is given; `count_input` (input.py) checks and warns first.
"""

from __future__ import annotations

from _thread import allocate_lock as _Lock

from .._core import PackedSegments, SegmentCounter, zero_rows
from ..inputs._ids import IdRows
from ..inputs.ids import IdRules
from ..inputs.segments import TextChecks, TokenChecks, changed_while_read
from ..runtime.threads import run_on_threads
from ._ids import CHUNK_IDS, IdPacker
from ._text import TextPacker
from ._tokens import TokenPacker
from .splitting import SplittingPacker
from .stats import Stats

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..tokenizers.table import Tokenizer

# Memory for more tokens or references is not kept: 1 MB of ids, more than all but odd input needs.
_LARGEST_KEPT = 1 << 18
_TOKEN_CHECKS = TokenChecks()


class CountOptions:
    """How to count: arguments that were checked. Keeps the memory of its workers between calls.

    Parameters
    ----------
    tokenizer : Tokenizer or None
        None: the input is lists of tokens, or rows of token ids.
    lowercase, max_order, threads
        As for `fastbleu.count`.
    reference_length : str, default "closest"
        One of `_core.REFERENCE_LENGTHS`.
    id_rules : IdRules, optional
        Which token ids count; None where all do.
    missing : bool, default False
        Whether a reference may be None, which means that there is none.
    raise_totals : bool, default False
        Whether every total of a segment is raised to at least 1 before sums are made, as in nltk.
    checks : TokenChecks, optional
        What reads tokens that are not in lists.
    """

    __slots__ = (
        "_idle",
        "checks",
        "id_rules",
        "lowercase",
        "max_order",
        "missing",
        "padding_was_checked",
        "raise_totals",
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
        # Workers that are not in use: for segments, and for rows of ids.
        self._idle: tuple[list[_Worker], list[_Worker]] = ([], [])

    def acquire(self, is_ids: bool) -> _Worker:
        """A worker that nobody else has."""
        try:
            return self._idle[is_ids].pop()
        except IndexError:
            return _Worker(
                self._packer(is_ids), SegmentCounter(self.max_order, self.reference_length)
            )

    def release(self, worker: _Worker, is_ids: bool) -> None:
        """Keep a worker that did not fail for the next time."""
        idle = self._idle[is_ids]
        if worker.packer.capacity <= _LARGEST_KEPT and len(idle) < self.threads:
            worker.packer.reset()
            idle.append(worker)

    def _packer(self, is_ids: bool) -> Any:
        if is_ids:
            rules = self.id_rules or IdRules()
            return IdPacker(rules.ignore_ids, rules.skip_ids, rules.stop_ids)
        if self.tokenizer is None:
            return TokenPacker(self.checks)
        if self.tokenizer.function is not None:
            return SplittingPacker(
                self.checks, self.tokenizer.function, self.lowercase, self.missing
            )
        return TextPacker(TextChecks(), str(self.tokenizer.compiled), self.lowercase, self.missing)


class Counted:
    """What counting a batch tells.

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
    last_segment : (hypothesis, references)
        Of lists of tokens: the last segment as it was read.
    """

    __slots__ = (
        "label_padding",
        "last_segment",
        "nrefs",
        "segments",
        "stats",
        "tokenized_periods",
    )

    def __init__(self, rows: int, max_order: int) -> None:
        self.stats = Stats._own(zero_rows(rows, max_order), max_order)
        self.segments = self.nrefs = self.tokenized_periods = 0
        self.label_padding = False
        self.last_segment: tuple[Any, Any] = (None, None)

    def note(self, packer: PackedSegments) -> None:
        """Add what a packer tells of the segments that it has packed."""
        nrefs = packer.nrefs
        self.nrefs = joint_nrefs(self.nrefs, nrefs) if self.nrefs else nrefs
        self.tokenized_periods += packer.tokenized_periods
        self.label_padding |= packer.label_padding
        if type(packer) is TokenPacker:
            self.last_segment = packer.last_hypothesis, packer.last_references


def joint_nrefs(one: int, other: int) -> int:
    """The number of references of every segment of two corpora together."""
    if one == other or other == 0:
        return one
    return -1 if one else other


class _Worker:
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


def count_batch(
    hypotheses: Any,
    references: Any,
    options: CountOptions,
    *,
    keep_rows: bool = True,
    before: int = 0,
) -> Counted:
    """Count segments whose layout was checked.

    Parameters
    ----------
    hypotheses, references : lists or tuples of S segments, or IdRows
        ``references[i]`` belong to ``hypotheses[i]``: a str or several where there is a tokenizer,
        else lists of tokens; or rows of ids on both sides.
    options : CountOptions
    keep_rows : bool, default True
        False: the result has one row, the sum of all, and memory does not grow with the corpus.
    before : int, default 0
        Number of segments before these, for messages.

    Raises
    ------
    TypeError, ValueError
        A segment is not what the options say; the message names segment and position.
    """
    is_ids = type(hypotheses) is IdRows
    segments, read = len(hypotheses), 0
    workers = [options.acquire(is_ids)]
    counted = Counted(segments if keep_rows else 1, options.max_order)
    rows = counted.stats._rows

    def count(worker: _Worker, first: int) -> None:
        if keep_rows:
            worker.counter.count(worker.packer, rows, first)
        else:
            worker.counter.count_sum(worker.packer, rows, options.raise_totals)

    def take_turns(worker: _Worker) -> None:
        nonlocal read
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
        reading = _Lock()
        workers += [options.acquire(is_ids) for _ in range(threads - 1)]
        run_on_threads(take_turns, workers)
    for worker in workers:
        counted.note(worker.packer)
        options.release(worker, is_ids)
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
