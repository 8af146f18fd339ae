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
/* Makes a file with a model to begin with, or with one that extends `base`. Returns its path in the
 * directory; NULL: `why`. */
const char *directory_new(const Directory *d, Arena *arena, const char *name, const char *base, char *why,
                          size_t room);
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

/* ---- looks.c: a session to look at classes with, for one request at a time ------------------- */

typedef struct Looks Looks;
Looks *looks_new(Workshop *workshop, const Directory *directory);
void looks_begin(Looks *looks); /* makes the index, in a thread */
void looks_free(Looks *looks);
/* With the libraries as they are now; NULL when memory is out. To be given back. */
AcausalSession *looks_take(Looks *looks);
void looks_give(Looks *looks);
/* Classes of all libraries whose names or descriptions have all words of a query, best first, as
 * JSON. */
void looks_search(Looks *looks, const char *query, Text *out);

/* ---- server.c: what answers requests --------------------------------------------------------- */

enum {
    MOST_CONNECTIONS = 64,
    TOKEN = 32,
    MOST_SET = 500,
    MOST_COLUMNS = 400,
    MOST_STATES = 20,
    LEAST_POLL_MS = 100
};

typedef struct {
    Directory directory;
    Workshop *workshop;
    Runs *runs;
    Looks *looks;
    char token[TOKEN + 1];
    char hosts[2][64];
    int listener;
    pthread_mutex_t lock;
    pthread_cond_t closed;
    int sockets[MOST_CONNECTIONS]; /* -1: free */
    /* since when they wait for a request or the rest of one; 0: they do not */
    double waits_since[MOST_CONNECTIONS];
    unsigned connections;
    const char *first_source, *first_class;
} Server;

void answer(Response *r, int status, const char *format, ...) PRINTF_LIKE(3, 4);
void add_piece(void *text, const char *piece, size_t n);         /* an AcausalWrite to a Text */
void diagnostics_json(const AcausalSession *session, Text *out); /* an array */
const char *class_of(const Request *q);                          /* NULL: none is named */
bool add_file_text(const char *path, Text *out);
/* The file of a request's source and class; NULL: there is none, which was answered. */
const char *source_file(Server *s, const Request *q, Response *r);
/* What says whether a file is as it was. */
const char *file_stamp(Arena *arena, const char *path);
/* Whether a file is not the one that a request has seen, if it says which. */
bool is_changed(const Request *q, const char *path);

/* ---- classes.c: requests about classes ------------------------------------------------------- */

void get_tree(Server *s, const Request *q, Response *r);
void post_icons(Server *s, const Request *q, Response *r);
void get_drawing(Server *s, const Request *q, Response *r);
void get_description(Server *s, const Request *q, Response *r);
void get_documentation(Server *s, const Request *q, Response *r);
void get_search(Server *s, const Request *q, Response *r);
void get_why_not(Server *s, const Request *q, Response *r);
void get_shape(Server *s, const Request *q, Response *r);
void post_edit(Server *s, const Request *q, Response *r);

#endif
