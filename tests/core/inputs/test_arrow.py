"""Columns with the Arrow interface: every layout, release callbacks, nulls, damage, other types."""

import errno
import functools
import gc

import arrow_producer
import numpy as np
import pytest
from arrow_producer import (
    Array,
    Column,
    Stream,
    dictionary_array,
    id_array,
    list_array,
    packed,
    text_array,
)
from generators import messages, raises, seeded
from random_texts import random_line

import fastbleu
from fastbleu import BLEU, InputWarning

HYPOTHESES = [
    "The cat sat on the mat.",
    "",
    "Ein Hügel, über dem Tal",
    "Это всё .",
    "漢字 😀 x",
    "a",
]
REFERENCES = [
    "The cat sat on a mat.",
    "x",
    "Ein Hügel unter dem Tal",
    "Это не всё .",
    "漢字 😀",
    "a",
]
SEVERAL = [
    [one, *others] for one, others in zip(REFERENCES, [["b"], [], ["", "c d"]] * 2, strict=True)
]
IDS = [[5, 6, 7, 8], [1], [], [3, 4, 5, 6, 7]]


@pytest.fixture(autouse=True)
def everything_is_released_once():
    arrow_producer.EXPORTED.clear()
    arrow_producer.WRONG.clear()
    yield
    if arrow_producer.EXPORTED:  # an exception's frames may have them
        gc.collect()
    assert not arrow_producer.WRONG
    assert not arrow_producer.EXPORTED, "not released"


def flat(lists):
    return [element for part in lists for element in part or ()]


def texts_in_a_struct(values):
    return Array("+s", len(values), [None], [text_array(["left out", *values])], offset=1)


StringDType = getattr(getattr(np, "dtypes", None), "StringDType", None)


def strings(values, missing=None):
    texts = [missing if text is None else text for text in values]
    return np.array(texts, StringDType(na_object=missing))


def layouts(values):
    """Columns that hold the same texts, and numpy arrays that are read in the same way."""
    if StringDType is not None:
        yield strings(values)
    yield np.array(values, object)
    for format in ("u", "U", "vu"):
        yield Column(text_array(values, format))
        yield Column(text_array(values, format, skip=3))
    for code in "bBhiq":
        yield Column(dictionary_array(values, code))
    yield Column(dictionary_array(values, format="vu"))
    yield Column(texts_in_a_struct(values))
    pieces = [values[:2], [], values[2:3], values[3:]]
    yield Stream(text_array([]), [text_array(piece, skip=k) for k, piece in enumerate(pieces)])
    yield Stream(text_array([], "vu"), [text_array([value], "vu") for value in values])


def test_every_layout_gives_the_rows_of_lists():
    for metric in (BLEU(), BLEU(tokenize=str.split, lowercase=True)):
        expected = metric.count(HYPOTHESES, REFERENCES)
        for ours, theirs in zip(layouts(HYPOTHESES), [*layouts(REFERENCES)][::-1], strict=True):
            assert metric.count(ours, theirs) == expected
        for column in layouts(HYPOTHESES):
            assert metric.count(column, REFERENCES) == expected
        for column in layouts(REFERENCES):
            assert metric.count(HYPOTHESES, column) == expected


def test_updates_and_pairs_take_columns():
    metric, columns = BLEU(), (Column(text_array(HYPOTHESES)), Column(text_array(REFERENCES)))
    metric.update(*columns)
    metric.update(*columns, progress=True)
    assert metric.compute() == metric.score(HYPOTHESES * 2, REFERENCES * 2)
    pairwise, index_of = fastbleu.matrix.pairwise, fastbleu.matrix.ReferenceIndex
    assert (pairwise(*columns) == pairwise(HYPOTHESES, REFERENCES)).all()
    assert index_of(columns[1]).count(columns[0]) == index_of(REFERENCES).count(HYPOTHESES)


def test_several_references():
    expected = BLEU().count(HYPOTHESES, SEVERAL)
    ours, texts = Column(text_array(HYPOTHESES)), flat(SEVERAL)
    for format in ("+l", "+L"):
        for child in (text_array(texts), text_array(texts, "vu", skip=2), dictionary_array(texts)):
            for skip in (0, 2):
                lists = Column(list_array(SEVERAL, child, format, skip))
                assert BLEU().count(ours, lists) == expected
    pairs = [its[:1] * 2 for its in SEVERAL]
    fixed = Column(list_array(pairs, text_array(flat(pairs)), "+w:2"))
    side_by_side = [Column(text_array(column)) for column in zip(*pairs, strict=True)]
    for references in (fixed, side_by_side):
        assert BLEU().count(ours, references) == BLEU().count(HYPOTHESES, pairs)


