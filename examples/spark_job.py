"""BLEU by group of a table in Spark: see `--help`. Without a path a small table is made."""

import argparse
import os
import sys

# The workers must run the Python that has fastbleu.
os.environ.setdefault("PYSPARK_PYTHON", sys.executable)

from pyspark.sql import SparkSession

from fastbleu.integrations import spark

ROWS = [
    ("old", "en", "The cat sat on a mat.", "The cat sat on the mat."),
    ("old", "en", "All night it rained.", "It rained all night long."),
    ("new", "en", "The cat sat on the mat.", "The cat sat on the mat."),
    ("new", "en", "It rained all night.", "It rained all night long."),
]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("path", nargs="?", help="a Parquet file or directory")
    parser.add_argument("--hypothesis", default="mt", help="column (default: mt)")
    parser.add_argument("--references", nargs="+", default=["ref"], help="columns (default: ref)")
    parser.add_argument("--by", nargs="*", default=["system", "lang"], help="columns")
    parser.add_argument("--output", help="a directory for the scores as Parquet")
    # The 4 are tries: with local[2] a job fails when one worker is killed.
    parser.add_argument("--master", help="Spark's master, such as local[2,4]")
    options = parser.parse_args()

    builder = SparkSession.builder.appName("BLEU by group")
    if options.master:
        builder = builder.master(options.master)
    session = builder.getOrCreate()
    try:
        if options.path:
            table = session.read.parquet(options.path)
        else:
            table = session.createDataFrame(ROWS, ["system", "lang", "mt", "ref"])
        found = spark.score(table, options.hypothesis, options.references, by=options.by)
        if options.output:
            found.write.parquet(options.output)
        else:
            found.show(1000, truncate=False)
    finally:
        session.stop()


if __name__ == "__main__":
    main()
