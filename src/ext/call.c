/* call.c: calls an external function now, while a model is built.
 *
 * In: values in the order of the C function. How: an adapter is called directly; a C function
 * through a little function of the IR, whose thunk knows the calling convention. Each call has an
 * instance of its own, so nothing is shared. Cost: an instance, some microseconds. Tests:
 * tests/api/extern_test.c. */
#include "ext/ext.h"

enum { CELLS = 4096 };

/* Cells in the order of the IR: inputs, then outputs; an array takes two. */
static void each_cell(const ExtRequest *request, ExtValue *values, RtCell *cells, bool back)
{
    uint32_t at = 0;
    for (int out = 0; out < 2; out++)
        for (uint32_t p = 0; p < request->n; p++) {
            const ExtParam *param = &request->params[p];
            if (param->is_output != (bool)out) continue;
            if (!param->is_array) {
                if (!back)
                    cells[at] = *values[p].at;
                else if (out)
                    *values[p].at = cells[at];
                at++;
                continue;
            }
            cells[at].p = values[p].at;
            cells[at + 1].i = values[p].n;
            at += 2;
        }
}

/* Results outlive the instance. */
static void keep_strings(const ExtRequest *request, ExtValue *values, Arena *arena)
{
    for (uint32_t p = 0; p < request->n; p++) {
        if (!request->params[p].is_output || request->params[p].type != IR_STR) continue;
        for (uint32_t i = 0; i < values[p].n; i++)
            values[p].at[i].s = arena_copy(arena, str_of(values[p].at[i].s ? values[p].at[i].s : ""));
    }
}

/* A function that does nothing but call the external one. */
static RtStatus call_by_code(const ExtRequest *request, const IrExternal *function, Rt *rt, RtCell *cells,
                             Arena *arena)
{
    IrModule *module = ir_module_new(arena);
    IrBuilder b = ir_begin(module, "call");
    uint32_t *operands = NEW_ARRAY(arena, uint32_t, request->n + 1), n = 0;
    for (int out = 0; out < 2; out++)
        for (uint32_t p = 0; p < request->n; p++) {
            const ExtParam *q = &request->params[p];
            if (q->is_output != (bool)out) continue;
            operands[n++] = q->is_array ? (out ? ir_out_array(&b, (IrType)q->type, NULL)
                                               : ir_in_array(&b, (IrType)q->type, NULL))
                            : out       ? ir_out(&b, (IrType)q->type, NULL)
                                        : ir_in(&b, (IrType)q->type, NULL);
        }
    ir_extern(&b, ir_add_external(module, function), operands, n);
    IrCode *code = ir_code_new(module, IR_AUTO);
    if (!code) return rt_fail_external(rt, "machine code is not allowed here, and a C function needs it");
    RtStatus status = ir_run(code, b.id, rt, cells);
    ir_code_free(code);
    return status;
}

bool ext_call(const ExtRequest *request, const IrExternal *function, ExtValue *values, Arena *arena,
              const char **why)
{
    Rt *rt = rt_new(CELLS);
    *why = "out of memory";
    if (!rt) return false;
    ext_attach(rt);
    RtCell *cells = NEW_ARRAY(arena, RtCell, 2 * request->n + 1);
    each_cell(request, values, cells, false);
    RtStatus status =
        function->entry ? function->entry(rt, cells) : call_by_code(request, function, rt, cells, arena);
    if (status == RT_OK) {
        each_cell(request, values, cells, true);
        keep_strings(request, values, arena);
    } else {
        const char *said = rt->error.message;
        *why = arena_copy(arena, str_of(said ? said : rt_status_text(status)));
    }
    rt_free(rt);
    return status == RT_OK;
}

const char *ext_builtin(const char *name, const char *cells, RtCell *values, Arena *arena)
{
    IrModule *module = ir_module_new(arena);
    IrExt id = ir_builtin(module, name);
    Rt *rt = rt_new(CELLS);
    if (!rt) return NULL;
    size_t last = strlen(cells) - 1;
    bool ok = module->externals.at[id].entry(rt, values) == RT_OK;
    const char *text = !ok ? NULL : cells[last] == 's' ? arena_copy(arena, str_of(values[last].s)) : "";
    rt_free(rt);
    return text;
}
