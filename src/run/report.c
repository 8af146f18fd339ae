/* report.c: failures and warnings of a running model in the user's words: of what, and, where the
 * model can tell, the equation as it was written and where.
 *
 * Every instruction knows what it came from. A value that is not finite is traced to the first
 * operation that made it where the model can run its code once more. Tests:
 * tests/cli/failures.sh. */
#include "run/inside.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

RunStatus run_fail(RunInstance *i, RunStatus status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(i->message, sizeof i->message, format, args);
    va_end(args);
    return status;
}

RunStatus run_fail_code(RunInstance *i)
{
    const RtError *e = &i->rt->error;
    run_fail(i, RUN_RETRY, "at time %.10g: %s%s%s", i->memory[MEM_MODE][MODE_TIME], rt_status_text(e->status),
             e->message ? ": " : "", e->message ? e->message : "");
    if (e->status == RT_INDEX || e->status == RT_SIZE) {
        size_t used = strlen(i->message);
        snprintf(i->message + used, sizeof i->message - used,
                 e->status == RT_INDEX ? " (%lld, not in 1..%lld)" : " (%lld, %lld)", (long long)e->value,
                 (long long)e->bound);
    }
    run_add_source(i, e->source);
    return RUN_RETRY;
}

RunStatus run_call(RunInstance *i, uint32_t f)
{
    return i->m->call(i->m->code, f, i->rt) == RT_OK ? RUN_OK : run_fail_code(i);
}

const char *run_message(const RunInstance *i) { return i->message; }

const RunFailure *run_failure(const RunInstance *i) { return &i->failure; }

/* For those who explain it, the values as they are now. */
static void note_failure(RunInstance *i, uint32_t source)
{
    if (i->keeps_failure || i->now.is_trying) return;
    memcpy(i->failed_values, i->memory[MEM_VALUE], i->m->var_count * sizeof(double));
    i->failure.source = source;
    i->failure.at_start = i->memory[MEM_MODE][MODE_INITIAL] != 0;
    i->failure.t = i->memory[MEM_MODE][MODE_TIME];
    i->failure.values = i->failed_values;
    i->failure.guess = i->failed_guess;
    i->failure.block = i->failing;
}

void run_note_block(RunInstance *i, const RunBlock *b, RtSolve why, int iterations)
{
    i->failing = (uint32_t)(b - i->m->blocks);
    if (i->keeps_failure || i->now.is_trying) return;
    memcpy(i->failed_guess, i->guess, (size_t)b->n * sizeof(double));
    i->failure.why = (int)why;
    i->failure.iterations = iterations;
}

void run_add_source(RunInstance *i, uint32_t source)
{
    note_failure(i, source);
    i->failing = NONE;
    size_t used = strlen(i->message);
    if (source != NONE && i->m->place) i->m->place(i->m, source, i->message + used, sizeof i->message - used);
}

static bool trace(RunInstance *i, uint32_t f, uint32_t *source)
{
    return f != NONE && i->m->cause && i->m->cause(i, f, source);
}

static bool trace_program(RunInstance *i, const RunProgram *p, uint32_t *source)
{
    for (uint32_t k = 0; k < p->n; k++) {
        const RunStep *step = &p->at[k];
        if (trace(i, step->block == NONE ? step->run : i->m->blocks[step->block].residual, source))
            return true;
    }
    return false;
}

bool run_add_cause(RunInstance *i, uint32_t f)
{
    uint32_t source = NONE;
    const RunProgram *programs[] = { &i->m->constants, &i->m->derivatives, &i->m->rest };
    if (i->now.is_trying) return true;
    bool found = f != NONE ? trace(i, f, &source) : trace(i, i->m->parameters, &source);
    for (int k = 0; f == NONE && !found && k < 3; k++) found = trace_program(i, programs[k], &source);
    if (found) run_add_source(i, source);
    return found;
}

/* ---- values that are no numbers -------------------------------------------------------------- */

static const char *what_it_is(double value) { return isnan(value) ? "not a number" : "infinite"; }

static RunStatus fail_integer(RunInstance *i, uint32_t v)
{
    run_fail(i, RUN_FATAL, "at time %.10g: '%s' is %.17g, too large for an Integer, which goes to 2^53",
             i->memory[MEM_MODE][MODE_TIME], i->m->name[v], i->memory[MEM_VALUE][v]);
    run_add_source(i, SOURCE_VARIABLE | v);
    return RUN_FATAL;
}

/* A parameter that is computed from numbers is one: else 1/(1/p) with p = 0 would be 0 without a
 * word. What was set by hand, and what follows from that, may be infinite. */
RunStatus run_check_parameters(RunInstance *i)
{
    const RunModel *m = i->m;
    for (uint32_t k = 0; k < m->parameter_count; k++) {
        uint32_t v = m->parameter_vars[k], source;
        double value = i->memory[MEM_VALUE][v];
        if (m->traits[v] & RUN_IS_INTEGER && fabs(value) > MOST_INTEGER) return fail_integer(i, v);
        if (isfinite(value) || !(m->traits[v] & RUN_IS_REAL) || i->memory[MEM_SET][v] != 0) continue;
        if (!trace(i, i->m->parameters, &source)) return RUN_OK;
        run_fail(i, RUN_FATAL, "the parameter '%s' is %s", m->name[v], what_it_is(value));
        run_add_source(i, source);
        return RUN_FATAL;
    }
    return RUN_OK;
}

