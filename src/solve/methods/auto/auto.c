/* auto.c: the default: chooses methods for a model, and changes between them as it goes.
 *
 * In: any model. Out: steps of whichever method suits. Cost: a few operations a component and step.
 * Tests: tests/solve/methods_test.c, auto_test.c, tests/sim/driver_test.c. */
#include "solve/methods/auto/auto.h"
#include "solve/core/multistep.h"
#include "solve/core/onestep.h"
#include "solve/core/start.h"
#include "solve/methods/adams_bdf/adams_bdf.h"
#include "solve/methods/dassl/dassl.h"
#include "solve/methods/erk/erk.h"
#include "solve/methods/irk/irk.h"
#include "solve/methods/rosenbrock/rosenbrock.h"

#include <stdio.h>

/* A table of conditions on the form of the model, its size and the tolerance names an implicit
 * method: Radau where accuracy is high or the index is, multistep methods where factors are dear or
 * algebraic equations are there, a Rosenbrock method for few unknowns and rough tolerances.
 * Ordinary equations of moderate size begin with an explicit method (`dopri5` for rough tolerances;
 * else `dop853` for hybrid models, and Adams for others), which watches whether stability rather
 * than accuracy limits its steps; after some such steps, or at once where error control asks for
 * more than stability will allow, or when it fails, or when a short trial shows it slower, the
 * implicit one takes over unless the rest is shorter than its first step is worth, and hands back
 * when |h| ||J|| has been small for long. Each change makes the next one harder, so a run does not
 * swing. Invariant: dense output of the last step comes from the method that took it; a change
 * happens when the next step begins, with the step size kept. The methods are complete solvers;
 * their state is part of this one's for save and restore. */

static const double ROUGH = 1e-4, ROUGH_HYBRID = 1e-8; /* tolerances above which order 5 does */
/* times the stable step: what error control asks for when stability is all that stands against
 * it */
static const double EAGER = 1.5;
static const double CREDIBLE =
    0.2; /* of the stable step an evaluation: below it stability does not limit anything */
/* |h| ||J|| below which an explicit method could take the same steps */
static const double CALM = 1.0;
static const double RACE_GAIN =
    1.5; /* pace of an implicit method over the explicit one's that makes it stay */
static const double LOOK_SHARE = 0.1, SOON_SHARE = 0.15, SUSPECT = 0.3;
static const double WARM_SHARE = 2.0 / 3.0; /* of the way to a trial: pace is measured from there */
/* of the tolerance, for multistep methods */
static const double ADAMS_SHARE = 0.3, STIFF_SHARE = 0.2;
static const double LEAST_MULTISTEP = 1e-12; /* of rtol, by that */
enum { LONG_VECTORS = 20000, FIRST_EVALUATIONS = 10 /* of an implicit step */ };
enum { FIRST_RACE = 300, MOST_RACE = 100000, TRIAL_STEPS = 30, TRIAL_WARM = 10 }; /* steps */
enum { PLAIN_STEPS_TO_FORGET = 6, CALM_STEPS = 20, MOST_PATIENCE = 64 };

typedef struct {
    Solver base;
    const struct Choice *choice; /* of the implicit half */
    const struct Plain *begins;  /* of the explicit half */
    double *scratch[5];
    Solver *plain, *stiff; /* plain is NULL where one method does it all */
    StepLog log;           /* the last step of a half */
    bool has_slopes;       /* methods for such models keep y' */
    struct {
        bool is_stiff, change; /* which half is at work; change before the next step */
        int stiff_steps, plain_steps, calm_steps, patience, changes;
        double stable_step; /* of the explicit method, where it was last looked for; 0: nowhere */
        /* the race: */
        bool racing;              /* the implicit method is on trial */
        bool looked;              /* whether steps are near those that stability allows */
        bool timed;               /* pace is being measured */
        int since;                /* steps since the last change */
        long f_mark;              /* evaluations of the explicit method then */
        double race_at;           /* evaluations of it before the next trial */
        double t_mark, work_mark; /* where pace is measured from */
        double plain_pace;        /* of the explicit method, time per work */
    } state;
} Auto;

