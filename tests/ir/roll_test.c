/* roll_test.c: loops in place of straight code compute the same bits by every way of running,
 * whatever elements advance by, whatever is shared, copied or left out; code that depends on its
 * order stays; what is not finite is still told by its own element. */
#include "ir/ir.h"
#include "test.h"

enum { CELLS = 300, X = 0, Y = 1, Z = 2, MEMORIES = 3, SIZE = 4 * CELLS + 8 };

typedef void (*Fill)(IrBuilder *b, const IrArr *m, uint32_t variant);

static IrReg load(IrBuilder *b, const IrArr *m, int memory, uint32_t i)
{
    return ir_load(b, m[memory], IR_NONE, (int32_t)i);
}
static void store(IrBuilder *b, const IrArr *m, int memory, uint32_t i, IrReg value)
{
    ir_store(b, m[memory], IR_NONE, (int32_t)i, value);
}
static IrReg op(IrBuilder *b, IrOp o, IrReg x, IrReg y) { return ir_two(b, o, x, y); }

/* Differences of neighbours, with one parameter. */
static void fill_stencil(IrBuilder *b, const IrArr *m, uint32_t variant)
{
    IrReg k = load(b, m, X, SIZE - 1);
    for (uint32_t i = 1; i + 1 < CELLS; i++) {
        b->source = i;
        if (variant == 1 && i % 50 == 7) continue;
        IrReg twice = op(b, IR_MUL, ir_real(b, 2), load(b, m, X, i));
        IrReg sum = op(b, IR_ADD, load(b, m, X, i - 1), load(b, m, X, i + 1));
        store(b, m, Y, variant == 2 ? 2 * i : i, op(b, IR_MUL, k, op(b, IR_SUB, sum, twice)));
    }
}

/* A costly value that neighbours share, stored (variant 1) or not; entries of a matrix by
 * columns. */
static void fill_shared(IrBuilder *b, const IrArr *m, uint32_t variant)
{
    IrReg before = ir_real(b, 0);
    for (uint32_t i = 0; i + 1 < CELLS; i++) {
        b->source = i;
        IrReg x = load(b, m, X, i), s;
        s = ir_one(b, IR_SQRT, op(b, IR_ADD, op(b, IR_MUL, x, x), load(b, m, X, i + 1)));
        if (variant == 1) store(b, m, Y, 2 * i + 1, s);
        store(b, m, Y, 2 * i, op(b, IR_SUB, s, before));
        store(b, m, Z, 3 * i, op(b, IR_DIV, x, s));
        store(b, m, Z, 3 * i + 1, op(b, IR_DIV, ir_real(b, -0.5), s));
        store(b, m, Z, 3 * i + 2, s);
        before = s;
    }
}

/* Levels: what is stored is read again; choices, signs and functions. */
static void fill_levels(IrBuilder *b, const IrArr *m, uint32_t variant)
{
    for (uint32_t i = 0; i < CELLS; i++) {
        IrReg x = load(b, m, X, CELLS - 1 - i);
        IrReg chosen = ir_two(b, IR_LT, x, ir_real(b, 0.5));
        store(b, m, Y, i, ir_select(b, chosen, ir_math(b, IR_MATH_EXP, x, IR_NONE), x));
        store(b, m, Y, CELLS + i, ir_one(b, IR_TO_REAL, ir_sign(b, op(b, IR_SUB, x, ir_real(b, 0.3)))));
    }
    for (uint32_t i = 1; i < CELLS; i++)
        store(b, m, Z, i, op(b, IR_MUL, load(b, m, Y, i), load(b, m, Y, CELLS + i - 1)));
    for (uint32_t i = 2; i < CELLS && variant; i++)
        store(b, m, Z, CELLS + i, op(b, IR_SUB, load(b, m, Z, i), load(b, m, Z, i - 1)));
}

