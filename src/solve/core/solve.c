/* solve.c: the common part of every integrator: making and unmaking, one step with roots, failures
 * in words, accepted steps, save and restore.
 *
 * Always: after STEP_FAILED the last accepted solution is still in y, and every further step fails
 * the same way until a restart. Saving copies the spans that methods named with solver_keep, in the
 * order they were named; Cost outside of the method: O(1) a step, plus O(n) for a log. Tests:
 * tests/solve/doors_test.c and methods_test.c. */
#include "solve/core/multistep.h"
#include "solve/core/vectors.h"

#include <stdio.h>

static const long MOST_ATTEMPTS = 100000000;
static const double LEAST_RTOL = 4.0 * UROUND;
static const double PIVOT = 1e-6; /* the tolerance that calibration leaves as it is */
static const uint64_t SAVE_MARK = 0x41434c53u;

SolverOptions solver_options(double rtol, double atol)
{
    return (SolverOptions){ .rtol = rtol, .atol = atol };
}

const SolverType *solver_find(const char *name)
{
    for (size_t i = 0; i < solver_type_count; i++)
        if (!strcmp(solver_types[i]->name, name)) return solver_types[i];
    return NULL;
}

const char *solver_nearest(const char *name)
{
    const char *names[128];
    size_t n = size_min(solver_type_count, COUNT_OF(names));
    for (size_t i = 0; i < n; i++) names[i] = solver_types[i]->name;
    return text_nearest(str_of(name), names, n);
}

StepStatus solver_fail(Solver *s, FailKind kind, double h, int component, const char *what, ...)
{
    SolverFailure *fail = &s->failure;
    char text[160], name_room[32];
    va_list args;
    va_start(args, what);
    vsnprintf(text, sizeof text, what, args);
    va_end(args);
    *fail = (SolverFailure){ .kind = kind, .t = s->core.t, .h = h, .component = component };
    int used = snprintf(fail->text, sizeof fail->text, "%s at t = %.17g", text, s->core.t);
    if (h != 0.0 && used > 0 && (size_t)used < sizeof fail->text)
        used += snprintf(fail->text + used, sizeof fail->text - (size_t)used, ", h = %.3g", h);
    if (component >= 0 && used > 0 && (size_t)used < sizeof fail->text)
        snprintf(fail->text + used, sizeof fail->text - (size_t)used, ", worst component %s",
                 model_name(s->model, component, name_room, sizeof name_room));
    return STEP_FAILED;
}

void solver_keep(Solver *s, void *at, size_t size)
{
    vec_push(s->arena, &s->kept, ((KeptSpan){ .at = at, .size = size }));
}

void solver_keep_lu(Solver *s, Lu *lu, const bool *factored)
{
    vec_push(s->arena, &s->kept, ((KeptSpan){ .lu = lu, .size = lu_save_size(lu), .factored = factored }));
}

/* A multiple of four, at a multiple of their size: kernels run over whole groups, none of which is
 * to lie in two lines of the cache. */
double *solver_vector(Solver *s) { return NEW_ARRAY(s->arena, double, (size_t)s->n + 1); }

void solver_keep_place(Solver *s, double **vector)
{
    *vector = solver_vector(s);
    vec_push(s->arena, &s->kept, ((KeptSpan){ .vector = vector, .size = (size_t)s->n * sizeof **vector }));
}

double *solver_kept_vector(Solver *s)
{
    double *v = solver_vector(s);
    solver_keep(s, v, (size_t)s->n * sizeof *v);
    return v;
}

