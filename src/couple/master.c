/* master.c: co-simulation of several FMUs: communication steps in turn or all at once, and control
 * of their size.
 *
 * In: components and links. Out: a Model that integrates itself. Tests: tests/cli/system.sh. */
#include "couple/inside.h"

#include <stdio.h>

/* A unit is a component for co-simulation, or all components for model exchange together, with an
 * integrator. Gauss-Seidel: units step one after the other, in the order of the description, and
 * those that come later see as inputs the straight line between the old and the new outputs of
 * those before them. Jacobi: all step from the values at the start, gone on by their last slope.
 * Where all components can go back, a step is done twice, whole and in two halves: the difference
 * of what goes along the links is the error of the coupling, which is kept below the tolerance, and
 * the halves count. A component that stops early for an event has it handled and goes on.
 * Invariant: at the end of a step all components are at the same time and all links are passed. */

enum { GROUP = -1, MOST_STOPS = 10000 };
static const double LEAST_STEP = 1e-9; /* of the step that is asked for */
static const double SAME_TIME = 1e-12; /* of the time: near enough to have arrived */

typedef struct {
    double now, before;
    bool has_memory;
} LinkMemory;

typedef struct Master {
    Model group; /* components for model exchange, for the integrator */
    ModelType group_type;
    Solver *solver; /* NULL: no states */
    double *y, *y_saved;
    double group_t, group_next;
    int *units; /* components, or GROUP */
    int unit_count;
    bool *has_stepped;                    /* by component */
    bool can_back, is_coupled, is_driven; /* links between units; some of them into the group */
    double h, h_memory;                   /* next step under control; length of the step before */
    double *whole, *peak;                 /* link values of the whole step; the largest so far */
    LinkMemory *links;                    /* of the links before the step */
    double *next, h_saved;                /* and of the components' time events, and h_memory */
    double told_next;                     /* the next event that the driver knows of */
} Master;

static int unit_of(const Couple *c, int component)
{
    return component >= 0 && c->components[component].is_cs ? component : GROUP;
}

/* ---- the group of components for model exchange ---------------------------------------------- */

static EvalStatus group_event(Couple *c, StepInfo *info)
{
    Master *m = c->master;
    EventInfo event;
    if (coupled_event_all(c, m->group_t, m->y, EVENT_GROUP, &event) != EVAL_OK) return EVAL_FATAL;
    m->group_next = event.next_time;
    info->terminate |= event.terminate;
    if (event.message) info->message = event.message;
    if (m->solver && !solver_restart(m->solver, m->group_t, m->y, NULL, RESTART_JUMP)) {
        snprintf(c->failure, sizeof c->failure, "%s", solver_failure(m->solver)->text);
        return EVAL_FATAL;
    }
    return EVAL_OK;
}

/* One step of the integrator, at most to `to`; an event if there is one. */
static EvalStatus advance_group(Couple *c, double to, StepInfo *info)
{
    Master *m = c->master;
    double limit = fmin(to, m->group_next);
    if (!m->solver || limit <= m->group_t) {
        m->group_t = fmax(m->group_t, limit);
        return m->group_next <= m->group_t ? group_event(c, info) : EVAL_OK;
    }
    StepStatus status = solver_step(m->solver, limit);
    if (status == STEP_FAILED) {
        snprintf(c->failure, sizeof c->failure, "%s", solver_failure(m->solver)->text);
        return EVAL_FATAL;
    }
    m->group_t = status == STEP_ROOT    ? solver_t_root(m->solver)
                 : status == STEP_LIMIT ? limit
                                        : solver_t(m->solver);
    solver_interpolate(m->solver, m->group_t, m->y);
    bool wants_event = m->group.type->accepted(&m->group, m->group_t, m->y);
    return wants_event || status == STEP_ROOT || m->group_next <= m->group_t ? group_event(c, info) : EVAL_OK;
}

