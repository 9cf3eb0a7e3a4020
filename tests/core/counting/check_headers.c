/* check_headers.c: the tables of the kernel and its lowercasing, each by itself, beside plain code that does the same.
 *
 *     check_headers SEED ROUNDS
 *
 * Here is what calls from Python do not reach at will: keys that all fall into one slot, contents that have one hash,
 * stamps that wrap around, and a damaged map of numbers. tests/levels.sh builds it in several
 * ways and runs it.
 */
#include <inttypes.h>
#include <stdio.h>

#include "random_input.h"

#include "kernel/hashing/number_index.h"
#include "kernel/hashing/number_table.h"
#include "kernel/hashing/position_ids.h"
#include "kernel/hashing/token_store.h"
#include "kernel/text/lower.h"

enum { MOST = LISTED_TOKENS, MOST_NUMBERS = 1100, KINDS = 300, ROUNDS_OF_TABLES = 16 };

static uint64_t seed, number;

static void require(int condition, const char *what)
{
    if (condition) return;
    fprintf(stderr, "%s: seed %" PRIu64 ", round %" PRIu64 "\n", what, seed, number);
    exit(1);
}

/* ---- Tokens: of some keys, some of which stand for two contents ---- */

/* The kinds of tokens; two are equal if their keys and contents are. Each content lies at two places. */
typedef struct {
    token_key keys[KINDS];
    unsigned char bytes[2][KINDS][24];
    hash_seed slots; /* with which all keys may fall into one slot */
} universe;

static universe random_universe(void)
{
    universe made;
    const uint64_t shared = random_word();
    const int in_one_slot = !below(3);
    for (int k = 0; k < KINDS; k++) {
        made.keys[k].low = in_one_slot ? shared | 1 : below(2) ? 0 : random_word();
        made.keys[k].high = random_word() & ~KEY_IS_HASH;
        if (k && !in_one_slot && !below(4)) { /* one word of another key */
            made.keys[k].high = made.keys[k - 1].high;
            made.keys[k].low = made.keys[k - 1].low + 1;
        } else if (k && !below(4)) { /* the same hash */
            made.keys[k - 1].high |= KEY_IS_HASH;
            made.keys[k] = made.keys[k - 1];
        }
        for (int i = 0; i < 24; i++) made.bytes[0][k][i] = (unsigned char)(i < 20 ? k : k >> 8);
    }
    memcpy(made.bytes[1], made.bytes[0], sizeof made.bytes[0]);
    made.slots.first = in_one_slot ? shared | 1 : random_word();
    made.slots.second = shared;
    return made;
}

static token_content content_of(universe *of, int kind)
{
    const token_content content = {of->bytes[below(2)][kind], 24};
    return content;
}

/* ---- The tables ---- */

/* Numbers of which many are equal. */
static uint64_t random_number(void)
{
    return below(3) ? (uint64_t)below(50) : below(8) ? random_word() & 0xFFFF : random_word();
}

static int place_of(const uint64_t *numbers, int count, uint64_t number_)
{
    int at = 0;
    while (at < count && numbers[at] != number_) at++;
    return at;
}

static void try_number_table(void)
{
    number_table table = {0};
    for (int segment = 0; segment < ROUNDS_OF_TABLES; segment++) {
        uint64_t known[MOST_NUMBERS];
        int count = 0;
        const int length = below(below(16) ? 100 : MOST_NUMBERS);
        table.seed.first = random_word();
        table.seed.second = random_word();
        if (segment && !below(4)) table.epoch = UINT32_MAX;
        require(number_table_begin(&table, (size_t)length) == 0, "number_table_begin");
        for (int i = 0; i < length; i++) {
            const uint64_t next = random_number();
            const int at = place_of(known, count, next);
            require(number_table_add(&table, next) == at, "number_table_add");
            if (at == count) known[count++] = next;
        }
        require(table.count == count, "number_table.count");
        for (int i = 0; i < 100; i++) {
            const uint64_t next = random_number();
            const int at = place_of(known, count, next);
            require(number_table_find(&table, next, -7) == (at < count ? at : -7), "number_table_find");
        }
    }
    number_table_free(&table);
}

