/* Straight code for a plan solves what dense LU solves, also transposed, for matrices the plan has
 * not seen; an order that needs pivots off the diagonal finds them; a singular sample is refused; a
 * pattern without fill keeps its entries. */
#include "test.h"

#include "linalg/linalg.h"

#include <stdlib.h>

enum { N = 12, SAMPLES = 3 };

static uint64_t state = 88172645463325252u;
static double uniform(void)
{
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return (double)(state >> 11) * 0x1p-53 - 0.5;
}

typedef struct {
    Arena *arena;
    Pattern *p;
    double values[SAMPLES][N * N];
} Case;

/* A random pattern with a full transversal that is not the diagonal. */
static void make(Case *c, int n, double density)
{
    Entry entries[N * N];
    size_t count = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            if (j == (i * 5 + 1) % n || uniform() + 0.5 < density) entries[count++] = (Entry){ i, j };
    c->p = pattern_of_entries(c->arena, n, n, entries, count);
    for (int s = 0; s < SAMPLES; s++)
        for (int j = 0; j < n; j++)
            for (int e = c->p->start[j]; e < c->p->start[j + 1]; e++)
                c->values[s][e] = uniform() + (j == (c->p->row[e] * 5 + 1) % n ? (s ? 2 : 3) : 0);
}

/* Code that loads entries and both right-hand sides from memory and stores both solutions. */
static IrCode *compile(const Case *c, const LuPlan *plan, IrModule **module, IrFun *f)
{
    int n = plan->n, count = pattern_count(c->p);
    *module = ir_module_new(c->arena);
    IrMem matrix = ir_add_memory(*module, "a", IR_REAL, (uint32_t)count);
    IrMem vector = ir_add_memory(*module, "x", IR_REAL, (uint32_t)(2 * n));
    IrBuilder b = ir_begin(*module, "solve");
    IrArr a = ir_array_memory(&b, matrix), x = ir_array_memory(&b, vector);
    IrReg entries[N * N], right[2 * N];
    for (int e = 0; e < count; e++) entries[e] = ir_load(&b, a, IR_NONE, e);
    for (int i = 0; i < 2 * n; i++) right[i] = ir_load(&b, x, IR_NONE, i);
    StraightLu *lu = straight_factor(c->arena, &b, plan, entries);
    straight_solve(&b, lu, right);
    straight_solve_transposed(&b, lu, right + n);
    for (int i = 0; i < 2 * n; i++) ir_store(&b, x, IR_NONE, i, right[i]);
    ir_optimize(*module, b.id);
    CHECK(ir_verify(*module, b.id) == NULL);
    *f = b.id;
    return ir_code_new(*module, IR_AUTO);
}

static void times(const Pattern *p, const double *values, const double *x, bool transposed, double *y)
{
    for (int i = 0; i < p->rows; i++) y[i] = 0;
    for (int j = 0; j < p->columns; j++)
        for (int e = p->start[j]; e < p->start[j + 1]; e++)
            if (transposed)
                y[j] += values[e] * x[p->row[e]];
            else
                y[p->row[e]] += values[e] * x[j];
}

static void test_solves(int n, double density)
{
    Case c = { .arena = arena_new() };
    make(&c, n, density);
    const double *samples[] = { c.values[0], c.values[1] };
    LuPlan *plan = lu_plan(c.arena, c.p, samples, 2, 0.1);
    if (!CHECK(plan != NULL)) return;
    CHECK(plan->count >= pattern_count(c.p) && plan->growth < 1e3 && plan->least > 0);
    IrModule *module;
    IrFun f;
    IrCode *code = compile(&c, plan, &module, &f);
    double want[N], memory[2 * N];
    Rt *rt = rt_new(0);
    RtArray arrays[] = { { c.values[2], pattern_count(c.p) }, { memory, 2 * n } };
    rt->memory = arrays;
    for (int i = 0; i < n; i++) want[i] = uniform();
    times(c.p, c.values[2], want, false, memory);
    times(c.p, c.values[2], want, true, memory + n);
    RtCell none;
    CHECK(ir_run(code, f, rt, &none) == RT_OK);
    for (int i = 0; i < 2 * n; i++) CHECK_NEAR(memory[i], want[i % n], 1e-9);
    rt_free(rt);
    ir_code_free(code);
    arena_free(c.arena);
}

static void test_fill(void)
{
    Arena *arena = arena_new();
    Entry arrow[3 * N];
    size_t count = 0;
    for (int i = 0; i < N; i++) {
        arrow[count++] = (Entry){ i, i };
        if (i) arrow[count++] = (Entry){ 0, i }, arrow[count++] = (Entry){ i, 0 };
    }
    Pattern *p = pattern_of_entries(arena, N, N, arrow, count);
    LuPlan *plan = lu_plan(arena, p, NULL, 0, 0.1);
    CHECK(plan && plan->count == pattern_count(p)); /* the corner comes last: no fill */
    arena_free(arena);
}

static void test_singular(void)
{
    Arena *arena = arena_new();
    const Entry entries[] = { { 0, 0 }, { 0, 1 }, { 1, 0 }, { 1, 1 } };
    Pattern *p = pattern_of_entries(arena, 2, 2, entries, 4);
    const double good[] = { 1, 2, 3, 4 }, bad[] = { 1, 2, 2, 4 };
    const double *both[] = { good, bad };
    CHECK(lu_plan(arena, p, both, 1, 0.1) != NULL);
    CHECK(lu_plan(arena, p, both, 2, 0.1) == NULL);
    arena_free(arena);
}

int main(void)
{
    for (int n = 1; n <= N; n++) test_solves(n, 0.3);
    test_solves(N, 1.0);
    test_fill();
    test_singular();
    return test_end();
}
