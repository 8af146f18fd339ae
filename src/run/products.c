/* products.c: products with the Jacobians of all maps of a model, forward and backward, over its
 * tape.
 *
 * Passes over the tape are in sweep.c; here is what goes in and comes out for each map. Parameters
 * that the initial equations give carry their change from there. An event is remembered as
 * snapshots: before it, and of each round of its iteration when continuous and discrete equations
 * agreed; then its derivative is that of one round after the other: values before it, equations,
 * discrete equations, reinit. Cost: a product is two passes over the entries at most, and the
 * factors of blocks; linearising adds their torn Jacobians. Products with the map of an event
 * linearise each of its rounds. Tests: tests/gen/products_test.c, tests/api/derivatives_test.c. */
#include "run/inside.h"

#include <math.h>

/* Invariant: forward and backward are the same numbers transposed; relations and discrete values
 * that are no Reals are held; nothing is allocated. */

/* Discrete equations may use continuous ones that use them in turn. */
enum { PASSES = 2 };

const uint8_t run_snapshot_memories[SNAPSHOT_MEMORIES] = { MEM_VALUE, MEM_PRE, MEM_RELATION, MEM_MODE,
                                                           MEM_SAMPLE };

static void take_snapshot(RunInstance *i, Snapshot *s)
{
    for (int k = 0; k < SNAPSHOT_MEMORIES; k++)
        memcpy(s->memory[run_snapshot_memories[k]], i->memory[run_snapshot_memories[k]],
               i->m->memory_size[run_snapshot_memories[k]] * sizeof(double));
}

static void load_snapshot(RunInstance *i, const Snapshot *s)
{
    run_forget(i);
    for (int k = 0; k < SNAPSHOT_MEMORIES; k++)
        memcpy(i->memory[run_snapshot_memories[k]], s->memory[run_snapshot_memories[k]],
               i->m->memory_size[run_snapshot_memories[k]] * sizeof(double));
}

static Sweep sweep_of(const RunInstance *i, uint32_t lanes)
{
    const RunTape *t = i->m->tape;
    Products *p = i->products;
    return (Sweep){ t, &p->at, i->memory[MEM_SET], t->pre, p->d, p->torn, lanes };
}

/* The same for directions. */
static Sweep wide_of(const RunInstance *i, uint32_t lanes)
{
    Sweep s = sweep_of(i, lanes);
    s.d = i->products->wide;
    return s;
}

/* ---- linearising ----------------------------------------------------------------------------- */

/* The torn Jacobian: one sweep through the block for each tearing variable. All other changes are
 * zero. */
static void torn_jacobian(const Sweep *s, const TapeStep *step, double *lu)
{
    const TapeRow *residuals = s->t->rows + step->first + step->n;
    uint32_t n = step->tear_n;
    for (uint32_t j = 0; j < n; j++) {
        s->d[step->tears[j]] = 1;
        sweep_rows_forward(s, step);
        for (uint32_t k = 0; k < n; k++) lu[k * n + j] = sweep_row_sum(s, &residuals[k]);
        s->d[step->tears[j]] = 0;
    }
    for (uint32_t r = step->first; r < step->first + step->n; r++) s->d[s->t->rows[r].target] = 0;
}

/* Unknowns that nothing determines are held, as they are when the block is solved. */
static bool factor(RunInstance *i, const Sweep *s, const TapeStep *step)
{
    int n = (int)step->tear_n, *rows = (int *)(void *)i->products->work, *columns = rows + n;
    double *lu = s->at->lu + step->lu;
    int *pivot = s->at->pivot + step->pivot;
    torn_jacobian(s, step, lu);
    if (!rt_lu_factor(lu, n, pivot)) return true;
    torn_jacobian(s, step, lu);
    int rank = rt_lu_rank(lu, n, rows, columns);
    torn_jacobian(s, step, lu);
    for (int q = rank; q < n; q++) lu[rows[q] * n + columns[q]] += 1;
    return rt_lu_factor(lu, n, pivot) == 0;
}

