"""What all dialects share: names, options, what is not supported; and the rules of two hosts."""

import math
import subprocess
import sys
from pathlib import Path

import pytest
from commands import python
from generators import raises, seeded

from fastbleu import Stats, dialects
from fastbleu.dialects import NLTK, SACREBLEU, Dialect

NAMES = dialects.names()


def rows(*numbers):
    return Stats([list(numbers)])


@pytest.mark.parametrize("name", NAMES)
def test_a_dialect_says_what_it_is(name):
    dialect = dialects.get(name)
    assert isinstance(dialect, Dialect)
    assert dialect.name == name
    assert dialect.scale in (1.0, 100.0)
    assert dialect.reference_length in ("closest", "first", "shortest")
    assert dialect.options["smoothing"] in dialect.smoothings
    assert dialect.version in dialect.signature(4)
    assert set(dialect.options) <= {"weights", "smoothing", "smoothing_value", "effective_order"}


def test_names():
    assert NAMES[:2] == ("sacrebleu", "nltk")
    assert len(NAMES) == 18
    raises(ValueError, "dialect 'x' is unknown; choose one of sacrebleu, nltk", dialects.get, "x")


def test_the_table_in_the_readme_is_what_dialects_say():
    tool = Path(__file__).resolve().parents[2] / "tools" / "generate_dialect_table.py"
    subprocess.run([sys.executable, tool, "--check"], check=True)


def test_only_what_is_used_is_loaded():
    code = (
        "import sys, fastbleu.nltk, fastbleu.dialects as d\n"
        "assert not any('sacrebleu' in name for name in sys.modules)\n"
        "[d.get(name).signature(4) for name in d._DIALECTS]\n"
        "assert not {'torch', 'numpy', 'nltk', 'sacrebleu'} & set(sys.modules)"
    )
    python("-c", code)


@pytest.mark.parametrize("name", NAMES[1:])
@pytest.mark.parametrize("method", ["score", "sentence_scores", "signature"])
def test_effective_order_is_sacrebleus(name, method):
    dialect = dialects.get(name)
    given = 1 if method == "signature" else rows(1, 1, 1, 1)
    with pytest.raises(ValueError, match=f"'{name}' does not support effective_order=True: "):
        getattr(dialect, method)(given, effective_order=True)


@pytest.mark.parametrize("name", NAMES[1:])
def test_only_sacrebleu_scores_expected_counts(name):
    with pytest.raises(ValueError, match=f"'{name}' does not support aggregate=True: its rules"):
        dialects.get(name).expected_scores(None, 4)


@pytest.mark.parametrize("name", NAMES)
def test_options_are_checked_in_one_place(name):
    dialect, row = dialects.get(name), rows(1, 1, 1, 1)
    for call in (dialect.score, dialect.sentence_scores):
        raises(ValueError, "smoothing 'x' is unknown; choose one of", call, row, smoothing="x")
        plain = next((name for name, value in dialect.smoothings.items() if value is None), None)
        if plain is not None:
            with pytest.raises(ValueError, match=f"smoothing '{plain}' takes no value"):
                call(row, smoothing=plain, smoothing_value=1)
        with pytest.raises(ValueError, match=r"2 weights for max_order 1|not support weights"):
            call(row, weights=(1, 2))


def test_the_rules_of_a_user():
    class Precision(Dialect):
        name = "precision"
        version = "1"
        smoothings = {"none": None}  # noqa: RUF012
        options = {"smoothing": "none"}  # noqa: RUF012

        def _scores(self, stats, options):
            return stats.matches[:, 0] / stats.totals[:, 0]

    score = Precision().score(rows(4, 5, 2, 4), nrefs=1)
    assert (score.value, score.bp) == (0.5, math.exp(-0.25))
    assert score.signature == "nrefs:1|dialect:1|order:1|smooth:none"
    raises(TypeError, "abstract", Dialect)


def test_rows_are_adapted_by_the_dialect():
    short = rows(1, 1, 1, 0, 1, 0)
    for name in NAMES:
        dialect = dialects.get(name)
        totals = [1, dialect.minimum_total]
        assert dialect.adapt(short).totals.tolist() == [totals]
    assert (NLTK.minimum_total, SACREBLEU.minimum_total) == (1, 0)


def compute_bleu(row, max_order, smooth):
    """The end of `compute_bleu` of tensorflow/nmt, as it is there."""
    translation_length, reference_length, *counts = row
    precisions = [0] * max_order
    for i in range(max_order):
        if smooth:
            precisions[i] = (counts[i] + 1.0) / (counts[max_order + i] + 1.0)
        elif counts[max_order + i] > 0:
            precisions[i] = float(counts[i]) / counts[max_order + i]
        else:
            precisions[i] = 0.0
    geo_mean = 0
    if min(precisions) > 0:
        geo_mean = math.exp(sum((1.0 / max_order) * math.log(p) for p in precisions))
    ratio = float(translation_length) / reference_length
    bp = 1.0 if ratio > 1.0 else math.exp(1 - 1.0 / ratio)
    return geo_mean * bp, bp


@pytest.mark.parametrize("name", ["tf-nmt", "evaluate"])
def test_tf_nmts_rules(name):
    rng = seeded("tf-nmt")
    for _ in range(500):
        order = rng.randint(1, 5)
        totals = [rng.randint(0, 30) for _ in range(order)]
        matches = [rng.randint(0, total) for total in totals]
        row = [rng.randint(1, 30), rng.randint(1, 30), *matches, *totals]
        for smoothing in ("none", "add-1"):
            score = dialects.get(name).score(Stats([row]), smoothing=smoothing)
            expected = compute_bleu(row, order, smoothing == "add-1")
            assert (score.value, score.bp) == expected, row


def test_tf_nmt_has_no_ratio_without_tokens():
    for row, empty in (((0, 3, 0, 0), "hypotheses"), ((3, 0, 0, 3), "references")):
        with pytest.raises(ZeroDivisionError, match=f"the {empty} have no tokens at all"):
            dialects.get("tf-nmt").score(rows(*row))
