"""Errors and warnings about input name the segment, the position and the fix."""

import re
import warnings
from collections import UserDict
from functools import partial
from types import MappingProxyType

import numpy as np
import pytest
from generators import PRISTINE, raises
from nltk.translate import bleu_score as nltk

import fastbleu
from fastbleu import (
    BLEU,
    InputWarning,
    SmoothingFunction,
    corpus_bleu,
    count,
    modified_precision,
    sentence_bleu,
)
from fastbleu.dialects import NLTK
from fastbleu.matrix import ReferenceIndex, iter_blocks, mbr, pairwise, self_bleu

pytestmark = pytest.mark.pythons

GOOD = [["a", "b"], ["a"]]


@pytest.mark.parametrize(
    ("token", "name"), [([], "list"), ({}, "dict"), (set(), "set"),
    (bytearray(b"a"), "bytearray"),
                                         ((1, []), "tuple"), ((1, ((), [2])),
                                         "tuple")])  # fmt: skip
@pytest.mark.parametrize("place", [0, 1, 70])
def test_unhashable_tokens(token, name, place):
    bad = ["a"] * place + [token, "b"]
    corpora = ([GOOD, GOOD, GOOD], [["a"], ["a"], bad]), ([GOOD, GOOD, [["a"], bad]], [["a"]] * 3)
    for (list_of_references, hypotheses), what in zip(
        corpora, ("hypothesis", "references[1]"), strict=True
    ):
        position = f"{what}[{place}]"
        for segment, call in (
            (2, lambda r, h: corpus_bleu(r, h)),
            (2, lambda r, h: count(h, r)),
            (2, lambda r, h: count(h, r, threads=2)),
            (0, lambda r, h: sentence_bleu(r[2], h[2])),
        ):
            with pytest.raises(TypeError) as caught:
                call(list_of_references, hypotheses)
            text = str(caught.value)
            assert f"segment {segment}" in text
            assert position in text
            assert name in text
            assert "unhashable" in text


def test_unhashable_tokens_of_one_precision():
    raises(TypeError, r"hypothesis\[1\].*unhashable", modified_precision, GOOD, ["a", []], 1)


@pytest.mark.parametrize("reference", [[["x"], "b"], ("a", ["b"], "c"), ["a", "b", {}]])
def test_unhashable_tokens_of_references_longer_than_the_hypothesis(reference):
    for name, precision in (("nltk", PRISTINE), ("", fastbleu)):
        with pytest.raises(TypeError, match="unhashable" if name else r"references\[1\]\[\d\]"):
            precision.modified_precision([["a"], reference], ["a"], 2)
        assert precision.modified_precision([reference[:1]], ["a"], 2).numerator == 0


def test_unhashable_tokens_of_no_order():
    for references, hypothesis in (([[["x"], "b"]], ["a"]), ([["a"]], [["x"], "a"])):
        assert PRISTINE.sentence_bleu(references, hypothesis, weights=()) == 0
        with pytest.raises(TypeError, match=r"\[0\] is a list; a token must be hashable"):
            sentence_bleu(references, hypothesis, weights=())


MESSAGE = {"role": "assistant", "content": "The cat sat down."}


@pytest.mark.parametrize("kind", [list, tuple])
def test_chat_messages(kind):
    metric, of_tokens, said = BLEU(), BLEU(tokenize=None), "pass the messages' content"
    chat = kind([MESSAGE])
    for hypotheses, references, where in (
        (["a", chat], ["a", "a"], r"1: the hypothesis\[0\]"),
        (["a", kind(["a", MESSAGE])], ["a", "a"], r"1: the hypothesis\[1\]"),
        ([MESSAGE], ["a"], "0: the hypothesis"),
        (["a"], [chat], r"0: references\[0\]"),
        (["a"], [["a", chat]], r"0: references\[1\]\[0\]"),
    ):
        for call in (metric.score, metric.sentence_scores, metric.update):
            with pytest.raises(
                TypeError, match=f"segment {where} is a dict, expected a str; {said}$"
            ):
                call(hypotheses, references)
    split = f"{said}, split into tokens$"
    for hypotheses, references, where in (
        ([["a"], chat], [[["a"]]] * 2, r"1: the hypothesis\[0\] is a dict"),
        ([MESSAGE], [[["a"]]], "0: the hypothesis is a dict, expected a list of tokens"),
        ([["a"]], [chat], r"0: references\[0\] is a dict, expected a list of tokens"),
    ):
        with pytest.raises(TypeError, match=f"segment {where}.*; {split}"):
            of_tokens.score(hypotheses, references)


