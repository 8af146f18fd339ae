/* seulex_few.c: rows of extrapolation of few unknowns, interleaved.
 *
 * In: J at the start of a step, where L is the identity, and which rows are wanted. Out: their
 * differences, where they end, extrapolated, and the errors of that. How: what seulex.c does row by
 * row, with all components in one register: inverses of n_j/h - J for four rows at once instead of
 * factors, so that a substep is f, a product and two sums; rows go substep for substep, as each
 * waits for its own f. Where digits of 1/h that are lost beside J may show, inverses are corrected.
 * Always: a row is the same whichever others are taken with it. Cost: about 20 instructions a
 * substep around f. Tests: tests/solve/seulex_test.c. */
#include "solve/core/vectors.h"
#include "solve/methods/seulex/inside.h"

enum { ROWS = SEULEX_ROWS };

SeulexFew *seulex_few_new(Solver *s)
{
    enum { GROUP = 4 * sizeof(double) };
    char *room = NEW_ARRAY(s->arena, char, sizeof(SeulexFew) + GROUP);
    SeulexFew *w = (SeulexFew *)(void *)(room + (GROUP - (uintptr_t)room % GROUP) % GROUP);
    for (int k = 1; k <= ROWS; k++)
        for (int j = 1; j <= k; j++) {
            double n = seulex_substeps(j), limit = seulex_limit(k, j);
            if (j < k)
                four_to(w->weight[k][j],
                        four_of(1.0 / ((double)seulex_substeps(k) / seulex_substeps(k - j) - 1.0)));
            four_to(w->slope[k][j], four_of(limit * n));
            four_to(w->curve[k][j], four_of(limit * n * n));
        }
    w->s = s;
    return w;
}

void seulex_few_begin(SeulexFew *w, double h, bool is_refined)
{
    w->h = h;
    w->is_refined = is_refined;
    w->inverted = 0;
    w->singular = ROWS + 1;
}

static int invert(const SeulexFew *w, const FewShifts *c, FewInverse *out)
{
    w->s->stats.inverses++;
    return (w->is_refined ? few_invert_refined : few_invert)(w->s->n, w->J, c, out);
}

/* A row that is singular ends those after it only: so each by itself. */
static void invert_one_by_one(SeulexFew *w, const FewShifts *all)
{
    for (int q = 0; q < LU_LANES && w->singular > ROWS; q++) {
        FewShifts c = { .re = four_of(all->re[q]), .count = 1 };
        w->column = invert(w, &c, w->inverse + w->inverted + q);
        if (w->column < w->s->n) w->singular = w->inverted + q + 1;
    }
}

static void invert_next_four(SeulexFew *w)
{
    double n = seulex_substeps(w->inverted + 1);
    FewShifts c = { .re = (Four){ n, n + 1.0, n + 2.0, n + 3.0 } / w->h, .count = LU_LANES };
    if (invert(w, &c, w->inverse + w->inverted) < w->s->n) invert_one_by_one(w, &c);
    w->inverted += LU_LANES;
}

static TryResult end_row(const SeulexFew *w, SeulexFewRow *row, EvalStatus status)
{
    Solver *s = w->s;
    if (status == EVAL_OK) status = vector_is_finite(s->n, row->f) ? EVAL_RETRY : solver_blame(s, row->f);
    return row->result = of_eval(status);
}

INLINE void begin(bool is_wide, SeulexFew *w, int first, int last)
{
    Four from = four_at(w->s->y), zero = { 0.0 };
    for (int k = first; k <= last; k++) {
        SeulexFewRow *row = &w->row[k];
        group_to(is_wide, row->y, from);
        group_to(is_wide, row->moved, zero);
        row->h = w->h / seulex_substeps(k);
        row->result = TRY_OK;
    }
}

