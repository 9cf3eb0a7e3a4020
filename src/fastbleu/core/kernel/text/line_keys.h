/* line_keys.h: the keys of all tokens of a line, if there are at most 512.
 *
 * First the edges of all tokens are found, then each token's key (content_keys.h) is read, so that neither
 * loop waits for a branch that depends on the text.
 *
 * Ownership. Borrowed content: a line must live until the keys have been compared. Any
 * thread may call this on lists of its own. Cost: about 15 operations a token besides its block's.
 */
#pragma once

#include "line_tokens.h"
#include "word_keys.h"

/* Longer lines mostly have more than 512 tokens. Positions up to here fit into two bytes. */
#define LISTED_BYTES 4096

/* The edges of all tokens; returns how many, 513 for more than 512, or -1: rewrite the line first. */
FB_INLINE int list_edges(line_reader *line, const classifier classify, const int beyond_ascii,
                         token_edges *edges)
{
    const line_bounds none = {0, 0, 0, 0, 0};
    line_carry before = line->before;
    int started = 0, ended = 0;
    while (!line_ended(line)) {
        class_masks masks;
        uint64_t starts, ends;
        if (next_edges(line, &before, classify, beyond_ascii, none, &masks, &starts, &ends) < 0) return -1;
        started += classify.locate(starts, line->at, edges->starts + started);
        ended += classify.locate(ends, line->at, edges->ends + ended);
        if (started > LISTED_TOKENS) return LISTED_TOKENS + 1;
        before.space = masks.of[SPACE] >> (line->step - 1) & 1;
        line->at += line->step;
    }
    return started;
}

FB_INLINE void set_word_key(const line_reader *line, const token_edges *edges, int i, hash_seed seed,
                            key_list *keys)
{
    const token_content content = {line->bytes + edges->starts[i],
                                   (size_t)(edges->ends[i] - edges->starts[i])};
    set_key(keys, i, content_key(content, KIND_BYTES, seed), content);
}

#ifdef FB_X86_64

/* 8 words at a time. */
FB_TARGET(FB_AVX512)
static void fill_keys_avx512(const line_reader *line, token_edges *edges, int count, hash_seed seed,
                             key_list *keys)
{
    word_bits left = {{0}};
    read_words(line->bytes, edges, count, keys, &left);
    for (int w = 0; w * 64 < count; w++)
        for (uint64_t rest = left.of[w]; rest; rest &= rest - 1)
            set_word_key(line, edges, 64 * w + lowest_bit(rest), seed, keys);
}

#endif

/* The keys of `count` tokens. */
FB_INLINE void fill_keys(const line_reader *line, token_edges *edges, int count, const hash_seed *seed,
                         const simd_level level, key_list *keys)
{
    (void)level;
    clear_keys(keys);
#ifdef FB_X86_64
    if (level >= SIMD_AVX512) fill_keys_avx512(line, edges, count, *seed, keys);
    else
#endif
        for (int i = 0; i < count; i++) set_word_key(line, edges, i, *seed, keys);
    keys->length = count;
}

FB_INLINE int list_keys(line_reader *line, key_list *keys, const hash_seed *seed, const simd_level level)
{
    token_edges edges;
    const classifier classify = classifier_for(level);
    const int count = line->tables->beyond_ascii ? list_edges(line, classify, 1, &edges)
                                                 : list_edges(line, classify, 0, &edges);
    if (count < 0) return -1;
    if (count > LISTED_TOKENS) return 0;
    fill_keys(line, &edges, count, seed, level, keys);
    return 1;
}

/* Lists the keys of a whole line. Returns 1, 0 if it has too many tokens, or -1: rewrite the line first. */
typedef int (*key_lister)(line_reader *line, key_list *keys, const hash_seed *seed);

/* Defines list_keys_portable, list_keys_avx2, list_keys_avx512, list_keys_vbmi2 or list_keys_neon. */
#define FB_LIST_KEYS(suffix, level)                                                        \
    static int list_keys##suffix(line_reader *line, key_list *keys, const hash_seed *seed) \
    {                                                                                      \
        return list_keys(line, keys, seed, level);                                         \
    }
FB_FOR_TEXT_LEVELS(FB_LIST_KEYS)
#undef FB_LIST_KEYS

static inline key_lister key_lister_for(simd_level level)
{
    return FB_OF_TEXT_LEVEL(level, list_keys);
}
