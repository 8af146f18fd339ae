/* call.c: calls of functions in equations: scalars become arguments, results become scalars again.
 *
 * In: a SYM_CALL whose arguments are lowered. Out: registers of all scalars of its results.
 * Arguments are passed as function.c says; an array is written to the frame element by element, or
 * is a table of the module where all of it is known. A differentiated function takes directions
 * after its inputs and gives derivatives after its outputs, so that the list of its operands is
 * that of the function it was made from, twice as long where Reals are. Cost: linear in the
 * scalars. Tests: tests/api/language_test.c. */
#include "gen/function.h"
#include "gen/inside.h"

enum { LARGEST_FRAME = 2048 }; /* elements of an array on the stack */

/* One operand: a register or an array. */
typedef struct {
    bool is_array, is_size;
    uint8_t type;      /* IrType */
    uint32_t n;        /* elements; of a size: its value */
    uint32_t *scalars; /* of each element: which scalar of the arguments or results */
    bool is_wanted;    /* of results: the highest derivative */
} Slot;
typedef VEC(Slot) Slots;

typedef struct {
    Lower *l;
    const DaeFun *f;
    Slots in, out;
} Call;

/* ---- which scalars go where ------------------------------------------------------------------ */

/* The leaves of a shape. `starts`: the first scalar of each element of the dimensions around it. */
static void add_slots(Call *k, const DaeShape *s, const uint32_t *starts, uint32_t n, const uint32_t *outer,
                      uint32_t outer_rank, Slots *out)
{
    Arena *a = k->l->scratch;
    uint32_t sizes[2 * FUN_MOST_RANK], rank = outer_rank + s->rank, count = 1, inner;
    if (s->is_open || rank > FUN_MOST_RANK) return;
    if (outer_rank) memcpy(sizes, outer, outer_rank * sizeof *sizes);
    for (uint32_t d = 0; d < s->rank; d++) count *= sizes[outer_rank + d] = s->sizes[d];
    inner = count ? s->scalars / count : 0;
    uint32_t *all = NEW_ARRAY(a, uint32_t, (size_t)n * count + 1), all_n = n * count;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < count; j++) all[i * count + j] = starts[i] + j * inner;
    if (s->base == BASE_RECORD || s->base == BASE_FUNCTION) {
        bool is_record = s->base == BASE_RECORD;
        for (uint32_t f = 0; f < s->n; f++) {
            add_slots(k, &s->fields[f], all, all_n, sizes, is_record ? rank : 0, out);
            for (uint32_t i = 0; i < all_n; i++) all[i] += s->fields[f].scalars;
            all = memcpy(NEW_ARRAY(a, uint32_t, all_n + 1), all, all_n * sizeof *all);
        }
        return;
    }
    Slot slot = { .is_array = rank > 0,
                  .type = (uint8_t)fun_type(s->base),
                  .n = all_n,
                  .scalars = all,
                  .is_wanted = true };
    vec_push(a, out, slot);
    for (uint32_t d = 0; d < rank; d++) {
        Slot size = { .is_size = true, .type = IR_INT, .n = sizes[d] };
        vec_push(a, out, size);
    }
}

/* After the inputs a direction for each Real one; after the outputs the derivative of each Real
 * one. */
static void differentiate(Call *k, const DaeFun *base)
{
    Arena *a = k->l->scratch;
    uint32_t *direction = NEW_ARRAY(a, uint32_t, base->in_n + 1), next = base->in_n;
    for (uint32_t i = 0; i < base->in_n; i++) direction[i] = base->in_is_real[i] ? next++ : 0;
    for (uint32_t i = 0, n = k->in.n; i < n; i++) {
        Slot slot = k->in.at[i];
        if (slot.type != IR_REAL) continue;
        uint32_t *scalars = NEW_ARRAY(a, uint32_t, slot.n + 1);
        for (uint32_t j = 0; j < slot.n; j++) scalars[j] = direction[slot.scalars[j]];
        slot.scalars = scalars;
        vec_push(a, &k->in, slot);
    }
    for (uint32_t i = 0, n = k->out.n; i < n; i++) {
        Slot slot = k->out.at[i];
        k->out.at[i].is_wanted = false; /* its derivative is, if it was */
        if (slot.type == IR_REAL) vec_push(a, &k->out, slot);
    }
}

/* The slots of a function of some order, from those of the function it was made from. */
static void make_slots(Call *k, const SymPool *pool, const DaeFun *f)
{
    if (f->order) {
        const DaeFun *base = sym_fun(pool, f->base);
        make_slots(k, pool, base);
        differentiate(k, base);
        return;
    }
    uint32_t start = 0;
    for (uint32_t i = 0; i < f->inputs + f->outputs; i++) {
        if (i == f->inputs) start = 0;
        uint32_t before = k->out.n;
        add_slots(k, &f->shapes[i], &start, 1, NULL, 0, i < f->inputs ? &k->in : &k->out);
        for (uint32_t s = before; f->shapes[i].is_unused && s < k->out.n; s++) k->out.at[s].is_wanted = false;
        start += f->shapes[i].scalars;
    }
}

/* ---- operands -------------------------------------------------------------------------------- */

static IrReg as_type(Lower *l, IrReg r, IrType type)
{
    IrType own = (IrType)l->b.f->regs.at[r].type;
    if (own == type) return r;
    if (type == IR_INT && own == IR_REAL) return ir_one(&l->b, IR_TO_INT, r);
    return type == IR_REAL && own == IR_INT ? ir_one(&l->b, IR_TO_REAL, r) : r;
}

