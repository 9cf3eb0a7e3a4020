/* checked.h: int64 addition that reports overflow. */
#pragma once

#include <stdint.h>

/* Stores a + b and returns 0, or returns 1 if the sum does not fit (`total` is then unspecified). */
static inline int add_overflows(int64_t a, int64_t b, int64_t *total)
{
#if defined(_MSC_VER) && !defined(__clang__)
    *total = (int64_t)((uint64_t)a + (uint64_t)b);
    return ((a ^ *total) & (b ^ *total)) < 0;
#else
    return __builtin_add_overflow(a, b, total);
#endif
}
