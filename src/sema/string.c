/* string.c: the operator String (specification 3.7.2): its arguments in their places, and its value
 * while the model is built. Places: of a Real x: x, significantDigits, minimumLength,
 * leftJustified; of others: x, minimumLength, leftJustified; or x, format. Tests:
 * tests/modelica/expressions.mo. */
#include "sema/inside.h"

#include <stdio.h>

enum { MOST_PLACES = 4 };

static const char *const names_of_real[] = { "r", "significantDigits", "minimumLength", "leftJustified" };
static const char *const names_of_others[] = { "i", "minimumLength", "leftJustified" };

static TExpr *bad_argument(const Env *env, const Expr *item, const char *what, const char *name)
{
    sema_error(env->s, env->scope, E_ARGUMENTS, item->span, what, name);
    return tx_poison(env->s, item->span);
}

static TExpr *with_format(const Env *env, TExpr *x, const Expr *item)
{
    TExpr *format = type_expr(env, item->left);
    if (tx_is_poison(format)) return format;
    if (format->type.base != BASE_STRING || format->type.rank) {
        sema_error(env->s, env->scope, E_TYPE_MISMATCH, format->span, "a format is a String");
        return tx_poison(env->s, item->span);
    }
    uint8_t varies = x->varies > format->varies ? x->varies : format->varies;
    return tx_builtin(env->s, BUILTIN_STRING, type_scalar(BASE_STRING), varies, item->span,
                      (TExpr *[]){ x, format }, 2);
}

/* Puts the arguments from the second on into their places; false after a report. */
static bool place(const Env *env, const Expr *e, const char *const *names, uint32_t most, TExpr **args)
{
    for (uint32_t i = 1; i < e->n; i++) {
        const Expr *item = e->items[i];
        bool named = item->kind == EXPR_NAMED;
        uint32_t at = i;
        for (at = named ? 1 : i; named && at < most && !str_is(name_str(item->name), names[at]);) at++;
        if (at >= most)
            return !tx_is_poison(
                bad_argument(env, item, named ? "'String' has no argument '%s'" : "too many arguments%s",
                             named ? name_text(item->name) : ""));
        if (args[at]) return !tx_is_poison(bad_argument(env, item, "'%s' is given twice", names[at]));
        args[at] = type_expr(env, named ? item->left : item);
        if (tx_is_poison(args[at])) return false;
        uint8_t want = at + 1 == most ? BASE_BOOLEAN : BASE_INTEGER;
        if (args[at]->type.base == want && !args[at]->type.rank) continue;
        sema_error(env->s, env->scope, E_TYPE_MISMATCH, item->span, "'%s' cannot be %s", names[at],
                   type_text(env->s, &args[at]->type));
        return false;
    }
    return true;
}

TExpr *type_string(const Env *env, TExpr *x, const Expr *e)
{
    Sema *s = env->s;
    bool real = x->type.base == BASE_REAL;
    TExpr *args[MOST_PLACES] = { x };
    if (x->type.rank || x->type.base > BASE_ENUM) {
        sema_error(s, env->scope, E_TYPE_MISMATCH, x->span,
                   "'String' takes a scalar of a simple type, not %s", type_text(s, &x->type));
        return tx_poison(s, e->span);
    }
    if (e->n == 2 && e->items[1]->kind == EXPR_NAMED && str_is(name_str(e->items[1]->name), "format"))
        return with_format(env, x, e->items[1]);
    uint32_t most = real ? COUNT_OF(names_of_real) : COUNT_OF(names_of_others), n = 1;
    if (!place(env, e, real ? names_of_real : names_of_others, most, args)) return tx_poison(s, e->span);
    uint8_t varies = x->varies;
    for (uint32_t i = 1; i < most; i++)
        if (args[i]) n = i + 1;
    for (uint32_t i = 1; i < n; i++) {
        if (!args[i]) args[i] = tx_integer(s, real && i == 1 ? 6 : 0, e->span);
        if (args[i]->varies > varies) varies = args[i]->varies;
    }
    return tx_builtin(s, BUILTIN_STRING, type_scalar(BASE_STRING), varies, e->span, args, n);
}

/* ---- values ---------------------------------------------------------------------------------- */

/* A format of C without its percent sign: flags, width, precision, one conversion that fits. */
static bool is_format(Str f, bool real)
{
    size_t i = f.n && f.at[0] == '%' ? 1 : 0;
    while (i < f.n && strchr("-+ #0", f.at[i])) i++;
    while (i < f.n && (f.at[i] == '.' || (f.at[i] >= '0' && f.at[i] <= '9'))) i++;
    return i + 1 == f.n && i < 20 && strchr(real ? "eEfFgG" : "diouxXc", f.at[i]);
}

static bool add_formatted(Text *text, const Value *x, Str format)
{
    char buffer[512], pattern[32];
    bool is_integer = x->base == BASE_INTEGER,
         real = x->base == BASE_REAL || (is_integer && is_format(format, true));
    double number = is_integer ? (double)x->at[0].integer : x->at[0].real;
    if (!is_format(format, real)) return false;
    size_t skip = format.at[0] == '%', n = format.n - skip - 1;
    snprintf(pattern, sizeof pattern, "%%%.*s%s%c", (int)n, format.at + skip, real ? "" : "l",
             format.at[format.n - 1]);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    int length = real ? snprintf(buffer, sizeof buffer, pattern, number)
                      : snprintf(buffer, sizeof buffer, pattern, (long)x->at[0].integer);
#pragma GCC diagnostic pop
    if (length < 0 || (size_t)length >= sizeof buffer) return false;
    text_add(text, str_of(buffer));
    return true;
}

static void add_plain(Text *text, const Value *x, int digits)
{
    if (x->base == BASE_REAL)
        text_printf(text, "%.*g", digits > 0 && digits < 18 ? digits : 6, x->at[0].real);
    else if (x->base == BASE_BOOLEAN)
        text_add(text, x->at[0].integer ? STR("true") : STR("false"));
    else if (x->base == BASE_ENUM && x->def)
        text_add(text, name_str(x->def->root->cls->literals[x->at[0].integer - 1].name));
    else if (x->base == BASE_STRING)
        text_add(text, x->at[0].text);
    else
        text_printf(text, "%lld", (long long)x->at[0].integer);
}

bool string_of_value(Sema *s, Value *const *args, uint32_t n, Str *out)
{
    enum { LONGEST = 10000 };
    Text text = { .arena = s->arena };
    const Value *x = args[0];
    uint32_t length = x->base == BASE_REAL ? 2 : 1;
    text_add_literal(&text, "");
    if (n == 2 && args[1]->base == BASE_STRING) {
        if (!add_formatted(&text, x, args[1]->at[0].text)) return false;
    } else {
        add_plain(&text, x, n > 1 ? (int)args[1]->at[0].integer : 6);
        int64_t least = n > length ? args[length]->at[0].integer : 0;
        bool left = n <= length + 1 || args[length + 1]->at[0].integer;
        Text padded = { .arena = s->arena };
        if (least > LONGEST) return false;
        for (int64_t i = (int64_t)text.n; !left && i < least; i++) text_add_char(&padded, ' ');
        text_add(&padded, (Str){ text.at, text.n });
        for (int64_t i = (int64_t)text.n; left && i < least; i++) text_add_char(&padded, ' ');
        text = padded;
    }
    *out = (Str){ text.at, text.n };
    return true;
}
