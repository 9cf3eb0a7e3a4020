"""Files that contain more than one text: ``FILE::SELECTOR`` selects one.

The format is named, or follows from the end of the name, before that of compression: ``.tsv`` (the
selector is a column: its number, from 1, or its name in line 1), ``.jsonl``, ``.ndjson`` and
``.json`` (a key, or nested keys with dots between them; without it ``.json`` has COCO's captions),
``.xml`` and ``.sgm`` (a translator or system; not needed if there is only one), and those of
`_TABLES` (a column's name). Directories, patterns and URLs are read by `tables`. A file whose own
name contains ``::`` is that file.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from itertools import chain, islice, zip_longest

from ..inputs.arguments import shown
from ..inputs.file_formats import (
    cells_of,
    check_results,
    layout_of,
    parse_captions,
    rows_of,
    with_ids_of,
    without_suffix,
)
from ..inputs.missing import is_missing
from ..runtime.collection import collection_paused
from .files import ByteSource, InputError, TextLines
from .readers import CHUNK_LINES, Reader, open_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .markup import Document, Part, Segment

REFERENCE, SYSTEM = "ref", "hyp"  # the purpose of an input

_FORMATS = {".tsv": "tsv", ".jsonl": "json", ".ndjson": "json"}
_FORMATS |= {".xml": "xml", ".sgm": "sgml", ".sgml": "sgml", ".json": "coco"}
_TABLES = (".parquet", ".pq", ".arrow", ".arrows", ".feather", ".ipc", ".csv")
_FORMATS |= dict.fromkeys(_TABLES, "table")
NAMED = tuple(end[1:] for end in _FORMATS)


def open_input(
    name: str,
    opened: ExitStack,
    role: str,
    encoding: str = "utf-8",
    fields: int = 1,
    missing: str = "error",
    quoted: bool | None = None,
    delimiter: str | None = None,
    read_as: str | None = None,
) -> Reader:
    """Open a file of any format; `opened` will close it.

    `role` decides if a selector fits both a translator and a system. The encoding is that of all
    formats but XML. `fields` is the number of tab-separated segments in a line of plain text.
    `missing`, `quoted` and `delimiter` are for tables, as in `fastbleu.tables.score`. `read_as`, of
    `NAMED`, is the format of files with a selector.
    """
    path, selector, kind = _select(name, read_as)
    if kind is None:
        return open_lines(path, opened, encoding, fields)
    if fields != 1:
        raise InputError(f"{name}: --num-refs is for plain text without ::SELECTOR")
    if kind == "table":
        from .table_files import TableReader

        options = {"quoted": quoted, "delimiter": delimiter, "encoding": encoding}
        options["format"] = read_as
        return TableReader(path, selector, missing, options, role == REFERENCE)
    if kind == "coco" and not selector:
        return CocoReader(path, opened)
    if kind in ("xml", "sgml"):
        return MarkupReader(path, selector, opened, role, encoding, kind == "xml")
    lines = TextLines(ByteSource(path, opened), encoding)
    if kind in ("json", "coco"):
        return JsonReader(lines, selector, missing, role == REFERENCE)
    if lines.source.size is not None:
        with ExitStack() as closed:
            again = _lines_of(TextLines(ByteSource(path, closed), encoding))
            wanted = () if selector.isdecimal() else (selector,)
            delimiter, quoted, _ = layout_of(again, wanted, delimiter, quoted)
    elif quoted is None:
        raise InputError(f"{path}: a pipe is read once: add --quoted or --no-quoted")
    return ColumnReader(lines, selector, missing, quoted, delimiter or "\t")


def is_coco_file(name: str) -> bool:
    """Whether a file has COCO's captions, by its name."""
    return without_suffix(name).endswith(".json")


def _lines_of(lines: TextLines) -> Iterator[str]:
    """The lines of a file, without its byte order mark."""
    while block := lines.read(CHUNK_LINES):
        if lines.taken == len(block):
            block[0] = block[0].removeprefix("\ufeff")
        yield from block


def _select(name: str, read_as: str | None) -> tuple[str, str, str | None]:
    """Return path, selector and format; the format of plain text is None."""
    path, selected, selector = name, "", ""
    if "::" in name and not os.path.exists(name):
        path, selected, selector = name.rpartition("::")
        end = len(name)
        while (end := name.rfind("::", 0, end)) > 0:
            if os.path.exists(name[:end]):
                path, selector = name[:end], name[end + 2 :]
                break
    suffix = os.path.splitext(without_suffix(path))[1]
    if not selected:
        return path, "", None if suffix in (".tsv", ".csv") else _FORMATS.get(suffix)
    kind = "table" if _is_of_tables(path) else _FORMATS.get(f".{read_as}" if read_as else suffix)
    if kind is None:
        problem = "no such file; a ::SELECTOR can follow names that end in"
        raise InputError(f"{name}: {problem} {', '.join(_FORMATS)}; for others add --read-as")
    return path, selector, kind


