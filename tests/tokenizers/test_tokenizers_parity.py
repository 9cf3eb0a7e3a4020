"""The compiled tokenizers give the tokens that sacreBLEU 2.6.0 counts, for every text.

One million random texts per tokenizer (FASTBLEU_TEST_SEGMENTS), every text of up to six of the
letters that matter to it, and every code point: as lists of tokens, and as rows from the fused path
that makes no token objects. Each on every instruction set of the processor.
"""

import importlib

import pytest
import sacrebleu_tokenizers
from generators import SEED, SEGMENTS, seeded
from tokenizer_texts import (
    CHINESE,
    KINDS,
    UNICODE_RANGES,
    WHITE_SPACE,
    all_texts,
    batch,
    comparable,
    edited,
    named,
    random_length,
    shortened,
)

import fastbleu
from fastbleu.tokenizers import tokenize

core = importlib.import_module("fastbleu.runtime._process")
COMPILED = importlib.import_module("fastbleu.tokenizers._compiled").COMPILED
BATCH = 500
CHUNKS = 8


def levels_of_this_machine():
    """The instruction sets that can be tested here."""
    found = []
    for level in core.SIMD_LEVELS:
        try:
            core.use_simd(level)
        except ValueError:
            continue
        found.append(level)
    core.use_simd()
    return found


LEVELS = levels_of_this_machine()


@pytest.fixture(autouse=True)
def instruction_set_as_before():
    yield
    core.use_simd()


def report(name, text, level, where):
    """The message about a text with wrong tokens, after making it as short as can be."""

    def fails(shorter):
        return tokenize(shorter, name) != sacrebleu_tokenizers.tokens(shorter, name)

    core.use_simd(level)
    short = shortened(text, fails) if fails(text) else text
    return (
        f"{where}: {name} on {level}, text {text!r}; shortest: {named(short)}\n"
        f"sacreBLEU {sacrebleu_tokenizers.tokens(short, name)}\n"
        f"fastbleu  {tokenize(short, name)}"
    )


def check_tokens(name, texts, expected, where, levels=LEVELS):
    """`tokenize` gives the expected tokens of every text."""
    for level in levels:
        core.use_simd(level)
        seen = [tokenize(text, name) for text in texts]
        if seen != expected:
            index = next(i for i, tokens in enumerate(expected) if seen[i] != tokens)
            pytest.fail(report(name, texts[index], level, where))


def check_rows(name, texts, expected, where, lowercase=False, levels=LEVELS):
    """Counting the texts gives the rows that counting the expected tokens gives.

    Each text is compared with its neighbor, and with a third one where that is at hand.
    """
    pairs = [index ^ 1 for index in range(len(texts) & ~1)]
    thirds = [(index * 7 + 2) % len(texts) for index in range(len(pairs))]
    hypotheses = texts[: len(pairs)]
    references = [[texts[a], texts[b]] for a, b in zip(pairs, thirds, strict=True)]
    of_tokens = fastbleu.count(
        expected[: len(pairs)],
        [[expected[a], expected[b]] for a, b in zip(pairs, thirds, strict=True)],
    )
    for level in levels:
        core.use_simd(level)
        stats = fastbleu.count(hypotheses, references, tokenize=name, lowercase=lowercase)
        if stats != of_tokens:
            rows, right = stats.__array__().tolist(), of_tokens.__array__().tolist()
            index = next(i for i, row in enumerate(right) if rows[i] != row)
            pytest.fail(
                f"{where}: {name} on {level}, lowercase={lowercase}\n"
                f"hypothesis {hypotheses[index]!r}\nreferences {references[index]!r}\n"
                f"rows {rows[index]}, expected {right[index]}"
            )


def test_the_versions_that_are_reproduced():
    assert sacrebleu_tokenizers.sacrebleu.__version__ == sacrebleu_tokenizers.VERSION
    assert set(COMPILED) == set(sacrebleu_tokenizers.LINES)
    assert "portable" in LEVELS


