/* products.c: products with the Jacobians of all maps of a model, forward and backward, over its tape.
 *
 * Forward, the change of each row's target follows from the changes of its columns; backward, weights go the other way.
 * A block is passed by the implicit function theorem: with the torn Jacobian J, dz = -J^-1 dr forward, and weights of
 * its residuals -J^-T w backward. Parameters that the initial equations give carry their change from there. An event
 * that resets states is remembered as two snapshots: before it, and where reinit acted. Always: forward and backward are
 * the same numbers transposed; relations and discrete values are held; nothing is allocated. Cost: a product is
 * two sweeps over the entries at most, and the factors of blocks; linearising adds their torn Jacobians.
 * Tests: tests/gen/products_test.c, tests/api/derivatives_test.c. */
#include "gen/inside.h"

#include <math.h>

static const uint8_t kept[] = { MEM_VALUE, MEM_PRE, MEM_RELATION, MEM_MODE, MEM_SAMPLE }; /* by snapshots */

static void new_snapshot(Instance *i, Snapshot *s)
{
    for (size_t k = 0; k < sizeof kept; k++)
        s->memory[kept[k]] = NEW_ARRAY(i->arena, double, i->c->memory_size[kept[k]]);
}

static void take_snapshot(Instance *i, Snapshot *s)
{
    for (size_t k = 0; k < sizeof kept; k++)
        memcpy(s->memory[kept[k]], i->memory[kept[k]], i->c->memory_size[kept[k]] * sizeof(double));
}

static void load_snapshot(Instance *i, const Snapshot *s)
{
    for (size_t k = 0; k < sizeof kept; k++)
        memcpy(i->memory[kept[k]], s->memory[kept[k]], i->c->memory_size[kept[k]] * sizeof(double));
}

Products *gen_products(Instance *i)
{
    const Tape *t = i->c->tape;
    Products *p = NEW(i->arena, Products);
    p->at = (TapePoint){ i->memory[MEM_PARTIAL], NEW_ARRAY(i->arena, double, t->lus + 1),
                         NEW_ARRAY(i->arena, int, t->pivots + 1) };
    if (t->constants.n) memcpy(p->at.partial, t->constants.at, t->constants.n * sizeof(double));
    p->d = NEW_ARRAY(i->arena, double, t->columns + 1);
    p->torn = NEW_ARRAY(i->arena, double, t->largest);
    p->work = NEW_ARRAY(i->arena, double, 2 * t->largest + 2);
    p->residuals = NEW_ARRAY(i->arena, double, t->pivots + 1);
    p->fired = NEW_ARRAY(i->arena, uint8_t, i->c->s->reinits.n + 1);
    if (i->c->s->reinits.n) {
        new_snapshot(i, &p->before_event);
        new_snapshot(i, &p->at_reset);
        new_snapshot(i, &p->now);
    }
    if (t->resets_read_pre)
        p->before =
            (TapePoint){ NEW_ARRAY(i->arena, double, t->constants.n + 1),
                         NEW_ARRAY(i->arena, double, t->lus + 1), NEW_ARRAY(i->arena, int, t->pivots + 1) };
    return p;
}

/* ---- one sweep ---- */

typedef struct {
    const Tape *t;
    const TapePoint *at;
    const double *is_set; /* by variable: its binding or start value does not count */
    uint32_t pre;
    double *d, *torn;
} Sweep;

static Sweep sweep_of(const Instance *i, const TapePoint *at)
{
    const Tape *t = i->c->tape;
    return (Sweep){ t, at, i->memory[MEM_SET], t->pre, i->products->d, i->products->torn };
}

static double row_sum(const Sweep *s, const TapeRow *row)
{
    const TapeEntry *e = s->t->entries.at + row->first;
    double sum = 0;
    for (uint32_t k = 0; k < row->n; k++) sum += s->at->partial[e[k].place] * s->d[e[k].column];
    return sum;
}

static void row_back(const Sweep *s, const TapeRow *row, double weight)
{
    const TapeEntry *e = s->t->entries.at + row->first;
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
        s->d[s->t->rows.at[r].target] = row_sum(s, &s->t->rows.at[r]);
}

static void rows_back(const Sweep *s, const TapeStep *step)
{
    for (uint32_t r = step->first + step->n; r-- > step->first;) {
        const TapeRow *row = &s->t->rows.at[r];
        double weight = s->d[row->target];
        s->d[row->target] = 0;
        row_back(s, row, weight);
    }
}