static void try_number_index(void)
{
    number_index index = {0};
    uint64_t known[MOST];
    int count = 0;
    index.seed.first = random_word();
    index.seed.second = random_word();
    for (int call = 0; call < ROUNDS_OF_TABLES; call++) {
        const int more = below(60),
                  state = count + more > MOST ? -1 : number_index_widen(&index, (size_t)more);
        if (state < 0) break;
        if (state && below(8)) /* else interrupted: the next call begins again */
            while (number_index_move(&index, 1 + below(20))) continue;
        for (int i = 0; i < more && !index.wider; i++) {
            const uint64_t next = random_number();
            const int at = place_of(known, count, next);
            require(number_index_add(&index, next) == at, "number_index_add");
            if (at == count) known[count++] = next;
        }
        for (int i = 0; i < 20; i++) {
            const uint64_t next = random_number();
            const int at = place_of(known, count, next);
            require(number_index_find(&index, next) == (at < count ? at : -1), "number_index_find");
        }
        if (!below(8)) number_index_trim(&index);
        if (!below(16)) number_index_clear(&index), count = 0;
    }
    /* As in a damaged file, which may have no free slot. */
    const int is_full = count && below(2);
    for (size_t i = 0; i < index.slot_count; i++)
        if (is_full) index.slots[i] = 1 + (uint32_t)below(count);
        else if (below(2)) index.slots[i] = (uint32_t)random_word();
    for (int i = 0; i < 50; i++) {
        const uint64_t next = random_number();
        const int id = number_index_find(&index, next);
        require(id == -1 || (id >= 0 && id < count && known[id] == next), "a damaged number_index");
    }
    number_index_free(&index);
}

static void try_interner(void)
{
    interner table = {0};
    for (int segment = 0; segment < ROUNDS_OF_TABLES; segment++) {
        universe of = random_universe();
        int ids[KINDS], count = 0;
        const int length = below(MOST), kinds = 1 + below(KINDS);
        for (int k = 0; k < KINDS; k++) ids[k] = -1;
        table.seed = of.slots;
        if (segment && !below(4)) table.epoch = UINT32_MAX;
        require(interner_begin(&table, (size_t)length) == 0, "interner_begin");
        for (int i = 0; i < length; i++) {
            const int kind = below(kinds);
            const int32_t id = interner_add(&table, of.keys[kind], content_of(&of, kind));
            require(id == (ids[kind] < 0 ? count : ids[kind]), "interner_add");
            if (ids[kind] < 0) ids[kind] = count++;
        }
        if (below(2)) {
            interner wider;
            require(interner_widen(&wider, &table, 100) == 0, "interner_widen");
            for (int32_t at = 0; at < count; at += 7)
                interner_copy(&wider, &table, at, at + 7 < count ? at + 7 : count);
            require(wider.count == count && interner_has_room(&wider, 100), "interner_copy");
            interner_free(&table);
            table = wider;
        }
        for (int i = 0; i < 100; i++) {
            const int kind = below(KINDS);
            require(interner_find(&table, of.keys[kind], content_of(&of, kind), -1) == ids[kind],
                    "interner_find");
        }
    }
    interner_free(&table);
}

/* ---- Lists of keys ---- */

/* A part of a list that is filled with random tokens, and their kinds. */
static key_view random_tokens(key_list *list, int *kinds, universe *of, int are_numbers)
{
    int64_t numbers[MOST];
    const int most_kinds = 1 + below(below(2) ? 20 : KINDS);
    int all_kinds[MOST];
    clear_keys(list);
    list->length = below(below(4) ? 100 : MOST + 1);
    for (int i = 0; i < list->length; i++) {
        all_kinds[i] = below(most_kinds);
        numbers[i] = (int64_t)of->keys[all_kinds[i]].low;
        set_key(list, i, of->keys[all_kinds[i]], content_of(of, all_kinds[i]));
    }
    if (are_numbers) list_numbers(list, numbers, list->length);
    key_view tokens = all_keys(list);
    if (below(2)) {
        tokens.first = below(list->length + 1);
        tokens.length = below(list->length - tokens.first + 1);
    }
    memcpy(kinds, all_kinds + tokens.first, (size_t)tokens.length * sizeof *kinds);
    return tokens;
}

