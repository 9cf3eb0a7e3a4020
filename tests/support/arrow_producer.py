"""Columns with the Arrow interface built with ctypes: any layout, valid or not, with counts.

An `Array` describes an array: its format, length, buffers and children. `Column` exports one by
`__arrow_c_array__`, `Stream` several by `__arrow_c_stream__`. `EXPORTED` are the structs that were
exported and not released since; releasing one twice raises in ctypes' callback, which is noted in
`WRONG`.
"""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any

EXPORTED: dict[int, Any] = {}
WRONG: list[str] = []
_numbers = iter(range(1, 1 << 60))


class Schema(ctypes.Structure):
    pass


class CArray(ctypes.Structure):
    pass


class CStream(ctypes.Structure):
    pass


RELEASE_SCHEMA = ctypes.CFUNCTYPE(None, ctypes.POINTER(Schema))
RELEASE_ARRAY = ctypes.CFUNCTYPE(None, ctypes.POINTER(CArray))
RELEASE_STREAM = ctypes.CFUNCTYPE(None, ctypes.POINTER(CStream))
# The C functions return an int. ctypes writes no more than that, but a caller may rely on all of
# the register (s390x), which then holds half of an address.
GET_SCHEMA = ctypes.CFUNCTYPE(ctypes.c_ssize_t, ctypes.POINTER(CStream), ctypes.POINTER(Schema))
GET_NEXT = ctypes.CFUNCTYPE(ctypes.c_ssize_t, ctypes.POINTER(CStream), ctypes.POINTER(CArray))
GET_ERROR = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.POINTER(CStream))
Schema._fields_ = [
    *((name, ctypes.c_char_p) for name in ("format", "name", "metadata")),
    *((name, ctypes.c_int64) for name in ("flags", "n_children")),
    ("children", ctypes.POINTER(ctypes.POINTER(Schema))),
    ("dictionary", ctypes.POINTER(Schema)),
    ("release", RELEASE_SCHEMA),
    ("private_data", ctypes.c_void_p),
]
CArray._fields_ = [
    *((name, ctypes.c_int64) for name in ("length", "null_count", "offset")),
    *((name, ctypes.c_int64) for name in ("n_buffers", "n_children")),
    ("buffers", ctypes.POINTER(ctypes.c_void_p)),
    ("children", ctypes.POINTER(ctypes.POINTER(CArray))),
    ("dictionary", ctypes.POINTER(CArray)),
    ("release", RELEASE_ARRAY),
    ("private_data", ctypes.c_void_p),
]
CStream._fields_ = [
    ("get_schema", GET_SCHEMA),
    ("get_next", GET_NEXT),
    ("get_last_error", GET_ERROR),
    ("release", RELEASE_STREAM),
    ("private_data", ctypes.c_void_p),
]

new_capsule = ctypes.pythonapi.PyCapsule_New
new_capsule.restype = ctypes.py_object
new_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


@dataclass
class Array:
    """An array; buffers are bytes or None. Bytes lie in memory of exactly their size."""

    format: str
    length: int
    buffers: list[bytes | None] = field(default_factory=list)
    children: list[Array] = field(default_factory=list)
    dictionary: Array | None = None
    offset: int = 0
    null_count: int = -1
    name: str = "column"


def _release(pointer: Any) -> None:
    number = pointer.contents.private_data
    if EXPORTED.pop(number, None) is None:
        WRONG.append(f"released twice or never exported: {number}")
    pointer.contents.release = type(pointer.contents.release)()


_RELEASES = {
    Schema: RELEASE_SCHEMA(_release),
    CArray: RELEASE_ARRAY(_release),
    CStream: RELEASE_STREAM(_release),
}


def _exported(made: Any, *kept: Any) -> Any:
    made.private_data = number = next(_numbers)
    made.release = _RELEASES[type(made)]
    EXPORTED[number] = (made, kept)
    return made


def _pointers(kind: Any, made: list[Any]) -> Any:
    return (ctypes.POINTER(kind) * max(1, len(made)))(*map(ctypes.pointer, made))


def _schema(array: Array) -> Schema:
    made = Schema(array.format.encode(), array.name.encode())
    children = [_schema(child) for child in array.children]
    made.n_children, made.children = len(children), _pointers(Schema, children)
    if array.dictionary is not None:
        made.dictionary = ctypes.pointer(_schema(array.dictionary))
    return made


def _array(array: Array, kept: list[Any]) -> CArray:
    made = CArray(array.length, array.null_count, array.offset, len(array.buffers))
    memory = [
        None if content is None else ctypes.create_string_buffer(content, max(1, len(content)))
        for content in array.buffers
    ]
    addresses = [None if one is None else ctypes.addressof(one) for one in memory]
    made.buffers = (ctypes.c_void_p * max(1, len(memory)))(*addresses)
    children = [_array(child, kept) for child in array.children]
    made.n_children, made.children = len(children), _pointers(CArray, children)
    if array.dictionary is not None:
        made.dictionary = ctypes.pointer(_array(array.dictionary, kept))
    kept += [memory, children, made]
    return made


