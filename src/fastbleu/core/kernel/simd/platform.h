/* platform.h: differences between compilers and processors.
 *
 * The portable path is plain C99 and always built. On x86-64 three more paths are built beside it with
 * per-function target attributes (never -march=native) and chosen at run time by simd_supported().
 * On AArch64 there is one more, with NEON, which every such processor has; tests/levels.sh compares its
 * results under emulation; its speed has not been measured. Scans of UTF-8 (utf8.h), rows of ids (id_rows.h)
 * and keys of words (word_keys.h) are portable there.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(_MSC_VER)
#  include <intrin.h>
#endif
#if defined(_MSC_VER) && !defined(__clang__)
#  define FB_INLINE static __forceinline
#  define FB_LIKELY(condition) (condition)
#  define FB_UNLIKELY(condition) (condition)
#  define FB_PREFETCH(address) ((void)(address))
#else
#  define FB_INLINE static inline __attribute__((always_inline))
#  define FB_LIKELY(condition) __builtin_expect(!!(condition), 1)
#  define FB_UNLIKELY(condition) __builtin_expect(!!(condition), 0)
#  define FB_PREFETCH(address) __builtin_prefetch(address)
#endif

#if (defined(__x86_64__) || defined(_M_X64)) && !defined(FASTBLEU_PORTABLE)
#  define FB_X86_64 1
#  include <immintrin.h>
/* Up to clang 19, which in this mode declares only what is enabled for the whole file. */
#  if defined(_MSC_VER) && defined(__clang__)
#    include <tmmintrin.h>
#    include <smmintrin.h>
#    include <popcntintrin.h>
#    include <xsaveintrin.h>
#    include <bmiintrin.h>
#    include <avxintrin.h>
#    include <avx2intrin.h>
#    include <avx512fintrin.h>
#    include <avx512bwintrin.h>
#    include <avx512vbmiintrin.h>
#    include <avx512vbmi2intrin.h>
#  endif
#endif

#if defined(__aarch64__) && defined(__ARM_NEON) && !defined(__AARCH64EB__) && !defined(FASTBLEU_PORTABLE)
#  define FB_NEON 1
#  include <arm_neon.h>
#endif

/* The instruction sets of a level of x86-64, with the register and the bit of cpuid: all its functions are compiled
 * with them, and simd_supported() asks for each, because virtual machines may hide any of them. */
#define FB_AVX2_SETS(set, and)                                                                       \
    set("sse3", leaf1[2], 0) and set("ssse3", leaf1[2], 9) and set("sse4.1", leaf1[2], 19)           \
        and set("sse4.2", leaf1[2], 20) and set("popcnt", leaf1[2], 23) and set("avx", leaf1[2], 28) \
        and set("bmi", leaf7[1], 3) and set("avx2", leaf7[1], 5)
#define FB_AVX512_SETS(set, and) \
    FB_AVX2_SETS(set, and) and set("avx512f", leaf7[1], 16) and set("avx512bw", leaf7[1], 30)
#define FB_VBMI2_SETS(set, and) \
    FB_AVX512_SETS(set, and) and set("avx512vbmi", leaf7[2], 1) and set("avx512vbmi2", leaf7[2], 6)
#define FB_NAME(name, leaf, bit) name
#define FB_AVX2 FB_AVX2_SETS(FB_NAME, ",")
#define FB_AVX512 FB_AVX512_SETS(FB_NAME, ",")
#define FB_VBMI2 FB_VBMI2_SETS(FB_NAME, ",")

#if defined(FB_X86_64) && (defined(__GNUC__) || defined(__clang__))
#  define FB_TARGET(features) __attribute__((target(features)))
#else
#  define FB_TARGET(features)
#endif

/* A processor that supports a level supports the levels before it. */
#ifdef FB_NEON
typedef enum { SIMD_PORTABLE = 0, SIMD_NEON = 1 } simd_level;
#  define SIMD_NAMES "portable neon"
#else
typedef enum { SIMD_PORTABLE = 0, SIMD_AVX2 = 1, SIMD_AVX512 = 2, SIMD_VBMI2 = 3 } simd_level;
#  define SIMD_NAMES "portable avx2 avx512 avx512vbmi2"
#endif

/* The function of a level, out of NAME_portable, NAME_avx2 and so on; only bytes of text are read differently with
 * VBMI2 (FB_OF_TEXT_LEVEL). */
