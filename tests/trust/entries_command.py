"""The entry point of the command line, run in this process."""

from __future__ import annotations

import io
import os
from contextlib import redirect_stderr, redirect_stdout

from trust.entry import TEXT_REFERENCES, TEXTS, entry, scratch

from fastbleu import cli

REFERENCES = [references[0] for references in TEXT_REFERENCES]


def files():
    """Two files of text, and one that is no UTF-8."""
    paths = [str(scratch() / name) for name in ("reference.txt", "system.txt", "damaged.txt")]
    for path, content in zip(paths, ("\n".join(REFERENCES), "\n".join(TEXTS), None), strict=True):
        with open(path, "wb") as file:
            file.write(b"\xff\xfe\x00" if content is None else content.encode() + b"\n")
    return paths


def command(*arguments):
    """The exit status and what is printed."""
    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    with redirect_stdout(out), redirect_stderr(out):
        status = cli.main(list(arguments))
        out.flush()
        said = out.buffer.getvalue().decode()
    if status:
        raise OSError(status, said)
    return said


ENTRIES = [
    entry(
        "fastbleu.cli.main",
        lambda paths: command(paths[0], "-i", paths[1], "-b"),
        lambda paths: command(paths[0], "-i", paths[2]),
        lambda paths: command(paths[0], "-i", paths[1] + ".no"),
        lambda paths: command(paths[0], "-i", os.devnull),
        setup=files,
        threads=False,
    ),
    entry(
        "fastbleu.cli.main: segment by segment",
        lambda paths: command(paths[0], "-i", paths[1], "-sl", "-f", "text"),
        lambda paths: command(paths[0], "-i", paths[1], "-sl", "-ci"),
        setup=files,
        threads=False,
    ),
    entry(
        "fastbleu.cli.main: a test of significance",
        lambda paths: command(
            paths[0], "-i", paths[1], paths[0], "-pbs", "-pbsn", "9", "-f", "text"
        ),
        setup=files,
        threads=False,
    ),
]
