"""Calls entry points while the k-th allocation fails; a child of test_allocation.py.

    python -m trust.allocation_trials KIND FIRST STEP NOTES

The calls are FIRST, FIRST + STEP, ...; KIND is "python" (Python's allocators) or "kernel" (the
C library's as compiled modules call them). Before each trial its name goes to the file NOTES, where
it is found if the process dies. Prints, as JSON, how many calls ended in MemoryError, and what was
wrong.
"""

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
# Nobody tells how many times Python's allocators were called: some failures are survived, but not
# so many in a row.
SURVIVED = 12
NOTE_BYTES = 512
# How Python and numpy themselves report that there was no memory, besides MemoryError.
EXCUSED = [
    (RuntimeError, "can't allocate (read )?lock"),
    (pickle.PicklingError, "import of module .* failed"),
    (TypeError, "expected str, bytes or os.PathLike object, not PosixPath"),
    (TypeError, "path should be string, bytes, os.PathLike or integer, not PosixPath"),
    (ctypes.ArgumentError, "argument [12]: MemoryError"),  # of the tests' own producer of columns
    (SystemError, r"<built-in method __enter__ of _thread\.RLock .*> returned a result with"),
    (SystemError, r"<(ufunc '\w+'|built-in function unravel_index|class 'numpy\.\S+')> returned "),
]
# Where a traceback cannot be made; before Python 3.13. Compiled functions are <cyfunction ...> and
# <method ...>, of which these end in calls of plain Python.
NO_TRACEBACK = (
    SystemError,
    "error return without exception set"
    "|<(function|cyfunction sentence_bleu|method 'read' of) .*> "
    "returned NULL without setting an exception",
)


class PythonAllocators:
    """The allocators of Python: raw memory, memory and objects."""

    def __init__(self) -> None:
        import _testcapi

        self.arm = lambda k: _testcapi.set_nomemory(k, k + 1)
        self.disarm = _testcapi.remove_mem_hooks
        self.excused = EXCUSED + [NO_TRACEBACK] * (sys.version_info < (3, 13))


class KernelAllocators:
    """malloc, calloc and realloc where a compiled module of fastbleu calls them."""

    def __init__(self) -> None:
        library = ctypes.CDLL(None)
        library.fb_arm.argtypes = [ctypes.c_long]
        library.fb_disarm.restype = ctypes.c_long
        assert library.fb_arm(0), "no compiled module of fastbleu is watched"
        self.arm, self.disarm = library.fb_arm, library.fb_disarm
        self.excused: list[Any] = []


class Trials:
    def __init__(self, memory: Any, notes: mmap.mmap) -> None:
        self._memory, self._notes = memory, notes
        self.failed, self.failures = 0, list[str]()
        self._unraisable: list[str] = []
        sys.unraisablehook = self._note_unraisable

    def _note_unraisable(self, unraisable: Any) -> None:
        if not isinstance(unraisable.exc_value, MemoryError):
            self._unraisable.append(f"{unraisable.exc_value!r} in {unraisable.object!r}")

    def of(self, call: Call) -> None:
        right = call.outcome()
        # Twice, so that what is loaded or kept at the first call is there.
        if call.outcome() != right:
            self.failures.append(f"{call.name}: not the same result twice")
            return
        survived = 0
        for k in range(1, LAST + 1):
            raised, allocations = self._trial(call, k, right)
            self.failed += raised
            survived = 0 if raised else survived + 1
            no_more = survived == SURVIVED if allocations is None else allocations < k
            if no_more:
                break

    def _trial(self, call: Call, k: int, right: tuple[str, object]) -> tuple[bool, int | None]:
        """Whether a call whose k-th allocation fails raised, and how many there were if known."""
        name = f"{call.name}, allocation {k}"
        self._notes[:] = name.encode().ljust(NOTE_BYTES)[:NOTE_BYTES]
        raised, result, allocations = None, None, None
        try:
            self._memory.arm(k)
            try:
                result = call()
            finally:
                allocations = self._memory.disarm()
        except BaseException as error:
            raised = f"{type(error).__name__}: {error}"
            if not (raised == right[0] or self._is_lack_of_memory(error)):
                self.failures.append(f"{name}: {error!r}")
        if raised is None and plain(result) != right[1]:
            self.failures.append(f"{name}: a wrong result: {result!r}"[:2000])
        if self._unraisable:
            self.failures.append(f"{name}: ignored: {self._unraisable.pop()}")
        result = None
        after = call.outcome()
        if after != right:
            self.failures.append(f"{name}: the next call is wrong: {after} for {right}"[:2000])
        return raised not in (None, right[0]), allocations

    def _is_lack_of_memory(self, error: BaseException) -> bool:
        return isinstance(error, MemoryError) or any(
            isinstance(error, kind) and re.search(text, str(error))
            for kind, text in self._memory.excused
        )


def main(kind: str, first: str, step: str, notes: str) -> None:
    warnings.simplefilter("ignore")
    gc.disable()  # so that the k-th allocation is the same one each time
    memory = PythonAllocators() if kind == "python" else KernelAllocators()
    with open(notes, "r+b") as file, mmap.mmap(file.fileno(), NOTE_BYTES) as mapped:
        trials = Trials(memory, mapped)
        for call in [*calls()][int(first) :: int(step)]:
            trials.of(call)
            gc.collect()
    print(json.dumps([trials.failed, trials.failures]))


if __name__ == "__main__":
    main(*sys.argv[1:])