/* A value of f that is not finite makes all of d such, so that one of them is enough to look at. */
INLINE TryResult take(bool is_wide, int n, SeulexFew *w, int first, int last)
{
    Solver *s = w->s;
    TryResult result = TRY_OK;
    long calls = 0;
    for (int i = 0;; i++) {
        if (i >= seulex_substeps(first)) first++;
        if (first > last) break;
        double number = i + 1;
        for (int k = first; k <= last; k++) {
            SeulexFewRow *row = &w->row[k];
            EvalStatus status =
                s->model->type->derivatives(s->model, s->core.t + number * row->h, row->y, row->f);
            Four d = few_times_at(is_wide, n, &w->inverse[k - 1], row->f);
            calls++;
            if (status != EVAL_OK || isnan(d[0] - d[0])) {
                result = end_row(w, row, status);
                last = result == TRY_FATAL ? 0 : k - 1;
                break;
            }
            group_to(is_wide, row->d[i], d);
            Four moved = four_at(row->moved) + d;
            group_to(is_wide, row->moved, moved);
            group_to(is_wide, row->y, four_at(s->y) + moved);
        }
    }
    s->stats.f += calls;
    s->stats.solves += calls;
    return result;
}

/* table[k] holds column k of the row before; afterwards of this row, the first being the way it
 * went. */
INLINE void extrapolate(bool is_wide, SeulexFew *w, int j)
{
    Four value = four_at(w->row[j].moved), before = value;
    for (int k = 1; k < j; k++) {
        Four old = four_at(w->table[k]);
        group_to(is_wide, w->table[k], value);
        before = value;
        value += (value - old) * four_at(w->weight[j][k]);
    }
    Four error = value - before, size = error * four_at(w->error_weight);
    group_to(is_wide, w->table[j], value);
    group_to(is_wide, w->way[j], value);
    group_to(is_wide, w->error[j], error);
    w->square[j] = four_sum(size * size) / w->s->n;
}

INLINE TryResult take_all(bool is_wide, SeulexFew *w, int first, int last)
{
    TryResult result;
    begin(is_wide, w, first, last);
    switch (w->s->n) {
    case 2: result = take(is_wide, 2, w, first, last); break;
    case 3: result = take(is_wide, 3, w, first, last); break;
    default: result = take(is_wide, 4, w, first, last); break;
    }
    for (int j = first; j <= last && w->row[j].result == TRY_OK; j++) {
        Four y = four_at(w->row[j].y);
        if (isnan(four_sum(y - y)))
            w->row[j].result = TRY_MODEL;
        else
            extrapolate(is_wide, w, j);
    }
    return result;
}

static TryResult take_plain(SeulexFew *w, int first, int last) { return take_all(false, w, first, last); }
WIDE_LOOP static TryResult take_wide(SeulexFew *w, int first, int last)
{
    return take_all(true, w, first, last);
}

TryResult seulex_few_take(SeulexFew *w, int first, int last)
{
    while (w->inverted < last && w->singular > ROWS) invert_next_four(w);
    int ready = w->singular <= last ? w->singular - 1 : last;
    w->s->stats.factors += last - first + 1;
    if (ready < last) w->row[w->singular].result = TRY_SINGULAR;
    return (PROCESSOR_IS_WIDE ? take_wide : take_plain)(w, first, ready);
}

void seulex_few_limits(const SeulexFew *w, int done, bool at_start, double *slope, double *curve)
{
    double per_h = 1.0 / w->h;
    Sum rise = { 0 }, bend = { 0 };
    for (int j = 1; j <= done; j++) {
        const double(*d)[4] = w->row[j].d + (at_start ? 0 : seulex_substeps(j) - 2);
        Four one = four_at(d[0]), other = four_at(d[1]);
        sum_add(false, &rise, four_at(w->slope[done][j]) * (at_start ? one : other));
        sum_add(false, &bend, four_at(w->curve[done][j]) * (other - one));
    }
    group_to(false, slope, sum_so_far(false, &rise) * per_h);
    group_to(false, curve, sum_so_far(false, &bend) * (per_h * per_h));
}
