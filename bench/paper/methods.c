/* methods.c: the lecture of Diehl and Quirynen on simulation methods, made again with Acausal's
 * methods. */
#include "api/stability.h"
#include "bench/paper/inside.h"

#include "solve/stability.h"

#include <math.h>

enum { LADDER = 7 };

static double slope_of(const Numbers *x, const Numbers *e)
{
    double sx = 0, sy = 0, sxx = 0, sxy = 0, n = 0;
    for (uint32_t i = 0; i < x->n; i++) {
        if (!(e->at[i] > 1e-12)) continue; /* rounding */
        double a = log(x->at[i]), b = log(e->at[i]);
        sx += a, sy += b, sxx += a * a, sxy += a * b, n++;
    }
    return n > 1 ? (n * sxy - sx * sy) / (n * sxx - sx * sx) : (double)NAN;
}

/* ---- slide 2 --------------------------------------------------------------------------------- */

static const char system_text[] =
    "model System\n  Real u;\n  Real y(start = 0, fixed = true);\n  Real v(start = 0, fixed = "
    "true);\nequation\n"
    "  u = if time < 0.5 then 0 elseif time < 1.5 then 18 elseif time < 2.5 then -14 else 6;\n"
    "  der(y) = v;\n  der(v) = u - 2 * v - 9 * y;\nend System;\n";

static bool map_inputs(Paper *p)
{
    PaperModel m;
    PaperOutcome out;
    Numbers t, u, y;
    if (!paper_open_text(p, &m, "System", system_text)) return false;
    paper_run(&m, &(PaperRun){ .stop = 4, .points = 400, .keep = true }, &out);
    bool ok = paper_signal(p, out.report.result, "time", &t) && paper_signal(p, out.report.result, "u", &u) &&
              paper_signal(p, out.report.result, "y", &y);
    ChartSeries series[2] = { paper_series(CHART_LINE, NULL, &t, &u),
                              paper_series(CHART_LINE, NULL, &t, &y) };
    ChartPanel panels[2] = {
        { .title = "input u", .series = &series[0], .count = 1, .x_title = "time [s]" },
        { .title = "output y", .series = &series[1], .count = 1, .x_title = "time [s]" }
    };
    paper_parameter(p, "y''", "u - 2 y' - 9 y");
    if (ok) paper_chart(p, "", &(Chart){ .panels = panels, .count = 2 });
    paper_text(p, "A simulation maps inputs to outputs. The slide does not give its system; this is an "
                  "oscillator of second order. The "
                  "jumps of u are events, so that no step goes over them.");
    paper_free_run(&out);
    paper_close(&m);
    return ok;
}

/* ---- slide 4: local and global error --------------------------------------------------------- */

/* x' = -x + 2 cos t from x: x(t) = cos t + sin t + c e^-t */
static double solution(double t0, double x0, double t)
{
    return cos(t) + sin(t) + (x0 - cos(t0) - sin(t0)) * exp(t0 - t);
}

static bool split_error(Paper *p)
{
    static const double h = 0.5;
    enum { STEPS = 6, FINE = 40 };
    Numbers t[3] = { { 0 } }, x[3] = { { 0 } };
    double at = 0, now = 2;
    paper_parameter(p, "x'", "-x + 2 cos t, x(0) = 2");
    paper_parameter(p, "h", "%g, explicit Euler", h);
    paper_table(p, "", "t|local error|global error|sum of local errors, carried on");
    double carried = 0;
    for (int i = 0; i <= STEPS * FINE; i++) {
        NUMBER_PUSH(p, &t[0], h * i / FINE);
        NUMBER_PUSH(p, &x[0], solution(0, 2, h * i / FINE));
    }
    for (int n = 0; n <= STEPS; n++, at += h) {
        double exact = solution(0, 2, at), slope = -exact + 2 * cos(at);
        NUMBER_PUSH(p, &t[1], at);
        NUMBER_PUSH(p, &x[1], now);
        NUMBER_PUSH(p, &t[2], NAN);
        NUMBER_PUSH(p, &x[2], 0);
        for (int i = 0; i <= FINE && n < STEPS; i++) { /* the solution through this point */
            NUMBER_PUSH(p, &t[2], at + h * i / FINE);
            NUMBER_PUSH(p, &x[2], solution(at, now, at + h * i / FINE));
        }
        double local = solution(0, 2, at + h) - (exact + h * slope);
        now += h * (-now + 2 * cos(at));
        carried = (1 - h) * carried + local; /* Euler's method carries errors on by 1 - h */
        if (n < STEPS)
            paper_row(p, "%.1f|%.6f|%.6f|%.6f", at + h, local, solution(0, 2, at + h) - now, carried);
    }
    ChartSeries series[3] = { paper_series(CHART_LINE, "exact", &t[0], &x[0]),
                              paper_series(CHART_DOTS, "Euler", &t[1], &x[1]),
                              paper_series(CHART_LINE, "solutions through its points", &t[2], &x[2]) };
    series[2].dashed = true;
    paper_chart(
        p, "",
        &(Chart){ .panels = &(ChartPanel){ .series = series, .count = 3, .x_title = "t", .y_title = "x" },
                  .count = 1 });
    paper_text(
        p,
        "The local error is what one step from the exact value misses, the global one what all of them "
        "leave. For a linear "
        "equation the last column equals the global error: local errors, each carried on to the end. Acausal "
        "estimates this transport to hold errors at the end near the tolerance (methods.md, error "
        "accumulation).");
    return true;
}

