/* optimize.c: makes a function shorter without changing a bit of what it computes or how it fails.
 *
 * In: a verified function. Out: the same function, rewritten in place. Cost: linear. Tests:
 * tests/ir/optimize_test.c, tests/ir/random_test.c. */
#include "ir/inside.h"

/* (1) forward: equal pure operations on temporaries are computed once, a load of an element that
 * was just stored or loaded is the value itself; (2) forward: ranges of Integers show which indices
 * are in bounds, which sums cannot overflow, and which checks always hold; (3) forward: what does
 * not change in a loop and cannot fail goes before it; (4) backward: what nobody reads is dropped.
 * Invariant: an operation that may fail stays, in its place; a value is only reused where its
 * definition dominates. Elements of a memory or a frame are forgotten when anything is written that
 * may be another name for them, and wherever control flow meets. */

/* Known results: a hash table from an instruction to the register that holds its value. */
typedef struct {
    uint32_t insn; /* the first one of its kind; IR_NONE: the place is free */
    IrReg reg;     /* IR_NONE: not any more */
    uint32_t epoch;
} Known;

typedef struct {
    IrModule *module;
    IrFunction *f;
    Arena *arena;
    IrReg *replace;
    Known *known;
    uint32_t mask;
    VEC(uint32_t) log;  /* entries in the order they were made */
    VEC(uint32_t) open; /* length of the log at the start of each open block */
    uint32_t epoch;     /* moves on when elements may have changed */
    uint32_t *array_epoch;
    bool *removed;
} Optimizer;

/* What makes two instructions compute the same; a STORE stands for the LOAD of its element. */
static IrInsn key_of(const IrInsn *insn)
{
    IrInsn key = *insn;
    key.dst = IR_NONE;
    key.flags = 0;
    if (key.op == IR_STORE) {
        key.op = IR_LOAD;
        key.c = IR_NONE;
    }
    return key;
}

/* The place of instruction i, or of one that computes the same. */
static Known *find(Optimizer *o, uint32_t i)
{
    IrInsn key = key_of(&o->f->code.at[i]);
    uint64_t hash = key.op;
    hash = (hash ^ key.a) * UINT64_C(0x9E3779B97F4A7C15);
    hash = (hash ^ key.b ^ (uint64_t)(uint32_t)key.imm << 32) * UINT64_C(0x9E3779B97F4A7C15);
    hash = (hash ^ (hash >> 29) ^ key.c) * UINT64_C(0x9E3779B97F4A7C15);
    for (uint32_t slot = (uint32_t)(hash >> 33) & o->mask;; slot = (slot + 1) & o->mask) {
        Known *known = &o->known[slot];
        if (known->insn == IR_NONE) {
            known->insn = i;
            return known;
        }
        IrInsn other = key_of(&o->f->code.at[known->insn]);
        if (other.op == key.op && other.a == key.a && other.b == key.b && other.c == key.c &&
            other.imm == key.imm)
            return known;
    }
}

static void know(Optimizer *o, Known *known, IrReg reg, uint32_t epoch)
{
    known->reg = reg;
    known->epoch = epoch;
    vec_push(o->arena, &o->log, (uint32_t)(known - o->known));
}

static void rename_reg(const Optimizer *o, uint32_t *reg)
{
    if (*reg != IR_NONE) *reg = o->replace[*reg];
}

static void rename_reads(Optimizer *o, IrInsn *insn)
{
    unsigned fields = ir_reads[insn->op];
    if (fields & FIELD_A) rename_reg(o, &insn->a);
    if (fields & FIELD_B) rename_reg(o, &insn->b);
    if (fields & FIELD_C) rename_reg(o, &insn->c);
    if (fields & FIELD_DST) rename_reg(o, &insn->dst);
    for (uint32_t k = 0; is_call(insn) && k < insn->count; k++) {
        IrOperand operand = ir_operand(o->module, insn, k);
        if (!operand.is_array && !operand.is_output) rename_reg(o, &o->f->operands.at[insn->b + k]);
    }
}

static bool reads_variable(const Optimizer *o, const IrInsn *insn)
{
    IrReg reads[4];
    uint32_t n = plain_reads(insn, reads);
    for (uint32_t k = 0; k < n; k++)
        if (o->f->regs.at[reads[k]].is_variable) return true;
    return false;
}

