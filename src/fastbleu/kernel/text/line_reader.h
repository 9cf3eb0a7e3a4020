/* line_reader.h: the tokens of one line of text, 64 characters at a time.
 *
 * All compiled tokenizers are one algorithm over different class tables (char_classes.h). A block of 64
 * characters becomes one mask per class (classify.h); shifting and combining them gives the mask of
 * positions where a token starts and of those where one ends; their bits are then taken out in pairs.
 * What a block must know of the one before it is carried in the reader, and the one character after it
 * is looked up, so that a line of any length takes one pass and no memory of its own.
 *
 * The rule for marks (. and , for 13a and zh, all punctuation for intl). The originals are two regular
 * expressions, "not a digit, mark" and then "mark, not a digit", whose matches do not overlap, so that a
 * run of marks is taken in pairs. What comes out: all marks stand alone, except the last of its run
 * where a digit follows. Let q be the length of the run, plus 1 if the character before it is no digit.
 * If q is odd that mark stays glued to the digit after it, and if the run is that one mark (so a digit
 * comes before it) to that digit too. The start and the end of the line count as digits for intl and zh,
 * as no character matches there; mteval (13a) puts spaces round the line first.
 *
 * Ownership. A reader borrows the line and its buffers. Token spans name positions; their content is
 * found by content_of (line_tokens.h), in the narrowest characters that hold it, so that equal tokens are
 * equal bytes whatever line they come from. Cost: about 20 vector operations a block, a few plain ones a
 * token.
 */
#pragma once

#include "patterns.h"
#include "utf8_classes.h"

typedef struct {
    char_table classes;
    line_ends ends;
    int utf8; /* whether lines of bytes are UTF-8, and characters beyond ASCII have classes */
} tokenizer_tables;

/* How the characters of a line are stored: in bytes, in two or four bytes each, or as UTF-8. A block of UTF-8 ends
 * where a character does, so that nothing about half a character is carried; its masks have the classes of a
 * character on all of its bytes. To a tokenizer that has no classes beyond ASCII, UTF-8 are bytes like others. */
typedef enum { IN_BYTES, IN_UNITS, IN_UTF8 } stored_as;

/* A line as Python stores it: `length` characters of `char_width` bytes. Or bytes of UTF-8 without white space
 * beyond ASCII, read with tables for these. */
typedef struct {
    const void *chars;
    size_t length;
    int char_width;
} text_line;

FB_INLINE uint32_t code_point_at(text_line text, size_t at)
{
    if (text.char_width == 1) return ((const uint8_t *)text.chars)[at];
    if (text.char_width == 2) return ((const uint16_t *)text.chars)[at];
    return ((const uint32_t *)text.chars)[at];
}

/* Copies of a line that is not stored in bytes, or that is lowered. Every array has LEAD readable bytes before
 * it and a block to spare after it. */
typedef struct {
    uint8_t *narrow;
    uint16_t *middle; /* only lines of 4-byte characters */
    uint32_t *rewritten; /* rewrite.h */
    void *lowered; /* lower.h */
    size_t narrow_room, middle_room, rewritten_room, lowered_room;
} line_buffers;

#define LEAD 32
#define NO_POSITION SIZE_MAX

typedef struct {
    size_t start, end;
    int char_width;
} token_span;

/* What the character before a block is, each 0 or 1; `cut`: a token ends after it. */
typedef struct { uint64_t space, digit, cut; } char_before;

typedef struct {
    const tokenizer_tables *tables;
    classifier classify;
    const uint8_t *bytes; /* the characters that fit into a byte */
    const uint16_t *pairs; /* those that fit into two; NULL for lines of bytes */
    const uint32_t *quads; /* all; only lines of 4-byte characters */
    uint8_t *narrow;
    uint16_t *middle;
    int rewritten; /* so that what mteval rewrites is looked for once only */
    size_t length, at;
    size_t step; /* characters, or bytes of UTF-8, of the block that was read last */
    size_t first, last; /* positions whose outer neighbor, the line's end, counts as a digit */
    char_before before;
    size_t run; /* marks up to this block */
    int run_after_digit;
    size_t open_start; /* of the token that goes on into this block */
    int open_char_width;
} line_reader;

FB_INLINE uint32_t char_at(const line_reader *line, size_t at)
{
    return line->quads ? line->quads[at] : line->pairs ? line->pairs[at] : line->bytes[at];
}

FB_INLINE stored_as storage_of(const line_reader *line)
{
    return line->pairs ? IN_UNITS : line->tables->utf8 ? IN_UTF8 : IN_BYTES;
}

