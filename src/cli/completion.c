/* completion.c: `acausal completion bash|zsh`: what makes a shell complete command lines.
 *
 * The shell's part is short: it asks the program itself, `acausal completion answer -- WORDS`, what
 * may stand for the last of the words. So commands and options come from the tables that parse
 * them, and classes of a source, signals of a result and names of integrators can be completed,
 * too. An answer is a line a candidate, `word TAB about`; or ':files' with suffixes, ':dirs', which
 * are left to the shell. Tests: tests/cli/completion.sh. */
#include "cli/cli.h"

#include <string.h>

/* ---- scripts --------------------------------------------------------------------------------- */

static const char bash_script[] =
    "# bash completion for acausal, written by 'acausal completion bash'. To use it in this shell:\n"
    "#   source <(acausal completion bash)\n"
    "_acausal() {\n"
    "    local i word about quote=\"\" glue=\"\" current prefix file\n"
    "    local -a words=()\n"
    "    COMPREPLY=()\n"
    "    # Bash cuts words at '='; the program wants them whole, and without quotes.\n"
    "    for ((i = 1; i <= COMP_CWORD; i++)); do\n"
    "        word=${COMP_WORDS[i]}\n"
    "        if [[ $word == = && ${#words[@]} -gt 0 ]]; then words[-1]+==; glue=1\n"
    "        elif [[ $glue ]]; then words[-1]+=$word; glue=\"\"\n"
    "        else words+=(\"$word\"); fi\n"
    "    done\n"
    "    current=${words[-1]}\n"
    "    case $current in [\\'\\\"]*) quote=${current:0:1} current=${current:1} ;; *) "
    "current=${current//\\\\/} ;; esac\n"
    "    words[-1]=$current\n"
    "    case $current in --*=*) prefix=${current%%=*}= ;; *) prefix=\"\" ;; esac\n"
    "    while IFS=$'\\t' read -r word about; do\n"
    "        case $word in\n"
    "            :files | :dirs)\n"
    "                compopt -o filenames 2>/dev/null\n"
    "                while IFS= read -r file; do\n"
    "                    if [[ -d $file || ( $word == :files && ( -z $about || \" $about \" == *\" "
    "${file##*.} \"* ) ) ]]; then\n"
    "                        COMPREPLY+=(\"$file\")\n"
    "                    fi\n"
    "                done < <(compgen -f -- \"${current#\"$prefix\"}\")\n"
    "                ;;\n"
    "            *)\n"
    "                [[ $word == *= ]] && compopt -o nospace 2>/dev/null\n"
    "                word=${word#\"$prefix\"}\n"
    "                [[ $quote ]] || printf -v word %q \"$word\"\n"
    "                COMPREPLY+=(\"$word\")\n"
    "                ;;\n"
    "        esac\n"
    "    done < <(\"${COMP_WORDS[0]/#\\~/$HOME}\" completion answer -- \"${words[@]}\" 2>/dev/null)\n"
    "}\n"
    "complete -F _acausal acausal\n";

static const char zsh_script[] =
    "#compdef acausal\n"
    "# zsh completion for acausal, written by 'acausal completion zsh'. To use it in this shell, after "
    "compinit:\n"
    "#   source <(acausal completion zsh)\n"
    "_acausal() {\n"
    "    local line word about\n"
    "    local -a lines whole open\n"
    "    lines=(\"${(@f)$(${(Q)words[1]} completion answer -- \"${(@Q)words[2,CURRENT-1]}\" \"${(Q)PREFIX}\" "
    "2>/dev/null)}\")\n"
    "    for line in $lines; do\n"
    "        word=${line%%$'\\t'*} about=${line#*$'\\t'}\n"
    "        case $word in\n"
    "            (:files) if [[ -n $about ]]; then _files -g \"*.(${about// /|})\"; else _files; fi ;;\n"
    "            (:dirs) _files -/ ;;\n"
    "            (*=) open+=(\"${word//:/\\\\:}:$about\") ;;\n"
    "            (*) whole+=(\"${word//:/\\\\:}:$about\") ;;\n"
    "        esac\n"
    "    done\n"
    "    (( ! $#whole )) || _describe -V acausal whole\n"
    "    (( ! $#open )) || _describe -V acausal open -S ''\n"
    "}\n"
    "if [[ ${funcstack[1]-} == _acausal ]]; then _acausal \"$@\"; else compdef _acausal acausal; fi\n";

