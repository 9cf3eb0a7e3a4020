/* compare_levels.c: every instruction set of this processor gives the results of the portable code.
 *
 *     compare_levels SEED SEGMENTS
 *
 * Random segments of text, by all compiled tokenizers, and of ids go through the kernel's headers alone, from
 * characters to matches, once by each level; between them each step is compared by itself. Texts end right before
 * a page that cannot be read, so that their alignment is random and reading beyond them is noticed. The last two
 * lines are checksums of all keys and of all matches. Those of matches must be the same for any build with the same
 * seed and segments, those of keys for any build with the same byte order. tests/levels.sh builds it in several ways
 * and runs it.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "random_input.h"

#include "kernel/objects/id_rows.h"
#include "kernel/simd/masks.h"
#include "kernel/hashing/position_ids.h"
#include "kernel/text/line_run.h"
#include "kernel/text/transcode.h"

enum { REFERENCES = 3, MOST_CHARS = 4096, MOST_ORDER = 64, STEPS_EVERY = 4, LEAD = 32, TAIL = 64 };

static uint64_t seed, number, checksum_of_keys, checksum_of_matches;
static simd_level level;

static void add_to(uint64_t *checksum, const uint64_t *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        *checksum = multiply_fold(*checksum ^ words[i] ^ 0xCBF29CE484222325u, 0x9E3779B97F4A7C15u) + i;
}

static void require(int condition, const char *step)
{
    if (condition) return;
    char names[] = SIMD_NAMES, *name = strtok(names, " ");
    for (int k = 0; k < (int)level; k++) name = strtok(NULL, " ");
    fprintf(stderr, "%s differs on %s: seed %" PRIu64 ", segment %" PRIu64 "\n", step, name, seed, number);
    exit(1);
}

static void require_same(const void *one, const void *other, size_t size, const char *step)
{
    require(memcmp(one, other, size) == 0, step);
}

/* ---- Random text ---- */

static const char *const ALPHABETS[] = {
    "abcdefghijklmnopqrstuvwxyz",
    "ab",
    "0123456789.,-",
    "a1.,-!&;<>quotamplgskied \n",
};
/* First of 32 letters, of lines in characters of 1, 2 and 4 bytes. */
static const uint32_t SCRIPTS[] = {0x80,   0xC0,   0xE0,   0x3B1,  0x430,   0x2000, 0x2010,
                                   0x3000, 0x4E00, 0xFF00, 0xFFE0, 0x1F600, 0x20000};
enum { SCRIPT_COUNT = sizeof SCRIPTS / sizeof *SCRIPTS };

/* From what the characters of a segment are drawn. */
typedef struct {
    const char *letters;
    int of_scripts;      /* of 16 characters */
    int script;          /* -1: any */
    uint32_t most;
} writing;

static writing random_writing(void)
{
    static const int OF_SCRIPTS[] = {0, 1, 4, 15};
    static const uint32_t MOST[] = {0xFF, 0xFFFF, 0x10FFFF};
    writing result;
    result.letters = ALPHABETS[below(4)];
    result.of_scripts = OF_SCRIPTS[below(4)];
    result.script = below(2) ? below(SCRIPT_COUNT) : -1;
    result.most = MOST[below(3)];
    return result;
}

static uint32_t random_char(writing from)
{
    if (below(16) < from.of_scripts) {
        const uint32_t first = SCRIPTS[from.script < 0 ? below(SCRIPT_COUNT) : from.script];
        return (first > from.most ? 0xE0 : first) + (uint32_t)below(32);
    }
    const char *letters = below(8) ? from.letters : ALPHABETS[3];
    return (uint8_t)letters[below((int)strlen(letters))];
}

typedef struct {
    uint32_t chars[24];
    int size;
} word;
typedef struct {
    uint32_t chars[MOST_CHARS];
    size_t length;
} characters;

/* A vocabulary of few words, so that tokens and n-grams match. */
static int random_words(word *words, writing from)
{
    const int count = 1 + below(below(2) ? 8 : 40), longest = 1 + below(below(3) ? 8 : 22);
    for (int w = 0; w < count; w++) {
        words[w].size = 1 + below(longest);
        for (int i = 0; i < words[w].size; i++) words[w].chars[i] = random_char(from);
        if (w && !below(3)) {      /* almost the same as another */
            words[w] = words[below(w)];
            const int at = below(words[w].size);
            words[w].chars[at] = random_char(from);
        }
    }
    return count;
}

