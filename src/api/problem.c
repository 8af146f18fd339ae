/* problem.c: equations that the caller computes, as a Model for integrators.
 *
 * In: an AcausalProblem. Out: an AcausalIntegrator, which problem_run.c runs. With parameters
 * the unknowns are (y, s_1, ..., s_m), L s_j' = f_y s_j + f_pj, with the caller's Jacobians
 * where there are any, else by central differences along s_j: two evaluations of f a parameter.
 * Always: parameters have the caller's values whenever no function of his is called. Cost of a
 * call: with places, copies of n numbers each way. Tests: tests/api/problem_test.c,
 * tests/python/solve_test.py. */
#include "api/problem.h"

#include <math.h>
#include <stdlib.h>

/* of a size: balances rounding and curvature of central differences */
static const double CHANGE = 6e-6;

enum { PLACE_Y, PLACE_YP, PLACE_RESULT, PLACE_VALUES, PLACE_INDICATORS };

static EvalStatus told(int code) { return code == 0 ? EVAL_OK : code == 1 ? EVAL_RETRY : EVAL_FATAL; }

/* ---- the caller's functions ------------------------------------------------------------------ */

/* Where a function reads y, and y' unless that is NULL. */
static void arrange(const AcausalIntegrator *it, const double **y, const double **yp)
{
    double *const *places = it->problem.places;
    size_t bytes = it->problem.n * sizeof(double);
    if (!places) return;
    memcpy(places[PLACE_Y], *y, bytes);
    *y = places[PLACE_Y];
    if (!yp) return;
    memcpy(places[PLACE_YP], *yp, bytes);
    *yp = places[PLACE_YP];
}

/* Where it writes. */
static double *target(const AcausalIntegrator *it, int place, double *own)
{
    return it->problem.places ? it->problem.places[place] : own;
}

static EvalStatus fetch(const AcausalIntegrator *it, int code, int place, size_t count, double *own)
{
    if (code == 0 && it->problem.places) memcpy(own, it->problem.places[place], count * sizeof(double));
    return told(code);
}

static EvalStatus call_f(AcausalIntegrator *it, double t, const double *y, double *f)
{
    const AcausalProblem *p = &it->problem;
    arrange(it, &y, NULL);
    int code = p->f(p->arg, t, y, target(it, PLACE_RESULT, f));
    return fetch(it, code, PLACE_RESULT, p->n, f);
}

static EvalStatus residual(Model *model, double t, const double *y, const double *yp, double *r)
{
    AcausalIntegrator *it = model->data;
    const AcausalProblem *p = &it->problem;
    arrange(it, &y, &yp);
    int code = p->residual(p->arg, t, y, yp, target(it, PLACE_RESULT, r));
    return fetch(it, code, PLACE_RESULT, p->n, r);
}

static EvalStatus indicators(Model *model, double t, const double *y, double *g)
{
    AcausalIntegrator *it = model->data;
    const AcausalProblem *p = &it->problem;
    arrange(it, &y, NULL);
    int code = p->indicate(p->arg, t, y, target(it, PLACE_INDICATORS, g));
    return fetch(it, code, PLACE_INDICATORS, p->indicators, g);
}

static EvalStatus call_jacobian(AcausalIntegrator *it, double t, const double *y)
{
    const AcausalProblem *p = &it->problem;
    arrange(it, &y, NULL);
    int code = p->jacobian(p->arg, t, y, target(it, PLACE_VALUES, it->values));
    return fetch(it, code, PLACE_VALUES, it->value_count, it->values);
}

/* Goes through the entries of the caller's Jacobian. */
static void put_values(const AcausalIntegrator *it, const MatrixShape *order, double *to)
{
    const Pattern *pattern = it->model.shape.pattern;
    const double *value = it->values;
    int n = (int)it->problem.n;
    for (int j = 0; j < n; j++)
        if (pattern)
            for (int k = pattern->start[j]; k < pattern->start[j + 1]; k++)
                model_put(order, to, pattern->row[k], j, *value++);
        else
            for (int i = 0; i < n; i++) model_put(order, to, i, j, *value++);
}

static EvalStatus jacobian(Model *model, double t, const double *y, const MatrixShape *order, double *values)
{
    EvalStatus status = call_jacobian(model->data, t, y);
    if (status == EVAL_OK) put_values(model->data, order, values);
    return status;
}

