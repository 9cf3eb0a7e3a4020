"""Words in the place of texts, and texts in the place of words: scored, but hardly meant."""

from __future__ import annotations

from .errors import warn_input

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def warn_of_words(hypotheses: Any, references: Any, is_text: bool) -> None:
    """Warn of words where texts are meant, and of texts where words are, by the first segments."""
    if type(hypotheses) not in (list, tuple) or type(references) not in (list, tuple):
        return
    suspicious = _text_and_words if is_text else _unsplit_text
    if not hypotheses or not references or not suspicious(hypotheses[0], references[0]):
        return
    if not all(map(suspicious, hypotheses[:3], references[:3])):
        return
    if is_text:
        warn_input(
            "references holds single words: if they are the tokens of one reference, pass its text"
        )
    else:
        warn_input(
            "every hypothesis is one token with white space in it: split it into tokens, or pass "
            'the text itself and tokenize="13a"'
        )


def _text_and_words(hypothesis: Any, references: Any) -> bool:
    return _are_words(references) and _is_phrase(hypothesis)


def _unsplit_text(hypothesis: Any, references: Any) -> bool:
    return type(hypothesis) in (list, tuple) and len(hypothesis) == 1 and _is_phrase(hypothesis[0])


def _is_phrase(value: Any) -> bool:
    """Whether a value is a text of several words."""
    return isinstance(value, str) and len(value.split(None, 1)) > 1


def _are_words(references: Any) -> bool:
    """Whether references are a list of single words, too many for references of one word each."""
    return (
        type(references) in (list, tuple)
        and len(references) > 2
        and all(isinstance(word, str) and not _is_phrase(word) for word in references)
    )
