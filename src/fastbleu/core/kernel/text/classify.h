/* classify.h: 64 bytes of a line in, one 64-bit mask per character class out.
 *
 * Bit i of mask k says whether byte i is of class k (char_classes.h). Positions after the end of
 * the line are SPACE, so that no rule needs to know where the line ends. utf8_classes.h adds the classes of
 * characters beyond ASCII.
 *
 * Each step exists portably and for AVX2, AVX-512 with VBMI2, and NEON; all give the same masks. A block at the end of
 * a line is never read beyond it: AVX-512 masks its loads, the other steps copy it. Stateless functions:
 * any thread may call them.
 */
#pragma once

#include "../simd/neon.h"
#include "char_classes.h"

#define BLOCK 64

typedef struct { uint64_t of[CLASSES]; } class_masks;

/* Masks of `count` <= 64 bytes: of the TABLED classes, which `table` tells, and of HIGH and INNER. */
typedef void (*byte_classifier)(const uint8_t table[256], const uint8_t *bytes, size_t count,
                                class_masks *masks);
/* Writes `start` plus the number of each set bit of a mask, in ascending order; returns how many. There is room
 * for BLOCK, and any of it may be overwritten. */
typedef int (*bit_locator)(uint64_t mask, size_t start, uint16_t *positions);

typedef struct {
    byte_classifier classify_bytes;
    bit_locator locate;
} classifier;

/* The lowest bits of the 8 bytes of a word, as 8 bits. */
FB_INLINE uint64_t gather_bits(uint64_t bytes)
{
    return ((bytes & 0x0101010101010101u) * 0x0102040810204080u) >> 56;
}

/* The block that begins at `bytes`; if it has fewer than BLOCK of them, a copy padded with spaces. */
FB_INLINE const uint8_t *whole_bytes(const uint8_t *bytes, size_t count, uint8_t padded[BLOCK])
{
    if (count >= BLOCK) return bytes;
    memset(padded, ' ', BLOCK);
    return (const uint8_t *)memcpy(padded, bytes, count);
}

static inline void classify_bytes_portable(const uint8_t table[256], const uint8_t *bytes, size_t count,
                                           class_masks *masks)
{
    uint8_t classes[BLOCK], padded[BLOCK];
    memset(masks, 0, sizeof *masks);
    bytes = whole_bytes(bytes, count, padded);
    for (int i = 0; i < BLOCK; i++) classes[i] = table[bytes[i]];
    for (int i = 0; i < BLOCK; i += 8) {
        const uint64_t word = load64(classes + i), high = load64(bytes + i) >> 7;
        for (int k = SPACE; k < TABLED; k++) masks->of[k] |= gather_bits(word >> k) << i;
        masks->of[HIGH] |= gather_bits(high) << i;
        masks->of[INNER] |= gather_bits(high & ~(load64(bytes + i) >> 6)) << i;
    }
}

static inline int locate_portable(uint64_t mask, size_t start, uint16_t *positions)
{
    int count = 0;
    for (; mask; mask &= mask - 1) positions[count++] = (uint16_t)(start + (size_t)lowest_bit(mask));
    return count;
}

#ifdef FB_X86_64

/* Classes of 32 bytes. pshufb looks up 16 entries; each row of the table is one look-up, which adding
 * 0x70 with saturation turns off (high bit set: zero) for the bytes that belong to other rows. */
FB_TARGET(FB_AVX2)
static inline __m256i look_up_avx2(const uint8_t *table, __m256i bytes)
{
    const __m256i limit = _mm256_set1_epi8(0x70);
    __m256i classes = _mm256_setzero_si256();
    const int rows = _mm256_movemask_epi8(bytes) ? 16 : 8;
    for (int row = 0; row < rows; row++) {
        const __m256i entries =
            _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(table + row * 16)));
        const __m256i index =
            _mm256_adds_epu8(_mm256_xor_si256(bytes, _mm256_set1_epi8((char)(row << 4))), limit);
        classes = _mm256_or_si256(classes, _mm256_shuffle_epi8(entries, index));
    }
    return classes;
}

/* The highest bits of 64 bytes. */
FB_TARGET(FB_AVX2)
FB_INLINE uint64_t top_bits_avx2(__m256i low, __m256i high)
{
    return (uint64_t)(uint32_t)_mm256_movemask_epi8(low)
           | (uint64_t)(uint32_t)_mm256_movemask_epi8(high) << 32;
}

FB_TARGET(FB_AVX2)
static inline void classify_bytes_avx2(const uint8_t table[256], const uint8_t *bytes, size_t count,
                                       class_masks *masks)
{
    uint8_t padded[BLOCK];
    bytes = whole_bytes(bytes, count, padded);
    const __m256i one = _mm256_loadu_si256((const __m256i *)bytes);
    const __m256i two = _mm256_loadu_si256((const __m256i *)(bytes + 32));
    const __m256i low = look_up_avx2(table, one), high = look_up_avx2(table, two);
    for (int k = SPACE; k < TABLED; k++)      /* class bit k to the top of its byte */
        masks->of[k] = top_bits_avx2(_mm256_sll_epi16(low, _mm_cvtsi32_si128(7 - k)),
                                     _mm256_sll_epi16(high, _mm_cvtsi32_si128(7 - k)));
    masks->of[HIGH] = top_bits_avx2(one, two);
    masks->of[INNER] = masks->of[HIGH] & ~top_bits_avx2(_mm256_slli_epi16(one, 1), _mm256_slli_epi16(two, 1));
}

