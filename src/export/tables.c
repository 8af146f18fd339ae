/* tables.c: the C text of a model: its code, its derivatives' code, and the tables that run/ and
 * unit/ work on.
 *
 * In: a compiled model and the list of its variables. Out: one C file that defines `unit_model`.
 * All tables are constant; numbers are written so that they read back as the same bits. Cost:
 * linear. Tests: tests/cli/export.sh. */
#include "export/inside.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

enum { PER_LINE = 16 };

static void add_real(Text *out, double value)
{
    if (isnan(value))
        text_add_literal(out, "NAN");
    else if (isinf(value))
        text_printf(out, "%sHUGE_VAL", value < 0 ? "-" : "");
    else
        text_add_real(out, value);
}

static void add_string(Text *out, const char *text)
{
    if (!text) {
        text_add_literal(out, "NULL");
        return;
    }
    text_add_char(out, '"');
    for (const unsigned char *at = (const unsigned char *)text; *at; at++) {
        if (*at == '"' || *at == '\\')
            text_printf(out, "\\%c", *at);
        else if (*at < 32 || *at > 126 || *at == '?')
            text_printf(out, "\\%03o", *at);
        else
            text_add_char(out, (char)*at);
    }
    text_add_char(out, '"');
}

/* An empty list is one element that nobody reads: C has no empty arrays. */
#define ADD_LIST(out, type, name, n, each)                              \
    do {                                                                \
        text_printf((out), "static const %s %s[] = {", (type), (name)); \
        for (uint32_t k_ = 0; k_ < (n); k_++) {                         \
            text_printf((out), "%s", k_ % PER_LINE ? " " : "\n    ");   \
            each(k_);                                                   \
            text_add_char((out), ',');                                  \
        }                                                               \
        if (!(n)) text_add_literal((out), " 0 ");                       \
        text_add_literal((out), "\n};\n");                              \
    } while (0)

static void add_ids(Text *out, const char *name, const uint32_t *at, uint32_t n)
{
#define EACH(k) text_printf(out, at[k] == UINT32_MAX ? "RUN_NONE" : "%" PRIu32, at[k])
    ADD_LIST(out, "uint32_t", name, n, EACH);
#undef EACH
}

static void add_ints(Text *out, const char *name, const int *at, uint32_t n)
{
#define EACH(k) text_printf(out, "%d", at[k])
    ADD_LIST(out, "int", name, n, EACH);
#undef EACH
}

static void add_bytes(Text *out, const char *name, const uint8_t *at, uint32_t n)
{
#define EACH(k) text_printf(out, "%u", (unsigned)at[k])
    ADD_LIST(out, "uint8_t", name, n, EACH);
#undef EACH
}

static void add_reals(Text *out, const char *name, const double *at, uint32_t n)
{
#define EACH(k) add_real(out, at[k])
    ADD_LIST(out, "double", name, n, EACH);
#undef EACH
}

static void add_names(Text *out, const char *name, const char *const *at, uint32_t n)
{
#define EACH(k) add_string(out, at[k])
    ADD_LIST(out, "char *const", name, n, EACH);
#undef EACH
}

/* Structures, one after the other; as above where there are none. */
static void begin_table(Text *out, const char *type, const char *name)
{
    text_printf(out, "static const %s %s[] = {", type, name);
}

static void end_table(Text *out, uint32_t n) { text_printf(out, "%s", n ? "\n};\n" : " { 0 } };\n"); }

/* ---- parts of the running model -------------------------------------------------------------- */

static void add_id(Text *out, uint32_t id)
{
    if (id == UINT32_MAX)
        text_add_literal(out, "RUN_NONE");
    else
        text_printf(out, "%" PRIu32, id);
}

static void add_program(Text *out, const char *name, const RunProgram *p)
{
    begin_table(out, "RunStep", name);
    for (uint32_t k = 0; k < p->n; k++) {
        text_add_literal(out, "\n    { ");
        add_id(out, p->at[k].run);
        text_add_literal(out, ", ");
        add_id(out, p->at[k].tangent);
        text_add_literal(out, ", ");
        add_id(out, p->at[k].block);
        text_add_literal(out, " },");
    }
    end_table(out, p->n);
}

