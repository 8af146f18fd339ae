/* map.c: maps of intervals by name: see sens/interval.c. Tests: tests/api/map_test.c. */
#include "api/inside.h"

#include <stdio.h>
#include <stdlib.h>

struct AcausalMap {
    Model *model;
    SensMap *map;
    double *start;
};

static bool find_inputs(Vary *v, const AcausalInterval *interval, int *found)
{
    AcausalSession *s = v->m->session;
    for (size_t k = 0; k < interval->input_count; k++) {
        const ModelVariable *variable = model_find_variable(v->m->model, str_of(interval->inputs[k]));
        if (!variable)
            return unknown(s, "input", interval->inputs[k],
                           model_nearest_variable(s, v->m->model, str_of(interval->inputs[k])));
        if (!variable->is_input) return wrong(s, E_OPTION, "'%s' is no input", interval->inputs[k]);
        found[k] = (int)(variable - v->m->model->shape.variables);
    }
    return true;
}

static bool make(AcausalMap *map, Vary *v, const AcausalInterval *interval)
{
    AcausalModel *m = v->m;
    char why[240];
    EventInfo info;
    int *inputs = NEW_ARRAY(m->texts, int, interval->input_count + 1);
    if (!vary_in(v, interval->parameters, interval->parameter_count) || !find_inputs(v, interval, inputs))
        return false;
    map->model = vary_instance(v, NULL, NULL, 0, why, sizeof why);
    if (!map->model) return wrong(m->session, E_OPTION, "%s", why);
    map->start = calloc((size_t)map->model->shape.n + 1, sizeof *map->start);
    if (!map->start ||
        map->model->type->initialise(map->model, interval->start, map->start, &info) != EVAL_OK)
        return wrong(m->session, E_OPTION, "the initial equations have no solution");
    SensInterval job = { map->model,
                         interval->method,
                         interval->steps,
                         inputs,
                         (int)interval->input_count,
                         interval->is_linear,
                         v->wrt,
                         (int)interval->parameter_count };
    map->map = sens_map_new(&job, why, sizeof why);
    return map->map || wrong(m->session, E_OPTION, "%s", why);
}

AcausalMap *acausal_map_new(AcausalModel *m, const AcausalInterval *given)
{
    AcausalInterval own = { 0 }, *interval = &own;
    if (!TAKE(m->session, own, given)) return NULL;
    AcausalMap *map = calloc(1, sizeof *map);
    AcausalSimulation run = acausal_simulation();
    Vary v;
    run.set = interval->set;
    run.set_count = interval->set_count;
    run.start = interval->start;
    if (m->fmu) wrong(m->session, E_OPTION, "maps of intervals need the equations of a model");
    if (map && !m->fmu && vary_open(&v, m, &run, true) && make(map, &v, interval)) return map;
    acausal_map_free(map);
    return NULL;
}

void acausal_map_free(AcausalMap *map)
{
    if (!map) return;
    sens_map_free(map->map);
    gen_instance_free(map->model);
    free(map->start);
    free(map);
}

size_t acausal_map_states(const AcausalMap *map) { return (size_t)map->model->shape.n; }
const char *acausal_map_state(const AcausalMap *map, size_t i) { return map->model->shape.names[i]; }
const double *acausal_map_start(const AcausalMap *map) { return map->start; }

AcausalStatus acausal_map_forward(AcausalMap *map, double t0, double t1, const double *x, const double *u0,
                                  const double *u1, double *end, double *derivatives)
{
    return sens_map_forward(map->map, t0, t1, x, u0, u1, end, derivatives) ? ACAUSAL_DONE : ACAUSAL_FAILED;
}

AcausalStatus acausal_map_back(AcausalMap *map, const double *weights, double *gradient)
{
    return sens_map_back(map->map, weights, gradient) ? ACAUSAL_DONE : ACAUSAL_FAILED;
}
