/* Each mistake is reported once, where it is; what is right around it is still understood. */
#include "syntax/texts.h"
#include "test.h"

static const struct {
    const char *text, *errors; /* line:column code, ... */
} cases[] = {
    /* expressions */
    { "model M\nequation\n  x = 1 +;\n  y = 2;\nend M;", "3:10 E0201" },
    { "model M\nequation\n  x = 1 +;\n  y = * 2;\n  z = (3;\nend M;", "3:10 E0201; 4:7 E0201; 5:9 E0201" },
    { "model M Real x = f(a b); Real y = {1, }; Real z = [1, 2; ]; end M;",
      "1:22 E0201; 1:39 E0201; 1:58 E0201" },
    { "model M Real x = [1, 2 +; 3, 4]; Real y; end M;", "1:25 E0201" },
    { "model M Real x = a * -b; end M;", "1:22 E0201" },
    { "model M Real x = a ^ b ^ c; end M;", "1:24 E0201" },
    { "model M Real x = a < b < c; end M;", "1:24 E0201" },
    { "model M Real x = if a then b; end M;", "1:29 E0201" },
    { "model M Real x = f(a = 1, 2); end M;", "1:27 E0205" },
    { "model M Real x = end; end M;", "1:18 E0201" },
    { "model M Real x = a + * b[end]; Real y; end M;", "1:22 E0201" },
    /* words */
    { "model M Real x = 1e; Real y = 2x; Real z = 1.2.3; end M;", "1:18 E0106; 1:31 E0106; 1:44 E0106" },
    { "model M Real x = a && b; Real y = c § d; end M;", "1:20 E0101; 1:37 E0101" },
    { "model M Real x = \"a\\qb\"; Real y; end M;", "1:20 E0105" },
    { "model M \"C:\\Figs\" Real x; end M;", "1:12 E0105" },
    { "model M \"G\xFCnter \xE9\" Real x \"\xE9\"; end M;", "1:11 E0107" },
    { "model M Real x = if time < 1e-3then 2else 3; end M;", "1:28 E0106; 1:37 E0106" },
    { "model M Real x = 'abc;\nReal y; end M;", "1:18 E0104" },
    { "model M Real x = 1e999; Integer y = 9223372036854775808; end M;", "1:18 E0207; 1:37 E0207" },
    { "model M \xFF\xFE Real x; end M;", "1:9 E0107" },
    { "model M /* never closed", "1:9 E0103" },
    { "model M Real x = \"never closed", "1:18 E0102" },
    { "model M\n  Real x = \"abc;\n  Real y \"desc\";\n  Real z = 1 +;\nend M;", "2:12 E0102; 4:15 E0201" },
    { "model parameter Real x; end parameter;", "1:7 E0201; 1:29 E0201" },
    { "model M Real in; Real y; end M;", "1:14 E0206" },
    /* declarations */
    { "model M\n  Real x\n  Real y;\nend M;", "2:9 E0201" },
    { "model M\n  Real x(start = 1;\n  Real y;\nend M;", "2:19 E0201" },
    { "model M\n  X x(a = 1 +, redeclare model Y = Z);\n  Real y;\nend M;", "2:14 E0201" },
    { "model M if a then x = 1; end if; end M;", "1:9 E0205" },
    { "model M parameter constant Real x; Real y; end M;", "1:19 E0205" },
    { "model M final final Real x; end M;", "1:15 E0205" },
    { "expandable model M end M;", "1:12 E0205" },
    { "model M annotation(a); annotation(b); end M;", "1:24 E0205" },
    { "function f external; external \"C\"; end f;", "1:22 E0205" },
    /* equations and statements */
    { "model M\nequation\n  Real x;\n  parameter Real y = 2;\n  x = 1;\nend M;", "3:3 E0205; 4:3 E0205" },
    { "model M equation x := 1; algorithm y = 1; end M;", "1:20 E0205; 1:38 E0205" },
    { "model M equation while a loop x = 1; end while; end M;", "1:18 E0205" },
    { "model M algorithm connect(a, b); f(x) := 1; (a, b) := 2; end M;",
      "1:19 E0205; 1:34 E0205; 1:55 E0205" },
    { "model M equation connect(a b); x == y; end M;", "1:28 E0201; 1:38 E0201" },
    /* ends */
    { "model M\nequation\n  if a then\n    x = 1;\n  y = 2;\nend M;", "6:1 E0202" },
    { "model M\nequation\n  for i in 1:2 loop\n    x = 1;\n  end if;\n  y = 2;\nend M;", "5:3 E0202" },
    { "model M\nequation\n  if a then\n    when b then\n      x = 1;\n  end if;\nend M;", "6:3 E0202" },
    { "model M\nequation\n  if a then\n    x = 1;\nalgorithm\n  y := 1;\nend M;", "5:1 E0202" },
    { "package P\n  model A\n    Real x;\n  model B\n  end B;\nend P;", "6:1 E0202" },
    { "model M Real x; end N; model O end O;", "1:21 E0203" },
    { "model M Real x; end; model O end O;", "1:20 E0201" },
    { "model M equation end if; x = 1; else y = 2; end M;", "1:18 E0205; 1:33 E0205" },
    { "model M\n  Real x;", "2:10 E0202" },
    { "model M\n  Real x", "2:9 E0201" },
    { "package P model A model B Real x;", "1:34 E0202" },
    /* files */
    { "end M; foo; model M end M;", "1:1 E0201; 1:8 E0201" },
    { "within A.; model M end M;", "1:10 E0201" },
    { "\xFF\xFEm\0", "1:1 E0107" },
};

