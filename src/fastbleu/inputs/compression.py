"""Compressed files, and archives of one file: recognized by their first bytes or their suffix.

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

_MODULES = {"gzip": "gzip", "bzip2": "bz2", "xz": "lzma", "zstd": "compression.zstd"}
_MODULES |= {"zip": "zipfile", "tar": "tarfile"}
SUFFIXES = {".gz": "gzip", ".bz2": "bzip2", ".xz": "xz", ".lzma": "xz", ".zst": "zstd"}
SUFFIXES |= {".zip": "zip", ".tar": "tar", ".tgz": "gzip"}
# The first bytes of formats; those without a module are not read.
_MARKS = {b"\x1f\x8b": "gzip", b"\xfd7zXZ\0": "xz", b"]\0\0": "xz", b"\x28\xb5\x2f\xfd": "zstd"}
_MARKS |= {b"PK\3\4": "zip", b"PK\5\6": "zip", **{b"BZh%d1AY" % n: "bzip2" for n in range(1, 10)}}
_MARKS |= {b"7z\xbc\xaf'\x1c": "7-Zip", b"Rar!\x1a\7": "RAR", b'\4"M\x18': "lz4", b"LZIP\1": "lzip"}
_MARKS |= {b"\x1f\x9d": "compress (.Z)", b"x\x9c": "zlib", b"PAR1": "Parquet", b"ARROW1": "Arrow"}
_TAR_BYTES = 262  # at the end of which its mark is
_HIDDEN = re.compile(r"/$|(^|/)(__MACOSX/|\._)")  # folders, and what macOS adds to archives


class PackedError(ValueError):
    """What is wrong with a compressed file, and how to fix it."""


def without_suffix(name: str) -> str:
    """A name in lower case, without the suffixes of compressed files."""
    stem, end = os.path.splitext(name.lower())
    return without_suffix(stem) if end in SUFFIXES else stem + end


def format_of(start: bytes, suffix: str = "") -> str:
    """The format by the first bytes of a file and the end of its name; "" if it is not packed."""
    marks = (packed for mark, packed in _MARKS.items() if start.startswith(mark))
    packed = "tar" if start[257:262] == b"ustar" else next(marks, SUFFIXES.get(suffix, ""))
    if suffix == ".br" and re.search(rb"[\0-\x08\x0e-\x1a]", start):  # texts in Breton end in it
        packed = "Brotli"
    if packed and packed not in _MODULES:
        known = ", ".join(SUFFIXES)
        raise PackedError(
            f"this is {packed}, which is not read as text: convert it, or use {known}"
        )
    return packed


def unpacked(file: Any, name: str, layers: int = 3) -> Any:
    """The content of an open file that can be peeked: the file itself if it is not packed.

    There are files that unpack to themselves, so that layers, as .zip in .tar.gz, are limited.
    """
    stem, suffix = os.path.splitext(name.lower())
    packed = format_of(file.peek(_TAR_BYTES), suffix)
    if not packed:
        return file
    if not layers:
        raise PackedError("this is packed several times: unpack it")
    return unpacked(io.BufferedReader(_Content(file, packed), 1 << 17), stem, layers - 1)


class _Content(io.RawIOBase):
    """What is in a compressed file; PackedError if it is damaged."""

    def __init__(self, file: Any, packed: str) -> None:
        self._file, self._packed = file, packed
        self._content: Any = None

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return bool(self._file.seekable())

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        return self._content.seek(offset, whence) if self._content else 0

    def readinto(self, buffer: Any) -> int:
        try:
            self._content = self._content or _opened(self._file, self._packed)
            data = self._content.read1(len(buffer))
        except EOFError:
            problem = "ends too early"
        except Exception as error:
            if isinstance(error, (MemoryError, PackedError)) or getattr(error, "strerror", None):
                raise
            problem = f"is damaged ({str(error).lower()})"
        else:
            buffer[: len(data)] = data
            return len(data)
        tool = f"{'unzip' if self._packed == 'zip' else self._packed} -t"
        fix = f"test it with {tool} and copy or pack it again"
        raise PackedError(f"the compressed data {problem}; {fix}")


def _opened(file: Any, packed: str) -> Any:
    try:
        module = import_module(_MODULES[packed])
    except ImportError:
        try:
            pyarrow = import_module("pyarrow")
        except ImportError:
            fix = f"{install_command('parquet')}, or unpack it"
            raise PackedError(f"this Python needs pyarrow to unpack {packed}: {fix}") from None
        return pyarrow.CompressedInputStream(pyarrow.PythonFile(file, "r"), packed)
    if packed not in ("zip", "tar"):
        return module.open(file)
    if not file.seekable():
        raise PackedError("an archive is not read from a pipe: save it to a file, or unpack it")
    if packed == "zip":
        archive = module.ZipFile(file)
        names, opened = archive.namelist(), archive.open
    else:
        archive = module.open(fileobj=file)
        names, opened = [entry.name for entry in archive if entry.isfile()], archive.extractfile
    names = [name for name in names if not _HIDDEN.search(name)]
    if len(names) != 1:
        listed = ", ".join([*names[:3], *["..."] * (len(names) > 3)])
        raise PackedError(f"the archive has {len(names)} files, expected one ({listed}): unpack it")
    return opened(names[0])
