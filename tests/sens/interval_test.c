/* Maps of intervals: order of the methods, derivatives in states, inputs and parameters against
 * those of the computed map (differences of fourth order) and backward against forward to rounding;
 * AD of a linear problem against the stability function to 1e-12. */
#include "gen/world.h"

#include "sens/sens.h"

static const char nonlinear[] =
    "parameter Real a=0.7, b=1.3; input Real u(start=0.2); input Real w(start=0.1); Real x(start=1, "
    "fixed=true), y(start=0.5, fixed=true), "
    "z; equation der(x) = y*cos(x) + u*a; der(y) = -b*x^3 - 0.3*y + w*z; z^3 + z = x*u + y;";

static int find(const Model *m, const char *name)
{
    for (int k = 0; k < m->shape.variable_count; k++)
        if (!strcmp(m->shape.variables[k].name, name)) return k;
    return -1;
}

static bool open_model(Run *r, const char *text)
{
    *r = (Run){ .mini = mini_new(text) };
    r->system = dae_build(r->mini->flat, r->mini->arena, &r->mini->diag);
    if (r->system) r->compiled = gen_compile(r->system, IR_AUTO, &r->mini->diag);
    bool ok = r->compiled && gen_add_products(r->compiled, &r->mini->diag);
    if (ok) r->model = gen_instance(r->compiled);
    return ok && run_start(r, 0);
}

static void test_derivatives(const char *method)
{
    static const double at[] = { 1, -1, 2, -2 }, weight[] = { 8, -8, -1, 1 };
    Run r;
    char why[100];
    if (!CHECK(open_model(&r, nonlinear))) return;
    int inputs[] = { find(r.model, "u"), find(r.model, "w") },
        parameters[] = { find(r.model, "a"), find(r.model, "b") };
    SensInterval job = { r.model, method, 7, inputs, 2, true, parameters, 2 };
    SensMap *map = sens_map_new(&job, why, sizeof why);
    double x[] = { 1, 0.5 }, u0[] = { 0.2, 0.1 }, u1[] = { 0.6, -0.3 }, end[2], d[8][2], g[8],
           w[] = { 0.7, -1.1 };
    CHECK(sens_map_forward(map, 0.1, 1.4, x, u0, u1, end, d[0]));
    CHECK(sens_map_back(map, w, g));
    for (int k = 0; k < 8; k++)
        if (!CHECK_NEAR(g[k], w[0] * d[k][0] + w[1] * d[k][1], 1e-13 * (1 + fabs(g[k]))))
            printf("  %s, direction %d\n", method, k);
    for (int k = 0; k < 6;
         /* parameters are held in the model: their derivatives follow from those of the stages */
         k++) {
        double want[2] = { 0, 0 }, h = 1e-3;
        for (int q = 0; q < 4; q++) {
            double *moved = k < 2 ? &x[k] : k < 4 ? &u0[k - 2] : &u1[k - 4], kept = *moved;
            *moved = kept + at[q] * h;
            CHECK(sens_map_forward(map, 0.1, 1.4, x, u0, u1, end, NULL));
            *moved = kept;
            for (int i = 0; i < 2; i++) want[i] += weight[q] * end[i] / (12 * h);
        }
        for (int i = 0; i < 2; i++)
            if (!CHECK_NEAR(d[k][i], want[i], 1e-10 * (1 + fabs(want[i]))))
                printf("  %s, direction %d\n", method, k);
    }
    sens_map_free(map);
    run_close(&r);
}

/* y' = l y: n steps of size h give R(h l)^n; its derivative in l is n R^(n-1) R' h. */
static void test_linear(const char *method, int order, bool is_rational)
{
    Run r;
    char why[100];
    if (!CHECK(open_model(&r, "parameter Real l=-1.7; Real y(start=1, fixed=true); equation der(y) = l*y;")))
        return;
    int parameters[] = { find(r.model, "l") };
    double errors[2];
    for (int k = 0; k < 2; k++) {
        SensInterval job = { r.model, method, 10 << k, NULL, 0, false, parameters, 1 };
        SensMap *map = sens_map_new(&job, why, sizeof why);
        double x = 1, end, d[2], h = 2.0 / job.steps, z = -1.7 * h, R = 1, dR = 1, term = 1;
        CHECK(sens_map_forward(map, 0, 2, &x, NULL, NULL, &end, d));
        errors[k] = fabs(end - exp(-3.4));
        for (int j = 1; j <= order && !is_rational; j++) {
            term *= z / j;
            R += term;
            if (j < order) dR += term;
        }
        if (!is_rational && order == 4) CHECK_NEAR(d[1], job.steps * pow(R, job.steps - 1) * dR * h, 1e-12);
        CHECK_NEAR(d[0], end, 1e-14); /* linear in x */
        sens_map_free(map);
    }
    if (!CHECK_NEAR(log2(errors[0] / errors[1]), order, 0.6)) printf("  %s\n", method);
    run_close(&r);
}

int main(void)
{
    static const char *const methods[] = { "rk4", "dopri5", "sdirk3", "radau5", "esdirk4" };
    for (size_t k = 0; k < COUNT_OF(methods); k++) test_derivatives(methods[k]);
    test_linear("rk4", 4, false);
    test_linear("dopri5", 5, false);
    test_linear("sdirk3", 3, true);
    test_linear("radau5", 5, true);
    test_linear("esdirk4", 4, true);
    SensInterval job = { 0 };
    char why[100];
    Run r;
    if (CHECK(open_model(&r, nonlinear))) {
        job = (SensInterval){ .model = r.model, .method = "bdf", .steps = 1 };
        CHECK(!sens_map_new(&job, why, sizeof why) && strstr(why, "no such method"));
        run_close(&r);
    }
    return test_end();
}
