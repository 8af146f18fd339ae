/* shape.c: the primitives of annotations as paths: lines with arrows, polygons, rectangles,
 * ellipses, with fills and patterns.
 *
 * Points are transformed here; what comes out is in the coordinates of the class that is drawn.
 * What an annotation leaves out has the default of the specification (18.6). A width counts in
 * units of the whole picture, so that lines of small icons stay as thick as others. Cost: linear.
 * Tests: tests/cli/draw.sh. */
#include "draw/inside.h"

#include <math.h>

static const double PI = 3.14159265358979323846;
static const Colour black = { 0, 0, 0 };

/* ---- reading data ---------------------------------------------------------------------------- */

static uint8_t colour_part(const Datum *datum)
{
    double v = datum->kind == DATUM_NUMBER && isfinite(datum->number) ? datum->number : 0;
    return (uint8_t)fmin(255, fmax(0, round(v)));
}

Colour colour_of(const Datum *of, const char *key, Colour otherwise)
{
    const Datum *c = datum_member(of, key);
    if (!c || c->kind != DATUM_LIST || c->n != 3) return otherwise;
    return (Colour){ colour_part(c->at[0]), colour_part(c->at[1]), colour_part(c->at[2]) };
}

bool point_of(const Datum *datum, Point *point)
{
    datum = datum_static(datum);
    if (!datum || datum->kind != DATUM_LIST || datum->n != 2) return false;
    const Datum *x = datum_static(datum->at[0]), *y = datum_static(datum->at[1]);
    if (x->kind != DATUM_NUMBER || y->kind != DATUM_NUMBER || !isfinite(x->number) || !isfinite(y->number))
        return false;
    *point = (Point){ x->number, y->number };
    return true;
}

bool extent_of(const Datum *of, const char *key, Box *box)
{
    const Datum *e = datum_member(of, key);
    return e && e->kind == DATUM_LIST && e->n == 2 && point_of(e->at[0], &box->low) &&
           point_of(e->at[1], &box->high);
}

void picture_warn(Picture *p, Span span, const char *format, ...)
{
    Text text = { .arena = p->arena };
    va_list args;
    va_start(args, format);
    text_vprintf(&text, format, args);
    va_end(args);
    for (uint32_t i = 0; i < p->diag->notes.n; i++) {
        const Note *note = p->diag->notes.at[i];
        if (note->code == W_DRAWING && note->span.at == span.at && note->span.n == span.n) return;
    }
    diag_add(p->diag, W_DRAWING, span, "%s", text.at);
}

/* ---- items ----------------------------------------------------------------------------------- */

static void grow_box(Picture *p, Point at)
{
    if (!isfinite(at.x) || !isfinite(at.y)) return;
    if (!p->has_items) p->box = (Box){ at, at };
    p->has_items = true;
    p->box.low = (Point){ fmin(p->box.low.x, at.x), fmin(p->box.low.y, at.y) };
    p->box.high = (Point){ fmax(p->box.high.x, at.x), fmax(p->box.high.y, at.y) };
}

void picture_add(Picture *p, const Item *item)
{
    vec_push(p->arena, &p->items, *item);
    for (uint32_t i = 0; item->kind == ITEM_PATH && i < item->path.n; i++) {
        const PathStep *s = &item->path.at[i];
        for (int k = 0; k < (s->verb == PATH_CURVE ? 3 : s->verb == PATH_CLOSE ? 0 : 1); k++)
            grow_box(p, s->at[k]);
    }
    if (item->kind == ITEM_TEXT) {
        double w = label_width(item->text, item->bold) * item->size, h = item->size / 2;
        double left = item->align == ALIGN_LEFT ? 0 : item->align == ALIGN_MIDDLE ? -w / 2 : -w;
        double c = cos(item->angle * PI / 180), s = sin(item->angle * PI / 180);
        for (int i = 0; i < 4; i++) {
            double x = left + (i & 1 ? w : 0), y = i & 2 ? h : -h;
            grow_box(p, (Point){ item->at.x + c * x - s * y, item->at.y + s * x + c * y });
        }
    }
    for (int i = 0; item->kind == ITEM_IMAGE && i < 4; i++)
        grow_box(p, matrix_apply(&item->matrix, i & 1, i >> 1));
}

static void add_step(Picture *p, DrawPath *path, const Matrix *m, PathVerb verb, double x, double y)
{
    PathStep step = { verb, { matrix_apply(m, x, y) } };
    vec_push(p->arena, path, step);
}

