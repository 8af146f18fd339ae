/* What sparsing promises: a set of entries that it calls stable keeps every recursion of the step
 * bounded, on 200 random models with two linearisations each, as their own iteration shows; leaving
 * out is monotone in the threshold at its ends; a whole scenario of a nonlinear model with events
 * gives a choice within the error asked for; what cannot be is said. */
#include "gen/world.h"

#include "realtime/realtime.h"

#include <stdlib.h>

enum { N = 8, MODELS = 200, ROUNDS = 400 };

static uint64_t state = 1;
static double uniform(void)
{
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return (double)(state >> 11) * 0x1p-53 - 0.5;
}

/* Chains of stiff and slow parts with couplings; diagonally dominant, so stable. */
static void random_model(RtScenario *s, Arena *arena, double *mass)
{
    Entry entries[N * N];
    size_t count = 0;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            if (i == j || uniform() > 0) entries[count++] = (Entry){ i, j };
    Pattern *p = pattern_of_entries(arena, N, N, entries, count);
    int algebraic = uniform() > 0 ? 2 : 0;
    for (int i = 0; i < N; i++) mass[i] = i < N - algebraic;
    *s = (RtScenario){ .arena = arena, .options = rt_options(1e-3, 0, 1), .system = { N, 1e-3, mass, p } };
    s->at = NEW_ARRAY(arena, Linearisation, 2);
    double rate[N], *first = NULL;
    for (int i = 0; i < N; i++) rate[i] = pow(10, 4 * (uniform() + 0.5));
    for (int k = 0; k < 2; k++) {
        double *df = NEW_ARRAY(arena, double, count + 1), sum[N] = { 0 };
        for (int j = 0; j < N; j++)
            for (int e = p->start[j]; e < p->start[j + 1]; e++)
                if (p->row[e] != j)
                    sum[p->row[e]] += fabs(df[e] = rate[p->row[e]] * uniform() * pow(10, 2 * uniform() - 1));
        for (int j = 0; j < N; j++) df[pattern_find(p, j, j)] = -1.05 * sum[j] - rate[j] / 10;
        for (size_t e = 0; first && e < count; e++) df[e] = first[e] * (1 + 0.3 * uniform());
        for (int j = 0; j < N && first; j++) df[pattern_find(p, j, j)] *= 1.6; /* still dominant */
        first = df;
        if (criterion_new(arena, &s->system, df, false, &s->at[s->count].criterion) != CRITERION_OK) continue;
        s->at[s->count++].df = df;
    }
}

/* Solves a small dense system by Gauss with pivoting. */
static void solve(double a[N][N], double *b)
{
    for (int k = 0; k < N; k++) {
        int p = k;
        for (int i = k; i < N; i++)
            if (fabs(a[i][k]) > fabs(a[p][k])) p = i;
        for (int j = 0; j < N; j++) {
            double t = a[k][j];
            a[k][j] = a[p][j], a[p][j] = t;
        }
        double t = b[k];
        b[k] = b[p], b[p] = t;
        for (int i = k + 1; i < N; i++) {
            double f = a[i][k] / a[k][k];
            for (int j = k; j < N; j++) a[i][j] -= f * a[k][j];
            b[i] -= f * b[k];
        }
    }
    for (int k = N - 1; k >= 0; k--) {
        for (int j = k + 1; j < N; j++) b[k] -= a[k][j] * b[j];
        b[k] /= a[k][k];
    }
}

/* The step itself, by its definition: x += tau (L - tau J)^-1 Df x. Whether it decays from a random
 * start. */
static bool decays(const RtScenario *s, int k, const unsigned char *kept)
{
    const Pattern *p = s->system.pattern;
    double x[N], first = 0, last = 0;
    for (int i = 0; i < N; i++) x[i] = uniform();
    for (int round = 0; round < ROUNDS; round++) {
        double a[N][N] = { { 0 } }, f[N] = { 0 }, size = 0;
        for (int i = 0; i < N; i++) a[i][i] = s->system.mass[i];
        for (int j = 0; j < N; j++)
            for (int e = p->start[j]; e < p->start[j + 1]; e++) {
                f[p->row[e]] += s->at[k].df[e] * x[j];
                if (kept[e]) a[p->row[e]][j] -= s->system.tau * s->at[k].df[e];
            }
        solve(a, f);
        for (int i = 0; i < N; i++) size = fmax(size, fabs(x[i] += s->system.tau * f[i]));
        if (round == ROUNDS / 2) first = size;
        last = size;
    }
    return last <= first;
}

