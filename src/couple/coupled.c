/* coupled.c: all components for model exchange as one model: their states and indicators one after
 * the other.
 *
 * In every evaluation time and states are set in all components, then values go along the links,
 * then derivatives are asked for: the coupling has no error of its own, and any integrator does. At
 * an event all components are in event mode one after the other, until no discrete value that is
 * passed changes any more. Inputs that come from co-simulation are straight lines over a
 * communication step. Always: what a model without components for co-simulation computes is a
 * function of t and y between events. Tests: tests/cli/system.sh. */
#include "couple/inside.h"

#include <stdio.h>
#include <stdlib.h>

enum { MOST_EVENT_ROUNDS = 100 };

/* ---- continuous ------------------------------------------------------------------------------ */

static EvalStatus place(Couple *c, double t, const double *y)
{
    bool changed = false;
    for (int k = 0; k < c->component_count; k++) {
        Component *p = &c->components[k];
        if (p->is_cs) continue;
        EvalStatus status = fmu_place(p->model, t, y + p->y_first);
        if (status != EVAL_OK) return couple_fail(c, k, "time and states cannot be set"), status;
    }
    for (int k = 0; c->master && k < c->link_count; k++) { /* driven from outside of the group */
        const Link *l = &c->links[k];
        const char *why;
        Model *to = c->components[l->to].model;
        if (c->components[l->to].is_cs || !l->is_continuous ||
            (l->from >= 0 && !c->components[l->from].is_cs))
            continue;
        to->type->set(to, l->target, l->now + l->slope * (t - c->t), &why);
    }
    return order_pass(c, c->master ? &c->inner : &c->all, t, false, &changed);
}

static EvalStatus coupled_derivatives(Model *model, double t, const double *y, double *f)
{
    Couple *c = model->data;
    EvalStatus status = place(c, t, y);
    for (int k = 0; k < c->component_count && status == EVAL_OK; k++) {
        Component *p = &c->components[k];
        if (p->is_cs || !p->model->shape.n) continue;
        status = p->model->type->derivatives(p->model, t, y + p->y_first, f + p->y_first);
        if (status != EVAL_OK) couple_fail(c, k, "the derivatives cannot be computed");
    }
    return status;
}

static EvalStatus coupled_indicators(Model *model, double t, const double *y, double *g)
{
    Couple *c = model->data;
    EvalStatus status = place(c, t, y);
    for (int k = 0; k < c->component_count && status == EVAL_OK; k++) {
        Component *p = &c->components[k];
        if (p->is_cs || !p->model->shape.indicators) continue;
        status = p->model->type->indicators(p->model, t, y + p->y_first, g + p->g_first);
        if (status != EVAL_OK) couple_fail(c, k, "the event indicators cannot be computed");
    }
    return status;
}

static bool coupled_accepted(Model *model, double t, const double *y)
{
    Couple *c = model->data;
    bool wants_event = false;
    if (place(c, t, y) != EVAL_OK) return false;
    for (int k = 0; k < c->component_count; k++) {
        Component *p = &c->components[k];
        if (!p->is_cs && p->model->type->accepted)
            wants_event |= p->model->type->accepted(p->model, t, y + p->y_first);
    }
    return wants_event;
}

/* ---- events ---------------------------------------------------------------------------------- */

static void join(EventInfo *info, const EventInfo *more)
{
    info->y_changed |= more->y_changed;
    info->rhs_changed |= more->rhs_changed;
    info->terminate |= more->terminate;
    info->iterations += more->iterations;
    if (more->message) info->message = more->message;
}

/* Whether a component for co-simulation does; after the first round those do whose discrete inputs
 * may have changed. */
static bool takes_part(const Component *p, EventScope scope, double t, int round)
{
    if (scope == EVENT_GROUP) return false;
    return scope == EVENT_EVERY || p->next_time <= t || (p->has_events && (round || scope == EVENT_PASSED));
}

static double next_of(const Couple *c, EventScope scope)
{
    double next = INFINITY;
    for (int k = 0; k < c->component_count; k++)
        if (scope != EVENT_GROUP || !c->components[k].is_cs) next = fmin(next, c->components[k].next_time);
    return next;
}

