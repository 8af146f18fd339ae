/* png.c: a picture as a bitmap, drawn by the cairo library, which is loaded when the first one is
 * asked for (as result/png.c does). Always: the picture is that of the SVG; pictures inside of it
 * have to be PNG, others are left out with a warning. Tests: tests/cli/draw.sh. */
#include "draw/inside.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>

static const double MOST_PIXELS = 2e8;
enum { FORMAT_ARGB32 = 0, EXTEND_PAD = 3, JOIN_ROUND = 1 };

typedef struct {
    double xx, yx, xy, yy, x0, y0;
} CairoMatrix;
typedef int (*WriteBytes)(void *closure, const unsigned char *bytes, unsigned n);
typedef int (*ReadBytes)(void *closure, unsigned char *bytes, unsigned n);
typedef struct {
    double x_bearing, y_bearing, width, height, x_advance, y_advance;
} Extents;

#define CAIRO_FUNCTIONS(X)                                                                            \
    X(void *, image_surface_create, (int format, int width, int height))                              \
    X(void *, image_surface_create_from_png_stream, (ReadBytes read, void *closure))                  \
    X(int, image_surface_get_width, (void *surface))                                                  \
    X(int, image_surface_get_height, (void *surface))                                                 \
    X(int, surface_status, (void *surface))                                                           \
    X(void *, create, (void *surface))                                                                \
    X(void, destroy, (void *cairo))                                                                   \
    X(void, surface_destroy, (void *surface))                                                         \
    X(int, status, (void *cairo))                                                                     \
    X(void, save, (void *cairo))                                                                      \
    X(void, restore, (void *cairo))                                                                   \
    X(void, transform, (void *cairo, const CairoMatrix *matrix))                                      \
    X(void, scale, (void *cairo, double x, double y))                                                 \
    X(void, translate, (void *cairo, double x, double y))                                             \
    X(void, rotate, (void *cairo, double angle))                                                      \
    X(void, push_group, (void *cairo))                                                                \
    X(void, pop_group_to_source, (void *cairo))                                                       \
    X(void, paint_with_alpha, (void *cairo, double alpha))                                            \
    X(void, paint, (void *cairo))                                                                     \
    X(void, set_source_rgba, (void *cairo, double r, double g, double b, double a))                   \
    X(void, set_source, (void *cairo, void *pattern))                                                 \
    X(void, set_source_surface, (void *cairo, void *surface, double x, double y))                     \
    X(void *, pattern_create_linear, (double x0, double y0, double x1, double y1))                    \
    X(void *, pattern_create_radial, (double, double, double, double, double, double))                \
    X(void, pattern_add_color_stop_rgba, (void *, double at, double r, double g, double b, double a)) \
    X(void, pattern_set_matrix, (void *pattern, const CairoMatrix *matrix))                           \
    X(void, pattern_set_extend, (void *pattern, int extend))                                          \
    X(void, pattern_destroy, (void *pattern))                                                         \
    X(void, set_line_width, (void *cairo, double width))                                              \
    X(void, set_line_join, (void *cairo, int join))                                                   \
    X(void, set_dash, (void *cairo, const double *dashes, int n, double offset))                      \
    X(void, new_path, (void *cairo))                                                                  \
    X(void, move_to, (void *cairo, double x, double y))                                               \
    X(void, line_to, (void *cairo, double x, double y))                                               \
    X(void, curve_to, (void *cairo, double, double, double, double, double, double))                  \
    X(void, close_path, (void *cairo))                                                                \
    X(void, clip, (void *cairo))                                                                      \
    X(void, stroke, (void *cairo))                                                                    \
    X(void, fill, (void *cairo))                                                                      \
    X(void, fill_preserve, (void *cairo))                                                             \
    X(void, select_font_face, (void *cairo, const char *family, int slant, int weight))               \
    X(void, set_font_size, (void *cairo, double size))                                                \
    X(void, text_extents, (void *cairo, const char *text, Extents *extents))                          \
    X(void, show_text, (void *cairo, const char *text))                                               \
    X(int, surface_write_to_png_stream, (void *surface, WriteBytes write, void *closure))

typedef struct {
#define FIELD(result, name, arguments) result(*name) arguments;
    CAIRO_FUNCTIONS(FIELD)
#undef FIELD
} Cairo;