class BatchEncoding(UserDict):
    """As what a tokenizer of transformers returns."""


@pytest.mark.parametrize("kind", [dict, UserDict, BatchEncoding, MappingProxyType])
def test_mappings_are_no_segments(kind):
    """Iterating over them yields their keys, whose score would be 0."""
    rows, row = kind({"input_ids": [[1, 2, 3]]}), kind({"input_ids": [1, 2, 3]})
    ids, texts, name = BLEU(None), BLEU(), f"a {kind.__name__}"
    for metric, words, *sides in (
        (ids, f'hypotheses is {name}, .*; pass hypotheses\\["input_ids"\\]', rows, [[1, 2, 3]]),
        (ids, f'references is {name}, .*; pass references\\["input_ids"\\]', [[1, 2]], rows),
        (ids, f'0: the hypothesis is {name}, .*; pass its \\["input_ids"\\]$', [row], [[[1, 2]]]),
        (ids, f"0: references is {name}", [[1, 2]], [row]),
        (ids, rf"0: references\[0\] is {name}", [[1, 2]], [[row]]),
        (texts, f"hypotheses is {name}", rows, ["a"]),
        (texts, f"0: the hypothesis is {name}", [row], ["a"]),
        (texts, f"0: references is {name}", ["a"], [row]),
        (texts, rf"0: references\[0\] is {name}", ["a"], [[row]]),
    ):
        raises(TypeError, words, metric.score, *sides)


def test_no_references():
    for call in (
        lambda: corpus_bleu([GOOD, GOOD, GOOD, []], [["a"]] * 4),
        lambda: corpus_bleu([GOOD, GOOD, GOOD, ()], [["a"]] * 3 + [[]]),
        lambda: count([["a"]] * 4, [GOOD, GOOD, GOOD, []]),
    ):
        raises(ValueError, r"segment 3.*no references", call)
    raises(ValueError, r"segment 0.*no references", sentence_bleu, [], ["a"])


def test_references_as_a_generator_are_taken():
    expected = sentence_bleu(GOOD, ["a", "b"], (0.5, 0.5))
    assert sentence_bleu((reference for reference in GOOD), ["a", "b"], (0.5, 0.5)) == expected
    assert corpus_bleu([iter(GOOD), map(list, GOOD)], [["a", "b"]] * 2, (0.5, 0.5)) == expected


def test_input_warning_points_at_the_caller():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        sentence_bleu(["a b c d"], list("a b c d"))
    assert caught[0].filename == __file__


def test_a_string_is_not_warned_about_where_it_is_a_token():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert sentence_bleu([["the cat", "sat"]], ["the cat", "sat"], (1,)) == 1.0
    assert issubclass(InputWarning, UserWarning)
    assert fastbleu.InputWarning is InputWarning


@pytest.mark.parametrize(
    ("hypotheses", "references"), [
    (["the cat"], [[["the", "cat"]]]),
    ([["the", "cat"]], [["the cat"]]),
    ([["the", "cat"]], ["the cat"]),
    ([["the", "cat"]], [[["the"], "the cat"]]),
    ([b"the cat"], [[["the", "cat"]]]),
    ("the cat", [[["the"]]] * 7),
])  # fmt: skip
def test_the_native_layer_refuses_strings_and_tells_the_fix(hypotheses, references):
    with pytest.raises(TypeError, match=r"expected a (list|sequence)") as caught:
        count(hypotheses, references)
    assert "str" in str(caught.value) or "bytes" in str(caught.value)


def test_the_native_layer_refuses_wrong_nesting():
    for references in ([["the", "cat"]], [[1, 2]], [[None]], [None], [3], None, 3):
        with pytest.raises(TypeError):
            count([["the", "cat"]], references)
    for hypotheses in ([None], [3], None, 3):
        with pytest.raises(TypeError):
            count(hypotheses, [[["a"]]])


