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

/* Whether it is there to be looked at and run: what says how long, or extends an icon for it. */
static bool is_example(const Class *cls)
{
    for (uint32_t i = 0; i < cls->element_count; i++) {
        const Element *e = cls->elements[i];
        const Path *path = e->kind == ELEMENT_EXTENDS ? &e->extends->type : NULL;
        if (!path || path->n < 2) continue;
        Str last = name_str(path->at[path->n - 1]);
        if (str_is(name_str(path->at[path->n - 2]), "Icons") &&
            (str_is(last, "Example") || str_is(last, "ExamplesPackage")))
            return true;
    }
    return false;
}

static bool has_classes(const Class *cls)
{
    for (uint32_t i = 0; i < cls->element_count; i++)
        if (cls->elements[i]->kind == ELEMENT_CLASS) return true;
    return cls->unit && cls->unit->kind == UNIT_DIRECTORY;
}

static void give_class(const Listing *l, const Class *cls, const char *name)
{
    AcausalClass c = { .size = sizeof(AcausalClass),
                       .name = name,
                       .kind = class_kind_text(cls->kind),
                       .description = description_of(l->session, cls),
                       .is_partial = (cls->flags & CLASS_PARTIAL) != 0,
                       .has_experiment = modification_find(class_annotation(cls), "experiment") != NULL,
                       .is_example = is_example(cls),
                       .has_classes = has_classes(cls),
                       .library = cls->unit && !cls->unit->parent ? cls->unit->path : NULL };
    l->each(l->arg, &c);
}

static const char *inner_name(const Listing *l, const char *outer, const Class *cls)
{
    return arena_printf(l->session->arena, "%s%s%s", outer, *outer ? "." : "", name_text(cls->name));
}

/* A class and those in its text. Nesting is limited by the parser. */
static void list_class(const Listing *l, const Class *cls, const char *outer)
{
    const char *name = inner_name(l, outer, cls);
    give_class(l, cls, name);
    for (uint32_t i = 0; i < cls->element_count; i++)
        if (cls->elements[i]->kind == ELEMENT_CLASS) list_class(l, cls->elements[i]->cls, name);
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

static void give_root(void *arg, Name name)
{
    const Listing *l = arg;
    AcausalSession *s = l->session;
    Unit *root = libraries_root(s->libraries, name, NULL, &s->diag);
    const Class *cls = root ? unit_class(s->libraries, root, &s->diag) : NULL;
    if (cls) give_class(l, cls, name_text(name));
}

AcausalStatus acausal_inner_classes(AcausalSession *s, const char *class_name,
                                    void (*each)(void *arg, const AcausalClass *c), void *arg)
{
    Listing l = { s, each, arg };
    if (!class_name) {
        libraries_each_name(s->libraries, give_root, &l);
        return session_status(s);
    }
    Class *cls = libraries_find(s->libraries, class_name, &s->diag);
    for (uint32_t i = 0; cls && i < cls->element_count; i++)
        if (cls->elements[i]->kind == ELEMENT_CLASS)
            give_class(&l, cls->elements[i]->cls, inner_name(&l, class_name, cls->elements[i]->cls));
    if (cls && cls->unit) unit_list(s->libraries, cls->unit, &s->diag);
    for (uint32_t i = 0; cls && cls->unit && i < cls->unit->children.n; i++) {
        const Class *child = unit_class(s->libraries, cls->unit->children.at[i], &s->diag);
        if (child) give_class(&l, child, inner_name(&l, class_name, child));
    }
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
