/* list.c: what there is to choose from: the classes of a source, the variables of a model.
 *
 * In: a path, or a translated model. Out: one entry after the other. Always: classes are only
 * parsed, not elaborated, so that a file with mistakes further on can be listed. Cost: parsing;
 * linear. Tests: tests/api/list_test.c. */
#include "api/inside.h"

typedef struct {
    AcausalSession *session;
    void (*each)(void *arg, const AcausalClass *c);
    void *arg;
} Listing;

static const char *description_of(AcausalSession *s, const Class *cls)
{
    return cls->comment && cls->comment->text.n ? arena_copy(s->arena, cls->comment->text) : "";
}

/* A class and those in its text. Nesting is limited by the parser. */
static void list_class(const Listing *l, const Class *cls, const char *outer)
{
    Text name = { .arena = l->session->arena };
    text_printf(&name, "%s%s%s", outer, *outer ? "." : "", name_text(cls->name));
    l->each(l->arg, &(AcausalClass){ .size = sizeof(AcausalClass),
                                     .name = name.at,
                                     .kind = class_kind_text(cls->kind),
                                     .description = description_of(l->session, cls),
                                     .is_partial = (cls->flags & CLASS_PARTIAL) != 0,
                                     .has_experiment =
                                         modification_find(class_annotation(cls), "experiment") != NULL });
    for (uint32_t i = 0; i < cls->element_count; i++)
        if (cls->elements[i]->kind == ELEMENT_CLASS) list_class(l, cls->elements[i]->cls, name.at);
}

/* A class stored by itself, and those in its directory, whose depth is limited too. */
static void list_unit(const Listing *l, Unit *unit, const char *outer)
{
    const Class *cls = unit_class(l->session->libraries, unit, &l->session->diag);
    Text name = { .arena = l->session->arena };
    if (!cls) return;
    list_class(l, cls, outer);
    text_printf(&name, "%s%s%s", outer, *outer ? "." : "", name_text(cls->name));
    for (uint32_t i = 0; i < unit->children.n; i++) list_unit(l, unit->children.at[i], name.at);
}

/* "A.B" of `within A.B;`; "" for none. */
static const char *within_text(AcausalSession *s, const Tree *tree)
{
    Text text = { .arena = s->arena };
    text_add_literal(&text, "");
    for (uint32_t i = 0; tree->has_within && i < tree->within.n; i++)
        text_printf(&text, "%s%s", i ? "." : "", name_text(tree->within.at[i]));
    return text.at;
}

AcausalStatus acausal_classes(AcausalSession *s, const char *path,
                              void (*each)(void *arg, const AcausalClass *c), void *arg)
{
    Listing l = { s, each, arg };
    if (file_kind(path) == FILE_DIRECTORY) {
        Unit *root = libraries_open_directory(s->libraries, path, &s->diag);
        if (root) libraries_index(s->libraries, root, &s->diag);
        if (root) list_unit(&l, root, "");
        return session_status(s);
    }
    const Tree *tree = libraries_parse_file(s->libraries, path, &s->diag);
    for (uint32_t i = 0; tree && i < tree->n; i++) list_class(&l, tree->classes[i], within_text(s, tree));
    return session_status(s);
}

/* ---- variables ------------------------------------------------------------------------------- */

size_t acausal_model_variables(AcausalModel *m)
{
    AcausalSimulation simulation = acausal_simulation();
    SimOptions options = sim_options(0, 1, 1e-6);
    if (!m->model && !model_instantiate(m, &simulation, &options)) return 0;
    return (size_t)m->model->shape.variable_count;
}

bool acausal_model_variable(const AcausalModel *m, size_t i, AcausalVariable *variable)
{
    static const char *const kinds[] = { "constant", "parameter", "discrete", "continuous" };
    static const char *const types[] = { "Real", "Integer", "Boolean", "enumeration", "String" };
    if (!is_sized(m->session, variable) || !m->model || i >= (size_t)m->model->shape.variable_count)
        return false;
    const ModelVariable *v = &m->model->shape.variables[i];
    AcausalVariable own = { .name = v->name,
                            .unit = v->unit,
                            .description = v->description,
                            .kind = kinds[v->kind],
                            .type = types[v->type],
                            .is_input = v->is_input,
                            .is_output = v->is_output,
                            .is_state = v->is_state,
                            .is_protected = v->is_protected,
                            .is_settable = v->is_settable };
    GIVE(variable, own);
    return true;
}
