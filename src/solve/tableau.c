/* tableau.c: Runge-Kutta methods from text: Butcher tableaux that a user gives as data. */
#include "solve/methods/dirk/dirk.h"
#include "solve/methods/erk/erk.h"
#include "solve/methods/sundials/sundials.h"
#include "solve/tables/tables.h"
#include "solve/tables/trees.h"

#include <stdlib.h>

/* In: lines of numbers (also quotients such as 1/3), each after a word that says what they are; #
 * begins a remark:
 *     stages 4
 *     order 3 2          of the method, of its embedded formula
 *     a  1/2             a row of A each, from the first with entries; explicit: i-1 numbers in row
 *     i, from the second
 *     a  0 3/4
 *     a  2/9 1/3 4/9
 *     b  2/9 1/3 4/9 0
 *     bhat 7/24 1/4 1/3 1/8
 *     by arkode          who runs it; if not given, we
 * Rows with i numbers in row i make it diagonally implicit: numbers of the diagonal are positive,
 * or 0 where a stage is explicit. It takes mass matrices where none but the first stage is, and the
 * last row is b. Out: a row like those of the registry, for the drivers of erk.c and dirk.c, with
 * cubic dense output. Always: the order conditions of both formulas hold, or the tableau is refused
 * with the first order that is missed. Tests: tests/solve/tableau_test.c. */

enum { MOST_NUMBERS = ERK_STAGES * (ERK_STAGES + 1) / 2 };
/* of a condition: tableaux are often given with few digits */
static const double ORDER_TOLERANCE = 1e-9;

typedef struct {
    Arena *arena;
    const char *why; /* NULL: all is well */
    int stages, order, embedded, rows;
    int lengths[ERK_STAGES];
    double a[MOST_NUMBERS], b[ERK_STAGES], b_hat[ERK_STAGES];
    int a_count, b_count, b_hat_count;
    bool by_arkode;
} Draft;

static void refuse(Draft *d, const char *why)
{
    if (!d->why) d->why = why;
}

/* The next word of a line, or an empty one. */
static Str next_word(Str *line)
{
    size_t skip = 0, n = 0;
    while (skip < line->n && (line->at[skip] == ' ' || line->at[skip] == '\t' || line->at[skip] == '\r'))
        skip++;
    while (skip + n < line->n && !strchr(" \t\r", line->at[skip + n])) n++;
    Str word = { line->at + skip, n };
    *line = (Str){ line->at + skip + n, line->n - skip - n };
    return word;
}

static double number(Draft *d, Str word)
{
    char *end, *text = arena_copy(d->arena, word);
    double value = strtod(text, &end);
    if (end != text && *end == '/') {
        char *below = end + 1;
        value /= strtod(below, &end);
        if (end == below) *text = '\0', end = text + 1;
    }
    if (end == text || end != text + word.n || !isfinite(value)) refuse(d, "a word that is no number");
    return value;
}

/* Reads the numbers of a line; how many. */
static int numbers(Draft *d, Str line, double *to, int most)
{
    int n = 0;
    for (Str word = next_word(&line); word.n; word = next_word(&line)) {
        if (n == most) {
            refuse(d, "more numbers than stages");
            return n;
        }
        to[n++] = number(d, word);
    }
    return n;
}

static void read_line(Draft *d, Str line)
{
    const char *remark = line.n ? memchr(line.at, '#', line.n) : NULL;
    if (remark) line.n = (size_t)(remark - line.at);
    Str word = next_word(&line);
    double whole[2] = { 0 };
    if (!word.n) return;
    if (str_is(word, "stages")) {
        numbers(d, line, whole, 1);
        d->stages = (int)whole[0];
    } else if (str_is(word, "order")) {
        numbers(d, line, whole, 2);
        d->order = (int)whole[0];
        d->embedded = (int)whole[1];
    } else if (str_is(word, "a") && d->rows < ERK_STAGES) {
        int n = numbers(d, line, d->a + d->a_count, d->rows + 1);
        d->lengths[d->rows++] = n;
        d->a_count += n;
    } else if (str_is(word, "b")) {
        d->b_count = numbers(d, line, d->b, ERK_STAGES);
    } else if (str_is(word, "bhat")) {
        d->b_hat_count = numbers(d, line, d->b_hat, ERK_STAGES);
    } else if (str_is(word, "by")) {
        d->by_arkode = str_is(next_word(&line), "arkode");
        if (!d->by_arkode) refuse(d, "only arkode can be asked to run a tableau");
    } else {
        refuse(d, "a line that begins with none of stages, order, a, b, bhat, by");
    }
}