def _is_of_tables(path: str) -> bool:
    """Whether only `fastbleu.tables` opens it: a URL, a directory or a pattern."""
    is_several = os.path.isdir(path) or any(mark in path for mark in "*?[")
    return "://" in path or (is_several and not os.path.isfile(path))


class _OneOfMany(Reader):
    """Lines that contain more than the segment; subclasses extract it."""

    _line = 1  # the number of the current line

    def __init__(self, lines: TextLines, selector: str, missing: str) -> None:
        self.source, self.label, self._lines = lines.source, lines.source.label, lines
        self._selector, self.missing = selector, missing
        self._rows = _lines_of(lines)

    @property
    def ended(self) -> bool:
        return self._lines.ended

    def read(self, count: int) -> list[list[Any]]:
        column: list[Any] = []
        for row in islice(self._rows, count):
            self.segments += 1
            cell = self._extract(row.removesuffix("\r"))
            texts: list[Any] = cell if isinstance(cell, list) else [cell]
            if None in texts:
                filler = self.without_value(self._place(), self._selector)
                texts = [] if filler is None else [filler if t is None else t for t in texts]
            if not self.keeps_ends:
                texts = [text.rstrip() for text in texts]
            column.append((texts or None) if isinstance(cell, list) or not texts else texts[0])
            self._line += 1 + row.count("\n")
        return [column]

    def _extract(self, row: str) -> str | list[Any] | None:
        """The text of a row, or a list of its references; None for what is missing."""
        raise NotImplementedError

    def _place(self) -> str:
        return f"{self.label}: {self.unit} {self._line}"

    def _error(self, problem: str) -> InputError:
        return InputError(f"{self._place()}: {problem}")


class ColumnReader(_OneOfMany):
    """A column of values that are separated by tabs, or others; cells may be `quoted`."""

    def __init__(
        self, lines: TextLines, selector: str, missing: str, quoted: bool, delimiter: str
    ) -> None:
        super().__init__(lines, selector, missing)
        self._quoted, self._delimiter = quoted, delimiter
        if quoted:
            self._rows = rows_of(self._rows)
        rows = list(islice(self._rows, 1))
        first = rows[0].removesuffix("\r") if rows else ""
        cells = [cell or "" for cell in self._cells(first)]
        self._width = len(cells)
        if selector.isascii() and selector.isdigit():
            self._column = int(selector) - 1
            if not 0 <= self._column < self._width:
                choices = f"line 1 has {self._width}, counted from 1"
                choices += "; or add --delimiter" * (self._width == 1)
                raise InputError(f"{self.label}: there is no column {selector}: {choices}")
            self._rows = chain(rows, self._rows)
            return
        self._line += 1 + first.count("\n")
        if cells.count(selector) != 1:
            problem = "two columns are" if selector in cells else "no column is"
            fix = f"choose by number or one of: {', '.join(map(repr, cells))}"
            raise InputError(f"{self.label}: {problem} named {shown(selector)} in line 1; {fix}")
        self._column = cells.index(selector)

    def _extract(self, row: str) -> str | None:
        cells = self._cells(row)
        if len(cells) != self._width:
            columns = f"{len(cells)} column{'s' * (len(cells) != 1)}, but line 1 has {self._width}"
            mark = "a tab" if self._delimiter == "\t" else repr(self._delimiter)
            raise self._error(f"{columns}; does a text contain {mark} or a line break?")
        text = cells[self._column]
        return text if self._quoted else text or None

    def _cells(self, row: str) -> Sequence[str | None]:
        mark = self._delimiter
        cells = cells_of(row, mark) if self._quoted else row.split(mark)
        if cells is None:
            problem = "a quotation mark neither encloses a cell nor is doubled in it"
            raise self._error(f"{problem}: correct it, or add --no-quoted")
        return cells


