"""Mistakes with tables: messages name the row, the column and the fix."""

import re

import pytest
from generators import raises
from hosts import host
from table_families import FAMILIES, columns, table_of

from fastbleu import BLEU, tables

for name in ("narwhals", "pyarrow"):
    host(name)

pytestmark = pytest.mark.filterwarnings("ignore::fastbleu.InputWarning")
ITS = {"mt": ["a b", "c d", "e f"], "ref": ["a b", "c", "e f"], "lang": ["de", "zh", "de"]}


def fails(error, message, *arguments, **options):
    raises(error, re.escape(message), tables.score, *arguments, **options)


@pytest.mark.parametrize("family", FAMILIES)
def test_a_column_that_is_not_there(family):
    table = table_of(family, ITS)
    message = "the table has no column 'reff'; did you mean 'ref'? Its columns: 'mt', 'ref', 'lang'"
    fails(ValueError, message, table, "mt", "reff")
    fails(ValueError, "the table has no column 'system'", table, "mt", "ref", by="system")
    fails(ValueError, "the table has no column 'system'", iter([table]), "mt", "ref", by="system")
    raises(ValueError, "has no column 'x'", tables.sentence_scores, table, "x", "ref")


def test_a_metric_in_another_place_and_paths_that_are_not_there(tmp_path, monkeypatch):
    path = tmp_path / "a.csv"
    path.write_text("mt,ref\na b,a b\n")
    fails(TypeError, "by is a BLEU, expected names of columns; pass it", path, "mt", "ref", BLEU())
    fails(TypeError, "by is an int, expected names of columns", ITS, "mt", ["ref"], 3)
    monkeypatch.chdir(tmp_path)
    for missing in ("none", "none/", "none/more", "none/b.csv", tmp_path / "none"):
        words = f"there is no such file or directory; relative paths begin in {tmp_path}"
        fails(FileNotFoundError, words, missing, "mt", "ref")
    (tmp_path / "empty").mkdir()
    fails(FileNotFoundError, "no such file of a table: .parquet, .pq", "empty", "mt", "ref")
    many = {f"column {number}": ["a"] for number in range(30)}
    fails(ValueError, "'column 11' and 18 more", many, "mt", "ref")


@pytest.mark.parametrize("family", FAMILIES)
def test_no_text(family):
    table = table_of(family, ITS | {"mt": [1, 2, 3]})
    fails(TypeError, "(the hypotheses are column 'mt', the references 'ref')", table, "mt", "ref")


def test_the_row_of_an_error_is_that_of_the_table():
    objects = {"mt": ["a", 7, "b"]}
    pandas = host("pandas")
    parts = [pandas.DataFrame(its, dtype=object) for its in (ITS, ITS | objects)]
    fails(TypeError, "row 4: the hypothesis is ", parts, "mt", "ref")
    how = {"by": "lang", "language": "lang", "tokenize": {"zh": "zh", None: "13a"}}
    fails(TypeError, "row 4: the hypothesis is ", parts, "mt", "ref", **how)


def test_an_error_of_a_users_tokenizer_is_left_as_it_is():
    def split(text):
        raise ValueError("segment 1: the hypothesis is missing (ours)")

    message = "segment 1: the hypothesis is missing (ours) (the hypotheses are column 'mt'"
    fails(ValueError, message, ITS, "mt", "ref", metric=BLEU(split))


def test_columns_of_different_lengths():
    message = "column 'mt' has 3 rows, but column 'ref' has 2: row 2 is in one of them only"
    fails(ValueError, message, ITS | {"ref": ["a", "b"]}, "mt", "ref")


def test_values_of_several_types_in_a_dict():
    message = "the table has values in column 'mt' of which pyarrow makes no column: "
    fails(TypeError, message, ITS | {"mt": ["a", 7, "b"]}, "mt", "ref")
    fails(TypeError, message, ITS | {"mt": [1, 2**70, 3]}, "mt", "ref")
    message = "part 1 of the table has values in column 'mt'"
    fails(TypeError, message, [ITS, ITS | {"mt": ["a", 7, "b"]}], "mt", "ref")


def test_a_list_of_records():
    records = [{"mt": "a b", "ref": "a b"}, {"mt": "c", "ref": "d"}]
    message = "part 0 of the table has a text as 'mt', expected a column of them; of dicts of rows "
    fails(TypeError, f"{message}pass pyarrow.Table.from_pylist(dicts)", records, "mt", "ref")


def test_no_rows():
    fails(ValueError, "there are no segments to score", {"mt": [], "ref": []}, "mt", "ref")
    fails(ValueError, "there are no segments to score", iter(()), "mt", "ref")
    nothing = {"mt": [None, None], "ref": ["a", "b"]}
    message = "left out 2 rows, because a value is missing; the first is row 0"
    options = {"confidence": 0.9}, {"metric": BLEU(dialect="codebleu-weighted")}, {"by": "ref"}
    for how in options:
        fails(ValueError, message, nothing, "mt", "ref", missing="skip", **how)
    raises(ValueError, message, tables.sums, nothing, "mt", "ref", missing="skip")


