/* line_keys.h: the keys of all tokens of a line, if these are at most 512.
 *
 * First the edges of all tokens are found, then each token's key (content_keys.h) is read, so that neither
 * loop waits for a branch that depends on the text. A word whose characters have at most one high byte
 * other than 0, as in most alphabets, is stored as their low bytes (page_key): 12 to 14 letters instead
 * of 7 fit into a key. Equal tokens have equal keys whatever line they come from, but these keys
 * and those of content_keys.h must not be compared.
 *
 * Ownership. Borrowed content: a line and its buffers must live until the keys have been compared. Any
 * thread may call this on lists of its own. Cost: about 15 operations a token beside its block's.
 */
#pragma once

#include "line_tokens.h"
#include "word_keys.h"

/* Longer lines have more than 512 tokens, mostly. Positions in them fit into two bytes. */
#define LISTED_CHARS 4096

/* The edges of all tokens: how many, 513 where they are more than 512, -1: rewrite the line first. */
FB_INLINE int list_edges(line_reader *line, const classifier classify, const stored_as storage,
                         token_edges *edges)
{
    const line_bounds none = {0, 0, 0, 0, 0};
    char_before before = line->before;
    int started = 0, ended = 0;
    while (!line_ended(line)) {
        class_masks masks;
        uint64_t starts, ends;
        if (next_edges(line, &before, classify, storage, none, &masks, &starts, &ends) < 0) return -1;
        started += classify.locate(starts, line->at, edges->starts + started);
        ended += classify.locate(ends, line->at, edges->ends + ended);
        if (started > LISTED_TOKENS) return LISTED_TOKENS + 1;
        before.space = masks.of[SPACE] >> (line->step - 1) & 1;
        line->at += line->step;
    }
    return started;
}

/* page_key of one character. */
FB_INLINE token_key character_key(uint16_t character)
{
    const uint64_t page = character >> 8, bits = page ? (uint64_t)1 << (8 + INLINE_BYTES - 1) : 0;
    const token_key key = {0, page | bits | (uint64_t)(character & 0xFF) << 48 | (uint64_t)0x11 << 56};
    return key;
}

/* The high byte of the first of 16 characters whose bit is set, 0 if there is none; without a branch, as
 * words and punctuation alternate. */
FB_INLINE uint32_t high_byte_at(const uint16_t *block, uint32_t bits)
{
    return (uint32_t)(block[lowest_bit(bits | 1u << 15)] >> 8) & -(uint32_t)(bits != 0);
}

/* The key of characters of two bytes whose high bytes are 0 and at most one other, the page; 0 if they have
 * more, or do not fit. There are 32 bytes before the characters and 2 after them.
 * Byte 0 is the page; the bits after it tell which characters are of the page. 13 or 14 characters leave no
 * room for bits: all of them must be of the page, or none; of 15, none. Up to SHORT_WORD characters leave room
 * for page and bits in the high word, so that the low one is 0. */
FB_INLINE int page_key(const uint16_t *chars, size_t size, token_key *key)
{
    const uint16_t *block = chars + size - INLINE_BYTES;      /* 16 characters, as in inline_key */
    const uint32_t inside = ((1u << size) - 1) << (INLINE_BYTES - size);
    uint64_t low[2];
    uint32_t paged, of_page;
#ifdef FB_X86_64
    const __m128i byte = _mm_set1_epi16(0xFF);
    const __m128i first = _mm_loadu_si128((const __m128i *)block);
    const __m128i second = _mm_loadu_si128((const __m128i *)(block + 8));
    const __m128i high = _mm_packus_epi16(_mm_srli_epi16(first, 8), _mm_srli_epi16(second, 8));
    _mm_storeu_si128((__m128i *)low,
                     _mm_packus_epi16(_mm_and_si128(first, byte), _mm_and_si128(second, byte)));
    paged = ~(uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(high, _mm_setzero_si128())) & inside;
    const uint32_t page = high_byte_at(block, paged);
    of_page = (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(high, _mm_set1_epi8((char)page))) & paged;
#elif defined(FB_NEON)
    const uint8x16x2_t halves = vld2q_u8((const uint8_t *)block);      /* low bytes, high bytes */
    vst1q_u8((uint8_t *)low, halves.val[0]);
    paged = mask_of_16_neon(vtstq_u8(halves.val[1], halves.val[1])) & inside;
    const uint32_t page = high_byte_at(block, paged);
    of_page = mask_of_16_neon(vceqq_u8(halves.val[1], vdupq_n_u8((uint8_t)page))) & paged;
#else
    uint8_t bytes[16];
    paged = of_page = 0;
    for (int i = 0; i < 16; i++) {
        bytes[i] = (uint8_t)block[i];
        paged |= (uint32_t)(block[i] > 0xFF) << i;
    }
    paged &= inside;
    const uint32_t page = high_byte_at(block, paged);
    for (int i = 0; i < 16; i++) of_page |= (uint32_t)(block[i] >> 8 == page) << i;
    of_page &= paged;
    low[0] = load64(bytes), low[1] = load64(bytes + 8);
#endif
    const uint64_t pages = page | ((uint64_t)paged << 8 & -(uint64_t)(size <= PAGED_WORD));
    const uint64_t short_pages = pages & -(uint64_t)(size <= SHORT_WORD);      /* no branch, as above */
    key->low = (low[0] & LOW_CONTENT[size]) | (pages ^ short_pages);
    key->high = (low[1] & HIGH_CONTENT[size]) | short_pages | (uint64_t)(1u << 4 | size) << 56;
    if (FB_LIKELY(size <= PAGED_WORD)) return paged == of_page;
    return paged == of_page && (paged == 0 || (paged == inside && size < INLINE_BYTES));
}

