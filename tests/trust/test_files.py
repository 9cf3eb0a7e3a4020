"""Damaged and strange files, full disks and closed pipes: the right message and exit status.

No traceback, and no standard output that could be mistaken for a result. The full disk is a tmpfs
of 64 KiB in its own mount namespace, so that nothing has to be unmounted; if these are not allowed,
/dev/full replaces the disk.
"""

from __future__ import annotations

import gzip
import os
import shlex
import sys
from functools import cache
from pathlib import Path

import pytest

from trust.children import finish, tool

pytestmark = pytest.mark.skipif(os.name == "nt", reason="needs a POSIX system")

COMMAND = f"{shlex.quote(sys.executable)} -m fastbleu"
GOOD = "".join(f"line {n} of a text, with dashes – and more\n" for n in range(4000)).encode()
SYSTEM = GOOD.replace(b"text", b"txt")
PACKED = gzip.compress(GOOD)
BOMB = """<?xml version="1.0"?>
<!DOCTYPE lolz [
<!ENTITY lol "lol">
{}]>
<refset><doc docid="d"><seg id="1">&lol9;</seg></doc></refset>
"""
LAUGHS = BOMB.format(
    "".join(
        f'<!ENTITY lol{n} "{f"&lol{n - 1};" * 10}">\n'.replace("&lol0;", "&lol;")
        for n in range(1, 10)
    )
)
CUT = {
    **{f"{size}.gz": PACKED[:size] for size in (1, 10, 30, len(PACKED) // 2)},
    **{f"less-{size}.gz": PACKED[:-size] for size in (9, 1)},
    "flipped.gz": PACKED[:200] + bytes([PACKED[200] ^ 16]) + PACKED[201:],
}
MARKUP = {
    "bomb.xml": LAUGHS.encode(),
    "bomb.sgm": LAUGHS.partition("\n")[2].encode(),
    "thief.xml": BOMB.format('<!ENTITY lol9 SYSTEM "file:///etc/passwd">').encode(),
}
CONTENTS = {
    "good": GOOD,
    "system": SYSTEM,
    "crlf": SYSTEM.replace(b"\n", b"\r\n"),
    "marked": b"\xef\xbb\xbf" + SYSTEM,
    "nul": GOOD.replace(b"text", b"t\0xt"),
    "half": GOOD[:-2] + "–".encode()[:2],
    # The character that is cut in half lies where one block of the reader ends.
    "half-in-the-middle": GOOD[: (1 << 15) - 1].ljust((1 << 15) - 1, b"x") + b"\xe2\n",
    "long-line": b"word " * 400_000 + b"\n",
    "binary": bytes(range(256)) * 64,
    "empty": b"",
    "other": GOOD * 35 + b"so\n",  # not equal to "more" in its last line
    "more": GOOD * 35 + b"and so\n",
    **MARKUP,
    **CUT,
}
NO_SPACE = "cannot write the result: No space left on device"
DEVICE = "a device, such as /dev/zero, may never end"
# Of a shell, in which FASTBLEU is the command: what the one line of the error says; nothing is
# printed.
REFUSED = [
    *((f"FASTBLEU good -i {name} -b", f"{name}: ") for name in CUT),
    *((f"FASTBLEU {name} -i good -b", "entities, which may be") for name in MARKUP),
    ("FASTBLEU less-1.gz -i good -sl", "gzip -t"),
    ("FASTBLEU good -i half -b", "is not valid UTF-8 (byte "),
    ("FASTBLEU good -i half-in-the-middle -b", "is not valid UTF-8 (byte "),
    ("FASTBLEU good -i binary -b", "is not valid UTF-8"),
    ("FASTBLEU good -i empty -b", "has 0 lines"),
    ("FASTBLEU . -i good", "directory"),
    ("FASTBLEU 'a\nb' -i good", "no such file"),
    ("FASTBLEU good -i /dev/zero", DEVICE),
    ("FASTBLEU good </dev/zero", DEVICE),
    ("FASTBLEU more -i other >&-", "standard output is closed"),
    ("FASTBLEU - -i good <&-", "standard input is closed"),
    ("head -n 7 good | FASTBLEU good", "standard input has 7 lines"),
    ("mkfifo ends; head -c 3001 system >ends & FASTBLEU good -i ends -b", "lines"),
    ("FASTBLEU more -i other >/dev/full", NO_SPACE),
    ("FASTBLEU more -i other -sl >/dev/full", NO_SPACE),
    ("FASTBLEU more -i other -ci -cin 20 >/dev/full", NO_SPACE),
]
# Files that are read: the same as which others, and the one line of a warning.
READ = [
    ("FASTBLEU good -i crlf -b", "FASTBLEU good -i system -b", ""),
    ("FASTBLEU good -i marked -b", "FASTBLEU good -i system -b", "byte order mark"),
    ("FASTBLEU nul -i nul -b", "FASTBLEU good -i good -b", "equal to references"),
    ("FASTBLEU long-line -i long-line -b", "FASTBLEU good -i good -b", ""),
    ("mkfifo pipe; cat system >pipe & FASTBLEU good -i pipe -b", "FASTBLEU good -i system -b", ""),
]
# Of pipes that are closed early: what comes through.
CLOSED = [
    ("FASTBLEU more -i other -sl -b | head -n 1", "100.0\n"),
    ("FASTBLEU more -i other -sl -f json | head -c 0", ""),
    ("PYTHONUNBUFFERED=1 FASTBLEU more -i other -sl -b | head -n 1", "100.0\n"),
]
FULL_DISK = {
    "the result": "PYTHONUNBUFFERED= FASTBLEU >result",
    "the result, unbuffered": "PYTHONUNBUFFERED=1 FASTBLEU >result",
    "temporary files": "TMPDIR=$PWD FASTBLEU >/dev/null",
}


@pytest.fixture(scope="module")
def directory(tmp_path_factory):
    """A directory with files of every kind; `good` and `system` are all right."""
    found = tmp_path_factory.mktemp("files")
    for name, content in CONTENTS.items():
        (found / name).write_bytes(content)
    return found


def run(directory, line, status="$?"):
    """Run a line of a shell in the directory; it ends with the status of the last command."""
    line = line.replace("FASTBLEU", COMMAND)
    line = f"cd {shlex.quote(str(directory))}; {line}; exit {status}"
    return finish(["bash", "-c", line], 60)


@pytest.mark.parametrize(("line", "says"), REFUSED)
def test_refused_with_one_line(directory, line, says):
    done = run(directory, line)
    assert (done.status, done.output) == (1, ""), done.why()
    assert says in done.errors
    assert done.errors.startswith("fastbleu: error: ")
    assert done.errors.count("\n") == 1


@pytest.mark.parametrize(("line", "same", "warning"), READ)
def test_files_that_are_read(directory, line, same, warning):
    done, expected = run(directory, line), run(directory, same)
    assert (done.status, done.output) == (0, expected.output), done.why()
    assert warning in done.errors
    assert done.errors.count("\n") == bool(warning)


@pytest.mark.parametrize(("line", "prints"), CLOSED)
def test_pipes_that_are_closed_early(directory, line, prints):
    done = run(directory, line, status="${PIPESTATUS[0]}")
    assert (done.status, done.output, done.errors) == (141, prints, ""), done.why()


@cache
def small_disk():
    """The command that runs another one on a full disk (see full_disk.sh)."""
    script = Path(__file__).with_name("full_disk.sh")
    for namespace in ("unshare -m", "unshare -rm"):
        start = ["env", f"UNSHARE={namespace}", "bash", script]
        if tool("unshare") and finish([*start, "true"], 9).status == 0:
            return start
    return pytest.skip("no file system may be mounted here; /dev/full was tried")


@pytest.mark.parametrize("what", FULL_DISK)
def test_a_full_disk(directory, what):
    more, other = (shlex.quote(str(directory / name)) for name in ("more", "other"))
    command = f"{COMMAND} {more} -i {other} -sl -f json"
    line = FULL_DISK[what].replace("FASTBLEU", command)
    done = finish([*small_disk(), "bash", "-c", line], 60)
    assert (done.status, done.errors.strip()) == (1, f"fastbleu: error: {NO_SPACE}"), done.why()
