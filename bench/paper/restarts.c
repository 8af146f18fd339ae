/* restarts.c: Mohammadi, Arevalo and Fuehrer on restarts of multistep methods, made again.
 *
 * Formulas are taken as printed and judged by order conditions and by observed orders; where a
 * print errs, the table says so. Runs are of the ball of bench/hybrid, which has a closed form. */
#include "bench/hybrid/hybrid.h"
#include "bench/paper/inside.h"

#include <math.h>

enum { STAGES = 6, LADDER = 9 };

/* The tableau as derived in section 2; row 5 of the print begins with 5/12. */
static const double A[STAGES][STAGES] = {
    { 0 },
    { 1.0 / 8 },
    { 0, 3.0 / 16 },
    { 1.0 / 18, 1.0 / 12, 1.0 / 9 },
    { 5.0 / 18, -1.0 / 3, -4.0 / 9, 1 },
    { -1.0 / 4, 3.0 / 4, 1, -3.0 / 2, 3.0 / 4 },
};
static const double B[STAGES] = { 0, 0, 0, 2.0 / 3, -1.0 / 3, 2.0 / 3 };
static const double C[STAGES] = { 0, 1.0 / 8, 3.0 / 16, 1.0 / 4, 1.0 / 2, 3.0 / 4 };

/* ---- the oscillator y'' = -4 y of section 5 -------------------------------------------------- */

static void oscillator(const double *y, double *f)
{
    f[0] = y[1];
    f[1] = -4.0 * y[0];
}
static void exact(double t, double *y)
{
    y[0] = cos(2.0 * t);
    y[1] = -2.0 * sin(2.0 * t);
}
static double distance(double t, const double *y)
{
    double e[2];
    exact(t, e);
    return hypot(y[0] - e[0], y[1] - e[1]);
}

