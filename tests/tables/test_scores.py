"""Tables by group: equal to scoring each group by itself, for every library, dialect and chunk."""

import datetime
import runpy
from decimal import Decimal
from itertools import pairwise

import numpy as np
import pytest
from commands import EXAMPLES
from hosts import host
from table_families import (
    FAMILIES,
    as_dict,
    check,
    columns,
    expected,
    groups_of,
    table_of,
    texts,
    write,
)

from fastbleu import BLEU, InputWarning, tables
from fastbleu.significance import bootstrap, resampling
from fastbleu.tables import groups, sources

for name in ("narwhals", "pyarrow"):
    host(name)

pytestmark = pytest.mark.filterwarnings("ignore::fastbleu.InputWarning")
BY = ["system", "lang"]


@pytest.fixture(params=FAMILIES)
def family(request, monkeypatch):
    """Each library; its table is read in small chunks and parts, that of dicts as usual."""
    table_of(request.param, {"a": [1]})
    if request.param != "dict":
        monkeypatch.setattr(sources, "CHUNK_ROWS", 7)
        monkeypatch.setattr(groups, "part_rows", lambda threads: 3)
    return request.param


DAYS = [datetime.date(2026, 1, day) for day in (1, 2)]
KEYS = [
    ["a", "b", None],
    ["a" * 15, "a" * 16, "a" * 15 + "b"],
    ["", None, "None"],
    [1, 7, 2],
    [2**53, 2**53 + 1, None],
    [True, False, None],
    [0.5, None, -1.0],
    [*DAYS, None],
    [datetime.datetime(2026, 1, 1, hour, tzinfo=datetime.UTC) for hour in (0, 1, 2)],
    [Decimal("0.1"), Decimal("0.2"), None],
]