/* At most so many words and characters, with stretches of `model`. */
static void random_line(characters *line, const word *words, int count, int length, size_t chars,
                        const characters *model)
{
    line->length = 0;
    for (int w = 0; w < length; w++) {
        const word *next = &words[below(count)];
        if (model->length && !below(4)) {
            size_t at = (size_t)below((int)model->length), end = at + (size_t)below(60);
            for (; at < end && at < model->length && line->length < chars; at++)
                line->chars[line->length++] = model->chars[at];
        }
        if (line->length + (size_t)next->size + 1 > chars) return;
        memcpy(line->chars + line->length, next->chars, (size_t)next->size * sizeof(uint32_t));
        line->length += (size_t)next->size;
        if (below(16)) line->chars[line->length++] = ' ';
    }
}

static size_t add_utf8(uint8_t *text, size_t size, uint32_t c)
{
    if (c < 0x80) {
        text[size++] = (uint8_t)c;
    } else if (c < 0x800) {
        text[size++] = (uint8_t)(0xC0 | c >> 6), text[size++] = (uint8_t)(0x80 | (c & 0x3F));
    } else {
        if (c < 0x10000) text[size++] = (uint8_t)(0xE0 | c >> 12);
        else text[size++] = (uint8_t)(0xF0 | c >> 18), text[size++] = (uint8_t)(0x80 | (c >> 12 & 0x3F));
        text[size++] = (uint8_t)(0x80 | (c >> 6 & 0x3F)), text[size++] = (uint8_t)(0x80 | (c & 0x3F));
    }
    return size;
}

/* As UTF-8, with tabs for white space beyond ASCII and one byte after it, which may be read. */
static utf8_line stored(const characters *line, guarded memory)
{
    static uint8_t text[4 * MOST_CHARS];
    size_t size = 0;
    for (size_t i = 0; i < line->length; i++)
        size = add_utf8(text, size, is_wide_space(line->chars[i]) ? '\t' : line->chars[i]);
    const utf8_line result = {(const uint8_t *)memcpy(at_end(memory, size + 1), text, size), size};
    return result;
}

/* ---- From characters to matches, by `level` ---- */

typedef struct {
    key_list keys[1 + REFERENCES];
    uint8_t copies[1 + REFERENCES][LEAD + 4 * MOST_CHARS + TAIL];      /* of lines that are rewritten */
    int count;      /* of sequences */
} segment;

static tokenizer_tables tables[TOKENIZERS];
static hash_seed hashes;
static position_table positions;
static mask_planes planes;

/* Whether a line has at most 512 tokens, which are then listed. */
static int read_line(const tokenizer_tables *line_tables, utf8_line text, uint8_t *copy, key_list *keys)
{
    line_reader reader;
    open_line(&reader, line_tables, classifier_for(level), text);
    int read = key_lister_for(level)(&reader, keys, &hashes);
    if (read < 0) {
        rewriting line = begin_rewriting(text, copy);
        while (rewrite_more(&line, &line_tables->classes)) continue;
        text.bytes = copy;
        text.size = line.size;
        open_line(&reader, line_tables, classifier_for(level), text);
        reader.rewritten = 1;
        read = key_lister_for(level)(&reader, keys, &hashes);
    }
    return read;
}

/* Numbers tokens like position_ids.h, without a table. */
static void number_slowly(const key_list *hypothesis, const key_list *tokens, int32_t *ids)
{
    const key_words known = words_of(all_keys(hypothesis), 1), words = words_of(all_keys(tokens), 1);
    for (int i = 0; i < tokens->length; i++) {
        const int is_hashed = tokens->hashed[i >> 6] >> (i & 63) & 1;
        for (ids[i] = 0; ids[i] < hypothesis->length; ids[i]++)
            if (equal_keys(words, i, known, ids[i], words.second != NULL)
                && (!is_hashed || same_content(tokens->contents[i], hypothesis->contents[ids[i]])))
                break;
    }
}

