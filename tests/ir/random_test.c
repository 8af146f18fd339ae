/* random_test.c: all ways of running agree bit for bit (NaNs are equal to NaNs), in results,
 * memories and failures, on random programs with loops, branches, arrays, calls, strings and values
 * at the edges of IEEE 754; and so do optimised programs. The C text is compiled without a warning
 * by every compiler that is there. */
#include "ir/ir.h"
#include "test.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

enum { FUNCTIONS = 40, RUNS = 6, MODULES = 25, MUTANTS = 400, REAL_CELLS = 8, INT_CELLS = 4 };

typedef struct {
    uint64_t state;
    IrBuilder b;
    VEC(IrReg) values[2]; /* readable now, by type */
    VEC(IrReg) variables[2];
    IrArr reals[6], ints[2];
    uint32_t real_count, int_count;
    IrArr written[4];
    uint32_t written_count;
    int depth, budget;
} Random;

static uint32_t draw(Random *r, uint32_t below)
{
    r->state ^= r->state << 13;
    r->state ^= r->state >> 7;
    r->state ^= r->state << 17;
    return (uint32_t)(r->state >> 33) % below;
}

static const double edges[] = { 0.0, -0.0, 1.0,      -1.0,      0.5, 3.0, 1e-310, 1e308, -1e308,
                                2.0, 7.0,  INFINITY, -INFINITY, NAN, 0.1, -2.5,   1e15,  123.456 };
static const int64_t whole[] = { 0, 1, 2, 3, -1, -7, 5, INT64_MAX, INT64_MIN, 1 << 20 };

static IrReg any(Random *r, IrType type)
{
    uint32_t n = r->values[type].n, m = r->variables[type].n;
    uint32_t pick = draw(r, n + m + 2);
    if (pick < n) return r->values[type].at[n - 1 - draw(r, n < 6 ? n : 6)];
    if (pick < n + m) return r->variables[type].at[pick - n];
    return type == IR_REAL ? ir_real(&r->b, edges[draw(r, COUNT_OF(edges))])
                           : ir_int(&r->b, whole[draw(r, 7)]);
}

static void offer(Random *r, IrReg reg)
{
    uint8_t type = r->b.f->regs.at[reg].type;
    vec_push(r->b.module->arena, &r->values[type], reg);
}

static IrReg condition(Random *r)
{
    static const IrOp reals[] = { IR_LT, IR_LE, IR_EQ, IR_NE }, ints[] = { IR_ILT, IR_ILE, IR_IEQ, IR_INE };
    if (draw(r, 2)) return ir_two(&r->b, reals[draw(r, 4)], any(r, IR_REAL), any(r, IR_REAL));
    return ir_two(&r->b, ints[draw(r, 4)], any(r, IR_INT), any(r, IR_INT));
}

static void random_value(Random *r)
{
    static const IrOp two[] = { IR_ADD, IR_SUB, IR_MUL, IR_DIV, IR_MIN, IR_MAX };
    static const IrOp one[] = { IR_NEG, IR_ABS, IR_SQRT, IR_FLOOR, IR_CEIL, IR_TRUNC };
    static const IrOp ints[] = { IR_IADD, IR_ISUB, IR_IMIN, IR_IMAX, IR_AND, IR_OR, IR_ILT, IR_IEQ };
    IrBuilder *b = &r->b;
    switch (draw(r, 16)) {
    case 0: offer(r, ir_one(b, one[draw(r, COUNT_OF(one))], any(r, IR_REAL))); break;
    case 1: offer(r, ir_math(b, (IrMath)draw(r, IR_MATH_ATAN2), any(r, IR_REAL), IR_NONE)); break;
    case 2:
        offer(r, ir_math(b, draw(r, 2) ? IR_MATH_ATAN2 : IR_MATH_POW, any(r, IR_REAL), any(r, IR_REAL)));
        break;
    case 3: offer(r, ir_two(b, ints[draw(r, COUNT_OF(ints))], any(r, IR_INT), any(r, IR_INT))); break;
    case 4: offer(r, condition(r)); break;
    case 5: offer(r, ir_select(b, condition(r), any(r, IR_REAL), any(r, IR_REAL))); break;
    case 6: offer(r, ir_select(b, any(r, IR_INT), any(r, IR_INT), any(r, IR_INT))); break;
    case 7: offer(r, ir_one(b, IR_TO_REAL, any(r, IR_INT))); break;
    case 8: offer(r, ir_load(b, r->reals[draw(r, r->real_count)], IR_NONE, (int32_t)draw(r, 4))); break;
    case 9: {
        /* An index that is always in range, unlike that of case 10. */
        IrReg i = ir_two(b, IR_IMOD, any(r, IR_INT), ir_int(b, 4));
        offer(r, ir_load(b, r->reals[draw(r, r->real_count)], i, 0));
        break;
    }
    case 10:
        if (draw(r, 8) == 0) offer(r, ir_load(b, r->reals[draw(r, r->real_count)], any(r, IR_INT), -1));
        if (draw(r, 8) == 0)
            offer(r, ir_two(b, draw(r, 2) ? IR_IDIV : IR_IREM, any(r, IR_INT), any(r, IR_INT)));
        if (draw(r, 8) == 0) offer(r, ir_two(b, IR_IMUL, any(r, IR_INT), any(r, IR_INT)));
        if (draw(r, 16) == 0) offer(r, ir_integer(b, any(r, IR_REAL)));
        if (draw(r, 16) == 0) offer(r, ir_one(b, draw(r, 2) ? IR_INEG : IR_IABS, any(r, IR_INT)));
        offer(r, ir_load(b, r->ints[draw(r, r->int_count)], IR_NONE, (int32_t)draw(r, 4)));
        break;
    default: offer(r, ir_two(b, two[draw(r, COUNT_OF(two))], any(r, IR_REAL), any(r, IR_REAL))); break;
    }
}