/* Eight at a time, whether they are there or not: a branch for each bit would be mispredicted. */
FB_TARGET(FB_AVX2)
static inline int locate_avx2(uint64_t mask, size_t start, uint16_t *positions)
{
    const int count = (int)_mm_popcnt_u64(mask);
    for (; mask; positions += 8)
        for (int i = 0; i < 8; i++) {
            positions[i] = (uint16_t)(start + _tzcnt_u64(mask));
            mask &= mask - 1;
        }
    return count;
}

/* 32 bytes are as fast as 64 without VBMI2. */
#  define classify_bytes_avx512 classify_bytes_avx2
#  define locate_avx512 locate_avx2

FB_TARGET(FB_VBMI2)
static inline void classify_bytes_vbmi2(const uint8_t table[256], const uint8_t *bytes, size_t count,
                                        class_masks *masks)
{
    const __mmask64 inside = ~(uint64_t)0 >> (BLOCK - count);
    const __m512i block = _mm512_mask_loadu_epi8(_mm512_set1_epi8(' '), inside, bytes);
    /* Looks up both halves of the table, because a branch would depend on the text. */
    const __m512i low =
        _mm512_permutex2var_epi8(_mm512_loadu_si512(table), block, _mm512_loadu_si512(table + 64));
    const __m512i high =
        _mm512_permutex2var_epi8(_mm512_loadu_si512(table + 128), block, _mm512_loadu_si512(table + 192));
    masks->of[HIGH] = _mm512_movepi8_mask(block);
    masks->of[INNER] = _mm512_cmplt_epi8_mask(block, _mm512_set1_epi8((char)0xC0));
    const __m512i classes = _mm512_mask_mov_epi8(low, masks->of[HIGH], high);
    for (int k = SPACE; k < TABLED; k++)
        masks->of[k] = _mm512_test_epi8_mask(classes, _mm512_set1_epi8((char)CLASS(k)));
}

FB_TARGET(FB_VBMI2)
static inline int locate_vbmi2(uint64_t mask, size_t start, uint16_t *positions)
{
    /* clang-format off */
    static const uint8_t numbers[BLOCK] = {
        0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26,
        27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51,
        52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63,
    };
    /* clang-format on */
    const int count = (int)_mm_popcnt_u64(mask);
    const __m512i found = _mm512_maskz_compress_epi8(mask, _mm512_loadu_si512(numbers));
    const __m512i starts = _mm512_set1_epi16((short)start);
    const __m512i first = _mm512_cvtepu8_epi16(_mm512_castsi512_si256(found));
    _mm512_storeu_si512(positions, _mm512_add_epi16(first, starts));
    if (count > 32) {
        const __m512i second = _mm512_cvtepu8_epi16(_mm512_extracti64x4_epi64(found, 1));
        _mm512_storeu_si512(positions + 32, _mm512_add_epi16(second, starts));
    }
    return count;
}

#endif /* FB_X86_64 */

#ifdef FB_NEON

/* A look-up has 64 entries; the table takes four. An index out of range leaves the lane unchanged. */
static inline void classify_bytes_neon(const uint8_t table[256], const uint8_t *bytes, size_t count,
                                       class_masks *masks)
{
    uint8_t padded[BLOCK];
    bytes = whole_bytes(bytes, count, padded);
    const uint8x16x4_t block = load_block_neon(bytes);
    const uint8x16_t all =
        vorrq_u8(vorrq_u8(block.val[0], block.val[1]), vorrq_u8(block.val[2], block.val[3]));
    const int entries = vmaxvq_u8(all) < 0x80 ? 128 : 256;
    uint8x16x4_t classes, found;
    for (int v = 0; v < 4; v++) classes.val[v] = vdupq_n_u8(0);
    for (int first = 0; first < entries; first += 64) {
        const uint8x16x4_t part = load_block_neon(table + first);
        for (int v = 0; v < 4; v++) {
            const uint8x16_t index = veorq_u8(block.val[v], vdupq_n_u8((uint8_t)first));
            classes.val[v] = vqtbx4q_u8(classes.val[v], part, index);
        }
    }
    for (int k = SPACE; k < TABLED; k++) {
        for (int v = 0; v < 4; v++) found.val[v] = vtstq_u8(classes.val[v], vdupq_n_u8(CLASS(k)));
        masks->of[k] = mask_of_64_neon(found);
    }
    for (int v = 0; v < 4; v++) found.val[v] = vcgeq_u8(block.val[v], vdupq_n_u8(0x80));
    masks->of[HIGH] = mask_of_64_neon(found);
    for (int v = 0; v < 4; v++) found.val[v] = vcgeq_u8(block.val[v], vdupq_n_u8(0xC0));
    masks->of[INNER] = masks->of[HIGH] & ~mask_of_64_neon(found);
}

/* Eight at a time, as with AVX2. */
static inline int locate_neon(uint64_t mask, size_t start, uint16_t *positions)
{
    const int count = vaddv_u8(vcnt_u8(vcreate_u8(mask)));
    for (; mask; positions += 8)
        for (int i = 0; i < 8; i++) {
            positions[i] = (uint16_t)(start + (size_t)lowest_bit(mask | (uint64_t)1 << 63));
            mask &= mask - 1;
        }
    return count;
}

#endif /* FB_NEON */

FB_INLINE classifier classifier_for(simd_level level)
{
    const classifier chosen = {FB_OF_TEXT_LEVEL(level, classify_bytes), FB_OF_TEXT_LEVEL(level, locate)};
    return chosen;
}
