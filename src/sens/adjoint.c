/* adjoint.c: the gradient of a value at the end of a run, by one run back in time. */
#include "sens/inside.h"

#include <math.h>
#include <stdio.h>

/* In: a model, a run, a variable v. Out: dv/dp for any number of parameters and start values. How:
 * with v = V(t, y, d, p), d the discrete Reals, l solves l' = -f_y^T l back from l(T) = V_y, and
 *     dv/dp = V_p + integral of f_p^T l dt + l(t0)^T dy0/dp,
 * with the gradient m in d carried likewise: it is a parameter between events. At an event at T
 * with R, g, f-, f+ as in forward.c and (r, rt, rp, rd) = (R_y, R_t, R_p, R_d)^T (l+, m+),
 *     s = r f- + rt - l+ f+,   l- = r - s g_y / (g_t + g_y f-),   dv/dp += rp - s g_p / (g_t + g_y
 *     f-),   m- alike,
 * and for a time event l- = r, dv/dp += rp + s dT/dp. Integrals in objectives are states
 * (api/objective.c). With algebraic unknowns z, L = diag(1, 0) and 0 = f_z(t, x, z, p), L l' =
 * -f_y^T l gives weights of their equations, too; at the end V_z is taken over by x, l_x = V_x +
 * f_zx^T m with f_zz^T m = -V_z, dv/dp += f_zp^T m, and at the start l_x alone counts: z follows
 * from x there. The maps of events are those of x. The quadrature is Gauss's over each step, with
 * the integrator's dense output of l. Source: Cao, Li, Petzold, Serban, SIAM J. Sci. Comp. 24
 * (2003); Serban, Recuero, J. Comp. Nonlin. Dyn. 14 (2019) for events. Cost: about two runs more,
 * and none for parameters but one pass over the tape a quadrature point. Tests:
 * tests/sens/derivatives_test.c, dae_test.c. */

/* Gauss-Legendre on [0, 1]. */
enum { GAUSS_3, GAUSS_5, MOST_GAUSS = 5 };
static const struct {
    int n;
    double at[MOST_GAUSS], weight[MOST_GAUSS];
} gauss[] = {
    { 3,
      { 0.11270166537925831, 0.5, 0.88729833462074169 },
      { 0.27777777777777778, 0.44444444444444444, 0.27777777777777778 } },
    { 5,
      { 0.046910077030668004, 0.23076534494715845, 0.5, 0.76923465505284155, 0.95308992296933200 },
      { 0.11846344252809454, 0.23931433524968324, 0.28444444444444444, 0.23931433524968324,
        0.11846344252809454 } },
};
enum { MANY_STEPS = 3, GAUSS_STEPS = 3, STEPS_A_PART = 8 };
static const double LIKE = 3.0; /* lengths of steps that are a part together */
static const double ABSOLUTE_SHARE = 1e-2, STEP_SHARE = 0.3;
/* of the tolerance: errors of the run move its events, and gradients see where they are */
static const double EVENT_SHARE = 0.01;
static const size_t MEMORY = (size_t)256 << 20;

typedef struct {
    Model model; /* l' = -f_y^T l */
    ModelType type;
    Arena *arena;
    RunPath path;
    Jump jump;
    const SensAdjoint *job;
    const SimOptions *options;
    SimOptions run; /* of the run ahead */
    SimReport *report;
    SensAdjointStats *stats;
    int n, m, discrete;
    int *variables;       /* m + discrete */
    double *l, *y, *held; /* n */
    double *p, *total;    /* m + discrete: of one product; the gradient so far */
    double *weights;      /* for maps */
    double *f_before, *f_behind, *g_y, *g_p, *r;
    MatrixShape *order; /* of f_y */
    double *values;
    const double *mass; /* NULL: all are 1 */
    MatrixShape *back;  /* of f_y^T */
    double *matrix;
    Lu *lu;
} Adjoint;

static Adjoint *of_model(const Model *model) { return model->data; }

/* ---- the equations back in time -------------------------------------------------------------- */

