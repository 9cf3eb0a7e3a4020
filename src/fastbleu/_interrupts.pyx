"""Ctrl-C, and the failures of other threads, end long work of compiled code.

Whatever loops over what a user passes in counts its steps (Interruptible), or polls by itself.
"""

from cpython.exc cimport PyErr_CheckSignals

from fastbleu._tables cimport interner_copy, interner_free, interner_has_room, interner_widen, look_up_cost


cdef int poll(const bint *cancelled) except -1 nogil:
    """Let Ctrl-C and the other threads' failures end a long piece of work."""
    with gil:
        if cancelled[0]:
            raise KeyboardInterrupt
        PyErr_CheckSignals()
    return 0


cdef int make_room(interner *table, size_t tokens, const bint *cancelled) except -1 nogil:
    """Room for more tokens, whose ids stay, and so does the table where this is interrupted."""
    cdef interner wider
    cdef int32_t first = 0, end
    if interner_has_room(table, tokens):
        return 0
    if interner_widen(&wider, table, tokens) < 0:
        with gil:
            raise MemoryError(f"no memory for {tokens} tokens more than {table.count}")
    try:
        while first < table.count:
            end = min(first + POLL_EVERY // <int32_t> look_up_cost(wider.slot_count), table.count)
            interner_copy(&wider, table, first, end)
            first = end
            poll(cancelled)
        table[0], wider = wider, table[0]
    finally:
        interner_free(&wider)        # the one that is left
    return 0


cdef class Interruptible:
    pass