RunStatus run_partials(RunInstance *i, TapeSection section)
{
    const RunTape *t = i->m->tape;
    for (uint32_t k = 0; k < t->sections[section].partial_count; k++)
        if (i->m->call(t->code, t->sections[section].partials[k], i->rt) != RT_OK)
            return run_fail(i, RUN_RETRY, "at time %.10g: derivatives: %s", i->memory[MEM_MODE][MODE_TIME],
                            rt_status_text(i->rt->error.status));
    return RUN_OK;
}

void run_forward_given(RunInstance *i, double *residuals)
{
    Sweep s = sweep_of(i, 1);
    const RunSection *p = &s.t->sections[SECTION_DERIVATIVES];
    for (uint32_t k = 0; k < p->step_count; k++) {
        const TapeStep *step = &p->steps[k];
        sweep_rows_forward(&s, step);
        for (uint32_t j = 0; j < step->tear_n; j++)
            *residuals++ = sweep_row_sum(&s, &s.t->rows[step->first + step->n + j]);
    }
}

static RunStatus linearise_section(RunInstance *i, TapeSection section)
{
    const RunTape *t = i->m->tape;
    Sweep s = sweep_of(i, 1);
    RunStatus status = run_partials(i, section);
    bool is_clear = false;
    for (uint32_t k = 0; k < t->sections[section].step_count && status == RUN_OK; k++) {
        const TapeStep *step = &t->sections[section].steps[k];
        if (!step->tear_n) continue;
        if (!is_clear) memset(s.d, 0, t->columns * sizeof *s.d);
        is_clear = true;
        if (!factor(i, &s, step))
            return run_fail(i, RUN_RETRY, "at time %.10g: the equations for '%s' have a singular Jacobian",
                            i->memory[MEM_MODE][MODE_TIME], i->m->name[step->tears[0]]);
    }
    return status;
}

static RunStatus linearise_sections(RunInstance *i, TapeSection first, TapeSection last)
{
    RunStatus status = RUN_OK;
    for (int section = (int)first; section <= (int)last && status == RUN_OK; section++)
        status = linearise_section(i, (TapeSection)section);
    return status;
}

/* At the end of the initial equations, in their mode. */
RunStatus run_note_initial(RunInstance *i)
{
    if (!i->products) return RUN_OK;
    i->now.rounds = 0;
    i->now.reselected = false;
    RunStatus status = linearise_sections(i, SECTION_PARAMETERS, SECTION_INITIAL);
    return status == RUN_OK ? linearise_section(i, SECTION_DISCRETE_INITIAL) : status;
}

/* At the beginning of an event, with all values before it; `timed` is the relation or sample that
 * is due, or NONE. */
void run_note_event(RunInstance *i, uint32_t timed, double count)
{
    Products *p = i->products;
    if (!p) return;
    i->now.has_event = true;
    i->now.rounds = 0;
    i->now.reselected = false;
    i->now.timed = timed;
    i->now.timed_count = count;
    take_snapshot(i, &p->before);
}

/* When all equations agree, before states are reset and values before the event take the new
 * ones. */
void run_note_round(RunInstance *i)
{
    Products *p = i->products;
    if (!p || i->now.rounds++ >= RUN_ROUNDS) return;
    Snapshot *s = &p->rounds[i->now.rounds - 1];
    take_snapshot(i, s);
    for (uint32_t k = 0; k < i->m->reinit_count; k++) s->fired[k] = i->memory[MEM_FIRE][2 * k] != 0;
}

static const TapeSection last_section[RUN_MAP_COUNT] = { [RUN_MAP_DERIVATIVES] = SECTION_DERIVATIVES,
                                                         [RUN_MAP_VALUES] = SECTION_REST,
                                                         [RUN_MAP_INDICATORS] = SECTION_INDICATORS };

static RunStatus linearise_time(RunInstance *i)
{
    Products *p = i->products;
    take_snapshot(i, &p->now);
    load_snapshot(i, &p->before);
    RunStatus status = linearise_section(i, SECTION_TIMES);
    load_snapshot(i, &p->now);
    return status;
}

