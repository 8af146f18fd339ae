/* block.c: blocks of equations that are solved together, and programs: functions and blocks in
 * their order.
 *
 * Initial guesses of nonlinear blocks are those of the last accepted step or event, linear blocks
 * start at zero; both are solved to rounding level. Tangents go through blocks by the implicit
 * function theorem. Tests: tests/gen/model_test.c. */
#include "run/inside.h"

#include <math.h>

static const double SELDOM_PIVOT =
    1e-3; /* by which a column becomes one that is not solved for, if another can be */
/* of a nominal value: rounding errors where a solution passes zero are smaller */
static const double LARGEST_ROUNDING = 1e-6;

/* ---- blocks ---------------------------------------------------------------------------------- */

typedef struct {
    RunInstance *i;
    const RunBlock *b;
} BlockCall;

static void put_unknowns(const BlockCall *k, const double *z)
{
    for (int j = 0; j < k->b->n; j++) k->i->memory[MEM_VALUE][k->b->vars[j]] = z[j];
}

static RtStatus residual(void *user, const double *z, double *r)
{
    const BlockCall *k = user;
    put_unknowns(k, z);
    RtStatus status = k->i->m->call(k->i->m->code, k->b->residual, k->i->rt);
    memcpy(r, k->i->memory[MEM_RESIDUAL], (size_t)k->b->n * sizeof *r);
    return status;
}

static int entries_of(const RunBlock *b) { return b->pattern ? b->pattern->start[b->n] : b->n * b->n; }

/* Called after residual() at the same place, so that the assignments inside hold. */
static RtStatus jacobian(void *user, const double *z, double *j)
{
    const BlockCall *k = user;
    double *made = k->i->memory[MEM_JACOBIAN];
    size_t bytes = (size_t)entries_of(k->b) * sizeof *j;
    (void)z;
    memset(made, 0, bytes);
    RtStatus status = k->i->m->call(k->i->m->code, k->b->jacobian, k->i->rt);
    if (j != made) memcpy(j, made, bytes);
    return status;
}

static const char *unknown_name(const RunInstance *i, const RunBlock *b, int k)
{
    return i->m->name[b->vars[k]];
}

static void load_initial_guesses(RunInstance *i, const RunBlock *b, bool from_values, double *z)
{
    for (int j = 0; j < b->n; j++)
        z[j] = from_values ? i->memory[MEM_VALUE][b->vars[j]] : i->tearing[b->tearing + (uint32_t)j];
}

static RunStatus fail_singular(RunInstance *i, const RunBlock *b, int column)
{
    run_fail(i, RUN_RETRY, "at time %.10g: the linear equations for '%s'%s are singular,",
             i->memory[MEM_MODE][MODE_TIME], unknown_name(i, b, column), b->n > 1 ? " and others" : "");
    run_note_block(i, b, RT_SINGULAR, 0);
    run_add_source(i, b->eqs[column]);
    return RUN_RETRY;
}

/* Factors a singular matrix as if each unknown that nothing determines were held where it is: with
 * A' = A + e_i e_j' for each row i that depends on others and each such unknown j, A' d = r has d_j
 * = 0 wherever A d = r has a solution. That is what a node without flow means: any enthalpy will
 * do. Where several could be held, as two frictions that share one load, it is another one once
 * events crowd (event.c): the friction that gives way is held, and the other takes the rest. False:
 * not even A' is regular. */
static bool factor_singular(BlockCall *k, const double *z, double *lu, int *pivot)
{
    int n = k->b->n, *rows = (int *)(void *)(k->i->work + n), *cols = rows + n;
    uint32_t held = k->i->now.held;
    if (jacobian(k, z, lu) != RT_OK) return false;
    for (int row = 0; row < n && held; row++) lu[row * n + (int)(held % (uint32_t)n)] *= SELDOM_PIVOT;
    int rank = rt_lu_rank(lu, n, rows, cols);
    if (jacobian(k, z, lu) != RT_OK) return false;
    for (int q = rank; q < n; q++) lu[rows[q] * n + cols[q]] += 1;
    return rt_lu_factor(lu, n, pivot) == 0;
}

