/* simd.h: SIMD: two and four doubles in a register, with and without AVX2. */
#ifndef ACAUSAL_BASE_SIMD_H
#define ACAUSAL_BASE_SIMD_H

#include "base/common.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/* Loops that are worth it are compiled twice: PROCESSOR_IS_WIDE says which of them is called. Both
 * do the same operations, so numbers do not depend on the processor. */
#if defined(__x86_64__) && defined(__GNUC__)
#define WIDE_LOOP __attribute__((target("avx2")))
#define PROCESSOR_IS_WIDE __builtin_cpu_supports("avx2")
#else
#define WIDE_LOOP
#define PROCESSOR_IS_WIDE false
#endif

/* Functions that return four numbers in a register are always inlined, so how they are returned
 * does not matter. */
#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wpsabi"
#endif
/* Two, four numbers in a register, wherever they lie. */
typedef double Two __attribute__((vector_size(16), aligned(8), may_alias));
typedef double Four __attribute__((vector_size(32), aligned(8), may_alias));
typedef long long Bits __attribute__((vector_size(32), aligned(8), may_alias));
INLINE Four four_at(const double *v) { return *(const Four *)v; }
INLINE void four_to(double *v, Four four) { *(Four *)v = four; }
INLINE Four four_of(double x) { return (Four){ x, x, x, x }; }
INLINE double four_sum(Four v) { return (v[0] + v[1]) + (v[2] + v[3]); }
/* The larger size of each. */
INLINE Four four_size(Four a, Four b)
{
    const Bits sign = (Bits)(Four){ -0.0, -0.0, -0.0, -0.0 };
    Four x = (Four)((Bits)a & ~sign), y = (Four)((Bits)b & ~sign);
    Bits first = x > y;
    return (Four)(((Bits)x & first) | ((Bits)y & ~first));
}
INLINE Two two_at(const double *v) { return *(const Two *)v; }
INLINE void two_to(double *v, Two two) { *(Two *)v = two; }
INLINE Four four_of_twos(Two low, Two high) { return (Four){ low[0], low[1], high[0], high[1] }; }
INLINE Two four_low(const Four *v) { return two_at((const double *)v); }
INLINE Two four_high(const Four *v) { return two_at((const double *)v + 2); }
/* Where a processor has no registers for four numbers, GCC keeps them in memory when they are
 * stored, or carried from turn to turn of a loop: there they are two pairs. `is_wide` is a
 * constant, which of the two copies of a loop this is. */
INLINE void group_to(bool is_wide, double *v, Four four)
{
    if (is_wide) {
        four_to(v, four);
    } else {
        two_to(v, (Two){ four[0], four[1] });
        two_to(v + 2, (Two){ four[2], four[3] });
    }
}
typedef struct {
    Four wide;
    Two low, high;
} Sum; /* begins as zeros */
INLINE void sum_add(bool is_wide, Sum *sum, Four four)
{
    if (is_wide) {
        sum->wide += four;
    } else {
        sum->low += (Two){ four[0], four[1] };
        sum->high += (Two){ four[2], four[3] };
    }
}
INLINE Four sum_so_far(bool is_wide, const Sum *sum)
{
    return is_wide ? sum->wide : (Four){ sum->low[0], sum->low[1], sum->high[0], sum->high[1] };
}
/* Where numbers have just been written one by one: a wide load would have to wait until they are in
 * memory. */
INLINE Two fresh_pair(const double *v, const double *next)
{
#if defined(__SSE2__)
    return _mm_loadh_pd(_mm_load_sd(v), next);
#else
    return (Two){ *v, *next };
#endif
}
/* The second address, as if nothing were known of it: else compilers make one load of two. */
INLINE const double *address_behind(const double *v)
{
    const double *next = v + 1;
#if defined(__GNUC__)
    __asm__("" : "+r"(next));
#endif
    return next;
}
INLINE Four fresh_four_at(const double *v)
{
    const double *next = address_behind(v);
    Two low = fresh_pair(v, next), high = fresh_pair(v + 2, next + 2);
    return (Four){ low[0], low[1], high[0], high[1] };
}

#endif
