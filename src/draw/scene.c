/* scene.c: which icons and lines a picture of a class consists of, and where they are.
 *
 * In: a described class. Out: a list of items. How: bases in front of what extends them, each with
 * the map of its extends clause; the class' own graphics first, then connections, then components
 * with their icons and, on those, their connectors. Transformations are multiplied out, so lines
 * keep their width however small an icon is. Always: what has no place is left out. Cost: linear
 * in the items. Tests: tests/cli/draw.sh. */
#include "draw/inside.h"

#include <math.h>

enum { DEEPEST_ICON = 3 };

static const Matrix identity = { 1, 0, 0, 1, 0, 0 };

Matrix matrix_join(const Matrix *o, const Matrix *i)
{
    return (Matrix){ o->a * i->a + o->c * i->b,        o->b * i->a + o->d * i->b,
                     o->a * i->c + o->c * i->d,        o->b * i->c + o->d * i->d,
                     o->a * i->e + o->c * i->f + o->e, o->b * i->e + o->d * i->f + o->f };
}

double matrix_scale(const Matrix *m) { return sqrt(fabs(m->a * m->d - m->b * m->c)); }

/* ---- coordinate systems ---------------------------------------------------------------------- */

typedef struct {
    Box extent;
    bool keeps_aspect;
    bool has_extent;
} System2D;

static const Datum *layer_graphics(Picture *p, DescribedLayer *layer, bool icon)
{
    if (!layer->is_known[!icon]) {
        layer->is_known[!icon] = true;
        layer->layers[!icon] = describe_annotation(p->describer, layer->scope, class_annotation(layer->cls),
                                                   icon ? "Icon" : "Diagram");
    }
    return layer->layers[!icon];
}

static bool is_a_map(const Box *box)
{
    return box->low.x != 0 || box->low.y != 0 || box->high.x != 0 || box->high.y != 0;
}

/* The own one, or that of the first base that has one and is not put elsewhere. */
static System2D system_of(Picture *p, const Described *of, uint32_t at, bool icon)
{
    System2D s = { { { -100, -100 }, { 100, 100 } }, true, false };
    DescribedLayer *layer = &of->layers[at];
    const Datum *own = datum_member(layer_graphics(p, layer, icon), "coordinateSystem");
    for (uint32_t i = 0; i < at && !(own && s.has_extent); i++) {
        const DescribedLayer *base = &of->layers[i];
        Box map;
        if (base->below != at || i == at) continue;
        const Datum *by = describe_annotation(p->describer, layer->scope, base->clause_annotation,
                                              icon ? "IconMap" : "DiagramMap");
        if (by && extent_of(by, "extent", &map) && is_a_map(&map)) continue;
        System2D inherited = system_of(p, of, i, icon);
        if (inherited.has_extent) {
            s = inherited;
            break;
        }
    }
    Box extent;
    if (own && extent_of(own, "extent", &extent)) {
        s.extent = extent;
        s.has_extent = true;
    }
    s.keeps_aspect = datum_boolean(own, "preserveAspectRatio", s.keeps_aspect);
    return s;
}

static double part(double value, double otherwise) { return fabs(value) > 1e-9 ? value : otherwise; }

/* From a coordinate system to an extent, whose corners may be swapped. */
static Matrix map_to(const System2D *from, const Box *to, bool keeps_aspect)
{
    const Box *f = &from->extent;
    double w = part(f->high.x - f->low.x, 200), h = part(f->high.y - f->low.y, 200);
    double sx = (to->high.x - to->low.x) / w, sy = (to->high.y - to->low.y) / h;
    if (keeps_aspect) {
        double s = fmin(fabs(sx), fabs(sy));
        sx = copysign(s, sx);
        sy = copysign(s, sy);
    }
    double cx = (f->low.x + f->high.x) / 2, cy = (f->low.y + f->high.y) / 2;
    return (Matrix){
        sx, 0, 0, sy, (to->low.x + to->high.x) / 2 - sx * cx, (to->low.y + to->high.y) / 2 - sy * cy
    };
}

