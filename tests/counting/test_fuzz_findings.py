"""What fuzzing has found stays found, and its targets run on every input of their corpora.

Here without a sanitizer and without coverage: that the targets work, on every Python and compiler.
"""

import gzip
import re
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest
from generators import raises
from trust import fuzz_files, fuzz_ids, fuzz_index, fuzz_input, fuzz_pairs, fuzz_tokenizers
from trust.fuzzing import CORPUS

from fastbleu.cli import files
from fastbleu.cli.formats import SYSTEM, open_input
from fastbleu.cli.readers import in_step
from fastbleu.tokenizers import tokenize

SOURCES = Path(__file__).resolve().parents[2] / "src" / "fastbleu"
MODULES = {
    "files": fuzz_files,
    "ids": fuzz_ids,
    "index": fuzz_index,
    "pairs": fuzz_pairs,
    "tokenizers": fuzz_tokenizers,
}


def columns(name, encoding="utf-8"):
    """All columns of an input."""

    with ExitStack() as stack:
        reader = open_input(str(name), stack, role=SYSTEM, encoding=encoding)
        # A list: CPython 3.11 loses the keywords of a call whose *arguments raise, which is a leak.
        chunks = list(in_step([reader], 1000))
    return [list(column) for column in zip(*chunks, strict=True)]


@pytest.mark.parametrize("name", MODULES)
@pytest.mark.filterwarnings("ignore")
@pytest.mark.skipif(sys.platform == "win32", reason="a file that is mapped cannot be removed there")
def test_every_input_of_the_corpora(name, tmp_path, monkeypatch):
    monkeypatch.setenv("FASTBLEU_FUZZ_PLACE", str(tmp_path))
    fuzz_input.directory.cache_clear()
    inputs = sorted((CORPUS / name).iterdir())
    assert len(inputs) > 10
    try:
        for path in inputs:
            try:
                MODULES[name].run(path.read_bytes())
            except Exception as error:
                pytest.fail(f"{path}: {error!r}")
    finally:
        fuzz_input.directory.cache_clear()
        if name == "tokenizers":
            fuzz_tokenizers._process.use_simd()


def test_the_targets_notice_a_wrong_result(monkeypatch):
    monkeypatch.setattr(fuzz_tokenizers, "tokenize", lambda text, name: ["wrong"])
    raises(fuzz_input.Wrong, r"found \['wrong'\]", fuzz_tokenizers.run, b"\0\0\0\0a b")
    fuzz_tokenizers._process.use_simd()


def test_no_struct_is_made_by_a_call_without_arguments():
    """Cython leaves such a struct as the stack was: tokenize freed memory that nobody had."""
    made = []
    sources = {path: path.read_text() for path in SOURCES.rglob("*.p[yx][xd]")}
    names = {
        name
        for text in sources.values()
        for name in re.findall(r"(?:ctypedef|cdef) struct (\w+)", text)
    }
    assert "line_buffers" in names
    for path, text in sources.items():
        code = re.sub(r"#.*", "", text)
        made += [(path.name, call) for call in re.findall(r"\b(\w+)\(\)", code) if call in names]
    assert made == []


@pytest.mark.parametrize("name", ["none", "13a", "zh", "intl", "char"])
def test_a_text_of_no_tokens_after_a_wide_one(name):
    assert tokenize("я", name) == ["я"]
    assert tokenize("", name) == tokenize("\n", name) == []


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32"])
def test_a_file_without_the_mark_that_its_encoding_needs(encoding, tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes("a b\n".encode(f"{encoding}-le"))
    with pytest.raises(files.InputError) as caught:
        columns(path, encoding)
    assert str(caught.value).startswith(f"{path}: line 1 cannot be decoded: ")
    assert "--encoding" in str(caught.value)
    path.write_bytes("a b\n".encode(encoding))
    assert columns(path, encoding) == [[["a b"]]]


def test_a_message_is_one_line_that_a_terminal_can_show(tmp_path):
    with pytest.raises(files.InputError) as caught:
        columns(f"{tmp_path}/no\nfile\x1b[31m.txt::x")
    assert r"no\nfile\x1b[31m.txt" in str(caught.value)
    path = tmp_path / "a.sgm"
    path.write_text('<refset refid="r"><doc docid="a\nb\x1b"><seg id="1">x')
    with pytest.raises(files.InputError) as caught:
        columns(path)
    assert str(caught.value).isprintable()


def test_a_byte_order_mark_is_no_part_of_a_column_that_has_a_number(tmp_path):
    path = tmp_path / "a.tsv"
    path.write_bytes("\ufeffa\tb\nc\td\n".encode())
    assert columns(f"{path}::1") == [[["a", "c"]]]
    assert columns(f"{path}::2") == [[["b", "d"]]]


def test_xml_is_known_by_its_declaration_however_little_is_unpacked_at_once(tmp_path, monkeypatch):
    text = b'<?xml version="1.0"?><dataset id="x"><doc id="d"><hyp system="s"><seg id="1">a &amp; b'
    text += b"</seg></hyp></doc></dataset>"
    path = tmp_path / "a.sgm.gz"
    path.write_bytes(b"".join(gzip.compress(text[i : i + 1]) for i in range(len(text))))
    assert columns(path) == [[["a & b"]]]
    monkeypatch.setattr(files, "_BLOCK_BYTES", 1)
    assert columns(path) == [[["a & b"]]]
    path = tmp_path / "b.sgm"
    path.write_bytes(text)
    assert columns(path) == [[["a & b"]]]
