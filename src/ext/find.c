/* find.c: from the name of a C function to something that can be called.
 *
 * First the standard functions (functions.def), which are adapters; then LAPACK (lapack.def); then
 * C text of the model (bridge.c) or the shared libraries that the declaration names, which are
 * loaded and stay so. How arguments are passed follows from the language: by value, and by address
 * where something comes back, in C; always by address in FORTRAN 77, where each string is followed,
 * at the end, by its length. Tests: tests/api/extern_test.c. */
#include "ext/inside.h"

#include <dlfcn.h>

typedef struct {
    const char *symbol, *adapter, *cells; /* inputs, '>', outputs; a capital is an array */
    RtEntry entry;
    bool has_effects;
} Standard;

static const Standard standard[] = {
#define FUNCTION(symbol, adapter, cells) { #symbol, #adapter, cells, adapter, false },
#define EFFECT(symbol, adapter, cells) { #symbol, #adapter, cells, adapter, true },
#include "ext/functions.def"
#undef EFFECT
#undef FUNCTION
};

#define LAPACK(name) void name##_(void);
#include "ext/lapack.def"
#undef LAPACK

static const struct {
    const char *symbol;
    void (*address)(void);
} lapack[] = {
#define LAPACK(name) { #name, name##_ },
#include "ext/lapack.def"
#undef LAPACK
};

static const Standard *find_standard(const char *symbol)
{
    for (size_t i = 0; i < COUNT_OF(standard); i++)
        if (!strcmp(standard[i].symbol, symbol)) return &standard[i];
    return NULL;
}

/* Tables whose declaration has no derivative annotation, as those that are piecewise constant, have
 * one all the same. */
static const struct {
    const char *symbol;
    ExtDerivative derivative;
} derivatives[] = {
    { "ModelicaStandardTables_CombiTable1D_getValue",
      { "ModelicaStandardTables_CombiTable1D_getDerValue", "--d" } },
    { "ModelicaStandardTables_CombiTable2D_getValue",
      { "ModelicaStandardTables_CombiTable2D_getDerValue", "-dd" } },
    { "ModelicaStandardTables_CombiTimeTable_getValue",
      { "ModelicaStandardTables_CombiTimeTable_getDerValue", "--d--" } },
};

const ExtDerivative *ext_derivative(const char *symbol)
{
    for (size_t i = 0; i < COUNT_OF(derivatives); i++)
        if (!strcmp(derivatives[i].symbol, symbol)) return &derivatives[i].derivative;
    return NULL;
}

bool ext_is_standard(const char *symbol) { return find_standard(symbol) != NULL; }

const char *ext_adapter(const char *symbol)
{
    const Standard *f = find_standard(symbol);
    return f ? f->adapter : NULL;
}

bool ext_is_fortran(Str language) { return language.n >= 7 && !memcmp(language.at, "FORTRAN", 7); }

/* ---- functions of C itself ------------------------------------------------------------------- */

static const char MATH[] = "#include <math.h>";

const char *ext_of_c(const char *symbol)
{
    static const char *const functions[] = {
        "acos",  "acosh", "asin",  "asinh", "atan", "atan2",     "atanh",     "cbrt",   "ceil",
        "cos",   "cosh",  "erf",   "erfc",  "exp",  "exp2",      "expm1",     "fabs",   "fdim",
        "floor", "fma",   "fmax",  "fmin",  "fmod", "hypot",     "ilogb",     "ldexp",  "lgamma",
        "log",   "log10", "log1p", "log2",  "logb", "nearbyint", "nextafter", "pow",    "remainder",
        "rint",  "round", "sin",   "sinh",  "sqrt", "tan",       "tanh",      "tgamma", "trunc",
        "j0",    "j1",    "jn",    "y0",    "y1",   "yn",        "copysign",  "scalbn", "frexp",
    };
    for (size_t i = 0; i < COUNT_OF(functions); i++)
        if (!strcmp(functions[i], symbol)) return MATH;
    return NULL;
}

/* ---- how arguments are passed ---------------------------------------------------------------- */

static uint8_t pass_of(const ExtParam *p, bool fortran)
{
    if (p->is_result && !p->record) return IR_AS_RESULT;
    if (p->is_array) return IR_AS_ARRAY;
    if (p->is_output) return IR_BY_OUTPUT;
    if (fortran) return p->type == IR_STR || p->type == IR_PTR ? IR_BY_VALUE : IR_BY_REFERENCE;
    return p->is_size ? IR_AS_SIZE : IR_BY_VALUE;
}

static void take_params(const ExtRequest *r, Arena *arena, IrExternal *out)
{
    bool fortran = ext_is_fortran(r->language);
    out->params = NEW_ARRAY(arena, IrExtParam, r->n + 1);
    out->param_count = r->n;
    for (uint32_t i = 0; i < r->n; i++) {
        const ExtParam *p = &r->params[i];
        out->params[i] = (IrExtParam){ p->type, pass_of(p, fortran), p->is_array, p->is_output };
    }
}

static char letter_of(const ExtParam *p)
{
    static const char small[] = "risp", large[] = "RISP";
    return p->is_array ? large[p->type] : small[p->type];
}

