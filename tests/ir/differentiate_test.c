/* differentiate_test.c: derivatives of functions agree with fourth-order differences and with
 * closed forms, first and second; through branches, loops, arrays, calls and recursion; values stay
 * what they were; what has no derivative is refused. */
#include "ir/ir.h"
#include "test.h"

static IrReg via_op(IrBuilder *b, int op, IrReg x, IrReg y)
{
    return ir_ops[op].fields[2] == '-' ? ir_one(b, (IrOp)op, x) : ir_two(b, (IrOp)op, x, y);
}

static double run1(const IrCode *code, IrFun f, Rt *rt, double x, double y)
{
    RtCell cells[3] = { { .r = x }, { .r = y } };
    CHECK(ir_run(code, f, rt, cells) == RT_OK);
    return cells[2].r;
}

/* The derivative of f(x + s*u, y + s*v) at s = 0 by differences of order four. */
static double difference(const IrCode *code, IrFun f, Rt *rt, double x, double y, double u, double v)
{
    double h = 2e-4, p[4];
    static const double at[] = { -2, -1, 1, 2 };
    for (int k = 0; k < 4; k++) p[k] = run1(code, f, rt, x + at[k] * h * u, y + at[k] * h * v);
    return (p[0] - 8 * p[1] + 8 * p[2] - p[3]) / (12 * h);
}

/* Compares first derivatives in three directions, and the second along one by differences of the
 * first. */
static void confirm(IrModule *module, IrFun f, double x, double y, const char *what)
{
    static const double directions[][2] = { { 1, 0 }, { 0, 1 }, { 0.5, -2 } };
    const char *why = NULL;
    IrDerivatives known = { 0 };
    IrFun df = ir_differentiate(module, f, &known, &why);
    if (!CHECK_ROW(df != IR_NONE, what)) return;
    IrFun ddf = ir_differentiate(module, df, &known, &why);
    if (!CHECK_ROW(ddf != IR_NONE, what)) return;
    CHECK_TEXT(ir_verify_module(module), NULL);
    for (IrFun k = 0; k < module->functions.n; k++) ir_optimize(module, k);
    CHECK_TEXT(ir_verify_module(module), NULL);
    Rt *rt = rt_new(0);
    IrCode *code = ir_code_new(module, IR_AUTO), *slow = ir_code_new(module, IR_INTERPRETER);
    for (size_t k = 0; k < COUNT_OF(directions); k++) {
        double u = directions[k][0], v = directions[k][1];
        RtCell cells[6] = { { .r = x }, { .r = y }, { .r = u }, { .r = v } };
        RtCell same[6] = { { .r = x }, { .r = y }, { .r = u }, { .r = v } };
        CHECK_ROW(ir_run(code, df, rt, cells) == RT_OK && ir_run(slow, df, rt, same) == RT_OK, what);
        CHECK_ROW(!memcmp(cells, same, sizeof cells), what);
        CHECK_ROW(cells[4].r == run1(code, f, rt, x, y), what);
        double want = difference(code, f, rt, x, y, u, v);
        if (!CHECK_ROW(fabs(cells[5].r - want) <= 1e-9 * (1 + fabs(want)), what))
            printf("  got %.15g, want %.15g\n", cells[5].r, want);
        /* Second derivative along (u, v): differentiate df, with directions of directions zero. */
        RtCell second[12] = { { .r = x }, { .r = y }, { .r = u }, { .r = v }, { .r = u }, { .r = v } };
        double h = 1e-4, sides[2];
        for (int s = 0; s < 2; s++) {
            RtCell c[6] = {
                { .r = x + (s ? h : -h) * u }, { .r = y + (s ? h : -h) * v }, { .r = u }, { .r = v }
            };
            ir_run(code, df, rt, c);
            sides[s] = c[5].r;
        }
        CHECK_ROW(ir_run(code, ddf, rt, second) == RT_OK, what);
        want = (sides[1] - sides[0]) / (2 * h);
        if (!CHECK_ROW(fabs(second[11].r - want) <= 1e-5 * (1 + fabs(want)), what))
            printf("  second: got %.15g, want %.15g\n", second[11].r, want);
    }
    ir_code_free(code);
    ir_code_free(slow);
    rt_free(rt);
}

