"""What is printed acts on neither a terminal nor a page."""

from sys import maxunicode
from unicodedata import bidirectional, category

from fastbleu.core.runtime.terminal import CONTROLS

ACTING = {"Cc", "Zl", "Zp", "LRE", "RLE", "PDF", "LRO", "RLO", "LRI", "RLI", "FSI", "PDI"}


def test_controls_ends_of_lines_and_marks_of_direction_are_escaped_and_nothing_else():
    kinds = ({category(chr(code)), bidirectional(chr(code))} for code in range(maxunicode + 1))
    assert {*CONTROLS} == {code for code, kind in enumerate(kinds) if kind & ACTING}
