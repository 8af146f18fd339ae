/* compile.c: all functions of a model, its shape, and its code.
 *
 * Tests: tests/gen. */
#include "gen/function.h"
#include "gen/inside.h"

#include <float.h>
#include <math.h>

static IrFun lower_parameters(Lower *l)
{
    System *s = l->c->s;
    lower_begin(l, "parameters");
    for (uint32_t i = 0; i < s->parameters.assigns.n; i++) {
        const DaeAssign *a = &s->parameters.assigns.at[i];
        l->b.source = SOURCE_VARIABLE | a->var;
        IrReg own = lower_number(l, lower_real(l, a->value));
        if (s->vars.at[a->var].role == ROLE_PARAMETER && s->vars.at[a->var].type != BASE_OBJECT) {
            IrReg set = ir_two(&l->b, IR_NE, lower_load(l, MEM_SET, a->var), ir_real(&l->b, 0));
            own = ir_select(&l->b, set, lower_load(l, MEM_GIVEN, a->var), own);
        }
        lower_store(l, MEM_VALUE, a->var, own);
    }
    return lower_end(l);
}

/* Destroys all external objects. */
static IrFun lower_destroy(Lower *l)
{
    System *s = l->c->s;
    lower_begin(l, "destroy");
    for (uint32_t v = 0; v < s->vars.n; v++) {
        const DaeVar *u = &s->vars.at[v];
        if (u->type != BASE_OBJECT || u->binding == NONE || sym_node(s->pool, u->binding)->op != SYM_PICK)
            continue;
        const FlatType *t = &s->flat->types.at[s->flat->vars.at[u->flat].type];
        FuncId destructor = s->flat->defs.at[t->def].destructor;
        if (destructor == NONE) continue;
        IrReg id = lower_load(l, MEM_VALUE, v);
        uint32_t object = ir_builtin_call(&l->b, "object_at", &id, 1);
        DaeShape shape = { .base = BASE_OBJECT, .func = NONE, .scalars = 1 };
        ir_if(&l->b, ir_two(&l->b, IR_NE, id, ir_real(&l->b, 0)));
        ir_call(&l->b, gen_function(l->functions, destructor, &shape), &object, 1);
        ir_end(&l->b);
    }
    return lower_end(l);
}

static bool is_number(const System *s, Sym e, double *value)
{
    const SymNode *n = sym_node(s->pool, e);
    *value = n->op == SYM_REAL ? n->real : 0;
    return n->op == SYM_REAL;
}

/* A nominal value or a bound that is not finite: computed now, or `late` where it waits for what
 * the initial equations give; NOTHING until then. */
static void lower_attribute(Lower *l, Memory to, uint32_t v, Sym value, bool late, double nothing)
{
    bool waits = dae_reads_unknown_parameter(l->c->s, value);
    if (waits != late) {
        if (waits) lower_store(l, to, v, ir_real(&l->b, nothing));
        return;
    }
    IrReg r = lower_real(l, value);
    lower_store(l, to, v, to == MEM_NOMINAL ? ir_one(&l->b, IR_ABS, r) : r);
}

static void lower_attributes(Lower *l, uint32_t v, bool late)
{
    Compiled *c = l->c;
    const DaeVar *u = &c->s->vars.at[v];
    if (!is_number(c->s, u->nominal, &c->nominal_number[v]))
        lower_attribute(l, MEM_NOMINAL, v, u->nominal, late, 1);
    c->min_number[v] = -INFINITY, c->max_number[v] = INFINITY;
    if (gen_has_start(u) && u->has_min && !is_number(c->s, u->min, &c->min_number[v]))
        lower_attribute(l, MEM_MIN, v, u->min, late, -INFINITY);
    if (gen_has_start(u) && u->has_max && !is_number(c->s, u->max, &c->max_number[v]))
        lower_attribute(l, MEM_MAX, v, u->max, late, INFINITY);
}

static IrFun lower_late(Lower *l)
{
    lower_begin(l, "late");
    for (uint32_t v = 0; v < l->c->s->vars.n; v++) lower_attributes(l, v, true);
    return lower_end(l);
}