/* The slope of log error over log h, by least squares. */
static double slope_of(const Numbers *h, const Numbers *e)
{
    double sx = 0, sy = 0, sxx = 0, sxy = 0, n = 0;
    for (uint32_t i = 0; i < h->n; i++) {
        if (!(e->at[i] > 1e-12)) continue; /* rounding */
        double x = log(h->at[i]), y = log(e->at[i]);
        sx += x, sy += y, sxx += x * x, sxy += x * y, n++;
    }
    return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

/* Values at H/4, H/2, 3H/4 and H. */
static void state_starter(const double *y, double H, double g[4][2])
{
    double k[STAGES][2];
    for (int i = 0; i <= STAGES; i++) {
        double sum[2] = { y[0], y[1] };
        const double *row = i < STAGES ? A[i] : B;
        for (int j = 0; j < i; j++)
            for (int c = 0; c < 2; c++) sum[c] += H * row[j] * k[j][c];
        if (i >= 3) memcpy(g[i - 3], sum, sizeof sum);
        if (i < STAGES) oscillator(sum, k[i]);
    }
}

/* Gear's starter of order 3 (equations 15, 16, 23): y, h y', h^2 y'', h^3 y''' at the beginning. */
typedef void (*Rhs)(const double *y, double *f);

static void nordsieck_3(Rhs rhs, const double *y, double h, double z[4][2])
{
    double k[4][2], x[2];
    for (int i = 0; i < 4; i++) {
        for (int c = 0; c < 2; c++)
            x[c] = y[c] + (i == 1 ? k[0][c] : i == 2 ? k[0][c] + k[1][c] : i == 3 ? 1.5 * k[0][c] : 0.0);
        rhs(x, k[i]);
        for (int c = 0; c < 2; c++) k[i][c] *= h;
    }
    for (int c = 0; c < 2; c++) {
        z[0][c] = y[c];
        z[1][c] = k[0][c];
        z[2][c] = -5.0 / 3 * k[0][c] + 3.0 * k[1][c] - 4.0 / 3 * k[3][c];
        z[3][c] = k[0][c] - 2.0 * k[1][c] + k[2][c];
    }
}

/* That of order 4 as printed at the end of section 4. */
static void nordsieck_4(Rhs rhs, const double *y, double h, double z[5][2])
{
    static const double a[6][6] = {
        { 0 }, { 1 }, { 0, 2 }, { 0.75, 0, 2.25 }, { 0.5, 1, 0.5, 2 }, { 1.0 / 12, 2, 0.25, 2.0 / 3, 2 }
    };
    static const double gamma[6][4] = {
        { 1, -5.0 / 6, 4.0 / 9, -1.0 / 9 }, { 0 },
        { 0, 0.5, -4.0 / 9, 1.0 / 9 },      { 0, 7.0 / 3, -19.0 / 9, 7.0 / 9 },
        { 0, -3, 10.0 / 3, -4.0 / 3 },      { 0, 1, -11.0 / 9, 5.0 / 9 }
    };
    double k[6][2];
    memset(z, 0, 5 * sizeof *z);
    memcpy(z[0], y, sizeof z[0]);
    for (int i = 0; i < 6; i++) {
        double x[2] = { y[0], y[1] };
        for (int j = 0; j < i; j++)
            for (int c = 0; c < 2; c++) x[c] += a[i][j] * k[j][c];
        rhs(x, k[i]);
        for (int c = 0; c < 2; c++) k[i][c] *= h;
        for (int q = 0; q < 4; q++)
            for (int c = 0; c < 2; c++) z[q + 1][c] += gamma[i][q] * k[i][c];
    }
}

/* One step of an Adams-Moulton method of order 3 or 4; f: the three newest, that of y first. */
static void moulton(int order, double h, const double *y, double f[3][2], double *to)
{
    static const double weights[2][4] = { { 5.0 / 12, 8.0 / 12, -1.0 / 12, 0 },
                                          { 9.0 / 24, 19.0 / 24, -5.0 / 24, 1.0 / 24 } };
    const double *w = weights[order - 3];
    double r[2], b = h * w[0];
    for (int c = 0; c < 2; c++) r[c] = y[c] + h * (w[1] * f[0][c] + w[2] * f[1][c] + w[3] * f[2][c]);
    /* (I - b [0 1; -4 0]) to = r */
    double d = 1.0 + 4.0 * b * b;
    to[0] = (r[0] + b * r[1]) / d;
    to[1] = (r[1] - 4.0 * b * r[0]) / d;
}

/* y' = exp(-y), twice: y^(q) = (-1)^(q-1) (q-1)! exp(-q y) */
static void logarithm(const double *y, double *f)
{
    f[0] = exp(-y[0]);
    f[1] = exp(-y[1]);
}

typedef enum { BY_STATES, BY_NORDSIECK, BY_EULER, BY_SOLUTION, STARTS } Start;
static const char *const start_names[STARTS] = { "RK starter, state values", "RK starter, Nordsieck form",
                                                 "one step of Euler's method each", "exact values" };

/* The error at the end of a run whose first three values come from a starter. */
static double run_moulton(int order, Start start, double h, double end)
{
    double y0[2], y[2], f[3][2], values[3][2], g[4][2], z[4][2];
    exact(0, y0);
    memcpy(values[0], y0, sizeof y0);
    state_starter(y0, 4 * h, g);
    nordsieck_3(oscillator, y0, h, z);
    for (int i = 1; i < 3; i++) {
        if (start == BY_STATES) memcpy(values[i], g[i - 1], sizeof y);
        if (start == BY_SOLUTION) exact(i * h, values[i]);
        if (start == BY_EULER) {
            oscillator(values[i - 1], f[0]);
            for (int c = 0; c < 2; c++) values[i][c] = values[i - 1][c] + h * f[0][c];
        }
        for (int c = 0; c < 2 && start == BY_NORDSIECK; c++)
            values[i][c] = z[0][c] + i * z[1][c] + i * i * z[2][c] / 2 + i * i * i * z[3][c] / 6;
    }
    for (int i = 0; i < 3; i++) oscillator(values[2 - i], f[i]);
    memcpy(y, values[2], sizeof y);
    long steps = lround(end / h);
    for (long n = 2; n < steps; n++) {
        double next[2];
        moulton(order, h, y, f, next);
        memmove(f[1], f[0], 2 * sizeof f[0]);
        oscillator(next, f[0]);
        memcpy(y, next, sizeof y);
    }
    return distance(h * (double)steps, y);
}

/* ---- figure 1 -------------------------------------------------------------------------------- */

static bool draw_starter(Paper *p)
{
    static const double H = 0.9;
    Numbers t[4] = { { 0 } }, y[4] = { { 0 } };
    double g[4][2], y0[2], k[STAGES][2], x[2];
    exact(0.35, y0);
    paper_parameter(p, "y''", "-4 y from an event at t = 0, H = %g", H);
    for (int i = -60; i <= 120; i++) { /* before the event: another f */
        double s = i * H / 100;
        NUMBER_PUSH(p, &t[i > 0], s);
        NUMBER_PUSH(p, &y[i > 0], i > 0 ? cos(2 * (0.35 + s)) : y0[0] + 1.1 * s);
    }
    state_starter(y0, H, g);
    for (int i = 0; i < STAGES; i++) {
        memcpy(x, y0, sizeof x);
        for (int j = 0; j < i; j++)
            for (int c = 0; c < 2; c++) x[c] += H * A[i][j] * k[j][c];
        oscillator(x, k[i]);
        NUMBER_PUSH(p, &t[i < 3 ? 2 : 3], H * C[i]);
        NUMBER_PUSH(p, &y[i < 3 ? 2 : 3], x[0]);
    }
    NUMBER_PUSH(p, &t[3], H);
    NUMBER_PUSH(p, &y[3], g[3][0]);
    ChartSeries series[] = { paper_series(CHART_LINE, "before the event", &t[0], &y[0]),
                             paper_series(CHART_LINE, "solution after it", &t[1], &y[1]),
                             paper_series(CHART_POINTS, "stages of lower order", &t[2], &y[2]),
                             paper_series(CHART_DOTS, "stages of order 3 and the result", &t[3], &y[3]) };
    series[0].colour = CHART_GREY;
    series[3].dashed = true;
    Chart chart = { .panels =
                        &(ChartPanel){
                            .series = series, .count = 4, .x_title = "t after the event", .y_title = "y" },
                    .count = 1 };
    paper_chart(p, "", &chart);
    paper_table(p, "stages", "stage|c|value|error");
    for (int i = 3; i < 7; i++) {
        double c = i < STAGES ? C[i] : 1.0, v = g[i - 3][0];
        paper_row(p, "%s|%g|%.9f|%.2e",
                  i < STAGES ? (i == 3   ? "4"
                                : i == 4 ? "5"
                                         : "6")
                             : "result",
                  c, v, fabs(v - cos(2 * (0.35 + c * H))));
    }
    paper_text(
        p,
        "One step of six stages over H gives values on an equidistant grid with h = H/4: what a "
        "multistep method of order 3 or 4 needs to go on with. The second and third stage are of lower order "
        "and are not used.");
    return true;
}

/* ---- sections 2 and 3: coefficients ---------------------------------------------------------- */

static double apply(const double *w, const double *v, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum += w[i] * v[i];
    return sum;
}

static bool check_conditions(Paper *p)
{
    double one[STAGES], c2[STAGES], c3[STAGES], ac[STAGES] = { 0 }, cac[STAGES], ac2[STAGES] = { 0 },
                                                aac[STAGES] = { 0 };
    for (int i = 0; i < STAGES; i++) one[i] = 1, c2[i] = C[i] * C[i], c3[i] = C[i] * C[i] * C[i];
    for (int i = 0; i < STAGES; i++)
        ac[i] = apply(A[i], C, i), ac2[i] = apply(A[i], c2, i), cac[i] = C[i] * ac[i];
    for (int i = 0; i < STAGES; i++) aac[i] = apply(A[i], ac, i);
    const struct {
        int order;
        const char *condition;
        const double *vector;
        double want;
    } rows[] = { { 1, "b'e", one, 1 },
                 { 2, "b'Ce", C, 1.0 / 2 },
                 { 3, "b'C^2e", c2, 1.0 / 3 },
                 { 3, "b'ACe", ac, 1.0 / 6 },
                 { 4, "b'C^3e", c3, 1.0 / 4 },
                 { 4, "b'CACe", cac, 1.0 / 8 },
                 { 4, "b'AC^2e", ac2, 1.0 / 12 },
                 { 4, "b'A^2Ce", aac, 1.0 / 24 } };
    paper_table(p, "", "order|condition|should be|is|violation");
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        double is = apply(B, rows[i].vector, STAGES);
        paper_row(p, "%d|%s|%.10g|%.10g|%.1e", rows[i].order, rows[i].condition, rows[i].want, is,
                  fabs(is - rows[i].want));
    }
    paper_table(p, "stages", "stage|row sum - c|a'Ce - c^2/2|a'C^2e - c^3/3|a'ACe - c^3/6");
    for (int i = 3; i < STAGES; i++)
        paper_row(p, "%d|%.1e|%.1e|%.1e|%.1e", i + 1, apply(A[i], one, i) - C[i], ac[i] - c2[i] / 2,
                  ac2[i] - c3[i] / 3, aac[i] - c3[i] / 6);
    paper_text(p, "The fifth row is printed with 5/12 as its first number, so that it sums to 23/36 instead "
                  "of c = 1/2; with 5/18 all "
                  "conditions hold. The right-hand side of the Vandermonde system for b is printed in "
                  "reverse order, too; the "
                  "solution that follows it is the right one.");
    return true;
}