/* Whether a declaration has the arguments that the standard function wants. */
static bool fits(const Standard *f, const ExtRequest *r)
{
    const char *want = f->cells;
    for (int out = 0; out < 2; out++) {
        for (uint32_t i = 0; i < r->n; i++) {
            if (r->params[i].is_output != (bool)out) continue;
            if (*want != letter_of(&r->params[i])) return false;
            want++;
        }
        if (!out && *want++ != '>') return false;
    }
    return !*want;
}

/* ---- shared libraries ------------------------------------------------------------------------ */

static void *load(const ExtRequest *r, Arena *arena, const char *library)
{
    const char *file = arena_printf(arena, "lib%s.so", library);
    for (int k = 0; r->directory && k < 2; k++) {
        const char *directory = k ? path_join(arena, r->directory, "linux64") : r->directory;
        const char *path = path_join(arena, directory, file);
        void *handle =
            file_kind(path) == FILE_REGULAR ? dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE) : NULL;
        if (handle) return handle;
    }
    return dlopen(file, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
}

static bool find_loaded(const ExtRequest *r, Arena *arena, IrExternal *out, const char **why)
{
    Text tried = { .arena = arena };
    const char *symbol = ext_is_fortran(r->language) ? arena_printf(arena, "%s_", r->symbol) : r->symbol;
    for (uint32_t i = 0; i < r->library_count; i++) {
        void *handle = load(r, arena, r->libraries[i]), *address = handle ? dlsym(handle, symbol) : NULL;
        if (address) {
            memcpy(&out->address, &address, sizeof address);
            out->name = symbol;
            out->around = rt_guard;
            out->string_lengths = ext_is_fortran(r->language);
            return true;
        }
        text_printf(&tried, "%s'%s'%s", i ? ", " : "", r->libraries[i],
                    handle ? " has no such function" : "");
    }
    *why = !r->library_count
               ? arena_printf(arena, "'%s' is not one of the standard functions, and no library is named",
                              r->symbol)
           : r->directory ? arena_printf(arena, "'%s' is in no shared library of '%s': %s", r->symbol,
                                         r->directory, tried.at)
                          : arena_printf(arena, "'%s' is in no shared library: %s", r->symbol, tried.at);
    return false;
}

/* Its address; NULL if it is none of LAPACK's. */
static void (*find_lapack(const char *symbol, Str language))(void)
{
    for (size_t i = 0; i < COUNT_OF(lapack); i++)
        if (ext_is_fortran(language) && !strcmp(lapack[i].symbol, symbol)) return lapack[i].address;
    return NULL;
}

bool ext_is_lapack(const char *symbol, Str language) { return find_lapack(symbol, language) != NULL; }

/* ---- whose code may run ---------------------------------------------------------------------- */

static RtStatus put_off(Rt *rt, RtCell *cells)
{
    (void)cells;
    return rt_fail_external(rt, "foreign code is not run by a command that only looks at a model");
}

static RtStatus print_only(Rt *rt, RtCell *cells)
{
    return cells[1].s && *cells[1].s ? put_off(rt, cells) : ext_print(rt, cells);
}

bool ext_may_run(const ExtRequest *r, Arena *arena, const char **why)
{
    const Standard *f = find_standard(r->symbol);
    const char *origin = r->origin ? r->origin : "PATH";
    if (f) {
        bool may = !f->has_effects || f->entry == ext_print || permit_effects(r->permit);
        if (!may)
            *why = arena_printf(arena, "'%s' changes files or starts programs, which only a run may do",
                                r->symbol);
        return may;
    }
    bool of_c = !r->library_count && r->include && !strcmp(r->include, MATH) && ext_of_c(r->symbol);
    bool is_foreign = !of_c && (r->library_count || ext_needs_bridge(r));
    if (!is_foreign || ext_is_lapack(r->symbol, r->language) || permit_origin(r->permit, r->origin))
        return true;
    *why = arena_printf(arena,
                        "the foreign code of '%s' may not run here: '%s' is not trusted; '--trust %s' trusts "
                        "it for this call, 'acausal trust add %s' for good",
                        r->symbol, origin, origin, origin);
    return false;
}

bool ext_find(const ExtRequest *r, Arena *arena, IrExternal *out, const char **why)
{
    const Standard *f = find_standard(r->symbol);
    *out = (IrExternal){ .name = r->symbol };
    take_params(r, arena, out);
    if (f) {
        out->name = f->adapter;
        out->entry = f->entry;
        if (f->has_effects && !permit_effects(r->permit))
            out->entry = f->entry == ext_print ? print_only : put_off;
        if (fits(f, r)) return true;
        *why = arena_printf(arena, "'%s' takes other arguments", r->symbol);
        return false;
    }
    void (*address)(void) = find_lapack(r->symbol, r->language);
    if (address) {
        out->address = address;
        out->name = arena_printf(arena, "%s_", r->symbol);
        out->string_lengths = true;
        return true;
    }
    if (!ext_may_run(r, arena, why)) {
        out->entry = put_off;
        return r->permit && r->permit->looks_only;
    }
    if (!ext_needs_bridge(r)) return find_loaded(r, arena, out, why);
    ext_bridge(r, out);
    return true;
}