/* Start values, nominals and bounds that are not numbers; those that are need no code. */
static IrFun lower_start(Lower *l)
{
    Compiled *c = l->c;
    System *s = c->s;
    c->start_number = NEW_ARRAY(c->arena, double, s->vars.n + 1);
    c->nominal_number = NEW_ARRAY(c->arena, double, s->vars.n + 1);
    c->min_number = NEW_ARRAY(c->arena, double, s->vars.n + 1);
    c->max_number = NEW_ARRAY(c->arena, double, s->vars.n + 1);
    lower_begin(l, "start");
    for (uint32_t v = 0; v < s->vars.n; v++) {
        const DaeVar *u = &s->vars.at[v];
        lower_attributes(l, v, false);
        if (!gen_has_start(u) || is_number(s, u->start, &c->start_number[v])) continue;
        IrReg set = ir_two(&l->b, IR_NE, lower_load(l, MEM_SET, v), ir_real(&l->b, 0));
        IrReg start =
            ir_select(&l->b, set, lower_load(l, MEM_GIVEN, v), lower_number(l, lower_real(l, u->start)));
        lower_store(l, MEM_VALUE, v, start);
        lower_store(l, MEM_PRE, v, start);
    }
    return lower_end(l);
}

/* A relation with time holds from its moment on, or until it: what counts is the side after it,
 * but at the start. */
static IrReg live_relation(Lower *l, const DaeRelation *r)
{
    bool time_left = sym_node(l->c->s->pool, r->left)->op == SYM_TIME;
    IrReg left = lower_real(l, r->left), right = lower_real(l, r->right);
    IrOp written = r->op == SYM_LT ? IR_LT : IR_LE, behind = time_left ? IR_LT : IR_LE;
    IrReg holds = ir_two(&l->b, written, left, right);
    if (r->is_time && written != behind) {
        IrReg at_start = ir_two(&l->b, IR_NE, lower_load(l, MEM_MODE, MODE_START), ir_real(&l->b, 0));
        holds = ir_select(&l->b, at_start, holds, ir_two(&l->b, behind, left, right));
    }
    return ir_one(&l->b, IR_TO_REAL, holds);
}

/* Its sign always says what the relation is: where both sides are equal it is on the relation's own
 * side of zero. */
static IrReg indicator(Lower *l, const DaeRelation *r)
{
    IrReg g = ir_two(&l->b, IR_SUB, lower_real(l, r->left), lower_real(l, r->right));
    IrReg is_zero = ir_two(&l->b, IR_EQ, g, ir_real(&l->b, 0));
    return ir_select(&l->b, is_zero, ir_real(&l->b, r->op == SYM_LT ? DBL_MIN : -DBL_MIN), g);
}

static void name_relations(Compiled *c)
{
    System *s = c->s;
    c->relation_var = NEW_ARRAY(c->arena, uint32_t, s->relations.n + 1);
    for (uint32_t i = 0; i < s->relations.n; i++) {
        Gradient g = dae_gradient(s, s->relations.at[i].left);
        if (!g.n) g = dae_gradient(s, s->relations.at[i].right);
        c->relation_var[i] = g.n ? g.at[0].var : NONE;
    }
}

static void lower_relations(Lower *l)
{
    Compiled *c = l->c;
    System *s = c->s;
    lower_begin(l, "relations");
    for (uint32_t i = 0; i < s->relations.n; i++)
        lower_store(l, MEM_LIVE, i, live_relation(l, &s->relations.at[i]));
    c->relations = lower_end(l);
    uint32_t next = 0;
    c->indicator_of = NEW_ARRAY(c->arena, uint32_t, s->relations.n + 1);
    memset(c->indicator_of, 0xff, s->relations.n * sizeof *c->indicator_of);
    lower_begin(l, "indicators");
    for (uint32_t i = 0; i < s->relations.n; i++) {
        const DaeRelation *r = &s->relations.at[i];
        if (r->is_time) continue;
        c->indicator_of[i] = next;
        lower_store(l, MEM_INDICATOR, next++, indicator(l, r));
    }
    c->indicators = lower_end(l);
    lower_begin(l, "times");
    for (uint32_t i = 0; i < s->relations.n; i++)
        if (s->relations.at[i].is_time) lower_store(l, MEM_TIMES, i, lower_real(l, s->relations.at[i].at));
    for (uint32_t i = 0; i < s->samples.n; i++) {
        lower_store(l, MEM_TIMES, s->relations.n + 2 * i, lower_real(l, s->samples.at[i].start));
        lower_store(l, MEM_TIMES, s->relations.n + 2 * i + 1, lower_real(l, s->samples.at[i].interval));
    }
    c->times = lower_end(l);
}

