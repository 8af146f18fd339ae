/* profile.c: watches a run: what it computes when, which states limit steps, what fails.
 *
 * In: an instance before a run. Out: counts and samples. How: the run notes in two words what it is
 * about, in functions that stand before those of the model; a thread reads them a thousand times a
 * second. What limits a step is the state that polynomials through the last points foretell worst.
 * Always: an instance that is not watched runs as if this were not here. Cost: two stores a call.
 * Tests: tests/cli/profile.sh, tests/diagnose. */
#include "explain/profile.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

static const long SAMPLE_NANOSECONDS = 500000;
static const double LONGEST_SAMPLING = 1; /* seconds in which runs are repeated */

const char *const profile_phases[PHASE_COUNT] = {
    "integrator, output", "derivatives", "Jacobians", "relations", "values", "events", "start"
};

/* ---- what stands before the model's functions ------------------------------------------------ */

static Profile *profile_of(const Model *model) { return (Profile *)(uintptr_t)model->type; }

static unsigned enter(Profile *p, Phase phase)
{
    unsigned before = atomic_load_explicit(&p->phase, memory_order_relaxed);
    atomic_store_explicit(&p->phase, phase, memory_order_relaxed);
    atomic_store_explicit(&p->at, RUN_NONE, memory_order_relaxed);
    return before;
}

static EvalStatus leave(Profile *p, unsigned before, EvalStatus status)
{
    const RunFailure *f = run_failure(gen_running(p->model));
    atomic_store_explicit(&p->phase, before, memory_order_relaxed);
    atomic_store_explicit(&p->at, RUN_NONE, memory_order_relaxed);
    if (status == EVAL_OK || !p->counts) return status;
    if (f->block < p->run->block_count && f->why >= 0 && f->why < PROFILE_CAUSES)
        p->failures[f->block * PROFILE_CAUSES + (uint32_t)f->why]++;
    else
        p->failures[p->run->block_count * PROFILE_CAUSES]++;
    return status;
}

static EvalStatus derivatives(Model *m, double t, const double *y, double *f)
{
    Profile *p = profile_of(m);
    unsigned before = enter(p, PHASE_DERIVATIVES);
    return leave(p, before, p->inner->derivatives(m, t, y, f));
}

static EvalStatus jacobian(Model *m, double t, const double *y, const MatrixShape *order, double *values)
{
    Profile *p = profile_of(m);
    unsigned before = enter(p, PHASE_JACOBIAN);
    return leave(p, before, p->inner->jacobian(m, t, y, order, values));
}

static EvalStatus indicators(Model *m, double t, const double *y, double *g)
{
    Profile *p = profile_of(m);
    unsigned before = enter(p, PHASE_INDICATORS);
    return leave(p, before, p->inner->indicators(m, t, y, g));
}

static EvalStatus values(Model *m, double t, const double *y, double *v)
{
    Profile *p = profile_of(m);
    unsigned before = enter(p, PHASE_VALUES);
    return leave(p, before, p->inner->values(m, t, y, v));
}

static EvalStatus event(Model *m, double t, double *y, EventInfo *info)
{
    Profile *p = profile_of(m);
    unsigned before = enter(p, PHASE_EVENTS);
    return leave(p, before, p->inner->event(m, t, y, info));
}

static EvalStatus initialise(Model *m, double t, double *y, EventInfo *info)
{
    Profile *p = profile_of(m);
    unsigned before = enter(p, PHASE_START);
    return leave(p, before, p->inner->initialise(m, t, y, info));
}

static RtStatus call(const void *code, uint32_t function, Rt *rt)
{
    Profile *p = (Profile *)(uintptr_t)code;
    atomic_store_explicit(&p->at, function, memory_order_relaxed);
    if (p->counts && function < p->functions) p->calls[function]++;
    RtStatus status = p->run->call(p->run->code, function, rt);
    atomic_store_explicit(&p->at, function | PROFILE_AFTER, memory_order_relaxed);
    return status;
}

/* ---- samples --------------------------------------------------------------------------------- */

static void *sample(void *arg)
{
    Profile *p = arg;
    struct timespec pause = { 0, SAMPLE_NANOSECONDS };
    while (!atomic_load_explicit(&p->ends, memory_order_relaxed)) {
        nanosleep(&pause, NULL);
        if (!atomic_load_explicit(&p->is_running, memory_order_relaxed)) continue;
        unsigned phase = atomic_load_explicit(&p->phase, memory_order_relaxed);
        unsigned at = atomic_load_explicit(&p->at, memory_order_relaxed);
        unsigned function = at & ~PROFILE_AFTER;
        p->samples++;
        p->phase_samples[phase < PHASE_COUNT ? phase : PHASE_STEPS]++;
        if (at != RUN_NONE && function < p->functions)
            (at & PROFILE_AFTER ? p->after_samples : p->function_samples)[function]++;
    }
    return NULL;
}

/* ---- steps and events ------------------------------------------------------------------------ */