/* An array whose elements are all known lies in the module. */
static bool known_table(Call *k, const Slot *slot, const Sym *args, IrArr *array)
{
    Lower *l = k->l;
    if (slot->type != IR_REAL || !slot->n) return false;
    double *values = NEW_ARRAY(l->scratch, double, slot->n);
    for (uint32_t i = 0; i < slot->n; i++) {
        const SymNode *n = sym_node(l->c->s->pool, args[slot->scalars[i]]);
        if (n->op != SYM_REAL) return false;
        values[i] = n->real;
    }
    uint32_t table = ir_add_table(l->c->module, "known", values, slot->n);
    *array = ir_array_table(&l->b, table);
    return true;
}

static uint32_t operand(Call *k, const Slot *slot, const Sym *args)
{
    Lower *l = k->l;
    if (slot->is_size) return ir_int(&l->b, slot->n);
    if (!slot->is_array) return as_type(l, l->reg[args[slot->scalars[0]]], (IrType)slot->type);
    IrArr array;
    if (known_table(k, slot, args, &array)) return array;
    array = slot->n <= LARGEST_FRAME ? ir_array(&l->b, (IrType)slot->type, slot->n, NULL)
                                     : ir_array_dynamic(&l->b, (IrType)slot->type, NULL);
    if (slot->n > LARGEST_FRAME) ir_new(&l->b, array, ir_int(&l->b, slot->n));
    for (uint32_t i = 0; i < slot->n; i++)
        ir_store(&l->b, array, IR_NONE, (int32_t)i,
                 as_type(l, l->reg[args[slot->scalars[i]]], (IrType)slot->type));
    return array;
}

static void take(Call *k, const Slot *slot, uint32_t at, IrReg *out)
{
    Lower *l = k->l;
    if (slot->is_size || !slot->is_wanted) return;
    if (!slot->is_array) {
        out[slot->scalars[0]] = as_type(l, at, IR_REAL);
        return;
    }
    ir_check_size(&l->b, ir_length(&l->b, at), ir_int(&l->b, slot->n));
    for (uint32_t i = 0; i < slot->n; i++) {
        IrReg element = ir_load(&l->b, at, IR_NONE, (int32_t)i);
        out[slot->scalars[i]] = as_type(l, element, IR_REAL);
    }
}

/* The call, and its results as registers. */
static void make_call(Call *k, IrFun made, const Sym *args, IrReg *out)
{
    Lower *l = k->l;
    uint32_t *operands = NEW_ARRAY(l->scratch, uint32_t, k->in.n + k->out.n + 1), n = 0;
    for (uint32_t i = 0; i < k->in.n; i++) operands[n++] = operand(k, &k->in.at[i], args);
    for (uint32_t i = 0; i < k->out.n; i++)
        operands[n++] =
            k->out.at[i].is_array ? ir_array_dynamic(&l->b, (IrType)k->out.at[i].type, NULL) : IR_NONE;
    ir_call(&l->b, made, operands, n);
    for (uint32_t i = 0; i < k->out.n; i++) take(k, &k->out.at[i], operands[k->in.n + i], out);
}

/* An impure function is called once in an event, however often the event's equations are computed
 * until they agree. Its results are kept after the number of the event. */
static void call_once(Call *k, IrFun made, const Sym *args, uint32_t at, IrReg *out)
{
    Lower *l = k->l;
    IrBuilder *b = &l->b;
    IrReg now = lower_load(l, MEM_MODE, MODE_EVENT);
    ir_if(b, ir_two(b, IR_NE, lower_load(l, MEM_ONCE, at), now));
    make_call(k, made, args, out);
    for (uint32_t i = 0; i < k->f->out_n; i++) lower_store(l, MEM_ONCE, at + 1 + i, lower_number(l, out[i]));
    lower_store(l, MEM_ONCE, at, now);
    ir_end(b);
    for (uint32_t i = 0; i < k->f->out_n; i++) {
        uint8_t base = sym_result_base(k->f, i);
        out[i] = lower_load(l, MEM_ONCE, at + 1 + i);
        if (base == BASE_STRING) out[i] = ir_builtin_call(b, "string_at", &out[i], 1);
        if (base == BASE_OBJECT) out[i] = ir_builtin_call(b, "object_at", &out[i], 1);
    }
}

static bool is_once(const DaeFun *f) { return !f->order && f->out_n && f->is_once; }

uint32_t gen_once_size(const Compiled *c, uint32_t fun)
{
    uint32_t size = 0;
    for (uint32_t i = 0; i < fun; i++) {
        const DaeFun *f = sym_fun(c->s->pool, i);
        if (is_once(f)) size += 1 + f->out_n;
    }
    return size;
}

IrReg *lower_call(Lower *l, Sym call)
{
    const SymPool *pool = l->c->s->pool;
    uint32_t fun = sym_node(pool, call)->index;
    const DaeFun *f = sym_fun(pool, fun);
    Call k = { .l = l, .f = f };
    make_slots(&k, pool, f);
    IrReg *out = NEW_ARRAY(l->scratch, IrReg, f->out_n + 1);
    for (uint32_t i = 0; i < f->out_n; i++) out[i] = ir_real(&l->b, 0);
    IrFun made = gen_function(l->functions, f->of, f->shapes);
    made = gen_derivative(l->functions, made, f->order, f->span);
    if (gen_functions_failed(l->functions)) return out;
    Sym *args = NEW_ARRAY(l->scratch, Sym, f->in_n + 1), at = sym_node(pool, call)->arg[0];
    for (uint32_t i = 0; i < f->in_n; i++, at = sym_node(pool, at)->arg[1])
        args[i] = sym_node(pool, at)->arg[0];
    if (is_once(f))
        call_once(&k, made, args, gen_once_size(l->c, fun), out);
    else
        make_call(&k, made, args, out);
    return out;
}
