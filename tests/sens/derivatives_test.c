/* Derivatives of whole runs: closed forms where there are some, and all methods against each other,
 * through state events, time events that move, sampled values, resets, other choices of states,
 * initial equations; and what is wrong is told. */
#include "test.h"

#include "acausal.h"

#include <stdlib.h>
#include <unistd.h>

enum { MOST = 8 };
static char path[] = "/tmp/acausal-sens-XXXXXX.mo";

typedef struct {
    const char *text, *wrt[MOST], *of[2], *objective;
    double stop;
    /* closed forms, in the order of the report; unused where has_form is false */
    double want[MOST];
    bool has_form;
} Case;

#define BALL                                                                                                \
    "model M parameter Real e = 0.8; parameter Real g = 9.81; Real h(start = 1, fixed = true); Real "       \
    "v(start = 0, "                                                                                         \
    "fixed = true); equation der(h) = v; der(v) = -g; when h < 0 then reinit(v, -e*pre(v)); end when; end " \
    "M;"

static const Case cases[] = {
    { "model M parameter Real a = 0.7; Real x(start = 2, fixed = true); equation der(x) = -a*x; end M;",
      { "a", "x" },
      { "x" },
      NULL,
      1.5,
      { -1.0498132223335455, 0.34993774911115533 },
      true },
    /* eleven bounces */
    { BALL,
      { "e", "g", "h" },
      { "h", "v" },
      NULL,
      3.7,
      { -2.071985622391358, 0.02708862503470127, -0.2594123597282862, 155.3628003611374, -1.842678749990621,
        18.22032146259201 },
      true },
    /* a time event that moves: x = a T + b (3 - T) */
    { "model M parameter Real a = 2; parameter Real b = 0.5; parameter Real T = 1.1; Real x(start = 0, fixed "
      "= true); "
      "equation der(x) = if time < T then a else b; end M;",
      { "a", "b", "T" },
      { "x" },
      NULL,
      3,
      { 1.1, 1.9, 1.5 },
      true },
    /* an integral, and a value at the end */
    { "model M parameter Real a = 0.7; Real x(start = 1, fixed = true); equation der(x) = -a*x; end M;",
      { "a" },
      { 0 },
      "integral(x) + 2*x",
      2,
      { -1.8193823180932513 },
      true },
    /* sampled control: a discrete Real between samples, whose times move with Ts */
    { "model M parameter Real K = 1.3; parameter Real Ts = 0.21; parameter Real r = 2; Real x(start = 0.3, "
      "fixed = true); "
      "discrete Real u(start = 0, fixed = true); equation der(x) = -0.5*x + u; when sample(0, Ts) then u = "
      "K*(r - x) "
      "+ 0.1*pre(u); end when; end M;",
      { "K", "Ts", "r", "x" },
      { "x", "u" },
      NULL,
      2,
      { 0 },
      false },
    /* time events that a discrete variable sets, pulses whose width is a parameter */
    { "model M parameter Real period = 0.3; parameter Real duty = 0.4; Real x(start = 1, fixed = true); "
      "discrete Real "
      "next(start = period, fixed = true); Boolean on(start = true, fixed = true); equation when time >= "
      "pre(next) then "
      "next = pre(next) + (if pre(on) then duty*period else (1 - duty)*period); on = not pre(on); end when; "
      "der(x) = "
      "(if on then 5 else 0) - x; end M;",
      { "period", "duty" },
      { "x" },
      NULL,
      2,
      { 0 },
      false },
    /* hysteresis: switching sides */
    { "model M parameter Real low = 19; parameter Real high = 21; parameter Real power = 30; Real T(start = "
      "15, fixed = "
      "true); Boolean on(start = true, fixed = true); equation der(T) = (if on then power else 0) - 0.8*(T - "
      "5); on = "
      "T < low or pre(on) and T < high; end M;",
      { "low", "high", "power", "T" },
      { "T" },
      "integral(if on then power else 0) + T",
      3,
      { 0 },
      false },
    /* two resets, one through an algebraic variable and what it was, and a discrete Real that
     * remembers a speed */
    { "model M parameter Real e = 0.8; parameter Real g = 9.81; Real h(start = 1, fixed = true); Real "
      "v(start = 0, fixed "
      "= true); Real w; Real s(start = 1, fixed = true); discrete Real hit(start = 0, fixed = true); "
      "equation der(h) = v; "
      "der(v) = -g - 0.1*hit*v; der(s) = -s; w^3 + w = v*e; when h < 0 then reinit(v, -e*pre(v) + 0.1*s); "
      "reinit(s, "
      "pre(w)*w + time*e); hit = e*pre(v)^2/20; end when; end M;",
      { "e", "g", "s" },
      { "h", "s" },
      NULL,
      2,
      { 0 },
      false },
    /* index 3, other states on the way */
    { "model M parameter Real L = 1; Real x(start = 0.8*L, fixed = true); Real y(start = -0.6*L); Real "
      "vx(start = 0, fixed "
      "= true); Real vy; Real F; equation vx = der(x); vy = der(y); der(vx) = -F*x; der(vy) = -F*y - 9.81; "
      "x^2 + y^2 = "
      "L^2; end M;",
      { "L", "x" },
      { "x", "F" },
      NULL,
      2,
      { 0 },
      false },
    /* initial equations, a parameter that they give, an algebraic loop */
    { "model M parameter Real a = 0.7; parameter Real k = 3; parameter Real g(fixed = false, start = 1); "
      "Real x(start = 1); "
      "Real y(start = 2, fixed = true); Real z(start = 1); initial equation der(x) = 0; g^3 + g = 2*a + k; "
      "equation der(x) = "
      "k - x*y*a; der(y) = -g*y + x + z; z^3 + z = x*y; end M;",
      { "a", "k", "y" },
      { "x", "z" },
      NULL,
      1,
      { 0 },
      false },
    /* more unknowns than are solved for in all stages at once */
    { "model M parameter Real k = 40; parameter Real a = 0.3; Real T[24](each start = 1, each fixed = true); "
      "equation der(T[1]) = k*(T[2] - T[1]) + sin(time) - a*T[1]^3; for i in 2:23 loop der(T[i]) = k*(T[i-1] "
      "- 2*T[i] + T[i+1]) - a*T[i]^3; end for; der(T[24]) = k*(T[23] - T[24]) - a*T[24]^3; end M;",
      { "k", "a" },
      { "T[2]", "T[24]" },
      NULL,
      1,
      { 0 },
      false },
};

