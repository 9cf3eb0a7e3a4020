"""The doors for sentences that are paired with others: as those of segments, in other words."""

from __future__ import annotations

from collections.abc import Callable

from ..corpus import Door, TextDoor, TokenDoor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn


class _NamedDoor(Door):
    """A door whose messages name the argument that sentences are in.

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


class ListDoor(_NamedDoor, TokenDoor):
    """The door for lists of tokens."""

    def unhashable(
        self, error: TypeError, token: Any, segment: int, reference: int | None, position: int
    ) -> None:
        """Name the token that has no hash; a list is a sentence that is nested too deeply."""
        if type(token) is list:
            raise TypeError(
                f"{self.place(segment, None)}[{position}] is a list, expected a token: "
                f"{self._name} is one flat list of lists of tokens"
            ) from error
        super().unhashable(error, token, segment, reference, position)


class LineDoor(_NamedDoor, TextDoor):
    """The door for texts."""

    def line(self, text: Any, segment: int, reference: int | None) -> NoReturn:
        """Refuse what stands in the place of a str."""
        if type(text) in (list, tuple):
            raise TypeError(
                f"{self.place(segment, None)} is a {type(text).__name__}, expected a str: "
                f"{self._name} is one flat list of str; lists of tokens need tokenize=None"
            )
        super().line(text, segment, reference)
        raise AssertionError("a door for text lets nothing else in")


class SplittingDoor(LineDoor, ListDoor):
    """The door for texts that a function splits into lists of tokens.

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

    def check(self, texts: Any) -> None:
        """Refuse what is no text, lists of tokens too: these would be taken as they are."""
        for number, text in enumerate(texts):
            if not isinstance(text, str):
                self.line(text, number, None)

    def tokens(self, sequence: Any, segment: int, reference: int | None) -> list[str]:
        """The tokens of a text."""
        if not isinstance(sequence, str):
            self.line(sequence, segment, reference)
        return list(self._split(sequence.lower() if self._lowercase else sequence))
