/* criterion.c: the first-order sparsing criterion of Schiela and Bornemann for every nonzero of a
 * Jacobian.
 *
 * In: L, Df, tau. Out: clusters of the eigenvalues of (A, B) = (L, L - tau Df), and for each
 * cluster k and entry (i,j) the number g with tr(U_k tau DeltaJ V_k) = tau Df_ij g, where U_k =
 * B_k^-1 Y_k^H and V_k = X_k (I - B_k^-1 A_k): a sum over the m columns of the cluster, so O(m) an
 * entry. Cost: QZ and two reorderings a cluster; eliminating: one sparse solve an unknown instead
 * of O(n^3). Tests: tests/realtime/criterion_test.c. */
#include "realtime/inside.h"

#include <math.h>

/* Bases by reordering the Schur form; B_k = Y_k^H B X_k is full and solved as such. With
 * `eliminate`, algebraic unknowns leave first: right vectors go on as -D_aa^-1 D_ad x, left ones as
 * -D_aa^-T D_da^T y, and what the eigenvalue 0 gets is the rest of the trace of B^-1 E (I - B^-1
 * A). Invariant: the signed sum over all clusters is that trace. */

const char *const cluster_kinds[CLUSTER_KINDS] = { "stiff", "intermediate", "slow", "oscillatory" };

static const double STIFF = 0.5;  /* eigenvalues of the discrete evolution below this size */
static const double SLOW = 0.05;  /* from 1 */
static const double DAMPED = 0.7; /* damping from which on a mode does not count as oscillating */
static const double LEAST_SCALE = 1e-3;
/* Eigenvalues nearer to each other than this belong together; relative to the distance from 1 for
 * oscillating ones. */
static const double gaps[CLUSTER_KINDS] = { 0.15, 0.05, 0.02, 1e-3 };

static ClusterKind kind_of(Complex lambda)
{
    if (cabs(lambda) < STIFF) return CLUSTER_STIFF;
    Complex mu = 1 - 1 / lambda; /* tau times the eigenvalue of the equation */
    if (cabs(mu) > 1e-9 && fabs(creal(mu)) < DAMPED * cabs(mu)) return CLUSTER_OSCILLATORY;
    return cabs(1 - lambda) < SLOW ? CLUSTER_SLOW : CLUSTER_INTERMEDIATE;
}

static double scale_of(ClusterKind kind, Complex lambda)
{
    double from_one = cabs(1 - lambda), from_circle = fabs(1 - cabs(lambda));
    return fmax(LEAST_SCALE, kind == CLUSTER_OSCILLATORY ? fmin(from_one, from_circle) : from_one);
}

/* Numbers the clusters: single linkage among eigenvalues of a kind. */
static int find_clusters(int n, const Complex *lambda, int *cluster)
{
    int count = 0;
    for (int i = 0; i < n; i++) cluster[i] = -1;
    for (int first = 0; first < n; first++) {
        if (cluster[first] >= 0) continue;
        cluster[first] = count;
        for (int grown = 1; grown;) {
            grown = 0;
            for (int i = 0; i < n; i++) {
                for (int j = 0; j < n && cluster[i] == count; j++) {
                    ClusterKind kind = kind_of(lambda[i]);
                    double gap = gaps[kind] * (kind == CLUSTER_OSCILLATORY ? cabs(1 - lambda[i]) : 1);
                    if (cluster[j] >= 0 || kind_of(lambda[j]) != kind) continue;
                    if (cabs(lambda[i] - lambda[j]) > gap) continue;
                    cluster[j] = count;
                    grown = 1;
                }
            }
        }
        count++;
    }
    return count;
}

typedef struct {
    Arena *arena, *scratch;
    const RtSystem *s;
    const double *df;
    Criterion *out;
} Maker;

static void dense_pair(const RtSystem *s, const double *df, double *a, double *b)
{
    size_t n = (size_t)s->n;
    memset(a, 0, n * n * sizeof *a);
    memset(b, 0, n * n * sizeof *b);
    for (size_t i = 0; i < n; i++) a[i * n + i] = b[i * n + i] = s->mass[i];
    for (size_t j = 0; j < n; j++)
        for (int e = s->pattern->start[j]; e < s->pattern->start[j + 1]; e++)
            b[j * n + (size_t)s->pattern->row[e]] -= s->tau * df[e];
}