static Matrix turn(double degrees, Point origin)
{
    double r = degrees * (3.14159265358979323846 / 180), c = cos(r), s = sin(r);
    return (Matrix){ c, s, -s, c, origin.x, origin.y };
}

/* ---- placement ------------------------------------------------------------------------------- */

typedef struct {
    bool is_there;
    Matrix matrix;
} Placing;

static Placing placing_of(Picture *p, const Described *of, const DescribedComponent *c, bool in_icon,
                          const System2D *system)
{
    Placing placing = { false, identity };
    const Datum *placement = describe_annotation(p->describer, c->scope, c->annotation, "Placement");
    if (!placement) return placing;
    const Datum *t = in_icon ? datum_member(placement, "iconTransformation") : NULL;
    bool visible = datum_boolean(placement, "visible", true);
    if (in_icon) visible = datum_boolean(placement, "iconVisible", visible);
    if (!t) t = datum_member(placement, "transformation");
    Box extent = { { -10, -10 }, { 10, 10 } };
    Point origin = { 0, 0 };
    if (!visible || !t) return placing;
    const Datum *at = datum_member(t, "origin");
    if (at) point_of(at, &origin);
    if (!extent_of(t, "extent", &extent) && datum_member(t, "extent"))
        picture_warn(p, datum_member(t, "extent")->span, "the extent of '%s' cannot be found", c->name);
    Matrix rotated = turn(datum_number(t, "rotation", 0), origin);
    Matrix mapped = map_to(system, &extent, system->keeps_aspect);
    placing.matrix = matrix_join(&rotated, &mapped);
    placing.is_there = true;
    (void)of;
    return placing;
}

/* ---- icons ----------------------------------------------------------------------------------- */

static bool primitives_visible(Picture *p, const Described *of, uint32_t at, bool icon)
{
    while (of->layers[at].depth) {
        const DescribedLayer *layer = &of->layers[at], *below = &of->layers[layer->below];
        const Datum *map = describe_annotation(p->describer, below->scope, layer->clause_annotation,
                                               icon ? "IconMap" : "DiagramMap");
        if (!datum_boolean(map, "primitivesVisible", true)) return false;
        at = layer->below;
    }
    return true;
}

/* From a layer to the class itself, by the maps of the extends clauses on the way. */
static Matrix layer_matrix(Picture *p, const Described *of, uint32_t at, bool icon)
{
    Matrix m = identity;
    while (of->layers[at].depth) {
        const DescribedLayer *layer = &of->layers[at], *below = &of->layers[layer->below];
        const Datum *map = describe_annotation(p->describer, below->scope, layer->clause_annotation,
                                               icon ? "IconMap" : "DiagramMap");
        Box to;
        if (map && extent_of(map, "extent", &to) && is_a_map(&to)) {
            System2D system = system_of(p, of, at, icon);
            Matrix mapped = map_to(&system, &to, system.keeps_aspect);
            m = matrix_join(&mapped, &m);
        }
        at = layer->below;
    }
    return m;
}

static void draw_graphics(const Pen *pen, const Datum *graphics)
{
    if (!graphics) return;
    if (graphics->kind != DATUM_LIST) {
        picture_warn(pen->p, graphics->span, "these graphics cannot be found out");
        return;
    }
    for (uint32_t i = 0; i < graphics->n; i++) draw_shape(pen, graphics->at[i]);
}

/* Whether any of its classes has graphics, visible or not. */
static bool has_graphics(Picture *p, const Described *of, bool icon)
{
    for (uint32_t i = 0; i < of->layer_count; i++) {
        const Datum *g = datum_member(layer_graphics(p, &of->layers[i], icon), "graphics");
        if (g && g->n) return true;
    }
    return false;
}

static void draw_primitives(const Pen *pen, bool icon)
{
    Picture *p = pen->p;
    for (uint32_t i = 0; i < pen->of->layer_count; i++) {
        if (!primitives_visible(p, pen->of, i, icon)) continue;
        Matrix m = layer_matrix(p, pen->of, i, icon);
        Pen own = *pen;
        own.matrix = matrix_join(&pen->matrix, &m);
        draw_graphics(&own, datum_member(layer_graphics(p, &pen->of->layers[i], icon), "graphics"));
    }
}

