"""Files, lazy tables and readers: streamed, with the scores of the same rows in memory."""

import importlib
import subprocess
import sys

import numpy as np
import pytest
from generators import raises
from hosts import host
from table_families import as_dict, columns

from fastbleu import tables
from fastbleu.tables.frames import LibraryFrame

for name in ("narwhals", "pandas", "polars", "duckdb", "datasets", "pyarrow"):
    host(name)
pa = host("pyarrow")
pq = importlib.import_module("pyarrow.parquet")
ds = importlib.import_module("pyarrow.dataset")
feather = importlib.import_module("pyarrow.feather")
csv = importlib.import_module("pyarrow.csv")
pl, duckdb, datasets = host("polars"), host("duckdb"), host("datasets")

pytestmark = pytest.mark.filterwarnings("ignore:.*fewer than 4 tokens:fastbleu.InputWarning")
ROWS = 500
BY = ["system", "lang"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """One table in every kind of file."""
    folder = tmp_path_factory.mktemp("tables")
    table = pa.table(columns(ROWS))
    pq.write_table(table, folder / "t.parquet", row_group_size=70)
    pq.write_to_dataset(table, folder / "parts", partition_cols=["system"])
    feather.write_feather(table, folder / "t.feather")
    with pa.ipc.new_stream(folder / "stream.arrow", table.schema) as stream:
        stream.write_table(table, max_chunksize=70)
    with pa.ipc.new_file(folder / "file.arrow", table.schema) as file:
        file.write_table(table, max_chunksize=70)
    csv.write_csv(table, folder / "t.csv")
    return folder


KINDS = {
    "parquet": lambda folder: folder / "t.parquet",
    "str": lambda folder: str(folder / "t.parquet"),
    "feather": lambda folder: folder / "t.feather",
    "arrow stream": lambda folder: folder / "stream.arrow",
    "arrow file": lambda folder: folder / "file.arrow",
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


def by_key(table):
    its = as_dict(table)
    return sorted(zip(*its.values(), strict=True), key=str)


def test_a_directory_of_parquet_files(folder):
    found = tables.score(folder / "parts", "mt", ["ref"], by=BY)
    expected = tables.score(columns(ROWS), "mt", ["ref"], by=BY)
    assert by_key(found.cast(found.schema)) == by_key(expected)


def test_csv(folder, tmp_path):
    """Null is the empty text there, and a column of texts stays one, whatever is in it."""
    its = columns(ROWS)
    its["lang"] = [lang or "" for lang in its["lang"]]
    found = tables.score(folder / "t.csv", "mt", ["ref"], by=BY)
    assert as_dict(found) == as_dict(tables.score(its, "mt", ["ref"], by=BY))
    (tmp_path / "numbers.csv").write_text("mt,ref\n1 2,1 2\n7,7\n")
    assert (
        as_dict(tables.statistics(tmp_path / "numbers.csv", "mt", "ref").__next__())["mt"][1] == "7"
    )


def test_files_that_are_none(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"no\.parquet: there is no such file"):
        tables.score(tmp_path / "no.parquet", "mt", "ref")
    with pytest.raises(ValueError, match=r"expected one of \.parquet, \.arrow, \.feather, \.csv"):
        tables.score(tmp_path / "table.xls", "mt", "ref")
    for name in ("bad.parquet", "bad.arrow", "bad.feather"):
        (tmp_path / name).write_bytes(b"this is no table" * 9)
        raises(ValueError, name, tables.score, tmp_path / name, "mt", "ref")


def test_a_column_that_is_not_in_a_file(folder):
    for kind in KINDS:
        with pytest.raises(ValueError, match="has no column 'reference'"):
            tables.score(KINDS[kind](folder), "mt", "reference")


def test_nulls_in_a_file_name_the_row(tmp_path):
    """A hundredth of a column is null."""
    its = columns(1000)
    for row in range(57, 1000, 100):
        its["mt"][row] = None
    pq.write_table(pa.table(its), tmp_path / "t.parquet", row_group_size=100)
    with pytest.raises(TypeError, match="row 57: column 'mt' has no value"):
        tables.score(tmp_path / "t.parquet", "mt", "ref", by="system")
    with pytest.warns(match="left out 10 rows"):
        found = tables.score(tmp_path / "t.parquet", "mt", "ref", by="system", missing="skip")
    assert sum(as_dict(found)["segments"]) == 990


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
    tables.score(batches(count), "mt", "ref", by="system")
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024

first = peak(20)
print(peak(100) - first)
"""


def test_memory_does_not_grow_with_a_stream():
    """Two million rows take hardly more than 400,000 do."""
    ran = subprocess.run([sys.executable, "-c", MEMORY], capture_output=True, text=True)
    assert ran.returncode == 0, f"status {ran.returncode}: {ran.stderr}"
    assert float(ran.stdout) < 40


def test_pyarrows_threads_get_no_memory_of_python(monkeypatch):
    """They may free it when Python has ended, which aborts."""
    numbers, group_by = np.arange(6), pa.TableGroupBy
    keys = host("narwhals").from_native(pa.table({"key": ["a", "b"] * 3}))
    frame = LibraryFrame(keys).with_columns({"number": numbers})

    def addresses(table):
        return {chunk.buffers()[1].address for chunk in table["number"].chunks}

    def checked(table, *arguments, **options):
        assert numbers.ctypes.data not in addresses(table)
        return group_by(table, *arguments, **options)

    assert addresses(frame.to_native()) == {numbers.ctypes.data}
    monkeypatch.setattr(pa, "TableGroupBy", checked)
    sums = frame.reduce(["key"], {"number": "sum"})
    assert dict(zip(sums.values("key"), sums.values("number"), strict=True)) == {"a": 6, "b": 9}
