"""Packing text that Python functions rewrite or split into tokens first."""

from __future__ import annotations

from ..inputs.segments import TextChecks, TokenChecks
from ._text import TextPacker
from ._tokens import TokenPacker

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    _Base = TokenPacker
else:
    _Base = object


class _ReadingPacker(_Base):
    """What a packer of text does before its base packs: `read(text, is_reference)`."""

    def _begin(self, read: Callable[[str, bool], Any], missing: bool) -> None:
        self._checks = TextChecks()
        self._read = read
        self._missing = missing
        self._periods = 0
        # Lines that did not fit into the last chunk: hypotheses, references, the index of the next.
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
        """Read and pack the next chunk; the number of its segments, 0 at the end."""
        read_hypotheses, read_references, first = self._rest
        if first == len(read_hypotheses):
            # Slices, because the function or another thread may change the lists.
            end = start + self.chunk_segments
            pairs = zip(hypotheses[start:end], references[start:end], strict=False)
            read_hypotheses, read_references, first = [], [], 0
            for segment, (line, its) in enumerate(pairs, before + start):
                self._periods += isinstance(line, str) and line.endswith(" .")
                read_hypotheses.append(self._line(line, segment, None))
                read_references.append(self._references(its, segment))
        taken = super().fill(read_hypotheses, read_references, first, before + start - first)
        self._rest = read_hypotheses, read_references, first + taken
        return taken

    def _line(self, text: Any, segment: int, reference: int | None) -> Any:
        if not isinstance(text, str):
            text = self._checks.line(text, segment, reference)
        return self._read(text, reference is not None)

    def _references(self, lines: Any, segment: int) -> list[Any]:
        lines = [lines] if isinstance(lines, str) else lines
        if type(lines) not in (list, tuple):
            lines = self._checks.references(lines, segment)
        kept = [
            self._line(line, segment, k)
            for k, line in enumerate(lines)
            if line is not None or not self._missing
        ]
        if not kept:
            self._checks.refuse_no_references(segment)
        return kept


class SplittingPacker(_ReadingPacker, TokenPacker):
    """A packer of text: a TokenPacker of what the function `split` makes of each line."""

    def __new__(cls, checks: TokenChecks, *_: Any) -> SplittingPacker:
        return TokenPacker.__new__(cls, checks)  # type: ignore[return-value]

    def __init__(
        self, checks: TokenChecks, split: Callable[[str], list[str]], lowercase: bool, missing: bool
    ) -> None:
        def read(text: str, is_reference: bool) -> list[str]:
            return split(text.lower() if lowercase else text)

        self._begin(read, missing)


class PreparedPacker(_ReadingPacker, TextPacker):
    """A TextPacker of lines that `prepare(text, lowercase, is_reference)` has rewritten."""

    def __new__(cls, prepare: Any, tokenizer: str, *_: Any) -> PreparedPacker:
        return TextPacker.__new__(cls, TextChecks(), tokenizer)  # type: ignore[return-value]

    def __init__(
        self,
        prepare: Callable[[str, bool, bool], str],
        tokenizer: str,
        lowercase: bool,
        missing: bool,
    ) -> None:
        self._begin(lambda text, is_reference: prepare(text, lowercase, is_reference), missing)
