/* products.c: products with the Jacobians of all maps of a model, forward and backward, over its tape.
 *
 * Forward, the change of each row's target follows from the changes of its columns; backward, weights go the other way.
 * A block is passed by the implicit function theorem: with the torn Jacobian J, dz = -J^-1 dr forward, and weights of
 * its residuals -J^-T w backward. Parameters that the initial equations give carry their change from there. An event
 * that resets states is remembered as two snapshots: before it, and where reinit acted. Always: forward and backward are
 * the same numbers transposed; relations and discrete values are held; nothing is allocated. Cost: a product is
 * two sweeps over the entries at most, and the factors of blocks; linearising adds their torn Jacobians.
 * Tests: tests/gen/products_test.c, tests/api/derivatives_test.c. */
#include "run/inside.h"

#include <math.h>

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
    for (int k = 0; k < SNAPSHOT_MEMORIES; k++)
        memcpy(i->memory[run_snapshot_memories[k]], s->memory[run_snapshot_memories[k]],
               i->m->memory_size[run_snapshot_memories[k]] * sizeof(double));
}

/* ---- one sweep ---- */

typedef struct {
    const RunTape *t;
    const TapePoint *at;
    const double *is_set; /* by variable: its binding or start value does not count */
    uint32_t pre;
    double *d, *torn;
} Sweep;

static Sweep sweep_of(const RunInstance *i, const TapePoint *at)
{
    const RunTape *t = i->m->tape;
    return (Sweep){ t, at, i->memory[MEM_SET], t->pre, i->products->d, i->products->torn };
}

static double row_sum(const Sweep *s, const TapeRow *row)
{
    const TapeEntry *e = s->t->entries + row->first;
    double sum = 0;
    for (uint32_t k = 0; k < row->n; k++) sum += s->at->partial[e[k].place] * s->d[e[k].column];
    return sum;
}

static void row_back(const Sweep *s, const TapeRow *row, double weight)
{
    const TapeEntry *e = s->t->entries + row->first;
    for (uint32_t k = 0; k < row->n && weight != 0; k++)
        s->d[e[k].column] += s->at->partial[e[k].place] * weight;
}

/* Bindings and start values add to what is given from outside, unless they were replaced. */
static bool is_replaced(const Sweep *s, const TapeRow *row)
{
    return s->is_set[row->target >= s->pre ? row->target - s->pre : row->target] != 0;
}

static void rows_forward(const Sweep *s, const TapeStep *step)
{
    for (uint32_t r = step->first; r < step->first + step->n; r++)
        s->d[s->t->rows[r].target] = row_sum(s, &s->t->rows[r]);
}

static void rows_back(const Sweep *s, const TapeStep *step)
{
    for (uint32_t r = step->first + step->n; r-- > step->first;) {
        const TapeRow *row = &s->t->rows[r];
        double weight = s->d[row->target];
        s->d[row->target] = 0;
        row_back(s, row, weight);
    }
}

static void block_forward(const Sweep *s, const TapeStep *step)
{
    const TapeRow *residuals = s->t->rows + step->first + step->n;
    for (uint32_t j = 0; j < step->tear_n; j++) s->d[step->tears[j]] = 0;
    rows_forward(s, step);
    for (uint32_t j = 0; j < step->tear_n; j++) s->torn[j] = row_sum(s, &residuals[j]);
    rt_lu_solve(s->at->lu + step->lu, (int)step->tear_n, s->at->pivot + step->pivot, s->torn);
    for (uint32_t j = 0; j < step->tear_n; j++) s->d[step->tears[j]] = -s->torn[j];
    rows_forward(s, step);
}

static void block_back(const Sweep *s, const TapeStep *step)
{
    const TapeRow *residuals = s->t->rows + step->first + step->n;
    rows_back(s, step);
    for (uint32_t j = 0; j < step->tear_n; j++) s->torn[j] = s->d[step->tears[j]];
    rt_lu_solve_transposed(s->at->lu + step->lu, (int)step->tear_n, s->at->pivot + step->pivot, s->torn);
    for (uint32_t j = 0; j < step->tear_n; j++) row_back(s, &residuals[j], -s->torn[j]);
    rows_back(s, step);
    for (uint32_t j = 0; j < step->tear_n; j++) s->d[step->tears[j]] = 0;
}