/* ---- slides 8 and 9: Euler, RK4, and what came after ----------------------------------------- */

static const char pendulum_text[] =
    "model Swing\n  Real x(start = 1, fixed = true);\n  Real v(start = 0, fixed = true);\nequation\n"
    "  der(x) = v;\n  der(v) = -sin(x);\nend Swing;\n";

/* The state at the end after equal steps. */
static bool fixed_end(Paper *p, PaperModel *m, const char *solver, const char *option, double stop,
                      long steps, double end[2], long *f)
{
    char text[48];
    PaperOutcome out;
    Numbers x, v;
    snprintf(text, sizeof text, "fixed-step=%.17g", stop / (double)steps);
    paper_run(
        m,
        &(PaperRun){ .solver = solver, .stop = stop, .points = 1, .options = { text, option }, .keep = true },
        &out);
    bool ok = out.finished || paper_fail(p, "%s: %s", solver, out.report.message);
    ok = ok && paper_signal(p, out.report.result, "x", &x) && paper_signal(p, out.report.result, "v", &v);
    if (ok) end[0] = x.at[x.n - 1], end[1] = v.at[v.n - 1];
    if (f) *f = out.work.f;
    paper_free_run(&out);
    return ok;
}

static bool accurate_end(Paper *p, PaperModel *m, double stop, double end[2])
{
    PaperOutcome out;
    Numbers x, v;
    paper_run(m,
              &(PaperRun){ .solver = "dop853", .stop = stop, .tolerance = 1e-13, .points = 1, .keep = true },
              &out);
    bool ok = paper_signal(p, out.report.result, "x", &x) && paper_signal(p, out.report.result, "v", &v);
    if (ok) end[0] = x.at[x.n - 1], end[1] = v.at[v.n - 1];
    paper_free_run(&out);
    return ok;
}

typedef struct {
    const char *solver, *option, *label;
    int order;
} Method;

static const Method one_steps[] = { { "euler", NULL, "Euler", 1 },
                                    { "rk4", NULL, "RK4", 4 },
                                    { "dopri5", NULL, "dopri5", 5 },
                                    { "dop853", NULL, "dop853", 8 } };

