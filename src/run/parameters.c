/* parameters.c: derivatives of f in parameters and held values alone, over the part of the tape
 * that depends on them.
 *
 * In: which variables; then, where f was linearised, changes of them. Out: changes of f, states
 * held. How: rows that none of the variables reaches are left out once and for all, and so are
 * entries of other columns; all directions go in one pass, and a change of one variable in one
 * direction, which is the usual case, touches one number. Always: the same as a product with y
 * held. Cost: the entries that matter; a pass over the tape for each eight directions is what
 * products.c would take. Tests: tests/gen/products_test.c, tests/sens/derivatives_test.c. */
#include "run/inside.h"

#include <stdlib.h>
#include <string.h>

/* Where a change comes from: a slot that was computed, or one of the variables. */
typedef struct {
    uint32_t place;
    uint32_t from; /* slot, or SEED + variable */
} PlanEntry;

typedef struct {
    uint32_t column, slot, first, n; /* slot NONE: the rate of a state, which nothing else needs */
    uint32_t state;
} PlanRow;

typedef struct {
    const TapeStep *block; /* NULL: rows one after the other */
    TapeSection section;
    uint32_t first, n, residuals; /* rows; residuals: the first of them */
} PlanStep;

typedef struct {
    int lane;     /* the only direction that changes it; NONE_AT_ALL, SEVERAL */
    double value; /* there */
} PlanSeed;

static const uint32_t SEED = 0x80000000u;
enum { NONE_AT_ALL = -1, SEVERAL = -2 };

struct RunPlan {
    int count, directions;
    int *variables;
    PlanEntry *entries;
    PlanRow *rows;
    PlanStep *steps;
    uint32_t entry_count, row_count, step_count, slot_count;
    uint32_t *slot_of; /* by column; NONE; SEED + variable */
    double *d;         /* slots x directions */
    double *sum;       /* directions */
    double *torn;      /* directions x the largest block */
    PlanSeed *seeds;
    double *last; /* directions vectors of count: changes of the last time */
    int seen;     /* directions then */
};

/* ---- which columns the variables reach ------------------------------------------------------- */

static bool row_is_reached(const RunPlan *p, const RunTape *t, const TapeRow *row)
{
    for (uint32_t k = row->first; k < row->first + row->n; k++)
        if (p->slot_of[t->entries[k].column] != NONE) return true;
    return false;
}

static bool step_is_reached(const RunPlan *p, const RunTape *t, const TapeStep *step)
{
    for (uint32_t r = step->first; r < step->first + step->n + step->tear_n; r++)
        if (row_is_reached(p, t, &t->rows[r])) return true;
    return false;
}

static void add_entries(RunPlan *p, const RunTape *t, const TapeRow *from, PlanRow *row)
{
    row->first = p->entry_count;
    for (uint32_t k = from->first; k < from->first + from->n; k++) {
        uint32_t source = p->slot_of[t->entries[k].column];
        if (source != NONE) p->entries[p->entry_count++] = (PlanEntry){ t->entries[k].place, source };
    }
    row->n = p->entry_count - row->first;
}

/* A row whose target is a rate and nothing else, and that only variables enter, goes to the result
 * itself. */
static void add_row(RunPlan *p, const RunTape *t, const TapeRow *from, uint32_t state)
{
    PlanRow row = { .column = from->target, .slot = NONE, .state = state };
    add_entries(p, t, from, &row);
    for (uint32_t k = row.first; k < row.first + row.n && row.state != NONE; k++)
        if (!(p->entries[k].from & SEED)) row.state = NONE;
    if (row.state == NONE && from->target != NONE) {
        if (p->slot_of[from->target] == NONE || (p->slot_of[from->target] & SEED))
            p->slot_of[from->target] = p->slot_count++;
        row.slot = p->slot_of[from->target];
    }
    p->rows[p->row_count++] = row;
}

