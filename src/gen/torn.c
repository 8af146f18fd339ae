/* torn.c: the pattern of the torn Jacobian of a large linear block, and the order in which its columns are eliminated.
 *
 * In: a block. Out: which residuals depend on which guessed unknowns, through the assignments between them; for each guessed
 * unknown the assignments to differentiate; an order of columns. How: sets of guessed unknowns for each assignment; then the
 * column of least degree first, where eliminating a column joins all rows that contain it to one (as COLAMD does; its
 * bound for the degree, the sum of the lengths of these rows, is used here too). NULL for blocks that are small, or nearly full.
 * Cost: proportional to the entries of the sets, and of the joined rows. Tests: tests/gen/large_test.c. */
#include "gen/inside.h"

enum { SPARSE_FROM = 40 }; /* guessed unknowns */

typedef VEC(uint32_t) List;

typedef struct {
    Arena *a;
    uint32_t *owner; /* by variable: its number in the block + 1: guessed unknowns first, then assignments */
    List *sets;      /* by assignment: guessed unknowns that it depends on */
    uint32_t *seen, round;
    uint32_t tears;
} Torn;

static void add_one(Torn *t, uint32_t j, List *out)
{
    if (t->seen[j] == t->round) return;
    t->seen[j] = t->round;
    vec_push(t->a, out, j);
}

static List depend(Torn *t, const Gradient *g)
{
    List out = { 0 };
    t->round++;
    for (uint32_t k = 0; k < g->n; k++) {
        uint32_t local = t->owner[g->at[k].var];
        if (!local--) continue;
        if (local < t->tears) {
            add_one(t, local, &out);
            continue;
        }
        const List *set = &t->sets[local - t->tears];
        for (uint32_t i = 0; i < set->n; i++) add_one(t, set->at[i], &out);
    }
    return out;
}

/* Lists by row become lists by column; `start` has columns + 1 places. */
static int *transpose(Arena *a, const List *rows, uint32_t n, uint32_t columns, int *start)
{
    int *fill = NEW_ARRAY(a, int, columns + 1);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < rows[i].n; k++) start[rows[i].at[k] + 1]++;
    for (uint32_t j = 0; j < columns; j++) start[j + 1] += start[j];
    int *out = NEW_ARRAY(a, int, (size_t)start[columns] + 1);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < rows[i].n; k++) {
            uint32_t j = rows[i].at[k];
            out[start[j] + fill[j]++] = (int)i;
        }
    return out;
}

/* ---- the order of columns ---- */

typedef struct {
    Arena *a;
    List *rows;    /* columns of each row; joined rows behind the first ones */
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

static int *order_columns(Arena *a, Arena *scratch, const List *rows, uint32_t n)
{
    Order o = { .a = scratch,
                .rows = NEW_ARRAY(scratch, List, 2 * (size_t)n),
                .columns = NEW_ARRAY(scratch, List, n),
                .row_gone = NEW_ARRAY(scratch, uint8_t, 2 * (size_t)n),
                .column_gone = NEW_ARRAY(scratch, uint8_t, n),
                .degree = NEW_ARRAY(scratch, uint32_t, n),
                .seen = NEW_ARRAY(scratch, uint32_t, n),
                .row_count = n,
                .n = n,
                .buckets = NEW_ARRAY(scratch, List, (size_t)n + 1) };
    int *order = NEW_ARRAY(a, int, n);
    for (uint32_t i = 0; i < n; i++) {
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

/* ---- the door ---- */

GenTorn *gen_torn(Compiled *c, const Sequence *q, const DaeBlock *d)
{
    if (d->kind != BLOCK_LINEAR || d->tear_n < SPARSE_FROM) return NULL;
    System *s = c->s;
    Arena *scratch = arena_new();
    if (!scratch) return NULL;
    Torn t = { .a = scratch,
               .owner = NEW_ARRAY(scratch, uint32_t, s->vars.n + 1),
               .sets = NEW_ARRAY(scratch, List, (size_t)d->n + 1),
               .seen = NEW_ARRAY(scratch, uint32_t, d->tear_n),
               .tears = d->tear_n };
    for (uint32_t j = 0; j < d->tear_n; j++) t.owner[q->tears.at[d->tear_first + j]] = j + 1;
    for (uint32_t i = 0; i < d->n; i++) {
        Gradient g = dae_gradient(s, q->assigns.at[d->first + i].value);
        t.sets[i] = depend(&t, &g);
        t.owner[q->assigns.at[d->first + i].var] = d->tear_n + i + 1;
    }
    List *rows = NEW_ARRAY(scratch, List, d->tear_n);
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
        torn->pattern.order = order_columns(c->arena, scratch, rows, d->tear_n);
    }
    arena_free(scratch);
    return torn;
}