static void lower_discrete(Lower *l)
{
    Compiled *c = l->c;
    System *s = c->s;
    lower_begin(l, "discrete");
    for (uint32_t i = 0; i < s->discrete.n; i++) lower_assign(l, &s->discrete.at[i]);
    c->discrete = lower_end(l);
    lower_begin(l, "discrete_initial");
    for (uint32_t i = 0; i < s->discrete_initial.n; i++) {
        const DaeAssign *a = &s->discrete_initial.at[i];
        IrReg value = lower_number(l, lower_real(l, a->value));
        lower_store(l, MEM_VALUE, a->var, value);
        lower_store(l, MEM_PRE, a->var, value);
    }
    c->discrete_initial = lower_end(l);
    lower_begin(l, "fire");
    for (uint32_t i = 0; i < s->reinits.n; i++) {
        lower_store(l, MEM_FIRE, 2 * i, lower_real(l, s->reinits.at[i].when));
        lower_store(l, MEM_FIRE, 2 * i + 1, lower_real(l, s->reinits.at[i].value));
    }
    for (uint32_t i = 0; i < s->checks.n; i++) {
        const DaeCheck *check = &s->checks.at[i];
        bool is_call = check->call != SYM_ZERO;
        if (is_call) lower_effect(l, check->when, check->call);
        lower_store(l, MEM_FIRE, 2 * s->reinits.n + i, lower_real(l, is_call ? SYM_ONE : check->when));
    }
    c->fire = lower_end(l);
    lower_begin(l, "effects");
    for (uint32_t i = 0; i < s->effects.n; i++) lower_effect(l, s->effects.at[i].when, s->effects.at[i].call);
    c->effects = lower_end(l);
}

/* What histories take in, in the order of RT_HISTORY_PARTS, and what lies between their ends. */
static IrFun lower_histories(Lower *l)
{
    const System *s = l->c->s;
    uint32_t next = RT_HISTORY_PARTS * s->histories.n;
    lower_begin(l, "histories");
    for (uint32_t k = 0; k < s->histories.n; k++) {
        const DaeHistory *h = &s->histories.at[k];
        const Sym in[] = { h->key, h->value, h->span, h->low_value, h->forward };
        for (uint32_t j = 0; j < COUNT_OF(in); j++)
            lower_store(l, MEM_HISTORY, RT_HISTORY_PARTS * k + j, lower_real(l, in[j]));
        for (uint32_t j = 0; j < 2 * h->points; j++)
            lower_store(l, MEM_HISTORY, next++, lower_real(l, h->profile[j]));
    }
    return lower_end(l);
}

static uint32_t history_room(const System *s)
{
    uint32_t room = RT_HISTORY_PARTS * s->histories.n;
    for (uint32_t k = 0; k < s->histories.n; k++) room += 2 * s->histories.at[k].points;
    return room;
}

static IrFun lower_sets(Lower *l)
{
    const System *s = l->c->s;
    uint32_t next = 0;
    lower_begin(l, "constraints");
    for (uint32_t i = 0; i < s->sets.n; i++) {
        const DaeStateSet *set = &s->sets.at[i];
        for (uint32_t k = 0; k < set->rows * set->columns; k++)
            lower_store(l, MEM_SETS, next++, lower_real(l, set->matrix[k]));
    }
    return lower_end(l);
}

static IrFun lower_redundant(Lower *l)
{
    const System *s = l->c->s;
    lower_begin(l, "redundant");
    for (uint32_t i = 0; i < s->redundant.n; i++) {
        lower_store(l, MEM_REDUNDANT, 2 * i, lower_real(l, s->eqs.at[s->redundant.at[i]].left));
        lower_store(l, MEM_REDUNDANT, 2 * i + 1, lower_real(l, s->eqs.at[s->redundant.at[i]].right));
    }
    return lower_end(l);
}

