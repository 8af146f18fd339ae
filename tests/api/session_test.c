/* The public interface: a session parses, reports, prints, resolves, and can be used again after an
 * error. */
#include "acausal.h"
#include "test.h"

#include <stdlib.h>

typedef struct {
    char text[8192];
    size_t n;
} Sink;

static void collect(void *arg, const char *text, size_t n)
{
    Sink *sink = arg;
    if (n > sizeof sink->text - 1 - sink->n) n = sizeof sink->text - 1 - sink->n;
    memcpy(sink->text + sink->n, text, n);
    sink->n += n;
    sink->text[sink->n] = 0;
}

static void check_parse_and_report(const char *good, const char *bad)
{
    AcausalSession *session = acausal_session_new();
    AcausalParseReport report = { .size = sizeof report };
    Sink text = { 0 }, json = { 0 }, none = { 0 };
    CHECK(acausal_parse(session, &bad, 1, 1, &report) == ACAUSAL_WRONG && report.files == 1);
    CHECK(acausal_error_count(session) == 3 && acausal_warning_count(session) == 0);
    acausal_write_diagnostics(session, ACAUSAL_TEXT, collect, &text);
    acausal_write_diagnostics(session, ACAUSAL_JSON, collect, &json);
    CHECK(strstr(text.text, "error[E0202]: expected 'end if'") != NULL);
    CHECK(json.text[0] == '{' && strstr(json.text, "\"code\":\"E0202\"") != NULL);
    CHECK(strstr(acausal_first_error(session), ":2:23: expected ';'") != NULL);
    acausal_clear_diagnostics(session);
    CHECK(acausal_first_error(session) == NULL);
    CHECK(acausal_parse(session, &good, 1, 4, &report) == ACAUSAL_DONE && report.classes == 1);
    acausal_write_diagnostics(session, ACAUSAL_TEXT, collect, &none);
    CHECK(none.n == 0);
    acausal_session_free(session);
}

static void check_printing(const char *good, const char *bad)
{
    AcausalSession *session = acausal_session_new();
    Sink sink = { 0 };
    CHECK(acausal_print(session, good, collect, &sink) == ACAUSAL_DONE);
    CHECK(strstr(sink.text, "x^2 + y^2 = L^2") != NULL);
    sink.n = 0;
    CHECK(acausal_print(session, bad, collect, &sink) == ACAUSAL_WRONG && sink.n == 0);
    CHECK(acausal_print(session, "no/such/file.mo", collect, &sink) == ACAUSAL_WRONG);
    acausal_session_free(session);
}

static void check_names(void)
{
    AcausalSession *session = acausal_session_new();
    acausal_add_library_path_list(session, TEST_SOURCE_DIR "/../models:/no/such/place");
    const char *path = acausal_resolve_uri(session, "modelica://Circuit/data.csv");
    CHECK(path && strstr(path, "models/data.csv") != NULL);
    CHECK(!acausal_resolve_uri(session, "modelica://Nope/data.csv") && acausal_error_count(session) == 1);
    CHECK(acausal_explain("E0201") != NULL && acausal_explain("X") == NULL);
    acausal_session_free(session);
    acausal_session_free(NULL);
}

int main(void)
{
    const char *good = TEST_SOURCE_DIR "/../models/Pendulum.mo",
               *bad = TEST_SOURCE_DIR "/../docs/broken/Pendulum.mo";
    check_parse_and_report(good, bad);
    check_printing(good, bad);
    check_names();
    return test_end();
}
