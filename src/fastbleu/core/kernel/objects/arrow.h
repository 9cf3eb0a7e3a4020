/* arrow.h: the Arrow C data interface, and reading the rows of a column.
 *
 * Data. The three structs are those of the Arrow specification. A column is described once by an
 * arrow_column: up to two levels of lists around strings (utf8, large_utf8, utf8_view, or any of these
 * behind a dictionary) or around integers. read_texts and ids_at point to strings, or to an innermost list of
 * integers, in place.
 *
 * Trust. The interface does not give sizes of buffers. Trusted: the buffers are as long as an array's
 * length and offset need, and the bytes and numbers that offsets span exist. Checked, each number read
 * once: lengths and offsets are not negative, offsets do not decrease or exceed the last one, lists and
 * dictionary indices stay inside their child, and views inside the sizes that come with their buffers. So
 * a producer's errors are refused, or give meaningless results from the bytes that its offsets span.
 *
 * Ownership. Rows point into the array, which the caller keeps alive. Stateless functions; any thread
 * may call them on arrays that nobody changes. Cost: a few operations a row.
 */
#pragma once

#include "../text/utf8.h"
#include "id_rows.h"

#ifndef ARROW_C_DATA_INTERFACE
#  define ARROW_C_DATA_INTERFACE

struct ArrowSchema {
    const char *format, *name, *metadata;
    int64_t flags, n_children;
    struct ArrowSchema **children, *dictionary;
    void (*release)(struct ArrowSchema *);
    void *private_data;
};

struct ArrowArray {
    int64_t length, null_count, offset, n_buffers, n_children;
    const void **buffers;
    struct ArrowArray **children, *dictionary;
    void (*release)(struct ArrowArray *);
    void *private_data;
};

#endif
#ifndef ARROW_C_STREAM_INTERFACE
#  define ARROW_C_STREAM_INTERFACE

struct ArrowArrayStream {
    int (*get_schema)(struct ArrowArrayStream *, struct ArrowSchema *out);
    int (*get_next)(struct ArrowArrayStream *, struct ArrowArray *out);
    const char *(*get_last_error)(struct ArrowArrayStream *);
    void (*release)(struct ArrowArrayStream *);
    void *private_data;
};

#endif

typedef enum { ARROW_TEXT, ARROW_LARGE_TEXT, ARROW_TEXT_VIEW, ARROW_IDS } arrow_leaf;
typedef enum { ARROW_LIST, ARROW_LARGE_LIST, ARROW_FIXED_LIST } arrow_list;

#define ARROW_LEVELS 2

/* A column's type. */
typedef struct {
    int in_struct;                    /* the only field of a struct, as tables of one column are */
    int levels;                       /* of lists around the leaf */
    arrow_list lists[ARROW_LEVELS];
    int64_t widths[ARROW_LEVELS];     /* of fixed-size lists */
    int has_dictionary;
    arrow_leaf leaf;
    id_kind kind;                     /* of the leaf's integers, or of a dictionary's indices */
} arrow_column;

/* Faults of a column. */
typedef enum {
    ARROW_GOOD = 0,
    ARROW_STRUCTURE,      /* lengths, children or buffers that do not fit the type */
    ARROW_OFFSETS,        /* offsets that decrease, or beyond a child */
    ARROW_INDEX,          /* a dictionary index beyond the dictionary */
    ARROW_VIEW,           /* a view beyond its buffer */
    ARROW_NULL_ID,        /* a null inside of a list of integers */
    ARROW_LARGE_ID        /* an integer beyond int64 */
} arrow_fault;

/* No array is longer, so that sums of lengths do not overflow. */
#define ARROW_LONGEST ((int64_t)1 << 60)

FB_INLINE int has_validity(const struct ArrowArray *array)
{
    return array->buffers[0] != NULL;
}

FB_INLINE int is_null(const struct ArrowArray *array, int64_t at)
{
    const uint8_t *valid = (const uint8_t *)array->buffers[0];
    return valid && !(valid[at >> 3] >> (at & 7) & 1);
}

static inline int64_t kind_size(id_kind kind)
{
    static const int64_t sizes[] = {1, 2, 4, 8, 1, 2, 4, 8};
    return sizes[kind];
}

