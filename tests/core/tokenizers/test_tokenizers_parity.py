"""The compiled tokenizers give the tokens that sacreBLEU 2.6.0 counts, for every text.

One million random texts per tokenizer (FASTBLEU_TEST_SEGMENTS), every text of up to six of the
letters that matter to it, and every code point: as lists of tokens, and as rows from the fused path
that makes no token objects. Each on every instruction set of the processor.
"""

import itertools

import pytest
import sacrebleu_tokenizers
from generators import SEED, SEGMENTS, rounds, seeded
from levels import COMPILED, LEVELS, use_simd
from metrics import count
from random_texts import (
    CHINESE,
    KINDS,
    UNICODE_RANGES,
    WHITE_SPACE,
    batch,
    comparable,
    edited,
    random_length,
)

from fastbleu.tokenizers import tokenize

# Texts that end in " ." are counted here on purpose.
pytestmark = pytest.mark.filterwarnings("ignore::fastbleu.InputWarning")

BATCH = 500
CHUNKS = 4


def compare(found, expected, shown, where):
    """Fail with the first of the texts `shown` whose result is another one."""
    for text, result, right in zip(shown, found, expected, strict=True):
        assert result == right, f"{where}: {text!r}"


def check(name, texts, where, lowercase=False, levels=LEVELS):
    """On every level tokens and rows are those of the tokens that sacreBLEU counts.

    For its row each text is compared with its neighbor, and with a third one.
    """
    texts = comparable(texts, name)
    lowered = [text.lower() for text in texts] if lowercase else texts
    tokens = [sacrebleu_tokenizers.tokens(text, name) for text in lowered]
    pairs = [(index ^ 1, (index * 7 + 2) % len(texts)) for index in range(len(texts) & ~1)]
    hypotheses = texts[: len(pairs)]
    references = [[texts[a], texts[b]] for a, b in pairs]
    counted = count(tokens[: len(pairs)], [[tokens[a], tokens[b]] for a, b in pairs])
    for level in levels:
        use_simd(level)
        found = [tokenize(text, name) for text in lowered]
        compare(found, tokens, lowered, f"{where}: {name} on {level}")
        rows = count(hypotheses, references, tokenize=name, lowercase=lowercase)
        if rows != counted:
            shown = list(zip(hypotheses, references, strict=True))
            compare(rows, counted, shown, f"{where}: {name} on {level}, lowercase={lowercase}")


def test_the_versions_that_are_reproduced():
    assert sacrebleu_tokenizers.sacrebleu.__version__ == sacrebleu_tokenizers.VERSION
    assert set(COMPILED) == set(sacrebleu_tokenizers.LINES)
    assert "portable" in LEVELS


