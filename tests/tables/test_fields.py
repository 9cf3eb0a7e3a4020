"""Fields of structs as columns, such as "translation.de", of tables of every kind."""

import importlib
import json

import pytest
from commands import run
from generators import raises
from hosts import host
from table_families import as_dict, columns, write

from fastbleu import BLEU, tables

host("narwhals")
pa = host("pyarrow")

pytestmark = pytest.mark.filterwarnings("ignore::fastbleu.InputWarning")
ITS = {name: [value or "" for value in values] for name, values in columns(200).items()}
PAIRS = [{"de": mt, "en": ref} for mt, ref in zip(ITS["mt"], ITS["ref"], strict=True)]
META = [{"run": {"system": system}} for system in ITS["system"]]
NESTED = {"translation": PAIRS, "meta": META, "other": ITS["other"]}
NAMES = {"hypotheses": "translation.de", "references": ["translation.en", "other"]}
EXPECTED = tables.score(ITS, "mt", ["ref", "other"], by="system")
SCORES = tables.sentence_scores(ITS, "mt", ["ref", "other"])["bleu"]


def of_dataset(path):
    return importlib.import_module("pyarrow.dataset").dataset(write(NESTED, path / "t.parquet"))


KINDS = {
    "pyarrow": lambda path: pa.table(NESTED),
    "dict": lambda path: NESTED,
    "batches": lambda path: iter(pa.table(NESTED).to_batches(70)),
    "polars": lambda path: host("polars").DataFrame(NESTED),
    "lazy polars": lambda path: host("polars").LazyFrame(NESTED),
    "pandas": lambda path: pa.table(NESTED).to_pandas(types_mapper=host("pandas").ArrowDtype),
    "dataset": of_dataset,
    "datasets": lambda path: host("datasets").Dataset.from_dict(NESTED),
    "duckdb": lambda path: host("duckdb").connect().from_arrow(pa.table(NESTED)),
    "parquet": lambda path: write(NESTED, path / "t.parquet"),
    "files": lambda path: [write(NESTED, path / "t.arrow"), write(NESTED, path / "t.arrows")][0],
    "jsonl": lambda path: write(NESTED, path / "t.jsonl"),
    "jsonl.gz": lambda path: write(NESTED, path / "t.jsonl.gz"),
}


@pytest.mark.parametrize("kind", KINDS)
def test_fields_are_columns(kind, tmp_path):
    make = KINDS[kind]
    found = as_dict(tables.score(make(tmp_path), **NAMES, by="meta.run.system"))
    assert {name.rpartition(".")[2]: values for name, values in found.items()} == EXPECTED
    scored = tables.sentence_scores(make(tmp_path), **NAMES)
    parts = scored if isinstance(scored, tables.TableParts) else [scored]
    dicts = list(map(as_dict, parts))
    assert [score for part in dicts for score in part["bleu"]] == SCORES
    assert all([*part] == ["translation", "meta", "other", "bleu"] for part in dicts)
    words = r"no column 'translation.dee'; did you mean 'translation.de'\?"
    raises(ValueError, words, tables.score, make(tmp_path), "translation.dee", "other")
    raises(ValueError, "no column 'none.de'", tables.score, make(tmp_path), "none.de", "other")
    raises(ValueError, "no column 'other.de'", tables.score, make(tmp_path), "other.de", "other")


@pytest.mark.parametrize("name", ["t.jsonl", "t.parquet"])
def test_fields_are_columns_of_the_command(name, tmp_path):
    path = write(NESTED, tmp_path / name)
    words = f"{path}::translation.en", f"{path}::other", "-i", f"{path}::translation.de"
    score = BLEU().score(ITS["mt"], list(zip(ITS["ref"], ITS["other"], strict=True)))
    assert json.loads(run(*words, "-w", "17")[1])["score"] == score.value
    groups = json.loads(run(*words, "--by", "meta.run.system")[1])
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