typedef struct {
    IrModule *module;
    IrBuilder b;
    IrReg x, y, z;
} Case;

static Case case_new(Arena *arena, const char *name)
{
    Case c = { .module = ir_module_new(arena) };
    c.b = ir_begin(c.module, name);
    c.x = ir_in(&c.b, IR_REAL, "x");
    c.y = ir_in(&c.b, IR_REAL, "y");
    c.z = ir_out(&c.b, IR_REAL, "z");
    return c;
}

static void operations(void)
{
    static const int ops[] = { IR_ADD, IR_SUB, IR_MUL, IR_DIV, IR_MIN, IR_MAX, IR_NEG, IR_ABS, IR_SQRT };
    for (size_t k = 0; k < COUNT_OF(ops); k++) {
        Arena *arena = arena_new();
        Case c = case_new(arena, "f");
        ir_set(&c.b, c.z,
               ir_two(&c.b, IR_MUL, via_op(&c.b, ops[k], c.x, c.y), ir_two(&c.b, IR_ADD, c.x, c.y)));
        confirm(c.module, c.b.id, 0.7, 0.4, ir_ops[ops[k]].name);
        arena_free(arena);
    }
    for (int m = 0; m < IR_MATH_COUNT; m++) {
        Arena *arena = arena_new();
        Case c = case_new(arena, "f");
        IrReg y = ir_maths[m].arguments == 2 ? c.y : IR_NONE;
        ir_set(&c.b, c.z, ir_two(&c.b, IR_MUL, ir_math(&c.b, (IrMath)m, c.x, y), c.y));
        confirm(c.module, c.b.id, 0.6, 1.3, ir_maths[m].name);
        arena_free(arena);
    }
}

/* z = sum over a loop with a branch, through an array of the frame. */
static void loops(void)
{
    Arena *arena = arena_new();
    Case c = case_new(arena, "f");
    IrBuilder *b = &c.b;
    IrArr w = ir_array(b, IR_REAL, 5, "w");
    IrReg i = ir_for(b, ir_int(b, 1), ir_int(b, 5), 1);
    ir_store(b, w, i, -1, ir_two(b, IR_MUL, ir_power(b, c.x, 3), ir_one(b, IR_TO_REAL, i)));
    ir_end(b);
    i = ir_for(b, ir_int(b, 5), ir_int(b, 1), -1);
    IrReg e = ir_load(b, w, i, -1);
    ir_if(b, ir_two(b, IR_LT, e, ir_real(b, 1)));
    ir_set(b, c.z, ir_two(b, IR_ADD, c.z, ir_two(b, IR_MUL, e, c.y)));
    ir_else(b);
    ir_set(b, c.z, ir_two(b, IR_SUB, ir_two(b, IR_MUL, c.z, c.z), ir_math(b, IR_MATH_SIN, e, IR_NONE)));
    ir_end(b);
    ir_end(b);
    confirm(c.module, b->id, 0.7, 0.4, "loops");
    arena_free(arena);
}

/* Recursion and an array made by the callee: g(x, n) = x*g(x, n-1) + y, and norms of what another
 * one returns. */
