"""Full disks and closed pipes: the right message and exit status.

No traceback, and no standard output that could be mistaken for a result. The full disk is a tmpfs
of 64 KiB in its own mount namespace, so that nothing has to be unmounted; if these are not allowed,
/dev/full replaces the disk. Damaged and strange files: tests/cli.
"""

import os
import shlex
import sys
from functools import cache
from pathlib import Path

import pytest

from trust.children import finish, python, tool

pytestmark = pytest.mark.skipif(os.name == "nt", reason="needs a POSIX system")

COMMAND = f"{shlex.quote(sys.executable)} -m fastbleu"
GOOD = "".join(f"line {n} of a text, with dashes – and more\n" for n in range(4000)).encode()
CONTENTS = {
    "good": GOOD,
    "system": GOOD.replace(b"text", b"txt"),
    "other": GOOD * 35 + b"so\n",  # not equal to "more" in its last line
    "more": GOOD * 35 + b"and so\n",
}
NO_SPACE = "cannot write the result: No space left on device"
# Of a shell, in which FASTBLEU is the command: what the one line of the error says; nothing is
# printed.
REFUSED = [
    ("FASTBLEU more -i other >&-", "standard output is closed"),
    ("FASTBLEU - -i good <&-", "standard input is closed"),
    ("head -n 7 good | FASTBLEU good", "no -i) has 7 lines"),
    ("mkfifo ends; head -c 3001 system >ends & FASTBLEU good -i ends -b", "lines"),
    ("FASTBLEU more -i other >/dev/full", NO_SPACE),
    ("FASTBLEU more -i other -sl >/dev/full", NO_SPACE),
    ("FASTBLEU more -i other -ci -cin 20 >/dev/full", NO_SPACE),
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
    """A directory with the files."""
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


@pytest.mark.parametrize(("line", "prints"), CLOSED)
def test_pipes_that_are_closed_early(directory, line, prints):
    done = run(directory, line, status="${PIPESTATUS[0]}")
    assert (done.status, done.output, done.errors) == (141, prints, ""), done.why()


@pytest.mark.parametrize("part", range(4))
def test_damaged_tables_are_read_or_refused_by_name(long, part, tmp_path):
    """They used to end the process inside of pyarrow, or with an error of pyarrow's."""
    pytest.importorskip("pyarrow")
    pytest.importorskip("narwhals")
    count = 375 if long else 25
    done = python("damaged_tables", part * count, count, tmp_path)
    assert done.status == 0, done.why()
    assert int(done.output.splitlines()[-1].removeprefix("read: ")) > count


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