/* f_y^T l at the point of the path in a->y; of `count` variables f_p^T l is in a->p. */
static EvalStatus product(Adjoint *a, double t, const double *l, int count, double *result)
{
    const ModelType *type = a->path.inner->type;
    ModelChange gradient = { .y = result, .count = count, .variables = a->variables, .p = a->p };
    path_at(&a->path, t, a->y);
    EvalStatus status = type->linearise(a->path.inner, MAP_DERIVATIVES, t, a->y);
    return status == EVAL_OK ? type->vjp(a->path.inner, l, &gradient) : status;
}

static EvalStatus adjoint_derivatives(Model *model, double t, const double *l, double *f)
{
    Adjoint *a = of_model(model);
    EvalStatus status = product(a, t, l, 0, f);
    for (int i = 0; i < a->n; i++) f[i] = -f[i];
    return status;
}

static EvalStatus adjoint_jacobian(Model *model, double t, const double *l, const MatrixShape *order,
                                   double *values)
{
    Adjoint *a = of_model(model);
    Model *inner = a->path.inner;
    const Pattern *p = a->order->pattern;
    (void)l;
    path_at(&a->path, t, a->y);
    memset(a->values, 0, a->order->size * sizeof *a->values);
    EvalStatus status = inner->type->jacobian(inner, t, a->y, a->order, a->values);
    for (int j = 0; j < a->n; j++) {
        int from = p ? p->start[j] : 0, to = p ? p->start[j + 1] : a->n;
        for (int k = from; k < to; k++) {
            int i = p ? p->row[k] : k;
            model_put(order, values, j, i, -a->values[matrix_place(a->order, i, j)]);
        }
    }
    return status;
}

static const char *adjoint_failure(const Model *model)
{
    Model *inner = of_model(model)->path.inner;
    return inner->type->failure ? inner->type->failure(inner) : NULL;
}

static Pattern *transposed(Arena *arena, const Pattern *p)
{
    Entry *entries = NEW_ARRAY(arena, Entry, (size_t)pattern_count(p) + 1);
    for (int j = 0; j < p->columns; j++)
        for (int k = p->start[j]; k < p->start[j + 1]; k++) entries[k] = (Entry){ j, p->row[k] };
    return pattern_of_entries(arena, p->columns, p->rows, entries, (size_t)pattern_count(p));
}

/* ---- pieces ---------------------------------------------------------------------------------- */

static bool fail(Adjoint *a, double t, const char *what, const char *detail)
{
    a->report->end = SIM_FAILED;
    snprintf(a->report->message, sizeof a->report->message, "back in time, at t = %.9g: %s%s%s", t, what,
             detail && *detail ? ": " : "", detail ? detail : "");
    return false;
}

static bool model_fails(Adjoint *a, double t)
{
    return fail(a, t, "the model cannot be differentiated", adjoint_failure(&a->model));
}

/* Adds the integral of f_p^T l from..to, within the last step. */
static bool add_part(Adjoint *a, Solver *s, double from, double to, int rule)
{
    for (int k = 0; k < gauss[rule].n; k++) {
        double t = from + gauss[rule].at[k] * (to - from);
        solver_interpolate(s, t, a->held);
        if (product(a, t, a->held, a->m + a->discrete, a->r) != EVAL_OK) return model_fails(a, t);
        for (int j = 0; j < a->m + a->discrete; j++)
            a->total[j] += (to - from) * gauss[rule].weight[k] * a->p[j];
    }
    return true;
}

/* Steps that are a part of the integral together, from k down to the result: few, and of like
 * lengths; of high order each is one. */
static uint32_t last_of_part(const RunPath *path, uint32_t k, uint32_t first)
{
    double length = path->steps.at[k].t1 - path->steps.at[k].t0;
    for (int count = 1; count < STEPS_A_PART && k > first; count++, k--) {
        const PathStep *next = &path->steps.at[k - 1];
        double ratio = (next->t1 - next->t0) / length;
        if (next->nodes == PATH_NODES || path->steps.at[k].nodes == PATH_NODES || ratio > LIKE ||
            ratio * LIKE < 1.0)
            break;
    }
    return k;
}

