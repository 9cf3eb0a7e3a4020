"""Files by paths, patterns, directories and URLs, of every format; errors name the file."""

import gzip
import importlib
import os

import pytest
from generators import raises
from hosts import host
from packing import PACKERS
from table_families import SUFFIXES, as_dict, columns, write

from fastbleu import BLEU, tables

host("narwhals")
pa = host("pyarrow")
pq = importlib.import_module("pyarrow.parquet")
csv = importlib.import_module("pyarrow.csv")

pytestmark = pytest.mark.filterwarnings("ignore::fastbleu.InputWarning")
ITS = {name: [value or "" for value in values] for name, values in columns(300).items()}
PARTS = [
    {name: values[first : first + 100] for name, values in ITS.items()} for first in (0, 100, 200)
]
BY = ["system", "lang"]
EXPECTED = tables.score(ITS, "mt", ["ref", "other"], by=BY)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_every_suffix(suffix, tmp_path):
    for number, part in enumerate(PARTS):
        write(part, tmp_path / f"{number}.{suffix}")
    assert as_dict(tables.score(tmp_path, "mt", ["ref", "other"], by=BY)) == EXPECTED


@pytest.mark.parametrize("suffix", ["parquet", "csv"])
def test_files_as_a_list_a_pattern_and_a_relative_path(suffix, tmp_path, monkeypatch):
    for number, part in enumerate(PARTS):
        write(part, tmp_path / f"{number}.{suffix}")
    paths = sorted(tmp_path.iterdir())
    monkeypatch.chdir(tmp_path.parent)
    for table in (paths, list(map(str, paths)), f"{tmp_path}/*.{suffix}", tmp_path.name):
        assert as_dict(tables.score(table, "mt", ["ref", "other"], by=BY)) == EXPECTED
    [*parts] = tables.sentence_scores(f"{tmp_path.name}/[12].{suffix}", "mt", "ref")
    assert sum(map(len, parts)) == 200


def test_keys_in_the_names_of_directories(tmp_path):
    for number, part in enumerate(PARTS):
        (tmp_path / f"day={number}").mkdir()
        write(part, tmp_path / f"day={number}" / "t.parquet")
    (tmp_path / "_SUCCESS").touch()
    for table in (tmp_path, f"{tmp_path}/day=*/*.parquet", f"{tmp_path}/**/*.parquet"):
        found = tables.score(table, "mt", "ref", by="day")
        assert as_dict(found)["day"] == [0, 1, 2]
        assert as_dict(found)["segments"] == [100] * 3


TEXT = {"mt": ["a b c d"], "ref": ["a b c d"]}
# Files with their columns besides the texts, and the keys of their rows in the order of paths.
LAYOUTS = {
    "none in one": ({"a": {}, "lang=de/a": {}}, {"lang": [None, "de"]}),
    "deeper": ({"lang=de/a": {}, "lang=en/day=1/a": {}}, {"lang": ["de", "en"], "day": [None, 1]}),
    "others": ({"day=1/a": {}, "lang=de/a": {}}, {"lang": [None, "de"], "day": [1, None]}),
    "in any order": ({"b=1/a=x/a": {}, "a=y/b=2/a": {}}, {"a": ["y", "x"], "b": [2, 1]}),
    "a column in one": ({"a": {"lang": ["en"]}, "lang=de/a": {}}, {"lang": ["en", "de"]}),
    "text and numbers": ({"day=1/a": {}, "day=x/a": {}}, {"day": ["1", "x"]}),
}


@pytest.mark.parametrize("name", LAYOUTS)
def test_keys_of_directories_of_several_layouts(name, tmp_path):
    """As of pyarrow's datasets: null in files that have no key."""
    files, expected = LAYOUTS[name]
    for path, its in files.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        write(TEXT | its, tmp_path / f"{path}.parquet")
    found = as_dict(tables.score(tmp_path, "mt", "ref", by=[*expected]))
    rows = sorted(zip(*(found[key] for key in expected), strict=True), key=str)
    assert rows == sorted(zip(*expected.values(), strict=True), key=str)
    dataset = importlib.import_module("pyarrow.dataset")
    its = dataset.dataset(tmp_path, partitioning="hive").to_table().select([*expected]).to_pydict()
    assert sorted(zip(*its.values(), strict=True), key=str) == rows


