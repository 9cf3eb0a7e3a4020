"""Times the calls of patched functions, and of the originals on a sample of them."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from copy import deepcopy
from functools import wraps
from threading import local
from time import perf_counter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class CallTimes:
    """Calls and seconds of the functions that it wraps; a call within another is not counted.

    The originals are called with copies of the arguments, and their results dropped, in the calls
    number 1, 2, 4, 8, ... Sums are not exact if several threads call.
    """

    def __init__(self) -> None:
        self._process = os.getpid()
        self.calls = 0
        self.seconds = 0.0
        self._sampled = 0.0  # seconds of the calls that the originals repeated
        self._originals = 0.0  # and seconds of the originals
        self._state = local()

    def wrap(self, original: Any, fast: Callable[..., Any]) -> Callable[..., Any]:
        """`fast`, timed."""

        @wraps(fast)
        def timed(*args: Any, **kwargs: Any) -> Any:
            if getattr(self._state, "inside", False):
                return fast(*args, **kwargs)
            self._state.inside = True
            try:
                return self._timed(original, fast, args, kwargs)
            finally:
                self._state.inside = False

        return timed

    def _timed(self, original: Any, fast: Any, args: Any, kwargs: Any) -> Any:
        self.calls += 1
        copies = None
        if self.calls & (self.calls - 1) == 0:
            try:
                copies = deepcopy((args, kwargs))
            except Exception:  # an iterator, a tokenizer's handle
                copies = None
        start = perf_counter()
        result = fast(*args, **kwargs)
        seconds = perf_counter() - start
        self.seconds += seconds
        if copies is not None:
            start = perf_counter()
            original(*copies[0], **copies[1])
            self._originals += perf_counter() - start
            self._sampled += seconds
        return result

    def print(self) -> None:
        """One line on standard error, in the process that began; a forked child prints none."""
        if os.getpid() != self._process:
            return
        line = f"fastbleu: {self.calls:,} calls of BLEU took {self.seconds:.3g} s"
        if self._sampled:
            without = self.seconds * self._originals / self._sampled
            line += f"; without fastbleu about {without:.3g} s"
        print(line, file=sys.stderr)
