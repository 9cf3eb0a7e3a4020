/* number_index.h: from 64-bit numbers to dense ids 0, 1, 2 ..., kept and growing.
 *
 * number_table.h forgets its numbers with every segment and is as fast as memory allows; this table keeps
 * them over millions of sentences, and is small.
 *
 * Layout. The numbers themselves, by id, and an open-addressed table of slots that hold id + 1, or 0
 * where they are free; at most two thirds of the slots are used. So a number costs 8 bytes and its
 * slot 6 to 12, and growing touches no id.
 *
 * A table may lie in a file that was mapped into memory and may be damaged: a look-up stays
 * inside the two arrays and ends, whatever they hold.
 *
 * Ownership. The index owns its arrays (number_index_free), except those of a file, which the caller
 * sets. Any thread may find numbers, which changes nothing; only one may add them, while no other uses the index.
 */
#pragma once

#include "probing.h"

typedef struct {
    uint64_t *numbers;     /* by id */
    uint32_t *slots;       /* id + 1, or 0 */
    size_t slot_count;     /* a power of two */
    int32_t count;         /* ids given out */
    int32_t capacity;      /* of `numbers` */
    hash_seed seed;
    uint32_t *wider;       /* slots that ids are being moved to, or NULL */
    size_t wider_count;
    int32_t moved;         /* ids moved so far */
} number_index;

static inline void number_index_free(number_index *index)
{
    free(index->numbers);
    free(index->slots);
    free(index->wider);
    index->numbers = NULL;
    index->slots = index->wider = NULL;
    index->slot_count = 0;
    index->count = index->capacity = 0;
}

/* Forgets all numbers and keeps the memory. */
static inline void number_index_clear(number_index *index)
{
    if (index->count) memset(index->slots, 0, index->slot_count * sizeof(uint32_t));
    index->count = 0;
}

/* Frees the memory that was kept for more numbers. */
static inline void number_index_trim(number_index *index)
{
    const size_t count = index->count ? (size_t)index->count : 1;
    uint64_t *numbers = (uint64_t *)realloc(index->numbers, count * sizeof(uint64_t));
    if (!numbers) return;
    index->numbers = numbers;
    index->capacity = (int32_t)count;
}

/* Begins to make room for `more` numbers; ids stay. Returns 0: there is room, 1: number_index_move has to
 * be called until it returns 0, or -1: no memory, or more than 2**31 - 1 numbers. */
static inline int number_index_widen(number_index *index, size_t more)
{
    const size_t needed = (size_t)index->count + more;
    if (FB_UNLIKELY(needed > (size_t)index->capacity)) {
        size_t capacity = needed + needed / 2 + 32;
        if (needed >= INT32_MAX) return -1;
        if (capacity >= INT32_MAX) capacity = INT32_MAX - 1;
        uint64_t *numbers = (uint64_t *)realloc(index->numbers, capacity * sizeof(uint64_t));
        if (!numbers) return -1;
        index->numbers = numbers;
        index->capacity = (int32_t)capacity;
    }
    if (FB_UNLIKELY(needed * 3 > index->slot_count * 2)) {
        size_t slot_count = index->slot_count ? index->slot_count : 64;
        while (needed * 3 > slot_count * 2) slot_count *= 2;
        free(index->wider);      /* left over if moving was interrupted */
        index->wider = (uint32_t *)calloc(slot_count, sizeof(uint32_t));
        if (!index->wider) return -1;
        index->wider_count = slot_count;
        index->moved = 0;
        return 1;
    }
    return 0;
}

/* Moves up to `most` ids to the wider slots: in steps, because moving a large table takes a while. */
static inline int number_index_move(number_index *index, int32_t most)
{
    uint32_t *slots = index->wider;
    const int32_t end = index->count - index->moved > most ? index->moved + most : index->count;
    for (; index->moved < end; index->moved++) {
        size_t slot = slot_of_number(index->numbers[index->moved], index->seed, index->wider_count);
        while (slots[slot]) slot = next_slot(slot, index->wider_count);
        slots[slot] = (uint32_t)index->moved + 1;
    }
    if (end < index->count) return 1;
    free(index->slots);
    index->slots = slots;
    index->slot_count = index->wider_count;
    index->wider = NULL;
    return 0;
}

/* Makes room at once. Returns 0, or -1 as number_index_widen. */
static inline int number_index_reserve(number_index *index, size_t more)
{
    const int state = number_index_widen(index, more);
    return state > 0 ? number_index_move(index, INT32_MAX) : state;
}

/* The id of a number, given out now if it is new. Room was made by number_index_reserve. */
FB_INLINE int32_t number_index_add(number_index *index, uint64_t number)
{
    size_t slot = slot_of_number(number, index->seed, index->slot_count);
    uint32_t used;
    while ((used = index->slots[slot]) != 0) {
        if (FB_LIKELY(index->numbers[used - 1] == number)) return (int32_t)(used - 1);
        slot = next_slot(slot, index->slot_count);
    }
    index->numbers[index->count] = number;
    index->slots[slot] = (uint32_t)index->count + 1;
    return index->count++;
}

/* The id of a number, or -1 if it has none. */
FB_INLINE int32_t number_index_find(const number_index *index, uint64_t number)
{
    if (!index->count) return -1;
    size_t slot = slot_of_number(number, index->seed, index->slot_count);
    for (size_t probes = 0; probes < index->slot_count; probes++) {
        const uint32_t id = index->slots[slot] - 1;
        /* A free slot gives the largest of all ids. */
        if (id >= (uint32_t)index->count) return -1;
        if (FB_LIKELY(index->numbers[id] == number)) return (int32_t)id;
        slot = next_slot(slot, index->slot_count);
    }
    return -1;
}
