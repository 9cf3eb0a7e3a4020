"""The table of likely mistakes in texts: what is seen, what repairs it, and who must do what.

Warnings (mistakes.py), `explain`, overviews and the report speak from this table alone. A mistake
is named only if its repair helps, which is computed by running it.
"""

from __future__ import annotations

import heapq  # noqa: F401 (Counter.most_common would import it without the lock)
import json
import re
import unicodedata
from codecs import charmap_encode
from contextlib import suppress
from functools import partial
from itertools import zip_longest
from typing import NamedTuple

from ..core.runtime.import_lock import lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    import html
    from collections.abc import Callable
    from encodings import cp1251, cp1252
    from typing import Any

    Pattern = re.compile
else:
    html = lazy("html")  # has a table of 2,200 names
    # str.encode would import them without the lock.
    cp1251, cp1252 = lazy("encodings.cp1251"), lazy("encodings.cp1252")

    class Pattern:
        """A regular expression, compiled when first used: most texts need few of these."""

        def __init__(self, *arguments: Any) -> None:
            self._arguments = arguments

        def __getattr__(self, name: str) -> Any:
            method = getattr(re.compile(*self._arguments), name)
            setattr(self, name, method)  # the next use does not come here
            return method


_QUOTES = str.maketrans(dict.fromkeys("‘’‚‛", "'") | dict.fromkeys("“”„‟«»‹›", '"'))
_QUOTE = Pattern("[‘’‚‛“”„‟«»‹›]")
_DASH = Pattern("[–—―‐‑−]")
_ENTITY = Pattern(r"&(?:#\d{2,7}|#x[\da-fA-F]{2,6}|[a-zA-Z]{2,8});")
_ESCAPE = Pattern(r'\\(?:u[\da-fA-F]{4}|["/])|\\[nrt](?![a-z])')
_LIST = Pattern(r"""\s*\[\s*(['"]).*['"],?\s*\]\s*""", re.DOTALL)
_ITEM = Pattern(r"""'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)\"""")
_QUOTED = Pattern(r"""\s*(?:"(.*)"|“(.*)”|„(.*)[“”]|«(.*)»|'(.*)')\s*""", re.DOTALL)
_TAG = Pattern(
    r"\s*(?:<\|[^<>|]{1,30}\|>|\[/?(?:INST|PAD|CLS|SEP|BOS|EOS)\]"
    r"|(?:</|(?<!\w)<|<(?![A-Z]))(?!unk>)[A-Za-z][\w:-]*(?:\s+[\w:-]+=[^<>]*)?\s*/?>)\s*"
)
_LOG = Pattern(r"^(?:[HDTSP]-\d+\t)?(?:-?\d[\d.e+-]*\t)?(?:\d+ \|\|\| )?| \|\|\| .*", re.DOTALL)
_JOINT = Pattern(r"@@(?: |$)| ?\uffed ?| ##(?=\w)")
# Joiners belong to words in Arabic and Indian scripts.
_INVISIBLE = Pattern("[\u200b-\u200f\u2060\ufeff\xad](?:(?<=[^\u200c\u200d])|(?<=[\0-\u058f].))")
_MISREAD = (
    *("Ã", "Â", "Ð", "Ñ", "â\x80", "â€", "ã\x80", "ï¼", "Рѕ", "Рё", "РЅ", "Г©", "Г¼"),
    *("Ä", "Å", "å", "æ", "ä¸", "ç", "è¿"),
)
_NOT_ASCII = Pattern(r"[^\0-\x7f]{2,}")
_FULL_WIDTH = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {0x3000: " "}
# Chinese and Japanese texts have the others.
_NARROW = {
    code: to for code, to in _FULL_WIDTH.items() if chr(code) not in "，！？：；（）～\u3000"
}
_FULL_WIDTH_WORD = Pattern(f"[{re.escape(''.join(map(chr, _NARROW)))}]")
_KANA = Pattern("[\u3040-\u30ff]")
_LIGATURES = {
    0xFB00 + n: text for n, text in enumerate(("ff", "fi", "fl", "ffi", "ffl", "st", "st"))
}
_COMBINING = Pattern("[\u0300-\u036f\u3099\u309a\ufb00-\ufb06]")
_ACCENT = Pattern("[\xc0-\xd6\xd8-\xf6\xf8-\u017f\u01cd-\u01dc\u1e00-\u1eff\u0300-\u036f]")
# Full stops, commas and so on of other scripts.
_MARKS = dict(
    [(ord(mark), ".") for mark in "।。．｡։።۔"]
    + [(ord(mark), ",") for mark in "،，、､"]
    + [(ord(mark), latin) for mark, latin in zip("؛；：؟？！（）٪", ";;:??!()%", strict=True)]
)
_MARK = Pattern(f"[{''.join(map(chr, _MARKS))}]")
# Letters of scripts that have marks of their own, and ASCII's marks after these.
_OWN_MARKS = "[\u0531-\u0587\u0620-\u06d3\u0900-\u0963\u0966-\u0dff\u3040-\u9fff]"
_HAS_OWN_MARKS = Pattern(_OWN_MARKS)
_ASCII_MARK = Pattern(rf"{_OWN_MARKS}[.,!?:;](?![A-Za-z0-9])")
_PUNCTUATION = Pattern(r"[^\w\s]|_")
_UNSPACED_BEFORE = Pattern(r" (?=[.,!?;:)\]}…%](?:[ .,!?;:)\]}…%]|$))")
_SPACED_STOP = Pattern(r"(?<=\w) [.,)](?= |$)|\w @-@ \w")
_BETWEEN_DIGITS = Pattern(r"(?<=\d) ?([.,:]) (?=\d)")
_CONTRACTION = Pattern(r" (?=['’](?:\w|$)|n['’]t\b)|(?<=\w['’]) (?=\w)")
_QUOTE_MARKS = Pattern(r"[\"“”„»«]")
_NUMBER = Pattern(r"(?<=\d)[.,'’\u00a0\u202f](?=\d{3}(?!\d))")
_THOUSANDS = Pattern(r"\d,\d{3}(?!\d)")
_CAPITALS = Pattern(r"[A-ZÀ-ÖØ-ÞА-ЯЁΑ-Ω]")
_SMALL = Pattern(r"[a-zß-öø-ÿа-яёα-ω]")
_CHARACTERS = Pattern(r"(?:.[ \n])+.?", re.DOTALL)


