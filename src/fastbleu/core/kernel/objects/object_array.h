/* object_array.h: the items of a list, a tuple, or a numpy array of Python objects.
 *
 * Data. An array is exactly a numpy ndarray, and one of objects has one dimension. The start of its struct
 * is the same in all versions of numpy 1 and 2, so that compiling needs no header of numpy. Strides may have any
 * size, and a NULL pointer stands for None.
 *
 * Ownership. Items are new references. Thread-safety. The GIL is held. After user code has run, ask for
 * the number of items again, because lists and arrays may have been resized. Builds without a GIL read no items
 * of arrays here. Cost: a few operations an item.
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
        char kind, letter, byteorder;
    } *dtype;
} numpy_array;

/* Whether an object is a numpy array whose dtype has this kind, in native byte order. */
static inline int is_array_of(PyObject *object, char kind, int least_dimensions, int most_dimensions)
{
    const PyTypeObject *type = Py_TYPE(object);
    /* Another class may have this name, but its type is on the heap. */
    if (type->tp_flags & Py_TPFLAGS_HEAPTYPE || strcmp(type->tp_name, "numpy.ndarray") != 0) return 0;
    const numpy_array *array = (const numpy_array *)object;
    const char order = array->dtype->byteorder;
    return array->dtype->kind == kind && (order == '=' || order == '|')
           && least_dimensions <= array->dimensions && array->dimensions <= most_dimensions;
}

/* Whether `items_in`, `item_of` and `prefetch_texts` can read an object that is not a list or tuple. */
static inline int is_object_array(PyObject *object)
{
#ifdef Py_GIL_DISABLED
    (void)object;
    return 0;
#else
    return is_array_of(object, 'O', 1, 1);
#endif
}

FB_INLINE Py_ssize_t items_in(PyObject *sequence)
{
    if (FB_LIKELY(PyList_CheckExact(sequence))) return PyList_GET_SIZE(sequence);
    if (PyTuple_CheckExact(sequence)) return PyTuple_GET_SIZE(sequence);
    const numpy_array *array = (const numpy_array *)sequence;
    return array->dimensions == 1 ? array->sizes[0] : 0;      /* its shape may change, too */
}

/* The item, without a reference. */
FB_INLINE PyObject *borrowed_item(PyObject *sequence, Py_ssize_t index)
{
    if (FB_LIKELY(is_sequence(sequence))) return PySequence_Fast_ITEMS(sequence)[index];
    PyObject *object;
    const numpy_array *array = (const numpy_array *)sequence;
    memcpy(&object, array->data + index * array->steps[0], sizeof object);
    return object ? object : Py_None;
}

FB_INLINE PyObject *item_of(PyObject *sequence, Py_ssize_t index)
{
    if (FB_LIKELY(is_sequence(sequence))) return item_at(sequence, index);
    PyObject *object = borrowed_item(sequence, index);
    Py_INCREF(object);
    return object;
}

/* Prefetches texts that are read soon after segment `at`: those of segment at + 24, or its list of references; the
 * array of the list of at + 8; the first texts of the list of at + 4. */
FB_INLINE void prefetch_texts(PyObject *hypotheses, PyObject *references, Py_ssize_t at)
{
#ifdef Py_GIL_DISABLED
    (void)hypotheses, (void)references, (void)at;
#else
    if (at + 24 >= items_in(hypotheses) || at + 24 >= items_in(references)) return;
    prefetch_object(borrowed_item(hypotheses, at + 24));
    prefetch_object(borrowed_item(references, at + 24));
    /* Looking into later segments costs time; most have the shape of this one. */
    if (!is_sequence(borrowed_item(references, at))) return;
    PyObject *later = borrowed_item(references, at + 8), *next = borrowed_item(references, at + 4);
    if (is_sequence(later)) FB_PREFETCH(PySequence_Fast_ITEMS(later));
    if (!is_sequence(next)) return;
    const Py_ssize_t count = PySequence_Fast_GET_SIZE(next);
    for (Py_ssize_t k = 0; k < count && k < PREFETCHED_REFERENCES; k++) prefetch_item(next, k);
#endif
}
