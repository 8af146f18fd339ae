/* interpret.c: runs functions by a threaded interpreter, on every machine.
 *
 * In: a verified module. Out: for each function a dense list of steps whose operands are cells of
 * the frame and whose jumps are resolved; running is one loop of computed gotos. How: most
 * instructions become one step; IF, ELSE and END become jumps or nothing; a move that follows the
 * operation it moves from is merged into it. Always: what a step reads was written before or
 * cleared on entry; memories hold as many elements as declared, since code.c asks that once a run.
 * Cost: preparing is linear; running costs 1 to 3 ns a step. Tests: tests/ir/run_test.c,
 * tests/ir/random_test.c. */
#include "ir/inside.h"

#include <math.h>

/* Steps that are no instructions. */
enum {
    STEP_LOAD_FREE = IR_OP_COUNT, /* an element that needs no check, by index */
    STEP_LOAD_AT,                 /* and by constant */
    STEP_STORE_FREE,
    STEP_STORE_AT,
    STEP_IADD_FREE,
    STEP_ISUB_FREE,
    STEP_IMUL_FREE,
    STEP_JUMP,
    STEP_NEXT, /* of FOR */
    STEP_TRAP, /* of ir_explain */
    STEP_COUNT
};

typedef struct {
    int32_t go; /* where the code of this step is, from the first */
    uint32_t d, a, b, c;
    int32_t imm;
} Step;

/* Cells that go from one frame to the next, or back. */
typedef struct {
    uint32_t from, to, n;
} Pass;

typedef struct {
    const IrFunction *f;
    IrFrame frame;
    VEC(Step) steps;
    VEC(uint32_t) origin; /* the instruction of each step */
    VEC(Pass) passes;
    bool rewinds, calls;
} Prepared;

struct Interpreter {
    const IrModule *module;
    Arena *arena;
    Prepared *functions;
    uint32_t count, room;
    const RtEntry *externals;
    const int32_t *labels;
    bool explains;
};

static RtStatus run(const Interpreter *in, IrFun id, Rt *rt, RtCell *frame, const int32_t **labels);

static uint32_t cell_of(const Prepared *p, IrReg r) { return r == IR_NONE ? IR_NONE : p->frame.reg[r]; }

static void add_step(Interpreter *in, Prepared *p, uint32_t origin, int op, Step step)
{
    step.go = in->labels[op];
    vec_push(in->arena, &p->steps, step);
    vec_push(in->arena, &p->origin, origin);
}

static void prepare_call(Interpreter *in, Prepared *p, uint32_t i)
{
    const IrInsn *insn = &p->f->code.at[i];
    uint32_t first = p->passes.n, inputs = 0, cell = 0;
    for (uint32_t k = 0; k < insn->count; k++) {
        IrOperand operand = ir_operand(in->module, insn, k);
        uint32_t id = p->f->operands.at[insn->b + k], n = operand.is_array ? 2 : 1;
        uint32_t own = operand.is_array ? p->frame.array[id] : p->frame.reg[id];
        /* An output array goes both ways: its callee writes into it, or makes another one. */
        if (!operand.is_output || operand.is_array) {
            vec_push(in->arena, &p->passes, ((Pass){ own, cell, n }));
            inputs++;
        }
        cell += n;
    }
    cell = 0;
    for (uint32_t k = 0; k < insn->count; k++) {
        IrOperand operand = ir_operand(in->module, insn, k);
        uint32_t id = p->f->operands.at[insn->b + k], n = operand.is_array ? 2 : 1;
        bool is_back = operand.is_output && (!operand.is_array || p->f->arrays.at[id].place == IR_DYNAMIC);
        if (is_back)
            vec_push(in->arena, &p->passes,
                     ((Pass){ cell, operand.is_array ? p->frame.array[id] : p->frame.reg[id], n }));
        cell += n;
    }
    add_step(in, p, i, insn->op,
             (Step){ 0, p->passes.n - first - inputs, insn->a, first, inputs, (int32_t)cell });
}

