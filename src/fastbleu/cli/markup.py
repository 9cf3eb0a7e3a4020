"""The XML and SGML files of NIST and WMT.

There are two layouts: a set (``<refset>``, ``<tstset>``, ``<srcset>``) whose ``<doc>`` elements
hold the segments of one translator or system, named by the set's ``refid`` or ``sysid`` or the
document's ``sysid``; and WMT's ``<dataset>``, whose ``<doc>`` elements hold ``<src>``,
``<ref translator="...">`` and ``<hyp system="...">`` side by side. Case does not matter in tags.

XML is parsed by defusedxml, which refuses entity definitions, as used in "entity bombs". The SGML
that WMT published until 2020 is not well-formed, so it is only searched for the relevant tags; the
text between them is left unchanged, as in mteval and sacreBLEU; the tokenizer "13a" decodes the
usual entities.
"""

from __future__ import annotations

import codecs
import re
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from ..core.inputs.arguments import shown
from ..core.runtime.extras import install_command
from ..files.formats import unread_format
from .alignment import MatchedReader, Segment
from .readers import LABEL, REFERENCE, SYSTEM, ByteSource, InputError, TextLines

_SETS = {"srcset": "src", "refset": "ref", "tstset": "hyp"}
_NAMES = {"src": "", "ref": "translator", "hyp": "system"}  # the attribute that names the part
_TAG = re.compile(r"<(/?)(srcset|refset|tstset|doc|seg|tmx|xliff)\b([^<>]*)>", re.IGNORECASE)
# A name is only looked for where one begins, so that a long word takes linear time.
_ATTRIBUTE = re.compile(r"""(?<![\w.:-])([\w.:-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""")
# The XML declaration in an encoding that contains ASCII, and the encodings that expat knows.
_DECLARATION = re.compile(rb"""<\?xml\s[^>]*?\bencoding\s*=\s*["']([A-Za-z0-9._-]+)""")
_EXPAT_ENCODINGS = {"utf-8", "utf-16", "utf-16be", "utf-16le", "us-ascii", "iso-8859-1"}
DOCUMENT = "docid"  # selects the name of each segment's document
_LINES = 512
_LONGEST_TAG = 10_000  # characters


class Part(NamedTuple):
    """The source, a translator or a system: `kind` is "src", "ref" or "hyp"."""

    kind: str
    name: str

    def __str__(self) -> str:
        return f"{self.kind}:{self.name}" if self.name else self.kind


class Document(NamedTuple):
    """A document's segments by id, for each part; `in_set` tells the two layouts apart."""

    name: str
    line: int
    in_set: bool
    testsuite: bool
    parts: dict[Part, dict[str, Segment]]


