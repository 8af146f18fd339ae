/* Every registered method keeps what the door promises: its order with fixed steps, or as observed
 * under error control where it has none, the order of its dense output, accuracy under error
 * control, roots, backward runs, recovery after failed evaluations, save and restore, and replay of
 * a recorded run, steps that do not depend on what time it is; stiff methods stay stable with large
 * steps; failures end a run and name a component. */
#include "solve/solve.h"
#include "test.h"

#include <float.h>
#include <stdlib.h>

static void exact_pair(double t, double *y)
{
    y[0] = 1.0 / (2.0 - sin(t));
    y[1] = 1.0 / sqrt(1.0 + t * t);
}

/* Nonlinear, coupled and non-autonomous; the coupling vanishes on the solution above. */
static EvalStatus pair_f(Model *model, double t, const double *y, double *f)
{
    (void)model;
    f[0] = y[0] * y[0] * cos(t) + 0.5 * (y[1] * y[1] * (1.0 + t * t) - 1.0);
    f[1] = -t * y[1] * y[1] * y[1] + 0.25 * (y[0] * (2.0 - sin(t)) - 1.0);
    return EVAL_OK;
}

/* The same in two parts, both of which move the solution. */
static EvalStatus pair_split(Model *model, double t, const double *y, double *slow, double *fast)
{
    (void)model;
    if (slow) {
        slow[0] = y[0] * y[0] * cos(t);
        slow[1] = 0.25 * (y[0] * (2.0 - sin(t)) - 1.0);
    }
    if (fast) {
        fast[0] = 0.5 * (y[1] * y[1] * (1.0 + t * t) - 1.0);
        fast[1] = -t * y[1] * y[1] * y[1];
    }
    return EVAL_OK;
}

/* Fails a few times after t = 0.05, then never again. */
static EvalStatus faulty_f(Model *model, double t, const double *y, double *f)
{
    int *left = model->data;
    pair_f(model, t, y, f);
    if (t > 0.05 && *left > 0) {
        --*left;
        f[*left % 2] = NAN;
    }
    return EVAL_OK;
}

static EvalStatus oscillator_f(Model *model, double t, const double *y, double *f)
{
    (void)model, (void)t;
    f[0] = y[1];
    f[1] = -y[0];
    return EVAL_OK;
}

static EvalStatus nothing_f(Model *model, double t, const double *y, double *f)
{
    (void)model, (void)t, (void)y, (void)f;
    return EVAL_OK;
}

static EvalStatus oscillator_g(Model *model, double t, const double *y, double *g)
{
    (void)model, (void)t;
    g[0] = y[0] - 0.5;
    g[1] = y[0] + 0.25;
    g[2] = y[0] - 2.0;
    return EVAL_OK;
}

static EvalStatus stiff_f(Model *model, double t, const double *y, double *f)
{
    (void)model;
    f[0] = -1e6 * (y[0] - cos(t)) - sin(t);
    f[1] = y[0] - y[1];
    return EVAL_OK;
}

static EvalStatus nan_f(Model *model, double t, const double *y, double *f)
{
    pair_f(model, t, y, f);
    if (t > 0.5) f[1] = NAN;
    return EVAL_OK;
}

/* Gives up for good after t = 0.5; a try with a smaller step must not be made. */
static EvalStatus fatal_f(Model *model, double t, const double *y, double *f)
{
    int *calls = model->data;
    pair_f(model, t, y, f);
    *calls += t > 0.5;
    return t > 0.5 ? EVAL_FATAL : EVAL_OK;
}

/* The right-hand side pushes back from y = 1.2 on both sides: no smooth solution goes on from
 * there. */
static EvalStatus jump_f(Model *model, double t, const double *y, double *f)
{
    (void)model;
    f[0] = cos(t);
    f[1] = y[1] < 1.2 ? 1.0 : -1.0;
    return EVAL_OK;
}

static const ModelType fatal_type = { .derivatives = fatal_f }, jump_type = { .derivatives = jump_f };
static const ModelType pair_type = { .derivatives = pair_f, .split = pair_split },
                       faulty_type = { .derivatives = faulty_f },
                       oscillator_type = { .derivatives = oscillator_f, .indicators = oscillator_g },
                       stiff_type = { .derivatives = stiff_f }, nan_type = { .derivatives = nan_f };
