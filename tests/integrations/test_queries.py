"""Functions inside queries of polars, pandas, DuckDB, pyarrow and Dask: the scores of `BLEU`."""

import re

import pytest
from advice import cases, follow
from generators import raises
from hosts import host
from table_families import columns

from fastbleu import BLEU, InputWarning, tables

host("narwhals")
pa = host("pyarrow")
compute = host("pyarrow.compute")
pl, pd, duckdb = host("polars"), host("pandas"), host("duckdb")
dask, dd = host("dask"), host("dask.dataframe")
for name in ("polars", "pandas"):
    host(f"fastbleu.integrations.{name}")
on_duckdb = host("fastbleu.integrations.duckdb")
on_arrow = host("fastbleu.integrations.arrow")
on_dask = host("fastbleu.integrations.dask")

pytestmark = pytest.mark.filterwarnings("ignore::fastbleu.InputWarning")
ITS = columns(400)
LISTS = [list(pair) for pair in zip(ITS["ref"], ITS["other"], strict=True)]
HOLES = [None if row % 7 == 3 else text for row, text in enumerate(ITS["mt"])]
ALL = ITS | {"refs": LISTS, "holes": HOLES}


def by_system(references, hypotheses="mt", **how):
    found = tables.score(ALL, hypotheses, references, by="system", **how)
    return dict(zip(found["system"], found["bleu"], strict=True))


def sentences(references, hypotheses="mt", **how):
    return tables.sentence_scores(ALL, hypotheses, references, **how)["bleu"]


def connected(its=ALL):
    """DuckDB with a table `outputs`."""
    return duckdb.connect().register("outputs", pa.table(its))


def sql(query, connection=None, **options):
    connection = connection or connected()
    on_duckdb.register(connection, **options)
    return connection.execute(query).fetchone()


TABLE, DATABASE = pa.table(ALL), connected()
on_duckdb.register(DATABASE)
ADVICE = r"""
pl.DataFrame(ALL).select(pl.col("mt").bleu.corpus())
    pass at least one (column)
    pl.DataFrame(ALL).select(pl.col("mt").bleu.corpus("ref")).row(0)
pl.DataFrame(ALL).select(pl.col("mt").bleu.corpus(["ref", "other"]))
    as in (bleu.*\()"ref_1"(, )"ref_2"
    pl.DataFrame(ALL).select(pl.col("mt").{0}"ref"{1}"other")).row(0)
    sql("SELECT bleu_corpus(mt, ref, other) FROM outputs", num_references=2)
pl.DataFrame(ALL).select(pl.col("mt").bleu.corpus("ref", BLEU()))
    pass it as (metric=)
    pl.DataFrame(ALL).select(pl.col("mt").bleu.corpus("ref", {0}BLEU())).row(0)
pl.DataFrame(ALL).select(pl.col("holes").bleu.corpus("ref"))
    use empty texts with (missing="empty")
    pl.DataFrame(ALL).select(pl.col("holes").bleu.corpus("ref", {0})).row(0)
    sql("SELECT bleu_corpus(coalesce(holes, ''), ref) FROM outputs")
sql("SELECT bleu_corpus(holes, ref) FROM outputs")
    out with register\(connection, (missing="skip")\) or WHERE
    sql("SELECT bleu_corpus(holes, ref) FROM outputs", {0})
    sql("SELECT bleu_corpus(holes, ref) FROM outputs WHERE holes IS NOT NULL")
sql("SELECT 1", DATABASE.cursor())
    as in register\(cursor, (name="bleu_2")
    sql("SELECT bleu_2_corpus(mt, ref) FROM its", DATABASE.cursor().register("its", TABLE), {0})
"""


@pytest.mark.parametrize("case", cases(ADVICE), ids=lambda case: case[0])
def test_advice_is_typed(case):
    follow(case, globals(), 'sql("SELECT bleu_corpus(mt, ref) FROM outputs")')


