"""fastbleu.BLEU gives sacreBLEU's and nltk's numbers, and reports mistakes."""

import copy
import math
import pickle
import re

import numpy as np
import pytest
import sacrebleu
import sacrebleu_cases as cases
from generators import PRISTINE, by_stream, raises, rounds, seeded
from mistaken_texts import CHINESE, JAPANESE
from nltk.translate.bleu_score import SmoothingFunction
from random_texts import random_corpus
from sacrebleu.metrics import BLEU as PEER

import fastbleu
from fastbleu import BLEU, InputWarning, Stats
from fastbleu.core.scoring.base import COUNT, SEVERAL_REFERENCES

# Random segments are often short.
pytestmark = [
    pytest.mark.pythons,
    pytest.mark.filterwarnings("ignore:.*hypotheses have fewer than"),
]

HYPOTHESES = ["The cat sat on the mat.", "There is a dog (again).", "ok"]
REFERENCES = [
    ["The cat sat on a mat."],
    ["There is a dog, again.", "A dog is there again."],
    ["OK", "ok"],
]


@pytest.mark.parametrize("tokenize", cases.TOKENIZERS)
def test_scores_are_sacrebleus(tokenize):
    rng = seeded("scores", tokenize)
    for _ in range(rounds(30, 12)):
        hypotheses, references = random_corpus(rng, 25)
        references = [[its] if isinstance(its, str) else its for its in references]
        options = {**cases.options(rng), "tokenize": tokenize}
        if options["smooth_method"] in ("exp", "none"):
            options["smooth_value"] = None
        metric, peer = BLEU(**options), PEER(**options)
        expected = peer.corpus_score(hypotheses, by_stream(references))
        score = metric.score(hypotheses, references)
        assert score.value == float(score) == expected.score, options
        assert score.printed == f"{expected.score:.2f}"
        lengths = expected.bp, expected.sys_len, expected.ref_len
        assert (score.bp, score.hyp_len, score.ref_len) == lengths, options
        assert {type(count) for count in (*score.matches, *score.totals)} == {int}
        theirs = peer.get_signature().format().rpartition("|version:")[0]
        ours = score.signature.rpartition("|version:")[0]
        assert ours.replace(f"|order:{metric.max_ngram_order}", "") == theirs
        peer.effective_order = True  # else it logs at every sentence
        scores = BLEU(**{**metric.get_params(), "effective_order": True}).sentence_scores(
            hypotheses, references
        )
        assert (scores.dtype, scores.shape) == (np.float64, (25,))
        pairs = zip(hypotheses, references, strict=True)
        assert scores.tolist() == [peer.sentence_score(*pair).score for pair in pairs], options


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_scores_of_the_nltk_dialect_are_nltks():
    rng = seeded("nltk")
    for smoothing, method in zip(("none", "floor", "add-k", "exp"), range(4), strict=True):
        hypotheses, references = random_corpus(rng, 200)
        references = [[its] if isinstance(its, str) else its for its in references]
        tokens = [h.split() for h in hypotheses], [[r.split() for r in its] for its in references]
        function = getattr(SmoothingFunction(), f"method{method}")
        metric = BLEU(tokenize="none", smooth_method=smoothing, dialect="nltk")
        score = metric.score(hypotheses, references)
        assert score.value == PRISTINE.corpus_bleu(
            tokens[1], tokens[0], smoothing_function=function
        )
        assert "tok:none|dialect:nltk" in score.signature
        scores = BLEU("nltk", tokenize=False, smooth_method=smoothing).sentence_scores(*tokens)
        assert scores.tolist() == [
            PRISTINE.sentence_bleu(r, h, smoothing_function=function)
            for h, r in zip(*tokens, strict=True)
        ]


def test_weights():
    score = BLEU(max_ngram_order=2, weights=(1, 0)).score(HYPOTHESES, REFERENCES)
    assert score.value == pytest.approx(100 * score.bp * score.precisions[0])
    assert "order:2|weights:1.0,0.0" in score.signature
    weights = [0.25] * 4
    metric = BLEU(weights=weights)
    weights[0] = 9.0
    assert metric.score(HYPOTHESES, REFERENCES) == BLEU().score(HYPOTHESES, REFERENCES)
    assert BLEU(weights=iter(metric.weights)).weights == metric.weights


