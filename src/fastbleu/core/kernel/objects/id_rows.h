/* id_rows.h: from rows of token ids, of any integer type and stride, to the ids that count.
 *
 * Data. An id_row points into memory that it does not own: `length` integers of `kind`, `stride` bytes
 * apart, which need not be aligned; `mask`, if not NULL, points to as many integers of `mask_kind`, where 0
 * means that the id does not count.
 *
 * A reader (id_reader_for) copies the ids that count, as int64, a part of a row at a time. It works in blocks
 * of 64 ids, with three words of bits: which ids are padding, which are skipped, and which end the
 * row. Every id is read once: if another thread writes to the memory, the result is unspecified, but no
 * unchecked id is used.
 *
 * Stateless functions; any thread may call them. Cost: a few instructions for 4 ids with AVX2, 8 with
 * AVX-512, otherwise for one; a search for each id if there are more than FEW_IDS special ids.
 */
#pragma once

#include "../simd/platform.h"

typedef enum { ID_INT8, ID_INT16, ID_INT32, ID_INT64, ID_UINT8, ID_UINT16, ID_UINT32, ID_UINT64 } id_kind;

typedef struct {
    const char *ids;
    ptrdiff_t length, stride;
    id_kind kind;
    const char *mask;
    ptrdiff_t mask_stride;
    id_kind mask_kind;
} id_row;

typedef struct {
    const int64_t *ids;           /* in ascending order */
    ptrdiff_t count;
} id_set;

typedef struct {
    id_set padding, skipped;      /* to leave out; rows with only padding are not references */
    id_set stops;                 /* that end a row */
} id_filter;

/* How far a row has been read. */
typedef struct {
    ptrdiff_t at;
    ptrdiff_t padding;            /* ids before the first that is neither padding nor masked */
    int stopped, label_padding;   /* whether there was a stop; whether LABEL_PADDING counts */
} id_progress;

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

#define ID_BLOCK 64
#define ID_LANES 8                /* of the widest vector */
#define FEW_IDS 16
#define LABEL_PADDING (-100)      /* pads labels by convention, and is rarely a token */

/* Like widen_row, for at most 64 integers that are laid out as in_vectors asks. */
typedef void (*id_widener)(const id_row *row, int64_t *ids);

FB_INLINE int in_vectors(const id_row *row)
{
    return (row->kind == ID_INT64 && row->stride == 8) || (row->kind == ID_INT32 && row->stride == 4);
}

/* Like widen_row, for at most 64 integers with any layout. */
FB_INLINE void widen_block(const id_row *row, int64_t *ids, const id_widener widen)
{
    if (in_vectors(row)) widen(row, ids);
    else widen_row(row, ids);
}

/* Which of at most 64 ids are in a set. The ids after them, up to a multiple of ID_LANES, are read, too, and
 * their bits may be set. */
typedef uint64_t (*id_finder)(const int64_t *ids, int length, const id_set *set);

/* Moves the chosen ones of at most 64 ids to the front; returns their number. */
typedef int (*id_keeper)(int64_t *ids, int length, uint64_t chosen);

static inline uint64_t find_ids_portable(const int64_t *ids, int length, const id_set *set)
{
    uint64_t found = 0;
    for (ptrdiff_t k = 0; k < set->count; k++)
        for (int i = 0; i < length; i += ID_LANES) {
            uint64_t equal = 0;
            for (int lane = 0; lane < ID_LANES; lane++)
                equal |= (uint64_t)(ids[i + lane] == set->ids[k]) << lane;
            found |= equal << i;
        }
    return found;
}

static inline int keep_ids_portable(int64_t *ids, int length, uint64_t chosen)
{
    int kept = 0;
    for (int i = 0; i < length; i++) {
        ids[kept] = ids[i];
        kept += chosen >> i & 1;
    }
    return kept;
}

#ifdef FB_X86_64

/* Stores vectors as wide as those that read the ids: reading what narrower stores wrote would stall. */
FB_TARGET(FB_AVX2)
static inline void widen_avx2(const id_row *row, int64_t *ids)
{
    const int wide = row->kind == ID_INT64;
    const char *from = row->ids;
    ptrdiff_t left = row->length;
    for (; left > 0; left -= 4, from += 4 * row->stride, ids += 4) {
        const __m128i narrow = _mm_cmpgt_epi32(_mm_set1_epi32((int)left), _mm_setr_epi32(0, 1, 2, 3));
        const __m256i lanes = _mm256_cvtepi32_epi64(narrow);
        const __m256i some = wide ? _mm256_maskload_epi64((const long long *)from, lanes)
                                  : _mm256_cvtepi32_epi64(_mm_maskload_epi32((const int *)from, narrow));
        _mm256_storeu_si256((__m256i *)ids, some);
    }
}

