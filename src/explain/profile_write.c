/* profile_write.c: a profile as text, JSON, and a page with a flame graph and time lines.
 *
 * The page is one file without scripts: SVG with titles that browsers show. Cost: linear, the tree
 * of components sorted by name. Tests: tests/cli/profile.sh. */
#include "explain/profile.h"

#include "ir/ir.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_ROWS = 10, MOST_ADVICE = 3, PAGE_WIDTH = 1000, ROW_HEIGHT = 18, DEEPEST_TREE = 12 };

typedef struct {
    const Profile *p;
    const System *s;
    ProfileShares shares;
    ProfileAdvice advice[MOST_ADVICE];
    uint32_t advices;
    Text *out;
} Writer;

/* ---- the tree of components ------------------------------------------------------------------ */

/* A share under the name of what it is about: "a.b.c". */
typedef struct {
    const char *name;
    double share;
} Leaf;

static int by_name(const void *x, const void *y)
{
    return strcmp(((const Leaf *)x)->name, ((const Leaf *)y)->name);
}

static Leaf *list_leaves(const Writer *w, uint32_t *n)
{
    Leaf *leaves = NEW_ARRAY(w->p->what->arena, Leaf, w->shares.n + w->p->run->block_count + 1);
    *n = 0;
    for (uint32_t k = 0; k < w->shares.n; k++) {
        uint32_t var;
        words_of_source(w->p->what, w->shares.at[k].source, &var);
        if (var != NONE && w->s->vars.at[var].der_of != NONE) var = w->s->vars.at[var].der_of;
        leaves[(*n)++] = (Leaf){ var == NONE ? "" : w->s->vars.at[var].name, w->shares.at[k].share };
    }
    for (uint32_t k = 0; k < w->p->run->block_count; k++)
        leaves[(*n)++] = (Leaf){ w->s->vars.at[w->p->run->blocks[k].vars[0]].name, w->shares.solving[k] };
    qsort(leaves, *n, sizeof *leaves, by_name);
    return leaves;
}

/* Where the part of a name at this depth ends; 0: it has no such part. */
static size_t part_end(const char *name, int depth)
{
    size_t at = 0;
    for (int k = 0;; k++) {
        size_t n = strcspn(name + at, ".");
        if (!n) return 0;
        if (k == depth) return at + n;
        at += n;
        if (!name[at]) return 0;
        at++;
    }
}

/* ---- text ------------------------------------------------------------------------------------ */

static double percent(double share) { return 100 * share; }

static void write_place(const Writer *w, Span span)
{
    const char *place = words_of_place(w->p->what, span);
    if (*place) text_printf(w->out, "   %s", place);
}

static void write_phases(const Writer *w)
{
    const Profile *p = w->p;
    text_printf(w->out, "%.4g s for t = %g, %llu steps; %llu samples in %d run%s\n\ntime by phase\n",
                p->report.stats.total_s, p->report.t, (unsigned long long)p->steps,
                (unsigned long long)p->samples, p->runs, p->runs == 1 ? "" : "s");
    for (int k = 0; k < PHASE_COUNT; k++)
        if (p->phase_samples[k])
            text_printf(w->out, "  %5.1f %%  %s\n", percent((double)p->phase_samples[k] / (double)p->samples),
                        profile_phases[k]);
}

static void write_blocks(const Writer *w)
{
    static const char *const why[PROFILE_CAUSES] = { "", "no convergence", "singular", "not defined" };
    const Profile *p = w->p;
    if (p->run->block_count) text_add_literal(w->out, "\nblocks solved by iteration\n");
    for (uint32_t k = 0; k < p->run->block_count; k++) {
        const RunBlock *b = &p->run->blocks[k];
        uint64_t solved = b->jacobian < p->functions ? p->calls[b->jacobian] : 0;
        uint64_t residuals = b->residual < p->functions ? p->calls[b->residual] : 0;
        if (!residuals) continue;
        text_printf(w->out, "  %5.1f %%  %s%d unknown%s, '%s': %llu residuals, %llu Jacobians",
                    percent(w->shares.by_block[k]), b->is_linear ? "linear, " : "", b->n,
                    b->n == 1 ? "" : "s", w->s->vars.at[b->vars[0]].name, (unsigned long long)residuals,
                    (unsigned long long)solved);
        for (uint32_t c = 1; c < PROFILE_CAUSES; c++)
            if (p->failures[k * PROFILE_CAUSES + c])
                text_printf(w->out, ", %llu failures: %s",
                            (unsigned long long)p->failures[k * PROFILE_CAUSES + c], why[c]);
        write_place(w, dae_equation_place(w->s, b->eqs[0]));
        text_add_literal(w->out, "\n");
    }
}

