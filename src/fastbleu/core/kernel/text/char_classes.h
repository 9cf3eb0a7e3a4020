/* char_classes.h: the class of each of the 1,114,112 code points, for each tokenizer.
 *
 * Layout. One byte of class bits per code point, in pages of 256; equal pages are stored once, so that
 * a tokenizer's table takes 9 KB of page numbers and 1 to 45 KB of pages.
 *
 * Ownership. A table owns its pages; it is built once for each tokenizer and then only read, by any
 * thread.
 */
#pragma once

#include <stdlib.h>
#include "../simd/platform.h"
#include "unicode_ranges.h"

/* Bit numbers; block masks (classify.h) are numbered alike. */
enum {
    SPACE,       /* separates tokens: the white space of str.split() */
    ALONE,       /* is a token by itself */
    MARK,        /* is a token by itself, unless digits stand on both sides (line_reader.h) */
    DIGIT,
    DASH,        /* is a token by itself after a digit */
    REWRITE,     /* may begin something that mteval rewrites before it tokenizes */
    TABLED,      /* the number of classes in tables; the others are of bytes: */
    HIGH = TABLED,    /* is of a character beyond ASCII */
    INNER,       /* does not begin a character */
    CLASSES
};
#define CLASS(number) ((uint8_t)(1u << (number)))

typedef enum { TOKENIZE_NONE, TOKENIZE_13A, TOKENIZE_ZH, TOKENIZE_INTL, TOKENIZE_CHAR, TOKENIZERS } tokenizer_id;

/* The assumed character before the first and after the last one of a line: a space or a digit. For digits,
 * white space at the end, or at both ends, is stripped first. */
typedef enum { ENDS_ARE_SPACES, ENDS_ARE_DIGITS, ENDS_ARE_DIGITS_STRIPPED } line_ends;

/* A compiled tokenizer: its name, as in tokenizers/tokenizer.py, and its ends. */
typedef struct { const char *name; line_ends ends; } compiled_tokenizer;

static const compiled_tokenizer COMPILED_TOKENIZERS[TOKENIZERS] = {
    [TOKENIZE_NONE] = {"none", ENDS_ARE_SPACES},
    [TOKENIZE_13A] = {"13a", ENDS_ARE_SPACES},
    [TOKENIZE_ZH] = {"zh", ENDS_ARE_DIGITS_STRIPPED},
    [TOKENIZE_INTL] = {"intl", ENDS_ARE_DIGITS},
    [TOKENIZE_CHAR] = {"char", ENDS_ARE_SPACES},
};

#define CODE_POINTS 0x110000u
#define PAGES (CODE_POINTS >> 8)

typedef struct {
    uint16_t page_of[PAGES];
    uint8_t (*pages)[256];
    /* By a byte of UTF-8: the classes of ASCII, and those that all characters with this first byte share, or MIXED. */
    uint8_t of_byte[256];
} char_table;

/* No wide character is rewritten, so that this bit is free. */
#define MIXED REWRITE

FB_INLINE uint8_t class_of(const char_table *table, uint32_t code_point)
{
    return table->pages[table->page_of[code_point >> 8]][code_point & 255];
}

typedef struct { uint32_t first, last; uint8_t classes; } class_range;

/* White space beyond ASCII (utf8.h) has become tabs before. */
static const class_range WHITE_SPACE[] = {{0x09, 0x0D, CLASS(SPACE)}, {0x1C, 0x20, CLASS(SPACE)}};

/* mteval-v13a's rules for ASCII. */
static const class_range MTEVAL_ASCII[] = {
    {'!', '&', CLASS(ALONE)}, {'(', '+', CLASS(ALONE)}, {'/', '/', CLASS(ALONE)},
    {':', '@', CLASS(ALONE)}, {'[', '`', CLASS(ALONE)}, {'{', '~', CLASS(ALONE)},
    {',', ',', CLASS(MARK)}, {'.', '.', CLASS(MARK)}, {'0', '9', CLASS(DIGIT)}, {'-', '-', CLASS(DASH)},
};

static const class_range MTEVAL_REWRITES[] = {
    {'&', '&', CLASS(REWRITE)}, {'<', '<', CLASS(REWRITE)}, {'\n', '\n', CLASS(REWRITE)},
};

/* What sacreBLEU's zh tokenizer takes for Chinese. It means two blocks beyond U+FFFF but writes them
 * as strings of two characters, U+2000 "0" to U+2A6D "6" and U+2F80 "0" to U+2FA1 "d", between which
 * U+2001 to U+2A6D and U+2F81 to U+2FA1 compare: so these, dashes and arrows among them, are Chinese,
 * and nothing beyond U+FFFF is. */
static const class_range CHINESE[] = {
    {0x2001, 0x2A6D, CLASS(ALONE)}, {0x2E80, 0x2FDF, CLASS(ALONE)}, {0x2FF0, 0x303F, CLASS(ALONE)},
    {0x3100, 0x312F, CLASS(ALONE)}, {0x31A0, 0x31BF, CLASS(ALONE)}, {0x31C0, 0x31EF, CLASS(ALONE)},
    {0x3200, 0x4DB5, CLASS(ALONE)}, {0x4E00, 0x9FBB, CLASS(ALONE)}, {0xF900, 0xFA2D, CLASS(ALONE)},
    {0xFA30, 0xFA6A, CLASS(ALONE)}, {0xFA70, 0xFAD9, CLASS(ALONE)}, {0xFE10, 0xFE1F, CLASS(ALONE)},
    {0xFE30, 0xFE4F, CLASS(ALONE)}, {0xFF00, 0xFFEF, CLASS(ALONE)},
};

