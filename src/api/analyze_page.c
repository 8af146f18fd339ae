/* analyze_page.c: the structure of a model as a page: blocks, index reduction, partitions.
 *
 * In: a report of analyze.c, as JSON too. Out: one HTML file that needs no other (page/). Texts of
 * equations come in the order of computing, as rows of draw_structure_json do. A partition is all
 * that changes for the same reasons: samples, clocks and relations, found by following what
 * discrete variables read; algebraic variables belong to those that they read, or to continuous
 * time. Always: systems above MOST_ROWS equations come without texts and partitions, which the page
 * says. Cost: linear in the expressions, and triggers times discrete variables in bits. Tests:
 * tests/cli/analyze.sh, tests/browser/analyze.mjs. */
#include "api/analyze.h"
#include "explain/explain.h"
#include "page/page.h"

#include <stdlib.h>

enum { MOST_ROWS = 6000, MOST_READS = 24, MOST_MEMBERS = 400, MOST_TEXT = 300, MOST_WORDS = 4000000 };

typedef struct {
    const Report *r;
    const System *s;
    ExplainModel words;
    Text *out;
} Page;

static void add_comma(const Page *p, bool *is_first)
{
    if (!*is_first) text_add_char(p->out, ',');
    *is_first = false;
}

static void add_text(const Page *p, const char *key, const char *value)
{
    text_printf(p->out, "\"%s\":", key);
    text_add_json(p->out, str_of(value));
}

static const char *equation_text(const Page *p, uint32_t e)
{
    Text text = { .arena = p->r->arena };
    dae_print_short(p->s, p->s->eqs.at[e].left, MOST_TEXT, &text);
    text_add_literal(&text, " = ");
    dae_print_short(p->s, p->s->eqs.at[e].right, MOST_TEXT, &text);
    return text.at;
}

/* ---- equations ------------------------------------------------------------------------------- */

static bool is_known(const DaeVar *v)
{
    return v->role == ROLE_STATE || v->role == ROLE_INPUT || v->role == ROLE_DISCRETE;
}

static void add_equation(const Page *p, uint32_t e, bool *is_first)
{
    const DaeEq *eq = &p->s->eqs.at[e];
    uint32_t n = 0;
    add_comma(p, is_first);
    text_add_char(p->out, '{');
    add_text(p, "source", words_of_equation(&p->words, e));
    text_add_char(p->out, ',');
    add_text(p, "text", equation_text(p, e));
    text_printf(p->out, ",\"times\":%u,\"reads\":[", (unsigned)analysis_times_differentiated(p->s, e));
    for (uint32_t k = 0; k < eq->gradient.n && n < MOST_READS; k++) {
        const DaeVar *v = &p->s->vars.at[eq->gradient.at[k].var];
        if (!is_known(v)) continue;
        if (n++) text_add_char(p->out, ',');
        text_add_json(p->out, str_of(v->name));
    }
    text_add_literal(p->out, "]}");
}

static void add_equations(const Page *p)
{
    const Sequence *q = &p->s->continuous;
    bool is_first = true;
    text_add_literal(p->out, ",\"equations\":[");
    for (uint32_t k = 0; k < q->blocks.n; k++) {
        const DaeBlock *b = &q->blocks.at[k];
        for (uint32_t i = 0; i < b->n; i++) add_equation(p, q->assigns.at[b->first + i].eq, &is_first);
        for (uint32_t i = 0; i < b->tear_n; i++)
            add_equation(p, q->residuals.at[b->tear_first + i], &is_first);
    }
    text_add_char(p->out, ']');
}

/* ---- index reduction ------------------------------------------------------------------------- */

/* Variables whose derivative the constraint binds: those given up, or those that stayed states. */
static void add_bound(const Page *p, const char *key, uint32_t constraint, bool given_up)
{
    bool is_first = true;
    text_printf(p->out, ",\"%s\":[", key);
    for (uint32_t v = 0; v < p->s->vars.n; v++) {
        const DaeVar *u = &p->s->vars.at[v];
        if (u->der == NONE || p->r->constraint[u->der] != constraint || u->in_set) continue;
        if (given_up ? !analysis_gives_up(p->s, v) : u->role != ROLE_STATE) continue;
        add_comma(p, &is_first);
        text_add_json(p->out, str_of(u->name));
    }
    text_add_char(p->out, ']');
}

