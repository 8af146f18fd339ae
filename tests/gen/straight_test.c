/* Straight code gives the f and the Jacobian of the model it was made from, in both forms, away
 * from the points its pivots were chosen at; chosen entries alone come out as among all; a relation
 * that changed is told. */
#include "gen/world.h"

#include <stdlib.h>

static const struct {
    const char *text;
    double accuracy; /* nonlinear blocks are solved by some rounds only */
} rows[] = {
    { "Real x(start=1, fixed=true); equation der(x) = -x*time;", 1e-12 },
    { "Real x(start=1, fixed=true), y(start=2, fixed=true); equation der(x) = y; der(y) = -sin(x) - 0.1*y;",
      1e-12 },
    { "parameter Real R=2; Real x(start=1.5, fixed=true), y(start=0.7, fixed=true), a, b; equation a + x*b = "
      "R*y; a - y*b = exp(-x); der(x) = a; der(y) = b*x;",
      1e-10 },
    { "Real x(start=1.5, fixed=true), y(start=0.7, fixed=true), a(start=1), b(start=1); equation a^3 + b = "
      "x; b^3 + a*y = 2; der(x) = a*b; der(y) = a - b;",
      1e-6 },
    { "Real x(start=1, fixed=true), y(start=2, fixed=true), a, b, c; equation 3*a + b + c = x^2; a + 4*b*y + "
      "c "
      "= y; a + b + 5*c*x = x*y; der(x) = -a; der(y) = -b - c;",
      1e-10 },
    { "Real x(start=0.9, fixed=true), v(start=0, fixed=true, stateSelect=StateSelect.always), L(start=1, "
      "fixed=true); equation der(x) = v; der(v) = -x/L + (if x > 2 then "
      "1 else 0); der(L) = -L;",
      1e-12 },
};

typedef struct {
    IrMem f, entries, flag;
    int unknowns;
    size_t n;
} Stores;

static void store_all(void *arg, const GenParts *parts)
{
    const Stores *s = arg;
    IrArr f = ir_array_memory(parts->b, s->f), e = ir_array_memory(parts->b, s->entries);
    IrArr flag = ir_array_memory(parts->b, s->flag);
    for (int i = 0; i < s->unknowns; i++) ir_store(parts->b, f, IR_NONE, i, parts->f[i]);
    for (size_t k = 0; k < s->n; k++)
        ir_store(parts->b, e, IR_NONE, (int32_t)k,
                 parts->entries[k] == IR_NONE ? ir_real(parts->b, 0) : parts->entries[k]);
    if (parts->switched != IR_NONE)
        ir_store(parts->b, flag, IR_NONE, 0, ir_one(parts->b, IR_TO_REAL, parts->switched));
}

static void compare(Run *r, GenStraight *g, IrFun fun, const Stores *s, const Entry *entries, size_t row)
{
    Model *m = r->model;
    int n = m->shape.n;
    double f[16], J[256] = { 0 }, x[16], got_f[64] = { 0 }, got[256] = { 0 }, flag[1] = { 0 };
    RtArray memory[GEN_STRAIGHT_MEMORIES];
    gen_straight_bind(m, memory);
    memory[gen_straight_x(g)] = (RtArray){ x, n };
    memory[s->f] = (RtArray){ got_f, 64 };
    memory[s->entries] = (RtArray){ got, 256 };
    memory[s->flag] = (RtArray){ flag, 1 };
    memcpy(x, r->y, sizeof x);
    MatrixShape *shape = matrix_shape_as(r->mini->arena, MATRIX_DENSE, n, NULL);
    CHECK_ROW(m->type->derivatives(m, r->t, r->y, f) == EVAL_OK, rows[row].text);
    CHECK_ROW(m->type->jacobian(m, r->t, r->y, shape, J) == EVAL_OK, rows[row].text);
    CHECK_ROW(gen_straight_run(g, m, memory, r->t, fun) == RT_OK, rows[row].text);
    for (int i = 0; i < n; i++) CHECK_NEAR(got_f[i], f[i], rows[row].accuracy * (1 + fabs(f[i])));
    for (size_t k = 0; k < s->n; k++) {
        double want = J[entries[k].column * n + entries[k].row];
        if (!CHECK_NEAR(got[k], want, rows[row].accuracy * (1 + fabs(want))))
            printf("  entry %d %d of %s\n", entries[k].row, entries[k].column, rows[row].text);
    }
}

static void test_row(size_t row, bool residual_form)
{
    Run r;
    char why[200] = "";
    if (!CHECK_ROW(run_open(&r, rows[row].text, IR_AUTO), rows[row].text)) return;
    if (residual_form) {
        gen_instance_free(r.model);
        r.model = gen_add_residual_form(r.compiled, &r.mini->diag) ? gen_residual_instance(r.compiled) : NULL;
    }
    if (!CHECK_ROW(r.model && run_start(&r, 0), rows[row].text)) return;
    int n = r.model->shape.n;
    GenPoint at = { 0, r.y };
    GenWish wish = { residual_form, 4, r.model, &at, 1, NULL, 0 };
    GenStraight *g = gen_straight_new(r.compiled, &wish, why, sizeof why);
    if (!CHECK_ROW(g != NULL, why)) return;
    Entry all[256], some[256];
    size_t count = 0, few = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            all[count++] = (Entry){ i, j };
            if ((i + j) % 3 == 0) some[few++] = (Entry){ i, j };
        }
    Stores s = { gen_straight_memory(g, "f", 64), gen_straight_memory(g, "J", 256),
                 gen_straight_memory(g, "flag", 1), n, count };
    Stores t = s;
    t.n = few;
    IrFun whole = gen_straight_function(g, "whole", all, count, store_all, &s);
    IrFun part = gen_straight_function(g, "part", some, few, store_all, &t);
    CHECK_ROW(ir_verify_module(gen_straight_module(g)) == NULL, rows[row].text);
    if (CHECK_ROW(gen_straight_compile(g, IR_AUTO), rows[row].text)) {
        compare(&r, g, whole, &s, all, row);
        r.t = 0.3;
        for (int i = 0; i < n; i++) r.y[i] *= 1 + 0.01 * (i + 1);
        compare(&r, g, part, &t, some, row);
    }
    gen_straight_free(g);
    run_close(&r);
}

static void test_refused(void)
{
    Run r;
    char why[200] = "";
    CHECK(run_open(&r, "Real x(start=1, fixed=true); equation der(x) = -delay(x, 0.1);", IR_AUTO));
    GenWish wish = { .probe = r.model };
    CHECK(gen_straight_new(r.compiled, &wish, why, sizeof why) == NULL && strstr(why, "delays"));
    run_close(&r);
}

int main(void)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        test_row(i, false);
        test_row(i, true);
    }
    test_refused();
    return test_end();
}
