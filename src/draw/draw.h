/* draw.h: the door of the draw room: icons and diagrams of classes, as their annotations say, as
 * SVG or as a bitmap. */
#ifndef ACAUSAL_DRAW_H
#define ACAUSAL_DRAW_H

#include "sema/describe.h"

typedef struct {
    bool is_icon;         /* its icon rather than its diagram */
    bool is_live;         /* for the studio: groups say which component they are, texts what they follow */
    bool is_framed;       /* the picture is the coordinate system, whatever sticks out */
    double scale;         /* pixels of a PNG for one unit; 0: 4 */
    Libraries *libraries; /* where bitmaps are found */
} DrawOptions;

/* What could not be drawn is reported as warnings. */
void draw_svg(Describer *d, Described *of, const DrawOptions *options, Diag *diag, Text *out);
/* False: `why`. */
bool draw_png(Describer *d, Described *of, const DrawOptions *options, Diag *diag, Text *out, char *why,
              size_t room);

/* The bytes of a picture that a class names, and its type, "image/png"; NULL: there is none. */
const char *draw_picture_file(Describer *d, const Class *cls, Str name, Text *bytes);

#endif