RunStatus run_check_divisors(RunInstance *i)
{
    for (uint32_t k = 0; k < i->m->divisor_count; k++) {
        const RunDivisor *d = &i->m->divisors[k];
        if (i->memory[MEM_VALUE][d->var] != 0) continue;
        run_fail(i, RUN_FATAL, "division by the parameter '%s', which is zero,", i->m->name[d->var]);
        run_add_source(i, d->eq);
        return RUN_FATAL;
    }
    return RUN_OK;
}

static RunStatus check_value(RunInstance *i, uint32_t v, RunStatus as)
{
    double value = i->memory[MEM_VALUE][v];
    if (isfinite(value)) return i->m->traits[v] & RUN_IS_INTEGER ? fail_integer(i, v) : RUN_OK;
    run_fail(i, as, "at time %.10g: '%s' is %s", i->memory[MEM_MODE][MODE_TIME], i->m->name[v],
             what_it_is(value));
    if (!run_add_cause(i, NONE)) run_add_source(i, SOURCE_VARIABLE | v);
    return as;
}

RunStatus run_check_values(RunInstance *i, RunStatus as)
{
    for (uint32_t k = 0; k < i->varying_count; k += 2)
        for (uint32_t v = i->varying[k]; v < i->varying[k + 1]; v++) {
            if (fabs(i->memory[MEM_VALUE][v]) <= MOST_INTEGER) continue;
            RunStatus status = check_value(i, v, as);
            if (status != RUN_OK) return status;
        }
    return RUN_OK;
}

/* ---- assertions ------------------------------------------------------------------------------ */

const char *run_check_text(RunInstance *i, uint32_t check)
{
    uint32_t f = i->m->checks[check].text;
    if (f == NONE) return i->m->checks[check].message;
    RtStatus status = i->m->call(i->m->code, f, i->rt);
    return status == RT_ASSERT && i->rt->error.message ? i->rt->error.message
                                                       : "(its text cannot be computed)";
}

RunStatus run_check(RunInstance *i, RunStatus as)
{
    const RunModel *m = i->m;
    if (!i->m->asserts) return RUN_OK;
    RunStatus status = run_call(i, i->m->fire);
    for (uint32_t k = 0; k < m->check_count && status == RUN_OK; k++) {
        const RunCheck *check = &m->checks[k];
        if (check->flags != RUN_CHECK_ASSERT || i->memory[MEM_FIRE][2 * m->reinit_count + k] != 0) continue;
        double t = i->memory[MEM_MODE][MODE_TIME];
        status = run_fail(i, as, "at time %.10g: assertion failed: %s;", t, run_check_text(i, k));
        run_add_source(i, SOURCE_CHECK | k);
    }
    return status;
}

/* Asserts of when-clauses and of the start, where MEM_FIRE says whether they hold now. */
RunStatus run_check_event(RunInstance *i)
{
    const RunModel *m = i->m;
    double t = i->memory[MEM_MODE][MODE_TIME];
    for (uint32_t k = 0; k < m->check_count; k++) {
        const RunCheck *check = &m->checks[k];
        if (!(check->flags & RUN_CHECK_AT_EVENTS) || i->memory[MEM_FIRE][2 * m->reinit_count + k] != 0)
            continue;
        const char *text = run_check_text(i, k);
        if (check->flags & RUN_CHECK_WARNING) {
            run_warn(i, text, SOURCE_CHECK | k);
            continue;
        }
        run_fail(i, RUN_FATAL, "at time %.10g: assertion failed: %s;", t, text);
        run_add_source(i, SOURCE_CHECK | k);
        return RUN_FATAL;
    }
    return RUN_OK;
}

void run_warn(void *run, const char *message, uint32_t source)
{
    RunInstance *i = run;
    (void)source;
    if (!i->notice[0]) snprintf(i->notice, sizeof i->notice, "%s", message);
}

/* A warning is given once each time it becomes true, at steps that count. MEM_FIRE holds what they
 * are. */
const char *run_notice(RunInstance *i)
{
    const RunModel *m = i->m;
    if (i->notice[0]) { /* from inside of a function */
        snprintf(i->message, sizeof i->message, "at time %.10g: warning: %s", i->memory[MEM_MODE][MODE_TIME],
                 i->notice);
        i->notice[0] = 0;
        return i->message;
    }
    if (!i->m->warnings || run_call(i, i->m->fire) != RUN_OK) return NULL;
    for (uint32_t k = 0; k < m->check_count; k++) {
        const RunCheck *check = &m->checks[k];
        if (check->flags != (RUN_CHECK_ASSERT | RUN_CHECK_WARNING)) continue;
        bool fails = i->memory[MEM_FIRE][2 * m->reinit_count + k] == 0, is_new = fails && !i->warned[k];
        i->warned[k] = fails;
        if (!is_new) continue;
        run_fail(i, RUN_OK, "at time %.10g: warning: %s;", i->memory[MEM_MODE][MODE_TIME],
                 run_check_text(i, k));
        run_add_source(i, SOURCE_CHECK | k);
        return i->message;
    }
    return NULL;
}
