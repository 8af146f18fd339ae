/* Files, directories and matrices as a model uses them: what is written is read again, what cannot
 * be done is named. Calls go through the table, as they do while a model is built. */
#include "ext/ext.h"
#include "test.h"

#include <stdlib.h>
#include <unistd.h>

static Arena *arena;
static char directory[] = "/tmp/acausal_files_XXXXXX";
static const char *why;

static const char *path(const char *name) { return arena_printf(arena, "%s/%s", directory, name); }

/* Calls a function whose cells are `letters` (as in functions.def); values in the order inputs,
 * outputs. */
static bool call(const char *symbol, const char *letters, RtCell *values, uint32_t array_n)
{
    ExtParam params[10] = { { 0 } };
    ExtValue given[10];
    uint32_t n = 0;
    bool out = false;
    for (const char *c = letters; *c; c++) {
        if (*c == '>') {
            out = true;
            continue;
        }
        bool is_array = *c == 'S' || *c == 'R' || *c == 'I';
        char small = (char)(*c | 0x20);
        params[n] = (ExtParam){ .type = small == 'r'   ? IR_REAL
                                        : small == 'i' ? IR_INT
                                                       : IR_STR,
                                .is_array = is_array,
                                .is_output = out };
        given[n] = is_array ? (ExtValue){ values[n].p, array_n } : (ExtValue){ &values[n], 1 };
        n++;
    }
    ExtRequest request = { .symbol = symbol,
                           .language = STR("C"),
                           .params = params,
                           .n = n,
                           .permit = &(Permit){ .effects = true } };
    IrExternal function;
    return ext_find(&request, arena, &function, &why) && ext_call(&request, &function, given, arena, &why);
}

static int64_t kind(const char *name)
{
    RtCell c[2] = { { .s = name } };
    return call("ModelicaInternal_stat", "s>i", c, 0) ? c[1].i : -1;
}

static void directories(void)
{
    RtCell c[3] = { { .s = path("d") } };
    CHECK(kind(path("d")) == 1);
    CHECK(call("ModelicaInternal_mkdir", "s>", c, 0) && kind(path("d")) == 3);
    CHECK(!call("ModelicaInternal_mkdir", "s>", c, 0) && strstr(why, "cannot make directory"));
    RtCell two[2] = { { .s = "hello" }, { .s = path("d/b.txt") } };
    CHECK(call("ModelicaInternal_print", "ss>", two, 0) && kind(path("d/b.txt")) == 2);
    RtCell copy[2] = { { .s = path("d/b.txt") }, { .s = path("d/a.txt") } };
    CHECK(call("ModelicaInternal_copyFile", "ss>", copy, 0));
    CHECK(!call("ModelicaInternal_copyFile", "ss>", copy, 0)); /* never over another file */
    CHECK(call("ModelicaInternal_getNumberOfFiles", "s>i", c, 0) && c[1].i == 2);
    RtCell names[2], list[3] = { { .s = path("d") }, { .i = 2 }, { .p = names } };
    CHECK(call("ModelicaInternal_readDirectory", "si>S", list, 2));
    CHECK_TEXT(names[0].s, "a.txt");
    CHECK_TEXT(names[1].s, "b.txt");
    copy[1].s = path("d/c.txt");
    CHECK(call("ModelicaInternal_rename", "ss>", copy, 0) && kind(path("d/c.txt")) == 2);
    CHECK(!call("ModelicaInternal_rmdir", "s>", c, 0));
    RtCell gone = { .s = path("d/c.txt") };
    CHECK(call("ModelicaInternal_removeFile", "s>", &gone, 0) && kind(path("d/c.txt")) == 1);
    CHECK(!call("ModelicaInternal_removeFile", "s>", &gone, 0) && strstr(why, "c.txt"));
    RtCell full[2] = { { .s = arena_printf(arena, "%s/d/../d/a.txt", directory) } };
    CHECK(call("ModelicaInternal_fullPathName", "s>s", full, 0));
    CHECK_TEXT(full[1].s, path("d/a.txt"));
}