/* The ids of all sequences; without a table if two contents have one hash. */
static void number_tokens(const segment *given, int32_t (*ids)[LISTED_TOKENS])
{
    const key_list *keys = given->keys;
    int numbered = number_list(&positions, all_keys(&keys[0]), ids[0]);
    for (int k = 1; k < given->count; k++)
        numbered &= find_list(&positions, all_keys(&keys[0]), all_keys(&keys[k]), ids[k]);
    for (int k = 0; k < given->count && !numbered; k++) number_slowly(&keys[0], &keys[k], ids[k]);
}

/* The matches of each order: as PackedSegments.pack_keys and SegmentCounter.match_masks count them. */
static void count_matches(const segment *given, int order, uint64_t *matches)
{
    static uint64_t matched[MOST_ORDER * MASK_WORDS], in_hypothesis[MASK_TOKENS + MASK_LANES],
        in_reference[MASK_TOKENS + MASK_LANES];
    static int32_t ids[1 + REFERENCES][LISTED_TOKENS];
    const key_comparer compare = key_comparer_for(level);
    const mask_kernel match = mask_kernel_for(level);
    const key_list *hypothesis = &given->keys[0];
    const int length = hypothesis->length, orders = order < length ? order : length;
    int longest = 0;
    for (int k = 0; k < given->count; k++)
        if (given->keys[k].length > longest) longest = given->keys[k].length;
    const int by_keys = compare && longest <= MASK_TOKENS, words = mask_words(longest);
    memset(matched, 0, sizeof matched);
    memset(matches, 0, MOST_ORDER * sizeof *matches);
    if (by_keys && given->count == 2) {
        compare_lists(compare, all_keys(hypothesis), all_keys(&given->keys[1]), in_reference);
        compare_masks(compare, in_reference, length, in_hypothesis);
    } else if (by_keys) {
        compare_with_earlier(compare, all_keys(hypothesis), in_hypothesis);
    } else {
        number_tokens(given, ids);
        fill_planes_of_earlier(&planes, words, ids[0], length, length);
    }
    for (int k = 1; k < given->count; k++) {
        const key_list *reference = &given->keys[k];
        if (by_keys) {
            compare_lists(compare, all_keys(hypothesis), all_keys(reference), in_reference);
            match(in_reference, in_hypothesis, 1, length, orders, matched);
        } else {
            fill_planes_of_reference(&planes, words, ids[0], length, ids[k], reference->length, length);
            match(planes.in_reference, planes.in_hypothesis, words, length, orders, matched);
        }
    }
    for (int n = 0; n < orders; n++)
        for (int w = 0; w < words; w++)
            matches[n] += (uint64_t)popcount_portable(matched[n * MASK_WORDS + w]);
}

/* Compares the tokens and the matches of a level with those of the portable one. */
static void check_segment(const segment *portable, const segment *found, int order, const char *step)
{
    static uint64_t expected[MOST_ORDER], matches[MOST_ORDER];
    for (int k = 0; k < portable->count; k++) {
        const key_list *one = &portable->keys[k], *other = &found->keys[k];
        const size_t size = (size_t)one->length * sizeof(uint64_t);
        require(one->length == other->length, step);
        require_same(one->low, other->low, size, step);
        if (one->is_numbers) continue;
        require_same(one->high, other->high, size, step);
        require_same(one->hashed, other->hashed, sizeof one->hashed, step);
    }
    if (level == SIMD_PORTABLE) {
        count_matches(portable, order, expected);
        add_to(&checksum_of_matches, expected, (size_t)order);
        for (int k = 0; k < portable->count; k++) {
            const key_list *keys = &portable->keys[k];
            add_to(&checksum_of_keys, keys->low, (size_t)keys->length);
            if (!keys->is_numbers) add_to(&checksum_of_keys, keys->high, (size_t)keys->length);
        }
    }
    count_matches(found, order, matches);
    require_same(expected, matches, sizeof matches, step);
}

