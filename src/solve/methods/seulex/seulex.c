/* seulex.c: the linearly implicit Euler method with extrapolation, variable order and step size.
 *
 * In: L y' = f(t, y), index 1 at most. Out: steps with error control and dense output. Tests:
 * tests/solve/methods_test.c, seulex_test.c, dae_test.c. */
#include "solve/methods/seulex/seulex.h"
#include "solve/core/onestep.h"
#include "solve/core/start.h"
#include "solve/core/vectors.h"
#include "solve/nonlinear/algebra.h"
#include "solve/nonlinear/newton.h"

/* Row j of the table takes n_j = j + 1 substeps of size h_j = h/n_j, (L/h_j - J) d = f(t + (i+1)
 * h_j, y_i), y_(i+1) = y_i + d; Aitken and Neville's scheme removes the powers of h_j, so that
 * column k has order k. The error of row k is the distance of its last two columns. The number of
 * rows and the step are chosen to advance most per work, as in the book. The slope at the end and
 * curvature at the end come from the extrapolated last differences of the rows, which stay smooth
 * where f(t, y) of a stiff component would not. Invariant: the Jacobian is that of the start of the
 * step. Cost of row j: n_j evaluations and solves, one factorisation. Source: Hairer and Wanner,
 * Solving ODEs II, IV.9 (SEULEX). */

/* Errors of stiff problems do not fall evenly from row to row: after STEPS_TO_PROBE steps with the
 * same number of rows one more is computed, to see whether it pays. */
enum { ROWS = 12, FIRST_SUBSTEPS = 2, FIXED_ROWS = 4, LEAST_ROWS = 5, STEPS_TO_PROBE = 5 };
enum { STEPS_TO_TEST = 8 };                       /* whether digits are lost, where far from it */
enum { CORRECT_FIRST = 1, CORRECT_ALL };          /* recorded as iterations */
static const double ROUNDING_SHARE = 0.1;         /* of the tolerance, that rounding may take */
static const double SAFETY = 0.94, TARGET = 0.65; /* aim at this part of the tolerance */
static const double DIVERGED = 0.5;               /* of the step, where rows get worse */
static const double LESS_ROWS = 0.8, MORE_ROWS = 0.9;
static const double LEAST_FACTOR = 0.1, MOST_FACTOR = 4.0;

/* The row at work. */
typedef struct {
    int number;
    double h; /* of its substeps */
    Lu *lu;
    /* where it is, and how far from the start; its last two differences */
    double *y, *moved, *d, *d_old;
} Row;

typedef struct {
    OneStep one;
    Jacobian jac;
    Consistent consistent;
    int corrections; /* of solutions of the attempt: CORRECT_... */
    Row row;
    double *matrix, *f0, *f, *slope, *curve, *curve_end;
    /* ways from the start, extrapolated: they have less rounding than values */
    double *table[ROWS + 1];
    /* by row: slopes and curvatures at the end; the same at the start */
    double *slopes[ROWS + 1], *curves[ROWS + 1], *start_slopes[ROWS + 1], *start_curves[ROWS + 1];
    double weight[ROWS + 1][ROWS + 1]; /* of row, column: 1 / (n_row / n_(row - column) - 1) */
    /* of rows, row: its weight where all of them are extrapolated */
    double limit[ROWS + 1][ROWS + 1];
    double gain[ROWS + 1];  /* of rows: what they make of digits of 1/h_j that the first one lost */
    double work[ROWS + 1];  /* of all rows up to this one */
    double error[ROWS + 1]; /* of each row of the attempt */
    /* step size row k allows, work per time with it; see advise */
    double h_best[ROWS + 1], cost[ROWS + 1];
    Hermite dense;
    int most; /* rows in use */
    struct {
        int rows;         /* to aim at */
        int since_change; /* accepted steps with the same rows */
        bool jacobian_fresh, have_end;
        int since_test;       /* of lost digits */
        double largest, loss; /* error of the way by lost digits, over the step */
    } state;
} Seulex;

static int substeps(int row) { return FIRST_SUBSTEPS + row - 1; }

/* The end of the row, with the last difference: its slope and curvature there, and its columns.
 * table[k] holds column k of the row before; afterwards of this row, the first being the way it
 * went. False: it ends nowhere. */