void gen_add_memories(Compiled *c)
{
    static const char *const names[MEM_COUNT] = { "value",     "pre",     "tangent",  "set",      "given",
                                                  "nominal",   "min",     "max",      "relation", "live",
                                                  "mode",      "sample",  "times",    "residual", "jacobian",
                                                  "indicator", "fire",    "once",     "sets",     "redundant",
                                                  "history",   "partial", "gradient", "entries" };
    const System *s = c->s;
    uint32_t largest = 1, entries = 1; /* unknowns of a block, entries of its Jacobian */
    const Sequence *sequences[] = { &s->initial, &s->continuous };
    for (int k = 0; k < 2; k++) {
        c->torn[k] = NEW_ARRAY(c->arena, GenTorn *, sequences[k]->blocks.n + 1);
        for (uint32_t i = 0; i < sequences[k]->blocks.n; i++) {
            const DaeBlock *d = &sequences[k]->blocks.at[i];
            const GenTorn *torn = c->torn[k][i] = gen_torn(c, sequences[k], d);
            uint32_t needs = torn ? (uint32_t)torn->pattern.start[torn->pattern.n] : d->tear_n * d->tear_n;
            if (d->tear_n > largest) largest = d->tear_n;
            if (needs > entries) entries = needs;
        }
    }
    uint32_t sets = 0;
    for (uint32_t i = 0; i < s->sets.n; i++) sets += s->sets.at[i].rows * s->sets.at[i].columns;
    const uint32_t sizes[MEM_COUNT] = { [MEM_RELATION] = s->relations.n,
                                        [MEM_LIVE] = s->relations.n,
                                        [MEM_MODE] = MODE_COUNT,
                                        [MEM_SAMPLE] = s->samples.n,
                                        [MEM_TIMES] = s->relations.n + 2 * s->samples.n,
                                        [MEM_RESIDUAL] = largest,
                                        [MEM_JACOBIAN] = entries,
                                        [MEM_INDICATOR] = s->relations.n,
                                        [MEM_FIRE] = 2 * s->reinits.n + s->checks.n,
                                        [MEM_ONCE] = gen_once_size(c, sym_fun_count(s->pool)),
                                        [MEM_SETS] = sets,
                                        [MEM_REDUNDANT] = 2 * s->redundant.n,
                                        [MEM_HISTORY] = history_room(s),
                                        [MEM_PARTIAL] = c->tape ? c->tape->constants.n : 0,
                                        [MEM_GRADIENT] = c->gradient_memory,
                                        [MEM_ENTRIES] =
                                            c->pattern ? (uint32_t)pattern_count(c->pattern) : 0 };
    for (uint32_t m = 0; m < MEM_COUNT; m++) {
        uint32_t n = m <= MEM_MAX ? s->vars.n : sizes[m];
        c->memory_size[m] = n ? n : 1;
        c->memory[m] = ir_add_memory(c->module, names[m], IR_REAL, c->memory_size[m]);
    }
}

void gen_widen_memories(Compiled *c, const Compiled *other)
{
    for (int k = 0; k < MEM_COUNT; k++)
        if (other->memory_size[k] > c->memory_size[k]) c->memory_size[k] = other->memory_size[k];
    memcpy(c->run.memory_size, c->memory_size, sizeof c->run.memory_size);
}

/* By node: a state relation is made of it. */
static uint8_t *find_read_by_relations(const System *s, Arena *scratch)
{
    uint32_t n = sym_count(s->pool);
    uint8_t *is_read = NEW_ARRAY(scratch, uint8_t, n + 1);
    for (uint32_t i = 0; i < s->relations.n; i++)
        if (!s->relations.at[i].is_time)
            is_read[s->relations.at[i].left] = is_read[s->relations.at[i].right] = 1;
    for (Sym id = n; id-- > 0;) {
        const SymNode *node = sym_node(s->pool, id);
        for (uint32_t k = 0; is_read[id] && k < sym_arity(node->op); k++) is_read[node->arg[k]] = 1;
    }
    return is_read;
}

/* By variable: its start value counts, as a value before the start, a condition, or a guess: of a
 * tearing variable, or of the side of a relation in a mixed block. What an equation gives whatever
 * the start value is cannot be set. */
static uint8_t *find_starts_that_count(Compiled *c, Arena *scratch)
{
    const System *s = c->s;
    uint8_t *counts = NEW_ARRAY(scratch, uint8_t, s->vars.n + 1);
    uint8_t *is_joint = NEW_ARRAY(scratch, uint8_t, s->vars.n + 1);
    const Sequence *sequences[] = { &s->initial, &s->continuous };
    for (int k = 0; k < 2; k++)
        for (uint32_t i = 0; i < sequences[k]->blocks.n; i++) {
            const DaeBlock *b = &sequences[k]->blocks.at[i];
            if (b->kind == BLOCK_ASSIGN) continue;
            for (uint32_t j = 0; j < b->n; j++) is_joint[sequences[k]->assigns.at[b->first + j].var] = 1;
            for (uint32_t j = 0; j < b->tear_n; j++) {
                uint32_t var = sequences[k]->tears.at[b->tear_first + j];
                is_joint[var] = 1;
                if (b->kind == BLOCK_NONLINEAR) counts[var] = 1;
            }
        }
    const uint8_t *is_read = find_read_by_relations(s, scratch);
    for (Sym id = 0; id < sym_count(s->pool); id++) {
        const SymNode *node = sym_node(s->pool, id);
        if (node->op == SYM_PRE) counts[node->index] = 1;
        if (node->op == SYM_VAR && is_read[id] && is_joint[node->index]) counts[node->index] = 1;
    }
    return counts;
}