static bool show_estimates(Paper *p)
{
    static const char *const predictor[] = { "-1/4", "3/4", "1", "-67/48", "5/12", "23/48", "" },
                             *const corrector[] = { "-1/4", "3/4", "1", "-3/2", "35/48", "1/6", "5/48" };
    static const double bashforth[3] = { 5.0 / 12, -16.0 / 12, 23.0 / 12 },
                        moulton_3[3] = { -1.0 / 12, 8.0 / 12, 5.0 / 12 };
    double bhat[STAGES + 1] = { 0 }, btilde[STAGES + 1] = { 0 };
    for (int j = 0; j < 5; j++) bhat[j] = btilde[j] = A[5][j];
    for (int i = 0; i < 3; i++) bhat[3 + i] += bashforth[i] / 4, btilde[4 + i] += moulton_3[i] / 4;
    paper_table(p, "", "j|b^ printed|b^|e^ = b - b^|b~ printed|b~|e~ = b - b~");
    for (int j = 0; j < 7; j++) {
        double b = j < STAGES ? B[j] : 0;
        paper_row(p, "%d|%s|%.6f|%.6f|%s|%.6f|%.6f", j + 1, predictor[j], bhat[j], b - bhat[j], corrector[j],
                  btilde[j], b - btilde[j]);
    }
    paper_text(
        p, "Both estimates are differences to formulas of order 3 over the last quarter: the predictor "
           "(Adams-Bashforth, equations 10 to 12) and the corrector (Adams-Moulton, 13). Computed here "
           "from the tableau, they agree with the print; the sums that use them need the factor H, not h.");
    return true;
}