static bool extrapolate(const Seulex *x)
{
    const Row *row = &x->row;
    int j = row->number;
    double per_h = 1.0 / row->h, per_square = 1.0 / (row->h * row->h), noughts = 0.0;
    for (int i = 0, n = x->one.base.n; i < n; i++) {
        double step = row->d[i], value = step;
        if (substeps(j) > 1) value += row->moved[i];
        x->slopes[j][i] = step * per_h;
        x->curves[j][i] = (step - row->d_old[i]) * per_square;
        noughts += value * 0.0;
        for (int k = 1; k < j; k++) {
            double old = x->table[k][i];
            x->table[k][i] = value;
            value += (value - old) * x->weight[j][k];
        }
        x->table[j][i] = value;
    }
    return noughts == 0.0;
}

/* Slope and curvature of the last two differences, as this row sees them. */
static void note_slope(const Seulex *x, const Row *row, double *slope)
{
    double per_h = 1.0 / row->h;
    for (int k = 0; k < x->one.base.n; k++) slope[k] = row->d[k] * per_h;
}

static void note_curve(const Seulex *x, const Row *row, double *curve)
{
    double per_square = 1.0 / (row->h * row->h);
    for (int k = 0; k < x->one.base.n; k++) curve[k] = (row->d[k] - row->d_old[k]) * per_square;
}

/* What rows 1 to `done` have extrapolates to. */
static void to_limit(const Seulex *x, int done, double *const *rows, double *out)
{
    const double *weight = x->limit[done];
    for (int i = 0; i < x->one.base.n; i++) {
        double sum = 0.0;
        for (int j = 1; j <= done; j++) sum += weight[j] * rows[j][i];
        out[i] = sum;
    }
}

/* To the end of substep i, which begins where the step does but for what it has moved. */
static void move(const Seulex *x, int i)
{
    const Row *row = &x->row;
    for (int k = 0, n = x->one.base.n; k < n; k++) {
        double sum = i > 0 ? row->moved[k] + row->d[k] : row->d[k];
        row->moved[k] = sum;
        row->y[k] = x->one.base.y[k] + sum;
    }
}

/* Which solutions of an attempt are corrected to begin with: none where digits of 1/h that are lost
 * beside J cannot show in the result, or did not some steps ago by far. */
static int first_corrections(Seulex *x, double h)
{
    const Solver *s = &x->one.base;
    const StepRecord *record = solver_replay(s);
    double gain = x->gain[x->state.rows], lost = UROUND * fabs(h) * x->state.largest;
    if (record) return record->iterations;
    if (lost * gain <= ROUNDING_SHARE * s->options.rtol || s->model->shape.systems > 1) return 0;
    if (x->state.loss * fabs(h) * gain <= ROUNDING_SHARE && x->state.since_test++ < STEPS_TO_TEST) return 0;
    return CORRECT_FIRST;
}

/* d of a substep, from f in its place, corrected. What that does to the first one of a step tells
 * whether all are to be, since what is lost, in proportion to the substep, would exceed the
 * tolerance in the result. */
static void solve_corrected(Seulex *x, double h, bool is_first)
{
    const Row *row = &x->row;
    Solver *s = &x->one.base;
    double *correction = x->slope;
    vector_copy(s->n, row->d, x->f);
    lu_solve(row->lu, row->d);
    refine_solution(&x->jac, 1.0 / row->h, row->lu, x->f, row->d, correction, x->curve);
    s->stats.solves += 2;
    if (!is_first || solver_replay(s)) return;
    double error = h / row->h * norm_rms(s->n, correction, x->one.weight);
    x->corrections = error * x->gain[x->state.rows] > 1.0 ? CORRECT_ALL : CORRECT_FIRST;
    x->state.loss = error / fabs(h);
    x->state.since_test = 0;
}

static void solve_substep(Seulex *x, int i, double h)
{
    const Row *row = &x->row;
    bool is_first = row->number == 1 && i == 0;
    if (is_first) x->corrections = first_corrections(x, h);
    if (x->corrections == CORRECT_ALL || (is_first && x->corrections)) {
        solve_corrected(x, h, is_first);
        return;
    }
    lu_solve(row->lu, row->d);
    x->one.base.stats.solves++;
}

static TryResult begin_row(Seulex *x, int k, double h)
{
    Solver *s = &x->one.base;
    Row *row = &x->row;
    row->number = k;
    row->h = h / substeps(k);
    jacobian_shift(&x->jac, 1.0 / row->h, x->matrix);
    s->stats.factors++;
    if (lu_factor(row->lu, x->matrix) != LU_OK) {
        s->blamed = lu_singular_column(row->lu);
        x->one.retry_factor = 0.5;
        return TRY_SINGULAR;
    }
    return TRY_OK;
}

