/* bench_hybrid.c: `acausal bench hybrid` as a function: runs of models rich in events, and their ratios.
 *
 * In: a model or all. Out: rows as text, a line of ratios a model, geometric means. Work is compared at equal accuracy
 * (bench/hybrid/compare.c). Tests: tests/solve/restart_test.c. */
#include "acausal.h"

#include "bench/hybrid/hybrid.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { VARIANTS = 3, CELLS = 10, CELL_ROOM = 32 };

typedef struct {
    AcausalRow row;
    void (*remark)(void *user, const char *line);
    void *user;
    double logs[2][2]; /* against classic and the foreign one: right-hand sides, CPU time */
    int models;
} Table;

const char *acausal_hybrid_model(size_t i)
{
    return i < hybrid_problem_count ? hybrid_problems[i]->name : NULL;
}

static void add_row(Table *t, const HybridProblem *p, const char *solver, const char *restart, double tol,
                    const HybridRun *run)
{
    char text[CELLS][CELL_ROOM];
    const char *cells[CELLS];
    const SolverStats *s = &run->stats;
    for (int i = 0; i < CELLS; i++) cells[i] = text[i];
    snprintf(text[0], CELL_ROOM, "%s", p->name);
    snprintf(text[1], CELL_ROOM, "%s", solver);
    snprintf(text[2], CELL_ROOM, "%s", restart);
    snprintf(text[3], CELL_ROOM, "%g", tol);
    snprintf(text[4], CELL_ROOM, "%ld", s->steps);
    snprintf(text[5], CELL_ROOM, "%ld", s->f + s->f_jacobian);
    snprintf(text[6], CELL_ROOM, "%ld", s->indicators);
    snprintf(text[7], CELL_ROOM, "%ld", run->events + run->time_events);
    snprintf(text[8], CELL_ROOM, "%.4g", 1e3 * run->seconds);
    if (run->finished)
        snprintf(text[9], CELL_ROOM, "%.3g", run->error);
    else
        snprintf(text[9], CELL_ROOM, "FAIL");
    t->row(t->user, cells, CELLS);
}

static void add_ratios(Table *t, const char *name, const HybridLadder ladder[VARIANTS])
{
    char line[200];
    double ratio[2][2];
    for (int k = 0; k < 2; k++) {
        hybrid_compare(&ladder[0], &ladder[k + 1], &ratio[k][0], &ratio[k][1]);
        for (int j = 0; j < 2; j++) t->logs[k][j] += log(fmax(ratio[k][j], 1e-9));
    }
    t->models++;
    snprintf(line, sizeof line, "  %s: nfev %.2f and cpu %.2f of classic, nfev %.2f and cpu %.2f of SUNDIALS",
             name, ratio[0][0], ratio[0][1], ratio[1][0], ratio[1][1]);
    t->remark(t->user, line);
}

static AcausalStatus run_model(Table *t, const HybridProblem *p)
{
    const struct {
        const char *solver, *name;
        Starter starter;
    } variants[VARIANTS] = { { p->solver, "auto", STARTER_AUTO },
                             { p->solver, "classic", STARTER_CLASSIC },
                             { p->foreign, "reinit", STARTER_AUTO } };
    HybridLadder ladder[VARIANTS] = { { 0 } };
    double *reference = calloc((size_t)p->n, sizeof *reference);
    bool ok = reference && hybrid_reference(p, reference);
    for (int v = 0; v < VARIANTS && ok; v++)
        for (double tol = p->loosest; tol > 0.5 * p->tightest; tol *= 0.1) {
            HybridRun run;
            hybrid_run(p, solver_find(variants[v].solver), variants[v].starter, tol, reference, NULL, &run);
            hybrid_climb(&ladder[v], &run);
            add_row(t, p, variants[v].solver, variants[v].name, tol, &run);
        }
    free(reference);
    if (ok) add_ratios(t, p->name, ladder);
    return ok ? ACAUSAL_DONE : ACAUSAL_FAILED;
}

AcausalStatus acausal_bench_hybrid(const char *only, AcausalRow row,
                                   void (*remark)(void *user, const char *line), void *user)
{
    Table t = { .row = row, .remark = remark, .user = user };
    AcausalStatus status = ACAUSAL_USAGE;
    for (size_t i = 0; i < hybrid_problem_count; i++) {
        if (only && strcmp(only, hybrid_problems[i]->name) != 0) continue;
        AcausalStatus one = run_model(&t, hybrid_problems[i]);
        if (status == ACAUSAL_USAGE || one != ACAUSAL_DONE) status = one;
    }
    char line[200];
    if (t.models > 1) {
        snprintf(line, sizeof line,
                 "  geometric means: nfev %.2f and cpu %.2f of classic, nfev %.2f and cpu %.2f of SUNDIALS",
                 exp(t.logs[0][0] / t.models), exp(t.logs[0][1] / t.models), exp(t.logs[1][0] / t.models),
                 exp(t.logs[1][1] / t.models));
        remark(user, line);
    }
    return status;
}
