/* bench_scale.c: how translation grows with the model: from Modelica text to code that runs, for
 * some families.
 *
 * In: a family and a number of equations. Out: milliseconds of translation, of its part after the
 * flat model, the process' largest memory, nanoseconds of one evaluation of the right-hand side and
 * of one exact Jacobian. Of small models the least of several rounds counts. The caller runs each
 * row in a process of its own, since memory is the largest ever. Tests: tests/cli/bench.sh. */
#include "api/inside.h"
#include "bench/runs/runs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct {
    const char *name;
    unsigned each;      /* equations of a cell */
    bool is_square;     /* cells in rows and columns */
    const char *format; /* of the text: cells, or cells of a side */
} Family;

static const Family families[] = {
    { "chain", 3, false,
      "model Scale \"masses between springs\"\n"
      "  parameter Integer n = %u;\n  parameter Real m = 1, c = 100, d = 0.5;\n"
      "  Real s[n](each start = 0, each fixed = true), v[n](each start = 0, each fixed = true), f[n];\n"
      "equation\n  f[1] = c*(sin(time) - s[1]) - d*v[1];\n"
      "  for i in 2:n loop\n    f[i] = c*(s[i-1] - s[i]) + d*(v[i-1] - v[i]);\n  end for;\n"
      "  for i in 1:n loop\n    der(s[i]) = v[i];\n"
      "    m*der(v[i]) = if i < n then f[i] - f[min(i+1, n)] else f[i];\n  end for;\nend Scale;\n" },
    { "ladder", 2, false,
      "model Scale \"resistors and capacitors\"\n"
      "  parameter Integer n = %u;\n  parameter Real R = 1, C = 1;\n"
      "  Real v[n](each start = 0, each fixed = true), i[n];\n"
      "equation\n  R*i[1] = 1 - v[1];\n"
      "  for k in 2:n loop\n    R*i[k] = v[k-1] - v[k];\n  end for;\n"
      "  for k in 1:n loop\n    C*der(v[k]) = if k < n then i[k] - i[min(k+1, n)] else i[k];\n  end "
      "for;\nend "
      "Scale;\n" },
    { "heat", 3, true,
      "model Scale \"a plate\"\n"
      "  parameter Integer n = %u;\n  parameter Real k = 2;\n"
      "  Real T[n,n](each start = 20, each fixed = true), p[n,n], q[n,n];\n"
      "equation\n  for i in 1:n loop\n    for j in 1:n loop\n"
      "      p[i,j] = k*((if i > 1 then T[max(i-1, 1),j] else 100) - T[i,j]);\n"
      "      q[i,j] = k*((if j > 1 then T[i,max(j-1, 1)] else 0) - T[i,j]);\n"
      "      der(T[i,j]) = p[i,j] + q[i,j] - (if i < n then p[min(i+1, n),j] else 0) - (if j < n then "
      "q[i,min(j+1, n)] else 0);\n"
      "    end for;\n  end for;\nend Scale;\n" },
    { "brusselator", 2, false,
      "model Scale \"two substances that react and diffuse\"\n"
      "  parameter Integer n = %u;\n  parameter Real a = 1, b = 3, c = (n + 1)^2/50;\n"
      "  Real u[n](each start = 1, each fixed = true), v[n](each start = 3, each fixed = true);\n"
      "equation\n  for i in 1:n loop\n"
      "    der(u[i]) = a + u[i]^2*v[i] - (b + 1)*u[i] + c*((if i > 1 then u[max(i-1, 1)] else 1) - 2*u[i] + "
      "(if i < n then u[min(i+1, n)] else 1));\n"
      "    der(v[i]) = b*u[i] - u[i]^2*v[i] + c*((if i > 1 then v[max(i-1, 1)] else 3) - 2*v[i] + "
      "(if i < n then v[min(i+1, n)] else 3));\n"
      "  end for;\nend Scale;\n" },
    { "rod", 4, false,
      "model Scale \"heat that is set free and conducted, both as the temperature says\"\n"
      "  parameter Integer n = %u;\n  parameter Real k = 1, c = 2;\n"
      "  Real T[n](each start = 300, each fixed = true), l[n], r[n], q[n];\n"
      "equation\n  for i in 1:n loop\n"
      "    l[i] = k*(1 + 0.01*T[i] + 1e-5*T[i]^2);\n    r[i] = 1e3*exp(-1000/T[i]);\n"
      "    q[i] = if i > 1 then 2*l[max(i-1, 1)]*l[i]/(l[max(i-1, 1)] + l[i])*(T[max(i-1, 1)] - T[i]) else "
      "k*(400 - T[i]);\n"
      "    c*der(T[i]) = q[i] - (if i < n then q[min(i+1, n)] else k*T[i]) + r[i];\n"
      "  end for;\nend Scale;\n" },
};