class JsonReader(_OneOfMany):
    """The value of one key in JSON objects, one per line or all in one list.

    With `is_reference` the value may be a list of references.
    """

    def __init__(self, lines: TextLines, selector: str, missing: str, is_reference: bool) -> None:
        super().__init__(lines, selector, missing)
        self._is_reference = is_reference
        self._rows = self._objects(self._rows)

    def _objects(self, rows: Iterator[str]) -> Iterator[str]:
        first = list(islice(rows, 1))
        if not "".join(first).lstrip().startswith("["):
            yield from chain(first, rows)
            return
        objects = self._parsed("\n".join([*first, *rows]))
        self.unit = "object"
        yield from map(json.dumps, objects)

    def _parsed(self, text: str) -> Any:
        try:
            return json.loads(text)
        except (ValueError, RecursionError) as error:
            problem = "this is not JSON, one object per line or a list of objects"
            raise self._error(f"{problem}: {error}") from error

    def _extract(self, row: str) -> str | list[Any] | None:
        value = self._parsed(row)
        if not isinstance(value, dict):
            raise self._error(f"expected an object, found {_described(value)}")
        if not self._selector:
            raise self._error(f"choose a text by ::KEY after the name; here is {_described(value)}")
        path = [self._selector] if self._selector in value else self._selector.split(".")
        for depth, key in enumerate(path):
            if isinstance(value, list) and key.isdecimal() and int(key) < len(value):
                value = value[int(key)]
            elif isinstance(value, dict) and key in value:
                value = value[key]
            else:
                where = f"{'.'.join(path[:depth])} is" if depth else "there is"
                raise self._error(f"no key {shown(key)}; {where} {_described(value)}")
        is_list = isinstance(value, list) and self._is_reference
        texts = [None if is_missing(text) else text for text in (value if is_list else [value])]
        others = [text for text in texts if not (text is None or isinstance(text, str))]
        if texts and not others:
            self.ragged |= is_list
            return texts if is_list else texts[0]
        verb, wrong = ("holds", others[0]) if is_list and others else ("is", value)
        problem = f"{shown(self._selector)} {verb} {_described(wrong)}, but must be a string"
        if is_list:
            problem += " or a list of strings, at least one"
        elif isinstance(value, (dict, list)) and value:
            first = next(iter(value)) if isinstance(value, dict) else 0
            problem += f"; choose a part of it, such as ::{self._selector}.{first}"
        raise self._error(problem)


def _described(value: Any) -> str:
    if isinstance(value, dict):
        keys = ", ".join(map(repr, value))
        return f"an object with the keys {keys}" if value else "an empty object"
    if isinstance(value, list):
        return f"a list of {len(value)}" if value else "an empty list"
    names = {type(None): "null", bool: "true or false", str: "a string"}
    return names.get(type(value), "a number")


class CocoReader(Reader):
    """The captions of images; the images are those of the results, in the order of the annotations.

    Images have different numbers of references: in shorter columns there is None.
    """

    unit = "image"

    def __init__(self, path: str, opened: ExitStack) -> None:
        self.source = ByteSource(path, opened)
        self.label = self.source.label
        opened.enter_context(collection_paused())  # until the captions are no longer needed
        data = b"".join(iter(self.source.read, b""))
        try:
            self.captions = parse_captions(data, self.label)
        except ValueError as error:
            fix = f"name a key of other objects, as in {path}::KEY, and a file of lines otherwise"
            raise InputError(f"{error} ({fix})") from error
        self._images: list[Any] = []

    def choose(self, images: list[Any]) -> None:
        """Decide which images are read."""
        widths = {len(self.captions[image]) for image in images}
        self._images, self.width, self.ragged = images, max(widths), len(widths) > 1

    def read(self, count: int) -> list[list[Any]]:
        images = self._images[self.segments : self.segments + count]
        self.segments += len(images)
        rows = [self.captions[image] for image in images]
        columns = list(map(list, zip_longest(*rows)))
        return columns + [[None] * len(rows) for _ in range(self.width - len(columns))]