static const signed char directions[] = { 0, -1, 0 };
static const ModelShape two = { .name = "two", .n = 2 }, with_roots = {
    .name = "oscillator", .n = 2, .indicators = 3, .directions = directions
};

static Model make(const ModelType *type, const ModelShape *shape, void *data)
{
    Model model;
    const char *why;
    CHECK(model_init(&model, type, shape, data, &why));
    return model;
}

/* Options under which the method reaches about rtol: adaptive, or small fixed steps. */
static SolverOptions usual(const SolverType *type, double rtol)
{
    SolverOptions o = solver_options(rtol, rtol);
    if (!(type->can & SOLVE_ADAPTIVE)) o.fixed_step = 1.0 / 512;
    return o;
}

/* The error that is fair for `usual` options. */
static double fair(const SolverType *type, double rtol)
{
    if (!(type->can & SOLVE_ADAPTIVE)) return fmax(rtol, 8.0 * pow(1.0 / 512, type->order));
    /* local errors of rtol add up to rtol^(p/(p+1)) */
    double global = type->order <= 2 ? 5.0 * pow(rtol, type->order / (type->order + 1.0)) : 0.0;
    return fmax(global, (type->can & SOLVE_MULTISTEP ? 1000.0 : 200.0) * rtol);
}

static double distance(const double *a, const double *b)
{
    return fmax(fabs(a[0] - b[0]), fabs(a[1] - b[1]));
}

/* One run over [0, 2] with fixed steps: the largest errors at the ends and inside of steps. */
static void fixed_run(const SolverType *type, int steps, double *end, double *inside)
{
    Model model = make(&pair_type, &two, NULL);
    double y0[2], y[2], want[2];
    exact_pair(0.0, y0);
    Problem problem = { &model, 0.0, 2.0, y0, NULL };
    SolverOptions o = solver_options(1e-3, 1e-3);
    SolverFailure why;
    o.fixed_step = 2.0 / steps;
    Solver *s = solver_create(type, &problem, &o, &why);
    *inside = *end = 0.0;
    StepStatus status;
    do {
        status = solver_step(s, 2.0);
        exact_pair(solver_t(s), want);
        *end = fmax(*end, distance(solver_y(s), want));
        for (int k = 1; k < 5; k++) {
            double t = solver_t_old(s) + 0.2 * k * (solver_t(s) - solver_t_old(s));
            solver_interpolate(s, t, y);
            exact_pair(t, want);
            *inside = fmax(*inside, distance(y, want));
        }
    } while (status == STEP_TAKEN);
    CHECK_ROW(status == STEP_LIMIT, type->name);
    CHECK_ROW(solver_stats(s).steps == steps, type->name);
    solver_destroy(s);
}

/* Halves steps until rounding is near, and takes the slope of the last two pairs. */
static void check_orders(const SolverType *type)
{
    double end[10], inside[10];
    int last = 0;
    for (int k = 0; k < 10; k++) {
        fixed_run(type, (type->order == 1 ? 16 : 4) << k, &end[k],
                  &inside[k]); /* large ones have no solution */
        if (end[k] < 5e-11 || inside[k] < 5e-11) break;
        last = k;
    }
    double slope = log2(end[last - 1] / end[last]), dense = log2(inside[last - 1] / inside[last]);
    double want = type->dense_order + 1 < type->order ? type->dense_order + 1 : type->order;
    if (!CHECK_ROW(fabs(slope - type->order) < 0.15 || (slope > type->order && end[last] < 1e-9), type->name))
        printf("  order %g, want %d (errors %g %g)\n", slope, type->order, end[last - 1], end[last]);
    if (!CHECK_ROW(dense > want - 0.3, type->name)) printf("  dense order %g, want %g\n", dense, want);
}

/* Mean step and error of a run over [0, 2]; with `inside`, the error between the ends of steps. */
static void adaptive_run(const SolverType *type, double rtol, double *step, double *end, double *inside)
{
    Model model = make(&pair_type, &two, NULL);
    double y0[2], y[2], want[2];
    exact_pair(0.0, y0);
    Problem problem = { &model, 0.0, 2.0, y0, NULL };
    SolverOptions o = solver_options(rtol, rtol);
    SolverFailure why;
    o.max_order = type->can & SOLVE_MULTISTEP ? 3 : 0;
    Solver *s = solver_create(type, &problem, &o, &why);
    *inside = *end = 0.0;
    StepStatus status;
    do {
        status = solver_step(s, 2.0);
        exact_pair(solver_t(s), want);
        *end = fmax(*end, distance(solver_y(s), want));
        double t = 0.6 * solver_t_old(s) + 0.4 * solver_t(s);
        solver_interpolate(s, t, y);
        exact_pair(t, want);
        *inside = fmax(*inside, distance(y, want));
    } while (status == STEP_TAKEN);
    CHECK_ROW(status == STEP_LIMIT, type->name);
    *step = 2.0 / (double)solver_stats(s).steps;
    solver_destroy(s);
}

