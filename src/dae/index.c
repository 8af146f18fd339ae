/* index.c: reduces the index to one and chooses the states.
 *
 * In: b->equations. Out: their derivatives added to it, and the role of every continuous variable. How: Pantelides'
 * algorithm finds what must be differentiated; then dummy derivatives (Mattsson and Soderlind): level by level, as many
 * derivatives become algebraic as there are differentiated equations, by elimination with full pivoting on the Jacobian
 * at the start values. What is dropped first: stateSelect never and avoid, derivatives made here, then default, prefer,
 * always; start values that are fixed are kept longer; then the largest pivot counts. The choice is made once: a model
 * whose pivots vanish later needs another choice of states by hand.
 * Cost: O(edges) for each equation that is differentiated; cubic in coupled constraints. Tests: tests/gen/index_test.c. */
#include "dae/inside.h"

#include <math.h>

enum { MOST_DERIVATIVES = 12 };

typedef struct {
    Build *b;
    System *s;
    Arena *a;
    uint32_t *eq_of; /* by variable: the equation that it is matched with; NONE */
    uint32_t *var_seen, *eq_seen;
    uint32_t room_vars, room_eqs, round;
    uint32_t *order; /* how often an equation was differentiated */
    double *values;  /* estimates, by variable */
    Sym *rate;       /* by variable: NONE but while an equation is differentiated */
    VEC(uint32_t) coloured_vars, coloured_eqs, path, next;
} Reducer;

static void make_room(Reducer *r)
{
    if (r->room_vars < r->s->vars.n) {
        uint32_t room = r->s->vars.n * 2 + 16, old = r->room_vars;
        r->eq_of = arena_grow(r->a, r->eq_of, old * sizeof *r->eq_of, room * sizeof *r->eq_of);
        r->var_seen = arena_grow(r->a, r->var_seen, old * sizeof *r->var_seen, room * sizeof *r->var_seen);
        r->rate = arena_grow(r->a, r->rate, old * sizeof *r->rate, room * sizeof *r->rate);
        memset(r->eq_of + old, 0xff, (room - old) * sizeof *r->eq_of);
        memset(r->rate + old, 0xff, (room - old) * sizeof *r->rate);
        memset(r->var_seen + old, 0, (room - old) * sizeof *r->var_seen);
        r->room_vars = room;
    }
    if (r->room_eqs < r->s->eqs.n) {
        uint32_t room = r->s->eqs.n * 2 + 16, old = r->room_eqs;
        r->eq_seen = arena_grow(r->a, r->eq_seen, old * sizeof *r->eq_seen, room * sizeof *r->eq_seen);
        r->order = arena_grow(r->a, r->order, old * sizeof *r->order, room * sizeof *r->order);
        memset(r->eq_seen + old, 0, (room - old) * sizeof *r->eq_seen);
        memset(r->order + old, 0, (room - old) * sizeof *r->order);
        r->room_eqs = room;
    }
}

static bool is_highest(const System *s, const Partial *p)
{
    return p->value != SYM_ZERO && s->vars.at[p->var].role >= ROLE_STATE && s->vars.at[p->var].der == NONE;
}

/* Looks for an augmenting path from equation e over highest derivatives; colours what it sees. */
static bool augment(Reducer *r, uint32_t e)
{
    r->round++;
    r->coloured_vars.n = r->coloured_eqs.n = r->path.n = r->next.n = 0;
    vec_push(r->a, &r->path, e);
    vec_push(r->a, &r->next, 0);
    vec_push(r->a, &r->coloured_eqs, e);
    r->eq_seen[e] = r->round;
    while (r->path.n) {
        uint32_t at = r->path.at[r->path.n - 1], k = r->next.at[r->path.n - 1]++;
        const Gradient *g = &r->s->eqs.at[at].gradient;
        if (k == g->n) {
            r->path.n--, r->next.n--;
            continue;
        }
        uint32_t v = g->at[k].var;
        if (!is_highest(r->s, &g->at[k]) || r->var_seen[v] == r->round) continue;
        r->var_seen[v] = r->round;
        vec_push(r->a, &r->coloured_vars, v);
        uint32_t other = r->eq_of[v];
        if (other == NONE) {
            for (uint32_t i = 0; i < r->path.n; i++) {
                const Gradient *gi = &r->s->eqs.at[r->path.at[i]].gradient;
                r->eq_of[gi->at[r->next.at[i] - 1].var] = r->path.at[i];
            }
            return true;
        }
        if (r->eq_seen[other] == r->round) continue;
        r->eq_seen[other] = r->round;
        vec_push(r->a, &r->coloured_eqs, other);
        vec_push(r->a, &r->path, other);
        vec_push(r->a, &r->next, 0);
    }
    return false;
}

