"""Lines of UTF-8 have the tokens that sacreBLEU finds in the same str, and Python's errors."""

import functools
import itertools
import re

import pytest
from arrow_producer import Column, list_array, text_array
from generators import messages, raises, seeded
from metrics import count
from random_texts import comparable, random_line
from sacrebleu_tokenizers import tokens

from fastbleu import BLEU
from fastbleu.core.counting.counter import Counter
from fastbleu.core.inputs._batch import Batch
from fastbleu.core.inputs._utf8_rows import Utf8Lines
from fastbleu.core.tokenizers._compiled import COMPILED
from fastbleu.core.tokenizers.tokenizer import get as get_tokenizer

# Random lines may look tokenized.
pytestmark = pytest.mark.filterwarnings("ignore:.* hypotheses end in")

# The first and the last character of each length in UTF-8, and those between scripts.
EDGES = "\x00 A\x7f\x80ÿĀ߿ࠀ\ud7ff\ue000￿𐀀\U0010ffff İßΣ漢\u2028\u3000"
BAD = (
    *(b"\x80", b"\xbf", b"\xc0\x80", b"\xc1\xbf", b"\xc2", b"\xe0\x9f\xbf", b"\xe2\x82", b"\xff"),
    *(b"\xed\xa0\x80", b"\xed\xbf\xbf", b"\xf0\x8f\xbf\xbf", b"\xf0\x9f\x98", b"\xf4\x90\x80\x80"),
    *(b"\xf5\x80\x80\x80", b"\xfe", b"\xc2\xc2\x80", b"\xe2\x28\xa1", b"\xf0\x9f\x28\x80"),
)


def rows_of_originals(lines, lists, tokenizer):
    """The rows of the tokens of sacreBLEU; each line occurs again in the lists of references."""
    tokens_of = {line: tokens(line, tokenizer) for line in {*lines, *itertools.chain(*lists)}}
    return count(
        [tokens_of[line] for line in lines],
        [[tokens_of[line] for line in references] for references in lists],
    )


@pytest.mark.filterwarnings("ignore")  # some are shifted
def test_every_character_is_lowered():
    """Of a str and of UTF-8; nor does another character become the same: a capital letter lies 1
    or 32 before its small one."""
    codes = (code for code in range(0x110000) if code < 0x20000 or code % 9 == 0)
    lines = [f"x{chr(code)}Y {chr(code)}" for code in codes if code >> 11 != 0x1B]
    lowered, column = [line.lower() for line in lines], Column(text_array(lines))
    for tokenizer, step in (("none", 0), ("none", 1), ("none", 32), ("char", 0)):
        options = {"max_ngram_order": 2, "tokenize": tokenizer}
        expected = count(lowered, lowered[step:] + lowered[:step], **options)
        for line, others in ((lines, lines), (lowered, lines), (column, lines)):
            others = others[step:] + others[:step]
            assert count(line, others, **options, lowercase=True) == expected


def test_every_character_is_decoded(simd):
    """Each character next to itself: it counts as the same token as in a str."""
    codes = [code for code in range(1, 0x110000, 97) if code >> 11 != 0x1B]
    lines = [f"{c}x {c} y{c}" * 3 for c in map(chr, codes)]
    columns = Column(text_array(lines)), Column(text_array(lines[::-1]))
    for tokenizer in ("char", "none"):
        expected = count(lines, lines[::-1], 2, tokenize=tokenizer)
        assert count(*columns, 2, tokenize=tokenizer) == expected