/* ---- section 4: Nordsieck form --------------------------------------------------------------- */

static bool check_nordsieck(Paper *p)
{
    static const double derivative[5] = { 0, 1, -1, 2, -6 }; /* times exp(-q y) */
    Numbers h = { 0 }, e[2][4] = { { { 0 } } };
    double y0[2] = { 0.3, 0.3 };
    for (int k = 0; k < 6; k++) {
        double z[5][2], step = 0.2 * pow(0.5, k);
        NUMBER_PUSH(p, &h, step);
        for (int which = 0; which < 2; which++) {
            if (which)
                nordsieck_4(logarithm, y0, step, z);
            else
                nordsieck_3(logarithm, y0, step, z);
            for (int q = 1; q <= 3 + which; q++) {
                double want = pow(step, q) * derivative[q] * exp(-q * y0[0]);
                NUMBER_PUSH(p, &e[which][q - 1], fabs(z[q][0] - want));
            }
        }
    }
    paper_table(
        p, "", "derivative|order of its error, third-order starter|should be|fourth-order starter|should be");
    for (int q = 1; q <= 4; q++) {
        const char *third = q == 1  ? "exact"
                            : q > 3 ? ""
                                    : arena_printf(paper_arena(p), "%.2f", slope_of(&h, &e[0][q - 1]));
        paper_row(p, "h^%d y^(%d)|%s|%s|%s|%s", q, q, third,
                  q > 3    ? ""
                  : q == 1 ? ""
                           : "4",
                  q == 1 ? "exact" : arena_printf(paper_arena(p), "%.2f", slope_of(&h, &e[1][q - 1])),
                  q == 1 ? "" : "5");
    }
    paper_text(p,
               "Observed on y' = exp(-y) with steps from 0.2 to 0.2/32, from equations 15, 16 and 23 and the "
               "matrices at the end of section 4 as printed. The columns are h^q y^(q), without the factor "
               "1/q! of a "
               "Nordsieck array. Order 5 is approached from below.");
    return true;
}

