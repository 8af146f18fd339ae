/* label.c: texts of icons and diagrams: their macros, their size, which way they read.
 *
 * A text without a font size is as large as its extent permits, so the width of letters has to be
 * known: those of Helvetica, which common fonts share. However an icon is turned or mirrored, its
 * texts read from the left or from below. Tests: tests/cli/draw.sh. */
#include "draw/inside.h"

#include <ctype.h>
#include <math.h>

/* Widths of ASCII from the space on, in thousandths of the size: the metrics of Helvetica. */
static const uint16_t widths[95] = {
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333,  278, 278, 556, 556, 556,
    556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667,
    611, 778, 722, 278, 500, 667, 556, 833, 722, 778, 667, 778, 722, 667,  611, 722, 667, 944, 667,
    667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556, 556, 278,  556, 556, 222, 222, 500,
    222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500,  500, 334, 260, 334, 584,
};

enum { LONGEST_LABEL = 2000 };
static const double LINE_HEIGHT = 1.16; /* of Helvetica: ascender and descender */
static const double POINT = 0.3528;     /* mm */

double label_width(Str text, bool bold)
{
    double w = 0;
    for (size_t i = 0; i < text.n;) {
        uint32_t code = 0;
        size_t n = utf8_next(text, i, &code);
        w += code >= 32 && code < 127 ? widths[code - 32] : 600;
        i += n ? n : 1;
    }
    return w / 1000 * (bold ? 1.07 : 1);
}

/* ---- macros ---------------------------------------------------------------------------------- */

/* The name behind a percent sign, and how much of the text it takes; n == 0: there is none. */
static Str macro_name(Str text, size_t at, size_t *taken)
{
    size_t end = at;
    if (at < text.n && text.at[at] == '{') {
        while (end < text.n && text.at[end] != '}') end++;
        *taken = end - at + (end < text.n);
        return (Str){ text.at + at + 1, end - at - 1 };
    }
    while (end < text.n && (isalnum((unsigned char)text.at[end]) || text.at[end] == '_')) end++;
    *taken = end - at;
    return (Str){ text.at + at, end - at };
}

static void add_macro(const Pen *pen, Str name, Text *out)
{
    Str value, unit;
    if (str_is(name, "name") && pen->name) {
        text_add(out, str_of(pen->name));
    } else if (str_is(name, "class")) {
        text_add(out, name_str(pen->of->cls->name));
    } else if (describe_display(pen->p->describer, pen->of, name, &value, &unit)) {
        text_add(out, value);
        if (unit.n) text_printf(out, " %.*s", (int)unit.n, unit.at);
    } else {
        text_add(out, name);
    }
}

static Str expand(const Pen *pen, Str text)
{
    Text out = { .arena = pen->p->arena };
    text_add_literal(&out, "");
    for (size_t i = 0; i < text.n && out.n < LONGEST_LABEL; i++) {
        size_t taken = 0;
        Str name = { 0 };
        if (text.at[i] == '%' && i + 1 < text.n && text.at[i + 1] == '%') {
            text_add_char(&out, '%');
            i++;
            continue;
        }
        if (text.at[i] == '%') name = macro_name(text, i + 1, &taken);
        bool stays = pen->is_bare && !str_is(name, "class");
        if (!name.n || stays) {
            text_add_char(&out, text.at[i]);
            continue;
        }
        add_macro(pen, name, &out);
        i += taken;
    }
    return (Str){ out.at, out.n };
}

/* ---- where and how large --------------------------------------------------------------------- */

typedef struct {
    Str at[32];
    uint32_t n;
    double width; /* of the widest, in units of the size */
} Lines;

static Lines lines_of(Str text, bool bold)
{
    Lines lines = { .n = 0 };
    size_t from = 0;
    for (size_t i = 0; i <= text.n && lines.n < COUNT_OF(lines.at); i++) {
        if (i < text.n && text.at[i] != '\n') continue;
        Str line = { text.at + from, i - from };
        if (line.n && line.at[line.n - 1] == '\r') line.n--;
        lines.at[lines.n++] = line;
        lines.width = fmax(lines.width, label_width(line, bold));
        from = i + 1;
    }
    return lines;
}

static bool has_style(const Datum *label, const char *name)
{
    const Datum *styles = datum_member(label, "textStyle");
    for (uint32_t i = 0; styles && styles->kind == DATUM_LIST && i < styles->n; i++)
        if (str_is(datum_static(styles->at[i])->text, name)) return true;
    return false;
}

