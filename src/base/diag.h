/* diag.h: diagnostics: what is wrong, where, and what helps; as text and as JSON. */
#ifndef ACAUSAL_BASE_DIAG_H
#define ACAUSAL_BASE_DIAG_H

#include "base/source.h"
#include "base/text.h"

/* ---- diag.c: diagnostics --------------------------------------------------------------------- */

typedef enum { SEVERITY_NOTE, SEVERITY_WARNING, SEVERITY_ERROR } Severity;

/* Codes are for ever: one is never reused for another meaning. The list is in codes.def. */
typedef enum {
#define CODE(id, text, severity, about) id,
#include "base/codes.def"
#undef CODE
    CODE_COUNT
} Code;

typedef struct {
    Span span;
    const char *text;
} Label;

typedef struct Note Note;
struct Note {
    Code code;
    Severity severity;
    Span span;        /* n == 0 and at == 0: no place in a text */
    const char *path; /* the file concerned, where there is no span; may be NULL */
    const char *text;
    VEC(Label) labels;
    VEC(const char *) hints;
    bool stays; /* whoever takes diagnostics back leaves this one */
};

typedef struct {
    Arena *arena;
    VEC(Note *) notes;
    uint32_t errors, warnings; /* counted even past the limits */
    bool strict_language;      /* what libraries break and other tools let pass is an error */
    uint32_t limit_per_code;   /* notes kept of one code; 0 is no limit */
    uint32_t dropped;          /* notes that were over the limit */
    uint32_t counts[CODE_COUNT];
} Diag;

void diag_init(Diag *diag, Arena *arena);
/* Adds a diagnostic with the severity of its code. Never NULL: over the limit a note is counted,
 * not kept. */
Note *diag_add(Diag *diag, Code code, Span span, const char *format, ...) PRINTF_LIKE(4, 5);
/* The same about a file as a whole, or, with path NULL, about no text at all. */
Note *diag_add_file(Diag *diag, Code code, const char *path, const char *format, ...) PRINTF_LIKE(4, 5);
/* makes an error a warning, unless the user asks for the language as it is written */
void diag_lower(Diag *diag, Note *note);
/* the other way round: warnings of this code become errors; whether there are some */
bool diag_raise(Diag *diag, Code code);
void diag_label(Diag *diag, Note *note, Span span, const char *format, ...) PRINTF_LIKE(4, 5);
void diag_hint(Diag *diag, Note *note, const char *format, ...) PRINTF_LIKE(3, 4);
void diag_merge(Diag *into, const Diag *from); /* copies; the order of `from` is kept */

const char *code_text(Code code);  /* "E0102" */
const char *code_about(Code code); /* one paragraph for `acausal help E0102` */
bool code_find(Str text, Code *code);

typedef struct {
    bool colour;
} RenderStyle;

void diag_render(const Note *note, const Sources *sources, RenderStyle style, Text *out);
void diag_render_json(const Note *note, const Sources *sources, Text *out);

#endif
