/* Strings, random numbers, transforms and names of rt/: what their definitions say. */
#include "rt/rt.h"
#include "test.h"

#include <stdlib.h>

static Rt *rt;

static void strings(void)
{
    RtCell c[5] = { { .s = "this is a test" } };
    CHECK(rt_strings_hash(rt, c) == RT_OK && c[1].i == 1827717433); /* documented values */
    c[0].s = "Controller.noise1";
    CHECK(rt_strings_hash(rt, c) == RT_OK && c[1].i == -1025762750);
    static const struct {
        int64_t first, last;
        const char *want;
    } parts[] = { { 9, 12, "line" }, { 9, 0, "" },      { 0, 4, "This" },
                  { 17, 20, "" },    { 14, 99, "111" }, { 6, -1, "i" } };
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        RtCell s[4] = { { .s = "This is line 111" }, { .i = parts[i].first }, { .i = parts[i].last } };
        CHECK(rt_strings_substring(rt, s) == RT_OK);
        CHECK_TEXT(s[3].s, parts[i].want);
    }
    static const struct {
        const char *a, *b;
        int64_t cases, want;
    } orders[] = { { "a", "b", 1, 1 },
                   { "b", "a", 1, 3 },
                   { "aB", "Ab", 1, 3 },
                   { "aB", "Ab", 0, 2 },
                   { "a", "ab", 0, 1 } };
    for (size_t i = 0; i < sizeof orders / sizeof orders[0]; i++) {
        RtCell s[4] = { { .s = orders[i].a }, { .s = orders[i].b }, { .i = orders[i].cases } };
        CHECK_ROW(rt_strings_compare(rt, s) == RT_OK && s[3].i == orders[i].want, orders[i].a);
    }
    RtCell skip[3] = { { .s = " \t x" }, { .i = 1 } };
    CHECK(rt_strings_skip(rt, skip) == RT_OK && skip[2].i == 4);
}

/* A token that is not there leaves the place where it was. */
static void scanners(void)
{
    static const struct {
        const char *text;
        int64_t start, is_unsigned, next, value;
    } ints[] = { { "  12 x", 1, 0, 5, 12 }, { "-7", 1, 0, 3, -7 },  { "-7", 1, 1, 1, 0 },
                 { "1.5", 1, 0, 1, 0 },     { "12ab", 1, 0, 1, 0 }, { "99999999999", 1, 0, 1, 0 },
                 { "ab 3", 3, 0, 5, 3 },    { "", 1, 0, 1, 0 } };
    for (size_t i = 0; i < sizeof ints / sizeof ints[0]; i++) {
        RtCell c[5] = { { .s = ints[i].text }, { .i = ints[i].start }, { .i = ints[i].is_unsigned } };
        CHECK_ROW(rt_strings_integer(rt, c) == RT_OK && c[3].i == ints[i].next && c[4].i == ints[i].value,
                  ints[i].text);
    }
    static const struct {
        const char *text;
        int64_t next;
        double value;
    } reals[] = { { "1.5e3;", 6, 1500 }, { " -.5", 5, -0.5 }, { "2e", 2, 2 },
                  { "x", 1, 0 },         { ".", 1, 0 },       { "0x10", 2, 0 } };
    for (size_t i = 0; i < sizeof reals / sizeof reals[0]; i++) {
        RtCell c[5] = { { .s = reals[i].text }, { .i = 1 }, { .i = 0 } };
        CHECK_ROW(rt_strings_real(rt, c) == RT_OK && c[3].i == reals[i].next && c[4].r == reals[i].value,
                  reals[i].text);
    }
    RtCell c[4] = { { .s = " abc_1-2" }, { .i = 1 } };
    CHECK(rt_strings_identifier(rt, c) == RT_OK && c[2].i == 7);
    CHECK_TEXT(c[3].s, "abc_1");
    c[0].s = " \"a\\\"b\" c";
    CHECK(rt_strings_string(rt, c) == RT_OK && c[2].i == 8);
    CHECK_TEXT(c[3].s, "a\\\"b");
    c[0].s = "\"open";
    CHECK(rt_strings_string(rt, c) == RT_OK && c[2].i == 1);
}

