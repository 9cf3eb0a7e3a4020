"""BLEU by group from a Parquet file: `python examples/tables.py [outputs.parquet]`.

Without a path a small file is made: the columns are system, lang, mt, ref and other.
"""

import sys
import tempfile
from pathlib import Path

import pyarrow
from pyarrow import parquet

from fastbleu import tables

ENGLISH = ["The cat sat on the mat.", "It rained all night long.", "A dog barked at the postman."]
GERMAN = ["Die Katze saß auf der Matte.", "Es regnete die ganze Nacht.", "Ein Hund bellte laut."]
OUTPUTS = {
    ("old", "en"): [
        "The cat sat on a mat.",
        "All night it rained.",
        "One dog barks at the postman.",
    ],
    ("new", "en"): ["The cat sat on the mat.", "It rained all night.", "A dog barked at the man."],
    ("old", "de"): [
        "Die Katz saß auf der Matte.",
        "Es regnete ganze Nacht.",
        "Ein Hund bellt laut.",
    ],
    ("new", "de"): [
        "Die Katze saß auf der Matte.",
        "Es regnete die Nacht.",
        "Ein Hund bellte laut.",
    ],
}


def make_file(path):
    """Write the table: a row for each output of each system."""
    rows = []
    for (system, lang), outputs in OUTPUTS.items():
        references = ENGLISH if lang == "en" else GERMAN
        for mt, ref in zip(outputs, references, strict=True):
            rows.append(
                {"system": system, "lang": lang, "mt": mt, "ref": ref, "other": ref.lower()}
            )
    parquet.write_table(pyarrow.Table.from_pylist(rows), path)
    return path


def main():
    with tempfile.TemporaryDirectory() as folder:
        path = sys.argv[1] if sys.argv[1:] else make_file(Path(folder) / "outputs.parquet")

        scores = tables.score(path, "mt", ["ref", "other"], by=["system", "lang"])
        for row in scores.to_pylist():
            print(
                f"{row['system']:8} {row['lang']:4} {row['segments']:6} segments {row['bleu']:6.2f}"
            )


if __name__ == "__main__":
    main()
