/* Descriptions of all versions are read into one form; what is broken gets one message at its line,
 * and what does not matter for running is a warning only. */
#include "fmi/fmi.h"
#include "test.h"

#include <math.h>
#include <stdio.h>

#define HEAD_2 "<fmiModelDescription fmiVersion='2.0' modelName='M' guid='{g}' numberOfEventIndicators='1'>"
#define ME_2 "<ModelExchange modelIdentifier='M' providesDirectionalDerivative='true'/>"
#define HEAD_3 "<fmiModelDescription fmiVersion='3.0' modelName='M' instantiationToken='t'>"
#define ME_3 "<ModelExchange modelIdentifier='M'/>"
#define TAIL "</fmiModelDescription>"

typedef struct {
    Sources *sources;
    Arena *arena;
    Diag diag;
    FmuDescription *d;
} Reading;

static Reading read_text(const char *text)
{
    Reading r = { .sources = sources_new(), .arena = arena_new() };
    diag_init(&r.diag, r.arena);
    const Source *source = source_add_text(r.sources, "modelDescription.xml", str_of(text));
    r.d = fmu_describe(source, r.arena, &r.diag);
    return r;
}

static void reading_free(Reading *r)
{
    arena_free(r->arena);
    sources_free(r->sources);
}

static void check_version_1(void)
{
    Reading r = read_text(
        "<fmiModelDescription fmiVersion='1.0' modelName='Old' modelIdentifier='Old_id' guid='{1}' "
        "numberOfContinuousStates='2' numberOfEventIndicators='3'>"
        "<TypeDefinitions><Type name='Force'><RealType unit='N' nominal='10'/></Type></TypeDefinitions>"
        "<DefaultExperiment startTime='1' stopTime='5'/>"
        "<ModelVariables>"
        "<ScalarVariable name='p' valueReference='7' variability='parameter'><Real start='2' "
        "declaredType='Force'/>"
        "</ScalarVariable>"
        "<ScalarVariable name='minus p' valueReference='7' alias='negatedAlias'><Real/></ScalarVariable>"
        "<ScalarVariable name='u' valueReference='8' causality='input' variability='discrete'><Boolean "
        "start='true'/>"
        "</ScalarVariable></ModelVariables>" TAIL);
    if (CHECK(r.d != NULL)) {
        const FmuVariable *v = r.d->variables.at;
        CHECK(r.d->version == FMI_1 && r.d->states == 2 && r.d->indicators == 3 && r.d->variables.n == 3);
        CHECK(r.d->kind[FMU_ME].there && !r.d->kind[FMU_CS].there);
        CHECK(r.d->start == 1 && r.d->stop == 5 && isnan(r.d->tolerance));
        CHECK(v[0].causality == FMU_PARAMETER && v[0].variability == FMU_FIXED && v[0].initial == FMU_EXACT);
        CHECK(!strcmp(v[0].unit, "N") && v[0].nominal == 10); /* from its type */
        CHECK(v[1].alias == FMU_NEGATED_ALIAS && v[1].vr == 7);
        CHECK(v[2].causality == FMU_INPUT && v[2].base == FMU_BOOLEAN && v[2].variability == FMU_DISCRETE);
    }
    reading_free(&r);
}

