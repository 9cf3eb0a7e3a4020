"""Words for texts, texts for words, padding for tokens: scored, but hardly meant."""

from __future__ import annotations

from .warnings import warn_input

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# Of so many sequences of ids it is strange that all are empty, or that most end alike.
MIN_SEQUENCES_TO_WARN = 4
# So many lists tell whether lists are padded.
_LISTS_CHECKED = 8
_LABEL_PADDING = -100


def warn_of_label_padding() -> None:
    """Warn that the id which pads labels was counted."""
    warn_input("the id -100, which pads labels, was counted as a token; pass ignore_ids=(-100,)")


def warn_of_run(what: str, padding: int) -> None:
    """Warn that what ends most rows was counted."""
    warn_input(
        f"most rows of {what} end in a run of the id {padding}, which was counted; if it is "
        f"padding pass ignore_ids=({padding},)"
    )


def warn_of_padded_lists(what: str, sequences: Any) -> None:
    """Warn where lists of ids end in what seems to be padding, by the first ones."""
    if type(sequences) not in (list, tuple):
        return
    first = [part for part in sequences[:_LISTS_CHECKED] if type(part) in (list, tuple)]
    # Copies: another thread may empty the lists.
    ends = [end for part in first if (end := part[-2:]) and type(end[-1]) is int]
    if any(end[-1] == _LABEL_PADDING for end in ends):
        warn_of_label_padding()
    elif len(ends) >= MIN_SEQUENCES_TO_WARN and len(set(map(len, first))) == 1:
        pairs = [end for end in ends if len(end) == 2 and type(end[0]) is int]
        runs = [one for one, last in pairs if one == last]
        if runs and 2 * runs.count(runs[0]) > len(ends):
            warn_of_run(what, runs[0])


def warn_of_empty_rows(what: str, mask: str) -> None:
    """Warn that nothing is left of any row; `mask` is what could be passed."""
    warn_input(
        f"{what} empty once it is cut at stop_id and what does not count is left out; where "
        "sequences begin with stop_id pass ids[:, 1:] or skip_ids=, and with padding on the left "
        f"{mask}"
    )


def warn_of_words(hypotheses: Any, references: Any, is_text: bool) -> None:
    """Warn of words where texts are meant, and of texts where words are, by the first segments."""
    if type(hypotheses) not in (list, tuple) or type(references) not in (list, tuple):
        return
    suspicious = _text_and_words if is_text else _unsplit_text
    # By slices: another thread may empty the lists after a look at whether they are.
    if not any(map(suspicious, hypotheses[:1], references[:1])):
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
    if type(hypothesis) not in (list, tuple) or len(hypothesis) != 1:
        return False
    return any(map(_is_phrase, hypothesis[:1]))


def _is_phrase(value: Any) -> bool:
    """Whether a value is a text of several words."""
    return isinstance(value, str) and len(value.split(None, 1)) > 1


def _are_words(references: Any) -> bool:
    """Whether references are a list of single words, too many for references of one word each."""
    return type(references) in (list, tuple) and len(references) > 2 and _hold_no_phrase(references)


def _hold_no_phrase(texts: Any) -> bool:
    return all(isinstance(text, str) and not _is_phrase(text) for text in texts)


def look_like_tokens(sources: Any) -> bool:
    """Whether sources of text look like lists of tokens, by the first ones."""
    first = sources[:3] if type(sources) in (list, tuple) else ()
    return any(map(_are_words, first)) and all(
        type(source) in (list, tuple)
        and _hold_no_phrase(source)
        and not any(map(_is_written_without_spaces, source))
        for source in first
    )


def _is_written_without_spaces(text: str) -> bool:
    """Whether a text may have many words though it has no space: Thai, Chinese and Japanese do."""
    return any(character >= "\u0e00" and character.isalpha() for character in text)


def warn_of_sources(name: str) -> None:
    """Warn that lists of tokens were taken for sources of text."""
    warn_input(
        f"{name} looks like lists of tokens, and each was taken for a source with one sentence per "
        "token: pass tokenize=None"
    )


def warn_of_tuples(name: str, sentences: Any) -> None:
    """Warn where ids that are nested in tuples were taken for tokens, by the first sentences."""
    if sentences and all(
        type(sentence) is tuple and sentence and all(map(_is_tuple_of_numbers, sentence))
        for sentence in sentences[:3]
    ):
        warn_input(
            f"{name} holds tuples of tuples of numbers, each of which was taken for one token: if "
            "they are sentences of ids pass lists in the place of tuples"
        )


def _is_tuple_of_numbers(token: Any) -> bool:
    return (
        type(token) is tuple
        and len(token) > 0
        and all(hasattr(part, "__index__") for part in token)
    )
