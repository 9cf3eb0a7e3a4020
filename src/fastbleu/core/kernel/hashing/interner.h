/* interner.h: from 128-bit keys to dense ids 0, 1, 2 ..., one segment at a time.
 *
 * Layout. An open-addressed table of 8-byte slots (epoch, id; see probing.h) points into dense arrays of keys,
 * one per id. At most half of the slots are ever used.
 *
 * Exactness. A key stands for a token in one of two ways, told apart by its bits (token_keys.h):
 * it IS the token, or it is a hash of a longer one. Equal keys of the second kind are compared byte
 * by byte with the content kept beside them, so no result depends on a hash not colliding.
 *
 * Ownership. The interner owns its arrays (interner_free). Content pointers are borrowed: they must
 * live until the segment ends. Not thread-safe: one interner per thread. No Python object is touched.
 */
#pragma once

#include "probing.h"

typedef struct { uint64_t low, high; } token_key;
typedef struct {
    const unsigned char *bytes;
    size_t size;
} token_content;
typedef struct {
    uint32_t epoch;
    int32_t id;
} interner_slot;

typedef struct {
    interner_slot *slots;
    token_key *keys;              /* by id */
    token_content *contents;      /* by id; set for hashed keys only */
    size_t slot_count;            /* a power of two, at least twice the number of ids there is room for */
    uint32_t epoch;
    int32_t count;                /* ids given out in this segment */
    hash_seed seed;
} interner;

#define KEY_IS_HASH ((uint64_t)1 << 63)      /* in token_key.high */

static inline void interner_free(interner *table)
{
    free(table->slots);
    free(table->keys);
    free(table->contents);
    table->slots = NULL;
    table->keys = NULL;
    table->contents = NULL;
    table->slot_count = 0;
}

/* Forgets the last segment and makes room for `tokens` new ones. Returns 0, or -1: no memory. */
static inline int interner_begin(interner *table, size_t tokens)
{
    const size_t before = table->slot_count;
    table->count = 0;
    table->slots = (interner_slot *)slots_for_segment(table->slots, &table->slot_count, &table->epoch,
                                                      tokens * 2, sizeof(interner_slot));
    if (FB_UNLIKELY(table->slot_count != before || !table->slots)) {
        const size_t ids = table->slot_count / 2;
        free(table->keys);
        free(table->contents);
        table->keys = (token_key *)malloc(ids * sizeof(token_key));
        table->contents = (token_content *)malloc(ids * sizeof(token_content));
        if (!table->slots || !table->keys || !table->contents) {
            interner_free(table);
            return -1;
        }
    }
    return 0;
}

FB_INLINE int same_key(const interner *table, int32_t id, token_key key)
{
    return ((table->keys[id].low ^ key.low) | (table->keys[id].high ^ key.high)) == 0;
}

FB_INLINE int same_token(const interner *table, int32_t id, token_key key, token_content content)
{
    if (!same_key(table, id, key)) return 0;
    if (FB_LIKELY(!(key.high & KEY_IS_HASH))) return 1;
    const token_content known = table->contents[id];
    return known.bytes == content.bytes
           || (known.size == content.size && memcmp(known.bytes, content.bytes, content.size) == 0);
}

FB_INLINE size_t first_slot(const interner *table, token_key key)
{
    return (size_t)multiply_fold(key.low ^ table->seed.first, key.high ^ table->seed.second)
           & (table->slot_count - 1);
}

/* The id of a token, given out now if it is new. Room was made by interner_begin. */
FB_INLINE int32_t interner_add(interner *table, token_key key, token_content content)
{
    size_t index = first_slot(table, key);
    while (table->slots[index].epoch == table->epoch) {
        int32_t id = table->slots[index].id;
        if (FB_LIKELY(same_token(table, id, key, content))) return id;
        index = next_slot(index, table->slot_count);
    }
    int32_t id = table->count++;
    table->slots[index].epoch = table->epoch;
    table->slots[index].id = id;
    table->keys[id] = key;
    if (key.high & KEY_IS_HASH) table->contents[id] = content;
    return id;
}

/* Whether there is room for `tokens` more in the same segment. */
FB_INLINE int interner_has_room(const interner *table, size_t tokens)
{
    return ((size_t)table->count + tokens) * 2 <= table->slot_count;
}

/* Begins a table with that room, and as much again to spare. interner_copy must be called for all ids, in
 * steps, because a large table takes a while. Returns 0, or -1: no memory. */
static inline int interner_widen(interner *wider, const interner *table, size_t tokens)
{
    *wider = *table;
    wider->slots = NULL;
    wider->slot_count = 0;
    wider->keys = NULL;
    wider->contents = NULL;
    return interner_begin(wider, ((size_t)table->count + tokens) * 2);
}

/* Copies the tokens with the ids from `first` up to `end`; ids do not change. */
static inline void interner_copy(interner *wider, const interner *table, int32_t first, int32_t end)
{
    for (int32_t id = first; id < end; id++) interner_add(wider, table->keys[id], table->contents[id]);
}

/* The id of a token, or `absent` if no interner_add of this segment gave it one.
 * Processors cannot predict whether a reference's token is known, so the common case
 * has no branch on it: the key behind a stale slot is compared too (its id lies inside the array). */
FB_INLINE int32_t interner_find(const interner *table, token_key key, token_content content, int32_t absent)
{
    size_t index = first_slot(table, key);
    for (;;) {
        const interner_slot slot = table->slots[index];
        const int occupied = slot.epoch == table->epoch;
        const int same = same_key(table, slot.id, key);
        if (FB_UNLIKELY(occupied & ((!same) | (int)(key.high >> 63)))) {
            if (same_token(table, slot.id, key, content)) return slot.id;
            index = next_slot(index, table->slot_count);
            continue;
        }
        return occupied ? slot.id : absent;
    }
}