static bool is_element(const Optimizer *o, const IrInsn *insn)
{
    uint8_t place = (insn->op == IR_LOAD || insn->op == IR_STORE) ? o->f->arrays.at[insn->a].place : IR_PARAM;
    return insn->b == IR_NONE && (place == IR_MEMORY || place == IR_FRAME || place == IR_TABLE);
}

static uint32_t element_epoch(const Optimizer *o, IrArr a) { return o->epoch + o->array_epoch[a]; }

/* What a write means for known elements. Epochs only grow, and so do their sums. */
static void see_write(Optimizer *o, uint32_t i)
{
    const IrInsn *insn = &o->f->code.at[i];
    unsigned flags = ir_ops[insn->op].flags;
    if (!(flags & IR_WRITES) || insn->op == IR_NEW || insn->op == IR_VIEW) return;
    bool is_plain = !is_call(insn) && (o->f->arrays.at[insn->a].place == IR_MEMORY ||
                                       o->f->arrays.at[insn->a].place == IR_FRAME);
    if (!is_plain)
        o->epoch++;
    else if (!is_element(o, insn))
        o->array_epoch[insn->a]++;
    else {
        Known *known = find(o, i);
        know(o, known, o->f->regs.at[insn->c].is_variable ? IR_NONE : insn->c, element_epoch(o, insn->a));
    }
}

static void see_blocks(Optimizer *o, const IrInsn *insn)
{
    if (insn->op == IR_END || insn->op == IR_ELSE) {
        uint32_t start = o->open.at[o->open.n - 1];
        while (o->log.n > start) o->known[o->log.at[--o->log.n]].reg = IR_NONE;
        if (insn->op == IR_END) o->open.n--;
        o->epoch++;
    }
    if (insn->op == IR_IF || insn->op == IR_LOOP || insn->op == IR_FOR)
        vec_push(o->arena, &o->open, o->log.n);
    if (insn->op == IR_LOOP || insn->op == IR_FOR) o->epoch++;
}

static void merge_equal(Optimizer *o)
{
    for (uint32_t i = 0; i < o->f->code.n; i++) {
        IrInsn *insn = &o->f->code.at[i];
        rename_reads(o, insn);
        see_blocks(o, insn);
        bool is_load = insn->op == IR_LOAD && is_element(o, insn);
        bool is_pure = (ir_ops[insn->op].flags & IR_PURE) != 0 && !reads_variable(o, insn);
        if (is_load || is_pure) {
            Known *known = find(o, i);
            uint32_t epoch = is_load ? element_epoch(o, insn->a) : 0;
            if (known->reg != IR_NONE && known->epoch == epoch) {
                o->replace[insn->dst] = known->reg;
                o->removed[i] = true;
            } else
                know(o, known, insn->dst, epoch);
        }
        if (insn->op == IR_MOVE && insn->dst == insn->a) o->removed[i] = true;
        see_write(o, i);
    }
}

/* ---- ranges ---------------------------------------------------------------------------------- */

typedef struct {
    int64_t low, high;
    IrArr below; /* a PARAM array whose length is an upper bound too, or IR_NONE */
} Range;

static const Range anything = { INT64_MIN, INT64_MAX, IR_NONE };

static bool add_ranges(Range a, Range b, Range *c)
{
    return !rt_add(a.low, b.low, &c->low) && !rt_add(a.high, b.high, &c->high);
}
static bool subtract_ranges(Range a, Range b, Range *c)
{
    return !rt_sub(a.low, b.high, &c->low) && !rt_sub(a.high, b.low, &c->high);
}
static bool multiply_ranges(Range a, Range b, Range *c)
{
    int64_t p[4];
    if (rt_mul(a.low, b.low, &p[0]) || rt_mul(a.low, b.high, &p[1]) || rt_mul(a.high, b.low, &p[2]) ||
        rt_mul(a.high, b.high, &p[3]))
        return false;
    c->low = rt_imin(rt_imin(p[0], p[1]), rt_imin(p[2], p[3]));
    c->high = rt_imax(rt_imax(p[0], p[1]), rt_imax(p[2], p[3]));
    return true;
}

