/* chaos.c: polynomial chaos: a surrogate of runs by polynomials that are orthonormal for the
 * distributions of their parameters.
 *
 * Normal and lognormal parameters have Hermite's polynomials, all others Legendre's in the place
 * of the value in its distribution (Xiu and Karniadakis 2002). Coefficients by least squares over
 * all terms up to a total degree, of which there are at most half as many as runs. Every fifth run
 * is held out and only judges; another fifth chooses the degree and is used afterwards. Indices are
 * sums of squared coefficients (Sudret 2008). Tests: tests/study/uncertainty_test.c. */
#include "study/study.h"

#include <math.h>
#include <stdio.h>

enum { MOST_DEGREE = 5, MOST_TERMS = 600 };

/* ---- polynomials ----------------------------------------------------------------------------- */

/* The parameter as its polynomials want it: a standard normal one, or in [-1, 1]. */
static double standard(const Distribution *d, double p, bool *is_normal)
{
    *is_normal = d->kind == DISTRIBUTION_NORMAL || d->kind == DISTRIBUTION_LOGNORMAL;
    if (d->kind == DISTRIBUTION_NORMAL) return (p - d->a[0]) / d->a[1];
    if (d->kind == DISTRIBUTION_LOGNORMAL) return (log(p) - d->a[0]) / d->a[1];
    return 2.0 * distribution_place(d, p) - 1.0;
}

/* Values of degree 0 to `degree`, of mean square 1. */
static void polynomials(double x, bool is_normal, int degree, double *out)
{
    double before = 0, now = 1, factorial = 1;
    for (int k = 0; k <= degree; k++) {
        out[k] = is_normal ? now / sqrt(factorial) : now * sqrt(2.0 * k + 1.0);
        double next = is_normal ? x * now - k * before : ((2.0 * k + 1.0) * x * now - k * before) / (k + 1.0);
        before = now, now = next;
        factorial *= k + 1.0;
    }
}

static size_t count_terms(int m, int degree)
{
    double count = 1;
    for (int k = 1; k <= degree; k++) count *= (double)(m + k) / k;
    return count > MOST_TERMS ? (size_t)MOST_TERMS + 1 : (size_t)(count + 0.5);
}

/* All powers of a total degree up to `degree`; the constant comes first. */
static size_t list_powers(int m, int degree, unsigned char *powers)
{
    size_t n = 0;
    for (int total = 0; total <= degree; total++) {
        unsigned char *row = powers + n * (size_t)m;
        memset(row, 0, (size_t)m);
        row[0] = (unsigned char)total;
        for (;;) {
            n++;
            /* the next composition of `total` into m parts */
            int k = 0;
            while (k < m && !row[k]) k++;
            if (k >= m - 1) break;
            unsigned char *next = row + m;
            memcpy(next, row, (size_t)m);
            next[k] = 0;
            next[0] = (unsigned char)(row[k] - 1);
            next[k + 1]++;
            row = next;
        }
    }
    return n;
}

static void basis_at(const Chaos *c, const Distribution *each, const double *p, double *values, double *out)
{
    for (int j = 0; j < c->m; j++) {
        bool is_normal;
        double x = standard(&each[j], p[j], &is_normal);
        polynomials(x, is_normal, c->degree, values + j * (MOST_DEGREE + 1));
    }
    for (size_t t = 0; t < c->terms; t++) {
        out[t] = 1;
        for (int j = 0; j < c->m; j++) {
            int power = c->powers[t * (size_t)c->m + (size_t)j];
            if (power) out[t] *= values[j * (MOST_DEGREE + 1) + power];
        }
    }
}

double chaos_at(const Chaos *c, const Distribution *each, const double *p)
{
    double values[64 * (MOST_DEGREE + 1)], basis[MOST_TERMS + 1], sum = 0;
    if (c->m > 64) return NAN;
    basis_at(c, each, p, values, basis);
    for (size_t t = 0; t < c->terms; t++) sum += c->coefficients[t] * basis[t];
    return sum;
}

/* ---- least squares --------------------------------------------------------------------------- */

typedef struct {
    Arena *arena;
    const Distribution *each;
    const double *p, *y;
    size_t n;
    int m;
} Runs;

/* Which fifth a run is in; runs that failed are in none. */
static int part_of(const Runs *r, size_t i)
{
    return isfinite(r->y[i]) ? (int)(hash_uniform(5, i, 0) * 5.0) : -1;
}

static bool solve(double *a, double *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            double sum = a[i * n + j];
            for (size_t k = 0; k < j; k++) sum -= a[i * n + k] * a[j * n + k];
            if (i == j && !(sum > 1e-10 * a[i * n + i])) return false;
            a[i * n + j] = i == j ? sqrt(sum) : sum / a[j * n + j];
        }
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < i; k++) b[i] -= a[i * n + k] * b[k];
        b[i] /= a[i * n + i];
    }
    for (size_t i = n; i-- > 0;) {
        for (size_t k = i + 1; k < n; k++) b[i] -= a[k * n + i] * b[k];
        b[i] /= a[i * n + i];
    }
    return true;
}

