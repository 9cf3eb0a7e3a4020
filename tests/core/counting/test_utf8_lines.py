"""Lines of UTF-8 from blocks of bytes equal str.split and str.rstrip of the same text."""

import sys

import pytest
from generators import raises, seeded

from fastbleu.core.inputs._utf8_rows import Utf8Lines

WHITE = "".join(c for c in map(chr, range(sys.maxunicode + 1)) if c.isspace())
# Besides the white space: its neighbors, and characters that share bytes with it.
LETTERS = "a.\x1b!\x00\x7f\x84\x9f¡\u167f\u1681\u1fff\u200b\u2027\u202e\u205e\u2060\u2fff\u3001"
LETTERS += "é漢😀\ufeff"


def blocks_of(data, size):
    return iter([data[i : i + size] for i in range(0, len(data), size)] + [b""]).__next__


def lines_of(data, size, count=7, **options):
    """All lines in some bytes, which are read in blocks."""
    lines, taken = Utf8Lines(blocks_of(data, size), **options), []
    while rows := lines.take(count):
        assert rows.before == len(taken)
        assert len(rows) == count or lines.ended
        taken += rows
        assert lines.taken == len(taken)
    assert lines.ended
    assert lines.unfinished == b""
    return taken


def random_text(rng):
    characters = rng.choice(("ab\n", f"a\n{WHITE}", f"\n{WHITE}{LETTERS}"))
    return "".join(rng.choices(characters, k=rng.randint(0, 60)))


def test_lines_in_blocks_of_any_size():
    rng = seeded("lines of UTF-8")
    for _ in range(400):
        text = random_text(rng)
        expected = text.split("\n")
        if not expected[-1]:
            expected.pop()
        for size in (1, 2, 3, 7, 1000):
            assert lines_of(text.encode(), size, rng.randint(1, 9)) == expected, ascii(text)


def stripped(data):
    rows = Utf8Lines(blocks_of(data, 1000)).take(1)
    rows.rstrip()
    return rows


@pytest.mark.parametrize("before", ["", "a", "é", "漢", "😀"])
def test_every_character_is_stripped_as_by_str(before):
    codes = range(0, sys.maxunicode + 1, 11 if before else 1)
    kept = (c for c in [*map(chr, codes), *WHITE] if not "\ud800" <= c <= "\udfff")
    text = "\n".join(before + c for c in kept if c != "\n")
    rows = Utf8Lines(blocks_of(text.encode(), 1 << 15)).take(1 << 21)
    rows.rstrip()
    assert list(rows) == [line.rstrip() for line in text.split("\n")]


def test_random_ends_are_stripped_as_by_str():
    rng = seeded("white space of UTF-8")
    for _ in range(2000):
        text = random_text(rng).replace("\n", "") + "".join(rng.choices(WHITE, k=rng.randint(0, 9)))
        text = f"x{text}".replace("\n", " ")
        rows, expected = stripped(text.encode()), text.rstrip()
        assert (list(rows), rows.size) == ([expected], len(expected.encode())), ascii(text)


BAD = (
    *(b"\x80", b"\xc2", b"\xe2\x80", b"\xe3\x80", b"\xc0\x8d", b"\xe0\x82\x85", b"\xe0\x80\xa0"),
    *(b"\xff", b"\xed\xa0\x80", b"\xf0\x80\x80\xa0", b"\xf0\x9f\x98", b"\xa0", b"\x85"),
    b"\x9a\x80",
)


@pytest.mark.parametrize("bad", BAD)
def test_white_space_after_bad_bytes(bad):
    """Whatever is stripped after them, the first bad byte stays where it is."""
    for start in (b"", b"a", "漢".encode()):
        for space in ("", " ", "\xa0", "\u2003", "\u3000 ", "\x85\r"):
            with pytest.raises(UnicodeDecodeError) as expected:
                (start + bad + space.encode()).decode()
            with pytest.raises(UnicodeDecodeError) as found:
                list(stripped(start + bad + space.encode()))
            assert found.value.start == expected.value.start


def test_unfinished_lines():
    blocks = iter([b"a\nb", b"c", b"\nd", b""])
    seen = []

    def read():
        seen.append((lines.taken, lines.unfinished))
        return next(blocks)

    lines = Utf8Lines(read)
    assert list(lines.take(9)) == ["a", "bc", "d"]
    assert seen == [(0, b""), (1, b"b"), (1, b"bc"), (2, b"d")]


def test_an_error_in_reading():
    def read():
        raise KeyError("read")

    lines = Utf8Lines(read)
    raises(KeyError, "read", lines.take, 1)
    raises(TypeError, "bytes", Utf8Lines(lambda: "a").take, 1)
    assert (lines.taken, lines.ended) == (0, False)


def test_surrogates():
    data = "a\ud800\n\udfff".encode("utf-8", "surrogatepass")
    assert lines_of(data, 2, surrogates=True) == ["a\ud800", "\udfff"]
    raises(UnicodeDecodeError, "position 1", lines_of, data, 2)
