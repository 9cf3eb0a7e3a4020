"""Sentences over one vocabulary: every token has one number, by Python's own equality.

The oracle numbers the tokens by a dict. Of text these are what `fastbleu.tokenizers.tokenize` says.
"""

import gc
import pickle
from array import array
from itertools import chain, product

import numpy as np
import pytest
from generators import KINDS, copied, raises, rounds, seeded
from random_texts import random_texts

import fastbleu
from fastbleu import BLEU
from fastbleu.matrix.reader import SentenceReader

pytestmark = pytest.mark.pythons

COMPILED = ["13a", "none", "zh", "intl", "char"]
TOKENS = BLEU(tokenize=False)


def split(sentences):
    """The ids of each sentence."""
    ids, lengths = sentences.flat().tolist(), sentences.lengths
    assert len(lengths) == len(sentences)
    assert len(ids) == sum(lengths)
    assert max(lengths, default=0) == sentences.longest
    assert min(ids, default=0) >= -1
    found = []
    for length in lengths:
        found.append(ids[:length])
        ids = ids[length:]
    return found


def in_order(numbered):
    """Sentences renumbered by first appearance, so that two numberings can be compared."""
    names = {-1: -1}
    return [[names.setdefault(id, len(names) - 1) for id in sentence] for sentence in numbered]


class Oracle:
    """Numbers tokens by a dict."""

    def __init__(self):
        self.known = {}

    def read(self, sentences, known_only=False):
        if known_only:
            return [[self.known.get(token, -1) for token in sentence] for sentence in sentences]
        return [
            [self.known.setdefault(token, len(self.known)) for token in sentence]
            for sentence in sentences
        ]


# --- text


@pytest.mark.parametrize("tokenizer", COMPILED)
@pytest.mark.parametrize("lowercase", [False, True])
def test_random_texts(tokenizer, lowercase):
    rng = seeded("sentences", tokenizer, lowercase)
    reader = SentenceReader(BLEU(tokenize=tokenizer, lowercase=lowercase))
    for _ in range(rounds(30)):
        reader.vocabulary.forget()
        oracle = Oracle()
        found_ids, expected, used = [], [], set()
        for _ in range(rng.choice((1, 3, 10))):
            texts = random_texts(rng, rng.choice((0, 1, 15, 600)))
            known_only = rng.random() < 0.3
            lowered = [text.lower() if lowercase else text for text in texts]
            tokens = [fastbleu.tokenizers.tokenize(text, tokenizer) for text in lowered]
            found = split(reader.read(texts, "hypotheses", known_only=known_only))
            # A text that is rewritten may be read twice and leave tokens that no sentence has.
            if known_only:
                found = [[id if id in used else -1 for id in sentence] for sentence in found]
            used.update(chain.from_iterable(found))
            found_ids += found
            expected += oracle.read(tokens, known_only)
        assert in_order(found_ids) == in_order(expected)


def test_long_tokens_outlive_their_texts():
    """Tokens that are no keys by themselves are copied: texts and buffers of lines go away."""
    reader = SentenceReader(BLEU(tokenize="none"))
    words = ["w" * n + str(n) for n in range(14, 80)]
    words += ["я" * n + str(n) for n in range(7, 50)] + ["\U0001f600" * n for n in range(4, 30)]
    first = [split(reader.read([word + " &amp;"], "x"))[0][0] for word in words]
    assert len(set(first)) == len(words)
    gc.collect()
    junk = ["v" * n for n in range(14, 80)] * 3  # where the texts were
    again = split(reader.read([" ".join(words)], "x", known_only=True))[0]
    assert again == first
    assert len(junk) == 198


def test_tokenizers_that_are_functions():
    reader = SentenceReader(BLEU(tokenize=str.split, lowercase=True))
    assert split(reader.read(["A b a", "B c", ""], "x")) == [[0, 1, 0], [1, 2], []]
    assert split(reader.read(["d C ."], "x", known_only=True, counted=True)) == [[-1, 2, -1]]
    assert reader.tokenized_periods == 1
    raises(TypeError, r"x\[1\] is a list, expected a str", reader.read, ["a", ["b"]], "x")
    raises(TypeError, r"x\[1\] is an int, expected a str", reader.read, ["a", 5], "x")
    with pytest.raises(ZeroDivisionError):
        SentenceReader(BLEU(tokenize=lambda text: 1 / 0)).read(["a"], "x")


