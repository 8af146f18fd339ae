/* consistent.c: initial values that satisfy F(t, y, y') = 0 or L y' = f(t, y), for equations of
 * index 1.
 *
 * In: y of which the differential components are right, y' (or zeros), which components are
 * algebraic. Out: y of the algebraic components and, for methods that go on from slopes, y' of the
 * others. Tests: tests/solve/dae_test.c, dassl_test.c. */
#include "solve/core/vectors.h"
#include "solve/nonlinear/algebra.h"

/* One algebraic system for both forms, solved by a row of algebra.c. Its unknowns are y where
 * algebraic and h y' elsewhere, its matrix dF/dy + dF/dy'/h with a tiny h: Newton's for these
 * unknowns up to terms of that step, so no other derivatives are needed. Where L combines
 * derivatives, so that its kernel is no set of components, the unknowns are y after an implicit
 * Euler step of that h which does not move the time. Invariant: differential components of y are
 * not touched (but by such a step, which is far below the tolerance); without slopes, y that is
 * consistent within the tolerance stays as it is, bit for bit. Source: Brown, Hindmarsh, Petzold,
 * SIAM J. Sci. Comp. 19 (1998). */

static const double TINY_SHARE = 1e-10; /* of the whole way: the first tiny step */
static const double SMALL_SHARE = 1e-7; /* likewise: of a step that slopes are taken from */
static const double STEP_SHRINK = 0.01,
                    STEP_GROW = 30.0; /* when iteration fails, the matrix is that of another step */
static const double SWALLOW = 1e-12;
static const double FIXED_ROUNDING =
    1e4; /* with fixed steps weights are near rounding, which derivatives amplify */
enum { MOST_SHRINKS = 4 };

static bool moves_y(const Consistent *w, int i) { return w->euler || w->algebraic[i]; }

/* The kernel of L is no set of components. */
static bool is_combined(const Consistent *w)
{
    return w->matrix && w->is_singular && w->algebraic_count == 0;
}

/* y and y' from the unknowns. */
static void split(const Consistent *w, const double *x, double *y, double *yp)
{
    const Solver *s = w->s;
    for (int i = 0; i < s->n; i++) {
        y[i] = moves_y(w, i) ? x[i] : s->y[i];
        yp[i] = w->euler ? w->c * (x[i] - s->y[i]) : w->algebraic[i] ? s->yp[i] : w->c * x[i];
    }
}

static EvalStatus residual_of(void *data, const double *x, double *r)
{
    Consistent *w = data;
    split(w, x, w->y, w->yp);
    return solver_residual(w->s, w->s->core.t, w->y, w->yp, r);
}

/* So small that dynamic unknowns, whose rate is at most |f| over the least entry of L, do not move
 * by what counts; but not so small that L/h would swallow J where the rows of L depend on each
 * other. */
static double tiny_step(const Consistent *w, const double *f)
{
    const Solver *s = w->s;
    const Jacobian *jac = w->jacobian;
    double least = INFINITY, most = matrix_norm(jac->shape, jac->mass),
           rate = matrix_norm(jac->shape, jac->values);
    for (size_t k = 0; k < jac->shape->size; k++)
        if (jac->mass[k] != 0.0) least = fmin(least, fabs(jac->mass[k]));
    if (isinf(least)) least = most = 1.0;
    double h = 1e-6 * least / fmax(norm_rms(s->n, f, w->system.weight), 1e-300),
           floor_ = SWALLOW * most / fmax(rate, 1e-300);
    return fmin(fmax(h, floor_), fabs(w->h)) * s->core.direction;
}

/* L y' = f: the matrix L/h - df/dy, of a step that is chosen when df/dy is first known. df/dy may
 * be that of this y already. */
