/* study_analyze.c: what the runs of a study say: summaries, indices, surrogates; as lines, as JSON,
 * and as a page.
 *
 * In: a store. Out: estimates with intervals for each output. How: values of an output are read
 * into memory, one output at a time. Always: runs that failed or are missing are counted and said;
 * what a design does not offer is said, too. Tests: tests/cli/uncertainty.sh. */
#include "api/study.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { USUAL_RESAMPLES = 400, BARS = 40, POINTS = 60, WIDTH = 420, HEIGHT = 160 };

typedef struct {
    AcausalSession *s;
    Arena *arena;
    const AcausalStudyAnalysis *options;
    StudyPlan plan; /* its design alone */
    Store *store;
    const StoreColumn *columns;
    size_t column_count, output; /* output: which is read */
    double *p, *y;               /* runs x parameters; runs; NaN: failed or missing */
    size_t count, values;        /* runs of the design; numbers among them */
    bool json, has_surrogate;
    const char *name;
    Summary summary;
    Estimate *first, *total;
    Effect *effects;
    size_t used; /* rows or trajectories of indices; 0: there are none */
    Chaos chaos;
    char why[200]; /* there is no surrogate */
    Text out, page;
} Analysis;

/* ---- reading --------------------------------------------------------------------------------- */

static bool take_row(void *arg, const StoreRow *row)
{
    Analysis *a = arg;
    if (row->run < 1 || row->run > a->count) return true;
    size_t i = (size_t)row->run - 1;
    if (!row->failed) a->y[i] = row->y[a->output];
    for (size_t j = 0; j < a->plan.count && !a->output; j++)
        a->p[i * a->plan.count + j] = a->plan.each[j].texts ? NAN : row->p[j];
    return true;
}

static bool read_output(Analysis *a, size_t output)
{
    a->output = output;
    a->values = 0;
    for (size_t i = 0; i < a->count; i++) a->y[i] = NAN;
    if (!store_each(a->store, false, take_row, a)) return wrong(a->s, E_OUTPUT, "%s", store_why(a->store));
    for (size_t i = 0; i < a->count; i++) a->values += isfinite(a->y[i]) != 0;
    return true;
}

/* ---- computing ------------------------------------------------------------------------------- */

static void compute(Analysis *a)
{
    const Design *d = &a->plan.design;
    double confidence = a->options->confidence;
    size_t n = 0, m = a->plan.count;
    double *sorted = NEW_ARRAY(a->arena, double, a->values + 1);
    for (size_t i = 0; i < a->count; i++)
        if (isfinite(a->y[i])) sorted[n++] = a->y[i];
    summarise(sorted, n, confidence, &a->summary);
    a->used = 0;
    a->has_surrogate = false;
    if (d->kind == DESIGN_SALTELLI) {
        a->first = NEW_ARRAY(a->arena, Estimate, m + 1);
        a->total = NEW_ARRAY(a->arena, Estimate, m + 1);
        a->used = sobol_indices(a->y, (size_t)d->samples, (int)m, confidence, a->options->resamples, a->arena,
                                a->first, a->total);
    } else if (d->kind == DESIGN_MORRIS) {
        a->effects = NEW_ARRAY(a->arena, Effect, m + 1);
        a->used = morris_effects(d, a->y, (size_t)d->samples, confidence, a->arena, a->effects);
    }
    snprintf(a->why, sizeof a->why, "a polynomial needs a sample of independent parameters");
    if (d->correlation || d->kind == DESIGN_GRID || d->kind == DESIGN_MORRIS || d->kind == DESIGN_TABLE)
        return;
    a->has_surrogate = chaos_fit(a->arena, a->plan.each, (int)m, a->p, a->y, a->count, a->options->degree,
                                 &a->chaos, a->why, sizeof a->why);
}

/* ---- as lines -------------------------------------------------------------------------------- */

static void line(Analysis *a, const char *what, Estimate e)
{
    text_printf(&a->out, "  %-14s %14.7g   [%.6g, %.6g]\n", what, e.value, e.low, e.high);
}