static void note_eigenvalues(Maker *m, int n, const Complex *lambda)
{
    /* those not given are 0 */
    m->out->lambda = NEW_ARRAY(m->arena, double, 2 * (size_t)m->s->n + 2);
    for (int i = 0; i < n; i++) {
        m->out->lambda[2 * i] = creal(lambda[i]);
        m->out->lambda[2 * i + 1] = cimag(lambda[i]);
        m->out->radius = fmax(m->out->radius, cabs(lambda[i]));
    }
}

static Cluster describe(Maker *m, int count, int n, const Complex *lambda, const int *cluster)
{
    Cluster c = { 0 };
    Complex sum = 0;
    double scale = 0;
    for (int i = 0; i < n; i++) {
        if (cluster[i] != count) continue;
        c.kind = kind_of(lambda[i]);
        c.m++;
        sum += lambda[i];
        scale += scale_of(c.kind, lambda[i]);
    }
    c.re = creal(sum) / c.m;
    c.im = cimag(sum) / c.m;
    c.scale = scale / c.m;
    c.g = NEW_ARRAY(m->arena, double, 2 * (size_t)pattern_count(m->s->pattern) + 2);
    return c;
}

/* C = P^H Q for n x p and n x q matrices. */
static void multiply_h(int n, int p, int q, const Complex *left, const Complex *right, Complex *c)
{
    for (int j = 0; j < q; j++)
        for (int i = 0; i < p; i++) {
            Complex sum = 0;
            for (int k = 0; k < n; k++)
                sum +=
                    conj(left[(size_t)i * (size_t)n + (size_t)k]) * right[(size_t)j * (size_t)n + (size_t)k];
            c[(size_t)j * (size_t)p + (size_t)i] = sum;
        }
}

/* Full-length bases X and Y of a cluster (nf x m), A_k and B_k (m x m): writes g. */
static bool write_g(Maker *mk, int m, const Complex *x, const Complex *y, const Complex *ak, Complex *bk,
                    double *g)
{
    const Pattern *p = mk->s->pattern;
    size_t n = (size_t)mk->s->n, mm = (size_t)m;
    /* A_k, then Y^H: both solved with B_k */
    Complex *r = NEW_ARRAY(mk->scratch, Complex, mm * (mm + n) + 1);
    memcpy(r, ak, mm * mm * sizeof *r);
    for (size_t i = 0; i < n; i++)
        for (size_t l = 0; l < mm; l++) r[mm * (mm + i) + l] = conj(y[l * n + i]);
    if (!complex_solve(m, m + (int)n, bk, r, mk->scratch)) return false;
    const Complex *q = r, *u = r + mm * mm; /* B^-1 A_k; U by columns: U_li at i*m + l */
    Complex *v = NEW_ARRAY(mk->scratch, Complex, mm * n + 1);
    for (size_t j = 0; j < n; j++)
        for (size_t l = 0; l < mm; l++) {
            Complex sum = x[l * n + j];
            for (size_t k = 0; k < mm; k++) sum -= x[k * n + j] * q[l * mm + k];
            v[j * mm + l] = sum;
        }
    for (int j = 0; j < p->columns; j++)
        for (int e = p->start[j]; e < p->start[j + 1]; e++) {
            Complex sum = 0;
            for (size_t l = 0; l < mm; l++) sum += u[(size_t)p->row[e] * mm + l] * v[(size_t)j * mm + l];
            g[2 * e] = creal(sum);
            g[2 * e + 1] = cimag(sum);
        }
    return true;
}

/* Clusters of a pair of size n; `lift` makes bases of full length from those of the pair. */
typedef struct {
    int n; /* of the pair */
    const double *a, *b;
    void (*lift)(void *arg, int m, const Complex *x, const Complex *y, Complex *full_x, Complex *full_y);
    void *arg;
} Pair;

static bool do_cluster(Maker *mk, const Pair *pair, const Schur *schur, const unsigned char *chosen, int m,
                       double *g)
{
    size_t n = (size_t)pair->n, nf = (size_t)mk->s->n, mm = (size_t)m;
    ArenaMark mark = arena_mark(mk->scratch);
    Complex *x = NEW_ARRAY(mk->scratch, Complex, n * mm + 1),
            *y = NEW_ARRAY(mk->scratch, Complex, n * mm + 1);
    Complex *product = NEW_ARRAY(mk->scratch, Complex, n * mm + 1);
    Complex *ak = NEW_ARRAY(mk->scratch, Complex, mm * mm + 1),
            *bk = NEW_ARRAY(mk->scratch, Complex, mm * mm + 1);
    bool ok = schur_bases(schur, chosen, m, x, y, mk->scratch);
    for (int which = 0; which < 2 && ok; which++) {
        const double *matrix = which ? pair->b : pair->a;
        memset(product, 0, n * mm * sizeof *product);
        for (size_t l = 0; l < mm; l++)
            for (size_t j = 0; j < n; j++)
                for (size_t i = 0; i < n; i++) product[l * n + i] += matrix[j * n + i] * x[l * n + j];
        multiply_h((int)n, m, m, y, product, which ? bk : ak);
    }
    if (ok && pair->lift) {
        Complex *fx = NEW_ARRAY(mk->scratch, Complex, nf * mm + 1),
                *fy = NEW_ARRAY(mk->scratch, Complex, nf * mm + 1);
        pair->lift(pair->arg, m, x, y, fx, fy);
        x = fx;
        y = fy;
    }
    ok = ok && write_g(mk, m, x, y, ak, bk, g);
    arena_rewind(mk->scratch, mark);
    return ok;
}