RunStatus run_linearise(RunInstance *i, RunMap map, double t, const double *y)
{
    i->now.map = map;
    if (map == RUN_MAP_INITIAL) return RUN_OK;
    if (map == RUN_MAP_RESET) {
        if (!i->now.has_event)
            return run_fail(i, RUN_FATAL, "there was no event since the state was restored");
        if (i->now.rounds <= RUN_ROUNDS) return RUN_OK;
        return run_fail(i, RUN_FATAL, "the last event took %d rounds, too many for its derivatives",
                        i->now.rounds);
    }
    if (map == RUN_MAP_EVENT_TIME) return linearise_time(i);
    RunStatus status = map == RUN_MAP_DERIVATIVES ? run_compute(i, t, y) : run_complete(i, t, y);
    return status == RUN_OK ? linearise_sections(i, SECTION_CONSTANTS, last_section[map]) : status;
}

RunStatus run_linearise_given(RunInstance *i)
{
    i->now.map = RUN_MAP_GIVEN;
    RunStatus status = linearise_section(i, SECTION_CONSTANTS);
    return status == RUN_OK ? run_partials(i, SECTION_DERIVATIVES) : status;
}

RunMap run_map(const RunInstance *i) { return i->now.map; }

bool run_slopes(const RunInstance *i, double *f)
{
    const RunModel *m = i->m;
    for (uint32_t k = 0; k < m->state_count; k++) f[k] = i->memory[MEM_VALUE][m->rates[k]];
    return m->asserts == 0;
}

/* ---- what changes from outside --------------------------------------------------------------- */

/* Parameters, inputs and discrete values are columns of their own; else it is the start value that
 * changes. */
static uint32_t column_of(const RunInstance *i, const RunVariable *v)
{
    return i->m->role[v->var] <= RUN_DISCRETE ? v->var : i->m->tape->pre + v->var;
}

typedef enum { SEEDS_PARAMETERS, SEEDS_GIVEN, SEEDS_START } Seeds;

static Seeds kind_of(const RunInstance *i, const RunVariable *v)
{
    unsigned role = i->m->role[v->var];
    return role <= RUN_PARAMETER ? SEEDS_PARAMETERS : role <= RUN_DISCRETE ? SEEDS_GIVEN : SEEDS_START;
}

/* Several directions at once; all have the same variables. */
typedef struct {
    const RunChange *changes;
    uint32_t count, lanes;
} Lanes;

static void put_seeds(RunInstance *i, const Lanes *l, Seeds kind)
{
    const RunChange *first = l->changes;
    for (int k = 0; k < first->count; k++) {
        const RunVariable *v = &i->m->variables[first->variables[k]];
        if (kind_of(i, v) != kind) continue;
        double *d = i->products->wide + (size_t)column_of(i, v) * l->lanes;
        for (uint32_t q = 0; q < l->count; q++)
            d[q] += (v->flags & RUN_NEGATED) ? -l->changes[q].p[k] : l->changes[q].p[k];
    }
}

static void get_seeds(const RunInstance *i, RunChange *c, Seeds kind)
{
    for (int k = 0; k < c->count; k++) {
        const RunVariable *v = &i->m->variables[c->variables[k]];
        double value = i->products->d[column_of(i, v)];
        if (kind_of(i, v) == kind) c->p[k] = (v->flags & RUN_NEGATED) ? -value : value;
    }
}

/* Leaves constants and parameters only. */
static void clear_varying(RunInstance *i, double *d, uint32_t lanes)
{
    const RunModel *m = i->m;
    for (uint32_t v = 0; v < m->var_count; v++)
        if (m->role[v] > RUN_PARAMETER) memset(d + (size_t)v * lanes, 0, lanes * sizeof *d);
    memset(d + (size_t)m->var_count * lanes, 0, (i->m->tape->columns - m->var_count) * lanes * sizeof *d);
}

/* Between directions of derivatives, values and indicators all that is not computed anew is zero;
 * others leave more behind. */
static void clear_wide(RunInstance *i, uint32_t lanes)
{
    Products *p = i->products;
    if (p->wide_lanes == lanes) return;
    memset(p->wide, 0, (size_t)i->m->tape->columns * lanes * sizeof *p->wide);
    p->wide_lanes = lanes;
}

