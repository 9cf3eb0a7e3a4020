/* masks.h: clipped n-gram matches of a segment of at most 512 tokens, without any n-gram table.
 *
 * Data. Every hypothesis position i has two masks:
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
 * Layout. A mask has 1, 2, 3, 4, 6 or 8 words, each in a plane of its own: word w of position i is
 * plane w's number i, and planes are PLANE words apart. So a vector holds the same word of 2, 4 or 8
 * positions, and a shift takes the bits that come in from the next plane.
 *
 * Contract. Planes have MASK_LANES words after the last token's, which are zero. Orders up to 64.
 * Bit i % 64 of matched[(n-1) * MASK_WORDS + i / 64] is set, never cleared, for n up to the hypothesis'
 * length. No memory, no locks: leaves that any thread may call. Cost: length * max_order * words vector
 * steps. Masks of ids (mask_planes) are plain scratch memory, with nothing to initialize.
 */
#pragma once

#include "neon.h"

#define MASK_TOKENS 64        /* of one word */
#define MASK_WORDS 8
#define PLANED_TOKENS (MASK_TOKENS * MASK_WORDS)
#define MASK_ORDERS 64
#define MASK_LANES 8          /* of the widest vector */
#define PLANE (PLANED_TOKENS + MASK_LANES)

typedef void (*mask_kernel)(const uint64_t *in_reference, const uint64_t *in_hypothesis, int words,
                            int hypothesis_length, int max_order, uint64_t *matched);

/* The words of a mask of `positions` bits. */
static inline int mask_words(int64_t positions)
{
    const int words = (int)((positions + 63) / 64);
    return words < 1 ? 1 : words > 6 ? 8 : words > 4 ? 6 : words;
}

/* Calls with a constant W for `words`, so that loops over them are unrolled. */
/* clang-format off */
#define FB_WORDS(count, call) { enum { W = count }; call; break; }
#define FB_FOR_WORDS(words, call)       \
    switch (words) {                    \
        case 1: FB_WORDS(1, call)       \
        case 2: FB_WORDS(2, call)       \
        case 3: FB_WORDS(3, call)       \
        case 4: FB_WORDS(4, call)       \
        case 6: FB_WORDS(6, call)       \
        default: FB_WORDS(8, call)      \
    }
/* clang-format on */

/* The orders of the n-grams that start at position i. */
FB_INLINE int orders_at(int i, int hypothesis_length, int max_order)
{
    return max_order < hypothesis_length - i ? max_order : hypothesis_length - i;
}

/* Word w of a position's mask, shifted by n. */
FB_INLINE uint64_t shifted_word(const uint64_t *planes, int w, int n, const int words)
{
    const uint64_t upper = w + 1 < words ? planes[(w + 1) * PLANE] : 0;
    return planes[w * PLANE] >> n | upper << 1 << (63 - n);
}

FB_INLINE int more_bits(const uint64_t *reference, const uint64_t *earlier, const int words)
{
    int difference = 0;
    for (int w = 0; w < words; w++)
        difference += popcount_portable(reference[w]) - popcount_portable(earlier[w]);
    return difference > 0;
}

FB_INLINE void match_some_portable(const uint64_t *in_reference, const uint64_t *in_hypothesis,
                                   int hypothesis_length, int max_order, const int words, uint64_t *matched)
{
    for (int i = 0; i < hypothesis_length; i++) {
        const int orders = orders_at(i, hypothesis_length, max_order);
        uint64_t reference[MASK_WORDS], earlier[MASK_WORDS], any_earlier = 1;
        memset(reference, 0xFF, sizeof reference);
        memset(earlier, 0xFF, sizeof earlier);
        for (int n = 0; n < orders; n++) {
            uint64_t any = 0;
            for (int w = 0; w < words; w++)
                any |= reference[w] &= shifted_word(in_reference + i + n, w, n, words);
            if (!any) break;
            if (any_earlier) {
                any_earlier = 0;
                for (int w = 0; w < words; w++)
                    any_earlier |= earlier[w] &= shifted_word(in_hypothesis + i + n, w, n, words);
            }
            if (!any_earlier || more_bits(reference, earlier, words))
                matched[n * MASK_WORDS + (i >> 6)] |= (uint64_t)1 << (i & 63);
        }
    }
}

#ifdef FB_X86_64

