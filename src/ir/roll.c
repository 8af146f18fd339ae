/* roll.c: makes loops of straight code that does the same for many elements.
 *
 * In: an optimised function of nothing but constants, pure operations, loads and stores of
 * elements, as equations of arrays become when each element has an equation of its own. Out: the
 * same function with loops; what it was before stays as IrFunction.plain, which explains failures.
 * Cost: that of sorting statements. Tests: tests/ir/roll_test.c, tests/gen. */
#include "ir/inside.h"

#include <stdlib.h>

/* A statement is a store and the tree of operations below it; a value that several statements need
 * is a statement too, with a place of its own, unless it is cheaper to compute than to keep.
 * Statements that need no others are at level 0, those that need some of level n at level n + 1.
 * Within a level they are independent; those of one form, in the order of their elements, are loops
 * as long as all their elements advance by the same distances; numbers that differ become a table.
 * Loops of one level and length are one. Invariant: each value is computed by the same operations
 * on the same operands, so results have the same bits; functions that would not become at least
 * twice as short stay as they are. */

enum {
    LEAST_CODE = 400,    /* instructions */
    LEAST_ROUNDS = 8,    /* of a loop */
    MOST_NODES = 200,    /* of a statement that may be in a loop */
    MOST_BODY = 200,     /* nodes of a loop */
    MOST_KEPT = 1 << 14, /* values with a place of their own */
    MOST_WORDS = 32,     /* of the forms of all statements, an instruction */
    CHEAP = 3,           /* operations that are cheaper than a place */
    DEAR = 16            /* what a division or a function counts as */
};

#define SHARED (IR_NONE - 1)  /* the owner of what several statements need */
#define NUMBERS (IR_NONE - 1) /* the array of a leaf that is a number of the module */

typedef struct {
    IrReg value;
    IrArr array; /* where it is stored */
    int32_t element;
    uint32_t source, level;
    uint32_t first_word, words, first_leaf, leaves, nodes;
    bool is_copy; /* of a value that is there already: a leaf */
} Statement;

/* Elements that loads read: array and place; or a number. */
typedef struct {
    IrArr array;
    int32_t element;
} Leaf;

typedef struct {
    uint64_t hash;
    uint32_t level, statement;
    int32_t element;
} Key;

/* Statements keys[first .. first + n) as rounds of a loop. */
typedef struct {
    uint32_t first, n, level;
} Run;

typedef struct {
    IrModule *module;
    IrFunction *f; /* as it was */
    Arena *arena;
    uint32_t *owner;        /* by register: the one statement that needs it, or SHARED */
    uint32_t *weight;       /* by register: operations to compute it from elements */
    uint32_t *store_of;     /* by register: the first STORE of it */
    uint32_t *statement_of; /* by register that is kept: who computes it */
    uint32_t *seen, *local, round;
    uint32_t kept; /* values with places in the array `places` */
    IrArr places;
    VEC(Statement) statements;
    VEC(uint32_t) words; /* the forms of statements */
    VEC(Leaf) leaves;
    VEC(IrReg) order, stack; /* of a walk: registers, operands first */
    Key *keys;
    VEC(Run) runs;
    IrReg *now; /* by register: in the new code */
} Roller;

static const IrInsn *definition(const Roller *r, IrReg reg) { return &r->f->code.at[r->f->regs.at[reg].def]; }

/* ---- whether and what ------------------------------------------------------------------------ */

static bool is_plain_element(const IrFunction *f, const IrInsn *insn)
{
    const IrArrayInfo *info = &f->arrays.at[insn->a];
    bool may = info->place == IR_MEMORY || (info->place == IR_TABLE && insn->op == IR_LOAD);
    return may && info->type == IR_REAL && insn->b == IR_NONE;
}

static bool is_plain(const IrFunction *f, const IrInsn *insn)
{
    if (insn->op == IR_LOAD || insn->op == IR_STORE) return is_plain_element(f, insn);
    if (insn->op == IR_KSTR) return false;
    return (ir_ops[insn->op].flags & IR_PURE) || (insn->flags & IR_SAFE);
}