static EvalStatus step_group(Couple *c, double t, double h, StepInfo *info)
{
    Master *m = c->master;
    double to = t + h;
    if (m->solver && m->is_driven && !solver_restart(m->solver, t, m->y, NULL, RESTART_RHS)) {
        snprintf(c->failure, sizeof c->failure, "%s", solver_failure(m->solver)->text);
        return EVAL_FATAL;
    }
    m->group_t = t;
    while (m->group_t < to && !info->terminate) {
        EvalStatus status = advance_group(c, to, info);
        if (status != EVAL_OK) return status;
    }
    return EVAL_OK;
}

/* ---- units ----------------------------------------------------------------------------------- */

static EvalStatus step_slave(Couple *c, int component, double t, double h, StepInfo *info)
{
    Component *p = &c->components[component];
    double at = t, to = t + h, near = SAME_TIME * fmax(fabs(to), h);
    for (int stops = 0; at < to - near && !info->terminate; stops++) {
        StepInfo own = { .t = at };
        if (stops == MOST_STOPS || p->model->type->step(p->model, at, to - at, &own) != EVAL_OK)
            return couple_fail(c, component, "it cannot step on");
        at = own.t;
        info->terminate |= own.terminate;
        if (own.message) info->message = own.message;
        if (!own.event) continue;
        EventInfo event;
        if (p->model->type->event(p->model, at, NULL, &event) != EVAL_OK)
            return couple_fail(c, component, "the event has no solution");
        p->next_time = event.next_time;
        info->terminate |= event.terminate;
    }
    return EVAL_OK;
}

/* The inputs of a unit over the step: from units that are through with it by their new values, from
 * others as they went on before. */
static EvalStatus drive(Couple *c, int unit, double h)
{
    const Master *m = c->master;
    for (int k = 0; k < c->link_count; k++) {
        Link *l = &c->links[k];
        Component *to = &c->components[l->to];
        const char *why = "";
        bool is_new = l->from >= 0 && m->has_stepped[l->from];
        double then;
        if (unit_of(c, l->to) != unit || !l->is_continuous || (l->from >= 0 && unit_of(c, l->from) == unit))
            continue;
        if (is_new) {
            if (!fmu_real(c->components[l->from].model, l->source, &then))
                return couple_fail(c, l->from, "an output cannot be read");
            l->slope = (l->factor * then + l->offset - l->now) / h;
        }
        if (!to->is_cs) continue; /* the group reads links itself */
        if (to->model->type->set_slope(to->model, l->target, l->now, l->slope)) {
            if (!to->model->type->set(to->model, l->target, l->now, &why)) return couple_fail(c, l->to, why);
        } else if (!to->model->type->set(to->model, l->target, l->now + (is_new ? h * l->slope : 0), &why))
            return couple_fail(c, l->to, why);
    }
    return EVAL_OK;
}

static void place_group(Couple *c, double t)
{
    for (int k = 0; k < c->component_count; k++)
        if (!c->components[k].is_cs)
            fmu_place(c->components[k].model, t, c->master->y + c->components[k].y_first);
}

/* Links at the end of a step; what they were before it is kept for slopes. */
static EvalStatus pass_links(Couple *c, double t, double h, StepInfo *info)
{
    bool changed = false;
    Master *m = c->master;
    place_group(c, t);
    for (int k = 0; k < c->link_count; k++) {
        c->links[k].before = c->links[k].now;
        c->links[k].has_memory = h > 0;
        c->links[k].slope = 0;
    }
    m->h_memory = h;
    c->t = t;
    if (order_pass(c, &c->all, t, true, &changed) != EVAL_OK) return EVAL_FATAL;
    if (!changed || info->terminate) return EVAL_OK;
    EventInfo event;
    if (coupled_event_all(c, t, m->y, EVENT_PASSED, &event) != EVAL_OK) return EVAL_FATAL;
    info->terminate |= event.terminate;
    for (int k = 0; k < c->link_count; k++) c->links[k].has_memory = false;
    return EVAL_OK;
}