static void block_forward(const Sweep *s, const TapeStep *step)
{
    const TapeRow *residuals = s->t->rows.at + step->first + step->n;
    for (uint32_t j = 0; j < step->tear_n; j++) s->d[step->tears[j]] = 0;
    rows_forward(s, step);
    for (uint32_t j = 0; j < step->tear_n; j++) s->torn[j] = row_sum(s, &residuals[j]);
    rt_lu_solve(s->at->lu + step->lu, (int)step->tear_n, s->at->pivot + step->pivot, s->torn);
    for (uint32_t j = 0; j < step->tear_n; j++) s->d[step->tears[j]] = -s->torn[j];
    rows_forward(s, step);
}

static void block_back(const Sweep *s, const TapeStep *step)
{
    const TapeRow *residuals = s->t->rows.at + step->first + step->n;
    rows_back(s, step);
    for (uint32_t j = 0; j < step->tear_n; j++) s->torn[j] = s->d[step->tears[j]];
    rt_lu_solve_transposed(s->at->lu + step->lu, (int)step->tear_n, s->at->pivot + step->pivot, s->torn);
    for (uint32_t j = 0; j < step->tear_n; j++) row_back(s, &residuals[j], -s->torn[j]);
    rows_back(s, step);
    for (uint32_t j = 0; j < step->tear_n; j++) s->d[step->tears[j]] = 0;
}

static void forward(const Sweep *s, Part part)
{
    const TapePart *p = &s->t->parts[part];
    for (uint32_t k = 0; k < p->steps.n; k++) {
        const TapeStep *step = &p->steps.at[k];
        if (part <= PART_START) {
            for (uint32_t r = step->first; r < step->first + step->n; r++)
                if (!is_replaced(s, &s->t->rows.at[r]))
                    s->d[s->t->rows.at[r].target] += row_sum(s, &s->t->rows.at[r]);
        } else if (step->tear_n) {
            block_forward(s, step);
        } else {
            rows_forward(s, step);
        }
    }
}

