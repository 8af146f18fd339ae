/* constrained.c: which states of a clocked partition its equations bind, as those of a model that
 * is inverted: their derivative is the difference of two ticks, and no method integrates them.
 *
 * In: the equations of a partition, der() of them already variables. Out: by state, whether it is
 * bound. How: equations and states are matched with variables, a state with itself or, where that
 * comes to no end, with its derivative. Cost: as augmenting paths have it, equations times
 * incidences at worst. Tests: tests/api/values/clocks.mo. */
#include "sema/clock.h"

typedef struct {
    Clocks *c;
    uint32_t root;
    const uint8_t *is_column; /* by VarId: of the partition */
    VEC(uint32_t) first;      /* by row: its first column; and one more at the end */
    VEC(VarId) columns;
    uint32_t *row_of; /* by VarId: 1 + the row that it is matched with */
    uint8_t *seen;    /* by VarId */
} Rows;

static void add_columns(Rows *r, ExprId id)
{
    const FlatExpr e = r->c->flat->exprs.at[id];
    if (e.kind == X_VAR && r->is_column[e.index]) vec_push(r->c->s->arena, &r->columns, e.index);
    for (uint32_t i = 0; i < e.n; i++) add_columns(r, r->c->flat->ids.at[e.first + i]);
}

static void end_row(Rows *r) { vec_push(r->c->s->arena, &r->first, r->columns.n); }

static void add_stmt_columns(Rows *r, StmtId id)
{
    const FlatStmt s = r->c->flat->stmts.at[id];
    if (s.left != NONE) add_columns(r, s.left);
    if (s.right != NONE) add_columns(r, s.right);
    for (uint32_t k = 0; k < s.n; k++) {
        const FlatBranch b = r->c->flat->branches.at[s.first + k];
        if (b.condition != NONE) add_columns(r, b.condition);
        for (uint32_t i = 0; i < b.n; i++) add_stmt_columns(r, r->c->flat->ids.at[b.first + i]);
    }
}

/* One row for each scalar equation. */
static void add_rows(Rows *r, StmtId id)
{
    const Flat *flat = r->c->flat;
    const FlatStmt s = flat->stmts.at[id];
    uint32_t n = 1;
    if (s.kind == S_EQUAL && flat->types.at[flat->exprs.at[s.left].type].base == BASE_CLOCK) return;
    if (s.kind == S_WHEN) {
        const FlatBranch b = flat->branches.at[s.first];
        for (uint32_t i = 0; i < b.n; i++) add_rows(r, flat->ids.at[b.first + i]);
        return;
    }
    if (s.kind != S_EQUAL && s.kind != S_IF) return;
    if (s.kind == S_IF) n = flat_count_branch(flat, &flat->branches.at[s.first]);
    if (s.kind == S_EQUAL && flat->exprs.at[s.left].kind == X_TUPLE) n = flat->exprs.at[s.left].n;
    for (uint32_t i = 0; i < n; i++) {
        add_stmt_columns(r, id);
        end_row(r);
    }
}

static bool augment(Rows *r, uint32_t row, uint32_t depth)
{
    enum { DEEPEST = 20000 };
    for (uint32_t i = r->first.at[row]; i < r->first.at[row + 1] && depth < DEEPEST; i++) {
        VarId v = r->columns.at[i];
        if (r->seen[v]) continue;
        r->seen[v] = 1;
        if (r->row_of[v] && !augment(r, r->row_of[v] - 1, depth + 1)) continue;
        r->row_of[v] = row + 1;
        return true;
    }
    return false;
}

static bool match(Rows *r, uint32_t row)
{
    memset(r->seen, 0, r->c->flat->vars.n);
    return augment(r, row, 0);
}

void find_constrained(Clocks *c, uint32_t root, const VarId *states, const VarId *rates, uint32_t n,
                      bool *bound)
{
    Flat *flat = c->flat;
    uint8_t *is_column = NEW_ARRAY(c->s->arena, uint8_t, flat->vars.n + 1);
    Rows r = { .c = c, .root = root, .is_column = is_column };
    for (VarId v = 0; v < c->vars; v++)
        is_column[v] = flat->vars.at[v].varies > VARIES_PARAMETER && clock_root_of(c, v) == root &&
                       flat->types.at[flat->vars.at[v].type].base != BASE_CLOCK;
    for (uint32_t i = 0; i < n; i++) is_column[rates[i]] = 1;
    r.row_of = NEW_ARRAY(c->s->arena, uint32_t, flat->vars.n + 1);
    r.seen = NEW_ARRAY(c->s->arena, uint8_t, flat->vars.n + 1);
    end_row(&r);
    for (VarId v = 0; v < c->vars; v++) {
        if (!is_column[v] || flat->vars.at[v].binding == NONE) continue;
        vec_push(c->s->arena, &r.columns, v);
        add_columns(&r, flat->vars.at[v].binding);
        end_row(&r);
    }
    for (uint32_t i = 0; i < flat->equations.n; i++)
        if (clock_root_of(c, flat->stmts.at[flat->equations.at[i]].partition) == root)
            add_rows(&r, flat->equations.at[i]);
    uint32_t rows = r.first.n - 1;
    for (uint32_t i = 0; i < n; i++) { /* a state's row: itself, then its derivative, as yet left out */
        vec_push(c->s->arena, &r.columns, states[i]);
        end_row(&r);
    }
    for (uint32_t i = 0; i < rows; i++) match(&r, i);
    bool *open = NEW_ARRAY(c->s->arena, bool, n + 1), any = false;
    for (uint32_t i = 0; i < n; i++) any |= open[i] = !match(&r, rows + i);
    if (!any) return;
    /* their rows once more, with both */
    for (uint32_t i = 0; i < n; i++) {
        r.first.at[rows + i] = r.columns.n;
        vec_push(c->s->arena, &r.columns, states[i]);
        vec_push(c->s->arena, &r.columns, rates[i]);
    }
    r.first.at[rows + n] = r.columns.n;
    for (uint32_t i = 0; i < n; i++)
        if (open[i]) match(&r, rows + i);
    for (uint32_t i = 0; i < n; i++) bound[i] = r.row_of[rates[i]] == rows + i + 1;
}
