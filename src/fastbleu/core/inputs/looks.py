"""What values look like: words, phrases, lists of tokens, texts without spaces between words."""

from __future__ import annotations

from itertools import islice

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


def is_phrase(value: Any) -> bool:
    """Whether a value is a text of several words."""
    return isinstance(value, str) and len(value.split(None, 1)) > 1


def are_words(references: Any) -> bool:
    """Whether references look like one tokenized sentence: more than two, each a single word."""
    return type(references) in (list, tuple) and len(references) > 2 and hold_no_phrase(references)


def hold_no_phrase(texts: Any) -> bool:
    return all(isinstance(text, str) and not is_phrase(text) for text in texts)


def look_like_one_reference(references: tuple[Any, ...]) -> bool:
    """Whether the references of a segment look like the tokens of a single one."""
    return hold_no_phrase(references) and (
        len(references) > 2 or not any(map(is_written_without_spaces, references))
    )
