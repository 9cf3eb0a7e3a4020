"""Rows are the same however segments are compared or numbered, by length and instruction set."""

import numpy as np
import oracle
import pytest
from generators import IGNORED_OF_RANDOM, rounds, seeded
from levels import COMPILED, LEVELS, reseed, use_simd
from metrics import count

from fastbleu import _core
from fastbleu.core.counting._token_packer import TokenPacker
from fastbleu.core.inputs.checks import TokenChecks
from fastbleu.core.tokenizers._compiled import split

pytestmark = [pytest.mark.filterwarnings(message) for message in IGNORED_OF_RANDOM]
ALPHABETS = (
    "ab",
    "abcdefghij1.,-é",
    "абвгдежзийк",
    "абвab’—1.",
    "的一是不了在人。、",
    "Āʰa的",
    "😀a的б\uffff",
)


# Around the vectors' lanes, and around 1, 2, 3, 4, 6 and 8 words of a mask.
LENGTHS = (
    *((0, 1, 2), (5, 20, 40), (7, 8, 9, 16, 17, 31, 32, 33)),
    *(tuple(range(64 * words - 2, 64 * words + 3)) for words in (1, 2, 3, 4, 6, 8)),
    (3, 64, 130, 257, 511, 513),
)


def at_level(level, function, *arguments, **options):
    """Call a function with an instruction set."""
    use_simd(level)
    return function(*arguments, **options)


def random_words(rng, longest):
    """A few words over one or two alphabets, so that both equal and nearly equal ones are drawn."""
    letters = "".join(rng.sample(ALPHABETS, rng.choice((1, 1, 2))))
    stem = "".join(rng.choices(letters, k=longest))
    return [
        stem[rng.randint(0, longest - size) :][: size - 1] + rng.choice(letters)
        for size in (rng.randint(1, longest) for _ in range(rng.choice((2, 8, 40))))
    ]


def random_segments(rng, number):
    """Segments of lists of words: lengths around the limit, and empty ones."""
    for _ in range(number):
        words = random_words(rng, rng.choice((1, 3, 9, 17, 40)))
        lengths = rng.choice(LENGTHS)
        yield (
            rng.choices(words, k=rng.choice(lengths)),
            [rng.choices(words, k=rng.choice(lengths)) for _ in range(rng.randint(1, 4))],
        )


def as_ids(words):
    """Small, negative and large ids, equal if the words are."""
    numbers = (int.from_bytes(word.encode()[:9], "big") for word in words)
    return np.array(
        [number % 2**16 - 99 if number % 3 else number % 2**62 for number in numbers], "i8"
    )


def rows(stats):
    return np.asarray(stats).tolist()


@pytest.mark.parametrize("form", [*COMPILED, "bytes", "ids"])
def test_all_levels_count_the_same(form):
    for order in (1, 2, 4, 9):
        segments = [*random_segments(seeded("kernels", form, order), rounds(200))]
        options, data = {"max_ngram_order": order}, segments
        if form == "bytes":
            data = segments = [
                ([*map(str.encode, h)], [[*map(str.encode, r)] for r in its]) for h, its in segments
            ]
        if form in COMPILED:
            data = [(" ".join(h), [" ".join(r) for r in its]) for h, its in segments]
            segments = [(split(h, form), [split(r, form) for r in its]) for h, its in data]
            options["tokenize"] = form
        if form == "ids":
            data = segments = [(as_ids(h), [as_ids(r) for r in its]) for h, its in segments]
        expected = [oracle.row(h, its, order) for h, its in segments]
        hypotheses, references = map(list, zip(*data, strict=True))
        for level in LEVELS:
            found = at_level(level, count, hypotheses, references, **options)
            assert rows(found) == expected, (level, order)


@pytest.mark.parametrize("order", [*range(1, 10), 63, 64, 65, 100])
def test_all_kernels_count_the_same(order):
    # The oracle is slow for high orders.
    segments = [*random_segments(seeded("masks", order), rounds(120) if order < 10 else 10)]
    hypotheses, references = map(list, zip(*segments, strict=True))
    rule, pick = list(oracle.REFERENCE_LENGTHS.items())[order % 3]
    expected = [oracle.row(h, its, order) for h, its in segments]
    for one, (h, its) in zip(expected, segments, strict=True):
        one[1] = pick(len(h), [len(r) for r in its])

    def count_by(mask_tokens):
        counter, packer = _core.SegmentCounter(order, rule), TokenPacker(TokenChecks())
        counter.mask_tokens = mask_tokens
        rows, first = _core.zero_rows(len(segments), order), 0
        while packer.fill(hypotheses, references, first, 0):
            counter.count(packer, rows, first)
            first += len(packer)
        return np.array(rows).reshape(len(segments), -1).tolist()

    for level in LEVELS:
        for mask_tokens in (0, 64, 512):
            assert at_level(level, count_by, mask_tokens) == expected, (level, mask_tokens)


def test_positions_whose_slots_are_the_same():
    """Far more distinct ids than slots, in segments that share a packer."""
    rng = np.random.default_rng(seeded("slots").getrandbits(64))
    for size in (512, 500, 100):
        hypotheses = rng.integers(-(2**62), 2**62, (200, size))
        references = rng.permuted(hypotheses, axis=1)
        references[:, ::7] += 1
        expected = [oracle.row(h, [r], 2) for h, r in zip(hypotheses, references, strict=True)]
        assert rows(count(hypotheses, references, max_ngram_order=2)) == expected
    words = [f"w{n}" for n in range(500)]  # a position of the last segment is not found
    hypotheses, references = [words, words[:70]], [[words], [words]]
    expected = [oracle.row(h, its, 3) for h, its in zip(hypotheses, references, strict=True)]
    assert rows(count(hypotheses, references, max_ngram_order=3)) == expected


def colliding_words(rng, number, seed):
    """Words of 48 bytes without white space whose hashes are equal under this seed.

    The second 16 bytes repeat the hash of the first, so that both halves of the state become 0.
    """

    def fold(a, b):
        return (a * b & (1 << 64) - 1) ^ (a * b >> 64)

    end, words = b"collision-------", []
    while len(words) < number:
        first = rng.randbytes(16)
        a = fold(seed[0] ^ int.from_bytes(first[:8], "little"), 0x9E3779B97F4A7C15 ^ seed[1])
        b = fold(seed[1] ^ int.from_bytes(first[8:], "little"), 0xC2B2AE3D27D4EB4F ^ seed[0])
        word = (first + a.to_bytes(8, "little") + b.to_bytes(8, "little") + end).decode("latin-1")
        if len(word.split()) == 1 and len(word.split()[0]) == 48:
            words.append(word)
    return words


@pytest.mark.parametrize(("padding", "tokenize"), [(0, False), (80, "none"), (490, False)])
def test_words_whose_hashes_are_equal_differ(tokenize, padding):
    seed, rng = (12345, 54321), seeded("collisions")
    reseed(*seed)
    words, more = colliding_words(rng, 6, seed), [f"w{n % 50}" for n in range(padding)]
    hypothesis = [*words[:3], "a", *more, *words[2:5]]
    reference = [words[5], *words[1:4], *more, "a", words[1]]
    expected = oracle.row(hypothesis, [reference], 4)
    data = (" ".join(hypothesis), [" ".join(reference)]) if tokenize else (hypothesis, [reference])
    for level in LEVELS:
        # A new packer takes the seed.
        found = at_level(level, count, [data[0]], [data[1]], max_ngram_order=4, tokenize=tokenize)
        assert rows(found) == [expected], level
