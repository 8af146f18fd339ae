/* few.c: inverses of c - J, of two to four unknowns, for up to four numbers c at once.
 *
 * In: J, dense, and real or complex c. Out: inverses by columns, as few_times takes them
 * (linalg.h). How: Gauss and Jordan's elimination with partial pivoting, a matrix a lane; lanes
 * exchange rows where they have to. A product with an inverse has no number that waits for another,
 * so it takes half of the time of a solution with factors; in directions in which c counts and J
 * does not it loses more digits than they do, unless it is corrected. Always: lanes do not see each
 * other, and each gets what it would get alone. Cost: n^3 products for all of them. Tests:
 * tests/linalg/few_test.c. */
#include "linalg/inside.h"

enum { N = LU_FEW, Q = LU_LANES };

/* Interleaved matrices, with the rows that were exchanged: where[k][i], of k with i. */
typedef struct {
    Four re[N][N], im[N][N];
    Bits where[N][N];
} Lanes;

INLINE bool any(Bits where) { return (where[0] | where[1] | where[2] | where[3]) != 0; }

INLINE void exchange_where(Bits where, Four *a, Four *b)
{
    Bits change = ((Bits)*a ^ (Bits)*b) & where;
    *a = (Four)((Bits)*a ^ change);
    *b = (Four)((Bits)*b ^ change);
}

INLINE Four size_of(Four re, Four im)
{
    const Bits sign = (Bits)(Four){ -0.0, -0.0, -0.0, -0.0 };
    return (Four)((Bits)re & ~sign) + (Four)((Bits)im & ~sign);
}

/* The largest of column k comes into row k. False: some lane has none. */
INLINE bool choose_pivots(bool is_complex, int n, int k, Lanes *m)
{
    Four size[N], zero = { 0.0 };
    Bits wanted = { 0 };
    for (int i = k; i < n; i++) size[i] = size_of(m->re[i][k], is_complex ? m->im[i][k] : zero);
    for (int i = k + 1; i < n; i++) wanted |= size[i] > size[k];
    for (int i = k + 1; i < n; i++) m->where[k][i] = wanted;
    if (any(wanted))
        for (int i = k + 1; i < n; i++) {
            Bits where = m->where[k][i] = size[i] > size[k];
            exchange_where(where, &size[i], &size[k]);
            for (int j = 0; j < n; j++) {
                exchange_where(where, &m->re[i][j], &m->re[k][j]);
                if (is_complex) exchange_where(where, &m->im[i][j], &m->im[k][j]);
            }
        }
    return !any(~(size[k] > zero));
}

INLINE void eliminate(int n, int k, Lanes *m)
{
    Four scale = 1.0 / m->re[k][k];
    for (int j = 0; j < n; j++)
        if (j != k) m->re[k][j] *= scale;
    for (int i = 0; i < n; i++) {
        Four x = m->re[i][k];
        for (int j = 0; j < n; j++)
            if (i != k && j != k) m->re[i][j] -= x * m->re[k][j];
        if (i != k) m->re[i][k] = -(x * scale);
    }
    m->re[k][k] = scale;
}

INLINE void eliminate_complex(int n, int k, Lanes *m)
{
    Four a = m->re[k][k], b = m->im[k][k], scale = 1.0 / (a * a + b * b);
    a *= scale, b *= scale; /* times a - b i is over the pivot */
    for (int j = 0; j < n; j++) {
        if (j == k) continue;
        Four x = m->re[k][j], y = m->im[k][j];
        m->re[k][j] = x * a + y * b;
        m->im[k][j] = y * a - x * b;
    }
    for (int i = 0; i < n; i++) {
        if (i == k) continue;
        Four x = m->re[i][k], y = m->im[i][k];
        for (int j = 0; j < n; j++) {
            if (j == k) continue;
            m->re[i][j] -= x * m->re[k][j] - y * m->im[k][j];
            m->im[i][j] -= x * m->im[k][j] + y * m->re[k][j];
        }
        m->re[i][k] = -(x * a + y * b);
        m->im[i][k] = x * b - y * a;
    }
    m->re[k][k] = a;
    m->im[k][k] = -b;
}

/* Of the inverse it is columns that exchanges of rows exchange, the last first. */
INLINE void exchange_columns(bool is_complex, int n, Lanes *m)
{
    Bits wanted = { 0 };
    for (int k = 0; k < n; k++)
        for (int i = k + 1; i < n; i++) wanted |= m->where[k][i];
    if (!any(wanted)) return;
    for (int k = n - 2; k >= 0; k--)
        for (int i = n - 1; i > k; i--)
            for (int row = 0; row < n; row++) {
                exchange_where(m->where[k][i], &m->re[row][i], &m->re[row][k]);
                if (is_complex) exchange_where(m->where[k][i], &m->im[row][i], &m->im[row][k]);
            }
}

/* Four lanes of four entries to four entries of four lanes. */
INLINE void turn(Four *v)
{
    Four a = __builtin_shufflevector(v[0], v[1], 0, 4, 2, 6),
         b = __builtin_shufflevector(v[0], v[1], 1, 5, 3, 7);
    Four c = __builtin_shufflevector(v[2], v[3], 0, 4, 2, 6),
         d = __builtin_shufflevector(v[2], v[3], 1, 5, 3, 7);
    v[0] = __builtin_shufflevector(a, c, 0, 1, 4, 5);
    v[1] = __builtin_shufflevector(b, d, 0, 1, 4, 5);
    v[2] = __builtin_shufflevector(a, c, 2, 3, 6, 7);
    v[3] = __builtin_shufflevector(b, d, 2, 3, 6, 7);
}

