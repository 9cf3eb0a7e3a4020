"""What values look like: words, phrases, lists of tokens."""

from __future__ import annotations

from .scripts import is_written_without_spaces

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


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


def look_like_tokens(sources: Any) -> bool:
    """Whether the first sources of text look like lists of tokens."""
    first = sources[:3] if type(sources) in (list, tuple) else ()
    return any(map(are_words, first)) and all(
        type(source) in (list, tuple)
        and hold_no_phrase(source)
        and not any(map(is_written_without_spaces, source))
        for source in first
    )
