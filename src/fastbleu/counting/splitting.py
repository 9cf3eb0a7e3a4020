"""Packing text that a Python function splits into tokens."""

from __future__ import annotations

from ..inputs.segments import TextChecks, TokenChecks
from ._tokens import TokenPacker

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


class SplittingPacker(TokenPacker):
    """A packer of text: a TokenPacker of what the function `split` makes of each line."""

    def __new__(cls, checks: TokenChecks, *_: Any) -> SplittingPacker:
        return super().__new__(cls, checks)  # type: ignore[return-value]

    def __init__(
        self, checks: TokenChecks, split: Callable[[str], list[str]], lowercase: bool, missing: bool
    ) -> None:
        self._checks = TextChecks()
        self._split = split
        self._lowercase = lowercase
        self._missing = missing
        self._periods = 0
        # Split lines that did not fit into the last chunk: hypotheses, references, the next one.
        self._rest: tuple[list[Any], list[Any], int] = ([], [], 0)

    @property
    def tokenized_periods(self) -> int:
        return self._periods

    def reset(self) -> None:
        """Forget the last segments; keep the memory."""
        super().reset()
        self._periods = 0
        self._rest = ([], [], 0)

    def fill(self, hypotheses: Any, references: Any, start: int, before: int = 0) -> int:
        """Split and pack the next chunk; the number of its segments, 0 at the end."""
        split_hypotheses, split_references, first = self._rest
        if first == len(split_hypotheses):
            # Slices, because the function or another thread may change the lists.
            end = start + self.chunk_segments
            pairs = zip(hypotheses[start:end], references[start:end], strict=False)
            split_hypotheses, split_references, first = [], [], 0
            for segment, (line, its) in enumerate(pairs, before + start):
                self._periods += isinstance(line, str) and line.endswith(" .")
                split_hypotheses.append(self._tokens(line, segment, None))
                split_references.append(self._references(its, segment))
        taken = super().fill(split_hypotheses, split_references, first, before + start - first)
        self._rest = split_hypotheses, split_references, first + taken
        return taken

    def _tokens(self, text: Any, segment: int, reference: int | None) -> list[str]:
        if not isinstance(text, str):
            text = self._checks.line(text, segment, reference)
        return self._split(text.lower() if self._lowercase else text)

    def _references(self, lines: Any, segment: int) -> list[list[str]]:
        lines = [lines] if isinstance(lines, str) else lines
        if type(lines) not in (list, tuple):
            lines = self._checks.references(lines, segment)
        kept = [
            self._tokens(line, segment, k)
            for k, line in enumerate(lines)
            if line is not None or not self._missing
        ]
        if not kept:
            self._checks.refuse_no_references(segment)
        return kept