/* For text: whether it has at most 512 tokens, so that it could be counted. */
static int try_text(void)
{
    static segment portable, found;
    static guarded memory[1 + REFERENCES];
    static characters lines[1 + REFERENCES];
    static const characters none = {{0}, 0};
    word words[40];
    utf8_line texts[1 + REFERENCES];
    const writing from = random_writing();
    const tokenizer_tables *line_tables = &tables[below(TOKENIZERS)];
    const int is_long = !below(16), count = random_words(words, from),
              order = below(8) ? 4 : 1 + below(MOST_ORDER);
    portable.count = found.count = 2 + (below(4) ? 0 : below(REFERENCES));
    for (int k = 0; k < portable.count; k++) {
        if (!memory[k].end) memory[k] = new_guarded((MOST_CHARS + 1) * 4 + LEAD);
        const int length = below(is_long ? 520 : below(2) ? 20 : 66);
        const size_t chars = is_long ? MOST_CHARS - 100 : (size_t)below(301);
        random_line(&lines[k], words, count, length, chars, k ? &lines[0] : &none);
        texts[k] = stored(&lines[k], memory[k]);
    }
    for (level = SIMD_PORTABLE; level <= simd_supported(); level++) {
        segment *of_level = level == SIMD_PORTABLE ? &portable : &found;
        int listed = 1;
        for (int k = 0; k < portable.count; k++)
            listed &= read_line(line_tables, texts[k], of_level->copies[k] + LEAD, &of_level->keys[k]);
        if (!listed && level == SIMD_PORTABLE) return 0;
        require(listed, "list_keys");
        check_segment(&portable, of_level, order, "text");
    }
    return 1;
}

static int try_ids(void)
{
    static segment given;
    static int64_t ids[LISTED_TOKENS];
    const int alphabet = 1 + below(below(2) ? 6 : 600), is_long = !below(8),
              order = 1 + below(below(4) ? 4 : MOST_ORDER);
    const int64_t base = below(2) ? -3 : (int64_t)random_word();
    given.count = 2 + (below(4) ? 0 : below(REFERENCES));
    for (int k = 0; k < given.count; k++) {
        const int length = is_long ? below(LISTED_TOKENS + 1) : below(MASK_TOKENS + 1);
        for (int i = 0; i < length; i++) {
            const int copied = k && i < given.keys[0].length && below(3);
            ids[i] = copied ? (int64_t)given.keys[0].low[i]
                            : (int64_t)((uint64_t)base + (uint64_t)below(alphabet));
        }
        list_numbers(&given.keys[k], ids, length);
    }
    for (level = SIMD_PORTABLE; level <= simd_supported(); level++)
        check_segment(&given, &given, order, "ids");
    return 1;
}

/* ---- Each step by itself ---- */

static void random_bytes(void *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) ((uint8_t *)bytes)[i] = (uint8_t)random_word();
}

static void try_classes(const guarded memory)
{
    const classifier portable = classifier_for(SIMD_PORTABLE), chosen = classifier_for(level);
    const size_t count = 1 + (size_t)below(BLOCK);
    uint8_t table[256], *bytes = (uint8_t *)at_end(memory, count);
    class_masks one, other;
    random_bytes(table, sizeof table);
    for (int i = 0; i < 256; i++) table[i] &= (1 << TABLED) - 1;
    table[' '] = CLASS(SPACE);
    random_bytes(bytes, count);
    if (below(2))
        for (size_t i = 0; i < count; i++) bytes[i] &= 0x7F;
    portable.classify_bytes(table, bytes, count, &one);
    chosen.classify_bytes(table, bytes, count, &other);
    require_same(&one, &other, sizeof one, "classify_bytes");

    const uint64_t sparse = below(2) ? random_word() : ~(uint64_t)0,
                   mask = random_word() & sparse << below(64);
    uint16_t places[2][BLOCK];
    const size_t start = (size_t)below(LISTED_BYTES);
    const int found = portable.locate(mask, start, places[0]);
    require(found == chosen.locate(mask, start, places[1]), "locate");
    require_same(places[0], places[1], (size_t)found * sizeof(uint16_t), "locate");
}