FB_TARGET(FB_AVX2)
static inline uint64_t find_ids_avx2(const int64_t *ids, int length, const id_set *set)
{
    uint64_t found = 0;
    for (int i = 0; i < length; i += 4) {
        const __m256i some = _mm256_loadu_si256((const __m256i *)(ids + i));
        __m256i equal = _mm256_setzero_si256();
        for (ptrdiff_t k = 0; k < set->count; k++)
            equal = _mm256_or_si256(equal, _mm256_cmpeq_epi64(some, _mm256_set1_epi64x(set->ids[k])));
        found |= (uint64_t)_mm256_movemask_pd(_mm256_castsi256_pd(equal)) << i;
    }
    return found;
}

FB_TARGET(FB_AVX2)
static inline int keep_ids_avx2(int64_t *ids, int length, uint64_t chosen)
{
    /* By the bits of four ids: the halves of the ids whose bits are set. */
    /* clang-format off */
    static const uint8_t halves[16][8] = {
        {0},          {0, 1},             {2, 3},             {0, 1, 2, 3},
        {4, 5},       {0, 1, 4, 5},       {2, 3, 4, 5},       {0, 1, 2, 3, 4, 5},
        {6, 7},       {0, 1, 6, 7},       {2, 3, 6, 7},       {0, 1, 2, 3, 6, 7},
        {4, 5, 6, 7}, {0, 1, 4, 5, 6, 7}, {2, 3, 4, 5, 6, 7}, {0, 1, 2, 3, 4, 5, 6, 7},
    };
    /* clang-format on */
    int kept = 0;
    for (int i = 0; i < length; i += 4, chosen >>= 4) {
        const __m256i some = _mm256_loadu_si256((const __m256i *)(ids + i));
        const __m256i order = _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)halves[chosen & 15]));
        _mm256_storeu_si256((__m256i *)(ids + kept), _mm256_permutevar8x32_epi32(some, order));
        kept += (int)_mm_popcnt_u32((unsigned)chosen & 15);
    }
    return kept;
}

FB_TARGET(FB_AVX512)
static inline void widen_avx512(const id_row *row, int64_t *ids)
{
    const int wide = row->kind == ID_INT64;
    const char *from = row->ids;
    ptrdiff_t left = row->length;
    for (; left > 0; left -= 8, from += 8 * row->stride, ids += 8) {
        const __mmask8 lanes = (__mmask8)(left < 8 ? (1 << left) - 1 : 0xFF);
        const __m512i some =
            wide ? _mm512_maskz_loadu_epi64(lanes, from)
                 : _mm512_cvtepi32_epi64(_mm512_castsi512_si256(_mm512_maskz_loadu_epi32(lanes, from)));
        _mm512_storeu_si512(ids, some);
    }
}

FB_TARGET(FB_AVX512)
static inline uint64_t find_ids_avx512(const int64_t *ids, int length, const id_set *set)
{
    uint64_t found = 0;
    for (int i = 0; i < length; i += 8) {
        const __m512i some = _mm512_loadu_si512(ids + i);
        __mmask8 equal = 0;
        for (ptrdiff_t k = 0; k < set->count; k++)
            equal |= _mm512_cmpeq_epi64_mask(some, _mm512_set1_epi64(set->ids[k]));
        found |= (uint64_t)equal << i;
    }
    return found;
}

FB_TARGET(FB_AVX512)
static inline int keep_ids_avx512(int64_t *ids, int length, uint64_t chosen)
{
    int kept = 0;
    for (int i = 0; i < length; i += 8, chosen >>= 8) {
        const __m512i some = _mm512_loadu_si512(ids + i);
        _mm512_storeu_si512(ids + kept, _mm512_maskz_compress_epi64((__mmask8)chosen, some));
        kept += (int)_mm_popcnt_u32((unsigned)chosen & 0xFF);
    }
    return kept;
}

#endif /* FB_X86_64 */