static uint64_t element_key(const IrInsn *insn) { return (uint64_t)insn->a << 32 | (uint32_t)insn->imm; }

/* No element is stored twice, or loaded besides: then statements may be computed in any order that
 * keeps operands first. */
static bool is_orderless(const IrFunction *f, Arena *arena)
{
    Map stored = { .arena = arena };
    uint64_t ignored;
    bool is_new;
    for (uint32_t i = 0; i < f->code.n; i++) {
        if (f->code.at[i].op != IR_STORE) continue;
        map_put(&stored, element_key(&f->code.at[i]), &is_new);
        if (!is_new) return false;
    }
    for (uint32_t i = 0; i < f->code.n; i++)
        if (f->code.at[i].op == IR_LOAD && map_get(&stored, element_key(&f->code.at[i]), &ignored))
            return false;
    return true;
}

static bool may_roll(const IrFunction *f, Arena *arena)
{
    if (f->code.n < LEAST_CODE || f->params.n || f->plain) return false;
    for (uint32_t i = 0; i < f->code.n; i++)
        if (!is_plain(f, &f->code.at[i])) return false;
    for (IrReg r = 0; r < f->regs.n; r++)
        if (f->regs.at[r].is_variable) return false;
    return is_orderless(f, arena);
}

static bool is_operation(const IrInsn *insn) { return insn->op != IR_LOAD && !is_constant_op(insn->op); }

static uint32_t weight_of(uint8_t op)
{
    return op == IR_DIV || op == IR_SQRT || op == IR_MATH1 || op == IR_MATH2 ? DEAR : 1;
}

static void weigh(Roller *r)
{
    const IrFunction *f = r->f;
    memset(r->store_of, 0xff, f->regs.n * sizeof *r->store_of);
    for (uint32_t i = 0; i < f->code.n; i++) {
        const IrInsn *insn = &f->code.at[i];
        if (insn->op == IR_STORE && r->store_of[insn->c] == IR_NONE) r->store_of[insn->c] = i;
        if (insn->op == IR_STORE || !is_operation(insn)) continue;
        IrReg reads[4];
        uint32_t n = plain_reads(insn, reads), weight = weight_of(insn->op);
        for (uint32_t k = 0; k < n; k++) weight += r->weight[reads[k]];
        r->weight[insn->dst] = weight < DEAR ? weight : DEAR;
    }
}

/* Whether a value is computed once and read from where it is stored. */
static bool is_kept(const Roller *r, IrReg reg)
{
    return r->owner[reg] == SHARED && r->f->regs.at[reg].type == IR_REAL &&
           is_operation(definition(r, reg)) && (r->store_of[reg] != IR_NONE || r->weight[reg] > CHEAP);
}

static void need(Roller *r, IrReg reg, uint32_t who)
{
    if (r->owner[reg] != who) r->owner[reg] = r->owner[reg] == IR_NONE ? who : SHARED;
}

/* Who needs what: backward, so that all who need a value are known before it is told what it needs
 * itself. A statement is named by the instruction that computes its value, or by its STORE. */
static void find_owners(Roller *r)
{
    const IrFunction *f = r->f;
    memset(r->owner, 0xff, f->regs.n * sizeof *r->owner);
    for (uint32_t i = f->code.n; i-- > 0;) {
        const IrInsn *insn = &f->code.at[i];
        IrReg reads[4];
        uint32_t n = plain_reads(insn, reads), who = i;
        if (insn->op != IR_STORE && !is_kept(r, insn->dst)) who = r->owner[insn->dst];
        for (uint32_t k = 0; k < n; k++) need(r, reads[k], who);
    }
}

/* ---- statements ------------------------------------------------------------------------------ */

/* Whether a statement reads a value from where it is kept. */
static bool is_read(const Roller *r, const Statement *s, IrReg reg)
{
    return (reg != s->value || s->is_copy) && is_operation(definition(r, reg)) && is_kept(r, reg);
}

