/* mods.c: modifiers as lists of sources, strongest first.
 *
 * Nothing is merged ahead of time: what a modifier says about an element is found when the element is made, by
 * selecting from the list of the instance around it. The first value of a list counts, and the first
 * redeclaration. A modifier on an array of components passes a slice of its value to each element, unless it says
 * `each`. Cost: O(arguments) a selection. Tests: tests/modelica. */
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

typedef VEC(Mod) ModVec;

static void select_argument(Sema *s, const Mod *from, const Argument *a, Name name, ModVec *out)
{
    if (a->kind > ARGUMENT_ELEMENT || argument_name(a) != name) return;
    bool redeclares = a->kind == ARGUMENT_ELEMENT;
    bool each = a->flags & IS_EACH || (redeclares && a->element->flags & IS_EACH);
    Mod mod = { .argument = a,
                .depth = 1,
                .scope = from->scope,
                .subs = each ? NULL : from->subs,
                .m = redeclares ? NULL : a->modification,
                .is_final =
                    from->is_final || a->flags & IS_FINAL || (redeclares && a->element->flags & IS_FINAL) };
    vec_push(s->arena, out, mod);
}

Mods mods_select(Sema *s, Mods mods, Name name)
{
    ModVec out = { 0 };
    for (uint32_t i = 0; i < mods.n; i++) {
        const Mod *m = &mods.at[i];
        if (!mod_is_whole(m)) {
            if (m->argument->names[m->depth] != name) continue;
            Mod deeper = *m;
            deeper.depth++;
            vec_push(s->arena, &out, deeper);
            continue;
        }
        for (uint32_t k = 0; m->m && k < m->m->n; k++) select_argument(s, m, m->m->arguments[k], name, &out);
    }
    return (Mods){ out.at, out.n };
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

Mods mods_add(Sema *s, Mods strong, const Modification *m, Part *scope)
{
    if (!m) return strong;
    Mod *own = NEW(s->arena, Mod);
    *own = (Mod){ .m = m, .scope = scope };
    return mods_join(s, strong, (Mods){ own, 1 });
}

Mods mods_for_element(Sema *s, Mods mods, uint32_t rank, const int32_t *at)
{
    if (!rank || !mods.n) return mods;
    int32_t *copy = memcpy(NEW_ARRAY(s->arena, int32_t, rank), at, rank * sizeof *at);
    Mods out = { NEW_ARRAY(s->arena, Mod, mods.n), mods.n };
    for (uint32_t i = 0; i < mods.n; i++) {
        Subs *subs = NEW(s->arena, Subs);
        *subs = (Subs){ mods.at[i].subs, rank, copy };
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
