"""The file of a ReferenceIndex: saved indexes are restored, and other files are refused.

Truncated files: tests/trust/test_files.py; damaged contents: tests/trust/fuzz_index.py.
"""

import itertools
import json
import os
import stat
import struct
from zlib import crc32

import numpy as np
import pytest
from commands import python
from generators import IGNORED_OF_RANDOM, KINDS, raises, seeded
from threads import at_once

from fastbleu import BLEU, tokenizers
from fastbleu.matrix import ReferenceIndex, index_file

pytestmark = pytest.mark.filterwarnings(*IGNORED_OF_RANDOM)

REFERENCES = [
    *("the cat sat on the mat , the cat !", "a mat on a cat", "", "ein Überfluss an Wörtern"),
]
HYPOTHESES = ["the cat sat on a mat", "", "the the the the", "Überfluss an", "something else"]


def is_saved(token):
    return type(token) in (str, bytes) or (type(token) is int and -(2**63) <= token < 2**63)


SAVED_KINDS = [kind for kind, tokens in KINDS.items() if all(map(is_saved, tokens))]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "references.index"


def same(index, other, hypotheses):
    """Whether two indices tell the same."""
    assert other.statistics(hypotheses) == index.statistics(hypotheses)
    assert other.sentence_scores(hypotheses).tolist() == index.sentence_scores(hypotheses).tolist()
    assert other.score(hypotheses) == index.score(hypotheses)
    assert (len(other), other.ngrams, repr(other)) == (len(index), index.ngrams, repr(index))
    assert other.signature == index.signature


@pytest.mark.parametrize("kind", SAVED_KINDS)
def test_every_kind_of_token_that_can_be_saved(kind, path):
    rng = seeded("saved index", kind)
    references = [rng.choices(KINDS[kind], k=rng.randint(0, 9)) for _ in range(20)]
    hypotheses = [rng.choices(KINDS[kind] + [b"other", 77], k=7) for _ in range(20)]
    index = ReferenceIndex(references, tokenize=None)
    index.save(path)
    same(index, ReferenceIndex.load(path), hypotheses)


@pytest.mark.parametrize(
    "options",
    [
        {"lowercase": True, "effective_order": True, "smoothing": "floor", "smoothing_value": 0.3},
        {"max_order": 2, "weights": (0.1, 0.9), "tokenize": "char", "smoothing_value": None},
        {"max_order": 30, "smoothing": "add-k", "smoothing_value": 2, "tokenize": "intl"},
        {"dialect": "nltk", "smoothing": "method4", "smoothing_value": 2.5, "tokenize": "none"},
        {"dialect": "nltk", "reference_length": "first", "max_order": 1},
        {"reference_length": "shortest", "threads": 3, "keep_segments": True},
    ],
    ids=str,
)
def test_every_parameter(options, path):
    index = ReferenceIndex(REFERENCES, **options)
    index.save(path)
    for threads in (1, 2):
        same(index, ReferenceIndex.load(path, threads=threads), HYPOTHESES)
    loaded = ReferenceIndex.load(path)
    plain = BLEU(**options).score(HYPOTHESES, [REFERENCES] * len(HYPOTHESES))
    assert loaded.score(HYPOTHESES) == plain


def test_ids_with_rules(path):
    references = np.array([[1, 5, 5, 2, 0], [5, 9, 2, 0, 0], [0, 0, 0, 0, 0]])
    options = {"tokenize": None, "ignore_ids": (0,), "stop_id": (2, 3), "skip_ids": (1, 2**62)}
    index = ReferenceIndex(references, **options)
    index.save(path)
    same(index, ReferenceIndex.load(path), np.array([[5, 5, 9, 2], [1, 7, 0, 0]]))


def test_it_can_be_saved_again_and_over_itself(path):
    index = ReferenceIndex(REFERENCES)
    index.save(path)
    content = path.read_bytes()
    loaded = ReferenceIndex.load(path)
    loaded.save(path)
    assert path.read_bytes() == content
    again = ReferenceIndex.load(os.fsencode(path))
    again.save(str(path))
    path.unlink()
    for other in (loaded, again):
        same(index, other, HYPOTHESES)


LOADING = """
import sys
from fastbleu.matrix import ReferenceIndex
index = ReferenceIndex.load(sys.argv[1])
print([*index.score(sys.argv[2:]).matches, *index.sentence_scores(sys.argv[2:])])
"""


def test_another_process_loads_it(path):
    index = ReferenceIndex(REFERENCES, effective_order=True)
    index.save(path)
    expected = [*index.score(HYPOTHESES).matches, *index.sentence_scores(HYPOTHESES)]
    assert python("-c", LOADING, path, *HYPOTHESES) == f"{expected}\n"


