"""Dialects: names, options, what is not supported, and what is special about single ones."""

import math
import pickle
import subprocess
import sys
from pathlib import Path

import numpy
import pytest
from generators import raises
from metrics import score, sentence_scores
from processes import python

import fastbleu
from fastbleu import BLEU, Stats, dialects
from fastbleu.core.scoring import base
from fastbleu.core.scoring.base import Dialect
from fastbleu.core.scoring.names import get
from fastbleu.core.scoring.nltk import NLTK
from fastbleu.core.scoring.sacrebleu import SACREBLEU
from fastbleu.core.scoring.scorer import Scorer

NAMES = dialects.names()
pytestmark = pytest.mark.filterwarnings("ignore::fastbleu.InputWarning")


def rows(*numbers):
    return Stats([list(numbers)])


def test_dialects_say_what_they_are():
    assert NAMES[:2] == ("sacrebleu", "nltk")
    for name in NAMES:
        dialect = get(name)
        assert isinstance(dialect, Dialect)
        assert dialect.name == name
        assert dialect.scale in (1.0, 100.0)
        assert dialect.reference_lengths[0] in ("closest", "first", "shortest")
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


def test_names_are_known_in_any_case_and_with_versions():
    for name, known in {
        "SacreBLEU": "sacrebleu",
        "multi_bleu": "multi-bleu",
        "NLTK@3.10": "nltk",
        "nltk@3.10.4": "nltk",
        "LLaMA-Factory": "llamafactory-metric",
        "promptfoo": "promptfoo-0.123.1",
        "Promptfoo@0.121": "promptfoo-0.121.14",
        "opik@2.2.122": "opik-sentence",
        "lighteval-bleu4@3fd15266": "lighteval-bleu_4",
    }.items():
        dialect = get(name)
        assert dialect.name == known
        assert dialect is get(known)
        assert BLEU(dialect=name) == BLEU(dialect=known)
    for name in ("nltk@3.1", "nltk@4", "promptfoo@0.12", "opik@1", "no-such-tool", "@"):
        raises(ValueError, "unknown", get, name)


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
    no_name = TypeError, "expected a name; fastbleu.BLEU takes options by keyword"
    tokenizer = ValueError, r"is a tokenizer, not a dialect: pass BLEU\(tokenize=\"zh\""
    for (error, words), names in {
        unknown: ("x", "", "x" * 10**6),
        no_name: (5, None, ["nltk"], b"nltk", str.split),
        tokenizer: ("zh",),
    }.items():
        for name in names:
            raises(error, words, get, name)
            raises(error, words, BLEU, name)


def test_generated_files_are_what_dialects_say():
    tool = Path(__file__).resolve().parents[2] / "tools" / "generate_tables.py"
    subprocess.run([sys.executable, tool, "--check"], check=True)


def test_only_what_is_used_is_loaded():
    code = (
        "import sys, fastbleu.nltk\n"
        "from fastbleu.core.scoring.names import get, names\n"
        "assert not any('sacrebleu' in name for name in sys.modules)\n"
        "from fastbleu.core.scoring.scorer import Scorer\n"
        "[Scorer(get(name), 4).signature() for name in names()]\n"
        "assert not {'torch', 'numpy', 'nltk', 'sacrebleu'} & set(sys.modules)"
    )
    python("-c", code)


def test_options_are_checked_in_one_place():
    for name in NAMES:
        dialect = get(name)
        words = "smooth_method 'x' is unknown; choose one of"
        raises(ValueError, words, Scorer, dialect, 1, smooth_method="x")
        words = "2 entries, max_ngram_order is 1|not support weights"
        raises(ValueError, words, Scorer, dialect, 1, weights=(1, 2))
        for smoothing in [name for name, value in dialect.smoothings.items() if value is None]:
            words, options = f"'{smoothing}' takes no value", {"smooth_method": smoothing}
            raises(ValueError, words, Scorer, dialect, 1, smooth_value=1, **options)
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
        words = f"'precision' does not support {reason}"
        raises(ValueError, words, precision.require, feature)
    words, call = "does not support significance", fastbleu.significance.bootstrap
    raises(ValueError, words, call, Stats([[1, 1, 1, 1]] * 2), metric="mlflow")
    raises(TypeError, "abstract", Dialect)


def test_rows_are_adapted_by_the_dialect():
    short = rows(1, 1, 1, 0, 1, 0)
    for name in NAMES:
        dialect = get(name)
        adapted = dialect.adapt(short)
        assert numpy.asarray(adapted).tolist() == [[1, 1, 1, 0, 1, dialect.minimum_total]]
        raises(TypeError, "AdaptedRows", fastbleu.significance.bootstrap, adapted)
    assert (NLTK.minimum_total, SACREBLEU.minimum_total) == (1, 0)