/* Errors over numbers of steps, and the slopes that they have. */
static bool measure_orders(Paper *p, const Method *methods, size_t n, long first, const char *title)
{
    static const double stop = 4;
    PaperModel m;
    double want[2];
    Numbers steps = { 0 }, *errors = NEW_ARRAY(paper_arena(p), Numbers, n),
            *work = NEW_ARRAY(paper_arena(p), Numbers, n);
    ChartSeries *by_steps = NEW_ARRAY(paper_arena(p), ChartSeries, n),
                *by_work = NEW_ARRAY(paper_arena(p), ChartSeries, n);
    if (!paper_open_text(p, &m, "Swing", pendulum_text)) return false;
    paper_parameter(p, "x''", "-sin x, x(0) = 1, x'(0) = 0 until t = %g", stop);
    bool ok = accurate_end(p, &m, stop, want);
    for (int k = 0; k < LADDER; k++) NUMBER_PUSH(p, &steps, (double)(first << k));
    for (size_t i = 0; i < n && ok; i++)
        for (int k = 0; k < LADDER && ok; k++) {
            double end[2];
            long f = 0;
            ok = fixed_end(p, &m, methods[i].solver, methods[i].option, stop, first << k, end, &f);
            NUMBER_PUSH(p, &errors[i], ok ? hypot(end[0] - want[0], end[1] - want[1]) : (double)NAN);
            NUMBER_PUSH(p, &work[i], f);
        }
    paper_table(p, "", "method|order|observed|error with the fewest steps|with the most|evaluations then");
    for (size_t i = 0; i < n && ok; i++) {
        paper_row(p, "%s|%d|%.2f|%.2e|%.2e|%.0f", methods[i].label, methods[i].order,
                  -slope_of(&steps, &errors[i]), errors[i].at[0], errors[i].at[LADDER - 1],
                  work[i].at[LADDER - 1]);
        by_steps[i] = paper_series(CHART_DOTS, methods[i].label, &steps, &errors[i]);
        by_work[i] = paper_series(CHART_DOTS, methods[i].label, &work[i], &errors[i]);
    }
    ChartPanel panels[2] = {
        { .title = title, .series = by_steps, .count = n, .x_title = "number of steps" },
        { .title = "the same by work", .series = by_work, .count = n, .x_title = "evaluations of f" }
    };
    for (int k = 0; k < 2; k++) panels[k].log_x = panels[k].log_y = true, panels[k].y_title = "global error";
    if (ok) paper_chart(p, "", &(Chart){ .panels = panels, .count = 2 });
    paper_close(&m);
    return ok;
}

static bool compare_euler(Paper *p)
{
    bool ok = measure_orders(p, one_steps, COUNT_OF(one_steps), 10, "Euler against methods of higher order");
    paper_text(p, "The slides show the first two lines, from about 0.1 down to 1e-5 for Euler's method and "
                  "to rounding for RK4, "
                  "without saying for which equation. Methods of order 5 and 8 carry the argument on: RK4 is "
                  "no longer what "
                  "one would take.");
    return ok;
}

/* ---- slide 12: step size control ------------------------------------------------------------- */

static bool control_steps(Paper *p)
{
    static const char *const solvers[] = { "euler",           "rk4",  "rkf45", "dopri5", "dop853",
                                           "adams-bashforth", "adams" };
    static const double stop = 20, tol = 1e-4;
    PaperModel m;
    double want[2];
    Numbers t[2], size[2];
    const char *labels[2] = { "rkf45", "dopri5" };
    if (!paper_open_text(p, &m, "Swing", pendulum_text)) return false;
    paper_parameter(p, "x''", "-sin x until t = %g, tolerance %g", stop, tol);
    bool ok = accurate_end(p, &m, stop, want);
    paper_table(p, "", "method|steps|rejected|f|error at the end");
    for (size_t i = 0; i < COUNT_OF(solvers) && ok; i++) {
        PaperOutcome out;
        Numbers x;
        paper_run(&m,
                  &(PaperRun){ .solver = solvers[i],
                               .stop = stop,
                               .tolerance = tol,
                               .points = 1,
                               .keep = true,
                               .keep_steps = true },
                  &out);
        ok = paper_signal(p, out.report.result, "x", &x);
        if (ok)
            paper_row(p, "%s|%ld|%ld|%ld|%.1e", solvers[i], out.work.steps, out.work.rejected_error,
                      out.work.f, fabs(x.at[x.n - 1] - want[0]));
        for (int k = 0; k < 2 && ok; k++) {
            if (strcmp(labels[k], solvers[i])) continue;
            ok = paper_signal(p, out.report.steps, "time", &t[k]) &&
                 paper_signal(p, out.report.steps, "log10_step", &size[k]);
            for (uint32_t j = 0; ok && j < size[k].n; j++) size[k].at[j] = pow(10, size[k].at[j]);
        }
        paper_free_run(&out);
    }
    ChartSeries series[2];
    for (int k = 0; k < 2 && ok; k++) series[k] = paper_series(CHART_DOTS, labels[k], &t[k], &size[k]);
    if (ok)
        paper_chart(
            p, "",
            &(Chart){ .panels =
                          &(ChartPanel){ .series = series, .count = 2, .x_title = "t", .y_title = "step" },
                      .count = 1 });
    paper_text(p, "Euler's method estimates its error by two half steps, as on the slide, the others by "
                  "embedded formulas or by what "
                  "the corrector changes. Controllers are a little more than 0.9 h (TOL/E)^(1/(p+1)): "
                  "`--option controller=`.");
    paper_close(&m);
    return ok;
}

