/* rank.c: finds linear blocks whose equations depend on each other, which no matching can see.
 *
 * In: the sorted continuous equations. Out: a diagnostic for each block of constant coefficients
 * that is singular: an error where the equations contradict each other, whatever is set; else a
 * warning, since one of them may follow from the others, which leaves unknowns open, as the
 * potentials of a circuit without ground. How: elimination with full pivoting on the numbers that
 * bindings and start values give; the combination of rows that vanishes names the equations, the
 * vector that the matrix maps to zero the unknowns. Always: blocks with coefficients that change
 * are left to the run. Cost: cubic in blocks, which are at most LARGEST. Tests:
 * tests/dae/system_test.c. */
#include "dae/inside.h"

#include <math.h>

enum { LARGEST = 80, SHOWN = 12 };
static const double VANISHES = 1e-11;      /* against the largest entry of its row */
static const double SOME_TIME = 0.7310585; /* at which nothing is zero by chance */

typedef struct {
    Build *b;
    System *s;
    Arena *a;
    uint32_t n;
    uint32_t eqs[LARGEST], vars[LARGEST];
    uint32_t rows[LARGEST], columns[LARGEST]; /* order after pivoting */
    double *m;                                /* n x n */
    double *combined;                         /* n x n: which rows are in a row by now */
    double *estimates;
    bool is_number; /* all coefficients are */
} Rank;

static bool load(Rank *r, const Sequence *q, const DaeBlock *d)
{
    SymPool *pool = r->s->pool;
    r->n = 0;
    r->is_number = true;
    if (d->kind != BLOCK_LINEAR || d->n + d->tear_n > LARGEST) return false;
    for (uint32_t i = 0; i < d->n; i++, r->n++) {
        r->eqs[r->n] = q->assigns.at[d->first + i].eq;
        r->vars[r->n] = q->assigns.at[d->first + i].var;
    }
    for (uint32_t i = 0; i < d->tear_n; i++, r->n++) {
        r->eqs[r->n] = q->residuals.at[d->tear_first + i];
        r->vars[r->n] = q->tears.at[d->tear_first + i];
    }
    memset(r->m, 0, (size_t)r->n * r->n * sizeof *r->m);
    memset(r->combined, 0, (size_t)r->n * r->n * sizeof *r->combined);
    for (uint32_t i = 0; i < r->n; i++) {
        const Gradient *g = &r->s->eqs.at[r->eqs[i]].gradient;
        r->rows[i] = r->columns[i] = i;
        r->combined[i * r->n + i] = 1;
        double largest = 0;
        for (uint32_t k = 0; k < g->n; k++)
            for (uint32_t j = 0; j < r->n; j++) {
                double number;
                if (r->vars[j] != g->at[k].var) continue;
                if (!sym_is_fixed(pool, r->s, g->at[k].value, false)) return false;
                r->is_number &= sym_is_real(pool, g->at[k].value, &number);
                double value = dae_evaluate(pool, g->at[k].value, r->estimates);
                if (!isfinite(value)) return false;
                r->m[i * r->n + j] = value;
                largest = fmax(largest, fabs(value));
            }
        for (uint32_t j = 0; j < r->n && largest > 0; j++) r->m[i * r->n + j] /= largest;
        if (largest > 0) r->combined[i * r->n + i] = 1 / largest;
    }
    return true;
}

static void swap(uint32_t *a, uint32_t *b)
{
    uint32_t t = *a;
    *a = *b, *b = t;
}

/* The rank; entries are reached through rows[] and columns[]. */
static uint32_t eliminate(Rank *r)
{
    uint32_t n = r->n;
    for (uint32_t k = 0; k < n; k++) {
        uint32_t p = k, q = k;
        double best = VANISHES;
        for (uint32_t i = k; i < n; i++)
            for (uint32_t j = k; j < n; j++) {
                double size = fabs(r->m[r->rows[i] * n + r->columns[j]]);
                if (size > best) best = size, p = i, q = j;
            }
        if (!(best > VANISHES)) return k;
        swap(&r->rows[k], &r->rows[p]);
        swap(&r->columns[k], &r->columns[q]);
        const double *pivot = r->m + r->rows[k] * n;
        for (uint32_t i = k + 1; i < n; i++) {
            double *row = r->m + r->rows[i] * n, factor = row[r->columns[k]] / pivot[r->columns[k]];
            if (factor == 0) continue;
            for (uint32_t j = 0; j < n; j++) {
                row[j] -= factor * pivot[j];
                r->combined[r->rows[i] * n + j] -= factor * r->combined[r->rows[k] * n + j];
            }
            row[r->columns[k]] = 0;
        }
    }
    return n;
}

/* What the combination of equations that has lost all its unknowns says, with numbers for what it
 * still contains. */
static double what_is_left(const Rank *r, const double *weights)
{
    double sum = 0;
    for (uint32_t i = 0; i < r->n; i++) {
        const DaeEq *eq = &r->s->eqs.at[r->eqs[i]];
        if (weights[i] == 0) continue;
        sum += weights[i] * (dae_evaluate_at(r->s->pool, eq->left, r->estimates, SOME_TIME) -
                             dae_evaluate_at(r->s->pool, eq->right, r->estimates, SOME_TIME));
    }
    return sum;
}

