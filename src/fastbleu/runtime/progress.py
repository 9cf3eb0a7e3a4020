"""A progress bar where one is asked for."""

from __future__ import annotations

from _thread import allocate_lock as _Lock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class ProgressBar:
    """A progress bar on standard error, which threads may share. Where it is not wanted, nothing.

    Parameters
    ----------
    wanted : bool
    total : int or None
        What there is to do; None where nobody knows.
    unit : str
        Of what.
    **style
        Options of tqdm.
    """

    def __init__(self, wanted: bool, total: int | None, unit: str, **style: Any) -> None:
        self._bar: Any = None
        self._lock = _Lock()
        if wanted:
            from tqdm import tqdm  # type: ignore[import-untyped]

            self._bar = tqdm(total=total, unit=unit, unit_scale=True, **style)

    def update(self, done: int) -> None:
        """Move the bar on by so many."""
        if self._bar is not None:
            with self._lock:
                self._bar.update(done)

    def __enter__(self) -> ProgressBar:
        return self

    def __exit__(self, *error: object) -> None:
        if self._bar is not None:
            self._bar.close()