def test_none_as_a_reference_names_the_segment():
    raises(TypeError, r"segment 1.*references\[2\]", count, [["a"]] * 2, [GOOD, [*GOOD, None]])


TEXTS = ["The cat sat on the mat.", "It rained all night."]
REFERENCES = [["The cat sat on a mat."], ["It rained all night."]]


# ---- values in messages

LONG = "the cat " * 10_000


@pytest.mark.parametrize(
    "call",
    [
        lambda long: fastbleu.identify([long], [long], 31.2),
        lambda long: fastbleu.identify(long, ["a"], ["a"]),
        lambda long: fastbleu.patch(str(long)),
        lambda long: fastbleu.dialects.get(long),
        lambda long: fastbleu.recipes.describe(long),
        lambda long: fastbleu.tokenizers.get_tokenizer(str(long)),
        lambda long: fastbleu.tables.score({"mt": ["a"], "ref": ["a"]}, str(long), "ref"),
        lambda long: fastbleu.significance.bootstrap(count([["a"]], [[["a"]]]), seed=long),
        lambda long: fastbleu.sacrebleu.BLEU(tokenize=str(long)),
        lambda long: fastbleu.sacrebleu.BLEU(smooth_method=long),
        lambda long: sentence_bleu([["a"]], ["a"], smoothing_function=long),
        lambda long: sentence_bleu([["a"]], ["a"], weights=frozenset([str(long)]).__len__),
        lambda long: self_bleu(["a", "b"], long),
        lambda long: BLEU().score(["a"], ["a"], missing=long),
        *(partial(lambda name, long: BLEU(**{name: long}), name) for name in (
            "dialect", "tokenize", "smoothing", "reference_length", "weights", "max_order",
            "threads", "smoothing_value", "ignore_ids",
        )),
        lambda long: BLEU(dialect="codebleu-weighted", keywords=str(long)),
        lambda long: BLEU(dialect="mteval-v14", tokenize=str(long)),
    ],
)  # fmt: skip
@pytest.mark.parametrize("long", [LONG, [LONG], list(LONG)])
def test_values_in_messages_are_cut(call, long):
    with pytest.raises((TypeError, ValueError, AssertionError, KeyError)) as caught:
        call(long)
    assert len(str(caught.value)) < 500


# ---- padding that is counted


def padded(padding, rows=8):
    return [[row, 2, 3, 4, padding, padding] for row in range(rows)]


def references_of(hypotheses):
    return [[hypothesis] for hypothesis in hypotheses]


RUN, LABELS = r"end in a run of the id 7.*\(7,\)", r"-100.*ignore_ids=\(-100,\)"


@pytest.mark.parametrize("method", ["score", "update", "statistics", "sentence_scores"])
@pytest.mark.parametrize("form", [list, tuple, np.array])
@pytest.mark.parametrize(
    ("options", "padding", "words"),
    [
        ({}, 7, RUN), ({"ignore_ids": (-100,)}, 7, RUN), ({"skip_ids": (1,)}, 7, RUN),
        ({}, -100, LABELS), ({"stop_id": 50}, -100, LABELS),
    ],
)  # fmt: skip
@pytest.mark.parametrize("count", range(1, 9))
def test_padding_that_counts_is_warned_of_once(method, form, options, padding, words, count):
    rows = [form([*row, padding, padding]) for row in padded(padding, count)]
    for pair in ((rows, references_of(rows)), (np.array(rows), np.array(rows))):
        with pytest.warns(InputWarning, match=words) as caught:
            getattr(BLEU(None, **options), method)(*pair)
        assert len(caught) == 1


def test_padding_of_one_side_is_named():
    with pytest.warns(InputWarning, match="hypotheses end in a run of the id 7"):
        pairwise(padded(7), [[1, 2, 3, 4]], tokenize=None)
    with pytest.warns(InputWarning, match="reference ids end in a run"):
        BLEU(None).update(np.array(padded(7))[:, :4], np.array(padded(7)))
    for rows in (1, 3):  # too few for a run of two, but -100 is no id
        with pytest.warns(InputWarning, match="-100"):
            BLEU(None).score(padded(-100, rows), references_of(padded(-100, rows)))


