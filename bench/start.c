/* start.c: `acausal bench start`: from a class name to a written result, by phase.
 *
 * A session of its own for each run, so that libraries are read anew; the fastest of several runs
 * counts, as others share the machine. Classes of the Modelica Standard Library need --lib or
 * MODELICAPATH. */
#include "cli/bench.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { RUNS = 7 };

static const struct {
    const char *source, *class_name;
} models[] = {
    { "Modelica.Electrical.Analog.Examples.CauerLowPassAnalog", NULL },
    { "Modelica.Blocks.Examples.PID_Controller", NULL },
    { "Modelica.Mechanics.Rotational.Examples.CoupledClutches", NULL },
    { "models/Pendulum.mo", "Pendulum" },
    { "models/BouncingBall.mo", "BouncingBall" },
    { "models/Suspension.mo", "Suspension.Axle" },
    { "models/Robot.mo", "Robot.Arm" },
};

/* One run; the result goes to `path`. */
static bool run_once(const Args *args, const char *source, const char *class_name, const char *path,
                     AcausalSimulationReport *report, double *total)
{
    double start = wall_seconds();
    AcausalSession *session = session_for(args);
    AcausalSimulation simulation = acausal_simulation();
    if (!session) return false;
    simulation.output = path;
    AcausalStatus status = acausal_simulate(session, source, class_name, &simulation, report);
    *total = wall_seconds() - start;
    acausal_session_free(session);
    return status == ACAUSAL_DONE;
}

static AcausalStatus run_start(const Args *args, BenchOut *out)
{
    char path[] = "/tmp/acausal-start-XXXXXX.csv";
    const char *only = args_value(args, "--only");
    int fd = mkstemps(path, 4);
    if (fd < 0) return ACAUSAL_WRONG;
    close(fd);
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        const char *name = models[i].class_name ? models[i].class_name : models[i].source;
        AcausalSimulationReport best = { 0 }, report;
        double least = 1e300, total;
        if (only && strcmp(only, name) != 0) continue;
        for (int k = 0; k < RUNS; k++) {
            if (!run_once(args, models[i].source, models[i].class_name, path, &report, &total)) break;
            if (total >= least) continue;
            least = total;
            best = report;
        }
        bench_cell(out, "%s", name);
        if (least == 1e300) {
            for (int k = 0; k < 6; k++) bench_cell(out, "-");
        } else {
            const double ms[] = { best.load_seconds, best.flatten_seconds,  best.structure_seconds,
                                  best.code_seconds, best.simulate_seconds, least };
            for (size_t k = 0; k < sizeof ms / sizeof *ms; k++) bench_cell(out, "%.3f", 1e3 * ms[k]);
        }
        bench_end_row(out);
    }
    unlink(path);
    return ACAUSAL_DONE;
}

const Bench bench_start = {
    .name = "start",
    .about = "from a class name to a written result, by phase; run it where models/ is",
    .columns = "class,load_ms,flatten_ms,structure_ms,code_ms,simulate_ms,total_ms",
    .run = run_start,
};
