/* line_keys.h: the keys of all tokens of a line, if these are at most 64.
 *
 * First the edges of all tokens are found, then each token's key (content_keys.h) is read, so that neither
 * loop waits for a branch that depends on the text. Here a word whose characters have one high byte, as
 * those of most alphabets have, is kept as their low bytes and that high byte in byte 0, which such keys
 * leave free: 14 letters fit into a key in place of 7. Equal tokens have equal keys whatever line they come
 * from, but these keys and those of content_keys.h must not be compared.
 *
 * Ownership. Borrowed content: a line and its buffers must live until the keys have been compared. Any
 * thread may call this on lists of its own. Cost: about 15 operations a token beside its block's.
 */
#ifndef FASTBLEU_LINE_KEYS_H
#define FASTBLEU_LINE_KEYS_H

#include "../tables/key_list.h"
#include "line_tokens.h"

/* Longer lines have more than 64 tokens, mostly. Positions in them fit into two bytes. */
#define SHORT_CHARS 512

typedef struct { uint16_t starts[MASK_TOKENS + BLOCK], ends[MASK_TOKENS + BLOCK]; } token_edges;

/* The edges of all tokens: how many, 65 where they are more than 64, -1: rewrite the line first. */
FB_INLINE int list_edges(line_reader *line, token_edges *edges)
{
    const bit_locator locate = line->classify.locate;
    int started = 0, ended = 0;
    while (!line_ended(line)) {
        class_masks masks;
        uint64_t starts, ends;
        if (next_edges(line, &masks, &starts, &ends) < 0) return -1;
        started += locate(starts, line->at, edges->starts + started);
        ended += locate(ends, line->at, edges->ends + ended);
        if (started > MASK_TOKENS) return MASK_TOKENS + 1;
        line->after_space = masks.of[SPACE] >> (BLOCK - 1);
        line->at += BLOCK;
    }
    return started;
}

/* The unit of characters: the narrowest that holds all of them. */
static int unit_of_span(const line_reader *line, size_t start, size_t end)
{
    int unit = 1;
    for (size_t at = start; at < end; at++) {
        const uint32_t c = char_at(line, at);
        if (c > 0xFFFF) return 4;
        if (c > 0xFF) unit = 2;
    }
    return unit;
}

/* The key of characters of a line of two bytes with one high byte; 0 where theirs differ or they do not
 * fit. There are 32 bytes before the characters and 2 behind them. */
FB_INLINE int page_key(const uint16_t *chars, size_t size, token_key *key)
{
    uint64_t low[2], high[2];
    if (size > INLINE_BYTES) return 0;
#ifdef FB_X86_64
    const __m128i bytes = _mm_set1_epi16(0xFF);
    const __m128i first = _mm_loadu_si128((const __m128i *)(chars + size - 15));
    const __m128i second = _mm_loadu_si128((const __m128i *)(chars + size - 7));
    _mm_storeu_si128((__m128i *)low,
                     _mm_packus_epi16(_mm_and_si128(first, bytes), _mm_and_si128(second, bytes)));
    _mm_storeu_si128((__m128i *)high,
                     _mm_packus_epi16(_mm_srli_epi16(first, 8), _mm_srli_epi16(second, 8)));
#else
    uint8_t low_bytes[16], high_bytes[16];
    for (int i = 0; i < 16; i++) {
        low_bytes[i] = (uint8_t)(chars + size - 15)[i];
        high_bytes[i] = (uint8_t)((chars + size - 15)[i] >> 8);
    }
    for (int i = 0; i < 2; i++) low[i] = load64(low_bytes + 8 * i), high[i] = load64(high_bytes + 8 * i);
#endif
    const uint64_t page = chars[0] >> 8, pages = page * 0x0101010101010101u;
    const uint64_t differs =
        ((high[0] ^ pages) & LOW_CONTENT[size]) | ((high[1] ^ pages) & HIGH_CONTENT[size]);
    key->low = (low[0] & LOW_CONTENT[size]) | page;
    key->high = (low[1] & HIGH_CONTENT[size]) | (uint64_t)(1u << 4 | size) << 56;
    return !(differs | (page & -(uint64_t)(size == INLINE_BYTES)));
}

/* The keys of a whole line: 1, or 0 where it has too many tokens, or -1: rewrite the line first. */
static int list_keys(line_reader *line, key_list *keys, hash_seed seed)
{
    token_edges edges;
    const int count = list_edges(line, &edges);
    if (count < 0) return -1;
    if (count > MASK_TOKENS) return 0;
    clear_keys(keys);
    for (int i = 0; i < count; i++) {
        token_span span = {edges.starts[i], edges.ends[i], 1};
        const size_t size = span.end - span.start;
        token_content content = {line->bytes + span.start, size};
        token_key key;
        if (line->pairs) {
            if (FB_LIKELY(!line->quads) && FB_LIKELY(page_key(line->pairs + span.start, size, &key))) {
                add_key(keys, key, content);
                continue;
            }
            span.unit = unit_of_span(line, span.start, span.end);
            if (span.unit == 2 && page_key(line->pairs + span.start, size, &key)) {
                add_key(keys, key, content);
                continue;
            }
            content = content_of(line, span);
        }
        add_key(keys, content_key(content, (unsigned)span.unit, seed), content);
    }
    return 1;
}

#endif