/* The range of an operation that cannot fail then; false if it may. */
static bool range_of(const Optimizer *o, const IrInsn *insn, const Range *ranges, Range *c)
{
    const Range *a = ir_reads[insn->op] & FIELD_A ? &ranges[insn->a] : &anything;
    const Range *b = (ir_reads[insn->op] & FIELD_B) && insn->b != IR_NONE ? &ranges[insn->b] : &anything;
    *c = anything;
    switch (insn->op) {
    case IR_KINT:
        *c = (Range){ o->module->ints.at[insn->a], o->module->ints.at[insn->a], IR_NONE };
        return true;
    case IR_IADD: return add_ranges(*a, *b, c);
    case IR_ISUB: return subtract_ranges(*a, *b, c);
    case IR_IMUL: return multiply_ranges(*a, *b, c);
    case IR_IMIN: *c = (Range){ rt_imin(a->low, b->low), rt_imin(a->high, b->high), IR_NONE }; return true;
    case IR_IMAX: *c = (Range){ rt_imax(a->low, b->low), rt_imax(a->high, b->high), IR_NONE }; return true;
    case IR_IMOD:
        if (b->low > 0) *c = (Range){ 0, b->high - 1, IR_NONE };
        return b->low > 0;
    case IR_LENGTH:
        *c = (Range){ 0, INT64_C(1) << 40, o->f->arrays.at[insn->a].place == IR_PARAM ? insn->a : IR_NONE };
        return true;
    case IR_SELECT:
        a = b;
        b = &ranges[insn->c];
        *c = (Range){ rt_imin(a->low, b->low), rt_imax(a->high, b->high), IR_NONE };
        return true;
    case IR_FOR:
        *c = insn->imm > 0 ? (Range){ a->low, b->high, b->below } : (Range){ b->low, a->high, a->below };
        return a->low > -INT32_MAX && b->low > -INT32_MAX && a->high < INT64_C(1) << 41 &&
               b->high < INT64_C(1) << 41;
    case IR_LT:
    case IR_LE:
    case IR_EQ:
    case IR_NE:
    case IR_ILT:
    case IR_ILE:
    case IR_IEQ:
    case IR_INE:
    case IR_NOT: *c = (Range){ 0, 1, IR_NONE }; return true;
    default: return false;
    }
}

static bool access_is_safe(const Optimizer *o, const IrInsn *insn, const Range *ranges)
{
    const IrArrayInfo *info = &o->f->arrays.at[insn->a];
    if (insn->b == IR_NONE || insn->imm >= IR_LARGEST_ARRAY || insn->imm <= -IR_LARGEST_ARRAY) return false;
    const Range *i = &ranges[insn->b];
    if (i->low < -(int64_t)insn->imm || i->low > INT64_C(1) << 40) return false;
    if (i->below == insn->a && insn->imm < 0) return true;
    bool is_known = info->place == IR_FRAME || info->place == IR_MEMORY || info->place == IR_TABLE;
    return is_known && i->high < (int64_t)info->n - insn->imm;
}

static void find_ranges(Optimizer *o)
{
    Range *ranges = NEW_ARRAY(o->arena, Range, o->f->regs.n + 1);
    for (IrReg r = 0; r <= o->f->regs.n; r++) ranges[r] = anything;
    for (uint32_t i = 0; i < o->f->code.n; i++) {
        IrInsn *insn = &o->f->code.at[i];
        if (o->removed[i]) continue;
        insn->flags = 0;
        if (insn->op == IR_LOAD || insn->op == IR_STORE) {
            if (access_is_safe(o, insn, ranges)) insn->flags = IR_SAFE;
        } else if (insn->op == IR_CHECK_INDEX) {
            const Range *a = &ranges[insn->a], *b = &ranges[insn->b];
            bool is_below = a->high <= b->low || (a->below != IR_NONE && a->below == b->below &&
                                                  !o->f->regs.at[insn->b].is_variable &&
                                                  o->f->code.at[o->f->regs.at[insn->b].def].op == IR_LENGTH);
            o->removed[i] = a->low >= 1 && is_below;
        } else if (insn->op == IR_CHECK_SIZE)
            o->removed[i] = insn->a == insn->b && !o->f->regs.at[insn->a].is_variable;
        else if (ir_defines[insn->op] && o->f->regs.at[insn->dst].type == IR_INT &&
                 !o->f->regs.at[insn->dst].is_variable) {
            bool is_safe = range_of(o, insn, ranges, &ranges[insn->dst]);
            if (is_safe && (ir_ops[insn->op].flags & IR_FAILS)) insn->flags = IR_SAFE;
            if (!is_safe && insn->op != IR_FOR) ranges[insn->dst] = anything;
        }
    }
}

