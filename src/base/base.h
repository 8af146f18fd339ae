/* base.h: the ground that every room stands on: memory, names, arrays, maps, text, files,
 * diagnostics, clocks, threads, and numbers side by side. Nothing here knows what Modelica or an
 * integrator is. Nothing here prints. */
#ifndef ACAUSAL_BASE_H
#define ACAUSAL_BASE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#define COUNT_OF(a) (sizeof(a) / sizeof((a)[0]))
#define PRINTF_LIKE(text, first) __attribute__((format(printf, text, first)))
/* For functions whose arguments are constants where they are called, so that their loops are
 * unrolled. */
#define INLINE static inline __attribute__((always_inline))
/* Before a loop of so few turns, known where it is compiled, that all of them are written out: what
 * it works on is in registers then. */
#define UNROLL_LOOP _Pragma("GCC unroll 16")

static inline size_t size_min(size_t a, size_t b) { return a < b ? a : b; }
static inline size_t size_max(size_t a, size_t b) { return a > b ? a : b; }

/* A piece of text that someone else owns; not terminated. */
typedef struct {
    const char *at;
    size_t n;
} Str;

#define STR(literal) ((Str){ (literal), sizeof(literal) - 1 })
static inline Str str_of(const char *text) { return (Str){ text, strlen(text) }; }
static inline bool str_equal(Str a, Str b) { return a.n == b.n && (a.n == 0 || !memcmp(a.at, b.at, a.n)); }
static inline bool str_is(Str a, const char *text) { return str_equal(a, str_of(text)); }

/* ---- arena.c: memory with a lifetime --------------------------------------------------------- */

/* An arena hands out memory that is freed all at once. When the system has no more, it jumps to
 * `escape` if that is set (the caller then frees the arena and reports), and aborts otherwise. Not
 * for several threads. */
typedef struct Arena Arena;
struct ArenaBlock;
struct Arena {
    struct ArenaBlock *block; /* the one in use; older ones are linked behind it */
    char *at, *end;
    size_t total;    /* bytes taken from the system */
    size_t limit;    /* at most this many; 0 is no limit */
    jmp_buf *escape; /* where to go when memory is out */
};

typedef struct {
    struct ArenaBlock *block;
    char *at;
} ArenaMark;

Arena *arena_new(void); /* NULL when memory is out */
void arena_free(Arena *arena);
void *arena_slow_alloc(Arena *arena, size_t size);
ArenaMark arena_mark(const Arena *arena);
void arena_rewind(Arena *arena, ArenaMark mark); /* gives back all that was taken since the mark */
char *arena_copy(Arena *arena, Str text);        /* terminated */
char *arena_printf(Arena *arena, const char *format, ...) PRINTF_LIKE(2, 3);
/* Makes the block of `old_size` bytes at `old` larger; in place where it was the last one. */
void *arena_grow(Arena *arena, void *old, size_t old_size, size_t new_size);

/* `size` bytes, aligned to 8, not cleared. */
static inline void *arena_alloc(Arena *arena, size_t size)
{
    /* so that nothing is a place of its own, too */
    size_t rounded = ((size ? size : 1) + 7) & ~(size_t)7;
    if (rounded < size || rounded > (size_t)(arena->end - arena->at)) return arena_slow_alloc(arena, size);
    char *at = arena->at;
    arena->at += rounded;
    return at;
}

static inline void *arena_zero(Arena *arena, size_t size)
{
    return memset(arena_alloc(arena, size), 0, size);
}

/* `n` items of a type, cleared; an overflow of the product counts as memory that is out. */
void *arena_zero_array(Arena *arena, size_t n, size_t size);
#define NEW(arena, T) ((T *)arena_zero((arena), sizeof(T)))
#define NEW_ARRAY(arena, T, n) ((T *)arena_zero_array((arena), (n), sizeof(T)))

/* ---- typed dynamic arrays -------------------------------------------------------------------- */

/* VEC(T) is a struct that starts as all zeros; its items live in the arena given to vec_push. */
#define VEC(T)            \
    struct {              \
        T *at;            \
        uint32_t n, room; \
    }
#define vec_push(arena, v, item)                                                            \
    do {                                                                                    \
        if ((v)->n == (v)->room)                                                            \
            (v)->at = vec_grow((arena), (v)->at, sizeof(*(v)->at), &(v)->room, (v)->n + 1); \
        (v)->at[(v)->n++] = (item);                                                         \
    } while (0)
/* Room for at least `want` items. */
#define vec_reserve(arena, v, want)                                                                         \
    do {                                                                                                    \
        if ((v)->room < (want)) (v)->at = vec_grow((arena), (v)->at, sizeof(*(v)->at), &(v)->room, (want)); \
    } while (0)
