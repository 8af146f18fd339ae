/* instance.c: the memory of one running model, and its whole state as bytes.
 *
 * All arrays lie in one store, those that belong to the state first: saving is copying them, and
 * what the run-time keeps (strings, histories, random numbers). Factors are no part of it: they are
 * made anew where they are needed. External objects are not saved; a state is restored into an
 * instance that has made its own. Tests: tests/run/save_test.c. */
#include "run/inside.h"

#include <stdlib.h>

/* Hands out parts of the store; without one it only counts. */
typedef struct {
    char *at;
    size_t used;
} Room;

static void *take(Room *room, size_t n, size_t size)
{
    void *at = room->at ? room->at + room->used : NULL;
    room->used += (n * size + 15) & ~(size_t)15;
    return at;
}

#define TAKE(room, T, n) ((T *)take((room), (size_t)(n) + 1, sizeof(T)))

static void take_snapshots(RunInstance *i, Snapshot *s, Room *room)
{
    for (int k = 0; k < SNAPSHOT_MEMORIES; k++)
        s->memory[run_snapshot_memories[k]] = TAKE(room, double, i->m->memory_size[run_snapshot_memories[k]]);
    s->fired = TAKE(room, uint8_t, i->m->reinit_count);
}

/* What belongs to the state: parameters that initial equations give carry their derivatives from
 * the start. */
static void take_products(RunInstance *i, Room *room)
{
    const RunTape *t = i->m->tape;
    Products none = { .d = NULL }, *p = TAKE(room, Products, 1), *to = p ? p : &none;
    to->at = (TapePoint){ i->memory[MEM_PARTIAL], TAKE(room, double, t->lus), TAKE(room, int, t->pivots) };
    i->products = p;
}

/* And what does not. */
static void take_product_room(RunInstance *i, Room *room)
{
    const RunTape *t = i->m->tape;
    Products none = { .d = NULL }, *to = i->products ? i->products : &none;
    size_t columns = (size_t)t->columns * RUN_LANES;
    to->d = TAKE(room, double, t->columns);
    to->wide = TAKE(room, double, columns);
    to->waiting = TAKE(room, double, t->columns);
    to->torn = TAKE(room, double, (size_t)t->largest *RUN_LANES);
    to->work = TAKE(room, double, 2 * t->largest + 2);
    to->residuals = TAKE(room, double, t->pivots);
    take_snapshots(i, &to->before, room);
    take_snapshots(i, &to->now, room);
    for (int k = 0; k < RUN_ROUNDS; k++) take_snapshots(i, &to->rounds[k], room);
}

static size_t set_room(const RunModel *m, uint32_t *columns)
{
    size_t room = 1;
    *columns = 1;
    for (uint32_t k = 0; k < m->set_count; k++) {
        const RunSet *set = &m->sets[k];
        size_t own = (size_t)set->rows * set->columns;
        room = own > room ? own : room;
        *columns = set->columns > *columns ? set->columns : *columns;
    }
    return room;
}

/* Writes the ranges of variables that vary, unless `out` is NULL; how many numbers these are. */
static uint32_t list_varying(const RunModel *m, uint32_t *out)
{
    uint32_t n = 0;
    for (uint32_t v = 0; v < m->var_count;) {
        uint32_t end = v;
        while (end < m->var_count && m->role[end] >= RUN_DISCRETE) end++;
        if (end > v && out) out[n] = v, out[n + 1] = end;
        n += end > v ? 2 : 0;
        v = end > v ? end : v + 1;
    }
    return n;
}

