/* test_report.c: the rows of `acausal test` as a page, as XML of JUnit and as a table. */
#include "cli/test.h"

#include <errno.h>
#include <math.h>
#include <string.h>

bool test_is_good(const char *verdict)
{
    return !strcmp(verdict, "passes") || !strcmp(verdict, "runs") || !strcmp(verdict, "checks");
}

TestCounts test_count(const TestRows *rows)
{
    static const struct {
        const char *verdict;
        size_t at;
    } places[] = {
        { "passes", offsetof(TestCounts, passes) },
        { "runs", offsetof(TestCounts, runs) },
        { "checks", offsetof(TestCounts, checks) },
        { "differs", offsetof(TestCounts, differs) },
        { "fails", offsetof(TestCounts, fails) },
        { "not translated", offsetof(TestCounts, not_translated) },
        { "too slow", offsetof(TestCounts, slow) },
        { "crashes", offsetof(TestCounts, crashes) },
    };
    TestCounts c = { .all = rows->n };
    for (size_t i = 0; i < rows->n; i++) {
        size_t k = 0, n = sizeof places / sizeof *places;
        while (k < n && strcmp(rows->at[i].verdict, places[k].verdict) != 0) k++;
        ++*(size_t *)(void *)((char *)&c + (k < n ? places[k].at : offsetof(TestCounts, other)));
        c.good += test_is_good(rows->at[i].verdict);
        c.cpu_seconds += rows->at[i].cpu_seconds;
    }
    return c;
}

void print_test_counts(const Args *args, const TestCounts *c)
{
    const char *format =
        args->json
            ? "{\"models\":%zu,\"good\":%zu,\"passes\":%zu,\"runs\":%zu,\"checks\":%zu,\"differs\":%zu,"
              "\"not_translated\":%zu,\"fails\":%zu,\"too_slow\":%zu,\"crashes\":%zu,\"other\":%zu,"
              "\"cpu_s\":%.2f}\n"
            : "models %zu  good %zu  passes %zu  runs %zu  checks %zu  differs %zu  not translated %zu  "
              "fails %zu  too slow %zu  crashes %zu  other %zu  cpu %.2f s\n";
    printf(format, c->all, c->good, c->passes, c->runs, c->checks, c->differs, c->not_translated, c->fails,
           c->slow, c->crashes, c->other, c->cpu_seconds);
}

/* ---- texts ----------------------------------------------------------------------------------- */

/* For XML and HTML; control characters, which XML does not allow, are left out. */
static void print_text(FILE *out, const char *text)
{
    for (; *text; text++) {
        const char *as = *text == '<'   ? "&lt;"
                         : *text == '>' ? "&gt;"
                         : *text == '&' ? "&amp;"
                         : *text == '"' ? "&quot;"
                                        : NULL;
        if (as)
            fputs(as, out);
        else if ((unsigned char)*text >= ' ')
            putc(*text, out);
    }
}

static void print_cell(FILE *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '|') putc('\\', out);
        putc(*text, out);
    }
}

/* ---- JUnit ----------------------------------------------------------------------------------- */

static void write_junit(FILE *out, const TestRows *rows, const char *library)
{
    TestCounts c = test_count(rows);
    size_t errors = c.all - c.good - c.differs;
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n<testsuite name=\"", out);
    print_text(out, library);
    fprintf(out, "\" tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" time=\"%.3f\">\n", c.all, c.differs,
            errors, c.cpu_seconds);
    for (size_t i = 0; i < rows->n; i++) {
        const AcausalTestRow *r = &rows->at[i];
        const char *dot = strrchr(r->class_name, '.'),
                   *kind = strcmp(r->verdict, "differs") ? "error" : "failure";
        fprintf(out, "<testcase classname=\"%.*s\" name=\"", (int)(dot ? dot - r->class_name : 0),
                r->class_name);
        print_text(out, dot ? dot + 1 : r->class_name);
        fprintf(out, "\" time=\"%.3f\"", r->cpu_seconds);
        if (test_is_good(r->verdict)) {
            fputs("/>\n", out);
            continue;
        }
        fprintf(out, ">\n<%s type=\"%s\" message=\"", kind, r->verdict);
        print_text(out, r->message);
        fprintf(out, "\"/>\n</testcase>\n");
    }
    fputs("</testsuite>\n</testsuites>\n", out);
}

/* ---- a page ---------------------------------------------------------------------------------- */

static const char page_head[] =
    "<style>\n"
    "body{font:14px/1.45 system-ui,sans-serif;margin:2em auto;max-width:76em;padding:0 1em;color:#1b1f24;"
    "background:#fff}\n"
    "table{border-collapse:collapse;width:100%}td,th{padding:.25em .6em;text-align:left;vertical-align:top;"
    "border-bottom:1px solid #e3e6ea}\n"
    "th{position:sticky;top:0;background:#fff}td.n{text-align:right;font-variant-numeric:tabular-nums;"
    "white-space:nowrap}\n"
    "td:first-child,td.m{overflow-wrap:anywhere}.v{white-space:nowrap;font-weight:600}\n"
    ".good{color:#1a7f37}.differs{color:#9a6700}.bad{color:#cf222e}\n"
    ".bar{display:flex;height:.8em;border-radius:.4em;overflow:hidden;margin:1em 0;background:#e3e6ea}\n"
    ".bar i{display:block}.bar .good{background:#2da44e}.bar .differs{background:#d4a72c}.bar "
    ".bad{background:#cf222e}\n"
    "input{font:inherit;padding:.3em .6em;width:24em;max-width:100%;margin:.5em 0}\n"
    "@media(prefers-color-scheme:dark){body,th{background:#0d1117;color:#e6edf3}td,th{border-color:#30363d}"
    ".good{color:#3fb950}.differs{color:#d29922}.bad{color:#f85149}}\n"
    "</style>\n";