/* Methods without fixed steps: errors over mean steps, multistep methods held at order 3; and what
 * interpolation adds to errors stays of their size. */
static void check_observed_order(const SolverType *type)
{
    /* a chooser takes other methods for the finest tolerances */
    int runs = type->can & SOLVE_MULTISTEP ? 6 : 4;
    double n = runs, sx = 0.0, sy = 0.0, sxx = 0.0, sxy = 0.0;
    for (int k = 0; k < runs; k++) {
        double rtol = 1e-4 * pow(10.0, -k), step, end, inside;
        adaptive_run(type, rtol, &step, &end, &inside);
        double x = log(step), y = log(end);
        sx += x, sy += y, sxx += x * x, sxy += x * y;
        CHECK_ROW(inside < 10.0 * fmax(end, rtol), type->name);
    }
    double slope = (n * sxy - sx * sy) / (n * sxx - sx * sx),
           want = type->can & SOLVE_MULTISTEP ? 3.0 : type->order;
    if (!CHECK_ROW(slope > want - 0.5 && (slope < want + 1.0 || !(type->can & SOLVE_MULTISTEP)), type->name))
        printf("  observed order %g, want %g\n", slope, want);
}

/* Runs from t0 to t1 and back; both ends are right. */
static void check_accuracy_and_backward(const SolverType *type, double rtol)
{
    Model model = make(&pair_type, &two, NULL);
    double y0[2], want[2], y[2];
    exact_pair(0.0, y0);
    exact_pair(2.0, want);
    SolverOptions o = usual(type, rtol);
    SolverFailure why;
    StepStatus status;
    for (int back = 0; back < 2; back++) {
        Problem problem = { &model, back ? 2.0 : 0.0, back ? 0.0 : 2.0, back ? want : y0, NULL };
        Solver *s = solver_create(type, &problem, &o, &why);
        double worst = 0.0, middle[2];
        do {
            status = solver_step(s, problem.t_end);
            double t = 0.5 * (solver_t_old(s) + solver_t(s));
            solver_interpolate(s, t, y);
            exact_pair(t, middle);
            worst = fmax(worst, distance(y, middle));
        } while (status == STEP_TAKEN);
        CHECK_ROW(status == STEP_LIMIT && solver_t(s) == problem.t_end, type->name);
        double error = distance(solver_y(s), back ? y0 : want);
        if (!CHECK_ROW(error < fair(type, rtol), type->name)) printf("  error %g at %g\n", error, rtol);
        if (!CHECK_ROW(worst < 10.0 * fair(type, rtol), type->name))
            printf("  dense error %g at %g\n", worst, rtol);
        CHECK_ROW(solver_step(s, problem.t_end) == STEP_LIMIT, type->name);
        solver_destroy(s);
    }
}

/* sin t over [0, 20] against 0.5 (both ways) and -0.25 (falling), with and without restarts at the
 * roots. */
static void check_roots(const SolverType *type)
{
    const double pi = acos(-1.0);
    for (int restarts = 0; restarts < 2; restarts++) {
        Model model = make(&oscillator_type, &with_roots, NULL);
        double y0[2] = { 0.0, 1.0 }, y[2], worst = 0.0;
        SolverOptions o = usual(type, 1e-7);
        SolverFailure why;
        Problem problem = { &model, 0.0, 20.0, y0, NULL };
        Solver *s = solver_create(type, &problem, &o, &why);
        int found = 0, falling = 0;
        StepStatus status;
        while ((status = solver_step(s, 20.0)) == STEP_TAKEN || status == STEP_ROOT) {
            if (status != STEP_ROOT) continue;
            const signed char *which = solver_roots(s);
            double t = solver_t_root(s), up = asin(0.5), down = asin(0.25) + pi, turn = 2.0 * pi;
            double phase = fmod(t, turn), want = which[1] ? down : which[0] > 0 ? up : pi - up;
            worst = fmax(worst, fabs(phase - want));
            CHECK_ROW(which[2] == 0 && (which[0] != 0) != (which[1] != 0), type->name);
            found += which[0] != 0;
            falling += which[1] != 0;
            solver_interpolate(s, t, y);
            if (restarts) CHECK_ROW(solver_restart(s, t, y, NULL, RESTART_JUMP), type->name);
        }
        CHECK_ROW(status == STEP_LIMIT, type->name);
        if (!CHECK_ROW(found == 7 && falling == 3, type->name)) printf("  found %d and %d\n", found, falling);
        if (!CHECK_ROW(worst < 20.0 * fair(type, 1e-7), type->name)) printf("  root off by %g\n", worst);
        CHECK_ROW(solver_stats(s).roots == 10, type->name);
        solver_destroy(s);
    }
}

