/* build.c: the binary of an FMU from its sources, with the system's compiler.
 *
 * In: sources/buildDescription.xml of version 3, which names files, definitions, directories to
 * include and libraries; or the files that the description of version 2 names. Out: a shared
 * library. Always: no shell reads names that an FMU chose, files are in the archive, and options
 * for a compiler that an FMU asks for are not passed on. Tests: tests/cli/fmu.sh. */
#include "fmi/inside.h"

#include <stdlib.h>

typedef struct {
    Instance *i;
    const char *sources;
    VEC(char *) arguments, last; /* last: after the files */
    uint32_t files;
    bool is_cpp, failed;
    Diag *diag;
} Building;

static void add(Building *b, const char *text)
{
    vec_push(b->i->arena, &b->arguments, arena_copy(b->i->arena, str_of(text)));
}

static void add_file(Building *b, const char *name)
{
    if (!archive_has(b->i->fmu->archive, path_join(b->i->arena, "sources", name))) {
        diag_add_file(b->diag, E_FMU_BINARY, b->i->fmu->path, "there is no source '%.100s' in it", name);
        b->failed = true;
    }
    add(b, path_join(b->i->arena, b->sources, name));
    b->files++;
}

static void add_definition(Building *b, const XmlNode *n)
{
    const char *name = xml_attribute(n, "name"), *value = xml_attribute(n, "value"),
               *optional = xml_attribute(n, "optional");
    if (!name || (optional && !strcmp(optional, "true"))) return;
    add(b,
        value ? arena_printf(b->i->arena, "-D%s=%s", name, value) : arena_printf(b->i->arena, "-D%s", name));
}

static void read_file_set(Building *b, const XmlNode *set)
{
    const char *language = xml_attribute(set, "language");
    b->is_cpp |= language && !strncmp(language, "C++", 3);
    for (const XmlNode *n = set->first; n; n = n->next) {
        const char *name = xml_attribute(n, "name");
        if (!strcmp(n->name, "PreprocessorDefinition")) add_definition(b, n);
        if (!strcmp(n->name, "IncludeDirectory") && name)
            add(b, arena_printf(b->i->arena, "-I%s", path_join(b->i->arena, b->sources, name)));
        if (!strcmp(n->name, "SourceFile") && name) add_file(b, name);
    }
}

/* The configuration for this model; a library is one of the system. */
static void read_configuration(Building *b, const XmlNode *configuration)
{
    for (const XmlNode *n = configuration->first; n; n = n->next) {
        const char *name = xml_attribute(n, "name");
        if (!strcmp(n->name, "SourceFileSet")) read_file_set(b, n);
        if (!strcmp(n->name, "Library") && name)
            vec_push(b->i->arena, &b->last, arena_printf(b->i->arena, "-l%s", name));
    }
}

static const char build_file[] = "sources/buildDescription.xml";

static void read_build(Building *b)
{
    Str bytes;
    Arena *arena = b->i->arena;
    Sources *sources = sources_new();
    if (sources && archive_read(b->i->fmu->archive, build_file, arena, &bytes)) {
        const Source *source = source_add_text(sources, build_file, bytes);
        XmlNode *root = source ? xml_read(source, arena, b->diag) : NULL;
        for (const XmlNode *n = root ? root->first : NULL; n && !b->files; n = n->next) {
            const char *identifier = xml_attribute(n, "modelIdentifier");
            if (!strcmp(n->name, "BuildConfiguration") &&
                (!identifier || !strcmp(identifier, b->i->kind->identifier)))
                read_configuration(b, n);
        }
    }
    sources_free(sources);
}

bool build_has_sources(const Instance *i)
{
    return i->kind->source_count || archive_has(i->fmu->archive, build_file);
}

bool build_binary(Instance *i, const char *directory, const char *binary, Diag *diag)
{
    Building b = { .i = i, .sources = path_join(i->arena, directory, "sources"), .diag = diag };
    const char *const first[] = { "", "-shared", "-fPIC", "-O2", "-w", "-o", binary };
    for (size_t k = 0; k < COUNT_OF(first); k++) add(&b, first[k]);
    add(&b, arena_printf(i->arena, "-I%s", b.sources));
    if (archive_has(i->fmu->archive, build_file))
        read_build(&b);
    else
        for (uint32_t k = 0; k < i->kind->source_count; k++)
            add_file(&b, i->d->source_files.at[i->kind->source_first + k]);
    const char *compiler = getenv(b.is_cpp ? "CXX" : "CC");
    b.arguments.at[0] = arena_copy(i->arena, str_of(compiler && *compiler ? compiler
                                                    : b.is_cpp            ? "c++"
                                                                          : "cc"));
    for (uint32_t k = 0; k < b.last.n; k++) vec_push(i->arena, &b.arguments, b.last.at[k]);
    add(&b, "-lm");
    vec_push(i->arena, &b.arguments, NULL);
    if (b.failed) return false;
    if (b.files && process_run(b.arguments.at, path_join(i->arena, directory, "compile.log")) == PROCESS_OK)
        return true;
    diag_add_file(diag, E_FMU_BINARY, i->fmu->path, "its sources cannot be compiled%s",
                  b.files ? " by the system's compiler" : ": the description names none");
    return false;
}