def joined_subwords(text: str) -> str:
    """Join the subwords of BPE, WordPiece, SentencePiece and OpenNMT."""
    for start in ("\u2581", "\u0120"):  # marks the start of a word
        if start in text:
            text = text.replace(" ", "").replace(start, " ").strip()
    return _JOINT.sub("", text)


def _without_tags(text: str) -> str:
    return _TAG.sub(" ", text).strip() if _TAG.search(text) else text


def _listed(text: str) -> str:
    """Join the strings of a printed list."""
    if not _LIST.fullmatch(text):
        return text
    return re.sub(r"\\(.)", r"\1", " ".join(map("".join, _ITEM.findall(text))))


def _unquoted(text: str) -> str:
    """Remove quotation marks around a text, and double ones inside, as in CSV."""
    match = _QUOTED.fullmatch(text)
    return match[match.lastindex or 0].replace('""', '"') if match else text


def _western(character: str) -> bytes:
    """The character's byte in latin-1, or in cp1252 if latin-1 lacks it."""
    if character < "\u0100":
        return character.encode("latin-1")
    return charmap_encode(character, "strict", cp1252.encoding_table)[0]


def _cyrillic(character: str) -> bytes:
    return charmap_encode(character, "strict", cp1251.encoding_table)[0]


def _read_again(match: re.Match[str], is_sure: bool = False) -> str:
    """Decode UTF-8 that was read in another encoding."""
    for encode in (_western, _cyrillic):
        with suppress(UnicodeError):
            text = b"".join(map(encode, match[0])).decode()
            # A single character may be chance: Её in cp1251 is Ÿ.
            is_usual = text < "\u0180" or "\u2000" <= text < "\u2100"
            if len(text) > 1 or is_sure or (encode is _western and is_usual):
                return text
    return match[0]


def _decoded(text: str) -> str:
    """Repair a text that was read in the wrong encoding, once or several times."""
    while not text.isascii() and _NOT_ASCII.sub(_read_again, text) != text:
        text = _NOT_ASCII.sub(partial(_read_again, is_sure=True), text)
    return text


def _is_misread_twice(text: str) -> bool:
    if text.isascii():
        return False
    once = _NOT_ASCII.sub(partial(_read_again, is_sure=True), text)
    return _decoded(text) not in (text, once)


def _unescaped_entities(text: str) -> str:
    while "&" in text and (again := _ENTITY.sub(lambda m: html.unescape(m[0]), text)) != text:
        text = again
    return text


def _unescaped(text: str) -> str:
    """Read the escapes of JSON."""
    if "\\" not in text or not _ESCAPE.search(text):
        return text
    with suppress(ValueError):
        return str(json.loads(f'"{text}"', strict=False))
    return _ESCAPE.sub(lambda match: json.loads(f'"{match[0]}"'), text)


def _narrow(text: str) -> str:
    """Full-width letters and digits as ASCII; in a text without Chinese, punctuation as well."""
    is_wide = any("\u3040" <= character <= "\u9fff" for character in text)
    return text.translate(_NARROW if is_wide else _FULL_WIDTH)