/* Steps back may be long where steps forward were short, since l does not see what y went through:
 * then those are the parts. */
static bool add_step(Adjoint *a, Solver *s)
{
    double from = solver_t(s), to = solver_t_old(s); /* back in time */
    bool is_high = solver_stats(s).order_last > 5, ok = true;
    uint32_t last = path_step_at(&a->path, to), first = path_step_at(&a->path, from);
    if (last - first < MANY_STEPS) return add_part(a, s, from, to, is_high ? GAUSS_5 : GAUSS_3);
    for (uint32_t k = last + 1; ok && k-- > first;) {
        double high = fmin(to, a->path.steps.at[k].t1);
        uint32_t end = last_of_part(&a->path, k, first);
        bool is_long = k - end >= GAUSS_STEPS;
        k = end;
        double low = fmax(from, a->path.steps.at[k].t0);
        if (high > low) ok = add_part(a, s, low, high, is_long ? GAUSS_5 : GAUSS_3);
    }
    return ok;
}

static SolverOptions options_back(const Adjoint *a)
{
    SolverOptions o = a->options->solver_options;
    double scale = 0.0, tol = a->options->tol * (a->path.pieces.n > 1 ? EVENT_SHARE : 1.0);
    for (int i = 0; i < a->n; i++) scale = fmax(scale, fabs(a->l[i]));
    if (o.rtol == 0.0) o.rtol = STEP_SHARE * tol;
    o.atol = ABSOLUTE_SHARE * tol * (scale > 0.0 ? scale : 1.0);
    o.atol_each = NULL;
    o.record = NULL;
    o.max_step = 0.0;
    o.in_pieces = true; /* as the path is that it reads */
    o.between = true;   /* where quadratures read it */
    return o;
}

static void tell(const Adjoint *a, double t, const double *l)
{
    if (a->job->visit) a->job->visit(a->job->visit_arg, t, l, a->n);
}

/* From segment to segment of the path that is at hand; steps end where one does, the method goes
 * on. */
static bool step_back(Adjoint *a, Solver *s, double t1, double t0)
{
    SolverFailure failure = { .text = "" };
    for (double from = t1; from > t0;) {
        double to = from;
        if (!path_load(&a->path, &a->run, from, &to, &failure))
            return fail(a, from, failure.text, adjoint_failure(&a->model));
        StepStatus status = STEP_TAKEN;
        while (status == STEP_TAKEN) {
            status = solver_step(s, to);
            if (status == STEP_FAILED)
                return fail(a, from, solver_failure(s)->text, adjoint_failure(&a->model));
            if (!add_step(a, s)) return false;
            tell(a, solver_t(s), solver_y(s));
        }
        from = to;
    }
    return true;
}

static bool walk_piece(Adjoint *a, uint32_t k)
{
    const PathPiece *piece = &a->path.pieces.at[k];
    double t1 = piece->t, t0 = piece->t0, from;
    SolverFailure failure;
    path_enter(&a->path, k);
    if (t1 <= t0 || a->n == 0) return true;
    SolverOptions o = options_back(a);
    Problem problem = { &a->model, t1, t0, a->l, NULL };
    const SolverType *type = a->options->solver ? a->options->solver : solver_default(&a->model, &o);
    if (!path_load(&a->path, &a->run, t1, &from, &failure)) return fail(a, t1, failure.text, NULL);
    Solver *s = solver_create(type, &problem, &o, &failure);
    if (!s) return fail(a, t1, failure.text, NULL);
    tell(a, t1, a->l);
    bool ok = step_back(a, s, t1, t0);
    memcpy(a->l, solver_y(s), (size_t)a->n * sizeof *a->l);
    a->stats->steps_back += solver_stats(s).steps;
    solver_destroy(s);
    return ok;
}

/* ---- ends and events ------------------------------------------------------------------------- */

static void add_product(Adjoint *a, double factor)
{
    for (int j = 0; j < a->m; j++) a->total[j] += factor * a->p[j];
}

