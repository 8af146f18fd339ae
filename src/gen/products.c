/* products.c: products with the Jacobians of all maps of a model, forward and backward, over its tape.
 *
 * Passes over the tape are in sweep.c; here is what goes in and comes out for each map. Parameters that the initial
 * equations give carry their change from there. An event is remembered as snapshots: before it, and of each round of its
 * iteration when continuous and discrete equations agreed; then its derivative is that of one round after the other:
 * values before it, equations, discrete equations, reinit. Always: forward and backward are the same numbers
 * transposed; relations and discrete values that are no Reals are held; nothing is allocated. Cost: a product is two passes over
 * the entries at most, and the factors of blocks; linearising adds their torn Jacobians. Products with the map of an
 * event linearise each of its rounds. Tests: tests/gen/products_test.c, tests/api/derivatives_test.c. */
#include "gen/inside.h"

#include <math.h>

/* Discrete equations may use continuous ones that use them in turn. */
enum { PASSES = 2 };

static const uint8_t kept[] = { MEM_VALUE, MEM_PRE, MEM_RELATION, MEM_MODE, MEM_SAMPLE }; /* by snapshots */

static void new_snapshot(Instance *i, Snapshot *s)
{
    for (size_t k = 0; k < sizeof kept; k++)
        s->memory[kept[k]] = NEW_ARRAY(i->arena, double, i->c->memory_size[kept[k]]);
    s->fired = NEW_ARRAY(i->arena, uint8_t, i->c->s->reinits.n + 1);
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
    p->d = NEW_ARRAY(i->arena, double, (size_t)(t->columns + 1) * GEN_LANES);
    p->waiting = NEW_ARRAY(i->arena, double, (size_t)(t->columns + 1) * GEN_LANES);
    p->torn = NEW_ARRAY(i->arena, double, t->largest *GEN_LANES);
    p->work = NEW_ARRAY(i->arena, double, 2 * t->largest + 2);
    p->residuals = NEW_ARRAY(i->arena, double, t->pivots + 1);
    p->timed = NONE;
    new_snapshot(i, &p->before);
    new_snapshot(i, &p->now);
    for (int k = 0; k < GEN_ROUNDS; k++) new_snapshot(i, &p->rounds[k]);
    return p;
}

static Sweep sweep_of(const Instance *i, uint32_t lanes)
{
    const Tape *t = i->c->tape;
    Products *p = i->products;
    return (Sweep){ t, &p->at, i->memory[MEM_SET], t->pre, p->d, p->torn, lanes };
}

/* ---- linearising ---- */

