/* Each construct is understood as the grammar says: printed back it shows its structure in
 * parentheses. */
#include "syntax/texts.h"
#include "test.h"

/* An expression, and how it is printed: only needed parentheses are left. */
static const struct {
    const char *text, *want;
} expressions[] = {
    { "1+2-3", "1 + 2 - 3" },
    { "(1+2)-3", "(1 + 2) - 3" },
    { "1+(2-3)", "1 + (2 - 3)" },
    { "a*b+c/d", "a * b + c / d" },
    { "(a*(b))", "a * b" },
    { "-a*b", "-a * b" },
    { "(-a)*b", "(-a) * b" },
    { "-a+b", "-a + b" },
    { "-(a+b)", "-(a + b)" },
    { "a-(-b)", "a - (-b)" },
    { "-a^2", "-a^2" },
    { "(-a)^2", "(-a)^2" },
    { "a^(-b)", "a^(-b)" },
    { "(a^b)^c", "(a^b)^c" },
    { "a.^b", "a .^ b" },
    { "4 .^ b", "4 .^ b" },
    { "not a and b or c", "not a and b or c" },
    { "not (a and b)", "not (a and b)" },
    { "a<b and c>=d", "a < b and c >= d" },
    { "(a or b) and c", "(a or b) and c" },
    { "not a == b", "not a == b" },
    { "1:2:3", "1:2:3" },
    { "(1:2)*3", "(1:2) * 3" },
    { "a+1:b-1", "a + 1:b - 1" },
    { "if a then b elseif c then d else e", "if a then b elseif c then d else e" },
    { "1+(if a then b else c)", "1 + (if a then b else c)" },
    { "{1,2,{3}}", "{1, 2, {3}}" },
    { "[1,2;3,4]", "[1, 2; 3, 4]" },
    { "{i for i in 1:3,j}", "{i for i in 1:3, j}" },
    { "sum(x[i] for i in 1:n)", "sum(x[i] for i in 1:n)" },
    { "f(1,b=2)", "f(1, b = 2)" },
    { "f(function g(a=1),h=function k())", "f(function g(a = 1), h = function k())" },
    { "a.b[1,:].c[end]", "a.b[1, :].c[end]" },
    { ".a.b", ".a.b" },
    { "(f(x)).y", "(f(x)).y" },
    { "(a+b)[1]", "(a + b)[1]" },
    { "der(x)", "der(x)" },
    { "initial()", "initial()" },
    { "pure(f(x))", "pure(f(x))" },
    { "1.0", "1.0" },
    { "1e3", "1000.0" },
    { ".5", "0.5" },
    { "5.", "5.0" },
    { "1e-30", "1e-30" },
    { "0.1", "0.1" },
    { "9223372036854775807", "9223372036854775807" },
    { "1.7976931348623157e308", "1.7976931348623157e308" },
    { "123456789012345678901.0", "1.2345678901234568e20" },
    { "\"a\\tb\\\"\"", "\"a\tb\\\"\"" },
    { "'quoted \\' name'.x", "'quoted \\' name'.x" },
    { "/* c */ a // d\n + b", "a + b" },
};

