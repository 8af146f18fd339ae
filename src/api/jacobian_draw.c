/* jacobian_draw.c: the pictures of `acausal jacobian`.
 *
 * In: an audit with its ratios. Out: ratio.svg, |y|/nominal over time with the limits below which
 * an increment by the nominal value, or by RADAU5's rule, is larger than y, so that Sterbenz' lemma
 * does not hold; steps-SOLVER.svg, steps over the constant c0 for the rules that have one. A run
 * that did not finish is a gap. Tests: tests/cli/jacobian.sh. */
#include "api/inside.h"

#include <math.h>

static const double LEAST_RATIO = 1e-20; /* smaller ones are drawn here */
enum { MOST_CURVES = 6, C0_POINTS = 10 };

static bool write_picture(JacobianWork *w, const char *name, const Plot *plot)
{
    Text out = { .arena = w->arena };
    plot_svg(plot, &(PlotStyle){ .height = 520 }, &out);
    return write_into(w->session, w->options->svg_directory, name, &out);
}

static Signal *make_signal(JacobianWork *w, const char *name, const char *unit, size_t rows)
{
    Signal *s = NEW(w->arena, Signal);
    double *at = arena_zero(w->arena, (rows + 1) * sizeof(double));
    for (size_t k = 0; k < rows; k++) at[k] = NAN;
    *s = (Signal){ name, unit, "", COLUMN_CONTINUOUS, at, 1, 1.0 };
    return s;
}

/* The unknowns whose ratio gets smallest, smallest first; zeros do not count, they are drawn
 * nowhere. */
static int choose_unknowns(JacobianWork *w, int *chosen)
{
    double least[MOST_CURVES];
    int count = 0;
    for (int i = 0; i < w->n; i++) {
        double low = INFINITY;
        for (size_t k = 0; k < w->times.n; k++) {
            double r = w->ratios.at[k * (size_t)w->n + (size_t)i];
            if (r > 0.0 && r < low) low = r;
        }
        int at = count;
        while (at > 0 && least[at - 1] > low) at--;
        if (isinf(low) || at >= MOST_CURVES) continue;
        if (count < MOST_CURVES) count++;
        for (int k = count - 1; k > at; k--) least[k] = least[k - 1], chosen[k] = chosen[k - 1];
        least[at] = low;
        chosen[at] = i;
    }
    return count;
}

static PlotCurve curve_of(const Signal *x, const Signal *y, size_t rows, size_t colour)
{
    return (PlotCurve){ .x = x, .y = y, .rows = rows, .panel = 0, .colour = (int)colour };
}

static bool draw_ratios(JacobianWork *w)
{
    static const struct {
        const char *name;
        double at;
    } limits[] = { { "limit by nominal values", 0x1p-26 },
                   { "limit of radau5", 0x1p-26 * 3.1622776601683794e-3 } };
    PlotCurve curves[MOST_CURVES + COUNT_OF(limits)];
    int chosen[MOST_CURVES], count = choose_unknowns(w, chosen);
    size_t rows = w->times.n, n = 0;
    char name[64];
    Signal x = { "time", "s", "", COLUMN_CONTINUOUS, w->times.at, 1, 1.0 };
    for (int c = 0; c < count; c++, n++) {
        const char *own =
            arena_copy(w->arena, str_of(model_name(w->model->model, chosen[c], name, sizeof name)));
        Signal *s = make_signal(w, own, "|y|/nominal", rows);
        for (size_t k = 0; k < rows; k++)
            ((double *)s->at)[k] = fmax(w->ratios.at[k * (size_t)w->n + (size_t)chosen[c]], LEAST_RATIO);
        curves[n] = curve_of(&x, s, rows, n);
    }
    for (size_t l = 0; l < COUNT_OF(limits); l++, n++) {
        Signal *s = make_signal(w, limits[l].name, "|y|/nominal", rows);
        for (size_t k = 0; k < rows; k++) ((double *)s->at)[k] = limits[l].at;
        curves[n] = curve_of(&x, s, rows, n);
        curves[n].dashed = true;
    }
    Plot plot = { .curves = curves, .count = n, .log_y = true };
    plot.title = "States over their nominal values, and Sterbenz' limit";
    return write_picture(w, "ratio.svg", &plot);
}

static bool draw_steps(JacobianWork *w, const char *solver)
{
    PlotCurve curves[16];
    size_t n = 0;
    Signal *x = make_signal(w, "c0", "", C0_POINTS);
    for (size_t r = 0; r < increment_type_count && n < COUNT_OF(curves); r++) {
        if (increment_types[r].c0 == 0.0) continue;
        Signal *s = make_signal(w, increment_types[r].name, "steps", C0_POINTS);
        for (int k = 0; k < C0_POINTS; k++) {
            double c0 = pow(10.0, k + 1 - C0_POINTS);
            JacobianRun run = jacobian_run(w, solver, &increment_types[r], c0);
            ((double *)x->at)[k] = c0;
            if (run.finished) ((double *)s->at)[k] = (double)(run.work.steps > 0 ? run.work.steps : 1);
        }
        curves[n] = curve_of(x, s, C0_POINTS, n);
        n++;
    }
    Plot plot = { .curves = curves, .count = n, .log_x = true, .log_y = true };
    plot.title = arena_printf(w->arena, "Steps of %s over c0", solver);
    return write_picture(w, arena_printf(w->arena, "steps-%s.svg", solver), &plot);
}

bool jacobian_draw(JacobianWork *w)
{
    bool ok = draw_ratios(w);
    for (size_t k = 0; k < w->options->solver_count && ok; k++) ok = draw_steps(w, w->options->solvers[k]);
    return ok;
}
