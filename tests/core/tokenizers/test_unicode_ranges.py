"""The generated table of Unicode classes is what the package `regex` says of every code point."""

import pytest
import regex
from random_texts import generator

VERSIONS = generator.read_header()[1], generator.versions_of_regex()
SHOWN = "header: regex {}, Unicode {}; installed: regex {}, Unicode {}".format(*sum(VERSIONS, ()))


def test_the_table_is_that_of_the_installed_regex():
    """All 1,114,112 code points; an older `regex` may lack the newest, and nothing else."""
    found = generator.differing()
    header, installed = ([int(part) for part in its[1].split(".")] for its in VERSIONS)
    if found and installed < header:
        assigned = [hex(code) for code in found if not regex.match(r"\p{Cn}", chr(code))]
        assert not assigned, SHOWN
        pytest.skip(f"{len(found)} code points are not compared: {SHOWN}")
    assert not found, (
        f"{len(found)} code points differ, the first are {found[:5]}; {SHOWN}. If the installed "
        "Unicode is the newer one, run tools/generate_unicode_classes.py"
    )


def test_the_header_is_what_the_script_writes():
    ranges, versions = generator.read_header()
    written = generator.header_text(ranges, versions)
    assert written == generator.HEADER.read_text(encoding="ascii")