static void lay_out(RunInstance *i, Room *room)
{
    const RunModel *m = i->m;
    uint32_t columns;
    for (int k = 0; k < MEM_GRADIENT; k++) i->memory[k] = TAKE(room, double, m->memory_size[k]);
    i->tearing = TAKE(room, double, m->tearing_count);
    i->sample_count = TAKE(room, double, m->sample_count);
    i->reach = TAKE(room, double, m->relation_count);
    i->bias = TAKE(room, double, m->relation_count);
    i->before = TAKE(room, double, m->relation_count);
    i->warned = TAKE(room, uint8_t, m->check_count);
    if (m->tape) take_products(i, room);
    i->persist = room->used;
    for (int k = MEM_GRADIENT; k < MEM_COUNT; k++) i->memory[k] = TAKE(room, double, m->memory_size[k]);
    if (m->tape) take_product_room(i, room);
    i->lu = TAKE(room, double, m->lus);
    i->pivot = TAKE(room, int, m->tearing_count);
    i->sparse = TAKE(room, RtSparse *, m->sparse_count);
    i->moved = TAKE(room, uint8_t, m->relation_count);
    i->kept = TAKE(room, double, m->var_count);
    i->sided = TAKE(room, double, m->relation_count);
    i->unknowns = TAKE(room, double, m->largest);
    i->block_nominal = TAKE(room, double, m->largest);
    i->low = TAKE(room, double, m->largest);
    i->high = TAKE(room, double, m->largest);
    i->work = TAKE(room, double, 4 * (size_t)m->largest);
    int path = (int)m->largest < LARGEST_PATH ? (int)m->largest : LARGEST_PATH;
    i->path_room = TAKE(room, double, rt_continue_room(path) + (size_t)path);
    i->path_pivot = TAKE(room, int, path);
    i->set_work = TAKE(room, double, set_room(m, &columns));
    i->set_dropped = TAKE(room, uint8_t, columns);
    i->failed_values = TAKE(room, double, m->var_count);
    i->failed_guess = TAKE(room, double, m->largest);
    i->guess = TAKE(room, double, m->largest);
    i->varying_count = list_varying(m, NULL);
    i->varying = TAKE(room, uint32_t, i->varying_count);
}

static void print(void *user, const char *text)
{
    RunInstance *i = user;
    if (i->say) i->say(i->say_arg, text);
}

static bool fill(RunInstance *i)
{
    const RunModel *m = i->m;
    Room room = { NULL, 0 };
    lay_out(i, &room);
    i->store_size = room.used;
    i->store = calloc(1, room.used);
    i->rt = rt_new(m->stack);
    if (!i->store || !i->rt || !rt_histories_new(i->rt, m->history_count)) return false;
    room = (Room){ i->store, 0 };
    lay_out(i, &room);
    for (int k = 0; k < MEM_COUNT; k++)
        i->arrays[m->memory[k]] = (RtArray){ i->memory[k], m->memory_size[k] };
    list_varying(m, i->varying);
    i->rt->memory = i->arrays;
    i->rt->user = i;
    i->rt->print = print;
    i->rt->warn = run_warn;
    if (m->tape && m->tape->constant_count)
        memcpy(i->memory[MEM_PARTIAL], m->tape->constants, m->tape->constant_count * sizeof(double));
    for (uint32_t k = 0; k < m->block_count; k++) {
        const RunBlock *b = &m->blocks[k];
        if (b->pattern && !(i->sparse[b->sparse] = rt_sparse_new(b->pattern))) return false;
    }
    return true;
}

RunInstance *run_new(const RunModel *model)
{
    RunInstance *i = calloc(1, sizeof *i);
    if (!i) return NULL;
    i->m = model;
    i->failing = NONE;
    i->failure = (RunFailure){ .source = NONE, .block = NONE };
    if (fill(i)) return i;
    run_free(i);
    return NULL;
}

void run_watch(RunInstance *i, const RunModel *model) { i->m = model; }

/* External objects live from one initialisation to the next. */
void run_destroy_objects(RunInstance *i)
{
    run_call(i, i->m->destroy);
    rt_forget_objects(i->rt);
    for (uint32_t v = 0; v < i->m->var_count; v++)
        if (i->m->traits[v] & RUN_IS_OBJECT) i->memory[MEM_VALUE][v] = 0;
}

void run_free(RunInstance *i)
{
    if (!i) return;
    if (i->store && i->rt && i->rt->memory) run_destroy_objects(i);
    if (i->rt) rt_histories_free(i->rt);
    for (uint32_t k = 0; i->store && k < i->m->sparse_count; k++) rt_sparse_free(i->sparse[k]);
    rt_free(i->rt);
    free(i->store);
    free(i);
}