static void add_pattern(Text *out, uint32_t k, const RtPattern *p)
{
    char name[64];
    uint32_t n = (uint32_t)p->n;
    snprintf(name, sizeof name, "start_of_%u", (unsigned)k);
    add_ints(out, name, p->start, n + 1);
    snprintf(name, sizeof name, "rows_of_%u", (unsigned)k);
    add_ints(out, name, p->row, (uint32_t)p->start[n]);
    snprintf(name, sizeof name, "order_of_%u", (unsigned)k);
    add_ints(out, name, p->order, n);
    snprintf(name, sizeof name, "diagonal_of_%u", (unsigned)k);
    if (p->diagonal) add_ints(out, name, p->diagonal, n);
    text_printf(out,
                "static const RtPattern pattern_of_%u = { %d, start_of_%u, rows_of_%u, order_of_%u, %s };\n",
                (unsigned)k, p->n, (unsigned)k, (unsigned)k, (unsigned)k, p->diagonal ? name : "NULL");
}

static void add_blocks(Text *out, const RunModel *m)
{
    char name[64];
    for (uint32_t k = 0; k < m->block_count; k++) {
        snprintf(name, sizeof name, "vars_of_%u", (unsigned)k);
        add_ids(out, name, m->blocks[k].vars, (uint32_t)m->blocks[k].n);
        snprintf(name, sizeof name, "eqs_of_%u", (unsigned)k);
        add_ids(out, name, m->blocks[k].eqs, (uint32_t)m->blocks[k].n);
        if (m->blocks[k].pattern) add_pattern(out, k, m->blocks[k].pattern);
    }
    begin_table(out, "RunBlock", "blocks");
    for (uint32_t k = 0; k < m->block_count; k++) {
        const RunBlock *b = &m->blocks[k];
        text_printf(out, "\n    { %s, %d, vars_of_%u, eqs_of_%u, %" PRIu32 ", %" PRIu32 ", ",
                    b->is_linear ? "true" : "false", b->n, (unsigned)k, (unsigned)k, b->residual,
                    b->jacobian);
        add_id(out, b->tangent);
        text_printf(out, ", %" PRIu32 ", %" PRIu32 ", ", b->tearing, b->lu);
        if (b->pattern)
            text_printf(out, "&pattern_of_%u", (unsigned)k);
        else
            text_add_literal(out, "NULL");
        text_printf(out, ", %" PRIu32 " },", b->sparse);
    }
    end_table(out, m->block_count);
}

static void add_gradients(Text *out, const char *name, const RunGradient *at, uint32_t n)
{
    begin_table(out, "RunGradient", name);
    for (uint32_t k = 0; k < n; k++) {
        text_printf(out, "\n    { %" PRIu32 ", ", at[k].run);
        add_id(out, at[k].block);
        text_printf(out, ", %" PRIu32 ", %" PRIu32 " },", at[k].place, at[k].columns);
    }
    end_table(out, n);
}

static void add_sets(Text *out, const RunModel *m)
{
    char name[64];
    for (uint32_t k = 0; k < m->set_count; k++) {
        const RunSet *s = &m->sets[k];
        uint32_t states = s->columns - s->rows;
        snprintf(name, sizeof name, "set_vars_%u", (unsigned)k);
        add_ids(out, name, s->vars, s->columns);
        snprintf(name, sizeof name, "set_states_%u", (unsigned)k);
        add_ids(out, name, s->states, states);
        snprintf(name, sizeof name, "set_selectors_%u", (unsigned)k);
        add_ids(out, name, s->selectors, states * s->columns);
    }
    begin_table(out, "RunSet", "sets");
    for (uint32_t k = 0; k < m->set_count; k++)
        text_printf(out, "\n    { %" PRIu32 ", %" PRIu32 ", set_vars_%u, set_states_%u, set_selectors_%u },",
                    m->sets[k].rows, m->sets[k].columns, (unsigned)k, (unsigned)k, (unsigned)k);
    end_table(out, m->set_count);
}

