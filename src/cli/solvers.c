/* solvers.c: `acausal solvers`: the integrators, with what each can do. */
#include "cli/cli.h"

#include <errno.h>
#include <string.h>

static void print_json(const AcausalSolverInfo *info)
{
    printf("{\"name\":\"%s\",\"family\":\"%s\",\"order\":%d,\"order_most\":%d,\"dense_order\":%d,"
           "\"properties\":\"%s\","
           "\"summary\":\"%s\",\"reference\":\"%s\",\"lacks\":\"%s\"}\n",
           info->name, info->family, info->order, info->order_most, info->dense_order, info->properties,
           info->summary, info->reference, info->lacks);
}

static void print_text(const AcausalSolverInfo *info, const char *family, bool with_reference)
{
    char order[32];
    if (strcmp(family, info->family)) {
        printf("%s%s", *family ? "\n" : "", info->family);
        if (*info->lacks) printf(", for comparison; they lack: %s", info->lacks);
        printf("\n");
    }
    snprintf(order, sizeof order, info->order_most > info->order ? "%d to %d" : "%d", info->order,
             info->order_most);
    printf("  %-15s order %-8s dense %d  %s\n", info->name, order, info->dense_order, info->summary);
    printf("  %15s %s\n", "", info->properties);
    if (with_reference) printf("  %15s %s\n", "", info->reference);
}

static const char *solver_name(size_t i)
{
    AcausalSolverInfo info = { .size = sizeof info };
    return acausal_solver_info(i, &info) ? info.name : NULL;
}

/* To a .svg or .png file. */
static AcausalStatus draw_stability(const Args *args, const char *path)
{
    const char *dot = strrchr(path, '.');
    bool is_png = dot && !strcmp(dot, ".png");
    size_t order = 0;
    if (args->word_count == 0) return usage_error(args->command, "--svg needs the name of an integrator");
    if (!args_size(args, "--order", 1, &order)) return ACAUSAL_USAGE;
    AcausalSession *session = acausal_session_new();
    FILE *file = session ? fopen(path, "wb") : NULL;
    AcausalStability what = { .size = sizeof what, .solver = args->words[0], .order = (int)order };
    AcausalStatus status = ACAUSAL_WRONG;
    if (file)
        status =
            acausal_draw_stability(session, &what, is_png ? ACAUSAL_PNG : ACAUSAL_SVG, write_to_file, file);
    if ((file && fclose(file)) || !file) {
        fprintf(stderr, "acausal solvers: %s: %s\n", path, strerror(errno));
        status = ACAUSAL_WRONG;
    }
    if (session) show_diagnostics(args, session);
    if (file && status != ACAUSAL_DONE) remove(path);
    acausal_session_free(session);
    return status;
}

static AcausalStatus run_solvers(const Args *args)
{
    if (args_has(args, "--svg")) return draw_stability(args, args_value(args, "--svg"));
    if (args_has(args, "--order")) return usage_error(args->command, "--order is for --svg");
    const char *family = "";
    bool found = args->word_count == 0;
    for (size_t i = 0; i < acausal_solver_count(); i++) {
        AcausalSolverInfo info = { .size = sizeof info };
        acausal_solver_info(i, &info);
        if (args->word_count && strcmp(args->words[0], info.name)) continue;
        found = true;
        if (args->json)
            print_json(&info);
        else
            print_text(&info, family, args->word_count > 0);
        family = info.family;
    }
    if (found) return ACAUSAL_DONE;
    return unknown_word(args->command, "integrator", args->words[0], solver_name);
}

static const Option options[] = {
    { "--svg", "FILE",
      "draws its stability region, and its order star, as .svg or .png; NAME may be a tableau's file" },
    { "--order", "N", "of linear multistep methods: only this one" },
};

const Command command_solvers = {
    .name = "solvers",
    .usage = "[NAME]",
    .summary = "Lists the integrators, with what each can do",
    .about = "With a name, only that one, and where it is published.\n\n  acausal solvers\n  acausal solvers "
             "radau5\n  acausal solvers radau5 --svg radau5.svg\n",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .run = run_solvers,
    .word = solver_name,
};
