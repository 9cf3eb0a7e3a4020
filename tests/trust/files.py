"""Damaged and strange files, full disks and closed pipes: the right message and exit status.

No traceback, nothing on standard output that could be taken for a result where there is none, and
no damaged index that could be taken for a whole one. The disk that is full is a tmpfs of 64 KiB, in
a mount namespace of its own, so that nothing has to be unmounted; where neither is allowed, files
are limited in size instead (RLIMIT_FSIZE) and /dev/full stands for the disk.
"""

from __future__ import annotations

import gzip
import json
import os
import shlex
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from trust.part import Finished, Outcome, Part, environment, finish, measured, skip, tool

LINES = 4000
BOMB = """<?xml version="1.0"?>
<!DOCTYPE lolz [
<!ENTITY lol "lol">
{more}]>
<refset><doc docid="d"><seg id="1">&lol9;</seg></doc></refset>
"""
LAUGHS = "".join(
    f'<!ENTITY lol{n} "{f"&lol{n - 1};" * 10}">\n'.replace("&lol0;", "&lol;") for n in range(1, 10)
)
NO_SPACE = "fastbleu: error: cannot write the result: No space left on device"


@dataclass(frozen=True)
class Case:
    """A run of the command line: of `arguments`, or of them in a shell where `shell` is given.

    `says` stands in standard error, and that is one line; with status 0 standard output is `prints`
    if that is given, else it is empty.
    """

    name: str
    arguments: list[str]
    status: int
    says: str = ""
    prints: str | None = None
    shell: str = ""


def text(lines: int = LINES) -> bytes:
    return "".join(f"line {n} of a text, with dashes – and more\n" for n in range(lines)).encode()


