/* maps.c: the functions of a running model: derivatives, their Jacobian, indicators, all values,
 * what is set from outside.
 *
 * Always: f is pure. Cost of a Jacobian: one pass that makes all its entries but those that depend
 * on parameters alone, after one evaluation where they need what it computes; or one evaluation and
 * one sweep of tangents for each colour. Events are in event.c. Tests: tests/gen/model_test.c. */
#include "run/inside.h"

#include <math.h>

static const double LEAST_LEAP = 1e-8;

void run_set_point(RunInstance *i, double t, const double *y)
{
    const RunModel *m = i->m;
    i->computed = COMPUTED_NOTHING;
    i->memory[MEM_MODE][MODE_TIME] = t;
    for (uint32_t k = 0; k < m->state_count; k++) i->memory[MEM_VALUE][m->states[k]] = y[k];
}

void run_forget(RunInstance *i)
{
    i->computed = COMPUTED_NOTHING;
    i->entries_stand = false;
}

static bool is_there(const RunInstance *i, double t, const double *y)
{
    const RunModel *m = i->m;
    bool same = i->computed && i->memory[MEM_MODE][MODE_TIME] == t;
    for (uint32_t k = 0; k < m->state_count && same; k++) same = i->memory[MEM_VALUE][m->states[k]] == y[k];
    return same;
}

RunStatus run_compute(RunInstance *i, double t, const double *y)
{
    if (is_there(i, t, y)) return RUN_OK;
    run_set_point(i, t, y);
    RunStatus status = run_program(i, &i->m->derivatives, false);
    if (status == RUN_OK) i->computed = COMPUTED_DERIVATIVES;
    return status;
}

RunStatus run_complete(RunInstance *i, double t, const double *y)
{
    RunStatus status = run_compute(i, t, y);
    if (status == RUN_OK && i->computed < COMPUTED_ALL) status = run_program(i, &i->m->rest, false);
    if (status == RUN_OK) i->computed = COMPUTED_ALL;
    return status;
}

const RtArray *run_memories(const RunInstance *i) { return i->arrays; }

RunStatus run_derivatives(RunInstance *i, double t, const double *y, double *f)
{
    const RunModel *m = i->m;
    run_set_point(i, t, y);
    i->now.must_stay = m->state_count && fabs(t - i->now.t_kept) > LEAST_LEAP * i->now.longest_step;
    RunStatus status = i->m->asserts ? run_everything(i, false) : run_program(i, &i->m->derivatives, false);
    i->now.must_stay = false;
    if (status == RUN_OK) status = run_check(i, RUN_RETRY);
    if (status != RUN_OK) return status;
    i->computed = m->asserts ? COMPUTED_ALL : COMPUTED_DERIVATIVES;
    for (uint32_t k = 0; k < m->state_count; k++) {
        f[k] = i->memory[MEM_VALUE][m->rates[k]];
        if (isfinite(f[k])) continue;
        run_fail(i, RUN_RETRY, "at time %.10g: der(%s) is not finite", t, m->name[m->states[k]]);
        run_add_cause(i, NONE);
        return RUN_RETRY;
    }
    return RUN_OK;
}

/* The columns of one colour, by one sweep. */
static RunStatus put_columns(RunInstance *i, int colour, RunPut put, void *arg)
{
    const RunModel *m = i->m;
    double *d = i->memory[MEM_TANGENT];
    int from = m->colour_start ? m->colour_start[colour] : colour;
    int to = m->colour_start ? m->colour_start[colour + 1] : colour + 1;
    for (int k = from; k < to; k++) d[m->states[m->colour_start ? m->colour_column[k] : k]] = 1;
    RunStatus status = run_tangents(i);
    for (int k = from; k < to; k++) {
        int column = m->colour_start ? m->colour_column[k] : k;
        int first = m->jacobian_start ? m->jacobian_start[column] : 0;
        int last = m->jacobian_start ? m->jacobian_start[column + 1] : (int)m->state_count;
        for (int e = first; e < last; e++) {
            int row = m->jacobian_start ? m->jacobian_row[e] : e;
            put(arg, row, column, d[m->rates[row]]);
        }
        d[m->states[column]] = 0;
    }
    return status;
}

