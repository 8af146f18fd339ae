/* plan.c: a pivot order for a matrix of a fixed pattern, chosen once and good for all values that
 * samples show.
 *
 * In: a pattern, and the values of some matrices with it. Out: the order of pivots, the pattern of
 * the factors with fill, and how well the pivots did. How: all samples are eliminated together;
 * at each step the candidate with the least Markowitz count is taken among those that are large
 * enough in their column in every sample. Where none is, the one that is largest in its worst
 * sample. Always: what the factors may hold is in the plan, so code made from it needs no search.
 * Cost: n^3 looks at a byte, and the flops of the samples. Tests: tests/linalg/straight_test.c. */
#include "linalg/inside.h"

#include <math.h>

typedef struct {
    int n;
    size_t samples;
    double threshold;
    unsigned char *present; /* n x n by rows: an entry, or fill */
    double **a;             /* by sample: n x n by rows */
    double *column_largest; /* by sample, then column: of the rows that are left */
    int *in_row, *in_column;
    unsigned char *row_done, *column_done;
} Work;

static void load(Work *w, Arena *arena, const Pattern *p, const double *const *samples)
{
    size_t n = (size_t)w->n;
    w->present = NEW_ARRAY(arena, unsigned char, n *n + 1);
    w->a = NEW_ARRAY(arena, double *, w->samples + 1);
    w->column_largest = NEW_ARRAY(arena, double, w->samples *n + 1);
    w->in_row = NEW_ARRAY(arena, int, n + 1);
    w->in_column = NEW_ARRAY(arena, int, n + 1);
    w->row_done = NEW_ARRAY(arena, unsigned char, n + 1);
    w->column_done = NEW_ARRAY(arena, unsigned char, n + 1);
    for (size_t s = 0; s < w->samples; s++) w->a[s] = NEW_ARRAY(arena, double, n *n);
    for (int j = 0; j < w->n; j++)
        for (int e = p->start[j]; e < p->start[j + 1]; e++) {
            size_t at = (size_t)p->row[e] * n + (size_t)j;
            w->present[at] = 1;
            w->in_row[p->row[e]]++;
            w->in_column[j]++;
            for (size_t s = 0; s < w->samples; s++) w->a[s][at] = samples[s][e];
        }
}

static void find_largest(Work *w)
{
    size_t n = (size_t)w->n;
    memset(w->column_largest, 0, w->samples * n * sizeof(double));
    for (size_t s = 0; s < w->samples; s++)
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n && !w->row_done[i]; j++)
                if (w->present[i * n + j] && !w->column_done[j])
                    w->column_largest[s * n + j] =
                        fmax(w->column_largest[s * n + j], fabs(w->a[s][i * n + j]));
}

/* The share of its column that an entry is in its worst sample. */
static double share(const Work *w, size_t i, size_t j)
{
    size_t n = (size_t)w->n;
    double worst = 1;
    for (size_t s = 0; s < w->samples; s++) {
        double largest = w->column_largest[s * n + j];
        worst = fmin(worst, largest > 0 ? fabs(w->a[s][i * n + j]) / largest : 0);
    }
    return worst;
}

typedef struct {
    int i, j;
    double share;
} Pivot;

static Pivot choose(const Work *w)
{
    size_t n = (size_t)w->n;
    Pivot best = { -1, -1, 0 }, largest = { -1, -1, 0 };
    long least = -1;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n && !w->row_done[i]; j++) {
            if (!w->present[i * n + j] || w->column_done[j]) continue;
            long cost = (long)(w->in_row[i] - 1) * (w->in_column[j] - 1);
            if (least >= 0 && cost > least) continue;
            Pivot p = { (int)i, (int)j, share(w, i, j) };
            if (p.share > largest.share) largest = p;
            if (p.share < w->threshold || (cost == least && p.share <= best.share)) continue;
            best = p;
            least = cost;
        }
    }
    return best.i >= 0 ? best : largest;
}

