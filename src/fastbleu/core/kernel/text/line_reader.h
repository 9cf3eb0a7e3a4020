/* line_reader.h: the tokens of one line of text, 64 bytes at a time.
 *
 * Data. A line is UTF-8 in which white space beyond ASCII has become tabs; a lone surrogate, which a str may
 * hold, has three bytes. 15 bytes before the line and one after it may be read.
 *
 * All compiled tokenizers are one algorithm over different class tables (char_classes.h). A block of 64
 * bytes becomes one mask per class (classify.h); shifting and combining them gives the mask of
 * positions where a token starts and of those where one ends; their bits are then taken out in pairs.
 * What a block must know of the one before it is carried in the reader, and the one character after it
 * is looked up, so that a line of any length takes one pass and no memory of its own.
 *
 * For a tokenizer that has no classes beyond ASCII, all other bytes are alike. Otherwise a block ends where a
 * character does, so that no partial character is carried; its masks have the classes of a character on all of
 * its bytes (utf8_classes.h).
 *
 * The rule for marks (. and , for 13a and zh, all punctuation for intl). The originals are two regular
 * expressions, "not a digit, mark" and then "mark, not a digit", whose matches do not overlap, so that a
 * run of marks is taken in pairs. The result: all marks stand alone, except the last one of a run before
 * a digit. Let q be the length of the run, plus 1 if the character before it is not a digit.
 * If q is odd, that mark stays glued to the digit after it, and if the run is that one mark (so a digit
 * comes before it), to that digit too. The start and the end of the line count as digits for intl and zh,
 * because no character matches there; mteval (13a) puts spaces around the line first.
 *
 * Ownership. A reader borrows the line. Cost: about 20 vector operations a block, a few plain ones a token.
 */
#pragma once

#include "patterns.h"
#include "utf8.h"
#include "utf8_classes.h"

typedef struct {
    char_table classes;
    line_ends ends;
    int beyond_ascii; /* whether characters beyond ASCII have classes */
} tokenizer_tables;

#define NO_POSITION SIZE_MAX

/* The first byte of a token, and the one after its last. */
typedef struct { size_t start, end; } token_span;

/* What a block must know of the ones before it. */
typedef struct {
    uint64_t space, digit, cut; /* the last character, each 0 or 1; `cut`: a token ends after it */
    size_t run; /* marks that stand side by side up to there */
    int run_after_digit;
} line_carry;

typedef struct {
    const tokenizer_tables *tables;
    classifier classify;
    const uint8_t *bytes;
    int rewritten; /* so that what mteval rewrites is looked for only once */
    size_t length, at;
    size_t step; /* bytes of the block that was read last */
    size_t first, last; /* positions whose outer neighbor, the line's end, counts as a digit */
    line_carry before;
    size_t open_start; /* of the token that goes on into this block */
} line_reader;

FB_INLINE int is_digit_at(const line_reader *line, size_t at, const int beyond_ascii)
{
    const char_table *table = &line->tables->classes;
    if (!beyond_ascii || line->bytes[at] < 0x80) return table->of_byte[line->bytes[at]] >> DIGIT & 1;
    uint8_t character[4] = {0};
    memcpy(character, line->bytes + at, line->length - at < 4 ? line->length - at : 4);
    return class_of(table, utf8_character(character)) >> DIGIT & 1;
}

FB_INLINE int is_space_at(const line_reader *line, size_t at)
{
    return line->tables->classes.of_byte[line->bytes[at]] >> SPACE & 1;
}

static inline void open_line(line_reader *line, const tokenizer_tables *tables, classifier classify,
                             utf8_line text)
{
    line->tables = tables;
    line->classify = classify;
    line->bytes = text.bytes;
    line->rewritten = 0;
    line->length = text.size;
    line->at = 0;
    line->first = line->last = NO_POSITION;
    if (tables->ends != ENDS_ARE_SPACES) {
        while (line->length > 0 && is_space_at(line, line->length - 1)) line->length--;
        line->last = line->length - 1;
        line->first = 0;
        if (tables->ends == ENDS_ARE_DIGITS_STRIPPED)
            while (line->first < line->length && is_space_at(line, line->first)) line->first++;
    }
    const line_carry at_start = {1, 0, 0, 0, 0};
    line->before = at_start;
    line->open_start = 0;
}

