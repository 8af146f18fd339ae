/* states.c: chooses the states of a system whose equations were differentiated.
 *
 * In: equations with how often each was differentiated. Out: the role of every continuous variable,
 * and dynamic state sets. Cost: sparse elimination; cubic in the equations of a set. Tests:
 * tests/gen/index_test.c, tests/gen/states_test.c. */
#include "dae/inside.h"

#include <math.h>

/* Dummy derivatives (Mattsson and Soderlind), level by level: as many derivatives become algebraic
 * as there are differentiated equations, by elimination on the Jacobian of these in the
 * derivatives. What is dropped first: stateSelect never, derivatives made here, avoid, default,
 * prefer, always. Pivots that are numbers or made of parameters come first, those of preferred
 * states before others of default ones: such a choice holds for ever; and of these, variables that
 * only differentiating has given a derivative, so that what the model's text says der() of stays
 * (StateSelect.default is for variables that appear differentiated). So they come before other
 * pivots of those to be avoided: a quaternion is a better state than entries of the matrix made of
 * it. Where only others are left, and more candidates than equations, the choice would become
 * singular somewhere on the way. Then the candidates v, for which the constraints say G v' = ...,
 * form a set (Mattsson, Olsson and Elmqvist 2000): new states s = A v, s' = A v', with a matrix A
 * of zeros and ones that changes in event mode only. Invariant: the number of states does not
 * change. */

enum { TIER_NEVER, TIER_UNNAMED, TIER_AVOID, TIER_MADE, TIER_DEFAULT, TIER_PREFER, TIER_ALWAYS, TIERS };
enum { MOST_PLACES = 4 };
static const double RANK_LEVEL = 1e-10,
                    TINY_PIVOT = 1e-6; /* of the largest entry; of the largest in its row */

typedef struct {
    uint32_t column;
    Sym value;
} Cell;

typedef struct {
    uint32_t eq;
    bool is_done;
    bool is_changed; /* since it was last asked for a constant pivot */
    VEC(Cell) cells;
} Row;

typedef struct {
    uint32_t var; /* a derivative */
    int tier;
    bool is_made; /* no text says der() of the variable */
    bool is_done;
    uint32_t owner;     /* a row of its component */
    VEC(uint32_t) rows; /* that may contain it */
} Column;

/* Of an expression: whether it is a number or made of parameters, and which number that is. */
typedef struct {
    double value;
    bool is_fixed;
} Known;

typedef struct {
    Build *b;
    System *s;
    Arena *a;
    const uint32_t *order; /* by equation: how often it was differentiated */
    /* that were there before sets were made; the arrays below are of these */
    uint32_t vars;
    uint32_t made;    /* the first derivative that differentiating made */
    double *values;   /* estimates */
    VEC(Known) known; /* by node of the pool, up to the last one that was asked for */
    uint8_t *is_dummy, *is_candidate;
    uint32_t *column_of; /* NONE: none */
    uint32_t *place;     /* by column: its place in the row being changed + 1 */
    VEC(Row) rows;
    VEC(Column) columns;
} Chooser;

/* Those with a smaller number lose their place among the states first. */
static int tier_of(const System *s, uint32_t derivative, bool is_made)
{
    static const int tiers[] = { [SELECT_NEVER] = TIER_NEVER,
                                 [SELECT_AVOID] = TIER_AVOID,
                                 [SELECT_DEFAULT] = TIER_DEFAULT,
                                 [SELECT_PREFER] = TIER_PREFER,
                                 [SELECT_ALWAYS] = TIER_ALWAYS };
    const DaeVar *v = &s->vars.at[s->vars.at[derivative].der_of];
    if (v->flat == NONE && v->select != SELECT_NEVER) return TIER_UNNAMED;
    return is_made && v->select == SELECT_DEFAULT ? TIER_MADE : tiers[v->select];
}

/* Within a tier, start values that the user fixed or gave are kept longer. */
static double eagerness(const System *s, uint32_t derivative)
{
    const DaeVar *v = &s->vars.at[s->vars.at[derivative].der_of];
    return v->is_fixed ? 1e-3 : v->has_start ? 0.1 : 1;
}

/* ---- sparse rows ----------------------------------------------------------------------------- */

