/* The C text of a stepper computes the same bits as the stepper, events included, and needs nothing
 * but libm; what it cannot hold is refused; the pictures are well formed. */
#include "gen/world.h"

#include "realtime/realtime.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

static const char text[] =
    "input Real u(start=0.2); output Real y; Real x(start=1, fixed=true), v(start=0, fixed=true), a, b; "
    "equation der(x) = v; der(v) = "
    "-9*x - (if x > 0 then 2 else 0.1)*v + u + 0.01*a; a + 0.2*b = sin(x); b - 0.3*a = v; y = x + a;";

typedef struct {
    Run run;
    RtScenario *s;
    RtSparsing *sparsing;
    RtStepper *stepper;
    Text source, header;
} World;

static bool world_open(World *w, const char *model, int order, char *why, size_t room)
{
    RtOptions options = rt_options(0.01, 0, 1);
    if (!CHECK(run_open(&w->run, model, IR_AUTO))) return false;
    w->s = scenario_new(w->run.compiled, &options);
    if (!CHECK(!w->s->message[0])) printf("  %s\n", w->s->message);
    w->sparsing = sparsing_new(w->s);
    int y = run_find(&w->run, "y");
    RtStepperOptions how = { order, IR_AUTO, &y, y >= 0 };
    w->stepper = stepper_new(w->s, sparsing_choice(w->sparsing)->kept, &how, why, room);
    w->source = w->header = (Text){ .arena = w->s->arena };
    return CHECK(w->stepper && stepper_start(w->stepper, 0));
}

static void world_close(World *w)
{
    stepper_free(w->stepper);
    scenario_free(w->s);
    run_close(&w->run);
}

static void write_to(const char *directory, const char *name, const Text *t)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *file = fopen(path, "w");
    if (CHECK(file != NULL)) CHECK(fwrite(t->at, 1, t->n, file) == t->n && fclose(file) == 0);
}

/* What the header says, as far as the test needs it. */
typedef struct {
    double time, error, pivot;
    long steps;
    double x[2], u[1], y[1];
    double inside[100000];
} Exported;

static void compare(World *w, void *library)
{
    static Exported m;
    union {
        void *object;
        void (*start)(Exported *);
        int (*step)(Exported *);
        void (*set)(Exported *, int, double);
    } start = { dlsym(library, "Wave_start") }, step = { dlsym(library, "Wave_step") },
      set = { dlsym(library, "Wave_set_input") };
    if (!CHECK(start.object && step.object && set.object)) return;
    start.start(&m);
    int events = 0, variable = run_find(&w->run, "u");
    for (int k = 0; k < 300; k++) {
        RtStepInfo info;
        if (k == 100) set.set(&m, 0, -0.7), stepper_set_input(w->stepper, variable, -0.7);
        int flags = step.step(&m);
        stepper_step(w->stepper, &info);
        events += flags & 1;
        CHECK((flags & 1) == info.event);
        CHECK(!memcmp(m.x, stepper_states(w->stepper), sizeof m.x));
        /* event mode solves blocks anew */
        CHECK_NEAR(m.y[0], stepper_outputs(w->stepper)[0], 1e-14);
        CHECK(m.u[0] == (k < 100 ? 0.2 : -0.7) && m.time == stepper_time(w->stepper));
    }
    CHECK(events > 0);
}

static void test_bits(void)
{
    World w;
    char why[300] = "", directory[] = "/tmp/acausal-export-XXXXXX", command[600], path[300];
    if (!world_open(&w, text, 1, why, sizeof why)) return;
    if (!CHECK(stepper_export(w.stepper, "Wave", &w.source, &w.header, why, sizeof why)))
        printf("  %s\n", why);
    CHECK(strstr(w.header.at, "Wave_INPUTS = 1, Wave_OUTPUTS = 1") && !strstr(w.source.at, "malloc"));
    if (system("cc --version > /dev/null 2>&1") == 0 && CHECK(mkdtemp(directory) != NULL)) {
        write_to(directory, "Wave.c", &w.source);
        write_to(directory, "Wave.h", &w.header);
        snprintf(command, sizeof command,
                 "cd %s && cc -std=c99 -Wall -Wextra -Werror -pedantic -O1 -ffp-contract=off -shared -fPIC "
                 "Wave.c -o wave.so -lm",
                 directory);
        CHECK(system(command) == 0);
        snprintf(path, sizeof path, "%s/wave.so", directory);
        void *library = dlopen(path, RTLD_NOW);
        if (CHECK(library != NULL)) {
            compare(&w, library);
            dlclose(library);
        }
        snprintf(command, sizeof command, "rm -r %s", directory);
        CHECK(system(command) == 0);
    }
    world_close(&w);
}

static void test_refused(void)
{
    static const char sampled[] =
        "Real x(start=1, fixed=true); discrete Real k(start=1, fixed=true); equation der(x) = -k*x; when "
        "x < 0.5 then k = 2*pre(k); end when;";
    World w;
    char why[300] = "";
    if (!world_open(&w, sampled, 1, why, sizeof why)) return;
    CHECK(!stepper_export(w.stepper, "Wave", &w.source, &w.header, why, sizeof why) &&
          strstr(why, "discrete variables"));
    world_close(&w);
    if (!world_open(&w, text, 2, why, sizeof why)) return;
    CHECK(!stepper_export(w.stepper, "Wave", &w.source, &w.header, why, sizeof why) &&
          strstr(why, "order 1"));
    world_close(&w);
}

static int count(const char *in, const char *what)
{
    int n = 0;
    for (; (in = strstr(in, what)); in++) n++;
    return n;
}

static void test_pictures(void)
{
    World w;
    char why[300] = "";
    if (!world_open(&w, text, 1, why, sizeof why)) return;
    draw_sparsing(w.s, w.sparsing, &w.source);
    draw_trade_off(w.s, w.sparsing, &w.header);
    CHECK(count(w.source.at, "<circle") == 2 &&
          count(w.source.at, "l6 6") == 4); /* two discs, two eigenvalues each */
    CHECK(count(w.source.at, "<svg") == 1 && count(w.source.at, "</svg>") == 1 &&
          !strstr(w.source.at, "nan"));
    CHECK(count(w.header.at, "<circle") >= 5 && count(w.header.at, "</svg>") == 1 &&
          !strstr(w.header.at, "nan"));
    world_close(&w);
}

int main(void)
{
    test_bits();
    test_refused();
    test_pictures();
    return test_end();
}
