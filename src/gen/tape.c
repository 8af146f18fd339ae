/* tape.c: partial derivatives of everything a model computes, as sparse rows.
 *
 * In: a compiled model. Out: its tape: for each assignment and residual of parameters, start
 * values, initial equations, continuous equations, indicators and resets, where its partial
 * derivatives stand in MEM_PARTIAL, and code that computes those that are no numbers. A module of
 * its own, so that models pay for it only when someone asks. How: gradients of the symbolic form,
 * in time and in values before events, too. Always: a row's columns are computed before it. Cost:
 * linear in the entries. What is done with it is in products.c. Tests:
 * tests/gen/products_test.c. */
#include "gen/function.h"
#include "gen/inside.h"

/* of one function, in entries; of one that calls another */
enum { LONGEST = 8000, LENGTH_OF_CALL = 100 };

typedef VEC(Sym) Values;

typedef struct {
    Compiled *c;
    System *s;
    Tape *t;
    Arena *a;      /* of the compiled model */
    Values values; /* by entry */
    Arena *scratch;
} Maker;

static uint32_t column_of(const Tape *t, uint32_t var)
{
    if (var == PARTIAL_TIME) return t->time;
    return var & PARTIAL_PRE ? t->pre + (var & ~PARTIAL_PRE) : var;
}

/* Numbers need no code; those that are zero need no entry. */
static void add_row(Maker *m, uint32_t target, Gradient g)
{
    Tape *t = m->t;
    TapeRow row = { target, t->entries.n, 0 };
    for (uint32_t k = 0; k < g.n; k++) {
        const SymNode *n = sym_node(m->s->pool, g.at[k].value);
        bool is_number = n->op == SYM_REAL;
        if (is_number && n->real == 0) continue;
        TapeEntry e = { column_of(t, g.at[k].var), t->constants.n };
        double number = is_number ? n->real : 0;
        vec_push(m->a, &t->entries, e);
        vec_push(m->a, &t->constants, number);
        vec_push(m->scratch, &m->values, g.at[k].value);
        row.n++;
    }
    vec_push(m->a, &t->rows, row);
}

static void add_step(Maker *m, TapeSection section, uint32_t first, TapeStep step)
{
    step.first = first;
    step.n = m->t->rows.n - first - step.tear_n;
    if (step.n || step.tear_n) vec_push(m->a, &m->t->sections[section].steps, step);
}

static void add_assigns(Maker *m, TapeSection section, const DaeAssign *assigns, uint32_t n)
{
    uint32_t first = m->t->rows.n;
    for (uint32_t i = 0; i < n; i++) add_row(m, assigns[i].var, dae_gradient_wide(m->s, assigns[i].value));
    add_step(m, section, first, (TapeStep){ 0 });
}

static void add_block(Maker *m, TapeSection section, const Sequence *q, const DaeBlock *d)
{
    Tape *t = m->t;
    uint32_t first = t->rows.n;
    for (uint32_t i = 0; i < d->n; i++) {
        const DaeAssign *a = &q->assigns.at[d->first + i];
        add_row(m, a->var, dae_gradient_wide(m->s, a->value));
    }
    for (uint32_t i = 0; i < d->tear_n; i++) {
        const DaeEq *eq = &m->s->eqs.at[q->residuals.at[d->tear_first + i]];
        add_row(m, NONE, dae_difference_gradient(m->s, eq->left, eq->right));
    }
    TapeStep step = {
        .tear_n = d->tear_n, .tears = q->tears.at + d->tear_first, .lu = t->lus, .pivot = t->pivots
    };
    t->lus += d->tear_n * d->tear_n;
    t->pivots += d->tear_n;
    if (d->tear_n > t->largest) t->largest = d->tear_n;
    add_step(m, section, first, step);
}

static void add_sequence(Maker *m, TapeSection section, const Sequence *q, unsigned mask, unsigned want)
{
    uint32_t first = m->t->rows.n;
    for (uint32_t k = 0; k < q->blocks.n; k++) {
        const DaeBlock *d = &q->blocks.at[k];
        if ((d->flags & mask) != want) continue;
        if (d->kind == BLOCK_ASSIGN) {
            const DaeAssign *a = &q->assigns.at[d->first];
            add_row(m, a->var, dae_gradient_wide(m->s, a->value));
            continue;
        }
        add_step(m, section, first, (TapeStep){ 0 });
        add_block(m, section, q, d);
        first = m->t->rows.n;
    }
    add_step(m, section, first, (TapeStep){ 0 });
}

static void add_start(Maker *m)
{
    uint32_t first = m->t->rows.n;
    for (uint32_t v = 0; v < m->s->vars.n; v++)
        if (gen_has_start(&m->s->vars.at[v]))
            add_row(m, m->t->pre + v, dae_gradient_wide(m->s, m->s->vars.at[v].start));
    add_step(m, SECTION_START, first, (TapeStep){ 0 });
}

