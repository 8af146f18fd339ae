/* event_iteration.c: solves for continuous variables, relations and discrete variables of one
 * instance at an event, with pre values held, until they are consistent.
 *
 * The result satisfies every relation, but for ties: two sides that are equal within rounding
 * errors. A relation within its tie has an event as soon as it leaves the tie (run_set_bias), and
 * so does one that came back to its old value within the rounding of time. Cost: one evaluation a
 * pass, and at most 2^MOST_TRIED at the end. Tests: tests/gen/event_test.c,
 * tests/gen/mixed_test.c. */
#include "run/inside.h"

#include <math.h>
#include <stdio.h>

enum { MOST_PASSES = 200, MOST_SEEN = 256, MOST_TRIED = 12 };
enum { MOST_LEARNT = 5 };
enum { MOST_VAIN = 128 };        /* patterns in a row from the first on with which nothing can be solved */
static const double TIE = 1e-10; /* of the largest difference that a relation had, */
static const double LEAST_REACH = 1e-4; /* which is this much of a nominal value at least */

static const double NOISE = 0x1p-46; /* of that, and of a nominal value */

/* Relations are constants while equations are solved. First all wrong ones change at once; this is
 * exact, so that values which are equal by the model's intent count as equal. When a pattern of
 * relations repeats, the cause is either a tie, and then the relation stays what it is, or a
 * complementarity problem. For the latter only the first wrong relation changes (Murty's least
 * index rule, which ends for ideal diodes and friction). At last all patterns of the relations that
 * moved are tried. A pattern without a solution is skipped. */
typedef enum { AGREE, AGAIN, FAILED } Outcome;

typedef struct {
    RunInstance *i;
    bool is_initial, changed;
    RunStatus status; /* of the last evaluation */
} EventIteration;

/* ---- relations ------------------------------------------------------------------------------- */

/* What may be rounding between two sides that are equal. */
static double noise_of(const RunInstance *i, uint32_t k)
{
    uint32_t v = i->m->relation_var[k];
    return NOISE * fmax(i->reach[k], v == NONE ? 0 : i->memory[MEM_NOMINAL][v]);
}

/* How near to each other the two sides of a relation are to be equal. */
static double tie_of(const RunInstance *i, uint32_t k)
{
    uint32_t v = i->m->relation_var[k];
    return TIE * fmax(i->reach[k], v == NONE ? 0 : LEAST_REACH * i->memory[MEM_NOMINAL][v]);
}

static bool is_wrong(const RunInstance *i, uint32_t k, bool ties_hold)
{
    if (i->memory[MEM_RELATION][k] == i->memory[MEM_LIVE][k]) return false;
    uint32_t at = i->m->indicator_of[k];
    return !ties_hold || at == NONE || !(fabs(i->memory[MEM_INDICATOR][at]) <= tie_of(i, k));
}

void run_note_reach(RunInstance *i)
{
    for (uint32_t k = 0; k < i->m->relation_count; k++) {
        uint32_t at = i->m->indicator_of[k];
        double g = at == NONE ? 0 : fabs(i->memory[MEM_INDICATOR][at]);
        if (g > i->reach[k] && g <= 1e100) i->reach[k] = g;
    }
}

/* Whether relations have changed; they take their new value: all of them, or the first one only. */
static bool take_relations(RunInstance *i, bool ties_hold, bool only_first)
{
    bool changed = false;
    for (uint32_t k = 0; k < i->m->relation_count && !(changed && only_first); k++) {
        if (!is_wrong(i, k, ties_hold)) continue;
        i->memory[MEM_RELATION][k] = i->memory[MEM_LIVE][k];
        i->moved[k] = 1;
        changed = true;
    }
    return changed;
}

RunStatus run_set_relations(RunInstance *i)
{
    RunStatus status = run_call(i, i->m->relations);
    take_relations(i, false, false);
    return status;
}

RunStatus run_set_bias(RunInstance *i)
{
    RunStatus status = i->m->relation_count ? run_call(i, i->m->relations) : RUN_OK;
    if (status == RUN_OK && i->m->indicator_count) status = run_call(i, i->m->indicators);
    for (uint32_t k = 0; k < i->m->relation_count; k++) {
        uint32_t at = i->m->indicator_of[k];
        double held = i->memory[MEM_RELATION][k];
        if (at == NONE) continue;
        bool came_back = i->now.repeats && held != i->before[k];
        double g = fabs(i->memory[MEM_INDICATOR][at]), tie = tie_of(i, k), noise = noise_of(i, k);
        bool is_tie = came_back && g <= tie;
        bool is_clear = held == i->memory[MEM_LIVE][k] && !is_tie;
        double bias = !is_clear ? 2 * tie : g <= noise ? 2 * noise : 0;
        i->bias[at] = held != 0 ? -bias : bias;
    }
    return status;
}

