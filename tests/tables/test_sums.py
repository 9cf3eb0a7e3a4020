"""Stored sums: scored, added up, and changed by SQL, with the scores of the texts themselves."""

import importlib
import json
import pickle
import pickletools
from itertools import pairwise
from pathlib import Path

import pytest
from generators import raises
from hosts import host
from metrics import count
from table_families import FAMILIES, as_dict, columns, table_of, write

from fastbleu import BLEU, InputWarning, tables

host("narwhals")
pa = host("pyarrow")
pq = importlib.import_module("pyarrow.parquet")

pytestmark = pytest.mark.filterwarnings("ignore::fastbleu.InputWarning")
ITS = columns(300)
BY = ["system", "lang"]
REFERENCES = ["ref", "other"]
LANGUAGES = {"language": "lang", "tokenizers": {"zh": "zh", None: "13a"}}
COUNTS = ["hyp_len", "ref_len", *(f"{k}_{n}" for k in ("matches", "totals") for n in (1, 2, 3, 4))]
SUMS = ", ".join(f"sum({name}) AS {name}" for name in ["segments", *COUNTS])
SUMS += ", min(fewest_references) AS fewest_references"
SUMS += ", max(most_references) AS most_references"
# Written before the first release: later ones must read them.
KEPT = Path(__file__).parent / "kept"


def same(found, expected):
    """The same rows, to the last bit, in any order."""
    found, expected = as_dict(found), as_dict(expected)
    assert list(found) == list(expected)
    rows = [sorted(zip(*its.values(), strict=True), key=str) for its in (found, expected)]
    assert rows[0] == rows[1]


METRICS = {
    "lowercase": {"lowercase": True, "tokenize": "intl"},
    "order": {"max_ngram_order": 2},
    "scores": {"smooth_method": "floor", "smooth_value": 0.5, "effective_order": True},
    "nltk": {"dialect": "nltk", "weights": (0.5, 0.3, 0.2), "max_ngram_order": 3},
    "multi-bleu": {"dialect": "multi-bleu"},
    "fairseq": {"dialect": "fairseq", "hashed": False},
    "length": {"dialect": "coco", "reference_length": "shortest"},
}


@pytest.mark.parametrize("missing", ["error", "empty", "skip", "ragged"])
@pytest.mark.parametrize("kind", ["texts", "tokens", "ids"])
def test_numbers_of_references(kind, missing):
    """Padding is no reference."""
    make = {"texts": lambda ids: " ".join(map(str, ids)), "tokens": lambda ids: [*map(str, ids)]}
    segments = [*map(make.get(kind, list), ([5, 6, 7, 8, 9], [5, 6, 7, 8], [1, 2, 3]))]
    several = [segments[:1], segments, segments[1:]]
    metric = BLEU() if kind == "texts" else BLEU(tokenize=False)
    if kind == "ids":
        metric = BLEU(tokenize=False, ignore_ids=(0,))
        several[0] = [*several[0], [0, 0]]
    table = pa.table({"mt": segments, "ref": several})
    [row] = tables.sums(table, "mt", "ref", metric=metric, missing=missing).to_pylist()
    assert (row["fewest_references"], row["most_references"]) == (1, 3)
    [row] = tables.score(table, "mt", "ref", metric=metric, missing=missing).to_pylist()
    score = metric.score(segments, several)
    assert (row["bleu"], row["signature"]) == (score.value, score.signature)


@pytest.mark.parametrize("missing", ["error", "empty", "skip", "ragged"])
def test_a_column_of_ids_is_one_reference(missing):
    ids, others = [[5, 6, 7, 8, 9], [5, 6, 7, 8]], [[5, 6, 7, 8, 1], []]
    metric = BLEU(tokenize=False)
    for family in ("pyarrow", "polars", "dict"):
        table = table_of(family, {"mt": ids, "ref": others})
        found = as_dict(tables.score(table, "mt", "ref", metric=metric, missing=missing))
        assert found["bleu"] == [metric.score(ids, [[ref] for ref in others]).value]


