/* manual.c: the manual page, printed as troff from the tables of commands and options.
 *
 * What a command says about itself becomes paragraphs; lines that begin with blanks are examples
 * and stay as they are. Tests: tests/cli/help.sh. */
#include "cli/cli.h"

#include <string.h>

/* Text in which troff shall see no requests: backslashes and hyphens are escaped, and dots and
 * quotes that begin a line. */
static void print_text(const char *text, size_t n, FILE *out)
{
    for (size_t i = 0; i < n; i++) {
        bool begins = i == 0 || text[i - 1] == '\n';
        if (begins && (text[i] == '.' || text[i] == '\'')) fputs("\\&", out);
        if (text[i] == '\\')
            fputs("\\e", out);
        else if (text[i] == '-')
            fputs("\\-", out);
        else
            fputc(text[i], out);
    }
}

static void print_line(const char *text, FILE *out)
{
    print_text(text, strlen(text), out);
    fputc('\n', out);
}

static void print_about(const char *about, FILE *out)
{
    bool in_example = false;
    for (const char *line = about; *line;) {
        size_t n = strcspn(line, "\n");
        bool is_example = n > 0 && line[0] == ' ';
        if (is_example != in_example) fputs(is_example ? ".PP\n.EX\n" : ".EE\n", out);
        if (n == 0 && !in_example && line != about) fputs(".PP\n", out);
        in_example = is_example;
        if (n) {
            print_text(line, n, out);
            fputc('\n', out);
        }
        line += n + (line[n] == '\n');
    }
    if (in_example) fputs(".EE\n", out);
}

static void print_options(const Option *options, size_t n, FILE *out)
{
    for (size_t i = 0; i < n; i++) {
        const char *value = options[i].value ? options[i].value : "";
        fputs(".TP\n\\fB", out);
        print_text(options[i].name, strlen(options[i].name), out);
        fputs(*value == '=' ? "\\fR[" : *value ? "\\fR " : "\\fR", out);
        print_text(value, strlen(value), out);
        fputs(*value == '=' ? "]\n" : "\n", out);
        print_line(options[i].about, out);
    }
}

static void print_command(const Command *command, FILE *out)
{
    fprintf(out, ".SS acausal %s\n.B acausal %s\n", command->name, command->name);
    print_line(command->usage, out);
    fputs(".PP\n", out);
    print_text(command->summary, strlen(command->summary), out);
    fputs(".\n.PP\n", out);
    print_about(command->about, out);
    print_options(command->options, command->option_count, out);
}

void print_manual(FILE *out)
{
    fprintf(out, ".TH ACAUSAL 1 \"\" \"acausal %s\" \"User Commands\"\n", acausal_version());
    fputs(
        ".SH NAME\nacausal \\- simulate dynamic systems: Modelica models and FMUs\n"
        ".SH SYNOPSIS\n.B acausal\nCOMMAND [OPTION]... [WORD]...\n"
        ".SH DESCRIPTION\n"
        "Acausal takes a Modelica model or an FMU, finds out by itself what kind of equations it has,\n"
        "and returns a trajectory.\n"
        "Results and reports go to standard output or to files, progress and diagnostics to standard error.\n"
        "Each diagnostic has a code, which\n.B acausal help CODE\nexplains.\n"
        ".SH COMMANDS\n",
        out);
    for (size_t i = 0; command_at(i); i++) print_command(command_at(i), out);
    fputs(".SH OPTIONS OF ALL COMMANDS\n", out);
    print_options(common_options, common_option_count, out);
    fputs(".SH EXIT STATUS\n"
          ".TP\n0\nDone.\n.TP\n1\nThe model or the data is wrong.\n.TP\n2\nWrong usage.\n"
          ".TP\n3\nTranslated, but the run failed; all rows so far are written.\n"
          ".TP\n4\nA bug in Acausal, or the system gave out.\n"
          ".PP\nThe last line on standard error of a failed run says why.\n"
          ".SH ENVIRONMENT\n"
          ".TP\nMODELICAPATH\nDirectories in which libraries are looked for, separated by colons.\n"
          ".TP\nNO_COLOR\nIf set, nothing is coloured unless\n.B \\-\\-color=always\nis given.\n",
          out);
}
