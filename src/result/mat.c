/* mat.c: results in the layout of Dymola's trajectories, MAT-file level 4.
 *
 * Out: Aclass, name, description, dataInfo, data_1 (constants at first and last time), data_2 (a
 * column a row of the result, so that it can grow at the end of the file). dataInfo says for each
 * name which matrix and which row of it, with a sign for aliases; the first name is time. Whenever
 * rows are flushed, the number of columns in the header of data_2 and the last time in data_1 are
 * set right, so that a killed run leaves a readable file. In: the same, and what Dymola and
 * OpenModelica write: either orientation (binTrans, binNormal), versions 1.1 and 1.0, single or
 * double precision, integers, both byte orders. Cost: a copy of the slots that are named, a row.
 * Source: The MathWorks, "MAT-File Level 4 File Format". Tests: tests/result/files_test.c. */
#include "result/inside.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

/* Invariant: a header that does not fit the file's length is refused; a data_2 that is cut short
 * gives the rows that are whole. */

enum { HEADER = 20, TYPE_DOUBLE = 0, TYPE_INT = 20, TYPE_TEXT = 51, CLASS_ROWS = 4, CLASS_WIDTH = 11 };

/* ---- writing --------------------------------------------------------------------------------- */

typedef struct {
    ResultSink sink;
    Out out;
    int *slots; /* of the rows of data_2 below time */
    size_t width;
    size_t rows;
    uint64_t columns_at;  /* where the header of data_2 holds the number of columns */
    uint64_t times_at[2]; /* where data_1 holds first and last time */
    double t_first, t_last;
} Mat;

static bool put(Mat *mat, const void *bytes, size_t n)
{
    char *at = out_reserve(&mat->out, &mat->sink, n);
    if (!at) return false;
    memcpy(at, bytes, n);
    mat->out.n += n;
    return true;
}

static bool put_header(Mat *mat, int32_t type, size_t rows, size_t columns, const char *name)
{
    int32_t head[5] = { type, (int32_t)rows, (int32_t)columns, 0, (int32_t)strlen(name) + 1 };
    if (rows > INT32_MAX || columns > INT32_MAX)
        return sink_fail(&mat->sink, "%zu variables are too many for a MAT file", columns);
    return put(mat, head, sizeof head) && put(mat, name, strlen(name) + 1);
}

static uint64_t position(const Mat *mat) { return mat->out.written + mat->out.n; }

static void column_text(const Column *column, bool name, Text *text)
{
    text->n = 0;
    text_add(text, str_of(name ? column->name : column->description));
    if (!name && *column->unit) text_printf(text, "%s[%s]", text->n ? " " : "", column->unit);
}

/* A matrix of texts, one a column, filled up with zeros. */
static bool put_texts(Mat *mat, const Column *columns, size_t n, bool names, Text *text)
{
    static const Column time = { .name = "time", .unit = "s", .description = "Simulation time" };
    size_t longest = 1;
    for (size_t i = 0; i <= n; i++) {
        column_text(i ? &columns[i - 1] : &time, names, text);
        longest = size_max(longest, text->n);
    }
    if (!put_header(mat, TYPE_TEXT, longest, n + 1, names ? "name" : "description")) return false;
    for (size_t i = 0; i <= n; i++) {
        column_text(i ? &columns[i - 1] : &time, names, text);
        char *at = out_reserve(&mat->out, &mat->sink, longest);
        if (!at) return false;
        memset(at, 0, longest);
        if (text->n) memcpy(at, text->at, text->n);
        mat->out.n += longest;
    }
    return true;
}

/* Numbers the slots that are used, in each matrix from 2: row 1 is time. */
static void number_slots(const Column *columns, size_t n, Map maps[2], size_t counts[2])
{
    for (size_t i = 0; i < n; i++) {
        int which = columns[i].kind != COLUMN_CONSTANT;
        bool is_new;
        uint64_t *place = map_put(&maps[which], (uint64_t)columns[i].slot + 1, &is_new);
        if (is_new) *place = 2 + counts[which]++;
    }
}

