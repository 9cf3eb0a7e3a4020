/* white_space.h: lines of UTF-8 without the white space at their ends.
 *
 * White space is that of str.rstrip(), which is that of the tokenizers (char_classes.h). Bytes that are not
 * UTF-8 are no white space, so that a line that is not UTF-8 stays so, from the same byte on.
 *
 * A leaf without state: any thread may call it. Cost: one look at the last byte of most lines.
 */
#pragma once

#include "char_classes.h"
#include "utf8.h"

static inline int is_white_space(uint32_t c)
{
    for (size_t r = 0; r < sizeof WHITE_SPACE / sizeof WHITE_SPACE[0]; r++)
        if (c >= WHITE_SPACE[r].first && c <= WHITE_SPACE[r].last) return 1;
    return 0;
}

static inline size_t size_without_white_space(utf8_line line)
{
    size_t size = line.size;
    while (size > 0) {
        size_t start = size - 1, taken = 1;
        uint32_t c = line.bytes[start];
        if (FB_LIKELY(c > ' ' && c < 0x80)) break;
        if (c >= 0x80) {
            while (start > 0 && size - start < 3 && is_continuation(line.bytes[start])) start--;
            c = wide_character(line.bytes + start, size - start, &taken);
        }
        if (taken != size - start || !is_white_space(c)) break;
        size = start;
    }
    return size;
}
