/* couple.c: a system of FMUs as a whole: opened, instantiated, its variables and connections found
 * by name.
 *
 * Variables of the whole are those of the components, called COMPONENT.VARIABLE, and the ports of
 * the system. Always: an input that a connection drives is no input of the whole. Cost: linear but
 * for the order of links. Tests: tests/cli/system.sh. */
#include "couple/inside.h"

#include <stdio.h>

Couple *couple_open(const char *path, const FmuLimits *limits, Sources *sources, Diag *diag)
{
    Arena *arena = arena_new();
    bool ok = true;
    if (!arena) return NULL;
    Couple *c = NEW(arena, Couple);
    *c = (Couple){ .arena = arena, .diag = diag };
    c->d = system_read(arena_copy(arena, str_of(path)), limits, sources, arena, diag);
    if (!c->d) {
        couple_close(c);
        return NULL;
    }
    c->component_count = (int)c->d->components.n;
    c->components = NEW_ARRAY(arena, Component, c->d->components.n);
    for (int k = 0; k < c->component_count; k++) {
        c->components[k] = (Component){ .name = c->d->components.at[k].name };
        c->components[k].fmu = fmu_open(c->d->components.at[k].path, limits, sources, diag);
        ok &= c->components[k].fmu != NULL;
    }
    if (ok) return c;
    couple_close(c);
    return NULL;
}

const SystemDescription *couple_description(const Couple *c) { return c->d; }

static void free_instance(Couple *c)
{
    if (!c->run) return;
    master_free(c);
    for (int k = 0; k < c->component_count; k++) {
        fmu_model_free(c->components[k].model);
        c->components[k].model = NULL;
    }
    arena_free(c->run);
    c->run = NULL;
}

void couple_close(Couple *c)
{
    if (!c) return;
    free_instance(c);
    for (int k = 0; k < c->component_count; k++) fmu_close(c->components[k].fmu);
    system_close(c->d);
    arena_free(c->arena);
}

CoupleStats couple_stats(const Couple *c) { return c->stats; }

/* ---- instances ------------------------------------------------------------------------------- */

static bool instantiate_part(Couple *c, int k, Diag *diag)
{
    Component *p = &c->components[k];
    const FmuDescription *d = fmu_description(p->fmu);
    int kind = c->d->components.at[k].kind;
    const char *prefer = c->options.prefer;
    if (kind < 0) kind = prefer && !strcmp(prefer, "cs") ? FMU_CS : FMU_ME;
    if (c->d->components.at[k].kind < 0 && !d->kind[kind].there) kind = kind == FMU_ME ? FMU_CS : FMU_ME;
    p->is_cs = kind == FMU_CS;
    p->model = p->is_cs ? fmu_slave(p->fmu, &c->options.fmu, diag) : fmu_model(p->fmu, &c->options.fmu, diag);
    p->has_events = !p->is_cs || d->kind[FMU_CS].event_mode;
    p->next_time = INFINITY;
    return p->model != NULL;
}

static void place_parts(Couple *c)
{
    c->n = c->g = c->variable_count = c->slot_count = 0;
    for (int k = 0; k < c->component_count; k++) {
        Component *p = &c->components[k];
        const ModelShape *s = &p->model->shape;
        p->variable_first = c->variable_count;
        p->slot_first = c->slot_count;
        p->y_first = c->n;
        p->g_first = c->g;
        c->variable_count += s->variable_count;
        c->slot_count += s->value_count;
        if (p->is_cs) continue;
        c->n += s->n;
        c->g += s->indicators;
    }
    c->own_slots = c->slot_count;
}

static int find_variable(const Couple *c, int component, const char *name)
{
    const ModelShape *s = &c->components[component].model->shape;
    for (int k = 0; k < s->variable_count; k++)
        if (!strcmp(s->variables[k].name, name)) return k;
    return -1;
}

static bool no_variable(Couple *c, int component, const char *name, Span span, Diag *diag)
{
    const ModelShape *s = &c->components[component].model->shape;
    VEC(const char *) names = { 0 };
    for (int k = 0; k < s->variable_count; k++) vec_push(c->run, &names, s->variables[k].name);
    Note *note =
        diag_add(diag, E_FMU_SYSTEM, span, "'%s' has no variable '%s'", c->components[component].name, name);
    const char *near = text_nearest(str_of(name), names.at, names.n);
    if (near) diag_hint(diag, note, "did you mean '%s'?", near);
    return false;
}

static int port_of(const Couple *c, const char *name)
{
    for (uint32_t k = 0; k < c->d->ports.n; k++)
        if (!strcmp(c->d->ports.at[k].name, name)) return (int)k;
    return -1;
}

/* Both ends of a link by their names, and whether they fit. */
static bool make_link(Couple *c, const SystemLink *given, Link *l, Diag *diag)
{
    *l = (Link){ .from = given->from == NONE_VARIABLE ? -1 : (int)given->from,
                 .to = (int)given->to,
                 .factor = given->factor,
                 .offset = given->offset,
                 .span = given->span };
    l->target = find_variable(c, l->to, given->to_name);
    if (l->target < 0) return no_variable(c, l->to, given->to_name, given->span, diag);
    l->source = l->from < 0 ? port_of(c, given->from_name) : find_variable(c, l->from, given->from_name);
    if (l->source < 0) return no_variable(c, l->from, given->from_name, given->span, diag);
    const ModelVariable *to = &c->components[l->to].model->shape.variables[l->target];
    const ModelVariable *from =
        l->from < 0 ? NULL : &c->components[l->from].model->shape.variables[l->source];
    if (!to->is_input) {
        diag_add(diag, E_FMU_SYSTEM, given->span, "'%s' of '%s' is not an input", given->to_name,
                 c->components[l->to].name);
        return false;
    }
    if (from && !fmu_fits(c->components[l->from].model, l->source, c->components[l->to].model, l->target)) {
        diag_add(diag, E_FMU_SYSTEM, given->span, "a text cannot be connected with a number");
        return false;
    }
    l->is_continuous = to->type == VARIABLE_REAL && to->kind == VARIABLE_CONTINUOUS &&
                       (!from || (from->type == VARIABLE_REAL && from->kind == VARIABLE_CONTINUOUS));
    return true;
}

