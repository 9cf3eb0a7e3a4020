/* key_list.h: the keys of at most 64 tokens, which are compared instead of numbered.
 *
 * Layout. Keys (content_keys.h) in two arrays of words, as compare.h reads them. A key is the token itself
 * or, if its top bit is set, a hash of it: `hashed` has the bits of these, and `contents` their bytes.
 * Where two hashes are equal the bytes are compared, so no result depends on a hash.
 *
 * Ownership. A list is plain memory; contents are borrowed and must live until the lists are compared.
 * Not thread-safe: each thread has lists of its own.
 */
#ifndef FASTBLEU_KEY_LIST_H
#define FASTBLEU_KEY_LIST_H

#include "../simd/compare.h"
#include "content_keys.h"

typedef struct {
    uint64_t low[MASK_TOKENS + MASK_LANES], high[MASK_TOKENS + MASK_LANES];
    uint64_t hashed;
    int length;
    token_content contents[MASK_TOKENS];      /* of hashed keys */
} key_list;

/* Writes key i; `length` is for the caller to set. */
FB_INLINE void set_key(key_list *list, int i, token_key key, token_content content)
{
    list->low[i] = key.low;
    list->high[i] = key.high;
    if (FB_UNLIKELY(key.high & KEY_IS_HASH)) {
        list->hashed |= (uint64_t)1 << i;
        list->contents[i] = content;
    }
}

FB_INLINE void clear_keys(key_list *list)
{
    list->length = 0;
    list->hashed = 0;
}

FB_INLINE int same_content(token_content one, token_content other)
{
    return one.size == other.size && memcmp(one.bytes, other.bytes, one.size) == 0;
}

/* Clears the bits of tokens whose hashes are equal and whose bytes are not. */
static void verify_masks(const key_list *tokens, const key_list *others, uint64_t *masks)
{
    for (uint64_t rest = tokens->hashed; rest; rest &= rest - 1) {
        const int i = lowest_bit(rest);
        for (uint64_t equal = masks[i]; equal; equal &= equal - 1) {
            const int j = lowest_bit(equal);
            if (!same_content(tokens->contents[i], others->contents[j])) masks[i] &= ~((uint64_t)1 << j);
        }
    }
}

/* Whether any low word is not 0; else the high ones are enough. */
FB_INLINE int has_low_words(const key_list *list)
{
    for (int i = 0; i < list->length; i++)
        if (list->low[i]) return 1;
    return 0;
}

/* The masks of masks.h: of a reference, or of the hypothesis' earlier tokens where both lists are it. */
static inline void compare_lists(key_comparer compare, const key_list *tokens, const key_list *others,
                                 uint64_t *masks)
{
    const int wide = has_low_words(tokens) || has_low_words(others);
    const key_words words = {tokens->high, wide ? tokens->low : NULL, tokens->length};
    const key_words other_words = {others->high, wide ? others->low : NULL, others->length};
    compare(words, other_words, tokens == others, masks);
    if (FB_UNLIKELY(tokens->hashed && others->hashed)) verify_masks(tokens, others, masks);
}

/* A list of at most 64 ids; its high words are not used. `numbers` may be NULL if there are none. */
static inline void list_numbers(key_list *list, const int64_t *numbers, int length)
{
    for (int i = 0; i < length; i++) list->low[i] = (uint64_t)numbers[i];
    list->length = length;
}

/* As compare_lists, for ids: the masks of the earlier ones of a list, and those of a reference. */
static inline void compare_earlier_numbers(key_comparer compare, const key_list *list, uint64_t *masks)
{
    const key_words words = {list->low, NULL, list->length};
    compare(words, words, 1, masks);
}

static inline void compare_numbers(key_comparer compare, const key_list *list, const int64_t *others,
                                   int length, uint64_t *masks)
{
    const key_words words = {list->low, NULL, list->length};
    const key_words other_words = {(const uint64_t *)others, NULL, length};
    compare(words, other_words, 0, masks);
}

#endif