static bool put_info(Mat *mat, const Column *columns, size_t n, const Map maps[2])
{
    static const int32_t time[4] = { 0, 1, 0, -1 };
    if (!put_header(mat, TYPE_INT, 4, n + 1, "dataInfo") || !put(mat, time, sizeof time)) return false;
    for (size_t i = 0; i < n; i++) {
        int which = columns[i].kind != COLUMN_CONSTANT;
        uint64_t place = 0;
        map_get(&maps[which], (uint64_t)columns[i].slot + 1, &place);
        int32_t row = (int32_t)place,
                info[4] = { which + 1, columns[i].negated ? -row : row, 0, which ? -1 : 0 };
        if (!put(mat, info, sizeof info)) return false;
    }
    return true;
}

static bool put_constants(Mat *mat, const Column *columns, size_t n, const double *values, size_t count)
{
    double zero = 0.0;
    if (!put_header(mat, TYPE_DOUBLE, count + 1, 2, "data_1")) return false;
    for (int end = 0; end < 2; end++) {
        mat->times_at[end] = position(mat);
        if (!put(mat, &zero, sizeof zero)) return false;
        size_t written = 0;
        Map seen = { .arena = arena_new() };
        if (!seen.arena) return sink_fail(&mat->sink, "no memory for constants");
        for (size_t i = 0; i < n && written < count; i++) {
            bool is_new = false;
            if (columns[i].kind == COLUMN_CONSTANT) map_put(&seen, (uint64_t)columns[i].slot + 1, &is_new);
            if (!is_new) continue;
            written++;
            if (!put(mat, &values[columns[i].slot], sizeof(double))) break;
        }
        arena_free(seen.arena);
    }
    return !mat->sink.failed;
}

static bool put_front(Mat *mat, Arena *arena, const Column *columns, size_t n, const double *values)
{
    static const char class_text[CLASS_ROWS][CLASS_WIDTH + 1] = { "Atrajectory", "1.1        ", "           ",
                                                                  "binTrans   " };
    char turned[CLASS_WIDTH * CLASS_ROWS];
    Text text = { .arena = arena };
    Map maps[2] = { { .arena = arena }, { .arena = arena } };
    size_t counts[2] = { 0 };
    for (int i = 0; i < CLASS_WIDTH * CLASS_ROWS; i++) turned[i] = class_text[i % CLASS_ROWS][i / CLASS_ROWS];
    number_slots(columns, n, maps, counts);
    if (!put_header(mat, TYPE_TEXT, CLASS_ROWS, CLASS_WIDTH, "Aclass") || !put(mat, turned, sizeof turned) ||
        !put_texts(mat, columns, n, true, &text) || !put_texts(mat, columns, n, false, &text) ||
        !put_info(mat, columns, n, maps) || !put_constants(mat, columns, n, values, counts[0]))
        return false;
    mat->columns_at = position(mat) + 2 * sizeof(int32_t);
    mat->width = counts[1];
    mat->slots = calloc(counts[1] + 1, sizeof *mat->slots);
    if (!mat->slots) return sink_fail(&mat->sink, "no memory for %zu columns", n);
    for (size_t i = 0; i < n; i++) {
        uint64_t place;
        if (columns[i].kind != COLUMN_CONSTANT && map_get(&maps[1], (uint64_t)columns[i].slot + 1, &place))
            mat->slots[place - 2] = columns[i].slot;
    }
    return put_header(mat, TYPE_DOUBLE, counts[1] + 1, 0, "data_2");
}

static bool mat_begin(ResultSink *sink, const Column *columns, size_t n, const double *values)
{
    Mat *mat = (Mat *)sink;
    Arena *arena = arena_new();
    if (!arena) return sink_fail(sink, "no memory for %zu columns", n);
    const Column *numbers = columns_of_numbers(arena, columns, &n);
    bool ok = put_front(mat, arena, numbers, n, values) && out_flush(&mat->out, sink);
    arena_free(arena);
    return ok;
}