static const char page_script[] =
    "<script>\nconst f=document.getElementById('f');f.oninput=()=>{const w=f.value.toLowerCase();"
    "for(const r of document.querySelectorAll('tbody "
    "tr'))r.hidden=!r.textContent.toLowerCase().includes(w)}\n"
    "</script>\n";

static const char *colour_of(const char *verdict)
{
    return test_is_good(verdict) ? "good" : strcmp(verdict, "differs") ? "bad" : "differs";
}

static void write_page(FILE *out, const TestRows *rows, const char *library)
{
    TestCounts c = test_count(rows);
    double all = c.all ? (double)c.all : 1.0;
    fputs("<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\">\n<title>", out);
    print_text(out, library);
    fputs(": models</title>\n", out);
    fputs(page_head, out);
    fputs("<h1>", out);
    print_text(out, library);
    fprintf(
        out,
        "</h1>\n<p>%zu of %zu models are good (%.1f %%): %zu pass, %zu run, %zu check. %zu differ, %zu "
        "are not translated, %zu fail, %zu are too slow, %zu crash. %.1f s of CPU time, acausal %s.</p>\n",
        c.good, c.all, 100.0 * (double)c.good / all, c.passes, c.runs, c.checks, c.differs, c.not_translated,
        c.fails, c.slow, c.crashes, c.cpu_seconds, acausal_version());
    fprintf(out,
            "<div class=\"bar\"><i class=\"good\" style=\"width:%.2f%%\"></i><i class=\"differs\" "
            "style=\"width:%.2f%%\"></i><i class=\"bad\" style=\"width:%.2f%%\"></i></div>\n",
            100.0 * (double)c.good / all, 100.0 * (double)c.differs / all,
            100.0 * (double)(c.all - c.good - c.differs) / all);
    fputs("<input id=\"f\" placeholder=\"filter: a name, a verdict, a message\" aria-label=\"filter\">\n"
          "<table><thead><tr><th>model</th><th>verdict</th><th>CPU s</th><th>translate s</th><th>run s</th>"
          "<th>why</th></tr></thead><tbody>\n",
          out);
    for (size_t i = 0; i < rows->n; i++) {
        const AcausalTestRow *r = &rows->at[i];
        fputs("<tr><td>", out);
        print_text(out, r->class_name);
        fprintf(out,
                "</td><td class=\"v %s\">%s</td><td class=\"n\">%.2f</td><td class=\"n\">%.2f</td><td "
                "class=\"n\">%.2f</td><td class=\"m\">",
                colour_of(r->verdict), r->verdict, r->cpu_seconds, r->translate_seconds, r->run_seconds);
        if (!test_is_good(r->verdict)) print_text(out, r->message);
        if (*r->worst && isfinite(r->deviation)) {
            fputs(" worst: ", out);
            print_text(out, r->worst);
            fprintf(out, ", %.2g of its range", r->deviation);
        }
        fputs("</td></tr>\n", out);
    }
    fputs("</tbody></table>\n", out);
    fputs(page_script, out);
    fputs("</html>\n", out);
}

/* ---- a table for documents ------------------------------------------------------------------- */

static void write_table(FILE *out, const TestRows *rows, const char *library)
{
    TestCounts c = test_count(rows);
    fprintf(
        out,
        "## %s\n\n%zu models: %zu pass, %zu run, %zu check; %zu differ, %zu are not translated, %zu fail, "
        "%zu are too slow, %zu crash.\n",
        library, c.all, c.passes, c.runs, c.checks, c.differs, c.not_translated, c.fails, c.slow, c.crashes);
    if (c.good < c.all) fputs("\n| model | verdict | why |\n|---|---|---|\n", out);
    for (size_t i = 0; i < rows->n; i++) {
        const AcausalTestRow *r = &rows->at[i];
        if (test_is_good(r->verdict)) continue;
        fprintf(out, "| %s | %s | ", r->class_name, r->verdict);
        print_cell(out, r->message);
        fputs(" |\n", out);
    }
}

/* ---- all of them ----------------------------------------------------------------------------- */

bool test_write_reports(const Args *args, const TestRows *rows, const char *report, const char *library)
{
    static const struct {
        const char *end;
        void (*write)(FILE *out, const TestRows *rows, const char *library);
    } kinds[] = { { "html", write_page }, { "xml", write_junit }, { "md", write_table } };
    bool ok = true;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s.%s", report, kinds[i].end);
        FILE *out = fopen(path, "w");
        if (out) kinds[i].write(out, rows, library);
        bool failed = !out || ferror(out);
        if ((out && fclose(out)) || failed) {
            fprintf(stderr, "acausal %s: '%s' cannot be written: %s\n", args->command->name, path,
                    strerror(errno));
            ok = false;
        }
    }
    return ok;
}
