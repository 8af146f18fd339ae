/* ladder.c: differences with several increments an unknown, for the default rule.
 *
 * In: a Jacobian that remembers, a point with its right-hand side, increments of the rule. Out:
 * values, and what they teach. Cost: two to thirteen evaluations a colour. Tests:
 * tests/solve/jacobian_test.c, audit_test.c. */
#include "solve/jacobian/inside.h"

/* In each colour f is evaluated at smaller and smaller increments, from one as large as the unknown
 * may become down to the rule's own, until every entry has two quotients, or two polynomials
 * through several of them (Neville), that agree within rounding errors. So an entry that is linear
 * in the unknown is settled by the widest two increments, and a curved one of the same column by
 * narrower ones. Increments that settled something are remembered by colour, and the next Jacobians
 * take only these; linear colours that stay as they were are taken over, as long as one evaluation
 * with all of them moved says so; all are tried anew now and then, and when Newton's method found
 * the last Jacobian poor. What all this costs beyond one evaluation a colour is a share of the run;
 * when that is used up, or with very many unknowns, one difference with the rule's increment has to
 * do, and a second difference tells how curved f is where Newton's method asks for better.
 * Invariant: what crosses a kink disagrees and is not taken; the unknown stays within its bounds;
 * memory is O(entries). */

static const double FAR = 0x1p3; /* of the size of y: the widest increment */
/* u^(1/4): increments of second differences, of the size of y */
static const double WIDE = 0x1p-13;
static const double NOISE = 4.0; /* rounding errors, of those that terms of f have */
static const double ODD =
    1.140625; /* increments are this many powers of two, lest they are whole periods of f */
static const double FADES = 0.25; /* of measured rounding errors, with each measurement */
static const double MUCH = 256.0; /* the same, where terms are larger than they seem */
static const double SHARE = 0.25; /* of all evaluations: what may be beyond one a colour */
/* of the terms of f: a change of an entry times its unknown */
static const double MATTERS = 0x1p-5;
/* of a value: its neighbours tell at least roughly the same */
static const double AGREE = 0.125;
static const double EXACT = 4.0 * UROUND; /* of an entry: no quotients agree better */
enum {
    RUNGS = 12, /* increments beside the narrow one, which is number 0 */
    /* bits between them at most: errors of neighbours differ by less than 10 times */
    SPACING = 3,
    ORDERS = 4,            /* of what polynomials through their quotients say */
    LEARN_GAP = 8,         /* Jacobians between two that try all increments, at least */
    LEARN_AGAIN = 64,      /* and at most */
    LEARN_UNASKED = 10000, /* unknowns up to which several increments are compared */
    /* Jacobians, of which one tries wider increments than those before it, too */
    LOOK_UP = 4,
    SETTLED = 2,    /* Jacobians alike after a first one, before a group is taken over */
    SLOW_NEWTON = 6 /* iterations in the step after a new Jacobian that make it suspicious */
};

/* What is known of an entry so far. */
typedef struct {
    double row[ORDERS]; /* of Neville's scheme, from the last quotient on */
    double error;       /* of the best value, as neighbours tell */
    /* |f''|, from the narrowest quotients that differ by more than rounding errors */
    double bend;
    bool is_good; /* that is what rounding errors of terms explain */
    bool is_settled;
    uint16_t used; /* bits of the increments that the best value is from */
} LadderEntry;

struct Ladder {
    double *f;               /* at an increment */
    double *rung[RUNGS + 1]; /* by unknown: increments; [0] is not used */
    double *reach;           /* by unknown: the widest */
    double *terms;           /* by row: how large the terms of f are, by the last Jacobian */
    double *noise;           /* by row: rounding errors of f as measured last; 0: as terms tell */
    bool tried_noise;        /* to measure it at this point */
    LadderEntry *entry;      /* by entry of the longest group */
    double *before;          /* the last values */
    /* by group: bits of increments that settled something the last time; 0: not known */
    uint16_t *plan;
    /* by group: an increment within which all entries are linear in their unknown; 0: none */
    uint8_t *linear;
    uint8_t *same;           /* by group: Jacobians that left a linear one as it was */
    double *foretold, *blur; /* by row: what kept groups add to f, and its rounding errors */
};

