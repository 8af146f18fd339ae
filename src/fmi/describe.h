/* describe.h: XML, the archive, and modelDescription.xml as an FmuDescription. */
#ifndef ACAUSAL_FMI_DESCRIBE_H
#define ACAUSAL_FMI_DESCRIBE_H

#include "fmi/fmi.h"

/* ---- xml.c ----------------------------------------------------------------------------------- */

typedef struct {
    const char *name, *value;
} XmlAttribute;

typedef struct XmlNode XmlNode;
struct XmlNode {
    const char *name;
    XmlAttribute *attributes;
    uint32_t count;
    Span span;
    XmlNode *first, *next; /* first child, next sibling */
};

XmlNode *xml_read(const Source *source, Arena *arena, Diag *diag); /* NULL after an error */
const char *xml_attribute(const XmlNode *node, const char *name);  /* NULL if there is none */
const XmlNode *xml_child(const XmlNode *node,
                         const char *name); /* the first of this name; NULL if there is none */

/* ---- archive.c ------------------------------------------------------------------------------- */

typedef struct Archive Archive;

/* NULL after an error */
Archive *archive_open(const char *path, const FmuLimits *limits, Diag *diag);
void archive_close(Archive *archive);
size_t archive_count(const Archive *archive);
const char *archive_name(const Archive *archive, size_t i);
bool archive_has(const Archive *archive, const char *name);
bool archive_read(const Archive *archive, const char *name, Arena *arena, Str *bytes);
/* Unpacks all; returns the directory, the same when called again, NULL after an error. */
const char *archive_unpack(Archive *archive, Arena *arena);

/* ---- describe.c, describe_3.c ---------------------------------------------------------------- */

enum { MOST_ELEMENTS = 1 << 22 }; /* of all arrays together; of states */

typedef struct {
    Arena *arena;
    Diag *diag;
    FmuDescription *d;
    Map by_vr; /* version 3: value reference to the first variable with it, plus one */
    NameIndex types;
    uint64_t elements; /* of all variables so far */
} Describing;

/* How an attribute is read into a field. */
typedef enum { FIELD_TEXT, FIELD_REAL, FIELD_BOOL, FIELD_UINT, FIELD_LONG, FIELD_CHOICE } FieldKind;
typedef struct {
    const char *name;
    FieldKind kind;
    /* of the field, and of a bool that says whether it was there; given 0: none */
    size_t at, given;
    const char *const *choices; /* FIELD_CHOICE: NULL at the end; the field is a uint8_t */
} Field;

void describe_fields(Describing *r, const XmlNode *node, const Field *fields, size_t n, void *object);
void describe_units(Describing *r, const XmlNode *node);
void describe_experiment(Describing *r, const XmlNode *root);
void describe_categories(Describing *r, const XmlNode *root);
void describe_3(Describing *r, const XmlNode *root);
void describe_kind(Describing *r, const XmlNode *node, const Field *fields, size_t n, FmuInterface *kind);
void describe_from_type(const Describing *r,
                        FmuVariable *v); /* what the type says and the variable does not */
void describe_add_type(Describing *r, FmuType type);
void describe_reserve(Describing *r, const XmlNode *list); /* room for the variables of a list */
FmuVariable *describe_new_variable(Describing *r, const XmlNode *node);
/* The list of numbers in an attribute, separated by blanks. */
bool describe_numbers(Describing *r, const XmlNode *node, const char *name, uint64_t *out, uint32_t *n,
                      uint32_t room);
uint32_t describe_find(const Describing *r,
                       uint32_t vr); /* an index of variables, NONE_VARIABLE if there is none */

#define TEXT_FIELD(T, name, field)                    \
    {                                                 \
        name, FIELD_TEXT, offsetof(T, field), 0, NULL \
    }
#define REAL_FIELD(T, name, field)                    \
    {                                                 \
        name, FIELD_REAL, offsetof(T, field), 0, NULL \
    }
#define BOOL_FIELD(T, name, field)                    \
    {                                                 \
        name, FIELD_BOOL, offsetof(T, field), 0, NULL \
    }
#define UINT_FIELD(T, name, field)                    \
    {                                                 \
        name, FIELD_UINT, offsetof(T, field), 0, NULL \
    }

extern const char *const fmu_causalities[], *const fmu_variabilities[], *const fmu_initials[];

#endif