@pytest.mark.parametrize("name", METRICS)
def test_the_metric_comes_back(name):
    metric = BLEU(**METRICS[name])
    sums = tables.sums(ITS, "mt", ["ref"], by=BY, metric=metric)
    assert tables.score_sums(sums) == tables.score(ITS, "mt", ["ref"], by=BY, metric=metric)
    assert tables.add_sums(sums, sums)["segments"] == [2 * n for n in sums["segments"]]


def test_sums_of_a_corpus_do_not_tell_of_sentences():
    """Without effective_order, and with False, a corpus has one score."""
    sums = tables.sums(ITS, "mt", ["ref"], metric=BLEU(effective_order=False))
    assert tables.sums(ITS, "mt", ["ref"]) == sums
    assert tables.score_sums(sums) == tables.score_sums(sums, metric=BLEU(effective_order=False))


@pytest.mark.parametrize(
    ("family", "other"), [*pairwise(FAMILIES), (FAMILIES[-1], FAMILIES[0]), ("pandas", "pandas")]
)
def test_tables_of_two_libraries_are_added(family, other):
    keys = ["system", "year"]
    its = {**ITS, "year": [2020 + row % 3 for row in range(300)]}
    one, two = (
        tables.sums(table_of(library, its), "mt", "ref", by=keys) for library in (family, other)
    )
    both = tables.add_sums(one, two)
    assert type(both) is type(one)
    same(both, tables.add_sums(one, one))


@pytest.mark.parametrize("library", ["pyarrow", "polars", "pandas", "dict", "parquet", "parts"])
def test_sums_of_no_rows_are_an_empty_table(library, tmp_path):
    """They were an error; now a day without rows is added like any other."""
    table = pa.table({"mt": ["a b", "c"], "ref": ["a b", "d"], "key": pa.array([1, 2], pa.int32())})
    of_library = {
        "pyarrow": lambda table: table,
        "polars": lambda table: host("polars").from_arrow(table),
        "pandas": lambda table: table.to_pandas(),
        "dict": lambda table: table.to_pydict(),
        "parquet": lambda table: write(table, tmp_path / f"{len(table)}.parquet"),
        "parts": lambda table: iter(table.to_batches()),
    }[library]
    names = {"hypotheses": "mt", "references": "ref"}
    for by in (None, "key"):
        full = tables.sums(of_library(table), **names, by=by)
        empty = tables.sums(of_library(table[:0]), **names, by=by)
        found, expected = as_dict(empty), as_dict(full)
        assert found == {name: [] for name in expected}
        if library in ("pyarrow", "parquet", "polars"):
            assert empty.schema == full.schema
        for pair in ((empty, full), (full, empty), (empty, full, empty)):
            assert as_dict(tables.add_sums(*pair)) == expected
        nothing = tables.add_sums(empty, empty)
        assert as_dict(nothing) == found
        raises(ValueError, "no sums to score: the table has no rows", tables.score_sums, nothing)
        words = "the table has no rows"
        raises(ValueError, words, tables.score, of_library(table[:0]), **names, by=by)
    languages = {"by": "key", "language": "key", "tokenizers": {1: "char", None: "13a"}}
    for names_of in (languages, {"by": "key", "metric": "multi-bleu"}):
        empty = tables.sums(of_library(table[:0]), **names, **names_of)
        assert len(as_dict(empty)["segments"]) == 0
    none = {"mt": [], "ref": []}
    raises(ValueError, "the table has no rows", tables.score, none, **names, metric="fairseq")
    holes = {"mt": [None], "ref": ["a"]}
    with pytest.warns(InputWarning, match="left out 1 row, because"):
        assert tables.sums(holes, "mt", "ref", missing="skip")["segments"] == []


def test_a_key_of_the_name_that_sums_have():
    its = {"mt": ["a"], "ref": ["a"], "counted": ["b"]}
    raises(ValueError, "its own column 'counted'", tables.sums, its, "mt", "ref", by="counted")


def test_a_key_that_pandas_has_as_an_attribute():
    frame = host("pandas").DataFrame({"mt": ITS["mt"], "ref": ITS["ref"], "schema": ITS["system"]})
    sums = tables.sums([frame, frame], "mt", "ref", by="schema")
    half = tables.sums(frame, "mt", "ref", by="schema")
    same(tables.add_sums(sums), tables.add_sums(half, half))