static void random_block(Random *r);

static void inner(Random *r)
{
    uint32_t reals = r->values[0].n, ints = r->values[1].n;
    r->depth++;
    random_block(r);
    r->depth--;
    r->values[0].n = reals;
    r->values[1].n = ints;
}

static void random_loop(Random *r)
{
    IrBuilder *b = &r->b;
    if (draw(r, 3)) {
        static const int32_t steps[] = { 1, 1, 2, -1, 3, -2 };
        int32_t step = steps[draw(r, 6)];
        uint32_t ints = r->values[1].n;
        IrReg low = ir_two(b, IR_IMOD, any(r, IR_INT), ir_int(b, 3)), high = ir_int(b, (int64_t)draw(r, 5));
        if (draw(r, 2)) high = ir_two(b, IR_IMOD, any(r, IR_INT), ir_int(b, 6));
        IrReg i = step > 0 ? ir_for(b, low, high, step) : ir_for(b, high, low, step);
        offer(r, i);
        offer(r, ir_load(b, r->reals[draw(r, r->real_count)], ir_two(b, IR_IMAX, i, ir_int(b, 0)), 0));
        inner(r);
        r->values[0].n -= 1;
        r->values[1].n = ints;
    } else {
        IrReg count = ir_variable(b, IR_INT, "count");
        ir_set(b, count, ir_int(b, (int64_t)draw(r, 5)));
        ir_loop(b);
        ir_break_unless(b, ir_two(b, IR_ILT, ir_int(b, 0), count));
        ir_set(b, count, ir_two(b, IR_ISUB, count, ir_int(b, 1)));
        inner(r);
        if (draw(r, 4) == 0) {
            ir_if(b, condition(r));
            ir_break(b);
            ir_end(b);
        }
    }
    ir_end(b);
}

static void random_call(Random *r)
{
    IrBuilder *b = &r->b;
    if (b->id == 0) return;
    IrArr own = draw(r, 2) ? r->reals[0] : r->reals[draw(r, r->real_count)];
    uint32_t operands[] = { any(r, IR_REAL), any(r, IR_REAL), any(r, IR_INT), own,
                            IR_NONE,         IR_NONE,         r->written[0] };
    if (own == r->written[0]) operands[3] = r->reals[1];
    ir_call(b, draw(r, b->id), operands, 7);
    offer(r, operands[4]);
    offer(r, operands[5]);
}

static void random_string(Random *r)
{
    IrBuilder *b = &r->b;
    IrReg six = ir_int(b, 6), x = any(r, IR_REAL);
    IrReg s = ir_builtin_call(b, "string_of_real", (IrReg[]){ x, six, six, six }, 4);
    IrReg t = ir_builtin_call(b, "string_concat", (IrReg[]){ s, ir_str(b, "a\"b\\c\n?\?/") }, 2);
    offer(r, ir_builtin_call(b, "string_length", &t, 1));
    if (draw(r, 6) == 0) ir_assert(b, condition(r), draw(r, 2) ? t : IR_NONE);
}

