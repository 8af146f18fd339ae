/* analyze.c: what translation made of a model, for people and as JSON: index, states and why,
 * blocks, tearing, sparsity, relations, code; and the pictures of draw.c as files.
 *
 * In: a translated model. Out: a report. Why a variable is a state is read off the system: where
 * its derivative is in no differentiated equation nothing constrains it; else it was chosen among
 * the others in that equation. Cost: linear in the system. Tests: tests/cli/analyze.sh. */
#include "api/analyze.h"

#include <stdio.h>

enum { MOST_LISTED = 40, MOST_TEARING = 8 };

static const char *const selects[] = { "never", "avoid", "default", "prefer", "always" };
static const char *const block_kinds[] = { "assignment", "linear", "nonlinear" };

/* "M.mo:12", or "" for what is in no text. */
const char *analysis_place(const Report *r, Span span)
{
    Place place;
    if (!source_place(r->session->sources, span, &place)) return "";
    return arena_printf(r->arena, "%s:%u", place.path, (unsigned)place.line);
}

uint32_t analysis_times_differentiated(const System *s, uint32_t e)
{
    uint32_t n = 0;
    for (; s->eqs.at[e].der_of != NONE; e = s->eqs.at[e].der_of) n++;
    return n;
}

static uint32_t root_of(uint32_t *parent, uint32_t e)
{
    while (parent[e] != e) e = parent[e] = parent[parent[e]];
    return e;
}

/* Differentiated equations that share a derivative belong together; the constraint among them is
 * the one that was differentiated most often, others only had to follow. */
static void find_constraints(Report *r)
{
    const System *s = r->s;
    uint32_t *parent = NEW_ARRAY(r->arena, uint32_t, s->eqs.n + 1);
    uint32_t *most = NEW_ARRAY(r->arena, uint32_t, s->eqs.n + 1);
    r->constraint = NEW_ARRAY(r->arena, uint32_t, s->vars.n + 1);
    memset(r->constraint, 0xff, s->vars.n * sizeof *r->constraint);
    for (uint32_t e = 0; e < s->eqs.n; e++) {
        const Gradient *g = &s->eqs.at[e].gradient;
        parent[e] = e;
        for (uint32_t k = 0; k < g->n && s->eqs.at[e].der_of != NONE; k++) {
            uint32_t *owner = &r->constraint[g->at[k].var];
            if (s->vars.at[g->at[k].var].der_of == NONE) continue;
            if (*owner == NONE) *owner = e;
            parent[root_of(parent, e)] = root_of(parent, *owner);
        }
    }
    for (uint32_t e = 0; e < s->eqs.n; e++) most[e] = e;
    for (uint32_t e = 0; e < s->eqs.n; e++) {
        uint32_t *best = &most[root_of(parent, e)];
        if (analysis_times_differentiated(s, e) > analysis_times_differentiated(s, *best)) *best = e;
    }
    for (uint32_t v = 0; v < s->vars.n; v++) {
        if (r->constraint[v] == NONE) continue;
        uint32_t e = most[root_of(parent, r->constraint[v])];
        while (s->eqs.at[e].der_of != NONE) e = s->eqs.at[e].der_of;
        r->constraint[v] = e;
    }
    r->group = NEW_ARRAY(r->arena, uint32_t, s->eqs.n + 1);
    for (uint32_t e = 0; e < s->eqs.n; e++) {
        uint32_t c = most[root_of(parent, e)];
        while (s->eqs.at[c].der_of != NONE) c = s->eqs.at[c].der_of;
        r->group[e] = s->eqs.at[e].der_of == NONE ? NONE : c;
    }
}

