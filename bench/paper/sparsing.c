/* sparsing.c: Schiela and Bornemann on sparsing, made again with the robot of models/Robot.mo,
 * which has 78 states as theirs.
 *
 * Pictures of a time are those of the linearisation of a scenario that is nearest to it: at rest
 * of one that is only a few steps long, moving of the whole run. */
#include "bench/paper/inside.h"

#include <math.h>

enum { DISC = 90 };
static const double STEP = 1e-3, STOP = 2.0, AT_REST = 0.003, THRESHOLD = 0.2;

typedef struct {
    PaperModel m;
    RtScenario *s;
} Robot;

static void close_robot(Robot *r)
{
    scenario_free(r->s);
    paper_close(&r->m);
}

static bool open_robot(Paper *p, double stop, Robot *r)
{
    *r = (Robot){ .s = NULL };
    if (!paper_open_file(p, &r->m, "Robot.mo", "Robot.Arm")) return false;
    RtOptions options = rt_options(STEP, 0, stop);
    options.watch = "arm.q*";
    options.tries = 0;
    r->s = scenario_new(r->m.model->t.compiled, &options);
    paper_parameter(p, "model", "Robot.Arm, %d states", r->s ? r->s->system.n : 0);
    paper_parameter(p, "tau", "%g s", STEP);
    if (r->s && !r->s->message[0]) return true;
    paper_fail(p, "%s", r->s ? r->s->message : "no memory");
    close_robot(r);
    return false;
}

/* ---- pictures -------------------------------------------------------------------------------- */

static void add_pattern(Paper *p, const RtScenario *s, const unsigned char *kept, ChartSeries *series,
                        ChartPanel *panel)
{
    const Pattern *pattern = s->system.pattern;
    Numbers x[2] = { { 0 } }, y[2] = { { 0 } };
    for (int j = 0; j < pattern->columns; j++)
        for (int e = pattern->start[j]; e < pattern->start[j + 1]; e++) {
            NUMBER_PUSH(p, &x[kept[e]], j);
            NUMBER_PUSH(p, &y[kept[e]], pattern->row[e]);
        }
    series[0] = paper_series(CHART_CELLS, x[0].n ? "left out" : NULL, &x[0], &y[0]);
    series[1] = paper_series(CHART_CELLS, "entries", &x[1], &y[1]);
    series[0].colour = CHART_LIGHT;
    series[1].colour = 1;
    *panel = (ChartPanel){ .title = arena_printf(paper_arena(p), "Df: %u entries", (unsigned)x[1].n),
                           .series = series,
                           .count = 2,
                           .row_count = s->system.n,
                           .column_count = s->system.n };
}

static void add_factors(Paper *p, const RtMatrix *m, ChartSeries *series, ChartPanel *panel)
{
    Numbers x[2] = { { 0 } }, y[2] = { { 0 } };
    for (int k = 0; k < m->plan->n; k++)
        for (int e = m->plan->start[k]; e < m->plan->start[k + 1]; e++) {
            int fill = m->plan->source[e] < 0;
            NUMBER_PUSH(p, &x[fill], m->plan->index[e]);
            NUMBER_PUSH(p, &y[fill], k);
        }
    series[0] = paper_series(CHART_CELLS, "entries", &x[0], &y[0]);
    series[1] = paper_series(CHART_CELLS, x[1].n ? "fill" : NULL, &x[1], &y[1]);
    series[0].colour = 1;
    series[1].colour = 2;
    *panel =
        (ChartPanel){ .title = arena_printf(paper_arena(p), "LU of L - tau J: %d nonzeros", m->plan->count),
                      .series = series,
                      .count = 2,
                      .row_count = m->plan->n,
                      .column_count = m->plan->n };
}

