/* Inputs follow their table: lines between rows, jumps as events that are stepped to exactly, held
 * values for inputs that are not Real, the first and last value outside of the table; what does not
 * fit is refused by name. */
#include "models.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

/* x' = u */
static EvalStatus integrate_f(Model *model, double t, const double *y, double *f)
{
    (void)t, (void)y;
    f[0] = memory_of(model)->u;
    return EVAL_OK;
}

static EvalStatus zero_start(Model *model, double t, double *y, EventInfo *info)
{
    (void)model, (void)t;
    y[0] = 0.0;
    info->next_time = INFINITY;
    return EVAL_OK;
}

static EvalStatus nothing(Model *model, double t, double *y, EventInfo *info)
{
    (void)model, (void)t, (void)y;
    *info = (EventInfo){ .next_time = INFINITY };
    return EVAL_OK;
}

static const ModelType integrator = { .derivatives = integrate_f,
                                      .initialise = zero_start,
                                      .event = nothing,
                                      .values = common_values,
                                      .set = set_variable };

static const struct {
    const char *text;
    long jumps;
    double integral; /* over 0 to 4 */
    const char *why; /* refused, with this */
} tables[] = {
    { "time,u\n0,0\n4,4\n", 0, 8.0, NULL },
    { "time,u\n1,2\n3,2\n", 0, 8.0, NULL },
    { "time,u\n0,0\n1,0\n1,3\n4,3\n", 1, 9.0, NULL },
    { "time,u\n0,1\n2,1\n2,-1\n3,-1\n3,5\n4,5\n", 2, 6.0, NULL },
    { "time,u\n-5,7\n-1,7\n-1,1\n2,1\n4,3\n", 0, 6.0, NULL },
    { "time,u\n0,0\n4,4\n4,9\n", 1, 8.0, NULL },
    { "time,switch\n0,0\n1,1\n3,0\n4,0\n", 2, 2.0, NULL },
    { "time,u\n0,1\n0,2\n4,2\n", 0, 8.0, NULL },
    { "time,w\n0,1\n", 0, 0, "no input 'w'" },
    { "time,x\n0,1\n", 0, 0, "no input 'x'" },
    { "time,u\n", 0, 0, "no rows" },
    { "time,u\n0,nan\n", 0, 0, "input 'u' is not a finite number in row 1" },
};

/* What a run left in a result, another can start from; what does not fit is told. */
static void check_start(const char *path)
{
    static const struct {
        const char *text;
        double t, p; /* p: what it becomes */
        size_t count;
        const char *why;
    } starts[] = {
        { "time,p,x\n0,1,0\n2,3,0\n", 0.5, 1.5, 1, "" },
        { "time,p\n0,1\n2,3\n2,9\n3,9\n", 2.0, 9.0, 1, "" },
        { "time,p\n0,4\n", 7.0, 4.0, 1, "" },
        { "time,x\n0,4\n", 0.0, 1.0, 0, "no variable" },
        { "time,p\n0,inf\n", 0.0, 1.0, 0, "'p' is inf" },
        { "time,p\n", 0.0, 1.0, 0, "no rows" },
    };
    for (size_t k = 0; k < COUNT_OF(starts); k++) {
        char why[240] = "";
        FILE *out = fopen(path, "w");
        fputs(starts[k].text, out);
        fclose(out);
        ResultTable *result = result_read(path, why, sizeof why);
        Instance i;
        make_model(&i, &integrator, 1, 0, 1.0);
        CHECK_ROW(sim_start_from(&i.model, result, starts[k].t, why, sizeof why) == starts[k].count,
                  starts[k].text);
        CHECK_ROW(i.memory.p == starts[k].p, starts[k].text);
        if (!starts[k].count) CHECK_ROW(strstr(why, starts[k].why) != NULL, why);
        result_free(result);
    }
}

int main(void)
{
    char path[] = "/tmp/acausal-input-XXXXXX", why[240];
    int file = mkstemp(path);
    if (file < 0) return test_skip("no place for files");
    close(file);
    static const char *const solvers[] = { "dopri5", "radau5", "switching" };
    for (size_t k = 0; k < COUNT_OF(tables); k++) {
        FILE *out = fopen(path, "w");
        fputs(tables[k].text, out);
        fclose(out);
        ResultTable *inputs = result_read(path, why, sizeof why);
        if (!CHECK_ROW(inputs != NULL, why)) continue;
        for (size_t s = 0; s < COUNT_OF(solvers); s++) {
            Instance i;
            SimReport report;
            make_model(&i, &integrator, 1, 0, 1.0);
            SimOptions o = sim_options(0.0, 4.0, 1e-8);
            o.inputs = inputs;
            o.solver = solver_find(solvers[s]);
            ResultTable *table = run_model(&i, &o, &report);
            if (tables[k].why) {
                CHECK_ROW(report.end == SIM_WRONG && strstr(report.message, tables[k].why), tables[k].text);
            } else {
                CHECK_ROW(report.end == SIM_DONE && report.stats.input_events == tables[k].jumps,
                          tables[k].text);
                CHECK_ROW(table->rows == 501 + (size_t)tables[k].jumps,
                          tables[k].text); /* jumps are at grid points */
                double x = signal_at(result_find(table, "x"), table->rows - 1);
                if (!CHECK_ROW(fabs(x - tables[k].integral) < 1e-6, tables[k].text)) printf("  got %g\n", x);
            }
            result_free(table);
        }
        result_free(inputs);
    }
    check_start(path);
    unlink(path);
    return test_end();
}
