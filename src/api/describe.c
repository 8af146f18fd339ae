/* describe.c: what of acausal.h looks at classes without simulating them: acausal_describe and
 * acausal_draw.
 *
 * A class with mistakes is described as far as it is understood; what is wrong is reported beside
 * it. No foreign code runs. Tests: tests/cli/describe.sh. */
#include "api/inside.h"
#include "draw/draw.h"
#include "page/page.h"

/* `look` at a class of a source, or at a component of one, whatever is wrong in it. */
AcausalStatus session_look(AcausalSession *s, const char *source, const char *class_name,
                           const char *component, bool (*look)(void *arg, Describer *d, Described *of),
                           void *arg)
{
    jmp_buf escape;
    volatile AcausalStatus status = ACAUSAL_WRONG;
    s->only_looks = true;
    Class *cls = session_open_class(s, source, class_name);
    if (cls) session_permit(s, cls);
    Describer *d = cls ? describer_new(s->libraries, s->sources, &s->permit, &s->diag) : NULL;
    if (d && !setjmp(escape)) {
        describer_arena(d)->escape = &escape;
        Described *of = describe_class(d, cls);
        DescribedComponent *c = of && component ? describe_inner(d, of, component) : NULL;
        if (of && component && !c) wrong(s, E_OPTION, "there is no component '%s'", component);
        if (component) of = c ? describe_component(d, c) : NULL;
        if (component && c && !of) wrong(s, E_OPTION, "the class of '%s' is not known", component);
        if (of && look(arg, d, of)) status = session_status(s);
    } else if (cls) {
        wrong(s, E_TOO_LARGE, "'%s' is too large to look at", name_text(cls->name));
    }
    s->only_looks = false;
    describer_free(d);
    return status;
}

/* ---- as text --------------------------------------------------------------------------------- */

static void print_component(Describer *d, const Described *of, DescribedComponent *c, Text *out)
{
    static const char *const variabilities[] = { "", "discrete ", "parameter ", "constant " };
    static const char *const flows[] = { "", "flow ", "stream " };
    static const char *const causes[] = { "", "input ", "output " };
    text_printf(out, "  %s%s%s%s%s %s", c->flags & IS_PROTECTED ? "protected " : "", flows[c->flow],
                variabilities[c->variability], causes[c->causality], c->type_name, c->name);
    for (uint32_t i = 0; i < c->rank; i++) {
        text_add(out, i ? STR(", ") : STR("["));
        if (c->sizes[i] < 0)
            text_add_char(out, ':');
        else
            text_printf(out, "%d", (int)c->sizes[i]);
    }
    if (c->rank) text_add_char(out, ']');
    if (c->binding.n) text_printf(out, " = %.*s", (int)c->binding.n, c->binding.at);
    if (!c->is_enabled) text_add_literal(out, "  (not there now)");
    if (!c->type) text_add_literal(out, "  (no such class)");
    if (c->description.n) text_printf(out, "  \"%.*s\"", (int)c->description.n, c->description.at);
    if (of->layers[c->layer].depth) text_printf(out, "  from %s", name_text(of->layers[c->layer].cls->name));
    text_add_char(out, '\n');
    (void)d;
}

static void print_described(Describer *d, Described *of, Text *out)
{
    Text name = { .arena = out->arena };
    class_full_name(of->cls, &name);
    text_printf(out, "%s%s %s", of->cls->flags & CLASS_PARTIAL ? "partial " : "",
                class_kind_text(of->cls->kind), name.at);
    if (of->cls->comment && of->cls->comment->text.n)
        text_printf(out, "  \"%.*s\"", (int)of->cls->comment->text.n, of->cls->comment->text.at);
    text_add_char(out, '\n');
    for (uint32_t i = 0; i < of->layer_count; i++) {
        if (of->layers[i].depth != 1) continue;
        name.n = 0;
        class_full_name(of->layers[i].cls, &name);
        text_printf(out, "  extends %s\n", name.at);
    }
    for (uint32_t i = 0; i < of->component_count; i++) print_component(d, of, &of->components[i], out);
    for (uint32_t i = 0; i < of->connection_count; i++)
        text_printf(out, "  %s(%s, %s)\n", of->connections[i].is_transition ? "transition" : "connect",
                    of->connections[i].from, of->connections[i].to);
}

typedef struct {
    AcausalFormat format;
    AcausalWrite write;
    void *arg;
} Telling;

