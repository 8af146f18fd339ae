/* mods.c: modifiers as lists of sources, strongest first.
 *
 * Nothing is merged ahead of time: what a modifier says about an element is found when the element
 * is made, by selecting from the list of the instance around it. The first value of a list counts,
 * and the first redeclaration. A modifier on an array of components passes a slice of its value to
 * each element, unless it says `each`. Cost: O(arguments) a selection. Tests: tests/modelica. */
#include "sema/inside.h"

Name argument_name(const Argument *a)
{
    if (a->kind == ARGUMENT_MODIFY || a->kind == ARGUMENT_BREAK_NAME) return a->names[0];
    if (a->kind != ARGUMENT_ELEMENT) return NULL;
    if (a->element->kind == ELEMENT_CLASS) return a->element->cls->name;
    return a->element->kind == ELEMENT_COMPONENT ? a->element->clause->declarations[0].name : NULL;
}

Span mod_span(const Mod *m)
{
    if (m->argument) return m->argument->span;
    return m->m ? m->m->span : (Span){ 0 };
}

/* What an argument says of `name`; false if it is about something else. */
static bool select_argument(const Mod *from, const Argument *a, Name name, Mod *out)
{
    if (a->kind > ARGUMENT_ELEMENT || argument_name(a) != name) return false;
    bool redeclares = a->kind == ARGUMENT_ELEMENT;
    bool each = a->flags & IS_EACH || (redeclares && a->element->flags & IS_EACH);
    bool is_final = a->flags & IS_FINAL || (redeclares && a->element->flags & IS_FINAL);
    *out = (Mod){ .argument = a,
                  .depth = 1,
                  .scope = from->scope,
                  .subs = each ? NULL : from->subs,
                  .m = redeclares ? NULL : a->modification,
                  .is_final = from->is_final || is_final,
                  .is_constraint = from->is_constraint };
    return true;
}

/* Writes what the list says of `name` to `out`, if that is not NULL, and counts it. */
static uint32_t select_all(Mods mods, Name name, Mod *out)
{
    uint32_t n = 0;
    Mod found;
    for (uint32_t i = 0; i < mods.n; i++) {
        const Mod *m = &mods.at[i];
        if (!mod_is_whole(m)) {
            if (m->argument->names[m->depth] != name) continue;
            if (out) {
                out[n] = *m;
                out[n].depth++;
            }
            n++;
            continue;
        }
        for (uint32_t k = 0; m->m && k < m->m->n; k++) {
            if (!select_argument(m, m->m->arguments[k], name, &found)) continue;
            if (out) out[n] = found;
            n++;
        }
    }
    return n;
}

Mods mods_select(Sema *s, Mods mods, Name name)
{
    Mods out = { NULL, select_all(mods, name, NULL) };
    if (!out.n) return out;
    out.at = NEW_ARRAY(s->arena, Mod, out.n);
    select_all(mods, name, out.at);
    return out;
}

Mods mods_join(Sema *s, Mods strong, Mods weak)
{
    if (!weak.n) return strong;
    if (!strong.n) return weak;
    Mods joined = { NEW_ARRAY(s->arena, Mod, strong.n + weak.n), strong.n + weak.n };
    memcpy(joined.at, strong.at, strong.n * sizeof(Mod));
    memcpy(joined.at + strong.n, weak.at, weak.n * sizeof(Mod));
    return joined;
}

Mods mods_add(Sema *s, Mods strong, const Modification *m, Scope *scope)
{
    if (!m) return strong;
    Mod *own = NEW(s->arena, Mod);
    *own = (Mod){ .m = m, .scope = scope };
    return mods_join(s, strong, (Mods){ own, 1 });
}

Mods mods_for_element(Sema *s, Mods mods, uint32_t rank, const int32_t *at, const int32_t *sizes)
{
    if (!rank || !mods.n) return mods;
    int32_t *copy = memcpy(NEW_ARRAY(s->arena, int32_t, rank), at, rank * sizeof *at);
    Mods out = { NEW_ARRAY(s->arena, Mod, mods.n), mods.n };
    for (uint32_t i = 0; i < mods.n; i++) {
        Subs *subs = NEW(s->arena, Subs);
        *subs = (Subs){ mods.at[i].subs, rank, copy, sizes };
        out.at[i] = mods.at[i];
        out.at[i].subs = subs;
    }
    return out;
}

const Mod *mods_value(Mods mods)
{
    for (uint32_t i = 0; i < mods.n; i++)
        if (mod_is_whole(&mods.at[i]) && mods.at[i].m && mods.at[i].m->value) return &mods.at[i];
    return NULL;
}

const Mod *mods_redeclare(Mods mods)
{
    for (uint32_t i = 0; i < mods.n; i++) {
        const Argument *a = mods.at[i].argument;
        if (a && a->kind == ARGUMENT_ELEMENT && mods.at[i].depth == 1) return &mods.at[i];
    }
    return NULL;
}
