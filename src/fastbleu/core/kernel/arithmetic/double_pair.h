/* double_pair.h: positive numbers as unevaluated sums of two doubles, with about 100 exact bits.
 *
 * Each operation has a relative error of at most the multiple of 2**-106 given beside it (Joldes,
 * Muller, Popescu 2017, Tight and rigorous error bounds for basic building blocks of double-word
 * arithmetic). A product of two doubles is split by Dekker's method, so that no fused multiply-add is
 * needed. Operands and results must lie between 1e-200 and 1e200. Needs IEEE doubles without contraction.
 *
 * Pure functions; any thread may call them.
 */
#pragma once

#include "../simd/platform.h"

#define PAIR_UNIT 0x1p-106

/* `high` is the sum rounded to a double. */
typedef struct { double high, low; } double_pair;

/* The exact sum of two numbers, the larger one first. */
FB_INLINE double_pair ordered_sum(double large, double small)
{
    const double sum = large + small;
    const double_pair pair = {sum, small - (sum - large)};
    return pair;
}

FB_INLINE double_pair exact_product(double a, double b)
{
    const double scaled_a = a * 134217729.0, scaled_b = b * 134217729.0;      /* 2**27 + 1 */
    const double a_high = scaled_a - (scaled_a - a), b_high = scaled_b - (scaled_b - b);
    const double a_low = a - a_high, b_low = b - b_high, product = a * b;
    const double_pair pair = {
        product, a_low * b_low - (((product - a_high * b_high) - a_low * b_high) - a_high * b_low)};
    return pair;
}

FB_INLINE double_pair pair_times_double(double_pair a, double b)      /* 2 */
{
    const double_pair product = exact_product(a.high, b);
    const double_pair sum = ordered_sum(product.high, a.low * b);
    return ordered_sum(sum.high, sum.low + product.low);
}

FB_INLINE double_pair pair_times(double_pair a, double_pair b)      /* 7 */
{
    const double_pair product = exact_product(a.high, b.high);
    return ordered_sum(product.high, product.low + (a.high * b.low + a.low * b.high));
}

FB_INLINE double_pair pair_plus_double(double_pair a, double b)      /* 2 */
{
    const double_pair sum = a.high < b ? ordered_sum(b, a.high) : ordered_sum(a.high, b);
    return ordered_sum(sum.high, a.low + sum.low);
}

FB_INLINE double_pair pair_over(double_pair a, double_pair b)      /* 16 */
{
    const double quotient = a.high / b.high;
    const double_pair product = pair_times_double(b, quotient);
    const double rest = (a.high - product.high) + (a.low - product.low);
    return ordered_sum(quotient, rest / b.high);
}

/* Whether all numbers that are at most `error` units away from a pair round to the same double. */
FB_INLINE int pair_rounds(double_pair a, double error)
{
    const double width = (error + 4.0) * PAIR_UNIT * a.high;
    return a.high + (a.low - width) == a.high && a.high + (a.low + width) == a.high;
}
