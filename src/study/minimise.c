/* minimise.c: a minimum of any smooth function within bounds, by NLopt.
 *
 * In: a value with its gradient. Out: the best point found. Always: parameters are scaled by their
 * sizes before NLopt sees them; where there is no value, infinity stands for it. Tests:
 * tests/study/fit_test.c. */
#include "study/study.h"

#include <math.h>
#include <nlopt.h>
#include <stdio.h>

const char *const minimise_algorithms[] = { "slsqp", "lbfgs", "mma", "tnewton" };
const size_t minimise_algorithm_count = COUNT_OF(minimise_algorithms);
static const nlopt_algorithm codes[] = { NLOPT_LD_SLSQP, NLOPT_LD_LBFGS, NLOPT_LD_MMA,
                                         NLOPT_LD_TNEWTON_PRECOND_RESTART };

typedef struct {
    const MinimiseProblem *problem;
    double *p, *best;
    double least;
    int evaluations;
} Call;

static double value_at(unsigned m, const double *x, double *gradient, void *user)
{
    Call *c = user;
    const MinimiseProblem *f = c->problem;
    double value = INFINITY;
    for (unsigned j = 0; j < m; j++) c->p[j] = x[j] * f->size[j];
    c->evaluations++;
    double *g = gradient ? gradient : c->p + m;
    if (!f->value(f->arg, c->p, &value, g)) return HUGE_VAL;
    for (unsigned j = 0; j < m; j++) g[j] *= f->size[j];
    if (value < c->least) {
        c->least = value;
        memcpy(c->best, c->p, m * sizeof *c->p);
    }
    return value;
}

static size_t find(const char *name)
{
    for (size_t k = 0; name && k < COUNT_OF(minimise_algorithms); k++)
        if (!strcmp(name, minimise_algorithms[k])) return k;
    return 0;
}

bool minimise(const MinimiseProblem *f, double *p, double *value, int *evaluations, char *why, size_t room)
{
    size_t m = (size_t)f->m;
    Arena *arena = arena_new();
    nlopt_opt opt = nlopt_create(codes[find(f->algorithm)], (unsigned)m);
    if (!arena || !opt) {
        snprintf(why, room, "no memory");
        nlopt_destroy(opt);
        if (arena) arena_free(arena);
        return false;
    }
    double *x = NEW_ARRAY(arena, double, m + 1), *low = NEW_ARRAY(arena, double, m + 1),
           *high = NEW_ARRAY(arena, double, m + 1);
    Call call = { .problem = f,
                  .p = NEW_ARRAY(arena, double, 2 * m + 1),
                  .best = NEW_ARRAY(arena, double, m + 1),
                  .least = INFINITY };
    for (size_t j = 0; j < m; j++) {
        low[j] = f->low[j] / f->size[j];
        high[j] = f->high[j] / f->size[j];
        x[j] = fmin(fmax(p[j] / f->size[j], low[j]), high[j]);
    }
    nlopt_set_lower_bounds(opt, low);
    nlopt_set_upper_bounds(opt, high);
    nlopt_set_min_objective(opt, value_at, &call);
    nlopt_set_xtol_rel(opt, f->tolerance > 0.0 ? f->tolerance : 1e-8);
    nlopt_set_ftol_rel(opt, 1e-13);
    nlopt_set_maxeval(opt, f->most_evaluations > 0 ? f->most_evaluations : 500);
    nlopt_result end = nlopt_optimize(opt, x, value);
    bool ok = isfinite(call.least);
    if (ok) {
        memcpy(p, call.best, m * sizeof *p);
        *value = call.least;
    } else {
        snprintf(why, room, "the objective has no value where the search begins (%s)",
                 nlopt_result_to_string(end));
    }
    *evaluations = call.evaluations;
    nlopt_destroy(opt);
    arena_free(arena);
    return ok;
}