static void forward(const Sweep *s, Part part)
{
    const RunPart *p = &s->t->parts[part];
    for (uint32_t k = 0; k < p->step_count; k++) {
        const TapeStep *step = &p->steps[k];
        if (part <= PART_START) {
            for (uint32_t r = step->first; r < step->first + step->n; r++)
                if (!is_replaced(s, &s->t->rows[r])) s->d[s->t->rows[r].target] += row_sum(s, &s->t->rows[r]);
        } else if (step->tear_n) {
            block_forward(s, step);
        } else {
            rows_forward(s, step);
        }
    }
}

static void back(const Sweep *s, Part part)
{
    const RunPart *p = &s->t->parts[part];
    for (uint32_t k = p->step_count; k-- > 0;) {
        const TapeStep *step = &p->steps[k];
        if (part <= PART_START) {
            for (uint32_t r = step->first + step->n; r-- > step->first;)
                if (!is_replaced(s, &s->t->rows[r])) row_back(s, &s->t->rows[r], s->d[s->t->rows[r].target]);
        } else if (step->tear_n) {
            block_back(s, step);
        } else {
            rows_back(s, step);
        }
    }
}

/* ---- linearising ---- */

/* The torn Jacobian: one sweep through the block for each guessed unknown. All other changes are zero. */
static void torn_jacobian(const Sweep *s, const TapeStep *step, double *lu)
{
    const TapeRow *residuals = s->t->rows + step->first + step->n;
    uint32_t n = step->tear_n;
    for (uint32_t j = 0; j < n; j++) {
        s->d[step->tears[j]] = 1;
        rows_forward(s, step);
        for (uint32_t k = 0; k < n; k++) lu[k * n + j] = row_sum(s, &residuals[k]);
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

RunStatus run_partials(RunInstance *i, Part part)
{
    const RunTape *t = i->m->tape;
    for (uint32_t k = 0; k < t->parts[part].partial_count; k++)
        if (i->m->call(t->code, t->parts[part].partials[k], i->rt) != RT_OK)
            return run_fail(i, RUN_RETRY, "at time %.10g: derivatives: %s", i->memory[MEM_MODE][MODE_TIME],
                            rt_status_text(i->rt->error.status));
    return RUN_OK;
}

void run_forward_given(RunInstance *i, double *residuals)
{
    Sweep s = sweep_of(i, &i->products->at);
    const RunPart *p = &s.t->parts[PART_DERIVATIVES];
    for (uint32_t k = 0; k < p->step_count; k++) {
        const TapeStep *step = &p->steps[k];
        rows_forward(&s, step);
        for (uint32_t j = 0; j < step->tear_n; j++)
            *residuals++ = row_sum(&s, &s.t->rows[step->first + step->n + j]);
    }
}

static RunStatus linearise_part(RunInstance *i, Part part)
{
    const RunTape *t = i->m->tape;
    Sweep s = sweep_of(i, &i->products->at);
    RunStatus status = run_partials(i, part);
    if (status != RUN_OK) return status;
    memset(s.d, 0, t->columns * sizeof *s.d);
    for (uint32_t k = 0; k < t->parts[part].step_count; k++) {
        const TapeStep *step = &t->parts[part].steps[k];
        if (step->tear_n && !factor(i, &s, step))
            return run_fail(i, RUN_RETRY, "at time %.10g: the equations for '%s' have a singular Jacobian",
                            i->memory[MEM_MODE][MODE_TIME], i->m->name[step->tears[0]]);
    }
    return RUN_OK;
}

static RunStatus linearise_parts(RunInstance *i, Part first, Part last)
{
    RunStatus status = RUN_OK;
    for (int part = (int)first; part <= (int)last && status == RUN_OK; part++)
        status = linearise_part(i, (Part)part);
    return status;
}

/* At the end of the initial equations, in their mode. */
RunStatus run_note_initial(RunInstance *i)
{
    if (!i->products) return RUN_OK;
    i->now.has_event = false;
    i->now.resets = 0;
    i->now.reselected = false;
    return linearise_parts(i, PART_PARAMETERS, PART_INITIAL);
}

/* At the beginning of an event, with all values before it. */
void run_note_event(RunInstance *i)
{
    Products *p = i->products;
    if (!p) return;
    i->now.has_event = true;
    i->now.resets = 0;
    i->now.reselected = false;
    if (i->m->reinit_count) take_snapshot(i, &p->before_event);
}

/* Where states are about to be reset. */
void run_note_reset(RunInstance *i)
{
    Products *p = i->products;
    if (!p) return;
    i->now.resets++;
    take_snapshot(i, &p->at_reset);
    for (uint32_t k = 0; k < i->m->reinit_count; k++) p->fired[k] = i->memory[MEM_FIRE][2 * k] != 0;
}

static RunStatus linearise_reset(RunInstance *i)
{
    Products *p = i->products;
    const RunTape *t = i->m->tape;
    RunStatus status = RUN_OK;
    if (i->now.reselected) return run_fail(i, RUN_FATAL, "other states were selected in the last event");
    if (i->now.resets > 1)
        return run_fail(i, RUN_FATAL, "states were reset %d times in the last event", i->now.resets);
    if (!i->now.resets) return RUN_OK;
    take_snapshot(i, &p->now);
    if (t->resets_read_pre) {
        load_snapshot(i, &p->before_event);
        status = linearise_parts(i, PART_CONSTANTS, PART_REST);
        memcpy(p->before.partial, p->at.partial, t->constant_count * sizeof(double));
        memcpy(p->before.lu, p->at.lu, t->lus * sizeof(double));
        memcpy(p->before.pivot, p->at.pivot, t->pivots * sizeof(int));
    }
    load_snapshot(i, &p->at_reset);
    if (status == RUN_OK) status = linearise_parts(i, PART_CONSTANTS, PART_REST);
    if (status == RUN_OK) status = linearise_part(i, PART_RESETS);
    load_snapshot(i, &p->now);
    return status;
}

static const Part last_part[RUN_MAP_COUNT] = { [RUN_MAP_DERIVATIVES] = PART_DERIVATIVES,
                                               [RUN_MAP_VALUES] = PART_REST,
                                               [RUN_MAP_INDICATORS] = PART_INDICATORS };

RunStatus run_linearise(RunInstance *i, RunMap map, double t, const double *y)
{
    i->now.map = map;
    if (map == RUN_MAP_INITIAL) return RUN_OK;
    if (map == RUN_MAP_RESET) return linearise_reset(i);
    run_set_point(i, t, y);
    RunStatus status =
        map == RUN_MAP_DERIVATIVES ? run_program(i, &i->m->derivatives, false) : run_everything(i, false);
    return status == RUN_OK ? linearise_parts(i, PART_CONSTANTS, last_part[map]) : status;
}

/* ---- what changes from outside ---- */

/* Parameters, inputs and discrete values are columns of their own; else it is the start value that changes. */
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

static void put_seeds(RunInstance *i, const RunChange *c, Seeds kind)
{
    for (int k = 0; k < c->count; k++) {
        const RunVariable *v = &i->m->variables[c->variables[k]];
        if (kind_of(i, v) == kind)
            i->products->d[column_of(i, v)] += (v->flags & RUN_NEGATED) ? -c->p[k] : c->p[k];
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
static void clear_varying(RunInstance *i)
{
    const RunModel *m = i->m;
    double *d = i->products->d;
    for (uint32_t v = 0; v < m->var_count; v++)
        if (m->role[v] > RUN_PARAMETER) d[v] = 0;
    memset(d + m->var_count, 0, (i->m->tape->columns - m->var_count) * sizeof *d);
}

/* Changes of all parameters. */
static void parameters_forward(RunInstance *i, const RunChange *c)
{
    Sweep s = sweep_of(i, &i->products->at);
    memset(s.d, 0, s.t->columns * sizeof *s.d);
    put_seeds(i, c, SEEDS_PARAMETERS);
    forward(&s, PART_PARAMETERS);
    if (!s.t->has_unknown_parameters) return;
    forward(&s, PART_START);
    forward(&s, PART_INITIAL);
    clear_varying(i);
}

static void parameters_back(RunInstance *i, RunChange *c)
{
    Sweep s = sweep_of(i, &i->products->at);
    get_seeds(i, c, SEEDS_GIVEN);
    if (s.t->has_unknown_parameters) {
        clear_varying(i);
        back(&s, PART_INITIAL);
        back(&s, PART_START);
    }
    back(&s, PART_PARAMETERS);
    get_seeds(i, c, SEEDS_PARAMETERS);
}

static void put_states(RunInstance *i, const double *y)
{
    const RunModel *m = i->m;
    for (uint32_t k = 0; k < m->state_count; k++) i->products->d[m->states[k]] = y ? y[k] : 0;
}

/* ---- the maps ---- */

/* States of dynamic sets are made of their candidates, as they are selected now. */
static void sets_forward(const RunInstance *i)
{
    const RunModel *m = i->m;
    double *d = i->products->d;
    for (uint32_t q = 0; q < m->set_count; q++)
        for (uint32_t k = 0; k < m->sets[q].columns - m->sets[q].rows; k++) {
            const RunSet *set = &m->sets[q];
            double sum = 0;
            for (uint32_t j = 0; j < set->columns; j++)
                sum += i->memory[MEM_VALUE][set->selectors[k * set->columns + j]] * d[set->vars[j]];
            d[set->states[k]] = sum;
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

static void initial_forward(RunInstance *i, const RunChange *c, double *result)
{
    const RunModel *m = i->m;
    Sweep s = sweep_of(i, &i->products->at);
    memset(s.d, 0, s.t->columns * sizeof *s.d);
    for (int kind = SEEDS_PARAMETERS; kind <= SEEDS_START; kind++) put_seeds(i, c, (Seeds)kind);
    s.d[s.t->time] = c->t;
    forward(&s, PART_PARAMETERS);
    forward(&s, PART_START);
    forward(&s, PART_INITIAL);
    sets_forward(i);
    for (uint32_t k = 0; k < m->state_count; k++) result[k] = s.d[m->states[k]];
}

static void initial_back(RunInstance *i, const double *w, RunChange *g)
{
    const RunModel *m = i->m;
    Sweep s = sweep_of(i, &i->products->at);
    for (uint32_t k = 0; k < m->state_count; k++) s.d[m->states[k]] = w[k];
    sets_back(i);
    back(&s, PART_INITIAL);
    back(&s, PART_START);
    back(&s, PART_PARAMETERS);
    g->t = s.d[s.t->time];
    for (int kind = SEEDS_PARAMETERS; kind <= SEEDS_START; kind++) get_seeds(i, g, (Seeds)kind);
}

static void parts_forward(const Sweep *s, Part last)
{
    for (int part = PART_CONSTANTS; part <= (int)last; part++) forward(s, (Part)part);
}

static void parts_back(const Sweep *s, Part last)
{
    for (int part = (int)last; part >= PART_CONSTANTS; part--) back(s, (Part)part);
}

/* The column of a result. */
static uint32_t result_column(const RunInstance *i, RunMap map, uint32_t k)
{
    const RunModel *m = i->m;
    return map == RUN_MAP_DERIVATIVES ? m->rates[k] : map == RUN_MAP_VALUES ? k : i->m->tape->indicators + k;
}

static uint32_t result_count(const RunInstance *i, RunMap map)
{
    const RunModel *m = i->m;
    return map == RUN_MAP_DERIVATIVES ? m->state_count
           : map == RUN_MAP_VALUES    ? m->var_count
                                      : i->m->indicator_count;
}

/* The state that a reset acts on; the last one that fired counts. */
static uint32_t reset_of(const RunInstance *i, uint32_t state)
{
    const RunModel *m = i->m;
    uint32_t found = NONE;
    for (uint32_t k = 0; k < m->reinit_count; k++)
        if (i->products->fired[k] && m->reinit_vars[k] == m->states[state]) found = k;
    return found;
}

static void reset_forward(RunInstance *i, const RunChange *c, double *result)
{
    Products *p = i->products;
    const RunModel *m = i->m;
    const RunTape *t = i->m->tape;
    if (t->resets_read_pre) {
        Sweep before = sweep_of(i, &p->before);
        parts_forward(&before, PART_REST);
    }
    for (uint32_t v = 0; v < m->var_count; v++)
        if (m->role[v] >= RUN_STATE) p->d[t->pre + v] = p->d[v];
    Sweep s = sweep_of(i, &p->at);
    parts_forward(&s, PART_REST);
    forward(&s, PART_RESETS);
    for (uint32_t k = 0; k < m->state_count; k++) {
        uint32_t reset = reset_of(i, k);
        result[k] = reset == NONE ? (c->y ? c->y[k] : 0) : p->d[t->resets + reset];
    }
}

static void reset_back(RunInstance *i, const double *w, RunChange *g)
{
    Products *p = i->products;
    const RunModel *m = i->m;
    const RunTape *t = i->m->tape;
    Sweep s = sweep_of(i, &p->at);
    for (uint32_t k = 0; k < m->state_count; k++) {
        uint32_t reset = reset_of(i, k);
        if (reset != NONE) p->d[t->resets + reset] = w[k];
    }
    back(&s, PART_RESETS);
    parts_back(&s, PART_REST);
    for (uint32_t v = 0; v < m->var_count; v++)
        if (m->role[v] >= RUN_STATE) p->d[v] += p->d[t->pre + v], p->d[t->pre + v] = 0;
    if (t->resets_read_pre) {
        Sweep before = sweep_of(i, &p->before);
        parts_back(&before, PART_REST);
    }
    for (uint32_t k = 0; k < m->state_count; k++)
        if (g->y) g->y[k] = p->d[m->states[k]] + (reset_of(i, k) == NONE ? w[k] : 0);
}

RunStatus run_jvp(RunInstance *i, const RunChange *c, double *result)
{
    Products *p = i->products;
    if (i->now.map == RUN_MAP_INITIAL) {
        initial_forward(i, c, result);
        return RUN_OK;
    }
    parameters_forward(i, c);
    put_seeds(i, c, SEEDS_GIVEN);
    put_states(i, c->y);
    p->d[i->m->tape->time] = c->t;
    if (i->now.map == RUN_MAP_RESET) {
        if (!i->now.resets) memset(p->fired, 0, i->m->reinit_count);
        reset_forward(i, c, result);
        return RUN_OK;
    }
    Sweep s = sweep_of(i, &p->at);
    parts_forward(&s, last_part[i->now.map]);
    for (uint32_t k = 0; k < result_count(i, i->now.map); k++)
        result[k] = p->d[result_column(i, i->now.map, k)];
    return RUN_OK;
}

RunStatus run_vjp(RunInstance *i, const double *w, RunChange *g)
{
    Products *p = i->products;
    const RunModel *m = i->m;
    memset(p->d, 0, i->m->tape->columns * sizeof *p->d);
    for (int k = 0; k < g->count; k++) g->p[k] = 0;
    if (g->y) memset(g->y, 0, m->state_count * sizeof *g->y);
    if (i->now.map == RUN_MAP_INITIAL) {
        initial_back(i, w, g);
        return RUN_OK;
    }
    if (i->now.map == RUN_MAP_RESET) {
        if (!i->now.resets) memset(p->fired, 0, m->reinit_count);
        reset_back(i, w, g);
    } else {
        Sweep s = sweep_of(i, &p->at);
        for (uint32_t k = 0; k < result_count(i, i->now.map); k++)
            p->d[result_column(i, i->now.map, k)] += w[k];
        parts_back(&s, last_part[i->now.map]);
        for (uint32_t k = 0; k < m->state_count; k++)
            if (g->y) g->y[k] = p->d[m->states[k]];
    }
    g->t = p->d[i->m->tape->time];
    parameters_back(i, g);
    return RUN_OK;
}
