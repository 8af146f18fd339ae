/* plan.c: decides, before a function becomes machine code, what stays in registers for the whole
 * function, what can be loaded late, and where values are read next.
 *
 * In: a verified function. Out: a Plan. How: one backward scan finds elements of memories that
 * nobody overwrites while they are needed; values that cross from one straight piece of code into
 * another are counted with a weight of 8 for each loop around them, and the heaviest are pinned to
 * machine registers: words to registers that calls preserve (to all but a few where there are no
 * calls), Reals to XMM registers where that pays for saving them around calls. Cost: linear, but
 * for sorting the candidates. Tests: through tests/ir/random_test.c. */
#include "ir/emit.h"

#include <stdlib.h>

enum { WEIGHT_A_LOOP = 8, DEEPEST_WEIGHT = 5, PIN_REALS = 6 };

/* Elements of memories that will be written, with the instruction that does it next. */
typedef struct {
    uint64_t *keys; /* array and element + 1; 0 is empty */
    uint32_t *next;
    uint32_t mask;
} Writes;

static uint32_t *next_write(Writes *writes, IrArr array, int32_t element)
{
    uint64_t key = ((uint64_t)array << 32 | (uint32_t)element) + 1;
    uint32_t slot = (uint32_t)((key * UINT64_C(0x9E3779B97F4A7C15)) >> 33) & writes->mask;
    while (writes->keys[slot] && writes->keys[slot] != key) slot = (slot + 1) & writes->mask;
    if (!writes->keys[slot]) {
        writes->keys[slot] = key;
        writes->next[slot] = UINT32_MAX;
    }
    return &writes->next[slot];
}

/* Memories are written by their own elements, and by whatever may be another name for them. */
static bool writes_anything(const IrFunction *f, const IrInsn *insn)
{
    if (is_call(insn)) return true;
    if (insn->op != IR_STORE && insn->op != IR_FILL && insn->op != IR_COPY) return false;
    uint8_t place = f->arrays.at[insn->a].place;
    return place != IR_FRAME && !(place == IR_MEMORY && insn->op == IR_STORE && insn->b == IR_NONE);
}

static void find_late(Plan *plan, Arena *arena)
{
    const IrFunction *f = plan->f;
    uint32_t accesses = 0, room = 16, wild = UINT32_MAX;
    for (uint32_t i = 0; i < f->code.n; i++)
        accesses += f->code.at[i].op == IR_LOAD || f->code.at[i].op == IR_STORE;
    while (room < 2 * accesses) room *= 2;
    Writes writes = { NEW_ARRAY(arena, uint64_t, room), NEW_ARRAY(arena, uint32_t, room), room - 1 };
    for (uint32_t i = f->code.n; i-- > 0;) {
        const IrInsn *insn = &f->code.at[i];
        if (insn->op == IR_KREAL || insn->op == IR_KINT || insn->op == IR_KSTR)
            plan->is_late[insn->dst] = true;
        if (writes_anything(f, insn)) wild = i;
        if ((insn->op != IR_LOAD && insn->op != IR_STORE) || insn->b != IR_NONE) continue;
        uint8_t place = f->arrays.at[insn->a].place;
        if (place == IR_TABLE && insn->op == IR_LOAD) plan->is_late[insn->dst] = true;
        if (place != IR_MEMORY) continue;
        uint32_t *next = next_write(&writes, insn->a, insn->imm);
        if (insn->op == IR_STORE) {
            uint32_t last = plan->last_use[insn->c];
            plan->is_kept[i] =
                !f->regs.at[insn->c].is_variable && !plan->crosses[insn->c] && *next >= last && wild >= last;
            *next = i;
        } else
            plan->is_late[insn->dst] =
                *next >= plan->last_use[insn->dst] && wild >= plan->last_use[insn->dst];
    }
}

typedef struct {
    Plan *plan;
    uint32_t at, segment, depth, block;
    uint32_t *def_segment, *counts;
    float *weight;
    bool *seen, returned;
    float unit;
} Scan;

static void see_first(void *arg, IrReg r, bool is_def)
{
    Scan *scan = arg;
    Plan *plan = scan->plan;
    if (!is_def) scan->counts[r + 1]++;
    if (is_def)
        scan->def_segment[r] = scan->segment;
    else if (scan->def_segment[r] != scan->segment)
        plan->crosses[r] = true;
    if (!scan->seen[r] && (!is_def || scan->block > 0 || scan->returned)) plan->needs_clear[r] = true;
    scan->seen[r] = true;
    scan->weight[r] += scan->unit;
}

