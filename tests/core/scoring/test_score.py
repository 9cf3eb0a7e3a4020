"""`Score`: immutable, compared and stored by value."""

import copy
import importlib.util
import inspect
import json
import pickle
from xml.etree import ElementTree

import numpy as np
import pytest
from generators import raises

from fastbleu import BLEU, Score, dialects
from fastbleu.core.scoring.names import get

VALUES = {
    "value": 48.89,
    "precisions": (0.8, 0.5),
    "bp": 0.9,
    "hyp_len": 7,
    "ref_len": 8,
    "matches": (4, 2),
    "totals": (5, 4),
    "signature": "nrefs:1|tok:13a",
    "printed": "48.89",
    "cumulative": (80.0, 48.89),
}
SCORE = Score(*VALUES.values())
pytestmark = pytest.mark.filterwarnings("ignore::fastbleu.InputWarning")


def test_fields():
    assert tuple(VALUES) == Score.__match_args__ == tuple(inspect.signature(Score).parameters)
    assert {name: getattr(SCORE, name) for name in VALUES} == SCORE.to_dict() == VALUES
    assert json.loads(json.dumps(SCORE.to_dict()))["matches"] == [4, 2]
    match SCORE:
        case Score(value, bp=bp):
            assert (value, bp) == (48.89, 0.9)


MEANS = (
    "codexglue-summary llamafactory-metric mlflow-p90 helm-self_bleu parlai ignite-smooth1-macro"
)
CORPORA = "sacrebleu phrasal codesum-nltk-smooth4 opik-corpus lm-eval ignite-smooth1-micro"


@pytest.mark.parametrize("name", f"{MEANS} phrasal-smooth codesum-nltk-smooth4-average".split())
def test_a_mean_of_sentence_scores_has_no_brevity_penalty(name):
    score = BLEU(dialect=name).score(["a b c d", "x"], ["a b c d e", "x y"])
    assert score.bp is score.to_dict()["bp"] is None
    assert Score(**score.to_dict()) == pickle.loads(pickle.dumps(score)) == score
    texts = str(score), score.format(), score._repr_html_().partition("BP")[2]
    assert [text for text in texts if "BP" in text or "None" in text] == []
    assert "(hyp_len = " in texts[0]


@pytest.mark.parametrize("name", CORPORA.split())
def test_the_score_of_a_corpus_has_a_brevity_penalty(name):
    score = BLEU(dialect=name).score(["a b c d", "x y"], ["a b c d e", "x y z"])
    assert 0 < score.bp < 1
    assert f"(BP = {score.bp:.3f} " in str(score)


def test_it_cannot_be_changed():
    score = copy.copy(SCORE)
    for name in (*VALUES, "other"):
        raises(AttributeError, name, setattr, score, name, 1)
        raises(AttributeError, name, delattr, score, name)
    assert score == SCORE


def test_equal_by_value():
    assert hash(SCORE) == hash(Score(**VALUES))
    assert tuple(VALUES.values()) != SCORE
    for name, value in VALUES.items():
        other = SCORE.__replace__(**{name: value * 2})
        assert other != SCORE
        assert hash(other) != hash(SCORE)
        assert other == Score(**{**VALUES, name: value * 2})


def test_copies_are_equal():
    score = BLEU().score(["The cat sat on the mat."], ["The cat sat on a mat."])
    pickled = [pickle.dumps(score, n) for n in range(pickle.HIGHEST_PROTOCOL + 1)]
    for again in (*map(pickle.loads, pickled), copy.copy(score), copy.deepcopy(score)):
        assert type(again) is Score
        assert again == score


def test_texts():
    assert float(SCORE) == 48.89
    assert f"{SCORE:.1f}" == "48.9"
    assert f"{SCORE}" == str(SCORE)
    assert str(SCORE) == (
        "BLEU|nrefs:1|tok:13a = 48.89 80.0/50.0 (BP = 0.900 hyp_len = 7 ref_len = 8)"
    )
    assert SCORE.format(width=3) == str(SCORE).replace("48.89", "48.890")
    assert SCORE.format() == str(SCORE)
    assert eval(repr(SCORE)) == SCORE
    assert repr(SCORE) == f"Score({', '.join(f'{n}={v!r}' for n, v in VALUES.items())})"