/* Copies and constants. */
static void fill_copies(IrBuilder *b, const IrArr *m, uint32_t variant)
{
    for (uint32_t i = 0; i < CELLS; i++) {
        IrReg x = load(b, m, X, 2 * i);
        store(b, m, Y, i, x);
        store(b, m, Y, 2 * CELLS - i, variant ? x : ir_real(b, 0.25));
        store(b, m, Z, 3 * i, op(b, IR_ADD, x, load(b, m, X, 1)));
        store(b, m, Z, 3 * i + 1, op(b, IR_ADD, x, load(b, m, X, 1)));
    }
}

/* Numbers of each element: a table of them; in variant 1 all but a few are the same. */
static void fill_numbers(IrBuilder *b, const IrArr *m, uint32_t variant)
{
    for (uint32_t i = 0; i < CELLS; i++) {
        IrReg x = load(b, m, X, i), place = ir_real(b, variant && i % 97 ? 0.5 : 0.001 * i + 0.1);
        store(b, m, Y, i, op(b, IR_MUL, place, op(b, IR_ADD, ir_real(b, 3), x)));
        store(b, m, Z, 2 * i, op(b, IR_SUB, x, ir_real(b, i * i)));
    }
}

/* One long condition that all statements share: nothing that is worth it. */
static void fill_conditions(IrBuilder *b, const IrArr *m, uint32_t variant)
{
    IrReg all = ir_int(b, 1);
    for (uint32_t i = 0; i < 200; i++)
        all = ir_two(b, IR_AND, all, ir_two(b, IR_LT, load(b, m, X, i), ir_real(b, 5 + variant)));
    for (uint32_t i = 0; i < CELLS; i++)
        store(b, m, Y, i, ir_select(b, all, load(b, m, X, i), load(b, m, X, i + 1)));
}

/* Pseudo-random statements, some of which are like their neighbours. */
static void fill_random(IrBuilder *b, const IrArr *m, uint32_t variant)
{
    static const IrOp ops[] = { IR_ADD, IR_SUB, IR_MUL, IR_DIV, IR_MIN, IR_MAX };
    uint64_t state = variant * UINT64_C(0x9E3779B97F4A7C15) + 1, body = 0;
    for (uint32_t i = 0; i + 4 < CELLS; i++) {
        state = state * UINT64_C(6364136223846793005) + 1;
        if (state >> 58 == 0 || i == 0) body = state; /* another form */
        uint64_t now = body;
        IrReg v = load(b, m, X, i);
        for (uint32_t k = 0; k < 3 + (body >> 60); k++, now = now * UINT64_C(2862933555777941757) + 3) {
            uint32_t what = (uint32_t)(now >> 61);
            IrReg w = what < 5   ? load(b, m, X, i * (1 + (what & 1)) + (what & 3))
                      : what < 7 ? load(b, m, X, what)
                                 : ir_one(b, IR_SQRT, ir_one(b, IR_ABS, v));
            v = op(b, ops[(now >> 40) % COUNT_OF(ops)], v, w);
            if (k < 4 && (now >> 50) % 5 == 0) store(b, m, Z, 4 * i + k, v);
        }
        store(b, m, Y, i, v);
    }
}

/* Each element is the sum of those before it: nothing to be rolled. */
static void fill_chain(IrBuilder *b, const IrArr *m, uint32_t variant)
{
    (void)variant;
    for (uint32_t i = 1; i < CELLS; i++)
        store(b, m, Y, i, op(b, IR_ADD, load(b, m, Y, i - 1), load(b, m, X, i)));
}

/* Elements move by one place: the order matters. */
static void fill_shift(IrBuilder *b, const IrArr *m, uint32_t variant)
{
    for (uint32_t i = 0; i + 1 < CELLS; i++)
        store(b, m, X, i, op(b, IR_ADD, load(b, m, X, i + 1), ir_real(b, variant)));
}

static const struct {
    const char *name;
    Fill fill;
    uint32_t variants;
    int rolls; /* -1: sometimes */
} cases[] = {
    { "stencil", fill_stencil, 3, 1 },       { "shared", fill_shared, 2, 1 },
    { "levels", fill_levels, 2, 1 },         { "copies", fill_copies, 2, 1 },
    { "random", fill_random, 40, -1 },       { "chain", fill_chain, 1, 0 },
    { "shift", fill_shift, 1, 0 },           { "numbers", fill_numbers, 2, 1 },
    { "conditions", fill_conditions, 1, 0 },
};

