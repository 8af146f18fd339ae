/* What is written reads back exactly, in both formats, with aliases, constants, units and odd
 * names; a file that is cut at any byte gives whole rows or a reason; full disks and places that
 * cannot be written are told. */
#include "result/result.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SLOTS = 4, ROWS = 500 };

static const Column columns[] = {
    { "x", "m", "position", COLUMN_CONTINUOUS, 0, false },
    { "der(x)", "m/s", "", COLUMN_CONTINUOUS, 1, false },
    { "a[1,2].\"odd\" name", "", "a name with everything", COLUMN_CONTINUOUS, 0, true },
    { "on", "", "", COLUMN_DISCRETE, 2, false },
    { "g", "m/s2", "gravity", COLUMN_CONSTANT, 3, false },
    { "minus_g", "m/s2", "", COLUMN_CONSTANT, 3, true },
};

static double slot_value(int slot, int row)
{
    const double values[SLOTS] = { sin(0.1 * row) / 3.0, exp(0.7 * row - 100.0), row / 100 % 2, 9.81 };
    return values[slot];
}

static double time_of(int row) { return row / 7.0; }

static bool write_rows(ResultSink *sink, int rows)
{
    double values[SLOTS];
    bool ok = true;
    for (int i = 0; i < rows && ok; i++) {
        for (int k = 0; k < SLOTS; k++) values[k] = slot_value(k, i);
        if (i == 0) ok = sink_begin(sink, columns, COUNT_OF(columns), values);
        ok = ok && sink_row(sink, time_of(i), values);
    }
    return sink_end(sink) && ok;
}

static void check_table(const ResultTable *table, int rows, bool units)
{
    int wrong = 0;
    CHECK(table->rows == (size_t)rows && table->count == COUNT_OF(columns));
    for (size_t j = 0; j < table->count && table->count == COUNT_OF(columns); j++) {
        const Signal *s = result_find(table, columns[j].name);
        if (!CHECK(s != NULL)) continue;
        if (units) {
            CHECK_TEXT(s->unit, columns[j].unit);
            CHECK_TEXT(s->description, columns[j].description);
        }
        for (int i = 0; i < rows; i++) {
            double want = slot_value(columns[j].slot, i);
            wrong += signal_at(s, (size_t)i) != (columns[j].negated ? -want : want);
            wrong += signal_at(&table->time, (size_t)i) != time_of(i);
        }
    }
    CHECK(wrong == 0);
}

static void check_round_trip(const char *path, bool units)
{
    char why[240] = "";
    ResultSink *sink = sink_open_file(path, why, sizeof why);
    if (!CHECK(sink != NULL)) return;
    CHECK(write_rows(sink, ROWS));
    sink_free(sink);
    ResultTable *table = result_read(path, why, sizeof why);
    if (CHECK_ROW(table != NULL, why)) check_table(table, ROWS, units);
    result_free(table);
}

/* The same file cut after any number of bytes: rows that are whole, or a reason, and never a wrong
 * number. */
static void check_cuts(const char *path, const char *cut)
{
    char why[240];
    FILE *file = fopen(path, "rb");
    static char bytes[200000];
    size_t n = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    int wrong = 0, read = 0;
    for (size_t k = 1; k < n; k += n / 97) {
        unlink(cut);
        file = fopen(cut, "wb");
        fwrite(bytes, 1, k, file);
        fclose(file);
        why[0] = 0;
        ResultTable *table = result_read(cut, why, sizeof why);
        if (!table) {
            wrong += !*why;
            continue;
        }
        read++;
        for (size_t i = 0; i + 1 < table->rows; i++)
            wrong += signal_at(&table->time, i) != time_of((int)i) ||
                     (table->count && signal_at(&table->signals[0], i) != slot_value(0, (int)i));
        result_free(table);
    }
    CHECK(wrong == 0 && read > 40);
}

