"""The bytes of a fuzzer's input as choices, made from their front."""

import functools
import os
import tempfile
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


class Wrong(AssertionError):
    """What a target raises where a result is not the right one."""


class Input:
    """Choices for which every input is good: after the end of the bytes come zeros."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._next = 0

    def byte(self) -> int:
        self._next += 1
        return self._data[self._next - 1] if self._next <= len(self._data) else 0

    def below(self, limit: int) -> int:
        """A number of at most 256 of them."""
        return self.byte() % limit

    def choice(self, options: Sequence[T]) -> T:
        return options[self.byte() % len(options)]

    def bytes(self, count: int) -> bytes:
        """The next bytes, or as many as there are."""
        taken = self._data[self._next : self._next + count]
        self._next += len(taken)
        return taken

    def rest(self) -> bytes:
        return self.bytes(len(self._data))


def equal(found: object, expected: object, *where: object) -> None:
    """Wrong, unless they are; `where` is all that one needs to see it again."""
    if found != expected:
        about = "; ".join(map(repr, where))
        raise Wrong(f"found {found!r}, expected {expected!r}; {about}")


@functools.cache
def directory() -> str:
    """Where a target writes its files; its caller removes them."""
    return os.environ.get("FASTBLEU_FUZZ_PLACE") or tempfile.mkdtemp(prefix="fastbleu-fuzz-")
