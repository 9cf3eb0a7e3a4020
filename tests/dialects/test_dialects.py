"""What all dialects share: names, options, what is not supported; and the rules of two hosts."""

import math
import subprocess
import sys
from pathlib import Path

import numpy
import pytest
from commands import python
from generators import raises
from metrics import score, sentence_scores

from fastbleu import BLEU, Stats, dialects, significance
from fastbleu.dialects import base
from fastbleu.dialects.base import Dialect
from fastbleu.dialects.names import get
from fastbleu.dialects.nltk import NLTK
from fastbleu.dialects.sacrebleu import SACREBLEU
from fastbleu.dialects.scorer import Scorer

NAMES = dialects.names()


def rows(*numbers):
    return Stats([list(numbers)])


def test_dialects_say_what_they_are():
    assert NAMES[:2] == ("sacrebleu", "nltk")
    for name in NAMES:
        dialect = get(name)
        assert isinstance(dialect, Dialect)
        assert dialect.name == name
        assert dialect.scale in (1.0, 100.0)
        assert dialect.reference_length in ("closest", "first", "shortest")
        assert dialect.options["smooth_method"] in dialect.smoothings
        assert dialect.version in Scorer(dialect, 4).signature()
        assert set(dialect.options) <= {
            *("weights", "smooth_method", "smooth_value", "effective_order")
        }


def test_dialects_are_described():
    for name in NAMES:
        described = dialects.describe(name)
        [rules] = described.rules
        assert all(rules[key] for key in ("note", "original", "details")), name
        assert rules["details"].split()[-1] in str(described)
    every = [rules["dialect"] for rules in dialects.describe().rules]
    assert every == [*dict.fromkeys(get(name).name for name in dialects.names(recipes=True))]
    assert tuple(every[: len(NAMES)]) == NAMES


def test_case_and_hyphens_of_names_do_not_matter():
    for name, known in {
        "SacreBLEU": "sacrebleu",
        "multi_bleu": "multi-bleu",
        "NLTK@3.10": "nltk",
        "LLaMA-Factory": "llamafactory-metric",
        "Promptfoo@0.121": "promptfoo-0.121.14",
    }.items():
        dialect = get(name)
        assert dialect.name == known
        assert dialect is get(known)
        assert BLEU(dialect=name) == BLEU(dialect=known)


def test_no_two_names_differ_in_case_and_hyphens_only():
    """Or they are of the same recipe."""
    known = {}
    for name in dialects.names(recipes=True):
        plain = name.lower().replace("-", "").replace("_", "")
        assert known.setdefault(plain, get(name)) is get(name)


def test_of_an_unknown_name_the_likeliest_are_named():
    for name, meant in {
        "lamafactory": "llamafactory'",
        "sacre": "sacrebleu'",
        "fair-seq2": "fairseq'",
        "coco ": "coco'",
        "mteval": "mteval-v",
        "bleu": "sacrebleu'",
    }.items():
        words = f"'{name}' is unknown; did you mean '{meant}.* more, or of fastbleu.dialects.names"
        for call in (get, dialects.describe):
            raises(ValueError, words, call, name)
    unknown = ValueError, "is unknown; choose one of sacrebleu, nltk"
    no_name = TypeError, "expected a name; all other arguments of fastbleu.BLEU are passed by key"
    tokenizer = ValueError, r"is a tokenizer, not a dialect: pass BLEU\(tokenize=\"zh\""
    for (error, words), names in {
        unknown: ("x", "", "x" * 10**6),
        no_name: (5, None, ["nltk"], b"nltk", str.split),
        tokenizer: ("zh",),
    }.items():
        for name in names:
            raises(error, words, get, name)
            raises(error, words, BLEU, name)


def test_the_table_in_the_readme_is_what_dialects_say():
    tool = Path(__file__).resolve().parents[2] / "tools" / "generate_tables.py"
    subprocess.run([sys.executable, tool, "--check"], check=True)


def test_only_what_is_used_is_loaded():
    code = (
        "import sys, fastbleu.nltk\n"
        "from fastbleu.dialects.names import get, names\n"
        "assert not any('sacrebleu' in name for name in sys.modules)\n"
        "from fastbleu.dialects.scorer import Scorer\n"
        "[Scorer(get(name), 4).signature() for name in names()]\n"
        "assert not {'torch', 'numpy', 'nltk', 'sacrebleu'} & set(sys.modules)"
    )
    python("-c", code)