void *vec_grow(Arena *arena, void *at, size_t item, uint32_t *room, uint32_t want);

/* ---- text.c: text that grows ----------------------------------------------------------------- */

typedef struct {
    Arena *arena;
    char *at; /* always terminated once something was added */
    size_t n, room;
} Text;

void text_add(Text *text, Str piece);
void text_add_char(Text *text, char c);
void text_add_repeat(Text *text, char c, size_t times);
void text_printf(Text *text, const char *format, ...) PRINTF_LIKE(2, 3);
void text_vprintf(Text *text, const char *format, va_list args);
/* quoted and escaped; bytes that are not UTF-8 become U+FFFD */
void text_add_json(Text *text, Str piece);
/* with entities; control characters are left out */
void text_add_xml(Text *text, const char *piece);
/* shortest form that reads back as the same double */
void text_add_real(Text *text, double value);
#define text_add_literal(text, literal) text_add((text), STR(literal))

/* real.c: the same into `out`, which has REAL_ROOM bytes, all of which may be written; terminated.
 * Returns the length. */
enum { REAL_ROOM = 48 };
size_t real_write(double value, char *out);
/* The nearest double to a decimal number that is all of the text; false if the text is none (nor
 * are inf, nan, hexadecimals). */
bool real_read(const char *from, const char *to, double *value);

/* length of the character at `at`; 0 if malformed */
size_t utf8_next(Str text, size_t at, uint32_t *code);
/* edits between two words, at most `limit` */
size_t text_distance(Str a, Str b, size_t limit);

/* The candidate nearest to `word`, or NULL when none is near enough to be worth a hint. */
const char *text_nearest(Str word, const char *const *candidates, size_t n);

/* ---- name.c: interned names ------------------------------------------------------------------ */

/* Equal names are one pointer. `id` counts from 0 in order of appearance, for dense tables. */
typedef struct NameText NameText;
struct NameText {
    uint32_t id, hash, n;
    char text[]; /* terminated */
};
typedef const NameText *Name;
typedef struct Names Names; /* may be used by several threads */

Names *names_new(void);
void names_free(Names *names);
Name name_of(Names *names, Str text);
Name name_of_hashed(Names *names, Str text, uint32_t hash); /* where hash == name_hash(text) */
uint32_t names_count(const Names *names);
uint32_t name_hash(Str text);
static inline const char *name_text(Name name) { return name->text; }
static inline Str name_str(Name name) { return (Str){ name->text, name->n }; }

/* ---- map.c: hash maps ------------------------------------------------------------------------ */

/* From a 64-bit key to a 64-bit value (an index or a pointer). Starts as all zeros but for the
 * arena. */
typedef struct {
    Arena *arena;
    struct MapSlot *slots;
    uint32_t n, room;
} Map;

bool map_get(const Map *map, uint64_t key, uint64_t *value);
/* The place of the value of `key`, made with value 0 if the key is new. Valid until the next
 * map_put. */
uint64_t *map_put(Map *map, uint64_t key, bool *is_new);
static inline uint64_t map_key(const void *pointer) { return (uint64_t)(uintptr_t)pointer; }
void *map_pointer(const Map *map, const void *key); /* NULL if there is none */
void map_set_pointer(Map *map, const void *key, void *value);

/* ---- index.c: names and what they stand for -------------------------------------------------- */

typedef struct {
    const char *name;
    uint32_t value;
} IndexedName;

/* Starts as all zeros. `names` are in the order in which they were added; the texts are the
 * caller's. */
typedef struct {
    Map map;
    VEC(IndexedName) names;
} NameIndex;

bool index_add(NameIndex *index, Arena *arena, const char *name,
               uint32_t value); /* false: it is there already */
bool index_find(const NameIndex *index, const char *name, uint32_t *value);

/* ---- source.c: the texts that spans point into ----------------------------------------------- */

/* All sources of a session share one 32-bit space of byte positions, so that a span says its file
 * as well. */
typedef struct {
    uint32_t at, n;
} Span;

static inline Span span_to(Span first, Span last) { return (Span){ first.at, last.at + last.n - first.at }; }

typedef struct Source Source;
struct Source {
    const char *path; /* as the user wrote it, or as found from that */
    Str text;         /* followed by at least one NUL */
    uint32_t base;    /* position of the first byte in the session's space */
    /* inside: */
    size_t mapped;   /* bytes to unmap; 0 if the text is in the arena */
    uint32_t *lines; /* offsets of line starts, made when first asked for */
    uint32_t line_count;
};

typedef struct Sources Sources; /* may be used by several threads, but for source_place */

