"""Files in UTF-8 are scored without Python strings, and with the same result and messages."""

from __future__ import annotations

import gzip
import io
import os
import random
import sys
import threading
from contextlib import ExitStack, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import pytest
from commands import POSIX, interrupt, output, start
from generators import raises, seeded

from fastbleu.cli import files
from fastbleu.cli.command import main
from fastbleu.cli.readers import LineReader, in_step, listed, open_lines
from fastbleu.tokenizers._compiled import COMPILED

BLOCKS = (1, 2, 3, 7, 64, 1 << 15)
WORDS = ("the", "cat", "sat.", "é", "я", "漢字", "😀", "3.5", "&amp;", "\ufeff", ".", "\u2028")
ENDS = ("", "", " .", " . ", "\r", " \t", "\xa0", "\u3000", "\x85", "\x1c\x1f", "\u200b", "\r\r")


def random_file(rng: random.Random, lines: int) -> str:
    """Lines with all kinds of ends; the last may have none."""
    made = [
        " ".join(rng.choices(WORDS, k=rng.randint(0, 9))) + rng.choice(ENDS) for _ in range(lines)
    ]
    return "\n".join(made) + ("\n" if rng.random() < 0.5 or not made[-1] else "")


def ends(*arguments: Any) -> tuple[int, str, str]:
    """Status, standard output and standard error of a run in this process."""
    with redirect_stdout(io.StringIO()) as out, redirect_stderr(io.StringIO()) as err:
        status = main(list(map(str, arguments)))
    return status, out.getvalue(), err.getvalue()


def as_strings(monkeypatch: pytest.MonkeyPatch) -> None:
    """From now on all lines become Python strings."""
    monkeypatch.setattr(LineReader, "is_utf8", property(lambda _: False, lambda *_: None))


FORMS = (
    *("-w 14", "-sl -w 14", "-f text -ci -cin 9", "-tok char -lc -w 14", "-tok intl -sl -b"),
    *("-tok zh -w 14", "-tok none -sl -f tsv -b", "-sl -f json", "-e utf-8-sig -w 14"),
    *("-f text -par -parn 9", "--dialect multi-bleu"),
)


@pytest.mark.parametrize("form", FORMS)
def test_the_output_is_that_of_strings(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, form: str
) -> None:
    rng = seeded(f"command in place {form}")
    expected: dict[int, Any] = {}
    names = [tmp_path / name for name in ("r1", "r2.gz", "h1", "h2")]
    several = [*names[:2], "-i", *names[2:]]
    one = [*names[:2], "-i", names[2]]
    arguments = [*(several if "-par" in form else one), *form.split()]
    for number, block in enumerate(BLOCKS):
        for name in names:
            data = random_file(seeded(f"{form} {number} {name.name}"), 120).encode()
            # As many lines in each file.
            data = b"".join(line + b"\n" for line in data.split(b"\n")[:120])
            data = data[:-1] if rng.random() < 0.5 and not data.endswith(b"\n\n") else data
            name.write_bytes(gzip.compress(data) if name.suffix == ".gz" else data)
        monkeypatch.setattr(files, "_BLOCK_BYTES", block)
        found = [ends(*arguments, "--threads", threads) for threads in (1, 2)]
        with monkeypatch.context() as patched:
            as_strings(patched)
            expected[number] = ends(*arguments)
        assert found == [expected[number]] * 2, block
        assert expected[number][0] == 0, expected[number]
    assert len({its[1] for its in expected.values()}) > 1


def test_standard_input_with_any_line_ends(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    reference = tmp_path / "r"
    rng = seeded("standard input in place")
    for block in BLOCKS:
        lines = [" ".join(rng.choices(WORDS, k=rng.randint(1, 9))) for _ in range(90)]
        given = "".join(line + rng.choice(("\n", "\r\n", "\r", " \n")) for line in lines) + "end"
        reference.write_text("".join(f"{line} a\n" for line in lines) + "end\n", newline="")
        monkeypatch.setattr(files, "_BLOCK_BYTES", block)
        results = []
        for threads in (1, 2, 0):
            monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(given.encode())))
            with monkeypatch.context() as patched:
                if not threads:
                    as_strings(patched)
                results.append(ends(reference, "-w", "14", "--threads", threads or 1))
        assert results[0][0] == 0, results[0]
        assert results == [results[-1]] * 3


def read_in_place(*names: Path, lines: int, fields: int | None = 1) -> list[list[str]]:
    with ExitStack() as opened:
        readers = [open_lines(str(name), opened, fields=fields) for name in names]
        assert all(reader.is_utf8 for reader in readers)
        columns: list[list[str]] = [[] for _ in readers]
        for chunk in in_step(readers, lines, in_place=True):
            for column, more in zip(columns, listed(readers, chunk), strict=True):
                column += more
    return columns