static double add_eigenvalues(Paper *p, const RtScenario *s, const Linearisation *l,
                              const unsigned char *kept, ChartSeries *series, ChartPanel *panel)
{
    Arena *arena = paper_arena(p);
    size_t count = (size_t)pattern_count(s->system.pattern);
    double *lambda = NEW_ARRAY(arena, double, 2 * (size_t)s->system.n + 2),
           *left_out = NEW_ARRAY(arena, double, count + 1), radius = 0;
    Numbers x[2] = { { 0 } }, y[2] = { { 0 } };
    for (size_t e = 0; e < count; e++) left_out[e] = kept[e] ? 0 : l->df[e];
    bool has = perturbed_eigenvalues(&s->system, l->df, left_out, lambda, arena);
    for (int i = 0; i < s->system.n && has; i++) {
        NUMBER_PUSH(p, &x[0], lambda[2 * i]);
        NUMBER_PUSH(p, &y[0], lambda[2 * i + 1]);
        radius = fmax(radius, hypot(lambda[2 * i], lambda[2 * i + 1]));
    }
    for (int i = 0; i <= DISC; i++) {
        NUMBER_PUSH(p, &x[1], cos(2 * M_PI * i / DISC));
        NUMBER_PUSH(p, &y[1], sin(2 * M_PI * i / DISC));
    }
    series[0] = paper_series(CHART_LINE, NULL, &x[1], &y[1]);
    series[1] = paper_series(CHART_POINTS, NULL, &x[0], &y[0]);
    series[0].colour = CHART_GREY;
    series[1].colour = 1;
    *panel = (ChartPanel){ .title = "eigenvalues of a step",
                           .series = series,
                           .count = 2,
                           .equal = true,
                           .x = { -1.1, 1.1 },
                           .y = { -1.1, 1.1 } };
    return has ? radius : (double)NAN;
}

/* The linearisation farthest from the first, or the first. */
static const Linearisation *chosen_time(const RtScenario *s, bool moving)
{
    int best = 0, which;
    double most = 0;
    for (int k = 1; k < s->count && moving; k++) {
        double d = criterion_distance(&s->system, &s->at[0].criterion, s->at[0].df, s->at[k].df, &which);
        if (d > most) most = d, best = k;
    }
    return &s->at[best];
}

static bool draw(Paper *p, bool moving, bool sparsed)
{
    Robot r;
    RtPoint point = { 0 };
    RtMatrix matrix;
    ChartSeries series[6];
    ChartPanel panels[3];
    if (!open_robot(p, moving ? STOP : AT_REST, &r)) return false;
    const Linearisation *l = chosen_time(r.s, moving);
    sparsing_choose(r.s, sparsed ? THRESHOLD : 0.0, &point);
    if (!sparsed) memset(point.kept, 1, (size_t)pattern_count(r.s->system.pattern));
    paper_parameter(p, "t", "%.3g s", l->t);
    if (sparsed) paper_parameter(p, "threshold", "%g of each cluster's scale", THRESHOLD);
    bool ok =
        sparsing_matrix(paper_arena(p), r.s, point.kept, &matrix) || paper_fail(p, "the matrix is singular");
    double radius = 0;
    if (ok) {
        add_pattern(p, r.s, point.kept, series, &panels[0]);
        add_factors(p, &matrix, series + 2, &panels[1]);
        radius = add_eigenvalues(p, r.s, l, point.kept, series + 4, &panels[2]);
        paper_chart(p, "", &(Chart){ .panels = panels, .count = 3, .width = 340, .height = 310 });
        paper_table(p, "", "cluster|eigenvalues|mean re|mean im");
        for (int k = 0; k < l->criterion.count; k++) {
            const Cluster *c = &l->criterion.clusters[k];
            paper_row(p, "%s|%d|%.5f|%.5f", cluster_kinds[c->kind], c->m, c->re, fabs(c->im));
        }
        paper_text(p,
                   "Largest eigenvalue of the step: %.6f. Published for comparison: stiff eigenvalues within "
                   "a disc of radius 0.5, slow ones "
                   "near 1, three oscillating pairs near the border%s",
                   radius,
                   !sparsed ? "."
                   : moving ? "; moving, fewer entries can be left out than at rest."
                            : "; at rest a tridiagonal matrix is left.");
    }
    close_robot(&r);
    return ok;
}

static bool draw_rest(Paper *p) { return draw(p, false, false); }
static bool draw_rest_sparsed(Paper *p) { return draw(p, false, true); }
static bool draw_moving(Paper *p) { return draw(p, true, false); }
static bool draw_moving_sparsed(Paper *p) { return draw(p, true, true); }

/* ---- table 1, and what it costs in accuracy -------------------------------------------------- */

