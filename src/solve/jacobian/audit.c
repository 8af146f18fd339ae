/* audit.c: how good difference Jacobians are, entry by entry, at points of a trajectory.
 *
 * In: a model, tolerances, points. Out: for each rule and unknown the increment, whether y + delta
 * is exact, and which error dominates; for each rule how many entries come near to the best that
 * any increment gives; the worst entries. How: the reference is the model's own Jacobian or an
 * extrapolated one; best is the least error over all powers of two; second derivatives come from
 * second differences of two widths. Bounds, with u the rounding unit, F = f_i and derivatives along
 * y_j: truncation |F''| delta / 2, cancellation 3 u |F| / delta, data error |F''| |y| u. Always:
 * nothing of the model changes; memory is O(entries). Cost: about 100 evaluations a colour and
 * point. Tests: tests/solve/audit_test.c. */
#include "solve/audit.h"
#include "solve/jacobian/inside.h"

enum { LOWEST = -76, HIGHEST = 3 }; /* powers of two, from the size of an unknown */

static const double NEAR = 10.0;                 /* times the best: as good as one may ask for */
static const double OWN_ROUNDING = 4.0 * UROUND; /* of an entry: no difference quotient is better */
/* of an entry, where the reference is extrapolated */
static const double REFERENCE_DOUBT = 1e-9;

struct Audit {
    Solver s;
    Jacobian rough, reference;
    double *f, *delta, *high, *low; /* high, low: f on both sides */
    double *second, *best;          /* by entry */
    /* by unknown: the least weighted error of a column that one increment gives */
    double *column_best;
    AuditRule *rules;
    AuditRule made[2]; /* what integrators got: without ladders, with them */
    AuditEntry worst[AUDIT_WORST];
    int worst_count;
    long points;
};

Audit *audit_new(Model *model, const SolverOptions *options, double t, const double *y, const char **why)
{
    Arena *arena = arena_new();
    if (!arena) return NULL;
    Audit *a = NEW(arena, Audit);
    Solver *s = &a->s;
    *s = (Solver){ .arena = arena, .model = model, .n = model->shape.n, .options = *options, .blamed = -1 };
    s->core.t = t;
    s->stats.jacobian_source = s->stats.increment = "";
    s->y = solver_vector(s);
    s->atol = solver_vector(s);
    memcpy(s->y, y, (size_t)s->n * sizeof *y);
    for (int i = 0; i < s->n; i++) s->atol[i] = options->atol_each ? options->atol_each[i] : options->atol;
    s->options.increment = NULL;
    s->options.increment_memory = MEMORY_ON;
    s->options.increment_share = 1.0;
    s->options.made = NULL;
    s->options.jacobian = model->can & MODEL_JACOBIAN ? JACOBIAN_AUTO : JACOBIAN_EXTRAPOLATED;
    bool ok = (model->can & MODEL_DERIVATIVES) && jacobian_setup(s, &a->reference);
    s->options.jacobian = JACOBIAN_DIFFERENCES;
    ok = ok && jacobian_setup(s, &a->rough);
    if (!ok || a->rough.shape->size != a->reference.shape->size) {
        *why = model->can & MODEL_DERIVATIVES ? "its Jacobian cannot be set up"
                                              : "it has no explicit derivatives";
        arena_free(arena);
        return NULL;
    }
    double **const vectors[] = { &a->f, &a->delta, &a->high, &a->low, &a->column_best };
    for (size_t k = 0; k < COUNT_OF(vectors); k++) *vectors[k] = solver_vector(s);
    a->second = NEW_ARRAY(arena, double, a->rough.shape->size + 1);
    a->best = NEW_ARRAY(arena, double, a->rough.shape->size + 1);
    a->rules = NEW_ARRAY(arena, AuditRule, increment_type_count);
    for (size_t r = 0; r < increment_type_count; r++) a->rules[r].type = &increment_types[r];
    for (int k = 0; k < 2; k++) a->made[k].type = &increment_types[0];
    return a;
}

void audit_free(Audit *a)
{
    if (a) arena_free(a->s.arena);
}

const char *audit_reference(const Audit *a)
{
    return a->reference.exact ? "the model's own Jacobian" : "an extrapolated Jacobian";
}
int audit_colours(const Audit *a) { return a->rough.colouring ? a->rough.colouring->count : a->s.n; }
const AuditRule *audit_rule(const Audit *a, size_t rule)
{
    return rule < increment_type_count ? &a->rules[rule] : NULL;
}
const AuditRule *audit_of_made(const Audit *a, bool is_careful) { return &a->made[is_careful]; }
int audit_worst(const Audit *a, const AuditEntry **entries)
{
    *entries = a->worst;
    return a->worst_count;
}

/* ---- what is best ---------------------------------------------------------------------------- */

typedef struct {
    double t;
    const double *y;
    const double *size; /* of the unknowns */
} Spot;

