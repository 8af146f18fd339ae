/* pattern.c: sparsity patterns in compressed columns, and the colouring of columns.
 *
 * In: entries in any order, or patterns. Out: patterns with ascending distinct rows; groups of
 * columns that share no row. How: two counting sorts (by row, then by column, which is stable) make
 * the order; colouring is greedy, over columns of falling length, and smallest last where that may
 * be better. Cost: linear in entries; colouring O(sum over columns of the lengths of the rows they
 * touch). Tests: tests/linalg/linalg_test.c. */
#include "linalg/linalg.h"

static const double MOST_NEIGHBOURS =
    3e7; /* pairs of columns in a row, up to which a second order is tried */

/* Here n is a sum of ints, so the products fit. */
static int *ints(Arena *arena, size_t n) { return arena_zero(arena, n * sizeof(int)); }
static Entry *entries_new(Arena *arena, size_t n) { return arena_zero(arena, n * sizeof(Entry)); }

/* Sorts by a key below `keys`, stably. */
static void sort_entries(const Entry *from, Entry *to, size_t n, int keys, bool by_row, int *count)
{
    memset(count, 0, ((size_t)keys + 1) * sizeof *count);
    for (size_t k = 0; k < n; k++) count[(by_row ? from[k].row : from[k].column) + 1]++;
    for (int i = 0; i < keys; i++) count[i + 1] += count[i];
    for (size_t k = 0; k < n; k++) to[count[by_row ? from[k].row : from[k].column]++] = from[k];
}

Pattern *pattern_of_entries(Arena *arena, int rows, int columns, const Entry *entries, size_t n)
{
    Pattern *p = NEW(arena, Pattern);
    int *start = ints(arena, (size_t)columns + 1), *row = ints(arena, n + 1);
    ArenaMark mark = arena_mark(arena);
    Entry *a = entries_new(arena, n + 1), *b = entries_new(arena, n + 1);
    int *count = ints(arena, (size_t)(rows > columns ? rows : columns) + 2);
    sort_entries(entries, a, n, rows, true, count);
    sort_entries(a, b, n, columns, false, count);
    int kept = 0;
    for (size_t k = 0; k < n; k++) {
        if (k && b[k].row == b[k - 1].row && b[k].column == b[k - 1].column) continue;
        row[kept++] = b[k].row;
        start[b[k].column + 1] = kept;
    }
    for (int j = 0; j < columns; j++)
        if (start[j + 1] < start[j]) start[j + 1] = start[j];
    arena_rewind(arena, mark);
    *p = (Pattern){ rows, columns, start, row };
    return p;
}

static size_t copy_entries(const Pattern *p, Entry *to)
{
    size_t n = 0;
    for (int j = 0; j < p->columns; j++)
        for (int k = p->start[j]; k < p->start[j + 1]; k++) to[n++] = (Entry){ p->row[k], j };
    return n;
}

Pattern *pattern_join(Arena *arena, const Pattern *a, const Pattern *b, bool diagonal)
{
    int least = a->rows < a->columns ? a->rows : a->columns;
    size_t room =
        (size_t)pattern_count(a) + (b ? (size_t)pattern_count(b) : 0) + (diagonal ? (size_t)least : 0);
    Arena *scratch = arena_new();
    if (!scratch) return NULL;
    Entry *entries = entries_new(scratch, room + 1);
    size_t n = copy_entries(a, entries);
    if (b) n += copy_entries(b, entries + n);
    for (int i = 0; diagonal && i < least; i++) entries[n++] = (Entry){ i, i };
    Pattern *joined = pattern_of_entries(arena, a->rows, a->columns, entries, n);
    arena_free(scratch);
    return joined;
}

int pattern_find(const Pattern *p, int row, int column)
{
    int low = p->start[column], high = p->start[column + 1];
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (p->row[middle] < row)
            low = middle + 1;
        else
            high = middle;
    }
    return low < p->start[column + 1] && p->row[low] == row ? low : -1;
}