/* All values, and the factors of blocks. */
static RunStatus linearise(RunInstance *i, double t, const double *y)
{
    RunStatus status = run_compute(i, t, y);
    return status == RUN_OK ? run_factor_blocks(i, &i->m->derivatives) : status;
}

RunStatus run_entries(RunInstance *i, double t, const double *y)
{
    const RunModel *m = i->m;
    RunStatus status = RUN_OK;
    if (m->gradients_need_values)
        status = linearise(i, t, y);
    else if (!is_there(i, t, y))
        run_set_point(i, t, y);
    if (status == RUN_OK && !i->entries_stand) {
        status = run_gradients(i, m->code, m->constant_gradients, m->constant_gradient_count);
        i->entries_stand = status == RUN_OK;
    }
    return status == RUN_OK ? run_gradients(i, m->code, m->gradients, m->gradient_count) : status;
}

void run_entries_times(const RunInstance *i, const double *dy, double *df)
{
    const RunModel *m = i->m;
    const double *entry = i->memory[MEM_ENTRIES];
    memset(df, 0, m->state_count * sizeof *df);
    for (uint32_t k = 0; k < m->state_count; k++)
        for (int e = m->jacobian_start[k]; e < m->jacobian_start[k + 1] && dy[k] != 0; e++)
            df[m->jacobian_row[e]] += entry[e] * dy[k];
}

RunStatus run_prepare_direction(RunInstance *i, RunTargets of, double t, const double *y)
{
    RunStatus status = of == RUN_OF_OUTPUTS ? run_complete(i, t, y) : run_compute(i, t, y);
    if (status == RUN_OK) status = run_factor_blocks(i, &i->m->derivatives);
    if (status == RUN_OK && of == RUN_OF_OUTPUTS) status = run_factor_blocks(i, &i->m->rest);
    return status;
}

RunStatus run_direction(RunInstance *i, RunTargets of)
{
    const RunTape *t = i->m->tape;
    return run_gradients(i, t->code, t->directions[of].steps, t->directions[of].step_count);
}

static RunStatus put_entries(RunInstance *i, double t, const double *y, RunPut put, void *arg)
{
    const RunModel *m = i->m;
    RunStatus status = run_entries(i, t, y);
    for (uint32_t k = 0; k < m->state_count && status == RUN_OK; k++)
        for (int e = m->jacobian_start[k]; e < m->jacobian_start[k + 1]; e++)
            put(arg, m->jacobian_row[e], (int)k, i->memory[MEM_ENTRIES][e]);
    return status;
}

RunStatus run_jacobian(RunInstance *i, double t, const double *y, RunPut put, void *arg)
{
    const RunModel *m = i->m;
    if (m->gradients) return put_entries(i, t, y, put, arg);
    RunStatus status = linearise(i, t, y);
    for (uint32_t k = 0; k < m->state_count; k++) i->memory[MEM_TANGENT][m->states[k]] = 0;
    int colours = m->colour_start ? m->colours : (int)m->state_count;
    for (int colour = 0; colour < colours && status == RUN_OK; colour++)
        status = put_columns(i, colour, put, arg);
    return status;
}

RunStatus run_indicators(RunInstance *i, double t, const double *y, double *g)
{
    run_set_point(i, t, y);
    RunStatus status = run_everything(i, false);
    if (status == RUN_OK) status = run_call(i, i->m->indicators);
    for (uint32_t k = 0; k < i->m->indicator_count; k++) g[k] = i->memory[MEM_INDICATOR][k] + i->bias[k];
    return status;
}

