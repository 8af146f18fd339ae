/* svg.c: a picture as SVG: well-formed XML without scripts or references to anything outside.
 *
 * Coordinates are those of the class, with y downward; two decimals. In a live picture groups carry
 * data-component or data-connection, and what follows time carries it as data-dynamic, with the
 * matrix from its own units as data-matrix. Tests: tests/cli/draw.sh. */
#include "draw/inside.h"

#include <math.h>

typedef struct {
    Text *out;
    const Picture *p;
    unsigned ids; /* of gradients and clips so far */
    unsigned clips;
    const char *prefix; /* of ids: several pictures may be in one page */
} Svg;

static void add_number(Text *out, double v)
{
    if (!isfinite(v)) v = 0;
    v = fmax(-1e7, fmin(1e7, v));
    long long hundredths = llround(v * 100);
    if (hundredths < 0) text_add_char(out, '-');
    unsigned long long size = (unsigned long long)(hundredths < 0 ? -hundredths : hundredths);
    text_printf(out, "%llu", size / 100);
    if (size % 10)
        text_printf(out, ".%02llu", size % 100);
    else if (size % 100)
        text_printf(out, ".%llu", size % 100 / 10);
}

static void add_point(Text *out, Point at)
{
    add_number(out, at.x);
    text_add_char(out, ' ');
    add_number(out, -at.y);
}

static void add_path(Text *out, const DrawPath *path)
{
    static const char verbs[] = "MLC";
    for (uint32_t i = 0; i < path->n; i++) {
        const PathStep *s = &path->at[i];
        if (s->verb == PATH_CLOSE) {
            text_add_char(out, 'Z');
            continue;
        }
        text_add_char(out, verbs[s->verb]);
        for (int k = 0; k < (s->verb == PATH_CURVE ? 3 : 1); k++) {
            if (k) text_add_char(out, ' ');
            add_point(out, s->at[k]);
        }
    }
}

static void add_colour(Text *out, const char *key, Colour c)
{
    text_printf(out, " %s=\"#%02x%02x%02x\"", key, c.r, c.g, c.b);
}

/* The matrix in SVG's coordinates, where y is downward on both sides of it. */
static void add_matrix(Text *out, const Matrix *m)
{
    const double v[] = { m->a, -m->b, -m->c, m->d, m->e, -m->f };
    for (int i = 0; i < 6; i++) text_printf(out, "%s%.6g", i ? " " : "", isfinite(v[i]) ? v[i] : 0.0);
}

static void add_stop(Text *out, double at, Colour c)
{
    text_printf(out, "<stop offset=\"%g\" stop-color=\"#%02x%02x%02x\"/>", at, c.r, c.g, c.b);
}

/* A gradient in front of the path that it is for. */
static void add_gradient(Svg *s, const Paint *paint)
{
    Text *out = s->out;
    bool sphere = paint->kind == PAINT_SPHERE;
    text_printf(
        out,
        sphere ? "<radialGradient id=\"%sg%u\" gradientUnits=\"userSpaceOnUse\" cx=\"0\" cy=\"0\" r=\"1\" "
                 "gradientTransform=\"matrix("
               : "<linearGradient id=\"%sg%u\" gradientUnits=\"userSpaceOnUse\" x1=\"0\" y1=\"-1\" x2=\"0\" "
                 "y2=\"1\" gradientTransform=\"matrix(",
        s->prefix, ++s->ids);
    add_matrix(out, &paint->unit);
    text_add_literal(out, ")\">");
    add_stop(out, 0, sphere ? paint->inner : paint->edge);
    if (!sphere) add_stop(out, 0.5, paint->inner);
    add_stop(out, 1, paint->edge);
    text_add(out, sphere ? STR("</radialGradient>\n") : STR("</linearGradient>\n"));
}

static void add_json_attribute(Text *out, const char *key, const char *value)
{
    text_printf(out, " %s=\"", key);
    text_add_xml(out, value);
    text_add_char(out, '"');
}

static void write_path(Svg *s, const Item *item)
{
    Text *out = s->out;
    bool gradient = item->paint.kind == PAINT_CYLINDER || item->paint.kind == PAINT_SPHERE;
    if (gradient) add_gradient(s, &item->paint);
    text_add_literal(out, "<path");
    if (gradient)
        text_printf(out, " fill=\"url(#%sg%u)\"", s->prefix, s->ids);
    else if (item->paint.kind == PAINT_SOLID)
        add_colour(out, "fill", item->paint.inner);
    else
        text_add_literal(out, " fill=\"none\"");
    if (item->stroke.width > 0) {
        add_colour(out, "stroke", item->stroke.colour);
        text_printf(out, " stroke-width=\"%.3g\"", item->stroke.width);
        for (int i = 0; i < item->stroke.dash_count; i++)
            text_printf(out, "%s%.3g", i ? " " : " stroke-dasharray=\"", item->stroke.dashes[i]);
        if (item->stroke.dash_count) text_add_char(out, '"');
    }
    if (item->dynamic) {
        add_json_attribute(out, "data-dynamic", item->dynamic);
        text_add_literal(out, " data-matrix=\"");
        add_matrix(out, &item->matrix);
        text_add_char(out, '"');
    }
    text_add_literal(out, " d=\"");
    add_path(out, &item->path);
    text_add_literal(out, "\"/>\n");
}