class MarkupReader(Reader):
    """The segments of one translator or system in XML or SGML, in the order of the file.

    Without a selector the translator may differ between documents, if each has only one.
    By sacreBLEU's rules for WMT's layout the segments of a document are sorted by number;
    documents of test suites and segments without any translation are left out.
    """

    unit = "segment"

    def __init__(
        self, path: str, selector: str, opened: ExitStack, role: str, encoding: str, xml: bool
    ) -> None:
        from .markup import documents

        with ExitStack() as closed:
            source = ByteSource(path, closed)
            if source.size is None:
                problem = "XML is read twice, so it must be a file and not a pipe"
                raise InputError(f"{source.label}: {problem}")
            parts: dict[Part, None] = {}
            count: Counter[tuple[str, str]] = Counter()
            for document in documents(source, encoding, xml):
                parts |= dict.fromkeys(document.parts)
                count.update((part.kind, document.name) for part in document.parts)
        self.source = ByteSource(path, opened)
        self.label = source.label
        self._translated = any(part.kind == "ref" for part in parts)
        several = {kind for (kind, _), number in count.items() if number > 1}
        self._part = _choose(self.label, selector, role, list(parts), several)
        self._by_kind = not selector and self._part.kind not in several
        self.by_id = self._ordered(documents(self.source, encoding, xml))

    def read(self, count: int) -> list[list[str]]:
        texts = [segment.text for _, segment in islice(self.by_id, count)]
        self.segments += len(texts)
        return [texts]

    def _ordered(self, documents: Iterator[Document]) -> Iterator[tuple[tuple[str, str], Segment]]:
        for document in documents:
            part = self._part
            if self._by_kind:
                part = next((p for p in document.parts if p.kind == part.kind), part)
            chosen = document.parts.get(part)
            names = list(chosen or ()) if document.in_set else self._names(document, part)
            if names and chosen is None:
                others = ", ".join(str(p) for p in document.parts if p.kind == part.kind)
                raise self._missing(document, f"has no {part}" + f", but {others}" * bool(others))
            for name in names:
                if name not in chosen:  # type: ignore[operator]
                    raise self._missing(document, f"has no segment {name} of {part}")
                yield (document.name, name), chosen[name]  # type: ignore[index]

    def _names(self, document: Document, part: Part) -> list[str]:
        """Return the ids of a document's segments that count, in WMT's layout."""
        if document.testsuite:
            return []
        parts = document.parts
        model = next((p for p in parts if p.kind == "src"), part)
        names = list(parts.get(model, ()))
        if extra := set(parts.get(part, ())) - set(names):
            problem = f"has a segment {min(extra)} of {part}, but not of {model}"
            raise self._missing(document, problem)
        if self._translated:
            references = [segments for part, segments in parts.items() if part.kind == "ref"]
            names = [n for n in names if any(n in r and r[n].text for r in references)]
        return sorted(names, key=int) if all(map(str.isdecimal, names)) else names

    def _missing(self, document: Document, problem: str) -> InputError:
        return InputError(f"{self.label}: line {document.line}: document {document.name} {problem}")


def align_documents(readers: Sequence[Reader]) -> None:
    """Put files of XML and SGML in the order of the first, by ids; InputError if these differ."""
    markup = [reader for reader in readers if isinstance(reader, MarkupReader)]
    expected = dict(markup[0].by_id) if len(markup) > 1 else {}
    for reader in markup[1:]:
        segments = dict(reader.by_id)
        for key in [*expected, *segments]:
            if key not in segments or key not in expected:
                has, lacks = (markup[0], reader) if key in expected else (reader, markup[0])
                where = f"on line {(expected | segments)[key].line} of {has.label}"
                problem = f"has no segment {key[1]} of document {key[0]}, which is {where}"
                raise InputError(f"{lacks.label} {problem}")
        reader.by_id = iter([(key, segments[key]) for key in expected])
    if expected:
        markup[0].by_id = iter(expected.items())


def align_images(references: Sequence[Reader], systems: Sequence[Reader]) -> None:
    """Let all files of COCO's captions have the same images in the same order.

    Raises
    ------
    InputError
        Annotations are without results, the results of an image are not one caption, it has no
        annotation, or systems have different images.
    """
    results = [reader for reader in systems if isinstance(reader, CocoReader)]
    annotations = [reader for reader in references if isinstance(reader, CocoReader)]
    if not results and not annotations:
        return
    if not results or len(results) != len(systems) or len(annotations) != len(references):
        raise InputError(
            "COCO's annotations and results belong together: all files, also those after -i, must "
            "be .json; of other JSON choose a text by ::KEY after the name"
        )
    for reader in [*annotations[1:], *results]:
        reader.captions = with_ids_of(annotations[0].captions, reader.captions)
    for reader in results:
        for other in annotations:
            try:
                check_results(reader.captions, other.captions, reader.label)
            except ValueError as error:
                raise InputError(str(error)) from error
        if reader.captions.keys() != results[0].captions.keys():
            image = next(iter(reader.captions.keys() ^ results[0].captions.keys()))
            raise InputError(
                f"{reader.label} and {results[0].label} have different images: {image!r} is in one "
                "of them"
            )
    images = [image for image in annotations[0].captions if image in results[0].captions]
    for reader in results + annotations:
        reader.choose(images)


def _choose(label: str, selector: str, role: str, parts: list[Part], several: set[str]) -> Part:
    """Return the selected part, by the role; documents have one part of kinds not in `several`."""
    parts.sort(key=lambda part: part.kind != role)
    if selector:
        for part in parts:
            if selector in (part.name, str(part)):
                return part
    else:
        for kind in (REFERENCE, SYSTEM) if role == REFERENCE else (SYSTEM, REFERENCE):
            same = [part for part in parts if part.kind == kind]
            if len(same) == 1 or (same and kind not in several):
                return same[0]
            if same:
                break
    if not parts:
        raise InputError(f"{label}: no <refset>, <tstset> or <dataset> with documents in it")
    choices = ", ".join(f"::{part}" for part in parts)
    problem = f"nothing in it is named {shown(selector)}" if selector else "it holds several texts"
    raise InputError(f"{label}: {problem}; choose one of {choices}")
