"""Mistakes with tables: messages name the row, the column and the fix; warnings come once."""

import functools
import re

import pytest
from generators import messages, raises, seeded
from hosts import host
from mistaken_texts import BLANK, DROPPED, HYPOTHESES, REFERENCES
from table_families import FAMILIES, columns, table_of, write

from fastbleu import BLEU, InputWarning, tables

for name in ("narwhals", "pyarrow"):
    host(name)
pyarrow = host("pyarrow")

pytestmark = pytest.mark.filterwarnings("ignore::fastbleu.InputWarning")
ITS = {"mt": ["a b", "c d", "e f"], "ref": ["a b", "c", "e f"], "lang": ["de", "zh", "de"]}
MIXED = ITS | {"mt": ["a", 7, "b"]}
MANY = {f"column {number}": ["a"] for number in range(30)}
NULLS = {"mt": [None, None], "ref": ["a", "b"]}
RECORDS = [{"mt": "a b", "ref": "a b"}, {"mt": "c", "ref": "d"}]
TWICE = pyarrow.table([["a b"], ["a"], ["x"], ["y"]], ["mt", "ref", "lang", "lang"])
LISTS = pyarrow.table(ITS | {"key": [[1]] * 3})
FEW = BLEU("codebleu-weighted")
BY_LANGUAGE = {"by": "lang", "language": "lang", "tokenizers": {"zh": "zh"}}


def fails(error, message, *arguments, **options):
    raises(error, re.escape(message), tables.score, *arguments, **options)


def split(text):
    raise ValueError("segment 1: the hypothesis is missing (ours)")


@pytest.mark.parametrize(
    ("table", "options", "message"),
    [
        (MANY, {}, "'column 11' and 18 more"),
        # Names of columns, and options.
        (ITS, {"hypotheses": ["a"]}, "hypotheses is a list, expected the name of a column"),
        (ITS, {"by": 3}, "by is an int, expected names of columns"),
        (ITS, {"metric": "x"}, "dialect 'x' is unknown"),
        (ITS, {"metric": 3}, "metric is an int, expected a fastbleu.BLEU or the name of a"),
        (ITS, {"missing": "drop"}, "missing 'drop' is unknown"),
        (ITS, {"confidence": 95}, "confidence is 95, but must"),
        (ITS, {"confidence": "x"}, "confidence has 'x', expected a number"),
        (ITS, {"metric": FEW, "confidence": 0.9}, "does not support s"),
        (ITS, BY_LANGUAGE | {"tokenizers": "zh"}, "tokenizers is a str, expected a dict"),
        (ITS | {"bleu": list("xyx")}, {"by": "bleu"}, "rename the table's column"),
        # Values that are no texts.
        (ITS | {"ref": ["a", "b"]}, {}, "column 'mt' has 3 rows, but column 'ref' has 2: row 2 is"),
        (MIXED, {}, "the table has values in column 'mt' that pyarrow cannot convert: "),
        (ITS | {"mt": [1, 2**70, 3]}, {}, "values in column 'mt' that pyarrow cannot convert"),
        ([ITS, MIXED], {}, "part 1 of the table has values in column 'mt'"),
        (
            ITS,
            {"metric": BLEU(tokenize=split)},
            "1: the hypothesis is missing (ours) (the hypotheses are",
        ),
        (ITS | {"x": [None] * 3}, {"references": ["ref", "x"]}, "row 0: column 'x' has no value"),
        # No rows.
        ({"mt": [], "ref": []}, {}, "there are no segments to score"),
        *(
            (NULLS, {"missing": "skip", **options}, "left out 2 rows, because a value is missing")
            for options in ({"confidence": 0.9}, {"metric": FEW}, {"by": "ref"})
        ),
        # Tables of another form.
        (RECORDS, {}, "part 0 of the table has a text as 'mt', expected a column of texts"),
        (7, {}, "expected a data frame"),
        (None, {}, "expected a data frame"),
        (b"abc", {}, "expected a data frame"),
        ("abc.txt", {}, "expected one of .parquet"),
        (["a.b", "b"], {}, "expected one of .parquet"),
        (TWICE, {"by": "lang"}, "the table has columns with the same name, rename them: "),
        (LISTS, {"by": "key", "confidence": 0.9}, "rows cannot be grouped by 'key': "),
    ],
)
def test_mistakes(table, options, message):
    arguments = {"hypotheses": "mt", "references": "ref"} | options
    fails((TypeError, ValueError), message, table, **arguments)