static void add_checks(Text *out, const RunModel *m)
{
    begin_table(out, "RunCheck", "checks");
    for (uint32_t k = 0; k < m->check_count; k++) {
        text_printf(out, "\n    { %u, ", (unsigned)m->checks[k].flags);
        add_id(out, m->checks[k].text);
        text_add_literal(out, ", ");
        add_string(out, m->checks[k].message ? m->checks[k].message : "");
        text_add_literal(out, " },");
    }
    end_table(out, m->check_count);
    begin_table(out, "RunRedundant", "redundants");
    uint32_t total = 0;
    for (uint32_t k = 0; k < m->redundant_count; k++) {
        const RunRedundant *r = &m->redundants[k];
        text_printf(out, "\n    { %s, ", r->is_start ? "true" : "false");
        add_id(out, r->name);
        text_printf(out, ", %" PRIu32 ", %" PRIu32 ", %" PRIu32 " },", r->first, r->n, r->eq);
        total += r->n;
    }
    end_table(out, m->redundant_count);
    add_ids(out, "redundant_vars", m->redundant_vars, total);
    begin_table(out, "RunDivisor", "divisors");
    for (uint32_t k = 0; k < m->divisor_count; k++)
        text_printf(out, " { %" PRIu32 ", %" PRIu32 " },", m->divisors[k].var, m->divisors[k].eq);
    end_table(out, m->divisor_count);
}

static void add_tape(Text *out, const RunTape *t, uint32_t functions)
{
    char name[64];
    uint32_t rows = 0, entries = 0;
    for (int p = 0; p < SECTION_COUNT; p++)
        for (uint32_t k = 0; k < t->sections[p].step_count; k++) {
            const TapeStep *s = &t->sections[p].steps[k];
            if (s->first + s->n + s->tear_n > rows) rows = s->first + s->n + s->tear_n;
        }
    begin_table(out, "TapeRow", "tape_rows");
    for (uint32_t k = 0; k < rows; k++) {
        text_printf(out, "%s{ ", k % 4 ? " " : "\n    ");
        add_id(out, t->rows[k].target);
        text_printf(out, ", %" PRIu32 ", %" PRIu32 " },", t->rows[k].first, t->rows[k].n);
        if (t->rows[k].first + t->rows[k].n > entries) entries = t->rows[k].first + t->rows[k].n;
    }
    end_table(out, rows);
    begin_table(out, "TapeEntry", "tape_entries");
    for (uint32_t k = 0; k < entries; k++)
        text_printf(out, "%s{ %" PRIu32 ", %" PRIu32 " },", k % 8 ? " " : "\n    ", t->entries[k].column,
                    t->entries[k].place);
    end_table(out, entries);
    add_reals(out, "tape_constants", t->constants, t->constant_count);
    add_ids(out, "tape_discrete", t->discrete, t->discrete_count);
    for (int p = 0; p < SECTION_COUNT; p++) {
        const RunSection *section = &t->sections[p];
        for (uint32_t k = 0; k < section->step_count; k++) {
            if (!section->steps[k].tear_n) continue;
            snprintf(name, sizeof name, "tears_%d_%u", p, (unsigned)k);
            add_ids(out, name, section->steps[k].tears, section->steps[k].tear_n);
        }
        snprintf(name, sizeof name, "partials_%d", p);
        add_ids(out, name, section->partials, section->partial_count);
        snprintf(name, sizeof name, "tape_steps_%d", p);
        begin_table(out, "TapeStep", name);
        for (uint32_t k = 0; k < section->step_count; k++) {
            const TapeStep *s = &section->steps[k];
            text_printf(out, "\n    { %" PRIu32 ", %" PRIu32 ", %" PRIu32 ", ", s->first, s->n, s->tear_n);
            if (s->tear_n)
                text_printf(out, "tears_%d_%u", p, (unsigned)k);
            else
                text_add_literal(out, "NULL");
            text_printf(out, ", %" PRIu32 ", %" PRIu32 " },", s->lu, s->pivot);
        }
        end_table(out, section->step_count);
    }
    for (int k = 0; k < RUN_DIRECTIONS; k++) {
        const RunDirection *d = &t->directions[k];
        snprintf(name, sizeof name, "direction_%d", k);
        add_gradients(out, name, d->steps, d->step_count);
        snprintf(name, sizeof name, "targets_%d", k);
        add_ids(out, name, d->targets, d->target_count);
    }
    text_printf(out, "static const RunEntries tape_code = { d_entries, %" PRIu32 " };\n", functions);
    text_add_literal(out,
                     "static const RunTape tape = {\n    .code = &tape_code,\n    .entries = tape_entries,\n"
                     "    .rows = tape_rows,\n    .sections = {\n");
    for (int p = 0; p < SECTION_COUNT; p++)
        text_printf(out, "        { tape_steps_%d, %" PRIu32 ", partials_%d, %" PRIu32 " },\n", p,
                    t->sections[p].step_count, p, t->sections[p].partial_count);
    text_add_literal(out, "    },\n    .directions = {\n");
    for (int k = 0; k < RUN_DIRECTIONS; k++)
        text_printf(out, "        { direction_%d, %" PRIu32 ", targets_%d, %" PRIu32 " },\n", k,
                    t->directions[k].step_count, k, t->directions[k].target_count);
    text_printf(out,
                "    },\n    .columns = %" PRIu32 ", .time = %" PRIu32 ", .pre = %" PRIu32
                ", .indicators = %" PRIu32 ", .resets = %" PRIu32
                ",\n    .constants = tape_constants, .constant_count = %" PRIu32 ",\n    .lus = %" PRIu32
                ", .pivots = %" PRIu32 ", .largest = %" PRIu32
                ",\n    .has_unknown_parameters = %s, .times = %" PRIu32
                ",\n    .discrete = tape_discrete, .discrete_count = %" PRIu32 ",\n};\n",
                t->columns, t->time, t->pre, t->indicators, t->resets, t->constant_count, t->lus, t->pivots,
                t->largest, t->has_unknown_parameters ? "true" : "false", t->times, t->discrete_count);
}

