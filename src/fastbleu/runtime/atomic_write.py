"""Writing a file whole, or leaving what was there."""

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
    """A file to write to, which takes the place of `path` when all is written and closed.

    Until then, and after any error, what is at `path` stays as it was. OSErrors name `path`.
    """
    target = os.path.realpath(os.fsdecode(path))
    try:
        if os.path.isdir(target):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        if not os.path.isdir(os.path.dirname(target)):
            raise FileNotFoundError(errno.ENOENT, "its directory does not exist: create it first")
        if os.path.exists(target) and not os.path.isfile(target):
            # A device or a pipe would be replaced by the file.
            raise OSError(errno.EINVAL, "it is no regular file")
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
        # It may have the name of the temporary file, which nobody knows.
        raise OSError(error.errno, error.strerror, os.fsdecode(path)) from error