/* Single bytes changed: the reader gives a table or a reason, and stays inside of the file. */
static void check_damage(const char *path, const char *damaged)
{
    static const char values[] = { 0, 1, 0x7F, (char)0xFF };
    char why[240];
    static char bytes[4000];
    FILE *file = fopen(path, "rb");
    size_t n = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    int wrong = 0;
    for (size_t k = 0; k < n && k < 1200; k++) {
        char kept = bytes[k];
        bytes[k] = values[k % COUNT_OF(values)];
        unlink(damaged); /* rewriting a file in place is slow on some systems */
        file = fopen(damaged, "wb");
        fwrite(bytes, 1, n, file);
        fclose(file);
        bytes[k] = kept;
        why[0] = 0;
        ResultTable *table = result_read(damaged, why, sizeof why);
        for (size_t i = 0; table && i < table->count && table->rows; i++)
            wrong += signal_at(&table->signals[i], table->rows - 1) == 12345.678;
        wrong += !table && !*why;
        result_free(table);
    }
    CHECK(wrong == 0);
}

static const struct {
    const char *text, *why; /* NULL: reads, with rows, and this last value of the last column */
    size_t rows;
    double last;
} foreign[] = {
    { "time,x\n0,1\n1,2\n", NULL, 2, 2 },
    { "\"time\",\"x\"\r\n0,1\r\n1,2.5\r\n", NULL, 2, 2.5 },
    { "\xEF\xBB\xBFtime;x\n0;1\n1;3", NULL, 2, 3 },
    { "Time\tx\n0\t1\n\n1\t4\n", NULL, 2, 4 },
    { "time, x\n0, 1\n1, 5 \n", NULL, 2, 5 },
    { "time,x\n0,true\n1,\n2,\n", NULL, 3, 1 },
    { "time,x\n", NULL, 0, 0 },
    { "time,x\n0,1\n1", NULL, 1, 1 },
    { "time,x,\n0,1,\n1,6,\n", NULL, 2, 6 }, /* OpenModelica ends lines with a comma */
    { "time;x\r\n0,0;1,5\r\n0,5;2,75\r\n", NULL, 2, 2.75 },
    { "sep=;\ntime;x\n0;1\n1;7\n", NULL, 2, 7 },
    { "time,x\r0,1\r1,8\r", NULL, 2, 8 },
    { "\n\ntime,x\n0,1\n1,9\n\n\n", NULL, 2, 9 },
    { "time,x\ns,m\n0,1\n1,10\n", NULL, 2, 10 },
    { "Time;x\n[s];[m]\n0;1\n1;11\n", NULL, 2, 11 },
    { "\"time [s]\",\"x [m]\"\n0,1\n1,12\n", NULL, 2, 12 },
    { "TIME (s)\tx (m)\n0\t1\n1\t13\n", NULL, 2, 13 },
    { "y,time,x\n5,0,1\n6,1,14\n", NULL, 2, 14 },
    { "t,x\n0,1\n1,15\n", NULL, 2, 15 },
    { "time,x\n0,\"1\"\n1,\"16\"\n", NULL, 2, 16 },
    { "time,x[1]\n0,1\n1,17\n", NULL, 2, 17 },
    { "time [ms],x\n0,1\n", "time is in 'ms'", 0, 0 },
    { "x,y\n0,1\n", "no column is named 'time'; the first one is 'x'", 0, 0 },
    { "0,1\n1,2\n", "should hold the names of the columns", 0, 0 },
    { "\n\n", "no line with names", 0, 0 },
    { "time,x\nx,1\n", "line 2, column 1: 'x'", 0, 0 },
    { "MATLAB 5.0 MAT-file, Platform: GLNXA64", "MAT file of version 5", 0, 0 },
    { "\xFF\xFEt", "UTF-16", 0, 0 },
    { "PK\x03\x04", "zip archive", 0, 0 },
    { "time,x\n0,1\n1,one\n", "line 3, column 2: 'one'", 0, 0 },
    { "time,x\n0\n1,2\n", "line 2: 1 cells instead of 2", 0, 0 },
    { "time,x\n0,1,2\n", "more than 2", 0, 0 },
    { "time,x\n1,1\n0,2\n", "not increasing in row 2", 0, 0 },
    { "", "empty", 0, 0 },
};