/* What is whole stays: all classes and elements without a mistake are in the tree. */
static void check_what_is_left(World *w)
{
    Diag diag;
    const Tree *tree = world_parse(
        w, STR("model A Real x; Real y = 1 +; Real z; end A; model B Real; end B; model C end C;"), &diag);
    CHECK(tree->n == 3 && tree->classes[0]->element_count == 2 && tree->classes[1]->element_count == 0);
}

static void add_repeated(Text *text, const char *piece, int times)
{
    for (int i = 0; i < times; i++) text_add(text, str_of(piece));
}

/* However deep a text is nested, there is one message and no crash. */
static void check_depth(World *w)
{
    static const struct {
        const char *before, *piece, *after;
    } nests[] = {
        { "model M Real x = ", "(", "1" },
        { "model M Real x = ", "f(", "1" },
        { "model M Real x = ", "{", "1" },
        { "model M Real x = ", "a[", "1" },
        { "model M Real x", "(a", "" },
        { "", "model M ", "" },
        { "model M equation ", "if a then ", "" },
        { "model M algorithm ", "for i loop ", "" },
        { "model M Real x = ", "if a then b else ", "1" },
        { "model M Real x = ", "[", "1" },
    };
    for (size_t i = 0; i < COUNT_OF(nests); i++) {
        Text text = { .arena = w->arena };
        Diag diag;
        text_add(&text, str_of(nests[i].before));
        add_repeated(&text, nests[i].piece, 100000);
        text_add(&text, str_of(nests[i].after));
        world_parse(w, (Str){ text.at, text.n }, &diag);
        CHECK_ROW(diag.errors == 1 && diag.notes.at[0]->code == E_TOO_DEEP, nests[i].piece);
    }
}

/* The message says what was wanted and what is there. */
static void check_messages(World *w)
{
    static const struct {
        const char *text, *message;
    } messages[] = {
        { "model M equation x = 1 +; end M;", "expected an expression, found ';'" },
        { "model M Real x y; end M;", "expected ';' after the declaration, found 'y'" },
        { "model M equation if a then x = 1; end M;", "expected 'end if', found 'end M'" },
        { "model M end N;", "expected 'end M', found 'end N'" },
        { "model M Real x(a = 1 b = 2); end M;", "expected ',' or ')' in the modification, found 'b'" },
    };
    for (size_t i = 0; i < COUNT_OF(messages); i++) {
        Diag diag;
        world_parse(w, str_of(messages[i].text), &diag);
        if (CHECK_ROW(diag.notes.n == 1, messages[i].text))
            CHECK_TEXT(diag.notes.at[0]->text, messages[i].message);
    }
}

int main(void)
{
    World w = world_new();
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        Diag diag;
        world_parse(&w, str_of(cases[i].text), &diag);
        if (!CHECK_TEXT(world_errors(&w, &diag), cases[i].errors)) printf("  text: %s\n", cases[i].text);
    }
    check_what_is_left(&w);
    check_depth(&w);
    check_messages(&w);
    world_free(&w);
    return test_end();
}