static void load_level(Chooser *c, const uint32_t *eqs, uint32_t n)
{
    c->rows.n = c->columns.n = 0;
    for (uint32_t i = 0; i < n; i++) {
        const Gradient *g = &c->s->eqs.at[eqs[i]].gradient;
        Row row = { .eq = eqs[i] };
        for (uint32_t k = 0; k < g->n; k++) {
            uint32_t v = g->at[k].var;
            if (!c->is_candidate[v] || g->at[k].value == SYM_ZERO) continue;
            if (c->column_of[v] == NONE) {
                Column made = { .var = v, .tier = tier_of(c->s, v, v >= c->made), .is_made = v >= c->made };
                c->column_of[v] = c->columns.n;
                vec_push(c->a, &c->columns, made);
            }
            Cell cell = { c->column_of[v], g->at[k].value };
            vec_push(c->a, &row.cells, cell);
            vec_push(c->a, &c->columns.at[cell.column].rows, i);
        }
        vec_push(c->a, &c->rows, row);
    }
    for (uint32_t k = 0; k < c->columns.n; k++) c->column_of[c->columns.at[k].var] = NONE;
    c->place = NEW_ARRAY(c->a, uint32_t, c->columns.n + 1);
}

static Cell *find_cell(Row *row, uint32_t column)
{
    for (uint32_t k = 0; k < row->cells.n; k++)
        if (row->cells.at[k].column == column && row->cells.at[k].value != SYM_ZERO) return &row->cells.at[k];
    return NULL;
}

/* row -= factor * pivot, as expressions; `column` becomes zero. */
static void subtract_row(Chooser *c, uint32_t at, const Row *pivot, uint32_t column, Sym factor)
{
    SymPool *p = c->s->pool;
    Row *row = &c->rows.at[at];
    row->is_changed = true;
    for (uint32_t k = 0; k < row->cells.n; k++) c->place[row->cells.at[k].column] = k + 1;
    for (uint32_t k = 0; k < pivot->cells.n; k++) {
        Cell from = pivot->cells.at[k];
        if (from.value == SYM_ZERO) continue;
        if (!c->place[from.column]) {
            Cell made = { from.column, SYM_ZERO };
            vec_push(c->a, &row->cells, made);
            c->place[from.column] = row->cells.n;
            vec_push(c->a, &c->columns.at[from.column].rows, at);
        }
        Cell *to = &row->cells.at[c->place[from.column] - 1];
        to->value = from.column == column
                        ? SYM_ZERO
                        : sym_two(p, SYM_SUB, to->value, sym_two(p, SYM_MUL, factor, from.value));
    }
    for (uint32_t k = 0; k < row->cells.n; k++) c->place[row->cells.at[k].column] = 0;
}

/* The derivative of this column becomes algebraic, given by this row. */
static void drop(Chooser *c, uint32_t row, uint32_t column)
{
    const DaeVar *v = &c->s->vars.at[c->s->vars.at[c->columns.at[column].var].der_of];
    c->rows.at[row].is_done = c->columns.at[column].is_done = true;
    c->is_dummy[c->columns.at[column].var] = 1;
    if (v->select == SELECT_ALWAYS && v->flat != NONE)
        diag_add(c->b->diag, E_STATE_SELECT, v->span,
                 "'%s' cannot be a state, although its stateSelect is always: constraints leave too few",
                 v->name);
}

static void eliminate(Chooser *c, uint32_t row, uint32_t column)
{
    Row pivot = c->rows.at[row];
    Sym p = find_cell(&pivot, column)->value;
    drop(c, row, column);
    for (uint32_t k = 0; k < c->columns.at[column].rows.n; k++) {
        uint32_t at = c->columns.at[column].rows.at[k];
        Cell *cell = c->rows.at[at].is_done ? NULL : find_cell(&c->rows.at[at], column);
        if (cell) subtract_row(c, at, &pivot, column, sym_two(c->s->pool, SYM_DIV, cell->value, p));
    }
}

/* ---- pivots that hold for ever --------------------------------------------------------------- */

/* The size of a coefficient that is a number or made of parameters; 0 for others. Children come
 * before their parents, so each node is computed once. */
