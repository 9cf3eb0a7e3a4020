"""chrF and chrF++ are sacreBLEU's to the last bit; TER is sacreBLEU's own."""

import copy
import inspect
import pickle
import subprocess
import sys

import numpy as np
import pytest
import random_texts
import sacrebleu
from generators import raises, rounds, seeded
from processes import python
from random_texts import KINDS, WHITE_SPACE
from sacrebleu.metrics import CHRF as ORIGINAL
from sacrebleu.metrics.chrf import CHRFScore, CHRFSignature
from sacrebleu.significance import PairedTest

import fastbleu.sacrebleu
from fastbleu.chrf.counter import ChrfCounter
from fastbleu.core.inputs._batch import Batch
from fastbleu.sacrebleu import CHRF, corpus_chrf, sentence_chrf

CASES = rounds(2_000, 60)
PIECES = [
    *KINDS.values(),
    [*"aé", "\u0301", "\u0308", "\ufe0f", "\u200d", " "],
    [*map(chr, range(0x4E00, 0x4F80)), " ", "."],  # more characters than a byte can number
]
OPTIONS = ({}, {"word_order": 2}, {"eps_smoothing": True, "word_order": 3, "whitespace": True})


def text(rng):
    pieces, kind = rng.choice(PIECES), rng.random()
    if kind < 0.08:
        return "" if kind < 0.05 else "".join(rng.choices(WHITE_SPACE, k=rng.randint(1, 4)))
    longest = rng.choice([2, 8, 8, 30, 30, 80, 200, 700] + [6000] * (kind > 0.99))
    end = rng.choice(["", "", ".", " ", "\n", "!?", " ."])
    return "".join(rng.choices(pieces, k=rng.randint(1, longest))) + end


def edited(rng, original):
    for _ in range(rng.randint(0, 4)):
        original = random_texts.edited(rng, original, rng.choice(PIECES))
    return original


def options(rng):
    char_order = rng.choice([0, 1, 2, 3, 6, 6, 6, 9, 40, 70])
    word_order = rng.choice([0, 0, 1, 2, 2, 3, 5])
    return {
        "char_order": char_order,
        "word_order": word_order or int(not char_order),
        "beta": rng.choice([0, 1, 2, 2, 2, 3, 10, 0.5, 2.5, -2, 1 / 3, 10**9, 1e8]),
        "lowercase": rng.random() < 0.4,
        "whitespace": rng.random() < 0.4,
        "eps_smoothing": rng.random() < 0.4,
    }


def corpus(rng):
    """Hypotheses and streams of references; every segment has one at least."""
    segments, streams = rng.choice([1, 1, 2, 3, 8]), rng.choice([1, 1, 1, 2, 3, 5])
    first = [text(rng) for _ in range(segments)]
    references = [first, *([edited(rng, t) for t in first] for _ in range(streams - 1))]
    for segment in range(segments):
        for stream in references[1:]:
            stream[segment] = rng.choice([None, text(rng), stream[segment], stream[segment]])
    hypotheses = [edited(rng, t) if rng.random() < 0.7 else text(rng) for t in first]
    rng.shuffle(references)
    return hypotheses, references


def seen(score):
    return type(score.score), vars(score) | {"verbose": score._verbose}, str(score)


def signature(metric):
    """Both forms without the version."""
    shown = metric.get_signature()
    return [shown.format(short).rpartition("|")[0] for short in (False, True)]


def test_random_corpora():
    rng = seeded("chrF")
    for _ in range(CASES):
        given, (hypotheses, streams) = options(rng), corpus(rng)
        where = given, hypotheses, streams
        ours, theirs = CHRF(**given), ORIGINAL(**given)
        expected = theirs.corpus_score(hypotheses, streams)
        assert vars(ours.corpus_score(hypotheses, streams)) == without_text(expected), where
        assert signature(ours) == signature(theirs), where
        rows = theirs._extract_corpus_statistics(hypotheses, streams)
        counted = ours._extract_corpus_statistics(hypotheses, streams)
        assert counted.tolist() == rows, where
        assert ours._aggregate_and_compute(counted).score == expected.score, where
        kept = CHRF(**given, references=streams)
        assert kept.corpus_score(hypotheses, None).score == expected.score, where
        for hypothesis, *references in zip(hypotheses, *streams, strict=True):
            score = ours.sentence_score(hypothesis, references)
            assert score.score == theirs.sentence_score(hypothesis, references).score, where
            assert ours.num_refs == theirs.num_refs, where


