/* annotation.c: reading annotations, and modifications as far as text goes. Tests:
 * tests/syntax/library_test.c. */
#include "syntax/syntax.h"

const Argument *modification_find(const Modification *m, const char *name)
{
    for (uint32_t i = 0; m && i < m->n; i++) {
        const Argument *a = m->arguments[i];
        if (a->kind == ARGUMENT_MODIFY && a->name_count == 1 && str_is(name_str(a->names[0]), name)) return a;
    }
    return NULL;
}

Str modification_string(const Modification *m, const char *name)
{
    const Argument *a = modification_find(m, name);
    const Expr *value = a && a->modification ? a->modification->value : NULL;
    if (!value || value->kind != EXPR_STRING) return (Str){ 0 };
    return (Str){ value->text, value->n };
}

const Modification *class_annotation(const Class *cls)
{
    return cls->comment ? cls->comment->annotation : NULL;
}