FB_TARGET(FB_AVX2)
FB_INLINE __m256i and_shifted_avx2(__m256i *found, const uint64_t *planes, int n, const int words)
{
    const __m128i right = _mm_cvtsi32_si128(n), left = _mm_cvtsi32_si128(64 - n);
    __m256i any = _mm256_setzero_si256();
    __m256i lower = _mm256_loadu_si256((const __m256i *)planes);
    for (int w = 0; w < words; w++) {
        __m256i word = _mm256_srl_epi64(lower, right);
        if (w + 1 < words) {
            lower = _mm256_loadu_si256((const __m256i *)(planes + (w + 1) * PLANE));
            word = _mm256_or_si256(word, _mm256_sll_epi64(lower, left));
        }
        found[w] = _mm256_and_si256(found[w], word);
        any = _mm256_or_si256(any, found[w]);
    }
    return any;
}

/* The lanes whose word is 0. */
FB_TARGET(FB_AVX2)
FB_INLINE unsigned zero_lanes_avx2(__m256i words)
{
    const __m256i zero = _mm256_cmpeq_epi64(words, _mm256_setzero_si256());
    return (unsigned)_mm256_movemask_pd(_mm256_castsi256_pd(zero));
}

/* Those of some lanes where the reference has more bits. */
FB_TARGET(FB_AVX2)
FB_INLINE unsigned more_bits_avx2(const __m256i *reference, const __m256i *earlier, unsigned lanes,
                                  const int words)
{
    uint64_t references[MASK_WORDS][4], earliers[MASK_WORDS][4];
    unsigned more = 0;
    for (int w = 0; w < words; w++) {
        _mm256_storeu_si256((__m256i *)references[w], reference[w]);
        _mm256_storeu_si256((__m256i *)earliers[w], earlier[w]);
    }
    for (; lanes; lanes &= lanes - 1) {
        const int lane = lowest_bit(lanes);
        int64_t difference = 0;
        for (int w = 0; w < words; w++)
            difference += _mm_popcnt_u64(references[w][lane]) - _mm_popcnt_u64(earliers[w][lane]);
        more |= (unsigned)(difference > 0) << lane;
    }
    return more;
}

FB_TARGET(FB_AVX2)
FB_INLINE void match_some_avx2(const uint64_t *in_reference, const uint64_t *in_hypothesis,
                               int hypothesis_length, int max_order, const int words, uint64_t *matched)
{
    for (int i = 0; i < hypothesis_length; i += 4) {
        const int orders = orders_at(i, hypothesis_length, max_order);
        __m256i reference[MASK_WORDS], earlier[MASK_WORDS];
        unsigned first = 0;      /* lanes whose n-gram is the first of its kind */
        for (int w = 0; w < words; w++) reference[w] = earlier[w] = _mm256_set1_epi64x(-1);
        for (int n = 0; n < orders; n++) {
            const unsigned absent =
                zero_lanes_avx2(and_shifted_avx2(reference, in_reference + i + n, n, words));
            if (absent == 15) break;
            if (first != 15)
                first = zero_lanes_avx2(and_shifted_avx2(earlier, in_hypothesis + i + n, n, words));
            unsigned hits = first & ~absent;
            const unsigned contested = ~first & ~absent & 15;      /* both counts non-zero: compare them */
            if (contested) hits |= more_bits_avx2(reference, earlier, contested, words);
            matched[n * MASK_WORDS + (i >> 6)] |= (uint64_t)hits << (i & 63);
        }
    }
}

/* How many bits are set in each of 64 bytes; and the sums of the 8 bytes of each word. */
FB_TARGET(FB_AVX512)
FB_INLINE __m512i bits_of_bytes_avx512(__m512i bytes)
{
    const __m512i counts =
        _mm512_broadcast_i32x4(_mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4));
    const __m512i half = _mm512_set1_epi8(0x0F);
    const __m512i low = _mm512_shuffle_epi8(counts, _mm512_and_si512(bytes, half));
    const __m512i high = _mm512_shuffle_epi8(counts, _mm512_and_si512(_mm512_srli_epi16(bytes, 4), half));
    return _mm512_add_epi8(low, high);
}

FB_TARGET(FB_AVX512)
FB_INLINE __m512i sums_of_words_avx512(__m512i bytes)
{
    return _mm512_sad_epu8(bytes, _mm512_setzero_si512());
}