Rt *run_rt(RunInstance *i) { return i->rt; }
const RunModel *run_model(const RunInstance *i) { return i->m; }
const double *run_values_now(const RunInstance *i) { return i->memory[MEM_VALUE]; }
double *run_memory(RunInstance *i, Memory memory) { return i->memory[memory]; }
double *run_tearing(RunInstance *i) { return i->tearing; }
double *run_changes(RunInstance *i) { return i->products->d; }
double *run_residuals(RunInstance *i) { return i->products->residuals; }

/* What Newton's method measures with may be smaller, so a number that the model says comes
 * first. */
double run_nominal(const RunInstance *i, uint32_t var)
{
    double value = i->m->nominal[var] != 0 ? i->m->nominal[var] : i->memory[MEM_NOMINAL][var];
    return value > 0 ? value : value < 0 ? -value : 1;
}

void run_listen(RunInstance *i, void (*say)(void *arg, const char *text), void *arg)
{
    i->say = say;
    i->say_arg = arg;
}

/* ---- the whole state ------------------------------------------------------------------------- */

typedef struct {
    uint64_t magic, store, rt; /* bytes of the two parts after it */
    Moment now;
} Head;

enum { HEAD_ROOM = (sizeof(Head) + 15) / 16 * 16 };
static const uint64_t MAGIC = 0x41636175736c3031u;

/* The products' own pointers lie inside of the store; those of another instance must not replace
 * them. */
static void restore_store(RunInstance *i, const char *from)
{
    Products own = { .d = NULL };
    if (i->products) own = *i->products;
    char objects = 0;
    for (uint32_t v = 0; v < i->m->var_count; v++) objects |= (i->m->traits[v] & RUN_IS_OBJECT) != 0;
    if (objects) memcpy(i->kept, i->memory[MEM_VALUE], i->m->var_count * sizeof(double));
    memcpy(i->store, from, i->persist);
    for (uint32_t v = 0; objects && v < i->m->var_count; v++)
        if (i->m->traits[v] & RUN_IS_OBJECT) i->memory[MEM_VALUE][v] = i->kept[v];
    if (i->products) *i->products = own;
}

size_t run_save_size(const RunInstance *i) { return HEAD_ROOM + i->persist + rt_save_size(i->rt); }

void run_save(const RunInstance *i, void *to)
{
    Head head;
    memset(&head, 0, sizeof head);
    head.magic = MAGIC, head.store = i->persist, head.rt = rt_save_size(i->rt);
    head.now = i->now;
    memset(to, 0, HEAD_ROOM);
    memcpy(to, &head, sizeof head);
    memcpy((char *)to + HEAD_ROOM, i->store, i->persist);
    rt_save(i->rt, (char *)to + HEAD_ROOM + i->persist);
}

bool run_restore(RunInstance *i, const void *from, size_t size)
{
    Head head;
    if (size < HEAD_ROOM + i->persist) return false;
    memcpy(&head, from, sizeof head);
    if (head.magic != MAGIC || head.store != i->persist || head.rt != size - HEAD_ROOM - i->persist)
        return false;
    if (!rt_restore(i->rt, (const char *)from + HEAD_ROOM + i->persist, (size_t)head.rt)) return false;
    run_forget(i);
    restore_store(i, (const char *)from + HEAD_ROOM);
    i->now = head.now;
    i->now.has_event = false; /* its snapshots are not part of the state */
    return true;
}

RtStatus run_call_entries(const void *code, uint32_t function, Rt *rt)
{
    const RunEntries *c = code;
    int64_t depth = rt->depth;
    rt_rewind_all(rt);
    rt->error.status = RT_OK;
    rt->code = c->entries;
    rt->enter = rt_enter_table;
    rt->function_count = c->count;
    RtStatus status = c->entries[function](rt, rt->stack);
    rt->depth = depth;
    return status;
}
