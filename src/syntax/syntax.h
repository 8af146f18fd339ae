/* syntax.h: the door of the syntax room: Modelica text in, syntax trees out; and libraries, whose
 * files are read when a name in them is first needed.
 *
 * A tree belongs to its file's arena and is never changed after parsing. It keeps the order of the
 * text, byte spans, descriptions and annotations; it drops comments and needless parentheses.
 * Nesting is limited (NESTING_LIMIT), long sums are one node, so walking a tree recursively is
 * safe.
 *
 * Errors. Productions read as if nothing could go wrong. parser_fail reports and replaces the
 * current token by one that matches nothing, so every loop ends and nothing more is reported,
 * until the end of the element or equation takes the real token back and looks for a place to go
 * on. Missing ends are found by who else could own the end that is there. A string whose quote is
 * missing is noticed by the nonsense after it, and lexing goes on at the end of its line.
 *
 * Trees. Sums and products of any length are one node (EXPR_CHAIN), and nesting is limited to
 * 1,000 levels, so walking a tree recursively is safe. Parentheses are not kept: the printer puts
 * them where precedence needs them. An expression takes only as much memory as its kind needs. */
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