class Column:
    """Exports an array."""

    def __init__(self, array: Array) -> None:
        self.array = array

    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[Any, Any]:
        kept: list[Any] = []
        self.exported = (_exported(_schema(self.array)), _exported(_array(self.array, kept), kept))
        schema, array = self.exported
        return (
            new_capsule(ctypes.addressof(schema), b"arrow_schema", None),
            new_capsule(ctypes.addressof(array), b"arrow_array", None),
        )


class Stream:
    """Exports arrays one after the other; a number among them is an error to fail with."""

    def __init__(self, schema: Array, arrays: Iterable[Array | int]) -> None:
        self.schema, self.arrays = schema, arrays

    def __arrow_c_stream__(self, requested_schema: object = None) -> Any:
        rest, message = iter(self.arrays), ctypes.create_string_buffer(b"the disk is gone")

        def get_schema(stream: Any, out: Any) -> int:
            made = _exported(_schema(self.schema))
            ctypes.pointer(out.contents)[0] = made
            return 0

        def get_next(stream: Any, out: Any) -> int:
            array = next(rest, None)
            if isinstance(array, int):
                return array
            if array is None:
                ctypes.memset(out, 0, ctypes.sizeof(CArray))
                return 0
            kept: list[Any] = []
            out[0] = _exported(_array(array, kept), kept)
            return 0

        callbacks = GET_SCHEMA(get_schema), GET_NEXT(get_next)
        last = GET_ERROR(lambda stream: ctypes.addressof(message))
        self.exported = _exported(CStream(*callbacks, last), callbacks, last, message, self)
        return new_capsule(ctypes.addressof(self.exported), b"arrow_array_stream", None)


def packed(numbers: Iterable[int], code: str) -> bytes:
    numbers = list(numbers)
    return struct.pack(f"={len(numbers)}{code}", *numbers)


def validity(values: list[Any], offset: int = 0) -> bytes | None:
    """The bits of which values are there; None where all are."""
    if None not in values:
        return None
    bits = [0] * offset + [value is not None for value in values]
    bits += [0] * (-len(bits) % 8)
    return bytes(
        sum(bit << k for k, bit in enumerate(bits[i : i + 8])) for i in range(0, len(bits), 8)
    )


def text_array(values: list[Any], format: str = "u", skip: int = 0) -> Array:
    """Texts, str or bytes or None, of the format "u", "U" or "vu"; a slice behind `skip` others."""
    lines = [b"left out"] * skip
    lines += [text.encode() if isinstance(text, str) else text or b"" for text in values]
    valid = validity(values, skip)
    if format == "vu":
        views, data = b"", b""
        for line in lines:
            views += struct.pack("=i", len(line))
            views += line.ljust(12, b"\0") if len(line) <= 12 else line[:4]
            if len(line) > 12:
                views += struct.pack("=ii", 0, len(data))
                data += line
        buffers = [valid, views, data, struct.pack("=q", len(data))]
    else:
        ends = packed(accumulate(map(len, lines), initial=0), "i" if format == "u" else "q")
        buffers = [valid, ends, b"".join(lines)]
    return Array(format, len(values), buffers, offset=skip)


def dictionary_array(values: list[Any], code: str = "i", format: str = "u") -> Array:
    """The same behind a dictionary, with indices of a type of struct's."""
    words = sorted({value for value in values if value is not None})
    indices = [0 if value is None else words.index(value) for value in values]
    arrow_code = {"b": "c", "B": "C", "h": "s", "i": "i", "q": "l"}[code]
    return Array(
        arrow_code,
        len(values),
        [validity(values), packed(indices, code)],
        dictionary=text_array(words, format),
    )


def list_array(values: list[Any], child: Array, format: str = "+l", skip: int = 0) -> Array:
    """Lists, or None, whose elements together are those of a child; "+l", "+L" or "+w:N"."""
    sizes = [0] * skip + [0 if value is None else len(value) for value in values]
    buffers = [validity(values, skip)]
    if not format.startswith("+w"):
        buffers.append(packed(accumulate(sizes, initial=0), "i" if format == "+l" else "q"))
    return Array(format, len(values), buffers, [child], offset=skip)


def id_array(numbers: list[int], code: str = "i") -> Array:
    arrow_code = dict(zip("bhiqBHIQ", "csilCSIL", strict=True))[code]
    return Array(arrow_code, len(numbers), [None, packed(numbers, code)])