/* Lists of the model. */
typedef enum { LIST_BYTES, LIST_IDS, LIST_REALS, LIST_NAMES } ListKind;
static const struct {
    const char *name;
    size_t at, count;
    ListKind kind;
} lists[] = {
#define LIST(name, count, kind)                                          \
    {                                                                    \
#name, offsetof(RunModel, name), offsetof(RunModel, count), kind \
    }
    LIST(role, var_count, LIST_BYTES),
    LIST(traits, var_count, LIST_BYTES),
    LIST(name, var_count, LIST_NAMES),
    LIST(start, var_count, LIST_REALS),
    LIST(nominal, var_count, LIST_REALS),
    LIST(min, var_count, LIST_REALS),
    LIST(max, var_count, LIST_REALS),
    LIST(states, state_count, LIST_IDS),
    LIST(rates, state_count, LIST_IDS),
    LIST(parameter_vars, parameter_count, LIST_IDS),
    LIST(relation_is_time, relation_count, LIST_BYTES),
    LIST(indicator_of, relation_count, LIST_IDS),
    LIST(relation_var, relation_count, LIST_IDS),
    LIST(reinit_vars, reinit_count, LIST_IDS),
    LIST(discrete_vars, discrete_count, LIST_IDS),
    LIST(discrete_initial_vars, discrete_initial_count, LIST_IDS),
    LIST(history_flags, history_count, LIST_BYTES),
    LIST(history_points, history_count, LIST_IDS),
#undef LIST
};

static void add_list(Text *out, const RunModel *m, size_t k)
{
    const void *at;
    uint32_t n;
    memcpy(&at, (const char *)m + lists[k].at, sizeof at);
    memcpy(&n, (const char *)m + lists[k].count, sizeof n);
    switch (lists[k].kind) {
    case LIST_BYTES: add_bytes(out, lists[k].name, at, n); break;
    case LIST_IDS: add_ids(out, lists[k].name, at, n); break;
    case LIST_REALS: add_reals(out, lists[k].name, at, n); break;
    case LIST_NAMES: add_names(out, lists[k].name, at, n); break;
    }
}

static void add_lists(Exporting *x, Text *out)
{
    const RunModel *m = x->run;
    for (size_t k = 0; k < COUNT_OF(lists); k++) add_list(out, m, k);
    begin_table(out, "RunVariable", "variables");
    for (uint32_t k = 0; k < x->extended.n; k++)
        text_printf(out, "%s{ %" PRIu32 ", %u },", k % 8 ? " " : "\n    ", x->extended.at[k].var,
                    (unsigned)x->extended.at[k].flags);
    end_table(out, x->extended.n);
    if (m->jacobian_start) {
        add_ints(out, "jacobian_start", m->jacobian_start, m->state_count + 1);
        add_ints(out, "jacobian_row", m->jacobian_row, (uint32_t)m->jacobian_start[m->state_count]);
    }
    if (m->gradients) add_gradients(out, "gradients", m->gradients, m->gradient_count);
    if (m->constant_gradients)
        add_gradients(out, "constant_gradients", m->constant_gradients, m->constant_gradient_count);
    if (m->colour_start) {
        add_ints(out, "colour_start", m->colour_start, (uint32_t)m->colours + 1);
        add_ints(out, "colour_column", m->colour_column, (uint32_t)m->colour_start[m->colours]);
    }
}

