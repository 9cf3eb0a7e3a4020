"""Header only: reading exact lists and tuples without running Python code."""

from cpython.list cimport PyList_CheckExact, PyList_GET_SIZE
from cpython.object cimport PyObject
from cpython.tuple cimport PyTuple_CheckExact, PyTuple_GET_SIZE


cdef extern from "Python.h":
    PyObject **PySequence_Fast_ITEMS(object sequence)
    # The same for a borrowed object, in functions without Python objects that are called with the GIL.
    PyObject **plain_items "PySequence_Fast_ITEMS" (PyObject *sequence) noexcept nogil

cdef extern from "kernel/objects/prefetch.h":
    void prefetch_segments(PyObject **hypotheses, PyObject **references,
                           Py_ssize_t at, Py_ssize_t segments) noexcept nogil
    void prefetch_item(object sequence, Py_ssize_t at)

cdef extern from "kernel/objects/sequences.h":
    # Without the GIL, read items of a list only by the first, or after one of the others.
    object item_at(object sequence, Py_ssize_t index)
    object unchanging(object sequence)
    object unchanging_lists(object sequences)

cdef extern from "kernel/objects/object_array.h":
    bint is_array_of(object value, char kind, int least_dimensions, int most_dimensions)
    # For lists, tuples, and arrays for which the first function is true.
    bint is_object_array(object value)
    Py_ssize_t items_in(object sequence)
    object item_of(object sequence, Py_ssize_t index)
    void prefetch_texts(object hypotheses, object references, Py_ssize_t at)


cdef inline bint is_list_or_tuple(object sequence) noexcept:
    """Whether an object is an exact list or tuple, so that reading it runs no Python code."""
    return PyList_CheckExact(sequence) or PyTuple_CheckExact(sequence)


cdef inline Py_ssize_t size_of(object sequence) noexcept:
    """Length of an exact list or tuple."""
    return PyList_GET_SIZE(sequence) if PyList_CheckExact(sequence) else PyTuple_GET_SIZE(sequence)
