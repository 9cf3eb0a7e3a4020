/* resample.h: sums of randomly chosen rows, for the significance tests.
 *
 * Data. `rows` is a dense table, segments x columns; the columns may be those of several systems side by
 * side. A bootstrap sample is a list of row numbers, with repetitions. In approximate randomization a
 * sample is one bit per segment; the bits of all trials are one stream of 32-bit words, lowest bit first,
 * and trial t has the bits from first_bit + t * segments.
 *
 * Tossed rows are added up four at a time: for each four rows the sums of their 16 subsets are tabulated
 * once, and 4 bits of each trial select one of them. 32 rows fill 8 such tables, which stay in the L1
 * cache for the usual 10 to 50 columns.
 *
 * Exactness. Integer additions of numbers from 0: rows of uint16 below FB_NARROW, 32 of which add up
 * within the type, into sums of int32, or all in int64. The caller ensures that sums do not overflow.
 * Cost: segments * columns additions per sample, a quarter of that for tosses. Memory is the
 * caller's, nothing is allocated: `subsets` has 8 * 16 * columns numbers, `sums` columns or trials * columns,
 * and `words` one word more than the bits need. Pure functions; any thread may call them.
 */
#pragma once

#include "../simd/platform.h"

#if defined(_MSC_VER) && !defined(__clang__)
#  define FB_RESTRICT __restrict
#else
#  define FB_RESTRICT restrict
#endif

#define FB_NARROW 2048                  /* 32 * (FB_NARROW - 1) < 2**16 */
#define FB_CACHED ((size_t)1 << 20)     /* bytes of rows above which prefetching is worthwhile */

/* 32 bits of a stream, from any position. */
FB_INLINE uint32_t bits_at(const uint32_t *words, size_t place)
{
    const uint64_t two = (uint64_t)words[place / 32 + 1] << 32 | words[place / 32];
    return (uint32_t)(two >> place % 32);
}

#define ROW uint16_t
#define SUM int32_t
#define NAMED(name) name##_narrow
#include "resample_loops.h"
#undef ROW
#undef SUM
#undef NAMED

#define ROW int64_t
#define SUM int64_t
#define NAMED(name) name##_wide
#include "resample_loops.h"
#undef ROW
#undef SUM
#undef NAMED
