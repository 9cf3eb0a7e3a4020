"""Files, lazy tables and readers: streamed, with the scores of the same rows in memory."""

import importlib

import numpy as np
import pytest
from generators import raises
from hosts import host
from processes import TRAINS, python
from table_families import as_dict, columns

from fastbleu import tables

for name in ("narwhals", "pandas", "polars", "duckdb", "datasets", "pyarrow"):
    host(name)
pa = host("pyarrow")
pq = importlib.import_module("pyarrow.parquet")
ds = importlib.import_module("pyarrow.dataset")
pl, duckdb, datasets = host("polars"), host("duckdb"), host("datasets")

pytestmark = pytest.mark.filterwarnings("ignore:.*fewer than 4 tokens:fastbleu.InputWarning")
ROWS = 500
BY = ["system", "lang"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """One table in several files."""
    folder = tmp_path_factory.mktemp("tables")
    table = pa.table(columns(ROWS))
    pq.write_table(table, folder / "t.parquet", row_group_size=70)
    with pa.ipc.new_stream(folder / "stream.arrow", table.schema) as stream:
        stream.write_table(table, max_chunksize=70)
    return folder


# Other files: test_files_of_tables.py.
KINDS = {
    "arrow stream": lambda folder: folder / "stream.arrow",
    "ParquetFile": lambda folder: pq.ParquetFile(folder / "t.parquet"),
    "dataset": lambda folder: ds.dataset(folder / "t.parquet"),
    "RecordBatchReader": lambda folder: ds.dataset(folder / "t.parquet").scanner().to_reader(),
    "batches": lambda folder: pq.ParquetFile(folder / "t.parquet").iter_batches(33),
    "list": lambda folder: list(pq.ParquetFile(folder / "t.parquet").iter_batches(33)),
    "LazyFrame": lambda folder: pl.scan_parquet(folder / "t.parquet"),
    "DuckDB": lambda folder: duckdb.sql(f"SELECT * FROM '{folder}/t.parquet'"),
    "datasets.Dataset": lambda folder: datasets.Dataset(pq.read_table(folder / "t.parquet")),
    "datasets.IterableDataset": lambda folder: datasets.Dataset(
        pq.read_table(folder / "t.parquet")
    ).to_iterable_dataset(num_shards=3),
    "pandas chunks": lambda folder: (
        batch.to_pandas() for batch in pq.ParquetFile(folder / "t.parquet").iter_batches(33)
    ),
}
FRAMES = {"LazyFrame": "polars", "pandas chunks": "pandas"}


@pytest.mark.parametrize("kind", KINDS)
def test_streams(kind, folder):
    memory = as_dict(tables.score(columns(ROWS), "mt", ["ref", "other"], by=BY))
    found = tables.score(KINDS[kind](folder), "mt", ["ref", "other"], by=BY)
    assert type(found).__module__.partition(".")[0] == FRAMES.get(kind, "pyarrow")
    assert as_dict(found) == memory
    parts = tables.sentence_scores(KINDS[kind](folder), "mt", "ref")
    scores = [score for part in parts for score in as_dict(part)["bleu"]]
    assert scores == tables.sentence_scores(columns(ROWS), "mt", "ref")["bleu"]
    words = "has no column 'reference'"
    raises(ValueError, words, tables.score, KINDS[kind](folder), "mt", "reference")


def test_relations_of_duckdb_are_projected():
    connection = duckdb.connect()
    texts = "SELECT 'a b c d e' AS mt, 'a b c d f' AS ref, 'x' AS \"the \"\"key\"\"\""
    relation = connection.sql(f"{texts}, error('this column was read') AS more")
    found = tables.score(relation, "mt", "ref", by='the "key"')
    assert as_dict(found)['the "key"'] == ["x"]
    raises(ValueError, "has no column 'reference'", tables.score, relation, "mt", "reference")


ENCODINGS = {
    "string": lambda texts: texts,
    "large_string": lambda texts: texts.cast(pa.large_string()),
    "string_view": lambda texts: texts.cast(pa.string_view()),
    "dictionary": lambda texts: texts.dictionary_encode(),
    "large dictionary": lambda texts: texts.dictionary_encode().cast(
        pa.dictionary(pa.int8(), pa.large_string())
    ),
    "null": lambda texts: pa.nulls(len(texts)),
}


@pytest.mark.filterwarnings("ignore::fastbleu.InputWarning")
@pytest.mark.parametrize(
    ("one", "other"),
    [*(("string", name) for name in ENCODINGS), ("null", "dictionary"), ("dictionary", "string")],
)
def test_encodings_that_differ_between_parts(one, other):
    """Of a key, of a text, and of a column that is not needed."""
    its = columns(60)
    for name in ("system", "mt", "other"):
        parts, plain = [], {key: [] for key in its}
        for encoding, rows in ((one, slice(30)), (other, slice(30, 60))):
            part = pa.table({key: values[rows] for key, values in its.items()})
            encoded = ENCODINGS[encoding](part[name].combine_chunks())
            parts.append(part.set_column(part.column_names.index(name), name, encoded))
            for key, values in parts[-1].to_pydict().items():
                plain[key] += values
        for how in ({}, {"confidence": 0.9, "samples": 9}):
            found = tables.score(iter(parts), "mt", "ref", by=BY, missing="empty", **how)
            assert as_dict(found) == tables.score(plain, "mt", "ref", by=BY, missing="empty", **how)
        scored = list(tables.sentence_scores(iter(parts), "mt", "ref", missing="empty"))
        scores = [score for part in scored for score in part["bleu"].to_pylist()]
        assert scores == tables.sentence_scores(plain, "mt", "ref", missing="empty")["bleu"]


def test_types_of_keys_that_differ_between_parts_of_pandas():
    """As `read_csv` in chunks has them, which would make two groups of one key."""
    pandas = host("pandas")
    parts = [pandas.DataFrame({"mt": ["a b c d"] * 2, "key": key}) for key in ([1, 2], [1.0, 3.0])]
    assert tables.score(parts, "mt", "mt", by="key")["segments"].tolist() == [2, 1, 1]
    parts[1]["key"] = ["1", "x"]
    message = "columns of different types: key holds text and numbers"
    raises(TypeError, message, tables.score, parts, "mt", "mt", by="key")
    parts[0]["key"] = pandas.Categorical(["x", "y"])
    assert tables.score(parts, "mt", "mt", by="key")["segments"].tolist() == [2, 1, 1]


def test_encodings_that_differ_between_parts_of_polars():
    its = columns(60)
    kinds = [pl.String, pl.Categorical, pl.Enum(["a", "b", "c"])]
    parts = [pl.DataFrame(its).with_columns(pl.col("system").cast(kind)) for kind in kinds]
    parts.append(pl.DataFrame(its).with_columns(pl.lit(None).alias("system")))
    plain = {name: values * 4 for name, values in its.items()}
    plain["system"][180:] = [None] * 60
    found = tables.score(iter(parts), "mt", "ref", by="system")
    assert as_dict(found) == tables.score(plain, "mt", "ref", by="system")


def test_numbers_in_a_column_of_csv_are_texts(tmp_path):
    (tmp_path / "numbers.csv").write_text("mt,ref\n1 2,1 2\n7,7\n")
    [part] = tables.count(tmp_path / "numbers.csv", "mt", "ref")
    assert as_dict(part)["mt"] == ["1 2", "7"]


def test_errors_of_reading_name_the_file_and_the_row(tmp_path):
    path = tmp_path / "outputs.csv"
    path.write_text("mt,ref,key\n" + "a b,a b,1\n" * 200_000 + "a b,a b,x\n")
    message = r"outputs\.csv: .*Row #200002: .*'x'.*each column of one type"
    raises(ValueError, message, tables.score, path, "mt", "ref", by="key")

    def fails():
        yield pa.table(columns(20))
        yield pa.table({"mt": pa.array(["a"]).cast(pa.int64())})

    message = "the table cannot be read from row 20 on: "
    raises(ValueError, message, tables.score, fails(), "mt", "ref")


MEMORY = """
import resource, sys
import pyarrow
from fastbleu import tables

def batches(count):
    texts = [f"the cat number {i} sat on the mat of the dog and looked at it" for i in range(20000)]
    for _ in range(count):
        text = pyarrow.array(texts)
        keys = pyarrow.array(["a", "b"] * 10000)
        yield pyarrow.record_batch([text, text, keys], ["mt", "ref", "system"])

def peak(count):
    options = {"confidence": 0.9, "samples": 2} if "intervals" in sys.argv else {}
    tables.score(batches(count), "mt", "ref", by="system", **options)
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024

first = peak(20)
print(peak(100) - first)
"""


@pytest.mark.parametrize(
    ("option", "megabytes"),
    # Of intervals, at most 48 bytes of each row are kept.
    [("", 40), ("intervals", 1_600_000 * 48 / 2**20 + 40)],
)
def test_memory_does_not_grow_with_a_stream(option, megabytes):
    """Two million rows take hardly more than 400,000 do."""
    assert float(python("-c", MEMORY, option, noisy=True)) < megabytes


FILE_MEMORY = """
import resource, sys
from pathlib import Path
from fastbleu import cli, tables

def peak(path):
    if sys.argv[1] == "command":
        assert cli.main([f"{path}::ref", "-i", f"{path}::mt", "-b", "--force"]) == 0
    else:
        tables.score(path if sys.argv[1] == "file" else path.parent, "mt", "ref", by="system")
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024

small, large = map(Path, sys.argv[2:])
first = peak(small)
print(peak(large) - first)
"""


@pytest.fixture(scope="module")
def growing_files(tmp_path_factory):
    """A Parquet file of 60 MB, and one of 250 MB; each in its own folder."""
    rng = np.random.default_rng(1)
    texts = pa.array([row.tobytes().hex() for row in rng.integers(1 << 62, size=(160_000, 4))])
    table = pa.table({"mt": texts, "ref": texts, "system": ["a", "b"] * 80_000})
    paths = [tmp_path_factory.mktemp("parquet") / "t.parquet" for _ in range(2)]
    for path, parts in zip(paths, (3, 12), strict=True):
        with pq.ParquetWriter(path, table.schema, compression="none") as file:
            for _ in range(parts):
                file.write_table(table)
    yield paths
    for path in paths:
        path.unlink()


@pytest.mark.parametrize("reader", ["file", "directory", "command"])
def test_memory_does_not_grow_with_a_parquet_file(reader, growing_files):
    grown = python("-c", FILE_MEMORY, reader, *growing_files, noisy=True, seconds=TRAINS)
    assert float(grown.split()[-1]) < 80


def test_pyarrows_threads_get_no_memory_of_python(monkeypatch):
    """They may free it when Python has ended, which aborts."""
    group_by, calls = pa.TableGroupBy, []

    def without_threads(table, keys, use_threads=True):
        calls.append(keys)
        assert not use_threads
        return group_by(table, keys, use_threads=use_threads)

    monkeypatch.setattr("pyarrow.lib.TableGroupBy", without_threads)
    tables.score(pa.table(columns(ROWS)), "mt", "ref", by=BY)
    assert calls == [BY]