class _Collector:
    """Builds documents from tags; it has the interface of an ElementTree parser's target."""

    def __init__(self, source: ByteSource) -> None:
        self._source = source
        self.line: Callable[[], int] = lambda: 0
        self.documents: list[Document] = []
        self._seen: set[tuple[str, Part]] = set()
        self._set: Part | None = None
        self._system = ""
        self._document: Document | None = None
        self._segments: dict[str, Segment] | None = None
        self._id = ""
        self._start = 0
        self._text: list[str] | None = None

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        tag = tag.rpartition("}")[2].lower()
        get = {name.lower(): value for name, value in attributes.items()}.get
        if tag in ("tmx", "xliff"):
            raise self.error(f"this is {unread_format(f'FILE.{tag}')}")
        if tag in _SETS:
            self._set = Part(_SETS[tag], get("refid") or get("sysid") or "")
        elif tag == "doc":
            self._start_document(get("docid") or get("id"), get("sysid"), get("testsuite"))
        elif tag in _NAMES and self._document is not None and not self._document.in_set:
            self._start_part(self._document, Part(tag, get(_NAMES[tag]) or ""))
        elif tag == "seg":
            self._start_segment(get("id"))

    def _start_document(self, name: str | None, system: str | None, suite: str | None) -> None:
        if self._document is not None:
            raise self.error(f"a <doc> inside document {self._document.name}")
        if not name:
            raise self.error("a <doc> without docid or id")
        in_set = self._set is not None
        self._system = system or ""
        self._document = Document(name, self.line(), in_set, suite is not None, {})
        if self._set is not None:
            self._start_part(self._document, Part(self._set.kind, system or self._set.name))

    def _start_part(self, document: Document, part: Part) -> None:
        if (document.name, part) in self._seen:
            raise self.error(f"a second {part} of document {document.name}")
        self._seen.add((document.name, part))
        self._segments = document.parts[part] = {}

    def _start_segment(self, name: str | None) -> None:
        if self._document is not None and not self._document.parts:  # SGML without its outer tag
            self._document = self._document._replace(in_set=True)
            self._start_part(self._document, Part("hyp", self._system))
        if self._segments is None or self._document is None:
            problem = "a <seg> outside the documents of a source, translator or system"
            raise self.error(
                f"{problem}; extract the texts of <seg> lines with sed 's/<[^>]*>//g' FILE"
            )
        if self._text is not None:
            raise self.error(f"segment {self._id} of document {self._document.name} has no </seg>")
        if not name:
            raise self.error(f"a <seg> without id in document {self._document.name}")
        name = name.strip().lstrip("0") or "0"  # 01 is 1 in another file
        if name in self._segments:
            raise self.error(f"a second segment {name} of document {self._document.name}")
        self._id, self._start, self._text = name, self.line(), []

    def data(self, text: str) -> None:
        if self._text is not None:
            self._text.append(text)

    def end(self, tag: str) -> None:
        tag = tag.rpartition("}")[2].lower()
        if tag == "seg" and self._text is not None and self._segments is not None:
            text = " ".join("".join(self._text).split())
            self._segments[self._id] = Segment(text, self._start)
            self._text = None
        elif self._text is not None and tag in ("doc", *_SETS, *_NAMES):
            raise self.error(f"segment {self._id}, begun on line {self._start}, has no </seg>")
        elif tag == "doc" and self._document is not None:
            self.documents.append(self._document)
            self._document = self._segments = None
        elif tag in _SETS:
            self._set = None
        elif tag in _NAMES and self._document is not None and not self._document.in_set:
            self._segments = None

    def close(self) -> None:
        if self._document is not None:
            raise self.error(f"the file ends inside document {self._document.name}")

    def error(self, problem: str) -> InputError:
        return self._source.error(f"line {self.line()}: {problem}", line=self.line())


def _documents(source: ByteSource, xml: bool) -> list[Document]:
    """Return the documents of a file in order.

    XML names its own encoding; SGML that starts with an XML declaration is read as XML, too.
    """
    collector = _Collector(source)
    start = source.peek().removeprefix(codecs.BOM_UTF8).lstrip()
    if xml or start.startswith(b"<?xml"):
        _read_xml(source, start, collector)
    else:
        _read_sgml(source, collector)
    collector.close()
    return collector.documents


def _xml_data(source: ByteSource, start: bytes, collector: _Collector) -> Iterator[bytes | str]:
    """Return the file's bytes, or its text if the parser cannot decode its encoding."""
    declared = _DECLARATION.match(start)
    name = declared[1].decode("ascii") if declared else "utf-8"
    if name.lower() in _EXPAT_ENCODINGS:
        source.where = lambda: f"after line {collector.line()}"
        return iter(source.read, b"")
    codec = "cp874" if name.lower() == "windows-874" else name  # a name that Python does not know
    try:
        "".encode(codec)  # fails for codecs that do not encode text
        lines = TextLines(source, declared=codec)
    except (LookupError, ValueError) as error:
        problem = f"it declares the encoding {name!r}, which Python cannot decode"
        raise source.error(f"{problem}: convert the file to UTF-8") from error
    return ("\n".join([*more, ""]) for more in iter(lambda: lines.read(_LINES), []))


def _read_xml(source: ByteSource, start: bytes, collector: _Collector) -> None:
    try:
        from defusedxml import DefusedXmlException, ElementTree  # type: ignore[import-untyped]
    except ImportError as error:
        raise source.error(f"reading XML needs defusedxml: {install_command('xml')}") from error
    parser: Any = ElementTree.DefusedXMLParser(target=collector)
    collector.line = lambda: int(parser.parser.CurrentLineNumber)
    try:
        for block in _xml_data(source, start, collector):
            parser.feed(block)
        parser.close()
    except (ElementTree.ParseError, UnicodeEncodeError) as error:  # the latter for lone surrogates
        raise collector.error(f"this is not well-formed XML: {error}") from error
    except DefusedXmlException as error:
        problem = "the file defines or loads entities, which may be an attack"
        raise collector.error(f"{problem}: {error}") from error