static bool measure_factors(Paper *p)
{
    static const struct {
        int row;
        const char *name, *nnz, *nnz_lu, *ms;
    } shown[] = { { 0, "sparsing", "158", "204", "0.22" },
                  { 1, "no sparsing, straight code", "", "", "" },
                  { 2, "no sparsing, KLU", "390", "646", "0.67" },
                  { 3, "dense, LAPACK", "78 x 78", "78 x 78", "2.0" } };
    Robot r;
    RtMeasurement rows[RT_VARIANTS];
    char why[300];
    if (!open_robot(p, STOP, &r)) return false;
    RtSparsing *sparsing = sparsing_new(r.s);
    bool ok = sparsing && measure_variants(r.s, sparsing, rows, why, sizeof why);
    if (ok) {
        paper_table(p, "",
                    "variant|nonzeros|published|nonzeros of LU|published|factors [ns]|published "
                    "[ms]|factors, of dense|published|error");
        static const double ratio[] = { 0.22 / 2.0, 0, 0.67 / 2.0, 1 };
        for (size_t k = 0; k < COUNT_OF(shown); k++) {
            const RtMeasurement *m = &rows[shown[k].row];
            paper_row(p, "%s|%d|%s|%d|%s|%.0f|%s|%.3f|%s|%.2g %%", shown[k].name, m->count, shown[k].nnz,
                      m->count_lu, shown[k].nnz_lu, 1e9 * m->factor_s, shown[k].ms,
                      m->factor_s / rows[3].factor_s,
                      ratio[k] > 0 ? arena_printf(paper_arena(p), "%.3f", ratio[k]) : "", 100 * m->error);
        }
        Numbers x[3] = { { 0 } }, y[3] = { { 0 } };
        paper_table(
            p, "thresholds",
            "threshold|entries|nonzeros|nonzeros of LU|largest eigenvalue|eigenvalues moved by|error");
        for (int k = -1; k < sparsing->count; k++) {
            const RtPoint *q = k < 0 ? &sparsing->exact : &sparsing->curve[k];
            paper_row(p, "%.3g|%d|%d|%d|%.6f|%.5f|%s", k < 0 ? 0 : q->threshold, q->entries, q->count,
                      q->count_lu, q->radius, q->deviation,
                      q->stable ? arena_printf(paper_arena(p), "%.2g %%", 100 * q->outcome.error)
                                : "not stable");
            NUMBER_PUSH(p, &x[0], q->count_lu);
            NUMBER_PUSH(p, &y[0], q->stable ? q->outcome.error : (double)NAN);
            NUMBER_PUSH(p, &x[1], q->count_lu);
            NUMBER_PUSH(p, &y[1], q->deviation);
        }
        NUMBER_PUSH(p, &x[2], sparsing->magnitude.count_lu);
        NUMBER_PUSH(p, &y[2], sparsing->magnitude.outcome.error);
        ChartSeries series[3] = { paper_series(CHART_DOTS, "error of the run", &x[0], &y[0]),
                                  paper_series(CHART_DOTS, "eigenvalues moved by", &x[1], &y[1]),
                                  paper_series(CHART_POINTS, "by size of entries", &x[2], &y[2]) };
        paper_chart(p, "trade-off",
                    &(Chart){ .panels = &(ChartPanel){ .series = series,
                                                       .count = 3,
                                                       .log_y = true,
                                                       .x_title = "nonzeros of the factors" },
                              .count = 1 });
        paper_text(p, "The published times are those of Matlab 6 in 2003; what compares are ratios and "
                      "counts. The robot is Acausal's own model of the "
                      "same kind, so that counts differ by some percent; its exact Jacobian factors with "
                      "less fill than colamd gave. "
                      "Errors are those of the joints' angles against an accurate run, as shares of their "
                      "ranges; published: 1 to 3 %% "
                      "with sparsing. `acausal realtime --watch` goes on from here: entries are tried one by "
                      "one, and the step becomes "
                      "code of known cost.");
    } else {
        paper_fail(p, "%s", sparsing ? why : "no memory");
    }
    close_robot(&r);
    return ok;
}

static const PaperFigure figures[] = {
    { "figure-1", "section 4", "The robot at rest before sparsing", draw_rest },
    { "figure-2", "section 4", "The robot at rest after sparsing", draw_rest_sparsed },
    { "figure-3", "section 4", "The moving robot before sparsing", draw_moving },
    { "figure-4", "section 4", "The moving robot after sparsing", draw_moving_sparsed },
    { "table-1", "sections 3.5 and 4", "What sparsing is worth", measure_factors },
};

const PaperDocument paper_sparsing = {
    .name = "sparsing",
    .title = "Sparsing in real time simulation",
    .source = "Anton Schiela and Folkmar Bornemann, TU München and DLR, 2003",
    .about = "The linearly implicit Euler method with entries of its Jacobian left out by a criterion on "
             "eigenvalues. In Acausal: `acausal "
             "realtime`, `acausal bench realtime`, methods.md (real time).",
    .figures = figures,
    .count = COUNT_OF(figures),
};