Ladder *ladder_new(Solver *s, Jacobian *jac)
{
    Ladder *l = NEW(s->arena, Ladder);
    size_t groups = (size_t)group_count(jac);
    double **const vectors[] = { &l->f, &l->reach, &l->foretold, &l->blur };
    for (size_t k = 0; k < COUNT_OF(vectors); k++) *vectors[k] = solver_vector(s);
    for (int k = 0; k <= RUNGS; k++) l->rung[k] = solver_vector(s);
    l->terms = solver_kept_vector(s);
    l->noise = solver_kept_vector(s);
    l->entry = NEW_ARRAY(s->arena, LadderEntry, (size_t)s->n + 1);
    l->plan = NEW_ARRAY(s->arena, uint16_t, groups + 1);
    l->linear = NEW_ARRAY(s->arena, uint8_t, groups + 1);
    l->before = NEW_ARRAY(s->arena, double, jac->shape->size + 1);
    solver_keep(s, l->plan, groups * sizeof *l->plan);
    l->same = NEW_ARRAY(s->arena, uint8_t, groups + 1);
    solver_keep(s, l->linear, groups * sizeof *l->linear);
    solver_keep(s, l->same, groups * sizeof *l->same);
    return l;
}

void ladder_remember(Jacobian *jac)
{
    memcpy(jac->ladder->before, jac->values, jac->shape->size * sizeof(double));
}

/* ---- increments ------------------------------------------------------------------------------ */

/* The exponent of a size, within what sums and quotients can hold. */
static int power_of(double x) { return ilogb(fmin(fmax(fabs(x), 0x1p-1000), 0x1p1000)); }

/* How far an unknown may go on the side of its increment. */
static double room_for(const IncrementInput *in, int j, double delta)
{
    double room = !in->low || !in->high ? INFINITY
                  : delta > 0.0         ? in->high[j] - in->y[j]
                                        : in->y[j] - in->low[j];
    return room >= fabs(delta) ? room : INFINITY; /* else it is beyond its bounds anyway */
}

/* Sizes, the widest increments, and for `narrow` ones at most those that suit the size. */
static void begin_ladders(Jacobian *jac, const IncrementInput *in, bool narrow)
{
    for (int j = 0; j < in->n; j++) {
        jac->size[j] = increment_size(in, j, 0.0);
        jac->ladder->reach[j] =
            fmin(FAR * fmax(jac->size[j], increment_reach(in, j)), room_for(in, j, jac->delta[j]));
        double least = ldexp(1.0, power_of(ROOT_U * jac->size[j]));
        if (narrow) jac->delta[j] = copysign(fmin(fabs(jac->delta[j]), least), jac->delta[j]);
    }
}

/* Increment k of a group, of RUNGS as far apart as each other; the last one is the widest, 0 would
 * be the narrow one. */
static void set_rung(Jacobian *jac, Group g, int k)
{
    for (int e = 0; e < g.n; e++) {
        int j = g.column[e], low = power_of(jac->delta[j]), high = power_of(jac->ladder->reach[j] / ODD);
        int spread = high - low < RUNGS * SPACING ? high - low : RUNGS * SPACING;
        double power = spread > 0 ? high - (double)(spread * (RUNGS - k)) / RUNGS : low + k;
        jac->ladder->rung[k][j] = copysign(ldexp(ODD, (int)floor(power)), jac->delta[j]);
    }
}

/* The single one that suits second differences. */
static void set_second(Jacobian *jac, Group g)
{
    for (int e = 0; e < g.n; e++) {
        int j = g.column[e], low = power_of(jac->delta[j]), power = power_of(WIDE * jac->size[j]);
        jac->ladder->rung[1][j] = copysign(ldexp(1.0, low < power ? power : low + 1), jac->delta[j]);
    }
}

/* How large the terms are that make up f: at least f itself, and what each unknown contributes.
 * Their rounding errors are those of f. */