/* ---- slide 14: a stiff equation -------------------------------------------------------------- */

static const char stiff_text[] = "model Stiff\n  Real x(start = 0, fixed = true);\nequation\n"
                                 "  der(x) = -50 * (x - cos(time));\nend Stiff;\n";

static double stiff_solution(double t)
{
    double a = 2500.0 / 2501, b = 50.0 / 2501;
    return a * cos(t) + b * sin(t) - a * exp(-50 * t);
}

static bool show_stiffness(Paper *p)
{
    static const double sizes[] = { 0.018, 0.038, 0.04 };
    static const char *const titles[] = { "h = 0.018", "h = 0.038", "h = 0.04" },
                             *const solvers[] = { "euler", "implicit-euler" },
                             *const labels[] = { "explicit Euler", "implicit Euler" };
    ChartSeries series[3][3];
    ChartPanel panels[3];
    PaperModel m;
    Numbers fine[2] = { { 0 } };
    bool ok = paper_open_text(p, &m, "Stiff", stiff_text);
    if (!ok) return false;
    paper_parameter(p, "x'", "-50 (x - cos t), x(0) = 0");
    for (int i = 0; i <= 400; i++) {
        NUMBER_PUSH(p, &fine[0], i / 400.0);
        NUMBER_PUSH(p, &fine[1], stiff_solution(i / 400.0));
    }
    paper_table(p, "", "h|h lambda|largest error, explicit|implicit");
    for (int k = 0; k < 3 && ok; k++) {
        double worst[2] = { 0 };
        for (int i = 0; i < 2 && ok; i++) {
            char text[48];
            PaperOutcome out;
            Numbers t, x;
            snprintf(text, sizeof text, "fixed-step=%.17g", sizes[k]);
            paper_run(&m,
                      &(PaperRun){
                          .solver = solvers[i], .stop = 1, .points = 0, .options = { text }, .keep = true },
                      &out);
            ok =
                paper_signal(p, out.report.result, "time", &t) && paper_signal(p, out.report.result, "x", &x);
            for (uint32_t j = 0; ok && j < t.n; j++)
                worst[i] = fmax(worst[i], fabs(x.at[j] - stiff_solution(t.at[j])));
            series[k][i] = paper_series(CHART_DOTS, labels[i], &t, &x);
            paper_free_run(&out);
        }
        series[k][2] = paper_series(CHART_LINE, "exact", &fine[0], &fine[1]);
        series[k][2].colour = CHART_GREY;
        panels[k] = (ChartPanel){ .title = titles[k],
                                  .series = series[k],
                                  .count = 3,
                                  .x_title = "t",
                                  .x = { 0, 1 },
                                  .y = { -0.5, 2.2 } };
        paper_row(p, "%g|%g|%.3g|%.3g", sizes[k], -50 * sizes[k], worst[0], worst[1]);
    }
    if (ok) paper_chart(p, "", &(Chart){ .panels = panels, .count = 3 });
    paper_text(p, "The explicit method is stable for |1 + h lambda| < 1, so up to h = 0.04, where it swings "
                  "for ever; the implicit one has no "
                  "bound. `acausal simulate` finds out by itself (solver auto), and `acausal solvers euler "
                  "--svg` draws the region.");
    paper_close(&m);
    return ok;
}

/* ---- slide 16: stability --------------------------------------------------------------------- */

static const struct {
    const char *name;
    bool drawn;
} stables[] = { { "euler", true },          { "rk4", true },     { "dopri5", false }, { "dop853", false },
                { "implicit-euler", true }, { "gauss4", false }, { "gauss6", true },  { "radau3", false },
                { "radau5", true },         { "trbdf2", false }, { "sdirk4", true },  { "esdirk4", false },
                { "rodas", false } };