/* What is wrong with the call, or NULL. */
static const char *find_fault(const SolverType *type, const Problem *p, const SolverOptions *o)
{
    unsigned can = type->can, is = p->model->can;
    if (!(is & MODEL_DERIVATIVES) && !(can & SOLVE_RESIDUAL))
        return "this method needs derivatives; the model has a residual only";
    if ((is & MODEL_MASS) && !(can & (SOLVE_MASS | SOLVE_RESIDUAL)))
        return "this method cannot solve models with a mass matrix";
    if (!isfinite(p->t0) || isnan(p->t_end)) return "start and end of the interval must be numbers";
    if (!(o->rtol >= 0.0) || !(o->atol >= 0.0)) return "tolerances must not be negative";
    if (o->fixed_step < 0.0 || o->initial_step < 0.0 || o->max_step < 0.0 || o->min_step < 0.0)
        return "step sizes are given without sign";
    if (o->fixed_step > 0.0 && !(can & SOLVE_FIXED)) return "this method has no form with fixed steps";
    if (!(o->fixed_step > 0.0) && !(can & SOLVE_ADAPTIVE) && !o->replay)
        return "this method needs the option fixed-step";
    if (o->replay && !(can & (SOLVE_REPLAY | SOLVE_FOREIGN))) return "this method cannot replay";
    if (p->model->shape.systems > 1 && (can & SOLVE_EXACT_JACOBIAN))
        return "this method needs the whole Jacobian, which equations of sensitivities do not give";
    for (int i = 0; p->model->shape.index && i < p->model->shape.n; i++)
        if (p->model->shape.index[i] > 1 && !(can & SOLVE_HIGH_INDEX))
            return "this method cannot solve models of index 2 or 3";
    return NULL;
}

double solver_calibration(const Solver *s, double power)
{
    double rtol = s->options.rtol;
    if (power == 0.0 || !(rtol > 0.0 && rtol < PIVOT) || s->options.fixed_step > 0.0) return 1.0;
    return fmax(pow(rtol / PIVOT, power - 1.0), fmin(1.0, FINEST_RTOL / rtol));
}

static void calibrate(Solver *s)
{
    double factor = s->calibration = solver_calibration(s, s->type->tolerance_power);
    s->options.rtol *= factor;
    for (int i = 0; i < s->n; i++) s->atol[i] *= factor;
}

static bool fill_common(Solver *s, const Problem *p, const SolverOptions *o)
{
    size_t n = (size_t)s->n;
    s->options = *o;
    if (o->max_steps <= 0) s->options.max_steps = MOST_ATTEMPTS;
    if (o->increment_memory == MEMORY_AUTO)
        s->options.increment_memory = o->record || o->replay ? MEMORY_OFF : MEMORY_ON;
    s->blamed = s->failure.component = -1;
    s->core.t = s->core.t_old = p->t0;
    s->core.t_end = p->t_end;
    s->core.direction = p->t_end < p->t0 ? -1.0 : 1.0;
    s->stats.jacobian_source = s->stats.increment = "";
    s->stats.method = s->type;
    solver_keep(s, &s->core, sizeof s->core);
    solver_keep(s, &s->stats, sizeof s->stats);
    s->kept.at[s->kept.n - 1].is_stats = true;
    solver_keep_place(s, &s->y);
    s->yp = solver_kept_vector(s);
    s->atol = solver_vector(s);
    for (size_t k = 0; k < COUNT_OF(s->sharp); k++) s->sharp[k] = solver_vector(s);
    memcpy(s->y, p->y0, n * sizeof(double));
    if (p->yp0) memcpy(s->yp, p->yp0, n * sizeof(double));
    for (size_t i = 0; i < n; i++) s->atol[i] = o->atol_each ? o->atol_each[i] : o->atol;
    s->options.atol_each = s->atol;
    calibrate(s);
    roots_setup(s);
    const char *fault = find_fault(s->type, p, o);
    if (fault) {
        solver_fail(s, FAIL_WRONG_INPUT, 0.0, -1, "%s: %s", s->type->name, fault);
        return false;
    }
    int bad = vector_first_bad(s->n, s->y);
    if (bad >= 0) solver_fail(s, FAIL_WRONG_INPUT, 0.0, bad, "the initial value is not a finite number");
    if (bad < 0 && !(o->fixed_step > 0.0) && o->rtol < LEAST_RTOL && o->rtol > 0.0)
        bad = 0,
        solver_fail(s, FAIL_TOLERANCE, 0.0, -1, "rtol = %g asks for more digits than a double has", o->rtol);
    return bad < 0;
}

static Solver *create(Arena *arena, const SolverType *type, const Problem *problem,
                      const SolverOptions *options, SolverFailure *failure)
{
    Solver *s = arena_zero(arena, type->size);
    s->type = type;
    s->arena = arena;
    s->model = problem->model;
    s->n = problem->model->shape.n;
    bool ok = fill_common(s, problem, options) && type->setup(s);
    *failure = s->failure;
    if (!ok && type->destroy) type->destroy(s);
    return ok ? s : NULL;
}