static EvalStatus step_all(Couple *c, double t, double h, StepInfo *info)
{
    Master *m = c->master;
    c->t = t;
    memset(m->has_stepped, 0, (size_t)c->component_count * sizeof *m->has_stepped);
    for (int k = 0; k < c->link_count; k++) {
        Link *l = &c->links[k];
        l->slope =
            !c->options.holds && l->has_memory && m->h_memory > 0 ? (l->now - l->before) / m->h_memory : 0;
    }
    for (int u = 0; u < m->unit_count; u++) {
        int unit = m->units[u];
        EvalStatus status = drive(c, unit, h);
        if (status == EVAL_OK)
            status = unit == GROUP ? step_group(c, t, h, info) : step_slave(c, unit, t, h, info);
        if (status != EVAL_OK) return status;
        if (unit == GROUP) place_group(c, t + h);
        for (int k = 0; k < c->component_count && !c->options.is_jacobi; k++)
            if (unit_of(c, k) == unit) m->has_stepped[k] = true;
    }
    c->stats.steps++;
    return pass_links(c, t + h, h, info);
}

/* ---- going back ------------------------------------------------------------------------------ */

static bool save_all(Couple *c)
{
    Master *m = c->master;
    for (int k = 0; k < c->component_count; k++) {
        if (c->components[k].state && !fmu_save(c->components[k].model, c->components[k].state))
            return m->can_back = false;
        m->next[k] = c->components[k].next_time;
    }
    memcpy(m->y_saved, m->y, (size_t)c->n * sizeof(double));
    m->h_saved = m->h_memory;
    for (int k = 0; k < c->link_count; k++)
        m->links[k] = (LinkMemory){ c->links[k].now, c->links[k].before, c->links[k].has_memory };
    return true;
}

static EvalStatus restore_all(Couple *c, double t)
{
    Master *m = c->master;
    m->group_next = INFINITY;
    for (int k = 0; k < c->component_count; k++) {
        Component *p = &c->components[k];
        if (p->state && !fmu_restore(p->model, p->state)) return couple_fail(c, k, "it cannot go back");
        p->next_time = m->next[k];
        if (!p->is_cs) m->group_next = fmin(m->group_next, p->next_time);
    }
    memcpy(m->y, m->y_saved, (size_t)c->n * sizeof(double));
    m->group_t = c->t = t;
    m->h_memory = m->h_saved;
    place_group(c, t);
    for (int k = 0; k < c->link_count; k++) {
        Link *l = &c->links[k];
        const char *why;
        l->now = m->links[k].now;
        l->before = m->links[k].before;
        l->has_memory = m->links[k].has_memory;
        if (l->is_continuous)
            c->components[l->to].model->type->set(c->components[l->to].model, l->target, l->now, &why);
    }
    if (m->solver && !solver_restart(m->solver, t, m->y, NULL, RESTART_JUMP)) return EVAL_FATAL;
    return EVAL_OK;
}

/* How far the whole step is from its two halves, as a multiple of what the tolerance leaves for its
 * share of the run: errors of steps add up. */
static double coupling_error(Couple *c, double h)
{
    Master *m = c->master;
    double worst = 0, tol = c->options.fmu.tolerance > 0 ? c->options.fmu.tolerance : 1e-6;
    double span = c->options.fmu.stop - c->options.fmu.start;
    if (span > h) tol *= h / span;
    for (int k = 0; k < c->link_count; k++) {
        const Link *l = &c->links[k];
        if (!l->is_continuous) continue;
        m->peak[k] = fmax(m->peak[k], fabs(l->now));
        double scale = tol * fmax(m->peak[k], 1e-6);
        worst = fmax(worst, fabs(l->now - m->whole[k]) / scale);
    }
    return worst;
}