static void random_statement(Random *r)
{
    IrBuilder *b = &r->b;
    b->source++;
    switch (draw(r, 24)) {
    case 0:
    case 1:
        if (r->depth > 3) break;
        ir_if(b, condition(r));
        inner(r);
        if (draw(r, 2)) {
            ir_else(b);
            inner(r);
        }
        ir_end(b);
        break;
    case 2:
        if (r->depth < 3) random_loop(r);
        break;
    case 3: random_call(r); break;
    case 4: ir_fill(b, r->written[draw(r, r->written_count)], any(r, IR_REAL)); break;
    case 5:
    case 6:
        ir_store(b, r->written[draw(r, r->written_count)], ir_two(b, IR_IMOD, any(r, IR_INT), ir_int(b, 4)),
                 0, any(r, IR_REAL));
        break;
    case 7:
    case 8:
    case 9:
        ir_store(b, r->written[draw(r, r->written_count)], IR_NONE, (int32_t)draw(r, 4), any(r, IR_REAL));
        break;
    case 10: ir_store(b, r->ints[0], IR_NONE, (int32_t)draw(r, 4), any(r, IR_INT)); break;
    case 11:
        if (draw(r, 4) == 0) random_string(r);
        break;
    case 12:
        if (r->depth && draw(r, 6) == 0) {
            ir_if(b, condition(r));
            ir_return(b);
            ir_end(b);
        }
        break;
    case 13: {
        IrArr view = ir_array_view(b, IR_REAL, "view", true), made = ir_array_dynamic(b, IR_REAL, "made");
        IrReg four = ir_int(b, 4);
        ir_view(b, view, r->reals[draw(r, r->real_count)], ir_int(b, 0), four);
        ir_new(b, made, four);
        ir_copy(b, made, view);
        offer(r, ir_load(b, made, IR_NONE, (int32_t)draw(r, 4)));
        break;
    }
    case 14:
    case 15: ir_set(b, r->variables[1].at[draw(r, r->variables[1].n)], any(r, IR_INT)); break;
    default: ir_set(b, r->variables[0].at[draw(r, r->variables[0].n)], any(r, IR_REAL)); break;
    }
}

static void random_block(Random *r)
{
    int n = 2 + (int)draw(r, r->depth ? 6 : 20);
    while (n-- > 0 && r->budget-- > 0) {
        uint32_t values = 1 + draw(r, 4);
        while (values-- > 0) random_value(r);
        random_statement(r);
    }
}

static void random_function(IrModule *module, uint64_t seed)
{
    Random r = { .state = seed * UINT64_C(0x9E3779B97F4A7C15) + 1, .budget = 60 };
    r.b = ir_begin(module, "f");
    IrBuilder *b = &r.b;
    offer(&r, ir_in(b, IR_REAL, "x"));
    offer(&r, ir_in(b, IR_REAL, "y"));
    offer(&r, ir_in(b, IR_INT, "n"));
    r.reals[1] = ir_in_array(b, IR_REAL, "given");
    vec_push(module->arena, &r.variables[0], ir_out(b, IR_REAL, "result"));
    vec_push(module->arena, &r.variables[1], ir_out(b, IR_INT, "count"));
    IrArr out = ir_out_array(b, IR_REAL, "out");
    for (int k = 0; k < 2; k++) {
        vec_push(module->arena, &r.variables[0], ir_variable(b, IR_REAL, "v"));
        vec_push(module->arena, &r.variables[1], ir_variable(b, IR_INT, "1 odd name"));
    }
    r.reals[0] = r.written[0] = ir_array(b, IR_REAL, 4 + draw(&r, 30), "own");
    r.reals[2] = r.written[1] = ir_array_memory(b, 0);
    r.reals[3] = ir_array_table(b, 0);
    r.reals[4] = r.written[2] = out;
    r.real_count = 5;
    r.written_count = 3;
    r.ints[0] = ir_array_memory(b, 1);
    r.ints[1] = ir_array(b, IR_INT, 4, "own_ints");
    r.int_count = 2;
    random_block(&r);
    while (b->f->open) ir_end(b);
}

/* ---- one run and its outcome ----------------------------------------------------------------- */

