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

static bool has_suffix(const char *text, const char *suffix)
{
    size_t n = strlen(text), m = strlen(suffix);
    return n > m && !strcmp(text + n - m, suffix);
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
    AcausalStatus status = draw_picture(result, plot, picture_for(path), file, why, sizeof why);
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

/* --panels and --log. */
static bool read_words(const Args *args, AcausalPlot *plot)
{
    static const char *const ways[] = { "unit", "one", "each" };
    const char *panels = args_value(args, "--panels"), *log = args_value(args, "--log");
    size_t way = 0;
    while (panels && way < 3 && strcmp(ways[way], panels) != 0) way++;
    if (way == 3)
        return usage_error(args->command, "'--panels %s' should be unit, one or each", panels), false;
    plot->panels = (AcausalPanels)way;
    plot->log_x = log && strchr(log, 'x');
    plot->log_y = log && strchr(log, 'y');
    if (log && (!*log || log[strspn(log, "xy")]))
        return usage_error(args->command, "'--log %s' should be x, y or xy", log), false;
    return true;
}

static bool read_options(const Args *args, AcausalPlot *plot, AcausalCompareOptions *tube)
{
    size_t width = 0, height = 0;
    *plot = (AcausalPlot){ .size = sizeof *plot,
                           .names = args->words + 1,
                           .count = args->word_count - 1,
                           .x = args_value(args, "--x"),
                           .title = args_value(args, "--title"),
                           .dark = args_has(args, "--dark"),
                           .events = args_has(args, "--events"),
                           .tube = tube };
    *tube = acausal_compare_options();
    if (!args_size(args, "--width", 40, &width) || !args_size(args, "--height", 5, &height) ||
        !args_real(args, "--scale", &plot->scale) || !args_real(args, "--tol", &tube->value) ||
        !args_real(args, "--time-tol", &tube->time) || !read_words(args, plot))
        return false;
    if (!(tube->value > 0.0) || tube->time < 0.0)
        return usage_error(args->command, "tolerances should be positive"), false;
    if (args_has(args, "--scale") && !(plot->scale >= 0.1 && plot->scale <= 20))
        return usage_error(args->command, "'--scale' should be between 0.1 and 20"), false;
    plot->width = (int)(width < 10000 ? width : 10000);
    plot->height = (int)(height < 10000 ? height : 10000);
    return true;
}

static AcausalStatus draw(const Args *args, const AcausalResult *result, AcausalPlot *plot)
{
    char why[400];
    const char *path = args_value(args, "-o"), *when = args_value(args, "--color");
    if (path) return plot_to_file(args, result, plot, path);
    plot->colour = args->colour && (isatty(STDOUT_FILENO) || (when && strcmp(when, "auto") != 0));
    if (!plot->width) plot->width = terminal_width();
    AcausalStatus status = draw_picture(result, plot, ACAUSAL_TERMINAL, stdout, why, sizeof why);
    return status == ACAUSAL_DONE ? status : say(args, status, why);
}

static AcausalStatus run_plot(const Args *args)
{
    const char *path = args_value(args, "-o"), *with = args_value(args, "--compare");
    AcausalPlot plot = { .size = sizeof plot };
    AcausalCompareOptions tube;
    if (args->word_count == 0) return usage_error(args->command, "no result given");
    if (args->word_count == 1) return usage_error(args->command, "no names given; '*' draws everything");
    if (path && !has_suffix(path, ".svg") && picture_for(path) == ACAUSAL_SVG)
        return usage_error(args->command, "'-o %s' should end in .svg, .png or .pdf", path);
    if (!read_options(args, &plot, &tube)) return ACAUSAL_USAGE;
    AcausalResult *result = read_result(args, args->words[0]), *other = NULL;
    if (result && with) plot.other = other = read_result(args, with);
    AcausalStatus status = result && (!with || other) ? draw(args, result, &plot) : ACAUSAL_WRONG;
    acausal_result_free(result);
    acausal_result_free(other);
    return status;
}

static const Option options[] = {
    { "-o", "FILE", "writes a picture, .svg, .png or .pdf; without it the curves are drawn in the terminal" },
    { "--x", "NAME", "the horizontal axis; time if not given" },
    { "--panels", "HOW", "a panel for each 'unit' (the default), 'one' for all, or one for 'each' signal" },
    { "--log", "AXES", "x, y or xy: axes with logarithms" },
    { "--events", NULL, "marks where events were" },
    { "--compare", "RESULT", "a second result, with dashes, and the tube around the first" },
    { "--tol", "R", "half height of the tube, as a share of each signal's range; 1e-3 if not given" },
    { "--time-tol", "R", "half width of the tube, as a share of the span; 1e-4 if not given" },
    { "--title", "TEXT", "above the picture" },
    { "--width", "N", "pixels, or characters in the terminal" },
    { "--height", "N", "pixels, or characters of each drawing in the terminal" },
    { "--scale", "S", "pixels of a PNG for each of the width; 2 if not given" },
    { "--dark", NULL, "a dark background" },
};

const Command command_plot = {
    .name = "plot",
    .usage = "RESULT NAMES...",
    .summary = "Draws signals of a result, as SVG, PNG or in the terminal",
    .about =
        "A result is a CSV or MAT file. Names may hold * and ?. Signals with the same unit share a panel; a\n"
        "'/' among the names begins a new one instead.\n\n"
        "  acausal plot ball.csv h v\n"
        "  acausal plot robot.mat 'axis?.phi' -o robot.svg --title 'Six axes'\n"
        "  acausal plot ball.csv h / v -o ball.png --events\n"
        "  acausal plot old.csv h --compare new.csv --tol 0.01 -o difference.svg\n"
        "  acausal plot pendulum.csv vx --x x -o phase.svg\n",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .run = run_plot,
};