static void check_foreign(const char *path)
{
    for (size_t i = 0; i < COUNT_OF(foreign); i++) {
        char why[240] = "";
        FILE *file = fopen(path, "wb");
        fputs(foreign[i].text, file);
        fclose(file);
        ResultTable *table = result_read(path, why, sizeof why);
        if (foreign[i].why) {
            CHECK_ROW(!table && strstr(why, foreign[i].why), foreign[i].text);
        } else if (CHECK_ROW(table != NULL, why)) {
            CHECK_ROW(table->rows == foreign[i].rows, foreign[i].text);
            if (table->rows)
                CHECK_ROW(signal_at(&table->signals[table->count - 1], table->rows - 1) == foreign[i].last,
                          foreign[i].text);
        }
        result_free(table);
    }
}

/* Texts: a column that begins with one holds them all, also empty ones; one that begins with a
 * number holds none, gaps or not. */
static void check_texts(const char *path)
{
    char why[240] = "";
    FILE *file = fopen(path, "wb");
    fputs("time,s,x\n0,a,1\n1,\"b, c\",2\n2,,3\n3,\"\",4\n", file);
    fclose(file);
    ResultTable *table = result_read(path, why, sizeof why);
    if (CHECK_ROW(table != NULL, why)) {
        static const char *const wanted[] = { "a", "b, c", "b, c", "" };
        CHECK(table->signals[0].kind == COLUMN_TEXT && table->signals[1].kind != COLUMN_TEXT);
        for (size_t i = 0; i < 4; i++)
            CHECK_TEXT(table->texts->names.at[(size_t)signal_at(&table->signals[0], i)].name, wanted[i]);
    }
    result_free(table);
    file = fopen(path, "wb");
    fputs("time,x\n0,1\n1,\n2,one\n", file);
    fclose(file);
    table = result_read_data(path, why, sizeof why);
    CHECK_ROW(!table && strstr(why, "line 4, column 2: 'one'"), why);
    result_free(table);
}

/* ---- MAT files as other tools write them: either orientation, single precision, the other byte
 * order */

typedef struct {
    FILE *file;
    bool normal, single, big;
} Foreign;

static void put_bytes(const Foreign *f, const void *value, size_t n)
{
    const unsigned char *bytes = value;
    for (size_t i = 0; i < n; i++) fputc(bytes[f->big ? n - 1 - i : i], f->file);
}

static void put_number(const Foreign *f, int type, double value)
{
    float single = (float)value;
    int32_t whole = (int32_t)value;
    if (type == 51)
        fputc((int)value, f->file);
    else
        put_bytes(f,
                  type == 20   ? (void *)&whole
                  : type == 10 ? (void *)&single
                               : (void *)&value,
                  type ? 4 : 8);
}

/* `items` rows of `width` numbers, or the other way round; the class is never turned. */
static void put_matrix(const Foreign *f, const char *name, int type, int items, int width,
                       const double *numbers)
{
    bool turned = !f->normal && strcmp(name, "Aclass") != 0;
    int32_t head[5] = { type + (f->big ? 1000 : 0), turned ? width : items, turned ? items : width, 0,
                        (int32_t)strlen(name) + 1 };
    for (int i = 0; i < 5; i++) put_bytes(f, &head[i], 4);
    fwrite(name, 1, strlen(name) + 1, f->file);
    for (int k = 0; k < items * width; k++)
        put_number(f, type, turned ? numbers[k] : numbers[k % items * width + k / items]);
}