static void prepare_access(Interpreter *in, Prepared *p, uint32_t i)
{
    const IrInsn *insn = &p->f->code.at[i];
    const IrArrayInfo *array = &p->f->arrays.at[insn->a];
    bool is_load = insn->op == IR_LOAD;
    bool is_known = array->place == IR_FRAME || array->place == IR_MEMORY || array->place == IR_TABLE;
    int op = insn->op;
    if (insn->b == IR_NONE && (is_known || (insn->flags & IR_SAFE)))
        op = is_load ? STEP_LOAD_AT : STEP_STORE_AT;
    else if (insn->flags & IR_SAFE)
        op = is_load ? STEP_LOAD_FREE : STEP_STORE_FREE;
    add_step(in, p, i, op,
             (Step){ 0, is_load ? cell_of(p, insn->dst) : cell_of(p, insn->c), p->frame.array[insn->a],
                     cell_of(p, insn->b), 0, insn->imm });
}

/* After an operation on Reals: was it the one that made the first NaN or infinity? */
static void prepare_trap(Interpreter *in, Prepared *p, uint32_t i)
{
    const IrInsn *insn = &p->f->code.at[i];
    const char *fields = ir_ops[insn->op].fields;
    if (!in->explains || fields[0] != 'r' || is_constant_op(insn->op)) return;
    add_step(in, p, i, STEP_TRAP,
             (Step){ 0, cell_of(p, insn->dst), fields[1] == 'r' ? cell_of(p, insn->a) : IR_NONE,
                     fields[2] == 'r' ? cell_of(p, insn->b) : IR_NONE, 0, 0 });
}

static void prepare_plain(Interpreter *in, Prepared *p, uint32_t i)
{
    const IrInsn *insn = &p->f->code.at[i];
    const char *fields = ir_ops[insn->op].fields;
    Step step = { 0,       ir_defines[insn->op] || fields[0] == 'O' ? cell_of(p, insn->dst) : IR_NONE,
                  insn->a, insn->b,
                  insn->c, insn->imm };
    unsigned reads = ir_reads[insn->op];
    step.a = reads & FIELD_A ? cell_of(p, insn->a) : fields[1] == 'A' ? p->frame.array[insn->a] : insn->a;
    step.b = reads & FIELD_B ? cell_of(p, insn->b) : fields[2] == 'A' ? p->frame.array[insn->b] : insn->b;
    step.c = reads & FIELD_C ? cell_of(p, insn->c) : insn->c;
    int op = insn->op;
    if (insn->flags & IR_SAFE)
        op = op == IR_IADD   ? STEP_IADD_FREE
             : op == IR_ISUB ? STEP_ISUB_FREE
             : op == IR_IMUL ? STEP_IMUL_FREE
                             : op;
    add_step(in, p, i, op, step);
    prepare_trap(in, p, i);
}

/* Steps of control flow: `first` holds where the steps of each instruction begin, jumps are filled
 * in later. */
static void prepare_flow(Interpreter *in, Prepared *p, uint32_t i, const uint32_t *match)
{
    const IrInsn *insn = &p->f->code.at[i];
    uint8_t opener = insn->op == IR_END ? p->f->code.at[match[i]].op : IR_OP_COUNT;
    if (insn->op == IR_END && opener == IR_LOOP)
        add_step(in, p, i, STEP_JUMP, (Step){ 0 });
    else if (insn->op == IR_END && opener == IR_FOR) {
        const IrInsn *loop = &p->f->code.at[match[i]];
        add_step(in, p, i, STEP_NEXT,
                 (Step){ 0, cell_of(p, loop->dst), 0, cell_of(p, loop->b), 0, loop->imm });
    } else if (insn->op == IR_ELSE || insn->op == IR_BREAK)
        add_step(in, p, i, STEP_JUMP, (Step){ 0 });
    else if (insn->op != IR_END)
        prepare_plain(in, p, i);
}

