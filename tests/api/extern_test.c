/* External functions run in models: those of the program, of LAPACK, and of a shared library made
 * here; and what fails says why. Models are in extern.mo; values are at time 1. */
#include "acausal.h"
#include "test.h"

#include <stdlib.h>
#include <unistd.h>

static char directory[] = "/tmp/acausal_extern_XXXXXX", source[600];

static const char library[] =
    "#include <stddef.h>\n"
    "void ModelicaFormatError(const char *format, ...);\n"
    "static int calls;\n"
    "int ext_count(int id) { (void)id; return ++calls; }\n"
    "void ext_swap(const double *p, double *q) { q[0] = p[1]; q[1] = p[0]; }\n"
    "void ext_mean(const double *x, const int *w, size_t n, int shout, double *y, int *most)\n"
    "{\n    double sum = 0, all = 0;\n    *most = 0;\n"
    "    for (size_t i = 0; i < n; i++) {\n        sum += x[i] * w[i];\n        all += w[i];\n"
    "        if (w[i] > *most) *most = w[i];\n    }\n    *y = shout ? sum / all : 0;\n}\n"
    "double ext_refuse(double x) { if (x > 0.5) ModelicaFormatError(\"%d is enough\", 42); return x; }\n"
    "double ext_column_(const double *a, const int *rows, const int *columns, const int *j)\n"
    "{\n    double sum = 0;\n    (void)columns;\n"
    "    for (int i = 0; i < *rows; i++) sum += a[i + (*j - 1) * *rows];\n    return sum;\n}\n";

static const char header[] =
    "#include <stdlib.h>\n#include \"ModelicaUtilities.h\"\nstatic int alive;\n"
    "static void *counter_new(int n) { int *c = malloc(sizeof *c); alive++; *c = n; return c; }\n"
    "static void counter_free(void *c) { alive--; free(c); }\n"
    "static int counter_value(void *c) { if (alive < 1) ModelicaError(\"another text\");"
    " return *(int *)c; }\n";

static const struct {
    const char *model, *name;
    double want, tolerance;
    bool needs_library;
} rows[] = {
    { "Lookup", "y", 6.5, 1e-14, false },
    { "Lookup", "z", 4, 1e-14, false },
    { "Lookup", "m", 3, 1e-14, false },
    { "Twice", "x", 1.44, 1e-6, false },
    { "Twice", "v", 2.4, 1e-6, false },
    { "Twice", "a", 2, 1e-6, false },
    { "Twice", "f", 4, 1e-6, false },
    { "Implicit", "q", 1.7320508075688772, 1e-9, false },
    { "Implicit", "r", 1.7320508075688772, 1e-9, false },
    { "Lapack", "x[1]", 1, 1e-12, false },
    { "Lapack", "x[2]", 1, 1e-12, false },
    { "Lapack", "x[3]", 1.25, 1e-12, false },
    { "Lapack", "info", 0, 0, false },
    { "Lapack", "largest", 4, 0, false },
    { "Lapack", "rows", 7, 0, false },
    { "Lapack", "fixed_x[2]", 1, 1e-14, false },
    { "Noise", "n", 10, 0, false },
    { "Strings", "n", 7, 0, false },
    { "Strings", "k", 15, 0, false },
    { "Strings", "late", 1, 0, false },
    { "Strings", "less", 1, 0, false },
    { "Strings", "is_be", 1, 0, false },
    { "Strings", "a[2]", 2, 0, false },
    { "Once", "n", 3, 0, true },
    { "User", "q.a", 7, 0, true },
    { "User", "q.b", 1, 0, true },
    { "User", "y", 4.5, 1e-14, true },
    { "User", "most", 4, 0, true },
    { "User", "c", 642, 0, true },
    { "OwnName", "y", 5, 0, true },
    { "Included", "y", 2, 0, true },
    { "Included", "a[6]", 1, 0, true },
    { "Included", "q.i", 5, 0, true },
    { "Included", "q.b", 1, 0, true },
    { "Included", "q.x", 2.5, 0, true },
    { "Included", "q.deep.k", 7, 0, true },
    { "Included", "z", 3.5, 0, true },
    { "Included", "m.deep.k", 4, 0, true },
    { "Included", "m.deep.z", 2, 0, true },
    { "Included", "n", 3, 0, true },
    { "Structures", "r[3].v[2]", -2, 0, true },
    { "Structures", "y", 31.5, 0, true },
    { "Structures", "z", 11, 0, true },
    { "Structures", "w[2,1]", 6, 0, true },
    { "Structures", "w[2,2]", 2, 0, true },
};

