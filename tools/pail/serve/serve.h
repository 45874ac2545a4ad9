/* SPDX-License-Identifier: Apache-2.0 */
/* Options of `pail serve`, and the run. */
#ifndef PAIL_TOOL_SERVE_SERVE_H
#define PAIL_TOOL_SERVE_SERVE_H

#include "process/session.h"
#include "witness/witness.h"

enum { PAIL_SERVE_ALSO_MAX = 14 }; /* beside the first device and the spare one */

enum pail_serve_for { PAIL_SERVE_OWNER = 0, PAIL_SERVE_GROUP, PAIL_SERVE_ALL };

struct pail_serve_options {
    const char *config; /* a file of options, which was read already */
    const char *keys, *socket, *listen, *tokens;
    const char *also[PAIL_SERVE_ALSO_MAX];
    uint32_t n_also, socket_for; /* pail_serve_for */
    struct pail_session_params session;
    bool no_spare, no_check, beyond_loopback;
    uint32_t inflight, share, producers, host_threads, host_bucket_mb;
    uint64_t mem_budget, vram_budget; /* MiB */
    uint32_t residency, table_factor, validation, b2;
    uint32_t queue, keep, connections;
    struct pail_witness_limits limits;
    uint64_t witness_mib, keep_s, request_s, drain_s, linger_s;
};

/* Serves until a signal ends it. What goes together was checked. */
pail_status pail_serve(const struct pail_serve_options *options, struct pail_error *error);

#endif /* PAIL_TOOL_SERVE_SERVE_H */
