/* resources.c: data files of a model: matrices of tables, and text that functions read.
 *
 * A trial instance is initialised; every matrix and every text file that it reads on the way goes
 * into the resources of the FMU under a name of its own, matrices as MAT files of version 4. What a
 * model would read later, or with other parameters, is not there, and reading it is an error that
 * says so. Tests: tests/cli/export.sh. */
#include "export/inside.h"

#include <stdlib.h>

typedef RtStatus (*Reader)(Rt *rt, const char *file, const char *name, const char *delimiter,
                           int64_t header_lines, double **at, int64_t *rows, int64_t *columns);

/* The instance's Rt says nothing about who listens, so its resources do: they are free in
 * process. */
typedef struct {
    char none; /* an empty directory name */
    Exporting *x;
    Reader read;
} Listener;

static Exporting *listener_of(const Rt *rt) { return ((Listener *)(void *)(uintptr_t)rt->resources)->x; }

static bool is_known(const Exporting *x, const char *file, const char *name)
{
    for (uint32_t k = 0; k < x->resources.n; k++) {
        const ExportResource *r = &x->resources.at[k];
        if (!strcmp(r->file, file) && !r->name == !name && (!name || !strcmp(r->name, name))) return true;
    }
    return false;
}

static void add(Exporting *x, const char *file, const char *name, const char *end, Str content)
{
    ExportResource r = { .file = arena_copy(x->arena, str_of(file)),
                         .name = name ? arena_copy(x->arena, str_of(name)) : NULL,
                         .resource = arena_printf(x->arena, "data_%u.%s", (unsigned)x->resources.n + 1, end),
                         .content = content };
    vec_push(x->arena, &x->resources, r);
}

static Str matrix_file(Arena *arena, const double *at, int64_t rows, int64_t columns)
{
    static const char name[] = "table";
    int32_t head[5] = { 0, (int32_t)rows, (int32_t)columns, 0, (int32_t)sizeof name };
    size_t size = sizeof head + sizeof name + (size_t)(rows * columns) * sizeof(double);
    char *file = arena_alloc(arena, size), *to = file + sizeof head + sizeof name;
    memcpy(file, head, sizeof head);
    memcpy(file + sizeof head, name, sizeof name);
    for (int64_t j = 0; j < columns; j++)
        for (int64_t i = 0; i < rows; i++, to += sizeof(double))
            memcpy(to, &at[i * columns + j], sizeof(double));
    return (Str){ file, size };
}

static RtStatus read_matrix(Rt *rt, const char *file, const char *name, const char *delimiter,
                            int64_t header_lines, double **at, int64_t *rows, int64_t *columns)
{
    Listener *l = (Listener *)(void *)(uintptr_t)rt->resources;
    RtStatus status = l->read(rt, file, name, delimiter, header_lines, at, rows, columns);
    if (status == RT_OK && !is_known(l->x, file, name))
        add(l->x, file, name, "mat", matrix_file(l->x->arena, *at, *rows, *columns));
    return status;
}

static const char *find_file(Rt *rt, const char *name, char *path, size_t room)
{
    Exporting *x = listener_of(rt);
    Str content;
    (void)path, (void)room;
    if (!is_known(x, name, NULL) && export_read_file(x->arena, name, &content))
        add(x, name, NULL, "txt", content);
    return name;
}

static void listen(Exporting *x, RunInstance *run)
{
    Rt *rt = run_rt(run);
    Listener *l = NEW(x->arena, Listener);
    *l = (Listener){ 0, x, rt->read_matrix };
    rt->resources = &l->none;
    if (rt->read_matrix) rt->read_matrix = read_matrix;
    rt->find_file = find_file;
}

static bool reads_text(const Exporting *x)
{
    static const char *const readers[] = { "rt_read_line", "rt_read_file", "rt_count_lines" };
    const IrModule *m = gen_module(x->compiled);
    for (IrExt e = 0; e < m->externals.n; e++)
        for (size_t k = 0; k < COUNT_OF(readers); k++)
            if (!strcmp(m->externals.at[e].name, readers[k])) return true;
    return false;
}

void export_find_resources(Exporting *x, double t)
{
    listen(x, x->trial);
    if (!reads_text(x)) return;
    /* Text may be read by initial equations, too, which the trial instance itself does not
     * solve. */
    RunInstance *run = run_new(x->run);
    double *y = NEW_ARRAY(x->arena, double, x->run->state_count + 1);
    RunEvent event;
    if (!run) return;
    run_rt(run)->read_matrix = run_rt(x->trial)->read_matrix;
    run_rt(run)->resources = run_rt(x->trial)->resources;
    run_rt(run)->find_file = find_file;
    run_initialise(run, t, y, &event);
    run_free(run);
}
