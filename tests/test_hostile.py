"""Hostile input is normal input: a result or a clean exception, never a crash or a leak.

Tokens here raise, lie, change the lists that are being read, or call the library
again; sequences lie about their length. After each of it the next call is right.
"""

import gc
import os
import sys
import threading
import tracemalloc
import warnings

import fastbleu
import numpy as np
import oracle
import pytest
from generators import seeded, segments

REFERENCES = [["a", "b", "c"], ["a", "c"]]
ORACLE_ROW = oracle.row(["a", "b", "d"], REFERENCES)


def sentence(hypothesis, references):
    return fastbleu.sentence_bleu(references, hypothesis)


def corpus(hypothesis, references):
    return fastbleu.corpus_bleu([REFERENCES, references], [["a"], hypothesis])


def rows(hypothesis, references):
    return fastbleu.count([["a"], hypothesis], [REFERENCES, references])


def rows_in_threads(hypothesis, references):
    return fastbleu.count([["a"], hypothesis] * 3, [REFERENCES, references] * 3, threads=2)


def precision(hypothesis, references):
    return fastbleu.modified_precision(references, hypothesis, 1)


ENTRIES = [sentence, corpus, rows, rows_in_threads, precision]
each_entry = pytest.mark.parametrize("entry", ENTRIES)


