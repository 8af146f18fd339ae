/* types.c: types that variables are declared with, by name: units of the library, enumerations,
 * connectors of one number.
 *
 * An attribute of a type in a description holds for all variables of the type that say nothing of
 * their own: so a type says what all its variables agree on, and nothing else. Cost: linear. Tests:
 * tests/cli/export.sh. */
#include "export/inside.h"

#include <math.h>

static void agree_text(const char **known, const char *own)
{
    if (strcmp(*known, own) != 0) *known = "";
}

static void agree_number(double *known, double own)
{
    if (!(*known == own)) *known = NAN;
}

/* A type may not be called as a variable is. */
static void forbid_names(Exporting *x, Names *names, Map *taken)
{
    for (uint32_t k = 0; k < x->variables.n; k++)
        *map_put(taken, map_key(name_of(names, str_of(x->variables.at[k].name))), NULL) = NONE;
}

void export_list_types(Exporting *x)
{
    Names *names = names_new();
    Map known = { .arena = x->arena }; /* name to the type's number + 1 */
    if (!names) return;
    forbid_names(x, names, &known);
    for (uint32_t k = 0; k < x->variables.n; k++) {
        ExportVariable *v = &x->variables.at[k];
        const char *name = v->def != NONE ? x->s->flat->defs.at[v->def].name : v->type_name;
        bool is_new = false;
        if (!name || !*name) continue;
        uint64_t *place = map_put(&known, map_key(name_of(names, str_of(name))), &is_new);
        if (is_new) {
            ExportType made = {
                name, v->type, v->unit, v->display_unit, v->quantity, v->min, v->max, v->def
            };
            vec_push(x->arena, &x->types, made);
            *place = x->types.n;
        }
        if (*place == NONE || x->types.at[*place - 1].type != v->type) continue;
        ExportType *t = &x->types.at[*place - 1];
        v->declared = (uint32_t)*place - 1;
        agree_text(&t->unit, v->unit);
        agree_text(&t->display_unit, v->display_unit);
        agree_text(&t->quantity, v->quantity);
        agree_number(&t->min, v->min);
        agree_number(&t->max, v->max);
    }
    names_free(names);
}
