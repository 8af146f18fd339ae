/* Values in the types that versions of FMI have for them: what fits is kept exactly, what does not
 * becomes the nearest or is refused as text, and no 64-bit integer loses a digit. */
#include "fmi/inside.h"
#include "test.h"

static const struct {
    FmiVersion version;
    FmuBase base, storage;
} storages[] = { { FMI_1, FMU_BOOLEAN, FMU_INT8 },      { FMI_2, FMU_BOOLEAN, FMU_INT32 },
                 { FMI_3, FMU_BOOLEAN, FMU_BOOLEAN },   { FMI_2, FMU_ENUMERATION, FMU_INT32 },
                 { FMI_3, FMU_ENUMERATION, FMU_INT64 }, { FMI_3, FMU_CLOCK, FMU_BOOLEAN },
                 { FMI_1, FMU_FLOAT64, FMU_FLOAT64 },   { FMI_3, FMU_UINT16, FMU_UINT16 } };

static const struct {
    FmuBase storage;
    double value, kept;
} narrowed[] = { { FMU_INT8, 127, 127 },
                 { FMU_INT8, 128, 127 },
                 { FMU_INT8, -1e300, -128 },
                 { FMU_UINT8, -1, 0 },
                 { FMU_UINT16, 70000, 65535 },
                 { FMU_INT32, INFINITY, 2147483647.0 },
                 { FMU_INT32, 2.9, 2 },
                 { FMU_UINT32, 4294967295.0, 4294967295.0 },
                 { FMU_INT64, -9.3e18, -9223372036854775808.0 },
                 { FMU_UINT64, 1e30, 18446744073709551616.0 },
                 { FMU_BOOLEAN, 0.5, 1 },
                 { FMU_FLOAT32, 0.5, 0.5 },
                 { FMU_FLOAT64, 0.1, 0.1 } };

static const struct {
    FmuBase storage;
    const char *text, *again; /* NULL: refused */
} texts[] = { { FMU_FLOAT64, "0.1", "0.1" },    { FMU_INT8, "-128", "-128" },   { FMU_INT8, "128", NULL },
              { FMU_UINT8, "-1", NULL },        { FMU_INT32, "1.5", NULL },     { FMU_BOOLEAN, "true", "1" },
              { FMU_INT32, "true", "1" },       { FMU_FLOAT64, "ten", NULL },   { FMU_FLOAT64, "", NULL },
              { FMU_STRING, "a = b", "a = b" }, { FMU_BINARY, "00fF", "00ff" }, { FMU_BINARY, "0", NULL },
              { FMU_BINARY, "zz", NULL },       { FMU_STRING, "", "" },         { FMU_BINARY, "", "" } };

static void check_texts(Arena *arena)
{
    for (size_t k = 0; k < COUNT_OF(texts); k++) {
        Raw raw = { 0 };
        bool ok = storage_of_text(texts[k].storage, texts[k].text, arena, &raw);
        CHECK_ROW(ok == (texts[k].again != NULL), texts[k].text);
        if (ok && texts[k].again) CHECK_TEXT(storage_text(texts[k].storage, &raw, arena), texts[k].again);
    }
    Raw raw;
    CHECK(storage_of_text(FMU_INT64, "-9007199254740993", arena, &raw) && raw.i64 == -9007199254740993);
    CHECK(storage_of_text(FMU_UINT64, "18446744073709551615", arena, &raw) && raw.u64 == UINT64_MAX);
    CHECK(!storage_of_text(FMU_UINT64, "-5", arena, &raw));
}

int main(void)
{
    Arena *arena = arena_new();
    for (size_t k = 0; k < COUNT_OF(storages); k++)
        CHECK(storage_of(storages[k].version, storages[k].base) == storages[k].storage);
    for (size_t k = 0; k < COUNT_OF(narrowed); k++) {
        Raw raw = { 0 };
        double again = NAN;
        storage_narrow(narrowed[k].storage, &narrowed[k].value, &raw, 1);
        storage_widen(narrowed[k].storage, &raw, &again, 1);
        CHECK_NEAR(again, narrowed[k].kept, 0);
    }
    double nothing = NAN, again;
    Raw raw = { 0 };
    storage_narrow(FMU_INT32, &nothing, &raw, 1);
    storage_widen(FMU_INT32, &raw, &again, 1);
    CHECK(again == INT32_MIN);
    check_texts(arena);
    arena_free(arena);
    return test_end();
}
