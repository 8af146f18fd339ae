/* report.c: the tables of a study, as text.
 *
 * First the cost at equal digits: of our best method as a share of the best peer's work and of the
 * best SUNDIALS integrator's processor time, and of `auto` as a multiple of our best; a problem
 * counts with the geometric mean over the levels that both sides reach. Then delivered accuracy:
 * true error over tolerance (the worst over tolerances, and its geometric mean over problems), and
 * the slope of log error over log tolerance, of all problems together and of each. Problems that by
 * themselves make an error of one tolerance on the way larger than the bound of one-step methods
 * (growth.c) are left out of the counts and told apart. */
#include "bench/ivp/study.h"

#include <float.h>
#include <math.h>

static const double levels[] = { 3.0, 5.0, 7.0 };
/* tolerances that delivered accuracy is judged at */
static const double LOOSE = 2e-3, TIGHT = 5e-11;
static const double ONE_STEP_LIMIT = 30.0, MULTISTEP_LIMIT = 300.0, LEAST_SLOPE = 0.8, MOST_SLOPE = 1.2;
enum { LEVELS = COUNT_OF(levels), LEAST_POINTS = 4 };

/* A geometric mean in the making, and the largest that went into it. */
typedef struct {
    double sum, most;
    int n;
    const char *where;
} Mean;

static void mean_add(Mean *mean, double ratio, const char *where)
{
    if (isnan(ratio)) return;
    mean->sum += log(ratio);
    if (mean->n++ == 0 || ratio > mean->most) mean->most = ratio, mean->where = where;
}

static double mean_of(const Mean *mean) { return mean->n ? exp(mean->sum / mean->n) : NAN; }

/* The least cost of a side at so many digits, and whose it is; only one method where a name is
 * given. */
static double least_cost(const Study *study, const char *problem, Side side, const char *only, double digits,
                         StudyCost cost, const char **who)
{
    double best = NAN;
    StudyCurve curve = { 0, 0 };
    while (study_next(study, curve.last, &curve)) {
        const StudyRow *row = &study->rows.at[curve.first];
        if (row->side != side || strcmp(row->problem, problem) != 0) continue;
        if (only ? strcmp(row->solver, only) != 0 : side == SIDE_OURS && !strcmp(row->solver, "auto"))
            continue;
        double here = study_at_digits(study, curve, digits, cost);
        if (!isnan(here) && !(best <= here)) {
            best = here;
            if (who) *who = row->solver;
        }
    }
    return best;
}

typedef struct {
    Mean peers, time, automatic, automatic_time;
} Ratios;

static void add_ratio(Text *out, double ratio)
{
    if (isnan(ratio))
        text_printf(out, " %6s", "-");
    else
        text_printf(out, " %6.2f", ratio);
}

static void compare_problem(const Study *study, const char *problem, Ratios *all, Text *out)
{
    Ratios own = { 0 };
    text_printf(out, "%-16s", problem);
    for (size_t k = 0; k < LEVELS; k++) {
        const char *who = "-";
        double ours = least_cost(study, problem, SIDE_OURS, NULL, levels[k], study_cost_work, &who);
        double time = least_cost(study, problem, SIDE_OURS, NULL, levels[k], study_cost_time, NULL);
        double automatic = least_cost(study, problem, SIDE_OURS, "auto", levels[k], study_cost_work, NULL);
        double its_time = least_cost(study, problem, SIDE_OURS, "auto", levels[k], study_cost_time, NULL);
        double peers = least_cost(study, problem, SIDE_PEERS, NULL, levels[k], study_cost_work, NULL);
        double theirs = least_cost(study, problem, SIDE_SUNDIALS, NULL, levels[k], study_cost_time, NULL);
        mean_add(&own.peers, ours / peers, problem);
        mean_add(&own.time, time / theirs, problem);
        mean_add(&own.automatic, automatic / ours, problem);
        mean_add(&own.automatic_time, its_time / time, problem);
        text_printf(out, " %-12s", who);
    }
    Mean *const from[] = { &own.peers, &own.time, &own.automatic, &own.automatic_time };
    Mean *const to[] = { &all->peers, &all->time, &all->automatic, &all->automatic_time };
    for (size_t k = 0; k < COUNT_OF(from); k++) {
        add_ratio(out, mean_of(from[k]));
        mean_add(to[k], mean_of(from[k]), problem);
    }
    text_add_literal(out, "\n");
}

static void summarise(const Mean *mean, const char *what, Text *out)
{
    if (mean->n)
        text_printf(out, "%s: geometric mean %.2f over %d problems, most %.2f (%s)\n", what, mean_of(mean),
                    mean->n, mean->most, mean->where);
}

static void compare_costs(const Study *study, Text *out)
{
    Ratios all = { 0 };
    const char *before = "";
    text_printf(out, "\n%-16s %-12s %-12s %-12s %6s %6s %6s %6s\n", "At equal digits", "best at 3", "at 5",
                "at 7", "/peer", "/SUN t", "auto", "auto t");
    for (uint32_t k = 0; k < study->rows.n; k++) {
        const StudyRow *row = &study->rows.at[k];
        if (row->side != SIDE_OURS || !strcmp(row->problem, before)) continue;
        compare_problem(study, before = row->problem, &all, out);
    }
    summarise(&all.peers, "work of our best over the best peer's", out);
    summarise(&all.time, "time of our best over the best SUNDIALS integrator's", out);
    summarise(&all.automatic, "work of auto over our best", out);
    summarise(&all.automatic_time, "time of auto over our best", out);
}