/* Lists what a statement is computed of, operands first; elements and other values that are kept
 * are leaves. */
static void walk(Roller *r, const Statement *s)
{
    r->round++;
    r->order.n = 0;
    vec_push(r->arena, &r->stack, s->value);
    while (r->stack.n) {
        IrReg reg = r->stack.at[r->stack.n - 1], reads[4];
        const IrInsn *insn = definition(r, reg);
        bool is_leaf = !is_operation(insn) || is_read(r, s, reg);
        uint32_t n = is_leaf || r->seen[reg] == r->round ? 0 : plain_reads(insn, reads), before = r->stack.n;
        for (uint32_t k = n; k-- > 0;)
            if (r->seen[reads[k]] != r->round) vec_push(r->arena, &r->stack, reads[k]);
        if (r->stack.n > before) continue;
        r->stack.n--;
        if (r->seen[reg] == r->round) continue;
        r->seen[reg] = r->round;
        r->local[reg] = r->order.n;
        vec_push(r->arena, &r->order, reg);
    }
}

static void add_word(Roller *r, uint32_t word) { vec_push(r->arena, &r->words, word); }

static void add_leaf(Roller *r, Statement *s, Leaf leaf)
{
    vec_push(r->arena, &r->leaves, leaf);
    s->leaves++;
    add_word(r, leaf.array);
}

/* The form of what walk() found: its operations without the elements. */
static void describe(Roller *r, Statement *s)
{
    for (uint32_t k = 0; k < r->order.n; k++) {
        IrReg reg = r->order.at[k], operands[4];
        const IrInsn *insn = definition(r, reg);
        bool reads = is_read(r, s, reg);
        add_word(r, reads ? IR_LOAD : insn->op);
        if (reads) {
            const Statement *other = &r->statements.at[r->statement_of[reg]];
            if (other->level >= s->level) s->level = other->level + 1;
            add_leaf(r, s, (Leaf){ other->array, other->element });
        } else if (insn->op == IR_LOAD)
            add_leaf(r, s, (Leaf){ insn->a, insn->imm });
        else if (insn->op == IR_KREAL)
            add_leaf(r, s, (Leaf){ NUMBERS, (int32_t)insn->a });
        else if (is_constant_op(insn->op))
            add_word(r, insn->a);
        else {
            uint32_t n = plain_reads(insn, operands);
            add_word(r, (uint32_t)insn->imm);
            for (uint32_t j = 0; j < n; j++) add_word(r, r->local[operands[j]]);
        }
    }
}

static void add_statement(Roller *r, IrReg value, uint32_t store, uint32_t insn, bool is_copy)
{
    Statement s = { .value = value,
                    .array = r->places,
                    .source = r->f->sources.at[insn],
                    .first_word = r->words.n,
                    .first_leaf = r->leaves.n,
                    .is_copy = is_copy };
    if (store != IR_NONE) {
        s.array = r->f->code.at[store].a;
        s.element = r->f->code.at[store].imm;
    } else
        s.element = (int32_t)r->kept++;
    walk(r, &s);
    s.nodes = r->order.n;
    describe(r, &s);
    s.words = r->words.n - s.first_word;
    if (!is_copy) r->statement_of[value] = r->statements.n;
    vec_push(r->arena, &r->statements, s);
}

/* False: what they share and do not keep makes them too long. */
static bool list_statements(Roller *r)
{
    const IrFunction *f = r->f;
    for (uint32_t i = 0; i < f->code.n; i++) {
        if (r->words.n > MOST_WORDS * f->code.n) return false;
        const IrInsn *insn = &f->code.at[i];
        if (insn->op != IR_STORE) {
            uint32_t store = r->store_of[insn->dst];
            if (is_operation(insn) && (store != IR_NONE || is_kept(r, insn->dst)))
                add_statement(r, insn->dst, store, i, false);
        } else if (r->store_of[insn->c] != i || !is_operation(definition(r, insn->c)))
            add_statement(r, insn->c, i, i, true);
    }
    return true;
}

/* ---- runs ------------------------------------------------------------------------------------ */

