/* place.c: values inside of functions: where they are stored, fields and subscripts of them,
 * assignments.
 *
 * Arrays lie row by row. Small ones of known size are in the frame, others are made at run time.
 * Each subscript is checked against its dimension. A value that is read from a variable is the
 * variable itself until it is assigned or copied; expressions have no effects, so this is safe but
 * for the parts of a record, which are copied. Tests: tests/api/language_test.c. */
#include "gen/function.h"
#include "gen/inside.h"

enum { LARGEST_FRAME = 2048 };

IrType fun_type(uint8_t base)
{
    return base == BASE_REAL ? IR_REAL : base == BASE_STRING ? IR_STR : base == BASE_OBJECT ? IR_PTR : IR_INT;
}

FunValue fun_of_reg(uint8_t base, IrReg reg)
{
    return (FunValue){ .base = base, .reg = reg, .array = IR_NONE };
}

/* ---- whole numbers: folded where they are known ---------------------------------------------- */

IrReg fun_times(Fun *x, IrReg a, IrReg c)
{
    int64_t i, j;
    bool has_i = ir_is_int(&x->b, a, &i), has_j = ir_is_int(&x->b, c, &j);
    if (has_i && has_j && i < 100000 && j < 100000) return ir_int(&x->b, i * j);
    if (has_i && i == 1) return c;
    if (has_j && j == 1) return a;
    return ir_two(&x->b, IR_IMUL, a, c);
}

IrReg fun_plus(Fun *x, IrReg a, int64_t c)
{
    int64_t i;
    if (ir_is_int(&x->b, a, &i)) return ir_int(&x->b, i + c);
    return c ? ir_two(&x->b, IR_IADD, a, ir_int(&x->b, c)) : a;
}

IrReg fun_count(Fun *x, const FunValue *v)
{
    IrReg n = ir_int(&x->b, 1);
    for (uint32_t k = 0; k < v->rank; k++) n = fun_times(x, n, v->size[k]);
    return n;
}

/* ---- storage --------------------------------------------------------------------------------- */

FunValue fun_new_array(Fun *x, uint8_t base, uint32_t rank, const IrReg *sizes)
{
    FunValue v = { .base = base, .rank = rank, .reg = IR_NONE };
    if (rank > FUN_MOST_RANK) return fun_fail(x, "an array of that many dimensions");
    memcpy(v.size, sizes, rank * sizeof *sizes);
    IrReg count = fun_count(x, &v);
    int64_t n;
    if (ir_is_int(&x->b, count, &n) && n >= 0 && n <= LARGEST_FRAME) {
        v.array = ir_array(&x->b, fun_type(base), (uint32_t)n, NULL);
    } else {
        v.array = ir_array_dynamic(&x->b, fun_type(base), NULL);
        ir_new(&x->b, v.array, count);
    }
    return v;
}

FunValue fun_new_variable(Fun *x, uint8_t base, IrReg value)
{
    FunValue v = fun_of_reg(base, ir_variable(&x->b, fun_type(base), NULL));
    ir_set(&x->b, v.reg, value);
    return v;
}

IrReg fun_load(Fun *x, const FunValue *v, IrReg at, int32_t offset)
{
    return v->rank ? ir_load(&x->b, v->array, at, offset) : v->reg;
}

void fun_store(Fun *x, const FunValue *v, IrReg at, int32_t offset, IrReg value)
{
    ir_store(&x->b, v->array, at, offset, value);
}

FunValue fun_copy(Fun *x, const FunValue *v)
{
    FunValue made = *v;
    if (v->n || v->base == BASE_RECORD || v->base == BASE_FUNCTION) {
        made.fields = NEW_ARRAY(x->scratch, FunValue, v->n + 1);
        for (uint32_t k = 0; k < v->n; k++)
            if (!v->fields[k].is_open)
                made.fields[k] = fun_copy(x, &v->fields[k]);
            else
                made.fields[k].is_open = true;
    } else if (v->rank) {
        made = fun_new_array(x, v->base, v->rank, v->size);
        ir_copy(&x->b, made.array, v->array);
    } else if (x->b.f->regs.at[v->reg].is_variable) {
        made = fun_new_variable(x, v->base, v->reg);
    }
    return made;
}

/* Copies all elements, converting them where types differ. */
static void assign_elements(Fun *x, const FunValue *to, const FunValue *from)
{
    IrType type = fun_type(to->base);
    if (fun_type(from->base) == type) {
        ir_copy(&x->b, to->array, from->array);
        return;
    }
    IrReg i = ir_for(&x->b, ir_int(&x->b, 0), fun_plus(x, fun_count(x, from), -1), 1);
    fun_store(x, to, i, 0, fun_scalar(x, fun_of_reg(from->base, fun_load(x, from, i, 0)), type));
    ir_end(&x->b);
}

