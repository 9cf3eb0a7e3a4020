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

from trust.children import environment, finish, tool

pytestmark = pytest.mark.skipif(os.name == "nt", reason="needs a POSIX system")

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
    **{f"{size}.gz": PACKED[:size] for size in (1, 10, 30)},
    "half.gz": PACKED[: len(PACKED) // 2],
    **{f"less-{size}.gz": PACKED[:-size] for size in (9, 1)},
    "flipped.gz": PACKED[:200] + bytes([PACKED[200] ^ 16]) + PACKED[201:],
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
    "bomb.xml": LAUGHS.encode(),
    "bomb.sgm": LAUGHS.partition("\n")[2].encode(),
    "thief.xml": BOMB.format('<!ENTITY lol9 SYSTEM "file:///etc/passwd">').encode(),
    "long-line": b"word " * 400_000 + b"\n",
    "binary": bytes(range(256)) * 64,
    "empty": b"",
    "other": GOOD * 35 + b"so\n",  # not equal to "more" in its last line
    "more": GOOD * 35 + b"and so\n",
    **CUT,
}
NO_SPACE = "fastbleu: error: cannot write the result: No space left on device"
# Arguments, and what the one line of the error says; nothing is printed.
REFUSED = [
    *((f"good -i {name} -b", f"{name}: ") for name in CUT),
    *((f"{name} -i good -sl", "gzip -t") for name in CUT),
    ("good -i half -b", "is not valid UTF-8 (byte "),
    ("good -i half-in-the-middle -b", "is not valid UTF-8 (byte "),
    ("good -i binary -b", "is not valid UTF-8"),
    ("good -i empty -b", "has 0 lines"),
    *((f"{name} -i good -b", "entities, which may be") for name in CONTENTS if ".gz" not in name
      and "." in name),
    (". -i good", "directory"),
    ("good -i /dev/zero", "a device, such as /dev/zero, may never end"),
    ("good </dev/zero", "a device, such as /dev/zero, may never end"),
    ("none -i good", "no such file"),
    ("'a\nb' -i good", "no such file"),
]  # fmt: skip
# Of a shell, in which FASTBLEU is the command: the exit status, and what is printed on either side.
SHELL = [
    ("FASTBLEU more -i other -sl -b | head -n 1", 141, "100.0\n", ""),
    ("FASTBLEU more -i other -sl -f json | head -c 0", 141, "", ""),
    ("PYTHONUNBUFFERED=1 FASTBLEU more -i other -sl -b | head -n 1", 141, "100.0\n", ""),
    ("FASTBLEU more -i other >&-", 1, "", "standard output is closed"),
    ("FASTBLEU - -i good <&-", 1, "", "standard input is closed"),
    ("head -n 7 good | FASTBLEU good", 1, "", "standard input has 7 lines"),
    *((f"FASTBLEU more -i other {form} >/dev/full", 1, "", NO_SPACE)
      for form in ("", "-sl", "-f text", "-ci -cin 20")),
]  # fmt: skip
FULL_DISK = {
    "the result": "PYTHONUNBUFFERED= {} >result",
    "the result, unbuffered": "PYTHONUNBUFFERED=1 {} >result",
    "temporary files": "TMPDIR=$PWD {} >/dev/null",
}


@pytest.fixture(scope="module")
def directory(tmp_path_factory):
    """A directory with files of every kind; `good` and `system` are all right."""
    found = tmp_path_factory.mktemp("files")
    for name, content in CONTENTS.items():
        (found / name).write_bytes(content)
    return found


def run(directory, arguments, shell="FASTBLEU ARGUMENTS"):
    """Run the command in the directory, by a shell."""
    command = f"{shlex.quote(sys.executable)} -m fastbleu"
    line = shell.replace("ARGUMENTS", arguments).replace("FASTBLEU", command)
    line = f"cd {shlex.quote(str(directory))}; {line}; exit ${{PIPESTATUS[0]}}"
    return finish(["bash", "-c", line], 60, env=environment(), stdin=b"")


@pytest.mark.parametrize(("arguments", "says"), REFUSED)
def test_files_that_are_refused(directory, arguments, says):
    done = run(directory, arguments)
    assert (done.status, done.output) == (1, ""), done.why()
    assert says in done.errors
    assert done.errors.startswith("fastbleu: error: ")
    assert done.errors.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "same", "says"),
    [
        ("good -i system -b", "good -i system -b", ""),
        ("good -i crlf -b", "good -i system -b", ""),
        ("good -i marked -b", "good -i system -b", "byte order mark"),
        ("nul -i nul -b", "nul -i nul -b", "equal to references"),
        ("long-line -i long-line -b", "good -i good -b", ""),
    ],
)
def test_files_that_are_read(directory, arguments, same, says):
    done, expected = run(directory, arguments), run(directory, same)
    assert (done.status, done.output) == (0, expected.output), done.why()
    assert says in done.errors
    assert done.errors.count("\n") == bool(says)


@pytest.mark.parametrize(("shell", "status", "prints", "says"), SHELL)
def test_pipes_and_streams(directory, shell, status, prints, says):
    # The status is that of fastbleu, which is the last but where it is first in a pipe.
    if shell.startswith("head"):
        shell += "; (exit $?)"
    done = run(directory, "", shell)
    assert (done.status, done.output) == (status, prints), done.why()
    assert says in done.errors
    assert done.errors.count("\n") == bool(says)


def test_a_fifo_is_read_as_it_is_filled(directory):
    os.mkfifo(directory / "pipe")
    right = run(directory, "good -i system -b")
    done = run(directory, "", "cat system >pipe & FASTBLEU good -i pipe -b")
    assert (done.status, done.output) == (0, right.output), done.why()


def test_a_fifo_that_ends_early(directory):
    os.mkfifo(directory / "short-pipe")
    done = run(directory, "", "head -c 3001 system >short-pipe & FASTBLEU good -i short-pipe -b")
    assert (done.status, done.output) == (1, ""), done.why()
    assert "lines" in done.errors


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
def test_the_command_line_on_a_full_disk(directory, what):
    more, other = (shlex.quote(str(directory / name)) for name in ("more", "other"))
    command = f"{shlex.quote(sys.executable)} -m fastbleu {more} -i {other} -sl -f json"
    shell = FULL_DISK[what].format(command)
    done = finish([*small_disk(), "bash", "-c", shell], 120, env=environment(), stdin=b"")
    assert (done.status, done.errors.strip()) == (1, NO_SPACE), done.why()
