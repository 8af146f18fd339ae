/* draft.h: what the files behind describe.h share. */
#ifndef ACAUSAL_SEMA_DRAFT_H
#define ACAUSAL_SEMA_DRAFT_H

#include "sema/describe.h"
#include "sema/inside.h"

struct Describer {
    Sema sema;
    Arena *arena;
    Map described; /* Inst to Described */
    bool is_ready;
    Diag hushed; /* takes what is wrong with what nobody asked for */
    Diag *loud;
    uint32_t hushes;
};

/* Between these, nothing is reported. */
void describe_hush(Describer *d);
void describe_unhush(Describer *d);

/* What is written there; n == 0 for a place in no text. */
Str described_text(const Describer *d, Span span);
Datum *datum_of_value(Describer *d, const Value *v, Span span);

#endif
