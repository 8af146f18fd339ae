/* Derivatives of all maps (initial values, f, values, indicators, resets) in states, time,
 * parameters, inputs and start values: entry by entry against differences of fourth order, and
 * backward against forward: w' (J d) = (w' J) d to rounding. */
#include "gen/world.h"

#define MOST 64

static const struct {
    const char *text;
    double until; /* where it is looked at; an event ends the way there if stops_at_event */
    bool stops_at_event;
} rows[] = {
    { "parameter Real a=0.7, b=2*a; Real x(start=1, fixed=true), y(start=b, fixed=true); equation der(x) = "
      "sin(x)*y*a + time^2; der(y) = x^3/(b + y^2);",
      0.3, false },
    { "parameter Real a=0.7, b=a^2; input Real u(start=0.4); Real x(start=1.5, fixed=true), y(start=0.7, "
      "fixed=true), "
      "p, q, out; equation p + a*x*q = y*u; p - y*q = exp(-b*x); der(x) = p; der(y) = q*x + u^2; out = "
      "p*q*time;",
      0.2, false },
    { "parameter Real a=0.7, b=1.2; Real x(start=1.5, fixed=true), y(start=0.7, fixed=true), p(start=1), "
      "q(start=1), "
      "r; equation p^3 + b*q = x; q^3 + p*y*a = 2; der(x) = p*q; der(y) = p - q; r^3 + r = x*b;",
      0.2, false },
    /* initial equations: steady state, and a parameter that they give */
    { "parameter Real a=0.7, k=3; parameter Real g(fixed=false, start=1); Real x(start=1), y(start=2, "
      "fixed=true); "
      "initial equation der(x) = 0; g^3 + g = 2*a + k; equation der(x) = k - x*y*a; der(y) = -g*y + x;",
      0.3, false },
    /* a pendulum in Cartesian coordinates: index 3 */
    { "parameter Real L=1.1, m=2; Real x(start=0.8, fixed=true), y(start=-0.6), vx(start=0.1, fixed=true), "
      "vy, F; "
      "equation der(x) = vx; der(y) = vy; m*der(vx) = -F*x; m*der(vy) = -F*y - m*9.81; x^2 + y^2 = L^2;",
      0.1, false },
    { "parameter Real c=0.4; Real x(start=0.3, fixed=true), y(start=0.7, fixed=true), z(start=1.1, "
      "fixed=true); "
      "equation der(x) = tan(x)+atan(y*c)+sqrt(z); der(y) = asin(x*c)+acos(y*c)+atan2(x, z); der(z) = "
      "tanh(x)+sinh(y*c)*cosh(z*c)+log(z)+log10(y)+abs(x - y)+x^c+min(x, y)*max(y, z)-x/y;",
      0.1, false },
    /* a reset with a parameter, through an algebraic variable and through pre() of one */
    { "parameter Real e=0.8, g=9.81; Real h(start=1, fixed=true), v(start=0, fixed=true), E; equation der(h) "
      "= v; "
      "der(v) = -g; E = h*g + v^2/2; when h < 0 then reinit(v, -e*pre(v)); end when;",
      1, true },
    { "parameter Real e=0.8, g=9.81; Real h(start=1, fixed=true), v(start=0, fixed=true), w, s(start=1, "
      "fixed=true); "
      "equation der(h) = v; der(v) = -g; der(s) = -s; w^3 + w = v*e; when h < 0 then reinit(v, -e*pre(v) + "
      "0.1*s); reinit(s, pre(w)*w + time*e); end when;",
      1, true },
    { "parameter Real a=2, b=0.4; Real x(start=0.3, fixed=true), y(start=0.7, fixed=true); Boolean on; "
      "equation on = "
      "a*x*y > b + 0.1*time; der(x) = if on then x*y else a*y; der(y) = noEvent(if x < 0.5 then x^2*b else "
      "y);",
      0.4, false },
    /* functions: inlined, with loops */
    { "function f input Real x; input Real a; output Real y; algorithm y := a; for i in 1:4 loop y := y + "
      "x^i/i; "
      "end for; end f; parameter Real a=0.6; Real x(start=0.3, fixed=true), z(start=1); equation der(x) = "
      "f(x, a); f(z, x) = 3;",
      0.2, false },
};

typedef struct {
    Run r;
    Model *m;
    int n, count;
    int variables[MOST];
    double p0[MOST], y[MOST];
    double t;
    const char *text;
    bool stops_at_event;
} World;

