/* bitmap.c: pictures inside of icons: files of libraries, or bytes in the annotation.
 *
 * Always: a file is one that a modelica:// URI names below its own library; nothing else of the
 * machine is read. A picture keeps its sides' ratio and is centred in its extent. Tests:
 * tests/cli/draw.sh. */
#include "draw/inside.h"

#include <math.h>
#include <stdio.h>

enum { LARGEST_IMAGE = 8 * 1024 * 1024 };

typedef struct {
    const char *type;
    double width, height; /* 0: not known */
} ImageKind;

static uint32_t big_endian(const unsigned char *b, int n)
{
    uint32_t v = 0;
    for (int i = 0; i < n; i++) v = v << 8 | b[i];
    return v;
}

/* The size that a JPEG's frame header says. */
static void jpeg_size(Str bytes, ImageKind *kind)
{
    const unsigned char *b = (const unsigned char *)bytes.at;
    for (size_t i = 2; i + 9 < bytes.n && b[i] == 0xff;) {
        bool is_frame =
            b[i + 1] >= 0xc0 && b[i + 1] <= 0xcf && b[i + 1] != 0xc4 && b[i + 1] != 0xc8 && b[i + 1] != 0xcc;
        if (is_frame) {
            kind->height = big_endian(b + i + 5, 2);
            kind->width = big_endian(b + i + 7, 2);
            return;
        }
        i += 2 + big_endian(b + i + 2, 2);
    }
}

static bool image_kind(Str bytes, ImageKind *kind)
{
    const unsigned char *b = (const unsigned char *)bytes.at;
    *kind = (ImageKind){ 0 };
    if (bytes.n > 24 && !memcmp(b, "\x89PNG\r\n\x1a\n", 8))
        *kind = (ImageKind){ "image/png", big_endian(b + 16, 4), big_endian(b + 20, 4) };
    else if (bytes.n > 10 && !memcmp(b, "GIF8", 4))
        *kind = (ImageKind){ "image/gif", b[6] + 256 * b[7], b[8] + 256 * b[9] };
    else if (bytes.n > 10 && b[0] == 0xff && b[1] == 0xd8)
        kind->type = "image/jpeg", jpeg_size(bytes, kind);
    else if (bytes.n > 26 && b[0] == 'B' && b[1] == 'M')
        kind->type = "image/bmp";
    else if (bytes.n > 10 && (memmem(b, size_min(bytes.n, 1000), "<svg", 4)))
        kind->type = "image/svg+xml";
    return kind->type != NULL;
}

static bool read_bytes(const char *path, Text *out)
{
    char chunk[65536];
    FILE *file = fopen(path, "rb");
    for (size_t n; file && out->n <= LARGEST_IMAGE && (n = fread(chunk, 1, sizeof chunk, file)) > 0;)
        text_add(out, (Str){ chunk, n });
    bool ok = file && !ferror(file) && out->n > 0 && out->n <= LARGEST_IMAGE;
    if (file) fclose(file);
    return ok;
}

static bool decode_base64(Str text, Text *out)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    uint32_t bits = 0;
    int n = 0;
    for (size_t i = 0; i < text.n && out->n < LARGEST_IMAGE; i++) {
        const char *at = text.at[i] ? strchr(letters, text.at[i]) : NULL;
        if (!at) continue; /* line ends, and the end's padding */
        bits = bits << 6 | (uint32_t)(at - letters);
        if (++n % 4 == 0 || n % 4 == 2 || n % 4 == 3)
            text_add_char(out, (char)(n % 4 == 0 ? bits : n % 4 == 2 ? bits >> 4 : bits >> 2));
    }
    return out->n > 0;
}

const char *draw_picture_file(Describer *d, const Class *cls, Str name, Text *bytes)
{
    ImageKind kind;
    const char *path = describe_resource(d, cls, name);
    bool read = path && file_kind(path) == FILE_REGULAR && read_bytes(path, bytes);
    return read && image_kind((Str){ bytes->at, bytes->n }, &kind) ? kind.type : NULL;
}

static bool image_bytes(const Pen *pen, const Datum *bitmap, Text *out)
{
    Picture *p = pen->p;
    Str name = datum_text(bitmap, "fileName"), source = datum_text(bitmap, "imageSource");
    if (source.n) return decode_base64(source, out);
    if (!name.n || !p->options->libraries) return false;
    draw_picture_file(p->describer, pen->of->cls, name, out);
    if (!out->n) picture_warn(p, bitmap->span, "the picture '%.*s' is not there", (int)name.n, name.at);
    return out->n > 0;
}

void draw_bitmap(const Pen *pen, const Datum *bitmap, const Matrix *m)
{
    Box b;
    Text bytes = { .arena = pen->p->arena };
    ImageKind kind;
    if (!extent_of(bitmap, "extent", &b)) {
        picture_warn(pen->p, bitmap->span, "the extent of this Bitmap cannot be found out");
        return;
    }
    if (!image_bytes(pen, bitmap, &bytes)) return;
    if (!image_kind((Str){ bytes.at, bytes.n }, &kind)) {
        picture_warn(pen->p, bitmap->span, "this Bitmap is of no known kind");
        return;
    }
    double w = b.high.x - b.low.x, h = b.high.y - b.low.y, cx = (b.low.x + b.high.x) / 2,
           cy = (b.low.y + b.high.y) / 2;
    if (kind.width > 0 && kind.height > 0) {
        double s = fmin(fabs(w) / kind.width, fabs(h) / kind.height);
        w = copysign(s * kind.width, w);
        h = copysign(s * kind.height, h);
    }
    Matrix unit = { w, 0, 0, h, cx - w / 2, cy - h / 2 };
    Item item = {
        .kind = ITEM_IMAGE, .matrix = matrix_join(m, &unit), .bytes = { bytes.at, bytes.n }, .type = kind.type
    };
    picture_add(pen->p, &item);
}
