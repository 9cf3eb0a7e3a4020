"""Header only: catching exceptions in C, instead of with Cython's `except`.

Cython's `except` assumes that an exception has a traceback, and crashes if there was no memory for one.
Functions that are declared without `except` leave the exception set for these.
"""

from cpython.object cimport PyObject


cdef extern from "Python.h":
    PyObject *PyErr_Occurred()
    void PyErr_Fetch(PyObject **kind, PyObject **value, PyObject **traceback)
    void PyErr_NormalizeException(PyObject **kind, PyObject **value, PyObject **traceback)
    int PyException_SetTraceback(object error, object traceback)
    void Py_XDECREF(PyObject *reference)
    void Py_DECREF(PyObject *reference)


cdef inline bint is_raised() noexcept:
    """Whether an exception is set."""
    return PyErr_Occurred() != NULL


cdef inline object take_exception():
    """Return and clear the exception that is set."""
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
