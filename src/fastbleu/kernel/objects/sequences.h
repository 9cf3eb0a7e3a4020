/* sequences.h: reading exact lists and tuples that nobody else may change meanwhile.
 *
 * Under the GIL nobody does as long as no Python code runs, so that lists are read where they lie. Where
 * CPython has no GIL (Py_GIL_DISABLED) any thread may change a list at any time: there an item is taken
 * with the list's own lock, and what is read at length is a tuple that is made with it. A list that
 * changes is read as it was at one moment.
 */
#ifndef FASTBLEU_SEQUENCES_H
#define FASTBLEU_SEQUENCES_H

#include <Python.h>
#include "../simd/platform.h"

/* The item of an exact list or tuple, with a reference; the caller has just asked for its size. */
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

/* What can be read at length in place of any object, with a reference: the object itself, but for a
 * list where there is no GIL. */
FB_INLINE PyObject *unchanging(PyObject *object)
{
#ifdef Py_GIL_DISABLED
    if (PyList_CheckExact(object)) return PyList_AsTuple(object);
#endif
    Py_INCREF(object);
    return object;
}

/* The same for a sequence of lists: the items of it, too. */
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

#endif
