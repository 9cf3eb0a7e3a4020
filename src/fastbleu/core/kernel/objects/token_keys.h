/* token_keys.h: from a Python token to the 128-bit key that stands for it.
 *
 * Plain tokens are exact str, bytes and int objects: reading them runs no Python code, and their
 * equality is that of their content. Every other object (float, tuple, a subclass of str, ...) makes
 * the whole segment use Python's own hash() and ==, in _token_packer.pyx; so 1 == 1.0 == True stays true.
 *
 * A str is stored by CPython in characters of 1, 2 or 4 bytes, always the narrowest that fits, so that
 * equal strings have equal bytes. Reading their keys (content_keys.h) begins inside the object's header
 * and ends in the zero character after the content, so that it never leaves the object. An int
 * beyond 64 bits is hashed (large_integers.h), as its digits have nothing after them.
 */
#pragma once

#include <Python.h>
#include "../hashing/key_list.h"
#include "large_integers.h"

/* Key of a plain token; returns 0 if the token is not plain (no exception is set). `content` is only valid
 * while the token lives. */
FB_INLINE int plain_token_key(PyObject *token, hash_seed seed, token_key *key, token_content *content)
{
    unsigned kind;
    if (FB_LIKELY(PyUnicode_CheckExact(token))) {
        if (FB_UNLIKELY(!PyUnicode_IS_COMPACT(token))) return 0;    /* a legacy string of Python <= 3.11 */
        kind = (unsigned)PyUnicode_KIND(token);
        content->bytes = (const unsigned char *)PyUnicode_DATA(token);
        content->size = (size_t)PyUnicode_GET_LENGTH(token) * kind;
    } else if (PyLong_CheckExact(token)) {
        int overflow;
        key->low = (uint64_t)PyLong_AsLongLongAndOverflow(token, &overflow);
        key->high = (uint64_t)(KIND_INTEGER << 4) << 56;
        if (FB_LIKELY(!overflow)) return 1;
        kind = large_integer(token, content);
        *key = hashed_key(content->bytes, content->size, kind, seed);
        return 1;
    } else if (PyBytes_CheckExact(token)) {
        kind = KIND_BYTES;
        content->bytes = (const unsigned char *)PyBytes_AS_STRING(token);
        content->size = (size_t)PyBytes_GET_SIZE(token);
    } else {
        return 0;
    }
    *key = content_key(*content, kind, seed);
    return 1;
}

/* Far enough ahead for a cache miss to be under way, near enough for the line to stay. */
#define PREFETCH_DISTANCE 8

FB_INLINE void prefetch_token(PyObject *const *tokens, Py_ssize_t at, Py_ssize_t length)
{
    if (at + PREFETCH_DISTANCE < length) FB_PREFETCH((const char *)tokens[at + PREFETCH_DISTANCE] + 32);
}

/* Keys of the tokens of a list or tuple; returns 0 at the first token that is not plain, or if there are
 * too many. Callers prefetch the tokens (prefetch.h). */
static inline int list_plain_keys(key_list *keys, PyObject *sequence, hash_seed seed)
{
    PyObject *const *tokens = PySequence_Fast_ITEMS(sequence);
    const Py_ssize_t length = PySequence_Fast_GET_SIZE(sequence);
    token_key key;
    token_content content = {NULL, 0};
    clear_keys(keys);
    if (length > LISTED_TOKENS) return 0;
    for (Py_ssize_t i = 0; i < length; i++) {
        if (FB_UNLIKELY(!plain_token_key(tokens[i], seed, &key, &content))) return 0;
        set_key(keys, (int)i, key, content);
    }
    keys->length = (int)length;
    return 1;
}

/* Ids of a hypothesis; returns 0 at the first token that is not plain. */
static inline int intern_hypothesis(interner *table, PyObject *const *tokens, Py_ssize_t length, int32_t *ids)
{
    token_key key;
    token_content content = {NULL, 0};
    for (Py_ssize_t i = 0; i < length; i++) {
        prefetch_token(tokens, i, length);
        if (FB_UNLIKELY(!plain_token_key(tokens[i], table->seed, &key, &content))) return 0;
        ids[i] = interner_add(table, key, content);
    }
    return 1;
}

/* Ids of a reference; a token that the hypothesis lacks gets the id `table->count`. */
static inline int find_reference(const interner *table, PyObject *const *tokens, Py_ssize_t length,
                                 int32_t *ids)
{
    token_key key;
    token_content content = {NULL, 0};
    const int32_t absent = table->count;
    for (Py_ssize_t i = 0; i < length; i++) {
        prefetch_token(tokens, i, length);
        if (FB_UNLIKELY(!plain_token_key(tokens[i], table->seed, &key, &content))) return 0;
        ids[i] = interner_find(table, key, content, absent);
    }
    return 1;
}