/* ---- figure 2 -------------------------------------------------------------------------------- */

static bool test_orders(Paper *p)
{
    static const double end = 2.0;
    Numbers h = { 0 }, own[4] = { { 0 } }, run[2][STARTS] = { { { 0 } } };
    double y0[2], g[4][2];
    exact(0, y0);
    paper_parameter(p, "y''", "-4 y, y(0) = 1, y'(0) = 0 until t = %g", end);
    for (int k = 0; k < LADDER; k++) {
        double step = 0.1 * pow(0.5, k);
        NUMBER_PUSH(p, &h, step);
        state_starter(y0, 4 * step, g);
        for (int i = 0; i < 4; i++) NUMBER_PUSH(p, &own[i], distance((i + 1) * step, g[i]));
        for (int o = 0; o < 2; o++)
            for (int s = 0; s < STARTS; s++)
                NUMBER_PUSH(p, &run[o][s], run_moulton(3 + o, (Start)s, step, end));
    }
    ChartSeries series[3][4];
    static const char *const stages[] = { "at h", "at 2h", "at 3h", "at 4h = H" };
    for (int i = 0; i < 4; i++) {
        series[0][i] = paper_series(CHART_DOTS, stages[i], &h, &own[i]);
        for (int o = 0; o < 2; o++)
            series[1 + o][i] = paper_series(CHART_DOTS, start_names[i], &h, &run[o][i]);
    }
    ChartPanel panels[3] = { { .title = "values of the starter", .series = series[0] },
                             { .title = "Adams-Moulton of order 3", .series = series[1] },
                             { .title = "Adams-Moulton of order 4", .series = series[2] } };
    for (int i = 0; i < 3; i++) {
        panels[i].count = 4;
        panels[i].log_x = panels[i].log_y = true;
        panels[i].x_title = "h";
        panels[i].y_title = "error";
    }
    paper_chart(p, "", &(Chart){ .panels = panels, .count = 3 });
    paper_table(p, "slopes", "start|observed order with order 3|published|with order 4");
    for (int s = 0; s < STARTS; s++)
        paper_row(p, "%s|%.2f|%s|%.2f", start_names[s], slope_of(&h, &run[0][s]), s < 2 ? "3" : "",
                  slope_of(&h, &run[1][s]));
    paper_text(
        p,
        "Errors of the starter's values at H/4, H/2 and 3H/4 fall with order %.1f, %.1f and %.1f (4 is "
        "that of third-order values), that of its result with %.1f. Both starters keep the third order of "
        "the "
        "method; started by Euler's method only the second is left. With the three-step formula "
        "proper, which is of order 4, the same values of order 3 suffice for order 4: a start is made once, "
        "and its "
        "local error h^4 is not summed up.",
        slope_of(&h, &own[0]), slope_of(&h, &own[1]), slope_of(&h, &own[2]), slope_of(&h, &own[3]));
    return true;
}