static void find_terms(const Solver *s, Jacobian *jac, const DifferencePoint *p, const double *f0)
{
    double *terms = jac->ladder->terms;
    for (int i = 0; i < s->n; i++) terms[i] = fabs(f0[i]);
    for (int j = 0; j < jac->shape->n; j++)
        for (int k = 0, n = column_length(jac->shape, j), i; k < n; k++) {
            double term = fabs(jac->values[column_entry(jac->shape, j, k, &i)] * p->y[j]);
            if (term > terms[i]) terms[i] = term;
        }
}

/* Rounding errors of f, where they are asked for: the larger of those measured here and what is
 * left of those before, since they come out too small now and then. Rows whose terms explain them
 * count as not measured. */
static void begin_noise(Solver *s, Jacobian *jac, const DifferencePoint *p, const double *f0, bool measures)
{
    Ladder *l = jac->ladder;
    l->tried_noise = measures;
    if (!measures || !noise_measure(s, jac, p, f0, l->blur)) return;
    jac->at.is_noisy = false;
    for (int i = 0; i < s->n; i++) {
        double noise = fmax(l->blur[i], FADES * l->noise[i]);
        l->noise[i] = noise > NOISE * UROUND * fmax(fabs(f0[i]), l->terms[i]) ? noise : 0.0;
        jac->at.is_noisy |= l->noise[i] > 0.0;
    }
}

const double *jacobian_noise(const Jacobian *jac)
{
    return jac->ladder && jac->at.is_noisy && !jac->at.is_careful ? jac->ladder->noise : NULL;
}

/* ---- an entry -------------------------------------------------------------------------------- */

/* A new quotient, and those before it, wider ones. */
typedef struct {
    double q, h[ORDERS + 1];   /* h[0]: of q; h[k]: k before it */
    int count;                 /* of all so far */
    double least, most;        /* rounding errors: of f and its change, and of the terms of f */
    unsigned bits[ORDERS + 1]; /* of the increments from this one on */
} Quotient;

/* Takes a quotient into account: neighbours in Neville's scheme that differ tell the error.
 * Quotients that agree are all the better for being wide. An entry is settled if the difference is
 * what rounding makes of f; or if it is small and the next one is larger by no more than what
 * rounding may make of the terms of f. If that one is larger still, wide increments agreed on
 * something else than the slope here. */
static void add_quotient(LadderEntry *e, const Quotient *q, double *value)
{
    double last[ORDERS], before = e->error, error = INFINITY, rounding = 1.0 / fabs(q->h[0]);
    bool was_good = e->is_good;
    memcpy(last, e->row, sizeof last);
    e->row[0] = q->q;
    for (int o = 1; o < ORDERS && o < q->count; o++)
        e->row[o] = (q->h[o] * e->row[o - 1] - q->h[0] * last[o - 1]) / (q->h[o] - q->h[0]);
    for (int o = 0; o < ORDERS && o + 1 < q->count; o++) error = fmin(error, fabs(e->row[o] - last[o]));
    if (was_good && error > before && error > MUCH * q->most * rounding)
        e->error = INFINITY, e->is_good = false;
    for (int o = 0; o < ORDERS && o + 1 < q->count; o++) {
        double differ = fabs(e->row[o] - last[o]), taken = o ? e->row[o] : last[0];
        double now = fmax(differ, q->least * (o ? rounding : 1.0 / fabs(q->h[1])));
        if (now >= e->error) continue;
        e->error = now;
        *value = taken;
        e->used = (uint16_t)q->bits[o + 1];
        e->is_good = differ <= fmax(NOISE * q->most * rounding, ROOT_U * fabs(taken));
        e->is_settled |= differ <= fmax(EXACT * fabs(taken), NOISE * q->least * rounding);
    }
    e->is_settled |= was_good && error > before && e->is_good;
    double differ = q->count > 1 ? fabs(q->q - last[0]) : 0.0;
    if (differ > NOISE * q->most * rounding) e->bend = 2.0 * differ / fabs(q->h[1] - q->h[0]);
}

/* Increments of a group that f was evaluated at, and the last of them. */
typedef struct {
    int number[RUNGS + 1], n;
} Taken;

