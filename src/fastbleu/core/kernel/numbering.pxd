"""Header only: numbering hashable tokens with Python's hash() and ==."""

from cpython.exc cimport PyErr_CheckSignals
from cpython.object cimport PyObject
from libc.stdint cimport INT32_MAX, int32_t

from fastbleu.core.kernel.exceptions cimport is_raised, take_exception


cdef extern from "Python.h":
    PyObject *PyDict_GetItemWithError(object mapping, object key)
    PyObject *PyDict_SetDefault(object mapping, object key, object value)


cdef inline int number_objects(dict known, tuple tokens, int32_t *ids, bint known_only, object checks,
                               Py_ssize_t segment, object reference) except -1:
    """Write the ids of hashable tokens; the caller keeps them alive, as this runs their code.

    Parameters
    ----------
    known : dict
        From tokens to their ids; new tokens are added.
    known_only : bool
        Nothing is added, and unknown tokens get the id -1.
    checks : fastbleu.core.inputs.checks.TokenChecks or None
        Converts tensors to numbers, and raises the errors. None if tokens can only be numbers.
    segment, reference
        The position of the tokens, for messages.
    """
    cdef PyObject *found
    cdef Py_ssize_t position
    cdef object kind = None
    cdef bint is_tensor = False
    for position in range(len(tokens)):
        token = tokens[position]
        if position % 1024 == 1023:
            PyErr_CheckSignals()
        if type(token) is not kind:
            kind = type(token)
            is_tensor = hasattr(kind, "__torch_function__")
        if is_tensor:
            token = checks.tensor_value(token, segment, reference, position)
        found = PyDict_GetItemWithError(known, token)
        if found == NULL and not is_raised() and not known_only:
            if len(known) >= INT32_MAX - 1:
                raise OverflowError(f"a vocabulary of {len(known)} tokens is full")
            # In one step: a second look-up could find what the first one did not.
            found = PyDict_SetDefault(known, token, len(known))
        if found == NULL and is_raised():
            error = take_exception()
            if checks is not None and isinstance(error, TypeError):
                checks.refuse_unhashable(error, token, segment, reference, position)
            raise error
        ids[position] = <object> found if found != NULL else -1
    return 0
