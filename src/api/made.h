/* made.h: classes that are made for a purpose: with an objective, with inputs that follow a
 * table. */
#ifndef ACAUSAL_API_MADE_H
#define ACAUSAL_API_MADE_H

#include "api/inside.h"

/* objective.c */
#define OBJECTIVE_NAME "objective"
/* The class with an expression as a variable of that name. NULL after an error. */
Class *class_with_objective(AcausalSession *session, const Class *cls, const char *expression);
/* The model of a source, with an objective if that is not NULL. NULL after an error. */
AcausalModel *model_with_objective(AcausalSession *session, const char *source, const char *class_name,
                                   const char *expression);

/* driven.c: the class with inputs that follow a table, whose values are parameters "inputs_K[ROW]",
 * K counted from 1. inputs: room for all of the table; those that it has, count of them. NULL after
 * an error. */
Class *class_with_inputs(AcausalSession *session, const Class *cls, const Model *model,
                         const ResultTable *table, double start, const ModelVariable **inputs, size_t *count);
/* In the flat form of such a class, the inputs are what they follow from. */
void driven_inputs_are_local(const AcausalSession *session, const Class *cls, Flat *flat);

#endif
