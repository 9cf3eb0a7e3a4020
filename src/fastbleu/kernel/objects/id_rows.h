/* id_rows.h: rows of token ids, of any integer type and stride, to the ids that count.
 *
 * Data. An id_row points into memory that it does not own: `length` integers of `kind`, `stride` bytes
 * apart, which need not be aligned; `mask`, if not NULL, points to as many integers of 1, 2, 4 or 8
 * bytes, of which 0 means that the id does not count.
 *
 * read_ids copies the ids that count, as int64, a part of a row at a time. Every id is read once: if another
 * thread writes to the memory the result is unspecified, but no unchecked id is used.
 *
 * Leaves without state; any thread may call them. Cost: a few steps per id, vectorised by the compiler.
 */
#ifndef FASTBLEU_ID_ROWS_H
#define FASTBLEU_ID_ROWS_H

#include "../simd/platform.h"

typedef enum { ID_INT8, ID_INT16, ID_INT32, ID_INT64, ID_UINT8, ID_UINT16, ID_UINT32, ID_UINT64 } id_kind;

typedef struct {
    const char *ids;
    ptrdiff_t length, stride;
    id_kind kind;
    const char *mask;
    ptrdiff_t mask_stride;
    int mask_size;
} id_row;

typedef struct {
    const int64_t *dropped;       /* ids to leave out, in ascending order */
    const uint8_t *is_padding;    /* by their place: whether it is padding */
    ptrdiff_t dropped_count;
    const int64_t *stops;
    ptrdiff_t stop_count;
} id_filter;

#define FB_WIDEN(type)                                                         \
    if (row->stride == (ptrdiff_t)sizeof(type)) {                              \
        for (ptrdiff_t i = 0; i < row->length; i++) {                          \
            type id;                                                           \
            memcpy(&id, row->ids + i * (ptrdiff_t)sizeof(type), sizeof(type)); \
            out[i] = (int64_t)id;                                              \
        }                                                                      \
    } else {                                                                   \
        for (ptrdiff_t i = 0; i < row->length; i++) {                          \
            type id;                                                           \
            memcpy(&id, row->ids + i * row->stride, sizeof(type));             \
            out[i] = (int64_t)id;                                              \
        }                                                                      \
    }                                                                          \
    break

static void widen_row(const id_row *row, int64_t *out)
{
    switch (row->kind) {
        case ID_INT8: FB_WIDEN(int8_t);
        case ID_INT16: FB_WIDEN(int16_t);
        case ID_INT32: FB_WIDEN(int32_t);
        case ID_INT64: FB_WIDEN(int64_t);
        case ID_UINT8: FB_WIDEN(uint8_t);
        case ID_UINT16: FB_WIDEN(uint16_t);
        case ID_UINT32: FB_WIDEN(uint32_t);
        case ID_UINT64: FB_WIDEN(uint64_t);
    }
}

FB_INLINE int is_masked(const id_row *row, ptrdiff_t i)
{
    static const char zeros[8];
    return row->mask && !memcmp(row->mask + i * row->mask_stride, zeros, (size_t)row->mask_size);
}

/* The place of an id among those to leave out, or -1. */
FB_INLINE ptrdiff_t find_dropped(const id_filter *filter, int64_t id)
{
    ptrdiff_t low = 0, high = filter->dropped_count;
    if (!high) return -1;
    /* Special ids lie at the end of a vocabulary, so that this decides nearly always. */
    if (FB_LIKELY(id < filter->dropped[0] || id > filter->dropped[high - 1])) return -1;
    while (high - low > 1) {
        ptrdiff_t middle = low + (high - low) / 2;
        if (filter->dropped[middle] <= id) low = middle;
        else high = middle;
    }
    return filter->dropped[low] == id ? low : -1;
}

FB_INLINE int is_padding_id(const id_filter *filter, int64_t id)
{
    ptrdiff_t place = find_dropped(filter, id);
    return place >= 0 && filter->is_padding[place];
}

FB_INLINE int is_stop(const id_filter *filter, int64_t id)
{
    for (ptrdiff_t k = 0; k < filter->stop_count; k++)
        if (filter->stops[k] == id) return 1;
    return 0;
}