FB_INLINE int is_of_class(const line_reader *line, size_t at, int number, const stored_as storage)
{
    uint32_t c = storage == IN_UTF8 ? line->bytes[at] : char_at(line, at);
    if (storage == IN_UTF8 && c >= 0x80) {
        uint8_t character[4] = {0};
        memcpy(character, line->bytes + at, line->length - at < 4 ? line->length - at : 4);
        c = utf8_character(character);
    }
    return class_of(&line->tables->classes, c) >> number & 1;
}

/* Whether a character, or a byte of UTF-8, is white space. */
FB_INLINE int is_space_at(const line_reader *line, size_t at)
{
    if (storage_of(line) == IN_UTF8) return line->tables->classes.of_byte[line->bytes[at]] >> SPACE & 1;
    return is_of_class(line, at, SPACE, IN_UNITS);
}

/* Begins a line. `buffers` has room for it (reserve_buffers). */
static inline void open_line(line_reader *line, const tokenizer_tables *tables, classifier classify,
                             text_line text, const line_buffers *buffers)
{
    line->tables = tables;
    line->classify = classify;
    line->bytes = text.char_width == 1 ? (const uint8_t *)text.chars : buffers->narrow;
    line->quads = text.char_width == 4 ? (const uint32_t *)text.chars : NULL;
    line->pairs = text.char_width == 1   ? NULL
                  : text.char_width == 2 ? (const uint16_t *)text.chars
                                         : buffers->middle;
    line->narrow = buffers->narrow;
    line->middle = buffers->middle;
    line->rewritten = text.chars == buffers->rewritten;
    line->length = text.length;
    line->at = 0;
    line->first = line->last = NO_POSITION;
    if (tables->ends != ENDS_ARE_SPACES) {
        while (line->length > 0 && is_space_at(line, line->length - 1)) line->length--;
        line->last = line->length - 1;
        line->first = 0;
        if (tables->ends == ENDS_ARE_DIGITS_STRIPPED)
            while (line->first < line->length && is_space_at(line, line->first)) line->first++;
    }
    line->before.space = 1;
    line->before.digit = line->before.cut = 0;
    line->run = 0;
    line->run_after_digit = 0;
    line->open_start = 0;
    line->open_char_width = 1;
}

/* A block with more wide characters is looked up by pages. */
#define FEW 4

/* Classes of the characters above U+00FF, which the bytes of a block do not tell. Most scripts fill whole
 * pages, which are looked up like bytes; the rest is looked up one by one. */
static void add_wide_classes(const line_reader *line, uint64_t wide, const uint8_t *high_bytes, size_t count,
                             class_masks *masks)
{
    const uint64_t all = wide;
    if (!line->quads && popcount_portable(wide) > FEW) {
        class_masks shared;
        line->classify.classify_bytes(line->tables->classes.of_page, high_bytes, count, &shared);
        for (int k = SPACE; k <= DIGIT; k++) masks->of[k] |= shared.of[k] & all;
        wide &= shared.of[MIXED];
    }
    while (wide) {
        const int i = lowest_bit(wide);
        const uint8_t classes = class_of(&line->tables->classes, char_at(line, line->at + i));
        wide &= wide - 1;
        if ((classes & (CLASS(DIGIT + 1) - 1)) == 0) continue;
        for (int k = SPACE; k <= DIGIT; k++) masks->of[k] |= (uint64_t)(classes >> k & 1) << i;
    }
}

/* Reads a block of UTF-8: its masks, and how many of its bytes are whole characters. */
FB_INLINE void read_utf8_classes(line_reader *line, const classifier classify, size_t count,
                                 class_masks *masks)
{
    const uint8_t *block = line->bytes + line->at;
    uint8_t padded[BLOCK];
    if (count == BLOCK) line->step = BLOCK - bytes_cut_off(block);
    classify.classify_bytes(line->tables->classes.of_byte, block, count, masks);
    if (masks->of[HIGH])
        add_utf8_classes(&line->tables->classes, whole_bytes(block, count, padded),
                         bits_between(0, line->step), masks);
}

FB_INLINE void read_classes(const line_reader *line, const classifier classify, const stored_as storage,
                            size_t count, class_masks *masks)
{
    uint8_t high_bytes[BLOCK];
    uint64_t wide = 0, astral = 0;
    if (storage == IN_UNITS && line->quads) {
        for (size_t i = 0; i < count; i++) {
            const uint32_t c = line->quads[line->at + i];
            astral |= (uint64_t)(c > 0xFFFF) << i;
            line->middle[line->at + i] = c > 0xFFFF ? 0xFFFF : (uint16_t)c;
        }
    }
    if (storage == IN_UNITS)
        wide = classify.narrow(line->pairs + line->at, count, line->narrow + line->at, high_bytes);
    classify.classify_bytes(line->tables->classes.pages[0], line->bytes + line->at, count, masks);
    masks->of[WIDE] = wide;
    masks->of[ASTRAL] = astral;
    if (wide) add_wide_classes(line, wide, high_bytes, count, masks);
}