static const char *family_of(const Datum *label)
{
    Str name = datum_text(label, "fontName");
    if (str_is(name, "serif") || str_is(name, "Times New Roman") || str_is(name, "Times")) return "serif";
    if (str_is(name, "monospace") || str_is(name, "Courier New") || str_is(name, "Courier"))
        return "monospace";
    return "sans-serif";
}

static Align align_of(const Datum *label, bool reversed)
{
    Str said = datum_text(label, "horizontalAlignment");
    Align align = str_is(said, "Left") ? ALIGN_LEFT : str_is(said, "Right") ? ALIGN_RIGHT : ALIGN_MIDDLE;
    return reversed && align != ALIGN_MIDDLE ? (Align)(ALIGN_RIGHT - align) : align;
}

static double font_size(const Datum *label, const Lines *lines, double width, double height)
{
    double points = datum_number(label, "fontSize", 0);
    if (points > 0) return points * POINT;
    double size = height / (LINE_HEIGHT * lines->n);
    if (width > 0 && lines->width * size > width) size = width / lines->width;
    return size;
}

static const char *dynamic_text(const Pen *pen, const Datum *label)
{
    Text text = { .arena = pen->p->arena };
    static const char *const keys[] = { "textString", "string", "textColor", "lineColor", "visible" };
    for (uint32_t i = 0; pen->p->options->is_live && i < label->n; i++) {
        const Datum *m = label->at[i];
        bool moves = m->kind == DATUM_DYNAMIC || m->kind == DATUM_OPEN;
        for (size_t k = 0; moves && m->key && k < COUNT_OF(keys); k++) {
            if (strcmp(m->key, keys[k]) != 0) continue;
            text_add(&text, text.n ? STR(",") : STR("{"));
            text_add_json(&text, str_of(m->key));
            text_add_char(&text, ':');
            text_add_json(&text, m->text);
        }
    }
    if (!text.n) return NULL;
    text_add_literal(&text, ",\"\":");
    text_add_json(&text, str_of(pen->path ? pen->path : ""));
    text_add_char(&text, '}');
    return text.at;
}

void draw_label(const Pen *pen, const Datum *label, Str string, const Matrix *m)
{
    Box b;
    static const Colour black = { 0, 0, 0 };
    bool bold = has_style(label, "Bold");
    Str text = expand(pen, string);
    const char *dynamic = dynamic_text(pen, label);
    if (!extent_of(label, "extent", &b)) {
        picture_warn(pen->p, label->span, "the extent of this text cannot be found out");
        return;
    }
    if (!text.n && !dynamic) return;
    Lines lines = lines_of(text, bold);
    double w = fabs(b.high.x - b.low.x) * hypot(m->a, m->b), h = fabs(b.high.y - b.low.y) * hypot(m->c, m->d);
    double angle = atan2(m->b, m->a) * (180 / 3.14159265358979323846);
    bool reversed = angle > 90.001 || angle <= -89.999;
    if (reversed) angle += angle > 0 ? -180 : 180;
    Align align = align_of(label, reversed);
    double x = align == ALIGN_MIDDLE ? 0.5 : (align == ALIGN_LEFT) != reversed ? 0 : 1;
    double low = fmin(b.low.x, b.high.x), high = fmax(b.low.x, b.high.x);
    Point at = matrix_apply(m, low + (high - low) * x, (b.low.y + b.high.y) / 2);
    Item item = { .kind = ITEM_TEXT,
                  .size = font_size(label, &lines, w, h > 0 ? h : w),
                  .angle = angle,
                  .align = align,
                  .bold = bold,
                  .italic = has_style(label, "Italic"),
                  .underline = has_style(label, "UnderLine"),
                  .family = family_of(label),
                  .colour = colour_of(label, "textColor", colour_of(label, "lineColor", black)),
                  .dynamic = dynamic };
    if (!(item.size > 0.01)) return;
    double r = angle * (3.14159265358979323846 / 180), step = item.size * LINE_HEIGHT;
    for (uint32_t i = 0; i < lines.n; i++) {
        double down = step * (i - (lines.n - 1) / 2.0);
        item.at = (Point){ at.x + sin(r) * down, at.y - cos(r) * down };
        item.text = lines.at[i];
        picture_add(pen->p, &item);
    }
}