void pattern_bandwidth(const Pattern *p, int *lower, int *upper)
{
    *lower = *upper = 0;
    for (int j = 0; j < p->columns; j++) {
        if (p->start[j] == p->start[j + 1]) continue;
        int above = j - p->row[p->start[j]], below = p->row[p->start[j + 1] - 1] - j;
        if (above > *upper) *upper = above;
        if (below > *lower) *lower = below;
    }
}

bool pattern_valid(const Pattern *p)
{
    if (p->rows < 0 || p->columns < 0 || p->start[0] != 0) return false;
    for (int j = 0; j < p->columns; j++) {
        if (p->start[j + 1] < p->start[j]) return false;
        for (int k = p->start[j]; k < p->start[j + 1]; k++) {
            if (p->row[k] < 0 || p->row[k] >= p->rows) return false;
            if (k > p->start[j] && p->row[k] <= p->row[k - 1]) return false;
        }
    }
    return true;
}

/* The columns that have an entry in each row. */
static void transpose(const Pattern *p, int *start, int *column)
{
    for (int k = 0; k < pattern_count(p); k++) start[p->row[k] + 1]++;
    for (int i = 0; i < p->rows; i++) start[i + 1] += start[i];
    for (int j = 0; j < p->columns; j++)
        for (int k = p->start[j]; k < p->start[j + 1]; k++) column[start[p->row[k]]++] = j;
    for (int i = p->rows; i > 0; i--) start[i] = start[i - 1];
    start[0] = 0;
}

/* Columns in the order of falling length. */
static void order_columns(const Pattern *p, Arena *scratch, int *order)
{
    int *first = ints(scratch, (size_t)p->rows + 2);
    for (int j = 0; j < p->columns; j++) first[p->rows - (p->start[j + 1] - p->start[j]) + 1]++;
    for (int l = 0; l <= p->rows; l++) first[l + 1] += first[l];
    for (int j = 0; j < p->columns; j++) order[first[p->rows - (p->start[j + 1] - p->start[j])]++] = j;
}

/* A pattern with its rows, for colouring. */
typedef struct {
    const Pattern *p;
    int *row_start, *row_column; /* the columns that have an entry in each row */
    int *mark;                   /* by column */
} Rows;

/* Calls `visit` once for each other column that shares a row with column j. */
static void each_neighbour(Rows *rows, int j, void (*visit)(void *arg, int column), void *arg)
{
    const Pattern *p = rows->p;
    rows->mark[j] = j;
    for (int k = p->start[j]; k < p->start[j + 1]; k++)
        for (int r = rows->row_start[p->row[k]]; r < rows->row_start[p->row[k] + 1]; r++) {
            int other = rows->row_column[r];
            if (rows->mark[other] == j) continue;
            rows->mark[other] = j;
            visit(arg, other);
        }
}

/* Columns that are not in the order yet, in lists by the number of neighbours among them; -1 ends a
 * list. */
typedef struct {
    int *degree, *next, *before, *first;
    bool *taken;
} Degrees;

static void list_remove(Degrees *d, int j)
{
    if (d->next[j] >= 0) d->before[d->next[j]] = d->before[j];
    if (d->before[j] >= 0)
        d->next[d->before[j]] = d->next[j];
    else
        d->first[d->degree[j]] = d->next[j];
}

static void list_add(Degrees *d, int j)
{
    int head = d->first[d->degree[j]];
    d->next[j] = head;
    d->before[j] = -1;
    if (head >= 0) d->before[head] = j;
    d->first[d->degree[j]] = j;
}

static void count_neighbour(void *degree, int column)
{
    (void)column;
    ++*(int *)degree;
}

static void lose_neighbour(void *degrees, int column)
{
    Degrees *d = degrees;
    if (d->taken[column]) return;
    list_remove(d, column);
    d->degree[column]--;
    list_add(d, column);
}