/* One step under control: *h is what was done, m->h what to do next. */
static EvalStatus step_controlled(Couple *c, double t, double most, double *h, StepInfo *info)
{
    Master *m = c->master;
    if (!save_all(c)) return *h = most, step_all(c, t, most, info);
    for (*h = fmin(m->h > 0 ? m->h : most, most);;) {
        StepInfo trial = { 0 };
        EvalStatus status = step_all(c, t, *h, &trial);
        for (int k = 0; k < c->link_count; k++) m->whole[k] = c->links[k].now;
        if (status == EVAL_OK) status = restore_all(c, t);
        if (status == EVAL_OK) status = step_all(c, t, *h / 2, info);
        if (status == EVAL_OK && !info->terminate) status = step_all(c, t + *h / 2, *h / 2, info);
        if (status != EVAL_OK) return status;
        double error = coupling_error(c, *h), share = 0.9 / sqrt(fmax(error, 1e-4));
        m->h = *h * fmax(0.2, fmin(share, 4));
        if (error <= 1 || *h <= LEAST_STEP * most || info->terminate) return EVAL_OK;
        c->stats.rejected++;
        status = restore_all(c, t);
        if (status != EVAL_OK) return status;
        *h = fmin(m->h, *h / 2);
    }
}

/* ---- the functions of the model -------------------------------------------------------------- */

static EvalStatus master_step(Model *model, double t, double h, StepInfo *info)
{
    Couple *c = model->data;
    Master *m = c->master;
    double to = t + h, near = SAME_TIME * fmax(fabs(to), h);
    bool controls = m->can_back && m->is_coupled && !(c->options.fixed_step > 0);
    *info = (StepInfo){ .t = t };
    /* inputs of the system may have changed */
    place_group(c, t);
    bool changed = false;
    if (c->port_count && order_pass(c, &c->all, t, true, &changed) != EVAL_OK) return EVAL_FATAL;
    while (info->t < to - near && !info->terminate) {
        double rest = to - info->t,
               done = c->options.fixed_step > 0 ? fmin(rest, c->options.fixed_step) : rest;
        if (rest - done < near) done = rest;
        EvalStatus status =
            controls ? step_controlled(c, info->t, rest, &done, info) : step_all(c, info->t, done, info);
        if (status != EVAL_OK) return status == EVAL_RETRY ? EVAL_FATAL : status;
        info->t = fabs(info->t + done - to) <= near ? to : info->t + done;
    }
    double next = INFINITY;
    for (int k = 0; k < c->component_count; k++) next = fmin(next, c->components[k].next_time);
    info->event = next != m->told_next;
    return EVAL_OK;
}

static EvalStatus make_solver(Couple *c, double t)
{
    Master *m = c->master;
    SolverFailure failure;
    Problem problem = { &m->group, t, t + fmax(1, fabs(c->options.fmu.stop - t)), m->y, NULL };
    solver_destroy(m->solver);
    m->solver = NULL;
    if (!c->n) return EVAL_OK;
    const SolverType *type =
        c->options.solver ? c->options.solver : solver_default(&m->group, &c->options.solver_options);
    m->solver = solver_create(type, &problem, &c->options.solver_options, &failure);
    if (m->solver) return EVAL_OK;
    snprintf(c->failure, sizeof c->failure, "%s", failure.text);
    return EVAL_FATAL;
}

static EvalStatus master_initialise(Model *model, double t, double *y, EventInfo *info)
{
    Couple *c = model->data;
    Master *m = c->master;
    (void)y;
    c->t = t;
    EvalStatus status = coupled_initialise_all(c, t, m->y, info);
    m->group_t = t;
    m->group_next = INFINITY;
    for (int k = 0; k < c->component_count; k++)
        if (!c->components[k].is_cs) m->group_next = fmin(m->group_next, c->components[k].next_time);
    m->h = m->h_memory = 0;
    m->told_next = info->next_time;
    for (int k = 0; k < c->link_count; k++) m->peak[k] = fabs(c->links[k].now);
    return status == EVAL_OK ? make_solver(c, t) : status;
}

