/* page.h: pages for browsers: the files they are made of, which the program carries in itself, and
 * the report of a run.
 *
 * page/files/ holds plain JavaScript without packages; the assembler takes the files in
 * (page/files.c). plot.js draws curves and structure.js structures for all pages. A report carries
 * its numbers as columns of deflated bytes that the page unpacks when a curve is asked for. */
#ifndef ACAUSAL_PAGE_H
#define ACAUSAL_PAGE_H

#include "base/base.h"
#include "result/result.h"

/* What stands in the place of <!--NAME--> in a page. */
typedef struct {
    const char *name;
    Str text;
} PagePart;

/* Writes a page (of src/page/files) with its parts; those that are files themselves are found by
 * their name. */
void page_write(const char *file, const PagePart *parts, size_t n, Text *out);

/* three.js, as npm has it; n == 0: this program was built without it. */
Str page_three(void);

/* JSON that can stand in a script: no '<' of it ends the script or begins a comment. */
Str page_in_script(Arena *arena, Str json);

/* Where documentation may lead. */
typedef struct {
    /* the bytes of a picture, and its type such as "image/png"; NULL: there is none */
    const char *(*picture)(void *arg, Str address, Text *bytes);
    void *arg;
} PageLinks;

/* html.c: HTML that others wrote, without anything that runs, asks, or fetches. Links to classes
 * become data-class, pictures are in it. `links` may be NULL. */
void page_clean_html(Str html, const PageLinks *links, Text *out);

/* All that a report may hold; what is NULL is left out. */
typedef struct {
    const char *title, *file, *version;
    const ResultTable *result;
    const ResultTable *steps; /* the integrator's: log10_step, order, ... */
    const char *stats;        /* lines of text: what, and how much after two spaces or more */
    const char *message;      /* how the run ended */
    const char *analysis;     /* JSON, of acausal_analyze */
    const char *structure;    /* JSON: who contains what, sorted */
    const char *diagnostics;  /* JSON, an array */
} PageReport;

/* One page of HTML that needs nothing else. */
void page_report(const PageReport *report, Text *out);

/* A column of numbers as text: the bytes of doubles, all first bytes before all second ones,
 * deflated, in base 64. */
void page_add_column(const double *values, size_t n, Text *out);

#endif
