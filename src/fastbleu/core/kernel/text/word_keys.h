/* word_keys.h: the keys of a line's words, 8 at a time with AVX-512.
 *
 * Layout. The 16 bytes of a key are as in content_keys.h: content ends at byte 14, and byte 15 is the tag, kind
 * and size. A vector has 4 words, those of even or those of odd numbers, so that unpacking two vectors gives 8 low
 * and 8 high words of keys.
 *
 * Contract. There are 15 bytes to read before the line, and one after it. Whatever follows the last edges
 * is overwritten. Bits of `left` are set for words of more than 15 bytes, which have to be read one by one.
 * Stateless functions: any thread may call them. Cost: about 5 instructions a word.
 */
#pragma once

#include "../hashing/key_list.h"
#include "classify.h"

typedef struct { uint16_t starts[LISTED_TOKENS + BLOCK], ends[LISTED_TOKENS + BLOCK]; } token_edges;

typedef struct { uint64_t of[LISTED_TOKENS / 64]; } word_bits;

#ifdef FB_X86_64

/* Byte n of each of 4 words. */
#  define OF_BYTE(n) ((uint64_t)0x0001000100010001u << (n))

/* The 16 bytes at `line` plus the end of a word, for words 0, 2, 4 and 6 from `ends` on. */
FB_TARGET(FB_AVX512)
FB_INLINE __m512i gather_words(const uint8_t *line, const uint16_t *ends)
{
    const __m256i low =
        _mm256_loadu2_m128i((const __m128i *)(line + ends[2]), (const __m128i *)(line + ends[0]));
    const __m256i high =
        _mm256_loadu2_m128i((const __m128i *)(line + ends[6]), (const __m128i *)(line + ends[4]));
    return _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
}

FB_TARGET(FB_AVX512)
FB_INLINE void read_words(const uint8_t *line, token_edges *edges, int count, key_list *keys, word_bits *left)
{
    /* The least tag of a word for which a byte of its key is content. */
    static const uint8_t least_tags[16] = {0x3F, 0x3E, 0x3D, 0x3C, 0x3B, 0x3A, 0x39, 0x38,
                                           0x37, 0x36, 0x35, 0x34, 0x33, 0x32, 0x31, 0xFF};
    const __m512i least = _mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)least_tags));
    const int64_t ones = 0x0101010101010101;
    const __m512i even = _mm512_set_epi64(12 * ones, 12 * ones, 8 * ones, 8 * ones, 4 * ones, 4 * ones, 0, 0);
    __m512i low_bits = _mm512_setzero_si512();
    memset(edges->starts + count, 0, MASK_LANES * sizeof *edges->starts);
    memset(edges->ends + count, 0, MASK_LANES * sizeof *edges->ends);
    for (int i = 0; i < count; i += MASK_LANES) {
        const __m128i sizes = _mm_sub_epi16(_mm_loadu_si128((const __m128i *)(edges->ends + i)),
                                            _mm_loadu_si128((const __m128i *)(edges->starts + i)));
        const __m512i tags = _mm512_broadcast_i32x4(_mm_or_si128(
            _mm_and_si128(sizes, _mm_set1_epi16(INLINE_BYTES)), _mm_set1_epi16(KIND_BYTES << 4)));
        const __m128i too_long = _mm_cmpgt_epi16(sizes, _mm_set1_epi16(INLINE_BYTES));
        uint64_t rest = (uint64_t)_mm_movemask_epi8(_mm_packs_epi16(too_long, _mm_setzero_si128()));
        __m512i found[2];
        for (int odd = 0; odd < 2; odd++) {
            const uint16_t *ends = edges->ends + i + odd;
            const __m512i tag =
                _mm512_shuffle_epi8(tags, odd ? _mm512_or_si512(even, _mm512_set1_epi8(2)) : even);
            const uint64_t inside = _mm512_cmple_epu8_mask(least, tag);
            found[odd] = _mm512_maskz_mov_epi8(inside, gather_words(line - INLINE_BYTES, ends));
            found[odd] = _mm512_mask_mov_epi8(found[odd], OF_BYTE(15), tag);
        }
        const __m512i low = _mm512_unpacklo_epi64(found[0], found[1]);
        _mm512_storeu_si512(keys->low + i, low);
        _mm512_storeu_si512(keys->high + i, _mm512_unpackhi_epi64(found[0], found[1]));
        low_bits = _mm512_or_si512(low_bits, low);
        left->of[i / 64] |= rest << (i % 64);
    }
    keys->low_bits = _mm512_test_epi64_mask(low_bits, low_bits);
}

#endif /* FB_X86_64 */