static uint32_t differentiate(Reducer *r, uint32_t e)
{
    System *s = r->s;
    DaeEq eq = s->eqs.at[e];
    Sym *rate = r->rate;
    for (uint32_t k = 0; k < eq.gradient.n; k++) {
        uint32_t v = eq.gradient.at[k].var;
        if (s->vars.at[v].role >= ROLE_STATE && s->vars.at[v].der != NONE)
            rate[v] = sym_leaf(s->pool, SYM_VAR, s->vars.at[v].der);
    }
    Sym left = sym_rate(s->pool, eq.left, rate, SYM_ONE), right = sym_rate(s->pool, eq.right, rate, SYM_ONE);
    for (uint32_t k = 0; k < eq.gradient.n; k++) rate[eq.gradient.at[k].var] = NONE;
    uint32_t made = dae_add_eq(s, left, right, eq.span);
    s->eqs.at[e].der = made;
    s->eqs.at[made].der_of = e;
    vec_push(r->b->scratch, &r->b->equations, made);
    make_room(r);
    r->order[made] = r->order[e] + 1;
    s->stats.differentiated++;
    return made;
}

static bool pantelides(Reducer *r, uint32_t e)
{
    System *s = r->s;
    while (!augment(r, e)) {
        if (r->order[e] >= MOST_DERIVATIVES) {
            diag_add(r->b->diag, E_HIGH_INDEX, s->eqs.at[e].span,
                     "after %d derivatives this constraint still gives nothing new", MOST_DERIVATIVES);
            return false;
        }
        for (uint32_t i = 0; i < r->coloured_vars.n; i++) dae_der(s, r->coloured_vars.at[i]);
        make_room(r);
        for (uint32_t i = 0; i < r->coloured_eqs.n; i++) differentiate(r, r->coloured_eqs.at[i]);
        for (uint32_t i = 0; i < r->coloured_vars.n; i++) {
            uint32_t v = r->coloured_vars.at[i];
            if (r->eq_of[v] != NONE) r->eq_of[s->vars.at[v].der] = s->eqs.at[r->eq_of[v]].der;
        }
        e = s->eqs.at[e].der;
    }
    return true;
}

/* Whether the system could be solved if every derivative counted as its variable: otherwise no number of
 * derivatives helps. */
static bool is_regular(Reducer *r)
{
    Build *b = r->b;
    System *s = r->s;
    Arena *a = r->a;
    uint32_t n = b->equations.n, columns = 0, edges = 0;
    uint32_t *column = NEW_ARRAY(a, uint32_t, s->vars.n + 1),
             *unknowns = NEW_ARRAY(a, uint32_t, s->vars.n + 1);
    for (uint32_t v = 0; v < s->vars.n; v++) {
        const DaeVar *u = &s->vars.at[v];
        if (u->role < ROLE_STATE) continue;
        if (u->der_of == NONE)
            unknowns[columns] = v, column[v] = columns++;
        else
            column[v] = column[u->der_of];
    }
    Graph g = { n, columns, NEW_ARRAY(a, uint32_t, n + 1), NULL };
    for (uint32_t i = 0; i < n; i++) edges += s->eqs.at[b->equations.at[i]].gradient.n;
    g.column = NEW_ARRAY(a, uint32_t, edges);
    edges = 0;
    for (uint32_t i = 0; i < n; i++) {
        const Gradient *d = &s->eqs.at[b->equations.at[i]].gradient;
        g.start[i] = edges;
        for (uint32_t k = 0; k < d->n; k++)
            if (s->vars.at[d->at[k].var].role >= ROLE_STATE && d->at[k].value != SYM_ZERO)
                g.column[edges++] = column[d->at[k].var];
    }
    g.start[n] = edges;
    s->stats.equations = n;
    s->stats.unknowns = columns;
    uint32_t *column_of = NEW_ARRAY(a, uint32_t, n + 1), *row_of = NEW_ARRAY(a, uint32_t, columns + 1);
    memset(column_of, 0xff, n * sizeof *column_of);
    memset(row_of, 0xff, columns * sizeof *row_of);
    if (graph_match(&g, column_of, row_of, a) == n && n == columns) return true;
    dae_explain_singular(b, b->equations.at, &g, unknowns, column_of, row_of, "");
    return false;
}

