/* store.c: the file of a study: made, opened, written, read.
 *
 * In: rows. Out: an SQLite file. How: a rollback journal, so that between transactions all is in
 * one file; statements are prepared once. Always: `flock` is held while a program writes; its
 * descriptor is closed last, since closing any descriptor of a file drops the locks of SQLite.
 * Cost: some microseconds a row, a sync a second. Tests: tests/store/store_test.c,
 * tests/cli/study.sh. */
#include "store/store.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/file.h>
#include <unistd.h>

enum { FIXED = 7, COMMIT_ROWS = 20000, BUSY_MS = 60000, FORMAT = 1 };
static const double COMMIT_SECONDS = 0.5;
static const char *const fixed_names[FIXED] = { "run",     "state", "message", "time",
                                                "seconds", "steps", "events" };
static const char *const kind_names[] = { "parameter", "output", "curve" };

struct Store {
    Arena *arena;
    sqlite3 *db;
    sqlite3_stmt *add, *add_curve;
    int lock; /* -1: none */
    StoreColumn *columns;
    size_t count, parameters, outputs, curves;
    double *times;
    size_t time_count;
    bool is_open; /* a transaction */
    size_t pending;
    double since;
    char why[400];
};

static bool fail(Store *s, const char *doing)
{
    snprintf(s->why, sizeof s->why, "the store %s: %s", doing, sqlite3_errmsg(s->db));
    return false;
}

const char *store_why(const Store *s) { return s->why; }

static bool run_sql(Store *s, const char *sql)
{
    return sqlite3_exec(s->db, sql, NULL, NULL, NULL) == SQLITE_OK || fail(s, "cannot be written");
}

static sqlite3_stmt *prepare(Store *s, const char *sql)
{
    sqlite3_stmt *statement = NULL;
    if (sqlite3_prepare_v2(s->db, sql, -1, &statement, NULL) != SQLITE_OK) fail(s, "cannot be read");
    return statement;
}

/* ---- columns --------------------------------------------------------------------------------- */

static bool is_taken(const StoreColumn *columns, size_t n, const char *name)
{
    for (size_t k = 0; k < FIXED; k++)
        if (!strcasecmp(fixed_names[k], name)) return true;
    for (size_t k = 0; k < n; k++)
        if (!strcasecmp(columns[k].name, name)) return true;
    return false;
}

void store_name_columns(Arena *arena, StoreColumn *columns, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        const char *plain = columns[k].name;
        for (int copy = 2; is_taken(columns, k, columns[k].name); copy++)
            columns[k].name = arena_printf(arena, "%s#%d", plain, copy);
    }
}

static void add_name(Text *out, const char *name)
{
    text_add_char(out, '"');
    for (; *name; name++) {
        if (*name == '"') text_add_char(out, '"');
        text_add_char(out, *name);
    }
    text_add_char(out, '"');
}

static void count_columns(Store *s)
{
    size_t *counts[] = { &s->parameters, &s->outputs, &s->curves };
    for (size_t k = 0; k < s->count; k++) ++*counts[s->columns[k].kind];
}

static bool make_tables(Store *s)
{
    Text runs = { .arena = s->arena }, curves = { .arena = s->arena };
    text_printf(&runs,
                "CREATE TABLE runs(run INTEGER PRIMARY KEY, state TEXT NOT NULL, message TEXT, time REAL, "
                "seconds REAL, steps INTEGER, events INTEGER");
    text_printf(&curves, "CREATE TABLE curves(run INTEGER, time REAL");
    for (size_t k = 0; k < s->count; k++) {
        Text *out = s->columns[k].kind == STORE_CURVE ? &curves : &runs;
        text_printf(out, ", ");
        add_name(out, s->columns[k].name);
        text_printf(out, s->columns[k].is_text ? " TEXT" : " REAL");
    }
    text_printf(&runs, ")");
    text_printf(&curves, ", PRIMARY KEY(run, time)) WITHOUT ROWID");
    return run_sql(s, "CREATE TABLE study(name TEXT PRIMARY KEY, value TEXT)") &&
           run_sql(
               s, "CREATE TABLE columns(position INTEGER PRIMARY KEY, name TEXT, kind TEXT, expression TEXT, "
                  "unit TEXT, is_text INTEGER)") &&
           run_sql(s, "CREATE TABLE times(position INTEGER PRIMARY KEY, time REAL)") && run_sql(s, runs.at) &&
           (!s->curves || run_sql(s, curves.at));
}

