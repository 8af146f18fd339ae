/* measure.c: the time of a step and of its parts: by straight code, by KLU, by LAPACK.
 *
 * In: a scenario and the choice of entries. Out: nonzeros, seconds and operations of each variant,
 * at the first linearisation. How: the least mean of several rounds, since others may use the
 * machine. KLU is called as an integrator would at best: klu_refactor with known pivots, no check
 * of growth. Cost: some tenths of a second. Tests: tests/realtime/stepper_test.c checks all but
 * times. */
#include "realtime/inside.h"

#include <math.h>
#include <stdio.h>
#include <suitesparse/klu.h>

void dgetrf_(const int *m, const int *n, double *a, const int *lda, int *ipiv, int *info);
void dgetrs_(const char *trans, const int *n, const int *nrhs, const double *a, const int *lda,
             const int *ipiv, double *b, const int *ldb, int *info, size_t trans_length);

static const double ROUND_SECONDS = 3e-4;
enum { ROUNDS = 8 };

static double time_of(void (*work)(void *arg), void *arg)
{
    double best = INFINITY;
    long times = 1;
    for (int round = 0; round < ROUNDS;) {
        double start = clock_wall();
        for (long k = 0; k < times; k++) work(arg);
        double seconds = clock_wall() - start;
        if (seconds < ROUND_SECONDS && times < 1L << 20) {
            times *= 2;
            continue;
        }
        best = fmin(best, seconds / (double)times);
        round++;
    }
    return best;
}

/* ---- straight code --------------------------------------------------------------------------- */

typedef struct {
    RtStepper *stepper;
    RtPart part;
} PartCall;

static void run_part(void *arg)
{
    const PartCall *call = arg;
    stepper_run_part(call->stepper, call->part);
}

static double time_part(RtStepper *stepper, RtPart part)
{
    return time_of(run_part, &(PartCall){ stepper, part });
}

static RtStepper *measure_straight(const RtScenario *s, const RtPoint *point, RtMeasurement *row, char *why,
                                   size_t room)
{
    RtStepper *stepper = stepper_new(s, point->kept, &(RtStepperOptions){ .order = 1 }, why, room);
    if (!stepper || !stepper_start(stepper, s->options.start)) {
        stepper_free(stepper);
        return NULL;
    }
    RtOperations operations = stepper_operations(stepper);
    stepper_run_part(stepper, RT_EVALUATE);
    row->count = point->count;
    row->count_lu = point->count_lu;
    row->factor_s = time_part(stepper, RT_FACTOR);
    row->solve_s = time_part(stepper, RT_SOLVE);
    row->both_s = time_part(stepper, RT_FACTOR_SOLVE);
    row->step_s = time_part(stepper, RT_STEP);
    row->operations = operations_total(&operations);
    row->error = point->outcome.error;
    return stepper;
}

/* ---- libraries ------------------------------------------------------------------------------- */

typedef struct {
    const RtSystem *system;
    Model *model;
    const MatrixShape *shape;
    double t;
    const double *y;
    double *f, *jacobian, *matrix, *factors, *d;
    int *pivots;
    klu_common common;
    klu_symbolic *symbolic;
    klu_numeric *numeric;
} Library;

static void evaluate(Library *l)
{
    memset(l->jacobian, 0, l->shape->size * sizeof(double));
    l->model->type->derivatives(l->model, l->t, l->y, l->f);
    l->model->type->jacobian(l->model, l->t, l->y, l->shape, l->jacobian);
}

static void fill(Library *l)
{
    for (size_t k = 0; k < l->shape->size; k++) l->matrix[k] = -l->system->tau * l->jacobian[k];
    for (int i = 0; i < l->system->n; i++) l->matrix[l->shape->diagonal[i]] += l->system->mass[i];
}

static void dense_factor(void *arg)
{
    Library *l = arg;
    int info, n = l->system->n;
    memcpy(l->factors, l->matrix, l->shape->size * sizeof(double));
    dgetrf_(&n, &n, l->factors, &n, l->pivots, &info);
}

static void dense_solve(void *arg)
{
    Library *l = arg;
    int info, n = l->system->n, one = 1;
    memcpy(l->d, l->f, (size_t)n * sizeof(double));
    dgetrs_("N", &n, &one, l->factors, &n, l->pivots, l->d, &n, &info, 1);
}

static int *start_of(const Library *l) { return (int *)(uintptr_t)l->shape->pattern->start; }
static int *row_of(const Library *l) { return (int *)(uintptr_t)l->shape->pattern->row; }

