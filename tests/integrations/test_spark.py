"""Spark: the scores of one process, however rows are partitioned, and if a worker is killed."""

import os
import subprocess
import sys
import warnings

import pytest
from generators import raises
from hosts import host
from table_families import as_dict, columns, killer_of

from fastbleu import BLEU, tables

pa = host("pyarrow")
host("pyspark")
sql = host("pyspark.sql")
spark = host("fastbleu.integrations.spark")

pytestmark = pytest.mark.filterwarnings("ignore::fastbleu.InputWarning", "default")
ROWS = 400
BY = ["system", "lang"]
ITS = columns(ROWS)
RUNS = [0, *(pytest.param(run, marks=pytest.mark.long) for run in range(1, 5))]


@pytest.fixture(scope="module")
def session():
    """Two workers; a task may be tried four times."""
    os.environ["PYSPARK_PYTHON"] = sys.executable
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        session = (
            sql.SparkSession.builder.master("local[2,4]")
            .config("spark.ui.enabled", "false")
            .config("spark.driver.bindAddress", "127.0.0.1")
            .config("spark.driver.host", "127.0.0.1")
            .config("spark.sql.shuffle.partitions", "2")
            .config("spark.sql.parquet.compression.codec", "uncompressed")
            .getOrCreate()
        )
        session.sparkContext.setLogLevel("OFF")
        yield session
        session.stop()


def by_key(table):
    its = as_dict(table)
    return sorted(zip(*its.values(), strict=True), key=lambda row: str(row[:2]))


@pytest.fixture(scope="module")
def wanted():
    return by_key(tables.score(pa.table(ITS), "mt", ["ref", "other"], by=BY))


@pytest.fixture(scope="module")
def frame(session):
    return session.createDataFrame(pa.table(ITS)).cache()


@pytest.mark.parametrize("how", [(1,), (7,), (30, "system")], ids=str)
def test_any_partitioning(frame, wanted, how):
    """Of 30 partitions by system most are empty."""
    found = spark.score(frame.repartition(*how), "mt", ["ref", "other"], by=BY)
    assert by_key(found.toArrow()) == wanted


def test_no_keys_and_no_rows(frame):
    found = spark.score(frame, "mt", "ref").toArrow()
    assert as_dict(found) == as_dict(tables.score(pa.table(ITS), "mt", "ref"))
    with pytest.raises(ValueError, match="there are no segments to score"):
        spark.score(frame.limit(0), "mt", "ref", by="system")


def test_a_missing_list_of_references(session):
    refs = [["a b c d e", "a b"], None, ["c", None], ["a b c d e", "a"]]
    its = {"mt": ["a b c d e", "c d", "x", "a b c"], "refs": refs, "system": list("abbc")}
    filled = its | {"refs": [[ref or "" for ref in some or [""]] for some in refs]}
    frame = session.createDataFrame(pa.table(its))
    found = spark.score(frame, "mt", "refs", "system", missing="empty")
    assert as_dict(found.toArrow()) == tables.score(filled, "mt", "refs", "system")
    column = spark.sentence_column("mt", "refs", missing="empty")
    scores = as_dict(frame.withColumn("score", column).toArrow())["score"]
    assert scores == BLEU().sentence_scores(filled["mt"], filled["refs"]).tolist()


def test_sums(frame, wanted):
    """They can be stored, and SQL can add them up."""
    sums = spark.sums(frame.repartition(7), "mt", ["ref", "other"], BY)
    assert by_key(tables.scores(sums.toArrow())) == wanted
    sums.createOrReplaceTempView("sums")
    names = [name for name in sums.columns if name not in (*BY, "counted")]
    least = {"fewest_references": "min", "most_references": "max"}
    added = ", ".join(f"{least.get(name, 'sum')}({name}) {name}" for name in names)
    query = f"SELECT system, counted, {added} FROM sums GROUP BY system, counted"
    found = tables.scores(frame.sparkSession.sql(query).toArrow())
    assert by_key(found) == by_key(tables.score(pa.table(ITS), "mt", ["ref", "other"], "system"))