@pytest.mark.parametrize("lines", [1, 2, 5, 4096])
def test_columns_are_those_of_strings(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, lines: int
) -> None:
    rng = seeded(f"columns in place {lines}")
    for block in BLOCKS:
        monkeypatch.setattr(files, "_BLOCK_BYTES", block)
        text = random_file(rng, 60)
        path = tmp_path / "a"
        path.write_bytes(text.encode())
        expected = [line.rstrip() for line in text.removesuffix("\n").split("\n")]
        assert read_in_place(path, path, lines=lines) == [expected] * 2
        assert read_in_place(path, lines=lines, fields=None) == [expected]


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("before", [0, 511, 512, 40_000])
def test_the_line_that_is_not_utf8(tmp_path: Path, threads: int, before: int) -> None:
    good, bad = tmp_path / "good", tmp_path / "bad"
    good.write_bytes(b"a b\n" * (before + 700))
    bad.write_bytes(b"a b\n" * before + b"caf\xe9 \n" + b"a\xff\n" * 699)
    problem = f"line {before + 1} is not valid UTF-8 (byte 4 of the line is 0xe9): convert"
    for names in ([good, "-i", bad], [bad, "-i", good], [good, good, "-i", good, bad]):
        status, out, err = ends(*names, "--threads", threads)
        assert (status, out) == (1, "")
        assert err.startswith(f"fastbleu: error: {bad}: {problem}"), err


def test_a_foreign_file_is_named_before_its_length(tmp_path: Path) -> None:
    good, bad = tmp_path / "good", tmp_path / "bad"
    good.write_bytes(b"a b\n" * 9)
    for data, hint in ((b"7z\xbc\xaf'\x1c\0", "7-Zip"), ("a\n".encode("utf-16"), "UTF-16")):
        bad.write_bytes(data)
        for names in ([good, "-i", bad], [bad, "-i", good]):
            assert hint in ends(*names)[2]


@pytest.mark.parametrize("threads", [1, 2])
def test_the_first_error_is_told(tmp_path: Path, threads: int) -> None:
    """Though that of the second chunk is found while the first is counted."""
    short, bad = tmp_path / "short", tmp_path / "bad"
    short.write_bytes(b"a\n" * 40_000)
    bad.write_bytes(b"\xff\n" * 50_000)
    assert "bad: line 1 is not valid" in ends(short, "-i", bad, "--threads", threads)[2]
    bad.write_bytes(b"a\n" * 50_000)
    message = f"{short} has 40000 lines, {bad} has 50000 lines"
    assert message in ends(short, "-i", bad, "--threads", threads)[2]


def test_lines_with_tabs_on_standard_input(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    reference = tmp_path / "r"
    reference.write_bytes(b"a\n" * 900)
    given = b"a\t\n" * 700 + b"a\tb\tc \n" + b"a\n" * 199
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(given)))
    status, out, err = ends(reference)
    assert (status, out) == (17, "")
    assert "standard input: line 701 has 3 fields separated by tabs, line 1 has 1: on" in err


def test_a_bad_line_with_tabs(tmp_path: Path) -> None:
    bad = tmp_path / "bad"
    bad.write_bytes(b"a\n\xff\tb\n")
    raises(files.InputError, "line 2 is not valid UTF-8", read_in_place, bad, lines=9, fields=None)


@pytest.mark.skipif(not POSIX, reason="needs named pipes")
@pytest.mark.parametrize("threads", [1, 2])
def test_pipes(tmp_path: Path, threads: int) -> None:
    text = random_file(seeded("pipes"), 20_000).encode()
    (tmp_path / "h").write_bytes(text)
    expected = output(tmp_path / "h", "-i", tmp_path / "h", "-w", "14", "--force")
    os.mkfifo(tmp_path / "pipe")

    def feed() -> None:
        with (tmp_path / "pipe").open("wb", 0) as stream:
            for at in range(0, len(text), 7001):
                stream.write(text[at : at + 7001])

    writer = threading.Thread(target=feed)
    writer.start()
    arguments = [tmp_path / "pipe", "-i", tmp_path / "h", "-w", "14", "--force"]
    assert output(*arguments, "--threads", threads) == expected
    writer.join()


@pytest.mark.skipif(not POSIX, reason="needs POSIX signals")
@pytest.mark.parametrize("options", ["-sl", "--threads 1", "--threads 2"])
def test_interrupt_while_reading_ahead(tmp_path: Path, options: str) -> None:
    (tmp_path / "r").write_bytes(b"a b c\n" * 60_000)
    os.mkfifo(tmp_path / "pipe")
    process = start(tmp_path / "r", "-i", tmp_path / "pipe", *options.split())
    with (tmp_path / "pipe").open("wb") as stream:
        stream.write(b"a b c\n" * 40_000)
        stream.flush()
        interrupt(process)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (130, b"", b"")


def test_every_compiled_tokenizer_reads_in_place(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The lines are never made into strings."""
    path = tmp_path / "r"
    path.write_bytes(random_file(seeded("no strings"), 50).encode())
    monkeypatch.setattr(files.TextLines, "listed", None)
    for tokenizer in COMPILED:
        for form in ([], ["-sl"], ["-sl", "-f", "tsv", "-b"], ["-ci", "-cin", "9"]):
            assert ends(path, "-i", path, "-tok", tokenizer, *form)[0] == 0
