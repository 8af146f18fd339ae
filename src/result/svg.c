/* svg.c: a canvas that writes SVG.
 *
 * Always: well-formed XML; texts are escaped; numbers have one decimal, a tenth of a pixel. Cost:
 * linear in points. Tests: tests/result/plot_test.c. */
#include "result/inside.h"

#include <stdio.h>

typedef struct {
    Canvas canvas;
    Text *out;
    unsigned clips;
} Svg;

static void svg_begin(Canvas *canvas, double width, double height, const char *paper)
{
    text_printf(((Svg *)canvas)->out,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f "
                "%.0f\" font-family=\"Helvetica, Arial, 'Liberation Sans', sans-serif\">\n"
                "<rect width=\"%.0f\" height=\"%.0f\" fill=\"%s\"/>\n",
                width, height, width, height, width, height, paper);
}

/* A number with at most one decimal, without a zero after the point. */
static char *put_number(char *at, float value)
{
    long tenths = lroundf(value * 10.0f);
    if (tenths < 0) *at++ = '-', tenths = -tenths;
    at += snprintf(at, 16, "%ld", tenths / 10);
    if (tenths % 10) *at++ = '.', *at++ = (char)('0' + tenths % 10);
    return at;
}

static void svg_path(Canvas *canvas, const Path *path, const Ink *ink)
{
    Text *out = ((Svg *)canvas)->out;
    if (!path->n) return;
    text_printf(out, "<path fill=\"%s\"", ink->width > 0.0 ? "none" : ink->colour);
    if (ink->width > 0.0)
        text_printf(out, " stroke=\"%s\" stroke-width=\"%.2g\" stroke-linejoin=\"round\"", ink->colour,
                    ink->width);
    if (ink->opacity > 0.0) text_printf(out, " opacity=\"%.2g\"", ink->opacity);
    if (ink->dash > 0.0) text_printf(out, " stroke-dasharray=\"%g %g\"", ink->dash, ink->gap);
    text_add_literal(out, " d=\"");
    bool fresh = true;
    for (uint32_t i = 0; i < path->n; i++) {
        char room[48], *at = room;
        Vertex v = path->at[i];
        if (isnan(v.x)) {
            fresh = true;
            continue;
        }
        *at++ = fresh ? 'M' : 'L';
        at = put_number(at, v.x);
        *at++ = ' ';
        at = put_number(at, v.y);
        text_add(out, (Str){ room, (size_t)(at - room) });
        fresh = false;
    }
    text_add(out, ink->width > 0.0 ? STR("\"/>\n") : STR("Z\"/>\n"));
}

static void svg_label(Canvas *canvas, const CanvasLabel *l)
{
    static const char *const anchors[] = { "start", "middle", "end" };
    Text *out = ((Svg *)canvas)->out;
    if (l->upright)
        text_printf(out, "<text transform=\"translate(%.1f %.1f) rotate(-90)\"", l->x, l->y);
    else
        text_printf(out, "<text x=\"%.1f\" y=\"%.1f\"", l->x, l->y);
    text_printf(out, " font-size=\"%g\"%s text-anchor=\"%s\" fill=\"%s\">", l->size,
                l->bold ? " font-weight=\"bold\"" : "", anchors[l->anchor], l->colour);
    text_add_xml(out, l->text);
    text_add_literal(out, "</text>\n");
}

static void svg_clip(Canvas *canvas, double x, double y, double width, double height)
{
    Svg *svg = (Svg *)canvas;
    text_printf(
        svg->out,
        "<clipPath id=\"p%u\"><rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/></clipPath>\n"
        "<g clip-path=\"url(#p%u)\">\n",
        svg->clips, x, y, width, height, svg->clips);
    svg->clips++;
}

static void svg_unclip(Canvas *canvas) { text_add_literal(((Svg *)canvas)->out, "</g>\n"); }
static void svg_end(Canvas *canvas) { text_add_literal(((Svg *)canvas)->out, "</svg>\n"); }

void svg_of_draw(Draw draw, const void *what, Text *out)
{
    static const CanvasType type = { svg_begin, svg_path, svg_label, svg_clip, svg_unclip, svg_end };
    Svg svg = { { &type, out->arena }, out, 0 };
    draw(what, &svg.canvas);
}
