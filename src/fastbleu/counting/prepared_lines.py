"""Text that Python functions rewrite or split into tokens before it is packed."""

from __future__ import annotations

from ..inputs.checks import TextChecks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_CHUNK_SEGMENTS = 512


class PreparedLines:
    """Prepares lines chunk by chunk, for one packer.

    Parameters
    ----------
    prepare : callable
        Takes a str and whether it is a reference; returns what the packer reads.
    missing : bool
        Whether references that are None are ignored.
    """

    def __init__(self, prepare: Callable[[str, bool], Any], missing: bool) -> None:
        self._checks = TextChecks()
        self._prepare = prepare
        self._missing = missing
        self.reset()

    def reset(self) -> None:
        """Forget the last chunk."""
        self.tokenized_periods = 0
        self._hypotheses: list[Any] = []
        self._references: list[list[Any]] = []
        self._first = 0

    def chunk_at(
        self, start: int, hypotheses: Any, references: Any, before: int
    ) -> tuple[list[Any], list[list[Any]], int]:
        """Prepared hypotheses and references, and the place of segment `start` among them.

        Whatever did not fit into the packer's last chunk has been prepared already.
        """
        if not self._first <= start < self._first + len(self._hypotheses):
            # Slices, because the function or another thread may change the lists.
            end = start + _CHUNK_SEGMENTS
            pairs = zip(hypotheses[start:end], references[start:end], strict=False)
            self._first, self._hypotheses, self._references = start, [], []
            for segment, (line, lines) in enumerate(pairs, before + start):
                self.tokenized_periods += isinstance(line, str) and line.endswith(" .")
                self._hypotheses.append(self._line(line, segment, None))
                self._references.append(self._lines(lines, segment))
        return self._hypotheses, self._references, start - self._first

    def _line(self, text: Any, segment: int, reference: int | None) -> Any:
        if not isinstance(text, str):
            self._checks.line(text, segment, reference)
        return self._prepare(text, reference is not None)

    def _lines(self, lines: Any, segment: int) -> list[Any]:
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
