/* parse_test.c: programs written as text run; mistakes are reported with their line. */
#include "ir/ir.h"
#include "test.h"

static const struct {
    const char *text, *wrong; /* a part of the message; NULL: the text is good */
} rows[] = {
    { "function f(%0.x real -> %1.y real)\n  %2 = mul %0 %0\n  %1 = move %2\n", NULL },
    { "function f(-> %0 real)\n  %1 = call g\n", "line 2: no such instruction" },
    { "function f(-> %0 real)\n  call g#7()\n", "line 2: no such function" },
    { "function f(-> %0 real)\n  %1 = frob %0\n", "line 2: no such instruction" },
    { "function f(-> %0 real)\n  %1 = add %0\n", "line 2: a register is missing" },
    { "function f(-> %0 real)\n  %1 = math1 %0 bessel\n", "line 2: no such function of libm" },
    { "function f(-> %0 bool)\n", "line 1: an unknown type" },
    { "function f(%0 real", "line 1: ," },
    { "%0 = real 1\n", "line 1: an instruction outside" },
    { "function f()\n  %99999999 = real 1\n", "too large" },
    { "function f()\n  %0 = real one\n", "line 2: a number is missing" },
    { "function f()\n  %0 = str \"open\n", "closing quote" },
    { "function f()\n  extern rt_nothing()\n", "no such external" },
    { "function f()\n  return now\n", "left over" },
};

static const char fibonacci[] = "memory calls int 1\n"
                                "function fibonacci(%0.n int -> %1.y int)\n"
                                "  array @0.calls int memory 0\n"
                                "  %2 = load @0 - +0 ; 1\n"
                                "  %3 = int 1\n"
                                "  %4 = iadd %2 %3\n"
                                "  store @0 - %4 +0\n"
                                "  %5 = int 2\n"
                                "  %6 = ilt %0 %5 ; 2\n"
                                "  if %6\n"
                                "    %1 = move %0\n"
                                "    return\n"
                                "  end\n"
                                "  %7 = isub %0 %3\n"
                                "  %8 = isub %0 %5\n"
                                "  call fibonacci#0(%7 -> %9) ; 3\n"
                                "  call fibonacci#0(%8 -> %10)\n"
                                "  %11 = iadd %9 %10\n"
                                "  %1 = move %11\n";

int main(void)
{
    for (size_t k = 0; k < COUNT_OF(rows); k++) {
        Arena *arena = arena_new();
        const char *wrong = ir_parse(ir_module_new(arena), str_of(rows[k].text));
        CHECK_ROW(rows[k].wrong ? wrong && strstr(wrong, rows[k].wrong) : !wrong,
                  wrong ? wrong : rows[k].text);
        arena_free(arena);
    }
    Arena *arena = arena_new();
    IrModule *module = ir_module_new(arena);
    CHECK_TEXT(ir_parse(module, STR(fibonacci)), NULL);
    CHECK_TEXT(ir_verify_module(module), NULL);
    IrCode *code = ir_code_new(module, IR_AUTO);
    Rt *rt = rt_new(0);
    int64_t calls = 0;
    RtArray memory = { &calls, 1 };
    RtCell cells[2] = { { .i = 15 } };
    rt->memory = &memory;
    CHECK(ir_run(code, 0, rt, cells) == RT_OK && cells[1].i == 610 && calls == 1973);
    rt->steps = 50;
    CHECK(ir_run(code, 0, rt, cells) == RT_STEPS);
    ir_code_free(code);
    rt_free(rt);
    arena_free(arena);
    return test_end();
}
