/* Counters of the processor, over the threads of this process: Linux's perf events, in user space.
 */
#ifndef PAIL_PLATFORM_COUNTERS_H
#define PAIL_PLATFORM_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum pail_counter {
    PAIL_COUNTER_INSTRUCTIONS,
    PAIL_COUNTER_CYCLES,
    PAIL_COUNTER_TLB_MISSES, /* loads whose page is in no translation lookaside buffer */
    PAIL_COUNTERS
};

struct pail_counters {
    int fds[PAIL_COUNTERS];         /* -1: the counter is not there */
    uint64_t values[PAIL_COUNTERS]; /* since the beginning; scaled where counters took turns */
    char reason[160];               /* why one is not there, of the first such */
};

#define PAIL_COUNTERS_NONE ((struct pail_counters){.fds = {-1, -1, -1}})

/* Begins to count the calling thread, and threads that it and those make from now on. Always
 * succeeds: a counter that is not allowed, or that the processor lacks, is not there. */
void pail_counters_begin(struct pail_counters *counters);

/* Reads the values. False for a counter: it is not there, or never ran. */
bool pail_counters_read(struct pail_counters *counters, enum pail_counter which);

void pail_counters_end(struct pail_counters *counters);

#endif /* PAIL_PLATFORM_COUNTERS_H */
