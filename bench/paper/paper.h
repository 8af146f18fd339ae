/* paper.h: the founding documents, made again: tables and figures as files, and a page with them.
 *
 * What there is, is data: a document is a row with its figures, each of which has a function that
 * makes it (inside.h). The command is bench/paper.c. */
#ifndef ACAUSAL_BENCH_PAPER_H
#define ACAUSAL_BENCH_PAPER_H

#include "acausal.h"

typedef struct PaperFigure PaperFigure;

typedef struct {
    const char *name;   /* "restarts" */
    const char *title;  /* of the document */
    const char *source; /* authors, where it was published */
    const char *about;  /* what it is about, and what came of it here */
    const PaperFigure *figures;
    size_t count;
} PaperDocument;

extern const PaperDocument paper_restarts, paper_methods, paper_dae, paper_increments, paper_sparsing;

typedef struct {
    const PaperDocument *document;
    const char *figure;    /* "2", "6.1", "table-1"; NULL: all */
    const char *directory; /* where files go; NULL: no files */
    const char *models;    /* where the models are */
    const char *command;   /* as given, for the page */
    bool full;             /* what takes long, too */
    AcausalWrite write;    /* takes tables and remarks as text */
    void *arg;
} PaperRequest;

const PaperDocument *paper_document(size_t i); /* NULL past the last */
/* "figure-2", "table-1": its name, a title and its section. False: there are fewer. */
bool paper_figure(const PaperDocument *document, size_t i, const char **name, const char **title,
                  const char **section);
/* ACAUSAL_USAGE: there is no such figure. ACAUSAL_WRONG: files or models. ACAUSAL_FAILED: a figure
 * could not be made. What went wrong is in `why`; the rest is made all the same. */
AcausalStatus paper_make(const PaperRequest *request, char *why, size_t room);

#endif