static void sparse_factor(void *arg)
{
    Library *l = arg;
    klu_refactor(start_of(l), row_of(l), l->matrix, l->symbolic, l->numeric, &l->common);
}

static void sparse_solve(void *arg)
{
    Library *l = arg;
    memcpy(l->d, l->f, (size_t)l->system->n * sizeof(double));
    klu_solve(l->symbolic, l->numeric, l->system->n, 1, l->d, &l->common);
}

static void dense_both(void *arg)
{
    dense_factor(arg);
    dense_solve(arg);
}

static void sparse_both(void *arg)
{
    sparse_factor(arg);
    sparse_solve(arg);
}

static void dense_step(void *arg)
{
    evaluate(arg);
    fill(arg);
    dense_both(arg);
}

static void sparse_step(void *arg)
{
    evaluate(arg);
    fill(arg);
    sparse_both(arg);
}

static bool open_klu(Library *l)
{
    klu_defaults(&l->common);
    l->symbolic = klu_analyze(l->system->n, start_of(l), row_of(l), &l->common);
    if (l->symbolic) l->numeric = klu_factor(start_of(l), row_of(l), l->matrix, l->symbolic, &l->common);
    return l->numeric;
}

static void close_klu(Library *l)
{
    if (l->numeric) klu_free_numeric(&l->numeric, &l->common);
    if (l->symbolic) klu_free_symbolic(&l->symbolic, &l->common);
}

static bool measure_library(RtScenario *s, MatrixKind kind, RtMeasurement *row)
{
    Arena *arena = arena_new();
    if (!arena) return false;
    size_t n = (size_t)s->system.n;
    Library l = { .system = &s->system, .model = scenario_instance(s), .t = s->at[0].t, .y = s->at[0].y };
    double *y = NEW_ARRAY(arena, double, n + 1);
    EventInfo info;
    bool ok = l.model && l.model->type->initialise(l.model, s->options.start, y, &info) == EVAL_OK;
    l.shape = matrix_shape_as(arena, kind, s->system.n, s->system.pattern);
    l.f = NEW_ARRAY(arena, double, n + 1);
    l.d = NEW_ARRAY(arena, double, n + 1);
    l.jacobian = NEW_ARRAY(arena, double, l.shape->size + 1);
    l.matrix = NEW_ARRAY(arena, double, l.shape->size + 1);
    l.factors = NEW_ARRAY(arena, double, l.shape->size + 1);
    l.pivots = NEW_ARRAY(arena, int, n + 1);
    if (ok) evaluate(&l);
    if (ok) fill(&l);
    bool dense = kind == MATRIX_DENSE;
    ok = ok && (dense || open_klu(&l));
    if (ok) {
        row->factor_s = time_of(dense ? dense_factor : sparse_factor, &l);
        row->solve_s = time_of(dense ? dense_solve : sparse_solve, &l);
        row->both_s = time_of(dense ? dense_both : sparse_both, &l);
        row->step_s = time_of(dense ? dense_step : sparse_step, &l);
        row->count = dense ? (int)(n * n) : pattern_count(l.shape->pattern);
        row->count_lu = dense ? (int)(n * n) : l.numeric->lnz + l.numeric->unz + l.numeric->nzoff - (int)n;
    }
    close_klu(&l);
    gen_instance_free(l.model);
    arena_free(arena);
    return ok;
}

bool measure_variants(RtScenario *s, const RtSparsing *sparsing, RtMeasurement rows[RT_VARIANTS], char *why,
                      size_t room)
{
    static const char *const names[RT_VARIANTS] = { "sparsed", "straight", "klu", "dense", "dense-straight" };
    for (int k = 0; k < RT_VARIANTS; k++)
        rows[k] = (RtMeasurement){ .variant = names[k], .error = sparsing->exact.outcome.error };
    RtStepper *sparsed = measure_straight(s, sparsing_choice(sparsing), &rows[0], why, room);
    RtStepper *all = sparsed ? measure_straight(s, &sparsing->exact, &rows[1], why, room) : NULL;
    bool ok =
        all && measure_library(s, MATRIX_SPARSE, &rows[2]) && measure_library(s, MATRIX_DENSE, &rows[3]);
    if (ok) {
        rows[4] = rows[3];
        rows[4].variant = names[4];
        rows[4].step_s = rows[3].both_s + time_part(all, RT_EVALUATE);
    }
    stepper_free(sparsed);
    stepper_free(all);
    return ok;
}