def test_lists_of_tokens():
    words, its = [text.split() for text in HYPOTHESES], [[text.split()] * 2 for text in REFERENCES]
    ours = Column(list_array(words, text_array(flat(words))))
    inner = list_array(flat(its), text_array(flat(flat(its))))
    found = BLEU(tokenize=False).count(ours, Column(list_array(its, inner)))
    assert found == BLEU(tokenize=False).count(words, its)


@pytest.mark.parametrize("code", "bhiqBHIQ")
def test_lists_of_ids(code):
    metric = BLEU(tokenize=False, ignore_ids=(7,), max_ngram_order=2)
    arrays = [np.array(ids, int) for ids in IDS]
    expected = metric.count(arrays, arrays[::-1])
    ours = list_array(IDS, id_array(flat(IDS), code))
    theirs = list_array(IDS[::-1], id_array(flat(IDS[::-1]), code), "+L", skip=1)
    nested = [[ids] for ids in IDS[::-1]]
    lists = list_array(nested, list_array(flat(nested), id_array(flat(flat(nested)), code)))
    for references in (theirs, lists):
        assert metric.count(Column(ours), Column(references)) == expected
    fixed = Column(list_array([[1, 2, 3]] * 4, id_array([1, 2, 3] * 4, code), "+w:3"))
    for masks in ({}, {"hypothesis_mask": np.ones((4, 3), bool)}):
        assert metric.score(fixed, fixed, **masks).precisions == (1.0, 1.0)


def test_random_corpora_in_random_pieces():
    rng = seeded("columns in pieces")
    for _ in range(30):
        sides = [
            [random_line(rng, 9).replace("\ud800", "") for _ in range(rng.randint(0, 40))] * 2
            for _ in range(2)
        ]
        size = min(map(len, sides))
        hypotheses, references = (side[:size] for side in sides)
        streams = []
        for side in (hypotheses, references):
            cuts = sorted(rng.choices(range(size + 1), k=rng.randint(0, 9)))
            pieces = [side[a:b] for a, b in zip([0, *cuts], [*cuts, size], strict=True)]
            format = rng.choice(("u", "U", "vu"))
            arrays = [text_array(piece, format, rng.randint(0, 3)) for piece in pieces]
            streams.append(Stream(text_array([], format), arrays))
        metric = BLEU(threads=rng.choice((1, 3)), lowercase=rng.random() < 0.5)
        assert metric.count(*streams) == metric.count(hypotheses, references)


@pytest.mark.parametrize(
    "make",
    [
        *[strings, functools.partial(strings, missing=float("nan"))] * (StringDType is not None),
        *(functools.partial(text_array, skip=skip) for skip in (0, 13)),
        functools.partial(text_array, format="vu", skip=5),
        dictionary_array,
        texts_in_a_struct,
    ],
)
def test_nulls_are_named_left_out_or_replaced(make):
    def column_of(values):
        made = make(values)
        return Column(made) if isinstance(made, Array) else made

    holed = [*HYPOTHESES[:2], None, *HYPOTHESES[3:]]
    ours, theirs, score = column_of(holed), column_of(REFERENCES), BLEU().score
    raises(TypeError, 'segment 2: the hypothesis is missing.*missing="skip"', score, ours, theirs)
    raises(TypeError, r"segment 2: references\[1\] is missing", score, theirs, [theirs, ours])
    for choice in ("skip", "empty"):
        for columns, lists in (
            ((ours, theirs), (holed, REFERENCES)),
            ((theirs, ours), (REFERENCES, holed)),
            ((ours, holed), (holed, holed)),
        ):
            expected = messages(BLEU().count, *lists, missing=choice)
            assert messages(BLEU().count, *columns, missing=choice) == expected


@pytest.mark.parametrize("skip", [0, 13])
def test_nulls_in_lists(skip):
    several = [["a", None], None, ["b"]]
    column = Column(list_array(several, text_array(flat(several), skip=skip), skip=skip))
    texts = Column(text_array(["a", "b", "b"]))
    raises(TypeError, r"segment 0: references\[1\] is missing", BLEU().score, texts, column)
    metric, filled = BLEU(max_ngram_order=1), [["a", ""], [""], ["b"]]
    assert metric.count(texts, column, missing="empty") == metric.count(["a", "b", "b"], filled)
    with pytest.warns(InputWarning, match=r"left out 2 of 3"):
        found = metric.count(texts, column, missing="skip")
    assert found == metric.count(["b"], ["b"])
    ids = Column(list_array([[1], None], id_array([1]), skip=skip))
    raises(TypeError, r"segment 1: the hypothesis is missing", BLEU(tokenize=False).count, ids, ids)
    texts, holed = text_array(["a", "b"]), list_array([["a"], []], text_array(["a"]))
    raises(ValueError, "segment 1: no references", BLEU().score, Column(texts), Column(holed))


