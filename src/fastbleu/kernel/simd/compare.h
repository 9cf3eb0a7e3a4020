/* compare.h: position masks (masks.h) of at most 64 tokens, by comparing all with all.
 *
 * Data. A token is two words: tokens are equal if both are. Lists of ids have the first word only (`high`
 * is NULL). Bit j of masks[i] is set if token i of one list equals token j of the other. Tokens of the
 * first list stand in the lanes of a vector, those of the other are broadcast one by one, so that a mask
 * grows in its lane: nothing is looked up, and no branch depends on a token.
 *
 * Contract. Arrays have room for `length` rounded up to MASK_LANES, whatever is in there; as many masks
 * are written, those from `length` on are 0. Leaves without state: any thread may call them. Cost:
 * length / 8 * other_length steps of three instructions (AVX-512).
 *
 * There is no portable comparer: without vectors, tables of ids are faster.
 */
#ifndef FASTBLEU_COMPARE_H
#define FASTBLEU_COMPARE_H

#include "masks.h"

typedef struct {
    const uint64_t *low, *high;
    int length;
} key_words;

/* `earlier`: of the list with itself; only bits j < i are set. */
typedef void (*key_comparer)(key_words tokens, key_words others, int earlier, uint64_t *masks);

#ifdef FB_X86_64

/* Vectors of 4 tokens from `first` on. With constants for `vectors` and `wide`, masks stay in registers. */
FB_TARGET("avx2")
FB_INLINE void compare_some_avx2(key_words tokens, key_words others, int first, const int vectors,
                                 const int wide, uint64_t *masks)
{
    __m256i found[4], bit = _mm256_set1_epi64x(1);
    for (int v = 0; v < vectors; v++) found[v] = _mm256_setzero_si256();
    for (int j = 0; j < others.length; j++) {
        const __m256i low = _mm256_set1_epi64x((int64_t)others.low[j]);
        const __m256i high = wide ? _mm256_set1_epi64x((int64_t)others.high[j]) : low;
        for (int v = 0; v < vectors; v++) {
            const int i = first + 4 * v;
            __m256i equal =
                _mm256_cmpeq_epi64(low, _mm256_loadu_si256((const __m256i *)(tokens.low + i)));
            if (wide)
                equal = _mm256_and_si256(
                    equal, _mm256_cmpeq_epi64(high, _mm256_loadu_si256((const __m256i *)(tokens.high + i))));
            found[v] = _mm256_or_si256(found[v], _mm256_and_si256(equal, bit));
        }
        bit = _mm256_add_epi64(bit, bit);
    }
    for (int v = 0; v < vectors; v++)
        _mm256_storeu_si256((__m256i *)(masks + first + 4 * v), found[v]);
}

FB_TARGET("avx512f")
FB_INLINE void compare_some_avx512(key_words tokens, key_words others, int first, const int vectors,
                                   const int wide, uint64_t *masks)
{
    __m512i found[4], low_of[4], high_of[4], bit = _mm512_set1_epi64(1);
    for (int v = 0; v < vectors; v++) {
        found[v] = _mm512_setzero_si512();
        low_of[v] = _mm512_loadu_si512(tokens.low + first + 8 * v);
        high_of[v] = wide ? _mm512_loadu_si512(tokens.high + first + 8 * v) : low_of[v];
    }
    for (int j = 0; j < others.length; j++) {
        const __m512i low = _mm512_set1_epi64((int64_t)others.low[j]);
        const __m512i high = wide ? _mm512_set1_epi64((int64_t)others.high[j]) : low;
        for (int v = 0; v < vectors; v++) {
            __mmask8 equal = _mm512_cmpeq_epi64_mask(low, low_of[v]);
            if (wide) equal = _mm512_mask_cmpeq_epi64_mask(equal, high, high_of[v]);
            found[v] = _mm512_mask_or_epi64(found[v], equal, found[v], bit);
        }
        bit = _mm512_add_epi64(bit, bit);
    }
    for (int v = 0; v < vectors; v++) _mm512_storeu_si512(masks + first + 8 * v, found[v]);
}

/* All vectors, four at a time. Nothing equals a token that comes later among the `earlier`. */
#define FB_COMPARE_VECTORS(compare_some, lanes, wide)                             \
    for (int first = 0; first < tokens.length; first += 4 * (lanes)) {            \
        const int left = (tokens.length - first + (lanes) - 1) / (lanes);         \
        key_words present = others;                                               \
        if (earlier && present.length > first + 4 * (lanes))                      \
            present.length = first + 4 * (lanes);                                 \
        if (left >= 4) compare_some(tokens, present, first, 4, wide, masks);      \
        else if (left == 3) compare_some(tokens, present, first, 3, wide, masks); \
        else if (left == 2) compare_some(tokens, present, first, 2, wide, masks); \
        else compare_some(tokens, present, first, 1, wide, masks);                \
    }

FB_TARGET("avx2")
static void compare_keys_avx2(key_words tokens, key_words others, int earlier, uint64_t *masks)
{
    if (tokens.high) {
        FB_COMPARE_VECTORS(compare_some_avx2, 4, 1)
    } else {
        FB_COMPARE_VECTORS(compare_some_avx2, 4, 0)
    }
    if (earlier)
        for (int i = 0; i < tokens.length; i++) masks[i] &= ((uint64_t)1 << i) - 1;
    for (int i = 0; i < MASK_LANES; i++) masks[tokens.length + i] = 0;
}

FB_TARGET("avx512f")
static void compare_keys_avx512(key_words tokens, key_words others, int earlier, uint64_t *masks)
{
    if (tokens.high) {
        FB_COMPARE_VECTORS(compare_some_avx512, 8, 1)
    } else {
        FB_COMPARE_VECTORS(compare_some_avx512, 8, 0)
    }
    if (earlier)
        for (int i = 0; i < tokens.length; i++) masks[i] &= ((uint64_t)1 << i) - 1;
    for (int i = 0; i < MASK_LANES; i++) masks[tokens.length + i] = 0;
}

#undef FB_COMPARE_VECTORS

#endif /* FB_X86_64 */

/* What compares short segments; NULL where their tokens are to be numbered instead. */
static inline key_comparer key_comparer_for(simd_level level)
{
#ifdef FB_X86_64
    if (level == SIMD_AVX512) return compare_keys_avx512;
    if (level == SIMD_AVX2) return compare_keys_avx2;
#endif
    (void)level;
    return NULL;
}

#endif
