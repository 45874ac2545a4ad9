/* The machine that costs are of, as it can be told without opening a driver. */
#ifndef PAIL_COST_MACHINE_H
#define PAIL_COST_MACHINE_H

#include <pail/backend.h>

#include "cost.h"

struct pail_cost_machine {
    struct pail_cost_processors processors;
    uint64_t mark; /* of processor, threads, arithmetic, drivers and what chooses among them */
};

/* threads: as of pail_context_params. */
void pail_cost_machine_read(struct pail_cost_machine *machine, uint32_t threads);

/* Not 0: which device, and which driver. */
uint64_t pail_cost_device_mark(const pail_device_info *device);

#endif /* PAIL_COST_MACHINE_H */