static void add_block(RunPlan *p, const RunTape *t, TapeSection section, const TapeStep *step)
{
    PlanStep to = { step, section, p->row_count, step->n, 0 };
    for (uint32_t j = 0; j < step->tear_n; j++) p->slot_of[step->tears[j]] = p->slot_count++;
    for (uint32_t r = 0; r < step->n; r++)
        if (p->slot_of[t->rows[step->first + r].target] == NONE)
            p->slot_of[t->rows[step->first + r].target] = p->slot_count++;
    for (uint32_t r = 0; r < step->n; r++) add_row(p, t, &t->rows[step->first + r], NONE);
    to.residuals = p->row_count;
    for (uint32_t r = 0; r < step->tear_n; r++) {
        TapeRow residual = t->rows[step->first + step->n + r];
        residual.target = NONE;
        add_row(p, t, &residual, NONE);
    }
    p->steps[p->step_count++] = to;
}

/* state_of: by column, the state that it is the rate of and nothing else. */
static void add_part(RunPlan *p, const RunTape *t, TapeSection section, const uint32_t *state_of)
{
    for (uint32_t k = 0; k < t->sections[section].step_count; k++) {
        const TapeStep *step = &t->sections[section].steps[k];
        if (step->tear_n) {
            if (step_is_reached(p, t, step)) add_block(p, t, section, step);
            continue;
        }
        PlanStep to = { NULL, section, p->row_count, 0, 0 };
        for (uint32_t r = step->first; r < step->first + step->n; r++)
            if (row_is_reached(p, t, &t->rows[r]))
                add_row(p, t, &t->rows[r],
                        section == SECTION_DERIVATIVES ? state_of[t->rows[r].target] : NONE);
        to.n = p->row_count - to.first;
        if (to.n) p->steps[p->step_count++] = to;
    }
}

static void find_rates(const RunModel *m, uint32_t *state_of)
{
    const RunTape *t = m->tape;
    for (uint32_t c = 0; c < t->columns; c++) state_of[c] = NONE;
    for (uint32_t k = 0; k < m->state_count; k++) /* the rate of two states is no one's own */
        state_of[m->rates[k]] = state_of[m->rates[k]] == NONE ? k : NONE - 1;
    for (int section = SECTION_CONSTANTS; section <= SECTION_DERIVATIVES; section++)
        for (uint32_t k = 0; k < t->sections[section].step_count; k++) {
            const TapeStep *step = &t->sections[section].steps[k];
            uint32_t first = t->rows[step->first].first, end = first;
            for (uint32_t r = step->first; r < step->first + step->n + step->tear_n; r++)
                end = t->rows[r].first + t->rows[r].n;
            for (uint32_t e = first; e < end; e++) state_of[t->entries[e].column] = NONE;
        }
    for (uint32_t c = 0; c < t->columns; c++)
        if (state_of[c] == NONE - 1) state_of[c] = NONE;
}

/* Parameters and held values; false: two of them are the same. Start values do not matter here. */
static bool take_seeds(RunPlan *p, const RunModel *m)
{
    for (int k = 0; k < p->count; k++) {
        uint32_t var = m->variables[p->variables[k]].var;
        if (m->role[var] > RUN_DISCRETE) continue;
        if (p->slot_of[var] != NONE) return false;
        p->slot_of[var] = SEED + (uint32_t)k;
        if (m->role[var] == RUN_DISCRETE) p->slot_of[m->tape->pre + var] = SEED + (uint32_t)k;
    }
    return true;
}

static void count_tape(const RunTape *t, uint32_t *entries, uint32_t *rows, uint32_t *steps)
{
    *entries = *rows = *steps = 0;
    for (int section = SECTION_PARAMETERS; section <= SECTION_DERIVATIVES; section++)
        for (uint32_t k = 0; k < t->sections[section].step_count; k++, ++*steps) {
            const TapeStep *step = &t->sections[section].steps[k];
            *rows += step->n + step->tear_n;
            for (uint32_t r = step->first; r < step->first + step->n + step->tear_n; r++)
                *entries += t->rows[r].n;
        }
}

void run_plan_free(RunPlan *p)
{
    if (!p) return;
    void *const all[] = { p->variables, p->entries, p->rows, p->steps, p->slot_of,
                          p->d,         p->sum,     p->torn, p->seeds, p->last };
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) free(all[k]);
    free(p);
}