/* ---- factors, dense or sparse ---------------------------------------------------------------- */

/* Called after residual(). 0, or the first column without a pivot, counted from 1; -1: the code
 * failed. */
static int factor_block(BlockCall *k)
{
    RunInstance *i = k->i;
    const RunBlock *b = k->b;
    double *lu = b->pattern ? i->memory[MEM_JACOBIAN] : i->lu + b->lu;
    if (jacobian(k, NULL, lu) != RT_OK) return -1;
    return b->pattern ? rt_sparse_factor(i->sparse[b->sparse], lu)
                      : rt_lu_factor(lu, b->n, i->pivot + b->tearing);
}

static void solve_factored(const RunInstance *i, const RunBlock *b, double *r)
{
    if (b->pattern)
        rt_sparse_solve(i->sparse[b->sparse], r);
    else
        rt_lu_solve(i->lu + b->lu, b->n, i->pivot + b->tearing, r);
}

/* Whether the matrix is regular once rows and columns are brought to one scale: then what does
 * not settle is rounding in the equations, as where large currents cancel. */
static bool is_regular(BlockCall *k)
{
    int n = k->b->n, *rows = (int *)(void *)(k->i->work + n), *cols = rows + n;
    double *a = k->i->memory[MEM_JACOBIAN];
    if (k->b->pattern || jacobian(k, NULL, a) != RT_OK) return false;
    for (int i = 0; i < n; i++) {
        double largest = 0;
        for (int j = 0; j < n; j++) largest = fmax(largest, fabs(a[i * n + j]));
        for (int j = 0; j < n && largest > 0; j++) a[i * n + j] /= largest;
    }
    for (int j = 0; j < n; j++) {
        double largest = 0;
        for (int i = 0; i < n; i++) largest = fmax(largest, fabs(a[i * n + j]));
        for (int i = 0; i < n && largest > 0; i++) a[i * n + j] /= largest;
    }
    return rt_lu_rank(a, n, rows, cols) == n;
}

/* Linear equations need no guess, but for unknowns that they leave open: those stay where they
 * were. */
static RunStatus solve_linear(BlockCall *k, bool from_values, double *z, double *lu, int *pivot)
{
    RunInstance *i = k->i;
    const RunBlock *b = k->b;
    double *r = i->work;
    int singular = 0;
    memset(z, 0, (size_t)b->n * sizeof *z);
    if ((singular = factor_block(k)) < 0) return run_fail_code(i);
    if (singular) {
        load_initial_guesses(i, b, from_values, z);
        if (b->pattern || !factor_singular(k, z, lu, pivot)) return fail_singular(i, b, singular - 1);
    }
    for (int round = 0; round < 3; round++) {
        if (residual(k, z, r) != RT_OK) return run_fail_code(i);
        solve_factored(i, b, r);
        double change = 0, size = 0, nominal = 0;
        for (int j = 0; j < b->n; j++) {
            change = fmax(change, fabs(r[j]));
            size = fmax(size, fabs(z[j]));
            nominal = fmax(nominal, i->memory[MEM_NOMINAL][b->vars[j]]);
        }
        if (round && change <= 1e-14 * size) return RUN_OK;
        if (round == 2 && singular && change > fmax(1e-9 * size, 1e-12 * nominal))
            return fail_singular(i, b, singular - 1);
        if (round == 2 && b->n > 1 && change > fmax(1e-3 * size, LARGEST_ROUNDING * nominal) &&
            !is_regular(k)) {
            load_initial_guesses(i, b, from_values, z);
            if (b->pattern || !factor_singular(k, z, lu, pivot)) return fail_singular(i, b, 0);
            singular = 1; /* within rounding */
            round = -1;
            continue;
        }
        for (int j = 0; j < b->n; j++) z[j] -= r[j];
        if (!isfinite(change)) {
            run_fail(i, RUN_RETRY, "at time %.10g: the linear equations for '%s' have no finite solution",
                     i->memory[MEM_MODE][MODE_TIME], unknown_name(i, b, 0));
            run_note_block(i, b, RT_NOT_DEFINED, 0);
            run_add_cause(i, b->residual);
            return RUN_RETRY;
        }
    }
    return residual(k, z, r) == RT_OK ? RUN_OK : run_fail_code(i);
}

