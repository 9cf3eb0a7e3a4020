/* line_copy.h: memory for a line that is changed before it is read.
 *
 * Contract. There are LEAD bytes to read before a line and TAIL to overwrite after it (line_reader.h, lower.h,
 * transcode.h). A copy belongs to one thread, and is all zero at first.
 */
#pragma once

#include <stdint.h>
#include <stdlib.h>

#define LEAD 32
#define TAIL 64

typedef struct {
    uint8_t *bytes;
    size_t room;
} line_copy;

static inline void free_copy(line_copy *copy)
{
    if (copy->bytes) free(copy->bytes - LEAD);
    copy->bytes = NULL;
    copy->room = 0;
}

/* Makes room for a line of `size` bytes, discarding the last one. Returns 0, or -1: no memory. */
static inline int reserve_copy(line_copy *copy, size_t size)
{
    if (copy->bytes && size <= copy->room) return 0;
    free_copy(copy);
    size += size / 2;
    uint8_t *memory = (uint8_t *)malloc(size + LEAD + TAIL);
    if (!memory) return -1;
    copy->bytes = memory + LEAD;
    copy->room = size;
    return 0;
}
