/* values_test.c: rules of the language by their results: models of values/NAME.mo, packages of
 * that name, run to time 1 with the default step.
 *
 * A line `//! MODEL x=4.2 y[2]=8~1e-3` says what variables of MODEL are at the end, within 1e-6 or
 * what is said; `//! MODEL fails` that its run ends with a failure, and `//! MODEL stops 0.5 x=1`
 * that it ends by itself at that time. */
#include "acausal.h"
#include "test.h"

#include <dirent.h>
#include <math.h>
#include <stdlib.h>

typedef struct {
    char label[300];
    AcausalResult *result;
    size_t n;
    double *values;
} Run;

static double last_of(Run *r, const char *name)
{
    if (acausal_result_values(r->result, name, r->values)) return r->values[r->n - 1];
    printf("  in %s: there is no '%s'\n", r->label, name);
    return NAN;
}

/* name=value or name=value~tolerance */
static void check_value(Run *r, char *item)
{
    char *equal = strrchr(item, '=');
    if (!CHECK_ROW(equal != NULL, r->label)) return;
    *equal = 0;
    char *rest;
    double want = strtod(equal + 1, &rest), tolerance = *rest == '~' ? strtod(rest + 1, &rest) : 1e-6;
    CHECK_ROW(!*rest, item);
    if (!CHECK_NEAR(last_of(r, item), want, tolerance)) printf("  '%s' in %s\n", item, r->label);
}

static void check_model(const char *path, const char *package, char *line)
{
    char *save = NULL, *model = strtok_r(line, " ", &save), *item = strtok_r(NULL, " ", &save);
    AcausalSession *session = acausal_session_new();
    AcausalSimulation s = acausal_simulation();
    AcausalSimulationReport report = { .size = sizeof report };
    Run r = { 0 };
    bool fails = item && !strcmp(item, "fails");
    snprintf(r.label, sizeof r.label, "%s.%s", package, model);
    s.keep = true;
    AcausalStatus status = acausal_simulate(session, path, r.label, &s, &report);
    if (fails) {
        CHECK_ROW(status == ACAUSAL_FAILED, r.label);
    } else if (CHECK_ROW(status == ACAUSAL_DONE, r.label)) {
        r.result = report.result;
        r.n = acausal_result_rows(report.result);
        r.values = calloc(r.n + 1, sizeof *r.values);
        if (!r.values || !r.n) abort();
        if (item && !strcmp(item, "stops")) {
            CHECK_NEAR(last_of(&r, "time"), strtod(strtok_r(NULL, " ", &save), NULL), 1e-6);
            item = strtok_r(NULL, " ", &save);
        }
        for (; item; item = strtok_r(NULL, " ", &save)) check_value(&r, item);
        free(r.values);
    } else {
        printf("  %s: %s\n", r.label, report.message);
    }
    acausal_result_free(report.result);
    acausal_session_free(session);
}

static void check_file(const char *directory, const char *file)
{
    char path[600], package[100], line[1000];
    snprintf(path, sizeof path, "%s/%s", directory, file);
    snprintf(package, sizeof package, "%.*s", (int)strcspn(file, "."), file);
    FILE *f = fopen(path, "r");
    if (!CHECK_ROW(f != NULL, path)) return;
    int n = 0;
    while (fgets(line, sizeof line, f)) {
        char *text = line + strspn(line, " ");
        if (strncmp(text, "//! ", 4)) continue;
        text[strcspn(text, "\n")] = 0;
        check_model(path, package, text + 4);
        n++;
    }
    CHECK_ROW(n > 0, file);
    fclose(f);
}

int main(void)
{
    const char *directory = TEST_SOURCE_DIR "/api/values";
    struct dirent **files;
    int n = scandir(directory, &files, NULL, alphasort), seen = 0;
    for (int i = 0; i < n; i++) {
        size_t length = strlen(files[i]->d_name);
        if (length > 3 && !strcmp(files[i]->d_name + length - 3, ".mo")) {
            check_file(directory, files[i]->d_name);
            seen++;
        }
        free(files[i]);
    }
    if (n >= 0) free(files);
    CHECK(seen > 0);
    return test_end();
}