/* Sets of which as many as there are constraints are given up while the model runs. */
static void add_sets(const Page *p, uint32_t constraint)
{
    bool is_first = true;
    text_add_literal(p->out, ",\"sets\":[");
    for (uint32_t i = 0; i < p->s->sets.n; i++) {
        const DaeStateSet *set = &p->s->sets.at[i];
        bool is_here = false;
        for (uint32_t k = 0; k < set->columns; k++) {
            uint32_t der = p->s->vars.at[set->vars[k]].der;
            is_here |= der != NONE && p->r->constraint[der] == constraint;
        }
        if (!is_here) continue;
        add_comma(p, &is_first);
        text_printf(p->out, "{\"states\":%u,\"of\":[", (unsigned)(set->columns - set->rows));
        for (uint32_t k = 0; k < set->columns; k++) {
            if (k) text_add_char(p->out, ',');
            text_add_json(p->out, str_of(p->s->vars.at[set->vars[k]].name));
        }
        text_add_literal(p->out, "]}");
    }
    text_add_char(p->out, ']');
}

/* An equation and its derivatives. */
static void add_chain(const Page *p, uint32_t root)
{
    text_add_literal(p->out, "{");
    add_text(p, "source", words_of_equation(&p->words, root));
    text_add_char(p->out, ',');
    add_text(p, "place", analysis_place(p->r, p->s->eqs.at[root].span));
    text_add_literal(p->out, ",\"derivatives\":[");
    for (uint32_t e = p->s->eqs.at[root].der; e != NONE; e = p->s->eqs.at[e].der) {
        if (p->s->eqs.at[e].der_of != root) text_add_char(p->out, ',');
        text_add_json(p->out, str_of(equation_text(p, e)));
    }
    text_add_literal(p->out, "]}");
}

static void add_reduction(const Page *p)
{
    const System *s = p->s;
    bool is_first = true;
    text_add_literal(p->out, ",\"reduction\":[");
    for (uint32_t c = 0; c < s->eqs.n; c++) {
        bool is_first_other = true;
        if (s->eqs.at[c].der_of != NONE || s->eqs.at[c].der == NONE) continue;
        if (p->r->group[s->eqs.at[c].der] != c) continue;
        add_comma(p, &is_first);
        text_add_literal(p->out, "{\"constraint\":");
        add_chain(p, c);
        text_add_literal(p->out, ",\"followers\":[");
        for (uint32_t e = 0; e < s->eqs.n; e++) {
            const DaeEq *eq = &s->eqs.at[e];
            if (e == c || eq->der_of != NONE || eq->der == NONE || p->r->group[eq->der] != c) continue;
            add_comma(p, &is_first_other);
            add_chain(p, e);
        }
        text_add_char(p->out, ']');
        add_bound(p, "given_up", c, true);
        add_bound(p, "states", c, false);
        add_sets(p, c);
        text_add_char(p->out, '}');
    }
    text_add_char(p->out, ']');
}

/* ---- partitions ------------------------------------------------------------------------------ */

/* What changes a variable: a bit a relation, then a sample, then continuous time. */
typedef struct {
    const Page *page;
    Arena *arena;
    uint32_t words; /* a variable */
    uint64_t *of;   /* by variable */
    uint32_t *seen; /* by node: the walk that met it last */
    uint32_t walk;
    VEC(Sym) stack;
} Triggers;

static void set_bit(uint64_t *bits, uint32_t k) { bits[k / 64] |= UINT64_C(1) << k % 64; }
static bool has_bit(const uint64_t *bits, uint32_t k) { return bits[k / 64] >> k % 64 & 1; }

static uint32_t time_bit(const System *s) { return s->relations.n + s->samples.n; }

static void add_of(Triggers *t, uint32_t var, uint64_t *to)
{
    for (uint32_t w = 0; w < t->words; w++) to[w] |= t->of[(size_t)var * t->words + w];
}