static double constant_size(Chooser *c, Sym e)
{
    for (Sym at = c->known.n; at <= e; at++) {
        const SymNode *n = sym_node(c->s->pool, at);
        Known k = { 0, sym_is_fixed_node(c->s, n, false) };
        double a[3] = { 0 };
        for (uint32_t i = 0; i < sym_arity((SymOp)n->op); i++) {
            a[i] = c->known.at[n->arg[i]].value;
            k.is_fixed &= c->known.at[n->arg[i]].is_fixed;
        }
        if (k.is_fixed) k.value = dae_evaluate_node(n, a, c->values, 0);
        vec_push(c->a, &c->known, k);
    }
    double size = fabs(c->known.at[e].value);
    return isfinite(size) ? size : 0;
}

static uint32_t count_rows(const Chooser *c, uint32_t column)
{
    uint32_t n = 0;
    for (uint32_t k = 0; k < c->columns.at[column].rows.n && n < 100; k++)
        n += !c->rows.at[c->columns.at[column].rows.at[k]].is_done;
    return n;
}

/* The best constant pivot of a row in this tier; NONE. Few other rows, so that rows stay short. */
static uint32_t constant_pivot(Chooser *c, const Row *row, int tier, bool is_made)
{
    uint32_t best = NONE;
    double largest = 0, best_score = 0;
    for (uint32_t k = 0; k < row->cells.n; k++)
        largest = fmax(largest, constant_size(c, row->cells.at[k].value));
    for (uint32_t k = 0; k < row->cells.n; k++) {
        const Column *column = &c->columns.at[row->cells.at[k].column];
        if (column->tier != tier || column->is_done || column->is_made < is_made) continue;
        double size = constant_size(c, row->cells.at[k].value);
        if (!(size > TINY_PIVOT * largest)) continue;
        double score = eagerness(c->s, column->var) * (1 + 0.01 * fmin(size / largest, 1)) /
                       (double)(1 + count_rows(c, row->cells.at[k].column));
        if (score <= best_score) continue;
        best_score = score;
        best = row->cells.at[k].column;
    }
    return best;
}

/* A row without such a pivot gets one only if its entries change. */
static void drop_constant(Chooser *c, int tier, bool is_made)
{
    bool again = true;
    for (uint32_t i = 0; i < c->rows.n; i++) c->rows.at[i].is_changed = true;
    while (again) {
        again = false;
        for (uint32_t i = 0; i < c->rows.n; i++) {
            if (c->rows.at[i].is_done || !c->rows.at[i].is_changed) continue;
            c->rows.at[i].is_changed = false;
            uint32_t column = constant_pivot(c, &c->rows.at[i], tier, is_made);
            if (column == NONE) continue;
            eliminate(c, i, column);
            again = true;
        }
    }
}

/* ---- the others: by numbers, in groups that share no candidate ------------------------------- */

typedef struct {
    VEC(uint32_t) rows, columns; /* pivots first, once chosen */
    double *m;
    uint32_t rank;
} Group;

static void swap_u32(uint32_t *a, uint32_t *b)
{
    uint32_t t = *a;
    *a = *b, *b = t;
}

static void swap_lines(Group *p, uint32_t k, uint32_t row, uint32_t column)
{
    uint32_t n = p->columns.n;
    swap_u32(&p->rows.at[k], &p->rows.at[row]);
    swap_u32(&p->columns.at[k], &p->columns.at[column]);
    for (uint32_t j = 0; j < n; j++) {
        double t = p->m[k * n + j];
        p->m[k * n + j] = p->m[row * n + j], p->m[row * n + j] = t;
    }
    for (uint32_t i = 0; i < p->rows.n; i++) {
        double t = p->m[i * n + k];
        p->m[i * n + k] = p->m[i * n + column], p->m[i * n + column] = t;
    }
}

/* Elimination with full pivoting; p->rank rows and columns come first. */
static void rank_group(const Chooser *c, Group *p)
{
    uint32_t n = p->columns.n;
    double largest = 0;
    for (uint32_t i = 0; i < p->rows.n * n; i++) largest = fmax(largest, fabs(p->m[i]));
    for (p->rank = 0; p->rank < p->rows.n && p->rank < n; p->rank++) {
        uint32_t k = p->rank, row = k, column = k;
        double best = 0;
        for (uint32_t i = k; i < p->rows.n; i++)
            for (uint32_t j = k; j < n; j++) {
                double size = fabs(p->m[i * n + j]);
                double score = size * eagerness(c->s, c->columns.at[p->columns.at[j]].var);
                if (size > RANK_LEVEL * largest && score > best) best = score, row = i, column = j;
            }
        if (!(best > 0)) return;
        swap_lines(p, k, row, column);
        for (uint32_t i = k + 1; i < p->rows.n; i++) {
            double factor = p->m[i * n + k] / p->m[k * n + k];
            for (uint32_t j = k; j < n && factor != 0; j++) p->m[i * n + j] -= factor * p->m[k * n + j];
        }
    }
}