void fun_assign(Fun *x, FunValue *to, const FunValue *from)
{
    if (to->base == BASE_FUNCTION) {
        *to = *from;
        return;
    }
    if (to->base == BASE_RECORD) {
        if (from->n != to->n) fun_fail(x, "an assignment between different records");
        for (uint32_t k = 0; k < to->n && k < from->n; k++) fun_assign(x, &to->fields[k], &from->fields[k]);
        return;
    }
    if (!to->rank) {
        ir_set(&x->b, to->reg, fun_scalar(x, *from, fun_type(to->base)));
        return;
    }
    if (from->rank != to->rank) {
        fun_fail(x, "an assignment between arrays of different ranks");
        return;
    }
    if (to->array == from->array) return;
    if (to->is_resizable) {
        ir_new(&x->b, to->array, fun_count(x, from));
        for (uint32_t k = 0; k < to->rank; k++) ir_set(&x->b, to->size[k], from->size[k]);
    } else {
        for (uint32_t k = 0; k < to->rank; k++) ir_check_size(&x->b, from->size[k], to->size[k]);
    }
    assign_elements(x, to, from);
}

/* ---- places: a variable, its fields, and subscripts for some of its dimensions --------------- */

typedef struct {
    enum { SUB_ALL, SUB_ONE, SUB_LIST } kind;
    IrReg at;      /* of SUB_ONE, from 0 */
    FunValue list; /* of SUB_LIST */
    IrReg n;       /* elements of SUB_ALL and SUB_LIST */
} Sub;

typedef struct {
    FunValue v;
    uint32_t n; /* subscripts so far */
    Sub subs[FUN_MOST_RANK];
} Spot;

static IrReg offset_of(Fun *x, IrReg index, IrReg bound)
{
    ir_check_index(&x->b, index, bound);
    return fun_plus(x, index, -1);
}

static void add_subscript(Fun *x, Spot *p, ExprId e)
{
    if (p->n >= p->v.rank || p->n >= FUN_MOST_RANK) {
        fun_fail(x, "a subscript too many");
        return;
    }
    Sub *sub = &p->subs[p->n];
    IrReg bound = p->v.size[p->n++];
    *sub = (Sub){ .kind = SUB_ALL, .n = bound };
    if (x->flat->exprs.at[e].kind == X_COLON) return;
    FunValue v = fun_eval(x, e);
    if (v.base == BASE_BOOLEAN && !v.rank) v.reg = ir_two(&x->b, IR_IADD, v.reg, ir_int(&x->b, 1));
    if (v.rank)
        *sub = (Sub){ .kind = SUB_LIST, .list = v, .n = v.size[0] };
    else
        *sub = (Sub){ .kind = SUB_ONE, .at = offset_of(x, fun_scalar(x, v, IR_INT), bound) };
}

static FunValue read_place(Fun *x, const Spot *p);

static Spot place_of(Fun *x, ExprId id)
{
    const FlatExpr *e = &x->flat->exprs.at[id];
    const ExprId *ids = x->flat->ids.at + e->first;
    if (e->kind == X_SUBSCRIPT) {
        /* r[i].v[j]: subscripts of the field follow those of its record */
        Spot p = place_of(x, ids[0]);
        if (x->flat->exprs.at[ids[0]].kind == X_SUBSCRIPT) p = (Spot){ .v = read_place(x, &p) };
        for (uint32_t k = 1; k < e->n; k++) add_subscript(x, &p, ids[k]);
        return p;
    }
    if (e->kind == X_FIELD) {
        Spot p = place_of(x, ids[0]);
        if (e->index < p.v.n)
            p.v = p.v.fields[e->index];
        else
            fun_fail(x, "a field of something that is no record");
        return p;
    }
    return (Spot){ .v = e->kind == X_LOCAL ? *fun_local(x, e->index) : fun_eval(x, id) };
}

static bool is_element(const Spot *p)
{
    for (uint32_t k = 0; k < p->v.rank; k++)
        if (k >= p->n || p->subs[k].kind != SUB_ONE) return false;
    return true;
}