static void add_events(Maker *m)
{
    System *s = m->s;
    uint32_t first = m->t->rows.n, next = m->t->indicators;
    for (uint32_t i = 0; i < s->relations.n; i++)
        if (!s->relations.at[i].is_time)
            add_row(m, next++, dae_difference_gradient(s, s->relations.at[i].left, s->relations.at[i].right));
    add_step(m, SECTION_INDICATORS, first, (TapeStep){ 0 });
    first = m->t->rows.n;
    for (uint32_t i = 0; i < s->reinits.n; i++)
        add_row(m, m->t->resets + i, dae_gradient_wide(s, s->reinits.at[i].value));
    add_step(m, SECTION_RESETS, first, (TapeStep){ 0 });
}

/* Only Reals among discrete variables change by small amounts. */
static void add_discrete(Maker *m, TapeSection section, const DaeAssign *assigns, uint32_t n)
{
    uint32_t first = m->t->rows.n;
    for (uint32_t i = 0; i < n; i++)
        if (m->s->vars.at[assigns[i].var].type == BASE_REAL)
            add_row(m, assigns[i].var, dae_gradient_wide(m->s, assigns[i].value));
    add_step(m, section, first, (TapeStep){ 0 });
}

static void add_times(Maker *m)
{
    System *s = m->s;
    uint32_t first = m->t->rows.n, next = m->t->times + s->relations.n;
    for (uint32_t i = 0; i < s->relations.n; i++)
        if (s->relations.at[i].is_time)
            add_row(m, m->t->times + i, dae_gradient_wide(s, s->relations.at[i].at));
    for (uint32_t i = 0; i < s->samples.n; i++) {
        add_row(m, next++, dae_gradient_wide(s, s->samples.at[i].start));
        add_row(m, next++, dae_gradient_wide(s, s->samples.at[i].interval));
    }
    add_step(m, SECTION_TIMES, first, (TapeStep){ 0 });
}

static void add_all(Maker *m)
{
    System *s = m->s;
    const unsigned both = BLOCK_FOR_DERIVATIVES | BLOCK_CONSTANT;
    add_assigns(m, SECTION_PARAMETERS, s->parameters.assigns.at, s->parameters.assigns.n);
    add_start(m);
    add_sequence(m, SECTION_INITIAL, &s->initial, 0, 0);
    add_sequence(m, SECTION_CONSTANTS, &s->continuous, BLOCK_CONSTANT, BLOCK_CONSTANT);
    add_sequence(m, SECTION_DERIVATIVES, &s->continuous, both, BLOCK_FOR_DERIVATIVES);
    add_sequence(m, SECTION_REST, &s->continuous, both, 0);
    add_events(m);
    add_discrete(m, SECTION_DISCRETE, s->discrete.at, s->discrete.n);
    add_times(m);
    add_discrete(m, SECTION_DISCRETE_INITIAL, s->discrete_initial.at, s->discrete_initial.n);
    for (uint32_t v = 0; v < s->vars.n; v++)
        m->t->has_unknown_parameters |= s->vars.at[v].is_unknown_parameter;
}

/* ---- code ------------------------------------------------------------------------------------ */

static void lower_rows(Lower *l, Maker *m, TapeSection section, uint32_t first, uint32_t n)
{
    lower_begin(l, "partials");
    for (uint32_t r = first; r < first + n; r++) {
        const TapeRow *row = &m->t->rows.at[r];
        for (uint32_t e = row->first; e < row->first + row->n; e++) {
            Sym value = m->values.at[m->t->entries.at[e].place];
            if (sym_node(m->s->pool, value)->op != SYM_REAL)
                lower_store(l, MEM_PARTIAL, m->t->entries.at[e].place, lower_real(l, value));
        }
    }
    IrFun f = lower_end(l);
    vec_push(m->a, &m->t->sections[section].partials, f);
}

/* How much code a row is, roughly. */
static uint32_t length_of(const Maker *m, const TapeRow *row)
{
    uint32_t length = 1;
    for (uint32_t e = row->first; e < row->first + row->n; e++)
        length +=
            sym_node(m->s->pool, m->values.at[m->t->entries.at[e].place])->has_call ? LENGTH_OF_CALL : 1;
    return length;
}

static void lower_part(Lower *l, Maker *m, TapeSection section)
{
    const GenSection *p = &m->t->sections[section];
    if (!p->steps.n) return;
    const TapeStep *last = &p->steps.at[p->steps.n - 1];
    uint32_t first = p->steps.at[0].first, end = last->first + last->n + last->tear_n;
    while (first < end) {
        uint32_t n = 0;
        for (uint32_t length = 0; first + n < end && length < LONGEST; n++)
            length += length_of(m, &m->t->rows.at[first + n]);
        lower_rows(l, m, section, first, n);
        first += n;
    }
}

