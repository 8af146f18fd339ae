/* runs.h: what is measured. Each function gives its rows, cell by cell as text, to `row`; the files
 * of bench/ above make commands of them. They may look into the library as its tests do. */
#ifndef ACAUSAL_BENCH_RUNS_H
#define ACAUSAL_BENCH_RUNS_H

#include "acausal.h"

typedef void (*BenchRow)(void *user, const char *const *cells, size_t n);

/* Straight-line model code, array loops and a media property as machine code, by the interpreter,
 * and by a C compiler where there is one. Columns: statements, backend, code_ms, ns_per_statement.
 * `only` names a backend or is NULL. */
AcausalStatus run_code_bench(const char *only, BenchRow row, void *user);

/* Models rich in events, each with one of our multistep methods restarting as it does by default
 * ("auto") and at order 1 ("classic"), and with its counterpart of SUNDIALS. Columns: model,
 * solver, restart, tol, steps, nfev, ngev, events, cpu_ms, error. After the rows of a model
 * `remark` gets a line with the ratios of right-hand sides and CPU time at equal accuracy, and at
 * the end their geometric means. `only` names a model or is NULL; ACAUSAL_USAGE: there is none of
 * that name. */
AcausalStatus run_hybrid_bench(const char *only, BenchRow row, void (*remark)(void *user, const char *line),
                               void *user);
/* The name of model i, or NULL past the last. */
const char *bench_hybrid_model(size_t i);

/* Derivatives of runs by all methods, on smooth, stiff and event-rich models, and by CVODES where a
 * model has no events. Columns: model, method, parameters, runs_equivalent, cpu_ms, error. Remarks
 * as above. */
AcausalStatus run_sensitivity_bench(const char *only, BenchRow row,
                                    void (*remark)(void *user, const char *line), void *user);
const char *bench_sensitivity_model(size_t i); /* its name, or NULL past the last */

/* Steps under rules for increments of differences, with models from a directory; remarks compare
 * with exact Jacobians. `only`: one of the names below, with all experiments; NULL: the first
 * experiment on all. ACAUSAL_USAGE: there is no such model. */
typedef struct {
    const char *only, *directory;
    long max_steps;
    double seconds; /* of processor time, for a run */
} IncrementsOptions;
const char *bench_increments_model(size_t i); /* NULL beyond the last */
AcausalStatus run_increments_bench(const IncrementsOptions *options, BenchRow row,
                                   void (*remark)(void *user, const char *line), void *user);

/* One row of the benchmark of translation. Memory is the largest of the process, so each row wants
 * a process of its own. */
typedef struct {
    const char *family;
    size_t equations, peak_bytes;
    double translate_seconds; /* from text to an instance */
    double flat_seconds;      /* of these, from the flat model on */
    double rhs_seconds;       /* of one evaluation */
    double jacobian_seconds;  /* of one exact Jacobian, at another point than the last evaluation */
} ScaleRow;

/* ACAUSAL_USAGE: there is no such family. */
AcausalStatus run_scale_bench(const char *family, size_t equations, ScaleRow *row);
/* The name of family i, or NULL past the last. */
const char *bench_scale_family(size_t i);

/* Factors, solves and whole steps for real time: of the sparsed Jacobian, of all of it by straight
 * code, by KLU and by LAPACK. Columns: model, variant, nnz, nnz_lu, factor_ns, solve_ns, step_ns,
 * operations, error. `models` is the directory of the models; `only` names a model or is NULL;
 * ACAUSAL_USAGE: there is none of that name. */
AcausalStatus run_realtime_bench(const char *models, const char *only, BenchRow row,
                                 void (*remark)(void *user, const char *line), void *user);
const char *bench_realtime_model(size_t i); /* the name of model i, or NULL past the last */

/* One run of the benchmark of initial value problems. */
typedef struct {
    const char *problem, *solver;
    int n;
    double rtol;
    char atol[96]; /* values that differ are separated by bars */
    long steps, nfev, njev, nlu;
    double cpu_ms, digits;
    double error; /* at the end, in tolerances */
    bool finished;
    char why[240]; /* of a run that did not finish */
} IvpRow;

typedef struct {
    const char *problem, *solver; /* NULL: all that suit each other */
    double loosest, tightest;     /* tolerances */
    double seconds;               /* processor time a run may take */
    size_t per_decade;            /* so many tolerances; 0: one */
} IvpOptions;

/* Calls `row` for each run. ACAUSAL_USAGE: no such problem or solver. */
AcausalStatus run_ivp_bench(const IvpOptions *options, void (*row)(void *arg, const IvpRow *row), void *arg);
/* The name of problem i, or NULL past the last. */
const char *bench_ivp_problem_name(size_t i);

/* Runs laid side by side: cost at equal digits, of ours, of SUNDIALS and of other programs;
 * delivered accuracy. */
typedef struct IvpStudy IvpStudy;
IvpStudy *ivp_study_new(void); /* NULL when memory is out */
void ivp_study_free(IvpStudy *study);
void ivp_study_add(IvpStudy *study, const IvpRow *row);
/* Rows of a CSV file, as the benchmark writes them, or of other programs. ACAUSAL_WRONG: see
 * *why. */
AcausalStatus ivp_study_read(IvpStudy *study, const char *csv, size_t n, bool peers, const char **why);
void ivp_study_report(const IvpStudy *study, AcausalWrite write, void *arg);
/* The work-precision diagram of a problem. ACAUSAL_WRONG: there are no runs of it. */
AcausalStatus ivp_study_svg(const IvpStudy *study, const char *problem, AcausalWrite write, void *arg);

/* Lists the directories of a library without reading its files; `files` of the report is the number
 * of classes found so. */
AcausalStatus run_index(AcausalSession *session, const char *path, AcausalParseReport *report);

#endif
