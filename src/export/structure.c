/* structure.c: which states and inputs each variable depends on, and how: the dependencies of a
 * model structure.
 *
 * In: a sorted system. Out: for each variable a list of states and inputs, each with its kind:
 * constant where all partial derivatives on the way are numbers, fixed where they need parameters,
 * discrete where they change at events, else dependent. How: one pass through the blocks in their
 * order; all unknowns of a block depend on what any of them does. Cost: linear in what is found.
 * Tests: tests/cli/export.sh. */
#include "export/inside.h"

const char *const export_kinds[] = { "constant", "fixed", "discrete", "dependent" };

typedef struct {
    Exporting *x;
    Arena *arena;
    Dependences *of;
    uint32_t *seen, *place, round; /* by known: the round it was found in, and where */
    VEC(Dependence) found;
    uint8_t *kind; /* by expression: DependsKind + 1; 0: not known yet */
    uint32_t kinds;
    VEC(Sym) stack;
} Finder;

static uint8_t own_kind(const System *s, const SymNode *n)
{
    switch (n->op) {
    case SYM_REAL:
    case SYM_TEXT: return DEPENDS_CONSTANT;
    case SYM_VAR: {
        uint8_t role = s->vars.at[n->index].role;
        return role == ROLE_CONSTANT    ? DEPENDS_CONSTANT
               : role == ROLE_PARAMETER ? DEPENDS_FIXED
               : role == ROLE_DISCRETE  ? DEPENDS_DISCRETE
                                        : DEPENDS_DEPENDENT;
    }
    case SYM_PRE:
    case SYM_RELATION:
    case SYM_SAMPLE:
    case SYM_FRONT:
    case SYM_INITIAL:
    case SYM_TERMINAL: return DEPENDS_DISCRETE;
    case SYM_TIME:
    case SYM_HISTORY:
    case SYM_HISTORY_SLOPE: return DEPENDS_DEPENDENT;
    default: return DEPENDS_CONSTANT;
    }
}

/* Children have smaller ids than parents, so a stack without recursion is enough. */
static uint8_t kind_of(Finder *f, Sym s)
{
    if (s >= f->kinds) return DEPENDS_DEPENDENT;
    f->stack.n = 0;
    vec_push(f->arena, &f->stack, s);
    while (f->stack.n) {
        Sym top = f->stack.at[f->stack.n - 1];
        const SymNode *n = sym_node(f->x->s->pool, top);
        uint32_t arity = sym_arity((SymOp)n->op), waits = 0;
        uint8_t kind = own_kind(f->x->s, n);
        for (uint32_t k = 0; k < arity && !f->kind[top]; k++) {
            uint8_t child = n->arg[k] < f->kinds ? f->kind[n->arg[k]] : DEPENDS_DEPENDENT + 1;
            if (!child) {
                vec_push(f->arena, &f->stack, n->arg[k]);
                waits++;
            } else if (child - 1 > kind) {
                kind = (uint8_t)(child - 1);
            }
        }
        if (waits) continue;
        if (!f->kind[top]) f->kind[top] = (uint8_t)(kind + 1);
        f->stack.n--;
    }
    return (uint8_t)(f->kind[s] - 1);
}

static void add(Finder *f, uint32_t known, uint8_t kind)
{
    if (f->seen[known] == f->round) {
        Dependence *d = &f->found.at[f->place[known]];
        if (kind > d->kind) d->kind = kind;
        return;
    }
    f->seen[known] = f->round;
    f->place[known] = f->found.n;
    vec_push(f->arena, &f->found, ((Dependence){ known, kind }));
}

static void add_gradient(Finder *f, const Gradient *g, uint8_t least)
{
    for (uint32_t k = 0; k < g->n; k++) {
        const Dependences *d = &f->of[g->at[k].var];
        uint8_t kind = d->n ? kind_of(f, g->at[k].value) : 0;
        if (least > kind) kind = least;
        for (uint32_t j = 0; j < d->n; j++)
            add(f, d->at[j].known, d->at[j].kind > kind ? d->at[j].kind : kind);
    }
}

/* How the equations of a block depend on its own unknowns goes into everything after it. */
static uint8_t inner_kind(Finder *f, const Gradient *g, const uint8_t *is_inside)
{
    uint8_t kind = DEPENDS_CONSTANT;
    for (uint32_t k = 0; k < g->n && kind < DEPENDS_DEPENDENT; k++) {
        uint8_t own = is_inside[g->at[k].var] ? kind_of(f, g->at[k].value) : 0;
        if (own > kind) kind = own;
    }
    return kind;
}

