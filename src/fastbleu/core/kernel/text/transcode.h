/* transcode.h: the characters of a str as UTF-8.
 *
 * Data. Characters of 1, 2 or 4 bytes, as Python stores them, become UTF-8; a lone surrogate, which a str may
 * hold, becomes three bytes. With `tabs`, white space beyond ASCII becomes tabs, one for each character.
 *
 * Contract. There is room for 2, 3 or 4 bytes a character, by their width, and 64 more; bytes after the result may be
 * overwritten. All levels give the same bytes. Stateless functions, except for tables that list_utf8_tables() must
 * fill first: any thread may call them. Cost: a copy for ASCII, else some 40 operations for eight characters; those of
 * a str with 4 bytes a character are written one at a time.
 */
#pragma once

#include "../simd/vector16.h"
#include "utf8.h"

/* Characters `at` to `stop` - 1, one at a time. */
FB_INLINE uint8_t *put_characters(const void *chars, const int char_width, size_t at, size_t stop,
                                  const int tabs, uint8_t *out)
{
    for (; at < stop; at++) {
        uint32_t c = char_width == 1   ? ((const uint8_t *)chars)[at]
                     : char_width == 2 ? ((const uint16_t *)chars)[at]
                                       : ((const uint32_t *)chars)[at];
        if (c < 0x80) {
            *out++ = (uint8_t)c;
            continue;
        }
        if (tabs && is_wide_space(c)) {
            *out++ = '\t';
            continue;
        }
        out = put_character(out, c);
    }
    return out;
}

/* Writes characters; returns the end of their bytes. */
typedef uint8_t *(*transcoder)(const void *chars, int char_width, size_t length, int tabs, uint8_t *out);

static uint8_t *transcode_portable(const void *chars, int char_width, size_t length, int tabs, uint8_t *out)
{
    size_t at = 0;
    if (char_width == 2) return put_characters(chars, 2, 0, length, tabs, out);
    if (char_width == 4) return put_characters(chars, 4, 0, length, tabs, out);
    while (at < length) {
        const uint8_t *bytes = (const uint8_t *)chars + at;
        size_t stop = at + 8;
        if (length - at >= 8 && !(load64(bytes) & 0x8080808080808080u)) {
            memcpy(out, bytes, 8);
            out += 8;
        } else {
            if (stop > length) stop = length;
            out = put_characters(chars, 1, at, stop, tabs, out);
        }
        at = stop;
    }
    return out;
}

#ifdef FB_X86_64

/* Writes the first `count` of 16 characters, each in 32 bits. Bytes 0 to 3 of a lane are those of a character of four
 * bytes, in order; a shorter one has the last of them. */
FB_TARGET(FB_VBMI2)
FB_INLINE uint8_t *put_sixteen(__m512i chars, size_t count, uint8_t *out)
{
    const __m512i inner = _mm512_set1_epi32(0x80), low_bits = _mm512_set1_epi32(0x3F);
    const __m512i third = _mm512_srli_epi32(chars, 6), second = _mm512_srli_epi32(chars, 12);
    const __mmask16 two = _mm512_cmpgt_epu32_mask(chars, _mm512_set1_epi32(0x7F));
    const __mmask16 three = _mm512_cmpgt_epu32_mask(chars, _mm512_set1_epi32(0x7FF));
    const __mmask16 four = _mm512_cmpgt_epu32_mask(chars, _mm512_set1_epi32(0xFFFF));
    const __m512i all = _mm512_set1_epi32(-1);
    __m512i bytes = _mm512_mask_or_epi32(chars, two, _mm512_and_si512(chars, low_bits), inner);
    __m512i more = _mm512_or_si512(third, _mm512_set1_epi32(0xC0));
    more = _mm512_mask_or_epi32(more, three, _mm512_and_si512(third, low_bits), inner);
    bytes = _mm512_or_si512(_mm512_slli_epi32(bytes, 24), _mm512_slli_epi32(more, 16));
    more = _mm512_or_si512(second, _mm512_set1_epi32(0xE0));
    more = _mm512_mask_or_epi32(more, four, _mm512_and_si512(second, low_bits), inner);
    bytes = _mm512_or_si512(bytes, _mm512_slli_epi32(_mm512_and_si512(more, _mm512_set1_epi32(0xFF)), 8));
    more = _mm512_or_si512(_mm512_srli_epi32(chars, 18), _mm512_set1_epi32(0xF0));
    bytes = _mm512_or_si512(bytes, more);
    uint64_t kept = 0x8888888888888888u;
    kept |= _mm512_movepi8_mask(_mm512_maskz_mov_epi32(two, all)) & 0x4444444444444444u;
    kept |= _mm512_movepi8_mask(_mm512_maskz_mov_epi32(three, all)) & 0x2222222222222222u;
    kept |= _mm512_movepi8_mask(_mm512_maskz_mov_epi32(four, all)) & 0x1111111111111111u;
    if (count < 16) kept &= ((uint64_t)1 << 4 * count) - 1;
    _mm512_storeu_si512(out, _mm512_maskz_compress_epi8(kept, bytes));
    return out + _mm_popcnt_u64(kept);
}