/* ---- choosing states ---- */

/* Variables with a smaller number lose their place among the states first. */
static int keep_rank(const System *s, uint32_t derivative)
{
    const DaeVar *v = &s->vars.at[s->vars.at[derivative].der_of];
    if (v->select == SELECT_NEVER) return 0;
    if (v->select == SELECT_DEFAULT && v->flat == NONE) return 1;
    return 2 * (v->select + 1) + (v->is_fixed && v->select < SELECT_ALWAYS);
}

typedef struct {
    uint32_t *eqs, *vars;
    uint32_t rows, columns;
    double *m; /* rows x columns */
} Constraints;

/* Full pivoting: true and the place of the pivot among rows and columns from k on. */
static bool find_pivot(const System *s, const Constraints *c, uint32_t k, double least, uint32_t *row,
                       uint32_t *column)
{
    int best_rank = 0;
    double best = 0;
    for (uint32_t i = k; i < c->rows; i++)
        for (uint32_t j = k; j < c->columns; j++) {
            double size = fabs(c->m[i * c->columns + j]);
            int rank = keep_rank(s, c->vars[j]);
            if (!(size > least) || (best > 0 && (rank > best_rank || (rank == best_rank && size <= best))))
                continue;
            best = size, best_rank = rank;
            *row = i, *column = j;
        }
    return best > 0;
}

static void swap_u32(uint32_t *a, uint32_t *b)
{
    uint32_t t = *a;
    *a = *b, *b = t;
}

static void eliminate(Constraints *c, uint32_t k, uint32_t row, uint32_t column)
{
    uint32_t n = c->columns;
    swap_u32(&c->eqs[k], &c->eqs[row]);
    swap_u32(&c->vars[k], &c->vars[column]);
    for (uint32_t j = 0; j < n; j++) {
        double t = c->m[k * n + j];
        c->m[k * n + j] = c->m[row * n + j], c->m[row * n + j] = t;
    }
    for (uint32_t i = 0; i < c->rows; i++) {
        double t = c->m[i * n + k];
        c->m[i * n + k] = c->m[i * n + column], c->m[i * n + column] = t;
    }
    for (uint32_t i = k + 1; i < c->rows; i++) {
        double factor = c->m[i * n + k] / c->m[k * n + k];
        if (factor == 0) continue;
        for (uint32_t j = k; j < n; j++) c->m[i * n + j] -= factor * c->m[k * n + j];
    }
}

/* Chooses one variable for each equation; they end up first in c->vars. */
static bool choose(Reducer *r, Constraints *c, const double *values)
{
    SymPool *pool = r->s->pool;
    Map place = { .arena = r->a };
    bool is_new;
    for (uint32_t j = 0; j < c->columns; j++) *map_put(&place, c->vars[j], &is_new) = j;
    c->m = NEW_ARRAY(r->a, double, (size_t)c->rows * c->columns);
    double largest = 0;
    for (uint32_t i = 0; i < c->rows; i++) {
        const Gradient *g = &r->s->eqs.at[c->eqs[i]].gradient;
        for (uint32_t k = 0; k < g->n; k++) {
            uint64_t j;
            if (!map_get(&place, g->at[k].var, &j)) continue;
            double value = dae_evaluate(pool, g->at[k].value, values);
            if (!isfinite(value)) value = 1;
            c->m[i * c->columns + j] = value;
            largest = fmax(largest, fabs(value));
        }
    }
    for (uint32_t k = 0; k < c->rows; k++) {
        uint32_t row = k, column = k;
        if (!find_pivot(r->s, c, k, 1e-10 * largest, &row, &column)) return false;
        eliminate(c, k, row, column);
    }
    return true;
}

