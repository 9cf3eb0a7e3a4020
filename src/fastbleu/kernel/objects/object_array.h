/* object_array.h: the items of a list, of a tuple, or of an array of numpy's that holds Python's objects.
 *
 * Data. An array is exactly numpy's ndarray, of one dimension and of the dtype object. The start of its struct
 * is the same in all of numpy 1 and 2, so that no header of numpy is needed to compile. Steps may be of any
 * size, and a place without an object holds None.
 *
 * Ownership. An item comes with a reference. Thread-safety. The GIL is held. After user code has run, ask for
 * the number of items again, because lists and arrays may have been resized. Builds without a GIL read no array
 * here. Cost: a few operations an item.
 */
#pragma once

#include <string.h>
#include "prefetch.h"
#include "sequences.h"

typedef struct {
    PyObject_HEAD const char *data;
    int dimensions;
    const Py_ssize_t *sizes, *steps;
    PyObject *base;
    const struct {
        PyObject_HEAD PyTypeObject *type;
        char kind;
    } *dtype;
} numpy_array;

/* Whether `items_in`, `item_of` and `prefetch_item_of` read an object that is no list or tuple. */
static inline int is_object_array(PyObject *object)
{
#ifdef Py_GIL_DISABLED
    (void)object;
    return 0;
#else
    const PyTypeObject *type = Py_TYPE(object);
    /* A class may have any name, but its type is on the heap. */
    if (type->tp_flags & Py_TPFLAGS_HEAPTYPE || strcmp(type->tp_name, "numpy.ndarray") != 0) return 0;
    const numpy_array *array = (const numpy_array *)object;
    return array->dimensions == 1 && array->dtype->kind == 'O';
#endif
}

FB_INLINE Py_ssize_t items_in(PyObject *sequence)
{
    if (FB_LIKELY(PyList_CheckExact(sequence))) return PyList_GET_SIZE(sequence);
    if (PyTuple_CheckExact(sequence)) return PyTuple_GET_SIZE(sequence);
    const numpy_array *array = (const numpy_array *)sequence;
    return array->dimensions == 1 ? array->sizes[0] : 0;      /* its shape may change, too */
}

FB_INLINE PyObject *object_in(PyObject *array, Py_ssize_t index)
{
    PyObject *object;
    const numpy_array *fields = (const numpy_array *)array;
    memcpy(&object, fields->data + index * fields->steps[0], sizeof object);
    return object ? object : Py_None;
}

FB_INLINE PyObject *item_of(PyObject *sequence, Py_ssize_t index)
{
    if (FB_LIKELY(is_sequence(sequence))) return item_at(sequence, index);
    PyObject *object = object_in(sequence, index);
    Py_INCREF(object);
    return object;
}

FB_INLINE void prefetch_item_of(PyObject *sequence, Py_ssize_t at)
{
    if (FB_LIKELY(is_sequence(sequence))) prefetch_item(sequence, at);
    else prefetch_object(object_in(sequence, at));
}