/* Writes the first `count` of 32 characters below U+0800, each in 16 bits. */
FB_TARGET(FB_VBMI2)
FB_INLINE uint8_t *put_thirty_two(__m512i chars, size_t count, const int tabs, uint8_t *out)
{
    if (tabs) {
        const __mmask32 spaces = _mm512_cmpeq_epi16_mask(chars, _mm512_set1_epi16(0x85))
                                 | _mm512_cmpeq_epi16_mask(chars, _mm512_set1_epi16(0xA0));
        chars = _mm512_mask_mov_epi16(chars, spaces, _mm512_set1_epi16('\t'));
    }
    const __mmask32 two = _mm512_cmpgt_epu16_mask(chars, _mm512_set1_epi16(0x7F));
    const __m512i first = _mm512_or_si512(_mm512_srli_epi16(chars, 6), _mm512_set1_epi16((short)0x80C0));
    const __m512i last = _mm512_slli_epi16(_mm512_and_si512(chars, _mm512_set1_epi16(0x3F)), 8);
    const __m512i bytes = _mm512_mask_mov_epi16(chars, two, _mm512_or_si512(first, last));
    uint64_t kept = _mm512_movepi8_mask(_mm512_movm_epi16(two)) | 0x5555555555555555u;
    if (count < 32) kept &= ((uint64_t)1 << 2 * count) - 1;
    _mm512_storeu_si512(out, _mm512_maskz_compress_epi8(kept, bytes));
    return out + _mm_popcnt_u64(kept);
}

FB_TARGET(FB_VBMI2)
FB_INLINE __mmask32 spaces_beyond_ascii(__m512i chars)
{
#  define FB_EQUAL(value) _mm512_cmpeq_epi16_mask(chars, _mm512_set1_epi16((short)(value)))
    const __m512i general = _mm512_sub_epi16(chars, _mm512_set1_epi16(0x2000));
    return _mm512_cmple_epu16_mask(general, _mm512_set1_epi16(10)) | FB_EQUAL(0x85) | FB_EQUAL(0xA0)
           | FB_EQUAL(0x1680) | FB_EQUAL(0x2028) | FB_EQUAL(0x2029) | FB_EQUAL(0x202F) | FB_EQUAL(0x205F)
           | FB_EQUAL(0x3000);
#  undef FB_EQUAL
}

