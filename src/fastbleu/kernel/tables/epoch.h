/* epoch.h: forgetting a table by counting up, in one place for all tables of the kernel.
 *
 * A slot of a table is stamped with an epoch and belongs to the present segment when its stamp is the
 * table's. So a new segment costs one increment, and nothing is cleared but once in 2**32 segments. A
 * slot that calloc has made bears 0, which is never a table's epoch.
 */
#pragma once

#include "../simd/platform.h"

/* Makes every slot of a table stale; `size` is that of all slots in bytes. */
FB_INLINE void begin_epoch(uint32_t *epoch, void *slots, size_t size)
{
    if (FB_UNLIKELY(++*epoch == 0)) {      /* wrapped round: old stamps could come alive */
        memset(slots, 0, size);
        *epoch = 1;
    }
}