/* ---- passes ---------------------------------------------------------------------------------- */

bool run_take_discrete(RunInstance *i, double *kept)
{
    const RunModel *m = i->m;
    bool changed = false;
    for (uint32_t k = 0; k < m->discrete_count; k++) {
        uint32_t v = m->discrete_vars[k];
        changed |= kept[v] != i->memory[MEM_VALUE][v];
        kept[v] = i->memory[MEM_VALUE][v];
    }
    return changed;
}

static bool evaluate(EventIteration *s)
{
    RunInstance *i = s->i;
    s->status = s->is_initial ? run_program(i, &i->m->initial, true) : run_everything(i, true);
    if (s->is_initial && s->status == RUN_OK) s->status = run_histories_start(i);
    if (s->status == RUN_OK) s->status = run_call(i, i->m->relations);
    if (s->status == RUN_OK) s->status = run_call(i, i->m->indicators);
    if (s->status == RUN_OK) run_note_reach(i);
    return s->status == RUN_OK;
}

/* Discrete variables from relations and continuous ones; whether one has changed. */
static bool compute_discrete(EventIteration *s)
{
    RunInstance *i = s->i;
    run_take_discrete(i, i->memory[MEM_TANGENT]);
    s->status = run_call(i, i->m->discrete);
    return run_take_discrete(i, i->memory[MEM_TANGENT]);
}

static uint64_t pattern_hash(const RunInstance *i)
{
    const RunModel *m = i->m;
    uint64_t h = 1469598103934665603u, bits;
    for (uint32_t k = 0; k < m->relation_count; k++)
        h = (h ^ (i->memory[MEM_RELATION][k] != 0)) * 1099511628211u;
    for (uint32_t k = 0; k < m->discrete_count; k++) {
        memcpy(&bits, &i->memory[MEM_VALUE][m->discrete_vars[k]], sizeof bits);
        h = (h ^ bits) * 1099511628211u;
        h ^= h >> 29;
    }
    return h;
}

/* Where equations at the start have no solution, what was computed before them may say that their
 * relations are others; all begins again with these. */
static bool learn(EventIteration *s)
{
    RunInstance *i = s->i;
    if (!s->is_initial || run_call(i, i->m->relations) != RUN_OK) return false;
    bool changed = take_relations(i, false, false);
    memcpy(i->memory[MEM_VALUE], i->kept, i->m->var_count * sizeof *i->kept);
    return changed;
}

/* AGAIN: a pattern came back, or there was no end. */
static Outcome pass_by_pass(EventIteration *s, bool ties_hold, bool only_first)
{
    uint64_t seen[MOST_SEEN];
    uint32_t learnt = 0;
    for (uint32_t n = 0; n < MOST_PASSES; n++) {
        while (!evaluate(s))
            if (learnt++ == MOST_LEARNT || !learn(s)) return FAILED;
        bool again = take_relations(s->i, ties_hold, only_first);
        if (n == 0 && !ties_hold)
            memcpy(s->i->sided, s->i->memory[MEM_RELATION], s->i->m->relation_count * sizeof(double));
        again |= compute_discrete(s);
        if (s->status != RUN_OK) return FAILED;
        if (!again) return AGREE;
        s->changed = true;
        seen[n] = pattern_hash(s->i);
        for (uint32_t k = 0; k < n; k++)
            if (seen[k] == seen[n]) return AGAIN;
    }
    return AGAIN;
}

/* ---- all patterns ---------------------------------------------------------------------------- */

/* Those that moved come first, and so are tried most. */
static uint32_t list_moved(const RunInstance *i, uint32_t *list)
{
    uint32_t n = 0;
    for (int others = 0; others < 2; others++)
        for (uint32_t k = 0; k < i->m->relation_count && n < MOST_TRIED; k++)
            if (i->m->indicator_of[k] != NONE && i->moved[k] != others) list[n++] = k;
    return n;
}

static bool pattern_holds(EventIteration *s)
{
    RunInstance *i = s->i;
    memcpy(i->memory[MEM_VALUE], i->kept, i->m->var_count * sizeof(double));
    compute_discrete(s);
    for (int round = 0; round < 4; round++) {
        if (s->status != RUN_OK || !evaluate(s)) return false;
        for (uint32_t k = 0; k < i->m->relation_count; k++)
            if (is_wrong(i, k, true)) return false;
        if (!compute_discrete(s)) return s->status == RUN_OK;
    }
    return false;
}

