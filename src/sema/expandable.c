/* expandable.c: expandable connectors (specification 9.1.3): which members each of them has in the
 * end.
 *
 * In: the instance tree and its connect equations. Out: each expandable connector has an entry for
 * every member that some connection of it, or of an expandable connector it is connected to, names;
 * declared members that no connection names are not there. Cost: O(connections + connectors *
 * members), for each level of nesting. Tests: tests/modelica/expandable.mo. */
#include "sema/inside.h"

/* Union-find over the expandable connectors; a group's members have the type of a declaration in
 * one of its connectors, or else of what is connected to them; members that are expandable
 * themselves join further groups, so that is repeated until nothing changes. Invariant: the members
 * of all connectors of a group are the same afterwards, so connections become equations like any
 * others. */

enum { MOST_DIMS = 8 };

/* A member of a group of connectors. */
typedef struct {
    Name name;
    const Entry *like; /* what its type is taken from; NULL: not known yet */
    uint32_t link;     /* a member of another group that is connected to it, or itself */
    uint32_t rank;
    int32_t sizes[MOST_DIMS];
    Span span; /* of a connection that names it */
} Member;

typedef struct {
    Inst *inst;
    uint32_t group;        /* union-find: a bus */
    VEC(uint32_t) members; /* of the group; at its root */
} Bus;

typedef struct {
    Sema *s;
    VEC(Bus) buses;
    VEC(Member) members;
    Map of_inst; /* Inst to its Bus */
    bool changed;
} Buses;

/* Where a side of a connection leads. */
typedef struct {
    Entry *entry; /* NULL if the last name is no component yet */
    Inst *inst;   /* of a scalar that has members */
    Inst *bus;    /* the expandable connector that the last name is a member of; NULL if none is */
    Name member;
    uint32_t rank, slices, bus_rank; /* bus_rank: dimensions of a slice of buses */
    int32_t sizes[MOST_DIMS];        /* what subscripts leave */
    uint32_t subs;
    int32_t largest[MOST_DIMS]; /* of each subscript of the member */
} Side;

static uint32_t bus_of(Buses *b, Inst *inst)
{
    uint64_t at;
    if (map_get(&b->of_inst, map_key(inst), &at)) return (uint32_t)at;
    Bus bus = { .inst = inst, .group = b->buses.n };
    vec_push(b->s->arena, &b->buses, bus);
    *map_put(&b->of_inst, map_key(inst), NULL) = b->buses.n - 1;
    b->changed = true;
    return b->buses.n - 1;
}

static uint32_t group_of(Buses *b, uint32_t bus)
{
    while (b->buses.at[bus].group != bus)
        bus = b->buses.at[bus].group = b->buses.at[b->buses.at[bus].group].group;
    return bus;
}

static uint32_t link_of(Buses *b, uint32_t member)
{
    while (b->members.at[member].link != member) member = b->members.at[member].link;
    return member;
}

static uint32_t find_member(Buses *b, uint32_t group, Name name)
{
    const Bus *root = &b->buses.at[group];
    for (uint32_t i = 0; i < root->members.n; i++)
        if (b->members.at[root->members.at[i]].name == name) return root->members.at[i];
    return NONE;
}

static uint32_t member_of(Buses *b, Inst *inst, Name name, Span span)
{
    uint32_t group = group_of(b, bus_of(b, inst)), at = find_member(b, group, name);
    if (at != NONE) return at;
    Member m = { .name = name, .link = b->members.n, .span = span };
    vec_push(b->s->arena, &b->members, m);
    vec_push(b->s->arena, &b->buses.at[group].members, b->members.n - 1);
    b->changed = true;
    return b->members.n - 1;
}

static void link_members(Buses *b, uint32_t x, uint32_t y)
{
    x = link_of(b, x);
    y = link_of(b, y);
    if (x == y) return;
    if (b->members.at[x].like) {
        uint32_t other = x;
        x = y;
        y = other;
    }
    b->members.at[x].link = y;
    b->changed = true;
}