/* What a model is like; a row of the table below asks for some of it. */
enum { FORM_ORDINARY = 1, FORM_MASS = 2, FORM_RESIDUAL = 4, FORM_HIGH_INDEX = 8, FORM_ANY = 15 };

typedef struct Choice {
    unsigned forms;      /* any of these */
    int least_n, most_n; /* unknowns; most 0: any number */
    double least_rtol;   /* at this tolerance or rougher ones */
    const SolverType *type;
    double (*stiffness)(
        const Solver *s); /* |h| ||J||; NULL: the method does without an explicit one beside it */
    const char *why;
} Choice;

/* The first row that fits. Measured on bench/ivp: multistep methods win where linear algebra is
 * dear and on index-1 equations, but crawl where fast oscillations are not damped; six linear
 * systems a step beat Newton's iteration while they are small and little is asked for. */
static const Choice choices[] = {
    { FORM_HIGH_INDEX, 0, 0, 0.0, &solver_radau, irk_stiffness, "unknowns of index 2 or 3" },
    { FORM_ORDINARY, 0, 50, 1e-3, &solver_rodas, rosenbrock_stiffness, "rough tolerance" },
    { FORM_ORDINARY, 200, 0, 1e-2, &solver_rodas, rosenbrock_stiffness, "rough tolerance" },
    { FORM_ORDINARY, 200, 0, 1e-9, &solver_switching, NULL, "many unknowns" },
    { FORM_MASS, 0, 0, 1e-9, &solver_bdf, NULL, "algebraic equations" },
    { FORM_RESIDUAL, 0, 0, 1e-9, &solver_dassl, NULL, "equations in residual form" },
    { FORM_ORDINARY, 0, 50, 1e-5, &solver_radau5, irk_stiffness, "moderate tolerance" },
    { FORM_ANY, 0, 0, 0.0, &solver_radau, irk_stiffness, "accuracy" },
};

/* The explicit halves: how many times the stable step the last one was, or error control asks for,
 * and for how many steps in a row that has to be above `bound` (error control keeps a step that
 * stability limits just inside of it). Stability holds for |h lambda| up to `reach` a step of
 * `evaluations` of a method of this order; a method with a history is taken for a one-step method,
 * which reaches as far with an evaluation. */
typedef struct Plain {
    const SolverType *type;
    double (*stiffness)(const Solver *s);
    double bound;
    int steps;
    double reach;
    int evaluations, order;
} Plain;

static const Plain dopri5_half = { &solver_dopri5, erk_stiffness, 0.8, 4, 3.25, 6, 5 },
                   dop853_half = { &solver_dop853, erk_stiffness, 0.8, 4, 6.1, 11, 8 },
                   adams_half = { &solver_switching, nordsieck_stiffness, 3.0, 1, 6.1, 11, 8 };

/* A history of steps saves a third to a half of the evaluations wherever more is asked for than a
 * few dozen steps of order 5 give, and no events interrupt it. */
static const Plain *choose_plain(const Model *model, double rtol, bool in_pieces)
{
    bool hybrid = in_pieces || (model->can & MODEL_HYBRID);
    if (rtol > (hybrid ? ROUGH_HYBRID : ROUGH)) return &dopri5_half;
    return hybrid ? &dop853_half : &adams_half;
}

static bool has_history(const Solver *half) { return half->type->can & SOLVE_MULTISTEP; }

static unsigned form_of(const Model *model)
{
    for (int i = 0; model->shape.index && i < model->shape.n; i++)
        if (model->shape.index[i] > 1) return FORM_HIGH_INDEX;
    if (!(model->can & MODEL_DERIVATIVES)) return FORM_RESIDUAL;
    return model->can & MODEL_MASS ? FORM_MASS : FORM_ORDINARY;
}

/* Histories and stages of many vectors are longer than any cache: few implicit steps, group by
 * group, are cheaper. */
static bool has_long_vectors(const Model *model)
{
    return model->shape.systems > 1 && model->shape.n > LONG_VECTORS && model->type->variation;
}