static void see_second(void *arg, IrReg r, bool is_def)
{
    Scan *scan = arg;
    if (!is_def) scan->plan->uses[scan->counts[r]++] = scan->at;
}

/* What is a call of C or of another function as far as registers are concerned. */
static bool clobbers(uint8_t op)
{
    return op == IR_MATH1 || op == IR_MATH2 || op == IR_CALL || op == IR_EXTERN || op == IR_NEW ||
           op == IR_VIEW || op == IR_FILL || op == IR_COPY || op == IR_FLOOR || op == IR_CEIL ||
           op == IR_TRUNC;
}

static void see_arrays(Plan *plan, const IrInsn *insn, float unit, float *array_weight)
{
    const IrFunction *f = plan->f;
    if (insn->op == IR_LOAD || insn->op == IR_STORE) {
        array_weight[insn->a] += unit;
        if (!ir_has_known_length(&f->arrays.at[insn->a]) && !(insn->flags & IR_SAFE))
            plan->array_in_cells[insn->a] = true;
    } else {
        if (ir_ops[insn->op].fields[1] == 'A') plan->array_in_cells[insn->a] = true;
        if (ir_ops[insn->op].fields[2] == 'A') plan->array_in_cells[insn->b] = true;
    }
    for (uint32_t k = 0; is_call(insn) && k < insn->count; k++)
        if (ir_operand(plan->module, insn, k).is_array)
            plan->array_in_cells[f->operands.at[insn->b + k]] = true;
}

typedef struct {
    float weight;
    uint32_t id;
    bool is_array;
} Candidate;

static int heavier(const void *a, const void *b)
{
    const Candidate *x = a, *y = b;
    if (x->weight != y->weight) return x->weight < y->weight ? 1 : -1;
    return (x->id > y->id) - (x->id < y->id);
}

/* At least four words stay unpinned: SELECT has that many in hand at once. */
static void pin_words(Plan *plan, const float *weight, const float *array_weight, Arena *arena)
{
    static const uint8_t preserved[] = { R12, R13, R14, R15 }, others[] = { R10, R11, R12, R13, R14, R15 };
    const uint8_t *regs = plan->has_calls ? preserved : others;
    size_t room = plan->has_calls ? COUNT_OF(preserved) : COUNT_OF(others), n = 0;
    const IrFunction *f = plan->f;
    Candidate *list = NEW_ARRAY(arena, Candidate, f->regs.n + f->arrays.n + 1);
    for (IrReg r = 0; r < f->regs.n; r++)
        if (f->regs.at[r].type == IR_INT && !plan->is_late[r] && weight[r] >= WEIGHT_A_LOOP &&
            (f->regs.at[r].is_variable || plan->crosses[r]))
            list[n++] = (Candidate){ weight[r], r, false };
    for (IrArr a = 0; a < f->arrays.n; a++) {
        uint8_t place = f->arrays.at[a].place;
        if ((place == IR_MEMORY || place == IR_TABLE || place == IR_PARAM) && array_weight[a] >= 2)
            list[n++] = (Candidate){ array_weight[a], a, true };
    }
    qsort(list, n, sizeof *list, heavier);
    for (size_t k = 0; k < n && k < room; k++) {
        *(list[k].is_array ? &plan->array_pin[list[k].id] : &plan->pin[list[k].id]) = regs[k];
        plan->word_pins |= 1u << regs[k];
    }
}

/* Reals: XMM14 downwards. `calls` sums the weights of calls before each instruction. */
static void pin_reals(Plan *plan, const float *weight, const float *calls, Arena *arena)
{
    const IrFunction *f = plan->f;
    Candidate *list = NEW_ARRAY(arena, Candidate, f->regs.n + 1);
    size_t n = 0;
    for (IrReg r = 0; r < f->regs.n; r++) {
        if (f->regs.at[r].type != IR_REAL || plan->is_late[r] || weight[r] < WEIGHT_A_LOOP) continue;
        if (!f->regs.at[r].is_variable && !plan->crosses[r]) continue;
        uint32_t first = f->regs.at[r].is_variable || f->regs.at[r].def == IR_NONE ? 0 : f->regs.at[r].def;
        uint32_t last = plan->last_use[r] < f->code.n ? plan->last_use[r] : f->code.n;
        float gain = weight[r] - 2 * (calls[last] - calls[first]);
        if (gain >= WEIGHT_A_LOOP) list[n++] = (Candidate){ gain, r, false };
    }
    qsort(list, n, sizeof *list, heavier);
    for (size_t k = 0; k < n && k < PIN_REALS; k++) {
        plan->pin[list[k].id] = (uint8_t)(14 - k);
        plan->real_pins |= 1u << (14 - k);
        plan->pinned_reals[plan->pinned_real_count++] = list[k].id;
    }
}

