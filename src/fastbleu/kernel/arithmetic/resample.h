/* resample.h: sums of randomly chosen rows, for the significance tests.
 *
 * Data. `rows` is a dense table, segments x columns; the columns may be those of several systems side by
 * side. A bootstrap sample is a list of row numbers, with repetitions. In approximate randomization a
 * sample is one bit per segment; the bits of all trials are one stream of 32-bit words, lowest bit first,
 * and trial t has the bits from first_bit + t * segments.
 *
 * Of many segments, whose rows do not fit into a cache, it is first counted how often each is drawn, in
 * bytes; then the rows are read once, in order, for several samples. A draw is the upper half of the product
 * of a random word and the number of segments; words whose lower half is too small are skipped, so that all
 * segments are equally likely (Lemire 2019, Fast random integer generation in an interval).
 *
 * Tossed rows are added up four at a time: for each four rows the sums of their 16 subsets are tabulated
 * once, and 4 bits of each trial select one of them. 32 rows fill 8 such tables, which stay in the L1
 * cache for the usual 10 to 50 columns.
 *
 * Exactness. Integer additions of numbers from 0: rows of uint16 below FB_NARROW, 32 of which add up
 * within the type, into sums of int32, or all in int64. The caller ensures that sums do not overflow.
 * Cost: segments * columns additions per sample, a quarter of that for tosses. Memory is the caller's, nothing
 * is allocated: `turned` has FB_TURNED * columns numbers, `subsets` 8 * 16 * columns, `sums` columns or
 * trials * columns, and `words` one word more than the bits need. Pure functions; any thread may call them.
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

/* Count in `times` how often each segment is drawn, from at most `count` words, for the `left` draws that a
 * sample lacks. Stops before a byte would overflow. Returns how many words were used. */
static size_t count_drawn(const uint32_t *words, size_t count, uint32_t segments, size_t *left,
                          uint8_t *times)
{
    const uint32_t least = (0 - segments) % segments;
    size_t draws = *left, used = 0;
    for (; draws > 0 && used < count; used++) {
        const uint64_t product = (uint64_t)words[used] * segments;
        if ((uint32_t)product < least) continue;
        if (times[product >> 32] == UINT8_MAX) break;
        times[product >> 32]++;
        draws--;
    }
    *left = draws;
    return used;
}

#define FB_TURNED 1024                  /* rows that are turned into columns at a time */

#define ROW uint16_t
#define SUM int32_t
#define FACTOR int16_t                  /* of signed numbers, for which processors have an instruction */
#define NAMED(name) name##_narrow
#include "resample_loops.h"
#undef ROW
#undef SUM
#undef FACTOR
#undef NAMED

#define ROW int64_t
#define SUM int64_t
#define FACTOR int64_t
#define NAMED(name) name##_wide
#include "resample_loops.h"
#undef ROW
#undef SUM
#undef FACTOR
#undef NAMED
