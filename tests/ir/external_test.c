/* external_test.c: C functions are called with every kind of argument, in registers and on the
 * stack; Integers that are no int are refused; a failing function is reported at the caller's
 * source; without executable memory the interpreter is used; many instances run in many threads;
 * running allocates nothing. */
#include "ir/ir.h"
#include "test.h"

#include <dlfcn.h>
#include <malloc.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static double mixed(double a, int b, const char *s, const double *x, size_t n, int *count, double *sum,
                    int *ints)
{
    *count = (int)strlen(s) + b;
    *sum = 0;
    for (size_t k = 0; k < n; k++) *sum += x[k];
    for (size_t k = 0; k < n; k++) ints[k] *= 2;
    return a + b;
}

/* Sixteen arguments: six words and eight doubles go in registers. */
static double many(double a, double b, double c, double d, double e, double f, double g, double h, double i,
                   double j, int k, int l, int m, int n, int o, int p, int q)
{
    return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i + 10 * j + k + 2 * l + 3 * m +
           4 * n + 5 * o + 6 * p + 7 * q;
}

static void fortran(const double *x, const int *n, double *y) { *y = *x * *n; }

static RtStatus refuses(Rt *rt, RtCell *cells)
{
    return cells[0].r > 0 ? RT_OK : rt_fail_external(rt, "not today");
}

#define ADDRESS(f) ((void (*)(void))(f))

/* The same function in C text: its adapter compiles without a warning and passes the same
 * arguments. */
static void adapters(IrModule *module, IrFun f)
{
    static const char body[] =
        "\ndouble mixed(double a, int b, const char *s, double *x, size_t n, int *count, double *sum,\n"
        "             int *ints)\n"
        "{\n    *count = (int)sizeof s + b;\n    *sum = 0;\n"
        "    for (size_t k = 0; k < n; k++) *sum += x[k];\n"
        "    for (size_t k = 0; k < n; k++) ints[k] *= 2;\n    return a + b;\n}\n";
    char directory[] = "/tmp/acausal_ext_XXXXXX", path[64], command[1024];
    Text text = { .arena = module->arena };
    if (system("command -v gcc > /dev/null 2>&1") != 0 || !mkdtemp(directory)) return;
    ir_print_c(module, &(IrCStyle){ "m_", NULL, NULL }, &text);
    text_add(&text, STR(body));
    snprintf(path, sizeof path, "%s/text.c", directory);
    FILE *file = fopen(path, "w");
    CHECK(file && fwrite(text.at, 1, text.n, file) == text.n);
    if (file) fclose(file);
    snprintf(command, sizeof command,
             "gcc -std=c99 -Wall -Wextra -Werror -ffp-contract=off -fno-builtin -shared -fPIC -I%s/../src -o "
             "%s/t.so "
             "%s/text.c %s/../src/rt/instance.c -lm",
             TEST_SOURCE_DIR, directory, directory, TEST_SOURCE_DIR);
    CHECK(system(command) == 0);
    snprintf(path, sizeof path, "%s/t.so", directory);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    void *symbol = library ? dlsym(library, "m_entries") : NULL;
    if (CHECK(symbol != NULL)) {
        double values[] = { 1, 2, 4 };
        int64_t whole[] = { 3, -4, 5 };
        RtCell cells[8] = { { .p = values }, { .i = 3 }, { .i = 2 },     { 0 },
                            { 0 },           { 0 },      { .p = whole }, { .i = 3 } };
        Rt *rt = rt_new(0);
        CHECK(rt_enter_table(symbol, f, rt, cells) == RT_OK);
        CHECK(cells[3].r == 3.5 && cells[4].r == 7 && cells[5].i == 10);
        CHECK(whole[0] == 6 && whole[1] == -8 && whole[2] == 10);
        cells[2].i = INT64_C(1) << 33;
        CHECK(rt_enter_table(symbol, f, rt, cells) == RT_OVERFLOW && rt->error.source == 11);
        rt_free(rt);
    }
    if (library) dlclose(library);
    snprintf(command, sizeof command, "rm -rf %s", directory);
    CHECK(system(command) == 0);
}

