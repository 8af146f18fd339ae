/* Consistent initial values are found by every method for systems of equations, in all forms of a
 * model and for every kind of integrator; values that are consistent stay as they are; where there
 * are none the component to blame is named; a model that gives up ends the search. */
#include "solve/solve.h"
#include "test.h"

/* x' = -x, and 0 = g(z, x) with g by number. */
enum { CUBIC, EXPONENTIAL, HOPELESS, UNDEFINED, FATAL };

static EvalStatus algebraic(const Model *model, const double *y, double *g)
{
    double x = y[0], z = y[1];
    switch (*(const int *)model->data) {
    case CUBIC: *g = z + 0.1 * z * z * z - x; return EVAL_OK;
    /* a diode and a resistor */
    case EXPONENTIAL: *g = 1e-3 * (exp(40.0 * z) - 1.0) + z - x; return EVAL_OK;
    case HOPELESS: *g = z * z + 1.0; return EVAL_OK;
    case UNDEFINED: *g = z > 0.0 ? log(z) - x : NAN; return EVAL_OK;
    default: *g = 0.0; return EVAL_FATAL;
    }
}

static EvalStatus derivatives(Model *model, double t, const double *y, double *f)
{
    (void)t;
    f[0] = -y[0];
    return algebraic(model, y, &f[1]);
}

static EvalStatus residual(Model *model, double t, const double *y, const double *yp, double *r)
{
    (void)t;
    r[0] = yp[0] + y[0];
    return algebraic(model, y, &r[1]);
}

static const struct {
    int equation;
    double guess, want; /* want: of z at x = 1; NAN: there is none */
    FailKind failure;
} cases[] = {
    { CUBIC, 40.0, 0.9216989942, FAIL_NONE },
    { CUBIC, -40.0, 0.9216989942, FAIL_NONE },
    { EXPONENTIAL, 0.4, 0.1681221741, FAIL_NONE },
    { EXPONENTIAL, 0.0, 0.1681221741, FAIL_NONE },
    { UNDEFINED, 40.0, 2.718281828, FAIL_NONE },
    { HOPELESS, 0.5, NAN, FAIL_INCONSISTENT },
    { FATAL, 0.5, NAN, FAIL_MODEL },
};
static const char *const solvers[] = { "radau5", "rodas", "esdirk4", "bdf", "dassl", "ida" };

static void check_case(const AlgebraicType *type, size_t c, const char *name, bool as_residual)
{
    static const unsigned char is_algebraic[] = { 0, 1 };
    static const double mass[] = { 1.0, 0.0 };
    static const ModelType forms[] = { { .derivatives = derivatives }, { .residual = residual } };
    const SolverType *solver = solver_find(name);
    int equation = cases[c].equation;
    ModelShape shape = { .name = "algebraic", .n = 2 };
    if (as_residual)
        shape.algebraic = is_algebraic;
    else
        shape.mass = mass;
    Model model;
    const char *why;
    char row[64];
    SolverFailure failure;
    double y0[] = { 1.0, cases[c].guess }, y[2];
    snprintf(row, sizeof row, "%s %s %zu", type->name, name, c);
    CHECK_ROW(model_init(&model, &forms[as_residual], &shape, &equation, &why), row);
    SolverOptions o = solver_options(1e-7, 1e-7);
    o.algebraic = type;
    Problem problem = { &model, 0.0, 1.0, y0, NULL };
    Solver *s = solver_create(solver, &problem, &o, &failure);
    StepStatus status = solver_step(s, 1e-9);
    if (cases[c].failure == FAIL_NONE) {
        memcpy(y, solver_y(s), sizeof y);
        CHECK_ROW(status != STEP_FAILED, row);
        if (!CHECK_ROW(fabs(y[0] - 1.0) < 1e-7 && fabs(y[1] - cases[c].want) < 1e-6, row))
            printf("  %.10g %.10g %s\n", y[0], y[1], solver_failure(s)->text);
    } else {
        bool is_kind = solver_failure(s)->kind == cases[c].failure ||
                       (cases[c].failure == FAIL_INCONSISTENT && solver_failure(s)->kind == FAIL_SINGULAR);
        if (!CHECK_ROW(status == STEP_FAILED && is_kind, row)) printf("  %s\n", solver_failure(s)->text);
        if (cases[c].failure != FAIL_MODEL) CHECK_ROW(solver_failure(s)->component == 1, row);
    }
    solver_destroy(s);
}

int main(void)
{
    CHECK(algebraic_find("newton") == algebraic_types[0] && algebraic_find("kinsol") && !algebraic_find("x"));
    for (size_t k = 0; k < algebraic_type_count; k++)
        for (size_t i = 0; i < COUNT_OF(solvers); i++)
            for (size_t c = 0; c < COUNT_OF(cases); c++) {
                bool takes_residual = solver_find(solvers[i])->can & SOLVE_RESIDUAL;
                check_case(algebraic_types[k], c, solvers[i], false);
                if (takes_residual && strcmp(solvers[i], "radau5") != 0)
                    check_case(algebraic_types[k], c, solvers[i], true);
            }
    return test_end();
}