def inputs(directory: Path) -> dict[str, str]:
    """Files of every kind, by name; `good` and `system` are all right."""
    good = text()
    packed = gzip.compress(good)
    contents = {
        "good": good,
        "system": good.replace(b"text", b"txt"),
        "crlf": good.replace(b"text", b"txt").replace(b"\n", b"\r\n"),
        "marked": b"\xef\xbb\xbf" + good.replace(b"text", b"txt"),
        "nul": good.replace(b"text", b"t\0xt"),
        "half": good[:-2] + "–".encode()[:2],
        # The character that is cut in half lies where one block of the reader ends.
        "half in the middle": good[: (1 << 15) - 1].ljust((1 << 15) - 1, b"x") + b"\xe2\n",
        "bomb.xml": BOMB.format(more=LAUGHS).encode(),
        "bomb.sgm": BOMB.format(more=LAUGHS).partition("\n")[2].encode(),
        "thief.xml": BOMB.format(more='<!ENTITY lol9 SYSTEM "file:///etc/passwd">').encode(),
        "long line": b"word " * 400_000 + b"\n",
        "binary": bytes(range(256)) * 64,
        "empty": b"",
    }
    for size in (1, 10, 30, len(packed) // 2, len(packed) - 9, len(packed) - 1):
        contents[f"cut at {size}.gz"] = packed[:size]
    contents["flipped.gz"] = packed[:200] + bytes([packed[200] ^ 16]) + packed[201:]
    contents["many"] = good * 35
    paths = {}
    for name, content in contents.items():
        path = directory / name
        path.write_bytes(content)
        paths[name] = str(path)
    return paths


def cases(paths: dict[str, str], directory: Path) -> Iterator[Case]:
    good, system = paths["good"], paths["system"]
    score = command_line(good, "-i", system, "-b").output
    yield Case("plain text", [good, "-i", system, "-b"], 0, prints=score)
    for name in paths:
        if name.startswith("cut at ") or name == "flipped.gz":
            yield Case(name, [good, "-i", paths[name], "-b"], 1, f"{paths[name]}: ")
            yield Case(f"{name}, by lines", [paths[name], "-i", good, "-sl"], 1, "gzip -t")
    for name in ("half", "half in the middle"):
        yield Case(name, [good, "-i", paths[name], "-b"], 1, "is not valid UTF-8 (byte ")
    yield Case("CRLF", [good, "-i", paths["crlf"], "-b"], 0, prints=score)
    yield Case("a BOM", [good, "-i", paths["marked"], "-b"], 0, "byte order mark", prints=score)
    nul = command_line(paths["nul"], "-i", paths["nul"], "-b").output
    yield Case("NUL bytes", [paths["nul"], "-i", paths["nul"], "-b"], 0, prints=nul)
    yield Case("a binary file", [good, "-i", paths["binary"], "-b"], 1, "is not valid UTF-8")
    yield Case("an empty file", [good, "-i", paths["empty"], "-b"], 1, "has 0 lines")
    for name in ("bomb.xml", "bomb.sgm", "thief.xml"):
        says = "entities, which may be an attack"
        yield Case(name, [paths[name], "-i", good, "-b"], 1, says)
    yield Case("a directory", [str(directory), "-i", good], 1, "directory")
    yield Case("no file", [str(directory / "none"), "-i", good], 1, "no such file")
    yield Case(
        "a NUL in a name, as an argument cannot have it: a newline",
        [str(directory / "a\nb"), "-i", good], 1, "no such file",
    )  # fmt: skip
    long_line = paths["long line"]
    yield Case("a long line", [long_line, "-i", long_line, "-b"], 0, prints="100.0\n")
    many = [paths["many"], "-i", paths["many"]]
    yield Case(
        "a closed pipe", [*many, "-sl", "-b"], 141, prints="100.0\n",
        shell="{command} | head -n 1; exit ${{PIPESTATUS[0]}}",
    )  # fmt: skip
    yield Case(
        "a closed pipe, formatted", [*many, "-sl", "-f", "json"], 141, prints="*",
        shell="{command} | head -c 9; exit ${{PIPESTATUS[0]}}",
    )  # fmt: skip
    yield Case(
        "a closed pipe, unbuffered", [*many, "-sl", "-b"], 141, prints="100.0\n",
        shell="PYTHONUNBUFFERED=1 {command} | head -n 1; exit ${{PIPESTATUS[0]}}",
    )  # fmt: skip
    yield Case("no standard output", many, 1, "standard output is closed", shell="{command} >&-")
    yield Case(
        "no standard input", ["-", "-i", good], 1, "standard input is closed",
        shell="{command} <&-",
    )  # fmt: skip
    yield Case(
        "a pipe that is cut", [good], 1, "standard input has 7 lines",
        shell=f"head -n 7 {shlex.quote(good)} | {{command}}",
    )  # fmt: skip
    if Path("/dev/full").exists():
        for form in ([], ["-sl"], ["-f", "text"]):
            name = f"/dev/full {' '.join(form)}"
            yield Case(name, [*many, *form], 1, NO_SPACE, shell="{command} >/dev/full")


def command_line(*arguments: str, shell: str = "") -> Finished:
    command = [sys.executable, "-m", "fastbleu", *arguments]
    if shell:
        command = ["bash", "-c", shell.format(command=shlex.join(command))]
    return finish(command, 60, env=environment(), stdin=b"")


def check(case: Case, outcome: Outcome) -> None:
    done = command_line(*case.arguments, shell=case.shell)
    problems = []
    if done.timed_out or done.status != case.status:
        problems.append(f"status {done.status} in place of {case.status}")
    if "Traceback" in done.errors or done.errors.count("\n") > 1:
        problems.append("more than one line")
    if case.says not in done.errors or (not case.says and done.errors):
        problems.append(f"expected {case.says!r}")
    prints = case.prints or ""
    if prints != "*" and done.output != prints:
        problems.append(f"printed {done.output[:80]!r}")
    failure = f"{case.name}: {'; '.join(problems)}; {done.why()}"
    outcome.check(not problems, failure)


def fifo(paths: dict[str, str], directory: Path) -> Iterator[tuple[str, bool, str]]:
    """A named pipe is read as it is filled; markup, which is read twice, is refused."""
    pipe = directory / "pipe"
    os.mkfifo(pipe)
    shell = f"cat {shlex.quote(paths['system'])} >{pipe} & {{command}}"
    done = command_line(paths["good"], "-i", str(pipe), "-b", shell=shell)
    right = command_line(paths["good"], "-i", paths["system"], "-b")
    yield "a FIFO", (done.status, done.output) == (0, right.output), done.why()
    half = f"head -c 3001 {shlex.quote(paths['system'])} >{pipe} & {{command}}"
    done = command_line(paths["good"], "-i", str(pipe), "-b", shell=half)
    short = done.status == 1 and not done.output and "lines" in done.errors
    yield "a FIFO that ends early", short, done.why()
    markup = directory / "pipe.xml"
    os.mkfifo(markup)
    refused = f"cat {shlex.quote(paths['bomb.xml'])} >{markup} & {{command}}; kill $! 2>/dev/null"
    done = command_line(str(markup), "-i", paths["good"], shell=refused + "; exit 1")
    yield "a FIFO of XML", "it must be a file and no pipe" in done.errors, done.why()


def small_disk() -> list[str]:
    """The command that runs another one on a full disk (see full_disk.sh), or []."""
    script = str(Path(__file__).with_name("full_disk.sh"))
    for namespace in (["unshare", "-m"], ["unshare", "-rm"]):
        if tool("unshare") and finish(["bash", script, "true"], 9, env=environment(
            changes={"UNSHARE": " ".join(namespace)}
        )).status == 0:  # fmt: skip
            return ["env", f"UNSHARE={' '.join(namespace)}", "bash", script]
    return []


def full_disk(paths: dict[str, str], disk: list[str]) -> Iterator[tuple[str, bool, str]]:
    many = [paths["many"], "-i", paths["many"], "-sl", "-f", "json"]
    command = shlex.join([sys.executable, "-m", "fastbleu", *many])
    for name, shell in (
        ("the result", f"PYTHONUNBUFFERED= {command} >result"),
        ("the result, unbuffered", f"PYTHONUNBUFFERED=1 {command} >result"),
        ("temporary files", f"TMPDIR=$PWD {command} >/dev/null"),
    ):
        done = finish([*disk, "bash", "-c", shell], 120, env=environment(), stdin=b"")
        right = done.status == 1 and done.errors.strip() == NO_SPACE
        yield f"a full disk for {name}", right, done.why()


def command_lines(directory: Path, disk: list[str]) -> Iterator[Outcome]:
    with measured("the command line") as outcome:
        paths = inputs(directory)
        with ThreadPoolExecutor(2) as pool:
            for _ in pool.map(lambda case: check(case, outcome), cases(paths, directory)):
                pass
        for name, right, why in fifo(paths, directory):
            outcome.check(right, f"{name}: {why}")
    yield outcome
    what = "the command line on a full disk"
    if not disk:
        yield skip(what, "no file system may be mounted here; /dev/full was tried")
        return
    with measured(what) as outcome:
        for name, right, why in full_disk(paths, disk):
            outcome.check(right, f"{name}: {why}")
    yield outcome


def indices(directory: Path, disk: list[str]) -> Iterator[Outcome]:
    with measured("ReferenceIndex.save and load") as outcome:
        command = [sys.executable, "-X", "faulthandler", "-m", "trust.index_files"]
        for where, start in ((directory, []), ("disk", disk)):
            if not start and where == "disk":
                continue
            done = finish([*start, *command, where], 120, env=environment())
            try:
                found = json.loads(done.output.strip().splitlines()[-1])
            except (ValueError, IndexError):
                outcome.check(False, f"the process {done.why()}")
                continue
            outcome.cases += found[0]
            outcome.failures += found[1]
    yield outcome


def run(long: bool) -> Iterator[Outcome]:
    if os.name == "nt":
        yield skip("files", "needs a POSIX system")
        return
    disk = small_disk()
    with tempfile.TemporaryDirectory(prefix="fastbleu-trust-") as name:
        yield from command_lines(Path(name), disk)
        yield from indices(Path(name), disk)


PART = Part("files", "damaged and strange files, full disks and closed pipes", run)