static void load_group(Chooser *c, Group *p)
{
    p->m = NEW_ARRAY(c->a, double, (size_t)p->rows.n * p->columns.n);
    for (uint32_t i = 0; i < p->rows.n; i++)
        for (uint32_t j = 0; j < p->columns.n; j++) {
            const Cell *cell = find_cell(&c->rows.at[p->rows.at[i]], p->columns.at[j]);
            double value = cell ? dae_evaluate(c->s->pool, cell->value, c->values) : 0;
            p->m[i * p->columns.n + j] = isfinite(value) ? value : dae_any_number(i, j);
        }
}

static uint32_t add_made(System *s, const char *kind, uint32_t i, uint32_t j, DaeVar made)
{
    made.name = arena_printf(s->arena, "$set%u.%s[%u,%u]", s->sets.n + 1, kind, i + 1, j + 1);
    made.flat = made.der = made.der_of = made.state = made.binding = NONE;
    made.type = BASE_REAL;
    made.start = SYM_ZERO;
    return dae_add_var(s, made);
}

/* State i of a set, its selectors and its two equations. */
static void add_state(Chooser *c, const DaeStateSet *set, uint32_t i, uint32_t *state, uint32_t *selectors,
                      Span span)
{
    System *s = c->s;
    SymPool *p = s->pool;
    DaeVar made = { .role = ROLE_ALGEBRAIC, .select = SELECT_ALWAYS, .in_set = true, .span = span };
    made.nominal = s->vars.at[set->vars[set->rows + i]].nominal;
    *state = add_made(s, "state", i, 0, made);
    uint32_t rate = dae_der(s, *state);
    Sym value = SYM_ZERO, slope = SYM_ZERO;
    for (uint32_t j = 0; j < set->columns; j++) {
        made = (DaeVar){ .role = ROLE_DISCRETE, .is_given = true, .nominal = SYM_ONE, .span = span };
        selectors[j] = add_made(s, "select", i, j, made);
        Sym factor = sym_leaf(p, SYM_VAR, selectors[j]), v = sym_leaf(p, SYM_VAR, set->vars[j]),
            dv = sym_leaf(p, SYM_VAR, s->vars.at[set->vars[j]].der);
        value = sym_two(p, SYM_ADD, value, sym_two(p, SYM_MUL, factor, v));
        slope = sym_two(p, SYM_ADD, slope, sym_two(p, SYM_MUL, factor, dv));
    }
    uint32_t eq = dae_add_eq(s, sym_leaf(p, SYM_VAR, *state), value, span);
    vec_push(c->b->scratch, &c->b->equations, eq);
    eq = dae_add_eq(s, sym_leaf(p, SYM_VAR, rate), slope, span);
    vec_push(c->b->scratch, &c->b->equations, eq);
}

/* New states that are some of the candidates, which ones being a matter of run time. */
static void make_set(Chooser *c, const Group *p)
{
    System *s = c->s;
    uint32_t n = p->columns.n, m = p->rows.n, k = n - m;
    uint32_t *vars = NEW_ARRAY(s->arena, uint32_t, n), *states = NEW_ARRAY(s->arena, uint32_t, k),
             *selectors = NEW_ARRAY(s->arena, uint32_t, (size_t)k * n);
    Sym *matrix = NEW_ARRAY(s->arena, Sym, (size_t)m * n);
    for (uint32_t j = 0; j < n; j++) {
        Column *column = &c->columns.at[p->columns.at[j]];
        vars[j] = s->vars.at[column->var].der_of;
        s->vars.at[vars[j]].in_set = true;
        s->vars.at[vars[j]].is_kept = j >= m;
        column->is_done = true;
        c->is_dummy[column->var] = 1;
    }
    for (uint32_t i = 0; i < m; i++) {
        Row *row = &c->rows.at[p->rows.at[i]];
        row->is_done = true;
        for (uint32_t j = 0; j < n; j++) {
            const Cell *cell = find_cell(row, p->columns.at[j]);
            matrix[i * n + j] = cell ? cell->value : SYM_ZERO;
        }
    }
    DaeStateSet set = { m, n, vars, states, selectors, matrix };
    Span span = s->eqs.at[c->rows.at[p->rows.at[0]].eq].span;
    for (uint32_t i = 0; i < k; i++) add_state(c, &set, i, &states[i], &selectors[i * n], span);
    vec_push(s->arena, &s->sets, set);
}