static uint32_t root_of(uint32_t *parent, uint32_t i)
{
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
}

/* One part: at the start values, or near them where these are special. */
static bool choose_part(Reducer *r, uint32_t *eqs, uint32_t n, const uint8_t *is_candidate, uint8_t *is_dummy)
{
    System *s = r->s;
    VEC(uint32_t) vars = { 0 };
    r->round++;
    make_room(r);
    for (uint32_t i = 0; i < n; i++) {
        const Gradient *g = &s->eqs.at[eqs[i]].gradient;
        for (uint32_t k = 0; k < g->n; k++) {
            uint32_t v = g->at[k].var;
            if (!is_candidate[v] || g->at[k].value == SYM_ZERO || r->var_seen[v] == r->round) continue;
            r->var_seen[v] = r->round;
            vec_push(r->a, &vars, v);
        }
    }
    Constraints c = { eqs, vars.at, n, vars.n, NULL };
    bool ok = n <= vars.n && choose(r, &c, r->values);
    if (!ok && n <= vars.n) {
        for (uint32_t v = 0; v < s->vars.n; v++)
            r->values[v] += s->vars.at[v].role >= ROLE_STATE ? 0.37 + 0.11 * (double)(v % 7) : 0;
        ok = choose(r, &c, r->values);
    }
    for (uint32_t i = 0; i < n && ok; i++) is_dummy[c.vars[i]] = 1;
    if (!ok)
        diag_add(r->b->diag, E_HIGH_INDEX, s->eqs.at[eqs[0]].span,
                 "no choice of states fits this constraint and %u others coupled with it", (unsigned)n - 1);
    return ok;
}

/* The candidates of these equations, split into parts that share none, each solved on its own. */
static bool choose_level(Reducer *r, const uint32_t *eqs, uint32_t n, const uint8_t *is_candidate,
                         uint8_t *is_dummy)
{
    System *s = r->s;
    Arena *a = r->a;
    uint32_t *parent = NEW_ARRAY(a, uint32_t, n + 1), *owner = NEW_ARRAY(a, uint32_t, s->vars.n + 1);
    memset(owner, 0xff, s->vars.n * sizeof *owner);
    for (uint32_t i = 0; i < n; i++) parent[i] = i;
    for (uint32_t i = 0; i < n; i++) {
        const Gradient *g = &s->eqs.at[eqs[i]].gradient;
        for (uint32_t k = 0; k < g->n; k++) {
            uint32_t v = g->at[k].var;
            if (!is_candidate[v] || g->at[k].value == SYM_ZERO) continue;
            if (owner[v] == NONE) owner[v] = i;
            parent[root_of(parent, i)] = root_of(parent, owner[v]);
        }
    }
    uint32_t *start = NEW_ARRAY(a, uint32_t, n + 2), *rows = NEW_ARRAY(a, uint32_t, n + 1);
    for (uint32_t i = 0; i < n; i++) start[root_of(parent, i) + 1]++;
    for (uint32_t i = 0; i < n; i++) start[i + 1] += start[i];
    uint32_t *fill = NEW_ARRAY(a, uint32_t, n + 1);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t root = root_of(parent, i);
        rows[start[root] + fill[root]++] = eqs[i];
    }
    for (uint32_t i = 0; i < n; i++)
        if (start[i + 1] > start[i] &&
            !choose_part(r, rows + start[i], start[i + 1] - start[i], is_candidate, is_dummy))
            return false;
    return true;
}

