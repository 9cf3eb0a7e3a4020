"""A table's warnings are issued once, and not about a few of many rows."""

import re

import pytest
from generators import messages, seeded
from mistaken_texts import BLANK, DROPPED, HYPOTHESES, REFERENCES

from fastbleu import BLEU, tables

pa = pytest.importorskip("pyarrow")
pytest.importorskip("narwhals")
parquet = pytest.importorskip("pyarrow.parquet")

WORDS = "the cat sat on a mat while it rained all night and dogs barked"


def issued(call):
    return messages(call)[1]


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
    columns = {"mt": hypotheses, "ref": references, "day": list(range(10)) * 40}
    for number in range(3):
        parquet.write_table(pa.table(columns), tmp_path / f"{number}.parquet")
    for by in (None, "day"):
        found = issued(lambda by=by: tables.score(str(tmp_path), "mt", "ref", by=by))
        assert [words in message for message in found].count(True) == 1
        assert len(set(found)) == len(found)


def test_the_share_of_tokenized_texts_counts():
    def found(periods, rows):
        table = {"mt": texts(periods, " .") + texts(rows - periods), "ref": texts(rows, ".")}
        of_table = issued(lambda: tables.score(table, "mt", "ref"))
        of_lists = issued(lambda: BLEU().score(table["mt"], table["ref"]))
        return [any('end in " ."' in message for message in each) for each in (of_table, of_lists)]

    assert found(100, 1000) == found(200, 20_000) == [True, True]
    assert found(99, 1000) == found(199, 20_000) == [False, False]


def test_numbers_of_references_that_are_added_up():
    columns = {"mt": ["a b c d"], "ref": ["a b c d"], "other": ["a b c e"]}
    one = tables.sums(columns, "mt", "ref")
    two = tables.sums(columns, "mt", ["ref", "other"])
    [message] = issued(lambda: tables.add_sums(one, two))
    assert "rows with 1 and with 2 references per segment are added up" in message
    assert issued(lambda: tables.add_sums(two, two)) == []
    varying = tables.sums({"mt": ["a b"] * 2, "refs": [["a b"], ["a", "b"]]}, "mt", "refs")
    assert issued(lambda: tables.add_sums(varying, one)) == []  # as the texts were
    kept = [table | {"kind": [kind]} for kind, table in enumerate((one, two))]
    assert issued(lambda: tables.score_sums(tables.add_sums(*kept))) == []


def test_rows_of_all_files_are_counted_from_0(tmp_path):
    good = {"csv": "a b,a b\n", "tsv": "a b\ta b\n", "jsonl": '{"mt": "a b", "ref": "a b"}\n'}
    cells = {"csv": ",a b\n", "tsv": "\ta b\n", "jsonl": '{"mt": null, "ref": "a b"}\n'}
    damaged = {"csv": "a,b,c\n", "tsv": "a\tb\tc\n", "jsonl": '{"mt": "a", "ref"\n'}
    for end, row in good.items():
        heading = {"csv": "mt,ref\n", "tsv": "mt\tref\n"}.get(end, "")
        for problem in (cells, damaged):
            path = tmp_path / f"t.{end}"
            path.write_text(heading + row * 2 + problem[end])
            with pytest.raises((TypeError, ValueError), match=r"\brow 2\b"):
                tables.score(str(path), "mt", "ref")


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
    with pytest.raises(TypeError, match=r"row 0: column '0' .* missing=\"ragged\" to leave out"):
        tables.score(missing, "mt", list("0123"))
    tables.score(missing, "mt", list("0123"), missing="ragged")