EvalStatus coupled_event_all(Couple *c, double t, double *y, EventScope scope, EventInfo *info)
{
    bool changed = true;
    *info = (EventInfo){ .next_time = INFINITY };
    c->stats.events++;
    for (int round = 0; changed && !info->terminate; round++) {
        if (round == MOST_EVENT_ROUNDS) {
            snprintf(c->failure, sizeof c->failure,
                     "the FMUs make events for each other without end at t = %.9g", t);
            return EVAL_FATAL;
        }
        for (int k = 0; k < c->component_count; k++) {
            Component *p = &c->components[k];
            EventInfo own;
            if (p->is_cs && !takes_part(p, scope, t, round)) continue;
            if (p->model->type->event(p->model, t, y + p->y_first, &own) != EVAL_OK)
                return couple_fail(c, k, "the event has no solution");
            p->next_time = own.next_time;
            join(info, &own);
        }
        changed = false;
        for (int k = 0; k < c->component_count; k++)
            if (!c->components[k].is_cs) fmu_place(c->components[k].model, t, y + c->components[k].y_first);
        const Order *order = scope == EVENT_GROUP ? &c->inner : &c->all;
        if (order_pass(c, order, t, true, &changed) != EVAL_OK) return EVAL_FATAL;
    }
    info->rhs_changed = true;
    info->next_time = next_of(c, scope);
    return EVAL_OK;
}

static EvalStatus coupled_event(Model *model, double t, double *y, EventInfo *info)
{
    return coupled_event_all(model->data, t, y, EVENT_EVERY, info);
}

/* Versions 2 and 3 can be read and set in initialisation mode; version 1 is read after it. */
EvalStatus coupled_initialise_all(Couple *c, double t, double *y, EventInfo *info)
{
    bool changed = false;
    *info = (EventInfo){ .next_time = INFINITY, .y_changed = true };
    for (int k = 0; k < c->link_count; k++) c->links[k].has_memory = false;
    bool all_begun = true;
    for (int k = 0; k < c->component_count; k++) {
        if (fmu_begin(c->components[k].model, t) != EVAL_OK)
            return couple_fail(c, k, "it cannot be initialised");
        all_begun &= fmu_model_description(c->components[k].model)->version > FMI_1;
    }
    if (all_begun && order_pass(c, &c->all, t, true, &changed) != EVAL_OK) return EVAL_FATAL;
    for (int k = 0; k < c->component_count; k++) {
        Component *p = &c->components[k];
        EventInfo own;
        if (p->model->type->initialise(p->model, t, y + p->y_first, &own) != EVAL_OK)
            return couple_fail(c, k, "it cannot be initialised");
        p->next_time = own.next_time;
        join(info, &own);
    }
    for (int k = 0; k < c->component_count; k++)
        if (!c->components[k].is_cs) fmu_place(c->components[k].model, t, y + c->components[k].y_first);
    changed = false;
    if (order_pass(c, &c->all, t, true, &changed) != EVAL_OK) return EVAL_FATAL;
    info->next_time = next_of(c, EVENT_EVERY);
    if (!changed || info->terminate) return EVAL_OK;
    EventInfo more;
    EvalStatus status = coupled_event_all(c, t, y, EVENT_PASSED, &more);
    join(info, &more);
    info->next_time = more.next_time;
    return status;
}

static EvalStatus coupled_initialise(Model *model, double t, double *y, EventInfo *info)
{
    return coupled_initialise_all(model->data, t, y, info);
}

/* ---- values ---------------------------------------------------------------------------------- */

/* A text of a component as one of the whole. */
static double join_text(Couple *c, const Component *p, double value)
{
    const NameIndex *own = p->model->shape.texts;
    uint32_t at = 0;
    const char *text = own && value >= 0 && value < own->names.n ? own->names.at[(size_t)value].name : "";
    if (!index_find(&c->texts, text, &at)) index_add(&c->texts, c->run, text, at = c->texts.names.n);
    return at;
}