static IrReg place_at(Fun *x, const Spot *p, const IrReg *running)
{
    IrReg at = ir_int(&x->b, 0);
    for (uint32_t k = 0, free = 0; k < p->v.rank; k++) {
        const Sub *sub = k < p->n ? &p->subs[k] : NULL;
        IrReg own;
        if (sub && sub->kind == SUB_ONE)
            own = sub->at;
        else if (sub && sub->kind == SUB_LIST)
            own = offset_of(x, fun_load(x, &sub->list, running[free], 0), p->v.size[k]), free++;
        else
            own = running[free++];
        int64_t zero;
        IrReg scaled = fun_times(x, at, p->v.size[k]);
        at = ir_is_int(&x->b, scaled, &zero) && zero == 0 ? own : ir_two(&x->b, IR_IADD, scaled, own);
    }
    return at;
}

/* The sizes of what is chosen; returns its rank. */
static uint32_t place_sizes(const Spot *p, IrReg *sizes)
{
    uint32_t rank = 0;
    for (uint32_t k = 0; k < p->v.rank; k++) {
        if (k < p->n && p->subs[k].kind == SUB_ONE) continue;
        sizes[rank++] = k < p->n ? p->subs[k].n : p->v.size[k];
    }
    return rank;
}

/* Copies between what is chosen and an array of that shape; to the place, or from it. */
static void move_elements(Fun *x, const Spot *p, const FunValue *other, bool to_place)
{
    IrReg sizes[FUN_MOST_RANK], running[FUN_MOST_RANK];
    uint32_t rank = place_sizes(p, sizes);
    IrReg at = ir_variable(&x->b, IR_INT, NULL);
    ir_set(&x->b, at, ir_int(&x->b, 0));
    for (uint32_t k = 0; k < rank; k++)
        running[k] = ir_for(&x->b, ir_int(&x->b, 0), fun_plus(x, sizes[k], -1), 1);
    IrReg place = place_at(x, p, running);
    if (to_place)
        fun_store(x, &p->v, place, 0,
                  fun_scalar(x, fun_of_reg(other->base, fun_load(x, other, at, 0)), fun_type(p->v.base)));
    else
        fun_store(x, other, at, 0, fun_load(x, &p->v, place, 0));
    ir_set(&x->b, at, ir_two(&x->b, IR_IADD, at, ir_int(&x->b, 1)));
    for (uint32_t k = 0; k < rank; k++) ir_end(&x->b);
}

static FunValue read_leaf(Fun *x, const Spot *p)
{
    IrReg sizes[FUN_MOST_RANK];
    if (!p->n) return p->v;
    if (is_element(p)) return fun_of_reg(p->v.base, fun_load(x, &p->v, place_at(x, p, NULL), 0));
    uint32_t rank = place_sizes(p, sizes);
    FunValue made = fun_new_array(x, p->v.base, rank, sizes);
    move_elements(x, p, &made, false);
    return made;
}

static FunValue read_place(Fun *x, const Spot *p)
{
    if (p->v.base != BASE_RECORD || !p->n) return read_leaf(x, p);
    FunValue made = p->v;
    made.rank = place_sizes(p, made.size);
    made.fields = NEW_ARRAY(x->scratch, FunValue, p->v.n + 1);
    for (uint32_t k = 0; k < p->v.n; k++) {
        Spot field = *p;
        field.v = p->v.fields[k];
        made.fields[k] = read_place(x, &field);
    }
    return made;
}

FunValue fun_read_place(Fun *x, ExprId e)
{
    Spot p = place_of(x, e);
    return read_place(x, &p);
}

static void write_place(Fun *x, Spot *p, const FunValue *v)
{
    if (!p->n) {
        fun_assign(x, &p->v, v);
    } else if (p->v.base == BASE_RECORD) {
        for (uint32_t k = 0; k < p->v.n && k < v->n; k++) {
            Spot field = *p;
            field.v = p->v.fields[k];
            write_place(x, &field, &v->fields[k]);
        }
    } else if (is_element(p)) {
        fun_store(x, &p->v, place_at(x, p, NULL), 0, fun_scalar(x, *v, fun_type(p->v.base)));
    } else {
        IrReg sizes[FUN_MOST_RANK];
        uint32_t rank = place_sizes(p, sizes);
        if (v->rank != rank) {
            fun_fail(x, "an assignment between arrays of different ranks");
            return;
        }
        for (uint32_t k = 0; k < rank; k++) ir_check_size(&x->b, v->size[k], sizes[k]);
        bool is_own = v->array == p->v.array;
        FunValue from = is_own ? fun_copy(x, v) : *v;
        move_elements(x, p, &from, true);
    }
}

void fun_write_place(Fun *x, ExprId e, const FunValue *v)
{
    const FlatExpr *left = &x->flat->exprs.at[e];
    if (left->kind == X_LOCAL) {
        fun_assign(x, fun_local(x, left->index), v);
        return;
    }
    Spot p = place_of(x, e);
    write_place(x, &p, v);
}
