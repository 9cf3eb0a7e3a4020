/* token_store.h: the tokens of a vocabulary that lives longer than its sentences.
 *
 * An interner borrows the content of tokens that are too long to be their own keys, but the texts that contain
 * it are freed. A token_store owns copies of this content, in chunks that never move; store_tokens copies that
 * of the tokens that are new since its last call, so that numbering tokens does not become slower.
 *
 * Token ids are numbered by the same interner as tokens that are Python integers, so that the two are
 * equal. A token can be read back from its key and content (stored_token).
 *
 * Ownership. The store owns its chunks (token_store_free). Any thread may find numbers, which changes nothing;
 * everything else is for one thread alone.
 */
#pragma once

#include "content_keys.h"

typedef struct token_chunk {
    struct token_chunk *next;
    uint64_t words[1];            /* so that every token is aligned */
} token_chunk;

typedef struct {
    token_chunk *newest;
    size_t used, size;            /* words of the newest chunk */
    size_t words;                 /* of all chunks */
} token_store;

#define FIRST_CHUNK_WORDS ((size_t)1 << 9)
#define LARGEST_CHUNK_WORDS ((size_t)1 << 17)

static inline void free_chunks(token_chunk *chunk)
{
    while (chunk) {
        token_chunk *next = chunk->next;
        free(chunk);
        chunk = next;
    }
}

static inline void token_store_free(token_store *store)
{
    free_chunks(store->newest);
    memset(store, 0, sizeof *store);
}

/* Forgets all tokens; keeps the memory of the newest chunk. */
static inline void token_store_clear(token_store *store)
{
    if (!store->newest) return;
    free_chunks(store->newest->next);
    store->newest->next = NULL;
    store->used = 0;
    store->words = store->size;
}

static inline unsigned char *store_room(token_store *store, size_t words)
{
    if (FB_UNLIKELY(store->size - store->used < words)) {
        size_t size = store->words < FIRST_CHUNK_WORDS ? FIRST_CHUNK_WORDS : store->words;
        if (size > LARGEST_CHUNK_WORDS) size = LARGEST_CHUNK_WORDS;
        if (size < words) size = words;
        token_chunk *chunk = (token_chunk *)malloc(sizeof(token_chunk) + size * sizeof(uint64_t));
        if (!chunk) return NULL;
        chunk->next = store->newest;
        store->newest = chunk;
        store->used = 0;
        store->size = size;
        store->words += size;
    }
    unsigned char *room = (unsigned char *)(store->newest->words + store->used);
    store->used += words;
    return room;
}

/* Copies the content of the tokens from id `first` on. Returns 0, or -1: no memory; then no token equals
 * those whose content could not be copied. */
static inline int store_tokens(token_store *store, interner *table, int32_t first)
{
    int failed = 0;
    for (int32_t id = first; id < table->count; id++) {
        if (FB_LIKELY(!(table->keys[id].high & KEY_IS_HASH))) continue;
        token_content *content = &table->contents[id];
        unsigned char *room = failed ? NULL : store_room(store, (content->size + 7) / 8);
        if (room) {
            memcpy(room, content->bytes, content->size);
            content->bytes = room;
        } else {
            failed = -1;
            content->bytes = NULL;
            content->size = 0;
        }
    }
    return failed;
}

FB_INLINE token_key number_key(int64_t number)
{
    token_key key;
    key.low = (uint64_t)number;
    key.high = (uint64_t)(KIND_INTEGER << 4) << 56;
    return key;
}

/* Ids of numbers, new ones if necessary; there is room for all of them. */
static inline void intern_numbers(interner *table, const int64_t *numbers, ptrdiff_t length, int32_t *ids)
{
    const token_content none = {NULL, 0};
    for (ptrdiff_t i = 0; i < length; i++) ids[i] = interner_add(table, number_key(numbers[i]), none);
}

/* Ids of numbers, -1 where they have none. */
static inline void find_numbers(const interner *table, const int64_t *numbers, ptrdiff_t length, int32_t *ids)
{
    const token_content none = {NULL, 0};
    for (ptrdiff_t i = 0; i < length; i++) ids[i] = interner_find(table, number_key(numbers[i]), none, -1);
}

/* The content of a token and its kind (content_keys.h). A short one is copied to `room`; a number is
 * the 8 bytes of its int64. */
static inline unsigned stored_token(const interner *table, int32_t id, uint64_t room[2],
                                    token_content *content)
{
    const token_key key = table->keys[id];
    const unsigned tag = (unsigned)(key.high >> 56), kind = tag >> 4 & 7;
    unsigned char *bytes = (unsigned char *)room;
    if (key.high & KEY_IS_HASH) {
        *content = table->contents[id];
    } else if (kind == KIND_INTEGER) {
        room[0] = key.low;
        content->bytes = bytes;
        content->size = sizeof(uint64_t);
    } else {
        const size_t size = tag & 15;
        for (size_t i = 0; i < size; i++) {
            const size_t place = INLINE_BYTES - size + i;      /* of the 16 bytes of a key, lowest first */
            bytes[i] = (unsigned char)(place < 8 ? key.low >> 8 * place : key.high >> 8 * (place - 8));
        }
        content->bytes = bytes;
        content->size = size;
    }
    return kind;
}

/* The id of bytes as a token of this kind, which is not an integer; there is room for it. */
static inline int32_t intern_content(interner *table, token_content content, unsigned kind)
{
    if (content.size > INLINE_BYTES)
        return interner_add(table, hashed_key(content.bytes, content.size, kind, table->seed), content);
    return interner_add(table, bounded_key(content.bytes, content.size, kind), content);
}

/* The key of a sequence of ids, by which an interner compares sentences. */
static inline token_key ids_key(const int32_t *ids, size_t length, const interner *table)
{
    const size_t size = length * sizeof(int32_t);
    if (size > INLINE_BYTES) return hashed_key((const unsigned char *)ids, size, 4, table->seed);
    return bounded_key((const unsigned char *)ids, size, 4);
}