/* At other places than the start values, where what is singular in general is not so by chance. */
static void rank_elsewhere(Chooser *c, Group *p)
{
    double *kept = NEW_ARRAY(c->a, double, c->vars + 1);
    memcpy(kept, c->values, c->vars * sizeof *kept);
    for (uint32_t k = 1; k <= MOST_PLACES && p->rank < p->rows.n && p->rank < p->columns.n; k++) {
        for (uint32_t v = 0; v < c->vars; v++)
            if (c->s->vars.at[v].role >= ROLE_STATE) c->values[v] = kept[v] + dae_any_number(v, k);
        load_group(c, p);
        rank_group(c, p);
    }
    memcpy(c->values, kept, c->vars * sizeof *kept);
}

static void drop_group(Chooser *c, Group *p)
{
    load_group(c, p);
    rank_group(c, p);
    if (p->rank < p->rows.n && p->rank < p->columns.n) rank_elsewhere(c, p);
    if (p->rank == p->rows.n && p->columns.n > p->rank) {
        make_set(c, p);
        return;
    }
    for (uint32_t k = 0; k < p->rank; k++)
        if (find_cell(&c->rows.at[p->rows.at[k]], p->columns.at[k]))
            eliminate(c, p->rows.at[k], p->columns.at[k]);
}

static uint32_t root_of(uint32_t *parent, uint32_t i)
{
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
}

static bool is_open(const Chooser *c, const Cell *cell, int tier)
{
    const Column *column = &c->columns.at[cell->column];
    return cell->value != SYM_ZERO && column->tier == tier && !column->is_done;
}

static void drop_others(Chooser *c, int tier)
{
    uint32_t n = c->rows.n, *parent = NEW_ARRAY(c->a, uint32_t, n + 1);
    for (uint32_t k = 0; k < c->columns.n; k++) c->columns.at[k].owner = NONE;
    for (uint32_t i = 0; i < n; i++) parent[i] = i;
    for (uint32_t i = 0; i < n; i++) {
        const Row *row = &c->rows.at[i];
        for (uint32_t k = 0; k < row->cells.n && !row->is_done; k++) {
            if (!is_open(c, &row->cells.at[k], tier)) continue;
            Column *column = &c->columns.at[row->cells.at[k].column];
            if (column->owner == NONE) column->owner = i;
            parent[root_of(parent, i)] = root_of(parent, column->owner);
        }
    }
    Group *groups = NEW_ARRAY(c->a, Group, n + 1);
    for (uint32_t k = 0; k < c->columns.n; k++)
        if (c->columns.at[k].owner != NONE)
            vec_push(c->a, &groups[root_of(parent, c->columns.at[k].owner)].columns, k);
    for (uint32_t i = 0; i < n; i++)
        if (!c->rows.at[i].is_done) vec_push(c->a, &groups[root_of(parent, i)].rows, i);
    for (uint32_t i = 0; i < n; i++)
        if (groups[i].columns.n) drop_group(c, &groups[i]);
}

/* ---- levels ---------------------------------------------------------------------------------- */

/* Where constant pivots do not tell them apart, they are like others. */
static void raise_made(Chooser *c)
{
    for (uint32_t k = 0; k < c->columns.n; k++)
        if (c->columns.at[k].tier == TIER_MADE) c->columns.at[k].tier = TIER_DEFAULT;
}

