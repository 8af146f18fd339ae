/* What a compiled model does, it does the same in every way: machine code, interpreter and C text
 * of a compiler agree bit for bit, function by function; and evaluating allocates nothing. Every
 * pass leaves a module that its verifier accepts. */
#include "gen/world.h"

#include "gen/inside.h"

#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__) || defined(ACAUSAL_SANITIZED)
#define COUNTS_ALLOCATIONS 0 /* the sanitizer has its own malloc */
static _Atomic long allocations;
#else
#define COUNTS_ALLOCATIONS 1
static _Atomic long allocations;
void *__libc_malloc(size_t n);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *at, size_t n);
void *malloc(size_t n)
{
    allocations++;
    return __libc_malloc(n);
}
void *calloc(size_t n, size_t size)
{
    allocations++;
    return __libc_calloc(n, size);
}
void *realloc(void *at, size_t n)
{
    allocations++;
    return __libc_realloc(at, n);
}
#endif

static const char *const rows[] = {
    "parameter Real a=0.7; Real x(start=1, fixed=true), y(start=2, fixed=true); equation der(x) = sin(x)*y^a "
    "+ time; "
    "der(y) = x^3/(1 + y^2) - x^2 + abs(x - 2)*sqrt(y);",
    "Real x(start=1.5, fixed=true), y(start=0.7, fixed=true), a, b; equation a + x*b = y; a - y*b = exp(-x); "
    "der(x) = "
    "a; der(y) = b*x;",
    "Real x(start=1.5, fixed=true), y(start=0.7, fixed=true), a(start=1), b(start=1); equation a^3 + b = x; "
    "b^3 + a*y "
    "= 2; der(x) = a*b; der(y) = a - b;",
    "Real x(start=0.8, fixed=true), y(start=0.6), vx(start=0, fixed=true), vy, F; equation der(x) = vx; "
    "der(y) = vy; "
    "der(vx) = -F*x; der(vy) = -F*y - 9.81; x^2 + y^2 = 1;",
    "parameter Real e=0.8; Real h(start=1, fixed=true), v(start=0, fixed=true); Integer n(start=0, "
    "fixed=true); "
    "equation der(h) = v; der(v) = if h < 0.5 and v > 0 then -9 else -9.81; when h < 0 then reinit(v, "
    "-e*pre(v)); n = pre(n) + 1; end when;",
    "function f input Real x; input Real a; output Real y; algorithm y := a; for i in 1:4 loop y := y + "
    "x^i/i; end for; "
    "end f; Real x(start=0.3, fixed=true), z(start=1); equation der(x) = f(x, 0.6); f(z, x) = 3;",
};

/* All functions without arguments, on the same memories, by machine code or interpreter and by the
 * entries of C. */
static void compare_functions(Run *r, void *const *entries, const char *text)
{
    Instance *i = r->model->data;
    const Compiled *c = r->compiled;
    double *before[MEM_COUNT], *after[MEM_COUNT];
    for (int m = 0; m < MEM_COUNT; m++) {
        before[m] = NEW_ARRAY(r->mini->arena, double, c->memory_size[m]);
        after[m] = NEW_ARRAY(r->mini->arena, double, c->memory_size[m]);
        memcpy(before[m], run_memory(i->run, (Memory)m), c->memory_size[m] * sizeof(double));
    }
    for (IrFun f = 0; f < c->module->functions.n; f++) {
        if (c->module->functions.at[f]->cell_count) continue;
        for (int m = 0; m < MEM_COUNT; m++)
            memcpy(run_memory(i->run, (Memory)m), before[m], c->memory_size[m] * sizeof(double));
        CHECK_ROW(ir_run(c->code, f, run_rt(i->run), NULL) == RT_OK, text);
        for (int m = 0; m < MEM_COUNT; m++) {
            memcpy(after[m], run_memory(i->run, (Memory)m), c->memory_size[m] * sizeof(double));
            memcpy(run_memory(i->run, (Memory)m), before[m], c->memory_size[m] * sizeof(double));
        }
        RtEntry entry;
        memcpy(&entry, &entries[f], sizeof entry);
        CHECK_ROW(entry(run_rt(i->run), run_rt(i->run)->stack) == RT_OK, text);
        for (int m = 0; m < MEM_COUNT; m++)
            if (!CHECK_ROW(
                    !memcmp(after[m], run_memory(i->run, (Memory)m), c->memory_size[m] * sizeof(double)),
                    text))
                printf("  %s differs in memory %d\n", c->module->functions.at[f]->name, m);
    }
}

/* The runtime, compiled once for all models; false where there is no compiler. */
static bool compile_runtime(const char *directory)
{
    char command[1024];
    snprintf(command, sizeof command,
             "cd %s && command -v cc > /dev/null 2>&1 && cc -c -std=c99 -O1 -w -D_GNU_SOURCE "
             "-ffp-contract=off -fPIC "
             "-I%s/../src %s/../src/rt/*.c",
             directory, TEST_SOURCE_DIR, TEST_SOURCE_DIR);
    return system(command) == 0;
}

static bool write_text(const char *path, const Text *text)
{
    FILE *file = fopen(path, "w");
    bool ok = file && fwrite(text->at, 1, text->n, file) == text->n;
    return file && fclose(file) == 0 && ok;
}