bool run_accepted(RunInstance *i, double t, const double *y)
{
    if (!i->m->tearing_count && !i->m->history_count && !i->m->warnings) return false;
    run_set_point(i, t, y);
    if (run_everything(i, false) != RUN_OK || run_histories_note(i, RT_NOTE_POINT) != RUN_OK) return false;
    run_keep_initial_guesses(i);
    i->now.longest_step = fmax(i->now.longest_step, fabs(t - i->now.t_kept));
    i->now.t_kept = t;
    if (i->m->indicator_count && run_call(i, i->m->indicators) == RUN_OK) run_note_reach(i);
    return run_states_are_poor(i);
}

double run_extrapolation_error(RunInstance *i, double t, const double *y)
{
    if (!i->m->history_count) return 0;
    run_set_point(i, t, y);
    return run_everything(i, false) == RUN_OK ? run_histories_deviation(i) : 0;
}

RunStatus run_values(RunInstance *i, double t, const double *y)
{
    run_set_point(i, t, y);
    RunStatus status = run_everything(i, false);
    if (status == RUN_OK) i->computed = COMPUTED_ALL;
    if (status == RUN_OK) status = run_check_values(i, RUN_FATAL);
    if (status == RUN_OK) status = run_check(i, RUN_FATAL);
    /* No smaller step will help: this is a point of the solution. */
    return status == RUN_RETRY && i->rt->error.status == RT_EXTERNAL ? RUN_FATAL : status;
}

static bool may_set(const RunInstance *i, uint32_t variable, double value, const char **why)
{
    *why = "there is no such variable";
    if (variable >= i->m->variable_count) return false;
    const RunVariable *v = &i->m->variables[variable];
    *why = i->m->role[v->var] <= RUN_PARAMETER ? "its value is final, or was used to build the model"
                                               : "equations give it, whatever its start value is";
    if (!(v->flags & RUN_SETTABLE)) return false;
    unsigned type = i->m->traits[v->var];
    *why = "it is an Integer, and the value is not whole, or beyond 2^53";
    if (type & RUN_IS_INTEGER && !(value == floor(value) && fabs(value) <= MOST_INTEGER)) return false;
    *why = "it is a Boolean: the value is true or false";
    return !(type & RUN_IS_BOOLEAN) || value == 0 || value == 1;
}

void run_reopen(RunInstance *i) { i->now.is_started = false; }

static void put_given(RunInstance *i, const RunVariable *v, double value)
{
    i->memory[MEM_SET][v->var] = 1;
    i->memory[MEM_GIVEN][v->var] = v->flags & RUN_NEGATED ? -value : value;
}

bool run_set(RunInstance *i, uint32_t variable, double value, const char **why)
{
    if (!may_set(i, variable, value, why)) return false;
    const RunVariable *v = &i->m->variables[variable];
    *why = "parameters and start values are set before the start";
    if (i->now.is_started && !(v->flags & RUN_GIVEN)) return false;
    if (v->flags & RUN_GIVEN)
        i->computed = COMPUTED_NOTHING; /* what parameters alone make stays */
    else
        run_forget(i);
    put_given(i, v, value);
    if (v->flags & RUN_GIVEN) i->memory[MEM_VALUE][v->var] = i->memory[MEM_GIVEN][v->var];
    *why = NULL;
    return true;
}

RunStatus run_tune(RunInstance *i, uint32_t variable, double value, const char **why)
{
    if (!may_set(i, variable, value, why)) return RUN_FATAL;
    *why = "it is no parameter";
    if (i->m->role[i->m->variables[variable].var] != RUN_PARAMETER) return RUN_FATAL;
    run_forget(i);
    put_given(i, &i->m->variables[variable], value);
    RunStatus status = run_call(i, i->m->parameters);
    if (status == RUN_OK) status = run_check_parameters(i);
    if (status == RUN_OK) status = run_program(i, &i->m->constants, true);
    if (status == RUN_OK) status = run_check_divisors(i);
    *why = status == RUN_OK ? NULL : i->message;
    return status;
}
