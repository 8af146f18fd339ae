/* png.c: a canvas that makes a bitmap or a PDF page, drawn by the cairo library.
 *
 * Cairo is loaded when the first bitmap is asked for, so that a program that draws none neither
 * needs it nor waits for its dozen libraries to load. Its interface is the one of version 1.0,
 * which every later one keeps. Always: the picture is that of the SVG, pixel for point, times the
 * scale; a picture above MOST_PIXELS is refused. The library stays loaded. Tests:
 * tests/result/plot_test.c. */
#include "result/inside.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

static const double MOST_PIXELS = 2e8;
enum { FORMAT_RGB24 = 1, SLANT_NORMAL = 0, WEIGHT_NORMAL = 0, WEIGHT_BOLD = 1, JOIN_ROUND = 1 };

typedef struct {
    double x_bearing, y_bearing, width, height, x_advance, y_advance;
} Extents;
typedef int (*WriteBytes)(void *closure, const unsigned char *bytes, unsigned n);

#define CAIRO_FUNCTIONS(X)                                                                          \
    X(void *, image_surface_create, (int format, int width, int height))                            \
    X(void *, create, (void *surface))                                                              \
    X(void, destroy, (void *cairo))                                                                 \
    X(void, surface_destroy, (void *surface))                                                       \
    X(int, status, (void *cairo))                                                                   \
    X(void, scale, (void *cairo, double x, double y))                                               \
    X(void, save, (void *cairo))                                                                    \
    X(void, restore, (void *cairo))                                                                 \
    X(void, translate, (void *cairo, double x, double y))                                           \
    X(void, rotate, (void *cairo, double angle))                                                    \
    X(void, set_source_rgba, (void *cairo, double r, double g, double b, double a))                 \
    X(void, set_line_width, (void *cairo, double width))                                            \
    X(void, set_line_join, (void *cairo, int join))                                                 \
    X(void, set_dash, (void *cairo, const double *dashes, int n, double offset))                    \
    X(void, move_to, (void *cairo, double x, double y))                                             \
    X(void, line_to, (void *cairo, double x, double y))                                             \
    X(void, close_path, (void *cairo))                                                              \
    X(void, rectangle, (void *cairo, double x, double y, double w, double h))                       \
    X(void, clip, (void *cairo))                                                                    \
    X(void, stroke, (void *cairo))                                                                  \
    X(void, fill, (void *cairo))                                                                    \
    X(void, paint, (void *cairo))                                                                   \
    X(void, select_font_face, (void *cairo, const char *family, int slant, int weight))             \
    X(void, set_font_size, (void *cairo, double size))                                              \
    X(void, text_extents, (void *cairo, const char *text, Extents *extents))                        \
    X(void, show_text, (void *cairo, const char *text))                                             \
    X(int, surface_write_to_png_stream, (void *surface, WriteBytes write, void *closure))           \
    X(void *, pdf_surface_create_for_stream, (WriteBytes write, void *closure, double w, double h)) \
    X(void, surface_finish, (void *surface))                                                        \
    X(int, surface_status, (void *surface))

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
    Canvas canvas;
    Cairo c;
    double scale;
    void *surface, *cairo;
    bool too_large;
    Text *page; /* where a PDF goes; NULL: a bitmap is made */
    const char *font;
} Png;

static int write_bytes(void *out, const unsigned char *bytes, unsigned n)
{
    text_add(out, (Str){ (const char *)bytes, n });
    return 0;
}

static void set_colour(Png *p, const char *colour, double opacity)
{
    unsigned long rgb = strtoul(colour + 1, NULL, 16);
    p->c.set_source_rgba(p->cairo, (double)(rgb >> 16 & 255) / 255, (double)(rgb >> 8 & 255) / 255,
                         (double)(rgb & 255) / 255, opacity > 0.0 ? opacity : 1.0);
}

static void png_begin(Canvas *canvas, double width, double height, const char *paper)
{
    Png *p = (Png *)canvas;
    double w = ceil(width * p->scale), h = ceil(height * p->scale);
    p->too_large = w * h > MOST_PIXELS || w > 32767 || h > 32767;
    /* drawing goes on into one pixel, so that nobody else has to ask */
    p->surface =
        p->page
            ? p->c.pdf_surface_create_for_stream(write_bytes, p->page, width * p->scale, height * p->scale)
            : p->c.image_surface_create(FORMAT_RGB24, p->too_large ? 1 : (int)w, p->too_large ? 1 : (int)h);
    p->cairo = p->c.create(p->surface);
    p->c.scale(p->cairo, p->scale, p->scale);
    set_colour(p, paper, 1.0);
    p->c.paint(p->cairo);
    p->c.set_line_join(p->cairo, JOIN_ROUND);
}