typedef struct {
    RtStatus status;
    RtError error;
    RtCell cells[8];
    double given[4], out[4], reals[REAL_CELLS];
    int64_t ints[INT_CELLS];
    int64_t steps;
} Outcome;

typedef RtStatus (*Runner)(void *code, IrFun f, Rt *rt, RtCell *cells);

static void outcome(Runner run, void *code, IrFun f, Rt *rt, uint64_t seed, Outcome *o)
{
    Random r = { .state = seed * 77 + 13 };
    memset(o, 0, sizeof *o);
    for (int k = 0; k < 4; k++) o->given[k] = edges[draw(&r, COUNT_OF(edges))];
    for (int k = 0; k < REAL_CELLS; k++) o->reals[k] = edges[draw(&r, COUNT_OF(edges))];
    for (int k = 0; k < INT_CELLS; k++) o->ints[k] = whole[draw(&r, COUNT_OF(whole))];
    RtArray memories[] = { { o->reals, REAL_CELLS }, { o->ints, INT_CELLS } };
    rt->memory = memories;
    rt->steps = 100000;
    RtCell cells[8] = { { .r = edges[draw(&r, COUNT_OF(edges))] },
                        { .r = edges[draw(&r, 10)] },
                        { .i = whole[draw(&r, 7)] },
                        { .p = o->given },
                        { .i = 4 },
                        { 0 },
                        { 0 },
                        { .p = o->out } };
    RtCell all[9];
    memcpy(all, cells, sizeof cells);
    all[8].i = 4;
    o->status = run(code, f, rt, all);
    o->error = rt->error;
    o->steps = rt->steps;
    o->cells[0] = all[5];
    o->cells[1] = all[6];
}

static bool same_reals(const double *a, const double *b, int n)
{
    for (int k = 0; k < n; k++)
        if (memcmp(&a[k], &b[k], sizeof *a) != 0 && !(a[k] != a[k] && b[k] != b[k])) return false;
    return true;
}

static bool same(const Outcome *a, const Outcome *b)
{
    if (a->status != b->status) return false;
    if (a->status && (a->error.function != b->error.function || a->error.source != b->error.source ||
                      a->error.value != b->error.value || a->error.bound != b->error.bound ||
                      strcmp(a->error.message ? "text" : "", b->error.message ? "text" : "") != 0))
        return false;
    if (!same_reals(a->reals, b->reals, REAL_CELLS) || memcmp(a->ints, b->ints, sizeof a->ints) != 0 ||
        !same_reals(a->out, b->out, 4))
        return false;
    return a->status || (same_reals(&a->cells[0].r, &b->cells[0].r, 1) && a->cells[1].i == b->cells[1].i &&
                         a->steps == b->steps);
}

static RtStatus run_code(void *code, IrFun f, Rt *rt, RtCell *cells) { return ir_run(code, f, rt, cells); }

static IrModule *random_module(Arena *arena, uint64_t seed, uint32_t functions)
{
    static const double table[] = { 1, 2.5, -3, 1e-3, 4 };
    IrModule *module = ir_module_new(arena);
    ir_add_memory(module, "reals", IR_REAL, REAL_CELLS);
    ir_add_memory(module, "ints", IR_INT, INT_CELLS);
    ir_add_table(module, "table", table, COUNT_OF(table));
    for (uint32_t f = 0; f < functions; f++) random_function(module, seed * 1000 + f);
    return module;
}

static uint32_t failures, successes;

static void compare(const char *what, IrModule *module, Runner run, void *code, Outcome *expected,
                    bool record, Rt *rt)
{
    for (IrFun f = 0; f < module->functions.n; f++)
        for (uint64_t k = 0; k < RUNS; k++) {
            Outcome now, *want = &expected[f * RUNS + k];
            outcome(run, code, f, rt, f * 100 + k, record ? want : &now);
            if (record) {
                *(want->status ? &failures : &successes) += 1;
            } else if (!CHECK_ROW(same(&now, want), what)) {
                Text text = { .arena = module->arena };
                ir_dump(module, f, &text);
                if (getenv("SHOW")) printf("%s\n", text.at);
                printf("function %u run %u: status %d want %d, source %u want %u, %.17g want %.17g\n", f,
                       (unsigned)k, now.status, want->status, now.error.source, want->error.source,
                       now.cells[0].r, want->cells[0].r);
                return;
            }
        }
}

