/* bench_step.c: `acausal bench step` as a function: what steps cost outside of f and linear algebra
 * (bench/ivp/overhead.c). */
#include "bench/runs/runs.h"

#include "bench/ivp/run.h"

#include <stdio.h>

enum { COLUMNS = 13, CELL = 32 };

const char *bench_step_problem_name(size_t i)
{
    const IvpProblem *p = ivp_overhead_problem(i);
    return p ? p->name : NULL;
}

static void give_row(const IvpProblem *p, const SolverType *type, const IvpOverhead *o, BenchRow row,
                     void *user)
{
    char text[COLUMNS][CELL];
    const char *cells[COLUMNS];
    const double numbers[] = { o->f,           o->solves,  o->step_ns,   o->f_ns,  o->linear_ns,
                               o->overhead_ns, o->columns, o->number_ns, o->own_ns };
    snprintf(text[0], CELL, "%s", p->name);
    snprintf(text[1], CELL, "%s", type->name);
    snprintf(text[2], CELL, "%ld", o->steps);
    snprintf(text[3], CELL, "%ld", o->attempts);
    for (size_t k = 0; k < COUNT_OF(numbers); k++)
        snprintf(text[4 + k], CELL, k < 2 || k == 6 || k == 7 ? "%.2f" : "%.0f", numbers[k]);
    for (int k = 0; k < COLUMNS; k++) cells[k] = text[k];
    row(user, cells, COLUMNS);
}

AcausalStatus run_step_bench(const char *problem, const char *solver, double rtol, BenchRow row, void *user)
{
    const IvpProblem *p;
    bool known = false;
    if (solver && !solver_find(solver)) return ACAUSAL_USAGE;
    for (size_t i = 0; (p = ivp_overhead_problem(i)); i++) {
        if (problem && strcmp(problem, p->name)) continue;
        known = true;
        for (size_t k = 0; k < solver_type_count; k++) {
            const SolverType *type = solver_types[k];
            IvpOverhead overhead;
            if (solver && strcmp(solver, type->name)) continue;
            if (!ivp_overhead_suits(p, type)) continue;
            if (!ivp_overhead(p, type, rtol, &overhead)) return ACAUSAL_WRONG;
            give_row(p, type, &overhead, row, user);
        }
    }
    return known ? ACAUSAL_DONE : ACAUSAL_USAGE;
}
