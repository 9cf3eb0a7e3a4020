"""The data for the page's script: a JSON header and arrays of numbers, compressed, in base64.

Layout before compression: the length of the header as uint32, the header, and the sections, each at
a multiple of 8 bytes; numbers are little-endian. The header has for each section its type, its
offset from the end of the header, and its number of items.
"""

from __future__ import annotations

import base64
import json
import zlib
from typing import TYPE_CHECKING, Any

import numpy

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

_TYPES = {"uint8": "u1", "uint16": "<u2", "uint32": "<u4", "float64": "<f8"}
_LEVEL = 6


class Payload:
    """Named sections, in the order in which they are added."""

    def __init__(self) -> None:
        self.header: dict[str, Any] = {"sections": {}}
        self._parts: list[bytes] = []
        self._size = 0

    def add(self, name: str, values: ArrayLike, kind: str) -> None:
        """Add numbers of a type, one of _TYPES."""
        made = numpy.asarray(values).astype(_TYPES[kind]).tobytes()
        self.header["sections"][name] = [kind, self._size, len(made) // int(_TYPES[kind][-1])]
        made += bytes(-len(made) % 8)
        self._parts.append(made)
        self._size += len(made)

    def add_counts(self, name: str, values: ArrayLike) -> None:
        """Add integers of at least 0 in as few bytes as they need."""
        array = numpy.asarray(values)
        largest = int(array.max()) if array.size else 0
        kind = "uint8" if largest < 1 << 8 else "uint16" if largest < 1 << 16 else "uint32"
        self.add(name, array, kind)

    def add_floats(self, name: str, values: ArrayLike) -> None:
        """Add floats, as distinct values and their indices if that is shorter."""
        array = numpy.asarray(values, numpy.float64)
        different, codes = numpy.unique(array, return_inverse=True, equal_nan=True)
        if len(different) < len(array) // 2:
            self.add(name, different, "float64")
            self.add_counts(f"{name}.codes", codes)
        else:
            self.add(name, array, "float64")

    def base64(self) -> str:
        """All of it, as text for the page."""
        header = json.dumps(self.header, ensure_ascii=False, allow_nan=False).encode(
            "utf-8", "replace"
        )
        header += b" " * (-(4 + len(header)) % 8)
        start = len(header).to_bytes(4, "little")
        packed = zlib.compressobj(_LEVEL)
        parts = [packed.compress(part) for part in (start, header, *self._parts)]
        return base64.b64encode(b"".join([*parts, packed.flush()])).decode("ascii")
