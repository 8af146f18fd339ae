/* elaborate.c: from a source and a class name to a flat model. Tests: tests/modelica. */
#include "api/made.h"
#include "sema/sema.h"

#include <math.h>

static bool is_path(const char *source)
{
    size_t n = strlen(source);
    return strchr(source, '/') || (n > 3 && !strcmp(source + n - 3, ".mo")) ||
           file_kind(source) == FILE_DIRECTORY;
}

Class *session_open_class(AcausalSession *s, const char *source, const char *class_name)
{
    Class *cls = is_path(source) ? libraries_open(s->libraries, source, &s->diag)
                                 : libraries_find(s->libraries, source, &s->diag);
    return cls && class_name ? libraries_find(s->libraries, class_name, &s->diag) : cls;
}

Class *session_find_class(AcausalSession *s, const char *source, const char *class_name)
{
    Class *cls = session_open_class(s, source, class_name);
    if (s->diag.errors) return NULL;
    if (cls) session_permit(s, cls);
    return cls;
}

/* The flat model; with values, when there are any, from a class that has them. */
static Flat *flatten_with(AcausalSession *s, Arena *arena, Class *cls, Flat *plain, const char *const *set,
                          size_t n)
{
    if (!n) return plain;
    Class *changed = class_with_values(s, cls, plain, set, n);
    Flat *flat =
        changed ? sema_flatten(s->libraries, changed, arena, s->sources, &s->permit, &s->diag) : NULL;
    if (!flat || s->diag.errors) return NULL;
    driven_inputs_are_local(s, cls, flat);
    flat->name = plain->name;
    return flat;
}

Flat *session_flatten(AcausalSession *s, Arena *arena, Class *cls, const char *const *set, size_t n)
{
    VEC(const char *) all = { 0 };
    Flat *flat = sema_flatten(s->libraries, cls, arena, s->sources, &s->permit, &s->diag);
    if (!flat || s->diag.errors) return NULL;
    driven_inputs_are_local(s, cls, flat);
    for (uint32_t i = 0; i < s->set.n; i++) vec_push(arena, &all, s->set.at[i]);
    for (size_t i = 0; i < n; i++) vec_push(arena, &all, set[i]);
    return flatten_with(s, arena, cls, flat, all.at, all.n);
}

static Flat *flatten(AcausalSession *s, Arena *arena, const char *source, const char *class_name)
{
    s->only_looks = true;
    Class *cls = session_find_class(s, source, class_name);
    Flat *flat = cls ? session_flatten(s, arena, cls, NULL, 0) : NULL;
    s->only_looks = false;
    if (!flat) tell_memory(s);
    return flat;
}

/* experiment(StopTime = 3), with what the class says; "" if it says nothing. */
static const char *experiment_text(Arena *arena, const Class *cls)
{
    Experiment e = class_experiment(cls);
    const struct {
        const char *name;
        double value;
    } parts[] = { { "StartTime", e.start },
                  { "StopTime", e.stop },
                  { "Tolerance", e.tolerance },
                  { "Interval", e.interval } };
    Text text = { .arena = arena };
    text_printf(&text, "%s", "");
    for (size_t k = 0; k < COUNT_OF(parts); k++) {
        if (isnan(parts[k].value)) continue;
        text_printf(&text, "%s%s = ", text.n ? ", " : "experiment(", parts[k].name);
        text_add_real(&text, parts[k].value);
    }
    if (text.n) text_add_char(&text, ')');
    return text.at;
}

AcausalStatus acausal_flatten(AcausalSession *s, const char *source, const char *class_name,
                              AcausalWrite write, void *arg)
{
    Arena *arena = arena_new();
    if (!arena) return tell_memory(s), ACAUSAL_BUG;
    Flat *flat = flatten(s, arena, source, class_name);
    bool base = s->switches[ACAUSAL_BASE_MODELICA];
    if (flat) {
        Text text = { .arena = arena };
        if (base) {
            flat_check_base(flat, &s->diag);
            flat_print_base(flat, experiment_text(arena, session_open_class(s, source, class_name)), &text);
        } else {
            flat_print(flat, &text);
        }
        write(arg, text.at, text.n);
    }
    arena_free(arena);
    return session_status(s);
}