static bool show_regions(Paper *p)
{
    Arena *arena = paper_arena(p);
    const char *why = "";
    paper_table(
        p, "", "method|order|real interval|imaginary interval|largest size left of the axis|size at -1e8|so");
    for (size_t i = 0; i < COUNT_OF(stables); i++) {
        Stability *s = stability_new(arena, solver_find(stables[i].name), 0, &why);
        double most = 0, real = 0, imaginary = 0;
        if (!s) return paper_fail(p, "%s", why);
        for (int a = 0; a <= 180; a++)
            for (int e = -40; e <= 80; e++) {
                double r = pow(10, e / 20.0), angle = M_PI / 2 + M_PI * a / 180;
                most = fmax(most, stability_at(s, fmin(0, r * cos(angle)), r * sin(angle), NULL));
            }
        while (real < 60 && stability_at(s, -real - 0.01, 0, NULL) <= 1 + 1e-12) real += 0.01;
        while (imaginary < 60 && stability_at(s, 0, imaginary + 0.01, NULL) <= 1 + 1e-12) imaginary += 0.01;
        double far = stability_at(s, -1e8, 0, NULL);
        bool a_stable = most <= 1 + 1e-10;
        paper_row(p, "%s|%d|%s|%s|%.3g|%.2g|%s", stables[i].name, stability_order(s),
                  real > 59.9 ? "all" : arena_printf(arena, "%.2f", real),
                  imaginary > 59.9 ? "all" : arena_printf(arena, "%.2f", imaginary), most, far,
                  !a_stable    ? ""
                  : far < 1e-3 ? "L-stable"
                               : "A-stable");
    }
    for (size_t i = 0; i < COUNT_OF(stables); i++) {
        Chart chart;
        if (!stables[i].drawn) continue;
        if (!stability_chart(arena, solver_find(stables[i].name), 0, &chart, &why))
            return paper_fail(p, "%s", why);
        paper_chart(p, stables[i].name, &chart);
    }
    paper_text(p, "The size of R(z) is sampled on the left half-plane, and far out. A-stable: at most 1 "
                  "there; L-stable: also 0 at infinity. "
                  "Sectors of an order star that meet at 0 number order + 1 of each kind. `acausal solvers "
                  "NAME --svg FILE` "
                  "draws this for any method, and for a Butcher tableau in a file.");
    return true;
}

/* ---- slides 21 to 23: collocation ------------------------------------------------------------ */

static const Method collocations[] = {
    { "gauss2", NULL, "Gauss, 1 stage", 2 },      { "gauss4", NULL, "Gauss, 2 stages", 4 },
    { "gauss6", NULL, "Gauss, 3 stages", 6 },     { "implicit-euler", NULL, "Radau IIA, 1 stage", 1 },
    { "radau3", NULL, "Radau IIA, 2 stages", 3 }, { "radau5", NULL, "Radau IIA, 3 stages", 5 }
};

static double legendre(int s, double x)
{
    double t = 2 * x - 1;
    return s == 1 ? t : s == 2 ? (3 * t * t - 1) / 2 : (5 * t * t * t - 3 * t) / 2;
}

static bool show_collocation(Paper *p)
{
    Numbers x = { 0 }, y[3] = { { 0 } }, nodes[2] = { { 0 } };
    const double want[3][3] = { { 0.5 },
                                { 0.5 - sqrt(3) / 6, 0.5 + sqrt(3) / 6 },
                                { 0.5 - sqrt(15) / 10, 0.5, 0.5 + sqrt(15) / 10 } };
    static const char *const printed[3][3] = { { "1/2" },
                                               { "1/2 - sqrt(3)/6", "1/2 + sqrt(3)/6" },
                                               { "1/2 - sqrt(15)/10", "1/2", "1/2 + sqrt(15)/10" } };
    ChartSeries series[4];
    static const char *const labels[] = { "s = 1, p = 2", "s = 2, p = 4", "s = 3, p = 6" };
    for (int i = 0; i <= 100; i++) NUMBER_PUSH(p, &x, i / 100.0);
    paper_table(p, "nodes", "method|node|published|here|difference");
    for (int s = 1; s <= 3; s++) {
        RkTableau t;
        if (!solver_fixed_tableau(solver_find(collocations[s - 1].solver), &t))
            return paper_fail(p, "no tableau");
        for (int i = 0; i <= 100; i++) NUMBER_PUSH(p, &y[s - 1], legendre(s, i / 100.0));
        for (int i = 0; i < s; i++) {
            paper_row(p, "%s|c%d|%s|%.15f|%.1e", collocations[s - 1].label, i + 1, printed[s - 1][i], t.c[i],
                      fabs(t.c[i] - want[s - 1][i]));
            NUMBER_PUSH(p, &nodes[0], t.c[i]);
            NUMBER_PUSH(p, &nodes[1], 0);
        }
        series[s - 1] = paper_series(CHART_LINE, labels[s - 1], &x, &y[s - 1]);
    }
    series[3] = paper_series(CHART_POINTS, "nodes of Acausal's methods", &nodes[0], &nodes[1]);
    series[3].colour = 7;
    paper_chart(
        p, "legendre",
        &(Chart){
            .panels =
                &(ChartPanel){ .series = series, .count = 4, .x_title = "c", .y = { -1, 1 }, .x = { 0, 1 } },
            .count = 1 });
    bool ok = measure_orders(p, collocations, COUNT_OF(collocations), 8, "Gauss: 2s; Radau IIA: 2s - 1");
    paper_text(p, "Nodes are roots of shifted Legendre polynomials; orders are observed with fixed steps. "
                  "Radau IIA of orders 5, 9 "
                  "and 13 with variable order is `radau`.");
    return ok;
}

