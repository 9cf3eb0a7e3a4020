/* word_keys.h: the keys of a line's words, 8 at a time with AVX-512.
 *
 * Layout. The 16 bytes of a key are as in content_keys.h: content ends at byte 14, and byte 15 is the tag, char
 * width and size. A vector has 4 words, those of even or those of odd numbers, so that unpacking two vectors
 * gives 8 low and 8 high words of keys. For characters of two bytes, content is their low bytes, and pages are
 * added as by page_key (line_keys.h).
 *
 * Contract. There are 15 characters to read before the line, and one after it. Whatever follows the last edges
 * is overwritten. Bits of `left` are set for words that have to be read one by one: those of more than 15
 * characters or of several pages. Leaves without state: any thread may call them. Cost: about 5 instructions a
 * word of bytes, 12 a word of characters of two bytes.
 */
#pragma once

#include "../tables/key_list.h"
#include "classify.h"

typedef struct { uint16_t starts[LISTED_TOKENS + BLOCK], ends[LISTED_TOKENS + BLOCK]; } token_edges;

typedef struct { uint64_t of[LISTED_TOKENS / 64]; } word_bits;

/* The largest numbers of characters that leave room, in the high or in the low word of a key, for their page and
 * for the bits that say which of them are of it. */
#define SHORT_WORD 4
#define PAGED_WORD (INLINE_BYTES - 3)

#ifdef FB_X86_64

/* Byte n of each of 4 words. */
#  define OF_BYTE(n) ((uint64_t)0x0001000100010001u << (n))

/* 16 bytes of each of words 0, 2, 4 and 6 from `ends` on, of a line whose first 16 these would be. */
FB_TARGET(FB_AVX512)
FB_INLINE __m512i gather_words(const uint8_t *line, const int char_width, const uint16_t *ends)
{
    const __m256i low = _mm256_loadu2_m128i((const __m128i *)(line + ends[2] * char_width),
                                            (const __m128i *)(line + ends[0] * char_width));
    const __m256i high = _mm256_loadu2_m128i((const __m128i *)(line + ends[6] * char_width),
                                             (const __m128i *)(line + ends[4] * char_width));
    return _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
}

/* What tells the pages of 4 words, for their keys. `several`: bytes of words for which that cannot be told. */
FB_TARGET(FB_AVX512)
FB_INLINE __m512i pages_of_words(__m512i high_bytes, __m512i tags, uint64_t inside, uint64_t *several)
{
    /* By byte of a key of up to PAGED_WORD characters, which byte of the bits of 4 words; none: 0x80. */
    /* clang-format off */
    static const uint8_t places[BLOCK] = {
        0x80, 0, 1, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
        0x80, 2, 3, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
        0x80, 4, 5, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
        0x80, 6, 7, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
    };
    /* clang-format on */
    const uint64_t is_short = _mm512_cmple_epu8_mask(tags, _mm512_set1_epi8(1 << 4 | SHORT_WORD));
    const uint64_t is_long = _mm512_cmpgt_epu8_mask(tags, _mm512_set1_epi8(1 << 4 | PAGED_WORD));
    const uint64_t is_longest = _mm512_cmpeq_epi8_mask(tags, _mm512_set1_epi8(1 << 4 | INLINE_BYTES));
    const uint64_t paged = _mm512_mask_test_epi8_mask(inside, high_bytes, high_bytes);
    __m512i page = _mm512_maskz_mov_epi8(inside, high_bytes);      /* in all bytes of a word, the largest */
    page = _mm512_max_epu8(page, _mm512_alignr_epi8(page, page, 8));
    page = _mm512_max_epu8(page, _mm512_alignr_epi8(page, page, 4));
    page = _mm512_max_epu8(page, _mm512_alignr_epi8(page, page, 2));
    page = _mm512_max_epu8(page, _mm512_alignr_epi8(page, page, 1));
    *several = _mm512_mask_cmpneq_epu8_mask(paged, high_bytes, page) | (paged & is_longest)
               | (_mm512_test_epi8_mask(page, page) & is_long & inside & ~paged);
    const __m512i low_places = _mm512_loadu_si512(places);
    const __m512i bits = _mm512_maskz_shuffle_epi8(
        ~is_long, _mm512_set1_epi64((int64_t)paged),
        _mm512_mask_mov_epi8(low_places, is_short, _mm512_shuffle_epi32(low_places, _MM_PERM_BADC)));
    return _mm512_or_si512(bits,
                           _mm512_maskz_mov_epi8((is_short & OF_BYTE(8)) | (~is_short & OF_BYTE(0)), page));
}

