/* edit.c: what of acausal.h changes texts. Tests: tests/edit/edit_test.c, tests/serve/studio.py. */
#include "edit/edit.h"
#include "api/inside.h"

AcausalStatus acausal_edit(AcausalSession *s, const char *text, const char *class_name,
                           const AcausalEdit *edit, AcausalWrite write, void *arg)
{
    char why[400];
    AcausalEdit own = { 0 };
    if (!TAKE(s, own, edit)) return ACAUSAL_USAGE;
    if ((size_t)own.kind >= EDIT_COUNT || !own.name)
        return wrong(s, E_OPTION, "there is no such change of a class"), ACAUSAL_USAGE;
    const Edit asked = { (EditKind)own.kind, own.name, own.other ? own.other : "", own.text ? own.text : "",
                         own.annotation };
    Arena *arena = arena_new();
    if (!arena) return ACAUSAL_BUG;
    Text out = { .arena = arena };
    bool ok = edit_apply(str_of(text), class_name, &asked, &out, why, sizeof why);
    if (ok)
        write(arg, out.at, out.n);
    else
        wrong(s, E_OPTION, "%s", why);
    arena_free(arena);
    return ok ? ACAUSAL_DONE : ACAUSAL_WRONG;
}
