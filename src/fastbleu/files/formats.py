"""Formats of text files: compression, cells between delimiters, and captions in COCO's JSON.

Compressed files, and archives of one file, are recognized by their first bytes or their suffix.
Formats that Python's standard library unpacks are read; before Python 3.14, pyarrow unpacks zstd.
Other formats are refused, because in some encodings any bytes are text.

Table writers (pandas, polars, pyarrow, csv) put quotation marks around cells that contain a
quotation mark, a tab or a line break, and double the marks in the cell. In plain files, such as
parallel corpora, quotation marks are ordinary text.
"""

from __future__ import annotations

import io
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib import import_module
from itertools import chain

from ..core.inputs.arguments import a_type, shown
from ..core.inputs.errors import InputError, advised
from ..core.runtime.extras import install_command
from ..core.runtime.import_lock import lazy
from .collection import collection_paused

TYPE_CHECKING = False
if TYPE_CHECKING:
    import json
    from typing import Any
else:
    json = lazy("json")

_ZSTD = "compression.zstd"
# The modules that unpack files; archives may hold several.
SUFFIXES = {".gz": "gzip", ".tgz": "gzip", ".bz2": "bz2", ".xz": "lzma", ".lzma": "lzma"}
SUFFIXES |= {".zst": _ZSTD, ".zip": "zipfile", ".tar": "tarfile"}
_MARKS = {b"\x1f\x8b": "gzip", b"\xfd7zXZ\0": "lzma", b"]\0\0": "lzma", b"\x28\xb5\x2f\xfd": _ZSTD}
_MARKS |= {b"BZh%d1AY" % level: "bz2" for level in range(1, 10)} | {b"PK\3\4": "zipfile"}
_MARKS |= {b"7z\xbc\xaf'\x1c": "7-Zip", b"Rar!\x1a\7": "RAR", b'\4"M\x18': "lz4", b"x\x9c": "zlib"}
_MARKS |= {b"LZIP\1": "lzip", b"\x1f\x9d": ".Z", b"PAR1\x15": "Parquet", b"ARROW1\0": "Arrow"}
_HIDDEN = re.compile(r"/$|(^|/)(__MACOSX/|\._)")  # folders, and what macOS adds to archives
_FROM_PIPE = "an archive cannot be read from a pipe: save it as a file, or unpack it"

# The formats of tables by the end of a file's name.
FORMATS = {".parquet": "parquet", ".pq": "parquet"}
FORMATS |= dict.fromkeys((".arrow", ".feather", ".ipc", ".arrows"), "ipc")
FORMATS |= {".csv": "csv", ".tsv": "tsv", ".jsonl": "json", ".ndjson": "json"}
DELIMITERS = ",", ";", "\t", "|", ":"
# The most lines in a row, so that an unclosed quotation mark does not swallow a whole plain file.
_MOST_LINES = 1 << 16


_TRANSLATIONS = "TMX or XLIFF of a translation tool: export the texts of each side, one per line"
# How toolkit outputs begin, bytes that each contains, and the commands that extract the texts.
_OUTPUTS = (
    (
        rb"(?:[^\n]*\n)*?[HD]-\d+\t-?[\d.e-]+\t|[ST]-\d+\t",
        b"\t",
        "fairseq output: get hypotheses with grep ^H- FILE | LC_ALL=C sort -V | cut -f3- (or ^D- "
        "if detokenized) and references with grep ^T- FILE | LC_ALL=C sort -V | cut -f2-",
    ),
    (
        rb"\d+ \|\|\| .* \|\|\| ",
        b" ||| ",
        "an n-best list: get the first text of each segment with "
        "awk -F ' [|][|][|] ' '!n[$1]++ {print $2}' FILE",
    ),
    (
        rb"(?i)\s*<seg\b[^<>\n]*>.*</seg>",
        b"</",
        "<seg> lines: get the texts with sed 's/<[^>]*>//g' FILE",
    ),
    (rb"(?i)\s*(?:<[?!][^>]*>\s*)*<(?:tmx|xliff)\b", b"<", _TRANSLATIONS),
    (
        rb"(?i)\s*<(?:\?xml\s|(?:doc|refset|tstset|srcset)\s[^<>]*id\s*=)",
        b"<",
        "XML or SGML: rename it to end in .xml or .sgm",
    ),
    (
        rb'\s*(?:\[\s*\{|\{\s*"(?:info|images|licenses|annotations)"\s*:)',
        b'"image_id"',
        "COCO captions: rename it to end in .json",
    ),
    (
        rb"\s*\d+\s*\n[\d:,.]+ --> ",
        b" --> ",
        "subtitles (SRT): add --keyed to match their texts by number",
    ),
    (rb"WEBVTT", b" --> ", "subtitles (WebVTT): convert them to SRT, and add --keyed"),
)


