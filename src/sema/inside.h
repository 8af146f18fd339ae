/* inside.h: what the files of the sema room share.
 *
 * The instance tree. An Inst is a class seen from an enclosing instance with modifiers. It consists
 * of scopes: one for the class itself and one for each class that it extends, in a tree. Names in
 * the text of a class are looked up in its scope, in the scopes below it, and then in the enclosing
 * scope (`outer`), which belongs to the instance that the class was found in. So a function of a
 * redeclared package sees that package's types. The elements of an Inst are entries, one a name;
 * they are made when asked for. A component's entry owns the instances of its type, one for each
 * element of its array. */
#ifndef ACAUSAL_SEMA_INSIDE_H
#define ACAUSAL_SEMA_INSIDE_H

#include "sema/flatten.h"
#include "sema/inst.h"
#include "sema/mods.h"
#include "sema/typed.h"
#include "sema/typing.h"

#endif