static int by_form(const void *a, const void *b)
{
    const Key *x = a, *y = b;
    if (x->level != y->level) return x->level < y->level ? -1 : 1;
    if (x->hash != y->hash) return x->hash < y->hash ? -1 : 1;
    if (x->element != y->element) return x->element < y->element ? -1 : 1;
    return (x->statement > y->statement) - (x->statement < y->statement);
}

static void sort_statements(Roller *r)
{
    r->keys = NEW_ARRAY(r->arena, Key, r->statements.n + 1);
    for (uint32_t k = 0; k < r->statements.n; k++) {
        const Statement *s = &r->statements.at[k];
        uint64_t hash = s->array;
        for (uint32_t j = 0; j < s->words; j++) {
            hash = (hash ^ r->words.at[s->first_word + j]) * UINT64_C(0x9E3779B97F4A7C15);
            hash ^= hash >> 29;
        }
        r->keys[k] = (Key){ hash, s->level, k, s->element };
    }
    qsort(r->keys, r->statements.n, sizeof *r->keys, by_form);
}

static const Statement *sorted(const Roller *r, uint32_t k)
{
    return &r->statements.at[r->keys[k].statement];
}

static bool is_same_form(const Roller *r, const Statement *a, const Statement *b)
{
    return a->level == b->level && a->array == b->array && a->words == b->words && a->leaves == b->leaves &&
           !memcmp(r->words.at + a->first_word, r->words.at + b->first_word, a->words * sizeof(uint32_t));
}

/* How far element `leaf` of a statement advances to the next round; the last one is what is
 * stored. */
static int32_t distance(const Roller *r, const Statement *a, const Statement *b, uint32_t leaf)
{
    if (leaf == a->leaves) return b->element - a->element;
    return r->leaves.at[b->first_leaf + leaf].element - r->leaves.at[a->first_leaf + leaf].element;
}

static bool is_number(const Roller *r, const Statement *s, uint32_t leaf)
{
    return leaf < s->leaves && r->leaves.at[s->first_leaf + leaf].array == NUMBERS;
}

static bool has_same_numbers(const Roller *r, const Statement *a, const Statement *b)
{
    for (uint32_t k = 0; k < a->leaves; k++)
        if (is_number(r, a, k) && distance(r, a, b, k)) return false;
    return true;
}

static bool is_next_round(const Roller *r, const Statement *a, const Statement *b, const Statement *c)
{
    if (!is_same_form(r, b, c)) return false;
    for (uint32_t k = 0; k <= a->leaves; k++)
        if (!is_number(r, a, k) && distance(r, a, b, k) != distance(r, b, c, k)) return false;
    return true;
}

/* How many statements from the k-th on are rounds of one loop; whether their numbers may differ. */
static uint32_t rounds_from(const Roller *r, uint32_t k, bool differ)
{
    uint32_t n = 1;
    if (sorted(r, k)->nodes > MOST_NODES) return n;
    for (; k + n < r->statements.n; n++) {
        const Statement *a = sorted(r, n > 1 ? k + n - 2 : k), *b = sorted(r, k + n - 1),
                        *c = sorted(r, k + n);
        bool follows = n > 1 ? is_next_round(r, a, b, c) : is_same_form(r, b, c);
        if (!follows || (!differ && !has_same_numbers(r, b, c))) break;
    }
    return n;
}

/* Whether loops would make the function short enough. */
static bool find_runs(Roller *r)
{
    uint64_t before = 0, after = 0;
    sort_statements(r);
    for (uint32_t k = 0; k < r->statements.n;) {
        uint32_t n = rounds_from(r, k, false);
        if (n < LEAST_ROUNDS) n = rounds_from(r, k, true);
        bool is_loop = n >= LEAST_ROUNDS;
        Run run = { k, is_loop ? n : 1, r->keys[k].level };
        vec_push(r->arena, &r->runs, run);
        before += (uint64_t)run.n * sorted(r, k)->nodes;
        after += sorted(r, k)->nodes;
        k += run.n;
    }
    return r->kept <= MOST_KEPT && 2 * after <= before;
}