/* The triggers of all that an expression reads. Values before the event do not make one. */
static void add_triggers(Triggers *t, Sym root, bool is_discrete, uint64_t *to)
{
    const System *s = t->page->s;
    t->walk++;
    vec_push(t->arena, &t->stack, root);
    while (t->stack.n) {
        Sym at = t->stack.at[--t->stack.n];
        if (t->seen[at] == t->walk) continue;
        t->seen[at] = t->walk;
        const SymNode *n = sym_node(s->pool, at);
        bool in_time = n->op == SYM_TIME || n->op == SYM_HISTORY || n->op == SYM_HISTORY_SLOPE;
        if (n->op == SYM_RELATION)
            set_bit(to, n->index);
        else if (n->op == SYM_SAMPLE)
            set_bit(to, s->relations.n + n->index);
        else if (in_time && !is_discrete)
            set_bit(to, time_bit(s));
        else if (n->op == SYM_VAR && (!is_discrete || s->vars.at[n->index].role == ROLE_DISCRETE))
            add_of(t, n->index, to);
        for (uint32_t k = sym_arity((SymOp)n->op); k-- > 0;) vec_push(t->arena, &t->stack, n->arg[k]);
    }
}

static void find_triggers(Triggers *t)
{
    const System *s = t->page->s;
    const Sequence *q = &s->continuous;
    uint64_t *all = NEW_ARRAY(t->arena, uint64_t, t->words + 1);
    for (uint32_t v = 0; v < s->vars.n; v++) {
        uint8_t role = s->vars.at[v].role;
        if (role == ROLE_STATE || role == ROLE_INPUT) set_bit(t->of + (size_t)v * t->words, time_bit(s));
    }
    for (uint32_t i = 0; i < s->discrete.n; i++)
        add_triggers(t, s->discrete.at[i].value, true, t->of + (size_t)s->discrete.at[i].var * t->words);
    for (uint32_t k = 0; k < q->blocks.n; k++) {
        const DaeBlock *b = &q->blocks.at[k];
        memset(all, 0, t->words * sizeof *all);
        for (uint32_t i = 0; i < b->tear_n; i++) {
            const DaeEq *eq = &s->eqs.at[q->residuals.at[b->tear_first + i]];
            add_triggers(t, eq->left, false, all);
            add_triggers(t, eq->right, false, all);
        }
        for (uint32_t i = 0; i < b->n; i++) add_triggers(t, q->assigns.at[b->first + i].value, false, all);
        for (uint32_t i = 0; i < b->n + b->tear_n; i++) {
            uint32_t v = i < b->n ? q->assigns.at[b->first + i].var : q->tears.at[b->tear_first + i - b->n];
            memcpy(t->of + (size_t)v * t->words, all, t->words * sizeof *all);
        }
    }
}

static void add_reasons(const Triggers *t, const uint64_t *bits)
{
    const Page *p = t->page;
    const System *s = p->s;
    bool is_first = true;
    text_add_literal(p->out, "\"reasons\":[");
    for (uint32_t k = 0; k < time_bit(s); k++) {
        if (!has_bit(bits, k)) continue;
        add_comma(p, &is_first);
        text_add_char(p->out, '{');
        if (k < s->relations.n) {
            const DaeRelation *relation = &s->relations.at[k];
            add_text(p, "kind", relation->is_time ? "time event" : "state event");
            text_add_char(p->out, ',');
            add_text(p, "text", analysis_relation(p->r, relation));
            text_add_char(p->out, ',');
            add_text(p, "place", analysis_place(p->r, relation->span));
        } else {
            const DaeSample *sample = &s->samples.at[k - s->relations.n];
            Text text = { .arena = p->r->arena };
            text_add_literal(&text, "every ");
            dae_print_short(s, sample->interval, MOST_TEXT, &text);
            text_add_literal(&text, ", from ");
            dae_print_short(s, sample->start, MOST_TEXT, &text);
            add_text(p, "kind", "clock or sample");
            text_add_char(p->out, ',');
            add_text(p, "text", text.at);
            text_add_literal(p->out, ",\"place\":\"\"");
        }
        text_add_char(p->out, '}');
    }
    text_add_char(p->out, ']');
}

typedef struct {
    const uint64_t *bits;
    uint32_t words, var;
} Member;

static int compare_members(const void *a, const void *b)
{
    const Member *x = a, *y = b;
    for (uint32_t w = 0; w < x->words; w++)
        if (x->bits[w] != y->bits[w]) return x->bits[w] < y->bits[w] ? -1 : 1;
    return (x->var > y->var) - (x->var < y->var);
}

static bool same_bits(const Member *a, const Member *b)
{
    return !memcmp(a->bits, b->bits, a->words * sizeof *a->bits);
}

