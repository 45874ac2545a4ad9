/* SPDX-License-Identifier: Apache-2.0 */
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

/* A reading of the kernel of a counter, since its beginning. Times in nanoseconds, of all threads.
 */
struct pail_reading {
    uint64_t value, enabled, running;
};

struct pail_counters {
    int fds[PAIL_COUNTERS];                  /* -1: the counter is not there */
    struct pail_reading last[PAIL_COUNTERS]; /* of the last read */
    uint64_t
        values[PAIL_COUNTERS]; /* between the last two reads; scaled where counters took turns */
    char reason[160];          /* why one is not there, of the first such */
};

#define PAIL_COUNTERS_NONE ((struct pail_counters){.fds = {-1, -1, -1}})

/* Begins to count the calling thread, and threads that it and those make from now on. Always
 * succeeds: a counter that is not allowed, or that the processor lacks, is not there. */
void pail_counters_begin(struct pail_counters *counters);

/* The count between two readings, scaled by the time in which the counter ran: differences
 * are scaled, since scaled numbers may shrink from one reading to the next. False, and 0: it did
 * not run. */
static inline bool pail_counted_between(uint64_t *counted, const struct pail_reading *before,
                                        const struct pail_reading *after)
{
    const bool ran = after->running > before->running && after->value >= before->value &&
                     after->enabled >= before->enabled;
    *counted = ran ? after->value - before->value : 0;
    const uint64_t enabled = after->enabled - before->enabled;
    const uint64_t running = after->running - before->running;
    if (ran && enabled != running)
        *counted = (uint64_t)((double)*counted * (double)enabled / (double)running);
    return ran;
}

/* Reads the count since the last read, or since the beginning. False for a counter: it is
 * not there, or did not run meanwhile. */
bool pail_counters_read(struct pail_counters *counters, enum pail_counter which);

void pail_counters_end(struct pail_counters *counters);

#endif /* PAIL_PLATFORM_COUNTERS_H */
