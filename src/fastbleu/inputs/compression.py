"""Compressed files, and archives of one file: recognized by their first bytes or their suffix.

What Python's standard library unpacks is read; before Python 3.14 pyarrow unpacks zstd. Others are
refused, because with some encodings any bytes are a text.
"""

from __future__ import annotations

import io
import os
import re
from importlib import import_module

from ..runtime.extras import install_command

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_ZSTD = "compression.zstd"
# The modules that unpack; archives have several files.
SUFFIXES = {".gz": "gzip", ".tgz": "gzip", ".bz2": "bz2", ".xz": "lzma", ".lzma": "lzma"}
SUFFIXES |= {".zst": _ZSTD, ".zip": "zipfile", ".tar": "tarfile"}
_MARKS = {b"\x1f\x8b": "gzip", b"\xfd7zXZ\0": "lzma", b"]\0\0": "lzma", b"\x28\xb5\x2f\xfd": _ZSTD}
_MARKS |= {b"BZh%d1AY" % level: "bz2" for level in range(1, 10)} | {b"PK\3\4": "zipfile"}
_MARKS |= {b"7z\xbc\xaf'\x1c": "7-Zip", b"Rar!\x1a\7": "RAR", b'\4"M\x18': "lz4", b"x\x9c": "zlib"}
_MARKS |= {b"LZIP\1": "lzip", b"\x1f\x9d": ".Z", b"PAR1\x15": "Parquet", b"ARROW1\0": "Arrow"}
_HIDDEN = re.compile(r"/$|(^|/)(__MACOSX/|\._)")  # folders, and what macOS adds to archives
_FROM_PIPE = "an archive is not read from a pipe: save it as a file, or unpack it"


class PackedError(ValueError):
    """What is wrong with a packed file, and how to fix it."""


def without_suffix(name: str) -> str:
    """A name in lower case, without the suffixes of packed files."""
    stem, end = os.path.splitext(name.lower())
    return without_suffix(stem) if end in SUFFIXES else stem + end


def module_of(start: bytes, suffix: str = "") -> str | None:
    """The module that unpacks a file, by its first bytes and its suffix; None for plain files."""
    marked = (module for mark, module in _MARKS.items() if start.startswith(mark))
    module = "tarfile" if start[257:262] == b"ustar" else next(marked, SUFFIXES.get(suffix))
    if suffix == ".br" and re.search(rb"[\0-\x08\x0e-\x1a]", start):  # no text in Breton
        module = "Brotli"
    if module and module not in SUFFIXES.values():
        raise PackedError(f"this is {module}, not text: convert it, or use {', '.join(SUFFIXES)}")
    return module


def unpacked(file: Any, name: str, layers: int = 3) -> Any:
    """The content of an open file that can be peeked; the file itself if it is not packed."""
    stem, suffix = os.path.splitext(name.lower())
    module = module_of(file.peek(262), suffix)
    if module is None:
        return file
    if not layers:  # there are files that unpack to themselves
        raise PackedError("this is packed several times: unpack it")
    return unpacked(_content(file, module), stem, layers - 1)


def _content(file: Any, module: str) -> Any:
    try:
        unpacker = import_module(module)
    except ImportError:
        pyarrow = import_module("pyarrow")
        stream = pyarrow.CompressedInputStream(pyarrow.PythonFile(file, "r"), "zstd")
        return io.BufferedReader(stream)
    if module not in ("zipfile", "tarfile"):
        return unpacker.open(file)
    if not file.seekable():
        raise PackedError(_FROM_PIPE)
    is_zip = module == "zipfile"
    archive = unpacker.ZipFile(file) if is_zip else unpacker.open(fileobj=file)
    names = archive.namelist() if is_zip else [entry.name for entry in archive if entry.isfile()]
    names = [name for name in names if not _HIDDEN.search(name)]
    if len(names) != 1:
        raise PackedError(f"the archive has {len(names)} files, expected one: unpack it")
    return archive.open(names[0]) if is_zip else archive.extractfile(names[0])


def problem_of(error: Exception) -> str | None:
    """What an error in reading a packed file says, and a fix; None for errors of other kinds."""
    if isinstance(error, PackedError):
        return str(error)
    if isinstance(error, io.UnsupportedOperation):
        return _FROM_PIPE
    if isinstance(error, ImportError):
        return f"unpacking needs {error.name}: {install_command('parquet')}, or unpack it before"
    others = (ValueError, TypeError, LookupError, MemoryError)
    if isinstance(error, others) or getattr(error, "strerror", None):
        return None
    problem = "ends too early" if isinstance(error, EOFError) else f"is damaged ({error})".lower()
    return f"the compressed data {problem}; test it (as by gzip -t) and copy or pack it again"
