"""What errors advise is typed, and works."""

import re

import numpy as np
import pytest

from fastbleu import BLEU

HYPOTHESES = ["the cat sat here", "it rained all night"]
REFERENCES = ["the cat sat there", "it rained all the night"]
EXPECTED = BLEU().score(HYPOTHESES, REFERENCES)


def advice(pattern, function, *arguments, **options):
    """What the message of an error advises."""
    with pytest.raises((TypeError, ValueError, AttributeError)) as raised:
        function(*arguments, **options)
    found = re.search(pattern, str(raised.value))
    assert found, str(raised.value)
    return found[1]


def test_a_column_of_a_data_frame():
    pandas = pytest.importorskip("pandas")
    hypotheses = pandas.DataFrame({"text": HYPOTHESES, "id": [1, 2]})
    typed = advice(r"pass a column, as (.*)", BLEU().score, hypotheses, REFERENCES)
    assert BLEU().score(eval(typed), REFERENCES) == EXPECTED


def test_sets_and_dicts_are_not_put_into_another_order():
    order = "pass a (list in the order of the other side)"
    assert advice(order, BLEU().score, {*HYPOTHESES}, REFERENCES)
    references = {"b": REFERENCES[1], "a": REFERENCES[0]}
    typed = advice(r"as (\[.*\])", BLEU().score, HYPOTHESES, references)
    assert (
        BLEU().score(HYPOTHESES, eval(typed, {"references": references, "keys": "ab"})) == EXPECTED
    )


def test_several_samples_of_each_reference():
    samples = [text for text in HYPOTHESES for _ in range(8)]
    for metric, hypotheses, references in (
        (BLEU(), samples, REFERENCES),
        (BLEU(), np.array(samples, object), np.array(REFERENCES, object)),
        (BLEU(tokenize=False), [s.split() for s in samples], [[r.split()] for r in REFERENCES]),
        (BLEU(tokenize=False), np.arange(80).reshape(16, 5), np.arange(10).reshape(2, 5)),
        (BLEU(tokenize=False), np.arange(80).reshape(16, 5), [np.arange(15).reshape(3, 5)] * 2),
    ):
        typed = advice("for 8 samples.* pass (.*)", metric.score, hypotheses, references)
        repeated = eval(typed, {"references": references})
        assert len(metric.sentence_scores(hypotheses, repeated)) == 16
    assert repeated[7] is references[0]
    with pytest.raises(ValueError, match=r"of hypotheses\[i\]$"):
        BLEU().score(samples[:15], REFERENCES)


def test_weights_of_fewer_orders():
    typed = advice(r"pass (max_ngram_order=\d)", BLEU, weights=(1,))
    assert eval(f"BLEU(weights=(1,), {typed})").score(HYPOTHESES, REFERENCES).value > 0


def test_the_number_of_a_score():
    for name in ("bleu", "score"):
        typed = advice(r"here it is (\.\w+)", getattr, EXPECTED, name)
        assert eval(f"EXPECTED{typed}") == EXPECTED.value


def test_a_method_called_on_the_class():
    typed = advice("call (.*)", BLEU.score, HYPOTHESES, REFERENCES)
    assert (
        eval(typed, {"BLEU": BLEU, "hypotheses": HYPOTHESES, "references": REFERENCES}) == EXPECTED
    )


@pytest.mark.parametrize(
    ("option", "given", "meant"),
    [
        ("dialect", "sacreblue", "sacrebleu"),
        ("dialect", "moses", "multi-bleu"),
        ("dialect", "huggingface", "evaluate"),
        ("dialect", "torch", "torchmetrics"),
        ("smooth_method", "method1", "floor"),
        ("smooth_method", "method2", "add-k"),
        ("tokenize", "mecab", "ja-mecab"),
    ],
)
def test_the_likeliest_name_comes_first(option, given, meant):
    assert advice("did you mean '(.*?)'", BLEU, **{option: given}) == meant


def test_a_spreadsheet():
    tables = pytest.importorskip("fastbleu.tables")
    assert advice(r"pass (pandas\.read_excel\('x\.xlsx'\))", tables.score, "x.xlsx", "h", "r")
