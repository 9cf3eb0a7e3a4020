"""Spark and Ray give the scores of one process, however rows are split, even if a worker is killed.

Make runs them in two processes, with `-k 'not ray'` and `-k ray`.
"""

import os
import subprocess
import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType

import pytest
from entry_points import rows
from generators import raises
from hosts import host
from table_families import columns, killer_of

from fastbleu import BLEU, tables

pa, pq = host("pyarrow"), host("pyarrow.parquet")
host("pyspark")
sql, ray, data = host("pyspark.sql"), host("ray"), host("ray.data")
spark, on_ray = host("fastbleu.integrations.spark"), host("fastbleu.integrations.ray")
groups = host("fastbleu.tables.groups")

pytestmark = pytest.mark.filterwarnings("default", "ignore::fastbleu.InputWarning")
BY = ["system", "lang"]
ITS = pa.table(columns(400))
RUNS = [0, *(pytest.param(run, marks=pytest.mark.long) for run in range(1, 5))]


@pytest.fixture(scope="module")
def session():
    """Two workers; a task may be tried four times."""
    os.environ["PYSPARK_PYTHON"] = sys.executable
    options = {"spark.ui.enabled": "false", "spark.sql.shuffle.partitions": "2"}
    options |= dict.fromkeys(["spark.driver.bindAddress", "spark.driver.host"], "127.0.0.1")
    options |= {"spark.sql.parquet.compression.codec": "uncompressed"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        builder = sql.SparkSession.builder.master("local[2,4]").config(map=options)
        session = builder.getOrCreate()
        session.sparkContext.setLogLevel("OFF")
        yield session
        session.stop()


@pytest.fixture(scope="module")
def cluster():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, configure_logging=False)
        data.DataContext.get_current().enable_progress_bars = False
        yield
        ray.shutdown()


@dataclass
class Engine:
    """Functions of an integration, and tables for them: in one part, in several, from files."""

    functions: ModuleType
    table: Callable
    split: Callable
    of_files: Callable
    unreadable: Callable
    part: str


def on_spark(session):
    return Engine(
        functions=spark,
        table=lambda its: session.createDataFrame(its).coalesce(1),
        # Most of 30 partitions by system are empty.
        split=lambda table, parts: table.repartition(parts, "system"),
        of_files=lambda folder: session.read.parquet(folder).withColumn(
            "path", sql.functions.input_file_name()
        ),
        unreadable=lambda: session.range(3).selectExpr("raise_error('it was read') mt", "'a' ref"),
        part="partition 0",
    )


def read(batch):
    raise AssertionError("it was read")


ON_RAY = Engine(
    functions=on_ray,
    table=data.from_arrow,
    split=lambda table, parts: table.repartition(parts),
    of_files=lambda folder: data.read_parquet(folder, include_paths=True),
    unreadable=lambda: data.from_arrow(ITS).map_batches(read),
    part="its block",
)


@pytest.fixture(params=["spark", "ray"])
def engine(request):
    if request.param == "spark":
        return on_spark(request.getfixturevalue("session"))
    request.getfixturevalue("cluster")
    return ON_RAY


def by_key(table):
    return sorted(rows(table), key=lambda row: str((row.get("system"), row.get("lang"))))


def wanted(references, by=BY, metric=None):
    return by_key(tables.score(ITS, "mt", references, by=by, metric=metric))


@pytest.mark.parametrize("parts", [1, 30])
def test_scores_do_not_depend_on_the_parts(engine, parts):
    table = engine.split(engine.table(ITS), parts)
    found = engine.functions.score(table, "mt", ["ref", "other"], by=BY)
    assert by_key(found) == wanted(["ref", "other"])


def test_empty_parts_and_no_keys(engine):
    nothing = engine.table(ITS.slice(0, 0))
    table = engine.table(ITS).union(nothing)
    assert by_key(engine.functions.score(table, "mt", "ref")) == wanted("ref", ())
    words = "there are no segments to score"
    raises(ValueError, words, engine.functions.score, nothing, "mt", "ref", by="system")


@pytest.mark.parametrize("run", RUNS)
def test_a_killed_worker(engine, tmp_path, run):
    flag = tmp_path / "killed"
    metric = BLEU(tokenize=killer_of(str(flag)))
    table = engine.table(ITS).repartition(3)
    found = by_key(engine.functions.score(table, "mt", ["ref"], by=BY, metric=metric))
    assert flag.exists()
    plain = wanted(["ref"], metric=BLEU(tokenize=str.split))
    for row in (*found, *plain):
        del row["signature"]  # it names the function
    assert found == plain


def test_tables_are_refused_by_other_functions(engine):
    table = engine.unreadable()
    message = r"the table is a (pyspark|ray)\..*fastbleu\.integrations\.(spark|ray)\.score"
    for call in (tables.score, tables.sentence_scores, tables.count):
        raises(TypeError, message, call, table, "mt", "ref")
        part = message.replace("the table", "part 0 of the table")
        raises(TypeError, part, lambda call=call: list(call([table], "mt", "ref")))


def test_errors(engine):
    score, table = engine.functions.score, engine.table(ITS)
    raises(ValueError, "has no column 'reff'; did you mean 'ref'", score, table, "mt", "reff")
    metric = BLEU("codexglue-summary")
    raises(ValueError, "does not support sums", score, table, "mt", "ref", metric=metric)
    texts = pa.array([None, *ITS["mt"].to_pylist()[1:]])
    holes = engine.table(ITS.set_column(ITS.column_names.index("mt"), "mt", texts))
    message = f"row 0 of {engine.part}: column 'mt' has no value"
    raises(Exception, message, score, holes, "mt", "ref")
    [row] = rows(score(holes, "mt", "ref", missing="skip"))
    assert row["segments"] == len(ITS) - 1


