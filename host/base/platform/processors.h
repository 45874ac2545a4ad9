/* SPDX-License-Identifier: Apache-2.0 */
/* Processors that threads run on, NUMA nodes, and what the kernel says of huge pages. */
#ifndef PAIL_PLATFORM_PROCESSORS_H
#define PAIL_PLATFORM_PROCESSORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PAIL_PROCESSORS_MAX = 4096 };

struct pail_processors {
    uint64_t bits[PAIL_PROCESSORS_MAX / 64];
    uint32_t count;
};

static inline bool pail_processors_has(const struct pail_processors *set, uint32_t i)
{
    return i < PAIL_PROCESSORS_MAX && (set->bits[i / 64] >> i % 64 & 1) != 0;
}

/* Reads numbers as the kernel and taskset write them, "0-3,8", up to the end or a line's end.
 * Returns false, with an empty set, for anything else, and for numbers that are too large. */
bool pail_processors_read(struct pail_processors *set, const char *text);

/* The processors in `cpus` that are of the nodes in `numa`, of those that the calling thread may
 * run on. Either may be NULL or empty: all. nodes: folder that has node0/cpulist; NULL: the
 * system's. Returns false, with a sentence that begins with the name of the value, where one is
 * malformed, a node is not there, or none is left. */
bool pail_processors_choose(struct pail_processors *set, const char *cpus_name, const char *cpus,
                            const char *numa_name, const char *numa, const char *nodes,
                            char *sentence, size_t capacity);

/* The same of PAIL_CPUS and PAIL_NUMA. *set: empty where neither is set, and once
 * pail_processors_chosen was called. */
bool pail_processors_of_environment(struct pail_processors *set, char *sentence, size_t capacity);

/* Notes that a call chose the processors, which the environment no longer does. It is of this copy
 * of the platform library: each library that links it has its own. */
void pail_processors_chosen(void);

/* Removes PAIL_CPUS and PAIL_NUMA from the environment, for all libraries of the process. Of
 * programs, before other threads read the environment. */
void pail_processors_forget_environment(void);

/* The set of threads that are made now: of the environment, otherwise of the calling thread; empty:
 * the system has none. */
void pail_processors_of_threads(struct pail_processors *set);

/* The set of the calling thread; empty: the system has none. */
void pail_processors_get(struct pail_processors *set);

/* Lets the calling thread run on these alone, and threads that it makes. Returns 0 or an error
 * number; ENOSYS where the system has no such thing. */
int pail_processors_use(const struct pail_processors *set);

/* "0-3,8", cut to fit. Returns text. */
const char *pail_processors_text(char *text, size_t capacity, const struct pail_processors *set);

/* How many NUMA nodes there are; 0: unknown. */
uint32_t pail_numa_nodes(void);

/* The kernel's mode of transparent huge pages: "always", "madvise" or "never"; NULL: it has
 * none, or does not say. word[32]. */
const char *pail_huge_pages(char word[32]);

#endif /* PAIL_PLATFORM_PROCESSORS_H */