static bool take_room(RunPlan *p, const RunTape *t)
{
    uint32_t entries, rows, steps;
    size_t count = (size_t)p->count + 1;
    count_tape(t, &entries, &rows, &steps);
    p->variables = calloc(count, sizeof *p->variables);
    p->seeds = calloc(count, sizeof *p->seeds);
    p->last = calloc(count * ((size_t)p->directions + 1), sizeof *p->last);
    p->entries = calloc((size_t)entries + 1, sizeof *p->entries);
    p->rows = calloc((size_t)rows + 1, sizeof *p->rows);
    p->steps = calloc((size_t)steps + 1, sizeof *p->steps);
    p->slot_of = calloc((size_t)t->columns + 1, sizeof *p->slot_of);
    p->sum = calloc((size_t)p->directions + 1, sizeof *p->sum);
    p->torn = calloc((size_t)t->largest * (size_t)p->directions + 1, sizeof *p->torn);
    return p->variables && p->seeds && p->last && p->entries && p->rows && p->steps && p->slot_of && p->sum &&
           p->torn;
}

RunPlan *run_plan_new(const RunModel *m, int count, const int *variables, int directions)
{
    const RunTape *t = m->tape;
    if (!t || t->has_unknown_parameters) return NULL;
    RunPlan *p = calloc(1, sizeof *p);
    uint32_t *state_of = malloc(((size_t)t->columns + 1) * sizeof *state_of);
    bool ok = p && state_of;
    if (p) p->count = count, p->directions = directions;
    ok = ok && take_room(p, t);
    if (ok) {
        memcpy(p->variables, variables, (size_t)count * sizeof *variables);
        for (uint32_t c = 0; c < t->columns; c++) p->slot_of[c] = NONE;
        find_rates(m, state_of);
        ok = take_seeds(p, m);
    }
    if (ok) {
        add_part(p, t, SECTION_PARAMETERS, state_of);
        add_part(p, t, SECTION_CONSTANTS, state_of);
        add_part(p, t, SECTION_DERIVATIVES, state_of);
        p->d = calloc((size_t)p->slot_count * (size_t)directions + 1, sizeof *p->d);
        ok = p->d != NULL;
    }
    free(state_of);
    if (ok) return p;
    run_plan_free(p);
    return NULL;
}

bool run_plan_serves(const RunPlan *p, int count, const int *variables, int directions)
{
    return p && p->count == count && directions <= p->directions &&
           !memcmp(p->variables, variables, (size_t)count * sizeof *variables);
}

/* ---- products -------------------------------------------------------------------------------- */

typedef struct {
    const RunInstance *i;
    RunPlan *p;
    const RunChange *changes;
    double *const *results;
    int m; /* directions */
} Pass;

static double sign_of(const Pass *s, int k)
{
    return s->i->m->variables[s->p->variables[k]].flags & RUN_NEGATED ? -1.0 : 1.0;
}

/* Changes are mostly those of the last time. */
static bool are_as_before(const Pass *s)
{
    size_t bytes = (size_t)s->p->count * sizeof(double);
    bool same = s->m == s->p->seen;
    for (int q = 0; q < s->m && same; q++)
        same = !memcmp(s->p->last + (size_t)q * (size_t)s->p->count, s->changes[q].p, bytes);
    for (int q = 0; q < s->m && !same; q++)
        memcpy(s->p->last + (size_t)q * (size_t)s->p->count, s->changes[q].p, bytes);
    s->p->seen = s->m;
    return same;
}

static void find_seeds(const Pass *s)
{
    if (are_as_before(s)) return;
    for (int k = 0; k < s->p->count; k++) {
        PlanSeed seed = { NONE_AT_ALL, 0 };
        for (int q = 0; q < s->m; q++) {
            double value = s->changes[q].p[k];
            if (value != 0)
                seed = (PlanSeed){ seed.lane == NONE_AT_ALL ? q : SEVERAL, value * sign_of(s, k) };
        }
        s->p->seeds[k] = seed;
    }
}

static void add_seed(const Pass *s, uint32_t k, double factor, double *sum)
{
    PlanSeed seed = s->p->seeds[k];
    if (seed.lane >= 0) sum[seed.lane] += factor * seed.value;
    if (seed.lane != SEVERAL) return;
    factor *= sign_of(s, (int)k);
    for (int q = 0; q < s->m; q++) sum[q] += factor * s->changes[q].p[k];
}

