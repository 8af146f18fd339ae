/* draw.c: what sparsing did, as pictures: Jacobian, factors and eigenvalues before and after; the
 * trade-off.
 *
 * In: a scenario and its choices. Out: SVG. The first picture has the figures of Schiela and
 * Bornemann side by side for the linearisation with the largest difference from the start: the
 * pattern of Df, of the factors in the order of their pivots, and the eigenvalues of a step in the
 * unit disc; above with the whole Jacobian, below with what is kept of it. The second shows how
 * error and eigenvalues pay for nonzeros. Cost: linear in the entries. Tests:
 * tests/cli/realtime.sh; the pictures were looked at. */
#include "realtime/inside.h"

#include <math.h>
#include <stdio.h>

enum { PANEL = 300, GAP = 60, TOP = 70, FONT = 12 };
static const char INK[] = "#222222", SOFT[] = "#888888", DROPPED[] = "#d9d9d9", KEPT[] = "#0072B2",
                  FILL[] = "#D55E00", GOOD[] = "#009E73";

static void begin(Text *out, double width, double height)
{
    text_printf(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\" "
        "font-family=\"Helvetica, Arial, sans-serif\" font-size=\"%d\">\n<rect width=\"100%%\" "
        "height=\"100%%\" "
        "fill=\"#ffffff\"/>\n",
        width, height, width, height, FONT);
}

static void label(Text *out, double x, double y, const char *anchor, const char *colour, const char *text)
{
    text_printf(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" fill=\"%s\">", x, y, anchor, colour);
    text_add_xml(out, text);
    text_add_literal(out, "</text>\n");
}

static void frame(Text *out, double x, double y)
{
    text_printf(out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%d\" height=\"%d\" fill=\"none\" stroke=\"%s\"/>\n",
                x, y, PANEL, PANEL, SOFT);
}

static void cell(Text *out, double x, double y, double size, int row, int column, const char *colour)
{
    text_printf(out, "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"%s\"/>\n",
                x + size * column, y + size * row, fmax(size, 1), fmax(size, 1), colour);
}

/* ---- patterns -------------------------------------------------------------------------------- */

static void draw_jacobian(Text *out, double x, double y, const RtScenario *s, const unsigned char *kept)
{
    const Pattern *p = s->system.pattern;
    double size = (double)PANEL / s->system.n;
    for (int j = 0; j < p->columns; j++)
        for (int e = p->start[j]; e < p->start[j + 1]; e++)
            cell(out, x, y, size, p->row[e], j, kept[e] ? KEPT : DROPPED);
    frame(out, x, y);
}

static void draw_factors(Text *out, double x, double y, const RtScenario *s, const RtMatrix *m)
{
    double size = (double)PANEL / s->system.n;
    for (int k = 0; k < m->plan->n; k++)
        for (int e = m->plan->start[k]; e < m->plan->start[k + 1]; e++)
            cell(out, x, y, size, k, m->plan->index[e], m->plan->source[e] < 0 ? FILL : KEPT);
    frame(out, x, y);
}

/* ---- eigenvalues ----------------------------------------------------------------------------- */

static void draw_eigenvalues(Text *out, double x, double y, int n, const double *lambda, const char *colour)
{
    double half = PANEL / 2.0, reach = 1.1;
    text_printf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\" fill=\"none\" stroke=\"%s\"/>\n", x + half,
                y + half, half / reach, SOFT);
    text_printf(out, "<path d=\"M%.1f %.1fH%.1fM%.1f %.1fV%.1f\" stroke=\"%s\" stroke-dasharray=\"3 3\"/>\n",
                x, y + half, x + PANEL, x + half, y, y + PANEL, DROPPED);
    for (int i = 0; i < n; i++) {
        double re = fmax(-reach, fmin(reach, lambda[2 * i])),
               im = fmax(-reach, fmin(reach, lambda[2 * i + 1]));
        double cx = x + half + half / reach * re, cy = y + half - half / reach * im;
        text_printf(out, "<path d=\"M%.1f %.1fl6 6m-6 0l6 -6\" stroke=\"%s\" fill=\"none\"/>\n", cx - 3,
                    cy - 3, colour);
    }
    frame(out, x, y);
}

/* ---- the figure ------------------------------------------------------------------------------ */

/* The linearisation that is farthest from the first. */
static int farthest(const RtScenario *s)
{
    int best = 0, which;
    double most = 0;
    for (int k = 1; k < s->count; k++) {
        double d = criterion_distance(&s->system, &s->at[0].criterion, s->at[0].df, s->at[k].df, &which);
        if (d > most) most = d, best = k;
    }
    return best;
}