static void clear_column(RunInstance *i, uint32_t column, uint32_t lanes)
{
    memset(i->products->wide + (size_t)column * lanes, 0, lanes * sizeof(double));
}

/* Leaves the array as it was found: what was put from outside, and what was added to it, is taken
 * out again. */
static void tidy(RunInstance *i, const Lanes *l)
{
    const RunTape *t = i->m->tape;
    const RunSection *p = &t->sections[SECTION_PARAMETERS];
    bool is_plain = i->now.map == RUN_MAP_GIVEN || i->now.map == RUN_MAP_DERIVATIVES ||
                    i->now.map == RUN_MAP_VALUES || i->now.map == RUN_MAP_INDICATORS;
    if (!is_plain || t->has_unknown_parameters) {
        i->products->wide_lanes = 0;
        return;
    }
    for (int k = 0; k < l->changes->count; k++)
        clear_column(i, column_of(i, &i->m->variables[l->changes->variables[k]]), l->lanes);
    for (uint32_t k = 0; k < p->step_count; k++)
        for (uint32_t r = p->steps[k].first; r < p->steps[k].first + p->steps[k].n; r++)
            clear_column(i, t->rows[r].target, l->lanes);
}

/* Changes of all parameters. */
static void parameters_forward(RunInstance *i, const Lanes *l)
{
    Sweep s = wide_of(i, l->lanes);
    clear_wide(i, l->lanes);
    put_seeds(i, l, SEEDS_PARAMETERS);
    sweep_forward(&s, SECTION_PARAMETERS);
    if (!s.t->has_unknown_parameters) return;
    sweep_forward(&s, SECTION_START);
    sweep_forward(&s, SECTION_INITIAL);
    clear_varying(i, s.d, l->lanes);
}

static void parameters_back(RunInstance *i, RunChange *c)
{
    Sweep s = sweep_of(i, 1);
    get_seeds(i, c, SEEDS_GIVEN);
    if (s.t->has_unknown_parameters) {
        clear_varying(i, s.d, 1);
        sweep_back(&s, SECTION_INITIAL);
        sweep_back(&s, SECTION_START);
    }
    sweep_back(&s, SECTION_PARAMETERS);
    get_seeds(i, c, SEEDS_PARAMETERS);
}

/* Between events the values of discrete variables are those before the next one, too. */
static void held_forward(RunInstance *i, uint32_t lanes)
{
    double *d = i->products->wide;
    for (uint32_t k = 0; k < i->m->tape->discrete_count; k++) {
        size_t v = i->m->tape->discrete[k];
        memcpy(d + (i->m->tape->pre + v) * lanes, d + v * lanes, lanes * sizeof *d);
    }
}

static void held_back(RunInstance *i)
{
    double *d = i->products->d;
    for (uint32_t k = 0; k < i->m->tape->discrete_count; k++) {
        size_t v = i->m->tape->discrete[k];
        d[v] += d[i->m->tape->pre + v];
        d[i->m->tape->pre + v] = 0;
    }
}

static void put_states(RunInstance *i, const Lanes *l)
{
    const RunModel *m = i->m;
    for (uint32_t k = 0; k < m->state_count; k++) {
        double *d = i->products->wide + (size_t)m->states[k] * l->lanes;
        for (uint32_t q = 0; q < l->count; q++) d[q] = l->changes[q].y ? l->changes[q].y[k] : 0;
    }
}

static void put_time(RunInstance *i, const Lanes *l)
{
    for (uint32_t q = 0; q < l->count; q++)
        i->products->wide[(size_t)i->m->tape->time * l->lanes + q] = l->changes[q].t;
}

/* ---- states of dynamic sets are made of their candidates, as they are selected now ----------- */