FB_TARGET(FB_VBMI2)
static uint8_t *transcode_vbmi2(const void *chars, int char_width, size_t length, int tabs, uint8_t *out)
{
    const uint8_t *bytes = (const uint8_t *)chars;
    size_t count;
    for (size_t at = 0; at < length; at += count) {
        const size_t left = length - at;
        if (char_width == 4) {
            count = left < 16 ? left : 16;
            __m512i sixteen =
                _mm512_maskz_loadu_epi32((__mmask16)(((uint32_t)1 << count) - 1), bytes + 4 * at);
            const __m512i low = _mm512_min_epu32(sixteen, _mm512_set1_epi32(0xFFFF));
            const __mmask16 spaces =
                (__mmask16)spaces_beyond_ascii(_mm512_castsi256_si512(_mm512_cvtepi32_epi16(low)));
            if (tabs) sixteen = _mm512_mask_mov_epi32(sixteen, spaces, _mm512_set1_epi32('\t'));
            out = put_sixteen(sixteen, count, out);
            continue;
        }
        if (char_width == 1 && left >= 64) {
            const __m512i block = _mm512_loadu_si512(bytes + at);
            if (!_mm512_movepi8_mask(block)) {
                _mm512_storeu_si512(out, block);
                count = 64;
                out += 64;
                continue;
            }
        }
        count = left < 32 ? left : 32;
        const __mmask32 inside = (__mmask32)(((uint64_t)1 << count) - 1);
        if (char_width == 1) {
            const __m512i block = _mm512_maskz_loadu_epi8(inside, bytes + at);
            out = put_thirty_two(_mm512_cvtepu8_epi16(_mm512_castsi512_si256(block)), count, tabs, out);
            continue;
        }
        __m512i block = _mm512_maskz_loadu_epi16(inside, bytes + 2 * at);
        if (!_mm512_cmpgt_epu16_mask(block, _mm512_set1_epi16(0x7FF))) {
            out = put_thirty_two(block, count, tabs, out);
            continue;
        }
        if (tabs) block = _mm512_mask_mov_epi16(block, spaces_beyond_ascii(block), _mm512_set1_epi16('\t'));
        out = put_sixteen(_mm512_cvtepu16_epi32(_mm512_castsi512_si256(block)), count < 16 ? count : 16, out);
        if (count > 16)
            out = put_sixteen(_mm512_cvtepu16_epi32(_mm512_extracti64x4_epi64(block, 1)), count - 16, out);
    }
    return out;
}

#endif

#ifdef FB_VECTOR16

/* Where the bytes are, and how many: of eight characters of up to two bytes, each in 16 bits, by a bit for each
 * character of two; and of four characters of up to three bytes, each in the last bytes of 32 bits, by a bit for each
 * character of two or more, and one for each of three. */
static uint8_t places_of_eight[256][16], sizes_of_eight[256], places_of_four[256][16], sizes_of_four[256];

static inline void list_utf8_tables(void)
{
    memset(places_of_eight, 0x80, sizeof places_of_eight);
    memset(places_of_four, 0x80, sizeof places_of_four);
    for (int bits = 0; bits < 256; bits++) {
        uint8_t eight = 0, four = 0;
        for (int i = 0; i < 8; i++) {
            places_of_eight[bits][eight++] = (uint8_t)(2 * i);
            if (bits >> i & 1) places_of_eight[bits][eight++] = (uint8_t)(2 * i + 1);
        }
        for (int i = 0; i < 4; i++)
            for (int k = 2 - (bits >> i & 1) - (bits >> i >> 4 & 1); k < 3; k++)
                places_of_four[bits][four++] = (uint8_t)(4 * i + k);
        sizes_of_eight[bits] = eight;
        sizes_of_four[bits] = four;
    }
}

/* Writes eight characters below U+0800, each in 16 bits. */
FB_VECTOR16
FB_INLINE uint8_t *put_eight(vector16 chars, const int tabs, uint8_t *out)
{
    if (tabs) {
        const vector16 spaces = or16(equal_16(chars, repeat_16(0x85)), equal_16(chars, repeat_16(0xA0)));
        chars = choose16(spaces, repeat_16('\t'), chars);
    }
    const vector16 two = greater_16(chars, repeat_16(0x7F));
    const vector16 last = or16(and16(chars, repeat_16(0x3F)), repeat_16(0x80));
    const vector16 first = or16(shift_right_16(chars, 6), repeat_16(0xC0));
    const unsigned bits = mask_of_16(two);
    const vector16 bytes = choose16(two, or16(first, shift_left_16(last, 8)), chars);
    store16(out, look_up16(bytes, load16(places_of_eight[bits])));
    return out + sizes_of_eight[bits];
}

