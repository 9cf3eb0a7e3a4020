"""Columns of real libraries: pyarrow, polars, pandas, DuckDB and datasets, on both sides."""

import numpy as np
import pytest
import wmt22
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


@pytest.mark.parametrize("theirs", LIBRARIES)
@pytest.mark.parametrize("ours", LIBRARIES)
def test_any_column_goes_with_any_other(ours, theirs):
    metric = BLEU(effective_order=True)
    found = metric.statistics(LIBRARIES[ours](HYPOTHESES), LIBRARIES[theirs](REFERENCES))
    assert found == metric.statistics(HYPOTHESES, REFERENCES)


@pytest.mark.parametrize(
    "lists",
    [
        pyarrow.array,
        polars.Series,
        lambda its: pyarrow.array(its, pyarrow.list_(pyarrow.string(), 2)),
        lambda its: pyarrow.array(its, pyarrow.large_list(pyarrow.string_view())),
        lambda its: polars.Series(its, dtype=polars.Array(polars.String, 2)),
        lambda its: [polars.Series(column) for column in zip(*its, strict=True)],
    ],
)
def test_several_references(lists):
    several = list(map(list, zip(REFERENCES, HYPOTHESES[::-1], strict=True)))
    found = BLEU().statistics(polars.Series(HYPOTHESES), lists(several))
    assert found == BLEU().statistics(HYPOTHESES, several)


@pytest.mark.parametrize(
    "column",
    [
        pyarrow.array,
        polars.Series,
        lambda ids: pyarrow.array(ids, pyarrow.list_(pyarrow.int16(), 4)),
        lambda ids: polars.Series(ids, dtype=polars.Array(polars.UInt32, 4)),
        lambda ids: pyarrow.array(ids, pyarrow.large_list(pyarrow.uint64()))[:],
    ],
)
def test_token_ids(column):
    ids = [[5, 6, 7, 0], [1, 2, 3, 4], [9, 0, 0, 0]]
    metric = BLEU(tokenize=None, ignore_ids=(0,), max_order=2)
    expected = metric.statistics(np.array(ids), np.array(ids[::-1]))
    assert metric.statistics(column(ids), column(ids[::-1])) == expected
    assert metric.statistics(np.array(ids), column(ids[::-1])) == expected
    assert metric.statistics(column(ids), np.array(ids[::-1])) == expected


def test_a_stream_is_not_held():
    """Of a stream no more than a part is in memory, however long it is."""
    texts = pyarrow.array(["some words of a segment"] * 1000)
    schema = pyarrow.schema([("text", pyarrow.string())])
    most = 0

    def batches():
        nonlocal most
        for _ in range(2000):
            # A copy, which lives as long as what reads it.
            copied = pyarrow.concat_arrays([texts, texts.slice(0, 0)])
            most = max(most, pyarrow.total_allocated_bytes())
            yield pyarrow.record_batch([copied], schema)

    before = pyarrow.total_allocated_bytes()
    readers = [pyarrow.RecordBatchReader.from_batches(schema, batches()) for _ in range(2)]
    assert BLEU().score(*readers).hyp_len == 2_000_000 * 5
    assert most - before < 16 << 20


def test_what_a_producer_raises_is_told():
    def batches():
        yield pyarrow.record_batch({"text": ["a"]})
        raise RuntimeError("no more of this")

    schema = pyarrow.schema([("text", pyarrow.string())])
    reader = pyarrow.RecordBatchReader.from_batches(schema, batches())
    with pytest.raises(OSError, match=r"the Arrow stream of hypotheses failed.*no more of this"):
        BLEU().score(reader, ["a", "b"])


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


def test_nulls():
    holed = [*HYPOTHESES[:3], None, *HYPOTHESES[4:]]
    for library in (pyarrow.array, polars.Series, pandas.Series):
        with pytest.raises(TypeError, match="segment 3: the hypothesis is missing"):
            BLEU().score(library(holed), library(REFERENCES))
        found = BLEU().score(library(holed), library(REFERENCES), missing="empty")
        assert found == BLEU().score(holed, REFERENCES, missing="empty")


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
        metric, hypotheses = BLEU(tokenize=None, effective_order=True), [t.split() for t in texts]
        filled = [[text.split() for text in pair] for pair in filled]
    elif kind == "columns":
        hypotheses = pyarrow.array(texts)
    match = r"segment 1: references\[1\] is missing"
    raises(TypeError, match, metric.score, hypotheses, SEVERAL[kind])
    expected = metric.statistics(list(hypotheses) if kind == "tokens" else texts, filled)
    assert metric.statistics(hypotheses, SEVERAL[kind], missing="empty") == expected
    with pytest.warns(InputWarning, match="left out 1 of 3 segments.* is segment 1"):
        found = metric.statistics(hypotheses, SEVERAL[kind], missing="skip")
    assert found == expected[::2]


@pytest.mark.parametrize("dtype", ["object", "string", "str"])
@pytest.mark.parametrize("value", [None, np.nan, pandas.NA, pandas.NaT])
def test_what_is_missing_to_pandas(dtype, value):
    column = pandas.Series([HYPOTHESES[0], value, HYPOTHESES[2]], dtype=object)
    if dtype != "object" and value is not pandas.NaT:
        column = column.astype(dtype)
    if isinstance(column[1], str):  # pandas 2 made a text of it
        return
    metric, references = BLEU(effective_order=True), pandas.Series(REFERENCES[:3])
    words = r"segment 1: the hypothesis is missing \((None|NaN|<NA>|NaT)\)"
    raises(TypeError, words, metric.score, column, references)
    with pytest.warns(InputWarning, match="left out 1 of 3 segments"):
        scores = metric.sentence_scores(column, references, missing="skip")
    expected = metric.sentence_scores(HYPOTHESES[:3:2], REFERENCES[:3:2])
    np.testing.assert_equal(scores, [expected[0], np.nan, expected[1]])
    filled = [HYPOTHESES[0], "", HYPOTHESES[2]]
    assert metric.score(column, references, missing="empty") == metric.score(filled, references)


@pytest.mark.filterwarnings("ignore:the text is in a script:fastbleu.InputWarning")
@pytest.mark.parametrize("system", wmt22.SYSTEMS or ["none"])
def test_real_data(system):
    hypotheses, references = wmt22.one_reference(system)
    for tokenizer in ("13a", "intl", "zh", "char", "none"):
        metric = BLEU(tokenize=tokenizer, effective_order=True)
        expected = metric.statistics(hypotheses, references)
        columns = polars.Series(hypotheses), pyarrow.chunked_array([references[:9], references[9:]])
        assert metric.statistics(*columns) == expected
