"""Input that is probably a mistake: `score` warns about it.

What a warning advises is taken literally, and is not refused.
"""

import re

import numpy
import pytest
import sacrebleu
from generators import messages, raises
from mistaken_texts import BLANK, DROPPED, HYPOTHESES, INPUTS, REFERENCES

import fastbleu
from fastbleu import BLEU, InputWarning, dialects

# ---- blank references


def test_blank_references_count_as_in_sacrebleu_and_cause_one_warning():
    score, (message,) = messages(BLEU().score, HYPOTHESES, REFERENCES)
    streams = list(zip(*REFERENCES, strict=True))
    assert score.value == sacrebleu.corpus_bleu(HYPOTHESES, streams).score
    assert re.search(BLANK, message)
    assert messages(BLEU().score, HYPOTHESES, REFERENCES, missing="empty") == (score, [])
    metric = BLEU()
    for part in (slice(1), slice(1, 4)):
        metric.update(HYPOTHESES[part], REFERENCES[part])
    total, found = messages(metric.compute)
    assert (total, found) == (score, [message])
    assert re.search(BLANK, messages(BLEU().sentence_scores, HYPOTHESES, REFERENCES)[1][0])
    assert messages(BLEU(threads=2).score, HYPOTHESES * 999, REFERENCES * 999)[1] == [
        message.replace(" 5,", " 4,995,")
    ]


def nested(change, texts):
    """The same lists with other texts in them."""
    return [nested(change, text) if isinstance(text, list) else change(text) for text in texts]


def ids(text):
    return [len(word) for word in text.split()]


@pytest.mark.parametrize(
    ("change", "options"),
    [
        (str, {}),
        (str, {"dialect": "multi-bleu"}),
        (lambda text: text or None, {}),
        (str.split, {"tokenize": False}),
        (ids, {"tokenize": False}),
    ],
    ids=["texts", "a dialect", "None", "tokens", "ids"],
)
def test_references_without_the_blank_ones(change, options):
    sides = nested(change, HYPOTHESES), nested(change, REFERENCES)
    dropped = nested(lambda text: change(text or " "), DROPPED)
    check_ragged(BLEU(**options), *sides, BLEU(**options).score(sides[0], dropped))


def test_columns_without_the_blank_references():
    array, expected = pytest.importorskip("pyarrow").array, BLEU().score(HYPOTHESES, DROPPED)
    columns = [array([text or None for text in k]) for k in zip(*REFERENCES, strict=True)]
    for references in (columns, array(REFERENCES)):
        check_ragged(BLEU(), array(HYPOTHESES), references, expected)


def check_ragged(metric, hypotheses, references, expected):
    assert messages(metric.score, hypotheses, references, missing="ragged") == (expected, [])
    assert "nrefs:var" in expected.signature
    metric.update(hypotheses, references, missing="ragged")
    assert metric.compute() == expected


@pytest.mark.parametrize(
    ("tokenize", "hypothesis", "references"),
    [("13a", "a b", [1, ""]), (False, ["a"], [1, 2]), (False, ["a"], [["a"], numpy.array(3)])],
)
def test_wrong_references_are_named_among_blank_ones(tokenize, hypothesis, references):
    with pytest.raises(TypeError, match=r"segment 0: references\[\d\]"):
        BLEU(tokenize=tokenize).score([hypothesis], [references], missing="ragged")


def test_only_references_may_be_missing():
    for hypotheses in (["a", None], pytest.importorskip("pyarrow").array(["a", None])):
        with pytest.raises(TypeError, match="segment 1: the hypothesis is missing"):
            BLEU().score(hypotheses, [["a", "b"], ["c", ""]], missing="ragged")
    with pytest.raises(ValueError, match="segment 1: no references"):
        BLEU().score(["a", "b"], [["a"], []], missing="ragged")


def test_few_segments_may_be_equal_or_unrelated():
    texts = [f"{n} is the number of this text" for n in range(19)]
    assert messages(BLEU().score, texts, texts)[1] == []
    unrelated = [f"the cat sat on mat number {n}" for n in range(40)]
    others = [f"in all of these years {n} it has rained" for n in range(40)]
    assert messages(BLEU().score, unrelated, others)[1] == []