@pytest.mark.parametrize("suffix", ["parquet", "arrow", "arrows", "csv", "jsonl"])
@pytest.mark.parametrize("place", [0, 2])
def test_a_file_without_a_column_is_refused(suffix, place, tmp_path):
    """Parquet files were read as if they had nulls."""
    for number, part in enumerate(PARTS):
        its = dict(part)
        if number == place:
            its["reference"] = its.pop("ref")
            del its["system"]
        write(its, tmp_path / f"{number}.{suffix}")
    words = rf"{place}\.{suffix}: the table has no column 'ref'; did you mean 'reference'\? Its col"
    no_key = rf"{place}\.{suffix}: the table has no column 'system'"
    paths = sorted(tmp_path.iterdir())
    sources = [tmp_path, f"{tmp_path}/*.{suffix}", paths]
    if suffix == "parquet":
        dataset = importlib.import_module("pyarrow.dataset")
        schema = pa.table(PARTS[0]).schema
        sources += [dataset.dataset(tmp_path, schema=schema), dataset.dataset(paths, schema=schema)]
        sources.append(sources[-1].filter(dataset.field("mt") != "x"))
    for table in sources:
        for missing in ("error", "empty"):
            raises(ValueError, words, tables.score, table, "mt", "ref", missing=missing)
            with pytest.raises(ValueError, match=words):
                list(tables.sentence_scores(table, "mt", "ref", missing=missing))
        raises(ValueError, words, tables.sums, table, "mt", ["other", "ref"], missing="empty")
        raises(ValueError, no_key, tables.score, table, "mt", "other", by="system")
        assert len(tables.score(table, "mt", "other")) == 1


@pytest.mark.parametrize("suffix", ["parquet", "arrow"])
@pytest.mark.parametrize("place", [0, 1])
def test_types_that_differ_between_files(suffix, place, tmp_path):
    """A number in a second Parquet file used to be scored as a text."""
    parts = [pa.table(TEXT | {"key": [1]}), pa.table(TEXT | {"key": ["a"]})]
    for number, part in enumerate(parts[:: 1 if place else -1]):
        write(
            part.set_column(0, "mt", [[7 if number == place else "a"]]),
            tmp_path / f"{number}.{suffix}",
        )
    words = "hypotheses is an Arrow column of the type int64"
    raises(TypeError, words, tables.score, tmp_path, "mt", "ref")
    words = "columns of different types: .*key"
    raises(TypeError, words, tables.score, tmp_path, "ref", "ref", by="key")
    kinds = [pa.string(), pa.large_string(), pa.dictionary(pa.int32(), pa.string())]
    for number, kind in enumerate(kinds):
        table = pa.table({name: pa.array(values, kind) for name, values in PARTS[number].items()})
        write(table, tmp_path / f"{number}.{suffix}")
    assert as_dict(tables.score(tmp_path, "mt", ["ref", "other"], by=BY)) == EXPECTED


def test_keys_of_directories_that_cannot_be_read(tmp_path):
    (tmp_path / "day=x").mkdir()
    write(TEXT, tmp_path / "day=x" / "b.csv")
    message = r"b\.csv: 'day' is in the name of a directory.*partitioning=\"hive\""
    raises(ValueError, message, tables.score, tmp_path, "mt", "ref", by="day")
    dataset = importlib.import_module("pyarrow.dataset")
    found = dataset.dataset(tmp_path, format="csv", partitioning="hive")
    assert tables.score(found, "mt", "ref", by="day")["day"].to_pylist() == ["x"]
    (tmp_path / "day=x" / "b.csv").unlink()
    write(TEXT | {"day": [1]}, tmp_path / "a.parquet")
    write(TEXT, tmp_path / "day=x" / "b.parquet")
    message = r"a\.parquet has a column .*Field day has incompatible types: .*rename or cast"
    raises(TypeError, message, tables.score, tmp_path, "mt", "ref", by="day")