/* A state made for a dynamic state set: which variables it may be. */
static const char *why_selected(const Report *r, uint32_t v)
{
    const System *s = r->s;
    Text text = { .arena = r->arena };
    text_add_literal(&text, "chosen while the model runs, of");
    for (uint32_t i = 0; i < s->sets.n; i++) {
        const DaeStateSet *set = &s->sets.at[i];
        bool is_here = false;
        for (uint32_t k = 0; k < set->columns - set->rows; k++) is_here |= set->states[k] == v;
        for (uint32_t k = 0; k < set->columns && is_here; k++)
            text_printf(&text, "%s %s", k ? "," : "", s->vars.at[set->vars[k]].name);
    }
    const char *place = analysis_place(r, s->vars.at[v].span);
    text_printf(&text, ", under the constraint%s%s", *place ? " at " : "", place);
    return text.at;
}

static const char *why_state(const Report *r, uint32_t v)
{
    const DaeVar *u = &r->s->vars.at[v];
    if (u->in_set) return why_selected(r, v);
    uint32_t e = r->constraint[u->der];
    if (e == NONE) return "it is differentiated, and nothing constrains it";
    const char *place = analysis_place(r, r->s->eqs.at[e].span);
    const char *why = u->select > SELECT_DEFAULT
                          ? arena_printf(r->arena, "stateSelect = %s", selects[u->select])
                      : u->is_fixed ? "its start value is fixed"
                                    : "the constraint is better solved for another";
    return arena_printf(r->arena, "chosen under the constraint%s%s: %s", *place ? " at " : "", place, why);
}

static const char *why_not(const Report *r, uint32_t v)
{
    const DaeVar *u = &r->s->vars.at[v];
    uint32_t e = r->constraint[u->der];
    const char *place = e == NONE ? "" : analysis_place(r, r->s->eqs.at[e].span);
    return arena_printf(r->arena, "the constraint%s%s gives it%s%s", *place ? " at " : "", place,
                        u->select < SELECT_DEFAULT ? ", and stateSelect = " : "",
                        u->select < SELECT_DEFAULT ? selects[u->select] : "");
}

/* Differentiated, but not a state. */
bool analysis_gives_up(const System *s, uint32_t v)
{
    return s->vars.at[v].der != NONE && s->vars.at[v].role == ROLE_ALGEBRAIC && !s->vars.at[v].in_set;
}

const char *analysis_relation(const Report *r, const DaeRelation *relation)
{
    Text text = { .arena = r->arena };
    dae_print_expr(r->s, relation->left, &text);
    text_printf(&text, " %s ", sym_text((SymOp)relation->op));
    dae_print_expr(r->s, relation->right, &text);
    return text.at;
}

typedef struct {
    uint32_t of[3], torn, largest; /* of: by BlockKind */
} BlockCount;

static BlockCount count_blocks(const Sequence *q)
{
    BlockCount n = { 0 };
    for (uint32_t k = 0; k < q->blocks.n; k++) {
        const DaeBlock *b = &q->blocks.at[k];
        n.of[b->kind]++;
        n.torn += b->tear_n;
        if (b->n + b->tear_n > n.largest) n.largest = b->n + b->tear_n;
    }
    return n;
}

static double share(uint64_t part, uint64_t whole) { return whole ? (double)part / (double)whole : 1.0; }

/* ---- text ------------------------------------------------------------------------------------ */

static void add_line(const Report *r, const char *label, const char *format, ...) PRINTF_LIKE(3, 4);

static void add_line(const Report *r, const char *label, const char *format, ...)
{
    va_list args;
    text_printf(r->out, "%-22s ", label);
    va_start(args, format);
    text_vprintf(r->out, format, args);
    va_end(args);
    text_add_literal(r->out, "\n");
}

static void add_rest(const Report *r, uint32_t n)
{
    if (n > MOST_LISTED) text_printf(r->out, "  ... and %u more\n", (unsigned)(n - MOST_LISTED));
}

