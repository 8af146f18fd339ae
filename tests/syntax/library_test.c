/* Libraries: found by name and version, listed and parsed when needed, checked for names and
 * `within`. */
#include "syntax/syntax.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Each test has a directory of its own with the files it needs. */
typedef struct {
    char dir[64];
    Arena *arena;
    Names *names;
    Sources *sources;
    Libraries *libs;
    Diag diag;
} Fixture;

static const char *in(Fixture *f, const char *path) { return path_join(f->arena, f->dir, path); }

static void put(Fixture *f, const char *path, const char *text)
{
    char *full = arena_copy(f->arena, str_of(in(f, path)));
    for (char *slash = full + strlen(f->dir) + 1; (slash = strchr(slash, '/')); slash++) {
        *slash = 0;
        mkdir(full, 0700);
        *slash = '/';
    }
    FILE *file = fopen(full, "w");
    if (!CHECK_ROW(file != NULL, full)) return;
    fputs(text, file);
    fclose(file);
}

static Fixture begin(void)
{
    Fixture f = { .dir = "/tmp/acausal-library-XXXXXX",
                  .arena = arena_new(),
                  .names = syntax_names_new(),
                  .sources = sources_new() };
    CHECK(mkdtemp(f.dir) != NULL);
    f.libs = libraries_new(f.names, f.sources);
    diag_init(&f.diag, f.arena);
    return f;
}

static void end(Fixture *f)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", f->dir);
    CHECK(system(command) == 0);
    libraries_free(f->libs);
    sources_free(f->sources);
    names_free(f->names);
    arena_free(f->arena);
}

static bool has_code(const Fixture *f, Code code)
{
    for (uint32_t i = 0; i < f->diag.notes.n; i++)
        if (f->diag.notes.at[i]->code == code) return true;
    return false;
}

static void put_library(Fixture *f)
{
    put(f, "Lib/package.mo",
        "within;\npackage Lib\n  model Inside\n  end Inside;\n  constant Real c = 1;\n"
        "  annotation(version = \"2.0\", uses(Other(version = \"1.2\")));\nend Lib;\n");
    put(f, "Lib/package.order", "Sub\r\nInside\r\nB\nc\nA\n");
    put(f, "Lib/A.mo", "within Lib;\nmodel A\n  model Deep\n  end Deep;\nend A;\n");
    put(f, "Lib/B.mo", "within Lib;\nmodel B\nend B;\n");
    put(f, "Lib/Sub/package.mo", "within Lib;\npackage Sub\nend Sub;\n");
    put(f, "Lib/Sub/C.mo", "within Lib.Sub;\nmodel C\nend C;\n");
    put(f, "Lib/Resources/data.txt", "x");
}

/* A class is found through directories, files and texts, and knows what is around it. */
static void check_lookup(void)
{
    static const char *const names[] = { "Lib", "Lib.Inside", "Lib.A", "Lib.A.Deep", "Lib.Sub", "Lib.Sub.C" };
    Fixture f = begin();
    put_library(&f);
    libraries_add_path(f.libs, f.dir);
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        Class *cls = libraries_find(f.libs, names[i], &f.diag);
        Text full = { .arena = f.arena };
        if (!CHECK_ROW(cls != NULL, names[i])) continue;
        class_full_name(cls, &full);
        CHECK_TEXT(full.at, names[i]);
    }
    CHECK(f.diag.notes.n == 0);
    Class *c = libraries_find(f.libs, "Lib.Sub.C", &f.diag);
    Class *lib = libraries_find(f.libs, "Lib", &f.diag);
    CHECK(class_parent(f.libs, class_parent(f.libs, c, &f.diag), &f.diag) == lib);
    CHECK(class_parent(f.libs, lib, &f.diag) == NULL);
    CHECK(!libraries_find(f.libs, "Lib.Sub.Nope", &f.diag) && has_code(&f, E_CLASS_MISSING));
    CHECK(!libraries_find(f.libs, "Nope.X", &f.diag) && has_code(&f, E_LIBRARY_MISSING));
    end(&f);
}

/* A file is not read before a name in it is needed: a broken one does no harm until then. */
static void check_laziness(void)
{
    Fixture f = begin();
    put_library(&f);
    put(&f, "Lib/Broken.mo", "within Lib;\nmodel Broken = ;\n");
    libraries_add_path(f.libs, in(&f, "Lib")); /* the library itself is a path too */
    CHECK(libraries_find(f.libs, "Lib.Sub.C", &f.diag) && f.diag.errors == 0);
    Unit *root = libraries_root(f.libs, name_of(f.names, STR("Lib")), NULL, &f.diag);
    CHECK(libraries_index(f.libs, root, &f.diag) == 6 && f.diag.errors == 0);
    CHECK(root->children.n == 4);
    CHECK_TEXT(name_text(root->children.at[0]->name), "Sub"); /* package.order, then by name */
    CHECK_TEXT(name_text(root->children.at[1]->name), "B");
    CHECK_TEXT(name_text(root->children.at[3]->name), "Broken");
    libraries_find(f.libs, "Lib.Broken", &f.diag);
    CHECK(f.diag.errors == 1 && has_code(&f, E_EXPECTED));
    end(&f);
}