static void write_equations(const Writer *w)
{
    const IrModule *m = gen_module(w->p->what->compiled);
    if (w->shares.n)
        text_add_literal(w->out, "\nequations (shares within a block of code by its instructions)\n");
    for (uint32_t k = 0; k < w->shares.n && k < MOST_ROWS; k++) {
        const ProfileShare *e = &w->shares.at[k];
        uint32_t var;
        Span span = words_of_source(w->p->what, e->source, &var);
        const char *text = e->source < w->s->eqs.n ? words_of_equation(w->p->what, e->source)
                                                   : words_of_span(w->p->what, span);
        if (e->share < 0.001) break;
        text_printf(w->out, "  %5.1f %%  %.90s", percent(e->share), *text ? text : "(made by the compiler)");
        write_place(w, span);
        text_add_literal(w->out, "\n");
    }
    for (uint32_t k = 0; k < m->functions.n; k++)
        if (w->shares.by_function[k] >= 0.001)
            text_printf(w->out, "  %5.1f %%  in calls of %s\n", percent(w->shares.by_function[k]),
                        m->functions.at[k]->name ? m->functions.at[k]->name : "a function");
    for (uint32_t k = 0; k < m->externals.n; k++)
        if (w->shares.by_extern[k] >= 0.001)
            text_printf(w->out, "  %5.1f %%  in external calls of %s\n", percent(w->shares.by_extern[k]),
                        m->externals.at[k].name);
}

static void write_tree(const Writer *w, const Leaf *leaves, uint32_t n, int depth)
{
    for (uint32_t k = 0; k < n;) {
        size_t end = part_end(leaves[k].name, depth);
        double sum = 0;
        uint32_t from = k;
        bool is_component = end && leaves[k].name[end] == '.';
        for (; k < n && end && part_end(leaves[k].name, depth) == end &&
               !strncmp(leaves[k].name, leaves[from].name, end);
             k++)
            sum += leaves[k].share, is_component |= leaves[k].name[end] == '.';
        if (!end) k++;
        if (!is_component || sum < 0.01 || depth >= DEEPEST_TREE) continue;
        text_printf(w->out, "  %5.1f %%  %*s%.*s\n", percent(sum), 2 * depth, "", (int)end,
                    leaves[from].name);
        write_tree(w, leaves + from, k - from, depth + 1);
    }
}

static void write_events(const Writer *w)
{
    static const char *const kinds[PROFILE_KINDS] = { "state", "time", "input", "choice of states" };
    const Profile *p = w->p;
    double total = 0;
    for (int k = 0; k < PROFILE_KINDS; k++) total += (double)p->kinds[k];
    if (total > 0)
        text_printf(w->out, "\nevents: %.0f, %.3g ms each\n", total, 1e3 * p->report.stats.event_s / total);
    for (int k = 0; k < PROFILE_KINDS; k++)
        if (p->kinds[k]) text_printf(w->out, "  %7llu  %s\n", (unsigned long long)p->kinds[k], kinds[k]);
    for (uint32_t k = 0; k < p->run->relation_count; k++) {
        uint32_t at = p->run->indicator_of[k];
        if (at == RUN_NONE || !p->crossings[at]) continue;
        const DaeRelation *r = &w->s->relations.at[k];
        text_printf(w->out, "  %7llu  by ", (unsigned long long)p->crossings[at]);
        dae_print_expr(w->s, r->left, w->out);
        text_printf(w->out, "%s", r->op == SYM_LT ? " < " : " <= ");
        dae_print_expr(w->s, r->right, w->out);
        write_place(w, r->span);
        text_add_literal(w->out, "\n");
    }
}

