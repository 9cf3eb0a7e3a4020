/* line_tokens.h: the tokens of a block of a line, interned.
 *
 * Borrowed content: a hypothesis' line must live until its references have been read.
 */
#pragma once

#include "../hashing/content_keys.h"
#include "line_reader.h"
#include "rewrite.h"

#define BLOCK_TOKENS (BLOCK + 1)

/* Whether a line looks tokenized, by sacreBLEU's measure: it ends in " .". */
static inline int ends_in_tokenized_period(utf8_line text)
{
    return text.size >= 2 && text.bytes[text.size - 1] == '.' && text.bytes[text.size - 2] == ' ';
}

FB_INLINE token_content content_of(const line_reader *line, token_span span)
{
    const token_content content = {line->bytes + span.start, span.end - span.start};
    return content;
}

/* Ids of the next block of a hypothesis; the table has room for BLOCK_TOKENS. Returns how many,
 * or -1: rewrite the line first. */
static inline int intern_block(line_reader *line, interner *table, int32_t *ids)
{
    token_span spans[BLOCK_TOKENS];
    const int count = next_tokens(line, spans);
    for (int i = 0; i < count; i++) {
        const token_content content = content_of(line, spans[i]);
        ids[i] = interner_add(table, content_key(content, KIND_BYTES, table->seed), content);
    }
    return count;
}

/* The same for a reference; tokens that the hypothesis lacks get the id `table->count`. */
static inline int find_block(line_reader *line, const interner *table, int32_t *ids)
{
    token_span spans[BLOCK_TOKENS];
    const int count = next_tokens(line, spans);
    for (int i = 0; i < count; i++) {
        const token_content content = content_of(line, spans[i]);
        ids[i] = interner_find(table, content_key(content, KIND_BYTES, table->seed), content, table->count);
    }
    return count;
}