static void arguments(IrBackend backend)
{
    Arena *arena = arena_new();
    IrModule *module = ir_module_new(arena);
    IrExtParam mixed_params[] = {
        { IR_REAL, IR_BY_VALUE, false, false }, { IR_INT, IR_BY_VALUE, false, false },
        { IR_STR, IR_BY_VALUE, false, false },  { IR_REAL, IR_AS_ARRAY, true, false },
        { IR_INT, IR_AS_SIZE, false, false },   { IR_INT, IR_BY_OUTPUT, false, true },
        { IR_REAL, IR_BY_OUTPUT, false, true }, { IR_INT, IR_AS_ARRAY, true, true },
        { IR_REAL, IR_AS_RESULT, false, true },
    };
    IrExt e = ir_add_external(
        module, &(IrExternal){
                    .name = "mixed", .params = mixed_params, .param_count = 9, .address = ADDRESS(mixed) });
    CHECK(ir_add_external(module, &(IrExternal){ .name = "mixed",
                                                 .params = mixed_params,
                                                 .param_count = 9,
                                                 .address = ADDRESS(mixed) }) == e);
    IrBuilder b = ir_begin(module, "f");
    IrArr x = ir_in_array(&b, IR_REAL, "x"), ints = IR_NONE;
    IrReg n = ir_in(&b, IR_INT, "n"), y = ir_out(&b, IR_REAL, "y"), sum = ir_out(&b, IR_REAL, "sum"),
          count = ir_out(&b, IR_INT, "count");
    ints = ir_out_array(&b, IR_INT, "ints");
    b.source = 11;
    uint32_t operands[] = {
        ir_real(&b, 1.5), n, ir_str(&b, "four"), x, ir_length(&b, x), count, sum, ints, y
    };
    ir_extern(&b, e, operands, 9);
    CHECK_TEXT(ir_verify(module, b.id), NULL);
    IrCode *code = ir_code_new(module, backend);
    double values[] = { 1, 2, 4 };
    int64_t whole[] = { 3, -4, 5 };
    Rt *rt = rt_new(0);
    RtCell cells[8] = { { .p = values }, { .i = 3 }, { .i = 2 },     { 0 },
                        { 0 },           { 0 },      { .p = whole }, { .i = 3 } };
    if (code) {
        CHECK(ir_run(code, b.id, rt, cells) == RT_OK);
        CHECK(cells[3].r == 3.5 && cells[4].r == 7 && cells[5].i == 6);
        CHECK(whole[0] == 6 && whole[1] == -8 && whole[2] == 10);
        cells[2].i = INT64_C(1) << 33;
        CHECK(ir_run(code, b.id, rt, cells) == RT_OVERFLOW && rt->error.source == 11);
        cells[2].i = 2, whole[1] = INT64_MAX;
        CHECK(ir_run(code, b.id, rt, cells) == RT_OVERFLOW);
    }
    if (backend == IR_INTERPRETER) adapters(module, b.id);
    ir_code_free(code);
    rt_free(rt);
    arena_free(arena);
}