@pytest.mark.parametrize("table", [7, None, "abc.txt", b"abc", ["a.b", "b"], iter([["a"]])])
def test_no_table(table):
    with pytest.raises((TypeError, ValueError), match=r"expected (a data frame|one of \.parquet)"):
        tables.score(table, "mt", "ref")


def test_columns_that_cannot_be_keys():
    pyarrow, polars = host("pyarrow"), host("polars")
    keyed = ITS | {"key": [{"x": 1}] * 3}
    words = "rows cannot be grouped by 'key': "
    for table in (pyarrow.table(keyed), polars.DataFrame(keyed), table_of("pandas", keyed)):
        fails(TypeError, words, table, "mt", "ref", by="key")
        pattern = "rows cannot be grouped by ('lang', )?'key': "
        raises(TypeError, pattern, tables.score, table, "mt", "ref", by=["lang", "key"])
    lists = pyarrow.table(ITS | {"key": [[1]] * 3})
    fails(TypeError, words, lists, "mt", "ref", by="key")
    fails(TypeError, words, lists, "mt", "ref", by="key", confidence=0.9)
    fails(ValueError, "by has 'lang' several times", ITS, "mt", "ref", by=["lang", "lang"])


def test_columns_of_the_same_name():
    pyarrow = host("pyarrow")
    table = pyarrow.table([["a b"], ["a"], ["x"], ["y"]], ["mt", "ref", "lang", "lang"])
    message = "has columns of the same name, rename them: "
    fails(ValueError, f"the table {message}", table, "mt", "ref", by="lang")
    fails(ValueError, f"part 0 of the table {message}", table.to_reader(), "mt", "ref", by="lang")


def test_parts_that_do_not_fit_together():
    pyarrow, polars = host("pyarrow"), host("polars")
    for library in (pyarrow.table, polars.DataFrame):
        parts = [library(ITS), library(ITS | {"lang": [1, 2, 3]})]
        message = "the parts of the table have columns of different types: "
        fails(TypeError, message, parts, "mt", "ref", by="lang")
    message = "part 1 of the table is a polars.dataframe.frame.DataFrame, those before are pyarrow"
    fails(TypeError, message, [pyarrow.table(ITS), polars.DataFrame(ITS)], "mt", "ref")


def test_frames_of_dask_are_not_read():
    def fail(part):
        raise AssertionError("it was read")

    frame = host("dask.dataframe").from_pandas(table_of("pandas", columns(20)), npartitions=2)
    failing = frame.map_partitions(fail, meta=frame._meta)
    message = "; for Dask's there is fastbleu.integrations.dask.score"
    fails(TypeError, message, failing, "mt", "ref")
    fails(TypeError, message, [failing], "mt", "ref")
    parts = (part.compute() for part in frame.partitions)
    assert tables.score(parts, "mt", "ref")["segments"].tolist() == [20]


def test_arguments():
    fails(TypeError, "hypothesis is a list, expected the name of a column", ITS, ["a"], "ref")
    fails(ValueError, "references is empty", ITS, "mt", [])
    fails(TypeError, "metric is a str, expected a fastbleu.BLEU", ITS, "mt", "ref", metric="x")
    fails(ValueError, "missing 'drop' is unknown", ITS, "mt", "ref", missing="drop")
    fails(ValueError, "confidence is 2", ITS, "mt", "ref", confidence=2)
    fails(ValueError, "threads is 0", ITS, "mt", "ref", threads=0)
    fails(ValueError, "tokenize and language go together", ITS, "mt", "ref", language="lang")
    tokenize = {"zh": "zh"}
    fails(ValueError, "pass by=['lang']", ITS, "mt", "ref", language="lang", tokenize=tokenize)
    how = {"by": "lang", "language": "lang", "tokenize": tokenize}
    message = "column 'lang' has 'de', for which tokenize has no tokenizer"
    fails(ValueError, message, ITS, "mt", "ref", **how)
    how["tokenize"] = "zh"
    fails(TypeError, "expected a dict of tokenizers", ITS, "mt", "ref", **how)
    taken = ITS | {"bleu": ["x", "y", "x"]}
    fails(ValueError, "rename that of the table", taken, "mt", "ref", by="bleu")
    raises(ValueError, "rename that of the table", tables.sentence_scores, taken, "mt", "ref")


def test_a_dialect_without_rows():
    its = columns(20)
    metric = BLEU(dialect="codebleu-weighted")
    with pytest.raises(ValueError, match="does not support statistics"):
        tables.statistics(its, "mt", "ref", metric=metric)
    fails(ValueError, "does not support s", its, "mt", "ref", metric=metric, confidence=0.9)


@pytest.mark.parametrize("name", ["score", "sentence_scores", "statistics"])
def test_parameters_of_a_metric_are_refused_with_the_way_to_pass_them(name):
    words = r"no parameter 'dialect'; .*metric=fastbleu\.BLEU\(dialect='nltk'\)"
    call = getattr(tables, name)
    raises(TypeError, words, call, {"mt": ["a"], "ref": ["a"]}, "mt", "ref", dialect="nltk")