static void text_states(const Report *r)
{
    const System *s = r->s;
    uint32_t n = 0;
    add_line(r, "states", "%u", (unsigned)s->states.n);
    for (uint32_t i = 0; i < s->states.n && i < MOST_LISTED; i++)
        text_printf(r->out, "  %-20s %s\n", s->vars.at[s->states.at[i]].name, why_state(r, s->states.at[i]));
    add_rest(r, s->states.n);
    for (uint32_t v = 0; v < s->vars.n; v++) {
        if (!analysis_gives_up(s, v)) continue;
        if (!n++) text_add_literal(r->out, "differentiated, not states\n");
        if (n <= MOST_LISTED) text_printf(r->out, "  %-20s %s\n", s->vars.at[v].name, why_not(r, v));
    }
    add_rest(r, n);
}

static void text_blocks(const Report *r, const char *label, const Sequence *q)
{
    BlockCount n = count_blocks(q);
    uint32_t shown = 0;
    add_line(r, label, "%u assignments, %u linear and %u nonlinear blocks, largest %u, torn %u",
             (unsigned)n.of[BLOCK_ASSIGN], (unsigned)n.of[BLOCK_LINEAR], (unsigned)n.of[BLOCK_NONLINEAR],
             (unsigned)n.largest, (unsigned)n.torn);
    for (uint32_t k = 0; k < q->blocks.n; k++) {
        const DaeBlock *b = &q->blocks.at[k];
        if (b->kind == BLOCK_ASSIGN || shown++ >= MOST_LISTED) continue;
        text_printf(r->out, "  block %-6u %s, %u equation%s, tearing variables:", (unsigned)k + 1,
                    block_kinds[b->kind], (unsigned)(b->n + b->tear_n), b->n + b->tear_n == 1 ? "" : "s");
        for (uint32_t i = 0; i < b->tear_n && i < MOST_TEARING; i++)
            text_printf(r->out, "%s %s", i ? "," : "", r->s->vars.at[q->tears.at[b->tear_first + i]].name);
        if (b->tear_n > MOST_TEARING) text_printf(r->out, ", ... (%u)", (unsigned)b->tear_n);
        text_add_literal(r->out, "\n");
    }
    add_rest(r, shown);
}

static void text_jacobian(const Report *r)
{
    const Pattern *p = r->t->model->shape.pattern;
    double n = (double)r->s->states.n;
    add_line(r, "Jacobian", "%u x %u, %llu entries (%.3g %%), %u colours, made %s", (unsigned)r->s->states.n,
             (unsigned)r->s->states.n, (unsigned long long)r->code.jacobian_entries,
             n > 0 ? 100 * (double)r->code.jacobian_entries / (n * n) : 0.0, (unsigned)r->code.colours,
             r->code.one_pass ? "in one pass" : "by colours");
    if (p) {
        int lower, upper;
        pattern_bandwidth(p, &lower, &upper);
        add_line(r, "band", "%d below, %d above the diagonal", lower, upper);
    }
    add_line(r, "exact entries", "%.6g %%", 100 * share(r->code.exact_entries, r->code.jacobian_entries));
}

static void text_events(const Report *r)
{
    const System *s = r->s;
    add_line(r, "relations", "%u", (unsigned)s->relations.n);
    for (uint32_t i = 0; i < s->relations.n && i < MOST_LISTED; i++) {
        const char *place = analysis_place(r, s->relations.at[i].span);
        text_printf(r->out, "  %s%s%s%s%s\n", analysis_relation(r, &s->relations.at[i]),
                    s->relations.at[i].is_time ? " (time event)" : "", *place ? " (" : "", place,
                    *place ? ")" : "");
    }
    add_rest(r, s->relations.n);
    add_line(r, "samples", "%u", (unsigned)s->samples.n);
    add_line(r, "discrete variables", "%u", (unsigned)s->discrete.n);
    add_line(r, "reinits, checks", "%u, %u", (unsigned)s->reinits.n, (unsigned)s->checks.n);
}