static bool open(World *w, const char *text, const double *p, bool products)
{
    Run *r = &w->r;
    *r = (Run){ .mini = mini_new(text) };
    r->system = dae_build(r->mini->flat, r->mini->arena, &r->mini->diag);
    if (r->system) r->compiled = gen_compile(r->system, IR_AUTO, &r->mini->diag);
    if (!r->compiled || (products && !gen_add_products(r->compiled, &r->mini->diag))) {
        printf("  %s\n", mini_errors(r->mini));
        return false;
    }
    r->model = w->m = gen_instance(r->compiled);
    for (int k = 0; p && k < w->count; k++) {
        const char *why;
        if (p[k] != w->p0[k]) w->m->type->set(w->m, w->variables[k], p[k], &why);
    }
    w->n = w->m->shape.n;
    w->text = text;
    return run_start(r, 0);
}

/* Parameters, inputs and start values that are free. What is not changed is not set: a binding
 * would be lost. */
static void choose_variables(World *w)
{
    Model *m = w->m;
    for (int k = 0; k < m->shape.variable_count && w->count < MOST; k++) {
        const ModelVariable *v = &m->shape.variables[k];
        bool is_free = v->kind == VARIABLE_PARAMETER || v->is_input || v->is_state;
        if (!v->is_settable || !is_free || v->type != VARIABLE_REAL) continue;
        w->variables[w->count++] = k;
    }
}

static int result_length(const World *w, ModelMap map)
{
    return map == MAP_VALUES       ? w->m->shape.value_count
           : map == MAP_INDICATORS ? w->m->shape.indicators
                                   : w->n;
}

/* The map itself, evaluated on a model of its own with these numbers. */
static bool evaluate(const World *from, ModelMap map, double t, const double *y, const double *p,
                     double *result)
{
    World w = { .count = from->count };
    memcpy(w.variables, from->variables, sizeof w.variables);
    memcpy(w.p0, from->p0, sizeof w.p0);
    bool ok = open(&w, from->text, p, false);
    Model *m = w.m;
    double point[MOST];
    EventInfo info;
    memcpy(point, y, sizeof point);
    if (ok && map == MAP_INITIAL) memcpy(result, w.r.y, (size_t)w.n * sizeof *result);
    if (ok && map == MAP_DERIVATIVES) ok = m->type->derivatives(m, t, point, result) == EVAL_OK;
    if (ok && map == MAP_VALUES) ok = m->type->values(m, t, point, result) == EVAL_OK;
    if (ok && map == MAP_INDICATORS) ok = m->type->indicators(m, t, point, result) == EVAL_OK;
    if (ok && map == MAP_RESET) {
        ok = m->type->event(m, t, point, &info) == EVAL_OK;
        memcpy(result, point, (size_t)w.n * sizeof *result);
    }
    run_close(&w.r);
    return ok;
}

/* Fourth order: (8 (f(h) - f(-h)) - (f(2h) - f(-2h))) / 12 h. What changes: time (-1), a state, or
 * a parameter. */
static bool difference(const World *w, ModelMap map, int what, double *column)
{
    static const double at[] = { 1, -1, 2, -2 }, weight[] = { 8, -8, -1, 1 };
    double value[256], h = 2e-4;
    int length = result_length(w, map);
    memset(column, 0, 256 * sizeof *column);
    for (int k = 0; k < 4; k++) {
        double y[MOST], p[MOST], t = w->t;
        memcpy(y, w->y, sizeof y);
        memcpy(p, w->p0, sizeof p);
        if (what < 0) t += at[k] * h;
        if (what >= 0 && what < w->n) y[what] += at[k] * h;
        if (what >= w->n) p[what - w->n] += at[k] * h;
        if (!evaluate(w, map, t, y, p, value)) return false;
        for (int j = 0; j < length; j++) column[j] += weight[k] * value[j] / (12 * h);
    }
    return true;
}

static uint32_t seed = 11;
static double next_real(void)
{
    return seed = seed * 1664525u + 1013904223u, (double)(seed >> 8) / (1 << 24) - 0.5;
}

static void test_transposed(World *w, ModelMap map)
{
    double d[256] = { 0 }, weights[256], y[MOST], p[MOST], gy[MOST], gp[MOST], left = 0, right, size = 0;
    int length = result_length(w, map);
    for (int k = 0; k < MOST; k++) y[k] = next_real(), p[k] = next_real();
    ModelChange in = { next_real(), y, w->count, w->variables, p };
    ModelChange out = { 0, gy, w->count, w->variables, gp };
    CHECK(w->m->type->jvp(w->m, 1, &in, &(double *){ d }) == EVAL_OK);
    for (int k = 0; k < length; k++) {
        weights[k] = next_real();
        left += weights[k] * d[k];
        size += fabs(weights[k] * d[k]);
    }
    CHECK(w->m->type->vjp(w->m, weights, &out) == EVAL_OK);
    right = out.t * in.t;
    for (int k = 0; k < w->n; k++) right += gy[k] * y[k];
    for (int k = 0; k < w->count; k++) right += gp[k] * p[k];
    if (!CHECK(fabs(left - right) <= 1e-11 * (1 + size + fabs(right))))
        printf("  map %d of %s: %.17g forward, %.17g backward\n", map, w->text, left, right);
}

