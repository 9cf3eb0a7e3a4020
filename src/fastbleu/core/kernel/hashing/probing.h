/* probing.h: what the open-addressed tables of the kernel share: seeds, slots, and clearing them.
 *
 * The slot of a key is a keyed multiply over a per-process seed: without knowing the seed nobody can craft keys
 * that collide. It changes no id, only the slot of an id.
 *
 * A slot of a table that is cleared often is stamped with an epoch and belongs to the current segment if its
 * stamp is the table's. So a new segment costs one increment, and slots are cleared only once in 2**32
 * segments. A slot from calloc has the epoch 0, which is never a table's epoch.
 */
#pragma once

#include <stdlib.h>
#include "../simd/platform.h"

typedef struct { uint64_t first, second; } hash_seed;

/* The cost of a look-up, relative to one in a table that fits into a cache. In a larger table nearly every
 * look-up is in a different page, at first in one that was never touched: thousands of them are slow. */
FB_INLINE ptrdiff_t look_up_cost(size_t slot_count)
{
    return slot_count > (size_t)1 << 20 ? 16 : 1;
}

/* Where a number is looked for first; `slot_count` is a power of two. */
FB_INLINE size_t slot_of_number(uint64_t number, hash_seed seed, size_t slot_count)
{
    return (size_t)multiply_fold(number ^ seed.first, seed.second | 1) & (slot_count - 1);
}

FB_INLINE size_t next_slot(size_t slot, size_t slot_count)
{
    return (slot + 1) & (slot_count - 1);
}

#define FEWEST_SLOTS ((size_t)512)

/* Slots for a new segment: the same ones, made stale, or more. NULL: no memory, and the old ones are freed. */
static inline void *slots_for_segment(void *slots, size_t *slot_count, uint32_t *epoch, size_t needed,
                                      size_t size)
{
    if (FB_UNLIKELY(needed > *slot_count || !slots)) {
        free(slots);
        *slot_count = FEWEST_SLOTS;
        while (*slot_count < needed) *slot_count *= 2;
        slots = calloc(*slot_count, size);
        if (!slots) *slot_count = 0;
        *epoch = 0;
    }
    if (FB_UNLIKELY(++*epoch == 0)) {      /* wrapped around: old stamps could become valid */
        memset(slots, 0, *slot_count * size);
        *epoch = 1;
    }
    return slots;
}
