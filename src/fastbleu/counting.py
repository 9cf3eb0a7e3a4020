"""Counting a corpus into rows of sufficient statistics, on one thread or several."""

from __future__ import annotations

from _thread import allocate_lock as _Lock
from collections.abc import Callable, Sequence

from ._core import PackedSegments, SegmentCounter, accumulate_rows, zero_rows
from ._text import TextPacker
from ._tokens import TokenPacker
from .corpus import (
    TextDoor,
    TokenDoor,
    check_layout,
    check_lengths,
    check_positive,
    list_or_tuple,
    lists_of_tokens,
    warn_of_words,
)
from .errors import warn_input
from .stats import Stats
from .tokenizers import Tokenizer, get_tokenizer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# Square references are read both ways up to this size, which is more than anybody has by accident.
_LARGEST_SQUARE = 32


class Counted:
    """What counting a corpus tells.

    Attributes
    ----------
    stats : Stats
        A row for each segment, or one row: their sum.
    nrefs : int
        References of every segment, -1 where their number varies or there are no segments.
    tokenized_periods : int
        Hypotheses that end in " .", which text that was never tokenised hardly does; 0 for tokens.
    """

    __slots__ = ("nrefs", "stats", "tokenized_periods")

    def __init__(self, stats: Stats, nrefs: int, tokenized_periods: int) -> None:
        self.stats = stats
        self.nrefs = nrefs
        self.tokenized_periods = tokenized_periods


def count(
    hypotheses: Sequence[Any],
    references: Sequence[Any],
    max_order: int = 4,
    threads: int = 1,
    *,
    tokenize: str | Callable[[str], list[str]] | Tokenizer | None = None,
    lowercase: bool = False,
) -> Stats:
    """Count the n-gram matches of every segment.

    Parameters
    ----------
    hypotheses : sequence of S token sequences, or of S str
        Tokens are any hashable objects; equal tokens match. With `tokenize` a hypothesis is a str.
    references : sequence of S sequences of token sequences, or of S str or sequences of str
        ``references[i][k]`` is the k-th reference of ``hypotheses[i]``; at least one per segment,
        not necessarily as many for each. With `tokenize` a str stands for one reference.
    max_order : int, default 4
        The longest n-grams to count.
    threads : int, default 1
        Counting releases the GIL, and so does tokenising text; reading lists of tokens holds it.
        Changes no result.
    tokenize : str or callable, optional
        Makes tokens out of text: a name of `fastbleu.tokenizers.TOKENIZERS` or a function of a str
        that returns a list of str. None: the input is lists of tokens already.
    lowercase : bool, default False
        Lower the text first.

    Returns
    -------
    Stats
        S rows.

    Raises
    ------
    ValueError
        `references` and `hypotheses` differ in length, the layout is ``references[k][segment]``, a
        segment has no reference, the tokenizer is unknown, a number is below 1, or `lowercase` goes
        with lists of tokens.
    TypeError
        A str stands where a list of tokens is expected or the reverse, or a token is not hashable;
        the message names the segment and the position.
    ImportError, FileNotFoundError, RuntimeError
        What the tokenizer needs is not installed.
    OverflowError
        A segment is too long for 32-bit positions.

    Warns
    -----
    InputWarning
        The references look transposed although the lengths agree, or there seems to be text in the
        place of tokens or the reverse.

    Examples
    --------
    >>> count([["a", "b", "c"]], [[["a", "b"], ["c", "d", "e", "f"]]], max_order=2)
    Stats([[3, 2, 3, 1, 3, 2]], max_order=2)
    >>> count(["Not tokenised."], ["Not tokenized."], max_order=1, tokenize="13a")
    Stats([[3, 3, 2, 3]], max_order=1)
    """
    tokenizer = None if tokenize is None else get_tokenizer(tokenize)
    if tokenizer is None and lowercase:
        raise ValueError("lowercase=True needs text; lists of tokens are compared as they are")
    options = CountOptions(tokenizer, lowercase, max_order, threads)
    return count_checked(hypotheses, references, options).stats


class CountOptions:
    """How to count, for other modules.

    Parameters
    ----------
    tokenizer : Tokenizer or None
        None stands for lists of tokens.
    lowercase, max_order, threads
        As for `count`.
    missing : bool, default False
        Whether a reference may be None, which stands for no reference.
    adapt : callable (Stats -> Stats), optional
        If given, rows are not kept: the result is one row, the sum of what `adapt` makes of them,
        and memory does not grow with the corpus.
    """

    __slots__ = ("adapt", "lowercase", "max_order", "missing", "threads", "tokenizer")

    def __init__(
        self,
        tokenizer: Tokenizer | None,
        lowercase: bool = False,
        max_order: int = 4,
        threads: int = 1,
        missing: bool = False,
        adapt: Callable[[Stats], Stats] | None = None,
    ) -> None:
        self.tokenizer = tokenizer
        self.lowercase = lowercase
        self.max_order = check_positive("max_order", max_order)
        self.threads = check_positive("threads", threads)
        self.missing = missing
        self.adapt = adapt

    def packer(self) -> Any:
        """What reads and packs the segments: one for each thread."""
        if self.tokenizer is None or self.tokenizer.compiled is None:
            return TokenPacker(TokenDoor())
        return TextPacker(TextDoor(), self.tokenizer.compiled, self.lowercase, self.missing)


