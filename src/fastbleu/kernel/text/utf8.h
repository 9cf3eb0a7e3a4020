/* utf8.h: lines of UTF-8: what they hold, and their characters as Python stores them.
 *
 * Data. A line is `size` bytes at `bytes`, which are never read beyond. A scan tells whether a line is
 * ASCII, other UTF-8, or none, and whether it has white space beyond ASCII, the only characters there that
 * some tokenizers do not take for letters. Where characters must be told apart a decoder writes them in the
 * narrowest unit that holds all of them, 1, 2 or 4 bytes, as in a str; so what reads a str reads these, and
 * gives the same.
 *
 * What is accepted is what Python's strict decoder accepts: no overlong forms, no surrogates, nothing above
 * U+10FFFF, no sequence that is cut off; the position of an error is where the wrong sequence starts, as in
 * a UnicodeDecodeError. All scans give the same, and so do all decoders.
 *
 * If another thread writes to the bytes meanwhile the result is unspecified, but no more is written than
 * there are bytes.
 *
 * Leaves without state: any thread may call them. Cost: ASCII is scanned at the speed of memory; with AVX-512
 * 64 other bytes take some twenty operations to be scanned and forty to be decoded, else a character takes
 * one or two nanoseconds.
 */
#pragma once

#include "../simd/platform.h"

/* A line in memory that belongs to somebody else. */
typedef struct {
    const uint8_t *bytes;
    size_t size;
} utf8_line;

/* Has as much fetched into the cache as most lines have; the address may be any. */
FB_INLINE void prefetch_line(uintptr_t address)
{
    FB_PREFETCH((const char *)address);
    FB_PREFETCH((const char *)(address + 64));
    FB_PREFETCH((const char *)(address + 128));
}

/* The largest byte: of a line that is UTF-8 the first byte of its largest character. */
static inline uint8_t largest_byte(const uint8_t *bytes, size_t size)
{
    uint8_t largest = 0;
    for (size_t i = 0; i < size; i++) largest = bytes[i] > largest ? bytes[i] : largest;
    return largest;
}

/* The bytes of a unit that holds all characters of a line, by its largest byte. */
FB_INLINE int unit_of_utf8(uint8_t largest)
{
    return largest < 0xC4 ? 1 : largest < 0xF0 ? 2 : 4;
}

/* A line that is being decoded into an array with room for as many characters as the line has bytes. */
typedef struct {
    const uint8_t *bytes;
    size_t size;
    void *out;
    int unit;
    size_t at, written;      /* bytes read, characters written */
} utf8_decoding;

FB_INLINE int is_continuation(uint8_t byte)
{
    return (byte & 0xC0) == 0x80;
}

/* The character of more than one byte at `bytes`, of which `left` are there; *size is how many bytes it
 * takes, 0 where they are no UTF-8. */
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

FB_INLINE void store_character(void *out, int unit, size_t at, uint32_t c)
{
    if (unit == 1) ((uint8_t *)out)[at] = (uint8_t)c;
    else if (unit == 2) ((uint16_t *)out)[at] = (uint16_t)c;
    else ((uint32_t *)out)[at] = c;
}

/* Decodes on up to byte `stop`, or up to 3 more; returns 0, or -1 where what starts at line->at is wrong. */
FB_INLINE int decode_characters(utf8_decoding *line, size_t stop, const int unit)
{
    const uint32_t most = unit == 1 ? 0xFF : unit == 2 ? 0xFFFF : 0x10FFFF;
    while (line->at < stop) {
        size_t taken = 1;
        uint32_t c = line->bytes[line->at];
        if (c >= 0x80) c = wide_character(line->bytes + line->at, line->size - line->at, &taken);
        if (!taken || c > most) return -1;
        store_character(line->out, unit, line->written++, c);
        line->at += taken;
    }
    return 0;
}

/* The bytes of the white space beyond ASCII that begins at `bytes`, of which `left` are there; 0: none. */
FB_INLINE size_t wide_space(const uint8_t *bytes, size_t left)
{
    if (left >= 2 && bytes[0] == 0xC2) return bytes[1] == 0x85 || bytes[1] == 0xA0 ? 2 : 0;
    if (left < 3) return 0;
    const uint8_t second = bytes[1], third = bytes[2];
    int is_space = 0;
    if (bytes[0] == 0xE1) is_space = second == 0x9A && third == 0x80;
    if (bytes[0] == 0xE2 && second == 0x80)
        is_space = third <= 0x8A || third == 0xA8 || third == 0xA9 || third == 0xAF;
    if (bytes[0] == 0xE2 && second == 0x81) is_space = third == 0x9F;
    if (bytes[0] == 0xE3) is_space = second == 0x80 && third == 0x80;
    return is_space ? 3 : 0;
}

/* Makes tabs of the bytes of white space beyond ASCII. */
static inline void replace_wide_spaces(uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        const size_t found = bytes[i] < 0xC2 ? 0 : wide_space(bytes + i, size - i);
        for (size_t k = 0; k < found; k++) bytes[i + k] = '\t';
    }
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
            wide_character(bytes + at, size - at, &taken);
            if (!taken) return at;
            if (*content == UTF8_ASCII) *content = UTF8_WIDE;
            if (wide_space(bytes + at, taken)) *content = UTF8_WIDE_SPACES;
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

