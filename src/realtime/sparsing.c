/* sparsing.c: which entries of the Jacobian are left out, for a whole run.
 *
 * In: the linearisations of a scenario. Out: a curve of choices, from careful to bold, each with
 * its size, what it does to the eigenvalues of the step on every linearisation, and how exact a run
 * with it is; the one to be recommended; and choices by size alone, for comparison. Cost:
 * eigenvalues of each linearisation and a run for each point of the curve. Tests:
 * tests/realtime/sparsing_test.c. */
#include "realtime/inside.h"

#include <math.h>
#include <stdlib.h>

/* For one threshold, entries are taken in the order of what they do at worst; one is left out if in
 * every linearisation and cluster the signed sum of all that was left out so far stays below the
 * threshold. Where two do about as much, the one that couples two groups of unknowns, or makes
 * fill, goes first. Invariant: a choice counts as stable only if the eigenvalues of (L + tau
 * DeltaJ, L - tau J) were computed and lie inside of the unit disc, with the margin that was asked
 * for or half of what the exact step has. */

enum { CURVE = 20, HALVINGS = 9, BATCH = 4 };
static const double BOLDEST = 8, FACTOR = 0.55; /* thresholds of the curve */
static const double PIVOT_THRESHOLD = 0.02;
static const double MOST_GROWTH = 1e8;
static const double NOT_STIFF = 0.5;
static const double WILDEST =
    1.5; /* error of any state, as a share of its range: more is noise that the method makes */

/* ---- the matrix L - tau J -------------------------------------------------------------------- */

bool sparsing_matrix(Arena *arena, const RtScenario *s, const unsigned char *kept, RtMatrix *out)
{
    const RtSystem *y = &s->system;
    const Pattern *p = y->pattern;
    size_t count = 0;
    Entry *entries = NEW_ARRAY(arena, Entry, (size_t)pattern_count(p) + (size_t)y->n + 1);
    for (int j = 0; j < p->columns; j++) {
        if (y->mass[j] != 0) entries[count++] = (Entry){ j, j };
        for (int e = p->start[j]; e < p->start[j + 1]; e++)
            if (kept[e]) entries[count++] = (Entry){ p->row[e], j };
    }
    Pattern *m = out->pattern = pattern_of_entries(arena, y->n, y->n, entries, count);
    out->entry = NEW_ARRAY(arena, int, (size_t)pattern_count(m) + 1);
    for (int j = 0; j < m->columns; j++)
        for (int e = m->start[j]; e < m->start[j + 1]; e++) {
            int from = pattern_find(p, m->row[e], j);
            out->entry[e] = from >= 0 && kept[from] ? from : -1;
        }
    double **values = NEW_ARRAY(arena, double *, (size_t)s->count + 1);
    for (int k = 0; k < s->count; k++) {
        values[k] = NEW_ARRAY(arena, double, (size_t)pattern_count(m) + 1);
        for (int j = 0; j < m->columns; j++)
            for (int e = m->start[j]; e < m->start[j + 1]; e++)
                values[k][e] = (m->row[e] == j ? y->mass[j] : 0) -
                               (out->entry[e] < 0 ? 0 : y->tau * s->at[k].df[out->entry[e]]);
    }
    out->plan = lu_plan(arena, m, (const double *const *)values, (size_t)s->count, PIVOT_THRESHOLD);
    return out->plan;
}

/* ---- checking a choice ----------------------------------------------------------------------- */

/* Where the exact step decays, so must the other; where the model itself grows, hardly faster. */
static double allowed_radius(const RtScenario *s, double exact)
{
    return exact < 1 ? 1 - fmin(s->options.margin, 0.5 * (1 - exact)) : exact + fmax(0.1 * (exact - 1), 1e-6);
}

/* The farthest that an eigenvalue of the exact step that is not stiff has a nearest one of the
 * other step. */
