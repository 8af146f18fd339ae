/* straight.c: LU factors and solves of one plan as straight code of the IR: no loop, no index, no
 * branch.
 *
 * In: a plan, and registers with the entries of the matrix. Out: registers with the factors;
 * solutions. How: row by row (Doolittle), so that what a row needs is near; pivots are inverted
 * once and used as factors. Always: a register that is IR_NONE is zero and makes no instruction.
 * Cost: one instruction each for a product and a difference, one division a pivot. Tests:
 * tests/linalg/straight_test.c. */
#include "linalg/inside.h"

/* x - y z */
static IrReg minus_product(IrBuilder *b, IrReg x, IrReg y, IrReg z)
{
    if (y == IR_NONE || z == IR_NONE) return x;
    IrReg product = ir_two(b, IR_MUL, y, z);
    return x == IR_NONE ? ir_one(b, IR_NEG, product) : ir_two(b, IR_SUB, x, product);
}

static IrReg times(IrBuilder *b, IrReg x, IrReg y)
{
    double one;
    if (x == IR_NONE || y == IR_NONE) return IR_NONE;
    if (ir_is_real(b, y, &one) && one == 1) return x;
    return ir_two(b, IR_MUL, x, y);
}

StraightLu *straight_factor(Arena *arena, IrBuilder *b, const LuPlan *plan, const IrReg *a)
{
    StraightLu *lu = NEW(arena, StraightLu);
    size_t n = (size_t)plan->n;
    lu->plan = plan;
    lu->at = NEW_ARRAY(arena, IrReg, (size_t)plan->count + 1);
    lu->inverse = NEW_ARRAY(arena, IrReg, n + 1);
    IrReg *row = NEW_ARRAY(arena, IrReg, n + 1);
    for (int k = 0; k < plan->n; k++) {
        for (int e = plan->start[k]; e < plan->start[k + 1]; e++)
            row[plan->index[e]] = plan->source[e] < 0 ? IR_NONE : a[plan->source[e]];
        for (int e = plan->start[k]; e < plan->diagonal[k]; e++) {
            int j = plan->index[e];
            row[j] = lu->at[e] = times(b, row[j], lu->inverse[j]);
            for (int u = plan->diagonal[j] + 1; u < plan->start[j + 1]; u++)
                row[plan->index[u]] = minus_product(b, row[plan->index[u]], row[j], lu->at[u]);
        }
        for (int e = plan->diagonal[k]; e < plan->start[k + 1]; e++) lu->at[e] = row[plan->index[e]];
        IrReg pivot = lu->at[plan->diagonal[k]];
        lu->inverse[k] = ir_two(b, IR_DIV, ir_real(b, 1), pivot == IR_NONE ? ir_real(b, 0) : pivot);
    }
    return lu;
}

void straight_solve(IrBuilder *b, const StraightLu *lu, IrReg *x)
{
    const LuPlan *plan = lu->plan;
    IrReg *y = NEW_ARRAY(b->module->arena, IrReg, (size_t)plan->n + 1);
    for (int k = 0; k < plan->n; k++) {
        y[k] = x[plan->row[k]];
        for (int e = plan->start[k]; e < plan->diagonal[k]; e++)
            y[k] = minus_product(b, y[k], lu->at[e], y[plan->index[e]]);
    }
    for (int k = plan->n - 1; k >= 0; k--) {
        for (int e = plan->diagonal[k] + 1; e < plan->start[k + 1]; e++)
            y[k] = minus_product(b, y[k], lu->at[e], y[plan->index[e]]);
        y[k] = times(b, y[k], lu->inverse[k]);
    }
    for (int k = 0; k < plan->n; k++) x[plan->column[k]] = y[k];
}

void straight_solve_transposed(IrBuilder *b, const StraightLu *lu, IrReg *x)
{
    const LuPlan *plan = lu->plan;
    IrReg *y = NEW_ARRAY(b->module->arena, IrReg, (size_t)plan->n + 1);
    for (int k = 0; k < plan->n; k++) y[k] = x[plan->column[k]];
    for (int k = 0; k < plan->n; k++) {
        y[k] = times(b, y[k], lu->inverse[k]);
        for (int e = plan->diagonal[k] + 1; e < plan->start[k + 1]; e++)
            y[plan->index[e]] = minus_product(b, y[plan->index[e]], lu->at[e], y[k]);
    }
    for (int k = plan->n - 1; k >= 0; k--)
        for (int e = plan->start[k]; e < plan->diagonal[k]; e++)
            y[plan->index[e]] = minus_product(b, y[plan->index[e]], lu->at[e], y[k]);
    for (int k = 0; k < plan->n; k++) x[plan->row[k]] = y[k];
}
