/* library.h: libraries: classes with a file or a directory of their own, read when a name in them
 * is first needed. */
#ifndef ACAUSAL_SYNTAX_LIBRARY_H
#define ACAUSAL_SYNTAX_LIBRARY_H

#include "syntax/class.h"

/* ---- libraries: library.c, search.c, survey.c ------------------------------------------------ */

typedef enum { UNIT_DIRECTORY, UNIT_FILE } UnitKind;

/* A class that has a file or a directory of its own. */
struct Unit {
    Name name;
    UnitKind kind;
    Unit *parent;     /* the package whose directory it is in; NULL for a root */
    const char *path; /* of the directory or of the file */
    Str version;      /* of a root, by its folder's name; n == 0 if that has none */
    /* inside: */
    bool listed, loaded;
    uint64_t device, inode;   /* of a directory: two units may not be one */
    VEC(const char *) beside; /* directories in its directory that are no packages */
    VEC(Unit *) children;     /* in the order of package.order, then by name */
    Map by_name;
    Class *cls;
    Tree *tree;
};

typedef struct Libraries Libraries; /* for one thread */

Libraries *libraries_new(Names *names, Sources *sources);
void libraries_free(Libraries *libraries);
Names *libraries_names(const Libraries *libraries);

/* A directory in which libraries are looked for, or a library itself. Earlier ones come first. */
void libraries_add_path(Libraries *libraries, const char *directory);
/* The directories of a colon-separated list, such as the value of MODELICAPATH. */
void libraries_add_path_list(Libraries *libraries, const char *list);

/* Parses one file, as a text on its own; NULL if it could not be read. */
Tree *libraries_parse_file(Libraries *libraries, const char *path, Diag *diag);

/* Opens a library or a user's file: a directory with package.mo, or a .mo file. All classes of a
 * file become roots; of a file that is part of a library, the library is opened. Returns the first
 * class; NULL after an error. */
Class *libraries_open(Libraries *libraries, const char *path, Diag *diag);

/* The same for a text that is in no file; messages call it `label`. */
Class *libraries_open_text(Libraries *libraries, const char *label, Str text, Diag *diag);

/* The same without reading a file: the root of a library's directory; NULL after an error. */
Unit *libraries_open_directory(Libraries *libraries, const char *path, Diag *diag);

/* The root of this name: an open one, or one that is found in the path, in the version that the
 * library around `from` says it uses. Silent and NULL if there is none; other errors are
 * reported. */
Unit *libraries_root(Libraries *libraries, Name name, const Unit *from, Diag *diag);

/* Lists a package's directory: its children. */
void unit_list(Libraries *libraries, Unit *unit, Diag *diag);
/* The name and version that a folder or file name says: "Modelica 4.1.0", "Modelica". */
void split_version(Str base, Str *name, Str *version);

/* A library in a directory of the path. */
typedef struct {
    Str name, version; /* as the folder's or the file's name says; version.n == 0 if it has none */
    const char *path;  /* of its directory or file */
    UnitKind kind;
} Found;
typedef void (*FoundLibrary)(void *arg, const Found *found);
/* All of them, in the order of the path, every version; none is read. */
void libraries_each_found(Libraries *libraries, FoundLibrary each, void *arg);
/* Where one is that has the wanted version or else serves best; NULL if there is none. */
const char *libraries_locate(Libraries *libraries, Name name, Str wanted);
/* The directories that libraries are looked for in; NULL past the last. */
const char *libraries_path(const Libraries *libraries, size_t i);
/* Names of all libraries that are open or in the path, each once; none is read. */
void libraries_each_name(Libraries *libraries, void (*each)(void *arg, Name name), void *arg);

/* Lists all directories of a library, without reading any file. Returns the number of units. */
size_t libraries_index(Libraries *libraries, Unit *root, Diag *diag);

/* The class of a unit; its file is parsed now if it was not yet. NULL if it could not be read. */
Class *unit_class(Libraries *libraries, Unit *unit, Diag *diag);
/* The unit of this name in a package's directory; NULL if there is none. */
Unit *unit_child(Libraries *libraries, Unit *unit, Name name, Diag *diag);
const Unit *unit_root(const Unit *unit);

/* The class around a class, in its file or by its directory; NULL for a root. */
Class *class_parent(Libraries *libraries, const Class *cls, Diag *diag);
/* The class of this name declared in a class itself: in its text or, for a package, in its
 * directory. */
Class *class_child(Libraries *libraries, const Class *cls, Name name, Diag *diag);
/* The same, but only of those in files of their own. */
Class *class_stored_child(Libraries *libraries, const Class *cls, Name name, Diag *diag);
/* The unit that a class is stored in. */
Unit *class_unit(const Class *cls);
/* "Modelica.Blocks.Sources" */
void class_full_name(const Class *cls, Text *out);

/* The class of a dotted name, from the roots. Reports what is missing, with the nearest name. */
Class *libraries_find(Libraries *libraries, const char *dotted, Diag *diag);

/* The path of a file that a modelica:// URI names, in `arena`; NULL, with a report, if there is no
 * such class. Whether the file exists is not asked. */
char *libraries_resolve_uri(Libraries *libraries, const char *uri, Arena *arena, Diag *diag);

typedef struct {
    size_t files, classes, lines, bytes;
} SurveyReport;

/* Parses all Modelica files at and below the paths, on several threads, and checks names, `within`
 * and package.order. Diagnostics come in the order of the files. */
void libraries_survey(Libraries *libraries, const char *const *paths, size_t n, unsigned threads, Diag *diag,
                      SurveyReport *report);

#endif