static bool bind_text(sqlite3_stmt *statement, int at, const char *text)
{
    return sqlite3_bind_text(statement, at, text, -1, SQLITE_TRANSIENT) == SQLITE_OK;
}

static bool write_columns(Store *s)
{
    sqlite3_stmt *statement = prepare(s, "INSERT INTO columns VALUES(?,?,?,?,?,?)");
    bool ok = statement;
    for (size_t k = 0; k < s->count && ok; k++) {
        const StoreColumn *c = &s->columns[k];
        sqlite3_bind_int64(statement, 1, (sqlite3_int64)k + 1);
        ok = bind_text(statement, 2, c->name) && bind_text(statement, 3, kind_names[c->kind]) &&
             bind_text(statement, 4, c->expression) && bind_text(statement, 5, c->unit) &&
             sqlite3_bind_int(statement, 6, c->is_text) == SQLITE_OK &&
             sqlite3_step(statement) == SQLITE_DONE;
        sqlite3_reset(statement);
    }
    sqlite3_finalize(statement);
    statement = prepare(s, "INSERT INTO times VALUES(?,?)");
    for (size_t k = 0; k < s->time_count && ok && statement; k++) {
        sqlite3_bind_int64(statement, 1, (sqlite3_int64)k + 1);
        sqlite3_bind_double(statement, 2, s->times[k]);
        ok = sqlite3_step(statement) == SQLITE_DONE;
        sqlite3_reset(statement);
    }
    sqlite3_finalize(statement);
    return ok || fail(s, "cannot be written");
}

static const char *column_text(Store *s, sqlite3_stmt *statement, int at)
{
    const char *text = (const char *)sqlite3_column_text(statement, at);
    return arena_copy(s->arena, str_of(text ? text : ""));
}

static bool read_columns(Store *s)
{
    VEC(StoreColumn) columns = { 0 };
    VEC(double) times = { 0 };
    sqlite3_stmt *statement =
        prepare(s, "SELECT name, kind, expression, unit, is_text FROM columns ORDER BY position");
    while (statement && sqlite3_step(statement) == SQLITE_ROW) {
        StoreColumn c = { .name = column_text(s, statement, 0) };
        const char *kind = column_text(s, statement, 1);
        while (c.kind < STORE_CURVE && strcmp(kind_names[c.kind], kind) != 0) c.kind++;
        c.expression = column_text(s, statement, 2);
        c.unit = column_text(s, statement, 3);
        c.is_text = sqlite3_column_int(statement, 4) != 0;
        vec_push(s->arena, &columns, c);
    }
    sqlite3_finalize(statement);
    if (!statement) return false;
    statement = prepare(s, "SELECT time FROM times ORDER BY position");
    while (statement && sqlite3_step(statement) == SQLITE_ROW)
        vec_push(s->arena, &times, sqlite3_column_double(statement, 0));
    sqlite3_finalize(statement);
    s->columns = columns.at;
    s->count = columns.n;
    s->times = times.at;
    s->time_count = times.n;
    count_columns(s);
    return statement != NULL;
}

/* ---- opening and closing --------------------------------------------------------------------- */

static Store *open_file(const char *path, int flags, bool locks, char *why, size_t room)
{
    Arena *arena = arena_new();
    Store *s = arena ? NEW(arena, Store) : NULL;
    if (!s) return snprintf(why, room, "out of memory"), NULL;
    *s = (Store){ .arena = arena, .lock = -1 };
    if (sqlite3_open_v2(path, &s->db, flags, NULL) != SQLITE_OK) {
        snprintf(why, room, "'%s': %s", path, s->db ? sqlite3_errmsg(s->db) : "out of memory");
        store_close(s);
        return NULL;
    }
    sqlite3_busy_timeout(s->db, BUSY_MS);
    if (!locks) return s;
    s->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (s->lock < 0 || flock(s->lock, LOCK_EX | LOCK_NB)) {
        snprintf(why, room,
                 errno == EWOULDBLOCK ? "'%s' is being written by another program" : "'%s' cannot be locked",
                 path);
        store_close(s);
        return NULL;
    }
    return s;
}