static void add_curve(Picture *p, DrawPath *path, const Matrix *m, Point a, Point b, Point to)
{
    PathStep step = { PATH_CURVE,
                      { matrix_apply(m, a.x, a.y), matrix_apply(m, b.x, b.y), matrix_apply(m, to.x, to.y) } };
    vec_push(p->arena, path, step);
}

static void close_path(Picture *p, DrawPath *path)
{
    vec_push(p->arena, path, ((PathStep){ PATH_CLOSE, { { 0, 0 } } }));
}

/* ---- strokes and fills ----------------------------------------------------------------------- */

/* Thin lines keep their width wherever an icon is; thick ones are part of what is drawn. */
static double stroke_width(double thickness, const Matrix *m)
{
    double thin = fmin(thickness, 0.5);
    return fmax(thin, thickness * fmin(1, matrix_scale(m)));
}

static Stroke stroke_of(const Datum *shape, const char *thickness_key, const char *colour_key,
                        const char *pattern_key, const Matrix *m)
{
    static const struct {
        const char *name;
        int n;
        double dashes[6];
    } patterns[] = { { "Dash", 2, { 4, 2 } },
                     { "Dot", 2, { 0.6, 1.4 } },
                     { "DashDot", 4, { 4, 1.4, 0.6, 1.4 } },
                     { "DashDotDot", 6, { 4, 1.4, 0.6, 1.4, 0.6, 1.4 } } };
    Stroke s = { .colour = colour_of(shape, colour_key, black) };
    Str pattern = datum_text(shape, pattern_key);
    double thickness = datum_number(shape, thickness_key, 0.25);
    s.width = str_is(pattern, "None") || thickness < 0 ? 0 : stroke_width(fmax(thickness, 0.05), m);
    for (size_t i = 0; i < COUNT_OF(patterns); i++) {
        if (!str_is(pattern, patterns[i].name)) continue;
        double unit = fmax(0.5, s.width);
        s.dash_count = patterns[i].n;
        for (int k = 0; k < s.dash_count; k++) s.dashes[k] = patterns[i].dashes[k] * unit;
    }
    return s;
}

/* `unit` maps the square of -1 to 1 to the shape. */
static Paint paint_of(const Datum *shape, const Matrix *unit)
{
    Str pattern = datum_text(shape, "fillPattern");
    Paint paint = { .kind = PAINT_NONE,
                    .inner = colour_of(shape, "fillColor", black),
                    .edge = colour_of(shape, "lineColor", black),
                    .unit = *unit };
    if (!pattern.n || str_is(pattern, "None")) return paint;
    paint.kind = PAINT_SOLID;
    if (str_is(pattern, "Sphere")) paint.kind = PAINT_SPHERE;
    if (str_is(pattern, "HorizontalCylinder")) paint.kind = PAINT_CYLINDER;
    if (str_is(pattern, "VerticalCylinder")) {
        Matrix swap = { 0, 1, 1, 0, 0, 0 };
        paint.kind = PAINT_CYLINDER;
        paint.unit = matrix_join(unit, &swap);
    }
    return paint;
}

/* Hatching is lines across the shape's box, clipped by its outline. */
static void add_hatching(Picture *p, const DrawPath *outline, const Datum *shape, const Matrix *unit)
{
    static const struct {
        const char *name;
        int directions; /* bits: -, |, /, \ */
    } hatches[] = { { "Horizontal", 1 }, { "Vertical", 2 }, { "Cross", 3 },
                    { "Forward", 4 },    { "Backward", 8 }, { "CrossDiag", 12 } };
    static const Point along[] = { { 1, 0 }, { 0, 1 }, { 0.7071, 0.7071 }, { 0.7071, -0.7071 } };
    Str pattern = datum_text(shape, "fillPattern");
    int directions = 0;
    for (size_t i = 0; i < COUNT_OF(hatches); i++)
        if (str_is(pattern, hatches[i].name)) directions = hatches[i].directions;
    if (!directions) return;
    Point middle = { unit->e, unit->f };
    double radius = fmin(2000, hypot(fabs(unit->a) + fabs(unit->c), fabs(unit->b) + fabs(unit->d)));
    double step = fmax(2, radius / 200);
    Item lines = { .kind = ITEM_PATH,
                   .stroke = { .colour = colour_of(shape, "lineColor", black), .width = 0.25 } };
    static const Matrix plain = { 1, 0, 0, 1, 0, 0 };
    for (int i = 0; i < 4; i++) {
        if (!(directions & 1 << i)) continue;
        Point u = along[i], v = { -u.y, u.x };
        for (double k = -radius; k <= radius; k += step) {
            add_step(p, &lines.path, &plain, PATH_MOVE, middle.x + v.x * k - u.x * radius,
                     middle.y + v.y * k - u.y * radius);
            add_step(p, &lines.path, &plain, PATH_LINE, middle.x + v.x * k + u.x * radius,
                     middle.y + v.y * k + u.y * radius);
        }
    }
    Box box = p->box;
    bool had = p->has_items;
    picture_add(p, &(Item){ .kind = ITEM_CLIP, .path = *outline });
    picture_add(p, &lines);
    picture_add(p, &(Item){ .kind = ITEM_UNCLIP });
    p->box = box; /* what is clipped away does not count */
    p->has_items = had;
}