static void fill_jumps(Prepared *p, const uint32_t *first, const uint32_t *match)
{
    for (uint32_t s = 0; s < p->steps.n; s++) {
        uint32_t i = p->origin.at[s];
        switch (p->f->code.at[i].op) {
        case IR_IF: p->steps.at[s].c = first[match[i] + (p->f->code.at[match[i]].op == IR_ELSE)]; break;
        case IR_ELSE: p->steps.at[s].c = first[match[i]]; break;
        case IR_FOR:
        case IR_BREAK:
        case IR_BREAK_UNLESS: p->steps.at[s].c = first[match[i] + 1]; break;
        case IR_END: p->steps.at[s].c = first[match[i]] + (p->f->code.at[match[i]].op == IR_FOR); break;
        default: break;
        }
    }
}

/* `t = op ...; v = move t` with t not needed any more: the operation writes v itself. */
bool ir_merges_with_move(const IrFunction *f, const uint32_t *last_use, uint32_t i)
{
    if (i + 1 >= f->code.n || f->code.at[i + 1].op != IR_MOVE) return false;
    const IrInsn *insn = &f->code.at[i];
    return (ir_ops[insn->op].flags & IR_FLOW) == 0 && ir_defines[insn->op] && insn->op != IR_MOVE &&
           f->code.at[i + 1].a == insn->dst && last_use[insn->dst] == i + 1;
}

static void prepare(Interpreter *in, Prepared *p, const IrFunction *f, Arena *scratch)
{
    uint32_t *match = ir_match(f, scratch), *first = NEW_ARRAY(scratch, uint32_t, f->code.n + 2);
    uint32_t *last_use = ir_last_use(in->module, f, match, scratch);
    if (in->explains)
        for (uint32_t r = 0; r < f->regs.n; r++) last_use[r] = f->code.n;
    p->f = f;
    p->frame = ir_frame(in->module, f, last_use, in->arena);
    p->rewinds = ir_rewinds(in->module, f);
    p->calls = ir_calls_functions(f);
    for (uint32_t i = 0; i < f->code.n; i++) {
        const IrInsn *insn = &f->code.at[i];
        bool merges = ir_merges_with_move(f, last_use, i);
        first[i] = p->steps.n;
        uint32_t temporary = merges ? p->frame.reg[insn->dst] : 0;
        if (merges) p->frame.reg[insn->dst] = p->frame.reg[f->code.at[i + 1].dst];
        if (ir_ops[insn->op].flags & IR_FLOW)
            prepare_flow(in, p, i, match);
        else if (is_call(insn))
            prepare_call(in, p, i);
        else if (insn->op == IR_LOAD || insn->op == IR_STORE)
            prepare_access(in, p, i);
        else
            prepare_plain(in, p, i);
        if (merges) {
            p->frame.reg[insn->dst] = temporary;
            first[++i] = p->steps.n;
        }
    }
    first[f->code.n] = p->steps.n;
    fill_jumps(p, first, match);
    add_step(in, p, f->code.n, IR_RETURN, (Step){ 0 });
}

bool interpreter_extend(Interpreter *in, const RtEntry *externals)
{
    Arena *scratch = arena_new();
    if (!scratch) return false;
    uint32_t n = in->module->functions.n;
    if (n > in->room) {
        uint32_t room = n + n / 2 + 8;
        Prepared *functions = NEW_ARRAY(in->arena, Prepared, room);
        if (in->count) memcpy(functions, in->functions, in->count * sizeof *functions);
        in->functions = functions;
        in->room = room;
    }
    in->externals = externals;
    for (; in->count < n; in->count++) {
        const IrFunction *f = in->module->functions.at[in->count];
        prepare(in, &in->functions[in->count], in->explains && f->plain ? f->plain : f, scratch);
    }
    arena_free(scratch);
    return true;
}

