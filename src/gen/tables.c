/* tables.c: what the instances of a compiled model need of it, as plain tables: its RunModel.
 *
 * In: a compiled model. Out: c->run. Always: nothing there points to expressions or to flat text
 * but names and messages, so that the same tables can be written as C for an FMU. Cost: linear.
 * Tests: tests/gen, tests/export. */
#include "gen/inside.h"

_Static_assert((int)RUN_CONSTANT == ROLE_CONSTANT && (int)RUN_ALGEBRAIC == ROLE_ALGEBRAIC, "the same roles");

static RtStatus call(const void *code, uint32_t function, Rt *rt)
{
    RtCell none;
    return ir_run(code, function, rt, &none);
}

static void put_variables(Compiled *c, RunModel *r)
{
    const System *s = c->s;
    uint32_t n = s->vars.n;
    uint8_t *role = NEW_ARRAY(c->arena, uint8_t, n + 1), *traits = NEW_ARRAY(c->arena, uint8_t, n + 1);
    const char **name = NEW_ARRAY(c->arena, const char *, n + 1);
    for (uint32_t v = 0; v < n; v++) {
        const DaeVar *u = &s->vars.at[v];
        role[v] = u->role;
        name[v] = u->name;
        traits[v] = (uint8_t)((u->type == BASE_REAL ? RUN_IS_REAL : 0) |
                              (u->type == BASE_OBJECT ? RUN_IS_OBJECT : 0) |
                              (u->type == BASE_INTEGER ? RUN_IS_INTEGER : 0) |
                              (u->type == BASE_BOOLEAN ? RUN_IS_BOOLEAN : 0) |
                              (gen_has_start(u) ? RUN_STARTS : 0) | (u->has_start ? RUN_START_SAID : 0));
    }
    r->var_count = n, r->role = role, r->traits = traits, r->name = name;
    r->start = c->start_number, r->nominal = c->nominal_number, r->min = c->min_number,
    r->max = c->max_number;
    RunVariable *variables = NEW_ARRAY(c->arena, RunVariable, (size_t)c->shape.variable_count + 1);
    for (int k = 0; k < c->shape.variable_count; k++) {
        const ModelVariable *v = &c->shape.variables[k];
        variables[k] = (RunVariable){ (uint32_t)v->slot, (uint8_t)((v->negated ? RUN_NEGATED : 0) |
                                                                   (v->is_settable ? RUN_SETTABLE : 0) |
                                                                   (v->is_input ? RUN_GIVEN : 0)) };
    }
    r->variables = variables, r->variable_count = (uint32_t)c->shape.variable_count;
}

static const uint32_t *list_assigns(Compiled *c, const DaeAssign *assigns, uint32_t n)
{
    uint32_t *vars = NEW_ARRAY(c->arena, uint32_t, n + 1);
    for (uint32_t k = 0; k < n; k++) vars[k] = assigns[k].var;
    return vars;
}

static void put_states(Compiled *c, RunModel *r)
{
    const System *s = c->s;
    uint32_t *rates = NEW_ARRAY(c->arena, uint32_t, s->states.n + 1);
    for (uint32_t k = 0; k < s->states.n; k++) rates[k] = s->vars.at[s->states.at[k]].der;
    r->state_count = s->states.n, r->states = s->states.at, r->rates = rates;
    RunSet *sets = NEW_ARRAY(c->arena, RunSet, s->sets.n + 1);
    for (uint32_t k = 0; k < s->sets.n; k++) {
        const DaeStateSet *set = &s->sets.at[k];
        sets[k] = (RunSet){ set->rows, set->columns, set->vars, set->states, set->selectors };
    }
    r->sets = sets, r->set_count = s->sets.n;
    if (c->pattern) r->jacobian_start = c->pattern->start, r->jacobian_row = c->pattern->row;
    if (c->gradients.n) r->gradients = c->gradients.at, r->gradient_count = c->gradients.n;
    r->constant_gradients = c->constant_gradients.at, r->constant_gradient_count = c->constant_gradients.n;
    r->gradients_need_values = c->gradients_need_values;
    if (!c->colouring) return;
    r->colour_start = c->colouring->start, r->colour_column = c->colouring->column;
    r->colours = c->colouring->count;
}

static void put_events(Compiled *c, RunModel *r)
{
    const System *s = c->s;
    uint8_t *is_time = NEW_ARRAY(c->arena, uint8_t, s->relations.n + 1);
    uint8_t *flags = NEW_ARRAY(c->arena, uint8_t, s->histories.n + 1);
    uint32_t *points = NEW_ARRAY(c->arena, uint32_t, s->histories.n + 1);
    uint32_t *reinits = NEW_ARRAY(c->arena, uint32_t, s->reinits.n + 1);
    RunCheck *checks = NEW_ARRAY(c->arena, RunCheck, s->checks.n + 1);
    for (uint32_t k = 0; k < s->relations.n; k++) is_time[k] = s->relations.at[k].is_time;
    for (uint32_t k = 0; k < s->reinits.n; k++) reinits[k] = s->reinits.at[k].var;
    for (uint32_t k = 0; k < s->histories.n; k++) {
        const DaeHistory *h = &s->histories.at[k];
        flags[k] = (uint8_t)((h->is_free ? RT_HISTORY_FREE : 0) | (h->is_discrete ? RT_HISTORY_DISCRETE : 0) |
                             (h->is_timed ? 0 : RT_HISTORY_BOTH));
        points[k] = h->points;
    }
    for (uint32_t k = 0; k < s->checks.n; k++) {
        const DaeCheck *check = &s->checks.at[k];
        checks[k] = (RunCheck){ (uint8_t)((check->is_assert ? RUN_CHECK_ASSERT : 0) |
                                          (check->is_warning ? RUN_CHECK_WARNING : 0) |
                                          (check->at_events ? RUN_CHECK_AT_EVENTS : 0)),
                                c->check_text[k], check->message };
    }
    r->relation_count = s->relations.n, r->relation_is_time = is_time;
    r->indicator_of = c->indicator_of, r->relation_var = c->relation_var,
    r->indicator_count = c->indicator_count;
    r->sample_count = s->samples.n, r->effect_count = s->effects.n;
    r->reinit_vars = reinits, r->reinit_count = s->reinits.n;
    r->history_flags = flags, r->history_points = points, r->history_count = s->histories.n;
    r->checks = checks, r->check_count = s->checks.n, r->asserts = c->asserts, r->warnings = c->warnings;
    r->discrete_vars = list_assigns(c, s->discrete.at, s->discrete.n), r->discrete_count = s->discrete.n;
    r->discrete_initial_vars = list_assigns(c, s->discrete_initial.at, s->discrete_initial.n);
    r->discrete_initial_count = s->discrete_initial.n;
    r->has_terminal = c->has_terminal;
}