def test_every_character_is_lowered_as_by_python():
    characters = [chr(c) for c in range(0x110000)]
    small = [c.lower() for c in characters]
    counter = ChrfCounter(1, 0, (2, False), lowercase=True, whitespace=True)
    rows = counter.count(Batch(characters, small)).rows
    assert rows.tolist() == [len(text) for text in small for _ in range(3)]


def without_text(score):
    """The attributes of a sacreBLEU's score that are not always the same."""
    return {name: value for name, value in vars(score).items() if name != "_verbose"}


def test_patched():
    """sacreBLEU's own objects, after fastbleu.patch()."""
    rng = seeded("patched chrF")
    for _ in range(CASES // 3):
        given, (hypotheses, streams) = options(rng), corpus(rng)
        theirs = ORIGINAL(**given)
        pairs = [(h, [*r]) for h, *r in zip(hypotheses, *streams, strict=True)]
        expected = [theirs.sentence_score(*pair) for pair in pairs]
        expected += [theirs.corpus_score(hypotheses, streams)]
        with fastbleu.patch("sacrebleu"):
            assert "_fastbleu" in str(ORIGINAL.sentence_score.__code__.co_names)
            found = [theirs.sentence_score(*pair) for pair in pairs]
            found += [theirs.corpus_score(hypotheses, streams)]
            kept = ORIGINAL(**given, references=streams).corpus_score(hypotheses, None)
        assert [*map(seen, found)] == [*map(seen, expected)], (given, hypotheses, streams)
        assert {*map(type, found)} == {CHRFScore}
        assert kept.score == expected[-1].score
    for wrong in (("a", "a"), (1, ["a"]), ("a", [1])):
        with fastbleu.patch("sacrebleu"), pytest.raises(TypeError, match="CHRF: "):
            ORIGINAL().sentence_score(*wrong)


def test_functions():
    rng = seeded("functions of chrF")
    for given in ({}, {"word_order": 2}, {"beta": 3}, {"eps_smoothing": True}):
        hypotheses, streams = corpus(rng)
        pair = hypotheses[0], [references[0] for references in streams]
        for order in (1, 6):
            score = corpus_chrf(hypotheses, streams, order, **given).score
            assert score == sacrebleu.corpus_chrf(hypotheses, streams, order, **given).score
            score = sentence_chrf(*pair, order, **given).score
            assert score == sacrebleu.sentence_chrf(*pair, order, **given).score


@pytest.mark.parametrize("given", OPTIONS)
def test_samples(given):
    """Confidence intervals and p-values, also in sacreBLEU's own paired tests."""
    rng = seeded("samples of chrF", given)
    streams = [[text(rng) for _ in range(120)] for _ in range(2)]
    systems = [(name, [edited(rng, line) for line in streams[0]]) for name in "abc"]
    ours, theirs = CHRF(**given), ORIGINAL(**given)
    score = ours.corpus_score(systems[0][1], streams, n_bootstrap=200)
    expected = theirs.corpus_score(systems[0][1], streams, n_bootstrap=200)
    assert seen(score)[:2] == (type(expected.score), vars(score) | {"verbose": ""})
    assert vars(score) == without_text(expected)
    assert signature(ours) == signature(theirs)
    for test in ("bs", "ar"):
        results = [PairedTest(systems, {"m": m}, streams, test, 200)()[1] for m in (ours, theirs)]
        (ours_found, theirs_found) = ([*map(vars, found[score.name])] for found in results)
        assert ours_found == theirs_found


def test_few_segments_have_an_interval():
    """Where samples without matches and others meet, sacreBLEU raises a TypeError."""
    hypotheses, streams = ["abc", "x", "y"], [["abd", "z", "w"]]
    raises(TypeError, "coerce", ORIGINAL().corpus_score, hypotheses, streams, n_bootstrap=50)
    assert CHRF().corpus_score(hypotheses, streams, n_bootstrap=50)._ci > 0


def test_the_interface_is_sacrebleus():
    for name in ("corpus_score", "sentence_score", "get_signature"):
        ours, theirs = (inspect.signature(getattr(m, name)) for m in (CHRF, ORIGINAL))
        assert [p.default for p in ours.parameters.values()] == [
            p.default for p in theirs.parameters.values()
        ]
    assert (CHRF.CHAR_ORDER, CHRF.WORD_ORDER) == (ORIGINAL.CHAR_ORDER, ORIGINAL.WORD_ORDER)
    score = fastbleu.sacrebleu.CHRFScore(12.345, 6, 2, 2)
    expected = CHRFScore(12.345, 6, 2, 2)
    for copied in (score, copy.deepcopy(score), pickle.loads(pickle.dumps(score))):
        for form in ((), (3,), (1, True), (2, False, "nrefs:1|a:b", True)):
            assert copied.format(*form) == expected.format(*form)
    metric = CHRF()
    raises(ValueError, "score something first", metric.get_signature)
    metric.sentence_score("a", ["a", None])
    assert isinstance(metric.get_signature(), fastbleu.sacrebleu.CHRFSignature)
    assert [*metric.get_signature().info] == [*CHRFSignature(vars(metric)).info]


def test_errors():
    """What sacreBLEU refuses, too, is in test_sacrebleu_errors.py."""
    for streams in ([[None]], [[None], [None]]):
        raises(ValueError, "segment 0", CHRF().corpus_score, ["a"], streams)
    raises(TypeError, "segment 0", CHRF().corpus_score, ["a"], [["a"], [1]])
    raises(TypeError, r"references\[1\] is an int", CHRF().sentence_score, "a", ["a", 1])
    raises(ValueError, "no references", CHRF().sentence_score, "a", [None])
    raises(ValueError, "char_order is -1", CHRF, -1)
    raises(TypeError, r"word_order is 1\.5", CHRF, word_order=1.5)
    with pytest.raises(TypeError, match="overrides _compute_f_score"):
        type("Own", (CHRF,), {"_compute_f_score": None})
    assert CHRF(0, 0).corpus_score(["a"], [["a"]]).score == 0.0
    with pytest.raises(ZeroDivisionError):
        CHRF(0, 0, eps_smoothing=True).sentence_score("a", ["a"])


def test_threads_and_chunks_change_nothing():
    rng = seeded("chrF threads")
    references = [text(rng) for _ in range(3000)]
    hypotheses = [edited(rng, t) for t in references]
    rule = 2, False
    batch = Batch(hypotheses, references)
    rows = [ChrfCounter(6, 2, rule, threads=n).count(batch).rows for n in (1, 4)]
    assert rows[0] == rows[1]
    counter = ChrfCounter(6, 2, rule)
    parts = [Batch(hypotheses[i : i + 700], references[i : i + 700]) for i in range(0, 3000, 700)]
    total, *others = [counter.count(part).sums(keep_rows=True) for part in parts]
    for other in others:
        total += other
    assert (total.rows(), total.segments, total.nrefs) == (rows[0], 3000, 1)
    assert total.row == counter.count(batch).sums().row
    assert counter.score(total.row) == corpus_chrf(hypotheses, [references], word_order=2).score
    assert np.frombuffer(rows[0], np.int64).reshape(3000, -1).sum(0).tolist() == total.row.tolist()


WITHOUT_MEMORY = """
import _testcapi
from fastbleu.chrf._chrf import PairScorer

def score():
    return PairScorer(6, 2, True, False).score("a b\\U0001f600", ["a c", None], (2, False))

expected, failed = score(), 0
for number in range(80):
    try:
        _testcapi.set_nomemory(number, number + 1)
        try:
            found = score()
        finally:
            _testcapi.remove_mem_hooks()
        assert found == expected
    except MemoryError:
        failed += 1
print(failed)
"""


def test_without_memory():
    pytest.importorskip("_testcapi")
    assert int(python("-c", WITHOUT_MEMORY)) > 20  # in a process of its own, without threads


def test_ter_is_handed_over():
    import fastbleu.sacrebleu.metrics as metrics

    for name in ("TER", "corpus_ter", "sentence_ter"):
        assert getattr(fastbleu.sacrebleu, name) is getattr(sacrebleu, name)
    assert metrics.TER is sacrebleu.TER
    assert metrics.METRICS == {
        "BLEU": fastbleu.sacrebleu.BLEU,
        "CHRF": CHRF,
        "TER": sacrebleu.TER,
    }
    code = "import sys; sys.modules['sacrebleu'] = None\nfrom fastbleu.sacrebleu import CHRF, TER"
    failed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "TER is sacreBLEU's own" in failed.stderr
    assert "testsets" in failed.stderr
