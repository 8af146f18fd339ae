/* inside.h: the parts of the studio's server: requests, the directory it shows, runs. */
#ifndef ACAUSAL_SERVE_INSIDE_H
#define ACAUSAL_SERVE_INSIDE_H

#include "base/base.h"
#include "serve/serve.h"

#include <pthread.h>

/* ---- http.c: one request after the other on a connection ------------------------------------- */

enum {
    HEAD_MOST = 16 * 1024,       /* bytes of a request's line and headers */
    BODY_MOST = 4 * 1024 * 1024, /* and of what follows them */
    IDLE_SECONDS = 20,           /* a connection that says nothing is closed */
    REQUEST_SECONDS = 20         /* so is one whose request is not complete after so long */
};

typedef struct {
    Arena *arena; /* of this request */
    Str method, path, query, body;
    Str host, origin, token, fetch_site;
    bool keep; /* the connection stays */
} Request;

typedef struct {
    int status;
    const char *type;   /* of the content */
    const char *policy; /* Content-Security-Policy, or NULL */
    const char *file;   /* a name to save it by, or NULL */
    Text body;
} Response;

typedef struct {
    int socket;
    char *buffer;
    size_t n;
    double deadline; /* by clock_wall, of the request that is being read */
} Connection;

/* The next request. 0: here it is; -1: the connection ended; else the status to answer with before
 * it is closed. */
int http_read(Connection *c, Request *request);
bool http_write(const Connection *c, const Response *response, bool keep);
/* A value of the query or of the body, decoded; NULL if there is none. The n-th of that name. */
const char *http_value(const Request *request, const char *name, size_t n);
size_t http_size(const Request *request, const char *name, size_t otherwise);

/* ---- directory.c: the models that there are -------------------------------------------------- */

typedef struct {
    const char *path; /* absolute, without links */
    /* where libraries beside the models are: the directory, or that around a library */
    const char *libraries;
    bool read_only;
} Directory;

/* Makes a directory of a path that exists. */
Directory directory_of(Arena *arena, const char *path, bool read_only);
/* A path inside of the directory, as the system knows it; NULL if there is none, or it leads
 * outside. */
const char *directory_find(const Directory *d, Arena *arena, const char *relative);
void directory_list(const Directory *d, Arena *arena, Text *out); /* JSON */
/* The file that a class of a source is written in, as directory_find would give it. */
const char *directory_file_of(const Directory *d, Arena *arena, const char *source, const char *class_name);
bool directory_is_fmu(const char *source);
/* Makes a file with a model to begin with. Returns its path in the directory; NULL: `why`. */
const char *directory_new(const Directory *d, Arena *arena, const char *name, char *why, size_t room);
/* A number that changes whenever a model in the directory does. */
uint64_t directory_stamp(const Directory *d, Arena *arena);
/* Replaces the text of a file at once. False: `why`. */
bool directory_save(const char *path, Str text, char *why, size_t room);

/* ---- workshop.c: translated models that wait for their next run ------------------------------ */

typedef struct Workshop Workshop;

typedef struct {
    AcausalSession *session;
    AcausalModel *model; /* NULL: see the session's diagnostics */
    char *key;
    uint64_t stamp;
} Bench;

Workshop *workshop_new(const Directory *d, const AcausalServe *options);
void workshop_free(Workshop *w);
AcausalSession *workshop_session(Workshop *w); /* with the libraries; NULL when memory is out */
/* A model to work with, translated if none is waiting; belongs to the caller until it is given
 * back. */
Bench *workshop_take(Workshop *w, const char *source, const char *class_name);
void workshop_give(Workshop *w, Bench *bench);

/* ---- runs.c ---------------------------------------------------------------------------------- */

typedef struct Runs Runs;

typedef struct {
    const char *source, *class_name, *solver;
    const char *const *set;
    size_t set_count;
    double start, stop, tolerance;
    long points;
} RunOrder;

Runs *runs_new(Workshop *workshop);
void runs_free(Runs *runs); /* stops all of them, and waits */
/* The number of a new run; 0: too many are under way. */
unsigned runs_start(Runs *runs, const RunOrder *order);
bool runs_cancel(Runs *runs, unsigned id);
bool runs_forget(Runs *runs, unsigned id);
void runs_list(Runs *runs, Text *out); /* JSON */
/* JSON; false: there is no such run */
bool runs_tell(Runs *runs, unsigned id, bool with_names, Text *out);
/* Numbers as bytes: how many rows from `from` on, their times, then each column. */
bool runs_rows(Runs *runs, unsigned id, size_t from, const size_t *columns, size_t n, Text *out);
/* How the signals of two runs differ, as JSON. False: one of them has no result. */
bool runs_compare(Runs *runs, unsigned a, unsigned b, Text *out);
/* The result of a run that ended, as "csv", "mat", "html" or "svg" of some names. False: `why`. */
bool runs_export(Runs *runs, unsigned id, const char *format, const char *const *names, size_t n, Text *out,
                 char *why, size_t room);

void diagnostics_json(const AcausalSession *session, Text *out); /* server.c: an array */

#endif
