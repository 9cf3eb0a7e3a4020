/* match_counts.h: the matches of a segment with one reference, in masks of one word (masks.h).
 *
 * Contract. As of masks.h; three words after the last zeros may be read. Adds to matches[n-1], for n up to
 * max_order, how many n-grams match. Leaves: any thread may call them.
 */
#pragma once

#include "masks.h"

typedef void (*match_counter)(const uint64_t *in_reference, const uint64_t *in_hypothesis,
                              int hypothesis_length, int max_order, int64_t *matches);

FB_INLINE void count_matched(mask_kernel match, const uint64_t *in_reference, const uint64_t *in_hypothesis,
                             int hypothesis_length, int max_order, int64_t *matches)
{
    uint64_t matched[MASK_ORDERS * MASK_WORDS];
    if (max_order > hypothesis_length) max_order = hypothesis_length;
    for (int n = 0; n < max_order; n++) matched[n * MASK_WORDS] = 0;
    match(in_reference, in_hypothesis, 1, hypothesis_length, max_order, matched);
    for (int n = 0; n < max_order; n++) matches[n] += popcount_portable(matched[n * MASK_WORDS]);
}

#define FB_COUNT_MATCHES(suffix, level)                                                               \
    static void count_matches##suffix(const uint64_t *in_reference, const uint64_t *in_hypothesis,    \
                                      int hypothesis_length, int max_order, int64_t *matches)         \
    {                                                                                                 \
        count_matched(match_masks##suffix, in_reference, in_hypothesis, hypothesis_length, max_order, \
                      matches);                                                                       \
    }
FB_FOR_LEVELS(FB_COUNT_MATCHES)
#undef FB_COUNT_MATCHES

#ifdef FB_X86_64

/* An n-gram that would go beyond the end has no bit left, as the masks after the end are 0: all lanes can be
 * counted. */
FB_TARGET(FB_AVX512)
static void count_four_orders_avx512(const uint64_t *in_reference, const uint64_t *in_hypothesis,
                                     int hypothesis_length, int max_order, int64_t *matches)
{
    (void)max_order;
    for (int i = 0; i < hypothesis_length; i += 8) {
        __m512i reference = _mm512_loadu_si512(in_reference + i);
        __m512i earlier = _mm512_loadu_si512(in_hypothesis + i);
        for (int n = 0;;) {
            const __mmask8 hits =
                _mm512_cmpgt_epi64_mask(sums_of_words_avx512(bits_of_bytes_avx512(reference)),
                                        sums_of_words_avx512(bits_of_bytes_avx512(earlier)));
            matches[n] += _mm_popcnt_u32(hits);
            if (++n == 4) break;
            const __m128i right = _mm_cvtsi32_si128(n);
            reference = _mm512_and_si512(reference,
                                         _mm512_srl_epi64(_mm512_loadu_si512(in_reference + i + n), right));
            earlier =
                _mm512_and_si512(earlier, _mm512_srl_epi64(_mm512_loadu_si512(in_hypothesis + i + n), right));
        }
    }
}

#endif /* FB_X86_64 */

/* The counter of orders up to `max_order`. */
static inline match_counter match_counter_for(simd_level level, int max_order)
{
#ifdef FB_X86_64
    if (level >= SIMD_AVX512 && max_order == 4) return count_four_orders_avx512;
#endif
    (void)max_order;
    return FB_OF_LEVEL(level, count_matches);
}
