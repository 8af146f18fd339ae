/* model.c: what is common to all models: capabilities, the residual of any form, mass matrix
 * products.
 *
 * Always: a model has derivatives or a residual; a mass matrix belongs to derivatives. Cost: linear
 * in n and in the entries of the mass matrix. Tests: tests/solve/doors_test.c. */
#include "model/model.h"

#include <stdio.h>

static const char *find_fault(const Model *m)
{
    const ModelShape *s = &m->shape;
    if (s->n < 0 || s->indicators < 0) return "a negative number of unknowns or indicators";
    if (!(m->can & (MODEL_DERIVATIVES | MODEL_RESIDUAL | MODEL_STEPS)))
        return "neither derivatives nor a residual";
    if ((m->can & MODEL_MASS) && !(m->can & MODEL_DERIVATIVES)) return "a mass matrix without derivatives";
    if (s->indicators && !m->type->indicators) return "indicators are declared, but not computed";
    int block = model_system_size(m);
    if (s->systems > 1 && s->n % s->systems) return "vectors of unknowns of unequal length";
    if (s->pattern &&
        (s->pattern->rows != block || s->pattern->columns != block || !pattern_valid(s->pattern)))
        return "the sparsity pattern is malformed";
    if (s->mass_pattern && (s->mass_pattern->rows != block || s->mass_pattern->columns != block ||
                            !pattern_valid(s->mass_pattern)))
        return "the pattern of the mass matrix is malformed";
    return NULL;
}

bool model_init(Model *model, const ModelType *type, const ModelShape *shape, void *data, const char **why)
{
    *model = (Model){ .type = type, .shape = *shape, .data = data };
    model->can = (type->derivatives ? MODEL_DERIVATIVES : 0) | (type->residual ? MODEL_RESIDUAL : 0) |
                 (shape->mass ? MODEL_MASS : 0) | (type->jacobian ? MODEL_JACOBIAN : 0) |
                 (type->residual_jacobian ? MODEL_RESIDUAL_JACOBIAN : 0) |
                 (shape->pattern ? MODEL_PATTERN : 0) | (shape->indicators > 0 ? MODEL_INDICATORS : 0) |
                 (type->accepted ? 0 : MODEL_SAVE) |
                 (type->initialise && type->event && type->values ? MODEL_HYBRID : 0) |
                 (type->step ? MODEL_STEPS : 0) | (type->split ? MODEL_SPLIT : 0) |
                 (type->linearise && type->jvp && type->vjp ? MODEL_PRODUCTS : 0);
    *why = find_fault(model);
    return !*why;
}

static void add_mass_once(const ModelShape *s, int n, double c, const double *v, double *r)
{
    if (!s->mass_pattern) {
        for (int i = 0; i < n; i++) r[i] += c * s->mass[i] * v[i];
        return;
    }
    for (int j = 0; j < n; j++)
        for (int k = s->mass_pattern->start[j]; k < s->mass_pattern->start[j + 1]; k++)
            r[s->mass_pattern->row[k]] += c * s->mass[k] * v[j];
}

void model_add_mass(const Model *model, double c, const double *v, double *r)
{
    const ModelShape *s = &model->shape;
    int block = model_system_size(model);
    for (int i = 0; i < s->n && !s->mass; i++) r[i] += c * v[i];
    for (int at = 0; at < s->n && s->mass; at += block) add_mass_once(s, block, c, v + at, r + at);
}

EvalStatus model_residual(Model *model, double t, const double *y, const double *yp, double *r)
{
    if (model->can & MODEL_RESIDUAL) return model->type->residual(model, t, y, yp, r);
    EvalStatus status = model->type->derivatives(model, t, y, r);
    bool plain = !model->shape.mass;
    for (int i = 0; i < model->shape.n; i++) r[i] = plain ? yp[i] - r[i] : -r[i];
    if (!plain) model_add_mass(model, 1.0, yp, r);
    return status;
}

static bool is_algebraic(const ModelShape *s, int j)
{
    if (s->algebraic) return s->algebraic[j];
    if (!s->mass) return false;
    if (!s->mass_pattern) return s->mass[j] == 0.0;
    for (int k = s->mass_pattern->start[j]; k < s->mass_pattern->start[j + 1]; k++)
        if (s->mass[k] != 0.0) return false;
    return true;
}

void model_algebraic(const Model *model, unsigned char *algebraic)
{
    int block = model_system_size(model);
    for (int j = 0; j < model->shape.n; j++) algebraic[j] = is_algebraic(&model->shape, j % block);
}

void model_put(const MatrixShape *order, double *values, int i, int j, double value)
{
    int place = matrix_place(order, i, j);
    if (place >= 0) values[place] += value;
}

const char *model_name(const Model *model, int i, char *buffer, size_t room)
{
    if (model->shape.names) return model->shape.names[i];
    snprintf(buffer, room, "y[%d]", i + 1);
    return buffer;
}
