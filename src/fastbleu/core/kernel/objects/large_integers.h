/* large_integers.h: int objects beyond 64 bits as content, which is the digits that CPython stores.
 *
 * Python's own hash of an int is its remainder by 2**61 - 1, with no seed: anyone can make many multiples of
 * that number, and a dict of these takes quadratic time. So large integers go to the interner like every plain
 * token, with its keyed hash.
 *
 * Equal ints have equal digits, of 4 bytes (2 in obsolete builds) from the lowest on;
 * the kind says the sign. Digits follow the object's header, and a hash of fewer than 16 bytes of
 * them includes the end of the header: the number of digits, which equal ints share as well.
 */
#pragma once

#include <Python.h>
#include "../hashing/content_keys.h"

/* The digits of an int that does not fit into 64 bits, and its kind. */
static inline unsigned large_integer(PyObject *token, token_content *content)
{
    const PyLongObject *integer = (const PyLongObject *)token;
#if PY_VERSION_HEX >= 0x030C0000
    const int negative = (integer->long_value.lv_tag & 3) == 2;
    content->bytes = (const unsigned char *)integer->long_value.ob_digit;
    content->size = (size_t)(integer->long_value.lv_tag >> 3) * sizeof(digit);
#else
    const Py_ssize_t size = Py_SIZE(integer);
    const int negative = size < 0;
    content->bytes = (const unsigned char *)integer->ob_digit;
    content->size = (size_t)(negative ? -size : size) * sizeof(digit);
#endif
    return negative ? KIND_LARGE_NEGATIVE : KIND_LARGE_INTEGER;
}

/* The int that has these digits; NULL with an exception set if out of memory. */
static inline PyObject *integer_of_digits(const unsigned char *bytes, size_t size, unsigned kind)
{
    const Py_ssize_t count = (Py_ssize_t)(size / sizeof(digit));
    PyLongObject *integer = _PyLong_New(count);
    if (!integer) return NULL;
#if PY_VERSION_HEX >= 0x030C0000
    memcpy(integer->long_value.ob_digit, bytes, size);
    if (kind == KIND_LARGE_NEGATIVE) integer->long_value.lv_tag |= 2;
#else
    memcpy(integer->ob_digit, bytes, size);
    if (kind == KIND_LARGE_NEGATIVE) Py_SET_SIZE(integer, -count);
#endif
    return (PyObject *)integer;
}
