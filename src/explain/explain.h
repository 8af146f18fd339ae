/* explain.h: the door of the explain room: why a model does not start, why it is slow, and what it
 * is doing, in the words of its source.
 *
 * All of this looks at compiled models (gen/) through what run/ remembers of them; it changes none,
 * but makes instances of its own. Reports are texts for people or JSON. */
#ifndef ACAUSAL_EXPLAIN_H
#define ACAUSAL_EXPLAIN_H

#include "gen/gen.h"
#include "sim/sim.h"

/* What is explained; texts are made in the arena. */
typedef struct {
    const Compiled *compiled;
    const Sources *sources;
    Arena *arena;
    const Model *like; /* an instance whose given values count; NULL: none are given */
} ExplainModel;

/* ---- words.c: equations as texts ------------------------------------------------------------- */

/* The text of a span on one line, cut where it is long; "" for what is in no text. */
const char *words_of_span(const ExplainModel *what, Span span);
/* An equation as it was written, or else as it is solved. */
const char *words_of_equation(const ExplainModel *what, uint32_t eq);

/* ---- failure.c: what failed in a run
 * ---------------------------------------------------------- */

/* A diagnostic for the failure of a run, while its instance is as it was then: the message with the
 * equation, what it reads, and what to do next. */
Note *explain_failure(const ExplainModel *what, const Model *model, const SimReport *report, Diag *diag);

/* ---- start.c: why it does not start, and what would help ------------------------------------- */

typedef struct {
    double t;          /* where initial equations are solved */
    double time_limit; /* seconds for the search */
    const volatile sig_atomic_t *interrupt;
} ExplainStart;

/* Writes a report. False: it does not start, and nothing was found that makes it. */
bool explain_start(const ExplainModel *what, const ExplainStart *options, bool json, Text *out);

/* The same in short: start values that help as modifiers, "T(start = 300), p(start = 1e5)";
 * NULL: none were found. */
const char *explain_start_values(const ExplainModel *what, const ExplainStart *options);

/* ---- profile.c: where the time of a run goes ------------------------------------------------- */

typedef struct Profile Profile;

/* In the arena of `what`, which must outlive it. */
Profile *explain_profile(const ExplainModel *what);
/* Before a run of this instance, which must not have begun; false: no samples can be taken. */
bool explain_profile_begin(Profile *profile, Model *model, SimOptions *options);
void explain_profile_end(Profile *profile, const SimReport *report);
/* Whether there are enough samples; else another run, with a new instance, adds to them. */
bool explain_profile_is_enough(const Profile *profile);
/* No more runs follow; to be called before it is written. */
void explain_profile_stop(Profile *profile);
typedef enum { PROFILE_TEXT, PROFILE_JSON, PROFILE_HTML } ProfileFormat;
void explain_profile_write(const Profile *profile, ProfileFormat format, Text *out);

/* ---- debug.c: a run that can be stopped ------------------------------------------------------ */

typedef struct {
    /* gives at most n bytes of commands; 0: there are no more */
    size_t (*read)(void *arg, char *to, size_t n);
    void (*write)(void *arg, const char *text, size_t n);
    void *arg;
    bool echoes;      /* commands are shown as they are read */
    bool is_protocol; /* an editor by the Debug Adapter Protocol, instead of a person */
} DebugIo;

/* Runs the model until its end, stopped as commands say. False: the run failed. */
bool explain_debug(const ExplainModel *what, Model *model, SimOptions *options, const DebugIo *io);

#endif
