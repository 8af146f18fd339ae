/* sparse.c: LU factors of a sparse matrix whose pattern and order of columns are known beforehand.
 *
 * Left-looking by columns (Gilbert and Peierls 1988). The first time each column is solved with the
 * factors so far, its nonzeros being found by a search in their graph, and takes as its pivot the
 * diagonal of the pattern or, where that is small, the largest entry left. Later values use the
 * same patterns and pivots, up to the first column that would take another pivot, or has an entry
 * that was zero so far: from there on the search begins anew. So the factors depend on the values
 * alone, not on what was factored before. Memory grows in searches and stays. The same values are
 * not factored twice. Cost: proportional to the operations on nonzeros. Tests:
 * tests/rt/sparse_test.c. */
#include "rt/rt.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double LEAST_PIVOT = 0.1; /* on the diagonal, of the largest */

typedef struct {
    int *start, *index; /* by column */
    double *value;
    size_t used, room;
} Factor;

struct RtSparse {
    const RtPattern *pattern;
    Factor lower;  /* the unit diagonal first; by row while columns are searched, then by pivot */
    Factor upper;  /* by pivot, ascending, so that sums have one order; the pivot last */
    int *place;    /* by row: its number among the pivots; -1 */
    int *row;      /* by pivot */
    char *is_live; /* by entry of the pattern: whether it was ever not zero */
    int *mark, *order, *stack, *next;
    double *x;    /* zeros between columns */
    double *last; /* the values that were factored last */
    int is_known; /* the factors' patterns and pivots: those of `last`, or of values before */
    int is_factored;
    long searched; /* columns */
};

RtSparse *rt_sparse_new(const RtPattern *pattern)
{
    size_t n = (size_t)pattern->n + 1, entries = (size_t)pattern->start[pattern->n] + 1;
    RtSparse *s = calloc(1, sizeof *s);
    if (!s) return NULL;
    s->pattern = pattern;
    int **ints[] = { &s->lower.start, &s->upper.start, &s->place, &s->row,
                     &s->mark,        &s->order,       &s->stack, &s->next };
    int fine = (s->x = calloc(n, sizeof *s->x)) != NULL;
    fine &= (s->last = calloc(entries, sizeof *s->last)) != NULL;
    fine &= (s->is_live = calloc(entries, 1)) != NULL;
    for (size_t k = 0; k < sizeof ints / sizeof *ints; k++)
        fine &= (*ints[k] = calloc(n, sizeof **ints[k])) != NULL;
    if (fine) return s;
    rt_sparse_free(s);
    return NULL;
}

void rt_sparse_free(RtSparse *s)
{
    if (!s) return;
    void *all[] = { s->lower.start, s->lower.index, s->lower.value, s->upper.start, s->upper.index,
                    s->upper.value, s->place,       s->row,         s->is_live,     s->mark,
                    s->order,       s->stack,       s->next,        s->x,           s->last };
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) free(all[k]);
    free(s);
}

long rt_sparse_searched(const RtSparse *s) { return s->searched; }

/* Room for n more entries. */
static int make_room(Factor *f, size_t n)
{
    if (f->used + n <= f->room) return 1;
    size_t room = 2 * (f->used + n);
    if (f->used + n > INT_MAX) return 0;
    int *index = realloc(f->index, room * sizeof *index);
    if (index) f->index = index;
    double *value = index ? realloc(f->value, room * sizeof *value) : NULL;
    if (!value) return 0;
    f->value = value;
    f->room = room;
    return 1;
}

static void add(Factor *f, int index, double value)
{
    f->index[f->used] = index;
    f->value[f->used++] = value;
}

/* ---- columns whose pattern is searched */

/* Rows in which column `column` of the matrix, solved with the factors so far, may be nonzero:
 * s->order from the place that is returned on. */
