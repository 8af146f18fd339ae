/* A change of a class changes just what it is about: each case says which pieces of the text are
 * others behind it, and everything else has to be the same, byte by byte. */
#include "edit/edit.h"
#include "test.h"

static const char text[] =
    "within Lib;\n"
    "// a circuit that somebody laid out with care\n"
    "model Circuit   \"with a \\\"name\\\"\"\n"
    "  import SI = Modelica.Units.SI;\n"
    "  extends Base(k=3);\n"
    "\tModelica.Electrical.Analog.Basic.Resistor   R1(R=100, useHeatPort = false) /* keep */ \"the first\" "
    "annotation (\n"
    "    Placement(transformation(extent={{-10,-10},{10,10}}, rotation=90)));  // R1\n"
    "  Resistor R2, R3(R = 5)   annotation(Dialog(group=\"x\")), R4[2];\n"
    "  parameter Real k = 2 \"gain\";\n"
    "  parameter Real open;\n"
    "protected\n"
    "  Real hidden = R1.i + R2.i;\n"
    "equation\n"
    "\n"
    "  connect(R1.p,   R2.n); // first\n"
    "  connect(R1.n, R3.p) annotation (Line(points={{0,0},{1,1}}, color={0,0,255}));\n"
    "  if k > 1 then\n"
    "    connect(R2.p, R4[1].n);\n"
    "  end if;\n"
    "  // the end\n"
    "  annotation (experiment(StopTime=1), Icon(graphics={Line(points={{0,0},{k,1}})}));\n"
    "end Circuit;\n";

static const char bare[] =
    "model A end A;\nmodel B \"b\"\n  Real x;\nequation\nend B;\npackage P\n  model C\n  end C;\nend P;\n"
    "type T = Real;\nmodel E\n  extends B;\nend E;\n";

typedef struct {
    const char *rule, *text, *cls;
    Edit edit;
    const char *changes[10]; /* was, is, was, is ... in this order; a refusal has "!", and why */
} Case;

