/* verify_test.c: the verifier finds each way in which a flat model can be broken, and counting
 * counts. */
#include "flat/flat.h"

#include "test.h"

/* der(x) = -x; y = 2 */
static Flat *small_model(Arena *arena)
{
    Flat *flat = flat_new(arena, "M");
    TypeId real = flat_type(flat, BASE_REAL, NONE, 0, NULL);
    FlatVar v = { .type = real, .varies = VARIES_CONTINUOUS, .array = NONE, .binding = NONE };
    for (int i = 0; i < ATTRIBUTE_COUNT; i++) v.attributes[i] = NONE;
    v.name = "x";
    vec_push(arena, &flat->vars, v);
    v.name = "y";
    vec_push(arena, &flat->vars, v);
    ExprId x = flat_expr(flat, (FlatExpr){ .kind = X_VAR, .type = real, .index = 0 }, NULL, 0);
    ExprId y = flat_expr(flat, (FlatExpr){ .kind = X_VAR, .type = real, .index = 1 }, NULL, 0);
    ExprId two = flat_expr(flat, (FlatExpr){ .kind = X_REAL, .type = real, .real = 2 }, NULL, 0);
    ExprId der = flat_expr(flat, (FlatExpr){ .kind = X_BUILTIN, .op = BUILTIN_DER, .type = real }, &x, 1);
    ExprId minus = flat_expr(flat, (FlatExpr){ .kind = X_UNARY, .op = O_NEGATE, .type = real }, &x, 1);
    StmtId a =
        flat_stmt(flat, (FlatStmt){ .kind = S_EQUAL, .left = der, .right = minus, .level = NONE }, NULL, 0);
    StmtId b =
        flat_stmt(flat, (FlatStmt){ .kind = S_EQUAL, .left = y, .right = two, .level = NONE }, NULL, 0);
    vec_push(arena, &flat->equations, a);
    vec_push(arena, &flat->equations, b);
    return flat;
}

static void break_argument(Flat *flat) { flat->ids.at[flat->exprs.at[3].first] = 4; }
static void break_variable(Flat *flat) { flat->exprs.at[0].index = 2; }
static void break_type(Flat *flat) { flat->exprs.at[2].type = 7; }
static void break_kind(Flat *flat) { flat->exprs.at[2].kind = X_KIND_COUNT; }
static void break_call(Flat *flat) { flat->exprs.at[2].kind = X_CALL; }
static void break_equation(Flat *flat) { flat->equations.at[0] = 9; }
static void break_side(Flat *flat) { flat->stmts.at[0].right = 99; }
static void break_binding(Flat *flat) { flat->vars.at[0].binding = 99; }
static void break_array(Flat *flat) { flat->vars.at[0].array = 0; }
static void make_array_equation(Flat *flat)
{
    int32_t size = 2;
    flat->exprs.at[2].type = flat_type(flat, BASE_REAL, NONE, 1, &size);
}

int main(void)
{
    static void (*const breaks[])(Flat *) = { break_argument, break_variable,     break_type, break_kind,
                                              break_call,     break_equation,     break_side, break_binding,
                                              break_array,    make_array_equation };
    Arena *arena = arena_new();
    Flat *flat = small_model(arena);
    CHECK(!flat_verify(flat));
    FlatCount count = flat_count(flat);
    CHECK(count.unknowns == 2 && count.equations == 2 && count.states == 1);
    for (size_t i = 0; i < COUNT_OF(breaks); i++) {
        Flat *broken = small_model(arena);
        breaks[i](broken);
        if (!CHECK(flat_verify(broken) != NULL)) printf("  in row %zu\n", i);
    }
    int32_t two[] = { 2, 3 }, other[] = { 3, 2 };
    CHECK(flat_type(flat, BASE_REAL, NONE, 2, two) == flat_type(flat, BASE_REAL, NONE, 2, two));
    CHECK(flat_type(flat, BASE_REAL, NONE, 2, two) != flat_type(flat, BASE_REAL, NONE, 2, other));
    arena_free(arena);
    return test_end();
}
