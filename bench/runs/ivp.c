/* bench_ivp.c: what of acausal.h is about the benchmark of initial value problems: its runs, and a
 * study of them in tables and diagrams.
 *
 * A diagram shows, over digits, work and processor time of `auto`, our methods that cost least, and
 * the SUNDIALS integrators that cost least; eight curves, since more colours could not be told
 * apart. */
#include "bench/runs/runs.h"

#include "bench/ivp/run.h"
#include "bench/ivp/study.h"
#include "result/result.h"

#include <math.h>
#include <stdio.h>

const char *bench_ivp_problem_name(size_t i) { return i < ivp_problem_count ? ivp_problems[i]->name : NULL; }

static void write_atol(const IvpProblem *p, double rtol, char *text, size_t room)
{
    size_t used = 0;
    for (int i = 0; i < (p->atol_shares ? p->n : 1) && used < room; i++) {
        int n = snprintf(text + used, room - used, "%s%.6g", i ? "|" : "", ivp_atol(p, i, rtol));
        used += n > 0 ? (size_t)n : 0;
    }
}

static void run_row(const IvpProblem *p, const SolverType *type, double rtol, double seconds, IvpRow *row)
{
    IvpRun run;
    ivp_run(p, type, rtol, seconds, &run);
    *row = (IvpRow){ .problem = p->name,
                     .solver = type->name,
                     .n = p->n,
                     .rtol = rtol,
                     .steps = run.stats.steps,
                     .nfev = run.stats.f,
                     .njev = run.stats.jacobians,
                     .nlu = run.stats.factors,
                     .cpu_ms = run.seconds * 1e3,
                     .digits = run.digits,
                     .error = run.error,
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

AcausalStatus run_ivp_bench(const IvpOptions *o, void (*row)(void *arg, const IvpRow *row), void *arg)
{
    if ((o->problem && !is_problem(o->problem)) || (o->solver && !solver_find(o->solver)))
        return ACAUSAL_USAGE;
    double per_decade = o->per_decade > 0 ? (double)o->per_decade : 1.0;
    int from = (int)lround(-log10(o->loosest) * per_decade),
        to = (int)lround(-log10(o->tightest) * per_decade);
    for (size_t i = 0; i < ivp_problem_count; i++) {
        const IvpProblem *p = ivp_problems[i];
        if (o->problem && strcmp(o->problem, p->name)) continue;
        for (size_t k = 0; k < solver_type_count; k++) {
            const SolverType *type = solver_types[k];
            if (o->solver ? strcmp(o->solver, type->name) != 0 : !ivp_suits(p, type)) continue;
            for (int rung = from; rung <= to; rung++) {
                IvpRow out;
                run_row(p, type, pow(10.0, -rung / per_decade), o->seconds, &out);
                row(arg, &out);
            }
        }
    }
    return ACAUSAL_DONE;
}

/* ---- studies --------------------------------------------------------------------------------- */

struct IvpStudy {
    Study study;
};

IvpStudy *ivp_study_new(void)
{
    Arena *arena = arena_new();
    if (!arena) return NULL;
    IvpStudy *study = NEW(arena, IvpStudy);
    study->study.arena = arena;
    return study;
}

void ivp_study_free(IvpStudy *study)
{
    if (study) arena_free(study->study.arena);
}

void ivp_study_add(IvpStudy *study, const IvpRow *row)
{
    Arena *arena = study->study.arena;
    study_add(&study->study, (StudyRow){ .problem = arena_copy(arena, str_of(row->problem)),
                                         .solver = arena_copy(arena, str_of(row->solver)),
                                         .side = study_side(row->solver),
                                         .n = row->n,
                                         .rtol = row->rtol,
                                         .work = study_work(row->n, row->nfev, row->njev, row->nlu),
                                         .cpu_ms = row->cpu_ms,
                                         .digits = row->digits,
                                         .error = row->error,
                                         .finished = row->finished });
}

AcausalStatus ivp_study_read(IvpStudy *study, const char *csv, size_t n, bool peers, const char **why)
{
    return study_read(&study->study, (Str){ csv, n }, peers, why) ? ACAUSAL_DONE : ACAUSAL_WRONG;
}

void ivp_study_report(const IvpStudy *study, AcausalWrite write, void *arg)
{
    Arena *arena = arena_new();
    if (!arena) return;
    Text out = { .arena = arena };
    study_report(&study->study, &out);
    write(arg, out.at, out.n);
    arena_free(arena);
}

enum { CURVES = 8, FOREIGN_CURVES = 3 };

/* How well a method does on a problem: the mean of log work where it reaches 3, 5 or 7 digits; what
 * it misses costs. */
static double rank_of(const Study *study, StudyCurve curve)
{
    static const double levels[] = { 3.0, 5.0, 7.0 };
    double sum = 0.0;
    for (size_t k = 0; k < COUNT_OF(levels); k++) {
        double work = study_at_digits(study, curve, levels[k], study_cost_work);
        sum += isnan(work) ? 30.0 : log(work);
    }
    return sum;
}

/* Puts a curve among the `most` best. */
static size_t keep_best(StudyCurve *best, double *ranks, size_t count, size_t most, StudyCurve curve,
                        double rank)
{
    size_t at = count;
    while (at > 0 && ranks[at - 1] > rank) at--;
    if (at >= most) return count;
    if (count < most) count++;
    for (size_t k = count - 1; k > at; k--) best[k] = best[k - 1], ranks[k] = ranks[k - 1];
    best[at] = curve;
    ranks[at] = rank;
    return count;
}

/* The curves of a diagram: auto, ours, SUNDIALS. */
static size_t choose_curves(const Study *study, const char *problem, StudyCurve *chosen)
{
    StudyCurve ours[CURVES], theirs[FOREIGN_CURVES], curve = { 0, 0 };
    double our_ranks[CURVES], their_ranks[FOREIGN_CURVES];
    size_t our_count = 0, their_count = 0, count = 0;
    while (study_next(study, curve.last, &curve)) {
        const StudyRow *row = &study->rows.at[curve.first];
        if (row->side == SIDE_PEERS || strcmp(row->problem, problem) != 0) continue;
        if (!strcmp(row->solver, "auto"))
            chosen[count++] = curve;
        else if (row->side == SIDE_SUNDIALS)
            their_count =
                keep_best(theirs, their_ranks, their_count, FOREIGN_CURVES, curve, rank_of(study, curve));
        else
            our_count = keep_best(ours, our_ranks, our_count, CURVES, curve, rank_of(study, curve));
    }
    for (size_t k = 0; k < our_count && count < CURVES - their_count; k++) chosen[count++] = ours[k];
    for (size_t k = 0; k < their_count; k++) chosen[count++] = theirs[k];
    return count;
}

/* One curve: NAN but at its own rows, since all curves share the horizontal axis. */
static Signal *make_signal(const Study *study, Arena *arena, StudyCurve own, const StudyCurve *all,
                           size_t count, size_t rows, StudyCost cost, const char *unit)
{
    double *at = NEW_ARRAY(arena, double, rows + 1);
    size_t row = 0;
    for (size_t k = 0; k < count; k++)
        for (uint32_t i = all[k].first; i < all[k].last; i++) {
            const StudyRow *run = &study->rows.at[i];
            at[row++] = all[k].first == own.first && run->finished ? log10(cost(run)) : NAN;
        }
    Signal *signal = NEW(arena, Signal);
    *signal = (Signal){ study->rows.at[own.first].solver, unit, "", COLUMN_CONTINUOUS, at, 1, 1.0 };
    return signal;
}

AcausalStatus ivp_study_svg(const IvpStudy *of, const char *problem, AcausalWrite write, void *arg)
{
    const Study *study = &of->study;
    StudyCurve chosen[CURVES];
    size_t count = choose_curves(study, problem, chosen), rows = 0, row = 0;
    Arena *arena = arena_new();
    if (!arena) return ACAUSAL_BUG;
    for (size_t k = 0; k < count; k++) rows += chosen[k].last - chosen[k].first;
    double *digits = NEW_ARRAY(arena, double, rows + 1);
    const Signal *curves[2 * CURVES];
    for (size_t k = 0; k < count; k++) {
        for (uint32_t i = chosen[k].first; i < chosen[k].last; i++) {
            const StudyRow *run = &study->rows.at[i];
            digits[row++] = run->finished ? run->digits : NAN;
        }
        curves[k] = make_signal(study, arena, chosen[k], chosen, count, rows, study_cost_work, "lg work");
        curves[count + k] =
            make_signal(study, arena, chosen[k], chosen, count, rows, study_cost_time, "lg CPU time [ms]");
    }
    Signal x = { "correct digits at the end", "", "", COLUMN_CONTINUOUS, digits, 1, 1.0 };
    PlotCurve drawn[2 * CURVES];
    for (size_t k = 0; k < 2 * count; k++)
        drawn[k] =
            (PlotCurve){ .x = &x, .y = curves[k], .rows = rows, .panel = -1, .colour = (int)(k % count) };
    Plot plot = { .curves = drawn, .count = 2 * count, .title = problem };
    Text out = { .arena = arena };
    plot_svg(&plot, &(PlotStyle){ .height = 900 }, &out);
    write(arg, out.at, out.n);
    arena_free(arena);
    return count ? ACAUSAL_DONE : ACAUSAL_WRONG;
}