def test_parameters_are_fixed_and_metrics_are_values():
    metric = BLEU(
        tokenize="intl",
        lowercase=True,
        max_ngram_order=3,
        weights=(0.5, 0.25, 0.25),
        smooth_method="add-k",
        smooth_value=1.5,
        effective_order=True,
        threads=2,
    )
    for copied in (copy.deepcopy(metric), pickle.loads(pickle.dumps(metric))):
        assert copied == metric
        assert hash(copied) == hash(metric)
        assert copied.score(HYPOTHESES, REFERENCES) == metric.score(HYPOTHESES, REFERENCES)
    assert metric != BLEU()
    assert repr(metric) == f"<BLEU {metric.signature}, 0 segments>"
    assert metric != 5
    with pytest.raises(AttributeError, match="make a new one for lowercase"):
        metric.lowercase = False
    with pytest.raises(AttributeError, match="cannot be changed"):
        del metric.smooth_method
    assert (metric.max_ngram_order, metric.weights, metric.threads) == (3, (0.5, 0.25, 0.25), 2)


WRONG_VALUES = [
    ({"smooth_method": "exq"}, "smooth_method 'exq' is unknown.*floor, add-k, exp"),
    ({"dialect": "nltk", "smooth_method": "method5"}, "method5.*last segment"),
    ({"smooth_value": 0.1}, "'exp' takes no value"),
    ({"smooth_method": "floor", "smooth_value": -1}, "at least 0"),
    ({"smooth_method": "add-k", "smooth_value": math.inf}, "smooth_value"),
    ({"weights": (1, 1, 1, -1)}, "weights"),
    ({"weights": (0, 0, 0, 0)}, "weights"),
    ({"weights": (0.5, 0.5)}, "weights has 2 entries, max_ngram_order is 4"),
    ({"max_ngram_order": 0}, "max_ngram_order is 0"),
    ({"threads": 0}, "threads is 0"),
    ({"tokenize": "13b"}, "'13b' is unknown; did you mean '13a'"),
    ({"tokenize": False, "lowercase": True}, "lowercase=True needs text"),
    ({"reference_length": "longest"}, "unknown.*closest.*first.*shortest"),
    ({"ignore_ids": (0,)}, "ignore_ids.*tokenize=False"),
    ({"stop_ids": 0}, "stop_ids.*tokenize=False"),
    ({"skip_ids": (0,)}, "skip_ids.*tokenize=False"),
    ({"tokenize": False, "skip_ids": (1, 2**63)}, "skip_ids"),
    ({"tokenize": False, "stop_ids": -(2**63) - 1}, "stop_ids"),
]
WRONG_TYPES = [
    ({"max_ngram_order": 2.5}, "max_ngram_order is 2.5"),
    ({"tokenize": 13}, "tokenize is an int"),
    ({"weights": ["x"] * 4}, "weights has .*, expected a number"),
    ({"weights": 0.25}, "expected a number for each order"),
    ({"smooth_method": "floor", "smooth_value": [1]}, "smooth_value has"),
    ({"lowercase": "False"}, "lowercase is 'False', a str; expected True"),
    ({"effective_order": "False"}, "effective_order is 'False', a str; expected True"),
    ({"keep_stats": "False"}, "keep_stats is 'False', a str; expected True"),
    ({"tokenize": False, "ignore_ids": None}, "ignore_ids is None.*leave it out"),
    ({"tokenize": False, "ignore_ids": "</s>"}, "ignore_ids is '</s>'.*look up"),
    ({"tokenize": False, "ignore_ids": (1, 1.0)}, "ignore_ids"),
    ({"tokenize": False, "stop_ids": "</s>"}, "stop_ids is '</s>', expected integers; look up its"),
]


@pytest.mark.parametrize(
    ("error", "parameters", "words"),
    [(ValueError, *row) for row in WRONG_VALUES] + [(TypeError, *row) for row in WRONG_TYPES],
)
def test_wrong_parameters_are_told_at_once(error, parameters, words):
    raises(error, words, BLEU, **parameters)


def test_no_segments():
    raises(ValueError, "no segments", BLEU().score, [], [])
    assert len(BLEU().count([], [])) == len(BLEU().sentence_scores([], [])) == 0
    metric = BLEU()
    metric.update([""], [""])
    assert metric.compute().value == 0, "an empty segment is one"


def test_words_in_the_place_of_texts_are_warned_of():
    text = "the cat sat on the mat"
    with pytest.warns(InputWarning, match="references holds single words"):
        BLEU().score([text], [text.split()])
    with pytest.warns(InputWarning, match="one token that contains whitespace"):
        BLEU(tokenize=False, effective_order=True).score([[text]], [[[text]]])
    BLEU().score([text], [["one", "two words", "three"]])
    BLEU(effective_order=True).score(["cat"], [["a", "cat", "dog"]])


