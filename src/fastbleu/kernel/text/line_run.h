/* line_run.h: lines that follow each other in memory, tokenized as if they were one.
 *
 * Bits tell where in a block of 64 bytes lines begin. So every block and every vector of words is full, and
 * loops are long; no processor can predict where a loop over a single line ends.
 *
 * Data. The lines of a run are bytes, with nothing or a newline between them, and have at most RUN_BYTES, so
 * that their tokens mostly fit into one key_list. `read_lines` of them are read: those before the first that
 * has to be rewritten, or whose tokens do not fit. Only for tokenizers that take the ends of a line for spaces.
 *
 * Contract. 15 bytes before a run and one after it may be read. Ownership: a run borrows the bytes, until its
 * keys have been compared. Any thread may call this on runs of its own. Cost: as line_keys.h, and a few
 * operations a line.
 */
#pragma once

#include "line_keys.h"
#include "utf8.h"

#define RUN_LINES 32
#define RUN_BYTES 2048
#define RUN_BLOCKS (RUN_BYTES / BLOCK + 3)

typedef struct {
    const uint8_t *bytes;
    size_t size, gap;                         /* gap: the bytes between two lines, 0 or 1 */
    int lines, read_lines;
    uint16_t starts[RUN_LINES + 1]; /* of lines, in bytes; the last one: where another would start */
    uint16_t first_tokens[RUN_LINES + 1]; /* of lines that were read, as numbers of keys */
    uint64_t begins[RUN_BLOCKS]; /* bits of the bytes at which a line begins */
    key_list keys;
} line_run;

/* Begins a run without any line. */
FB_INLINE void begin_run(line_run *run, const uint8_t *bytes)
{
    memset(run->begins, 0, sizeof run->begins);
    run->bytes = bytes;
    run->size = run->gap = 0;
    run->lines = run->read_lines = 0;
}

