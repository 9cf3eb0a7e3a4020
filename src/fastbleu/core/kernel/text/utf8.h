/* utf8.h: lines of UTF-8, and what they hold.
 *
 * Data. A line is `size` bytes at `bytes`, which are never read beyond. A scan tells whether a line is ASCII,
 * other UTF-8, or not UTF-8, and whether it has white space beyond ASCII, which tokenizers read as tabs.
 *
 * What is accepted is what Python's strict decoder accepts: no overlong forms, no surrogates, nothing above
 * U+10FFFF, no sequence that is cut off; the position of an error is where the wrong sequence starts, as in
 * a UnicodeDecodeError. All scans give the same.
 *
 * Stateless functions: any thread may call them. Cost: ASCII is scanned at the speed of memory; with AVX2
 * 32 other bytes take some thirty operations, else a character takes one or two nanoseconds.
 */
#pragma once

#include "../simd/platform.h"

/* A line in borrowed memory. */
typedef struct {
    const uint8_t *bytes;
    size_t size;
} utf8_line;

/* Prefetches as many bytes as most lines have; any address is allowed. */
FB_INLINE void prefetch_line(uintptr_t address)
{
    FB_PREFETCH((const char *)address);
    FB_PREFETCH((const char *)(address + 64));
    FB_PREFETCH((const char *)(address + 128));
}

FB_INLINE int is_continuation(uint8_t byte)
{
    return (byte & 0xC0) == 0x80;
}

/* The character of more than one byte at `bytes`, of which `left` are there; *size is how many bytes it
 * takes, 0 if they are not UTF-8. */
FB_INLINE uint32_t wide_character(const uint8_t *bytes, size_t left, size_t *size)
{
    const uint8_t lead = bytes[0];
    uint32_t c;
    *size = 0;
    if (lead < 0xC2 || left < 2 || !is_continuation(bytes[1])) return 0;
    if (lead < 0xE0) {
        *size = 2;
        return (uint32_t)(lead & 0x1F) << 6 | (bytes[1] & 0x3F);
    }
    if (left < 3 || !is_continuation(bytes[2])) return 0;
    c = (uint32_t)(bytes[1] & 0x3F) << 6 | (bytes[2] & 0x3F);
    if (lead < 0xF0) {
        c |= (uint32_t)(lead & 0x0F) << 12;
        if (c < 0x800 || (c >= 0xD800 && c < 0xE000)) return 0;
        *size = 3;
        return c;
    }
    if (lead > 0xF4 || left < 4 || !is_continuation(bytes[3])) return 0;
    c = (uint32_t)(lead & 0x07) << 18 | c << 6 | (bytes[3] & 0x3F);
    if (c < 0x10000 || c > 0x10FFFF) return 0;
    *size = 4;
    return c;
}

/* Writes a character beyond ASCII; returns the end of its bytes. */
FB_INLINE uint8_t *put_character(uint8_t *out, uint32_t c)
{
    if (c >= 0x10000) {
        *out++ = (uint8_t)(0xF0 | c >> 18);
        *out++ = (uint8_t)(0x80 | (c >> 12 & 63));
    } else if (c >= 0x800) {
        *out++ = (uint8_t)(0xE0 | c >> 12);
    }
    *out++ = (uint8_t)(c < 0x800 ? 0xC0 | c >> 6 : 0x80 | (c >> 6 & 63));
    *out++ = (uint8_t)(0x80 | (c & 63));
    return out;
}

/* Whether a character is white space beyond ASCII, as for str.isspace(). */
FB_INLINE int is_wide_space(uint32_t c)
{
    return c == 0x85 || c == 0xA0 || c == 0x1680 || c - 0x2000 <= 10 || (c | 1) == 0x2029 || c == 0x202F
           || c == 0x205F || c == 0x3000;
}

/* Replaces the bytes of white space beyond ASCII by tabs. */
static inline void replace_wide_spaces(uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        size_t taken;
        if (bytes[i] < 0xC2 || !is_wide_space(wide_character(bytes + i, size - i, &taken))) continue;
        memset(bytes + i, '\t', taken);
    }
}

/* The size of a line without the white space at its end, as for str.rstrip(). Bytes that are not UTF-8 are
 * not white space, so that a line that is not UTF-8 stays so, from the same byte on. */
static inline size_t size_without_white_space(utf8_line line)
{
    size_t size = line.size;
    while (size > 0) {
        size_t start = size - 1, taken = 1;
        uint32_t c = line.bytes[start];
        if (c >= 0x80) {
            while (start > 0 && size - start < 3 && is_continuation(line.bytes[start])) start--;
            c = wide_character(line.bytes + start, size - start, &taken);
        }
        const int is_space = c < 0x80 ? c - '\t' <= '\r' - '\t' || c - 0x1C <= ' ' - 0x1C : is_wide_space(c);
        if (taken != size - start || !is_space) break;
        size = start;
    }
    return size;
}

