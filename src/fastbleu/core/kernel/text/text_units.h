/* text_units.h: the characters of a text, or its words as chrF++ cuts them, as ids.
 *
 * Data. A text is a str's code points, in 1, 2 or 4 bytes each: lone surrogates and combining marks are characters
 * like all others. White space is that of str.split(), and separates words. If a word of two or more characters ends
 * in ASCII punctuation, otherwise if it begins with it, that character becomes a word of its own.
 *
 * Layout. `numbers` has an entry for each code point that a text may have: `first` plus the character's id in the
 * pair of texts that is being read. Pairs before it used numbers below `first`, so that nothing is cleared between
 * them. White space that is no character has the number NO_CHARACTER. The array takes 512 KB, or 9 MB after the first
 * character beyond U+FFFF. Loops over characters have no branches that depend on them.
 * A word is the ids of its characters, in bytes if they fit: a word of the reference with a character that the
 * hypothesis lacks equals none of the hypothesis. 15 bytes before the ids and one after them are read.
 *
 * Exactness. No hash decides: see interner.h.
 * Ownership. Everything is borrowed. Any thread may call the functions, each with tables of its own.
 * Cost: about a nanosecond a character, and ten a word.
 */
#pragma once

#include "../hashing/content_keys.h"
#include "utf8.h"

#define NO_CHARACTER INT64_MAX

typedef struct {
    int64_t *numbers;
    int64_t first;
    int32_t count; /* distinct characters of the hypothesis; a reference's other characters have this id */
} character_ids;

/* A text of the pair, and how far it was read. */
typedef struct {
    const void *characters;
    int width;             /* bytes of a character */
    const uint16_t *small; /* by which each character is lowered: see lower.h; NULL: as they are */
    int adds;              /* whether new characters and words get ids: those of the hypothesis */
    size_t size, at;
    size_t count;   /* ids written, of characters */
    size_t *spaces; /* positions of white space; NULL: not wanted */
    size_t space_count;
} text_reader;

FB_INLINE uint32_t character_at(const void *characters, const int width, size_t at)
{
    return width == 1   ? ((const uint8_t *)characters)[at]
           : width == 2 ? ((const uint16_t *)characters)[at]
                        : ((const uint32_t *)characters)[at];
}

/* Whether str.lower() lowers each character of a text by itself, to one: not \u0130, nor the capital sigma. */
static inline int lowers_one_by_one(const uint16_t *text, size_t size)
{
    int others = 0;
    for (size_t at = 0; at < size; at++) others |= (text[at] == 0x130) | (text[at] == 0x3A3);
    return !others;
}

FB_INLINE int is_ascii_punctuation(uint32_t c)
{
    return c - '!' < 94 && c - '0' > 9 && (c | 32) - 'a' > 25;
}

/* Begins an array of zeros: white space becomes no character. */
static inline void leave_out_spaces(character_ids *table)
{
    for (uint32_t c = 0; c <= 0x3000; c++)
        if (c < 0x80 ? c == ' ' || c - 0x09 < 5 || c - 0x1C < 4 : is_wide_space(c))
            table->numbers[c] = NO_CHARACTER;
}

FB_INLINE void read_some(text_reader *text, character_ids *table, size_t stop, int32_t *ids, const int width,
                         const int lowers, const int adds, const int notes)
{
    const int64_t first = table->first;
    int64_t next = first + table->count;
    size_t count = text->count, spaces = text->space_count;
    for (size_t at = text->at; at < stop; at++) {
        const uint32_t given = character_at(text->characters, width, at);
        const uint32_t c = lowers ? text->small[given] : given;
        int64_t number = table->numbers[c];
        const int is_new = number < first, is_space = number == NO_CHARACTER;
        number = is_new ? next : number;
        if (adds) {
            table->numbers[c] = number;
            next += is_new;
        }
        ids[count] = (int32_t)(number - first);
        count += !is_space;
        if (notes) {
            text->spaces[spaces] = at;
            spaces += is_space;
        }
    }
    table->count = (int32_t)(next - first);
    text->count = count;
    text->space_count = spaces;
    text->at = stop;
}

/* Reads a text up to position `stop`: writes the ids of its characters, and one more, and notes white space. */
static inline void pack_characters(text_reader *text, character_ids *table, size_t stop, int32_t *ids)
{
#define FB_CASE(width, lowers, adds, notes)                            \
    case width * 8 + lowers * 4 + adds * 2 + notes:                    \
        read_some(text, table, stop, ids, width, lowers, adds, notes); \
        break;
#define FB_CASES(width, lowers)  \
    FB_CASE(width, lowers, 0, 0) \
    FB_CASE(width, lowers, 0, 1) FB_CASE(width, lowers, 1, 0) FB_CASE(width, lowers, 1, 1)
    switch (text->width * 8 + (text->small != NULL) * 4 + (text->adds != 0) * 2 + (text->spaces != NULL)) {
        FB_CASES(1, 0) FB_CASES(1, 1) FB_CASES(2, 0) FB_CASES(2, 1) FB_CASES(4, 0)
    }
#undef FB_CASE
#undef FB_CASES
}

FB_INLINE int32_t word_id(interner *words, const uint8_t *bytes, size_t size, int adds)
{
    const token_content content = {bytes, size};
    const token_key key = content_key(content, KIND_BYTES, words->seed);
    return adds ? interner_add(words, key, content) : interner_find(words, key, content, words->count);
}

/* Writes the ids of the words between white space from number `first` to number `last` of a text that was read to
 * `size`, its end; number 0 is before the text. There is room for two a word. `ids` are those of characters, each in
 * `id_size` bytes. Returns how many words there are. */
static inline size_t pack_words(const text_reader *text, interner *words, size_t first, size_t last,
                                const uint8_t *ids, size_t id_size, int32_t *out)
{
    size_t count = 0;
    for (size_t k = first; k < last; k++) {
        const size_t start = k == 0 ? 0 : text->spaces[k - 1] + 1;
        const size_t end = k == text->space_count ? text->at : text->spaces[k], length = end - start;
        const uint8_t *word = ids + (start - k) * id_size;
        size_t cut = 0;
        if (length == 0) continue;
        if (length > 1) {
            if (is_ascii_punctuation(character_at(text->characters, text->width, end - 1))) cut = length - 1;
            else cut = (size_t)is_ascii_punctuation(character_at(text->characters, text->width, start));
        }
        if (cut) out[count++] = word_id(words, word, cut * id_size, text->adds);
        out[count++] = word_id(words, word + cut * id_size, (length - cut) * id_size, text->adds);
    }
    return count;
}