def without_accents(text: str) -> str:
    """The text without the accents of its letters."""
    if text.isascii():
        return text
    return "".join([c for c in unicodedata.normalize("NFD", text) if not unicodedata.combining(c)])


def _has_foreign_marks(text: str) -> bool:
    """Whether a text has marks of another script, and none of its own."""
    if text.isascii():
        return False
    has_marks = bool(_MARK.search(text))
    if _HAS_OWN_MARKS.search(text):
        return not has_marks and bool(_ASCII_MARK.search(text))
    return has_marks


def _is_full_width(text: str) -> bool:
    """Whether letters or digits are full-width, as is usual in Japanese."""
    return bool(_FULL_WIDTH_WORD.search(text)) and not _KANA.search(text)


def detokenized(text: str) -> str:
    """Remove the spaces that tokenizers such as Moses put around punctuation."""
    if not _SPACED_STOP.search(text):
        return text
    text = _BETWEEN_DIGITS.sub(r"\1", text.replace(" @-@ ", "-"))
    text = _CONTRACTION.sub("", text).replace("( ", "(")
    # Quotation marks are opening and closing ones in turn.
    parts = _QUOTE_MARKS.split(text)
    for number in range(1, len(parts)):
        if number % 2:
            parts[number] = parts[number].removeprefix(" ")
        else:
            parts[number - 1] = parts[number - 1].removesuffix(" ")
    marks = _QUOTE_MARKS.findall(text)
    text = "".join([part + mark for part, mark in zip_longest(parts, marks, fillvalue="")])
    return _UNSPACED_BEFORE.sub("", text)


def _said_once(text: str) -> str:
    """One half of a text that says the same twice."""
    middle = len(text) // 2
    is_twice = (
        middle > 5
        and text[:middle] == text[-middle:]
        and text[middle : len(text) - middle].isspace()
    )
    return text[:middle] if is_twice else text


def _joined_characters(text: str) -> str:
    """Join characters that are separated by spaces or line feeds."""
    return text[::2] if len(text) > 9 and _CHARACTERS.fullmatch(text) else text


class Repair(NamedTuple):
    """A likely mistake in texts."""

    words: str  # what texts have, after "12 of the hypotheses have"
    advice: str  # what to do
    rewrite: Callable[[str], str]  # the repair of a text
    cause: str = ""  # what a difference between systems is due to
    is_seen: Callable[[str], object] | None = None  # in a text; None: the repair changes the text
    # Whether it is normal in texts, and a mistake only if one side has it; both sides are rewritten
    # then.
    is_spelling: bool = False
    marks: tuple[str, ...] = ()  # texts without any of these do not have it; empty: unknown
    is_lost: bool = False  # whether one side has lost it, so that its effect is unknown
    # It, and what others write instead: a mistake only if one side has this throughout, and the
    # other that. Two expressions each.
    styles: tuple[tuple[str, str], ...] = ()

    def has(self, text: str) -> bool:
        """Whether a text has it."""
        if self.marks and not any(mark in text for mark in self.marks):
            return False
        return bool(self.is_seen(text)) if self.is_seen else self.rewrite(text) != text


# Where both sides have capitals, as in titles.
DIFFERENT_CASE = "the sides differ in upper and lower case: write both alike, or ignore it in both"