static void check_version_2(void)
{
    Reading r =
        read_text(HEAD_2 ME_2
                  "<UnitDefinitions><Unit name='N'><BaseUnit kg='1' m='1' s='-2'/>"
                  "<DisplayUnit name='kN' factor='0.001'/></Unit></UnitDefinitions>"
                  "<LogCategories><Category name='logAll'/></LogCategories>"
                  "<ModelVariables>"
                  "<ScalarVariable name='x' valueReference='1' causality='output' initial='exact'>"
                  "<Real start='1.5' unit='N'/></ScalarVariable>"
                  "<ScalarVariable name='der(x)' valueReference='2'><Real derivative='1'/></ScalarVariable>"
                  "<ScalarVariable name='n' valueReference='2'><Integer/></ScalarVariable>"
                  "</ModelVariables><ModelStructure>"
                  "<Outputs><Unknown index='1' dependencies=''/></Outputs>"
                  "<Derivatives><Unknown index='2' dependencies='1 3'/></Derivatives></ModelStructure>" TAIL);
    if (CHECK(r.d != NULL)) {
        CHECK(r.d->version == FMI_2 && r.d->states == 1 && r.d->kind[FMU_ME].directional);
        CHECK(r.d->units.n == 1 && r.d->units.at[0].exponent[2] == -2 &&
              r.d->display_units.at[0].factor == 0.001);
        CHECK(r.d->variables.at[1].derivative_of == 0 && r.d->variables.at[2].variability == FMU_DISCRETE);
        CHECK(r.d->outputs.n == 1 && r.d->outputs.at[0].has_dependencies && r.d->outputs.at[0].count == 0);
        CHECK(r.d->derivatives.at[0].count == 2 &&
              r.d->dependencies.at[r.d->derivatives.at[0].first + 1] == 2);
        CHECK(r.d->log_categories.n == 1 && r.diag.warnings == 0);
    }
    reading_free(&r);
}

static void check_version_3(void)
{
    Reading r = read_text(
        HEAD_3 ME_3
        "<CoSimulation modelIdentifier='M' hasEventMode='true'/>"
        "<ModelVariables><Float64 name='time' valueReference='0' causality='independent'/>"
        "<UInt64 name='m' valueReference='1' causality='structuralParameter' variability='fixed' start='3'/>"
        "<Float64 name='x' valueReference='2' causality='output' start='1 2 3 4 5 6'>"
        "<Dimension valueReference='1'/><Dimension start='2'/>"
        "<Alias name='y' description='another name'/></Float64>"
        "<Float64 name='der(x)' valueReference='3' derivative='2'><Dimension valueReference='1'/>"
        "<Dimension start='2'/></Float64>"
        "<Int8 name='k' valueReference='4' causality='parameter' start='-3'/>"
        "<String name='s' valueReference='5' causality='parameter' variability='fixed'><Start value='text'/>"
        "</String>"
        "<Clock name='c' valueReference='6' causality='input' intervalVariability='constant' "
        "intervalDecimal='0.1'/></ModelVariables>"
        "<ModelStructure><Output valueReference='2'/><ContinuousStateDerivative valueReference='3' "
        "dependencies='2'/></ModelStructure>" TAIL);
    if (CHECK(r.d != NULL)) {
        CHECK(r.d->version == FMI_3 && r.d->states == 6 && r.d->indicators == 0);
        CHECK(r.d->kind[FMU_CS].event_mode && r.d->variables.n == 8);
        CHECK(r.d->variables.at[2].elements == 6 && r.d->variables.at[3].derivative_of == 2);
        CHECK(r.d->variables.at[4].variability == FMU_FIXED && r.d->variables.at[4].base == FMU_INT8);
        CHECK(!strcmp(r.d->variables.at[5].start, "text") && r.d->variables.at[6].interval == 0.1);
        CHECK(!strcmp(r.d->variables.at[7].name, "y") && r.d->variables.at[7].is_alias_entry);
    }
    reading_free(&r);
}

