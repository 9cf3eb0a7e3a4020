/* compare_loops.h: the loops of compare.h, which includes this once for each level, that of V. */

/* Vectors of tokens from number `at` on. With constants for `vectors` and `wide`, masks stay in registers. */
V(TARGET)
FB_INLINE void V(compare_some)(key_words tokens, key_words others, int at, const int vectors, const int wide,
                               int earlier, uint64_t *masks)
{
    V(words) first_of[4 * V(UNIT)], second_of[4 * V(UNIT)], found[4 * V(UNIT)];
    V(words) bit = V(repeat)((uint64_t)1 << ((others.length - 1) & 63));
    for (int v = 0; v < vectors; v++) {
        const int i = at + V(LANES) * v;
        found[v] = V(repeat)(0);
        first_of[v] = V(load)(tokens.first + i);
        second_of[v] = wide ? V(load)(tokens.second + i) : first_of[v];
    }
    for (int j = others.length - 1; j >= 0; j--) {
        const V(words) first = V(repeat)(others.first[j]);
        const V(words) second = wide ? V(repeat)(others.second[j]) : first;
        for (int v = 0; v < vectors; v++)
            found[v] = V(add_equal)(found[v], bit, first, first_of[v], wide, second, second_of[v]);
        bit = V(shift_right)(bit, 1);
    }
    for (int v = 0; v < vectors; v++) {
        const int i = at + V(LANES) * v;
        if (earlier) { /* the bits below the lane's own */
            const V(words) own = V(shift_left)(V(load)(first_bits), i);
            found[v] = V(bits_and)(found[v], V(add)(own, V(repeat)(~(uint64_t)0)));
        }
        V(store)(masks + i, found[v]);
    }
}

/* All vectors, four units at a time. With `earlier`, later tokens are not compared. */
V(TARGET)
FB_INLINE void V(compare_all)(const key_words *tokens, const key_words *others, const int wide, int earlier,
                              uint64_t *masks)
{
    enum { UNIT = V(UNIT), TOKENS = V(LANES) * UNIT };
    for (int at = 0; at < tokens->length; at += 4 * TOKENS) {
        const int left = (tokens->length - at + TOKENS - 1) / TOKENS;
        key_words present = *others;
        if (earlier && present.length > at + 4 * TOKENS) present.length = at + 4 * TOKENS;
        if (left >= 4) V(compare_some)(*tokens, present, at, 4 * UNIT, wide, earlier, masks);
        else if (left == 3) V(compare_some)(*tokens, present, at, 3 * UNIT, wide, earlier, masks);
        else if (left == 2) V(compare_some)(*tokens, present, at, 2 * UNIT, wide, earlier, masks);
        else V(compare_some)(*tokens, present, at, UNIT, wide, earlier, masks);
    }
}

/* A mask is identified by its first position, a byte: all are compared at once. */
V(TARGET)
FB_INLINE void V(compare_masks)(const uint64_t *in_reference, int length, uint64_t *masks)
{
    uint8_t first[MASK_TOKENS + MASK_LANES];
    uint64_t places[MASK_LANES], own = 1;
    for (int i = 0; i < length; i += V(LANES)) {
        const V(words) mask = V(load)(in_reference + i);
        const V(words) below = V(bits_and_not)(mask, V(add)(mask, V(repeat)(~(uint64_t)0)));
        V(store)(places, V(sums_of_bytes)(V(bits_of_bytes)(below)));
        for (int lane = 0; lane < V(LANES); lane++) first[i + lane] = (uint8_t)places[lane];
    }
    for (int i = 0; i < length; i++, own <<= 1) masks[i] = V(equal_bytes)(first, first[i]) & (own - 1);
}

/* compare_keys_avx2, compare_keys_avx512 or compare_keys_neon. */
V(TARGET)
static void V(compare_keys)(const key_words *tokens, const key_words *others, int earlier, uint64_t *masks)
{
    if (earlier == EARLIER_MASKS) V(compare_masks)(tokens->first, tokens->length, masks);
    else if (tokens->second) V(compare_all)(tokens, others, 1, earlier, masks);
    else V(compare_all)(tokens, others, 0, earlier, masks);
    for (int i = 0; i < MASK_LANES; i += V(LANES)) V(store)(masks + tokens->length + i, V(repeat)(0));
}