def test_digits_are_those_of_the_original_or_fixed_by_the_scale():
    def shown(value, printed=None):
        score = SCORE.__replace__(value=value, printed=printed)
        text = str(score).split()[2]
        assert f"<td>{text}</td>" in score._repr_html_()
        return text

    assert [*map(shown, (5.2, 100.0, 31.0))] == ["5.20", "100.00", "31.00"]
    assert [*map(shown, (0.5, 1.0, 0.0))] == ["0.5000", "1.0000", "0.0000"]
    assert shown(0.4524, "0.452") == "0.452"


CORPUS = (
    ["the cat sat on the mat today", "a dog", "", "it is what it is", "a b c d e f g"],
    [["the cat is on the mat today"], ["the dog"], ["x y"], ["it was so"], ["a b c d e x g"]],
)


def test_cumulative_scores():
    """BLEU-1 to BLEU-N are those of each `max_ngram_order`."""
    for dialect, options in (
        ("sacrebleu", {"smooth_method": "none"}),
        ("sacrebleu", {"effective_order": True}),
        ("nltk", {"smooth_method": "add-k"}),
        *((name, {}) for name in dialects.names() if 1 in get(name).orders),
    ):
        if dialect.startswith("torch") and importlib.util.find_spec("torch") is None:
            continue
        metric = BLEU(dialect=dialect, **options)
        metric.update(*CORPUS)
        score = metric.compute()
        shorter = [
            BLEU(dialect=dialect, max_ngram_order=order, **options) for order in (1, 2, 3, 4)
        ]
        assert score.cumulative == tuple(one.score(*CORPUS).value for one in shorter), dialect


def test_no_cumulative_scores():
    for options in ({"weights": (0.4, 0.3, 0.2, 0.1)}, {"dialect": "multi-bleu"}):
        assert BLEU(**options).score(*CORPUS).cumulative is None


def test_html():
    score = SCORE.__replace__(signature="tok:f.<locals>.<lambda>")
    table = ElementTree.fromstring(score._repr_html_())
    assert table.find("caption").text == score.signature
    assert ["".join(cell.itertext()) for cell in table.iter("td")] == [
        *("48.89", "4 / 5", "2 / 4", "0.900", "7", "8"),
    ]
    assert len(list(table.iter("th"))) == 6


def test_it_is_not_a_number():
    for operation in (
        *(lambda: SCORE < SCORE, lambda: SCORE > 30, lambda: SCORE <= 30, lambda: SCORE <= 30.5),
        *(lambda: round(SCORE), lambda: round(SCORE, 2)),
        *(lambda: max(SCORE, SCORE), lambda: sorted([SCORE, SCORE]), lambda: int(SCORE)),
        *(lambda: SCORE - SCORE, lambda: 100 * SCORE, lambda: SCORE / 2, lambda: sum([SCORE] * 2)),
        *(lambda: np.mean([SCORE, SCORE]), lambda: abs(SCORE - 1), lambda: -SCORE),
    ):
        raises(TypeError, r"not a number.*score\.value > 30", operation)
    assert max([SCORE, SCORE.__replace__(value=49.0)], key=float).value == 49.0
    assert np.array([SCORE], float) == SCORE.value


@pytest.mark.parametrize(
    ("other", "own"),
    [
        *(("score", "value"), ("bleu", "value"), ("counts", "matches"), ("sys_len", "hyp_len")),
        *(("brevity_penalty", "bp"), ("reference_length", "ref_len")),
        *(("translation_length", "hyp_len"), ("item", "value")),
    ],
)
def test_names_of_other_libraries_are_known(other, own):
    """sacreBLEU's, and those of the dict that Evaluate's metrics return."""
    raises(AttributeError, rf"no attribute '{other}'; here it is \.{own}$", getattr, SCORE, other)
    raises(TypeError, rf"not a dict: write score\.{own}, ", lambda: SCORE[other])
    raises(TypeError, rf"not a dict: write score\.{own}, ", lambda: SCORE[own])
    assert not hasattr(SCORE, other)
    assert hasattr(SCORE, own)