typedef enum {
    SOURCE_OK,
    SOURCE_UNREADABLE,
    SOURCE_NOT_A_FILE,
    SOURCE_TOO_LARGE,
    SOURCE_SPACE_FULL
} SourceStatus;

Sources *sources_new(void);
void sources_free(Sources *sources);
/* Opens a file; its text stays valid as long as `sources`. On failure *why holds the system's errno
 * (or 0). */
SourceStatus source_open(Sources *sources, const char *path, const Source **source, int *why);
/* Takes text that is not a file: a string given to the library, a test. Copies it. NULL if it does
 * not fit. */
const Source *source_add_text(Sources *sources, const char *path, Str text);
/* NULL for a span that belongs to no source */
const Source *source_of(const Sources *sources, Span span);

typedef struct {
    const char *path;
    uint32_t line, column;         /* from 1; the column counts characters, not bytes */
    uint32_t end_line, end_column; /* one past the last character */
    Str text;                      /* the first line, without its end */
    uint32_t from, to;             /* byte offsets of the span in `text`, clipped to it */
} Place;

bool source_place(const Sources *sources, Span span, Place *place);

/* ---- file.c: files and directories ----------------------------------------------------------- */

typedef enum { FILE_NONE, FILE_REGULAR, FILE_DIRECTORY, FILE_OTHER } FileKind;

typedef struct {
    const char *name;
    FileKind kind;
} DirEntry;

typedef struct {
    DirEntry *at; /* sorted by name; entries that begin with a dot are left out */
    uint32_t n;
} Dir;

FileKind file_kind(const char *path);
bool dir_read(Arena *arena, const char *path, Dir *dir, int *why);
char *path_join(Arena *arena, const char *dir, const char *name);
Str path_base(const char *path); /* the last part, without slashes at its end */
/* absolute, links resolved; NULL if it does not exist */
char *path_real(Arena *arena, const char *path);

/* ---- diag.c: diagnostics --------------------------------------------------------------------- */

typedef enum { SEVERITY_NOTE, SEVERITY_WARNING, SEVERITY_ERROR } Severity;

/* Codes are for ever: one is never reused for another meaning. The list is in codes.def. */
typedef enum {
#define CODE(id, text, severity, about) id,
#include "base/codes.def"
#undef CODE
    CODE_COUNT
} Code;

typedef struct {
    Span span;
    const char *text;
} Label;

typedef struct Note Note;
struct Note {
    Code code;
    Severity severity;
    Span span;        /* n == 0 and at == 0: no place in a text */
    const char *path; /* the file concerned, where there is no span; may be NULL */
    const char *text;
    VEC(Label) labels;
    VEC(const char *) hints;
    bool stays; /* whoever takes diagnostics back leaves this one */
};

typedef struct {
    Arena *arena;
    VEC(Note *) notes;
    uint32_t errors, warnings; /* counted even past the limits */
    bool strict_language;      /* what libraries break and other tools let pass is an error */
    uint32_t limit_per_code;   /* notes kept of one code; 0 is no limit */
    uint32_t dropped;          /* notes that were over the limit */
    uint32_t counts[CODE_COUNT];
} Diag;

void diag_init(Diag *diag, Arena *arena);
/* Adds a diagnostic with the severity of its code. Never NULL: over the limit a note is counted,
 * not kept. */
Note *diag_add(Diag *diag, Code code, Span span, const char *format, ...) PRINTF_LIKE(4, 5);
/* The same about a file as a whole, or, with path NULL, about no text at all. */
Note *diag_add_file(Diag *diag, Code code, const char *path, const char *format, ...) PRINTF_LIKE(4, 5);
/* makes an error a warning, unless the user asks for the language as it is written */
void diag_lower(Diag *diag, Note *note);
void diag_label(Diag *diag, Note *note, Span span, const char *format, ...) PRINTF_LIKE(4, 5);
void diag_hint(Diag *diag, Note *note, const char *format, ...) PRINTF_LIKE(3, 4);
void diag_merge(Diag *into, const Diag *from); /* copies; the order of `from` is kept */

const char *code_text(Code code);  /* "E0102" */
const char *code_about(Code code); /* one paragraph for `acausal help E0102` */
bool code_find(Str text, Code *code);

typedef struct {
    bool colour;
} RenderStyle;

void diag_render(const Note *note, const Sources *sources, RenderStyle style, Text *out);
void diag_render_json(const Note *note, const Sources *sources, Text *out);

/* ---- process.c ------------------------------------------------------------------------------- */

typedef enum {
    PROCESS_OK,
    PROCESS_FAILED,     /* its exit code is not 0 */
    PROCESS_NOT_STARTED /* there is no such program */
} ProcessEnd;

/* Runs a program, words[0], with the words up to NULL; waits for its end. What it says goes to the
 * file `log`. */
