/* plot.c: `acausal plot RESULT NAMES...`: curves as SVG, or in the terminal. */
#include "cli/cli.h"

#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static int terminal_width(void)
{
    struct winsize size;
    if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) || size.ws_col < 30) return 0;
    return size.ws_col > 160 ? 160 : size.ws_col;
}

static AcausalStatus say(const Args *args, AcausalStatus status, const char *why)
{
    fprintf(stderr, "acausal %s: %s\n", args->command->name, why);
    return status;
}

static AcausalStatus plot_to_file(const Args *args, const AcausalResult *result, const AcausalPlot *plot,
                                  const char *path)
{
    char why[400];
    FILE *file = fopen(path, "wb");
    if (!file) {
        snprintf(why, sizeof why, "'%s' cannot be written: %s", path, strerror(errno));
        return say(args, ACAUSAL_WRONG, why);
    }
    AcausalStatus status = acausal_plot_svg(result, plot, write_to_file, file, why, sizeof why);
    bool failed = ferror(file) != 0;
    errno = 0;
    failed |= fclose(file) != 0;
    if (status != ACAUSAL_DONE) {
        remove(path);
        return say(args, status, why);
    }
    if (!failed) return ACAUSAL_DONE;
    snprintf(why, sizeof why, "'%s' could not be written%s%s", path, errno ? ": " : "",
             errno ? strerror(errno) : "");
    return say(args, ACAUSAL_WRONG, why);
}

static AcausalStatus plot_result(const Args *args, const AcausalResult *result)
{
    char why[400];
    size_t width = 0, height = 0;
    const char *path = args_value(args, "-o"), *when = args_value(args, "--color");
    if (!args_size(args, "--width", 40, &width) || !args_size(args, "--height", 5, &height))
        return ACAUSAL_USAGE;
    AcausalPlot plot = { .names = args->words + 1,
                         .count = args->word_count - 1,
                         .x = args_value(args, "--x"),
                         .title = args_value(args, "--title"),
                         .width = (int)(width < 10000 ? width : 10000),
                         .height = (int)(height < 10000 ? height : 10000),
                         .dark = args_has(args, "--dark") };
    if (path) return plot_to_file(args, result, &plot, path);
    plot.colour = args->colour && (isatty(STDOUT_FILENO) || (when && strcmp(when, "auto") != 0));
    if (!plot.width) plot.width = terminal_width();
    AcausalStatus status = acausal_plot_terminal(result, &plot, write_to_file, stdout, why, sizeof why);
    return status == ACAUSAL_DONE ? status : say(args, status, why);
}

static AcausalStatus run_plot(const Args *args)
{
    char why[400];
    const char *path = args_value(args, "-o");
    size_t n = path ? strlen(path) : 0;
    if (args->word_count == 0) return usage_error(args->command, "no result given");
    if (args->word_count == 1) return usage_error(args->command, "no names given; '*' draws everything");
    if (path && (n < 4 || strcmp(path + n - 4, ".svg") != 0))
        return usage_error(args->command, "'-o %s' should end in .svg", path);
    AcausalResult *result = acausal_result_read(args->words[0], why, sizeof why);
    if (!result) return say(args, ACAUSAL_WRONG, why);
    if (acausal_result_is_cut(result) && !args->quiet)
        fprintf(stderr, "acausal plot: '%s' ends inside a row; all rows before it are drawn\n",
                args->words[0]);
    AcausalStatus status = plot_result(args, result);
    acausal_result_free(result);
    return status;
}

static const Option options[] = {
    { "-o", "FILE.svg", "writes a picture; without it the curves are drawn in the terminal" },
    { "--x", "NAME", "the horizontal axis; time if not given" },
    { "--title", "TEXT", "above the picture" },
    { "--width", "N", "pixels, or characters in the terminal" },
    { "--height", "N", "pixels, or characters of each drawing in the terminal" },
    { "--dark", NULL, "a dark background" },
};

const Command command_plot = {
    .name = "plot",
    .usage = "RESULT NAMES...",
    .summary = "Draws signals of a result, as SVG or in the terminal",
    .about =
        "A result is a CSV or MAT file. Names may hold * and ?. Signals with the same unit share a panel.\n\n"
        "  acausal plot ball.csv h v\n"
        "  acausal plot robot.mat 'axis?.phi' -o robot.svg --title 'Six axes'\n"
        "  acausal plot pendulum.csv omega --x phi -o phase.svg\n",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .run = run_plot,
};
