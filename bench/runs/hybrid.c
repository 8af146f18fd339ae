/* bench_hybrid.c: `acausal bench hybrid` as a function: runs of models rich in events, and their
 * ratios.
 *
 * In: a model or all. Out: rows as text, a line of ratios a model, geometric means; after that the
 * same of models that no constant of restarts was chosen with. Work is compared at equal accuracy
 * (bench/hybrid/compare.c), over four tolerances a decade, since the error at the end of a single
 * run is chance. The variants of one tolerance follow each other, so that a slow moment of the
 * machine meets all of them. Tests: tests/solve/restart_test.c. */
#include "bench/runs/runs.h"

#include "bench/hybrid/hybrid.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { VARIANTS = 3, CELLS = 10, CELL_ROOM = 32 };
static const double RUNG = 0.56234132519034908; /* 10^(-1/4) */

typedef struct {
    BenchRow row;
    void (*remark)(void *user, const char *line);
    void *user;
    double logs[2][2]; /* against classic and the foreign one: right-hand sides, CPU time */
    double worst;      /* CPU time against classic */
    int models;
} Table;

const char *bench_hybrid_model(size_t i)
{
    if (i < hybrid_problem_count) return hybrid_problems[i]->name;
    i -= hybrid_problem_count;
    return i < hybrid_held_out_count ? hybrid_held_out[i]->name : NULL;
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
    snprintf(text[3], CELL_ROOM, "%.3g", tol);
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
    t->worst = fmax(t->worst, ratio[0][1]);
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
    for (double tol = p->loosest; tol > 0.9 * p->tightest && ok; tol *= RUNG)
        for (int v = 0; v < VARIANTS; v++) {
            HybridRun run;
            hybrid_time(p, solver_find(variants[v].solver), variants[v].starter, tol, reference, &run);
            hybrid_climb(&ladder[v], &run);
            add_row(t, p, variants[v].solver, variants[v].name, tol, &run);
        }
    free(reference);
    if (ok) add_ratios(t, p->name, ladder);
    return ok ? ACAUSAL_DONE : ACAUSAL_FAILED;
}

static AcausalStatus run_part(Table *t, const char *title, const HybridProblem *const *problems, size_t n,
                              const char *only)
{
    AcausalStatus status = ACAUSAL_USAGE;
    memset(t->logs, 0, sizeof t->logs);
    t->models = 0;
    t->worst = 0.0;
    for (size_t i = 0; i < n; i++) {
        if (only && strcmp(only, problems[i]->name) != 0) continue;
        AcausalStatus one = run_model(t, problems[i]);
        if (status == ACAUSAL_USAGE || one != ACAUSAL_DONE) status = one;
    }
    char line[240];
    if (t->models > 1) {
        snprintf(
            line, sizeof line,
            "  %s, geometric means: nfev %.3f and cpu %.3f of classic (cpu at most %.2f), nfev %.3f and cpu "
            "%.3f of SUNDIALS",
            title, exp(t->logs[0][0] / t->models), exp(t->logs[0][1] / t->models), t->worst,
            exp(t->logs[1][0] / t->models), exp(t->logs[1][1] / t->models));
        t->remark(t->user, line);
    }
    return status;
}

AcausalStatus run_hybrid_bench(const char *only, BenchRow row, void (*remark)(void *user, const char *line),
                               void *user)
{
    Table t = { .row = row, .remark = remark, .user = user };
    AcausalStatus first = run_part(&t, "all", hybrid_problems, hybrid_problem_count, only);
    AcausalStatus second = run_part(&t, "held out", hybrid_held_out, hybrid_held_out_count, only);
    return first == ACAUSAL_USAGE || (first == ACAUSAL_DONE && second != ACAUSAL_USAGE) ? second : first;
}