/* ---- slides 10, 18, 25: tableaux ------------------------------------------------------------- */

static bool show_tableaux(Paper *p)
{
    static const struct {
        const char *solver, *kind;
    } rows[] = { { "rk4", "explicit" },           { "trbdf2", "DIRK, first stage explicit" },
                 { "sdirk4", "SDIRK" },           { "esdirk4", "ESDIRK" },
                 { "gauss6", "implicit: Gauss" }, { "radau5", "implicit: Radau IIA" } };
    ChartPanel panels[COUNT_OF(rows)];
    ChartSeries series[COUNT_OF(rows)];
    paper_table(p, "", "method|row|c|a_1|a_2|a_3|a_4|a_5|a_6");
    for (size_t k = 0; k < COUNT_OF(rows); k++) {
        RkTableau t;
        Numbers x = { 0 }, y = { 0 };
        if (!solver_fixed_tableau(solver_find(rows[k].solver), &t))
            return paper_fail(p, "no tableau of %s", rows[k].solver);
        int s = t.stages < 6 ? t.stages : 6;
        for (int i = 0; i <= s; i++) {
            Text row = { .arena = paper_arena(p) };
            text_printf(&row, "%s|%s|%s", rows[k].solver,
                        i < s ? arena_printf(paper_arena(p), "%d", i + 1) : "b",
                        i < s ? arena_printf(paper_arena(p), "%.9g", t.c[i]) : "");
            for (int j = 0; j < s; j++) {
                double v = i < s ? t.a[i][j] : t.b[j];
                text_printf(&row, "|%.9g", v);
                if (i < s && v != 0) {
                    NUMBER_PUSH(p, &x, j);
                    NUMBER_PUSH(p, &y, i);
                }
            }
            paper_row(p, "%s", row.at);
        }
        series[k] = paper_series(CHART_CELLS, NULL, &x, &y);
        panels[k] =
            (ChartPanel){ .title = arena_printf(paper_arena(p), "%s: %s", rows[k].solver, rows[k].kind),
                          .series = &series[k],
                          .count = 1,
                          .row_count = s,
                          .column_count = s };
        series[k].colour = 1;
    }
    paper_chart(
        p, "",
        &(Chart){ .panels = panels, .count = COUNT_OF(rows), .across = 3, .width = 300, .height = 240 });
    paper_text(p, "Which entries of A are not 0 decides what a step costs: explicit methods compute stages "
                  "one by one, diagonally implicit ones "
                  "solve one stage at a time (all with the same matrix where the diagonal is constant), "
                  "fully implicit ones all at once.");
    return true;
}

/* ---- slides 26 to 32: sensitivities ---------------------------------------------------------- */

static const char volterra_text[] =
    "model Volterra\n  parameter Real a = 1.1;\n  parameter Real b = 0.4;\n  parameter Real c = 0.4;\n  "
    "parameter Real d = 0.1;\n"
    "  Real x(start = 10, fixed = true);\n  Real y(start = 5, fixed = true);\nequation\n"
    "  der(x) = a * x - b * x * y;\n  der(y) = d * x * y - c * y;\nend Volterra;\n";