/* Entry (i, j) of A. The rows of explicit methods leave out the empty first one. */
static double entry(const Draft *d, bool implicit, int i, int j)
{
    if (implicit) return j <= i ? d->a[i * (i + 1) / 2 + j] : 0.0;
    return j < i ? d->a[i * (i - 1) / 2 + j] : 0.0;
}

static void check_shape(Draft *d, bool implicit)
{
    int s = d->stages, most = implicit ? DIRK_STAGES : ERK_STAGES;
    if (s < 1 || s > most) refuse(d, implicit ? "stages should be 1 to 8" : "stages should be 1 to 16");
    if (d->rows != (implicit ? s : s - 1)) refuse(d, "the number of rows of A does not fit the stages");
    for (int i = 0; i < d->rows; i++)
        if (d->lengths[i] != i + 1) refuse(d, "a row of A has the wrong length");
    if (d->b_count != s || d->b_hat_count != s) refuse(d, "b and bhat should have a number a stage");
    if (d->order < 1 || d->order > TREES_ORDER || d->embedded < 1 || d->embedded > TREES_ORDER)
        refuse(d, "order should give two numbers from 1 to 9");
    if (d->why || !implicit) return;
    double most_own = 0.0;
    for (int i = 0; i < s; i++) {
        double own = entry(d, true, i, i);
        most_own = fmax(most_own, own);
        if (!(own >= 0.0)) refuse(d, "numbers on the diagonal of A should be positive, or 0");
    }
    if (!(most_own > 0.0))
        refuse(d, "the diagonal of A is 0: leave it out, and the first row, of an explicit method");
}

/* Whether the last stage is the result. */
static bool ends_with_stage(const Draft *d)
{
    bool is = entry(d, true, d->stages - 1, d->stages - 1) > 0.0;
    for (int i = 0; i < d->stages; i++) is &= entry(d, true, d->stages - 1, i) == d->b[i];
    return is;
}

/* Whether algebraic unknowns have an equation in each stage, and hold it at the end. */
static bool takes_mass(const Draft *d)
{
    bool is = ends_with_stage(d);
    for (int i = 1; i < d->stages; i++) is &= entry(d, true, i, i) > 0.0;
    return is;
}

static void check_order(Draft *d, bool implicit)
{
    /* not in the arena, whose places are not aligned for extended precision */
    Forest *forest = calloc(1, sizeof *forest);
    TreeMethod *m = calloc(1, sizeof *m);
    if (!forest || !m) {
        free(forest);
        free(m);
        refuse(d, "no memory to check it");
        return;
    }
    long double b[ERK_STAGES], b_hat[ERK_STAGES];
    trees_plant(forest);
    m->n = d->stages;
    for (int i = 0; i < m->n; i++) {
        b[i] = (long double)d->b[i];
        b_hat[i] = (long double)d->b_hat[i];
        for (int j = 0; j < m->n; j++) m->a[i][j] = (long double)entry(d, implicit, i, j);
    }
    trees_weigh(forest, m);
    for (int r = 1; r <= d->order && !d->why; r++)
        if (trees_violation(forest, m, b, r, 1.0L) > ORDER_TOLERANCE)
            refuse(d, arena_printf(d->arena, "b misses a condition of order %d", r));
    for (int r = 1; r <= d->embedded && !d->why; r++)
        if (trees_violation(forest, m, b_hat, r, 1.0L) > ORDER_TOLERANCE)
            refuse(d, arena_printf(d->arena, "bhat misses a condition of order %d", r));
    free(forest);
    free(m);
}

static double *sums(const Draft *d, bool implicit)
{
    double *c = NEW_ARRAY(d->arena, double, ERK_STAGES);
    for (int i = 0; i < d->stages; i++)
        for (int j = 0; j <= i; j++) c[i] += entry(d, implicit, i, j);
    return c;
}