static void print_lines(Analysis *a)
{
    char what[40];
    size_t m = a->plan.count;
    text_printf(&a->out, "%s: %zu values, %.7g to %.7g; estimates with %g %% intervals\n", a->name, a->values,
                a->summary.least, a->summary.largest, 100 * a->options->confidence);
    if (!a->values) return;
    line(a, "mean", a->summary.mean);
    line(a, "deviation", a->summary.deviation);
    for (size_t k = 0; k < SUMMARY_QUANTILES; k++) {
        snprintf(what, sizeof what, "%g %%", 100 * summary_levels[k]);
        line(a, what, a->summary.quantiles[k]);
    }
    if (a->used && a->first && a->plan.design.kind == DESIGN_SALTELLI) {
        text_printf(&a->out, "  indices from %zu of %zu rows: first, total\n", a->used,
                    (size_t)a->plan.design.samples);
        for (size_t j = 0; j < m; j++)
            text_printf(&a->out, "  %-24s %8.4f [%.4f, %.4f]   %8.4f [%.4f, %.4f]\n", a->plan.names[j],
                        a->first[j].value, a->first[j].low, a->first[j].high, a->total[j].value,
                        a->total[j].low, a->total[j].high);
    }
    if (a->used && a->effects) {
        text_printf(&a->out,
                    "  effects over the range, %zu of %zu trajectories: mean, mean size, deviation\n",
                    a->used, (size_t)a->plan.design.samples);
        for (size_t j = 0; j < m; j++)
            text_printf(&a->out, "  %-24s %12.5g   %12.5g [%.5g, %.5g]   %12.5g\n", a->plan.names[j],
                        a->effects[j].mean.value, a->effects[j].size.value, a->effects[j].size.low,
                        a->effects[j].size.high, a->effects[j].deviation);
    }
    if (!a->has_surrogate) {
        text_printf(&a->out, "  no surrogate: %s\n", a->why);
        return;
    }
    text_printf(&a->out,
                "  polynomial of degree %d, %zu terms from %zu runs: error on %zu runs held out %.3g of the "
                "deviation; mean %.7g, deviation %.7g; indices: first, total\n",
                a->chaos.degree, a->chaos.terms, a->chaos.used, a->chaos.held_out, a->chaos.error,
                a->chaos.mean, a->chaos.deviation);
    for (size_t j = 0; j < m; j++)
        text_printf(&a->out, "  %-24s %8.4f   %8.4f\n", a->plan.names[j], a->chaos.first[j],
                    a->chaos.total[j]);
}

/* ---- as JSON --------------------------------------------------------------------------------- */

static void json_number(Text *out, double value)
{
    if (isfinite(value))
        text_add_real(out, value);
    else
        text_printf(out, "null");
}

static void json_estimate(Text *out, const char *name, Estimate e)
{
    text_printf(out, "\"%s\":[", name);
    json_number(out, e.value);
    text_add_char(out, ',');
    json_number(out, e.low);
    text_add_char(out, ',');
    json_number(out, e.high);
    text_printf(out, "]");
}

static void json_field(Text *out, const char *name, double value)
{
    text_printf(out, ",\"%s\":", name);
    json_number(out, value);
}

static void json_parameters(Analysis *a)
{
    Text *out = &a->out;
    bool has_indices = a->used && a->plan.design.kind == DESIGN_SALTELLI;
    text_printf(out, ",\"parameters\":[");
    for (size_t j = 0; j < a->plan.count; j++) {
        text_printf(out, "%s{\"name\":", j ? "," : "");
        text_add_json(out, str_of(a->plan.names[j]));
        if (has_indices) {
            text_add_char(out, ',');
            json_estimate(out, "first", a->first[j]);
            text_add_char(out, ',');
            json_estimate(out, "total", a->total[j]);
        }
        if (a->used && a->effects) {
            text_add_char(out, ',');
            json_estimate(out, "effect", a->effects[j].mean);
            text_add_char(out, ',');
            json_estimate(out, "effect_size", a->effects[j].size);
            json_field(out, "effect_deviation", a->effects[j].deviation);
        }
        if (a->has_surrogate) {
            json_field(out, "surrogate_first", a->chaos.first[j]);
            json_field(out, "surrogate_total", a->chaos.total[j]);
        }
        text_add_char(out, '}');
    }
    text_add_char(out, ']');
}

