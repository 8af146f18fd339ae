/* collocation.c: coefficients of collocation methods of any number of stages: Radau IIA and Gauss.
 *
 * In: family and stages. Out: nodes, A^-1, the transformation that makes A^-1 block diagonal,
 * weights of the result and of the embedded error formula. Tests: tests/solve/collocation_test.c.
 */
#include "solve/tables/collocation.h"

#include <complex.h>

/* Nodes are roots of P_s - P_(s-1) (Radau IIA) or P_s (Gauss), P Legendre's polynomials, bracketed
 * and found by secants; A_ij integrates Lagrange's polynomials; eigenvalues of A^-1 are the roots
 * of the denominator of the Pade approximation that is the stability function (Durand and Kerner);
 * eigenvectors are known in closed form then. All in extended precision, once when a solver is
 * made, by sums, products, quotients and roots only: expl, powl and their like may round
 * differently on processors of different makers, and with a last digit of a coefficient every long
 * run becomes another one. Source: Hairer and Wanner, Solving ODEs II, IV.5, IV.8. */

enum { S = COLLOCATION_STAGES, PIECES_OF_STAGE = 8 };

typedef long double Real;
typedef long double complex Complex;

static Real node_polynomial(CollocationFamily family, int s, Real x)
{
    Real before = 1.0L, now = x;
    for (int k = 1; k < s; k++) {
        Real next = ((2 * k + 1) * x * now - k * before) / (k + 1);
        before = now;
        now = next;
    }
    return family == COLLOCATION_GAUSS ? now : now - before;
}

/* By the secant that keeps the root between its ends (Illinois). */
static Real find_root(CollocationFamily family, int s, Real a, Real fa, Real b, Real fb)
{
    for (int round = 0; round < 60; round++) {
        Real x = (a * fb - b * fa) / (fb - fa), fx = node_polynomial(family, s, x);
        if (fx == 0.0L || x == a || x == b) return x;
        if (fx * fb < 0.0L)
            a = b, fa = fb;
        else
            fa *= 0.5L;
        b = x, fb = fx;
    }
    return b;
}

/* Roots in (-1, 1), mapped to (0, 1); the root 1 of Radau's polynomial is divided out by not
 * looking there. They lie closer to each other at both ends, and so do the places that are looked
 * at. */
static void find_nodes(CollocationFamily family, int s, Real *c)
{
    int found = 0, pieces = PIECES_OF_STAGE * s;
    Real a = -1.0L, fa = node_polynomial(family, s, a);
    for (int k = 1; k <= pieces - (family == COLLOCATION_RADAU); k++) {
        Real u = (Real)k / pieces, b = 2.0L * u * u * (3.0L - 2.0L * u) - 1.0L,
             fb = node_polynomial(family, s, b);
        if (fa == 0.0L) c[found++] = 0.5L * (1.0L + a);
        if (fa * fb < 0.0L) c[found++] = 0.5L * (1.0L + find_root(family, s, a, fa, b, fb));
        a = b, fa = fb;
    }
    if (family == COLLOCATION_RADAU) c[s - 1] = 1.0L;
}

/* poly of degree - 1 times x - c. */
static void times_root(Real *poly, int degree, Real c)
{
    for (int k = degree; k > 0; k--) poly[k] = poly[k - 1] - c * poly[k];
    poly[0] *= -c;
}

/* A_ij = integral of Lagrange's j-th polynomial from 0 to c_i; b the same up to 1. */
static void integrate_lagrange(int s, const Real *c, Real a[S][S], Real *b)
{
    for (int j = 0; j < s; j++) {
        Real poly[S + 1] = { 1.0L }, scale = 1.0L;
        int degree = 0;
        for (int m = 0; m < s; m++) {
            if (m == j) continue;
            times_root(poly, ++degree, c[m]);
            scale *= c[j] - c[m];
        }
        for (int i = 0; i <= s; i++) {
            Real x = i < s ? c[i] : 1.0L, sum = 0.0L;
            for (int k = degree; k >= 0; k--) sum = sum * x + poly[k] / (k + 1);
            *(i < s ? &a[i][j] : &b[j]) = sum * x / scale;
        }
    }
}