static void add_text(void *to, const char *bytes, size_t n)
{
    size_t used = strlen(to);
    if (used + n < 2000) memcpy((char *)to + used, bytes, n);
    if (used + n < 2000) ((char *)to)[used + n] = 0;
}

static bool write_model(const char *text)
{
    FILE *file = fopen(path, "w");
    if (!file) return false;
    fputs(text, file);
    return !fclose(file);
}

static size_t count_names(const char *const *names, size_t room)
{
    size_t n = 0;
    while (n < room && names[n]) n++;
    return n;
}

/* How derivatives are made. */
typedef struct {
    const char *method, *solver, *option; /* NULL: as usual */
    double tol, memory;
    const char *backend;
} Way;

/* Derivatives by one method; returns how many. */
static size_t differentiate(const Case *c, const Way *way, double *out)
{
    AcausalSession *session = acausal_session_new();
    AcausalSimulation run = acausal_simulation();
    AcausalSensitivity what = { .size = sizeof what, .run = &run };
    AcausalSensitivityReport report = { .size = sizeof report };
    what.wrt = c->wrt;
    what.wrt_count = count_names(c->wrt, MOST);
    what.of = c->of;
    what.of_count = c->objective ? 0 : count_names(c->of, 2);
    what.objective = c->objective;
    what.method = way->method;
    what.memory = way->memory;
    what.backend = way->backend;
    run.start = 0;
    run.stop = c->stop;
    run.tolerance = way->tol;
    run.solver = way->solver;
    run.solver_options = &way->option;
    run.solver_option_count = way->option != NULL;
    AcausalStatus status = acausal_differentiate(session, path, NULL, &what, &report);
    if (!CHECK_ROW(status == ACAUSAL_DONE, c->text)) {
        const char *error = acausal_first_error(session);
        printf("  %s: %s %s\n", way->method, report.run->message, error ? error : "");
    }
    size_t n = status == ACAUSAL_DONE ? report.count : 0;
    for (size_t i = 0; i < n && i < MOST; i++) out[i] = report.derivatives[i]->derivative;
    acausal_session_free(session);
    return n;
}

static void compare(const Case *c, const Way *way, const double *want, double within)
{
    double got[MOST] = { 0 };
    size_t n = differentiate(c, way, got);
    for (size_t i = 0; i < n && i < MOST; i++)
        if (!CHECK_ROW(fabs(got[i] - want[i]) <= within * (fabs(want[i]) + 0.1), c->text))
            printf("  %s, %s, %s: derivative %zu is %.15g, not %.15g\n", way->method,
                   way->solver ? way->solver : "auto", way->option ? way->option : "", i, got[i], want[i]);
}

