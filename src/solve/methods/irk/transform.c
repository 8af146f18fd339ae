/* transform.c: the loops of Newton's iteration of collocation methods, from stages to the
 * eigenvectors of A^-1 and back.
 *
 * In: stages z and right-hand sides there; out: the right-hand sides of one real system, if the
 * number of stages is odd, and of complex ones; from their solutions, new stages. How: four
 * components at once, all stages of them, so that each number is read and written once an
 * iteration; numbers of stages that are in use get loops without counters. The last group, which is
 * the only one of few unknowns, is read one by one, as its numbers were written just before.
 * Always: z of what lies after the last component stays as it is. Cost: O(s^2 n). Tests:
 * tests/solve/collocation_test.c, methods_test.c. */
#include "solve/methods/irk/inside.h"

enum { STAGES = COLLOCATION_STAGES };

/* What a loop works on: of these, what its door takes. */
typedef struct {
    const TransformWork *w;
    const Collocation *old;
    double *const *v;
    double scale;
    const double *x, *from, *weight; /* x: by stage */
    double *out;
} Task;

INLINE Four load(const double *v, bool is_last) { return is_last ? fresh_four_at(v) : four_at(v); }

INLINE void load_stages(int s, double *const *v, int k, bool is_last, Four *to)
{
    for (int i = 0; i < s; i++) to[i] = load(v[i] + k, is_last);
}

/* loop(task) calls group(is_wide, s, task, k, is_last, sum) for components k to k + 3, with the
 * number of stages and the flags as constants, and returns what they add up to in sum. */