def test_many_segments_that_are_equal_or_unrelated_cause_one_warning():
    metric, labels = BLEU(), ["not at all"] * 40  # as of a classifier
    [message] = messages(metric.score, labels, labels)[1]
    assert "no hypothesis has 4 tokens" in message
    texts = [f"this is line {n} of the file" for n in range(40)]
    [message] = messages(metric.score, texts, texts)[1]
    assert message == "all 40 hypotheses equal their references: is a side given twice?"
    for sides in ([texts, [" "] * 40], [[" "] * 40, texts]):
        blank = "hypotheses" if sides[0][0] == " " else "references"
        messages_of_blank = messages(BLEU().score, *sides)[1]
        assert f"all 40 {blank} are blank: they have no tokens" in messages_of_blank


def test_segments_that_are_shifted_cause_one_warning():
    pytest.importorskip("fastbleu.diagnosis")
    metric, texts = BLEU(), [f"a{n} b{n} c{n} d{n} e{n}" for n in range(200)]
    found = [messages(metric.update, texts[n:] + texts[:n], texts)[1] for n in (1, 1, 2, 1)]
    assert [*map(len, found)] == [1, 0, 0, 0]
    [message] = messages(BLEU().score, [*texts[:30], *texts[31:], ""], texts)[1]  # few, and poor
    assert "from segment 30 on hypothesis i fits reference i+1" in message
    words = [f"{n} a{n}".split() for n in range(1, 41)], [[[f"a{n}", str(n)]] for n in range(40)]
    [message] = messages(BLEU(tokenize=False, max_ngram_order=2).score, *words)[1]
    assert "hypothesis i fits reference i+1" in message


def test_sources_for_hypotheses_are_seen_if_they_are_single_tokens():
    pytest.importorskip("fastbleu.diagnosis")
    text = "政府今天宣布了支持小企业的新措施，据新华社报道，这些措施将从下个月{}日开始实施。"
    chinese = [text.format(n) for n in range(30)]
    english = [f"The number {n} bus leaves from platform {n * 7 % 13}." for n in range(30)]
    assert (
        "are in CJK letters, their references in LATIN"
        in messages(BLEU().score, chinese, english)[1][0]
    )


def test_references_in_columns_of_lists_are_paired_with_their_hypotheses():
    pyarrow = pytest.importorskip("pyarrow")
    pytest.importorskip("fastbleu.diagnosis")
    texts = [f"a{n} b{n} c{n} d{n} e{n}" for n in range(600)]
    references = [[text, f"{text} and more"] for text in texts]
    columns = pyarrow.array([f"{text} <pad>" for text in texts]), pyarrow.array(references)
    [message] = messages(BLEU().score, *columns)[1]
    assert message.startswith("in the first 64 segments, 64 of the hypotheses have tags")
    assert messages(BLEU().score, pyarrow.array(texts), pyarrow.array([*references[1:], ["x"]]))[1]


def test_references_that_can_be_read_once_are_not_examined():
    texts = [f"a{n} b{n} c{n} d{n} e{n}" for n in range(600)]
    for hypotheses in (["x", *texts[:-1]], [f"{text} <pad>" for text in texts]):
        expected = messages(BLEU().score, hypotheses, texts)[0]
        found = messages(BLEU().score, hypotheses, [iter([text]) for text in texts])
        assert found == (expected, [])


def test_functions_of_queries_do_not_warn_of_a_batch():
    pyarrow = pytest.importorskip("pyarrow")
    compute = pytest.importorskip("pyarrow.compute")
    pytest.importorskip("fastbleu.integrations.arrow").register(name="quiet")
    columns = [pyarrow.array([text] * 40) for text in ("a b c d", "['a', 'b', 'c', 'd']")]
    assert messages(compute.call_function, "quiet_sentence", columns)[1] == []


# ---- advice


DIALECTS = dialects.names(recipes=True)


def score_or_none(function, *arguments, **options):
    """The score and the warnings; None if the original has no score for such texts."""
    try:
        return messages(function, *arguments, **options)
    except (ValueError, ImportError):
        return None, []


