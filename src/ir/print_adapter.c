/* print_adapter.c: the C text of an adapter, which takes the arguments of a C function from cells.
 *
 * In: an external function with a signature. Out: its prototype and a function that checks and
 * converts Integers to int, calls it and puts results back; what thunk.c does in process. Cost:
 * quadratic in the number of parameters, which are few. Tests: tests/ir/external_test.c. */
#include "ir/inside.h"

#include <inttypes.h>

static const char c_members[] = "risp";

/* The type of a parameter as C sees it. */
void ir_print_c_parameter(Text *out, const IrExtParam *param)
{
    static const char *const types[] = { "double ", "int ", "const char *", "void *" };
    bool is_address =
        param->pass == IR_BY_REFERENCE || param->pass == IR_BY_OUTPUT || param->pass == IR_AS_ARRAY;
    text_printf(out, "%s%s", param->pass == IR_AS_SIZE ? "size_t " : types[param->type],
                is_address ? "*" : "");
}

/* Whether a string is followed, after all arguments, by its length. */
static bool has_length(const IrExternal *external, uint32_t k)
{
    return external->string_lengths && external->params[k].type == IR_STR &&
           external->params[k].pass == IR_BY_VALUE;
}

/* What a C function returns, `name`, and the types of its arguments. */
static void print_type(const IrExternal *external, const char *name, Text *out)
{
    const IrExtParam *returned = NULL;
    bool is_first = true;
    for (uint32_t k = 0; k < external->param_count; k++)
        if (external->params[k].pass == IR_AS_RESULT) returned = &external->params[k];
    if (returned)
        ir_print_c_parameter(out, returned);
    else
        text_add_literal(out, "void ");
    text_printf(out, "%s(", name);
    for (uint32_t k = 0; k < external->param_count; k++) {
        if (external->params[k].pass == IR_AS_RESULT) continue;
        if (!is_first) text_add_literal(out, ", ");
        ir_print_c_parameter(out, &external->params[k]);
        is_first = false;
    }
    for (uint32_t k = 0; k < external->param_count; k++)
        if (has_length(external, k)) text_add_literal(out, ", size_t");
    text_printf(out, "%s)", is_first ? "void" : "");
}

static void print_prototype(const IrExternal *external, bool is_shared, Text *out)
{
    for (uint32_t k = 0; k < external->param_count; k++)
        if (has_length(external, k)) {
            text_add_literal(out, "#include <string.h>\n");
            break;
        }
    text_add_literal(out, "extern ");
    if (is_shared)
        text_printf(out, "void %s(void)", ir_symbol(external));
    else
        print_type(external, ir_symbol(external), out);
    text_add_literal(out, ";\n");
}

/* Statements of an adapter before (or after) the call: ints in and out. */
static void print_conversions(const IrExternal *external, bool is_after, Text *out)
{
    for (uint32_t k = 0; k < external->param_count; k++) {
        const IrExtParam *param = &external->params[k];
        uint32_t cell = ir_ext_cell(external, k);
        if (param->pass == IR_AS_SIZE && !is_after)
            text_printf(out,
                        "    if (cells[%" PRIu32
                        "].i < 0) return rt_fail(rt, RT_SIZE, RT_NOWHERE, 0, cells[%" PRIu32 "].i, 0);\n",
                        cell, cell);
        if (param->type != IR_INT || param->pass == IR_AS_SIZE || param->pass == IR_AS_RESULT) continue;
        if (is_after) {
            if (param->is_output && param->is_array)
                text_printf(out, "    rt_ints_back(c%" PRIu32 ", cells + %" PRIu32 ");\n", k, cell);
            else if (param->is_output)
                text_printf(out, "    cells[%" PRIu32 "].i = c%" PRIu32 ";\n", cell, k);
        } else if (param->is_array)
            text_printf(out,
                        "    int *c%" PRIu32 ";\n    if ((status = rt_ints_of(rt, cells + %" PRIu32
                        ", &c%" PRIu32 "))) return status;\n",
                        k, cell, k);
        else if (param->is_output)
            text_printf(out, "    int c%" PRIu32 " = 0;\n", k);
        else
            text_printf(out,
                        "    int c%" PRIu32 ";\n    if ((status = rt_int_of(cells[%" PRIu32 "].i, &c%" PRIu32
                        "))) return status;\n",
                        k, cell, k);
    }
}

/* An argument of the C function in an adapter. */
static void add_argument(const IrExternal *external, uint32_t k, Text *out)
{
    const IrExtParam *param = &external->params[k];
    uint32_t cell = ir_ext_cell(external, k);
    bool is_address = param->pass == IR_BY_REFERENCE || param->pass == IR_BY_OUTPUT;
    if (param->pass == IR_AS_SIZE)
        text_printf(out, "(size_t)cells[%" PRIu32 "].i", cell);
    else if (param->type == IR_INT)
        text_printf(out, "%sc%" PRIu32, is_address ? "&" : "", k);
    else if (param->is_array)
        text_printf(out, "cells[%" PRIu32 "].p", cell);
    else
        text_printf(out, "%scells[%" PRIu32 "].%c", is_address ? "&" : "", cell, c_members[param->type]);
}

/* From cells to the arguments of a C function. Where several declarations share one, none of them
 * is C's: each says in the call what it passes. */
void ir_print_adapter(const IrExternal *external, bool is_shared, Text *out)
{
    bool is_first = true;
    print_prototype(external, is_shared, out);
    text_printf(out,
                "static RtStatus %s_%s(Rt *rt, RtCell *cells)\n{\n    RtStatus status = RT_OK;\n"
                "    (void)status;\n    (void)cells;\n",
                external->around ? "inner" : "adapter", external->name);
    print_conversions(external, false, out);
    text_add_literal(out, "    ");
    for (uint32_t k = 0; k < external->param_count; k++)
        if (external->params[k].pass == IR_AS_RESULT)
            text_printf(out, "cells[%" PRIu32 "].%c = ", ir_ext_cell(external, k),
                        c_members[external->params[k].type]);
    if (is_shared) {
        text_add_literal(out, "((");
        print_type(external, "(*)", out);
        text_printf(out, ")%s)(", ir_symbol(external));
    } else {
        text_printf(out, "%s(", ir_symbol(external));
    }
    for (uint32_t k = 0; k < external->param_count; k++) {
        if (external->params[k].pass == IR_AS_RESULT) continue;
        if (!is_first) text_add_literal(out, ", ");
        add_argument(external, k, out);
        is_first = false;
    }
    for (uint32_t k = 0; k < external->param_count; k++)
        if (has_length(external, k))
            text_printf(out, ", strlen(cells[%" PRIu32 "].s)", ir_ext_cell(external, k));
    text_add_literal(out, ");\n");
    print_conversions(external, true, out);
    text_add_literal(out, "    return rt->error.status;\n}\n\n");
    if (external->around)
        text_printf(out,
                    "static RtStatus adapter_%s(Rt *rt, RtCell *cells)\n{\n    return rt_guard_cells(rt, "
                    "inner_%s, cells);\n}\n\n",
                    external->name, external->name);
}
