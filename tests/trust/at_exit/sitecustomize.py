"""Looks for leaks at the end of every Python process of the sanitized tests, children included.

LeakSanitizer's own check comes after the interpreter has been taken apart, when numpy has lost
some objects that it never frees. This one comes before, while all that is still in use is within
reach: what is reported then nobody could ever free, and no function of numpy's has to be left out.
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