static void print_json(Analysis *a)
{
    Text *out = &a->out;
    text_printf(out, "{\"name\":");
    text_add_json(out, str_of(a->name));
    text_printf(out, ",\"values\":%zu", a->values);
    json_field(out, "least", a->summary.least);
    json_field(out, "largest", a->summary.largest);
    text_add_char(out, ',');
    json_estimate(out, "mean", a->summary.mean);
    text_add_char(out, ',');
    json_estimate(out, "deviation", a->summary.deviation);
    text_printf(out, ",\"quantiles\":{");
    for (size_t k = 0; k < SUMMARY_QUANTILES && a->values; k++) {
        char name[20];
        snprintf(name, sizeof name, "%g", summary_levels[k]);
        if (k) text_add_char(out, ',');
        json_estimate(out, name, a->summary.quantiles[k]);
    }
    text_add_char(out, '}');
    if (a->has_surrogate) {
        text_printf(out, ",\"surrogate\":{\"degree\":%d,\"terms\":%zu,\"used\":%zu,\"held_out\":%zu",
                    a->chaos.degree, a->chaos.terms, a->chaos.used, a->chaos.held_out);
        json_field(out, "error", a->chaos.error);
        json_field(out, "mean", a->chaos.mean);
        json_field(out, "deviation", a->chaos.deviation);
        text_add_char(out, '}');
    } else {
        text_printf(out, ",\"no_surrogate\":");
        text_add_json(out, str_of(a->why));
    }
    json_parameters(a);
    text_add_char(out, '}');
}

/* ---- as a page ------------------------------------------------------------------------------- */

static const char head[] =
    "<!doctype html><meta charset=\"utf-8\"><style>body{font:15px/1.5 system-ui,sans-serif;max-width:70em;"
    "margin:2em auto;padding:0 1em;color:#223}table{border-collapse:collapse;margin:.7em "
    "0}td,th{padding:.15em "
    ".8em;text-align:right;border-bottom:1px solid "
    "#dde}td:first-child,th:first-child{text-align:left}svg{margin:"
    ".5em 1.5em .5em "
    "0;background:#f8f9fb}figure{display:inline-block;margin:0}figcaption{color:#556;font-size:"
    "13px}.bar{fill:#4a7ebb}.line{fill:none;stroke:#b5452c;stroke-width:1.5}.band{fill:#b5452c;opacity:.15}"
    "text{font:11px system-ui;fill:#556}</style>";

static void cell(Text *out, Estimate e)
{
    text_printf(out, "<td>%.5g<td>%.5g<td>%.5g", e.value, e.low, e.high);
}

static void draw_histogram(Analysis *a)
{
    size_t bars[BARS] = { 0 }, most = 1;
    double low = a->summary.least, span = a->summary.largest - low;
    Text *out = &a->page;
    for (size_t i = 0; i < a->count; i++) {
        if (!isfinite(a->y[i])) continue;
        size_t k = span > 0 ? (size_t)fmin(BARS - 1, (a->y[i] - low) / span * BARS) : 0;
        most = size_max(most, ++bars[k]);
    }
    text_printf(out, "<figure><svg width=\"%d\" height=\"%d\" role=\"img\" aria-label=\"histogram\">", WIDTH,
                HEIGHT + 20);
    for (int k = 0; k < BARS; k++) {
        double height = (double)bars[k] / (double)most * (HEIGHT - 10);
        text_printf(out, "<rect class=\"bar\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>",
                    k * (double)WIDTH / BARS, HEIGHT - height, (double)WIDTH / BARS - 1, height);
    }
    text_printf(
        out,
        "<text x=\"4\" y=\"%d\">%.4g</text><text x=\"%d\" y=\"%d\" text-anchor=\"end\">%.4g</text></svg>"
        "<figcaption>%zu values</figcaption></figure>",
        HEIGHT + 15, low, WIDTH - 4, HEIGHT + 15, a->summary.largest, a->values);
}