/* What of a shape follows time, as JSON: {"fillColor": "expression", ...}. */
static const char *dynamic_of(const Pen *pen, const Datum *shape)
{
    Text text = { .arena = pen->p->arena };
    if (!pen->p->options->is_live) return NULL;
    for (uint32_t i = 0; i < shape->n; i++) {
        const Datum *m = shape->at[i];
        const char *expression =
            m->kind == DATUM_DYNAMIC || m->kind == DATUM_OPEN ? arena_copy(pen->p->arena, m->text) : NULL;
        if (!expression || !m->key) continue;
        text_add(&text, text.n ? STR(",") : STR("{"));
        text_add_json(&text, str_of(m->key));
        text_add_char(&text, ':');
        text_add_json(&text, str_of(expression));
    }
    if (!text.n) return NULL;
    text_add_literal(&text, ",\"\":");
    text_add_json(&text, str_of(pen->path ? pen->path : ""));
    text_add_char(&text, '}');
    return text.at;
}

/* A closed shape: its fill, its hatching, its outline. */
static void add_filled(const Pen *pen, const Datum *shape, const DrawPath *path, const Matrix *m,
                       const Matrix *unit)
{
    Item item = { .kind = ITEM_PATH,
                  .path = *path,
                  .paint = paint_of(shape, unit),
                  .stroke = stroke_of(shape, "lineThickness", "lineColor", "pattern", m),
                  .matrix = *m,
                  .dynamic = dynamic_of(pen, shape) };
    if (item.paint.kind == PAINT_NONE && !(item.stroke.width > 0) && !item.dynamic) return;
    Item outline = item;
    Str pattern = datum_text(shape, "fillPattern");
    bool hatched = item.paint.kind == PAINT_SOLID && !str_is(pattern, "Solid");
    if (hatched) item.stroke.width = 0;
    picture_add(pen->p, &item);
    if (!hatched) return;
    add_hatching(pen->p, path, shape, unit);
    outline.paint.kind = PAINT_NONE;
    outline.dynamic = NULL;
    picture_add(pen->p, &outline);
}

/* ---- curves through points ------------------------------------------------------------------- */

typedef VEC(Point) Points;

static bool points_of(const Pen *pen, const Datum *shape, Points *out)
{
    const Datum *points = datum_member(shape, "points");
    if (!points || points->kind != DATUM_LIST) {
        picture_warn(pen->p, shape->span, "the points of this %.*s cannot be found out", (int)shape->text.n,
                     shape->text.at);
        return false;
    }
    for (uint32_t i = 0; i < points->n; i++) {
        Point at;
        if (point_of(points->at[i], &at))
            vec_push(pen->p->arena, out, at);
        else
            picture_warn(pen->p, points->at[i]->span, "this is no point");
    }
    return out->n > 0;
}

static Point between(Point a, Point b, double t)
{
    return (Point){ a.x + (b.x - a.x) * t, a.y + (b.y - a.y) * t };
}

static void add_quadratic(Picture *p, DrawPath *path, const Matrix *m, Point from, Point control, Point to)
{
    add_curve(p, path, m, between(from, control, 2.0 / 3), between(to, control, 2.0 / 3), to);
}