/* What `uses` asks for decides between versions; without it, one without version, then the
 * newest. */
static void check_versions(void)
{
    static const struct {
        const char *present[3], *from, *want;
        bool warns;
    } cases[] = {
        { { "Other 1.2", "Other 1.10", "Other 1.9" }, "Lib", "Other 1.2", false },
        { { "Other 1.1", "Other 1.10", "Other 1.9" }, "Lib", "Other 1.10", true },
        { { "Other 1.1", "Other 1.10", NULL }, NULL, "Other 1.10", false },
        { { "Other", "Other 1.10", NULL }, NULL, "Other", false },
        { { "Other", "Other 1.2", NULL }, "Lib", "Other 1.2", false },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        Fixture f = begin();
        put_library(&f);
        for (size_t k = 0; k < 3 && cases[i].present[k]; k++)
            put(&f, arena_printf(f.arena, "%s/package.mo", cases[i].present[k]), "package Other end Other;");
        libraries_add_path_list(f.libs, arena_printf(f.arena, "/no/such/place::%s", f.dir));
        Unit *from = cases[i].from
                         ? libraries_root(f.libs, name_of(f.names, str_of(cases[i].from)), NULL, &f.diag)
                         : NULL;
        Unit *other = libraries_root(f.libs, name_of(f.names, STR("Other")), from, &f.diag);
        if (CHECK_ROW(other != NULL, cases[i].want))
            CHECK_TEXT(arena_copy(f.arena, path_base(other->path)), cases[i].want);
        CHECK_ROW(has_code(&f, E_LIBRARY_VERSION) == cases[i].warns, cases[i].want);
        end(&f);
    }
}

/* A URI is a class and a path below the directory it is stored in. */
static void check_uris(void)
{
    static const struct {
        const char *uri, *want; /* below the directory of the test */
    } cases[] = {
        { "modelica://Lib/Resources/data.txt", "Lib/Resources/data.txt" },
        { "modelica://Lib.Sub/x%20y.txt", "Lib/Sub/x y.txt" },
        { "modelica://Lib.A.Deep/a.txt", "Lib/a.txt" },
        { "Modelica://Lib", "Lib/" },
        { "modelica:/Lib/a.txt", "Lib/a.txt" },
        { "http://Lib/a", NULL },
        { "modelica:///a", NULL },
        { "modelica://Nope/a", NULL },
    };
    Fixture f = begin();
    put_library(&f);
    libraries_add_path(f.libs, f.dir);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        uint32_t errors = f.diag.errors;
        const char *path = libraries_resolve_uri(f.libs, cases[i].uri, f.arena, &f.diag);
        CHECK_TEXT(path, cases[i].want ? in(&f, cases[i].want) : NULL);
        CHECK_ROW((f.diag.errors > errors) == !cases[i].want, cases[i].uri);
    }
    end(&f);
}

/* What a survey finds wrong with the files of a library, each by its own code. */
static void check_survey(void)
{
    static const struct {
        const char *path, *text;
        Code code;
        uint32_t errors, warnings;
    } cases[] = {
        { "Lib/B.mo", "within Lib;\nmodel B\nend B;\n", CODE_COUNT, 0, 0 },
        { "Lib/B.mo", "within Wrong;\nmodel B\nend B;\n", E_WITHIN, 1, 0 },
        { "Lib/B.mo", "model B\nend B;\n", E_WITHIN, 1, 0 },
        { "Lib/B.mo", "within Lib;\nmodel Other\nend Other;\n", E_CLASS_FILE_NAME, 1, 0 },
        { "Lib/B.mo", "within Lib;\n", E_CLASS_FILE_NAME, 1, 0 },
        { "Lib/B.mo", "within Lib;\nmodel B\nend B;\nmodel D\nend D;\n", E_CLASS_FILE_NAME, 1, 0 },
        { "Lib/package.order", "Sub\nInside\nB\nc\nA\nNope\n", E_ORDER_UNKNOWN, 0, 1 },
        { "Lib/package.order", "Sub\nInside\nB\nc\n", E_ORDER_MISSING, 0, 1 },
        { "Lib/Inside.mo", "within Lib;\nmodel Inside\nend Inside;\n", E_DOUBLE_CLASS, 1, 0 },
        { "Lib/Sub.mo", "within Lib;\nmodel Sub\nend Sub;\n", E_DOUBLE_CLASS, 1, 0 },
        { "Lib/NoPackage/X.mo", "within Lib;\nmodel X\nend X;\n", E_NO_PACKAGE_FILE, 1, 0 },
        { "Lib/Resources/X.mo", "model Anything\nend Anything;\n", CODE_COUNT, 0, 0 },
        { "Lib/.hidden.mo", "nonsense", CODE_COUNT, 0, 0 },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        Fixture f = begin();
        SurveyReport report;
        put_library(&f);
        put(&f, cases[i].path, cases[i].text);
        const char *path = in(&f, "Lib");
        libraries_survey(f.libs, &path, 1, 2, &f.diag, &report);
        if (CHECK_ROW(f.diag.errors == cases[i].errors, cases[i].text) && cases[i].code != CODE_COUNT)
            CHECK_ROW(has_code(&f, cases[i].code), cases[i].text);
        CHECK_ROW(f.diag.warnings == cases[i].warnings, cases[i].path);
        CHECK(report.files >= 5);
        end(&f);
    }
}

