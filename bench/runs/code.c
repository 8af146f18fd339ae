/* bench_code.c: how soon code is ready and how fast it runs, by backend.
 *
 * In: three kinds of generated programs: straight-line statements of about five operations over a
 * memory of variables; loops over arrays (a vector update with a dot product, a matrix times a
 * vector with checked subscripts); a media property (polynomials of temperature in two ranges with
 * a logarithm) that a loop calls. Out: one row a program and backend. How: code_ms is wall time
 * from the IR to a callable entry, the least of several; ns_per_statement the least time of a run
 * over its statements. Compilers run as `CC -O2` on the C text. */
#include "base/base.h"
#include "bench/runs/runs.h"
#include "ir/ir.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { VECTOR = 1000, MATRIX = 30, MEDIA_CALLS = 200, MEDIA_STATEMENTS = 14 };

typedef struct {
    const char *suffix;
    uint32_t statements, executed;
    IrFun (*build)(IrModule *module, uint32_t statements);
    bool is_for_compilers;
} Program;

static uint32_t draw(uint64_t *state, uint32_t below)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*state >> 33) % below;
}

/* v[k] := an expression of five operations over other variables, most of them recent ones, as
 * sorted models have. */
static IrFun build_straight(IrModule *module, uint32_t n)
{
    uint64_t state = 42;
    IrMem memory = ir_add_memory(module, "v", IR_REAL, n + 16);
    IrBuilder b = ir_begin(module, "straight");
    IrArr v = ir_array_memory(&b, memory);
    for (uint32_t k = 0; k < n; k++) {
        IrReg x[4];
        b.source = k;
        for (int j = 0; j < 4; j++) {
            uint32_t near = k + 16 > 24 ? k + 16 - draw(&state, 24) - 1 : draw(&state, 16);
            x[j] = ir_load(&b, v, IR_NONE, (int32_t)(j == 3 ? draw(&state, k + 16) : near));
        }
        IrReg c = ir_real(&b, 0.25 + draw(&state, 100) / 400.0);
        IrReg sum = ir_two(&b, IR_ADD, ir_two(&b, IR_MUL, c, x[0]), ir_two(&b, IR_MUL, x[1], x[2]));
        IrReg last =
            draw(&state, 8) ? ir_two(&b, IR_SUB, sum, x[3]) : ir_two(&b, IR_DIV, sum, ir_real(&b, 3.5));
        ir_store(&b, v, IR_NONE, (int32_t)(k + 16), ir_two(&b, IR_MUL, last, ir_real(&b, 0.125)));
    }
    return b.id;
}

static IrFun build_loops(IrModule *module, uint32_t n)
{
    (void)n;
    IrMem mx = ir_add_memory(module, "x", IR_REAL, VECTOR), my = ir_add_memory(module, "y", IR_REAL, VECTOR),
          ma = ir_add_memory(module, "A", IR_REAL, MATRIX * MATRIX);
    IrBuilder b = ir_begin(module, "loops");
    IrArr x = ir_array_memory(&b, mx), y = ir_array_memory(&b, my), a = ir_array_memory(&b, ma);
    IrReg s = ir_variable(&b, IR_REAL, "s"), one = ir_int(&b, 1), m = ir_int(&b, MATRIX);
    IrReg i = ir_for(&b, one, ir_int(&b, VECTOR), 1);
    IrReg xi = ir_load(&b, x, i, -1);
    IrReg yi = ir_two(&b, IR_ADD, ir_two(&b, IR_MUL, ir_real(&b, 0.5), ir_load(&b, y, i, -1)), xi);
    ir_store(&b, y, i, -1, yi);
    ir_set(&b, s, ir_two(&b, IR_ADD, s, ir_two(&b, IR_MUL, xi, yi)));
    ir_end(&b);
    i = ir_for(&b, one, m, 1);
    IrReg sum = ir_variable(&b, IR_REAL, "sum");
    ir_set(&b, sum, ir_real(&b, 0));
    IrReg j = ir_for(&b, one, m, 1);
    ir_check_index(&b, i, m);
    ir_check_index(&b, j, m);
    IrReg at = ir_two(&b, IR_IADD, ir_two(&b, IR_IMUL, ir_two(&b, IR_ISUB, i, one), m), j);
    ir_set(&b, sum,
           ir_two(&b, IR_ADD, sum, ir_two(&b, IR_MUL, ir_load(&b, a, at, -1), ir_load(&b, x, j, -1))));
    ir_end(&b);
    ir_store(&b, y, i, -1, sum);
    ir_end(&b);
    ir_store(&b, y, IR_NONE, 0, s);
    return b.id;
}

