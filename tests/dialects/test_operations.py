"""What each dialect has of its original, and what it refuses by name."""

import pickle
import sys
import warnings

import numpy as np
import pytest
from generators import raises

from fastbleu import BLEU, dialects
from fastbleu.dialects import get

NAMES = dialects.names()


@pytest.fixture(autouse=True)
def quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def metric_of(name, **parameters):
    if name.startswith("torch"):
        pytest.importorskip("torch")
    return BLEU(dialect=name, **parameters)


@pytest.mark.parametrize("name", NAMES)
def test_whatever_is_not_passed_is_the_originals(name):
    metric = metric_of(name)
    again = BLEU(**metric.as_arguments())
    assert metric.signature == again.signature
    assert metric == again == pickle.loads(pickle.dumps(metric))
    rules = get(name)
    assert (metric.max_order, metric.smoothing) == (rules.max_order, rules.options["smoothing"])
    assert (metric.lowercase, metric.reference_length) == (rules.lowercase, rules.reference_length)
    assert metric.tokenizer.name == rules.tokenizer
    tokens = metric_of(name, tokenize=None)
    assert tokens.lowercase is False


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
        ({"dialect": "multi-bleu", "max_order": 5}, "max_order=5: its longest n-grams are 4"),
        ({"dialect": "torcheval", "max_order": 5}, "longest n-grams are 1, 2, 3, 4"),
        ({"dialect": "tf-nmt", "reference_length": "closest"}, "it takes the shortest"),
        ({"dialect": "coco", "reference_length": "first"}, "closest, shortest or average"),
        ({"dialect": "coco", "weights": [1, 1, 1, 1]}, "weights: its weights are equal"),
        ({"dialect": "mteval-v14", "smoothing": "floor"}, "smoothing 'floor' is unknown"),
        ({"dialect": "e2e", "effective_order": True}, "not support effective_order=True"),
        ({"dialect": "nltk", "hashed": False}, "'nltk' does not support hashed: "),
        ({"dialect": "codebleu-weighted", "keywords": "perl"}, "'perl' is unknown; choose"),
        ({"smoothing": ["exp"]}, r"smoothing \['exp'\] is unknown; choose one of none, floor"),
        ({"dialect": "nope"}, "dialect 'nope' is unknown; choose one of sacrebleu, nltk"),
        ({"reference_length": "average"}, "not support reference_length='average'"),
    ],
)
def test_what_an_original_does_not_have_is_refused_by_name(parameters, message):
    raises(ValueError, message, BLEU, **parameters)


@pytest.mark.parametrize("name", ["tensor2tensor", "fairseq"])
def test_one_reference(name):
    metric, several = BLEU(dialect=name), ["a b c d", "a b c e", "a b c f"]
    with pytest.raises(ValueError, match=rf"{name}' takes one reference .*its\[0\]"):
        metric.score(["a b c d"], [several])
    for call in (metric.reference_index, metric.self_bleu):
        raises(ValueError, r"takes one reference|does not support matrix", call, several)


@pytest.mark.parametrize(
    ("name", "hypothesis", "reference", "error", "message"),
    [
        ("multi-bleu", "", "a", ValueError, "multi-bleu.perl dies"),
        ("multi-bleu", "a", "", ValueError, "prints BLEU = 0 .* exits with status 1"),
        ("mteval-v13a", "a", "", ValueError, "mteval-v13a.pl dies .* mteval-v14 has"),
        ("mteval-v13a", "", "a", ValueError, "mteval-v13a.pl dies .* its logarithm"),
        ("tf-nmt", "", "a", ValueError, "the hypotheses have no tokens"),
        ("evaluate", "a", "", ValueError, "the references have no tokens"),
    ],
)
def test_where_an_original_dies(name, hypothesis, reference, error, message):
    raises(error, message, BLEU(dialect=name).score, [hypothesis], [reference])
    if not name.startswith("mteval"):
        with pytest.raises(error, match=f"segment 1: .*{message}"):
            BLEU(dialect=name).sentence_scores(["b c", hypothesis], ["b c", reference])


def test_hashing_and_keywords():
    pair = ["a b c d e"], ["a b c d f"]
    exact = BLEU(dialect="fairseq", hashed=False)
    exact.update(*pair)
    assert exact.compute().value == BLEU(dialect="fairseq").score(*pair).value
    assert exact.hashed is False
    assert "|hashed:no" in exact.signature
    own = BLEU(dialect="codebleu-weighted", keywords={"b", "a"})
    assert "|keywords:a,b" in own.signature
    assert own.score(*pair).value != BLEU(dialect="codebleu-weighted").score(*pair).value


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


@pytest.mark.parametrize("language", BY_LANGUAGE)
def test_keywords_of_languages(language):
    hypothesis = (
        "func add ( a , b ) { for i := range items { return a + await b } } ; "
        "static let x = self . y ; if ( not end ) break ;"
    )
    reference = (
        "def add ( a , b ) { for i in range ( items ) { return a + b } } ; "
        "const let x = this . y ; while ( not end ) break ; foreach"
    )
    metric = BLEU(dialect="codebleu-weighted", keywords=language)
    assert metric.score([hypothesis], [reference]).value == BY_LANGUAGE[language]


def test_matlab():
    score = BLEU(dialect="matlab", weights=(2, 2)).score(["a b c"], ["a b d"])
    assert score.value == pytest.approx((2 / 3 * 1 / 2) ** 0.5)
    assert len(score.totals) == 2
    assert BLEU(dialect="matlab").score(["a b c"], ["a b c"]).value == 0
    assert np.isnan(BLEU(dialect="matlab").score([""], [""]).value)
    assert BLEU(dialect="matlab", lowercase=True).score(["A b C d"], ["a B c d"]).value == 1