/* Whether two tokens are equal: 1, have one hash but other contents: -1, or differ: 0. */
static int relation(const universe *of, int one, int other, int are_numbers)
{
    const token_key a = of->keys[one], b = of->keys[other];
    if (are_numbers) return a.low == b.low;
    return a.low != b.low || a.high != b.high ? 0 : one == other ? 1 : -1;
}

static void try_position_ids(universe *of, int are_numbers)
{
    static position_table table;
    static key_list lists[2];
    static int32_t ids[MOST], found[MOST];
    int known[MOST], kinds[MOST], differs = 0;
    const key_view hypothesis = random_tokens(&lists[0], known, of, are_numbers);
    const key_view reference = random_tokens(&lists[1], kinds, of, are_numbers);
    table.seed = of->slots;
    for (int i = 0; i < hypothesis.length; i++)
        for (int k = 0; k < i; k++) differs |= relation(of, known[i], known[k], are_numbers) < 0;
    require(number_list(&table, hypothesis, ids) == !differs, "number_list");
    if (differs) return;
    for (int i = 0; i < hypothesis.length; i++) {
        require(ids[i] >= 0 && ids[i] < hypothesis.length, "an id of number_list");
        for (int k = 0; k <= i; k++)
            require((ids[i] == ids[k]) == relation(of, known[i], known[k], are_numbers),
                    "ids of number_list");
        require(relation(of, known[i], known[ids[i]], are_numbers) == 1, "a position of number_list");
    }
    for (int i = 0; i < reference.length; i++)
        for (int k = 0; k < hypothesis.length; k++)
            differs |= relation(of, kinds[i], known[k], are_numbers) < 0;
    require(find_list(&table, hypothesis, reference, found) == !differs, "find_list");
    for (int i = 0; i < reference.length && !differs; i++) {
        int at = 0;
        while (at < hypothesis.length && relation(of, kinds[i], known[at], are_numbers) != 1) at++;
        require(found[i] == (at < hypothesis.length ? ids[at] : at), "an id of find_list");
    }
}

/* Several segments, so that slots and lists hold positions and keys of others. */
static void try_lists(void)
{
    universe of = random_universe();
    const int are_numbers = !below(4);
    for (int segment = 0; segment < 4; segment++) try_position_ids(&of, are_numbers);
}

/* ---- Contents ---- */

static void try_contents(void)
{
    enum { TOKENS = 60, LONGEST = 40 };
    static const unsigned KIND_OF[] = {1, 2, KIND_BYTES, 4};
    unsigned char bytes[TOKENS][INLINE_BYTES + LONGEST + 1], copies[TOKENS][LONGEST];
    token_content contents[TOKENS];
    unsigned kinds[TOKENS];
    int32_t ids[TOKENS];
    interner table = {0};
    token_store store = {0};
    table.seed.first = random_word();
    table.seed.second = random_word();
    require(interner_begin(&table, TOKENS) == 0, "interner_begin");
    for (int t = 0; t < TOKENS; t++) {
        const size_t size = (size_t)below(LONGEST + 1);
        for (size_t i = 0; i < sizeof bytes[t]; i++) bytes[t][i] = (unsigned char)random_word();
        for (size_t i = 0; i < size && below(8); i++) bytes[t][INLINE_BYTES + i] = (unsigned char)below(2);
        contents[t].bytes = bytes[t] + INLINE_BYTES;
        contents[t].size = size;
        kinds[t] = KIND_OF[below(4)];
        if (t && !below(3)) { /* an equal token, or one of another kind */
            const int other = below(t);
            contents[t].size = contents[other].size;
            memcpy(bytes[t] + INLINE_BYTES, copies[other], contents[other].size);
            if (below(2)) kinds[t] = kinds[other];
        }
        memcpy(copies[t], contents[t].bytes, contents[t].size);
        if (contents[t].size <= INLINE_BYTES) {
            const token_key one = inline_key(contents[t].bytes, contents[t].size, kinds[t]);
            const token_key other = bounded_key(contents[t].bytes, contents[t].size, kinds[t]);
            require(one.low == other.low && one.high == other.high, "bounded_key");
        }
        const int32_t before = table.count;
        ids[t] = intern_content(&table, contents[t], kinds[t]);
        for (int other = 0; other < t; other++)
            require((ids[t] == ids[other])
                        == (kinds[t] == kinds[other] && contents[t].size == contents[other].size
                            && memcmp(copies[t], copies[other], contents[t].size) == 0),
                    "intern_content");
        require(store_tokens(&store, &table, before) == 0, "store_tokens");
        memset(bytes[t], 0, sizeof bytes[t]); /* the text is gone */
    }
    for (int t = 0; t < TOKENS; t++) {
        uint64_t room[2];
        token_content content;
        require(stored_token(&table, ids[t], room, &content) == kinds[t], "the kind of stored_token");
        require(content.size == contents[t].size && memcmp(content.bytes, copies[t], content.size) == 0,
                "stored_token");
    }
    token_store_free(&store);
    interner_free(&table);
}