static int reach(RtSparse *s, int column, int round)
{
    const RtPattern *p = s->pattern;
    const Factor *l = &s->lower;
    int top = p->n;
    for (int e = p->start[column]; e < p->start[column + 1]; e++) {
        int depth = 0;
        if (!s->is_live[e] || s->mark[p->row[e]] == round) continue;
        s->stack[0] = p->row[e];
        s->next[0] = -1;
        while (depth >= 0) {
            int row = s->stack[depth], k = s->place[row];
            if (s->next[depth] < 0) {
                s->mark[row] = round;
                s->next[depth] = k < 0 ? 0 : l->start[k] + 1;
            }
            int end = k < 0 ? 0 : l->start[k + 1], child = -1;
            while (s->next[depth] < end && child < 0) {
                int other = l->index[s->next[depth]++];
                if (s->mark[other] != round) child = other;
            }
            if (child < 0) {
                s->order[--top] = row;
                depth--;
            } else {
                s->stack[++depth] = child;
                s->next[depth] = -1;
            }
        }
    }
    return top;
}

static int compare_ints(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

/* Solves the column that was scattered to x, and writes what is above the diagonal. */
static void solve_column(RtSparse *s, int top)
{
    const Factor *l = &s->lower;
    int n = s->pattern->n, count = 0, *above = s->stack;
    for (int e = top; e < n; e++)
        if (s->place[s->order[e]] >= 0) above[count++] = s->place[s->order[e]];
    qsort(above, (size_t)count, sizeof *above, compare_ints);
    for (int e = 0; e < count; e++) {
        int j = above[e];
        double value = s->x[s->row[j]];
        s->x[s->row[j]] = 0;
        add(&s->upper, j, value);
        if (value == 0) continue;
        for (int q = l->start[j] + 1; q < l->start[j + 1]; q++) s->x[l->index[q]] -= l->value[q] * value;
    }
}

/* Chooses the pivot, and writes what is below it. 0 if there is none. */
static int take_pivot(RtSparse *s, int k, int top)
{
    const RtPattern *p = s->pattern;
    int n = p->n, pivot = -1, wanted = p->diagonal ? p->diagonal[p->order[k]] : -1;
    double largest = 0;
    for (int e = top; e < n; e++) {
        int row = s->order[e];
        double size = fabs(s->x[row]);
        if (s->place[row] >= 0) continue;
        if (size > largest || (size == largest && row < pivot)) largest = size, pivot = row;
    }
    if (pivot < 0 || !rt_is_finite(largest)) return 0;
    if (wanted >= 0 && s->place[wanted] < 0 && fabs(s->x[wanted]) >= LEAST_PIVOT * largest) pivot = wanted;
    double value = s->x[pivot];
    add(&s->upper, k, value);
    add(&s->lower, pivot, 1);
    s->place[pivot] = k;
    s->row[k] = pivot;
    for (int e = top; e < n; e++) {
        int row = s->order[e];
        if (s->place[row] < 0) add(&s->lower, row, s->x[row] / value);
        s->x[row] = 0;
    }
    return 1;
}

/* Makes the factors from column `from` on anew. 0, or the first column without a pivot, counted
 * from 1. */
static int search(RtSparse *s, const double *values, int from)
{
    const RtPattern *p = s->pattern;
    Factor *l = &s->lower, *u = &s->upper;
    int n = p->n;
    l->used = from ? (size_t)l->start[from] : 0;
    u->used = from ? (size_t)u->start[from] : 0;
    for (size_t q = 0; q < l->used; q++) l->index[q] = s->row[l->index[q]];
    for (int i = 0; i < n; i++) {
        s->mark[i] = 0;
        if (s->place[i] >= from || !s->is_known) s->place[i] = -1;
    }
    s->is_known = 0;
    for (int k = from; k < n; k++) {
        int column = p->order[k];
        l->start[k] = (int)l->used;
        u->start[k] = (int)u->used;
        if (!make_room(l, (size_t)n) || !make_room(u, (size_t)n)) return column + 1;
        for (int e = p->start[column]; e < p->start[column + 1]; e++)
            if (values[e] != 0) s->is_live[e] = 1;
        int top = reach(s, column, k + 1);
        for (int e = p->start[column]; e < p->start[column + 1]; e++)
            if (s->is_live[e]) s->x[p->row[e]] = values[e];
        solve_column(s, top);
        if (!take_pivot(s, k, top)) {
            memset(s->x, 0, (size_t)n * sizeof *s->x);
            return column + 1;
        }
        l->start[k + 1] = (int)l->used;
        u->start[k + 1] = (int)u->used;
    }
    for (size_t q = 0; q < l->used; q++) l->index[q] = s->place[l->index[q]];
    s->searched += n - from;
    s->is_known = 1;
    return 0;
}

/* ---- columns whose pattern is known ---------------------------------------------------------- */

/* Whether take_pivot would take what is at the place k again. */
static int keeps_pivot(const RtSparse *s, int k)
{
    const RtPattern *p = s->pattern;
    const Factor *l = &s->lower;
    int wanted = p->diagonal ? s->place[p->diagonal[p->order[k]]] : -1, is_largest = 1;
    double pivot = fabs(s->x[k]), largest = pivot;
    for (int q = l->start[k] + 1; q < l->start[k + 1]; q++) {
        int i = l->index[q];
        double size = fabs(s->x[i]);
        if (size > largest)
            largest = size, is_largest = 0;
        else if (size == pivot && s->row[i] < s->row[k])
            is_largest = 0;
    }
    if (!(largest > 0) || !rt_is_finite(largest)) return 0;
    if (wanted == k) return pivot >= LEAST_PIVOT * largest;
    return is_largest && !(wanted > k && fabs(s->x[wanted]) >= LEAST_PIVOT * largest);
}

/* Column k; 0 if its pattern or pivot must be searched. */
static int refactor_column(RtSparse *s, const double *values, int k)
{
    const RtPattern *p = s->pattern;
    const Factor *l = &s->lower, *u = &s->upper;
    int column = p->order[k], last = u->start[k + 1] - 1;
    double *x = s->x;
    for (int e = p->start[column]; e < p->start[column + 1]; e++)
        if (values[e] != 0 && !s->is_live[e]) return 0;
    for (int e = p->start[column]; e < p->start[column + 1]; e++)
        if (s->is_live[e]) x[s->place[p->row[e]]] = values[e];
    for (int e = u->start[k]; e < last; e++) {
        int j = u->index[e];
        double value = u->value[e] = x[j];
        x[j] = 0;
        if (value == 0) continue;
        for (int q = l->start[j] + 1; q < l->start[j + 1]; q++) x[l->index[q]] -= l->value[q] * value;
    }
    int keeps = keeps_pivot(s, k);
    double pivot = u->value[last] = x[k];
    x[k] = 0;
    for (int q = l->start[k] + 1; q < l->start[k + 1]; q++) {
        l->value[q] = x[l->index[q]] / pivot;
        x[l->index[q]] = 0;
    }
    return keeps;
}

int rt_sparse_factor(RtSparse *s, const double *values)
{
    size_t bytes = (size_t)s->pattern->start[s->pattern->n] * sizeof *values;
    int n = s->pattern->n, k = 0, failed = 0;
    if (s->is_factored && !memcmp(values, s->last, bytes)) return 0;
    memcpy(s->last, values, bytes);
    while (s->is_known && k < n && refactor_column(s, values, k)) k++;
    if (k < n) failed = search(s, values, k);
    s->is_factored = !failed;
    return failed;
}

void rt_sparse_solve(const RtSparse *s, double *b)
{
    const Factor *l = &s->lower, *u = &s->upper;
    int n = s->pattern->n;
    double *y = s->x;
    for (int i = 0; i < n; i++) y[s->place[i]] = b[i];
    for (int k = 0; k < n; k++) {
        double value = y[k];
        if (value == 0) continue;
        for (int q = l->start[k] + 1; q < l->start[k + 1]; q++) y[l->index[q]] -= l->value[q] * value;
    }
    for (int k = n - 1; k >= 0; k--) {
        int last = u->start[k + 1] - 1;
        double value = y[k] /= u->value[last];
        if (value == 0) continue;
        for (int q = u->start[k]; q < last; q++) y[u->index[q]] -= u->value[q] * value;
    }
    for (int k = 0; k < n; k++) b[s->pattern->order[k]] = y[k], y[k] = 0;
}