FB_INLINE int64_t offset_at(const void *offsets, int64_t at, int is_large)
{
    if (is_large) {
        int64_t large;
        memcpy(&large, (const char *)offsets + 8 * at, 8);
        return large;
    }
    int32_t small;
    memcpy(&small, (const char *)offsets + 4 * at, 4);
    return small;
}

/* Whether an array's sizes are possible, and it has these numbers of buffers (not NULL) and children. */
static inline int has_shape(const struct ArrowArray *array, int64_t buffers, int64_t children)
{
    if (!array || array->length < 0 || array->offset < 0 || array->length > ARROW_LONGEST
        || array->offset > ARROW_LONGEST || array->n_buffers < buffers || array->n_children != children)
        return 0;
    if (!array->buffers || (children && (!array->children || !array->children[0]))) return 0;
    return array->length == 0 || buffers < 2 || array->buffers[1] != NULL;
}

/* The array of a column's first level, or NULL if an array is not of the column's type. */
static inline const struct ArrowArray *outer_array(const arrow_column *column, const struct ArrowArray *array)
{
    if (column->in_struct) {
        if (!has_shape(array, 1, 1)) return NULL;
        /* A slice of a struct is a slice of its child. */
        if (array->children[0]->length < array->offset + array->length) return NULL;
        array = array->children[0];
    }
    const struct ArrowArray *inner = array;
    for (int level = 0; level < column->levels; level++) {
        if (!has_shape(inner, column->lists[level] == ARROW_FIXED_LIST ? 1 : 2, 1)) return NULL;
        inner = inner->children[0];
    }
    if (column->has_dictionary) {
        if (!has_shape(inner, 2, 0)) return NULL;
        inner = inner->dictionary;
    }
    return has_shape(inner, column->leaf == ARROW_IDS ? 2 : 3, 0) ? array : NULL;
}

/* The elements [*start, *end) of the child that a list consists of. */
FB_INLINE arrow_fault list_span(const arrow_column *column, int level, const struct ArrowArray *lists,
                                int64_t at, int64_t *start, int64_t *end)
{
    if (column->lists[level] == ARROW_FIXED_LIST) {
        const int64_t width = column->widths[level];
        if (width && at > ARROW_LONGEST / width - 1) return ARROW_OFFSETS;
        *start = at * width;
        *end = *start + width;
    } else {
        const int is_large = column->lists[level] == ARROW_LARGE_LIST;
        *start = offset_at(lists->buffers[1], at, is_large);
        *end = offset_at(lists->buffers[1], at + 1, is_large);
    }
    return *start < 0 || *end < *start || *end > lists->children[0]->length ? ARROW_OFFSETS : ARROW_GOOD;
}

FB_INLINE int64_t integer_at(const void *numbers, id_kind kind, int64_t at)
{
    id_row row = {(const char *)numbers + at * kind_size(kind), 1, kind_size(kind), kind, NULL, 0, kind};
    int64_t number;
    widen_row(&row, &number);
    return number;
}

/* The string at a position of an array of strings. */
FB_INLINE arrow_fault string_at(const struct ArrowArray *array, arrow_leaf leaf, int64_t at, utf8_line *line)
{
    if (leaf == ARROW_TEXT_VIEW) {
        const uint8_t *view = (const uint8_t *)array->buffers[1] + 16 * at;
        int32_t size, buffer, start;
        memcpy(&size, view, 4);
        if (size < 0) return ARROW_VIEW;
        line->size = (size_t)size;
        line->bytes = view + 4;
        if (size <= 12) return ARROW_GOOD;
        memcpy(&buffer, view + 8, 4);
        memcpy(&start, view + 12, 4);
        /* The validity and the views are followed by the data buffers and a buffer with their sizes. */
        if (buffer < 0 || start < 0 || buffer >= array->n_buffers - 3) return ARROW_VIEW;
        const uint8_t *bytes = (const uint8_t *)array->buffers[2 + buffer];
        const void *sizes = array->buffers[array->n_buffers - 1];
        if (!bytes || !sizes || offset_at(sizes, buffer, 1) < (int64_t)start + size) return ARROW_VIEW;
        line->bytes = bytes + start;
        return ARROW_GOOD;
    }
    const int is_large = leaf == ARROW_LARGE_TEXT;
    const int64_t start = offset_at(array->buffers[1], at, is_large);
    const int64_t end = offset_at(array->buffers[1], at + 1, is_large);
    /* Not only the next start, because strings behind nulls or a dictionary are read in any order. */
    const int64_t last = offset_at(array->buffers[1], array->offset + array->length, is_large);
    if (start < 0 || end < start || end > last) return ARROW_OFFSETS;
    line->size = (size_t)(end - start);
    line->bytes = (const uint8_t *)"";      /* without text there may be no buffer */
    if (start == end) return ARROW_GOOD;
    if (!array->buffers[2]) return ARROW_STRUCTURE;
    line->bytes = (const uint8_t *)array->buffers[2] + start;
    return ARROW_GOOD;
}