static bool make_library(void)
{
    char path[600], command[2000];
    if (!mkdtemp(directory)) return false;
    snprintf(source, sizeof source, "%s/extern.mo", directory);
    snprintf(command, sizeof command, "cp '%s/api/extern.mo' '%s'", TEST_SOURCE_DIR, source);
    if (system(command) != 0) return false;
    snprintf(path, sizeof path, "%s/counter.c", directory);
    FILE *f = fopen(path, "w");
    if (!f || fputs(library, f) < 0 || fclose(f)) return false;
    snprintf(path, sizeof path, "%s/counter.h", directory);
    f = fopen(path, "w");
    if (!f || fputs(header, f) < 0 || fclose(f)) return false;
    snprintf(path, sizeof path, "%s/counter.c", directory);
    snprintf(command, sizeof command, "cc -shared -fPIC -o '%s/libcounter.so' '%s' 2>/dev/null", directory,
             path);
    return system(command) == 0;
}

static void check_row(size_t i)
{
    AcausalSession *session = acausal_session_new();
    AcausalSimulation s = acausal_simulation();
    AcausalSimulationReport report = { .size = sizeof report };
    char name[100];
    snprintf(name, sizeof name, "extern.%s", rows[i].model);
    s.keep = true;
    AcausalStatus status = acausal_simulate(session, source, name, &s, &report);
    if (CHECK_ROW(status == ACAUSAL_DONE, rows[i].model)) {
        size_t n = acausal_result_rows(report.result);
        double *values = calloc(n + 1, sizeof *values);
        if (CHECK_ROW(values && acausal_result_values(report.result, rows[i].name, values), rows[i].model) &&
            !CHECK_NEAR(values[n - 1], rows[i].want, rows[i].tolerance))
            printf("  %s of %s\n", rows[i].name, rows[i].model);
        free(values);
    } else {
        printf("  %s\n", report.message ? report.message : "");
    }
    acausal_result_free(report.result);
    acausal_session_free(session);
}

/* A failure has the message of the function; one that is not there is found before the run. */
static void check_failure(const char *model, AcausalStatus want, const char *message)
{
    AcausalSession *session = acausal_session_new();
    AcausalSimulation s = acausal_simulation();
    AcausalSimulationReport report = { .size = sizeof report };
    s.keep = true;
    AcausalStatus status = acausal_simulate(session, source, model, &s, &report);
    acausal_result_free(report.result);
    CHECK_ROW(status == want, model);
    if (message && !CHECK_ROW(report.message && strstr(report.message, message), model))
        printf("  %s\n", report.message ? report.message : "");
    acausal_session_free(session);
}

int main(void)
{
    bool has_library = make_library();
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (has_library || !rows[i].needs_library) check_row(i);
    check_failure("extern.Outside", ACAUSAL_FAILED, "may not be extrapolated");
    check_failure("extern.Missing", ACAUSAL_WRONG, NULL);
    check_failure("extern.WrongText", ACAUSAL_WRONG, NULL);
    if (has_library) check_failure("extern.Refuses", ACAUSAL_FAILED, "42 is enough");
    char command[700];
    snprintf(command, sizeof command, "rm -rf '%s'", directory);
    CHECK(system(command) == 0);
    return test_end();
}