@pytest.fixture(autouse=True)
def the_next_call_is_right():
    """Whatever happened, an ordinary call afterwards gives the ordinary result."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        yield
        assert np.asarray(fastbleu.count([["a", "b", "d"]], [REFERENCES])).tolist() == [ORACLE_ROW]
        score = fastbleu.sentence_bleu(REFERENCES, ["a", "b", "d"], (0.5, 0.5))
        assert score == oracle.nltk_corpus_score([REFERENCES], [["a", "b", "d"]], (0.5, 0.5))


def clean(function, *arguments):
    """The result or the exception of a call that may end either way."""
    try:
        return function(*arguments)
    except SystemError:
        raise
    except Exception as error:
        return error


class Planned(BaseException):
    """Raised by tokens; no `except Exception` may swallow it."""


class Token:
    """A token of hash 1 that runs `action` when it is hashed or compared."""

    def __init__(self, on_hash=None, on_equal=None, equal=False):
        self.on_hash, self.on_equal, self.equal = on_hash, on_equal, equal

    def __hash__(self):
        if self.on_hash:
            self.on_hash()
        return 1

    def __eq__(self, other):
        if self.on_equal:
            self.on_equal()
        return self.equal


def raising(error):
    def action():
        raise error

    return action


@each_entry
@pytest.mark.parametrize("error", [Planned("x"), ValueError("x"), KeyError(), TypeError("mine"), MemoryError(),
                                   KeyboardInterrupt(), StopIteration(), SystemExit(3)])  # fmt: skip
def test_exceptions_of_tokens_propagate_unchanged(entry, error):
    hashed = Token(on_hash=raising(error))
    for hypothesis, references in (([hashed], [["a"]]), (["a"], [["b"], ["c", hashed]])):
        with pytest.raises(type(error)) as caught:
            entry(hypothesis, references)
        assert caught.value is error
    with pytest.raises(type(error)) as caught:
        entry([1, Token(on_equal=raising(error))], [[Token(on_equal=raising(error))]])
    assert caught.value is error


@each_entry
@pytest.mark.parametrize("countdown", [0, 1, 2, 5, 20, 60])
def test_an_exception_in_the_middle(entry, countdown):
    left = [countdown]

    def action():
        left[0] -= 1
        if left[0] < 0:
            raise Planned

    tokens = [Token(on_hash=action, on_equal=action) for _ in range(70)]
    with pytest.raises(Planned):
        entry(tokens, [tokens[::-1], [Token(on_equal=action) for _ in range(80)]])


class Ambiguous:
    def __bool__(self):
        raise Planned


@each_entry
@pytest.mark.parametrize("equal", [None, "", 0, 17, object(), NotImplemented, np.array([True, False]),
                                   np.array([]), Ambiguous(), float("nan"), []], ids=repr)  # fmt: skip
def test_comparisons_that_return_anything(entry, equal):
    try:
        clean(entry, [Token(equal=equal) for _ in range(5)], [[Token(equal=equal), 1, 1.0], [True]])
    except Planned:
        assert isinstance(equal, Ambiguous)


@each_entry
def test_comparisons_that_change_their_mind(entry):
    rng = seeded("moods")

    class Moody(Token):
        def __hash__(self):
            return rng.randint(0, 3)

        def __eq__(self, other):
            return rng.random() < 0.5

    for length in (1, 5, 64, 65, 150):
        clean(entry, [Moody() for _ in range(length)], [[Moody() for _ in range(length)]] * 2)


@each_entry
@pytest.mark.parametrize("value", [None, "1", 1.0, 2**200, -1, -(2**70), True])
def test_hashes_that_are_no_hashes(entry, value):
    odd = type("Odd", (), {"__hash__": lambda self: value})()
    try:
        hash(odd)
    except TypeError:
        with pytest.raises(TypeError):
            entry([odd], [["a"]])
    else:
        entry([odd], [["a", odd]])


CHANGES = [list.clear, list.pop, lambda tokens: tokens.extend(["new"] * 500), lambda tokens: tokens.append(tokens[0]),
           lambda tokens: tokens.__setitem__(slice(None), [None]), lambda tokens: tokens.reverse(),
           lambda tokens: tokens.__setitem__(0, "z" * 40), lambda tokens: tokens.insert(0, [1])]  # fmt: skip


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("length", [1, 30, 64, 65, 140])
@pytest.mark.parametrize("when", ["on_hash", "on_equal"])
def test_lists_that_change_during_the_call(change, length, when):
    for target in (
        "hypothesis",
        "first",
        "second",
        "references",
        "hypotheses",
        "list_of_references",
    ):
        for call in (fastbleu.corpus_bleu, lambda r, h: fastbleu.count(h, r),
                     lambda r, h: fastbleu.count(h, r, threads=2),
                     lambda r, h: fastbleu.sentence_bleu(r[0], h[0]),
                     lambda r, h: fastbleu.modified_precision(r[0], h[0], 2)):  # fmt: skip
            lists = {}

            def action(lists=lists, target=target):
                if lists[target]:
                    change(lists[target])
                gc.collect(0)

            def tokens(position, action=action):
                made = [f"token number {n}" for n in range(length)]
                made[position % length] = Token(**{when: action})
                return made + [Token()]

            first, second, hypothesis = tokens(0), tokens(length // 2), tokens(-1)
            references = [first, second]
            lists.update(first=first, second=second, hypothesis=hypothesis, references=references)
            lists["hypotheses"] = [hypothesis, ["a"], ["b"]]
            lists["list_of_references"] = [references, REFERENCES, REFERENCES]
            clean(call, lists["list_of_references"], lists["hypotheses"])


def test_calling_again_from_within():
    rng = seeded("again")
    hypotheses, list_of_references = segments(rng, 20, "words")
    flat = oracle.nltk_corpus_score(list_of_references, hypotheses, (0.5, 0.5))
    inner, depth = [], [0]

    def action():
        if depth[0] < 3:
            depth[0] += 1
            inner.append(fastbleu.corpus_bleu(list_of_references, hypotheses, (0.5, 0.5)))
            inner.append(fastbleu.sentence_bleu([again, ["a"]], again, (1,)))
            inner.append(np.asarray(fastbleu.count([again], [[again]], 1)).tolist())
            depth[0] -= 1

    token = Token(on_hash=action)
    again = ["a", token, "b", token]
    for length in (4, 66):
        hypothesis = [*again, *"x" * (length - 4)]
        reference = ["b", token, "a"]
        expected = [length, 3, 3, length]
        assert np.asarray(fastbleu.count([hypothesis], [[reference]], 1)).tolist() == [expected]
        assert fastbleu.modified_precision([reference], hypothesis, 1).numerator == 3
    assert inner.count(flat) == len(inner) / 3
    assert inner.count(1.0) == inner.count([[4, 4, 4, 4]]) == len(inner) / 3


def test_calling_again_from_smoothing_and_from_warnings(monkeypatch):
    seen = []

    def smoothing(p_n, references, hypothesis, hyp_len):
        seen.append(fastbleu.sentence_bleu([hypothesis], hypothesis))
        return p_n

    assert (
        fastbleu.sentence_bleu([list("abcde")], list("abcde"), smoothing_function=smoothing) == 1.0
    )
    monkeypatch.setattr(
        warnings, "showwarning", lambda *_: seen.append(fastbleu.sentence_bleu(["ab"], "ab", (1,)))
    )
    warnings.simplefilter("always")
    fastbleu.sentence_bleu([list("axbyc")], list("abcde"))
    assert seen[0] == 1.0


class Lying:
    """A sequence whose length and elements are what it is told."""

    def __init__(self, length, elements):
        self.length, self.elements = length, elements

    def __len__(self):
        return self.length() if callable(self.length) else self.length

    def __iter__(self):
        return self.elements() if callable(self.elements) else iter(self.elements)


def failing_iterator():
    yield "a"
    raise Planned


@each_entry
@pytest.mark.parametrize(
    "length", [0, 1, 3, 100, -1, 2**31, 2**62, sys.maxsize, sys.maxsize + 1, None, "3"]
)
def test_lengths_that_lie(entry, length):
    for elements in ((), ["a"], ["a", "b", "c"], ["a"] * 200):
        clean(entry, Lying(length, elements), [["a", "b"]])
        clean(entry, ["a", "b"], [Lying(length, elements), ["a"]])
        clean(entry, ["a", "b"], Lying(length, [["a"], ["b"]]))
    clean(fastbleu.corpus_bleu, Lying(length, [[["a"]]]), Lying(length, [["a"]]))
    clean(fastbleu.count, Lying(length, [["a"]]), Lying(length, [[["a"]]]))


@each_entry
def test_sequences_that_raise(entry):
    for bad in (
        Lying(raising(Planned()), []),
        Lying(2, raising(Planned())),
        Lying(2, failing_iterator),
    ):
        for hypothesis, references in ((bad, REFERENCES), (["a"], [["a"], bad]), (["a"], bad)):
            with pytest.raises(Planned):
                entry(hypothesis, references)


@each_entry
def test_something_wrong_in_every_place(entry):
    for wrong in (
        None,
        3,
        1.5,
        object(),
        int,
        Ellipsis,
        np.float64(1),
        {1},
        b"a",
        np.zeros((2, 2)),
        [None],
        [[]],
        [[[]]],
    ):
        for hypothesis, references in (
            (wrong, REFERENCES),
            (["a"], wrong),
            (["a"], [wrong]),
            (wrong, wrong),
        ):
            clean(entry, hypothesis, references)


class FailingList(list):
    def __iter__(self):
        raise Planned

    def __len__(self):
        return 2

    def __getitem__(self, index):
        raise Planned


@each_entry
def test_subclasses_of_list_with_their_own_ways(entry):
    for hypothesis, references in ((FailingList("ab"), REFERENCES), (["a"], [FailingList("ab")])):
        try:
            clean(entry, hypothesis, references)
        except Planned:
            continue


def test_one_thread_changes_what_another_counts():
    hypothesis, references = ["a", "b"] * 40, [["b", "a"] * 40, ["c"] * 10]
    stop = threading.Event()

    def keep_changing():
        while not stop.is_set():
            hypothesis.append("c")
            references[0].clear()
            references.append(["x" * 20])
            del hypothesis[50:], references[3:]
            references[0].extend("ab" * 30)

    changer = threading.Thread(target=keep_changing)
    changer.start()
    try:
        for _ in range(300):
            for entry in ENTRIES:
                clean(entry, hypothesis, references)
    finally:
        stop.set()
        changer.join()


def resident_kilobytes():
    with open("/proc/self/statm", encoding="ascii") as statm:
        return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") // 1024


def all_the_ways_a_call_can_end(tokens):
    token = tokens[0]
    for entry in ENTRIES:
        clean(entry, tokens, [tokens[::-1], ["a"]])
        clean(entry, [*tokens, []], [tokens])
        clean(entry, tokens, [[*tokens, {}]])
        clean(entry, tokens, [])
        clean(entry, tokens, [None])
        clean(entry, tokens, [Lying(9, raising(KeyError()))])
        clean(entry, [token, Token(on_hash=raising(KeyError()))], [tokens])
    clean(fastbleu.corpus_bleu, [[tokens]], [])
    clean(fastbleu.sentence_bleu, [tokens], tokens, (None,))
    clean(fastbleu.sentence_bleu, [tokens], tokens, [(0.5, 0.5), (1,)], lambda *_, **__: 1 / 0)
    clean(
        fastbleu.sentence_bleu, [tokens], tokens, (0.2,) * 8, fastbleu.SmoothingFunction().method7
    )


def test_references_and_memory_are_given_back():
    tokens = ["a token " + str(n) for n in range(70)] + [10**30, (1, "x"), 2.5, object()]
    for _ in range(20):
        all_the_ways_a_call_can_end(tokens)
    gc.collect()
    before = [sys.getrefcount(token) for token in tokens]
    resident = resident_kilobytes() if os.path.exists("/proc/self/statm") else None
    tracemalloc.start()
    try:
        traced = tracemalloc.get_traced_memory()[0]
        for _ in range(500):  # 40 calls each: 20,000 calls
            all_the_ways_a_call_can_end(tokens)
        gc.collect()
        traced = tracemalloc.get_traced_memory()[0] - traced
    finally:
        tracemalloc.stop()
    assert [sys.getrefcount(token) for token in tokens] == before
    assert traced < 200_000, f"{traced} bytes of Python memory were not given back"
    if (
        resident
        and "FASTBLEU_SANITIZE" not in os.environ
        and "asan" not in os.environ.get("LD_PRELOAD", "")
    ):
        grown = resident_kilobytes() - resident
        assert grown < 8_000, f"the process grew by {grown} kB"