def test_errors_name_the_file_of_a_row(engine, tmp_path):
    its = pa.table({"mt": ["a b", None], "ref": ["a b"] * 2})
    pq.write_table(its, tmp_path / "its.parquet", compression="none")
    table, functions = engine.of_files(str(tmp_path)), engine.functions
    message = rf"row 1 of .*{engine.part} \(path '.*its\.parquet'\): column 'mt' has no value"
    for call in (functions.score, functions.count):
        raises(Exception, message, lambda call=call: rows(call(table, "mt", "ref")))


# --- Ray


def test_more_sums_than_are_kept_in_ray(cluster, monkeypatch):
    monkeypatch.setattr(groups, "WAITING_ROWS", 4)
    table = data.from_arrow(ITS).repartition(7)
    assert by_key(on_ray.score(table, "mt", ["ref"], by=BY)) == wanted(["ref"])


def test_a_block_of_null_keys_in_ray(cluster):
    nulls = ITS.set_column(ITS.column_names.index("lang"), "lang", pa.nulls(len(ITS)))
    both = on_ray.score(data.from_arrow([ITS, nulls]), "mt", ["ref"], by=BY)
    assert len(by_key(both)) == len(wanted(["ref"]))
    found = by_key(on_ray.score(data.from_arrow(nulls), "mt", ["ref"], by=BY))
    assert found == [row | {"lang": None} for row in wanted(["ref"], ["system"])]


# --- Spark


def test_a_frame_of_pandas_on_spark_is_refused(session):
    frame = on_spark(session).unreadable().pandas_api()
    raises(TypeError, r"fastbleu\.integrations\.spark\.score", tables.score, frame, "mt", "ref")


def test_a_missing_list_of_references(session):
    refs = [["a b c d e", "a b"], None, ["c", None], ["a b c d e", "a"]]
    its = {"mt": ["a b c d e", "c d", "x", "a b c"], "refs": refs, "system": list("abbc")}
    filled = its | {"refs": [[ref or "" for ref in some or [""]] for some in refs]}
    frame = session.createDataFrame(pa.table(its))
    found = spark.score(frame, "mt", "refs", by="system", missing="empty")
    assert rows(found) == rows(tables.score(filled, "mt", "refs", by="system"))
    column = spark.sentence("mt", "refs", missing="empty")
    scores = [row["score"] for row in rows(frame.withColumn("score", column))]
    assert scores == BLEU().sentence_scores(filled["mt"], filled["refs"]).tolist()
    spark.register(session, name="strict")
    for column in (
        *(spark.sentence("mt", "refs"), sql.functions.expr("strict_sentence(mt, refs)")),
        sql.functions.expr("strict_corpus(mt, refs)"),
    ):
        with pytest.raises(
            Exception, match=r"reference_1 is missing \(NULL\) in the row whose .*: leave"
        ):
            frame.select(column).collect()
    with pytest.raises(Exception, match="there is no column of references; pass at least one"):
        frame.select(sql.functions.expr("strict_sentence(mt)")).collect()


def test_sums_can_be_added_up_by_sql(session):
    frame = session.createDataFrame(ITS).repartition(7)
    sums = spark.sums(frame, "mt", ["ref", "other"], by=BY)
    assert by_key(tables.score_sums(sums.toArrow())) == wanted(["ref", "other"])
    sums.createOrReplaceTempView("sums")
    names = [name for name in sums.columns if name not in (*BY, "counted")]
    least = {"fewest_references": "min", "most_references": "max"}
    added = ", ".join(f"{least.get(name, 'sum')}({name}) {name}" for name in names)
    query = f"SELECT system, counted, {added} FROM sums GROUP BY system, counted"
    found = tables.score_sums(session.sql(query).toArrow())
    assert by_key(found) == wanted(["ref", "other"], "system")


def test_structured_streaming(session, tmp_path):
    """The recipe of docs/guides/engines.md."""
    (tmp_path / "in").mkdir()
    frame = session.createDataFrame(ITS).select("system", "mt", "ref")
    frame.repartition(4).write.mode("overwrite").parquet(str(tmp_path / "in"))

    def count(batch, number):
        sums = spark.sums(batch, "mt", ["ref"], by=["system"])
        sums.write.mode("overwrite").parquet(str(tmp_path / "sums" / f"batch={number}"))

    stream = session.readStream.schema(frame.schema).option("maxFilesPerTrigger", 1)
    stream = stream.parquet(str(tmp_path / "in")).writeStream.foreachBatch(count)
    stream = stream.option("checkpointLocation", str(tmp_path / "checkpoint"))
    stream.trigger(availableNow=True).start().awaitTermination()
    assert len(list((tmp_path / "sums").glob("batch=*"))) > 1
    found = tables.score_sums(tables.add_sums(tmp_path / "sums", by=["system"]))
    assert by_key(found) == wanted(["ref"], "system")


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
found = spark.score(frame, "mt", "ref", by="key").toArrow().to_pydict()
assert found == tables.score(its, "mt", "ref", by="key")
frame.createOrReplaceTempView("outputs")
spark.register(session)
[[corpus]] = session.sql("SELECT bleu_corpus(mt, ref) FROM outputs").collect()
assert corpus == tables.score(its, "mt", "ref")["bleu"][0]
scores = spark.sentence_scores(frame, "mt", "ref").toArrow()["bleu"].to_pylist()
assert scores == tables.sentence_scores(its, "mt", "ref")["bleu"]
session.stop()
"""


def test_spark_connect():
    """In a separate process, because a process has only one kind of session."""
    host("grpc")
    environment = {**os.environ, "PYSPARK_PYTHON": sys.executable}
    command = [sys.executable, "-c", CONNECT]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-2000:]
