"""fastbleu.files: what a line is, lock step, and the one-line errors."""

from __future__ import annotations

import gzip
import os
import sys
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastbleu.files import InputError, ParallelFiles, label

TEXT = "первая строка\nдругая\n\n第三行\n"


def read(*paths: Path | str, chunk: int = 4096) -> list[list[str]]:
    """All lines of all files, chunk after chunk."""
    with ParallelFiles([str(path) for path in paths]) as files:
        columns: list[list[str]] = [[] for _ in paths]
        for lines in files.chunks(chunk):
            assert len({len(part) for part in lines}) == 1
            assert 0 < len(lines[0]) <= chunk
            for column, part in zip(columns, lines, strict=True):
                column += part
    return columns


def write(path: Path, data: bytes | str) -> Path:
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return path


def error_of(*paths: Path | str, chunk: int = 4096) -> str:
    with pytest.raises(InputError) as caught:
        read(*paths, chunk=chunk)
    message = str(caught.value)
    assert "\n" not in message
    return message


# ---- lines ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "lines"),
    [
        (b"", []),
        (b"\n", [""]),
        (b"a", ["a"]),
        (b"a\n", ["a"]),
        (b"a\nb", ["a", "b"]),
        (b"a\n\n", ["a", ""]),
        (b"a\r\nb\r\n", ["a", "b"]),
        (b"a\r\r\nb", ["a\r", "b"]),
        (b"a\rb\r", ["a\rb\r"]),
        (b"\xef\xbb\xbfa\n\xef\xbb\xbfb\n", ["a", "\ufeffb"]),
        (b"\xef\xbb\xbf", []),
        (b"\xef\xbb\xbf\n", [""]),
        (b"a\0b\n", ["a\0b"]),
    ],
)
def test_what_a_line_is(tmp_path: Path, data: bytes, lines: list[str]) -> None:
    for chunk in (1, 2, 4096):
        assert read(write(tmp_path / "a.txt", data), chunk=chunk) == [lines]


@pytest.mark.parametrize(
    "mark", ["\x0b", "\x0c", "\x1c", "\x1d", "\x1e", "\x85", "\u2028", "\u2029"]
)
def test_only_newlines_end_a_line(tmp_path: Path, mark: str) -> None:
    assert read(write(tmp_path / "a.txt", f"a{mark}b\nc\n")) == [[f"a{mark}b", "c"]]


@given(
    lines=st.lists(st.text(st.characters(exclude_characters="\n", codec="utf-8"))),
    chunk=st.integers(1, 5),
    last=st.booleans(),
)
def test_lines_come_back(
    tmp_path_factory: pytest.TempPathFactory, lines: list[str], chunk: int, last: bool
) -> None:
    data = "\n".join(lines) + "\n" * (bool(lines) and (last or not lines[-1]))
    expected = [line.removesuffix("\r") for line in lines[:-1]] + lines[-1:]
    if lines and data.endswith("\r\n"):
        expected[-1] = expected[-1].removesuffix("\r")
    if lines:
        expected[0] = expected[0].removeprefix("\ufeff")
    if data == "\ufeff":
        expected = []
    path = write(tmp_path_factory.mktemp("lines") / "a.txt", data)
    assert read(path, chunk=chunk) == [expected]


# ---- several files --------------------------------------------------------------------------


def test_lock_step_and_mixed_kinds(tmp_path: Path) -> None:
    plain = write(tmp_path / "a.txt", TEXT)
    packed = write(tmp_path / "a.txt.gz", gzip.compress(TEXT.encode()))
    parts = write(
        tmp_path / "b.GZ", gzip.compress(TEXT.encode()[:9]) + gzip.compress(TEXT.encode()[9:])
    )
    lines = TEXT.split("\n")[:-1]
    for chunk in (1, 3, 4, 5):
        assert read(plain, packed, parts, plain, chunk=chunk) == [lines] * 4


def test_size_and_position(tmp_path: Path) -> None:
    first = write(tmp_path / "a.txt", "x\n" * 100_000)
    second = write(tmp_path / "b.txt.gz", gzip.compress(b"yy\n" * 100_000))
    with ParallelFiles([str(first), str(second)]) as files:
        assert files.size == first.stat().st_size + second.stat().st_size
        positions = [files.position for _ in files.chunks()]
        assert positions == sorted(positions)
        assert files.position == files.size


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_has_no_size(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(b"a\nb\n",))
    writer.start()
    with ParallelFiles([str(pipe)]) as files:
        assert files.size is None
        assert list(files.chunks()) == [[["a", "b"]]]
    writer.join()


def test_files_are_closed(tmp_path: Path) -> None:
    path = write(tmp_path / "a.txt.gz", gzip.compress(b"a\n" * 9000))
    folder = Path("/proc/self/fd")
    if not folder.exists():
        pytest.skip("needs /proc")
    before = len(list(folder.iterdir()))
    for _ in range(5):
        read(path, path)
        with ParallelFiles([str(path)]) as files:
            next(files.chunks(1))
        error_of(path, tmp_path / "missing.txt")
    assert len(list(folder.iterdir())) == before


# ---- errors ---------------------------------------------------------------------------------