static const class_range EVERYTHING[] = {{0, CODE_POINTS - 1, CLASS(ALONE)}};

/* Adds a range's classes to those of one page's characters. */
static void paint(uint8_t *page, uint32_t number, class_range range)
{
    uint32_t first = number << 8, last = first + 255;
    if (range.first > last || range.last < first) return;
    if (range.first > first) first = range.first;
    if (range.last < last) last = range.last;
    for (uint32_t c = first; c <= last; c++) page[c & 255] |= range.classes;
}

#define PAINT(ranges) \
    for (size_t r = 0; r < sizeof(ranges) / sizeof((ranges)[0]); r++) paint(page, number, (ranges)[r])

/* `category` is the first Unicode range that may reach into this page or a later one. */
static void paint_page(uint8_t *page, uint32_t number, tokenizer_id tokenizer, size_t *category)
{
    memset(page, 0, 256);
    PAINT(WHITE_SPACE);
    if (tokenizer == TOKENIZE_13A || tokenizer == TOKENIZE_ZH) PAINT(MTEVAL_ASCII);
    if (tokenizer == TOKENIZE_13A) PAINT(MTEVAL_REWRITES);
    if (tokenizer == TOKENIZE_ZH) PAINT(CHINESE);
    if (tokenizer == TOKENIZE_CHAR) PAINT(EVERYTHING);
    if (tokenizer != TOKENIZE_INTL) return;
    while (*category < UNICODE_RANGES_COUNT && UNICODE_RANGES[*category].last < number << 8) ++*category;
    for (size_t r = *category; r < UNICODE_RANGES_COUNT && UNICODE_RANGES[r].first >> 8 <= number; r++) {
        class_range range = {UNICODE_RANGES[r].first, UNICODE_RANGES[r].last, CLASS(ALONE)};
        if (UNICODE_RANGES[r].kind == UNICODE_PUNCTUATION) range.classes = CLASS(MARK);
        if (UNICODE_RANGES[r].kind == UNICODE_NUMBER) range.classes = CLASS(DIGIT);
        paint(page, number, range);
    }
}

#undef PAINT

/* The classes that all characters of a range share, or MIXED. */
static uint8_t classes_of_range(const char_table *table, uint32_t first, uint32_t last)
{
    const uint8_t classes = class_of(table, first);
    uint32_t c = first;
    while (c <= last) {
        if (class_of(table, c) != classes) return CLASS(MIXED);
        /* Equal pages are stored once. */
        const int is_known =
            (c & 255) == 0 && c - first >= 256 && table->page_of[c >> 8] == table->page_of[(c >> 8) - 1];
        c += is_known ? 256 : 1;
    }
    return classes;
}

static void list_first_bytes(char_table *table)
{
    memset(table->of_byte, 0, sizeof table->of_byte);
    memcpy(table->of_byte, table->pages[table->page_of[0]], 128);
    for (uint32_t lead = 0xC2; lead < 0xF5; lead++) {
        const int bits = lead < 0xE0 ? 6 : lead < 0xF0 ? 12 : 18;
        const uint32_t own = lead & (lead < 0xE0 ? 0x1F : lead < 0xF0 ? 0x0F : 0x07);
        uint32_t first = own << bits, last = first + ((uint32_t)1 << bits) - 1;
        if (lead == 0xE0) first = 0x800;
        if (lead == 0xF0) first = 0x10000;
        if (lead == 0xF4) last = CODE_POINTS - 1;
        table->of_byte[lead] = classes_of_range(table, first, last);
    }
}

static inline int has_classes_beyond_ascii(const char_table *table)
{
    for (int lead = 0x80; lead < 256; lead++)
        if (table->of_byte[lead]) return 1;
    return 0;
}

/* Builds a tokenizer's table. Returns 0, or -1: no memory. */
static inline int build_char_table(char_table *table, tokenizer_id tokenizer)
{
    uint8_t page[256];
    uint16_t count = 0, known;
    size_t room = 0, category = 0;
    table->pages = NULL;
    for (uint32_t number = 0; number < PAGES; number++) {
        paint_page(page, number, tokenizer, &category);
        /* From the last page back: neighbors are often equal. */
        for (known = count; known > 0; known--)
            if (memcmp(table->pages[known - 1], page, 256) == 0) break;
        if (known == 0) {
            if (count == room) {
                room = room ? room * 2 : 8;
                void *grown = realloc(table->pages, room * 256);
                if (!grown) {
                    free(table->pages);
                    table->pages = NULL;
                    return -1;
                }
                table->pages = (uint8_t (*)[256])grown;
            }
            memcpy(table->pages[count], page, 256);
            known = ++count;
        }
        table->page_of[number] = (uint16_t)(known - 1);
    }
    list_first_bytes(table);
    return 0;
}
