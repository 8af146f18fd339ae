/* source.h: the texts that spans point into. */
#ifndef ACAUSAL_BASE_SOURCE_H
#define ACAUSAL_BASE_SOURCE_H

#include "base/arena.h"

/* ---- source.c: the texts that spans point into ----------------------------------------------- */

/* All sources of a session share one 32-bit space of byte positions, so that a span says its file
 * as well. */
typedef struct {
    uint32_t at, n;
} Span;

static inline Span span_to(Span first, Span last) { return (Span){ first.at, last.at + last.n - first.at }; }

typedef struct Source Source;
struct Source {
    const char *path; /* as the user wrote it, or as found from that */
    Str text;         /* followed by at least one NUL */
    uint32_t base;    /* position of the first byte in the session's space */
    /* inside: */
    size_t mapped;   /* bytes to unmap; 0 if the text is in the arena */
    uint32_t *lines; /* offsets of line starts, made when first asked for */
    uint32_t line_count;
};

typedef struct Sources Sources; /* may be used by several threads, but for source_place */

typedef enum {
    SOURCE_OK,
    SOURCE_UNREADABLE,
    SOURCE_NOT_A_FILE,
    SOURCE_TOO_LARGE,
    SOURCE_SPACE_FULL
} SourceStatus;

Sources *sources_new(void);
void sources_free(Sources *sources);
/* Opens a file; its text stays valid as long as `sources`. On failure *why holds the system's errno
 * (or 0). */
SourceStatus source_open(Sources *sources, const char *path, const Source **source, int *why);
/* Takes text that is not a file: a string given to the library, a test. Copies it. NULL if it does
 * not fit. */
const Source *source_add_text(Sources *sources, const char *path, Str text);
/* NULL for a span that belongs to no source */
const Source *source_of(const Sources *sources, Span span);

typedef struct {
    const char *path;
    uint32_t line, column;         /* from 1; the column counts characters, not bytes */
    uint32_t end_line, end_column; /* one past the last character */
    Str text;                      /* the first line, without its end */
    uint32_t from, to;             /* byte offsets of the span in `text`, clipped to it */
} Place;

/* All files that were opened and texts that were added so far, in that order. */
void sources_each(const Sources *sources, void (*each)(void *arg, const Source *source), void *arg);
bool source_place(const Sources *sources, Span span, Place *place);

#endif