static void streams(void)
{
    FILE *f = fopen(path("lines"), "w");
    CHECK(f && fputs("one\r\n\nthree", f) >= 0);
    if (f) fclose(f);
    RtCell c[4] = { { .s = path("lines") } };
    CHECK(call("ModelicaInternal_countLines", "s>i", c, 0) && c[1].i == 3);
    static const char *const want[] = { "one", "", "three", "" };
    for (int k = 0; k < 4; k++) {
        c[1].i = k + 1;
        CHECK(call("ModelicaInternal_readLine", "si>is", c, 0) && c[2].i == (k == 3));
        CHECK_TEXT(c[3].s, want[k]);
    }
    RtCell lines[3], all[3] = { { .s = path("lines") }, { .i = 3 }, { .p = lines } };
    CHECK(call("ModelicaInternal_readFile", "si>S", all, 3));
    for (int k = 0; k < 3; k++) CHECK_TEXT(lines[k].s, want[k]);
    c[0].s = path("none");
    CHECK(!call("ModelicaInternal_countLines", "s>i", c, 0) && strstr(why, "No such file"));
}

/* Every version of MAT file that is written is read again. */
static void matrices(void)
{
    static const char *const versions[] = { "4", "6", "7" };
    double a[] = { 1, 2, 3, 4, 5, 6.5 }, more[] = { 7, 8, 9, 10, 11, 12 }, back[6];
    for (int k = 0; k < 3; k++) {
        const char *file = path(arena_printf(arena, "m%s.mat", versions[k]));
        RtCell w[8] = { { .s = file }, { .s = "first" }, { .p = a },          { .i = 2 },
                        { .i = 3 },    { .i = 0 },       { .s = versions[k] } };
        CHECK(call("ModelicaIO_writeRealMatrix", "ssRiiis>i", w, 6) && w[7].i == 1);
        w[1].s = "another_name", w[2].p = more, w[5].i = 1;
        CHECK(call("ModelicaIO_writeRealMatrix", "ssRiiis>i", w, 6));
        int64_t sizes[2] = { 0 };
        RtCell s[3] = { { .s = file }, { .s = "another_name" }, { .p = sizes } };
        CHECK(call("ModelicaIO_readMatrixSizes", "ss>I", s, 2) && sizes[0] == 2 && sizes[1] == 3);
        RtCell r[6] = { { .s = file }, { .s = "first" }, { .i = 2 }, { .i = 3 }, { .i = 0 }, { .p = back } };
        CHECK(call("ModelicaIO_readRealMatrix", "ssiii>R", r, 6) && !memcmp(back, a, sizeof a));
        r[1].s = "another_name";
        CHECK(call("ModelicaIO_readRealMatrix", "ssiii>R", r, 6) && !memcmp(back, more, sizeof more));
        r[2].i = 3;
        CHECK(!call("ModelicaIO_readRealMatrix", "ssiii>R", r, 6) && strstr(why, "2 x 3, not 3 x 3"));
    }
}

static void process(void)
{
    RtCell set[3] = { { .s = "ACAUSAL_FILES_TEST" }, { .s = "yes" }, { .i = 0 } };
    CHECK(call("ModelicaInternal_setenv", "ssi>", set, 0));
    RtCell get[4] = { { .s = "ACAUSAL_FILES_TEST" }, { .i = 0 } };
    CHECK(call("ModelicaInternal_getenv", "si>si", get, 0) && get[3].i == 1);
    CHECK_TEXT(get[2].s, "yes");
    RtCell now[7];
    CHECK(call("ModelicaInternal_getTime", ">iiiiiii", now, 0) && now[6].i > 2000 && now[5].i >= 1 &&
          now[5].i <= 12);
    RtCell pid;
    CHECK(call("ModelicaInternal_getpid", ">i", &pid, 0) && pid.i == getpid());
    /* A declaration with other arguments is refused. */
    RtCell wrong[2] = { { .r = 1 } };
    CHECK(!call("ModelicaInternal_stat", "r>i", wrong, 0) && strstr(why, "other arguments"));
    CHECK(!call("no_such_function", "r>r", wrong, 0) && strstr(why, "no library"));
}

int main(void)
{
    arena = arena_new();
    if (!CHECK(mkdtemp(directory) != NULL)) return test_end();
    directories();
    streams();
    matrices();
    process();
    CHECK(system(arena_printf(arena, "rm -rf '%s'", directory)) == 0);
    arena_free(arena);
    return test_end();
}