@pytest.mark.parametrize("keys", KEYS, ids=str)
def test_keys_in_the_order_of_groups_and_scattered(family, keys):
    its = columns(120)
    for place in (lambda row: row // 20 % 3, lambda row: row * row % 5 % 3):
        its["key"] = [keys[place(row)] for row in range(120)]
        table = table_of(family, its)
        if family == "pandas":  # as pandas 2 has all columns of text
            table = table.astype({"key": object})
            its["key"] = as_dict(table)["key"]
        for by in (["key"], ["system", "key"]):
            found = tables.score(table, "mt", "ref", by=by)
            check(found, expected(lambda key: BLEU(), its, by, ["ref"]), by)


def test_a_dialect_whose_counts_do_not_add_up_is_not_streamed():
    its = columns(90)
    metric = BLEU("fairseq")
    with pytest.raises(ValueError, match="'fairseq' does not support update"):
        tables.score(iter([its]), "mt", "ref", metric=metric)
    with pytest.raises(ValueError, match="one reference for each segment"):
        tables.score(its, "mt", ["ref", "other"], metric=metric)


def test_a_tokenizer_for_each_language(family):
    its = columns()
    names = {"zh": "zh", "de": "intl", None: "char"}
    how = {"language": "lang", "tokenizers": names}
    table = table_of(family, its)
    found = tables.score(table, "mt", ["ref", "other"], by=BY, **how)
    wanted = expected(lambda key: BLEU(tokenize=names[key[1]]), its, BY, ["ref", "other"])
    check(found, wanted, BY)
    scores = as_dict(tables.sentence_scores(table, "mt", "ref", **how))["bleu"]
    counts = as_dict(tables.count(table, "mt", "ref", **how))["hyp_len"]
    for lang, name in names.items():
        rows = [row for row, its_lang in enumerate(its["lang"]) if its_lang == lang]
        part = [[its[name][row] for row in rows] for name in ("mt", "ref")]
        assert [scores[row] for row in rows] == BLEU(tokenize=name).sentence_scores(*part).tolist()
        lengths = BLEU(tokenize=name).count(*part).hyp_lens.tolist()
        assert [counts[row] for row in rows] == lengths


@pytest.mark.parametrize("metric", [BLEU(), BLEU("nltk", smooth_method="floor")])
def test_intervals(family, metric):
    its = columns()
    its = {name: [*values, values[0]] for name, values in its.items()}
    its["system"][-1] = "alone"
    how = {"confidence": 0.9, "samples": 40, "seed": 3}
    found = as_dict(
        tables.score(table_of(family, its), "mt", "ref", by="system", metric=metric, **how)
    )
    for row, ((key,), numbers) in enumerate(groups_of(its, ["system"]).items()):
        low = high = None
        if key != "alone":
            texts = ([its[name][n] for n in numbers] for name in ("mt", "ref"))
            interval = bootstrap(*texts, metric=metric, **how)
            low, high = interval.low, interval.high
        assert (found["system"][row], found["low"][row], found["high"][row]) == (key, low, high)


@pytest.mark.parametrize("longest", [100, 20_000, 65_535, 65_536])
def test_intervals_of_long_segments_in_parts(longest, monkeypatch):
    """Rows are kept in few bytes, and samples drawn in parts: no interval changes."""
    its = columns()
    its["mt"][7] = its["ref"][7] = "a " * longest
    how = {"confidence": 0.9, "samples": 40, "seed": 3}
    wanted = bootstrap(its["mt"], its["ref"], **how)
    monkeypatch.setattr(resampling, "COUNTED_SEGMENTS", 37)
    found = tables.score(its, "mt", "ref", metric=BLEU(threads=2), **how)
    assert (found["low"], found["high"]) == ([wanted.low], [wanted.high])
    its["fifth"] = [row % 5 for row in range(200)]  # groups of one size, which share their draws
    monkeypatch.setattr(groups, "_GROUPS", 2)
    parts = [{name: values[a : a + 60] for name, values in its.items()} for a in range(0, 200, 60)]
    for by in ("system", "fifth"):
        found = tables.score(parts, "mt", "ref", by=by, **how)
        for row, ((key,), numbers) in enumerate(groups_of(its, [by]).items()):
            texts = ([its[name][n] for n in numbers] for name in ("mt", "ref"))
            interval = bootstrap(*texts, **how)
            bounds = (key, interval.low, interval.high)
            assert (found[by][row], found["low"][row], found["high"][row]) == bounds


def test_intervals_of_totals_below_zero():
    """Those of e2e are, of segments shorter than an order."""
    its = {
        "mt": ["a b", "x", "", "the cat sat on the mat"] * 9,
        "ref": ["a c", "x y", "z", "b"] * 9,
    }
    its["ref"][3::4] = ["the cat sat on a mat today"] * 9
    how = {"confidence": 0.9, "samples": 40, "seed": 3}
    metric = BLEU("e2e")
    wanted = bootstrap(its["mt"], its["ref"], metric=metric, **how)
    found = tables.score(its, "mt", "ref", metric="e2e", **how)
    assert (found["low"], found["high"]) == ([wanted.low], [wanted.high])


def test_sentence_scores_and_statistics(family):
    its = columns(50)
    metric = BLEU(effective_order=True, max_ngram_order=2)
    table = table_of(family, its)
    found = tables.sentence_scores(table, "mt", ["ref"], metric=metric, column="score")
    assert type(found) is type(table)
    scores = as_dict(found)
    assert list(scores) == [*its, "score"]
    assert scores["score"] == metric.sentence_scores(its["mt"], its["ref"]).tolist()
    assert {name: scores[name] for name in its} == its
    counted = as_dict(tables.count(table, "mt", ["ref"], metric=metric))
    names = ["hyp_len", "ref_len", "matches_1", "matches_2", "totals_1", "totals_2"]
    assert list(counted) == [*its, *names]
    stats = np.stack([counted[name] for name in names], axis=1)
    np.testing.assert_array_equal(stats, metric.count(its["mt"], its["ref"]))


@pytest.mark.parametrize("labels", ["filtered", "repeated", "pairs"])
def test_the_index_and_attributes_of_pandas(labels):
    pandas = host("pandas")
    its = pandas.DataFrame(columns(60))
    if labels == "repeated":
        its.index = [row % 7 for row in range(60)]
    elif labels == "pairs":
        its.index = pandas.MultiIndex.from_product([range(6), range(10)])
    its.attrs = {"source": "WMT22"}
    its = its[its["system"] != "b"]
    plain = as_dict(its)
    scores = tables.sentence_scores(plain, "mt", "ref")["bleu"]
    found = tables.sentence_scores(its, "mt", "ref")
    assert found.index.equals(its.index)
    assert found.attrs == its.attrs
    assert found["bleu"].tolist() == scores
    if labels == "filtered":
        assert its.assign(bleu=found["bleu"])["bleu"].tolist() == scores
    counted = tables.count(its, "mt", "ref")
    assert (counted.index.equals(its.index), counted.attrs) == (True, its.attrs)
    parts = [its[:9], its[9:9], its[9:10], its[10:]]
    streamed = pandas.concat(list(tables.sentence_scores(iter(parts), "mt", "ref")))
    pandas.testing.assert_frame_equal(streamed, found)
    groups = tables.score(its, "mt", "ref", by="system")
    assert groups.index.tolist() == [0, 1]
    assert as_dict(groups) == tables.score(plain, "mt", "ref", by="system")


def test_missing_values(family):
    its = columns(60)
    its["mt"][11] = its["ref"][23] = None
    table = table_of(family, its)
    kept = [row for row in range(60) if row not in (11, 23)]
    present = {name: [values[row] for row in kept] for name, values in its.items()}
    with pytest.warns(InputWarning, match=r"left out 2 rows.*is row 11$"):
        found = tables.score(table, "mt", ["ref", "other"], by="system", missing="skip")
    wanted = expected(lambda key: BLEU(), present, ["system"], ["ref", "other"])
    check(found, wanted, ["system"])
    scores = as_dict(tables.sentence_scores(table, "mt", "ref", missing="skip"))["bleu"]
    assert [row for row, score in enumerate(scores) if score is None] == [11, 23]
    counts = as_dict(tables.count(table, "mt", "ref", missing="skip"))["hyp_len"]
    assert [row for row, count in enumerate(counts) if count is None] == [11, 23]
    if family in ("polars", "pyarrow"):
        part = table_of(family, {"mt": [None, "a"], "ref": ["a", "a"]})[:1]
        counted = host("pyarrow").table(tables.count(part, "mt", "ref", missing="skip"))
        assert {str(kind) for kind in counted.schema.types[2:]} == {"int64"}


def test_the_first_row_that_is_left_out_of_any_language():
    its = {"mt": ["a b", None, None], "ref": ["a b"] * 3, "lang": ["zh", "de", "zh"]}
    how = {"by": "lang", "language": "lang", "tokenizers": {None: "13a"}, "missing": "skip"}
    with pytest.warns(InputWarning, match=r"left out 2 rows.*the first is row 1$"):
        tables.score(its, "mt", "ref", **how)


LISTS = {
    "pyarrow": lambda pa, its: pa.table(its),
    "pyarrow large_list": lambda pa, its: pa.table(
        its | {"refs": pa.array(its["refs"], pa.large_list(pa.string()))}
    ),
    "pyarrow fixed_size_list": lambda pa, its: pa.table(
        its | {"refs": pa.array(its["refs"], pa.list_(pa.string(), 2))}
    ),
    "polars": lambda pa, its: host("polars").DataFrame(its),
    "polars Array": lambda pa, its: host("polars").DataFrame(
        its, schema_overrides={"refs": host("polars").Array(host("polars").String, 2)}
    ),
    "pandas": lambda pa, its: host("pandas").DataFrame(its),
    "pandas arrays": lambda pa, its: pa.table(its).to_pandas(),
    "pandas ArrowDtype": lambda pa, its: pa.table(its).to_pandas(
        types_mapper=host("pandas").ArrowDtype
    ),
    "dict": lambda pa, its: its,
}


@pytest.mark.parametrize(
    ("kind", "metric"),
    [
        *((kind, BLEU()) for kind in LISTS),
        *(("pyarrow", metric) for metric in (BLEU(tokenize=str.split), BLEU("nltk"))),
    ],
)
def test_a_missing_list_of_references(kind, metric):
    """By "empty" it is a list with one empty text."""
    refs = [["a b c d e", "a b"], None, ["c", None], ["a b c d e", "a"], None]
    its = {"mt": ["a b c d e", "c d", "x", "a b c", ""], "refs": refs, "lang": list("abbcd")}
    filled = its | {"refs": [[ref or "" for ref in some or [""]] for some in refs]}
    table = LISTS[kind](host("pyarrow"), its)
    for by in ("lang", ()):
        found = as_dict(tables.score(table, "mt", "refs", by=by, metric=metric, missing="empty"))
        wanted = tables.score(filled, "mt", "refs", by=by, metric=metric)
        names = ["bleu", "ref_len", "signature"]
        assert [found[name] for name in names] == [wanted[name] for name in names]
    counts = tables.count(table, "mt", "refs", metric=metric, missing="empty")["ref_len"]
    stats = metric.count(filled["mt"], filled["refs"])
    assert np.asarray(counts).tolist() == stats.ref_lens.tolist()
    if kind != "dict":
        columns = table["mt"], table["refs"]
        assert metric.count(*columns, missing="empty") == stats


def test_tokens_in_lists(family):
    its = {"mt": [t.split() for t in texts(40)], "ref": [t.split() for t in texts(40, 5)]}
    metric = BLEU(tokenize=False)
    found = as_dict(tables.score(table_of(family, its), "mt", ["ref"], metric=metric))
    assert found["bleu"] == [metric.score(its["mt"], [[ref] for ref in its["ref"]]).value]


def test_any_split_into_parts(family):
    """A stream of parts of any size, empty ones too, has the scores of the whole."""
    its = columns(80)
    whole = tables.score(table_of(family, its), "mt", ["ref"], by=BY)
    cuts = [0, 0, 1, 9, 9, 50, 80]
    parts = [
        table_of(family, {name: values[a:b] for name, values in its.items()})
        for a, b in pairwise(cuts)
        if b > a or family != "pandas"
    ]
    streamed = tables.score(iter(parts), "mt", ["ref"], by=BY)
    assert type(streamed) is type(whole)
    assert as_dict(streamed) == as_dict(whole)
    listed = tables.sentence_scores(iter(parts), "mt", ["ref"])
    assert not isinstance(listed, type(whole))
    scores = [score for part in listed for score in as_dict(part)["bleu"]]
    assert scores == as_dict(tables.sentence_scores(its, "mt", ["ref"]))["bleu"]


def test_metrics_are_left_alone():
    metric = BLEU(threads=2)
    metric.update(["a b c d e"], ["a b c d e"])
    before = metric.state.tolist()
    its = columns(40)
    found = tables.score(its, "mt", "ref", metric=metric, progress=True)
    assert found["bleu"] == [BLEU().score(its["mt"], its["ref"]).value]
    assert metric.state.tolist() == before
    assert metric.threads == 2


def test_keys_of_many_rows(family):
    """Keys are read in blocks; long ones are compared with those of blocks before."""
    rows = 10_000 if family == "dict" else 700  # which are read in chunks of 7
    its = {"mt": ["a b c d"] * rows, "ref": ["a b c d"] * rows}
    its["key"] = [f"a key of more than 15 bytes: {row * row % 5}" for row in range(rows)]
    its["number"] = [row % 9 for row in range(rows)]
    found = as_dict(tables.score(table_of(family, its), "mt", ["ref"], by=["key", "number"]))
    groups = groups_of(its, ["key", "number"])
    keys = list(zip(found["key"], found["number"], strict=True))
    assert keys == list(groups)
    assert found["segments"] == [len(numbers) for numbers in groups.values()]


def test_a_group_without_a_score_is_null_in_its_row():
    """multi-bleu.perl dies of hypotheses without tokens; the other groups have their scores."""
    table = {"mt": ["a b c d", "", "a b c d"], "ref": ["a b c d"] * 3, "system": ["x", "y", "z"]}
    metric = BLEU("multi-bleu")
    with pytest.warns(InputWarning, match="1 of 3 groups have no score: system='y': the hypoth"):
        found = tables.score(table, "mt", "ref", by="system", metric=metric)
    assert (found["bleu"], found["hyp_len"]) == ([100.0, None, 100.0], [4, 0, 4])
    with pytest.raises(ValueError, match="the hypotheses have no tokens at all"):
        tables.score({"mt": [""], "ref": ["a"]}, "mt", "ref", metric=metric)


def test_rows_that_are_added_up_now_and_then_all_count(monkeypatch):
    its = columns(90)
    whole = tables.score(its, "mt", "ref", by=BY)
    monkeypatch.setattr(sources, "CHUNK_ROWS", 44)
    monkeypatch.setattr(groups, "WAITING_ROWS", 9)
    assert tables.score([its], "mt", "ref", by=BY) == whole


def test_sums_are_not_adapted_again():
    """For multi-bleu.perl a reference is never farther than 9999 from its hypothesis."""
    its = {"mt": ["a b c d e"] * 2000, "ref": ["a b c d e" + " f" * 9] * 2000}
    metric = BLEU("multi-bleu")
    score = metric.score(its["mt"], its["ref"])
    found = tables.score(its, "mt", "ref", metric=metric)
    assert (found["bleu"], found["ref_len"]) == ([score.value], [2000 * 14])


def test_a_stream_gives_tables_like_its_first_part():
    its = columns(60)
    for first, second in ((its, table_of("pyarrow", its)), (table_of("pyarrow", its), its)):
        assert type(tables.score(iter([first, second]), "mt", "ref")) is type(first)


def test_the_example(tmp_path, monkeypatch, capsys):
    def printed(*words):
        monkeypatch.setattr("sys.argv", ["tables.py", *map(str, words)])
        runpy.run_path(str(EXAMPLES / "tables.py"), run_name="__main__")
        return capsys.readouterr().out.splitlines()

    its = columns(60)
    its["lang"] = [lang or "en" for lang in its["lang"]]
    wanted = expected(lambda key: BLEU(), its, BY, ["ref", "other"])
    found = printed(write(its, tmp_path / "its.parquet"))
    assert found == [f"{a:8} {b:4} {n:6} segments {score.value:6.2f}" for a, b, n, score in wanted]
    assert len(printed()) == 4