static void join_buses(Buses *b, Inst *left, Inst *right)
{
    uint32_t x = group_of(b, bus_of(b, left)), y = group_of(b, bus_of(b, right));
    if (x == y) return;
    b->buses.at[y].group = x;
    b->changed = true;
    for (uint32_t i = 0; i < b->buses.at[y].members.n; i++) {
        uint32_t member = b->buses.at[y].members.at[i], same = find_member(b, x, b->members.at[member].name);
        if (same != NONE)
            link_members(b, member, same);
        else
            vec_push(b->s->arena, &b->buses.at[x].members, member);
    }
}

/* ---- what connections name ------------------------------------------------------------------- */

/* Applies the subscripts of a part of a reference. The element that they choose first is *index. */
static bool apply_subscripts(const Env *env, const Entry *e, const Exprs *subs, Side *side, uint32_t *index)
{
    const Type *t = e ? &e->type : NULL;
    TExpr of = { .type = t ? *t : type_scalar(BASE_REAL) };
    uint32_t at = 0;
    if (subs->n > MOST_DIMS || (t && t->rank > MOST_DIMS)) return false;
    side->subs = subs->n;
    side->slices = 0;
    for (uint32_t i = 0; i < subs->n; i++) {
        Env inner = *env;
        inner.end_of = t ? &of : NULL;
        inner.end_dim = i;
        if (subs->at[i]->kind == EXPR_COLON) {
            if (!t || i >= t->rank || side->rank >= MOST_DIMS) return false;
            side->sizes[side->rank++] = side->largest[i] = t->sizes[i];
            side->slices++;
            at = at * (uint32_t)t->sizes[i];
            continue;
        }
        TExpr *sub = type_expr(&inner, subs->at[i]);
        Value *v = tx_is_poison(sub) ? NULL : try_eval(env->s, sub, env->scope);
        if (!v || v->base != BASE_INTEGER || v->rank > 1 || !v->n) return false;
        side->largest[i] = 0;
        for (uint32_t k = 0; k < v->n; k++)
            if (v->at[k].integer > side->largest[i] && v->at[k].integer < MOST_ELEMENTS)
                side->largest[i] = (int32_t)v->at[k].integer;
        if (v->rank && side->rank < MOST_DIMS) side->sizes[side->rank++] = (int32_t)v->n;
        side->slices += v->rank;
        if (t && i < t->rank)
            at = at * (uint32_t)t->sizes[i] + (uint32_t)(v->at[0].integer > 0 ? v->at[0].integer - 1 : 0);
    }
    for (uint32_t i = subs->n; t && i < t->rank; i++) {
        if (side->rank >= MOST_DIMS) return false;
        side->sizes[side->rank++] = t->sizes[i];
        at *= (uint32_t)t->sizes[i];
    }
    *index = at;
    return true;
}

static bool is_expandable(const Inst *inst) { return inst->flags & CLASS_EXPANDABLE; }

/* buses[1:n].x and buses.x are about a member of each of them, of one type. */
static void name_in_slice(Buses *b, const Entry *e, const Exprs *subs, const Side *side, Name name, Span span)
{
    uint32_t first = member_of(b, side->bus, name, span), end = e->count;
    if (subs->n && (!side->slices || e->type.rank != 1)) return;
    if (subs->n && (uint32_t)side->largest[0] < end) end = (uint32_t)side->largest[0];
    for (uint32_t k = 0; k < end; k++)
        if (is_expandable(e->elements[k])) link_members(b, member_of(b, e->elements[k], name, span), first);
}