/* ---- Lowercase ---- */

/* A character of valid UTF-8 at `bytes`, and its number of bytes. */
static uint32_t read_character(const uint8_t *bytes, size_t *size)
{
    uint32_t c = bytes[0] < 0x80 ? bytes[0]
                                 : bytes[0]
                                       & (bytes[0] < 0xE0   ? 0x1F
                                          : bytes[0] < 0xF0 ? 0x0F
                                                            : 0x07);
    *size = bytes[0] < 0x80 ? 1 : bytes[0] < 0xE0 ? 2 : bytes[0] < 0xF0 ? 3 : 4;
    for (size_t i = 1; i < *size; i++) c = c << 6 | (bytes[i] & 0x3F);
    return c;
}

/* Every other letter is a capital; some have no small letter, or one of another size. */
static void try_lower(void)
{
    enum { LONGEST = 100 };
    static const uint32_t FIRST[] = {0x80,   0xC0,   0x3B1,   0x430,   0x7F0,  0x2000,
                                     0x4E00, 0xFFE0, 0x1E900, 0x1F600, 0x20000};
    static small_letters letters;
    uint8_t line[4 * LONGEST + 1], lowered[4 * LONGEST + 1];
    size_t end = 0, size;
    int is_lowered = 1;
    if (!letters.small['a']) {
        for (uint32_t c = 0; c < 0x10000; c++) letters.small[c] = (uint16_t)(c < 0x80 || c & 1 ? c : c + 1);
        for (uint32_t c = 'A'; c <= 'Z'; c++) letters.small[c] = (uint16_t)(c + 32);
        for (uint32_t c = 0x2020; c < 0x10000; c++) letters.small[c] = (uint16_t)(c < 0x3000 ? 'k' : c);
        letters.small[0x3B2] = 0;
        letters.small[0xD8] = 0x2C65;
        letters.small[0x201E] = 0xE9;
        find_capitals(&letters);
    }
    for (int i = below(LONGEST + 1), script = below(12); i > 0; i--) {
        const uint32_t c = (uint32_t)below(32) + (script < 11 && below(4) ? FIRST[script] : 0x40);
        if (c < 0x80) line[end++] = (uint8_t)c;
        else end = (size_t)(put_character(line + end, c) - line);
    }
    line[end] = lowered[end] = 0;
    memcpy(lowered, line, end);
    const int found = lower_utf8(&letters, lowered, end);
    for (size_t at = 0; at < end && is_lowered; at += size) {
        uint8_t expected[4];
        const uint32_t c = read_character(line + at, &size);
        const uint32_t small = c < 0x10000 ? letters.small[c] : c < NO_CAPITALS ? 0 : c;
        if (small < 0x80) expected[0] = (uint8_t)small;
        is_lowered =
            small < 0x80 ? size == 1 && small : (size_t)(put_character(expected, small) - expected) == size;
        if (is_lowered && found) require(memcmp(expected, lowered + at, size) == 0, "a letter of lower_utf8");
    }
    require(found == is_lowered, "lower_utf8");
}

int main(int argc, char **argv)
{
    if (argc != 3) return fprintf(stderr, "usage: %s SEED ROUNDS\n", argv[0]), 2;
    seed = strtoull(argv[1], NULL, 10);
    const uint64_t rounds = strtoull(argv[2], NULL, 10);
    for (number = 0; number < rounds; number++) {
        state = seed + (number << 20); /* so that no round depends on those before */
        try_number_table();
        try_number_index();
        try_interner();
        try_lists();
        try_contents();
        try_lower();
    }
    printf("seed %" PRIu64 ": %" PRIu64 " rounds of headers\n", seed, rounds);
    return 0;
}