/* Straight, or from midpoint to midpoint with the points as controls. */
static void add_points(Picture *p, DrawPath *path, const Matrix *m, const Points *points, bool smooth)
{
    add_step(p, path, m, PATH_MOVE, points->at[0].x, points->at[0].y);
    if (!smooth || points->n < 3) {
        for (uint32_t i = 1; i < points->n; i++)
            add_step(p, path, m, PATH_LINE, points->at[i].x, points->at[i].y);
        return;
    }
    Point at = between(points->at[0], points->at[1], 0.5);
    add_step(p, path, m, PATH_LINE, at.x, at.y);
    for (uint32_t i = 1; i + 1 < points->n; i++) {
        Point to = between(points->at[i], points->at[i + 1], 0.5);
        add_quadratic(p, path, m, at, points->at[i], to);
        at = to;
    }
    add_step(p, path, m, PATH_LINE, points->at[points->n - 1].x, points->at[points->n - 1].y);
}

/* An arrow at `tip`, in the direction from `from`; its length is 3/2 of its width. */
static void add_arrow(const Pen *pen, const Datum *line, Str kind, Point tip, Point from, const Matrix *m,
                      const Stroke *stroke)
{
    double size = datum_number(line, "arrowSize", 3), n = hypot(tip.x - from.x, tip.y - from.y);
    if (!kind.n || str_is(kind, "None") || !(n > 0)) return;
    Point u = { (tip.x - from.x) / n, (tip.y - from.y) / n },
          back = { tip.x - 1.5 * size * u.x, tip.y - 1.5 * size * u.y };
    Point left = { back.x - u.y * size / 2, back.y + u.x * size / 2 },
          right = { back.x + u.y * size / 2, back.y - u.x * size / 2 };
    Item item = { .kind = ITEM_PATH, .stroke = *stroke };
    item.stroke.dash_count = 0;
    add_step(pen->p, &item.path, m, PATH_MOVE, left.x, left.y);
    add_step(pen->p, &item.path, m, PATH_LINE, tip.x, tip.y);
    if (!str_is(kind, "Half")) add_step(pen->p, &item.path, m, PATH_LINE, right.x, right.y);
    if (str_is(kind, "Filled")) {
        close_path(pen->p, &item.path);
        item.paint = (Paint){ .kind = PAINT_SOLID, .inner = stroke->colour };
    }
    picture_add(pen->p, &item);
}

static void draw_polyline(const Pen *pen, const Datum *line, const Matrix *m)
{
    Points points = { 0 };
    if (!points_of(pen, line, &points) || points.n < 2) return;
    Item item = { .kind = ITEM_PATH,
                  .stroke = stroke_of(line, "thickness", "color", "pattern", m),
                  .matrix = *m,
                  .dynamic = dynamic_of(pen, line) };
    add_points(pen->p, &item.path, m, &points, str_is(datum_text(line, "smooth"), "Bezier"));
    if (!(item.stroke.width > 0)) return;
    picture_add(pen->p, &item);
    const Datum *arrows = datum_member(line, "arrow");
    if (!arrows || arrows->kind != DATUM_LIST || arrows->n != 2) return;
    uint32_t n = points.n;
    add_arrow(pen, line, datum_static(arrows->at[0])->text, points.at[0], points.at[1], m, &item.stroke);
    add_arrow(pen, line, datum_static(arrows->at[1])->text, points.at[n - 1], points.at[n - 2], m,
              &item.stroke);
}

/* From the square of -1 to 1 to a box. */
static Matrix unit_of(const Matrix *m, const Box *b)
{
    Matrix unit = { (b->high.x - b->low.x) / 2, 0, 0, (b->high.y - b->low.y) / 2, (b->low.x + b->high.x) / 2,
                    (b->low.y + b->high.y) / 2 };
    return matrix_join(m, &unit);
}

static void draw_polygon(const Pen *pen, const Datum *shape, const Matrix *m)
{
    Points points = { 0 };
    DrawPath path = { 0 };
    if (!points_of(pen, shape, &points)) return;
    Point first = points.at[0], last = points.at[points.n - 1];
    if (first.x != last.x || first.y != last.y) vec_push(pen->p->arena, &points, first);
    add_points(pen->p, &path, m, &points, str_is(datum_text(shape, "smooth"), "Bezier"));
    close_path(pen->p, &path);
    Box box = { first, first };
    for (uint32_t i = 0; i < points.n; i++) {
        box.low = (Point){ fmin(box.low.x, points.at[i].x), fmin(box.low.y, points.at[i].y) };
        box.high = (Point){ fmax(box.high.x, points.at[i].x), fmax(box.high.y, points.at[i].y) };
    }
    Matrix unit = unit_of(m, &box);
    add_filled(pen, shape, &path, m, &unit);
}

/* ---- rectangles and ellipses ----------------------------------------------------------------- */

