/* Proofs with one key that are started together: one start of all transforms, and one of all
 * multiplications, in which the backend shares work. Each proof has its own witness, results and
 * ways to fail. */
#ifndef PAIL_PROVER_SHARED_H
#define PAIL_PROVER_SHARED_H

#include "prove.h"
#include <prover/compute/quotient.h>

enum { PAIL_SHARE_MAX = PAIL_QUOTIENTS_MAX };

/* One proof of a start. */
struct pail_sharer {
    struct pail_proving *proving; /* with its key; not started */
    char *error;
    size_t error_cap;
    pail_status status; /* out: PAIL_OK: it is under way; otherwise nothing of it is, as after a
                           failed pail_proving_start */
};

/* Sends the witnesses of all and starts proofs with a good witness: each fails by itself there, and
 * all of them if the start fails. memory_budget, threads: as for pail_proving_start. In/out:
 * sharers: [n], 1 to PAIL_SHARE_MAX, with the same key, which is not one for one proof. */
void pail_shared_start(struct pail_sharer *sharers, size_t n, uint64_t memory_budget,
                       uint32_t threads);

/* ---- For prove.c: of a proof that was started with others --------------------------------------
 * Called in any thread, for each proof in one at a time. */
pail_status pail_shared_wait(const struct pail_proving *proving, uint64_t timeout_ns);

/* Waits, and puts the proof's results in proving->results. The first one does the work for all, and
 * all have its error. */
pail_status pail_shared_finish(struct pail_proving *proving);

/* Leaves the others: the proof needs no more of the shared work. The last one ends it. Legal for
 * any proof. */
void pail_shared_leave(struct pail_proving *proving);

/* The number of proofs that were started together. 1: it was started alone. */
uint32_t pail_shared_proofs(const struct pail_proving *proving);

#endif /* PAIL_PROVER_SHARED_H */
