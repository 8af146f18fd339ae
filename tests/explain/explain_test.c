/* Equations, values and reasons as words: what an expression reads, what of it has no value for
 * these numbers, where a guess came from. Rows with texts; the words are compared to the letter. */
#include "gen/world.h"

#include "explain/inside.h"

static uint32_t var_of(const Run *r, const char *name)
{
    for (uint32_t k = 0; k < r->system->vars.n; k++)
        if (!strcmp(r->system->vars.at[k].name, name)) return k;
    return NONE;
}

static ExplainModel model_of(const Run *r)
{
    return (ExplainModel){ .compiled = r->compiled, .sources = r->mini->sources, .arena = r->mini->arena };
}

/* The last equation that was written with these values has this to say, or nothing. */
static const struct {
    const char *equation;
    double x, p;
    const char *want;
} domains[] = {
    { "y = sqrt(x - p);", 1, 2, "sqrt(" },
    { "y = sqrt(x - p);", 3, 2, NULL },
    { "y = log(x);", 0, 0, "log(" },
    { "y = asin(x);", 1.5, 0, "asin(" },
    { "y = asin(x);", 0.5, 0, NULL },
    { "y = 1/(x - p);", 2, 2, "division by" },
    { "y = (x - p)^0.5;", 1, 3, ")^0.5, where" },
    { "y = exp(x);", 1000, 0, "exp(" },
};

static void test_domains(void)
{
    for (size_t k = 0; k < COUNT_OF(domains); k++) {
        Run r;
        const char *text = domains[k].equation, *found = NULL;
        char whole[200];
        snprintf(whole, sizeof whole,
                 "parameter Real p = 1; Real x(start=5, fixed=true), y; equation der(x) = -x; %s", text);
        if (!CHECK_ROW(run_open(&r, whole, IR_INTERPRETER), text)) continue;
        ExplainModel what = model_of(&r);
        double *values = NEW_ARRAY(r.mini->arena, double, r.system->vars.n + 1);
        values[var_of(&r, "x")] = domains[k].x, values[var_of(&r, "p")] = domains[k].p;
        for (uint32_t e = 0; e < r.system->eqs.n && !found; e++) {
            found = words_of_domain(&what, r.system->eqs.at[e].left, values, 0);
            if (!found) found = words_of_domain(&what, r.system->eqs.at[e].right, values, 0);
        }
        CHECK_ROW(!found == !domains[k].want, text);
        if (found && domains[k].want) CHECK_ROW(strstr(found, domains[k].want), found);
        run_close(&r);
    }
}

/* What is read through a relation counts, each variable once, and constants do not. */
static void test_reads(void)
{
    Run r;
    const char *text = "parameter Real p = 2; Real x(start=1, fixed=true), y, z; equation der(x) = -x; "
                       "z = sin(time); y = (if x > z then x*x + p*x else 3*x);";
    if (!CHECK(run_open(&r, text, IR_INTERPRETER))) return;
    ExplainModel what = model_of(&r);
    uint32_t x = var_of(&r, "x"), z = var_of(&r, "z"), p = var_of(&r, "p"), y = var_of(&r, "y"), hits = 0;
    for (uint32_t e = 0; e < r.system->eqs.n; e++) {
        Reads reads = { 0 };
        words_reads(&what, r.system->eqs.at[e].left, &reads, 10);
        words_reads(&what, r.system->eqs.at[e].right, &reads, 10);
        unsigned seen = 0, is_y = 0;
        for (uint32_t k = 0; k < reads.n; k++) {
            is_y |= reads.at[k] == y;
            seen += (reads.at[k] == x) + (reads.at[k] == z) * 10u + (reads.at[k] == p) * 100u;
        }
        hits += is_y && seen == 111;
    }
    CHECK(hits == 1);
    Reads few = { 0 };
    for (uint32_t e = 0; e < r.system->eqs.n; e++) words_reads(&what, r.system->eqs.at[e].right, &few, 2);
    CHECK(few.n == 2);
    run_close(&r);
}

static void test_values(void)
{
    Run r;
    const char *text = "Boolean b; Real x(start=1, fixed=true); equation der(x) = -x; b = x > 0.5;";
    if (!CHECK(run_open(&r, text, IR_INTERPRETER))) return;
    ExplainModel what = model_of(&r);
    double *values = NEW_ARRAY(r.mini->arena, double, r.system->vars.n + 1);
    values[var_of(&r, "b")] = 1, values[var_of(&r, "x")] = NAN;
    CHECK_TEXT(words_of_value(&what, var_of(&r, "b"), values), "b = true");
    CHECK_TEXT(words_of_value(&what, var_of(&r, "x"), values), "x = nan");
    values[var_of(&r, "x")] = 1.0 / 3;
    CHECK_TEXT(words_of_value(&what, var_of(&r, "x"), values), "x = 0.333333");
    run_close(&r);
}

/* Start values that are found do start the model; what was given stays as it is. */
static void test_search(void)
{
    Run r;
    const char *why, *text = "parameter Real p = 3; Real u(start=-1), w(start=0.1), v; "
                             "equation log(u) + u*exp(w/10) = p; exp(w) + w*u^2 = 4; "
                             "v = u + 1;";
    if (!CHECK(run_open(&r, text, IR_INTERPRETER))) return;
    EvalStatus status = r.model->type->initialise(r.model, 0, r.y, &r.info);
    CHECK(status != EVAL_OK);
    ExplainModel what = model_of(&r);
    ExplainStart options = { .t = 0, .time_limit = 20 };
    what.like = r.model;
    const char *found = explain_start_values(&what, &options);
    double value = 0;
    if (CHECK(found && sscanf(found, "u(start = %lf)", &value) == 1)) {
        Model *again = gen_instance(r.compiled);
        CHECK(again->type->set(again, run_find(&r, "u"), value, &why));
        CHECK(again->type->initialise(again, 0, r.y, &r.info) == EVAL_OK);
        gen_instance_free(again);
    }
    run_close(&r);
}

int main(void)
{
    test_domains();
    test_reads();
    test_values();
    test_search();
    return test_end();
}
