"""Signals, memory, buffers, the seed and the instruction set. See _process.pyx."""

cimport cython
from cpython.buffer cimport PyBUF_C_CONTIGUOUS
from fastbleu.core.kernel.hashing cimport hash_seed, interner, interner_has_room


cdef extern from "kernel/simd/platform.h":
    ctypedef enum simd_level:
        pass


cdef enum:
    # Tokens, n-grams or pairs between two checks for Ctrl-C: about a millisecond of work, so that
    # acquiring the GIL costs nothing in comparison.
    POLL_EVERY = 1 << 16

cdef int poll(const bint *cancelled) except -1 nogil


cdef class Interruptible:
    """Long work that stops after Ctrl-C or a failure in another thread."""

    cdef public bint cancelled       # by another thread
    cdef Py_ssize_t since_poll

    @cython.final
    cdef inline int worked(self, Py_ssize_t steps) except -1 nogil:
        """Count steps of work; poll every POLL_EVERY steps."""
        self.since_poll += steps
        if self.since_poll >= POLL_EVERY:
            self.since_poll = 0
            poll(&self.cancelled)
        return 0

    @cython.final
    cdef inline Py_ssize_t next_stop(self, Py_ssize_t start, Py_ssize_t count,
                                     Py_ssize_t cost) except -1 nogil:
        """How far a loop that is at `start` may run before it calls this again, which polls.

        cost : steps per iteration: 1, or `look_up_cost` of a table
        """
        cdef Py_ssize_t stop = min(start + POLL_EVERY // cost, count)
        self.worked((stop - start) * cost)
        return stop

    @cython.final
    cdef inline int make_room(self, interner *table, size_t tokens) except -1 nogil:
        """Make room for `tokens` more tokens; ids do not change."""
        return 0 if interner_has_room(table, tokens) else self.widen(table, tokens)

    cdef int widen(self, interner *table, size_t tokens) except -1 nogil


cdef class KeptMemory:
    """Memory that later calls reuse, one call at a time; other threads and signal handlers may call
    meanwhile."""

    cdef bint busy

    cdef bint try_acquire(self) noexcept
    cdef void release_memory(self) noexcept


cdef class Cell:
    cdef readonly object value

    cpdef bint compare_and_swap(self, object expected, object value)


cdef enum:
    # Workers with memory for more tokens or references are not kept: 1 MB of ids is usually enough.
    LARGEST_IDLE = 1 << 18


cdef class Pool:
    cdef Py_ssize_t most, count
    cdef list idle                   # its first `count` items are workers

    cdef object take(self)
    cdef int keep(self, object worker) except -1


cdef class Buffer:
    """Memory of an array of numbers, which cannot be resized or freed while this object lives."""

    cdef Py_buffer view
    cdef char kind                   # the format of its items: a letter of the struct module, never l or L


cdef Buffer buffer_of(object owner, const char *kinds, int ndim=?, int flags=?)
cdef hash_seed process_seed()
cdef void *grow(void *memory, Py_ssize_t *capacity, Py_ssize_t needed, size_t item) except NULL nogil
cdef simd_level simd_in_use() noexcept nogil
