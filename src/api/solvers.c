/* solvers.c: what of acausal.h is about integrators: their list, and the benchmark of initial value problems. */
#include "acausal.h"

#include "bench/ivp/run.h"

#include <math.h>
#include <stdio.h>

static const struct {
    unsigned bit;
    const char *text;
} properties_[] = {
    { SOLVE_STIFF, "stiff" },
    { SOLVE_A_STABLE, "A-stable" },
    { SOLVE_L_STABLE, "L-stable" },
    { SOLVE_SYMPLECTIC, "symplectic" },
    { SOLVE_MASS, "mass matrix" },
    { SOLVE_RESIDUAL, "F(t,y,y')=0" },
    { SOLVE_HIGH_INDEX, "index 2 and 3" },
    { SOLVE_ADAPTIVE, "error control" },
    { SOLVE_FIXED, "fixed steps" },
    { SOLVE_VARIABLE_ORDER, "variable order" },
    { SOLVE_RESTART_HIGH, "restarts at full order" },
    { SOLVE_REPLAY, "replay" },
};

size_t acausal_solver_count(void) { return solver_type_count; }

void acausal_solver_info(size_t i, AcausalSolverInfo *info, char *properties, size_t room)
{
    const SolverType *type = solver_types[i];
    *info = (AcausalSolverInfo){ type->name,  type->family,     type->summary,     type->reference,
                                 type->order, type->order_most, type->dense_order, properties };
    size_t used = 0;
    if (room) *properties = '\0';
    for (size_t k = 0; k < COUNT_OF(properties_) && used < room; k++)
        if (type->can & properties_[k].bit) {
            int n = snprintf(properties + used, room - used, "%s%s", used ? ", " : "", properties_[k].text);
            used += n > 0 ? (size_t)n : 0;
        }
}

const char *acausal_ivp_problem(size_t i) { return i < ivp_problem_count ? ivp_problems[i]->name : NULL; }

static void write_atol(const IvpProblem *p, double rtol, char *text, size_t room)
{
    size_t used = 0;
    for (int i = 0; i < (p->atol_shares ? p->n : 1) && used < room; i++) {
        int n = snprintf(text + used, room - used, "%s%.6g", i ? "|" : "", ivp_atol(p, i, rtol));
        used += n > 0 ? (size_t)n : 0;
    }
}

static void run_row(const IvpProblem *p, const SolverType *type, double rtol, double seconds,
                    AcausalIvpRow *row)
{
    IvpRun run;
    ivp_run(p, type, rtol, seconds, &run);
    *row = (AcausalIvpRow){ .problem = p->name,
                            .solver = type->name,
                            .n = p->n,
                            .rtol = rtol,
                            .steps = run.stats.steps,
                            .nfev = run.stats.f,
                            .njev = run.stats.jacobians,
                            .nlu = run.stats.factors,
                            .cpu_ms = run.seconds * 1e3,
                            .digits = run.digits,
                            .finished = run.finished };
    write_atol(p, rtol, row->atol, sizeof row->atol);
    memcpy(row->why, run.failure.text, sizeof row->why);
}

static bool is_problem(const char *name)
{
    for (size_t i = 0; i < ivp_problem_count; i++)
        if (!strcmp(ivp_problems[i]->name, name)) return true;
    return false;
}

AcausalStatus acausal_bench_ivp(const AcausalIvpOptions *o, void (*row)(void *arg, const AcausalIvpRow *row),
                                void *arg)
{
    if ((o->problem && !is_problem(o->problem)) || (o->solver && !solver_find(o->solver)))
        return ACAUSAL_USAGE;
    int from = (int)lround(-log10(o->loosest)), to = (int)lround(-log10(o->tightest));
    for (size_t i = 0; i < ivp_problem_count; i++) {
        const IvpProblem *p = ivp_problems[i];
        if (o->problem && strcmp(o->problem, p->name)) continue;
        for (size_t k = 0; k < solver_type_count; k++) {
            const SolverType *type = solver_types[k];
            if (o->solver ? strcmp(o->solver, type->name) != 0 : !ivp_suits(p, type)) continue;
            for (int digit = from; digit <= to; digit++) {
                AcausalIvpRow out;
                run_row(p, type, pow(10.0, -digit), o->seconds, &out);
                row(arg, &out);
            }
        }
    }
    return ACAUSAL_DONE;
}