static bool tell(void *arg, Describer *d, Described *of)
{
    const Telling *t = arg;
    Text out = { .arena = describer_arena(d) };
    if (t->format == ACAUSAL_JSON) {
        describe_json(d, of, &out);
        text_add_char(&out, '\n');
    } else {
        print_described(d, of, &out);
    }
    t->write(t->arg, out.at, out.n);
    return true;
}

AcausalStatus acausal_describe(AcausalSession *s, const char *source, const char *class_name,
                               const char *component, AcausalFormat format, AcausalWrite write, void *arg)
{
    Telling t = { format, write, arg };
    return session_look(s, source, class_name, component, tell, &t);
}

/* ---- pictures -------------------------------------------------------------------------------- */

typedef struct {
    AcausalSession *session;
    const AcausalDrawing *drawing;
    AcausalPicture as;
    AcausalWrite write;
    void *arg;
} Drawing;

static bool draw(void *arg, Describer *d, Described *of)
{
    const Drawing *w = arg;
    char why[300];
    Text out = { .arena = describer_arena(d) };
    DrawOptions options = { .is_icon = w->drawing->icon,
                            .is_live = w->drawing->live,
                            .is_framed = w->drawing->framed,
                            .scale = w->drawing->scale,
                            .libraries = w->session->libraries };
    if (w->as == ACAUSAL_SVG) {
        draw_svg(d, of, &options, &w->session->diag, &out);
    } else if (!draw_png(d, of, &options, &w->session->diag, &out, why, sizeof why)) {
        wrong(w->session, E_OUTPUT, "%s", why);
        return false;
    }
    w->write(w->arg, out.at, out.n);
    return true;
}

AcausalStatus acausal_draw(AcausalSession *s, const char *source, const char *class_name,
                           const AcausalDrawing *drawing, AcausalPicture as, AcausalWrite write, void *arg)
{
    AcausalDrawing own = { 0 };
    if (!TAKE(s, own, drawing)) return ACAUSAL_USAGE;
    if (as != ACAUSAL_SVG && as != ACAUSAL_PNG)
        return wrong(s, E_OPTION, "a class is drawn as SVG or PNG"), ACAUSAL_USAGE;
    Drawing w = { s, &own, as, write, arg };
    return session_look(s, source, class_name, own.component, draw, &w);
}

/* ---- documentation --------------------------------------------------------------------------- */

typedef struct {
    AcausalSession *session;
    bool revisions;
    AcausalWrite write;
    void *arg;
    Describer *describer;
    const Class *cls;
} Documenting;

static const char *find_picture(void *arg, Str address, Text *bytes)
{
    const Documenting *w = arg;
    return draw_picture_file(w->describer, w->cls, address, bytes);
}

static bool write_documentation(void *arg, Describer *d, Described *of)
{
    Documenting *w = arg;
    Text out = { .arena = describer_arena(d) };
    const PageLinks links = { find_picture, w };
    const DescribedLayer *own = &of->layers[of->layer_count - 1];
    const Datum *said = describe_annotation(d, own->scope, class_annotation(of->cls), "Documentation");
    w->describer = d;
    w->cls = of->cls;
    page_clean_html(datum_text(said, w->revisions ? "revisions" : "info"), &links, &out);
    w->write(w->arg, out.at, out.n);
    return true;
}

AcausalStatus acausal_documentation(AcausalSession *s, const char *source, const char *class_name,
                                    bool revisions, AcausalWrite write, void *arg)
{
    Documenting w = { .session = s, .revisions = revisions, .write = write, .arg = arg };
    return session_look(s, source, class_name, NULL, write_documentation, &w);
}

/* ---- connections ----------------------------------------------------------------------------- */

typedef struct {
    AcausalSession *session;
    const char *from, *to, *why;
} Joining;

static bool judge_connection(void *arg, Describer *d, Described *of)
{
    Joining *j = arg;
    DescribedComponent *a = describe_inner(d, of, j->from), *b = describe_inner(d, of, j->to);
    const char *why = "";
    if (!a || !b)
        why = arena_printf(describer_arena(d), "there is no '%s'", a ? j->to : j->from);
    else if (!strcmp(j->from, j->to))
        why = "a connector is not connected with itself";
    else
        why = describe_why_not_connect(d, a, b);
    j->why = why ? arena_copy(j->session->arena, str_of(why)) : NULL;
    return true;
}

const char *acausal_why_not_connect(AcausalSession *s, const char *source, const char *class_name,
                                    const char *from, const char *to)
{
    Joining j = { s, from, to, "the class is not known" };
    session_look(s, source, class_name, NULL, judge_connection, &j);
    return j.why;
}