/* Smallest last: the column with the fewest neighbours goes to the end, then that of those left,
 * and so on (Matula, Beck 1983). */
static void order_smallest_last(Rows *rows, Arena *scratch, int *order)
{
    int n = rows->p->columns, least = 0;
    size_t room = (size_t)n + 1;
    Degrees d = { ints(scratch, room), ints(scratch, room), ints(scratch, room), ints(scratch, room),
                  arena_zero(scratch, room) };
    for (int j = 0; j < n; j++) d.first[j] = rows->mark[j] = -1;
    for (int j = 0; j < n; j++) {
        each_neighbour(rows, j, count_neighbour, &d.degree[j]);
        list_add(&d, j);
    }
    for (int j = 0; j < n; j++) rows->mark[j] = -1;
    for (int at = n - 1; at >= 0; at--) {
        while (d.first[least] < 0) least++;
        int j = order[at] = d.first[least];
        list_remove(&d, j);
        d.taken[j] = true;
        each_neighbour(rows, j, lose_neighbour, &d);
        if (least > 0) least--;
    }
}

/* Each column in turn gets the first colour that no column with a common row has. Returns the
 * number of colours. */
static int colour_in_order(const Rows *rows, const int *order, int *taken_by, int *colour)
{
    const Pattern *p = rows->p;
    int count = 0;
    for (int j = 0; j < p->columns; j++) colour[j] = taken_by[j] = -1;
    for (int o = 0; o < p->columns; o++) {
        int j = order[o], free = 0;
        for (int k = p->start[j]; k < p->start[j + 1]; k++)
            for (int r = rows->row_start[p->row[k]]; r < rows->row_start[p->row[k] + 1]; r++)
                if (colour[rows->row_column[r]] >= 0) taken_by[colour[rows->row_column[r]]] = j;
        while (taken_by[free] == j) free++;
        colour[j] = free;
        if (free + 1 > count) count = free + 1;
    }
    return count;
}

/* Whether another order may need fewer than `colours`, and costs little enough to be tried: no
 * colouring needs fewer than the longest row has entries. */
static bool may_improve(const Rows *rows, int colours)
{
    int longest = 0;
    double work = 0.0;
    for (int i = 0; i < rows->p->rows; i++) {
        int length = rows->row_start[i + 1] - rows->row_start[i];
        if (length > longest) longest = length;
        work += (double)length * length;
    }
    return colours > longest && work <= MOST_NEIGHBOURS;
}

Colouring *pattern_colour(Arena *arena, const Pattern *p)
{
    size_t columns = (size_t)p->columns;
    Colouring *c = NEW(arena, Colouring);
    int *start = ints(arena, columns + 1), *column = ints(arena, columns + 1);
    Arena *scratch = arena_new();
    if (!scratch) return NULL;
    Rows rows = { p, ints(scratch, (size_t)p->rows + 2), ints(scratch, (size_t)pattern_count(p) + 1),
                  ints(scratch, columns + 1) };
    int *order = ints(scratch, columns + 1), *colour = ints(scratch, columns + 1);
    int *other = ints(scratch, columns + 1), *taken_by = ints(scratch, columns + 1);
    transpose(p, rows.row_start, rows.row_column);
    order_columns(p, scratch, order);
    c->count = colour_in_order(&rows, order, taken_by, colour);
    if (may_improve(&rows, c->count)) {
        order_smallest_last(&rows, scratch, order);
        int count = colour_in_order(&rows, order, taken_by, other);
        if (count < c->count) c->count = count, colour = other;
    }
    for (int j = 0; j < p->columns; j++) start[colour[j] + 1]++;
    for (int k = 0; k < c->count; k++) start[k + 1] += start[k];
    int *next = ints(scratch, columns + 1);
    memcpy(next, start, columns * sizeof *next);
    for (int j = 0; j < p->columns; j++) column[next[colour[j]]++] = j;
    arena_free(scratch);
    c->start = start;
    c->column = column;
    return c;
}
