/* token_keys.h: from a Python token to the 128-bit key that the interner compares.
 *
 * Plain tokens are exact str, bytes and int objects: reading them runs no Python code, and their
 * equality is that of their content. Every other object (float, tuple, a subclass of str, ...) makes
 * the whole segment take Python's own hash() and ==, in _tokens.pyx; so 1 == 1.0 == True stays true.
 *
 * A str is stored by CPython in units of 1, 2 or 4 bytes, always the narrowest that fits, so that
 * equal strings have equal bytes. Content of up to 15 bytes is its own key; byte 15 holds the unit and
 * the size. It is read with two loads that end one byte behind the content (every str and bytes ends
 * in a zero unit) and begin inside the object's header, whose bytes are then masked away: the loads
 * never leave the object, whatever its size. Longer content is hashed, seeded per process.
 */
#ifndef FASTBLEU_TOKEN_KEYS_H
#define FASTBLEU_TOKEN_KEYS_H

#include <Python.h>
#include "interner.h"

#define INLINE_BYTES 15

/* High byte of a key: 0x10, 0x20, 0x40 + size for a str by unit; 0x30 + size for bytes; 0x70 for an
 * int; with the top bit set for content that is hashed. */
#define UNIT_BYTES_OBJECT 3u
#define UNIT_INTEGER 7u

/* Which bytes of the two words are content, by its size: it ends one byte before the second word's end. */
static const uint64_t LOW_CONTENT[INLINE_BYTES + 1] = {
    0, 0, 0, 0, 0, 0, 0, 0,
    0xFF00000000000000u, 0xFFFF000000000000u, 0xFFFFFF0000000000u, 0xFFFFFFFF00000000u,
    0xFFFFFFFFFF000000u, 0xFFFFFFFFFFFF0000u, 0xFFFFFFFFFFFFFF00u, 0xFFFFFFFFFFFFFFFFu,
};
static const uint64_t HIGH_CONTENT[INLINE_BYTES + 1] = {
    0,
    0x00FF000000000000u, 0x00FFFF0000000000u, 0x00FFFFFF00000000u, 0x00FFFFFFFF000000u,
    0x00FFFFFFFFFF0000u, 0x00FFFFFFFFFFFF00u, 0x00FFFFFFFFFFFFFFu, 0x00FFFFFFFFFFFFFFu,
    0x00FFFFFFFFFFFFFFu, 0x00FFFFFFFFFFFFFFu, 0x00FFFFFFFFFFFFFFu, 0x00FFFFFFFFFFFFFFu,
    0x00FFFFFFFFFFFFFFu, 0x00FFFFFFFFFFFFFFu, 0x00FFFFFFFFFFFFFFu,
};

/* Content that lies at least 15 bytes inside its allocation and has a byte to read behind it. */
FB_INLINE token_key inline_key(const unsigned char *bytes, size_t size, unsigned unit)
{
    const unsigned char *end = bytes + size + 1;
    token_key key;
    key.low = load64(end - 16) & LOW_CONTENT[size];
    key.high = (load64(end - 8) & HIGH_CONTENT[size]) | (uint64_t)(unit << 4 | size) << 56;
    return key;
}

#ifdef FASTBLEU_CANARY
#  define PLANTED 8      /* `make sanitize` builds this fault in and must then fail */
#else
#  define PLANTED 0
#endif

static token_key hashed_key(const unsigned char *bytes, size_t size, unsigned unit, hash_seed seed)
{
    uint64_t a = seed.first ^ size, b = seed.second ^ unit;
    size_t at = 0;
    for (; at + 16 <= size; at += 16) {
        a = multiply_fold(a ^ load64(bytes + at), 0x9E3779B97F4A7C15u ^ seed.second);
        b = multiply_fold(b ^ load64(bytes + at + 8), 0xC2B2AE3D27D4EB4Fu ^ seed.first);
    }
    /* the last 16 bytes again, overlapping: size > INLINE_BYTES, so they are all content */
    a = multiply_fold(a ^ load64(bytes + size - 16), 0x9E3779B97F4A7C15u ^ seed.second);
    b = multiply_fold(b ^ load64(bytes + size - 8 + PLANTED), 0xC2B2AE3D27D4EB4Fu ^ seed.first);
    token_key key;
    key.low = a ^ b;
    key.high = (b & 0x00FFFFFFFFFFFFFFu) | (uint64_t)(0x80u | unit << 4) << 56;
    return key;
}

/* Key of a plain token; 0 where the token is not plain (no exception is set). `content` is only valid
 * while the token lives. */
FB_INLINE int plain_token_key(PyObject *token, hash_seed seed, token_key *key, token_content *content)
{
    unsigned unit;
    if (FB_LIKELY(PyUnicode_CheckExact(token))) {
        if (FB_UNLIKELY(!PyUnicode_IS_COMPACT(token))) return 0;    /* a legacy string of Python <= 3.11 */
        unit = (unsigned)PyUnicode_KIND(token);
        content->bytes = (const unsigned char *)PyUnicode_DATA(token);
        content->size = (size_t)PyUnicode_GET_LENGTH(token) * unit;
    } else if (PyLong_CheckExact(token)) {
        int overflow;
        key->low = (uint64_t)PyLong_AsLongLongAndOverflow(token, &overflow);
        key->high = (uint64_t)(UNIT_INTEGER << 4) << 56;
        return !overflow;
    } else if (PyBytes_CheckExact(token)) {
        unit = UNIT_BYTES_OBJECT;
        content->bytes = (const unsigned char *)PyBytes_AS_STRING(token);
        content->size = (size_t)PyBytes_GET_SIZE(token);
    } else {
        return 0;
    }
    *key = content->size <= INLINE_BYTES ? inline_key(content->bytes, content->size, unit)
                                         : hashed_key(content->bytes, content->size, unit, seed);
    return 1;
}

/* Far enough ahead for a cache miss to be under way, near enough for the line to stay. */
#define PREFETCH_DISTANCE 8

FB_INLINE void prefetch_token(PyObject *const *tokens, Py_ssize_t at, Py_ssize_t length)
{
    if (at + PREFETCH_DISTANCE < length) FB_PREFETCH((const char *)tokens[at + PREFETCH_DISTANCE] + 32);
}

/* The tokens that prefetch_token comes too late for: those at the start of a sequence. */
FB_INLINE void prefetch_first_tokens(PyObject *const *tokens, Py_ssize_t length)
{
    for (Py_ssize_t i = 0; i < length && i < PREFETCH_DISTANCE; i++)
        FB_PREFETCH((const char *)tokens[i] + 32);
}

/* Ids of a hypothesis; returns 0 at the first token that is not plain. */
static int intern_hypothesis(interner *table, PyObject *const *tokens, Py_ssize_t length, int32_t *ids)
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
static int find_reference(const interner *table, PyObject *const *tokens, Py_ssize_t length, int32_t *ids)
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

#endif