static void try_masks(void)
{
    static mask_planes masks;
    uint64_t one[MOST_ORDER * MASK_WORDS] = {0}, other[MOST_ORDER * MASK_WORDS] = {0};
    const int words = mask_words(1 + below(PLANED_TOKENS)), length = below(64 * words + 1);
    const int order = 1 + below(below(2) ? 4 : MOST_ORDER), dense = below(4);
    for (int w = 0; w < words; w++)
        for (int i = 0; i < length + MASK_LANES; i++) {
            const uint64_t first = i < length ? random_word() : 0, second = i < length ? random_word() : 0;
            masks.in_reference[w * PLANE + i] = dense ? first | second : first & second;
            masks.in_hypothesis[w * PLANE + i] = dense > 2 ? first & ~second : ~first & second;
            if (i >= length) masks.in_hypothesis[w * PLANE + i] = 0;
        }
    const int orders = order < length ? order : length;
    mask_kernel_for(SIMD_PORTABLE)(masks.in_reference, masks.in_hypothesis, words, length, orders, one);
    mask_kernel_for(level)(masks.in_reference, masks.in_hypothesis, words, length, orders, other);
    require_same(one, other, sizeof one, "match_masks");
    if (words > 1) return;
    int64_t counted[MOST_ORDER] = {0}, matches[MOST_ORDER] = {0};
    for (int n = 0; n < orders; n++) matches[n] = popcount_portable(one[n * MASK_WORDS]);
    match_counter_for(level)(masks.in_reference, masks.in_hypothesis, length, order, counted);
    require_same(matches, counted, sizeof matches, "count_matches");
}

static void compare_plainly(key_words tokens, key_words others, int earlier, uint64_t *masks)
{
    memset(masks, 0, (size_t)(tokens.length + MASK_LANES) * sizeof *masks);
    for (int i = 0; i < tokens.length; i++)
        for (int j = 0; j < (earlier ? i : others.length); j++)
            if (equal_keys(tokens, i, others, j, tokens.second != NULL)) masks[i] |= (uint64_t)1 << j;
}

static void try_comparer(const guarded memory)
{
    const key_comparer compare = key_comparer_for(level);
    if (!compare) return;
    const int earlier = below(2), wide = below(2),
              lengths[2] = {below(MASK_TOKENS + 1), below(MASK_TOKENS + 1)};
    const size_t room = ((size_t)lengths[0] + MASK_LANES - 1) / MASK_LANES * MASK_LANES;
    uint64_t *first = (uint64_t *)at_end(memory, room * sizeof(uint64_t)),
             others[2][MASK_TOKENS + MASK_LANES];
    uint64_t second[MASK_TOKENS + MASK_LANES], one[MASK_TOKENS + MASK_LANES], other[MASK_TOKENS + MASK_LANES];
    for (size_t i = 0; i < MASK_TOKENS + MASK_LANES; i++) {
        if (i < room) first[i] = (uint64_t)below(3) << 32 | (uint64_t)below(3);
        second[i] = (uint64_t)below(2) << 63 | (uint64_t)below(2);
        others[0][i] = (uint64_t)below(3) << 32 | (uint64_t)below(3);
        others[1][i] = (uint64_t)below(2) << 63 | (uint64_t)below(2);
    }
    const key_words tokens = {first, wide ? second : NULL, lengths[0]};
    const key_words those = {others[0], wide ? others[1] : NULL, lengths[1]};
    compare_plainly(tokens, earlier ? tokens : those, earlier, one);
    compare(&tokens, earlier ? &tokens : &those, earlier, other);
    require_same(one, other, (size_t)(lengths[0] + MASK_LANES) * sizeof(uint64_t), "compare_keys");
}

