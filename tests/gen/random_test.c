/* Random structurally regular systems with a known solution and a known index are solved, whatever
 * the order of their equations: each equation is written so that the solution fulfils it. */
#include "gen/world.h"

static uint32_t seed;
static uint32_t next_random(void) { return seed = seed * 1664525u + 1013904223u, seed >> 8; }
static double next_real(void) { return 0.5 + (double)(next_random() % 1000) / 1000; }

/* x_k(t) = c_k + t for states; algebraic z_k = a_k + b_k t. Linear equations with random
 * neighbours. */
static void test_system(int n)
{
    Arena *a = arena_new();
    Text text = { .arena = a };
    double *c = NEW_ARRAY(a, double, (size_t)n), *d = NEW_ARRAY(a, double, (size_t)n);
    int *order = NEW_ARRAY(a, int, (size_t)n);
    text_printf(&text, "Real s(start=0, fixed=true);\n");
    for (int i = 0; i < n; i++) {
        c[i] = next_real(), d[i] = next_real(), order[i] = i;
        text_printf(&text, "Real z%d(start=1);\n", i);
    }
    for (int i = n; i > 1; i--) {
        int k = (int)(next_random() % (uint32_t)i), t = order[i - 1];
        order[i - 1] = order[k], order[k] = t;
    }
    text_printf(&text, "equation\nder(s) = 1;\n");
    for (int i = 0; i < n; i++) {
        int k = order[i], other = (int)(next_random() % (uint32_t)n);
        double own = 3 + next_real(), cross = next_real();
        bool is_cubic = next_random() % 4 == 0;
        if (other == k) cross = 0;
        /* own z + cross z_other (+ (z - z*)^3) = the same at the solution */
        text_printf(&text, "%.17g*z%d + %.17g*z%d", own, k, cross, other);
        if (is_cubic) text_printf(&text, " + (z%d - %.17g - %.17g*s)^3", k, c[k], d[k]);
        text_printf(&text, " = %.17g + %.17g*s;\n", own * c[k] + cross * c[other],
                    own * d[k] + cross * d[other]);
    }
    Run r;
    if (CHECK(run_open(&r, text.at, IR_AUTO))) {
        CHECK(run_start(&r, 0));
        r.t = 0.5, r.y[0] = 0.5;
        double worst = 0;
        for (int i = 0; i < n; i += 1 + n / 20) {
            char name[16];
            snprintf(name, sizeof name, "z%d", i);
            worst = fmax(worst, fabs(run_value(&r, name) - c[i] - 0.5 * d[i]));
        }
        if (!CHECK(worst < 1e-10)) printf("  n %d, error %g\n", n, worst);
    }
    run_close(&r);
    arena_free(a);
}

/* One free state s = t, and unknowns of three kinds with x = c + d s + e s^2 / 2: given by an
 * equation (index 1), by a constraint where the derivative is unknown (index 2), or by one where
 * the force behind the second derivative is (index 3). Constraints mix neighbours of their kind or
 * a higher one. */
static void test_index(int n, int index)
{
    Arena *a = arena_new();
    Text text = { .arena = a }, equations = { .arena = a };
    double *c = NEW_ARRAY(a, double, (size_t)n), *d = NEW_ARRAY(a, double, (size_t)n),
           *e = NEW_ARRAY(a, double, (size_t)n);
    int *kind = NEW_ARRAY(a, int, (size_t)n);
    text_printf(&text, "Real s(start=0, fixed=true, stateSelect=StateSelect.always);\n");
    for (int i = 0; i < n; i++) {
        c[i] = next_real(), d[i] = next_real(), e[i] = next_real();
        kind[i] = i == 0 ? index : 1 + (int)(next_random() % (uint32_t)index);
        text_printf(&text, "Real x%d(start=1), v%d, F%d;\n", i, i, i);
    }
    for (int i = n; i-- > 0;) {
        int other = (int)(next_random() % (uint32_t)n);
        double own = 3 + next_real(), cross = other < i && kind[other] >= kind[i] ? next_real() : 0;
        text_printf(&equations, "%.17g*x%d + %.17g*x%d = %.17g + %.17g*s + %.17g*s^2;\n", own, i, cross,
                    other, own * c[i] + cross * c[other], own * d[i] + cross * d[other],
                    (own * e[i] + cross * e[other]) / 2);
        text_printf(&equations, kind[i] > 1 ? "der(x%d) = v%d;\n" : "x%d = v%d;\n", i, i);
        text_printf(&equations, kind[i] > 2 ? "der(v%d) = 2*F%d - x%d;\n" : "v%d = F%d + x%d;\n", i, i, i);
    }
    text_printf(&text, "equation\nder(s) = 1;\n%s", equations.at);
    Run r;
    if (CHECK(run_open(&r, text.at, IR_AUTO))) {
        CHECK(run_start(&r, 0));
        CHECK(r.system->states.n == 1 && r.system->stats.index == (uint32_t)index);
        r.t = 0.5, r.y[0] = 0.5;
        double worst = 0;
        for (int i = 0; i < n; i += 1 + n / 20) {
            double x = c[i] + 0.5 * d[i] + 0.125 * e[i], v = kind[i] > 1 ? d[i] + 0.5 * e[i] : x;
            double F = kind[i] > 2 ? (e[i] + x) / 2 : v - x;
            worst = fmax(worst, fabs(run_value(&r, arena_printf(a, "x%d", i)) - x));
            worst = fmax(worst, fabs(run_value(&r, arena_printf(a, "v%d", i)) - v));
            worst = fmax(worst, fabs(run_value(&r, arena_printf(a, "F%d", i)) - F));
        }
        if (!CHECK(worst < 1e-9)) printf("  n %d, index %d, error %g\n", n, index, worst);
    }
    run_close(&r);
    arena_free(a);
}

int main(void)
{
    static const int sizes[] = { 1, 2, 3, 5, 10, 30, 100, 300, 1000 };
    seed = test_seed(7);
    for (size_t i = 0; i < COUNT_OF(sizes); i++) test_system(sizes[i]);
    for (int index = 1; index <= 3; index++)
        for (int n = 1; n <= 300; n = 3 * n + 1) test_index(n, index);
    return test_end();
}