def test_a_directory_between_files_keeps_its_keys(tmp_path):
    (tmp_path / "days" / "lang=de").mkdir(parents=True)
    write(TEXT, tmp_path / "days" / "lang=de" / "t.parquet")
    files = [write(TEXT | {"lang": [lang]}, tmp_path / f"{lang}.parquet") for lang in ("en", "fr")]
    found = tables.score([files[0], tmp_path / "days", files[1]], "mt", "ref", by="lang")
    assert found["lang"].to_pylist() == ["en", "de", "fr"]


def test_texts_of_several_lines_in_csv(tmp_path):
    """More than the block of 1 MB that is parsed at once."""
    texts = {"mt": [f'the cat\nsat "on" mat {row}' for row in range(40_000)]}
    texts["ref"] = [text.replace("mat", "the mat") for text in texts["mt"]]
    expected = tables.score(texts, "mt", "ref")
    for name in ("it.csv", "it.csv.zst"):
        write(texts, tmp_path / name)
        assert as_dict(tables.score(tmp_path / name, "mt", "ref")) == expected


def test_errors_name_the_file_and_its_row(tmp_path):
    holes = [*PARTS[1]["mt"][:57], None, *PARTS[1]["mt"][58:]]
    for suffix in ("parquet", "jsonl"):
        for number, part in enumerate([PARTS[0], PARTS[1] | {"mt": holes}, PARTS[2]]):
            write(part, tmp_path / f"{number}.{suffix}")
        message = rf"1\.{suffix}: row 57: column 'mt' has no value"
        for call in (tables.score, tables.sums):
            raises((TypeError, ValueError), message, call, f"{tmp_path}/*.{suffix}", "mt", "ref")
        with pytest.raises((TypeError, ValueError), match=message):
            list(tables.sentence_scores(f"{tmp_path}/*.{suffix}", "mt", "ref"))
        with pytest.warns(UserWarning, match=rf"1 row,.*the first is .*1\.{suffix}: row 57"):
            tables.score(f"{tmp_path}/*.{suffix}", "mt", "ref", missing="skip")
    write(PARTS[0], tmp_path / "0.csv")
    (tmp_path / "1.csv").write_text(
        "system,lang,mt,ref,other\n" + "a,b,c,d,e\n" * 200_000 + "a,b\n"
    )
    words = r"1\.csv: row 200000: Expected 5 columns, got 2; .*quoted=False"
    raises(ValueError, words, tables.score, f"{tmp_path}/*.csv", "mt", "ref")