def test_polars_with_nulls_and_filters():
    frame, own, options = pl.DataFrame(ALL), pl.col("mt"), {"missing": "skip"}

    def selected(table, expression):
        return table.select(expression).to_series().to_list()

    found = selected(frame, pl.col("holes").bleu.sentence("ref", **options))
    assert found == sentences("ref", hypotheses="holes", **options)
    corpus = pl.col("holes").bleu.corpus("ref", **options)
    groups = dict(frame.group_by("system").agg(corpus).iter_rows())
    assert groups == by_system("ref", hypotheses="holes", **options)
    is_a = pl.col("system") == "a"
    filtered = own.filter(is_a).bleu.corpus(pl.col("ref").filter(is_a))
    assert selected(frame, filtered) == [by_system("ref")["a"]]
    rows = zip(sentences("ref"), ITS["system"], strict=True)
    of_a = [score for score, system in rows if system == "a"]
    assert selected(frame.filter(is_a).slice(3), own.bleu.sentence("ref")) == of_a[3:]
    assert selected(frame.filter(pl.lit(False)), own.bleu.corpus("ref")) == [None]
    over = selected(frame, own.bleu.corpus("ref").over("system"))
    assert over == [by_system("ref")[system] for system in ITS["system"]]


def test_mistakes_with_polars():
    """A list of references used to be a literal with which each row was compared."""
    frame, own = pl.DataFrame(ALL), pl.col("mt").bleu
    for method in ("sentence", "corpus", "sums"):
        for side, other in (("holes", "ref"), ("mt", "holes")):
            words = r"column 'holes' is missing \(NULL\) in .*missing=\"skip\", or use"
            raises(Exception, words, frame.select, getattr(pl.col(side).bleu, method)(other))
        raises(TypeError, "there is no reference", getattr(own, method))
        for wrong in (["ref", "other"], ITS["ref"], None, BLEU()):
            words = "a reference is a.* expected the name of a column"
            raises(TypeError, words, getattr(own, method), wrong)
    words = (
        r"references is an Arrow column.*\(hypotheses: column 'mt'; references: column 'number'\)"
    )
    raises(Exception, words, frame.select, own.corpus(pl.lit(1).alias("number")))
    raises(TypeError, "is a BLEU, .*pass it as metric=", own.corpus, "ref", BLEU())
    raises(ValueError, "missing", own.sentence, "ref", missing="drop")
    series = pl.Series("r", ITS["ref"])
    assert frame.select(own.sentence(series)).to_series().to_list() == sentences("ref")


def test_pandas_with_nulls_and_mistakes():
    frame = pd.DataFrame(ALL)
    assert frame[frame["system"] == "b"].bleu.corpus("mt", "ref") == by_system("ref")["b"]
    skipped = frame.bleu.sentence("holes", "ref", missing="skip")
    assert skipped.index.equals(frame.index)
    assert skipped.isna().sum() == HOLES.count(None)
    for call in (frame.bleu.sentence, frame.bleu.corpus):
        raises(ValueError, "no column 'reff'; did you mean 'ref'", call, "mt", "reff")
        raises(ValueError, "no column 'mt_'; did you mean 'mt'", call, "mt_", ["ref"])
        raises(TypeError, "hypotheses is a Series, expected the name", call, frame["mt"], "ref")
        raises(TypeError, "references is a Series, expected the name", call, "mt", [frame["ref"]])
    numbered = frame.rename(columns={"lang": 7})
    raises(ValueError, "no column 'reff'", numbered.bleu.sentence, "mt", "reff")
    scores = frame.assign(bleu=frame["ref"]).bleu.sentence("mt", "bleu")
    assert scores.name == "bleu"
    assert scores.tolist() == sentences("ref")


def test_pyarrow_names_the_column_without_a_value():
    on_arrow.register(name="strict")
    columns = [pa.chunked_array([["a"], text]) for text in (["b"], [None])]
    for function in ("strict_sentence", "strict_corpus"):
        for name, chosen in (("reference_1", columns), ("hypothesis", columns[::-1])):
            words = rf"^{name} is missing \(NULL\) in the row whose .*: leave .* register\(missing="
            raises(TypeError, words, compute.call_function, function, chosen)