def count_checked(
    hypotheses: Sequence[Any], references: Sequence[Any], options: CountOptions
) -> Counted:
    """Count a corpus whose layout may be wrong: errors and warnings as those of `count`."""
    check_layout(hypotheses, references)
    warn_of_words(hypotheses, references, options.tokenizer is not None)
    counted = count_segments(hypotheses, references, options)
    if 1 < len(hypotheses) <= _LARGEST_SQUARE:
        _warn_if_transposed(counted.stats, hypotheses, references, options)
    return counted


def count_segments(
    hypotheses: Sequence[Any], references: Sequence[Any], options: CountOptions
) -> Counted:
    """Count a corpus whose layout is known to be segment-major."""
    segments = check_lengths(hypotheses, references)
    corpus = list_or_tuple(hypotheses), list_or_tuple(references)
    rows = _Rows(segments, options)
    periods = 0
    if options.tokenizer is not None and options.tokenizer.function is not None:
        packers = [options.packer()]
        read, periods = _count_by_function(corpus, rows, packers[0], options)
    else:
        # No more threads than have work.
        threads = min(options.threads, 1 + segments // TokenPacker.chunk_segments)
        packers = [options.packer() for _ in range(threads)]
        read = _count_packed(corpus, rows, packers)
        if options.tokenizer is not None:
            periods = sum(packer.tokenized_periods for packer in packers)
    if read != segments:
        raise ValueError(
            f"{segments} segments became {read} while they were counted: hypotheses is a "
            f"{type(hypotheses).__name__}, references is a {type(references).__name__}; pass "
            "lists that nothing else changes, of a DataFrame frame.values.tolist()"
        )
    numbers = {packer.fewest_references for packer in packers}
    numbers |= {packer.most_references for packer in packers}
    numbers.discard(-1)  # of a packer that had nothing to do
    return Counted(rows.stats(), numbers.pop() if len(numbers) == 1 else -1, periods)


class _Rows:
    """Where rows go: to their places in one array, or into their sum."""

    def __init__(self, segments: int, options: CountOptions) -> None:
        self._max_order = options.max_order
        self._adapt = options.adapt
        self._rows = zero_rows(1 if options.adapt else segments, options.max_order)

    def count(self, counter: SegmentCounter, packer: Any, first: int) -> None:
        """Count a packer's segments, of which `first` is the number of the first."""
        if self._adapt is None:
            counter.count(packer, self._rows, first)
            return
        rows = zero_rows(len(packer), self._max_order)
        counter.count(packer, rows)
        adapted = self._adapt(Stats._own(rows, self._max_order))
        accumulate_rows(adapted._rows, len(adapted), self._rows)

    def stats(self) -> Stats:
        return Stats._own(self._rows, self._max_order)


def _count_by_function(
    corpus: tuple[Any, Any], rows: _Rows, packer: Any, options: CountOptions
) -> tuple[int, int]:
    """Count text by a tokenizer that is a Python function; segments and tokenized periods."""
    counter, door = SegmentCounter(options.max_order), TextDoor()
    assert options.tokenizer is not None
    split = options.tokenizer.function
    read = periods = 0
    while read < min(map(len, corpus)):
        hypotheses, references = (part[read : read + packer.chunk_segments] for part in corpus)
        periods += sum(isinstance(h, str) and h.endswith(" .") for h in hypotheses)
        tokens = lists_of_tokens(
            hypotheses, references, split, options.lowercase, options.missing, door, read
        )
        start = 0
        while taken := packer.fill(*tokens, start, read):
            rows.count(counter, packer, read + start)
            start += taken
        read += len(hypotheses)
    return read, periods


def _count_packed(corpus: tuple[Any, Any], rows: _Rows, packers: list[Any]) -> int:
    """Count with a thread for each packer, which take turns at reading; the segments read.

    The first exception, Ctrl-C in the main thread included, stops them all.
    """
    read, reading = 0, _Lock()
    counters = [SegmentCounter(rows._max_order) for _ in packers]

    def work(packer: Any, counter: SegmentCounter) -> None:
        nonlocal read
        while not counter.cancelled:
            with reading:
                first = read
                read += packer.fill(*corpus, first)
            if not len(packer):
                break
            rows.count(counter, packer, first)

    if len(packers) == 1:
        work(packers[0], counters[0])
        return read

    from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait

    with ThreadPoolExecutor(len(packers)) as pool:
        futures = [pool.submit(work, *pair) for pair in zip(packers, counters, strict=True)]
        try:
            done, _ = wait(futures, return_when=FIRST_EXCEPTION)
            for future in done:
                future.result()
        finally:
            workers: list[PackedSegments | SegmentCounter] = [*packers, *counters]
            for worker in workers:
                worker.cancelled = True
    return read


def _warn_if_transposed(
    stats: Stats, hypotheses: Any, references: Any, options: CountOptions
) -> None:
    """Warn where there are as many references as segments and they match better if turned.

    Either reading has the right references on its diagonal, so that little gives it away.
    """
    size = len(hypotheses)
    if any(isinstance(part, str) or len(list_or_tuple(part)) != size for part in references):
        return
    turned = list(zip(*references, strict=True))
    other = count_segments(hypotheses, turned, options).stats
    if other.matches.sum() > stats.matches.sum():
        warn_input(
            f"there are {size} segments with {size} references each, read as "
            "references[segment][k], but read as references[k][segment] they match better; "
            "if that is their layout pass list(zip(*references))"
        )
