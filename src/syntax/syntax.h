/* syntax.h: the door of the syntax room: Modelica text in, syntax trees out; and libraries, whose
 * files are read when a name in them is first needed.
 *
 * A tree belongs to its file's arena and is never changed after parsing. It keeps the order of the
 * text, byte spans, descriptions and annotations; it drops comments and needless parentheses.
 * Nesting is limited (NESTING_LIMIT), long sums are one node, so walking a tree recursively is
 * safe. */
#ifndef ACAUSAL_SYNTAX_H
#define ACAUSAL_SYNTAX_H

#include "syntax/class.h"
#include "syntax/expr.h"
#include "syntax/library.h"

/* ---- files ----------------------------------------------------------------------------------- */

Names *syntax_names_new(void); /* a table of names that knows the keywords: parsers need this one */

/* What a thread needs to parse files one after the other: a cache and room to work. */
typedef struct Reader Reader;
Reader *reader_new(Names *names);
void reader_free(Reader *reader);

/* Parses a text into `arena`. Never NULL: what could not be understood is reported and left out. */
Tree *syntax_parse(Reader *reader, const Source *source, Arena *arena, Diag *diag);

/* Writes a tree as well-formed Modelica that parses to an equal tree. */
void syntax_print(const Tree *tree, Text *out);
void syntax_print_class(const Class *cls, Text *out);
void syntax_print_expr(const Expr *e, Text *out);
const char *class_kind_text(unsigned kind); /* "model" of a ClassKind */
/* Whether two trees say the same; spans do not count. */
bool syntax_equal(const Tree *a, const Tree *b);

/* ---- annotations ----------------------------------------------------------------------------- */

/* The modifier of this name among the arguments; NULL if there is none, or no modification at
 * all. */
const Argument *modification_find(const Modification *m, const char *name);
/* The string that the modifier of this name is set to; at == NULL if it is none. */
Str modification_string(const Modification *m, const char *name);
const Modification *class_annotation(const Class *cls); /* NULL if there is none */

#endif