static double deviation(int n, const double *exact, const double *other)
{
    double worst = 0;
    for (int i = 0; i < n; i++) {
        double nearest = INFINITY;
        if (hypot(exact[2 * i], exact[2 * i + 1]) < NOT_STIFF) continue;
        for (int j = 0; j < n; j++)
            nearest = fmin(nearest, hypot(exact[2 * i] - other[2 * j], exact[2 * i + 1] - other[2 * j + 1]));
        worst = fmax(worst, nearest);
    }
    return worst;
}

static bool check_stability(const RtScenario *s, RtPoint *point, Arena *scratch)
{
    int n = s->system.n, count = pattern_count(s->system.pattern);
    double *lambda = NEW_ARRAY(scratch, double, 2 * (size_t)n + 2);
    double *left_out = NEW_ARRAY(scratch, double, (size_t)count + 1);
    point->stable = true;
    point->radius = point->deviation = 0;
    for (int k = 0; k < s->count && point->stable; k++) {
        double radius = 0;
        for (int e = 0; e < count; e++) left_out[e] = point->kept[e] ? 0 : s->at[k].df[e];
        if (!perturbed_eigenvalues(&s->system, s->at[k].df, left_out, lambda, scratch)) {
            point->radius = INFINITY;
            point->stable = false;
            break;
        }
        for (int i = 0; i < n; i++) radius = fmax(radius, hypot(lambda[2 * i], lambda[2 * i + 1]));
        point->radius = fmax(point->radius, radius);
        point->deviation = fmax(point->deviation, deviation(n, s->at[k].criterion.lambda, lambda));
        point->stable = radius <= allowed_radius(s, s->at[k].criterion.radius);
    }
    return point->stable;
}

static void measure(RtScenario *s, RtPoint *point)
{
    RtMatrix matrix;
    point->entries = 0;
    for (int e = 0; e < pattern_count(s->system.pattern); e++) point->entries += point->kept[e];
    bool ok = sparsing_matrix(s->arena, s, point->kept, &matrix);
    point->count = pattern_count(matrix.pattern);
    point->count_lu = ok ? matrix.plan->count : 0;
    point->growth = ok ? matrix.plan->growth : INFINITY;
    if (!ok || point->growth > MOST_GROWTH) point->stable = false;
}

/* ---- the choice for a threshold -------------------------------------------------------------- */

typedef struct {
    int entry, row, column;
    double score; /* what it does at worst, as a share of a cluster's scale */
    bool couples; /* two groups that nothing else couples as strongly */
} Candidate;

static int by_score(const void *a, const void *b)
{
    const Candidate *x = a, *y = b;
    int bucket_x = x->score > 0 ? (int)floor(2 * log2(x->score)) : -10000;
    int bucket_y = y->score > 0 ? (int)floor(2 * log2(y->score)) : -10000;
    if (bucket_x != bucket_y) return bucket_x < bucket_y ? -1 : 1;
    if (x->couples != y->couples) return x->couples ? -1 : 1;
    return x->score < y->score ? -1 : x->score > y->score ? 1 : x->entry - y->entry;
}

typedef struct {
    RtScenario *s;
    Arena *arena;
    Candidate *candidates;
    int count, clusters; /* of all linearisations together */
    double *effect;      /* by cluster, then entry: pairs, as shares of the scale */
} Chooser;

/* Rows and columns joined by entries that matter are groups; an entry between two groups
 * couples. */
static int root_of(int *parent, int i)
{
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
}

static void mark_couplings(Chooser *c, double matters)
{
    int n = c->s->system.n, *parent = NEW_ARRAY(c->arena, int, (size_t)n + 1);
    for (int i = 0; i < n; i++) parent[i] = i;
    for (int k = 0; k < c->count; k++)
        if (c->candidates[k].score > matters)
            parent[root_of(parent, c->candidates[k].row)] = root_of(parent, c->candidates[k].column);
    for (int k = 0; k < c->count; k++)
        c->candidates[k].couples =
            root_of(parent, c->candidates[k].row) != root_of(parent, c->candidates[k].column);
}