static const Choice *choose(const Model *model, double rtol)
{
    unsigned form = form_of(model);
    int n = model_system_size(model);
    bool is_part = model->shape.systems > 1; /* the Jacobian is not all of it */
    const Choice *c = choices;
    while (!(c->forms & form) || n < c->least_n || (c->most_n && n > c->most_n) || rtol < c->least_rtol ||
           (is_part && (c->type->can & SOLVE_EXACT_JACOBIAN)) ||
           (has_long_vectors(model) && (c->type->can & SOLVE_MULTISTEP)))
        c++;
    return c;
}

const SolverType *solver_default(const Model *model, const SolverOptions *options)
{
    if (!(options->fixed_step > 0.0)) return &solver_auto;
    return form_of(model) == FORM_ORDINARY ? &solver_dopri5 : &solver_radau5;
}

/* What a half proposes for its next step. */
static double *next_step(Solver *half)
{
    return has_history(half) ? &((MultiStep *)half)->state.h : &((OneStep *)half)->state.h;
}

static Solver *at_work(const Auto *a) { return a->state.is_stiff ? a->stiff : a->plain; }

static void explain(Auto *a, double t)
{
    char *text = a->base.stats.choice;
    size_t room = sizeof a->base.stats.choice;
    const char *why = a->state.changes == 0 ? "no stiffness seen"
                      : a->state.racing     ? "on trial against the explicit method"
                      : a->state.is_stiff   ? "stability limited the explicit method"
                                            : "steps became small enough for an explicit method";
    if (!a->plain)
        snprintf(text, room, "%s: %s, n = %d, rtol = %.3g", a->stiff->type->name, a->choice->why, a->base.n,
                 a->base.options.rtol);
    else
        snprintf(text, room, "%s since t = %.6g: %s; %d changes", at_work(a)->type->name, t, why,
                 a->state.changes);
}

/* Work of both halves; what belongs to the whole run stays. */
static void add_up(Auto *a)
{
    SolverStats *sum = &a->base.stats;
    const SolverStats none = { 0 }, *p = a->plain ? &a->plain->stats : &none, *q = &a->stiff->stats;
    sum->rejected_error = p->rejected_error + q->rejected_error;
    sum->rejected_newton = p->rejected_newton + q->rejected_newton;
    sum->rejected_model = p->rejected_model + q->rejected_model;
    sum->f = p->f + q->f;
    sum->f_jacobian = q->f_jacobian;
    sum->jacobians = q->jacobians;
    sum->factors = q->factors;
    sum->solves = q->solves;
    sum->complex_factors = q->complex_factors;
    sum->complex_solves = q->complex_solves;
    sum->newton = q->newton;
    sum->colours = q->colours;
    sum->jacobian_source = q->jacobian_source;
    sum->increment = q->increment;
    sum->learnt = q->learnt;
    sum->method = at_work(a)->type;
    if (q->warning[0]) memcpy(sum->warning, q->warning, sizeof sum->warning);
}

/* Where h is not 0, a one-step method goes on with it. */
static bool hand_over(Auto *a, Solver *to, RestartHint hint, double h)
{
    Solver *s = &a->base;
    to->core.t = to->core.t_old = s->core.t;
    to->core.restarted = s->core.restarted;
    to->failure = (SolverFailure){ .component = -1 };
    memcpy(to->y, s->y, (size_t)s->n * sizeof(double));
    memcpy(to->yp, s->yp, (size_t)s->n * sizeof(double));
    to->stats.restarts++;
    bool one_step = !has_history(to), ok = to->type->restart(to, one_step ? hint : RESTART_JUMP);
    if (h != 0.0 && one_step) *next_step(to) = h;
    return ok;
}

static void change(Auto *a)
{
    double h = a->base.stats.steps ? *next_step(at_work(a)) : 0.0;
    a->state.change = false;
    a->state.is_stiff = !a->state.is_stiff;
    a->state.stiff_steps = a->state.plain_steps = a->state.calm_steps = a->state.since = 0;
    a->state.f_mark = a->plain->stats.f;
    a->state.timed = a->state.looked = false;
    a->state.changes++;
    if (a->state.patience < MOST_PATIENCE && !a->state.racing) a->state.patience *= 2;
    if (!a->state.is_stiff) {
        a->state.racing = false;
        if (has_history(a->plain)) nordsieck_stay_plain(a->plain, h);
    }
    hand_over(a, at_work(a), h != 0.0 ? RESTART_UNCHANGED : RESTART_JUMP, h);
    explain(a, a->base.core.t);
}