/* The steps of reading a line. */
typedef struct {
    utf8_content (*scan)(const uint8_t *bytes, size_t size);
    int (*decode)(utf8_decoding *line, size_t stop);
} utf8_reader;

static inline int decode_portable(utf8_decoding *line, size_t stop)
{
    if (line->unit == 1) return decode_characters(line, stop, 1);
    if (line->unit == 2) return decode_characters(line, stop, 2);
    return decode_characters(line, stop, 4);
}

#ifdef FB_X86_64

/* Masks of bytes by their values. */
#  define FB_EQUAL(value) _mm512_cmpeq_epi8_mask(block, _mm512_set1_epi8((char)(value)))
#  define FB_FROM(value) _mm512_cmpge_epu8_mask(block, _mm512_set1_epi8((char)(value)))

/* Whether 64 bytes, which begin and end with whole characters, have white space beyond ASCII. */
FB_TARGET("avx512f,avx512bw")
static inline int has_wide_spaces_avx512(__m512i block)
{
    const uint64_t after_80 = FB_EQUAL(0x80) << 1, after_e2 = FB_EQUAL(0xE2) << 2;
    const uint64_t general = FB_FROM(0x80) & ~FB_FROM(0x8B);
    uint64_t spaces = FB_EQUAL(0xC2) << 1 & (FB_EQUAL(0x85) | FB_EQUAL(0xA0));
    spaces |= after_e2 & after_80 & (general | FB_EQUAL(0xA8) | FB_EQUAL(0xA9) | FB_EQUAL(0xAF));
    spaces |= after_e2 & FB_EQUAL(0x81) << 1 & FB_EQUAL(0x9F);
    spaces |= (FB_EQUAL(0xE1) << 2 & FB_EQUAL(0x9A) << 1 & FB_EQUAL(0x80))
              | (FB_EQUAL(0xE3) << 2 & after_80 & FB_EQUAL(0x80));
    return spaces != 0;
}

/* 64 bytes at a time, of which the first begins a character, and less where the last one is cut off. */
FB_TARGET("avx512f,avx512bw")
static inline utf8_content scan_avx512(const uint8_t *bytes, size_t size)
{
    utf8_content content = UTF8_ASCII;
    size_t at = 0;
    while (at < size) {
        const size_t left = size - at;
        const uint64_t inside = left < 64 ? ((uint64_t)1 << left) - 1 : ~(uint64_t)0;
        const __m512i block = _mm512_maskz_loadu_epi8(inside, bytes + at);
        const uint64_t wide = _mm512_movepi8_mask(block);
        if (!wide) {
            at += 64;
            continue;
        }
        const uint64_t threes = FB_FROM(0xE0), fours = FB_FROM(0xF0);
        const uint64_t inner = wide & ~FB_FROM(0xC0), first = wide & ~inner;
        uint64_t whole = ~(uint64_t)0;
        size_t taken = 64;
        if ((first | threes << 1 | fours << 2) >> 63) {
            taken = fours >> 61 & 1 ? 61 : threes >> 62 & 1 ? 62 : 63;
            whole >>= 64 - taken;
            if (left <= 64) return UTF8_WRONG;
        }
        uint64_t wrong =
            ((first & whole) << 1 | (threes & whole) << 2 | (fours & whole) << 3) ^ (inner & whole);
        wrong |= first & ~FB_FROM(0xC2);
        if (threes) {
            wrong |= FB_EQUAL(0xE0) << 1 & ~FB_FROM(0xA0);
            wrong |= FB_EQUAL(0xED) << 1 & FB_FROM(0xA0);
        }
        if (fours) {
            wrong |= FB_EQUAL(0xF0) << 1 & ~FB_FROM(0x90);
            wrong |= (FB_EQUAL(0xF4) << 1 & FB_FROM(0x90)) | FB_FROM(0xF5);
        }
        if (wrong) return UTF8_WRONG;
        if (content == UTF8_ASCII) content = UTF8_WIDE;
        if ((FB_EQUAL(0xC2) | (threes & ~FB_FROM(0xE4))) && has_wide_spaces_avx512(block))
            content = UTF8_WIDE_SPACES;
        at += taken;
    }
    return content;
}

#  undef FB_EQUAL
#  undef FB_FROM

/* 32 numbers of 16 bits: the bytes of a mask, and 0 for others, which are not read. */
FB_TARGET("avx512f,avx512bw")
static inline __m512i widened_avx512(uint64_t mask, const uint8_t *bytes)
{
    return _mm512_cvtepu8_epi16(
        _mm512_castsi512_si256(_mm512_maskz_loadu_epi8((__mmask64)(mask & 0xFFFFFFFFu), bytes)));
}

/* 32 bytes at a time, of which the first begins a character, as 32 numbers of 16 bits: each first byte with
 * the two bytes behind it makes its character, and the others are squeezed out. Blocks with characters of
 * four bytes, or with errors, are left to the portable way. */
