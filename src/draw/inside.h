/* inside.h: what the files of the draw room share: a picture is a list of items in the coordinates
 * of the class that is drawn, y upward; it is made once and then written in some format. */
#ifndef ACAUSAL_DRAW_INSIDE_H
#define ACAUSAL_DRAW_INSIDE_H

#include "draw/draw.h"

/* x' = a x + c y + e, y' = b x + d y + f */
typedef struct {
    double a, b, c, d, e, f;
} Matrix;

typedef struct {
    double x, y;
} Point;

typedef struct {
    Point low, high;
} Box;

static inline Point matrix_apply(const Matrix *m, double x, double y)
{
    return (Point){ m->a * x + m->c * y + m->e, m->b * x + m->d * y + m->f };
}
Matrix matrix_join(const Matrix *outer, const Matrix *inner); /* first inner, then outer */
double matrix_scale(const Matrix *m);                         /* of lengths, on average */

typedef enum { PATH_MOVE, PATH_LINE, PATH_CURVE, PATH_CLOSE } PathVerb;
typedef struct {
    PathVerb verb;
    Point at[3]; /* a curve's control points, and its end; else the first one is the place */
} PathStep;
typedef VEC(PathStep) DrawPath;

typedef struct {
    uint8_t r, g, b;
} Colour;

typedef enum { PAINT_NONE, PAINT_SOLID, PAINT_CYLINDER, PAINT_SPHERE } PaintKind;
typedef struct {
    PaintKind kind;
    Colour inner, edge; /* solid: inner */
    Matrix unit;        /* from the square of -1 to 1, across which a cylinder changes along y */
} Paint;

typedef struct {
    Colour colour;
    double width; /* 0: no line */
    double dashes[6];
    int dash_count;
} Stroke;

typedef enum { ITEM_GROUP, ITEM_END, ITEM_PATH, ITEM_CLIP, ITEM_UNCLIP, ITEM_TEXT, ITEM_IMAGE } ItemKind;
typedef enum { ALIGN_LEFT, ALIGN_MIDDLE, ALIGN_RIGHT } Align;

typedef struct {
    ItemKind kind;
    const char *role;    /* of a group: "component", "connection", "connector"; NULL: none */
    const char *name;    /* what it is in the class; may be NULL */
    double opacity;      /* of a group */
    const char *dynamic; /* JSON: what changes with time; NULL: nothing */
    Matrix matrix;       /* of an image: from the unit square; of a group: where its own units are */
    DrawPath path;
    Paint paint;
    Stroke stroke;
    /* texts: the middle of the line, at an angle in degrees */
    Str text;
    Point at;
    double size, angle;
    Align align;
    bool bold, italic, underline;
    const char *family;
    Colour colour;
    Str bytes; /* of an image file */
    const char *type;
} Item;

typedef struct {
    Describer *describer;
    Described *of;
    const DrawOptions *options;
    Arena *arena;
    Diag *diag;
    VEC(Item) items;
    Box box;   /* of all that is drawn */
    Box frame; /* the coordinate system of the class */
    bool has_items;
} Picture;

/* scene.c: what is where. */
Picture *picture_of(Describer *d, Described *of, const DrawOptions *options, Diag *diag);

/* Where a primitive stands. */
typedef struct {
    Picture *p;
    Matrix matrix;
    Described *of;           /* the instance whose icon it is part of */
    const char *name, *path; /* of the component in the class that is drawn; NULL: that class itself */
    bool is_bare;            /* texts keep their macros */
} Pen;

/* shape.c: a primitive of `graphics`. */
void draw_shape(const Pen *place, const Datum *shape);
/* A line of a connection. */
void draw_line(const Pen *place, const Datum *line);
Colour colour_of(const Datum *of, const char *key, Colour otherwise);
bool point_of(const Datum *datum, Point *point);
bool extent_of(const Datum *of, const char *key, Box *box); /* false: there is none; corners as given */
void picture_add(Picture *p, const Item *item);
void picture_warn(Picture *p, Span span, const char *format, ...) PRINTF_LIKE(3, 4);

/* label.c: texts: macros, sizes. */
void draw_label(const Pen *place, const Datum *label, Str string, const Matrix *matrix);
double label_width(Str text, bool bold); /* in units of the font's size */

/* bitmap.c */
void draw_bitmap(const Pen *place, const Datum *bitmap, const Matrix *matrix);

Box picture_frame(const Picture *p); /* what of the plane the picture shows */

#endif