def follow(metric, message, hypotheses, references):
    """The advice of a warning is accepted, and removes the warning."""
    message_of_text = message.partition("for Chinese")[0]
    for tokenizer in re.findall(r'BLEU\(tokenize="([\w-]+)"\)', message_of_text):
        try:
            other = BLEU(tokenize=tokenizer)
        except ImportError:  # of a library that is not installed, and how to install it
            continue
        further = messages(other.score, hypotheses, references)[1]
        assert not re.search('ends in " ."|without spaces', " ".join(further))
    for choice in re.findall(r'missing="([\w-]+)"', message):
        further = messages(metric.score, hypotheses, references, missing=choice)[1]
        assert message not in further
    if "effective_order=True" in message:
        BLEU(dialect=metric.dialect, effective_order=True).score(hypotheses, references)


@pytest.mark.parametrize("name", DIALECTS)
def test_advice_can_be_followed(name):
    try:
        metric = BLEU(dialect=name)
    except (ImportError, FileNotFoundError) as error:
        pytest.skip(str(error))
    for kind, made in INPUTS.items():
        hypotheses, references = made if isinstance(made, tuple) else (made, made)
        if kind == "tokenized":
            references = [text.replace("mat", "rug") for text in references]
        found = score_or_none(metric.score, hypotheses, references)[1]
        for message in found:
            follow(metric, message, hypotheses, references)
        if kind == "tokenized":
            is_warned = any('end in " ."' in message for message in found)
            of_tokens = metric._scorer.dialect.of_tokenized_text
            assert is_warned <= (metric.tokenize.needs_plain_text and not of_tokens)


# ---- padding that is counted


def padded(padding, rows=8):
    return [[row, 2, 3, 4, padding, padding] for row in range(rows)]


def references_of(hypotheses):
    return [[hypothesis] for hypothesis in hypotheses]


RUN, LABELS = r"end in a run of the id 7.*\(7,\)", r"-100.*ignore_ids=\(-100,\)"
LEFT = r"most rows of \w+( ids)? begin with a run of the id 7.*ignore_ids=\(7,\)"


@pytest.mark.parametrize("form", [list, tuple, numpy.array])
@pytest.mark.parametrize(
    ("options", "padding", "step", "words"),
    [
        *(
            ({}, 7, 1, RUN),
            ({"ignore_ids": (-100,)}, 7, 1, RUN),
            ({"stop_ids": 50}, -100, 1, LABELS),
        ),
        *(
            ({}, 7, -1, LEFT),
            ({"ignore_ids": (-100,)}, 7, -1, LEFT),
            ({"stop_ids": 50}, 7, -1, LEFT),
        ),
    ],
)
def test_padding_that_counts_causes_one_warning(form, options, padding, step, words):
    for count in range(1, 9):
        rows = [form([*row, padding, padding][::step]) for row in padded(padding, count)]
        for pair in ((rows, references_of(rows)), (numpy.array(rows), numpy.array(rows))):
            for method in ("score", "update", "count", "sentence_scores", "prefix_scores"):
                found = messages(getattr(BLEU(tokenize=False, **options), method), *pair)[1]
                assert [bool(re.search(words, message)) for message in found] == [True], found


@pytest.mark.parametrize("rows", [[[*"abcd", 7, 7]] * 8, [[1, *[7] * 6]] * 3], ids=["words", "few"])
def test_lists_that_are_padded_in_every_batch_cause_one_warning(rows):
    metric = BLEU(tokenize=False)
    found = [messages(metric.update, rows, references_of(rows))[1] for _ in range(3)]
    assert [bool(re.search(RUN, "".join(batch))) for batch in found] == [True, False, False]


def test_padding_of_one_side_is_named():
    with pytest.warns(InputWarning, match="hypotheses end in a run of the id 7"):
        fastbleu.matrix.pairwise(padded(7), [[1, 2, 3, 4]], metric=BLEU(tokenize=False))
    left = [row[::-1] for row in padded(7)]
    with pytest.warns(InputWarning, match="hypotheses begin with a run of the id 7"):
        fastbleu.matrix.pairwise(left, [[1, 2, 3, 4]], metric=BLEU(tokenize=False))
    with pytest.warns(InputWarning, match="reference ids end in a run"):
        BLEU(tokenize=False).update(numpy.array(padded(7))[:, :4], numpy.array(padded(7)))