static void write_text(Svg *s, const Item *item)
{
    static const char *const anchors[] = { "start", "middle", "end" };
    Text *out = s->out;
    /* from the middle of a line to what letters stand on */
    double r = item->angle * (3.14159265358979323846 / 180), down = 0.35 * item->size;
    Point base = { item->at.x + sin(r) * down, item->at.y - cos(r) * down };
    text_add_literal(out, "<text x=\"");
    add_number(out, base.x);
    text_add_literal(out, "\" y=\"");
    add_number(out, -base.y);
    text_printf(out, "\" font-size=\"%.4g\" text-anchor=\"%s\"", item->size, anchors[item->align]);
    add_colour(out, "fill", item->colour);
    if (item->bold) text_add_literal(out, " font-weight=\"bold\"");
    if (item->italic) text_add_literal(out, " font-style=\"italic\"");
    if (item->underline) text_add_literal(out, " text-decoration=\"underline\"");
    if (strcmp(item->family, "sans-serif") != 0) text_printf(out, " font-family=\"%s\"", item->family);
    if (fabs(item->angle) > 1e-6) {
        text_printf(out, " transform=\"rotate(%.6g ", -item->angle);
        add_point(out, base);
        text_add_literal(out, ")\"");
    }
    if (item->dynamic) add_json_attribute(out, "data-dynamic", item->dynamic);
    text_add_char(out, '>');
    text_add_xml(out, arena_copy(out->arena, item->text));
    text_add_literal(out, "</text>\n");
}

static void write_image(Svg *s, const Item *item)
{
    /* the unit square has its first row at the top */
    static const Matrix upright = { 1, 0, 0, -1, 0, 1 };
    Matrix m = matrix_join(&item->matrix, &upright), flip = { 1, 0, 0, -1, 0, 0 };
    Matrix down = matrix_join(&flip, &m);
    text_printf(s->out,
                "<image width=\"1\" height=\"1\" preserveAspectRatio=\"none\" transform=\"matrix(%.6g %.6g "
                "%.6g %.6g %.6g %.6g)\" href=\"data:%s;base64,",
                down.a, down.b, down.c, down.d, down.e, down.f, item->type);
    text_add_base64(s->out, item->bytes);
    text_add_literal(s->out, "\"/>\n");
}

static void write_group(Svg *s, const Item *item)
{
    Text *out = s->out;
    text_add_literal(out, "<g");
    if (s->p->options->is_live && item->role) {
        text_printf(out, " class=\"%s\" data-%s=\"", item->role,
                    !strcmp(item->role, "connection") ? "connection" : "component");
        text_add_xml(out, item->name);
        text_add_literal(out, "\" data-matrix=\"");
        add_matrix(out, &item->matrix);
        text_add_char(out, '"');
    }
    if (item->opacity < 1) text_printf(out, " opacity=\"%g\"", item->opacity);
    text_add_literal(out, ">\n");
}

static void write_item(Svg *s, const Item *item)
{
    switch (item->kind) {
    case ITEM_GROUP: write_group(s, item); break;
    case ITEM_END: text_add_literal(s->out, "</g>\n"); break;
    case ITEM_PATH: write_path(s, item); break;
    case ITEM_TEXT: write_text(s, item); break;
    case ITEM_IMAGE: write_image(s, item); break;
    case ITEM_CLIP:
        text_printf(s->out, "<clipPath id=\"%sc%u\"><path d=\"", s->prefix, ++s->clips);
        add_path(s->out, &item->path);
        text_printf(s->out, "\"/></clipPath>\n<g clip-path=\"url(#%sc%u)\">\n", s->prefix, s->clips);
        break;
    case ITEM_UNCLIP: text_add_literal(s->out, "</g>\n"); break;
    }
}

/* A name for ids that another class in the same page does not have. */
static const char *id_prefix(const Picture *p)
{
    Text name = { .arena = p->arena };
    class_full_name(p->of->cls, &name);
    return arena_printf(p->arena, "%c%08x-", p->options->is_icon ? 'i' : 'd',
                        (unsigned)name_hash((Str){ name.at, name.n }));
}

void draw_svg(Describer *d, Described *of, const DrawOptions *options, Diag *diag, Text *out)
{
    const Picture *p = picture_of(d, of, options, diag);
    Svg s = { .out = out, .p = p, .prefix = id_prefix(p) };
    Box b = picture_frame(p);
    double w = b.high.x - b.low.x, h = b.high.y - b.low.y;
    text_add_literal(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"");
    add_point(out, (Point){ b.low.x, b.high.y });
    text_add_char(out, ' ');
    add_number(out, w);
    text_add_char(out, ' ');
    add_number(out, h);
    if (!options->is_live) text_printf(out, "\" width=\"%.4g\" height=\"%.4g", 3 * w, 3 * h);
    if (options->is_live)
        text_printf(out, "\" data-frame=\"%g %g %g %g", p->frame.low.x, p->frame.low.y, p->frame.high.x,
                    p->frame.high.y);
    text_add_literal(
        out,
        "\" font-family=\"Helvetica, Arial, 'Liberation Sans', sans-serif\" stroke-linejoin=\"round\">\n");
    for (uint32_t i = 0; i < p->items.n; i++) write_item(&s, &p->items.at[i]);
    text_add_literal(out, "</svg>\n");
}
