/* Shapes that make a careless pass quadratic or recurse too deeply: a long chain of aliases, many
 * independent blocks, one large block, one long sum. They must come out right; that they come out
 * soon is what bench/ measures. */
#include "gen/world.h"
#include "run/tables.h"

static void test_text(Text *text, const char *name, double want, double tolerance)
{
    Run r;
    if (CHECK_ROW(run_open(&r, text->at, IR_AUTO), name)) {
        CHECK_ROW(run_start(&r, 0), name);
        if (!CHECK_NEAR(run_value(&r, name), want, tolerance)) printf("  %s\n", name);
    }
    run_close(&r);
}

static void test_aliases(Arena *a)
{
    enum { N = 5000 };
    Text text = { .arena = a };
    for (int i = 0; i < N; i++) text_printf(&text, "Real a%d;\n", i);
    text_printf(&text, "Real x(start=2, fixed=true); equation der(x) = a%d; a0 = x;\n", N - 1);
    for (int i = 1; i < N; i++) text_printf(&text, "a%d = -a%d;\n", i, i - 1);
    test_text(&text, "a4999", -2, 0);
}

static void test_blocks(Arena *a)
{
    enum { N = 1000 };
    Text text = { .arena = a };
    for (int i = 0; i < N; i++) text_printf(&text, "Real b%d(start=1);\n", i);
    text_printf(&text, "Real x(start=1, fixed=true); equation der(x) = 1;\n");
    for (int i = 0; i < N; i++) text_printf(&text, "b%d^3 + b%d = x + %d;\n", i, i, 1 + 8 * (i % 2));
    test_text(&text, "b999", 2, 1e-12); /* 2^3 + 2 = 1 + 9 */
}

/* A chain that must not be torn into an assignment after the other: each would multiply errors by
 * three. */
static void test_chain(Arena *a)
{
    enum { N = 200 };
    Text text = { .arena = a };
    for (int i = 0; i <= N; i++) text_printf(&text, "Real c%d;\n", i);
    text_printf(&text, "Real x(start=1, fixed=true); equation der(x) = c1; c0 = x; c%d = 0;\n", N);
    for (int i = 1; i < N; i++) text_printf(&text, "3*c%d = c%d + c%d;\n", i, i - 1, i + 1);
    test_text(&text, "c1", (3 - sqrt(5)) / 2, 1e-14);
}

/* A square grid of resistors of 1 Ohm between its opposite corners, of which 1 A is drawn: node
 * voltages are one block with a sparse Jacobian. The resistance of an n x n grid from corner to
 * corner is known: 13/7 for 4 x 4 nodes, 47/22 for 5 x 5. Whatever it is, the other corners have
 * half of the voltage. */
static void test_grid(Arena *a, int n, double want)
{
    Text text = { .arena = a };
    text_printf(&text, "Real u, e");
    for (int i = 0; i < n * n; i++) text_printf(&text, ", v%d", i);
    for (int i = 0; i < n * n; i++) text_printf(&text, ", h%d, w%d", i, i);
    text_printf(&text, "; equation u = v0; v%d = 0; e = v%d - u/2;\n", n * n - 1, n - 1);
    for (int i = 0; i < n * n; i++) {
        int x = i % n, y = i / n;
        text_printf(&text, x + 1 < n ? "h%d = v%d - v%d;\n" : "h%d = 0*v%d*v%d;\n", i, i,
                    x + 1 < n ? i + 1 : i);
        text_printf(&text, y + 1 < n ? "w%d = v%d - v%d;\n" : "w%d = 0*v%d*v%d;\n", i, i,
                    y + 1 < n ? i + n : i);
        if (i == n * n - 1) continue;
        text_printf(&text, "h%d + w%d", i, i);
        if (x) text_printf(&text, " - h%d", i - 1);
        if (y) text_printf(&text, " - w%d", i - n);
        text_printf(&text, " = %d;\n", i == 0);
    }
    test_text(&text, want > 0 ? "u" : "e", want, 1e-11);
}

/* A square of unknowns, each coupled with its neighbours by equations that are not linear: Newton's
 * method with sparse factors. All of them are 2, as the values around the square are. */
static void test_curved_grid(Arena *a, int n)
{
    Text text = { .arena = a };
    text_printf(&text, "Real x(start=0, fixed=true)");
    for (int i = 0; i < n * n; i++) text_printf(&text, ", v%d(start=1)", i);
    text_printf(&text, "; equation der(x) = v0;\n");
    for (int i = 0; i < n * n; i++) {
        const int at[][2] = {
            { i % n > 0, i - 1 }, { i % n < n - 1, i + 1 }, { i >= n, i - n }, { i < n * n - n, i + n }
        };
        text_printf(&text, "4*v%d + v%d^3/8 = 1 + 0*x", i, i);
        for (int k = 0; k < 4; k++) {
            if (at[k][0]) text_printf(&text, " + v%d", at[k][1]);
            if (!at[k][0]) text_printf(&text, " + 2");
        }
        text_printf(&text, ";\n");
    }
    test_text(&text, arena_printf(a, "v%d", n * n / 2), 2, 1e-13);
}

/* A chain of bodies, in which each takes half of what comes from the one before it, and forces go
 * in the other direction. All are 1. Entries of the torn Jacobian grow with the length of the
 * chain, not with its square. */
