/* products.c: directional and adjoint derivatives of an exported FMU, at the present point.
 *
 * Unknowns are derivatives of states, outputs or any other variable; knowns are states, inputs,
 * parameters that may be tuned, and time. Derivatives of states and outputs in directions of states
 * and inputs are straight code, everything else runs over the tape. Where several directions along
 * states are asked for at one point, an importer puts a Jacobian together: from SEVERAL on they are
 * products with its entries, which one pass makes, and which are the same bits. Importers ask with
 * the same lists of value references again and again: what they mean is looked up once (UnitPlan).
 * Cost: about two evaluations where the point is new, one where derivatives were asked for there;
 * products with entries next to nothing. Tests: tests/cli/export.sh, tests/export/binary_test.c. */
#include "unit/unit.h"

#include <stdlib.h>
#include <string.h>

/* Invariant: relations and discrete values are held; changes of states and inputs in MEM_TANGENT
 * are zero between calls. */

enum { NO_VARIABLE = -1, AN_INDICATOR = -2 }; /* of time, of an event indicator */
/* directions at one point; the pass costs about as much as these, in most models */
enum { SEVERAL = 3 };

/* ---- what lists of value references mean ----------------------------------------------------- */

static int grow(UnitPlan *p, size_t references, size_t elements)
{
    if (references > p->reference_room) {
        uint32_t *at = realloc(p->references, references * sizeof *at);
        if (!at) return 0;
        p->references = at, p->reference_room = references;
    }
    if (elements > p->element_room) {
        UnitElement *at = realloc(p->elements, elements * sizeof *at);
        if (!at) return 0;
        p->elements = at, p->element_room = elements;
    }
    return 1;
}

int unit_list_targets(UnitInstance *u)
{
    const RunModel *m = unit_model.run;
    size_t n = (size_t)m->var_count + 1;
    u->state_of = calloc(n, sizeof *u->state_of);
    u->rate_of = calloc(n, sizeof *u->rate_of);
    u->target_of = calloc(n, sizeof *u->target_of);
    if (!u->state_of || !u->rate_of || !u->target_of) return 0;
    for (uint32_t k = 0; k < m->state_count; k++) u->state_of[m->states[k]] = k + 1;
    for (uint32_t k = 0; k < m->state_count; k++) u->rate_of[m->rates[k]] = k + 1;
    for (int of = 0; m->tape && of < RUN_DIRECTIONS; of++)
        for (uint32_t k = 0; k < m->tape->directions[of].target_count; k++)
            u->target_of[m->tape->directions[of].targets[k]] |= (uint8_t)(1u << of);
    return 1;
}

static UnitElement element_of(const UnitInstance *u, const UnitVariable *v, uint32_t k)
{
    if (v->flags & UNIT_INDEPENDENT) return (UnitElement){ 0, 0, 0, 0, NO_VARIABLE };
    if (v->flags & UNIT_INDICATOR)
        return (UnitElement){ 1, unit_model.elements[v->first + k], 0, 0, AN_INDICATOR };
    uint32_t variable = unit_model.elements[v->first + k];
    const RunVariable *r = &unit_model.run->variables[variable];
    return (UnitElement){ r->flags & RUN_NEGATED ? -1 : 1, r->var, u->state_of[r->var], u->rate_of[r->var],
                          (int)variable };
}

static int is_seed(const UnitElement *e)
{
    return e->state || (e->variable >= 0 && unit_model.run->role[e->var] == RUN_INPUT);
}

/* What an element adds to the meaning of its list. Derivatives are made with outputs where one of
 * both kinds was prepared. */
static void note(const UnitInstance *u, UnitPlan *p, const UnitElement *e)
{
    int is_plain = e->variable >= 0;
    uint8_t targets = is_plain ? u->target_of[e->var] : 0;
    p->has_indicators |= e->variable == AN_INDICATOR;
    p->has_others |= e->variable != AN_INDICATOR;
    int stays = is_plain && (is_seed(e) || unit_model.run->role[e->var] <= RUN_DISCRETE);
    p->are_states &= e->state != 0;
    p->are_derivatives &= is_plain && e->rate != 0;
    p->are_seeds &= (uint8_t)is_seed(e);
    p->are_targets &= (uint8_t)(stays || (is_plain && targets));
    if (is_plain && !stays)
        p->targets |= targets & 1u << RUN_OF_DERIVATIVES ? 1u << RUN_OF_DERIVATIVES : targets;
}

/* Most lists are short: a call would cost more than it compares. */
static int is_known(const UnitPlan *p, const uint32_t *references, size_t n)
{
    size_t k = 0;
    if (!p->is_made || p->n != n) return 0;
    if (n > 8) return !memcmp(p->references, references, n * sizeof *references);
    while (k < n && p->references[k] == references[k]) k++;
    return k == n;
}

