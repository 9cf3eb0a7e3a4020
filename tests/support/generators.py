"""Seeded random segments over every kind of token, and the helpers to compare outcomes.

All randomness starts from FASTBLEU_TEST_SEED (an integer, default below) and the
name of its use, so that one failing chunk can be made again by itself.
"""

import importlib.util
import os
import pickle
import random
import sys
import warnings
from decimal import Decimal
from fractions import Fraction

import nltk.translate.bleu_score
import numpy as np
import pytest

SEED = int(os.environ.get("FASTBLEU_TEST_SEED", "20021"))
SEGMENTS = int(os.environ.get("FASTBLEU_TEST_SEGMENTS", "5000"))


def rounds(number, least=None):
    """How often a random test repeats: `number` times with 1,000,000 segments; with few, `least`
    times, by default a sixth of that; never more often than there are segments."""
    least = min(SEGMENTS, least or -(-number // 6))
    return max(least, min(number, number * SEGMENTS // 1_000_000))


# What the package notices of random segments: they are short or empty, and random references may
# well match better if they are read the other way round.
IGNORED_OF_RANDOM = [
    f"ignore:{message}"
    for message in (
        *("there are .* references each", "no hypothesis has", "every .* is empty"),
        *("most rows of .* a run of the id", ".*hypotheses have fewer than"),
        "references holds single words",
    )
]


def private_copy(module):
    """A module once more, out of reach of fastbleu.patch()."""
    name = f"{module.__name__}_private"
    spec = importlib.util.spec_from_file_location(name, module.__file__)
    copied = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(copied)
    return copied


PRISTINE = private_copy(nltk.translate.bleu_score)


def seeded(*name):
    """A random generator that depends on the seed of the run and on `name` only."""
    return random.Random(f"{SEED} {name}")


def shown(value):
    """A value as the name of a test: the same in every process, so without addresses."""
    return repr(value).partition(" object")[0][:40]


def words(text):
    """The tokens of a text that is written with spaces between them."""
    return text.split()


def pickled(thing):
    """A copy by way of a pickle."""
    return pickle.loads(pickle.dumps(thing))


def by_stream(references):
    """References of each segment, a str or several, as sacreBLEU has them: [k][segment].

    None where a segment has fewer than others.
    """
    lists = [[its] if isinstance(its, str) else its for its in references]
    most = max(map(len, lists))
    return [[its[k] if k < len(its) else None for its in lists] for k in range(most)]


class FoldedWord(str):
    """A str with its own idea of equality, which must be honored."""

    def __eq__(self, other):
        return str(self).lower() == str(other).lower()

    def __hash__(self):
        return hash(str(self).lower())


class Collider:
    """Tokens that differ and all have one hash."""

    def __init__(self, value):
        self.value = value

    def __eq__(self, other):
        return isinstance(other, Collider) and self.value == other.value

    def __hash__(self):
        return 7

    def __repr__(self):
        return f"Collider({self.value})"


NAN = float("nan")
MERSENNE = 2**61 - 1  # hash(k * MERSENNE) == 0


def _near_lengths():
    """Strings of equal and nearly equal length that share prefixes and suffixes."""
    sizes = (6, 7, 8, 14, 15, 16, 17, 31, 32)
    same_start = [f"{'a' * (size - 1)}{last}" for size in sizes for last in "ab"]
    same_end = [f"{first}{'a' * (size - 1)}" for size in sizes for first in "bc"]
    inside = [f"{'a' * (size // 2)}é{'a' * (size - size // 2 - 1)}" for size in sizes]
    wide = [f"{'я' * (size // 2)}{last}" for size in sizes for last in "ab\U0001f600"]
    return same_start + same_end + inside + wide


KINDS = {
    "one letter": list("a"),
    "two letters": list("ab"),
    "four letters": list("abcd"),
    "words": [f"word{number}" for number in range(40)],
    "latin-1": ["é", "ée", "è", "ÿ", "ÿÿ", "\x80", "\xa0", "naïve", "garçons", "e"],
    "two bytes": ["я", "яя", "ж", "мир", "世界", "世", "\ud800", "\udfff", "й", "a"],
    "four bytes": ["\U0001f600", "\U0001f601", "\U0001f600a", "a\U0001f600", "\U0010ffff", "a",
        "я"],
    "all widths": ["a", "é", "я", "\U0001f600", "aé", "aя", "é\U0001f600", "ab", "", "яяяя"],
    "empty and NUL": ["", "\0", "\0\0", "a", "a\0", "\0a", "a\0b", "abcdefg", "abcdefg\0",
        "abcdef\0"],
    "near lengths": _near_lengths(),
    "long": ["x" * 300, "x" * 299 + "y", "y" + "x" * 299, "x" * 5000, "я" * 300, "я" * 299 + "ж"],
    "small ints": [0, 1, 2, 3, -1, -2, 255, 256, 257],
    "big ints": [2**63 - 1, 2**63, -(2**63), 2**64, 2**64 + 1, 10**40, -(10**40), 2**32, -1, -2],
    "ints of one hash": [0, MERSENNE, -MERSENNE, 2 * MERSENNE, MERSENNE * 2**40, MERSENNE + 1, 1],
    "equal numbers": [1, 1.0, True, Fraction(1), np.int64(1), 0, 0.0, -0.0, False, 2, 2.0],
    "floats": [0.5, Decimal("0.5"), 1e300, float("inf"), -float("inf"), NAN, 2.0**53, 2**53,
        2**53 + 1, 5e-324],
    "bytes": [b"", b"a", b"ab", b"a\0", b"abcdefgh", b"abcdefgi", "a", "ab"],
    "tuples": [(), (1,), (1.0,), (1, 2), ("a", "b"), ("a", ("b",)), ("ab",), (NAN,), (None,)],
    "sets and None": [None, frozenset(), frozenset({1}), frozenset({1.0, "a"}), Ellipsis, int,
        "None"],
    "numpy": [np.int64(1), np.int32(1), np.uint8(1), np.float64(1.5), np.float32(1.5),
        np.str_("a"), "a",
              np.bytes_(b"a"), np.bool_(True), 1, np.datetime64("2022-12-07"), np.int64(-1)],
    "subclasses": [FoldedWord("The"), FoldedWord("the"), FoldedWord("THE"), FoldedWord("a"),
        FoldedWord("b")],
    "colliders": [Collider(value) for value in range(6)],
}  # fmt: skip
KINDS["mixed"] = [
    token for kind in sorted(KINDS) for token in KINDS[kind][:3] if kind != "subclasses"
]


def copied(token):
    """An equal token that is another object, wherever Python makes one."""
    if type(token) is str:
        return (token + "#")[:-1]
    if type(token) is bytes:
        return bytes(bytearray(token))
    if type(token) is int:
        return int(str(token))
    if type(token) is tuple:
        return token[:0] + tuple(iter(token))
    if type(token) is Collider:
        return Collider(token.value)
    return token


def tiny_length(rng):
    """0 to 12 tokens, mostly below 6."""
    return rng.choice((0, 1, 2, 3, 4, 5, 2, 3, 4, 5, 6, 7, 8, 10, 12))


def edge_length(rng):
    """0 to 200 tokens with weight on the sizes where a kernel changes its way."""
    low, high = rng.choice(((0, 5), (6, 62), (63, 66), (63, 66), (127, 130), (131, 200)))
    return rng.randint(low, high)


def edited(rng, tokens, alphabet):
    """A copy of `tokens` after up to four deletions, insertions, substitutions and moves."""
    tokens = list(tokens)
    for _ in range(rng.choice((0, 1, 1, 2, 4))):
        start = rng.randint(0, len(tokens))
        end = min(len(tokens), start + rng.choice((0, 1, 1, 2, 5)))
        removed = tokens[start:end]
        tokens[start:end] = rng.choices(alphabet, k=rng.choice((0, 1, 1, 2)))
        if rng.random() < 0.2:
            tokens[rng.randint(0, len(tokens)) :] += removed
    return tokens


def sentences(rng, alphabet, count, length=tiny_length, odd=0.0):
    """Sentences of an alphabet, a third of them edits of others; `odd` says how likely it is that
    there is an empty one, too, and one that is there twice."""
    made = [rng.choices(alphabet, k=length(rng))]
    while len(made) < count:
        other = rng.choices(alphabet, k=length(rng))
        made.append(edited(rng, rng.choice(made), alphabet) if rng.random() < 0.33 else other)
    if rng.random() < odd:
        made += [[], list(rng.choice(made))]
    rng.shuffle(made)
    return made


def segment(rng, alphabet, length=tiny_length, max_references=5):
    """One (hypothesis, references): some references are edits, some strangers, some empty."""
    hypothesis = rng.choices(alphabet, k=length(rng))
    references = []
    for _ in range(rng.randint(1, max_references)):
        origin = rng.random()
        if origin < 0.7:
            references.append(edited(rng, hypothesis, alphabet))
        else:
            references.append(rng.choices(alphabet, k=length(rng)) if origin < 0.95 else [])
    return hypothesis, references


def segments(rng, count, kind, length=tiny_length, max_references=5, fresh=False):
    """`count` segments over the tokens of `kind`, as (hypotheses, list_of_references)."""
    alphabet = KINDS[kind]
    if len(alphabet) > 4 and rng.random() < 0.5:
        alphabet = rng.sample(alphabet, 4)
    hypotheses, list_of_references = [], []
    for _ in range(count):
        hypothesis, references = segment(rng, alphabet, length, max_references)
        if fresh:
            references = [[copied(token) for token in reference] for reference in references]
        hypotheses.append(hypothesis)
        list_of_references.append(references)
    return hypotheses, list_of_references


def random_weights(rng, order):
    """Uniform, random, partly zero or partly negative weights of one order."""
    choice = rng.random()
    if choice < 0.5:
        return (1 / order,) * order
    lowest = -0.2 if choice > 0.9 else 0
    return tuple(rng.choice((0, 1, rng.uniform(lowest, 1))) for _ in range(order))


def token_options(rng):
    """Options of a metric over tokens, by two dialects."""
    order = rng.choice((1, 2, 3, 4, 4, 4, 6, 70))
    chosen = {
        "tokenize": False,
        "max_ngram_order": order,
        "reference_length": rng.choice(("closest", "first", "shortest")),
        "dialect": rng.choice(("sacrebleu", "nltk")),
        "threads": rng.choice((1, 1, 2, 3)),
    }
    if rng.random() < 0.3:
        chosen["weights"] = [rng.choice((0.0, 0.5, 1.0)) for _ in range(order - 1)] + [1.0]
    if chosen["dialect"] == "nltk":
        chosen["smooth_method"] = rng.choice(("none", "floor", "add-k", "exp", "method4"))
    else:
        chosen["smooth_method"] = rng.choice(("exp", "floor", "add-k", "none"))
        chosen["effective_order"] = rng.random() < 0.5
        if chosen["smooth_method"] in ("floor", "add-k"):
            chosen["smooth_value"] = rng.choice((None, 0.3, 2))
    return chosen


def result(function, *args, **kwargs):
    """What `function` returns, or the builtin type of what it raises."""
    try:
        return function(*args, **kwargs)
    except Exception as error:
        kinds = [kind for kind in type(error).__mro__ if not kind.__module__.startswith("fastbleu")]
        return TypeError if TypeError in kinds else kinds[0]


def raises(error, words, function, *args, **kwargs):
    """A call is refused with such an error, whose message has these words."""
    with pytest.raises(error, match=words):
        function(*args, **kwargs)


def quietly(function, *args, **kwargs):
    """The result of a function whose warnings do not matter."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function(*args, **kwargs)


def messages(function, *args, **kwargs):
    """The result of a function, and the messages of all warnings, each an InputWarning."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = function(*args, **kwargs)
    assert {warning.category.__name__ for warning in caught} <= {"InputWarning"}
    return found, [str(warning.message) for warning in caught]


METHODS = ("score", "count", "sentence_scores", "update")


def refused(metric, error, words, hypotheses, references, **masks):
    """Every method of a metric raises the error, with one message, which has these words; the
    metric stays as it was."""
    before, said = metric.state.tolist(), set()
    for method in METHODS:
        with pytest.raises(error, match=words) as caught:
            getattr(metric, method)(hypotheses, references, **masks)
        said.add(str(caught.value))
    assert len(said) == 1, "every method says the same"
    assert metric.state.tolist() == before


def outcome(function, *args, ignore=(), **kwargs):
    """All that a caller can see: value with types or exception, and the warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        seen = typed(result(function, *args, **kwargs))
    texts = [
        (w.category, str(w.message)) for w in caught if not issubclass(w.category, tuple(ignore))
    ]
    return seen, texts


def typed(value):
    """The value with its types, fractions as they stand, so that `==` compares all of it."""
    if isinstance(value, (list, tuple)):
        return type(value).__name__, [typed(element) for element in value]
    if isinstance(value, Fraction):
        return "Fraction", value.numerator, value.denominator, float(value)
    if isinstance(value, float) and value != value:
        return type(value).__name__, "nan"
    return type(value).__name__, value


def assert_same(bleu, name, *args, **kwargs):
    """The function `name` of `bleu` does what that of nltk does; returns what that is."""
    expected = outcome(getattr(PRISTINE, name), *args, **kwargs)
    is_nltk = bleu.sentence_bleu.__module__.startswith("nltk")
    # fastbleu's extra warning for a str in place of tokens; nltk has none.
    ignored = () if is_nltk else (sys.modules["fastbleu"].InputWarning,)
    seen = outcome(getattr(bleu, name), *args, ignore=ignored, **kwargs)
    assert seen == expected
    return expected[0]
