"""Saves an index where that must fail: a child of test_files.py.

    python -m trust.index_files ERROR [BYTES]

In the current directory: a full disk, or with a limit of BYTES more than a file has.
The error is the one of this name, the old file stays what it was, and nothing is left behind.
"""

import errno
import os
import resource
import signal
import sys

from fastbleu.matrix import ReferenceIndex

SENTENCES = [" ".join(f"w{n * k % 97}" for k in range(1, 20)) for n in range(300)]
WHOLE, OTHER = ReferenceIndex(SENTENCES), ReferenceIndex(SENTENCES[:1])


def main(error: str, more: str = "") -> None:
    OTHER.save("old")
    if more:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # so that it is an error and not the end
        limit = os.stat("old").st_size + int(more)
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
    with open("old", "rb") as file:
        before, files, number = file.read(), sorted(os.listdir()), None
        try:
            WHOLE.save("old")
        except OSError as raised:
            number = raised.errno
        assert number == getattr(errno, error), f"{number}, not {error}"
        file.seek(0)
        assert file.read() == before
    assert sorted(os.listdir()) == files
    assert ReferenceIndex.load("old").ngrams == OTHER.ngrams
    print(4)  # cases


if __name__ == "__main__":
    main(*sys.argv[1:])
