"""The generated table of Unicode classes is what the package `regex` says of every code point."""

import importlib.util
import itertools
import subprocess
import sys
from pathlib import Path

import pytest
import regex
from tokenizer_texts import UNICODE_RANGES

from fastbleu.tokenizers import tokenize

SCRIPT = Path(__file__).resolve().parent.parent / "tools" / "generate_unicode_classes.py"


@pytest.fixture(scope="module")
def generator():
    spec = importlib.util.spec_from_file_location("generate_unicode_classes", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_table_is_that_of_the_installed_regex(generator):
    found = generator.differences()
    assert not found, (
        f"{len(found)} code points differ, the first are {found[:5]}. {generator.versions_text()}. "
        "If the versions of Unicode differ, run tools/generate_unicode_classes.py"
    )


def test_the_ranges_are_ascending_and_apart(generator):
    assert generator.read_header()[0] == UNICODE_RANGES
    for (first, last, kind), (following, _, next_kind) in itertools.pairwise(UNICODE_RANGES):
        assert first <= last < following
        assert kind != next_kind or last + 1 < following, "adjacent ranges of one class"
    assert UNICODE_RANGES[-1][1] < 0x110000


def test_the_header_is_what_the_script_writes(generator, tmp_path):
    if generator.versions_of_regex() != generator.read_header()[1]:
        pytest.skip(generator.versions_text())
    written = tmp_path / "header.h"
    run(generator, "--output", written)
    assert written.read_bytes() == generator.HEADER.read_bytes()


def test_check_finds_a_difference(generator, tmp_path):
    header = tmp_path / "header.h"
    text = generator.HEADER.read_text(encoding="ascii")
    assert "{0x21, 0x23, P}" in text
    header.write_text(text.replace("{0x21, 0x23, P}", "{0x21, 0x22, P}"), encoding="ascii")
    done = run(generator, "--check", "--output", header, status=1)
    assert "1 code points differ" in done
    assert "U+0023: header -, regex P" in done
    assert "generated with regex" in done


def run(generator, *arguments, status=0):
    command = [sys.executable, SCRIPT, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == status, done.stderr
    return done.stdout


def test_the_compiled_tokenizer_uses_the_table():
    """What `intl` makes of the ends, the middle and the neighbours of every range shows it."""
    classes = {letter: regex.compile(rf"\p{{{letter}}}") for letter in "PNS"}
    for first, last, _ in UNICODE_RANGES:
        for code in {first - 1, first, (first + last) // 2, last, last + 1}:
            c = chr(code)
            if c.isspace():
                continue
            kind = next((k for k, pattern in classes.items() if pattern.match(c)), "")
            expected = {
                "P": [f"5{c}5", "a", c, "a", c, ".5"],
                "N": [f"5{c}5", f"a{c}a", f"{c}.5"],
                "S": ["5", c, "5", "a", c, "a", c, ".", "5"],
                "": [f"5{c}5", f"a{c}a", c, ".", "5"],
            }[kind]
            assert tokenize(f"5{c}5 a{c}a {c}.5", "intl") == expected, hex(code)