def test_options_are_checked_in_one_place():
    for name in NAMES:
        dialect = get(name)
        plain = [smoothing for smoothing, value in dialect.smoothings.items() if value is None]
        for words, options in (
            ("smooth_method 'x' is unknown; choose one of", {"smooth_method": "x"}),
            ("2 entries, max_ngram_order is 1|not support weights", {"weights": (1, 2)}),
            *(
                (f"smooth_method '{smoothing}' takes no value", {"smooth_method": smoothing})
                for smoothing in plain[:1]
            ),
        ):
            if "no value" in words:
                options["smooth_value"] = 1
            raises(ValueError, words, Scorer, dialect, 1, **options)
        if name != "sacrebleu":
            words = f"'{name}' does not support effective_order=True: "
            raises(ValueError, words, Scorer, dialect, 1, effective_order=True)
            words = f"'{name}' does not support aggregate=True: its rules"
            raises(ValueError, words, Scorer(dialect, 4).expected_scores, None)
    for dialect in (SACREBLEU, NLTK):
        words = r"'method1' is unknown.*nltk's method1 is 'floor', "
        raises(ValueError, words, Scorer, dialect, 1, smooth_method="method1")


def test_the_rules_of_a_user():
    class Precision(Dialect):
        name = "precision"
        version = "1"
        smoothings = {"none": None}  # noqa: RUF012
        options = {"smooth_method": "none"}  # noqa: RUF012

        def _scores(self, adapted, scorer):
            return adapted.matches[:, 0] / adapted.totals[:, 0]

    precision = Precision()
    seen = score(precision, rows(4, 5, 2, 4), nrefs=1)
    assert (seen.value, seen.bp) == (0.5, math.exp(-0.25))
    assert seen.signature == "nrefs:1|dialect:1|order:1|smooth:none"
    assert sentence_scores(precision, rows(4, 5, 2, 4)).tolist() == [0.5]
    # What a dialect says nothing about is refused.
    for feature, reason in {
        base.WEIGHTS: "weights: it uses equal weights",
        base.EFFECTIVE_ORDER: "effective_order=True: it averages over all orders",
        base.EXPECTED_COUNTS: "aggregate=True: its rules are for integer counts",
        base.MATRIX: "matrix: its scores of pairs may depend on more than their rows",
        base.UPDATE: "update: its score cannot be computed",
        base.SUMS: "sums: its score cannot be computed",
        base.STATE: "state: its score cannot be computed",
        base.SIGNIFICANCE: "significance: its score cannot be computed",
    }.items():
        with pytest.raises(ValueError, match=f"'precision' does not support {reason}"):
            precision.require(feature)
    with pytest.raises(ValueError, match="does not support aggregate=True"):
        Scorer(precision, 1).expected_scores(None)
    with pytest.raises(ValueError, match="does not support significance"):
        significance.bootstrap(Stats([[1, 1, 1, 1]] * 2), metric="mlflow")
    raises(TypeError, "abstract", Dialect)


def test_rows_are_adapted_by_the_dialect():
    short = rows(1, 1, 1, 0, 1, 0)
    for name in NAMES:
        dialect = get(name)
        adapted = dialect.adapt(short)
        assert numpy.asarray(adapted).tolist() == [[1, 1, 1, 0, 1, dialect.minimum_total]]
        with pytest.raises(TypeError, match="AdaptedRows"):
            significance.bootstrap(adapted)
    assert (NLTK.minimum_total, SACREBLEU.minimum_total) == (1, 0)


def test_dialects_that_need_torch_say_so(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)  # as if it were not installed
    corpus = ["The cat sat on the mat."], [["The cat sat on a mat."]]
    others = "torcheval", "torchtext", "tensorbleu", "torchmetrics-sacre_bleu"
    for name in ("torchmetrics", *others):
        for call in (BLEU(dialect=name).score, BLEU(dialect=name).sentence_scores):
            raises(ImportError, "but torch is not installed: pip install torch", call, *corpus)


@pytest.mark.filterwarnings("ignore::fastbleu.InputWarning")
def test_no_hypothesis_is_too_short_for_references_without_tokens():
    for name in ("sacrebleu", "nltk", "coco", "fairseq", "e2e", "matlab"):
        assert BLEU(dialect=name).score(["a b c d"], [""]).bp == 1, name