@pytest.mark.filterwarnings("ignore:no hypothesis has 4 tokens")
def test_a_script_without_spaces_that_is_split_at_spaces_is_warned_of_once():
    for texts, options, fitting in (
        (CHINESE, {}, "zh"),
        (CHINESE, {"tokenize": "intl"}, "zh"),
        (CHINESE, {"dialect": "multi-bleu"}, "zh"),
        (JAPANESE, {}, "ja-mecab"),
        (["เมื่อเช้านี้ฉันดื่มกาแฟร้อนหนึ่งแก้วแล้วไปทำงานที่บริษัท"] * 4, {}, "char"),
    ):
        metric = BLEU(**options)
        with pytest.warns(InputWarning, match="without spaces") as caught:
            [metric.score(texts, texts) for _ in range(2)]
        messages = [str(w.message) for w in caught if "without spaces" in str(w.message)]
        assert len(messages) == 1
        assert messages[0].endswith(f'use BLEU(tokenize="{fitting}")')


@pytest.mark.filterwarnings("error")
def test_text_that_has_spaces_or_its_tokenizer_is_not_warned_of():
    for texts, options in (
        (CHINESE, {"tokenize": "zh"}),
        (CHINESE, {"tokenize": "char"}),
        ([" ".join(text) for text in CHINESE], {}),  # segmented before
        (["나는 오늘 아침에 아주 뜨거운 커피를 한 잔 마시고 회사에 갔다."] * 4, {}),
        (["In Beijing we ate 北京烤鸭 and drank a very hot coffee."] * 4, {}),
        (["“Это было” – хорошо, и мы пошли на работу…"] * 4, {}),
    ):
        BLEU(**options).score(texts, texts)


def test_short_sentences_count_by_the_orders_they_have_and_a_corpus_by_all():
    """As in sacreBLEU."""
    hypotheses, references = ["a b", "a b c d e"], ["a c", "a b c d e"]
    pairs = zip(hypotheses, references, strict=True)
    sentences = [sacrebleu.sentence_bleu(h, [r]).score for h, r in pairs]
    metric, kept = BLEU(), BLEU(keep_stats=True)
    kept.update(hypotheses, references)
    for scores in (
        metric.sentence_scores(hypotheses, references).tolist(),
        kept.sentence_scores(kept.stats).tolist(),
    ):
        assert scores == pytest.approx(sentences, rel=1e-15)
    with pytest.warns(InputWarning, match="no hypothesis has 4 tokens"):
        assert metric.score(hypotheses[:1], references[:1]).value == 0
    for_both = BLEU(effective_order=False), BLEU(effective_order=True)
    assert [one.sentence_scores(hypotheses, references)[0] > 0 for one in for_both] == [False, True]
    assert metric.score(hypotheses, references).signature == kept.compute().signature
    assert "eff:no" in metric.signature
    assert BLEU(effective_order=True).score(["a b"], ["a b"]).value == pytest.approx(100)


# --- counts in the place of texts

COUNTED = [
    ("the cat sat on the mat today", ["the cat sat on a mat today", "the cat is on the mat"]),
    ("a b", ["a b c", "a"]),
    ("x y z w v the the the", ["x y z w v", "the the"]),
    ("return if a == b for x", ["return if a == c for y", "for x in y"]),
]


@pytest.mark.parametrize("name", fastbleu.dialects.names(recipes=True))
@pytest.mark.filterwarnings("ignore::fastbleu.InputWarning")
def test_counts_have_the_score_of_their_texts_or_are_refused(name):
    """Those of the dialect itself, their sum, and those of the common rules."""
    try:
        metric = BLEU(name)
        metric.score(["a b c d"], ["a b c d"])
    except ImportError as error:
        pytest.skip(str(error))  # a library's tokens, or its arithmetic
    if not metric._scorer.supports(COUNT):
        raises(ValueError, "does not support count", metric.count, ["a"], ["a"])
        return
    hypotheses, references = zip(*COUNTED, strict=True)
    if not metric._scorer.supports(SEVERAL_REFERENCES):
        references = [texts[:1] for texts in references]
    score, stats = metric.score(hypotheses, references), metric.count(hypotheses, references)
    assert metric.score(stats) == score
    options = {"tokenize": metric.tokenize, "lowercase": metric.lowercase}
    common = BLEU(**options, max_ngram_order=metric.max_ngram_order).count(hypotheses, references)
    for other in (
        stats.sum(),
        metric.count(stats, None).sum(),
        sum(stats),
        common,
        pickle.loads(pickle.dumps(common)),
    ):
        try:
            found = metric.score(other).value
        except ValueError as error:
            refusal = str(error)
            assert re.search("the Stats (hold a sum of rows|were counted with)", refusal)
        else:
            assert found == score.value


def test_counts_that_no_text_has_are_refused():
    metric = BLEU(max_ngram_order=1)
    for row, problem in (([5, 5, 6, 5], "more matches than n"), ([5, -5, 5, 5], "a negative")):
        stats = Stats([[1, 1, 1, 1], row])
        for method in (metric.score, metric.sentence_scores, metric.update):
            raises(ValueError, f"row 1 of the Stats has {problem}", method, stats)