static bool try_all(EventIteration *s)
{
    uint32_t list[MOST_TRIED], n = list_moved(s->i, list);
    double *relation = s->i->memory[MEM_RELATION];
    bool is_vain = true; /* it is not the relations then */
    for (uint32_t code = 1; code <= 1u << n && !(is_vain && code > MOST_VAIN); code++) {
        if (pattern_holds(s)) return true;
        is_vain &= s->status != RUN_OK;
        uint32_t bit = 0;
        while (!(code >> bit & 1)) bit++;
        if (bit < n) relation[list[bit]] = relation[list[bit]] == 0;
    }
    return false;
}

/* ---- all of it ------------------------------------------------------------------------------- */

RunStatus run_not_converged(RunInstance *i)
{
    char names[200] = "";
    size_t used = 0;
    double t = i->memory[MEM_MODE][MODE_TIME];
    for (uint32_t k = 0; k < i->m->relation_count && used < 120; k++)
        if (i->moved[k])
            used +=
                (size_t)snprintf(names + used, sizeof names - used, "%s'%.60s'", used ? ", " : "",
                                 i->m->relation_var[k] == NONE ? "time" : i->m->name[i->m->relation_var[k]]);
    run_take_discrete(i, i->memory[MEM_TANGENT]);
    bool is_known = !used && run_call(i, i->m->discrete) == RUN_OK;
    for (uint32_t k = 0; is_known && k < i->m->discrete_count; k++) {
        uint32_t v = i->m->discrete_vars[k];
        if (i->memory[MEM_TANGENT][v] == i->memory[MEM_VALUE][v]) continue;
        used += (size_t)snprintf(names + used, sizeof names - used, "'%.60s'", i->m->name[v]);
        run_fail(i, RUN_FATAL, "at time %.10g: discrete variables keep changing, %s among them", t, names);
        run_add_source(i, SOURCE_VARIABLE | v);
        return RUN_FATAL;
    }
    if (!used) return run_fail(i, RUN_FATAL, "at time %.10g: discrete variables keep changing", t);
    run_fail(i, RUN_FATAL, "at time %.10g: relations keep changing, those about %s; no values agree", t,
             names);
    for (uint32_t k = 0; k < i->m->relation_count; k++) {
        if (!i->moved[k] || i->m->relation_var[k] == NONE) continue;
        run_add_source(i, SOURCE_VARIABLE | i->m->relation_var[k]);
        break;
    }
    return RUN_FATAL;
}

/* No pattern agrees while pre values are held: a clutch that breaks loose is stuck by what it was,
 * and not by what it does. Then the relations as they were found first count for this round, and
 * pre values move on. */
static bool move_on(EventIteration *s)
{
    RunInstance *i = s->i;
    memcpy(i->memory[MEM_RELATION], i->sided, i->m->relation_count * sizeof(double));
    memcpy(i->memory[MEM_VALUE], i->kept, i->m->var_count * sizeof(double));
    compute_discrete(s);
    if (s->status != RUN_OK || !evaluate(s)) return false;
    i->now.is_open = true;
    i->now.ties_hold = false;
    return true;
}

RunStatus run_iterate_event(RunInstance *i, bool is_initial, bool *changed)
{
    EventIteration s = { .i = i, .is_initial = is_initial };
    bool had_sides = !i->now.ties_hold;
    i->now.is_open = false;
    memset(i->moved, 0, i->m->relation_count);
    memcpy(i->kept, i->memory[MEM_VALUE], i->m->var_count * sizeof *i->kept);
    Outcome outcome = i->now.ties_hold ? AGAIN : pass_by_pass(&s, false, false);
    if (outcome == AGAIN) {
        if (!i->now.ties_hold)
            memcpy(i->memory[MEM_RELATION], i->sided, i->m->relation_count * sizeof(double));
        i->now.ties_hold = true;
        compute_discrete(&s);
        outcome = pass_by_pass(&s, true, false);
    }
    if (outcome == AGAIN) outcome = pass_by_pass(&s, true, true);
    *changed = s.changed;
    if (outcome == AGREE) return RUN_OK;
    RunStatus status = s.status;
    if (!i->now.is_quick && (outcome == AGAIN || s.changed || is_initial)) {
        char first[sizeof i->message];
        memcpy(first, i->message, sizeof first);
        *changed = i->now.is_trying = true;
        bool holds = try_all(&s);
        i->now.is_trying = false;
        if (holds) return RUN_OK;
        if (outcome == AGAIN && !is_initial && had_sides && move_on(&s)) return RUN_OK;
        memcpy(i->message, first, sizeof first);
    }
    if (outcome == FAILED) return status;
    status = run_not_converged(i);
    return i->now.is_quick ? RUN_RETRY : status;
}
