"""Tables by group: equal to scoring each group by itself, for every library, dialect and chunk."""

import datetime
import warnings
from array import array
from decimal import Decimal
from itertools import pairwise

import numpy as np
import pytest
from generators import raises
from hosts import host
from table_families import FAMILIES, as_dict, check, columns, expected, groups_of, table_of, texts

from fastbleu import BLEU, InputWarning, dialects, tables
from fastbleu.significance import bootstrap
from fastbleu.tables import groups, sources
from fastbleu.tables._row_groups import RowGroups

pytestmark = pytest.mark.filterwarnings("ignore::fastbleu.InputWarning")
BY = ["system", "lang"]


@pytest.fixture(params=FAMILIES)
def family(request):
    table_of(request.param, {"a": [1]})
    return request.param


@pytest.fixture(params=[None, 7])
def chunk(request, monkeypatch):
    """Chunks and parts of the usual size, and small ones."""
    if request.param:
        monkeypatch.setattr(sources, "CHUNK_ROWS", request.param)
        monkeypatch.setattr(groups, "_PART_ROWS", 3)


@pytest.mark.usefixtures("chunk")
def test_groups(family):
    its = columns()
    table = table_of(family, its)
    found = tables.score(table, "mt", ["ref", "other"], by=BY)
    assert type(found) is type(table)
    check(found, expected(lambda key: BLEU(), its, BY, ["ref", "other"]), BY)
    found = tables.score(table, hypothesis="mt", references="ref", by="system", threads=2)
    check(found, expected(lambda key: BLEU(), its, ["system"], ["ref"]), ["system"])
    check(tables.score(table, "mt", ["ref"]), expected(lambda key: BLEU(), its, [], ["ref"]), [])


@pytest.mark.usefixtures("chunk")
def test_a_list_column_of_references(family):
    its = columns(120)
    its["refs"] = [
        [ref] if row % 3 else [ref, other]
        for row, (ref, other) in enumerate(zip(its["ref"], its["other"], strict=True))
    ]
    found = as_dict(tables.score(table_of(family, its), "mt", "refs", by="system"))
    for row, (key, numbers) in enumerate(groups_of(its, ["system"]).items()):
        score = BLEU().score(*([its[name][n] for n in numbers] for name in ("mt", "refs")))
        assert found["system"][row] == key[0]
        assert (found["bleu"][row], found["signature"][row]) == (score.value, score.signature)
    assert {text.partition("|")[0] for text in found["signature"]} == {"nrefs:var"}


@pytest.mark.usefixtures("chunk")
@pytest.mark.parametrize("name", dialects.names())
def test_every_dialect(name):
    if name in ("torchmetrics", "torcheval"):
        pytest.importorskip("torch")
    its = columns(90)
    its = {name: ["x " + t if name in ("mt", "ref") else t for t in c] for name, c in its.items()}
    metric = BLEU(dialect=name)
    found = tables.score(its, "mt", ["ref"], by="system", metric=metric)
    check(found, expected(lambda key: metric, its, ["system"], ["ref"]), ["system"])


@pytest.mark.usefixtures("chunk")
@pytest.mark.parametrize(
    "metric",
    [
        BLEU(dialect="coco", reference_length="average"),
        BLEU(dialect="nltk", smoothing="floor", lowercase=True),
        BLEU(max_order=2, weights=(0.3, 0.7), smoothing="add-k", reference_length="shortest"),
    ],
)
def test_parameters(family, metric):
    its = columns(90)
    references = ["ref", "other"]
    found = tables.score(table_of(family, its), "mt", references, by="lang", metric=metric)
    check(found, expected(lambda key: metric, its, ["lang"], references), ["lang"])


