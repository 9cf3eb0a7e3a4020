/* utf8.h: lines of UTF-8, to characters of one width as Python stores them.
 *
 * Data. A line is `size` bytes at `bytes`, which are never read beyond. Out come the characters in the
 * narrowest unit that holds all of them, 1, 2 or 4 bytes, as in a str; so what reads a str reads these, and
 * gives the same.
 *
 * A line is copied as long as it is ASCII. Where it is not, measure_utf8 tells what its characters will take,
 * from the numbers of its bytes alone, and decode_utf8 writes and checks them. What is accepted is what
 * Python's strict decoder accepts: no overlong forms, no surrogates, nothing above U+10FFFF, no sequence
 * that is cut off; the position of an error is where the wrong sequence starts, as in a UnicodeDecodeError.
 *
 * If another thread writes to the bytes meanwhile the characters are unspecified, but no memory is touched
 * beyond what was measured: decode_utf8 stops where its room ends.
 *
 * Leaves without state: any thread may call them. Cost: ASCII is copied at the speed of memory; other
 * characters take about a nanosecond each.
 */
#ifndef FASTBLEU_UTF8_H
#define FASTBLEU_UTF8_H

#include "../simd/platform.h"

/* A line in memory that belongs to somebody else. */
typedef struct {
    const uint8_t *bytes;
    size_t size;
} utf8_line;

/* What the characters of a line take. */
typedef struct {
    size_t length;        /* characters */
    uint8_t largest;      /* of the line's bytes */
} utf8_measure;

/* The bytes of a unit that holds all characters. */
FB_INLINE int unit_of_utf8(utf8_measure measured)
{
    return measured.largest < 0xC4 ? 1 : measured.largest < 0xF0 ? 2 : 4;
}

/* Copies bytes; whether all of them are ASCII. With `lower` capital letters become small. */
static inline int copy_ascii(uint8_t *out, const uint8_t *bytes, size_t size, int lower)
{
    const uint64_t tops = 0x8080808080808080u;
    uint64_t seen = 0;
    size_t i = 0;
    if (lower) {
        uint8_t all = 0;
        for (; i < size; i++) {
            const uint8_t c = bytes[i];
            all |= c;
            out[i] = (uint8_t)(c + ((uint8_t)(c - 'A') < 26) * ('a' - 'A'));
        }
        return all < 0x80;
    }
    for (; i + 32 <= size; i += 32) {
        uint64_t words[4];
        memcpy(words, bytes + i, 32);
        seen |= (words[0] | words[1]) | (words[2] | words[3]);
        memcpy(out + i, words, 32);
    }
    for (; i + 8 <= size; i += 8) {
        uint64_t word;
        memcpy(&word, bytes + i, 8);
        seen |= word;
        memcpy(out + i, &word, 8);
    }
    for (; i < size; i++) {
        out[i] = bytes[i];
        seen |= bytes[i];
    }
    return !(seen & tops);
}

/* Adds what some bytes of a line take, if it is UTF-8: its lead bytes are as many as its characters, and the
 * largest byte of all is the lead byte of the largest character. */
static inline void measure_utf8(const uint8_t *bytes, size_t size, utf8_measure *measured)
{
    uint8_t largest = measured->largest;
    size_t length = 0;
    for (size_t i = 0; i < size; i++) {
        largest = bytes[i] > largest ? bytes[i] : largest;
        length += (int8_t)bytes[i] > -65;      /* not 10xxxxxx */
    }
    measured->largest = largest;
    measured->length += length;
}

/* How far a line has been decoded. */
typedef struct {
    size_t at, written;      /* bytes read, characters written */
} utf8_progress;

FB_INLINE int is_continuation(uint8_t byte) { return (byte & 0xC0) == 0x80; }

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

FB_INLINE int is_ascii_word(const uint8_t *bytes) { return !(load64(bytes) & 0x8080808080808080u); }

/* One loop for each unit. */
#define FB_DECODE(type, most)                                                           \
    for (type *chars = (type *)out; at < stop;) {                                       \
        size_t taken = 1;                                                               \
        uint32_t c = bytes[at];                                                         \
        if (at + 8 <= stop && written + 8 <= room && is_ascii_word(bytes + at)) {       \
            for (size_t i = 0; i < 8; i++) chars[written + i] = bytes[at + i];          \
            at += 8;                                                                    \
            written += 8;                                                               \
            continue;                                                                   \
        }                                                                               \
        if (c >= 0x80) c = wide_character(bytes + at, size - at, &taken);               \
        if (!taken || c > most || written == room) {                                    \
            progress->at = at;                                                          \
            return -1;                                                                  \
        }                                                                               \
        chars[written++] = (type)c;                                                     \
        at += taken;                                                                    \
    }                                                                                   \
    break

/* Decodes on up to byte `stop`, or a few more, into an array for as many characters as were measured.
 * Returns 0; or -1 where a wrong sequence starts at progress->at. */
static inline int decode_utf8(const uint8_t *bytes, size_t size, size_t stop, utf8_measure measured, void *out,
                       utf8_progress *progress)
{
    const size_t room = measured.length;
    size_t at = progress->at, written = progress->written;
    switch (unit_of_utf8(measured)) {
        case 1: FB_DECODE(uint8_t, 0xFF);
        case 2: FB_DECODE(uint16_t, 0xFFFF);
        default: FB_DECODE(uint32_t, 0x10FFFF);
    }
    progress->at = at;
    progress->written = written;
    return 0;
}

#endif