/* ---- new code -------------------------------------------------------------------------------- */

typedef struct {
    Leaf leaf;
    int32_t distance;
    IrReg reg;
} Loaded;

typedef struct {
    Roller *r;
    IrBuilder b;
    IrReg counter; /* of the loop; IR_NONE: straight code */
    VEC(Loaded) loaded;
    VEC(Loaded) indices; /* by distance alone */
} Writer;

/* The subscript of what advances by a distance. */
static IrReg index_for(Writer *w, int32_t distance)
{
    if (w->counter == IR_NONE || distance == 0) return IR_NONE;
    if (distance == 1) return w->counter;
    for (uint32_t k = 0; k < w->indices.n; k++)
        if (w->indices.at[k].distance == distance) return w->indices.at[k].reg;
    IrReg reg = ir_two(&w->b, IR_IMUL, w->counter, ir_int(&w->b, distance));
    vec_push(w->r->arena, &w->indices, ((Loaded){ .distance = distance, .reg = reg }));
    return reg;
}

static IrReg load(Writer *w, Leaf leaf, int32_t distance)
{
    for (uint32_t k = 0; k < w->loaded.n; k++) {
        const Loaded *l = &w->loaded.at[k];
        if (l->leaf.array == leaf.array && l->leaf.element == leaf.element && l->distance == distance)
            return l->reg;
    }
    IrReg reg = ir_load(&w->b, leaf.array, index_for(w, distance), leaf.element);
    if (w->counter != IR_NONE || distance == 0)
        vec_push(w->r->arena, &w->loaded, ((Loaded){ leaf, distance, reg }));
    return reg;
}

static IrReg write_operation(Writer *w, IrReg reg)
{
    const Roller *r = w->r;
    IrInsn insn = *definition(r, reg);
    unsigned fields = ir_reads[insn.op];
    if (fields & FIELD_A) insn.a = r->now[insn.a];
    if (fields & FIELD_B) insn.b = r->now[insn.b];
    if (fields & FIELD_C) insn.c = r->now[insn.c];
    return ir_append_value(&w->b, (IrType)r->f->regs.at[reg].type, insn);
}

/* A number, or a table of those of all rounds. */
static IrReg write_number(Writer *w, const Run *run, uint32_t leaf)
{
    const Roller *r = w->r;
    bool differs = false;
    double *values = NEW_ARRAY(r->arena, double, run->n);
    for (uint32_t k = 0; k < run->n; k++) {
        const Statement *s = sorted(r, run->first + k);
        values[k] = r->module->reals.at[r->leaves.at[s->first_leaf + leaf].element];
        differs |= distance(r, sorted(r, run->first), s, leaf) != 0;
    }
    if (!differs) return ir_real(&w->b, values[0]);
    IrArr table = ir_array_table(&w->b, ir_add_table(r->module, "rounds", values, run->n));
    return ir_load(&w->b, table, w->counter, 0);
}

/* A statement, or all of a run inside of its loop. */
static void write_statement(Writer *w, const Run *run)
{
    Roller *r = w->r;
    const Statement *a = sorted(r, run->first), *b = sorted(r, run->first + (run->n > 1));
    uint32_t leaf = 0;
    w->b.source = a->source;
    walk(r, a);
    for (uint32_t k = 0; k < r->order.n; k++) {
        IrReg reg = r->order.at[k];
        const IrInsn *insn = definition(r, reg);
        if (is_read(r, a, reg) || insn->op == IR_LOAD) {
            r->now[reg] = load(w, r->leaves.at[a->first_leaf + leaf], distance(r, a, b, leaf));
            leaf++;
        } else if (insn->op == IR_KREAL)
            r->now[reg] = write_number(w, run, leaf++);
        else
            r->now[reg] = write_operation(w, reg);
    }
    ir_store(&w->b, a->array, index_for(w, distance(r, a, b, leaf)), a->element, r->now[a->value]);
}