/* Takes f at the last increment into account, in a column; false: some entry is not settled. */
static bool settle_column(Jacobian *jac, int j, const Taken *taken, const double *f, const double *y,
                          const double *f0)
{
    Ladder *l = jac->ladder;
    bool all = true;
    Quotient q = { .count = taken->n };
    for (int o = 0; o <= ORDERS && o < taken->n; o++) {
        int k = taken->number[taken->n - 1 - o];
        q.h[o] = k ? l->rung[k][j] : jac->delta[j];
        q.bits[o] = (o ? q.bits[o - 1] : 0u) | 1u << k;
    }
    for (int e = 0, n = column_length(jac->shape, j), i; e < n; e++) {
        size_t at = column_entry(jac->shape, j, e, &i);
        LadderEntry *entry = &l->entry[i];
        if (taken->n == 1)
            *entry = (LadderEntry){ .error = INFINITY }, jac->values[at] = (f[i] - f0[i]) / q.h[0];
        if (entry->is_settled) continue;
        q.q = (f[i] - f0[i]) / q.h[0];
        q.least = larger(UROUND * larger(fabs(f0[i]), fabs(f[i] - f0[i])), l->noise[i]);
        q.most = larger(q.least, UROUND * larger(l->terms[i], fabs(q.q * y[j])));
        add_quotient(entry, &q, &jac->values[at]);
        /* where nothing agrees, the narrow one has the last word, unless it drowns */
        bool is_last = q.bits[0] & 1u, says = fabs(f[i] - f0[i]) > NOISE * q.most;
        if (is_last && says && entry->error > AGREE * fabs(jac->values[at])) jac->values[at] = q.q;
        all &= entry->is_settled;
    }
    return all;
}

/* ---- a group --------------------------------------------------------------------------------- */

/* f at increment k of a group. */
static EvalStatus step_on(Solver *s, Jacobian *jac, const DifferencePoint *p, Group g, int k)
{
    double *rung = jac->ladder->rung[k];
    set_rung(jac, g, k);
    group_move(jac, p, g, rung);
    for (int e = 0; e < g.n; e++) rung[g.column[e]] = jac->y[g.column[e]] - p->y[g.column[e]];
    EvalStatus status = difference_f(s, jac, p, jac->ladder->f);
    group_back(jac, p, g);
    return status;
}

/* Goes down the increments whose bits are set, as long as entries are not settled; those at which f
 * is not defined are left out, and quotients beyond a relation that switches do not agree with
 * others. */
static EvalStatus descend(Solver *s, Jacobian *jac, const DifferencePoint *p, Group g, unsigned bits,
                          const double *f0, Taken *taken, bool *settled)
{
    EvalStatus status = EVAL_OK;
    *settled = false;
    for (int k = RUNGS; k > 0 && !*settled && status != EVAL_FATAL; k--) {
        if (!(bits >> k & 1)) continue;
        status = step_on(s, jac, p, g, k);
        if (status != EVAL_OK) continue;
        taken->number[taken->n++] = k;
        *settled = true;
        for (int e = 0; e < g.n; e++)
            *settled &= settle_column(jac, g.column[e], taken, jac->ladder->f, p->y, f0);
    }
    return status == EVAL_FATAL ? status : EVAL_OK;
}

/* A group whose entries were linear, by a single wide increment; false: some entry changed so much,
 * beside the terms of f, that it is doubtful whether they still are. */
static bool is_still_linear(Solver *s, Jacobian *jac, const DifferencePoint *p, int group, const double *f0,
                            EvalStatus *status)
{
    const Ladder *l = jac->ladder;
    Group g = group_of(jac, &group);
    *status = step_on(s, jac, p, g, l->linear[group]);
    for (int c = 0; c < g.n && *status == EVAL_OK; c++)
        for (int e = 0, j = g.column[c], n = column_length(jac->shape, j), i; e < n; e++) {
            size_t at = column_entry(jac->shape, j, e, &i);
            jac->values[at] = (l->f[i] - f0[i]) / l->rung[l->linear[group]][j];
            double change = fabs(jac->values[at] - l->before[at]) * jac->size[j];
            if (!(change <= MATTERS * l->terms[i])) return false;
        }
    return *status == EVAL_OK;
}

