"""Columns of real libraries: pyarrow, polars, pandas, DuckDB and datasets, on both sides."""

import numpy as np
import pytest
from generators import raises
from hosts import host

from fastbleu import BLEU, InputWarning

pyarrow, polars, pandas = host("pyarrow"), host("polars"), host("pandas")
duckdb, datasets = host("duckdb"), host("datasets")

HYPOTHESES = [
    *("The cat sat on the mat.", "", "A dog, a cat & a mat!" * 9, "Ein Satz über Hügel.", "漢字 x"),
    *("Ещё одно предложение .", "😀 İstanbul ΟΔΥΣΣΕΎΣ &quot;"),
]
REFERENCES = [text.replace("a", "the").replace("е", "и") + " x" for text in HYPOTHESES]


def duckdb_column(texts):
    frame = pandas.DataFrame({"text": texts})  # noqa: F841 (DuckDB finds it by its name)
    return duckdb.connect().sql("select text from frame")


LIBRARIES = {
    "pyarrow": pyarrow.array,
    "pyarrow large_string": lambda texts: pyarrow.array(texts, pyarrow.large_string()),
    "pyarrow string_view": lambda texts: pyarrow.array(texts, pyarrow.string_view()),
    "pyarrow dictionary": lambda texts: pyarrow.array(texts).dictionary_encode(),
    "pyarrow slice": lambda texts: pyarrow.array(["x", *texts, "y"])[1:-1],
    "pyarrow chunks": lambda texts: pyarrow.chunked_array([texts[:2], [], texts[2:]]),
    "pyarrow table": lambda texts: pyarrow.table({"text": texts}),
    "pyarrow stream": lambda texts: pyarrow.table({"text": texts}).to_reader(2),
    "polars": polars.Series,
    "polars categorical": lambda texts: polars.Series(texts, dtype=polars.Categorical),
    "polars chunks": lambda texts: polars.concat(
        [polars.Series(texts[:3]), polars.Series(texts[3:])]
    ),
    "polars frame": lambda texts: polars.DataFrame({"text": texts}),
    "pandas": pandas.Series,
    "pandas pyarrow": lambda texts: pandas.Series(texts, dtype="string[pyarrow]"),
    "pandas python": lambda texts: pandas.Series(texts, dtype="string[python]"),
    "pandas object": lambda texts: pandas.Series(texts, dtype=object),
    "pandas category": lambda texts: pandas.Series(texts).astype("category"),
    "duckdb": duckdb_column,
    "datasets": lambda texts: datasets.Dataset.from_dict({"text": texts})["text"],
    "datasets in another order": lambda texts: datasets.Dataset.from_dict(
        {"text": texts[::-1]}
    ).select(range(len(texts))[::-1])["text"],
    "numpy object": lambda texts: np.array(texts, object),
    "numpy StringDType": lambda texts: np.array(texts, np.dtypes.StringDType()),
    "list": list,
}


@pytest.mark.parametrize("kind", LIBRARIES)
def test_any_column_goes_on_either_side(kind):
    make, metric = LIBRARIES[kind], BLEU(effective_order=True)
    expected = metric.count(HYPOTHESES, REFERENCES)
    for sides in (
        (make(HYPOTHESES), REFERENCES),
        (pandas.Series(HYPOTHESES), make(REFERENCES)),
        (make(HYPOTHESES), make(REFERENCES)),
    ):
        assert metric.count(*sides) == expected


@pytest.mark.parametrize(
    "lists",
    [
        pyarrow.array,
        polars.Series,
        lambda its: pyarrow.array(its, pyarrow.large_list(pyarrow.string_view())),
        lambda its: polars.Series(its, dtype=polars.Array(polars.String, 2)),
        lambda its: [polars.Series(column) for column in zip(*its, strict=True)],
    ],
)
def test_several_references(lists):
    several = list(map(list, zip(REFERENCES, HYPOTHESES[::-1], strict=True)))
    found = BLEU().count(polars.Series(HYPOTHESES), lists(several))
    assert found == BLEU().count(HYPOTHESES, several)


@pytest.mark.parametrize(
    "column",
    [
        lambda ids: pyarrow.array(ids, pyarrow.list_(pyarrow.int16(), 4)),
        lambda ids: polars.Series(ids, dtype=polars.Array(polars.UInt32, 4)),
        polars.Series,
    ],
)
def test_token_ids(column):
    ids = [[5, 6, 7, 0], [1, 2, 3, 4], [9, 0, 0, 0]]
    ours, theirs = np.array(ids), np.array(ids[::-1])
    metric = BLEU(tokenize=False, ignore_ids=(0,), max_ngram_order=2)
    expected = metric.count(ours, theirs)
    for sides in (
        (column(ids), column(ids[::-1])),
        (ours, column(ids[::-1])),
        (column(ids), theirs),
    ):
        assert metric.count(*sides) == expected


