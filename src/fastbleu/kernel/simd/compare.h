/* compare.h: position masks (masks.h) of at most 64 tokens, by comparing all with all.
 *
 * Data. A token is one word, or two if `second` is not NULL: tokens are equal if both words are. Bit j of
 * masks[i] is set if token i of one list equals token j of the other. Tokens of the first list are in the
 * lanes of a vector, those of the other are broadcast one by one, so that a mask grows in its lane: nothing
 * is looked up, and no branch depends on a token.
 *
 * Contract. Arrays have room for `length` rounded up to MASK_LANES, whatever is in there; as many masks
 * are written, those from `length` on are 0. Leaves without state: any thread may call them. Cost:
 * length / 8 * other_length steps of three instructions with AVX-512, length / 2 * other_length of two to four
 * with NEON.
 *
 * There is no portable comparer: without vectors, tables of ids are faster.
 */
#pragma once

#include "masks.h"

typedef struct {
    const uint64_t *first, *second;
    int length;
} key_words;

/* `earlier`: 0, or one of these for a list with itself, of which only bits j < i are set. EARLIER_MASKS: tokens
 * are masks of reference positions, any two of which are equal or have no bit in common; the bits of masks
 * without any bit do not matter, as their tokens match nothing. Words are passed by pointer, because copies of
 * what was just written are slow. */
enum { EARLIER_TOKENS = 1, EARLIER_MASKS = 2 };

typedef void (*key_comparer)(const key_words *tokens, const key_words *others, int earlier, uint64_t *masks);

/* All vectors, four at a time. With `earlier`, later tokens are not compared. */
#define FB_COMPARE_VECTORS(compare_some, lanes, wide)                                        \
    for (int at = 0; at < tokens->length; at += 4 * (lanes)) {                               \
        const int left = (tokens->length - at + (lanes) - 1) / (lanes);                      \
        key_words present = *others;                                                         \
        if (earlier && present.length > at + 4 * (lanes)) present.length = at + 4 * (lanes); \
        if (left >= 4) compare_some(*tokens, present, at, 4, wide, earlier, masks);          \
        else if (left == 3) compare_some(*tokens, present, at, 3, wide, earlier, masks);     \
        else if (left == 2) compare_some(*tokens, present, at, 2, wide, earlier, masks);     \
        else compare_some(*tokens, present, at, 1, wide, earlier, masks);                    \
    }

#ifdef FB_X86_64

/* Vectors of 4 tokens from number `at` on. With constants for `vectors` and `wide`, masks stay in registers. */
FB_TARGET(FB_AVX2)
FB_INLINE void compare_some_avx2(key_words tokens, key_words others, int at, const int vectors,
                                 const int wide, int earlier, uint64_t *masks)
{
    __m256i found[4], bit = _mm256_set1_epi64x(1);
    for (int v = 0; v < vectors; v++) found[v] = _mm256_setzero_si256();
    for (int j = 0; j < others.length; j++) {
        const __m256i first = _mm256_set1_epi64x((int64_t)others.first[j]);
        const __m256i second = wide ? _mm256_set1_epi64x((int64_t)others.second[j]) : first;
        for (int v = 0; v < vectors; v++) {
            const int i = at + 4 * v;
            __m256i equal =
                _mm256_cmpeq_epi64(first, _mm256_loadu_si256((const __m256i *)(tokens.first + i)));
            if (wide)
                equal = _mm256_and_si256(
                    equal,
                    _mm256_cmpeq_epi64(second, _mm256_loadu_si256((const __m256i *)(tokens.second + i))));
            found[v] = _mm256_or_si256(found[v], _mm256_and_si256(equal, bit));
        }
        bit = _mm256_add_epi64(bit, bit);
    }
    for (int v = 0; v < vectors; v++) {
        const int i = at + 4 * v;
        if (earlier) {      /* the bits below the lane's own */
            const __m256i own = _mm256_slli_epi64(_mm256_setr_epi64x(1, 2, 4, 8), i);
            found[v] = _mm256_and_si256(found[v], _mm256_sub_epi64(own, _mm256_set1_epi64x(1)));
        }
        _mm256_storeu_si256((__m256i *)(masks + i), found[v]);
    }
}

FB_TARGET(FB_AVX512)
FB_INLINE void compare_some_avx512(key_words tokens, key_words others, int at, const int vectors,
                                   const int wide, int earlier, uint64_t *masks)
{
    __m512i found[4], first_of[4], second_of[4], bit = _mm512_set1_epi64(1);
    for (int v = 0; v < vectors; v++) {
        found[v] = _mm512_setzero_si512();
        first_of[v] = _mm512_loadu_si512(tokens.first + at + 8 * v);
        second_of[v] = wide ? _mm512_loadu_si512(tokens.second + at + 8 * v) : first_of[v];
    }
    for (int j = 0; j < others.length; j++) {
        const __m512i first = _mm512_set1_epi64((int64_t)others.first[j]);
        const __m512i second = wide ? _mm512_set1_epi64((int64_t)others.second[j]) : first;
        for (int v = 0; v < vectors; v++) {
            __mmask8 equal = _mm512_cmpeq_epi64_mask(first, first_of[v]);
            if (wide) equal = _mm512_mask_cmpeq_epi64_mask(equal, second, second_of[v]);
            found[v] = _mm512_mask_or_epi64(found[v], equal, found[v], bit);
        }
        bit = _mm512_add_epi64(bit, bit);
    }
    for (int v = 0; v < vectors; v++) {
        const int i = at + 8 * v;
        if (earlier) {      /* the bits below the lane's own */
            const __m512i own = _mm512_slli_epi64(_mm512_setr_epi64(1, 2, 4, 8, 16, 32, 64, 128), i);
            found[v] = _mm512_and_si512(found[v], _mm512_sub_epi64(own, _mm512_set1_epi64(1)));
        }
        _mm512_storeu_si512(masks + i, found[v]);
    }
}

