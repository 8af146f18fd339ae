/* run_test.c: every instruction computes what ir.h says, and fails as it says, by every way of
 * running. */
#include "ir/ir.h"
#include "test.h"

#include <stdlib.h>

static const IrBackend backends[] = { IR_INTERPRETER, IR_NATIVE };
static const char *const backend_names[] = { "interpreter", "native" };

/* Real operations: one or two operands and the result. */
static const struct {
    IrOp op;
    double x, y, want;
} reals[] = {
    { IR_ADD, 1.5, 2.25, 3.75 },
    { IR_SUB, 1.5, 2.25, -0.75 },
    { IR_MUL, 1.5, -2, -3 },
    { IR_DIV, 1, 0, INFINITY },
    { IR_DIV, -1, 0, -INFINITY },
    { IR_DIV, 0, 0, NAN },
    { IR_MIN, 1, 2, 1 },
    { IR_MIN, NAN, 2, 2 },
    { IR_MIN, 2, NAN, NAN },
    { IR_MIN, 0.0, -0.0, -0.0 },
    { IR_MAX, 1, 2, 2 },
    { IR_MAX, NAN, 2, 2 },
    { IR_MAX, 0.0, -0.0, -0.0 },
    { IR_NEG, 0.0, 0, -0.0 },
    { IR_ABS, -2.5, 0, 2.5 },
    { IR_ABS, -0.0, 0, 0.0 },
    { IR_SQRT, 2, 0, 1.4142135623730951 },
    { IR_SQRT, -1, 0, NAN },
    { IR_FLOOR, -1.5, 0, -2 },
    { IR_FLOOR, 1e300, 0, 1e300 },
    { IR_CEIL, -1.5, 0, -1 },
    { IR_CEIL, -0.5, 0, -0.0 },
    { IR_TRUNC, -1.5, 0, -1 },
};

static const struct {
    IrOp op;
    int64_t x, y, want;
    RtStatus status;
} ints[] = {
    { IR_IADD, 2, 3, 5, RT_OK },
    { IR_IADD, INT64_MAX, 1, 0, RT_OVERFLOW },
    { IR_ISUB, 2, 3, -1, RT_OK },
    { IR_ISUB, INT64_MIN, 1, 0, RT_OVERFLOW },
    { IR_IMUL, -4, 3, -12, RT_OK },
    { IR_IMUL, INT64_C(1) << 62, 2, 0, RT_OVERFLOW },
    { IR_IDIV, -7, 2, -3, RT_OK },
    { IR_IDIV, 7, 0, 0, RT_DIVISION },
    { IR_IDIV, INT64_MIN, -1, 0, RT_OVERFLOW },
    { IR_IDIV, 7, -1, -7, RT_OK },
    { IR_IREM, -7, 2, -1, RT_OK },
    { IR_IMOD, -7, 2, 1, RT_OK },
    { IR_IMOD, 7, -2, -1, RT_OK },
    { IR_IMOD, -6, 3, 0, RT_OK },
    { IR_IMOD, 6, 0, 0, RT_DIVISION },
    { IR_IMIN, -7, 2, -7, RT_OK },
    { IR_IMAX, -7, 2, 2, RT_OK },
    { IR_INEG, -7, 0, 7, RT_OK },
    { IR_INEG, INT64_MIN, 0, 0, RT_OVERFLOW },
    { IR_IABS, -7, 0, 7, RT_OK },
    { IR_IABS, 7, 0, 7, RT_OK },
    { IR_IABS, INT64_MIN, 0, 0, RT_OVERFLOW },
    { IR_ILT, 1, 2, 1, RT_OK },
    { IR_ILT, 2, 2, 0, RT_OK },
    { IR_ILE, 2, 2, 1, RT_OK },
    { IR_IEQ, 2, 2, 1, RT_OK },
    { IR_INE, 2, 2, 0, RT_OK },
    { IR_AND, 1, 0, 0, RT_OK },
    { IR_OR, 1, 0, 1, RT_OK },
    { IR_NOT, 1, 0, 0, RT_OK },
    { IR_NOT, 0, 0, 1, RT_OK },
};

