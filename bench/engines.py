"""BLEU by group on engines, beside jobs that only read the same columns.

Parquet files with nine groups of rows are read by two workers on this machine. Spark and Ray work
in other processes and are timed by the clock; of the others the CPU time of both threads is taken.
"""

import os
import sys
from functools import cache, partial
from tempfile import TemporaryDirectory

from cases import Case, Side
from workloads import Corpus, latin

BY = ["system", "lang"]


@cache
def folder() -> TemporaryDirectory:
    return TemporaryDirectory()


def parquet_files(corpus: Corpus) -> tuple[str, None]:
    """Write the rows, in the order of their groups, to files of equal length, once."""
    path, rows = folder().name, len(corpus)
    if not os.listdir(path):
        import pyarrow
        import pyarrow.parquet

        groups = [f"system {row * 9 // rows}" for row in range(rows)]
        columns = {"mt": corpus.hypotheses, "ref": corpus.references[0], "system": groups}
        table = pyarrow.table(columns | {"lang": ["de"] * rows})
        for number in range(8):
            first, last = (rows * part // 8 for part in (number, number + 1))
            part, file = table.slice(first, last - first), f"{path}/{number}.parquet"
            pyarrow.parquet.write_table(part, file, row_group_size=1 << 17)
    return path, None


def spark(only_reads: bool, path, _):
    os.environ["PYSPARK_PYTHON"] = sys.executable
    import pyarrow
    from pyspark.sql import SparkSession

    from fastbleu.integrations import spark

    builder = SparkSession.builder.master("local[2]")
    for name, value in {
        "ui.enabled": "false",
        "driver.bindAddress": "127.0.0.1",
        "driver.host": "127.0.0.1",
        "driver.memory": "4g",
        "sql.execution.arrow.maxRecordsPerBatch": str(1 << 16),
        "sql.shuffle.partitions": "2",
    }.items():
        builder = builder.config(f"spark.{name}", value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    frame = session.read.parquet(path).select("mt", "ref", *BY)

    def read(batches):
        yield pyarrow.RecordBatch.from_pydict({"rows": [sum(map(len, batches))]})

    if only_reads:
        return lambda: frame.mapInArrow(read, "rows long").agg({"rows": "sum"}).collect()
    return lambda: spark.score(frame, "mt", ["ref"], by=BY).collect()


def ray(only_reads: bool, path, _):
    import pyarrow
    import ray

    from fastbleu.integrations import ray as on_ray

    if not ray.is_initialized():
        ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, configure_logging=False)
    ray.data.DataContext.get_current().enable_progress_bars = False
    dataset = ray.data.read_parquet(path, columns=["mt", "ref", *BY])

    def read(batch):
        return pyarrow.table({"rows": [len(batch)]})

    options = {"batch_format": "pyarrow", "batch_size": None, "zero_copy_batch": True}
    if only_reads:  # and adds up here, as `score` does it, and not by a shuffle of Ray's
        return lambda: sum(row["rows"] for row in dataset.map_batches(read, **options).iter_rows())
    return lambda: on_ray.score(dataset, "mt", ["ref"], by=BY).take_all()


def duckdb(only_reads: bool, path, _):
    import duckdb
    import pyarrow

    from fastbleu.integrations.duckdb import register

    connection = duckdb.connect(config={"threads": 2})
    register(connection)

    def taken(hypotheses: pyarrow.Array, references: pyarrow.Array) -> pyarrow.Array:
        return pyarrow.repeat(pyarrow.scalar(1), len(hypotheses))

    # What a function of Arrow that only takes the columns costs: DuckDB makes these for any.
    types = ["VARCHAR", "VARCHAR"], "BIGINT"
    connection.create_function("taken", taken, *types, type="arrow", null_handling="special")
    function = "sum(taken(mt, ref))" if only_reads else "bleu_corpus(mt, ref)"
    query = f"SELECT system, lang, {function} FROM '{path}/*.parquet' GROUP BY system, lang"
    return lambda: connection.sql(query).fetchall()


def polars(only_reads: bool, path, _):
    os.environ["POLARS_MAX_THREADS"] = "2"
    import polars

    import fastbleu.integrations.polars  # noqa: F401

    frame = polars.scan_parquet(f"{path}/*.parquet").select("mt", "ref", *BY)
    if only_reads:
        return frame.collect
    return lambda: frame.group_by(BY).agg(polars.col("mt").bleu.corpus("ref")).collect()


def tables(only_reads: bool, path, _):
    """One process with two threads, without an engine."""
    from fastbleu import BLEU, tables
    from fastbleu.tables.data_files import Files, ReadOptions

    if only_reads:
        return lambda: sum(map(len, Files(path, ["mt", "ref", *BY], [], ReadOptions())))
    return lambda: tables.score(path, "mt", ["ref"], by=BY, metric=BLEU(threads=2))


def case(title: str, engine: Side, rows: int, has_threads: bool = False) -> Case:
    return Case(
        f"engines-{engine.__name__}",
        title,
        rows,
        latin,
        parquet_files,
        ours=partial(engine, False),
        others={"only reading": partial(engine, True)},
        notes={"only reading": ""},
        per="segment",
        has_threads=has_threads,
    )


CASES = (
    case("Spark, `local[2]`", spark, 4_000_000, has_threads=True),
    case("Ray Data, 2 cores", ray, 4_000_000, has_threads=True),
    case("DuckDB, `bleu_corpus` by group", duckdb, 1_000_000),
    case("polars, `bleu.corpus` in `agg`", polars, 1_000_000),
    case("`tables.score(path, by=..., metric=BLEU(threads=2))`", tables, 1_000_000),
)
