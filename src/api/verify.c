/* verify.c: whether a run is right: a second one by another family of integrators at a finer
 * tolerance, or a file, and a verdict for each signal.
 *
 * In: a model and what is to be judged. Out: reports of signals, a verdict, both results. How:
 * result_compare says which signals leave the tube. Those that a third run (a third family, as fine
 * as the second) does not share with the second have no reference: they are noise, as are constants
 * off by less than the tolerance. Always: the third run is made only where signals differ. Cost:
 * the runs. Tests: tests/cli/verify.sh. */
#include "api/inside.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double FINER = 100.0;            /* the second tolerance is this much finer */
static const double FINEST = 1e-12;           /* but not finer: rounding comes next */
static const double TUBE = 1e-3, FACTOR = 10; /* half its height: at least, and of the tolerance */
static const double FLOOR = 100.0;            /* differences below tolerance / FLOOR are none */
static const double MOST_NOISE = 0.1;         /* of the signals that move */

typedef struct {
    AcausalModel *m;
    const AcausalVerify *verify;
    AcausalVerifyReport *report;
    CompareOptions tube;
} Work;

static const char *keep_text(const Work *w, const char *text)
{
    return arena_copy(w->m->session->arena, str_of(text));
}

static void say(const Work *w, const char *verdict, const char *format, ...) PRINTF_LIKE(3, 4);
static void say(const Work *w, const char *verdict, const char *format, ...)
{
    char text[700];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    w->report->verdict = verdict;
    w->report->message = keep_text(w, text);
}

/* ---- runs ------------------------------------------------------------------------------------ */

/* The families that a run may have used. An explicit one that `auto` left and came back to had an
 * implicit Runge-Kutta method beside it, and `switching` is multistep on both sides. */
typedef struct {
    const char *at[2];
} Families;

static Families families_of(const AcausalModel *m)
{
    const SolverStats *work = &m->last.work;
    const SolverType *asked = solver_find(m->last.solver), *last = work->method ? work->method : asked;
    Families f = { { last ? last->family : "", NULL } };
    bool is_explicit = last && !(last->can & SOLVE_STIFF);
    if (is_explicit && work->factors > 0) f.at[1] = solver_find("radau5")->family;
    return f;
}

static bool has_family(const Families *f, const SolverType *type)
{
    for (int i = 0; i < 2; i++)
        if (f->at[i] && !strcmp(f->at[i], type->family)) return true;
    /* SUNDIALS has multistep methods and Runge-Kutta methods: it is held against one-step
     * methods */
    return f->at[0] && !strcmp(f->at[0], "SUNDIALS") && (type->can & SOLVE_MULTISTEP);
}

static AcausalStatus run_again(const Work *w, const char *solver, AcausalSimulationReport *out)
{
    AcausalSimulation a = *w->verify->run;
    a.solver = solver;
    a.tolerance = w->report->second_tolerance;
    a.solver_options = NULL; /* they were meant for the first integrator */
    a.solver_option_count = 0;
    a.output = a.save_state = NULL;
    a.keep = true;
    a.keep_steps = false;
    a.begin = NULL;
    a.row = NULL;
    a.say = NULL;
    return model_run(w->m, &a, out);
}

/* Tries one method after another until one comes to the end; `skip` is left out. Returns its name,
 * or NULL with what became of them in `why`. */
static const char *run_other(const Work *w, const Families *used, const char *skip, AcausalResult **result,
                             double *seconds, char *why, size_t room)
{
    static const char *const methods[] = { "radau5", "bdf", "rodas" };
    const char *asked = skip ? NULL : w->verify->solver;
    size_t n = 0;
    *why = 0;
    for (size_t i = 0; i < (asked ? 1 : COUNT_OF(methods)); i++) {
        const char *name = asked ? asked : methods[i];
        if (!asked && ((skip && !strcmp(skip, name)) || has_family(used, solver_find(name)))) continue;
        AcausalSimulationReport run;
        AcausalStatus status = run_again(w, name, &run);
        *seconds = run.simulate_seconds;
        *result = run.result;
        if (status == ACAUSAL_DONE) return name;
        acausal_result_free(run.result);
        *result = NULL;
        if (n < room) n += (size_t)snprintf(why + n, room - n, "%s%s: %s", n ? "; " : "", name, run.message);
        if (w->verify->run->interrupt && *w->verify->run->interrupt) break;
    }
    return NULL;
}

