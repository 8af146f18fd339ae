/* Classes of sources and variables of models are listed as they are written, with what a user needs
 * to choose among them. */
#include "acausal.h"

#include "test.h"

#include <stdlib.h>

typedef struct {
    char text[4000];
    size_t count;
} List;

static void add_class(void *arg, const AcausalClass *c)
{
    List *list = arg;
    size_t n = strlen(list->text);
    snprintf(list->text + n, sizeof list->text - n, "%s %s%s%s\n", c->kind, c->name,
             c->is_partial ? " partial" : "", c->has_experiment ? " experiment" : "");
    list->count++;
}

static void check_classes(void)
{
    List list = { 0 };
    AcausalSession *session = acausal_session_new();
    CHECK(acausal_classes(session, TEST_SOURCE_DIR "/../models/Circuit.mo", add_class, &list) ==
          ACAUSAL_DONE);
    CHECK(strstr(list.text, "package Circuit\nconnector Circuit.Pin\n") != NULL);
    CHECK(strstr(list.text, "model Circuit.RLC experiment\n") != NULL);
    CHECK(strstr(list.text, " partial\n") != NULL);
    list = (List){ 0 };
    CHECK(acausal_classes(session, TEST_SOURCE_DIR "/none.mo", add_class, &list) == ACAUSAL_WRONG &&
          list.count == 0);
    acausal_session_free(session);
}

/* A library in a directory: its files, in the order of the library. */
static void check_library(void)
{
    char directory[] = "/tmp/acausal_list_XXXXXX", path[64], command[80];
    List list = { 0 };
    if (!CHECK(mkdtemp(directory) != NULL)) return;
    static const char *const files[][2] = { { "package.mo", "package Lib model In end In; end Lib;" },
                                            { "package.order", "B\nA\n" },
                                            { "A.mo", "within Lib; model A end A;" },
                                            { "B.mo", "within Lib; package B model C end C; end B;" } };
    for (size_t i = 0; i < 4; i++) {
        snprintf(path, sizeof path, "%s/Lib", directory);
        snprintf(command, sizeof command, "mkdir -p %s", path);
        CHECK(system(command) == 0);
        snprintf(path, sizeof path, "%s/Lib/%s", directory, files[i][0]);
        FILE *file = fopen(path, "w");
        fputs(files[i][1], file);
        fclose(file);
    }
    snprintf(path, sizeof path, "%s/Lib", directory);
    AcausalSession *session = acausal_session_new();
    acausal_classes(session, path, add_class, &list);
    CHECK_TEXT(list.text, "package Lib\nmodel Lib.In\npackage Lib.B\nmodel Lib.B.C\nmodel Lib.A\n");
    acausal_session_free(session);
    snprintf(command, sizeof command, "rm -r %s", directory);
    CHECK(system(command) == 0);
}

static void check_variables(void)
{
    static const struct {
        const char *name, *unit, *kind, *type;
        bool state, settable;
    } want[] = {
        { "e", "", "parameter", "Real", false, true },
        { "g", "m/s2", "constant", "Real", false, false },
        { "h", "m", "continuous", "Real", true, true },
        { "flying", "", "discrete", "Boolean", false, true },
    };
    AcausalSession *session = acausal_session_new();
    AcausalModel *model = acausal_compile(session, TEST_SOURCE_DIR "/../models/BouncingBall.mo", NULL);
    AcausalVariable v = { .size = sizeof v };
    if (!CHECK(model != NULL)) return;
    size_t n = acausal_model_variables(model);
    CHECK(n >= 4 && !acausal_model_variable(model, n, &v));
    for (size_t k = 0; k < sizeof want / sizeof want[0]; k++) {
        size_t i = 0;
        while (i < n && acausal_model_variable(model, i, &v) && strcmp(v.name, want[k].name) != 0) i++;
        if (!CHECK_ROW(i < n, want[k].name)) continue;
        CHECK_TEXT(v.unit, want[k].unit);
        CHECK_TEXT(v.kind, want[k].kind);
        CHECK_TEXT(v.type, want[k].type);
        CHECK_ROW(v.is_state == want[k].state && v.is_settable == want[k].settable, want[k].name);
    }
    acausal_model_free(model);
    acausal_session_free(session);
}

int main(void)
{
    check_classes();
    check_library();
    check_variables();
    return test_end();
}