static bool mat_flush(Mat *mat)
{
    int32_t columns = (int32_t)mat->rows;
    return out_flush(&mat->out, &mat->sink) &&
           out_patch(&mat->out, &mat->sink, mat->columns_at, &columns, sizeof columns) &&
           out_patch(&mat->out, &mat->sink, mat->times_at[0], &mat->t_first, sizeof mat->t_first) &&
           out_patch(&mat->out, &mat->sink, mat->times_at[1], &mat->t_last, sizeof mat->t_last);
}

static bool mat_row(ResultSink *sink, double t, const double *values)
{
    Mat *mat = (Mat *)sink;
    char *at = out_reserve(&mat->out, sink, (mat->width + 1) * sizeof(double));
    if (!at) return false;
    if (mat->rows == INT32_MAX) return sink_fail(sink, "a MAT file holds no more than %d rows", INT32_MAX);
    if (mat->rows == 0) mat->t_first = t;
    memcpy(at, &t, sizeof t);
    for (size_t i = 0; i < mat->width; i++)
        memcpy(at + (i + 1) * sizeof(double), &values[mat->slots[i]], sizeof(double));
    mat->out.n += (mat->width + 1) * sizeof(double);
    mat->rows++;
    mat->t_last = t;
    return sink->eager || out_is_due(&mat->out) ? mat_flush(mat) : true;
}

/* A run that failed before it began has nothing to set right. */
static bool mat_end(ResultSink *sink)
{
    Mat *mat = (Mat *)sink;
    return !sink->failed && (!mat->slots || mat_flush(mat));
}

static void mat_free(ResultSink *sink)
{
    Mat *mat = (Mat *)sink;
    out_close(&mat->out);
    free(mat->slots);
    free(mat);
}

ResultSink *mat_sink(const char *path, char *why, size_t room)
{
    static const SinkType type = { mat_begin, mat_row, mat_end, mat_free };
    Mat *mat = calloc(1, sizeof *mat);
    if (!mat) {
        snprintf(why, room, "no memory to write '%s'", path);
        return NULL;
    }
    mat->sink.type = &type;
    if (!out_open(&mat->out, path, why, room)) {
        free(mat);
        return NULL;
    }
    if (mat->out.seekable) return &mat->sink;
    snprintf(why, room, "'%s' cannot be sought in, which MAT files need; write .csv there", path);
    mat_free(&mat->sink);
    return NULL;
}

/* ---- reading --------------------------------------------------------------------------------- */

typedef struct {
    Str name;
    size_t rows, columns, item; /* item: bytes a number */
    int precision;              /* 0 double, 1 single, 2 int32, 3 int16, 4 uint16, 5 uint8 */
    bool swapped;
    const char *at;
} Matrix;

static uint32_t word_at(const char *at, bool swapped)
{
    uint32_t w;
    memcpy(&w, at, sizeof w);
    return swapped ? __builtin_bswap32(w) : w;
}

static double number_at(const Matrix *m, size_t row, size_t column)
{
    unsigned char bytes[8] = { 0 };
    const char *at = m->at + (column * m->rows + row) * m->item;
    for (size_t i = 0; i < m->item; i++) bytes[i] = (unsigned char)at[m->swapped ? m->item - 1 - i : i];
    union {
        double d;
        float f;
        int32_t i;
        int16_t s;
        uint16_t u;
        uint8_t c;
    } as;
    memcpy(&as, bytes, sizeof as);
    double values[] = { m->precision == 0 ? as.d : 0.0, (double)as.f, as.i, as.s, as.u, as.c };
    return values[m->precision];
}