static double work_of(const Auto *a)
{
    const SolverStats *s = &a->base.stats;
    return (double)s->f + (double)s->f_jacobian + (double)s->factors * fmax(1.0, a->base.n / 10.0);
}

/* Time per work since the mark, which moves here. */
static double pace(Auto *a)
{
    double work = work_of(a), t = a->base.core.t,
           result = fabs(t - a->state.t_mark) / fmax(1.0, work - a->state.work_mark);
    a->state.t_mark = t;
    a->state.work_mark = work;
    return result;
}

/* A step that error control asks for and stability forbids is not worth its rejections. The bound
 * is looked for where a run begins, and again where it seems to matter. */
static double stable_step(Auto *a)
{
    Solver *s = a->plain;
    double **v = a->scratch;
    if (!solver_weights(s, s->y, v[0]) || solver_f(s, s->core.t, s->y, v[1]) != EVAL_OK) return INFINITY;
    double radius = spectral_radius(s, v[1], v[0], v[2], v[3], v[4]);
    return radius > 0.0 ? a->begins->reach / radius : INFINITY;
}

static double evaluations_of_step(const Auto *a)
{
    return (double)(a->plain->stats.f - a->state.f_mark) / fmax(1.0, a->state.since);
}

/* Stability limits steps in more ways than a spectral radius tells (eigenvalues near the imaginary
 * axis): after many explicit steps the implicit method is tried for a few, and stays if it gets on
 * faster. */
static void race(Auto *a)
{
    int since = ++a->state.since;
    double work = (double)(a->plain->stats.f - a->state.f_mark);
    if (a->state.is_stiff && a->state.racing) {
        if (since == TRIAL_WARM) pace(a);
        if (since != TRIAL_STEPS) return;
        bool won = pace(a) > RACE_GAIN * a->state.plain_pace;
        if (won) a->state.racing = false;
        a->state.change = !won;
        if (won) explain(a, a->base.core.t);
    } else if (!a->state.is_stiff) {
        if (!a->state.looked && work >= LOOK_SHARE * a->state.race_at) {
            a->state.looked = true;
            double h = fabs(*next_step(a->plain)) * a->begins->evaluations / evaluations_of_step(a);
            if (h > SUSPECT * stable_step(a)) a->state.race_at *= SOON_SHARE;
        }
        if (!a->state.timed && work >= WARM_SHARE * a->state.race_at) {
            a->state.timed = true;
            pace(a);
        }
        if (work < a->state.race_at || a->state.change) return;
        a->state.plain_pace = pace(a);
        a->state.change = a->state.racing = true;
        if (a->state.race_at < MOST_RACE * a->begins->evaluations) a->state.race_at *= 4.0;
    }
}

/* Whether the explicit method still has so many evaluations before it that a first implicit step
 * with its Jacobian costs less: with steps of this length. */
static bool is_worth_a_change(const Auto *a, double h)
{
    double rest = fabs(a->base.core.t_end - a->base.core.t) / h * a->begins->evaluations;
    return rest > a->stiff->stats.colours + fmax(1.0, a->base.n / 10.0) + FIRST_EVALUATIONS;
}

static bool is_forbidden(Auto *a, double h)
{
    double *stable = &a->state.stable_step;
    if (*stable == 0.0) *stable = stable_step(a);
    if (!(h > EAGER * *stable && is_worth_a_change(a, *stable))) return false;
    if (a->base.stats.steps) *stable = stable_step(a);
    return h > EAGER * *stable && is_worth_a_change(a, *stable);
}

/* Whether stability stands against the next explicit step. A method with a history has seen rates
 * of its iteration only, which large second derivatives spoil, and is believed if the spectral
 * radius agrees; else it goes on as it was. */
static bool is_limited(Auto *a)
{
    double h = fabs(*next_step(a->plain));
    bool is_often = a->state.stiff_steps >= a->begins->steps;
    if (!has_history(a->plain)) return (is_often && is_worth_a_change(a, h)) || is_forbidden(a, h);
    if (!is_often) return false;
    double stable = stable_step(a);
    if (h > CREDIBLE * stable / a->begins->evaluations && is_worth_a_change(a, stable)) return true;
    nordsieck_stay_plain(a->plain, a->log.steps.at[0].h);
    a->state.stiff_steps = 0;
    return false;
}