ROW = "a b café d;a b caffè d;x\n"
CELLS = f"mt;ref;id\n{ROW}"
# Contents, how they are read, and the pattern of the error; None for the score of ROW.
CSV = {
    "latin-1": (CELLS.encode("latin-1"), {"encoding": "latin-1"}, None),
    "utf-16": (CELLS.encode("utf-16"), {"encoding": "utf-16"}, None),
    "no encoding": (CELLS.encode("latin-1"), {}, 'row 0: .*invalid UTF8; .*encoding="latin-1"'),
    "no utf-16": (CELLS.encode("utf-16"), {}, 'null characters: .*encoding="utf-16"'),
    "ascii": (CELLS.encode(), {"encoding": "ascii"}, "'ascii' codec can't decode byte 0xc3"),
    "marked": (CELLS.encode("utf-8-sig"), {}, None),
    "named": (CELLS.encode(), {"delimiter": ";"}, None),
    "another": (CELLS.encode(), {"delimiter": ","}, "no column 'mt'.*Its columns: 'mt;ref;id'"),
    "no column": (CELLS.replace("ref", "Ref").encode(), {}, "no column 'ref'; did you mean 'Ref'"),
    "no table": (b"a b\nc, d\n", {}, "no column 'mt'. Its columns: 'a b'"),
    "pandas' name": (CELLS.encode(), {"sep": ";"}, "argument 'sep'"),
    "a format's case": (CELLS.encode(), {"format": ".CSV"}, None),
    "two": (CELLS.encode(), {"delimiter": ";;"}, "delimiter is ';;', expected one of"),
    "tabs": (CELLS.replace(";", "\t").encode(), {}, None),
    "bars": (CELLS.replace(";", "|").encode(), {}, None),
    "in quotes": (f'"mt";"a;b";"ref"\n{ROW.replace(";", ";;", 1)[:-3]}\n'.encode(), {}, None),
    "twice": (CELLS.replace("id", "id;id").replace("x", "x;y").encode(), {}, None),
    "twice asked": (f"mt;ref;mt\n{ROW}".encode(), {}, "two columns are named 'mt': rename one"),
    "ragged": (f"{CELLS}a\n{ROW}".encode(), {}, "row 1: .*Expected 3 columns, got 1; enclose"),
    "open": (f'{CELLS}"a;b;c\n'.encode(), {}, "row 1: .*got 1; .*pass quoted=False"),
    "open, no marks": (CELLS.replace("x", '"').encode(), {"quoted": False}, None),
    "empty": (b"", {}, "Empty CSV file|no column 'mt'"),
    "lz4": (b'\4"M\x18', {"encoding": "latin-1"}, "this is lz4, not text"),
    "cut": (gzip.compress(CELLS.encode())[:-9], {}, "the compressed data ends too early"),
    "a format": (CELLS.encode(), {"format": "xls"}, "format 'xls' is unknown; choose one of"),
}


@pytest.mark.parametrize("case", CSV)
def test_csv_of_every_kind(case, tmp_path):
    content, options, pattern = CSV[case]
    path = tmp_path / "t.csv"
    path.write_bytes(content)
    if pattern is not None:
        raises((TypeError, ValueError), pattern, tables.score, path, "mt", "ref", **options)
        return
    hypothesis, reference, _ = ROW.split(";")
    expected = BLEU().score([hypothesis], [reference])
    assert tables.score(path, "mt", "ref", **options)["bleu"].to_pylist() == [expected.value]
    pack = PACKERS[".xz"](content)
    (tmp_path / "t").write_bytes(pack)
    found = tables.score(tmp_path / "t", "mt", "ref", **{"format": "csv", **options})
    assert found["bleu"].to_pylist() == [expected.value]


@pytest.mark.parametrize("suffix", ["parquet", "arrows", "tsv", "jsonl"])
def test_files_of_any_name_in_a_format_that_is_named(suffix, tmp_path):
    for number, part in enumerate(PARTS):
        write(part, tmp_path / f"{number}.{suffix}").rename(tmp_path / f"{number}.data")
    found = tables.score(tmp_path, "mt", ["ref", "other"], by=BY, format=suffix)
    assert as_dict(found) == EXPECTED
    words = 'ends in .*data.*, or name the format, as in format="jsonl"'
    raises(ValueError, words, tables.score, tmp_path / "0.data", "mt", "ref")


@pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="needs /dev/zero")
def test_endless_tables_are_refused(tmp_path):
    (tmp_path / "t.csv").symlink_to("/dev/zero")
    for path, options in ((tmp_path / "t.csv", {}), ("/dev/zero", {"format": "csv"})):
        raises(ValueError, "a pipe or a device", tables.score, path, "mt", "ref", **options)


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ('{"id": "b", "mt": "x", "ref": "x"}', "'id' is a JSON number in one line and a JSON str"),
        ('{"id": 1, "mt": "x", "ref": ["x"]}', "'ref' is a JSON string in one line and a JSON arr"),
        ('[{"id": 1, "mt": "x", "ref": "x"}]', "a line holds a JSON array, expected an object on"),
        (r'{"id": 1, "mt": "\ud83d", "ref": "x"}', r"half of an emoji \(an escape .ud800 to"),
    ],
)
def test_json_lines_that_do_not_fit_together(line, problem, tmp_path):
    path = tmp_path / "t.jsonl"
    for first in (1,) if "b" in line else (1, 60_000):  # a column that is not read may change
        path.write_text('{"id": 1, "mt": "the cat sat on it", "ref": "x"}\n' * first + line)
        place = r"t\.jsonl cannot be read from row \d+ on: "
        raises(ValueError, place + ".*" + problem, tables.score, path, "mt", "ref")