/* ---- delivered accuracy ---------------------------------------------------------------------- */

static const IvpProblem *problem_of(const char *name)
{
    for (size_t i = 0; i < ivp_problem_count; i++)
        if (!strcmp(ivp_problems[i]->name, name)) return ivp_problems[i];
    return NULL;
}

typedef struct {
    double worst, slope;
    double sxy, sxx; /* the slope is their ratio */
    int points;
} Delivered;

static Delivered delivered_by(const Study *study, StudyCurve curve)
{
    Delivered result = { 0 };
    double n = 0.0, sx = 0.0, sy = 0.0, sxx = 0.0, sxy = 0.0;
    for (uint32_t k = curve.first; k < curve.last; k++) {
        const StudyRow *row = &study->rows.at[k];
        if (!row->finished || row->rtol > LOOSE || row->rtol < TIGHT) continue;
        double x = -log10(row->rtol), y = isnan(row->error) ? row->digits : x - log10(row->error);
        result.worst = fmax(result.worst, pow(10.0, x - y));
        n += 1.0, sx += x, sy += y, sxx += x * x, sxy += x * y;
    }
    result.points = (int)n;
    if (n >= LEAST_POINTS) result.sxy = sxy - sx * sy / n, result.sxx = sxx - sx * sx / n;
    result.slope = n >= LEAST_POINTS ? result.sxy / result.sxx : NAN;
    return result;
}

typedef struct {
    int problems, error_in, slopes, slope_in;
    double worst, log_errors, sxy, sxx;
    Text beyond, grown; /* problems out of a bound; those whose own growth is larger than it */
} Verdict;

static void tell(Text *out, const IvpProblem *problem, Delivered d, double limit)
{
    text_printf(out, " %s", problem->name);
    if (d.worst > limit) text_printf(out, " %.2g", d.worst);
    if (!isnan(d.slope) && !(d.slope >= LEAST_SLOPE && d.slope <= MOST_SLOPE))
        text_printf(out, " slope %.2f", d.slope);
}

static void judge_curve(const IvpProblem *problem, Delivered d, double limit, Verdict *v)
{
    bool error_fine = d.worst <= limit, has_slope = !isnan(d.slope);
    bool slope_fine = !has_slope || (d.slope >= LEAST_SLOPE && d.slope <= MOST_SLOPE);
    if (problem->growth > IVP_MOST_GROWTH) {
        text_printf(&v->grown, " %s %.2g (%.2g)", problem->name, d.worst, problem->growth);
        return;
    }
    v->problems++;
    v->error_in += error_fine;
    v->slopes += has_slope;
    v->slope_in += slope_fine && has_slope;
    v->worst = fmax(v->worst, d.worst);
    v->log_errors += log(d.worst);
    v->sxy += d.sxy, v->sxx += d.sxx;
    if (!error_fine || !slope_fine) tell(&v->beyond, problem, d, limit);
}

/* One line a method: problems within both bounds, and those beyond with their figures; below it
 * those that grow. */
static void judge_method(const Study *study, const SolverType *type, Text *out)
{
    double limit = type->can & SOLVE_MULTISTEP ? MULTISTEP_LIMIT : ONE_STEP_LIMIT;
    StudyCurve curve = { 0, 0 };
    Verdict v = { .beyond = { .arena = out->arena }, .grown = { .arena = out->arena } };
    while (study_next(study, curve.last, &curve)) {
        const StudyRow *row = &study->rows.at[curve.first];
        const IvpProblem *problem = problem_of(row->problem);
        if (row->side == SIDE_PEERS || strcmp(row->solver, type->name) != 0) continue;
        Delivered d = delivered_by(study, curve);
        if (d.points && problem) judge_curve(problem, d, limit, &v);
    }
    if (v.problems)
        text_printf(out, "%-15s %3.0f %9.2g %8.2g %5d/%-3d %6.2f %5d/%-3d %.*s\n", type->name, limit, v.worst,
                    exp(v.log_errors / v.problems), v.error_in, v.problems, v.sxx > 0.0 ? v.sxy / v.sxx : NAN,
                    v.slope_in, v.slopes, (int)v.beyond.n, v.beyond.n ? v.beyond.at : "");
    if (v.grown.n) text_printf(out, "%15s grow by themselves (by):%.*s\n", "", (int)v.grown.n, v.grown.at);
}

void study_report(const Study *study, Text *out)
{
    compare_costs(study, out);
    text_printf(out, "\n%-15s %3s %9s %8s %9s %6s %9s beyond\n", "Error/tolerance", "max", "worst", "mean",
                "within", "slope", "within");
    for (size_t i = 0; i < solver_type_count; i++) judge_method(study, solver_types[i], out);
}