Solver *solver_create(const SolverType *type, const Problem *problem, const SolverOptions *options,
                      SolverFailure *failure)
{
    *failure =
        (SolverFailure){ .kind = FAIL_MEMORY, .component = -1, .text = "no memory for the integrator" };
    Arena *arena = arena_new();
    if (!arena) return NULL;
    jmp_buf out_of_memory;
    arena->escape = &out_of_memory;
    if (setjmp(out_of_memory)) {
        arena_free(arena);
        return NULL;
    }
    Solver *s = create(arena, type, problem, options, failure);
    if (!s)
        arena_free(arena);
    else
        arena->escape = NULL;
    return s;
}

void solver_destroy(Solver *s)
{
    if (!s) return;
    if (s->type->destroy) s->type->destroy(s);
    arena_free(s->arena);
}

EvalStatus solver_blame(Solver *s, const double *v)
{
    s->blamed = vector_first_bad(s->n, v);
    return EVAL_RETRY;
}

EvalStatus solver_residual(Solver *s, double t, const double *y, const double *yp, double *r)
{
    s->stats.f++;
    EvalStatus status = model_residual(s->model, t, y, yp, r);
    return status != EVAL_OK || vector_is_finite(s->n, r) ? status : solver_blame(s, r);
}

/* Near t = 0 rounding alone would allow steps that never come to an end. */
double solver_least_step(const Solver *s)
{
    double scale = isfinite(s->core.t_end) ? 1e-20 * fabs(s->core.t_end) : 0.0;
    return fmax(s->options.min_step, 4.0 * UROUND * fmax(fmax(fabs(s->core.t), scale), DBL_MIN / UROUND));
}

bool solver_count_attempt(Solver *s, double h)
{
    if (s->core.attempts++ < s->options.max_steps) return true;
    solver_fail(s, FAIL_TOO_MANY_STEPS, h, s->blamed, "%ld steps were not enough", s->options.max_steps);
    return false;
}

int record_order(const StepRecord *record)
{
    bool middle = record->flags & RECORD_STARTER && record->order == MIDDLE_STARTER;
    return middle ? MIDDLE_ORDER : record->order;
}

void solver_accept(Solver *s, double t_new, double h, int order, int iterations, unsigned flags)
{
    SolverStats *stats = &s->stats;
    double size = fabs(h);
    if (s->core.restarted) flags |= RECORD_RESTART;
    stats->starters += (flags & RECORD_STARTER) != 0;
    stats->low_restarts += s->core.restarted && order == 1 && (s->type->can & SOLVE_MULTISTEP);
    StepRecord record = { .t = t_new,
                          .h = h,
                          .order = (short)order,
                          .iterations = (unsigned char)iterations,
                          .flags = (unsigned char)flags };
    order = record_order(&record);
    if (s->options.record) {
        memcpy(record.stages, s->stage_iterations, sizeof record.stages);
        vec_push(s->options.record->arena, &s->options.record->steps, record);
    }
    if (solver_replay(s)) s->core.replayed++;
    if (stats->steps++ == 0) stats->h_first = stats->h_least = size;
    stats->h_last = size;
    stats->h_least = smaller(stats->h_least, size);
    stats->h_most = larger(stats->h_most, size);
    stats->order_last = order;
    if (order > stats->order_most) stats->order_most = order;
    s->core.t_old = s->core.t;
    s->core.t = t_new;
    s->core.restarted = 0;
}

/* Whether t_limit is ahead; sets the direction where the problem left it open. */
static StepStatus check_limit(Solver *s, double t_limit)
{
    double way = t_limit - s->core.t;
    if (isnan(way)) return solver_fail(s, FAIL_WRONG_INPUT, 0.0, -1, "the time to stop at is not a number");
    if (s->stats.steps == 0 && s->core.t_end == s->core.t && way != 0.0)
        s->core.direction = copysign(1.0, way);
    if (way * s->core.direction > 0.0) return STEP_TAKEN;
    if (fabs(way) <= 100.0 * UROUND * fabs(s->core.t)) return STEP_LIMIT;
    return solver_fail(s, FAIL_WRONG_INPUT, 0.0, -1, "the time to stop at, %.17g, lies behind", t_limit);
}

