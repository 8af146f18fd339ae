/* sparse.c: LU factors of a sparse matrix whose pattern and order of columns are known beforehand.
 *
 * Left-looking by columns (Gilbert and Peierls 1988): each column is solved with the factors so
 * far, the nonzeros of the solution being found by a search in their graph, and the largest entry
 * left becomes the pivot, or one that keeps to the pattern's diagonal and is not much smaller. So
 * no pattern of the factors has to be right before the run, and no pivot is taken that a change of
 * values made small. Memory grows in the first factorisations and stays. The same values are not
 * factored twice. Cost: proportional to the operations on nonzeros. Tests:
 * tests/rt/sparse_test.c. */
#include "rt/rt.h"

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
    Factor lower, upper; /* lower: the unit diagonal first; upper: the pivot last */
    int *place;          /* by row: its number among the pivots; -1 */
    int *mark, *order, *stack, *next;
    double *x;
    double *last; /* the values that were factored last */
    int is_factored;
};

RtSparse *rt_sparse_new(const RtPattern *pattern)
{
    size_t n = (size_t)pattern->n + 1;
    RtSparse *s = calloc(1, sizeof *s);
    if (!s) return NULL;
    s->pattern = pattern;
    int **ints[] = { &s->lower.start, &s->upper.start, &s->place, &s->mark, &s->order, &s->stack, &s->next };
    int fine = (s->x = calloc(n, sizeof *s->x)) != NULL;
    fine &= (s->last = calloc((size_t)pattern->start[pattern->n] + 1, sizeof *s->last)) != NULL;
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
                    s->upper.value, s->place,       s->mark,        s->order,       s->stack,
                    s->next,        s->x,           s->last };
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) free(all[k]);
    free(s);
}

/* Room for n more entries. */
static int make_room(Factor *f, size_t n)
{
    if (f->used + n <= f->room) return 1;
    size_t room = 2 * (f->used + n);
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

/* Rows in which column `column` of the matrix, solved with the factors so far, may be nonzero:
 * s->order from the place that is returned on, each row before those that depend on it. */
static int reach(RtSparse *s, int column, int round)
{
    const RtPattern *p = s->pattern;
    const Factor *l = &s->lower;
    int top = p->n;
    for (int e = p->start[column]; e < p->start[column + 1]; e++) {
        int depth = 0;
        if (s->mark[p->row[e]] == round) continue;
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

/* Takes the solved column apart: what is above the diagonal, the pivot, what is below. 0 if there
 * is no pivot. */
static int split(RtSparse *s, int k, int top)
{
    const RtPattern *p = s->pattern;
    int n = p->n, pivot = -1, wanted = p->diagonal ? p->diagonal[p->order[k]] : -1;
    double largest = 0;
    for (int e = top; e < n; e++) {
        int row = s->order[e];
        if (s->place[row] >= 0)
            add(&s->upper, s->place[row], s->x[row]);
        else if (fabs(s->x[row]) > largest)
            largest = fabs(s->x[row]), pivot = row;
    }
    if (pivot < 0 || !rt_is_finite(largest)) return 0;
    if (wanted >= 0 && s->place[wanted] < 0 && fabs(s->x[wanted]) >= LEAST_PIVOT * largest) pivot = wanted;
    double value = s->x[pivot];
    add(&s->upper, k, value);
    add(&s->lower, pivot, 1);
    s->place[pivot] = k;
    for (int e = top; e < n; e++) {
        int row = s->order[e];
        if (s->place[row] < 0 && s->x[row] != 0) add(&s->lower, row, s->x[row] / value);
        s->x[row] = 0;
    }
    return 1;
}

int rt_sparse_factor(RtSparse *s, const double *values)
{
    const RtPattern *p = s->pattern;
    int n = p->n;
    size_t bytes = (size_t)p->start[n] * sizeof *values;
    if (s->is_factored && !memcmp(values, s->last, bytes)) return 0;
    memcpy(s->last, values, bytes);
    s->is_factored = 0;
    s->lower.used = s->upper.used = 0;
    memset(s->x, 0, (size_t)n * sizeof *s->x);
    for (int i = 0; i < n; i++) s->place[i] = -1, s->mark[i] = 0;
    for (int k = 0; k < n; k++) {
        int column = p->order[k];
        s->lower.start[k] = (int)s->lower.used;
        s->upper.start[k] = (int)s->upper.used;
        if (!make_room(&s->lower, (size_t)n) || !make_room(&s->upper, (size_t)n)) return column + 1;
        int top = reach(s, column, k + 1);
        for (int e = p->start[column]; e < p->start[column + 1]; e++) s->x[p->row[e]] = values[e];
        for (int e = top; e < n; e++) {
            int row = s->order[e], j = s->place[row];
            if (j < 0 || s->x[row] == 0) continue;
            for (int q = s->lower.start[j] + 1; q < s->lower.start[j + 1]; q++)
                s->x[s->lower.index[q]] -= s->lower.value[q] * s->x[row];
        }
        if (!split(s, k, top)) return column + 1;
        s->lower.start[k + 1] = (int)s->lower.used;
        s->upper.start[k + 1] = (int)s->upper.used;
    }
    s->is_factored = 1;
    return 0;
}

void rt_sparse_solve(const RtSparse *s, double *b)
{
    const Factor *l = &s->lower, *u = &s->upper;
    int n = s->pattern->n;
    double *y = s->x;
    for (int i = 0; i < n; i++) y[s->place[i]] = b[i];
    for (int k = 0; k < n; k++)
        for (int q = l->start[k] + 1; q < l->start[k + 1]; q++)
            y[s->place[l->index[q]]] -= l->value[q] * y[k];
    for (int k = n - 1; k >= 0; k--) {
        int last = u->start[k + 1] - 1;
        y[k] /= u->value[last];
        for (int q = u->start[k]; q < last; q++) y[u->index[q]] -= u->value[q] * y[k];
    }
    for (int k = 0; k < n; k++) b[s->pattern->order[k]] = y[k];
}