/* The generators by their definition, in 64-bit arithmetic written down a second time. */
static void random_numbers(void)
{
    int64_t state[33], out[33];
    uint64_t x = UINT64_C(0x123456789ABCDEF0), s0 = 1, s1 = 2;
    state[0] = (int32_t)(uint32_t)x, state[1] = (int32_t)(uint32_t)(x >> 32);
    double sum = 0, squares = 0;
    for (int k = 0; k < 2000; k++) {
        RtCell c[5] = { { .p = state }, { .i = 2 }, { .p = state }, { .i = 2 } };
        CHECK(rt_xorshift64star(rt, c) == RT_OK);
        x ^= x >> 12, x ^= x << 25, x ^= x >> 27;
        x *= UINT64_C(2685821657736338717); /* Modelica's library goes on from the number itself */
        CHECK(c[4].r == (double)(int64_t)x / 18446744073709551616.0 + 0.5);
        sum += c[4].r, squares += c[4].r * c[4].r;
    }
    CHECK_NEAR(sum / 2000, 0.5, 0.03);
    CHECK_NEAR(squares / 2000, 1.0 / 3, 0.03);
    memset(state, 0, sizeof state);
    state[0] = 1, state[2] = 2;
    RtCell c[5] = { { .p = state }, { .i = 4 }, { .p = out }, { .i = 4 } };
    CHECK(rt_xorshift128plus(rt, c) == RT_OK);
    uint64_t t = s0 ^ s0 << 23;
    t = (t ^ s1 ^ (t >> 17) ^ (s1 >> 26)) + s1;
    CHECK((uint32_t)out[0] == 2 && (uint32_t)out[2] == (uint32_t)t &&
          (uint32_t)out[3] == (uint32_t)(t >> 32));
    CHECK(state[0] == 1); /* inputs stay */
    for (int i = 0; i < 32; i++) state[i] = i * 7919 + 1;
    state[32] = 15;
    RtCell many[5] = { { .p = state }, { .i = 33 }, { .p = out }, { .i = 33 } };
    CHECK(rt_xorshift1024star(rt, many) == RT_OK && out[32] == 0 && many[4].r > 0 && many[4].r < 1);
    RtCell impure[2] = { { .i = 1 } }, set[4] = { { .p = state }, { .i = 33 }, { .i = 33 }, { .i = 1 } };
    CHECK(rt_random_impure(rt, impure) == RT_EXTERNAL);
    CHECK(rt_random_set(rt, set) == RT_OK && rt_random_impure(rt, impure) == RT_OK &&
          impure[1].r == many[4].r);
    RtCell few[5] = { { .p = state }, { .i = 1 }, { .p = out }, { .i = 33 } };
    CHECK(rt_xorshift64star(rt, few) == RT_EXTERNAL);
}

/* Amplitude and phase of two cosines, for lengths with factors 2, 3, 5 and 7. */
static void transforms(void)
{
    static const int64_t lengths[] = { 2 * 2 * 3 * 5, 64, 2 * 7 * 9 };
    for (size_t k = 0; k < 3; k++) {
        int64_t n = lengths[k];
        double x[128], work[8], amplitude[65], phase[65];
        for (int64_t i = 0; i < n; i++) {
            double t = 2 * 3.14159265358979323846 * (double)i / (double)n;
            x[i] = 3 + 2 * cos(4 * t + 0.5) + 0.25 * cos(9 * t - 1);
        }
        RtCell c[11] = { { .p = x },     { .i = n },        { .i = n },         { .i = 8 },
                         { .p = work },  { .i = 8 },        { .p = amplitude }, { .i = n / 2 + 1 },
                         { .p = phase }, { .i = n / 2 + 1 } };
        CHECK(rt_fft_real(rt, c) == RT_OK && c[10].i == 0);
        CHECK_NEAR(amplitude[0], 3, 1e-13);
        CHECK_NEAR(amplitude[4], 2, 1e-13);
        CHECK_NEAR(phase[4], 0.5, 1e-13);
        CHECK_NEAR(amplitude[9], 0.25, 1e-13);
        CHECK_NEAR(phase[9], -1, 1e-12);
        CHECK_NEAR(amplitude[7], 0, 1e-13);
        c[2].i = n - 1;
        CHECK(rt_fft_real(rt, c) == RT_OK && c[10].i == 1);
    }
}

/* Equal strings have one number; objects come back as they were. */
static void names(void)
{
    double first[200];
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < 200; i++) {
            char text[20];
            snprintf(text, sizeof text, "name %d", i);
            RtCell c[2] = { { .s = text } };
            CHECK(rt_string_id(rt, c) == RT_OK && c[1].r > 0);
            if (round)
                CHECK(c[1].r == first[i]);
            else
                first[i] = c[1].r;
            RtCell back[2] = { { .r = c[1].r } };
            CHECK(rt_string_at(rt, back) == RT_OK);
            CHECK_TEXT(back[1].s, text);
        }
    RtCell empty[2] = { { .s = "" } }, none[2] = { { .r = 0 } };
    CHECK(rt_string_id(rt, empty) == RT_OK && empty[1].r == 0 && rt_string_at(rt, none) == RT_OK &&
          !*none[1].s);
    RtCell object[2] = { { .p = first } }, back[2];
    CHECK(rt_object_id(rt, object) == RT_OK && object[1].r == 1);
    back[0].r = 1;
    CHECK(rt_object_at(rt, back) == RT_OK && back[1].p == first);
    rt_forget_objects(rt);
    CHECK(rt_object_at(rt, back) == RT_OK && !back[1].p);
}

int main(void)
{
    rt = rt_new(0);
    strings();
    scanners();
    random_numbers();
    transforms();
    names();
    rt_free(rt);
    return test_end();
}