StepStatus solver_step(Solver *s, double t_limit)
{
    if (s->failure.kind != FAIL_NONE) return STEP_FAILED;
    StepStatus status;
    if (s->roots.m && (s->roots.at.pending || !s->roots.at.started)) {
        bool rest = s->roots.at.pending || s->roots.at.kept;
        status = roots_search(s);
        s->roots.at.kept = false;
        if (status != STEP_TAKEN) return status;
        if (rest) return s->core.t == t_limit ? STEP_LIMIT : STEP_TAKEN;
    }
    status = check_limit(s, t_limit);
    if (status != STEP_TAKEN) return status;
    status = s->type->step(s, t_limit);
    if (status == STEP_FAILED || s->roots.m == 0) return status;
    s->roots.at.pending = true;
    StepStatus searched = roots_search(s);
    return searched == STEP_TAKEN ? status : searched;
}

void solver_interpolate(const Solver *s, double t, double *y)
{
    if (t == s->core.t)
        memcpy(y, s->y, (size_t)s->n * sizeof *y);
    else
        s->type->interpolate(s, t, y);
}

/* Whether t is a time of the last step, in which the solution holds. */
static bool lies_inside(const Solver *s, double t)
{
    return (t - s->core.t_old) * s->core.direction >= 0.0 && (s->core.t - t) * s->core.direction >= 0.0;
}

bool solver_restart(Solver *s, double t, const double *y, const double *yp, RestartHint hint)
{
    int bad = vector_first_bad(s->n, y);
    s->failure = (SolverFailure){ .component = -1 };
    if (bad >= 0 || !isfinite(t)) {
        solver_fail(s, FAIL_WRONG_INPUT, 0.0, bad, "the value to restart from is not a finite number");
        return false;
    }
    roots_restart(s, t);
    if (hint == RESTART_KEEP && lies_inside(s, t)) {
        s->roots.at.kept = s->core.t != t;
        s->stats.kept++;
        return true;
    }
    s->core.t = s->core.t_old = t;
    memcpy(s->y, y, (size_t)s->n * sizeof *y);
    if (yp) memcpy(s->yp, yp, (size_t)s->n * sizeof *yp);
    s->stats.restarts++;
    s->core.restarted = 1;
    return s->type->restart(s, hint == RESTART_KEEP ? RESTART_UNCHANGED : hint);
}

double solver_t(const Solver *s) { return s->core.t; }
double solver_t_old(const Solver *s) { return s->core.t_old; }
const double *solver_y(const Solver *s) { return s->y; }
double solver_t_root(const Solver *s) { return s->roots.at.t_root; }
const signed char *solver_roots(const Solver *s) { return s->roots.found; }
SolverStats solver_stats(const Solver *s) { return s->stats; }
const SolverFailure *solver_failure(const Solver *s) { return &s->failure; }

size_t solver_save_size(const Solver *s)
{
    size_t size = 2 * sizeof(uint64_t);
    if (s->type->savable && !s->type->savable(s)) return 0;
    for (uint32_t i = 0; i < s->kept.n; i++) size += s->kept.at[i].size;
    return size;
}

void solver_save(const Solver *s, void *to)
{
    uint64_t head[2] = { SAVE_MARK, solver_save_size(s) };
    char *at = to;
    if (head[1] == 0) return;
    memcpy(at, head, sizeof head);
    at += sizeof head;
    for (uint32_t i = 0; i < s->kept.n; i++) {
        const KeptSpan *span = &s->kept.at[i];
        if (!span->lu)
            memcpy(at, kept_at(span), span->size);
        else if (*span->factored)
            lu_save(span->lu, at);
        else
            memset(at, 0, span->size);
        at += span->size;
    }
}

bool solver_restore(Solver *s, const void *from, size_t size)
{
    uint64_t head[2];
    const char *at = from;
    if (size != solver_save_size(s) || size == 0) return false;
    memcpy(head, at, sizeof head);
    if (head[0] != SAVE_MARK || head[1] != size) return false;
    at += sizeof head;
    for (uint32_t i = 0; i < s->kept.n; i++) {
        const KeptSpan *span = &s->kept.at[i];
        if (span->is_stats) {
            SolverStats *stats = span->at;
            const char *source = stats->jacobian_source, *increment = stats->increment;
            memcpy(stats, at, sizeof *stats);
            stats->jacobian_source = source, stats->increment = increment;
        } else if (!span->lu)
            memcpy(kept_at(span), at, span->size);
        else if (*span->factored && lu_restore(span->lu, at) != LU_OK)
            return false;
        at += span->size;
    }
    s->failure = (SolverFailure){ .component = -1 };
    return s->type->restored ? s->type->restored(s) : true;
}
