/* seulex.c: the linearly implicit Euler method with extrapolation, variable order and step size.
 *
 * In: L y' = f(t, y), index 1 at most. Out: steps with error control and dense output. Tests:
 * tests/solve/methods_test.c, seulex_test.c, dae_test.c. */
#include "solve/methods/seulex/seulex.h"
#include "solve/core/combine.h"
#include "solve/core/memory.h"
#include "solve/core/onestep.h"
#include "solve/core/start.h"
#include "solve/methods/seulex/inside.h"
#include "solve/nonlinear/algebra.h"
#include "solve/nonlinear/newton.h"

/* Row j of the table takes n_j = j + 1 substeps of size h_j = h/n_j, (L/h_j - J) d = f(t + (i+1)
 * h_j, y_i), y_(i+1) = y_i + d; Aitken and Neville's scheme removes the powers of h_j, so that
 * column k has order k. The error of row k is the distance of its last two columns. The number of
 * rows and the step are chosen to advance most per work, as in the book. The slope at the end and
 * curvature at the end come from the extrapolated last differences of the rows, which stay smooth
 * where f(t, y) of a stiff component would not. Of few unknowns three rows go together, substep
 * for substep, as a row waits for each of its numbers; where L is the identity, too, all that are
 * needed do, through inverses (seulex_few.c). Invariant: the Jacobian is that of the start of the
 * step. Cost of row j: n_j evaluations and solves, one factorisation. Source: Hairer and Wanner,
 * Solving ODEs II, IV.9 (SEULEX). */

/* Errors of stiff problems do not fall evenly from row to row: after STEPS_TO_PROBE steps with the
 * same number of rows one more is computed, to see whether it pays. */
enum { ROWS = SEULEX_ROWS, FIXED_ROWS = 4, LEAST_ROWS = 5, STEPS_TO_PROBE = 5 };
enum { STEPS_TO_TEST = 8 };              /* whether digits are lost, where far from it */
enum { CORRECT_FIRST = 1, CORRECT_ALL }; /* recorded as iterations */
/* Rows that go together, and for how many unknowns: those whose solutions wait for the last
 * number rather than for the processor. The third row is the first that is judged by the one
 * before. */
enum { TOGETHER = 3, TOGETHER_UP_TO = 4 };
static const double ROUNDING_SHARE = 0.1;         /* of the tolerance, that rounding may take */
static const double SAFETY = 0.94, TARGET = 0.65; /* aim at this part of the tolerance */
static const double DIVERGED = 0.5;               /* of the step, where rows get worse */
static const double LESS_ROWS = 0.8, MORE_ROWS = 0.9;
static const double LEAST_FACTOR = 0.1, MOST_FACTOR = 4.0;

/* A row at work. Those that go together have factors and vectors of their own. */
typedef struct {
    int number;
    double h; /* of its substeps */
    Lu *lu;
    /* where it is, and how far from the start; its last two differences */
    double *y, *moved, *d, *d_old;
    TryResult result; /* so far */
} Row;

typedef struct {
    OneStep one;
    Jacobian jac;
    Consistent consistent;
    int corrections; /* of solutions of the attempt: CORRECT_... */
    int together;    /* rows that may go together */
    SeulexFew *few;  /* of few unknowns, where rows go through inverses; else NULL */
    Row row[ROWS + 1];
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
    Memory memory;
    int most; /* rows in use */
    struct {
        int rows;         /* to aim at */
        int since_change; /* accepted steps with the same rows */
        bool jacobian_fresh, have_end;
        int since_test;       /* of lost digits */
        double largest, loss; /* error of the way by lost digits, over the step */
    } state;
} Seulex;

static int substeps(int row) { return seulex_substeps(row); }

/* Of few unknowns, differences are read one by one, as they were written just before. */
INLINE Four difference_at(bool is_fresh, const double *d) { return is_fresh ? fresh_four_at(d) : four_at(d); }

/* The end of a row, with the last difference: its slope and curvature there, and its columns.
 * table[k] holds column k of the row before; afterwards of this row, the first being the way it
 * went. Returns 0 if that is finite. */
