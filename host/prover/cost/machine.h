/* The machine that costs belong to, by facts that are known before a driver is opened. */
#ifndef PAIL_COST_MACHINE_H
#define PAIL_COST_MACHINE_H

#include <pail/backend.h>

#include "cost.h"

struct pail_cost_machine {
    struct pail_cost_processors processors;
    uint64_t mark; /* hash of processor, threads, arithmetic, drivers and the variables that choose
                      among them */
};

/* threads: as in pail_context_params. */
void pail_cost_machine_read(struct pail_cost_machine *machine, uint32_t threads);

/* A mark of device and driver; never 0. */
uint64_t pail_cost_device_mark(const pail_device_info *device);

#endif /* PAIL_COST_MACHINE_H */
