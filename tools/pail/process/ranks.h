/* A command that runs as several processes: --cluster. */
#ifndef PAIL_TOOL_PROCESS_RANKS_H
#define PAIL_TOOL_PROCESS_RANKS_H

#include <pail/cluster.h>

#include "error/error.h"

struct pail_ranks {
    pail_cluster *cluster; /* NULL: not asked for */
    uint32_t rank, size;
    const char *transport;
};

#define PAIL_HELP_CLUSTER                                                                          \
    "one job over the processes started by mpirun, each with its own backend; rank 0 prints. "     \
    "Without mpirun, this process only"

/* name: of a transport; NULL: a cluster of this process alone. Returns PAIL_OK or a status with a
 * sentence in *error. */
pail_status pail_ranks_begin(struct pail_ranks *ranks, const char *name, struct pail_error *error);

/* Collective: *error becomes that of the first rank that failed. Returns its status. */
pail_status pail_ranks_agree(const struct pail_ranks *ranks, struct pail_error *error);

/* Ends the ranks with the command: rank 0 says its error. Statuses are each rank's own, unless it
 * agreed before. Where the transport has failed, this rank says so and ends the others. */
void pail_ranks_end(struct pail_ranks *ranks, struct pail_error *error);

#endif /* PAIL_TOOL_PROCESS_RANKS_H */
