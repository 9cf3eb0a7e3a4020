"""fastbleu.BLEU gives sacreBLEU's and nltk's numbers, and reports mistakes."""

import copy
import math
import pickle
import warnings

import nltk.translate.bleu_score
import numpy as np
import pytest
import sacrebleu
from generators import by_stream, raises, seeded
from nltk.translate.bleu_score import SmoothingFunction
from random_texts import random_corpus
from sacrebleu.metrics import BLEU as PEER

import fastbleu
from fastbleu import BLEU, InputWarning, matrix
from fastbleu.rewards import BLEUReward

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


@pytest.mark.parametrize("tokenize", ["13a", "intl", "zh", "char", "none"])
@pytest.mark.parametrize("lowercase", [False, True])
@pytest.mark.parametrize(
    ("smoothing", "value"),
    [("exp", None), ("none", None), ("floor", None), ("floor", 0.5), ("add-k", None), ("add-k", 2)],
)
@pytest.mark.parametrize("effective_order", [False, True])
def test_scores_are_sacrebleus(tokenize, lowercase, smoothing, value, effective_order):
    rng = seeded(tokenize, lowercase, smoothing, value, effective_order)
    for max_order in (1, 4, 6):
        hypotheses, references = random_corpus(rng, 25)
        references = [[its] if isinstance(its, str) else its for its in references]
        peer = PEER(
            lowercase=lowercase,
            tokenize=tokenize,
            smooth_method=smoothing,
            smooth_value=value,
            max_ngram_order=max_order,
            effective_order=effective_order,
        )
        metric = BLEU(tokenize, lowercase, max_order, None, smoothing, value, effective_order)
        expected = peer.corpus_score(hypotheses, by_stream(references))
        score = metric.score(hypotheses, references)
        assert score.value == expected.score
        assert float(score) == expected.score
        assert (score.bp, score.hyp_len, score.ref_len) == (
            expected.bp,
            expected.sys_len,
            expected.ref_len,
        )
        assert {type(count) for count in (*score.matches, *score.totals)} == {int}
        theirs = peer.get_signature().format().rpartition("|version:")[0]
        ours = score.signature.rpartition("|version:")[0].replace(f"|order:{max_order}", "")
        assert ours == theirs
        each = metric.sentence_scores(hypotheses, references)
        assert (each.dtype, each.shape) == (np.float64, (25,))
        peer.effective_order, was = True, peer.effective_order  # else it logs at every sentence
        one = BLEU(tokenize, lowercase, max_order, None, smoothing, value, True)
        assert one.sentence_scores(hypotheses, references).tolist() == [
            peer.sentence_score(*pair).score for pair in zip(hypotheses, references, strict=True)
        ]
        peer.effective_order = was


@pytest.mark.parametrize(
    ("smoothing", "method"),
    [("none", "method0"), ("floor", "method1"), ("add-k", "method2"), ("exp", "method3")],
)
def test_the_nltk_dialect(smoothing, method):
    rng = seeded("nltk", smoothing)
    hypotheses, references = random_corpus(rng, 200)
    references = [[its] if isinstance(its, str) else its for its in references]
    metric = BLEU("none", smoothing=smoothing, dialect="nltk")
    tokens = [h.split() for h in hypotheses], [[r.split() for r in its] for its in references]
    function = getattr(SmoothingFunction(), method)
    score = metric.score(hypotheses, references)
    with np.errstate(all="ignore"), pytest.MonkeyPatch.context() as patched:
        patched.setattr("warnings.warn", lambda *a, **k: None)
        assert score.value == nltk.translate.bleu_score.corpus_bleu(
            tokens[1], tokens[0], smoothing_function=function
        )
        assert BLEU(None, smoothing=smoothing, dialect="nltk").sentence_scores(
            *tokens
        ).tolist() == [
            nltk.translate.bleu_score.sentence_bleu(r, h, smoothing_function=function)
            for h, r in zip(*tokens, strict=True)
        ]
    assert "tok:none|dialect:nltk" in score.signature
    assert score.signature.startswith("nrefs:var|case:mixed")