static const struct {
    IrOp op;
    double x, y;
    int want;
} comparisons[] = {
    { IR_LT, 1, 2, 1 },   { IR_LT, 2, 1, 0 },   { IR_LT, NAN, 1, 0 }, { IR_LT, 1, NAN, 0 },
    { IR_LE, 2, 2, 1 },   { IR_LE, NAN, 2, 0 }, { IR_EQ, 2, 2, 1 },   { IR_EQ, 0.0, -0.0, 1 },
    { IR_EQ, NAN, 2, 0 }, { IR_NE, NAN, 2, 1 }, { IR_NE, 2, 2, 0 },   { IR_NE, 1, 2, 1 },
};

static const struct {
    double x;
    int64_t want;
    RtStatus status;
} conversions[] = {
    { 2.9, 2, RT_OK },
    { -2.9, -2, RT_OK },
    { NAN, 0, RT_CONVERSION },
    { 1e19, 0, RT_CONVERSION },
    { -INFINITY, 0, RT_CONVERSION },
    { 9007199254740993.0, 9007199254740992, RT_OK },
};

static bool same_real(double a, double b) { return (a != a && b != b) || memcmp(&a, &b, sizeof a) == 0; }

typedef struct {
    Arena *arena;
    IrModule *module;
    Rt *rt;
} World;

static World world_new(void)
{
    Arena *arena = arena_new();
    return (World){ arena, ir_module_new(arena), rt_new(0) };
}

static void world_free(World *world)
{
    rt_free(world->rt);
    arena_free(world->arena);
}

/* Runs function f of the world's module by both ways, on cells that start alike; they must end
 * alike. */
static RtStatus run_both(World *world, IrFun f, RtCell *cells, uint32_t n)
{
    RtCell start[32], first[32];
    RtStatus status = RT_OK, first_status = RT_OK;
    RtError first_error = { 0 };
    int64_t steps = world->rt->steps;
    const char *wrong = ir_verify_module(world->module);
    if (!CHECK_TEXT(wrong, NULL)) return RT_EXTERNAL;
    if (n) memcpy(start, cells, n * sizeof *cells);
    for (size_t k = 0; k < COUNT_OF(backends); k++) {
        IrCode *code = ir_code_new(world->module, backends[k]);
        if (!code) {
            CHECK_ROW(backends[k] == IR_NATIVE, "no code");
            continue;
        }
        if (n) memcpy(cells, start, n * sizeof *cells);
        world->rt->steps = steps;
        status = ir_run(code, f, world->rt, cells);
        if (k == 0) {
            first_status = status;
            first_error = world->rt->error;
            if (n) memcpy(first, cells, n * sizeof *cells);
        } else {
            CHECK_ROW(status == first_status, backend_names[k]);
            if (status) {
                CHECK_ROW(world->rt->error.source == first_error.source &&
                              world->rt->error.function == first_error.function,
                          backend_names[k]);
                CHECK_ROW(world->rt->error.value == first_error.value &&
                              world->rt->error.bound == first_error.bound,
                          backend_names[k]);
                CHECK_TEXT(world->rt->error.message, first_error.message);
            } else
                for (uint32_t c = 0; c < n; c++)
                    CHECK_ROW(first[c].i == cells[c].i || same_real(first[c].r, cells[c].r),
                              backend_names[k]);
        }
        ir_code_free(code);
    }
    return status;
}