static const struct {
    const char *name, *slide, *about;
} ways[] = { { "forward", "29", "variational differential equations" },
             { "end", "30", "external numerical differentiation" },
             { "ind", "31", "internal numerical differentiation" },
             { "ad", "32", "algorithmic differentiation of the steps" },
             { "ad-adjoint", "28, reverse", "the same backwards" },
             { "adjoint", "28, new IVP", "adjoint differential equations" } };
enum { WAYS = 6, PARAMETERS = 4, TOLERANCES = 8 };

static bool differentiate(Paper *p, PaperModel *m, const char *method, double tol, double *out,
                          double *seconds, double *end)
{
    static const char *const of[] = { "x" }, *const wrt[] = { "a", "b", "c", "d" };
    AcausalSimulation run = acausal_simulation();
    AcausalSensitivityReport report = { .size = sizeof report };
    run.start = 0, run.stop = 20, run.tolerance = tol, run.points = 1;
    AcausalSensitivity what = { .size = sizeof what,
                                .run = &run,
                                .of = of,
                                .of_count = 1,
                                .wrt = wrt,
                                .wrt_count = PARAMETERS,
                                .method = method };
    *seconds = INFINITY;
    for (int k = 0; k < 3; k++) {
        if (acausal_gradient(m->model, &what, &report) != ACAUSAL_DONE || report.count != PARAMETERS)
            return paper_fail(p, "%s: %s", method,
                              acausal_first_error(m->session) ? acausal_first_error(m->session) : "failed");
        *seconds = fmin(*seconds, report.cpu_seconds);
        for (int j = 0; j < PARAMETERS; j++) out[j] = report.derivatives[j]->derivative;
    }
    if (end) *end = report.derivatives[0]->value;
    return true;
}

static bool compare_ways(Paper *p)
{
    double want[PARAMETERS], got[PARAMETERS], at_tolerance[WAYS][PARAMETERS] = { { 0 } },
                                              seconds[WAYS] = { 0 }, once;
    Numbers tol = { 0 }, errors[WAYS] = { { 0 } };
    ChartSeries series[WAYS];
    PaperModel m;
    if (!paper_open_text(p, &m, "Volterra", volterra_text)) return false;
    paper_parameter(p, "x', y'", "a x - b x y, d x y - c y with (1.1, 0.4, 0.4, 0.1), from (10, 5)");
    paper_parameter(p, "wanted", "dx(20)/d(a, b, c, d)");
    bool ok = differentiate(p, &m, "forward", 1e-12, want, &once, NULL);
    for (int k = 0; k < TOLERANCES && ok; k++) NUMBER_PUSH(p, &tol, pow(10, -3 - k));
    for (int w = 0; w < WAYS && ok; w++)
        for (int k = 0; k < TOLERANCES && ok; k++) {
            double error = 0;
            ok = differentiate(p, &m, ways[w].name, tol.at[k], got, &once, NULL);
            for (int j = 0; j < PARAMETERS; j++) error = fmax(error, fabs(got[j] - want[j]) / fabs(want[j]));
            NUMBER_PUSH(p, &errors[w], error);
            if (k == 3) memcpy(at_tolerance[w], got, sizeof got), seconds[w] = once;
        }
    paper_table(p, "", "way|slide|method|error at 1e-4|at 1e-6|at 1e-8|distance to AD at 1e-6|ms at 1e-6");
    for (int w = 0; w < WAYS && ok; w++) {
        double apart = 0;
        for (int j = 0; j < PARAMETERS; j++)
            apart = fmax(apart, fabs(at_tolerance[w][j] - at_tolerance[3][j]) / fabs(at_tolerance[3][j]));
        paper_row(p, "%s|%s|--method %s|%.1e|%.1e|%.1e|%.1e|%.2f", ways[w].about, ways[w].slide, ways[w].name,
                  errors[w].at[1], errors[w].at[3], errors[w].at[5], apart, 1e3 * seconds[w]);
        series[w] = paper_series(CHART_DOTS, ways[w].name, &tol, &errors[w]);
    }
    if (ok)
        paper_chart(p, "",
                    &(Chart){ .panels = &(ChartPanel){ .series = series,
                                                       .count = WAYS,
                                                       .log_x = true,
                                                       .log_y = true,
                                                       .x_title = "tolerance",
                                                       .y_title = "relative error of the derivatives" },
                              .count = 1 });
    paper_text(p, "As the slides say: differences of whole runs lose digits, since each run chooses its own "
                  "steps; differences on the same "
                  "steps (IND) and algorithmic differentiation give the derivative of the computed numbers, "
                  "AD to rounding and IND to half of "
                  "the digits of a double; the variational equations are as exact as the tolerance. Adjoints "
                  "give the same for many "
                  "parameters at the cost of one run back.");
    paper_close(&m);
    return ok;
}

