/* No pass of translation is quadratic: models of a hundred thousand equations in the shapes of
 * scale.mo come out right, and before the test's time is up, of which a quadratic pass alone would
 * need many times as much. That is so with ACAUSAL_SCALE, as scripts/test-long has it; else models
 * have a tenth of the size. */
#include "test.h"

#include "api/inside.h"

#include <math.h>
#include <stdlib.h>

static const struct {
    const char *name;
    int n;
    double slope; /* der(x) at the start */
    double tolerance;
} rows[] = {
    { "scale.Aliases", 100000, -2, 0 },
    { "scale.Blocks", 100000, 2, 1e-14 }, /* 2^3 + 2 = 1 + 9 */
    { "scale.Sum", 20000, NAN, 0 },
    { "scale.Block", 20000, 0.38196601125010515, 1e-14 }, /* (3 - sqrt(5))/2 */
    { "scale.Curved", 10000, 1, 1e-11 },
};

static void test_row(size_t row)
{
    AcausalSession *session = acausal_session_new();
    Translation t;
    char set[40];
    const char *sets[] = { set };
    int n = rows[row].n / (getenv("ACAUSAL_SCALE") ? 1 : 10);
    double y[1] = { 0 }, slope[1] = { 0 }, want = rows[row].slope;
    EventInfo info;
    snprintf(set, sizeof set, "n=%d", n);
    if (isnan(want)) want = (double)n * (n + 1) / 2;
    if (CHECK_ROW(translate(session, TEST_SOURCE_DIR "/api/scale.mo", rows[row].name, sets, 1, &t),
                  rows[row].name)) {
        Model *m = t.model;
        CHECK_ROW(m->shape.n == 1 && m->type->initialise(m, 0, y, &info) == EVAL_OK, rows[row].name);
        CHECK_ROW(m->type->derivatives(m, 0, y, slope) == EVAL_OK, rows[row].name);
        if (!CHECK_NEAR(slope[0], want, rows[row].tolerance)) printf("  in %s\n", rows[row].name);
    }
    translation_free(&t);
    acausal_session_free(session);
}

int main(void)
{
    for (size_t row = 0; row < COUNT_OF(rows); row++) test_row(row);
    return test_end();
}
