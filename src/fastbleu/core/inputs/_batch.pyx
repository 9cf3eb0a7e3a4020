"""Batches: segments to be counted. `plain_batch` makes one of most users' input.

Most input needs no checks: two lists of text or of lists of tokens, or arrays of ids of the right shapes.
All other input is checked by read.py. Texts and tokens are checked when they are counted.

Thread-safety. Another thread may change the lists meanwhile: see item_at.
"""

import cython
from cpython.bytes cimport PyBytes_CheckExact
from cpython.exc cimport PyErr_CheckSignals
from cpython.list cimport PyList_CheckExact
from cpython.long cimport PyLong_CheckExact
from cpython.object cimport PyObject
from cpython.unicode cimport Py_UNICODE_ISSPACE, PyUnicode_CheckExact
from libc.string cimport strcmp

from fastbleu.core.inputs._id_rows cimport IdRows
from fastbleu.core.kernel.exceptions cimport Py_DECREF, take_exception
from fastbleu.core.kernel.sequences cimport is_array_of, is_list_or_tuple, item_at, size_of
from fastbleu.core.runtime._process cimport POLL_EVERY

from fastbleu.core.inputs.errors import warn_input


cdef extern from "Python.h":
    PyObject *PyObject_CallMethodNoArgs(object owner, object name)


cdef class InputKind:
    """What `read` must know of the `Counter` that will count a batch."""


@cython.freelist(8)
cdef class Batch:
    """Segments that were checked, by `read` or by code with checks of its own.

    Attributes
    ----------
    hypotheses, references : list, tuple, IdRows, Utf8Rows or ndarray of object
        Of the same length; references are segment-major.
    before : int
        The number of segments before these, for messages.
    present : list of bool or None
        Whether each given segment is in the batch; None if all are.
    warns : bool
        Whether counting it looks for likely mistakes and warns about them.
    """

    def __init__(self, hypotheses, references, Py_ssize_t before=0, present=None, bint warns=False):
        self.hypotheses = hypotheses
        self.references = references
        self.before = before
        self.present = present
        self.warns = warns

    @property
    def segments(self):
        """The number of segments; None if it is known only when all are read."""
        return len(self.hypotheses)

    def blocks(self, threads=1, most=0):
        """The batches that are counted one after the other: this one alone."""
        return iter([self])

    def lists(self):
        """Hypotheses and references as lists that can be read twice."""
        return self.hypotheses, self.references

    def warn_of_missing(self):
        """Warn if segments were left out, after they were counted."""
        present = (<object> self).present        # a ColumnBatch has a property
        if present is not None and not all(present):
            warn_input(
                f"left out {present.count(False)} of {len(present)} segments, because a value is missing; "
                f"the first is segment {present.index(False)}"
            )


cdef Batch plain_batch(object hypotheses, object references, InputKind kind):
    """The batch of two lists, arrays or tensors that need no checks and look right; None for all others."""
    cdef Batch batch
    cdef bint are_texts = kind.is_text, lists_are_ids = kind.id_filter is not None
    cdef bint are_lists = PyList_CheckExact(hypotheses) and PyList_CheckExact(references)
    if not are_texts and (lists_are_ids or not are_lists):
        hypotheses = rows_of(hypotheses, 2, lists_are_ids)
        references = None if hypotheses is None else rows_of(references, 3, lists_are_ids)
        if references is None or len(hypotheses) != len(references):
            return None
    elif not are_lists or size_of(hypotheses) != size_of(references):
        return None
    elif size_of(hypotheses) > 0 and not (
            are_references(item_at(references, 0)) if are_texts
            else are_tokens(item_at(hypotheses, 0)) and are_token_lists(item_at(references, 0))):
        return None
    batch = Batch.__new__(Batch)
    batch.hypotheses, batch.references, batch.warns = hypotheses, references, True
    return batch


cdef bint are_references(object texts) except -1:
    """Whether this is a reference, or at most two, which are not words of one: see `warn_of_words`."""
    return PyUnicode_CheckExact(texts) or (is_list_or_tuple(texts) and size_of(texts) <= 2)


cdef bint are_tokens(object tokens) except -1:
    """Whether this is a list that begins with a plain token and is no unsplit text: see `warn_of_words`."""
    if not is_list_or_tuple(tokens) or size_of(tokens) == 1:
        return False
    if size_of(tokens) == 0:
        return True
    first = item_at(tokens, 0)
    return PyUnicode_CheckExact(first) or PyLong_CheckExact(first) or PyBytes_CheckExact(first)


cdef bint are_token_lists(object references) except -1:
    return (is_list_or_tuple(references) and size_of(references) > 0
            and is_list_or_tuple(item_at(references, 0)))


def count_blank(texts):
    """The number of blank texts in a list or tuple of str; -1 for other sequences."""
    cdef Py_ssize_t blank = 0, i = 0, at
    if not is_list_or_tuple(texts):
        return -1
    while i < size_of(texts):
        text = item_at(texts, i)
        if not PyUnicode_CheckExact(text):
            return -1
        at = 0
        while at < len(<str> text) and Py_UNICODE_ISSPACE((<str> text)[at]):
            at += 1
            if at % POLL_EVERY == 0:
                PyErr_CheckSignals()
        blank += at == len(<str> text)
        i += 1
    return blank


cdef IdRows rows_of(object values, int dimensions, bint lists_are_ids):
    """The rows of ids that need no checks; None for all others."""
    cdef IdRows rows
    if is_list_or_tuple(values):
        rows = IdRows()
        return rows if lists_are_ids and rows.add_lists(values, dimensions == 3) else None
    if is_tensor(values):
        values = numpy_of(values)
    if not is_array_of(values, c"i", 2, dimensions):
        return None
    rows = IdRows(values)
    return rows if rows.segment_count and rows.width and rows.first.length else None


cdef bint is_tensor(object value) noexcept:
    """Whether a value is a PyTorch tensor, which the name of its type tells without an import."""
    return strcmp((<PyObject *> value).ob_type.tp_name, "Tensor") == 0


cdef object numpy_of(object tensor):
    """A PyTorch tensor on the CPU as a numpy array that shares its memory; None for all others."""
    cdef PyObject *made = PyObject_CallMethodNoArgs(tensor, "numpy")
    if made == NULL:
        error = take_exception()
        if not isinstance(error, Exception):
            raise error
        return None
    shared = <object> made
    Py_DECREF(made)
    return shared
