/* sequence.c: numbers that belong to places: hashes, permutations, Sobol's sequence.
 *
 * Sobol's sequence: Sobol' (1967); primitive polynomials over GF(2) are searched for, and each new
 * coordinate takes of CANDIDATES drawn sets of initial direction numbers the one whose worst
 * two-dimensional projection onto earlier coordinates is best (its t-value; Joe and Kuo 2008 search
 * by the same measure). Scrambling: each bit is flipped by a hash of the bits before it, which is
 * Owen's (1995) nested scrambling. Tests: tests/study/design_test.c. */
#include "study/design.h"

enum { CANDIDATES = 24, JUDGED_BITS = 8, JUDGED_BEFORE = 40 };

/* The finaliser of splitmix64. */
static uint64_t mix(uint64_t z)
{
    z += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static uint64_t hash(uint64_t seed, uint64_t a, uint64_t b) { return mix(mix(mix(seed) ^ a) ^ b); }

double hash_uniform(uint64_t seed, uint64_t a, uint64_t b)
{
    return ((double)(hash(seed, a, b) >> 11) + 0.5) / 9007199254740992.0;
}

/* A Feistel network on an even number of bits, walked until it is below n again. */
uint64_t hash_permute(uint64_t i, uint64_t n, uint64_t key)
{
    unsigned half = 1;
    if (n <= 1) return 0;
    while (half < 31 && (UINT64_C(1) << 2 * half) < n) half++;
    uint64_t mask = (UINT64_C(1) << half) - 1;
    do {
        uint64_t left = i >> half, right = i & mask;
        for (uint64_t round = 0; round < 6; round++) {
            uint64_t next = left ^ (hash(key, round, right) & mask);
            left = right;
            right = next;
        }
        i = left << half | right;
    } while (i >= n);
    return i;
}

/* ---- primitive polynomials ------------------------------------------------------------------- */

/* a * b modulo a polynomial of a degree, as bits. */
static uint32_t multiply(uint32_t a, uint32_t b, uint32_t polynomial, int degree)
{
    uint32_t product = 0;
    for (; b; b >>= 1) {
        if (b & 1) product ^= a;
        a <<= 1;
        if (a >> degree & 1) a ^= polynomial;
    }
    return product;
}

static uint32_t power(uint32_t exponent, uint32_t polynomial, int degree)
{
    uint32_t result = 1, base = degree > 1 ? 2 : 1;
    for (; exponent; exponent >>= 1) {
        if (exponent & 1) result = multiply(result, base, polynomial, degree);
        base = multiply(base, base, polynomial, degree);
    }
    return result;
}

/* Whether x has the order 2^degree - 1. */
static bool is_primitive(uint32_t polynomial, int degree)
{
    uint32_t order = (1u << degree) - 1, rest = order;
    if (!(polynomial & 1) || power(order, polynomial, degree) != 1) return false;
    for (uint32_t p = 2; p <= rest; p++) {
        if (rest % p) continue;
        while (rest % p == 0) rest /= p;
        if (order / p < order && power(order / p, polynomial, degree) == 1 && order > 1) return false;
    }
    return true;
}

/* ---- direction numbers ----------------------------------------------------------------------- */

/* Initial ones are the odd numbers `first`; the recurrence of the polynomial gives the rest. */
static void fill(uint32_t v[SOBOL_BITS], uint32_t polynomial, int degree, const uint32_t *first)
{
    for (int k = 0; k < SOBOL_BITS; k++) {
        if (k < degree) {
            v[k] = first[k] << (SOBOL_BITS - 1 - k);
            continue;
        }
        v[k] = v[k - degree] ^ (v[k - degree] >> degree);
        for (int i = 1; i < degree; i++)
            if (polynomial >> (degree - i) & 1) v[k] ^= v[k - i];
    }
}

static int rank_of(uint32_t *rows, int n)
{
    int rank = 0;
    for (int bit = 0; bit < JUDGED_BITS; bit++) {
        int found = rank;
        while (found < n && !(rows[found] >> bit & 1)) found++;
        if (found == n) continue;
        uint32_t row = rows[found];
        rows[found] = rows[rank];
        rows[rank++] = row;
        for (int i = rank; i < n; i++)
            if (rows[i] >> bit & 1) rows[i] ^= row;
    }
    return rank;
}

/* Row b of a generator matrix: bit b of the first JUDGED_BITS direction numbers. */
static uint32_t matrix_row(const uint32_t v[SOBOL_BITS], int b)
{
    uint32_t row = 0;
    for (int k = 0; k < JUDGED_BITS; k++) row |= (v[k] >> (SOBOL_BITS - 1 - b) & 1) << k;
    return row;
}

/* The t-value of two coordinates of the first 2^JUDGED_BITS points: 0 is best. */
static int projection(const uint32_t a[SOBOL_BITS], const uint32_t b[SOBOL_BITS])
{
    for (int d = JUDGED_BITS; d > 0; d--) {
        bool fine = true;
        for (int from = 0; from <= d && fine; from++) {
            uint32_t rows[JUDGED_BITS];
            for (int k = 0; k < d; k++) rows[k] = k < from ? matrix_row(a, k) : matrix_row(b, k - from);
            fine = rank_of(rows, d) == d;
        }
        if (fine) return JUDGED_BITS - d;
    }
    return JUDGED_BITS;
}

static int judge(const Sobol *s, int j, const uint32_t v[SOBOL_BITS])
{
    int worst = 0, sum = 0;
    for (int k = j > JUDGED_BEFORE ? j - JUDGED_BEFORE : 0; k < j; k++) {
        int t = projection(s->v[k], v);
        worst = t > worst ? t : worst;
        sum += t;
    }
    return worst * 1000 + sum;
}

static void choose(Sobol *s, int j, uint32_t polynomial, int degree)
{
    uint32_t first[SOBOL_BITS], v[SOBOL_BITS];
    int best = -1;
    for (uint64_t candidate = 0; candidate < CANDIDATES; candidate++) {
        for (int k = 0; k < degree; k++)
            first[k] =
                (uint32_t)(hash(candidate, (uint64_t)j, (uint64_t)k) & ((UINT64_C(1) << (k + 1)) - 1)) | 1u;
        fill(v, polynomial, degree, first);
        int value = judge(s, j, v);
        if (best >= 0 && value >= best) continue;
        best = value;
        memcpy(s->v[j], v, sizeof v);
    }
}

bool sobol_open(Arena *arena, Sobol *s, int m)
{
    uint32_t polynomial = 2;
    int degree = 1;
    if (m > SOBOL_MOST) return false;
    *s = (Sobol){ .m = m, .v = arena_zero_array(arena, (size_t)m + 1, sizeof *s->v) };
    for (int k = 0; k < SOBOL_BITS; k++) s->v[0][k] = 1u << (SOBOL_BITS - 1 - k);
    for (int j = 1; j < m; j++) {
        do {
            if (++polynomial >> (degree + 1)) degree++;
        } while (!is_primitive(polynomial, degree));
        choose(s, j, polynomial, degree);
    }
    return true;
}

double sobol_at(const Sobol *s, uint64_t i, int j, uint64_t seed)
{
    uint32_t x = 0, y = 0;
    for (int k = 0; k < SOBOL_BITS && i >> k; k++)
        if (i >> k & 1) x ^= s->v[j][k];
    for (int b = 0; b < SOBOL_BITS; b++) {
        uint32_t before = b ? x >> (SOBOL_BITS - b) : 0;
        uint32_t flip = (uint32_t)hash(seed + (uint64_t)j, (uint64_t)b, before) & 1u;
        y = y << 1 | ((x >> (SOBOL_BITS - 1 - b) & 1u) ^ flip);
    }
    return ((double)y + 0.5) / 4294967296.0;
}
