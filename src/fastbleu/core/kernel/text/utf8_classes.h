/* utf8_classes.h: the classes of characters beyond ASCII in a block of UTF-8.
 *
 * A block is 64 bytes, of which only whole characters count: 61 to 64, so that no partial character is
 * carried to the next one. classify.h tells the classes of ASCII and those that all characters with the same
 * first byte share; others are looked up one by one, here. Then a character's classes are put on all of its
 * bytes, so that rules about neighbors stay shifts of masks.
 *
 * White space beyond ASCII must have become tabs before. Nothing is read after a block. Stateless functions: any
 * thread may call them. Cost: some ten operations a block, and as many for each character that is looked up.
 */
#pragma once

#include "classify.h"

/* The UTF-8 character at `bytes`, all of which are there. */
FB_INLINE uint32_t utf8_character(const uint8_t *bytes)
{
    const uint32_t lead = bytes[0], second = bytes[1] & 0x3F, third = bytes[2] & 0x3F;
    if (FB_UNLIKELY(lead >= 0xF0)) {
        const uint32_t c = (lead & 7) << 18 | second << 12 | third << 6 | (bytes[3] & 0x3F);
        return c < CODE_POINTS ? c : 0; /* another thread may write to the bytes */
    }
    /* No branch: characters of two and of three bytes alternate. */
    const uint32_t of_two = (lead & 0x1F) << 6 | second, of_three = (lead & 0x0F) << 12 | second << 6 | third;
    return lead < 0xE0 ? of_two : of_three;
}

/* Bits from `start` to `end` - 1, both 0 to 64. */
FB_INLINE uint64_t bits_between(size_t start, size_t end)
{
    return (end < BLOCK ? ((uint64_t)1 << end) - 1 : ~(uint64_t)0)
           & (start < BLOCK ? ~(uint64_t)0 << start : 0);
}

/* Copies the bits of first bytes to all bytes of their characters; on_earlier_bytes does so for last bytes. */
FB_INLINE uint64_t on_later_bytes(uint64_t bits, uint64_t inner)
{
    bits |= bits << 1 & inner;
    bits |= bits << 1 & inner;
    return bits | (bits << 1 & inner);
}

FB_INLINE uint64_t on_earlier_bytes(uint64_t bits, uint64_t inner)
{
    bits |= (bits & inner) >> 1;
    bits |= (bits & inner) >> 1;
    return bits | (bits & inner) >> 1;
}

/* How many of 64 bytes of UTF-8 belong to a character that ends after them. */
FB_INLINE size_t bytes_cut_off(const uint8_t *block)
{
    return (size_t)(block[63] >= 0xC0) + 2 * (size_t)(block[62] >= 0xE0) + 3 * (size_t)(block[61] >= 0xF0);
}

/* Adds the classes of the characters beyond ASCII in a block of UTF-8; bits of `inside`: bytes that count. */
static void add_utf8_classes(const char_table *table, const uint8_t *block, uint64_t inside,
                             class_masks *masks)
{
    const uint64_t inner = masks->of[INNER], leads = masks->of[HIGH] & ~inner & inside;
    uint64_t mixed = masks->of[MIXED] & leads, alone = masks->of[ALONE] & leads;
    uint64_t mark = masks->of[MARK] & leads, digit = masks->of[DIGIT] & leads;
    uint8_t end[8] = {0}; /* of the block, after which nothing is read */
    memcpy(end, block + BLOCK - 4, 4);
    masks->of[REWRITE] &= ~masks->of[HIGH];
    for (; mixed; mixed &= mixed - 1) {
        const int i = lowest_bit(mixed);
        const uint8_t *bytes = i < BLOCK - 4 ? block + i : end + (i - (BLOCK - 4));
        const uint64_t classes = class_of(table, utf8_character(bytes));
        alone |= (classes >> ALONE & 1) << i;
        mark |= (classes >> MARK & 1) << i;
        digit |= (classes >> DIGIT & 1) << i;
    }
    masks->of[ALONE] |= on_later_bytes(alone, inner);
    if (mark | digit) {
        masks->of[MARK] |= on_later_bytes(mark, inner);
        masks->of[DIGIT] |= on_later_bytes(digit, inner);
    }
}
