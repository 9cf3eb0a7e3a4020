"""The texts of BLEU implementations with rules of their own, rewritten for a compiled tokenizer.

Each function takes a text, whether to ignore case, and whether the text is a reference. It returns
a text that the compiled tokenizer of its row in the table splits into the original's tokens.

A character that separates tokens here but not in the original is replaced by a lone surrogate,
which text from a file cannot contain. Sources: see the dialects of the same names.
"""

from __future__ import annotations

import re
import sys
from functools import cache

from ..runtime.import_lock import lazy
from ._compiled import split

TYPE_CHECKING = False
if TYPE_CHECKING:
    import unicodedata
    from collections.abc import Callable
    from typing import TypeAlias

    Prepare: TypeAlias = Callable[[str, bool, bool], str]
else:
    unicodedata = lazy("unicodedata")

# Whitespace for str.split() that is not whitespace for Perl, in text and in bytes.
_SEPARATORS = "\x1c\x1d\x1e\x1f"
_BEYOND_ASCII = "\x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(
    map(chr, range(8192, 8203))
)
_HIDDEN = {ord(space): 0xD800 + i for i, space in enumerate(_SEPARATORS + _BEYOND_ASCII)}
_SPACES = enumerate([*" \t\n\v\f\r", *_SEPARATORS, *_BEYOND_ASCII])
_HIDDEN_SPACES = {ord(space): 0xD900 + i for i, space in _SPACES}
_has_separator = re.compile(f"[{_SEPARATORS}]").search
_has_odd_space = re.compile(f"[{_SEPARATORS}{_BEYOND_ASCII}]").search
_has_space = re.compile(r"\s").search
_has_markup = re.compile("[&<]").search
_word_or_sign = re.compile(r"\w+|[^\s\w]").findall
_hyphen_in_word = re.compile(rb"(\S)-(\S)")
_beyond_ascii = re.compile(r"([^\x00-\x7f\ud800-\udfff])")
_ENTITIES = {"<skipped>": "", "&quot;": '"', "&amp;": "&", "&lt;": "<", "&gt;": ">"}
# The last character that tensor2tensor's rules include.
_LAST = chr(sys.maxunicode - 1)
# The only token of an empty text, if the original counts one.
_EMPTY = "\udfff"


def multi_bleu(text: str, lowercase: bool, is_reference: bool) -> str:
    """Split at ASCII whitespace; if case is ignored, only that of ASCII letters."""
    if _has_odd_space(text):
        text = text.translate(_HIDDEN)
    return _lower_ascii(text) if lowercase else text


def compound_split(text: str, lowercase: bool, is_reference: bool) -> str:
    """multi-bleu after a hyphen between two bytes that are no white space became three tokens.

    Bytes, as Perl reads them, and each belongs to one hyphen: "a-b-c" is cut once, "aa-bb-cc"
    twice.
    """
    line = text.encode("utf-8", "surrogatepass")
    line = _hyphen_in_word.sub(rb"\1 ##AT##-##AT## \2", line)
    return multi_bleu(line.decode("utf-8", "surrogatepass"), lowercase, is_reference)


def multi_bleu_detok(text: str, lowercase: bool, is_reference: bool) -> str:
    """13a; a hypothesis is lowercased before, a reference after entities are replaced."""
    text = _line(text)
    if not lowercase:
        return text
    if not is_reference:
        return _lower_perl(text)
    return _keep_markup(_lower_perl(_replace_entities(text)))


def mteval(text: str, lowercase: bool, is_reference: bool) -> str:
    """13a; case of ASCII is ignored after entities are replaced."""
    text = _replace_entities(_line(text))
    return _keep_markup(_lower_ascii(text) if lowercase else text)


def mteval_international(text: str, lowercase: bool, is_reference: bool) -> str:
    """The tokens of ``--international-tokenization``."""
    text = _replace_entities(_line(text)).replace("&apos;", "'").strip()
    return _lower_perl(text) if lowercase else text


def mteval_international_e(text: str, lowercase: bool, is_reference: bool) -> str:
    """The tokens of ``--international-tokenization -e``: characters beyond ASCII alone."""
    return " ".join(_beyond_ascii.split(mteval_international(text, lowercase, is_reference)))


