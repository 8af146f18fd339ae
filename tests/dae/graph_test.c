/* Matchings are as large as they can be; components come in an order in which what is needed is
 * there. */
#include "dae/inside.h"
#include "test.h"

static uint32_t seed;
static uint32_t next_random(void) { return seed = seed * 1664525u + 1013904223u, seed >> 8; }

/* Random rows with a hidden perfect matching: all rows are matched, and the order of components is
 * true. */
static void test_random(uint32_t n, uint32_t extra)
{
    Arena *a = arena_new();
    Graph g = { n, n, NEW_ARRAY(a, uint32_t, n + 1), NEW_ARRAY(a, uint32_t, n * (extra + 1)) };
    uint32_t edges = 0, *hidden = NEW_ARRAY(a, uint32_t, n);
    for (uint32_t i = 0; i < n; i++) hidden[i] = i;
    for (uint32_t i = n; i > 1; i--) {
        uint32_t k = next_random() % i, t = hidden[i - 1];
        hidden[i - 1] = hidden[k], hidden[k] = t;
    }
    for (uint32_t r = 0; r < n; r++) {
        g.start[r] = edges;
        for (uint32_t k = 0; k < extra; k++) g.column[edges++] = next_random() % n;
        g.column[edges++] = hidden[r];
    }
    g.start[n] = edges;
    uint32_t *column_of = NEW_ARRAY(a, uint32_t, n), *row_of = NEW_ARRAY(a, uint32_t, n);
    memset(column_of, 0xff, n * sizeof *column_of);
    memset(row_of, 0xff, n * sizeof *row_of);
    CHECK(graph_match(&g, column_of, row_of, a) == n);
    for (uint32_t r = 0; r < n; r++) CHECK(row_of[column_of[r]] == r);
    uint32_t *order = NEW_ARRAY(a, uint32_t, n + 1), *first = NEW_ARRAY(a, uint32_t, n + 1);
    uint32_t *component = NEW_ARRAY(a, uint32_t, n), count = graph_sort(&g, row_of, order, first, a);
    for (uint32_t k = 0; k < count; k++)
        for (uint32_t i = first[k]; i < first[k + 1]; i++) component[order[i]] = k;
    bool sorted = true;
    for (uint32_t r = 0; r < n; r++)
        for (uint32_t k = g.start[r]; k < g.start[r + 1]; k++)
            sorted &= component[row_of[g.column[k]]] <= component[r];
    CHECK(sorted);
    arena_free(a);
}

int main(void)
{
    seed = test_seed(1);
    for (uint32_t n = 1; n < 60; n++) test_random(n, n % 4);
    test_random(50000, 2);
    return test_end();
}
