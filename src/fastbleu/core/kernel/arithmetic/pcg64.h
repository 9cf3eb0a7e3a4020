/* pcg64.h: the words of numpy's generator PCG64, from any position.
 *
 * Data. A state is a number of 128 bits; the next one is state * multiplier + increment, and each gives a word
 * of 64 bits. Four states are computed at a time, each from the one four steps before, so that steps do not wait
 * for each other. numpy takes 32 bits of a word at a time, the lower ones first.
 * Ownership. Nothing is allocated; any thread may call these functions. Cost: a nanosecond per word; to begin, a
 * few multiplications for each bit of the position.
 * O'Neill (2014), PCG: a family of simple fast space-efficient statistically good algorithms for random number
 * generation: PCG XSL RR 128/64; Brown (1994), Random number generation with arbitrary strides.
 */
#pragma once

#include "../simd/platform.h"

typedef struct { uint64_t high, low; } uint128_pair;

/* x -> x * factor + term, modulo 2**128 */
typedef struct { uint128_pair factor, term; } pcg64_step;

typedef struct {
    uint128_pair states[4];             /* of the next four words */
    pcg64_step four;                    /* four steps at once */
} pcg64;

FB_INLINE uint128_pair pcg64_after(uint128_pair x, pcg64_step step)
{
    const uint64_t low = x.low * step.factor.low + step.term.low;
    uint64_t high = multiply_high(x.low, step.factor.low) + step.term.high + (low < step.term.low);
    high += x.high * step.factor.low + x.low * step.factor.high;
    return (uint128_pair){high, low};
}

/* One step and then the other. */
FB_INLINE pcg64_step pcg64_both(pcg64_step one, pcg64_step other)
{
    const pcg64_step scaled = {other.factor, {0, 0}};
    return (pcg64_step){pcg64_after(one.factor, scaled), pcg64_after(one.term, other)};
}

FB_INLINE uint64_t pcg64_word(uint128_pair state)
{
    const unsigned turned = (unsigned)(state.high >> 58);
    const uint64_t word = state.high ^ state.low;
    return word >> turned | word << (-turned & 63);
}

/* The words of a generator with this state, from number `position` on. */
static pcg64 pcg64_at(uint128_pair state, uint128_pair increment, uint64_t position)
{
    pcg64 generator;
    pcg64_step one = {{2549297995355413924u, 4865540595714422341u}, increment};
    const pcg64_step two = pcg64_both(one, one);
    pcg64_step far = one;
    for (generator.four = pcg64_both(two, two); position > 0; position >>= 1, far = pcg64_both(far, far))
        if (position & 1) state = pcg64_after(state, far);
    for (int k = 0; k < 4; k++) generator.states[k] = state = pcg64_after(state, one);
    return generator;
}

/* Write eight words of 32 bits. */
FB_INLINE void pcg64_next(pcg64 *generator, uint32_t *words)
{
    for (int k = 0; k < 4; k++) {
        const uint64_t word = pcg64_word(generator->states[k]);
        words[2 * k] = (uint32_t)word;
        words[2 * k + 1] = (uint32_t)(word >> 32);
        generator->states[k] = pcg64_after(generator->states[k], generator->four);
    }
}