/* The torn Jacobian: one sweep through the block for each guessed unknown. All other changes are zero. */
static void torn_jacobian(const Sweep *s, const TapeStep *step, double *lu)
{
    const TapeRow *residuals = s->t->rows.at + step->first + step->n;
    uint32_t n = step->tear_n;
    for (uint32_t j = 0; j < n; j++) {
        s->d[step->tears[j]] = 1;
        sweep_rows_forward(s, step);
        for (uint32_t k = 0; k < n; k++) lu[k * n + j] = sweep_row_sum(s, &residuals[k]);
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
    Sweep s = sweep_of(i, 1);
    const TapePart *p = &s.t->parts[PART_DERIVATIVES];
    for (uint32_t k = 0; k < p->steps.n; k++) {
        const TapeStep *step = &p->steps.at[k];
        sweep_rows_forward(&s, step);
        for (uint32_t j = 0; j < step->tear_n; j++)
            *residuals++ = sweep_row_sum(&s, &s.t->rows.at[step->first + step->n + j]);
    }
}

static EvalStatus linearise_part(Instance *i, Part part)
{
    const Tape *t = i->c->tape;
    Sweep s = sweep_of(i, 1);
    EvalStatus status = gen_partials(i, part);
    bool is_clear = false;
    for (uint32_t k = 0; k < t->parts[part].steps.n && status == EVAL_OK; k++) {
        const TapeStep *step = &t->parts[part].steps.at[k];
        if (!step->tear_n) continue;
        if (!is_clear) memset(s.d, 0, t->columns * sizeof *s.d);
        is_clear = true;
        if (!factor(i, &s, step))
            return gen_fail(i, EVAL_RETRY, "at time %.10g: the equations for '%s' have a singular Jacobian",
                            i->memory[MEM_MODE][MODE_TIME], i->c->s->vars.at[step->tears[0]].name);
    }
    return status;
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
    i->products->round_count = 0;
    i->products->reselected = false;
    EvalStatus status = linearise_parts(i, PART_PARAMETERS, PART_INITIAL);
    return status == EVAL_OK ? linearise_part(i, PART_DISCRETE_INITIAL) : status;
}

/* At the beginning of an event, with all values before it; `timed` is the relation or sample that is due, or NONE. */
void gen_note_event(Instance *i, uint32_t timed, double count)
{
    Products *p = i->products;
    if (!p) return;
    p->round_count = 0;
    p->reselected = false;
    p->timed = timed;
    p->timed_count = count;
    take_snapshot(i, &p->before);
}

/* When all equations agree, before states are reset and values before the event take the new ones. */
void gen_note_round(Instance *i)
{
    Products *p = i->products;
    if (!p || p->round_count++ >= GEN_ROUNDS) return;
    Snapshot *s = &p->rounds[p->round_count - 1];
    take_snapshot(i, s);
    for (uint32_t k = 0; k < i->c->s->reinits.n; k++) s->fired[k] = i->memory[MEM_FIRE][2 * k] != 0;
}

static const Part last_part[MAP_COUNT] = {
    [MAP_DERIVATIVES] = PART_DERIVATIVES, [MAP_VALUES] = PART_REST, [MAP_INDICATORS] = PART_INDICATORS
};

static EvalStatus linearise_time(Instance *i)
{
    Products *p = i->products;
    take_snapshot(i, &p->now);
    load_snapshot(i, &p->before);
    EvalStatus status = linearise_part(i, PART_TIMES);
    load_snapshot(i, &p->now);
    return status;
}

EvalStatus gen_linearise(Model *model, ModelMap map, double t, const double *y)
{
    Instance *i = model->data;
    i->products->map = map;
    if (map == MAP_INITIAL) return EVAL_OK;
    if (map == MAP_RESET) {
        if (i->products->round_count <= GEN_ROUNDS) return EVAL_OK;
        return gen_fail(i, EVAL_FATAL, "the last event took %d rounds, too many for its derivatives",
                        i->products->round_count);
    }
    if (map == MAP_EVENT_TIME) return linearise_time(i);
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

/* Several directions at once; all have the same variables. */
typedef struct {
    const ModelChange *changes;
    uint32_t count, lanes;
} Lanes;

static void put_seeds(Instance *i, const Lanes *l, Seeds kind)
{
    const ModelChange *first = l->changes;
    for (int k = 0; k < first->count; k++) {
        const ModelVariable *v = &i->model.shape.variables[first->variables[k]];
        if (kind_of(i, v) != kind) continue;
        double *d = i->products->d + (size_t)column_of(i, v) * l->lanes;
        for (uint32_t q = 0; q < l->count; q++) d[q] += v->negated ? -l->changes[q].p[k] : l->changes[q].p[k];
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
static void clear_varying(Instance *i, uint32_t lanes)
{
    const System *s = i->c->s;
    double *d = i->products->d;
    for (uint32_t v = 0; v < s->vars.n; v++)
        if (s->vars.at[v].role > ROLE_PARAMETER) memset(d + (size_t)v * lanes, 0, lanes * sizeof *d);
    memset(d + (size_t)s->vars.n * lanes, 0, (i->c->tape->columns - s->vars.n) * lanes * sizeof *d);
}

/* Changes of all parameters. */
static void parameters_forward(Instance *i, const Lanes *l)
{
    Sweep s = sweep_of(i, l->lanes);
    memset(s.d, 0, (size_t)s.t->columns * l->lanes * sizeof *s.d);
    put_seeds(i, l, SEEDS_PARAMETERS);
    sweep_forward(&s, PART_PARAMETERS);
    if (!s.t->has_unknown_parameters) return;
    sweep_forward(&s, PART_START);
    sweep_forward(&s, PART_INITIAL);
    clear_varying(i, l->lanes);
}

static void parameters_back(Instance *i, ModelChange *c)
{
    Sweep s = sweep_of(i, 1);
    get_seeds(i, c, SEEDS_GIVEN);
    if (s.t->has_unknown_parameters) {
        clear_varying(i, 1);
        sweep_back(&s, PART_INITIAL);
        sweep_back(&s, PART_START);
    }
    sweep_back(&s, PART_PARAMETERS);
    get_seeds(i, c, SEEDS_PARAMETERS);
}

static size_t discrete_slot(const Instance *i, int k)
{
    return (size_t)i->model.shape.variables[i->model.shape.discrete[k]].slot;
}

/* Between events the values of discrete variables are those before the next one, too. */
static void held_forward(Instance *i, uint32_t lanes)
{
    double *d = i->products->d;
    for (int k = 0; k < i->model.shape.discrete_count; k++) {
        size_t v = discrete_slot(i, k);
        memcpy(d + (i->c->tape->pre + v) * lanes, d + v * lanes, lanes * sizeof *d);
    }
}

static void held_back(Instance *i)
{
    double *d = i->products->d;
    for (int k = 0; k < i->model.shape.discrete_count; k++) {
        size_t v = discrete_slot(i, k);
        d[v] += d[i->c->tape->pre + v];
        d[i->c->tape->pre + v] = 0;
    }
}

static void put_states(Instance *i, const Lanes *l)
{
    const System *s = i->c->s;
    for (uint32_t k = 0; k < s->states.n; k++) {
        double *d = i->products->d + (size_t)s->states.at[k] * l->lanes;
        for (uint32_t q = 0; q < l->count; q++) d[q] = l->changes[q].y ? l->changes[q].y[k] : 0;
    }
}

static void put_time(Instance *i, const Lanes *l)
{
    for (uint32_t q = 0; q < l->count; q++)
        i->products->d[(size_t)i->c->tape->time * l->lanes + q] = l->changes[q].t;
}

/* ---- states of dynamic sets are made of their candidates, as they are selected now ---- */

static void sets_forward(const Instance *i, uint32_t lanes)
{
    const System *s = i->c->s;
    double *d = i->products->d;
    for (uint32_t q = 0; q < s->sets.n; q++)
        for (uint32_t k = 0; k < s->sets.at[q].columns - s->sets.at[q].rows; k++) {
            const DaeStateSet *set = &s->sets.at[q];
            double sum[GEN_LANES] = { 0 };
            for (uint32_t j = 0; j < set->columns; j++)
                for (uint32_t lane = 0; lane < lanes; lane++)
                    sum[lane] += i->memory[MEM_VALUE][set->selectors[k * set->columns + j]] *
                                 d[(size_t)set->vars[j] * lanes + lane];
            memcpy(d + (size_t)set->states[k] * lanes, sum, lanes * sizeof *sum);
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

/* ---- results ---- */

/* The column of a result. States are followed by the discrete Reals. */
static uint32_t result_column(const Instance *i, ModelMap map, uint32_t k)
{
    const System *s = i->c->s;
    if (map == MAP_DERIVATIVES) return s->vars.at[s->states.at[k]].der;
    if (map == MAP_VALUES) return k;
    if (map == MAP_INDICATORS) return i->c->tape->indicators + k;
    if (k < s->states.n) return s->states.at[k];
    return (uint32_t)i->model.shape.variables[i->model.shape.discrete[k - s->states.n]].slot;
}

static uint32_t result_count(const Instance *i, ModelMap map)
{
    const System *s = i->c->s;
    if (map == MAP_DERIVATIVES) return s->states.n;
    if (map == MAP_VALUES) return s->vars.n;
    if (map == MAP_INDICATORS) return i->c->indicator_count;
    return s->states.n + (uint32_t)i->model.shape.discrete_count;
}

static void get_results(const Instance *i, const Lanes *l, double *const *results)
{
    ModelMap map = i->products->map;
    uint32_t n = result_count(i, map);
    for (uint32_t k = 0; k < n; k++) {
        const double *d = i->products->d + (size_t)result_column(i, map, k) * l->lanes;
        for (uint32_t q = 0; q < l->count; q++) results[q][k] = d[q];
    }
}

static void put_weights(Instance *i, const double *w)
{
    ModelMap map = i->products->map;
    for (uint32_t k = 0; k < result_count(i, map); k++) i->products->d[result_column(i, map, k)] += w[k];
}

/* ---- initial values ---- */

/* Discrete variables begin with their start values, or what initial equations give. */
static void discrete_from_start(const Instance *i, uint32_t lanes)
{
    const System *s = i->c->s;
    const Tape *t = i->c->tape;
    double *d = i->products->d;
    for (uint32_t v = 0; v < s->vars.n; v++)
        if (s->vars.at[v].role == ROLE_DISCRETE && s->vars.at[v].type == BASE_REAL)
            memcpy(d + (size_t)v * lanes, d + (size_t)(t->pre + v) * lanes, lanes * sizeof *d);
}

static void initial_forward(Instance *i, const Lanes *l)
{
    Sweep s = sweep_of(i, l->lanes);
    memset(s.d, 0, (size_t)s.t->columns * l->lanes * sizeof *s.d);
    for (int kind = SEEDS_PARAMETERS; kind <= SEEDS_START; kind++) put_seeds(i, l, (Seeds)kind);
    put_time(i, l);
    sweep_forward(&s, PART_PARAMETERS);
    sweep_forward(&s, PART_START);
    discrete_from_start(i, l->lanes);
    for (int pass = 0; pass < PASSES; pass++) {
        sweep_forward(&s, PART_DISCRETE_INITIAL);
        sweep_forward(&s, PART_INITIAL);
    }
    sets_forward(i, l->lanes);
}

static void initial_back(Instance *i, ModelChange *g)
{
    Sweep s = sweep_of(i, 1);
    const System *sys = i->c->s;
    sets_back(i);
    for (int pass = 0; pass < PASSES; pass++) {
        sweep_back(&s, PART_INITIAL);
        sweep_back(&s, PART_DISCRETE_INITIAL);
    }
    for (uint32_t v = 0; v < sys->vars.n; v++)
        if (sys->vars.at[v].role == ROLE_DISCRETE && sys->vars.at[v].type == BASE_REAL)
            s.d[s.pre + v] += s.d[v], s.d[v] = 0;
    sweep_back(&s, PART_START);
    sweep_back(&s, PART_PARAMETERS);
    g->t = s.d[s.t->time];
    for (int kind = SEEDS_PARAMETERS; kind <= SEEDS_START; kind++) get_seeds(i, g, (Seeds)kind);
}

/* ---- events ---- */

static void parts_forward(const Sweep *s, Part last)
{
    for (int part = PART_CONSTANTS; part <= (int)last; part++) sweep_forward(s, (Part)part);
}

static void parts_back(const Sweep *s, Part last)
{
    for (int part = (int)last; part >= PART_CONSTANTS; part--) sweep_back(s, (Part)part);
}

/* The state that a reset acts on is reset by the last one that fired. */
static bool is_last_reset(const Instance *i, const Snapshot *round, uint32_t k)
{
    const System *s = i->c->s;
    if (!round->fired[k]) return false;
    for (uint32_t j = k + 1; j < s->reinits.n; j++)
        if (round->fired[j] && s->reinits.at[j].var == s->reinits.at[k].var) return false;
    return true;
}

static EvalStatus linearise_snapshot(Instance *i, const Snapshot *snapshot, bool is_round)
{
    load_snapshot(i, snapshot);
    EvalStatus status = linearise_parts(i, PART_CONSTANTS, PART_REST);
    if (is_round && status == EVAL_OK) status = linearise_parts(i, PART_RESETS, PART_DISCRETE);
    return status;
}

static void round_forward(Instance *i, const Snapshot *round, uint32_t lanes)
{
    const System *sys = i->c->s;
    Sweep s = sweep_of(i, lanes);
    for (uint32_t v = 0; v < sys->vars.n; v++)
        if (sys->vars.at[v].role >= ROLE_DISCRETE)
            memcpy(s.d + (size_t)(s.pre + v) * lanes, s.d + (size_t)v * lanes, lanes * sizeof(double));
    for (int pass = 0; pass < PASSES; pass++) {
        parts_forward(&s, PART_REST);
        sweep_forward(&s, PART_DISCRETE);
    }
    parts_forward(&s, PART_REST);
    sweep_forward(&s, PART_RESETS);
    for (uint32_t k = 0; k < sys->reinits.n; k++)
        if (is_last_reset(i, round, k))
            memcpy(s.d + (size_t)sys->reinits.at[k].var * lanes, s.d + (size_t)(s.t->resets + k) * lanes,
                   lanes * sizeof(double));
}

static void round_back(Instance *i, const Snapshot *round)
{
    const System *sys = i->c->s;
    Sweep s = sweep_of(i, 1);
    for (uint32_t k = 0; k < sys->reinits.n; k++) s.d[s.t->resets + k] = 0;
    for (uint32_t k = 0; k < sys->reinits.n; k++)
        if (is_last_reset(i, round, k)) {
            s.d[s.t->resets + k] = s.d[sys->reinits.at[k].var];
            s.d[sys->reinits.at[k].var] = 0;
        }
    sweep_back(&s, PART_RESETS);
    parts_back(&s, PART_REST);
    for (int pass = 0; pass < PASSES; pass++) {
        sweep_back(&s, PART_DISCRETE);
        parts_back(&s, PART_REST);
    }
    for (uint32_t v = 0; v < sys->vars.n; v++)
        if (sys->vars.at[v].role >= ROLE_DISCRETE) s.d[v] += s.d[s.pre + v], s.d[s.pre + v] = 0;
}

/* Linearising a block needs room for changes: those at work wait here. */
static EvalStatus between(Instance *i, const Snapshot *snapshot, bool is_round, uint32_t lanes)
{
    Products *p = i->products;
    size_t bytes = (size_t)i->c->tape->columns * lanes * sizeof(double);
    memcpy(p->waiting, p->d, bytes);
    EvalStatus status = linearise_snapshot(i, snapshot, is_round);
    memcpy(p->d, p->waiting, bytes);
    return status;
}

static EvalStatus event_forward(Instance *i, const Lanes *l)
{
    Products *p = i->products;
    Sweep s = sweep_of(i, l->lanes);
    take_snapshot(i, &p->now);
    EvalStatus status = between(i, &p->before, false, l->lanes);
    if (status == EVAL_OK) parts_forward(&s, PART_REST);
    for (int r = 0; r < p->round_count && status == EVAL_OK; r++) {
        status = between(i, &p->rounds[r], true, l->lanes);
        if (status == EVAL_OK) round_forward(i, &p->rounds[r], l->lanes);
    }
    load_snapshot(i, &p->now);
    if (p->reselected) sets_forward(i, l->lanes);
    return status;
}

static EvalStatus event_back(Instance *i)
{
    Products *p = i->products;
    Sweep s = sweep_of(i, 1);
    take_snapshot(i, &p->now);
    EvalStatus status = EVAL_OK;
    if (p->reselected) sets_back(i);
    for (int r = p->round_count; r-- > 0 && status == EVAL_OK;) {
        status = between(i, &p->rounds[r], true, 1);
        if (status == EVAL_OK) round_back(i, &p->rounds[r]);
    }
    if (status == EVAL_OK) status = between(i, &p->before, false, 1);
    if (status == EVAL_OK) parts_back(&s, PART_REST);
    load_snapshot(i, &p->now);
    return status;
}

/* The time of the event is that of a relation, or start + count * interval of a sample. */
static void time_forward(Instance *i, const Lanes *l, double *const *results)
{
    const Products *p = i->products;
    const Tape *t = i->c->tape;
    uint32_t relations = i->c->s->relations.n;
    Sweep s = sweep_of(i, l->lanes);
    sweep_forward(&s, PART_TIMES);
    for (uint32_t q = 0; q < l->count; q++) {
        const double *d = s.d + (size_t)(t->times + (p->timed == NONE ? 0 : p->timed)) * l->lanes + q;
        results[q][0] = p->timed == NONE       ? 0
                        : p->timed < relations ? d[0]
                                               : d[0] + p->timed_count * d[l->lanes];
    }
}

static void time_back(Instance *i, double weight)
{
    const Products *p = i->products;
    Sweep s = sweep_of(i, 1);
    if (p->timed == NONE) return;
    s.d[s.t->times + p->timed] = weight;
    if (p->timed >= i->c->s->relations.n) s.d[s.t->times + p->timed + 1] = weight * p->timed_count;
    sweep_back(&s, PART_TIMES);
}

/* ---- the doors ---- */

static EvalStatus some_directions(Instance *i, const Lanes *l, double *const *results)
{
    Products *p = i->products;
    EvalStatus status = EVAL_OK;
    if (p->map == MAP_INITIAL) {
        initial_forward(i, l);
        get_results(i, l, results);
        return EVAL_OK;
    }
    parameters_forward(i, l);
    put_seeds(i, l, SEEDS_GIVEN);
    held_forward(i, l->lanes);
    put_states(i, l);
    put_time(i, l);
    if (p->map == MAP_EVENT_TIME) {
        time_forward(i, l, results);
        return EVAL_OK;
    }
    Sweep s = sweep_of(i, l->lanes);
    if (p->map == MAP_RESET)
        status = event_forward(i, l);
    else
        parts_forward(&s, last_part[p->map]);
    if (status == EVAL_OK) get_results(i, l, results);
    return status;
}

EvalStatus gen_jvp(Model *model, int count, const ModelChange *changes, double *const *results)
{
    EvalStatus status = EVAL_OK;
    for (int at = 0; at < count && status == EVAL_OK; at += GEN_LANES) {
        uint32_t n = count - at < GEN_LANES ? (uint32_t)(count - at) : GEN_LANES;
        Lanes l = { changes + at, n, n == 1 ? 1 : GEN_LANES };
        status = some_directions(model->data, &l, results + at);
    }
    return status;
}

EvalStatus gen_vjp(Model *model, const double *w, ModelChange *g)
{
    Instance *i = model->data;
    Products *p = i->products;
    const System *sys = i->c->s;
    EvalStatus status = EVAL_OK;
    memset(p->d, 0, i->c->tape->columns * sizeof *p->d);
    for (int k = 0; k < g->count; k++) g->p[k] = 0;
    if (g->y) memset(g->y, 0, sys->states.n * sizeof *g->y);
    if (p->map == MAP_EVENT_TIME)
        time_back(i, w[0]);
    else
        put_weights(i, w);
    if (p->map == MAP_INITIAL) {
        initial_back(i, g);
        return EVAL_OK;
    }
    Sweep s = sweep_of(i, 1);
    if (p->map == MAP_RESET) status = event_back(i);
    if (p->map < MAP_RESET) parts_back(&s, last_part[p->map]);
    for (uint32_t k = 0; k < sys->states.n; k++)
        if (g->y) g->y[k] = p->d[sys->states.at[k]];
    g->t = p->d[i->c->tape->time];
    held_back(i);
    parameters_back(i, g);
    return status;
}