static void registers_and_stack(IrBackend backend)
{
    Arena *arena = arena_new();
    IrModule *module = ir_module_new(arena);
    IrExtParam params[18];
    for (int k = 0; k < 18; k++)
        params[k] = (IrExtParam){ k < 10 || k == 17 ? IR_REAL : IR_INT, k == 17 ? IR_AS_RESULT : IR_BY_VALUE,
                                  false, k == 17 };
    IrExt e = ir_add_external(
        module,
        &(IrExternal){ .name = "many", .params = params, .param_count = 18, .address = ADDRESS(many) });
    IrExtParam by_address[] = { { IR_REAL, IR_BY_REFERENCE, false, false },
                                { IR_INT, IR_BY_REFERENCE, false, false },
                                { IR_REAL, IR_BY_OUTPUT, false, true } };
    IrExt g = ir_add_external(
        module, &(IrExternal){
                    .name = "fortran", .params = by_address, .param_count = 3, .address = ADDRESS(fortran) });
    IrBuilder b = ir_begin(module, "f");
    IrReg y = ir_out(&b, IR_REAL, "y");
    uint32_t operands[18];
    for (int k = 0; k < 17; k++) operands[k] = k < 10 ? ir_real(&b, k + 0.5) : ir_int(&b, k);
    operands[17] = IR_NONE;
    ir_extern(&b, e, operands, 18);
    uint32_t more[] = { operands[17], ir_int(&b, 3), y };
    ir_extern(&b, g, more, 3);
    Rt *rt = rt_new(0);
    IrCode *code = ir_code_new(module, backend);
    RtCell cells[1];
    if (code) CHECK(ir_run(code, b.id, rt, cells) == RT_OK);
    if (code)
        CHECK(cells[0].r ==
              3 * many(0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5, 8.5, 9.5, 10, 11, 12, 13, 14, 15, 16));
    ir_code_free(code);
    rt_free(rt);
    arena_free(arena);
}

static void failures(IrBackend backend)
{
    Arena *arena = arena_new();
    IrModule *module = ir_module_new(arena);
    IrExtParam param = { IR_REAL, IR_BY_VALUE, false, false };
    IrExt e = ir_add_external(
        module, &(IrExternal){ .name = "refuses", .params = &param, .param_count = 1, .entry = refuses });
    IrBuilder b = ir_begin(module, "f");
    IrReg x = ir_in(&b, IR_REAL, "x");
    b.source = 23;
    ir_extern(&b, e, (uint32_t[]){ x }, 1);
    Rt *rt = rt_new(0);
    IrCode *code = ir_code_new(module, backend);
    RtCell cells[1] = { { .r = 1 } };
    if (code) {
        CHECK(ir_run(code, b.id, rt, cells) == RT_OK);
        cells[0].r = -1;
        CHECK(ir_run(code, b.id, rt, cells) == RT_EXTERNAL && rt->error.source == 23);
        CHECK_TEXT(rt->error.message, "not today");
    }
    ir_code_free(code);
    rt_free(rt);
    arena_free(arena);
}

/* Newton's method on a function of the module: function id, guess -> root. */
static RtStatus newton(Rt *rt, RtCell *cells)
{
    enum { OWN = 3 };
    RtCell *call = cells + OWN; /* x, dx -> f, df */
    double x = cells[1].r;
    if (!rt_room(rt, call, 4)) return RT_DEPTH;
    for (int k = 0; k < 50; k++) {
        call[0].r = x;
        call[1].r = 1;
        RtStatus status = rt_call(rt, cells[0].i, call);
        if (status) return status;
        if (call[2].r == 0) break;
        x -= call[2].r / call[3].r;
    }
    cells[2].r = x;
    return RT_OK;
}