static void operations(void)
{
    for (size_t k = 0; k < COUNT_OF(reals); k++) {
        World world = world_new();
        IrBuilder b = ir_begin(world.module, "f");
        IrReg x = ir_in(&b, IR_REAL, "x"), y = ir_in(&b, IR_REAL, "y"), z = ir_out(&b, IR_REAL, "z");
        bool is_one = ir_ops[reals[k].op].fields[2] == '-';
        ir_set(&b, z, is_one ? ir_one(&b, reals[k].op, x) : ir_two(&b, reals[k].op, x, y));
        RtCell cells[] = { { .r = reals[k].x }, { .r = reals[k].y }, { .r = 0 } };
        CHECK_ROW(run_both(&world, b.id, cells, 3) == RT_OK, ir_ops[reals[k].op].name);
        CHECK_ROW(same_real(cells[2].r, reals[k].want), ir_ops[reals[k].op].name);
        world_free(&world);
    }
    for (size_t k = 0; k < COUNT_OF(ints); k++) {
        World world = world_new();
        IrBuilder b = ir_begin(world.module, "f");
        IrReg x = ir_in(&b, IR_INT, "x"), y = ir_in(&b, IR_INT, "y"), z = ir_out(&b, IR_INT, "z");
        bool is_one = ir_ops[ints[k].op].fields[2] == '-';
        b.source = 7;
        ir_set(&b, z, is_one ? ir_one(&b, ints[k].op, x) : ir_two(&b, ints[k].op, x, y));
        RtCell cells[] = { { .i = ints[k].x }, { .i = ints[k].y }, { .i = 0 } };
        CHECK_ROW(run_both(&world, b.id, cells, 3) == ints[k].status, ir_ops[ints[k].op].name);
        CHECK_ROW(ints[k].status ? world.rt->error.source == 7 : cells[2].i == ints[k].want,
                  ir_ops[ints[k].op].name);
        world_free(&world);
    }
}

/* A comparison as a value, as the condition of IF, and as that of SELECT. */
static void conditions(void)
{
    for (size_t k = 0; k < COUNT_OF(comparisons); k++) {
        World world = world_new();
        IrBuilder b = ir_begin(world.module, "f");
        IrReg x = ir_in(&b, IR_REAL, "x"), y = ir_in(&b, IR_REAL, "y");
        IrReg value = ir_out(&b, IR_INT, "value"), branch = ir_out(&b, IR_INT, "branch"),
              choice = ir_out(&b, IR_REAL, "choice");
        ir_set(&b, value, ir_two(&b, comparisons[k].op, x, y));
        ir_if(&b, ir_two(&b, comparisons[k].op, x, y));
        ir_set(&b, branch, ir_int(&b, 1));
        ir_else(&b);
        ir_set(&b, branch, ir_int(&b, 0));
        ir_end(&b);
        IrReg one = ir_real(&b, 1), zero = ir_real(&b, 0);
        ir_set(&b, choice, ir_select(&b, ir_two(&b, comparisons[k].op, x, y), one, zero));
        RtCell cells[] = { { .r = comparisons[k].x }, { .r = comparisons[k].y }, { 0 }, { 0 }, { 0 } };
        CHECK(run_both(&world, b.id, cells, 5) == RT_OK);
        CHECK_ROW(cells[2].i == comparisons[k].want, ir_ops[comparisons[k].op].name);
        CHECK_ROW(cells[3].i == comparisons[k].want, ir_ops[comparisons[k].op].name);
        CHECK_ROW(cells[4].r == comparisons[k].want, ir_ops[comparisons[k].op].name);
        world_free(&world);
    }
    for (size_t k = 0; k < COUNT_OF(conversions); k++) {
        World world = world_new();
        IrBuilder b = ir_begin(world.module, "f");
        IrReg x = ir_in(&b, IR_REAL, "x"), n = ir_out(&b, IR_INT, "n"), back = ir_out(&b, IR_REAL, "back");
        ir_set(&b, n, ir_one(&b, IR_TO_INT, x));
        ir_set(&b, back, ir_one(&b, IR_TO_REAL, n));
        RtCell cells[] = { { .r = conversions[k].x }, { 0 }, { 0 } };
        CHECK(run_both(&world, b.id, cells, 3) == conversions[k].status);
        CHECK(conversions[k].status ||
              (cells[1].i == conversions[k].want && cells[2].r == (double)conversions[k].want));
        world_free(&world);
    }
}