/* high + low += a b. The upper half of a times that of b is exact, and so is its sum; the rest is
 * small (Dekker 1971). */
INLINE void add_product(Four a_high, Four a_low, Four b, Four b_high, Four *high, Four *low)
{
    Four p = a_high * b_high, sum = *high + p, part = sum - *high;
    *low += ((*high - (sum - part)) + (p - part)) + (a_high * (b - b_high) + a_low * b);
    *high = sum;
}

INLINE Four upper_half(Four x)
{
    Four wide = x * (0x1p27 + 1.0);
    return wide - (wide - x);
}

/* X += X (1 - c X + J X), with c and J apart: c - J, rounded, has few digits of a c that is small
 * beside J, and elimination loses as many. */
INLINE void refine(int n, const double *J, Four c, Lanes *m)
{
    Four half[N][N], defect[N][N];
    for (int k = 0; k < n; k++)
        for (int i = 0; i < n; i++) half[i][k] = upper_half(four_of(J[k * n + i]));
    for (int j = 0; j < n; j++) {
        Four high[N], low[N];
        for (int i = 0; i < n; i++) {
            high[i] = four_of(i == j ? 1.0 : 0.0);
            low[i] = -(c * m->re[i][j]);
        }
        for (int k = 0; k < n; k++) {
            Four x = m->re[k][j], x_half = upper_half(x);
            for (int i = 0; i < n; i++)
                add_product(half[i][k], four_of(J[k * n + i]) - half[i][k], x, x_half, &high[i], &low[i]);
        }
        for (int i = 0; i < n; i++) defect[i][j] = high[i] + low[i];
    }
    for (int i = 0; i < n; i++) {
        Four row[N];
        for (int k = 0; k < n; k++) row[k] = m->re[i][k];
        for (int j = 0; j < n; j++) {
            Four sum = row[0] * defect[0][j];
            for (int k = 1; k < n; k++) sum += row[k] * defect[k][j];
            m->re[i][j] += sum;
        }
    }
}

INLINE void put_column(bool is_wide, int n, const Four m[N][N], int j, int count, double *to,
                       ptrdiff_t stride)
{
    Four column[N] = { { 0.0 } };
    for (int i = 0; i < n; i++) column[i] = m[i][j];
    turn(column);
    for (int q = 0; q < Q; q++)
        if (q < count) group_to(is_wide, to + q * stride, column[q]);
}

/* The first column that is singular in some lane; n: none is. */
INLINE int invert(bool is_wide, bool is_complex, bool is_refined, int n, const double *J, const FewShifts *c,
                  FewInverse *out)
{
    Lanes m;
    Four zero = { 0.0 };
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            double v = J[j * n + i];
            Four value = { v, v, v, v };
            m.re[i][j] = -value;
            m.im[i][j] = zero;
        }
    for (int i = 0; i < n; i++) {
        m.re[i][i] += c->re;
        m.im[i][i] = c->im;
    }
    for (int k = 0; k < n; k++) {
        if (!choose_pivots(is_complex, n, k, &m)) return k;
        if (is_complex)
            eliminate_complex(n, k, &m);
        else
            eliminate(n, k, &m);
    }
    exchange_columns(is_complex, n, &m);
    if (!is_complex && is_refined) refine(n, J, c->re, &m);
    ptrdiff_t stride = (ptrdiff_t)(sizeof *out / sizeof(double));
    for (int j = 0; j < n; j++) {
        put_column(is_wide, n, (const Four(*)[N])m.re, j, c->count, out->re[j], stride);
        if (is_complex) put_column(is_wide, n, (const Four(*)[N])m.im, j, c->count, out->im[j], stride);
    }
    return n;
}

INLINE int invert_few(bool is_wide, bool is_refined, int n, const double *J, const FewShifts *c,
                      FewInverse *out)
{
    return c->is_complex ? invert(is_wide, true, false, n, J, c, out)
                         : invert(is_wide, false, is_refined, n, J, c, out);
}

INLINE int invert_any(bool is_wide, bool is_refined, int n, const double *J, const FewShifts *c,
                      FewInverse *out)
{
    switch (n) {
    case 2: return invert_few(is_wide, is_refined, 2, J, c, out);
    case 3: return invert_few(is_wide, is_refined, 3, J, c, out);
    default: return invert_few(is_wide, is_refined, 4, J, c, out);
    }
}

static int invert_plain(bool is_refined, int n, const double *J, const FewShifts *c, FewInverse *out)
{
    return invert_any(false, is_refined, n, J, c, out);
}

WIDE_LOOP static int invert_wide(bool is_refined, int n, const double *J, const FewShifts *c, FewInverse *out)
{
    return invert_any(true, is_refined, n, J, c, out);
}

int few_invert(int n, const double *J, const FewShifts *c, FewInverse *out)
{
    return (PROCESSOR_IS_WIDE ? invert_wide : invert_plain)(false, n, J, c, out);
}

int few_invert_refined(int n, const double *J, const FewShifts *c, FewInverse *out)
{
    return (PROCESSOR_IS_WIDE ? invert_wide : invert_plain)(true, n, J, c, out);
}