static void put_words(const Foreign *f, const char *name, int items, int width, const char *words)
{
    double numbers[64];
    for (int i = 0; i < items * width; i++) numbers[i] = words[i];
    put_matrix(f, name, 51, items, width, numbers);
}

/* Version 1.0: names and columns, without constants, aliases and descriptions. */
static void check_plain_mat(const char *path)
{
    static const double rows[] = { 0, 1.5, 1, -0.25, 2, 64 };
    char why[240] = "";
    Foreign f = { fopen(path, "wb"), true, false, false };
    put_words(&f, "Aclass", 4, 11, "Atrajectory1.0        saved      binNormal  ");
    put_words(&f, "names", 2, 4, "Timex   ");
    put_matrix(&f, "data", 0, 3, 2, rows);
    fclose(f.file);
    ResultTable *table = result_read(path, why, sizeof why);
    if (!CHECK_ROW(table != NULL, why)) return;
    CHECK(table->rows == 3 && table->count == 1 && signal_at(&table->signals[0], 1) == -0.25);
    CHECK(signal_at(result_find(table, "time"), 2) == 2.0);
    result_free(table);
}

static void check_foreign_mat(const char *path)
{
    static const double info[] = { 0, 1, 0, -1, 2, -2, 0, -1, 1, 2, 0, 0, 3, 1, 0, 0 };
    static const double constants[] = { 0, 7.5, 2, 7.5 }, rows[] = { 0, 1.5, 1, -0.25, 2, 64 };
    for (int kind = 0; kind < 8; kind++) {
        char why[240] = "";
        Foreign f = { fopen(path, "wb"), kind & 1, kind & 2, kind & 4 };
        put_words(&f, "Aclass", 4, 11,
                  f.normal ? "Atrajectory1.1                   binNormal  "
                           : "Atrajectory1.1                   binTrans   ");
        put_words(&f, "name", 4, 4, "Timex   p   text");
        put_words(&f, "description", 4, 5, "     a [m]          ");
        put_matrix(&f, "dataInfo", 20, 4, 4, info);
        put_matrix(&f, "data_1", f.single ? 10 : 0, 2, 2, constants);
        put_matrix(&f, "data_2", f.single ? 10 : 0, 3, 2, rows);
        fclose(f.file);
        ResultTable *table = result_read(path, why, sizeof why);
        if (!CHECK_ROW(table != NULL, why)) continue;
        const Signal *x = result_find(table, "x"), *p = result_find(table, "p");
        CHECK(table->rows == 3 && table->count == 2 && x && p && !result_find(table, "text"));
        CHECK(x && signal_at(x, 0) == -1.5 && signal_at(x, 1) == 0.25 && signal_at(x, 2) == -64.0);
        CHECK(p && signal_at(p, 2) == 7.5 && p->kind == COLUMN_CONSTANT);
        CHECK(signal_at(result_find(table, "time"), 2) == 2.0);
        if (x) CHECK_TEXT(x->unit, "m");
        if (x) CHECK_TEXT(x->description, "a");
        result_free(table);
    }
}

/* A sink in the middle of a run that is killed: what was flushed is readable. */
static void check_unfinished(const char *path)
{
    char why[240] = "";
    ResultSink *sink = sink_open_file(path, why, sizeof why);
    double values[SLOTS] = { 0 };
    CHECK(sink_begin(sink, columns, COUNT_OF(columns), values));
    for (int i = 0; i < 30000; i++) sink_row(sink, i, values);
    ResultTable *table = result_read(path, why, sizeof why);
    CHECK_ROW(table && table->rows > 1000 && table->rows <= 30000, why);
    result_free(table);
    sink_free(sink);
}