/* Where in a block of several lines one begins, and whether one begins right after it; `between`: bytes that
 * are not of any line; the first and the last bytes of lines whose ends count as digits. All 0 in other blocks. */
typedef struct { uint64_t begins, after, between, firsts, lasts; } line_bounds;

/* The characters among marks that stand side by side. */
FB_INLINE size_t marks_between(int start, int end, uint64_t inner)
{
    return (size_t)popcount_portable(bits_between((size_t)start, (size_t)end) & ~inner);
}

/* The last marks of runs of two and more that are glued to a digit after them. */
static uint64_t glued_run_ends(const line_reader *line, uint64_t mark, uint64_t inner, uint64_t begins,
                               uint64_t after_digit, uint64_t before_digit)
{
    uint64_t glued = 0, rest = mark;
    while (rest) {
        const int first = lowest_bit(rest);
        const uint64_t gap = ~(rest >> first) | (begins >> first & ~(uint64_t)1);
        const int last = first + (gap ? lowest_bit(gap) : BLOCK) - 1;
        size_t run = marks_between(first, last + 1, inner);
        int digit = (int)(after_digit >> first & 1);
        if (first == 0 && line->run && !(begins & 1)) {
            run += line->run;
            digit = line->run_after_digit;
        }
        const int odd = (run + !digit) & 1;
        if (run > 1 && odd && (before_digit >> last & 1)) glued |= (uint64_t)1 << last;
        if (last == BLOCK - 1) break;
        rest &= ~(uint64_t)0 << (last + 1);
    }
    return on_earlier_bytes(glued, inner);
}

static void carry_run(line_reader *line, uint64_t mark, uint64_t inner, uint64_t begins, uint64_t after_digit)
{
    if (!(mark >> (line->step - 1) & 1)) {
        line->run = 0;
        return;
    }
    const uint64_t others = (~mark << 1 | begins) & bits_between(0, line->step);
    const int first = others ? highest_bit(others) : 0;
    if (others || line->run == 0) {
        line->run = 0;
        line->run_after_digit = (int)(after_digit >> first & 1);
    }
    line->run += marks_between(first, (int)line->step, inner);
}

FB_INLINE int char_width_of(const class_masks *masks, uint64_t bits)
{
    return masks->of[ASTRAL] & bits ? 4 : masks->of[WIDE] & bits ? 2 : 1;
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

/* Where tokens of a block start, and the positions after the last character of one. */
FB_INLINE void find_edges(line_reader *line, char_before *before, const class_masks *masks,
                          const stored_as storage, const line_bounds bounds, uint64_t *starts, uint64_t *ends)
{
    const size_t step = storage == IN_UTF8 ? line->step : BLOCK;
    const int last = (int)step - 1;
    const uint64_t inside = ~(uint64_t)0 >> (BLOCK - step), inner = storage == IN_UTF8 ? masks->of[INNER] : 0;
    const uint64_t space = masks->of[SPACE], mark = masks->of[MARK] & inside, digit = masks->of[DIGIT];
    const uint64_t token = ~space, after_digit = (digit << 1 | before->digit) & ~bounds.begins;
    const uint64_t dash = masks->of[DASH] & after_digit;
    uint64_t before_digit = digit >> 1, after_a_digit = after_digit | bounds.firsts;
    /* A run of marks that goes on from the block before or into the next one. */
    const uint64_t open = mark >> last | (uint64_t)line->run;
    if (FB_UNLIKELY(open != 0) && line->at + step < line->length)
        before_digit |= (uint64_t)is_of_class(line, line->at + step, DIGIT, storage) << last;
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
        ending &= ~glued_run_ends(line, mark, inner, bounds.begins, after_a_digit, before_digit);
        carry_run(line, mark, inner, bounds.begins, after_a_digit);
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
        spans[count].char_width = 1;
        count++;
        ends &= ends - 1;
        if (starts) start = line->at + (size_t)lowest_bit(starts);
        starts &= starts - 1;
    }
    line->open_start = start;
    return count;
}

/* The character widths of the tokens of a line that is not stored in bytes. */
FB_INLINE void find_char_widths(line_reader *line, const class_masks *masks, token_span *spans, int count)
{
    const size_t at = line->at, open = line->open_start;
    int char_width = line->open_char_width;
    for (int i = 0; i < count; i++) {
        const int goes_on = spans[i].start < at;
        const int own =
            char_width_of(masks, bits_between(goes_on ? 0 : spans[i].start - at, spans[i].end - at));
        spans[i].char_width = goes_on && char_width > own ? char_width : own;
    }
    const int own = char_width_of(masks, bits_between(open < at ? 0 : open - at, BLOCK));
    line->open_char_width = open < at && char_width > own ? char_width : own;
}