static void test_bodies(Arena *a)
{
    enum { N = 300, MOST_ENTRIES = 20 * N };
    Text text = { .arena = a };
    text_printf(&text, "Real x(start=1, fixed=true), s0; equation der(x) = a1; s0 = 1 + 0*x;\n");
    for (int i = 1; i <= N; i++) {
        text_printf(&text, "s%d = 0.5*s%d + 0.5*a%d; f%d + (2 + x)*a%d = 3 + x;\n", i, i - 1, i, i, i);
        text_printf(&text, i < N ? "f%d = 0.5*f%d + 0.5*s%d;\n" : "f%d = 0.5 + 0*s%d + 0.5*s%d;\n", i,
                    i < N ? i + 1 : i, i);
    }
    Text all = { .arena = a };
    for (int i = 1; i <= N; i++) text_printf(&all, "Real s%d, f%d, a%d;\n", i, i, i);
    text_printf(&all, "%s", text.at);
    Run r;
    if (CHECK(run_open(&r, all.at, IR_AUTO)) && CHECK(run_start(&r, 0))) {
        const RunModel *m = gen_run_model(r.compiled);
        int entries = 0;
        for (uint32_t k = 0; k < m->block_count; k++)
            if (m->blocks[k].pattern) entries += m->blocks[k].pattern->start[m->blocks[k].n];
        CHECK(entries > N && entries < MOST_ENTRIES);
        CHECK_NEAR(run_value(&r, "a1"), 1, 1e-9);
        CHECK_NEAR(run_value(&r, "a250"), 1, 1e-9);
    }
    run_close(&r);
}

/* As many states as unknowns of a large loop, which couples all of them: df/dx is full, and the
 * residual form, in which the loop's unknowns are the integrator's, is sparse. Both have the same
 * derivatives. Without the loop the states' own form is as sparse. */
static void test_states_beside(Arena *a, bool has_loop)
{
    enum { N = 18 };
    static double y[8 * N * N], f[8 * N * N];
    Text text = { .arena = a };
    for (int i = 0; i < N * N; i++) text_printf(&text, "Real u%d(start=%d, fixed=true), w%d;\n", i, i % 5, i);
    text_printf(&text, "equation\n");
    for (int i = 0; i < N * N; i++) {
        text_printf(&text, "der(u%d) = w%d - u%d;\n 6*w%d + w%d^3/8 = u%d", i, i, i, i, i, i);
        if (has_loop && i % N > 0) text_printf(&text, " + w%d", i - 1);
        if (has_loop && i % N < N - 1) text_printf(&text, " + w%d", i + 1);
        if (has_loop && i >= N) text_printf(&text, " + w%d", i - N);
        if (has_loop && i < N * N - N) text_printf(&text, " + w%d", i + N);
        text_printf(&text, ";\n");
    }
    Run r = { .mini = mini_new(text.at) };
    r.system = dae_build(r.mini->flat, r.mini->arena, &r.mini->diag);
    r.compiled = gen_compile(r.system, IR_AUTO, &r.mini->diag);
    CHECK(gen_prefers_residual_form(r.compiled) == has_loop);
    if (has_loop && CHECK(gen_add_residual_form(r.compiled, &r.mini->diag))) {
        r.model = gen_residual_instance(r.compiled);
        Model *plain = gen_instance(r.compiled);
        int n = r.model->shape.n, own = plain->shape.n;
        CHECK(own == N * N && n > own && pattern_count(r.model->shape.pattern) < 30 * n);
        CHECK(r.model->type->initialise(r.model, 0, y, &r.info) == EVAL_OK);
        CHECK(r.model->type->derivatives(r.model, 0, y, f) == EVAL_OK);
        for (int k = own; k < n; k++) CHECK_NEAR(f[k], 0, 1e-12);
        CHECK(plain->type->initialise(plain, 0, y, &r.info) == EVAL_OK);
        CHECK(plain->type->derivatives(plain, 0, y, f + n) == EVAL_OK);
        for (int k = 0; k < own; k++) CHECK_NEAR(f[k], f[n + k], 1e-12);
        gen_instance_free(plain);
    }
    run_close(&r);
}

static void test_sum(Arena *a)
{
    enum { N = 600 };
    Text text = { .arena = a };
    for (int i = 0; i < N; i++) text_printf(&text, "Real s%d;\n", i);
    text_printf(&text, "Real sum; equation sum = 0");
    for (int i = 0; i < N; i++) text_printf(&text, " + s%d", i);
    text_printf(&text, ";\n");
    for (int i = 0; i < N; i++) text_printf(&text, "s%d = %d + time;\n", i, i);
    test_text(&text, "sum", N * (N - 1) / 2, 0);
}

int main(void)
{
    Arena *a = arena_new();
    test_aliases(a);
    test_blocks(a);
    test_chain(a);
    test_grid(a, 4, 13.0 / 7);
    test_grid(a, 5, 47.0 / 22);
    test_grid(a, 24, 0);
    test_curved_grid(a, 8);
    test_curved_grid(a, 22);
    test_bodies(a);
    test_states_beside(a, true);
    test_states_beside(a, false);
    test_sum(a);
    arena_free(a);
    return test_end();
}
