/* string.c: strings in expressions: joining, comparing, String(). They are calls of functions of rt/, folded where
 * their arguments are known. Tests: tests/gen/extern_test.c. */
#include "dae/inside.h"

static uint8_t base_of(char letter)
{
    return letter == 'r' ? BASE_REAL : letter == 's' ? BASE_STRING : BASE_INTEGER;
}

/* The function called now, where all inputs are known. */
static bool fold(Build *b, const char *name, const char *cells, const Sym *inputs, Sym *result)
{
    SymPool *p = b->s->pool;
    RtCell values[8] = { { 0 } };
    uint32_t n = (uint32_t)strlen(cells) - 1;
    for (uint32_t i = 0; i < n; i++) {
        bool is_text = sym_is(p, inputs[i], SYM_TEXT);
        if (is_text != (cells[i] == 's') || (!is_text && !sym_is(p, inputs[i], SYM_REAL))) return false;
        if (is_text)
            values[i].s = sym_string(p, inputs[i]);
        else if (cells[i] == 'r')
            values[i].r = sym_node(p, inputs[i])->real;
        else
            values[i].i = (int64_t)sym_node(p, inputs[i])->real;
    }
    const char *text = ext_builtin(name, cells, values, b->scratch);
    if (!text) return false;
    *result = cells[n] == 's' ? sym_string_of(p, str_of(text)) : sym_real(p, (double)values[n].i);
    return true;
}

Sym dae_string_call(Build *b, const char *name, const char *cells, const Sym *inputs)
{
    DaeArg args[8];
    uint32_t n = (uint32_t)strlen(cells);
    Syms results = { 0 };
    Sym known;
    if (fold(b, name, cells, inputs, &known)) return known;
    for (uint32_t i = 0; i < n; i++)
        args[i] = (DaeArg){ .base = base_of(cells[i]), .is_input = i + 1 < n, .is_output = i + 1 == n, .n = 1 };
    DaeCall call = { .function = NONE, .builtin = name, .has_result = true, .args = args, .n = n };
    dae_call(b, call, inputs, n - 1, &results);
    return results.at[0];
}

bool dae_is_string(const Build *b, const FlatExpr *e)
{
    const Flat *f = b->s->flat;
    return e->kind == X_BINARY && f->types.at[f->exprs.at[f->ids.at[e->first]].type].base == BASE_STRING;
}

Sym dae_string_binary(Build *b, Oper op, Sym x, Sym y)
{
    SymPool *p = b->s->pool;
    const Sym both[2] = { x, y };
    if (op == O_ADD) return dae_string_call(b, "string_concat", "sss", both);
    Sym order = dae_string_call(b, "string_compare", "ssi", both);
    switch (op) {
    case O_EQUAL: return sym_two(p, SYM_EQ, order, SYM_ZERO);
    case O_NOT_EQUAL: return sym_two(p, SYM_NE, order, SYM_ZERO);
    case O_LESS: return sym_two(p, SYM_LT, order, SYM_ZERO);
    case O_LESS_EQUAL: return sym_two(p, SYM_LE, order, SYM_ZERO);
    case O_GREATER: return sym_two(p, SYM_LT, SYM_ZERO, order);
    default: return sym_two(p, SYM_LE, SYM_ZERO, order);
    }
}

/* The name of the literal that a number stands for. */
static Sym literal_name(Build *b, const FlatDef *def, Sym value)
{
    SymPool *p = b->s->pool;
    Sym text = sym_string_of(p, STR(""));
    for (uint32_t i = def->fields.n; i-- > 0;)
        text = sym_if(p, sym_two(p, SYM_EQ, value, sym_real(p, i + 1.0)), sym_string_of(p, str_of(def->fields.at[i].name)),
                      text);
    return text;
}

/* String(value, options): sema has put the options of each type into a fixed order, see call.c there. */
Sym dae_string_of(Build *b, const FlatExpr *e, const Sym *a)
{
    const Flat *f = b->s->flat;
    SymPool *p = b->s->pool;
    const FlatExpr *value = &f->exprs.at[f->ids.at[e->first]];
    const FlatType *t = &f->types.at[value->type];
    bool has_format = e->n == 2 && f->types.at[f->exprs.at[f->ids.at[e->first + 1]].type].base == BASE_STRING;
    Sym in[4] = { a[0], sym_real(p, 6), SYM_ZERO, SYM_ONE };
    if (has_format)
        return t->base == BASE_REAL ? dae_string_call(b, "string_format_real", "rss", a)
                                    : dae_string_call(b, "string_format_int", "iss", a);
    if (t->base == BASE_REAL) {
        for (uint32_t k = 1; k < e->n && k < 4; k++) in[k] = a[k];
        return dae_string_call(b, "string_of_real", "riiis", in);
    }
    in[1] = e->n > 1 ? a[1] : SYM_ZERO;
    in[2] = e->n > 2 ? a[2] : SYM_ONE;
    if (t->base == BASE_STRING) return a[0];
    if (t->base == BASE_ENUM) return literal_name(b, &f->defs.at[t->def], a[0]);
    return dae_string_call(b, t->base == BASE_BOOLEAN ? "string_of_bool" : "string_of_int", "iiis", in);
}
