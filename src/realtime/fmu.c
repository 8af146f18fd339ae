/* fmu.c: a stepper as a co-simulation FMU of FMI 2.0 with a fixed step: its C text, a thin layer of
 * fmi2 functions around it, and the description.
 *
 * In: a stepper that can be exported as C. Out: two texts: description and layer. Value references:
 * 0 is time, then states, inputs, outputs. A communication step has to be a multiple of the
 * stepper's; outputs that are no states are those of the beginning of the last step. Always: all
 * that an instance has is one struct, so its state can be copied. Who packs it is api/. Tests:
 * tests/cli/realtime.sh (validated and run by this program). */
#include "realtime/inside.h"

#include <inttypes.h>
#include <stdio.h>

typedef struct {
    const RtStepper *s;
    const char *name;
    Text *out;
    int *inputs, input_count;
} Fmu;

static void find_inputs(Fmu *f, Arena *arena)
{
    const ModelShape *shape = f->s->shape;
    f->inputs = NEW_ARRAY(arena, int, (size_t)shape->variable_count + 1);
    for (int k = 0; k < shape->variable_count; k++)
        if (shape->variables[k].is_input) f->inputs[f->input_count++] = k;
}

/* ---- the description ------------------------------------------------------------------------- */

static void add_variable(Fmu *f, const char *name, int reference, const char *rest, double start)
{
    text_add_literal(f->out, "    <ScalarVariable name=\"");
    text_add_xml(f->out, name);
    text_printf(f->out, "\" valueReference=\"%d\" %s><Real", reference, rest);
    if (start == start) {
        text_add_literal(f->out, " start=\"");
        text_add_real(f->out, start);
        text_add_char(f->out, '"');
    }
    text_add_literal(f->out, "/></ScalarVariable>\n");
}

/* A state that is an output is listed once, as the output. */
static int output_of_state(const RtStepper *s, int state)
{
    for (size_t k = 0; k < s->options.output_count; k++)
        if (!strcmp(s->shape->variables[s->options.outputs[k]].name, s->names[state])) return (int)k;
    return -1;
}

static void add_variables(Fmu *f)
{
    const RtStepper *s = f->s;
    int n = s->system.n, next = 1 + n;
    const double nothing = 0.0 / 0.0;
    const double *values = s->arrays[gen_straight_values(s->code)].at;
    add_variable(f, "time", 0, "causality=\"independent\" variability=\"continuous\"", nothing);
    for (int i = 0; i < n; i++)
        if (output_of_state(s, i) < 0)
            add_variable(f, s->names[i], 1 + i,
                         "causality=\"local\" variability=\"continuous\" initial=\"calculated\"", nothing);
    for (int k = 0; k < f->input_count; k++, next++) {
        const ModelVariable *v = &s->shape->variables[f->inputs[k]];
        add_variable(f, v->name, next, "causality=\"input\" variability=\"continuous\"", values[v->slot]);
    }
    for (size_t k = 0; k < s->options.output_count; k++, next++)
        add_variable(f, s->shape->variables[s->options.outputs[k]].name, next,
                     "causality=\"output\" variability=\"continuous\" initial=\"calculated\"", nothing);
}

static void add_structure(Fmu *f)
{
    const RtStepper *s = f->s;
    int hidden = 0;
    for (int i = 0; i < s->system.n; i++) hidden += output_of_state(s, i) >= 0;
    int first = 2 + s->system.n - hidden + f->input_count, outputs = (int)s->options.output_count;
    text_add_literal(f->out, "  <ModelStructure>\n");
    for (int pass = 0; pass < 2 && outputs; pass++) {
        text_printf(f->out, "    <%s>\n", pass ? "InitialUnknowns" : "Outputs");
        for (int k = 0; k < outputs; k++) text_printf(f->out, "      <Unknown index=\"%d\"/>\n", first + k);
        text_printf(f->out, "    </%s>\n", pass ? "InitialUnknowns" : "Outputs");
    }
    text_add_literal(f->out, "  </ModelStructure>\n");
}

