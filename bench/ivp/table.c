/* table.c: the list of problems, their models, and how many digits a solution has. */
#include "bench/ivp/problems.h"

const IvpProblem *const ivp_problems[] = {
    &ivp_robertson, &ivp_robertson_dae, &ivp_vdpol,    &ivp_orego,     &ivp_hires,     &ivp_pollution,
    &ivp_e5,        &ivp_ringmod,       &ivp_bruss1d,  &ivp_bruss2d,   &ivp_beam,      &ivp_medakzo,
    &ivp_chemakzo,  &ivp_transamp,      &ivp_squeezer, &ivp_arenstorf, &ivp_pleiades,  &ivp_lorenz,
    &ivp_emep,      &ivp_plate,         &ivp_fekete,   &ivp_squeezer1, &ivp_squeezer0, &ivp_kepler,
    &ivp_duffing,   &ivp_top,           &ivp_nerve,    &ivp_b5,        &ivp_robinson,  &ivp_cusp,
    &ivp_axis,
};
const size_t ivp_problem_count = COUNT_OF(ivp_problems);

Model *ivp_model(const IvpProblem *p, Arena *arena, double **y0)
{
    Model *model = NEW(arena, Model);
    const char *why;
    ModelShape shape = { .name = p->name, .n = p->n, .mass = p->mass, .index = p->index };
    if (p->pattern) shape.pattern = p->pattern(arena);
    if (p->mass_entries)
        shape.mass_pattern = pattern_of_entries(arena, p->n, p->n, p->mass_entries, (size_t)p->mass_count);
    *y0 = NEW_ARRAY(arena, double, (size_t)p->n);
    p->start(*y0);
    int *piece = p->stop_count ? NEW(arena, int) : NULL;
    return model_init(model, &p->type, &shape, piece, &why) ? model : NULL;
}

double ivp_atol(const IvpProblem *p, int i, double rtol)
{
    if (p->atol_fixed > 0.0) return p->atol_fixed;
    return rtol * (p->atol_shares ? p->atol_shares[i] : p->atol_share);
}

/* The largest error over rtol |ref| + atol, or over |ref| + atol/rtol where rtol is 1. */
static double worst_error(const IvpProblem *p, const double *y, double rtol, bool relative)
{
    int stride = p->reference_stride ? p->reference_stride : 1;
    int n = p->reference_count ? p->reference_count : p->n;
    double worst = 1e-17;
    for (int i = 0; i < n; i += stride) {
        double want = p->reference[i / stride];
        if (isnan(want)) continue;
        double error = fabs(y[i] - want) / (rtol * fabs(want) + (relative ? 0.0 : ivp_atol(p, i, rtol)));
        if (!(error <= worst)) worst = isnan(error) ? INFINITY : error;
    }
    return worst;
}

double ivp_digits(const IvpProblem *p, const double *y)
{
    return -log10(worst_error(p, y, 1.0, p->atol_fixed > 0.0));
}

double ivp_error(const IvpProblem *p, const double *y, double rtol) { return worst_error(p, y, rtol, false); }
