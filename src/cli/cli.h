/* cli.h: how a command of the program describes itself. One file a command; main.c holds the table.
 * Commands call nothing but acausal.h. */
#ifndef ACAUSAL_CLI_H
#define ACAUSAL_CLI_H

#include "acausal.h"

#include <stdio.h>

/* An option of a command. `value` names its argument ("DIR"), is NULL for a switch, and begins with
 * '=' where the argument may only be given as --name=ARGUMENT and may be left out. */
typedef struct {
    const char *name; /* "--lib", or "-o" */
    const char *value;
    const char *about;
} Option;

typedef struct Args Args;
typedef struct Heartbeat Heartbeat; /* isolate.c */

typedef struct {
    const char *name;
    const char *usage;   /* "PATH..." */
    const char *summary; /* one line */
    const char *about;   /* some lines for `acausal help NAME`, an example among them */
    const Option *options;
    size_t option_count;
    AcausalStatus (*run)(const Args *args);
    const char *(*word)(size_t i); /* what the first word may be; NULL past the last. May be NULL */
} Command;

/* The words of a command line, sorted out. */
struct Args {
    const Command *command;
    const char **words; /* what is not an option */
    size_t word_count;
    const Option **given; /* options in the order given, each with its value ("" for none) */
    const char **values;
    size_t given_count;
    AcausalSession *files; /* where values from files are kept; NULL: there are none */
    bool quiet, json, colour;
    Heartbeat *heartbeat; /* of an isolated run; else NULL */
};

/* Options that every command takes. */
extern const Option common_options[];
extern const size_t common_option_count;

/* Sorts argv (without program and command). On a mistake it says so on stderr and returns false. */
bool args_parse(const Command *command, int argc, char **argv, Args *args);
void args_free(Args *args);
/* The last value given for an option, or NULL. */
const char *args_value(const Args *args, const char *name);
bool args_has(const Args *args, const char *name);
/* The value as a number of at least `least`; *number stays as it is when the option was not
 * given. */
bool args_size(const Args *args, const char *name, size_t least, size_t *number);
bool args_real(const Args *args, const char *name, double *number);