static bool prepare_rows(Store *s)
{
    Text sql = { .arena = s->arena };
    size_t n = FIXED + s->parameters + s->outputs;
    text_printf(&sql, "INSERT OR IGNORE INTO runs VALUES(?");
    for (size_t k = 1; k < n; k++) text_printf(&sql, ",?");
    text_printf(&sql, ")");
    if (!(s->add = prepare(s, sql.at))) return false;
    if (!s->curves) return true;
    sql.n = 0;
    text_printf(&sql, "INSERT OR IGNORE INTO curves VALUES(?,?");
    for (size_t k = 0; k < s->curves; k++) text_printf(&sql, ",?");
    text_printf(&sql, ")");
    return (s->add_curve = prepare(s, sql.at)) != NULL;
}

Store *store_create(const char *path, const StoreColumn *columns, size_t n, const double *times,
                    size_t time_count, char *why, size_t room)
{
    if (file_kind(path) != FILE_NONE)
        return snprintf(why, room, "'%s' is there already: 'acausal study resume' goes on with a study",
                        path),
               NULL;
    Store *s = open_file(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, true, why, room);
    if (!s) return NULL;
    char version[60];
    snprintf(version, sizeof version, "PRAGMA user_version = %d", FORMAT);
    s->columns = NEW_ARRAY(s->arena, StoreColumn, n + 1);
    if (n) memcpy(s->columns, columns, n * sizeof *columns);
    s->count = n;
    s->times = NEW_ARRAY(s->arena, double, time_count + 1);
    if (time_count) memcpy(s->times, times, time_count * sizeof *times);
    s->time_count = time_count;
    count_columns(s);
    if (run_sql(s, "BEGIN") && run_sql(s, version) && make_tables(s) && write_columns(s) && prepare_rows(s)) {
        s->is_open = true;
        return s;
    }
    snprintf(why, room, "%s", s->why);
    store_close(s);
    unlink(path);
    return NULL;
}

static int version_of(Store *s)
{
    sqlite3_stmt *statement = prepare(s, "PRAGMA user_version");
    int version = statement && sqlite3_step(statement) == SQLITE_ROW ? sqlite3_column_int(statement, 0) : -1;
    sqlite3_finalize(statement);
    return version;
}

Store *store_open(const char *path, bool writes, char *why, size_t room)
{
    if (file_kind(path) != FILE_REGULAR) return snprintf(why, room, "there is no study '%s'", path), NULL;
    /* a killed writer leaves a journal: whoever looks next needs to write, to take it back */
    Store *s = open_file(path, SQLITE_OPEN_READWRITE, writes, why, room);
    if (!s) return NULL;
    int version = version_of(s);
    if (version == FORMAT && read_columns(s) && (!writes || prepare_rows(s))) return s;
    if (version < 0)
        snprintf(why, room, "'%s' is no study: %s", path, sqlite3_errmsg(s->db));
    else if (version != FORMAT)
        snprintf(why, room, "'%s' is no study, or of another version of Acausal", path);
    else
        snprintf(why, room, "'%s': %s", path, s->why);
    store_close(s);
    return NULL;
}

bool store_close(Store *s)
{
    bool ok = true;
    if (!s) return true;
    if (s->is_open) ok = store_flush(s);
    sqlite3_finalize(s->add);
    sqlite3_finalize(s->add_curve);
    sqlite3_close(s->db);
    if (s->lock >= 0) close(s->lock);
    arena_free(s->arena);
    return ok;
}

/* ---- the study ------------------------------------------------------------------------------- */

static bool begin(Store *s)
{
    if (s->is_open) return true;
    s->since = clock_wall();
    s->pending = 0;
    return s->is_open = run_sql(s, "BEGIN IMMEDIATE");
}

bool store_set(Store *s, const char *name, const char *value)
{
    sqlite3_stmt *statement = begin(s) ? prepare(s, "INSERT OR REPLACE INTO study VALUES(?,?)") : NULL;
    bool ok = statement && bind_text(statement, 1, name) && bind_text(statement, 2, value) &&
              sqlite3_step(statement) == SQLITE_DONE;
    sqlite3_finalize(statement);
    return ok || fail(s, "cannot be written");
}

