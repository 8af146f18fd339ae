/* drive.c: runs a fuzz target where libFuzzer is not linked: mutations of seeds, a given number of
 * them, from a given seed of chance, so that a run can be repeated exactly.
 *
 * It takes libFuzzer's options -runs, -seed, -max_len, -timeout, -dict and -artifact_prefix,
 * ignores others, and takes files and directories of inputs. Nothing guides it by coverage. An
 * input that crashes or hangs is left in a file. */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
__attribute__((weak)) size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);
__attribute__((weak)) void __sanitizer_set_death_callback(void (*call)(void));

enum { MOST_INPUTS = 4000, MOST_WORDS = 400 };

typedef struct {
    uint8_t *at;
    size_t n;
} Bytes;

static Bytes inputs[MOST_INPUTS], words[MOST_WORDS], present;
static size_t input_count, word_count;
static unsigned long run;
static char crash_path[4096];
static uint64_t chance;

static size_t draw(size_t below)
{
    chance ^= chance << 13;
    chance ^= chance >> 7;
    chance ^= chance << 17;
    return below ? (size_t)(chance >> 20) % below : 0;
}

/* ---- what is read ---------------------------------------------------------------------------- */

static void add_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file || input_count == MOST_INPUTS) {
        if (file) fclose(file);
        return;
    }
    fseek(file, 0, SEEK_END);
    Bytes b = { .n = (size_t)ftell(file) };
    rewind(file);
    b.at = malloc(b.n + 1);
    if (!b.at || fread(b.at, 1, b.n, file) != b.n) abort();
    fclose(file);
    inputs[input_count++] = b;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

/* A file, or all files of a directory in the order of their names. */
static void add_path(const char *path)
{
    struct dirent **list;
    int n = scandir(path, &list, NULL, by_name);
    if (n < 0) add_file(path);
    for (int i = 0; i < n; i++) {
        char name[4096];
        struct stat s;
        snprintf(name, sizeof name, "%s/%s", path, list[i]->d_name);
        if (!stat(name, &s) && S_ISREG(s.st_mode)) add_file(name);
        free(list[i]);
    }
    if (n >= 0) free(list);
}

/* Lines "word", with \" and \\ inside, as libFuzzer has them. */
static void add_dictionary(const char *path)
{
    char line[1024];
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file) && word_count < MOST_WORDS) {
        const char *p = strchr(line, '"');
        if (line[0] == '#' || !p) continue;
        Bytes b = { .at = malloc(sizeof line) };
        for (p++; b.at && *p && *p != '"'; p++) {
            p += *p == '\\' && p[1];
            b.at[b.n++] = (uint8_t)*p;
        }
        words[word_count++] = b;
    }
    if (file) fclose(file);
}

/* ---- what is made of it ---------------------------------------------------------------------- */

/* Puts n bytes in place of `gone` ones at `at`, if there is room. */
static size_t put_bytes(uint8_t *data, size_t size, size_t most, size_t at, size_t gone, const uint8_t *with,
                        size_t n)
{
    if (size - gone + n > most) return size;
    memmove(data + at + n, data + at + gone, size - at - gone);
    memcpy(data + at, with, n);
    return size - gone + n;
}

static size_t mutate(uint8_t *data, size_t size, size_t most)
{
    static const uint8_t edges[] = { 0, 1, 9, 10, 13, 32, 34, 39, 92, 127, 128, 192, 239, 255 };
    size_t at = draw(size + 1), left = size - at, gone = draw(left < 64 ? left + 1 : 64);
    uint8_t byte = draw(2) ? edges[draw(sizeof edges)] : (uint8_t)draw(256);
    const Bytes *other = &inputs[draw(input_count)], *word = &words[draw(word_count)];
    size_t from = draw(other->n + 1), length = draw(other->n - from + 1);
    switch (draw(word_count ? 7 : 5)) {
    case 0: /* a bit */
        if (left) data[at] ^= (uint8_t)(1u << draw(8));
        return size;
    case 1: /* a byte for another one */
        if (left) data[at] = byte;
        return size;
    case 2: /* a byte more */ return put_bytes(data, size, most, at, 0, &byte, 1);
    case 3: /* some less */ return put_bytes(data, size, most, at, gone, NULL, 0);
    case 4: /* a piece of another input */
        return put_bytes(data, size, most, at, draw(2) ? gone : 0, other->at + from, length);
    case 5: /* a word more */ return put_bytes(data, size, most, at, 0, word->at, word->n);
    default: /* a word for what stands there */
        return put_bytes(data, size, most, at, word->n < left ? word->n : left, word->at, word->n);
    }
}