static void sets_forward(const RunInstance *i, uint32_t lanes)
{
    const RunModel *m = i->m;
    double *d = i->products->wide;
    for (uint32_t q = 0; q < m->set_count; q++)
        for (uint32_t k = 0; k < m->sets[q].columns - m->sets[q].rows; k++) {
            const RunSet *set = &m->sets[q];
            double sum[RUN_LANES] = { 0 };
            for (uint32_t j = 0; j < set->columns; j++)
                for (uint32_t lane = 0; lane < lanes; lane++)
                    sum[lane] += i->memory[MEM_VALUE][set->selectors[k * set->columns + j]] *
                                 d[(size_t)set->vars[j] * lanes + lane];
            memcpy(d + (size_t)set->states[k] * lanes, sum, lanes * sizeof *sum);
        }
}

static void sets_back(const RunInstance *i)
{
    const RunModel *m = i->m;
    double *d = i->products->d;
    for (uint32_t q = 0; q < m->set_count; q++)
        for (uint32_t k = 0; k < m->sets[q].columns - m->sets[q].rows; k++) {
            const RunSet *set = &m->sets[q];
            double weight = d[set->states[k]];
            d[set->states[k]] = 0;
            for (uint32_t j = 0; j < set->columns; j++)
                d[set->vars[j]] += i->memory[MEM_VALUE][set->selectors[k * set->columns + j]] * weight;
        }
}

/* ---- results --------------------------------------------------------------------------------- */

/* The column of a result. States are followed by the discrete Reals. */
static uint32_t result_column(const RunInstance *i, RunMap map, uint32_t k)
{
    const RunModel *m = i->m;
    if (map == RUN_MAP_DERIVATIVES || map == RUN_MAP_GIVEN) return m->rates[k];
    if (map == RUN_MAP_VALUES) return k;
    if (map == RUN_MAP_INDICATORS) return i->m->tape->indicators + k;
    if (k < m->state_count) return m->states[k];
    return i->m->tape->discrete[k - m->state_count];
}

static uint32_t result_count(const RunInstance *i, RunMap map)
{
    const RunModel *m = i->m;
    if (map == RUN_MAP_DERIVATIVES || map == RUN_MAP_GIVEN) return m->state_count;
    if (map == RUN_MAP_VALUES) return m->var_count;
    if (map == RUN_MAP_INDICATORS) return i->m->indicator_count;
    return m->state_count + i->m->tape->discrete_count;
}

static void get_results(const RunInstance *i, const Lanes *l, double *const *results)
{
    RunMap map = i->now.map;
    uint32_t n = result_count(i, map);
    for (uint32_t k = 0; k < n; k++) {
        const double *d = i->products->wide + (size_t)result_column(i, map, k) * l->lanes;
        for (uint32_t q = 0; q < l->count; q++) results[q][k] = d[q];
    }
}

static void put_weights(RunInstance *i, const double *w)
{
    RunMap map = i->now.map;
    for (uint32_t k = 0; k < result_count(i, map); k++) i->products->d[result_column(i, map, k)] += w[k];
}

/* ---- initial values -------------------------------------------------------------------------- */

/* Discrete variables begin with their start values, or what initial equations give. */
static void discrete_from_start(const RunInstance *i, uint32_t lanes)
{
    const RunModel *m = i->m;
    const RunTape *t = i->m->tape;
    double *d = i->products->wide;
    for (uint32_t v = 0; v < m->var_count; v++)
        if (m->role[v] == RUN_DISCRETE && (m->traits[v] & RUN_IS_REAL))
            memcpy(d + (size_t)v * lanes, d + (size_t)(t->pre + v) * lanes, lanes * sizeof *d);
}

static void initial_forward(RunInstance *i, const Lanes *l)
{
    Sweep s = wide_of(i, l->lanes);
    i->products->wide_lanes = 0;
    clear_wide(i, l->lanes);
    for (int kind = SEEDS_PARAMETERS; kind <= SEEDS_START; kind++) put_seeds(i, l, (Seeds)kind);
    put_time(i, l);
    sweep_forward(&s, SECTION_PARAMETERS);
    sweep_forward(&s, SECTION_START);
    discrete_from_start(i, l->lanes);
    for (int pass = 0; pass < PASSES; pass++) {
        sweep_forward(&s, SECTION_DISCRETE_INITIAL);
        sweep_forward(&s, SECTION_INITIAL);
    }
    sets_forward(i, l->lanes);
}