/* Modelica's functions of several instructions. */
static void meanings(void)
{
    static const struct {
        double x, y, div, mod, rem;
        int64_t integer, sign;
    } rows[] = {
        { 7.5, 2, 3, 1.5, 1.5, 7, 1 },
        { -7.5, 2, -3, 0.5, -1.5, -8, -1 },
        { 0, 3, 0, 0, 0, 0, 0 },
    };
    World world = world_new();
    IrBuilder b = ir_begin(world.module, "f");
    IrReg x = ir_in(&b, IR_REAL, "x"), y = ir_in(&b, IR_REAL, "y");
    IrReg out[5];
    for (int k = 0; k < 5; k++) out[k] = ir_out(&b, k < 3 ? IR_REAL : IR_INT, NULL);
    IrReg cube = ir_out(&b, IR_REAL, "cube"), inverse = ir_out(&b, IR_REAL, "inverse");
    ir_set(&b, out[0], ir_real_div(&b, x, y));
    ir_set(&b, out[1], ir_real_mod(&b, x, y));
    ir_set(&b, out[2], ir_real_rem(&b, x, y));
    ir_set(&b, out[3], ir_integer(&b, x));
    ir_set(&b, out[4], ir_sign(&b, x));
    ir_set(&b, cube, ir_power(&b, y, 3));
    ir_set(&b, inverse, ir_power(&b, y, -2));
    for (size_t k = 0; k < COUNT_OF(rows); k++) {
        RtCell cells[9] = { { .r = rows[k].x }, { .r = rows[k].y } };
        CHECK(run_both(&world, b.id, cells, 9) == RT_OK);
        CHECK(cells[2].r == rows[k].div && cells[3].r == rows[k].mod && cells[4].r == rows[k].rem);
        CHECK(cells[5].i == rows[k].integer && cells[6].i == rows[k].sign);
        CHECK(cells[7].r == rows[k].y * rows[k].y * rows[k].y && cells[8].r == 1 / (rows[k].y * rows[k].y));
    }
    world_free(&world);
}

/* Sum of squares of an array given by the caller; views and copies of parts of it; an index one too
 * far. */
static void arrays(void)
{
    World world = world_new();
    IrBuilder b = ir_begin(world.module, "squares");
    IrArr x = ir_in_array(&b, IR_REAL, "x");
    IrReg last = ir_in(&b, IR_INT, "last"), sum = ir_out(&b, IR_REAL, "sum");
    IrReg i = ir_for(&b, ir_int(&b, 1), last, 1);
    b.source = 42;
    IrReg e = ir_load(&b, x, i, -1);
    ir_set(&b, sum, ir_two(&b, IR_ADD, sum, ir_two(&b, IR_MUL, e, e)));
    ir_end(&b);
    double values[] = { 1, 2, 3, 4 };
    RtCell cells[] = { { .p = values }, { .i = 4 }, { .i = 4 }, { 0 } };
    CHECK(run_both(&world, b.id, cells, 4) == RT_OK && cells[3].r == 30);
    cells[2].i = 5;
    CHECK(run_both(&world, b.id, cells, 4) == RT_INDEX);
    CHECK(world.rt->error.source == 42 && world.rt->error.value == 5 && world.rt->error.bound == 4);

    IrBuilder c = ir_begin(world.module, "parts");
    IrArr given = ir_in_array(&c, IR_REAL, "given");
    IrReg from = ir_in(&c, IR_INT, "from"), n = ir_in(&c, IR_INT, "n"), s = ir_out(&c, IR_REAL, "s");
    IrArr part = ir_array_view(&c, IR_REAL, "part", true), own = ir_array_dynamic(&c, IR_REAL, "own");
    IrArr fixed = ir_array(&c, IR_REAL, 20, "fixed");
    ir_view(&c, part, given, from, n);
    ir_new(&c, own, n);
    ir_copy(&c, own, part);
    ir_fill(&c, fixed, ir_real(&c, 0.5));
    uint32_t operands[] = { own, n, IR_NONE };
    ir_call(&c, b.id, operands, 3);
    ir_set(&c, s, ir_two(&c, IR_ADD, operands[2], ir_load(&c, fixed, n, 2)));
    RtCell more[] = { { .p = values }, { .i = 4 }, { .i = 1 }, { .i = 2 }, { 0 } };
    CHECK(run_both(&world, c.id, more, 5) == RT_OK && more[4].r == 13.5);
    more[2].i = 3;
    CHECK(run_both(&world, c.id, more, 5) == RT_SIZE);
    more[2].i = 0, more[3].i = -1;
    CHECK(run_both(&world, c.id, more, 5) == RT_SIZE);
    world_free(&world);
}