@pytest.mark.parametrize("suffix", ["jsonl", "jsonl.gz"])
@pytest.mark.parametrize("rows", [1, 5_000])
def test_texts_of_json_that_look_like_a_date_are_texts(suffix, rows, tmp_path):
    days = ["2024-01-02", "2024-01-02 03:04", "2024-01-02T03:04:05Z"]
    its = {"mt": days * rows + ["the cat"], "refs": [[day] for day in days] * rows + [["the dog"]]}
    its |= {"day": days * rows + ["never"], "in": [{"day": day} for day in its["mt"]]}
    path = write(its, tmp_path / f"t.{suffix}")
    expected = tables.score(its, "mt", "refs", by="day")
    assert as_dict(tables.score(path, "mt", "refs", by="day")) == expected
    assert as_dict(tables.score(path, "in.day", "refs", by="day")) == expected


def test_wrong_files(tmp_path):
    raises(FileNotFoundError, "no such file", tables.score, tmp_path / "*.parquet", "mt", "ref")
    raises(ValueError, "a spreadsheet", tables.score, [tmp_path / "a.xls"], "mt", "ref")
    raises(ValueError, "expected one of", tables.score, tmp_path / "a.parquet.gz", "mt", "ref")
    raises(ValueError, "none://", tables.score, "none://bucket/a.parquet", "mt", "ref")
    for suffix, words in (("parquet", ": Could not open Parquet.*; is it complete"), ("arrow", "")):
        path = tmp_path / f"b.{suffix}"
        path.write_text("this is no table" * 9)
        raises(ValueError, f"{path.name}{words}", tables.score, path, "mt", "ref")


@pytest.fixture(scope="module")
def bucket():
    """A server on this machine that speaks S3, with the parts as files."""
    moto, boto3 = host("moto.server"), host("boto3")
    server = moto.ThreadedMotoServer("127.0.0.1", 0, verbose=False)
    server.start()
    address = "http://{}:{}".format(*server.get_host_and_port())
    keys = {"AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b", "AWS_REGION": "us-east-1"}
    keys |= {"AWS_ENDPOINT_URL": address, "AWS_DEFAULT_REGION": "us-east-1"}
    keys |= {"AWS_EC2_METADATA_DISABLED": "true"}
    with pytest.MonkeyPatch.context() as patch:
        for name, value in keys.items():
            patch.setenv(name, value)
        client = boto3.client("s3")
        client.create_bucket(Bucket="outputs")
        for number, part in enumerate(PARTS):
            buffer = pa.BufferOutputStream()
            pq.write_table(pa.table(part), buffer)
            client.put_object(
                Bucket="outputs", Key=f"day={number}/t.parquet", Body=buffer.getvalue().to_pybytes()
            )
        text = "mt\tref\n" + "a b c d e\ta b c d f\n" * 9
        client.put_object(Bucket="outputs", Key="texts/t.tsv.gz", Body=gzip.compress(text.encode()))
        yield "s3://outputs"
    server.stop()


def test_s3(bucket):
    paths = [f"{bucket}/day={number}/t.parquet" for number in range(3)]
    for table in (paths, f"{bucket}/day=*/t.parquet", f"{bucket}/**/*.parquet"):
        assert as_dict(tables.score(table, "mt", ["ref", "other"], by=BY)) == EXPECTED
    assert as_dict(tables.score(table, "mt", "ref", by="day"))["day"] == [0, 1, 2]
    for path, segments in (("day=1/", 100), ("texts/t.tsv.gz", 9)):
        found = tables.score(f"{bucket}/{path}", "mt", "ref")
        assert as_dict(found)["segments"] == [segments]
    words = "s3://outputs/no.parquet"
    raises(FileNotFoundError, words, tables.score, f"{bucket}/no.parquet", "mt", "ref")
    raises(ValueError, "no column 'x'", tables.score, paths[1], "x", "ref")


