"""Rows per second of BLEU by group on engines, beside jobs that only read the same columns.

    make VENV=.venv-engines .venv-engines/with-engines    # spark, ray
    make VENV=.venv-tables .venv-tables/with-tables       # duckdb, polars, tables
    .venv-engines/bin/python bench/engines.py [--rows 2000000] [--engines spark ray]

Parquet files with nine groups of rows are read by two workers on this machine. Both jobs of a round
run one after the other; a rate is that of the fastest round, which leaves out start and compiling.
Spark and Ray work in other processes, whose CPU time is not measured.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import pyarrow
import pyarrow.parquet
from workloads import load_corpus

BY = ["system", "lang"]
Job = Callable[[], object]


def write_table(path: Path, rows: int, compression: str) -> None:
    """Rows of WMT22, in the order of their groups, in files of equal length."""
    corpus = load_corpus().take(rows)
    groups = [f"system {row * 9 // rows}" for row in range(rows)]
    columns = {"mt": corpus.hypotheses, "ref": corpus.references[0], "system": groups}
    table = pyarrow.table(columns | {"lang": ["de"] * rows})
    files = 8
    for number in range(files):
        first, last = (rows * part // files for part in (number, number + 1))
        part = table.slice(first, last - first)
        options = {"row_group_size": 1 << 17, "compression": compression}
        pyarrow.parquet.write_table(part, path / f"{number}.parquet", **options)


def spark_jobs(path: Path) -> tuple[Job, Job]:
    os.environ["PYSPARK_PYTHON"] = sys.executable
    from pyspark.sql import SparkSession

    from fastbleu.integrations import spark

    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    builder = builder.config("spark.driver.bindAddress", "127.0.0.1")
    builder = builder.config("spark.driver.host", "127.0.0.1").config("spark.driver.memory", "4g")
    builder = builder.config("spark.ui.showConsoleProgress", "false")
    builder = builder.config("spark.sql.execution.arrow.maxRecordsPerBatch", str(1 << 16))
    session = builder.config("spark.sql.shuffle.partitions", "2").getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    frame = session.read.parquet(str(path)).select("mt", "ref", *BY)

    def read(batches):
        yield pyarrow.RecordBatch.from_pydict({"rows": [sum(map(len, batches))]})

    return (
        lambda: frame.mapInArrow(read, "rows long").agg({"rows": "sum"}).collect(),
        lambda: spark.score(frame, "mt", ["ref"], by=BY).collect(),
    )


def ray_jobs(path: Path) -> tuple[Job, Job]:
    import ray

    from fastbleu.integrations import ray as on_ray

    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, configure_logging=False)
    ray.data.DataContext.get_current().enable_progress_bars = False
    dataset = ray.data.read_parquet(str(path), columns=["mt", "ref", *BY])

    def read(batch):
        return pyarrow.table({"rows": [len(batch)]})

    options = {"batch_format": "pyarrow", "batch_size": None, "zero_copy_batch": True}
    # Added up here, as `score` does it, and not by a shuffle of Ray's.
    return (
        lambda: sum(row["rows"] for row in dataset.map_batches(read, **options).iter_rows()),
        lambda: on_ray.score(dataset, "mt", ["ref"], by=BY).take_all(),
    )


def duckdb_jobs(path: Path) -> tuple[Job, Job]:
    import duckdb

    from fastbleu.integrations.duckdb import register

    connection = duckdb.connect(config={"threads": 2})
    register(connection)
    rows = f"FROM '{path}/*.parquet' GROUP BY system, lang"
    # What a function of Arrow that only takes the columns costs: DuckDB makes these for any.
    connection.create_function(
        "taken", _taken, ["VARCHAR", "VARCHAR"], "BIGINT", type="arrow", null_handling="special"
    )
    return (
        lambda: connection.sql(f"SELECT system, lang, sum(taken(mt, ref)) {rows}").fetchall(),
        lambda: connection.sql(f"SELECT system, lang, bleu_corpus(mt, ref) {rows}").fetchall(),
    )


def _taken(hypotheses: pyarrow.Array, references: pyarrow.Array) -> pyarrow.Array:
    return pyarrow.repeat(pyarrow.scalar(1), len(hypotheses))


def polars_jobs(path: Path) -> tuple[Job, Job]:
    os.environ["POLARS_MAX_THREADS"] = "2"
    import polars

    import fastbleu.integrations.polars  # noqa: F401

    frame = polars.scan_parquet(path / "*.parquet").select("mt", "ref", *BY)
    score = polars.col("mt").bleu.corpus("ref")
    return (
        lambda: frame.collect(),
        lambda: frame.group_by(BY).agg(score).collect(),
    )


def tables_jobs(path: Path) -> tuple[Job, Job]:
    """One process with two threads, without an engine."""
    from fastbleu import tables
    from fastbleu.tables.data_files import Files

    columns = ["mt", "ref", *BY]
    return (
        lambda: sum(map(len, Files(path, columns, []))),
        lambda: tables.score(path, "mt", ["ref"], by=BY, threads=2),
    )


def seconds(job: Job) -> tuple[float, float]:
    """The time that a job takes, and that of this process on all cores."""
    start, cpu_start = time.perf_counter(), time.process_time()
    job()
    return time.perf_counter() - start, time.process_time() - cpu_start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rows", type=int, default=2_000_000)
    parser.add_argument("--compression", default="snappy", help="of the Parquet files")
    parser.add_argument("--rounds", type=int, default=5)
    engines = {"spark": spark_jobs, "ray": ray_jobs, "duckdb": duckdb_jobs, "polars": polars_jobs}
    engines["tables"] = tables_jobs
    parser.add_argument("--engines", nargs="+", choices=engines, default=["spark", "ray"])
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        write_table(Path(folder), options.rows, options.compression)
        for engine in options.engines:
            read, score = engines[engine](Path(folder))
            times = [(*seconds(read), *seconds(score)) for _ in range(options.rounds + 1)][1:]
            reading, cpu_reading, scoring, cpu_scoring = map(min, zip(*times, strict=True))
            print(
                f"{engine}: only reads {options.rows / reading:,.0f} rows/s, "
                f"scores {options.rows / scoring:,.0f} rows/s, {reading / scoring:.0%} of it; "
                f"in CPU time of this process {cpu_reading:.2f} s, {cpu_scoring:.2f} s, "
                f"{cpu_reading / cpu_scoring:.0%}"
            )


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main()