/* The last substep ends where the row is extrapolated. */
static void end_substep(Seulex *x, int i)
{
    const Row *row = &x->row;
    if (i + 1 < substeps(row->number)) move(x, i);
    if (i == 0 && !x->state.have_end) note_slope(x, row, x->start_slopes[row->number]);
    if (i == 1 && !x->state.have_end) note_curve(x, row, x->start_curves[row->number]);
}

static TryResult one_row(Seulex *x, int k, double h)
{
    Solver *s = &x->one.base;
    Row *row = &x->row;
    TryResult result = begin_row(x, k, h);
    for (int i = 0; i < substeps(k) && result == TRY_OK; i++) {
        vector_swap(&row->d, &row->d_old);
        result = of_eval(solver_f(s, s->core.t + (i + 1) * row->h, i ? row->y : s->y, row->d));
        if (result != TRY_OK) break;
        solve_substep(x, i, h);
        end_substep(x, i);
    }
    if (result != TRY_OK) return result;
    return extrapolate(x) ? TRY_OK : TRY_MODEL;
}

static double judge(Seulex *x, int k)
{
    OneStep *one = &x->one;
    double square =
        norm_square_of_difference(one->base.n, x->table[k], x->table[k - 1], one->weight, one->error);
    return x->error[k] = sqrt(square);
}

/* The step size that goes with k rows, and its cost; of rows down to `least`, which decisions look
 * at. */
static void advise(Seulex *x, int least, int done, double h)
{
    for (int k = least < 2 ? 2 : least; k <= done; k++) {
        double factor = SAFETY * pow(TARGET / larger(x->error[k], 1e-12), 1.0 / k);
        x->h_best[k] = fabs(h) * larger(LEAST_FACTOR, smaller(MOST_FACTOR, factor));
        x->cost[k] = x->work[k] / x->h_best[k];
    }
}

/* After success with `done` rows where `aim` were expected: rows and step size of the next step. */
static void plan_next(Seulex *x, int done, int aim, bool rejected, double h)
{
    const double *cost = x->cost;
    int last = x->most - 1, next;
    advise(x, done <= aim ? done - 1 : done - 2, done, h);
    if (done == 2) {
        next = rejected ? 2 : 3;
    } else if (done <= aim) {
        next = done;
        if (cost[done - 1] < cost[done] * LESS_ROWS)
            next = done - 1;
        else if (cost[done] < cost[done - 1] * MORE_ROWS)
            next = done + 1;
    } else {
        next = done - 1;
        if (done > 3 && cost[done - 2] < cost[done - 1] * LESS_ROWS) next = done - 2;
        if (cost[done] < cost[next] * MORE_ROWS) next = done;
    }
    if (next > last) next = last;
    if (rejected && next > done) next = done;
    double size = next <= done ? x->h_best[next] : x->h_best[done] * x->work[next] / x->work[done];
    if (rejected) size = fmin(size, fabs(h));
    x->state.since_change = next == aim && done <= aim ? x->state.since_change + 1 : 0;
    x->state.rows = next;
    x->one.proposal = copysign(size, h);
}

static TryResult reject(Seulex *x, int done, double h, double *error)
{
    int k = x->state.rows < done ? x->state.rows : done;
    advise(x, k - 1, k, h);
    if (k > 2 && x->cost[k - 1] < x->cost[k] * LESS_ROWS) k--;
    x->state.rows = k;
    x->one.proposal = copysign(x->h_best[k], h);
    *error = fmax(*error, 1.0 + 1e-10);
    return TRY_OK;
}

/* Rows that get worse say nothing about how many of them would do; but if the one before the last
 * was good it is rounding that the last one made so large, and no shorter step makes that less. */
static TryResult diverge(Seulex *x, int k, double last, double h)
{
    if (last <= 1.0) x->state.rows = k - 1;
    x->one.proposal = last <= 1.0 ? h : DIVERGED * h;
    return TRY_OK;
}

static TryResult finish(Seulex *x, int done)
{
    OneStep *one = &x->one;
    for (int i = 0; i < one->base.n; i++) one->y_new[i] = one->base.y[i] + x->table[done][i];
    one->order = done;
    one->iterations = x->corrections;
    one->flags = RECORD_JACOBIAN | RECORD_FACTORS;
    return TRY_OK;
}

static EvalStatus evaluate_start(Seulex *x, double h)
{
    Solver *s = &x->one.base;
    if (x->state.jacobian_fresh) return EVAL_OK;
    EvalStatus status = x->jac.exact ? EVAL_OK : solver_f(s, s->core.t, s->y, x->f0);
    if (status == EVAL_OK) status = jacobian_f(s, &x->jac, s->core.t, s->y, x->f0, h);
    x->state.jacobian_fresh = status == EVAL_OK;
    if (status == EVAL_OK) x->state.largest = vector_largest(x->jac.shape->size, x->jac.values);
    return status;
}

