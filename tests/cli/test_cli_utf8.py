"""Files in UTF-8 are scored without Python strings, and with the same result and messages."""

import gzip
import os

import pytest
from commands import error, interrupt, run, start
from generators import seeded
from processes import POSIX

from fastbleu.cli import readers
from fastbleu.core.counting.counter import Counter

BLOCKS = (1, 3, 64)
WORDS = ("the", "cat", "sat.", "é", "я", "漢字", "😀", "3.5", "&amp;", "\ufeff", ".", "\u2028")
ENDS = ("", "", " .", " . ", "\r", " \t", "\xa0", "\u3000", "\x85", "\x1c\x1f", "\u200b", "\r\r")


def random_file(rng, lines):
    """Lines with all kinds of ends; the last may have none."""
    made = [
        " ".join(rng.choices(WORDS, k=rng.randint(0, 9))) + rng.choice(ENDS) for _ in range(lines)
    ]
    return "\n".join(made) + ("\n" if rng.random() < 0.5 or not made[-1] else "")


def as_strings(monkeypatch):
    """Have all lines converted to Python strings from now on."""
    monkeypatch.setattr(Counter, "reads_utf8", False)


FORMS = (
    *("-w 14", "-sl -w 14", "-f text -ci -cin 9", "-tok char -lc -w 14", "-tok intl -sl -b"),
    *("-tok zh -e utf-8-sig -w 14", "-tok none -sl -f tsv -b", "-f text -par -parn 9"),
)


@pytest.mark.parametrize("form", FORMS)
def test_the_output_equals_that_of_strings(monkeypatch, tmp_path, form):
    names = [tmp_path / name for name in ("r1", "r2.gz", "h1", "h2")]
    systems = names[2:] if "-par" in form else names[2:3]
    arguments = [*names[:2], "-i", *systems, *form.split()]
    for number, block in enumerate(BLOCKS):
        for name in names:
            rng = seeded(f"{form} {number} {name.name}")
            # Each file has the same number of lines.
            lines = random_file(rng, 60).split("\n")[:60]
            data = "\n".join([*lines, *[""] * (rng.random() < 0.5 or not lines[-1])]).encode()
            name.write_bytes(gzip.compress(data) if name.suffix == ".gz" else data)
        monkeypatch.setattr(readers, "_BLOCK_BYTES", block)
        found = [run(*arguments, "--threads", threads) for threads in (1, 2)]
        with monkeypatch.context() as patched:
            as_strings(patched)
            expected = run(*arguments)
        assert expected[0] == 0
        assert found == [expected] * 2, block


def test_standard_input_with_any_line_ends(monkeypatch, tmp_path):
    reference = tmp_path / "r"
    rng = seeded("standard input in place")
    for block in BLOCKS:
        lines = [" ".join(rng.choices(WORDS, k=rng.randint(1, 9))) for _ in range(90)]
        given = "".join(line + rng.choice(("\n", "\r\n", "\r", " \n")) for line in lines) + "end"
        reference.write_text("".join(f"{line} a\n" for line in lines) + "end\n", newline="")
        monkeypatch.setattr(readers, "_BLOCK_BYTES", block)
        words, stdin = [reference, "-w", "14", "--threads"], given.encode()
        results = [run(*words, threads, stdin=stdin) for threads in (1, 2)]
        with monkeypatch.context() as patched:
            as_strings(patched)
            results.append(run(*words, 1, stdin=stdin))
        assert results == [results[-1]] * 3
        assert results[0][0] == 0


@pytest.mark.parametrize("before", [0, 512, 40_000])
def test_the_line_that_is_not_utf8_is_named(tmp_path, before):
    good, bad = tmp_path / "good", tmp_path / "bad"
    good.write_bytes(b"a b\n" * (before + 700))
    bad.write_bytes(b"a b\n" * before + b"caf\xe9 \n" + b"a\xff\n" * 699)
    problem = f"{bad}: line {before + 1} is not valid UTF-8 (byte 4 of the line is 0xe9): convert"
    for names in ([good, "-i", bad], [bad, "-i", good], [good, good, "-i", good, bad]):
        for threads in (1, 2):
            assert error(*names, "--threads", threads).startswith(problem)


@pytest.mark.parametrize("threads", [1, 2])
def test_the_first_error_is_reported(tmp_path, threads):
    """The error in the second chunk is found while the first is being counted."""
    short, bad = tmp_path / "short", tmp_path / "bad"
    short.write_bytes(b"a\n" * 40_000)
    bad.write_bytes(b"\xff\n" * 50_000)
    assert "bad: line 1 is not valid" in error(short, "-i", bad, "--threads", threads)
    bad.write_bytes(b"a\n" * 50_000)
    message = f"{short} has 40000 lines, {bad} has 50000 lines"
    assert message in error(short, "-i", bad, "--threads", threads)


@pytest.mark.skipif(not POSIX, reason="needs POSIX signals")
@pytest.mark.parametrize("options", ["-sl", "--threads 2"])
def test_interrupt_while_reading_ahead(tmp_path, options):
    (tmp_path / "r").write_bytes(b"a b c\n" * 60_000)
    os.mkfifo(tmp_path / "pipe")
    process = start(tmp_path / "r", "-i", tmp_path / "pipe", *options.split())
    with (tmp_path / "pipe").open("wb") as stream:
        stream.write(b"a b c\n" * 40_000)
        stream.flush()
        interrupt(process)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (130, b"", b"")


def test_every_compiled_tokenizer_reads_in_place(monkeypatch, tmp_path):
    """The lines are never made into strings."""
    path = tmp_path / "r"
    path.write_bytes(random_file(seeded("no strings"), 50).encode())
    monkeypatch.setattr(readers.TextLines, "listed", None)
    for tokenizer in ("13a", "none", "char", "zh", "intl"):
        for form in ([], ["-sl"], ["-sl", "-f", "tsv", "-b"], ["-ci", "-cin", "9"]):
            assert run(path, "-i", path, "-tok", tokenizer, *form)[0] == 0
