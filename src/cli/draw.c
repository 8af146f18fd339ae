/* draw.c: `acausal draw`. */
#include "cli/cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool has_suffix(const char *text, const char *suffix)
{
    size_t n = strlen(text), m = strlen(suffix);
    return n > m && !strcmp(text + n - m, suffix);
}

static AcausalStatus draw(const Args *args, AcausalSession *session, const char *source,
                          const char *class_name)
{
    const char *path = args_value(args, "-o");
    bool to_stdout = !path || !strcmp(path, "-"), is_png = path && has_suffix(path, ".png");
    AcausalDrawing drawing = { .size = sizeof drawing,
                               .icon = args_has(args, "--icon"),
                               .framed = args_has(args, "--framed"),
                               .component = args_value(args, "--component") };
    if (!to_stdout && !is_png && !has_suffix(path, ".svg"))
        return usage_error(args->command, "'-o %s' should end with .svg or .png", path);
    if (!args_real(args, "--scale", &drawing.scale)) return ACAUSAL_USAGE;
    if (args_has(args, "--scale") && !(drawing.scale > 0))
        return usage_error(args->command, "'--scale' should be above zero");
    char *text = NULL;
    size_t n = 0;
    FILE *memory = open_memstream(&text, &n);
    if (!memory) return ACAUSAL_BUG;
    AcausalStatus status = acausal_draw(session, source, class_name, &drawing,
                                        is_png ? ACAUSAL_PNG : ACAUSAL_SVG, write_to_file, memory);
    fclose(memory);
    show_diagnostics(args, session);
    FILE *out = n ? to_stdout ? stdout : fopen(path, "wb") : NULL;
    bool ok = !n || (out && fwrite(text, 1, n, out) == n && !fflush(out));
    if (out && out != stdout && fclose(out)) ok = false;
    free(text);
    if (ok) return status;
    fprintf(stderr, "acausal draw: '%s' cannot be written: %s\n", path, strerror(errno));
    return ACAUSAL_WRONG;
}

static AcausalStatus run_draw(const Args *args) { return run_on_model(args, draw); }

static const Option options[] = {
    { "-o", "FILE", "a .svg or .png file; '-', or nothing, is standard output" },
    { "--icon", NULL, "its icon rather than its diagram" },
    { "--component", "NAME", "the instance that this component is: 'motor.resistor'" },
    { "--framed", NULL, "just the coordinate system, not what sticks out of it" },
    { "--scale", "PIXELS", "of a PNG: for one unit of the coordinate system (4)" },
    OPTION_LIB,
};

const Command command_draw = {
    .name = "draw",
    .usage = "CLASS | SOURCE [CLASS]",
    .summary = "Draws the diagram or the icon of a class, as its annotations say",
    .about =
        "What cannot be drawn is left out, and told.\n\n"
        "  acausal draw --lib ModelicaStandardLibrary Modelica.Blocks.Examples.PID_Controller -o pid.svg\n"
        "  acausal draw --lib ModelicaStandardLibrary --icon Modelica.Electrical.Analog.Basic.Resistor -o "
        "resistor.png\n",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .run = run_draw,
};
