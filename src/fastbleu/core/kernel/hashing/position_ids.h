/* position_ids.h: ids of at most 512 tokens; a token's id is the position of an equal one in the hypothesis.
 *
 * A processor cannot predict whether a token is new, so no branch depends on it: first each position of the
 * hypothesis is written to the slot of its key, overwriting the slot; then each slot is read back, and a
 * position takes the id of the position it finds if both have the same key. A position whose slot was
 * overwritten by a different token is lost, which is rare; lost tokens are looked up one by one. A reference's
 * tokens are read in the same way; those that the hypothesis lacks get its length as their id.
 *
 * Contract. Slots need no clearing, once they are zero: the position that is read, of any hypothesis before, counts
 * only if it has an equal key. Hashed
 * keys (key_list.h) are verified by their bytes; if two contents have one hash, the functions return 0, and an
 * interner must tell them apart. The slot depends on a per-process seed, which changes no result.
 * Not thread-safe: one table per thread. Cost: two or three loads and a multiplication a token.
 */
#pragma once

#include "key_list.h"

#define POSITION_SLOTS ((size_t)1 << 15)

typedef struct {
    uint16_t slots[POSITION_SLOTS];
    uint16_t slot_of[LISTED_TOKENS];
    uint16_t lost[LISTED_TOKENS];      /* the first of each kind of lost tokens */
    int lost_count;
    hash_seed seed;
} position_table;

FB_INLINE size_t position_slot(const position_table *table, key_words words, int i, const int wide)
{
    return (size_t)multiply_fold(words.first[i] ^ table->seed.first,
                                 (wide ? words.second[i] : 0) ^ (table->seed.second | 1))
           & (POSITION_SLOTS - 1);
}

FB_INLINE int equal_keys(key_words one, int i, key_words other, int j, const int wide)
{
    const uint64_t difference = one.first[i] ^ other.first[j];
    return (wide ? difference | (one.second[i] ^ other.second[j]) : difference) == 0;
}

FB_INLINE void number_words(position_table *table, key_words words, const int wide, int32_t *ids)
{
    int lost = 0;
    table->lost_count = 0;
    for (int i = 0; i < words.length; i++) {
        table->slot_of[i] = (uint16_t)position_slot(table, words, i, wide);
        table->slots[table->slot_of[i]] = (uint16_t)i;
    }
    for (int i = 0; i < words.length; i++) {
        ids[i] = table->slots[table->slot_of[i]];
        lost += !equal_keys(words, i, words, ids[i], wide);
    }
    for (int i = 0; lost > 0; i++) {
        if (equal_keys(words, i, words, ids[i], wide)) continue;
        ids[i] = i;
        for (int k = 0; k < table->lost_count; k++)
            if (equal_keys(words, i, words, table->lost[k], wide)) ids[i] = table->lost[k];
        if (ids[i] == i) table->lost[table->lost_count++] = (uint16_t)i;
        lost--;
    }
}

FB_INLINE void find_words(const position_table *table, key_words hypothesis, key_words words, const int wide,
                          int32_t *ids)
{
    for (int i = 0; i < words.length; i++) {
        const int at = table->slots[position_slot(table, words, i, wide)];
        const int known = (at < hypothesis.length) & equal_keys(words, i, hypothesis, at, wide);
        ids[i] = hypothesis.length + ((at - hypothesis.length) & -known);      /* no branch */
    }
    for (int k = 0; k < table->lost_count; k++)
        for (int i = 0; i < words.length; i++) {
            const int same = equal_keys(words, i, hypothesis, table->lost[k], wide);
            ids[i] += (table->lost[k] - ids[i]) & -same;
        }
}

/* Whether tokens with equal keys are equal, too. */
static inline int are_same_contents(key_view tokens, key_view hypothesis, const int32_t *ids)
{
    const token_content *contents = tokens.list->contents + tokens.first;
    const token_content *known = hypothesis.list->contents + hypothesis.first;
    for (int at = 0; at < tokens.length; at += 64)
        for (uint64_t rest = hashed_at(tokens, at); rest; rest &= rest - 1) {
            const int i = at + lowest_bit(rest);
            if (ids[i] < hypothesis.length && !same_content(contents[i], known[ids[i]])) return 0;
        }
    return 1;
}

/* The ids of a hypothesis and those of a reference; these return 0 if an interner is needed. */
static inline int number_list(position_table *table, key_view hypothesis, int32_t *ids)
{
    const key_words words = words_of(hypothesis, 1);
    if (hypothesis.list->is_numbers) number_words(table, words, 0, ids);
    else number_words(table, words, 1, ids);
    return are_same_contents(hypothesis, hypothesis, ids);
}

static inline int find_list(const position_table *table, key_view hypothesis, key_view reference,
                            int32_t *ids)
{
    const key_words known = words_of(hypothesis, 1), words = words_of(reference, 1);
    if (reference.list->is_numbers) find_words(table, known, words, 0, ids);
    else find_words(table, known, words, 1, ids);
    return are_same_contents(reference, hypothesis, ids);
}