static size_t next_input(uint8_t *data, size_t most)
{
    const Bytes *from = &inputs[draw(input_count)];
    size_t size = from->n < most ? from->n : most;
    memcpy(data, from->at, size);
    for (size_t left = 1 + draw(6); left > 0; left--)
        size = LLVMFuzzerCustomMutator && size
                   ? LLVMFuzzerCustomMutator(data, size, most, (unsigned)draw(1u << 30))
                   : mutate(data, size, most);
    return size;
}

/* ---- the loop -------------------------------------------------------------------------------- */

/* Leaves the input at hand in a file. Calls only what may be called from a signal's handler. */
static void keep_input(void)
{
    int file = open(crash_path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (file >= 0 && write(file, present.at, present.n) == (ssize_t)present.n && !close(file)) {
        static const char said[] = "\ndrive: the input is kept in ";
        if (write(2, said, sizeof said - 1) && write(2, crash_path, strlen(crash_path)) && write(2, "\n", 1))
            return;
    }
}

static void die(int number)
{
    keep_input();
    signal(number, SIG_DFL);
    raise(number);
}

static long option(int argc, char **argv, const char *name, long otherwise)
{
    size_t n = strlen(name);
    for (int i = 1; i < argc; i++)
        if (!strncmp(argv[i], name, n) && argv[i][n] == '=') return strtol(argv[i] + n + 1, NULL, 10);
    return otherwise;
}

int main(int argc, char **argv)
{
    static const int signals[] = { SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGALRM };
    const char *prefix = "";
    for (int i = 1; i < argc; i++) {
        if (!strncmp(argv[i], "-dict=", 6)) add_dictionary(argv[i] + 6);
        if (!strncmp(argv[i], "-artifact_prefix=", 17)) prefix = argv[i] + 17;
        if (argv[i][0] != '-') add_path(argv[i]);
    }
    long runs = option(argc, argv, "-runs", 1000), seed = option(argc, argv, "-seed", 1);
    unsigned seconds = (unsigned)option(argc, argv, "-timeout", 60);
    size_t most = (size_t)option(argc, argv, "-max_len", 4096);
    if (!input_count) return fprintf(stderr, "drive: there are no inputs\n"), 2;
    snprintf(crash_path, sizeof crash_path, "%scrash-%ld", prefix, seed);
    if (__sanitizer_set_death_callback) __sanitizer_set_death_callback(keep_input);
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++)
        if (!__sanitizer_set_death_callback || signals[i] == SIGALRM) signal(signals[i], die);
    chance = (uint64_t)seed * 0x9E3779B97F4A7C15u + 88172645463325252u;
    for (; run < (unsigned long)runs; run++) {
        /* A block of its own size, so that a sanitizer sees what is read beyond the end. */
        uint8_t *room = malloc(most + 1);
        if (!room) abort();
        size_t size = run < input_count && inputs[run].n <= most ? inputs[run].n : next_input(room, most);
        if (run < input_count && inputs[run].n <= most) memcpy(room, inputs[run].at, size);
        uint8_t *data = realloc(room, size + !size);
        if (!data) abort();
        present = (Bytes){ data, size };
        alarm(seconds);
        LLVMFuzzerTestOneInput(data, size);
        free(data);
    }
    alarm(0);
    printf("%lu inputs from %zu seeds, chance %ld\n", run, input_count, seed);
    return 0;
}