@pytest.mark.parametrize("chunk", range(CHUNKS))
@pytest.mark.parametrize("name", COMPILED)
def test_random_texts(name, chunk):
    for number in range(max(1, SEGMENTS // (CHUNKS * BATCH))):
        where = f"FASTBLEU_TEST_SEED={SEED} chunk {chunk} batch {number}"
        check(name, batch((chunk, number), BATCH), where, lowercase=(chunk + number) % 4 == 3)


# Eight letters that take every branch of a tokenizer's rules. Of characters that no rule tells
# apart, such as most ASCII punctuation, one is enough: the test of code points has them all.
LETTERS = {
    "13a": "a5.,-! \n",
    "zh": "a5.,-中“\u2000",
    "intl": "a5.,$ Ⅷ“",
    "none": "a\u2003 .\nя\x1c\u200b",
    "char": "a\u2003 .\nя\x1c😀",
}
# The same with pieces for letters: what mteval rewrites before it tokenizes, and parts of that.
PIECES = {
    "entities": ("&", "amp;", "lt;", "quot;", "gt;", ";", "a", "."),
    "skipped": ("<skipped>", "<skip", "ped>", "-", "\n", "&", "lt;", "5"),
    "line ends": ("-", "\n", "-\n", " ", "5", ".", "<skipped>", "\r"),
}


def all_texts(letters, longest):
    """Every text of at most `longest` letters."""
    lengths = range(longest + 1)
    return ["".join(some) for size in lengths for some in itertools.product(letters, repeat=size)]


@pytest.mark.parametrize("name", COMPILED)
def test_all_short_texts(name):
    texts = all_texts(LETTERS[name], 6 if name in ("13a", "zh", "intl") else 4)
    if SEGMENTS < 1_000_000:
        texts = seeded("short", name).sample(texts, min(len(texts), 5_000))
    check(name, texts, "all short texts")


@pytest.mark.parametrize("pieces", sorted(PIECES))
def test_all_short_rows_of_pieces(pieces):
    texts = all_texts(PIECES[pieces], 5)
    if SEGMENTS < 1_000_000:
        texts = seeded("pieces", pieces).sample(texts, 3_000)
    check("13a", texts, pieces)


@pytest.mark.long
@pytest.mark.parametrize("name", COMPILED)
def test_short_texts_at_every_place_in_a_register(name):
    """The same few characters behind 0 to 140 letters: nothing is lost between two blocks."""
    rng = seeded("places", name)
    middles = ["".join(rng.choices(LETTERS[name], k=5)) for _ in range(12)]
    middles += [*("<skipped>", "&quot;", "&amp;lt;", "-\n", "5-\n5", "1,000.5", "5--6", "5...5")]
    for wide in ("", "é", "я", "\U0001f600"):
        texts = [
            f"{wide}{'x' * length}{middle}{ending}"
            for middle in middles
            for length in range(141)
            for ending in ("", "y")
        ]
        check(name, texts, "places")


@pytest.mark.parametrize("name", ["13a", "zh", "intl"])
def test_long_runs_of_marks(name):
    """Whether a run has an even or an odd number of marks is known however many blocks it spans."""
    lengths = *range(1, 9), *range(62, 68), *range(126, 131), *range(190, 194), 320, 321
    texts = [
        f"{before}{mark * length}{after}"
        for length in lengths
        for before in ("", "5", "a", "x" * 30, "x" * 62 + "5", "5" * 63, "x" * 64, "я", "😀5")
        for after in ("", "5", "a", ".5", "-5", " 5")
        for mark in (".", ",")
    ]
    check(name, texts, "runs")


@pytest.mark.parametrize("name", COMPILED)
def test_white_space_at_both_ends(name):
    spaces = *WHITE_SPACE, "\u200b", "\ufeff", "\0", " \n ", "\r\n", "-\n", "\n-\n"
    texts = [
        before + middle + after
        for space in spaces
        for before in ("", space)
        for after in ("", space, space * 2, f"{space} ", f" {space}")
        for middle in ("", "a", "5.", ".", "-", "a-", "中", "é.", "😀,", "&", "$", "a" * 64)
    ]
    check(name, texts, "white space")


# Where a class of a tokenizer begins or ends, and the neighbors.
EDGES = {
    edge + offset
    for first, last, *_ in [*UNICODE_RANGES, *CHINESE]
    for edge in (first, last)
    for offset in (-1, 0, 1)
}


@pytest.mark.parametrize("name", COMPILED)
def test_every_code_point(name):
    """Alone, between letters, and between digits with marks and without; 32 in a line."""
    texts = []
    for first in range(0, 0x110000, 32):
        codes = range(first, first + 32)
        if SEGMENTS >= 1_000_000 or first < 0x3400 or not EDGES.isdisjoint(codes):
            texts.append(" ".join(f"{c} a{c}a5{c}5.{c}.5" for c in map(chr, codes)))
    check(name, texts, "code points", levels=LEVELS[:: max(1, len(LEVELS) - 1)])
    # A text of one character; of the letters without any rule only those next to others.
    texts = [chr(code) for code in range(0x110000) if code < 0x3400 or code in EDGES]
    check(name, texts, "single characters")


@pytest.mark.parametrize("name", COMPILED)
def test_a_very_long_text(name):
    rng = seeded("long text", name)
    for kind in ("rewrites", "marks and digits", "long words", "everything", "white space"):
        check(name, ["".join(rng.choices(KINDS[kind], k=20_000)), "a b"], kind)


@pytest.mark.parametrize("name", COMPILED)
def test_lower_case_is_that_of_python(name):
    rng = seeded("lower", name)
    cased = [chr(code) for code in range(0x110000) if chr(code).lower() != chr(code)]
    texts = []
    for start in range(0, len(cased), 8):
        text = "".join(cased[start : start + 8])
        texts += [text, f"{text.lower()} a", f"a{text}. A", edited(rng, text.swapcase(), "aΣ.")]
    texts += [
        "".join(rng.choices(KINDS["cased"], k=random_length(rng))) for _ in range(rounds(2000))
    ]
    check(name, texts, "lower case", lowercase=True)