static void calls(void)
{
    Arena *arena = arena_new();
    IrModule *module = ir_module_new(arena);
    IrBuilder g = ir_begin(module, "horner");
    IrReg x = ir_in(&g, IR_REAL, "x"), n = ir_in(&g, IR_INT, "n"), y = ir_in(&g, IR_REAL, "y"),
          s = ir_out(&g, IR_REAL, "s");
    ir_if(&g, ir_two(&g, IR_ILT, ir_int(&g, 0), n));
    uint32_t operands[] = { x, ir_two(&g, IR_ISUB, n, ir_int(&g, 1)), y, IR_NONE };
    ir_call(&g, g.id, operands, 4);
    ir_set(&g, s, ir_two(&g, IR_ADD, ir_two(&g, IR_MUL, x, operands[3]), y));
    ir_else(&g);
    ir_set(&g, s, ir_two(&g, IR_MUL, y, y));
    ir_end(&g);
    IrBuilder h = ir_begin(module, "series");
    IrReg q = ir_in(&h, IR_REAL, "q");
    IrArr made = ir_out_array_dynamic(&h, IR_REAL, "made");
    ir_new(&h, made, ir_int(&h, 4));
    IrReg power = ir_variable(&h, IR_REAL, "power");
    ir_set(&h, power, ir_real(&h, 1));
    IrReg k = ir_for(&h, ir_int(&h, 0), ir_int(&h, 3), 1);
    ir_store(&h, made, k, 0, power);
    ir_set(&h, power, ir_two(&h, IR_MUL, power, q));
    ir_end(&h);
    IrBuilder b = ir_begin(module, "f");
    IrReg bx = ir_in(&b, IR_REAL, "x"), by = ir_in(&b, IR_REAL, "y"), z = ir_out(&b, IR_REAL, "z");
    uint32_t first[] = { bx, ir_int(&b, 4), by, IR_NONE };
    ir_call(&b, g.id, first, 4);
    IrArr list = ir_array_dynamic(&b, IR_REAL, "list");
    uint32_t second[] = { by, list };
    ir_call(&b, h.id, second, 2);
    IrReg t = ir_two(&b, IR_MUL, first[3], ir_load(&b, list, IR_NONE, 3));
    ir_set(&b, z, ir_two(&b, IR_ADD, t, ir_load(&b, list, IR_NONE, 2)));
    confirm(module, b.id, 0.7, 0.4, "calls");
    arena_free(arena);
}

/* Directions of memories: v[1] := v[0]^2 * v[0] gives dv[1] = 3 v[0]^2 dv[0]. */
static void memories(void)
{
    Arena *arena = arena_new();
    IrModule *module = ir_module_new(arena);
    IrMem v = ir_add_memory(module, "v", IR_REAL, 2), dv = ir_add_memory(module, "dv", IR_REAL, 2);
    IrBuilder b = ir_begin(module, "f");
    IrArr a = ir_array_memory(&b, v);
    ir_store(&b, a, IR_NONE, 1, ir_power(&b, ir_load(&b, a, IR_NONE, 0), 3));
    IrMem directions[] = { dv, IR_NONE };
    IrDerivatives known = { .memories = directions }, constant = { 0 };
    const char *why = NULL;
    IrFun df = ir_differentiate(module, b.id, &known, &why);
    CHECK(ir_differentiate(module, b.id, &constant, &why) == IR_NONE && why &&
          strstr(why, "without direction"));
    CHECK_TEXT(ir_verify_module(module), NULL);
    Rt *rt = rt_new(0);
    IrCode *code = ir_code_new(module, IR_AUTO);
    double values[] = { 2, 0 }, slopes[] = { 0.5, 0 };
    RtArray arrays[] = { { values, 2 }, { slopes, 2 } };
    rt->memory = arrays;
    CHECK(ir_run(code, df, rt, NULL) == RT_OK && values[1] == 8 && slopes[1] == 6);
    ir_code_free(code);
    rt_free(rt);
    arena_free(arena);
}

static RtStatus opaque(Rt *rt, RtCell *cells)
{
    (void)rt;
    cells[1].r = cells[0].r;
    return RT_OK;
}

static void refusals(void)
{
    Arena *arena = arena_new();
    Case c = case_new(arena, "f");
    IrExtParam params[] = { { IR_REAL, IR_BY_VALUE, false, false }, { IR_REAL, IR_BY_VALUE, false, true } };
    IrExt e = ir_add_external(
        c.module, &(IrExternal){ .name = "opaque", .params = params, .param_count = 2, .entry = opaque });
    ir_extern(&c.b, e, (uint32_t[]){ c.x, c.z }, 2);
    IrDerivatives known = { 0 };
    const char *why = NULL;
    CHECK(ir_differentiate(c.module, c.b.id, &known, &why) == IR_NONE);
    CHECK_TEXT(why, "f: external function opaque has no derivative");
    CHECK_TEXT(ir_verify_module(c.module), NULL);
    arena_free(arena);
}

int main(void)
{
    operations();
    loops();
    calls();
    memories();
    refusals();
    return test_end();
}