/* A usage error: the message, and where to read on. Returns ACAUSAL_USAGE. */
AcausalStatus usage_error(const Command *command, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The same for a word that names nothing of this kind ("solver"), with the nearest that `known`
 * gives. */
AcausalStatus unknown_word(const Command *command, const char *kind, const char *word,
                           const char *(*known)(size_t i));

const Command *command_find(const char *name);
const Command *command_at(size_t i); /* in the order of the help page; NULL past the last */
const char *command_name(size_t i);  /* likewise */
void command_help(const Command *command, FILE *out);
void print_manual(FILE *out); /* manual.c: the manual page, as troff */

/* output.c */
/* For commands that look for libraries; session_for reads both. */
#define OPTION_LIB                                                                            \
    { "--lib", "DIR", "a library, or a directory of libraries; may be given several times" }, \
        { "--trust", "PATH", "foreign code of this library or file may run in this call" },   \
    {                                                                                         \
        "--strict", "=language", "what other tools let pass (docs/language.md) is an error"   \
    }
/* For commands that translate. */
#define OPTION_SET                                                                                     \
    OPTION_SET_ONE,                                                                                    \
    {                                                                                                  \
        "--params", "FILE", "values of many, from a .toml, .json or .csv file; as --set in that place" \
    }
#define OPTION_SET_ONE                                                                       \
    {                                                                                        \
        "--set", "NAME=VALUE",                                                               \
            "a parameter, structural ones too, or a start value; may be given several times" \
    }
/* args.c: puts what files of --params hold in its place, as --set. False after it said why not. */
bool args_expand(Args *args);
/* For commands that translate: a stage as text instead of what the command does. */
#define OPTION_DUMP                                                                                \
    {                                                                                              \
        "--dump", "=ast|flat|system|blt|ir|c", "prints what that pass made, and does nothing else" \
    }
/* an AcausalWrite; the argument is a FILE */
void write_to_file(void *file, const char *text, size_t n);
/* A session that knows the libraries of --lib and MODELICAPATH. On failure it says so and returns
 * NULL. */
AcausalSession *session_for(const Args *args);
/* From now on the first SIGINT or SIGTERM sets what this points to, for a run that ends with its
 * rows; the second, should the run not get there, ends the process. */
const volatile sig_atomic_t *catch_interrupts(void);
/* Gives the values of --set to all that the session elaborates. */
void set_values(const Args *args, AcausalSession *session);
void show_diagnostics(const Args *args, const AcausalSession *session);
/* A result; NULL, with the reason told, if it cannot be read. What is odd about it is told, too. */
AcausalResult *read_result(const Args *args, const char *path);
/* Draws to a file or the terminal. What failed is in `why`. */
AcausalStatus draw_picture(const AcausalResult *result, const AcausalPlot *plot, AcausalPicture as,
                           FILE *file, char *why, size_t room);
/* Why something failed, as it is at hand: the first error of a session, which is freed. */
void take_reason(AcausalSession *session, char *why, size_t room);
double wall_seconds(void);
/* What a command does with SOURCE [CLASS]; class_name may be NULL. It shows its own diagnostics and
 * report. */
typedef AcausalStatus (*ModelWork)(const Args *args, AcausalSession *session, const char *source,
                                   const char *class_name);
/* report.c: writes a report to a file; says so when it cannot. */
AcausalStatus write_report(const Args *args, const AcausalReport *report, const char *path);
/* isolate.c: does the work in a child process, as --isolate says. */
AcausalStatus run_isolated(const Args *args, AcausalSession *session, ModelWork work);
/* There: the progress of a run says that the child is alive. */
void tell_pulse(const Args *args, AcausalSimulation *simulation);
#define OPTION_ISOLATE                                                                               \
    {                                                                                                \
        "--isolate", "=SECONDS|strict",                                                              \
            "in a process that can do little else, ended when it is silent that long (10); strict: " \
            "not without all layers"                                                                 \
    }
#define OPTION_LARGE                                                                  \
    {                                                                                 \
        "--large", NULL, "open archives of FMUs that seem too large to be meant well" \
    }
/* Checks the words, makes a session, does the work, isolated if that is asked for, says how it
 * ended. */
AcausalStatus run_on_model(const Args *args, ModelWork work);
/* The ModelWork of --dump. */
AcausalStatus dump_pass(const Args *args, AcausalSession *session, const char *source,
                        const char *class_name);
/* The last line of a run that failed: why, in one line. */
void show_outcome(const Args *args, AcausalSession *session);

/* study_engine.c: true: --engine names one, and *end is how its runs ended. */
bool study_engine(const Args *args, AcausalSession *session, const char *path, AcausalStatus *end);
AcausalStatus engine_work(const Args *args); /* what its workers do */

/* compare.c: a table of signals, a row a report: all, or those that are outside of the tube. */
typedef struct {
    const Args *args;
    bool all;
    size_t rows, widest;
} SignalTable;
void print_signal(void *table, const AcausalSignalReport *report);
size_t widest_name(const AcausalResult *result);
void print_json_text(const char *text);

/* simulate.c: what other commands that run models share. */
/* The values of an option that may be given several times; to be freed. */
const char **collect_values(const Args *args, const char *name, size_t *n);
/* --start, --stop, --tol, --interval, --points, --solver, --input, -o and the like, where the
 * command has them. */
bool read_run_options(const Args *args, AcausalSimulation *simulation);
/* Cuts a list at its commas, but for those in brackets. Writes into it. */
size_t split_names(char *list, const char **names, size_t room);
void title_of(const Args *args, char *title, size_t room);
/* What a suffix asks for: .png, .pdf, else SVG. */
AcausalPicture picture_for(const char *path);
/* A picture in a file, by its suffix. */
AcausalStatus draw_plot(const char *file, const AcausalResult *result, const AcausalPlot *plot, char *why,
                        size_t room);
/* A run's options other than those above. False: memory is out. */
bool read_values(const Args *args, AcausalSimulation *simulation);

#define COMMAND(name) extern const Command command_##name;
#include "cli/commands.def"
#undef COMMAND

#endif