static void draw_row(Text *out, const RtScenario *s, const RtPoint *p, int at, double y, const char *title,
                     Arena *scratch)
{
    const Linearisation *l = &s->at[at];
    size_t n = (size_t)s->system.n, count = (size_t)pattern_count(s->system.pattern);
    double *lambda = NEW_ARRAY(scratch, double, 2 * n + 2), *left_out = NEW_ARRAY(scratch, double, count + 1);
    double x = GAP, step = PANEL + GAP;
    char text[160];
    RtMatrix m;
    for (size_t e = 0; e < count; e++) left_out[e] = p->kept[e] ? 0 : l->df[e];
    bool has_lambda = perturbed_eigenvalues(&s->system, l->df, left_out, lambda, scratch);
    snprintf(text, sizeof text, "Df, %s: %d of %zu entries", title, p->entries, count);
    label(out, x, y - 8, "start", INK, text);
    draw_jacobian(out, x, y, s, p->kept);
    if (sparsing_matrix(scratch, s, p->kept, &m)) {
        snprintf(text, sizeof text, "factors of L - tau J: %d nonzeros, %d of them fill", m.plan->count,
                 m.plan->count - pattern_count(m.pattern));
        label(out, x + step, y - 8, "start", INK, text);
        draw_factors(out, x + step, y, s, &m);
    }
    snprintf(text, sizeof text, "eigenvalues of a step at t = %.4g", l->t);
    label(out, x + 2 * step, y - 8, "start", INK, text);
    if (has_lambda) draw_eigenvalues(out, x + 2 * step, y, s->system.n, lambda, KEPT);
}

void draw_sparsing(const RtScenario *s, const RtSparsing *sparsing, Text *out)
{
    Arena *scratch = arena_new();
    if (!scratch) return;
    int at = farthest(s);
    begin(out, 3 * PANEL + 4 * GAP, 2 * (PANEL + TOP) + GAP);
    text_printf(out, "<text x=\"%d\" y=\"28\" font-size=\"16\" fill=\"%s\">", GAP, INK);
    text_add_xml(out, s->shape->name);
    text_printf(out, ", step %g s</text>\n", s->system.tau);
    draw_row(out, s, &sparsing->exact, at, TOP, "all of it", scratch);
    draw_row(out, s, sparsing_choice(sparsing), at, 2 * TOP + PANEL, "what is kept", scratch);
    text_add_literal(out, "</svg>\n");
    arena_free(scratch);
}

/* ---- the trade-off --------------------------------------------------------------------------- */

typedef struct {
    double x, y, width, height;
    double x_least, x_most, y_least, y_most; /* y on a logarithmic scale */
} Axes;

static void place(const Axes *a, double x, double y, double *px, double *py)
{
    *px = a->x + a->width * (x - a->x_least) / (a->x_most - a->x_least);
    double share = (log10(fmax(y, a->y_least)) - log10(a->y_least)) / (log10(a->y_most) - log10(a->y_least));
    *py = a->y + a->height * (1 - fmin(share, 1));
}

static void draw_axes(Text *out, const Axes *a, const char *x_title)
{
    double px, py;
    char text[32];
    text_printf(out, "<path d=\"M%.1f %.1fV%.1fH%.1f\" stroke=\"%s\" fill=\"none\"/>\n", a->x, a->y,
                a->y + a->height, a->x + a->width, INK);
    for (double y = a->y_least; y <= a->y_most * 1.01; y *= 10) {
        place(a, a->x_least, y, &px, &py);
        snprintf(text, sizeof text, "%g", y);
        label(out, px - 6, py + 4, "end", INK, text);
        text_printf(out, "<path d=\"M%.1f %.1fH%.1f\" stroke=\"%s\"/>\n", px, py, px + a->width, DROPPED);
    }
    for (int k = 0; k <= 4; k++) {
        double x = a->x_least + (a->x_most - a->x_least) * k / 4;
        place(a, x, a->y_least, &px, &py);
        snprintf(text, sizeof text, "%.0f", x);
        label(out, px, py + 16, "middle", INK, text);
    }
    label(out, a->x + a->width / 2, a->y + a->height + 36, "middle", INK, x_title);
}

static void draw_point(Text *out, const Axes *a, const RtPoint *p, double value, const char *colour,
                       double radius)
{
    double px, py;
    place(a, p->count_lu, value, &px, &py);
    text_printf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\" fill=\"%s\" stroke=\"%s\"/>\n", px, py,
                radius, p->stable ? colour : "#ffffff", colour);
}

void draw_trade_off(const RtScenario *s, const RtSparsing *sparsing, Text *out)
{
    Axes a = { 80, 60, 520, 320, s->system.n, sparsing->exact.count_lu * 1.02 + 1, 1e-5, 10 };
    begin(out, 820, 450);
    text_printf(out, "<text x=\"80\" y=\"28\" font-size=\"16\" fill=\"%s\">", INK);
    text_add_xml(out, s->shape->name);
    text_add_literal(out, ": what leaving out entries costs</text>\n");
    draw_axes(out, &a, "nonzeros of the factors");
    for (int k = -1; k < sparsing->count; k++) {
        const RtPoint *p = k < 0 ? &sparsing->exact : &sparsing->curve[k];
        if (p->stable) draw_point(out, &a, p, p->outcome.error, KEPT, 4);
        draw_point(out, &a, p, p->deviation, FILL, 3);
    }
    const RtPoint *choice = sparsing_choice(sparsing);
    draw_point(out, &a, choice, choice->outcome.error, GOOD, 7);
    static const struct {
        const char *colour, *text;
    } legend[] = { { KEPT, "error of a run" },
                   { FILL, "deviation of eigenvalues" },
                   { GOOD, "recommended" } };
    for (int k = 0; k < 3; k++) {
        text_printf(out, "<circle cx=\"625\" cy=\"%d\" r=\"5\" fill=\"%s\"/>\n", 80 + 24 * k,
                    legend[k].colour);
        label(out, 640, 84 + 24 * k, "start", INK, legend[k].text);
    }
    label(out, 620, 84 + 24 * 3, "start", SOFT, "empty: not stable");
    text_add_literal(out, "</svg>\n");
}