/* The matrix at *at, and the place after it. A matrix that is cut short loses its last columns. */
static bool next_matrix(Str bytes, size_t *at, Matrix *m, bool *cut)
{
    static const size_t sizes[] = { 8, 4, 4, 2, 2, 1 };
    if (bytes.n - *at < HEADER) return false;
    uint32_t type = word_at(bytes.at + *at, false);
    bool swapped = type > 9999;
    uint32_t h[5];
    for (size_t i = 0; i < 5; i++) h[i] = word_at(bytes.at + *at + 4 * i, swapped);
    uint32_t order = h[0] / 1000, precision = h[0] / 10 % 10;
    if (h[0] > 1999 || order > 1 || precision > 5 || h[3] != 0 || h[4] == 0 || h[4] > 256) return false;
    if (h[1] > INT32_MAX || h[2] > INT32_MAX || bytes.n - *at - HEADER < h[4]) return false;
    *m = (Matrix){ .rows = h[1],
                   .columns = h[2],
                   .item = sizes[precision],
                   .precision = (int)precision,
                   .swapped = swapped,
                   .name = { bytes.at + *at + HEADER, h[4] - 1 },
                   .at = bytes.at + *at + HEADER + h[4] };
    size_t left = (size_t)(bytes.at + bytes.n - m->at), column = m->rows * m->item;
    *cut = column && m->columns > left / column;
    if (*cut) m->columns = left / column;
    *at = (size_t)(m->at - bytes.at) + m->columns * column;
    return true;
}

bool mat_is(Str bytes)
{
    Matrix m;
    size_t at = 0;
    bool cut;
    return next_matrix(bytes, &at, &m, &cut) && !cut && str_is(m.name, "Aclass");
}

enum { CLASS, NAME, DESCRIPTION, INFO, DATA_1, DATA_2, MATRICES };
static const char *const matrix_names[MATRICES] = { "Aclass",   "name",   "description",
                                                    "dataInfo", "data_1", "data_2" };
/* The same in version 1.0, which Dymola writes when it saves what is plotted: a name for each
 * column, and nothing else. */
static const char *const plain_names[MATRICES] = { [CLASS] = "Aclass", [NAME] = "names", [DATA_2] = "data" };

typedef struct {
    Matrix m[MATRICES];
    bool there[MATRICES];
    bool turned; /* binTrans: names are columns, rows of the result are columns */
    bool plain;  /* version 1.0 */
} File;

static char character(double code) { return code >= 0.0 && code < 256.0 ? (char)(unsigned char)code : '?'; }

/* Entry (i, j) of a matrix that has an item a row in binNormal. */
static double entry(const File *f, int which, size_t i, size_t j)
{
    return f->turned ? number_at(&f->m[which], j, i) : number_at(&f->m[which], i, j);
}

static size_t items(const File *f, int which) { return f->turned ? f->m[which].columns : f->m[which].rows; }
static size_t width(const File *f, int which) { return f->turned ? f->m[which].rows : f->m[which].columns; }

static char *text_item(const File *f, Arena *arena, int which, size_t i)
{
    size_t n = width(f, which);
    char *text = arena_alloc(arena, n + 1);
    for (size_t j = 0; j < n; j++) text[j] = character(entry(f, which, i, j));
    text[n] = 0;
    n = strlen(text);
    while (n && text[n - 1] == ' ') text[--n] = 0;
    return text;
}

static void take_matrix(File *f, const Matrix *m, bool cut)
{
    for (int i = 0; i < MATRICES; i++) {
        bool is_plain = plain_names[i] && str_is(m->name, plain_names[i]);
        if (!is_plain && !str_is(m->name, matrix_names[i])) continue;
        f->m[i] = *m;
        f->there[i] = !cut || i == DATA_2;
        if (i == NAME) f->plain = is_plain;
    }
}

static bool find_matrices(Str bytes, File *f, bool *truncated, char *why, size_t room)
{
    Matrix m;
    bool cut = false;
    for (size_t at = 0; !cut && next_matrix(bytes, &at, &m, &cut);) take_matrix(f, &m, cut);
    *truncated = cut;
    for (int i = 0; i < MATRICES; i++)
        if (!f->there[i] && i != DESCRIPTION && i != DATA_1 && !(f->plain && i == INFO)) {
            snprintf(why, room, "the matrix '%s' of a trajectory is missing or cut short", matrix_names[i]);
            return false;
        }
    f->turned = true;
    const Matrix *class_ = &f->m[CLASS];
    char layout[9] = { 0 };
    for (size_t j = 0; class_->rows >= 4 && j < 8 && j < class_->columns; j++)
        layout[j] = character(number_at(class_, 3, j));
    if (!strncmp(layout, "binNorma", 8)) f->turned = false;
    return true;
}

