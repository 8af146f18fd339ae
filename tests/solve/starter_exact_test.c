/* The starter in Nordsieck form, proved in rational arithmetic: its code is run on a model whose
 * evaluations give unit vectors, which shows every coefficient; then each column of the array of
 * order p satisfies the condition of every rooted tree of up to p nodes. The printed coefficients
 * of order 3 and 4 are such methods too; those of order 3 are ours. */
#include "solve/methods/adams_bdf/inside.h"
#include "test.h"

__extension__ typedef __int128 Wide;

typedef struct {
    Wide p, q;
} Rational;

static Rational rational(Wide p, Wide q)
{
    Wide a = p < 0 ? -p : p, b = q < 0 ? -q : q;
    while (b) {
        Wide rest = a % b;
        a = b;
        b = rest;
    }
    if (q < 0) a = -a;
    return a ? (Rational){ p / a, q / a } : (Rational){ 0, 1 };
}

static Rational plus(Rational a, Rational b) { return rational(a.p * b.q + b.p * a.q, a.q * b.q); }
static Rational times(Rational a, Rational b) { return rational(a.p * b.p, a.q * b.q); }
static bool equal(Rational a, Rational b) { return a.p == b.p && a.q == b.q; }

/* The fraction with the least denominator that is this double, give or take its last digits. */
static Rational rational_of(double v)
{
    for (int q = 1; q <= 40000; q++) {
        double p = round(v * q);
        if (fabs(p / q - v) <= 64.0 * UROUND * fabs(v)) return rational((Wide)p, q);
    }
    CHECK_ROW(false, "a coefficient is no small fraction");
    return (Rational){ 0, 1 };
}

enum { MOST_STAGES = 16, MOST_TREE = 6, TREES = 64 };

typedef struct {
    int stages, order;
    /* rows: arguments of evaluations, in units of H f */
    Rational a[MOST_STAGES][MOST_STAGES];
    Rational gamma[MOST_STAGES][MOST_TREE + 1]; /* column k of the array, in units of H f */
} Method;

/* Rooted trees, each with the trees that hang on its root. */
typedef struct {
    int nodes, branches, branch[MOST_TREE];
    Wide density;
} Rooted;

static int grow(Rooted *trees, int most);

/* Hangs trees from `first` on at the root until all nodes are used. */
static int hang(Rooted *trees, int n, Rooted part, int left, int first, int below)
{
    if (left == 0) {
        part.density = part.nodes;
        for (int k = 0; k < part.branches; k++) part.density *= trees[part.branch[k]].density;
        trees[n] = part;
        return n + 1;
    }
    for (int k = first; k < below; k++) {
        if (trees[k].nodes > left) continue;
        Rooted more = part;
        more.branch[more.branches++] = k;
        n = hang(trees, n, more, left - trees[k].nodes, k, below);
    }
    return n;
}

static int grow(Rooted *trees, int most)
{
    int n = 0;
    for (int nodes = 1; nodes <= most; nodes++)
        n = hang(trees, n, (Rooted){ .nodes = nodes }, nodes - 1, 0, n);
    return n;
}

/* What stage i makes of a tree. */
static Rational weight(const Method *m, const Rooted *trees, int tree, int i)
{
    Rational product = { 1, 1 };
    for (int k = 0; k < trees[tree].branches; k++) {
        Rational sum = { 0, 1 };
        for (int j = 0; j < i; j++)
            if (m->a[i][j].p) sum = plus(sum, times(m->a[i][j], weight(m, trees, trees[tree].branch[k], j)));
        product = times(product, sum);
    }
    return product;
}

static void check_trees(const Method *m, const char *name)
{
    static const int counts[] = { 0, 1, 2, 4, 8, 17, 37 };
    Rooted trees[TREES];
    int n = grow(trees, m->order);
    CHECK_ROW(n == counts[m->order], name);
    for (int t = 0; t < n; t++)
        for (int k = 1; k <= m->order; k++) {
            Rational sum = { 0, 1 };
            for (int i = 0; i < m->stages; i++)
                if (m->gamma[i][k].p) sum = plus(sum, times(m->gamma[i][k], weight(m, trees, t, i)));
            Rational want = trees[t].nodes == k ? rational(1, trees[t].density) : (Rational){ 0, 1 };
            if (!CHECK_ROW(equal(sum, want), name)) printf("  tree %d, column %d\n", t, k);
        }
}