/* ANDs the shifted masks of 8 positions to those found; how many bits are left, by the bytes of a position. */
FB_TARGET(FB_AVX512)
FB_INLINE __m512i and_shifted_avx512(__m512i *found, const uint64_t *planes, int n, const int words)
{
    const __m128i right = _mm_cvtsi32_si128(n), left = _mm_cvtsi32_si128(64 - n);
    __m512i count = _mm512_setzero_si512(), lower = _mm512_loadu_si512(planes);
    for (int w = 0; w < words; w++) {
        const __m512i upper =
            w + 1 < words ? _mm512_loadu_si512(planes + (w + 1) * PLANE) : _mm512_setzero_si512();
        const __m512i word = _mm512_or_si512(_mm512_srl_epi64(lower, right), _mm512_sll_epi64(upper, left));
        found[w] = _mm512_and_si512(found[w], word);
        count = _mm512_add_epi8(count, bits_of_bytes_avx512(found[w]));
        lower = upper;
    }
    return count;
}

/* The masks of 8 positions, and how many bits each has, by its bytes. */
FB_TARGET(FB_AVX512)
FB_INLINE __m512i load_masks_avx512(__m512i *found, const uint64_t *planes, const int words)
{
    __m512i count = _mm512_setzero_si512();
    for (int w = 0; w < words; w++) {
        found[w] = _mm512_loadu_si512(planes + w * PLANE);
        count = _mm512_add_epi8(count, bits_of_bytes_avx512(found[w]));
    }
    return count;
}

FB_TARGET(FB_AVX512)
FB_INLINE void match_some_avx512(const uint64_t *in_reference, const uint64_t *in_hypothesis,
                                 int hypothesis_length, int max_order, const int words, uint64_t *matched)
{
    for (int i = 0; i < hypothesis_length; i += 8) {
        const int orders = orders_at(i, hypothesis_length, max_order);
        __m512i reference[MASK_WORDS], earlier[MASK_WORDS];
        __m512i in_it = load_masks_avx512(reference, in_reference + i, words);
        __m512i before = load_masks_avx512(earlier, in_hypothesis + i, words);
        for (int n = 0;;) {
            const uint64_t hits =
                _mm512_cmpgt_epi64_mask(sums_of_words_avx512(in_it), sums_of_words_avx512(before));
            matched[n * MASK_WORDS + (i >> 6)] |= hits << (i & 63);
            if (++n >= orders) break;
            in_it = and_shifted_avx512(reference, in_reference + i + n, n, words);
            /* Several words are worth a branch: most longer n-grams stand once in a hypothesis. */
            if (words == 1 || _mm512_test_epi64_mask(before, before))
                before = and_shifted_avx512(earlier, in_hypothesis + i + n, n, words);
        }
    }
}

#endif /* FB_X86_64 */

#ifdef FB_NEON

/* ANDs the shifted masks of 2 positions to those found; how many bits are left, by position. */
FB_INLINE uint64x2_t and_shifted_neon(uint64x2_t *found, const uint64_t *planes, int n, const int words)
{
    const int64x2_t right = vdupq_n_s64(-n), left = vdupq_n_s64(64 - n);
    uint64x2_t lower = vld1q_u64(planes);
    uint8x16_t count = vdupq_n_u8(0);
    for (int w = 0; w < words; w++) {
        uint64x2_t word = vshlq_u64(lower, right);      /* by a negative number: to the right */
        if (w + 1 < words) {
            lower = vld1q_u64(planes + (w + 1) * PLANE);
            word = vorrq_u64(word, vshlq_u64(lower, left));
        }
        found[w] = vandq_u64(found[w], word);
        count = vaddq_u8(count, vcntq_u8(vreinterpretq_u8_u64(found[w])));
    }
    return vpaddlq_u32(vpaddlq_u16(vpaddlq_u8(count)));
}