/* Changes of parameters and inputs alone go another way, with the same result, for one of them or
 * for all at once. */
static void test_held_states(World *w)
{
    enum { WAYS = 11 };
    static double p[WAYS][MOST], zeros[MOST], got[WAYS][MOST], want[WAYS][MOST];
    ModelChange held[WAYS], moved[WAYS];
    double *out[WAYS], *other[WAYS];
    for (int q = 0; q < WAYS; q++) {
        for (int k = 0; k < w->count; k++) p[q][k] = q == WAYS - 1 ? next_real() : k == q % w->count;
        held[q] = (ModelChange){ 0, NULL, w->count, w->variables, p[q] };
        moved[q] = (ModelChange){ 0, zeros, w->count, w->variables, p[q] };
        out[q] = got[q], other[q] = want[q];
    }
    if (!w->count) return;
    CHECK(w->m->type->jvp(w->m, WAYS, held, out) == EVAL_OK);
    CHECK(w->m->type->jvp(w->m, WAYS, moved, other) == EVAL_OK);
    for (int q = 0; q < WAYS; q++)
        for (int k = 0; k < w->n; k++)
            if (!CHECK_NEAR(got[q][k], want[q][k], 1e-13 * (1 + fabs(want[q][k]))))
                printf("  direction %d of rate %d of %s\n", q, k, w->text);
}

static void test_map(World *w, ModelMap map)
{
    double want[256], got[256];
    int length = result_length(w, map);
    if (!CHECK_ROW(w->m->type->linearise(w->m, map, w->t, w->y) == EVAL_OK, w->text)) {
        printf("  %s\n", w->m->type->failure(w->m));
        return;
    }
    test_transposed(w, map);
    if (map == MAP_DERIVATIVES) test_held_states(w);
    for (int what = -1; what < w->n + w->count; what++) {
        double y[MOST] = { 0 }, p[MOST] = { 0 };
        ModelChange change = { what < 0, y, w->count, w->variables, p };
        if ((map == MAP_INITIAL && what < w->n)) continue;
        if (what >= 0 && what < w->n) y[what] = 1;
        if (what >= w->n) p[what - w->n] = 1;
        CHECK(w->m->type->jvp(w->m, 1, &change, &(double *){ got }) == EVAL_OK);
        if (!CHECK_ROW(difference(w, map, what, want), w->text)) continue;
        for (int k = 0; k < length; k++)
            if (!CHECK_NEAR(got[k], want[k], 2e-7 * (1 + fabs(want[k]))))
                printf("  map %d, result %d, change %d of %s\n", map, k, what, w->text);
    }
}

static void test_model(size_t row)
{
    World w = { .stops_at_event = rows[row].stops_at_event };
    if (!CHECK_ROW(open(&w, rows[row].text, NULL, true), rows[row].text)) return;
    Model *m = w.m;
    CHECK(m->can & MODEL_PRODUCTS);
    choose_variables(&w);
    double values[256];
    m->type->values(m, 0, w.r.y, values);
    for (int k = 0; k < w.count; k++) w.p0[k] = values[m->shape.variables[w.variables[k]].slot];
    /* a place of its own for the states: what they are is no matter, but parameters must not move
     * it */
    w.t = rows[row].until;
    memcpy(w.y, w.r.y, sizeof w.y);
    for (int k = 0; k < w.n && !w.stops_at_event; k++) w.y[k] += 0.01 * (k + 1);
    if (w.stops_at_event) {
        w.t = 0.45, w.y[0] = -0.01, w.y[1] = -4.4;
        EventInfo info;
        double y[MOST];
        memcpy(y, w.y, sizeof y);
        CHECK(m->type->event(m, w.t, y, &info) == EVAL_OK && info.y_changed);
        test_map(&w, MAP_RESET);
        run_close(&w.r);
        return;
    }
    test_map(&w, MAP_INITIAL);
    test_map(&w, MAP_DERIVATIVES);
    test_map(&w, MAP_VALUES);
    if (m->shape.indicators) test_map(&w, MAP_INDICATORS);
    run_close(&w.r);
}

int main(void)
{
    for (size_t row = 0; row < COUNT_OF(rows); row++) test_model(row);
    return test_end();
}