FB_TARGET(FB_AVX2)
static void compare_keys_avx2(const key_words *tokens, const key_words *others, int earlier, uint64_t *masks)
{
    if (tokens->second) {
        FB_COMPARE_VECTORS(compare_some_avx2, 4, 1)
    } else {
        FB_COMPARE_VECTORS(compare_some_avx2, 4, 0)
    }
    _mm256_storeu_si256((__m256i *)(masks + tokens->length), _mm256_setzero_si256());
    _mm256_storeu_si256((__m256i *)(masks + tokens->length + 4), _mm256_setzero_si256());
}

/* The first position of a mask says which one it is, in a byte: all are compared at once. */
FB_TARGET(FB_AVX512)
static void compare_masks_avx512(const uint64_t *in_reference, int length, uint64_t *masks)
{
    uint8_t first[MASK_TOKENS + MASK_LANES];
    const __m512i one = _mm512_set1_epi64(1);
    uint64_t own = 1;
    for (int i = 0; i < length; i += MASK_LANES) {
        const __m512i found = _mm512_loadu_si512(in_reference + i);
        const __m512i below = _mm512_andnot_si512(found, _mm512_sub_epi64(found, one));
        _mm_storel_epi64((__m128i *)(first + i),
                         _mm512_cvtepi64_epi8(sums_of_words_avx512(bits_of_bytes_avx512(below))));
    }
    const __m512i all = _mm512_loadu_si512(first);
    for (int i = 0; i < length; i++, own <<= 1)
        masks[i] = _mm512_cmpeq_epi8_mask(_mm512_set1_epi8((char)first[i]), all) & (own - 1);
}

FB_TARGET(FB_AVX512)
static void compare_keys_avx512(const key_words *tokens, const key_words *others, int earlier,
                                uint64_t *masks)
{
    if (earlier == EARLIER_MASKS) {
        compare_masks_avx512(tokens->first, tokens->length, masks);
    } else if (tokens->second) {
        FB_COMPARE_VECTORS(compare_some_avx512, 8, 1)
    } else {
        FB_COMPARE_VECTORS(compare_some_avx512, 8, 0)
    }
    _mm512_storeu_si512(masks + tokens->length, _mm512_setzero_si512());
}

#endif /* FB_X86_64 */

#ifdef FB_NEON

/* Pairs of vectors: as many tokens as with AVX2. A mask grows from its last bit to its first: each step shifts
 * what was found below the bit that it adds. */
FB_INLINE void compare_some_neon(key_words tokens, key_words others, int at, const int pairs, const int wide,
                                 int earlier, uint64_t *masks)
{
    uint64x2_t found[8], first_of[8], second_of[8];
    for (int v = 0; v < 2 * pairs; v++) {
        found[v] = vdupq_n_u64(0);
        first_of[v] = vld1q_u64(tokens.first + at + 2 * v);
        second_of[v] = wide ? vld1q_u64(tokens.second + at + 2 * v) : first_of[v];
    }
    for (int j = others.length - 1; j >= 0; j--) {
        const uint64x2_t first = vdupq_n_u64(others.first[j]);
        const uint64x2_t second = wide ? vdupq_n_u64(others.second[j]) : first;
        for (int v = 0; v < 2 * pairs; v++) {
            uint64x2_t equal = vceqq_u64(first, first_of[v]);
            if (wide) equal = vandq_u64(equal, vceqq_u64(second, second_of[v]));
            found[v] = vsliq_n_u64(equal, found[v], 1);
        }
    }
    for (int v = 0; v < 2 * pairs; v++) {
        const int i = at + 2 * v;
        if (earlier) {      /* the bits below the lane's own */
            const uint64_t own = (uint64_t)1 << i;
            found[v] = vandq_u64(found[v], vcombine_u64(vcreate_u64(own - 1), vcreate_u64(2 * own - 1)));
        }
        vst1q_u64(masks + i, found[v]);
    }
}

static void compare_keys_neon(const key_words *tokens, const key_words *others, int earlier, uint64_t *masks)
{
    if (tokens->second) {
        FB_COMPARE_VECTORS(compare_some_neon, 4, 1)
    } else {
        FB_COMPARE_VECTORS(compare_some_neon, 4, 0)
    }
    memset(masks + tokens->length, 0, MASK_LANES * sizeof(uint64_t));
}

#endif /* FB_NEON */

#undef FB_COMPARE_VECTORS

/* The function that compares short segments; NULL if their tokens should be numbered instead. */
static inline key_comparer key_comparer_for(simd_level level)
{
#ifdef FB_NEON
    if (level == SIMD_NEON) return compare_keys_neon;
#endif
#ifdef FB_X86_64
    if (level >= SIMD_AVX512) return compare_keys_avx512;
    if (level == SIMD_AVX2) return compare_keys_avx2;
#endif
    (void)level;
    return NULL;
}
