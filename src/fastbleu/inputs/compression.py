"""Compressed files and archives of one file: recognized by their first bytes, or by their suffix.

What Python's standard library unpacks is read; before Python 3.14 pyarrow unpacks zstd. Others are
refused, because with some encodings any bytes are a text.
"""

from __future__ import annotations

import io
import os
import re
from importlib import import_module
from typing import Any

from ..runtime.extras import install_command

SUFFIXES = {".gz": "gzip", ".bz2": "bzip2", ".xz": "xz", ".lzma": "xz", ".zst": "zstd"}
SUFFIXES |= {".zip": "zip", ".tar": "tar", ".tgz": "gzip"}
_MODULES = {"gzip": "gzip", "bzip2": "bz2", "xz": "lzma", "zstd": "compression.zstd"}
# Where a file of a format has which bytes.
_MARKS: dict[str, tuple[int, tuple[bytes, ...]]] = {
    "gzip": (0, (b"\x1f\x8b",)),
    "bzip2": (4, (b"1AY&SY", b"\x17rE8P\x90")),
    "xz": (0, (b"\xfd7zXZ\0", b"]\0\0")),
    "zstd": (0, (b"\x28\xb5\x2f\xfd", b"\x50\x2a\x4d\x18")),
    "zip": (0, (b"PK\3\4", b"PK\5\6")),
    "tar": (257, (b"ustar",)),
    # Not read:
    "7-Zip": (0, (b"7z\xbc\xaf'\x1c",)),
    "RAR": (0, (b"Rar!\x1a\7",)),
    "lz4": (0, (b'\4"M\x18',)),
    "lzip": (0, (b"LZIP\1",)),
    "compress (.Z)": (0, (b"\x1f\x9d", b"\x1f\xa0")),
    "zlib": (0, (b"x\x9c", b"x\xda")),
    "Parquet": (0, (b"PAR1",)),
    "Arrow": (0, (b"ARROW1",)),
}
_START_BYTES = 262  # of an archive of tar
_MOST_LAYERS = 3  # such as .zip in .tar.gz; there are files that unpack to themselves
_HIDDEN = re.compile(r"/$|(^|/)(__MACOSX/|\._)")  # folders, and what macOS adds to archives
_CONTROLS = re.compile(rb"[\0-\x08\x0e-\x1a]")


class PackedError(ValueError):
    """What is wrong with a compressed file, and how to fix it."""


def without_suffix(name: str) -> str:
    """A name in lower case, without the suffixes of compressed files."""
    stem, end = os.path.splitext(name.lower())
    return without_suffix(stem) if end in SUFFIXES else stem + end


class Unpacked(io.RawIOBase):
    """The content of an open file that can be peeked; its format is recognized by the first read.

    `format` is that of the outermost layer; "" for files that are not compressed.
    """

    format = ""

    def __init__(self, file: Any, name: str) -> None:
        self._file, self._name = file, name
        self._content: Any = None
        self._start = b""

    def readable(self) -> bool:
        return True

    def peek(self) -> bytes:
        """Return some of the next bytes."""
        return self._call("peek", 1)

    def read(self, size: int = -1) -> bytes:
        """Return `size` bytes, fewer at the end."""
        return self._call("read", size)

    def read1(self, size: int = -1) -> bytes:
        """Return at most `size` bytes, as soon as there are any; b"" at the end."""
        data = self._call("read1", size)
        if len(self._start) < _START_BYTES and not self.format:
            self._start += data[:_START_BYTES]  # the first bytes of a pipe may come one by one
            if _format_of(self._start, ""):
                raise PackedError("compressed data comes in tiny pieces: save it to a file")
        return data

    def _call(self, method: str, size: int) -> bytes:
        try:
            self._content = self._content or self._open(self._file, self._name.lower())
            data: bytes = getattr(self._content, method)(size)
            return data
        except EOFError:
            problem = "the compressed data ends too early"
        except io.UnsupportedOperation:
            raise PackedError("an archive is not read from a pipe: save it to a file") from None
        except Exception as error:
            passed = isinstance(error, (MemoryError, PackedError))
            if passed or not self.format or getattr(error, "strerror", None):
                raise
            problem = f"the compressed data is damaged ({str(error).lower()})"
        tool = "unzip" if self.format == "zip" else self.format
        raise PackedError(f"{problem}; test it with {tool} -t and copy or pack it again")

    def _open(self, file: Any, name: str) -> Any:
        for _ in range(_MOST_LAYERS + 1):
            name, suffix = os.path.splitext(name)
            packed = _format_of(file.peek(_START_BYTES), suffix)
            if not packed:
                return file
            self.format = self.format or packed
            file = _opened(file, packed)
        raise PackedError(f"this is compressed more than {_MOST_LAYERS} times: unpack it")


def _format_of(start: bytes, suffix: str) -> str:
    """The format by the first bytes of a file and the end of its name; "" if it is none."""
    matches = (key for key, (at, marks) in _MARKS.items() if start.startswith(marks, at))
    packed = next(matches, SUFFIXES.get(suffix, ""))
    if suffix == ".br" and _CONTROLS.search(start):  # texts in Breton have this suffix, too
        packed = "Brotli"
    if packed and packed not in SUFFIXES.values():
        known = ", ".join(SUFFIXES)
        raise PackedError(f"this is {packed}, which is not read as text: convert it, or use {known}")
    return packed


def _opened(file: Any, packed: str) -> Any:
    """The content of a file of this format."""
    if packed in _MODULES:
        try:
            return import_module(_MODULES[packed]).open(file)
        except ImportError as error:
            if packed != "zstd":
                raise PackedError(f"this Python cannot unpack {packed}: {error}") from error
        try:
            pyarrow = import_module("pyarrow")
        except ImportError:
            fix = f"{install_command('parquet')}, or unpack it (zstd -d)"
            raise PackedError(f"before Python 3.14, zstd needs pyarrow: {fix}") from None
        stream = pyarrow.CompressedInputStream(pyarrow.PythonFile(file, "r"), "zstd")
        return io.BufferedReader(stream)
    if not file.seekable():
        raise io.UnsupportedOperation
    if packed == "zip":
        archive = import_module("zipfile").ZipFile(file)
        names, opened = archive.namelist(), archive.open
    else:
        archive = import_module("tarfile").open(fileobj=file)
        names, opened = [file.name for file in archive if file.isfile()], archive.extractfile
    names = [name for name in names if not _HIDDEN.search(name)]
    if len(names) != 1:
        listed = f" ({', '.join(names[:3])}{', ...' * (len(names) > 3)})" if names else ""
        raise PackedError(f"the archive has {len(names)} files{listed}, expected one: unpack it")
    return opened(names[0])