static int highest_bit(unsigned bits)
{
    int k = 0;
    while (bits >> 1) bits >>= 1, k++;
    return k;
}

/* How curved f is in an unknown: errors of a plain quotient are u |F|/delta, F as large as its
 * terms, and |F''| delta/2, least for sqrt(u) sqrt(|F|/|F''|), the curvature scale. most, bend:
 * largest weighted terms and second derivatives. */
static double curvature_of(double most, double bend)
{
    return most > 0.0 && isfinite(bend) ? (bend > 0.0 ? sqrt(most / bend) : DBL_MAX) : 0.0;
}

/* Remembers the increments that the values of a group are from; those of entries that nothing
 * settled do not count. If all are from two quotients that agree, one will do. */
static void remember_group(Jacobian *jac, int group, const double *f0)
{
    Ladder *l = jac->ladder;
    Group g = group_of(jac, &group);
    unsigned used = 0;
    int linear = RUNGS;
    for (int c = 0; c < g.n; c++) {
        double most = 0.0, bend = 0.0;
        for (int e = 0, n = column_length(jac->shape, g.column[c]), i; e < n; e++) {
            column_entry(jac->shape, g.column[c], e, &i);
            const LadderEntry *entry = &l->entry[i];
            unsigned rest = entry->used & (entry->used - 1u);
            bool is_plain = entry->is_settled && rest && !(rest & (rest - 1u));
            int k = is_plain ? highest_bit(entry->used) : 0;
            used |= entry->is_settled ? entry->used : 0u;
            if (k < linear) linear = k;
            double terms = larger(larger(l->terms[i], fabs(f0[i])), l->noise[i] / UROUND);
            most = larger(most, terms * jac->weight[i]);
            bend = larger(bend, entry->bend * jac->weight[i]);
        }
        jac->curvature[g.column[c]] = curvature_of(most, bend);
    }
    l->plan[group] = (uint16_t)used;
    l->linear[group] = (uint8_t)linear;
}

/* All entries of a group: by the increments that settled them the last time, by narrower ones if
 * these do not, and by the narrow one at last. */
static EvalStatus one_group(Solver *s, Jacobian *jac, const DifferencePoint *p, int group, const double *f0,
                            bool all, bool near)
{
    Group g = group_of(jac, &group);
    Taken taken = { .n = 0 };
    unsigned wide = jac->ladder->plan[group] & ~1u, bits = all || !wide ? ~0u : wide | ((wide & -wide) - 1u);
    if (jac->at.count % LOOK_UP == 0) bits |= wide << 1;
    bool settled;
    EvalStatus status = descend(s, jac, p, g, bits, f0, &taken, &settled);
    if (status == EVAL_OK && !settled && !jac->ladder->tried_noise) {
        begin_noise(s, jac, p, f0, true);
        if (jac->at.is_noisy) {
            taken.n = 0;
            status = descend(s, jac, p, g, bits, f0, &taken, &settled);
        }
    }
    if (status == EVAL_OK && !settled) {
        status = group_trial(s, jac, p, g, near);
        if (status != EVAL_OK) return status;
        taken.number[taken.n++] = 0;
        for (int e = 0; e < g.n; e++) settle_column(jac, g.column[e], &taken, jac->f, p->y, f0);
    }
    if (status == EVAL_OK) remember_group(jac, group, f0);
    return status;
}

/* ---- groups that stay ------------------------------------------------------------------------ */

static bool is_kept(const Ladder *l, int group) { return l->linear[group] && l->same[group] >= SETTLED; }