def evaluate(text: str, lowercase: bool, is_reference: bool) -> str:
    """13a, including whitespace at the end of the text.

    The compiled tokenizer first strips whitespace at the end, where a dash and a newline belong
    together; appending "<skipped>", which it removes afterwards, keeps them.
    """
    text = text.lower() if lowercase else text
    return f"{text}<skipped>" if text[-1:].isspace() else text


def tensor2tensor(text: str, lowercase: bool, is_reference: bool) -> str:
    """Punctuation apart from digits, symbols alone."""
    # Sets without characters beyond U+FFFF are much faster.
    last = "\uffff" if max(text, default="") <= "\uffff" else _LAST
    before_mark, after_mark, symbol = _unicode_rules(last)
    # From split parts, because before Python 3.12 this is much faster than substitution.
    parts = before_mark.split(text.lower() if lowercase else text)
    parts[2::3] = [f" {mark} " for mark in parts[2::3]]
    parts = after_mark.split("".join(parts))
    parts[1::3] = [f" {mark} " for mark in parts[1::3]]
    return " ".join(symbol.split("".join(parts)))


def codexglue_summary(text: str, lowercase: bool, is_reference: bool) -> str:
    """Runs of letters, digits and underscores, and single other characters, then 13a."""
    return " ".join(_word_or_sign(text.lower() if lowercase else text))


def e2e(text: str, lowercase: bool, is_reference: bool) -> str:
    """13a, lowercased afterwards; an empty text has one empty token."""
    tokens = " ".join(split(text, "13a")) or _EMPTY
    return tokens.lower() if lowercase else tokens


def characters(text: str, lowercase: bool, is_reference: bool) -> str:
    """Every character, white space too."""
    return _hide_spaces(text.lower() if lowercase else text)


def turn(text: str, lowercase: bool, is_reference: bool) -> str:
    """A hypothesis is one token, a reference its characters."""
    text = _hide_spaces(text)
    return " ".join(text) if is_reference else text or _EMPTY


def _hide_spaces(text: str) -> str:
    text = text.replace(" ", chr(_HIDDEN_SPACES[32]))  # ten times as fast as translate()
    return text.translate(_HIDDEN_SPACES) if _has_space(text) else text


def _line(text: str) -> str:
    """A text as a line that Perl has read."""
    if _has_separator(text):
        text = text.translate(_HIDDEN)
    return text.replace("\n", " ")


def _replace_entities(text: str) -> str:
    if _has_markup(text):
        for entity, replacement in _ENTITIES.items():
            text = text.replace(entity, replacement)
    return text


def _keep_markup(text: str) -> str:
    """Mask entities so that the compiled 13a does not decode them; both characters are tokens."""
    return text.replace("&", "& ").replace("<", "< ") if _has_markup(text) else text


def _lower_ascii(text: str) -> str:
    if text.isascii():
        return text.lower()
    return text.encode("utf-8", "surrogatepass").lower().decode("utf-8", "surrogatepass")


def _lower_perl(text: str) -> str:
    """Lowercase each character by itself; Python's lower() looks at the context of a sigma."""
    return text.replace("\u03a3", "\u03c3").lower()


@cache
def _unicode_rules(last: str) -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    """tensor2tensor's three rules for characters up to `last`, by the running Python's Unicode."""
    # The original loses the backslash, because it puts the characters into a set unescaped.
    category = unicodedata.category
    kinds = "".join([category(character)[0] for character in map(chr, range(ord(last) + 1))])
    kinds = kinds[: ord("\\")] + "-" + kinds[ord("\\") + 1 :]
    sets = []
    for kind in "PS":
        runs = (found.span() for found in re.finditer(f"{kind}+", kinds))
        sets.append("".join([f"\\U{start:08x}-\\U{end - 1:08x}" for start, end in runs]))
    marks, symbols = (f"[{characters}]" for characters in sets)
    before_mark, after_mark = rf"([^\d])({marks})", rf"({marks})([^\d])"
    return re.compile(before_mark), re.compile(after_mark), re.compile(f"({symbols})")