/* Follows a reference. False if it leads nowhere, which is reported when the connection is made. */
static bool follow(Buses *b, const Env *env, const Expr *ref, Side *side)
{
    Sema *s = b->s;
    *side = (Side){ 0 };
    if (ref->kind != EXPR_REF) return false;
    Entry *e = lookup_name(s, env->scope, ref->parts[0].name);
    for (uint32_t i = 0; i < ref->n; i++) {
        uint32_t index = 0;
        const Exprs *subs = &ref->parts[i].subscripts;
        side->rank = i + 1 == ref->n ? side->rank : 0;
        side->member = ref->parts[i].name;
        if (e && comp_is_open(e)) e = NULL;
        side->entry = e;
        side->inst = NULL;
        if (!e)
            return i > 0 && i + 1 == ref->n && side->bus && apply_subscripts(env, NULL, subs, side, &index);
        if (e->kind != ENTRY_COMPONENT || !(e = entry_target(s, e, env->scope, ref->span)) ||
            !comp_sizes(s, e))
            return false;
        side->entry = e;
        if (e->disabled || !apply_subscripts(env, e, subs, side, &index)) return false;
        if (e->cls->root || e->cls->base == BASE_OBJECT) return i + 1 == ref->n;
        if (index >= e->count) return false;
        side->inst = e->elements[index];
        if (i + 1 == ref->n) return true;
        if (is_expandable(side->inst)) {
            side->bus = side->inst;
            side->bus_rank = subs->n ? side->slices : e->type.rank;
            name_in_slice(b, e, subs, side, ref->parts[i + 1].name, ref->span);
        } else {
            side->bus = NULL;
        }
        e = inst_entry(s, side->inst, ref->parts[i + 1].name);
    }
    return true;
}

/* What is connected to a member gives it its type; subscripts of the member are dimensions of
 * it. */
static void take_type(Buses *b, const Side *of, uint32_t member, const Side *from)
{
    Member *m = &b->members.at[link_of(b, member)];
    uint32_t outer = of->slices + of->bus_rank;
    uint32_t inner = from->rank > outer ? from->rank - outer : 0;
    if (of->subs + inner > MOST_DIMS || (m->like && m->rank != of->subs + inner)) return;
    if (!m->like) {
        m->like = from->entry;
        m->rank = of->subs + inner;
        for (uint32_t i = 0; i < inner; i++) m->sizes[of->subs + i] = from->sizes[outer + i];
        b->changed = true;
    }
    for (uint32_t i = 0; i < of->subs; i++)
        if (of->largest[i] > m->sizes[i]) m->sizes[i] = of->largest[i];
}

typedef VEC(Inst *) Insts;

/* The instances that a reference means, all elements of the arrays on its way. */
static void add_instances(Buses *b, const Env *env, Entry *e, const Expr *ref, uint32_t at, Insts *out)
{
    Sema *s = b->s;
    Side side = { 0 };
    uint32_t index = 0;
    const Exprs *subs = &ref->parts[at].subscripts;
    if (!e || e->kind != ENTRY_COMPONENT || !(e = entry_target(s, e, env->scope, ref->span)) ||
        !comp_sizes(s, e) || e->disabled || e->cls->root || !apply_subscripts(env, e, subs, &side, &index))
        return;
    bool all = !subs->n;
    for (uint32_t i = all ? 0 : index; i < (all ? e->count : index + 1) && i < e->count; i++) {
        if (at + 1 == ref->n)
            vec_push(s->arena, out, e->elements[i]);
        else
            add_instances(b, env, inst_entry(s, e->elements[i], ref->parts[at + 1].name), ref, at + 1, out);
    }
}

/* Expandable connectors that are connected as a whole. */
static void join_all(Buses *b, const Env *env, const Stmt *st)
{
    Insts left = { 0 }, right = { 0 };
    add_instances(b, env, lookup_name(b->s, env->scope, st->left->parts[0].name), st->left, 0, &left);
    add_instances(b, env, lookup_name(b->s, env->scope, st->right->parts[0].name), st->right, 0, &right);
    for (uint32_t i = 0; left.n == right.n && i < left.n; i++)
        if (is_expandable(left.at[i]) && is_expandable(right.at[i])) join_buses(b, left.at[i], right.at[i]);
}

static bool is_undeclared(const Side *side) { return side->bus && !side->entry; }

/* A connection to what is not there says nothing of the other side either. */
static bool leads_nowhere(const Env *env, const Expr *ref)
{
    return ref->kind == EXPR_REF && ref_is_disabled(env, ref);
}

