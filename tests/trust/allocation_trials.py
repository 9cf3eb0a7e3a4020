"""Calls entry points while the k-th allocation fails; a child of test_allocation.py.

    python -m trust.allocation_trials KIND FIRST STEP NOTES

The calls are FIRST, FIRST + STEP, ...; KIND is "python" (Python's allocators) or "kernel" (the
C library's as compiled modules call them). Before each trial its name goes to the file NOTES, where
it is found if the process dies.
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
from typing import Any

from plain import plain

from trust.calls import Call, calls

LAST = 200
# After this many calls in a row that raised nothing there are no more allocations to fail.
SURVIVED = 12
NOTE_BYTES = 512
Outcome = tuple[str, object]


# How Python and numpy themselves report that there was no memory, besides MemoryError.
EXCUSED = [
    (RuntimeError, "can't allocate (read )?lock"),
    (pickle.PicklingError, "import of module .* failed"),
    (TypeError, "expected str, bytes or os.PathLike object, not PosixPath"),
    (TypeError, "path should be string, bytes, os.PathLike or integer, not PosixPath"),
    (ctypes.ArgumentError, "argument [12]: MemoryError"),  # of the tests' own producer of columns
    (SystemError, r"<(ufunc '\w+'|built-in function unravel_index|class 'numpy\.\S+')> returned "),
]
# Where a traceback cannot be made; before Python 3.13. Compiled functions are <cyfunction ...>, of
# which this one ends in calls of plain Python.
NO_TRACEBACK = (
    SystemError,
    "error return without exception set"
    "|<(function|cyfunction sentence_bleu) .*> returned NULL without setting an exception",
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
        assert library.fb_arm(0), "no compiled module of fastbleu is watched"
        self.arm, self.disarm = library.fb_arm, library.fb_disarm
        self.excused: list[Any] = []


KINDS: dict[str, Any] = {"python": PythonAllocators, "kernel": KernelAllocators}


class Trials:
    def __init__(self, kind: str, notes: mmap.mmap) -> None:
        self._memory = KINDS[kind]()
        self._notes = notes
        self.cases = self.failed = self.excused = 0
        self.failures: list[str] = []
        self._unraisable: list[str] = []
        sys.unraisablehook = self._note_unraisable

    def _note_unraisable(self, unraisable: Any) -> None:
        if not isinstance(unraisable.exc_value, MemoryError):
            self._unraisable.append(f"{unraisable.exc_value!r} in {unraisable.object!r}")

    def of(self, call: Call) -> None:
        right = outcome_of(call)
        # Twice, so that what is loaded or kept at the first call is there.
        if outcome_of(call) != right:
            self.failures.append(f"{call.name}: not the same result twice")
            return
        survived = 0
        for k in range(1, LAST + 1):
            survived = 0 if self._trial(call, k, right) else survived + 1
            # Nobody tells how many times Python's allocators were called. Some failures are
            # survived, but not many in a row.
            if survived > (0 if self.count is not None and self.count < k else SURVIVED - 1):
                break

    def _trial(self, call: Call, k: int, right: Outcome) -> bool:
        """Make a call whose k-th allocation fails; whether it ended in MemoryError."""
        name = f"{call.name}, allocation {k}"
        self._notes[:] = name.encode().ljust(NOTE_BYTES)[:NOTE_BYTES]
        raised, result = "", None
        self.cases += 1
        try:
            self._memory.arm(k)
            try:
                result = call()
            finally:
                self.count = self._memory.disarm()
        except BaseException as error:
            raised = type(error).__name__
            excused = self._memory.excused
            if raised in ("MemoryError", right[0]):
                pass
            elif any(isinstance(error, of) and re.search(text, str(error)) for of, text in excused):
                self.excused += 1
                raised = "MemoryError"
            else:
                self.failures.append(f"{name}: {error!r}")
        if not raised and plain(result) != right[1]:
            self.failures.append(f"{name}: a wrong result: {result!r}"[:2000])
        if self._unraisable:
            self.failures.append(f"{name}: ignored: {self._unraisable[-1]}")
            self._unraisable.clear()
        result = None
        after = outcome_of(call)
        if after != right:
            self.failures.append(f"{name}: the next call is wrong: {after} for {right}"[:2000])
        self.failed += raised == "MemoryError"
        return raised == "MemoryError"


def outcome_of(call: Call) -> Outcome:
    """The exception of a call, and its result."""
    try:
        return "", plain(call())
    except Exception as error:
        return type(error).__name__, ""


def main(kind: str, first: str, step: str, notes: str) -> None:
    warnings.simplefilter("ignore")
    gc.disable()  # so that the k-th allocation is the same one each time
    with open(notes, "r+b") as file, mmap.mmap(file.fileno(), NOTE_BYTES) as mapped:
        trials = Trials(kind, mapped)
        for call in [*calls()][int(first) :: int(step)]:
            trials.of(call)
            gc.collect()
    print(json.dumps([trials.cases, trials.failed, trials.excused, trials.failures]))


if __name__ == "__main__":
    main(*sys.argv[1:])
