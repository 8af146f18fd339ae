/* A program runs, fails, or is not there; what it says is in the file, and no shell reads its
 * words. */
#include "base/base.h"
#include "test.h"

#include <stdlib.h>
#include <unistd.h>

int main(void)
{
    static const struct {
        const char *words[4];
        ProcessEnd want;
        const char *says;
    } rows[] = { { { "echo", "$HOME; x", NULL }, PROCESS_OK, "$HOME; x\n" },
                 { { "sh", "-c", "echo wrong >&2; exit 3", NULL }, PROCESS_FAILED, "wrong\n" },
                 { { "sh", "-c", "kill -9 $$", NULL }, PROCESS_FAILED, "" },
                 { { "no-such-program-anywhere", NULL }, PROCESS_NOT_STARTED, "" } };
    char log[] = "/tmp/acausal_process_XXXXXX";
    int file = mkstemp(log);
    CHECK(file >= 0);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char *words[4], said[100] = "";
        for (int k = 0; k < 4; k++) words[k] = rows[i].words[k] ? strdup(rows[i].words[k]) : NULL;
        CHECK_ROW(process_run(words, log) == rows[i].want, rows[i].words[0]);
        FILE *f = fopen(log, "r");
        said[f ? fread(said, 1, sizeof said - 1, f) : 0] = 0;
        if (f) fclose(f);
        CHECK_TEXT(said, rows[i].says);
        for (int k = 0; k < 4; k++) free(words[k]);
    }
    close(file);
    unlink(log);
    return test_end();
}