static EvalStatus residual_jacobian(Model *model, double t, const double *y, const double *yp, double c,
                                    const MatrixShape *order, double *values)
{
    AcausalIntegrator *it = model->data;
    const AcausalProblem *p = &it->problem;
    arrange(it, &y, &yp);
    int code = p->residual_jacobian(p->arg, t, y, yp, c, target(it, PLACE_VALUES, it->values));
    EvalStatus status = fetch(it, code, PLACE_VALUES, it->value_count, it->values);
    if (status == EVAL_OK) put_values(it, order, values);
    return status;
}

/* ---- derivatives in parameters --------------------------------------------------------------- */

/* out = J s with the values at hand. */
static void times_jacobian(const AcausalIntegrator *it, const double *s, double *out)
{
    const Pattern *pattern = it->model.shape.pattern;
    const double *value = it->values;
    int n = (int)it->problem.n;
    memset(out, 0, (size_t)n * sizeof *out);
    for (int j = 0; j < n; j++)
        if (pattern)
            for (int k = pattern->start[j]; k < pattern->start[j + 1]; k++)
                out[pattern->row[k]] += *value++ * s[j];
        else
            for (int i = 0; i < n; i++) out[i] += *value++ * s[j];
}

static double size_of_parameter(const AcausalProblem *p, size_t j)
{
    double size = fabs(p->parameters[j]);
    return size > 0.0 ? size : 1.0;
}

/* How far to go along s (NULL: not) and parameter j (-1: none), so that nothing changes by more
 * than a share of its size. */
static double reach(const AcausalIntegrator *it, const double *y, const double *s, int j)
{
    const AcausalProblem *p = &it->problem;
    double most = j >= 0 ? 1.0 / size_of_parameter(p, (size_t)j) : 0.0;
    for (size_t i = 0; s && i < p->n; i++) {
        double small = it->options.rtol > 0.0 ? it->options.atol_each[i] / it->options.rtol : 1.0;
        most = fmax(most, fabs(s[i]) / fmax(fabs(y[i]), small > 0.0 ? small : 1.0));
    }
    return most > 0.0 ? CHANGE / most : 0.0;
}

/* out += the change of f along s and parameter j. */
static EvalStatus add_difference(AcausalIntegrator *it, double t, const double *y, const double *s, int j,
                                 double *out)
{
    const AcausalProblem *p = &it->problem;
    double h = reach(it, y, s, j), kept = j >= 0 ? p->parameters[j] : 0.0;
    for (int side = -1; side <= 1 && h > 0.0; side += 2) {
        for (size_t i = 0; i < p->n; i++) it->moved[i] = y[i] + (s ? side * h * s[i] : 0.0);
        if (j >= 0) p->parameters[j] = kept + side * h;
        EvalStatus status = call_f(it, t, it->moved, it->f_moved);
        if (j >= 0) p->parameters[j] = kept;
        it->extra_calls++;
        if (status != EVAL_OK) return status;
        for (size_t i = 0; i < p->n; i++) out[i] += side * it->f_moved[i] / (2.0 * h);
    }
    return EVAL_OK;
}

static EvalStatus derivatives(Model *model, double t, const double *u, double *f)
{
    AcausalIntegrator *it = model->data;
    const AcausalProblem *p = &it->problem;
    EvalStatus status = call_f(it, t, u, f);
    if (p->parameter_count == 0 || status != EVAL_OK) return status;
    if (p->jacobian) status = call_jacobian(it, t, u);
    double *g = f + p->n;
    memset(g, 0, p->n * p->parameter_count * sizeof *g);
    if (p->parameter_jacobian && status == EVAL_OK) {
        const double *y = u;
        arrange(it, &y, NULL);
        int code = p->parameter_jacobian(p->arg, t, y, target(it, PLACE_VALUES, g));
        status = fetch(it, code, PLACE_VALUES, p->n * p->parameter_count, g);
    }
    for (size_t j = 0; j < p->parameter_count && status == EVAL_OK; j++) {
        const double *s = u + (j + 1) * p->n;
        double *out = g + j * p->n;
        bool moves_y = !p->jacobian, moves_p = !p->parameter_jacobian;
        if (moves_y || moves_p)
            status = add_difference(it, t, u, moves_y ? s : NULL, moves_p ? (int)j : -1, out);
        if (moves_y) continue;
        times_jacobian(it, s, it->f_moved);
        for (size_t i = 0; i < p->n; i++) out[i] += it->f_moved[i];
    }
    return status;
}