def test_dialects_that_need_torch_say_so(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)  # as if it were not installed
    corpus = ["The cat sat on the mat."], [["The cat sat on a mat."]]
    others = "torcheval", "torchtext", "tensorbleu", "torchmetrics-sacre_bleu"
    for name in ("torchmetrics", *others):
        for call in (BLEU(dialect=name).score, BLEU(dialect=name).sentence_scores):
            raises(ImportError, "but torch is not installed: pip install torch", call, *corpus)


def test_no_hypothesis_is_too_short_for_references_without_tokens():
    for name in ("sacrebleu", "nltk", "coco", "fairseq", "e2e", "matlab"):
        assert BLEU(dialect=name).score(["a b c d"], [""]).bp == 1, name


def test_options_that_are_not_passed_are_the_originals():
    for name in NAMES:
        metric, rules = BLEU(dialect=name), get(name)
        again = BLEU(**metric.get_params())
        assert metric.signature == again.signature
        assert metric == again == pickle.loads(pickle.dumps(metric))
        assert metric.max_ngram_order == rules.max_ngram_order
        assert metric.lowercase == rules.cases[0]
        assert metric.reference_length == rules.reference_lengths[0]
        assert metric.smooth_method == rules.options["smooth_method"]
        assert metric.tokenize.name == rules.tokenizer
        assert BLEU(dialect=name, tokenize=False).lowercase is False


def test_signatures_differ():
    texts = {name: BLEU(dialect=name).signature for name in NAMES}
    assert len(set(texts.values())) == len(NAMES)
    of_sum = "|sum:compensated" if sys.version_info >= (3, 12) else "|sum:plain"
    assert {n for n in NAMES if texts[n].endswith(of_sum)} == {"tf-nmt", "evaluate", "fairseq"}


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"dialect": "multi-bleu", "tokenize": "13a"}, "does not support tokenize='13a'"),
        ({"dialect": "mteval-v13a", "tokenize": str.split}, "not support tokenize="),
        ({"dialect": "codexglue-summary", "lowercase": False}, "it always ignores case"),
        ({"dialect": "multi-bleu", "max_ngram_order": 5}, "max_ngram_order=5: its longest n-grams"),
        ({"dialect": "tf-nmt", "reference_length": "closest"}, "it takes the shortest"),
        ({"dialect": "coco", "reference_length": "first"}, "closest, shortest or average"),
        ({"dialect": "coco", "weights": [1, 1, 1, 1]}, "weights: it uses equal weights"),
        ({"dialect": "nltk", "hashed": False}, "'nltk' does not support hashed: "),
        ({"dialect": "codebleu-weighted", "keywords": "perl"}, "'perl' is unknown; choose"),
        ({"smooth_method": ["exp"]}, r"smooth_method \['exp'\] is unknown; choose one of none"),
        ({"reference_length": "average"}, "not support reference_length='average'"),
    ],
)
def test_options_that_an_original_does_not_have_are_refused(parameters, message):
    raises(ValueError, message, BLEU, **parameters)


def test_several_references_are_refused_where_an_original_takes_one():
    several = ["a b c d", "a b c e", "a b c f"]
    for name in ("tensor2tensor", "fairseq"):
        metric = BLEU(dialect=name)
        words = rf"{name}' takes one reference .*texts\[0\]"
        raises(ValueError, words, metric.score, ["a b c d"], [several])
        for call in (fastbleu.matrix.ReferenceIndex, fastbleu.matrix.self_bleu):
            words = r"takes one reference|does not support matrix"
            raises(ValueError, words, call, several, metric=metric)


def test_an_error_says_where_an_original_dies():
    for name, hypothesis, reference, words in (
        ("multi-bleu", "", "a", "multi-bleu.perl dies"),
        ("multi-bleu", "a", "", "prints BLEU = 0 .* exits with status 1"),
        ("mteval-v13a", "a", "", "mteval-v13a.pl dies, .* mteval-v14 has"),
        ("mteval-v13a", "", "a", "mteval-v13a.pl dies, .* its logarithm"),
        ("tf-nmt", "", "a", "the hypotheses have no tokens"),
        ("evaluate", "a", "", "the references have no tokens"),
    ):
        metric = BLEU(dialect=name)
        raises(ValueError, words, metric.score, [hypothesis], [reference])
        if not name.startswith("mteval"):
            sides = ["b c", hypothesis], ["b c", reference]
            raises(ValueError, f"segment 1: .*{words}", metric.sentence_scores, *sides)