/* l and m after a map of states and discrete Reals, as its weights. */
static void load_weights(Adjoint *a)
{
    memcpy(a->weights, a->l, (size_t)a->n * sizeof(double));
    memcpy(a->weights + a->n, a->total + a->m, (size_t)a->discrete * sizeof(double));
}

static bool back_through(Adjoint *a, ModelMap map, double t, double *y, ModelChange *gradient)
{
    Model *inner = a->path.inner;
    if (inner->type->linearise(inner, map, t, y) != EVAL_OK ||
        inner->type->vjp(inner, a->weights, gradient) != EVAL_OK)
        return model_fails(a, t);
    return true;
}

static bool is_algebraic(const Adjoint *a, int i) { return a->mass && a->mass[i] == 0.0; }

/* What depends on algebraic unknowns depends on the others through their equations: the weights of
 * those, m, with (f_y^T m)_z = -l_z, take it over. l at (t, y) and the gradient are changed. */
static bool eliminate(Adjoint *a, double t, const double *y)
{
    Model *inner = a->path.inner;
    const Pattern *p = a->order->pattern;
    bool is_needed = false;
    for (int i = 0; i < a->n; i++) {
        bool is_z = is_algebraic(a, i);
        a->held[i] = is_z ? -a->l[i] : 0.0;
        is_needed |= is_z && a->l[i] != 0.0;
    }
    if (!is_needed) return true;
    memset(a->values, 0, a->order->size * sizeof *a->values);
    memset(a->matrix, 0, a->back->size * sizeof *a->matrix);
    if (inner->type->jacobian(inner, t, y, a->order, a->values) != EVAL_OK) return model_fails(a, t);
    for (int j = 0; j < a->n; j++) {
        if (!is_algebraic(a, j)) model_put(a->back, a->matrix, j, j, 1.0);
        for (int k = p ? p->start[j] : 0; k < (p ? p->start[j + 1] : a->n); k++) {
            int i = p ? p->row[k] : k;
            if (is_algebraic(a, i) && is_algebraic(a, j))
                model_put(a->back, a->matrix, j, i, a->values[matrix_place(a->order, i, j)]);
        }
    }
    if (lu_factor(a->lu, a->matrix) != LU_OK)
        return fail(a, t, "the algebraic equations have a singular Jacobian", NULL);
    lu_solve(a->lu, a->held);
    if (inner->type->linearise(inner, MAP_DERIVATIVES, t, y) != EVAL_OK) return model_fails(a, t);
    ModelChange g = { .y = a->r, .count = a->m + a->discrete, .variables = a->variables, .p = a->p };
    if (inner->type->vjp(inner, a->held, &g) != EVAL_OK) return model_fails(a, t);
    for (int i = 0; i < a->n; i++) a->l[i] = is_algebraic(a, i) ? 0.0 : a->l[i] + a->r[i];
    for (int j = 0; j < a->m + a->discrete; j++) a->total[j] += a->p[j];
    return true;
}

