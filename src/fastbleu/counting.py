"""Counting a corpus into rows of sufficient statistics, on one thread or several."""

from __future__ import annotations

from array import array
from collections.abc import Sequence

from ._core import SegmentCounter, zero_rows
from ._tokens import TokenPacker
from .corpus import TokenDoor, check_lengths, check_positive, list_or_tuple
from .stats import Stats

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def count(
    hypotheses: Sequence[Sequence[Any]],
    references: Sequence[Sequence[Sequence[Any]]],
    max_order: int = 4,
    threads: int = 1,
) -> Stats:
    """Count the n-gram matches of every segment.

    Parameters
    ----------
    hypotheses : sequence of S token sequences
        Tokens are any hashable objects; equal tokens match.
    references : sequence of S sequences of token sequences
        ``references[i][k]`` is the k-th reference of ``hypotheses[i]``; at least one per segment,
        not necessarily as many for each.
    max_order : int, default 4
        The longest n-grams to count.
    threads : int, default 1
        Counting releases the GIL; reading the tokens holds it. Changes no result.

    Returns
    -------
    Stats
        S rows.

    Raises
    ------
    ValueError
        `references` and `hypotheses` differ in length, or a segment has no reference.
    TypeError
        A str stands where a list of tokens is expected, or a token is not hashable; the message
        names the segment and the position.

    Examples
    --------
    >>> count([["a", "b", "c"]], [[["a", "b"], ["c", "d", "e", "f"]]], max_order=2)
    Stats([[3, 2, 3, 1, 3, 2]], max_order=2)
    """
    segments = check_lengths(hypotheses, references)
    max_order, threads = check_positive("max_order", max_order), check_positive("threads", threads)
    threads = min(threads, 1 + segments // TokenPacker.chunk_segments)  # no more than have work
    corpus = list_or_tuple(hypotheses), list_or_tuple(references)
    rows = zero_rows(segments, max_order)
    if threads == 1:
        read, packer, counter = 0, TokenPacker(TokenDoor()), SegmentCounter(max_order)
        while packed := packer.fill(*corpus, read):
            counter.count(packer, rows, read)
            read += packed
    else:
        read = count_in_threads(corpus, rows, max_order, threads)
    if read != segments:
        raise ValueError(f"{segments} segments became {read} while they were counted")
    return Stats._own(rows, max_order)


def count_in_threads(
    corpus: tuple[Any, Any], rows: array[int], max_order: int, threads: int
) -> int:
    """Fill `rows` with several threads that take turns at reading; the number of segments read.

    The first exception, Ctrl-C in the main thread included, stops them all.
    """
    from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
    from threading import Lock

    counters = [SegmentCounter(max_order) for _ in range(threads)]
    reading = Lock()
    read = 0

    def work(counter: SegmentCounter) -> None:
        nonlocal read
        packer = TokenPacker(TokenDoor())
        while not counter.cancelled:
            with reading:
                first = read
                read += packer.fill(*corpus, first)
            if not len(packer):
                break
            counter.count(packer, rows, first)

    with ThreadPoolExecutor(threads) as pool:
        futures = [pool.submit(work, counter) for counter in counters]
        try:
            done, _ = wait(futures, return_when=FIRST_EXCEPTION)
            for future in done:
                future.result()
        finally:
            for counter in counters:
                counter.cancelled = True
    return read
