/* lower.h: a line of UTF-8 in lower case, in place, equal to Python's str.lower().
 *
 * Data. `small` has the small letter of each character below U+10000, by Python's str.lower() (_text_side.pyx), or 0 if
 * it becomes several characters, and for the capital sigma, which depends on the letters around it. By the first
 * byte of a character, `least` and `more` tell which second bytes a capital letter may have, so that few others
 * are looked up. There are no capital letters from NO_CAPITALS on.
 *
 * A line is left to Python, half lowered, if it has a capital letter that is not in the table or whose small letter
 * has a different number of bytes.
 *
 * Contract. 16 bytes after a line may be overwritten. Stateless functions: any thread may call them. Cost: 16 bytes
 * take some ten operations, thirty where they are not ASCII, and ten for each character that is looked up.
 */
#pragma once

#include "../simd/vector16.h"
#include "utf8.h"
#include "utf8_classes.h"

#define NO_CAPITALS 0x1F000u

typedef struct {
    uint16_t small[0x10000];
    uint8_t least[256], more[256];
} small_letters;

/* Fills `least` and `more` from `small`. */
static inline void find_capitals(small_letters *letters)
{
    memset(letters->least, 0, sizeof letters->least);
    memset(letters->more, 0, sizeof letters->more);
    letters->least[0xF0] = 0x80 | (0x10000 >> 12 & 63);
    letters->more[0xF0] = (NO_CAPITALS - 0x10000 - 1) >> 12;
    for (uint32_t c = 0x80; c < 0x10000; c++) {
        uint8_t bytes[3];
        if (letters->small[c] == c) continue;
        put_character(bytes, c);
        if (!letters->least[bytes[0]]) letters->least[bytes[0]] = bytes[1];
        letters->more[bytes[0]] = (uint8_t)(bytes[1] - letters->least[bytes[0]]);
    }
}

FB_INLINE int may_be_capital(const small_letters *letters, uint8_t first, uint8_t second)
{
    return letters->least[first] && (uint8_t)(second - letters->least[first]) <= letters->more[first];
}

/* Lowers a character that may be a capital letter; 0: Python has to. */
static int lower_character(const small_letters *letters, uint8_t *bytes)
{
    const uint32_t c = utf8_character(bytes), small = c < 0x10000 ? letters->small[c] : 0;
    if (small < 0x80 || (small < 0x800) != (c < 0x800)) return 0;
    put_character(bytes, small);
    return 1;
}

/* Lowers bytes `at` to `stop` - 1 of a line; characters begin at both. 0: Python has to. */
static int lower_bytes(const small_letters *letters, uint8_t *bytes, size_t at, size_t stop)
{
    while (at < stop) {
        const uint8_t byte = bytes[at];
        bytes[at] = (uint8_t)(byte + 32 * ((uint8_t)(byte - 'A') < 26));
        if (byte >= 0x80 && may_be_capital(letters, byte, bytes[at + 1])
            && !lower_character(letters, bytes + at))
            return 0;
        at++;
    }
    return 1;
}

/* Lowers `size` bytes of whole characters; 0: Python has to. */
typedef int (*lowerer)(const small_letters *letters, uint8_t *bytes, size_t size);

static int lower_portable(const small_letters *letters, uint8_t *bytes, size_t size)
{
    size_t at = 0;
    while (size - at >= 8) {
        uint64_t word;
        memcpy(&word, bytes + at, 8);
        if (word & 0x8080808080808080u) {
            if (!lower_bytes(letters, bytes, at, at + 8)) return 0;
        } else {
            const uint64_t from_a = word + 0x3F3F3F3F3F3F3F3Fu, after_z = word + 0x2525252525252525u;
            word += (from_a & ~after_z & 0x8080808080808080u) >> 2;
            memcpy(bytes + at, &word, 8);
        }
        at += 8;
    }
    return lower_bytes(letters, bytes, at, size);
}

#ifdef FB_VECTOR16

/* What a table has for bytes from 0xC0 on, 0 for others. */
FB_VECTOR16
FB_INLINE vector16 look_up_first_bytes(const uint8_t table[256], vector16 bytes)
{
    const vector16 low = and16(bytes, repeat_8(0x0F)), high = and16(bytes, repeat_8(0xF0));
    vector16 result = repeat_8(0);
    for (int row = 0xC0; row <= 0xF0; row += 0x10)
        result = or16(result, and16(equal_8(high, repeat_8(row)), look_up16(load16(table + row), low)));
    return result;
}

FB_VECTOR16
static int lower_vector16(const small_letters *letters, uint8_t *bytes, size_t size)
{
    for (size_t at = 0; at < size; at += 16) {
        const vector16 block = load16(bytes + at), next = load16(bytes + at + 1);
        const vector16 letter = subtract_8(block, repeat_8('A'));
        const vector16 is_capital = equal_8(least_8(letter, repeat_8(25)), letter);
        store16(bytes + at, add_8(block, and16(is_capital, repeat_8(32))));
        if (!has_top_bits16(block)) continue;
        const vector16 least = look_up_first_bytes(letters->least, block);
        const vector16 more = look_up_first_bytes(letters->more, block);
        const vector16 place = subtract_8(next, least);
        const vector16 others = equal_8(least, repeat_8(0));
        unsigned capitals = mask_of_8(equal_8(least_8(place, more), place)) & ~mask_of_8(others);
        if (size - at < 16) capitals &= (1u << (size - at)) - 1;
        for (; capitals; capitals &= capitals - 1)
            if (!lower_character(letters, bytes + at + lowest_bit(capitals))) return 0;
    }
    return 1;
}

#endif

static inline lowerer lowerer_for(simd_level level)
{
#ifdef FB_VECTOR16
    if (level != SIMD_PORTABLE) return lower_vector16;
#endif
    (void)level;
    return lower_portable;
}
