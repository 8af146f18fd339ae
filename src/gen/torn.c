/* torn.c: the pattern of the torn Jacobian of a large block, and the order in which its columns are
 * eliminated.
 *
 * In: a block. Out: which residuals depend on which tearing variables, through the assignments
 * between them; for each tearing variable the assignments to differentiate; an order of columns.
 * Cost: proportional to the entries of the sets, and of the joined rows. Tests:
 * tests/gen/large_test.c. */
#include "gen/inside.h"

#include <math.h>

/* Sets of tearing variables for each assignment; then the column of least degree first, where
 * eliminating a column joins all rows that contain it to one (as COLAMD does; its bound for the
 * degree, the sum of the lengths of these rows, is used here too). Where the pattern is nearly
 * symmetric, once rows are matched to columns, the same is done with a row for each pair of coupled
 * columns (as SYMAMD does). NULL for blocks that are small, or nearly full. */

/* Tearing variables. Below, dense factors cost little, and show which unknowns a singular Jacobian
 * leaves open. */
enum { SPARSE_FROM = 40, SPARSE_FROM_NONLINEAR = 80 };

static const double SYMMETRIC = 0.5;    /* share of entries that have one opposite */
static const double NEAR_LARGEST = 0.3; /* of a column's entries */

typedef VEC(uint32_t) List;

/* An entry of the torn Jacobian, with what it is near the start values. */
typedef struct {
    uint32_t column;
    double value;
} Cell;
typedef VEC(Cell) Cells;

typedef struct {
    Arena *a;
    SymPool *pool;
    const double *estimates;
    /* by variable: its number in the block + 1: tearing variables first, then assignments */
    uint32_t *owner;
    Cells *sets;     /* by assignment: tearing variables that it depends on */
    uint32_t *place; /* by tearing variable: its place in the list that is made + 1 */
    uint32_t tears;
} Torn;

static void add_one(Torn *t, uint32_t j, double value, Cells *out)
{
    if (t->place[j]) {
        out->at[t->place[j] - 1].value += value;
        return;
    }
    Cell cell = { j, value };
    vec_push(t->a, out, cell);
    t->place[j] = out->n;
}

static Cells depend(Torn *t, const Gradient *g)
{
    Cells out = { 0 };
    for (uint32_t k = 0; k < g->n; k++) {
        uint32_t local = t->owner[g->at[k].var];
        if (!local--) continue;
        double factor = dae_evaluate(t->pool, g->at[k].value, t->estimates);
        if (local < t->tears) {
            add_one(t, local, factor, &out);
            continue;
        }
        const Cells *set = &t->sets[local - t->tears];
        for (uint32_t i = 0; i < set->n; i++) add_one(t, set->at[i].column, factor * set->at[i].value, &out);
    }
    for (uint32_t k = 0; k < out.n; k++) t->place[out.at[k].column] = 0;
    return out;
}

/* Lists by row become lists by column; `start` has columns + 1 places. */
static int *transpose(Arena *a, const Cells *rows, uint32_t n, uint32_t columns, int *start)
{
    int *fill = NEW_ARRAY(a, int, columns + 1);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < rows[i].n; k++) start[rows[i].at[k].column + 1]++;
    for (uint32_t j = 0; j < columns; j++) start[j + 1] += start[j];
    int *out = NEW_ARRAY(a, int, (size_t)start[columns] + 1);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < rows[i].n; k++) {
            uint32_t j = rows[i].at[k].column;
            out[start[j] + fill[j]++] = (int)i;
        }
    return out;
}

/* ---- the order of columns -------------------------------------------------------------------- */

typedef struct {
    Arena *a;
    List *rows;    /* columns of each row; joined rows after the first ones */
    List *columns; /* rows of each column */
    uint8_t *row_gone, *column_gone;
    uint32_t *degree, *seen;
    uint32_t row_count, round, n;
    List *buckets; /* by degree: columns, entries may be outdated */
} Order;

static void rank_column(Order *o, uint32_t c)
{
    uint32_t sum = 0;
    for (uint32_t k = 0; k < o->columns[c].n; k++)
        if (!o->row_gone[o->columns[c].at[k]]) sum += o->rows[o->columns[c].at[k]].n - 1;
    o->degree[c] = sum < o->n ? sum : o->n;
    vec_push(o->a, &o->buckets[o->degree[c]], c);
}

