/* edit.h: the door of the edit room: changes of Modelica text in place. What a change is not about
 * stays as it is, to the byte: comments, formatting, line ends. */
#ifndef ACAUSAL_EDIT_H
#define ACAUSAL_EDIT_H

#include "syntax/syntax.h"

typedef enum {
    EDIT_ADD,        /* a component `name` of class `other`, with modifiers `text` "(k = 1)" */
    EDIT_REMOVE,     /* component `name`, and all its connections */
    EDIT_PLACE,      /* of component `name`: `text` is "transformation(...)" */
    EDIT_CONNECT,    /* `name` with `other` */
    EDIT_DISCONNECT, /* the first connection of `name` and `other` */
    EDIT_ROUTE,      /* of that connection: `text` is what its Line has as points */
    EDIT_SET,        /* modifier `name`, "R1.R"; `text` is its value, "" takes it away */
    EDIT_RENAME,     /* component `name` becomes `other` */
    EDIT_ANNOTATE,   /* of the class: `text` is the whole member `name`, "experiment(...)" */
    EDIT_COUNT
} EditKind;

typedef struct {
    EditKind kind;
    const char *name, *other, *text;
    const char *annotation; /* of what is added: "Placement(...)", "Line(...)"; may be NULL */
} Edit;

/* Applies a change to a class, "A.B", of a text. False: `why`, and nothing is written. */
bool edit_apply(Str text, const char *class_name, const Edit *edit, Text *out, char *why, size_t room);

/* ---- convert.c: conversion rules of libraries ------------------------------------------------ */

typedef struct ConvertRules ConvertRules;

/* Of a script that was read as the algorithm of a class. Lives in the arena. */
ConvertRules *convert_rules(Arena *arena, Names *names, const Class *script);
/* A text by these rules; its `uses` names the new version. False: nothing in it is concerned. What
 * rules cannot do is told as warnings. */
bool convert_text(const ConvertRules *rules, const Tree *tree, const char *library, const char *version,
                  Arena *arena, Text *out, Diag *diag);

#endif