@pytest.mark.parametrize("rows", range(1, 9))
def test_few_rows_of_which_nothing_is_left_or_of_logits(rows):
    ids = np.full((rows, 5), 2)
    with pytest.warns(InputWarning, match="every (hypothesis|reference) is empty after") as caught:
        assert BLEU(None, stop_id=2).score(ids, ids).value == 0
    assert len(caught) == 2
    logits = np.full((rows, 5, 30), 0.5)
    for values in (logits, [*logits], logits.tolist()):
        raises(TypeError, r"logits into ids by .*argmax\(", BLEU(None).score, values, ids)


def test_what_is_no_padding_is_not_warned_of(recwarn):
    bangs = [[1, 7, 7, 7, 7, 2, 7, 7, 7, 7]] * 3
    for few in (padded(7, 1), padded(7, 3), bangs, [[7] * 9]):  # may be by chance
        for pair in ((few, references_of(few)), (np.array(few), np.array(few))):
            BLEU(None).score(*pair)
    others = [
        padded(0, rows=3),
        [[*range(row + 2), 0, 0] for row in range(8)],  # of different lengths
        [[1, 2, 3, row] for row in range(8)],
        [[True, True] for _ in range(8)],
        [["a", "a"] for _ in range(8)],
        [["a", 0] for _ in range(8)],
        [[0] for _ in range(8)],
        [[] for _ in range(8)],
    ]
    for hypotheses in others:
        BLEU(None, max_order=1).score([*hypotheses, [1]], references_of([*hypotheses, [1]]))
    ids, labels = np.array(padded(7)), np.array(padded(-100))
    for options in ({"ignore_ids": (7,)}, {"skip_ids": (7,)}, {"stop_id": 7}):
        BLEU(None, **options).update(ids, ids)
    for options in ({"ignore_ids": (-100,)}, {"stop_id": 4, "max_order": 3}):
        BLEU(None, **options).score(labels, labels)
    for array in (ids, labels):
        mask = array == np.clip(array, 0, 6)
        BLEU(None, max_order=3).update(array, array, hypothesis_mask=mask, reference_mask=mask)
    BLEU(None).update(ids[:, :5], ids[:, :5])
    ids[:5, -1] = 8
    BLEU(None).update(ids, ids)
    assert not recwarn.list


# ---- arguments


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("smooth", "smoothing"),
        ("smooth_method", "smoothing"),
        ("max_ngram_order", "max_order"),
        ("n_gram", "max_order"),
        ("trg_lang", "tokenize"),
        ("pad_id", "ignore_ids"),
        ("lower_case", "lowercase"),
        ("smooth_value", "smoothing_value"),
        ("tokenizer", "tokenize"),
        ("efective_order", "effective_order"),
        ("answer", None),
    ],
)
def test_unknown_parameters_are_named(name, meant):
    hint = f"; did you mean '{meant}'" if meant else "$"
    expected = rf"^fastbleu\.BLEU has no parameter '{name}'{hint}"
    state = np.zeros(10, int)
    for make in (
        lambda **wrong: BLEU(**wrong),
        lambda **wrong: BLEU.from_state(state, **wrong),
        lambda **wrong: ReferenceIndex(TEXTS, **wrong),
        *(partial(call, TEXTS, TEXTS) for call in (pairwise, iter_blocks, mbr, self_bleu)),
    ):
        raises(TypeError, expected, make, **{name: 4})


@pytest.mark.parametrize("function", [fastbleu.SmoothingFunction, nltk.SmoothingFunction])
def test_smoothing_functions_are_methods(function):
    tokens = ["the", "cat", "sat", "down"]
    for wrong in ("method1", function, function()):
        for call, arguments in (
            (fastbleu.sentence_bleu, ([tokens], tokens)),
            (fastbleu.corpus_bleu, ([[tokens]], [tokens])),
        ):
            with pytest.raises(TypeError, match=r"SmoothingFunction\(\)\.method1"):
                call(*arguments, smoothing_function=wrong)
    assert fastbleu.sentence_bleu([tokens], ["x"], smoothing_function="method1") == 0  # as nltk


@pytest.mark.parametrize("name", ["lowercase", "effective_order", "keep_segments"])
def test_words_are_neither_true_nor_false(name):
    raises(TypeError, f"{name} is 'False', a str; expected True or False", BLEU, **{name: "False"})