static bool make_links(Couple *c, Diag *diag)
{
    bool ok = true;
    c->links = NEW_ARRAY(c->run, Link, c->d->links.n);
    c->link_count = 0;
    for (uint32_t k = 0; k < c->d->links.n; k++) {
        const SystemLink *given = &c->d->links.at[k];
        if (given->to == NONE_VARIABLE) continue; /* to a port */
        ok &= make_link(c, given, &c->links[c->link_count++], diag);
    }
    return ok;
}

/* Ports of the system: inputs have slots of their own, outputs those of what is connected to
 * them. */
static void add_ports(Couple *c)
{
    c->port_count = (int)c->d->ports.n;
    c->ports = NEW_ARRAY(c->run, double, c->d->ports.n);
    for (uint32_t k = 0; k < c->d->ports.n; k++) {
        const SystemPort *port = &c->d->ports.at[k];
        ModelVariable v = { .name = port->name,
                            .unit = "",
                            .display_unit = "",
                            .description = "",
                            .type = VARIABLE_REAL,
                            .kind = VARIABLE_CONTINUOUS,
                            .slot = c->own_slots + (int)k,
                            .is_input = port->is_input,
                            .is_output = !port->is_input,
                            .is_settable = port->is_input };
        for (uint32_t e = 0; e < c->d->links.n; e++) {
            const SystemLink *l = &c->d->links.at[e];
            if (l->to != NONE_VARIABLE || l->from == NONE_VARIABLE || strcmp(l->to_name, port->name) != 0)
                continue;
            int source = find_variable(c, (int)l->from, l->from_name);
            if (source < 0) continue;
            const ModelVariable *of = &c->variables[c->components[l->from].variable_first + source];
            v.slot = of->slot;
            v.unit = of->unit;
            v.type = of->type;
            v.kind = of->kind;
        }
        c->variables[c->variable_count++] = v;
    }
    c->slot_count += c->port_count;
}

static void make_variables(Couple *c)
{
    int at = 0;
    c->variables = NEW_ARRAY(c->run, ModelVariable, (size_t)c->variable_count + c->d->ports.n + 1);
    c->text_variables = NEW_ARRAY(c->run, int, (size_t)c->variable_count + 1);
    c->text_count = 0;
    for (int k = 0; k < c->component_count; k++) {
        const Component *p = &c->components[k];
        for (int i = 0; i < p->model->shape.variable_count; i++, at++) {
            ModelVariable *v = &c->variables[at];
            *v = p->model->shape.variables[i];
            v->name = arena_printf(c->run, "%s.%s", p->name, v->name);
            v->slot += p->slot_first;
            if (v->type == VARIABLE_STRING) c->text_variables[c->text_count++] = at;
        }
    }
    for (int k = 0; k < c->link_count; k++) {
        ModelVariable *v = &c->variables[c->components[c->links[k].to].variable_first + c->links[k].target];
        v->is_input = v->is_settable = false;
    }
    add_ports(c);
}

/* What the system's description gives values. */
static bool give_values(Couple *c, Diag *diag)
{
    bool ok = true;
    for (uint32_t k = 0; k < c->d->values.n; k++) {
        const SystemValue *value = &c->d->values.at[k];
        const char *why = "there is no such variable";
        int at = 0;
        while (at < c->variable_count && strcmp(c->variables[at].name, value->name) != 0) at++;
        if (at < c->variable_count && coupled_set_text(&c->model, at, value->value, &why)) continue;
        diag_add(diag, E_FMU_SYSTEM, value->span, "'%s' cannot be set to '%.60s': %s", value->name,
                 value->value, why);
        ok = false;
    }
    return ok;
}

static bool make_model(Couple *c, Diag *diag)
{
    const char *why;
    bool has_cs = false;
    for (int k = 0; k < c->component_count; k++) {
        if (!instantiate_part(c, k, diag)) return false;
        has_cs |= c->components[k].is_cs;
    }
    place_parts(c);
    if (!make_links(c, diag)) return false;
    make_variables(c);
    c->room = (LoopRoom){ 0 };
    order_make(c, true, &c->inner);
    order_make(c, false, &c->all);
    ModelShape shape = coupled_shape(c);
    c->type = coupled_type;
    if (!c->g) c->type.indicators = NULL;
    c->model.data = c;
    if (has_cs) return master_make(c, diag) && give_values(c, diag);
    return model_init(&c->model, &c->type, &shape, c, &why) && give_values(c, diag);
}

Model *couple_model(Couple *c, const CoupleOptions *options, Diag *diag)
{
    free_instance(c);
    c->options = *options;
    c->stats = (CoupleStats){ 0 };
    c->texts = (NameIndex){ 0 };
    c->failure[0] = 0;
    c->run = arena_new();
    if (c->run && make_model(c, diag)) return &c->model;
    free_instance(c);
    return NULL;
}