/* Loops: while, break, steps other than one, downwards, empty; return out of a loop. */
static void loops(void)
{
    World world = world_new();
    IrBuilder b = ir_begin(world.module, "f");
    IrReg n = ir_in(&b, IR_INT, "n"), up = ir_out(&b, IR_INT, "up"), down = ir_out(&b, IR_INT, "down"),
          bits = ir_out(&b, IR_INT, "bits"), left = ir_variable(&b, IR_INT, "left");
    IrReg i = ir_for(&b, ir_int(&b, 1), n, 3);
    ir_set(&b, up, ir_two(&b, IR_IADD, up, i));
    ir_end(&b);
    i = ir_for(&b, n, ir_int(&b, 1), -2);
    ir_set(&b, down, ir_two(&b, IR_IADD, down, i));
    ir_end(&b);
    ir_set(&b, left, n);
    ir_loop(&b);
    ir_break_unless(&b, ir_two(&b, IR_ILT, ir_int(&b, 0), left));
    ir_set(&b, left, ir_two(&b, IR_IDIV, left, ir_int(&b, 2)));
    ir_set(&b, bits, ir_two(&b, IR_IADD, bits, ir_int(&b, 1)));
    ir_if(&b, ir_two(&b, IR_ILT, ir_int(&b, 100), left));
    ir_return(&b);
    ir_end(&b);
    ir_end(&b);
    static const int64_t rows[][4] = {
        { 10, 22, 30, 4 }, { 0, 0, 0, 0 }, { 1, 1, 1, 1 }, { 1000, 167167, 250500, 1 }
    };
    for (size_t k = 0; k < COUNT_OF(rows); k++) {
        RtCell cells[4] = { { .i = rows[k][0] } };
        CHECK(run_both(&world, b.id, cells, 4) == RT_OK);
        CHECK(cells[1].i == rows[k][1] && cells[2].i == rows[k][2] && cells[3].i == rows[k][3]);
    }
    RtCell cells[4] = { { .i = INT64_MAX } };
    CHECK(run_both(&world, b.id, cells, 4) == RT_OVERFLOW);
    world_free(&world);
}

/* Endless loops and recursion end by the limits of the instance, and a recursion that ends is
 * computed. */
static void limits(void)
{
    World world = world_new();
    IrBuilder b = ir_begin(world.module, "endless");
    b.source = 3;
    ir_loop(&b);
    ir_end(&b);
    world.rt->steps = 1000;
    CHECK(run_both(&world, b.id, NULL, 0) == RT_STEPS && world.rt->error.source == 3);

    IrBuilder f = ir_begin(world.module, "factorial");
    IrReg n = ir_in(&f, IR_INT, "n"), y = ir_out(&f, IR_INT, "y");
    f.source = 5;
    ir_if(&f, ir_two(&f, IR_ILE, n, ir_int(&f, 0)));
    ir_set(&f, y, ir_int(&f, 1));
    ir_else(&f);
    uint32_t operands[] = { ir_two(&f, IR_ISUB, n, ir_int(&f, 1)), IR_NONE };
    ir_call(&f, f.id, operands, 2);
    ir_set(&f, y, ir_two(&f, IR_IMUL, n, operands[1]));
    ir_end(&f);
    world.rt->steps = RT_STEP_LIMIT;
    RtCell cells[2] = { { .i = 10 } };
    CHECK(run_both(&world, f.id, cells, 2) == RT_OK && cells[1].i == 3628800);
    cells[0].i = 30;
    CHECK(run_both(&world, f.id, cells, 2) == RT_OVERFLOW);
    cells[0].i = 1000000;
    CHECK(run_both(&world, f.id, cells, 2) == RT_DEPTH);
    world.rt->steps = 100;
    CHECK(run_both(&world, f.id, cells, 2) == RT_STEPS);
    world.rt->steps = RT_STEP_LIMIT;
    cells[0].i = 10;
    CHECK(run_both(&world, f.id, cells, 2) == RT_OK && cells[1].i == 3628800);

    IrBuilder g = ir_begin(world.module, "count");
    IrReg to = ir_in(&g, IR_INT, "to");
    ir_for(&g, ir_int(&g, 1), to, 1);
    ir_end(&g);
    world.rt->steps = 10;
    cells[0].i = 11;
    CHECK(run_both(&world, g.id, cells, 1) == RT_STEPS);
    world_free(&world);
}

