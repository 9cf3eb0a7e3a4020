/* resample.h: sums of randomly chosen rows, for the significance tests.
 *
 * Data. `rows` is a dense table, segments x columns; the columns may be those of several systems side by
 * side. A bootstrap sample is a list of row numbers, with repetitions. In approximate randomization a
 * sample is one bit per segment; the bits of all trials are one stream of 32-bit words, lowest bit first,
 * and trial t has the bits from first_bit + t * segments.
 *
 * If the rows do not fit into a cache, how often each segment is drawn is counted first; then the rows are read
 * once, in order, for several samples. A count takes one byte: the probability that any of n segments is drawn 256
 * times in n draws is less than n / 256!. A draw is the upper half of the product of a random word
 * and the number of segments; words whose lower half is too small are skipped, so that all segments are
 * equally likely (Lemire 2019, Fast random integer generation in an interval).
 *
 * Tossed rows are added up four at a time: for every four rows the sums of their 16 subsets are tabulated
 * once, and 4 bits of each trial select one of them. 32 rows fill 8 such tables, which stay in the L1
 * cache for the usual 10 to 50 columns.
 *
 * Exactness. All numbers are integers of at least 0: either rows are uint16 below FB_NARROW, 32 of which add up
 * within the type, and sums int32, or all are int64. The caller ensures that sums do not overflow.
 * Cost: segments * columns additions per sample, a quarter of that for tosses. The caller provides all
 * memory: `turned` has FB_TURNED * columns numbers, `subsets` 8 * 16 * columns, `sums` columns or
 * trials * columns, and `words` one word more than the bits need. Pure functions; any thread may call them.
 */
#pragma once

#include "pcg64.h"

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

#define FB_WAITING 64                   /* draws that are counted once their bytes have been fetched */

/* Count in `times` how often each segment is drawn, by the words from `position` to `end` of a generator with this
 * state, until `draws` are done. Sets `position` to the first word that was not used; returns the draws left. */
static size_t count_drawn(uint128_pair state, uint128_pair increment, uint64_t *position, uint64_t end,
                          uint32_t segments, size_t draws, uint8_t *times)
{
    const uint32_t least = (0 - segments) % segments;
    uint64_t at = *position, first = at & ~(uint64_t)1; /* position of the first of eight words */
    pcg64 generator = pcg64_at(state, increment, first / 2);
    uint32_t words[8], waiting[FB_WAITING];
    size_t place = 0, count = 0; /* the `count` draws before `place` wait */
    for (; draws > 0 && at < end; first += 8) {
        /* If no word is skipped, this many groups of eight are used completely, then a part of one. */
        const size_t most = draws < end - at ? draws : end - at, eights = at == first ? most / 8 : 0;
        size_t done = 0;
        uint32_t *drawn, skipped;
        do {
            drawn = waiting + place, skipped = 0;
            if (count == FB_WAITING) {
                for (int k = 0; k < 8; k++) times[drawn[k]]++;
            } else count += 8;
            pcg64_next(&generator, words);
            for (int k = 0; k < 8; k++) {
                const uint64_t product = (uint64_t)words[k] * segments;
                drawn[k] = (uint32_t)(product >> 32);
                skipped |= (uint32_t)product < least;
                FB_PREFETCH(times + drawn[k]);
            }
            place = (place + 8) % FB_WAITING;
        } while (!skipped && ++done <= eights);
        if (!skipped) done--;
        count -= 8, place = (place + FB_WAITING - 8) % FB_WAITING;
        at += 8 * done, first += 8 * done, draws -= 8 * done;
        for (; at < first + 8 && at < end && draws > 0; at++) {
            if (words[at - first] * segments < least) continue;
            times[drawn[at - first]]++;
            draws--;
        }
    }
    for (size_t i = 1; i <= count; i++) times[waiting[(place - i) % FB_WAITING]]++;
    *position = at;
    return draws;
}

#define FB_TURNED 1024 /* rows that are transposed at a time */

#define ROW uint16_t
#define SUM int32_t
#define FACTOR int16_t /* signed, because processors have an instruction for that */
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