/* Moves the unknowns of kept groups, and foretells what that does to f. */
static void move_kept(Jacobian *jac, const DifferencePoint *p, const double *f0)
{
    Ladder *l = jac->ladder;
    for (int i = 0; i < jac->shape->n; i++) {
        l->foretold[i] = 0.0;
        l->blur[i] = fmax(UROUND * fmax(fabs(f0[i]), l->terms[i]), l->noise[i]);
    }
    for (int group = 0; group < group_count(jac); group++) {
        if (!is_kept(l, group)) continue;
        Group g = group_of(jac, &group);
        set_rung(jac, g, l->linear[group]);
        group_move(jac, p, g, l->rung[l->linear[group]]);
        for (int c = 0; c < g.n; c++)
            for (int e = 0, j = g.column[c], n = column_length(jac->shape, j), i; e < n; e++) {
                double part = l->before[column_entry(jac->shape, j, e, &i)] * (jac->y[j] - p->y[j]);
                l->foretold[i] += part;
                l->blur[i] = fmax(l->blur[i], UROUND * fabs(part));
            }
    }
}

/* Forgets that groups are as they were, or takes over what they were. */
static void end_keeping(Jacobian *jac, bool holds)
{
    Ladder *l = jac->ladder;
    for (int group = 0; group < group_count(jac); group++) {
        if (!is_kept(l, group)) continue;
        if (!holds) l->same[group] = 0;
        Group g = group_of(jac, &group);
        for (int c = 0; c < g.n && holds; c++)
            for (int e = 0, j = g.column[c], n = column_length(jac->shape, j), i; e < n; e++) {
                size_t at = column_entry(jac->shape, j, e, &i);
                jac->values[at] = l->before[at];
            }
    }
}

/* Takes over the groups that did not change for some time, if one evaluation with all of them moved
 * says that they still did not. */
static bool keep_groups(Solver *s, Jacobian *jac, const DifferencePoint *p, const double *f0)
{
    Ladder *l = jac->ladder;
    int count = 0;
    for (int group = 0; group < group_count(jac); group++) count += is_kept(l, group);
    if (count < 2) return false;
    move_kept(jac, p, f0);
    bool holds = difference_f(s, jac, p, l->f) == EVAL_OK;
    for (int i = 0; i < jac->shape->n && holds; i++)
        holds = fabs(l->f[i] - f0[i] - l->foretold[i]) <= NOISE * l->blur[i];
    memcpy(jac->y, p->y, (size_t)s->n * sizeof(double));
    end_keeping(jac, holds);
    return holds;
}

/* Whether the values of a column are those of the last Jacobian but for rounding errors. */
static bool is_same(const Jacobian *jac, int j, double h, const DifferencePoint *p, const double *f0)
{
    const Ladder *l = jac->ladder;
    for (int e = 0, n = column_length(jac->shape, j), i; e < n; e++) {
        size_t at = column_entry(jac->shape, j, e, &i);
        double value = jac->values[at], terms = fmax(fmax(fabs(f0[i]), l->terms[i]), fabs(value * p->y[j]));
        double may = fmax(EXACT * fabs(value), NOISE * fmax(UROUND * terms, l->noise[i]) / fabs(h));
        if (!(fabs(value - l->before[at]) <= may)) return false;
    }
    return true;
}

/* After all groups: which linear ones are as they were. */
static void compare_groups(Jacobian *jac, const DifferencePoint *p, const double *f0)
{
    Ladder *l = jac->ladder;
    for (int group = 0; group < group_count(jac); group++) {
        Group g = group_of(jac, &group);
        bool same = l->linear[group];
        if (same) set_rung(jac, g, l->linear[group]);
        for (int c = 0; c < g.n && same; c++)
            same = is_same(jac, g.column[c], l->rung[l->linear[group]][g.column[c]], p, f0);
        l->same[group] = !same ? 0 : l->same[group] < UINT8_MAX ? (uint8_t)(l->same[group] + 1) : UINT8_MAX;
    }
}

/* ---- second differences ---------------------------------------------------------------------- */

