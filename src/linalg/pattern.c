/* pattern.c: sparsity patterns in compressed columns, and the colouring of columns.
 *
 * In: entries in any order, or patterns. Out: patterns with ascending distinct rows; groups of columns
 * that share no row. How: two counting sorts (by row, then by column, which is stable) make the order;
 * colouring is greedy over columns of falling length with a row-marking array. Cost: linear in entries;
 * colouring O(sum over columns of the lengths of the rows they touch). Tests: tests/linalg/linalg_test.c. */
#include "linalg/linalg.h"

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

Colouring *pattern_colour(Arena *arena, const Pattern *p)
{
    size_t columns = (size_t)p->columns;
    Colouring *c = NEW(arena, Colouring);
    int *start = ints(arena, columns + 1), *column = ints(arena, columns + 1);
    Arena *scratch = arena_new();
    if (!scratch) return NULL;
    int *row_start = ints(scratch, (size_t)p->rows + 2);
    int *row_column = ints(scratch, (size_t)pattern_count(p) + 1);
    int *order = ints(scratch, columns + 1), *colour = ints(scratch, columns + 1);
    int *taken_by = ints(scratch, columns + 1);
    transpose(p, row_start, row_column);
    order_columns(p, scratch, order);
    for (int j = 0; j < p->columns; j++) colour[j] = taken_by[j] = -1;
    for (int o = 0; o < p->columns; o++) {
        int j = order[o], free = 0;
        for (int k = p->start[j]; k < p->start[j + 1]; k++)
            for (int r = row_start[p->row[k]]; r < row_start[p->row[k] + 1]; r++)
                if (colour[row_column[r]] >= 0) taken_by[colour[row_column[r]]] = j;
        while (taken_by[free] == j) free++;
        colour[j] = free;
        if (free + 1 > c->count) c->count = free + 1;
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
