/* string_array.h: the strings of a numpy array of StringDType.
 *
 * Data. numpy keeps such strings packed, and an allocator that belongs to the dtype unpacks them. Its C
 * functions are found in the table that numpy exports to compiled modules, at the indices in
 * numpy/__multiarray_api.h of 2.0, which hold for all of 2.x. So compiling needs no header of numpy.
 *
 * Ownership. Unpacked strings belong to numpy and may move once the allocator is released. Thread-safety. An
 * allocator is a lock: a thread that holds it must not wait for the GIL, which others may hold while they wait
 * for the allocator. Cost: a few operations a string.
 */
#pragma once

#include "../text/utf8.h"
#include "object_array.h"

typedef struct {
    size_t size;
    const char *bytes;
} numpy_string;

typedef struct {
    unsigned (*version)(void);
    int (*load)(void *allocator, const void *packed, numpy_string *string);      /* 1: missing, -1: fault */
    void *(*acquire)(const void *dtype);
    void (*release)(void *allocator);
} numpy_strings;

#define NUMPY_2 0x02000000u

/* Finds the functions in numpy's table; returns whether they are there. */
static inline int find_numpy_strings(void **table, numpy_strings *functions)
{
    memcpy(&functions->version, table + 0, sizeof(void *));
    if (functions->version() != NUMPY_2) return 0;
    memcpy(&functions->load, table + 313, sizeof(void *));
    memcpy(&functions->acquire, table + 316, sizeof(void *));
    memcpy(&functions->release, table + 318, sizeof(void *));
    return 1;
}

/* Where the data of an ndarray begins. Its attributes also tell this, but numpy crashes if it cannot allocate
 * their values. */
static inline const char *array_data(const PyObject *array)
{
    return ((const numpy_array *)array)->data;
}

/* Read a string; its bytes are NULL if it is missing. Returns 0, or -1 on a fault. */
FB_INLINE int load_string(const numpy_strings *functions, void *allocator, const void *packed,
                          utf8_line *line)
{
    numpy_string string = {0, NULL};
    const int state = functions->load(allocator, packed, &string);
    line->bytes = state == 1 ? NULL : string.size ? (const uint8_t *)string.bytes : (const uint8_t *)"";
    line->size = state == 1 ? 0 : string.size;
    return state < 0 ? -1 : 0;
}