def test_words_are_neither_true_nor_false_in_count():
    for tokenize in (None, "13a"):
        with pytest.raises(TypeError, match="lowercase is 'no'"):
            count(["a"], ["a"], tokenize=tokenize, lowercase="no")


@pytest.mark.parametrize("weights", [0.25, "0.25,0.25,0.25,0.25"])
def test_weights_are_several_numbers(weights):
    raises(TypeError, "expected a number for each order", BLEU, weights=weights)


def test_ids_without_a_dimension_are_single_ids():
    for two in (2, np.int64(2), np.array(2)):
        assert BLEU(None, stop_id=two).stop_id == 2
        words = r"ignore_ids is .*2.*, expected several integers; pass"
        raises(TypeError, words, BLEU, None, ignore_ids=two)
        assert BLEU(None, ignore_ids=(two,)).ignore_ids == (2,)


def test_ids_that_are_none():
    raises(TypeError, r"ignore_ids is None.*leave it out", BLEU, None, ignore_ids=None)
    raises(TypeError, r"ignore_ids is '</s>'.*look up its id", BLEU, None, ignore_ids="</s>")
    raises(TypeError, "stop_id has '</s>', a str; expected integer ids", BLEU, None, stop_id="</s>")


def test_nltks_dialect_has_equal_weights_for_every_order():
    rows = count([["a", "b", "c"]], [[["a", "b", "d"]]], max_order=2)
    score = NLTK.score(rows)
    assert score == NLTK.score(rows, weights=(0.5, 0.5))
    assert score.value == BLEU(None, max_order=2, smoothing="none", dialect="nltk").score(
        [["a", "b", "c"]], [[["a", "b", "d"]]]
    ).value  # fmt: skip


# ---- what is scored


def test_swapped_texts():
    raises(TypeError, "swapped\\? hypotheses come first", BLEU().score, REFERENCES, TEXTS)


def test_swapped_tokens():
    references, hypotheses = [[["a", "b"], ["c"]]], [["a", "b"]]
    with (
        pytest.warns(InputWarning, match="character by character"),
        pytest.raises(TypeError, match="are hypotheses and references swapped"),
    ):
        fastbleu.corpus_bleu(hypotheses, references)
    raises(TypeError, "hypotheses come before references", BLEU(None).score, references, hypotheses)


TOKENS = ["the", "cat", "sat"]
SENTENCES = ["the cat sat on a mat", "it rained"]


@pytest.mark.parametrize(
    ("function", "arguments", "fix"),
    [
        ("sentence_bleu", (TOKENS, TOKENS), r"one flat list of tokens.*pass \[reference\]"),
        ("sentence_bleu", (["cat"], ["cat"]), r"one flat list of tokens.*pass \[reference\]"),
        ("corpus_bleu", ([TOKENS] * 2, [TOKENS] * 2), r"flat list.*\[\[reference\], \.\.\.\]"),
        ("modified_precision", (TOKENS, TOKENS, 1), r"pass \[reference\]"),
        ("sentence_bleu", (SENTENCES, TOKENS), r"references\[0\] is a str.*pass a list of tokens"),
        ("sentence_bleu", (["我喜欢吃苹果"], list("我喜欢")), r"references\[0\] is a str"),
        ("sentence_bleu", ([TOKENS], "the cat"), "segment 0.*character"),
        ("corpus_bleu", ([[TOKENS]], ["the cat"]), "segment 0.*character"),
        ("corpus_bleu", ([["the cat"]], [TOKENS]), "segment 0.*character"),
        ("corpus_bleu", ([[TOKENS, "the cat"]], [TOKENS]), "segment 0.*character"),
        ("corpus_bleu", (SENTENCES[:1], [SENTENCES[:1]]), r"fastbleu\.sacrebleu\.corpus_bleu"),
        ("corpus_bleu", (SENTENCES, [SENTENCES] * 2), r"fastbleu\.sacrebleu\.corpus_bleu"),
        ("sentence_bleu", (SENTENCES[0], SENTENCES), r"fastbleu\.sacrebleu\.corpus_bleu"),
        ("sentence_bleu", SENTENCES, r"\(\[reference\.split\(\)\], hypothesis\.split\(\)\)"),
        ("sentence_bleu", ([TOKENS], SENTENCES[:1]), "every hypothesis is one token.*split"),
        ("sentence_bleu", ((SENTENCES[:1], SENTENCES[:1]), TOKENS), "every reference is one token"),
        ("sentence_bleu", ([SENTENCES[:1]], SENTENCES[:1]), "every hypothesis is one token"),
        ("corpus_bleu", ([[TOKENS]] * 4, [SENTENCES[:1]] * 4), "every hypothesis is one token"),
        ("corpus_bleu", ([[SENTENCES[1:]]] * 2, [TOKENS] * 2), "every reference is one token"),
    ],
)
def test_the_fix_of_arguments_of_nltk_and_the_score(function, arguments, fix):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        ours, nltks = (getattr(library, function)(*arguments) for library in (fastbleu, nltk))
        if function == "modified_precision":  # from Python 3.12 on, 0/3 is not equal to itself
            ours, nltks = ((p.numerator, p.denominator) for p in (ours, nltks))
        assert ours == nltks
    (text,) = [str(warning.message) for warning in caught if warning.category is InputWarning]
    assert re.search(fix, text)
    with warnings.catch_warnings():
        warnings.simplefilter("error", InputWarning)
        raises(InputWarning, fix, getattr(fastbleu, function), *arguments)


