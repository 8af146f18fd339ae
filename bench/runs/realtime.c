/* bench_realtime.c: `acausal bench realtime` as a function: factors, solves and steps of models of
 * the tree.
 *
 * In: a directory of models. Out: rows as text, and a line of ratios a model. Cost: the analysis of
 * each model: a minute for the robot. Tests: tests/realtime. */
#include "api/inside.h"
#include "bench/runs/runs.h"

#include <stdio.h>

enum { CELLS = 9, CELL_ROOM = 32 };

static const struct {
    const char *name, *file, *class_name, *watch;
    double step, stop;
    bool dae;
} problems[] = {
    { "robot", "Robot.mo", "Robot.Arm", "arm.q*", 1e-3, 2, false },
    { "drive", "Drive.mo", NULL, NULL, 1e-4, 0.6, false },
    { "lock", "PneumaticLock.mo", "PneumaticLock.Lock", "?", 1e-3, 12, false },
    { "robot-dae", "Robot.mo", "Robot.Arm", "arm.q*", 1e-3, 2, true },
};

const char *bench_realtime_model(size_t i) { return i < COUNT_OF(problems) ? problems[i].name : NULL; }

static void add_row(const char *model, const RtMeasurement *m, BenchRow row, void *user)
{
    char text[CELLS][CELL_ROOM];
    const char *cells[CELLS];
    for (int i = 0; i < CELLS; i++) cells[i] = text[i];
    snprintf(text[0], CELL_ROOM, "%s", model);
    snprintf(text[1], CELL_ROOM, "%s", m->variant);
    snprintf(text[2], CELL_ROOM, "%d", m->count);
    snprintf(text[3], CELL_ROOM, "%d", m->count_lu);
    snprintf(text[4], CELL_ROOM, "%.1f", 1e9 * m->factor_s);
    snprintf(text[5], CELL_ROOM, "%.1f", 1e9 * m->solve_s);
    snprintf(text[6], CELL_ROOM, "%.1f", 1e9 * m->step_s);
    snprintf(text[7], CELL_ROOM, "%ld", m->operations);
    snprintf(text[8], CELL_ROOM, "%.3g", m->error);
    row(user, cells, CELLS);
}

static AcausalStatus run_problem(size_t i, const char *models, BenchRow row,
                                 void (*remark)(void *user, const char *line), void *user)
{
    AcausalSession *s = acausal_session_new();
    Translation t = { 0 };
    RtMeasurement rows[RT_VARIANTS];
    RtScenario *scenario = NULL;
    char line[400] = "";
    if (!s) return ACAUSAL_BUG;
    bool ok =
        translate(s, path_join(s->arena, models, problems[i].file), problems[i].class_name, NULL, 0, &t);
    if (!ok) snprintf(line, sizeof line, "  %s cannot be translated", problems[i].file);
    RtOptions options = rt_options(problems[i].step, 0, problems[i].stop);
    options.watch = problems[i].watch;
    options.residual_form = problems[i].dae;
    ok = ok && (!problems[i].dae || gen_add_residual_form(t.compiled, &s->diag));
    if (ok) scenario = scenario_new(t.compiled, &options);
    if (scenario && scenario->message[0]) snprintf(line, sizeof line, "  %.380s", scenario->message);
    RtSparsing *sparsing = scenario && !scenario->message[0] ? sparsing_new(scenario) : NULL;
    ok = sparsing && measure_variants(scenario, sparsing, rows, line, sizeof line);
    for (int k = 0; k < RT_VARIANTS && ok; k++) add_row(problems[i].name, &rows[k], row, user);
    if (ok)
        snprintf(line, sizeof line,
                 "  %s: factors and solve %.1f times faster than LAPACK, %.1f than KLU; step %.1f times "
                 "faster than with LAPACK, "
                 "%.1f where f and J are the same straight code",
                 problems[i].name, rows[3].both_s / rows[0].both_s, rows[2].both_s / rows[0].both_s,
                 rows[3].step_s / rows[0].step_s, rows[4].step_s / rows[0].step_s);
    remark(user, line);
    scenario_free(scenario);
    translation_free(&t);
    acausal_session_free(s);
    return ok ? ACAUSAL_DONE : ACAUSAL_FAILED;
}

AcausalStatus run_realtime_bench(const char *models, const char *only, BenchRow row,
                                 void (*remark)(void *user, const char *line), void *user)
{
    AcausalStatus status = ACAUSAL_USAGE;
    for (size_t i = 0; i < COUNT_OF(problems); i++) {
        if (only && strcmp(only, problems[i].name) != 0) continue;
        AcausalStatus one = run_problem(i, models, row, remark, user);
        if (status == ACAUSAL_USAGE || one != ACAUSAL_DONE) status = one;
    }
    return status;
}