static void eliminate(Work *w, Pivot p)
{
    size_t n = (size_t)w->n, r = (size_t)p.i, c = (size_t)p.j;
    w->row_done[r] = w->column_done[c] = 1;
    for (size_t j = 0; j < n; j++)
        if (w->present[r * n + j] && !w->column_done[j]) w->in_column[j]--;
    for (size_t i = 0; i < n; i++) {
        if (w->row_done[i] || !w->present[i * n + c]) continue;
        w->in_row[i]--;
        for (size_t s = 0; s < w->samples; s++) w->a[s][i * n + c] /= w->a[s][r * n + c];
        for (size_t j = 0; j < n; j++) {
            if (w->column_done[j] || !w->present[r * n + j]) continue;
            if (!w->present[i * n + j]) {
                w->present[i * n + j] = 1;
                w->in_row[i]++;
                w->in_column[j]++;
            }
            for (size_t s = 0; s < w->samples; s++)
                w->a[s][i * n + j] -= w->a[s][i * n + c] * w->a[s][r * n + j];
        }
    }
}

static double largest_of(const Work *w, size_t s)
{
    double largest = 0;
    for (size_t k = 0; k < (size_t)w->n * (size_t)w->n; k++)
        if (w->present[k]) largest = fmax(largest, fabs(w->a[s][k]));
    return largest;
}

/* The pattern of the factors, row by row in the order of the pivots. */
static void write_places(const Work *w, Arena *arena, const Pattern *p, LuPlan *plan)
{
    size_t n = (size_t)w->n;
    int *start = NEW_ARRAY(arena, int, n + 1), *diagonal = NEW_ARRAY(arena, int, n + 1), count = 0;
    for (size_t k = 0; k < n * n; k++) count += w->present[k];
    int *index = NEW_ARRAY(arena, int, (size_t)count + 1), *source = NEW_ARRAY(arena, int, (size_t)count + 1);
    count = 0;
    for (int k = 0; k < w->n; k++) {
        start[k] = count;
        for (int j = 0; j < w->n; j++) {
            if (!w->present[(size_t)plan->row[k] * n + (size_t)plan->column[j]]) continue;
            if (j == k) diagonal[k] = count;
            index[count] = j;
            source[count++] = pattern_find(p, plan->row[k], plan->column[j]);
        }
    }
    start[n] = plan->count = count;
    plan->start = start;
    plan->index = index;
    plan->diagonal = diagonal;
    plan->source = source;
}

static bool choose_all(Work *w, LuPlan *plan, int *row, int *column, double *smallest)
{
    for (int k = 0; k < w->n; k++) {
        find_largest(w);
        Pivot p = choose(w);
        if (p.i < 0) return false;
        row[k] = p.i;
        column[k] = p.j;
        plan->least = fmin(plan->least, p.share);
        smallest[k] = w->samples ? INFINITY : 0;
        for (size_t s = 0; s < w->samples; s++)
            smallest[k] = fmin(smallest[k], fabs(w->a[s][(size_t)p.i * (size_t)w->n + (size_t)p.j]));
        eliminate(w, p);
    }
    return true;
}

LuPlan *lu_plan(Arena *arena, const Pattern *p, const double *const *samples, size_t count, double threshold)
{
    size_t n = (size_t)p->columns;
    if (p->rows != p->columns || p->columns > LU_PLAN_LARGEST) return NULL;
    LuPlan *plan = NEW(arena, LuPlan);
    int *row = NEW_ARRAY(arena, int, n + 1), *column = NEW_ARRAY(arena, int, n + 1);
    double *smallest = NEW_ARRAY(arena, double, n + 1);
    *plan =
        (LuPlan){ .n = (int)n, .row = row, .column = column, .growth = 1, .least = 1, .smallest = smallest };
    Arena *scratch = arena_new();
    if (!scratch) return NULL;
    Work w = { .n = (int)n, .samples = count, .threshold = threshold };
    load(&w, scratch, p, samples);
    double *size = NEW_ARRAY(scratch, double, count + 1);
    for (size_t s = 0; s < count; s++) size[s] = largest_of(&w, s);
    bool ok = choose_all(&w, plan, row, column, smallest);
    for (size_t s = 0; s < count && ok; s++) {
        double growth = size[s] > 0 ? largest_of(&w, s) / size[s] : 1;
        plan->growth = fmax(plan->growth, growth);
        ok = isfinite(growth);
    }
    if (ok) write_places(&w, arena, p, plan);
    arena_free(scratch);
    return ok ? plan : NULL;
}