/* Links that lead back, places that are not there, folders without Modelica. */
static void check_bad_places(void)
{
    Fixture f = begin();
    SurveyReport report;
    put_library(&f);
    put(&f, "empty/readme.txt", "nothing");
    put(&f, "folder/M.mo", "model M end M;");
    CHECK(!symlink(in(&f, "Lib"), in(&f, "Lib/Sub/Loop")));
    CHECK(!symlink(in(&f, "folder"), in(&f, "folder/loop")));
    const char *loop[] = { in(&f, "Lib") }, *folder[] = { in(&f, "folder") }, *empty[] = { in(&f, "empty") },
               *none[] = { in(&f, "none.mo") };
    libraries_survey(f.libs, loop, 1, 1, &f.diag, &report);
    CHECK(f.diag.errors == 1 && has_code(&f, E_LINK_LOOP));
    libraries_survey(f.libs, folder, 1, 1, &f.diag, &report);
    CHECK(f.diag.errors == 2 && report.files == 1);
    libraries_survey(f.libs, empty, 1, 1, &f.diag, &report);
    CHECK(f.diag.errors == 3 && has_code(&f, E_NO_PACKAGE_FILE));
    libraries_survey(f.libs, none, 1, 1, &f.diag, &report);
    CHECK(f.diag.errors == 4 && has_code(&f, E_FILE_UNREADABLE));
    end(&f);
}

/* A user's file: all its classes are roots; a file out of a library opens the library around it. */
static void check_opening(void)
{
    Fixture f = begin();
    put_library(&f);
    put(&f, "mine.mo", "model First end First; model Second end Second;");
    put(&f, "stray.mo", "within Nowhere; model Stray end Stray;");
    Class *first = libraries_open(f.libs, in(&f, "mine.mo"), &f.diag);
    CHECK(first && !strcmp(name_text(first->name), "First") && libraries_find(f.libs, "Second", &f.diag));
    Class *c = libraries_open(f.libs, in(&f, "Lib/Sub/C.mo"), &f.diag);
    CHECK(c && c == libraries_find(f.libs, "Lib.Sub.C", &f.diag) && class_unit(c)->parent != NULL);
    CHECK(libraries_open(f.libs, in(&f, "Lib/package.mo"), &f.diag) ==
          libraries_find(f.libs, "Lib", &f.diag));
    CHECK(f.diag.errors == 0);
    CHECK(!libraries_open(f.libs, in(&f, "stray.mo"), &f.diag) && has_code(&f, E_WITHIN));
    CHECK(!libraries_open(f.libs, f.dir, &f.diag) && has_code(&f, E_NO_PACKAGE_FILE));
    end(&f);
}

/* A large library, where there is one: everything is found by name as well as by survey. */
static void check_standard_library(void)
{
    const char *msl = getenv("ACAUSAL_MSL");
    if (!msl) {
        printf("skipped: the Modelica Standard Library (set ACAUSAL_MSL to its directory)\n");
        return;
    }
    Fixture f = begin();
    SurveyReport report;
    libraries_survey(f.libs, &msl, 1, 2, &f.diag, &report);
    CHECK(f.diag.errors == 0 && report.files == 2671 && report.lines == 389140);
    end(&f);
    f = begin();
    libraries_add_path(f.libs, msl);
    CHECK(libraries_find(f.libs, "Modelica.Electrical.Analog.Examples.CauerLowPassAnalog", &f.diag) != NULL);
    CHECK(f.diag.notes.n == 0);
    end(&f);
}

int main(void)
{
    check_lookup();
    check_laziness();
    check_versions();
    check_uris();
    check_survey();
    check_bad_places();
    check_opening();
    check_standard_library();
    return test_end();
}
