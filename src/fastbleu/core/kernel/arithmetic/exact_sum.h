/* exact_sum.h: the correctly rounded sum of a few doubles, as Python's math.fsum gives it.
 *
 * Shewchuk's algorithm (1997): `partials` holds the exact sum of the terms so far as numbers that do
 * not overlap, smallest first; adding a term is one pass of error-free additions. The last step rounds
 * once, half to even. Needs IEEE doubles without contraction or extended precision.
 */
#pragma once

#include <math.h>

#define EXACT_SUM_TERMS 64

/* Sum of at most EXACT_SUM_TERMS finite terms. */
static double exact_sum(const double *terms, int count)
{
    double partials[EXACT_SUM_TERMS + 1];
    int used = 0;
    for (int t = 0; t < count; t++) {
        double carry = terms[t];
        int kept = 0;
        for (int i = 0; i < used; i++) {
            double large = carry, small = partials[i];
            if (fabs(large) < fabs(small)) {
                large = partials[i];
                small = carry;
            }
            carry = large + small;
            double error = small - (carry - large);
            if (error != 0.0) partials[kept++] = error;
        }
        partials[kept++] = carry;
        used = kept;
    }
    if (used == 0) return 0.0;
    double sum = partials[--used], error = 0.0;
    while (used > 0 && error == 0.0) {
        double large = sum, small = partials[--used];
        sum = large + small;
        error = small - (sum - large);
    }
    /* An error of exactly half a unit was rounded to even; the terms below it decide the direction. */
    if (used > 0
        && ((error < 0.0 && partials[used - 1] < 0.0) || (error > 0.0 && partials[used - 1] > 0.0))) {
        double doubled = error * 2.0, tipped = sum + doubled;
        if (tipped - sum == doubled) sum = tipped;
    }
    return sum;
}