const char *store_get(Store *s, Arena *arena, const char *name)
{
    sqlite3_stmt *statement = prepare(s, "SELECT value FROM study WHERE name = ?");
    const char *value = NULL;
    if (statement && bind_text(statement, 1, name) && sqlite3_step(statement) == SQLITE_ROW) {
        const char *text = (const char *)sqlite3_column_text(statement, 0);
        value = arena_copy(arena, str_of(text ? text : ""));
    }
    sqlite3_finalize(statement);
    return value;
}

const StoreColumn *store_columns(const Store *s, size_t *n)
{
    *n = s->count;
    return s->columns;
}

const double *store_times(const Store *s, size_t *n)
{
    *n = s->time_count;
    return s->times;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static void bind_number(sqlite3_stmt *statement, int at, double value)
{
    if (isnan(value))
        sqlite3_bind_null(statement, at);
    else
        sqlite3_bind_double(statement, at, value);
}

static bool add_curves(Store *s, const StoreRow *row)
{
    for (size_t i = 0; i < s->time_count; i++) {
        sqlite3_bind_int64(s->add_curve, 1, (sqlite3_int64)row->run);
        sqlite3_bind_double(s->add_curve, 2, s->times[i]);
        for (size_t k = 0; k < s->curves; k++)
            bind_number(s->add_curve, (int)(k + 3), row->curve[i * s->curves + k]);
        int end = sqlite3_step(s->add_curve);
        sqlite3_reset(s->add_curve);
        if (end != SQLITE_DONE) return fail(s, "cannot be written");
    }
    return true;
}

bool store_add(Store *s, const StoreRow *row)
{
    sqlite3_stmt *add = s->add;
    int at = FIXED;
    if (!begin(s)) return false;
    sqlite3_bind_int64(add, 1, (sqlite3_int64)row->run);
    sqlite3_bind_text(add, 2, row->failed ? "failed" : "done", -1, SQLITE_STATIC);
    if (*row->message)
        sqlite3_bind_text(add, 3, row->message, -1, SQLITE_TRANSIENT);
    else
        sqlite3_bind_null(add, 3);
    bind_number(add, 4, row->t);
    bind_number(add, 5, row->seconds);
    sqlite3_bind_int64(add, 6, row->steps);
    sqlite3_bind_int64(add, 7, row->events);
    for (size_t k = 0; k < s->parameters; k++)
        if (row->p_text && row->p_text[k])
            sqlite3_bind_text(add, ++at, row->p_text[k], -1, SQLITE_TRANSIENT);
        else
            bind_number(add, ++at, row->p[k]);
    for (size_t k = 0; k < s->outputs; k++) bind_number(add, ++at, row->y[k]);
    int end = sqlite3_step(add);
    sqlite3_reset(add);
    if (end != SQLITE_DONE) return fail(s, "cannot be written");
    if (s->curves && row->curve && !row->failed && !add_curves(s, row)) return false;
    bool due = ++s->pending >= COMMIT_ROWS || clock_wall() - s->since > COMMIT_SECONDS;
    return !due || store_flush(s);
}

bool store_flush(Store *s)
{
    if (!s->is_open) return true;
    s->is_open = false;
    return run_sql(s, "COMMIT");
}

bool store_counts(Store *s, StoreCounts *counts)
{
    sqlite3_stmt *statement = prepare(s, "SELECT count(*), sum(state = 'failed') FROM runs");
    bool ok = statement && sqlite3_step(statement) == SQLITE_ROW;
    *counts = (StoreCounts){ 0 };
    if (ok) {
        counts->failed = (uint64_t)sqlite3_column_int64(statement, 1);
        counts->done = (uint64_t)sqlite3_column_int64(statement, 0) - counts->failed;
    }
    sqlite3_finalize(statement);
    return ok || fail(s, "cannot be read");
}

bool store_forget_failed(Store *s)
{
    return begin(s) && run_sql(s, "DELETE FROM runs WHERE state = 'failed'") && store_flush(s);
}

bool store_each_number(Store *s, void (*each)(void *arg, uint64_t run), void *arg)
{
    sqlite3_stmt *statement = prepare(s, "SELECT run FROM runs");
    int end = SQLITE_ERROR;
    while (statement && (end = sqlite3_step(statement)) == SQLITE_ROW)
        each(arg, (uint64_t)sqlite3_column_int64(statement, 0));
    sqlite3_finalize(statement);
    return end == SQLITE_DONE || fail(s, "cannot be read");
}

static double number_at(sqlite3_stmt *statement, int at)
{
    return sqlite3_column_type(statement, at) == SQLITE_NULL ? NAN : sqlite3_column_double(statement, at);
}

typedef struct {
    sqlite3_stmt *statement;
    double *values; /* NULL: curves are not wanted */
} CurveReader;

static void read_curves(Store *s, CurveReader *r, uint64_t run)
{
    size_t row = 0;
    for (size_t i = 0; i < s->time_count * s->curves; i++) r->values[i] = NAN;
    sqlite3_bind_int64(r->statement, 1, (sqlite3_int64)run);
    for (; sqlite3_step(r->statement) == SQLITE_ROW && row < s->time_count; row++)
        for (size_t k = 0; k < s->curves; k++)
            r->values[row * s->curves + k] = number_at(r->statement, (int)k + 2);
    sqlite3_reset(r->statement);
}

static void read_row(Store *s, sqlite3_stmt *statement, StoreRow *row, double *p, double *y,
                     const char **texts)
{
    int at = FIXED;
    const char *state = (const char *)sqlite3_column_text(statement, 1);
    row->run = (uint64_t)sqlite3_column_int64(statement, 0);
    row->failed = !state || strcmp(state, "done") != 0;
    row->message = (const char *)sqlite3_column_text(statement, 2);
    if (!row->message) row->message = "";
    row->t = number_at(statement, 3);
    row->seconds = number_at(statement, 4);
    row->steps = (long)sqlite3_column_int64(statement, 5);
    row->events = (long)sqlite3_column_int64(statement, 6);
    for (size_t k = 0, j = 0; k < s->count; k++) {
        if (s->columns[k].kind != STORE_PARAMETER) continue;
        p[j] = number_at(statement, at);
        texts[j++] = s->columns[k].is_text ? (const char *)sqlite3_column_text(statement, at) : NULL;
        at++;
    }
    for (size_t k = 0; k < s->outputs; k++) y[k] = number_at(statement, at++);
}

bool store_each(Store *s, bool with_curves, bool (*each)(void *arg, const StoreRow *row), void *arg)
{
    sqlite3_stmt *statement = prepare(s, "SELECT * FROM runs ORDER BY run");
    CurveReader curves = { 0 };
    double *p = NEW_ARRAY(s->arena, double, s->parameters + 1),
           *y = NEW_ARRAY(s->arena, double, s->outputs + 1);
    const char **texts = NEW_ARRAY(s->arena, const char *, s->parameters + 1);
    StoreRow row = { .p = p, .y = y, .p_text = texts };
    if (with_curves && s->curves) {
        curves.statement = prepare(s, "SELECT * FROM curves WHERE run = ? ORDER BY time");
        row.curve = curves.values = NEW_ARRAY(s->arena, double, s->time_count * s->curves + 1);
    }
    int end = SQLITE_ERROR;
    bool goes_on = statement && (curves.statement || !curves.values);
    while (goes_on && (end = sqlite3_step(statement)) == SQLITE_ROW) {
        read_row(s, statement, &row, p, y, texts);
        if (curves.values) read_curves(s, &curves, row.run);
        goes_on = each(arg, &row);
    }
    sqlite3_finalize(statement);
    sqlite3_finalize(curves.statement);
    return end == SQLITE_DONE || end == SQLITE_ROW || fail(s, "cannot be read");
}

/* ---- merging --------------------------------------------------------------------------------- */

bool store_take(Store *s, const char *path)
{
    sqlite3_stmt *statement = store_flush(s) ? prepare(s, "ATTACH ? AS other") : NULL;
    bool ok = statement && bind_text(statement, 1, path) && sqlite3_step(statement) == SQLITE_DONE;
    sqlite3_finalize(statement);
    if (!ok) return fail(s, "cannot be merged");
    ok = begin(s) &&
         /* before runs: a run that is here already has its curve */
         (!s->curves || run_sql(s, "INSERT OR IGNORE INTO curves SELECT * FROM other.curves")) &&
         run_sql(s, "INSERT OR IGNORE INTO runs SELECT * FROM other.runs") && store_flush(s);
    if (!ok && s->is_open) run_sql(s, "ROLLBACK"), s->is_open = false;
    return run_sql(s, "DETACH other") && ok;
}
