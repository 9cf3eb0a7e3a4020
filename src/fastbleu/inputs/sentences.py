"""Sentences that are paired with many others: the shapes they come in, and their checks."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice

from .arrays import is_array, shape_of
from .segments import Checks, TextChecks, TokenChecks, check_segments, list_or_tuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, NoReturn

# Sentences of a part: their tokens take little memory, and reading them much longer than a turn.
_PART = 1 << 13


def listed_sentences(name: str, sentences: Any) -> Any:
    """A list or tuple of sentences; refuses what is no such thing."""
    if type(sentences) in (list, tuple):
        return sentences
    if isinstance(sentences, str):
        raise TypeError(
            f"{name} is a str, expected a list of sentences; for a single one pass [{name}]"
        )
    if shape_of(sentences) == ():
        raise TypeError(f"{name} has no dimension, expected a list of sentences")
    check_segments(name, sentences, "sentence")
    return list_or_tuple(sentences)


def are_rows(sentences: Any) -> bool:
    """Whether sentences without a tokenizer are token ids in arrays, and not lists of tokens."""
    if type(sentences) in (list, tuple):
        return any(map(is_array, sentences[:1]))
    return is_array(sentences) or shape_of(sentences) == ()


def parts_of(sentences: Any, masked: bool) -> Iterator[Any]:
    """Sentences in parts that can be read one after the other; an iterator's, too."""
    if not masked and type(sentences) in (list, tuple):
        for first in range(0, len(sentences), _PART):
            yield sentences[first : first + _PART]
    elif not masked and hasattr(sentences, "__iter__") and not hasattr(sentences, "__len__"):
        rest = iter(sentences)
        while part := list(islice(rest, _PART)):
            yield part
    else:
        yield sentences


def check_sizes(name: str, sources: Any, advice: str) -> None:
    """Refuse sources that are no lists, or differ in their number of sentences."""
    size = None
    for number, source in enumerate(sources):
        where = f"{name}[{number}]"
        if isinstance(source, (str, bytes)) or not hasattr(source, "__len__"):
            raise TypeError(
                f"{where} is a {type(source).__name__}, expected the list of sentences of a "
                f"source, as {name}[0] is one"
            )
        size = len(source) if size is None else size
        if len(source) != size:
            raise ValueError(
                f"{where} has {len(source)} sentences, {name}[0] has {size}; the sources of a "
                f"batch have as many each, others take a call each{advice}"
            )


def masks_of(names: tuple[str, str], masks: tuple[Any, Any], sources: int) -> list[tuple[Any, Any]]:
    """The two masks, or None, of each source of a batch."""
    for name, mask in zip(names, masks, strict=True):
        if mask is not None and (not hasattr(mask, "__len__") or len(mask) != sources):
            have = f"{len(mask)} sources" if hasattr(mask, "__len__") else "no sources"
            raise ValueError(f"the mask of {name} has {have}, but {name} has {sources}")
    ours, theirs = ([None] * sources if mask is None else mask for mask in masks)
    return list(zip(ours, theirs, strict=True))


def is_batch(value: Any, is_text: bool) -> bool | None:
    """Whether sentences are those of several sources; None where nothing tells."""
    if type(value) in (list, tuple):
        for entry in value:
            found = _is_source_of_text(entry) if is_text else _is_source_of_tokens(entry)
            if found is not None:
                return found
        return None
    shape = () if hasattr(value, "columns") else shape_of(value) or ()
    return len(shape) == (2 if is_text else 3)


def _is_source_of_text(entry: Any) -> bool | None:
    return type(entry) in (list, tuple) or bool(shape_of(entry))


def _is_source_of_tokens(entry: Any) -> bool | None:
    if type(entry) not in (list, tuple):
        return len(shape_of(entry) or ()) > 1
    if not entry:
        return None
    return any(type(part) is list or bool(shape_of(part)) for part in entry)


class _NamedChecks(Checks):
    """A checks whose messages name the argument that sentences are in.

    Parameters
    ----------
    name : str
        That of the argument.
    before : int, default 0
        Number of sentences before these.
    """

    def __init__(self, name: str, before: int = 0) -> None:
        self._name = name
        self._before = before

    def place(self, segment: int, reference: int | None) -> str:
        return f"{self._name}[{self._before + segment}]"


class SentenceTokenChecks(_NamedChecks, TokenChecks):
    """The checks for lists of tokens."""

    def refuse_unhashable(
        self, error: TypeError, token: Any, segment: int, reference: int | None, position: int
    ) -> None:
        """Name the token that has no hash; a list is a sentence that is nested too deeply."""
        if type(token) is list:
            raise TypeError(
                f"{self.place(segment, None)}[{position}] is a list, expected a token: "
                f"{self._name} is one flat list of lists of tokens"
            ) from error
        super().refuse_unhashable(error, token, segment, reference, position)


class SentenceTextChecks(_NamedChecks, TextChecks):
    """The checks for texts."""

    def line(self, text: Any, segment: int, reference: int | None) -> NoReturn:
        """Refuse what stands in the place of a str."""
        if type(text) in (list, tuple):
            raise TypeError(
                f"{self.place(segment, None)} is a {type(text).__name__}, expected a str: "
                f"{self._name} is one flat list of str; lists of tokens need tokenize=None"
            )
        super().line(text, segment, reference)
        raise AssertionError("the checks for text lets nothing else in")


class SplitTextChecks(SentenceTextChecks, SentenceTokenChecks):
    """The checks for texts that a function splits into lists of tokens.

    Parameters
    ----------
    name, before
        As for the others.
    split : callable (str -> list of str)
    lowercase : bool
    """

    def __init__(
        self, name: str, before: int, split: Callable[[str], list[str]], lowercase: bool
    ) -> None:
        super().__init__(name, before)
        self._split = split
        self._lowercase = lowercase

    def check_texts(self, texts: Any) -> None:
        """Refuse what is no text, lists of tokens too: these would be taken as they are."""
        for number, text in enumerate(texts):
            if not isinstance(text, str):
                self.line(text, number, None)

    def tokens(self, sequence: Any, segment: int, reference: int | None) -> list[str]:
        """The tokens of a text."""
        if not isinstance(sequence, str):
            self.line(sequence, segment, reference)
        return list(self._split(sequence.lower() if self._lowercase else sequence))