FB_TARGET("avx512f,avx512bw,avx512vbmi2,popcnt")
static inline int decode_avx512(utf8_decoding *line, size_t stop)
{
    const __m512i low6 = _mm512_set1_epi16(0x3F);
    size_t at = line->at, written = line->written;
    while (at < stop) {
        const uint8_t *bytes = line->bytes + at;
        const size_t left = line->size - at;
        const uint64_t inside = left < 64 ? ((uint64_t)1 << left) - 1 : ~(uint64_t)0;
        const __m512i first = widened_avx512(inside, bytes);
        const __m512i second = widened_avx512(inside >> 1, bytes + 1);
        const __m512i third = widened_avx512(inside >> 2, bytes + 2);
        const __m512i kind = _mm512_set1_epi16(0xC0), more = _mm512_set1_epi16(0x80);
        const uint64_t ascii = _mm512_cmplt_epu16_mask(first, more);
        const uint64_t inner = _mm512_cmpeq_epi16_mask(_mm512_and_si512(first, kind), more);
        const uint64_t wide = _mm512_cmpge_epu16_mask(first, _mm512_set1_epi16(0xE0));
        const uint64_t starts = ~inner & inside & 0xFFFFFFFFu, pairs = starts & ~ascii & ~wide;
        const uint64_t follow = (pairs | wide) << 1 | wide << 2;
        const uint64_t second_inner = _mm512_cmpeq_epi16_mask(_mm512_and_si512(second, kind), more);
        const uint64_t third_inner = _mm512_cmpeq_epi16_mask(_mm512_and_si512(third, kind), more);
        const __m512i tail = _mm512_and_si512(second, low6);
        __m512i c =
            _mm512_or_si512(_mm512_slli_epi16(_mm512_and_si512(first, _mm512_set1_epi16(0x1F)), 6), tail);
        const __m512i triple =
            _mm512_or_si512(_mm512_or_si512(_mm512_slli_epi16(first, 12), _mm512_slli_epi16(tail, 6)),
                            _mm512_and_si512(third, low6));
        c = _mm512_mask_mov_epi16(c, (__mmask32)wide, triple);
        c = _mm512_mask_mov_epi16(c, (__mmask32)ascii, first);
        uint64_t wrong = (follow & 0xFFFFFFFFu) ^ inner;
        wrong |= (pairs | wide) & ~second_inner;
        wrong |= wide & ~third_inner;
        wrong |= pairs & _mm512_cmplt_epu16_mask(first, _mm512_set1_epi16(0xC2));
        wrong |= wide & _mm512_cmpge_epu16_mask(first, _mm512_set1_epi16(0xF0));
        wrong |= wide & _mm512_cmplt_epu16_mask(c, _mm512_set1_epi16(0x800));
        wrong |= wide
                 & _mm512_cmpeq_epi16_mask(_mm512_and_si512(c, _mm512_set1_epi16((short)0xF800)),
                                           _mm512_set1_epi16((short)0xD800));
        if (line->unit == 1) wrong |= _mm512_cmpgt_epu16_mask(c, _mm512_set1_epi16(0xFF)) & starts;
        if (FB_LIKELY(!wrong)) {
            const int count = (int)_mm_popcnt_u64(starts);
            const __mmask32 kept = (__mmask32)(((uint64_t)1 << count) - 1);
            const __m512i chars = _mm512_maskz_compress_epi16((__mmask32)starts, c);
            if (line->unit == 1) {
                _mm512_mask_cvtepi16_storeu_epi8((uint8_t *)line->out + written, kept, chars);
            } else if (line->unit == 2) {
                _mm512_mask_storeu_epi16((uint16_t *)line->out + written, kept, chars);
            } else {
                uint32_t *out = (uint32_t *)line->out + written;
                _mm512_mask_storeu_epi32(out, (__mmask16)kept,
                                         _mm512_cvtepu16_epi32(_mm512_castsi512_si256(chars)));
                _mm512_mask_storeu_epi32(out + 16, (__mmask16)(kept >> 16),
                                         _mm512_cvtepu16_epi32(_mm512_extracti64x4_epi64(chars, 1)));
            }
            written += (size_t)count;
            /* A character that starts in the block may end one or two bytes behind it. Not by `follow`,
                 * because the next block waits for this. */
            at += left < 32 ? left
                            : 32 + (size_t)(bytes[31] >= 0xC0) + (bytes[31] >= 0xE0) + (bytes[30] >= 0xE0);
            continue;
        }
        line->at = at;
        line->written = written;
        if (decode_portable(line, at + 32 < stop ? at + 32 : stop) < 0) return -1;
        at = line->at;
        written = line->written;
    }
    line->at = at;
    line->written = written;
    return 0;
}

#endif

static inline utf8_reader utf8_reader_for(simd_level level)
{
    utf8_reader chosen = {scan_portable, decode_portable};
#ifdef FB_X86_64
    if (level == SIMD_AVX512) {
        chosen.scan = scan_avx512;
        chosen.decode = decode_avx512;
    }
#endif
    (void)level;
    return chosen;
}