/* Solves m x = r in place by elimination with row exchanges; r has `columns` right-hand sides. */
static void eliminate(int s, Real m[S][S], Real r[S][S], int columns)
{
    for (int k = 0; k < s; k++) {
        int p = k;
        for (int i = k + 1; i < s; i++)
            if (fabsl(m[i][k]) > fabsl(m[p][k])) p = i;
        for (int j = 0; j < S; j++) {
            Real x = m[k][j], y = r[k][j];
            m[k][j] = m[p][j], m[p][j] = x;
            r[k][j] = r[p][j], r[p][j] = y;
        }
        for (int i = 0; i < s; i++) {
            if (i == k) continue;
            Real factor = m[i][k] / m[k][k];
            for (int j = k; j < s; j++) m[i][j] -= factor * m[k][j];
            for (int j = 0; j < columns; j++) r[i][j] -= factor * r[k][j];
        }
    }
    for (int k = 0; k < s; k++)
        for (int j = 0; j < columns; j++) r[k][j] /= m[k][k];
}

static void invert(int s, Real from[S][S], Real to[S][S])
{
    Real m[S][S];
    memcpy(m, from, sizeof m);
    memset(to, 0, sizeof m);
    for (int i = 0; i < s; i++) to[i][i] = 1.0L;
    eliminate(s, m, to, s);
}

/* Roots of Q(z) = sum_i (k+s-i)! s! / ((k+s)! i! (s-i)!) (-z)^i, k the degree of the numerator. */
static void find_eigenvalues(CollocationFamily family, int s, Complex *root)
{
    int k = family == COLLOCATION_GAUSS ? s : s - 1;
    Real q[S + 1] = { 1.0L };
    for (int i = 1; i <= s; i++) q[i] = -q[i - 1] * (s - i + 1) / (i * (k + s - i + 1));
    root[0] = s;
    for (int i = 1; i < s; i++) root[i] = root[i - 1] * (0.4L + 0.9L * I);
    Real moved = 1.0L;
    for (int round = 0; round < 500 && moved > 1e-32L; round++) {
        moved = 0.0L;
        for (int i = 0; i < s; i++) {
            Complex value = q[s], others = q[s];
            for (int m = s - 1; m >= 0; m--) value = value * root[i] + q[m];
            for (int m = 0; m < s; m++)
                if (m != i) others *= root[i] - root[m];
            Complex step = value / others;
            root[i] -= step;
            moved = fmaxl(moved, creall(step * conjl(step)));
        }
    }
}

/* Derivatives j = 1 to s of M(x) = (x - c_1) .. (x - c_s) at its roots. */
static void derive_at_nodes(int s, const Real *c, Real derivative[S][S + 1])
{
    Real poly[S + 1] = { 1.0L }, at[S + 1];
    for (int m = 0; m < s; m++) times_root(poly, m + 1, c[m]);
    for (int i = 0; i < s; i++) {
        Real factorial = 1.0L;
        memcpy(at, poly, sizeof at);
        for (int j = 0; j <= s; j++) {
            for (int k = s - 1; k >= j; k--) at[k] += c[i] * at[k + 1];
            derivative[i][j] = at[j] * factorial;
            factorial *= j + 1;
        }
    }
}

/* The eigenvector of A^-1 for an eigenvalue x, of length 1. A^-1 makes of the values at the nodes
 * of a polynomial q of degree s, q(0) = 0, those of q'. So q' - x q is a multiple of M, q one of
 * the sum of M^(j)/x^j, and x is an eigenvalue if that is 0 at 0. */
static void find_eigenvector(int s, Real derivative[S][S + 1], Complex x, Complex *v)
{
    Complex inverse = 1.0L / x;
    Real norm = 0.0L;
    for (int i = 0; i < s; i++) {
        v[i] = 0.0L;
        for (int j = s; j > 0; j--) v[i] = (v[i] + derivative[i][j]) * inverse;
        norm += creall(v[i]) * creall(v[i]) + cimagl(v[i]) * cimagl(v[i]);
    }
    for (int i = 0; i < s; i++) v[i] /= sqrtl(norm);
}

