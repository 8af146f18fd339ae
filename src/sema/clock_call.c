/* clock_call.c: calls of clock constructors and operators to typed expressions (specification 16.3
 * to 16.5); clock.c gives them their meaning once the whole model is flat. Intervals, factors and
 * shifts are known when the model is built, so parameters in them are structural. Tests:
 * tests/modelica/clocks.mo. */
#include "sema/inside.h"

static TExpr *wrong(const Env *env, Builtin b, const TExpr *e, const char *want)
{
    sema_error(env->s, env->scope, E_TYPE_MISMATCH, e->span, "'%s' takes %s here, not %s", builtin_text(b),
               want, type_text(env->s, &e->type));
    return tx_poison(env->s, e->span);
}

static TExpr *known(const Env *env, TExpr *e)
{
    Value *v = eval(env->s, e, NULL, env->scope);
    return v ? tx_value(env->s, v, e->span) : tx_poison(env->s, e->span);
}

static TExpr *make(const Env *env, Builtin b, Type type, TExpr *const *args, uint32_t n, Span span)
{
    uint8_t varies = type.base == BASE_REAL || type.base == BASE_CLOCK ? VARIES_CONTINUOUS : VARIES_DISCRETE;
    return tx_builtin(env->s, b, type, varies, span, args, n);
}

/* Clock(), Clock(interval), Clock(count, resolution), Clock(condition, start interval),
 * Clock(clock, solver method). */
static TExpr *constructor(const Env *env, TExpr **args, uint32_t n, Span span)
{
    Type type = type_scalar(BASE_CLOCK);
    if (!n) return make(env, BUILTIN_CLOCK, type, NULL, 0, span);
    uint8_t base = args[0]->type.base;
    if (args[0]->type.rank ||
        (base != BASE_REAL && base != BASE_INTEGER && base != BASE_BOOLEAN && base != BASE_CLOCK))
        return wrong(env, BUILTIN_CLOCK, args[0], "an interval, a condition or a clock");
    bool varies = (base == BASE_REAL || base == BASE_INTEGER) && args[0]->varies > VARIES_PARAMETER;
    for (uint32_t i = base == BASE_BOOLEAN || base == BASE_CLOCK || varies; i < n; i++)
        if (tx_is_poison(args[i] = known(env, args[i]))) return args[i];
    uint8_t second = n > 1 ? args[1]->type.base : BASE_REAL;
    bool fits = base == BASE_CLOCK     ? n == 1 || second == BASE_STRING
                : base == BASE_BOOLEAN ? second == BASE_REAL || second == BASE_INTEGER
                : base == BASE_INTEGER ? n == 1 || second == BASE_INTEGER
                                       : n == 1;
    if (!fits) return wrong(env, BUILTIN_CLOCK, args[1], "something else");
    return make(env, BUILTIN_CLOCK, type, args, n, span);
}

/* Factors and shifts are Integers above or from zero. */
static TExpr *resampled(const Env *env, Builtin b, TExpr **args, uint32_t n, Span span)
{
    for (uint32_t i = 1; i < n; i++) {
        int64_t value;
        if (!eval_integer(env->s, args[i], env->scope, &value)) return tx_poison(env->s, span);
        if (value < 0 || (i == 2 && value == 0) || value > INT32_MAX) {
            sema_error(env->s, env->scope, E_CLOCK, args[i]->span, "%lld is no factor of a clock",
                       (long long)value);
            return tx_poison(env->s, span);
        }
        args[i] = tx_integer(env->s, value, args[i]->span);
    }
    return make(env, b, args[0]->type, args, n, span);
}

TExpr *clock_operator(const Env *env, Builtin b, TExpr **args, uint32_t n, Span span)
{
    if (env->function) {
        sema_error(env->s, env->scope, E_CLOCK, span, "'%s' cannot stand in a function", builtin_text(b));
        return tx_poison(env->s, span);
    }
    switch (b) {
    case BUILTIN_CLOCK: return constructor(env, args, n, span);
    case BUILTIN_INTERVAL: return make(env, b, type_scalar(BASE_REAL), args, n, span);
    case BUILTIN_FIRST_TICK: return make(env, b, type_scalar(BASE_BOOLEAN), args, n, span);
    case BUILTIN_SUB_SAMPLE:
    case BUILTIN_SUPER_SAMPLE:
    case BUILTIN_SHIFT_SAMPLE:
    case BUILTIN_BACK_SAMPLE: return resampled(env, b, args, n, span);
    case BUILTIN_CLOCK_SAMPLE:
        if (n == 2 && args[1]->type.base != BASE_CLOCK) return wrong(env, b, args[1], "a clock");
        return make(env, b, args[0]->type, args, n, span);
    default: break;
    }
    if (args[0]->type.base == BASE_CLOCK) return wrong(env, b, args[0], "a value");
    return make(env, b, args[0]->type, args, n, span);
}