UNBOUND, BOUND = (kind.method1 for kind in (SmoothingFunction, SmoothingFunction()))


@pytest.mark.parametrize(
    ("references", "hypothesis", "options", "message"),
    [
        ([TOKENS], [TOKENS], {}, r"a list too many.*_bleu\(\[tokens\], tokens\)"),
        ([[TOKENS]], TOKENS, {}, r"references\[0\]\[0\] is a list.*there is a list too many"),
        ([TOKENS], TOKENS, {"smoothing_function": UNBOUND}, r"method1, .*SmoothingFunction\(\)"),
        ([TOKENS], TOKENS, {"weights": BOUND}, "pass it as smoothing_function="),
        ([TOKENS], TOKENS, {"weights": 1}, r"weights is 1, expected one for each .* \(1,\) for"),
        ([TOKENS], TOKENS, {"weights": None}, "weights is None, expected one for each order"),
    ],
)
def test_the_fix_where_nltk_fails_too(references, hypothesis, options, message):
    for call, sides in (
        (sentence_bleu, (references, hypothesis)),
        (corpus_bleu, ([references], [hypothesis])),
    ):
        raises(TypeError, message, call, *sides, **options)
        with pytest.raises(TypeError):
            getattr(nltk, call.__name__)(*sides, **options)


@pytest.mark.parametrize(
    ("arguments", "fix"),
    [
        ((SENTENCES, [SENTENCES]), r"fastbleu\.sacrebleu\.corpus_bleu\(hypotheses, references\)"),
        (([TOKENS] * 2, [[TOKENS] * 2]), r"corpus_bleu\(list\(zip\(\*references\)\), hypotheses"),
        (([[TOKENS]] * 2, [TOKENS]), "be the same $"),
        (([[TOKENS]], []), "be the same $"),
        ((iter([]), TOKENS), None),
    ],
)
def test_the_fix_of_sacrebleus_order(arguments, fix):
    raises(AssertionError if fix else TypeError, fix, fastbleu.corpus_bleu, *arguments)


def test_what_a_tokenizer_returns():
    with pytest.raises(TypeError, match=r'pass hypotheses\["input_ids"\]'):
        BLEU(None).score({"input_ids": [[1]], "attention_mask": [[1]]}, [[1]])


def test_text_without_spaces():
    chinese = ["我喜欢吃苹果", "今天天气很好"]
    with pytest.warns(InputWarning, match=r'for Chinese use BLEU\(tokenize="zh"\)'):
        assert BLEU().score(chinese, chinese).value == 0
    with pytest.warns(InputWarning, match=r'for Chinese use BLEU\(tokenize="zh"\)'):
        BLEU(effective_order=False).sentence_scores(chinese, chinese)
    with pytest.warns(InputWarning) as caught:
        BLEU("zh").score(["苹果"], ["苹果"])
    assert "Chinese" not in str(caught[0].message)
