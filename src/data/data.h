/* data.h: settings that people and programs write: TOML, JSON, small CSV tables, as one tree.
 *
 * Everything lives in the arena given. A table keeps its order. What is wrong is told with its
 * line. Dates of TOML are refused: nothing here has one. */
#ifndef ACAUSAL_DATA_H
#define ACAUSAL_DATA_H

#include "base/base.h"

typedef enum { DATA_NULL, DATA_BOOLEAN, DATA_NUMBER, DATA_TEXT, DATA_LIST, DATA_TABLE } DataKind;

typedef struct DataNode DataNode;
struct DataNode {
    DataKind kind;
    bool boolean;
    bool is_closed; /* a table that nothing may be added to */
    double number;
    const char *text;      /* of texts; of numbers as they were written */
    const char *key;       /* in its table; NULL in a list */
    VEC(DataNode *) items; /* of lists and tables */
    int line;
};

/* NULL: `why` says why not, with the line. */
DataNode *data_read_toml(Arena *arena, Str text, char *why, size_t room);
DataNode *data_read_json(Arena *arena, Str text, char *why, size_t room);
/* A .toml, .json or .csv file by its suffix. CSV: rows "name,value", or a row of names and one of
 * values. */
DataNode *data_read_file(Arena *arena, const char *path, char *why, size_t room);

/* What a table holds under a name; NULL: nothing. */
const DataNode *data_find(const DataNode *table, const char *key);
/* Gives all leaves below a table to `each`: tables join their names by dots ("R1.R"), lists become
 * {1,2}. Texts come as they are. */
void data_flatten(Arena *arena, const DataNode *table,
                  void (*each)(void *arg, const char *name, const char *value), void *arg);
/* A list or a scalar as one text: "{1,2}". */
const char *data_text(Arena *arena, const DataNode *node);

/* ---- for the readers ------------------------------------------------------------------------- */

DataNode *data_node(Arena *arena, DataKind kind, int line);
/* Where `at` is not reached by an error of an earlier one. Always NULL. */
void *data_wrong(char *why, size_t room, int line, const char *format, ...) PRINTF_LIKE(4, 5);
char *data_utf8(char *to, uint32_t code);

#endif