/* Lines that are read as one have the same keys as each by itself. */
static void try_run(const guarded memory)
{
    enum { LINES = RUN_LINES + 4, ROOM = 4096 };
    static line_run run;
    static key_list single;
    static characters line;
    static const characters none = {{0}, 0};
    static uint8_t text[ROOM + 4 * MOST_CHARS];
    word words[40];
    size_t starts[LINES + 1], ends[LINES];
    const writing from = random_writing();
    const tokenizer_tables *line_tables = &tables[below(TOKENIZERS)];
    const int count = random_words(words, from), gap = below(2), longest = below(4) ? 30 : 300;
    const int patterns = from.letters == ALPHABETS[3] || below(2); /* else nothing has to be rewritten */
    int lines = 0, plain = 1, tokens = 0;
    memset(text, 'x', LEAD);
    starts[0] = LEAD;
    while (lines < LINES && starts[lines] < ROOM - 100) {
        size_t size = starts[lines];
        random_line(&line, words, count, 1 + below(longest), (size_t)below(longest * 6), &none);
        for (size_t i = 0; i < line.length; i++) {
            const uint32_t c = line.chars[i];
            const int begins_pattern = c == '&' || c == '<' || c == '\n';
            plain &= !begins_pattern || !patterns;
            size = add_utf8(text, size, begins_pattern && !patterns ? 'a' : c);
        }
        if (size > ROOM) break;
        ends[lines++] = size;
        if (gap) text[size++] = '\n';
        starts[lines] = size;
    }
    if (lines < 2) return;
    const size_t size = starts[lines] + 1; /* one byte behind a line is read */
    text[size - 1] = 'x';
    const uint8_t *bytes = (const uint8_t *)memcpy(at_end(memory, size), text, size);
    begin_run(&run, bytes + starts[0]);
    for (int k = 0; k < lines; k++) {
        const utf8_line next = {bytes + starts[k], ends[k] - starts[k]};
        if (!add_to_run(&run, next)) break;
    }
    if (below(8) == 0) cut_run(&run, below(run.lines + 1));
    run_reader_for(level)(&run, line_tables, &hashes);
    for (int k = 0; k < run.lines; k++) {
        const utf8_line text_of_line = {bytes + starts[k], ends[k] - starts[k]};
        line_reader reader;
        open_line(&reader, line_tables, classifier_for(SIMD_PORTABLE), text_of_line);
        const int read = key_lister_for(SIMD_PORTABLE)(&reader, &single, &hashes);
        tokens += read == 1 ? single.length : LISTED_TOKENS + 1;
        if (k >= run.read_lines) continue;
        const key_view keys = keys_of_line(&run, k);
        require(read == 1 && keys.length == single.length, "tokens of a run");
        require_same(keys.list->low + keys.first, single.low, (size_t)single.length * sizeof(uint64_t),
                     "keys of a run");
        require_same(keys.list->high + keys.first, single.high, (size_t)single.length * sizeof(uint64_t),
                     "keys of a run");
        for (int at = 0; at < single.length; at += 64) {
            require(hashed_at(keys, at) == single.hashed[at / 64], "hashes of a run");
            for (uint64_t rest = single.hashed[at / 64]; rest; rest &= rest - 1) {
                const int i = at + lowest_bit(rest);
                require(same_content(keys.list->contents[keys.first + i], single.contents[i]),
                        "contents of a run");
            }
        }
        require(line_of_run(&run, k).size == text_of_line.size, "lines of a run");
    }
    require(run.read_lines == run.lines || !plain || tokens > LISTED_TOKENS, "lines that were read");
}

static void try_utf8(const guarded memory)
{
    static uint8_t text[1300];
    const int length = below(301), ascii = below(2), damaged = below(2);
    const writing from = random_writing();
    size_t size = 0;
    for (int i = 0; i < length; i++) {
        const uint32_t c = ascii ? (uint32_t)below(128) : random_char(from);
        size = add_utf8(text, size, c);
    }
    if (damaged && size) text[below((int)size)] = (uint8_t)random_word();
    const uint8_t *bytes = (const uint8_t *)memcpy(at_end(memory, size), text, size);
    require(utf8_scanner_for(SIMD_PORTABLE)(bytes, size) == utf8_scanner_for(level)(bytes, size),
            "utf8 scan");
}

static void try_transcoder(const guarded memory)
{
    static uint8_t expected[4 * 301], text[4 * 301 + TAIL];
    const writing from = random_writing();
    const int length = below(301), tabs = below(2),
              char_width = from.most < 0x100     ? 1
                           : from.most < 0x10000 ? 2
                                                 : 4;
    uint8_t *chars = (uint8_t *)at_end(memory, (size_t)(length * char_width));
    size_t size = 0;
    for (int i = 0; i < length; i++) {
        const uint32_t c = below(8) || char_width == 1 ? random_char(from) : 0xD800 + (uint32_t)below(0x800);
        if (char_width == 1) chars[i] = (uint8_t)c;
        else if (char_width == 2) ((uint16_t *)chars)[i] = (uint16_t)c;
        else ((uint32_t *)chars)[i] = c;
        size = add_utf8(expected, size, tabs && is_wide_space(c) ? '\t' : c);
    }
    require((size_t)(transcoder_for(level)(chars, char_width, (size_t)length, tabs, text) - text) == size,
            "transcode");
    require_same(expected, text, size, "transcode");
}

