/* A saved state is the whole state: what follows it is bit for bit the same again, in the same
 * instance and in another one. Bytes that are no state of the model change nothing. */
#include "gen/world.h"

#include "gen/inside.h"

static const char *const rows[] = {
    "Real x(start=1, fixed=true), y(start=0.5); equation der(x) = y - x; y^3 + y = x + 0.1*time;",
    ("Real h(start=1, fixed=true), v(start=0, fixed=true); Integer n(start=0, fixed=true); equation der(h) = "
     "v; "
     "der(v) = -9.81; when h < 0 then reinit(v, -0.8*pre(v)); n = pre(n) + 1; end when;"),
    "Real x(start=1, fixed=true), d; equation d = delay(x, 0.13); der(x) = -d;",
    ("Real x(start=0, fixed=true); discrete Real s(start=0, fixed=true); String w(start=\"none\", "
     "fixed=true); "
     "equation der(x) = s - x; when sample(0, 0.1) then s = pre(s) + 1; w = pre(w) + String(time); end "
     "when;"),
    ("Real x(start=0.8, fixed=true), y(start=0.6), vx(start=0, fixed=true), vy, F; equation der(x) = vx; "
     "der(y) = vy; der(vx) = -F*x; der(vy) = -F*y - 9.81; x^2 + y^2 = 1;"),
};

enum { STEPS = 60, MOST = 8 };

typedef struct {
    double t, next, y[MOST];
} Point;

/* Steps of Euler's method with the events that come: nothing but the state of the instance and the
 * place count. */
static bool go(RunInstance *i, Point *p, int steps)
{
    double f[MOST];
    uint32_t n = run_model(i)->state_count;
    for (int k = 0; k < steps; k++) {
        double h = fmin(0.01, p->next - p->t);
        if (run_derivatives(i, p->t, p->y, f) != RUN_OK) return false;
        for (uint32_t j = 0; j < n; j++) p->y[j] += h * f[j];
        p->t += h;
        RunEvent event = { .next_time = p->next };
        run_accepted(i, p->t, p->y);
        if (run_event(i, p->t, p->y, &event) != RUN_OK) return false;
        p->next = event.next_time;
    }
    return run_values(i, p->t, p->y) == RUN_OK;
}

static void compare(RunInstance *a, const double *want, const Point *p, const Point *q, const char *text)
{
    CHECK_ROW(!memcmp(p, q, sizeof *p), text);
    CHECK_ROW(!memcmp(run_values_now(a), want, run_model(a)->var_count * sizeof *want), text);
}

static void test_row(const char *text, bool products)
{
    Run r;
    if (!CHECK_ROW(run_open(&r, text, IR_AUTO), text)) return;
    if (products && !CHECK_ROW(gen_add_products(r.compiled, &r.mini->diag), text)) return;
    RunInstance *a = run_new(&r.compiled->run), *b = run_new(&r.compiled->run);
    Point p = { .t = 0 }, q;
    RunEvent event;
    CHECK_ROW(run_initialise(a, 0, p.y, &event) == RUN_OK, text);
    p.next = event.next_time;
    CHECK_ROW(go(a, &p, STEPS), text);
    size_t size = run_save_size(a);
    char *state = calloc(1, size), *again = calloc(1, size);
    run_save(a, state);
    Point saved = p;
    CHECK_ROW(go(a, &p, STEPS), text);
    uint32_t n = run_model(a)->var_count;
    double *want = NEW_ARRAY(r.mini->arena, double, n);
    memcpy(want, run_values_now(a), n * sizeof *want);
    q = saved;
    CHECK_ROW(run_restore(a, state, size) && go(a, &q, STEPS), text);
    compare(a, want, &p, &q, text);
    q = saved;
    CHECK_ROW(run_restore(b, state, size), text);
    CHECK_ROW(run_save_size(b) == size, text);
    run_save(b, again);
    CHECK_ROW(go(b, &q, STEPS), text);
    compare(b, want, &p, &q, text);
    CHECK_ROW(!run_restore(b, state, size - 1) && !run_restore(b, state, 3), text);
    state[0] ^= 1;
    CHECK_ROW(!run_restore(b, state, size), text);
    run_free(a);
    run_free(b);
    free(state);
    free(again);
    run_close(&r);
}

int main(void)
{
    for (size_t k = 0; k < COUNT_OF(rows); k++)
        for (int products = 0; products < 2; products++) test_row(rows[k], products);
    return test_end();
}