static void back(const Sweep *s, Part part)
{
    const TapePart *p = &s->t->parts[part];
    for (uint32_t k = p->steps.n; k-- > 0;) {
        const TapeStep *step = &p->steps.at[k];
        if (part <= PART_START) {
            for (uint32_t r = step->first + step->n; r-- > step->first;)
                if (!is_replaced(s, &s->t->rows.at[r]))
                    row_back(s, &s->t->rows.at[r], s->d[s->t->rows.at[r].target]);
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
    const TapeRow *residuals = s->t->rows.at + step->first + step->n;
    uint32_t n = step->tear_n;
    for (uint32_t j = 0; j < n; j++) {
        s->d[step->tears[j]] = 1;
        rows_forward(s, step);
        for (uint32_t k = 0; k < n; k++) lu[k * n + j] = row_sum(s, &residuals[k]);
        s->d[step->tears[j]] = 0;
    }
    for (uint32_t r = step->first; r < step->first + step->n; r++) s->d[s->t->rows.at[r].target] = 0;
}

/* Unknowns that nothing determines are held, as they are when the block is solved. */
static bool factor(Instance *i, const Sweep *s, const TapeStep *step)
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

EvalStatus gen_partials(Instance *i, Part part)
{
    const Tape *t = i->c->tape;
    RtCell none;
    for (uint32_t k = 0; k < t->parts[part].partials.n; k++)
        if (ir_run(t->code, t->parts[part].partials.at[k], i->rt, &none) != RT_OK)
            return gen_fail(i, EVAL_RETRY, "at time %.10g: derivatives: %s", i->memory[MEM_MODE][MODE_TIME],
                            rt_status_text(i->rt->error.status));
    return EVAL_OK;
}

void gen_forward_given(Instance *i, double *residuals)
{
    Sweep s = sweep_of(i, &i->products->at);
    const TapePart *p = &s.t->parts[PART_DERIVATIVES];
    for (uint32_t k = 0; k < p->steps.n; k++) {
        const TapeStep *step = &p->steps.at[k];
        rows_forward(&s, step);
        for (uint32_t j = 0; j < step->tear_n; j++)
            *residuals++ = row_sum(&s, &s.t->rows.at[step->first + step->n + j]);
    }
}

static EvalStatus linearise_part(Instance *i, Part part)
{
    const Tape *t = i->c->tape;
    Sweep s = sweep_of(i, &i->products->at);
    EvalStatus status = gen_partials(i, part);
    if (status != EVAL_OK) return status;
    memset(s.d, 0, t->columns * sizeof *s.d);
    for (uint32_t k = 0; k < t->parts[part].steps.n; k++) {
        const TapeStep *step = &t->parts[part].steps.at[k];
        if (step->tear_n && !factor(i, &s, step))
            return gen_fail(i, EVAL_RETRY, "at time %.10g: the equations for '%s' have a singular Jacobian",
                            i->memory[MEM_MODE][MODE_TIME], i->c->s->vars.at[step->tears[0]].name);
    }
    return EVAL_OK;
}

static EvalStatus linearise_parts(Instance *i, Part first, Part last)
{
    EvalStatus status = EVAL_OK;
    for (int part = (int)first; part <= (int)last && status == EVAL_OK; part++)
        status = linearise_part(i, (Part)part);
    return status;
}

/* At the end of the initial equations, in their mode. */
EvalStatus gen_note_initial(Instance *i)
{
    if (!i->products) return EVAL_OK;
    i->products->has_event = false;
    i->products->resets = 0;
    i->products->reselected = false;
    return linearise_parts(i, PART_PARAMETERS, PART_INITIAL);
}

/* At the beginning of an event, with all values before it. */
void gen_note_event(Instance *i)
{
    Products *p = i->products;
    if (!p) return;
    p->has_event = true;
    p->resets = 0;
    p->reselected = false;
    if (i->c->s->reinits.n) take_snapshot(i, &p->before_event);
}

/* Where states are about to be reset. */
void gen_note_reset(Instance *i)
{
    Products *p = i->products;
    if (!p) return;
    p->resets++;
    take_snapshot(i, &p->at_reset);
    for (uint32_t k = 0; k < i->c->s->reinits.n; k++) p->fired[k] = i->memory[MEM_FIRE][2 * k] != 0;
}

static EvalStatus linearise_reset(Instance *i)
{
    Products *p = i->products;
    const Tape *t = i->c->tape;
    EvalStatus status = EVAL_OK;
    if (p->reselected) return gen_fail(i, EVAL_FATAL, "other states were selected in the last event");
    if (p->resets > 1)
        return gen_fail(i, EVAL_FATAL, "states were reset %d times in the last event", p->resets);
    if (!p->resets) return EVAL_OK;
    take_snapshot(i, &p->now);
    if (t->resets_read_pre) {
        load_snapshot(i, &p->before_event);
        status = linearise_parts(i, PART_CONSTANTS, PART_REST);
        memcpy(p->before.partial, p->at.partial, t->constants.n * sizeof(double));
        memcpy(p->before.lu, p->at.lu, t->lus * sizeof(double));
        memcpy(p->before.pivot, p->at.pivot, t->pivots * sizeof(int));
    }
    load_snapshot(i, &p->at_reset);
    if (status == EVAL_OK) status = linearise_parts(i, PART_CONSTANTS, PART_REST);
    if (status == EVAL_OK) status = linearise_part(i, PART_RESETS);
    load_snapshot(i, &p->now);
    return status;
}

static const Part last_part[MAP_COUNT] = {
    [MAP_DERIVATIVES] = PART_DERIVATIVES, [MAP_VALUES] = PART_REST, [MAP_INDICATORS] = PART_INDICATORS
};

EvalStatus gen_linearise(Model *model, ModelMap map, double t, const double *y)
{
    Instance *i = model->data;
    i->products->map = map;
    if (map == MAP_INITIAL) return EVAL_OK;
    if (map == MAP_RESET) return linearise_reset(i);
    gen_set_point(i, t, y);
    EvalStatus status =
        map == MAP_DERIVATIVES ? gen_run(i, &i->c->derivatives, false) : gen_everything(i, false);
    return status == EVAL_OK ? linearise_parts(i, PART_CONSTANTS, last_part[map]) : status;
}

/* ---- what changes from outside ---- */

/* Parameters, inputs and discrete values are columns of their own; else it is the start value that changes. */
static uint32_t column_of(const Instance *i, const ModelVariable *v)
{
    uint32_t slot = (uint32_t)v->slot;
    return i->c->s->vars.at[slot].role <= ROLE_DISCRETE ? slot : i->c->tape->pre + slot;
}

typedef enum { SEEDS_PARAMETERS, SEEDS_GIVEN, SEEDS_START } Seeds;

static Seeds kind_of(const Instance *i, const ModelVariable *v)
{
    Role role = (Role)i->c->s->vars.at[v->slot].role;
    return role <= ROLE_PARAMETER ? SEEDS_PARAMETERS : role <= ROLE_DISCRETE ? SEEDS_GIVEN : SEEDS_START;
}

static void put_seeds(Instance *i, const ModelChange *c, Seeds kind)
{
    for (int k = 0; k < c->count; k++) {
        const ModelVariable *v = &i->model.shape.variables[c->variables[k]];
        if (kind_of(i, v) == kind) i->products->d[column_of(i, v)] += v->negated ? -c->p[k] : c->p[k];
    }
}

static void get_seeds(const Instance *i, ModelChange *c, Seeds kind)
{
    for (int k = 0; k < c->count; k++) {
        const ModelVariable *v = &i->model.shape.variables[c->variables[k]];
        double value = i->products->d[column_of(i, v)];
        if (kind_of(i, v) == kind) c->p[k] = v->negated ? -value : value;
    }
}

/* Leaves constants and parameters only. */
static void clear_varying(Instance *i)
{
    const System *s = i->c->s;
    double *d = i->products->d;
    for (uint32_t v = 0; v < s->vars.n; v++)
        if (s->vars.at[v].role > ROLE_PARAMETER) d[v] = 0;
    memset(d + s->vars.n, 0, (i->c->tape->columns - s->vars.n) * sizeof *d);
}

/* Changes of all parameters. */
static void parameters_forward(Instance *i, const ModelChange *c)
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

static void parameters_back(Instance *i, ModelChange *c)
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

static void put_states(Instance *i, const double *y)
{
    const System *s = i->c->s;
    for (uint32_t k = 0; k < s->states.n; k++) i->products->d[s->states.at[k]] = y ? y[k] : 0;
}

/* ---- the maps ---- */

/* States of dynamic sets are made of their candidates, as they are selected now. */
static void sets_forward(const Instance *i)
{
    const System *s = i->c->s;
    double *d = i->products->d;
    for (uint32_t q = 0; q < s->sets.n; q++)
        for (uint32_t k = 0; k < s->sets.at[q].columns - s->sets.at[q].rows; k++) {
            const DaeStateSet *set = &s->sets.at[q];
            double sum = 0;
            for (uint32_t j = 0; j < set->columns; j++)
                sum += i->memory[MEM_VALUE][set->selectors[k * set->columns + j]] * d[set->vars[j]];
            d[set->states[k]] = sum;
        }
}

static void sets_back(const Instance *i)
{
    const System *s = i->c->s;
    double *d = i->products->d;
    for (uint32_t q = 0; q < s->sets.n; q++)
        for (uint32_t k = 0; k < s->sets.at[q].columns - s->sets.at[q].rows; k++) {
            const DaeStateSet *set = &s->sets.at[q];
            double weight = d[set->states[k]];
            d[set->states[k]] = 0;
            for (uint32_t j = 0; j < set->columns; j++)
                d[set->vars[j]] += i->memory[MEM_VALUE][set->selectors[k * set->columns + j]] * weight;
        }
}

static void initial_forward(Instance *i, const ModelChange *c, double *result)
{
    const System *sys = i->c->s;
    Sweep s = sweep_of(i, &i->products->at);
    memset(s.d, 0, s.t->columns * sizeof *s.d);
    for (int kind = SEEDS_PARAMETERS; kind <= SEEDS_START; kind++) put_seeds(i, c, (Seeds)kind);
    s.d[s.t->time] = c->t;
    forward(&s, PART_PARAMETERS);
    forward(&s, PART_START);
    forward(&s, PART_INITIAL);
    sets_forward(i);
    for (uint32_t k = 0; k < sys->states.n; k++) result[k] = s.d[sys->states.at[k]];
}

static void initial_back(Instance *i, const double *w, ModelChange *g)
{
    const System *sys = i->c->s;
    Sweep s = sweep_of(i, &i->products->at);
    for (uint32_t k = 0; k < sys->states.n; k++) s.d[sys->states.at[k]] = w[k];
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
static uint32_t result_column(const Instance *i, ModelMap map, uint32_t k)
{
    const System *s = i->c->s;
    return map == MAP_DERIVATIVES ? s->vars.at[s->states.at[k]].der
           : map == MAP_VALUES    ? k
                                  : i->c->tape->indicators + k;
}

static uint32_t result_count(const Instance *i, ModelMap map)
{
    const System *s = i->c->s;
    return map == MAP_DERIVATIVES ? s->states.n : map == MAP_VALUES ? s->vars.n : i->c->indicator_count;
}

/* The state that a reset acts on; the last one that fired counts. */
static uint32_t reset_of(const Instance *i, uint32_t state)
{
    const System *s = i->c->s;
    uint32_t found = NONE;
    for (uint32_t k = 0; k < s->reinits.n; k++)
        if (i->products->fired[k] && s->reinits.at[k].var == s->states.at[state]) found = k;
    return found;
}

static void reset_forward(Instance *i, const ModelChange *c, double *result)
{
    Products *p = i->products;
    const System *sys = i->c->s;
    const Tape *t = i->c->tape;
    if (t->resets_read_pre) {
        Sweep before = sweep_of(i, &p->before);
        parts_forward(&before, PART_REST);
    }
    for (uint32_t v = 0; v < sys->vars.n; v++)
        if (sys->vars.at[v].role >= ROLE_STATE) p->d[t->pre + v] = p->d[v];
    Sweep s = sweep_of(i, &p->at);
    parts_forward(&s, PART_REST);
    forward(&s, PART_RESETS);
    for (uint32_t k = 0; k < sys->states.n; k++) {
        uint32_t reset = reset_of(i, k);
        result[k] = reset == NONE ? (c->y ? c->y[k] : 0) : p->d[t->resets + reset];
    }
}

static void reset_back(Instance *i, const double *w, ModelChange *g)
{
    Products *p = i->products;
    const System *sys = i->c->s;
    const Tape *t = i->c->tape;
    Sweep s = sweep_of(i, &p->at);
    for (uint32_t k = 0; k < sys->states.n; k++) {
        uint32_t reset = reset_of(i, k);
        if (reset != NONE) p->d[t->resets + reset] = w[k];
    }
    back(&s, PART_RESETS);
    parts_back(&s, PART_REST);
    for (uint32_t v = 0; v < sys->vars.n; v++)
        if (sys->vars.at[v].role >= ROLE_STATE) p->d[v] += p->d[t->pre + v], p->d[t->pre + v] = 0;
    if (t->resets_read_pre) {
        Sweep before = sweep_of(i, &p->before);
        parts_back(&before, PART_REST);
    }
    for (uint32_t k = 0; k < sys->states.n; k++)
        if (g->y) g->y[k] = p->d[sys->states.at[k]] + (reset_of(i, k) == NONE ? w[k] : 0);
}

EvalStatus gen_jvp(Model *model, const ModelChange *c, double *result)
{
    Instance *i = model->data;
    Products *p = i->products;
    if (p->map == MAP_INITIAL) {
        initial_forward(i, c, result);
        return EVAL_OK;
    }
    parameters_forward(i, c);
    put_seeds(i, c, SEEDS_GIVEN);
    put_states(i, c->y);
    p->d[i->c->tape->time] = c->t;
    if (p->map == MAP_RESET) {
        if (!p->resets) memset(p->fired, 0, i->c->s->reinits.n);
        reset_forward(i, c, result);
        return EVAL_OK;
    }
    Sweep s = sweep_of(i, &p->at);
    parts_forward(&s, last_part[p->map]);
    for (uint32_t k = 0; k < result_count(i, p->map); k++) result[k] = p->d[result_column(i, p->map, k)];
    return EVAL_OK;
}

EvalStatus gen_vjp(Model *model, const double *w, ModelChange *g)
{
    Instance *i = model->data;
    Products *p = i->products;
    const System *sys = i->c->s;
    memset(p->d, 0, i->c->tape->columns * sizeof *p->d);
    for (int k = 0; k < g->count; k++) g->p[k] = 0;
    if (g->y) memset(g->y, 0, sys->states.n * sizeof *g->y);
    if (p->map == MAP_INITIAL) {
        initial_back(i, w, g);
        return EVAL_OK;
    }
    if (p->map == MAP_RESET) {
        if (!p->resets) memset(p->fired, 0, sys->reinits.n);
        reset_back(i, w, g);
    } else {
        Sweep s = sweep_of(i, &p->at);
        for (uint32_t k = 0; k < result_count(i, p->map); k++) p->d[result_column(i, p->map, k)] += w[k];
        parts_back(&s, last_part[p->map]);
        for (uint32_t k = 0; k < sys->states.n; k++)
            if (g->y) g->y[k] = p->d[sys->states.at[k]];
    }
    g->t = p->d[i->c->tape->time];
    parameters_back(i, g);
    return EVAL_OK;
}