/* Whether a pattern that mteval replaces holds the character of class REWRITE at a position. A newline by
 * itself does not count: it separates tokens as the space does that it becomes, and no pattern holds one. */
static int is_in_pattern(const line_reader *line, size_t at)
{
    for (int k = 0; k < REWRITE_STEPS; k++) {
        const char *pattern = rewrite_steps[k].pattern;
        const size_t before = pattern[0] == '-', size = strlen(pattern);
        size_t same = 0;
        if (size == 1 || at < before || size > line->length - (at - before)) continue;
        while (same < size && char_at(line, at - before + same) == (uint8_t)pattern[same]) same++;
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

/* The classes of the next block and its edges; -1 where the line must be rewritten first. With a constant
 * for `classify`, masks stay in registers. */
FB_INLINE int next_edges(line_reader *line, char_before *before, const classifier classify,
                         const stored_as storage, const line_bounds bounds, class_masks *masks,
                         uint64_t *starts, uint64_t *ends)
{
    const size_t left = line->length - line->at, count = left < BLOCK ? left : BLOCK;
    line->step = BLOCK;
    if (count == 0) { /* the line fills its last block: what is open ends here */
        memset(masks, 0, sizeof *masks);
        masks->of[SPACE] = ~(uint64_t)0;
    } else if (storage == IN_UTF8) {
        read_utf8_classes(line, classify, count, masks);
    } else {
        read_classes(line, classify, storage, count, masks);
    }
    masks->of[REWRITE] &= ~bounds.between;
    if (FB_UNLIKELY(masks->of[REWRITE] && !line->rewritten) && has_pattern(line, masks->of[REWRITE]))
        return -1;
    find_edges(line, before, masks, storage, bounds, starts, ends);
    return 0;
}

/* The tokens that end in the next block, at most 65; -1 where the line must be rewritten first. */
static int next_tokens(line_reader *line, token_span *spans)
{
    const line_bounds none = {0, 0, 0, 0, 0};
    class_masks masks;
    uint64_t starts, ends;
    const classifier classify = line->classify;
    const stored_as storage = storage_of(line);
    const int failed =
        storage == IN_UTF8 ? next_edges(line, &line->before, classify, IN_UTF8, none, &masks, &starts, &ends)
        : storage == IN_UNITS
            ? next_edges(line, &line->before, classify, IN_UNITS, none, &masks, &starts, &ends)
            : next_edges(line, &line->before, classify, IN_BYTES, none, &masks, &starts, &ends);
    if (failed < 0) return -1;
    const int tokens = take_spans(line, starts, ends, spans);
    if (line->pairs) find_char_widths(line, &masks, spans, tokens);
    line->before.space = masks.of[SPACE] >> (line->step - 1) & 1;
    line->at += line->step;
    return tokens;
}

/* A buffer with room for so many bytes, the same or a new one; NULL: no memory, and the old one is gone. */
static void *buffer_for(void *buffer, size_t *room, size_t bytes)
{
    if (bytes <= *room) return buffer;
    if (buffer) free((uint8_t *)buffer - LEAD);
    bytes += bytes / 2;
    uint8_t *memory = (uint8_t *)malloc(bytes + LEAD);
    *room = memory ? bytes : 0;
    return memory ? memory + LEAD : NULL;
}

/* Room for the copies of a line that is not stored in bytes. Returns 0, or -1: no memory. */
static inline int reserve_buffers(line_buffers *buffers, text_line text)
{
    if (text.char_width == 1) return 0;
    const size_t chars = text.length + 2 * BLOCK;
    buffers->narrow = (uint8_t *)buffer_for(buffers->narrow, &buffers->narrow_room, chars);
    if (!buffers->narrow) return -1;
    if (text.char_width == 2) return 0;
    buffers->middle = (uint16_t *)buffer_for(buffers->middle, &buffers->middle_room, 2 * chars);
    return buffers->middle ? 0 : -1;
}

static inline void free_buffers(line_buffers *buffers)
{
    if (buffers->narrow) free((uint8_t *)buffers->narrow - LEAD);
    if (buffers->middle) free((uint8_t *)buffers->middle - LEAD);
    if (buffers->rewritten) free((uint8_t *)buffers->rewritten - LEAD);
    if (buffers->lowered) free((uint8_t *)buffers->lowered - LEAD);
    memset(buffers, 0, sizeof *buffers);
}

/* Builds a tokenizer, with `utf8` one of bytes of UTF-8. Returns 0, or -1: no memory. */
static inline int build_tables(tokenizer_tables *tables, tokenizer_id tokenizer, int utf8)
{
    tables->ends = COMPILED_TOKENIZERS[tokenizer].ends;
    if (build_char_table(&tables->classes, tokenizer, utf8) < 0) return -1;
    tables->utf8 = utf8 && has_wide_classes(&tables->classes);
    return 0;
}
