/* Random structurally regular systems with a known solution are solved, whatever the order of their equations: each
 * equation is written so that the solution fulfils it. */
#include "gen/world.h"

static uint32_t seed = 7;
static uint32_t next_random(void) { return seed = seed * 1664525u + 1013904223u, seed >> 8; }
static double next_real(void) { return 0.5 + (double)(next_random() % 1000) / 1000; }

/* x_k(t) = c_k + t for states; algebraic z_k = a_k + b_k t. Linear equations with random neighbours. */
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

int main(void)
{
    static const int sizes[] = { 1, 2, 3, 5, 10, 30, 100, 300, 1000 };
    for (size_t i = 0; i < COUNT_OF(sizes); i++) test_system(sizes[i]);
    return test_end();
}