/* How many parameters are structural; arrays count once. Says why, if that is asked for. */
static size_t count_structural(AcausalSession *s, const Flat *flat)
{
    size_t n = 0;
    for (VarId v = 0; v < flat->vars.n; v++) {
        const FlatVar *var = &flat->vars.at[v];
        if (!(var->flags & VAR_STRUCTURAL) || (var->array != NONE && var->index)) continue;
        n++;
        if (!s->switches[ACAUSAL_SHOW_STRUCTURAL]) continue;
        const char *name = var->array == NONE ? var->name : flat->arrays.at[var->array].name;
        Note *note = diag_add(&s->diag, E_STRUCTURAL, var->span,
                              "'%s' is structural: the equations depend on its value", name);
        if (var->needed_at.n) diag_label(&s->diag, note, var->needed_at, "its value is needed here");
    }
    return n;
}

static bool has_label(const Note *note, Span span)
{
    bool has = note->span.at == span.at;
    for (uint32_t i = 0; i < note->labels.n; i++) has |= note->labels.at[i].span.at == span.at;
    return has;
}

/* What structure alone tells: equations that can never be solved, as a run would find them. Of
 * an unbalanced model this says where. */
static void check_structure(AcausalSession *s, const Flat *flat, Note *unbalanced, Arena *arena)
{
    Diag own;
    diag_init(&own, arena);
    if (flat->is_open) return;
    dae_build(flat, arena, &own);
    uint32_t n = 0;
    for (uint32_t i = 0; i < own.notes.n; i++) {
        Note *note = own.notes.at[i];
        if (note->code == E_SINGULAR || note->code == E_HIGH_INDEX || note->code == E_INITIAL)
            own.notes.at[n++] = note;
    }
    if (!unbalanced) {
        own.notes.n = own.errors = n, own.warnings = own.dropped = 0;
        diag_merge(&s->diag, &own);
    } else if (n) {
        const Note *first = own.notes.at[0];
        unbalanced->text = arena_printf(s->diag.arena, "%s: %s", unbalanced->text, first->text);
        unbalanced->span = first->span;
        for (uint32_t i = 0; i < first->labels.n; i++)
            if (!has_label(unbalanced, first->labels.at[i].span))
                diag_label(&s->diag, unbalanced, first->labels.at[i].span, "%s", first->labels.at[i].text);
    }
}

static Note *find_note(const Diag *diag, Code code)
{
    for (uint32_t i = 0; i < diag->notes.n; i++)
        if (diag->notes.at[i]->code == code) return diag->notes.at[i];
    return NULL;
}

AcausalStatus acausal_check(AcausalSession *s, const char *source, const char *class_name,
                            AcausalCheckReport *report)
{
    double start = clock_wall();
    Arena *arena = arena_new();
    AcausalCheckReport r = { 0 };
    if (!arena || !is_sized(s, report)) {
        if (!arena) tell_memory(s);
        arena_free(arena);
        return arena ? ACAUSAL_USAGE : ACAUSAL_BUG;
    }
    Flat *flat = flatten(s, arena, source, class_name);
    if (flat) {
        FlatCount c = flat_count(flat);
        r = (AcausalCheckReport){ .variables = c.variables,
                                  .unknowns = c.unknowns,
                                  .equations = c.equations,
                                  .parameters = c.parameters,
                                  .constants = c.constants,
                                  .states = c.states,
                                  .structural = count_structural(s, flat) };
        flat_explain_balance(flat, &c, &s->diag, arena);
        if (c.unknowns == c.equations) flat_check_ground(flat, &s->diag, arena);
        Note *unbalanced = find_note(&s->diag, E_UNBALANCED);
        if (!s->diag.errors || unbalanced) check_structure(s, flat, unbalanced, arena);
        if (s->switches[ACAUSAL_CHECK_UNITS]) flat_check_units(flat, &s->diag, arena);
    }
    r.seconds = clock_wall() - start;
    arena_free(arena);
    GIVE(report, r);
    return session_status(s);
}