/* Enthalpy and entropy from seven coefficients in one of two ranges, like the usual gas tables. */
static IrFun build_media(IrModule *module, uint32_t n)
{
    (void)n;
    static const double low[] = { -39479.6,    575.573,    0.931782,    0.00722271,
                                  -7.34255e-6, 4.95504e-9, -1.33693e-12 };
    static const double high[] = { 1.03497e6,   -2412.69,    4.64611,     0.00229199,
                                   -6.83683e-7, 9.42646e-11, -4.82238e-15 };
    IrMem results = ir_add_memory(module, "results", IR_REAL, 2);
    IrBuilder f = ir_begin(module, "h_and_s");
    IrReg t = ir_in(&f, IR_REAL, "T"), h = ir_out(&f, IR_REAL, "h"), s = ir_out(&f, IR_REAL, "s");
    ir_if(&f, ir_two(&f, IR_LT, t, ir_real(&f, 1000)));
    for (int k = 0; k < 2; k++) {
        const double *c = k ? high : low;
        IrReg log_t = ir_math(&f, IR_MATH_LOG, t, IR_NONE), p = ir_real(&f, c[6] / 5),
              q = ir_real(&f, c[6] / 4);
        for (int j = 5; j >= 2; j--)
            p = ir_two(&f, IR_ADD, ir_two(&f, IR_MUL, p, t), ir_real(&f, c[j] / (j - 1)));
        for (int j = 5; j >= 3; j--)
            q = ir_two(&f, IR_ADD, ir_two(&f, IR_MUL, q, t), ir_real(&f, c[j] / (j - 2)));
        IrReg inverse = ir_two(&f, IR_DIV, ir_real(&f, 1), t);
        IrReg a = ir_two(&f, IR_ADD, ir_two(&f, IR_MUL, ir_real(&f, -c[0]), inverse),
                         ir_two(&f, IR_MUL, ir_real(&f, c[1]), log_t));
        ir_set(&f, h, ir_two(&f, IR_ADD, a, ir_two(&f, IR_MUL, p, t)));
        IrReg d = ir_two(&f, IR_SUB, ir_two(&f, IR_MUL, ir_real(&f, c[2]), log_t),
                         ir_two(&f, IR_MUL, ir_real(&f, c[1]), inverse));
        ir_set(&f, s, ir_two(&f, IR_ADD, d, ir_two(&f, IR_MUL, q, t)));
        if (k == 0) ir_else(&f);
    }
    ir_end(&f);
    IrBuilder b = ir_begin(module, "media");
    IrReg hs = ir_variable(&b, IR_REAL, "hs"), ss = ir_variable(&b, IR_REAL, "ss");
    IrReg i = ir_for(&b, ir_int(&b, 1), ir_int(&b, MEDIA_CALLS), 1);
    IrReg ti =
        ir_two(&b, IR_ADD, ir_real(&b, 300), ir_two(&b, IR_MUL, ir_real(&b, 5), ir_one(&b, IR_TO_REAL, i)));
    uint32_t operands[] = { ti, IR_NONE, IR_NONE };
    ir_call(&b, f.id, operands, 3);
    ir_set(&b, hs, ir_two(&b, IR_ADD, hs, operands[1]));
    ir_set(&b, ss, ir_two(&b, IR_ADD, ss, operands[2]));
    ir_end(&b);
    IrArr r = ir_array_memory(&b, results);
    ir_store(&b, r, IR_NONE, 0, hs);
    ir_store(&b, r, IR_NONE, 1, ss);
    return b.id;
}

static const Program programs[] = {
    { "", 100, 100, build_straight, true },
    { "", 1000, 1000, build_straight, true },
    { "", 10000, 10000, build_straight, false },
    { "-loops", 5, 3 * VECTOR + 2 * MATRIX *MATRIX, build_loops, true },
    { "-media", MEDIA_STATEMENTS, MEDIA_STATEMENTS *MEDIA_CALLS, build_media, true },
};

/* Something that runs: code of ours, or an entry of a shared library. */
typedef struct {
    IrCode *code;
    IrFun f;
    RtEntry entry;
} Target;

static RtStatus run_target(const Target *target, Rt *rt)
{
    return target->code ? ir_run(target->code, target->f, rt, NULL) : target->entry(rt, rt->stack);
}

static double nanoseconds(const Target *target, Rt *rt, uint32_t executed)
{
    double least = 1e300;
    for (int round = 0; round < 7; round++) {
        int repeats = (int)(2000000 / executed) + 1;
        double start = clock_wall();
        for (int k = 0; k < repeats; k++)
            if (run_target(target, rt) != RT_OK) return -1;
        double each = (clock_wall() - start) / repeats;
        if (each < least) least = each;
    }
    return least * 1e9 / executed;
}

