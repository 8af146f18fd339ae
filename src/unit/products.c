/* products.c: directional and adjoint derivatives of an exported FMU, at the present point.
 *
 * Unknowns are derivatives of states, outputs or any other variable; knowns are states, inputs, parameters that may be tuned, and time.
 * Derivatives of states in directions of states are products with the Jacobian that one pass makes, or run over the tangents of the program, as
 * the Jacobian of the model in process does,
 * so that both are the same bits; everything else runs over the tape. Always: relations and discrete values are held.
 * Cost: about two evaluations where the point is new (one where derivatives were asked for there), one otherwise; products with entries next to nothing. Tests: tests/cli/export.sh. */
#include "unit/unit.h"

#include <string.h>

static const RunVariable *element(const UnitVariable *v, uint32_t k)
{
    return &unit_model.run->variables[unit_model.elements[v->first + k]];
}

static double sign_of(const RunVariable *r) { return r->flags & RUN_NEGATED ? -1 : 1; }

static int is_derivative(const RunVariable *r) { return unit_model.run->role[r->var] == RUN_DERIVATIVE; }

/* Elements of all variables of a list; (size_t)-1: one is no number. */
static size_t count_elements(UnitInstance *u, const uint32_t *references, size_t n, const char *function)
{
    size_t count = 0;
    for (size_t k = 0; k < n; k++) {
        const UnitVariable *v = unit_variable(u, references[k], 1u << UNIT_REAL, function);
        if (!v) return (size_t)-1;
        count += v->n;
    }
    return count;
}

static int check(UnitInstance *u, const uint32_t *unknowns, size_t n, const uint32_t *knowns, size_t m,
                 size_t unknown_values, size_t known_values, const char *function)
{
    if (!unit_model.run->tape) {
        unit_fail(u, UNIT_ERROR, "%s: this FMU has no derivatives", function);
        return 0;
    }
    size_t a = count_elements(u, unknowns, n, function), b = count_elements(u, knowns, m, function);
    if (a == (size_t)-1 || b == (size_t)-1) return 0;
    if (a == unknown_values && b == known_values) return 1;
    unit_fail(u, UNIT_ERROR, "%s: %u unknowns and %u knowns were expected", function, (unsigned)a,
              (unsigned)b);
    return 0;
}

static int are_derivatives(const uint32_t *unknowns, size_t n)
{
    for (size_t k = 0; k < n; k++)
        for (uint32_t e = 0; e < unit_model.variables[unknowns[k]].n; e++)
            if (unit_model.variables[unknowns[k]].flags & UNIT_INDEPENDENT ||
                !is_derivative(element(&unit_model.variables[unknowns[k]], e)))
                return 0;
    return 1;
}

/* Whether tangents of the program are enough. */
static int is_plain(const UnitInstance *u, const uint32_t *unknowns, size_t n, const uint32_t *knowns,
                    size_t m)
{
    if (!are_derivatives(unknowns, n)) return 0;
    for (size_t k = 0; k < m; k++) {
        const UnitVariable *v = &unit_model.variables[knowns[k]];
        if (v->flags & UNIT_INDEPENDENT) return 0;
        for (uint32_t e = 0; e < v->n; e++)
            if (!u->state_of[element(v, e)->var]) return 0;
    }
    return 1;
}

static UnitStatus failed(UnitInstance *u, RunStatus status)
{
    return unit_fail(u, status == RUN_RETRY ? UNIT_DISCARD : UNIT_ERROR, "%s", run_message(u->run));
}

/* Derivatives of states are cheaper than all values, which serve for them, too. */
static UnitStatus linearise(UnitInstance *u, int wants_all)
{
    RunMap map = wants_all ? RUN_MAP_VALUES : RUN_MAP_DERIVATIVES;
    if (u->is_linear == RUN_MAP_VALUES + 1 || u->is_linear == (int)map + 1) return UNIT_OK;
    RunStatus status = run_linearise(u->run, map, u->t, u->y);
    u->has_tangents = u->is_current = 0;
    u->is_linear = 0;
    if (status != RUN_OK) return failed(u, status);
    u->is_linear = (uint8_t)(map + 1);
    return UNIT_OK;
}

/* What a product is about: derivatives by state, or all values by variable. */
static double *by_map(UnitInstance *u)
{
    return u->is_linear == RUN_MAP_VALUES + 1 ? u->work : u->seeds + unit_model.run->state_count;
}

/* ---- forward ---- */

static void seed_states(UnitInstance *u, const uint32_t *knowns, size_t m, const double *seed, double *dy)
{
    memset(dy, 0, unit_model.run->state_count * sizeof *dy);
    for (size_t k = 0; k < m; k++) {
        const UnitVariable *v = &unit_model.variables[knowns[k]];
        for (uint32_t e = 0; e < v->n; e++, seed++)
            if (!(v->flags & UNIT_INDEPENDENT) && u->state_of[element(v, e)->var])
                dy[u->state_of[element(v, e)->var] - 1] += sign_of(element(v, e)) * *seed;
    }
}