/* Eigenvalues that reordering cannot part stay in the cluster of the first of them. */
static CriterionStatus do_pair(Maker *mk, const Pair *pair, int room)
{
    int n = pair->n, *cluster = NEW_ARRAY(mk->scratch, int, (size_t)n + 1);
    Schur *schur = schur_of(mk->scratch, n, pair->a, pair->b);
    if (!schur) return CRITERION_FAILED;
    note_eigenvalues(mk, n, schur->lambda);
    int count = find_clusters(n, schur->lambda, cluster);
    unsigned char *chosen = NEW_ARRAY(mk->scratch, unsigned char, (size_t)n + 1);
    mk->out->clusters = NEW_ARRAY(mk->arena, Cluster, (size_t)(count + room) + 1);
    for (int k = 0; k < count; k++) {
        Cluster c = describe(mk, k, n, schur->lambda, cluster);
        for (int i = 0; i < n; i++) chosen[i] = cluster[i] == k;
        if (!do_cluster(mk, pair, schur, chosen, c.m, (double *)(uintptr_t)c.g)) return CRITERION_FAILED;
        mk->out->clusters[mk->out->count++] = c;
    }
    return CRITERION_OK;
}

/* ---- with algebraic unknowns eliminated ------------------------------------------------------ */

typedef struct {
    const RtSystem *s;
    int nd, na;
    int *number; /* by unknown: among the differential, or among the algebraic ones */
    Complex *ad; /* D_aa^-1 D_ad, na x nd by columns; real */
    Complex *da; /* D_aa^-T D_da^T, na x nd */
} Split;

static bool is_algebraic(const RtSystem *s, int i) { return s->mass[i] == 0; }

static void lift(void *arg, int m, const Complex *x, const Complex *y, Complex *fx, Complex *fy)
{
    const Split *sp = arg;
    size_t n = (size_t)sp->s->n, nd = (size_t)sp->nd, na = (size_t)sp->na;
    for (size_t l = 0; l < (size_t)m; l++)
        for (size_t i = 0; i < n; i++) {
            size_t k = (size_t)sp->number[i];
            Complex *to_x = &fx[l * n + i], *to_y = &fy[l * n + i];
            *to_x = *to_y = 0;
            if (!is_algebraic(sp->s, (int)i)) {
                *to_x = x[l * nd + k];
                *to_y = y[l * nd + k];
                continue;
            }
            for (size_t j = 0; j < nd; j++) {
                *to_x -= sp->ad[j * na + k] * x[l * nd + j];
                *to_y -= sp->da[j * na + k] * y[l * nd + j];
            }
        }
}

/* Factors of the algebraic part, or of its transpose; NULL: singular. */
static Lu *algebraic_lu(Maker *mk, const Split *sp, bool transposed)
{
    const Pattern *p = mk->s->pattern;
    VEC(Entry) entries = { 0 };
    for (int j = 0; j < p->columns; j++)
        for (int e = p->start[j]; e < p->start[j + 1]; e++) {
            int a = sp->number[p->row[e]], c = sp->number[j];
            Entry entry = { transposed ? c : a, transposed ? a : c };
            if (is_algebraic(mk->s, p->row[e]) && is_algebraic(mk->s, j))
                vec_push(mk->scratch, &entries, entry);
        }
    Pattern *aa = pattern_of_entries(mk->scratch, sp->na, sp->na, entries.at, entries.n);
    MatrixShape *shape = matrix_shape_as(mk->scratch, MATRIX_SPARSE, sp->na, aa);
    double *values = NEW_ARRAY(mk->scratch, double, shape->size + 1);
    for (int j = 0; j < p->columns; j++)
        for (int e = p->start[j]; e < p->start[j + 1]; e++) {
            int a = sp->number[p->row[e]], c = sp->number[j];
            if (is_algebraic(mk->s, p->row[e]) && is_algebraic(mk->s, j))
                values[matrix_place(shape, transposed ? c : a, transposed ? a : c)] = mk->df[e];
        }
    Lu *lu = lu_new(mk->scratch, shape, false);
    if (lu && lu_factor(lu, values) == LU_OK) return lu;
    lu_free(lu);
    return NULL;
}