/* Whether the other half should take the next step. */
static void judge(Auto *a)
{
    if (!a->plain || solver_replay(&a->base)) return;
    if (a->state.is_stiff) {
        a->state.calm_steps = a->choice->stiffness(a->stiff) < CALM ? a->state.calm_steps + 1 : 0;
        a->state.change = a->state.calm_steps >= CALM_STEPS * a->state.patience;
    } else {
        if (a->begins->stiffness(a->plain) > a->begins->bound) {
            a->state.stiff_steps++;
            a->state.plain_steps = 0;
        } else if (++a->state.plain_steps == PLAIN_STEPS_TO_FORGET) {
            a->state.stiff_steps = 0;
        }
        a->state.change = is_limited(a);
    }
    race(a);
}

/* What error control would ask for at first; 0: not to be asked now. */
static double first_step(Auto *a)
{
    Solver *s = a->plain;
    double **v = a->scratch;
    if (!has_history(s)) {
        OneStep *one = (OneStep *)s;
        return one->state.started || onestep_begin(one) == STEP_FAILED ? 0.0 : fabs(one->state.h);
    }
    if (a->base.stats.steps || !solver_weights(s, s->y, v[0]) ||
        solver_f(s, s->core.t, s->y, v[1]) != EVAL_OK)
        return 0.0;
    return start_step(s, a->begins->order, v[1], v[0], v[2], v[3]);
}

static void look_ahead(Auto *a)
{
    if (!a->plain || a->state.is_stiff || solver_replay(&a->base)) return;
    double h = first_step(a);
    if (!(h > 0.0)) return;
    if (is_forbidden(a, h))
        change(a);
    else if (has_history(a->plain) && isfinite(a->state.stable_step))
        nordsieck_know_radius(a->plain, a->begins->reach / a->state.stable_step);
}

static StepStatus auto_step(Solver *s, double t_limit)
{
    Auto *a = (Auto *)s;
    const StepRecord *record = solver_replay(s);
    if (record && a->plain) a->state.change = ((record->flags & RECORD_STIFF) != 0) != a->state.is_stiff;
    if (a->state.change) change(a);
    look_ahead(a);
    Solver *half = at_work(a);
    half->core.replayed = s->core.replayed;
    half->core.restarted = s->core.restarted;
    half->core.direction = s->core.direction;
    a->log.steps.n = 0;
    StepStatus status = half->type->step(half, t_limit);
    if (status == STEP_FAILED && half == a->plain && half->failure.kind != FAIL_TOO_MANY_STEPS && !record) {
        change(a);
        half = at_work(a);
        half->core.restarted = s->core.restarted;
        half->core.direction = s->core.direction;
        status = half->type->step(half, t_limit);
    }
    add_up(a);
    if (status == STEP_FAILED) {
        s->failure = half->failure;
        return status;
    }
    const StepRecord *last = &a->log.steps.at[0];
    vector_copy(s->n, half->y, s->y);
    if (a->has_slopes) vector_copy(s->n, half->yp, s->yp);
    memcpy(s->stage_iterations, last->stages, sizeof last->stages);
    solver_accept(s, half->core.t, last->h, last->order, last->iterations,
                  last->flags | (a->plain && a->state.is_stiff ? RECORD_STIFF : 0u));
    judge(a);
    return status;
}

static void auto_interpolate(const Solver *s, double t, double *y)
{
    const Solver *half = at_work((const Auto *)s);
    if (s->core.t_old == s->core.t)
        memcpy(y, s->y, (size_t)s->n * sizeof(double));
    else
        half->type->interpolate(half, t, y);
}

static double auto_filter(const Solver *s, double *v)
{
    const Solver *half = at_work((const Auto *)s);
    return half->type->filter ? half->type->filter(half, v) : 0.0;
}

static bool auto_restart(Solver *s, RestartHint hint)
{
    Auto *a = (Auto *)s;
    a->state.stiff_steps = a->state.plain_steps = a->state.calm_steps = 0;
    a->state.change = false;
    bool ok = hand_over(a, at_work(a), hint, 0.0);
    if (!ok) s->failure = at_work(a)->failure;
    return ok;
}