static const Case cases[] = {
    { "a component comes behind the last public one",
      text,
      "Lib.Circuit",
      { EDIT_ADD, "C1", "Capacitor", "(C = 1e-6)", "Placement(transformation(extent = {{0, 0}, {20, 20}}))" },
      { "  parameter Real open;\n",
        "  parameter Real open;\n  Capacitor C1(C = 1e-6) annotation(Placement(transformation(extent = {{0, "
        "0}, {20, 20}})));\n" } },
    { "in an empty class, too",
      bare,
      "A",
      { EDIT_ADD, "r", "R", NULL, NULL },
      { "model A end A;", "model A\n  R r; end A;" } },
    { "behind a description",
      bare,
      "P.C",
      { EDIT_ADD, "r", "R", NULL, NULL },
      { "  model C\n", "  model C\n    R r;\n" } },
    { "names are there once",
      text,
      "Lib.Circuit",
      { EDIT_ADD, "R3", "R", NULL, NULL },
      { "!", "there is a 'R3' already" } },
    { "a component goes with its line, its comment stays",
      text,
      "Lib.Circuit",
      { EDIT_REMOVE, "k", NULL, NULL, NULL },
      { "  parameter Real k = 2 \"gain\";\n", "" } },
    { "with its connections",
      text,
      "Lib.Circuit",
      { EDIT_REMOVE, "R1", NULL, NULL, NULL },
      { "Modelica.Electrical.Analog.Basic.Resistor   R1(R=100, useHeatPort = false) /* keep */ \"the first\" "
        "annotation (\n"
        "    Placement(transformation(extent={{-10,-10},{10,10}}, rotation=90)));",
        "", "connect(R1.p,   R2.n);", "",
        "  connect(R1.n, R3.p) annotation (Line(points={{0,0},{1,1}}, color={0,0,255}));\n", "" } },
    { "one of several",
      text,
      "Lib.Circuit",
      { EDIT_REMOVE, "R3", NULL, NULL, NULL },
      { ", R3(R = 5)   annotation(Dialog(group=\"x\"))", "",
        "  connect(R1.n, R3.p) annotation (Line(points={{0,0},{1,1}}, color={0,0,255}));\n", "" } },
    { "the first of several, and connections in branches",
      text,
      "Lib.Circuit",
      { EDIT_REMOVE, "R2", NULL, NULL, NULL },
      { "R2, ", "", "connect(R1.p,   R2.n);", "", "    connect(R2.p, R4[1].n);\n", "" } },
    { "a place that is there",
      text,
      "Lib.Circuit",
      { EDIT_PLACE, "R1", NULL, "transformation(extent = {{1, 2}, {3, 4}})", NULL },
      { "transformation(extent={{-10,-10},{10,10}}, rotation=90)",
        "transformation(extent = {{1, 2}, {3, 4}})" } },
    { "a place beside another annotation",
      text,
      "Lib.Circuit",
      { EDIT_PLACE, "R3", NULL, "transformation(extent = {{1, 2}, {3, 4}})", NULL },
      { "Dialog(group=\"x\")",
        "Dialog(group=\"x\"), Placement(transformation(extent = {{1, 2}, {3, 4}}))" } },
    { "a first annotation, behind the description",
      text,
      "Lib.Circuit",
      { EDIT_PLACE, "k", NULL, "transformation(extent = {{1, 2}, {3, 4}})", NULL },
      { "\"gain\"", "\"gain\" annotation(Placement(transformation(extent = {{1, 2}, {3, 4}})))" } },
    { "of an array",
      text,
      "Lib.Circuit",
      { EDIT_PLACE, "R4", NULL, "transformation(extent = {{1, 2}, {3, 4}})", NULL },
      { "R4[2]", "R4[2] annotation(Placement(transformation(extent = {{1, 2}, {3, 4}})))" } },
    { "a connection comes last",
      text,
      "Lib.Circuit",
      { EDIT_CONNECT, "R3.n", "R4[2].p", NULL, "Line(points = {{0, 0}, {5, 5}})" },
      { "  end if;\n",
        "  end if;\n  connect(R3.n, R4[2].p) annotation(Line(points = {{0, 0}, {5, 5}}));\n" } },
    { "or makes the section",
      bare,
      "P.C",
      { EDIT_CONNECT, "a", "b", NULL, NULL },
      { "  model C\n", "  model C\n  equation\n    connect(a, b);\n" } },
    { "or fills it",
      bare,
      "B",
      { EDIT_CONNECT, "a", "b", NULL, NULL },
      { "equation\n", "equation\n  connect(a, b);\n" } },
    { "a connection goes, in whatever order it is named",
      text,
      "Lib.Circuit",
      { EDIT_DISCONNECT, "R3.p", "R1.n", NULL, NULL },
      { "  connect(R1.n, R3.p) annotation (Line(points={{0,0},{1,1}}, color={0,0,255}));\n", "" } },
    { "what is not there",
      text,
      "Lib.Circuit",
      { EDIT_DISCONNECT, "R3.p", "R1.x", NULL, NULL },
      { "!", "there is no connect(R3.p, R1.x) in this class itself" } },
    { "a route that is there",
      text,
      "Lib.Circuit",
      { EDIT_ROUTE, "R1.n", "R3.p", "{{0, 0}, {0, 9}}", NULL },
      { "points={{0,0},{1,1}}, c", "points = {{0, 0}, {0, 9}}, c" } },
    { "a route of a connection without one",
      text,
      "Lib.Circuit",
      { EDIT_ROUTE, "R1.p", "R2.n", "{{0, 0}, {0, 9}}", NULL },
      { "R2.n)", "R2.n) annotation(Line(points = {{0, 0}, {0, 9}}))" } },
    { "a modifier that is there",
      text,
      "Lib.Circuit",
      { EDIT_SET, "R1.R", NULL, "2*k", NULL },
      { "R=100", "R=2*k" } },
    { "one more",
      text,
      "Lib.Circuit",
      { EDIT_SET, "R1.alpha", NULL, "1e-3", NULL },
      { "useHeatPort = false", "useHeatPort = false, alpha = 1e-3" } },
    { "deeper",
      text,
      "Lib.Circuit",
      { EDIT_SET, "R3.R.start", NULL, "7", NULL },
      { "R = 5", "R(start = 7) = 5" } },
    { "the first",
      text,
      "Lib.Circuit",
      { EDIT_SET, "R4.R", NULL, "{1, 2}", NULL },
      { "R4[2]", "R4[2](R = {1, 2})" } },
    { "a value", text, "Lib.Circuit", { EDIT_SET, "k", NULL, "4", NULL }, { "k = 2 ", "k = 4 " } },
    { "a first value", text, "Lib.Circuit", { EDIT_SET, "open", NULL, "4", NULL }, { "open;", "open = 4;" } },
    { "of what is inherited",
      text,
      "Lib.Circuit",
      { EDIT_SET, "k2", NULL, "4", NULL },
      { "Base(k=3)", "Base(k=3, k2 = 4)" } },
    { "of what is inherited, the first",
      bare,
      "E",
      { EDIT_SET, "x.start", NULL, "4", NULL },
      { "extends B;", "extends B(x(start = 4));" } },
    { "nothing, the last of several",
      text,
      "Lib.Circuit",
      { EDIT_SET, "R1.useHeatPort", NULL, "", NULL },
      { "R=100, useHeatPort = false", "R=100" } },
    { "nothing, the first of several",
      text,
      "Lib.Circuit",
      { EDIT_SET, "R1.R", NULL, "", NULL },
      { "R=100, useHeatPort", "useHeatPort" } },
    { "nothing, the only one",
      text,
      "Lib.Circuit",
      { EDIT_SET, "R3.R", NULL, "", NULL },
      { "R3(R = 5)", "R3" } },
    { "no value", text, "Lib.Circuit", { EDIT_SET, "k", NULL, "", NULL }, { "k = 2 \"", "k \"" } },
    { "what has none",
      text,
      "Lib.Circuit",
      { EDIT_SET, "open", NULL, "", NULL },
      { "!", "'open' has no value here" } },
    { "nonsense is refused",
      text,
      "Lib.Circuit",
      { EDIT_SET, "k", NULL, "4;", NULL },
      { "!", "this would make the text wrong: is '4;' well formed?" } },
    { "a new name, everywhere",
      text,
      "Lib.Circuit",
      { EDIT_RENAME, "R1", "Rin", NULL, NULL },
      { "R1(R=100", "Rin(R=100", "R1.i", "Rin.i", "R1.p", "Rin.p", "R1.n", "Rin.n" } },
    { "a name that is taken",
      text,
      "Lib.Circuit",
      { EDIT_RENAME, "R1", "R2", NULL, NULL },
      { "!", "there is a 'R2' already" } },
    { "a member of the class' annotation",
      text,
      "Lib.Circuit",
      { EDIT_ANNOTATE, "experiment", NULL, "experiment(StopTime = 5)", NULL },
      { "experiment(StopTime=1)", "experiment(StopTime = 5)" } },
    { "a further one",
      text,
      "Lib.Circuit",
      { EDIT_ANNOTATE, "version", NULL, "version = \"2\"", NULL },
      { "{k,1}})})", "{k,1}})}), version = \"2\"" } },
    { "the first annotation",
      bare,
      "B",
      { EDIT_ANNOTATE, "experiment", NULL, "experiment(StopTime = 5)", NULL },
      { "equation\nend B", "equation\n  annotation(experiment(StopTime = 5));\nend B" } },
    { "a class that is not there",
      text,
      "Circuit",
      { EDIT_REMOVE, "k", NULL, NULL, NULL },
      { "!", "there is no class 'Circuit' in this text" } },
    { "a short class",
      bare,
      "T",
      { EDIT_ADD, "x", "Real", NULL, NULL },
      { "!", "'T' is a short class, which has nothing in it" } },
};

