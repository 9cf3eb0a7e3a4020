"""Terminal output: a progress bar, and escapes for characters that act on a terminal."""

from __future__ import annotations

from _thread import allocate_lock as _Lock

from .import_lock import import_locked

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# Characters that act on a terminal or a page, and how they are shown instead: control characters,
# ends of lines, and marks that reverse the direction of text.
_CODES = [*range(32), *range(127, 160), *range(0x2028, 0x202F), *range(0x2066, 0x206A)]
CONTROLS = {code: ascii(chr(code))[1:-1] for code in _CODES}
# The same in JSON, which escapes only the first 32.
JSON_CONTROLS = {code: f"\\u{code:04x}" for code in _CODES[32:]}


class ProgressBar:
    """A thread-safe progress bar on standard error; without `wanted` it does nothing.

    `total` is the number of units, None if it is unknown; `style` are options of tqdm.
    """

    def __init__(self, wanted: bool, total: int | None, unit: str, **style: Any) -> None:
        self._bar: Any = None
        self._lock = _Lock()
        if wanted:
            tqdm: Any = import_locked("tqdm").tqdm
            self._bar = tqdm(total=total, unit=unit, unit_scale=True, **style)

    def update(self, done: int) -> None:
        """Advance the bar by `done` units."""
        if self._bar is not None:
            with self._lock:
                self._bar.update(done)

    def __enter__(self) -> ProgressBar:
        return self

    def __exit__(self, *error: object) -> None:
        if self._bar is not None:
            self._bar.close()
