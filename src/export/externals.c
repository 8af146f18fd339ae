/* externals.c: external functions of a model, and whether an FMU can take them along.
 *
 * Tables, strings, random numbers and FFT are in rt/; printing goes to the log of the importer. A C function of a user's library is linked
 * from the static archive of that library. Everything else (files, LAPACK, the system) is refused, with the function and its
 * place. Tests: tests/cli/export.sh. */
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
        const char *adapter = ext_adapter(f->symbol);
        size_t n = strlen(f->symbol);
        bool is_fortran = !strncmp(e->name, f->symbol, n) && !strcmp(e->name + n, "_");
        if ((adapter && !strcmp(adapter, e->name)) || !strcmp(f->symbol, e->name) || is_fortran) return f;
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
             "an FMU cannot take along the external function '%s': %s", f ? f->symbol : e->name, why);
    return false;
}

static bool check_one(Exporting *x, const IrExternal *e)
{
    const FlatFunction *f = function_of(x, e);
    if (e->entry)
        return is_taken_along(e->name) ||
               refuse(x, f, e, "it needs files or the system, which an importer may not have");
    const char *library = static_library(x, f);
    if (!library)
        return refuse(
            x, f, e,
            "there is no static archive of its library, lib*.a, to link (LAPACK is not taken along)");
    if (x->options->sources)
        return refuse(x, f, e, "it comes from an archive, so there are no sources of it");
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