@pytest.mark.usefixtures("chunk")
@pytest.mark.parametrize("keys", [["a", "b", None], [1, 7, 2], [0.5, None, -1.0]], ids=str)
def test_a_table_in_the_order_of_its_groups(family, keys):
    its = columns(240)
    its["key"] = [keys[row // 40 % 3] for row in range(240)]
    table = table_of(family, its)
    for by in (["key"], ["key", "lang"]):
        found = tables.score(table, "mt", "ref", by=by)
        check(found, expected(lambda key: BLEU(), its, by, ["ref"]), by)


def test_a_dialect_whose_counts_do_not_add_up_is_not_streamed():
    its = columns(90)
    metric = BLEU(dialect="fairseq")
    with pytest.raises(ValueError, match="'fairseq' does not support update"):
        tables.score(iter([its]), "mt", "ref", metric=metric)
    with pytest.raises(ValueError, match="one reference for each segment"):
        tables.score(its, "mt", ["ref", "other"], metric=metric)


@pytest.mark.usefixtures("chunk")
def test_a_tokenizer_for_each_language(family):
    its = columns()
    names = {"zh": "zh", "de": "intl", None: "char"}
    how = {"language": "lang", "tokenize": names}
    table = table_of(family, its)
    found = tables.score(table, "mt", ["ref", "other"], by=BY, **how)
    wanted = expected(lambda key: BLEU(tokenize=names[key[1]]), its, BY, ["ref", "other"])
    check(found, wanted, BY)
    scores = as_dict(tables.sentence_scores(table, "mt", "ref", **how))["bleu"]
    counts = as_dict(tables.statistics(table, "mt", "ref", **how))["hyp_len"]
    for lang, name in names.items():
        rows = [row for row, its_lang in enumerate(its["lang"]) if its_lang == lang]
        part = [[its[name][row] for row in rows] for name in ("mt", "ref")]
        assert [scores[row] for row in rows] == BLEU(tokenize=name).sentence_scores(*part).tolist()
        lengths = BLEU(tokenize=name).statistics(*part).hyp_lens.tolist()
        assert [counts[row] for row in rows] == lengths


@pytest.mark.usefixtures("chunk")
@pytest.mark.parametrize("metric", [BLEU(), BLEU(dialect="nltk", smoothing="floor")])
def test_intervals(family, metric):
    its = columns()
    its = {name: [*values, values[0]] for name, values in its.items()}
    its["system"][-1] = "alone"
    how = {"confidence": 0.9, "samples": 40, "seed": 3}
    found = as_dict(
        tables.score(table_of(family, its), "mt", "ref", "system", metric=metric, **how)
    )
    chosen = {"dialect": metric.dialect}
    if metric.dialect == "nltk":
        chosen["smoothing"] = "floor"
    for row, ((key,), numbers) in enumerate(groups_of(its, ["system"]).items()):
        low = high = None
        if key != "alone":
            stats = metric.statistics(*([its[name][n] for n in numbers] for name in ("mt", "ref")))
            interval = bootstrap(stats, **how, **chosen)
            low, high = interval.low, interval.high
        assert (found["system"][row], found["low"][row], found["high"][row]) == (key, low, high)


def test_sentence_scores_and_statistics(family):
    its = columns(50)
    metric = BLEU(effective_order=True, max_order=2)
    table = table_of(family, its)
    found = tables.sentence_scores(table, "mt", ["ref"], metric=metric, name="score")
    assert type(found) is type(table)
    scores = as_dict(found)
    assert list(scores) == [*its, "score"]
    assert scores["score"] == metric.sentence_scores(its["mt"], its["ref"]).tolist()
    assert {name: scores[name] for name in its} == its
    counted = as_dict(tables.statistics(table, "mt", ["ref"], metric=metric))
    names = ["hyp_len", "ref_len", "matches_1", "matches_2", "totals_1", "totals_2"]
    assert list(counted) == [*its, *names]
    stats = np.stack([counted[name] for name in names], axis=1)
    np.testing.assert_array_equal(stats, metric.statistics(its["mt"], its["ref"]))


@pytest.mark.usefixtures("chunk")
def test_missing_values(family):
    its = columns(60)
    its["mt"][11] = its["ref"][23] = its["other"][31] = None
    table = table_of(family, its)
    for references in (["ref", "other"], ["ref"]):
        kept = [
            row
            for row in range(60)
            if None not in (its["mt"][row], *(its[name][row] for name in references))
        ]
        present = {name: [values[row] for row in kept] for name, values in its.items()}
        wanted = expected(lambda key: BLEU(), present, ["system"], references)
        with pytest.warns(InputWarning, match=rf"left out {60 - len(kept)} rows.*is row 11$"):
            found = tables.score(table, "mt", references, by="system", missing="skip")
        check(found, wanted, ["system"])
        filled = {name: [value or "" for value in values] for name, values in its.items()}
        found = tables.score(table, "mt", references, by="system", missing="empty")
        check(found, expected(lambda key: BLEU(), filled, ["system"], references), ["system"])
    scores = as_dict(tables.sentence_scores(table, "mt", "ref", missing="skip"))["bleu"]
    assert [row for row, score in enumerate(scores) if score is None] == [11, 23]
    counts = as_dict(tables.statistics(table, "mt", "ref", missing="skip"))["hyp_len"]
    assert [row for row, count in enumerate(counts) if count is None] == [11, 23]


def test_missing_values_in_lists(family):
    its = {"mt": ["a b", "c d"], "refs": [["a b", None], ["c d", "c"]]}
    table = table_of(family, its)
    raises(TypeError, "row 0: column 'refs' has no value", tables.score, table, "mt", "refs")
    found = as_dict(tables.score(table, "mt", "refs", missing="empty"))
    score = BLEU().score(its["mt"], [["a b", ""], ["c d", "c"]])
    assert (found["bleu"], found["ref_len"]) == ([score.value], [score.ref_len])


def test_tokens_in_lists(family):
    its = {"mt": [t.split() for t in texts(40)], "ref": [t.split() for t in texts(40, 5)]}
    metric = BLEU(tokenize=None)
    found = as_dict(tables.score(table_of(family, its), "mt", ["ref"], metric=metric))
    assert found["bleu"] == [metric.score(its["mt"], [[ref] for ref in its["ref"]]).value]


@pytest.mark.usefixtures("chunk")
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


def test_warnings_come_once_and_for_the_whole_table():
    its = {"mt": ["a b c d e ."] * 150, "ref": ["a b c d e ."] * 150, "system": ["x", "y"] * 75}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        tables.score(its, "mt", "ref", by="system")
    assert len(caught) == 1
    assert '150 hypotheses end in " ."' in str(caught[0].message)
    assert caught[0].filename == __file__


def test_metrics_are_left_alone():
    metric = BLEU(threads=2)
    metric.update(["a b c d e"], ["a b c d e"])
    before = metric.state.tolist()
    its = columns(40)
    found = tables.score(its, "mt", "ref", metric=metric, threads=1, progress=True)
    assert found["bleu"] == [BLEU().score(its["mt"], its["ref"]).value]
    assert metric.state.tolist() == before
    assert metric.threads == 2


def keys_of_all_kinds():
    """Three keys of each kind, by its name."""
    days = [datetime.date(2026, 1, day) for day in (1, 2, 3)]
    midnight = datetime.datetime(2026, 1, 1, tzinfo=datetime.timezone.utc)
    return {
        "short texts": ["a", "b", ""],
        "texts of 15 and 16 bytes": ["a" * 15, "a" * 16, "a" * 15 + "b"],
        "texts that look missing": ["", None, "None"],
        "integers": [0, 1, -1],
        "large integers": [2**53, 2**53 + 1, None],
        "booleans": [True, False, None],
        "floats": [0.5, -0.5, None],
        "dates": [days[0], days[1], None],
        "times": [midnight + datetime.timedelta(hours=hour) for hour in (0, 1, 2)],
        "decimals": [Decimal("0.1"), Decimal("0.2"), None],
    }


@pytest.mark.usefixtures("chunk")
@pytest.mark.parametrize("kind", keys_of_all_kinds())
def test_keys_of_all_kinds(family, kind):
    its, values = columns(60), keys_of_all_kinds()[kind]
    its["key"] = [values[row * row % 5 % 3] for row in range(60)]
    if family == "pandas":  # as pandas 2 has all columns of text
        table = table_of(family, its).astype({"key": object})
        its["key"] = as_dict(table)["key"]
    else:
        table = table_of(family, its)
    for by in (["key"], ["system", "key"], ["key", "lang"]):
        found = tables.score(table, "mt", ["ref"], by=by)
        check(found, expected(lambda key: BLEU(), its, by, ["ref"]), by)


def test_keys_of_many_rows(family):
    """Keys are read in blocks; long ones are compared with those of blocks before."""
    its = {"mt": ["a b c d"] * 10_000, "ref": ["a b c d"] * 10_000}
    its["key"] = [f"a key of more than 15 bytes: {row * row % 5}" for row in range(10_000)]
    its["number"] = [row % 7 for row in range(10_000)]
    found = as_dict(tables.score(table_of(family, its), "mt", ["ref"], by=["key", "number"]))
    groups = groups_of(its, ["key", "number"])
    keys = list(zip(found["key"], found["number"], strict=True))
    assert keys == list(groups)
    assert found["segments"] == [len(numbers) for numbers in groups.values()]


@pytest.mark.usefixtures("chunk")
@pytest.mark.parametrize("row", [0, 20, 59])
def test_a_missing_value_after_parts_that_were_counted(family, row):
    its = columns(60)
    its["ref"][row] = None
    table = table_of(family, its)
    match = f"^row {row}: column 'ref' has no value"
    raises(TypeError, match, tables.score, table, "mt", ["ref"], by="system")
    kept = {name: [*its[name][:row], *its[name][row + 1 :]] for name in its}
    found = tables.score(table, "mt", ["ref"], by="system", missing="skip")
    check(found, expected(lambda key: BLEU(), kept, ["system"], ["ref"]), ["system"])


def test_keys_in_a_dictionary_of_values():
    pyarrow = host("pyarrow")
    its = columns(60)
    for name in ("system", "lang"):
        table = pyarrow.table(its | {name: pyarrow.array(its[name]).dictionary_encode()})
        found = tables.score(table, "mt", ["ref"], by=name)
        check(found, expected(lambda key: BLEU(), its, [name], ["ref"]), [name])


def test_groups_of_rows():
    groups = RowGroups(5, 4)
    groups.split(np.array([7, -7, 7, 8, 7]))
    groups.split(np.array([0, 0, 1, 0, 0]))
    counts = array("q", range(20))
    groups.add(np.arange(2), counts[:8], np.ones(2, np.int64))
    groups.add(np.array([2, 4]), counts[8:16], np.array([3, 2]))
    totals = np.asarray(groups.totals).reshape(4, 8)
    assert totals.tolist() == [
        [0, 2, 1, 2, *(12 + 2 * column for column in range(4))],
        [1, 1, 1, 1, 4, 5, 6, 7],
        [2, 1, 3, 3, 8, 9, 10, 11],
        [0] * 8,  # of row 3, which was not added
    ]
    for wrong in (np.arange(4), np.zeros(5), np.zeros((5, 1), np.int64)):
        with pytest.raises(ValueError, match=r"there are 5 rows|expected (numbers|1 dim)"):
            groups.split(wrong)
    with pytest.raises(IndexError, match="there are 5 rows"):
        groups.add(np.array([5]), counts[:4], np.ones(1, np.int64))
    with pytest.raises(ValueError, match="expected 2 rows of 4 counts"):
        groups.add(np.array([0, 1]), counts[:4], np.ones(2, np.int64))