static bool box_of(const Pen *pen, const Datum *shape, Box *box)
{
    if (!extent_of(shape, "extent", box)) {
        picture_warn(pen->p, shape->span, "the extent of this %.*s cannot be found out", (int)shape->text.n,
                     shape->text.at);
        return false;
    }
    Box b = *box;
    *box = (Box){ { fmin(b.low.x, b.high.x), fmin(b.low.y, b.high.y) },
                  { fmax(b.low.x, b.high.x), fmax(b.low.y, b.high.y) } };
    return true;
}

static const double ROUND = 0.5522847498; /* control points of a quarter of a circle */

static void rounded_path(Picture *p, DrawPath *path, const Matrix *m, const Box *b, double r)
{
    double x0 = b->low.x, y0 = b->low.y, x1 = b->high.x, y1 = b->high.y, k = r * (1 - ROUND);
    r = fmin(r, fmin(x1 - x0, y1 - y0) / 2);
    if (!(r > 0)) {
        add_step(p, path, m, PATH_MOVE, x0, y0);
        add_step(p, path, m, PATH_LINE, x1, y0);
        add_step(p, path, m, PATH_LINE, x1, y1);
        add_step(p, path, m, PATH_LINE, x0, y1);
        close_path(p, path);
        return;
    }
    k = r * (1 - ROUND);
    add_step(p, path, m, PATH_MOVE, x0 + r, y0);
    add_step(p, path, m, PATH_LINE, x1 - r, y0);
    add_curve(p, path, m, (Point){ x1 - k, y0 }, (Point){ x1, y0 + k }, (Point){ x1, y0 + r });
    add_step(p, path, m, PATH_LINE, x1, y1 - r);
    add_curve(p, path, m, (Point){ x1, y1 - k }, (Point){ x1 - k, y1 }, (Point){ x1 - r, y1 });
    add_step(p, path, m, PATH_LINE, x0 + r, y1);
    add_curve(p, path, m, (Point){ x0 + k, y1 }, (Point){ x0, y1 - k }, (Point){ x0, y1 - r });
    add_step(p, path, m, PATH_LINE, x0, y0 + r);
    add_curve(p, path, m, (Point){ x0, y0 + k }, (Point){ x0 + k, y0 }, (Point){ x0 + r, y0 });
    close_path(p, path);
}

/* A bevel around a rectangle: light above and left when raised, dark when sunken. */
static void draw_border(const Pen *pen, const Datum *shape, const Matrix *m, const Box *b)
{
    Str border = datum_text(shape, "borderPattern");
    if (!border.n || str_is(border, "None")) return;
    static const Colour light = { 235, 235, 235 }, dark = { 100, 100, 100 };
    bool sunken = str_is(border, "Sunken");
    double w = stroke_width(0.5, m) / fmax(matrix_scale(m), 1e-6);
    for (int side = 0; side < 2; side++) {
        Item item = { .kind = ITEM_PATH,
                      .stroke = { .colour = (side == 0) != sunken ? light : dark,
                                  .width = stroke_width(0.5, m) } };
        double x = side ? b->high.x - w : b->low.x + w, y = side ? b->low.y + w : b->high.y - w;
        add_step(pen->p, &item.path, m, PATH_MOVE, side ? b->low.x + w : b->high.x - w, y);
        add_step(pen->p, &item.path, m, PATH_LINE, x, y);
        add_step(pen->p, &item.path, m, PATH_LINE, x, side ? b->high.y - w : b->low.y + w);
        picture_add(pen->p, &item);
    }
}

static void draw_rectangle(const Pen *pen, const Datum *shape, const Matrix *m)
{
    DrawPath path = { 0 };
    Box box;
    if (!box_of(pen, shape, &box)) return;
    rounded_path(pen->p, &path, m, &box, datum_number(shape, "radius", 0));
    Matrix unit = unit_of(m, &box);
    add_filled(pen, shape, &path, m, &unit);
    draw_border(pen, shape, m, &box);
}