/* Writes four characters below U+10000, each in 32 bits. */
FB_VECTOR16
FB_INLINE uint8_t *put_four(vector16 chars, uint8_t *out)
{
    const vector16 inner = repeat_32(0x80), low_bits = repeat_32(0x3F);
    const vector16 two = greater_32(chars, repeat_32(0x7F)), three = greater_32(chars, repeat_32(0x7FF));
    const vector16 middle = shift_right_32(chars, 6);
    const vector16 last = choose16(two, or16(and16(chars, low_bits), inner), chars);
    const vector16 before =
        choose16(three, or16(and16(middle, low_bits), inner), or16(middle, repeat_32(0xC0)));
    const vector16 first = or16(shift_right_32(chars, 12), repeat_32(0xE0));
    const vector16 bytes = or16(first, or16(shift_left_32(before, 8), shift_left_32(last, 16)));
    const unsigned bits = mask_of_32(two) | mask_of_32(three) << 4;
    store16(out, look_up16(bytes, load16(places_of_four[bits])));
    return out + sizes_of_four[bits];
}

/* Eight characters of 16 bits with tabs for white space beyond ASCII. */
FB_VECTOR16
FB_INLINE vector16 with_tabs(vector16 chars)
{
    const vector16 general = subtract_16(chars, repeat_16(0x2000));
    vector16 spaces = or16(equal_16(chars, repeat_16(0x85)), equal_16(chars, repeat_16(0xA0)));
    spaces = or16(spaces, equal_16(least_16(general, repeat_16(10)), general));
    spaces = or16(spaces, equal_16(or16(chars, repeat_16(1)), repeat_16(0x2029)));
    spaces = or16(spaces, or16(equal_16(chars, repeat_16(0x202F)), equal_16(chars, repeat_16(0x205F))));
    spaces = or16(spaces, or16(equal_16(chars, repeat_16(0x1680)), equal_16(chars, repeat_16(0x3000))));
    return choose16(spaces, repeat_16('\t'), chars);
}

FB_VECTOR16
static uint8_t *transcode_vector16(const void *chars, int char_width, size_t length, int tabs, uint8_t *out)
{
    const uint8_t *bytes = (const uint8_t *)chars;
    size_t at = 0;
    if (char_width == 4) return put_characters(chars, 4, 0, length, tabs, out);
    while (length - at >= 8) {
        vector16 eight;
        at += 8;
        if (char_width == 1) {
            if (length - at >= 8 && !has_top_bits16(load16(bytes + at - 8))) {
                store16(out, load16(bytes + at - 8));
                out += 16;
                at += 8;
                continue;
            }
            out = put_eight(widen_8(bytes + at - 8), tabs, out);
            continue;
        }
        eight = load16(bytes + 2 * (at - 8));
        if (!has_bits16(eight, repeat_16(0xF800))) {
            out = put_eight(eight, tabs, out);
            continue;
        }
        if (tabs) eight = with_tabs(eight);
        out = put_four(low_to_32(eight), out);
        out = put_four(high_to_32(eight), out);
    }
    return char_width == 1 ? put_characters(chars, 1, at, length, tabs, out)
                           : put_characters(chars, 2, at, length, tabs, out);
}

#else

static inline void list_utf8_tables(void)
{
}

#endif

static inline transcoder transcoder_for(simd_level level)
{
#ifdef FB_X86_64
    if (level == SIMD_VBMI2) return transcode_vbmi2;
#endif
#ifdef FB_VECTOR16
    if (level != SIMD_PORTABLE) return transcode_vector16;
#endif
    (void)level;
    return transcode_portable;
}
