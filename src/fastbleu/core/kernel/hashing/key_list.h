/* key_list.h: the keys of at most 512 tokens. Up to 64 are compared with each other; more are numbered
 * (position_ids.h).
 *
 * Layout. Keys (content_keys.h) in two arrays of words, as compare.h reads them. A key is the token itself
 * or, if its top bit is set, a hash of it: `hashed` has the bits of these, and `contents` their bytes.
 * Where two hashes are equal the bytes are compared, so no result depends on a hash.
 *
 * A list of ids has ids in place of keys. A key_view is a part of a list.
 *
 * Ownership. A list is plain memory, which need not be zero; contents are borrowed and must live until the lists
 * are compared. Not thread-safe: each thread has lists of its own.
 */
#pragma once

#include "../simd/compare.h"
#include "content_keys.h"

#define LISTED_TOKENS 512

typedef struct {
    uint64_t low[LISTED_TOKENS + MASK_LANES], high[LISTED_TOKENS + MASK_LANES];
    uint64_t hashed[LISTED_TOKENS / 64];
    uint64_t low_bits; /* bits that any low word has; 0: the high words are enough */
    int length, is_numbers;
    token_content contents[LISTED_TOKENS]; /* of hashed keys */
} key_list;

/* `length` keys from number `first` on. */
typedef struct {
    const key_list *list;
    int first, length;
} key_view;

FB_INLINE key_view all_keys(const key_list *list)
{
    const key_view view = {list, 0, list->length};
    return view;
}

/* Writes key i; the caller sets `length`. */
FB_INLINE void set_key(key_list *list, int i, token_key key, token_content content)
{
    list->low[i] = key.low;
    list->high[i] = key.high;
    list->low_bits |= key.low;
    if (FB_UNLIKELY(key.high & KEY_IS_HASH)) {
        list->hashed[i >> 6] |= (uint64_t)1 << (i & 63);
        list->contents[i] = content;
    }
}

FB_INLINE void clear_keys(key_list *list)
{
    list->length = 0;
    list->low_bits = 0;
    list->is_numbers = 0;
    memset(list->hashed, 0, sizeof list->hashed);
}

FB_INLINE int same_content(token_content one, token_content other)
{
    const size_t size = one.size;
    if (size != other.size) return 0;
    if (size < 16 || size > 32) return memcmp(one.bytes, other.bytes, size) == 0;
    uint64_t difference = 0;
    for (size_t at = 0; at < 16; at += 8) {
        difference |= load64(one.bytes + at) ^ load64(other.bytes + at);
        difference |= load64(one.bytes + size - 16 + at) ^ load64(other.bytes + size - 16 + at);
    }
    return difference == 0;
}

/* The bits of hashed tokens from number `at` on. */
FB_INLINE uint64_t hashed_at(key_view tokens, int at)
{
    const uint64_t *hashed = tokens.list->hashed;
    const int word = (tokens.first + at) >> 6, shift = (tokens.first + at) & 63, left = tokens.length - at;
    if (left <= 0) return 0;
    uint64_t bits = hashed[word] >> shift;
    if (shift && word + 1 < LISTED_TOKENS / 64) bits |= hashed[word + 1] << (64 - shift);
    return left < 64 ? bits & (((uint64_t)1 << left) - 1) : bits;
}

/* Clears the bits of tokens whose hashes are equal but whose bytes are not. */
static inline void verify_masks(key_view tokens, key_view others, uint64_t *masks)
{
    const token_content *contents = tokens.list->contents + tokens.first;
    const token_content *other_contents = others.list->contents + others.first;
    for (uint64_t rest = hashed_at(tokens, 0); rest; rest &= rest - 1) {
        const int i = lowest_bit(rest);
        for (uint64_t equal = masks[i]; equal; equal &= equal - 1) {
            const int j = lowest_bit(equal);
            if (!same_content(contents[i], other_contents[j])) masks[i] &= ~((uint64_t)1 << j);
        }
    }
}

/* Makes a list of ids, which may already be in place: each is a low word alone. */
static inline void list_numbers(key_list *list, const int64_t *numbers, int length)
{
    if (numbers != (const int64_t *)list->low) memcpy(list->low, numbers, (size_t)length * sizeof(int64_t));
    clear_keys(list);
    list->length = length;
    list->is_numbers = 1;
}

/* The words that distinguish tokens. `wide`: both words of a key, not only the high one. */
FB_INLINE key_words words_of(key_view tokens, int wide)
{
    const uint64_t *low = tokens.list->low + tokens.first, *high = tokens.list->high + tokens.first;
    const int is_numbers = tokens.list->is_numbers;
    const key_words words = {is_numbers ? low : high, wide && !is_numbers ? low : NULL, tokens.length};
    return words;
}

/* The masks (masks.h) of a hypothesis of at most 64 tokens for a reference. */
static inline void compare_lists(key_comparer compare, key_view tokens, key_view others, uint64_t *masks)
{
    const int wide = (tokens.list->low_bits | others.list->low_bits) != 0;
    const key_words words = words_of(tokens, wide), other_words = words_of(others, wide);
    compare(&words, &other_words, 0, masks);
    if (FB_UNLIKELY(hashed_at(tokens, 0) && hashed_at(others, 0))) verify_masks(tokens, others, masks);
}

/* The masks of the hypothesis' earlier tokens. */
static inline void compare_with_earlier(key_comparer compare, key_view tokens, uint64_t *masks)
{
    const key_words words = words_of(tokens, tokens.list->low_bits != 0);
    compare(&words, &words, EARLIER_TOKENS, masks);
    if (FB_UNLIKELY(hashed_at(tokens, 0))) verify_masks(tokens, tokens, masks);
}

/* The same from the masks of its only reference: tokens in the reference
 * are equal if their masks are. Other tokens get arbitrary masks, which have no effect without a match. */
static inline void compare_masks(key_comparer compare, const uint64_t *in_reference, int length,
                                 uint64_t *masks)
{
    const key_words words = {in_reference, NULL, length};
    compare(&words, &words, EARLIER_MASKS, masks);
}
