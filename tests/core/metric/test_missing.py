"""Missing values in columns: named where they are, and replaced or left out on request."""

import itertools

import numpy as np
import pytest
from generators import raises, refused

from fastbleu import BLEU, InputWarning

HYPOTHESES = [
    "The cat sat on the mat.",
    "It rained all night long.",
    "A dog ran off.",
    "It is late now.",
]
REFERENCES = [
    "The cat sat on a mat.",
    ["It rained all night.", "It rained."],
    "A dog ran.",
    "Late!",
]
TOKENS = [[text.split()] for text in HYPOTHESES]
IDS = [np.array([row, 5, 6, 7, 8]) for row in range(4)]
MISSING = [None, float("nan"), np.float32("nan")]
METRICS = [
    BLEU(effective_order=True),
    BLEU(tokenize=str.split, threads=2),
    BLEU(tokenize=False),
    BLEU(tokenize=False, stop_ids=9),
]
INPUTS = [
    *[(HYPOTHESES, REFERENCES, "")] * 2,
    ([tokens for (tokens,) in TOKENS], TOKENS, []),
    (IDS, [[ids, ids[1:]] for ids in IDS], []),
]
CASES = list(zip(METRICS, INPUTS, strict=True))


def with_holes(values, value, *segments):
    return [value if i in segments else entry for i, entry in enumerate(values)]


def without(values, *segments):
    return [entry for i, entry in enumerate(values) if i not in segments]


@pytest.mark.parametrize(("metric", "corpus"), CASES)
def test_missing_values_are_named(metric, corpus):
    hypotheses, references, _ = corpus
    for value, segment in itertools.product(MISSING, (0, 2)):
        several = [references[1][0], value]
        for holes, where in (
            ((with_holes(hypotheses, value, segment), references), "the hypothesis"),
            ((hypotheses, with_holes(references, value, segment)), "the reference|references"),
            ((hypotheses, with_holes(references, several, segment)), r"references\[1\]"),
        ):
            words = rf"segment {segment}: ({where}).* is missing \((None|NaN)\)"
            refused(metric, TypeError, words, *holes)


@pytest.mark.parametrize(("metric", "corpus"), CASES)
@pytest.mark.filterwarnings("ignore:.*hypotheses have fewer than")
def test_missing_values_are_replaced_or_left_out(metric, corpus):
    hypotheses, references, empty = corpus

    def with_all_holes(value, value_in_list, alone):
        """A hypothesis, a reference in a list, and all references of a segment are missing."""
        sides = with_holes(hypotheses, value, 0), [*references]
        sides[1][2], sides[1][3] = [references[1][0], value_in_list], alone
        return sides

    filled = with_all_holes(empty, empty, [empty])
    rest = without(hypotheses, 0, 2, 3), without(references, 0, 2, 3)
    for value in MISSING:
        holes = with_all_holes(value, value, value)
        stream = BLEU(**metric.get_params())
        for method in ("score", "count", "sentence_scores", "update"):
            found = getattr(stream, method)(*holes, missing="empty")
            np.testing.assert_equal(found, getattr(metric, method)(*filled))
        assert stream.compute() == metric.score(*filled)
        stream.reset()
        for method in ("score", "count", "sentence_scores", "update"):
            expected = getattr(metric, method)(*rest)
            if method == "sentence_scores":
                expected = np.array([np.nan, *expected, np.nan, np.nan])
            with pytest.warns(InputWarning, match=r"left out 3 of 4 .* the first is segment 0"):
                found = getattr(stream, method)(*holes, missing="skip")
            np.testing.assert_equal(found, expected)
        assert stream.compute() == metric.score(*rest)
    metric.reset()