# The first of several that explain the same is named.
REPAIRS: dict[str, Repair] = {
    "encoding twice": Repair(
        "text that was read in the wrong encoding twice, such as ÃƒÂ© for é",
        "decode it twice, or begin with a file from before",
        _decoded,
        "text in the wrong encoding",
        _is_misread_twice,
        marks=_MISREAD,
    ),
    "encoding": Repair(
        "text that was read in the wrong encoding, such as Ã© for é",
        "read the file as UTF-8",
        _decoded,
        "text in the wrong encoding",
        marks=_MISREAD,
    ),
    "entities": Repair(
        "HTML entities, such as &#39;",
        "apply html.unescape",
        _unescaped_entities,
        "HTML entities",
        marks=("&",),
    ),
    "escapes": Repair(
        "escapes of JSON, such as \\u00e9",
        "read the text with json.loads",
        _unescaped,
        "JSON escapes",
        marks=("\\",),
    ),
    "lists": Repair(
        "printed lists, such as ['the', 'cat']",
        "pass the texts in them",
        _listed,
        "printed lists",
        marks=("['", '["'),
    ),
    "quoted": Repair(
        "quotation marks around the whole text",
        "remove them",
        _unquoted,
        "quotation marks around texts",
        is_spelling=True,
        marks=('"', "“", "„", "«", "'"),
    ),
    "log columns": Repair(
        "columns of a log, such as H-0 or an id",
        "keep only the text",
        lambda text: _LOG.sub("", text),
        "columns of logs",
        marks=("\t", " ||| "),
    ),
    "subwords": Repair(
        "subwords with marks such as @@ or ▁",
        "join them",
        joined_subwords,
        "subwords",
        marks=("@@ ", "\u2581", "\u0120", "\uffed", " ##"),
    ),
    "characters": Repair(
        "single characters as tokens",
        "pass a list of texts: join() was called with one text",
        _joined_characters,
        "separated characters",
        marks=(" ", "\n"),
    ),
    "tags": Repair(
        "tags or special tokens, such as </s>",
        "remove them, as by skip_special_tokens=True",
        _without_tags,
        "tags",
        marks=("<", "["),
    ),
    "tokenization": Repair(
        "spaces before punctuation, like tokenized text",
        "pass the text before tokenization",
        detokenized,
        "tokenized text",
        _SPACED_STOP.search,
        True,
        (" .", " ,", " @-@ "),
    ),
    "repeated": Repair(
        "the same text twice", "pass it once", _said_once, "repeated text", marks=(" ",)
    ),
    "zero-width": Repair(
        "invisible characters, such as U+200B",
        "remove them",
        partial(_INVISIBLE.sub, ""),
        "invisible characters",
        marks=("\u200b", "\u200c", "\u200d", "\u200e", "\u200f", "\u2060", "\ufeff", "\xad"),
    ),
    "line ends": Repair(
        "a line feed or carriage return at the end",
        'apply text.rstrip("\\r\\n")',
        lambda text: text.rstrip("\r\n"),
        "line ends",
        marks=("\n", "\r"),
    ),
    "normalization": Repair(
        "decomposed accents or ligatures",
        'apply unicodedata.normalize("NFC", text) to both, and write ligatures as letters',
        lambda text: unicodedata.normalize("NFC", text).translate(_LIGATURES),
        "decomposed accents",
        _COMBINING.search,
        False,
        tuple(map(chr, [*range(0x300, 0x370), 0x3099, 0x309A, *range(0xFB00, 0xFB07)])),
    ),
    "full-width": Repair(
        "full-width letters or digits",
        "normalize them by NFKC",
        _narrow,
        "full-width forms",
        _is_full_width,
        False,
        tuple(map(chr, _NARROW)),
    ),
    "quotes": Repair(
        "typographic quotes",
        "write quotes alike",
        lambda text: text.translate(_QUOTES),
        "quotation marks",
        _QUOTE.search,
        True,
        ("\u2018", "\u2019", "\u201a", "\u201c", "\u201d", "\u201e", "\xab", "\xbb", "\u2039"),
        styles=(("[“”„‟«»‹›]", '"'), ("[‘’‚‛]", "'")),
    ),
    "dashes": Repair(
        "typographic dashes",
        "write dashes alike",
        partial(_DASH.sub, "-"),
        "dashes",
        _DASH.search,
        True,
        ("\u2013", "\u2014", "\u2015", "\u2010", "\u2011", "\u2212"),
        styles=((_DASH.pattern, r"(?<!\S)--?(?!\S)"),),
    ),
    "case": Repair(
        "capitals",
        "was one side lowercased, or not truecased? Otherwise ignore case in both",
        str.lower,
        "upper and lower case",
        _CAPITALS.search,
        True,
    ),
    "capitals": Repair(
        "small letters",
        "is one side in capitals? Otherwise ignore case in both",
        str.lower,
        "upper and lower case",
        _SMALL.search,
        True,
    ),
    "accents": Repair(
        "letters with accents",
        "do not remove accents",
        without_accents,
        "missing accents",
        lambda text: not text.isascii() and _ACCENT.search(text),
        True,
        is_lost=True,
    ),
    "marks": Repair(
        "punctuation of another script, such as a danda in German or a comma of ASCII in Japanese",
        "write the punctuation alike",
        lambda text: _MARK.sub(lambda match: _MARKS[ord(match[0])], text),
        "punctuation of another script",
        _has_foreign_marks,
        True,
        ("।", "。", "．", "،", "，", "؟", "？", "։", "۔", ".", ",", "?"),
    ),
    "punctuation": Repair(
        "punctuation",
        "do not remove punctuation",
        lambda text: " ".join(_PUNCTUATION.sub(" ", text).split()),
        "missing punctuation",
        _PUNCTUATION.search,
        True,
        is_lost=True,
    ),
    "numbers": Repair(
        "separators in numbers",
        "write numbers alike",
        partial(_NUMBER.sub, ""),
        "separators in numbers",
        _THOUSANDS.search,
        True,
    ),
}