/* What is printed reads back as a program that prints and runs the same; a cut text never does
 * harm. */
static void text_form(IrModule *module, Outcome *expected, Rt *rt, uint64_t seed)
{
    Text text = { .arena = module->arena }, again = { .arena = module->arena };
    IrModule *read = ir_module_new(module->arena), *part = ir_module_new(module->arena);
    Random r = { .state = seed * 31 + 7 };
    ir_dump_module(module, &text);
    if (!CHECK_TEXT(ir_parse(read, (Str){ text.at, text.n }), NULL)) return;
    ir_dump_module(read, &again);
    CHECK(text.n == again.n && !memcmp(text.at, again.at, text.n));
    if (!CHECK_TEXT(ir_verify_module(read), NULL)) return;
    IrCode *code = ir_code_new(read, IR_AUTO);
    compare("text", read, run_code, code, expected, false, rt);
    ir_code_free(code);
    for (int k = 0; k < 20; k++) again.at[draw(&r, (uint32_t)again.n)] = " %@-1,a;("[draw(&r, 9)];
    if (!ir_parse(part, (Str){ again.at, draw(&r, (uint32_t)again.n) })) ir_verify_module(part);
}

/* ---- broken programs ------------------------------------------------------------------------- */

static uint32_t any_id(Random *r, uint32_t count)
{
    switch (draw(r, 8)) {
    case 0: return IR_NONE;
    case 1: return draw(r, 1 << 20);
    default: return draw(r, count + 2);
    }
}

static void mutate(Random *r, const IrModule *module, IrFunction *f)
{
    IrInsn *insn = &f->code.at[draw(r, f->code.n)];
    uint32_t ids = f->regs.n;
    switch (draw(r, 9)) {
    case 0: insn->op = (uint8_t)draw(r, IR_OP_COUNT + 2); break;
    case 1: insn->a = any_id(r, ids); break;
    case 2: insn->b = any_id(r, ids); break;
    case 3: insn->c = any_id(r, ids); break;
    case 4: insn->dst = any_id(r, ids); break;
    case 5: insn->imm = (int32_t)draw(r, 12) - 4; break;
    case 6: insn->a = any_id(r, f->arrays.n); break;
    case 7: insn->count = (uint16_t)draw(r, 12); break;
    default:
        if (f->operands.n) f->operands.at[draw(r, f->operands.n)] = any_id(r, draw(r, 2) ? ids : f->arrays.n);
        break;
    }
    (void)module;
}

/* Whatever the verifier lets pass can be run, and both ways of running agree on it. */
static void broken_programs(Rt *rt, uint64_t first)
{
    uint32_t passed = 0;
    for (uint64_t seed = first; seed < first + MUTANTS; seed++) {
        Arena *arena = arena_new();
        IrModule *module = random_module(arena, seed % 50 + 9000, 3);
        Random r = { .state = seed * 7919 + 5 };
        for (uint32_t k = 1 + draw(&r, 3); k > 0; k--) mutate(&r, module, module->functions.at[draw(&r, 3)]);
        if (!ir_verify_module(module)) {
            static Outcome expected[3 * RUNS];
            IrCode *slow = ir_code_new(module, IR_INTERPRETER), *fast = ir_code_new(module, IR_NATIVE);
            compare("mutant, interpreter", module, run_code, slow, expected, true, rt);
            if (fast) compare("mutant, native", module, run_code, fast, expected, false, rt);
            ir_code_free(slow);
            ir_code_free(fast);
            passed++;
        }
        arena_free(arena);
    }
    CHECK(passed > MUTANTS / 20 && passed < MUTANTS);
    printf("%u of %u mutants pass the verifier\n", passed, (unsigned)MUTANTS);
}

/* ---- the C text ------------------------------------------------------------------------------ */

typedef RtStatus (*CEntry)(Rt *, RtCell *);
typedef struct {
    CEntry entries[FUNCTIONS];
} CCode;

static RtStatus run_c(void *code, IrFun f, Rt *rt, RtCell *cells)
{
    int64_t depth = rt->depth;
    RtStatus status = ((CCode *)code)->entries[f](rt, cells);
    rt->depth = depth;
    rt_rewind_all(rt);
    return status;
}