static void check_retry(const SolverType *type)
{
    int left = 3;
    Model model = make(&faulty_type, &two, &left);
    double y0[2], want[2];
    exact_pair(0.0, y0);
    exact_pair(2.0, want);
    SolverOptions o = usual(type, 1e-5);
    SolverFailure why;
    Problem problem = { &model, 0.0, 2.0, y0, NULL };
    Solver *s = solver_create(type, &problem, &o, &why);
    StepStatus status;
    while ((status = solver_step(s, 2.0)) == STEP_TAKEN) continue;
    CHECK_ROW(status == STEP_LIMIT && left == 0, type->name);
    CHECK_ROW(solver_stats(s).rejected_model + solver_stats(s).rejected_newton > 0, type->name);
    CHECK_ROW(distance(solver_y(s), want) < fair(type, 1e-5), type->name);
    solver_destroy(s);

    model = make(&nan_type, &two, NULL);
    s = solver_create(type, &problem, &o, &why);
    while ((status = solver_step(s, 2.0)) == STEP_TAKEN) continue;
    CHECK_ROW(status == STEP_FAILED && solver_failure(s)->kind == FAIL_MODEL, type->name);
    CHECK_ROW(solver_failure(s)->component == 1 && solver_t(s) <= 0.6, type->name);
    CHECK_ROW(solver_step(s, 2.0) == STEP_FAILED, type->name);
    solver_destroy(s);
}

/* A model that gives up ends the run at once; a discontinuity without an event ends it, or is got
 * over, in few steps. */
static void check_hopeless(const SolverType *type)
{
    int calls = 0;
    Model model = make(&fatal_type, &two, &calls);
    double y0[2];
    exact_pair(0.0, y0);
    SolverOptions o = usual(type, 1e-6);
    SolverFailure why;
    Problem problem = { &model, 0.0, 2.0, y0, NULL };
    Solver *s = solver_create(type, &problem, &o, &why);
    StepStatus status;
    while ((status = solver_step(s, 2.0)) == STEP_TAKEN) continue;
    if (!CHECK_ROW(status == STEP_FAILED && solver_failure(s)->kind == FAIL_MODEL && calls <= 2, type->name))
        printf("  %d calls, %s\n", calls, solver_failure(s)->text);
    solver_destroy(s);

    model = make(&jump_type, &two, NULL);
    o.max_steps = 20000;
    s = solver_create(type, &problem, &o, &why);
    while ((status = solver_step(s, 2.0)) == STEP_TAKEN) continue;
    const SolverFailure *failure = solver_failure(s);
    bool named = (failure->component == 1 || type->can & SOLVE_FOREIGN) &&
                 (failure->kind == FAIL_STEP_TOO_SMALL || failure->kind == FAIL_TOO_MANY_STEPS);
    if (!CHECK_ROW(status == STEP_LIMIT || named, type->name)) printf("  %s\n", failure->text);
    solver_destroy(s);
}

static Solver *make_run(const SolverType *type, Model *model, StepLog *record, const StepLog *replay)
{
    double y0[2];
    exact_pair(0.0, y0);
    SolverOptions o = usual(type, 1e-6);
    SolverFailure why;
    o.record = record;
    o.replay = replay;
    Problem problem = { model, 0.0, 2.0, y0, NULL };
    Solver *s = solver_create(type, &problem, &o, &why);
    CHECK_ROW(s != NULL, type->name);
    return s;
}

static void finish(Solver *s)
{
    while (solver_step(s, 2.0) == STEP_TAKEN) continue;
}

