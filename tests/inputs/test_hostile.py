"""Hostile input is normal input: a result or a clean exception, never a crash or a leak.

Tokens, sequences and arrays here raise, lie, change what is being read, or call the library again.
After each of it the next call is right.
"""

import os
import sys
import threading
import time
import tracemalloc
import warnings

import numpy as np
import oracle
import pytest
from commands import python
from generators import raises, seeded, segments
from hostile import (
    REFERENCES,
    Lying,
    Planned,
    Token,
    each_entry,
    raising,
    resident_kilobytes,
)
from threads import again_and_again

import fastbleu
from fastbleu import BLEU, Stats, count, matrix

pytestmark = [pytest.mark.pythons, pytest.mark.usefixtures("the_next_call_is_right")]


@each_entry
@pytest.mark.parametrize("error", [Planned("x"), ValueError("x"), KeyError(), TypeError("mine"),
    MemoryError(),
                                   KeyboardInterrupt(), StopIteration(),
                                   SystemExit(3)])  # fmt: skip
def test_exceptions_of_tokens_propagate_unchanged(entry, error):
    hashed = Token(on_hash=raising(error))
    for hypothesis, references in (([hashed], [["a"]]), (["a"], [["b"], ["c", hashed]])):
        with pytest.raises(type(error)) as caught:
            entry(hypothesis, references)
        if type(error) is TypeError and sys.version_info >= (3, 14):
            # Its dict raises another one, which says that it needed the hash of a key.
            assert str(caught.value) in (
                f"cannot use 'hostile.Token' as a dict key ({error})",
                "mine",
            )
        else:
            assert caught.value is error
    with pytest.raises(type(error)) as caught:
        entry([1, Token(on_equal=raising(error))], [[Token(on_equal=raising(error))]])
    assert caught.value is error


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

    def show(*_):
        seen.append(fastbleu.sentence_bleu([["a", "b"]], ["a", "b"], (1,)))

    monkeypatch.setattr(warnings, "showwarning", show)
    warnings.simplefilter("always")
    fastbleu.sentence_bleu([list("axbyc")], list("abcde"))
    assert seen == [1.0] * 4


def test_trials_of_the_trust_gate():
    """The first of those that tests/trust/test_hostile_objects.py makes; a failed one is told."""
    python("-m", "trust.hostile_trial", 0, 500, noisy=True)


def failing_iterator():
    yield "a"
    raise Planned


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


@pytest.mark.parametrize("entry", ["corpus_bleu", "count"])
def test_lists_that_are_cleared_when_the_last_segment_is_let_go(entry):
    """Reading segment i lets go of segment i - 1, whose destructor empties both lists."""

    class Evil:
        def __hash__(self):
            hypotheses[0] = None
            return 1

        def __del__(self):
            references.clear()
            hypotheses.clear()

    hypotheses = [[Evil(), "b"], ["a", "b"], ["c"]]
    references = [[["a", "b"]], [["a", "b"]], [["c"]]]
    if entry == "corpus_bleu":
        assert 0 <= fastbleu.corpus_bleu(references, hypotheses, (1,)) <= 1
    else:
        raises(ValueError, "3 segments became 2", fastbleu.count, hypotheses, references)


class Emptying:
    """What empties lists when numpy asks for its length, or for what arrays have."""

    def __init__(self, *lists):
        self._lists = lists

    def __len__(self):
        for some in self._lists:
            del some[:]
        return 0

    def __getitem__(self, index):
        raise IndexError


class EmptyingArray:
    """The same for what asks for an attribute, as numpy does before it asks for the length."""

    def __init__(self, *lists):
        self._lists = lists

    def __getattr__(self, name):
        for some in self._lists:
            del some[:]
        raise AttributeError(name)


ONES = np.ones((3, 6), int)
CALLS = {
    "Stats": Stats,
    "weights": lambda rows: matrix.mbr([["a b"]] * 3, [["a c"] * 6] * 3, rows),
    "mask": lambda rows: BLEU(None).statistics(ONES, ONES, hypothesis_mask=rows),
    "mask of lists": lambda rows: BLEU(None).statistics(
        ONES.tolist(), ONES.tolist(), hypothesis_mask=rows
    ),
    "state": lambda rows: BLEU.from_state(rows[0], max_order=2),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=list(CALLS))
@pytest.mark.parametrize("kind", [Emptying, EmptyingArray])
def test_numpy_reads_no_list_that_an_object_in_it_empties(call, kind):
    """numpy itself dies of it: a segmentation fault."""
    for place in range(6):
        inner = [9000 + number for number in range(6)]
        rows = [inner, [10**6 + number for number in range(6)], [2] * 6]
        inner[place] = kind(inner, rows)
        with pytest.raises((TypeError, ValueError, OverflowError)):
            call(rows)


def test_numbers_that_are_nested_without_end():
    rows = [1, 2]
    rows.append(rows)
    for call in (Stats, lambda rows: BLEU.from_state(rows, max_order=2)):
        raises((TypeError, ValueError), "nested more than 4 levels deep", call, rows)


def test_texts_that_the_tokenizer_takes_out_of_the_list():
    """Counting how many end in " ." met None: an AttributeError."""
    texts = ["a b", "c d"]

    def split(text):
        texts[0] = None
        return text.split()

    assert matrix.pairwise(texts, ["a b", "c d"], tokenize=split).shape == (2, 2)