static void check_failures(const char *dir)
{
    char why[240] = "", path[300];
    snprintf(path, sizeof path, "%s/none/x.csv", dir);
    CHECK(!sink_open_file(path, why, sizeof why) && strstr(why, "No such file"));
    CHECK(!sink_open_file("result.xyz", why, sizeof why) && strstr(why, ".csv, .csv.gz, .mat"));
    CHECK(!result_read(path, why, sizeof why) && strstr(why, "No such file"));
    CHECK(!result_read(dir, why, sizeof why) && strstr(why, "not a file"));
    snprintf(path, sizeof path, "%s/full.csv", dir);
    if (symlink("/dev/full", path)) return;
    ResultSink *sink = sink_open_file(path, why, sizeof why);
    if (!CHECK(sink != NULL)) return;
    CHECK(!write_rows(sink, ROWS) && sink->failed && strstr(sink->why, "No space left"));
    CHECK(!sink_end(sink));
    sink_free(sink);
    unlink(path);
}

/* A run that does not get to its first row leaves no file, or the older one as it was. */
static void check_no_rows(const char *path)
{
    char why[240] = "";
    unlink(path);
    sink_free(sink_open_file(path, why, sizeof why));
    CHECK_ROW(access(path, F_OK) != 0, path);
    ResultSink *sink = sink_open_file(path, why, sizeof why);
    CHECK_ROW(write_rows(sink, 30), path);
    sink_free(sink);
    sink_free(sink_open_file(path, why, sizeof why));
    ResultTable *table = result_read(path, why, sizeof why);
    CHECK_ROW(table && table->rows == 30, path);
    result_free(table);
    sink = sink_open_file(path, why, sizeof why);
    CHECK_ROW(write_rows(sink, 3), path);
    sink_free(sink);
    table = result_read(path, why, sizeof why);
    CHECK_ROW(table && table->rows == 3, path);
    result_free(table);
}

static void check_memory(void)
{
    ResultSink *sink = sink_memory();
    CHECK(write_rows(sink, ROWS));
    ResultTable *table = sink_table(sink);
    check_table(table, ROWS, true);
    sink_free(sink);
    CHECK_TEXT(result_nearest(table, "minus_h"), "minus_g");
    CHECK(result_find(table, "none") == NULL && result_find(table, "time") == &table->time);
    result_free(table);
    CHECK(result_name_fits("*.x[?]", "body.x[1]") && !result_name_fits("*.x", "body.x[1]"));
    CHECK(result_name_fits("*", "") && result_name_fits("a*b*c", "aXXbYbc") &&
          !result_name_fits("a*b", "abc"));
}

static void check_tee(const char *csv, const char *mat)
{
    char why[240] = "";
    ResultSink *sink = sink_tee(sink_open_file(csv, why, sizeof why), sink_open_file(mat, why, sizeof why));
    CHECK(write_rows(sink, 3));
    sink_free(sink);
    ResultTable *a = result_read(csv, why, sizeof why), *b = result_read(mat, why, sizeof why);
    CHECK(a && b && a->rows == 3 && b->rows == 3);
    result_free(a);
    result_free(b);
}

int main(void)
{
    char dir[] = "/tmp/acausal-result-XXXXXX", csv[64], mat[64], cut[64];
    if (!mkdtemp(dir)) return test_skip("no directory for files");
    snprintf(csv, sizeof csv, "%s/a.csv", dir);
    snprintf(mat, sizeof mat, "%s/a.mat", dir);
    snprintf(cut, sizeof cut, "%s/cut", dir);
    check_round_trip(csv, false);
    check_round_trip(mat, true);
    check_cuts(csv, cut);
    check_cuts(mat, cut);
    check_damage(csv, cut);
    check_damage(mat, cut);
    check_foreign(cut);
    check_texts(cut);
    check_foreign_mat(cut);
    check_plain_mat(cut);
    check_unfinished(csv);
    check_unfinished(mat);
    check_no_rows(csv);
    check_no_rows(mat);
    check_tee(csv, mat);
    check_failures(dir);
    check_memory();
    unlink(csv);
    unlink(mat);
    unlink(cut);
    rmdir(dir);
    return test_end();
}
