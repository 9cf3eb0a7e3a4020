"""The file of a `ReferenceIndex`: a header, and sections of numbers that are mapped into memory.

Layout. A prefix of fixed size: magic, a mark of the byte order, version, sizes of the header and of
the file, and a checksum of prefix and header. The header is JSON: what the caller wants to keep,
and the name, offset and size of each section. Sections begin at multiples of 64 bytes; numbers in
them have the byte order of the machine that wrote them, because they are used where they lie.

Everything except the sections is checked; callers must accept any content of these.
"""

from __future__ import annotations

import json
import mmap
import os
import struct
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from zlib import crc32

from ..runtime.files import replacing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn

    from ..runtime.files import FilePath

VERSION = 1
# The first byte does not occur in text; line ends follow, which a transfer as text would change.
_MAGIC = b"\x8bBLEU\r\n\x1a"
_BYTE_ORDER = 0x01020304
# Magic, byte order, version, size of the header, size of the file, checksum.
_PREFIX = struct.Struct("=8sIIQQI4x")
_SIGNED = _PREFIX.size - 8
_ALIGNMENT = 64
# Bytes that are written between two checks for Ctrl-C.
_CHUNK = 1 << 24
_DAMAGED = "is damaged; copy it again, or save the index anew"
_ERRORS = ValueError, TypeError, LookupError, AttributeError, OverflowError, RecursionError


def write_file(path: FilePath, header: dict[str, Any], sections: Mapping[str, Any]) -> None:
    """Write a header of what JSON can hold, and bytes-like sections, or leave the file as it was.

    Raises an OSError, which names `path`, if the file cannot be written.
    """
    views = {name: memoryview(section).cast("B") for name, section in sections.items()}
    prefix, places = _prefix(header, views)
    with replacing(path) as file:
        file.write(prefix)
        for name, view in views.items():
            file.write(bytes(places[name] - file.tell()))
            for start in range(0, len(view), _CHUNK):
                file.write(view[start : start + _CHUNK])
                # Otherwise all data is written to disk at the end, which Ctrl-C cannot interrupt.
                if len(view) > _CHUNK:
                    os.fsync(file.fileno())


def _prefix(
    header: dict[str, Any], views: Mapping[str, memoryview]
) -> tuple[bytes, dict[str, int]]:
    """Prefix and header, and the offset of the first section, which the header itself contains."""
    start, written = 0, b""
    while True:
        places, end = {}, start
        for name, view in views.items():
            places[name] = end = -(-end // _ALIGNMENT) * _ALIGNMENT
            end += len(view)
        sections = {name: (places[name], len(view)) for name, view in views.items()}
        written = json.dumps({**header, "sections": sections}).encode("ascii")
        if _PREFIX.size + len(written) <= start:
            break
        start = _PREFIX.size + len(written) + _ALIGNMENT
    fixed = _PREFIX.pack(_MAGIC, _BYTE_ORDER, VERSION, len(written), end, 0)[:_SIGNED]
    checksum = crc32(written, crc32(fixed))
    return fixed + struct.pack("=I4x", checksum) + written, places


def read_file(path: FilePath) -> tuple[dict[str, Any], dict[str, memoryview]]:
    """Map a file into memory: its header, and read-only sections, which keep it mapped.

    Raises ValueError for any other file, version or byte order, and for a truncated or damaged one.
    """
    with open(path, "rb") as file:
        size = os.fstat(file.fileno()).st_size
        start = file.read(_PREFIX.size)
        if not start or not start.startswith(_MAGIC[: len(start)]):
            refuse(path, "was not written by ReferenceIndex.save; check the path")
        if len(start) < _PREFIX.size:
            refuse(path, f"is truncated: it has {size} bytes; copy or save it again")
        _, byte_order, version, header_size, file_size, checksum = _PREFIX.unpack(start)
        if byte_order != _BYTE_ORDER:
            if byte_order == int.from_bytes(_BYTE_ORDER.to_bytes(4, "big"), "little"):
                order = "big" if sys.byteorder == "little" else "little"
                refuse(
                    path,
                    f"was written on a machine of {order}-endian byte order, this one is "
                    f"{sys.byteorder}-endian; save the index anew here",
                )
            refuse(path, _DAMAGED)
        if version != VERSION:
            refuse(
                path,
                f"has the version {version} of the format, and this fastbleu reads version "
                f"{VERSION}; save the index anew, or install the fastbleu that wrote it",
            )
        if size < file_size:
            reason = f"is truncated: it has {size} of its {file_size} bytes; copy or save it again"
            refuse(path, reason)
        if size > file_size or header_size > size - _PREFIX.size:
            refuse(path, _DAMAGED)
        header = file.read(header_size)
        if crc32(header, crc32(start[:_SIGNED])) != checksum:
            refuse(path, _DAMAGED)
        mapped = memoryview(mmap.mmap(file.fileno(), size, access=mmap.ACCESS_READ))
    with damaged(path):
        found = json.loads(header)
        sections = {}
        for name, (offset, length) in found.pop("sections").items():
            if not 0 <= offset <= offset + length <= size or offset % _ALIGNMENT:
                raise ValueError(f"section {name} lies outside")
            sections[name] = mapped[offset : offset + length]
    return found, sections


@contextmanager
def damaged(path: FilePath) -> Iterator[None]:
    """Errors found while reading are reported against the file."""
    try:
        yield
    except _ERRORS as error:
        raise ValueError(f"{os.fsdecode(path)!r} {_DAMAGED} ({error})") from error


def refuse(path: FilePath, reason: str) -> NoReturn:
    """Raise the error for a file that is not an index, or not a readable one."""
    raise ValueError(f"{os.fsdecode(path)!r} {reason}")
