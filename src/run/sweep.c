/* sweep.c: one pass over the tape, forward or backward.
 *
 * Forward, the change of each row's target follows from the changes of its columns, for one or for
 * RUN_LANES directions at a time: lanes are interleaved, so that an entry is loaded once for all
 * of them. Backward, weights go the other way. A block is passed by the implicit function theorem:
 * with the torn Jacobian J, dz = -J^-1 dr forward, and weights of its residuals -J^-T w backward.
 * Always: forward and backward are the same numbers transposed. Cost: two passes over the entries
 * of blocks, one over others. Tests: tests/gen/products_test.c. */
#include "run/inside.h"

#if defined(__GNUC__)
#define INLINE static inline __attribute__((always_inline))
#else
#define INLINE static inline
#endif

/* `lanes` is a constant where these are called, so that its loops are unrolled. */
INLINE void row_sum(const Sweep *s, const TapeRow *row, double *sum, uint32_t lanes)
{
    const TapeEntry *e = s->t->entries + row->first;
    double total[RUN_LANES] = { 0 };
    for (uint32_t k = 0; k < row->n; k++) {
        const double *d = s->d + (size_t)e[k].column * lanes;
        double partial = s->at->partial[e[k].place];
        for (uint32_t q = 0; q < lanes; q++) total[q] += partial * d[q];
    }
    for (uint32_t q = 0; q < lanes; q++) sum[q] = total[q];
}

double sweep_row_sum(const Sweep *s, const TapeRow *row)
{
    double sum;
    row_sum(s, row, &sum, 1);
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

INLINE void rows_forward(const Sweep *s, const TapeStep *step, uint32_t lanes)
{
    for (uint32_t r = step->first; r < step->first + step->n; r++)
        row_sum(s, &s->t->rows[r], s->d + (size_t)s->t->rows[r].target * lanes, lanes);
}

void sweep_rows_forward(const Sweep *s, const TapeStep *step) { rows_forward(s, step, 1); }

INLINE void bindings_forward(const Sweep *s, const TapeStep *step, uint32_t lanes)
{
    for (uint32_t r = step->first; r < step->first + step->n; r++) {
        const TapeRow *row = &s->t->rows[r];
        double sum[RUN_LANES], *d = s->d + (size_t)row->target * lanes;
        if (is_replaced(s, row)) continue;
        row_sum(s, row, sum, lanes);
        for (uint32_t q = 0; q < lanes; q++) d[q] += sum[q];
    }
}

INLINE void block_forward(const Sweep *s, const TapeStep *step, uint32_t lanes)
{
    const TapeRow *residuals = s->t->rows + step->first + step->n;
    uint32_t n = step->tear_n;
    for (uint32_t j = 0; j < n; j++) memset(s->d + (size_t)step->tears[j] * lanes, 0, lanes * sizeof(double));
    rows_forward(s, step, lanes);
    for (uint32_t j = 0; j < n; j++) {
        double sum[RUN_LANES];
        row_sum(s, &residuals[j], sum, lanes);
        for (uint32_t q = 0; q < lanes; q++) s->torn[q * n + j] = sum[q];
    }
    for (uint32_t q = 0; q < lanes; q++)
        rt_lu_solve(s->at->lu + step->lu, (int)n, s->at->pivot + step->pivot, s->torn + q * n);
    for (uint32_t j = 0; j < n; j++)
        for (uint32_t q = 0; q < lanes; q++) s->d[(size_t)step->tears[j] * lanes + q] = -s->torn[q * n + j];
    rows_forward(s, step, lanes);
}

INLINE void forward(const Sweep *s, TapeSection section, uint32_t lanes)
{
    const RunSection *p = &s->t->sections[section];
    for (uint32_t k = 0; k < p->step_count; k++) {
        const TapeStep *step = &p->steps[k];
        if (section <= SECTION_START)
            bindings_forward(s, step, lanes);
        else if (step->tear_n)
            block_forward(s, step, lanes);
        else
            rows_forward(s, step, lanes);
    }
}

void sweep_forward(const Sweep *s, TapeSection section)
{
    switch (s->lanes) {
    case 1: forward(s, section, 1); break;
    case 2: forward(s, section, 2); break;
    case 4: forward(s, section, 4); break;
    default: forward(s, section, RUN_LANES); break;
    }
}

INLINE void given(const Sweep *s, const TapeStep *step, double *residuals, uint32_t lanes)
{
    rows_forward(s, step, lanes);
    for (uint32_t j = 0; j < step->tear_n; j++)
        row_sum(s, &s->t->rows[step->first + step->n + j], residuals + (size_t)j * lanes, lanes);
}

void sweep_given(const Sweep *s, const TapeStep *step, double *residuals)
{
    switch (s->lanes) {
    case 1: given(s, step, residuals, 1); break;
    case 2: given(s, step, residuals, 2); break;
    case 4: given(s, step, residuals, 4); break;
    default: given(s, step, residuals, RUN_LANES); break;
    }
}

/* ---- backward -------------------------------------------------------------------------------- */

static void rows_back(const Sweep *s, const TapeStep *step)
{
    for (uint32_t r = step->first + step->n; r-- > step->first;) {
        const TapeRow *row = &s->t->rows[r];
        double weight = s->d[row->target];
        s->d[row->target] = 0;
        row_back(s, row, weight);
    }
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

void sweep_given_back(const Sweep *s, const TapeStep *step, const double *weights)
{
    for (uint32_t j = 0; j < step->tear_n; j++)
        row_back(s, &s->t->rows[step->first + step->n + j], weights[j]);
    rows_back(s, step);
}

void sweep_back(const Sweep *s, TapeSection section)
{
    const RunSection *p = &s->t->sections[section];
    for (uint32_t k = p->step_count; k-- > 0;) {
        const TapeStep *step = &p->steps[k];
        if (section <= SECTION_START) {
            for (uint32_t r = step->first + step->n; r-- > step->first;)
                if (!is_replaced(s, &s->t->rows[r])) row_back(s, &s->t->rows[r], s->d[s->t->rows[r].target]);
        } else if (step->tear_n) {
            block_back(s, step);
        } else {
            rows_back(s, step);
        }
    }
}
