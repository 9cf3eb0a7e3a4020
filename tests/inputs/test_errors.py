"""Errors and warnings about input name the segment, the position and the fix."""

import warnings

import pytest
from generators import PRISTINE, raises

import fastbleu
from fastbleu import InputWarning, corpus_bleu, count, modified_precision, sentence_bleu

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


@pytest.mark.parametrize("score", [
    lambda: sentence_bleu("the cat", ["the", "cat"]),
    lambda: sentence_bleu(["the cat"], ["the", "cat"]),
    lambda: sentence_bleu([["the", "cat"]], "the cat"),
    lambda: corpus_bleu([["the cat"]], [["the", "cat"]]),
    lambda: corpus_bleu(["the cat"], [["the", "cat"]]),
    lambda: corpus_bleu([[["the", "cat"]]], ["the cat"]),
    lambda: corpus_bleu([[["the", "cat"], "the cat"]], [["the", "cat"]]),
])  # fmt: skip
def test_a_string_in_place_of_tokens_warns(score):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        score()
    texts = [str(warning.message) for warning in caught if warning.category is InputWarning]
    assert texts
    assert "character" in texts[0]
    assert "segment 0" in texts[0]
    with warnings.catch_warnings():
        warnings.simplefilter("error", InputWarning)
        with pytest.raises(InputWarning):
            score()


def test_input_warning_points_at_the_caller():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        sentence_bleu(["a b c d"], list("a b c d"))
    assert caught[0].filename == __file__


def test_a_string_is_not_warned_about_where_it_is_a_token():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert sentence_bleu([["the cat"]], ["the cat"], (1,)) == 1.0
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