def test_tokens_that_no_file_can_hold(path):
    for token in ((1, 2), 1.5, None, 2**70):
        index = ReferenceIndex([["a", token]], tokenize=None)
        raises(ValueError, "only str, bytes and int", index.save, path)
        assert index.statistics([["a", token]])._rows[2:4].tolist() == [2, 1]
        assert not path.exists()


def test_where_nothing_can_be_saved(path):
    index = ReferenceIndex(REFERENCES)
    missing = path.parent / "missing" / "references.index"
    with pytest.raises(FileNotFoundError) as caught:
        index.save(missing)
    assert caught.value.filename == str(missing)
    with pytest.raises(IsADirectoryError) as caught:
        index.save(path.parent)
    assert caught.value.filename == str(path.parent)
    assert not [*path.parent.iterdir()]


def words_of(text):
    return text.split()


def test_a_tokenizer_that_is_a_function_has_to_be_passed_again(path):
    index = ReferenceIndex(REFERENCES, tokenize=words_of)
    index.save(path)
    same(index, ReferenceIndex.load(path, tokenize=words_of), HYPOTHESES)
    with pytest.raises(ValueError, match=r"with the tokenizer words_of.*load\(path, tokenize="):
        ReferenceIndex.load(path)
    with pytest.raises(ValueError, match="with the tokenizer words_of, not with 13a"):
        ReferenceIndex.load(path, "13a")


def test_the_tokenizer_of_a_name_is_found(path):
    ReferenceIndex(REFERENCES, tokenize="zh").save(path)
    assert "tok:zh" in ReferenceIndex.load(path).signature
    assert "tok:zh" in ReferenceIndex.load(path, tokenizers.get_tokenizer("zh")).signature
    raises(ValueError, "with the tokenizer zh, not with intl", ReferenceIndex.load, path, "intl")
    ReferenceIndex([["a"]], tokenize=None).save(path)
    with pytest.raises(ValueError, match="is an index of tokens, not of text: leave out"):
        ReferenceIndex.load(path, "13a")


def refused(path, message):
    """The file is refused with its path and a reason."""
    with pytest.raises(ValueError, match=message) as caught:
        ReferenceIndex.load(path)
    assert str(path) in str(caught.value)


def changed(path, offset, new):
    content = bytearray(path.read_bytes())
    content[offset : offset + len(new)] = new
    path.write_bytes(content)


def test_what_is_no_index(path):
    texts = b"", b"text\n", "a text\r\n".encode("utf-8-sig"), b"\xe2"
    binary = b"\x8b", b"\x93NUMPY" * 100, b"\x1f\x8b\x08", bytes(999), os.urandom(300)
    for content in texts + binary:
        path.write_bytes(content)
        refused(path, "was not written by ReferenceIndex.save|is truncated")
    with pytest.raises(FileNotFoundError):
        ReferenceIndex.load(path.with_name("missing"))
    with pytest.raises(IsADirectoryError if os.name != "nt" else PermissionError):
        ReferenceIndex.load(path.parent)
    with pytest.raises(TypeError):
        ReferenceIndex.load(7.5)
    raises(ValueError, "threads is 0", ReferenceIndex.load, path, threads=0)


def test_another_version_and_another_byte_order(path):
    ReferenceIndex(REFERENCES).save(path)
    content = path.read_bytes()
    changed(path, 12, struct.pack("=I", 2))
    refused(path, "has the version 2 of the format, and this fastbleu reads version 1")
    path.write_bytes(content)
    changed(path, 8, content[8:12][::-1])
    refused(path, "endian byte order, this one is")
    path.write_bytes(content)
    changed(path, 8, b"abcd")
    refused(path, "is damaged")


def test_every_byte_of_the_header_is_checked(path):
    ReferenceIndex(["a b"], max_order=1).save(path)
    content = path.read_bytes()
    prefix = index_file._PREFIX.size
    end = prefix + struct.unpack_from("=Q", content, 16)[0]
    for offset in range(end):
        if index_file._SIGNED + 4 <= offset < prefix:  # only keeps what follows aligned
            continue
        changed(path, offset, bytes([content[offset] ^ 0x10]))
        refused(path, "was not written|is damaged|is truncated|version|byte order")
        path.write_bytes(content)
    ReferenceIndex.load(path)


