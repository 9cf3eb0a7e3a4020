/* masks.h: clipped n-gram matches of a segment of at most 64 tokens, without any n-gram table.
 *
 * Data. For every hypothesis position i the caller gives two words:
 *   in_reference[i]   bit j set: reference[j] is the token hypothesis[i]
 *   in_hypothesis[i]  bit j set: hypothesis[j] is that token too, and j < i
 * The reference positions of the n-gram that starts at i are then the bits of
 *   in_reference[i] & in_reference[i+1] >> 1 & ... & in_reference[i+n-1] >> (n-1)
 * and its earlier occurrences in the hypothesis the same expression over in_hypothesis. The
 * occurrence at i is a clipped match exactly when the reference holds the n-gram more often than
 * the hypothesis did before i, i.e. when popcount(first) > popcount(second). With several references
 * the clip is the maximum over them, so the occurrence matches if it does against any of them:
 * the caller ORs the answers. Exact for every order; nothing is hashed.
 *
 * Contract. Both arrays have MASK_LANES words behind the last token's, which are zero. Bit i of
 * matched[n-1] is set, never cleared, for n up to the hypothesis' length. No memory, no locks: leaves
 * that any thread may call. Cost: length * max_order vector steps.
 */
#ifndef FASTBLEU_MASKS_H
#define FASTBLEU_MASKS_H

#include "platform.h"

#define MASK_TOKENS 64
#define MASK_LANES 8      /* of the widest vector */

typedef void (*mask_kernel)(const uint64_t *in_reference, const uint64_t *in_hypothesis,
                            int hypothesis_length, int max_order, uint64_t *matched);

/* The orders of the n-grams that start at position i. */
FB_INLINE int orders_at(int i, int hypothesis_length, int max_order)
{
    return max_order < hypothesis_length - i ? max_order : hypothesis_length - i;
}

static inline void match_masks_portable(const uint64_t *in_reference, const uint64_t *in_hypothesis,
                                        int hypothesis_length, int max_order, uint64_t *matched)
{
    for (int i = 0; i < hypothesis_length; i++) {
        const int orders = orders_at(i, hypothesis_length, max_order);
        uint64_t reference = ~(uint64_t)0, earlier = ~(uint64_t)0;
        for (int n = 0; n < orders; n++) {
            reference &= in_reference[i + n] >> n;
            if (!reference) break;
            earlier &= in_hypothesis[i + n] >> n;
            /* Hardly any n-gram repeats within a segment: both counts are seldom needed. */
            if (!earlier || popcount_portable(reference) > popcount_portable(earlier))
                matched[n] |= (uint64_t)1 << i;
        }
    }
}

#ifdef FB_X86_64

FB_TARGET("avx2,popcnt")
static inline void match_masks_avx2(const uint64_t *in_reference, const uint64_t *in_hypothesis,
                                    int hypothesis_length, int max_order, uint64_t *matched)
{
    const __m256i zero = _mm256_setzero_si256();
    for (int i = 0; i < hypothesis_length; i += 4) {
        const int orders = orders_at(i, hypothesis_length, max_order);
        __m256i reference = _mm256_cmpeq_epi64(zero, zero), earlier = reference;
        for (int n = 0; n < orders; n++) {
            const __m128i shift = _mm_cvtsi32_si128(n);
            __m256i word = _mm256_loadu_si256((const __m256i *)(in_reference + i + n));
            reference = _mm256_and_si256(reference, _mm256_srl_epi64(word, shift));
            if (_mm256_testz_si256(reference, reference)) break;
            word = _mm256_loadu_si256((const __m256i *)(in_hypothesis + i + n));
            earlier = _mm256_and_si256(earlier, _mm256_srl_epi64(word, shift));
            unsigned absent =
                (unsigned)_mm256_movemask_pd(_mm256_castsi256_pd(_mm256_cmpeq_epi64(reference, zero)));
            unsigned first =
                (unsigned)_mm256_movemask_pd(_mm256_castsi256_pd(_mm256_cmpeq_epi64(earlier, zero)));
            unsigned hits = first & ~absent & 15;
            unsigned contested = ~first & ~absent & 15;      /* both counts non-zero: compare them */
            if (FB_UNLIKELY(contested)) {
                uint64_t references[4], earliers[4];
                _mm256_storeu_si256((__m256i *)references, reference);
                _mm256_storeu_si256((__m256i *)earliers, earlier);
                for (int lane = 0; lane < 4; lane++)
                    if ((contested >> lane & 1)
                        && _mm_popcnt_u64(references[lane]) > _mm_popcnt_u64(earliers[lane]))
                        hits |= 1u << lane;
            }
            matched[n] |= (uint64_t)hits << i;
        }
    }
}

FB_TARGET("avx512f,avx512vpopcntdq")
static inline void match_masks_avx512(const uint64_t *in_reference, const uint64_t *in_hypothesis,
                                      int hypothesis_length, int max_order, uint64_t *matched)
{
    for (int i = 0; i < hypothesis_length; i += 8) {
        const int orders = orders_at(i, hypothesis_length, max_order);
        __m512i reference = _mm512_set1_epi64(-1), earlier = reference;
        for (int n = 0; n < orders; n++) {
            const __m128i shift = _mm_cvtsi32_si128(n);
            reference = _mm512_and_si512(reference,
                                         _mm512_srl_epi64(_mm512_loadu_si512(in_reference + i + n), shift));
            earlier =
                _mm512_and_si512(earlier, _mm512_srl_epi64(_mm512_loadu_si512(in_hypothesis + i + n), shift));
            uint64_t hits =
                _mm512_cmpgt_epu64_mask(_mm512_popcnt_epi64(reference), _mm512_popcnt_epi64(earlier));
            matched[n] |= hits << i;
        }
    }
}

#endif /* FB_X86_64 */

static inline mask_kernel mask_kernel_for(simd_level level)
{
#ifdef FB_X86_64
    if (level == SIMD_AVX512) return match_masks_avx512;
    if (level == SIMD_AVX2) return match_masks_avx2;
#endif
    (void)level;
    return match_masks_portable;
}

#endif