#if defined(FB_NEON)
#  define FB_OF_LEVEL(level, name) ((level) == SIMD_NEON ? name##_neon : name##_portable)
#elif defined(FB_X86_64)
#  define FB_OF_LEVEL(level, name) \
      ((level) >= SIMD_AVX512 ? name##_avx512 : (level) == SIMD_AVX2 ? name##_avx2 : name##_portable)
#else
#  define FB_OF_LEVEL(level, name) ((void)(level), name##_portable)
#endif

#if defined(FB_X86_64)
#  define FB_OF_TEXT_LEVEL(level, name) ((level) == SIMD_VBMI2 ? name##_vbmi2 : FB_OF_LEVEL(level, name))
#else
#  define FB_OF_TEXT_LEVEL(level, name) FB_OF_LEVEL(level, name)
#endif

/* Defines the functions of all levels: define(suffix, level) is one of them, such as name##suffix. */
/* clang-format off */
#if defined(FB_NEON)
#  define FB_FOR_LEVELS(define) define(_portable, SIMD_PORTABLE) define(_neon, SIMD_NEON)
#elif defined(FB_X86_64)
#  define FB_FOR_LEVELS(define)                                                               \
      define(_portable, SIMD_PORTABLE)                                                        \
      FB_TARGET(FB_AVX2) define(_avx2, SIMD_AVX2)                                             \
      FB_TARGET(FB_AVX512) define(_avx512, SIMD_AVX512)
#else
#  define FB_FOR_LEVELS(define) define(_portable, SIMD_PORTABLE)
#endif
#if defined(FB_X86_64)
#  define FB_FOR_TEXT_LEVELS(define) FB_FOR_LEVELS(define) FB_TARGET(FB_VBMI2) define(_vbmi2, SIMD_VBMI2)
#else
#  define FB_FOR_TEXT_LEVELS(define) FB_FOR_LEVELS(define)
#endif
/* clang-format on */

/* The best level that this processor and this operating system run. */
FB_TARGET("xsave")
static inline simd_level simd_supported(void)
{
#if defined(FB_NEON)
    return SIMD_NEON;
#elif defined(FB_X86_64) && defined(_MSC_VER)      /* clang on Windows too: it lacks the builtins' table */
    int leaf0[4], leaf1[4], leaf7[4];
    __cpuid(leaf0, 0);
    if (leaf0[0] < 7) return SIMD_PORTABLE;
    __cpuid(leaf1, 1);
    __cpuidex(leaf7, 7, 0);
    if (!((leaf1[2] >> 27) & 1)) return SIMD_PORTABLE;        /* no OSXSAVE: _xgetbv would fault */
    unsigned long long saved = _xgetbv(0);
#  define FB_HAS(name, leaf, bit) (((leaf) >> (bit)) & 1)
    if (FB_VBMI2_SETS(FB_HAS, &&) && (saved & 0xE6) == 0xE6) return SIMD_VBMI2;
    if (FB_AVX512_SETS(FB_HAS, &&) && (saved & 0xE6) == 0xE6) return SIMD_AVX512;
    if (FB_AVX2_SETS(FB_HAS, &&) && (saved & 0x6) == 0x6) return SIMD_AVX2;
#elif defined(FB_X86_64)
    __builtin_cpu_init();
#  define FB_HAS(name, leaf, bit) __builtin_cpu_supports(name)
    if (FB_VBMI2_SETS(FB_HAS, &&)) return SIMD_VBMI2;
    if (FB_AVX512_SETS(FB_HAS, &&)) return SIMD_AVX512;
    if (FB_AVX2_SETS(FB_HAS, &&)) return SIMD_AVX2;
#endif
    return SIMD_PORTABLE;
}

/* Bits set in a word, by arithmetic alone: the baseline x86-64 has no instruction for it. */
FB_INLINE int popcount_portable(uint64_t word)
{
    word -= (word >> 1) & 0x5555555555555555u;
    word = (word & 0x3333333333333333u) + ((word >> 2) & 0x3333333333333333u);
    word = (word + (word >> 4)) & 0x0F0F0F0F0F0F0F0Fu;
    return (int)((word * 0x0101010101010101u) >> 56);
}

/* Number of zero bits below the lowest set one; `word` is not 0. */
FB_INLINE int lowest_bit(uint64_t word)
{
#if defined(_MSC_VER) && !defined(__clang__)
    unsigned long index;
    _BitScanForward64(&index, word);
    return (int)index;
#else
    return __builtin_ctzll(word);
#endif
}

/* The number of the highest set bit; `word` is not 0. */
FB_INLINE int highest_bit(uint64_t word)
{
#if defined(_MSC_VER) && !defined(__clang__)
    unsigned long index;
    _BitScanReverse64(&index, word);
    return (int)index;
#else
    return 63 - __builtin_clzll(word);
#endif
}

/* The high half of a 128-bit product. */
FB_INLINE uint64_t multiply_high(uint64_t a, uint64_t b)
{
#if defined(_MSC_VER) && defined(_M_X64) && !defined(__clang__)
    return __umulh(a, b);
#elif defined(__SIZEOF_INT128__)
    return (uint64_t)((unsigned __int128)a * b >> 64);
#else
    uint64_t a0 = (uint32_t)a, a1 = a >> 32, b0 = (uint32_t)b, b1 = b >> 32;
    uint64_t middle = a1 * b0 + ((a0 * b0) >> 32);
    uint64_t carry = a0 * b1 + (uint32_t)middle;
    return a1 * b1 + (middle >> 32) + (carry >> 32);
#endif
}

/* High and low half of a 128-bit product, folded: a strong and cheap mixing step. */
FB_INLINE uint64_t multiply_fold(uint64_t a, uint64_t b)
{
    return multiply_high(a, b) ^ (a * b);
}

/* Eight bytes at any address, the first one lowest on every processor. */
FB_INLINE uint64_t load64(const unsigned char *address)
{
    uint64_t word;
    memcpy(&word, address, 8);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}