/* The event at the end of piece k, from after it to before it. */
static bool pass_event(Adjoint *a, uint32_t k)
{
    const PathPiece *piece = &a->path.pieces.at[k];
    Model *inner = a->path.inner;
    double t = piece->t, rate = 0.0, s;
    int count = a->m + a->discrete, fired = -1;
    EventInfo info;
    path_enter(&a->path, k);
    memcpy(a->y, piece->y, (size_t)a->n * sizeof *a->y);
    if (inner->type->derivatives(inner, t, a->y, a->f_before) != EVAL_OK) return model_fails(a, t);
    ModelChange g = { .y = a->g_y, .count = count, .variables = a->variables, .p = a->g_p };
    if (!piece->is_timed) {
        jump_begin(&a->jump, piece->t_before, piece->y_before);
        fired = jump_find(&a->jump, piece->roots, t, a->y, a->f_before, &rate);
    }
    if (fired >= 0) {
        memset(a->weights, 0, (size_t)inner->shape.indicators * sizeof(double));
        a->weights[fired] = 1.0;
        if (inner->type->vjp(inner, a->weights, &g) != EVAL_OK) return model_fails(a, t);
    }
    ModelChange r = { .y = a->r, .count = count, .variables = a->variables, .p = a->p };
    if (inner->type->event(inner, t, a->y, &info) != EVAL_OK ||
        inner->type->derivatives(inner, t, a->y, a->f_behind) != EVAL_OK)
        return model_fails(a, t);
    load_weights(a);
    if (!back_through(a, MAP_RESET, t, a->y, &r)) return false;
    s = r.t;
    for (int i = 0; i < a->n; i++)
        if (!is_algebraic(a, i)) s += a->r[i] * a->f_before[i] - a->l[i] * a->f_behind[i];
    add_product(a, 1.0);
    for (int j = a->m; j < count; j++) a->total[j] = a->p[j];
    memcpy(a->l, a->r, (size_t)a->n * sizeof *a->l);
    if (fired >= 0) {
        for (int i = 0; i < a->n; i++) a->l[i] -= s / rate * a->g_y[i];
        for (int j = 0; j < count; j++) a->total[j] -= s / rate * a->g_p[j];
    } else if (piece->is_timed) {
        a->weights[0] = s;
        r.y = NULL;
        if (!back_through(a, MAP_EVENT_TIME, t, a->y, &r)) return false;
        for (int j = 0; j < count; j++) a->total[j] += a->p[j];
    }
    a->stats->events++;
    return true;
}

/* l(T) = V_y, and what of the value depends on parameters by itself. */
static bool begin(Adjoint *a, int of, double *value)
{
    Model *inner = a->path.inner;
    const ModelVariable *v = &inner->shape.variables[of];
    const PathPiece *point = &a->path.pieces.at[a->path.pieces.n - 1];
    path_enter(&a->path, a->path.pieces.n - 1);
    if (inner->type->values(inner, point->t, point->y, a->weights) != EVAL_OK)
        return model_fails(a, point->t);
    *value = v->negated ? -a->weights[v->slot] : a->weights[v->slot];
    memset(a->weights, 0, (size_t)inner->shape.value_count * sizeof(double));
    a->weights[v->slot] = v->negated ? -1.0 : 1.0;
    ModelChange g = { .y = a->l, .count = a->m + a->discrete, .variables = a->variables, .p = a->total };
    memcpy(a->y, point->y, (size_t)a->n * sizeof *a->y);
    return back_through(a, MAP_VALUES, point->t, a->y, &g) && eliminate(a, point->t, a->y);
}

/* The start is an event that does not move, after the initial equations. */
static bool finish(Adjoint *a)
{
    Model *inner = a->path.inner;
    double t = a->options->t0;
    EventInfo info;
    int count = a->m + a->discrete;
    if (inner->type->initialise(inner, t, a->y, &info) != EVAL_OK) return model_fails(a, t);
    ModelChange r = { .y = a->r, .count = count, .variables = a->variables, .p = a->p };
    load_weights(a);
    if (!back_through(a, MAP_RESET, t, a->y, &r)) return false;
    add_product(a, 1.0);
    for (int j = a->m; j < count; j++) a->total[j] = a->p[j];
    memcpy(a->l, a->r, (size_t)a->n * sizeof *a->l);
    load_weights(a);
    r.y = NULL;
    if (!back_through(a, MAP_INITIAL, t, a->y, &r)) return false;
    add_product(a, 1.0);
    return true;
}

/* ---- making ---------------------------------------------------------------------------------- */

static double *vector(Adjoint *a, int n) { return NEW_ARRAY(a->arena, double, (size_t)n + 1); }