/* A whole text, and what is printed of it. */
static const struct {
    const char *text, *want;
} texts[] = {
    { "model M end M;", "model M\nend M;\n" },
    { "within; model M end M;", "within;\nmodel M\nend M;\n" },
    { "within A.B; final model M end M; model N end N;",
      "within A.B;\nfinal model M\nend M;\nmodel N\nend N;\n" },
    { "model M \"a\" + \"b\" end M;", "model M \"ab\"\nend M;\n" },
    { "model M Real x,y[2](start=1)=z if c \"d\" annotation(e=1); end M;",
      "model M\n  Real x, y[2](start = 1) = z if c \"d\" annotation(e = 1);\nend M;\n" },
    { "model M protected Real x; public Real y; end M;",
      "model M\nprotected\n  Real x;\npublic\n  Real y;\nend M;\n" },
    { "model M input flow parameter Real x; end M;", "model M\n  flow parameter input Real x;\nend M;\n" },
    { "model M outer inner Real x; end M;", "model M\n  inner outer Real x;\nend M;\n" },
    { "model M Real x := 1; end M;", "model M\n  Real x = 1;\nend M;\n" },
    { "model M extends A(redeclare each final replaceable B c constrainedby D, break x); end M;",
      "model M\n  extends A(redeclare each final replaceable B c constrainedby D, break x);\nend M;\n" },
    { "model M annotation(a=1); equation x=1; end M;",
      "model M\nequation\n  x = 1;\n  annotation(a = 1);\nend M;\n" },
    { "model M equation (if a then 1 else 2) = x; end M;",
      "model M\nequation\n  (if a then 1 else 2) = x;\nend M;\n" },
    { "function f external \"C\" y=g(a); end f;", "function f\n  external \"C\" y = g(a);\nend f;\n" },
    { "type E=enumeration(a\"A\",b);", "type E = enumeration(a \"A\", b);\n" },
    { "model M import A.B.*; import C=D; import E.{F,G}; end M;",
      "model M\n  import A.B.*;\n  import C = D;\n  import E.{F, G};\nend M;\n" },
    { "model M equation if a then elseif b then x=1; else end if; end M;",
      "model M\nequation\n  if a then\n  elseif b then\n    x = 1;\n  else\n  end if;\nend M;\n" },
    { "", "" },
    { "\xEF\xBB\xBF// only a comment\r\n", "" },
};

static void check_expressions(World *w)
{
    for (size_t i = 0; i < COUNT_OF(expressions); i++) {
        Text text = { .arena = w->arena }, out = { .arena = w->arena };
        Diag diag;
        text_printf(&text, "model M Real x = %s; end M;", expressions[i].text);
        Tree *tree = world_parse(w, (Str){ text.at, text.n }, &diag);
        if (!CHECK_ROW(diag.errors == 0 && tree->n == 1, expressions[i].text)) continue;
        syntax_print_expr(tree->classes[0]->elements[0]->clause->declarations[0].modification->value, &out);
        CHECK_TEXT(out.at, expressions[i].want);
    }
}

static void check_texts(World *w)
{
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        Diag diag;
        Tree *tree = world_parse(w, str_of(texts[i].text), &diag);
        CHECK_ROW(diag.errors == 0, texts[i].text);
        CHECK_TEXT(world_print(w, tree), texts[i].want);
    }
}

/* Spans are bytes of the text: of an expression with its parentheses, of a name, of a whole
 * class. */
static void check_spans(World *w)
{
    Str text = STR("model M\n  Real x = (a + b) * c;\nend M;");
    Diag diag;
    const Tree *tree = world_parse(w, text, &diag);
    const Class *cls = tree->classes[0];
    const Declaration *x = &cls->elements[0]->clause->declarations[0];
    const Expr *value = x->modification->value;
    uint32_t base = tree->source->base;
    CHECK(cls->span.at == base && cls->span.n == text.n - 1);
    CHECK(cls->name_span.at == base + 6 && cls->name_span.n == 1);
    CHECK(x->span.at == base + 15 && x->span.n == 1);
    CHECK(value->span.at == base + 19 && value->span.n == 11);
    CHECK(value->items[0]->span.at == base + 20 && value->items[0]->span.n == 5);
}

/* A sum of a million terms is one node, and no deeper than a short one. */
static void check_long_sum(World *w)
{
    enum { TERMS = 1000000 };
    Text text = { .arena = w->arena };
    Diag diag;
    text_add_literal(&text, "model M equation x = a");
    for (int i = 1; i < TERMS; i++) text_add(&text, i % 2 ? STR("+b") : STR("-c"));
    text_add_literal(&text, "; end M;");
    const Tree *tree = world_parse(w, (Str){ text.at, text.n }, &diag);
    const Expr *sum = tree->classes[0]->sections[0]->body.at[0]->right;
    CHECK(diag.errors == 0 && sum->kind == EXPR_CHAIN && sum->n == TERMS);
    CHECK(expr_chain_op(sum, 0) == OP_ADD && expr_chain_op(sum, 1) == OP_SUBTRACT);
}

int main(void)
{
    World w = world_new();
    check_expressions(&w);
    check_texts(&w);
    check_spans(&w);
    check_long_sum(&w);
    world_free(&w);
    return test_end();
}