/* What a line holds. */
typedef enum { UTF8_ASCII, UTF8_WIDE, UTF8_WIDE_SPACES, UTF8_WRONG } utf8_content;

/* The first byte that is not UTF-8, or `size`; *content tells what the bytes before it hold. */
static inline size_t scan_characters(const uint8_t *bytes, size_t size, utf8_content *content)
{
    size_t at = 0, taken;
    *content = UTF8_ASCII;
    while (at < size) {
        if (size - at >= 8 && !(load64(bytes + at) & 0x8080808080808080u)) {
            at += 8;
        } else if (bytes[at] < 0x80) {
            at++;
        } else {
            const uint32_t c = wide_character(bytes + at, size - at, &taken);
            if (!taken) return at;
            if (*content == UTF8_ASCII) *content = UTF8_WIDE;
            if (is_wide_space(c)) *content = UTF8_WIDE_SPACES;
            at += taken;
        }
    }
    return size;
}

static inline utf8_content scan_portable(const uint8_t *bytes, size_t size)
{
    utf8_content content;
    return scan_characters(bytes, size, &content) < size ? UTF8_WRONG : content;
}

#ifdef FB_X86_64

/* Faults of two bytes in a row. */
enum {
    SHORT_SEQUENCE = 1,       /* a first byte without an inner byte after it */
    NO_SEQUENCE = 2,          /* an inner byte after ASCII */
    INNER_BYTES = 128,        /* two inner bytes: right where a third or a fourth byte has to be */
    OVERLONG_2 = 32,
    OVERLONG_3 = 4,
    SURROGATE = 16,
    ABOVE_10FFFF = 8,
    OVERLONG_4 = 64,          /* or above U+13FFFF */
    ANY_LOW = SHORT_SEQUENCE | NO_SEQUENCE | INNER_BYTES,
    ANY_INNER = NO_SEQUENCE | INNER_BYTES | OVERLONG_2,
    ANY_ABOVE = ABOVE_10FFFF | OVERLONG_4
};

/* The same by the high half of the first byte, by its low half, and by the high half of the second. */
static const uint8_t faults_of_halves[3][16] = {
    {NO_SEQUENCE, NO_SEQUENCE, NO_SEQUENCE, NO_SEQUENCE, NO_SEQUENCE, NO_SEQUENCE, NO_SEQUENCE, NO_SEQUENCE,
     INNER_BYTES, INNER_BYTES, INNER_BYTES, INNER_BYTES, SHORT_SEQUENCE | OVERLONG_2, SHORT_SEQUENCE,
     SHORT_SEQUENCE | OVERLONG_3 | SURROGATE, SHORT_SEQUENCE | ANY_ABOVE},
    {ANY_LOW | OVERLONG_2 | OVERLONG_3 | OVERLONG_4, ANY_LOW | OVERLONG_2, ANY_LOW, ANY_LOW,
     ANY_LOW | ABOVE_10FFFF, ANY_LOW | ANY_ABOVE, ANY_LOW | ANY_ABOVE, ANY_LOW | ANY_ABOVE,
     ANY_LOW | ANY_ABOVE, ANY_LOW | ANY_ABOVE, ANY_LOW | ANY_ABOVE, ANY_LOW | ANY_ABOVE, ANY_LOW | ANY_ABOVE,
     ANY_LOW | ANY_ABOVE | SURROGATE, ANY_LOW | ANY_ABOVE, ANY_LOW | ANY_ABOVE},
    {SHORT_SEQUENCE, SHORT_SEQUENCE, SHORT_SEQUENCE, SHORT_SEQUENCE, SHORT_SEQUENCE, SHORT_SEQUENCE,
     SHORT_SEQUENCE, SHORT_SEQUENCE, ANY_INNER | OVERLONG_3 | OVERLONG_4,
     ANY_INNER | OVERLONG_3 | ABOVE_10FFFF, ANY_INNER | SURROGATE | ABOVE_10FFFF,
     ANY_INNER | SURROGATE | ABOVE_10FFFF, SHORT_SEQUENCE, SHORT_SEQUENCE, SHORT_SEQUENCE, SHORT_SEQUENCE},
};

/* Whether the end cuts off a character. */
static inline int is_cut_off(const uint8_t *bytes, size_t size)
{
    for (size_t cut = 1; cut <= 3 && cut <= size; cut++)
        if (bytes[size - cut] >= (uint8_t)(0xFF00 >> (cut + 1))) return 1;
    return 0;
}

#  define FB_EQUAL(bytes, value) _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8((char)(value)))
#  define FB_BETWEEN(bytes, least, most)                                                        \
      _mm256_cmpeq_epi8(_mm256_max_epu8(_mm256_min_epu8(bytes, _mm256_set1_epi8((char)(most))), \
                                        _mm256_set1_epi8((char)(least))),                       \
                        bytes)