/* The value at t of the polynomial through the last points. */
static double foretold(const Profile *p, int i, double t)
{
    double sum = 0;
    for (int k = 0; k < p->past_n; k++) {
        double l = 1;
        for (int j = 0; j < p->past_n; j++)
            if (j != k) l *= (t - p->past_t[j]) / (p->past_t[k] - p->past_t[j]);
        sum += l * p->past[k][i];
    }
    return sum;
}

static void push_point(Profile *p, double t)
{
    double *last = p->past[2];
    p->past[2] = p->past[1], p->past[1] = p->past[0], p->past[0] = last;
    memcpy(last, p->now, p->run->state_count * sizeof *last);
    p->past_t[2] = p->past_t[1], p->past_t[1] = p->past_t[0], p->past_t[0] = t;
    if (p->past_n < 3) p->past_n++;
}

static void on_step(void *arg, const Solver *solver, double from, double to)
{
    Profile *p = arg;
    int n = (int)p->run->state_count, worst = -1;
    double most = 0;
    if (!p->counts || to <= from || n == 0) return;
    solver_interpolate(solver, to, p->now);
    for (int i = 0; i < n && p->past_n > 1; i++) {
        double error = fabs(p->now[i] - foretold(p, i, to)) / (fabs(p->now[i]) + p->weight[i]);
        if (error > most) most = error, worst = i;
    }
    if (worst >= 0) p->limits[worst]++;
    p->steps++;
    push_point(p, to);
    vec_push(p->what->arena, &p->trail, ((ProfileStep){ to, to - from, worst }));
}

static void on_event(void *arg, EventKind kind, double t, const EventInfo *info)
{
    Profile *p = arg;
    if (!p->counts) return;
    p->kinds[kind]++;
    p->past_n = 0;
    vec_push(p->what->arena, &p->events, t);
    for (uint32_t k = 0; info->roots && k < p->run->indicator_count; k++)
        if (info->roots[k]) p->crossings[k]++;
}

/* ---- the whole ------------------------------------------------------------------------------- */

Profile *explain_profile(const ExplainModel *what)
{
    Arena *a = what->arena;
    Profile *p = NEW(a, Profile);
    const RunModel *m = gen_run_model(what->compiled);
    p->what = what;
    p->run = m;
    p->functions = gen_module(what->compiled)->functions.n;
    p->function_samples = NEW_ARRAY(a, uint64_t, p->functions + 1);
    p->after_samples = NEW_ARRAY(a, uint64_t, p->functions + 1);
    p->calls = NEW_ARRAY(a, uint64_t, p->functions + 1);
    p->limits = NEW_ARRAY(a, uint64_t, m->state_count + 1);
    p->crossings = NEW_ARRAY(a, uint64_t, m->indicator_count + 1);
    p->failures = NEW_ARRAY(a, uint64_t, (m->block_count + 1) * PROFILE_CAUSES);
    p->weight = NEW_ARRAY(a, double, m->state_count + 1);
    p->now = NEW_ARRAY(a, double, m->state_count + 1);
    for (int k = 0; k < 3; k++) p->past[k] = NEW_ARRAY(a, double, m->state_count + 1);
    return p;
}

bool explain_profile_begin(Profile *p, Model *model, SimOptions *options)
{
    p->model = model;
    p->inner = model->type;
    p->type = *model->type;
    p->type.derivatives = derivatives;
    if (p->inner->jacobian) p->type.jacobian = jacobian;
    if (p->inner->indicators) p->type.indicators = indicators;
    p->type.values = values;
    p->type.event = event;
    p->type.initialise = initialise;
    model->type = &p->type;
    p->watched = *p->run;
    p->watched.code = p;
    p->watched.call = call;
    run_watch(gen_running(model), &p->watched);
    p->counts = p->runs++ == 0;
    for (uint32_t i = 0; i < p->run->state_count; i++)
        p->weight[i] = 1e-3 * (model->shape.nominal ? model->shape.nominal[i] : 1);
    options->on_step = on_step;
    options->on_event = on_event;
    options->on_step_arg = p;
    p->past_n = 0;
    atomic_store(&p->phase, PHASE_STEPS);
    atomic_store(&p->at, RUN_NONE);
    if (p->runs == 1) p->began = clock_wall();
    if (p->runs == 1) p->is_sampling = pthread_create(&p->sampler, NULL, sample, p) == 0;
    atomic_store(&p->is_running, true);
    return p->is_sampling;
}

void explain_profile_end(Profile *p, const SimReport *report)
{
    atomic_store(&p->is_running, false);
    if (p->counts) p->report = *report;
    p->counts = false;
    p->model->type = p->inner;
    run_watch(gen_running(p->model), p->run);
}

void explain_profile_stop(Profile *p)
{
    atomic_store(&p->ends, true);
    if (p->is_sampling) pthread_join(p->sampler, NULL);
    p->is_sampling = false;
}

bool explain_profile_is_enough(const Profile *p)
{
    enum { ENOUGH = 400 };
    bool is_late = clock_wall() - p->began > LONGEST_SAMPLING;
    bool failed =
        p->report.end == SIM_FAILED || p->report.end == SIM_WRONG || p->report.end == SIM_INTERRUPTED;
    return p->samples >= ENOUGH || is_late || failed || !p->is_sampling;
}
