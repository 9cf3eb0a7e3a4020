"""Writing a file completely, or leaving the old one unchanged."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, BinaryIO

    FilePath = str | bytes | os.PathLike[Any]

# Windows would change line ends without it.
_BINARY = getattr(os, "O_BINARY", 0)


@contextmanager
def replacing(path: FilePath) -> Iterator[BinaryIO]:
    """Open a file for writing that replaces `path` once it is complete and closed.

    Until then, and after any error, `path` stays unchanged. OSErrors name `path`.
    """
    target = os.path.realpath(os.fsdecode(path))
    try:
        if os.path.isdir(target):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        if not os.path.isdir(os.path.dirname(target)):
            raise FileNotFoundError(errno.ENOENT, "its directory does not exist: create it first")
        if os.path.exists(target) and not os.path.isfile(target):
            # A device or a pipe would be replaced by the file.
            raise OSError(errno.EINVAL, "it is not a regular file")
        temporary = os.path.join(os.path.dirname(target), f".{os.urandom(8).hex()}.fastbleu")
        try:
            descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY, 0o666)
            with os.fdopen(descriptor, "wb") as file:
                yield file
                file.flush()
                os.fsync(file.fileno())
            os.replace(temporary, target)
        except BaseException:
            with suppress(OSError):
                os.unlink(temporary)
            raise
    except OSError as error:
        if error.errno is None:
            raise
        # The error may name the temporary file, which the caller does not know.
        raise OSError(error.errno, error.strerror, os.fsdecode(path)) from error
