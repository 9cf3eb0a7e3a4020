"""Counting parallel inputs chunk by chunk."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ..counting._batch import Counted, count_batch
from ..counting.batch import CountOptions
from ..inputs._utf8 import Utf8Rows
from .files import InputError
from .readers import Chunks, Reader, listed


def count_chunks(
    readers: Sequence[Reader],
    chunks: Chunks,
    references: int,
    counting: CountOptions,
    keep_rows: bool,
) -> Iterator[tuple[list[Any], list[Counted]]]:
    """Yield each chunk with the counts of each system; references are the first columns.

    With several threads the next chunk is read while others count. Its errors are raised when its
    turn comes, so that messages do not depend on the number of threads.
    """
    ahead: list[Any] = []  # the next chunk, None at the end, or the error in reading it

    def read_ahead() -> None:
        if not ahead:
            try:
                ahead.append(next(chunks, None))
            except InputError as error:
                ahead.append(error)

    while True:
        read_ahead()
        chunk = ahead.pop()
        if chunk is None:
            return
        if isinstance(chunk, InputError):
            raise chunk
        texts = _side_by_side(chunk[:references])
        how: dict[str, Any] = {"keep_rows": keep_rows, "meanwhile": read_ahead}
        try:
            counted = [count_batch(its, texts, counting, **how) for its in chunk[references:]]
        except ValueError:
            listed(readers, chunk)  # names the line that is not UTF-8
            raise
        yield chunk, counted


def _side_by_side(columns: list[Any]) -> Any:
    """The references of each segment."""
    if len(columns) == 1:
        return columns[0]
    if type(columns[0]) is Utf8Rows:
        return Utf8Rows.side_by_side(columns)
    return list(zip(*columns, strict=True))