@pytest.mark.parametrize(
    ("metric", "options"),
    [
        *((metric, {}) for metric in METRICS),
        (("sacrebleu", "auto"), {}),
        (("lm-eval", False), {}),
        (BLEU(threads=2), {"progress": True}),
        (BLEU(), {"tokenizers": ["13a", "zh", "char", "13a"]}),
    ],
)
def test_segments_after_missing_ones_have_their_own_numbers(metric, options, capsys):
    metric = BLEU(metric[0], tokenize=metric[1]) if isinstance(metric, tuple) else metric
    hypotheses, references, _ = INPUTS[0 if metric.tokenize else 3 if metric.stop_ids else 2]
    for wrong, side, part in (
        ((with_holes(hypotheses, 1.5, 2), references), "hypothesis", "the hypothesis"),
        ((hypotheses, with_holes(references, [references[2], 1.5], 2)), "reference", "references"),
    ):
        holes = with_holes(wrong[0], None, 0), wrong[1]
        with pytest.raises(TypeError, match=f"^segment 2: {part}") as caught:
            metric.score(*holes, missing="skip", **options)
        assert (caught.value.segment, caught.value.side) == (2, side)


@pytest.mark.filterwarnings("ignore:left out 1 of 3 segments")
def test_segments_without_a_score_have_their_own_numbers():
    sides = [None, "a b c d", ""], ["a b c d"] * 3
    for name, method in (("tf-nmt", "sentence_scores"), ("codesum-codenn", "score")):
        with pytest.raises(ValueError, match=r"^segment 2: ") as caught:
            getattr(BLEU(name), method)(*sides, missing="skip")
        assert caught.value.segment == 2


def test_other_values_and_what_is_left_of_nothing_are_refused():
    for how in ("error", "empty", "skip"):
        with pytest.raises(TypeError, match="segment 1: the hypothesis is an int, expected a str"):
            BLEU().score(["a", 5], ["a", "b"], missing=how)
        mask = [np.ones(5, bool)] * 2
        with pytest.raises(TypeError, match="the hypothesis is missing"):
            BLEU(tokenize=False).score([IDS[0], None], IDS[:2], hypothesis_mask=mask, missing=how)
        tokens = [[None, 1.5, "a", "b"]]
        assert BLEU(tokenize=False).score(tokens, [tokens]).bp == 1
    for how in ("drop", np.array(["skip", "empty"])):
        words = r"missing ('drop'|array\(.*) is unknown; choose one of error, empty, skip"
        raises(ValueError, words, BLEU().score, HYPOTHESES, REFERENCES, missing=how)
    with (
        pytest.warns(InputWarning, match="left out 1 of 1"),
        pytest.raises(ValueError, match="no segments to score: all 1 were left out"),
    ):
        BLEU().score([None], ["a"], missing="skip")


def test_progress_is_shown_on_request(capsys):
    texts, ids = ["The cat sat on a mat."] * 1200, np.tile(np.arange(50), (1200, 1))
    for metric, values in ((BLEU(), texts), (BLEU(tokenize=False), ids), (BLEU(threads=2), texts)):
        for method in (metric.score, metric.sentence_scores, metric.count, metric.update):
            method(values, values)
            assert capsys.readouterr().err == ""
            method(values, values, progress=True)
            assert "1.20k/1.20k" in capsys.readouterr().err


def test_missing_values_of_iterators():
    text = "The cat sat on a mat."
    for missing, rest in (("empty", ["", text]), ("ragged", [text])):
        metric, others = BLEU(reference_length="shortest"), iter([None, text])
        expected = metric.score([text], [rest], missing="empty")
        assert metric.score([text], [others], missing=missing) == expected
    with pytest.warns(InputWarning, match="left out 1 of 2 segments"):
        score = BLEU().score([text] * 2, [text, iter([None])], missing="skip")
    assert score == BLEU().score([text], [text])


def test_a_missing_time_of_pandas():
    text, missing = "The cat sat on a mat.", pytest.importorskip("pandas").NaT
    words = r"segment 1: the hypothesis is missing \(NaT\)"
    raises(TypeError, words, BLEU().score, [text, missing], [text, text])
    with pytest.warns(InputWarning, match="left out 1 of 2 segments"):
        score = BLEU().score([text, missing], [text, text], missing="skip")
    assert score == BLEU().score([text], [text])
