"""SACREBLEU turns rows into Scores: features that sacreBLEU does not have, such as weights.

That the floats are sacreBLEU's is tested by metric/test_metric.py and test_sacrebleu_rows.py.
"""

import math
from array import array

import pytest
from generators import raises
from sacrebleu.metrics.bleu import BLEU

import fastbleu
from fastbleu import Stats
from fastbleu.dialects import SACREBLEU

ROWS = [
    [5, 6, 4, 3, 2, 1, 5, 4, 3, 2],
    [3, 3, 3, 2, 1, 0, 3, 2, 1, 0],
    [0, 3, 0, 0, 0, 0, 0, 0, 0, 0],
    [9, 9, 5, 2, 0, 0, 9, 8, 7, 6],
]


def test_precisions_are_unsmoothed():
    score = SACREBLEU.score(Stats([ROWS[3]]))
    assert score.precisions == (5 / 9, 2 / 8, 0.0, 0.0)
    assert score.matches == (5, 2, 0, 0)
    assert SACREBLEU.score(Stats([ROWS[3]]), smoothing="add-k").matches == (5, 2, 0, 0)


def weighted(row, weights, effective):
    """The formula, without smoothing."""
    hyp_len, ref_len, *counts = row
    matches, totals = counts[:4], counts[4:]
    used = list(zip(weights, matches, totals, strict=True))
    if effective:
        used = [use for use in used if use[2]]
        if not used or not any(weight for weight, _, _ in used):
            return 0.0
    scale = sum(weights) / sum(weight for weight, _, _ in used)
    used = [(weight * scale, m, t) for weight, m, t in used if weight]
    if not hyp_len or any(not m for _, m, _ in used):
        return 0.0
    bp = min(1.0, math.exp(1 - ref_len / hyp_len))
    return 100 * bp * math.exp(sum(weight * math.log(m / t) for weight, m, t in used))


@pytest.mark.parametrize(
    "weights", [(1, 0, 0, 0), (0, 0, 1, 0), (0.4, 0.3, 0.2, 0.1), (1, 1, 2, 3)]
)
@pytest.mark.parametrize("effective", [False, True])
def test_weights(weights, effective):
    seen = SACREBLEU.sentence_scores(
        Stats(ROWS), weights=weights, smoothing="none", effective_order=effective
    )
    expected = [weighted(row, weights, effective) for row in ROWS]
    assert seen.tolist() == pytest.approx(expected, rel=1e-13)
    assert type(seen) is array


def test_weights_go_with_smoothing():
    weights = (0.4, 0.3, 0.2, 0.1)
    precisions = BLEU.compute_bleu([5, 2, 0, 0], [9, 8, 7, 6], 9, 9, "exp").precisions
    terms = [w * math.log(p / 100) for w, p in zip(weights, precisions, strict=True)]
    expected = 100 * math.exp(sum(terms))
    seen = SACREBLEU.score(Stats([ROWS[3]]), weights=weights)
    assert seen.value == pytest.approx(expected, rel=1e-14)


def test_signatures():
    def signature(*arguments, **named):
        text, _, version = SACREBLEU.signature(*arguments, **named).rpartition("|")
        assert version == f"version:2.6.0+fastbleu.{fastbleu.__version__}"
        return text

    assert signature(4) == "eff:no|smooth:exp"
    known = {"nrefs": -1, "lowercase": True, "tokenizer": "zh"}
    assert signature(4, **known) == "nrefs:var|case:lc|eff:no|tok:zh|smooth:exp"
    assert signature(4, smoothing="floor", nrefs=2) == "nrefs:2|eff:no|smooth:floor[0.10]"
    assert signature(4, smoothing="add-k", effective_order=True) == "eff:yes|smooth:add-k[1.00]"
    assert signature(4, smoothing="add-k", smoothing_value=0.125) == "eff:no|smooth:add-k[0.125]"
    assert signature(2, (0.5, 0.5), "none") == "eff:no|smooth:none|order:2"
    assert signature(2, weights=(1, 0.5)) == "eff:no|smooth:exp|order:2|weights:1.0,0.5"
    score = SACREBLEU.score(Stats([ROWS[0]]), smoothing="floor", nrefs=1, tokenizer="13a")
    assert score.signature.startswith("nrefs:1|eff:no|tok:13a|smooth:floor[0.10]|version:")


def test_the_signature_is_that_of_the_drop_in():
    metric = fastbleu.sacrebleu.BLEU(smooth_method="add-k", smooth_value=0.25, lowercase=True)
    metric.corpus_score(["a"], [["b"]])
    signature = SACREBLEU.signature(
        4,
        smoothing="add-k",
        smoothing_value=0.25,
        nrefs=1,
        lowercase=True,
        tokenizer=metric.tokenizer_signature,
    )
    assert signature == str(metric.get_signature())


@pytest.mark.parametrize(
    "arguments",
    [
        {"smoothing": "method1"},
        {"smoothing": "exp", "smoothing_value": 1},
        {"smoothing": "floor", "smoothing_value": -1},
        {"smoothing": "add-k", "smoothing_value": math.inf},
        {"smoothing": "add-k", "smoothing_value": math.nan},
        {"weights": (1, 1)},
        {"weights": (1, 1, 1, -1)},
        {"weights": (0, 0, 0, 0)},
        {"weights": (1, 1, 1, math.inf)},
    ],
    ids=str,
)
def test_what_is_refused(arguments):
    with pytest.raises(ValueError):
        SACREBLEU.score(Stats([ROWS[0]]), **arguments)
    with pytest.raises(ValueError):
        SACREBLEU.sentence_scores(Stats(ROWS), **arguments)


def test_one_row_is_needed():
    raises(ValueError, "one row", SACREBLEU.score, Stats(ROWS))
