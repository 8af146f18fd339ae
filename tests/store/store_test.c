/* The store of a study: rows come back as they were given, a run is there once, names of columns
 * differ, one writer at a time, parts are put together, what is no store is refused. */
#include "test.h"

#include "store/store.h"

#include <unistd.h>

static const char *const path = "store_test.db", *const other = "store_test_2.db";

typedef struct {
    size_t n;
    double sum, curve;
    char last[100], text[40];
} Seen;

static bool see(void *arg, const StoreRow *row)
{
    Seen *seen = arg;
    seen->n++;
    if (!row->failed) seen->sum += row->y[0];
    if (row->curve) seen->curve = row->curve[2];
    snprintf(seen->last, sizeof seen->last, "%s", row->message);
    snprintf(seen->text, sizeof seen->text, "%s", row->p_text[1] ? row->p_text[1] : "");
    return true;
}

static StoreColumn *make_columns(Arena *arena)
{
    StoreColumn *columns = NEW_ARRAY(arena, StoreColumn, 4);
    columns[0] = (StoreColumn){ "x", STORE_PARAMETER, "x", "m", false };
    columns[1] = (StoreColumn){ "Kind", STORE_PARAMETER, "Kind", "", true };
    columns[2] = (StoreColumn){ "X", STORE_OUTPUT, "X", "", false };
    columns[3] = (StoreColumn){ "run", STORE_CURVE, "run", "", false };
    store_name_columns(arena, columns, 4);
    return columns;
}

static void test_rows(Arena *arena)
{
    char why[300];
    double times[] = { 0, 0.5, 1 }, p[] = { 1.5, 0 }, y = 0.1, curve[] = { 1, NAN, 3 };
    const char *texts[] = { NULL, "a\"b" };
    StoreColumn *columns = make_columns(arena);
    CHECK_TEXT(columns[2].name, "X#2");
    CHECK_TEXT(columns[3].name, "run#2");
    Store *s = store_create(path, columns, 4, times, 3, why, sizeof why);
    if (!CHECK(s)) return;
    CHECK(store_set(s, "settings", "{}") && store_flush(s));
    CHECK(!store_open(path, true, why, sizeof why) && strstr(why, "another program"));
    StoreRow row = { .run = 1, .message = "", .t = 1, .p = p, .p_text = texts, .y = &y, .curve = curve };
    CHECK(store_add(s, &row) && store_add(s, &row)); /* once */
    row = (StoreRow){
        .run = 2, .failed = true, .message = "broke", .t = NAN, .p = p, .p_text = texts, .y = &y
    };
    CHECK(store_add(s, &row) && store_close(s));
    CHECK(!store_create(path, columns, 4, times, 3, why, sizeof why) && strstr(why, "there already"));

    Seen seen = { 0 };
    StoreCounts counts;
    if (!CHECK((s = store_open(path, true, why, sizeof why)) != NULL)) return;
    CHECK(store_each(s, true, see, &seen) && seen.n == 2 && seen.sum == 0.1);
    CHECK_TEXT(seen.last, "broke");
    CHECK_TEXT(seen.text, "a\"b");
    CHECK(store_counts(s, &counts) && counts.done == 1 && counts.failed == 1);
    CHECK_TEXT(store_get(s, arena, "settings"), "{}");
    CHECK(!store_get(s, arena, "nothing"));
    CHECK(store_forget_failed(s) && store_counts(s, &counts) && counts.failed == 0);
    seen = (Seen){ 0 };
    CHECK(store_each(s, true, see, &seen) && seen.curve == 3);
    CHECK(store_close(s));
}

static void test_merge(Arena *arena)
{
    char why[300];
    double p[] = { 2, 0 }, y = 7, curve[] = { 4, 5, 6 }, times[] = { 0, 0.5, 1 };
    const char *texts[] = { NULL, "c" };
    StoreCounts counts;
    Store *s = store_create(other, make_columns(arena), 4, times, 3, why, sizeof why);
    StoreRow row = { .run = 1, .message = "", .p = p, .p_text = texts, .y = &y, .curve = curve };
    CHECK(s && store_add(s, &row));
    row.run = 3;
    CHECK(store_add(s, &row) && store_close(s));
    CHECK((s = store_open(path, true, why, sizeof why)) && store_take(s, other) && store_take(s, other));
    Seen seen = { 0 };
    CHECK(store_counts(s, &counts) && counts.done == 2);
    CHECK(store_each(s, true, see, &seen) && seen.sum == 7.1 && seen.curve == 6); /* run 1 stayed */
    store_close(s);
}

int main(void)
{
    Arena *arena = arena_new();
    char why[300];
    unlink(path), unlink(other);
    test_rows(arena);
    test_merge(arena);
    unlink(path), unlink(other);
    FILE *file = fopen(path, "wb");
    fputs("something that is no database, and is long enough to look like one ...", file);
    fclose(file);
    CHECK(!store_open(path, false, why, sizeof why) && strstr(why, "no study"));
    unlink(path);
    CHECK(!store_open(path, false, why, sizeof why) && strstr(why, "there is no study"));
    arena_free(arena);
    return test_end();
}