/* Reads a block: its masks and, if characters have classes, how many of its bytes are of whole ones. */
FB_INLINE void read_classes(line_reader *line, const classifier classify, const int beyond_ascii,
                            size_t count, class_masks *masks)
{
    const uint8_t *block = line->bytes + line->at;
    uint8_t padded[BLOCK];
    classify.classify_bytes(line->tables->classes.of_byte, block, count, masks);
    if (!beyond_ascii) return;
    if (count == BLOCK) line->step = BLOCK - bytes_cut_off(block);
    if (masks->of[HIGH])
        add_utf8_classes(&line->tables->classes, whole_bytes(block, count, padded),
                         bits_between(0, line->step), masks);
}

/* For a block of several lines: where lines begin, and whether one begins right after it; bytes between
 * lines; the first and the last bytes of lines whose ends count as digits. All 0 for other blocks. */
typedef struct { uint64_t begins, after, between, firsts, lasts; } line_bounds;

/* The number of characters in adjacent marks. */
FB_INLINE size_t marks_between(int start, int end, uint64_t inner)
{
    return (size_t)popcount_portable(bits_between((size_t)start, (size_t)end) & ~inner);
}

/* The last marks of runs of two or more that are glued to a digit after them. */
static uint64_t glued_run_ends(const line_carry *before, uint64_t mark, uint64_t inner, uint64_t begins,
                               uint64_t after_digit, uint64_t before_digit)
{
    uint64_t glued = 0, rest = mark;
    while (rest) {
        const int first = lowest_bit(rest);
        const uint64_t gap = ~(rest >> first) | (begins >> first & ~(uint64_t)1);
        const int last = first + (gap ? lowest_bit(gap) : BLOCK) - 1;
        size_t run = marks_between(first, last + 1, inner);
        int digit = (int)(after_digit >> first & 1);
        if (first == 0 && before->run && !(begins & 1)) {
            run += before->run;
            digit = before->run_after_digit;
        }
        const int odd = (run + !digit) & 1;
        if (run > 1 && odd && (before_digit >> last & 1)) glued |= (uint64_t)1 << last;
        if (last == BLOCK - 1) break;
        rest &= ~(uint64_t)0 << (last + 1);
    }
    return on_earlier_bytes(glued, inner);
}

static void carry_run(line_carry *before, uint64_t mark, uint64_t inner, uint64_t begins,
                      uint64_t after_digit, int step)
{
    if (!(mark >> (step - 1) & 1)) {
        before->run = 0;
        return;
    }
    const uint64_t others = (~mark << 1 | begins) & bits_between(0, (size_t)step);
    const int first = others ? highest_bit(others) : 0;
    if (others || before->run == 0) {
        before->run = 0;
        before->run_after_digit = (int)(after_digit >> first & 1);
    }
    before->run += marks_between(first, step, inner);
}

/* Whether every block has been read. */
FB_INLINE int line_ended(const line_reader *line)
{
    return line->at > line->length;
}

/* The ends of the line that count as digits. */
FB_INLINE void add_ends(const line_reader *line, uint64_t *after_digit, uint64_t *before_digit)
{
    const size_t at = line->at;
    if (line->first >= at && line->first - at < BLOCK) *after_digit |= (uint64_t)1 << (line->first - at);
    if (line->last >= at && line->last - at < BLOCK) *before_digit |= (uint64_t)1 << (line->last - at);
}

/* Where tokens of a block start, and the positions after the last character of each. */
FB_INLINE void find_edges(const line_reader *line, line_carry *before, const class_masks *masks,
                          const int beyond_ascii, const line_bounds bounds, uint64_t *starts, uint64_t *ends)
{
    const size_t step = beyond_ascii ? line->step : BLOCK;
    const int last = (int)step - 1;
    const uint64_t inside = ~(uint64_t)0 >> (BLOCK - step), inner = beyond_ascii ? masks->of[INNER] : 0;
    const uint64_t space = masks->of[SPACE], mark = masks->of[MARK] & inside, digit = masks->of[DIGIT];
    const uint64_t token = ~space, after_digit = (digit << 1 | before->digit) & ~bounds.begins;
    const uint64_t dash = masks->of[DASH] & after_digit;
    uint64_t before_digit = digit >> 1, after_a_digit = after_digit | bounds.firsts;
    /* A run of marks that goes on from the block before or into the next one. */
    const uint64_t open = mark >> last | (uint64_t)before->run;
    if (FB_UNLIKELY(open != 0) && line->at + step < line->length)
        before_digit |= (uint64_t)is_digit_at(line, line->at + step, beyond_ascii) << last;
    before_digit &= ~(bounds.begins >> 1 | bounds.after << (BLOCK - 1));
    before_digit |= bounds.lasts;
    if (line->first != NO_POSITION) add_ends(line, &after_a_digit, &before_digit);
    if (mark & inner) {
        after_a_digit = on_later_bytes(after_a_digit, inner);
        before_digit = on_earlier_bytes(before_digit, inner);
    }
    const uint64_t starting = masks->of[ALONE] | dash | (mark & ~(after_a_digit & before_digit));
    uint64_t ending = starting;
    if (FB_UNLIKELY((open | (mark & mark << 1 & ~inner)) != 0)) {
        ending &= ~glued_run_ends(before, mark, inner, bounds.begins, after_a_digit, before_digit);
        carry_run(before, mark, inner, bounds.begins, after_a_digit, (int)step);
    }
    *starts = token & ~inner & inside
              & (space << 1 | before->space | starting | ending << 1 | before->cut | bounds.begins);
    *ends = (token << 1 | (before->space ^ 1)) & inside & (space | *starts);
    before->digit = digit >> last & 1;
    before->cut = ending >> last & 1;
}