# Patterns that are seldom used are strings: compiling one takes a tenth of a millisecond or more.
_LAST_KEY = r"\(([^\s()]+)\)\s*$"  # the format trn of speech recognition
_TIMES = r"[\d:,.]+ --> "  # of a subtitle
_KEY = r"(?=.*[0-9])[A-Za-z0-9_]([\w.:/@+-]*\w)?"
_NUMBER = r'\s*"?-?[\d.]+"?\s*'


# Formats that are not read, by the end of a file's name, and what to do.
_SHEET = "a spreadsheet: save the sheet as CSV, or in Python pass pandas.read_excel({!r})"
_UNREAD = dict.fromkeys((".xlsx", ".xls", ".ods"), _SHEET)
_UNREAD |= dict.fromkeys((".tmx", ".xlf", ".xliff"), _TRANSLATIONS)
_UNREAD |= {".srt": "subtitles: without ::SELECTOR, add --keyed to match their texts by number"}


def unread_format(path: str) -> str:
    """What a file of a format that is not read is, and what to do; "" for others."""
    known = _UNREAD.get(os.path.splitext(path.lower())[1])
    return known.format(path) if known else ""


class PackedError(InputError):
    """A problem with a packed file, and how to fix it."""


def without_suffix(name: str) -> str:
    """A name in lower case, without the suffixes of packed files."""
    stem, end = os.path.splitext(name.lower())
    return without_suffix(stem) if end in SUFFIXES else stem + end


def module_of(start: bytes, suffix: str = "") -> str | None:
    """The module that unpacks a file, by its first bytes and its suffix; None for plain files."""
    marked = (module for mark, module in _MARKS.items() if start.startswith(mark))
    module = "tarfile" if start[257:262] == b"ustar" else next(marked, SUFFIXES.get(suffix))
    if suffix == ".br" and re.search(rb"[\0-\x08\x0e-\x1a]", start):  # not a text in Breton
        module = "Brotli"
    if module and module not in SUFFIXES.values():
        raise PackedError(f"this is {module}, not text: convert it, or use {', '.join(SUFFIXES)}")
    return module


def unpacked(file: Any, name: str, layers: int = 3) -> Any:
    """The content of an open file with a peek() method; the file itself if it is not packed."""
    stem, suffix = os.path.splitext(name.lower())
    module = module_of(file.peek(262), suffix)
    if module is None:
        return file
    if not layers:  # some files unpack to themselves
        raise PackedError("this is packed several times: unpack it")
    return unpacked(_content(file, module), stem, layers - 1)


def _content(file: Any, module: str) -> Any:
    try:
        unpacker = import_module(module)
    except ImportError:
        pyarrow = import_module("pyarrow")
        stream = pyarrow.CompressedInputStream(pyarrow.PythonFile(file, "r"), "zstd")
        return io.BufferedReader(stream)
    if module not in ("zipfile", "tarfile"):
        return unpacker.open(file)
    if not file.seekable():
        raise PackedError(_FROM_PIPE)
    is_zip = module == "zipfile"
    try:
        archive = unpacker.ZipFile(file) if is_zip else unpacker.open(fileobj=file)
        files = archive.namelist() if is_zip else [part.name for part in archive if part.isfile()]
    except io.UnsupportedOperation:  # from a pipe
        raise
    except ValueError as error:  # such as a PAX header without a number
        raise PackedError(f"the archive is damaged ({error}); copy or pack it again") from error
    if "[Content_Types].xml" in files:
        raise PackedError(f"this is {_SHEET.format('FILE.xlsx')}")
    names = [name for name in files if not _HIDDEN.search(name)]
    if len(names) != 1:
        raise PackedError(f"the archive has {len(names)} files, expected one: unpack it")
    return archive.open(names[0]) if is_zip else archive.extractfile(names[0])


def output_of(start: bytes) -> str | None:
    """Which output a text file that starts so holds, and how to get the texts; None for texts."""
    for pattern, part, output in _OUTPUTS:
        if part in start and re.match(pattern, start):  # compiling a pattern takes a millisecond
            return output
    return None