/* Bit for bit: from a state saved in the middle, in the same solver and in a new one, and from the
 * log. */
static void check_save_and_replay(const SolverType *type)
{
    Arena *arena = arena_new();
    StepLog log = { .arena = arena };
    Model model = make(&pair_type, &two, NULL);
    Solver *s = make_run(type, &model, &log, NULL);
    for (int k = 0; k < 4; k++) solver_step(s, 2.0);
    size_t size = solver_save_size(s);
    char *saved = arena_alloc(arena, size);
    solver_save(s, saved);
    finish(s);
    double end[2], inside[2], y[2];
    memcpy(end, solver_y(s), sizeof end);
    solver_interpolate(s, 0.3 * solver_t_old(s) + 0.7 * solver_t(s), inside);
    SolverStats stats = solver_stats(s);
    CHECK_ROW(log.steps.n == (uint32_t)stats.steps, type->name);
    Solver *fresh = make_run(type, &model, NULL, NULL);
    CHECK_ROW(!solver_restore(fresh, saved, size - 8), type->name);
    CHECK_ROW(solver_restore(fresh, saved, size), type->name);
    finish(fresh);
    CHECK_ROW(!memcmp(end, solver_y(fresh), sizeof end), type->name);
    CHECK_ROW(solver_stats(fresh).steps == stats.steps, type->name);
    solver_destroy(fresh);
    Solver *again = make_run(type, &model, NULL, &log);
    finish(again);
    solver_interpolate(again, 0.3 * solver_t_old(again) + 0.7 * solver_t(again), y);
    CHECK_ROW(!memcmp(end, solver_y(again), sizeof end), type->name);
    CHECK_ROW(!memcmp(inside, y, sizeof y), type->name);
    CHECK_ROW(solver_stats(again).steps == stats.steps, type->name);
    solver_destroy(again);
    CHECK_ROW(solver_restore(s, saved, size), type->name);
    finish(s);
    CHECK_ROW(!memcmp(end, solver_y(s), sizeof end), type->name);
    solver_destroy(s);
    arena_free(arena);
}

static void check_stiff(const SolverType *type)
{
    if (!(type->can & SOLVE_STIFF) || !(type->can & SOLVE_ADAPTIVE)) return;
    Model model = make(&stiff_type, &two, NULL);
    double y0[2] = { 1.0, 0.0 };
    SolverOptions o = usual(type, 1e-5);
    SolverFailure why;
    Problem problem = { &model, 0.0, 3.0, y0, NULL };
    Solver *s = solver_create(type, &problem, &o, &why);
    StepStatus status;
    while ((status = solver_step(s, 3.0)) == STEP_TAKEN) continue;
    double want = 0.5 * (cos(3.0) + sin(3.0)) - 0.5 * exp(-3.0);
    CHECK_ROW(status == STEP_LIMIT, type->name);
    if (!CHECK_ROW(fabs(solver_y(s)[0] - cos(3.0)) < 1e-3 && fabs(solver_y(s)[1] - want) < fair(type, 1e-5),
                   type->name))
        printf("  errors %g %g\n", solver_y(s)[0] - cos(3.0), solver_y(s)[1] - want);
    if (!CHECK_ROW(solver_stats(s).steps < 3000 / type->order, type->name))
        printf("  %ld steps\n", solver_stats(s).steps);
    solver_destroy(s);
}

/* What is asked for wrongly is refused, and an empty interval is no work. */
static void check_bad_input(const SolverType *type)
{
    Model model = make(&pair_type, &two, NULL);
    double y0[2] = { 0.5, 1.0 }, bad[2] = { NAN, 1.0 };
    SolverOptions o = usual(type, 1e-5);
    SolverFailure why;
    Problem problem = { &model, 1.0, 1.0, y0, NULL };
    Solver *s = solver_create(type, &problem, &o, &why);
    CHECK_ROW(s && solver_step(s, 1.0) == STEP_LIMIT && solver_stats(s).steps == 0, type->name);
    solver_destroy(s);
    problem.y0 = bad;
    CHECK_ROW(!solver_create(type, &problem, &o, &why) && why.kind == FAIL_WRONG_INPUT && why.component == 0,
              type->name);
    problem.y0 = y0;
    o.rtol = -1.0;
    CHECK_ROW(!solver_create(type, &problem, &o, &why) && why.kind == FAIL_WRONG_INPUT, type->name);
    if (!(type->can & SOLVE_ADAPTIVE)) return;
    o = solver_options(1e-17, 1e-17);
    CHECK_ROW(!solver_create(type, &problem, &o, &why) && why.kind == FAIL_TOLERANCE, type->name);
    o = solver_options(1e-8, 1e-8);
    o.max_steps = 3;
    problem.t_end = 100.0;
    s = solver_create(type, &problem, &o, &why);
    StepStatus status;
    while ((status = solver_step(s, 100.0)) == STEP_TAKEN) continue;
    CHECK_ROW(status == STEP_FAILED && solver_failure(s)->kind == FAIL_TOO_MANY_STEPS, type->name);
    solver_destroy(s);
}