void stepper_describe_fmu(const RtStepper *s, const char *name, const char *guid, double stop, Text *out)
{
    Fmu f = { .s = s, .name = name, .out = out };
    find_inputs(&f, out->arena);
    text_add_literal(
        out,
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiModelDescription fmiVersion=\"2.0\" modelName=\"");
    text_add_xml(out, s->shape->name);
    text_printf(out,
                "\" guid=\"%s\" generationTool=\"Acausal\" variableNamingConvention=\"structured\" "
                "numberOfEventIndicators=\"0\">\n",
                guid);
    text_printf(out,
                "  <CoSimulation modelIdentifier=\"%s\" canHandleVariableCommunicationStepSize=\"false\" "
                "canGetAndSetFMUstate=\"true\">\n    <SourceFiles>\n      <File name=\"%s_fmi2.c\"/>\n      "
                "<File name=\"%s.c\"/>\n"
                "    </SourceFiles>\n  </CoSimulation>\n",
                name, name, name);
    text_add_literal(out, "  <DefaultExperiment startTime=\"");
    text_add_real(out, s->t0);
    text_add_literal(out, "\" stopTime=\"");
    text_add_real(out, stop);
    text_add_literal(out, "\" stepSize=\"");
    text_add_real(out, s->system.tau);
    text_add_literal(out, "\"/>\n  <ModelVariables>\n");
    add_variables(&f);
    text_add_literal(out, "  </ModelVariables>\n");
    add_structure(&f);
    text_add_literal(out, "</fmiModelDescription>\n");
}

/* ---- the layer ------------------------------------------------------------------------------- */

