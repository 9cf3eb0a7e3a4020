/* words.h: vectors of 64-bit words, with AVX2, AVX-512 and NEON.
 *
 * match_loops.h and compare_loops.h are written once and included for each of these levels, where V(name) is
 * name_avx2, name_avx512 or name_neon: the type `words`, its LANES, the UNIT of vectors that are worth a loop, and
 * the operations below. The first lane is the lowest bit of a mask of lanes.
 *
 * Stateless functions; any thread may call them.
 */
#pragma once

#include "neon.h"

/* clang-format off */
#if defined(FB_X86_64)
typedef __m256i words_avx2;
typedef __m512i words_avx512;
#  define TARGET_avx2 FB_TARGET(FB_AVX2)
#  define TARGET_avx512 FB_TARGET(FB_AVX512)
enum { LANES_avx2 = 4, LANES_avx512 = 8, UNIT_avx2 = 1, UNIT_avx512 = 1 };

#  define FB_AVX2_IS(result, name, parameters, value) TARGET_avx2 FB_INLINE result name##_avx2 parameters { return value; }
FB_AVX2_IS(__m256i, load, (const uint64_t *from), _mm256_loadu_si256((const __m256i *)from))
FB_AVX2_IS(__m256i, repeat, (uint64_t word), _mm256_set1_epi64x((int64_t)word))
FB_AVX2_IS(__m256i, bits_and, (__m256i a, __m256i b), _mm256_and_si256(a, b))
FB_AVX2_IS(__m256i, bits_and_not, (__m256i a, __m256i b), _mm256_andnot_si256(a, b)) /* bits of b that a lacks */
FB_AVX2_IS(__m256i, bits_or, (__m256i a, __m256i b), _mm256_or_si256(a, b))
FB_AVX2_IS(__m256i, add, (__m256i a, __m256i b), _mm256_add_epi64(a, b))
FB_AVX2_IS(__m256i, shift_left, (__m256i v, int n), _mm256_sll_epi64(v, _mm_cvtsi32_si128(n)))
FB_AVX2_IS(__m256i, shift_right, (__m256i v, int n), _mm256_srl_epi64(v, _mm_cvtsi32_si128(n)))
FB_AVX2_IS(int, is_zero, (__m256i v), _mm256_testz_si256(v, v))
FB_AVX2_IS(__m256i, sums_of_bytes, (__m256i v), _mm256_sad_epu8(v, _mm256_setzero_si256()))
FB_AVX2_IS(__m256i, add_bytes, (__m256i a, __m256i b), _mm256_add_epi8(a, b))
FB_AVX2_IS(unsigned, greater, (__m256i a, __m256i b), (unsigned)_mm256_movemask_pd(_mm256_castsi256_pd(_mm256_cmpgt_epi64(a, b))))

#  define FB_AVX512_IS(result, name, parameters, value) TARGET_avx512 FB_INLINE result name##_avx512 parameters { return value; }
FB_AVX512_IS(__m512i, load, (const uint64_t *from), _mm512_loadu_si512(from))
FB_AVX512_IS(__m512i, repeat, (uint64_t word), _mm512_set1_epi64((int64_t)word))
FB_AVX512_IS(__m512i, bits_and, (__m512i a, __m512i b), _mm512_and_si512(a, b))
FB_AVX512_IS(__m512i, bits_and_not, (__m512i a, __m512i b), _mm512_andnot_si512(a, b))
FB_AVX512_IS(__m512i, bits_or, (__m512i a, __m512i b), _mm512_or_si512(a, b))
FB_AVX512_IS(__m512i, add, (__m512i a, __m512i b), _mm512_add_epi64(a, b))
FB_AVX512_IS(__m512i, shift_left, (__m512i v, int n), _mm512_sll_epi64(v, _mm_cvtsi32_si128(n)))
FB_AVX512_IS(__m512i, shift_right, (__m512i v, int n), _mm512_srl_epi64(v, _mm_cvtsi32_si128(n)))
FB_AVX512_IS(int, is_zero, (__m512i v), !_mm512_test_epi64_mask(v, v))
FB_AVX512_IS(__m512i, sums_of_bytes, (__m512i v), _mm512_sad_epu8(v, _mm512_setzero_si512()))
FB_AVX512_IS(__m512i, add_bytes, (__m512i a, __m512i b), _mm512_add_epi8(a, b))
FB_AVX512_IS(unsigned, greater, (__m512i a, __m512i b), _mm512_cmpgt_epi64_mask(a, b))

/* Adds `bit` to the words in lanes where a equals b and, if `wide`, c equals d. */
TARGET_avx2
FB_INLINE __m256i add_equal_avx2(__m256i v, __m256i bit, __m256i a, __m256i b, const int wide, __m256i c, __m256i d)
{
    __m256i equal = _mm256_cmpeq_epi64(a, b);
    if (wide) equal = _mm256_and_si256(equal, _mm256_cmpeq_epi64(c, d));
    return _mm256_or_si256(v, _mm256_and_si256(equal, bit));
}

TARGET_avx512
FB_INLINE __m512i add_equal_avx512(__m512i v, __m512i bit, __m512i a, __m512i b, const int wide, __m512i c, __m512i d)
{
    __mmask8 equal = _mm512_cmpeq_epi64_mask(a, b);
    if (wide) equal = _mm512_mask_cmpeq_epi64_mask(equal, c, d);
    return _mm512_mask_or_epi64(v, equal, v, bit);
}