static EvalStatus mass_matrix(Consistent *w)
{
    Solver *s = w->s;
    size_t bytes = (size_t)s->n * sizeof(double);
    if (w->is_known && w->c != 0.0 && !memcmp(w->known, w->y, bytes)) {
        jacobian_shift(w->jacobian, w->c, w->matrix);
        return EVAL_OK;
    }
    EvalStatus status = solver_f(s, s->core.t, w->y, w->system.r);
    if (status == EVAL_OK) status = jacobian_f(s, w->jacobian, s->core.t, w->y, w->system.r, w->h);
    if (status != EVAL_OK) return status;
    if (w->c == 0.0) {
        w->h = tiny_step(w, w->system.r);
        w->c = 1.0 / w->h;
    }
    memcpy(w->known, w->y, bytes);
    w->is_known = true;
    jacobian_shift(w->jacobian, w->c, w->matrix);
    return EVAL_OK;
}

static EvalStatus matrix_of(void *data, const double *x)
{
    Consistent *w = data;
    Solver *s = w->s;
    double *values = w->matrix ? w->matrix : w->jacobian->values;
    EvalStatus status;
    split(w, x, w->y, w->yp);
    if (w->matrix) {
        status = mass_matrix(w);
    } else {
        status = solver_residual(s, s->core.t, w->y, w->yp, w->system.r);
        if (status == EVAL_OK)
            status = jacobian_residual(s, w->jacobian, s->core.t, w->y, w->yp, w->system.r, w->c,
                                       w->h * STEP_SHRINK);
    }
    if (status != EVAL_OK) return status;
    s->stats.factors++;
    w->singular = lu_factor(w->system.lu, values) != LU_OK;
    w->system.values = values;
    if (w->singular) s->blamed = lu_singular_column(w->system.lu);
    return w->singular ? EVAL_RETRY : EVAL_OK;
}

/* What was 0 for want of a guess has a size now. */
static void rescale(void *data, const double *x)
{
    Consistent *w = data;
    split(w, x, w->y, w->yp);
    if (!(w->s->options.fixed_step > 0.0)) solver_weights(w->s, w->y, w->weight);
}

void consistent_setup(Solver *s, Jacobian *jacobian, Lu *lu, bool slopes, Consistent *w)
{
    bool mass = (s->model->can & MODEL_MASS) && (s->model->can & MODEL_DERIVATIVES);
    *w = (Consistent){ .s = s, .jacobian = jacobian, .slopes = slopes };
    if (!slopes && !mass) return;
    w->algebraic = NEW_ARRAY(s->arena, unsigned char, (size_t)s->n + 1);
    w->y = solver_vector(s);
    w->yp = solver_vector(s);
    w->weight = solver_vector(s);
    w->known = solver_vector(s);
    if (mass) w->matrix = NEW_ARRAY(s->arena, double, jacobian->shape->size + 1);
    algebraic_setup(s, &w->system);
    w->system.data = w;
    w->system.lu = lu;
    w->system.shape = jacobian->shape;
    w->system.residual = residual_of;
    w->system.matrix = matrix_of;
    w->system.rescale = rescale;
    w->system.weight = w->weight;
    if (s->options.fixed_step > 0.0) w->system.enough = FIXED_ROUNDING;
    model_algebraic(s->model, w->algebraic);
    for (int i = 0; i < s->n; i++) w->algebraic_count += w->algebraic[i] != 0;
    w->is_singular = w->algebraic_count > 0 || s->model->shape.mass_pattern;
}

static void guess(const Consistent *w)
{
    const Solver *s = w->s;
    for (int i = 0; i < s->n; i++)
        w->system.x[i] = moves_y(w, i) ? s->y[i] : w->c != 0.0 ? s->yp[i] / w->c : 0.0;
}

/* Whether algebraic equations already hold to the tolerance. */
static EvalStatus judge(Consistent *w, bool *holds)
{
    double size, sum = 0.0;
    guess(w);
    EvalStatus status = matrix_of(w, w->system.x);
    guess(w); /* the size of the step is known now */
    if (status == EVAL_OK) status = algebraic_correct(&w->system, w->system.x, &size);
    if (status != EVAL_OK) return status;
    for (int i = 0; i < w->s->n; i++) {
        double share = moves_y(w, i) ? w->system.d[i] * w->system.weight[i] : 0.0;
        sum += share * share;
    }
    *holds = sum < w->s->n;
    return EVAL_OK;
}

