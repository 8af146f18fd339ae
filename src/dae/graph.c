/* graph.c: bipartite matching (Hopcroft and Karp) and strong components (Tarjan), over CSR
 * adjacency, without recursion.
 *
 * Cost: matching O(edges * sqrt(rows)), components O(edges). Tests: tests/dae/graph_test.c. */
#include "dae/inside.h"

typedef struct {
    const Graph *g;
    uint32_t *column_of, *row_of;
    uint32_t *layer; /* of a row */
    uint32_t *next;  /* the edge of a row to be tried next */
    uint32_t *queue;
} Matcher;

/* Layers of alternating paths from unmatched rows; true if one reaches an unmatched column. */
static bool make_layers(Matcher *m)
{
    uint32_t head = 0, tail = 0;
    bool found = false;
    for (uint32_t r = 0; r < m->g->rows; r++) {
        m->layer[r] = NONE;
        m->next[r] = m->g->start[r];
        if (m->column_of[r] != NONE) continue;
        m->layer[r] = 0;
        m->queue[tail++] = r;
    }
    while (head < tail) {
        uint32_t r = m->queue[head++];
        for (uint32_t k = m->g->start[r]; k < m->g->start[r + 1]; k++) {
            uint32_t other = m->row_of[m->g->column[k]];
            if (other == NONE) {
                found = true;
            } else if (m->layer[other] == NONE) {
                m->layer[other] = m->layer[r] + 1;
                m->queue[tail++] = other;
            }
        }
    }
    return found;
}

/* One augmenting path along the layers, by a stack of rows (the queue is free now). */
static bool augment(Matcher *m, uint32_t root)
{
    uint32_t depth = 0;
    m->queue[0] = root;
    for (;;) {
        uint32_t r = m->queue[depth];
        if (m->next[r] == m->g->start[r + 1]) {
            m->layer[r] = NONE;
            if (depth-- == 0) return false;
            m->next[m->queue[depth]]++;
            continue;
        }
        uint32_t other = m->row_of[m->g->column[m->next[r]]];
        if (other == NONE) break;
        if (m->layer[other] == m->layer[r] + 1)
            m->queue[++depth] = other;
        else
            m->next[r]++;
    }
    for (uint32_t i = 0; i <= depth; i++) {
        uint32_t r = m->queue[i], c = m->g->column[m->next[r]];
        m->column_of[r] = c;
        m->row_of[c] = r;
    }
    return true;
}

uint32_t graph_match(const Graph *g, uint32_t *column_of, uint32_t *row_of, Arena *scratch)
{
    Matcher m = { g,
                  column_of,
                  row_of,
                  NEW_ARRAY(scratch, uint32_t, g->rows + 1),
                  NEW_ARRAY(scratch, uint32_t, g->rows + 1),
                  NEW_ARRAY(scratch, uint32_t, g->rows + 1) };
    uint32_t matched = 0;
    for (uint32_t r = 0; r < g->rows; r++) {
        for (uint32_t k = g->start[r]; k < g->start[r + 1] && column_of[r] == NONE; k++) {
            if (row_of[g->column[k]] != NONE) continue;
            column_of[r] = g->column[k];
            row_of[g->column[k]] = r;
        }
        matched += column_of[r] != NONE;
    }
    bool grown = true;
    while (grown && matched < g->rows && make_layers(&m)) {
        grown = false;
        for (uint32_t r = 0; r < g->rows; r++) {
            if (column_of[r] != NONE || m.layer[r] != 0 || !augment(&m, r)) continue;
            matched++;
            grown = true;
        }
    }
    return matched;
}

typedef struct {
    uint32_t *index, *low, *next, *stack, *call;
    uint8_t *on_stack;
    uint32_t counter, depth, calls, placed, components;
} Tarjan;

static void enter(Tarjan *t, const Graph *g, uint32_t r)
{
    t->index[r] = t->low[r] = ++t->counter;
    t->next[r] = g->start[r];
    t->stack[t->depth++] = r;
    t->on_stack[r] = 1;
    t->call[t->calls++] = r;
}

static void leave(Tarjan *t, uint32_t r, uint32_t *order, uint32_t *first)
{
    t->calls--;
    if (t->calls) {
        uint32_t above = t->call[t->calls - 1];
        if (t->low[r] < t->low[above]) t->low[above] = t->low[r];
    }
    if (t->low[r] != t->index[r]) return;
    first[t->components++] = t->placed;
    uint32_t popped;
    do {
        popped = t->stack[--t->depth];
        t->on_stack[popped] = 0;
        order[t->placed++] = popped;
    } while (popped != r);
}

uint32_t graph_sort(const Graph *g, const uint32_t *row_of, uint32_t *order, uint32_t *first, Arena *scratch)
{
    uint32_t n = g->rows;
    Tarjan t = { .index = NEW_ARRAY(scratch, uint32_t, n + 1),
                 .low = NEW_ARRAY(scratch, uint32_t, n + 1),
                 .next = NEW_ARRAY(scratch, uint32_t, n + 1),
                 .stack = NEW_ARRAY(scratch, uint32_t, n + 1),
                 .call = NEW_ARRAY(scratch, uint32_t, n + 1),
                 .on_stack = NEW_ARRAY(scratch, uint8_t, n + 1) };
    for (uint32_t root = 0; root < n; root++) {
        if (t.index[root]) continue;
        enter(&t, g, root);
        while (t.calls) {
            uint32_t r = t.call[t.calls - 1];
            if (t.next[r] == g->start[r + 1]) {
                leave(&t, r, order, first);
                continue;
            }
            uint32_t other = row_of[g->column[t.next[r]++]];
            if (other == NONE || other == r) continue;
            if (!t.index[other])
                enter(&t, g, other);
            else if (t.on_stack[other] && t.index[other] < t.low[r])
                t.low[r] = t.index[other];
        }
    }
    first[t.components] = n;
    return t.components;
}