static void test_c_text(Run *r, const char *directory, size_t row)
{
    Arena *a = r->mini->arena;
    Text text = { .arena = a };
    const char *source = arena_printf(a, "%s/m%zu.c", directory, row);
    const char *made = arena_printf(a, "%s/m%zu.so", directory, row);
    ir_print_c(r->compiled->module, &(IrCStyle){ .prefix = "m_" }, &text);
    const char *command = arena_printf(
        a, "cc -std=c99 -O1 -w -ffp-contract=off -fno-builtin -shared -fPIC -I%s/../src -o %s %s %s/*.o -lm",
        TEST_SOURCE_DIR, made, source, directory);
    if (!CHECK(write_text(source, &text) && system(command) == 0)) return;
    void *library = dlopen(made, RTLD_NOW | RTLD_LOCAL);
    void *const *entries = library ? dlsym(library, "m_entries") : NULL;
    if (CHECK_ROW(entries, rows[row])) compare_functions(r, entries, rows[row]);
    if (library) dlclose(library);
}

static void test_backends(size_t row)
{
    Run r[2];
    double f[2][8], J[2][64] = { { 0 } };
    for (int k = 0; k < 2; k++) {
        if (!CHECK_ROW(run_open(&r[k], rows[row], k ? IR_INTERPRETER : IR_AUTO), rows[row])) return;
        CHECK_TEXT(ir_verify_module(gen_module(r[k].compiled)), NULL);
        CHECK_TEXT(flat_verify(r[k].mini->flat), NULL);
        CHECK_ROW(run_start(&r[k], 0) && run_to(&r[k], 0.6), rows[row]);
        Model *m = r[k].model;
        MatrixShape *shape = matrix_shape_as(r[k].mini->arena, MATRIX_DENSE, m->shape.n, NULL);
        m->type->derivatives(m, r[k].t, r[k].y, f[k]);
        m->type->jacobian(m, r[k].t, r[k].y, shape, J[k]);
    }
    size_t n = (size_t)r[0].model->shape.n;
    CHECK_ROW(!memcmp(r[0].y, r[1].y, n * sizeof(double)), rows[row]);
    CHECK_ROW(!memcmp(f[0], f[1], n * sizeof(double)), rows[row]);
    CHECK_ROW(!memcmp(J[0], J[1], n * n * sizeof(double)), rows[row]);
    for (int k = 0; k < 2; k++) run_close(&r[k]);
}

/* ---- allocations ----------------------------------------------------------------------------- */

static void evaluate_everything(Run *r, const MatrixShape *shape, double *room)
{
    Model *m = r->model;
    double y[64], J[64] = { 0 }, *values = room, *result = room + 256;
    memcpy(y, r->y, sizeof y);
    ModelChange change = { 1, y, 0, NULL, NULL };
    m->type->derivatives(m, r->t, r->y, result);
    m->type->jacobian(m, r->t, r->y, shape, J);
    if (m->shape.indicators) m->type->indicators(m, r->t, r->y, result);
    m->type->values(m, r->t, r->y, values);
    m->type->accepted(m, r->t, r->y);
    for (int map = 0; map < MAP_RESET; map++) {
        CHECK(m->type->linearise(m, (ModelMap)map, r->t, r->y) == EVAL_OK);
        m->type->jvp(m, 1, &change, &(double *){ result });
        m->type->vjp(m, result, &change);
    }
}

static void test_allocations(size_t row)
{
    Run r = { .mini = mini_new(rows[row]) };
    r.system = dae_build(r.mini->flat, r.mini->arena, &r.mini->diag);
    r.compiled = gen_compile(r.system, IR_AUTO, &r.mini->diag);
    CHECK(gen_add_products(r.compiled, &r.mini->diag));
    CHECK_TEXT(ir_verify_module(r.compiled->tape->module), NULL);
    r.model = gen_instance(r.compiled);
    CHECK(run_start(&r, 0));
    MatrixShape *shape = matrix_shape_as(r.mini->arena, MATRIX_DENSE, r.model->shape.n, NULL);
    double room[512];
    long before = allocations;
    for (int k = 0; k < 3; k++) evaluate_everything(&r, shape, room);
    if (!CHECK_ROW(allocations == before, rows[row]))
        printf("  %ld allocations\n", (long)allocations - before);
    run_close(&r);
}

int main(void)
{
    char directory[] = "/tmp/acausal_code_XXXXXX";
    bool compiles = mkdtemp(directory) && compile_runtime(directory);
    if (!compiles) printf("skipped: there is no compiler cc to make C text run\n");
    if (!COUNTS_ALLOCATIONS) printf("skipped: allocations are not counted under a sanitizer\n");
    for (size_t row = 0; row < COUNT_OF(rows); row++) {
        test_backends(row);
        test_allocations(row);
        Run r;
        if (compiles && CHECK(run_open(&r, rows[row], IR_AUTO)) && CHECK(run_start(&r, 0)))
            test_c_text(&r, directory, row);
        if (compiles) run_close(&r);
    }
    char command[64];
    snprintf(command, sizeof command, "rm -rf %s", directory);
    CHECK(system(command) == 0);
    return test_end();
}
