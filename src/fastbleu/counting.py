"""Counting a corpus into rows of sufficient statistics, on one thread or several."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from typing import NamedTuple

from ._core import PackedSegments, SegmentCounter, zero_rows
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
)
from .errors import warn_input
from .stats import Stats
from .tokenizers import Tokenizer, get_tokenizer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# Square references are read both ways up to this size, which is more than anybody has by accident.
_LARGEST_SQUARE = 32


class Counted(NamedTuple):
    """What reading a corpus of text tells.

    Attributes
    ----------
    stats : Stats
        A row for each segment.
    nrefs : int
        References of every segment, -1 where their number varies.
    tokenized_periods : int
        Hypotheses that end in " .", which text that was never tokenised hardly does.
    """

    stats: Stats
    nrefs: int
    tokenized_periods: int


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
        `references` and `hypotheses` differ in length, or a segment has no reference.
    TypeError
        A str stands where a list of tokens is expected or the reverse, or a token is not hashable;
        the message names the segment and the position.

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
    return count_checked(hypotheses, references, tokenizer, lowercase, max_order, threads).stats


def count_checked(
    hypotheses: Sequence[Any],
    references: Sequence[Any],
    tokenizer: Tokenizer | None,
    lowercase: bool = False,
    max_order: int = 4,
    threads: int = 1,
) -> Counted:
    """Count a corpus whose layout may be wrong; `count` for other modules.

    Parameters and errors as those of `count`; `tokenizer` None stands for lists of tokens.
    """
    check_layout(hypotheses, references)
    counted = _count(hypotheses, references, tokenizer, lowercase, max_order, threads)
    if 1 < len(hypotheses) <= _LARGEST_SQUARE:
        _warn_if_transposed(counted.stats, hypotheses, references, tokenizer, lowercase, max_order)
    return counted


def count_text(
    hypotheses: Sequence[str],
    references: Sequence[Any],
    tokenizer: Tokenizer,
    *,
    lowercase: bool = False,
    max_order: int = 4,
    threads: int = 1,
    missing: bool = False,
) -> Counted:
    """Count a corpus of text whose layout is known to be right; for other modules.

    Parameters
    ----------
    hypotheses : sequence of S str
    references : sequence of S str or sequences of str
    tokenizer : Tokenizer
    lowercase, max_order, threads
        As for `count`.
    missing : bool, default False
        Whether a reference may be None, which stands for no reference.

    Returns
    -------
    Counted
    """
    return _count(hypotheses, references, tokenizer, lowercase, max_order, threads, missing)


def _count(
    hypotheses: Any,
    references: Any,
    tokenizer: Tokenizer | None,
    lowercase: bool,
    max_order: int,
    threads: int,
    missing: bool = False,
) -> Counted:
    segments = check_lengths(hypotheses, references)
    max_order, threads = check_positive("max_order", max_order), check_positive("threads", threads)
    corpus = list_or_tuple(hypotheses), list_or_tuple(references)
    rows = zero_rows(segments, max_order)
    if tokenizer is not None and tokenizer.compiled is None:
        counted = _count_by_function(corpus, rows, tokenizer, lowercase, max_order, missing)
        return Counted(Stats._own(rows, max_order), *counted)
    threads = min(threads, 1 + segments // TokenPacker.chunk_segments)  # no more than have work
    compiled = tokenizer and tokenizer.compiled
    packers: list[Any] = [
        TextPacker(TextDoor(), compiled, lowercase, missing)
        if compiled
        else TokenPacker(TokenDoor())
        for _ in range(threads)
    ]
    if threads == 1:
        read, packer, counter = 0, packers[0], SegmentCounter(max_order)
        while taken := packer.fill(*corpus, read):
            packer.pack()
            counter.count(packer, rows, read)
            read += taken
    else:
        read = _count_in_threads(corpus, rows, max_order, packers)
    if read != segments:
        raise ValueError(f"{segments} segments became {read} while they were counted")
    busy = [packer for packer in packers if packer.most_references >= 0]
    return Counted(
        Stats._own(rows, max_order),
        _only({packer.fewest_references for packer in busy} | {p.most_references for p in busy}),
        sum(packer.tokenized_periods for packer in packers if tokenizer is not None),
    )


def _only(numbers: set[int]) -> int:
    """Return the one number of a set, -1 where there is not exactly one."""
    return numbers.pop() if len(numbers) == 1 else -1


def _count_by_function(
    corpus: tuple[Any, Any],
    rows: array[int],
    tokenizer: Tokenizer,
    lowercase: bool,
    max_order: int,
    missing: bool,
) -> tuple[int, int]:
    """Fill `rows` by a tokenizer that is a Python function; nrefs and tokenized_periods."""
    packer, counter, door = TokenPacker(TokenDoor()), SegmentCounter(max_order), TextDoor()
    read = periods = 0
    while read < min(map(len, corpus)):
        hypotheses, references = (part[read : read + TokenPacker.chunk_segments] for part in corpus)
        periods += sum(isinstance(h, str) and h.endswith(" .") for h in hypotheses)
        tokens = lists_of_tokens(
            hypotheses, references, tokenizer.function, lowercase, missing, door, read
        )
        packer.fill(*tokens, 0, read)
        counter.count(packer, rows, read)
        read += len(packer)
    return _only({packer.fewest_references, packer.most_references}), periods


def _count_in_threads(
    corpus: tuple[Any, Any], rows: array[int], max_order: int, packers: list[Any]
) -> int:
    """Fill `rows` with a thread per packer that take turns at reading; the segments read.

    The first exception, Ctrl-C in the main thread included, stops them all.
    """
    from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
    from threading import Lock

    counters = [SegmentCounter(max_order) for _ in packers]
    reading = Lock()
    read = 0

    def work(packer: Any, counter: SegmentCounter) -> None:
        nonlocal read
        while not counter.cancelled:
            with reading:
                first = read
                read += packer.fill(*corpus, first)
            if not len(packer):
                break
            packer.pack()
            counter.count(packer, rows, first)

    with ThreadPoolExecutor(len(packers)) as pool:
        futures = [pool.submit(work, *pair) for pair in zip(packers, counters, strict=True)]
        try:
            done, _ = wait(futures, return_when=FIRST_EXCEPTION)
            for future in done:
                future.result()
        finally:
            workers: list[SegmentCounter | PackedSegments] = [*packers, *counters]
            for worker in workers:
                worker.cancelled = True
    return read


def _warn_if_transposed(
    stats: Stats,
    hypotheses: Any,
    references: Any,
    tokenizer: Tokenizer | None,
    lowercase: bool,
    max_order: int,
) -> None:
    """Warn where there are as many references as segments and they match better if turned.

    Either reading has the right references on its diagonal, so that little gives it away.
    """
    size = len(hypotheses)
    if any(isinstance(part, str) or len(list_or_tuple(part)) != size for part in references):
        return
    turned = list(zip(*references, strict=True))
    other = _count(hypotheses, turned, tokenizer, lowercase, max_order, 1).stats
    if other.matches.sum() > stats.matches.sum():
        warn_input(
            f"there are {size} segments with {size} references each, read as "
            "references[segment][k], but read as references[k][segment] they match better; "
            "if that is their layout pass list(zip(*references))"
        )