/* Numbers of the model: functions and counts. */
static const struct {
    const char *name;
    size_t at;
} fields[] = {
#define FIELD(name)                     \
    {                                   \
#name, offsetof(RunModel, name) \
    }
    FIELD(var_count),
    FIELD(state_count),
    FIELD(parameters),
    FIELD(destroy),
    FIELD(first),
    FIELD(relations),
    FIELD(indicators),
    FIELD(times),
    FIELD(discrete),
    FIELD(discrete_initial),
    FIELD(fire),
    FIELD(effects),
    FIELD(constraints),
    FIELD(redundant),
    FIELD(histories),
    FIELD(late),
    FIELD(block_count),
    FIELD(sparse_count),
    FIELD(tearing_count),
    FIELD(lus),
    FIELD(largest),
    FIELD(parameter_count),
    FIELD(relation_count),
    FIELD(indicator_count),
    FIELD(sample_count),
    FIELD(reinit_count),
    FIELD(check_count),
    FIELD(effect_count),
    FIELD(asserts),
    FIELD(warnings),
    FIELD(discrete_count),
    FIELD(discrete_initial_count),
    FIELD(history_count),
    FIELD(set_count),
    FIELD(redundant_count),
    FIELD(divisor_count),
#undef FIELD
};

static void add_model(Exporting *x, Text *out)
{
    const RunModel *m = x->run;
    text_printf(out, "static const RunEntries code = { m_entries, %" PRIu32 " };\n",
                gen_module(x->compiled)->functions.n);
    text_add_literal(out,
                     "static const RunModel run = {\n    .code = &code,\n    .call = run_call_entries,\n");
    text_printf(out, "    .variable_count = %" PRIu32 ", .variables = variables,\n    .memory_size = {",
                x->extended.n);
    for (int k = 0; k < MEM_COUNT; k++) text_printf(out, " %" PRIu32 ",", m->memory_size[k]);
    text_add_literal(out, " },\n    .memory = {");
    for (int k = 0; k < MEM_COUNT; k++) text_printf(out, " %" PRIu32 ",", m->memory[k]);
    text_add_literal(out, " },\n");
    for (size_t k = 0; k < COUNT_OF(fields); k++) {
        uint32_t value;
        memcpy(&value, (const char *)m + fields[k].at, sizeof value);
        text_printf(out, "    .%s = ", fields[k].name);
        add_id(out, value);
        text_add_literal(out, ",\n");
    }
    for (size_t k = 0; k < COUNT_OF(lists); k++)
        text_printf(out, "    .%s = %s,\n", lists[k].name, lists[k].name);
    text_printf(out,
                "    .initial = { initial, %" PRIu32 " }, .constants = { constants, %" PRIu32
                " },\n    .derivatives = { derivatives, %" PRIu32 " }, .rest = { rest, %" PRIu32 " },\n",
                m->initial.n, m->constants.n, m->derivatives.n, m->rest.n);
    text_add_literal(out, "    .blocks = blocks, .checks = checks, .sets = sets, .redundants = redundants,\n"
                          "    .redundant_vars = redundant_vars, .divisors = divisors,\n");
    text_printf(out, "    .has_terminal = %s,\n", m->has_terminal ? "true" : "false");
    if (m->jacobian_start)
        text_add_literal(out, "    .jacobian_start = jacobian_start, .jacobian_row = jacobian_row,\n");
    if (m->gradients)
        text_printf(
            out, "    .gradients = gradients, .gradient_count = %" PRIu32 ", .gradients_need_values = %s,\n",
            m->gradient_count, m->gradients_need_values ? "true" : "false");
    if (m->constant_gradients)
        text_printf(out,
                    "    .constant_gradients = constant_gradients, .constant_gradient_count = %" PRIu32 ",\n",
                    m->constant_gradient_count);
    if (m->colour_start)
        text_printf(out, "    .colour_start = colour_start, .colour_column = colour_column, .colours = %d,\n",
                    m->colours);
    text_printf(out, "%s};\n", x->has_products ? "    .tape = &tape,\n" : "");
}

/* ---- the unit -------------------------------------------------------------------------------- */