def forge(path, change):
    """Write the header anew with a valid checksum, as no accident would."""
    content = path.read_bytes()
    start = index_file._PREFIX.size
    fields = list(index_file._PREFIX.unpack_from(content))
    header = content[start : start + fields[3]]
    forged = change(header.decode()).encode()
    forged = forged.ljust(fields[3])
    assert len(forged) == fields[3], "a longer header would move the sections"
    fields[5] = crc32(forged, crc32(index_file._PREFIX.pack(*fields)[: index_file._SIGNED]))
    changed(path, 0, index_file._PREFIX.pack(*fields) + forged)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"tables"', '"tablet"'),
        ('"parameters"', '"parameterz"'),
        ('"max_order": 4', '"max_order": 1'),
        ('"max_order": 4', '"max_order": 0'),
        ('"max_order": 4', '"max_order":""'),
        ('"max_order": 4', '"max_ordeR": 4'),
        ('"exp"', '"exq"'),
        ('"sections": {', '"sections": ['),
        ('"sections": {', '"sectionS": {'),
        ('"numbers 1"', '"numbers 9"'),
        ('"lengths": [', '"lengths": 7, "x": ['),
        ('"counts": [4', '"counts": 4, "x": [4'),
    ],
)
def test_headers_that_nobody_has_written(path, old, new):
    ReferenceIndex(REFERENCES).save(path)

    def change(header):
        assert header.count(old) == 1
        found = header.replace(old, new)
        return found.replace(" ", "") if len(found) > len(header) else found

    forge(path, change)
    refused(path, "is damaged")


def test_sections_outside_of_the_file(path):
    ReferenceIndex(REFERENCES).save(path)
    content = path.read_bytes()
    start = index_file._PREFIX.size
    size = struct.unpack_from("=Q", content, 16)[0]
    sections = json.loads(content[start : start + size])["sections"]
    for name, (offset, length) in sections.items():
        for place in ((offset, len(content)), (-64, length), (offset + 1, length), (offset, -1)):
            path.write_bytes(content)
            old, new = f'"{name}": [{offset}, {length}]', f'"{name}":[{place[0]},{place[1]}]'
            forge(path, lambda header, old=old, new=new: header.replace(old, new).replace(" ", ""))
            refused(path, "is damaged")


def test_a_file_appears_as_a_whole_or_not_at_all(path, monkeypatch):
    index = ReferenceIndex(REFERENCES)
    path.write_bytes(b"what was there before")
    real = os.replace
    for name in ("fsync", "replace"):

        def failing(*arguments):
            raise OSError("no space left")

        with monkeypatch.context() as patched:
            patched.setattr(os, name, failing)
            raises(OSError, "no space left", index.save, path)
        assert path.read_bytes() == b"what was there before"
        assert os.listdir(path.parent) == [path.name]
    assert os.replace is real
    index.save(path)
    assert os.listdir(path.parent) == [path.name]
    same(index, ReferenceIndex.load(path), HYPOTHESES)
    with pytest.raises(FileNotFoundError):
        index.save(path.parent / "missing" / "x")


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such permissions")
def test_the_file_is_readable_as_other_files_are_and_links_are_followed(path):
    ordinary = path.with_name("ordinary")
    ordinary.write_bytes(b"")
    link = path.with_name("link")
    link.symlink_to(path)
    ReferenceIndex(REFERENCES).save(link)
    assert link.is_symlink()
    assert stat.S_IMODE(path.stat().st_mode) == stat.S_IMODE(ordinary.stat().st_mode)
    same(ReferenceIndex(REFERENCES), ReferenceIndex.load(path), HYPOTHESES)


def test_threads_may_query_while_another_saves(path):
    index = ReferenceIndex(REFERENCES * 300)
    expected = index.statistics(HYPOTHESES * 50)

    def work(number):
        for _ in range(10 if number < 2 else 60):
            if number < 2:
                index.save(f"{path}.{number}")
            else:
                assert index.statistics(HYPOTHESES * 50) == expected

    at_once(work, 5)
    for number in range(2):
        assert ReferenceIndex.load(f"{path}.{number}").statistics(HYPOTHESES * 50) == expected


def test_sections_of_any_number_and_size_come_back(path):
    for sizes in itertools.product((0, 1, 64, 65), repeat=3):
        sections = {str(i): bytes(range(size)) for i, size in enumerate(sizes)}
        index_file.write_file(path, {"x": [1.5, None, "é\ud800"]}, sections)
        header, found = index_file.read_file(path)
        assert header == {"x": [1.5, None, "é\ud800"]}
        assert {name: bytes(view) for name, view in found.items()} == sections
        assert all(view.readonly for view in found.values())
        del found


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_or_a_device_is_not_replaced(path):
    os.mkfifo(path)
    raises(OSError, "no regular file", ReferenceIndex(REFERENCES).save, path)
    assert stat.S_ISFIFO(os.stat(path).st_mode)
    assert os.listdir(os.path.dirname(path)) == [os.path.basename(path)]