/* One column of D_aa^-1 D_ad (right), or of D_aa^-T D_da^T, for each differential unknown. */
static bool solve_side(Maker *mk, const Split *sp, bool left, Complex *out)
{
    const Pattern *p = mk->s->pattern;
    size_t na = (size_t)sp->na;
    Lu *lu = algebraic_lu(mk, sp, left);
    if (!lu) return false;
    double *columns = NEW_ARRAY(mk->scratch, double, na *(size_t)sp->nd + 1);
    for (int j = 0; j < p->columns; j++)
        for (int e = p->start[j]; e < p->start[j + 1]; e++) {
            int from = left ? p->row[e] : j, to = left ? j : p->row[e];
            if (is_algebraic(mk->s, to) && !is_algebraic(mk->s, from))
                columns[(size_t)sp->number[from] * na + (size_t)sp->number[to]] = mk->df[e];
        }
    for (int j = 0; j < sp->nd; j++) {
        lu_solve(lu, columns + (size_t)j * na);
        for (size_t k = 0; k < na; k++) out[(size_t)j * na + k] = columns[(size_t)j * na + k];
    }
    lu_free(lu);
    return true;
}

/* a = L_dd, b = L_dd - tau (D_dd - D_da D_aa^-1 D_ad) */
static void reduced_pair(const Maker *mk, const Split *sp, double *a, double *b)
{
    const Pattern *p = mk->s->pattern;
    size_t nd = (size_t)sp->nd, na = (size_t)sp->na;
    for (int i = 0; i < mk->s->n; i++)
        if (!is_algebraic(mk->s, i)) {
            size_t k = (size_t)sp->number[i];
            a[k * nd + k] = b[k * nd + k] = mk->s->mass[i];
        }
    for (int j = 0; j < p->columns; j++)
        for (int e = p->start[j]; e < p->start[j + 1]; e++) {
            size_t row = (size_t)sp->number[p->row[e]], column = (size_t)sp->number[j];
            double value = mk->s->tau * mk->df[e];
            if (is_algebraic(mk->s, p->row[e])) continue;
            if (!is_algebraic(mk->s, j)) b[column * nd + row] -= value;
            for (size_t d = 0; d < nd && is_algebraic(mk->s, j); d++)
                b[d * nd + row] += value * creal(sp->ad[d * na + column]);
        }
}

/* What is left of the trace for the eigenvalue 0 of the algebraic equations: ((I - B^-1 L) B^-1)_ji
 * less the others. */
static bool add_rest(Maker *mk)
{
    const RtSystem *s = mk->s;
    const Pattern *p = s->pattern;
    size_t n = (size_t)s->n;
    MatrixShape *shape = matrix_shape_as(mk->scratch, MATRIX_SPARSE, s->n, p);
    double *values = NEW_ARRAY(mk->scratch, double, shape->size + 1);
    for (int i = 0; i < s->n; i++) values[shape->diagonal[i]] += s->mass[i];
    for (int j = 0; j < p->columns; j++)
        for (int e = p->start[j]; e < p->start[j + 1]; e++)
            values[matrix_place(shape, p->row[e], j)] -= s->tau * mk->df[e];
    Lu *lu = lu_new(mk->scratch, shape, false);
    bool ok = lu && lu_factor(lu, values) == LU_OK;
    double *first = NEW_ARRAY(mk->scratch, double, n + 1), *second = NEW_ARRAY(mk->scratch, double, n + 1);
    double *g = NEW_ARRAY(mk->arena, double, 2 * (size_t)pattern_count(p) + 2);
    for (int i = 0; i < s->n && ok; i++) {
        memset(first, 0, n * sizeof *first);
        first[i] = 1;
        lu_solve(lu, first);
        for (size_t k = 0; k < n; k++) second[k] = s->mass[k] * first[k];
        lu_solve(lu, second);
        for (int j = 0; j < p->columns; j++) {
            int e = pattern_find(p, i, j);
            if (e >= 0) g[2 * e] = first[j] - second[j];
        }
    }
    lu_free(lu);
    for (int k = 0; k < mk->out->count; k++)
        for (int e = 0; e < 2 * pattern_count(p); e++) g[e] -= mk->out->clusters[k].g[e];
    int algebraic = 0;
    for (int i = 0; i < s->n; i++) algebraic += is_algebraic(s, i);
    Cluster rest = { CLUSTER_STIFF, algebraic, 0, 0, 1, g };
    mk->out->clusters[mk->out->count++] = rest;
    return ok;
}