/* ---- what does not change in a loop ---------------------------------------------------------- */

typedef struct {
    uint32_t insn; /* the one that opens the block */
    bool is_loop;
    uint32_t level; /* loops around its body */
} Level;

typedef struct {
    /* of each register: loops around the place where it is computed */
    uint32_t *level;
    uint32_t *first, *last, *next; /* lists of instructions to go before each opening of a loop */
    VEC(Level) open;
} Hoist;

/* The outermost loop that an instruction may leave, as a place in the list of open blocks; its
 * number if none. */
static uint32_t loop_to_leave(const Optimizer *o, const Hoist *h, const IrInsn *insn)
{
    IrReg reads[4];
    uint32_t need = 0, n = plain_reads(insn, reads), k = h->open.n;
    bool is_pure =
        (ir_ops[insn->op].flags & IR_PURE) != 0 ||
        ((insn->op == IR_IADD || insn->op == IR_ISUB || insn->op == IR_IMUL) && (insn->flags & IR_SAFE));
    if (!is_pure || reads_variable(o, insn)) return k;
    for (uint32_t j = 0; j < n; j++)
        if (h->level[reads[j]] > need) need = h->level[reads[j]];
    while (k > 0 && h->open.at[k - 1].is_loop && h->open.at[k - 1].level > need) k--;
    return k;
}

typedef struct {
    const Optimizer *o;
    Hoist *h;
    uint32_t level;
} SeeLevel;

static void set_level(void *arg, IrReg r, bool is_def)
{
    SeeLevel *see = arg;
    if (is_def && !see->o->f->regs.at[r].is_variable) see->h->level[r] = see->level;
}

static uint32_t level_of(const Hoist *h, uint32_t blocks)
{
    return blocks ? h->open.at[blocks - 1].level : 0;
}

/* Decides for each instruction where it goes; `moved` marks those that leave their place. */
static void plan_hoisting(Optimizer *o, Hoist *h, bool *moved)
{
    for (uint32_t i = 0; i < o->f->code.n; i++) {
        const IrInsn *insn = &o->f->code.at[i];
        if (o->removed[i]) continue;
        bool is_loop = insn->op == IR_LOOP || insn->op == IR_FOR;
        if (insn->op == IR_END) h->open.n--;
        uint32_t to = loop_to_leave(o, h, insn);
        if (to < h->open.n) {
            uint32_t opener = h->open.at[to].insn;
            *(h->first[opener] == IR_NONE ? &h->first[opener] : &h->next[h->last[opener]]) = i;
            h->last[opener] = i;
            h->next[i] = IR_NONE;
            moved[i] = true;
        }
        Level level = { i, is_loop, level_of(h, h->open.n) + is_loop };
        if (is_loop || insn->op == IR_IF) vec_push(o->arena, &h->open, level);
        SeeLevel see = { o, h, level_of(h, moved[i] ? to : h->open.n) };
        ir_each_reg(o->module, o->f, insn, set_level, &see);
    }
}

static void hoist(Optimizer *o)
{
    uint32_t n = o->f->code.n, to = 0;
    bool *moved = NEW_ARRAY(o->arena, bool, n + 1), *removed = NEW_ARRAY(o->arena, bool, n + 1);
    Hoist h = { .level = NEW_ARRAY(o->arena, uint32_t, o->f->regs.n + 1) };
    h.first = memset(NEW_ARRAY(o->arena, uint32_t, n + 1), 0xFF, n * sizeof(uint32_t));
    h.last = NEW_ARRAY(o->arena, uint32_t, n + 1);
    h.next = NEW_ARRAY(o->arena, uint32_t, n + 1);
    IrInsn *code = NEW_ARRAY(o->arena, IrInsn, n + 1);
    uint32_t *sources = NEW_ARRAY(o->arena, uint32_t, n + 1);
    plan_hoisting(o, &h, moved);
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t k = h.first[i]; k != IR_NONE; k = h.next[k], to++) {
            code[to] = o->f->code.at[k];
            sources[to] = o->f->sources.at[k];
        }
        if (moved[i]) continue;
        removed[to] = o->removed[i];
        code[to] = o->f->code.at[i];
        sources[to++] = o->f->sources.at[i];
    }
    if (n) memcpy(o->f->code.at, code, n * sizeof *code);
    if (n) memcpy(o->f->sources.at, sources, n * sizeof *sources);
    o->removed = removed;
}

