"""Keys of every type of Arrow's, nulls among them: the groups are those of pyarrow's group_by.

But for floats: 0 and -0 are one key, and so is every NaN, as in pandas, polars and DuckDB.
"""

import datetime
from decimal import Decimal

import numpy as np
import pytest
from generators import raises
from hosts import host

from fastbleu import BLEU, tables
from fastbleu.tables import sources

host("narwhals")
pa = host("pyarrow")

NAMES = {"hypotheses": "mt", "references": ["ref"], "by": ["key"]}
pytestmark = pytest.mark.filterwarnings("ignore::fastbleu.InputWarning")
DAYS = [datetime.date(2026, 1, day) for day in (1, 2, 3)]
NUMBERS = [Decimal("0.10"), Decimal("0.20"), Decimal("-1.00")]
BYTES = [b"a", b"\xff", b"b"]
VALUES = [
    (pa.bool_(), [True, False, True]),
    *((kind, [0, 1, 2]) for kind in (pa.int8(), pa.uint16(), pa.int32())),
    (pa.null(), [None] * 3),
    (pa.int64(), [2**53, 2**53 + 1, -(2**63)]),
    (pa.uint64(), [0, 2**64 - 1, 2**63]),
    *((kind, [0.0, -1.5, float("nan")]) for kind in (pa.float16(), pa.float32(), pa.float64())),
    *((kind, NUMBERS) for kind in (pa.decimal128(5, 2), pa.decimal256(40, 2))),
    *((kind, DAYS) for kind in (pa.date32(), pa.date64())),
    *((kind, [1, 2, 3]) for kind in (pa.time32("s"), pa.time64("ns"), pa.duration("ns"))),
    *((pa.timestamp(*unit), [1, 2, 3]) for unit in (("s",), ("ns", "Europe/Berlin"))),
    (pa.month_day_nano_interval(), [(1, 2, 3), (1, 2, 4), (0, 0, 0)]),
    *((kind, ["a", "", "é"]) for kind in (pa.string(), pa.large_string(), pa.string_view())),
    *((kind, BYTES) for kind in (pa.binary(), pa.large_binary(), pa.binary_view(), pa.binary(1))),
    (pa.list_(pa.int8()), [[1], [], [None]]),
    (pa.struct([("x", pa.int8())]), [{"x": 1}, {"x": None}, {"x": 2}]),
]
PLACES = [0, None, 2, 1, None, 0, 2, 1, 1]  # of the values


def keys_of(kind, values, form):
    """A column of the values and nulls, and the same without an encoding."""
    plain = pa.array([None if at is None else values[at] for at in PLACES], kind)
    if form == "dictionary":
        places = pa.array(PLACES, pa.int32())
        return pa.DictionaryArray.from_arrays(places, pa.array(values, kind)), plain
    if form == "run-end encoded":
        ends = pa.array(range(1, len(PLACES) + 1), pa.int32())
        return pa.RunEndEncodedArray.from_arrays(ends, plain), plain
    return plain, plain


# Every type plainly, and some in other encodings.
CASES = [(kind, values, "plain") for kind, values in VALUES]
CASES += [
    (kind, values, form)
    for kind, values in VALUES
    if str(kind) in ("bool", "int64", "double", "string", "string_view", "date32[day]")
    for form in ("dictionary", "run-end encoded")
]