/* ---- the ball -------------------------------------------------------------------------------- */

static const char ball_text[] =
    "model Ball\n  parameter Real d = 0.1;\n  parameter Real c = 0.88;\n  Real y(start = -0.63, fixed = "
    "true);\n"
    "  Real v(start = 0, fixed = true);\n  Boolean armed(start = true, fixed = true);\n"
    "equation\n  der(y) = v;\n  der(v) = 9.81 - d * y;\n"
    "  when v > 0 then\n    armed = true;\n  elsewhen y > 0 then\n    armed = false;\n    reinit(v, -c * "
    "v);\n"
    "    reinit(y, 0);\n  end when;\nend Ball;\n";
static const double BALL_END = 5.1358, BALL_TOLERANCE = 1e-8;

static bool open_ball(Paper *p, PaperModel *m)
{
    paper_parameter(p, "d", "0.1");
    paper_parameter(p, "c", "0.88");
    paper_parameter(p, "drop", "0.63 until t = %g", BALL_END);
    paper_parameter(p, "tolerance", "%g", BALL_TOLERANCE);
    return paper_open_text(p, m, "Ball", ball_text);
}

static bool draw_ball(Paper *p)
{
    PaperModel m;
    PaperOutcome out;
    Numbers t, y, v;
    if (!open_ball(p, &m)) return false;
    paper_run(
        &m,
        &(PaperRun){
            .solver = "adams", .stop = BALL_END, .tolerance = BALL_TOLERANCE, .points = 1000, .keep = true },
        &out);
    bool ok = paper_signal(p, out.report.result, "time", &t) && paper_signal(p, out.report.result, "y", &y) &&
              paper_signal(p, out.report.result, "v", &v);
    for (uint32_t i = 0; ok && i < y.n; i++) y.at[i] = -y.at[i], v.at[i] = -v.at[i];
    ChartSeries series[2] = { paper_series(CHART_LINE, NULL, &t, &y),
                              paper_series(CHART_LINE, NULL, &t, &v) };
    series[1].colour = 2;
    ChartPanel panels[2] = {
        { .title = "height", .series = &series[0], .count = 1, .x_title = "t [s]" },
        { .title = "speed, upwards", .series = &series[1], .count = 1, .x_title = "t [s]" }
    };
    if (ok) paper_chart(p, "", &(Chart){ .panels = panels, .count = 2 });
    paper_text(p, "The print does not say from where the ball falls; from 0.63 it bounces 19 times until t = "
                  "5.1358, with as many "
                  "turning points: 38 events as in table 1. The force is written with the position, not the "
                  "speed, as printed, so that the "
                  "solution between bounces is an arc of an oscillation in closed form.");
    paper_free_run(&out);
    paper_close(&m);
    return ok;
}

static const struct {
    const char *name, *option;
} restarts[] = { { "classic: order 1", "restart=classic" }, { "Runge-Kutta starter", "restart=rk-state" } };

static bool compare_histories(Paper *p)
{
    PaperModel m;
    Numbers t[2], size[2], order[2];
    long steps[2] = { 0 };
    bool ok = open_ball(p, &m);
    if (!ok) return false;
    for (int k = 0; k < 2 && ok; k++) {
        PaperOutcome out;
        paper_run(&m,
                  &(PaperRun){ .solver = "adams",
                               .stop = BALL_END,
                               .tolerance = BALL_TOLERANCE,
                               .points = 1,
                               .options = { restarts[k].option },
                               .keep_steps = true },
                  &out);
        ok = paper_signal(p, out.report.steps, "time", &t[k]) &&
             paper_signal(p, out.report.steps, "log10_step", &size[k]) &&
             paper_signal(p, out.report.steps, "order", &order[k]);
        for (uint32_t i = 0; ok && i < size[k].n; i++) size[k].at[i] = pow(10.0, size[k].at[i]);
        steps[k] = out.work.steps;
        paper_free_run(&out);
    }
    ChartSeries series[2][2];
    for (int k = 0; k < 2 && ok; k++) {
        series[0][k] = paper_series(CHART_DOTS, restarts[k].name, &t[k], &size[k]);
        series[1][k] = paper_series(CHART_DOTS, restarts[k].name, &t[k], &order[k]);
    }
    ChartPanel panels[2] = { { .series = series[0], .count = 2, .log_y = true, .y_title = "step [s]" },
                             { .series = series[1], .count = 2, .y_title = "order", .x_title = "t [s]" } };
    if (ok)
        paper_chart(p, "",
                    &(Chart){ .panels = panels, .count = 2, .across = 1, .width = 800, .height = 220 });
    paper_text(p,
               "Both runs over one another: %ld steps that begin each bounce at order 1, against %ld that "
               "begin with a "
               "starter. As in the print, the classic start recovers the step size in a few steps; the dips "
               "of order are what costs. Turning points restart the method, too, in this model.",
               steps[0], steps[1]);
    paper_close(&m);
    return ok;
}