/* An instance without graphics of its own: a plain frame with its name. */
static void draw_outline(const Pen *pen, const System2D *system)
{
    const Box *b = &system->extent;
    const Point corners[] = {
        { b->low.x, b->low.y }, { b->high.x, b->low.y }, { b->high.x, b->high.y }, { b->low.x, b->high.y }
    };
    Item item = { .kind = ITEM_PATH,
                  .stroke = {
                      .colour = { 128, 128, 128 }, .width = 0.25, .dashes = { 1, 1 }, .dash_count = 2 } };
    for (int i = 0; i < 4; i++) {
        PathStep step = { i ? PATH_LINE : PATH_MOVE,
                          { matrix_apply(&pen->matrix, corners[i].x, corners[i].y) } };
        vec_push(pen->p->arena, &item.path, step);
    }
    vec_push(pen->p->arena, &item.path, ((PathStep){ PATH_CLOSE, { { 0, 0 } } }));
    picture_add(pen->p, &item);
}

static void begin_group(Picture *p, const char *role, const char *name, double opacity, const Matrix *matrix)
{
    Item item = { .kind = ITEM_GROUP, .role = role, .name = name, .opacity = opacity, .matrix = *matrix };
    picture_add(p, &item);
}

static void end_group(Picture *p) { picture_add(p, &(Item){ .kind = ITEM_END }); }

static void draw_component(const Pen *pen, const Described *of, DescribedComponent *c, bool in_icon,
                           int depth);

/* The icon of an instance with the connectors on it. A connector in the diagram of its own class
 * shows its diagram. */
static void draw_instance(const Pen *pen, const System2D *system, bool icon, int depth)
{
    Picture *p = pen->p;
    if (depth && !has_graphics(p, pen->of, icon)) draw_outline(pen, system);
    draw_primitives(pen, icon);
    for (uint32_t i = 0; i < pen->of->component_count && depth < DEEPEST_ICON; i++) {
        DescribedComponent *c = &pen->of->components[i];
        if (c->is_connector && !(c->flags & IS_PROTECTED) && c->is_enabled)
            draw_component(pen, pen->of, c, true, depth);
    }
}

static const char *shown_name(Picture *p, const DescribedComponent *c)
{
    Text name = { .arena = p->arena };
    text_add(&name, str_of(c->name));
    for (uint32_t i = 0; i < c->rank; i++) {
        text_add(&name, i ? STR(",") : STR("["));
        if (c->sizes[i] < 0)
            text_add_char(&name, ':');
        else
            text_printf(&name, "%d", (int)c->sizes[i]);
    }
    if (c->rank) text_add_char(&name, ']');
    return name.at;
}

static void draw_component(const Pen *pen, const Described *of, DescribedComponent *c, bool in_icon,
                           int depth)
{
    Picture *p = pen->p;
    Described *inner = describe_component(p->describer, c);
    if (!inner || !inner->layer_count) return;
    bool icon = in_icon || !c->is_connector || !has_graphics(p, inner, false);
    System2D system = system_of(p, inner, inner->layer_count - 1, icon);
    Placing placing = placing_of(p, of, c, in_icon, &system);
    if (!placing.is_there) return;
    Matrix layer = layer_matrix(p, of, c->layer, in_icon), around = matrix_join(&pen->matrix, &layer);
    const char *path = pen->path ? arena_printf(p->arena, "%s.%s", pen->path, c->name) : c->name;
    Pen own = { .p = p,
                .matrix = matrix_join(&around, &placing.matrix),
                .of = inner,
                .name = shown_name(p, c),
                .path = path };
    begin_group(p, c->is_connector ? "connector" : "component", path, c->is_enabled ? 1 : 0.3, &own.matrix);
    draw_instance(&own, &system, icon, depth + 1);
    end_group(p);
}

/* ---- diagrams -------------------------------------------------------------------------------- */

/* Whether an end of a connection is on a component that is not there now. */
static bool is_disabled(const Described *of, const char *end)
{
    const DescribedComponent *c = described_component(of, (Str){ end, strcspn(end, ".[") });
    return c && !c->is_enabled;
}

