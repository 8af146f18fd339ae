/* stepper.c: a run in parts, for masters of others and people who look in between.
 *
 * In: a model, what its run shall be. Out: values between the parts. How: each part is a run of
 * sim/ that goes on with the instance and the unknowns of the one before. Always: a part begins
 * with an event, which sees inputs that were set. Cost: an integrator a part. Tests:
 * tests/python/package_test.py. */
#include "api/inside.h"

#include <math.h>
#include <stdlib.h>

struct AcausalStepper {
    AcausalModel *m;
    Model *model;
    unsigned long instance;
    SimOptions options;
    double t, *y, *values;
    bool is_known; /* values are those at t */
    bool is_over;  /* the model has ended the run */
    double kept_t, *kept_y;
    void *kept; /* what the model gave; NULL: nothing is kept */
};

static AcausalStatus lost(AcausalStepper *s, const char *what)
{
    const char *words = s->model->type->failure ? s->model->type->failure(s->model) : NULL;
    wrong(s->m->session, E_RUN_FAILED, "%s at t = %.9g%s%s", what, s->t, words && *words ? ": " : "",
          words ? words : "");
    return ACAUSAL_FAILED;
}

static bool is_mine(const AcausalStepper *s)
{
    return s->instance == s->m->instances ||
           wrong(s->m->session, E_OPTION, "another run of the model has ended this one");
}

static AcausalStatus part(AcausalStepper *s, double until)
{
    SimReport sim;
    SimOptions o = s->options;
    o.t0 = s->t, o.t_end = until;
    o.points = 1;
    o.interval = 0.0;
    o.y = s->y;
    s->is_known = false;
    bool ok = sim_run(s->model, &o, &sim);
    s->t = sim.t;
    s->options.goes_on = true;
    s->is_over = sim.end == SIM_TERMINATED;
    if (!ok) wrong(s->m->session, E_RUN_FAILED, "%s", sim.message);
    return ok ? ACAUSAL_DONE : simulate_status(sim.end);
}

AcausalStepper *acausal_stepper_new(AcausalModel *m, const AcausalSimulation *given)
{
    AcausalSimulation run;
    AcausalStepper *s = NULL;
    if (!take_simulation(m->session, &run, given)) return NULL;
    if (run.inputs || run.output) {
        wrong(m->session, E_OPTION, "a run in parts has no files: inputs are set, variables are looked at");
        return NULL;
    }
    if (!(s = calloc(1, sizeof *s))) return tell_memory(m->session), NULL;
    s->m = m;
    if (!model_begin(m, &run, false, &s->options)) return free(s), NULL;
    const ModelShape *shape = &m->model->shape;
    s->model = m->model;
    s->instance = m->instances;
    s->t = s->options.t0;
    s->y = calloc((size_t)shape->n + 2, sizeof *s->y);
    s->kept_y = calloc((size_t)shape->n + 2, sizeof *s->y);
    s->values = calloc((size_t)shape->value_count + 1, sizeof *s->values);
    bool ok = s->y && s->kept_y && s->values;
    if (!ok) tell_memory(m->session);
    if (ok && part(s, s->t) == ACAUSAL_DONE) return s;
    acausal_stepper_free(s);
    return NULL;
}

void acausal_stepper_free(AcausalStepper *s)
{
    if (!s) return;
    free(s->y);
    free(s->kept_y);
    free(s->kept);
    free(s->values);
    free(s);
}

AcausalStatus acausal_stepper_advance(AcausalStepper *s, double until, double *t)
{
    AcausalStatus status = ACAUSAL_DONE;
    if (!is_mine(s)) return ACAUSAL_USAGE;
    if (!(until >= s->t) || !isfinite(until))
        return wrong(s->m->session, E_OPTION, "a run at t = %.9g cannot go on to %.9g", s->t, until),
               ACAUSAL_USAGE;
    if (until > s->t && !s->is_over) status = part(s, until);
    *t = s->t;
    return status;
}

AcausalStatus acausal_stepper_get(AcausalStepper *s, const size_t *variables, size_t n, double *values)
{
    const ModelShape *shape = &s->model->shape;
    if (!is_mine(s)) return ACAUSAL_USAGE;
    if (!s->is_known && s->model->type->values(s->model, s->t, s->y, s->values) != EVAL_OK)
        return lost(s, "the values cannot be computed");
    s->is_known = true;
    for (size_t i = 0; i < n; i++) {
        if (variables[i] >= (size_t)shape->variable_count)
            return wrong(s->m->session, E_OPTION, "there is no variable %zu", variables[i]), ACAUSAL_USAGE;
        const ModelVariable *v = &shape->variables[variables[i]];
        values[i] = v->negated ? -s->values[v->slot] : s->values[v->slot];
    }
    return ACAUSAL_DONE;
}

AcausalStatus acausal_stepper_set(AcausalStepper *s, const size_t *variables, size_t n, const double *values)
{
    const ModelShape *shape = &s->model->shape;
    if (!is_mine(s)) return ACAUSAL_USAGE;
    for (size_t i = 0; i < n; i++) {
        const char *why = NULL;
        if (variables[i] >= (size_t)shape->variable_count)
            return wrong(s->m->session, E_OPTION, "there is no variable %zu", variables[i]), ACAUSAL_USAGE;
        const ModelVariable *v = &shape->variables[variables[i]];
        bool is_number = !isnan(values[i]);
        /* a compiled model would take a start value, which has no effect any more */
        bool is_open = is_number && (v->is_input || (s->m->fmu && v->kind == VARIABLE_PARAMETER));
        if (!is_open || !s->model->type->set(s->model, (int)variables[i], values[i], &why))
            return wrong(s->m->session, E_OPTION, "'%s' cannot be set during a run: %s", v->name,
                         !is_number ? "the value is no number"
                         : !is_open ? "it is no input"
                         : why      ? why
                                    : "the model refuses it"),
                   ACAUSAL_WRONG;
    }
    s->is_known = false;
    return ACAUSAL_DONE;
}

AcausalStatus acausal_stepper_keep(AcausalStepper *s)
{
    size_t n = 0;
    if (!is_mine(s)) return ACAUSAL_USAGE;
    if (s->model->type->save_size) n = s->model->type->save_size(s->model);
    free(s->kept);
    s->kept = n ? malloc(n) : NULL;
    if (!s->kept) return wrong(s->m->session, E_OPTION, "the model cannot keep its state"), ACAUSAL_WRONG;
    s->model->type->save(s->model, s->kept);
    memcpy(s->kept_y, s->y, ((size_t)s->model->shape.n + 1) * sizeof *s->y);
    s->kept_t = s->t;
    return ACAUSAL_DONE;
}

AcausalStatus acausal_stepper_back(AcausalStepper *s)
{
    if (!is_mine(s)) return ACAUSAL_USAGE;
    if (!s->kept) return wrong(s->m->session, E_OPTION, "no state was kept"), ACAUSAL_WRONG;
    s->model->type->restore(s->model, s->kept);
    memcpy(s->y, s->kept_y, ((size_t)s->model->shape.n + 1) * sizeof *s->y);
    s->t = s->kept_t;
    s->is_known = s->is_over = false;
    return ACAUSAL_DONE;
}