/* The mean of the first runs with its interval, as their number grows. */
static void draw_convergence(Analysis *a)
{
    double at[POINTS], low[POINTS], high[POINTS], bottom = INFINITY, top = -INFINITY, mean = 0, second = 0;
    size_t n = 0, points = 0;
    Text *out = &a->page;
    double tail = 0.5 + 0.5 * a->options->confidence;
    for (size_t i = 0; i < a->count; i++) {
        if (!isfinite(a->y[i])) continue;
        double d = a->y[i] - mean;
        mean += d / (double)++n;
        second += d * (a->y[i] - mean);
        if (n < 3 || n * POINTS < (points + 1) * a->values || points == POINTS) continue;
        double half = student_quantile(tail, (double)n - 1) * sqrt(second / (double)(n - 1) / (double)n);
        at[points] = mean, low[points] = mean - half, high[points] = mean + half;
        bottom = fmin(bottom, low[points]), top = fmax(top, high[points]);
        points++;
    }
    if (points < 2 || !(top > bottom)) return;
    double scale = (HEIGHT - 10) / (top - bottom), step = (double)WIDTH / (double)(points - 1);
    text_printf(out,
                "<figure><svg width=\"%d\" height=\"%d\" role=\"img\" aria-label=\"convergence\">"
                "<polygon class=\"band\" points=\"",
                WIDTH, HEIGHT + 20);
    for (size_t k = 0; k < points; k++)
        text_printf(out, "%.1f,%.1f ", (double)k * step, 5 + (top - high[k]) * scale);
    for (size_t k = points; k-- > 0;)
        text_printf(out, "%.1f,%.1f ", (double)k * step, 5 + (top - low[k]) * scale);
    text_printf(out, "\"/><polyline class=\"line\" points=\"");
    for (size_t k = 0; k < points; k++)
        text_printf(out, "%.1f,%.1f ", (double)k * step, 5 + (top - at[k]) * scale);
    text_printf(out,
                "\"/><text x=\"4\" y=\"14\">%.5g</text><text x=\"4\" y=\"%d\">%.5g</text></svg>"
                "<figcaption>mean of the first runs, up to %zu, with its interval</figcaption></figure>",
                top, HEIGHT, bottom, n);
}

static void page_parameters(Analysis *a)
{
    Text *out = &a->page;
    bool has_indices = a->used && a->plan.design.kind == DESIGN_SALTELLI;
    bool has_effects = a->used && a->plan.design.kind == DESIGN_MORRIS;
    if (!has_indices && !has_effects && !a->has_surrogate) return;
    text_printf(out, "<table><tr><th>parameter");
    if (has_indices) text_printf(out, "<th>first<th>from<th>to<th>total<th>from<th>to");
    if (has_effects) text_printf(out, "<th>mean effect<th>from<th>to<th>size<th>from<th>to<th>deviation");
    if (a->has_surrogate) text_printf(out, "<th>first (polynomial)<th>total (polynomial)");
    for (size_t j = 0; j < a->plan.count; j++) {
        text_printf(out, "<tr><td>");
        text_add_xml(out, a->plan.names[j]);
        if (has_indices) cell(out, a->first[j]), cell(out, a->total[j]);
        if (has_effects) {
            cell(out, a->effects[j].mean), cell(out, a->effects[j].size);
            text_printf(out, "<td>%.4g", a->effects[j].deviation);
        }
        if (a->has_surrogate) text_printf(out, "<td>%.4f<td>%.4f", a->chaos.first[j], a->chaos.total[j]);
    }
    text_printf(out, "</table>");
}

static void print_page(Analysis *a)
{
    Text *out = &a->page;
    text_printf(out, "<h2>");
    text_add_xml(out, a->name);
    text_printf(out, "</h2>");
    if (!a->values) {
        text_printf(out, "<p>no values</p>");
        return;
    }
    draw_histogram(a);
    draw_convergence(a);
    text_printf(out, "<table><tr><th>estimate<th>value<th>from<th>to<tr><td>mean");
    cell(out, a->summary.mean);
    text_printf(out, "<tr><td>deviation");
    cell(out, a->summary.deviation);
    for (size_t k = 0; k < SUMMARY_QUANTILES; k++) {
        text_printf(out, "<tr><td>%g %%", 100 * summary_levels[k]);
        cell(out, a->summary.quantiles[k]);
    }
    text_printf(out, "</table>");
    page_parameters(a);
    if (a->has_surrogate)
        text_printf(
            out,
            "<p>Polynomial of degree %d, %zu terms from %zu runs: error on %zu runs held out %.3g of the "
            "deviation.</p>",
            a->chaos.degree, a->chaos.terms, a->chaos.used, a->chaos.held_out, a->chaos.error);
    else
        text_printf(out, "<p>No surrogate: %s.</p>", a->why);
}