#define FEW_IDS 3

/* Leaves out those of a row's ids that are among a few, without a branch on an id; returns how many are
 * left. With a constant for `few` the loops over them are unrolled. */
FB_INLINE ptrdiff_t leave_out_few(const id_filter *filter, const int few, int64_t *ids, ptrdiff_t length,
                                  ptrdiff_t *padding)
{
    ptrdiff_t kept = 0, pads = 0, is_padding[FEW_IDS];
    int64_t dropped[FEW_IDS];
    for (int k = 0; k < few; k++) {
        dropped[k] = filter->dropped[k];
        is_padding[k] = filter->is_padding[k];
    }
    for (ptrdiff_t i = 0; i < length; i++) {
        const int64_t id = ids[i];
        ptrdiff_t counts = 1;
        for (int k = 0; k < few; k++) {
            const ptrdiff_t is_it = id == dropped[k];
            counts -= is_it;
            pads += is_it & is_padding[k];
        }
        ids[kept] = id;
        kept += counts;
    }
    *padding = pads;
    return kept;
}

/* Leaves out those of a row's first ids that are to be left out or masked; returns how many are left, and in
 * `padding` how many of the others are padding or masked. */
static ptrdiff_t leave_out(const id_row *row, const id_filter *filter, int64_t *ids, ptrdiff_t length,
                           ptrdiff_t *padding)
{
    ptrdiff_t kept = 0;
    if (!row->mask) {
        switch (filter->dropped_count) {
            case 1: return leave_out_few(filter, 1, ids, length, padding);
            case 2: return leave_out_few(filter, 2, ids, length, padding);
            case FEW_IDS: return leave_out_few(filter, FEW_IDS, ids, length, padding);
        }
    }
    for (ptrdiff_t i = 0; i < length; i++) {
        const int64_t id = ids[i];
        const ptrdiff_t place = find_dropped(filter, id);
        const int masked = is_masked(row, i);
        *padding += masked || (place >= 0 && filter->is_padding[place]);
        ids[kept] = id;
        kept += place < 0 && !masked;
    }
    return kept;
}

/* Whether an id is among some. */
FB_INLINE int holds_id(const int64_t *ids, ptrdiff_t length, int64_t id)
{
    int64_t found = 0;
    for (ptrdiff_t i = 0; i < length; i++) found |= ids[i] == id;
    return (int)found;
}

/* How far a row has been read. */
typedef struct {
    ptrdiff_t at;
    ptrdiff_t padding;            /* ids that are padding or masked; less than `at` where one is not */
    int stopped;
} id_progress;

/* Whether a row that has been read has ids, and all of them are padding or masked. */
FB_INLINE int was_padding(const id_progress *read)
{
    return read->at > 0 && read->padding == read->at;
}

/* Copies those of the next `count` ids of a row that count, up to the first stop that is not masked;
 * returns their number. `out` has room for all of them. */
static inline ptrdiff_t read_ids(const id_row *whole, const id_filter *filter, ptrdiff_t count,
                                 id_progress *read, int64_t *out)
{
    const ptrdiff_t at = read->at;
    ptrdiff_t length = count, kept = 0, padding = 0;
    id_row part = *whole, *row = &part;
    part.ids += at * part.stride;
    part.length = count;
    if (part.mask) part.mask += at * part.mask_stride;
    read->at += count;
    /* Behind the stop an id matters only while all have been padding. */
    if (read->stopped && read->padding < at) return 0;
    widen_row(row, out);
    if (read->stopped) {
        length = 0;
    } else if (filter->stop_count) {
        ptrdiff_t stop = 0;
        while (stop < length && !(is_stop(filter, out[stop]) && !is_masked(row, stop))) stop++;
        read->stopped = stop < length;
        length = stop;
    }
    if (!filter->dropped_count && !row->mask) return length;          /* nothing can be padding */
    kept = leave_out(row, filter, out, length, &padding);
    /* The stop itself may be padding, as the end of a sentence is in vocabularies without another. */
    for (ptrdiff_t i = length; i < count && padding == i; i++)
        padding += is_masked(row, i) || is_padding_id(filter, out[i]);
    read->padding += padding;
    return kept;
}

#endif