/* @N is the name, @G the guid, @h the step. */
static const char *const layer[] = {
    "/* @N_fmi2.c: the functions of FMI 2.0 for co-simulation around @N.c. */\n"
    "#include \"@N.h\"\n\n#include <math.h>\n#include <stddef.h>\n#include <stdlib.h>\n#include "
    "<string.h>\n\n"
    "#if defined(_WIN32)\n#define API __declspec(dllexport)\n#else\n#define API "
    "__attribute__((visibility(\"default\")))\n#endif\n\n"
    "typedef enum { fmi2OK, fmi2Warning, fmi2Discard, fmi2Error, fmi2Fatal, fmi2Pending } fmi2Status;\n"
    "typedef struct {\n    @N model;\n    double start; /* what the environment calls the model's start "
    "*/\n} Instance;\n\n"
    "API const char *fmi2GetTypesPlatform(void) { return \"default\"; }\n"
    "API const char *fmi2GetVersion(void) { return \"2.0\"; }\n"
    "API fmi2Status fmi2SetDebugLogging(void *c, int on, size_t n, const char *const *names)\n"
    "{\n    (void)c, (void)on, (void)n, (void)names;\n    return fmi2OK;\n}\n\n"
    "API void *fmi2Instantiate(const char *name, int type, const char *guid, const char *place, const void "
    "*calls, int visible, int log)\n"
    "{\n    (void)name, (void)place, (void)calls, (void)visible, (void)log;\n"
    "    Instance *i = type == 1 && !strcmp(guid, \"@G\") ? calloc(1, sizeof *i) : NULL;\n"
    "    if (i) @N_start(&i->model);\n    return i;\n}\n\n"
    "API void fmi2FreeInstance(void *c) { free(c); }\n"
    "API fmi2Status fmi2SetupExperiment(void *c, int has_tol, double tol, double start, int has_stop, double "
    "stop)\n"
    "{\n    (void)has_tol, (void)tol, (void)has_stop, (void)stop;\n    Instance *i = c;\n    i->start = "
    "start - i->model.time;\n    return fmi2OK;\n}\n\n"
    "API fmi2Status fmi2EnterInitializationMode(void *c)\n{\n    (void)c;\n    return fmi2OK;\n}\n"
    "API fmi2Status fmi2ExitInitializationMode(void *c)\n{\n    (void)c;\n    return fmi2OK;\n}\n"
    "API fmi2Status fmi2Terminate(void *c)\n{\n    (void)c;\n    return fmi2OK;\n}\n"
    "API fmi2Status fmi2Reset(void *c)\n{\n    @N_start(&((Instance *)c)->model);\n    return fmi2OK;\n}\n\n"
    "API fmi2Status fmi2GetReal(void *c, const unsigned *r, size_t n, double *values)\n"
    "{\n    const Instance *i = c;\n    for (size_t k = 0; k < n; k++) {\n        unsigned at = r[k];\n"
    "        if (at == 0)\n            values[k] = i->model.time + i->start;\n"
    "        else if (at <= @N_STATES)\n            values[k] = i->model.x[at - 1];\n"
    "        else if (at <= @N_STATES + @N_INPUTS)\n            values[k] = i->model.u[at - 1 - @N_STATES];\n"
    "        else if (at <= @N_STATES + @N_INPUTS + @N_OUTPUTS)\n            values[k] = i->model.y[at - 1 - "
    "@N_STATES - @N_INPUTS];\n"
    "        else\n            return fmi2Error;\n    }\n    return fmi2OK;\n}\n\n"
    "API fmi2Status fmi2SetReal(void *c, const unsigned *r, size_t n, const double *values)\n"
    "{\n    Instance *i = c;\n    for (size_t k = 0; k < n; k++) {\n"
    "        if (r[k] <= @N_STATES || r[k] > @N_STATES + @N_INPUTS) return fmi2Error;\n"
    "        @N_set_input(&i->model, (int)(r[k] - 1 - @N_STATES), values[k]);\n    }\n    return "
    "fmi2OK;\n}\n\n",
    "API fmi2Status fmi2DoStep(void *c, double t, double h, int no_set_state)\n"
    "{\n    Instance *i = c;\n    double count = floor(h / @h + 0.5);\n    (void)t, (void)no_set_state;\n"
    "    if (!(count >= 1) || fabs(h / @h - count) > 1e-6) return fmi2Error;\n"
    "    int held = 0;\n    for (double k = 0; k < count; k += 1) held |= @N_step(&i->model) & @N_HELD;\n"
    "    return held ? fmi2Discard : fmi2OK;\n}\n\n"
    "API fmi2Status fmi2GetFMUstate(void *c, void **state)\n"
    "{\n    if (!*state) *state = malloc(sizeof(Instance));\n    if (!*state) return fmi2Error;\n    "
    "memcpy(*state, c, sizeof(Instance));\n    return fmi2OK;\n}\n\n"
    "API fmi2Status fmi2SetFMUstate(void *c, void *state)\n{\n    memcpy(c, state, sizeof(Instance));\n    "
    "return fmi2OK;\n}\n\n"
    "API fmi2Status fmi2FreeFMUstate(void *c, void **state)\n{\n    (void)c;\n    free(*state);\n    *state "
    "= NULL;\n    return fmi2OK;\n}\n\n"
    "/* What the description says is not there. */\n"
    "#define NOTHING(name) \\\n    API fmi2Status name() { return fmi2Error; }\n"
    "#define EMPTY(name, type) \\\n    API fmi2Status name(void *c, const unsigned *r, size_t n, type "
    "*values) \\\n    { \\\n        (void)c, (void)r, (void)values; \\\n        return n ? fmi2Error : "
    "fmi2OK; \\\n    }\n"
    "EMPTY(fmi2GetInteger, int)\nEMPTY(fmi2GetBoolean, int)\nEMPTY(fmi2GetString, const char *)\n"
    "EMPTY(fmi2SetInteger, const int)\nEMPTY(fmi2SetBoolean, const int)\nEMPTY(fmi2SetString, const char "
    "*const)\n"
    "NOTHING(fmi2SerializedFMUstateSize)\nNOTHING(fmi2SerializeFMUstate)\nNOTHING(fmi2DeSerializeFMUstate)\n"
    "NOTHING(fmi2GetDirectionalDerivative)\nNOTHING(fmi2SetRealInputDerivatives)\nNOTHING("
    "fmi2GetRealOutputDerivatives)\n"
    "NOTHING(fmi2CancelStep)\nNOTHING(fmi2GetStatus)\nNOTHING(fmi2GetRealStatus)\nNOTHING("
    "fmi2GetIntegerStatus)\n"
    "NOTHING(fmi2GetBooleanStatus)\nNOTHING(fmi2GetStringStatus)\n"
};

void stepper_layer_fmu(const RtStepper *s, const char *name, const char *guid, Text *out)
{
    for (size_t part = 0; part < COUNT_OF(layer); part++)
        for (const char *c = layer[part]; *c; c++) {
            if (*c != '@')
                text_add_char(out, *c);
            else if (*++c == 'N')
                text_add(out, str_of(name));
            else if (*c == 'G')
                text_add(out, str_of(guid));
            else
                text_printf(out, "%.17g", s->system.tau);
        }
}
