/* code.c: makes a module ready to run, by whatever way the machine allows, and runs it.
 *
 * Always: a run starts with an empty memory of the instance and an empty stack, and leaves the
 * limit of nesting as it found it. External functions are called through entries that take cells:
 * their adapters, or thunks made here. Tests: tests/ir/run_test.c. */
#include "ir/inside.h"

#include <stdlib.h>

struct IrCode {
    const IrModule *module;
    RtEntry *externals;
    uint32_t external_count;
    Thunks *thunks;
    Interpreter *interpreter; /* NULL when native */
    Native *native;
    RtEntry *entries; /* of native code, for rt_call */
};

static RtStatus enter_interpreter(const void *code, uint32_t f, Rt *rt, RtCell *cells)
{
    return interpreter_run(code, f, rt, cells);
}

static bool list_entries(IrCode *code)
{
    uint32_t n = code->module->functions.n;
    code->entries = calloc((size_t)n + 1, sizeof *code->entries);
    for (IrFun f = 0; code->entries && f < n; f++) code->entries[f] = native_entry(code->native, f);
    return code->entries != NULL;
}

/* The entries of external functions, those known already kept; false if one cannot be called. */
static bool find_externals(IrCode *code)
{
    const IrModule *module = code->module;
    bool needs_thunks = false;
    RtEntry *entries = calloc((size_t)module->externals.n + 1, sizeof *entries);
    if (!entries) return false;
    for (IrExt e = 0; e < module->externals.n; e++) {
        entries[e] = e < code->external_count ? code->externals[e] : module->externals.at[e].entry;
        needs_thunks |= !entries[e];
    }
    Thunks *thunks = needs_thunks ? thunks_new(module, entries, code->thunks) : code->thunks;
    if (needs_thunks && !thunks) {
        free(entries);
        return false;
    }
    free(code->externals);
    code->externals = entries;
    code->external_count = module->externals.n;
    code->thunks = thunks;
    return true;
}

IrCode *ir_code_new(const IrModule *module, IrBackend backend)
{
    IrCode *code = calloc(1, sizeof *code);
    if (!code) return NULL;
    code->module = module;
    if (find_externals(code)) {
        if (backend != IR_INTERPRETER) code->native = native_new(module, code->externals);
        if (!code->native && backend != IR_NATIVE)
            code->interpreter = interpreter_new(module, code->externals, false);
    }
    if (code->interpreter || (code->native && list_entries(code))) return code;
    ir_code_free(code);
    return NULL;
}

bool ir_code_extend(IrCode *code)
{
    return code->interpreter && find_externals(code) &&
           interpreter_extend(code->interpreter, code->externals);
}

void ir_code_free(IrCode *code)
{
    if (!code) return;
    interpreter_free(code->interpreter);
    native_free(code->native);
    thunks_free(code->thunks);
    free(code->externals);
    free(code->entries);
    free(code);
}

IrBackend ir_code_backend(const IrCode *code) { return code->native ? IR_NATIVE : IR_INTERPRETER; }

size_t ir_code_size(const IrCode *code)
{
    return code->native ? native_size(code->native) : interpreter_size(code->interpreter);
}

size_t ir_code_stack(const IrCode *code)
{
    size_t largest = code->native ? native_frame(code->native) : 0;
    for (IrFun f = 0; !code->native && f < code->module->functions.n; f++) {
        size_t own = interpreter_frame(code->interpreter, f);
        if (own > largest) largest = own;
    }
    return RT_STACK_CELLS + largest;
}

RtStatus ir_run(const IrCode *code, IrFun f, Rt *rt, RtCell *cells)
{
    uint32_t n = code->module->functions.at[f]->cell_count;
    int64_t depth = rt->depth;
    if ((size_t)(rt->stack_end - rt->stack) < n) return rt_fail(rt, RT_DEPTH, f, 0, 0, 0);
    for (uint32_t k = 0; k < n; k++) rt->stack[k] = cells[k];
    rt_rewind_all(rt);
    rt->error.status = RT_OK;
    rt->code = code->native ? (const void *)code->entries : code->interpreter;
    rt->enter = code->native ? rt_enter_table : enter_interpreter;
    rt->function_count = code->module->functions.n;
    RtStatus status =
        code->native ? code->entries[f](rt, rt->stack) : interpreter_run(code->interpreter, f, rt, rt->stack);
    rt->depth = depth;
    for (uint32_t k = 0; k < n; k++) cells[k] = rt->stack[k];
    return status;
}

bool ir_memories_fit(const IrModule *module, const Rt *rt, uint32_t count)
{
    if (count < module->memories.n) return false;
    for (IrMem m = 0; m < module->memories.n; m++)
        if (rt->memory[m].n < module->memories.at[m].n || (!rt->memory[m].at && module->memories.at[m].n))
            return false;
    return true;
}

bool ir_explain(const IrModule *module, IrFun f, Rt *rt, RtCell *cells, IrFault *fault)
{
    enum { SPARE_CELLS = 1 << 16 };
    IrCode code = { .module = module };
    bool found = false;
    RtCell *stack = rt->stack, *stack_end = rt->stack_end, *large = NULL;
    size_t n = SPARE_CELLS;
    if (find_externals(&code)) code.interpreter = interpreter_new(module, code.externals, true);
    /* Nothing shares a cell here, so the frames are larger than the instance's stack was made
     * for. */
    if (code.interpreter) {
        n += interpreter_frame(code.interpreter, f) + (size_t)(stack_end - stack);
        large = malloc(n * sizeof *large);
    }
    if (large) {
        rt->stack = large;
        rt->stack_end = large + n;
        found = ir_run(&code, f, rt, cells) == RT_NOT_FINITE;
        if (found) *fault = (IrFault){ rt->error.function, rt->error.source, (uint32_t)rt->error.value };
        rt->stack = stack;
        rt->stack_end = stack_end;
    }
    free(large);
    interpreter_free(code.interpreter);
    thunks_free(code.thunks);
    free(code.externals);
    return found;
}