/* ---- making one ------------------------------------------------------------------------------ */

static void *copy(Arena *arena, const void *from, size_t bytes)
{
    if (!from) return NULL;
    return memcpy(arena_alloc(arena, bytes ? bytes : 1), from, bytes);
}

/* A pattern as the caller gave it; NULL: none. False: it is malformed. */
static bool take_pattern(AcausalIntegrator *it, const int *start, const int *row, const Pattern **out)
{
    size_t n = it->problem.n;
    *out = NULL;
    if (!start) return true;
    if (start[0] != 0 || start[n] < 0 || !row) return false;
    Pattern *p = NEW(it->arena, Pattern);
    *p = (Pattern){ (int)n, (int)n, copy(it->arena, start, (n + 1) * sizeof *start),
                    copy(it->arena, row, (size_t)start[n] * sizeof *row) };
    *out = p;
    return pattern_valid(p);
}

/* What is wrong with the call, or NULL. */
static const char *find_fault(const AcausalProblem *p)
{
    if (p->n == 0 || p->n > INT32_MAX / (p->parameter_count + 1)) return "the number of unknowns is wrong";
    if (!p->y0) return "y0 is missing";
    if (!p->f == !p->residual) return "one of f and residual has to be given";
    if (p->residual && p->parameter_count) return "derivatives in parameters need y' = f(t, y)";
    if (p->residual && p->mass) return "a mass matrix belongs to y' = f(t, y)";
    if (p->indicators && !p->indicate) return "indicators are declared, but not computed";
    if (p->parameter_count && !p->parameters) return "parameters are missing";
    if (!(p->rtol >= 0.0) || !(p->atol >= 0.0)) return "tolerances must not be negative";
    for (size_t i = 0; p->atol_each && i < p->n; i++)
        if (!(p->atol_each[i] >= 0.0)) return "tolerances must not be negative";
    return NULL;
}

static bool take_shape(AcausalIntegrator *it)
{
    AcausalProblem *p = &it->problem;
    ModelShape shape = { .name = "problem",
                         .n = (int)it->width,
                         .systems = (int)p->parameter_count + 1,
                         .indicators = (int)p->indicators,
                         .index = copy(it->arena, p->index, p->n),
                         .directions = copy(it->arena, p->directions, p->indicators) };
    const char *why;
    if (!take_pattern(it, p->pattern_start, p->pattern_row, &shape.pattern))
        return wrong(it->session, E_OPTION, "the pattern of the Jacobian is malformed");
    if (!take_pattern(it, p->mass_start, p->mass_row, &shape.mass_pattern))
        return wrong(it->session, E_OPTION, "the pattern of the mass matrix is malformed");
    size_t masses = shape.mass_pattern ? (size_t)pattern_count(shape.mass_pattern) : p->n;
    shape.mass = copy(it->arena, p->mass, masses * sizeof *p->mass);
    it->value_count = shape.pattern ? (size_t)pattern_count(shape.pattern) : p->n * p->n;
    if (p->jacobian || p->residual_jacobian) it->values = NEW_ARRAY(it->arena, double, it->value_count + 1);
    it->type = (ModelType){ .derivatives = p->f ? derivatives : NULL,
                            .residual = p->residual ? residual : NULL,
                            .jacobian = p->jacobian ? jacobian : NULL,
                            .residual_jacobian = p->residual_jacobian ? residual_jacobian : NULL,
                            .indicators = p->indicators ? indicators : NULL };
    return model_init(&it->model, &it->type, &shape, it, &why) || wrong(it->session, E_OPTION, "%s", why);
}