static void draw_connection_text(const Pen *pen, const DescribedConnection *c, const Datum *text,
                                 const Datum *line)
{
    const Datum *points = datum_member(line, "points");
    double index = datum_number(text, "index", 0);
    Point at = { 0, 0 };
    Str string = datum_text(text, "string");
    if (!string.n) string = datum_text(text, "textString");
    if (points && points->kind == DATUM_LIST && index != 0.0) {
        double k = index > 0.0 ? index - 1 : (double)points->n + index;
        if (k >= 0.0 && k < (double)points->n) point_of(points->at[(uint32_t)k], &at);
    }
    const char *last[] = { strrchr(c->from, '.'), strrchr(c->to, '.') };
    if (str_is(string, "%first")) string = str_of(last[0] ? last[0] + 1 : c->from);
    if (str_is(string, "%second")) string = str_of(last[1] ? last[1] + 1 : c->to);
    Matrix shift = { 1, 0, 0, 1, at.x, at.y }, m = matrix_join(&pen->matrix, &shift);
    draw_label(pen, text, string, &m);
}

static void draw_connections(const Pen *pen)
{
    Picture *p = pen->p;
    for (uint32_t i = 0; i < pen->of->connection_count; i++) {
        const DescribedConnection *c = &pen->of->connections[i];
        const DescribedLayer *layer = &pen->of->layers[c->layer];
        const Datum *all = describe_annotation(p->describer, layer->scope, c->annotation, NULL);
        const Datum *line = datum_member(all, "Line"), *text = datum_member(all, "Text");
        if (!line || !datum_member(line, "points")) continue;
        Matrix m = layer_matrix(p, pen->of, c->layer, false);
        Pen own = *pen;
        own.matrix = matrix_join(&pen->matrix, &m);
        bool off = is_disabled(pen->of, c->from) || is_disabled(pen->of, c->to);
        begin_group(p, "connection", arena_printf(p->arena, "%u", (unsigned)i), off ? 0.3 : 1, &own.matrix);
        draw_line(&own, line);
        if (text) draw_connection_text(&own, c, text, line);
        end_group(p);
    }
}

static void draw_diagram(const Pen *pen)
{
    draw_primitives(pen, false);
    draw_connections(pen);
    for (uint32_t i = 0; i < pen->of->component_count; i++)
        if (!pen->of->components[i].is_connector)
            draw_component(pen, pen->of, &pen->of->components[i], false, 0);
    /* connectors above all else, so that lines that end there are seen to do so */
    for (uint32_t i = 0; i < pen->of->component_count; i++)
        if (pen->of->components[i].is_connector)
            draw_component(pen, pen->of, &pen->of->components[i], false, 0);
}

Picture *picture_of(Describer *d, Described *of, const DrawOptions *options, Diag *diag)
{
    Picture *p = NEW(describer_arena(d), Picture);
    p->describer = d;
    p->of = of;
    p->options = options;
    p->arena = describer_arena(d);
    p->diag = diag;
    System2D system = system_of(p, of, of->layer_count - 1, options->is_icon);
    const Box *e = &system.extent;
    p->frame = (Box){ { fmin(e->low.x, e->high.x), fmin(e->low.y, e->high.y) },
                      { fmax(e->low.x, e->high.x), fmax(e->low.y, e->high.y) } };
    Pen pen = { .p = p, .matrix = identity, .of = of, .is_bare = true };
    if (options->is_icon)
        draw_instance(&pen, &system, true, 0);
    else
        draw_diagram(&pen);
    return p;
}

Box picture_frame(const Picture *p)
{
    Box b = p->frame;
    if (p->has_items && !p->options->is_framed) {
        b.low.x = fmin(b.low.x, p->box.low.x - 1);
        b.low.y = fmin(b.low.y, p->box.low.y - 1);
        b.high.x = fmax(b.high.x, p->box.high.x + 1);
        b.high.y = fmax(b.high.y, p->box.high.y + 1);
    }
    return b;
}