static void scan_code(Plan *plan, Scan *scan, float *array_weight, float *calls)
{
    const IrFunction *f = plan->f;
    scan->unit = 1;
    for (uint32_t i = 0; i < f->code.n; i++) {
        const IrInsn *insn = &f->code.at[i];
        bool opens_loop = insn->op == IR_FOR || insn->op == IR_LOOP;
        calls[i + 1] = calls[i] + (clobbers(insn->op) ? scan->unit : 0);
        plan->has_calls |= clobbers(insn->op);
        if (insn->op == IR_END) {
            uint8_t opener = f->code.at[plan->match[i]].op;
            scan->block--;
            if (opener == IR_FOR || opener == IR_LOOP) {
                if (scan->depth-- <= DEEPEST_WEIGHT) scan->unit /= WEIGHT_A_LOOP;
            }
        }
        if (insn->op == IR_IF || opens_loop) scan->block++;
        if (opens_loop) {
            plan->has_loops = true;
            if (++scan->depth <= DEEPEST_WEIGHT) scan->unit *= WEIGHT_A_LOOP;
        }
        visit_regs(plan->module, f, insn, see_first, scan);
        see_arrays(plan, insn, scan->unit, array_weight);
        scan->returned |= insn->op == IR_RETURN;
        if (insn->op == IR_FOR) {
            plan->crosses[insn->dst] = plan->crosses[insn->b] = true;
            scan->weight[insn->b] += scan->unit;
            scan->weight[insn->dst] += scan->unit;
        }
        if (insn->op == IR_IF || insn->op == IR_ELSE || insn->op == IR_END || opens_loop) scan->segment++;
    }
}

Plan *ir_plan(const IrModule *module, const IrFunction *f, Arena *arena)
{
    Plan *plan = NEW(arena, Plan);
    uint32_t regs = f->regs.n + 2, arrays = f->arrays.n + 1;
    *plan = (Plan){ .module = module, .f = f, .match = ir_match(f, arena) };
    plan->last_use = ir_last_use(module, f, plan->match, arena);
    plan->frame = ir_frame(module, f, plan->last_use, arena);
    plan->crosses = NEW_ARRAY(arena, bool, regs);
    plan->is_late = NEW_ARRAY(arena, bool, regs);
    plan->needs_clear = NEW_ARRAY(arena, bool, regs);
    plan->is_kept = NEW_ARRAY(arena, bool, f->code.n + 1);
    plan->array_in_cells = NEW_ARRAY(arena, bool, arrays);
    plan->pin = memset(arena_alloc(arena, regs), NOWHERE, regs);
    plan->array_pin = memset(arena_alloc(arena, arrays), NOWHERE, arrays);
    float *array_weight = NEW_ARRAY(arena, float, arrays), *calls = NEW_ARRAY(arena, float, f->code.n + 2);
    Scan scan = { .plan = plan,
                  .def_segment = NEW_ARRAY(arena, uint32_t, regs),
                  .counts = NEW_ARRAY(arena, uint32_t, regs),
                  .weight = NEW_ARRAY(arena, float, regs),
                  .seen = NEW_ARRAY(arena, bool, regs) };
    scan_code(plan, &scan, array_weight, calls);
    for (IrReg r = 0; r < f->regs.n; r++) scan.counts[r + 1] += scan.counts[r];
    plan->use_first = memcpy(NEW_ARRAY(arena, uint32_t, regs), scan.counts, regs * sizeof(uint32_t));
    plan->uses = NEW_ARRAY(arena, uint32_t, plan->use_first[f->regs.n] + 1);
    for (scan.at = 0; scan.at < f->code.n; scan.at++)
        visit_regs(module, f, &f->code.at[scan.at], see_second, &scan);
    for (uint32_t p = f->input_count; p < f->params.n; p++)
        if (!f->params.at[p].is_array && !scan.seen[f->params.at[p].id])
            plan->needs_clear[f->params.at[p].id] = true;
    find_late(plan, arena);
    pin_words(plan, scan.weight, array_weight, arena);
    pin_reals(plan, scan.weight, calls, arena);
    return plan;
}