@pytest.mark.parametrize("family", FAMILIES)
def test_mistakes_with_tables_of_every_library(family):
    table = table_of(family, ITS)
    message = "the table has no column 'reff'; did you mean 'ref'? Its columns: 'mt', 'ref', 'lang'"
    fails(ValueError, message, table, "mt", "reff")
    fails(ValueError, "the table has no column 'system'", table, "mt", "ref", by="system")
    numbers = table_of(family, ITS | {"mt": [1, 2, 3]})
    fails(TypeError, "(the hypotheses are column 'mt', the references 'ref')", numbers, "mt", "ref")
    if family != "dict":
        keyed = table_of(family, ITS | {"key": [{"x": 1}] * 3})
        fails(TypeError, "rows cannot be grouped by 'key': ", keyed, "mt", "ref", by="key")
        words = "rows cannot be grouped by ('lang', )?'key': "
        raises(TypeError, words, tables.score, keyed, "mt", "ref", by=["lang", "key"])


def test_parts_of_a_stream():
    polars, part = host("polars"), pyarrow.table(ITS)
    for library in (pyarrow.table, polars.DataFrame):
        parts = [library(ITS), library(ITS | {"lang": [1, 2, 3]})]
        message = "the parts of the table have columns of different types: "
        fails(TypeError, message, parts, "mt", "ref", by="lang")
    message = "part 1 of the table is a polars.dataframe.frame.DataFrame, earlier parts are pyarrow"
    fails(TypeError, message, [part, polars.DataFrame(ITS)], "mt", "ref")
    message = "part 0 of the table has columns with the same name, rename them: "
    fails(ValueError, message, TWICE.to_reader(), "mt", "ref", by="lang")
    fails(ValueError, "there are no segments to score", iter(()), "mt", "ref")
    fails(TypeError, "expected a data frame", iter([["a"]]), "mt", "ref")