/* How many bits are set in each byte. */
TARGET_avx2
FB_INLINE __m256i bits_of_bytes_avx2(__m256i v)
{
    const __m256i half = _mm256_set1_epi8(0x0F);
    const __m256i counts = _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4));
    const __m256i low = _mm256_shuffle_epi8(counts, _mm256_and_si256(v, half));
    return _mm256_add_epi8(low, _mm256_shuffle_epi8(counts, _mm256_and_si256(_mm256_srli_epi16(v, 4), half)));
}

TARGET_avx512
FB_INLINE __m512i bits_of_bytes_avx512(__m512i v)
{
    const __m512i half = _mm512_set1_epi8(0x0F);
    const __m512i counts = _mm512_broadcast_i32x4(_mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4));
    const __m512i low = _mm512_shuffle_epi8(counts, _mm512_and_si512(v, half));
    return _mm512_add_epi8(low, _mm512_shuffle_epi8(counts, _mm512_and_si512(_mm512_srli_epi16(v, 4), half)));
}

/* Which of 64 bytes equal `byte`. */
TARGET_avx2
FB_INLINE uint64_t equal_bytes_avx2(const uint8_t *bytes, uint8_t byte)
{
    const __m256i same = _mm256_set1_epi8((char)byte);
    const __m256i low = _mm256_cmpeq_epi8(same, _mm256_loadu_si256((const __m256i *)bytes));
    const __m256i high = _mm256_cmpeq_epi8(same, _mm256_loadu_si256((const __m256i *)(bytes + 32)));
    return (uint32_t)_mm256_movemask_epi8(low) | (uint64_t)(uint32_t)_mm256_movemask_epi8(high) << 32;
}

TARGET_avx512
FB_INLINE uint64_t equal_bytes_avx512(const uint8_t *bytes, uint8_t byte)
{
    return _mm512_cmpeq_epi8_mask(_mm512_set1_epi8((char)byte), _mm512_loadu_si512(bytes));
}

TARGET_avx2
FB_INLINE void store_avx2(uint64_t *to, __m256i v)
{
    _mm256_storeu_si256((__m256i *)to, v);
}

TARGET_avx512
FB_INLINE void store_avx512(uint64_t *to, __m512i v)
{
    _mm512_storeu_si512(to, v);
}

#elif defined(FB_NEON)
typedef uint64x2_t words_neon;
#  define TARGET_neon
enum { LANES_neon = 2, UNIT_neon = 2 };

#  define FB_NEON_IS(result, name, parameters, value) FB_INLINE result name##_neon parameters { return value; }
#  define FB_BYTES(v) vreinterpretq_u8_u64(v)
#  define FB_OF_BYTES(v) vreinterpretq_u64_u8(v)
FB_NEON_IS(uint64x2_t, load, (const uint64_t *from), vld1q_u64(from))
FB_NEON_IS(void, store, (uint64_t *to, uint64x2_t v), vst1q_u64(to, v))
FB_NEON_IS(uint64x2_t, repeat, (uint64_t word), vdupq_n_u64(word))
FB_NEON_IS(uint64x2_t, bits_and, (uint64x2_t a, uint64x2_t b), vandq_u64(a, b))
FB_NEON_IS(uint64x2_t, bits_and_not, (uint64x2_t a, uint64x2_t b), vbicq_u64(b, a))
FB_NEON_IS(uint64x2_t, bits_or, (uint64x2_t a, uint64x2_t b), vorrq_u64(a, b))
FB_NEON_IS(uint64x2_t, add, (uint64x2_t a, uint64x2_t b), vaddq_u64(a, b))
FB_NEON_IS(uint64x2_t, shift_left, (uint64x2_t v, int n), vshlq_u64(v, vdupq_n_s64(n)))
FB_NEON_IS(uint64x2_t, shift_right, (uint64x2_t v, int n), vshlq_u64(v, vdupq_n_s64(-n)))
FB_NEON_IS(int, is_zero, (uint64x2_t v), !(vgetq_lane_u64(v, 0) | vgetq_lane_u64(v, 1)))
FB_NEON_IS(uint64x2_t, bits_of_bytes, (uint64x2_t v), FB_OF_BYTES(vcntq_u8(FB_BYTES(v))))
FB_NEON_IS(uint64x2_t, sums_of_bytes, (uint64x2_t v), vpaddlq_u32(vpaddlq_u16(vpaddlq_u8(FB_BYTES(v)))))
FB_NEON_IS(uint64x2_t, add_bytes, (uint64x2_t a, uint64x2_t b), FB_OF_BYTES(vaddq_u8(FB_BYTES(a), FB_BYTES(b))))

FB_INLINE uint64_t equal_bytes_neon(const uint8_t *bytes, uint8_t byte)
{
    uint8x16x4_t block = load_block_neon(bytes);
    for (int v = 0; v < 4; v++) block.val[v] = vceqq_u8(block.val[v], vdupq_n_u8(byte));
    return mask_of_64_neon(block);
}

FB_INLINE unsigned greater_neon(uint64x2_t a, uint64x2_t b)
{
    const uint64x2_t is = vcgtq_u64(a, b);
    return (unsigned)((vgetq_lane_u64(is, 0) & 1) | (vgetq_lane_u64(is, 1) & 2));
}

/* Bits are added from the last to the first, so that shifting what is there makes room for the next. */
FB_INLINE uint64x2_t add_equal_neon(uint64x2_t v, uint64x2_t bit, uint64x2_t a, uint64x2_t b, const int wide, uint64x2_t c, uint64x2_t d)
{
    uint64x2_t equal = vceqq_u64(a, b);
    (void)bit;
    if (wide) equal = vandq_u64(equal, vceqq_u64(c, d));
    return vsliq_n_u64(equal, v, 1);
}
#endif
/* clang-format on */