static void initial_back(RunInstance *i, RunChange *g)
{
    Sweep s = sweep_of(i, 1);
    const RunModel *m = i->m;
    sets_back(i);
    for (int pass = 0; pass < PASSES; pass++) {
        sweep_back(&s, SECTION_INITIAL);
        sweep_back(&s, SECTION_DISCRETE_INITIAL);
    }
    for (uint32_t v = 0; v < m->var_count; v++)
        if (m->role[v] == RUN_DISCRETE && (m->traits[v] & RUN_IS_REAL)) s.d[s.pre + v] += s.d[v], s.d[v] = 0;
    sweep_back(&s, SECTION_START);
    sweep_back(&s, SECTION_PARAMETERS);
    g->t = s.d[s.t->time];
    for (int kind = SEEDS_PARAMETERS; kind <= SEEDS_START; kind++) get_seeds(i, g, (Seeds)kind);
}

/* ---- events ---------------------------------------------------------------------------------- */

static void sections_forward(const Sweep *s, TapeSection last)
{
    for (int section = SECTION_CONSTANTS; section <= (int)last; section++)
        sweep_forward(s, (TapeSection)section);
}

static void sections_back(const Sweep *s, TapeSection last)
{
    for (int section = (int)last; section >= SECTION_CONSTANTS; section--)
        sweep_back(s, (TapeSection)section);
}

/* The state that a reset acts on is reset by the last one that fired. */
static bool is_last_reset(const RunInstance *i, const Snapshot *round, uint32_t k)
{
    const RunModel *m = i->m;
    if (!round->fired[k]) return false;
    for (uint32_t j = k + 1; j < m->reinit_count; j++)
        if (round->fired[j] && m->reinit_vars[j] == m->reinit_vars[k]) return false;
    return true;
}

static RunStatus linearise_snapshot(RunInstance *i, const Snapshot *snapshot, bool is_round)
{
    load_snapshot(i, snapshot);
    RunStatus status = linearise_sections(i, SECTION_CONSTANTS, SECTION_REST);
    if (is_round && status == RUN_OK) status = linearise_sections(i, SECTION_RESETS, SECTION_DISCRETE);
    return status;
}

static void round_forward(RunInstance *i, const Snapshot *round, uint32_t lanes)
{
    const RunModel *m = i->m;
    Sweep s = wide_of(i, lanes);
    for (uint32_t v = 0; v < m->var_count; v++)
        if (m->role[v] >= RUN_DISCRETE)
            memcpy(s.d + (size_t)(s.pre + v) * lanes, s.d + (size_t)v * lanes, lanes * sizeof(double));
    for (int pass = 0; pass < PASSES; pass++) {
        sections_forward(&s, SECTION_REST);
        sweep_forward(&s, SECTION_DISCRETE);
    }
    sections_forward(&s, SECTION_REST);
    sweep_forward(&s, SECTION_RESETS);
    for (uint32_t k = 0; k < m->reinit_count; k++)
        if (is_last_reset(i, round, k))
            memcpy(s.d + (size_t)m->reinit_vars[k] * lanes, s.d + (size_t)(s.t->resets + k) * lanes,
                   lanes * sizeof(double));
}

static void round_back(RunInstance *i, const Snapshot *round)
{
    const RunModel *m = i->m;
    Sweep s = sweep_of(i, 1);
    for (uint32_t k = 0; k < m->reinit_count; k++) s.d[s.t->resets + k] = 0;
    for (uint32_t k = 0; k < m->reinit_count; k++)
        if (is_last_reset(i, round, k)) {
            s.d[s.t->resets + k] = s.d[m->reinit_vars[k]];
            s.d[m->reinit_vars[k]] = 0;
        }
    sweep_back(&s, SECTION_RESETS);
    sections_back(&s, SECTION_REST);
    for (int pass = 0; pass < PASSES; pass++) {
        sweep_back(&s, SECTION_DISCRETE);
        sections_back(&s, SECTION_REST);
    }
    for (uint32_t v = 0; v < m->var_count; v++)
        if (m->role[v] >= RUN_DISCRETE) s.d[v] += s.d[s.pre + v], s.d[s.pre + v] = 0;
}