static double rounding_of(const Audit *a, int i, double slope, double y)
{
    return UROUND * fmax(fabs(a->f[i]), fabs(slope * y));
}

/* The largest weighted error of a column: what Newton's method sees of it. */
static double column_error(const Audit *a, int j)
{
    double worst = 0.0;
    for (int e = 0, i; e < column_length(a->rough.shape, j); e++) {
        size_t at = column_entry(a->rough.shape, j, e, &i);
        double error = fabs(a->rough.values[at] - a->reference.values[at]);
        if (isfinite(a->reference.values[at])) worst = fmax(worst, a->rough.weight[i] * error);
    }
    return worst;
}

/* The least error over all powers of two, by entry and by column. */
static bool scan(Audit *a, const Spot *p)
{
    Solver *s = &a->s;
    const MatrixShape *m = a->rough.shape;
    for (size_t k = 0; k < m->size; k++) a->best[k] = INFINITY;
    for (int j = 0; j < s->n; j++) a->column_best[j] = INFINITY;
    for (int power = LOWEST; power <= HIGHEST; power++) {
        for (int j = 0; j < s->n; j++) {
            int exponent;
            frexp(p->size[j], &exponent);
            a->delta[j] = copysign(ldexp(1.0, exponent - 1 + power), p->y[j]);
            if (p->y[j] + a->delta[j] == p->y[j] || !isfinite(p->y[j] + a->delta[j]))
                a->delta[j] = 0.25 * p->size[j];
        }
        EvalStatus status = jacobian_by(s, &a->rough, p->t, p->y, a->f, a->delta);
        if (status == EVAL_FATAL) return false;
        if (status != EVAL_OK) continue;
        for (size_t k = 0; k < m->size; k++) {
            double error = fabs(a->rough.values[k] - a->reference.values[k]);
            if (error < a->best[k]) a->best[k] = error;
        }
        for (int j = 0; j < s->n; j++) a->column_best[j] = fmin(a->column_best[j], column_error(a, j));
    }
    return true;
}

/* Second differences of one width, where they stand out from rounding. */
static EvalStatus take_second(Audit *a, const Spot *p, const int *column, int n, double share)
{
    Solver *s = &a->s;
    Jacobian *jac = &a->rough;
    EvalStatus status = EVAL_OK;
    for (int side = 0; side < 2 && status == EVAL_OK; side++) {
        for (int k = 0; k < n; k++)
            jac->y[column[k]] = p->y[column[k]] + (side ? -share : share) * p->size[column[k]];
        status = s->model->type->derivatives(s->model, p->t, jac->y, side ? a->low : a->high);
    }
    for (int k = 0; k < n; k++) {
        int j = column[k], i;
        jac->y[j] = p->y[j];
        for (int e = 0; e < column_length(jac->shape, j) && status == EVAL_OK; e++) {
            size_t at = column_entry(jac->shape, j, e, &i);
            double width = share * p->size[j], bend = fabs(a->high[i] - 2.0 * a->f[i] + a->low[i]);
            bend -= 8.0 * rounding_of(a, i, a->reference.values[at], p->y[j]);
            if (bend > 0.0 && isfinite(bend)) a->second[at] = fmax(a->second[at], bend / (width * width));
        }
    }
    return status;
}

static void find_curvature(Audit *a, const Spot *p)
{
    static const double shares[] = { 0x1p-13, 0x1p-20 };
    const Colouring *c = a->rough.colouring;
    memset(a->second, 0, a->rough.shape->size * sizeof(double));
    memcpy(a->rough.y, p->y, (size_t)a->s.n * sizeof(double));
    for (int k = 0; k < (c ? c->count : a->s.n); k++)
        for (size_t w = 0; w < COUNT_OF(shares); w++)
            take_second(a, p, c ? c->column + c->start[k] : &k, c ? c->start[k + 1] - c->start[k] : 1,
                        shares[w]);
}

/* ---- rules ----------------------------------------------------------------------------------- */

static void keep_worst(Audit *a, const AuditEntry *e)
{
    int at = a->worst_count;
    while (at > 0 && a->worst[at - 1].ratio < e->ratio) at--;
    if (at >= AUDIT_WORST) return;
    if (a->worst_count < AUDIT_WORST) a->worst_count++;
    for (int k = a->worst_count - 1; k > at; k--) a->worst[k] = a->worst[k - 1];
    a->worst[at] = *e;
}

/* What an entry may be off by, before it is blamed, whatever the best is. */
static double allowance(const Audit *a, const Spot *p, size_t at, int i, int j)
{
    double want = a->reference.values[at], y = fabs(p->y[j]);
    double least = 2.0 * sqrt(UROUND * fabs(a->f[i]) * a->second[at]);
    if (y > 0.0) least = fmax(least, UROUND * fabs(a->f[i]) / y);
    return fmax(least, (a->reference.exact ? OWN_ROUNDING : REFERENCE_DOUBT) * fabs(want));
}