/* y'' = 30 (1 - y^2) y' - y, which has slow and fast parts. */
static EvalStatus relaxation_f(Model *model, double t, const double *y, double *f)
{
    (void)model, (void)t;
    f[0] = y[1];
    f[1] = 30.0 * (1.0 - y[0] * y[0]) * y[1] - y[0];
    return EVAL_OK;
}

static EvalStatus mirrored_f(Model *model, double t, const double *y, double *f)
{
    relaxation_f(model, t, y, f);
    f[0] = -f[0], f[1] = -f[1];
    return EVAL_OK;
}

static long steps_of(const SolverType *type, const ModelType *kind, double t0, double t_end)
{
    static const ModelShape shape = { .name = "relaxation", .n = 2 };
    Model model = make(kind, &shape, NULL);
    double y0[2] = { 2.0, 0.0 };
    SolverOptions o = usual(type, 1e-6);
    SolverFailure why;
    Problem problem = { &model, t0, t_end, y0, NULL };
    Solver *s = solver_create(type, &problem, &o, &why);
    StepStatus status;
    while ((status = solver_step(s, t_end)) == STEP_TAKEN) continue;
    long steps = status == STEP_LIMIT ? solver_stats(s).steps : -1;
    solver_destroy(s);
    return steps;
}

/* Where f does not depend on time, a run from another time, and its mirror image, take the same
 * steps but for rounding. */
static void check_time_does_not_matter(const SolverType *type)
{
    static const ModelType ahead = { .derivatives = relaxation_f }, back = { .derivatives = mirrored_f };
    if (!(type->can & SOLVE_ADAPTIVE)) return;
    long steps = steps_of(type, &ahead, 0.0, 32.0), early = steps_of(type, &ahead, -64.0, -32.0),
         mirrored = steps_of(type, &back, 64.0, 32.0), few = steps / 20 + 2;
    if (!CHECK_ROW(steps > 0 && labs(early - steps) <= few && labs(mirrored - steps) <= few, type->name))
        printf("  %ld steps, %ld from -64, %ld backwards\n", steps, early, mirrored);
}

/* A model without unknowns is simulated too: its time passes. */
static void check_empty(const SolverType *type)
{
    static const ModelShape none = { .name = "none", .n = 0 };
    static const ModelType nothing = { .derivatives = nothing_f };
    Model model = make(&nothing, &none, NULL);
    double y0[1] = { 0.0 };
    SolverOptions o = usual(type, 1e-5);
    SolverFailure why;
    Problem problem = { &model, 0.0, 1.0, y0, NULL };
    Solver *s = solver_create(type, &problem, &o, &why);
    StepStatus status;
    while ((status = solver_step(s, 1.0)) == STEP_TAKEN) continue;
    CHECK_ROW(status == STEP_LIMIT && solver_t(s) == 1.0, type->name);
    solver_destroy(s);
}

int main(int argc, char **argv)
{
    for (size_t i = 0; i < solver_type_count; i++) {
        const SolverType *type = solver_types[i];
        if (argc > 1 && strcmp(argv[1], type->name)) continue;
        (type->can & SOLVE_FIXED ? check_orders : check_observed_order)(type);
        check_accuracy_and_backward(type, 1e-4);
        check_accuracy_and_backward(type, 1e-7);
        check_roots(type);
        check_retry(type);
        check_hopeless(type);
        check_save_and_replay(type);
        check_stiff(type);
        check_bad_input(type);
        check_empty(type);
        check_time_does_not_matter(type);
        CHECK_ROW(solver_find(type->name) == type && *type->summary && *type->reference, type->name);
    }
    return test_end();
}