static void eliminate(Order *o, uint32_t c)
{
    List joined = { 0 };
    o->round++;
    o->column_gone[c] = 1;
    for (uint32_t k = 0; k < o->columns[c].n; k++) {
        uint32_t row = o->columns[c].at[k];
        if (o->row_gone[row]) continue;
        o->row_gone[row] = 1;
        for (uint32_t i = 0; i < o->rows[row].n; i++) {
            uint32_t other = o->rows[row].at[i];
            if (o->column_gone[other] || o->seen[other] == o->round) continue;
            o->seen[other] = o->round;
            vec_push(o->a, &joined, other);
        }
    }
    uint32_t made = o->row_count++;
    o->rows[made] = joined;
    for (uint32_t i = 0; i < joined.n; i++) {
        List *list = &o->columns[joined.at[i]];
        uint32_t left = 0;
        for (uint32_t k = 0; k < list->n; k++)
            if (!o->row_gone[list->at[k]]) list->at[left++] = list->at[k];
        list->n = left;
        vec_push(o->a, list, made);
        rank_column(o, joined.at[i]);
    }
}

/* The order of n columns, by rows that are lists of columns. */
static int *order_columns(Arena *a, Arena *scratch, const List *rows, uint32_t count, uint32_t n)
{
    size_t most = (size_t)count + n;
    Order o = { .a = scratch,
                .rows = NEW_ARRAY(scratch, List, most),
                .columns = NEW_ARRAY(scratch, List, n),
                .row_gone = NEW_ARRAY(scratch, uint8_t, most),
                .column_gone = NEW_ARRAY(scratch, uint8_t, n),
                .degree = NEW_ARRAY(scratch, uint32_t, n),
                .seen = NEW_ARRAY(scratch, uint32_t, n),
                .row_count = count,
                .n = n,
                .buckets = NEW_ARRAY(scratch, List, (size_t)n + 1) };
    int *order = NEW_ARRAY(a, int, n);
    for (uint32_t i = 0; i < count; i++) {
        o.rows[i] = rows[i];
        for (uint32_t k = 0; k < rows[i].n; k++) vec_push(scratch, &o.columns[rows[i].at[k]], i);
    }
    for (uint32_t c = 0; c < n; c++) rank_column(&o, c);
    uint32_t least = 0;
    for (uint32_t done = 0; done < n;) {
        while (!o.buckets[least].n) least++;
        uint32_t c = o.buckets[least].at[--o.buckets[least].n];
        if (o.column_gone[c] || o.degree[c] != least) continue;
        order[done++] = (int)c;
        eliminate(&o, c);
        least = 0;
    }
    return order;
}

/* Which row each column may have its pivot in, so that all have one; NULL if that is impossible.
 * Entries that are the largest of their row, and beside the largest of their column, come first. */
static uint32_t *match_rows(Arena *scratch, const Cells *rows, uint32_t n)
{
    uint32_t *row_of = NEW_ARRAY(scratch, uint32_t, n), *column_of = NEW_ARRAY(scratch, uint32_t, n),
             edges = 0;
    double *largest = NEW_ARRAY(scratch, double, n); /* of a column */
    Graph g = { n, n, NEW_ARRAY(scratch, uint32_t, n + 1), NULL };
    for (uint32_t i = 0; i < n; i++) g.start[i + 1] = g.start[i] + rows[i].n;
    g.column = NEW_ARRAY(scratch, uint32_t, g.start[n] + 1);
    memset(row_of, 0xff, n * sizeof *row_of);
    memset(column_of, 0xff, n * sizeof *column_of);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < rows[i].n; k++) {
            const Cell *cell = &rows[i].at[k];
            largest[cell->column] = fmax(largest[cell->column], fabs(cell->value));
            g.column[edges++] = cell->column;
        }
    for (uint32_t i = 0; i < n; i++) {
        uint32_t best = NONE;
        double best_share = 0;
        for (uint32_t k = 0; k < rows[i].n; k++) {
            double share = fabs(rows[i].at[k].value) / largest[rows[i].at[k].column];
            if (row_of[rows[i].at[k].column] == NONE && share > best_share)
                best = rows[i].at[k].column, best_share = share;
        }
        if (best == NONE || best_share < NEAR_LARGEST) continue;
        row_of[best] = i;
        column_of[i] = best;
    }
    return graph_match(&g, column_of, row_of, scratch) == n ? row_of : NULL;
}

/* Pairs of columns that pivots on the diagonal couple, as rows of two; *share: how many entries
 * have one opposite. */