INLINE double extrapolate_groups(bool is_wide, bool is_fresh, const Seulex *x, const Row *row)
{
    int j = row->number;
    const double *weight = x->weight[j], *d = row->d, *d_old = row->d_old;
    const double *moved = substeps(j) > 1 ? row->moved : NULL;
    double *slope = x->slopes[j], *curve = x->curves[j];
    double per_h = 1.0 / row->h, per_square = 1.0 / (row->h * row->h);
    double *const *table = x->table;
    Sum noughts = { 0 };
    for (int i = 0, n = x->one.base.n; i < n; i += 4) {
        Four step = difference_at(is_fresh, d + i), value = step;
        if (moved) value += four_at(moved + i);
        group_to(is_wide, slope + i, step * per_h);
        group_to(is_wide, curve + i, (step - difference_at(is_fresh, d_old + i)) * per_square);
        sum_add(is_wide, &noughts, value * 0.0);
        for (int k = 1; k < j; k++) {
            Four old = four_at(table[k] + i);
            group_to(is_wide, table[k] + i, value);
            value += (value - old) * weight[k];
        }
        group_to(is_wide, table[j] + i, value);
    }
    return four_sum(sum_so_far(is_wide, &noughts));
}

INLINE double extrapolate_any(bool is_wide, const Seulex *x, const Row *row)
{
    return x->one.base.n > FRESH_UNKNOWNS ? extrapolate_groups(is_wide, false, x, row)
                                          : extrapolate_groups(is_wide, true, x, row);
}

WIDE_LOOP static double extrapolate_wide(const Seulex *x, const Row *row)
{
    return extrapolate_any(true, x, row);
}

/* False: the row ends nowhere. */
static bool extrapolate(const Seulex *x, const Row *row)
{
    return (PROCESSOR_IS_WIDE ? extrapolate_wide(x, row) : extrapolate_any(false, x, row)) == 0.0;
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
    for (int i = 0; i < x->one.base.n; i += 2) {
        Two sum = { 0.0 };
        for (int j = 1; j <= done; j++) sum += weight[j] * two_at(rows[j] + i);
        two_to(out + i, sum);
    }
}

/* To the end of substep i, which begins where the step does but for what it has moved. */
INLINE void move_groups(bool is_wide, bool is_fresh, const Seulex *x, const Row *row, int i)
{
    const double *from = x->one.base.y, *d = row->d;
    double *y = row->y, *moved = row->moved;
    for (int k = 0, n = x->one.base.n; k < n; k += 4) {
        Four sum = difference_at(is_fresh, d + k);
        if (i > 0) sum += four_at(moved + k);
        group_to(is_wide, moved + k, sum);
        group_to(is_wide, y + k, four_at(from + k) + sum);
    }
}

INLINE void move_any(bool is_wide, const Seulex *x, const Row *row, int i)
{
    if (x->one.base.n > FRESH_UNKNOWNS)
        move_groups(is_wide, false, x, row, i);
    else
        move_groups(is_wide, true, x, row, i);
}

WIDE_LOOP static void move_wide(const Seulex *x, const Row *row, int i) { move_any(true, x, row, i); }

