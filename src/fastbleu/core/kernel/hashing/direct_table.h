/* direct_table.h: from small numbers to dense ids 0, 1, 2 ..., one segment at a time, without hashing.
 *
 * Like number_table.h, for numbers below DIRECT_NUMBERS, such as the ids of nearly every vocabulary: the
 * number itself is the index of its slot (epoch, id). Look-ups have no branch, because a processor cannot
 * predict whether a token is new: with a branch, rows of 600 to 2,000 ids take 1.4 times as long.
 *
 * Ownership. The table owns its slots (direct_table_free), 8 bytes for each number up to the largest
 * one that it has met: at most 4 MB. Not thread-safe: one table per thread.
 */
#pragma once

#include "probing.h"

#define DIRECT_NUMBERS ((uint64_t)1 << 19)

typedef struct {
    uint32_t epoch;
    int32_t id;
} direct_slot;

typedef struct {
    direct_slot *slots;
    size_t slot_count;
    uint32_t epoch;
    int32_t count;                /* ids given out in this segment */
} direct_table;

static inline void direct_table_free(direct_table *table)
{
    free(table->slots);
    table->slots = NULL;
    table->slot_count = 0;
}

/* Forgets the last segment and makes room for numbers up to `largest`. Returns 0, or -1: no memory. */
static inline int direct_table_begin(direct_table *table, uint64_t largest)
{
    table->count = 0;
    table->slots = (direct_slot *)slots_for_segment(table->slots, &table->slot_count, &table->epoch,
                                                    (size_t)largest + 1, sizeof(direct_slot));
    return table->slots ? 0 : -1;
}

/* The largest of numbers taken as unsigned, so that a negative one is very large. */
FB_INLINE uint64_t largest_of(const int64_t *numbers, ptrdiff_t length)
{
    uint64_t largest = 0;
    for (ptrdiff_t i = 0; i < length; i++)
        largest = (uint64_t)numbers[i] > largest ? (uint64_t)numbers[i] : largest;
    return largest;
}

/* Gives the numbers of a hypothesis their ids; room was made for the largest. */
static inline void direct_table_add(direct_table *table, const int64_t *numbers, ptrdiff_t length,
                                    int32_t *ids)
{
    direct_slot *slots = table->slots;
    const uint32_t epoch = table->epoch;
    int32_t count = table->count;
    for (ptrdiff_t i = 0; i < length; i++) {
        direct_slot *slot = slots + numbers[i];
        const int known = slot->epoch == epoch;
        const int32_t id = known ? slot->id : count;
        slot->epoch = epoch;
        slot->id = id;
        ids[i] = id;
        count += !known;
    }
    table->count = count;
}

/* Finds the ids of a reference's numbers, which may have any size; a number without an id gets `absent`. */
static inline void direct_table_find(const direct_table *table, const int64_t *numbers, ptrdiff_t length,
                                     int32_t absent, int32_t *ids)
{
    const direct_slot *slots = table->slots;
    const uint32_t epoch = table->epoch;
    const uint64_t last = table->slot_count - 1;
    for (ptrdiff_t i = 0; i < length; i++) {
        const uint64_t number = (uint64_t)numbers[i];
        const direct_slot slot = slots[number < last ? number : last];
        ids[i] = ((slot.epoch == epoch) & (number <= last)) ? slot.id : absent;
    }
}
