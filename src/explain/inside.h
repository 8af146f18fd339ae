/* inside.h: what the files of the explain room share. */
#ifndef ACAUSAL_EXPLAIN_INSIDE_H
#define ACAUSAL_EXPLAIN_INSIDE_H

#include "explain/explain.h"
#include "run/run.h"

/* ---- words.c: equations, places and values as texts ------------------------------------------ */

/* "M.mo:12", or "". */
const char *words_of_place(const ExplainModel *what, Span span);
/* Where an equation, variable, statement or check is (SOURCE_...), and a variable that it is about,
 * or NONE. */
Span words_of_source(const ExplainModel *what, uint32_t source, uint32_t *var);
/* "T = 350 K" */
const char *words_of_value(const ExplainModel *what, uint32_t var, const double *values);

/* Variables that an expression reads, by way of relations too; at most `most`. */
typedef struct {
    uint32_t *at;
    uint32_t n;
} Reads;
void words_reads(const ExplainModel *what, Sym e, Reads *reads, uint32_t most);
/* What of an expression has no value for these numbers: "sqrt of -0.2", "division by zero". NULL:
 * nothing is found. */
const char *words_of_domain(const ExplainModel *what, Sym e, const double *values, double t);

/* callers.c: places that call the function with this statement, at most `most`; those in the
 * model's own file first. */
uint32_t explain_callers(const ExplainModel *what, StmtId statement, Span *at, uint32_t most);

/* failure.c: where the guess for an unknown came from. */
const char *explain_guess(const ExplainModel *what, RunInstance *run, uint32_t var);

#endif