static void add_changed(const char *before, const char *const *changes, Text *out)
{
    const char *at = before;
    for (; *changes; changes += 2) {
        const char *found = strstr(at, changes[0]);
        if (!CHECK(found != NULL)) return;
        text_add(out, (Str){ at, (size_t)(found - at) });
        text_add(out, str_of(changes[1]));
        at = found + strlen(changes[0]);
    }
    text_add(out, str_of(at));
}

static void each_changes_only_what_it_is_about(Arena *arena)
{
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const Case *c = &cases[i];
        char why[300];
        Text got = { .arena = arena }, want = { .arena = arena };
        bool ok = edit_apply(str_of(c->text), c->cls, &c->edit, &got, why, sizeof why);
        if (!strcmp(c->changes[0], "!")) {
            CHECK_ROW(!ok && !got.n, c->rule);
            if (!ok && !CHECK_TEXT(why, c->changes[1])) printf("  in row: %s\n", c->rule);
            continue;
        }
        if (!CHECK_ROW(ok, c->rule)) {
            printf("  %s\n", why);
            continue;
        }
        add_changed(c->text, c->changes, &want);
        if (!CHECK_TEXT(got.at, want.at)) printf("  in row: %s\n", c->rule);
    }
}

static void line_ends_stay(Arena *arena)
{
    static const char dos[] = "model A\r\n  Real x;\r\nend A;\r\n";
    char why[300];
    Text got = { .arena = arena };
    Edit edit = { EDIT_ADD, "y", "Real", NULL, NULL };
    CHECK(edit_apply(str_of(dos), "A", &edit, &got, why, sizeof why));
    CHECK_TEXT(got.at, "model A\r\n  Real x;\r\n  Real y;\r\nend A;\r\n");
}

int main(void)
{
    Arena *arena = arena_new();
    each_changes_only_what_it_is_about(arena);
    line_ends_stay(arena);
    arena_free(arena);
    return test_end();
}
