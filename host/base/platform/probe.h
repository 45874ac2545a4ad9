/* Reading where there may be no memory, without a fault. */
#ifndef PAIL_PLATFORM_PROBE_H
#define PAIL_PLATFORM_PROBE_H

#include <stdbool.h>
#include <stdint.h>

struct pail_probe {
    int ends[2]; /* a pipe to read through, where the system needs one */
};

/* False: it cannot be had, and nothing is to be closed. */
bool pail_probe_open(struct pail_probe *probe);
void pail_probe_close(struct pail_probe *probe);

/* True if there is memory of the process at the address, and `word` in its first bytes. */
bool pail_probe_holds(const struct pail_probe *probe, uint64_t address, uint32_t word);

#endif /* PAIL_PLATFORM_PROBE_H */
