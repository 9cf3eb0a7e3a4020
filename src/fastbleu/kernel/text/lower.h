/* lower.h: a line in lower case, equal to Python's str.lower().
 *
 * Data. Characters of one byte are Latin-1, whose small letters are the capital ones plus 32. Those of two
 * bytes are looked up in a table, which is built with Python's str.lower() (_text_packer.pyx). It has 0 for a
 * character that becomes several, and for the capital sigma, which depends on the letters around it.
 *
 * Ownership. The lowered line is in the buffers of the line's reader, until these get the next one. Any thread
 * may call this on buffers of its own. Cost: one byte in 16 per step, or one look-up a character.
 */
#pragma once

#include "line_reader.h"

/* Room for a line of so many characters in place of another. Returns 0, or -1: no memory. */
static inline int reserve_lowered(line_buffers *buffers, size_t length, int char_width)
{
    const size_t bytes = (length + 2 * BLOCK) * (size_t)char_width;
    buffers->lowered = buffer_for(buffers->lowered, &buffers->lowered_room, bytes);
    return buffers->lowered ? 0 : -1;
}

/* Lowercases characters `start` to `stop` - 1 into the buffers; 0 if the table does not cover one. */
static inline int lower_some(text_line text, size_t start, size_t stop, const uint16_t *table,
                             line_buffers *buffers)
{
    if (text.char_width == 1) {
        const uint8_t *chars = (const uint8_t *)text.chars;
        uint8_t *lowered = (uint8_t *)buffers->lowered;
        for (size_t i = start; i < stop; i++) {
            const uint8_t c = chars[i];
            const int is_capital = ((uint8_t)(c - 'A') < 26) | (((uint8_t)(c - 0xC0) < 31) & (c != 0xD7));
            lowered[i] = (uint8_t)(c + 32 * is_capital);
        }
        return 1;
    }
    if (text.char_width == 2) {
        const uint16_t *chars = (const uint16_t *)text.chars;
        uint16_t *lowered = (uint16_t *)buffers->lowered;
        int unknown = 0;
        for (size_t i = start; i < stop; i++) {
            lowered[i] = table[chars[i]];
            unknown |= lowered[i] == 0;
        }
        return !unknown;
    }
    return 0;
}