static void write_text(const Report *r)
{
    const DaeStats *n = &r->s->stats;
    add_line(r, "model", "%s", r->s->flat->name);
    add_line(r, "equations, unknowns", "%u, %u (%u aliases removed)", (unsigned)n->equations,
             (unsigned)n->unknowns, (unsigned)n->aliases);
    add_line(r, "index", "%u (%u equations differentiated, %u dummy derivatives)", (unsigned)n->index,
             (unsigned)n->differentiated, (unsigned)n->dummies);
    text_states(r);
    text_blocks(r, "continuous", &r->s->continuous);
    text_blocks(r, "initial", &r->s->initial);
    text_jacobian(r);
    text_events(r);
    add_line(r, "code", "%s, %zu bytes, %u statements, %.6g %% native",
             r->code.backend == IR_NATIVE ? "native" : "interpreter", r->code.code_size,
             (unsigned)r->code.instructions, 100 * share(r->code.native, r->code.instructions));
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void json_string(const Report *r, const char *key, const char *value)
{
    text_printf(r->out, "\"%s\":", key);
    text_add_json(r->out, str_of(value));
}

static void json_comma(const Report *r, bool *is_first)
{
    if (!*is_first) text_add_literal(r->out, ",");
    *is_first = false;
}

static void json_choice(const Report *r, uint32_t v, const char *why, bool *is_first)
{
    const DaeVar *u = &r->s->vars.at[v];
    json_comma(r, is_first);
    text_add_literal(r->out, "{");
    json_string(r, "name", u->name);
    text_add_literal(r->out, ",");
    json_string(r, "state_select", selects[u->select]);
    text_printf(r->out, ",\"fixed\":%s,", u->is_fixed ? "true" : "false");
    json_string(r, "why", why);
    text_add_literal(r->out, "}");
}

static void json_states(const Report *r)
{
    const System *s = r->s;
    bool is_first = true;
    text_add_literal(r->out, ",\"states\":[");
    for (uint32_t i = 0; i < s->states.n; i++)
        json_choice(r, s->states.at[i], why_state(r, s->states.at[i]), &is_first);
    text_add_literal(r->out, "],\"not_states\":[");
    is_first = true;
    for (uint32_t v = 0; v < s->vars.n; v++)
        if (analysis_gives_up(s, v)) json_choice(r, v, why_not(r, v), &is_first);
    text_add_literal(r->out, "]");
}

static void json_blocks(const Report *r, const char *key, const Sequence *q)
{
    BlockCount n = count_blocks(q);
    bool is_first = true;
    text_printf(
        r->out,
        ",\"%s\":{\"assignments\":%u,\"linear\":%u,\"nonlinear\":%u,\"largest\":%u,\"torn\":%u,\"blocks\":[",
        key, (unsigned)n.of[BLOCK_ASSIGN], (unsigned)n.of[BLOCK_LINEAR], (unsigned)n.of[BLOCK_NONLINEAR],
        (unsigned)n.largest, (unsigned)n.torn);
    for (uint32_t k = 0; k < q->blocks.n; k++) {
        const DaeBlock *b = &q->blocks.at[k];
        if (b->kind == BLOCK_ASSIGN) continue;
        json_comma(r, &is_first);
        text_printf(r->out, "{\"number\":%u,\"kind\":\"%s\",\"size\":%u,\"tearing\":[", (unsigned)k + 1,
                    block_kinds[b->kind], (unsigned)(b->n + b->tear_n));
        for (uint32_t i = 0; i < b->tear_n; i++) {
            if (i) text_add_literal(r->out, ",");
            text_add_json(r->out, str_of(r->s->vars.at[q->tears.at[b->tear_first + i]].name));
        }
        text_add_literal(r->out, "]}");
    }
    text_add_literal(r->out, "]}");
}

static void json_events(const Report *r)
{
    const System *s = r->s;
    bool is_first = true;
    text_add_literal(r->out, ",\"relations\":[");
    for (uint32_t i = 0; i < s->relations.n; i++) {
        json_comma(r, &is_first);
        text_add_literal(r->out, "{");
        json_string(r, "text", analysis_relation(r, &s->relations.at[i]));
        text_add_literal(r->out, ",");
        json_string(r, "place", analysis_place(r, s->relations.at[i].span));
        text_printf(r->out, ",\"time_event\":%s}", s->relations.at[i].is_time ? "true" : "false");
    }
    text_printf(r->out, "],\"samples\":%u,\"discrete\":%u,\"reinits\":%u,\"checks\":%u",
                (unsigned)s->samples.n, (unsigned)s->discrete.n, (unsigned)s->reinits.n,
                (unsigned)s->checks.n);
}

static void write_json(const Report *r)
{
    const DaeStats *n = &r->s->stats;
    text_add_literal(r->out, "{");
    json_string(r, "model", r->s->flat->name);
    text_printf(r->out,
                ",\"equations\":%u,\"unknowns\":%u,\"aliases\":%u,\"index\":%u,\"differentiated\":%u,"
                "\"dummy_derivatives\":%u",
                (unsigned)n->equations, (unsigned)n->unknowns, (unsigned)n->aliases, (unsigned)n->index,
                (unsigned)n->differentiated, (unsigned)n->dummies);
    json_states(r);
    json_blocks(r, "continuous", &r->s->continuous);
    json_blocks(r, "initial", &r->s->initial);
    text_printf(
        r->out,
        ",\"jacobian\":{\"n\":%u,\"entries\":%llu,\"colours\":%u,\"one_pass\":%s,\"exact_share\":%.9g}",
        (unsigned)r->s->states.n, (unsigned long long)r->code.jacobian_entries, (unsigned)r->code.colours,
        r->code.one_pass ? "true" : "false", share(r->code.exact_entries, r->code.jacobian_entries));
    json_events(r);
    text_printf(r->out,
                ",\"code\":{\"backend\":\"%s\",\"bytes\":%zu,\"statements\":%u,\"native_share\":%.9g}}\n",
                r->code.backend == IR_NATIVE ? "native" : "interpreter", r->code.code_size,
                (unsigned)r->code.instructions, share(r->code.native, r->code.instructions));
}

/* ---- pictures -------------------------------------------------------------------------------- */

static void write_pictures(const Report *r, const char *directory)
{
    Text unsorted = { .arena = r->arena }, sorted = { .arena = r->arena }, blocks = { .arena = r->arena };
    draw_incidence(r->s, false, &unsorted);
    draw_incidence(r->s, true, &sorted);
    draw_blocks(r->s, &blocks);
    if (write_into(r->session, directory, "incidence.svg", &unsorted) &&
        write_into(r->session, directory, "sorted.svg", &sorted))
        write_into(r->session, directory, "blocks.svg", &blocks);
}

static void analysis_page(Report *r)
{
    Text analysis = { .arena = r->arena }, *out = r->out;
    r->out = &analysis;
    write_json(r);
    r->out = out;
    analysis_write_page(r, analysis.at);
}

void analysis_json(AcausalSession *session, const Translation *t, Text *out)
{
    Report r = { .session = session,
                 .t = t,
                 .s = t->system,
                 .code = gen_stats(t->compiled),
                 .out = out,
                 .arena = out->arena };
    find_constraints(&r);
    write_json(&r);
}

AcausalStatus acausal_analyze(AcausalSession *session, const char *source, const char *class_name,
                              AcausalFormat format, const char *svg_directory, AcausalWrite write, void *arg)
{
    Translation t;
    session->only_looks = true;
    bool ok = translate(session, source, class_name, NULL, 0, &t);
    session->only_looks = false;
    if (ok) {
        Text out = { .arena = t.arena };
        Report r = { .session = session,
                     .t = &t,
                     .s = t.system,
                     .code = gen_stats(t.compiled),
                     .out = &out,
                     .arena = t.arena };
        find_constraints(&r);
        if (format == ACAUSAL_HTML)
            analysis_page(&r);
        else if (format == ACAUSAL_JSON)
            write_json(&r);
        else
            write_text(&r);
        if (svg_directory) write_pictures(&r, svg_directory);
        write(arg, out.at, out.n);
    }
    translation_free(&t);
    return session_status(session);
}