def test_references_that_a_token_empties_after_they_were_counted():
    """Comparing them with their transposition was an IndexError."""

    class Last(str):
        def __eq__(self, other):
            references.clear()
            return str.__eq__(self, other)

        __hash__ = str.__hash__

    hypotheses = [["a", "b"], ["c", Last("d")]]
    references = [[["a", "b"], ["c", "e"]], [["a", "c"], ["c", "d"]]]
    assert np.asarray(count(hypotheses, references, 1)).tolist() == [[2, 2, 2, 2], [2, 2, 2, 2]]


class Reshaping:
    """A mask that gives the ids another shape while it is asked for its own."""

    def __init__(self, ids, shape, values):
        self.ids, self.new, self.values = ids, shape, values
        self.shape = ids.shape

    def __len__(self):
        return len(self.ids)

    def __array__(self, dtype=None, copy=None):
        self.ids.resize(self.new, refcheck=False)
        return self.values


@pytest.mark.parametrize("shape", [(20,), (2, 10), (4, 5, 1), (2, 1, 2, 5)])
def test_a_mask_that_reshapes_the_ids_does_not_make_them_be_read_beyond_their_end(shape):
    """Each of 20 rows was read 20 ids long, from a memory of 20."""
    metric = BLEU(None)
    ids = np.arange(20).reshape(4, 5)
    mask = Reshaping(ids, shape, np.ones(shape, bool))
    others = np.arange(20 * shape[0]).reshape(shape[0], 20)
    if len(shape) in (2, 3):
        assert len(metric.statistics(ids, others, hypothesis_mask=mask)) == shape[0]
    else:
        with pytest.raises(ValueError, match="dimensions, expected 2 or 3"):
            metric.statistics(ids, others, hypothesis_mask=mask)


def test_a_mask_that_reshapes_a_row():
    ids = np.arange(20)
    mask = Reshaping(ids, (4, 5), np.ones((4, 5), bool))
    with pytest.raises(ValueError, match="2 dimensions, expected 1"):
        BLEU(None).statistics([ids], [ids.copy()], hypothesis_mask=[mask])


def test_rows_that_are_added_while_their_masks_are_counted():
    class Masks(list):
        def __len__(self):
            rows.append([6, 7])
            return super().__len__()

    rows = [[1, 2, 3], [4, 5]]
    masks = Masks([[1, 1, 0], [1, 1]])
    references = np.array([[1, 2], [4, 5]])
    _, positions = matrix.nearest(rows, references, 1, hypothesis_mask=masks, tokenize=None)
    assert positions.tolist() == [[0], [1]]


def test_references_of_ids_that_yield_nothing_are_no_references():
    """The length of a reference that was not there was read from memory that nothing had set."""
    nothing = Lying(2, ())
    nothing.shape = (2, 3)
    for hypothesis in ([1, 2, 3], np.arange(3)):
        with pytest.raises(ValueError, match="segment 0: no references"):
            BLEU(None).statistics([hypothesis], [nothing])


OPTIONS = {"ignore_ids": (-100,), "stop_id": 1, "skip_ids": (2,)}


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("form", ["array", "slice", "ragged"])
def test_arrays_that_another_thread_fills_meanwhile(form, threads):
    """Counting may see any of the numbers, but never more of them than there is room for."""
    hypotheses = np.full((1500, 40), -100)
    references = np.full((1500, 2, 40), -100)
    views = {
        "array": (hypotheses, references),
        "slice": (hypotheses[:, ::-1], references[:, :, ::-1]),
        "ragged": (list(hypotheses), list(references)),
    }[form]

    def change():
        for value in (-100, 1, 2, 7):
            hypotheses[:], references[:] = value, value
        hypotheses[:] = np.arange(40)
        references[:] = np.arange(40)[::-1]

    with again_and_again(change):
        metric = BLEU(None, threads=threads, **OPTIONS)
        for _ in range(40):
            rows = np.asarray(metric.statistics(*views))
            assert (rows >= 0).all()
            assert (rows <= 40).all()
            assert (rows[:, 2:6] <= rows[:, 6:]).all()


def test_contiguous_arrays_are_not_copied():
    hypotheses = np.arange(4_000_000).reshape(4000, 1000) % 30_000
    for dtype in (np.int64, np.int32, np.int16):
        ids = hypotheses.astype(dtype)
        metric = BLEU(None, **OPTIONS)
        metric.score(ids[:2], ids[:2])
        tracemalloc.start()
        try:
            metric.score(ids, ids)
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        assert peak < ids.nbytes / 8, f"{peak} bytes for {ids.nbytes} of {np.dtype(dtype)}"


@pytest.mark.skipif(
    not os.path.exists("/proc/self/statm") or "FASTBLEU_SANITIZED" in os.environ,
    reason="the size of the process is not known, or not the library's",
)
def test_memory_for_one_long_row_is_not_kept():
    ids = np.full((1, 8_000_000), -100, "i1")
    metric = BLEU(None, **OPTIONS)
    before = resident_kilobytes()
    metric.update(ids, ids)
    grown = resident_kilobytes() - before
    assert metric.state[0] == 0
    assert grown < 32_000, f"{grown} kB are kept for the next row"


def test_the_gil_is_released():
    ids = np.random.default_rng(0).integers(0, 30_000, (3000, 1000))
    metric, ticks, done = BLEU(None), [], threading.Event()

    def count():
        metric.score(ids, ids[:, None])
        done.set()

    worker = threading.Thread(target=count)
    worker.start()
    while not done.is_set():
        ticks.append(time.perf_counter())
        time.sleep(0.001)
    worker.join()
    gaps = np.diff(ticks) if len(ticks) > 1 else np.ones(1)
    assert gaps.max() < 0.5 * max(ticks[-1] - ticks[0], 0.05), "other threads stood still"