def test_weights():
    score = BLEU(max_order=2, weights=(1, 0)).score(HYPOTHESES, REFERENCES)
    assert score.value == pytest.approx(100 * score.bp * score.precisions[0])
    assert "order:2|weights:1.0,0.0" in score.signature
    weights = [0.25] * 4
    metric = BLEU(weights=weights)
    weights[0] = 9.0
    assert metric.score(HYPOTHESES, REFERENCES) == BLEU().score(HYPOTHESES, REFERENCES)
    assert BLEU(weights=iter(metric.weights)).weights == metric.weights


def test_one_string_per_segment_and_token_lists():
    lines = [its[0] for its in REFERENCES]
    assert BLEU().score(HYPOTHESES, lines) == BLEU().score(HYPOTHESES, [[r] for r in lines])
    tokens = [fastbleu.tokenize(h) for h in HYPOTHESES]
    references = [[fastbleu.tokenize(r) for r in its] for its in REFERENCES]
    score = BLEU(tokenize=None).score(tokens, references)
    assert score.value == BLEU().score(HYPOTHESES, REFERENCES).value
    assert "tok:given" in score.signature
    custom = BLEU(tokenize=fastbleu.tokenize).score(HYPOTHESES, REFERENCES)
    assert custom.value == score.value
    assert "tok:tokenize" in custom.signature


def test_signature():
    metric = BLEU(lowercase=True, smoothing="floor", effective_order=True)
    fields = "case:lc|eff:yes|tok:13a|smooth:floor[0.10]|version:2.6.0+fastbleu."
    assert metric.signature.startswith(fields)
    assert metric.score(["a"], ["a"]).signature == f"nrefs:1|{metric.signature}"
    assert metric.score(["a", "b"], ["a", ["a", "b"]]).signature.startswith("nrefs:var|")
    assert repr(metric) == f"<BLEU {metric.signature}, 0 segments>"


def test_parameters_are_fixed_and_metrics_are_values():
    metric = BLEU("intl", True, 3, (0.5, 0.25, 0.25), "add-k", 1.5, True, 2)
    for copied in (copy.deepcopy(metric), pickle.loads(pickle.dumps(metric))):
        assert copied == metric
        assert hash(copied) == hash(metric)
        assert copied.score(HYPOTHESES, REFERENCES) == metric.score(HYPOTHESES, REFERENCES)
    assert metric != BLEU()
    assert metric != 5
    with pytest.raises(AttributeError, match="make a new one for lowercase"):
        metric.lowercase = False
    with pytest.raises(AttributeError, match="cannot be changed"):
        del metric.smoothing
    assert (metric.max_order, metric.weights, metric.threads) == (3, (0.5, 0.25, 0.25), 2)