static void move(const Seulex *x, const Row *row, int i)
{
    if (PROCESSOR_IS_WIDE)
        move_wide(x, row, i);
    else
        move_any(false, x, row, i);
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
static void solve_corrected(Seulex *x, const Row *row, double h, bool is_first)
{
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

static void solve_substep(Seulex *x, const Row *row, int i, double h)
{
    bool is_first = row->number == 1 && i == 0;
    if (is_first) x->corrections = first_corrections(x, h);
    if (x->corrections == CORRECT_ALL || (is_first && x->corrections)) {
        solve_corrected(x, row, h, is_first);
        return;
    }
    lu_solve(row->lu, row->d);
    x->one.base.stats.solves++;
}

static TryResult begin_row(Seulex *x, Row *row, double h)
{
    Solver *s = &x->one.base;
    row->h = h / substeps(row->number);
    jacobian_shift(&x->jac, 1.0 / row->h, x->matrix);
    s->stats.factors++;
    if (lu_factor(row->lu, x->matrix) != LU_OK) {
        s->blamed = lu_singular_column(row->lu);
        x->one.retry_factor = 0.5;
        return TRY_SINGULAR;
    }
    return TRY_OK;
}

/* f of substep i, from 0. */
static TryResult begin_substep(Seulex *x, Row *row, int i)
{
    Solver *s = &x->one.base;
    vector_swap(&row->d, &row->d_old);
    EvalStatus status = solver_f(s, s->core.t + (i + 1) * row->h, i ? row->y : s->y, row->d);
    return row->result = of_eval(status);
}

/* The last one ends where the row is extrapolated. */
static void end_substep(Seulex *x, const Row *row, int i)
{
    if (i + 1 < substeps(row->number)) move(x, row, i);
    if (i == 0 && !x->state.have_end) note_slope(x, row, x->start_slopes[row->number]);
    if (i == 1 && !x->state.have_end) note_curve(x, row, x->start_curves[row->number]);
}

/* Rows together, substep for substep: none of them waits for another. What goes wrong with one
 * counts when it is its turn, and ends those after it. */
static TryResult take_rows(Seulex *x, int first, int last, double h)
{
    Row *row = x->row;
    for (int k = first; k <= last; k++)
        if ((row[k].result = begin_row(x, &row[k], h)) != TRY_OK) last = k - 1;
    for (int i = 0; i < substeps(last); i++) {
        while (i >= substeps(first)) first++;
        for (int k = first; k <= last; k++) {
            TryResult result = begin_substep(x, &row[k], i);
            if (result == TRY_FATAL) return result;
            if (result != TRY_OK) last = k - 1;
        }
        for (int k = first; k <= last; k++) solve_substep(x, &row[k], i, h);
        for (int k = first; k <= last; k++) end_substep(x, &row[k], i);
    }
    return TRY_OK;
}

/* Of few unknowns it is inverses that are corrected, all of them where lost digits may show: that
 * costs less than to look at a solution of each row. */
static int few_corrections(const Seulex *x, double h)
{
    const Solver *s = &x->one.base;
    const StepRecord *record = solver_replay(s);
    if (record) return record->iterations;
    double lost = UROUND * fabs(h) * x->state.largest;
    return lost * x->gain[x->state.rows] > ROUNDING_SHARE * s->options.rtol ? CORRECT_ALL : 0;
}

static TryResult take_few(Seulex *x, int first, int last, double h)
{
    if (first == 1) {
        x->corrections = few_corrections(x, h);
        seulex_few_begin(x->few, h, x->corrections != 0);
    }
    return seulex_few_take(x->few, first, last);
}

/* Row k of few unknowns: those that are needed go together, and are extrapolated already. */
static TryResult one_few(Seulex *x, int k, int needed, double h, int *taken)
{
    SeulexFew *few = x->few;
    if (k > *taken) {
        *taken = needed < k ? k : needed;
        if (take_few(x, k, *taken, h) == TRY_FATAL) return TRY_FATAL;
    }
    if (few->row[k].result == TRY_SINGULAR) {
        x->one.base.blamed = few->column;
        x->one.retry_factor = 0.5;
    }
    return few->row[k].result;
}

/* Row k, with the rows after it up to `needed` that go together with it; *taken is the last of
 * them. */
static TryResult one_row(Seulex *x, int k, int needed, double h, int *taken)
{
    Row *row = &x->row[k];
    if (x->few) return one_few(x, k, needed, h, taken);
    if (k > *taken) {
        int most = k + x->together - 1;
        *taken = needed < k ? k : most < needed ? most : needed;
        if (take_rows(x, k, *taken, h) == TRY_FATAL) return TRY_FATAL;
    }
    if (row->result != TRY_OK) return row->result;
    return extrapolate(x, row) ? TRY_OK : TRY_MODEL;
}

static Damping damping_of(const Seulex *x, int k, double h)
{
    if (x->few) lu_take_inverse(x->row[k].lu, &x->few->inverse[k - 1]);
    return (Damping){ .lu = x->row[k].lu, .c = substeps(k) / h };
}

/* The square of the error of row k, which is in one->error then. */
static double square_of(Seulex *x, int k)
{
    OneStep *one = &x->one;
    if (!x->few)
        return norm_square_of_difference(one->base.n, x->table[k], x->table[k - 1], one->weight, one->error);
    for (int i = 0; i < 4; i += 2) two_to(one->error + i, two_at(x->few->error[k] + i));
    return x->few->square[k];
}

/* Where it depends on how often errors count: those that die at once, of algebraic unknowns and of
 * rounding in them, count once. */
static double judge(Seulex *x, int k, double h)
{
    OneStep *one = &x->one;
    int n = one->base.n;
    double once = sqrt(square_of(x, k)),
           often = once * memory_count(&x->memory, one->state.failures_in_a_row);
    if (once <= 1.0 && often > 1.0) {
        Damping f = damping_of(x, k, h);
        damp(&one->base, &f, one->error, x->slope);
        often = larger(once, often / once * norm_rms(n, x->slope, one->weight));
    }
    return x->error[k] = often;
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
    const double *way = x->few ? x->few->way[done] : x->table[done];
    for (int i = 0; i < one->base.n; i += 2)
        two_to(one->y_new + i, two_at(one->base.y + i) + two_at(way + i));
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
    for (int row = 1, taken = 0; row <= rows; row++) {
        TryResult result = one_row(x, row, rows, h, &taken);
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
    for (int k = 1, taken = 0; k <= aim + 1 && k <= x->most; k++) {
        result = one_row(x, k, aim - 1, h, &taken);
        if (result != TRY_OK) return result;
        if (k == 1) continue;
        *error = judge(x, k, h);
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
    if (x->few) {
        seulex_few_limits(x->few, done, at_start, slope, curve);
        return;
    }
    to_limit(x, done, at_start ? x->start_slopes : x->slopes, slope);
    to_limit(x, done, at_start ? x->start_curves : x->curves, curve);
}

static TryResult seulex_accept(OneStep *one, double h)
{
    Seulex *x = (Seulex *)one;
    int done = one->order;
    Damping f = damping_of(x, done, h);
    memory_note(&x->memory, &one->base, &f, one->error, one->weight);
    /* at the start as at the last end, so that dense output is smooth; a first step finds its
     * own */
    bool known = x->state.have_end;
    double *slope_start = known ? x->dense.f_end : x->row[1].d,
           *curve_start = known ? x->curve_end : x->row[1].d_old;
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
    for (int k = 1; k <= x->together; k++) lu_free(x->row[k].lu);
}

/* Lagrange's j-th polynomial in the substep through those of rows 1 to k, where the substep is
 * 0. */
double seulex_limit(int k, int j)
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
        for (int j = 1; j <= k + 1; j++) sum += fabs(seulex_limit(k + 1, j));
        if (sum * UROUND > ROUNDING_SHARE * rtol) return k;
    }
    return ROWS;
}

/* Whether rows go through inverses. */
static bool is_few(const Seulex *x)
{
    const MatrixShape *shape = x->jac.shape;
    return !x->jac.mass && lu_can_be_inverse(shape) && !shape->times;
}

static void make_few(Seulex *x)
{
    x->few = seulex_few_new(&x->one.base);
    x->few->J = x->jac.values;
}

static void make_rows(Seulex *x)
{
    Solver *s = &x->one.base;
    x->together = s->n <= TOGETHER_UP_TO && !x->few ? TOGETHER : 1;
    for (int k = 1; k <= ROWS; k++) {
        if (x->together == 1 && k > 1)
            x->row[k] = x->row[k - x->together];
        else
            x->row[k] = (Row){ .lu = x->few ? lu_new_inverse(s->arena, x->jac.shape)
                                            : lu_new(s->arena, x->jac.shape, false),
                               .y = solver_vector(s),
                               .moved = solver_vector(s),
                               .d = solver_vector(s),
                               .d_old = solver_vector(s) };
        x->row[k].number = k;
    }
}

static bool seulex_setup(Solver *s)
{
    Seulex *x = (Seulex *)s;
    x->most = s->options.rtol > 0.0 && !(s->options.fixed_step > 0.0) ? rows_of(s->options.rtol) : ROWS;
    if (!jacobian_setup(s, &x->jac)) return false;
    x->matrix = NEW_ARRAY(s->arena, double, x->jac.shape->size + 1);
    if (is_few(x)) make_few(x);
    make_rows(x);
    consistent_setup(s, &x->jac, x->row[1].lu, false, &x->consistent);
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
        for (int j = 1; j <= k; j++) x->limit[k][j] = seulex_limit(k, j);
        for (int j = 1; j <= k; j++) x->gain[k] += pow(x->limit[k][j] * substeps(1) / substeps(j), 2.0);
        x->gain[k] = sqrt(x->gain[k]);
    }
    x->curve_end = solver_kept_vector(s);
    hermite_setup(&x->dense, s, solver_kept_vector(s));
    solver_keep(s, &x->state, sizeof x->state);
    memory_setup(&x->memory, s, 1, 2, 7.0); /* steps are long; 5 rows and h J = 2 i have 10 */
    static const OneStepOps ops = { seulex_begin, seulex_attempt, seulex_accept, NULL };
    Control control = { .kind = CONTROL_INTEGRAL,
                        .k = 2.0,
                        .safety = 0.9,
                        .least = 0.1,
                        .most = 4.0,
                        .hold_low = 1.0,
                        .hold_high = 1.0 };
    if (!onestep_setup(&x->one, &ops, control)) return false;
    if (x->few) x->few->error_weight = x->one.weight;
    return true;
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
