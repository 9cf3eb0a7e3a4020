/* compare.h: position masks (masks.h) of at most 64 tokens, by comparing all with all.
 *
 * Data. A token is one word, or two if `second` is not NULL: tokens are equal if both words are. Bit j of
 * masks[i] is set if token i of one list equals token j of the other. Tokens of the first list are in the
 * lanes of a vector, those of the other are broadcast one by one, so that a mask grows in its lane: nothing
 * is looked up, and no branch depends on a token.
 *
 * Contract. Arrays have room for `length` rounded up to MASK_LANES, with any content from `length` on; as many
 * masks are written, those from `length` on being 0. Stateless functions: any thread may call them. Cost:
 * length / 8 * other_length steps of three instructions with AVX-512, length / 4 of five with AVX2, length / 2 of
 * two to four with NEON.
 *
 * There is no portable comparer: without vectors, tables of ids are faster.
 */
#pragma once

#include "masks.h"

typedef struct {
    const uint64_t *first, *second;
    int length;
} key_words;

/* `earlier`: 0, or one of these to compare a list with itself and set only bits j < i. EARLIER_MASKS: tokens
 * are masks of reference positions, any two of which are equal or have no bit in common; results for masks
 * of 0 do not matter, because their tokens match nothing. Words are passed by pointer, because copying
 * what was just written is slow. */
enum { EARLIER_TOKENS = 1, EARLIER_MASKS = 2 };

typedef void (*key_comparer)(const key_words *tokens, const key_words *others, int earlier, uint64_t *masks);

static const uint64_t first_bits[MASK_LANES] = {1, 2, 4, 8, 16, 32, 64, 128};

/* clang-format off */
#if defined(FB_X86_64)
#  define V(name) name##_avx2
#include "compare_loops.h"
#  undef V
#  define V(name) name##_avx512
#include "compare_loops.h"
#  undef V
#elif defined(FB_NEON)
#  define V(name) name##_neon
#include "compare_loops.h"
#  undef V
#endif
/* clang-format on */

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