def test_texts_that_look_tokenized_are_counted():
    reader = SentenceReader(BLEU())
    reader.read(["a .", "b.", "c ."], "x", counted=True)
    reader.read(["a ."], "x")
    reader.vocabulary.forget()
    assert reader.tokenized_periods == 2
    assert (reader.sentences, reader.short) == (3, 3)


def test_both_sides_of_a_matrix():
    reader = SentenceReader(BLEU())
    reader.read(["x"], "x")
    rows, columns = reader.read_pair(["a b"], ["b c", "a"])
    assert (split(rows), split(columns)) == ([[0, 1]], [[1, 2], [0]])
    assert (reader.sentences, reader.short) == (1, 1)


# --- lists of tokens


@pytest.mark.parametrize("kind", [*KINDS])
def test_random_tokens(kind):
    rng = seeded("tokens of sentences", kind)
    reader = SentenceReader(TOKENS)
    for _ in range(rounds(40)):
        reader.vocabulary.forget()
        oracle = Oracle()
        alphabet = KINDS[kind]
        if rng.random() < 0.5:
            alphabet = alphabet + rng.choice([KINDS["words"], KINDS["small ints"], KINDS["mixed"]])
        for _ in range(rng.choice((1, 2, 5))):
            known_only = rng.random() < 0.3
            sentences = [
                [copied(token) for token in rng.choices(alphabet, k=rng.choice((0, 1, 5, 30)))]
                for _ in range(rng.choice((0, 1, 4, 20)))
            ]
            if rng.random() < 0.3:
                sentences = tuple(map(tuple, sentences))
            seen = split(reader.read(sentences, "x", known_only=known_only))
            assert seen == oracle.read(sentences, known_only)


def test_equal_numbers_are_one_token_whichever_came_first():
    for first, then in product((1, 1.0, True, np.int64(1)), repeat=2):
        reader = SentenceReader(TOKENS)
        assert split(reader.read([["a", first, b"a"]], "x")) == [[0, 1, 2]]
        assert split(reader.read([[then, "a", b"a", then]], "x")) == [[1, 0, 2, 1]]
        assert split(reader.read([[then, 2.0]], "x", known_only=True)) == [[1, -1]]
        assert split(reader.read(np.array([[3, 1]]), "x")) == [[3, 1]]
        assert split(reader.read(np.array([[4, 1]]), "x", known_only=True)) == [[-1, 1]]


def test_other_tokens_may_be_looked_for_and_change_nothing():
    reader = SentenceReader(TOKENS)
    reader.read([["a", 1, "x" * 30]], "x")
    for _ in range(2):
        known = reader.read([[1.0, 2.5, "a", "x" * 30]], "x", known_only=True)
        assert split(known) == [[1, -1, 0, 2]]
    assert split(reader.read([["b", 2]], "x")) == [[3, 4]]
    assert split(reader.read([[2.0, "b"]], "x", known_only=True)) == [[4, 3]]
    assert reader.vocabulary.all_tokens() == ["a", 1, "x" * 30, "b", 2]


def test_tokens_and_ids_share_one_vocabulary():
    reader = SentenceReader(TOKENS)
    assert split(reader.read([[7, 8, -1], [2**62]], "x")) == [[0, 1, 2], [3]]
    assert split(reader.read(np.array([[8, 7, 2**62, 5]]), "x")) == [[1, 0, 3, 4]]
    assert split(reader.read([np.array([5], "u1"), [-1]], "x")) == [[4], [2]]


def test_sequences_that_are_no_lists():
    reader = SentenceReader(TOKENS)
    sentences = [("a", "b"), iter(["b"]), np.array(["c", "a"]), np.array(["a"], object), range(1)]
    assert split(reader.read(sentences, "x")) == [[0, 1], [1], [2, 0], [0], [3]]


def test_very_long_sentences():
    numbers = list(range(300_000))
    reader = SentenceReader(TOKENS)
    assert split(reader.read([numbers, numbers[::-1]], "x")) == [numbers, numbers[::-1]]
    assert split(reader.read([[*numbers, 0.5]], "x")) == [[*numbers, 300_000]]
    reader = SentenceReader(TOKENS)
    assert split(reader.read(np.array([numbers, numbers[::-1]]), "x")) == [numbers, numbers[::-1]]
    text = " ".join(map(str, numbers))
    assert split(SentenceReader(BLEU()).read([text, text], "x")) == [numbers, numbers]


# --- token ids