/* Whether the equations with a weight are given nothing that other equations compute: such values
 * may fit together. */
static bool stands_alone(const Rank *r, const double *weights)
{
    for (uint32_t i = 0; i < r->n; i++) {
        const Gradient *g = &r->s->eqs.at[r->eqs[i]].gradient;
        for (uint32_t k = 0; k < g->n && weights[i] != 0; k++) {
            bool is_own = false;
            for (uint32_t j = 0; j < r->n; j++) is_own |= r->vars[j] == g->at[k].var;
            Role role = (Role)r->s->vars.at[g->at[k].var].role;
            if (!is_own && role > ROLE_PARAMETER && role != ROLE_STATE) return false;
        }
    }
    return true;
}

static bool is_contradiction(const Rank *r, const double *weights)
{
    double size = 0, left = fabs(what_is_left(r, weights));
    for (uint32_t i = 0; i < r->n; i++) size += fabs(weights[i]);
    return left > 1e-8 * (1 + size) && stands_alone(r, weights);
}

/* The unknowns that can move without any equation noticing: back substitution for the first one
 * left open. */
static void find_open(const Rank *r, uint32_t rank, double *moves)
{
    uint32_t n = r->n;
    memset(moves, 0, n * sizeof *moves);
    moves[r->columns[rank]] = 1;
    for (uint32_t k = rank; k-- > 0;) {
        const double *row = r->m + r->rows[k] * n;
        double sum = 0;
        for (uint32_t j = 0; j < n; j++)
            if (j != r->columns[k]) sum += row[j] * moves[j];
        moves[r->columns[k]] = -sum / row[r->columns[k]];
    }
}

/* Whether all that move are potentials of connectors: then nothing says where zero is. */
static bool lacks_ground(const Rank *r, const double *moves)
{
    bool some = false;
    for (uint32_t j = 0; j < r->n; j++) {
        if (fabs(moves[j]) < VANISHES) continue;
        if (!dae_is_potential(r->s, r->vars[j])) return false;
        some = true;
    }
    return some;
}

static const char *names_of(const Rank *r, const double *moves)
{
    Text names = { .arena = r->a };
    uint32_t shown = 0;
    for (uint32_t j = 0; j < r->n; j++)
        if (fabs(moves[j]) >= VANISHES && ++shown <= SHOWN)
            text_printf(&names, "%s'%s'", shown > 1 ? ", " : "", r->s->vars.at[r->vars[j]].name);
    if (shown > SHOWN) text_add_literal(&names, ", ...");
    return names.at;
}

static void report(Rank *r, uint32_t rank)
{
    Build *b = r->b;
    const double *weights = r->combined + r->rows[rank] * r->n;
    double moves[LARGEST];
    bool contradict = is_contradiction(r, weights);
    uint32_t first = NONE, shown = 0;
    find_open(r, rank, moves);
    for (uint32_t i = 0; i < r->n && first == NONE; i++)
        if (fabs(weights[i]) > VANISHES) first = i;
    const char *names = names_of(r, moves);
    Note *note = diag_add(
        b->diag, contradict && r->is_number ? E_CONTRADICTION : E_DEPENDENT, r->s->eqs.at[r->eqs[first]].span,
        "%s, and leave %s open",
        contradict ? "these equations contradict each other" : "these equations depend on each other", names);
    for (uint32_t i = first + 1; i < r->n && shown < SHOWN; i++)
        if (fabs(weights[i]) > VANISHES) {
            diag_label(b->diag, note, r->s->eqs.at[r->eqs[i]].span, "together with this equation");
            shown++;
        }
    if (lacks_ground(r, moves))
        diag_hint(b->diag, note, "no ground: only differences of these potentials are in the equations");
    if (contradict && r->is_number) b->failed = true;
}

bool dae_check_rank(Build *b)
{
    System *s = b->s;
    Rank *r = NULL;
    bool had_failed = b->failed;
    for (uint32_t k = 0; k < s->continuous.blocks.n; k++) {
        const DaeBlock *d = &s->continuous.blocks.at[k];
        if (d->kind != BLOCK_LINEAR) continue;
        if (!r) {
            r = NEW(b->scratch, Rank);
            *r = (Rank){ .b = b,
                         .s = s,
                         .a = b->scratch,
                         .m = NEW_ARRAY(b->scratch, double, LARGEST *LARGEST),
                         .combined = NEW_ARRAY(b->scratch, double, LARGEST *LARGEST),
                         .estimates = dae_estimates(s, b->scratch) };
            for (uint32_t v = 0; v < s->vars.n; v++)
                if (s->vars.at[v].role > ROLE_PARAMETER) r->estimates[v] += dae_any_number(v, 1);
        }
        if (!load(r, &s->continuous, d)) continue;
        uint32_t rank = eliminate(r);
        if (rank < r->n) report(r, rank);
    }
    return had_failed || !b->failed;
}