@pytest.mark.parametrize("chunk", [1, 2, 3, 4096])
def test_unequal_lengths(tmp_path: Path, chunk: int) -> None:
    short = write(tmp_path / "short.txt", "a\nb\nc")
    long = write(tmp_path / "long.txt.gz", gzip.compress(b"a\nb\nc\nd\ne\n"))
    for names in ((short, long), (long, short), (short, short, long), (long, short, long)):
        message = error_of(*names, chunk=chunk)
        assert message.startswith(f"{short} has 3 lines, {long} has 5 lines: ")


@pytest.mark.parametrize("chunk", [1, 2, 4096])
def test_a_blank_last_line_is_named(tmp_path: Path, chunk: int) -> None:
    short = write(tmp_path / "short.txt", "a\n")
    long = write(tmp_path / "long.txt", "a\n \n")
    message = error_of(short, long, chunk=chunk)
    assert (
        message == f"{short} has 1 line, {long} has 2 lines: remove its last line, which is blank"
    )


def test_an_empty_file_beside_a_full_one(tmp_path: Path) -> None:
    empty = write(tmp_path / "empty.txt", "")
    full = write(tmp_path / "full.txt", "a\n" * 10_000)
    assert error_of(full, empty).startswith(f"{empty} has 0 lines, {full} has 10000 lines")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_longer_pipe_is_not_waited_for(tmp_path: Path) -> None:
    short = write(tmp_path / "short.txt", "a\n" * 3)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    done = threading.Event()

    def feed() -> None:
        with pipe.open("wb") as stream:
            stream.write(b"a\n" * 8)
            stream.flush()
            done.wait(30)

    writer = threading.Thread(target=feed)
    writer.start()
    try:
        assert error_of(short, pipe, chunk=4).startswith(f"{short} ends after line 3, {pipe} goes")
    finally:
        done.set()
        writer.join()


@pytest.mark.parametrize("before", [0, 1, 511, 512, 9000])
def test_bad_utf8_names_line_and_byte(tmp_path: Path, before: int) -> None:
    good = write(tmp_path / "good.txt", "é\n" * (before + 2))
    bad = write(tmp_path / "bad.txt", "é\n".encode() * before + b"\xc3\xa9 caf\xe9 x\nb\n")
    message = error_of(good, bad)
    assert message.startswith(f"{bad}: line {before + 1} is not valid UTF-8 (byte 7 of the line")
    assert "0xe9" in message
    assert "iconv" in message


@pytest.mark.parametrize("data", [b"ok\n\xed\xa0\x80\n", b"ok\n\xc0\x80\n", b"ok\n\xe2\x82"])
def test_surrogates_overlong_and_cut_sequences_are_bad(tmp_path: Path, data: bytes) -> None:
    assert ": line 2 is not valid UTF-8" in error_of(write(tmp_path / "a.txt", data))


@pytest.mark.parametrize(
    ("data", "hint"),
    [
        (gzip.compress(b"a\n"), "let its name end in .gz"),
        ("a\n".encode("utf-16"), "iconv -f UTF-16"),
        (b"\xfe\xff\0a\0\n", "iconv -f UTF-16"),
    ],
)
def test_foreign_formats_are_recognised(tmp_path: Path, data: bytes, hint: str) -> None:
    assert hint in error_of(write(tmp_path / "a.txt", data))


def test_names_that_cannot_be_opened(tmp_path: Path) -> None:
    good = write(tmp_path / "good.txt", "a\n")
    missing = tmp_path / "missing.txt"
    assert error_of(good, missing).startswith(f"{missing}: no such file or directory; check")
    assert error_of(tmp_path).startswith(f"{tmp_path}: ")
    assert "null" in error_of("a\0b.txt")
    if hasattr(os, "geteuid") and os.geteuid():
        good.chmod(0)
        assert error_of(good).startswith(f"{good}: permission denied")


def test_damaged_gzip(tmp_path: Path) -> None:
    data = gzip.compress("".join(f"line {i * i}\n" for i in range(60_000)).encode())
    cut = write(tmp_path / "cut.gz", data[: len(data) // 2])
    message = error_of(cut)
    assert message.startswith(f"{cut}: after line ")
    assert "ends too early" in message
    assert 512 < int(message.split("after line ")[1].split(":")[0]) < 60_000
    flipped = bytearray(data)
    flipped[len(data) // 2 : len(data) // 2 + 64] = bytes(64)
    assert "gzip -t" in error_of(write(tmp_path / "flipped.gz", bytes(flipped)))
    wrong_sum = data[:-8] + bytes(4) + data[-4:]
    assert "crc" in error_of(write(tmp_path / "sum.gz", wrong_sum))
    assert "not a gzipped file" in error_of(write(tmp_path / "plain.gz", b"a\nb\n"))


def test_standard_input_once(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "more than once" in error_of("-", "-")
    monkeypatch.setattr(sys, "stdin", None)
    assert error_of("-").startswith("standard input is closed: name a file")


def test_label_is_one_printable_line() -> None:
    assert label("-") == "standard input"
    assert label("ответ.txt") == "ответ.txt"
    assert label("a\nb\t\udcff") == r"'a\nb\t\udcff'"