/* Inputs, parameters and time among the knowns; with `seed`, their changes. */
static RunChange change_of(UnitInstance *u, const uint32_t *knowns, size_t m, const double *seed)
{
    double *dy = u->seeds, *p = u->seeds + 2 * unit_model.run->state_count;
    RunChange c = { .y = dy, .variables = u->seeded, .p = p };
    for (size_t k = 0; k < m; k++) {
        const UnitVariable *v = &unit_model.variables[knowns[k]];
        for (uint32_t e = 0; e < v->n; e++) {
            double own = seed ? *seed++ : 0;
            if (v->flags & UNIT_INDEPENDENT) {
                c.t += own;
            } else if (!u->state_of[element(v, e)->var]) {
                u->seeded[c.count] = (int)unit_model.elements[v->first + e];
                p[c.count++] = own;
            }
        }
    }
    return c;
}

static void take_results(const uint32_t *unknowns, size_t n, const double *by_var, double *out)
{
    for (size_t k = 0; k < n; k++) {
        const UnitVariable *v = &unit_model.variables[unknowns[k]];
        for (uint32_t e = 0; e < v->n; e++, out++)
            *out = v->flags & UNIT_INDEPENDENT ? 0 : sign_of(element(v, e)) * by_var[element(v, e)->var];
    }
}

static UnitStatus plain(UnitInstance *u, const uint32_t *unknowns, size_t n, const uint32_t *knowns, size_t m,
                        const double *seed, double *out)
{
    RunStatus status = RUN_OK;
    if (!u->has_tangents) status = run_prepare_tangents(u->run, u->t, u->y);
    if (status != RUN_OK) return failed(u, status);
    u->is_current = 0;
    u->has_tangents = 1;
    seed_states(u, knowns, m, seed, u->seeds);
    status = run_tangent(u->run, u->seeds);
    if (status != RUN_OK) return failed(u, status);
    take_results(unknowns, n, run_memory(u->run, MEM_TANGENT), out);
    return UNIT_OK;
}

UnitStatus unit_directional(UnitInstance *u, const uint32_t *unknowns, size_t n, const uint32_t *knowns,
                            size_t m, const double *seed, size_t seeds, double *out, size_t outs)
{
    if (!check(u, unknowns, n, knowns, m, outs, seeds, "directional derivative")) return UNIT_ERROR;
    if (is_plain(u, unknowns, n, knowns, m)) return plain(u, unknowns, n, knowns, m, seed, out);
    UnitStatus status = linearise(u, !are_derivatives(unknowns, n));
    if (status != UNIT_OK) return status;
    seed_states(u, knowns, m, seed, u->seeds);
    RunChange c = change_of(u, knowns, m, seed);
    double *const results[] = { by_map(u) };
    RunStatus done = run_jvp(u->run, 1, &c, results);
    if (done != RUN_OK) return failed(u, done);
    for (uint32_t k = 0; results[0] != u->work && k < unit_model.run->state_count; k++)
        u->work[unit_model.run->rates[k]] = results[0][k];
    take_results(unknowns, n, u->work, out);
    return UNIT_OK;
}

/* ---- backward ---- */

UnitStatus unit_adjoint(UnitInstance *u, const uint32_t *unknowns, size_t n, const uint32_t *knowns, size_t m,
                        const double *seed, size_t seeds, double *out, size_t outs)
{
    if (!check(u, unknowns, n, knowns, m, seeds, outs, "adjoint derivative")) return UNIT_ERROR;
    UnitStatus status = linearise(u, !are_derivatives(unknowns, n));
    if (status != UNIT_OK) return status;
    double *weights = by_map(u);
    memset(u->work, 0, unit_model.run->var_count * sizeof *u->work);
    for (size_t k = 0; k < n; k++) {
        const UnitVariable *v = &unit_model.variables[unknowns[k]];
        for (uint32_t e = 0; e < v->n; e++, seed++)
            if (!(v->flags & UNIT_INDEPENDENT)) u->work[element(v, e)->var] += sign_of(element(v, e)) * *seed;
    }
    RunChange g = change_of(u, knowns, m, NULL);
    for (uint32_t k = 0; weights != u->work && k < unit_model.run->state_count; k++)
        weights[k] = u->work[unit_model.run->rates[k]];
    RunStatus done = run_vjp(u->run, weights, &g);
    if (done != RUN_OK) return failed(u, done);
    int next = 0;
    for (size_t k = 0; k < m; k++) {
        const UnitVariable *v = &unit_model.variables[knowns[k]];
        for (uint32_t e = 0; e < v->n; e++, out++) {
            uint32_t state = v->flags & UNIT_INDEPENDENT ? 0 : u->state_of[element(v, e)->var];
            *out = v->flags & UNIT_INDEPENDENT ? g.t
                   : state                     ? sign_of(element(v, e)) * g.y[state - 1]
                                               : g.p[next];
            next += !(v->flags & UNIT_INDEPENDENT) && !state;
        }
    }
    return UNIT_OK;
}