static void add_row_sum(const Pass *s, const PlanRow *row, double *sum)
{
    const double *partial = s->i->products->at.partial;
    for (uint32_t e = row->first; e < row->first + row->n; e++) {
        double factor = partial[s->p->entries[e].place];
        uint32_t from = s->p->entries[e].from;
        if (from & SEED) {
            add_seed(s, from & ~SEED, factor, sum);
            continue;
        }
        const double *d = s->p->d + (size_t)from * (size_t)s->p->directions;
        for (int q = 0; q < s->m; q++) sum[q] += factor * d[q];
    }
}

static double *slot(const Pass *s, uint32_t at) { return s->p->d + (size_t)at * (size_t)s->p->directions; }

static void clear(const Pass *s, double *sum) { memset(sum, 0, (size_t)s->m * sizeof *sum); }

/* Directly into results: only variables enter. */
static void add_rate(const Pass *s, const PlanRow *row)
{
    const double *partial = s->i->products->at.partial;
    for (uint32_t e = row->first; e < row->first + row->n; e++) {
        uint32_t k = s->p->entries[e].from & ~SEED;
        double factor = partial[s->p->entries[e].place];
        PlanSeed seed = s->p->seeds[k];
        if (seed.lane >= 0) s->results[seed.lane][row->state] += factor * seed.value;
        for (int q = 0; q < s->m && seed.lane == SEVERAL; q++)
            s->results[q][row->state] += factor * sign_of(s, (int)k) * s->changes[q].p[k];
    }
}

static void pass_rows(const Pass *s, const PlanStep *step)
{
    for (uint32_t r = step->first; r < step->first + step->n; r++) {
        const PlanRow *row = &s->p->rows[r];
        if (row->slot == NONE) {
            add_rate(s, row);
            continue;
        }
        double *sum = slot(s, row->slot);
        clear(s, sum);
        if (step->section > SECTION_START) {
            add_row_sum(s, row, sum);
            continue;
        }
        /* a parameter has what was given to it, and what its binding says unless that was
         * replaced */
        for (int k = 0; k < s->p->count; k++)
            if (s->i->m->variables[s->p->variables[k]].var == row->column) add_seed(s, (uint32_t)k, 1.0, sum);
        if (s->i->memory[MEM_SET][row->column] == 0) add_row_sum(s, row, sum);
    }
}

static void pass_block(const Pass *s, const PlanStep *step)
{
    const TapeStep *b = step->block;
    const TapePoint *at = &s->i->products->at;
    uint32_t n = b->tear_n;
    for (uint32_t j = 0; j < n; j++) clear(s, slot(s, s->p->slot_of[b->tears[j]]));
    pass_rows(s, step);
    for (uint32_t j = 0; j < n; j++) {
        clear(s, s->p->sum);
        add_row_sum(s, &s->p->rows[step->residuals + j], s->p->sum);
        for (int q = 0; q < s->m; q++) s->p->torn[(size_t)q * n + j] = s->p->sum[q];
    }
    for (int q = 0; q < s->m; q++) {
        rt_lu_solve(at->lu + b->lu, (int)n, at->pivot + b->pivot, s->p->torn + (size_t)q * n);
        for (uint32_t j = 0; j < n; j++)
            slot(s, s->p->slot_of[b->tears[j]])[q] = -s->p->torn[(size_t)q * n + j];
    }
    pass_rows(s, step);
}

void run_plan_jvp(const RunInstance *i, RunPlan *p, int m, const RunChange *changes, double *const *results)
{
    Pass s = { i, p, changes, results, m };
    const RunModel *model = i->m;
    for (int q = 0; q < m; q++) memset(results[q], 0, model->state_count * sizeof **results);
    find_seeds(&s);
    for (uint32_t k = 0; k < p->step_count; k++)
        (p->steps[k].block ? pass_block : pass_rows)(&s, &p->steps[k]);
    for (uint32_t k = 0; k < model->state_count; k++) {
        uint32_t from = p->slot_of[model->rates[k]];
        if (from == NONE) continue;
        double *sum = p->sum;
        if (from & SEED) {
            clear(&s, sum);
            add_seed(&s, from & ~SEED, 1.0, sum);
        } else {
            sum = slot(&s, from);
        }
        for (int q = 0; q < m; q++) results[q][k] = sum[q];
    }
}