ProcessEnd process_run(char *const *words, const char *log);

/* ---- clock.c, pool.c ------------------------------------------------------------------------- */

double clock_wall(void);   /* seconds, monotonic */
double clock_cpu(void);    /* seconds of the process, all threads */
double clock_thread(void); /* processor time of this thread */
size_t memory_peak(void);  /* bytes: the largest resident size of the process so far */
unsigned cpu_count(void);  /* processors this process may use */

/* Calls work(arg, i, worker) for each i below count on up to `threads` threads and returns when all
 * are done. Items are handed out in order; worker is below `threads`. With one thread no thread is
 * made. */
void pool_each(unsigned threads, size_t count, void (*work)(void *arg, size_t i, unsigned worker), void *arg);

/* ---- numbers side by side in registers ------------------------------------------------------- */

/* Loops that are worth it are compiled twice: PROCESSOR_IS_WIDE says which of them is called. Both
 * do the same operations, so numbers do not depend on the processor. */
#if defined(__x86_64__) && defined(__GNUC__)
#define WIDE_LOOP __attribute__((target("avx2")))
#define PROCESSOR_IS_WIDE __builtin_cpu_supports("avx2")
#else
#define WIDE_LOOP
#define PROCESSOR_IS_WIDE false
#endif

/* Functions that return four numbers in a register are always inlined, so how they are returned
 * does not matter. */
#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wpsabi"
#endif
/* Two, four numbers in a register, wherever they lie. */
typedef double Two __attribute__((vector_size(16), aligned(8), may_alias));
typedef double Four __attribute__((vector_size(32), aligned(8), may_alias));
typedef long long Bits __attribute__((vector_size(32), aligned(8), may_alias));
INLINE Four four_at(const double *v) { return *(const Four *)v; }
INLINE void four_to(double *v, Four four) { *(Four *)v = four; }
INLINE Four four_of(double x) { return (Four){ x, x, x, x }; }
INLINE double four_sum(Four v) { return (v[0] + v[1]) + (v[2] + v[3]); }
/* The larger size of each. */
INLINE Four four_size(Four a, Four b)
{
    const Bits sign = (Bits)(Four){ -0.0, -0.0, -0.0, -0.0 };
    Four x = (Four)((Bits)a & ~sign), y = (Four)((Bits)b & ~sign);
    Bits first = x > y;
    return (Four)(((Bits)x & first) | ((Bits)y & ~first));
}
INLINE Two two_at(const double *v) { return *(const Two *)v; }
INLINE void two_to(double *v, Two two) { *(Two *)v = two; }
INLINE Four four_of_twos(Two low, Two high) { return (Four){ low[0], low[1], high[0], high[1] }; }
INLINE Two four_low(const Four *v) { return two_at((const double *)v); }
INLINE Two four_high(const Four *v) { return two_at((const double *)v + 2); }
/* Where a processor has no registers for four numbers, GCC keeps them in memory when they are
 * stored, or carried from turn to turn of a loop: there they are two pairs. `is_wide` is a
 * constant, which of the two copies of a loop this is. */
INLINE void group_to(bool is_wide, double *v, Four four)
{
    if (is_wide) {
        four_to(v, four);
    } else {
        two_to(v, (Two){ four[0], four[1] });
        two_to(v + 2, (Two){ four[2], four[3] });
    }
}
typedef struct {
    Four wide;
    Two low, high;
} Sum; /* begins as zeros */
INLINE void sum_add(bool is_wide, Sum *sum, Four four)
{
    if (is_wide) {
        sum->wide += four;
    } else {
        sum->low += (Two){ four[0], four[1] };
        sum->high += (Two){ four[2], four[3] };
    }
}
INLINE Four sum_so_far(bool is_wide, const Sum *sum)
{
    return is_wide ? sum->wide : (Four){ sum->low[0], sum->low[1], sum->high[0], sum->high[1] };
}
/* Where numbers have just been written one by one: a wide load would have to wait until they are in
 * memory. */
INLINE Two fresh_pair(const double *v, const double *next)
{
#if defined(__SSE2__)
    return _mm_loadh_pd(_mm_load_sd(v), next);
#else
    return (Two){ *v, *next };
#endif
}
/* The second address, as if nothing were known of it: else compilers make one load of two. */
INLINE const double *address_behind(const double *v)
{
    const double *next = v + 1;
#if defined(__GNUC__)
    __asm__("" : "+r"(next));
#endif
    return next;
}
INLINE Four fresh_four_at(const double *v)
{
    const double *next = address_behind(v);
    Two low = fresh_pair(v, next), high = fresh_pair(v + 2, next + 2);
    return (Four){ low[0], low[1], high[0], high[1] };
}

#endif