/* The key of any word: of its content in the narrowest characters that hold it. */
static token_key word_key(const line_reader *line, size_t start, size_t end, hash_seed seed,
                          token_content *content)
{
    token_span span = {start, end, 1};
    token_key key;
    for (size_t at = start; at < end && line->pairs; at++) {
        const uint32_t c = char_at(line, at);
        const int char_width = c > 0xFFFF ? 4 : c > 0xFF ? 2 : 1;
        if (char_width > span.char_width) span.char_width = char_width;
    }
    if (line->pairs && span.char_width != 4 && end - start <= INLINE_BYTES
        && page_key(line->pairs + start, end - start, &key))
        return key;
    *content = content_of(line, span);
    return content_key(*content, (unsigned)span.char_width, seed);
}

/* The keys of most tokens of a line; the loop has no branch that depends on others. */
typedef enum { BYTE_WORDS, WIDE_WORDS, WIDE_CHARACTERS } line_form;

FB_INLINE void read_keys(const line_reader *line, const token_edges *edges, int count, const line_form form,
                         hash_seed seed, key_list *keys)
{
    for (int i = 0; i < count; i++) {
        const size_t start = edges->starts[i], end = edges->ends[i], size = end - start;
        token_content content = {line->bytes + start, size};
        token_key key;
        if (form == BYTE_WORDS) key = content_key(content, 1, seed);
        else if (form == WIDE_CHARACTERS && size == 1) key = character_key(line->pairs[start]);
        else if (FB_UNLIKELY(line->quads || size > INLINE_BYTES
                             || !page_key(line->pairs + start, size, &key)))
            key = word_key(line, start, end, seed, &content);
        set_key(keys, i, key, content);
    }
}

#ifdef FB_X86_64

/* The same, 8 words at a time. */
FB_TARGET(FB_AVX512)
static void read_keys_avx512(const line_reader *line, token_edges *edges, int count, hash_seed seed,
                             key_list *keys)
{
    word_bits left = {{0}};
    if (line->pairs) read_words((const uint8_t *)line->pairs, 2, edges, count, keys, &left);
    else read_words(line->bytes, 1, edges, count, keys, &left);
    for (int w = 0; w * 64 < count; w++)
        for (uint64_t rest = left.of[w]; rest; rest &= rest - 1) {
            const int i = 64 * w + lowest_bit(rest);
            token_content content = {NULL, 0};
            const token_key key = word_key(line, edges->starts[i], edges->ends[i], seed, &content);
            set_key(keys, i, key, content);
        }
}

#endif

/* The keys of `count` tokens. */
FB_INLINE void fill_keys(const line_reader *line, token_edges *edges, int count, const hash_seed *seed,
                         const simd_level level, key_list *keys)
{
    (void)level;
    clear_keys(keys);
#ifdef FB_X86_64
    if (level == SIMD_AVX512 && !line->quads) read_keys_avx512(line, edges, count, *seed, keys);
    else
#endif
        if (!line->pairs)
        read_keys(line, edges, count, BYTE_WORDS, *seed, keys);
    else if (line->quads || (size_t)count * 2 < line->length)
        read_keys(line, edges, count, WIDE_WORDS, *seed, keys);
    else read_keys(line, edges, count, WIDE_CHARACTERS, *seed, keys);
    keys->length = count;
}

FB_INLINE int list_keys(line_reader *line, key_list *keys, const hash_seed *seed, const simd_level level)
{
    token_edges edges;
    const classifier classify = classifier_for(level);
    const stored_as storage = storage_of(line);
    const int count = storage == IN_UTF8    ? list_edges(line, classify, IN_UTF8, &edges)
                      : storage == IN_UNITS ? list_edges(line, classify, IN_UNITS, &edges)
                                            : list_edges(line, classify, IN_BYTES, &edges);
    if (count < 0) return -1;
    if (count > LISTED_TOKENS) return 0;
    fill_keys(line, &edges, count, seed, level, keys);
    return 1;
}

/* Lists the keys of a whole line: 1, or 0 where it has too many tokens, or -1: rewrite the line first. */
typedef int (*key_lister)(line_reader *line, key_list *keys, const hash_seed *seed);

#define FB_LIST_KEYS(suffix, level)                                                        \
    static int list_keys##suffix(line_reader *line, key_list *keys, const hash_seed *seed) \
    {                                                                                      \
        return list_keys(line, keys, seed, level);                                         \
    }
FB_FOR_LEVELS(FB_LIST_KEYS)
#undef FB_LIST_KEYS

static inline key_lister key_lister_for(simd_level level)
{
    return FB_OF_LEVEL(level, list_keys);
}
