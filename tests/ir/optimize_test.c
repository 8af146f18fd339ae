/* optimize_test.c: what the optimiser does is seen in the text form: equal operations once, stores
 * forwarded, proved checks gone, unread values dropped; and what may fail or change stays. */
#include "ir/ir.h"
#include "test.h"

static void expect(IrBuilder *b, const char *want)
{
    Text text = { .arena = b->module->arena };
    CHECK_TEXT(ir_verify(b->module, b->id), NULL);
    ir_optimize(b->module, b->id);
    CHECK_TEXT(ir_verify(b->module, b->id), NULL);
    ir_dump(b->module, b->id, &text);
    CHECK_TEXT(text.at, want);
}

static void equal_operations(Arena *arena)
{
    IrBuilder b = ir_begin(ir_module_new(arena), "f");
    IrReg x = ir_in(&b, IR_REAL, "x"), y = ir_out(&b, IR_REAL, "y");
    IrReg p = ir_two(&b, IR_MUL, x, x), q = ir_two(&b, IR_MUL, x, x);
    ir_two(&b, IR_ADD, p, q);
    ir_set(&b, y, ir_two(&b, IR_DIV, p, q));
    expect(&b, "function f(%0.x real -> %1.y real)\n"
               "  %2 = mul %0.x %0.x ; 0\n"
               "  %5 = div %2 %2\n"
               "  %1.y = move %5\n");
}

static void elements(Arena *arena)
{
    IrModule *module = ir_module_new(arena);
    IrMem memory = ir_add_memory(module, "v", IR_REAL, 4);
    IrBuilder b = ir_begin(module, "f");
    IrReg n = ir_in(&b, IR_INT, "n");
    IrArr v = ir_array_memory(&b, memory);
    IrReg x = ir_load(&b, v, IR_NONE, 0);
    ir_store(&b, v, IR_NONE, 1, ir_two(&b, IR_ADD, x, ir_load(&b, v, IR_NONE, 0)));
    ir_store(&b, v, IR_NONE, 2, ir_load(&b, v, IR_NONE, 1));
    ir_store(&b, v, n, 0, x);
    ir_store(&b, v, IR_NONE, 3, ir_load(&b, v, IR_NONE, 1));
    expect(&b, "function f(%0.n int)\n"
               "  array @0.v real memory 0\n"
               "  %1 = load @0.v - +0 ; 0\n"
               "  %3 = add %1 %1\n"
               "  store @0.v - %3 +1\n"
               "  store @0.v - %3 +2\n"
               "  store @0.v %0.n %1 +0\n"
               "  %5 = load @0.v - +1\n"
               "  store @0.v - %5 +3\n");
}

static void checks(Arena *arena)
{
    IrBuilder b = ir_begin(ir_module_new(arena), "f");
    IrArr x = ir_in_array(&b, IR_REAL, "x");
    IrReg k = ir_in(&b, IR_INT, "k"), s = ir_out(&b, IR_REAL, "s");
    IrReg n = ir_length(&b, x);
    IrReg i = ir_for(&b, ir_int(&b, 1), n, 1);
    ir_check_index(&b, i, n);
    ir_set(&b, s, ir_load(&b, x, i, -1));
    ir_set(&b, s, ir_load(&b, x, i, 0));
    ir_end(&b);
    ir_check_index(&b, k, n);
    expect(&b, "function f(@0.x real[], %0.k int -> %1.s real)\n"
               "  %2 = length @0.x ; 0\n"
               "  %3 = int 1\n"
               "  %4 = for! %3 %2 +1\n"
               "    %5 = load! @0.x %4 -1\n"
               "    %1.s = move %5\n"
               "    %6 = load @0.x %4 +0\n"
               "    %1.s = move %6\n"
               "  end\n"
               "  check_index %0.k %2\n");
}

/* A value computed in one branch is not there in the other, nor after both. */
static void branches(Arena *arena)
{
    IrModule *module = ir_module_new(arena);
    IrMem memory = ir_add_memory(module, "v", IR_REAL, 2);
    IrBuilder b = ir_begin(module, "f");
    IrReg x = ir_in(&b, IR_REAL, "x"), c = ir_in(&b, IR_INT, "c"), y = ir_out(&b, IR_REAL, "y");
    IrArr v = ir_array_memory(&b, memory);
    IrReg before = ir_load(&b, v, IR_NONE, 0);
    ir_if(&b, c);
    ir_store(&b, v, IR_NONE, 0, ir_two(&b, IR_MUL, x, x));
    ir_else(&b);
    ir_set(&b, y, ir_two(&b, IR_MUL, x, x));
    ir_end(&b);
    ir_set(&b, y, ir_two(&b, IR_ADD, before, ir_load(&b, v, IR_NONE, 0)));
    expect(&b, "function f(%0.x real, %1.c int -> %2.y real)\n"
               "  array @0.v real memory 0\n"
               "  %3 = load @0.v - +0 ; 0\n"
               "  if %1.c\n"
               "    %4 = mul %0.x %0.x\n"
               "    store @0.v - %4 +0\n"
               "  else\n"
               "    %5 = mul %0.x %0.x\n"
               "    %2.y = move %5\n"
               "  end\n"
               "  %6 = load @0.v - +0\n"
               "  %7 = add %3 %6\n"
               "  %2.y = move %7\n");
}

int main(void)
{
    void (*const tests[])(Arena *) = { equal_operations, elements, checks, branches };
    for (size_t k = 0; k < COUNT_OF(tests); k++) {
        Arena *arena = arena_new();
        tests[k](arena);
        arena_free(arena);
    }
    return test_end();
}