/* Strings: made, compared, reported by assertions. */
static void strings(void)
{
    World world = world_new();
    IrBuilder b = ir_begin(world.module, "f");
    IrReg x = ir_in(&b, IR_REAL, "x"), text = ir_out(&b, IR_STR, "text"), order = ir_out(&b, IR_INT, "order");
    IrReg six = ir_int(&b, 6), zero = ir_int(&b, 0), one = ir_int(&b, 1);
    IrReg number = ir_builtin_call(&b, "string_of_real", (IrReg[]){ x, six, zero, one }, 4);
    IrReg joined = ir_builtin_call(&b, "string_concat", (IrReg[]){ ir_str(&b, "x = "), number }, 2);
    ir_set(&b, text, joined);
    ir_set(&b, order, ir_builtin_call(&b, "string_compare", (IrReg[]){ joined, ir_str(&b, "x = 2.5") }, 2));
    b.source = 9;
    ir_assert(&b, ir_two(&b, IR_LT, x, ir_real(&b, 3)), joined);
    ir_assert(&b, ir_two(&b, IR_LT, ir_real(&b, 0), x), ir_str(&b, "x must be positive"));
    static const struct {
        double x;
        RtStatus status;
        const char *text;
    } rows[] = { { 2.5, RT_OK, "x = 2.5" },
                 { 3.25, RT_ASSERT, "x = 3.25" },
                 { -1, RT_ASSERT, "x must be positive" } };
    for (size_t k = 0; k < COUNT_OF(rows); k++) {
        for (size_t way = 0; way < COUNT_OF(backends); way++) {
            IrCode *code = ir_code_new(world.module, backends[way]);
            if (!code) continue;
            RtCell cells[3] = { { .r = rows[k].x } };
            CHECK(ir_run(code, b.id, world.rt, cells) == rows[k].status);
            CHECK_TEXT(rows[k].status ? world.rt->error.message : cells[1].s, rows[k].text);
            CHECK(rows[k].status ? world.rt->error.source == 9 : cells[2].i == 0);
            ir_code_free(code);
        }
    }
    world_free(&world);
}

/* Arrays of strings, made by a callee; the memory of a loop of calls is given back by each of
 * them. */
static void string_arrays(void)
{
    World world = world_new();
    IrBuilder g = ir_begin(world.module, "names");
    IrReg n = ir_in(&g, IR_INT, "n");
    IrArr made = ir_out_array_dynamic(&g, IR_STR, "made");
    ir_new(&g, made, n);
    IrReg i = ir_for(&g, ir_int(&g, 1), n, 1);
    IrReg zero = ir_int(&g, 0);
    IrReg digits = ir_builtin_call(&g, "string_of_int", (IrReg[]){ i, zero, zero }, 3);
    ir_store(&g, made, i, -1, ir_builtin_call(&g, "string_concat", (IrReg[]){ ir_str(&g, "x"), digits }, 2));
    ir_end(&g);
    IrBuilder h = ir_begin(world.module, "last_length");
    IrReg m = ir_in(&h, IR_INT, "m"), length = ir_out(&h, IR_INT, "length");
    IrArr list = ir_array_dynamic(&h, IR_STR, "list");
    ir_call(&h, g.id, (uint32_t[]){ m, list }, 2);
    IrReg last = ir_load(&h, list, m, -1);
    ir_set(&h, length, ir_builtin_call(&h, "string_length", &last, 1));
    IrBuilder b = ir_begin(world.module, "many");
    IrReg times = ir_in(&b, IR_INT, "times"), sum = ir_out(&b, IR_INT, "sum");
    i = ir_for(&b, ir_int(&b, 1), times, 1);
    uint32_t operands[] = { i, IR_NONE };
    ir_call(&b, h.id, operands, 2);
    ir_set(&b, sum, ir_two(&b, IR_IADD, sum, operands[1]));
    ir_end(&b);
    world.rt->heap_limit = 1 << 18;
    RtCell cells[2] = { { .i = 1000 } };
    CHECK(run_both(&world, b.id, cells, 2) == RT_OK && cells[1].i == 9 * 2 + 90 * 3 + 900 * 4 + 5);
    cells[0].i = 0;
    CHECK(run_both(&world, h.id, cells, 2) == RT_INDEX);
    cells[0].i = 100000;
    CHECK(run_both(&world, h.id, cells, 2) == RT_MEMORY);
    world_free(&world);
}