def texts_by_key(lines: Sequence[str]) -> dict[str, str]:
    """The texts of lines that all have keys unlike words: with a digit, and a letter or a tab."""
    if not lines or not re.search(r"^\S*\d|\)\s*$", lines[0]):  # at no cost for texts
        return {}
    pattern = _KEY if "\t" in lines[0] else r"(?=.*[A-Za-z_-])" + _KEY
    texts = {key: text for _, key, text in keyed_texts(lines)}
    return texts if all(re.fullmatch(pattern, key) for key in texts) else {}


def keyed_texts(lines: Sequence[str]) -> Iterator[tuple[int, str, str]]:
    """The number of the line, the key and the text of each segment; blank lines are ignored.

    The keys of all lines are their last words, in parentheses, or their first ones, up to a tab, if
    line 1 has one, or a space. Those of subtitles (SRT) are their numbers.
    """
    times = [number for number, line in enumerate(lines) if re.match(_TIMES, line)]
    for start, end in zip(times, [*times[1:], len(lines) + 1], strict=False):
        words = " ".join(lines[start + 1 : end - 1]).split()
        yield start, lines[start - 1].strip() if start else "", " ".join(words)
    filled = [] if times else [(n, line) for n, line in enumerate(lines, 1) if line.strip()]
    are_last = all(re.search(_LAST_KEY, line) for _, line in filled)
    mark = "\t" if filled and "\t" in filled[0][1] else None
    for number, line in filled:
        if are_last and (match := re.search(_LAST_KEY, line)):
            yield number, match[1], line[: match.start()].rstrip()
        else:
            key, *text = line.removesuffix("\r").split(mark, 1)
            yield number, key.strip(), "".join(text)


def problem_of(error: Exception) -> str | None:
    """The problem behind an error in reading a packed file, and a fix; None for other errors."""
    if isinstance(error, PackedError):
        return str(error)
    if isinstance(error, io.UnsupportedOperation):
        return _FROM_PIPE
    if isinstance(error, ImportError):
        return f"unpacking needs {error.name}: {install_command('parquet')}, or unpack it first"
    others = (ValueError, TypeError, LookupError, MemoryError)
    if isinstance(error, others) or getattr(error, "strerror", None):
        return None
    problem = "ends too early" if isinstance(error, EOFError) else f"is damaged ({error})".lower()
    return f"the compressed data {problem}; test it (as with gzip -t) and copy or pack it again"


def no_value(row: str, column: str, reference: int | None = None) -> str:
    """The message for a missing value in a table, of a hypothesis if there is no `reference`."""
    skip, ragged, empty = (advised("missing", choice) for choice in ("skip", "ragged", "empty"))
    ragged = "" if reference is None else f", {ragged} to leave out such references"
    return (
        f"{row}: column {shown(column)} has no value (null); pass {skip} to leave such rows "
        f"out{ragged} or {empty} to take an empty text, or fill the column"
    )


def rows_of(lines: Iterable[str]) -> Iterator[str]:
    """Join lines, given without line ends, into rows: a row ends when its quotation marks do."""
    row: list[str] = []
    is_open = False
    for line in lines:
        row.append(line)
        is_open ^= line.count('"') % 2 == 1
        if not is_open or len(row) == _MOST_LINES:
            yield "\n".join(row)
            row, is_open = [], False
    if row:
        yield "\n".join(row)


def layout_of(
    lines: Iterator[str],
    columns: Sequence[str],
    delimiter: str | None,
    quoted: bool | None,
    default: str = "\t",
) -> tuple[str, bool, list[str]]:
    """The delimiter of a file, whether quotation marks enclose cells, and the cells of line 1.

    A delimiter that is not given is the one with which line 1 contains most of `columns`.
    """
    row = next(rows_of(lines), "").removeprefix("\ufeff").removesuffix("\r")
    line = row.partition("\n")[0].removesuffix("\r")

    def header(mark: str) -> list[str]:
        cells = None if quoted is False else cells_of(row, mark)
        return [cell or "" for cell in cells or line.split(mark)]

    if delimiter is None:
        delimiter = max((default, *DELIMITERS), key=lambda mark: len({*columns} & {*header(mark)}))
    if quoted is None:
        quoted = delimiter != "\t" or is_quoted(chain(row.split("\n"), lines))
    return delimiter, quoted, header(delimiter)


