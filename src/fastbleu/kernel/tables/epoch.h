/* epoch.h: clearing a table by incrementing its epoch, for all tables of the kernel.
 *
 * A slot of a table is stamped with an epoch and belongs to the current segment if its stamp is the
 * table's. So a new segment costs one increment, and slots are cleared only once in 2**32 segments. A
 * slot from calloc has the epoch 0, which is never a table's epoch.
 */
#pragma once

#include "../simd/platform.h"

/* Makes every slot of a table stale; `size` is that of all slots in bytes. */
FB_INLINE void begin_epoch(uint32_t *epoch, void *slots, size_t size)
{
    if (FB_UNLIKELY(++*epoch == 0)) {      /* wrapped around: old stamps could become valid */
        memset(slots, 0, size);
        *epoch = 1;
    }
}