static Chooser chooser_new(RtScenario *s, Arena *arena)
{
    const Pattern *p = s->system.pattern;
    size_t count = (size_t)pattern_count(p), at = 0;
    Chooser c = { .s = s, .arena = arena, .count = (int)count };
    for (int k = 0; k < s->count; k++) c.clusters += s->at[k].criterion.count;
    c.candidates = NEW_ARRAY(arena, Candidate, count + 1);
    c.effect = NEW_ARRAY(arena, double, 2 * count * (size_t)c.clusters + 2);
    for (int j = 0; j < p->columns; j++)
        for (int e = p->start[j]; e < p->start[j + 1]; e++)
            c.candidates[e] = (Candidate){ .entry = e, .row = p->row[e], .column = j };
    for (int k = 0; k < s->count; k++)
        for (int q = 0; q < s->at[k].criterion.count; q++, at += 2 * count) {
            const Cluster *cluster = &s->at[k].criterion.clusters[q];
            for (size_t e = 0; e < count; e++) {
                double factor = s->system.tau * s->at[k].df[e] / cluster->scale;
                double re = c.effect[at + 2 * e] = factor * cluster->g[2 * e];
                double im = c.effect[at + 2 * e + 1] = factor * cluster->g[2 * e + 1];
                c.candidates[e].score = fmax(c.candidates[e].score, hypot(re, im));
            }
        }
    return c;
}

/* Whether all sums stay below the threshold with this entry left out, too; if so they are
 * changed. */
static bool try_entry(const Chooser *c, int entry, double threshold, double *sums)
{
    size_t count = (size_t)c->count;
    for (size_t k = 0; k < (size_t)c->clusters; k++) {
        const double *effect = c->effect + 2 * (k * count + (size_t)entry);
        if (hypot(sums[2 * k] + effect[0], sums[2 * k + 1] + effect[1]) > threshold) return false;
    }
    for (size_t k = 0; k < (size_t)c->clusters; k++) {
        const double *effect = c->effect + 2 * (k * count + (size_t)entry);
        sums[2 * k] += effect[0];
        sums[2 * k + 1] += effect[1];
    }
    return true;
}

static unsigned char *choose(Chooser *c, double threshold)
{
    unsigned char *kept = NEW_ARRAY(c->s->arena, unsigned char, (size_t)c->count + 1);
    ArenaMark mark = arena_mark(c->arena);
    double *sums = NEW_ARRAY(c->arena, double, 2 * (size_t)c->clusters + 2);
    memset(kept, 1, (size_t)c->count);
    mark_couplings(c, threshold);
    qsort(c->candidates, (size_t)c->count, sizeof *c->candidates, by_score);
    for (int k = 0; k < c->count; k++) {
        const Candidate *q = &c->candidates[k];
        if (q->score <= threshold && try_entry(c, q->entry, threshold, sums)) kept[q->entry] = 0;
    }
    arena_rewind(c->arena, mark);
    return kept;
}

void sparsing_choose(RtScenario *s, double threshold, RtPoint *point)
{
    Arena *scratch = arena_new();
    if (!scratch) return;
    Chooser c = chooser_new(s, scratch);
    *point = (RtPoint){ .threshold = threshold, .kept = choose(&c, threshold) };
    check_stability(s, point, scratch);
    measure(s, point);
    arena_free(scratch);
}

/* ---- by size alone --------------------------------------------------------------------------- */

static void keep_large(const RtScenario *s, double least, unsigned char *kept)
{
    for (int e = 0; e < pattern_count(s->system.pattern); e++) {
        double largest = 0;
        for (int k = 0; k < s->count; k++) largest = fmax(largest, fabs(s->system.tau * s->at[k].df[e]));
        kept[e] = largest >= least;
    }
}