def test_paths_that_are_not_there(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for missing in ("none", "none/", "none/more", "none/b.csv", tmp_path / "none"):
        words = f"there is no such file or directory; relative paths begin in {tmp_path}"
        fails(FileNotFoundError, words, missing, "mt", "ref")
    (tmp_path / "empty").mkdir()
    fails(FileNotFoundError, "no such file that ends in one of .parquet", "empty", "mt", "ref")


def test_the_row_of_an_error_is_that_of_the_table():
    parts = [host("pandas").DataFrame(its, dtype=object) for its in (ITS, MIXED)]
    fails(TypeError, "row 4: the hypothesis is ", parts, "mt", "ref")
    how = {"by": "lang", "language": "lang", "tokenizers": {"zh": "zh", None: "13a"}}
    fails(TypeError, "row 4: the hypothesis is ", parts, "mt", "ref", **how)
    parts[1].loc[0, "mt"] = None
    fails(TypeError, "row 4: the hypothesis is ", parts, "mt", "ref", missing="skip", **how)
    fails(TypeError, "row 4: the hypothesis is ", parts, "mt", "ref", missing="skip")
    empty, how = {"mt": [None, "a", ""], "ref": list("aaa")}, {"missing": "skip"}
    message = "row 2: the hypotheses have no tokens"
    raises(ValueError, message, tables.sentence_scores, empty, "mt", "ref", metric="tf-nmt", **how)


def test_errors_carry_the_row_and_the_file(tmp_path):
    path = tmp_path / "t.jsonl"
    path.write_text('{"mt": "a", "ref": "a"}\n{"mt": "b", "ref": null}\n')
    for table, file in ((ITS | {"ref": [*"ab", None]}, None), (str(path), str(path))):
        with pytest.raises(TypeError, match="column 'ref' has no value") as caught:
            tables.score(table, "mt", "ref")
        error = caught.value
        row = 1 if file else 2
        assert (error.segment, error.reference, error.side) == (row, 0, "reference")
        assert (error.file, error.is_missing) == (file, True)


def test_frames_of_dask_are_not_read():
    def fail(part):
        raise AssertionError("it was read")

    frame = host("dask.dataframe").from_pandas(table_of("pandas", columns(20)), npartitions=2)
    failing = frame.map_partitions(fail, meta=frame._meta)
    message = "; for Dask use fastbleu.integrations.dask.score"
    fails(TypeError, message, failing, "mt", "ref")
    fails(TypeError, message, [failing], "mt", "ref")
    parts = (part.compute() for part in frame.partitions)
    assert tables.score(parts, "mt", "ref")["segments"].tolist() == [20]


@pytest.mark.parametrize("name", ["score", "sentence_scores", "count", "sums"])
def test_every_function_names_the_fix(name):
    call = getattr(tables, name)
    raises(TypeError, "argument 'dialect'", call, ITS, "mt", "ref", dialect="nltk")
    raises(ValueError, "has no column 'x'", call, ITS, "x", "ref")
    if name in ("count", "sums"):
        raises(ValueError, "does not support ", call, ITS, "mt", "ref", metric=FEW)
    if name == "sentence_scores":
        taken = ITS | {"bleu": list("xyx")}
        raises(ValueError, "rename the table's column", call, taken, "mt", "ref")
    if name == "sums":
        words = "left out 2 rows, because a value is missing; the first is row 0"
        with pytest.warns(UserWarning, match=words):
            call(NULLS, "mt", "ref", missing="skip")


# Warnings are issued once, and not about a few of many rows.

WORDS = "the cat sat on a mat while it rained all night and dogs barked"


def issued(call):
    return messages(call)[1]


@functools.cache
def texts(count, end=""):
    rng = seeded("warnings of tables")
    return [" ".join(rng.choices(WORDS.split(), k=9)) + end for _ in range(count)]


@pytest.mark.parametrize(
    ("hypotheses", "references", "words"),
    [
        (texts(400), texts(400), "all 1,200 hypotheses equal their references"),
        ([""] * 400, texts(400), "all 1,200 hypotheses are blank"),
        (["a cat"] * 400, ["the dog"] * 400, "no hypothesis has 4 tokens"),
        (texts(400, " ."), texts(400, "."), '1200 hypotheses end in " ."'),
    ],
)
def test_files_and_groups_share_a_warning(tmp_path, hypotheses, references, words):
    its = {"mt": hypotheses, "ref": references, "day": list(range(10)) * 40}
    for number in range(3):
        write(its, tmp_path / f"{number}.parquet")
    for by in (None, "day"):
        with pytest.warns(InputWarning, match=words) as caught:
            tables.score(str(tmp_path), "mt", "ref", by=by)
        found = [str(warning.message) for warning in caught]
        assert [words in message for message in found].count(True) == 1
        assert len(set(found)) == len(found)
        assert {warning.filename for warning in caught} == {__file__}


def test_the_share_of_tokenized_texts_counts():
    def found(periods, rows):
        table = {"mt": texts(periods, " .") + texts(rows - periods), "ref": texts(rows, ".")}
        of_table = issued(lambda: tables.score(table, "mt", "ref"))
        of_lists = issued(lambda: BLEU().score(table["mt"], table["ref"]))
        return [any('end in " ."' in message for message in each) for each in (of_table, of_lists)]

    assert found(100, 1000) == found(200, 20_000) == [True, True]
    assert found(99, 1000) == found(199, 20_000) == [False, False]


def test_numbers_of_references_that_are_added_up():
    its = {"mt": ["a b c d"], "ref": ["a b c d"], "other": ["a b c e"]}
    one, two = (tables.sums(its, "mt", names) for names in ("ref", ["ref", "other"]))
    [message] = issued(lambda: tables.add_sums(one, two))
    assert "rows with 1 and with 2 references per segment are added up" in message
    assert issued(lambda: tables.add_sums(two, two)) == []
    varying = tables.sums({"mt": ["a b"] * 2, "refs": [["a b"], ["a", "b"]]}, "mt", "refs")
    assert issued(lambda: tables.add_sums(varying, one)) == []  # as the texts were
    kept = [table | {"kind": [kind]} for kind, table in enumerate((one, two))]
    assert issued(lambda: tables.score_sums(tables.add_sums(*kept))) == []


def test_tables_leave_blank_references_out():
    table = {"mt": HYPOTHESES, "all": REFERENCES, "by": ["a", "a", "b", "b"]}
    table |= {str(k): list(texts) for k, texts in enumerate(zip(*REFERENCES, strict=True))}
    for references in ("all", list("0123")):
        scores = tables.score(table, "mt", references, by="by", missing="ragged")
        for group, rows in enumerate((slice(2), slice(2, 4))):
            expected = BLEU().score(HYPOTHESES[rows], DROPPED[rows])
            assert scores["bleu"][group] == expected.value
            assert scores["signature"][group] == expected.signature
        found = issued(lambda by=references: tables.score(table, "mt", by))
        assert [bool(re.search(BLANK, message)) for message in found] == [True]
    missing = table | {"0": [None, *table["0"][1:]]}
    words = r"row 0: column '0' .* missing=\"ragged\" to leave out"
    raises(TypeError, words, tables.score, missing, "mt", list("0123"))
    tables.score(missing, "mt", list("0123"), missing="ragged")
