/* compare.c: `acausal compare A B`: whether two results tell the same. */
#include "cli/cli.h"

#include <math.h>
#include <string.h>

static void print_number(double value)
{
    if (isfinite(value))
        printf("%.9g", value);
    else
        printf("null");
}

void print_json_text(const char *text)
{
    putchar('"');
    for (; *text; text++) {
        if (*text == '"' || *text == '\\') putchar('\\');
        if ((unsigned char)*text >= 0x20) putchar(*text);
    }
    putchar('"');
}

static void print_json_row(SignalTable *table, const AcausalSignalReport *r)
{
    const struct {
        const char *key;
        double value;
    } numbers[] = {
        { "deviation", r->deviation }, { "excess", r->excess },  { "t", r->t }, { "a", r->a }, { "b", r->b },
        { "range_a", r->range_a },     { "range_b", r->range_b }
    };
    printf("%s{\"name\":", table->rows++ ? "," : "");
    print_json_text(r->name);
    printf(",\"verdict\":\"%s\"", r->verdict);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        printf(",\"%s\":", numbers[i].key);
        print_number(numbers[i].value);
    }
    printf(",\"outside\":%zu}", r->outside);
}

void print_signal(void *arg, const AcausalSignalReport *r)
{
    SignalTable *table = arg;
    if (table->args->json) {
        print_json_row(table, r);
        return;
    }
    bool different = !strcmp(r->verdict, "different") || !strcmp(r->verdict, "noise");
    if (table->args->quiet || (!different && !table->all)) return;
    if (table->rows++ == 0)
        printf("%-*s  %-10s %10s %8s %12s %14s %14s\n", (int)table->widest, "signal", "verdict", "deviation",
               "points", "worst at", "A", "B");
    printf("%-*s  %-10s", (int)table->widest, r->name, r->verdict);
    if (strncmp(r->verdict, "only", 4) != 0) printf(" %10.3g", r->deviation);
    if (different) printf(" %8zu %12.6g %14.7g %14.7g", r->outside, r->t, r->a, r->b);
    putchar('\n');
}

size_t widest_name(const AcausalResult *result)
{
    size_t widest = 6;
    for (size_t i = 0; i < acausal_result_count(result); i++) {
        AcausalSignal signal = { .size = sizeof signal };
        size_t n = acausal_result_signal(result, i, &signal) ? strlen(signal.name) : 0;
        if (n > widest && n <= 60) widest = n;
    }
    return widest;
}

static void print_summary(const Args *args, const AcausalCompareReport *r)
{
    if (args->json) {
        printf("],\"same\":%s,\"signals_same\":%zu,\"signals_different\":%zu,\"only_a\":%zu,\"only_b\":%zu,"
               "\"spans_differ\":%s}\n",
               r->same ? "true" : "false", r->signals_same, r->signals_different, r->only_a, r->only_b,
               r->spans_differ ? "true" : "false");
        return;
    }
    if (!args->quiet)
        printf("%zu same, %zu different, %zu only in A, %zu only in B\n", r->signals_same,
               r->signals_different, r->only_a, r->only_b);
    fflush(stdout);
    if (r->spans_differ)
        fprintf(stderr, "acausal compare: A goes from %.9g to %.9g, B from %.9g to %.9g\n", r->a_from,
                r->a_to, r->b_from, r->b_to);
    else if (r->signals_different)
        fprintf(stderr, "acausal compare: %zu of %zu signals differ\n", r->signals_different,
                r->signals_same + r->signals_different);
    else if (!r->same)
        fputs("acausal compare: the results have no signal in common\n", stderr);
}

static AcausalStatus compare_results(const Args *args, const AcausalResult *a, const AcausalResult *b)
{
    AcausalCompareOptions options = acausal_compare_options();
    AcausalCompareReport report = { .size = sizeof report };
    SignalTable table = { args, args_has(args, "--all"), 0, widest_name(a) };
    if (!args_real(args, "--tol", &options.value) || !args_real(args, "--time-tol", &options.time) ||
        !args_real(args, "--absolute", &options.absolute))
        return ACAUSAL_USAGE;
    if (!(options.value > 0.0) || options.time < 0.0 || options.absolute < 0.0)
        return usage_error(args->command, "tolerances should be positive");
    if (args->json) printf("{\"signals\":[");
    AcausalSession *session = acausal_session_new();
    AcausalStatus status =
        session ? acausal_compare(session, a, b, &options, print_signal, &table, &report) : ACAUSAL_BUG;
    acausal_session_free(session);
    print_summary(args, &report);
    return status;
}

static AcausalStatus run_compare(const Args *args)
{
    AcausalResult *results[2] = { NULL, NULL };
    AcausalStatus status = ACAUSAL_WRONG;
    if (args->word_count != 2) return usage_error(args->command, "two results are needed");
    int i = 0;
    while (i < 2 && (results[i] = read_result(args, args->words[i]))) i++;
    if (i == 2) status = compare_results(args, results[0], results[1]);
    acausal_result_free(results[0]);
    acausal_result_free(results[1]);
    return status;
}

static const Option options[] = {
    { "--tol", "R", "half height of the tube, as a share of each signal's range; 1e-3 if not given" },
    { "--time-tol", "R", "half width of the tube, as a share of the span; 1e-4 if not given" },
    { "--absolute", "D", "differences up to this are none; 1e-12 if not given" },
    { "--all", NULL, "lists signals that are the same, too" },
};

const Command command_compare = {
    .name = "compare",
    .usage = "A B",
    .summary = "Compares two results within a tube that forgives shifted events",
    .about =
        "Each signal must stay in the tube around its namesake, in value and in time. Exit code 1 if one "
        "does not, or "
        "if the\nruns have different spans. Signals that only one of them has are told, and do not count.\n\n"
        "  acausal compare reference.csv new.csv\n"
        "  acausal compare dymola.mat ours.mat --tol 1e-2 --all\n",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .run = run_compare,
};
