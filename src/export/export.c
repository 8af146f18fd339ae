/* export.c: from a compiled model to an FMU, step by step.
 *
 * A trial instance at the start values says what numbers the description holds. Tests:
 * tests/cli/export.sh. */
#include "export/inside.h"

#include "ext/ext.h"

#include <math.h>
#include <stdio.h>

static const struct {
    const char *name, *about;
} solvers[] = { { "dopri5", "explicit Runge-Kutta" }, { "radau5", "stiff" }, { "euler-li", "fixed step" } };

bool export_has_solver(const char *name, const char **names)
{
    bool found = false;
    *names = "dopri5, radau5 or euler-li";
    for (size_t k = 0; k < COUNT_OF(solvers); k++) found |= !strcmp(solvers[k].name, name);
    return found;
}

/* A name of C and of files: what is no letter or digit becomes an underscore. */
static const char *identifier_of(Arena *arena, const char *name)
{
    char *out = arena_printf(arena, "%s%s", *name >= '0' && *name <= '9' ? "_" : "", name);
    if (strlen(out) > 100) memmove(out, out + strlen(out) - 100, 101);
    for (char *at = out; *at; at++) {
        bool is_fine = (*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z') || (*at >= '0' && *at <= '9');
        if (!is_fine) *at = '_';
    }
    if (*out >= '0' && *out <= '9') *out = '_';
    return out;
}

/* Two hashes of the code and of how it is exported, in the form of a GUID. */
static const char *token_of(Exporting *x, const ExportText *text)
{
    uint64_t h[2] = { 1469598103934665603u, 0x9e3779b97f4a7c15u };
    for (size_t p = 0; p < FILE_COUNT; p++)
        for (size_t k = 0; k < text->of[p].n; k++) {
            unsigned char c = (unsigned char)text->of[p].at[k];
            h[0] = (h[0] ^ c) * 1099511628211u;
            h[1] = (h[1] + c) * 6364136223846793005u + 1442695040888963407u;
        }
    return arena_printf(x->arena, "{%08x-%04x-%04x-%04x-%012llx}", (unsigned)(h[0] >> 32),
                        (unsigned)(h[0] >> 16 & 0xffff), (unsigned)(h[0] & 0xffff), (unsigned)(h[1] >> 48),
                        (unsigned long long)(h[1] & 0xffffffffffffull));
}

static bool make_trial(Exporting *x)
{
    double t = isnan(x->options->start) ? 0 : x->options->start;
    x->trial = run_new(x->run);
    if (!x->trial) {
        diag_add_file(x->diag, E_EXPORT_MODEL, NULL, "no memory for an instance of the model");
        return false;
    }
    ext_attach(run_rt(x->trial));
    export_find_resources(x, t);
    RunStatus status = run_prepare(x->trial, t);
    if (status != RUN_OK)
        diag_add_file(x->diag, E_EXPORT_MODEL, NULL, "the model has no start values: %s",
                      run_message(x->trial));
    return status == RUN_OK;
}

/* How stiff a model is cannot be told here; what has blocks or is large usually is. */
static const char *choose_solver(const Exporting *x)
{
    if (x->options->solver) return x->options->solver;
    return x->run->state_count > 300 ? "dopri5" : "radau5";
}

static void write_texts(Exporting *x, ExportText *text)
{
    x->token = "{acausal-the-token-that-is-not-known-}"; /* as long as one */
    for (int k = 0; k < FILE_COUNT; k++) text->of[k] = (Text){ .arena = x->arena };
    if (x->has_products)
        ir_print_c(gen_tape_module(x->compiled), &(IrCStyle){ .prefix = "d_" }, &text->of[FILE_DERIVATIVES]);
    export_write_c(x, &text->of[FILE_MODEL]);
    const char *externals = ext_unit_text(gen_externals(x->compiled), 0, x->arena);
    if (externals) text_add(&text->of[FILE_EXTERNALS], str_of(externals));
    const char *token = token_of(x, text);
    char *place = strstr(text->of[FILE_MODEL].at, x->token);
    if (place && strlen(token) == strlen(x->token)) memcpy(place, token, strlen(token));
    x->token = token;
}

static void add_file(Exporting *x, Package *package, const char *name, const char *at, size_t n)
{
    PackedFile f = { name, at, n };
    vec_push(x->arena, package, f);
}

static void count(const Exporting *x, ExportReport *r)
{
    r->variables = x->variables.n;
    r->states = x->run->state_count;
    for (uint32_t k = 0; k < x->variables.n; k++) {
        r->inputs += x->variables.at[k].causality == CAUSALITY_INPUT;
        r->outputs += x->variables.at[k].causality == CAUSALITY_OUTPUT;
    }
}

static const char build_description[] =
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiBuildDescription fmiVersion=\"3.0\">\n"
    "  <BuildConfiguration modelIdentifier=\"%s\" description=\"Any C99 compiler; libm.\">\n"
    "    <SourceFileSet language=\"C99\" compilerOptions=\"-ffp-contract=off -fno-builtin\">\n%s    "
    "</SourceFileSet>\n"
    "    <Library name=\"m\" external=\"true\"/>\n  </BuildConfiguration>\n</fmiBuildDescription>\n";

static void add_build_description(Exporting *x, Package *package)
{
    const char *names[200];
    uint32_t n = export_source_files(x, names, 200);
    Text files = { .arena = x->arena }, out = { .arena = x->arena };
    for (uint32_t k = 0; k < n; k++) text_printf(&files, "      <SourceFile name=\"%s\"/>\n", names[k]);
    text_printf(&out, build_description, x->identifier, files.at);
    add_file(x, package, "sources/buildDescription.xml", out.at, out.n);
}

static bool make(Exporting *x, const char *path, ExportReport *r)
{
    const ExportOptions *o = x->options;
    ExportText text;
    Package package = { 0 };
    Text xml = { .arena = x->arena };
    Str binary = { NULL, 0 };
    double begin = clock_wall();
    if (!make_trial(x) || !export_list_variables(x)) return false;
    Structure structure = export_structure(x);
    write_texts(x, &text);
    export_list_types(x);
    export_describe(x, &structure, &xml);
    add_file(x, &package, "modelDescription.xml", xml.at, xml.n);
    r->describe_seconds = clock_wall() - begin;
    begin = clock_wall();
    if (o->binary && !export_build(x, &text, &binary)) return false;
    r->compile_seconds = clock_wall() - begin;
    begin = clock_wall();
    if (o->binary)
        add_file(x, &package,
                 arena_printf(x->arena, "binaries/%s/%s.so", export_platform(o->version), x->identifier),
                 binary.at, binary.n);
    for (uint32_t k = 0; k < x->resources.n; k++) {
        const ExportResource *f = &x->resources.at[k];
        add_file(x, &package, arena_printf(x->arena, "resources/%s", f->resource), f->content.at,
                 f->content.n);
    }
    if (o->sources) export_add_sources(x, &text, &package);
    if (o->sources && o->version == 3) add_build_description(x, &package);
    bool ok = export_pack(&package, path, x->diag, &r->bytes);
    r->pack_seconds = clock_wall() - begin;
    r->resources = x->resources.n;
    r->binary_bytes = binary.n;
    for (int k = 0; k < FILE_COUNT; k++) r->source_bytes += text.of[k].n;
    r->identifier = x->identifier;
    r->solver = x->solver;
    count(x, r);
    return ok;
}

/* A model without derivatives of all its functions is exported, too; the FMU says that it has
 * none. */
static bool add_products(Exporting *x)
{
    Diag own;
    diag_init(&own, x->arena);
    x->has_products = gen_add_directions(x->compiled, &own);
    if (x->has_products) return true;
    const char *why = own.notes.n ? own.notes.at[0]->text : "no code could be made for them";
    diag_add_file(x->diag, W_EXPORT_DERIVATIVES, NULL, "the FMU offers no derivatives: %s", why);
    return true;
}

bool export_fmu(Compiled *compiled, const char *path, const ExportOptions *options, Arena *arena, Diag *diag,
                ExportReport *report)
{
    *report = (ExportReport){ 0 };
    Exporting x = { .arena = arena, .diag = diag, .compiled = compiled, .options = options };
    if (options->binary && !export_platform(options->version)) {
        diag_add_file(diag, E_EXPORT_COMPILER, NULL,
                      "binaries for this machine have no name in the standard; give --platform none");
        return false;
    }
    double begin = clock_wall();
    x.s = gen_system(compiled);
    if (!add_products(&x) || !export_check_externals(&x)) return false;
    x.run = gen_run_model(compiled);
    x.shape = gen_shape(compiled);
    x.identifier = identifier_of(arena, x.shape->name);
    x.solver = choose_solver(&x);
    double products = clock_wall() - begin;
    bool ok = make(&x, path, report);
    report->describe_seconds += products;
    run_free(x.trial);
    return ok;
}