/* What stays the same in all rounds is loaded before them. */
static void load_before(Writer *w, const Run *run)
{
    const Roller *r = w->r;
    const Statement *a = sorted(r, run->first), *b = sorted(r, run->first + 1);
    for (uint32_t k = 0; k < a->leaves; k++)
        if (!is_number(r, a, k) && distance(r, a, b, k) == 0) load(w, r->leaves.at[a->first_leaf + k], 0);
}

/* Runs of one level and length, from the k-th on, as one loop; returns the next. */
static uint32_t write_loop(Writer *w, uint32_t k)
{
    Roller *r = w->r;
    uint32_t end = k, nodes = 0;
    const Run *first = &r->runs.at[k];
    for (; end < r->runs.n && r->runs.at[end].level == first->level && r->runs.at[end].n == first->n; end++) {
        nodes += sorted(r, r->runs.at[end].first)->nodes;
        if (end > k && nodes > MOST_BODY) break;
    }
    w->loaded.n = w->indices.n = 0;
    w->counter = IR_NONE;
    for (uint32_t j = k; j < end; j++) load_before(w, &r->runs.at[j]);
    w->counter = ir_for(&w->b, ir_int(&w->b, 0), ir_int(&w->b, first->n - 1), 1);
    for (uint32_t j = k; j < end; j++) write_statement(w, &r->runs.at[j]);
    ir_end(&w->b);
    w->counter = IR_NONE;
    return end;
}

static int runs_in_order(const void *a, const void *b)
{
    const Run *x = a, *y = b;
    if (x->level != y->level) return x->level < y->level ? -1 : 1;
    if (x->n != y->n) return x->n < y->n ? -1 : 1;
    return (x->first > y->first) - (x->first < y->first);
}

static void write_code(Roller *r, IrFunction *to, IrFun id)
{
    Writer w = { .r = r, .b = { r->module, to, id, 0 }, .counter = IR_NONE };
    r->now = NEW_ARRAY(r->arena, IrReg, r->f->regs.n + 1);
    qsort(r->runs.at, r->runs.n, sizeof *r->runs.at, runs_in_order);
    for (uint32_t k = 0; k < r->runs.n;) {
        if (r->runs.at[k].n > 1) {
            k = write_loop(&w, k);
            continue;
        }
        w.loaded.n = 0;
        write_statement(&w, &r->runs.at[k++]);
    }
}

static Roller *roller_new(IrModule *module, IrFunction *plain, Arena *arena)
{
    Roller *r = NEW(arena, Roller);
    uint32_t regs = plain->regs.n + 1;
    uint32_t **const tables[] = {
        &r->owner, &r->weight, &r->store_of, &r->statement_of, &r->seen, &r->local
    };
    *r = (Roller){ .module = module, .f = plain, .arena = arena, .places = plain->arrays.n };
    for (size_t k = 0; k < COUNT_OF(tables); k++) *tables[k] = NEW_ARRAY(arena, uint32_t, regs);
    weigh(r);
    find_owners(r);
    return r;
}

/* Gives the function new code, with the arrays of the old one. */
static void replace(Roller *r, IrFunction *f, IrFun id)
{
    const IrFunction *plain = r->f;
    *f = (IrFunction){ .name = plain->name, .plain = plain };
    for (IrArr a = 0; a < plain->arrays.n; a++) vec_push(r->module->arena, &f->arrays, plain->arrays.at[a]);
    IrArrayInfo places = { .type = IR_REAL, .place = IR_FRAME, .n = r->kept };
    if (r->kept) vec_push(r->module->arena, &f->arrays, places);
    write_code(r, f, id);
    ir_optimize(r->module, id);
}

void ir_roll(IrModule *module, IrFun id)
{
    IrFunction *f = module->functions.at[id], *plain;
    Arena *arena = arena_part(module->arena);
    if (may_roll(f, arena)) {
        plain = NEW(module->arena, IrFunction);
        *plain = *f;
        Roller *r = roller_new(module, plain, arena);
        if (list_statements(r) && find_runs(r)) replace(r, f, id);
    }
    arena_free(arena);
}
