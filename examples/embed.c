/* embed.c: a program with a simulator in it. It finds the coefficient of restitution with which a
 * ball, dropped from one metre, jumps half a metre high after its first bounce: the model is
 * translated once and run until that is so.
 *
 *   cc embed.c $(pkg-config --cflags --libs acausal) -o embed && ./embed models/BouncingBall.mo */
#include <acausal.h>

#include <stdio.h>
#include <stdlib.h>

static void print(void *file, const char *text, size_t n) { fwrite(text, 1, n, file); }

/* The highest point behind the first bounce, which is where the height first comes near the
 * ground. */
static double height_of_jump(const AcausalResult *result)
{
    size_t rows = acausal_result_rows(result);
    double *h = malloc(rows * sizeof *h), highest = 0;
    bool has_bounced = false;
    if (h && acausal_result_values(result, "h", h)) {
        for (size_t i = 0; i < rows; i++) {
            has_bounced |= h[i] < 1e-3;
            if (has_bounced && h[i] > highest) highest = h[i];
        }
    }
    free(h);
    return highest;
}

/* Runs the ball with restitution e; false if that fails, with the reason told. */
static bool run(AcausalSession *session, AcausalModel *model, double e, double *jump)
{
    char value[40];
    const char *set[] = { value };
    AcausalSimulation simulation = acausal_simulation();
    AcausalSimulationReport report = { .size = sizeof report };
    snprintf(value, sizeof value, "e=%.17g", e);
    simulation.set = set;
    simulation.set_count = 1;
    simulation.stop = 1.2;
    simulation.tolerance = 1e-8;
    simulation.points = 2000;
    simulation.variables = "h";
    simulation.keep = true;
    AcausalStatus status = acausal_run(model, &simulation, &report);
    if (status == ACAUSAL_DONE) *jump = height_of_jump(report.result);
    if (status != ACAUSAL_DONE) fprintf(stderr, "embed: %s\n", report.message);
    acausal_write_diagnostics(session, ACAUSAL_TEXT, print, stderr);
    acausal_result_free(report.result);
    return status == ACAUSAL_DONE;
}

int main(int argc, char **argv)
{
    const char *path = argc > 1 ? argv[1] : "models/BouncingBall.mo";
    AcausalSession *session = acausal_session_new();
    AcausalModel *model = session ? acausal_compile(session, path, NULL) : NULL;
    double low = 0.1, high = 1, jump = 0;
    int runs = 0;
    if (session && !model) acausal_write_diagnostics(session, ACAUSAL_TEXT, print, stderr);
    bool ok = model != NULL;
    for (; ok && high - low > 1e-6; runs++) {
        double e = (low + high) / 2;
        ok = run(session, model, e, &jump);
        *(jump < 0.5 ? &low : &high) = e;
    }
    if (ok) printf("e = %.4f makes it jump %.4f m high (%d runs, one translation)\n", low, jump, runs);
    acausal_model_free(model);
    acausal_session_free(session);
    return ok ? 0 : 1;
}