def test_hashing_and_keywords():
    pair = ["a b c d e"], ["a b c d f"]
    exact = BLEU("fairseq", hashed=False)
    exact.update(*pair)
    assert exact.compute().value == BLEU("fairseq").score(*pair).value
    assert exact.get_params()["hashed"] is False
    assert "|hashed:no" in exact.signature
    # Ids restart with each sentence, which the counts of a corpus do not show.
    hashed = BLEU("fairseq")
    raises(ValueError, "hashed=False", hashed.sentence_scores, hashed.count(*pair))
    assert exact.sentence_scores(exact.count(*pair)) == exact.sentence_scores(*pair)
    own = BLEU("codebleu-weighted", keywords={"b", "a"})
    assert "|keywords:a,b" in own.signature
    assert own.score(*pair).value != BLEU("codebleu-weighted").score(*pair).value


# What codebleu 0.7.0 returns with its files of keywords.
BY_LANGUAGE = {
    "c": 0.4988552145356541,
    "cpp": 0.4941128735476575,
    "c_sharp": 0.48395633201448657,
    "go": 0.5100724497296485,
    "javascript": 0.48700148172701985,
    "php": 0.490741043226978,
    "ruby": 0.4970480360271096,
    "rust": 0.4941128735476574,
}


def test_keywords_of_languages():
    hypothesis = (
        "func add ( a , b ) { for i := range items { return a + await b } } ; "
        "static let x = self . y ; if ( not end ) break ;"
    )
    reference = (
        "def add ( a , b ) { for i in range ( items ) { return a + b } } ; "
        "const let x = this . y ; while ( not end ) break ; foreach"
    )
    for language, expected in BY_LANGUAGE.items():
        metric = BLEU("codebleu-weighted", keywords=language)
        assert metric.score([hypothesis], [reference]).value == expected, language


def test_matlab():
    score = BLEU("matlab", weights=(2, 2)).score(["a b c"], ["a b d"])
    assert score.value == pytest.approx((2 / 3 * 1 / 2) ** 0.5)
    assert len(score.totals) == 2
    assert BLEU("matlab").score(["a b c"], ["a b c"]).value == 0
    assert math.isnan(BLEU("matlab").score([""], [""]).value)
    assert BLEU("matlab", lowercase=True).score(["A b C d"], ["a B c d"]).value == 1


def test_keras_hub_leaves_marks_at_both_ends_with_a_digit():
    for dialect, tokens, matches in (("keras-hub", 3, 2), ("sacrebleu", 4, 3)):
        rows = BLEU(dialect=dialect).count([",5 a.", "a. 5,", "a, 5."], ["5 a .", "5 a .", "5 a ,"])
        assert (rows.hyp_lens == tokens).all()
        assert (rows.matches[:, 0] == matches).all()


# fairseq gives ids in the order of occurrence, the first, 4, to a token that is not special.
NAMING = " ".join(f"w{number}" for number in range(4, 2000))


def libbleus_hash(ids):
    """The hash of fairseq's libbleu, written as it is there."""
    found = 14695981039346656037
    for number in ids:
        for byte in number.to_bytes(4, "little", signed=True):
            signed = byte - 256 if byte > 127 else byte
            found = (found ^ signed % 2**64) * 0x100000001B3 % 2**64
    return found


def row_of(hypothesis, reference):
    """The row of a segment after one that names all ids."""
    rows = BLEU("fairseq").count([NAMING, hypothesis], [NAMING, reference])
    return rows.__array__().tolist()[1]


def test_two_bigrams_without_a_token_in_common_are_one_if_they_collide():
    assert libbleus_hash([402, 294]) == libbleus_hash([1900, 478])
    assert row_of("w402 w294", "w1900 w478") == [2, 2, 0, 1, 0, 0, 2, 1, 0, 0]
    assert row_of("w402 w295", "w1900 w478") == [2, 2, 0, 0, 0, 0, 2, 1, 0, 0]


def test_special_tokens_and_empty_texts():
    """An unknown token of a reference is no token of a hypothesis; an empty text has one."""
    assert row_of("<unk> w9", "<unk> w9") == [2, 2, 1, 0, 0, 0, 2, 1, 0, 0]
    assert row_of("<s> w9", "<s> w9") == [2, 2, 2, 1, 0, 0, 2, 1, 0, 0]
    assert row_of("", "") == [1, 1, 1, 0, 0, 0, 1, 0, 0, 0]
    assert row_of("", "w9") == [1, 1, 0, 0, 0, 0, 1, 0, 0, 0]
