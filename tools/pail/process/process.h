/* SPDX-License-Identifier: Apache-2.0 */
/* The process: its log, its stack, and its ranks. */
#ifndef PAIL_TOOL_PROCESS_PROCESS_H
#define PAIL_TOOL_PROCESS_PROCESS_H

#include <stdbool.h>

#include <pail/backend.h>
#include <pail/cluster.h>

#include "error/error.h"

/* --quiet and --verbose, before the command begins. */
void pail_verbosity_set(bool quiet, bool verbose);
bool pail_is_quiet(void);

/* The host of backends: with --verbose they log to standard error, otherwise nowhere. */
pail_host pail_log_host(void);

/* A host that shows everything with --verbose, and otherwise warnings once `warnings` is set: what
 * does not fail, but whoever runs the program ought to know. */
struct pail_log {
    bool warnings;
};

/* log must stay valid as long as the host; change it only while no backend runs. */
pail_host pail_log_host_of(struct pail_log *log);

/* ---- Notices --------------------------------------------------------------------------------- */

/* Work begins on the CPU for want of a GPU. */
void pail_notice_no_gpu(void);

/* Says so once, on a terminal, when that work has taken longer than a second: a GPU takes nearly as
 * long to start. For the first drawing of progress, and the end of what has not failed. */
void pail_notice_show(void);

/* ---- The stack ------------------------------------------------------------------------------- */

/* Calls run(argc, argv), where the stack of the process is limited to less than drivers need in a
 * thread with a larger one, and returns its exit status. A file that may not grow is an error of
 * writing, no signal. */
int pail_run_with_room(int (*run)(int argc, char **argv), int argc, char **argv);

/* ---- Ranks: a command that runs as several processes, --cluster ------------------------------ */

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

#endif /* PAIL_TOOL_PROCESS_PROCESS_H */