Interpreter *interpreter_new(const IrModule *module, const RtEntry *externals, bool explains)
{
    Arena *arena = arena_new();
    if (!arena) return NULL;
    Interpreter *in = NEW(arena, Interpreter);
    in->module = module;
    in->arena = arena;
    in->explains = explains;
    run(NULL, 0, NULL, NULL, &in->labels);
    if (interpreter_extend(in, externals)) return in;
    arena_free(arena);
    return NULL;
}

void interpreter_free(Interpreter *in)
{
    if (in) arena_free(in->arena);
}

size_t interpreter_size(const Interpreter *in)
{
    size_t n = 0;
    for (IrFun f = 0; f < in->count; f++) n += in->functions[f].steps.n * sizeof(Step);
    return n;
}

uint32_t interpreter_frame(const Interpreter *in, IrFun f)
{
    return in->functions[f].frame.size + in->functions[f].frame.outgoing;
}

/* Clears what starts as zero, finds memories and tables. */
static RtStatus enter(const Interpreter *in, const Prepared *p, IrFun id, Rt *rt, RtCell *frame)
{
    const IrFunction *f = p->f;
    uint32_t source = f->sources.n ? f->sources.at[0] : 0;
    if ((size_t)(rt->stack_end - frame) < (size_t)p->frame.size + p->frame.outgoing)
        return rt_fail(rt, RT_DEPTH, id, source, 0, 0);
    if (p->calls) {
        if (rt->depth <= 0) return rt_fail(rt, RT_DEPTH, id, source, 0, 0);
        if (rt->steps <= 0) return rt_fail(rt, RT_STEPS, id, source, 0, 0);
        rt->depth--;
        rt->steps--;
    }
    for (uint32_t k = f->input_count; k < f->params.n; k++)
        if (!f->params.at[k].is_array) frame[f->params.at[k].cell].i = 0;
    for (uint32_t k = 0; k < p->frame.variable_count; k++) frame[p->frame.variables + k].i = 0;
    for (uint32_t k = 0; k < p->frame.element_count; k++) frame[p->frame.elements + k].i = 0;
    for (uint32_t a = 0; a < f->arrays.n; a++) {
        RtCell *cell = frame + p->frame.array[a];
        const IrArrayInfo *info = &f->arrays.at[a];
        switch ((IrPlace)info->place) {
        case IR_FRAME: cell[0].p = frame + p->frame.element[a]; break;
        case IR_MEMORY: cell[0].p = rt->memory[info->index].at; break;
        case IR_TABLE: memcpy(&cell[0].p, &in->module->tables.at[info->index].at, sizeof cell[0].p); break;
        case IR_PARAM: continue;
        case IR_DYNAMIC:
        case IR_VIEW_OF: cell[0].p = NULL; break;
        }
        cell[1].i = info->n;
    }
    if (p->rewinds) {
        RtMark mark;
        rt_mark(rt, &mark);
        frame[p->frame.mark].p = mark.chunk;
        frame[p->frame.mark + 1].i = (int64_t)mark.used;
    }
    return RT_OK;
}

static void leave(const Prepared *p, Rt *rt, const RtCell *frame)
{
    if (p->calls) rt->depth++;
    if (p->rewinds) {
        RtMark mark = { frame[p->frame.mark].p, (size_t)frame[p->frame.mark + 1].i };
        rt_rewind(rt, &mark);
    }
}

static void pass(const Pass *passes, uint32_t n, const RtCell *from, RtCell *to)
{
    for (uint32_t k = 0; k < n; k++)
        for (uint32_t j = 0; j < passes[k].n; j++) to[passes[k].to + j] = from[passes[k].from + j];
}

/* Both kinds of calls; the callee's frame begins where the caller's ends. */
static RtStatus call(const Interpreter *in, const Prepared *p, const Step *step, bool is_external, Rt *rt,
                     RtCell *frame, uint32_t id, uint32_t source)
{
    RtCell *next = frame + p->frame.size;
    const Pass *passes = p->passes.at + step->b;
    RtStatus status;
    pass(passes, step->c, frame, next);
    if (is_external) {
        rt->error.status = RT_OK;
        status = in->externals[step->a](rt, next);
        if (status) return rt_failed_at(rt, status, id, source);
    } else {
        status = run(in, step->a, rt, next, NULL);
        if (status) return status;
    }
    pass(passes + step->c, step->d, next, frame);
    return RT_OK;
}

