/* rewrite.h: what mteval-v13a does to a line before it tokenises.
 *
 * In this order, each step on the result of the one before: white space at the end is stripped (that is
 * sacreBLEU's, before its tokeniser), "<skipped>" and a dash before a newline are removed, newlines
 * become spaces, and four entities become characters (so "&amp;lt;" ends as "<", "&amp;quot;" as
 * "&quot;"). Few lines have any of it: these are copied into units of 4 bytes, where every step shortens
 * the line in place. Any thread may call this on buffers of its own.
 */
#ifndef FASTBLEU_REWRITE_H
#define FASTBLEU_REWRITE_H

#include "line_reader.h"

/* Replaces each `pattern`, from left to right, by one character, or by nothing where that is 0. */
static size_t replace_all(uint32_t *chars, size_t length, const char *pattern, uint32_t replacement)
{
    const size_t size = strlen(pattern);
    size_t kept = 0, i = 0;
    while (i < length) {
        size_t same = 0;
        while (same < size && i + same < length && chars[i + same] == (uint8_t)pattern[same]) same++;
        if (same < size) {
            chars[kept++] = chars[i++];
            continue;
        }
        if (replacement) chars[kept++] = replacement;
        i += size;
    }
    return kept;
}

/* Makes `text` the rewritten line, which lives in `buffers`. Returns 0, or -1: no memory. */
static int rewrite_line(text_line *text, const char_table *table, line_buffers *buffers)
{
    size_t length = text->length;
    if (reserve_buffer((void **)&buffers->rewritten, &buffers->rewritten_room, (length + BLOCK) * 4) < 0)
        return -1;
    uint32_t *chars = buffers->rewritten;
    for (size_t i = 0; i < length; i++) chars[i] = code_point_at(*text, i);
    while (length > 0 && !MUTANT(5) && class_of(table, chars[length - 1]) & CLASS(SPACE)) length--;
    length = replace_all(chars, length, "<skipped>", 0);
    length = replace_all(chars, length, "-\n", 0);
    length = replace_all(chars, length, "\n", ' ');
    if (MUTANT(6)) length = replace_all(chars, length, "&amp;", '&');
    length = replace_all(chars, length, "&quot;", '"');
    length = replace_all(chars, length, "&amp;", '&');
    length = replace_all(chars, length, "&lt;", '<');
    length = replace_all(chars, length, "&gt;", '>');
    text->chars = chars;
    text->length = length;
    text->unit = 4;
    return 0;
}

#endif
