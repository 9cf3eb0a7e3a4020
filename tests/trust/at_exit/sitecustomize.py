"""Looks for leaks at the end of every Python process of the sanitized tests, children included.

LeakSanitizer's own check runs after the interpreter is finalised, when numpy has lost some objects
that it never frees. This one runs before, while everything in use is still reachable: what it
reports could never be freed, and no functions of numpy have to be excluded.
A process in which it finds something ends with status 1 and a report on standard error.
"""

import atexit
import ctypes
import gc

python = ctypes.PyDLL(None)
for function in (python.PyInterpreterState_Get, python.PyInterpreterState_Main):
    function.restype = ctypes.c_void_p


def check() -> None:
    gc.collect()
    ctypes.CDLL(None).__lsan_do_leak_check()


# The end of a sub-interpreter comes while the main one is at work, whose stack is out of sight.
if python.PyInterpreterState_Get() == python.PyInterpreterState_Main():
    # The first to be registered is the last to run.
    atexit.register(check)
