/* prefetch.h: fetches the memory of the next segments before it is needed.
 *
 * A corpus of token lists is a tree of small objects all over the heap: list of references, reference,
 * its array of pointers, token. Reading one segment after the other waits for memory at every level. Here
 * the root of segment i + 6 is fetched while segment i is being read, i + 4 one level deeper, and so
 * on, down to the tokens of segment i + 1. Only exact lists and tuples are looked into; nothing is written,
 * and no result depends on it. The GIL is held, so nothing changes meanwhile; without the GIL, nothing is
 * done for lists of segments.
 */
#pragma once

#include <Python.h>
#include "../simd/platform.h"

FB_INLINE int is_sequence(PyObject *object)
{
    return PyList_CheckExact(object) || PyTuple_CheckExact(object);
}

/* The first reference of a segment, or NULL. */
FB_INLINE PyObject *first_reference(PyObject *references)
{
    if (!is_sequence(references) || PySequence_Fast_GET_SIZE(references) == 0) return NULL;
    PyObject *first = PySequence_Fast_ITEMS(references)[0];
    return is_sequence(first) ? first : NULL;
}

/* More would leave the L1 cache before they are read; the interner looks ahead by itself. */
#define PREFETCHED_REFERENCES 8
#define PREFETCHED_TOKENS 512

/* All tokens of a list or tuple. The header of a str often lies in two cache lines. */
FB_INLINE void prefetch_tokens(PyObject *sequence)
{
    if (!is_sequence(sequence)) return;
    PyObject *const *tokens = PySequence_Fast_ITEMS(sequence);
    const Py_ssize_t length = PySequence_Fast_GET_SIZE(sequence);
    for (Py_ssize_t i = 0; i < length && i < PREFETCHED_TOKENS; i++) {
        FB_PREFETCH((const char *)tokens[i] + 8);
        FB_PREFETCH((const char *)tokens[i] + 32);
    }
}

/* The tokens of a segment, or of a sentence given as both arguments. No other thread changes the lists meanwhile. */
FB_INLINE void prefetch_segment(PyObject *hypothesis, PyObject *references)
{
    prefetch_tokens(hypothesis);
    if (references == hypothesis || !is_sequence(references)) return;
    PyObject *const *sequences = PySequence_Fast_ITEMS(references);
    const Py_ssize_t count = PySequence_Fast_GET_SIZE(references);
    for (Py_ssize_t k = 0; k < count && k < PREFETCHED_REFERENCES; k++) prefetch_tokens(sequences[k]);
}

FB_INLINE void prefetch_segments(PyObject **hypotheses, PyObject **references, Py_ssize_t at,
                                 Py_ssize_t segments)
{
#ifdef Py_GIL_DISABLED
    (void)first_reference, (void)hypotheses, (void)references, (void)at, (void)segments;
#else
    if (at + 6 >= segments) return;
    FB_PREFETCH((const char *)hypotheses[at + 6] + 8);
    FB_PREFETCH((const char *)references[at + 6] + 8);
    if (is_sequence(hypotheses[at + 4])) FB_PREFETCH(PySequence_Fast_ITEMS(hypotheses[at + 4]));
    if (is_sequence(references[at + 4])) FB_PREFETCH(PySequence_Fast_ITEMS(references[at + 4]));
    if (is_sequence(references[at + 3]) && PySequence_Fast_GET_SIZE(references[at + 3]) > 0)
        FB_PREFETCH((const char *)PySequence_Fast_ITEMS(references[at + 3])[0] + 8);
    PyObject *first = first_reference(references[at + 2]);
    if (first) FB_PREFETCH(PySequence_Fast_ITEMS(first));
    prefetch_segment(hypotheses[at + 1], references[at + 1]);
#endif
}

/* A str: both of the cache lines that its header may lie in. */
FB_INLINE void prefetch_object(const PyObject *object)
{
    FB_PREFETCH((const char *)object);
    FB_PREFETCH((const char *)object + 48);
}

/* One item of a list or tuple. */
FB_INLINE void prefetch_item(PyObject *sequence, Py_ssize_t at)
{
#ifdef Py_GIL_DISABLED
    (void)sequence, (void)at;
#else
    prefetch_object(PySequence_Fast_ITEMS(sequence)[at]);
#endif
}