/* Each of these is one error, with the place of the element. */
static const struct {
    const char *name, *text, *message;
} wrong[] = {
    { "no XML", "model M end M;", "syntax error" },
    { "cut off", HEAD_2 ME_2 "<ModelVariables>", "no element found" },
    { "an entity", "<!DOCTYPE a [<!ENTITY b 'c'>]><fmiModelDescription fmiVersion='2.0'/>", "document type" },
    { "another document", "<html/>", "not the description" },
    { "a version to come", "<fmiModelDescription fmiVersion='4.0'/>", "not the description" },
    { "no interface", HEAD_2 "<ModelVariables/>" TAIL, "neither model exchange" },
    { "no identifier", HEAD_2 "<ModelExchange/>" TAIL, "modelIdentifier" },
    { "no name",
      HEAD_2 ME_2
      "<ModelVariables><ScalarVariable valueReference='1'><Real/></ScalarVariable></ModelVariables>" TAIL,
      "needs a name" },
    { "no reference",
      HEAD_2 ME_2 "<ModelVariables><ScalarVariable name='a'><Real/></ScalarVariable></ModelVariables>" TAIL,
      "needs a name" },
    { "derivative of nothing",
      HEAD_2 ME_2
      "<ModelVariables><ScalarVariable name='a' valueReference='1'><Real derivative='9'/></ScalarVariable>"
      "</ModelVariables>" TAIL,
      "derivative of variable 9" },
    { "unknown of nothing",
      HEAD_2 ME_2 "<ModelStructure><Outputs><Unknown index='4'/></Outputs></ModelStructure>" TAIL,
      "index of a variable" },
    { "a reference twice",
      HEAD_3 ME_3
      "<ModelVariables><Float64 name='a' valueReference='1'/><Float64 name='b' valueReference='1'/>"
      "</ModelVariables>" TAIL,
      "value reference of 'a'" },
    { "a size without a value",
      HEAD_3 ME_3
      "<ModelVariables><Float64 name='a' valueReference='1'><Dimension valueReference='8'/></Float64>"
      "</ModelVariables>" TAIL,
      "size of an array" },
    { "far too many elements",
      HEAD_3 ME_3 "<ModelVariables><Float64 name='a' valueReference='1'><Dimension start='4000000000'/>"
                  "<Dimension start='4000000000'/></Float64></ModelVariables>" TAIL,
      "too many" },
    { "states by the billion",
      "<fmiModelDescription fmiVersion='1.0' modelIdentifier='M' numberOfContinuousStates='99999999999'/>",
      "cannot be" },
};

static void check_wrong(void)
{
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        Reading r = read_text(wrong[i].text);
        CHECK_ROW(!r.d && r.diag.errors == 1, wrong[i].name);
        bool said = r.diag.notes.n && strstr(r.diag.notes.at[r.diag.notes.n - 1]->text, wrong[i].message);
        for (uint32_t k = 0; k < r.diag.notes.n && !said; k++)
            said = strstr(r.diag.notes.at[k]->text, wrong[i].message) != NULL;
        if (!CHECK_ROW(said, wrong[i].name) && r.diag.notes.n)
            printf("  it says: %s\n", r.diag.notes.at[0]->text);
        reading_free(&r);
    }
}

/* These run. */
static const char *const forgiven[] = {
    HEAD_2 ME_2 "<ModelVariables><ScalarVariable name='a' valueReference='1' causality='sideways'><Real/>"
                "</ScalarVariable></ModelVariables>" TAIL,
    HEAD_2 ME_2 "<ModelVariables><ScalarVariable name='a' valueReference='1'><Real nominal='much'/>"
                "</ScalarVariable></ModelVariables>" TAIL,
    HEAD_2 ME_2 "<DefaultExperiment stopTime='soon'/>" TAIL,
    HEAD_2 ME_2
    "<ModelVariables><ScalarVariable name='a' valueReference='1'><Real/></ScalarVariable></ModelVariables>"
    "<ModelStructure><Outputs><Unknown index='1' dependencies='77'/></Outputs></ModelStructure>" TAIL,
};

static void check_forgiven(void)
{
    for (size_t i = 0; i < COUNT_OF(forgiven); i++) {
        Reading r = read_text(forgiven[i]);
        CHECK_ROW(r.d && r.diag.errors == 0 && r.diag.warnings == 1, forgiven[i]);
        reading_free(&r);
    }
}

int main(void)
{
    check_version_1();
    check_version_2();
    check_version_3();
    check_wrong();
    check_forgiven();
    return test_end();
}
