/* machine.h: other programs, clocks, memory, processors, the parallel loop. */
#ifndef ACAUSAL_BASE_MACHINE_H
#define ACAUSAL_BASE_MACHINE_H

#include "base/common.h"

/* ---- process.c ------------------------------------------------------------------------------- */

typedef enum {
    PROCESS_OK,
    PROCESS_FAILED,     /* its exit code is not 0 */
    PROCESS_NOT_STARTED /* there is no such program */
} ProcessEnd;

/* Runs a program, words[0], with the words up to NULL; waits for its end. What it says goes to the
 * file `log`. */
ProcessEnd process_run(char *const *words, const char *log);

/* ---- clock.c, pool.c ------------------------------------------------------------------------- */

double clock_wall(void);   /* seconds, monotonic */
double clock_cpu(void);    /* seconds of the process, all threads */
double clock_thread(void); /* processor time of this thread */
size_t memory_peak(void);  /* bytes: the largest resident size of the process so far */
/* bytes that this process may take beside those it has, by the machine's free memory and by the
 * limits it runs under */
size_t memory_available(void);
unsigned cpu_count(void); /* processors this process may use */

/* Calls work(arg, i, worker) for each i below count on up to `threads` threads and returns when all
 * are done. Items are handed out in order; worker is below `threads`. With one thread no thread is
 * made. */
void pool_each(unsigned threads, size_t count, void (*work)(void *arg, size_t i, unsigned worker), void *arg);

/* ---- overtime.c ------------------------------------------------------------------------------ */

/* Work that may forget to ask whether it shall end: another thread asks `is_over` ten times a
 * second, and calls `cut` as long as it is. Both must bear being called beside the work. */
typedef struct Overtime Overtime;
struct Overtime {
    bool (*is_over)(void *arg);
    void (*cut)(void *arg);
    void *arg;
    Overtime *next;
    int times; /* in a row that it was over */
};
void overtime_begin(Overtime *o);
void overtime_end(Overtime *o);

#endif