/* ---- answers --------------------------------------------------------------------------------- */

/* What is to be completed: the words after the program's name. */
typedef struct {
    const Args *args;
    const char *const *words; /* the command is the first */
    size_t n;
    const char *current; /* the last of them, which may be empty */
    const Command *command;
} Question;

static bool begins_with(const char *text, const char *prefix)
{
    return !strncmp(text, prefix, strlen(prefix));
}

/* A candidate, if it goes on as the current word begins. `before` stands in front of it:
 * "--color=". */
static void offer(const Question *q, const char *before, const char *word, size_t n, const char *about)
{
    char whole[600];
    if (n >= sizeof whole / 2 || strlen(before) >= sizeof whole / 2) return;
    snprintf(whole, sizeof whole, "%s%.*s", before, (int)n, word);
    if (begins_with(whole, q->current)) printf("%s\t%s\n", whole, about);
}

static void offer_all(const Question *q, const char *before, const char *(*word)(size_t i))
{
    const char *text;
    for (size_t i = 0; (text = word(i)); i++) offer(q, before, text, strlen(text), "");
}

/* "me|cs" */
static void offer_alternatives(const Question *q, const char *before, const char *list)
{
    for (const char *at = list; *at;) {
        size_t n = strcspn(at, "|");
        offer(q, before, at, n, "");
        at += n + (at[n] == '|');
    }
}

static void offer_class(void *question, const AcausalClass *c)
{
    static const char *const runnable[] = { "model", "block", "class", "package" };
    const Question *q = question;
    bool fits = false;
    for (size_t i = 0; i < sizeof runnable / sizeof runnable[0]; i++) fits |= !strcmp(c->kind, runnable[i]);
    if (fits && !c->is_partial) offer(q, "", c->name, strlen(c->name), c->description);
}

/* The classes of the source that the word before names. */
static void offer_classes(Question *q)
{
    AcausalSession *session = session_for(q->args);
    if (session) acausal_classes(session, q->words[q->n - 2], offer_class, q);
    acausal_session_free(session);
}

/* The signals of the result that the command's first word names. */
static void offer_signals(const Question *q, const char *path)
{
    AcausalSession *session = acausal_session_new();
    AcausalResult *result = session ? acausal_result_read(session, path) : NULL;
    for (size_t i = 0; result && i < acausal_result_count(result); i++) {
        AcausalSignal signal = { .size = sizeof signal };
        acausal_result_signal(result, i, &signal);
        offer(q, "", signal.name, strlen(signal.name), signal.unit);
    }
    acausal_result_free(result);
    acausal_session_free(session);
}

static void offer_files(const char *suffixes) { printf(":files\t%s\n", suffixes); }

/* What the names of arguments in the tables stand for. */
static const struct {
    const char *name, *suffixes; /* NULL: directories */
} places[] = {
    { "SOURCE", "mo fmu" }, { "PATH", "mo" }, { "RESULT", "csv mat" }, { "A", "csv mat" },
    { "B", "csv mat" },     { "DIR", NULL },  { "DIRECTORY", NULL },
};

/* An argument by its name, as usage lines and options have it: "[DIR]", "FILE.svg", "me|cs",
 * "PATH...". */
static void offer_argument(const Question *q, const char *before, const char *name, size_t n)
{
    char bare[80];
    while (n && strchr("[]", name[0])) name++, n--;
    while (n && strchr("[].", name[n - 1])) n--;
    snprintf(bare, sizeof bare, "%.*s", (int)n, name);
    const char *dot = strrchr(bare, '.');
    bare[strcspn(bare, "[@")] = 0;
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        if (strcmp(bare, places[i].name) != 0) continue;
        if (places[i].suffixes)
            offer_files(places[i].suffixes);
        else
            printf(":dirs\t\n");
        return;
    }
    if (begins_with(bare, "FILE") || (dot && dot[1]))
        offer_files(dot && dot[1] ? dot + 1 : "");
    else if (strchr(bare, '|') || (bare[0] >= 'a' && bare[0] <= 'z'))
        offer_alternatives(q, before, bare);
}

static void offer_value(const Question *q, const Option *option, const char *before)
{
    const char *value = option->value + (option->value[0] == '=');
    if (!strcmp(option->name, "--solver"))
        offer_all(q, before, command_solvers.word);
    else
        offer_argument(q, before, value, strlen(value));
}