def test_structured_streaming(session, tmp_path):
    """The recipe of docs/guides/other-engines.md."""
    (tmp_path / "in").mkdir()
    frame = session.createDataFrame(pa.table(ITS)).select("system", "mt", "ref")
    frame.repartition(4).write.mode("overwrite").parquet(str(tmp_path / "in"))

    def count(batch, number):
        sums = spark.sums(batch, "mt", ["ref"], by=["system"])
        sums.write.mode("overwrite").parquet(str(tmp_path / "sums" / f"batch={number}"))

    stream = session.readStream.schema(frame.schema).option("maxFilesPerTrigger", 1)
    stream = stream.parquet(str(tmp_path / "in")).writeStream.foreachBatch(count)
    stream = stream.option("checkpointLocation", str(tmp_path / "checkpoint"))
    stream.trigger(availableNow=True).start().awaitTermination()
    assert len(list((tmp_path / "sums").glob("batch=*"))) > 1
    found = tables.scores(tables.combine(tmp_path / "sums", by=["system"]))
    assert by_key(found) == by_key(tables.score(pa.table(ITS), "mt", ["ref"], "system"))


CONNECT = """
import sys, warnings
warnings.simplefilter("ignore")
import pyarrow
from pyspark.sql import SparkSession
from fastbleu import tables
from fastbleu.integrations import spark

session = SparkSession.builder.remote("local[2]").getOrCreate()
its = {"mt": ["a b c d e", "x y z w"] * 5, "ref": ["a b c d f", "x y z w"] * 5}
its["key"] = list("ab") * 5
frame = session.createDataFrame(pyarrow.table(its))
assert "connect" in type(frame).__module__
found = spark.score(frame, "mt", "ref", "key").toArrow().to_pydict()
assert found == tables.score(its, "mt", "ref", "key")
frame.createOrReplaceTempView("outputs")
spark.register(session)
[[corpus]] = session.sql("SELECT bleu_corpus(mt, ref) FROM outputs").collect()
assert corpus == tables.score(its, "mt", "ref")["bleu"][0]
scores = spark.sentence_scores(frame, "mt", "ref").toArrow()["bleu"].to_pylist()
assert scores == tables.sentence_scores(its, "mt", "ref")["bleu"]
session.stop()
"""


def test_spark_connect():
    """In a process of its own, because a process has one kind of session."""
    host("grpc")
    environment = {**os.environ, "PYSPARK_PYTHON": sys.executable}
    command = [sys.executable, "-c", CONNECT]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-2000:]


@pytest.mark.parametrize("run", RUNS)
def test_a_killed_worker(frame, tmp_path, run):
    flag = tmp_path / "killed"
    metric = BLEU(tokenize=killer_of(str(flag)))
    found = spark.score(frame.repartition(3), "mt", ["ref"], by=BY, metric=metric)
    rows = by_key(found.toArrow())
    assert flag.exists()
    plain = by_key(
        tables.score(pa.table(ITS), "mt", ["ref"], by=BY, metric=BLEU(tokenize=str.split))
    )
    # The signature names a function.
    assert [row[:-1] for row in rows] == [row[:-1] for row in plain]


@pytest.mark.parametrize("call", [tables.score, tables.sentence_scores, tables.statistics])
def test_a_frame_is_not_collected(session, call):
    read = session.range(3).selectExpr("raise_error('it was read') mt", "'a' ref")
    message = r"the table is a pyspark\..*fastbleu\.integrations\.spark\.score"
    raises(TypeError, message, call, read, "mt", "ref")
    raises(TypeError, message, call, read.pandas_api(), "mt", "ref")
    with pytest.raises(TypeError, match=message.replace("the table", "part 0 of the table")):
        list(call([read], "mt", "ref"))


def test_errors(session, frame):
    raises(ValueError, "has no column 'reff'; did you mean 'ref'", spark.score, frame, "mt", "reff")
    with pytest.raises(ValueError, match="does not support sums"):
        spark.score(frame, "mt", "ref", metric=BLEU(dialect="codexglue-summary"))
    holes = session.createDataFrame(pa.table(ITS | {"mt": [None, *ITS["mt"][1:]]})).coalesce(1)
    raises(
        Exception, "row 0 of partition 0: column 'mt' has no value", spark.score, holes, "mt", "ref"
    )
    found = spark.score(holes, "mt", "ref", missing="skip").toArrow()
    assert as_dict(found)["segments"] == [ROWS - 1]


def test_errors_name_the_file_of_a_row(session, tmp_path):
    its = pa.table({"mt": ["a b", None], "ref": ["a b"] * 2})
    session.createDataFrame(its).coalesce(1).write.parquet(str(tmp_path / "outputs"))
    frame = session.read.parquet(str(tmp_path / "outputs"))
    named = frame.withColumn("path", host("pyspark.sql.functions").input_file_name())
    for call in (spark.score, spark.sums, spark.sentence_scores, spark.statistics):
        message = r"row 1 of .*partition 0 \(path 'file:.*\.parquet'\): column 'mt' has no value"
        raises(Exception, message, lambda call=call: call(named, "mt", "ref").collect())