static const struct {
    Way way;
    double within;
} ways[] = {
    { { "forward", NULL, NULL, 1e-9, 0, NULL }, 1e-6 },
    { { "adjoint", NULL, NULL, 1e-9, 0, NULL }, 1e-6 },
    { { "ad", NULL, NULL, 1e-9, 0, NULL }, 1e-6 },
    { { "ad-adjoint", NULL, NULL, 1e-9, 0, NULL }, 1e-6 },
    { { "ind", NULL, NULL, 1e-9, 0, NULL }, 1e-5 },
    { { "end", NULL, NULL, 1e-9, 0, NULL }, 2e-2 },
    { { "forward", "radau5", NULL, 1e-9, 0, NULL }, 1e-6 },
    { { "forward", "esdirk4", NULL, 1e-8, 0, NULL }, 1e-5 },
    { { "forward", "bdf", NULL, 1e-9, 0, NULL }, 1e-4 },
    { { "forward", "radau5", "sensitivity-errors=off", 1e-9, 0, NULL }, 1e-5 },
    { { "forward", "radau5", "sensitivity-corrector=simultaneous", 1e-9, 0, NULL }, 1e-6 },
    { { "forward", "bdf", "sensitivity-corrector=simultaneous", 1e-9, 0, NULL }, 1e-4 },
    { { "adjoint", "radau5", NULL, 1e-9, 0, NULL }, 1e-5 },
    { { "adjoint", NULL, NULL, 1e-9, 0.001, NULL }, 1e-5 }, /* from checkpoints */
    { { "ad", "radau5", NULL, 1e-9, 0, NULL }, 1e-6 },
    { { "ad-adjoint", "radau5", NULL, 1e-9, 0, NULL }, 1e-6 },
    /* tearing variables of blocks belong to the integrator: a mass matrix, or a residual */
    { { "forward", "radau5", "form=dae", 1e-9, 0, NULL }, 1e-6 },
    { { "forward", "bdf", "form=dae", 1e-9, 0, NULL }, 1e-4 },
    { { "forward", "ida", "form=dae", 1e-9, 0, NULL }, 1e-4 },
    { { "adjoint", "radau5", "form=dae", 1e-9, 0, NULL }, 1e-5 },
};

static void test_case(const Case *c)
{
    static const Way tight = { .method = "forward", .tol = 1e-11 };
    double want[MOST];
    if (!CHECK(write_model(c->text))) return;
    if (c->has_form)
        memcpy(want, c->want, sizeof want);
    else if (!differentiate(c, &tight, want))
        return;
    for (size_t k = 0; k < sizeof ways / sizeof ways[0]; k++) compare(c, &ways[k].way, want, ways[k].within);
}

/* CVODES and IDAS find the same, ahead and back. */
static void test_others(const Case *smooth)
{
    static const char *const forms[] = { "form=ode", "form=dae" };
    static const Way tight = { .method = "forward", .tol = 1e-11 };
    double want[MOST];
    if (!differentiate(smooth, &tight, want)) return;
    for (size_t k = 0; k < 2; k++) {
        Way forward = { .method = "forward", .option = forms[k], .tol = 1e-9, .backend = "sundials" },
            adjoint = { .method = "adjoint", .option = forms[k], .tol = 1e-9, .backend = "sundials" };
        compare(smooth, &forward, want, 1e-6);
        compare(smooth, &adjoint, want, 1e-5);
    }
}

/* Without events what is differentiated is the computed map itself: back as ahead to rounding,
 * differences on the same steps to what they can. */
static void test_map(void)
{
    static const char *const solvers[] = { "dopri5", "dop853", "radau5", "esdirk4", "gauss4" };
    static const Case smooth = {
        "model M parameter Real a = 0.7; parameter Real b = 30; Real x(start = 2, fixed = true); Real "
        "y(start = 0.4, fixed = true); Real z(start = 1); equation der(x) = -a*x*y + sin(time); der(y) = "
        "b*(x - z) - y^3; z^3 + z = y + a; end M;",
        { "a", "b", "x" },
        { "x", "y" },
        NULL,
        2,
        { 0 },
        false
    };
    if (!CHECK(write_model(smooth.text))) return;
    for (size_t k = 0; k < sizeof solvers / sizeof solvers[0]; k++) {
        Way ad = { "ad", solvers[k], NULL, 1e-6, 0, NULL },
            back = { "ad-adjoint", solvers[k], NULL, 1e-6, 0, NULL },
            ind = { "ind", solvers[k], NULL, 1e-6, 0, NULL };
        double want[MOST];
        if (!differentiate(&smooth, &ad, want)) continue;
        compare(&smooth, &back, want, 1e-12);
        compare(&smooth, &ind, want, 1e-6);
    }
    test_others(&smooth);
}