/* The run that is judged. False: it did not come to its end. */
static bool run_first(Work *w, AcausalStatus *status)
{
    AcausalSimulation a = *w->verify->run;
    AcausalSimulationReport run;
    AcausalVerifyReport *r = w->report;
    a.keep = true;
    if (w->verify->reference && isnan(a.stop) && r->other) { /* there is nothing after its end */
        const ResultTable *other = (const ResultTable *)r->other;
        if (other->rows) a.stop = signal_at(&other->time, other->rows - 1);
    }
    *status = model_run(w->m, &a, &run);
    r->result = run.result;
    r->seconds[0] = run.simulate_seconds;
    if (*status != ACAUSAL_DONE)
        return say(w, "first run failed", "the run that is to be judged failed: %s", run.message), false;
    const SimStats *s = &w->m->last;
    r->first_solver = s->work.method ? s->work.method->name : keep_text(w, s->solver);
    r->events = s->state_events + s->time_events + s->input_events;
    return true;
}

static bool integrates_itself(const AcausalModel *m) { return m->model && m->model->type->step; }

/* ---- judging --------------------------------------------------------------------------------- */

static bool is_moving(const SignalReport *s) { return s->range_a > 0.0 || s->range_b > 0.0; }

static void call_noise(CompareReport *c, SignalReport *s)
{
    s->verdict = SIGNAL_NOISE;
    c->different--;
}

/* Constant in the finer run, and off by no more than the tolerance of a variable of size 1. */
static void find_constants(const Work *w, CompareReport *c)
{
    double least = w->tube.absolute;
    for (size_t i = 0; i < c->count; i++) {
        SignalReport *s = &c->signals[i];
        if (s->verdict == SIGNAL_DIFFERENT && s->range_b <= least && fabs(s->a - s->b) <= FLOOR * least)
            call_noise(c, s);
    }
}

static int by_name(const void *a, const void *b)
{
    return strcmp((*(SignalReport *const *)a)->name, (*(SignalReport *const *)b)->name);
}

/* What the second and a third run do not agree on has no reference. */
static void find_noise(const Work *w, const Families *used, Arena *arena, CompareReport *c)
{
    AcausalResult *third = NULL;
    char why[400];
    double seconds;
    if (!run_other(w, used, w->report->second_solver, &third, &seconds, why, sizeof why)) return;
    CompareReport again;
    result_compare(arena, (ResultTable *)w->report->other, (ResultTable *)third, &w->tube, &again);
    SignalReport **away = NEW_ARRAY(arena, SignalReport *, c->count + 1);
    size_t n = 0;
    for (size_t i = 0; i < c->count; i++)
        if (c->signals[i].verdict == SIGNAL_DIFFERENT) away[n++] = &c->signals[i];
    if (n) qsort(away, n, sizeof *away, by_name);
    for (size_t i = 0; i < again.count && n; i++) {
        SignalReport *key = &again.signals[i];
        if (key->verdict != SIGNAL_DIFFERENT) continue;
        SignalReport **found = bsearch(&key, away, n, sizeof *away, by_name);
        if (found && (*found)->verdict == SIGNAL_DIFFERENT) call_noise(c, *found);
    }
    acausal_result_free(third);
}

/* The signal that is farthest outside, or else comes nearest to that. */
static void find_worst(const Work *w, const CompareReport *c)
{
    const SignalReport *worst = NULL;
    for (size_t i = 0; i < c->count; i++) {
        const SignalReport *s = &c->signals[i];
        if (s->verdict != SIGNAL_SAME && s->verdict != SIGNAL_DIFFERENT) continue;
        if (!worst || (s->verdict == SIGNAL_DIFFERENT) > (worst->verdict == SIGNAL_DIFFERENT) ||
            (s->verdict == worst->verdict &&
             (s->excess > worst->excess || (s->excess == worst->excess && s->deviation > worst->deviation))))
            worst = s;
    }
    w->report->worst = worst ? keep_text(w, worst->name) : "";
    w->report->deviation = worst ? worst->deviation : 0.0;
}

static AcausalStatus judge(const Work *w, const CompareReport *c)
{
    AcausalVerifyReport *r = w->report;
    size_t moving = 0, both = c->same + c->different + r->noise;
    const char *against = w->verify->reference ? w->verify->reference : r->second_solver;
    for (size_t i = 0; i < c->count; i++)
        moving += c->signals[i].verdict <= SIGNAL_NOISE && is_moving(&c->signals[i]);
    if (c->spans_differ)
        say(w, "different", "the run goes from %.9g to %.9g, %s from %.9g to %.9g", c->a_from, c->a_to,
            against, c->b_from, c->b_to);
    else if (!both)
        say(w, "different", "the run and %s have no signal in common", against);
    else if (c->different)
        say(w, "different", "%zu of %zu signals differ from %s; the worst: '%s'", c->different, both, against,
            r->worst);
    else if ((double)r->noise > MOST_NOISE * (double)moving)
        say(w, "undetermined",
            "%zu of %zu moving signals differ, but there two fine runs by different methods do not agree "
            "either: errors grow (chaos), or events hang on rounding",
            r->noise, moving);
    else if (r->noise)
        say(w, "verified but for noise", "%zu of %zu signals hold noise where they differ from %s", r->noise,
            both, against);
    else
        say(w, "verified", "all %zu signals agree with %s", both, against);
    return r->verdict[0] == 'v' ? ACAUSAL_DONE : ACAUSAL_WRONG;
}

