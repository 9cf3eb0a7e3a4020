"""Types of public arguments, for type checkers: to be imported under TYPE_CHECKING only."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from typing import Any, Literal, Protocol, TypeAlias, TypeVar

MissingChoice: TypeAlias = Literal["error", "empty", "skip", "ragged"]
ReferenceLength: TypeAlias = Literal["closest", "first", "shortest", "average"]

Part = TypeVar("Part", covariant=True)


class SequenceOf(Protocol[Part]):
    """A list, a tuple, a Series or the like; not a str, which can contain only str."""

    def __contains__(self, part: object, /) -> bool: ...
    def __iter__(self) -> Iterator[Part]: ...
    def __len__(self) -> int: ...


class SupportsArray(Protocol):
    """An array or a tensor of any library."""

    def __array__(self, *args: Any, **kwargs: Any) -> Any: ...


Texts: TypeAlias = SequenceOf[str]
TextReferences: TypeAlias = SequenceOf[str | SequenceOf[str]]
TokenLists: TypeAlias = SequenceOf[SequenceOf[Hashable]]
TokenListReferences: TypeAlias = SequenceOf[SequenceOf[SequenceOf[Hashable]]]
Ids: TypeAlias = SupportsArray | SequenceOf[SupportsArray]
IdReferences: TypeAlias = Ids | SequenceOf[SequenceOf[SupportsArray]] | SequenceOf[SequenceOf[int]]
Mask: TypeAlias = SupportsArray | SequenceOf[Any]

# Segments, references or sentences as compiled code reads them.
Listed: TypeAlias = list[Any] | tuple[Any, ...]

# The types of a corpus. References are segment-major.
Hypotheses: TypeAlias = Texts | TokenLists | Ids
References: TypeAlias = TextReferences | TokenListReferences | IdReferences

# Sentences of one source or of several, and sentences that may also come from an iterator.
Sources: TypeAlias = Hypotheses | SequenceOf[Hypotheses]
SentenceStream: TypeAlias = (
    Hypotheses | Iterable[str] | Iterable[SequenceOf[Hashable]] | Iterable[SupportsArray]
)
Numbers: TypeAlias = SupportsArray | SequenceOf[float] | SequenceOf[SequenceOf[float]]