static void find_block(Finder *f, const Sequence *q, const DaeBlock *b, uint8_t *is_inside)
{
    System *s = f->x->s;
    uint8_t least = DEPENDS_CONSTANT;
    f->round++;
    f->found.n = 0;
    for (uint32_t pass = 0; pass < 2; pass++) {
        if (b->tear_n == 0 && pass == 0) continue;
        for (uint32_t k = 0; k < b->n && pass == 0; k++) is_inside[q->assigns.at[b->first + k].var] = 1;
        for (uint32_t k = 0; k < b->tear_n && pass == 0; k++) is_inside[q->tears.at[b->tear_first + k]] = 1;
        for (uint32_t k = 0; k < b->n + b->tear_n; k++) {
            Gradient g = k < b->n ? dae_gradient(s, q->assigns.at[b->first + k].value)
                                  : s->eqs.at[q->residuals.at[b->tear_first + k - b->n]].gradient;
            uint8_t own = pass == 0 ? inner_kind(f, &g, is_inside) : 0;
            if (own > least) least = own;
            if (pass == 1) add_gradient(f, &g, least);
        }
    }
    Dependence *copy = NEW_ARRAY(f->x->arena, Dependence, f->found.n + 1);
    if (f->found.n) memcpy(copy, f->found.at, f->found.n * sizeof *copy);
    for (uint32_t k = 0; k < b->n; k++) {
        f->of[q->assigns.at[b->first + k].var] = (Dependences){ copy, f->found.n };
        is_inside[q->assigns.at[b->first + k].var] = 0;
    }
    for (uint32_t k = 0; k < b->tear_n; k++) {
        f->of[q->tears.at[b->tear_first + k]] = (Dependences){ copy, f->found.n };
        is_inside[q->tears.at[b->tear_first + k]] = 0;
    }
}

static Dependences self(Arena *a, uint32_t known)
{
    Dependence *own = NEW(a, Dependence);
    *own = (Dependence){ known, DEPENDS_CONSTANT };
    return (Dependences){ own, 1 };
}

Structure export_structure(Exporting *x)
{
    System *s = x->s;
    Arena *scratch = arena_new();
    VEC(uint32_t) inputs = { 0 };
    for (uint32_t v = 0; v < s->vars.n; v++)
        if (s->vars.at[v].role == ROLE_INPUT) vec_push(x->arena, &inputs, v);
    uint32_t knowns = s->states.n + inputs.n, nodes = 0;
    const Sequence *q = &s->continuous;
    for (uint32_t k = 0; k < q->assigns.n;
         k++) { /* so that all gradients are made before nodes are counted */
        Gradient g = dae_gradient(s, q->assigns.at[k].value);
        for (uint32_t j = 0; j < g.n; j++)
            if (g.at[j].value >= nodes) nodes = g.at[j].value + 1;
    }
    for (uint32_t k = 0; k < q->residuals.n; k++) {
        const Gradient *g = &s->eqs.at[q->residuals.at[k]].gradient;
        for (uint32_t j = 0; j < g->n; j++)
            if (g->at[j].value >= nodes) nodes = g->at[j].value + 1;
    }
    Finder f = { .x = x,
                 .arena = scratch,
                 .of = NEW_ARRAY(x->arena, Dependences, s->vars.n + 1),
                 .seen = NEW_ARRAY(scratch, uint32_t, knowns + 1),
                 .place = NEW_ARRAY(scratch, uint32_t, knowns + 1),
                 .kind = NEW_ARRAY(scratch, uint8_t, (size_t)nodes + 1),
                 .kinds = nodes };
    uint8_t *is_inside = NEW_ARRAY(scratch, uint8_t, s->vars.n + 1);
    for (uint32_t k = 0; k < s->states.n; k++) f.of[s->states.at[k]] = self(x->arena, k);
    for (uint32_t k = 0; k < inputs.n; k++) f.of[inputs.at[k]] = self(x->arena, s->states.n + k);
    for (uint32_t k = 0; k < q->blocks.n; k++) find_block(&f, q, &q->blocks.at[k], is_inside);
    arena_free(scratch);
    Structure out = { f.of, inputs.at, inputs.n, NEW_ARRAY(x->arena, uint32_t, s->vars.n + 1) };
    for (uint32_t k = x->variables.n; k-- > 0;) {
        const ExportVariable *v = &x->variables.at[k];
        for (uint32_t e = 0; v->causality == CAUSALITY_INPUT && e < v->n; e++)
            out.variable_of[x->extended.at[x->elements.at[v->first + e]].var] = k + 1;
    }
    return out;
}