/* An event whose condition is only touched: derivatives after it may not exist, and that is said,
 * ahead and back. */
static void test_grazing(void)
{
    static const char *const methods[] = { "forward", "adjoint" };
    static const char text[] =
        "model M parameter Real level = 1; Real x(start = 0, fixed = true); Real y(start = 0, "
        "fixed = true); equation der(x) = 3*(time - 1)^2; der(y) = if x > level then 2 "
        "else 1; end M;";
    CHECK(write_model(text));
    for (size_t k = 0; k < 2; k++) {
        AcausalSession *session = acausal_session_new();
        AcausalSimulation run = acausal_simulation();
        AcausalSensitivity what = { .size = sizeof what, .run = &run };
        AcausalSensitivityReport report = { .size = sizeof report };
        static const char *const wrt[] = { "level" }, *const of[] = { "y" };
        char told[2000] = "";
        what.wrt = wrt;
        what.of = of;
        what.wrt_count = what.of_count = 1;
        what.method = methods[k];
        run.stop = 2;
        CHECK(acausal_differentiate(session, path, NULL, &what, &report) == ACAUSAL_DONE);
        acausal_write_diagnostics(session, ACAUSAL_TEXT, add_text, told);
        CHECK_ROW(strstr(told, "only grazes its condition"), methods[k]);
        acausal_session_free(session);
    }
}

/* ---- what is wrong --------------------------------------------------------------------------- */

static const struct {
    const char *text, *wrt, *of, *method, *says;
} wrong_rows[] = {
    { BALL, "E", "h", NULL, "there is no parameter or variable 'E'" },
    { BALL, "e", "hh", NULL, "there is no variable 'hh'" },
    { BALL, "e", "h", "forwards", "there is no method 'forwards'" },
    { "model M parameter Integer n = 3; Real x[n](each start = 1, each fixed = true); equation der(x) = -x; "
      "end M;",
      "n", "x[1]", NULL, "'n' is structural" },
    { "model M parameter Integer n = 3; Real x(start = 1, fixed = true); equation der(x) = -n*x; end M;", "n",
      "x", NULL, "'n' is no Real" },
    { "model M parameter Real a = 1 annotation(Evaluate = true); Real x(start = a); equation der(x) = if a > "
      "0 then -x "
      "else x; end M;",
      "a", "x", NULL, "'a' is structural" },
    { "model M Real x(start = 1, fixed = true); Real y; equation der(x) = -y; y = delay(x, 0.1); end M;", "x",
      "y", "adjoint", "delays" },
};

static void test_wrong(void)
{
    for (size_t i = 0; i < sizeof wrong_rows / sizeof wrong_rows[0]; i++) {
        AcausalSession *session = acausal_session_new();
        AcausalSimulation run = acausal_simulation();
        AcausalSensitivity what = { .size = sizeof what, .run = &run };
        AcausalSensitivityReport report = { .size = sizeof report };
        CHECK(write_model(wrong_rows[i].text));
        what.wrt = &wrong_rows[i].wrt;
        what.of = &wrong_rows[i].of;
        what.wrt_count = what.of_count = 1;
        what.method = wrong_rows[i].method;
        CHECK_ROW(acausal_differentiate(session, path, NULL, &what, &report) == ACAUSAL_WRONG,
                  wrong_rows[i].says);
        const char *error = acausal_first_error(session);
        bool told =
            (error && strstr(error, wrong_rows[i].says)) || strstr(report.run->message, wrong_rows[i].says);
        if (!CHECK_ROW(told, wrong_rows[i].says))
            printf("  got: %s %s\n", error ? error : "", report.run->message);
        acausal_session_free(session);
    }
}

int main(void)
{
    int file = mkstemps(path, 3);
    if (!CHECK(file >= 0)) return test_end();
    close(file);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) test_case(&cases[i]);
    test_map();
    test_grazing();
    test_wrong();
    unlink(path);
    return test_end();
}
