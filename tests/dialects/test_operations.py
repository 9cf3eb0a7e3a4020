"""What each dialect has of its original, and what it refuses by name."""

import pickle
import sys
import warnings

import numpy as np
import pytest
from generators import raises

from fastbleu import BLEU, dialects, matrix
from fastbleu.dialects.names import get

NAMES = dialects.names()


@pytest.fixture(autouse=True)
def quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def test_options_that_are_not_passed_are_the_originals():
    for name in NAMES:
        metric, rules = BLEU(dialect=name), get(name)
        again = BLEU(**metric.get_params())
        assert metric.signature == again.signature
        assert metric == again == pickle.loads(pickle.dumps(metric))
        for option in ("max_ngram_order", "lowercase", "reference_length"):
            assert getattr(metric, option) == getattr(rules, option), (name, option)
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
        for call in (matrix.ReferenceIndex, matrix.self_bleu):
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
    assert np.isnan(BLEU("matlab").score([""], [""]).value)
    assert BLEU("matlab", lowercase=True).score(["A b C d"], ["a B c d"]).value == 1


def test_keras_hub_leaves_a_comma_at_the_start_with_a_digit():
    for dialect, tokens in (("keras-hub", 3), ("sacrebleu", 4)):
        rows = BLEU(dialect=dialect).count([",5 a."], ["a"])
        assert rows.hyp_lens.tolist() == [tokens]


# --- fairseq's counts: the hash of libbleu, written as it is there

# Ids are given out in the order of occurrence, the first, 4, to a token that is not special.
NAMING = " ".join(f"w{number}" for number in range(4, 2000))


def libbleus_hash(ids):
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