static bool take_options(AcausalIntegrator *it)
{
    const AcausalProblem *p = &it->problem;
    SimOptions named = sim_options(p->t0, p->t_end, p->rtol);
    char key[64], why[240];
    for (size_t i = 0; i < p->option_count; i++) {
        const char *equal = strchr(p->options[i], '=');
        size_t n = equal ? (size_t)(equal - p->options[i]) : 0;
        if (n == 0 || n >= sizeof key)
            return wrong(it->session, E_OPTION, "'%s' should be KEY=VALUE", p->options[i]);
        memcpy(key, p->options[i], n);
        key[n] = '\0';
        if (!sim_set_option(&named, key, equal + 1, why, sizeof why))
            return wrong(it->session, E_OPTION, "%s", why);
    }
    SolverOptions *o = &it->options;
    *o = named.solver_options;
    if (!(o->rtol > 0.0)) o->rtol = p->rtol > 0.0 || p->atol > 0.0 || p->atol_each ? p->rtol : 1e-6;
    if (!(o->atol > 0.0)) o->atol = p->atol > 0.0 ? p->atol : o->rtol;
    o->between = p->between;
    /* a derivative in p counts like y over the size of p */
    double *each = NEW_ARRAY(it->arena, double, it->width + 1);
    for (size_t k = 0; k < it->width; k++) {
        double size = k < p->n ? 1.0 : size_of_parameter(p, k / p->n - 1);
        each[k] = (p->atol_each ? p->atol_each[k % p->n] : o->atol) / size;
    }
    o->atol_each = each;
    return true;
}

static const SolverType *choose(AcausalIntegrator *it)
{
    const AcausalProblem *p = &it->problem;
    const char *why = NULL;
    if (p->tableau) {
        const SolverType *type = solver_of_tableau(it->arena, "tableau", str_of(p->tableau), &why);
        if (!type) wrong(it->session, E_OPTION, "the tableau is wrong: %s", why);
        return type;
    }
    if (!p->solver || !strcmp(p->solver, "auto")) return solver_default(&it->model, &it->options);
    const SolverType *type = solver_find(p->solver);
    if (!type) unknown(it->session, "solver", p->solver, solver_nearest(p->solver));
    return type;
}

static bool begin(AcausalIntegrator *it)
{
    const AcausalProblem *p = &it->problem;
    SolverFailure failure;
    const SolverType *type = choose(it);
    if (!type) return false;
    double *start = NEW_ARRAY(it->arena, double, it->width + 1);
    memcpy(start, p->y0, p->n * sizeof *start);
    if (p->slopes0) memcpy(start + p->n, p->slopes0, (it->width - p->n) * sizeof *start);
    double t_end = p->t_end == p->t0 ? INFINITY : p->t_end;
    Problem problem = { &it->model, p->t0, t_end, start, p->yp0 };
    it->solver = solver_create(type, &problem, &it->options, &failure);
    if (!it->solver) return wrong(it->session, E_OPTION, "%s", failure.text);
    it->solver_type = type;
    it->t = p->t0;
    it->is_fresh = true;
    return true;
}

static bool make(AcausalIntegrator *it)
{
    AcausalProblem *p = &it->problem;
    it->width = p->n * (p->parameter_count + 1);
    it->moved = NEW_ARRAY(it->arena, double, p->n + 1);
    it->f_moved = NEW_ARRAY(it->arena, double, p->n + 1);
    it->row = NEW_ARRAY(it->arena, double, it->width + 1);
    it->seen = NEW_ARRAY(it->arena, long, p->indicators + 1);
    p->terminal = copy(it->arena, p->terminal, p->indicators * sizeof *p->terminal);
    return take_shape(it) && take_options(it) && begin(it);
}

AcausalIntegrator *acausal_integrator_new(AcausalSession *session, const AcausalProblem *given)
{
    AcausalProblem own = { 0 };
    if (!TAKE(session, own, given)) return NULL;
    const char *fault = find_fault(&own);
    if (fault) {
        wrong(session, E_OPTION, "%s", fault);
        return NULL;
    }
    Arena *arena = arena_new();
    AcausalIntegrator *it = arena ? calloc(1, sizeof *it) : NULL;
    if (!it) {
        arena_free(arena);
        wrong(session, E_OPTION, "no memory for the integrator");
        return NULL;
    }
    jmp_buf out_of_memory;
    arena->escape = &out_of_memory;
    it->session = session;
    it->problem = own;
    it->arena = arena;
    bool ok = false;
    if (setjmp(out_of_memory))
        wrong(session, E_OPTION, "no memory for the integrator");
    else
        ok = make(it);
    arena->escape = NULL;
    if (ok) return it;
    acausal_integrator_free(it);
    return NULL;
}

void acausal_integrator_free(AcausalIntegrator *it)
{
    if (!it) return;
    solver_destroy(it->solver);
    course_free(&it->path);
    arena_free(it->arena);
    free(it);
}
