"""Any bytes as a file: it is read as the slow way reads it, or refused with an InputError.

An input says the format, the encoding, the selector, and in pieces of which size the file is read:
those of a few bytes cut characters, line ends and tags in two. In whatever pieces it is read, the
segments and the message are the same, as lists of str and in place.
"""

import codecs
import gzip
import json
import os
import re
import zlib
from contextlib import ExitStack, suppress
from typing import Any

from fastbleu.cli import markup, readers
from fastbleu.cli.alignment import in_step, listed
from fastbleu.cli.formats import open_input
from fastbleu.cli.options import make_parser
from fastbleu.cli.parser import Options
from fastbleu.cli.readers import REFERENCE, SYSTEM
from fastbleu.files.formats import PackedError, is_heading, module_of
from trust.fuzz_input import Input, directory, equal

ENDS = ("", ".tsv", ".jsonl", ".xml", ".sgm")
ENCODINGS = ("utf-8", "utf-8", "utf-8", "utf-8-sig", "latin-1", "utf-16", "utf-16-le", "ascii")
OUTPUTS = "fairseq output|an n-best list|<seg> lines|XML or SGML|COCO captions"
is_output = re.compile(f" is ({OUTPUTS})").search
DEFAULTS = vars(make_parser().parse_args([]))
BLOCK, LINES = readers._BLOCK_BYTES, markup._LINES
BLOCKS = (1, 2, 3, 5, 8, 61, 700, BLOCK)


def outcome(
    name: str, role: str, encoding: str, fields: int, block: int, in_place: bool = False
) -> object:
    """All columns of an input, or the message that refuses it; `in_place` if it can be read so."""
    readers._BLOCK_BYTES, markup._LINES = block, max(1, block >> 6)
    try:
        with ExitStack() as opened:
            of_text = {"encoding": encoding, "num_refs": fields, "quoted": False, "delimiter": "\t"}
            options = Options(**DEFAULTS | of_text)
            reader = open_input(name, role, options, opened)
            columns: list[list[str]] = [[] for _ in range(reader.width)]
            for chunk in in_step([reader], 1 + block % 5, in_place):
                for column, more in zip(columns, listed([reader], chunk), strict=True):
                    column += more
            reader.notes()
            return columns
    except readers.InputError as error:
        message = str(error)
        if not message.isprintable() or not message:
            raise AssertionError(f"not one line that can be printed: {message!r}") from error
        return message
    finally:
        readers._BLOCK_BYTES, markup._LINES = BLOCK, LINES


def unpacked(content: bytes) -> bytes | None:
    with suppress(OSError, EOFError, zlib.error):
        return gzip.decompress(content)
    return None


def looks_packed(content: bytes) -> bool:
    """Whether its first bytes say so; what then is read, cli/test_files.py tests."""
    try:
        return module_of(content[:262]) is not None
    except PackedError:
        return True


def expected_columns(
    content: bytes, end: str, encoding: str, fields: int, selector: str
) -> list[list[str]] | None:
    """What the segments are by the slow way; None where the file has to be refused."""
    try:
        # Incremental, because the other decoder demands a mark of UTF-16.
        text = codecs.getincrementaldecoder(encoding)().decode(content, True)
        lines = text.split("\n")
        lines = lines if lines[-1] else lines[:-1]
        if end == ".jsonl":
            lines[:1] = [line.removeprefix("\ufeff") for line in lines[:1]]
            return [[looked_up(json.loads(line), selector).rstrip() for line in lines]]
        if end == ".tsv":
            return [column_of([line.removesuffix("\r").split("\t") for line in lines], selector)]
    except (AssertionError, LookupError, ValueError, TypeError, RecursionError):
        return None
    rows = [line.rstrip().split("\t", fields - 1) for line in lines]
    if any(len(row) != fields for row in rows):
        return None
    return [[row[i] for row in rows] for i in range(fields)]


def looked_up(value: Any, selector: str) -> str:
    """What a selector of JSON means: a key, or a path with dots."""
    assert isinstance(value, dict)
    for key in [selector] if selector in value else selector.split("."):
        if isinstance(value, list):
            assert key.isdecimal()
            value = value[int(key)]
        else:
            value = value[key]
    assert isinstance(value, str)
    return value


def column_of(rows: list[list[str]], selector: str) -> list[str]:
    """A column of TSV: its number, or its name in the first row."""
    first = list(rows[0]) if rows else [""]
    first[0] = first[0].removeprefix("\ufeff")
    if selector.isascii() and selector.isdigit():
        column = int(selector) - 1
        assert 0 <= column < len(first)
        assert not is_heading(first, rows[1:21])
        rows = [first, *rows[1:]] if rows else []
    else:
        assert selector
        assert first.count(selector) == 1
        column, rows = first.index(selector), rows[1:]
    assert all(len(row) == len(first) and row[column] for row in rows)
    return [row[column].rstrip() for row in rows]


def stored_as(packed: int, content: bytes) -> bytes:
    """What lies in the file: the content, or that as .gz, or a .gz that is damaged."""
    if packed == 1:
        return gzip.compress(content, 0, mtime=0)
    if packed == 2:  # of two members, damaged at one place
        members = [gzip.compress(part, 1, mtime=0) for part in (content[::2], content[1::2])]
        whole = bytearray(b"".join(members))
        whole[len(content) * 7 % len(whole)] ^= 1 << len(content) % 8
        return bytes(whole[: len(whole) - len(content) % 3])
    return content


def run(data: bytes) -> None:
    given = Input(data)
    end, encoding = given.choice(ENDS), given.choice(ENCODINGS)
    role = given.choice((SYSTEM, REFERENCE))
    packed, block = given.below(4), given.choice(BLOCKS)
    fields = given.choice((1, 1, 2, 3)) if not end and role == REFERENCE else 1
    # None that begins with the mark itself, which would belong to the name of the file.
    selector = given.bytes(given.below(8)).decode("latin-1").replace(":", ".") if end else ""
    stored = stored_as(packed, given.rest())
    name = os.path.join(directory(), f"input{end}{'.gz' if packed else ''}")
    with open(name, "wb") as file:
        file.write(stored)
    if end:
        name += f"::{selector}"
    found = outcome(name, role, encoding, fields, block)
    about = (stored, name, role, encoding, fields, block)
    equal(outcome(name, role, encoding, fields, block, in_place=True), found, *about)
    if stored[257:262] == b"ustar":  # an archive to who reads so much at a time
        return
    plain = unpacked(stored) if packed else stored
    damaged = plain is None and stored.startswith(b"\x1f\x8b")
    # Blocks shorter than a mark of packed files would hide it.
    if not damaged and looks_packed(stored if plain is None else plain):
        return
    if end in (".xml", ".sgm"):  # there is no slow way; but in one piece it is the same
        if block != BLOCK:
            whole = outcome(name, role, encoding, fields, BLOCK)
            equal(same_in_pieces(found), same_in_pieces(whole), *about)
        if isinstance(found, list):
            equal(found[0], [" ".join(text.split()) for text in found[0]], *about)
        return
    if not end and isinstance(found, str) and is_output(found):  # see cli/test_files.py, too
        return
    expected = None if plain is None else expected_columns(plain, end, encoding, fields, selector)
    equal(same_in_pieces(found), "refused" if expected is None else expected, *about)


def same_in_pieces(found: object) -> object:
    """What must not depend on the pieces: segments, and whether there is an error."""
    return found if isinstance(found, list) else "refused"