/* Rows without a test of errors: fixed steps and replay. */
static TryResult known_rows(Seulex *x, int rows, double h)
{
    x->state.rows = rows;
    for (int row = 1; row <= rows; row++) {
        TryResult result = one_row(x, row, h);
        if (result != TRY_OK) return result;
    }
    return finish(x, rows);
}

/* What these rows can still gain: the product of their ratios, which are no worse than the last
 * one. */
static double hope(int from, int to, double ratio)
{
    double product = 1.0;
    for (int row = from; row <= to; row++) product *= larger(ratio, 2.0 * substeps(row));
    return product;
}

static TryResult seulex_attempt(OneStep *one, double h, double *error)
{
    Seulex *x = (Seulex *)one;
    Solver *s = &one->base;
    const StepRecord *record = solver_replay(s);
    bool rejected = one->state.control.after_reject;
    int aim = x->state.rows;
    one->proposal = 0.0;
    TryResult result = of_eval(evaluate_start(x, h));
    if (result != TRY_OK) return result;
    if (record || s->options.fixed_step > 0.0) return known_rows(x, record ? record->order : FIXED_ROWS, h);
    if (!solver_weights(s, s->y, one->weight)) return TRY_FATAL;
    double last = INFINITY;
    for (int k = 1; k <= aim + 1 && k <= x->most; k++) {
        result = one_row(x, k, h);
        if (result != TRY_OK) return result;
        if (k == 1) continue;
        *error = judge(x, k);
        if (k > 2 && *error > 2.0 * last && *error > 1.0) return diverge(x, k, last, h);
        double ratio = k > 2 ? last / *error : 0.0;
        last = *error;
        if (*error <= 1.0 && k >= aim - 1 &&
            (k > aim || k + 2 > x->most || x->state.since_change < STEPS_TO_PROBE)) {
            plan_next(x, k, aim, rejected, h);
            return finish(x, k);
        }
        if (k >= aim - 1 && *error > hope(k + 1, aim + 1, ratio)) return reject(x, k, h, error);
    }
    return reject(x, aim + 1 < x->most ? aim + 1 : x->most, h, error);
}

/* Slope and curvature at the end of the step, or at its start, as the rows see them. */
static void to_limits(const Seulex *x, int done, bool at_start, double *slope, double *curve)
{
    to_limit(x, done, at_start ? x->start_slopes : x->slopes, slope);
    to_limit(x, done, at_start ? x->start_curves : x->curves, curve);
}

static TryResult seulex_accept(OneStep *one, double h)
{
    Seulex *x = (Seulex *)one;
    int done = one->order;
    /* at the start as at the last end, so that dense output is smooth; a first step finds its
     * own */
    bool known = x->state.have_end;
    double *slope_start = known ? x->dense.f_end : x->row.d,
           *curve_start = known ? x->curve_end : x->row.d_old;
    if (!known) to_limits(x, done, true, slope_start, curve_start);
    to_limits(x, done, false, x->slope, x->curve);
    hermite_accept_curved(&x->dense, &one->base, one->y_new, slope_start, x->slope, curve_start, x->curve, h);
    vector_copy(one->base.n, x->curve, x->curve_end);
    x->state.have_end = true;
    x->state.jacobian_fresh = false;
    return TRY_OK;
}

static EvalStatus seulex_begin(OneStep *one)
{
    Seulex *x = (Seulex *)one;
    Solver *s = &one->base;
    x->state.jacobian_fresh = x->state.have_end = false;
    if (!(s->options.fixed_step > 0.0)) {
        if (!solver_weights(s, s->y, one->weight)) return EVAL_FATAL;
        double digits = -log10(fmax(s->options.rtol, 1e-14) + 1e-40);
        x->state.rows = (int)fmax(2.0, fmin(x->most - 2.0, digits * 0.6 + 1.5));
    } else {
        fixed_weights(s, one->weight);
    }
    if (!consistent_solve(&x->consistent, one->weight)) return EVAL_FATAL;
    if (s->options.fixed_step > 0.0 || s->options.initial_step > 0.0 || one->state.h != 0.0) return EVAL_OK;
    EvalStatus status = solver_f(s, s->core.t, s->y, x->f0);
    if (status != EVAL_OK) return status;
    if (s->model->can & MODEL_MASS)
        one->state.h = onestep_first_of_mass(s);
    else
        one->state.h = start_step(s, 2, x->f0, one->weight, x->slope, x->curve);
    return EVAL_OK;
}