/* From all parts but 0 (held out) and `aside`. False: the runs do not tell the terms apart. */
static bool fit_terms(const Runs *r, Chaos *c, int aside)
{
    size_t terms = c->terms;
    double *gram = NEW_ARRAY(r->arena, double, terms *terms + 1),
           *right = NEW_ARRAY(r->arena, double, terms + 1);
    double *values = NEW_ARRAY(r->arena, double, (size_t)(r->m + 1) * (MOST_DEGREE + 1));
    double *basis = NEW_ARRAY(r->arena, double, terms + 1);
    c->used = 0;
    for (size_t i = 0; i < r->n; i++) {
        int part = part_of(r, i);
        if (part <= 0 || part == aside) continue;
        basis_at(c, r->each, r->p + i * (size_t)r->m, values, basis);
        for (size_t a = 0; a < terms; a++) {
            for (size_t b = 0; b <= a; b++) gram[a * terms + b] += basis[a] * basis[b];
            right[a] += basis[a] * r->y[i];
        }
        c->used++;
    }
    c->coefficients = right;
    return solve(gram, right, terms);
}

/* RMS error on a part, over the deviation there. */
static double judge(const Runs *r, const Chaos *c, int part, size_t *count)
{
    double mean = 0, second = 0, error = 0;
    *count = 0;
    for (size_t i = 0; i < r->n; i++) {
        if (part_of(r, i) != part) continue;
        double d = r->y[i] - mean, e = r->y[i] - chaos_at(c, r->each, r->p + i * (size_t)r->m);
        mean += d / (double)++*count;
        second += d * (r->y[i] - mean);
        error += e * e;
    }
    return second > 0 ? sqrt(error / second) : error > 0 ? INFINITY : 0.0;
}

static bool try_degree(const Runs *r, int degree, int aside, Chaos *c)
{
    size_t terms = count_terms(r->m, degree);
    *c = (Chaos){ .m = r->m, .degree = degree, .terms = terms };
    if (terms > MOST_TERMS) return false;
    c->powers = NEW_ARRAY(r->arena, unsigned char, (terms + 1) * (size_t)r->m);
    list_powers(r->m, degree, c->powers);
    return fit_terms(r, c, aside) && 2 * terms <= c->used;
}

static void find_indices(Arena *arena, Chaos *c)
{
    double variance = 0;
    c->first = NEW_ARRAY(arena, double, (size_t)c->m + 1);
    c->total = NEW_ARRAY(arena, double, (size_t)c->m + 1);
    for (size_t t = 1; t < c->terms; t++) {
        double square = c->coefficients[t] * c->coefficients[t];
        const unsigned char *powers = c->powers + t * (size_t)c->m;
        int kinds = 0, last = 0;
        for (int j = 0; j < c->m; j++)
            if (powers[j]) kinds++, last = j, c->total[j] += square;
        if (kinds == 1) c->first[last] += square;
        variance += square;
    }
    for (int j = 0; j < c->m; j++) {
        c->first[j] = variance > 0 ? c->first[j] / variance : NAN;
        c->total[j] = variance > 0 ? c->total[j] / variance : NAN;
    }
    c->mean = c->coefficients[0];
    c->deviation = sqrt(variance);
}

bool chaos_fit(Arena *arena, const Distribution *each, int m, const double *p, const double *y, size_t n,
               int degree, Chaos *c, char *why, size_t room)
{
    Runs r = { arena, each, p, y, n, m };
    double best = INFINITY;
    int chosen = 0;
    size_t count;
    *c = (Chaos){ 0 };
    if (m < 1 || m > 64) return snprintf(why, room, "a polynomial is for at most 64 parameters"), false;
    for (int j = 0; j < m; j++)
        if (each[j].kind == DISTRIBUTION_VALUES)
            return snprintf(why, room, "a polynomial needs distributions, not lists of values"), false;
    for (int k = degree ? degree : 1; k <= (degree ? degree : MOST_DEGREE); k++) {
        Chaos trial;
        if (k > MOST_DEGREE || !try_degree(&r, k, 1, &trial)) break;
        double error = judge(&r, &trial, 1, &count);
        if (count && error < best) best = error, chosen = k;
    }
    if (!chosen) return snprintf(why, room, "a polynomial needs more runs: at least four a term"), false;
    if (!try_degree(&r, chosen, -1, c))
        return snprintf(why, room, "the runs do not tell the terms apart"), false;
    c->error = judge(&r, c, 0, &c->held_out);
    find_indices(arena, c);
    return true;
}