@pytest.mark.parametrize("rows", [1, 3, 4])
def test_ids_that_are_all_ignored_and_logits(rows):
    ids = numpy.full((rows, 5), 2)
    score, found = messages(BLEU(tokenize=False, stop_ids=2).score, ids, ids)
    assert score.value == 0
    words = ["every hypothesis is empty after", "every reference is empty after"]
    assert [word in message for word, message in zip(words, found, strict=True)] == [True] * 2
    of_one = ids.copy()
    of_one[-1, 0] = 3
    for column, word in enumerate(words):  # of a single side only in four rows or more
        sides = [numpy.arange(3, 8) + numpy.arange(rows)[:, None]] * 2
        for some, warned in ((ids, rows == 4), (of_one, False), (ids[:, :0], False)):
            sides[column] = some
            found = messages(BLEU(tokenize=False, stop_ids=2).count, *sides)[1]
            assert [word in message for message in found] == [True] * warned
    logits = numpy.full((rows, 5, 30), 0.5)
    for values in (logits, [*logits], logits.tolist()):
        raises(TypeError, r"logits into ids by .*argmax\(", BLEU(tokenize=False).score, values, ids)


def test_padding_of_labels_in_later_blocks_of_a_column_causes_one_warning():
    pyarrow = pytest.importorskip("pyarrow")
    rows, references = [[5, 6]] * 140_000, pyarrow.array([[5, 7]] * 140_000)
    rows[70_000] = rows[-1] = [5, -100]
    metric = BLEU(tokenize=False, max_ngram_order=2)
    [message] = messages(metric.score, pyarrow.array(rows), references)[1]
    assert "-100" in message


def test_later_batches_are_examined_if_they_look_unusual():
    ids, labels = numpy.arange(3, 27).reshape(4, 6), numpy.full((4, 6), -100)
    metric = BLEU(tokenize=False, stop_ids=2)
    for hypotheses, words in (ids, []), (labels, ["-100"]), (ids * 0 + 2, ["every hypothesis"]):
        found = messages(metric.update, hypotheses, ids)[1]
        assert [word in message for word, message in zip(words, found, strict=True)] == [
            True
        ] * len(words)
    metric = BLEU()
    metric.update([], [])  # says nothing about later ones
    with pytest.warns(InputWarning, match="printed as text"):
        metric.update(["a b"], ["['a', 'b']"])


@pytest.mark.filterwarnings("error")
def test_other_ids_are_not_padding():
    bangs = [[1, 7, 7, 7, 7, 2, 7, 7, 7, 7]] * 3
    for few in (padded(7, 1), padded(7, 3), bangs, [[7] * 9]):  # may be by chance
        BLEU(tokenize=False).score(few, references_of(few))
        BLEU(tokenize=False).score(numpy.array(few), numpy.array(few))
    for hypotheses in (
        padded(0, rows=3),
        [[*range(row + 2), 0, 0] for row in range(8)],  # of different lengths
        [[1, 2, 3, row] for row in range(8)],
        [[True, True] for _ in range(8)],
        [["a", 0] for _ in range(8)],
        [[0] for _ in range(8)],
    ):
        BLEU(tokenize=False, max_ngram_order=1).score(
            [*hypotheses, [1]], references_of([*hypotheses, [1]])
        )
    ids, labels = numpy.array(padded(7)), numpy.array(padded(-100))
    for options in ({"ignore_ids": (7,)}, {"skip_ids": (7,)}, {"stop_ids": 7}):
        BLEU(tokenize=False, **options).update(ids, ids)
    for options in ({"ignore_ids": (-100,)}, {"stop_ids": 4, "max_ngram_order": 3}):
        BLEU(tokenize=False, **options).score(labels, labels)
    for array in (ids, labels):
        mask = array == numpy.clip(array, 0, 6)
        BLEU(tokenize=False, max_ngram_order=3).update(
            array, array, hypothesis_mask=mask, reference_mask=mask
        )
    BLEU(tokenize=False).update(ids[:, :5], ids[:, :5])
    ids[:5, -1] = 8
    BLEU(tokenize=False).update(ids, ids)
    left = numpy.array(padded(7))[:, ::-1].copy()
    for options in ({"ignore_ids": (7,)}, {"skip_ids": (7,), "stop_ids": 50}):
        BLEU(tokenize=False, **options).update(left, left)
