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
 * length. No memory, no locks: any thread may call the functions. Cost: length * max_order * words vector
 * steps. Masks of ids (mask_planes) are plain scratch memory, with nothing to initialize.
 */
#pragma once

#include "words.h"

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

/* Not in match_loops.h: tests compare all other levels with this, and it counts bits only where that matters. */
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

/* clang-format off */
#if defined(FB_X86_64)
#  define V(name) name##_avx2
#include "match_loops.h"
#  undef V
#  define V(name) name##_avx512
#include "match_loops.h"
#  undef V
#elif defined(FB_NEON)
#  define V(name) name##_neon
#include "match_loops.h"
#  undef V
#endif
/* clang-format on */

/* Defines match_masks_portable, match_masks_avx2, match_masks_avx512 or match_masks_neon. */
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

/* Adds to matches[n-1], for n up to max_order, how many n-grams match one reference, by masks of one word. */
typedef void (*match_counter)(const uint64_t *in_reference, const uint64_t *in_hypothesis,
                              int hypothesis_length, int max_order, int64_t *matches);

/* Defines count_matches_portable, count_matches_avx2, count_matches_avx512 or count_matches_neon. */
#define FB_COUNT_MATCHES(suffix, level)                                                                   \
    static inline void count_matches##suffix(const uint64_t *in_reference, const uint64_t *in_hypothesis, \
                                             int hypothesis_length, int max_order, int64_t *matches)      \
    {                                                                                                     \
        uint64_t matched[MASK_ORDERS * MASK_WORDS];                                                       \
        if (max_order > hypothesis_length) max_order = hypothesis_length;                                 \
        for (int n = 0; n < max_order; n++) matched[n * MASK_WORDS] = 0;                                  \
        match_some##suffix(in_reference, in_hypothesis, hypothesis_length, max_order, 1, matched);        \
        for (int n = 0; n < max_order; n++) matches[n] += popcount_portable(matched[n * MASK_WORDS]);     \
    }
FB_FOR_LEVELS(FB_COUNT_MATCHES)
#undef FB_COUNT_MATCHES

static inline match_counter match_counter_for(simd_level level)
{
    return FB_OF_LEVEL(level, count_matches);
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
