/* index.c: reduces the index to one.
 *
 * In: b->equations. Out: their derivatives added to it; states.c then chooses the states. How:
 * Pantelides' algorithm finds what must be differentiated. Variables that are preferred as states,
 * though no der() of them is needed, are given one where only states and other such variables
 * determine them: pressure and enthalpy of a volume follow from its mass and energy, but it is they
 * that are known to six digits then, and nothing has to be inverted. Cost: O(edges) for each
 * equation that is differentiated. Tests: tests/gen/index_test.c, prefer_test.c. */
#include "dae/inside.h"

enum { MOST_DERIVATIVES = 12 };
/* equations that are differentiated for the sake of one better state */
enum { MOST_FOR_PREFERENCE = 200 };

typedef struct {
    Build *b;
    System *s;
    Arena *a;
    uint32_t *eq_of; /* by variable: the equation that it is matched with; NONE */
    uint32_t *var_seen, *eq_seen;
    uint32_t room_vars, room_eqs, round;
    uint32_t *order; /* how often an equation was differentiated */
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

/* Equations over variables, every derivative counted as its variable. */
typedef struct {
    Graph graph;
    uint32_t *unknowns; /* by column: the variable */
    uint32_t *column_of, *row_of, matched;
} Merged;

static Merged match_merged(const Build *b, Arena *a)
{
    const System *s = b->s;
    uint32_t n = b->equations.n, columns = 0, edges = 0;
    uint32_t *column = NEW_ARRAY(a, uint32_t, s->vars.n + 1);
    Merged m = { .unknowns = NEW_ARRAY(a, uint32_t, s->vars.n + 1) };
    for (uint32_t v = 0; v < s->vars.n; v++) {
        const DaeVar *u = &s->vars.at[v];
        if (u->role < ROLE_STATE) continue;
        if (u->der_of == NONE)
            m.unknowns[columns] = v, column[v] = columns++;
        else
            column[v] = column[u->der_of];
    }
    for (uint32_t i = 0; i < n; i++) edges += s->eqs.at[b->equations.at[i]].gradient.n;
    Graph *g = &m.graph;
    *g = (Graph){ n, columns, NEW_ARRAY(a, uint32_t, n + 1), NEW_ARRAY(a, uint32_t, edges) };
    edges = 0;
    for (uint32_t i = 0; i < n; i++) {
        const Gradient *d = &s->eqs.at[b->equations.at[i]].gradient;
        g->start[i] = edges;
        for (uint32_t k = 0; k < d->n; k++)
            if (s->vars.at[d->at[k].var].role >= ROLE_STATE && d->at[k].value != SYM_ZERO)
                g->column[edges++] = column[d->at[k].var];
    }
    g->start[n] = edges;
    m.column_of = NEW_ARRAY(a, uint32_t, n + 1);
    m.row_of = NEW_ARRAY(a, uint32_t, columns + 1);
    memset(m.column_of, 0xff, n * sizeof *m.column_of);
    memset(m.row_of, 0xff, columns * sizeof *m.row_of);
    m.matched = graph_match(g, m.column_of, m.row_of, a);
    return m;
}

bool dae_is_regular(const Build *b, Arena *scratch)
{
    return match_merged(b, scratch).matched == b->equations.n;
}

/* Whether the system could be solved if every derivative counted as its variable: otherwise no
 * number of derivatives helps. */
static bool check_regular(Reducer *r)
{
    Build *b = r->b;
    Merged m = match_merged(b, r->a);
    uint32_t n = m.graph.rows, columns = m.graph.columns;
    r->s->stats.equations = n;
    r->s->stats.unknowns = columns;
    if (m.matched == n && n == columns) return true;
    dae_explain_singular(b, b->equations.at, &m.graph, m.unknowns, m.column_of, m.row_of, "");
    return false;
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

/* ---- states that are preferred --------------------------------------------------------------- */

static bool is_preferred(const System *s, uint32_t v)
{
    const DaeVar *u = &s->vars.at[v];
    return u->role >= ROLE_STATE && u->select >= SELECT_PREFER && u->flat != NONE && u->der == NONE &&
           u->der_of == NONE;
}

/* All equations that determine v from states, in r->coloured_eqs. False where they need more than
 * states, or none that is less preferred; or if these have start values that would not count any
 * more, and v none. */
static bool determine(Reducer *r, uint32_t v)
{
    System *s = r->s;
    bool replaces = false, would_miss = false;
    r->round++;
    r->coloured_eqs.n = 0;
    if (r->eq_of[v] == NONE) return false;
    vec_push(r->a, &r->coloured_eqs, r->eq_of[v]);
    r->eq_seen[r->eq_of[v]] = r->round;
    for (uint32_t i = 0; i < r->coloured_eqs.n; i++) {
        const DaeEq *eq = &s->eqs.at[r->coloured_eqs.at[i]];
        if (r->coloured_eqs.n > MOST_FOR_PREFERENCE) return false;
        if (eq->der_of != NONE || !dae_is_smooth(s, eq->left) || !dae_is_smooth(s, eq->right)) return false;
        for (uint32_t k = 0; k < eq->gradient.n; k++) {
            uint32_t of = eq->gradient.at[k].var;
            const DaeVar *u = &s->vars.at[of];
            if (u->role < ROLE_STATE) continue;
            replaces |= u->der != NONE && u->select <= SELECT_DEFAULT;
            would_miss |= u->der != NONE && u->has_start && !u->is_fixed;
            if (u->der != NONE) continue;
            if (u->der_of != NONE || r->eq_of[of] == NONE) return false;
            if (r->eq_seen[r->eq_of[of]] == r->round) continue;
            r->eq_seen[r->eq_of[of]] = r->round;
            vec_push(r->a, &r->coloured_eqs, r->eq_of[of]);
        }
    }
    return replaces && (s->vars.at[v].has_start || !would_miss);
}

static void prefer_states(Reducer *r)
{
    System *s = r->s;
    uint32_t n = s->vars.n, *var_of = NULL;
    for (uint32_t v = 0; v < n; v++) {
        if (!is_preferred(s, v) || !determine(r, v)) continue;
        if (!var_of) {
            var_of = NEW_ARRAY(r->a, uint32_t, s->eqs.n + 1);
            for (uint32_t u = 0; u < n; u++)
                if (r->eq_of[u] != NONE) var_of[r->eq_of[u]] = u;
        }
        for (uint32_t i = 0; i < r->coloured_eqs.n; i++) dae_der(s, var_of[r->coloured_eqs.at[i]]);
        make_room(r);
        for (uint32_t i = 0; i < r->coloured_eqs.n; i++) {
            uint32_t e = r->coloured_eqs.at[i];
            r->eq_of[s->vars.at[var_of[e]].der] = differentiate(r, e);
        }
    }
}

bool dae_reduce_index(Build *b)
{
    Arena *a = arena_part(b->s->arena);
    Reducer r = { .b = b, .s = b->s, .a = a };
    make_room(&r);
    bool ok = check_regular(&r);
    uint32_t n = b->equations.n, made = b->s->vars.n;
    uint8_t *is_matched = NEW_ARRAY(a, uint8_t, n + 1);
    if (ok) match_first(&r, is_matched);
    for (uint32_t i = 0; i < n && ok; i++)
        if (!is_matched[i]) ok = pantelides(&r, b->equations.at[i]);
    if (ok) prefer_states(&r);
    if (ok) ok = dae_choose_states(b, r.order, made);
    arena_free(a);
    return ok;
}