static RunStatus solve_nonlinear(BlockCall *k, bool from_values, double *z, double *lu, int *pivot)
{
    RunInstance *i = k->i;
    const RunBlock *b = k->b;
    static const char *const why[] = { "", "do not converge", "have a singular Jacobian", "are not defined" };
    for (int j = 0; j < b->n; j++) {
        i->block_nominal[j] = fmax(i->memory[MEM_NOMINAL][b->vars[j]], 1e-300);
        i->low[j] = i->memory[MEM_MIN][b->vars[j]];
        i->high[j] = i->memory[MEM_MAX][b->vars[j]];
    }
    RtNewton newton = { .n = b->n,
                        .residual = residual,
                        .jacobian = jacobian,
                        .user = k,
                        .nominal = i->block_nominal,
                        .low = i->low,
                        .high = i->high,
                        .work = i->work,
                        .lu = b->pattern ? i->memory[MEM_JACOBIAN] : lu,
                        .pivot = pivot,
                        .sparse = b->pattern ? i->sparse[b->sparse] : NULL,
                        .entries = entries_of(b),
                        .looks = i->memory[MEM_MODE][MODE_INITIAL] != 0 };
    memcpy(i->guess, z, (size_t)b->n * sizeof *z);
    RtSolve solved = rt_newton(&newton, z);
    i->newton_iterations += newton.iterations;
    if (solved == RT_SOLVED) return RUN_OK;
    if (b->n <= LARGEST_PATH && !b->pattern && !i->now.must_stay) {
        RtNewton second = newton;
        memcpy(i->path_room, z, (size_t)b->n * sizeof *z);
        load_initial_guesses(i, b, from_values, z);
        if (rt_continue(&second, z, i->path_room + b->n, i->path_pivot) == RT_SOLVED) return RUN_OK;
        memcpy(z, i->path_room, (size_t)b->n * sizeof *z);
    }
    RtStatus broken = i->rt->error.status;
    if (solved == RT_NOT_DEFINED && (broken == RT_DEPTH || broken == RT_STEPS || broken == RT_MEMORY))
        return run_fail_code(i); /* no other guess helps */
    run_fail(
        i, RUN_RETRY,
        "at time %.10g: the equations for '%s'%s %s after %d iterations; '%s' is %.6g, worst residual %.3g",
        i->memory[MEM_MODE][MODE_TIME], unknown_name(i, b, 0), b->n > 1 ? " and others" : "", why[solved],
        newton.iterations, unknown_name(i, b, newton.worst), z[newton.worst], newton.worst_value);
    if (solved != RT_NOT_DEFINED)
        residual(k, z, i->work); /* values are those of the last try, not of the path */
    run_note_block(i, b, solved, newton.iterations);
    if (solved == RT_NOT_DEFINED)
        run_add_cause(i, b->residual);
    else
        run_add_source(i, b->eqs[newton.worst]);
    return RUN_RETRY;
}

void run_set_interrupt(RunInstance *i, RunInterrupt interrupt, void *arg)
{
    i->interrupt = interrupt;
    i->interrupt_arg = arg;
}

void run_cut_short(RunInstance *i) { *(volatile int64_t *)&i->rt->steps = 0; }