def test_a_group_without_a_score_says_why():
    """multi-bleu.perl dies of hypotheses without tokens."""
    its = {"mt": ["a b c d", "", "a b c d"], "ref": ["a b c d"] * 3, "system": ["x", "y", "z"]}
    metric = {"metric": "multi-bleu"}
    connection = connected(its)
    on_duckdb.register(connection, **metric)
    on_arrow.register(name="reasons", **metric)
    corpus = pl.col("mt").bleu.corpus("ref", **metric)
    query = "SELECT system, bleu_corpus(mt, ref) FROM outputs GROUP BY system"

    def in_arrow():
        grouped = pa.table(its).group_by("system").aggregate([(["mt", "ref"], "reasons_corpus")])
        return zip(*grouped.to_pydict().values(), strict=True)

    for groups in (
        lambda: pl.DataFrame(its).group_by("system").agg(corpus).iter_rows(),
        lambda: connection.sql(query).fetchall(),
        in_arrow,
    ):
        words = "^a group has no score, which is NULL: the hypotheses have no tokens at all"
        with pytest.warns(InputWarning, match=words) as caught:
            assert dict(groups()) == {"x": 100.0, "y": None, "z": 100.0}
        assert len(caught) == 1


def test_one_text_for_all_rows():
    """A literal of polars, DuckDB or pyarrow."""
    frame, text = pl.DataFrame(ALL), "the cat sat on a mat"
    own, literal = pl.col("mt"), pl.lit(text)
    on_arrow.register(name="one_text")
    connection = connected()
    on_duckdb.register(connection)
    for one, other, names, arguments in (
        (own, literal, ("mt", "text"), f"mt, '{text}'"),
        (literal, own, ("text", "mt"), f"'{text}', mt"),
    ):
        its = ALL | {"text": [text] * 400}
        rows = tables.sentence_scores(its, *names, column="s")["s"]
        by = tables.score(its, *names, by="system")
        groups = dict(zip(by["system"], by["bleu"], strict=True))
        assert frame.select(one.bleu.sentence(other)).to_series().to_list() == rows
        assert dict(frame.group_by("system").agg(one.bleu.corpus(other)).iter_rows()) == groups
        sums = frame.select(one.bleu.sums(other)).to_series().struct.unnest()
        assert sums["segments"].sum() == 400
        assert frame.clear().select(one.bleu.sentence(other)).is_empty()
        assert frame.clear().select(one.bleu.corpus(other)).item() is None
        query = f"SELECT system, bleu_corpus({arguments}) FROM outputs GROUP BY system"
        assert dict(connection.sql(query).fetchall()) == groups
        values = [pa.scalar(text) if name == "text" else pa.array(its[name]) for name in names]
        assert compute.call_function("one_text_sentence", values).to_pylist() == rows


def rows_of(columns):
    return sorted(zip(*columns.values(), strict=True), key=str)


def test_groups_without_a_segment():
    """All rows of a group are left out, so it has no sum, as in `tables.sums`."""
    part = {name: ALL[name] for name in ("system", "ref")}
    part["mt"] = [None if system == "a" else "a cat" for system in ALL["system"]]
    expected = rows_of(tables.sums(part, "mt", "ref", by="system", missing="skip"))
    connection = connected(part)
    on_duckdb.register(connection, missing="skip")
    query = "SELECT system, unnest(bleu_sums(mt, ref)) FROM outputs GROUP BY system"
    of_rows = pl.DataFrame(part).select("system", pl.col("mt").bleu.sums("ref", missing="skip"))
    of_rows = of_rows.unnest("mt").with_columns(counted=pl.lit(expected[0][-1]))
    for sums in (connection.sql(query), of_rows):
        assert rows_of(pa.table(tables.add_sums(sums)).to_pydict()) == expected
        assert "a" not in pa.table(tables.score_sums(sums))["system"].to_pylist()


def test_duckdb_with_nulls():
    connection = connected()
    on_duckdb.register(connection, missing="skip")

    def fetched(query):
        return connection.sql(query).fetchall()

    [*found] = fetched("SELECT bleu_sentence(holes, ref) FROM outputs")
    assert [score for (score,) in found] == sentences("ref", hypotheses="holes", missing="skip")
    expected = by_system("ref", hypotheses="holes", missing="skip")
    query = "SELECT system, bleu_corpus(holes, ref) FROM outputs GROUP BY system"
    assert dict(fetched(query)) == expected
    query = "SELECT system, unnest(bleu_sums(holes, ref)) FROM outputs GROUP BY system"
    scores = tables.score_sums(connection.sql(query)).to_pylist()
    assert {row["system"]: row["bleu"] for row in scores} == expected
    assert fetched("SELECT bleu_corpus(NULL, 'a b')") == [(None,)]
    # Several batches of DuckDB's, of 2,048 rows each.
    query = "SELECT system, bleu_corpus(holes, ref) FROM outputs, range(30) GROUP BY system"
    many = {name: ALL[name] * 30 for name in ("system", "holes", "ref")}
    scores = tables.score(many, "holes", "ref", by="system", missing="skip")
    assert dict(fetched(query)) == dict(zip(scores["system"], scores["bleu"], strict=True))


