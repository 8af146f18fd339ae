/* verify_test.c: each rule of ir.h that can be broken is noticed, by its own message. */
#include "ir/ir.h"
#include "test.h"

typedef struct {
    IrBuilder b;
    IrReg x, n, t, v; /* an input Real, an input Integer, a temporary Real, a variable Real */
    IrArr fixed, given, dynamic;
} Ground;

static void none(Ground *g) { (void)g; }
static IrInsn *last(Ground *g) { return &g->b.f->code.at[g->b.f->code.n - 1]; }

static void undefined_temporary(Ground *g)
{
    ir_if(&g->b, g->n);
    IrReg inner = ir_two(&g->b, IR_ADD, g->x, g->x);
    ir_end(&g->b);
    ir_set(&g->b, g->v, inner);
}
static void wrong_type(Ground *g)
{
    ir_set(&g->b, g->v, ir_two(&g->b, IR_ADD, g->x, g->x));
    last(g)[-1].b = g->n;
}
static void no_register(Ground *g)
{
    ir_set(&g->b, g->v, g->x);
    last(g)->a = 1000;
}
static void assigned_temporary(Ground *g) { ir_set(&g->b, g->t, g->x); }
static void defined_twice(Ground *g)
{
    IrReg y = ir_two(&g->b, IR_ADD, g->x, g->x);
    ir_two(&g->b, IR_MUL, g->x, g->x);
    last(g)->dst = y;
}
static void not_in_loop(Ground *g) { ir_break(&g->b); }
static void open_block(Ground *g) { ir_loop(&g->b); }
static void nothing_to_close(Ground *g) { ir_end(&g->b); }
static void two_elses(Ground *g)
{
    ir_if(&g->b, g->n);
    ir_else(&g->b);
    ir_else(&g->b);
    ir_end(&g->b);
}
static void constant_index(Ground *g) { ir_load(&g->b, g->fixed, IR_NONE, 4); }
static void negative_index(Ground *g) { ir_load(&g->b, g->given, IR_NONE, -1); }
static void written_input(Ground *g) { ir_store(&g->b, g->given, IR_NONE, 0, g->x); }
static void made_frame(Ground *g) { ir_new(&g->b, g->fixed, g->n); }
static void view_of_constant(Ground *g)
{
    ir_view(&g->b, ir_array_view(&g->b, IR_REAL, NULL, false), g->given, IR_NONE, IR_NONE);
}
static void counter_outside(Ground *g)
{
    IrReg i = ir_for(&g->b, g->n, g->n, 1);
    ir_end(&g->b);
    ir_load(&g->b, g->fixed, i, 0);
}
static void no_step(Ground *g)
{
    ir_for(&g->b, g->n, g->n, 1);
    last(g)->imm = 0;
    ir_end(&g->b);
}
static void no_function(Ground *g)
{
    ir_return(&g->b);
    last(g)->op = IR_CALL;
    last(g)->a = 77;
}
static void few_operands(Ground *g)
{
    ir_return(&g->b);
    last(g)->op = IR_CALL;
    last(g)->a = g->b.id;
    last(g)->b = 0;
}
static void no_operation(Ground *g)
{
    ir_return(&g->b);
    last(g)->op = 250;
}
static void no_constant(Ground *g)
{
    ir_real(&g->b, 1);
    last(g)->a = 1000;
}
static void no_libm(Ground *g)
{
    ir_math(&g->b, IR_MATH_SIN, g->x, IR_NONE);
    last(g)->imm = IR_MATH_POW;
}
static void large_frame(Ground *g)
{
    for (int k = 0; k < 3; k++) ir_array(&g->b, IR_REAL, IR_LARGEST_ARRAY, NULL);
}

static const struct {
    void (*build)(Ground *g);
    const char *want; /* a part of the message; NULL: all is well */
} rows[] = {
    { none, NULL },
    { undefined_temporary, "not defined" },
    { wrong_type, "another type" },
    { no_register, "no such register" },
    { assigned_temporary, "defined twice" },
    { defined_twice, "defined twice" },
    { not_in_loop, "not in a loop" },
    { open_block, "not closed" },
    { nothing_to_close, "no block" },
    { two_elses, "no block" },
    { constant_index, "out of range" },
    { negative_index, "out of range" },
    { written_input, "constant array is written" },
    { made_frame, "only a dynamic" },
    { view_of_constant, "allow to write" },
    { counter_outside, "not defined" },
    { no_step, "step of zero" },
    { no_function, "no such function" },
    { few_operands, "number of operands" },
    { no_operation, "no such operation" },
    { no_constant, "no such constant" },
    { no_libm, "no such constant" },
    { large_frame, "frame is too large" },
};

int main(void)
{
    for (size_t k = 0; k < COUNT_OF(rows); k++) {
        Arena *arena = arena_new();
        IrModule *module = ir_module_new(arena);
        Ground g = { .b = ir_begin(module, "f") };
        g.x = ir_in(&g.b, IR_REAL, "x");
        g.n = ir_in(&g.b, IR_INT, "n");
        g.given = ir_in_array(&g.b, IR_REAL, "given");
        g.v = ir_variable(&g.b, IR_REAL, "v");
        g.fixed = ir_array(&g.b, IR_REAL, 4, "fixed");
        g.dynamic = ir_array_dynamic(&g.b, IR_REAL, "dynamic");
        g.t = ir_one(&g.b, IR_NEG, g.x);
        rows[k].build(&g);
        const char *wrong = ir_verify(module, g.b.id);
        CHECK_ROW(rows[k].want ? wrong && strstr(wrong, rows[k].want) : !wrong,
                  rows[k].want ? rows[k].want : "good");
        if (wrong && rows[k].want && !strstr(wrong, rows[k].want)) printf("  got: %s\n", wrong);
        arena_free(arena);
    }
    return test_end();
}