def test_columns_without_texts_have_no_rows():
    for empty in (Column(text_array([])), Column(list_array([], text_array([])))):
        assert BLEU().count(Column(text_array([])), empty) == fastbleu.Stats([], max_ngram_order=4)


@pytest.mark.parametrize("array", [text_array, id_array])
@pytest.mark.parametrize("choice", ["skip", "empty"])
def test_a_column_of_tokens_with_nulls_goes_with_a_list(array, choice):
    metric = BLEU(tokenize=False, max_ngram_order=1)
    values = [["a"], None, ["b"]] if array is text_array else [[1], None, [2]]
    column, several = Column(list_array(values, array(flat(values)))), [[v] for v in values]
    filled, references = [v or values[0] for v in values], [[v or values[0]] for v in values]
    nested = Column(list_array(several, list_array(values, array(flat(values)))))
    for ours, listed in (
        ((column, references), (values, references)),
        ((filled, nested), (filled, several)),
    ):
        counts = []
        for sides in (ours, listed):
            counted, said = messages(metric.count, *sides, missing=choice)
            counts.append(counted)
            assert any("left out 1 of 3" in message for message in said) == (choice == "skip")
        assert counts[0] == counts[1]
        assert len(counts[0]) == (2 if choice == "skip" else 3)


def test_errors_name_the_rows():
    texts, one = Column(text_array(["a", "b"])), Column(text_array(["a"]))
    stream = Stream(text_array([]), [text_array([text]) for text in "abc"])
    damaged = Column(text_array([b"good", b"caf\xe9 au lait"]))
    for sides, words in (
        ((texts, one), "references has 1 segment, hypotheses has 2"),
        ((stream, texts), "references has 2 segments, hypotheses has 3"),
        ((texts, [texts, one]), r"references\[1\] has 1 row, references\[0\] has 2"),
        ((damaged, texts), "segment 1: the hypothesis is not UTF-8: byte 3 is 0xe9"),
        ((texts, damaged), r"segment 1: references\[0\] is not UTF-8: byte 3"),
    ):
        for metric in (BLEU(), BLEU(lowercase=True), BLEU(tokenize=str.split)):
            raises(ValueError, words, metric.score, *sides)
        raises(ValueError, words, metric.update, *sides)
        assert metric.state.tolist() == [0] * 10


def test_errors_in_later_parts_of_a_stream_name_the_sentence():
    parts = Stream(text_array([]), [text_array(["a", "b"]), text_array(["c", b"caf\xe9 au"])])
    raises(ValueError, r"sentences\[3\] is not UTF-8", fastbleu.matrix.self_bleu, parts)


def test_errors_of_a_stream():
    texts = Column(text_array(["a", "b"]))
    failing = Stream(text_array([]), [text_array(["a"]), errno.EIO])
    with pytest.raises(OSError, match=r"the Arrow stream of hypotheses failed.*the disk is gone"):
        BLEU().score(failing, texts)
    with pytest.raises(MemoryError):
        BLEU().score(Stream(text_array([]), [errno.ENOMEM]), texts)


TYPES = {
    "int32, which cannot be scored; token ids are": id_array([1]),
    "double, which cannot be scored; cast": Array("g", 1, [None, bytes(8)]),
    "binary, which cannot be scored; cast": Array("z", 1, [None, bytes(8), b""]),
    "null, which cannot be scored": Array("n", 1),
    "list of double": list_array([[1]], Array("g", 1, [None, bytes(8)])),
    r"struct of 2 columns \(x, y\).*pass one of them": Array(
        "+s", 1, [None], [Array("u", 1, [None, bytes(8), b""], name=name) for name in "xy"]
    ),
    "run_end_encoded": Array("+r", 1, [], [id_array([1]), text_array(["a"])]),
    "dictionary of double": Array(
        "i", 1, [None, bytes(4)], dictionary=Array("g", 1, [None, bytes(8)])
    ),
    "lists of strings, expected one string": list_array([["a"]], text_array(["a"])),
    "lists of integers, expected strings; for token ids": list_array([[1]], id_array([1])),
}


