"""Blank references of tables, which may stand for missing ones."""

import re

import pytest
from generators import messages
from mistaken_texts import BLANK, DROPPED, HYPOTHESES, REFERENCES

from fastbleu import BLEU, tables


def test_tables_leave_blank_references_out():
    for library in ("narwhals", "pyarrow"):
        pytest.importorskip(library)
    table = {"mt": HYPOTHESES, "all": REFERENCES, "by": ["a", "a", "b", "b"]}
    table |= {str(k): list(texts) for k, texts in enumerate(zip(*REFERENCES, strict=True))}
    for references in ("all", list("0123")):
        scores = tables.score(table, "mt", references, by="by", missing="ragged")
        for group, rows in enumerate((slice(2), slice(2, 4))):
            expected = BLEU().score(HYPOTHESES[rows], DROPPED[rows])
            assert scores["bleu"][group] == expected.value
            assert scores["signature"][group] == expected.signature
        _, found = messages(tables.score, table, "mt", references)
        assert [bool(re.search(BLANK, message)) for message in found] == [True]
    missing = table | {"0": [None, *table["0"][1:]]}
    with pytest.raises(TypeError, match=r"row 0: column '0' .* missing=\"ragged\" to leave out"):
        tables.score(missing, "mt", list("0123"))
    tables.score(missing, "mt", list("0123"), missing="ragged")