/* An adapter calls back into the module; a failure inside keeps its own place. */
static void callbacks(IrBackend backend)
{
    Arena *arena = arena_new();
    IrModule *module = ir_module_new(arena);
    IrBuilder g = ir_begin(module, "residual");
    IrReg x = ir_in(&g, IR_REAL, "x"), y = ir_out(&g, IR_REAL, "y");
    g.source = 31;
    ir_assert(&g, ir_two(&g, IR_LT, x, ir_real(&g, 100)), ir_str(&g, "too far"));
    ir_set(&g, y, ir_two(&g, IR_SUB, ir_two(&g, IR_MUL, x, x), ir_real(&g, 9)));
    IrDerivatives known = { 0 };
    const char *why;
    IrFun slope = ir_differentiate(module, g.id, &known, &why);
    IrExtParam params[] = { { IR_INT, IR_BY_VALUE, false, false },
                            { IR_REAL, IR_BY_VALUE, false, false },
                            { IR_REAL, IR_BY_VALUE, false, true } };
    IrExt e = ir_add_external(
        module, &(IrExternal){ .name = "newton", .params = params, .param_count = 3, .entry = newton });
    IrBuilder b = ir_begin(module, "solve");
    IrReg guess = ir_in(&b, IR_REAL, "guess"), id = ir_in(&b, IR_INT, "id"),
          root = ir_out(&b, IR_REAL, "root");
    b.source = 32;
    ir_extern(&b, e, (uint32_t[]){ id, guess, root }, 3);
    Rt *rt = rt_new(0);
    IrCode *code = ir_code_new(module, backend);
    RtCell cells[3] = { { .r = 5 }, { .i = slope } };
    if (code) {
        CHECK(ir_run(code, b.id, rt, cells) == RT_OK && cells[2].r == 3);
        cells[0].r = 200;
        CHECK(ir_run(code, b.id, rt, cells) == RT_ASSERT && rt->error.source == 31 &&
              rt->error.function == slope);
        CHECK_TEXT(rt->error.message, "too far");
        cells[1].i = 99;
        CHECK(ir_run(code, b.id, rt, cells) == RT_DEPTH && rt->error.source == 32);
    }
    ir_code_free(code);
    rt_free(rt);
    arena_free(arena);
}

/* y[k] := logistic map, n times, over a memory of the instance. */
static IrModule *map_module(Arena *arena)
{
    IrModule *module = ir_module_new(arena);
    IrMem memory = ir_add_memory(module, "v", IR_REAL, 8);
    IrBuilder b = ir_begin(module, "map");
    IrReg n = ir_in(&b, IR_INT, "n");
    IrArr v = ir_array_memory(&b, memory);
    ir_for(&b, ir_int(&b, 1), n, 1);
    IrReg k = ir_for(&b, ir_int(&b, 0), ir_int(&b, 7), 1);
    IrReg x = ir_load(&b, v, k, 0);
    ir_store(
        &b, v, k, 0,
        ir_two(&b, IR_MUL, ir_two(&b, IR_MUL, ir_real(&b, 3.75), x), ir_two(&b, IR_SUB, ir_real(&b, 1), x)));
    ir_end(&b);
    ir_end(&b);
    ir_optimize(module, b.id);
    return module;
}

typedef struct {
    const IrCode *code;
    double values[16][8];
    bool ok[16];
} Crowd;

static void run_instance(void *arg, size_t i, unsigned worker)
{
    Crowd *crowd = arg;
    (void)worker;
    Rt *rt = rt_new(1000);
    RtArray memory = { crowd->values[i], 8 };
    RtCell cells[1] = { { .i = 2000 } };
    for (int k = 0; k < 8; k++) crowd->values[i][k] = 0.1 + 0.01 * (double)(i % 4) + 0.05 * k;
    rt->memory = &memory;
    crowd->ok[i] = ir_run(crowd->code, 0, rt, cells) == RT_OK;
    rt_free(rt);
}

static void threads(IrBackend backend)
{
    Arena *arena = arena_new();
    Crowd crowd = { .code = ir_code_new(map_module(arena), backend) };
    if (crowd.code) {
        pool_each(4, 16, run_instance, &crowd);
        for (size_t i = 0; i < 16; i++)
            CHECK(crowd.ok[i] && !memcmp(crowd.values[i], crowd.values[i % 4], sizeof crowd.values[i]));
    }
    ir_code_free((IrCode *)crowd.code);
    arena_free(arena);
}

