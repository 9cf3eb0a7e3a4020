/* utf8.h: lines of UTF-8, to characters of one width as Python stores them.
 *
 * Data. A line is `size` bytes at `bytes`, which are never read beyond. Out come the characters in the
 * narrowest unit that holds all of them, 1, 2 or 4 bytes, as in a str; so what reads a str reads these, and
 * gives the same.
 *
 * A line is copied as long as it is ASCII. Where it is not, its largest byte tells the unit, and a decoder
 * writes and checks the characters. What is accepted is what Python's strict decoder accepts: no overlong
 * forms, no surrogates, nothing above U+10FFFF, no sequence that is cut off; the position of an error is
 * where the wrong sequence starts, as in a UnicodeDecodeError. All decoders give the same.
 *
 * If another thread writes to the bytes meanwhile the characters are unspecified, but no more are written
 * than there are bytes.
 *
 * Leaves without state: any thread may call them. Cost: ASCII is copied at the speed of memory; other
 * characters take a fifth of a nanosecond each with AVX-512, else one or two.
 */
#ifndef FASTBLEU_UTF8_H
#define FASTBLEU_UTF8_H

#include "../simd/platform.h"

/* A line in memory that belongs to somebody else. */
typedef struct {
    const uint8_t *bytes;
    size_t size;
} utf8_line;

/* Eight bytes, of which capital letters become small with `lower`; their top bits say what is not ASCII. */
FB_INLINE uint64_t copy_word(uint8_t *out, const uint8_t *bytes, int lower)
{
    uint64_t word;
    memcpy(&word, bytes, 8);
    const uint64_t ones = 0x0101010101010101u, top = 0x80 * ones, low = word & ~top;
    /* The top bit of a byte of the sums: at least 'A'; above 'Z'. */
    if (lower) word |= ((low + (0x80 - 'A') * ones) & ~(low + (0x7F - 'Z') * ones) & ~word & top) >> 2;
    memcpy(out, &word, 8);
    return word;
}

/* Copies a line; whether all of it is ASCII. With `lower` capital letters become small. */
FB_INLINE int copy_line(uint8_t *out, const uint8_t *bytes, size_t size, int lower)
{
    uint64_t seen = 0;
    if (size < 8) {
        for (size_t i = 0; i < size; i++) {
            const uint8_t c = bytes[i];
            out[i] = (uint8_t)(lower && c >= 'A' && c <= 'Z' ? c | 0x20 : c);
            seen |= c;
        }
        return seen < 0x80;
    }
    size_t i = 0;
    for (; i + 32 <= size; i += 32)
        for (size_t k = 0; k < 32; k += 8) seen |= copy_word(out + i + k, bytes + i + k, lower);
    for (; i + 8 <= size; i += 8) seen |= copy_word(out + i, bytes + i, lower);
    seen |= copy_word(out + size - 8, bytes + size - 8, lower);      /* the rest, overlapping */
    return !(seen & 0x8080808080808080u);
}

static inline int copy_portable(uint8_t *out, const uint8_t *bytes, size_t size, int lower)
{
    return lower ? copy_line(out, bytes, size, 1) : copy_line(out, bytes, size, 0);
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

/* The steps of reading a line. */
typedef struct {
    int (*copy)(uint8_t *out, const uint8_t *bytes, size_t size, int lower);
    int (*decode)(utf8_decoding *line, size_t stop);
} utf8_reader;

static inline int decode_portable(utf8_decoding *line, size_t stop)
{
    if (line->unit == 1) return decode_characters(line, stop, 1);
    if (line->unit == 2) return decode_characters(line, stop, 2);
    return decode_characters(line, stop, 4);
}

#ifdef FB_X86_64

FB_TARGET("avx512f,avx512bw")
static inline int copy_avx512(uint8_t *out, const uint8_t *bytes, size_t size, int lower)
{
    const __m512i small = _mm512_set1_epi8('a' - 'A');
    uint64_t seen = 0;
    for (size_t i = 0; i < size; i += 64) {
        const __mmask64 inside = size - i < 64 ? ((uint64_t)1 << (size - i)) - 1 : ~(uint64_t)0;
        __m512i block = _mm512_maskz_loadu_epi8(inside, bytes + i);
        seen |= _mm512_movepi8_mask(block);
        if (lower) {
            const __m512i letter = _mm512_sub_epi8(block, _mm512_set1_epi8('A'));
            const __mmask64 capital = _mm512_cmplt_epu8_mask(letter, _mm512_set1_epi8(26));
            block = _mm512_mask_add_epi8(block, capital, block, small);
        }
        _mm512_mask_storeu_epi8(out + i, inside, block);
    }
    return !seen;
}

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

#ifdef FB_NEON

/* Copies 16 bytes; returns them ORed with `seen`. */
FB_INLINE uint8x16_t copy_vector_neon(uint8_t *out, const uint8_t *bytes, int lower, uint8x16_t seen)
{
    uint8x16_t block = vld1q_u8(bytes);
    seen = vorrq_u8(seen, block);
    if (lower) {
        const uint8x16_t capital = vcltq_u8(vsubq_u8(block, vdupq_n_u8('A')), vdupq_n_u8(26));
        block = vaddq_u8(block, vandq_u8(capital, vdupq_n_u8('a' - 'A')));
    }
    vst1q_u8(out, block);
    return seen;
}

static inline int copy_neon(uint8_t *out, const uint8_t *bytes, size_t size, int lower)
{
    uint8x16_t seen = vdupq_n_u8(0);
    if (size < 16) return copy_portable(out, bytes, size, lower);
    for (size_t i = 0; i + 16 <= size; i += 16) seen = copy_vector_neon(out + i, bytes + i, lower, seen);
    seen = copy_vector_neon(out + size - 16, bytes + size - 16, lower, seen); /* the rest, overlapping */
    return vmaxvq_u8(seen) < 0x80;
}

#endif

static inline utf8_reader utf8_reader_for(simd_level level)
{
    utf8_reader chosen = {copy_portable, decode_portable};
#ifdef FB_NEON
    if (level == SIMD_NEON) chosen.copy = copy_neon;
#endif
#ifdef FB_X86_64
    if (level == SIMD_AVX512) {
        chosen.copy = copy_avx512;
        chosen.decode = decode_avx512;
    }
#endif
    (void)level;
    return chosen;
}

#endif
