/* A counter of seconds that asks to end when it is ten, and the first letter of a file of its
 * resources. References: integers 1 count, 2 letter. */
enum { STATES = 0, INDICATORS = 0 };
static void start(Data *d)
{
    d->i[1] = 1;
    d->next = 1;
}
static int evaluate(Data *d)
{
    char path[600], *at = d->resources;
    if (d->i[2]) return OK;
    if (!strncmp(at, "file://", 7)) at += 7;
    snprintf(path, sizeof path, "%s/letter.txt", at);
    FILE *file = fopen(path, "r");
    if (!file) snprintf(path, sizeof path, "%s/resources/letter.txt", at), file = fopen(path, "r");
    d->i[2] = file ? fgetc(file) : '?';
    if (file) fclose(file);
    return OK;
}
static void indicators(Data *d, double *g) { (void)d, (void)g; }
static void event(Data *d, Change *change)
{
    if (d->t < d->next - 1e-12) return;
    d->i[1]++;
    d->next += 1;
    change->terminate = d->i[1] == 10;
}
static bool directional(Data *d, int j, double *out) { return (void)d, (void)j, (void)out, false; }
