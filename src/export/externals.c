/* externals.c: external functions of a model, and whether an FMU can take them along.
 *
 * Tables, strings, random numbers and FFT are in rt/; printing goes to the log of the importer. A C
 * function of a user's library is linked from the static archive of that library; LAPACK from that
 * of the system; C text that came with the model is compiled in. Everything else (writing files,
 * the system) is refused, with the function and its place. Tests: tests/cli/export.sh. */
#include "export/inside.h"

#include "ext/ext.h"

static bool is_taken_along(const char *adapter)
{
    return !strncmp(adapter, "rt_", 3) || !strcmp(adapter, "ext_print") || !strcmp(adapter, "ext_close");
}

/* The function of the model that an external of the code stands for; NULL if it is none. */
static const FlatFunction *function_of(const Exporting *x, const IrExternal *e)
{
    const Flat *flat = x->s->flat;
    for (uint32_t k = 0; k < flat->functions.n; k++) {
        const FlatFunction *f = &flat->functions.at[k];
        if (!f->external || !f->symbol) continue;
        const char *adapter = ext_adapter(f->symbol), *symbol = ir_symbol(e);
        size_t n = strlen(f->symbol);
        bool is_fortran = !strncmp(symbol, f->symbol, n) && !strcmp(symbol + n, "_");
        bool is_text = !strncmp(symbol, "acausal_", 8) && !strncmp(symbol + 8, f->symbol, n) &&
                       (!symbol[8 + n] || symbol[8 + n] == '_');
        if ((adapter && !strcmp(adapter, symbol)) || !strcmp(f->symbol, symbol) || is_fortran || is_text)
            return f;
    }
    return NULL;
}

static const char *static_library(Exporting *x, const FlatFunction *f)
{
    for (uint32_t k = 0; f && k < f->libraries.n; k++)
        for (int deeper = 0; f->library_directory && deeper < 2; deeper++) {
            const char *directory =
                deeper ? path_join(x->arena, f->library_directory, "linux64") : f->library_directory;
            const char *path =
                path_join(x->arena, directory, arena_printf(x->arena, "lib%s.a", f->libraries.at[k]));
            if (file_kind(path) == FILE_REGULAR) return path;
        }
    return NULL;
}

static bool refuse(Exporting *x, const FlatFunction *f, const IrExternal *e, const char *why)
{
    diag_add(x->diag, E_EXPORT_MODEL, f ? f->span : (Span){ 0 },
             "an FMU cannot take along the external function '%s': %s", f ? f->symbol : ir_symbol(e), why);
    return false;
}

static bool check_one(Exporting *x, const IrExternal *e)
{
    const FlatFunction *f = function_of(x, e);
    if (e->entry)
        return is_taken_along(ir_symbol(e)) ||
               refuse(x, f, e, "it needs files or the system, which an importer may not have");
    if (ext_unit_makes(gen_externals(x->compiled), e->name) && (!f || !f->libraries.n)) return true;
    bool is_lapack = f && ext_is_lapack(f->symbol, f->language);
    const char *library = is_lapack ? NULL : static_library(x, f);
    if (!library && !is_lapack)
        return refuse(x, f, e, "there is no static archive of its library, lib*.a, to link");
    if (x->options->sources)
        return refuse(x, f, e, "it comes from an archive, so there are no sources of it");
    x->needs_lapack |= is_lapack;
    if (is_lapack) return true;
    for (uint32_t k = 0; k < x->archives.n; k++)
        if (!strcmp(x->archives.at[k], library)) return true;
    vec_push(x->arena, &x->archives, library);
    return true;
}

bool export_check_externals(Exporting *x)
{
    const IrModule *modules[] = { gen_module(x->compiled), gen_tape_module(x->compiled) };
    bool ok = true;
    for (int m = 0; m < 2; m++)
        for (IrExt e = 0; modules[m] && ok && e < modules[m]->externals.n; e++)
            ok = check_one(x, &modules[m]->externals.at[e]);
    return ok;
}
