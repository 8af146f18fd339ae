/* guard.c: what C functions of users may call back: ModelicaError, ModelicaMessage,
 * ModelicaAllocateString, ...
 *
 * The C interface of the language has no argument for who is calling, so the call that is under way
 * is known to its thread only (the one variable outside of all instances). ModelicaError may not
 * return: it jumps back to rt_guard, over frames of the user's function and of nothing else. Tests:
 * tests/api/extern_test.c. */
#include "rt/rt.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__GNUC__)
#define OF_THREAD __thread
#define NO_RETURN __attribute__((noreturn))
#elif defined(_MSC_VER)
#define OF_THREAD __declspec(thread)
#define NO_RETURN
#else
#define OF_THREAD _Thread_local
#define NO_RETURN
#endif

typedef struct Frame Frame;
struct Frame {
    Rt *rt;
    jmp_buf back;
    RtStatus status;
    Frame *outer;
};

static OF_THREAD Frame *current;

RtStatus rt_guard(Rt *rt, void (*call)(void *arg), void *arg)
{
    Frame frame = { .rt = rt, .status = RT_OK, .outer = current };
    current = &frame;
    if (!setjmp(frame.back)) call(arg);
    current = frame.outer;
    return frame.status;
}

typedef struct {
    Rt *rt;
    RtEntry entry;
    RtCell *cells;
    RtStatus status;
} CellCall;

static void call_cells(void *arg)
{
    CellCall *c = arg;
    c->status = c->entry(c->rt, c->cells);
}

RtStatus rt_guard_cells(Rt *rt, RtEntry entry, RtCell *cells)
{
    CellCall c = { rt, entry, cells, RT_OK };
    RtStatus status = rt_guard(rt, call_cells, &c);
    return status != RT_OK ? status : c.status;
}

/* ---- the interface, by the names the language gives ------------------------------------------ */

void ModelicaMessage(const char *text);
void ModelicaFormatMessage(const char *format, ...);
void ModelicaVFormatMessage(const char *format, va_list args);
void ModelicaWarning(const char *text);
void ModelicaFormatWarning(const char *format, ...);
void ModelicaVFormatWarning(const char *format, va_list args);
NO_RETURN void ModelicaError(const char *text);
NO_RETURN void ModelicaFormatError(const char *format, ...);
NO_RETURN void ModelicaVFormatError(const char *format, va_list args);
char *ModelicaAllocateString(size_t n);
char *ModelicaAllocateStringWithErrorReturn(size_t n);
char *ModelicaDuplicateString(const char *text);
char *ModelicaDuplicateStringWithErrorReturn(const char *text);

enum { LONGEST_MESSAGE = 4000 };

void ModelicaError(const char *text)
{
    if (!current) abort(); /* the library calls from a thread of its own: nobody could be told */
    current->status = rt_fail_external(current->rt, text);
    longjmp(current->back, 1);
}

void ModelicaVFormatError(const char *format, va_list args)
{
    char text[LONGEST_MESSAGE];
    vsnprintf(text, sizeof text, format, args);
    ModelicaError(text);
}

void ModelicaFormatError(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    ModelicaVFormatError(format, args);
}

void ModelicaMessage(const char *text)
{
    if (current && current->rt->print) current->rt->print(current->rt->user, text);
}

void ModelicaVFormatMessage(const char *format, va_list args)
{
    char text[LONGEST_MESSAGE];
    vsnprintf(text, sizeof text, format, args);
    ModelicaMessage(text);
}

void ModelicaFormatMessage(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    ModelicaVFormatMessage(format, args);
    va_end(args);
}

void ModelicaWarning(const char *text)
{
    if (current && current->rt->warn) current->rt->warn(current->rt->user, text, 0);
}

void ModelicaVFormatWarning(const char *format, va_list args)
{
    char text[LONGEST_MESSAGE];
    vsnprintf(text, sizeof text, format, args);
    ModelicaWarning(text);
}

void ModelicaFormatWarning(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    ModelicaVFormatWarning(format, args);
    va_end(args);
}

char *ModelicaAllocateStringWithErrorReturn(size_t n)
{
    char *text = current ? rt_alloc(current->rt, n + 1) : NULL;
    if (text) memset(text, 0, n + 1);
    return text;
}

char *ModelicaAllocateString(size_t n)
{
    char *text = ModelicaAllocateStringWithErrorReturn(n);
    if (!text) ModelicaError("no memory for a string");
    return text;
}

char *ModelicaDuplicateStringWithErrorReturn(const char *text)
{
    char *copy = ModelicaAllocateStringWithErrorReturn(strlen(text));
    if (copy) memcpy(copy, text, strlen(text));
    return copy;
}

char *ModelicaDuplicateString(const char *text)
{
    char *copy = ModelicaDuplicateStringWithErrorReturn(text);
    if (!copy) ModelicaError("no memory for a string");
    return copy;
}