/* Linearising a block needs room for changes: those at work wait here. */
static RunStatus between(RunInstance *i, const Snapshot *snapshot, bool is_round)
{
    Products *p = i->products;
    size_t bytes = (size_t)i->m->tape->columns * sizeof(double);
    memcpy(p->waiting, p->d, bytes);
    RunStatus status = linearise_snapshot(i, snapshot, is_round);
    memcpy(p->d, p->waiting, bytes);
    return status;
}

static RunStatus event_forward(RunInstance *i, const Lanes *l)
{
    Products *p = i->products;
    Sweep s = wide_of(i, l->lanes);
    take_snapshot(i, &p->now);
    RunStatus status = linearise_snapshot(i, &p->before, false);
    if (status == RUN_OK) sections_forward(&s, SECTION_REST);
    for (int r = 0; r < i->now.rounds && status == RUN_OK; r++) {
        status = linearise_snapshot(i, &p->rounds[r], true);
        if (status == RUN_OK) round_forward(i, &p->rounds[r], l->lanes);
    }
    load_snapshot(i, &p->now);
    if (i->now.reselected) sets_forward(i, l->lanes);
    return status;
}

static RunStatus event_back(RunInstance *i)
{
    Products *p = i->products;
    Sweep s = sweep_of(i, 1);
    take_snapshot(i, &p->now);
    RunStatus status = RUN_OK;
    if (i->now.reselected) sets_back(i);
    for (int r = i->now.rounds; r-- > 0 && status == RUN_OK;) {
        status = between(i, &p->rounds[r], true);
        if (status == RUN_OK) round_back(i, &p->rounds[r]);
    }
    if (status == RUN_OK) status = between(i, &p->before, false);
    if (status == RUN_OK) sections_back(&s, SECTION_REST);
    load_snapshot(i, &p->now);
    return status;
}

/* The time of the event is that of a relation, or start + count * interval of a sample. */
static void time_forward(RunInstance *i, const Lanes *l, double *const *results)
{
    const RunTape *t = i->m->tape;
    uint32_t relations = i->m->relation_count;
    Sweep s = wide_of(i, l->lanes);
    sweep_forward(&s, SECTION_TIMES);
    for (uint32_t q = 0; q < l->count; q++) {
        const double *d = s.d + (size_t)(t->times + (i->now.timed == NONE ? 0 : i->now.timed)) * l->lanes + q;
        results[q][0] = i->now.timed == NONE       ? 0
                        : i->now.timed < relations ? d[0]
                                                   : d[0] + i->now.timed_count * d[l->lanes];
    }
}

static void time_back(RunInstance *i, double weight)
{
    Sweep s = sweep_of(i, 1);
    if (i->now.timed == NONE) return;
    s.d[s.t->times + i->now.timed] = weight;
    if (i->now.timed >= i->m->relation_count)
        s.d[s.t->times + i->now.timed + 1] = weight * i->now.timed_count;
    sweep_back(&s, SECTION_TIMES);
}

/* ---- tearing variables of blocks given ------------------------------------------------------- */

static void put_given(RunInstance *i, const Lanes *l)
{
    const RunSection *p = &i->m->tape->sections[SECTION_DERIVATIVES];
    uint32_t at = i->m->state_count;
    for (uint32_t k = 0; k < p->step_count; k++)
        for (uint32_t j = 0; j < p->steps[k].tear_n; j++, at++) {
            double *d = i->products->wide + (size_t)p->steps[k].tears[j] * l->lanes;
            for (uint32_t q = 0; q < l->count; q++) d[q] = l->changes[q].y ? l->changes[q].y[at] : 0;
        }
}

static void given_forward(RunInstance *i, const Lanes *l, double *const *results)
{
    Sweep s = wide_of(i, l->lanes);
    const RunSection *p = &s.t->sections[SECTION_DERIVATIVES];
    uint32_t at = i->m->state_count;
    sweep_forward(&s, SECTION_CONSTANTS);
    put_given(i, l);
    for (uint32_t k = 0; k < p->step_count; k++) {
        sweep_given(&s, &p->steps[k], s.torn);
        for (uint32_t j = 0; j < p->steps[k].tear_n; j++, at++)
            for (uint32_t q = 0; q < l->count; q++) results[q][at] = s.torn[(size_t)j * l->lanes + q];
    }
    get_results(i, l, results);
}