static bool count_work(Paper *p)
{
    static const struct {
        const char *solver, *name;
        Starter starter;
        const char *published[4];
    } rows[] = {
        { "switching", "classic, LSODAR's class", STARTER_CLASSIC, { "455", "1027", "919", "38" } },
        { "switching",
          "Runge-Kutta starter, LSODAR's class",
          STARTER_RK_STATE,
          { "129", "428", "538", "37" } },
        { "adams", "classic", STARTER_CLASSIC, { "" } },
        { "adams", "Runge-Kutta starter, state values", STARTER_RK_STATE, { "" } },
        { "adams", "Runge-Kutta starter, Nordsieck form", STARTER_RK_NORDSIECK, { "" } },
        { "adams", "what Acausal does by itself", STARTER_AUTO, { "" } },
        { "cvode-adams", "CVODE, made anew", STARTER_AUTO, { "" } },
        { "dopri5", "one-step, for comparison", STARTER_AUTO, { "" } },
    };
    const HybridProblem *ball = NULL;
    for (size_t i = 0; i < hybrid_problem_count; i++)
        if (!strcmp(hybrid_problems[i]->name, "ball")) ball = hybrid_problems[i];
    double end[2];
    HybridRun run;
    long first = 0, best = 0;
    if (!ball || !hybrid_reference(ball, end)) return paper_fail(p, "the ball has no reference");
    paper_parameter(p, "relative and absolute tolerance", "%g", BALL_TOLERANCE);
    paper_parameter(p, "end", "t = %g", ball->t_end);
    paper_table(
        p, "", "method|restart|steps|published|f|published|event functions|published|events|published|error");
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        hybrid_run(ball, solver_find(rows[i].solver), rows[i].starter, BALL_TOLERANCE, end, NULL, &run);
        if (!run.finished) return paper_fail(p, "%s: %s", rows[i].solver, run.failure.text);
        const char *const *was = rows[i].published;
        long f = run.stats.f + run.stats.f_jacobian;
        if (i == 2) first = f;
        if (i == 5) best = f;
        paper_row(p, "%s|%s|%ld|%s|%ld|%s|%ld|%s|%ld|%s|%.1e", rows[i].solver, rows[i].name, run.stats.steps,
                  was[0] ? was[0] : "", f, was[0] && was[1] ? was[1] : "", run.stats.indicators,
                  was[0] && was[2] ? was[2] : "", run.events + run.time_events,
                  was[0] && was[3] ? was[3] : "", run.error);
    }
    paper_text(p,
               "Published was a gain of 58 %% in evaluations; here it is %.0f %%, from a smaller number to "
               "begin with. "
               "Numbers differ since the height of the drop is not given, and since roots are found here on "
               "the step's polynomial, "
               "which takes no evaluations of f. The last two rows of 'adams' show what came after the "
               "print: starters of "
               "three lengths, chosen by what the events before have shown.",
               100.0 * (1.0 - (double)best / (double)first));
    return true;
}

