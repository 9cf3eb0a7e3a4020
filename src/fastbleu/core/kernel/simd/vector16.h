/* vector16.h: operations on 16 bytes, with SSE and with NEON, under one name.
 *
 * A boolean lane has all bits set or none. Functions are compiled for the level AVX2, or for NEON; without either
 * FB_VECTOR16 is not defined. Names end in _ and the bits of a lane, or in 16 where lanes
 * do not matter.
 *
 * Stateless functions; any thread may call them.
 */
#pragma once

#include "neon.h"

#if defined(FB_X86_64)
#  define FB_VECTOR16 FB_TARGET(FB_AVX2)
typedef __m128i vector16;
#  define FB_VECTOR16_IS(result, name, parameters, sse, neon) \
      FB_VECTOR16 FB_INLINE result name parameters            \
      {                                                       \
          return sse;                                         \
      }
#elif defined(FB_NEON)
#  define FB_VECTOR16
typedef uint8x16_t vector16;
#  define FB_VECTOR16_IS(result, name, parameters, sse, neon) \
      FB_INLINE result name parameters                        \
      {                                                       \
          return neon;                                        \
      }
#  define FB_16(v) vreinterpretq_u16_u8(v)
#  define FB_32(v) vreinterpretq_u32_u8(v)
#  define FB_8_OF_16(v) vreinterpretq_u8_u16(v)
#  define FB_8_OF_32(v) vreinterpretq_u8_u32(v)
#endif

#ifdef FB_VECTOR16

FB_VECTOR16
FB_INLINE void store16(void *to, vector16 v)
{
#  if defined(FB_NEON)
    vst1q_u8((uint8_t *)to, v);
#  else
    _mm_storeu_si128((__m128i *)to, v);
#  endif
}

/* clang-format off */
FB_VECTOR16_IS(vector16, load16, (const void *from), _mm_loadu_si128((const __m128i *)from), vld1q_u8((const uint8_t *)from))
FB_VECTOR16_IS(vector16, and16, (vector16 a, vector16 b), _mm_and_si128(a, b), vandq_u8(a, b))
FB_VECTOR16_IS(vector16, or16, (vector16 a, vector16 b), _mm_or_si128(a, b), vorrq_u8(a, b))
/* `a` where `is` is set, `b` elsewhere. */
FB_VECTOR16_IS(vector16, choose16, (vector16 is, vector16 a, vector16 b), _mm_blendv_epi8(b, a, is), vbslq_u8(is, a, b))
/* The bytes at these places; 0 where the top bit is set. */
FB_VECTOR16_IS(vector16, look_up16, (vector16 v, vector16 places), _mm_shuffle_epi8(v, places), vqtbl1q_u8(v, places))
FB_VECTOR16_IS(int, has_top_bits16, (vector16 v), _mm_movemask_epi8(v) != 0, vmaxvq_u8(v) >= 0x80)
/* Whether any of these bits is set. */
FB_VECTOR16_IS(int, has_bits16, (vector16 v, vector16 bits), !_mm_testz_si128(v, bits), vmaxvq_u8(vandq_u8(v, bits)) != 0)

FB_VECTOR16_IS(vector16, repeat_16, (int n), _mm_set1_epi16((short)n), FB_8_OF_16(vdupq_n_u16((uint16_t)n)))
FB_VECTOR16_IS(vector16, subtract_16, (vector16 a, vector16 b), _mm_sub_epi16(a, b), FB_8_OF_16(vsubq_u16(FB_16(a), FB_16(b))))
FB_VECTOR16_IS(vector16, least_16, (vector16 a, vector16 b), _mm_min_epu16(a, b), FB_8_OF_16(vminq_u16(FB_16(a), FB_16(b))))
FB_VECTOR16_IS(vector16, equal_16, (vector16 a, vector16 b), _mm_cmpeq_epi16(a, b), FB_8_OF_16(vceqq_u16(FB_16(a), FB_16(b))))
/* For numbers below 2**15. */
FB_VECTOR16_IS(vector16, greater_16, (vector16 a, vector16 b), _mm_cmpgt_epi16(a, b), FB_8_OF_16(vcgtq_u16(FB_16(a), FB_16(b))))
FB_VECTOR16_IS(vector16, shift_left_16, (vector16 v, const int n), _mm_slli_epi16(v, n), FB_8_OF_16(vshlq_u16(FB_16(v), vdupq_n_s16((int16_t)n))))
FB_VECTOR16_IS(vector16, shift_right_16, (vector16 v, const int n), _mm_srli_epi16(v, n), FB_8_OF_16(vshlq_u16(FB_16(v), vdupq_n_s16((int16_t)-n))))
/* One bit for each lane. */
FB_VECTOR16_IS(unsigned, mask_of_16, (vector16 is), (unsigned)_mm_movemask_epi8(_mm_packs_epi16(is, _mm_setzero_si128())), mask_of_8_lanes_neon(is))
/* Eight bytes, each in 16 bits; four numbers of 16 bits, each in 32. */
FB_VECTOR16_IS(vector16, widen_8, (const uint8_t *from), _mm_cvtepu8_epi16(_mm_loadl_epi64((const __m128i *)from)), FB_8_OF_16(vmovl_u8(vld1_u8(from))))
FB_VECTOR16_IS(vector16, low_to_32, (vector16 v), _mm_cvtepu16_epi32(v), FB_8_OF_32(vmovl_u16(vget_low_u16(FB_16(v)))))
FB_VECTOR16_IS(vector16, high_to_32, (vector16 v), _mm_cvtepu16_epi32(_mm_srli_si128(v, 8)), FB_8_OF_32(vmovl_u16(vget_high_u16(FB_16(v)))))

FB_VECTOR16_IS(vector16, repeat_32, (int n), _mm_set1_epi32(n), FB_8_OF_32(vdupq_n_u32((uint32_t)n)))
/* For numbers below 2**31. */
FB_VECTOR16_IS(vector16, greater_32, (vector16 a, vector16 b), _mm_cmpgt_epi32(a, b), FB_8_OF_32(vcgtq_u32(FB_32(a), FB_32(b))))
FB_VECTOR16_IS(vector16, shift_left_32, (vector16 v, const int n), _mm_slli_epi32(v, n), FB_8_OF_32(vshlq_u32(FB_32(v), vdupq_n_s32(n))))
FB_VECTOR16_IS(vector16, shift_right_32, (vector16 v, const int n), _mm_srli_epi32(v, n), FB_8_OF_32(vshlq_u32(FB_32(v), vdupq_n_s32(-n))))
FB_VECTOR16_IS(unsigned, mask_of_32, (vector16 is), (unsigned)_mm_movemask_ps(_mm_castsi128_ps(is)), mask_of_4_lanes_neon(is))
/* clang-format on */
#  undef FB_VECTOR16_IS
#endif