static void put_conditions(Compiled *c, RunModel *r)
{
    const System *s = c->s;
    uint32_t total = 0;
    for (uint32_t k = 0; k < s->redundant.n; k++) total += s->eqs.at[s->redundant.at[k]].gradient.n;
    RunRedundant *redundants = NEW_ARRAY(c->arena, RunRedundant, s->redundant.n + 1);
    uint32_t *vars = NEW_ARRAY(c->arena, uint32_t, total + 1), next = 0;
    for (uint32_t k = 0; k < s->redundant.n; k++) {
        const DaeEq *eq = &s->eqs.at[s->redundant.at[k]];
        redundants[k] = (RunRedundant){ eq->is_start, NONE, next, eq->gradient.n, s->redundant.at[k] };
        for (uint32_t j = 0; j < eq->gradient.n; j++) vars[next + j] = eq->gradient.at[j].var;
        for (uint32_t j = eq->gradient.n; j-- > 0;)
            if (s->vars.at[vars[next + j]].role > ROLE_PARAMETER) redundants[k].name = vars[next + j];
        next += eq->gradient.n;
    }
    r->redundants = redundants, r->redundant_vars = vars, r->redundant_count = s->redundant.n;
    r->divisors = c->divisors.at, r->divisor_count = c->divisors.n;
}

static void put_code(Compiled *c, RunModel *r)
{
    r->stack = ir_code_stack(c->code);
    r->owner = c, r->code = c->code, r->call = call, r->place = gen_place, r->cause = gen_cause;
    memcpy(r->memory_size, c->memory_size, sizeof r->memory_size);
    memcpy(r->memory, c->memory, sizeof r->memory);
    r->parameters = c->parameters, r->destroy = c->destroy, r->first = c->start, r->relations = c->relations;
    r->indicators = c->indicators, r->times = c->times, r->discrete = c->discrete;
    r->discrete_initial = c->discrete_initial, r->fire = c->fire, r->effects = c->effects;
    r->constraints = c->constraints, r->redundant = c->redundant, r->histories = c->histories;
    r->late = c->late;
    r->initial = (RunProgram){ c->initial.at, c->initial.n };
    r->constants = (RunProgram){ c->constants.at, c->constants.n };
    r->derivatives = (RunProgram){ c->derivatives.at, c->derivatives.n };
    r->rest = (RunProgram){ c->rest.at, c->rest.n };
    r->blocks = c->blocks.at, r->block_count = c->blocks.n, r->sparse_count = c->sparse_count;
    r->tearing_count = c->tearing_count, r->lus = c->lus, r->largest = c->largest;
    r->parameter_vars = list_assigns(c, c->s->parameters.assigns.at, c->s->parameters.assigns.n);
    r->parameter_count = c->s->parameters.assigns.n;
}

void gen_tables(Compiled *c)
{
    c->run = (RunModel){ 0 };
    put_code(c, &c->run);
    put_variables(c, &c->run);
    put_states(c, &c->run);
    put_events(c, &c->run);
    put_conditions(c, &c->run);
}

void gen_tape_table(Compiled *c)
{
    const Tape *t = c->tape;
    RunTape *r = NEW(c->arena, RunTape);
    *r = (RunTape){ .code = t->code,
                    .entries = t->entries.at,
                    .rows = t->rows.at,
                    .columns = t->columns,
                    .time = t->time,
                    .pre = t->pre,
                    .indicators = t->indicators,
                    .resets = t->resets,
                    .times = t->times,
                    .discrete = t->discrete,
                    .discrete_count = t->discrete_count,
                    .constants = t->constants.at,
                    .constant_count = t->constants.n,
                    .lus = t->lus,
                    .pivots = t->pivots,
                    .largest = t->largest,
                    .has_unknown_parameters = t->has_unknown_parameters };
    for (int section = 0; section < SECTION_COUNT; section++) {
        const GenSection *p = &t->sections[section];
        r->sections[section] = (RunSection){ p->steps.at, p->steps.n, p->partials.at, p->partials.n };
    }
    for (int k = 0; k < RUN_DIRECTIONS; k++)
        r->directions[k] =
            (RunDirection){ t->directions[k].at, t->directions[k].n, t->targets[k].at, t->targets[k].n };
    c->run.tape = r;
}
