/* parse.c: `acausal bench parse`: what parsing costs.
 *
 * A generated text at 1, 4 and 16 times its size shows that the cost is linear; the libraries of
 * --lib and are parsed on one thread, and opened without being read (rows "... index"). Each row is
 * measured in a process of its own, so that its peak memory is its own. */
#include "cli/bench.h"

#include "bench/runs/runs.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct {
    AcausalStatus status;
    AcausalParseReport report;
    double peak_mb;
} Figures;

/* A model of `pieces` pieces, about 1 KiB each, that looks like those of libraries: components with
 * modifiers and annotations, equations, documentation. */
static bool write_generated(const char *path, int pieces)
{
    FILE *f = fopen(path, "w");
    if (!f) return false;
    fputs("model Generated \"A text to measure parsers by\"\n", f);
    for (int i = 0; i < pieces; i++)
        fprintf(
            f,
            "  parameter Real k%d(final unit = \"N/m\", min = 0, start = %d.5e-3) = 2 * p.a[%d] \"Stiffness "
            "no. %d\"\n"
            "    annotation(Dialog(tab = \"General\", group = \"Springs\", enable = use_k and not fixed));\n"
            "  replaceable Parts.Spring spring%d(c = k%d, s_rel(fixed = true, start = -%d)) constrainedby "
            "Parts.Base(n = 3)\n"
            "    annotation(Placement(transformation(extent = {{-%d, -10}, {%d, 10}}, rotation = 90)));\n",
            i, i, i % 9 + 1, i, i, i, i % 7, i % 100, i % 100);
    fputs("equation\n", f);
    for (int i = 0; i < pieces; i++)
        fprintf(f,
                "  m * der(v[%d]) = -k%d * (x[%d] - x0) ^ 2 - d * abs(v[%d]) * v[%d] + (if time > %d then "
                "f(u, n = %d) else 0);\n"
                "  connect(spring%d.flange_b, mass[%d].flange_a) annotation(Line(points = {{-%d, 0}, {0, 0}, "
                "{%d, 0}}, color = {0, 127, 0}));\n",
                i, i, i, i, i, i % 10, i, i, i, i % 50, i % 60);
    fputs("  annotation(Documentation(info = \"<html><p>", f);
    for (int i = 0; i < pieces; i++)
        fprintf(f, "Paragraph %d tells what nobody reads, in several words of no interest.\n", i);
    fputs("</p></html>\"));\nend Generated;\n", f);
    return fclose(f) == 0;
}

static Figures measure(const char *path, bool index_only)
{
    Figures figures = { .status = ACAUSAL_BUG, .report = { .size = sizeof figures.report } };
    AcausalSession *session = acausal_session_new();
    if (!session) return figures;
    if (index_only) {
        figures.status = run_index(session, path, &figures.report);
    } else {
        figures.status = acausal_parse(session, &path, 1, 1, &figures.report);
    }
    figures.peak_mb = (double)figures.report.peak_bytes / 1e6;
    acausal_session_free(session);
    return figures;
}

/* Measures in a process of its own. */
static Figures measure_apart(const char *path, bool index_only)
{
    Figures figures = { .status = ACAUSAL_BUG, .report = { .size = sizeof figures.report } };
    int ends[2];
    fflush(NULL);
    if (pipe(ends)) return figures;
    pid_t child = fork();
    if (child == 0) {
        Figures own = measure(path, index_only);
        _exit(write(ends[1], &own, sizeof own) == (ssize_t)sizeof own ? 0 : 1);
    }
    close(ends[1]);
    if (child < 0 || read(ends[0], &figures, sizeof figures) != (ssize_t)sizeof figures)
        figures.status = ACAUSAL_BUG;
    close(ends[0]);
    if (child > 0) waitpid(child, NULL, 0);
    return figures;
}

static Figures add_row(BenchOut *out, const char *name, const char *path, bool index_only)
{
    Figures f = measure_apart(path, index_only);
    bench_cell(out, "%s%s", name, index_only ? " index" : "");
    bench_cell(out, "%zu", f.report.files);
    bench_cell(out, "%zu", f.report.lines);
    bench_cell(out, "%.3f", (double)f.report.bytes / 1e6);
    bench_cell(out, "%.4f", f.report.cpu_seconds);
    bench_cell(out, "%.1f", f.peak_mb);
    bench_end_row(out);
    return f;
}

static AcausalStatus run_generated(BenchOut *out, const char *only)
{
    static const int times[] = { 1, 4, 16 };
    char path[] = "/tmp/acausal-bench-XXXXXX.mo", name[32];
    double per_mb[3] = { 0 };
    int fd = mkstemps(path, 3);
    if (fd < 0) return ACAUSAL_WRONG;
    close(fd);
    AcausalStatus status = ACAUSAL_DONE;
    for (size_t i = 0; i < 3 && status == ACAUSAL_DONE; i++) {
        snprintf(name, sizeof name, "generated-%dx", times[i]);
        if (only && strcmp(only, name) != 0 && strcmp(only, "generated") != 0) continue;
        if (!write_generated(path, 1500 * times[i])) status = ACAUSAL_WRONG;
        Figures f = add_row(out, name, path, false);
        if (f.status != ACAUSAL_DONE) status = f.status;
        per_mb[i] = f.report.cpu_seconds / ((double)f.report.bytes / 1e6);
    }
    if (per_mb[0] > 0 && per_mb[2] > 0)
        bench_remark(out, "MB a second of CPU: %.0f at 1x, %.0f at 4x, %.0f at 16x\n", 1 / per_mb[0],
                     1 / per_mb[1], 1 / per_mb[2]);
    unlink(path);
    return status;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

static AcausalStatus run_library(BenchOut *out, const char *only, const char *path)
{
    char package[4096];
    if (only && strcmp(only, base_name(path)) != 0) return ACAUSAL_DONE;
    Figures f = add_row(out, base_name(path), path, false);
    bench_remark(out, "MB a second of CPU: %.0f\n", (double)f.report.bytes / 1e6 / f.report.cpu_seconds);
    snprintf(package, sizeof package, "%s/package.mo", path);
    if (f.status != ACAUSAL_DONE || access(package, R_OK)) return f.status;
    f = add_row(out, base_name(path), path, true);
    bench_remark(out, "opened without reading in %.1f ms\n", 1e3 * f.report.seconds);
    return f.status;
}

static AcausalStatus run_parse_bench(const Args *args, BenchOut *out)
{
    const char *only = args_value(args, "--only");
    AcausalStatus status = run_generated(out, only);
    for (size_t i = 0; i < args->given_count && status == ACAUSAL_DONE; i++)
        if (!strcmp(args->given[i]->name, "--lib")) status = run_library(out, only, args->values[i]);
    return status;
}

const Bench bench_parse = {
    .name = "parse",
    .about = "what parsing costs: a generated text at 1, 4 and 16 times its size, and the libraries of --lib",
    .columns = "library,files,lines,mb,cpu_s,peak_mb",
    .run = run_parse_bench,
};
