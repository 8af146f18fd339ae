/* A number is written in the shortest form that reads back exactly, over the whole range of
 * doubles: strtod gives the same bits, and one digit less does not. Numbers are read as strtod
 * reads them, and other texts not at all. */
#include "base/base.h"
#include "test.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

static const struct {
    double value;
    const char *text;
} forms[] = {
    { 0.0, "0" },
    { -0.0, "-0" },
    { 1.0, "1" },
    { -2.5, "-2.5" },
    { 0.1, "0.1" },
    { 0.3, "0.3" },
    { 1.0 / 3, "0.3333333333333333" },
    { 100.0, "100" },
    { 1234567.0, "1234567" },
    { 1e16, "10000000000000000" },
    { 1e17, "1e17" },
    { 1e22, "1e22" },
    { 1e23, "1e23" },
    { 9007199254740993.0, "9007199254740992" },
    { 123456789012345680.0, "1.2345678901234568e17" },
    { 1e-5, "0.00001" },
    { 1.5e-6, "1.5e-6" },
    { 5e-324, "5e-324" },
    { DBL_MIN, "2.2250738585072014e-308" },
    { DBL_MAX, "1.7976931348623157e308" },
    { 1.2e-300, "1.2e-300" },
    { 8.41e21, "8.41e21" },
    { 9.5367431640625e-7, "9.5367431640625e-7" },
    { INFINITY, "inf" },
    { -INFINITY, "-inf" },
    { NAN, "nan" },
};

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    return *state ^= *state << 17;
}

static int count_digits(const char *text)
{
    int n = 0, zeros = 0;
    for (; *text && *text != 'e'; text++) {
        if (*text < '0' || *text > '9' || (n == 0 && *text == '0')) continue;
        n++;
        zeros = *text == '0' ? zeros + 1 : 0;
    }
    return n - zeros;
}

/* Reads back, and no text with one digit less does. */
static bool is_shortest(double value)
{
    char text[REAL_ROOM], shorter[40];
    size_t n = real_write(value, text);
    if (n != strlen(text) || n >= REAL_ROOM || strtod(text, NULL) != value) return false;
    int digits = count_digits(text);
    if (digits > 17) return false;
    if (digits <= 1) return true;
    snprintf(shorter, sizeof shorter, "%.*e", digits - 2, value);
    return strtod(shorter, NULL) != value;
}

static bool reads_as_strtod(const char *text)
{
    double value, want = strtod(text, NULL);
    return real_read(text, text + strlen(text), &value) && !memcmp(&value, &want, sizeof want);
}

static void check_reading(void)
{
    static const char *const right[] = { "0",
                                         "-0.0",
                                         "+7",
                                         "1.",
                                         ".5",
                                         "0.1",
                                         "1e5",
                                         "1E+05",
                                         "123456789012345678",
                                         "1234567890123456789",
                                         "12345678901234567890",
                                         "9007199254740993",
                                         "9007199254740992.5",
                                         "9007199254740993.0000000000000000001",
                                         "2.2250738585072014e-308",
                                         "2.2250738585072011e-308",
                                         "5e-324",
                                         "2e-324",
                                         "1e-400",
                                         "1.7976931348623157e308",
                                         "1.7976931348623159e308",
                                         "1e400",
                                         "1e-999999999999",
                                         "0e999999999999",
                                         "8.98846567431158e307",
                                         "1e23",
                                         "0.000000000000000000000000000000000000000000000000001",
                                         "4.35e-14",
                                         "00000000000000000000000001.5" };
    static const char *const wrong[] = { "",      "-",    ".",   "e5",  "1e",  "1e+", "1 ",  " 1",
                                         "1.2.3", "0x10", "inf", "nan", "1,5", "--1", "-.e1" };
    for (size_t i = 0; i < COUNT_OF(right); i++) CHECK_ROW(reads_as_strtod(right[i]), right[i]);
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        double value;
        CHECK_ROW(!real_read(wrong[i], wrong[i] + strlen(wrong[i]), &value), wrong[i]);
    }
    uint64_t state = 1234567;
    int bad = 0;
    for (int i = 0; i < 300000; i++) {
        uint64_t bits = next_random(&state), more = next_random(&state);
        double value;
        char text[80];
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value)) continue;
        snprintf(text, sizeof text, "%.*e", (int)(more % 20), value);
        bad += !reads_as_strtod(text);
        real_write(value, text);
        bad += !reads_as_strtod(text);
        snprintf(text, sizeof text, "%llu.%0*llu", (unsigned long long)(more % 100000), (int)(more % 17) + 1,
                 (unsigned long long)(bits % 10));
        bad += !reads_as_strtod(text);
        double between = (double)(bits >> 11) + 0.5; /* half way between two doubles */
        snprintf(text, sizeof text, "%.1fe%d", between, (int)(more % 40) - 20);
        bad += !reads_as_strtod(text);
    }
    CHECK(bad == 0);
}

int main(void)
{
    char text[REAL_ROOM];
    check_reading();
    for (size_t i = 0; i < COUNT_OF(forms); i++) {
        real_write(forms[i].value, text);
        CHECK_TEXT(text, forms[i].text);
    }
    uint64_t state = 88172645463325252u;
    int wrong = 0;
    for (int i = 0; i < 200000; i++) {
        uint64_t bits = next_random(&state);
        double value;
        memcpy(&value, &bits, sizeof value);
        if (isfinite(value) && !is_shortest(value)) wrong++;
        double small = (double)(int64_t)(bits % 2000001) / 1000.0 - 1000.0;
        if (!is_shortest(small)) wrong++;
    }
    for (int e = -1074; e <= 1023; e++) { /* powers of two: the interval below is half as wide */
        double value = ldexp(1.0, e);
        if (!is_shortest(value) || !is_shortest(nextafter(value, 0)) ||
            !is_shortest(nextafter(value, INFINITY)))
            wrong++;
    }
    CHECK(wrong == 0);
    return test_end();
}
