"""The scripts of texts that are written without spaces between words, and their tokenizers."""

from __future__ import annotations

from itertools import islice

from .errors import advised, warn_input

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, Literal

# How much text is examined for its script.
_TEXTS_CHECKED, _CHARACTERS_CHECKED = 20, 500
# Scripts without spaces between words: those of Thai, Lao, Tibetan, Burmese, Khmer, Japanese and
# Chinese.
_UNSPACED = (
    ("\u0e00", "\u109f"),
    ("\u1780", "\u17ff"),
    ("\u3040", "\u30ff"),
    ("\u3400", "\u9fff"),
    ("\uf900", "\ufaff"),
    ("\U00020000", "\U0003ffff"),
)
# The characters that a text must have in one of these scripts, and the longest average word of a
# text to which spaces were added.
_LEAST_CHARACTERS, _LONGEST_WORDS = 40, 6


def warn_of_unspaced(tokenizer: Any, hypotheses: Any, references: Any) -> bool:
    """Warn if the tokenizer does not split a script without spaces between words."""
    sample = sample_of(hypotheses)
    if sample.isascii() or not (lacks_spaces(sample) and lacks_spaces(sample_of(references))):
        return False
    fitting = fitting_tokenizer(sample)
    if tokenizer.splits_at_spaces:
        why = "splits it at spaces, so that a token is a whole clause"
    elif tokenizer.name == "zh" and fitting == "ja-mecab":
        why = "splits only Chinese characters"
    else:
        return False
    warn_input(
        "the text is in a script without spaces between words, and the tokenizer "
        f"{tokenizer.name!r} {why}; use {advised('tokenize', fitting)}"
    )
    return True


def is_written_without_spaces(text: str) -> bool:
    """Whether a text has characters of a script without spaces between words."""
    return not text.isascii() and any(map(_is_unspaced, set(text)))


def _is_unspaced(character: str) -> bool:
    return character >= "\u0e00" and any(a <= character <= z for a, z in _UNSPACED)


def lacks_spaces(sample: str) -> bool:
    """Whether a sample is in a script without spaces between words, and has none."""
    # All characters of these scripts have three or four bytes.
    if len(sample.encode("utf-8", "surrogatepass")) < 2 * len(sample):
        return False
    unspaced, words = sum(map(_is_unspaced, sample)), len(sample.split())
    return unspaced > max(_LEAST_CHARACTERS, _LONGEST_WORDS * words, len(sample) * 2 / 3)


def fitting_tokenizer(sample: str) -> Literal["zh", "ja-mecab", "char"]:
    """sacreBLEU's tokenizer for a text in a script without spaces between words."""
    if any("\u3040" <= character <= "\u30ff" for character in sample):
        return "ja-mecab"
    return "zh" if any("\u4e00" <= character <= "\u9fff" for character in sample) else "char"


def first_entries(segments: Any, count: int) -> list[Any]:
    """The first segments; of a segment that is a list of references, the first reference."""
    entries: list[Any] = []
    # Slices of lists, because another thread may empty them at any time.
    for segment in segments[:count] if type(segments) is list else islice(segments, count):
        entries += segment[:1] if type(segment) in (list, tuple) else [segment]
    return entries


def sample_of(texts: Sequence[Any]) -> str:
    """The first texts, or first references of segments, up to the length that is examined."""
    listed = [text for text in first_entries(texts, _TEXTS_CHECKED) if isinstance(text, str)]
    return " ".join(listed)[:_CHARACTERS_CHECKED]