static bool fail(Consistent *w, EvalStatus status)
{
    Solver *s = w->s;
    if (w->system.blamed >= 0) s->blamed = w->system.blamed;
    if (status == EVAL_FATAL)
        solver_fail(s, FAIL_MODEL, 0.0, s->blamed, "the model gave up at the start");
    else if (w->singular)
        solver_fail(s, FAIL_SINGULAR, 0.0, lu_singular_column(w->system.lu),
                    "the algebraic equations are singular at the start");
    else
        solver_fail(s, FAIL_INCONSISTENT, 0.0, s->blamed, "no consistent initial values are found");
    return false;
}

/* The system in its present form; with `spare`, y that is good enough stays. */
static bool solve_system(Consistent *w, bool spare)
{
    Solver *s = w->s;
    const AlgebraicType *type = s->options.algebraic ? s->options.algebraic : algebraic_types[0];
    double way = isinf(s->core.t_end) || s->core.t_end == s->core.t ? 1.0 : fabs(s->core.t_end - s->core.t);
    EvalStatus status = EVAL_RETRY;
    bool holds = false;
    bool for_slopes = w->euler && !spare; /* digits of y' are those of y over the step */
    w->h = (for_slopes ? SMALL_SHARE : TINY_SHARE) * way * s->core.direction;
    w->c = w->matrix && !for_slopes ? 0.0 : 1.0 / w->h;
    for (int shrinks = 0; shrinks < MOST_SHRINKS && status == EVAL_RETRY; shrinks++) {
        status = spare || w->c == 0.0 ? judge(w, &holds) : EVAL_OK;
        if (status == EVAL_OK && spare && holds) return true;
        guess(w);
        if (status == EVAL_OK) status = type->solve(&w->system);
        /* where rows of L depend on each other a small step leaves J no digits */
        if (status == EVAL_RETRY && w->c != 0.0)
            w->c = 1.0 / (w->h *= is_combined(w) ? STEP_GROW : STEP_SHRINK);
    }
    if (status != EVAL_OK) return fail(w, status);
    split(w, w->system.x, w->y, w->yp);
    if (!for_slopes) memcpy(s->y, w->y, (size_t)s->n * sizeof(double));
    if (!w->euler || for_slopes) memcpy(s->yp, w->yp, (size_t)s->n * sizeof(double));
    return true;
}

/* Where L y' = f leaves y' open, since rows of L depend on each other: the slope of a second Euler
 * step, from values that are consistent now. */
static bool slopes_by_step(Consistent *w)
{
    Solver *s = w->s;
    if (!is_combined(w) || s->failure.kind == FAIL_MODEL) return false;
    s->failure = (SolverFailure){ .component = -1 };
    w->euler = true;
    bool ok = solve_system(w, false);
    w->euler = false;
    return ok;
}

bool consistent_solve(Consistent *w, const double *weight)
{
    Solver *s = w->s;
    const unsigned char *index = s->model->shape.index;
    /* y' = f needs no iteration */
    if (!(s->model->can & (MODEL_RESIDUAL | MODEL_MASS))) {
        if (!w->slopes || solver_f(s, s->core.t, s->y, s->yp) == EVAL_OK) return true;
        solver_fail(s, FAIL_MODEL, 0.0, s->blamed, "the model cannot be evaluated at the start");
        return false;
    }
    for (int i = 0; index && !w->slopes && i < s->n; i++)
        if (index[i] > 1) return true;
    if (!w->system.residual) return true;
    if (!w->slopes && !w->is_singular) return true;
    memcpy(w->weight, weight, (size_t)s->n * sizeof(double));
    w->system.blamed = -1;
    w->singular = w->is_known = false;
    bool ok = true;
    w->euler = is_combined(w);
    if (!w->slopes || w->euler) ok = solve_system(w, true);
    w->euler = false;
    if (ok && w->slopes) ok = solve_system(w, false) || slopes_by_step(w);
    w->jacobian->have = ok && w->is_known && !w->slopes;
    w->is_known &= ok && !memcmp(w->known, s->y, (size_t)s->n * sizeof(double));
    return ok;
}
