/* test.h: what test.c and test_report.c share. */
#ifndef ACAUSAL_CLI_TEST_H
#define ACAUSAL_CLI_TEST_H

#include "cli/cli.h"

typedef struct {
    AcausalTestRow *at;
    size_t n, room;
} TestRows;

typedef struct {
    size_t all, good, passes, runs, checks, differs, not_translated, fails, slow, crashes, other;
    double cpu_seconds;
} TestCounts;

bool test_is_good(const char *verdict);
TestCounts test_count(const TestRows *rows);
void print_test_counts(const Args *args, const TestCounts *counts);
/* REPORT.html, REPORT.xml and REPORT.md; false, with the reason told, if one cannot be written. */
bool test_write_reports(const Args *args, const TestRows *rows, const char *report, const char *library);

#endif