static bool setup(Adjoint *a, Model *model, const SensAdjoint *job, const char **why)
{
    const ModelShape *shape = &model->shape;
    a->n = shape->n;
    a->m = job->count;
    a->discrete = shape->discrete_count;
    int count = a->m + a->discrete, longest = shape->value_count;
    if (shape->indicators > longest) longest = shape->indicators;
    if (a->n + a->discrete > longest) longest = a->n + a->discrete;
    *why = "the model gives no exact derivatives";
    if (!(model->can & MODEL_PRODUCTS) || !(model->can & MODEL_HYBRID) || !model->type->jacobian)
        return false;
    *why = "the mass matrix is not diagonal";
    if (shape->mass_pattern) return false;
    *why = "inputs over time cannot be followed back";
    if (a->options->inputs || !path_init(&a->path, a->arena, model, job->memory ? job->memory : MEMORY, why))
        return false;
    a->variables = NEW_ARRAY(a->arena, int, (size_t)count + 1);
    memcpy(a->variables, job->wrt, (size_t)a->m * sizeof(int));
    if (a->discrete) memcpy(a->variables + a->m, shape->discrete, (size_t)a->discrete * sizeof(int));
    double **of_n[] = { &a->l, &a->y, &a->held, &a->f_before, &a->f_behind, &a->g_y, &a->r };
    double **of_count[] = { &a->p, &a->total, &a->g_p };
    for (size_t k = 0; k < COUNT_OF(of_n); k++) *of_n[k] = vector(a, a->n);
    for (size_t k = 0; k < COUNT_OF(of_count); k++) *of_count[k] = vector(a, count);
    a->weights = vector(a, longest);
    a->order = matrix_shape(a->arena, a->n, shape->pattern);
    a->values = NEW_ARRAY(a->arena, double, a->order->size + 1);
    jump_init(&a->jump, a->arena, model, a->variables, count);
    const Pattern *back = shape->pattern ? transposed(a->arena, shape->pattern) : NULL;
    a->mass = shape->mass;
    if (a->mass) {
        a->back = matrix_shape(a->arena, a->n, back);
        a->matrix = NEW_ARRAY(a->arena, double, a->back->size + 1);
        a->lu = lu_new(a->arena, a->back, false);
    }
    ModelShape own = {
        .name = shape->name, .n = a->n, .names = shape->names, .mass = shape->mass, .pattern = back
    };
    a->type = (ModelType){ .derivatives = adjoint_derivatives,
                           .jacobian = adjoint_jacobian,
                           .failure = adjoint_failure };
    return model_init(&a->model, &a->type, &own, a, why);
}

static bool walk_back(Adjoint *a, const SensAdjoint *job, double *value)
{
    bool ok = begin(a, job->of, value);
    for (uint32_t k = a->path.pieces.n; k-- > 0 && ok;) {
        if (k + 1 < a->path.pieces.n) ok = pass_event(a, k);
        if (ok) ok = walk_piece(a, k);
    }
    return ok && finish(a);
}

bool sens_adjoint(Model *model, const SimOptions *options, const SensAdjoint *job, double *value,
                  double *gradient, SimReport *report, SensAdjointStats *stats)
{
    const char *why = "no memory";
    *stats = (SensAdjointStats){ 0 };
    *report = (SimReport){ .end = SIM_WRONG };
    Arena *arena = arena_new();
    Adjoint *a = arena ? NEW(arena, Adjoint) : NULL;
    if (!a) return false;
    a->arena = arena;
    a->job = job;
    a->options = options;
    a->report = report;
    a->stats = stats;
    bool ok = setup(a, model, job, &why);
    if (ok) {
        SimOptions plain = *options;
        plain.sink = NULL;
        if (model->shape.indicators) plain.tol *= EVENT_SHARE;
        plain.on_step = path_stepped;
        plain.on_step_arg = &a->path;
        a->run = plain;
        double start = clock_cpu();
        ok = sim_run(&a->path.model, &plain, report);
        path_end(&a->path, report->t);
        stats->forward_s = clock_cpu() - start;
        stats->steps_forward = report->stats.work.steps;
        start = clock_cpu();
        if (ok) ok = walk_back(a, job, value);
        stats->backward_s = clock_cpu() - start;
        stats->recomputed = a->path.recomputed;
        stats->checkpoints = a->path.most_marks;
        memcpy(gradient, a->total, (size_t)a->m * sizeof *gradient);
        if (a->jump.warning[0] && !report->message[0])
            snprintf(report->message, sizeof report->message, "%s", a->jump.warning);
    } else {
        snprintf(report->message, sizeof report->message, "%s", why);
    }
    lu_free(a->lu);
    path_free(&a->path);
    arena_free(arena);
    return ok;
}
