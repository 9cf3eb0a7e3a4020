"""The generated table of Unicode classes is what the package `regex` says of every code point."""

import itertools

import pytest
import regex
from commands import python_ends
from random_texts import UNICODE_RANGES, generator, other_unicode


def version(text):
    return [int(part) for part in text.split(".")]


def test_the_table_is_that_of_the_installed_regex():
    """All 1,114,112 code points; an older `regex` may lack the newest, and nothing else."""
    found = generator.differing()
    header, installed = generator.read_header()[1][1], generator.versions_of_regex()[1]
    if found and version(installed) < version(header):
        assigned = [hex(code) for code in found if not regex.match(r"\p{Cn}", chr(code))]
        assert not assigned, generator.versions_text()
        pytest.skip(f"{len(found)} code points are not compared: {generator.versions_text()}")
    assert not found, (
        f"{len(found)} code points differ, the first are {list(found.items())[:5]}; "
        f"{generator.versions_text()}. If the installed Unicode is the newer one, run "
        "tools/generate_unicode_classes.py"
    )


def test_the_ranges_are_ascending_and_apart():
    assert generator.read_header()[0] == UNICODE_RANGES
    for (first, last, kind), (following, _, next_kind) in itertools.pairwise(UNICODE_RANGES):
        assert first <= last < following
        assert kind != next_kind or last + 1 < following, "adjacent ranges of one class"
    assert UNICODE_RANGES[-1][1] < 0x110000


def test_the_header_is_what_the_script_writes(tmp_path):
    if generator.differing():
        pytest.skip(generator.versions_text())
    written = tmp_path / "header.h"
    run("--output", written)
    version_of_regex = generator.read_header()[1][0]
    text = written.read_text(encoding="ascii")
    text = text.replace(generator.versions_of_regex()[0], version_of_regex)
    assert text == generator.HEADER.read_text(encoding="ascii")


def test_check_finds_a_difference(tmp_path):
    header = tmp_path / "header.h"
    text = generator.HEADER.read_text(encoding="ascii")
    assert "{0x21, 0x23, P}" in text
    header.write_text(text.replace("{0x21, 0x23, P}", "{0x21, 0x22, P}"), encoding="ascii")
    done = run("--check", "--output", header, status=1)
    assert f"{len(other_unicode()) + 1} code points differ" in done
    assert "U+0023: header -, regex P" in done
    assert "generated with regex" in done


def run(*arguments, status=0):
    found, out, err = python_ends(generator.__file__, *arguments)
    assert found == status, err
    return out