/* ---- the whole ------------------------------------------------------------------------------- */

static double known_or(double value, double otherwise) { return isnan(value) ? otherwise : value; }

static void choose_tolerances(Work *w)
{
    const AcausalVerify *v = w->verify;
    AcausalVerifyReport *r = w->report;
    double tol = known_or(v->run->tolerance, known_or(model_experiment(w->m).tolerance, 1e-6));
    r->first_tolerance = tol;
    r->second_tolerance = (v->tolerance > 0.0 ? v->tolerance : fmin(tol, fmax(tol / FINER, FINEST)));
    w->tube = (CompareOptions){ known_or(v->tube->value, fmax(FACTOR * tol, TUBE)),
                                known_or(v->tube->time, compare_options().time),
                                known_or(v->tube->absolute, tol / FLOOR) };
    AcausalCompareOptions *tube = NEW(w->m->session->arena, AcausalCompareOptions);
    *tube = (AcausalCompareOptions){
        .size = sizeof *tube, .value = w->tube.value, .time = w->tube.time, .absolute = w->tube.absolute
    };
    r->tube = tube;
}

static AcausalStatus compare_runs(Work *w, Arena *arena, bool is_cs, const Families *used,
                                  void (*row)(void *arg, const AcausalSignalReport *report), void *arg)
{
    AcausalVerifyReport *r = w->report;
    char why[600];
    if (is_cs) {
        say(w, "no second run", "%s",
            "the FMU for co-simulation brings its own integrator: hold it against a file, --reference FILE");
        return ACAUSAL_FAILED;
    }
    if (!w->verify->reference) {
        const char *name = run_other(w, used, NULL, &r->other, &r->seconds[1], why, sizeof why);
        if (!name) {
            say(w, "no second run", "no second run came to the end: %s", why);
            return w->m->session->diag.errors ? ACAUSAL_WRONG : ACAUSAL_FAILED;
        }
        r->second_solver = keep_text(w, name);
    }
    CompareReport c;
    result_compare(arena, (ResultTable *)r->result, (ResultTable *)r->other, &w->tube, &c);
    size_t all = c.different;
    if (!w->verify->reference) {
        if (c.different) find_constants(w, &c);
        if (c.different && !c.spans_differ) find_noise(w, used, arena, &c);
    }
    r->noise = all - c.different;
    find_worst(w, &c);
    AcausalCompareReport *sums = NEW(w->m->session->arena, AcausalCompareReport);
    *sums = compare_pass(&c, row, arg);
    r->compare = sums;
    return judge(w, &c);
}

static AcausalStatus verify_model(AcausalModel *m, const AcausalVerify *verify,
                                  void (*row)(void *arg, const AcausalSignalReport *report), void *arg,
                                  AcausalVerifyReport *report)
{
    char why[400];
    Work w = { .m = m, .verify = verify, .report = report };
    if (verify->reference &&
        !(report->other = (AcausalResult *)result_read(verify->reference, why, sizeof why))) {
        say(&w, "no reference", "%s", why);
        return ACAUSAL_WRONG;
    }
    choose_tolerances(&w);
    AcausalStatus status;
    if (!run_first(&w, &status)) return status;
    Families used = families_of(m);
    Arena *arena = arena_new();
    if (!arena) return ACAUSAL_BUG;
    status = compare_runs(&w, arena, integrates_itself(m) && !verify->reference, &used, row, arg);
    arena_free(arena);
    return status;
}

AcausalStatus acausal_verify(AcausalModel *m, const AcausalVerify *verify,
                             void (*row)(void *arg, const AcausalSignalReport *report), void *arg,
                             AcausalVerifyReport *report)
{
    static const AcausalCompareReport nothing = { .size = sizeof nothing };
    AcausalCompareOptions tube = { .value = NAN, .time = NAN, .absolute = NAN };
    AcausalSimulation run;
    AcausalVerify own = { 0 };
    AcausalVerifyReport r = { .verdict = "",
                              .message = "",
                              .first_solver = "",
                              .second_solver = "",
                              .worst = "",
                              .compare = &nothing };
    if (!is_sized(m->session, report) || !TAKE(m->session, own, verify) ||
        !take_simulation(m->session, &run, own.run) || !TAKE(m->session, tube, own.tube))
        return ACAUSAL_USAGE;
    own.run = &run;
    own.tube = r.tube = &tube;
    AcausalStatus status = verify_model(m, &own, row, arg, &r);
    if (r.tube == &tube) r.tube = NULL;
    GIVE(report, r);
    return status;
}