static const char *text_of(Compiled *c, Str text) { return text.n ? arena_copy(c->arena, text) : ""; }

static void describe(Compiled *c, ModelVariable *out, uint32_t var, bool minus, VarId flat,
                     const uint8_t *start_counts)
{
    const DaeVar *v = &c->s->vars.at[var];
    static const uint8_t kinds[] = { VARIABLE_CONSTANT,  VARIABLE_PARAMETER,  VARIABLE_CONTINUOUS,
                                     VARIABLE_DISCRETE,  VARIABLE_CONTINUOUS, VARIABLE_CONTINUOUS,
                                     VARIABLE_CONTINUOUS };
    static const uint8_t types[] = { [BASE_REAL] = VARIABLE_REAL,        [BASE_INTEGER] = VARIABLE_INTEGER,
                                     [BASE_BOOLEAN] = VARIABLE_BOOLEAN,  [BASE_STRING] = VARIABLE_STRING,
                                     [BASE_ENUM] = VARIABLE_ENUMERATION, [BASE_OBJECT] = VARIABLE_STRING };
    *out = (ModelVariable){ .name = v->name,
                            .unit = "",
                            .display_unit = "",
                            .description = "",
                            .type = (VariableType)types[v->type],
                            .kind = (VariableKind)kinds[v->role],
                            .slot = (int)var,
                            .negated = minus,
                            .is_input = v->role == ROLE_INPUT,
                            .is_state = v->role == ROLE_STATE };
    bool is_given = v->role == ROLE_INPUT || (v->role == ROLE_PARAMETER && !v->is_unknown_parameter);
    out->is_settable = is_given || (v->role >= ROLE_PARAMETER && start_counts[var]);
    if (flat == NONE) return;
    const FlatVar *f = &c->s->flat->vars.at[flat];
    out->name = f->name;
    out->unit = text_of(c, f->unit);
    out->display_unit = text_of(c, f->display_unit);
    out->description = text_of(c, f->about);
    out->is_output = f->causes == CAUSES_OUTPUT;
    out->is_protected = (f->flags & VAR_PROTECTED) != 0;
    if (f->flags & (VAR_FINAL | VAR_STRUCTURAL)) out->is_settable = false;
}

static void make_shape(Compiled *c, Arena *scratch)
{
    System *s = c->s;
    uint32_t n = s->states.n, count = s->flat->vars.n;
    const char **names = NEW_ARRAY(c->arena, const char *, n + 1);
    for (uint32_t i = 0; i < n; i++) names[i] = s->vars.at[s->states.at[i]].name;
    const uint8_t *start_counts = find_starts_that_count(c, scratch);
    ModelVariable *variables = NEW_ARRAY(c->arena, ModelVariable, count + s->vars.n);
    for (VarId v = 0; v < s->flat->vars.n; v++)
        describe(c, &variables[v], s->alias[v].var, s->alias[v].is_negated, v, start_counts);
    for (uint32_t v = 0; v < s->vars.n; v++)
        if (s->vars.at[v].flat == NONE && !strchr(s->vars.at[v].name, '$')) {
            describe(c, &variables[count], v, false, NONE, start_counts);
            variables[count++].is_settable = false;
        }
    c->shape = (ModelShape){ .name = s->flat->name,
                             .n = (int)n,
                             .indicators = (int)c->indicator_count,
                             .names = names,
                             .pattern = c->pattern,
                             .jacobian_kind = c->stats.differences ? MODEL_MIXED : MODEL_EXACT,
                             .jacobian_colours = c->gradients.n ? 1
                                                 : c->colouring ? c->colouring->count
                                                                : (int)n,
                             .variables = variables,
                             .variable_count = (int)count,
                             .value_count = (int)s->vars.n };
}