/* The keys of a line in characters of 1 or 2 bytes. */
FB_TARGET(FB_AVX512)
FB_INLINE void read_words(const uint8_t *line, const int char_width, token_edges *edges, int count,
                          key_list *keys, word_bits *left)
{
    /* The least tag of a word for which a byte of its key is content. */
    static const uint8_t least_tags[16] = {0x1F, 0x1E, 0x1D, 0x1C, 0x1B, 0x1A, 0x19, 0x18,
                                           0x17, 0x16, 0x15, 0x14, 0x13, 0x12, 0x11, 0xFF};
    const __m512i least = _mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)least_tags));
    const int64_t ones = 0x0101010101010101;
    const __m512i even = _mm512_set_epi64(12 * ones, 12 * ones, 8 * ones, 8 * ones, 4 * ones, 4 * ones, 0, 0);
    const __m512i byte = _mm512_set1_epi16(0xFF);
    __m512i low_bits = _mm512_setzero_si512();
    memset(edges->starts + count, 0, MASK_LANES * sizeof *edges->starts);
    memset(edges->ends + count, 0, MASK_LANES * sizeof *edges->ends);
    for (int i = 0; i < count; i += MASK_LANES) {
        const __m128i sizes = _mm_sub_epi16(_mm_loadu_si128((const __m128i *)(edges->ends + i)),
                                            _mm_loadu_si128((const __m128i *)(edges->starts + i)));
        const __m512i tags = _mm512_broadcast_i32x4(
            _mm_or_si128(_mm_and_si128(sizes, _mm_set1_epi16(INLINE_BYTES)), _mm_set1_epi16(1 << 4)));
        const __m128i too_long = _mm_cmpgt_epi16(sizes, _mm_set1_epi16(INLINE_BYTES));
        uint64_t rest = (uint64_t)_mm_movemask_epi8(_mm_packs_epi16(too_long, _mm_setzero_si128()));
        __m512i found[2];
        for (int odd = 0; odd < 2; odd++) {
            const uint16_t *ends = edges->ends + i + odd;
            const __m512i tag =
                _mm512_shuffle_epi8(tags, odd ? _mm512_or_si512(even, _mm512_set1_epi8(2)) : even);
            const uint64_t inside = _mm512_cmple_epu8_mask(least, tag);
            if (char_width == 1) {
                found[odd] = _mm512_maskz_mov_epi8(inside, gather_words(line - INLINE_BYTES, 1, ends));
            } else {
                const __m512i first = gather_words(line - 2 * INLINE_BYTES, 2, ends);
                const __m512i second = gather_words(line - 2 * INLINE_BYTES + 16, 2, ends);
                const __m512i low =
                    _mm512_packus_epi16(_mm512_and_si512(first, byte), _mm512_and_si512(second, byte));
                const __m512i high =
                    _mm512_packus_epi16(_mm512_srli_epi16(first, 8), _mm512_srli_epi16(second, 8));
                uint64_t several;
                const __m512i pages = pages_of_words(high, tag, inside, &several);
                found[odd] = _mm512_or_si512(_mm512_maskz_mov_epi8(inside, low), pages);
                while (FB_UNLIKELY(several)) {
                    const int word = lowest_bit(several) / 16;
                    rest |= (uint64_t)1 << (2 * word + odd);
                    several &= ~((uint64_t)0xFFFF << 16 * word);
                }
            }
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