/* ---- what nobody reads ----------------------------------------------------------------------- */

static void count_read(void *arg, IrReg r, bool is_def)
{
    if (!is_def) ((uint32_t *)arg)[r]++;
}

static void drop_unread(Optimizer *o)
{
    const IrFunction *f = o->f;
    uint32_t *reads = NEW_ARRAY(o->arena, uint32_t, f->regs.n + 1);
    for (uint32_t p = f->input_count; p < f->params.n; p++)
        if (!f->params.at[p].is_array) reads[f->params.at[p].id]++;
    for (uint32_t i = 0; i < f->code.n; i++)
        if (!o->removed[i]) ir_each_reg(o->module, f, &f->code.at[i], count_read, reads);
    for (uint32_t i = f->code.n; i-- > 0;) {
        const IrInsn *insn = &f->code.at[i];
        bool is_harmless =
            (ir_ops[insn->op].flags & IR_PURE) || insn->op == IR_LENGTH || insn->op == IR_MOVE ||
            (insn->op == IR_LOAD && (is_element(o, insn) || (insn->flags & IR_SAFE))) ||
            ((insn->op == IR_IADD || insn->op == IR_ISUB || insn->op == IR_IMUL) && (insn->flags & IR_SAFE));
        if (o->removed[i] || !is_harmless || reads[insn->dst] > 0) continue;
        o->removed[i] = true;
        IrReg operands[4];
        uint32_t n = plain_reads(insn, operands);
        for (uint32_t k = 0; k < n; k++) reads[operands[k]]--;
    }
}

static void move_definition(void *arg, IrReg r, bool is_def)
{
    Optimizer *o = arg;
    if (is_def && !o->f->regs.at[r].is_variable) o->f->regs.at[r].def = o->mask;
}

static void close_up(Optimizer *o)
{
    uint32_t to = 0;
    for (IrReg r = 0; r < o->f->regs.n; r++)
        if (!o->f->regs.at[r].is_variable) o->f->regs.at[r].def = IR_NONE;
    for (uint32_t i = 0; i < o->f->code.n; i++) {
        if (o->removed[i]) continue;
        o->f->code.at[to] = o->f->code.at[i];
        o->f->sources.at[to] = o->f->sources.at[i];
        o->mask = to; /* the table is done with; move_definition needs the place */
        ir_each_reg(o->module, o->f, &o->f->code.at[to], move_definition, o);
        to++;
    }
    o->f->code.n = o->f->sources.n = to;
}

static bool has_loops(const IrFunction *f)
{
    for (uint32_t i = 0; i < f->code.n; i++)
        if (f->code.at[i].op == IR_LOOP || f->code.at[i].op == IR_FOR) return true;
    return false;
}

void ir_optimize(IrModule *module, IrFun id)
{
    IrFunction *f = module->functions.at[id];
    Arena *arena = arena_part(module->arena);
    uint32_t room = 64;
    while (room < 2 * f->code.n) room *= 2;
    Optimizer o = { .module = module, .f = f, .arena = arena, .mask = room - 1 };
    o.replace = NEW_ARRAY(arena, IrReg, f->regs.n + 1);
    for (IrReg r = 0; r < f->regs.n; r++) o.replace[r] = r;
    o.known = arena_alloc(arena, room * sizeof(Known));
    memset(o.known, 0xFF, room * sizeof(Known));
    o.array_epoch = NEW_ARRAY(arena, uint32_t, f->arrays.n + 1);
    o.removed = NEW_ARRAY(arena, bool, f->code.n + 1);
    merge_equal(&o);
    find_ranges(&o);
    if (has_loops(f)) hoist(&o);
    drop_unread(&o);
    close_up(&o);
    arena_free(arena);
}