static CriterionStatus do_eliminated(Maker *mk)
{
    int n = mk->s->n;
    Split sp = { .s = mk->s, .number = NEW_ARRAY(mk->scratch, int, (size_t)n + 1) };
    for (int i = 0; i < n; i++) sp.number[i] = is_algebraic(mk->s, i) ? sp.na++ : sp.nd++;
    size_t nd = (size_t)sp.nd, na = (size_t)sp.na;
    sp.ad = NEW_ARRAY(mk->scratch, Complex, nd * na + 1);
    sp.da = NEW_ARRAY(mk->scratch, Complex, nd * na + 1);
    if (!solve_side(mk, &sp, false, sp.ad) || !solve_side(mk, &sp, true, sp.da)) return CRITERION_SINGULAR;
    double *a = NEW_ARRAY(mk->scratch, double, nd *nd + 1), *b = NEW_ARRAY(mk->scratch, double, nd *nd + 1);
    reduced_pair(mk, &sp, a, b);
    Pair pair = { sp.nd, a, b, lift, &sp };
    CriterionStatus status = do_pair(mk, &pair, 1);
    if (status == CRITERION_OK && !add_rest(mk)) status = CRITERION_SINGULAR;
    return status;
}

CriterionStatus criterion_new(Arena *arena, const RtSystem *s, const double *df, bool eliminate,
                              Criterion *out)
{
    Arena *scratch = arena_new();
    if (!scratch) return CRITERION_FAILED;
    *out = (Criterion){ 0 };
    Maker mk = { arena, scratch, s, df, out };
    size_t n = (size_t)s->n;
    bool any = false;
    for (int i = 0; i < s->n; i++) any |= is_algebraic(s, i);
    CriterionStatus status;
    if (eliminate && any) {
        status = do_eliminated(&mk);
    } else {
        double *a = NEW_ARRAY(scratch, double, n *n + 1), *b = NEW_ARRAY(scratch, double, n *n + 1);
        Complex *lambda = NEW_ARRAY(scratch, Complex, n + 1);
        dense_pair(s, df, a, b);
        status = pair_eigenvalues(s->n, a, b, lambda, scratch) ? CRITERION_OK : CRITERION_SINGULAR;
        dense_pair(s, df, a, b);
        Pair pair = { s->n, a, b, NULL, NULL };
        if (status == CRITERION_OK) status = do_pair(&mk, &pair, 0);
    }
    arena_free(scratch);
    return status;
}

double criterion_distance(const RtSystem *s, const Criterion *c, const double *df, const double *other,
                          int *which)
{
    double worst = 0;
    int count = pattern_count(s->pattern);
    for (int k = 0; k < c->count; k++) {
        double re = 0, im = 0;
        for (int e = 0; e < count; e++) {
            double change = s->tau * (df[e] - other[e]);
            re += change * c->clusters[k].g[2 * e];
            im += change * c->clusters[k].g[2 * e + 1];
        }
        double share = hypot(re, im) / c->clusters[k].scale;
        if (!(share > worst)) continue;
        worst = share;
        *which = k;
    }
    return worst;
}

bool perturbed_eigenvalues(const RtSystem *s, const double *df, const double *left_out, double *lambda,
                           Arena *scratch)
{
    size_t n = (size_t)s->n;
    ArenaMark mark = arena_mark(scratch);
    double *a = NEW_ARRAY(scratch, double, n *n + 1), *b = NEW_ARRAY(scratch, double, n *n + 1);
    Complex *values = NEW_ARRAY(scratch, Complex, n + 1);
    dense_pair(s, df, a, b);
    for (size_t j = 0; j < n; j++)
        for (int e = s->pattern->start[j]; e < s->pattern->start[j + 1]; e++) {
            a[j * n + (size_t)s->pattern->row[e]] += s->tau * left_out[e];
            b[j * n + (size_t)s->pattern->row[e]] += s->tau * left_out[e];
        }
    bool ok = pair_eigenvalues(s->n, a, b, values, scratch);
    for (size_t i = 0; i < n; i++) lambda[2 * i] = creal(values[i]), lambda[2 * i + 1] = cimag(values[i]);
    arena_rewind(scratch, mark);
    return ok;
}