/* Adds a line, whose address may be any; whether it belongs to the run. */
FB_INLINE int add_to_run(line_run *run, utf8_line line)
{
    const uint8_t *end = run->bytes + run->size;
    const size_t gap = (size_t)((uintptr_t)line.bytes - (uintptr_t)end), at = run->size + gap;
    if (run->lines == RUN_LINES || gap > 1 || line.size > RUN_BYTES || at + line.size > RUN_BYTES) return 0;
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

FB_INLINE line_bounds bounds_of_block(const line_run *run, size_t block)
{
    line_bounds bounds = {run->begins[block], run->begins[block + 1] & 1, 0};
    if (run->gap) bounds.between = bounds.begins >> 1 | bounds.after << (BLOCK - 1);
    return bounds;
}

FB_INLINE void read_run(line_run *run, const tokenizer_tables *tables, const hash_seed *seed,
                        const simd_level level)
{
    static const line_buffers none;
    const text_line all = {run->bytes, run->size, 1};
    const classifier classify = classifier_for(level);
    token_edges edges;
    uint64_t starts[RUN_BLOCKS];
    uint16_t tokens_before[RUN_BLOCKS];
    int started = 0, ended = 0;
    size_t block = 0;
    line_reader line;
    open_line(&line, tables, classify, all, &none);
    char_before before = line.before;
    for (; !line_ended(&line); block++) {
        class_masks masks;
        uint64_t ends;
        if (next_edges(&line, &before, classify, 1, bounds_of_block(run, block), &masks, &starts[block],
                       &ends)
            < 0)
            break;
        const int count = classify.locate(starts[block], line.at, edges.starts + started);
        if (started + count > LISTED_TOKENS) break;
        tokens_before[block] = (uint16_t)started;
        started += count;
        ended += classify.locate(ends, line.at, edges.ends + ended);
        before.space = masks.of[SPACE] >> (BLOCK - 1);
        line.at += BLOCK;
    }
    tokens_before[block] = (uint16_t)started;
    starts[block] = 0;
    run->starts[run->lines] = (uint16_t)(run->size + run->gap);
    /* A line that ends where reading stopped was not read: its last token ends in the next block. */
    run->read_lines = line_ended(&line) ? run->lines : 0;
    while (run->read_lines < run->lines && run->starts[run->read_lines + 1] < line.at + run->gap)
        run->read_lines++;
    for (int i = 0; i <= run->read_lines; i++) {
        const size_t at = run->starts[i];
        const uint64_t earlier = starts[at / BLOCK] & (((uint64_t)1 << at % BLOCK) - 1);
        run->first_tokens[i] = (uint16_t)(tokens_before[at / BLOCK] + popcount_portable(earlier));
    }
    fill_keys(&line, &edges, run->first_tokens[run->read_lines], seed, level, &run->keys);
}

/* The keys of a line that was read, until those of another one are asked for. */
FB_INLINE key_list *keys_of_line(line_run *run, int number)
{
    run->keys.first = run->first_tokens[number];
    run->keys.length = run->first_tokens[number + 1] - run->keys.first;
    return &run->keys;
}

FB_INLINE text_line line_of_run(const line_run *run, int number)
{
    const size_t start = run->starts[number];
    const text_line line = {run->bytes + start, run->starts[number + 1] - run->gap - start, 1};
    return line;
}

/* How many segments were compared, the words of their masks, and what their lines have. */
typedef struct { int segments, masks, tokens, tokenized_periods; } run_masks;

/* The most words: two for each token of the hypotheses, and for each lane after them. */
#define RUN_MASKS (2 * (LISTED_TOKENS + RUN_LINES * MASK_LANES))

/* Compares lines of two runs that were read, each hypothesis with its only reference: up to `count`, from
 * numbers `hypothesis_number` and `reference_number` on, until one has more than MASK_TOKENS. Writes masks and
 * lengths as in PackedSegments. */
static inline run_masks compare_runs(key_comparer compare, line_run *hypotheses, int hypothesis_number,
                                     line_run *references, int reference_number, int count, uint64_t *masks,
                                     int64_t *lengths)
{
    run_masks done = {0, 0, 0, 0};
    for (; done.segments < count; done.segments++, hypothesis_number++, reference_number++, lengths += 2) {
        const key_list *hypothesis = keys_of_line(hypotheses, hypothesis_number);
        const key_list *reference = keys_of_line(references, reference_number);
        const int stride = hypothesis->length + MASK_LANES;
        if (hypothesis->length > MASK_TOKENS || reference->length > MASK_TOKENS) break;
        /* The next runs; here and there, because as much at once would have to wait. */
        prefetch_line((uintptr_t)line_of_run(hypotheses, hypothesis_number).chars + 2 * RUN_BYTES);
        prefetch_line((uintptr_t)line_of_run(references, reference_number).chars + 2 * RUN_BYTES);
        compare_lists(compare, hypothesis, reference, masks + stride);
        compare_masks(compare, masks + stride, hypothesis->length, masks);
        lengths[0] = hypothesis->length;
        lengths[1] = reference->length;
        masks += 2 * stride;
        done.masks += 2 * stride;
        done.tokens += hypothesis->length + reference->length;
        done.tokenized_periods += ends_in_tokenized_period(line_of_run(hypotheses, hypothesis_number));
    }
    return done;
}

/* Reads the keys of a run's lines. */
typedef void (*run_reader)(line_run *run, const tokenizer_tables *tables, const hash_seed *seed);

#define FB_READ_RUN(suffix, level)                                                                     \
    static void read_run##suffix(line_run *run, const tokenizer_tables *tables, const hash_seed *seed) \
    {                                                                                                  \
        read_run(run, tables, seed, level);                                                            \
    }
FB_FOR_LEVELS(FB_READ_RUN)
#undef FB_READ_RUN

static inline run_reader run_reader_for(simd_level level)
{
    return FB_OF_LEVEL(level, read_run);
}
