/* bit_counts.h: how many of a few bitmaps have each bit set, for 64 to 512 bits at once.
 *
 * Each bit of a bitmap is a sentence. The number of n-grams that one sentence shares with each of the
 * others is the sum of these n-grams' bitmaps, bit by bit. It is added up in vertical
 * counters: plane p holds bit p of all 512 sums, so that one bitmap is added by a few ANDs and XORs on
 * whole words, whichever sentences it names.
 *
 * Layout. A bitmap has `words` words (a power of two up to BLOCK_WORDS), and bitmap number b starts at
 * bitmaps + b * words; `chosen` are the numbers of those to add. Word w of plane p is planes[p * words + w].
 * The caller ensures that sums stay below 2**plane_count.
 *
 * Stateless functions on the caller's memory; any thread may call them. Cost: count * plane_count
 * * words steps, which the compiler vectorizes.
 */
#pragma once

#include "platform.h"

#define BLOCK_WORDS 8
#define BLOCK_BITS (64 * BLOCK_WORDS)
#define MAX_PLANES 32

/* With `words` a constant, its loops become a few vector instructions. */
FB_INLINE void add_bitmaps(const uint64_t *bitmaps, const int32_t *chosen, ptrdiff_t count, const int words,
                           int plane_count, uint64_t *planes)
{
    ptrdiff_t i = 0;
    memset(planes, 0, (size_t)(plane_count * words) * sizeof(uint64_t));
    for (; i + 1 < count; i += 2) {      /* two at once: their carries need only one pass */
        const uint64_t *first = bitmaps + (ptrdiff_t)chosen[i] * words;
        const uint64_t *second = bitmaps + (ptrdiff_t)chosen[i + 1] * words;
        uint64_t carry[BLOCK_WORDS];
        for (int w = 0; w < words; w++) {
            const uint64_t either = first[w] ^ second[w];
            carry[w] = (first[w] & second[w]) | (either & planes[w]);
            planes[w] ^= either;
        }
        for (int p = 1; p < plane_count; p++)
            for (int w = 0; w < words; w++) {
                const uint64_t raised = planes[p * words + w] & carry[w];
                planes[p * words + w] ^= carry[w];
                carry[w] = raised;
            }
    }
    if (i < count) {
        const uint64_t *last = bitmaps + (ptrdiff_t)chosen[i] * words;
        uint64_t carry[BLOCK_WORDS];
        for (int w = 0; w < words; w++) carry[w] = last[w];
        for (int p = 0; p < plane_count; p++)
            for (int w = 0; w < words; w++) {
                const uint64_t raised = planes[p * words + w] & carry[w];
                planes[p * words + w] ^= carry[w];
                carry[w] = raised;
            }
    }
}

static inline void count_bits(const uint64_t *bitmaps, const int32_t *chosen, ptrdiff_t count, int words,
                              int plane_count, uint64_t *planes)
{
    if (words == 8) add_bitmaps(bitmaps, chosen, count, 8, plane_count, planes);
    else if (words == 4) add_bitmaps(bitmaps, chosen, count, 4, plane_count, planes);
    else if (words == 2) add_bitmaps(bitmaps, chosen, count, 2, plane_count, planes);
    else add_bitmaps(bitmaps, chosen, count, 1, plane_count, planes);
}

/* The 8 bits of a byte, the lowest first, as the lowest bits of 8 bytes. */
FB_INLINE uint64_t spread_bits(uint64_t byte)
{
    /* A copy of the byte in each byte, masked to one bit: bit k of byte k. */
    const uint64_t bits = (byte * 0x0101010101010101u) & 0x8040201008040201u;
    return ((bits + 0x7F7F7F7F7F7F7F7Fu) & 0x8080808080808080u) >> 7;
}

/* Bits 8 * part to 8 * part + 7 of the sum of each bit, one byte each: 64 * words bytes. */
static inline void gather_counts(const uint64_t *planes, int words, int plane_count, int part,
                                 uint8_t *counts)
{
    const int end = plane_count < 8 * part + 8 ? plane_count : 8 * part + 8;
    for (int w = 0; w < words; w++)
        for (int byte = 0; byte < 8; byte++) {
            uint64_t eight = 0;
            for (int p = 8 * part; p < end; p++)
                eight |= spread_bits(planes[p * words + w] >> (8 * byte) & 0xFF) << (p - 8 * part);
            for (int k = 0; k < 8; k++) counts[64 * w + 8 * byte + k] = (uint8_t)(eight >> (8 * k));
        }
}