EvalStatus coupled_values(Model *model, double t, const double *y, double *values)
{
    Couple *c = model->data;
    if (!c->master) {
        EvalStatus status = place(c, t, y);
        if (status != EVAL_OK) return status;
    }
    for (int k = 0; k < c->component_count; k++) {
        Component *p = &c->components[k];
        EvalStatus status = p->model->type->values(p->model, t, y + p->y_first, values + p->slot_first);
        if (status != EVAL_OK) return couple_fail(c, k, "its values cannot be read"), status;
    }
    for (int k = 0; k < c->text_count; k++) {
        const ModelVariable *v = &c->variables[c->text_variables[k]];
        int component = c->component_count - 1;
        while (component > 0 && c->components[component].slot_first > v->slot) component--;
        values[v->slot] = join_text(c, &c->components[component], values[v->slot]);
    }
    for (int k = 0; k < c->port_count; k++) values[c->own_slots + k] = c->ports[k];
    return EVAL_OK;
}

/* The component of a variable of the whole; NULL for a port. */
static Component *component_of(Couple *c, int *variable)
{
    for (int k = c->component_count - 1; k >= 0; k--)
        if (*variable >= c->components[k].variable_first) {
            *variable -= c->components[k].variable_first;
            return *variable < c->components[k].model->shape.variable_count ? &c->components[k] : NULL;
        }
    return NULL;
}

static bool is_driven(const Couple *c, int variable, const char **why)
{
    *why = "a connection gives it its value";
    for (int k = 0; k < c->link_count; k++)
        if (c->components[c->links[k].to].variable_first + c->links[k].target == variable) return true;
    return false;
}

bool coupled_set(Model *model, int variable, double value, const char **why)
{
    Couple *c = model->data;
    const ModelVariable *v = &c->variables[variable];
    if (v->slot >= c->own_slots) {
        *why = "it is an output of the system";
        if (v->is_input) c->ports[v->slot - c->own_slots] = value;
        return v->is_input;
    }
    if (is_driven(c, variable, why)) return false;
    Component *p = component_of(c, &variable);
    *why = "it is an output of the system";
    return p && p->model->type->set(p->model, variable, value, why);
}

bool coupled_set_text(Model *model, int variable, const char *text, const char **why)
{
    Couple *c = model->data;
    const ModelVariable *v = &c->variables[variable];
    char *end;
    if (v->slot >= c->own_slots) {
        double value = strtod(text, &end);
        *why = "this is not a number";
        return end != text && !*end && coupled_set(model, variable, value, why);
    }
    if (is_driven(c, variable, why)) return false;
    Component *p = component_of(c, &variable);
    *why = "it is an output of the system";
    return p && p->model->type->set_text(p->model, variable, text, why);
}

const char *coupled_failure(const Model *model)
{
    const Couple *c = model->data;
    return c->failure;
}

const ModelType coupled_type = { .derivatives = coupled_derivatives,
                                 .indicators = coupled_indicators,
                                 .accepted = coupled_accepted,
                                 .initialise = coupled_initialise,
                                 .event = coupled_event,
                                 .values = coupled_values,
                                 .set = coupled_set,
                                 .set_text = coupled_set_text,
                                 .failure = coupled_failure };

/* States and indicators of the components for model exchange, and the variables of all. */
ModelShape coupled_shape(const Couple *c)
{
    const char **names = NEW_ARRAY(c->run, const char *, (size_t)c->n + 1);
    double *nominal = NEW_ARRAY(c->run, double, (size_t)c->n + 1);
    for (int k = 0; k < c->component_count; k++) {
        const Component *p = &c->components[k];
        for (int i = 0; !p->is_cs && i < p->model->shape.n; i++) {
            names[p->y_first + i] = arena_printf(c->run, "%s.%s", p->name, p->model->shape.names[i]);
            nominal[p->y_first + i] = p->model->shape.nominal[i];
        }
    }
    return (ModelShape){ .name = c->d->name,
                         .n = c->n,
                         .indicators = c->g,
                         .names = names,
                         .nominal = nominal,
                         .variables = c->variables,
                         .variable_count = c->variable_count,
                         .value_count = c->slot_count,
                         .texts = &c->texts };
}
