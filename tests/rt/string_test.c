/* string_test.c: String() and its relatives give what the language says, refuse formats that are
 * not theirs, and the memory they use is bounded and comes back. */
#include "rt/rt.h"
#include "test.h"

static const struct {
    double x;
    int64_t digits, width, left;
    const char *want;
} numbers[] = {
    { 2.5, 6, 0, 1, "2.5" },    { 1.0 / 3, 6, 0, 1, "0.333333" }, { -4, 6, 5, 0, "   -4" },
    { -4, 6, 5, 1, "-4   " },   { 1e100, 3, 0, 1, "1e+100" },     { 1, 0, 0, 1, NULL },
    { 1, 1000000, 0, 1, NULL }, { 1, 6, INT64_MAX, 1, NULL },
};

static const struct {
    const char *format;
    int is_real;
    const char *want;
} formats[] = {
    { ".3f", 1, "2.500" }, { "%8.2e", 1, "2.50e+00" }, { "-6g", 1, "2.5   " }, { "s", 1, NULL },
    { "n", 1, NULL },      { "d", 1, NULL },           { ".3f%s", 1, NULL },   { "*d", 0, NULL },
    { "5d", 0, "   42" },  { "x", 0, "2a" },           { "99999d", 0, NULL },  { "", 0, NULL },
    { "lld", 0, NULL },
};

int main(void)
{
    Rt *rt = rt_new(0);
    for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++) {
        RtCell c[5] = { { .r = numbers[k].x },
                        { .i = numbers[k].digits },
                        { .i = numbers[k].width },
                        { .i = numbers[k].left } };
        RtStatus status = rt_string_of_real(rt, c);
        CHECK_TEXT(status ? NULL : c[4].s, numbers[k].want);
    }
    for (size_t k = 0; k < sizeof formats / sizeof formats[0]; k++) {
        RtCell c[3] = { { .r = 2.5 }, { .s = formats[k].format } };
        if (!formats[k].is_real) c[0].i = 42;
        RtStatus status = formats[k].is_real ? rt_string_format_real(rt, c) : rt_string_format_int(rt, c);
        CHECK_TEXT(status ? NULL : c[2].s, formats[k].want);
    }
    RtCell part[4] = { { .s = "acausal" }, { .i = 2 }, { .i = 4 } };
    CHECK(rt_string_part(rt, part) == RT_OK);
    CHECK_TEXT(part[3].s, "cau");
    part[2].i = 8;
    CHECK(rt_string_part(rt, part) == RT_INDEX && rt->error.value == 8 && rt->error.bound == 7);
    RtCell order[3] = { { .s = NULL }, { .s = "a" } };
    CHECK(rt_string_compare(rt, order) == RT_OK && order[2].i == -1);
    RtCell keep[2] = { { .s = part[3].s } };
    CHECK(rt_string_keep(rt, keep) == RT_OK);
    rt_rewind_all(rt);
    rt->heap_limit = rt->heap_total;
    RtCell twice[3] = { { .s = "0123456789" }, { .s = "0123456789" } };
    RtStatus status = RT_OK;
    for (int k = 0; k < 100000 && !status; k++) status = rt_string_concat(rt, twice);
    CHECK(status == RT_MEMORY);
    rt_rewind_all(rt);
    CHECK(rt_string_concat(rt, twice) == RT_OK);
    CHECK_TEXT(keep[1].s, "cau");
    RtArray array;
    CHECK(rt_array_new(rt, &array, -1) == RT_SIZE && rt_array_new(rt, &array, INT64_MAX) == RT_MEMORY);
    rt_free(rt);
    return test_end();
}
