/* sets.c: dynamic state sets of one instance: which candidates are states, and when others should
 * be.
 *
 * The constraints of a set read G v' = ... in its candidates v. With D the columns of those that
 * are not selected and S the others, D^-1 S says how errors of the states reach the rest; entries
 * beyond POOR, nominal values taken into account, ask for another choice: elimination with full
 * pivoting then leaves entries of about 1. The gap between the two is the hysteresis. Always:
 * values of candidates stay as they are, only the states made of them change. Cost: cubic in the
 * constraints of a set, once an accepted step. Tests: tests/gen/states_test.c. */
#include "run/inside.h"

#include <math.h>

static const double POOR = 3;

static double scale(const RunInstance *i, const RunSet *set, uint32_t column)
{
    return fmax(i->memory[MEM_NOMINAL][set->vars[column]], 1e-300);
}

/* The slot among the states that holds a candidate; NONE. */
static uint32_t slot_of(const RunInstance *i, const RunSet *set, uint32_t column)
{
    for (uint32_t k = 0; k < set->columns - set->rows; k++)
        if (i->memory[MEM_VALUE][set->selectors[k * set->columns + column]] != 0) return k;
    return NONE;
}

static void swap_rows(double *g, uint32_t n, uint32_t a, uint32_t b)
{
    for (uint32_t j = 0; j < n && a != b; j++) {
        double t = g[a * n + j];
        g[a * n + j] = g[b * n + j], g[b * n + j] = t;
    }
}

/* Makes column j of row k the unit vector, by row operations. */
static void clear_column(double *g, uint32_t rows, uint32_t n, uint32_t k, uint32_t j)
{
    double pivot = g[k * n + j];
    for (uint32_t q = 0; q < n; q++) g[k * n + q] /= pivot;
    for (uint32_t r = 0; r < rows; r++) {
        double factor = g[r * n + j];
        for (uint32_t q = 0; q < n && r != k && factor != 0; q++) g[r * n + q] -= factor * g[k * n + q];
    }
}

static bool is_poor(const RunInstance *i, const RunSet *set, double *g)
{
    uint32_t n = set->columns, done = 0;
    for (uint32_t j = 0; j < n; j++) {
        if (slot_of(i, set, j) != NONE) continue;
        uint32_t best = done;
        for (uint32_t r = done; r < set->rows; r++)
            if (fabs(g[r * n + j]) > fabs(g[best * n + j])) best = r;
        if (done == set->rows || !(fabs(g[best * n + j]) > 0)) return true;
        swap_rows(g, n, done, best);
        clear_column(g, set->rows, n, done++, j);
    }
    for (uint32_t j = 0; j < n; j++)
        for (uint32_t r = 0; r < set->rows && slot_of(i, set, j) != NONE; r++)
            if (!(fabs(g[r * n + j]) <= POOR)) return true;
    return false;
}

/* Marks in `dropped` the candidates that the constraints shall give. */
static void choose(const RunSet *set, double *g, uint8_t *dropped)
{
    uint32_t n = set->columns;
    memset(dropped, 0, n);
    for (uint32_t k = 0; k < set->rows; k++) {
        uint32_t row = k, column = NONE;
        double best = -1;
        for (uint32_t r = k; r < set->rows; r++)
            for (uint32_t j = 0; j < n; j++)
                if (!dropped[j] && fabs(g[r * n + j]) > best) best = fabs(g[r * n + j]), row = r, column = j;
        if (column == NONE) column = n - 1; /* nothing there is a number */
        dropped[column] = 1;
        swap_rows(g, n, k, row);
        if (best > 0) clear_column(g, set->rows, n, k, column);
    }
}

static void select_columns(RunInstance *i, const RunSet *set, const uint8_t *dropped)
{
    double *value = i->memory[MEM_VALUE];
    uint32_t n = set->columns, states = n - set->rows;
    for (uint32_t j = 0; j < n; j++) {
        uint32_t slot = slot_of(i, set, j);
        if (slot != NONE && dropped[j]) value[set->selectors[slot * n + j]] = 0;
    }
    for (uint32_t j = 0, slot = 0; j < n; j++) {
        if (dropped[j] || slot_of(i, set, j) != NONE) continue;
        for (bool taken = true; taken && slot < states; slot += taken) {
            taken = false;
            for (uint32_t q = 0; q < n; q++) taken |= value[set->selectors[slot * n + q]] != 0;
        }
        if (slot < states) value[set->selectors[slot * n + j]] = 1;
    }
    for (uint32_t k = 0; k < states; k++) {
        double sum = 0;
        for (uint32_t j = 0; j < n; j++) sum += value[set->selectors[k * n + j]] * value[set->vars[j]];
        value[set->states[k]] = sum;
    }
}

/* The matrix of a set, its columns in units of their candidates. */
static const double *load(RunInstance *i, const RunSet *set, const double *from)
{
    for (uint32_t r = 0; r < set->rows; r++)
        for (uint32_t j = 0; j < set->columns; j++)
            i->set_work[r * set->columns + j] = from[r * set->columns + j] * scale(i, set, j);
    return from + set->rows * set->columns;
}

/* Whether the matrix says nothing, since what was eliminated before divides by zero, and a choice
 * has been made: that is held. */
static bool is_held(const RunInstance *i, const RunSet *set, const double *from)
{
    uint32_t chosen = 0;
    for (uint32_t k = 0; k < set->rows * set->columns; k++)
        if (isfinite(from[k])) return false;
    for (uint32_t j = 0; j < set->columns; j++) chosen += slot_of(i, set, j) != NONE;
    return chosen == set->columns - set->rows;
}

bool run_states_are_poor(RunInstance *i)
{
    const RunModel *m = i->m;
    if (!m->set_count || run_call(i, i->m->constraints) != RUN_OK) return false;
    const double *from = i->memory[MEM_SETS];
    for (uint32_t k = 0; k < m->set_count; k++) {
        bool held = is_held(i, &m->sets[k], from);
        from = load(i, &m->sets[k], from);
        if (!held && is_poor(i, &m->sets[k], i->set_work)) return true;
    }
    return false;
}

bool run_select_states(RunInstance *i)
{
    const RunModel *m = i->m;
    if (!run_states_are_poor(i)) return false;
    const double *from = i->memory[MEM_SETS];
    for (uint32_t k = 0; k < m->set_count; k++) {
        const RunSet *set = &m->sets[k];
        bool held = is_held(i, set, from);
        load(i, set, from);
        bool poor = !held && is_poor(i, set, i->set_work);
        from = load(i, set, from);
        if (!poor) continue;
        choose(set, i->set_work, i->set_dropped);
        select_columns(i, set, i->set_dropped);
    }
    return true;
}
