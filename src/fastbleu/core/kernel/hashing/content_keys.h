/* content_keys.h: from a token's bytes to the 128-bit key that the interner compares.
 *
 * Content of up to 15 bytes is its own key; byte 15 holds the kind and the size. It is read with two
 * loads that end one byte after the content and begin up to 15 bytes before it; other bytes are
 * masked out. So content must lie at least 15 bytes inside its memory and have a byte after it, as it
 * does in every str and bytes object and in lines of text (text/line_reader.h). Longer content is hashed, seeded per
 * process, and compared byte by byte where hashes are equal (interner.h).
 */
#pragma once

#include "interner.h"

#define INLINE_BYTES 15

/* High byte of a key: 0x10, 0x20, 0x40 + size for a str of characters of 1, 2, 4 bytes; 0x30 + size for bytes,
 * and for a token of a line of text, which is UTF-8;
 * 0x70 for an int, 0x50 and 0x60 for one beyond 64 bits. The top bit is set for hashed content. */
#define KIND_BYTES 3u
#define KIND_LARGE_INTEGER 5u
#define KIND_LARGE_NEGATIVE 6u
#define KIND_INTEGER 7u

/* Which bytes of the two words are content, by its size: it ends one byte before the second word's end. */
/* clang-format off */
static const uint64_t LOW_CONTENT[INLINE_BYTES + 1] = {
    0, 0, 0, 0, 0, 0, 0, 0,
    0xFF00000000000000u, 0xFFFF000000000000u, 0xFFFFFF0000000000u, 0xFFFFFFFF00000000u,
    0xFFFFFFFFFF000000u, 0xFFFFFFFFFFFF0000u, 0xFFFFFFFFFFFFFF00u, 0xFFFFFFFFFFFFFFFFu,
};
static const uint64_t HIGH_CONTENT[INLINE_BYTES + 1] = {
    0,
    0x00FF000000000000u, 0x00FFFF0000000000u, 0x00FFFFFF00000000u, 0x00FFFFFFFF000000u,
    0x00FFFFFFFFFF0000u, 0x00FFFFFFFFFFFF00u, 0x00FFFFFFFFFFFFFFu, 0x00FFFFFFFFFFFFFFu,
    0x00FFFFFFFFFFFFFFu, 0x00FFFFFFFFFFFFFFu, 0x00FFFFFFFFFFFFFFu, 0x00FFFFFFFFFFFFFFu,
    0x00FFFFFFFFFFFFFFu, 0x00FFFFFFFFFFFFFFu, 0x00FFFFFFFFFFFFFFu,
};
/* clang-format on */

/* Content that lies at least 15 bytes inside its allocation and has a byte to read after it. */
FB_INLINE token_key inline_key(const unsigned char *bytes, size_t size, unsigned kind)
{
    const unsigned char *end = bytes + size + 1;
    token_key key;
    key.low = load64(end - 16) & LOW_CONTENT[size];
    key.high = (load64(end - 8) & HIGH_CONTENT[size]) | (uint64_t)(kind << 4 | size) << 56;
    return key;
}

/* The same key, without reading around the content. */
FB_INLINE token_key bounded_key(const unsigned char *bytes, size_t size, unsigned kind)
{
    token_key key = {0, (uint64_t)(kind << 4 | size) << 56};
    if (size >= 8) {
        key.low = load64(bytes) << 8 * (INLINE_BYTES - size);
        key.high |= load64(bytes + size - 8) >> 8;
        return key;
    }
    for (size_t i = 0; i < size; i++) key.high |= (uint64_t)bytes[i] << 8 * (7 - size + i);
    return key;
}

static token_key hashed_key(const unsigned char *bytes, size_t size, unsigned kind, hash_seed seed)
{
    uint64_t a = seed.first, b = seed.second;
    size_t at = 0;
    for (; at + 16 <= size; at += 16) {
        a = multiply_fold(a ^ load64(bytes + at), 0x9E3779B97F4A7C15u ^ seed.second);
        b = multiply_fold(b ^ load64(bytes + at + 8), 0xC2B2AE3D27D4EB4Fu ^ seed.first);
    }
    /* the last 16 bytes again, overlapping: size > INLINE_BYTES, so they are all content */
    a = multiply_fold(a ^ load64(bytes + size - 16), 0x9E3779B97F4A7C15u ^ seed.second);
    b = multiply_fold(b ^ load64(bytes + size - 8), 0xC2B2AE3D27D4EB4Fu ^ seed.first);
    token_key key;
    /* Contents of different sizes may give the same words; mixing in the size last keeps them apart. */
    key.low = a ^ b ^ size;
    key.high = (b & 0x00FFFFFFFFFFFFFFu) | (uint64_t)(0x80u | kind << 4) << 56;
    return key;
}

FB_INLINE token_key content_key(token_content content, unsigned kind, hash_seed seed)
{
    return content.size <= INLINE_BYTES ? inline_key(content.bytes, content.size, kind)
                                        : hashed_key(content.bytes, content.size, kind, seed);
}