RtStatus ir_make_view(Rt *rt, const ViewCall *call, RtCell *to, const RtCell *of)
{
    int64_t offset = call->is_whole ? 0 : call->offset, n = call->is_whole ? of[1].i : call->n;
    RtArray view = { NULL, 0 };
    RtStatus status = rt_array_view(&view, (RtArray){ of[0].p, of[1].i }, offset, n);
    if (status) return rt_fail(rt, status, call->function, call->source, offset, n);
    to[0].p = view.at;
    to[1].i = view.n;
    return RT_OK;
}

RtStatus ir_copy_array(Rt *rt, RtCell *to, const RtCell *from, uint32_t function, uint32_t source)
{
    if (to[1].i != from[1].i) return rt_fail(rt, RT_SIZE, function, source, to[1].i, from[1].i);
    rt_array_copy((RtArray){ to[0].p, to[1].i }, (RtArray){ from[0].p, from[1].i });
    return RT_OK;
}

RtStatus ir_make_array(Rt *rt, RtCell *cells, int64_t n, uint32_t function, uint32_t source)
{
    RtArray array = { NULL, 0 };
    RtStatus status = rt_array_new(rt, &array, n);
    if (status) return rt_fail(rt, status, function, source, n, 0);
    cells[0].p = array.at;
    cells[1].i = array.n;
    return RT_OK;
}

