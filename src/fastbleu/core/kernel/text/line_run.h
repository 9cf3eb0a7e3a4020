/* line_run.h: lines that follow each other in memory, tokenized as if they were one.
 *
 * Bits tell where lines begin in a block. So every block and every vector of words is full, and
 * loops are long; no processor can predict where a loop over a single line ends.
 *
 * Data. The lines of a run have nothing or a newline between them, and have at most RUN_BYTES, or
 * the `limit` to which a run adapts, so that their tokens mostly fit into one key_list. `read_lines` of them are
 * read: those before the first that has to be rewritten, or whose tokens do not fit.
 *
 * Lines of different allocations may happen to follow each other. Only one byte is read between them, which lies
 * on the page of the byte before it or of the one after it.
 *
 * Contract. 15 bytes before a run and one after it may be read. Ownership: a run borrows the bytes, until its
 * keys have been compared. Any thread may call this on runs of its own. Cost: that of line_keys.h, and a few
 * operations a line.
 */
#pragma once

#include "line_keys.h"

#define RUN_LINES 32
#define RUN_BYTES 2048
#define RUN_WORDS (RUN_BYTES / 64 + 3)      /* of a map with a bit for each byte */

typedef struct {
    const uint8_t *bytes;
    size_t limit; /* bytes that are likely to have few enough tokens; at first 0 */
    size_t size, gap; /* gap: the bytes between two lines, 0 or 1 */
    int lines, read_lines;
    uint16_t starts[RUN_LINES + 1]; /* of lines, in bytes; the last one: where another would start */
    uint16_t first_tokens[RUN_LINES + 1]; /* of lines that were read, as numbers of keys */
    uint64_t begins[RUN_WORDS]; /* bits of the bytes at which a line begins */
    key_list keys;
} line_run;

/* Begins a run without any line. */
FB_INLINE void begin_run(line_run *run, const uint8_t *bytes)
{
    memset(run->begins, 0, sizeof run->begins);
    run->bytes = bytes;
    run->size = run->gap = 0;
    if (run->limit == 0) run->limit = RUN_BYTES;
    run->lines = run->read_lines = 0;
}

/* Adds a line, at any address, if it continues the run; returns whether it does. */
FB_INLINE int add_to_run(line_run *run, utf8_line line)
{
    const uint8_t *end = run->bytes + run->size;
    const size_t gap = (size_t)((uintptr_t)line.bytes - (uintptr_t)end), at = run->size + gap;
    const size_t most = run->lines ? run->limit : RUN_BYTES;
    if (run->lines == RUN_LINES || gap > 1 || line.size > RUN_BYTES || at + line.size > most) return 0;
    if (run->lines == 1) run->gap = gap;
    if (gap != run->gap || (gap && *end != '\n')) return 0;
    run->starts[run->lines++] = (uint16_t)at;
    run->begins[at / BLOCK] |= (uint64_t)1 << at % BLOCK;
    run->size = at + line.size;
    return 1;
}

/* Removes all lines but the first `lines`. */
FB_INLINE void cut_run(line_run *run, int lines)
{
    if (lines < run->lines) run->size = lines > 0 ? run->starts[lines] - run->gap : 0;
    run->lines = lines;
}

/* 64 bits of a map, from any position on. */
FB_INLINE uint64_t bits_from(const uint64_t *map, size_t at)
{
    const size_t word = at / 64, shift = at % 64;
    return map[word] >> shift | map[word + 1] << 1 << (63 - shift);
}

FB_INLINE void add_bits(uint64_t *map, size_t at, uint64_t bits)
{
    const size_t word = at / 64, shift = at % 64;
    map[word] |= bits << shift;
    map[word + 1] |= bits >> 1 >> (63 - shift);
}

/* For lines whose ends count as digits: maps of their first and last bytes that are not white space. */
typedef struct { uint64_t firsts[RUN_WORDS], lasts[RUN_WORDS]; } line_ends_map;

static void map_line_ends(const line_run *run, const tokenizer_tables *tables, line_ends_map *map)
{
    const uint8_t *classes = tables->classes.of_byte;
    memset(map, 0, sizeof *map);
    for (int i = 0; i < run->lines; i++) {
        size_t start = run->starts[i], end = run->starts[i + 1] - run->gap;
        while (end > start && classes[run->bytes[end - 1]] & CLASS(SPACE)) end--;
        if (tables->ends == ENDS_ARE_DIGITS_STRIPPED)
            while (start < end && classes[run->bytes[start]] & CLASS(SPACE)) start++;
        if (start == end) continue;
        map->firsts[start / 64] |= (uint64_t)1 << start % 64;
        map->lasts[(end - 1) / 64] |= (uint64_t)1 << (end - 1) % 64;
    }
}

FB_INLINE line_bounds bounds_of_block(const line_run *run, size_t at)
{
    const uint64_t after = run->begins[at / 64 + 1] >> at % 64;
    line_bounds bounds = {bits_from(run->begins, at), after & 1, 0, 0, 0};
    if (run->gap) bounds.between = bounds.begins >> 1 | bounds.after << (BLOCK - 1);
    return bounds;
}

