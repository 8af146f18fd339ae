/* translate.c: from a source to an instance, stage by stage, and each stage as text.
 *
 * In: what the user calls a model. Out: flat model, system, code, instance, as far as it came.
 * Cost: see each room. Tests: tests/cli/analyze.sh, tests/cli/simulate.sh. */
#include "api/inside.h"

void translation_free(Translation *t)
{
    gen_instance_free(t->model);
    gen_free(t->compiled);
    arena_free(t->arena);
}

/* The seconds since *start, which becomes now. */
static double since(double *start)
{
    double now = clock_wall(), seconds = now - *start;
    *start = now;
    return seconds;
}

/* Parameters whose values decided about the structure of the system cannot be set any more, as
 * those that the flat model was made with. */
static void mark_structural(const Translation *t)
{
    const System *s = t->system;
    for (VarId v = 0; v < t->flat->vars.n; v++) {
        FlatVar *var = &t->flat->vars.at[v];
        uint32_t own = s->alias[v].var;
        if (var->varies == VARIES_PARAMETER && own != NONE && s->vars.at[own].role == ROLE_CONSTANT)
            var->flags |= VAR_STRUCTURAL;
    }
}

/* From the flat model on. What they need of memory counts together, and may be 0.8 of what is free;
 * where there is no more, all of it is given back. */
static void build_and_compile(AcausalSession *s, Translation *t, double *start)
{
    jmp_buf out_of_memory;
    const char *volatile stage = "its equations";
    t->arena->escape = &out_of_memory;
    t->arena->limit = t->arena->total + (size_t)(0.8 * (double)memory_available());
    if (!setjmp(out_of_memory)) {
        t->system = dae_build(t->flat, t->arena, &s->diag);
        if (t->system) mark_structural(t);
        t->structure = since(start);
        stage = "its code";
        if (t->system) t->compiled = gen_compile(t->system, IR_AUTO, &s->diag);
    } else {
        diag_add(&s->diag, E_TOO_LARGE, t->cls->name_span,
                 "'%s' is too large to translate: the flat model and %s need more than %.3g GB, and no more "
                 "than %.3g GB of memory are free for that",
                 name_text(t->cls->name), stage, 1e-9 * (double)(t->arena->total + t->arena->parts_total),
                 1e-9 * (double)t->arena->limit);
        arena_free(t->arena);
        t->arena = NULL;
        t->system = NULL;
        t->flat = NULL;
        t->compiled = NULL;
        return;
    }
    t->arena->escape = NULL;
    t->arena->limit = 0;
}

bool translate_class(AcausalSession *s, Class *cls, const char *const *set, size_t n, Translation *t)
{
    *t = (Translation){ .arena = arena_new() };
    if (!t->arena) return false;
    double start = clock_wall();
    t->cls = cls;
    session_permit(s, cls);
    if (t->cls) t->flat = session_flatten(s, t->arena, t->cls, set, n);
    t->flatten = since(&start);
    if (t->flat) build_and_compile(s, t, &start);
    if (t->compiled) gen_set_sources(t->compiled, s->sources);
    if (t->compiled) t->model = gen_instance(t->compiled);
    t->code = since(&start);
    return t->model != NULL && !s->diag.errors;
}

bool translate(AcausalSession *s, const char *source, const char *class_name, const char *const *set,
               size_t n, Translation *t)
{
    double start = clock_wall();
    Class *cls = session_find_class(s, source, class_name);
    double load = since(&start);
    bool ok = translate_class(s, cls, set, n, t);
    t->load = load;
    return ok;
}

/* ---- looking at a stage ---------------------------------------------------------------------- */

static void print_ast(const Translation *t, Text *out)
{
    if (t->cls) syntax_print_class(t->cls, out);
}

static void print_flat(const Translation *t, Text *out)
{
    if (t->flat) flat_print(t->flat, out);
}

static void print_system(const Translation *t, Text *out)
{
    if (t->system) dae_print_system(t->system, out);
}

static void print_blt(const Translation *t, Text *out)
{
    if (t->system) dae_print(t->system, out);
}

static void print_ir(const Translation *t, Text *out)
{
    if (t->compiled) ir_dump_module(gen_module(t->compiled), out);
}

static void print_c(const Translation *t, Text *out)
{
    if (t->compiled) ir_print_c(gen_module(t->compiled), &(IrCStyle){ .prefix = "" }, out);
}

static const struct {
    const char *name;
    void (*print)(const Translation *t, Text *out);
} passes[] = {
    { "ast", print_ast }, { "flat", print_flat }, { "system", print_system },
    { "blt", print_blt }, { "ir", print_ir },     { "c", print_c },
};

AcausalStatus acausal_dump(AcausalSession *s, const char *source, const char *class_name, const char *pass,
                           AcausalWrite write, void *arg)
{
    Translation t;
    Text text = { .arena = s->arena };
    size_t which = 0;
    while (which < COUNT_OF(passes) && strcmp(passes[which].name, pass) != 0) which++;
    if (which == COUNT_OF(passes)) return ACAUSAL_USAGE;
    s->only_looks = true;
    translate(s, source, class_name, NULL, 0, &t);
    s->only_looks = false;
    passes[which].print(&t, &text);
    if (text.n) write(arg, text.at, text.n);
    translation_free(&t);
    return session_status(s);
}