static void png_path(Canvas *canvas, const Path *path, const Ink *ink)
{
    Png *p = (Png *)canvas;
    double dashes[2] = { ink->dash, ink->gap };
    bool fresh = true;
    /* points that are stroked at once: cairo takes more than linear time */
    enum { A_STROKE = 4000 };
    unsigned n = 0;
    set_colour(p, ink->colour, ink->opacity);
    p->c.set_dash(p->cairo, dashes, ink->dash > 0.0 ? 2 : 0, 0.0);
    p->c.set_line_width(p->cairo, ink->width);
    for (uint32_t i = 0; i < path->n; i++) {
        Vertex v = path->at[i];
        if (isnan(v.x)) {
            fresh = true;
            continue;
        }
        (fresh ? p->c.move_to : p->c.line_to)(p->cairo, (double)v.x, (double)v.y);
        fresh = false;
        if (ink->width > 0.0 && !(ink->opacity > 0.0) && ++n % A_STROKE == 0) {
            p->c.stroke(p->cairo);
            p->c.move_to(p->cairo, (double)v.x, (double)v.y);
        }
    }
    if (ink->width > 0.0) {
        p->c.stroke(p->cairo);
    } else {
        p->c.close_path(p->cairo);
        p->c.fill(p->cairo);
    }
}

static void png_label(Canvas *canvas, const CanvasLabel *l)
{
    Png *p = (Png *)canvas;
    Extents e;
    static const double shares[] = { 0.0, 0.5, 1.0 };
    p->c.save(p->cairo);
    p->c.select_font_face(p->cairo, p->font, SLANT_NORMAL, l->bold ? WEIGHT_BOLD : WEIGHT_NORMAL);
    p->c.set_font_size(p->cairo, l->size);
    p->c.text_extents(p->cairo, l->text, &e);
    set_colour(p, l->colour, 1.0);
    p->c.translate(p->cairo, l->x, l->y);
    if (l->upright) p->c.rotate(p->cairo, -1.5707963267948966);
    p->c.move_to(p->cairo, -shares[l->anchor] * e.x_advance, 0.0);
    p->c.show_text(p->cairo, l->text);
    p->c.restore(p->cairo);
}

static void png_clip(Canvas *canvas, double x, double y, double width, double height)
{
    Png *p = (Png *)canvas;
    p->c.save(p->cairo);
    p->c.rectangle(p->cairo, x, y, width, height);
    p->c.clip(p->cairo);
}

static void png_unclip(Canvas *canvas) { ((Png *)canvas)->c.restore(((Png *)canvas)->cairo); }
static void png_end(Canvas *canvas) { (void)canvas; }

#ifdef ACAUSAL_SANITIZED
/* Faces stay in fontconfig's cache until the process ends. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) { return "leak:libfontconfig\n"; }
#endif

bool draw_cairo(Draw draw, const void *what, double scale, bool is_page, Text *out, char *why, size_t room)
{
    static const CanvasType type = { png_begin, png_path, png_label, png_clip, png_unclip, png_end };
    const char *kind = is_page ? "PDF" : "PNG";
    Png p = {
        .canvas = { &type, out->arena }, .scale = scale, .page = is_page ? out : NULL, .font = "Helvetica"
    };
    if (!load_cairo(&p.c)) {
        snprintf(why, room, "%s needs libcairo.so.2 (Debian: libcairo2), which is not here; .svg does not",
                 kind);
        return false;
    }
    draw(what, &p.canvas);
    bool ok = !p.too_large && p.c.status(p.cairo) == 0;
    if (is_page) p.c.surface_finish(p.surface);
    ok = ok && (is_page ? p.c.surface_status(p.surface) == 0
                        : p.c.surface_write_to_png_stream(p.surface, write_bytes, out) == 0);
    if (!ok)
        snprintf(why, room,
                 p.too_large ? "the picture would have too many pixels" : "cairo could not make the %s",
                 kind);
    p.c.destroy(p.cairo);
    p.c.surface_destroy(p.surface);
    return ok;
}