static void allocations(IrBackend backend)
{
    Arena *arena = arena_new();
    IrModule *module = map_module(arena);
    IrCode *code = ir_code_new(module, backend);
    Rt *rt = rt_new(0);
    double values[8] = { 0.5, 0.25 };
    RtArray memory = { values, 8 };
    RtCell cells[1] = { { .i = 10 } };
    rt->memory = &memory;
    if (code) {
        ir_run(code, 0, rt, cells);
        size_t before = mallinfo2().uordblks, total = rt->heap_total;
        for (int k = 0; k < 100; k++) ir_run(code, 0, rt, cells);
        CHECK(mallinfo2().uordblks == before && rt->heap_total == total);
    }
    ir_code_free(code);
    rt_free(rt);
    arena_free(arena);
}

static double twice(double x) { return 2 * x; }

/* A compiler adds functions and externals to a module while it evaluates others of it. */
static void growth(void)
{
    Arena *arena = arena_new();
    IrModule *module = ir_module_new(arena);
    IrCode *code = ir_code_new(module, IR_INTERPRETER);
    Rt *rt = rt_new(0);
    double want = 1;
    for (int k = 0; k < 40; k++) {
        char name[16];
        snprintf(name, sizeof name, "twice%d", k % 5);
        IrExtParam params[] = { { IR_REAL, IR_BY_VALUE, false, false },
                                { IR_REAL, IR_AS_RESULT, false, true } };
        IrExt e = ir_add_external(
            module,
            &(IrExternal){ .name = name, .params = params, .param_count = 2, .address = ADDRESS(twice) });
        IrBuilder b = ir_begin(module, "f");
        IrReg y = ir_out(&b, IR_REAL, "y");
        uint32_t operands[] = { ir_real(&b, 1), IR_NONE };
        if (k) operands[0] = IR_NONE;
        if (k) ir_call(&b, (IrFun)(k - 1), operands, 1);
        ir_extern(&b, e, operands, 2);
        ir_set(&b, y, operands[1]);
        RtCell cells[1];
        if (!CHECK(ir_code_extend(code)) || !CHECK(ir_run(code, b.id, rt, cells) == RT_OK)) break;
        want *= 2;
        CHECK(cells[0].r == want);
    }
    ir_code_free(code);
    rt_free(rt);
    arena_free(arena);
}

/* A child process that may not map executable memory still runs the model. */
static void denied(void)
{
    /* of Linux 6.3, which older headers do not name */
    enum { SET_MDWE = 65, REFUSE_EXEC_GAIN = 1 };
    pid_t child = fork();
    if (child == 0) {
        Arena *arena = arena_new();
        if (prctl(SET_MDWE, REFUSE_EXEC_GAIN, 0, 0, 0) != 0) _exit(77);
        IrCode *code = ir_code_new(map_module(arena), IR_AUTO);
        _exit(code && ir_code_backend(code) == IR_INTERPRETER ? 0 : 1);
    }
    int status = 0;
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 77));
}

/* No page of this process is writable and executable. */
static void pages(void)
{
    Arena *arena = arena_new();
    IrCode *code = ir_code_new(map_module(arena), IR_AUTO);
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[512];
    while (maps && fgets(line, sizeof line, maps)) CHECK_ROW(!strstr(line, " rwx"), line);
    if (maps) fclose(maps);
    ir_code_free(code);
    arena_free(arena);
}

int main(void)
{
    static const IrBackend backends[] = { IR_INTERPRETER, IR_NATIVE };
    Arena *arena = arena_new();
    for (size_t k = 0; k < COUNT_OF(backends); k++) {
        arguments(backends[k]);
        registers_and_stack(backends[k]);
        failures(backends[k]);
        callbacks(backends[k]);
        threads(backends[k]);
        allocations(backends[k]);
    }
    IrCode *native = ir_code_new(ir_module_new(arena), IR_NATIVE);
    if (native) growth(); /* its externals need a gate of machine code */
    ir_code_free(native);
    arena_free(arena);
    denied();
    pages();
    return test_end();
}
