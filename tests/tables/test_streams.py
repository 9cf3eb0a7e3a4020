"""Tables of every kind, in memory or streamed, have the scores of the same rows in memory.

Columns are also fields of structs, such as "translation.de".
"""

import importlib
import json
from importlib.util import find_spec

import numpy as np
import pytest
from commands import run
from generators import raises
from hosts import host
from processes import TRAINS, python
from table_families import as_dict, columns, write

from fastbleu import BLEU, tables

for name in ("narwhals", "pandas", "pyarrow"):
    host(name)
pa = host("pyarrow")
pq = importlib.import_module("pyarrow.parquet")
ds = importlib.import_module("pyarrow.dataset")

pytestmark = pytest.mark.filterwarnings("ignore::fastbleu.InputWarning")
ITS = columns(500)
PAIRS = [{"de": mt, "en": ref} for mt, ref in zip(ITS["mt"], ITS["ref"], strict=True)]
META = [{"run": {"system": system}} for system in ITS["system"]]
NESTED = {"translation": PAIRS, "meta": META, "other": ITS["other"], "lang": ITS["lang"]}
NAMES = {"hypotheses": "translation.de", "references": ["translation.en", "other"]}
BY = ["system", "lang"]
EXPECTED = tables.score(ITS, "mt", ["ref", "other"], by=BY)
SCORES = tables.sentence_scores(ITS, "mt", ["ref", "other"])["bleu"]


def parquet(table, folder):
    pq.write_table(table, folder / "t.parquet", row_group_size=70)
    return folder / "t.parquet"


def of_pandas(table):
    return table.to_pandas(types_mapper=host("pandas").ArrowDtype)


def of_datasets(table):
    return host("datasets").Dataset(table)


# Columns that are no fields: test_entry_points.py. Other files: test_files_of_tables.py.
KINDS = {
    "pyarrow": lambda table, _: table,
    "dict": lambda table, _: NESTED,
    "batches": lambda table, folder: pq.ParquetFile(parquet(table, folder)).iter_batches(33),
    "list": lambda table, _: table.to_batches(33),
    "polars": lambda table, _: host("polars").DataFrame(table),
    "polars, lazy": lambda table, _: host("polars").LazyFrame(table),
    "polars, scanned": lambda table, folder: host("polars").scan_parquet(parquet(table, folder)),
    "pandas": lambda table, _: of_pandas(table),
    "pandas, chunks": lambda table, _: map(of_pandas, table.to_batches(33)),
    "dataset": lambda table, folder: ds.dataset(parquet(table, folder)),
    "RecordBatchReader": lambda table, _: ds.dataset(table).scanner().to_reader(),
    "ParquetFile": lambda table, folder: pq.ParquetFile(parquet(table, folder)),
    "datasets.Dataset": lambda table, _: of_datasets(table),
    "datasets.IterableDataset": lambda table, _: of_datasets(table).to_iterable_dataset(3),
    "DuckDB": lambda table, _: host("duckdb").connect().from_arrow(table),
    "parquet": parquet,
    "arrow": lambda table, folder: write(table, folder / "t.arrow"),
    "arrow, a stream": lambda table, folder: write(table, folder / "t.arrows").rename(
        folder / "t.arrow"
    ),
    "jsonl": lambda table, folder: write(table, folder / "t.jsonl"),
    "jsonl.gz": lambda table, folder: write(table, folder / "t.jsonl.gz"),
}