static const Option *find_option(const Command *command, const char *name, size_t n)
{
    for (size_t i = 0; i < command->option_count + common_option_count; i++) {
        const Option *option =
            i < command->option_count ? &command->options[i] : &common_options[i - command->option_count];
        if (strlen(option->name) == n && !strncmp(option->name, name, n)) return option;
    }
    return NULL;
}

/* Options whose value may only follow a '=' are offered with it, and alone since it may be left
 * out. */
static void offer_options(const Question *q, const Option *options, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        char open[80];
        const Option *o = &options[i];
        offer(q, "", o->name, strlen(o->name), o->about);
        if (!o->value || o->value[0] != '=') continue;
        snprintf(open, sizeof open, "%s=", o->name);
        offer(q, "", open, strlen(open), o->about);
    }
}

/* Whether a word is an option whose value is the word after it. */
static const Option *waits_for_value(const Command *command, const char *word)
{
    const Option *option = find_option(command, word, strlen(word));
    return option && option->value && option->value[0] != '=' ? option : NULL;
}

/* The argument of the usage line that stands at `index`; the last one is repeated if dots follow
 * it. */
static const char *argument_at(const char *usage, size_t index, size_t *n)
{
    const char *at = usage;
    for (;; index--) {
        *n = strcspn(at, " ");
        if (index == 0 || (*n > 3 && !strncmp(at + *n - 3, "...", 3))) return *n ? at : NULL;
        if (!at[*n]) return NULL;
        at += *n + 1;
    }
}

static void offer_word(Question *q, const char *first, size_t index)
{
    size_t n;
    const char *argument = argument_at(q->command->usage, index, &n);
    if (index == 0 && q->command->word)
        offer_all(q, "", q->command->word);
    else if (argument && n >= 7 && !strncmp(argument, "[CLASS]", 7))
        offer_classes(q);
    else if (argument && n >= 5 && !strncmp(argument, "NAMES", 5))
        offer_signals(q, first);
    else if (argument)
        offer_argument(q, "", argument, n);
}

static void answer(Question *q)
{
    const char *first = NULL, *equal = strchr(q->current, '=');
    size_t index = 0;
    const Option *waiting = NULL;
    for (size_t i = 1; i + 1 < q->n; i++) {
        bool is_value = waiting != NULL;
        waiting = is_value ? NULL : waits_for_value(q->command, q->words[i]);
        if (is_value || q->words[i][0] == '-') continue;
        if (index++ == 0) first = q->words[i];
    }
    if (waiting) {
        offer_value(q, waiting, "");
    } else if (begins_with(q->current, "--") && equal) {
        char before[80];
        const Option *option = find_option(q->command, q->current, (size_t)(equal - q->current));
        snprintf(before, sizeof before, "%.*s=", (int)(equal - q->current), q->current);
        if (option && option->value) offer_value(q, option, before);
    } else if (q->current[0] == '-') {
        offer_options(q, q->command->options, q->command->option_count);
        offer_options(q, common_options, common_option_count);
    } else {
        offer_word(q, first, index);
    }
}

static AcausalStatus run_completion(const Args *args)
{
    const char *what = args->word_count ? args->words[0] : "";
    if (!strcmp(what, "bash")) {
        fputs(bash_script, stdout);
    } else if (!strcmp(what, "zsh")) {
        fputs(zsh_script, stdout);
    } else if (!strcmp(what, "answer") && args->word_count > 1) {
        Question q = { .args = args, .words = args->words + 1, .n = args->word_count - 1 };
        q.current = q.words[q.n - 1];
        q.command = command_find(q.words[0]);
        if (q.n > 1 && q.command) answer(&q);
        for (size_t i = 0; q.n == 1 && command_at(i); i++)
            offer(&q, "", command_name(i), strlen(command_name(i)), command_at(i)->summary);
    } else {
        return usage_error(args->command, "say for which shell: bash or zsh");
    }
    return ACAUSAL_DONE;
}

const Command command_completion = {
    .name = "completion",
    .usage = "bash|zsh",
    .summary = "Prints what makes a shell complete acausal's commands, options, classes and signals",
    .about = "'make install' puts both where the shells look for them. Without that:\n\n"
             "  source <(acausal completion bash)\n"
             "  source <(acausal completion zsh)\n",
    .run = run_completion,
};