static bool load_cairo(Cairo *c)
{
    static const char *const names[] = {
#define NAME(result, name, arguments) "cairo_" #name,
        CAIRO_FUNCTIONS(NAME)
#undef NAME
    };
    void *library = dlopen("libcairo.so.2", RTLD_NOW | RTLD_LOCAL);
    _Static_assert(sizeof *c == sizeof names, "one pointer a name");
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        void *function = library ? dlsym(library, names[i]) : NULL;
        if (!function) return false;
        memcpy((char *)c + i * sizeof function, &function, sizeof function);
    }
    return true;
}

typedef struct {
    Cairo c;
    void *cairo;
    const Picture *p;
    double opacity[64]; /* of the groups that are open */
    int depth;
} Png;

static void set_colour(Png *g, Colour c)
{
    g->c.set_source_rgba(g->cairo, c.r / 255.0, c.g / 255.0, c.b / 255.0, 1);
}

static void make_path(Png *g, const DrawPath *path)
{
    g->c.new_path(g->cairo);
    for (uint32_t i = 0; i < path->n; i++) {
        const Point *at = path->at[i].at;
        switch (path->at[i].verb) {
        case PATH_MOVE: g->c.move_to(g->cairo, at->x, -at->y); break;
        case PATH_LINE: g->c.line_to(g->cairo, at->x, -at->y); break;
        case PATH_CURVE: g->c.curve_to(g->cairo, at->x, -at->y, at[1].x, -at[1].y, at[2].x, -at[2].y); break;
        case PATH_CLOSE: g->c.close_path(g->cairo); break;
        }
    }
}

static void add_stop(Png *g, void *pattern, double at, Colour c)
{
    g->c.pattern_add_color_stop_rgba(pattern, at, c.r / 255.0, c.g / 255.0, c.b / 255.0, 1);
}

/* Cairo wants the way from the picture to the gradient. */
static bool inverse(const Matrix *m, CairoMatrix *out)
{
    double a = m->a, b = -m->b, c = m->c, d = -m->d, e = m->e, f = -m->f, det = a * d - b * c;
    if (!(fabs(det) > 1e-12)) return false;
    *out =
        (CairoMatrix){ d / det, -b / det, -c / det, a / det, (c * f - d * e) / det, (b * e - a * f) / det };
    return true;
}

static void fill_gradient(Png *g, const Paint *paint, bool keep)
{
    CairoMatrix m;
    bool sphere = paint->kind == PAINT_SPHERE;
    if (!inverse(&paint->unit, &m)) return;
    void *pattern =
        sphere ? g->c.pattern_create_radial(0, 0, 0, 0, 0, 1) : g->c.pattern_create_linear(0, -1, 0, 1);
    add_stop(g, pattern, 0, sphere ? paint->inner : paint->edge);
    if (!sphere) add_stop(g, pattern, 0.5, paint->inner);
    add_stop(g, pattern, 1, paint->edge);
    g->c.pattern_set_matrix(pattern, &m);
    g->c.pattern_set_extend(pattern, EXTEND_PAD);
    g->c.set_source(g->cairo, pattern);
    (keep ? g->c.fill_preserve : g->c.fill)(g->cairo);
    g->c.pattern_destroy(pattern);
}

static void write_path(Png *g, const Item *item)
{
    bool lines = item->stroke.width > 0;
    make_path(g, &item->path);
    if (item->paint.kind == PAINT_SOLID) {
        set_colour(g, item->paint.inner);
        (lines ? g->c.fill_preserve : g->c.fill)(g->cairo);
    } else if (item->paint.kind != PAINT_NONE) {
        fill_gradient(g, &item->paint, lines);
    }
    if (!lines) return;
    set_colour(g, item->stroke.colour);
    g->c.set_dash(g->cairo, item->stroke.dashes, item->stroke.dash_count, 0);
    g->c.set_line_width(g->cairo, item->stroke.width);
    g->c.stroke(g->cairo);
}

static void write_text(Png *g, const Item *item)
{
    static const double shares[] = { 0, 0.5, 1 };
    Extents e;
    const char *text = arena_copy(g->p->arena, item->text);
    bool plain = !strcmp(item->family, "sans-serif");
    g->c.save(g->cairo);
    g->c.select_font_face(g->cairo, plain ? "Helvetica" : item->family, item->italic, item->bold);
    g->c.set_font_size(g->cairo, item->size);
    g->c.text_extents(g->cairo, text, &e);
    set_colour(g, item->colour);
    g->c.translate(g->cairo, item->at.x, -item->at.y);
    g->c.rotate(g->cairo, -item->angle * (3.14159265358979323846 / 180));
    g->c.move_to(g->cairo, -shares[item->align] * e.x_advance, 0.35 * item->size);
    g->c.show_text(g->cairo, text);
    g->c.restore(g->cairo);
}

