/* inside.h: what the files of the edit room share: a text, its tree, and pieces to be replaced. */
#ifndef ACAUSAL_EDIT_INSIDE_H
#define ACAUSAL_EDIT_INSIDE_H

#include "edit/edit.h"

typedef struct {
    uint32_t from, to; /* bytes of the text */
    const char *by;
} Piece;

typedef struct {
    Arena *arena;
    Names *names;
    Str text;
    uint32_t base; /* where spans of the text begin to count */
    Class *cls;
    const char *end_of_line; /* "\n" or "\r\n", as the text has it */
    VEC(Piece) pieces;
    const char *why; /* what is wrong; NULL: nothing */
} Editing;

static inline uint32_t span_from(const Editing *e, Span s) { return s.at - e->base; }
static inline uint32_t span_end(const Editing *e, Span s) { return s.at - e->base + s.n; }

void replace(Editing *e, uint32_t from, uint32_t to, const char *by);
void write_pieces(const Editing *e, Text *out);
static inline void insert(Editing *e, uint32_t at, const char *what) { replace(e, at, at, what); }
bool fail(Editing *e, const char *format, ...) PRINTF_LIKE(2, 3);

/* place.c: where things are in the text. */
uint32_t skip_blank(const Editing *e, uint32_t at); /* spaces, ends of lines, comments */
uint32_t skip_string(const Editing *e,
                     uint32_t at); /* a description, with its pieces; `at` if there is none */
uint32_t behind_semicolon(const Editing *e, uint32_t at); /* of what ends at or behind `at` */
const char *indent_of(const Editing *e, uint32_t at);     /* of the line that this is in */
/* With the line, if nothing else is in it. */
void remove_item(Editing *e, uint32_t from, uint32_t to);
uint32_t class_head_end(const Editing *e); /* behind "model A "..."" */
uint32_t class_tail(const Editing *e);     /* before the class' annotation, or before `end A` */
uint32_t declaration_end(const Editing *e, const Declaration *d); /* without description and annotation */
uint32_t comment_end(const Editing *e, uint32_t at, const Comment *c);
Declaration *find_declaration(const Editing *e, const char *name, Element **element);

/* modify.c: members of modifications and annotations. `at`: where one begins that is not there. */
void set_value(Editing *e, const Modification *m, uint32_t at, char **path, uint32_t n, const char *value);
bool remove_value(Editing *e, const Modification *m, uint32_t at, char **path, uint32_t n);
/* Makes `text` the member of this path, whose last name it begins with. */
void set_member(Editing *e, const Modification *m, char **path, uint32_t n, const char *text);
/* The same in the annotation of something that ends at `at` and may have no comment. */
void set_annotation(Editing *e, const Comment *c, uint32_t at, char **path, uint32_t n, const char *text);

/* rename.c */
void rename_component(Editing *e, const char *name, const char *other);

#endif
