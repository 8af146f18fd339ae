/* matrices.c: data files of tables. A trial instance is initialised; every matrix that it reads on the way goes into the resources of the
 * FMU, as a MAT file of version 4, under a name of its own. What a model would read later, or with other parameters, is not there.
 * Tests: tests/cli/export.sh. */
#include "export/inside.h"

#include <stdlib.h>

typedef RtStatus (*Reader)(Rt *rt, const char *file, const char *name, const char *delimiter,
                           int64_t header_lines, double **at, int64_t *rows, int64_t *columns);

/* The instance's Rt says nothing about who listens, so its resources do: they are free in process. */
typedef struct {
    char none; /* an empty directory name */
    Exporting *x;
    ExportMatrices *out;
    Reader read;
} Listener;

static RtStatus listen(Rt *rt, const char *file, const char *name, const char *delimiter,
                       int64_t header_lines, double **at, int64_t *rows, int64_t *columns)
{
    Listener *l = (Listener *)(void *)(uintptr_t)rt->resources;
    RtStatus status = l->read(rt, file, name, delimiter, header_lines, at, rows, columns);
    if (status != RT_OK) return status;
    Arena *arena = l->x->arena;
    for (uint32_t k = 0; k < l->out->n; k++)
        if (!strcmp(l->out->at[k].file, file) && !strcmp(l->out->at[k].name, name)) return status;
    size_t bytes = (size_t)(*rows * *columns) * sizeof(double);
    ExportMatrix m = { .file = arena_copy(arena, str_of(file)),
                       .name = arena_copy(arena, str_of(name)),
                       .resource = arena_printf(arena, "table_%u.mat", (unsigned)l->out->n + 1),
                       .at = arena_alloc(arena, bytes),
                       .rows = *rows,
                       .columns = *columns };
    memcpy(m.at, *at, bytes);
    vec_push(arena, l->out, m);
    return status;
}

void export_listen_matrices(Exporting *x, ExportMatrices *out)
{
    Rt *rt = run_rt(x->trial);
    Listener *l = NEW(x->arena, Listener);
    *l = (Listener){ 0, x, out, rt->read_matrix };
    rt->resources = &l->none;
    if (rt->read_matrix) rt->read_matrix = listen;
}

Str export_matrix_file(Exporting *x, const ExportMatrix *m)
{
    static const char name[] = "table";
    int32_t head[5] = { 0, (int32_t)m->rows, (int32_t)m->columns, 0, (int32_t)sizeof name };
    size_t n = (size_t)(m->rows * m->columns), size = sizeof head + sizeof name + n * sizeof(double);
    char *at = arena_alloc(x->arena, size);
    memcpy(at, head, sizeof head);
    memcpy(at + sizeof head, name, sizeof name);
    char *to = at + sizeof head + sizeof name;
    for (int64_t j = 0; j < m->columns; j++)
        for (int64_t i = 0; i < m->rows; i++, to += sizeof(double))
            memcpy(to, &m->at[i * m->columns + j], sizeof(double));
    return (Str){ at, size };
}
