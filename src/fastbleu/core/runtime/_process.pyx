"""What all compiled modules share: signals, memory, buffers, the hash seed and the instruction set.

Signals. Every loop over user data counts its steps (Interruptible) or polls, so that Ctrl-C, or a failure
in another thread, ends long work.
Memory. `grow` enlarges every array. KeptMemory is for objects whose memory is reused by later calls: one
caller at a time can acquire it.
Buffers. An array from a caller is read through a Buffer, which checks its items and keeps its memory in
place; a module reads its own arrays directly.
Seed. Hash tables are seeded once per process; no result depends on the seed.
Instruction set. The best that the processor has, unless `use_simd` chooses another; no result depends
on it.
"""

import cython
from cpython.buffer cimport PyBUF_FORMAT, PyBuffer_Release, PyObject_GetBuffer
from cpython.exc cimport PyErr_CheckSignals
from cpython.mem cimport PyMem_RawRealloc
from libc.stdint cimport int32_t, uint64_t
from libc.string cimport strchr

import os
import sys

from fastbleu.core.kernel.hashing cimport interner_copy, interner_free, interner_widen, look_up_cost


cdef extern from "kernel/simd/platform.h":
    const char *SIMD_NAMES
    simd_level simd_supported() noexcept nogil

# The levels of this kind of processor, the best last.
SIMD_LEVELS = tuple(SIMD_NAMES.decode().split())

cdef char NATIVE_ORDER = c"<" if sys.byteorder == "little" else c">"

cdef hash_seed _seed
cdef simd_level _level


cdef int poll(const bint *cancelled) except -1 nogil:
    """Raise KeyboardInterrupt after Ctrl-C, or if another thread has set `cancelled`."""
    with gil:
        if cancelled[0]:
            raise KeyboardInterrupt
        PyErr_CheckSignals()
    return 0


cdef class Interruptible:

    cdef int widen(self, interner *table, size_t tokens) except -1 nogil:
        """Make room for `tokens` more tokens; if interrupted, the table does not change."""
        cdef interner wider
        cdef Py_ssize_t first = 0, stop
        if interner_widen(&wider, table, tokens) < 0:
            with gil:
                raise MemoryError(f"no memory for {tokens} more tokens than {table.count}")
        try:
            while first < table.count:
                stop = self.next_stop(first, table.count, look_up_cost(wider.slot_count))
                interner_copy(&wider, table, <int32_t> first, <int32_t> stop)
                first = stop
            table[0], wider = wider, table[0]
        finally:
            interner_free(&wider)        # the old table, if both were swapped
        return 0


cdef void *grow(void *memory, Py_ssize_t *capacity, Py_ssize_t needed, size_t item) except NULL nogil:
    """Enlarge `memory` to `needed` items and half as many to spare, or raise MemoryError."""
    cdef Py_ssize_t roomy = needed + (needed >> 1) + 64
    cdef void *grown = PyMem_RawRealloc(memory, <size_t> roomy * item)
    if grown == NULL:
        with gil:
            raise MemoryError(f"no memory for {roomy} items of {item} bytes")
    capacity[0] = roomy
    return grown


cdef class KeptMemory:

    cdef bint try_acquire(self) noexcept:
        """Return whether the caller now owns the memory, until it calls `release_memory`."""
        cdef bint free
        with cython.critical_section(self):
            free = not self.busy
            self.busy = True
        return free

    cdef void release_memory(self) noexcept:
        with cython.critical_section(self):
            self.busy = False


cdef class Cell:
    """A value that several threads and signal handlers replace one at a time."""

    def __cinit__(self, value):
        self.value = value

    cpdef bint compare_and_swap(self, object expected, object value):
        """Replace the value if it is still `expected`; return whether it was."""
        cdef bint unchanged
        with cython.critical_section(self):
            unchanged = self.value is expected
            if unchanged:
                # The caller drops the last reference, because a destructor may run user code.
                self.value, value = value, self.value
        return unchanged