/* Pairs of a start and an end: the tokens that end in this block. */
FB_INLINE int take_spans(line_reader *line, uint64_t starts, uint64_t ends, token_span *spans)
{
    size_t start = line->open_start;
    int count = 0;
    if (line->before.space && starts) {
        start = line->at + (size_t)lowest_bit(starts);
        starts &= starts - 1;
    }
    while (ends) {
        spans[count].start = start;
        spans[count].end = line->at + (size_t)lowest_bit(ends);
        count++;
        ends &= ends - 1;
        if (starts) start = line->at + (size_t)lowest_bit(starts);
        starts &= starts - 1;
    }
    line->open_start = start;
    return count;
}

/* Whether the character of class REWRITE at a position belongs to a pattern that mteval replaces. A newline by
 * itself does not count: it separates tokens like the space that it becomes, and no other pattern has one. */
static int is_in_pattern(const line_reader *line, size_t at)
{
    for (int k = 0; k < REWRITE_STEPS; k++) {
        const char *pattern = rewrite_steps[k].pattern;
        const size_t before = pattern[0] == '-', size = strlen(pattern);
        size_t same = 0;
        if (size == 1 || at < before || size > line->length - (at - before)) continue;
        while (same < size && line->bytes[at - before + same] == (uint8_t)pattern[same]) same++;
        if (same == size) return 1;
    }
    return 0;
}

static int has_pattern(const line_reader *line, uint64_t begins)
{
    for (; begins; begins &= begins - 1)
        if (is_in_pattern(line, line->at + (size_t)lowest_bit(begins))) return 1;
    return 0;
}

/* The classes of the next block and its edges; -1 if the line must be rewritten first. With a constant
 * for `classify`, masks stay in registers. */
FB_INLINE int next_edges(line_reader *line, line_carry *before, const classifier classify,
                         const int beyond_ascii, const line_bounds bounds, class_masks *masks,
                         uint64_t *starts, uint64_t *ends)
{
    const size_t left = line->length - line->at, count = left < BLOCK ? left : BLOCK;
    line->step = BLOCK;
    if (count == 0) { /* the line fills its last block: what is open ends here */
        memset(masks, 0, sizeof *masks);
        masks->of[SPACE] = ~(uint64_t)0;
    } else {
        read_classes(line, classify, beyond_ascii, count, masks);
    }
    masks->of[REWRITE] &= ~bounds.between;
    if (FB_UNLIKELY(masks->of[REWRITE] && !line->rewritten) && has_pattern(line, masks->of[REWRITE]))
        return -1;
    find_edges(line, before, masks, beyond_ascii, bounds, starts, ends);
    return 0;
}

/* The tokens that end in the next block, at most 65; -1 if the line must be rewritten first. */
static int next_tokens(line_reader *line, token_span *spans)
{
    const line_bounds none = {0, 0, 0, 0, 0};
    class_masks masks;
    uint64_t starts, ends;
    const classifier classify = line->classify;
    const int failed = line->tables->beyond_ascii
                           ? next_edges(line, &line->before, classify, 1, none, &masks, &starts, &ends)
                           : next_edges(line, &line->before, classify, 0, none, &masks, &starts, &ends);
    if (failed < 0) return -1;
    const int tokens = take_spans(line, starts, ends, spans);
    line->before.space = masks.of[SPACE] >> (line->step - 1) & 1;
    line->at += line->step;
    return tokens;
}

/* Builds a tokenizer. Returns 0, or -1: no memory. */
static inline int build_tables(tokenizer_tables *tables, tokenizer_id tokenizer)
{
    tables->ends = COMPILED_TOKENIZERS[tokenizer].ends;
    if (build_char_table(&tables->classes, tokenizer) < 0) return -1;
    tables->beyond_ascii = has_classes_beyond_ascii(&tables->classes);
    return 0;
}