@pytest.mark.parametrize(
    ("parameters", "error", "words"),
    [
        ({"smoothing": "exq"}, ValueError, "smoothing 'exq' is unknown.*floor, add-k, exp"),
        ({"smoothing": "method4"}, ValueError, "smoothing 'method4' is unknown"),
        ({"smoothing_value": 0.1}, ValueError, "'exp' takes no value"),
        ({"smoothing": "floor", "smoothing_value": -1}, ValueError, "at least 0"),
        ({"smoothing": "add-k", "smoothing_value": math.inf}, ValueError, "smoothing_value"),
        ({"smoothing": "add-k", "smoothing_value": math.nan}, ValueError, "smoothing_value"),
        ({"weights": (1, 1, 1, -1)}, ValueError, "weights"),
        ({"weights": (0, 0, 0, 0)}, ValueError, "weights"),
        ({"weights": (1, 1, 1, math.inf)}, ValueError, "weights"),
        ({"max_order": 0}, ValueError, "max_order is 0"),
        ({"max_order": 2.5}, TypeError, "max_order is 2.5"),
        ({"weights": (0.5, 0.5)}, ValueError, "2 weights for max_order 4"),
        ({"threads": 0}, ValueError, "threads is 0"),
        ({"tokenize": "13b"}, ValueError, "'13b' is unknown; did you mean '13a'"),
        ({"tokenize": 13}, TypeError, "tokenize is an int"),
        ({"tokenize": None, "lowercase": True}, ValueError, "lowercase=True needs text"),
        ({"reference_length": "longest"}, ValueError, "unknown.*closest.*first.*shortest"),
        ({"ignore_ids": (0,)}, ValueError, "ignore_ids.*tokenize=None"),
        ({"stop_id": 0}, ValueError, "stop_id.*tokenize=None"),
        ({"skip_ids": (0,)}, ValueError, "skip_ids.*tokenize=None"),
        ({"dialect": "nist"}, ValueError, "dialect 'nist' is unknown"),
        ({"dialect": "nltk", "effective_order": True}, ValueError, "order is sacreBLEU's"),
        ({"dialect": "nltk", "weights": (1,)}, ValueError, "1 weights for max_order 4"),
    ],
)
def test_wrong_parameters_are_told_at_once(parameters, error, words):
    raises(error, words, BLEU, **parameters)


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        (([], []), ValueError, "no segments"),
        ((HYPOTHESES, by_stream(REFERENCES)), ValueError, r"references\[k\]\[segment\]"),
        ((HYPOTHESES[:2], REFERENCES), ValueError, "references has 3 segments, hypotheses has 2"),
        ((HYPOTHESES[0], REFERENCES[0]), TypeError, "hypotheses is a str"),
        (([h.split() for h in HYPOTHESES], REFERENCES), TypeError, "tokenize=None"),
    ],
)
def test_wrong_layouts_are_refused(arguments, error, words):
    for method in (BLEU().score, BLEU().statistics, BLEU().sentence_scores):
        if words == "no segments" and method.__name__ != "score":
            assert len(method(*arguments)) == 0
            continue
        raises(error, words, method, *arguments)


def test_tokens_in_other_layouts_are_refused():
    score = BLEU(tokenize=None).score
    raises(TypeError, "the hypothesis is a str", score, ["a b"], [[["a", "b"]]])
    raises(TypeError, r"references\[0\] is a str.*\[\[...\]\]", score, [["a", "b"]], [["a", "b"]])
    raises(ValueError, r"zip\(\*references\)", score, [["a"], ["b"]], [[["a"], ["b"]]] * 3)


class Frame(list):
    columns = ("r1", "r2")


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (set, "is a set"), (frozenset, "is a frozenset"), (dict.fromkeys, "is a dict"),
        (Frame, "values.tolist"),
    ],
)  # fmt: skip
def test_collections_that_are_no_lists_of_segments_are_refused(kind, words):
    raises(TypeError, f"hypotheses.*{words}", BLEU().score, kind(["a", "b"]), ["a", "b"])
    raises(TypeError, f"references.*{words}", BLEU().score, ["a", "b"], kind(["a", "b"]))


def test_words_in_the_place_of_texts_are_warned_of():
    text = "the cat sat on the mat"
    with pytest.warns(InputWarning, match="references holds single words"):
        BLEU().score([text], [text.split()])
    with pytest.warns(InputWarning, match="one token that contains whitespace"):
        BLEU(None, effective_order=True).score([[text]], [[[text]]])
    BLEU().score([text], [["one", "two words", "three"]])
    BLEU(effective_order=True).score(["cat"], [["a", "cat", "dog"]])


def test_tokenized_text_is_warned_of():
    hypotheses, references = ["a b c ."] * 100, ["a b c ."] * 100
    with pytest.warns(InputWarning, match=r'100 hypotheses end in " \."'):
        BLEU().score(hypotheses, references)
    BLEU("none").score(hypotheses, references)
    BLEU().score(hypotheses[:99], references[:99])


