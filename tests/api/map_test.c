/* Maps of intervals through the public header: names, states, a chain of intervals, and what is
 * wrong. */
#include "test.h"

#include "acausal.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

int main(void)
{
    char path[] = "/tmp/acausal-map-XXXXXX.mo";
    int file = mkstemps(path, 3);
    FILE *out = fopen(path, "w");
    if (!CHECK(file >= 0 && out)) return test_end();
    fputs("model Tank parameter Real k = 0.5; input Real u(start = 0); Real x(start = 2, fixed = true); "
          "equation der(x) = u - k*x; end Tank;",
          out);
    fclose(out);
    close(file);
    AcausalSession *session = acausal_session_new();
    AcausalModel *model = acausal_compile(session, path, NULL);
    const char *const inputs[] = { "u" }, *const parameters[] = { "k" }, *const unknown[] = { "v" };
    AcausalInterval interval = { .size = sizeof interval,
                                 .method = "dopri5",
                                 .steps = 4,
                                 .inputs = inputs,
                                 .input_count = 1,
                                 .parameters = parameters,
                                 .parameter_count = 1 };
    AcausalMap *map = model ? acausal_map_new(model, &interval) : NULL;
    if (CHECK(map)) {
        double x = acausal_map_start(map)[0], u = 0.3, end, d[4], g[4], weight = 1;
        CHECK(acausal_map_states(map) == 1);
        CHECK_TEXT(acausal_map_state(map, 0), "x");
        CHECK(acausal_map_forward(map, 0, 1, &x, &u, NULL, &end, d) == ACAUSAL_DONE);
        CHECK(acausal_map_back(map, &weight, g) == ACAUSAL_DONE);
        double e = exp(-0.5); /* x e + u (1 - e)/k */
        CHECK_NEAR(end, 2 * e + 0.6 * (1 - e), 1e-8);
        CHECK_NEAR(d[0], e, 1e-8);
        CHECK_NEAR(d[1], 2 * (1 - e), 1e-8);
        CHECK_NEAR(d[2], 0, 0);
        CHECK_NEAR(d[3], -2 * e + 0.3 * (e / 0.5 - (1 - e) / 0.25), 1e-7);
        for (int k = 0; k < 4; k++) CHECK_NEAR(g[k], d[k], 1e-14);
        CHECK(acausal_map_forward(map, 1, 2, &end, &u, NULL, &end, NULL) == ACAUSAL_DONE);
        CHECK_NEAR(end, 2 * e * e + 0.6 * (1 - e * e), 1e-8);
    }
    acausal_map_free(map);
    interval.inputs = unknown;
    CHECK(model && !acausal_map_new(model, &interval) && acausal_error_count(session) == 1);
    acausal_model_free(model);
    acausal_session_free(session);
    unlink(path);
    return test_end();
}
