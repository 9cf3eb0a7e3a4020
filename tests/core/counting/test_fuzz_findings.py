"""The fuzz targets run on every input of their corpora, as regression tests.

Findings about files are in tests/cli/test_formats.py. The targets run here without a sanitizer and
without coverage, on every Python and compiler.
"""

import re
from importlib import import_module
from pathlib import Path

import pytest
from generators import raises
from trust import fuzz_input, fuzz_tokenizers
from trust.fuzzing import CORPUS

SOURCES = Path(__file__).resolve().parents[3] / "src" / "fastbleu"


@pytest.mark.parametrize("name", ["columns", "files", "ids", "tokenizers"])
@pytest.mark.filterwarnings("ignore")
def test_every_input_of_the_corpora(name, tmp_path, monkeypatch):
    monkeypatch.setenv("FASTBLEU_FUZZ_PLACE", str(tmp_path))
    fuzz_input.directory.cache_clear()
    inputs = sorted((CORPUS / name).iterdir())
    assert len(inputs) > 10
    for path in inputs:
        try:
            import_module(f"trust.fuzz_{name}").run(path.read_bytes())
        except Exception as error:
            pytest.fail(f"{path}: {error!r}")
    fuzz_input.directory.cache_clear()


def test_the_targets_notice_a_wrong_result(monkeypatch):
    monkeypatch.setattr(fuzz_tokenizers, "tokenize", lambda text, name: ["wrong"])
    raises(fuzz_input.Wrong, r"found \['wrong'\]", fuzz_tokenizers.run, b"\0\0\0\0a b")


def test_no_struct_is_created_by_a_call_without_arguments():
    """Cython leaves such a struct uninitialized: tokenize freed memory that was not allocated."""
    sources = [path.read_text() for path in SOURCES.rglob("*.p[yx][xd]")]
    names = {name for text in sources for name in re.findall(r"c(?:type)?def struct (\w+)", text)}
    assert "line_copy" in names
    code = re.sub(r"#.*", "", "\n".join(sources))
    assert not names.intersection(re.findall(r"\b(\w+)\(\)", code))
