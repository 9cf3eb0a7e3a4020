/* lower.h: a line of UTF-8 in lower case, in place, equal to Python's str.lower().
 *
 * Data. `small` has the small letter of each character below U+10000, by Python's str.lower() (_text_side.pyx), or 0 if
 * it becomes several characters, and for the capital sigma, which depends on the letters around it. By the first
 * byte of a character, `least` and `count` tell which second bytes a capital letter may have, so that few others
 * are looked up. There are no capital letters from NO_CAPITALS on.
 *
 * A line is left to Python, half lowered, if it has a capital letter that is not in the table or whose small letter
 * has a different number of bytes.
 *
 * Contract. A byte after a line is read. Stateless functions: any thread may call them. Cost: eight bytes of ASCII take
 * five operations, another byte ten. With vectors, scoring in lower case would take a tenth less time in English and a
 * quarter less in Russian or Chinese, for twice the code and its levels.
 */
#pragma once

#include "utf8.h"
#include "utf8_classes.h"

#define NO_CAPITALS 0x1F000u

typedef struct {
    uint16_t small[0x10000];
    uint8_t least[256], count[256];
} small_letters;

/* Fills `least` and `count` from `small`. */
static inline void find_capitals(small_letters *letters)
{
    memset(letters->least, 0, sizeof letters->least);
    memset(letters->count, 0, sizeof letters->count);
    letters->least[0xF0] = 0x80 | (0x10000 >> 12 & 63);
    letters->count[0xF0] = (NO_CAPITALS - 0x10000) >> 12;
    for (uint32_t c = 0x80; c < 0x10000; c++) {
        uint8_t bytes[3];
        if (letters->small[c] == c) continue;
        put_character(bytes, c);
        if (!letters->least[bytes[0]]) letters->least[bytes[0]] = bytes[1];
        letters->count[bytes[0]] = (uint8_t)(bytes[1] - letters->least[bytes[0]] + 1);
    }
}

/* Lowers a character that may be a capital letter; 0: Python has to. */
static int lower_character(const small_letters *letters, uint8_t *bytes)
{
    const uint32_t c = utf8_character(bytes), small = c < 0x10000 ? letters->small[c] : 0;
    if (small < 0x80 || (small < 0x800) != (c < 0x800)) return 0;
    put_character(bytes, small);
    return 1;
}

/* Lowers bytes; a character begins at the first one, and one after the last. 0: Python has to. */
FB_INLINE int lower_bytes(const small_letters *letters, uint8_t *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const uint8_t byte = bytes[i], place = (uint8_t)(bytes[i + 1] - letters->least[byte]);
        bytes[i] = (uint8_t)(byte + 32 * ((uint8_t)(byte - 'A') < 26));
        if (FB_UNLIKELY(place < letters->count[byte]) && !lower_character(letters, bytes + i)) return 0;
    }
    return 1;
}

/* Lowers a line, or a part of whole characters; 0: Python has to. */
static int lower_utf8(const small_letters *letters, uint8_t *bytes, size_t size)
{
    size_t at = 0;
    for (; size - at >= 8; at += 8) {
        uint64_t word;
        memcpy(&word, bytes + at, 8);
        if (word & 0x8080808080808080u) {
            if (!lower_bytes(letters, bytes + at, 8)) return 0;
        } else {
            const uint64_t from_a = word + 0x3F3F3F3F3F3F3F3Fu, after_z = word + 0x2525252525252525u;
            word += (from_a & ~after_z & 0x8080808080808080u) >> 2;
            memcpy(bytes + at, &word, 8);
        }
    }
    return lower_bytes(letters, bytes + at, size - at);
}