static void add_flags(const ExportVariable *v, Text *out)
{
    static const char *const types[] = { "UNIT_REAL", "UNIT_INTEGER", "UNIT_BOOLEAN", "UNIT_ENUMERATION",
                                         "UNIT_STRING" };
    text_printf(out, "%s, 0", types[v->type]);
    if (v->causality == CAUSALITY_PARAMETER) text_add_literal(out, " | UNIT_PARAMETER");
    if (v->variability == IS_TUNABLE && v->causality == CAUSALITY_PARAMETER)
        text_add_literal(out, " | UNIT_TUNABLE");
    if (v->causality == CAUSALITY_INPUT) text_add_literal(out, " | UNIT_INPUT");
    if (v->causality == CAUSALITY_INPUT && v->variability == IS_DISCRETE)
        text_add_literal(out, " | UNIT_DISCRETE");
    if (v->causality == CAUSALITY_INDEPENDENT) text_add_literal(out, " | UNIT_INDEPENDENT");
    if (v->is_indicator) text_add_literal(out, " | UNIT_INDICATOR");
    if (v->state != NONE) text_add_literal(out, " | UNIT_IS_STATE");
    bool starts = v->initial == INITIAL_EXACT || v->initial == INITIAL_APPROX;
    if (starts && v->causality != CAUSALITY_PARAMETER && v->variability > IS_TUNABLE)
        text_add_literal(out, " | UNIT_START");
}

static void add_unit(Exporting *x, Text *out)
{
    add_ids(out, "elements", x->elements.at, x->elements.n);
    begin_table(out, "UnitVariable", "unit_variables");
    for (uint32_t k = 0; k < x->reference_count; k++) {
        const ExportVariable *v = &x->variables.at[x->by_reference[k]];
        text_add_literal(out, "\n    { ");
        add_flags(v, out);
        text_printf(out, ", %" PRIu32 ", %" PRIu32 " },", v->first, v->n);
    }
    end_table(out, x->reference_count);
    begin_table(out, "UnitResource", "resources");
    for (uint32_t k = 0; k < x->resources.n; k++) {
        text_add_literal(out, "\n    { ");
        add_string(out, x->resources.at[k].file);
        text_add_literal(out, ", ");
        add_string(out, x->resources.at[k].name);
        text_add_literal(out, ", ");
        add_string(out, x->resources.at[k].resource);
        text_add_literal(out, " },");
    }
    end_table(out, x->resources.n);
    text_add_literal(out, "const UnitModel unit_model = {\n    .run = &run,\n    .name = ");
    add_string(out, x->shape->name);
    text_add_literal(out, ",\n    .token = ");
    add_string(out, x->token);
    text_printf(out,
                ",\n    .variables = unit_variables, .variable_count = %" PRIu32
                ",\n    .elements = elements,\n",
                x->reference_count);
    text_printf(out, "    .resources = resources, .resource_count = %" PRIu32 ",\n    .solver = \"%s\",\n",
                x->resources.n, x->solver);
    double span =
        (isnan(x->options->stop) ? 1 : x->options->stop) - (isnan(x->options->start) ? 0 : x->options->start);
    text_add_literal(out, "    .tolerance = ");
    add_real(out, isnan(x->options->tolerance) ? 1e-6 : x->options->tolerance);
    text_add_literal(out, ", .step = ");
    add_real(out, isnan(x->options->interval) ? (span > 0 ? span / 500 : 0.002) : x->options->interval);
    text_printf(out, ",\n    .has_objects = %d,\n};\n", x->has_objects);
}

void export_write_c(Exporting *x, Text *out)
{
    const RunModel *m = x->run;
    text_add_literal(out, "/* Made by Acausal from a model: code and tables. Compile with -ffp-contract=off "
                          "-fno-builtin for the same bits. */\n");
    text_add_literal(out, "#include \"unit/unit.h\"\n\n");
    ir_print_c(gen_module(x->compiled), &(IrCStyle){ .prefix = "m_" }, out);
    if (x->has_products) text_add_literal(out, "extern const RtEntry d_entries[]; /* of derivatives.c */\n");
    add_lists(x, out);
    add_program(out, "initial", &m->initial);
    add_program(out, "constants", &m->constants);
    add_program(out, "derivatives", &m->derivatives);
    add_program(out, "rest", &m->rest);
    add_blocks(out, m);
    add_sets(out, m);
    add_checks(out, m);
    if (x->has_products) add_tape(out, m->tape, gen_tape_module(x->compiled)->functions.n);
    add_model(x, out);
    add_unit(x, out);
}
