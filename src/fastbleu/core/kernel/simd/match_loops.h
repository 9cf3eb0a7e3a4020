/* match_loops.h: the vector loop of masks.h, which includes this once for each level, that of V. */

/* ANDs the masks of a vector's positions, shifted by n, into `left`, or with `first` sets it to them. Returns the
 * number of bits left, as counts by byte of each position. */
V(TARGET)
FB_INLINE V(words)
    V(and_shifted)(V(words) left[MASK_WORDS], const uint64_t *planes, int n, const int words, const int first)
{
    V(words) count = V(repeat)(0), lower = V(load)(planes);
    for (int w = 0; w < words; w++) {
        V(words) word = first ? lower : V(shift_right)(lower, n);
        if (w + 1 < words) {
            lower = V(load)(planes + (w + 1) * PLANE);
            if (!first) word = V(bits_or)(word, V(shift_left)(lower, 64 - n));
        }
        left[w] = first ? word : V(bits_and)(left[w], word);
        count = V(add_bytes)(count, V(bits_of_bytes)(left[w]));
    }
    return count;
}

V(TARGET)
FB_INLINE void V(match_some)(const uint64_t *in_reference, const uint64_t *in_hypothesis,
                             int hypothesis_length, int max_order, const int words, uint64_t *matched)
{
    for (int i = 0; i < hypothesis_length; i += V(LANES)) {
        const int orders = orders_at(i, hypothesis_length, max_order);
        V(words) reference[MASK_WORDS], earlier[MASK_WORDS];
        V(words) in_it = V(and_shifted)(reference, in_reference + i, 0, words, 1);
        V(words) before = V(and_shifted)(earlier, in_hypothesis + i, 0, words, 1);
        for (int n = 0;;) {
            const uint64_t hits = V(greater)(V(sums_of_bytes)(in_it), V(sums_of_bytes)(before));
            matched[n * MASK_WORDS + (i >> 6)] |= hits << (i & 63);
            if (++n >= orders) break;
            in_it = V(and_shifted)(reference, in_reference + i + n, n, words, 0);
            /* Several words are worth branches: most longer n-grams occur nowhere else. */
            if (words > 1 && V(is_zero)(in_it)) break;
            if (words == 1 || !V(is_zero)(before))
                before = V(and_shifted)(earlier, in_hypothesis + i + n, n, words, 0);
        }
    }
}