/* The plan of a list; 0: a variable is no number, or memory is out, which was said. */
static int plan(UnitInstance *u, UnitPlan *p, const uint32_t *references, size_t n, const char *function)
{
    size_t count = 0;
    if (is_known(p, references, n)) return 1;
    p->is_made = 0;
    for (size_t k = 0; k < n; k++) {
        const UnitVariable *v = unit_variable(u, references[k], 1u << UNIT_REAL, function);
        if (!v) return 0;
        count += v->n;
    }
    const char *why = count > unit_model.run->variable_count + (size_t)1 ? "variables are listed twice"
                      : !grow(p, n + 1, count + 1)                       ? "no memory"
                                                                         : NULL;
    if (why) {
        unit_fail(u, UNIT_ERROR, "%s: %s", function, why);
        return 0;
    }
    p->n = n, p->count = 0;
    p->are_states = p->are_derivatives = p->are_seeds = p->are_targets = 1;
    p->targets = p->has_indicators = p->has_others = 0;
    for (size_t k = 0; k < n; k++) {
        const UnitVariable *v = &unit_model.variables[p->references[k] = references[k]];
        for (uint32_t j = 0; j < v->n; j++) {
            UnitElement e = p->elements[p->count++] = element_of(u, v, j);
            note(u, p, &e);
        }
    }
    p->is_made = 1;
    return 1;
}

static int check(UnitInstance *u, const uint32_t *unknowns, size_t n, const uint32_t *knowns, size_t m,
                 size_t unknown_values, size_t known_values, const char *function)
{
    if (!unit_model.run->tape) {
        unit_fail(u, UNIT_ERROR, "%s: this FMU has no derivatives", function);
        return 0;
    }
    if (!plan(u, &u->unknowns, unknowns, n, function) || !plan(u, &u->knowns, knowns, m, function)) return 0;
    if (u->knowns.has_indicators || (u->unknowns.has_indicators && u->unknowns.has_others)) {
        unit_fail(u, UNIT_ERROR, "%s: event indicators are unknowns, and asked for without others", function);
        return 0;
    }
    if (u->unknowns.count == unknown_values && u->knowns.count == known_values) return 1;
    unit_fail(u, UNIT_ERROR, "%s: %u unknowns and %u knowns were expected", function,
              (unsigned)u->unknowns.count, (unsigned)u->knowns.count);
    return 0;
}

static UnitStatus failed(UnitInstance *u, RunStatus status)
{
    return unit_fail(u, status == RUN_RETRY ? UNIT_DISCARD : UNIT_ERROR, "%s", run_message(u->run));
}

/* Derivatives of states are cheaper than all values, which serve for them, too. */
static UnitStatus linearise(UnitInstance *u)
{
    RunMap map = u->unknowns.has_indicators    ? RUN_MAP_INDICATORS
                 : u->unknowns.are_derivatives ? RUN_MAP_DERIVATIVES
                                               : RUN_MAP_VALUES;
    if (u->is_linear == (int)map + 1) return UNIT_OK;
    if (u->is_linear == RUN_MAP_VALUES + 1 && map == RUN_MAP_DERIVATIVES) return UNIT_OK;
    RunStatus status = run_linearise(u->run, map, u->t, u->y);
    u->is_linear = 0;
    if (status != RUN_OK) return failed(u, status);
    u->is_linear = (uint8_t)(map + 1);
    return UNIT_OK;
}

/* What a product is about: derivatives by state, or all values by variable, or indicators. */
static double *by_map(UnitInstance *u)
{
    return u->is_linear == RUN_MAP_DERIVATIVES + 1 ? u->seeds + unit_model.run->state_count : u->work;
}

/* ---- forward --------------------------------------------------------------------------------- */

static void seed_states(UnitInstance *u, const double *seed, double *dy)
{
    memset(dy, 0, unit_model.run->state_count * sizeof *dy);
    for (size_t k = 0; k < u->knowns.count; k++) {
        const UnitElement *e = &u->knowns.elements[k];
        if (e->state) dy[e->state - 1] += e->sign * seed[k];
    }
}

/* Inputs, parameters and time among the knowns; with `seed`, their changes. */
static RunChange change_of(UnitInstance *u, const double *seed)
{
    double *dy = u->seeds, *p = u->seeds + 2 * unit_model.run->state_count;
    RunChange c = { .y = dy, .variables = u->seeded, .p = p };
    for (size_t k = 0; k < u->knowns.count; k++) {
        const UnitElement *e = &u->knowns.elements[k];
        double own = seed ? seed[k] : 0;
        if (e->variable == NO_VARIABLE) {
            c.t += own;
        } else if (!e->state) {
            u->seeded[c.count] = e->variable;
            p[c.count++] = own;
        }
    }
    return c;
}