def test_urls_of_fsspec():
    """What pyarrow cannot open."""
    system = host("fsspec").filesystem("memory")
    for number, part in enumerate(PARTS):
        with system.open(f"/outputs/{number}.parquet", "wb") as file:
            pq.write_table(pa.table(part), file)
    for path in ("memory://outputs/*.parquet", "memory://outputs"):
        assert as_dict(tables.score(path, "mt", ["ref", "other"], by=BY)) == EXPECTED


PATTERNS = ["d/[!a]?.csv", "d/**", "**/*.csv", "d/**/?b.csv"]


@pytest.mark.parametrize("pattern", PATTERNS)
def test_patterns_of_urls_are_those_of_paths(pattern, tmp_path):
    for name in ("d/aa.csv", "d/bb.csv", "d/e/ab.csv"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        write({"mt": [name], "ref": [name]}, tmp_path / name)
    [*of_url] = tables.sentence_scores(f"file://{tmp_path}/{pattern}", "mt", "ref")
    [*of_path] = tables.sentence_scores(f"{tmp_path}/{pattern}", "mt", "ref")
    assert of_url == of_path


def test_scores_of_a_stream_are_written_lazily(tmp_path):
    """By the writers of pyarrow and DuckDB, from files and from a lazy frame; also as CSV."""
    dataset = importlib.import_module("pyarrow.dataset")
    polars, duckdb = host("polars"), host("duckdb")
    for number, part in enumerate(PARTS):
        write(part, tmp_path / f"{number}.parquet")
    expected = tables.sentence_scores(ITS, "mt", "ref")
    pattern = f"{tmp_path}/*.parquet"
    for table in (pattern, polars.scan_parquet(pattern)):
        found = tables.sentence_scores(table, "mt", "ref")
        dataset.write_dataset(
            found.to_reader(),
            tmp_path / "scores",
            format="parquet",
            existing_data_behavior="overwrite_or_ignore",
        )
        assert as_dict(dataset.dataset(tmp_path / "scores").to_table()) == expected
    counted = tables.count(pattern, "mt", "ref").to_reader()  # noqa: F841 (DuckDB finds it)
    duckdb.sql(f"COPY (FROM counted) TO '{tmp_path}/counts.csv'")
    assert sum(csv.read_csv(tmp_path / "counts.csv")["hyp_len"].to_pylist()) == sum(
        tables.count(ITS, "mt", "ref")["hyp_len"]
    )
    stream = pa.RecordBatchReader.from_stream(tables.sentence_scores(pattern, "mt", "ref"))
    assert stream.read_all()["bleu"].to_pylist() == expected["bleu"]
    empty = pa.table(ITS).slice(0, 0).to_reader()
    raises(ValueError, "the table is empty", tables.sentence_scores(empty, "mt", "ref").to_reader)


def test_parts_of_other_columns_than_the_first():
    one = pa.table({"mt": ["a b"], "ref": ["a b"], "key": [1]})
    for other in (one.drop_columns("key"), one.set_column(2, "key", [[1.5]])):
        reader = tables.sentence_scores([one, other], "mt", "ref").to_reader()
        raises(ValueError, "part 1 of the table differs from part 0", reader.read_all)


def test_every_batch_of_a_parquet_file_counts(tmp_path, monkeypatch):
    monkeypatch.setattr("fastbleu.tables.data_files.CHUNK_ROWS", 70)
    pq.write_table(pa.table(ITS), tmp_path / "t.parquet", row_group_size=110)
    found = tables.score(tmp_path / "t.parquet", "mt", ["ref", "other"], by=BY)
    assert as_dict(found) == EXPECTED