def test_words_in_the_place_of_segments_are_warned_of():
    words = ["the", "cat", "sat", "on", "the", "mat"]
    with pytest.warns(InputWarning, match=r"no hypothesis has 4 tokens.*effective_order=True"):
        assert BLEU().score(words, words).value == 0
    assert BLEU(effective_order=True).score(words, words).value > 99
    assert BLEU(max_order=1).score(words, words).value > 99


CHINESE = ["我今天早上喝了一杯很热的咖啡，然后去了公司。", "他说这本书非常有意思。"] * 4


@pytest.mark.parametrize(
    ("texts", "options", "fitting"),
    [
        (CHINESE, {}, "zh"),
        (CHINESE, {"tokenize": "intl"}, "zh"),
        (CHINESE, {"dialect": "multi-bleu"}, "zh"),
        (["今朝は熱いコーヒーを一杯飲んでから会社に行きました。"] * 4, {}, "ja-mecab"),
        (["เมื่อเช้านี้ฉันดื่มกาแฟร้อนหนึ่งแก้วแล้วไปทำงานที่บริษัท"] * 4, {}, "char"),
    ],
)
def test_a_script_without_spaces_that_is_split_at_spaces_is_warned_of_once(texts, options, fitting):
    metric = BLEU(**options)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for _ in range(2):
            metric.score(texts, texts)
    messages = [str(w.message) for w in caught if "without spaces" in str(w.message)]
    assert len(messages) == 1
    assert messages[0].endswith(f'use BLEU(tokenize="{fitting}")')


@pytest.mark.parametrize(
    ("texts", "options"),
    [
        (CHINESE, {"tokenize": "zh"}),
        (CHINESE, {"tokenize": "char"}),
        ([" ".join(text) for text in CHINESE], {}),  # segmented before
        (["나는 오늘 아침에 아주 뜨거운 커피를 한 잔 마시고 회사에 갔다."] * 4, {}),
        (["In Beijing we ate 北京烤鸭 and drank a very hot coffee."] * 4, {}),
        (["“Это было” – хорошо, и мы пошли на работу…"] * 4, {}),
    ],
)
def test_text_that_has_spaces_or_its_tokenizer_is_not_warned_of(texts, options):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        BLEU(**options).score(texts, texts)


def test_a_column_of_pyarrow_in_a_script_without_spaces_is_warned_of():
    column = pytest.importorskip("pyarrow").array(CHINESE)
    with pytest.warns(InputWarning, match="without spaces between words"):
        BLEU(effective_order=True).score(column, column)


def test_short_sentences_count_by_the_orders_they_have_and_a_corpus_by_all():
    """As in sacreBLEU, by every function that scores sentences one by one."""
    hypotheses, references = ["a b", "a b c d e"], ["a c", "a b c d e"]
    pairs = list(zip(hypotheses, references, strict=True))
    sentences = [sacrebleu.sentence_bleu(h, [r]).score for h, r in pairs]
    metric, kept = BLEU(), BLEU(keep_segments=True)
    kept.update(hypotheses, references)
    for scores in (
        metric.sentence_scores(hypotheses, references).tolist(),
        kept.segment_scores().tolist(),
        matrix.pairwise(hypotheses, references).diagonal().tolist(),
        matrix.pairwise(hypotheses, references, metric=metric).diagonal().tolist(),
        [matrix.ReferenceIndex([r]).sentence_scores([h])[0] for h, r in pairs],
        [100 * value for value in BLEUReward()(completions=hypotheses, references=references)],
    ):
        assert scores == pytest.approx(sentences, rel=1e-15)
    with pytest.warns(InputWarning, match="no hypothesis has 4 tokens"):
        assert metric.score(hypotheses[:1], references[:1]).value == 0
    for_both = BLEU(effective_order=False), BLEU(effective_order=True)
    assert [one.sentence_scores(hypotheses, references)[0] > 0 for one in for_both] == [False, True]
    assert metric.score(hypotheses, references).signature == kept.compute().signature
    assert "eff:no" in metric.signature
    assert BLEU(effective_order=True).score(["a b"], ["a b"]).value == pytest.approx(100)
