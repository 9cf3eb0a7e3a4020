"""Tables as text: what fits into the width of a terminal, and how."""

import re

import pytest
from commands import R1, A

from fastbleu import dialects, explain
from fastbleu.plots.text import Table

FIELDS = ["case:mixed", "tok:13a-with-a-long-name", "smooth:exp"]
ROWS = [
    ["one", "5.25", "no effect at all, or nearly none", "|".join(FIELDS)],
    ["a-long-name", "31.00", "", "|".join(FIELDS[:2])],
]
TABLE = Table("Title", ["name", "score", "what it is", "signature"], ROWS, ["A note."])


def test_numbers_are_aligned_at_the_right_and_a_row_is_a_line():
    assert TABLE.text(None).splitlines() == [
        *("Title", ""),
        "name         score  what it is                        signature",
        f"{'-' * 11}  -----  {'-' * 32}  {'-' * 46}",
        f"one           5.25  no effect at all, or nearly none  {'|'.join(FIELDS)}",
        f"a-long-name  31.00                                    {'|'.join(FIELDS[:2])}",
        *("", "A note."),
    ]


def test_wide_characters_are_aligned():
    rows = [["系统一", "1.00"], ["ｶﾀ", "10.00"], ["é", "2.00"]]
    assert Table("", ["name", "score"], rows, ["日本語 and more"]).text(13).splitlines() == [
        "name    score",
        "------  -----",
        "系统一   1.00",
        "ｶﾀ      10.00",
        "é        2.00",
        *("日本語 and", "more"),
    ]


def test_what_has_no_room_stands_below_its_row():
    assert TABLE.text(41).splitlines()[2:] == [
        "name         score  what it is",
        "-----------  -----  ---------------------",
        "one           5.25  no effect at all, or",
        "                    nearly none",
        "  signature: case:mixed|",
        "  tok:13a-with-a-long-name|smooth:exp",
        "a-long-name  31.00",
        "  signature: case:mixed|",
        "  tok:13a-with-a-long-name",
        *("", "A note."),
    ]


def test_columns_go_below_from_the_right_and_numbers_stay_whole():
    head, rows = ["name", "ends", "p", ""], [["a b", "-1.25 to 0.25", "< 0.001", "one remark"]]
    assert Table("", head, rows).text(21).splitlines() == [
        "name           ends",
        "----  -------------",
        "a b   -1.25 to 0.25",
        "  p: < 0.001; one",
        "  remark",
    ]


@pytest.mark.parametrize("width", [20, 30, 50, 80, 120])
def test_nothing_is_lost_words_stay_whole_and_no_line_is_longer(width):
    found = TABLE.text(width)
    assert max(map(len, found.splitlines())) <= width
    if width >= 30:  # else a field alone is longer
        for word in (*FIELDS, "a-long-name", "31.00", "nearly"):
            assert word in found
    letters = re.sub(r"[\s-]", "", TABLE.text(None))
    assert set(letters) <= set(found)
    for cell in [*ROWS[0], *ROWS[1]]:
        assert re.sub(r"\s", "", cell)[:5] in re.sub(r"\s", "", found)


def test_one_output_by_every_dialect_is_readable_in_narrow_terminals():
    corpus = [path.read_text("utf-8").splitlines() for path in (A, R1)]
    overview, explained = dialects.overview(*corpus), explain(*corpus, "nltk", "sacrebleu")
    fields = re.findall(r"dialect:[\w.-]+", overview._text(None))
    assert fields
    for width in (50, 80):
        lines = overview._text(width).splitlines()
        assert max(map(len, [*lines, *explained._text(width).splitlines()])) <= width
        for name in overview.scores:
            assert any(line.startswith(f"{name}  ") for line in lines)
        assert not [field for field in fields if not any(field in line for line in lines)]