static void visit_connection(void *arg, const Env *env, const Stmt *st)
{
    Buses *b = arg;
    Side left, right;
    if (st->kind != STMT_CONNECT) return;
    if (leads_nowhere(env, st->left) || leads_nowhere(env, st->right)) return;
    if (!follow(b, env, st->left, &left) || !follow(b, env, st->right, &right)) return;
    uint32_t x = left.bus ? member_of(b, left.bus, left.member, st->span) : NONE;
    uint32_t y = right.bus ? member_of(b, right.bus, right.member, st->span) : NONE;
    if (is_undeclared(&left) && is_undeclared(&right)) link_members(b, x, y);
    if (is_undeclared(&left) && right.entry) take_type(b, &left, x, &right);
    if (is_undeclared(&right) && left.entry) take_type(b, &right, y, &left);
    bool whole_left = left.inst && is_expandable(left.inst),
         whole_right = right.inst && is_expandable(right.inst);
    if (whole_left != whole_right && left.entry && right.entry) {
        Note *note = sema_error(b->s, env->scope, E_EXPANDABLE, st->span,
                                "an expandable connector can only be connected with another one");
        diag_label(b->s->diag, note, (whole_left ? left : right).entry->decl->declaration->span,
                   "the expandable one");
    }
    if (whole_left && whole_right) join_all(b, env, st);
}

/* ---- members for all ------------------------------------------------------------------------- */

/* Modifiers without the values that they give: another component's value is not this one's. */
static Mods without_values(Sema *s, Mods mods)
{
    Mods out = { NEW_ARRAY(s->arena, Mod, mods.n + 1), mods.n };
    for (uint32_t i = 0; i < mods.n; i++) {
        out.at[i] = mods.at[i];
        if (!mod_is_whole(&mods.at[i]) || !mods.at[i].m) continue;
        Modification *m = NEW(s->arena, Modification);
        *m = *mods.at[i].m;
        m->value = NULL;
        out.at[i].m = m;
    }
    return out;
}

/* How many of an entry's dimensions its type has already. */
static uint32_t dims_of_type(const Entry *e)
{
    uint32_t n = 0;
    for (const Scope *p = e->cls->own; p && p->cls->form == FORM_SHORT; p = p->n ? p->bases[0] : NULL)
        n += p->cls->subscripts.n;
    return n;
}

static Exprs literal_sizes(Sema *s, const int32_t *sizes, uint32_t n, Span span)
{
    Exprs made = { NEW_ARRAY(s->arena, Expr *, n + 1), n };
    for (uint32_t i = 0; i < n; i++) {
        made.at[i] = NEW(s->arena, Expr);
        made.at[i]->kind = EXPR_INTEGER;
        made.at[i]->span = span;
        made.at[i]->integer = sizes[i];
    }
    return made;
}

/* The declaration with the sizes that connections have told. */
static void close_entry(Sema *s, Entry *e, uint32_t rank, const int32_t *sizes)
{
    Declaration *d = NEW(s->arena, Declaration);
    Decl *decl = NEW(s->arena, Decl);
    *d = *e->decl->declaration;
    d->subscripts = literal_sizes(s, sizes, rank < d->subscripts.n ? rank : d->subscripts.n, d->span);
    *decl = *e->decl;
    decl->declaration = d;
    e->decl = decl;
}