def _read_sgml(source: ByteSource, collector: _Collector) -> None:
    line, rest = 1, ""
    collector.line = lambda: line
    lines = TextLines(source)
    while more := lines.read(_LINES):
        text = "\n".join([rest + more[0], *more[1:], ""])
        if "<!entity" in text.lower():
            raise collector.error("the file defines entities, which may be an attack")
        done = 0
        for tag in _TAG.finditer(text):
            collector.data(text[done : tag.start()])
            line += text.count("\n", done, tag.start())
            done = tag.start()
            closing, name, attributes = tag.groups()
            if closing:
                collector.end(name)
            else:
                values = {key: a or b or c for key, a, b, c in _ATTRIBUTE.findall(attributes)}
                collector.start(name, values)
            line += text.count("\n", done, tag.end())
            done = tag.end()
        cut = text.rfind("<", done)  # a tag may continue in the next lines
        if not 0 <= len(text) - cut < _LONGEST_TAG:
            cut = len(text)
        collector.data(text[done:cut])
        line += text.count("\n", done, cut)
        rest = text[cut:]


class MarkupReader(MatchedReader):
    """The segments of one translator or system in XML or SGML, with single spaces.

    A LABEL with the selector "docid" holds the names of their documents.

    Without a selector the translator may differ between documents, if each has only one.
    In WMT's layout, as in sacreBLEU, the segments of a document are sorted by number;
    documents of test suites and segments without any translation are left out.
    """

    named = "segment {1} of document {0}"

    def __init__(self, source: ByteSource, selector: str, role: str, xml: bool) -> None:
        self._source, self.label = source, source.label
        documents = _documents(source, xml)
        named = [(document.name, part) for document in documents for part in document.parts]
        parts = [*dict.fromkeys(part for _, part in named)]
        self._of_documents = selector == DOCUMENT and role == LABEL
        selector = "" if self._of_documents else selector
        count = Counter((name, part.kind) for name, part in named)
        several = {kind for (_, kind), number in count.items() if number > 1}
        self._translated = any(part.kind == "ref" for part in parts)
        self._part = _choose(source, selector, role, parts, several)
        self._by_kind = not selector and self._part.kind not in several
        self.by_id = dict(self._ordered(documents))
        if self._of_documents:
            self.by_id = {key: Segment(key[0], s.line) for key, s in self.by_id.items()}

    def _ordered(self, documents: list[Document]) -> Iterator[tuple[tuple[str, str], Segment]]:
        for document in documents:
            part = self._part
            if self._by_kind:
                part = next((p for p in document.parts if p.kind == part.kind), part)
            segments = document.parts.get(part, {})
            names = list(segments) if document.in_set else self._names(document, part)
            if names and part not in document.parts:
                others = ", ".join(str(p) for p in document.parts if p.kind == part.kind)
                raise self._missing(document, f"has no {part}" + f", but {others}" * bool(others))
            for name in names:
                if name not in segments:
                    raise self._missing(document, f"has no segment {name} of {part}")
                yield (document.name, name), segments[name]

    def _names(self, document: Document, part: Part) -> list[str]:
        """Return the ids of the segments to score, in a document of WMT's layout."""
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
        line = document.line
        return self._source.error(f"line {line}: document {document.name} {problem}", line=line)


def _choose(
    source: ByteSource, selector: str, role: str, parts: list[Part], several: set[str]
) -> Part:
    """Return the part that `selector` or `role` selects.

    `several` are the kinds with more than one part in some document.
    """
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
        raise source.error("no <refset>, <tstset> or <dataset> with documents in it")
    choices = ", ".join(f"::{part}" for part in parts)
    problem = f"nothing in it is named {shown(selector)}" if selector else "it holds several texts"
    raise source.error(f"{problem}; choose one of {choices}")
