/* trust.c: what of acausal.h is about trust: whose foreign code may run in a session, and for
 * good.
 *
 * A command that runs a model may run the code of its source and of the libraries that the user
 * named; one that only looks runs none. Everything else needs trust. Tests: tests/cli/trust.sh. */
#include "api/inside.h"

/* The library, or the file, that a class stands in. */
static const char *place_of(const Class *cls)
{
    const Unit *unit = class_unit(cls);
    return unit ? unit_root(unit)->path : NULL;
}

void session_permit(AcausalSession *s, const Class *cls)
{
    const char *source = cls ? place_of(cls) : NULL;
    s->permit.looks_only = s->only_looks;
    s->permit.effects = !s->only_looks && s->switches[ACAUSAL_TRUST_SOURCE];
    if (s->only_looks || !s->switches[ACAUSAL_TRUST_SOURCE]) return;
    if (source) permit_allow(&s->permit, source);
    for (uint32_t i = 0; i < s->named.n; i++) permit_allow(&s->permit, s->named.at[i]);
    s->named.n = 0;
}

bool acausal_is_model_text(const char *source)
{
    size_t n = strlen(source);
    return n > 3 && !strcmp(source + n - 3, ".mo");
}

AcausalStatus acausal_trust(AcausalSession *s, const char *path)
{
    permit_allow(&s->permit, path);
    return ACAUSAL_DONE;
}

void acausal_ask_trust(AcausalSession *s, bool (*ask)(void *arg, const char *origin), void *arg)
{
    s->permit.ask = ask;
    s->permit.ask_arg = arg;
}

AcausalStatus acausal_trust_store(AcausalSession *s, const char *path, bool trusted)
{
    Arena *arena = arena_new();
    const char *reason = "out of memory";
    bool ok = arena && (trusted ? trust_add(arena, path, &reason) : trust_remove(arena, path, &reason));
    if (!ok) wrong(s, E_OPTION, "%s", reason);
    arena_free(arena);
    return ok ? ACAUSAL_DONE : ACAUSAL_WRONG;
}

AcausalStatus acausal_trust_list(AcausalSession *s,
                                 void (*row)(void *arg, const char *path, const char *digest, bool changed),
                                 void *arg)
{
    Arena *arena = arena_new();
    const char *reason = "out of memory";
    TrustRows rows = { 0 };
    bool ok = arena && trust_rows(arena, &rows, &reason);
    if (!ok) wrong(s, E_OPTION, "%s", reason);
    for (uint32_t i = 0; ok && i < rows.n; i++)
        row(arg, rows.at[i].path, rows.at[i].digest, trust_state(arena, rows.at[i].path) != TRUST_SAME);
    arena_free(arena);
    return ok ? ACAUSAL_DONE : ACAUSAL_WRONG;
}