def is_heading(line_1: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """Whether line 1 names the columns of the rows after it.

    It does if it alone has a different word in each cell, or a cell above numbers that is none.
    """
    words = [all(map(str.isidentifier, row)) for row in (line_1, *rows)]
    names = words[0] and not any(words[1:]) and len({*line_1}) == len(line_1)
    is_number = re.compile(_NUMBER).fullmatch
    columns = zip(line_1, *rows, strict=False)
    above = [cell for cell, *column in columns if all(map(is_number, column))]
    return bool(rows) and (names or not all(map(is_number, above)))


@cache
def _cell(mark: str) -> re.Pattern[str]:
    return re.compile(rf'[{mark}](?:"([^"]*(?:""[^"]*)*)"|([^"{mark}]*))(?=[{mark}]|\Z)')


def cells_of(row: str, delimiter: str = "\t") -> list[str | None] | None:
    """The cells of a row, with None for an empty unquoted cell; None if marks are misplaced."""
    cells = list(_cell(delimiter).finditer(f"{delimiter}{row}"))
    if sum(len(cell[0]) for cell in cells) <= len(row):
        return None
    return [cell[2] or None if cell[1] is None else cell[1].replace('""', '"') for cell in cells]


def is_quoted(lines: Iterable[str]) -> bool:
    """Whether quotation marks enclose cells in tab-separated lines, given without line ends.

    They do if all of them can, and also some are doubled, all cells of line 1 have them, or lines
    split without them would differ from line 1 in the number of cells.
    """
    width, is_certain = 0, False
    for row in rows_of(line.removesuffix("\r") for line in lines):
        if width and '"' not in row:
            continue
        cells = cells_of(row if width else row.removeprefix("\ufeff"))
        if cells is None or len(cells) != (width or len(cells)):
            return False
        tabs = [line.count("\t") for line in row.split("\n")]
        if not width:
            width, first_tabs = len(cells), tabs[0]
            is_certain = row.count('"') >= 2 * width
        fits_plain = all(count == first_tabs for count in tabs)
        if fits_plain and len(tabs) > 1 and width > 1:
            return False  # the marks enclose text of several rows
        is_certain |= not fits_plain or '""' in row
    return is_certain


@collection_paused()
def parse_captions(data: bytes | bytearray, name: str) -> dict[Any, list[str]]:
    """The captions of each image, in the order of the file.

    `data` is a list of objects with the keys "image_id" and "caption", as in files of results, an
    object with such a list as "annotations", or one with a caption or a list of them for each
    image. Errors are ValueError and begin with `name`.
    """
    try:
        entries = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{name}: this is not JSON: {error}") from error
    if type(entries) is dict and "annotations" in entries:
        entries = entries["annotations"]
    elif type(entries) is dict:
        entries = [
            {"image_id": image, "caption": text.get("caption") if type(text) is dict else text}
            for image, texts in entries.items()
            for text in (texts if type(texts) is list else [texts])
        ]
    if type(entries) is not list:
        raise InputError(f"{name}: expected a list of captions, found {a_type(entries)}")
    captions: dict[Any, list[str]] = {}
    for number, entry in enumerate(entries):
        try:
            image, caption = entry["image_id"], entry["caption"]
        except (KeyError, TypeError):
            image = caption = None
        if type(caption) is not str or type(image) not in (int, str):
            raise InputError(
                f'{name}: entry {number} has no "image_id" with a "caption" that is a string; '
                "expected COCO's captions, or an object with a list of captions for each image"
            )
        captions.setdefault(image, []).append(caption)
    return captions


def with_ids_of(
    annotations: Mapping[Any, list[str]], captions: dict[Any, list[str]]
) -> dict[Any, list[str]]:
    """The captions under the ids of the annotations, which may be numbers instead of text."""
    ids = {str(image): image for image in annotations}
    matched = {ids.get(str(image), image): texts for image, texts in captions.items()}
    return matched if len(ids) == len(annotations) and len(matched) == len(captions) else captions


def check_results(
    results: Mapping[Any, list[str]], annotations: Mapping[Any, list[str]], name: str
) -> None:
    """Check that there is one caption for each image, and that the image has annotations."""
    for image, captions in results.items():
        if len(captions) != 1:
            number = f"{len(captions)} captions, expected one"
            raise InputError(f"{name}: image {shown(image)} has {number}")
        if image not in annotations:
            raise InputError(f"{name}: image {shown(image)} has no annotation")
    if not results:
        raise InputError(f"{name}: there are no captions")