/* The string of an element of a column's leaf, also behind a dictionary; NULL bytes if it is null. */
FB_INLINE arrow_fault text_at(const arrow_column *column, const struct ArrowArray *leaf, int64_t at,
                              utf8_line *line)
{
    line->bytes = NULL;
    line->size = 0;
    at += leaf->offset;
    if (is_null(leaf, at)) return ARROW_GOOD;
    if (column->has_dictionary) {
        const int64_t index = integer_at(leaf->buffers[1], column->kind, at);
        leaf = leaf->dictionary;
        if (index < 0 || index >= leaf->length) return ARROW_INDEX;
        at = index + leaf->offset;
        if (is_null(leaf, at)) return ARROW_GOOD;
    }
    return string_at(leaf, column->leaf, at, line);
}

/* Points to `count` strings of a column's leaf from element `start` on, whose sizes are added to *size.
 * Returns how many are valid; if fewer than `count`, *fault says what is wrong with the next one. *nulls counts
 * null strings. */
FB_INLINE int64_t read_run(const arrow_column *column, const struct ArrowArray *leaf, const arrow_leaf kind,
                           int64_t start, int64_t count, utf8_line *lines, size_t *size, int64_t *nulls,
                           arrow_fault *fault)
{
    const void *valid = leaf->buffers[0];
    for (int64_t i = 0; i < count; i++) {
        if (valid || column->has_dictionary) *fault = text_at(column, leaf, start + i, &lines[i]);
        else *fault = string_at(leaf, kind, start + i + leaf->offset, &lines[i]);
        if (FB_UNLIKELY(*fault != ARROW_GOOD)) return i;
        *nulls += lines[i].bytes == NULL;
        *size += lines[i].size;
    }
    return count;
}

static inline int64_t read_texts(const arrow_column *column, const struct ArrowArray *leaf, int64_t start,
                                 int64_t count, utf8_line *lines, size_t *size, int64_t *nulls,
                                 arrow_fault *fault)
{
    /* One loop for each type. */
    if (column->leaf == ARROW_TEXT)
        return read_run(column, leaf, ARROW_TEXT, start, count, lines, size, nulls, fault);
    if (column->leaf == ARROW_LARGE_TEXT)
        return read_run(column, leaf, ARROW_LARGE_TEXT, start, count, lines, size, nulls, fault);
    return read_run(column, leaf, ARROW_TEXT_VIEW, start, count, lines, size, nulls, fault);
}

/* The integers [start, end) of a column's leaf. */
static inline arrow_fault ids_at(const arrow_column *column, const struct ArrowArray *leaf, int64_t start,
                                 int64_t end, id_row *row)
{
    const int64_t size = kind_size(column->kind);
    const id_row found = {(const char *)leaf->buffers[1] + (start + leaf->offset) * size,
                          end - start,
                          size,
                          column->kind,
                          NULL,
                          0,
                          0};
    *row = found;
    if (start == end) {
        row->ids = "";      /* never read */
        return ARROW_GOOD;
    }
    if (leaf->null_count != 0)
        for (int64_t at = start; at < end; at++)
            if (is_null(leaf, at + leaf->offset)) return ARROW_NULL_ID;
    if (column->kind == ID_UINT64)
        for (int64_t at = start; at < end; at++)
            if (integer_at(leaf->buffers[1], ID_UINT64, at + leaf->offset) < 0) return ARROW_LARGE_ID;
    return ARROW_GOOD;
}
