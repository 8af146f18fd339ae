/* jacobian.c: `acausal jacobian`: how good difference Jacobians of a model are. */
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_SOLVERS = 16 };

/* "a,b,c" into words, in place. */
static size_t split(char *text, const char **words)
{
    size_t n = 0;
    for (char *word = strtok(text, ","); word && n < MOST_SOLVERS; word = strtok(NULL, ","))
        words[n++] = word;
    return n;
}

static bool read_options(const Args *args, AcausalJacobian *o, AcausalSimulation *s)
{
    size_t points = 0, steps = 0;
    if (!args_real(args, "--start", &s->start) || !args_real(args, "--stop", &s->stop) ||
        !args_real(args, "--tol", &s->tolerance) || !args_size(args, "--points", 1, &points) ||
        !args_real(args, "--time-limit", &s->time_limit) || !args_size(args, "--max-steps", 1, &steps))
        return false;
    if (points) s->points = points > 100000 ? 100000 : (long)points;
    o->max_steps = steps > 2000000000 ? 2000000000 : (long)steps;
    s->solver = args_value(args, "--solver");
    o->csv = args_value(args, "--csv");
    o->svg_directory = args_value(args, "--svg");
    static const char *const none[] = { NULL };
    if (args_has(args, "--no-runs")) o->solvers = none;
    return true;
}

/* The values of an option that may be given several times. */
static size_t collect(const Args *args, const char *name, const char **values)
{
    size_t n = 0;
    for (size_t i = 0; i < args->given_count; i++)
        if (!strcmp(args->given[i]->name, name)) values[n++] = args->values[i];
    return n;
}

static AcausalStatus audit(const Args *args, AcausalSession *session, const char *source,
                           const char *class_name)
{
    AcausalSimulation simulation = acausal_simulation();
    AcausalJacobian o = { .size = sizeof o, .simulation = &simulation };
    const char *solvers[MOST_SOLVERS];
    const char **lists = calloc(2 * args->given_count + 2, sizeof *lists);
    const char *given = args_value(args, "--runs");
    char *words = given ? strdup(given) : NULL;
    if (!lists || (given && !words)) return free(lists), free(words), ACAUSAL_BUG;
    AcausalStatus status = ACAUSAL_USAGE;
    if (read_options(args, &o, &simulation)) {
        simulation.set = lists;
        simulation.set_count = collect(args, "--set", lists);
        simulation.solver_options = lists + simulation.set_count;
        simulation.solver_option_count = collect(args, "--option", lists + simulation.set_count);
        if (words) o.solver_count = split(words, solvers), o.solvers = solvers;
        status = acausal_jacobian(session, source, class_name, &o, args->json ? ACAUSAL_JSON : ACAUSAL_TEXT,
                                  write_to_file, stdout);
        fflush(stdout);
        show_diagnostics(args, session);
    }
    free(lists);
    free(words);
    return status;
}

static AcausalStatus run_jacobian(const Args *args) { return run_on_model(args, audit); }

static const Option options[] = {
    OPTION_LIB,
    OPTION_SET,
    { "--start", "T", "start time" },
    { "--stop", "T", "end time" },
    { "--tol", "R", "relative tolerance" },
    { "--points", "N", "points of the run that are looked at (20)" },
    { "--solver", "NAME", "integrator of the run whose points are looked at" },
    { "--option", "KEY=VALUE", "an option of integrators, for all runs; may be given several times" },
    { "--runs", "NAME,...", "integrators whose runs are compared (radau5,bdf,cvode-bdf)" },
    { "--no-runs", NULL, "looks at points only" },
    { "--time-limit", "SECONDS", "of a run (10)" },
    { "--max-steps", "N", "of a run (200000)" },
    { "--csv", "FILE", "writes a row for each point, state and rule" },
    { "--svg", "DIR", "draws ratio.svg and, for each integrator compared, steps-NAME.svg there" },
};

const Command command_jacobian = {
    .name = "jacobian",
    .usage = "SOURCE [CLASS]",
    .summary = "Compares difference Jacobians with exact ones: increments, errors, effect on runs",
    .about =
        "SOURCE is a .mo file, a library's directory, a .fmu file, or a class found in the libraries.\n\n"
        "  acausal jacobian models/VanDerPol.mo --set y_nom=1e6\n"
        "  acausal jacobian models/PneumaticLock.mo PneumaticLock.Lock --no-runs --csv lock.csv\n"
        "  acausal jacobian models/Pendulum.mo --runs radau5,bdf --svg pictures\n",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .run = run_jacobian,
};