/* Whether any of 32 bytes ends white space beyond ASCII, given also the bytes one and two before. */
FB_TARGET(FB_AVX2)
static inline int has_wide_spaces_avx2(__m256i third, __m256i second, __m256i first)
{
    const __m256i after_80 = FB_EQUAL(second, 0x80), after_e2 = FB_EQUAL(first, 0xE2);
    __m256i general = _mm256_or_si256(FB_BETWEEN(third, 0x80, 0x8A), FB_BETWEEN(third, 0xA8, 0xA9));
    general = _mm256_and_si256(_mm256_or_si256(general, FB_EQUAL(third, 0xAF)), after_80);
    general = _mm256_or_si256(general, _mm256_and_si256(FB_EQUAL(second, 0x81), FB_EQUAL(third, 0x9F)));
    const __m256i latin = _mm256_and_si256(FB_EQUAL(second, 0xC2),
                                           _mm256_or_si256(FB_EQUAL(third, 0x85), FB_EQUAL(third, 0xA0)));
    const __m256i others = _mm256_or_si256(_mm256_and_si256(FB_EQUAL(first, 0xE1), FB_EQUAL(second, 0x9A)),
                                           _mm256_and_si256(FB_EQUAL(first, 0xE3), after_80));
    const __m256i spaces =
        _mm256_or_si256(_mm256_and_si256(others, FB_EQUAL(third, 0x80)), _mm256_and_si256(general, after_e2));
    return _mm256_movemask_epi8(_mm256_or_si256(spaces, latin)) != 0;
}

/* 32 bytes at a time, each with the three before it. A fault is a bit that the tables for both halves of a byte
 * and for the high half of the next have in common (Keiser and Lemire, "Validating UTF-8 in less than one
 * instruction per byte"). No branch depends on single characters: some blocks have dashes and quotes, U+2010 to
 * U+201E, and others do not, so that these do not count as possible white space. Vectors of 64 bytes gain 4 %. */
FB_TARGET(FB_AVX2)
static inline utf8_content scan_avx2(const uint8_t *bytes, size_t size)
{
    const __m256i half = _mm256_set1_epi8(0x0F), inner = _mm256_set1_epi8((char)INNER_BYTES);
    __m256i tables[3], wrong = _mm256_setzero_si256();
    uint8_t copy[3 + 32];
    int is_wide = 0, has_spaces = 0;
    for (int i = 0; i < 3; i++)
        tables[i] = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)faults_of_halves[i]));
    for (size_t at = 0; at < size; at += 32) {
        const size_t left = size - at, before = at ? 3 : 0;
        const uint8_t *from = bytes + at;
        if (!at || left < 32) {
            memset(copy, 0, sizeof copy);
            memcpy(copy + 3 - before, from - before, before + (left < 32 ? left : 32));
            from = copy + 3;
        }
        const __m256i block = _mm256_loadu_si256((const __m256i *)from);
        const int wide = _mm256_movemask_epi8(block);
        is_wide |= wide;
        if (!wide && from[-1] < 0x80) continue;
        const __m256i first = _mm256_loadu_si256((const __m256i *)(from - 1));
        const __m256i second = _mm256_loadu_si256((const __m256i *)(from - 2));
        const __m256i third = _mm256_loadu_si256((const __m256i *)(from - 3));
        const __m256i faults = _mm256_and_si256(
            _mm256_and_si256(
                _mm256_shuffle_epi8(tables[0], _mm256_and_si256(_mm256_srli_epi16(first, 4), half)),
                _mm256_shuffle_epi8(tables[1], _mm256_and_si256(first, half))),
            _mm256_shuffle_epi8(tables[2], _mm256_and_si256(_mm256_srli_epi16(block, 4), half)));
        const __m256i later = _mm256_or_si256(_mm256_subs_epu8(second, _mm256_set1_epi8(0xE0 - 0x80)),
                                              _mm256_subs_epu8(third, _mm256_set1_epi8(0xF0 - 0x80)));
        wrong = _mm256_or_si256(wrong, _mm256_xor_si256(faults, _mm256_and_si256(later, inner)));
        const __m256i lead =
            _mm256_andnot_si256(FB_BETWEEN(block, 0x90, 0x9E), FB_BETWEEN(second, 0xE1, 0xE3));
        if (_mm256_movemask_epi8(_mm256_or_si256(FB_EQUAL(first, 0xC2), lead)))
            has_spaces |= has_wide_spaces_avx2(block, first, second);
    }
    if (!is_wide) return UTF8_ASCII;
    if (!_mm256_testz_si256(wrong, wrong) || is_cut_off(bytes, size)) return UTF8_WRONG;
    return has_spaces ? UTF8_WIDE_SPACES : UTF8_WIDE;
}

#  undef FB_BETWEEN
#  undef FB_EQUAL

#endif

/* What a line holds. */
typedef utf8_content (*utf8_scanner)(const uint8_t *bytes, size_t size);

static inline utf8_scanner utf8_scanner_for(simd_level level)
{
#ifdef FB_X86_64
    if (level >= SIMD_AVX2) return scan_avx2;
#endif
    (void)level;
    return scan_portable;
}