@pytest.mark.parametrize("message", TYPES)
def test_other_types_are_refused(message):
    raises(TypeError, message, BLEU().score, Column(TYPES[message]), ["a"])


def test_texts_and_ids_that_the_tokenizer_cannot_take():
    texts, ids = Column(text_array(["a"])), Column(list_array([[1]], id_array([1])))
    words = Column(list_array([[["a"]]], list_array([["a"]], text_array(["a"]))))
    score = BLEU(tokenize=False).score
    raises(TypeError, 'hypotheses is a column of strings.*tokenize="13a"', score, texts, texts)
    raises(TypeError, "hypotheses holds lists of integers and references holds", score, ids, words)


def text(offsets, data=b"abc", length=2, format="u", **more):
    buffers = [None, None if offsets is None else packed(offsets, "i"), data]
    return Array(format, length, buffers, **more)


DAMAGED = {
    "offsets run backwards": text([0, 3, 1]),
    "offsets run backwards or": text([0, -1, 1]),
    "backwards or beyond": Array(
        "u", 2, [b"\x01", packed([0, 9, 1], "i"), b"abc"]
    ),  # before a null
    "or beyond the data": Array(
        "i", 2, [None, packed([0, 0], "i")], dictionary=text([0, 9, 1], data=b"abc")
    ),
    "do not fit": text(None),
    "children or buffers": text([0, 1, 2], None),
    "lengths, children": text([0, 1, 2], length=-1),
    "buffers do not fit": Array("u", 2, [None, packed([0, 1, 2], "i")]),
    "fit its type": text([0, 1, 2], offset=-1),
    "beyond the dictionary": Array(
        "i", 2, [None, packed([0, 5], "i")], dictionary=text_array(["a", "b"])
    ),
    "an index lies beyond": Array(
        "i", 2, [None, packed([0, -1], "i")], dictionary=text_array(["a", "b"])
    ),
    "a string view lies beyond its": Array(
        "vu", 2, [None, packed([13, 0, 0, 0] * 2, "i"), b"x" * 12, packed([12], "q")]
    ),
    "string view lies beyond": Array(
        "vu", 2, [None, packed([13, 0, 7, 0] * 2, "i"), b"x" * 13, packed([13], "q")]
    ),
    "a string view": Array("vu", 2, [None, packed([-1, 0, 0, 0] * 2, "i"), packed([0], "q")]),
}


@pytest.mark.parametrize("message", DAMAGED)
def test_damaged_arrays_are_refused(message):
    texts = Column(text_array(["a", "b"]))
    words = f"the Arrow array of hypotheses cannot be read.*{message}"
    raises(ValueError, words, BLEU().score, Column(DAMAGED[message]), texts)


@pytest.mark.parametrize("offsets", [[0, 3, 1], [0, 1, 9], [-1, 1, 2]])
def test_damaged_lists_are_refused(offsets):
    buffers = [None, packed(offsets, "i")]
    lists = Column(Array("+l", 2, buffers, [text_array(["a"] * 4)]))
    ids = Column(Array("+l", 2, buffers, [id_array([1] * 4)]))
    words = "Arrow array of references cannot.*offsets run"
    raises(ValueError, words, BLEU().score, Column(text_array(["a", "b"])), lists)
    words = "Arrow array of hypotheses cannot.*offsets run"
    raises(ValueError, words, BLEU(tokenize=False).score, ids, ids)


@pytest.mark.parametrize(
    ("array", "words"),
    [
        (Array("+w:3", 2, [None], [id_array([1] * 5)]), "offsets run"),
        (list_array([[2**63]], id_array([2**63], "Q")), "row 0: an id does not fit into int64"),
        (
            list_array([[1, 2]], Array("i", 2, [b"\x01", packed([1, 2], "i")])),
            "row 0: a null is among the integers",
        ),
    ],
)
def test_lists_that_do_not_hold_ids_are_refused(array, words):
    raises(ValueError, words, BLEU(tokenize=False).score, Column(array), Column(array))


def test_a_capsule_is_read_once():
    column = Column(text_array(["a b c d"]))
    capsules = column.__arrow_c_array__()

    class Again:
        def __arrow_c_array__(self, requested_schema=None):
            return capsules

    assert BLEU().score(Again(), ["a b c d"]).value > 99
    with pytest.raises(ValueError, match=r"hypotheses is an Arrow array that was released before"):
        BLEU().score(Again(), ["a b c d"])