def test_rows_without_a_value_are_named_by_another_text():
    connection = connected({"mt": ["a b c d", None], "ref": ["a b c d", "It rained."]})
    on_duckdb.register(connection)
    for function in ("bleu_corpus", "bleu_sentence", "bleu_sums"):
        with pytest.raises(duckdb.Error, match=r"\(NULL\) in the row whose reference_1 is 'It ra"):
            connection.sql(f"SELECT {function}(mt, ref) FROM outputs").fetchall()
    nulls = pa.nulls(1, pa.string())
    connection = connected({"mt": nulls, "ref": nulls})
    on_duckdb.register(connection)
    with pytest.raises(duckdb.Error, match=r"NULL.* in some row"):
        connection.sql("SELECT bleu_corpus(mt, ref) FROM outputs").fetchall()


def test_conditions_are_written_without_filter_distinct_and_over():
    """bleu_corpus is a macro, which DuckDB does not call with them."""
    its = {"mt": ["a b c d", "a b c e", "a b c e"], "ref": ["a b c d"] * 3, "day": [1, 2, 2]}
    connection = connected(its)
    on_duckdb.register(connection, missing="skip")
    for call in (
        "bleu_corpus(mt, ref) FILTER (WHERE day = 1)",
        "bleu_corpus(DISTINCT mt, ref)",
        "bleu_corpus(mt, ref) OVER (PARTITION BY day)",
    ):
        with pytest.raises(duckdb.Error):
            connection.sql(f"SELECT {call} FROM outputs").fetchall()
    first, last = (BLEU().score(its["mt"][k:], its["ref"][k:]).value for k in (0, 1))
    both = BLEU().score(its["mt"][:2], its["ref"][:2]).value
    query = "SELECT bleu_corpus(CASE WHEN day = 2 THEN mt END, ref), bleu_corpus(mt, ref)"
    assert connection.sql(f"{query} FROM outputs").fetchall() == [(last, first)]
    query = "SELECT bleu_corpus(mt, ref) FROM (SELECT DISTINCT mt, ref FROM outputs)"
    assert connection.sql(query).fetchall() == [(both,)]
    groups = "SELECT day, bleu_corpus(mt, ref) AS bleu FROM outputs GROUP BY day"
    query = f"SELECT day, bleu FROM outputs JOIN ({groups}) USING (day)"
    assert sorted(connection.sql(query).fetchall())[1:] == [(2, last)] * 2


