"""Header only: catching exceptions at the level of C, in place of Cython's `except`.

An `except` of Cython's takes for granted that what it catches has a traceback, and crashes where there was
no memory for one. Functions that are declared without `except` leave an exception set for these.
"""

from cpython.object cimport PyObject


cdef extern from "Python.h":
    PyObject *PyErr_Occurred()
    void PyErr_Fetch(PyObject **kind, PyObject **value, PyObject **traceback)
    void PyErr_NormalizeException(PyObject **kind, PyObject **value, PyObject **traceback)
    int PyException_SetTraceback(object error, object traceback)
    void Py_XDECREF(PyObject *reference)


cdef inline bint is_raised() noexcept:
    """Whether an exception is set."""
    return PyErr_Occurred() != NULL


cdef inline object take_exception():
    """The exception that is set, which is set no more."""
    cdef PyObject *kind = NULL
    cdef PyObject *value = NULL
    cdef PyObject *traceback = NULL
    PyErr_Fetch(&kind, &value, &traceback)
    PyErr_NormalizeException(&kind, &value, &traceback)
    error = <object> value
    if traceback != NULL:
        PyException_SetTraceback(error, <object> traceback)
    Py_XDECREF(kind)
    Py_XDECREF(value)
    Py_XDECREF(traceback)
    return error