/* T = (v0, Re v1, Im v1, ...): real eigenvalue first, then one of each pair. */
static void diagonalise(CollocationFamily family, int s, const Real *c, Collocation *out)
{
    Complex root[S], v[S];
    Real t[S][S] = { { 0 } }, ti[S][S], derivative[S][S + 1];
    int column = 0;
    find_eigenvalues(family, s, root);
    derive_at_nodes(s, c, derivative);
    for (int pass = 0; pass < 2; pass++)
        for (int k = 0; k < s; k++) {
            bool is_real = fabsl(cimagl(root[k])) < 1e-9L;
            if (is_real != (pass == 0) || (!is_real && cimagl(root[k]) < 0.0L)) continue;
            find_eigenvector(s, derivative, is_real ? creall(root[k]) : root[k], v);
            if (is_real) {
                for (int i = 0; i < s; i++) t[i][column] = creall(v[i]);
                out->gamma = (double)creall(root[k]);
                out->has_real = true;
                column++;
                continue;
            }
            for (int i = 0; i < s; i++) {
                t[i][column] = creall(v[i]);
                t[i][column + 1] = cimagl(v[i]);
            }
            out->alpha[out->pairs] = (double)creall(root[k]);
            out->beta[out->pairs++] = (double)cimagl(root[k]);
            column += 2;
        }
    invert(s, t, ti);
    for (int i = 0; i < s; i++)
        for (int j = 0; j < s; j++) {
            out->t[i][j] = (double)t[i][j];
            out->ti[i][j] = (double)ti[i][j];
        }
}

/* The embedded formula of order s with weight 1/gamma for f(t0, y0): e = A^-T (b_hat - b). */
static void embed(int s, const Real *c, Real inverse[S][S], const Real *b, Collocation *out)
{
    Real m[S][S] = { { 0 } }, r[S][S] = { { 0 } };
    Real b0 = 1.0L / (Real)out->gamma;
    for (int k = 0; k < s; k++) {
        r[k][0] = 1.0L / (k + 1) - (k == 0 ? b0 : 0.0L);
        for (int i = 0; i < s; i++) m[k][i] = k == 0 ? 1.0L : m[k - 1][i] * c[i];
    }
    eliminate(s, m, r, 1);
    for (int j = 0; j < s; j++) {
        Real e = 0.0L, d = 0.0L;
        for (int i = 0; i < s; i++) {
            e += (r[i][0] - b[i]) * inverse[i][j];
            d += b[i] * inverse[i][j];
        }
        out->e[j] = (double)e;
        out->d[j] = (double)d;
    }
}

/* Lagrange's polynomials x prod (x - c_m) / (c_j prod (c_j - c_m)) in powers of x - 1. */
static void look_ahead(int s, const Real *c, Collocation *out)
{
    for (int j = 0; j < s; j++) {
        Real poly[S + 1] = { 1.0L, 1.0L }, scale = c[j];
        for (int m = 0, degree = 1; m < s; m++) {
            if (m == j) continue;
            times_root(poly, ++degree, c[m] - 1.0L);
            scale *= c[j] - c[m];
        }
        for (int p = 0; p < s; p++) out->ahead[p][j] = (double)(poly[p + 1] / scale);
    }
}

void collocation_make(CollocationFamily family, int s, Collocation *out)
{
    Real c[S] = { 0 }, a[S][S] = { { 0 } }, inverse[S][S] = { { 0 } }, b[S] = { 0 };
    *out = (Collocation){ .s = s, .family = family };
    find_nodes(family, s, c);
    integrate_lagrange(s, c, a, b);
    invert(s, a, inverse);
    diagonalise(family, s, c, out);
    if (!out->has_real) out->gamma = sqrt(out->alpha[0] * out->alpha[0] + out->beta[0] * out->beta[0]);
    embed(s, c, inverse, b, out);
    for (int i = 0; i < s; i++) {
        out->c[i] = (double)c[i];
        out->b[i] = (double)b[i];
        for (int j = 0; j < s; j++) {
            out->a[i][j] = (double)a[i][j];
            out->inverse[i][j] = (double)inverse[i][j];
        }
        Real denominator = c[i];
        for (int j = 0; j < s; j++)
            if (j != i) denominator *= c[i] - c[j];
        out->lagrange[i] = (double)(1.0L / denominator);
    }
    look_ahead(s, c, out);
}

/* Products of the factors before and after each. */
void collocation_weights(const Collocation *method, double x, double *w)
{
    double product = x;
    for (int i = 0; i < method->s; i++) {
        w[i] = method->lagrange[i] * product;
        product *= x - method->c[i];
    }
    product = 1.0;
    for (int i = method->s - 1; i >= 0; i--) {
        w[i] *= product;
        product *= x - method->c[i];
    }
}