static void seulex_interpolate(const Solver *s, double t, double *y)
{
    hermite_at(&((Seulex *)(uintptr_t)s)->dense, s, t, y);
}

static bool seulex_restart(Solver *s, RestartHint hint)
{
    hermite_restart(&((Seulex *)s)->dense);
    return onestep_restart(s, hint);
}

static void seulex_destroy(Solver *s)
{
    Seulex *x = (Seulex *)s;
    lu_free(x->row.lu);
}

/* Lagrange's j-th polynomial in the substep through those of rows 1 to k, where the substep is
 * 0. */
static double limit_weight(int k, int j)
{
    double product = 1.0;
    for (int i = 1; i <= k; i++)
        if (i != j) product *= (double)substeps(j) / (substeps(j) - substeps(i));
    return product;
}

/* Those weights add up to 1, and in size to a sum that more than triples from row to row: so much
 * is made of rounding errors. */
static int rows_of(double rtol)
{
    for (int k = LEAST_ROWS; k < ROWS; k++) {
        double sum = 0.0;
        for (int j = 1; j <= k + 1; j++) sum += fabs(limit_weight(k + 1, j));
        if (sum * UROUND > ROUNDING_SHARE * rtol) return k;
    }
    return ROWS;
}

static bool seulex_setup(Solver *s)
{
    Seulex *x = (Seulex *)s;
    x->most = s->options.rtol > 0.0 && !(s->options.fixed_step > 0.0) ? rows_of(s->options.rtol) : ROWS;
    if (!jacobian_setup(s, &x->jac)) return false;
    x->matrix = NEW_ARRAY(s->arena, double, x->jac.shape->size + 1);
    x->row = (Row){ .lu = lu_new(s->arena, x->jac.shape, false),
                    .y = solver_vector(s),
                    .moved = solver_vector(s),
                    .d = solver_vector(s),
                    .d_old = solver_vector(s) };
    consistent_setup(s, &x->jac, x->row.lu, false, &x->consistent);
    double **scratch[] = { &x->f0, &x->f, &x->slope, &x->curve };
    for (size_t i = 0; i < COUNT_OF(scratch); i++) *scratch[i] = solver_vector(s);
    double factors = fmax(1.0, 0.1 * s->n);
    x->work[0] = 1.0;
    for (int k = 1; k <= ROWS; k++) {
        x->table[k] = solver_vector(s);
        x->slopes[k] = solver_vector(s);
        x->curves[k] = solver_vector(s);
        x->start_slopes[k] = solver_vector(s);
        x->start_curves[k] = solver_vector(s);
        x->work[k] = x->work[k - 1] + factors + substeps(k);
        for (int j = 1; j < k; j++) x->weight[k][j] = 1.0 / ((double)substeps(k) / substeps(k - j) - 1.0);
        for (int j = 1; j <= k; j++) x->limit[k][j] = limit_weight(k, j);
        for (int j = 1; j <= k; j++) x->gain[k] += pow(x->limit[k][j] * substeps(1) / substeps(j), 2.0);
        x->gain[k] = sqrt(x->gain[k]);
    }
    x->curve_end = solver_kept_vector(s);
    hermite_setup(&x->dense, s, solver_kept_vector(s));
    solver_keep(s, &x->state, sizeof x->state);
    static const OneStepOps ops = { seulex_begin, seulex_attempt, seulex_accept, NULL };
    Control control = { .kind = CONTROL_INTEGRAL,
                        .k = 2.0,
                        .safety = 0.9,
                        .least = 0.1,
                        .most = 4.0,
                        .hold_low = 1.0,
                        .hold_high = 1.0 };
    return onestep_setup(&x->one, &ops, control);
}

const SolverType solver_seulex = {
    .name = "seulex",
    .family = "extrapolation",
    .summary = "linearly implicit Euler with extrapolation, up to order 12",
    .reference = "Deuflhard, SIAM Review 27 (1985); Hairer, Wanner, Solving ODEs II, IV.9",
    .order = FIXED_ROWS,
    .order_most = ROWS,
    .dense_order = 3,
    .tolerance_power = BETWEEN_ORDERS(4), /* of rows in use, about */
    .can = SOLVE_STIFF | SOLVE_EXACT_JACOBIAN | SOLVE_MASS | SOLVE_ADAPTIVE | SOLVE_FIXED |
           SOLVE_VARIABLE_ORDER | SOLVE_RESTART_HIGH | SOLVE_REPLAY,
    .size = sizeof(Seulex),
    .setup = seulex_setup,
    .step = onestep_step,
    .interpolate = seulex_interpolate,
    .restart = seulex_restart,
    .destroy = seulex_destroy,
};