@pytest.mark.parametrize("kind", KINDS)
def test_fields_are_columns(kind, tmp_path):
    def table():
        return KINDS[kind](pa.table(NESTED), tmp_path)

    found = tables.score(table(), **NAMES, by=["meta.run.system", "lang"])
    library = {"dict": "builtins", "pandas": "pandas", "polars": "polars"}
    module = library.get(kind.partition(",")[0], "pyarrow")
    assert type(found).__module__.partition(".")[0] == module
    names = [name.rpartition(".")[2] for name in as_dict(found)]
    assert dict(zip(names, as_dict(found).values(), strict=True)) == EXPECTED
    scored = tables.sentence_scores(table(), **NAMES)
    parts = list(map(as_dict, scored if isinstance(scored, tables.TableParts) else [scored]))
    assert [score for part in parts for score in part["bleu"]] == SCORES
    assert all([*part] == [*NESTED, "bleu"] for part in parts)
    words = r"no column 'translation.dee'; did you mean 'translation.de'\?"
    raises(ValueError, words, tables.score, table(), "translation.dee", "other")
    for name in ("none.de", "other.de", "reference"):
        raises(ValueError, f"no column '{name}'", tables.score, table(), "translation.de", name)


@pytest.mark.parametrize("name", ["t.jsonl", "t.parquet"])
def test_fields_are_columns_of_the_command(name, tmp_path):
    path = write(NESTED, tmp_path / name)
    words = f"{path}::translation.en", f"{path}::other", "-i", f"{path}::translation.de"
    score = BLEU().score(ITS["mt"], list(zip(ITS["ref"], ITS["other"], strict=True)))
    assert json.loads(run(*words, "-w", "17")[1])["score"] == score.value
    groups = json.loads(run(*words, "--by", "meta.run.system,lang")[1])
    assert [group["bleu"] for group in groups] == EXPECTED["bleu"]


def test_a_column_with_a_dot_and_rows_without_a_struct(tmp_path):
    rows = [{"de": "a b c d e"}, None]
    its = pa.table({"mt.de": ["a b c d e", "x"], "mt": rows, "ref": ["a b c d e"] * 2})
    assert as_dict(tables.score(its, "mt.de", "ref"))["hyp_len"] == [6]
    its = its.drop_columns(["mt.de"])
    raises(TypeError, "row 1: column 'mt.de' has no value", tables.score, its, "mt.de", "ref")
    assert as_dict(tables.score(its, "mt.de", "ref", missing="skip"))["segments"] == [1]
    path = tmp_path / "t.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in its.to_pylist()))
    words = r"t\.jsonl: the table has no column 'mt.en'; did you mean 'mt.de'"
    raises(ValueError, words, tables.score, path, "mt.en", "ref")


def test_relations_of_duckdb_are_projected():
    connection = host("duckdb").connect()
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
    pl, its = host("polars"), columns(60)
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


# Tests of many seconds run only where the libraries of tables are tested.
WITH_LIBRARIES = pytest.mark.skipif(not find_spec("duckdb"), reason="needs the table libraries")
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

first = peak(10)
print(peak(60) - first)
"""


@WITH_LIBRARIES
@pytest.mark.parametrize(
    ("option", "megabytes"),
    # Of intervals, at most 48 bytes of each row are kept.
    [("", 40), ("intervals", 1_000_000 * 48 / 2**20 + 40)],
)
def test_memory_does_not_grow_with_a_stream(option, megabytes):
    """1,200,000 rows take hardly more than 200,000 do."""
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
    """A Parquet file of 40 MB, and one of 160 MB; each in its own folder."""
    rng = np.random.default_rng(1)
    texts = pa.array([row.tobytes().hex() for row in rng.integers(1 << 62, size=(160_000, 4))])
    table = pa.table({"mt": texts, "ref": texts, "system": ["a", "b"] * 80_000})
    paths = [tmp_path_factory.mktemp("parquet") / "t.parquet" for _ in range(2)]
    for path, parts in zip(paths, (2, 8), strict=True):
        with pq.ParquetWriter(path, table.schema, compression="none") as file:
            for _ in range(parts):
                file.write_table(table)
    yield paths
    for path in paths:
        path.unlink()


@WITH_LIBRARIES
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
    tables.score(pa.table(ITS), "mt", "ref", by=BY)
    assert calls == [BY]
