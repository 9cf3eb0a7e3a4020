/* sequences.h: reading exact lists and tuples that other threads may change.
 *
 * With the GIL, lists cannot change while no Python code runs, and are read in place. Without it
 * (Py_GIL_DISABLED), any thread may change a list at any time: an item is taken under the list's own lock,
 * and a loop reads a tuple that was copied under it. A list that changes is read as it was at one moment.
 */
#pragma once

#include <Python.h>
#include "../simd/platform.h"

/* A new reference to an item of an exact list or tuple, whose size the caller has just asked for. */
FB_INLINE PyObject *item_at(PyObject *sequence, Py_ssize_t index)
{
#ifdef Py_GIL_DISABLED
    if (PyList_CheckExact(sequence)) {
        PyObject *item = PyList_GetItemRef(sequence, index);
        if (!item && PyErr_ExceptionMatches(PyExc_IndexError))
            PyErr_SetString(PyExc_RuntimeError, "a list became shorter while it was read");
        return item;
    }
#endif
    PyObject *item = PySequence_Fast_ITEMS(sequence)[index];
    Py_INCREF(item);
    return item;
}

/* A new reference to an object that a loop can read: the object itself, or without the GIL a tuple of the
 * items of a list. */
FB_INLINE PyObject *unchanging(PyObject *object)
{
#ifdef Py_GIL_DISABLED
    if (PyList_CheckExact(object)) return PyList_AsTuple(object);
#endif
    Py_INCREF(object);
    return object;
}

/* The same for a sequence of lists and for each of these lists. */
FB_INLINE PyObject *unchanging_lists(PyObject *object)
{
#ifdef Py_GIL_DISABLED
    if (PyList_CheckExact(object) || PyTuple_CheckExact(object)) {
        PyObject *items = PySequence_Tuple(object);
        PyObject *copies = items ? PyTuple_New(PyTuple_GET_SIZE(items)) : NULL;
        for (Py_ssize_t i = 0; copies && i < PyTuple_GET_SIZE(items); i++) {
            PyObject *item = unchanging(PyTuple_GET_ITEM(items, i));
            if (item) PyTuple_SET_ITEM(copies, i, item);
            else Py_CLEAR(copies);
        }
        Py_XDECREF(items);
        return copies;
    }
#endif
    Py_INCREF(object);
    return object;
}
