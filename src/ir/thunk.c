/* thunk.c: calls C functions of any signature with arguments from cells.
 *
 * In: external functions that have an address but no adapter. Out: entries that take cells. How: an
 * entry is a few bytes of machine code that name their external and go on to call_external, which
 * sorts the arguments by the System V convention (six words and eight doubles in registers, the
 * rest on the stack) and hands them to one gate of machine code. Integers are int for C: they are
 * checked on the way in; arrays of them are copied. Always: nothing is called with an argument that
 * did not fit. Tests: tests/ir/external_test.c. */
#include "ir/inside.h"
#include "ir/x64.h"

#include <assert.h>
#include <stdlib.h>

enum { LARGEST_CALL = 128 };

/* What the gate takes: the function, six words, eight doubles, the rest, how many, where results
 * go. */
typedef void (*Gate)(void (*function)(void), const RtCell *words, const RtCell *reals, const RtCell *rest,
                     size_t n, RtCell *results);

typedef struct {
    IrExternal external; /* a copy: the module's list may move */
    Gate gate;
    uint32_t *cells; /* of each parameter */
} Thunk;

struct Thunks {
    void *at;
    size_t size;
    Thunk *list;
    Arena *arena;
    Thunks *older;
};

typedef struct {
    RtCell words[6], reals[8], rest[LARGEST_CALL];
    uint32_t word_count, real_count, rest_count;
} Arguments;

static void give_word(Arguments *arguments, RtCell value)
{
    if (arguments->word_count < 6)
        arguments->words[arguments->word_count++] = value;
    else
        arguments->rest[arguments->rest_count++] = value;
}

static void give_real(Arguments *arguments, RtCell value)
{
    if (arguments->real_count < 8)
        arguments->reals[arguments->real_count++] = value;
    else
        arguments->rest[arguments->rest_count++] = value;
}

/* One parameter; `own` is its cell, `small` a place for an int or a copy of ints. */
static RtStatus give(Rt *rt, const IrExtParam *param, RtCell *own, RtCell *small, Arguments *arguments)
{
    RtStatus status = RT_OK;
    bool is_int = param->type == IR_INT;
    switch ((IrPass)param->pass) {
    case IR_AS_RESULT: return RT_OK;
    case IR_AS_SIZE:
        if (own->i < 0) return rt_fail(rt, RT_SIZE, RT_NOWHERE, 0, own->i, 0);
        give_word(arguments, *own);
        return RT_OK;
    case IR_AS_ARRAY:
        if (is_int) {
            int *copy = NULL;
            status = rt_ints_of(rt, own, &copy);
            small->p = copy;
        }
        give_word(arguments, is_int ? *small : *own);
        return status;
    case IR_BY_VALUE:
        if (param->type == IR_REAL) {
            give_real(arguments, *own);
            return RT_OK;
        }
        if (!is_int) {
            give_word(arguments, *own);
            return RT_OK;
        }
        small->i = 0;
        status = rt_int_of(own->i, (int *)(void *)small);
        give_word(arguments, *small);
        return status;
    case IR_BY_REFERENCE:
    case IR_BY_OUTPUT:
        small->i = 0;
        if (is_int && !param->is_output) status = rt_int_of(own->i, (int *)(void *)small);
        give_word(arguments, (RtCell){ .p = is_int ? small : own });
        return status;
    }
    return status;
}

static void take(const IrExtParam *param, RtCell *own, const RtCell *small, const RtCell *results)
{
    if (!param->is_output) return;
    if (param->pass == IR_AS_RESULT) {
        *own = results[param->type == IR_REAL];
        if (param->type == IR_INT) own->i = (int)results[0].i;
    } else if (param->type == IR_INT && param->pass == IR_AS_ARRAY)
        rt_ints_back(small->p, own);
    else if (param->type == IR_INT)
        own->i = *(const int *)(const void *)small;
}

typedef struct {
    const Thunk *thunk;
    Arguments *arguments;
    RtCell *results;
} GateCall;

static void pass_gate(void *arg)
{
    const GateCall *c = arg;
    c->thunk->gate(c->thunk->external.address, c->arguments->words, c->arguments->reals, c->arguments->rest,
                   c->arguments->rest_count, c->results);
}

static RtStatus call_external(Rt *rt, RtCell *cells, const Thunk *thunk)
{
    const IrExternal *external = &thunk->external;
    Arguments arguments = { .word_count = 0 };
    RtCell small[LARGEST_CALL], results[2];
    for (uint32_t p = 0; p < external->param_count; p++) {
        RtStatus status = give(rt, &external->params[p], cells + thunk->cells[p], &small[p], &arguments);
        if (status) return status;
    }
    for (uint32_t p = 0; external->string_lengths && p < external->param_count; p++)
        if (external->params[p].type == IR_STR && external->params[p].pass == IR_BY_VALUE) {
            const char *text = cells[thunk->cells[p]].s;
            give_word(&arguments, (RtCell){ .i = text ? (int64_t)strlen(text) : 0 });
        }
    if (arguments.rest_count % 2) arguments.rest[arguments.rest_count++].i = 0;
    GateCall call = { thunk, &arguments, results };
    if (external->around) {
        RtStatus status = external->around(rt, pass_gate, &call);
        if (status) return status;
    } else {
        pass_gate(&call);
    }
    for (uint32_t p = 0; p < external->param_count; p++)
        take(&external->params[p], cells + thunk->cells[p], &small[p], results);
    return rt->error.status;
}

