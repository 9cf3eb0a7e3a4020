"""What fastbleu.patch() does to sacreBLEU's metric.

That a patched sacreBLEU gives sacreBLEU's results is tested by the parity tests, which run against
"patched" too, and by tests/integrations/test_patching.py with replaced functions.
"""

import copy
import logging
import pickle
from functools import partial

import pytest
import sacrebleu
import sacrebleu_cases as cases
from generators import result, seeded
from sacrebleu.metrics import BLEU, CHRF
from sacrebleu.significance import PairedTest
from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a

import fastbleu.sacrebleu
from fastbleu.sacrebleu import patching

pytestmark = pytest.mark.pythons

patch = partial(fastbleu.patch, "sacrebleu")

LINES = ["The cat sat on the mat.", "Hello, world (3,000)!", "It is 5-10% bigger.", "a b c d e"]
STREAMS = [
    ["The cat sat on a mat.", "Hello world (3000)!", "It's 5-10% bigger.", "a b c d f"],
    ["A cat sat on the mat.", None, "It is bigger.", "a b d e"],
]


@pytest.fixture(autouse=True)
def unpatched():
    yield
    fastbleu.unpatch()


@pytest.fixture
def counted(monkeypatch):
    """The number of calls that reached fastbleu's counting."""
    calls = []
    count = patching.Counter.count

    def counting(*arguments, **named):
        calls.append(arguments)
        return count(*arguments, **named)

    monkeypatch.setattr(patching.Counter, "count", counting)
    return calls


def test_objects_are_sacrebleus():
    with patch():
        metric = BLEU()
        score = metric.corpus_score(LINES, STREAMS)
        assert type(score) is sacrebleu.metrics.BLEUScore
        assert isinstance(sacrebleu.sentence_bleu("a", ["a"]), sacrebleu.metrics.BLEUScore)
        assert str(metric.get_signature()).endswith(f"version:{sacrebleu.__version__}")
        stats = metric._extract_corpus_statistics(LINES, STREAMS)
    assert stats == metric._extract_corpus_statistics(LINES, STREAMS)
    assert {type(row) for row in stats} == {list}
    assert {type(number) for row in stats for number in row} == {int}


def test_other_metrics_stay_as_they_are(counted):
    expected = CHRF().corpus_score(LINES, STREAMS[:1]).score
    with patch():
        assert CHRF().corpus_score(LINES, STREAMS[:1]).score == expected
    assert not counted


class ByLetter(Tokenizer13a):
    def __call__(self, line):
        return " ".join(line)


def test_a_tokenizer_of_the_callers(counted):
    metric = BLEU()
    metric.tokenizer = ByLetter()
    expected = cases.seen(metric.corpus_score(LINES, STREAMS))
    with patch():
        assert cases.seen(metric.corpus_score(LINES, STREAMS)) == expected
    assert not counted


def test_a_tokenizer_that_is_changed_after_references_were_kept():
    def score():
        metric = BLEU(references=STREAMS)
        metric.tokenizer = BLEU(tokenize="char").tokenizer
        return metric.corpus_score(LINES, None)

    expected = cases.seen(score())
    with patch():
        assert cases.seen(score()) == expected


@pytest.mark.parametrize("patched", [(False, True), (True, False)])
def test_references_kept_on_the_other_side(patched):
    expected = cases.seen(BLEU(references=STREAMS).corpus_score(LINES, None))
    before, after = patched
    if before:
        patch()
    metric = BLEU(references=STREAMS)
    (patch if after else fastbleu.unpatch)()
    assert cases.seen(metric.corpus_score(LINES, None)) == expected


def test_kept_references_are_what_sacrebleu_keeps():
    theirs = BLEU(references=STREAMS)._ref_cache
    with patch():
        ours = BLEU(references=STREAMS)._ref_cache
        assert len(ours) == len(theirs)
        assert list(ours) == theirs
        assert ours[1:] == theirs[1:]
        assert pickle.loads(pickle.dumps(ours)) == theirs