/* The largest limit that is still stable, by halving on a logarithmic scale. */
static void compare_magnitude(RtScenario *s, RtSparsing *out, Arena *scratch)
{
    RtPoint *point = &out->magnitude;
    unsigned char *kept = NEW_ARRAY(s->arena, unsigned char, (size_t)pattern_count(s->system.pattern) + 1);
    double low = -12, high = 3;
    point->kept = kept;
    for (int k = 0; k < HALVINGS; k++) {
        double middle = (low + high) / 2;
        keep_large(s, pow(10, middle), kept);
        ArenaMark mark = arena_mark(scratch);
        if (check_stability(s, point, scratch))
            low = middle;
        else
            high = middle;
        arena_rewind(scratch, mark);
    }
    out->magnitude_limit = point->threshold = pow(10, low);
    keep_large(s, out->magnitude_limit, kept);
    check_stability(s, point, scratch);
    measure(s, point);
    point->outcome = scenario_run(s, &(RtUse){ .kept = kept });
    out->dynamic = scenario_run(s, &(RtUse){ .least = out->magnitude_limit });
}

/* ---- the curve ------------------------------------------------------------------------------- */

static bool is_good(const RtScenario *s, const RtSparsing *out, const RtPoint *p)
{
    double limit = fmax(s->options.error, 1.2 * out->exact.outcome.error);
    double wildest = fmax(WILDEST, 1.2 * out->exact.outcome.error_all);
    return p->stable && p->outcome.finished && p->outcome.error <= limit && p->outcome.error_all <= wildest;
}

static void evaluate(RtScenario *s, RtPoint *p, Arena *scratch)
{
    ArenaMark mark = arena_mark(scratch);
    if (check_stability(s, p, scratch)) measure(s, p);
    arena_rewind(scratch, mark);
    if (p->stable) p->outcome = scenario_run(s, &(RtUse){ .kept = p->kept });
}

static void recommend(const RtScenario *s, RtSparsing *out)
{
    out->recommended = -1;
    int least = out->exact.count_lu + 1;
    for (int k = 0; k < out->count; k++) {
        if (!is_good(s, out, &out->curve[k]) || out->curve[k].count_lu >= least) continue;
        out->recommended = k;
        least = out->curve[k].count_lu;
    }
}

/* ---- one by one ------------------------------------------------------------------------------ */

/* Leaves out `n` more; whether that is still good. If not, nothing changes. */
static bool try_more(RtScenario *s, const RtSparsing *out, RtPoint *p, const Candidate *more, int n,
                     Arena *scratch)
{
    RtPoint trial = *p;
    for (int k = 0; k < n; k++) p->kept[more[k].entry] = 0;
    evaluate(s, &trial, scratch);
    bool ok = is_good(s, out, &trial);
    for (int k = 0; k < n && !ok; k++) p->kept[more[k].entry] = 1;
    if (ok) *p = trial;
    return ok;
}

/* The estimate is of first order; what it is unsure of is tried: entries off the diagonal in the
 * order of their scores, several at once, and where that does not hold each for itself. */
static RtPoint *refine(RtScenario *s, Chooser *c, const RtSparsing *out, const RtPoint *from, Arena *scratch)
{
    size_t count = (size_t)c->count;
    RtPoint *p = NEW(s->arena, RtPoint);
    Candidate *left = NEW_ARRAY(scratch, Candidate, count + 1);
    int n = 0, tries = 0;
    *p = *from;
    p->kept = NEW_ARRAY(s->arena, unsigned char, count + 1);
    memcpy(p->kept, from->kept, count);
    qsort(c->candidates, count, sizeof *c->candidates, by_score);
    for (size_t k = 0; k < count; k++) {
        const Candidate *q = &c->candidates[k];
        bool is_free =
            q->row == q->column && s->system.mass[q->row] != 0; /* its place is there in any case */
        if (p->kept[q->entry] && !is_free) left[n++] = *q;
    }
    for (int k = 0; k < n && tries < s->options.tries; k += BATCH) {
        int batch = k + BATCH < n ? BATCH : n - k;
        tries++;
        if (try_more(s, out, p, left + k, batch, scratch)) continue;
        for (int j = 0; j < batch && batch > 1 && tries < s->options.tries; j++, tries++)
            try_more(s, out, p, left + k + j, 1, scratch);
    }
    return p;
}