static void emit_gate(Asm *as)
{
    static const uint8_t words[] = { RDI, RSI, RDX, RCX, R8, R9 };
    x64_push(as, RBP);
    x64_op(as, 0x8B, RBP, in_reg(RSP));
    x64_push(as, RBX);
    x64_push(as, R12);
    x64_op(as, 0x8B, RBX, in_reg(R9));
    x64_op(as, 0x8B, R11, in_reg(RDI));
    uint32_t top = as->n;
    x64_op(as, 0x85, R8, in_reg(R8));
    uint32_t done = x64_jump_if(as, CC_E);
    Place64 last = in_mem(RCX, -8);
    last.index = R8;
    x64_op(as, 0x8B, RAX, last);
    x64_push(as, RAX);
    x64_alu_imm(as, 5, in_reg(R8), 1);
    x64_jump_back(as, -1, top);
    x64_patch(as, done);
    for (uint8_t k = 0; k < 8; k++) x64_sse(as, 0xF2, 0x10, k, in_mem(RDX, 8 * k));
    x64_op(as, 0x8B, R10, in_reg(RSI));
    for (uint8_t k = 0; k < 6; k++) x64_op(as, 0x8B, words[k], in_mem(R10, 8 * k));
    x64_imm(as, RAX, 8);
    x64_call_at(as, in_reg(R11));
    x64_op(as, 0x89, RAX, in_mem(RBX, 0));
    x64_sse(as, 0xF2, 0x11, 0, in_mem(RBX, 8));
    x64_lea(as, RSP, in_mem(RBP, -16));
    x64_pop(as, R12);
    x64_pop(as, RBX);
    x64_pop(as, RBP);
    x64_ret(as);
}

/* An entry: the thunk as third argument, then on to call_external. */
static void emit_stub(Asm *as, const Thunk *thunk)
{
    RtStatus (*function)(Rt *, RtCell *, const Thunk *) = call_external;
    int64_t address;
    memcpy(&address, &function, sizeof address);
    x64_imm(as, RDX, (int64_t)(intptr_t)thunk);
    x64_imm(as, RAX, address);
    x64_bytes(as, "\xFF\xE0", 2); /* JMP RAX */
}

static bool fill(Thunks *thunks, const IrModule *module, RtEntry *externals)
{
    Asm as = { .arena = thunks->arena };
    uint32_t *at = NEW_ARRAY(thunks->arena, uint32_t, module->externals.n + 1);
    thunks->list = NEW_ARRAY(thunks->arena, Thunk, module->externals.n + 1);
    emit_gate(&as);
    for (IrExt e = 0; e < module->externals.n; e++) {
        const IrExternal *external = &module->externals.at[e];
        if (externals[e]) continue;
        if (!external->address || 2 * external->param_count >= LARGEST_CALL - 1) return false;
        thunks->list[e].external = *external;
        thunks->list[e].cells = NEW_ARRAY(thunks->arena, uint32_t, external->param_count + 1);
        for (uint32_t p = 0; p < external->param_count; p++)
            thunks->list[e].cells[p] = ir_ext_cell(external, p);
        at[e] = as.n;
        emit_stub(&as, &thunks->list[e]);
    }
    thunks->at = ir_map_code(&as, &thunks->size);
    if (!thunks->at) return false;
    for (IrExt e = 0; e < module->externals.n; e++) {
        if (externals[e] || !at[e]) continue;
        char *entry = (char *)thunks->at + at[e];
        memcpy(&externals[e], &entry, sizeof entry);
        memcpy(&thunks->list[e].gate, &thunks->at, sizeof thunks->at);
    }
    return true;
}

static void free_one(Thunks *thunks)
{
    ir_unmap_code(thunks->at, thunks->size);
    arena_free(thunks->arena);
    free(thunks);
}

Thunks *thunks_new(const IrModule *module, RtEntry *externals, Thunks *older)
{
    Thunks *thunks = calloc(1, sizeof *thunks);
    if (!thunks) return NULL;
    thunks->arena = arena_new();
    thunks->older = older;
    if (thunks->arena && fill(thunks, module, externals)) return thunks;
    free_one(thunks);
    return NULL;
}

void thunks_free(Thunks *thunks)
{
    while (thunks) {
        Thunks *older = thunks->older;
        free_one(thunks);
        thunks = older;
    }
}