static void write_limits(const Writer *w)
{
    const Profile *p = w->p;
    const SolverStats *s = &p->report.stats.work;
    text_printf(w->out,
                "\nsteps: %ld by %s, %ld to %s; rejected: %ld for errors, %ld by Newton's method, %ld by the "
                "model; %ld Jacobians, %ld factorisations\nstates that limit steps\n",
                s->steps, p->report.stats.solver, s->f, "right-hand sides", s->rejected_error,
                s->rejected_newton, s->rejected_model, s->jacobians, s->factors);
    for (int row = 0; row < MOST_ROWS; row++) {
        uint32_t best = NONE;
        for (uint32_t k = 0; k < p->run->state_count; k++) {
            uint32_t larger = 0;
            for (uint32_t j = 0; j < p->run->state_count; j++)
                larger += p->limits[j] > p->limits[k] || (p->limits[j] == p->limits[k] && j < k);
            if ((int)larger == row) best = k;
        }
        if (best == NONE || !p->limits[best]) break;
        text_printf(w->out, "  %5.1f %%  %s\n", percent((double)p->limits[best] / (double)p->steps),
                    w->s->vars.at[p->run->states[best]].name);
    }
}

static void write_advice(const Writer *w)
{
    text_add_literal(w->out, "most worth changing\n");
    for (uint32_t k = 0; k < w->advices; k++) {
        const char *place = words_of_place(w->p->what, w->advice[k].span);
        text_printf(
            w->out, "  %u. %s%s%s\n     %s\n", (unsigned)k + 1, *place ? place : "the run", "",
            *words_of_span(w->p->what, w->advice[k].span)
                ? arena_printf(w->p->what->arena, "   %.100s", words_of_span(w->p->what, w->advice[k].span))
                : "",
            w->advice[k].text);
    }
    if (!w->advices) text_add_literal(w->out, "  nothing stands out\n");
    text_add_literal(w->out, "\n");
}