@pytest.mark.parametrize("chunk", range(CHUNKS))
@pytest.mark.parametrize("name", COMPILED)
def test_random_texts(name, chunk):
    for number in range(max(1, SEGMENTS // (CHUNKS * BATCH))):
        where = f"FASTBLEU_TEST_SEED={SEED} chunk {chunk} batch {number}"
        texts = comparable(batch((chunk, number), BATCH), name)
        lowercase = number % 4 == 3
        raw, texts = texts, [text.lower() for text in texts] if lowercase else texts
        expected = [sacrebleu_tokenizers.tokens(text, name) for text in texts]
        check_tokens(name, texts, expected, where)
        check_rows(name, raw, expected, where, lowercase)


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


@pytest.mark.parametrize("name", COMPILED)
def test_all_short_texts(name):
    texts = list(all_texts(LETTERS[name], 6 if name in ("13a", "zh", "intl") else 4))
    if SEGMENTS < 1_000_000:
        texts = seeded("short", name).sample(texts, min(len(texts), 20_000))
    expected = [sacrebleu_tokenizers.tokens(text, name) for text in texts]
    check_tokens(name, texts, expected, "all short texts")
    check_rows(name, texts, expected, "all short texts")


@pytest.mark.parametrize("pieces", sorted(PIECES))
def test_all_short_rows_of_pieces(pieces):
    texts = list(all_texts(PIECES[pieces], 5))
    if SEGMENTS < 1_000_000:
        texts = seeded("pieces", pieces).sample(texts, 5_000)
    expected = [sacrebleu_tokenizers.tokens(text, "13a") for text in texts]
    check_tokens("13a", texts, expected, pieces)
    check_rows("13a", texts, expected, pieces)


@pytest.mark.long
@pytest.mark.parametrize("name", COMPILED)
def test_short_texts_at_every_place_in_a_register(name):
    """The same few characters behind 0 to 140 letters: nothing is lost between two blocks."""
    rng = seeded("places", name)
    middles = ["".join(rng.choices(LETTERS[name], k=5)) for _ in range(12)]
    middles += [
        *("<skipped>", "&quot;", "&amp;lt;", "-\n", "5-\n5", "1,000.5", "5--6", "a..5", "5...5"),
    ]
    for wide in ("", "é", "я", "\U0001f600"):
        texts = [
            f"{wide}{'x' * length}{middle}{ending}"
            for middle in middles
            for length in range(141)
            for ending in ("", "y")
        ]
        expected = [sacrebleu_tokenizers.tokens(text, name) for text in texts]
        check_tokens(name, texts, expected, "places")
        check_rows(name, texts, expected, "places")


@pytest.mark.parametrize("name", ["13a", "zh", "intl"])
def test_long_runs_of_marks(name):
    """Whether a run has an even or an odd number of marks is known however many blocks it spans."""
    texts = [
        f"{before}{mark * length}{after}"
        for length in (
            *(*range(1, 20), *range(60, 70), *range(124, 134), *range(188, 196), 1000, 1001),
        )
        for before in ("", "5", "a", "x" * 30, "x" * 62 + "5", "5" * 63, "x" * 64, "я", "😀5")
        for after in ("", "5", "a", ".5", "-5", " 5")
        for mark in (".", ",")
    ]
    expected = [sacrebleu_tokenizers.tokens(text, name) for text in texts]
    check_tokens(name, texts, expected, "runs")
    check_rows(name, texts, expected, "runs")


@pytest.mark.parametrize("name", COMPILED)
def test_white_space_at_both_ends(name):
    for space in [*WHITE_SPACE, "\u200b", "\ufeff", "\0", " \n ", "\r\n", "-\n", "\n-\n"]:
        texts = [
            before + middle + after
            for before in ("", space)
            for after in ("", space, space * 2, f"{space} ", f" {space}")
            for middle in ("", "a", "5.", ".", "-", "a-", "中", "é.", "😀,", "&", "$", "a" * 64)
        ]
        expected = [sacrebleu_tokenizers.tokens(text, name) for text in texts]
        check_tokens(name, texts, expected, f"white space {space!r}")


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
    texts = comparable(texts, name)
    expected = [sacrebleu_tokenizers.tokens(text, name) for text in texts]
    check_tokens(name, texts, expected, "code points", LEVELS[-1:])
    core.use_simd(LEVELS[0])
    check_rows(name, texts, expected, "code points", levels=LEVELS[:1])


@pytest.mark.parametrize("name", COMPILED)
def test_single_characters(name):
    """A text of one character; of the letters without any rule only those next to others."""
    texts = [chr(code) for code in range(0x110000) if code < 0x3400 or code in EDGES]
    texts = comparable(texts, name)
    expected = [sacrebleu_tokenizers.tokens(text, name) for text in texts]
    check_tokens(name, texts, expected, "single characters")


@pytest.mark.parametrize("name", COMPILED)
def test_a_very_long_text(name):
    rng = seeded("long text", name)
    for kind in ("rewrites", "marks and digits", "long words", "everything", "white space"):
        (text,) = comparable(["".join(rng.choices(KINDS[kind], k=20_000))], name)
        expected = sacrebleu_tokenizers.tokens(text, name)
        check_tokens(name, [text], [expected], kind)
        check_rows(name, [text, "a b"], [expected, ["a", "b"]], kind)


@pytest.mark.parametrize("name", COMPILED)
def test_str_subclasses_and_equal_copies(name):
    class Text(str):
        def __str__(self):
            return "not this"

        def split(self, *_):
            return ["nor this"]

    for text in comparable(batch("subclasses", 50), name):
        assert tokenize(Text(text), name) == sacrebleu_tokenizers.tokens(text, name)


@pytest.mark.parametrize("name", COMPILED)
def test_lower_case_is_that_of_python(name):
    rng = seeded("lower", name)
    cased = [chr(code) for code in range(0x110000) if chr(code).lower() != chr(code)]
    texts = []
    for start in range(0, len(cased), 8):
        text = "".join(cased[start : start + 8])
        texts += [text, f"{text.lower()} a", f"a{text}. A", edited(rng, text.swapcase(), "aΣ.")]
    texts += ["".join(rng.choices(KINDS["cased"], k=random_length(rng))) for _ in range(2000)]
    texts = comparable(texts, name)
    expected = [sacrebleu_tokenizers.tokens(text.lower(), name) for text in texts]
    check_rows(name, texts, expected, "lower case", lowercase=True)
