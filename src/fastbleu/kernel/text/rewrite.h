/* rewrite.h: what mteval-v13a does to a line before it tokenizes.
 *
 * In this order, each step on the result of the one before: white space at the end is stripped (that is
 * sacreBLEU's, before its tokenizer), "<skipped>" and a dash before a newline are removed, newlines
 * become spaces, and four entities become characters (so "&amp;lt;" ends as "<", "&amp;quot;" as
 * "&quot;"). The few lines that hold a pattern (has_pattern) are copied into characters of 4 bytes, where every
 * step shortens the line in place. A long line is rewritten in several calls, so that the caller can poll for
 * signals. Any thread may call this on buffers of its own.
 */
#pragma once

#include "line_reader.h"

#define REWRITE_PART ((size_t)1 << 20)

/* How far a line has been rewritten. */
typedef struct {
    uint32_t *chars;
    size_t length, at, kept;      /* of this step: characters, those read, those written */
    int step;                     /* -1: the line is copied */
} rewriting;

/* Begins to rewrite a line into `buffers`. Returns 0, or -1: no memory. */
static inline int begin_rewriting(rewriting *line, text_line text, line_buffers *buffers)
{
    const size_t bytes = (text.length + BLOCK) * 4;
    buffers->rewritten = (uint32_t *)buffer_for(buffers->rewritten, &buffers->rewritten_room, bytes);
    line->chars = buffers->rewritten;
    line->length = text.length;
    line->at = line->kept = 0;
    line->step = -1;
    return buffers->rewritten ? 0 : -1;
}

/* Does one step up to where `stop` characters are read, from left to right. */
static void replace_some(rewriting *line, rewrite_step step, size_t stop)
{
    uint32_t *chars = line->chars;
    const size_t size = strlen(step.pattern), length = line->length;
    size_t kept = line->kept, i = line->at;
    while (i < stop) {
        size_t same = 0;
        while (same < size && i + same < length && chars[i + same] == (uint8_t)step.pattern[same]) same++;
        if (same < size) {
            chars[kept++] = chars[i++];
            continue;
        }
        if (step.replacement) chars[kept++] = step.replacement;
        i += size;
    }
    line->at = i;
    line->kept = kept;
}

/* Rewrites a part of `text`; whether more is left. In the end `text` is the rewritten line. */
static inline int rewrite_more(rewriting *line, text_line *text, const char_table *table)
{
    const size_t left = line->length - line->at;
    const size_t stop = line->at + (left < REWRITE_PART ? left : REWRITE_PART);
    if (line->step < 0) {
        for (; line->at < stop; line->at++) line->chars[line->at] = code_point_at(*text, line->at);
        line->kept = line->at;
    } else {
        replace_some(line, rewrite_steps[line->step], stop);
    }
    if (line->at < line->length) return 1;
    line->length = line->kept;
    if (line->step < 0)
        while (line->length > 0 && class_of(table, line->chars[line->length - 1]) & CLASS(SPACE))
            line->length--;
    line->at = line->kept = 0;
    line->step++;
    if (line->step < REWRITE_STEPS) return 1;
    text->chars = line->chars;
    text->length = line->length;
    text->char_width = 4;
    return 0;
}
