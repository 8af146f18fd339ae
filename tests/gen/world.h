/* world.h: a text becomes a running model; a small driver that integrates through events. */
#ifndef ACAUSAL_TEST_GEN_WORLD_H
#define ACAUSAL_TEST_GEN_WORLD_H

#include "test.h"

#include "dae/mini.h"
#include "gen/gen.h"
#include "solve/solve.h"

typedef struct {
    Mini *mini;
    System *system;
    Compiled *compiled;
    Model *model;
    double y[64], t;
    EventInfo info;
    int events, selections;
    const char *solver; /* radau5 if NULL */
} Run;

static inline bool run_open(Run *r, const char *text, IrBackend backend)
{
    *r = (Run){ .mini = mini_new(text) };
    r->system = dae_build(r->mini->flat, r->mini->arena, &r->mini->diag);
    if (r->system) CHECK_TEXT(dae_verify(r->system), NULL);
    if (r->system) CHECK_TEXT(flat_verify(r->system->flat), NULL);
    if (r->system) r->compiled = gen_compile(r->system, backend, &r->mini->diag);
    if (r->compiled) r->model = gen_instance(r->compiled);
    if (!r->model) printf("  %s\n%s\n", text, mini_errors(r->mini));
    return r->model;
}

static inline void run_close(Run *r)
{
    gen_instance_free(r->model);
    gen_free(r->compiled);
    mini_free(r->mini);
}

static inline bool run_start(Run *r, double t)
{
    r->t = t;
    EvalStatus status = r->model->type->initialise(r->model, t, r->y, &r->info);
    if (status != EVAL_OK) printf("  initialise: %s\n", r->model->type->failure(r->model));
    return status == EVAL_OK;
}

/* Integrates to t_end, with events. */
static inline bool run_to(Run *r, double t_end)
{
    Model *m = r->model;
    SolverFailure failure;
    SolverOptions options = solver_options(1e-9, 1e-10);
    Problem problem = { m, r->t, t_end, r->y, NULL };
    if (m->shape.n == 0) {
        while (r->info.next_time <= t_end && !r->info.terminate) {
            r->t = r->info.next_time;
            r->events++;
            if (m->type->event(m, r->t, r->y, &r->info) != EVAL_OK) return false;
        }
        r->t = t_end;
        return true;
    }
    Solver *s = solver_create(solver_find(r->solver ? r->solver : "radau5"), &problem, &options, &failure);
    bool ok = s != NULL;
    if (!ok) printf("  create: %s\n", failure.text);
    while (ok && r->t < t_end && !r->info.terminate) {
        double limit = fmin(t_end, r->info.next_time);
        StepStatus status = solver_step(s, limit);
        ok = status != STEP_FAILED;
        if (!ok) {
            const char *why = m->type->failure(m);
            printf("  step: %s (%s)\n", solver_failure(s)->text, why ? why : "");
        }
        r->t = status == STEP_ROOT ? solver_t_root(s) : solver_t(s);
        bool timed = status == STEP_LIMIT && limit == r->info.next_time;
        if (status == STEP_ROOT)
            solver_interpolate(s, r->t, r->y);
        else
            memcpy(r->y, solver_y(s), (size_t)m->shape.n * sizeof *r->y);
        bool wanted = ok && m->type->accepted(m, r->t, r->y);
        if (!ok || (status != STEP_ROOT && !timed && !wanted)) continue;
        r->events += status == STEP_ROOT || timed;
        ok = m->type->event(m, r->t, r->y, &r->info) == EVAL_OK;
        r->selections += ok && r->info.states_selected;
        if (!ok) printf("  event: %s\n", m->type->failure(m));
        if (ok) ok = solver_restart(s, r->t, r->y, NULL, r->info.y_changed ? RESTART_JUMP : RESTART_RHS);
    }
    solver_destroy(s);
    return ok;
}

/* The value of a variable by its name at the place reached. */
static inline double run_value(Run *r, const char *name)
{
    Model *m = r->model;
    double *values = calloc((size_t)m->shape.value_count + 1, sizeof *values), found = NAN;
    m->type->values(m, r->t, r->y, values);
    for (int i = 0; i < m->shape.variable_count; i++) {
        const ModelVariable *v = &m->shape.variables[i];
        if (!strcmp(v->name, name)) found = v->negated ? -values[v->slot] : values[v->slot];
    }
    free(values);
    return found;
}

static inline int run_find(const Run *r, const char *name)
{
    for (int i = 0; i < r->model->shape.variable_count; i++)
        if (!strcmp(r->model->shape.variables[i].name, name)) return i;
    return -1;
}

#endif