static void lower_all(Lower *l, Direct *direct)
{
    Compiled *c = l->c;
    System *s = c->s;
    const unsigned both = BLOCK_FOR_DERIVATIVES | BLOCK_CONSTANT;
    c->parameters = lower_parameters(l);
    c->destroy = lower_destroy(l);
    c->start = lower_start(l);
    c->late = lower_late(l);
    gen_program(l, &s->initial, 0, 0, false, &c->initial);
    gen_program(l, &s->continuous, BLOCK_CONSTANT, BLOCK_CONSTANT, false, &c->constants);
    gen_program(l, &s->continuous, both, BLOCK_FOR_DERIVATIVES, !direct, &c->derivatives);
    if (direct) {
        c->gradients_need_values = gen_direct_needs_values(direct);
        gen_direct_lower(direct, l, &c->constant_gradients, &c->gradients);
    }
    gen_program(l, &s->continuous, both, 0, false, &c->rest);
    lower_relations(l);
    name_relations(c);
    lower_discrete(l);
    c->histories = lower_histories(l);
    gen_lower_texts(l);
    c->constraints = lower_sets(l);
    c->redundant = lower_redundant(l);
    gen_find_divisors(c, l->scratch);
    for (uint32_t i = 0; i < s->relations.n; i++) c->indicator_count += !s->relations.at[i].is_time;
    for (uint32_t i = 0; i < s->checks.n; i++) {
        const DaeCheck *check = &s->checks.at[i];
        if (!check->is_assert || check->at_events) continue;
        c->asserts += !check->is_warning;
        c->warnings += check->is_warning;
    }
    c->has_terminal = s->has_terminal;
}

Compiled *gen_compile(System *system, IrBackend backend, Diag *diag)
{
    double begin = clock_wall();
    Arena *arena = arena_part(system->arena), *scratch = arena_part(arena);
    Compiled *c = NEW(arena, Compiled);
    c->arena = arena;
    c->s = system;
    c->module = ir_module_new(arena);
    c->pattern = gen_pattern(c, scratch);
    if (c->pattern) c->colouring = pattern_colour(c->arena, c->pattern);
    Direct *direct = gen_direct_plan(c, scratch, c->pattern, false);
    c->gradient_memory = gen_direct_memory(direct);
    c->unit = ext_unit_new(arena);
    gen_add_memories(c);
    Lower l = { .c = c, .scratch = scratch };
    l.tangent = NEW_ARRAY(scratch, IrReg, system->vars.n + 1);
    memset(l.tangent, 0xff, system->vars.n * sizeof *l.tangent);
    l.functions = gen_functions(c, scratch, diag);
    lower_all(&l, direct);
    make_shape(c, scratch);
    bool failed = gen_functions_failed(l.functions);
    arena_free(scratch);
    c->code = failed ? NULL : gen_code(c, backend, diag);
    if (!c->code) {
        arena_free(arena);
        return NULL;
    }
    gen_tables(c);
    c->stats.backend = ir_code_backend(c->code);
    c->stats.code_size = ir_code_size(c->code);
    c->stats.jacobian_entries =
        c->pattern ? (uint64_t)pattern_count(c->pattern) : (uint64_t)system->states.n * system->states.n;
    c->stats.exact_entries = c->stats.differences ? 0 : c->stats.jacobian_entries;
    c->stats.native = c->stats.backend == IR_NATIVE ? c->stats.instructions : 0;
    c->stats.one_pass = c->gradients.n > 0;
    c->stats.colours = c->colouring ? (uint32_t)c->colouring->count : system->states.n;
    c->stats.seconds = clock_wall() - begin;
    return c;
}

void gen_free(Compiled *c)
{
    if (!c) return;
    if (c->tape) ir_code_free(c->tape->code);
    if (c->form) ir_code_free(c->form->code);
    ir_code_free(c->code);
    arena_free(c->arena);
}

GenStats gen_stats(const Compiled *c) { return c->stats; }
const RunModel *gen_run_model(const Compiled *c) { return &c->run; }
const ExtUnit *gen_externals(const Compiled *c) { return c->unit; }
const IrModule *gen_tape_module(const Compiled *c) { return c->tape ? c->tape->module : NULL; }
System *gen_system(const Compiled *c) { return c->s; }
const ModelShape *gen_shape(const Compiled *c) { return &c->shape; }
const IrModule *gen_module(const Compiled *c) { return c->module; }

void gen_set_sources(Compiled *c, const Sources *sources) { c->sources = sources; }
