/* rewrite.h: what mteval-v13a does to a line before it tokenizes.
 *
 * In this order, each step on the result of the one before: white space at the end is stripped (which
 * sacreBLEU does before its tokenizer), "<skipped>" and a dash before a newline are removed, newlines
 * become spaces, and four entities become characters (so "&amp;lt;" ends as "<", "&amp;quot;" as
 * "&quot;"). The few lines that hold a pattern (has_pattern) are copied, and every step shortens the copy in place.
 * A long line is rewritten in several calls, so that the caller can poll for signals. Any thread may call this on
 * copies of its own.
 */
#pragma once

#include "line_reader.h"

#define REWRITE_PART ((size_t)1 << 20)

/* How far a line has been rewritten. */
typedef struct {
    const uint8_t *bytes;
    uint8_t *copy;
    size_t size, at, kept;      /* of this step: bytes, those read, those written */
    int step;                   /* -1: the line is copied */
} rewriting;

/* Begins to rewrite a line into `copy`, which has room for it and may be the line itself. */
FB_INLINE rewriting begin_rewriting(utf8_line line, uint8_t *copy)
{
    const rewriting begun = {line.bytes, copy, line.size, 0, 0, -1};
    return begun;
}

/* Does one step, from left to right, until `stop` bytes are read. */
static void replace_some(rewriting *line, rewrite_step step, size_t stop)
{
    uint8_t *bytes = line->copy;
    const size_t size = strlen(step.pattern);
    size_t kept = line->kept, i = line->at;
    while (i < stop) {
        if (size > line->size - i || memcmp(bytes + i, step.pattern, size) != 0) {
            bytes[kept++] = bytes[i++];
            continue;
        }
        if (step.replacement) bytes[kept++] = (uint8_t)step.replacement;
        i += size;
    }
    line->at = i;
    line->kept = kept;
}

/* Rewrites a part; returns whether more is left. In the end `size` bytes of the copy are the line. */
static inline int rewrite_more(rewriting *line, const char_table *table)
{
    const size_t left = line->size - line->at;
    const size_t stop = line->at + (left < REWRITE_PART ? left : REWRITE_PART);
    if (line->step < 0) {
        memmove(line->copy + line->at, line->bytes + line->at, stop - line->at);
        line->at = line->kept = stop;
    } else {
        replace_some(line, rewrite_steps[line->step], stop);
    }
    if (line->at < line->size) return 1;
    line->size = line->kept;
    if (line->step < 0)
        while (line->size > 0 && table->of_byte[line->copy[line->size - 1]] & CLASS(SPACE)) line->size--;
    line->at = line->kept = 0;
    line->step++;
    return line->step < REWRITE_STEPS;
}
