"""Saves and loads indexes on strange and full disks; a child of test_files.py.

python -m trust.index_files DIRECTORY, or "disk": the current directory is a full disk.
"""

from __future__ import annotations

import errno
import json
import os
import resource
import signal
import sys
import threading
from collections.abc import Callable
from pathlib import Path

from fastbleu.matrix import ReferenceIndex

SENTENCES = [" ".join(f"w{n * k % 97}" for k in range(1, 20)) for n in range(300)]
WHOLE = ReferenceIndex(SENTENCES)
OTHER = ReferenceIndex(SENTENCES[:1])
# Bytes of the prefix that mean nothing.
UNUSED = {36, 37, 38, 39}
cases = 0
failures: list[str] = []


def check(name: str, right: object) -> None:
    global cases
    cases += 1
    if not right:
        failures.append(name)


def error_of(call: Callable[[], object]) -> Exception | None:
    try:
        call()
    except (OSError, ValueError) as error:
        return error
    return None


def refused_write(name: str, directory: Path, number: int) -> None:
    """A save that must fail: with this error, the old file as it was, and nothing left behind."""
    path = directory / "old"
    OTHER.save(path)
    before, files = path.read_bytes(), sorted(os.listdir(directory))
    error = error_of(lambda: WHOLE.save(path))
    check(f"{name}: {error!r}", isinstance(error, OSError) and error.errno == number)
    check(f"{name}: the old file has changed", path.read_bytes() == before)
    check(f"{name}: {os.listdir(directory)}", sorted(os.listdir(directory)) == files)
    check(f"{name}: the old index", ReferenceIndex.load(path).ngrams == OTHER.ngrams)


def refused_load(name: str, path: Path, kind: type[Exception], *words: str) -> None:
    error = error_of(lambda: ReferenceIndex.load(path))
    right = isinstance(error, kind) and all(word in str(error) for word in words)
    check(f"{name}: {error!r}", right)


def truncated(directory: Path) -> None:
    """Every file that is cut is refused, whatever the place."""
    WHOLE.save(directory / "whole")
    content = (directory / "whole").read_bytes()
    path = directory / "cut"
    for size in [*range(200), *range(200, len(content), 997), len(content) - 1]:
        path.write_bytes(content[:size])
        word = "truncated" if size else "no file that ReferenceIndex.save has written"
        refused_load(f"cut at {size}", path, ValueError, word)
    path.write_bytes(content + b"\0")
    refused_load("a byte too many", path, ValueError, "damaged")
    for place in sorted({*range(200)} - UNUSED):
        changed = bytearray(content)
        changed[place] ^= 1 << place % 8
        path.write_bytes(changed)
        refused_load(f"byte {place} changed", path, ValueError)


def strange(directory: Path) -> None:
    path = directory / "strange"
    unknown = "no file that ReferenceIndex.save has written"
    for name, content in (
        ("text", "a text\r\n".encode("utf-8-sig")),
        ("NUL bytes", bytes(1000)),
        ("half a character", b"\xe2"),
        ("a gzip file", b"\x1f\x8b\x08" + bytes(60)),
    ):
        path.write_bytes(content)
        refused_load(name, path, ValueError, unknown)
    refused_load("a directory", directory, IsADirectoryError)
    refused_load("no file", directory / "none", FileNotFoundError)
    check("save to a directory", isinstance(error_of(lambda: OTHER.save(directory)), OSError))
    check("save beside nothing", isinstance(error_of(lambda: OTHER.save(path / "x")), OSError))
    pipe = directory / "index pipe"
    os.mkfifo(pipe)
    content = (directory / "whole").read_bytes()

    def feed() -> None:
        try:
            with open(pipe, "wb") as file:
                file.write(content)
        except BrokenPipeError:
            pass

    threading.Thread(target=feed, daemon=True).start()
    refused_load("a FIFO", pipe, ValueError)
    check("save to a FIFO", isinstance(error_of(lambda: OTHER.save(pipe)), OSError))
    check("the FIFO is still one", pipe.is_fifo())


def main() -> None:
    # A file that is too large is an error and not the end.
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    if sys.argv[1] == "disk":
        refused_write("a full disk", Path("."), errno.ENOSPC)
    else:
        directory = Path(sys.argv[1]) / "indexes"
        directory.mkdir()
        truncated(directory)
        strange(directory)
        limited = directory / "limited"
        limited.mkdir()
        OTHER.save(limited / "size")
        size = (limited / "size").stat().st_size
        resource.setrlimit(resource.RLIMIT_FSIZE, (size + 100, resource.RLIM_INFINITY))
        refused_write("a limit of size", limited, errno.EFBIG)
    print(json.dumps([cases, failures]))


if __name__ == "__main__":
    main()