void ir_fill_array(RtCell *array, RtCell value)
{
    RtCell *at = array[0].p;
    for (int64_t k = 0; k < array[1].i; k++) at[k] = value;
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic" /* labels as values */

#define SOURCE() f->sources.at[p->origin.at[s - p->steps.at]]
#define FAIL(status, value, bound) return rt_fail(rt, (status), id, SOURCE(), (value), (bound))
#define TRY(expression)                                 \
    do {                                                \
        RtStatus failed = (expression);                 \
        if (__builtin_expect(failed, 0)) return failed; \
    } while (0)
#define D frame[s->d]
#define A frame[s->a]
#define B frame[s->b]
#define C frame[s->c]
#define NEXT                                        \
    do {                                            \
        s++;                                        \
        goto *(void *)((char *)&&do_KREAL + s->go); \
    } while (0)
#define JUMP                                        \
    do {                                            \
        s = p->steps.at + s->c;                     \
        goto *(void *)((char *)&&do_KREAL + s->go); \
    } while (0)
#define DO(name, body)   \
    do_##name: { body; } \
    NEXT
#define CHECKED(function, x, y) \
    if (__builtin_expect(function((x), (y), &D.i), 0)) FAIL(RT_OVERFLOW, 0, 0)
#define DIVIDED(result)                       \
    RtStatus failed = rt_divisible(A.i, B.i); \
    if (failed) FAIL(failed, 0, 0);           \
    D.i = (result)
#define ELEMENT(array, index) ((RtCell *)frame[array].p)[index]
#define CHECKED_INDEX()                                                             \
    uint64_t k = (s->b == IR_NONE ? 0 : (uint64_t)B.i) + (uint64_t)(int64_t)s->imm; \
    if (__builtin_expect(k >= (uint64_t)frame[s->a + 1].i, 0))                      \
    FAIL(RT_INDEX, (int64_t)(k + 1), frame[s->a + 1].i)

/* The loop. Called without interpreter it hands out where the code of each step is. */
static RtStatus run(const Interpreter *in, IrFun id, Rt *rt, RtCell *frame, const int32_t **labels)
{
#define LABEL(name) (int32_t)((char *)&&do_##name - (char *)&&do_KREAL)
#define OP(name, text, dst, a, b, c, flags) [IR_##name] = LABEL(name),
    static const int32_t table[STEP_COUNT] = {
#include "ir/ops.def"
        [STEP_LOAD_FREE] = LABEL(LOAD_FREE),
        [STEP_LOAD_AT] = LABEL(LOAD_AT),
        [STEP_STORE_FREE] = LABEL(STORE_FREE),
        [STEP_STORE_AT] = LABEL(STORE_AT),
        [STEP_IADD_FREE] = LABEL(IADD_FREE),
        [STEP_ISUB_FREE] = LABEL(ISUB_FREE),
        [STEP_IMUL_FREE] = LABEL(IMUL_FREE),
        [STEP_JUMP] = LABEL(JUMP),
        [STEP_NEXT] = LABEL(NEXT),
        [STEP_TRAP] = LABEL(TRAP),
    };
#undef OP
    if (!in) {
        *labels = table;
        return RT_OK;
    }
    const Prepared *p = &in->functions[id];
    const IrFunction *f = p->f;
    const IrModule *module = in->module;
    TRY(enter(in, p, id, rt, frame));
    const Step *s = p->steps.at;
    goto *(void *)((char *)&&do_KREAL + s->go);

    DO(KREAL, D.r = module->reals.at[s->a]);
    DO(KINT, D.i = module->ints.at[s->a]);
    DO(KSTR, D.s = module->strings.at[s->a]);
    DO(MOVE, D = A);
    DO(ADD, D.r = A.r + B.r);
    DO(SUB, D.r = A.r - B.r);
    DO(MUL, D.r = A.r * B.r);
    DO(DIV, D.r = A.r / B.r);
    DO(MIN, D.r = A.r < B.r ? A.r : B.r);
    DO(MAX, D.r = A.r > B.r ? A.r : B.r);
    DO(NEG, D.r = -A.r);
    DO(ABS, D.r = fabs(A.r));
    DO(SQRT, D.r = sqrt(A.r));
    DO(FLOOR, D.r = floor(A.r));
    DO(CEIL, D.r = ceil(A.r));
    DO(TRUNC, D.r = trunc(A.r));
    DO(MATH1, D.r = ir_maths[s->imm].one(A.r));
    DO(MATH2, D.r = ir_maths[s->imm].two(A.r, B.r));
    DO(LT, D.i = A.r < B.r);
    DO(LE, D.i = A.r <= B.r);
    DO(EQ, D.i = A.r == B.r);
    DO(NE, D.i = A.r != B.r);
    DO(IADD, CHECKED(rt_add, A.i, B.i));
    DO(ISUB, CHECKED(rt_sub, A.i, B.i));
    DO(IMUL, CHECKED(rt_mul, A.i, B.i));
    DO(IADD_FREE, D.i = A.i + B.i);
    DO(ISUB_FREE, D.i = A.i - B.i);
    DO(IMUL_FREE, D.i = A.i * B.i);
    DO(IDIV, DIVIDED(A.i / B.i));
    DO(IREM, DIVIDED(A.i % B.i));
    DO(IMOD, DIVIDED(rt_mod(A.i, B.i)));
    DO(IMIN, D.i = A.i < B.i ? A.i : B.i);
    DO(IMAX, D.i = A.i > B.i ? A.i : B.i);
    DO(INEG, CHECKED(rt_sub, 0, A.i));
do_IABS : {
    if (A.i == INT64_MIN) FAIL(RT_OVERFLOW, 0, 0);
    D.i = A.i < 0 ? -A.i : A.i;
}
    NEXT;
    DO(ILT, D.i = A.i < B.i);
    DO(ILE, D.i = A.i <= B.i);
    DO(IEQ, D.i = A.i == B.i);
    DO(INE, D.i = A.i != B.i);
    DO(AND, D.i = A.i & B.i);
    DO(OR, D.i = A.i | B.i);
    DO(NOT, D.i = A.i == 0);
    DO(TO_REAL, D.r = (double)A.i);
do_TO_INT : {
    if (!rt_has_integer(A.r)) FAIL(RT_CONVERSION, 0, 0);
    D.i = (int64_t)A.r;
}
    NEXT;
    DO(SELECT, D = A.i ? B : C);
do_LOAD : {
    CHECKED_INDEX();
    D = ELEMENT(s->a, k);
}
    NEXT;
do_STORE : {
    CHECKED_INDEX();
    ELEMENT(s->a, k) = D;
}
    NEXT;
    DO(LOAD_FREE, D = ELEMENT(s->a, B.i + s->imm));
    DO(LOAD_AT, D = ELEMENT(s->a, s->imm));
    DO(STORE_FREE, ELEMENT(s->a, B.i + s->imm) = D);
    DO(STORE_AT, ELEMENT(s->a, s->imm) = D);
    DO(LENGTH, D.i = frame[s->a + 1].i);
    DO(NEW, TRY(ir_make_array(rt, &A, B.i, id, SOURCE())));
do_VIEW : {
    bool is_whole = s->c == IR_NONE;
    ViewCall part = { id, SOURCE(), is_whole ? 0 : C.i, is_whole ? 0 : D.i, is_whole };
    TRY(ir_make_view(rt, &part, &A, &B));
}
    NEXT;
    DO(FILL, ir_fill_array(&A, C));
    DO(COPY, TRY(ir_copy_array(rt, &A, &B, id, SOURCE())));
do_IF : {
    if (!A.i) JUMP;
}
    NEXT;
do_BREAK_UNLESS : {
    if (!A.i) JUMP;
}
    NEXT;
do_ELSE:
do_BREAK:
do_JUMP:
    JUMP;
do_LOOP : {
    if (rt->steps <= 0) FAIL(RT_STEPS, 0, 0);
    rt->steps--;
}
    NEXT;
do_FOR : {
    int64_t rounds = rt_rounds(A.i, B.i, s->imm);
    if (rounds < 0) FAIL(RT_OVERFLOW, 0, 0);
    if (rounds == 0) JUMP;
    if (rounds > rt->steps) FAIL(RT_STEPS, 0, 0);
    rt->steps -= rounds;
    D.i = A.i;
}
    NEXT;
do_NEXT : {
    D.i += s->imm;
    if (s->imm > 0 ? D.i <= B.i : D.i >= B.i) JUMP;
}
    NEXT;
    DO(CALL, TRY(call(in, p, s, false, rt, frame, id, SOURCE())));
    DO(EXTERN, TRY(call(in, p, s, true, rt, frame, id, SOURCE())));
do_ASSERT : {
    if (!A.i) return rt_fail_text(rt, RT_ASSERT, id, SOURCE(), s->b == IR_NONE ? NULL : B.s);
}
    NEXT;
do_CHECK_INDEX : {
    if (A.i < 1 || A.i > B.i) FAIL(RT_INDEX, A.i, B.i);
}
    NEXT;
do_CHECK_SIZE : {
    if (A.i != B.i) FAIL(RT_SIZE, A.i, B.i);
}
    NEXT;
do_CHECK_FINITE : {
    if (!rt_is_finite(A.r)) FAIL(RT_NOT_FINITE, 0, 0);
}
    NEXT;
do_TRAP : {
    bool from_finite = (s->a == IR_NONE || rt_is_finite(A.r)) && (s->b == IR_NONE || rt_is_finite(B.r));
    if (from_finite && !rt_is_finite(D.r)) FAIL(RT_NOT_FINITE, p->origin.at[s - p->steps.at], 0);
}
    NEXT;
do_END:
do_RETURN:
    leave(p, rt, frame);
    return RT_OK;
}

#pragma GCC diagnostic pop

RtStatus interpreter_run(const Interpreter *in, IrFun f, Rt *rt, RtCell *frame)
{
    return run(in, f, rt, frame, NULL);
}