static EvalStatus master_event(Model *model, double t, double *y, EventInfo *info)
{
    Couple *c = model->data;
    Master *m = c->master;
    (void)y;
    EvalStatus status = coupled_event_all(c, t, m->y, EVENT_DUE, info);
    m->group_t = c->t = t;
    m->group_next = INFINITY;
    for (int k = 0; k < c->component_count; k++)
        if (!c->components[k].is_cs) m->group_next = fmin(m->group_next, c->components[k].next_time);
    for (int k = 0; k < c->link_count; k++) c->links[k].has_memory = false;
    m->told_next = info->next_time;
    if (status == EVAL_OK && m->solver && !solver_restart(m->solver, t, m->y, NULL, RESTART_JUMP))
        return EVAL_FATAL;
    return status;
}

static EvalStatus master_values(Model *model, double t, const double *y, double *values)
{
    Couple *c = model->data;
    bool changed = false;
    (void)y;
    place_group(c, t);
    /* inputs from outside may be other ones than at the end of the step */
    if (order_pass(c, &c->all, t, false, &changed) != EVAL_OK) return EVAL_FATAL;
    return coupled_values(model, t, c->master->y, values);
}

/* ---- making ---------------------------------------------------------------------------------- */

/* A component that holds nothing but its states can go back by these alone. */
static bool is_only_states(const Component *p)
{
    if (p->is_cs || p->model->shape.indicators) return false;
    for (int k = 0; k < p->model->shape.variable_count; k++)
        if (p->model->shape.variables[k].kind == VARIABLE_DISCRETE && !p->model->shape.variables[k].is_input)
            return false;
    return true;
}

static void list_units(Couple *c)
{
    Master *m = c->master;
    bool has_group = false;
    m->can_back = true;
    for (int k = 0; k < c->component_count; k++) {
        Component *p = &c->components[k];
        if (p->is_cs || !has_group) m->units[m->unit_count++] = unit_of(c, k);
        has_group |= !p->is_cs;
        bool saves = fmu_can_save(p->model);
        p->state = saves ? fmu_state_new(p->model) : NULL;
        m->can_back &= saves || is_only_states(p);
    }
    for (int k = 0; k < c->link_count; k++) {
        const Link *l = &c->links[k];
        bool crosses = l->from < 0 || unit_of(c, l->from) != unit_of(c, l->to);
        m->is_coupled |= crosses && l->from >= 0;
        m->is_driven |= crosses && unit_of(c, l->to) == GROUP;
    }
}

bool master_make(Couple *c, Diag *diag)
{
    static const ModelType type = { .initialise = master_initialise,
                                    .event = master_event,
                                    .step = master_step,
                                    .values = master_values,
                                    .set = coupled_set,
                                    .set_text = coupled_set_text,
                                    .failure = coupled_failure };
    const char *why = "";
    Master *m = c->master = NEW(c->run, Master);
    size_t links = (size_t)c->link_count + 1, n = (size_t)c->n + 1;
    m->y = NEW_ARRAY(c->run, double, n);
    m->y_saved = NEW_ARRAY(c->run, double, n);
    m->whole = NEW_ARRAY(c->run, double, links);
    m->peak = NEW_ARRAY(c->run, double, links);
    m->links = NEW_ARRAY(c->run, LinkMemory, links);
    m->next = NEW_ARRAY(c->run, double, (size_t)c->component_count);
    m->units = NEW_ARRAY(c->run, int, (size_t)c->component_count + 1);
    m->has_stepped = NEW_ARRAY(c->run, bool, (size_t)c->component_count);
    list_units(c);
    ModelShape shape = coupled_shape(c), whole = shape;
    m->group_type = coupled_type;
    if (!c->g) m->group_type.indicators = NULL;
    whole.n = whole.indicators = 0;
    c->stats.is_controlled = m->can_back && m->is_coupled && !(c->options.fixed_step > 0);
    if ((!c->n || model_init(&m->group, &m->group_type, &shape, c, &why)) &&
        model_init(&c->model, &type, &whole, c, &why)) {
        m->group.type = &m->group_type;
        m->group.data = c;
        return true;
    }
    diag_add_file(diag, E_FMU_SYSTEM, NULL, "%s", why);
    return false;
}

void master_free(Couple *c)
{
    if (c->master) solver_destroy(c->master->solver);
    c->master = NULL;
}