def test_the_first_bad_byte_is_named_at_any_place(simd):
    """As by Python: in and between blocks of 64 bytes, at the end of a line, before other bytes."""
    for bad, size in itertools.product(BAD, range(56, 72)):
        for letter, tail in itertools.product(("a", "é", "漢", "😀"), (b"", b"b" * 70)):
            line = letter.encode() * (size // len(letter.encode())) + bad + tail
            with pytest.raises(UnicodeDecodeError) as caught:
                line.decode()
            start = caught.value.start
            message = f"segment 0: the hypothesis is not UTF-8: byte {start} is 0x{line[start]:02x}"
            columns = Column(text_array([line])), Column(text_array(["x"]))
            metric = BLEU(lowercase=size % 2 == 1)
            raises(ValueError, re.escape(message), metric.score, *columns)


SPACES = [chr(c) for c in range(0x80, 0x110000) if chr(c).isspace()]
# Characters that have two or three bytes in common with one of them.
NO_SPACES = "\x84\x86¡«\u1681\u169f\u1a80\u200b\u2010\u2027\u202a\u202e\u2030\u205e\u2060\u3001。"


def test_white_space_beyond_ascii_separates_tokens(simd):
    """Anywhere in blocks of 64 bytes, at the ends of lines and next to each other."""
    starts = ["a" * size for size in (*range(3), *range(58, 66))] + ["é" * 31, "é" * 32]
    options = itertools.product(("13a", "none"), (False, True))
    metrics = [BLEU(tokenize=tokenizer, lowercase=lowercase) for tokenizer, lowercase in options]
    for c in [*SPACES, *NO_SPACES]:
        parts = [c, f"b{c}c", f"{c}{c}d", f"5{c}.", f"é{c}"]
        lines = [start + part for start in starts for part in parts]
        others = [line.replace(c, " ") for line in lines]
        column = Column(text_array(lines))
        sides = [(its, Column(text_array(its))) for its in (lines[1:] + lines[:1], others)]
        for metric in metrics:
            for theirs, their_column in sides:
                found = metric.count(column, their_column)
                assert found == metric.count(lines, theirs), f"U+{ord(c):04X}"


def test_a_wide_space_before_a_period_does_not_look_tokenized():
    for line, expected in (("a\xa0.", 0), ("a .", 1)):
        columns = Column(text_array([line] * 200)), Column(text_array(["b"] * 200))
        said = messages(BLEU().score, *columns)[1]
        assert sum("as tokenized text does" in message for message in said) == expected


def rows_of_a_file(lines):
    """Rows of the lines of a file, which newlines separate."""
    blocks = [("\n".join(lines) + "\n").encode(), b""]
    return Utf8Lines(lambda: blocks.pop(0)).take(len(lines))


@functools.cache
def runs_of_lines(tokenizer):
    """Lines, lists of references, and the rows by sacreBLEU's tokens: with one and with both."""
    rng, made = seeded(f"runs {tokenizer}"), []
    for alphabet in (
        "1.,- ",
        "12. a",
        "a-&<quot;lg> ",
        "aé ü\xa01.,",
        "яблоко ,.5",
        EDGES,
        "abcdefghijklmnopqrstuvwxyzß ,.1",
        "1٣𝟘²,،。—. ",
        "字「」，5Ⅷ😀 a\u3000!",
    ):
        sizes = rng.choice(((0, 1, 2, 3), (30, 63, 64, 65), (10, 100, 200), (500, 3000)))
        number = 150 if sizes[-1] < 500 else 12
        lines = ["".join(rng.choices(alphabet, k=rng.choice(sizes))) for _ in range(number)]
        lines += [line[:20] + rng.choice(("&amp;", "-", "<skipped>", ".", "")) for line in lines]
        lines += [random_line(rng).replace("\ud800", "").replace("\n", "") for _ in range(20)]
        lines = comparable(lines, tokenizer)
        lists = [list(both) for both in zip(lines[1:] + lines[:1], lines, strict=True)]
        firsts = [references[:1] for references in lists]
        rows = [rows_of_originals(lines, references, tokenizer) for references in (firsts, lists)]
        made.append((lines, lists, *rows))
    return made


@pytest.mark.filterwarnings("ignore:.*fits reference")
@pytest.mark.parametrize("tokenizer", COMPILED)
def test_tokens_never_extend_into_neighboring_lines(tokenizer, simd):
    """Lines that are tokenized together have the tokens that sacreBLEU finds in each by itself."""
    counter = Counter(get_tokenizer(tokenizer))
    for lines, lists, of_one, of_both in runs_of_lines(tokenizer):
        others = [references[0] for references in lists]
        assert count(lines, others, tokenize=tokenizer) == of_one
        columns = Column(text_array(lines)), Column(text_array(others))
        assert count(*columns, tokenize=tokenizer) == of_one
        lowered = [[line.lower() for line in side] for side in (lines, others)]
        expected = count(*lowered, tokenize=tokenizer)
        assert count(*columns, tokenize=tokenizer, lowercase=True) == expected
        rows = Batch(rows_of_a_file(lines), rows_of_a_file(others))
        assert counter.count(rows).stats == of_one
        column = Column(list_array(lists, text_array([text for both in lists for text in both])))
        assert count(columns[0], column, tokenize=tokenizer) == of_both


def test_long_lines_are_decoded_in_parts():
    for text in ("word ", "Слово ", "é ", "😀 "):
        line = text * ((3 << 20) // len(text.encode()))
        column = Column(text_array([line]))
        assert count(column, column, tokenize="13a") == count([line], [line], tokenize="13a")
    line = ("я" * (1 << 20)).encode() + b"\xff"
    with pytest.raises(ValueError, match="byte 2097152 is 0xff"):
        count(Column(text_array([line])), Column(text_array(["x"])), tokenize="13a")


@pytest.mark.parametrize("tokenizer", ["13a", "char"])
def test_no_character_spans_two_lines(tokenizer, simd):
    """Neighbors in memory are scanned together, but each line has to be UTF-8 by itself."""
    text = ("the cat – “saß” on 漢字 😀 " * 4).encode()
    starts = [n for n in range(1, len(text)) if text[n] & 0xC0 != 0x80]
    good = [text[: start + 20].decode(errors="ignore") for start in starts * 2][:100]
    metric, theirs = BLEU(tokenize=tokenizer), Column(text_array(good))
    for cut in (n for n in range(20, len(text) - 20) if n not in starts):
        for place in (0, 5, 31, 32, 98):
            lines = [line.encode() for line in good]
            lines[place : place + 2] = text[:cut], text[cut:]
            with pytest.raises(ValueError, match=f"segment {place}: the hypothesis is not UTF-8"):
                metric.score(Column(text_array(lines)), theirs)
    assert metric.count(theirs, theirs) == metric.count(good, good)
