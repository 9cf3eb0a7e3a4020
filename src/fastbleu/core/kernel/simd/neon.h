/* neon.h: operations for which NEON, unlike AVX2, has no single instruction.
 *
 * Data. Bytes in the lanes of one vector, or of four, which are a block of 64. A boolean lane
 * is 0 or 0xFF, as comparisons return it; the bits of a mask are the lanes, the first one lowest.
 *
 * Stateless functions; any thread may call them. Cost: a mask takes one AND per vector, and three steps of
 * adding neighbors.
 */
#pragma once

#include "platform.h"

#ifdef FB_NEON

FB_INLINE uint8x16x4_t load_block_neon(const uint8_t bytes[64])
{
    const uint8x16x4_t block = {
        {vld1q_u8(bytes), vld1q_u8(bytes + 16), vld1q_u8(bytes + 32), vld1q_u8(bytes + 48)}};
    return block;
}

/* One bit of each lane that is 0xFF: the bit of its position among eight. */
FB_INLINE uint8x16_t own_bits_neon(uint8x16_t lanes)
{
    return vandq_u8(lanes, vreinterpretq_u8_u64(vdupq_n_u64(0x8040201008040201u)));
}

FB_INLINE uint64_t mask_of_64_neon(uint8x16x4_t lanes)
{
    const uint8x16_t low = vpaddq_u8(own_bits_neon(lanes.val[0]), own_bits_neon(lanes.val[1]));
    const uint8x16_t high = vpaddq_u8(own_bits_neon(lanes.val[2]), own_bits_neon(lanes.val[3]));
    const uint8x16_t pairs = vpaddq_u8(low, high);
    return vgetq_lane_u64(vreinterpretq_u64_u8(vpaddq_u8(pairs, pairs)), 0);
}

FB_INLINE uint32_t mask_of_8_lanes_neon(uint8x16_t lanes)
{
    const uint16x8_t own = {1, 2, 4, 8, 16, 32, 64, 128};
    return vaddvq_u16(vandq_u16(vreinterpretq_u16_u8(lanes), own));
}

FB_INLINE uint32_t mask_of_4_lanes_neon(uint8x16_t lanes)
{
    const uint32x4_t own = {1, 2, 4, 8};
    return vaddvq_u32(vandq_u32(vreinterpretq_u32_u8(lanes), own));
}

#endif /* FB_NEON */
