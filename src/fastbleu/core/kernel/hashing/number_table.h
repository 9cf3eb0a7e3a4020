/* number_table.h: from 64-bit numbers to dense ids 0, 1, 2 ..., one segment at a time.
 *
 * For numbers that are their own identity: token ids, and pairs of ids. Like interner.h, without what
 * strings need: a slot holds the number itself, so that a look-up touches one cache line.
 *
 * Layout. An open-addressed table of 16-byte slots (number, epoch, id); probing.h. At most a quarter of
 * the slots are ever used: a collision costs a mispredicted branch, which is slower than a larger
 * table. Tables that do not fit into any cache are half full, because memory costs more there, even to free
 * when a call is interrupted.
 *
 * Ownership. The table owns its slots (number_table_free). Not thread-safe: one table per thread.
 */
#pragma once

#include "probing.h"

typedef struct {
    uint64_t number;
    uint32_t epoch;
    int32_t id;
} number_slot;

typedef struct {
    number_slot *slots;
    size_t slot_count;            /* a power of two */
    uint32_t epoch;
    int32_t count;                /* ids given out in this segment */
    hash_seed seed;
} number_table;

static inline void number_table_free(number_table *table)
{
    free(table->slots);
    table->slots = NULL;
    table->slot_count = 0;
}

#define NUMBERS_IN_CACHE ((size_t)1 << 20)

/* Forgets the last segment and makes room for `numbers` new ones. Returns 0, or -1: no memory. */
static inline int number_table_begin(number_table *table, size_t numbers)
{
    table->count = 0;
    const size_t needed = numbers * (numbers < NUMBERS_IN_CACHE ? 4 : 2);
    table->slots = (number_slot *)slots_for_segment(table->slots, &table->slot_count, &table->epoch, needed,
                                                    sizeof(number_slot));
    return table->slots ? 0 : -1;
}

/* The id of a number, given out now if it is new. Room was made by number_table_begin. */
FB_INLINE int32_t number_table_add(number_table *table, uint64_t number)
{
    size_t index = slot_of_number(number, table->seed, table->slot_count);
    while (table->slots[index].epoch == table->epoch) {
        if (FB_LIKELY(table->slots[index].number == number)) return table->slots[index].id;
        index = next_slot(index, table->slot_count);
    }
    table->slots[index].number = number;
    table->slots[index].epoch = table->epoch;
    return table->slots[index].id = table->count++;
}

/* The id of a number, or `absent` if no number_table_add of this segment gave it one.
 * Processors cannot predict whether it is there, so the common case has no branch on it; only a
 * different number in the same slot has one. */
FB_INLINE int32_t number_table_find(const number_table *table, uint64_t number, int32_t absent)
{
    size_t index = slot_of_number(number, table->seed, table->slot_count);
    for (;;) {
        const number_slot slot = table->slots[index];
        const int occupied = slot.epoch == table->epoch;
        if (FB_LIKELY(!(occupied & (slot.number != number)))) return occupied ? slot.id : absent;
        index = next_slot(index, table->slot_count);
    }
}
