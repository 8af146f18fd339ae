/* test.h: the whole test harness. A test program checks rules and returns test_end(); a failed
 * check says where and why, and the program goes on to the next one. */
#ifndef ACAUSAL_TEST_H
#define ACAUSAL_TEST_H

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEST_SKIPPED = 77 };

static int test_checks, test_failures;

static inline bool test_report(bool ok, const char *file, int line, const char *what)
{
    test_checks++;
    if (!ok) {
        test_failures++;
        printf("%s:%d: failed: %s\n", file, line, what);
    }
    return ok;
}

static inline bool test_same_text(const char *got, const char *want, const char *file, int line,
                                  const char *what)
{
    bool ok = got && want ? strcmp(got, want) == 0 : got == want;
    if (!test_report(ok, file, line, what))
        printf("  got:  %s\n  want: %s\n", got ? got : "(null)", want ? want : "(null)");
    return ok;
}

static inline bool test_near(double got, double want, double tolerance, const char *file, int line,
                             const char *what)
{
    bool ok = fabs(got - want) <= tolerance;
    if (!test_report(ok, file, line, what))
        printf("  got %.17g, want %.17g within %g\n", got, want, tolerance);
    return ok;
}

#define CHECK(condition) test_report((condition), __FILE__, __LINE__, #condition)
#define CHECK_TEXT(got, want) test_same_text((got), (want), __FILE__, __LINE__, #got " is " #want)
#define CHECK_NEAR(got, want, tolerance) \
    test_near((got), (want), (tolerance), __FILE__, __LINE__, #got " near " #want)

/* For tables: says which row a failure belongs to. */
#define CHECK_ROW(condition, row) \
    (test_report((condition), __FILE__, __LINE__, #condition) || (printf("  in row: %s\n", (row)), false))

/* The seed of a test that draws at random: the one that ACAUSAL_SEED gives (tests with the label
 * "random" in tests/CMakeLists.txt; scripts/test-long sets it), or `usual`. */
static inline unsigned test_seed(unsigned usual)
{
    const char *given = getenv("ACAUSAL_SEED");
    unsigned seed = given ? (unsigned)strtoul(given, NULL, 10) : usual;
    printf("seed %u\n", seed);
    return seed;
}

static inline int test_end(void)
{
    printf("%d checks, %d failed\n", test_checks, test_failures);
    return test_failures ? 1 : 0;
}

static inline int test_skip(const char *why)
{
    printf("skipped: %s\n", why);
    return TEST_SKIPPED;
}

#endif