/* What directions are asked about: derivatives of states, and outputs that are Reals between
 * events. */
static void list_targets(Maker *m)
{
    const System *s = m->s;
    uint8_t *is_listed = NEW_ARRAY(m->scratch, uint8_t, s->vars.n + 1);
    for (uint32_t k = 0; k < s->states.n; k++)
        vec_push(m->a, &m->t->targets[RUN_OF_DERIVATIVES], s->vars.at[s->states.at[k]].der);
    for (int k = 0; k < m->c->shape.variable_count; k++) {
        const ModelVariable *v = &m->c->shape.variables[k];
        uint32_t var = (uint32_t)v->slot;
        if (!v->is_output || s->vars.at[var].role < ROLE_STATE || is_listed[var]) continue;
        is_listed[var] = 1;
        vec_push(m->a, &m->t->targets[RUN_OF_OUTPUTS], var);
    }
}

static bool make_code(Maker *m, bool with_directions, IrBackend backend, Diag *diag)
{
    Compiled other = *m->c;
    Direct *plan[RUN_DIRECTIONS] = { 0 };
    if (with_directions) list_targets(m);
    for (int k = 0; k < RUN_DIRECTIONS; k++) {
        if (m->t->targets[k].n)
            plan[k] = gen_direction_plan(m->c, m->scratch, m->t->targets[k].at, m->t->targets[k].n);
        if (gen_direct_memory(plan[k]) > other.gradient_memory)
            other.gradient_memory = gen_direct_memory(plan[k]);
    }
    other.module = m->t->module = ir_module_new(m->a);
    other.tape = m->t;
    gen_add_memories(&other);
    Lower l = { .c = &other, .scratch = m->scratch };
    l.functions = gen_functions(&other, m->scratch, diag);
    for (int section = 0; section < SECTION_COUNT; section++) lower_part(&l, m, (TapeSection)section);
    for (int k = 0; k < RUN_DIRECTIONS; k++)
        if (plan[k]) gen_direct_lower(plan[k], &l, NULL, &m->t->directions[k]);
    gen_widen_memories(m->c, &other);
    if (!gen_functions_failed(l.functions)) m->t->code = gen_code(&other, backend, diag);
    return m->t->code;
}

/* The discrete variables that products know: those with an equation that are Reals. */
static void list_discrete(Compiled *c, Tape *t)
{
    const System *s = c->s;
    int *list = NEW_ARRAY(c->arena, int, s->discrete.n + 1), n = 0;
    /* by slot: the first variable that shows it as it is, + 1 */
    int *of = NEW_ARRAY(c->arena, int, s->vars.n + 1);
    for (int j = c->shape.variable_count; j-- > 0;)
        if (!c->shape.variables[j].negated) of[c->shape.variables[j].slot] = j + 1;
    for (uint32_t k = 0; k < s->discrete.n; k++) {
        uint32_t v = s->discrete.at[k].var;
        if (s->vars.at[v].type == BASE_REAL && of[v]) list[n++] = of[v] - 1;
    }
    c->shape.discrete = list;
    c->shape.discrete_count = n;
    uint32_t *vars = NEW_ARRAY(c->arena, uint32_t, (size_t)n + 1);
    for (int k = 0; k < n; k++) vars[k] = (uint32_t)c->shape.variables[list[k]].slot;
    t->discrete = vars;
    t->discrete_count = (uint32_t)n;
}

static bool add_tape(Compiled *c, bool with_directions, Diag *diag)
{
    if (c->tape) return true;
    Arena *scratch = arena_part(c->arena);
    System *s = c->s;
    Tape *t = NEW(c->arena, Tape);
    t->time = s->vars.n;
    t->pre = t->time + 1;
    t->indicators = t->pre + s->vars.n;
    t->resets = t->indicators + c->indicator_count;
    t->times = t->resets + s->reinits.n;
    t->columns = t->times + s->relations.n + 2 * s->samples.n;
    t->largest = 1;
    vec_reserve(c->arena, &t->entries, 1); /* so that there is an array, if only an empty one */
    Maker m = { .c = c, .s = s, .t = t, .a = c->arena, .scratch = scratch };
    add_all(&m);
    bool ok = make_code(&m, with_directions, c->stats.backend, diag);
    arena_free(scratch);
    if (!ok) {
        if (!diag->errors) diag_add(diag, E_CODE, (Span){ 0 }, "no code could be made for derivatives");
        return false;
    }
    list_discrete(c, t);
    c->tape = t;
    gen_tape_table(c);
    return true;
}

bool gen_add_products(Compiled *c, Diag *diag) { return add_tape(c, false, diag); }
bool gen_add_directions(Compiled *c, Diag *diag) { return add_tape(c, true, diag); }