/* ---- slides 33 to 35: linear multistep methods ----------------------------------------------- */

static const Method multisteps[] = { { "adams-bashforth", "max-order=1", "Adams-Bashforth 1", 1 },
                                     { "adams-bashforth", "max-order=2", "Adams-Bashforth 2", 2 },
                                     { "adams-bashforth", "max-order=3", "Adams-Bashforth 3", 3 },
                                     { "adams-bashforth", "max-order=4", "Adams-Bashforth 4", 4 },
                                     { "adams-bashforth", "max-order=5", "Adams-Bashforth 5", 5 },
                                     { "adams", "max-order=2", "Adams-Moulton 2", 2 },
                                     { "adams", "max-order=4", "Adams-Moulton 4", 4 },
                                     { "bdf", "max-order=2", "BDF 2", 2 },
                                     { "bdf", "max-order=4", "BDF 4", 4 } };

static bool show_multistep(Paper *p)
{
    static const char *const names[] = { "Adams-Bashforth", "Adams-Moulton", "BDF" }, *const solvers[] = {
        "adams-bashforth", "adams", "bdf"
    };
    paper_table(p, "coefficients", "family|order|rho, oldest first|sigma, oldest first");
    for (int f = 0; f < 3; f++)
        for (int q = 1; q <= 5; q++) {
            LinearMethod m;
            Text row = { .arena = paper_arena(p) };
            linear_method((LinearFamily)f, q, &m);
            text_printf(&row, "%s|%d|", names[f], q);
            for (int j = 0; j <= m.k; j++) text_printf(&row, "%s%.6g", j ? " " : "", m.rho[j]);
            text_add_char(&row, '|');
            for (int j = 0; j <= m.k; j++) text_printf(&row, "%s%.6g", j ? " " : "", m.sigma[j]);
            paper_row(p, "%s", row.at);
        }
    for (int f = 0; f < 3; f++) {
        Chart chart;
        const char *why = "";
        if (!stability_chart(paper_arena(p), solver_find(solvers[f]), 0, &chart, &why))
            return paper_fail(p, "%s", why);
        paper_chart(p, solvers[f], &chart);
    }
    bool ok = measure_orders(p, multisteps, COUNT_OF(multisteps), 50, "families of linear multistep methods");
    paper_text(p, "Adams-Bashforth and Adams-Moulton methods are stable inside of their borders "
                  "(Adams-Moulton 1 and 2: left of them), BDF outside. "
                  "With variable steps and orders they are `--solver adams-bashforth`, `adams`, `bdf`; in "
                  "Nordsieck form "
                  "Adams-Bashforth is the predictor of Adams-Moulton.");
    return ok;
}

static const PaperFigure figures[] = {
    { "slide-2", "slides 2, 3", "From inputs to outputs", map_inputs },
    { "slide-4", "slides 4, 5", "Local and global error", split_error },
    { "slide-9", "slides 8, 9", "Euler against RK4", compare_euler },
    { "slide-10", "slides 10, 18, 19, 25", "Butcher tableaux", show_tableaux },
    { "slide-12", "slides 11, 12", "Step size control", control_steps },
    { "slide-14", "slides 13 to 15", "A stiff equation", show_stiffness },
    { "slide-16", "slide 16", "Stability", show_regions },
    { "slide-23", "slides 21 to 23", "Collocation methods", show_collocation },
    { "slide-28", "slides 26 to 32", "Five ways to sensitivities", compare_ways },
    { "slide-35", "slides 33 to 35", "Linear multistep methods", show_multistep },
};

const PaperDocument paper_methods = {
    .name = "methods",
    .title = "Simulation methods for differential equations",
    .source = "Moritz Diehl and Rien Quirynen, lecture of February 16, 2016",
    .about = "Runge-Kutta and multistep methods, stiffness, step sizes, sensitivities. In Acausal: `acausal "
             "solvers`, "
             "`acausal sensitivity`, methods.md, derivatives.md.",
    .figures = figures,
    .count = COUNT_OF(figures),
};