static double radius_of(const RtScenario *s, const double *df, const unsigned char *kept, double *lambda,
                        double *left_out, Arena *scratch)
{
    double radius = 0;
    for (int e = 0; e < pattern_count(s->system.pattern); e++) left_out[e] = kept[e] ? 0 : df[e];
    if (!perturbed_eigenvalues(&s->system, df, left_out, lambda, scratch)) return INFINITY;
    for (int i = 0; i < s->system.n; i++) radius = fmax(radius, hypot(lambda[2 * i], lambda[2 * i + 1]));
    return radius;
}

/* The same check at points all over the run, beyond the linearisations. */
static void verify(const RtScenario *s, RtSparsing *out, const RtPoint *p, Arena *scratch)
{
    size_t n = (size_t)s->system.n, count = (size_t)pattern_count(s->system.pattern);
    double *lambda = NEW_ARRAY(scratch, double, 2 * n + 2), *left_out = NEW_ARRAY(scratch, double, count + 1);
    out->verified_points = s->seen_count;
    out->verified_bad = 0;
    out->verified = out->verified_exact = 0;
    for (int k = 0; k < s->seen_count; k++) {
        double exact = radius_of(s, s->seen[k], out->exact.kept, lambda, left_out, scratch);
        double radius = radius_of(s, s->seen[k], p->kept, lambda, left_out, scratch);
        out->verified = fmax(out->verified, radius);
        out->verified_exact = fmax(out->verified_exact, exact);
        out->verified_bad += radius > allowed_radius(s, exact);
    }
}

/* A choice that fails somewhere on the way is not taken: the next best of the curve, and then the
 * exact one, follow. */
static void verify_choice(const RtScenario *s, RtSparsing *out, Arena *scratch)
{
    for (;;) {
        verify(s, out, sparsing_choice(out), scratch);
        if (!out->verified_bad || sparsing_choice(out) == &out->exact) return;
        if (out->refined)
            out->refined = NULL;
        else
            out->recommended--;
        while (out->recommended >= 0 && !is_good(s, out, &out->curve[out->recommended])) out->recommended--;
    }
}

RtSparsing *sparsing_new(RtScenario *s)
{
    Arena *scratch = arena_new();
    if (!scratch) return NULL;
    RtSparsing *out = NEW(s->arena, RtSparsing);
    size_t count = (size_t)pattern_count(s->system.pattern);
    out->curve = NEW_ARRAY(s->arena, RtPoint, CURVE);
    out->exact.kept = NEW_ARRAY(s->arena, unsigned char, count + 1);
    memset(out->exact.kept, 1, count);
    check_stability(s, &out->exact, scratch);
    measure(s, &out->exact);
    out->exact.outcome = scenario_run(s, &(RtUse){ 0 });
    Chooser c = chooser_new(s, scratch);
    double threshold = BOLDEST * pow(FACTOR, CURVE - 1);
    for (int k = 0; k < CURVE; k++, threshold /= FACTOR) {
        RtPoint *p = &out->curve[out->count];
        *p = (RtPoint){ .threshold = threshold, .kept = choose(&c, threshold) };
        if (out->count && !memcmp(p->kept, p[-1].kept, count)) {
            p[-1].threshold = threshold;
            continue;
        }
        evaluate(s, p, scratch);
        if (!p->stable) measure(s, p);
        out->count++;
    }
    recommend(s, out);
    if (s->options.tries && out->recommended >= 0) {
        out->refined = refine(s, &c, out, &out->curve[out->recommended], scratch);
        if (out->refined->count_lu >= out->curve[out->recommended].count_lu) out->refined = NULL;
    }
    verify_choice(s, out, scratch);
    for (int k = 0; k < 2; k++)
        out->extrapolated[k] =
            scenario_run(s, &(RtUse){ .kept = sparsing_choice(out)->kept, .extrapolate = k + 2 });
    out->offline[0] = scenario_offline(s, NULL);
    out->offline[1] = scenario_offline(s, sparsing_choice(out)->kept);
    compare_magnitude(s, out, scratch);
    arena_free(scratch);
    return out;
}

const RtPoint *sparsing_choice(const RtSparsing *s)
{
    if (s->refined) return s->refined;
    return s->recommended < 0 ? &s->exact : &s->curve[s->recommended];
}