cdef class Pool:
    """Keeps at most `most` idle workers, with their memory. Thread-safe."""

    def __cinit__(self, Py_ssize_t most):
        self.most = most
        self.idle = []

    def acquire(self, make, *arguments):
        """Return an idle worker, or a new one: make(*arguments)."""
        worker = self.take()
        return make(*arguments) if worker is None else worker

    cdef object take(self):
        """An idle worker, or None."""
        cdef object worker = None
        with cython.critical_section(self):
            if self.count:
                self.count -= 1
                worker, self.idle[self.count] = self.idle[self.count], None
        return worker

    def release(self, worker):
        """Keep a worker for the next use. Do not call this with a worker that failed."""
        if worker.capacity <= LARGEST_IDLE:
            worker.reset()
            self.keep(worker)

    cdef int keep(self, object worker) except -1:
        """Like `release`, for a worker that has been reset and is not too large."""
        with cython.critical_section(self):
            if self.count < len(self.idle):
                self.idle[self.count] = worker
                self.count += 1
            elif self.count < self.most:
                self.idle.append(worker)
                self.count += 1
        return 0


@cython.freelist(8)
cdef class Buffer:

    def __dealloc__(self):
        PyBuffer_Release(&self.view)


cdef char kind_of(const char *format, Py_ssize_t size) noexcept nogil:
    """The letter of fixed size for a format of numbers; 0 if it is not one."""
    if format == NULL:
        return c"B"
    if format[0] and format[1] and (format[0] == NATIVE_ORDER or strchr("@=^", format[0])):
        format += 1
    if format[0] == 0 or format[1] != 0:
        return 0
    if format[0] == c"l":
        return c"q" if size == 8 else c"i"
    if format[0] == c"L":
        return c"Q" if size == 8 else c"I"
    return format[0]


cdef Buffer buffer_of(object owner, const char *kinds, int ndim=0, int flags=PyBUF_C_CONTIGUOUS):
    """The buffer of an array of numbers of one of `kinds`, in native byte order.

    Parameters
    ----------
    kinds : str
        Letters of the struct module; q and Q for l and L of 8 bytes. Any kind if empty.
    ndim : int
        The number of dimensions that it must have; any if 0.
    """
    cdef Buffer buffer = Buffer.__new__(Buffer)
    PyObject_GetBuffer(owner, &buffer.view, flags | PyBUF_FORMAT)
    buffer.kind = kind_of(buffer.view.format, buffer.view.itemsize)
    if kinds[0] and not (buffer.kind and strchr(kinds, buffer.kind)):
        raise ValueError(f"expected numbers of the format {kinds.decode()}, not {buffer.view.format!r}")
    if ndim and buffer.view.ndim != ndim:
        raise ValueError(f"expected {ndim} dimensions, not {buffer.view.ndim}")
    return buffer


def active_simd():
    """Return the instruction set that the kernels use: one of SIMD_LEVELS."""
    return SIMD_LEVELS[<int> _level]


def use_simd(str name=None):
    """Choose the kernels' instruction set: one of SIMD_LEVELS, by default the best. No result changes.

    Raises
    ------
    ValueError
        The name is unknown, or this processor lacks the instructions.
    """
    global _level
    level = <int> simd_supported()
    if name is not None:
        if name not in SIMD_LEVELS:
            raise ValueError(f"SIMD level {name!r} is unknown; choose one of {', '.join(SIMD_LEVELS)}")
        if SIMD_LEVELS.index(name) > level:
            raise ValueError(f"this processor lacks {name}")
        level = SIMD_LEVELS.index(name)
    _level = <simd_level> <int> level


cdef simd_level simd_in_use() noexcept nogil:
    return _level


def reseed(uint64_t first, uint64_t second):
    """Set the seed of future hash tables, for tests. No result changes."""
    _seed.first = first
    _seed.second = second


cdef hash_seed process_seed():
    return _seed


use_simd()
reseed(*memoryview(os.urandom(16)).cast("Q"))