/* The numbers of data_1 or data_2, a row of the result after the other. */
static const double *numbers_of(const File *f, Arena *arena, int which)
{
    if (!f->there[which]) return NULL;
    size_t n = items(f, which), w = width(f, which);
    double *numbers = NEW_ARRAY(arena, double, n *w + 1);
    const Matrix *m = &f->m[which];
    if (f->turned && m->precision == 0 && !m->swapped) {
        /* as we have them: by far the most frequent */
        if (n > 0 && w > 0) memcpy(numbers, m->at, n * w * sizeof(double));
        return numbers;
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < w; j++) numbers[i * w + j] = entry(f, which, i, j);
    return numbers;
}

/* Takes a unit "[V]" from the end of a description. */
static const char *split_unit(Arena *arena, char *description)
{
    size_t n = strlen(description);
    char *open = strrchr(description, '[');
    if (!open || n == 0 || description[n - 1] != ']') return "";
    char *unit = arena_copy(arena, (Str){ open + 1, (size_t)(description + n - 1 - open - 1) });
    unit[strcspn(unit, "|")] = 0; /* after a bar Dymola has the unit to display */
    while (open > description && open[-1] == ' ') open--;
    *open = 0;
    return unit;
}

static bool place_signal(const File *f, const double *const data[2], size_t i, Signal *s)
{
    double which = f->plain ? 2.0 : entry(f, INFO, i, 0),
           signed_row = f->plain ? (double)i + 1 : entry(f, INFO, i, 1);
    int matrix = which == 1.0 ? 0 : 1;
    double row = signed_row < 0 ? -signed_row : signed_row;
    if (!data[matrix] || !(row >= 1.0 && row <= (double)width(f, DATA_1 + matrix))) return false;
    s->sign = signed_row < 0 ? -1.0 : 1.0;
    s->at = data[matrix] + (size_t)row - 1;
    s->kind = matrix ? COLUMN_CONTINUOUS : COLUMN_CONSTANT;
    s->stride = matrix ? width(f, DATA_2) : 0;
    return matrix || items(f, DATA_1) > 0;
}

bool mat_read(ResultTable *table, Str bytes, char *why, size_t room)
{
    File f = { 0 };
    if (!find_matrices(bytes, &f, &table->truncated, why, room)) return false;
    size_t n = items(&f, NAME);
    size_t places = f.plain ? width(&f, DATA_2) : items(&f, INFO);
    if (n == 0 || width(&f, NAME) == 0 || places != n || (!f.plain && width(&f, INFO) < 2)) {
        snprintf(why, room, "%zu names, but %zu places of data", n, places);
        return false;
    }
    const double *data[2] = { numbers_of(&f, table->arena, DATA_1), numbers_of(&f, table->arena, DATA_2) };
    table->rows = items(&f, DATA_2);
    table->signals = NEW_ARRAY(table->arena, Signal, n);
    for (size_t i = 0; i < n; i++) {
        if (i && !f.plain && entry(&f, INFO, i, 0) > 2.0)
            continue; /* texts that change in time, of other tools */
        Signal *s = i ? &table->signals[table->count++] : &table->time;
        s->name = text_item(&f, table->arena, NAME, i);
        s->unit = "";
        s->description = "";
        if (f.there[DESCRIPTION] && i < items(&f, DESCRIPTION)) {
            char *text = text_item(&f, table->arena, DESCRIPTION, i);
            s->unit = split_unit(table->arena, text);
            s->description = text;
        }
        if (!place_signal(&f, data, i, s)) {
            snprintf(why, room, "'%s' points to data that are not there", s->name);
            return false;
        }
    }
    return true;
}