static void test_random(void)
{
    int stable = 0, dropped = 0, refused = 0;
    for (int model = 0; model < MODELS; model++) {
        state = (uint64_t)model * 7919 + 88172645463325252u;
        Arena *arena = arena_new();
        RtScenario s;
        double mass[N];
        random_model(&s, arena, mass);
        CHECK(s.count == 2);
        for (double threshold = 0.05; threshold < 2; threshold *= 4) {
            RtPoint p;
            sparsing_choose(&s, threshold, &p);
            refused += !p.stable;
            if (!p.stable) continue;
            stable++;
            dropped += pattern_count(s.system.pattern) - p.entries;
            CHECK(p.radius < 1);
            for (int k = 0; k < s.count; k++) CHECK(decays(&s, k, p.kept));
        }
        arena_free(arena);
    }
    CHECK(stable > MODELS && dropped > 4 * MODELS); /* it did leave something out */
    printf("  %d stable choices, %d entries left out, %d choices refused\n", stable, dropped, refused);
}

static void test_ends(void)
{
    Arena *arena = arena_new();
    RtScenario s;
    RtPoint none, all;
    double mass[N];
    random_model(&s, arena, mass);
    sparsing_choose(&s, 0, &none);
    sparsing_choose(&s, 1e9, &all);
    CHECK(none.stable && none.deviation < 1e-9);
    CHECK(all.entries <= none.entries);
    arena_free(arena);
}

/* A stiff chain on a slow oscillator that meets a wall. */
static const char motion[] =
    "Real x(start=1, fixed=true), v(start=0, fixed=true), a(start=1, fixed=true), b(start=1, fixed=true), "
    "c(start=1, fixed=true); equation der(x) = v; der(v) = -30*x - 0.6*v + 0.01*c + (if x < -0.5 then "
    "300*(-0.5 - x) "
    "else 0); der(a) = 2000*(x - a) + 0.1*v; der(b) = 5000*(a - b) + 1e-3*sin(v); der(c) = 3000*(b - c) + "
    "1e-3*x*v;";

static RtScenario *scenario_of(Run *r, const char *text, RtOptions options)
{
    if (!CHECK(run_open(r, text, IR_AUTO))) return NULL;
    if (options.residual_form) CHECK(gen_add_residual_form(r->compiled, &r->mini->diag));
    return scenario_new(r->compiled, &options);
}

static void test_scenario(void)
{
    Run r;
    RtOptions options = rt_options(2e-3, 0, 2);
    RtScenario *s = scenario_of(&r, motion, options);
    if (!CHECK(s && !s->message[0])) return;
    CHECK(s->events >= 2 && s->count >= 2); /* the wall is another linearisation */
    RtSparsing *sparsing = sparsing_new(s);
    const RtPoint *p = sparsing_choice(sparsing);
    CHECK(p->stable && p->entries < sparsing->exact.entries && p->count_lu <= sparsing->exact.count_lu);
    CHECK(p->outcome.error <= fmax(options.error, 1.2 * sparsing->exact.outcome.error));
    CHECK(sparsing->verified < 1 && !sparsing->verified_bad && sparsing->verified_points > 50);
    RtOutcome second = scenario_run(s, &(RtUse){ .kept = p->kept, .extrapolate = 2 });
    CHECK(second.finished && second.error < sparsing->exact.outcome.error);
    scenario_free(s);
    run_close(&r);
}

static const struct {
    const char *text;
    double step, stop;
    bool residual_form;
    const char *says; /* a message, or a warning */
} bad[] = {
    { "Real x(start=1, fixed=true); equation der(x) = 1000*x;", 1e-3, 0.01, false, "singular" },
    { "Real x(start=1, fixed=true); equation der(x) = 3*x;", 1e-3, 1, false, "itself is unstable" },
    { "Real x(start=1, fixed=true), y(start=0, fixed=true); equation der(x) = -0.01*x; der(y) = 100*(x - y);",
      1e-3, 1, false, "too short" },
    { "Real x(start=1, fixed=true); equation der(x) = if time < 0.5 then -x else sqrt(-1 - x^2);", 1e-2, 1,
      false, "reference run failed" },
};

static void test_bad(void)
{
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        Run r;
        RtOptions options = rt_options(bad[k].step, 0, bad[k].stop);
        options.residual_form = bad[k].residual_form;
        RtScenario *s = scenario_of(&r, bad[k].text, options);
        bool said = s && strstr(s->message, bad[k].says);
        for (uint32_t w = 0; s && w < s->warnings.n; w++)
            said |= strstr(s->warnings.at[w], bad[k].says) != NULL;
        if (!CHECK_ROW(said, bad[k].text) && s) printf("  '%s'\n", s->message);
        scenario_free(s);
        run_close(&r);
    }
}

int main(void)
{
    test_random();
    test_ends();
    test_scenario();
    test_bad();
    return test_end();
}