typedef struct {
    IrModule *module;
    IrFun f;
    double memory[MEMORIES][SIZE];
} World;

static void make(World *w, Arena *arena, Fill fill, uint32_t variant, bool rolls)
{
    static const char *const names[MEMORIES] = { "x", "y", "z" };
    IrArr arrays[MEMORIES];
    w->module = ir_module_new(arena);
    for (int k = 0; k < MEMORIES; k++) ir_add_memory(w->module, names[k], IR_REAL, SIZE);
    IrBuilder b = ir_begin(w->module, "f");
    for (uint32_t k = 0; k < MEMORIES; k++) arrays[k] = ir_array_memory(&b, k);
    fill(&b, arrays, variant);
    w->f = b.id;
    CHECK_TEXT(ir_verify(w->module, w->f), NULL);
    ir_optimize(w->module, w->f);
    if (rolls) ir_roll(w->module, w->f);
    CHECK_TEXT(ir_verify(w->module, w->f), NULL);
}

static void start(World *w, Rt *rt, RtArray *arrays)
{
    for (int k = 0; k < MEMORIES; k++) {
        for (int i = 0; i < SIZE; i++) w->memory[k][i] = k ? -1 : 0.25 + (i * 37 % 101) / 64.0;
        arrays[k] = (RtArray){ w->memory[k], SIZE };
    }
    rt->memory = arrays;
}

static void run(World *w, IrBackend backend)
{
    RtArray arrays[MEMORIES];
    Rt *rt = rt_new(0);
    IrCode *code = ir_code_new(w->module, backend);
    if (!CHECK(code && rt)) return;
    start(w, rt, arrays);
    CHECK(ir_run(code, w->f, rt, NULL) == RT_OK);
    ir_code_free(code);
    rt_free(rt);
}

static int check_case(size_t k, uint32_t variant)
{
    static World plain, rolled;
    Arena *arena = arena_new();
    make(&plain, arena, cases[k].fill, variant, false);
    make(&rolled, arena, cases[k].fill, variant, true);
    const IrFunction *f = rolled.module->functions.at[rolled.f];
    if (cases[k].rolls == 1) CHECK(f->plain && f->code.n * 4 < f->plain->code.n);
    if (cases[k].rolls == 0) CHECK(!f->plain);
    run(&plain, IR_INTERPRETER);
    for (int backend = 0; backend < 2; backend++) {
        run(&rolled, backend ? IR_AUTO : IR_INTERPRETER);
        bool same = !memcmp(plain.memory, rolled.memory, sizeof plain.memory);
        if (!CHECK(same)) printf("  %s, variant %u\n", cases[k].name, variant);
    }
    bool is_rolled = f->plain != NULL;
    arena_free(arena);
    return is_rolled;
}

/* 0/0 in one cell is told by the source of that cell. */
static void check_explained(void)
{
    static World w;
    RtArray arrays[MEMORIES];
    IrFault fault;
    Arena *arena = arena_new();
    Rt *rt = rt_new(0);
    make(&w, arena, fill_shared, 0, true);
    CHECK(w.module->functions.at[w.f]->plain);
    start(&w, rt, arrays);
    CHECK(!ir_explain(w.module, w.f, rt, NULL, &fault));
    start(&w, rt, arrays);
    w.memory[X][123] = 0;
    w.memory[X][124] = 0;
    CHECK(ir_explain(w.module, w.f, rt, NULL, &fault) && fault.source == 123);
    rt_free(rt);
    arena_free(arena);
}

int main(void)
{
    int rolled = 0;
    for (size_t k = 0; k < COUNT_OF(cases); k++)
        for (uint32_t v = 0; v < cases[k].variants; v++) rolled += check_case(k, v);
    CHECK(rolled > 20);
    check_explained();
    return test_end();
}
