/* permit.c: whether code of an origin may run. Each origin is looked up in the store, or asked for,
 * at most once a permit. Tests: tests/trust/trust_test.c, tests/cli/trust.sh. */
#include "trust/trust.h"

void permit_allow(Permit *p, const char *path)
{
    const char *real = path_real(p->arena, path);
    if (real) vec_push(p->arena, &p->allowed, real);
}

static bool lies_in(const char *path, const char *directory)
{
    size_t n = strlen(directory);
    if (strncmp(path, directory, n) != 0) return false;
    return !path[n] || path[n] == '/' || (n && directory[n - 1] == '/');
}

bool permit_origin(Permit *p, const char *origin)
{
    const char *real = p && origin ? path_real(p->arena, origin) : NULL;
    if (!real) return false;
    for (uint32_t i = 0; i < p->allowed.n; i++)
        if (lies_in(real, p->allowed.at[i])) return true;
    for (uint32_t i = 0; i < p->refused.n; i++)
        if (!strcmp(real, p->refused.at[i])) return false;
    bool may = trust_state(p->arena, real) == TRUST_SAME || (p->ask && p->ask(p->ask_arg, real));
    if (may)
        vec_push(p->arena, &p->allowed, real);
    else
        vec_push(p->arena, &p->refused, real);
    return may;
}

bool permit_effects(const Permit *p) { return p && p->effects; }