typedef struct {
    const char *only;
    BenchRow row;
    void *user;
    const Program *program;
    IrModule *module;
    IrFun f;
    Rt *rt;
} Bench;

static void report(const Bench *b, const char *backend, double code_seconds, const Target *target)
{
    char statements[32], name[64], code_ms[32], ns[32];
    snprintf(statements, sizeof statements, "%u", b->program->statements);
    snprintf(name, sizeof name, "%s%s", backend, b->program->suffix);
    snprintf(code_ms, sizeof code_ms, "%.4g", code_seconds * 1e3);
    snprintf(ns, sizeof ns, "%.3g", nanoseconds(target, b->rt, b->program->executed));
    b->row(b->user, (const char *const[]){ statements, name, code_ms, ns }, 4);
}

static bool is_wanted(const Bench *b, const char *backend) { return !b->only || !strcmp(b->only, backend); }

static void bench_own(const Bench *b, const char *name, IrBackend backend)
{
    double least = 1e300;
    Target target = { NULL, b->f, NULL };
    if (!is_wanted(b, name)) return;
    for (int round = 0; round < 5; round++) {
        ir_code_free(target.code);
        double start = clock_wall();
        target.code = ir_code_new(b->module, backend);
        double seconds = clock_wall() - start;
        if (seconds < least) least = seconds;
    }
    if (target.code) report(b, name, least, &target);
    ir_code_free(target.code);
}

static void bench_compiler(const Bench *b, const char *compiler)
{
    char command[2048], directory[] = "/tmp/acausal_bench_XXXXXX", path[64], name[64];
    char label[32];
    snprintf(label, sizeof label, "%s-O2", compiler);
    if (!is_wanted(b, label) || !b->program->is_for_compilers) return;
    if (file_kind(ACAUSAL_SOURCE_DIR "/src/rt/rt.h") != FILE_REGULAR) return;
    snprintf(command, sizeof command, "command -v %s > /dev/null 2>&1", compiler);
    if (system(command) != 0 || !mkdtemp(directory)) return;
    Text text = { .arena = b->module->arena };
    double start = clock_wall();
    ir_print_c(b->module, &(IrCStyle){ "bench_", NULL, NULL }, &text);
    snprintf(path, sizeof path, "%s/text.c", directory);
    FILE *file = fopen(path, "w");
    bool ok = file && fwrite(text.at, 1, text.n, file) == text.n;
    if (file) ok &= fclose(file) == 0;
    snprintf(command, sizeof command,
             "%s -std=c99 -O2 -ffp-contract=off -fno-builtin -shared -fPIC -I" ACAUSAL_SOURCE_DIR
             "/src -o %s/text.so "
             "%s/text.c " ACAUSAL_SOURCE_DIR "/src/rt/instance.c -lm",
             compiler, directory, directory);
    ok = ok && system(command) == 0;
    snprintf(path, sizeof path, "%s/text.so", directory);
    void *library = ok ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    snprintf(name, sizeof name, "bench_%s_entry", b->module->functions.at[b->f]->name);
    void *symbol = library ? dlsym(library, name) : NULL;
    double seconds = clock_wall() - start;
    Target target = { NULL, b->f, NULL };
    memcpy(&target.entry, &symbol, sizeof symbol);
    if (symbol) report(b, label, seconds, &target);
    if (library) dlclose(library);
    snprintf(command, sizeof command, "rm -rf %s", directory);
    if (system(command) != 0) return;
}

AcausalStatus run_code_bench(const char *only, BenchRow row, void *user)
{
    for (size_t k = 0; k < COUNT_OF(programs); k++) {
        Arena *arena = arena_new();
        Rt *rt = rt_new(0);
        if (!arena || !rt) return ACAUSAL_BUG;
        Bench b = { only, row, user, &programs[k], ir_module_new(arena), 0, rt };
        b.f = programs[k].build(b.module, programs[k].statements);
        for (IrFun f = 0; f < b.module->functions.n; f++) ir_optimize(b.module, f);
        rt->memory = NEW_ARRAY(arena, RtArray, b.module->memories.n);
        for (IrMem m = 0; m < b.module->memories.n; m++) {
            uint32_t n = b.module->memories.at[m].n;
            double *values = NEW_ARRAY(arena, double, n);
            for (uint32_t j = 0; j < n; j++) values[j] = 1.0 + j % 7 * 0.25;
            rt->memory[m] = (RtArray){ values, n };
        }
        bench_own(&b, "native", IR_NATIVE);
        bench_own(&b, "interpreter", IR_INTERPRETER);
        bench_compiler(&b, "gcc");
        bench_compiler(&b, "clang");
        rt_free(rt);
        arena_free(arena);
    }
    return ACAUSAL_DONE;
}