static double *copy(const Draft *d, const double *from, int n)
{
    double *to = NEW_ARRAY(d->arena, double, (size_t)n + 1);
    memcpy(to, from, (size_t)n * sizeof *to);
    return to;
}

static const void *make_explicit(const Draft *d, const char *name, int k)
{
    ErkTableau *tab = NEW(d->arena, ErkTableau);
    double *e = copy(d, d->b, d->stages);
    int s = d->stages;
    bool fsal = s > 1 && d->b[s - 1] == 0.0;
    for (int i = 0; i < s; i++) e[i] -= d->b_hat[i];
    for (int j = 0; j < s - 1; j++) fsal &= entry(d, false, s - 1, j) == d->b[j];
    *tab = (ErkTableau){ .name = name,
                         .stages = s,
                         .dense_stages = s,
                         .fsal = fsal,
                         .k = k,
                         .beta = 0.04,
                         .a = copy(d, d->a, d->a_count),
                         .b = copy(d, d->b, s),
                         .c = sums(d, false),
                         .e = e };
    return tab;
}

static const void *make_implicit(const Draft *d, const char *name, int k)
{
    DirkTableau *tab = NEW(d->arena, DirkTableau);
    int last = d->stages - 1;
    while (entry(d, true, last, last) == 0.0) last--;
    *tab = (DirkTableau){ .name = name,
                          .stages = d->stages,
                          .gamma = entry(d, true, last, last),
                          .b = ends_with_stage(d) ? NULL : copy(d, d->b, d->stages),
                          .k = k,
                          .a = copy(d, d->a, d->a_count),
                          .c = sums(d, true),
                          .b_hat = copy(d, d->b_hat, d->stages),
                          .filter = true,
                          .scale = 1.0 };
    return tab;
}

static const ForeignTableau *make_foreign(const Draft *d, bool implicit, const char *name)
{
    ForeignTableau *tab = NEW(d->arena, ForeignTableau);
    int s = d->stages;
    *tab = (ForeignTableau){ .name = name,
                             .stages = s,
                             .order = d->order,
                             .embedded = d->embedded,
                             .implicit = implicit,
                             .a = NEW_ARRAY(d->arena, double, (size_t)(s * s)),
                             .b = copy(d, d->b, s),
                             .b_hat = copy(d, d->b_hat, s),
                             .c = sums(d, implicit) };
    for (int i = 0; i < s; i++)
        for (int j = 0; j < s; j++) tab->a[i * s + j] = entry(d, implicit, i, j);
    return tab;
}

const SolverType *solver_of_tableau(Arena *arena, const char *name, Str text, const char **why)
{
    Draft *d = NEW(arena, Draft);
    d->arena = arena;
    while (text.n) {
        const char *end = memchr(text.at, '\n', text.n);
        size_t n = end ? (size_t)(end - text.at) : text.n;
        read_line(d, (Str){ text.at, n });
        text = (Str){ text.at + n + (end != NULL), text.n - n - (end != NULL) };
    }
    bool implicit = d->rows > 0 && d->rows == d->stages;
    check_shape(d, implicit);
    if (!d->why) check_order(d, implicit);
    *why = d->why;
    if (d->why) return NULL;
    SolverType *type = NEW(arena, SolverType);
    if (d->by_arkode) {
        arkode_of_tableau(arena, make_foreign(d, implicit, arena_copy(arena, str_of(name))), type);
        return type;
    }
    int k = (d->embedded < d->order ? d->embedded : d->order) + 1;
    *type = implicit ? solver_sdirk4 : solver_dopri5;
    type->name = arena_copy(arena, str_of(name));
    type->summary = "a tableau given as data";
    type->order = type->order_most = d->order;
    type->dense_order = 3;
    type->can &= ~(unsigned)(SOLVE_A_STABLE | SOLVE_L_STABLE);
    if (implicit && !takes_mass(d)) type->can &= ~(unsigned)SOLVE_MASS;
    type->data = implicit ? make_implicit(d, type->name, k) : make_explicit(d, type->name, k);
    return type;
}