static void take_results(const UnitInstance *u, const double *by_var, double *out)
{
    const UnitElement *e = u->unknowns.elements, *end = e + u->unknowns.count;
    for (; e < end; e++) *out++ = e->sign * by_var[e->var];
}

void unit_forget_directions(UnitInstance *u) { u->prepared = u->has_entries = 0; }

/* Straight code, for what the unknowns are. */
static UnitStatus straight(UnitInstance *u, const double *seed, double *out)
{
    double *d = run_memory(u->run, MEM_TANGENT);
    const UnitElement *e = u->knowns.elements, *end = e + u->knowns.count;
    RunStatus status = RUN_OK;
    unsigned targets = u->unknowns.targets, missing = targets & ~(unsigned)u->prepared;
    for (int of = 0; missing >> of && status == RUN_OK; of++)
        if (missing >> of & 1) status = run_prepare_direction(u->run, (RunTargets)of, u->t, u->y);
    for (; e < end; e++) d[e->var] += e->sign * *seed++;
    for (int of = 0; targets >> of && status == RUN_OK; of++)
        if (targets >> of & 1) status = run_direction(u->run, (RunTargets)of);
    take_results(u, d, out);
    for (e = u->knowns.elements; e < end; e++) d[e->var] = 0;
    u->prepared |= (uint8_t)targets;
    if (status == RUN_OK) return UNIT_OK;
    unit_forget_directions(u);
    return failed(u, status);
}

/* Products with the entries of the Jacobian. */
static UnitStatus by_entries(UnitInstance *u, const double *seed, double *out)
{
    double *dy = u->seeds, *df = dy + unit_model.run->state_count;
    RunStatus status = u->has_entries ? RUN_OK : run_entries(u->run, u->t, u->y);
    if (status != RUN_OK) return failed(u, status);
    u->has_entries = 1;
    seed_states(u, seed, dy);
    run_entries_times(u->run, dy, df);
    for (size_t k = 0; k < u->unknowns.count; k++)
        out[k] = u->unknowns.elements[k].sign * df[u->unknowns.elements[k].rate - 1];
    return UNIT_OK;
}

UnitStatus unit_directional(UnitInstance *u, const uint32_t *unknowns, size_t n, const uint32_t *knowns,
                            size_t m, const double *seed, size_t seeds, double *out, size_t outs)
{
    if (!check(u, unknowns, n, knowns, m, outs, seeds, "directional derivative")) return UNIT_ERROR;
    if (u->unknowns.are_derivatives && u->knowns.are_states && unit_model.run->gradients &&
        ++u->asked >= SEVERAL)
        return by_entries(u, seed, out);
    if (u->unknowns.are_targets && u->knowns.are_seeds) return straight(u, seed, out);
    UnitStatus status = linearise(u);
    if (status != UNIT_OK) return status;
    seed_states(u, seed, u->seeds);
    RunChange c = change_of(u, seed);
    double *const results[] = { by_map(u) };
    RunStatus done = run_jvp(u->run, 1, &c, results);
    if (done != RUN_OK) return failed(u, done);
    for (uint32_t k = 0; results[0] != u->work && k < unit_model.run->state_count; k++)
        u->work[unit_model.run->rates[k]] = results[0][k];
    take_results(u, u->work, out);
    return UNIT_OK;
}

/* ---- backward -------------------------------------------------------------------------------- */

UnitStatus unit_adjoint(UnitInstance *u, const uint32_t *unknowns, size_t n, const uint32_t *knowns, size_t m,
                        const double *seed, size_t seeds, double *out, size_t outs)
{
    if (!check(u, unknowns, n, knowns, m, seeds, outs, "adjoint derivative")) return UNIT_ERROR;
    UnitStatus status = linearise(u);
    if (status != UNIT_OK) return status;
    double *weights = by_map(u);
    memset(u->work, 0, (unit_model.run->var_count + unit_model.run->indicator_count) * sizeof *u->work);
    for (size_t k = 0; k < u->unknowns.count; k++) {
        const UnitElement *e = &u->unknowns.elements[k];
        u->work[e->var] += e->sign * seed[k]; /* sign 0: time */
    }
    RunChange g = change_of(u, NULL);
    for (uint32_t k = 0; weights != u->work && k < unit_model.run->state_count; k++)
        weights[k] = u->work[unit_model.run->rates[k]];
    RunStatus done = run_vjp(u->run, weights, &g);
    if (done != RUN_OK) return failed(u, done);
    int next = 0;
    for (size_t k = 0; k < u->knowns.count; k++) {
        const UnitElement *e = &u->knowns.elements[k];
        out[k] = e->variable == NO_VARIABLE ? g.t : e->state ? e->sign * g.y[e->state - 1] : g.p[next];
        next += e->variable != NO_VARIABLE && !e->state;
    }
    return UNIT_OK;
}