static void add_partition(const Triggers *t, const Member *members, uint32_t n)
{
    const Page *p = t->page;
    text_add_char(p->out, '{');
    add_reasons(t, members->bits);
    text_printf(p->out, ",\"n\":%u,\"variables\":[", (unsigned)n);
    for (uint32_t i = 0; i < n && i < MOST_MEMBERS; i++) {
        const DaeVar *v = &p->s->vars.at[members[i].var];
        const FlatVar *flat = v->flat == NONE ? NULL : &p->s->flat->vars.at[v->flat];
        text_add(p->out, i ? STR(",[") : STR("["));
        text_add_json(p->out, str_of(v->name));
        /* a clocked variable has the number of its clock */
        text_printf(p->out, ",\"%s\",%u,", v->role == ROLE_DISCRETE ? "discrete" : "algebraic",
                    flat ? (unsigned)flat->partition : 0u);
        text_add_json(p->out, str_of(analysis_place(p->r, v->span)));
        text_add_char(p->out, ']');
    }
    text_add_literal(p->out, "]}");
}

static void add_partitions(const Page *p)
{
    const System *s = p->s;
    Triggers t = { .page = p, .arena = p->r->arena, .words = (time_bit(s) + 64) / 64 };
    if ((double)t.words * s->vars.n > MOST_WORDS) return;
    t.of = NEW_ARRAY(t.arena, uint64_t, (size_t)t.words * s->vars.n + 1);
    t.seen = NEW_ARRAY(t.arena, uint32_t, sym_count(s->pool) + 1);
    find_triggers(&t);
    Member *members = NEW_ARRAY(t.arena, Member, s->vars.n + 1);
    uint32_t n = 0, constant = 0, in_time = 0;
    for (uint32_t v = 0; v < s->vars.n; v++) {
        const uint64_t *bits = t.of + (size_t)v * t.words;
        bool is_constant = true;
        uint8_t role = s->vars.at[v].role;
        if (role != ROLE_DISCRETE && role != ROLE_ALGEBRAIC && role != ROLE_DERIVATIVE) continue;
        for (uint32_t w = 0; w < t.words; w++) is_constant &= !bits[w];
        if (has_bit(bits, time_bit(s)))
            in_time++;
        else if (is_constant)
            constant++;
        else
            members[n++] = (Member){ bits, t.words, v };
    }
    if (n) qsort(members, n, sizeof *members, compare_members);
    text_printf(p->out, ",\"in_time\":%u,\"constant\":%u,\"partitions\":[", (unsigned)in_time,
                (unsigned)constant);
    for (uint32_t i = 0, from = 0; i < n; i++) {
        if (i + 1 < n && same_bits(&members[i], &members[i + 1])) continue;
        if (from) text_add_char(p->out, ',');
        add_partition(&t, members + from, i + 1 - from);
        from = i + 1;
    }
    text_add_char(p->out, ']');
}

/* ---- the page -------------------------------------------------------------------------------- */

static uint32_t count_rows(const Sequence *q)
{
    uint32_t n = 0;
    for (uint32_t k = 0; k < q->blocks.n; k++) n += q->blocks.at[k].n + q->blocks.at[k].tear_n;
    return n;
}

void analysis_write_page(const Report *r, const char *analysis)
{
    Text facts = { .arena = r->arena }, title = { .arena = r->arena };
    Page p = { .r = r,
               .s = r->s,
               .words = { .compiled = r->t->compiled, .sources = r->session->sources, .arena = r->arena },
               .out = &facts };
    text_add_char(&facts, '{');
    add_text(&p, "title", r->s->flat->name);
    text_add_char(&facts, ',');
    add_text(&p, "version", acausal_version());
    text_printf(&facts, ",\"analysis\":%s,\"structure\":", analysis);
    draw_structure_json(r->s, r->session->sources, &facts);
    add_reduction(&p);
    if (count_rows(&r->s->continuous) <= MOST_ROWS) {
        add_equations(&p);
        add_partitions(&p);
    }
    text_add_char(&facts, '}');
    text_add_literal(&title, "");
    text_add_xml(&title, r->s->flat->name);
    const PagePart parts[] = { { "title", { title.at, title.n } },
                               { "facts", page_in_script(r->arena, (Str){ facts.at, facts.n }) } };
    page_write("analyze.html", parts, COUNT_OF(parts), r->out);
}