static void auto_destroy(Solver *s)
{
    Auto *a = (Auto *)s;
    solver_destroy(a->plain);
    solver_destroy(a->stiff);
}

static bool auto_restored(Solver *s)
{
    Auto *a = (Auto *)s;
    Solver *halves[] = { a->plain, a->stiff };
    bool ok = true;
    for (size_t i = 0; i < COUNT_OF(halves); i++) {
        if (!halves[i]) continue;
        halves[i]->failure = (SolverFailure){ .component = -1 };
        if (halves[i]->type->restored) ok &= halves[i]->type->restored(halves[i]);
    }
    return ok;
}

static void tighten(Auto *a, SolverOptions *options, double share)
{
    Solver *s = &a->base;
    share = fmax(share, LEAST_MULTISTEP / fmax(options->rtol, DBL_MIN));
    if (share >= 1.0) return;
    double *atol = solver_vector(s);
    for (int i = 0; i < s->n; i++) atol[i] = share * s->atol[i];
    options->rtol *= share;
    options->atol_each = atol;
}

/* Errors add up over more steps of a multistep method, each at its tolerance: halves get tolerances
 * with which they deliver alike. */
static Solver *make_half(Auto *a, const SolverType *type, double share)
{
    Solver *s = &a->base;
    Problem problem = { s->model, s->core.t, s->core.t_end, s->y, s->yp };
    SolverOptions options = s->options;
    options.record = &a->log;
    if (type->can & SOLVE_MULTISTEP) tighten(a, &options, share);
    Solver *half = solver_create(type, &problem, &options, &s->failure);
    for (uint32_t i = 0; half && i < half->kept.n; i++) vec_push(s->arena, &s->kept, half->kept.at[i]);
    return half;
}

static bool auto_setup(Solver *s)
{
    Auto *a = (Auto *)s;
    double rtol = s->options.rtol;
    a->log.arena = s->arena;
    vec_reserve(s->arena, &a->log.steps, 4);
    solver_keep(s, &a->state, sizeof a->state);
    a->state.patience = 1;
    a->choice = choose(s->model, rtol);
    a->has_slopes = form_of(s->model) & (FORM_MASS | FORM_RESIDUAL | FORM_HIGH_INDEX);
    a->state.is_stiff =
        !a->choice->stiffness || form_of(s->model) != FORM_ORDINARY || has_long_vectors(s->model);
    if (!(a->stiff = make_half(a, a->choice->type, STIFF_SHARE))) return false;
    if (!a->state.is_stiff) {
        a->begins = choose_plain(s->model, rtol, s->options.in_pieces);
        a->state.race_at = FIRST_RACE * a->begins->evaluations;
        if (!(a->plain = make_half(a, a->begins->type, ADAMS_SHARE))) return false;
        if (!has_history(a->plain)) erk_watch_stiffness(a->plain);
        for (size_t k = 0; k < COUNT_OF(a->scratch); k++) a->scratch[k] = solver_vector(s);
    }
    s->failure = (SolverFailure){ .component = -1 };
    memcpy(s->stats.warning, a->stiff->stats.warning, sizeof s->stats.warning);
    explain(a, s->core.t);
    return true;
}

const SolverType solver_auto = {
    .name = "auto",
    .family = "chosen by the model",
    .summary = "chosen by form, size and tolerance; explicit until stability limits the steps",
    .reference = "stiffness detection: Hairer, Wanner, Solving ODEs II, IV.2",
    .order = 5,
    .order_most = 13,
    .dense_order = 3,
    .can = SOLVE_STIFF | SOLVE_MASS | SOLVE_RESIDUAL | SOLVE_HIGH_INDEX | SOLVE_ADAPTIVE |
           SOLVE_VARIABLE_ORDER | SOLVE_RESTART_HIGH | SOLVE_REPLAY,
    .size = sizeof(Auto),
    .setup = auto_setup,
    .step = auto_step,
    .interpolate = auto_interpolate,
    .filter = auto_filter,
    .restart = auto_restart,
    .destroy = auto_destroy,
    .restored = auto_restored,
};