/* The same from one second difference. */
static void learn_column(Jacobian *jac, int j, const double *f0)
{
    const Ladder *l = jac->ladder;
    double most = 0.0, bend = 0.0, wide = l->rung[1][j], narrow = jac->delta[j];
    for (int e = 0, n = column_length(jac->shape, j), i; e < n; e++) {
        double q = jac->values[column_entry(jac->shape, j, e, &i)];
        double differ = fabs((l->f[i] - f0[i]) / wide - q);
        double blur = fmax(UROUND * l->terms[i], l->noise[i]);
        double second = differ > NOISE * blur / fabs(narrow) ? 2.0 * differ / fabs(wide - narrow) : 0.0;
        most = fmax(most, blur / UROUND * jac->weight[i]);
        bend = fmax(bend, second * jac->weight[i]);
    }
    jac->curvature[j] = curvature_of(most, bend);
}

static EvalStatus second_differences(Solver *s, Jacobian *jac, const DifferencePoint *p, const double *f0)
{
    EvalStatus status = EVAL_OK;
    find_terms(s, jac, p, f0);
    for (int k = 0; k < group_count(jac) && status == EVAL_OK; k++) {
        Group g = group_of(jac, &k);
        set_second(jac, g);
        group_move(jac, p, g, jac->ladder->rung[1]);
        status = difference_f(s, jac, p, jac->ladder->f);
        for (int e = 0; e < g.n && status == EVAL_OK; e++) learn_column(jac, g.column[e], f0);
        if (status == EVAL_RETRY) status = EVAL_OK;
        group_back(jac, p, g);
    }
    return status;
}

/* ---- which of these -------------------------------------------------------------------------- */

/* Whether the last Jacobian served badly, since Newton's method failed on it, or crept, or wants
 * another one in the same step. */
static bool is_poor(const Solver *s, const Jacobian *jac)
{
    long steps = s->stats.steps - jac->at.steps;
    if (jac->at.count == 0) return false;
    return s->stats.rejected_newton > jac->at.rejected || steps == 0 ||
           (steps == 1 && s->stats.newton - jac->at.newton >= SLOW_NEWTON);
}

/* Whether all that is beyond one evaluation a colour stays below a share of the run with this many
 * more; the first Jacobian is free. */
static bool affords(const Solver *s, const Jacobian *jac, int more)
{
    double share = s->options.increment_share > 0.0 ? s->options.increment_share : SHARE;
    double groups = group_count(jac), spent = (double)(s->stats.f + s->stats.f_jacobian);
    if (jac->shape->n > LEARN_UNASKED) return false;
    return share >= 1.0 || (double)jac->at.extra + more * groups <= RUNGS * groups + share * spent;
}

EvalStatus ladder_differences(Solver *s, Jacobian *jac, const DifferencePoint *p, const double *f0,
                              const IncrementInput *in, bool near)
{
    const Ladder *l = jac->ladder;
    long since = jac->at.count - jac->at.learnt, spent = s->stats.f_jacobian;
    bool poor = is_poor(s, jac), again = jac->at.learnt == 0 || since >= (poor ? LEARN_GAP : LEARN_AGAIN);
    bool all = again && affords(s, jac, RUNGS), several = all || affords(s, jac, 1);
    bool learn = again && poor && !several, trusts = !all && !poor && jac->at.count % LOOK_UP;
    EvalStatus status = EVAL_OK;
    begin_ladders(jac, in, several);
    begin_noise(s, jac, p, f0, learn || (several && jac->at.is_noisy));
    bool keeps = !all && !poor && keep_groups(s, jac, p, f0);
    for (int k = 0; k < group_count(jac) && status == EVAL_OK; k++) {
        if (keeps && is_kept(l, k)) continue;
        if (trusts && l->linear[k] && is_still_linear(s, jac, p, k, f0, &status)) continue;
        if (status == EVAL_FATAL) break;
        status = several ? one_group(s, jac, p, k, f0, all, near)
                         : group_differences(s, jac, p, group_of(jac, &k), f0, near);
    }
    if (status == EVAL_OK && learn) status = second_differences(s, jac, p, f0);
    if (status == EVAL_OK && several) find_terms(s, jac, p, f0);
    if (status == EVAL_OK) compare_groups(jac, p, f0);
    jac->at.extra += s->stats.f_jacobian - spent - group_count(jac);
    jac->at.is_careful = several;
    if (all || learn) jac->at.learnt = jac->at.count + 1, s->stats.learnt++;
    return status;
}
