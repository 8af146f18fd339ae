/* trust_test.c: digests by the examples of the standard; what a permit lets run; the store by path
 * and content. */
#include "test.h"

#include "trust/trust.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static void check_digest(const char *text, size_t times, const char *want)
{
    Sha256 hash;
    unsigned char digest[SHA256_BYTES];
    char got[2 * SHA256_BYTES + 1];
    sha256_begin(&hash);
    for (size_t i = 0; i < times; i++) sha256_add(&hash, text, strlen(text));
    sha256_end(&hash, digest);
    for (size_t i = 0; i < SHA256_BYTES; i++) snprintf(got + 2 * i, 3, "%02x", digest[i]);
    CHECK_TEXT(got, want);
}

static void write_file(Arena *arena, const char *directory, const char *name, const char *text)
{
    FILE *file = fopen(path_join(arena, directory, name), "w");
    if (!CHECK(file != NULL)) return;
    fputs(text, file);
    fclose(file);
}

static bool ask_yes(void *arg, const char *origin)
{
    (void)origin;
    ++*(int *)arg;
    return true;
}

static bool ask_no(void *arg, const char *origin)
{
    (void)origin;
    ++*(int *)arg;
    return false;
}

/* Origins are files and directories; a name that only begins alike is another one. */
static void check_permits(Arena *arena, const char *directory)
{
    const char *lib = path_join(arena, directory, "Lib"), *other = path_join(arena, directory, "Library");
    mkdir(lib, 0700);
    mkdir(other, 0700);
    write_file(arena, lib, "package.mo", "package Lib end Lib;");
    Permit p = { .arena = arena };
    CHECK(!permit_origin(NULL, lib) && !permit_origin(&p, NULL) && !permit_origin(&p, lib));
    CHECK(!permit_effects(NULL) && !permit_effects(&p));
    p = (Permit){ .arena = arena };
    permit_allow(&p, path_join(arena, directory, "nowhere"));
    permit_allow(&p, lib);
    CHECK(permit_origin(&p, lib) && permit_origin(&p, path_join(arena, lib, "package.mo")));
    CHECK(!permit_origin(&p, other));
    CHECK(permit_origin(&p, path_join(arena, other, "../Lib")));
    CHECK(!permit_origin(&p, path_join(arena, lib, "../Library")));
    int asked = 0;
    p = (Permit){ .arena = arena, .ask = ask_no, .ask_arg = &asked };
    CHECK(!permit_origin(&p, lib) && !permit_origin(&p, lib) && asked == 1);
    p = (Permit){ .arena = arena, .ask = ask_yes, .ask_arg = &asked };
    CHECK(permit_origin(&p, lib) && permit_origin(&p, lib) && asked == 2);
}

static void check_store(Arena *arena, const char *directory)
{
    const char *why = NULL, *lib = path_join(arena, directory, "Lib");
    TrustRows rows;
    CHECK(trust_rows(arena, &rows, &why) && rows.n == 0);
    CHECK(trust_state(arena, lib) == TRUST_UNKNOWN);
    CHECK(!trust_add(arena, path_join(arena, directory, "nowhere"), &why) && strstr(why, "No such file"));
    CHECK(trust_add(arena, lib, &why) && trust_state(arena, lib) == TRUST_SAME);
    CHECK(trust_add(arena, lib, &why) && trust_rows(arena, &rows, &why) && rows.n == 1);
    Permit p = { .arena = arena };
    CHECK(permit_origin(&p, lib));
    /* everything that was not there when it was looked at takes the trust away */
    const char *inner = path_join(arena, lib, "Resources");
    mkdir(inner, 0700);
    CHECK(trust_state(arena, lib) == TRUST_CHANGED);
    rmdir(inner);
    CHECK(trust_state(arena, lib) == TRUST_SAME);
    write_file(arena, lib, ".hidden", "x");
    CHECK(trust_state(arena, lib) == TRUST_CHANGED);
    unlink(path_join(arena, lib, ".hidden"));
    write_file(arena, lib, "package.mo", "package Lib enD Lib;");
    CHECK(trust_state(arena, lib) == TRUST_CHANGED);
    p = (Permit){ .arena = arena };
    CHECK(!permit_origin(&p, lib));
    CHECK(trust_add(arena, lib, &why) && trust_state(arena, lib) == TRUST_SAME);
    CHECK(symlink("/etc", path_join(arena, lib, "link")) == 0 && trust_state(arena, lib) == TRUST_CHANGED);
    CHECK(trust_remove(arena, lib, &why) && trust_state(arena, lib) == TRUST_UNKNOWN);
    CHECK(!trust_remove(arena, lib, &why) && strstr(why, "not among"));
}

int main(void)
{
    char directory[] = "/tmp/acausal-trust-XXXXXX";
    Arena *arena = arena_new();
    check_digest("", 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    check_digest("abc", 1, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    check_digest("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
                 "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    check_digest("a", 1000000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    if (CHECK(mkdtemp(directory) != NULL)) {
        setenv("XDG_CONFIG_HOME", path_join(arena, directory, "config/deep"), 1);
        check_permits(arena, directory);
        check_store(arena, directory);
    }
    char *const remove[] = { "rm", "-rf", directory, NULL };
    process_run(remove, "/dev/null");
    arena_free(arena);
    return test_end();
}