static bool compile(const char *compiler, const char *directory, CCode *code, uint32_t functions)
{
    char command[2048], path[512];
    snprintf(command, sizeof command, "command -v %s > /dev/null 2>&1", compiler);
    if (system(command) != 0) return false;
    snprintf(path, sizeof path, "%s/%s.so", directory, compiler);
    snprintf(command, sizeof command,
             "%s -std=c99 -O2 -Wall -Wextra -Werror -ffp-contract=off -fno-builtin -shared -fPIC -I%s/../src "
             "-o %s %s/text.c %s/../src/rt/instance.c %s/../src/rt/string.c -lm 2>&1 | head -20",
             compiler, TEST_SOURCE_DIR, path, directory, TEST_SOURCE_DIR, TEST_SOURCE_DIR);
    if (system(command) != 0) return false;
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!CHECK_ROW(library != NULL, compiler)) return false;
    for (uint32_t f = 0; f < functions; f++) {
        char name[64];
        snprintf(name, sizeof name, f ? "m_f_%u_entry" : "m_f_entry", f);
        *(void **)&code->entries[f] = dlsym(library, name);
        if (!CHECK_ROW(code->entries[f] != NULL, name)) return false;
    }
    return true;
}

static const char *source_text(void *user, uint32_t source)
{
    (void)user;
    return source % 2 ? "a statement" : NULL;
}

static void c_text(Rt *rt)
{
    static const char *const compilers[] = { "gcc", "clang" };
    static Outcome expected[FUNCTIONS * RUNS];
    char directory[] = "/tmp/acausal_ir_XXXXXX", path[64];
    Arena *arena = arena_new();
    IrModule *module = random_module(arena, 4711, FUNCTIONS);
    IrCode *code = ir_code_new(module, IR_INTERPRETER);
    compare("interpreter", module, run_code, code, expected, true, rt);
    for (IrFun f = 1; f < module->functions.n; f += 2) ir_optimize(module, f);
    Text text = { .arena = arena };
    ir_print_c(module, &(IrCStyle){ "m_", source_text, NULL }, &text);
    if (CHECK(mkdtemp(directory) != NULL)) {
        snprintf(path, sizeof path, "%s/text.c", directory);
        FILE *file = fopen(path, "w");
        if (CHECK(file != NULL)) {
            fwrite(text.at, 1, text.n, file);
            fclose(file);
        }
        for (size_t k = 0; k < COUNT_OF(compilers); k++) {
            CCode compiled;
            if (compile(compilers[k], directory, &compiled, FUNCTIONS))
                compare(compilers[k], module, run_c, &compiled, expected, false, rt);
        }
        char command[128];
        snprintf(command, sizeof command, "rm -rf %s", directory);
        if (!getenv("KEEP")) CHECK(system(command) == 0);
    }
    ir_code_free(code);
    arena_free(arena);
}

int main(void)
{
    static Outcome expected[FUNCTIONS * RUNS];
    Rt *rt = rt_new(0);
    rt->heap_limit = 1 << 24;
    const uint64_t first = test_seed(1);
    for (uint64_t seed = first; seed < first + MODULES; seed++) {
        Arena *arena = arena_new();
        IrModule *module = random_module(arena, seed, 8);
        if (!CHECK_TEXT(ir_verify_module(module), NULL)) break;
        IrCode *slow = ir_code_new(module, IR_INTERPRETER), *fast = ir_code_new(module, IR_NATIVE);
        compare("interpreter", module, run_code, slow, expected, true, rt);
        if (fast) compare("native", module, run_code, fast, expected, false, rt);
        text_form(module, expected, rt, seed);
        for (IrFun f = 0; f < module->functions.n; f++) ir_optimize(module, f);
        CHECK_TEXT(ir_verify_module(module), NULL);
        IrCode *slow_again = ir_code_new(module, IR_INTERPRETER),
               *fast_again = ir_code_new(module, IR_NATIVE);
        compare("optimised, interpreter", module, run_code, slow_again, expected, false, rt);
        if (fast_again) compare("optimised, native", module, run_code, fast_again, expected, false, rt);
        ir_code_free(slow);
        ir_code_free(fast);
        ir_code_free(slow_again);
        ir_code_free(fast_again);
        arena_free(arena);
    }
    c_text(rt);
    broken_programs(rt, first);
    /* Programs that all fail, or never fail, would show little. */
    CHECK(failures > successes / 20 && successes > failures / 4);
    printf("%u runs ended well, %u failed\n", successes, failures);
    rt_free(rt);
    return test_end();
}
