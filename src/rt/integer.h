/* integer.h: Integers of Modelica: checked arithmetic, rounds of loops, int of external
 * functions. */
#ifndef ACAUSAL_RT_INTEGER_H
#define ACAUSAL_RT_INTEGER_H

#include "rt/instance.h"

/* ---- Integers: every function returns nonzero when the result does not exist ----------------- */

#if defined(__GNUC__)
static inline int rt_add(int64_t a, int64_t b, int64_t *c) { return __builtin_add_overflow(a, b, c); }
static inline int rt_sub(int64_t a, int64_t b, int64_t *c) { return __builtin_sub_overflow(a, b, c); }
static inline int rt_mul(int64_t a, int64_t b, int64_t *c) { return __builtin_mul_overflow(a, b, c); }
#else
static inline int rt_add(int64_t a, int64_t b, int64_t *c)
{
    if (b > 0 ? a > INT64_MAX - b : a < INT64_MIN - b) return 1;
    *c = a + b;
    return 0;
}
static inline int rt_sub(int64_t a, int64_t b, int64_t *c)
{
    if (b < 0 ? a > INT64_MAX + b : a < INT64_MIN + b) return 1;
    *c = a - b;
    return 0;
}
static inline int rt_mul(int64_t a, int64_t b, int64_t *c)
{
    if (a > 0 ? (b > 0 ? a > INT64_MAX / b : b < INT64_MIN / a)
              : (b > 0 ? a < INT64_MIN / b : a != 0 && b < INT64_MAX / a))
        return 1;
    *c = a * b;
    return 0;
}
#endif

/* The status of a division by `b`; then the quotient towards zero and its remainder exist. */
static inline RtStatus rt_divisible(int64_t a, int64_t b)
{
    return b == 0 ? RT_DIVISION : a == INT64_MIN && b == -1 ? RT_OVERFLOW : RT_OK;
}
static inline int64_t rt_div(int64_t a, int64_t b) { return a / b; } /* towards zero */
static inline int64_t rt_rem(int64_t a, int64_t b) { return a % b; } /* of the sign of a */
static inline int64_t rt_mod(int64_t a, int64_t b)                   /* of the sign of b */
{
    int64_t r = a % b;
    return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}
/* The rounds of `for i in from:step:to`, or -1 where the bounds are so large that counting could
 * overflow. */
static inline int64_t rt_rounds(int64_t from, int64_t to, int64_t step)
{
    const int64_t limit = INT64_C(1) << 61;
    if (from > limit || from < -limit || to > limit || to < -limit) return -1;
    if (step > 0) return from > to ? 0 : (to - from) / step + 1;
    return from < to ? 0 : (from - to) / -step + 1;
}

/* Pays for all rounds of a loop before the first; a status that is no failure of its own is
 * reported by the caller. */
static inline RtStatus rt_pay(Rt *rt, int64_t from, int64_t to, int64_t step)
{
    int64_t rounds = rt_rounds(from, to, step);
    if (rounds < 0) return RT_OVERFLOW;
    if (rounds > rt->steps) return RT_STEPS;
    rt->steps -= rounds;
    return RT_OK;
}

/* Whether `x`, cut towards zero, has an Integer value. */
static inline int rt_has_integer(double x) { return x > -9223372036854775808.0 && x < 9223372036854775808.0; }
static inline double rt_min(double a, double b) { return a < b ? a : b; }
static inline double rt_max(double a, double b) { return a > b ? a : b; }
static inline int64_t rt_imin(int64_t a, int64_t b) { return a < b ? a : b; }
static inline int64_t rt_imax(int64_t a, int64_t b) { return a > b ? a : b; }
static inline int rt_is_finite(double x) { return x - x == 0.0; }

/* ---- Integers of external functions, which are int there ------------------------------------- */

/* The value as an int; RT_OVERFLOW where it is none. */
RtStatus rt_int_of(int64_t value, int *result);
/* A copy of an array of Integers (two cells), and the way back. */
RtStatus rt_ints_of(Rt *rt, const RtCell *array, int **copy);
void rt_ints_back(const int *copy, RtCell *array);

#endif