static void add_entry(Sema *s, Inst *bus, const Member *m, const Entry *like, uint32_t rank,
                      const int32_t *sizes)
{
    uint32_t own = rank - (rank > dims_of_type(like) ? dims_of_type(like) : rank);
    Declaration *d = NEW(s->arena, Declaration);
    Clause *clause = NEW(s->arena, Clause);
    Element *element = NEW(s->arena, Element);
    Decl *decl = NEW(s->arena, Decl);
    Entry *e = NEW(s->arena, Entry);
    *d = (Declaration){ .name = m->name, .span = m->span };
    d->subscripts = literal_sizes(s, sizes, own, m->span);
    *clause = *like->decl->element->clause;
    clause->subscripts = (Exprs){ 0 };
    clause->causality = CAUSALITY_NONE;
    clause->declarations = d;
    clause->n = 1;
    *element = (Element){ .kind = ELEMENT_COMPONENT, .span = m->span, .clause = clause };
    *decl = (Decl){ m->name, element, d, NULL };
    *e = (Entry){ .name = m->name,
                  .kind = ENTRY_COMPONENT,
                  .decl = decl,
                  .scope = like->scope,
                  .owner = bus,
                  .var = NONE };
    e->mods = without_values(s, like->mods);
    e->is_listed = true;
    map_set_pointer(&bus->names, m->name, e);
    vec_push(s->arena, &bus->comps, e);
}

/* A declaration of the member in some connector of the group. */
static Entry *declared_in(Buses *b, uint32_t group, Name name)
{
    for (uint32_t i = 0; i < b->buses.n; i++) {
        if (group_of(b, i) != group) continue;
        Entry *e = inst_entry(b->s, b->buses.at[i].inst, name);
        if (e && !comp_is_open(e) && e->kind == ENTRY_COMPONENT && comp_sizes(b->s, e) && !e->disabled)
            return e;
    }
    return NULL;
}

/* Members that are expandable are connected with each other. */
static void join_inner(Buses *b, uint32_t group, Name name)
{
    Entry *first = NULL;
    for (uint32_t i = 0; i < b->buses.n; i++) {
        Entry *e = group_of(b, i) == group ? inst_entry(b->s, b->buses.at[i].inst, name) : NULL;
        if (!e || comp_is_open(e) || e->kind != ENTRY_COMPONENT || !comp_sizes(b->s, e) || e->disabled ||
            e->cls->root)
            continue;
        if (!first) first = e;
        for (uint32_t k = 0; k < e->count && k < first->count && is_expandable(e->elements[k]); k++)
            join_buses(b, first->elements[k], e->elements[k]);
    }
}

static void complete_member(Buses *b, uint32_t group, uint32_t member)
{
    Sema *s = b->s;
    Member m = b->members.at[member];
    Entry *declared = declared_in(b, group, m.name);
    Member *root = &b->members.at[link_of(b, member)];
    if (declared && !root->like) {
        root->like = declared;
        root->rank = declared->type.rank < MOST_DIMS ? declared->type.rank : 0;
        for (uint32_t i = 0; i < root->rank; i++) root->sizes[i] = declared->type.sizes[i];
        b->changed = true;
    }
    const Entry *like = declared ? declared : root->like;
    if (!like) return;
    bool added = false;
    for (uint32_t i = 0; i < b->buses.n; i++) {
        Inst *inst = b->buses.at[i].inst;
        Entry *open = group_of(b, i) == group ? inst_entry(s, inst, m.name) : NULL;
        if (open && comp_is_open(open)) {
            close_entry(s, open, declared ? declared->type.rank : root->rank,
                        declared ? declared->type.sizes : root->sizes);
            added = true;
        }
        if (group_of(b, i) != group || open) continue;
        add_entry(s, inst, &m, like, declared ? declared->type.rank : root->rank,
                  declared ? declared->type.sizes : root->sizes);
        added = true;
    }
    b->changed = b->changed || added;
    join_inner(b, group, m.name);
}

/* A poisoned entry silences what follows from a missing type. */
static void poison_member(Buses *b, const Member *m, Name name)
{
    for (uint32_t i = 0; i < b->buses.n; i++) {
        Inst *inst = b->buses.at[i].inst;
        if (find_member(b, group_of(b, i), name) == NONE || inst_entry(b->s, inst, name)) continue;
        Entry *e = NEW(b->s->arena, Entry);
        Declaration *d = NEW(b->s->arena, Declaration);
        Decl *decl = NEW(b->s->arena, Decl);
        *d = (Declaration){ .name = name, .span = m->span };
        *decl = (Decl){ name, NULL, d, NULL };
        *e = (Entry){ .name = name, .kind = ENTRY_COMPONENT, .decl = decl, .owner = inst, .var = NONE };
        e->state = e->size_state = STATE_POISONED;
        map_set_pointer(&inst->names, name, e);
    }
}