#define LOOP(loop, group)                                                                    \
    INLINE double loop##_of(bool is_wide, int s, const Task *task)                           \
    {                                                                                        \
        Sum sum = { 0 };                                                                     \
        int k = 0;                                                                           \
        for (; k + 4 < task->w->n; k += 4) group(is_wide, s, task, k, false, &sum);          \
        group(is_wide, s, task, k, true, &sum);                                              \
        return four_sum(sum_so_far(is_wide, &sum));                                          \
    }                                                                                        \
    INLINE double loop##_any(bool is_wide, const Task *task)                                 \
    {                                                                                        \
        switch (task->w->method->s) {                                                        \
        case 1: return loop##_of(is_wide, 1, task);                                          \
        case 2: return loop##_of(is_wide, 2, task);                                          \
        case 3: return loop##_of(is_wide, 3, task);                                          \
        case 5: return loop##_of(is_wide, 5, task);                                          \
        case 7: return loop##_of(is_wide, 7, task);                                          \
        default: return loop##_of(is_wide, task->w->method->s, task);                        \
        }                                                                                    \
    }                                                                                        \
    static double loop##_plain(const Task *task) { return loop##_any(false, task); }         \
    WIDE_LOOP static double loop##_wide(const Task *task) { return loop##_any(true, task); } \
    static double loop(const Task *task) { return (PROCESSOR_IS_WIDE ? loop##_wide : loop##_plain)(task); }

INLINE void slopes(bool is_wide, int s, const Task *task, int k, bool is_last, Sum *sum)
{
    Four z[STAGES] = { { 0.0 } };
    (void)sum, (void)is_last;
    load_stages(s, task->w->z, k, false, z);
    for (int i = 0; i < s; i++)
        group_to(is_wide, task->v[i] + k, four_row_times(is_wide, s, task->w->method->four.inverse[i], z));
}
LOOP(all_slopes, slopes)

void transform_slopes(const TransformWork *w, double *const *v) { all_slopes(&(Task){ .w = w, .v = v }); }

/* From the polynomial of another method with s_old stages. */
INLINE void go_on(bool is_wide, int s, int s_old, const Task *task, int k, bool is_last)
{
    Four z[STAGES] = { { 0.0 } }, d[STAGES] = { { 0.0 } }, y = load(task->from + k, is_last);
    load_stages(s_old, task->v, k, false, z);
    for (int p = 0; p < s_old; p++) d[p] = four_row_times(is_wide, s_old, task->old->four.ahead[p], z);
    for (int i = 0; i < s; i++) {
        Four change = d[s_old - 1];
        for (int p = s_old - 2; p >= 0; p--) change = d[p] + task->x[i] * change;
        change *= task->x[i];
        group_to(is_wide, task->w->z[i] + k, change);
        group_to(is_wide, task->w->stage[i] + k, y + change);
    }
}

INLINE void prediction(bool is_wide, int s, const Task *task, int k, bool is_last, Sum *sum)
{
    (void)sum;
    go_on(is_wide, s, s, task, k, is_last);
}
LOOP(predict, prediction)

INLINE void other_prediction(bool is_wide, int s, const Task *task, int k, bool is_last, Sum *sum)
{
    (void)sum;
    go_on(is_wide, s, task->old->s, task, k, is_last);
}
LOOP(predict_from_other, other_prediction)

void transform_predict(const TransformWork *w, const Collocation *old, double *const *z_old, double ratio,
                       const double *y)
{
    double x[STAGES];
    Task task = { .w = w, .old = old, .v = z_old, .x = x, .from = y };
    for (int i = 0; i < w->method->s; i++) x[i] = w->method->c[i] * ratio;
    if (w->method->s == old->s)
        predict(&task);
    else
        predict_from_other(&task);
}

INLINE void weighted_sum(bool is_wide, int s, const Task *task, int k, bool is_last, Sum *sum)
{
    Four z[STAGES] = { { 0.0 } };
    (void)sum;
    load_stages(s, task->w->z, k, false, z);
    Four out = task->x[0] * z[0];
    for (int i = 1; i < s; i++) out += task->x[i] * z[i];
    if (task->from) out += load(task->from + k, is_last);
    group_to(is_wide, task->out + k, out);
}
LOOP(sum_stages, weighted_sum)

void transform_sum(const TransformWork *w, const double *weight, double scale, const double *from,
                   double *out)
{
    double x[STAGES];
    Task task = { .w = w, .x = x, .from = from, .out = out };
    for (int i = 0; i < w->method->s; i++) x[i] = scale * weight[i];
    sum_stages(&task);
}

/* 0 times each of the numbers that count: 0 if they are finite, else NaN. */
INLINE void add_noughts(bool is_wide, int s, const Four *r, int n, bool is_last, Sum *sum)
{
    Four noughts = r[0] * 0.0;
    for (int i = 1; i < s; i++) noughts += r[i] * 0.0;
    if (is_last) noughts = (Four)((Bits)noughts & four_in_range(n));
    sum_add(is_wide, sum, noughts);
}

INLINE void put_sides(bool is_wide, int s, const TransformWork *w, int k, const Four *d)
{
    const Four(*ti)[STAGES] = (const Four(*)[STAGES])w->method->four.ti;
    if (s % 2) group_to(is_wide, w->real + k, four_row_times(is_wide, s, ti[0], d));
    for (int p = 0, at = s % 2; p < s / 2; p++, at += 2) {
        Four re = four_row_times(is_wide, s, ti[at], d), im = four_row_times(is_wide, s, ti[at + 1], d);
        group_to(is_wide, w->pairs[p] + 2 * k, (Four){ re[0], im[0], re[1], im[1] });
        group_to(is_wide, w->pairs[p] + 2 * k + 4, (Four){ re[2], im[2], re[3], im[3] });
    }
}

INLINE void sides(bool is_wide, int s, const Task *task, int k, bool is_last, Sum *sum)
{
    const TransformWork *w = task->w;
    Four z[STAGES] = { { 0.0 } }, r[STAGES] = { { 0.0 } }, d[STAGES] = { { 0.0 } };
    load_stages(s, w->z, k, false, z);
    for (int i = 0; i < s; i++)
        d[i] = task->scale * four_row_times(is_wide, s, w->method->four.inverse[i], z);
    load_stages(s, w->r, k, is_last, r);
    for (int i = 0; i < s; i++) d[i] = r[i] - d[i];
    add_noughts(is_wide, s, r, w->n - k, is_last, sum);
    put_sides(is_wide, s, w, k, d);
}
LOOP(project, sides)

INLINE void sides_of_defects(bool is_wide, int s, const Task *task, int k, bool is_last, Sum *sum)
{
    Four d[STAGES] = { { 0.0 } };
    load_stages(s, task->w->r, k, is_last, d);
    add_noughts(is_wide, s, d, task->w->n - k, is_last, sum);
    put_sides(is_wide, s, task->w, k, d);
}
LOOP(project_defects, sides_of_defects)

bool transform_project(const TransformWork *w, double inverse_h)
{
    Task task = { .w = w, .scale = inverse_h };
    return (inverse_h == 0.0 ? project_defects(&task) : project(&task)) == 0.0;
}

/* Of pairs, the first or the second numbers. */
INLINE Four half_of_pairs(const double *v, int half, bool is_last)
{
    Four a = four_at(v), b = four_at(v + 4);
    if (is_last) return (Four){ v[half], v[2 + half], v[4 + half], v[6 + half] };
    return (Four){ a[half], a[2 + half], b[half], b[2 + half] };
}

INLINE void load_solutions(int s, const TransformWork *w, int k, bool is_last, Four *u)
{
    if (s % 2) u[0] = load(w->real + k, is_last);
    for (int p = 0, at = s % 2; p < s / 2; p++, at += 2) {
        u[at] = half_of_pairs(w->pairs[p] + 2 * k, 0, is_last);
        u[at + 1] = half_of_pairs(w->pairs[p] + 2 * k, 1, is_last);
    }
}

INLINE void changes(bool is_wide, int s, const Task *task, int k, bool is_last, Sum *sum)
{
    const TransformWork *w = task->w;
    Four u[STAGES] = { { 0.0 } }, y = four_at(task->from + k), weight = four_at(task->weight + k);
    Bits kept = four_in_range(is_last ? w->n - k : 4);
    load_solutions(s, w, k, is_last, u);
    for (int i = 0; i < s; i++) {
        Four change = four_row_times(is_wide, s, w->method->four.t[i], u), z = four_at(w->z[i] + k);
        if (is_last) change = (Four)((Bits)change & kept);
        Four weighted = change * weight; /* squares of either may overflow */
        z += change;
        group_to(is_wide, w->z[i] + k, z);
        group_to(is_wide, w->stage[i] + k, y + z);
        sum_add(is_wide, sum, weighted * weighted);
    }
}
LOOP(apply, changes)

double transform_apply(const TransformWork *w, const double *y, const double *weight)
{
    Task task = { .w = w, .from = y, .weight = weight };
    double share = w->n ? 1.0 / (w->n * w->method->s) : 0.0;
    return apply(&task) * share;
}

INLINE void end_changes(bool is_wide, int s, const Task *task, int k, bool is_last, Sum *sum)
{
    Four u[STAGES] = { { 0.0 } };
    (void)sum;
    load_solutions(s, task->w, k, is_last, u);
    group_to(is_wide, task->out + k, four_row_times(is_wide, s, task->w->method->four.t[s - 1], u));
}
LOOP(change_end, end_changes)

void transform_change_of_end(const TransformWork *w, double *out)
{
    change_end(&(Task){ .w = w, .out = out });
}