/* Like an id_finder, for a set that may be large. */
FB_INLINE uint64_t find_in_set(const int64_t *ids, int length, const id_set *set, const id_finder find)
{
    uint64_t found = 0;
    if (set->count <= FEW_IDS) return set->count ? find(ids, length, set) : 0;
    for (int i = 0; i < length; i++) {
        ptrdiff_t low = 0, high = set->count;
        while (high - low > 1) {
            const ptrdiff_t middle = low + (high - low) / 2;
            if (set->ids[middle] <= ids[i]) low = middle;
            else high = middle;
        }
        found |= (uint64_t)(set->ids[low] == ids[i]) << i;
    }
    return found;
}

/* Whether a row that has been read has ids, and all of them are padding or masked. */
FB_INLINE int was_padding(const id_progress *read)
{
    return read->at > 0 && read->padding == read->at;
}

FB_INLINE ptrdiff_t read_blocks(const id_row *row, const id_filter *filter, ptrdiff_t count,
                                id_progress *read, int64_t *out, const id_widener widen, const id_finder find,
                                const id_keeper keep)
{
    static const int64_t label = LABEL_PADDING, zero = 0;
    static const id_set labels = {&label, 1}, zeros = {&zero, 1};
    const ptrdiff_t end = read->at + count;
    ptrdiff_t kept = 0;
    while (read->at < end) {
        const int length = end - read->at < ID_BLOCK ? (int)(end - read->at) : ID_BLOCK;
        const uint64_t all = ~(uint64_t)0 >> (ID_BLOCK - length);
        const id_row block = {
            row->ids + read->at * row->stride, length, row->stride, row->kind, NULL, 0, row->kind};
        uint64_t masked = 0, padding, stops, counts = read->stopped ? 0 : all;
        int64_t *ids = out + kept;
        /* After the stop an id matters only as long as all ids so far are padding. */
        if (read->stopped && read->padding < read->at) {
            read->at = end;
            break;
        }
        if (row->mask) {
            const id_row mask = {row->mask + read->at * row->mask_stride,
                                 length,
                                 row->mask_stride,
                                 row->mask_kind,
                                 NULL,
                                 0,
                                 row->kind};
            widen_block(&mask, ids, widen);
            masked = find(ids, length, &zeros);
        }
        widen_block(&block, ids, widen);
        padding = (masked | find_in_set(ids, length, &filter->padding, find)) & all;
        stops = find_in_set(ids, length, &filter->stops, find) & ~masked & counts;
        if (stops) {
            counts = (stops & (0 - stops)) - 1;
            read->stopped = 1;
        }
        counts &= ~(padding | find_in_set(ids, length, &filter->skipped, find));
        if (read->padding == read->at) read->padding += ~padding ? lowest_bit(~padding) : ID_BLOCK;
        read->label_padding |= (find(ids, length, &labels) & counts) != 0;
        /* If only the end is padding, the ids that count are already at the front. */
        if (!(counts & (counts + 1))) kept += ~counts ? lowest_bit(~counts) : ID_BLOCK;
        else kept += keep(ids, length, counts);
        read->at += length;
    }
    return kept;
}

/* Copies the ids that count among the next `count` of a row, up to the first stop that is not masked; returns
 * their number. `out` has room for all `count` and for ID_LANES more. */
typedef ptrdiff_t (*id_reader)(const id_row *row, const id_filter *filter, ptrdiff_t count, id_progress *read,
                               int64_t *out);

static inline ptrdiff_t read_ids_portable(const id_row *row, const id_filter *filter, ptrdiff_t count,
                                          id_progress *read, int64_t *out)
{
    return read_blocks(row, filter, count, read, out, widen_row, find_ids_portable, keep_ids_portable);
}

#ifdef FB_X86_64
FB_TARGET(FB_AVX2)
static inline ptrdiff_t read_ids_avx2(const id_row *row, const id_filter *filter, ptrdiff_t count,
                                      id_progress *read, int64_t *out)
{
    return read_blocks(row, filter, count, read, out, widen_avx2, find_ids_avx2, keep_ids_avx2);
}

FB_TARGET(FB_AVX512)
static inline ptrdiff_t read_ids_avx512(const id_row *row, const id_filter *filter, ptrdiff_t count,
                                        id_progress *read, int64_t *out)
{
    return read_blocks(row, filter, count, read, out, widen_avx512, find_ids_avx512, keep_ids_avx512);
}
#endif

static inline id_reader id_reader_for(simd_level level)
{
#ifdef FB_X86_64
    if (level >= SIMD_AVX512) return read_ids_avx512;
    if (level == SIMD_AVX2) return read_ids_avx2;
#endif
    (void)level;
    return read_ids_portable;
}