static List *couple(Arena *scratch, const Cells *rows, const uint32_t *row_of, uint32_t n, uint32_t *count,
                    double *share)
{
    uint32_t *column_of = NEW_ARRAY(scratch, uint32_t, n), off = 0, opposite = 0;
    Map pairs = { .arena = scratch };
    VEC(List) made = { 0 };
    for (uint32_t c = 0; c < n; c++) column_of[row_of[c]] = c;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < rows[i].n; k++) {
            uint32_t p = column_of[i], q = rows[i].at[k].column;
            if (p == q) continue;
            bool is_new;
            map_put(&pairs, p < q ? (uint64_t)p << 32 | q : (uint64_t)q << 32 | p, &is_new);
            off++;
            opposite += is_new ? 0 : 2;
            if (!is_new) continue;
            List pair = { 0 };
            vec_push(scratch, &pair, p);
            vec_push(scratch, &pair, q);
            vec_push(scratch, &made, pair);
        }
    *count = made.n;
    *share = off ? (double)opposite / off : 1;
    return made.at;
}

static List *columns_of(Arena *scratch, const Cells *rows, uint32_t n)
{
    List *out = NEW_ARRAY(scratch, List, n);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < rows[i].n; k++) vec_push(scratch, &out[i], rows[i].at[k].column);
    return out;
}

/* Pivots keep to rows matched to columns, so that factors of one time serve at the next. Where most
 * entries have one opposite, the order is that for pivots on this diagonal; else that for any row
 * of a column. */
static void choose_order(Arena *a, Arena *scratch, const Cells *rows, uint32_t n, RtPattern *out)
{
    uint32_t *row_of = match_rows(scratch, rows, n), count = 0;
    double share = 0;
    List *pairs = row_of ? couple(scratch, rows, row_of, n, &count, &share) : NULL;
    if (row_of) {
        int *diagonal = NEW_ARRAY(a, int, n);
        for (uint32_t c = 0; c < n; c++) diagonal[c] = (int)row_of[c];
        out->diagonal = diagonal;
    }
    if (share < SYMMETRIC)
        out->order = order_columns(a, scratch, columns_of(scratch, rows, n), n, n);
    else
        out->order = order_columns(a, scratch, pairs, count, n);
}

/* ---- the door -------------------------------------------------------------------------------- */

GenTorn *gen_torn(Compiled *c, const Sequence *q, const DaeBlock *d)
{
    if (d->tear_n < (d->kind == BLOCK_LINEAR ? SPARSE_FROM : SPARSE_FROM_NONLINEAR)) return NULL;
    System *s = c->s;
    Arena *scratch = arena_part(c->arena);
    if (!c->estimates) c->estimates = dae_estimates(s, c->arena);
    Torn t = { .a = scratch,
               .estimates = c->estimates,
               .owner = NEW_ARRAY(scratch, uint32_t, s->vars.n + 1),
               .pool = s->pool,
               .sets = NEW_ARRAY(scratch, Cells, (size_t)d->n + 1),
               .place = NEW_ARRAY(scratch, uint32_t, d->tear_n),
               .tears = d->tear_n };
    for (uint32_t j = 0; j < d->tear_n; j++) t.owner[q->tears.at[d->tear_first + j]] = j + 1;
    for (uint32_t i = 0; i < d->n; i++) {
        Gradient g = dae_gradient(s, q->assigns.at[d->first + i].value);
        t.sets[i] = depend(&t, &g);
        t.owner[q->assigns.at[d->first + i].var] = d->tear_n + i + 1;
    }
    Cells *rows = NEW_ARRAY(scratch, Cells, d->tear_n);
    uint64_t entries = 0;
    for (uint32_t i = 0; i < d->tear_n; i++) {
        rows[i] = depend(&t, &s->eqs.at[q->residuals.at[d->tear_first + i]].gradient);
        entries += rows[i].n;
    }
    GenTorn *torn = NULL;
    if (entries <= (uint64_t)d->tear_n * d->tear_n / 4) {
        torn = NEW(c->arena, GenTorn);
        int *start = NEW_ARRAY(c->arena, int, (size_t)d->tear_n + 1);
        torn->touched_start = NEW_ARRAY(c->arena, int, (size_t)d->tear_n + 1);
        torn->pattern.n = (int)d->tear_n;
        torn->pattern.row = transpose(c->arena, rows, d->tear_n, d->tear_n, start);
        torn->pattern.start = start;
        torn->touched = transpose(c->arena, t.sets, d->n, d->tear_n, torn->touched_start);
        choose_order(c->arena, scratch, rows, d->tear_n, &torn->pattern);
    }
    arena_free(scratch);
    return torn;
}
