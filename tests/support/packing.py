"""Compressed files and archives, as tests need them."""

import bz2
import gzip
import io
import lzma
import tarfile
import zipfile

from hosts import host


def archive(*members, mode="w"):
    """A tar archive of (name, content) pairs, compressed as the mode says."""
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode=mode) as opened:
        for name, content in members:
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            opened.addfile(entry, io.BytesIO(content))
    return file.getvalue()


def zipped(*members):
    """A zip archive of (name, content) pairs."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as opened:
        for name, content in members:
            opened.writestr(name, content)
    return file.getvalue()


PACKERS = {
    ".gz": lambda data: gzip.compress(data, mtime=0),
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".lzma": lambda data: lzma.compress(data, format=lzma.FORMAT_ALONE),
    ".zst": lambda data: host("pyarrow").compress(data, "zstd", asbytes=True),
    ".zip": lambda data: zipped(
        ("folder/", b""), ("folder/t", data), ("__MACOSX/folder/._t", b"x")
    ),
    ".tar": lambda data: archive(("t", data)),
    ".tar.gz": lambda data: archive(("t", data), mode="w:gz"),
}
