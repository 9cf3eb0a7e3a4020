"""Mistakes with tables: messages name the row, the column and the fix."""

import re

import pytest
from generators import raises
from table_families import FAMILIES, columns, table_of

from fastbleu import BLEU, tables

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


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("name", ["mt", "ref"])
def test_null(family, name):
    its = columns(100)
    its[name][77] = None
    table = table_of(family, its)
    message = f"row 77: column '{name}' has no value (null); pass missing=\"skip\""
    fails(TypeError, message, table, "mt", ["ref", "other"])
    parts = (table_of(family, {n: v[a : a + 40] for n, v in its.items()}) for a in (0, 40, 80))
    fails(TypeError, message, parts, "mt", ["ref", "other"])
    for call in (tables.sentence_scores, tables.statistics):
        with pytest.raises(TypeError, match=re.escape(message)):
            call(table, "mt", ["ref"] if name == "ref" else "other")


@pytest.mark.parametrize("family", FAMILIES)
def test_no_text(family):
    table = table_of(family, ITS | {"mt": [1, 2, 3]})
    fails(TypeError, "(the hypotheses are column 'mt', the references 'ref')", table, "mt", "ref")


def test_the_row_of_an_error_is_that_of_the_table():
    parts = [ITS, ITS | {"mt": ["a", 7, "b"]}]
    fails(TypeError, "row 4: the hypothesis is ", parts, "mt", "ref")
    how = {"by": "lang", "language": "lang", "tokenize": {"zh": "zh", None: "13a"}}
    fails(TypeError, "row 4: the hypothesis is ", parts, "mt", "ref", **how)


def test_columns_of_different_lengths():
    message = "column 'mt' has 3 rows, but column 'ref' has 2: row 2 is in one of them only"
    fails(ValueError, message, ITS | {"ref": ["a", "b"]}, "mt", "ref")


def test_no_rows():
    fails(ValueError, "there are no segments to score", {"mt": [], "ref": []}, "mt", "ref")
    fails(ValueError, "there are no segments to score", iter(()), "mt", "ref")


@pytest.mark.parametrize("table", [7, None, "abc.txt", b"abc", ["a", "b"], iter([["a"]])])
def test_no_table(table):
    with pytest.raises((TypeError, ValueError), match=r"expected (a data frame|one of \.parquet)"):
        tables.score(table, "mt", "ref")


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
    fails(
        ValueError,
        "column 'lang' has 'de', for which tokenize has no tokenizer",
        ITS,
        "mt",
        "ref",
        **how,
    )
    fails(
        TypeError,
        "expected a dict of tokenizers",
        ITS,
        "mt",
        "ref",
        by="lang",
        language="lang",
        tokenize="zh",
    )
    taken = ITS | {"bleu": ["x", "y", "x"]}
    fails(ValueError, "rename that of the table", taken, "mt", "ref", by="bleu")
    raises(ValueError, "rename that of the table", tables.sentence_scores, taken, "mt", "ref")


def test_a_dialect_without_rows():
    its = columns(20)
    metric = BLEU(dialect="codebleu-weighted")
    with pytest.raises(ValueError, match="does not support statistics"):
        tables.statistics(its, "mt", "ref", metric=metric)
    fails(ValueError, "does not support s", its, "mt", "ref", metric=metric, confidence=0.9)