static RunStatus solve_block(RunInstance *i, const RunBlock *b, bool from_values)
{
    BlockCall k = { .i = i, .b = b };
    double *z = i->unknowns, *lu = i->lu + b->lu;
    int *pivot = i->pivot + b->tearing;
    if (b->is_linear) return solve_linear(&k, from_values, z, lu, pivot);
    if (i->interrupt && i->interrupt(i->interrupt_arg)) return run_fail(i, RUN_FATAL, "stopped");
    load_initial_guesses(i, b, from_values, z);
    return solve_nonlinear(&k, from_values, z, lu, pivot);
}

RunStatus run_program(RunInstance *i, const RunProgram *p, bool from_values)
{
    for (uint32_t k = 0; k < p->n; k++) {
        const RunStep *step = &p->at[k];
        RunStatus status = step->block == NONE ? run_call(i, step->run)
                                               : solve_block(i, &i->m->blocks[step->block], from_values);
        if (status != RUN_OK) return status;
    }
    return RUN_OK;
}

static void keep_initial_guesses(RunInstance *i, const RunProgram *p)
{
    for (uint32_t k = 0; k < p->n; k++) {
        if (p->at[k].block == NONE) continue;
        const RunBlock *b = &i->m->blocks[p->at[k].block];
        for (int j = 0; j < b->n; j++)
            i->tearing[b->tearing + (uint32_t)j] = i->memory[MEM_VALUE][b->vars[j]];
    }
}

void run_keep_initial_guesses(RunInstance *i)
{
    keep_initial_guesses(i, &i->m->derivatives);
    keep_initial_guesses(i, &i->m->rest);
}

RunStatus run_everything(RunInstance *i, bool from_values)
{
    RunStatus status = run_program(i, &i->m->derivatives, from_values);
    return status == RUN_OK ? run_program(i, &i->m->rest, from_values) : status;
}

/* ---- tangents -------------------------------------------------------------------------------- */

RunStatus run_tangents(RunInstance *i)
{
    const RunProgram *p = &i->m->derivatives;
    for (uint32_t k = 0; k < p->n; k++) {
        const RunStep *step = &p->at[k];
        if (step->block == NONE) {
            if (run_call(i, step->tangent) != RUN_OK) return RUN_RETRY;
            continue;
        }
        const RunBlock *b = &i->m->blocks[step->block];
        double *d = i->memory[MEM_TANGENT], *r = i->memory[MEM_RESIDUAL];
        for (int j = 0; j < b->n; j++) d[b->vars[j]] = 0;
        if (run_call(i, b->tangent) != RUN_OK) return RUN_RETRY;
        solve_factored(i, b, r);
        for (int j = 0; j < b->n; j++) d[b->vars[j]] = -r[j];
        if (run_call(i, b->tangent) != RUN_OK) return RUN_RETRY;
    }
    return RUN_OK;
}

RunStatus run_factor_blocks(RunInstance *i, const RunProgram *p)
{
    for (uint32_t k = 0; k < p->n; k++) {
        if (p->at[k].block == NONE) continue;
        const RunBlock *b = &i->m->blocks[p->at[k].block];
        if (b->is_linear) continue;
        BlockCall call = { .i = i, .b = b };
        if (factor_block(&call))
            return run_fail(i, RUN_RETRY, "the equations for '%s' have a singular Jacobian",
                            unknown_name(i, b, 0));
    }
    return RUN_OK;
}

RunStatus run_gradients(RunInstance *i, const void *code, const RunGradient *steps, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++) {
        const RunGradient *g = &steps[k];
        const RunBlock *b = g->block == NONE ? NULL : &i->m->blocks[g->block];
        double *matrix = i->memory[MEM_GRADIENT] + g->place;
        size_t n = b ? (size_t)b->n * g->columns : 0;
        if (n) memset(matrix, 0, n * sizeof *matrix);
        if (i->m->call(code, g->run, i->rt) != RT_OK) return run_fail_code(i);
        for (uint32_t j = 0; b && j < g->columns; j++)
            solve_factored(i, b, matrix + (size_t)j * (size_t)b->n);
        for (size_t j = 0; j < n; j++) matrix[j] = -matrix[j];
    }
    return RUN_OK;
}