/* Takes the derivatives that were differentiated most first, then one order lower among those chosen, and so on. */
static bool choose_dummies(Reducer *r, uint8_t *is_dummy)
{
    System *s = r->s;
    uint8_t *is_candidate = NEW_ARRAY(r->a, uint8_t, s->vars.n + 1);
    VEC(uint32_t) eqs = { 0 };
    for (uint32_t i = 0; i < r->b->equations.n; i++) {
        uint32_t e = r->b->equations.at[i];
        if (s->eqs.at[e].der == NONE && r->order[e] > 0) vec_push(r->a, &eqs, e);
        s->stats.index = r->order[e] + 1 > s->stats.index ? r->order[e] + 1 : s->stats.index;
    }
    for (uint32_t v = 0; v < s->vars.n; v++)
        is_candidate[v] = s->vars.at[v].der_of != NONE && s->vars.at[v].der == NONE;
    while (eqs.n) {
        if (!choose_level(r, eqs.at, eqs.n, is_candidate, is_dummy)) return false;
        for (uint32_t v = 0; v < s->vars.n; v++) is_candidate[v] = 0;
        for (uint32_t v = 0; v < s->vars.n; v++)
            if (is_dummy[v] && s->vars.at[s->vars.at[v].der_of].der_of != NONE &&
                !is_dummy[s->vars.at[v].der_of])
                is_candidate[s->vars.at[v].der_of] = 1;
        uint32_t left = 0;
        for (uint32_t i = 0; i < eqs.n; i++) {
            uint32_t lower = s->eqs.at[eqs.at[i]].der_of;
            if (lower != NONE && r->order[lower] > 0) eqs.at[left++] = lower;
        }
        eqs.n = left;
    }
    return true;
}

static void set_roles(Reducer *r, const uint8_t *is_dummy)
{
    System *s = r->s;
    for (uint32_t v = 0; v < s->vars.n; v++) {
        DaeVar *u = &s->vars.at[v];
        if (u->role < ROLE_STATE) continue;
        u->role = ROLE_ALGEBRAIC;
        s->stats.dummies += is_dummy[v];
    }
    for (uint32_t v = 0; v < s->vars.n; v++) {
        DaeVar *u = &s->vars.at[v];
        if (u->role < ROLE_STATE || u->der == NONE || is_dummy[u->der]) continue;
        if (u->role == ROLE_ALGEBRAIC || u->role == ROLE_DERIVATIVE) u->role = ROLE_STATE;
        if (s->vars.at[u->der].role == ROLE_ALGEBRAIC) s->vars.at[u->der].role = ROLE_DERIVATIVE;
        u->state = s->states.n;
        vec_push(s->arena, &s->states, v);
    }
}

/* Equations that are matched at once need no search: most models are of index one. */
static void match_first(Reducer *r, uint8_t *is_matched)
{
    System *s = r->s;
    for (uint32_t i = 0; i < r->b->equations.n; i++) {
        const Gradient *g = &s->eqs.at[r->b->equations.at[i]].gradient;
        for (uint32_t k = 0; k < g->n; k++) {
            if (!is_highest(s, &g->at[k]) || r->eq_of[g->at[k].var] != NONE) continue;
            r->eq_of[g->at[k].var] = r->b->equations.at[i];
            is_matched[i] = 1;
            break;
        }
    }
}

bool dae_reduce_index(Build *b)
{
    Arena *a = arena_new();
    if (!a) return false;
    Reducer r = { .b = b, .s = b->s, .a = a };
    make_room(&r);
    bool ok = is_regular(&r);
    uint32_t n = b->equations.n;
    uint8_t *is_matched = NEW_ARRAY(a, uint8_t, n + 1);
    if (ok) match_first(&r, is_matched);
    for (uint32_t i = 0; i < n && ok; i++)
        if (!is_matched[i]) ok = pantelides(&r, b->equations.at[i]);
    uint8_t *is_dummy = NEW_ARRAY(a, uint8_t, b->s->vars.n + 1);
    if (ok && b->s->stats.differentiated) r.values = dae_estimates(b->s, a);
    if (ok) ok = choose_dummies(&r, is_dummy);
    if (ok) set_roles(&r, is_dummy);
    arena_free(a);
    return ok;
}
