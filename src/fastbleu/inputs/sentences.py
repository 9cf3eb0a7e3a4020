"""Checks of the sentences of a matrix: texts, lists of tokens, or token ids."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice

from .arguments import a_type
from .arrays import is_array, list_or_tuple, shape_of
from .checks import Checks, TextChecks, TokenChecks, check_segments
from .columns import is_column

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, NoReturn

    from .types import SentenceStream

# Sentences read at a time: few enough that their tokens take little memory.
_BLOCK = 1 << 13


def listed_sentences(name: str, sentences: object) -> Any:
    """Return sentences as a list or tuple, or raise TypeError."""
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
    """Whether sentences given without a tokenizer are arrays of token ids, not lists of tokens."""
    if type(sentences) in (list, tuple):
        return any(map(is_array, sentences[:1]))
    return is_array(sentences) or shape_of(sentences) == ()


def blocks_of(sentences: SentenceStream, masked: bool) -> Iterator[Any]:
    """Yield sentences in blocks, consecutive ones; an iterator is read block by block."""
    listed: Any = sentences
    if not masked and type(listed) in (list, tuple):
        for first in range(0, len(listed), _BLOCK):
            yield listed[first : first + _BLOCK]
    elif is_column(sentences):
        yield sentences
    elif not masked and hasattr(sentences, "__iter__") and not hasattr(sentences, "__len__"):
        rest = iter(listed)
        while block := list(islice(rest, _BLOCK)):
            yield block
    else:
        yield sentences


def check_sizes(name: str, sources: Any, advice: str, ragged: bool = False) -> None:
    """Raise an error unless all sources are lists; unless `ragged` with equally many sentences."""
    size = None
    for number, source in enumerate(sources):
        where = f"{name}[{number}]"
        if isinstance(source, (str, bytes)) or not hasattr(source, "__len__"):
            raise TypeError(
                f"{where} is {a_type(source)}, expected the list of sentences of a "
                f"source, like {name}[0]"
            )
        size = len(source) if size is None else size
        if len(source) != size and not ragged:
            raise ValueError(
                f"{where} has {len(source)} sentences, {name}[0] has {size}; all sources of a "
                f"batch must have the same number, so score these in separate calls{advice}"
            )


def masks_of(masks: tuple[Any, Any], sources: int) -> list[tuple[Any, Any]]:
    """Return (mask of hypotheses, mask of references) for each source of a batch."""
    for name, mask in zip(("hypotheses", "references"), masks, strict=True):
        if mask is not None and (not hasattr(mask, "__len__") or len(mask) != sources):
            have = f"{len(mask)} sources" if hasattr(mask, "__len__") else "no sources"
            raise ValueError(f"the mask of {name} has {have}, but {name} has {sources}")
    return list(zip(*([None] * sources if mask is None else mask for mask in masks), strict=True))


@dataclass
class _NamedChecks(Checks):
    """Checks whose messages name an argument; `before` is the number of earlier sentences."""

    name: str
    before: int = 0

    def place(self, segment: int, reference: int | None) -> str:
        return f"{self.name}[{self.before + segment}]"


class SentenceTokenChecks(_NamedChecks, TokenChecks):
    """Checks of sentences that are lists of tokens."""

    def refuse_unhashable(
        self, error: TypeError, token: object, segment: int, reference: int | None, position: int
    ) -> None:
        """Name an unhashable token; a list means that sentences are nested too deeply."""
        if type(token) is list:
            raise TypeError(
                f"{self.place(segment, None)}[{position}] is a list, expected a token: "
                f"{self.name} must be one flat list of lists of tokens"
            ) from error
        super().refuse_unhashable(error, token, segment, reference, position)


class SentenceTextChecks(_NamedChecks, TextChecks):
    """Checks of sentences that are texts."""

    def line(self, text: object, segment: int, reference: int | None) -> NoReturn:
        """Raise the error for a value that is not a str."""
        if type(text) in (list, tuple):
            raise TypeError(
                f"{self.place(segment, None)} is {a_type(text)}, expected a str: "
                f"{self.name} must be one flat list of str; lists of tokens need a metric with "
                "tokenize=False"
            )
        super().line(text, segment, reference)


@dataclass
class SplitTextChecks(SentenceTextChecks, SentenceTokenChecks):
    """Checks of texts that the function `split` turns into lists of tokens."""

    split: Callable[[str], list[str]] = str.split
    lowercase: bool = False

    def check_texts(self, texts: Any) -> None:
        """Raise an error unless all are texts; lists of tokens would be read as they are."""
        for number, text in enumerate(texts):
            if not isinstance(text, str):
                self.line(text, number, None)

    def tokens(self, sequence: object, segment: int, reference: int | None) -> list[str]:
        """The tokens of a text."""
        if not isinstance(sequence, str):
            self.line(sequence, segment, reference)
        return list(self.split(sequence.lower() if self.lowercase else sequence))