@pytest.mark.parametrize("form", ["query", "pandas", "polars", "pyarrow"])
def test_sums_of_sql(form):
    duckdb = host("duckdb")
    sums = tables.sums(pa.table(ITS), "mt", REFERENCES, by=BY)  # noqa: F841 (DuckDB finds it)
    query = duckdb.sql(f"SELECT system, counted, {SUMS} FROM sums GROUP BY system, counted")
    found = {"query": lambda: query, "pandas": query.df, "polars": query.pl}
    found = found.get(form, query.to_arrow_table)()
    expected = tables.score(ITS, "mt", REFERENCES, by="system")
    same(tables.score_sums(found), expected)
    same(tables.score_sums(tables.add_sums(found)), expected)


def test_a_tokenizer_for_each_language():
    sums = tables.sums(ITS, "mt", ["ref"], by=BY, **LANGUAGES)
    expected = tables.score(ITS, "mt", ["ref"], by=BY, **LANGUAGES)
    assert tables.score_sums(sums) == expected
    assert len(set(sums["counted"])) == 2
    same(
        tables.score_sums(tables.add_sums(sums, by=["lang"])),
        tables.score(ITS, "mt", ["ref"], by=["lang"], **LANGUAGES),
    )
    raises(ValueError, "depends on 'lang': add it to by", tables.add_sums, sums, by="system")
    other = tables.sums(ITS, "mt", ["ref"], by=BY, language="lang", tokenizers={None: "13a"})
    raises(ValueError, "tokenize is 'zh' in some and '13a' in others", tables.add_sums, sums, other)
    # A metric gives the smoothing, and each language keeps its tokenizer.
    smoothed = tables.score_sums(sums, metric=BLEU(smooth_method="add-k"))
    metric = BLEU(smooth_method="add-k")
    assert smoothed == tables.score(ITS, "mt", ["ref"], by=BY, metric=metric, **LANGUAGES)


@pytest.mark.parametrize(
    ("options", "difference"),
    [
        ({"lowercase": True}, "lowercase is False in some and True in others"),
        ({"tokenize": "intl"}, "tokenize is '13a' in some and 'intl' in others"),
        ({"dialect": "nltk"}, "dialect is 'sacrebleu' in some and 'nltk' in others"),
        ({"smooth_method": "floor"}, "smooth_method is 'exp' in some and 'floor' in others"),
    ],
)
def test_sums_counted_with_other_options_are_refused(options, difference):
    one = tables.sums(ITS, "mt", ["ref"], by=BY)
    other = tables.sums(ITS, "mt", ["ref"], by=BY, metric=BLEU(**options))
    raises(ValueError, difference, tables.add_sums, one, other)
    raises(ValueError, difference, tables.add_sums, pa.table(one), iter([pa.table(other)]))
    if "smooth_method" in options:
        expected = tables.score(ITS, "mt", ["ref"], by=BY, metric=BLEU(**options))
        assert tables.score_sums(one, metric=BLEU(**options)) == expected
    else:
        name = difference.partition(" ")[0]
        words = f"{name} is .* in the metric"
        raises(ValueError, words, tables.score_sums, one, metric=BLEU(**options))


@pytest.mark.parametrize("family", FAMILIES)
def test_the_options_may_be_reformatted_by_a_database(family):
    sums = as_dict(tables.sums(ITS, "mt", "ref", by=BY))
    texts = [json.dumps(dict(sorted(json.loads(text).items()))) for text in sums["counted"]]
    one, other = table_of(family, sums), table_of(family, sums | {"counted": texts})
    same(tables.add_sums(one, other), tables.add_sums(one, one))


