/* patterns.h: what mteval-v13a replaces in a line before it tokenizes (rewrite.h), in this order.
 *
 * Constants, which any thread may read.
 */
#pragma once

#include <stdint.h>

/* Each pattern becomes one character, or nothing if that is 0. */
typedef struct {
    const char *pattern;
    char replacement;
} rewrite_step;

/* clang-format off */
static const rewrite_step rewrite_steps[] = {
    {"<skipped>", 0},
    {"-\n", 0},
    {"\n", ' '},
    {"&quot;", '"'},
    {"&amp;", '&'},
    {"&lt;", '<'},
    {"&gt;", '>'},
};
/* clang-format on */

#define REWRITE_STEPS ((int)(sizeof rewrite_steps / sizeof *rewrite_steps))