FB_INLINE void read_run(line_run *run, const tokenizer_tables *tables, const hash_seed *seed,
                        const simd_level level, const int beyond_ascii)
{
    const utf8_line all = {run->bytes, run->size};
    const classifier classify = classifier_for(level);
    const int are_digits = beyond_ascii && tables->ends != ENDS_ARE_SPACES;
    token_edges edges;
    line_ends_map line_ends;
    uint64_t token_starts[RUN_WORDS] = {0};
    uint16_t tokens_before[RUN_WORDS]; /* by word of that map */
    int started = 0, ended = 0;
    line_reader line;
    run->starts[run->lines] = (uint16_t)(run->size + run->gap);
    if (are_digits) map_line_ends(run, tables, &line_ends);
    open_line(&line, tables, classify, all);
    line.length = run->size;
    line.first = line.last = NO_POSITION;
    line_carry before = line.before;
    while (!line_ended(&line)) {
        class_masks masks;
        uint64_t starts, ends;
        line_bounds bounds = bounds_of_block(run, line.at);
        if (are_digits) {
            bounds.firsts = bits_from(line_ends.firsts, line.at);
            bounds.lasts = bits_from(line_ends.lasts, line.at);
        }
        if (next_edges(&line, &before, classify, beyond_ascii, bounds, &masks, &starts, &ends) < 0) break;
        const int count = classify.locate(starts, line.at, edges.starts + started);
        if (started + count > LISTED_TOKENS) break;
        add_bits(token_starts, line.at, starts);
        started += count;
        ended += classify.locate(ends, line.at, edges.ends + ended);
        before.space = masks.of[SPACE] >> (line.step - 1) & 1;
        line.at += line.step;
    }
    if (!line_ended(&line) && started > LISTED_TOKENS - BLOCK) run->limit = line.at;
    else if (run->limit < RUN_BYTES) run->limit += 4;
    /* A line that ends where reading stopped was not read: its last token ends in the next block. */
    run->read_lines = line_ended(&line) ? run->lines : 0;
    while (run->read_lines < run->lines && run->starts[run->read_lines + 1] < line.at + run->gap)
        run->read_lines++;
    for (int word = 0, sum = 0; word < RUN_WORDS; word++) {
        tokens_before[word] = (uint16_t)sum;
        sum += popcount_portable(token_starts[word]);
    }
    for (int i = 0; i <= run->read_lines; i++) {
        const size_t at = run->starts[i];
        const uint64_t earlier = token_starts[at / 64] & (((uint64_t)1 << at % 64) - 1);
        run->first_tokens[i] = (uint16_t)(tokens_before[at / 64] + popcount_portable(earlier));
    }
    fill_keys(&line, &edges, run->first_tokens[run->read_lines], seed, level, &run->keys);
}

/* The keys of a line that was read. */
FB_INLINE key_view keys_of_line(const line_run *run, int number)
{
    const int first = run->first_tokens[number];
    const key_view keys = {&run->keys, first, run->first_tokens[number + 1] - first};
    return keys;
}

FB_INLINE utf8_line line_of_run(const line_run *run, int number)
{
    const size_t start = run->starts[number];
    const utf8_line line = {run->bytes + start, run->starts[number + 1] - run->gap - start};
    return line;
}

/* How many segments were compared, the words of their masks, and what their lines have. */
typedef struct { int segments, masks, tokens, tokenized_periods; } run_masks;

/* The most words: two for each token of the hypotheses, and for each lane after them. */
#define RUN_MASKS (2 * (LISTED_TOKENS + RUN_LINES * MASK_LANES))

/* Compares lines of two runs that were read, each hypothesis with its only reference: up to `count`, from
 * numbers `hypothesis_number` and `reference_number` on, until one has more than MASK_TOKENS. Writes masks and
 * lengths as in PackedSegments. */
static inline run_masks compare_runs(key_comparer compare, const line_run *hypotheses, int hypothesis_number,
                                     const line_run *references, int reference_number, int count,
                                     uint64_t *masks, int64_t *lengths)
{
    run_masks done = {0, 0, 0, 0};
    for (; done.segments < count; done.segments++, hypothesis_number++, reference_number++, lengths += 2) {
        const key_view hypothesis = keys_of_line(hypotheses, hypothesis_number);
        const key_view reference = keys_of_line(references, reference_number);
        const int stride = hypothesis.length + MASK_LANES;
        if (hypothesis.length > MASK_TOKENS || reference.length > MASK_TOKENS) break;
        /* Prefetches the next runs, bit by bit, because so much at once would have to wait. */
        prefetch_line((uintptr_t)line_of_run(hypotheses, hypothesis_number).bytes + 2 * RUN_BYTES);
        prefetch_line((uintptr_t)line_of_run(references, reference_number).bytes + 2 * RUN_BYTES);
        compare_lists(compare, hypothesis, reference, masks + stride);
        compare_masks(compare, masks + stride, hypothesis.length, masks);
        lengths[0] = hypothesis.length;
        lengths[1] = reference.length;
        masks += 2 * stride;
        done.masks += 2 * stride;
        done.tokens += hypothesis.length + reference.length;
        done.tokenized_periods += ends_in_tokenized_period(line_of_run(hypotheses, hypothesis_number));
    }
    return done;
}

/* Reads the keys of a run's lines. */
typedef void (*run_reader)(line_run *run, const tokenizer_tables *tables, const hash_seed *seed);

/* Defines read_run_portable, read_run_avx2, read_run_avx512, read_run_vbmi2 or read_run_neon. */
#define FB_READ_RUN(suffix, level)                                                                     \
    static void read_run##suffix(line_run *run, const tokenizer_tables *tables, const hash_seed *seed) \
    {                                                                                                  \
        if (tables->beyond_ascii) read_run(run, tables, seed, level, 1);                               \
        else read_run(run, tables, seed, level, 0);                                                    \
    }
FB_FOR_TEXT_LEVELS(FB_READ_RUN)
#undef FB_READ_RUN

static inline run_reader run_reader_for(simd_level level)
{
    return FB_OF_TEXT_LEVEL(level, read_run);
}