def test_other_rules_and_damaged_sums():
    sums = tables.sums(ITS, "mt", ["ref"], by=BY)
    rows = len(sums["counted"])
    newer = [text.replace('"rules": 1', '"rules": 2') for text in sums["counted"]]
    assert newer != sums["counted"]
    without = {name: values for name, values in sums.items() if name != "counted"}
    for damaged, words in (
        (sums | {"counted": newer}, "by rules 2, this version has rules 1"),
        (sums | {"counted": [None] * rows}, "'counted' has None"),
        (without, "has no column 'counted'"),
        (sums | {"matches_1": [10**6] * rows}, "row 0 of the sums: .*more matches than"),
    ):
        raises(ValueError, words, tables.score_sums, damaged)
    for wrong in (0.5, None, 2.0**60):
        damaged = sums | {"hyp_len": [wrong] * rows}
        raises(TypeError, "'hyp_len' holds a value that is not a count", tables.add_sums, damaged)
    words = "pass tables with the same keys"
    raises(ValueError, words, tables.add_sums, sums, sums | {"day": [1] * rows})
    raises(ValueError, "at least one table", tables.add_sums)


def test_a_function_as_tokenizer():
    metric = BLEU(tokenize=str.split)
    sums = tables.sums(ITS, "mt", ["ref"], by=BY, metric=metric)
    raises(ValueError, "pass metric=", tables.score_sums, sums)
    expected = tables.score(ITS, "mt", ["ref"], by=BY, metric=metric)
    assert tables.score_sums(sums, metric=metric) == expected
    by_language = LANGUAGES | {"tokenizers": {"zh": str.split, None: "13a"}}
    sums = tables.sums(ITS, "mt", ["ref"], by=BY, **by_language)
    words = "tokenize is 'function str.split' in the sums and '13a' in the metric"
    raises(ValueError, words, tables.score_sums, sums, metric=BLEU())
    expected = tables.score(ITS, "mt", ["ref"], by=BY, **by_language)
    assert tables.score_sums(sums, metric=metric) == expected


def test_metadata():
    expected = {"by": BY, "counted": [json.loads(tables.sums(ITS, "mt", "ref")["counted"][0])]}
    found = tables.add_sums(tables.sums(pa.table(ITS), "mt", "ref", by=BY))
    assert json.loads(found.schema.metadata[b"fastbleu.sums"]) == expected
    assert {str(found.schema.field(name).type) for name in COUNTS} == {"int64"}
    sums = tables.sums(host("pandas").DataFrame(ITS), "mt", "ref", by=BY)
    assert sums.attrs["fastbleu.sums"] == expected


@pytest.mark.parametrize("name", ["sums.parquet", "sums.arrow", "sums.csv", "languages.parquet"])
def test_files_of_the_first_release(name):
    found = tables.score_sums(KEPT / name)
    assert as_dict(found) == json.loads((KEPT / f"{name.partition('.')[0]}.json").read_text())
    assert as_dict(tables.score_sums(tables.add_sums(KEPT / name))) == as_dict(found)
    twice = tables.add_sums(KEPT / name, KEPT / name, by=["lang"])
    assert sum(as_dict(twice)["segments"]) == 10


METRIC = BLEU(tokenize="intl", keep_stats=True)
METRIC.update(ITS["mt"], ITS["ref"])
PICKLED = {
    "metric": METRIC,
    "rows": count([["a", "b"]], [[["a", "c"]]]),
    "score": BLEU().score(ITS["mt"], ITS["ref"]),
}


@pytest.mark.parametrize("name", PICKLED)
def test_pickles_name_public_paths_only(name):
    data = pickle.dumps(PICKLED[name], 2)  # whose opcodes name each path in full
    named = {argument for code, argument, _ in pickletools.genops(data) if code.name == "GLOBAL"}
    ours = {path for path in named if path.startswith("fastbleu")}
    assert ours <= {"fastbleu BLEU", "fastbleu Stats", "fastbleu Score"}
    assert pickle.loads(data) == PICKLED[name]


@pytest.mark.parametrize("name", ["metric", "rows"])
def test_pickles_of_the_first_release(name):
    kept = pickle.loads((KEPT / f"{name}.pickle").read_bytes())
    expected = {
        "metric": [[9, 9, 9, 7, 5, 3, 9, 7, 5, 3]],
        "rows": [[2, 2, 1, 0, 0, 0, 2, 1, 0, 0]],
    }
    rows = kept.stats.sum() if name == "metric" else kept
    assert rows.__array__().tolist() == expected[name]