RULES = {"stop_ids": 3, "ignore_ids": (0, -100), "skip_ids": (1, 5)}


def counted(row, mask, rules):
    """The ids of a row that count."""
    kept = []
    for id, use in zip(row, mask, strict=True):
        if use and id == rules.get("stop_ids"):
            break
        if use and id not in rules.get("ignore_ids", ()) + rules.get("skip_ids", ()):
            kept.append(id)
    return kept


@pytest.mark.parametrize("dtype", ["i1", "u1", "i4", "u4", "i8", ">i8"])
@pytest.mark.filterwarnings("ignore:.*(end in a run|is empty)")
def test_random_ids(dtype):
    rng = np.random.default_rng(seeded("ids of sentences", dtype).randrange(2**32))
    readers = {}
    for number in range(rounds(120)):
        names = [(), *zip(RULES, strict=True), tuple(RULES)][number % 5]
        rules = {name: RULES[name] for name in names}
        reader = readers.setdefault(names, SentenceReader(BLEU(tokenize=False, **rules)))
        reader.vocabulary.forget()
        oracle = Oracle()
        for _ in range(3):
            low = 0 if dtype.startswith("u") else -3
            high = rng.choice([7, 100] if dtype.endswith("1") else [7, 2**31 - 1])
            ids = rng.integers(low, high, (rng.integers(0, 30), rng.integers(0, 20))).astype(dtype)
            mask = rng.integers(0, 2, ids.shape) if rng.random() < 0.5 else None
            ones = np.ones(ids.shape, int) if mask is None else mask
            expected = [counted(*pair, rules) for pair in zip(ids.tolist(), ones, strict=True)]
            known_only = bool(rng.random() < 0.3)
            expected = oracle.read(expected, known_only)
            form = rng.integers(4)
            if form == 1:
                ids, mask = list(ids), None if mask is None else list(mask)
            elif form == 2 and (names or mask is not None):
                ids, mask = ids.tolist(), None if mask is None else mask.tolist()
            elif form == 3:
                ids = ids[:, ::-1].copy()[:, ::-1]
            assert split(reader.read(ids, "x", mask, known_only)) == expected


def test_what_is_noticed_of_ids():
    padded = np.array([[1, 2, 0, 0], [3, 0, 0, 0], [4, 5, 0, 0], [6, 7, 8, 9]])
    reader = SentenceReader(TOKENS)
    with pytest.warns(fastbleu.InputWarning, match=r"most rows of x end in a run of the id 0"):
        reader.read(padded, "x")
    reader.read(padded, "x")
    SentenceReader(BLEU(tokenize=False, ignore_ids=(0,))).read(padded, "x")
    of_nothing = SentenceReader(BLEU(tokenize=False, stop_ids=0))
    of_nothing.read(padded[:, 2:] * 0, "x")
    with pytest.warns(fastbleu.InputWarning, match="every one of x is empty after"):
        of_nothing.warn_of_input()
    reader.read([np.array([1, -100])], "x")
    reader.vocabulary.forget()
    assert reader.label_padding
    with pytest.warns(fastbleu.InputWarning, match="-100"):
        reader.warn_of_input()


# --- what is read


def test_unique():
    rng = seeded("unique")
    for alphabet in ("ab", "abcdefgh"):
        for longest in (0, 1, 2, 3, 4, 5, 40):
            sentences = [
                rng.choices(alphabet, k=rng.randint(0, longest)) for _ in range(rng.randint(0, 300))
            ]
            read = SentenceReader(TOKENS).read(sentences, "x")
            unique, equals = read.unique()
            rows = split(read)
            assert type(equals) is array
            assert split(unique) == [list(row) for row in dict.fromkeys(map(tuple, rows))]
            assert [split(unique)[number] for number in equals] == rows


def test_sentences_are_pickled():
    rules = BLEU(tokenize=False, ignore_ids=(0,))
    read = SentenceReader(rules).read(np.array([[0, 0], [1, 0], [2, 1]]), "x")
    copy = pickle.loads(pickle.dumps(read))
    assert (split(copy), copy.padding) == ([[], [0], [1, 0]], [0])
    make, _ = read.__reduce__()
    for wrong in (-1, 4, 2**62):
        with pytest.raises(ValueError, match="but 3 are left"):
            make(array("i", [1, 2, 3]), array("q", [wrong]), [])
    with pytest.raises(TypeError, match="expected int32"):
        make(array("q", [1]), array("q", [1]), [])