FB_INLINE void match_some_neon(const uint64_t *in_reference, const uint64_t *in_hypothesis,
                               int hypothesis_length, int max_order, const int words, uint64_t *matched)
{
    for (int i = 0; i < hypothesis_length; i += 2) {
        const int orders = orders_at(i, hypothesis_length, max_order);
        uint64x2_t reference[MASK_WORDS], earlier[MASK_WORDS];
        for (int w = 0; w < words; w++) reference[w] = earlier[w] = vdupq_n_u64(~(uint64_t)0);
        for (int n = 0; n < orders; n++) {
            const uint64x2_t in_it = and_shifted_neon(reference, in_reference + i + n, n, words);
            if (!(vgetq_lane_u64(in_it, 0) | vgetq_lane_u64(in_it, 1))) break;
            const uint64x2_t before = and_shifted_neon(earlier, in_hypothesis + i + n, n, words);
            const uint64x2_t hits = vcgtq_u64(in_it, before);
            matched[n * MASK_WORDS + (i >> 6)] |=
                ((vgetq_lane_u64(hits, 0) & 1) | (vgetq_lane_u64(hits, 1) & 2)) << (i & 63);
        }
    }
}

#endif /* FB_NEON */

#define FB_MATCH_MASKS(suffix, level)                                                                        \
    static inline void match_masks##suffix(const uint64_t *in_reference, const uint64_t *in_hypothesis,      \
                                           int words, int hypothesis_length, int max_order,                  \
                                           uint64_t *matched)                                                \
    {                                                                                                        \
        FB_FOR_WORDS(words, match_some##suffix(in_reference, in_hypothesis, hypothesis_length, max_order, W, \
                                               matched));                                                    \
    }
FB_FOR_LEVELS(FB_MATCH_MASKS)
#undef FB_MATCH_MASKS

static inline mask_kernel mask_kernel_for(simd_level level)
{
    return FB_OF_LEVEL(level, match_masks);
}

/* The longest sequences for which masks are faster than tables. */
static inline int mask_tokens_for(simd_level level)
{
#ifdef FB_X86_64
    if (level >= SIMD_AVX512) return PLANED_TOKENS;
#endif
    (void)level;
    return PLANED_TOKENS / 2;
}

/* The masks of ids. The ids of the hypothesis' tokens lie below `distinct`; all other tokens have the id
 * `distinct`. `by_token` has, for each id, the words of its positions. */
typedef struct {
    uint64_t in_reference[MASK_WORDS * PLANE], in_hypothesis[MASK_WORDS * PLANE];
    uint64_t by_token[(PLANED_TOKENS + 1) * MASK_WORDS];
} mask_planes;

FB_INLINE void fill_earlier(mask_planes *planes, const int32_t *ids, int length, int distinct,
                            const int words)
{
    memset(planes->by_token, 0, (size_t)(distinct * words) * sizeof(uint64_t));
    for (int i = 0; i < length; i++) {
        uint64_t *positions = planes->by_token + ids[i] * words;
        for (int w = 0; w < words; w++) planes->in_hypothesis[w * PLANE + i] = positions[w];
        positions[i >> 6] |= (uint64_t)1 << (i & 63);
    }
    for (int w = 0; w < words; w++)
        memset(planes->in_hypothesis + w * PLANE + length, 0, MASK_LANES * sizeof(uint64_t));
}

FB_INLINE void fill_reference(mask_planes *planes, const int32_t *ids, int length, const int32_t *reference,
                              int reference_length, int distinct, const int words)
{
    memset(planes->by_token, 0, (size_t)(distinct * words) * sizeof(uint64_t));
    for (int j = 0; j < reference_length; j++)
        planes->by_token[reference[j] * words + (j >> 6)] |= (uint64_t)1 << (j & 63);
    for (int i = 0; i < length; i++) {
        const uint64_t *positions = planes->by_token + ids[i] * words;
        for (int w = 0; w < words; w++) planes->in_reference[w * PLANE + i] = positions[w];
    }
    for (int w = 0; w < words; w++)
        memset(planes->in_reference + w * PLANE + length, 0, MASK_LANES * sizeof(uint64_t));
}

/* Fills the planes of the hypothesis' earlier tokens. */
static inline void fill_planes_of_earlier(mask_planes *planes, int words, const int32_t *ids, int length,
                                          int distinct)
{
    FB_FOR_WORDS(words, fill_earlier(planes, ids, length, distinct, W));
}

/* Fills the planes of a reference. */
static inline void fill_planes_of_reference(mask_planes *planes, int words, const int32_t *ids, int length,
                                            const int32_t *reference, int reference_length, int distinct)
{
    FB_FOR_WORDS(words, fill_reference(planes, ids, length, reference, reference_length, distinct, W));
}

#undef FB_FOR_WORDS
#undef FB_WORDS
