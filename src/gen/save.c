/* save.c: the whole state of an instance as bytes, so that a run can go back to a moment of it.
 *
 * In: an instance between two evaluations. Out: all its memories that outlive one, guesses of blocks, what events remember. Always:
 * restored into the same instance, or one of the same model with the same parameters, everything is computed as before,
 * bit for bit. Not offered where there is more to a model than numbers: delays, external objects. Cost: a copy.
 * Tests: tests/gen/save_test.c. */
#include "gen/inside.h"

static const uint8_t saved[] = { MEM_VALUE,  MEM_PRE,     MEM_RELATION, MEM_LIVE, MEM_MODE,
                                 MEM_SAMPLE, MEM_TIMES,   MEM_FIRE,     MEM_ONCE, MEM_SET,
                                 MEM_GIVEN,  MEM_NOMINAL, MEM_INDICATOR };

typedef enum { COUNT, WRITE, READ } Way;

typedef struct {
    Way way;
    char *at;
    size_t size;
} Stream;

static void pass(Stream *s, void *data, size_t size)
{
    if (s->way == WRITE && size) memcpy(s->at + s->size, data, size);
    if (s->way == READ && size) memcpy(data, s->at + s->size, size);
    s->size += size;
}

static void pass_all(Instance *i, Stream *s)
{
    const Compiled *c = i->c;
    size_t relations = c->s->relations.n * sizeof(double);
    for (size_t k = 0; k < sizeof saved; k++)
        pass(s, i->memory[saved[k]], c->memory_size[saved[k]] * sizeof(double));
    pass(s, i->guess, c->guesses * sizeof(double));
    pass(s, i->bias, relations);
    pass(s, i->reach, relations);
    pass(s, i->sample_count, c->s->samples.n * sizeof(double));
    pass(s, &i->t_kept, sizeof i->t_kept);
    pass(s, &i->longest_step, sizeof i->longest_step);
    pass(s, &i->t_event, sizeof i->t_event);
    pass(s, &i->is_started, sizeof i->is_started);
}

static bool is_numbers_only(const Compiled *c)
{
    for (uint32_t v = 0; v < c->s->vars.n; v++)
        if (c->s->vars.at[v].type == BASE_OBJECT || c->s->vars.at[v].type == BASE_STRING) return false;
    return c->s->delays.n == 0;
}

size_t gen_save_size(const Model *model)
{
    Instance *i = model->data;
    Stream s = { COUNT, NULL, 0 };
    if (!is_numbers_only(i->c)) return 0;
    pass_all(i, &s);
    return s.size;
}

void gen_save(const Model *model, void *to)
{
    Stream s = { WRITE, to, 0 };
    pass_all(model->data, &s);
}

void gen_restore(Model *model, const void *from)
{
    Stream s = { READ, (char *)(uintptr_t)from, 0 };
    pass_all(model->data, &s);
}