/* The errors of a column under a rule; increments are in rough.delta, as they were used. */
static void judge_column(Audit *a, const Spot *p, AuditRule *r, int j, AuditCell *cell)
{
    const MatrixShape *m = a->rough.shape;
    double delta = a->rough.delta[j], y = p->y[j];
    volatile double moved = y + delta;
    double column_allowed = a->column_best[j];
    *cell = (AuditCell){ .t = p->t, .y = y, .delta = delta, .is_exact = moved - y == delta };
    for (int e = 0, i; e < column_length(m, j); e++) {
        size_t at = column_entry(m, j, e, &i);
        double want = a->reference.values[at], error = fabs(a->rough.values[at] - want);
        if (!isfinite(want)) continue;
        double any = allowance(a, p, at, i, j), allowed = fmax(any, a->best[at]);
        double ratio = error > 0.0 ? error / allowed : 0.0;
        column_allowed = fmax(column_allowed, any * a->rough.weight[i]);
        cell->truncation = fmax(cell->truncation, 0.5 * a->second[at] * fabs(delta));
        cell->cancellation = fmax(cell->cancellation, 3.0 * rounding_of(a, i, want, y) / fabs(delta));
        cell->data = fmax(cell->data, a->second[at] * fabs(y) * UROUND);
        cell->error = fmax(cell->error, error);
        if (want == 0.0 && error == 0.0) continue;
        r->entries++;
        r->near += ratio <= NEAR;
        double relative = fmin(error / fmax(fabs(want), DBL_MIN), 1e3);
        r->log_error += log10(fmax(relative, UROUND));
        r->worst = fmax(r->worst, relative);
        if ((r == a->rules || r == a->made || r == a->made + 1) && ratio > 1.0)
            keep_worst(a, &(AuditEntry){ i, j, p->t, want, a->rough.values[at], delta, allowed, ratio });
    }
    r->near_columns += column_error(a, j) <= NEAR * column_allowed;
    r->sums++;
    r->exact_sums += cell->is_exact;
}

static void judge_rule(Audit *a, const Spot *p, size_t rule, double h, AuditVisit visit, void *arg)
{
    Solver *s = &a->s;
    EvalStatus status;
    if (rule == 0) {
        a->rough.at.learnt = 0;
        status = jacobian_f(s, &a->rough, p->t, p->y, a->f, h);
    } else {
        IncrementInput in = jacobian_point(s, &a->rough, p->y, a->f, h);
        in.typical = in.curvature = NULL;
        increment_choose(&increment_types[rule], s->options.increment_post, &in, a->delta);
        status = jacobian_by(s, &a->rough, p->t, p->y, a->f, a->delta);
    }
    for (int j = 0; j < s->n && status == EVAL_OK; j++) {
        AuditCell cell;
        judge_column(a, p, &a->rules[rule], j, &cell);
        cell.nominal = s->model->shape.nominal ? s->model->shape.nominal[j] : 1.0;
        if (visit) visit(arg, j, rule, &cell);
    }
}

/* What is best at a point. */
static bool begin_point(Audit *a, Spot *p, double h)
{
    Solver *s = &a->s;
    s->stats.steps += 2; /* so that nothing looks like a failed step */
    if (s->model->type->derivatives(s->model, p->t, p->y, a->f) != EVAL_OK || !vector_is_finite(s->n, a->f))
        return false;
    if (jacobian_f(s, &a->reference, p->t, p->y, a->f, h) != EVAL_OK) return false;
    IncrementInput in = jacobian_point(s, &a->rough, p->y, a->f, h);
    double *size = a->reference.moved;
    for (int i = 0; i < s->n; i++)
        size[i] = fmax(fabs(p->y[i]), 1.0 / (in.weight[i] * fmax(in.rtol, UROUND)));
    for (int i = 0; i < s->n; i++)
        if (!isfinite(size[i]) || size[i] == 0.0) size[i] = 1.0;
    p->size = size;
    find_curvature(a, p);
    if (!scan(a, p)) return false;
    a->points++;
    return true;
}

bool audit_point(Audit *a, double t, const double *y, double h, AuditVisit visit, void *arg)
{
    Spot p = { .t = t, .y = y };
    if (!begin_point(a, &p, h)) return false;
    for (size_t rule = 0; rule < increment_type_count; rule++) judge_rule(a, &p, rule, h, visit, arg);
    return true;
}

bool audit_made(Audit *a, const JacobianMade *made)
{
    AuditCell cell;
    Spot p = { .t = made->t, .y = made->y };
    if (made->size != a->rough.shape->size || !begin_point(a, &p, made->h)) return false;
    memcpy(a->rough.values, made->values, made->size * sizeof(double));
    memcpy(a->rough.delta, made->delta, (size_t)a->s.n * sizeof(double));
    for (int j = 0; j < a->rough.shape->n; j++) judge_column(a, &p, &a->made[made->is_careful], j, &cell);
    return true;
}