/* Up to 20 different ids in ascending order. */
static id_set random_ids(int64_t *ids)
{
    id_set set = {ids, 0};
    const int most = below(2) ? below(4) : below(21), step = 1 + below(6);
    for (int64_t id = -100 + below(2); id < 20 && set.count < most; id += 1 + below(step)) {
        ids[set.count] = id;
        set.count += !below(4);
    }
    return set;
}

static void try_rows(const guarded memory)
{
    enum { MOST = 300 };
    static const int SIZES[] = {1, 2, 4, 8, 1, 2, 4, 8};
    static int64_t one[MOST + ID_LANES], other[MOST + ID_LANES], sets[3][21];
    const id_kind kind = below(2) ? ID_INT64 : (id_kind)below(8), mask_kind = (id_kind)below(4);
    const int size = SIZES[kind], length = below(below(2) ? 40 : MOST / (size * 3 / 8 + 1)) + 1;
    const ptrdiff_t stride = below(4) ? size : 2 * size, bytes = (length - 1) * stride + size;
    char *ids = (char *)at_end(memory, (size_t)bytes), mask[MOST * sizeof(int64_t)];
    const id_row row = {ids, length, stride, kind, below(4) ? NULL : mask, SIZES[mask_kind], mask_kind};
    const id_filter filter = {random_ids(sets[0]), random_ids(sets[1]), random_ids(sets[2])};
    id_progress first = {0, 0, 0, 0}, second = {0, 0, 0, 0};
    const int narrow = below(3), ends = below(length + 1);
    for (int i = 0; i < length; i++) {
        const int64_t id = i >= ends ? (int64_t)(below(40) == 0) : below(8) ? below(200) - 101 : below(20);
        memcpy(ids + i * stride, &id,
               (size_t)size); /* its low bytes come first, as on all that have levels */
    }
    for (size_t i = 0; i < sizeof mask; i++) mask[i] = (char)(below(8) ? narrow : 0);
    while (first.at < length) {
        const ptrdiff_t count = 1 + below(length - (int)first.at);
        const ptrdiff_t kept = id_reader_for(SIMD_PORTABLE)(&row, &filter, count, &first, one);
        require(id_reader_for(level)(&row, &filter, count, &second, other) == kept, "ids kept");
        require_same(one, other, (size_t)kept * sizeof *one, "read_ids");
        require_same(&first, &second, sizeof first, "read_ids' progress");
    }
}

int main(int argc, char **argv)
{
    if (argc != 3) return fprintf(stderr, "usage: %s SEED SEGMENTS\n", argv[0]), 2;
    seed = strtoull(argv[1], NULL, 10);
    const uint64_t segments = strtoull(argv[2], NULL, 10);
    const guarded memory = new_guarded(4096), large = new_guarded(8192);
    uint64_t compared = 0, steps = 0;
    for (int k = 0; k < TOKENIZERS; k++)
        if (build_tables(&tables[k], (tokenizer_id)k) < 0) return 2;
    list_utf8_tables();
    state = seed;
    hashes.first = positions.seed.first = random_word();
    hashes.second = positions.seed.second = random_word();
    for (number = 0; number < segments; number++) {
        state = seed + (number << 20); /* so that no segment depends on the levels before */
        compared += (uint64_t)(below(4) ? try_text() : try_ids());
        if (number % STEPS_EVERY) continue;
        for (level = SIMD_PORTABLE; level <= simd_supported(); level++) try_run(large);
        for (level = SIMD_PORTABLE + 1; level <= simd_supported(); level++, steps++) {
            try_classes(memory);
            try_masks();
            try_comparer(memory);
            try_utf8(memory);
            try_transcoder(memory);
            try_rows(memory);
        }
    }
    printf("seed %" PRIu64 ": %" PRIu64 " segments, %" PRIu64 " of them of at most 512 tokens, and %" PRIu64
           " times each step are equal on %d of: " SIMD_NAMES "\nkeys %016" PRIx64 "\nmatches %016" PRIx64
           "\n",
           seed, segments, compared, steps, 1 + (int)simd_supported(), checksum_of_keys, checksum_of_matches);
    return 0;
}