static bool choose_level(Chooser *c, const uint32_t *eqs, uint32_t n)
{
    load_level(c, eqs, n);
    for (int tier = 0; tier < TIERS; tier++) {
        drop_constant(c, tier, true);
        drop_constant(c, tier, false);
        if (tier == TIER_MADE) {
            raise_made(c);
            drop_others(c, TIER_AVOID);
        }
        if (tier == TIER_PREFER) drop_others(c, TIER_DEFAULT);
        if (tier < TIER_AVOID || tier > TIER_DEFAULT) drop_others(c, tier);
    }
    uint32_t left = 0, first = NONE;
    for (uint32_t i = n; i-- > 0;)
        if (!c->rows.at[i].is_done) left++, first = eqs[i];
    if (left)
        diag_add(c->b->diag, E_HIGH_INDEX, c->s->eqs.at[first].span,
                 "no choice of states fits this constraint and %u others coupled with it",
                 (unsigned)left - 1);
    return left == 0;
}

static bool is_dummy(const Chooser *c, uint32_t v) { return v < c->vars && c->is_dummy[v]; }

static void set_roles(Chooser *c)
{
    System *s = c->s;
    for (uint32_t v = 0; v < s->vars.n; v++) {
        DaeVar *u = &s->vars.at[v];
        if (u->role < ROLE_STATE) continue;
        u->role = ROLE_ALGEBRAIC;
        s->stats.dummies += is_dummy(c, v);
    }
    for (uint32_t i = 0; i < s->sets.n; i++) s->stats.dummies -= s->sets.at[i].columns - s->sets.at[i].rows;
    for (uint32_t v = 0; v < s->vars.n; v++) {
        DaeVar *u = &s->vars.at[v];
        if (u->role < ROLE_STATE || u->der == NONE || is_dummy(c, u->der)) continue;
        if (u->role == ROLE_ALGEBRAIC || u->role == ROLE_DERIVATIVE) u->role = ROLE_STATE;
        if (s->vars.at[u->der].role == ROLE_ALGEBRAIC) s->vars.at[u->der].role = ROLE_DERIVATIVE;
        u->is_kept = true;
        u->state = s->states.n;
        vec_push(s->arena, &s->states, v);
    }
}

/* Derivatives that were differentiated most come first, then one order lower among those chosen,
 * and so on. */
static bool choose_dummies(Chooser *c)
{
    System *s = c->s;
    VEC(uint32_t) eqs = { 0 };
    for (uint32_t i = 0; i < c->b->equations.n; i++) {
        uint32_t e = c->b->equations.at[i];
        if (s->eqs.at[e].der == NONE && c->order[e] > 0) vec_push(c->a, &eqs, e);
        s->stats.index = c->order[e] + 1 > s->stats.index ? c->order[e] + 1 : s->stats.index;
    }
    for (uint32_t v = 0; v < c->vars; v++)
        c->is_candidate[v] = s->vars.at[v].der_of != NONE && s->vars.at[v].der == NONE;
    while (eqs.n) {
        if (!choose_level(c, eqs.at, eqs.n)) return false;
        memset(c->is_candidate, 0, c->vars);
        for (uint32_t v = 0; v < c->vars; v++) {
            uint32_t lower = s->vars.at[v].der_of;
            if (c->is_dummy[v] && s->vars.at[lower].der_of != NONE && !c->is_dummy[lower])
                c->is_candidate[lower] = 1;
        }
        uint32_t left = 0;
        for (uint32_t i = 0; i < eqs.n; i++) {
            uint32_t lower = s->eqs.at[eqs.at[i]].der_of;
            if (lower != NONE && c->order[lower] > 0) eqs.at[left++] = lower;
        }
        eqs.n = left;
    }
    return true;
}

bool dae_choose_states(Build *b, const uint32_t *order, uint32_t made)
{
    System *s = b->s;
    Arena *a = arena_part(s->arena);
    Chooser c = { .b = b, .s = s, .a = a, .order = order, .vars = s->vars.n, .made = made };
    c.is_dummy = NEW_ARRAY(a, uint8_t, s->vars.n + 1);
    c.is_candidate = NEW_ARRAY(a, uint8_t, s->vars.n + 1);
    c.column_of = NEW_ARRAY(a, uint32_t, s->vars.n + 1);
    memset(c.column_of, 0xff, s->vars.n * sizeof *c.column_of);
    /* what reinit sets has to be a state (Modelica 3.7, 8.3.6) */
    for (uint32_t i = 0; i < s->reinits.n; i++) s->vars.at[s->reinits.at[i].var].select = SELECT_ALWAYS;
    if (s->stats.differentiated) c.values = dae_estimates(s, a);
    bool ok = choose_dummies(&c);
    if (ok) set_roles(&c);
    arena_free(a);
    return ok;
}