@pytest.mark.parametrize(("kind", "values", "form"), CASES, ids=str)
def test_keys_with_nulls(kind, values, form, tmp_path, monkeypatch):
    keys, plain = keys_of(kind, values, form)
    numbers = range(len(keys))
    # The sum of lengths tells which rows a group has.
    texts = ["a " * 2**number for number in numbers]
    table = pa.table({"key": keys, "mt": texts, "ref": texts})
    path = str(tmp_path / "table.arrow")
    with pa.ipc.new_file(path, table.schema) as file:
        file.write_table(table, max_chunksize=4)

    def combined():
        return tables.add_sums(tables.sums(table[:4], **NAMES), tables.sums(table[4:], **NAMES))

    def in_chunks():
        monkeypatch.setattr(sources, "CHUNK_ROWS", 4)
        return tables.score(iter([table]), **NAMES)

    ways = {
        "table": lambda: tables.score(table, **NAMES),
        "file": lambda: tables.score(path, **NAMES),
        "intervals": lambda: tables.score(table, **NAMES, confidence=0.9, samples=2),
        "texts": lambda: tables.score(table, **NAMES, metric=BLEU("fairseq")),
        "sums": lambda: tables.sums(table, **NAMES),
        "combined": combined,
        "chunks": in_chunks,
    }
    if pa.types.is_nested(kind) or (str(kind).endswith("view") and form != "plain"):
        for way in ways.values():
            raises(TypeError, "rows cannot be grouped by 'key'.*; pass columns of", way)
        return
    table_of_rows = pa.table({"key": plain, "row": numbers}).group_by("key", use_threads=False)
    groups = sorted(table_of_rows.aggregate([("row", "list")])["row_list"].to_pylist())
    for name, way in ways.items():
        found = way()
        assert found["hyp_len"].to_pylist() == [sum(2**row for row in g) for g in groups], name
        assert list(map(str, found["key"])) == [str(plain[g[0]]) for g in groups], name


@pytest.mark.parametrize("library", ["polars", "pandas", "pandas of Arrow", "pyarrow", "stream"])
@pytest.mark.parametrize("kind", ["float", "double", "halffloat"])
def test_zeros_and_nans_are_one_key_each(library, kind):
    if library in ("polars", "pandas") and kind == "halffloat":
        pytest.skip("no keys to this library")
    other_nan = np.array([0x7FF8_0000_0000_0001], np.uint64).view(np.float64)[0]
    keys = np.array([0.0, -0.0, np.nan, other_nan, -np.nan, -1.5, -0.0])
    texts = ["a " * 2**row for row in range(len(keys))]
    key = pa.array(keys, "double").cast(kind)
    table: object = pa.table({"mt": texts, "ref": texts, "key": key})
    if library == "polars":
        table = host("polars").from_arrow(table)
    elif library.startswith("pandas"):
        mapper = host("pandas").ArrowDtype if "Arrow" in library else None
        table = table.to_pandas(types_mapper=mapper)
    elif library == "stream":
        table = iter(table.to_batches(2))
    expected = [0b1000011, 0b11100, 0b100000]
    assert list(np.asarray(tables.score(table, "mt", "ref", by="key")["hyp_len"])) == expected
    if library != "stream":
        halves = [tables.sums(part, "mt", "ref", by="key") for part in (table[:1], table[1:])]
        assert list(np.asarray(tables.add_sums(*halves)["hyp_len"])) == expected


def test_texts_that_are_joined_alike_are_different_keys():
    table = {"mt": ["a", "a a"], "ref": ["a", "a a"], "one": ["a", "ab"], "two": ["bc", "c"]}
    found = tables.score(table, "mt", "ref", by=["one", "two"], confidence=0.9, samples=2)
    assert (found["one"], found["two"], found["hyp_len"]) == (["a", "ab"], ["bc", "c"], [1, 2])


@pytest.mark.parametrize("library", ["polars", "pandas"])
def test_times_that_differ_by_nanoseconds(library):
    texts = ["a", "a a", "a a a", "a"]
    table = pa.table({"mt": texts, "ref": texts, "key": pa.array([1, 2, None, 1], pa.time64("ns"))})
    if library == "polars":
        table = host("polars").from_arrow(table)
    else:
        table = table.to_pandas(types_mapper=host("pandas").ArrowDtype)
    found = tables.score(table, "mt", "ref", by="key")
    assert list(found["hyp_len"]) == [2, 2, 3]