/* An arc of an ellipse by curves of at most a quarter each. */
static void add_arc(Picture *p, DrawPath *path, const Matrix *m, const Box *b, double from, double to)
{
    double cx = (b->low.x + b->high.x) / 2, cy = (b->low.y + b->high.y) / 2;
    double rx = (b->high.x - b->low.x) / 2, ry = (b->high.y - b->low.y) / 2;
    int n = (int)ceil(fabs(to - from) / 90 - 1e-9);
    if (n < 1) n = 1;
    double step = (to - from) * PI / 180 / n, k = 4.0 / 3 * tan(step / 4);
    for (int i = 0; i < n; i++) {
        double a = from * PI / 180 + step * i, e = a + step;
        add_curve(p, path, m, (Point){ cx + rx * (cos(a) - k * sin(a)), cy + ry * (sin(a) + k * cos(a)) },
                  (Point){ cx + rx * (cos(e) + k * sin(e)), cy + ry * (sin(e) - k * cos(e)) },
                  (Point){ cx + rx * cos(e), cy + ry * sin(e) });
    }
}

static void draw_ellipse(const Pen *pen, const Datum *shape, const Matrix *m)
{
    DrawPath path = { 0 };
    Box b;
    double from = datum_number(shape, "startAngle", 0), to = datum_number(shape, "endAngle", 360);
    if (!box_of(pen, shape, &b)) return;
    if (fabs(to - from) > 3600) to = from + 360;
    bool full = fabs(fabs(to - from) - 360) < 1e-9;
    Str closure = datum_text(shape, "closure");
    bool radial = str_is(closure, "Radial") || ((!closure.n || str_is(closure, "Automatic")) && !full);
    double cx = (b.low.x + b.high.x) / 2, cy = (b.low.y + b.high.y) / 2;
    double rx = (b.high.x - b.low.x) / 2, ry = (b.high.y - b.low.y) / 2;
    add_step(pen->p, &path, m, PATH_MOVE, cx + rx * cos(from * PI / 180), cy + ry * sin(from * PI / 180));
    add_arc(pen->p, &path, m, &b, from, to);
    if (radial) add_step(pen->p, &path, m, PATH_LINE, cx, cy);
    bool open = str_is(closure, "None");
    if (!open) close_path(pen->p, &path);
    Matrix unit = unit_of(m, &b);
    if (!open) {
        add_filled(pen, shape, &path, m, &unit);
        return;
    }
    Item item = { .kind = ITEM_PATH,
                  .path = path,
                  .stroke = stroke_of(shape, "lineThickness", "lineColor", "pattern", m) };
    if (item.stroke.width > 0) picture_add(pen->p, &item);
}

/* ---- all of them ----------------------------------------------------------------------------- */

static void draw_text(const Pen *pen, const Datum *shape, const Matrix *m)
{
    Str string = datum_text(shape, "textString");
    if (!string.n) string = datum_text(shape, "string");
    draw_label(pen, shape, string, m);
}

void draw_shape(const Pen *pen, const Datum *shape)
{
    static const struct {
        const char *name;
        void (*draw)(const Pen *pen, const Datum *shape, const Matrix *m);
    } shapes[] = { { "Line", draw_polyline },   { "Polygon", draw_polygon }, { "Rectangle", draw_rectangle },
                   { "Ellipse", draw_ellipse }, { "Text", draw_text },       { "Bitmap", draw_bitmap } };
    shape = datum_static(shape);
    if (shape->kind != DATUM_RECORD) {
        picture_warn(pen->p, shape->span, "this is no graphic item");
        return;
    }
    const Datum *visible = datum_member(shape, "visible");
    if (visible && visible->kind == DATUM_BOOLEAN && visible->number == 0.0 && !dynamic_of(pen, shape))
        return;
    Point origin = { 0, 0 };
    const Datum *at = datum_member(shape, "origin");
    if (at) point_of(at, &origin);
    double r = datum_number(shape, "rotation", 0) * PI / 180;
    Matrix own = { cos(r), sin(r), -sin(r), cos(r), origin.x, origin.y }, m = matrix_join(&pen->matrix, &own);
    for (size_t i = 0; i < COUNT_OF(shapes); i++) {
        if (!str_is(shape->text, shapes[i].name)) continue;
        shapes[i].draw(pen, shape, &m);
        return;
    }
    picture_warn(pen->p, shape->span, "'%.*s' is no graphic item", (int)shape->text.n, shape->text.at);
}

void draw_line(const Pen *pen, const Datum *line)
{
    Point origin = { 0, 0 };
    const Datum *at = datum_member(line, "origin");
    if (at) point_of(at, &origin);
    double r = datum_number(line, "rotation", 0) * PI / 180;
    Matrix own = { cos(r), sin(r), -sin(r), cos(r), origin.x, origin.y }, m = matrix_join(&pen->matrix, &own);
    draw_polyline(pen, line, &m);
}