/* Evaluation i gives the unit vector i and notes its argument. */
typedef struct {
    int count, n;
    double argument[MOST_STAGES][MOST_STAGES];
} Probe;

static EvalStatus probe_f(Model *model, double t, const double *y, double *f)
{
    Probe *probe = model->data;
    (void)t;
    memset(f, 0, (size_t)probe->n * sizeof *f);
    memcpy(probe->argument[probe->count], y, (size_t)probe->n * sizeof *y);
    f[probe->count++] = 1.0;
    return EVAL_OK;
}

static Method probe_fill(int p)
{
    static const ModelType type = { .derivatives = probe_f };
    Probe probe = { .count = 0, .n = 1 + p * (p - 1) / 2 };
    ModelShape shape = { .name = "probe", .n = probe.n };
    double y0[MOST_STAGES] = { 0 };
    Model model;
    const char *wrong;
    SolverFailure why;
    CHECK(model_init(&model, &type, &shape, &probe, &wrong));
    Problem problem = { &model, 0.0, 1.0, y0, NULL };
    SolverOptions o = solver_options(1e-6, 1e-6);
    Solver *s = solver_create(solver_find("adams"), &problem, &o, &why);
    Nordsieck *m = (Nordsieck *)s;
    probe_f(&model, 0.0, y0, m->z[1]);
    CHECK(starter_fill(&m->restart, p, 1.0, m->z, m->w) == EVAL_OK && probe.count == probe.n);
    Method method = { .stages = probe.n, .order = p };
    for (int i = 0; i < probe.n; i++) {
        for (int j = 0; j < probe.n; j++) method.a[i][j] = rational_of(probe.argument[i][j]);
        for (int k = 1; k <= p; k++) method.gamma[i][k] = rational_of(m->z[k][i]);
    }
    solver_destroy(s);
    return method;
}

/* Mohammadi, Arevalo, Fuehrer 2014, (23) and the matrices after (24): k_i = h f, columns h^k y^(k),
 * h = H/steps. */
static Method printed(int order, int steps, int stages, const double *a, const double *gamma)
{
    Method m = { .stages = stages, .order = order };
    for (int i = 0; i < stages; i++) {
        for (int j = 0; j < stages; j++)
            m.a[i][j] = times(rational_of(a[i * stages + j]), rational(1, steps));
        Wide scale = 1; /* steps^k / k! over the steps of k_i */
        for (int k = 1, factorial = 1; k <= order; k++) {
            factorial *= k;
            m.gamma[i][k] = times(rational_of(gamma[i * order + k - 1]), rational(scale, factorial));
            scale *= steps;
        }
    }
    return m;
}

static void check_printed(void)
{
    static const double a3[] = { 0, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0, 1.5, 0, 0, 0 };
    static const double gamma3[] = { 1, -5.0 / 3, 1, 0, 3, -2, 0, 0, 1, 0, -4.0 / 3, 0 };
    static const double a4[] = { 0,   0, 0,   0, 0, 0, 1,        0, 0,    0,       0, 0,
                                 0,   2, 0,   0, 0, 0, 0.75,     0, 2.25, 0,       0, 0,
                                 0.5, 1, 0.5, 2, 0, 0, 1.0 / 12, 2, 0.25, 2.0 / 3, 2, 0 };
    static const double gamma4[] = { 1, -5.0 / 6, 4.0 / 9,  -1.0 / 9, 0, 0,       0,         0,
                                     0, 0.5,      -4.0 / 9, 1.0 / 9,  0, 7.0 / 3, -19.0 / 9, 7.0 / 9,
                                     0, -3,       10.0 / 3, -4.0 / 3, 0, 1,       -11.0 / 9, 5.0 / 9 };
    Method three = printed(3, 3, 4, a3, gamma3), four = printed(4, 4, 6, a4, gamma4), ours = probe_fill(3);
    check_trees(&three, "printed, order 3");
    check_trees(&four, "printed, order 4");
    for (int i = 0; i < 4; i++)
        for (int k = 1; k <= 3; k++) CHECK(equal(three.gamma[i][k], ours.gamma[i][k]));
}

int main(void)
{
    for (int p = 3; p <= MOST_TREE; p++) {
        Method method = probe_fill(p);
        char name[32];
        snprintf(name, sizeof name, "order %d", p);
        check_trees(&method, name);
    }
    check_printed();
    return test_end();
}