/* Restarts with steps of one size, where the start is all that can go wrong. */
static bool fix_steps(Paper *p)
{
    static const struct {
        const char *solver, *option, *name;
    } rows[] = { { "adams", "restart=classic", "Adams, order 1 after events" },
                 { "adams", "restart=rk-state", "Adams, Runge-Kutta starter" },
                 { "rk4", NULL, "one-step: rk4" } };
    enum { SIZES = 6 };
    Numbers h = { 0 }, e[COUNT_OF(rows)] = { { 0 } };
    PaperModel m;
    double end[2];
    const HybridProblem *ball = hybrid_problems[0];
    for (size_t i = 0; i < hybrid_problem_count; i++)
        if (!strcmp(hybrid_problems[i]->name, "ball")) ball = hybrid_problems[i];
    if (!hybrid_reference(ball, end) || !open_ball(p, &m)) return false;
    bool ok = true;
    paper_table(p, "", "step|classic|starter|rk4");
    for (int k = 0; k < SIZES && ok; k++) {
        double step = 0.02 * pow(0.5, k), error[COUNT_OF(rows)];
        char text[40];
        snprintf(text, sizeof text, "fixed-step=%.17g", step);
        NUMBER_PUSH(p, &h, step);
        for (size_t i = 0; i < COUNT_OF(rows) && ok; i++) {
            PaperOutcome out;
            Numbers y;
            paper_run(&m,
                      &(PaperRun){ .solver = rows[i].solver,
                                   .stop = BALL_END,
                                   .points = 1,
                                   .options = { text, rows[i].option },
                                   .keep = true },
                      &out);
            ok = out.finished ? paper_signal(p, out.report.result, "y", &y)
                              : paper_fail(p, "%s: %s", rows[i].solver, out.report.message);
            error[i] = ok ? fabs(y.at[y.n - 1] - end[0]) : NAN;
            NUMBER_PUSH(p, &e[i], error[i]);
            paper_free_run(&out);
        }
        if (ok) paper_row(p, "%.6f|%.2e|%.2e|%.2e", step, error[0], error[1], error[2]);
    }
    ChartSeries series[COUNT_OF(rows)];
    for (size_t i = 0; i < COUNT_OF(rows); i++) series[i] = paper_series(CHART_DOTS, rows[i].name, &h, &e[i]);
    if (ok)
        paper_chart(p, "",
                    &(Chart){ .panels = &(ChartPanel){ .series = series,
                                                       .count = COUNT_OF(rows),
                                                       .log_x = true,
                                                       .log_y = true,
                                                       .x_title = "step",
                                                       .y_title = "error of the position" },
                              .count = 1 });
    paper_text(p, "Beyond the print: with steps of one size there is no error control that could hide a bad "
                  "start. At order 1 each start leaves an error "
                  "of order 2; the starter keeps the method's own.");
    paper_close(&m);
    return ok;
}

static const PaperFigure figures[] = {
    { "figure-1", "section 2", "A Runge-Kutta starter after a discontinuity", draw_starter },
    { "table-orders", "section 2, equations 4 to 9", "Order conditions of the starter", check_conditions },
    { "table-estimates", "section 3, equations 10 to 13", "Error estimates of the starter", show_estimates },
    { "table-nordsieck", "section 4, equations 14 to 24", "The starter in Nordsieck form", check_nordsieck },
    { "figure-2", "section 5", "Both starters keep order 3", test_orders },
    { "figure-3", "section 6", "The bouncing ball", draw_ball },
    { "figure-4", "section 6", "Step size and order with both restarts", compare_histories },
    { "table-1", "section 6", "What the runs cost", count_work },
    { "fixed-steps", "beyond the paper", "Restarts with fixed steps", fix_steps },
};

const PaperDocument paper_restarts = {
    .name = "restarts",
    .title = "Restarting algorithms for simulation problems with discontinuities",
    .source = "Fatemeh Mohammadi, Carmen Arévalo and Claus Führer, Lund University",
    .about = "How multistep methods go on after events at their working order. In Acausal: `--option "
             "restart=auto|classic|rk-state|rk-nordsieck`, methods.md, and `acausal bench hybrid`.",
    .figures = figures,
    .count = COUNT_OF(figures),
};