static bool write_page(Analysis *a, const char *path, StoreCounts counts, const char *settings)
{
    Text whole = { .arena = a->arena };
    text_printf(
        &whole,
        "%s<title>Study</title><h1>Study</h1><p>%llu runs of %zu done, %llu failed; intervals of %g %%.</p>",
        head, (unsigned long long)counts.done, a->count, (unsigned long long)counts.failed,
        100 * a->options->confidence);
    text_add(&whole, (Str){ a->page.at, a->page.n });
    text_printf(&whole, "<h2>How it came to be</h2><p>Acausal %s</p><pre>", acausal_version());
    text_add_xml(&whole, settings);
    text_printf(&whole, "</pre>\n");
    FILE *file = fopen(path, "wb");
    bool ok = file && fwrite(whole.at, 1, whole.n, file) == whole.n;
    if (file && fclose(file)) ok = false;
    return ok || wrong(a->s, E_OUTPUT, "'%s' cannot be written: %s", path, strerror(errno));
}

/* ---- all of it ------------------------------------------------------------------------------- */

static bool analyze_outputs(Analysis *a)
{
    bool first = true;
    for (size_t k = 0, output = 0; k < a->column_count; k++) {
        if (a->columns[k].kind != STORE_OUTPUT) continue;
        a->name = a->columns[k].name;
        if (!read_output(a, output++)) return false;
        compute(a);
        if (a->json) {
            if (!first) text_add_char(&a->out, ',');
            print_json(a);
        } else
            print_lines(a);
        print_page(a);
        first = false;
    }
    return true;
}

static bool analyze(Analysis *a, const char *path)
{
    StudySpec spec;
    StoreCounts counts;
    if (!study_read_spec(a->s, a->store, path, &spec)) return false;
    if (!plan_open_design(&a->plan, a->s, a->arena, &spec)) return false;
    if (!store_counts(a->store, &counts)) return wrong(a->s, E_OUTPUT, "%s", store_why(a->store));
    a->count = (size_t)a->plan.design.count;
    a->columns = store_columns(a->store, &a->column_count);
    a->p = NEW_ARRAY(a->arena, double, a->count * a->plan.count + 1);
    a->y = NEW_ARRAY(a->arena, double, a->count + 1);
    size_t missing = a->count - (size_t)(counts.done + counts.failed);
    text_printf(&a->out,
                a->json ? "{\"done\":%llu,\"failed\":%llu,\"total\":%zu,\"outputs\":["
                        : "%llu runs done, %llu failed, of %zu\n",
                (unsigned long long)counts.done, (unsigned long long)counts.failed, a->count);
    if (missing)
        diag_add(&a->s->diag, E_MODEL_WARNING, (Span){ 0 },
                 "%zu of %zu runs are missing: 'acausal study resume' makes them", missing, a->count);
    if (!analyze_outputs(a)) return false;
    if (a->json) text_printf(&a->out, "]}\n");
    const char *settings = store_get(a->store, a->arena, "settings");
    return !a->options->page || write_page(a, a->options->page, counts, settings ? settings : "");
}

AcausalStatus acausal_study_analyze(AcausalSession *s, const char *path, const AcausalStudyAnalysis *options,
                                    AcausalFormat format, AcausalWrite write, void *arg)
{
    AcausalStudyAnalysis own = { 0 };
    char why[400];
    if (!TAKE(s, own, options)) return ACAUSAL_USAGE;
    if (own.confidence == 0.0) own.confidence = 0.95;
    if (!own.resamples) own.resamples = USUAL_RESAMPLES;
    if (!(own.confidence > 0.0 && own.confidence < 1.0) || own.degree < 0 || own.degree > 5)
        return wrong(s, E_OPTION, "a confidence lies between 0 and 1, a degree between 1 and 5"),
               ACAUSAL_USAGE;
    Arena *arena = arena_new();
    if (!arena) return tell_memory(s), ACAUSAL_WRONG;
    Analysis a = { .s = s, .arena = arena, .options = &own, .json = format == ACAUSAL_JSON };
    a.out.arena = a.page.arena = arena;
    text_printf(&a.page, "%s", "");
    a.store = store_open(path, false, why, sizeof why);
    bool ok = a.store ? analyze(&a, path) : wrong(s, E_OUTPUT, "%s", why);
    if (ok) write(arg, a.out.at, a.out.n);
    store_close(a.store);
    arena_free(arena);
    return ok ? ACAUSAL_DONE : ACAUSAL_WRONG;
}