static void checks(void)
{
    static const struct {
        int64_t a, b;
        double x;
        RtStatus status;
    } rows[] = {
        { 1, 1, 0, RT_OK },         { 0, 3, 0, RT_INDEX },        { 4, 3, 0, RT_INDEX },
        { 2, 3, 0, RT_SIZE },       { 3, 3, NAN, RT_NOT_FINITE }, { 3, 3, -INFINITY, RT_NOT_FINITE },
        { 3, 3, 1e308, RT_ASSERT },
    };
    World world = world_new();
    IrBuilder b = ir_begin(world.module, "f");
    IrReg i = ir_in(&b, IR_INT, "i"), n = ir_in(&b, IR_INT, "n"), x = ir_in(&b, IR_REAL, "x");
    b.source = 77;
    ir_check_index(&b, i, n);
    ir_check_size(&b, i, n);
    ir_check_finite(&b, x);
    ir_assert(&b, ir_two(&b, IR_LT, x, ir_real(&b, 1e300)), IR_NONE);
    for (size_t k = 0; k < COUNT_OF(rows); k++) {
        RtCell cells[3] = { { .i = rows[k].a }, { .i = rows[k].b }, { .r = rows[k].x } };
        CHECK(run_both(&world, b.id, cells, 3) == rows[k].status);
        CHECK(!rows[k].status || world.rt->error.source == 77);
    }
    world_free(&world);
}

/* The first source that makes infinity or NaN is found. */
static void explanations(void)
{
    World world = world_new();
    IrMem memory = ir_add_memory(world.module, "v", IR_REAL, 3);
    IrBuilder b = ir_begin(world.module, "f");
    IrArr v = ir_array_memory(&b, memory);
    b.source = 1;
    ir_store(&b, v, IR_NONE, 1, ir_math(&b, IR_MATH_LOG, ir_load(&b, v, IR_NONE, 0), IR_NONE));
    b.source = 2;
    IrReg y = ir_load(&b, v, IR_NONE, 1);
    ir_store(&b, v, IR_NONE, 2, ir_two(&b, IR_DIV, y, ir_two(&b, IR_SUB, y, y)));
    double values[3] = { 2, 0, 0 };
    RtArray memories[] = { { values, 3 } };
    world.rt->memory = memories;
    IrFault fault;
    CHECK(ir_memories_fit(world.module, world.rt, 1) && !ir_memories_fit(world.module, world.rt, 0));
    CHECK(run_both(&world, b.id, NULL, 0) == RT_OK && values[2] == INFINITY);
    CHECK(ir_explain(world.module, b.id, world.rt, NULL, &fault) && fault.source == 2);
    values[0] = -1;
    CHECK(ir_explain(world.module, b.id, world.rt, NULL, &fault) && fault.source == 1);
    world_free(&world);
}

int main(void)
{
    operations();
    conditions();
    meanings();
    arrays();
    loops();
    limits();
    strings();
    string_arrays();
    checks();
    explanations();
    return test_end();
}