typedef struct {
    Str bytes;
    size_t at;
} Reading;

static int read_bytes(void *closure, unsigned char *bytes, unsigned n)
{
    enum { READ_ERROR = 10 };
    Reading *r = closure;
    if (r->bytes.n - r->at < n) return READ_ERROR;
    memcpy(bytes, r->bytes.at + r->at, n);
    r->at += n;
    return 0;
}

static void write_image(Png *g, const Item *item)
{
    Reading r = { item->bytes, 0 };
    bool is_png = !strcmp(item->type, "image/png");
    void *image = is_png ? g->c.image_surface_create_from_png_stream(read_bytes, &r) : NULL;
    if (!image || g->c.surface_status(image)) {
        picture_warn((Picture *)(uintptr_t)g->p, g->p->of->cls->name_span,
                     "a picture in it is no PNG, and is left out here; SVG has it");
        if (image) g->c.surface_destroy(image);
        return;
    }
    const Matrix *m = &item->matrix;
    CairoMatrix to = { m->a, -m->b, -m->c, m->d, m->e + m->c, -m->f - m->d };
    g->c.save(g->cairo);
    g->c.transform(g->cairo, &to);
    g->c.scale(g->cairo, 1.0 / g->c.image_surface_get_width(image),
               1.0 / g->c.image_surface_get_height(image));
    g->c.set_source_surface(g->cairo, image, 0, 0);
    g->c.paint(g->cairo);
    g->c.restore(g->cairo);
    g->c.surface_destroy(image);
}

static void write_item(Png *g, const Item *item)
{
    switch (item->kind) {
    case ITEM_PATH: write_path(g, item); break;
    case ITEM_TEXT: write_text(g, item); break;
    case ITEM_IMAGE: write_image(g, item); break;
    case ITEM_GROUP:
        if (g->depth < 64) g->opacity[g->depth] = item->opacity;
        g->depth++;
        if (item->opacity < 1) g->c.push_group(g->cairo);
        break;
    case ITEM_END:
        g->depth--;
        if (g->depth >= 64 || !(g->opacity[g->depth] < 1)) break;
        g->c.pop_group_to_source(g->cairo);
        g->c.paint_with_alpha(g->cairo, g->opacity[g->depth]);
        break;
    case ITEM_CLIP:
        g->c.save(g->cairo);
        make_path(g, &item->path);
        g->c.clip(g->cairo);
        break;
    case ITEM_UNCLIP: g->c.restore(g->cairo); break;
    }
}

static int write_bytes(void *out, const unsigned char *bytes, unsigned n)
{
    text_add(out, (Str){ (const char *)bytes, n });
    return 0;
}

bool draw_png(Describer *d, Described *of, const DrawOptions *options, Diag *diag, Text *out, char *why,
              size_t room)
{
    Png g = { .p = picture_of(d, of, options, diag) };
    Box b = picture_frame(g.p);
    double scale = options->scale > 0 ? options->scale : 4;
    double w = ceil((b.high.x - b.low.x) * scale), h = ceil((b.high.y - b.low.y) * scale);
    if (!load_cairo(&g.c)) {
        snprintf(why, room, "PNG needs libcairo.so.2 (Debian: libcairo2), which is not here; .svg does not");
        return false;
    }
    if (!(w * h <= MOST_PIXELS) || w > 32767 || h > 32767) {
        snprintf(why, room, "the picture would have too many pixels");
        return false;
    }
    void *surface = g.c.image_surface_create(FORMAT_ARGB32, (int)fmax(w, 1), (int)fmax(h, 1));
    g.cairo = g.c.create(surface);
    g.c.set_source_rgba(g.cairo, 1, 1, 1, 1);
    g.c.paint(g.cairo);
    g.c.scale(g.cairo, scale, scale);
    g.c.translate(g.cairo, -b.low.x, b.high.y);
    g.c.set_line_join(g.cairo, JOIN_ROUND);
    for (uint32_t i = 0; i < g.p->items.n; i++) write_item(&g, &g.p->items.at[i]);
    bool ok = g.c.status(g.cairo) == 0 && g.c.surface_write_to_png_stream(surface, write_bytes, out) == 0;
    if (!ok) snprintf(why, room, "cairo could not make the PNG");
    g.c.destroy(g.cairo);
    g.c.surface_destroy(surface);
    return ok;
}
