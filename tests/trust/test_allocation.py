"""The k-th allocation fails, for k = 1 to 200, at every entry point: MemoryError and nothing else.

Nothing crashes, no result is wrong, and the next call is right. Two kinds of allocations fail by
turns: those of Python's allocators, by CPython's own _testcapi, and those of the C library where a
compiled module calls it, by failing_malloc.c. That the two are counted apart reaches further: there
are few of the second kind, and 200 of the first may not come to them. Where Python itself or numpy
reports another error for want of memory, allocation_trials.py lists it.
"""

import importlib.util
import json
import os
import platform
from pathlib import Path

import pytest

from trust.allocation_trials import NOTE_BYTES
from trust.children import WORK, alone, environment, finish, python, tool

SOURCE = Path(__file__).with_name("failing_malloc.c")
COMPILER = tool(os.environ.get("CC", "cc"))
SHARES = 2
each_share = pytest.mark.parametrize("share", range(SHARES))


# Without memory, CPython 3.12.1 and 3.13.0 use the code of a function that they have freed, and
# 3.15.0 frees an object twice that cannot be appended to a list.
PYTHON_ALONE = """
import _testcapi, os, sys

value = [object()]

def call():
    class Local:
        def one(self):
            return max(*map(lambda n: n + 1, [300]), 3)

    found = []
    found.append(value)
    return Local().one(), found

for k in [*range(1, 200)] * 20:
    try:
        _testcapi.set_nomemory(k, k + 1)
        try:
            call()
        finally:
            _testcapi.remove_mem_hooks()
    except MemoryError:
        pass
    call()
if sys.getrefcount(value) != 2:
    os.abort()
"""


@each_share
@pytest.mark.skipif(not importlib.util.find_spec("_testcapi"), reason="needs CPython's _testcapi")
def test_failures_of_pythons_allocators(share, tmp_path):
    if python("-c", PYTHON_ALONE).status < 0:
        pytest.skip("this CPython crashes by itself where it has no memory")
    trials("python", share, tmp_path)


@each_share
@pytest.mark.skipif(
    platform.libc_ver()[0] != "glibc" or not COMPILER,
    reason="needs the GNU C library and a C compiler",
)
def test_failures_of_malloc_in_compiled_modules(share, tmp_path):
    library = WORK / "failing_malloc.so"
    flags = ["-shared", "-fPIC", "-O1", "-Wall", "-Wextra", "-Werror"]
    with alone("failing_malloc"):
        done = finish([COMPILER, *flags, "-o", library, SOURCE], 60)
    assert done.status == 0, done.why()
    preloaded = " ".join(filter(None, [str(library), os.environ.get("LD_PRELOAD", "")]))
    trials("kernel", share, tmp_path, LD_PRELOAD=preloaded)


def trials(kind, share, tmp_path, **changes):
    """One process with its share of the entries."""
    notes = tmp_path / "notes"
    notes.write_bytes(bytes(NOTE_BYTES))
    env = environment(**changes)
    done = python("allocation_trials", kind, share, SHARES, notes, env=env, timeout=1800)
    assert done.status == 0, f"{notes.read_text().strip()}: the process {done.why()}"
    failed, failures = json.loads(done.output.splitlines()[-1])
    assert not failures, "\n".join(failures[:50])
    assert failed, "no allocation has failed"