static void write_text(const Writer *w)
{
    uint32_t n;
    Leaf *leaves = list_leaves(w, &n);
    write_advice(w);
    write_phases(w);
    write_blocks(w);
    write_equations(w);
    text_add_literal(w->out, "\ncomponents\n");
    write_tree(w, leaves, n, 0);
    write_events(w);
    write_limits(w);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void add_string(Text *out, const char *key, const char *value)
{
    text_printf(out, "\"%s\":", key);
    text_add_json(out, str_of(value));
}

static void write_json(const Writer *w)
{
    const Profile *p = w->p;
    Text *out = w->out;
    const char *comma = "";
    text_printf(out, "{\"seconds\":%.9g,\"t\":%.17g,\"steps\":%llu,\"samples\":%llu,\"runs\":%d,\"phases\":{",
                p->report.stats.total_s, p->report.t, (unsigned long long)p->steps,
                (unsigned long long)p->samples, p->runs);
    for (int k = 0; k < PHASE_COUNT; k++)
        text_printf(out, "%s\"%s\":%.6g", k ? "," : "", profile_phases[k],
                    (double)p->phase_samples[k] / fmax(1, (double)p->samples));
    text_add_literal(out, "},\"advice\":[");
    for (uint32_t k = 0; k < w->advices; k++) {
        text_printf(out, "%s{\"gain\":%.3g,", k ? "," : "", w->advice[k].gain);
        add_string(out, "place", words_of_place(p->what, w->advice[k].span));
        text_add_literal(out, ",");
        add_string(out, "text", w->advice[k].text);
        text_add_literal(out, "}");
    }
    text_add_literal(out, "],\"blocks\":[");
    for (uint32_t k = 0; k < p->run->block_count; k++) {
        const RunBlock *b = &p->run->blocks[k];
        uint64_t residuals = b->residual < p->functions ? p->calls[b->residual] : 0;
        text_printf(out, "%s{\"unknowns\":%d,\"linear\":%s,\"share\":%.6g,\"residuals\":%llu,\"failures\":[",
                    k ? "," : "", b->n, b->is_linear ? "true" : "false", w->shares.by_block[k],
                    (unsigned long long)residuals);
        for (uint32_t c = 0; c < PROFILE_CAUSES; c++)
            text_printf(out, "%s%llu", c ? "," : "", (unsigned long long)p->failures[k * PROFILE_CAUSES + c]);
        text_add_literal(out, "],");
        add_string(out, "place", words_of_place(p->what, dae_equation_place(w->s, b->eqs[0])));
        text_add_literal(out, "}");
    }
    text_add_literal(out, "],\"equations\":[");
    for (uint32_t k = 0; k < w->shares.n; k++) {
        uint32_t var;
        Span span = words_of_source(p->what, w->shares.at[k].source, &var);
        text_printf(out, "%s{\"share\":%.6g,", k ? "," : "", w->shares.at[k].share);
        add_string(out, "about", var == NONE ? "" : w->s->vars.at[var].name);
        text_add_literal(out, ",");
        add_string(out, "place", words_of_place(p->what, span));
        text_add_literal(out, "}");
    }
    text_add_literal(out, "],\"relations\":[");
    for (uint32_t k = 0; k < p->run->relation_count; k++) {
        uint32_t at = p->run->indicator_of[k];
        if (at == RUN_NONE) continue;
        text_printf(out, "%s{\"events\":%llu,", comma, (unsigned long long)p->crossings[at]);
        add_string(out, "place", words_of_place(p->what, w->s->relations.at[k].span));
        text_add_literal(out, "}");
        comma = ",";
    }
    text_printf(out,
                "],\"events\":{\"state\":%llu,\"time\":%llu,\"input\":%llu,\"states\":%llu},\"limits\":{",
                (unsigned long long)p->kinds[EVENT_STATE], (unsigned long long)p->kinds[EVENT_TIME],
                (unsigned long long)p->kinds[EVENT_INPUT], (unsigned long long)p->kinds[EVENT_STEP]);
    comma = "";
    for (uint32_t k = 0; k < p->run->state_count; k++) {
        if (!p->limits[k]) continue;
        text_printf(out, "%s", comma);
        text_add_json(out, str_of(w->s->vars.at[p->run->states[k]].name));
        text_printf(out, ":%.6g", (double)p->limits[k] / fmax(1, (double)p->steps));
        comma = ",";
    }
    text_add_literal(out, "}}\n");
}

/* ---- the page -------------------------------------------------------------------------------- */

static void add_escaped(Text *out, const char *text)
{
    for (; *text; text++) switch (*text) {
        case '<': text_add_literal(out, "&lt;"); break;
        case '>': text_add_literal(out, "&gt;"); break;
        case '&': text_add_literal(out, "&amp;"); break;
        default: text_add_char(out, *text);
        }
}

static void add_box(const Writer *w, double from, double width, int depth, const char *name, size_t n,
                    double share)
{
    const char *label = arena_printf(w->p->what->arena, "%.*s", (int)n, name), *last = strrchr(label, '.');
    if (width < 1) return;
    text_printf(w->out, "<g><title>");
    add_escaped(w->out, label);
    text_printf(
        w->out,
        ": %.1f %%</title><rect x=\"%.2f\" y=\"%d\" width=\"%.2f\" height=\"%d\" fill=\"hsl(%d,65%%,72%%)\" "
        "stroke=\"#fff\"/>",
        percent(share), from, depth * ROW_HEIGHT, width, ROW_HEIGHT, 20 + depth * 37 % 200);
    if (width > 40) {
        text_printf(w->out, "<text x=\"%.2f\" y=\"%d\">", from + 3, depth * ROW_HEIGHT + 13);
        add_escaped(w->out,
                    arena_printf(w->p->what->arena, "%.*s", (int)(width / 7), last ? last + 1 : label));
        text_add_literal(w->out, "</text>");
    }
    text_add_literal(w->out, "</g>\n");
}

static int write_flames(const Writer *w, const Leaf *leaves, uint32_t n, int depth, double from, double scale)
{
    int deepest = depth;
    for (uint32_t k = 0; k < n && depth < DEEPEST_TREE;) {
        size_t end = part_end(leaves[k].name, depth);
        double sum = 0;
        uint32_t first = k;
        for (; k < n && end && part_end(leaves[k].name, depth) == end &&
               !strncmp(leaves[k].name, leaves[first].name, end);
             k++)
            sum += leaves[k].share;
        if (!end) {
            from += scale * leaves[k++].share;
            continue;
        }
        add_box(w, from, scale * sum, depth + 1, leaves[first].name, end, sum);
        deepest = depth + 1 > deepest ? depth + 1 : deepest;
        int below = write_flames(w, leaves + first, k - first, depth + 1, from, scale);
        deepest = below > deepest ? below : deepest;
        from += scale * sum;
    }
    return deepest;
}

static void write_lines(const Writer *w)
{
    const Profile *p = w->p;
    double least = INFINITY, most = 0, begin = 0, end = p->report.t;
    uint32_t every = p->trail.n / 4000 + 1;
    if (!p->trail.n) return;
    begin = p->trail.at[0].t - p->trail.at[0].h;
    for (uint32_t k = 0; k < p->trail.n; k++)
        least = fmin(least, p->trail.at[k].h), most = fmax(most, p->trail.at[k].h);
    double scale = PAGE_WIDTH / fmax(1e-300, end - begin), high = log10(fmax(most, 1e-300)),
           low = fmin(log10(fmax(least, 1e-300)), high - 1e-9);
    text_printf(w->out,
                "<h2>Size of steps over time, by the state that limits them; events below</h2>"
                "<p>t = %.6g to %.6g; steps on a logarithmic scale, from %.2g s (below) to %.2g s (above)</p>"
                "<svg viewBox=\"0 0 %d 200\">\n",
                begin, end, least, most, PAGE_WIDTH);
    for (uint32_t k = 0; k < p->trail.n; k += every) {
        const ProfileStep *s = &p->trail.at[k];
        text_printf(w->out, "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"1.6\" fill=\"hsl(%d,70%%,45%%)\"><title>",
                    (s->t - begin) * scale, 170 - 160 * (log10(fmax(s->h, 1e-300)) - low) / (high - low),
                    s->state < 0 ? 0 : s->state * 67 % 360);
        text_printf(w->out, "t = %.6g, step %.2g", s->t, s->h);
        if (s->state >= 0) text_add_literal(w->out, ", ");
        if (s->state >= 0) add_escaped(w->out, w->s->vars.at[p->run->states[s->state]].name);
        text_add_literal(w->out, "</title></circle>\n");
    }
    every = p->events.n / 4000 + 1;
    for (uint32_t k = 0; k < p->events.n; k += every)
        text_printf(w->out, "<rect x=\"%.2f\" y=\"180\" width=\"1\" height=\"16\" fill=\"#c22\"/>",
                    (p->events.at[k] - begin) * scale);
    text_add_literal(w->out, "</svg>\n");
}

static void write_html(const Writer *w)
{
    uint32_t n;
    Leaf *leaves = list_leaves(w, &n);
    Text plain = { .arena = w->p->what->arena };
    Writer text = *w;
    double sum = 0;
    text.out = &plain;
    write_text(&text);
    for (uint32_t k = 0; k < n; k++) sum += leaves[k].share;
    text_add_literal(w->out,
                     "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>profile of ");
    add_escaped(w->out, w->s->flat->name);
    text_add_literal(w->out,
                     "</title><style>body{font:14px sans-serif;max-width:1040px;margin:2em auto;color:#222}"
                     "svg{width:100%}svg text{font:11px sans-serif}pre{background:#f5f5f5;padding:1em;"
                     "white-space:pre-wrap}</style></head><body><h1>");
    add_escaped(w->out, w->s->flat->name);
    text_add_literal(w->out, "</h1><ol>");
    for (uint32_t k = 0; k < w->advices; k++) {
        text_add_literal(w->out, "<li><b>");
        add_escaped(w->out, words_of_place(w->p->what, w->advice[k].span));
        text_add_literal(w->out, "</b> ");
        add_escaped(w->out, w->advice[k].text);
        text_add_literal(w->out, "</li>");
    }
    Text flames = { .arena = w->p->what->arena };
    Writer boxes = *w;
    boxes.out = &flames;
    add_box(&boxes, 0, PAGE_WIDTH, 0, "equations", strlen("equations"), sum);
    int deepest = sum > 0 ? write_flames(&boxes, leaves, n, 0, 0, PAGE_WIDTH / sum) : 0;
    /* as high as it is deep */
    text_printf(w->out, "</ol><h2>Time by component</h2><svg viewBox=\"0 0 %d %d\">\n", PAGE_WIDTH,
                (deepest + 1) * ROW_HEIGHT);
    text_printf(w->out, "%s</svg>\n", flames.at);
    write_lines(w);
    text_add_literal(w->out, "<h2>All of it</h2><pre>");
    add_escaped(w->out, plain.at);
    text_add_literal(w->out, "</pre></body></html>\n");
}

void explain_profile_write(const Profile *p, ProfileFormat format, Text *out)
{
    Writer w = { .p = p, .s = gen_system(p->what->compiled), .out = out };
    w.shares = profile_shares(p);
    w.advices = profile_advice(p, &w.shares, w.advice, MOST_ADVICE);
    (format == PROFILE_JSON ? write_json : format == PROFILE_HTML ? write_html : write_text)(&w);
}
