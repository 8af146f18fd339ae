/* A number is written in the shortest form that reads back exactly, over the whole range of doubles: strtod gives
 * the same bits, and one digit less does not. */
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

int main(void)
{
    char text[REAL_ROOM];
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