@pytest.mark.filterwarnings("ignore::fastbleu.InputWarning")
def test_views_in_another_order():
    """They are scattered in memory, and copied."""
    texts = [text * (row % 5) for row, text in enumerate(HYPOTHESES * 1000)]
    others = [text and text + " a dog" for text in texts]
    order = np.random.default_rng(1).permutation(len(texts)).tolist()
    for missing in ("skip", "empty"):
        some = [None if row % 11 == 3 else text for row, text in enumerate(texts)]
        mt, ref = (polars.Series(side)[order] for side in (some, others))
        for threads in (1, 2):
            metric = BLEU(effective_order=True, threads=threads)
            expected = metric.sentence_scores(mt.to_list(), ref.to_list(), missing=missing)
            np.testing.assert_array_equal(
                metric.sentence_scores(mt, ref, missing=missing), expected
            )
            lists = polars.DataFrame({"ref": ref, "mt": mt}).select(
                polars.concat_list("ref", polars.col("mt").fill_null("x"))
            )["ref"]
            expected = metric.sentence_scores(mt.to_list(), lists.to_list(), missing=missing)
            np.testing.assert_array_equal(
                metric.sentence_scores(mt, lists, missing=missing), expected
            )


def test_several_columns_of_a_connection():
    """DuckDB has one open result for each connection."""
    frame = pandas.DataFrame({"mt": HYPOTHESES, "ref": REFERENCES, "other": REFERENCES[::-1]})
    relation = duckdb.connect().from_df(frame)
    expected = BLEU().score(HYPOTHESES, REFERENCES)
    for _ in range(2):
        assert BLEU().score(relation["mt"], relation["ref"]) == expected
        assert BLEU().score(relation["mt"], REFERENCES) == expected
        assert BLEU().score(HYPOTHESES, relation["ref"]) == expected
    both = list(zip(REFERENCES, REFERENCES[::-1], strict=True))
    found = BLEU().score(relation["mt"], [relation["ref"], relation["other"]])
    assert found == BLEU().score(HYPOTHESES, both)


PAIRS = [["the cat sat on it", "a cat"], ["a dog ran off now", None], ["it is late", "late"]]
SEVERAL = {
    "lists": PAIRS,
    "tuples": list(map(tuple, PAIRS)),
    "not a number": [[text or np.nan for text in pair] for pair in PAIRS],
    "arrays": [np.array(pair, object) for pair in PAIRS],
    "arrays of text": [np.array(pair, np.dtypes.StringDType(na_object=None)) for pair in PAIRS],
    "one array": np.array(PAIRS, object),
    "pandas": [pandas.Series(pair, dtype="str") for pair in PAIRS],
    "polars": list(map(polars.Series, PAIRS)),
    "a column of lists": pyarrow.array(PAIRS),
    "a series of lists": pandas.Series(PAIRS),
    "columns": [pyarrow.array(texts) for texts in zip(*PAIRS, strict=True)],
    "tokens": [[text and text.split() for text in pair] for pair in PAIRS],
}


@pytest.mark.parametrize("kind", SEVERAL)
def test_a_missing_second_reference(kind):
    texts, filled = [pair[0] for pair in PAIRS], [[text or "" for text in p] for p in PAIRS]
    metric, hypotheses = BLEU(effective_order=True), texts
    if kind == "tokens":
        metric, hypotheses = BLEU(tokenize=False, effective_order=True), [t.split() for t in texts]
        filled = [[text.split() for text in pair] for pair in filled]
    elif kind == "columns":
        hypotheses = pyarrow.array(texts)
    match = r"segment 1: references\[1\] is missing"
    raises(TypeError, match, metric.score, hypotheses, SEVERAL[kind])
    expected = metric.count(list(hypotheses) if kind == "tokens" else texts, filled)
    assert metric.count(hypotheses, SEVERAL[kind], missing="empty") == expected
    with pytest.warns(InputWarning, match="left out 1 of 3 segments.* is segment 1"):
        found = metric.count(hypotheses, SEVERAL[kind], missing="skip")
    assert found == expected[::2]


@pytest.mark.parametrize("dtype", ["object", "string", "str"])
@pytest.mark.parametrize("value", [None, np.nan, pandas.NA, pandas.NaT])
def test_missing_values_of_pandas(dtype, value):
    column = pandas.Series([HYPOTHESES[0], value, HYPOTHESES[2]], dtype=object)
    if dtype != "object" and value is not pandas.NaT:
        column = column.astype(dtype)
    if isinstance(column[1], str):  # pandas 2 made a text of it
        return
    references = pandas.Series(REFERENCES[:3])
    words = r"segment 1: the hypothesis is missing \((None|NaN|<NA>|NaT)\)"
    raises(TypeError, words, BLEU().score, column, references)
    filled = [HYPOTHESES[0], "", HYPOTHESES[2]]
    assert BLEU().score(column, references, missing="empty") == BLEU().score(filled, references)
