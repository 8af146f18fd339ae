/* random.c: uniform random numbers by generators of the xorshift family (S. Vigna, ACM Trans.
 * Math. Softw. 42, 2016).
 *
 * A state is an array of Integers, each the two's complement of 32 bits, low half first: two for
 * xorshift64*, four for xorshift128+, 32 and the place for xorshift1024*. A 64-bit number
 * becomes a Real as a signed one, times 2^-64, plus 1/2: uniform in (0, 1), symmetric about the
 * middle (J. Doornik, ACM Trans. Model. Comput. Simul. 17, 2007). In Modelica's library the new
 * state of the first two holds the number that is given, not, as in the paper, what it is made
 * of; so here, as results must be the same. Tests: tests/rt/scan_test.c. */
#include "rt/inside.h"

#include <time.h>

static uint64_t take(const int64_t *halves)
{
    return (uint64_t)(uint32_t)halves[0] | (uint64_t)(uint32_t)halves[1] << 32;
}

static void give(uint64_t value, int64_t *halves)
{
    halves[0] = (int32_t)(uint32_t)value;
    halves[1] = (int32_t)(uint32_t)(value >> 32);
}

static double to_real(uint64_t bits) { return (double)(int64_t)bits * 0x1p-64 + 0.5; }

/* Cells: state in (2), state out (2), the number. */
static RtStatus check(Rt *rt, const RtCell *cells, int64_t n)
{
    if (cells[1].i >= n && cells[3].i >= n) return RT_OK;
    return rt_fail_external(rt, "the state of a random number generator has too few elements");
}

RtStatus rt_xorshift64star(Rt *rt, RtCell *cells)
{
    RtStatus status = check(rt, cells, 2);
    if (status) return status;
    uint64_t x = take(cells[0].p);
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    x *= UINT64_C(2685821657736338717);
    give(x, cells[2].p);
    cells[4].r = to_real(x);
    return RT_OK;
}

RtStatus rt_xorshift128plus(Rt *rt, RtCell *cells)
{
    RtStatus status = check(rt, cells, 4);
    if (status) return status;
    const int64_t *from = cells[0].p;
    int64_t *to = cells[2].p;
    uint64_t s1 = take(from), s0 = take(from + 2);
    s1 ^= s1 << 23;
    s1 = s1 ^ s0 ^ (s1 >> 17) ^ (s0 >> 26);
    give(s0, to);
    give(s0 + s1, to + 2);
    cells[4].r = to_real(s0 + s1);
    return RT_OK;
}

/* One number of xorshift1024*; `place` is where the state begins. */
static uint64_t next1024(uint64_t s[16], int *place)
{
    uint64_t s0 = s[*place & 15], s1 = s[ *place = (*place + 1) & 15];
    s1 ^= s1 << 31;
    s1 ^= s1 >> 11;
    s0 ^= s0 >> 30;
    s[*place] = s0 ^ s1;
    return s[*place] * UINT64_C(1181783497276652981);
}

RtStatus rt_xorshift1024star(Rt *rt, RtCell *cells)
{
    RtStatus status = check(rt, cells, 33);
    if (status) return status;
    const int64_t *from = cells[0].p;
    int64_t *to = cells[2].p;
    uint64_t s[16];
    int place = (int)(from[32] & 15);
    for (int i = 0; i < 16; i++) s[i] = take(from + 2 * i);
    cells[4].r = to_real(next1024(s, &place));
    for (int i = 0; i < 16; i++) give(s[i], to + 2 * i);
    to[32] = place;
    return RT_OK;
}

/* ---- the generator that remembers its state: one an instance --------------------------------- */

RtStatus rt_random_set(Rt *rt, RtCell *cells)
{
    struct RtInstance *instance = (struct RtInstance *)rt;
    const int64_t *from = cells[0].p;
    if (cells[1].i < 33)
        return rt_fail_external(rt, "the state of a random number generator has too few elements");
    for (int i = 0; i < 16; i++) instance->random[i] = take(from + 2 * i);
    instance->random_place = (int)(from[32] & 15);
    return RT_OK;
}

RtStatus rt_random_impure(Rt *rt, RtCell *cells)
{
    struct RtInstance *instance = (struct RtInstance *)rt;
    uint64_t any = 0;
    for (int i = 0; i < 16; i++) any |= instance->random[i];
    if (!any) return rt_fail_external(rt, "impureRandom before initializeImpureRandom");
    cells[1].r = to_real(next1024(instance->random, &instance->random_place));
    return RT_OK;
}

RtStatus rt_random_seed(Rt *rt, RtCell *cells)
{
    /* The second, the time this process has run, and where it lies in memory, which differs from
     * process to process. */
    uint64_t x = (uint64_t)time(NULL) * 1000000007u + (uint64_t)clock() + (uint64_t)(uintptr_t)rt * 6151u;
    x ^= x >> 33;
    x *= UINT64_C(0xff51afd7ed558ccd);
    x ^= x >> 33;
    cells[1].i = (int32_t)(uint32_t)x;
    return RT_OK;
}
