"""Ctrl-C, and the failures of other threads, end long work of compiled code.

Whatever loops over what a user passes in counts its steps (Interruptible), or polls by itself.
"""

from cpython.exc cimport PyErr_CheckSignals
from libc.stdint cimport int32_t

from fastbleu._tables cimport interner_copy, interner_free, interner_widen, look_up_cost


cdef int poll(const bint *cancelled) except -1 nogil:
    """Let Ctrl-C and the other threads' failures end a long piece of work."""
    with gil:
        if cancelled[0]:
            raise KeyboardInterrupt
        PyErr_CheckSignals()
    return 0


cdef class Interruptible:

    cdef int widen(self, interner *table, size_t tokens) except -1 nogil:
        """Make room for more tokens; where this is interrupted the table stays what it is."""
        cdef interner wider
        cdef Py_ssize_t first = 0, stop
        if interner_widen(&wider, table, tokens) < 0:
            with gil:
                raise MemoryError(f"no memory for {tokens} tokens more than {table.count}")
        try:
            while first < table.count:
                stop = self.next_stop(first, table.count, look_up_cost(wider.slot_count))
                interner_copy(&wider, table, <int32_t> first, <int32_t> stop)
                first = stop
            table[0], wider = wider, table[0]
        finally:
            interner_free(&wider)        # the one that is left
        return 0