const char *bench_scale_family(size_t i) { return i < COUNT_OF(families) ? families[i].name : NULL; }

static bool write_model(const Family *family, size_t equations, char *path)
{
    int file = mkstemps(path, 3);
    if (file < 0) return false;
    double cells = (double)equations / family->each;
    FILE *out = fdopen(file, "w");
    bool ok = out && fprintf(out, family->format, (unsigned)(family->is_square ? sqrt(cells) : cells)) > 0;
    return out && fclose(out) == 0 && ok;
}

/* The least time of some rounds of about a hundredth of a second: of f, or of a Jacobian in the
 * storage that integrators would take, cleared as they do. */
static double time_of(Model *m, const MatrixShape *shape, const double *y, double *out)
{
    double least = INFINITY;
    for (int round = 0; round < 5; round++) {
        int repeats = 1 + 2000000 / (m->shape.n + 1);
        double start = clock_cpu();
        for (int k = 0; k < repeats; k++) {
            if (shape) memset(out, 0, shape->size * sizeof *out);
            EvalStatus status = shape ? m->type->jacobian(m, 1e-3 * k, y, shape, out)
                                      : m->type->derivatives(m, 1e-3 * k, y, out);
            if (status != EVAL_OK) return NAN;
        }
        least = fmin(least, (clock_cpu() - start) / repeats);
    }
    return least;
}

static void time_code(Model *m, Arena *a, ScaleRow *row)
{
    size_t n = (size_t)m->shape.n;
    double *y = NEW_ARRAY(a, double, n + 1), *f = NEW_ARRAY(a, double, n + 1);
    MatrixShape *shape = matrix_shape(a, m->shape.n, m->shape.pattern);
    double *values = NEW_ARRAY(a, double, shape->size + 1);
    EventInfo info;
    bool ok = m->type->initialise(m, 0, y, &info) == EVAL_OK;
    row->rhs_seconds = ok ? time_of(m, NULL, y, f) : NAN;
    row->jacobian_seconds = ok ? time_of(m, shape, y, values) : NAN;
}

/* One translation; in the last round its code is timed, too. */
static AcausalStatus run_round(const char *path, bool is_last, ScaleRow *row)
{
    Translation t = { 0 };
    AcausalSession *session = acausal_session_new();
    if (!session) return ACAUSAL_BUG;
    double start = clock_wall();
    bool ok = translate(session, path, NULL, NULL, 0, &t);
    row->translate_seconds = fmin(row->translate_seconds, clock_wall() - start);
    row->flat_seconds = fmin(row->flat_seconds, t.structure + t.code);
    AcausalStatus status = ok ? ACAUSAL_DONE : session_status(session);
    if (ok && is_last) {
        row->equations = t.system->stats.equations;
        time_code(t.model, t.arena, row);
    }
    translation_free(&t);
    acausal_session_free(session);
    return status;
}

AcausalStatus run_scale_bench(const char *family, size_t equations, ScaleRow *row)
{
    size_t which = 0;
    while (which < COUNT_OF(families) && strcmp(families[which].name, family) != 0) which++;
    if (which == COUNT_OF(families)) return ACAUSAL_USAGE;
    char path[] = "/tmp/acausal_scale_XXXXXX.mo";
    if (!write_model(&families[which], equations, path)) return ACAUSAL_BUG;
    *row =
        (ScaleRow){ .family = families[which].name, .translate_seconds = INFINITY, .flat_seconds = INFINITY };
    AcausalStatus status = ACAUSAL_DONE;
    size_t rounds = equations < 5000 ? 20 : 1;
    for (size_t k = 0; k < rounds && status == ACAUSAL_DONE; k++)
        status = run_round(path, k + 1 == rounds, row);
    row->peak_bytes = memory_peak();
    remove(path);
    return status;
}