def test_mistakes_with_duckdb():
    connection = connected()
    for name in ("b; DROP", 3):
        raises(ValueError, "a name for SQL functions", on_duckdb.register, connection, name=name)
    for number, kind in ((0, ValueError), ("x", TypeError)):
        raises(kind, "num_references is", on_duckdb.register, connection, num_references=number)
        raises(kind, "num_references is", on_arrow.register, num_references=number, name="never")
    raises(TypeError, "connection is a str, expected a conn", on_duckdb.register, "scores.db")
    on_duckdb.register(connection)
    cursor = connection.cursor()
    raises(ValueError, r'a different name.*name="bleu_2"', on_duckdb.register, cursor)
    on_duckdb.register(cursor, name="bleu_2")
    literal = "SELECT bleu_2_corpus('a b c d', 'a b c d')"
    assert cursor.sql(literal).fetchall() == [(pytest.approx(100.0),)]

    def refused(query):
        with pytest.raises(duckdb.Error) as caught:
            connection.sql(f"SELECT {query} FROM outputs").fetchall()
        return str(caught.value)

    for function in ("bleu_corpus", "bleu_sums", "bleu_sentence"):
        message = refused(f"{function}(mt, refs)")
        if not duckdb.__version__.startswith(("1.2.", "1.3.")) or function == "bleu_sentence":
            assert re.search(rf"{function}\((hypothesis )?VARCHAR, (\w+ )?VARCHAR\)", message)
        for chosen, name in (("holes, ref", "hypothesis"), ("mt, holes", "reference_1")):
            message = refused(f"{function}({chosen})")
            assert f"{name} is missing (NULL) in the row whose " in message
            assert ": leave such rows out with" in message
            assert "segment" not in message.partition("\n")[0]
    kinds = "(SELECT 'a b c d'::ENUM('a b c d') AS mt, 'a b c d' AS ref)"
    for query, values in ((f"mt, ref) FROM {kinds}", []), ("?, ?)", ["a b c d"] * 2)):
        found = connection.execute(f"SELECT bleu_corpus({query}", values).fetchall()
        assert found == [(pytest.approx(100.0),)]
    on_duckdb.register(connection, num_references=None)
    message = refused("bleu_sentence(mt, [ref, NULL])")
    assert "reference_1 is missing (NULL) in the row whose hypothesis is " in message


def test_lists_of_references_converted_to_text_by_dask():
    """They cause a warning; without dask's conversion they are lists."""
    its = pd.DataFrame({"mt": ["the cat sat on a mat"], "ref": [["a cat", "the cat sat on it"]]})
    with pytest.warns(InputWarning, match="lists that were printed as text"):
        on_dask.score(dd.from_pandas(its, npartitions=1), "mt", "ref")
    with dask.config.set({"dataframe.convert-string": False}):
        found = on_dask.score(dd.from_pandas(its, npartitions=1), "mt", "ref")
    assert found["bleu"].tolist() == [BLEU().score(its["mt"].tolist(), its["ref"].tolist()).value]


def test_dask_refuses_mistakes_without_reading():
    def fail(part):
        raise AssertionError("it was read")

    frame = pd.DataFrame(ITS)
    ddf = dd.from_pandas(frame, npartitions=3).map_partitions(fail, meta=frame)
    for call in (on_dask.score, on_dask.sums, on_dask.sentence_scores, on_dask.count):
        raises(ValueError, "did you mean 'ref'", call, ddf, "mt", "reff")
    of_rows = on_dask.sentence_scores
    raises(ValueError, "its own column 'lang'", of_rows, ddf, "mt", "ref", column="lang")
    counted = ddf.rename(columns={"lang": "matches_1"})
    raises(ValueError, "its own column 'matches_1'", on_dask.count, counted, "mt", "ref")
    message = r"fastbleu\.integrations\.dask\.score"
    raises(TypeError, message, tables.score, ddf, "mt", "ref")
    holes = dd.from_pandas(frame.assign(mt=[*frame["mt"][:-1], None]), npartitions=4, sort=False)
    last = len(holes.partitions[3]) - 1
    for call in (on_dask.score, on_dask.sums, on_dask.sentence_scores, on_dask.count):
        message = f"row {last} of partition 3: column 'mt' has no value"
        raises(TypeError, message, lambda call=call: dask.compute(call(holes, "mt", "ref")))
    found = on_dask.sentence_scores(holes, "mt", "ref", missing="skip")
    with pytest.warns(InputWarning, match=f"left out 1 row.* row {last} of partition 3"):
        found.compute(scheduler="synchronous")
    empty = dd.from_pandas(frame[:0], npartitions=1)
    raises(ValueError, "there are no segments", on_dask.score, empty, "mt", "ref")


def test_dask_names_the_file_of_a_row(tmp_path):
    for number, texts in enumerate([["a b"], ["a", None]]):
        pd.DataFrame({"mt": texts, "ref": "a b"}).to_csv(tmp_path / f"{number}.csv")
    ddf = dd.read_csv(f"{tmp_path}/*.csv", include_path_column=True)
    for call in (on_dask.score, on_dask.sums, on_dask.sentence_scores, on_dask.count):
        message = r"row 1 of partition 1 \(path '.*1\.csv'\): column 'mt' has no value"
        raises(TypeError, message, lambda call=call: dask.compute(call(ddf, "mt", "ref")))