CORPORA = [
    ([], [["a"]]),
    (["a"], []),
    (["a"], [[]]),
    (["a", None], [["a", "b"]]),
    (["a", 5], [["a", "b"]]),
    (["a", "b"], [["a", 5]]),
    (["a", "b"], [["a", None]]),
    (["a", ""], [["a", None]]),
    (["a b c d", "b"], [["a b c d"]]),
    (["a b c d"], [["a b c d", "e"]]),
    (["ab", "cd"], ["ab", "cd"]),
    ("ab", ["ab"]),
    (["a"], None),
    (["a"], [5]),
    (["a"], 5),
    (["a b"], [["a b"], iter(["a"])]),
    ([b"a"], [["a"]]),
]


@pytest.mark.parametrize("number", range(len(CORPORA)))
def test_errors_and_odd_input_stay_as_they_are(number, monkeypatch):
    def outcome(keep):
        corpus = copy.deepcopy(CORPORA[number])
        try:
            if keep:
                metric = BLEU(references=corpus[1])
                score = metric.corpus_score(corpus[0], None)
            else:
                metric = BLEU()
                score = metric.corpus_score(*corpus)
        except Exception as error:
            return type(error), str(error)
        return cases.seen(score), cases.signatures(metric)

    for keep in (False, True):
        expected = outcome(keep)
        with patch():
            assert outcome(keep) == expected


@pytest.mark.parametrize("order", [0, -1, 1.0, None])
def test_odd_orders_stay_as_they_are(order):
    expected = str(result(BLEU(max_ngram_order=order).corpus_score, LINES, STREAMS))
    with patch():
        assert str(result(BLEU(max_ngram_order=order).corpus_score, LINES, STREAMS)) == expected


@pytest.mark.parametrize("count", [99, 100, 101])
@pytest.mark.parametrize("force", [False, True])
def test_log_messages(count, force, caplog):
    hypotheses = ["a ."] * count + ["b"]

    def logged():
        caplog.clear()
        with caplog.at_level(logging.DEBUG, "sacrebleu"):
            sacrebleu.corpus_bleu(hypotheses, [hypotheses], force=force)
            BLEU().sentence_score("a", ["a"])
        return [(record.name, record.levelno, record.getMessage()) for record in caplog.records]

    expected = logged()
    assert len(expected) == (4 if count >= 100 and not force else 1)
    with patch():
        assert logged() == expected


def test_all_tokenizers_of_the_metric(counted):
    for tokenize in cases.TOKENIZERS:
        expected = cases.seen(sacrebleu.corpus_bleu(LINES, STREAMS, tokenize=tokenize))
        with patch():
            score = sacrebleu.corpus_bleu(LINES, STREAMS, tokenize=tokenize)
        assert cases.seen(score) == expected
    assert len(counted) == len(cases.TOKENIZERS)


@pytest.mark.parametrize("test_type", ["ar", "bs"])
@pytest.mark.parametrize("kept", [False, True])
@pytest.mark.parametrize("patched", ["metric", "ours"])
def test_paired_tests(test_type, kept, patched):
    rng = seeded("paired tests")
    hypotheses, streams = cases.corpus(rng, 12)
    systems = [
        (name, [cases.edited(rng, line) for line in hypotheses]) for name in ("base", "b", "c")
    ]

    def run(cls):
        metric = cls(smooth_method="add-k", references=streams if kept else None)
        test = PairedTest(
            systems, {"BLEU": metric}, None if kept else streams, test_type, n_samples=50
        )
        signatures, scores = test()
        return str(scores), [cases.without_version(sig) for sig in signatures.values()]

    expected = run(BLEU)
    if patched == "metric":
        with patch():
            assert run(BLEU) == expected
    else:
        assert run(fastbleu.sacrebleu.BLEU) == expected