/* The gradient in what is given goes to y. */
static void given_back(RunInstance *i, const double *w, double *y)
{
    Sweep s = sweep_of(i, 1);
    const RunSection *p = &s.t->sections[SECTION_DERIVATIVES];
    uint32_t end = i->m->state_count, at;
    for (uint32_t k = 0; k < p->step_count; k++) end += p->steps[k].tear_n;
    at = end;
    for (uint32_t k = p->step_count; k-- > 0;) {
        at -= p->steps[k].tear_n;
        sweep_given_back(&s, &p->steps[k], w + at);
    }
    for (uint32_t k = 0; k < p->step_count; k++)
        for (uint32_t j = 0; j < p->steps[k].tear_n; j++, at++)
            if (y) y[at] = s.d[p->steps[k].tears[j]];
    sweep_back(&s, SECTION_CONSTANTS);
}

/* ---- the doors ------------------------------------------------------------------------------- */

static RunStatus some_directions(RunInstance *i, const Lanes *l, double *const *results)
{
    RunStatus status = RUN_OK;
    if (i->now.map == RUN_MAP_INITIAL) {
        initial_forward(i, l);
        get_results(i, l, results);
        return RUN_OK;
    }
    parameters_forward(i, l);
    put_seeds(i, l, SEEDS_GIVEN);
    held_forward(i, l->lanes);
    put_states(i, l);
    put_time(i, l);
    if (i->now.map == RUN_MAP_EVENT_TIME) {
        time_forward(i, l, results);
        return RUN_OK;
    }
    if (i->now.map == RUN_MAP_GIVEN) {
        given_forward(i, l, results);
        return RUN_OK;
    }
    Sweep s = wide_of(i, l->lanes);
    if (i->now.map == RUN_MAP_RESET)
        status = event_forward(i, l);
    else
        sections_forward(&s, last_section[i->now.map]);
    if (status == RUN_OK) get_results(i, l, results);
    return status;
}

RunStatus run_jvp(RunInstance *i, int count, const RunChange *changes, double *const *results)
{
    RunStatus status = RUN_OK;
    uint32_t lanes = count > 4 ? RUN_LANES : count > 2 ? 4 : (uint32_t)count;
    for (int at = 0; at < count && status == RUN_OK; at += RUN_LANES) {
        uint32_t n = count - at < RUN_LANES ? (uint32_t)(count - at) : RUN_LANES;
        Lanes l = { changes + at, n, lanes };
        status = some_directions(i, &l, results + at);
        tidy(i, &l);
    }
    return status;
}

RunStatus run_vjp(RunInstance *i, const double *w, RunChange *g)
{
    Products *p = i->products;
    const RunModel *m = i->m;
    RunStatus status = RUN_OK;
    memset(p->d, 0, i->m->tape->columns * sizeof *p->d);
    for (int k = 0; k < g->count; k++) g->p[k] = 0;
    if (g->y) memset(g->y, 0, m->state_count * sizeof *g->y);
    if (i->now.map == RUN_MAP_EVENT_TIME)
        time_back(i, w[0]);
    else
        put_weights(i, w);
    if (i->now.map == RUN_MAP_INITIAL) {
        initial_back(i, g);
        return RUN_OK;
    }
    Sweep s = sweep_of(i, 1);
    if (i->now.map == RUN_MAP_RESET) status = event_back(i);
    if (i->now.map < RUN_MAP_RESET) sections_back(&s, last_section[i->now.map]);
    if (i->now.map == RUN_MAP_GIVEN) given_back(i, w, g->y);
    for (uint32_t k = 0; k < m->state_count; k++)
        if (g->y) g->y[k] = p->d[m->states[k]];
    g->t = p->d[i->m->tape->time];
    held_back(i);
    parameters_back(i, g);
    return status;
}