static void report_untyped(Buses *b)
{
    for (uint32_t i = 0; i < b->members.n; i++) {
        const Member *m = &b->members.at[i];
        if (b->members.at[link_of(b, i)].like) continue;
        if (link_of(b, i) == i)
            sema_error(
                b->s, NULL, E_EXPANDABLE, m->span,
                "'%s' of the expandable connector has no type: nothing that has one is connected to it",
                name_text(m->name));
        poison_member(b, m, m->name);
    }
}

/* What is declared and not named by any connection is not there. */
static void drop_unused(Buses *b)
{
    for (uint32_t i = 0; i < b->buses.n; i++) {
        Inst *inst = b->buses.at[i].inst;
        for (uint32_t k = 0; k < inst->comps.n; k++) {
            Entry *e = inst->comps.at[k];
            if (comp_is_open(e))
                close_entry(b->s, e, 8, (const int32_t[8]){ 0 }); /* nothing is connected to it */
            if (!comp_sizes(b->s, e) || e->varies <= VARIES_PARAMETER) continue;
            if (find_member(b, group_of(b, i), e->name) == NONE) e->disabled = true;
        }
    }
}

static void collect_buses(Buses *b, Inst *inst)
{
    inst_list(b->s, inst);
    if (is_expandable(inst)) bus_of(b, inst);
    for (uint32_t i = 0; i < inst->comps.n; i++) {
        Entry *e = inst->comps.at[i];
        bool outer = e->flags & IS_OUTER && !(e->flags & IS_INNER);
        if (outer || comp_is_open(e) || !comp_sizes(b->s, e) || e->disabled || e->cls->base != BASE_CLASS)
            continue;
        for (uint32_t k = 0; k < e->count; k++) collect_buses(b, e->elements[k]);
    }
}

static void complete_all(Buses *b)
{
    do {
        b->changed = false;
        for (uint32_t i = 0; i < b->buses.n; i++) {
            if (group_of(b, i) != i) continue;
            for (uint32_t k = 0; group_of(b, i) == i && k < b->buses.at[i].members.n; k++)
                complete_member(b, i, b->buses.at[i].members.at[k]);
        }
        if (b->changed) walk_connections(b->s, visit_connection, b);
    } while (b->changed);
}

/* What equations use of a bus that is connected with another one goes to that one, too. */
static void take_reference(void *arg, Inst *bus, Name name, Span span)
{
    Buses *b = arg;
    uint64_t at;
    if (!map_get(&b->of_inst, map_key(bus), &at) || !inst_entry(b->s, bus, name)) return;
    uint32_t group = group_of(b, (uint32_t)at), n = 0;
    for (uint32_t i = 0; i < b->buses.n && n < 2; i++) n += group_of(b, i) == group;
    if (n > 1) member_of(b, bus, name, span);
}

static void take_references(Buses *b, Inst *inst)
{
    each_bus_reference(b->s, inst, take_reference, b);
    for (uint32_t i = 0; i < inst->comps.n; i++) {
        const Entry *e = inst->comps.at[i];
        bool is_made = e->size_state == STATE_DONE && !e->disabled && e->cls && e->cls->base == BASE_CLASS;
        if (!is_made || (e->flags & IS_OUTER && !(e->flags & IS_INNER))) continue;
        for (uint32_t k = 0; k < e->count; k++) take_references(b, e->elements[k]);
    }
}

void expand_connectors(Sema *s)
{
    Buses b = { .s = s, .of_inst.arena = s->arena };
    collect_buses(&b, s->model);
    if (!b.buses.n) return;
    walk_connections(s, visit_connection, &b);
    complete_all(&b);
    b.changed = false;
    take_references(&b, s->model);
    if (b.changed) complete_all(&b);
    report_untyped(&b);
    drop_unused(&b);
}
