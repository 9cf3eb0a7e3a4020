"""Calls entry points while the k-th allocation fails; a child of test_allocation.py.

    python -m trust.allocation_trials KIND FIRST STEP NOTES: the entries FIRST, FIRST + STEP, ...
KIND is "python" (the allocators of Python) or "kernel" (the C library's
as compiled modules call them). Before each trial its name goes to the file NOTES, where it is found
if the process dies.
"""

from __future__ import annotations

import ctypes
import gc
import json
import mmap
import pickle
import re
import sys
import warnings
from collections.abc import Callable
from typing import Any

from trust.entry_points import ENTRIES, Entry, plain

LAST = 200
# After so many calls in a row that raised nothing there are no more allocations to fail.
SURVIVED = 12
NOTE_BYTES = 512


# How Python and numpy themselves report that there was no memory, besides MemoryError.
EXCUSED = [
    (RuntimeError, "can't allocate (read )?lock"),
    (pickle.PicklingError, "import of module .* failed"),
    (TypeError, "expected str, bytes or os.PathLike object, not PosixPath"),
    (SystemError, r"<(ufunc '\w+'|built-in function unravel_index)> returned "),
]
# Where a traceback cannot be made; before Python 3.13. Compiled functions are <cyfunction ...>.
NO_TRACEBACK = (
    SystemError,
    "error return without exception set|<function .*> returned NULL without setting an exception",
)


def python_loses_exceptions() -> bool:
    """Whether a function of plain Python ends in a SystemError where there is no memory."""
    import _testcapi

    def fail() -> None:
        raise ValueError("told")

    def call() -> None:
        fail()

    for k in range(1, 20):
        try:
            _testcapi.set_nomemory(k, k + 1)
            try:
                call()
            finally:
                _testcapi.remove_mem_hooks()
        except SystemError:
            return True
        except (ValueError, MemoryError):
            pass
    return False


def is_excused(error: BaseException, excused: list[Any]) -> bool:
    return any(isinstance(error, kind) and re.search(text, str(error)) for kind, text in excused)


class PythonAllocators:
    """The allocators of Python: raw memory, memory and objects."""

    def __init__(self) -> None:
        import _testcapi

        self.arm = lambda k: _testcapi.set_nomemory(k, k + 1)
        self.disarm = _testcapi.remove_mem_hooks
        self.excused = EXCUSED + ([NO_TRACEBACK] if python_loses_exceptions() else [])


class KernelAllocators:
    """malloc, calloc and realloc where a compiled module of fastbleu calls them."""

    def __init__(self) -> None:
        library = ctypes.CDLL(None)
        library.fb_arm.argtypes = [ctypes.c_long]
        library.fb_disarm.restype = ctypes.c_long
        if not library.fb_arm(0):
            raise RuntimeError("no compiled module of fastbleu is watched")
        self.arm, self.disarm = library.fb_arm, library.fb_disarm
        self.excused: list[Any] = []


KINDS: dict[str, Any] = {"python": PythonAllocators, "kernel": KernelAllocators}


class Trials:
    def __init__(self, kind: str, notes: str) -> None:
        self._memory = KINDS[kind]()
        self._file = open(notes, "r+b")  # noqa: SIM115 (as long as the process)
        self._notes = mmap.mmap(self._file.fileno(), NOTE_BYTES)
        self.cases = self.failed = self.excused = 0
        self.failures: list[str] = []
        self._survived = 0
        self._unraisable: list[str] = []
        sys.unraisablehook = self._note_unraisable

    def _note_unraisable(self, unraisable: Any) -> None:
        if not isinstance(unraisable.exc_value, MemoryError):
            self._unraisable.append(f"{unraisable.exc_value!r} in {unraisable.object!r}")

    def entry(self, entry: Entry, ks: range) -> None:
        value = entry.setup()
        for name, call in entry.calls():
            right = self._right(call, value)
            # Twice, so that what is loaded or kept at the first call is there.
            if self._right(call, value) != right:
                self.failures.append(f"{name}: not the same result twice")
                continue
            kind = right[0]
            self._survived = 0
            for k in ks:
                self._notes[:] = f"{name}, allocation {k}".encode().ljust(NOTE_BYTES)[:NOTE_BYTES]
                if not self._trial(f"{name}, allocation {k}", call, value, right, kind):
                    break

    @staticmethod
    def _right(call: Callable[[Any], object], value: Any) -> tuple[str, object]:
        """The result of a call, or its exception."""
        try:
            return "", plain(call(value))
        except Exception as error:
            return type(error).__name__, ""

    def _trial(
        self,
        name: str,
        call: Callable[[Any], object],
        value: Any,
        right: tuple[str, object],
        expected: str,
    ) -> bool:
        """Whether an allocation failed: if not, there are no more."""
        raised, result = "", None
        k = int(name.rpartition(" ")[2])
        arm, disarm = self._memory.arm, self._memory.disarm
        try:
            arm(k)
            try:
                result = call(value)
            finally:
                count = disarm()
        except BaseException as error:
            raised = type(error).__name__
            if raised not in ("MemoryError", expected):
                if is_excused(error, self._memory.excused):
                    self.excused += 1
                    raised = "MemoryError"
                else:
                    raised = repr(error)
        self.cases += 1
        if raised not in ("MemoryError", expected):
            self.failures.append(f"{name}: {raised}")
        elif not raised and plain(result) != right[1]:
            self.failures.append(f"{name}: a wrong result: {result!r}"[:2000])
        if self._unraisable:
            self.failures.append(f"{name}: ignored: {self._unraisable[-1]}")
            self._unraisable.clear()
        result = None
        after = self._right(call, value)
        if after != right:
            self.failures.append(f"{name}: the next call is wrong: {after} for {right}"[:2000])
        if raised == "MemoryError":
            self.failed += 1
            self._survived = 0
            return True
        # Nobody tells how many times Python's allocators were called. Some failures are survived,
        # but not many in a row.
        self._survived += 1
        return count >= k if isinstance(count, int) else self._survived < SURVIVED


def main() -> None:
    kind, first, step, notes = sys.argv[1:]
    warnings.simplefilter("ignore")
    trials = Trials(kind, notes)
    gc.disable()  # so that the k-th allocation is the same one each time
    for entry in ENTRIES[int(first) :: int(step)]:
        trials.entry(entry, range(1, LAST + 1))
        gc.collect()
    print(json.dumps([trials.cases, trials.failed, trials.excused, trials.failures]))


if __name__ == "__main__":
    main()
