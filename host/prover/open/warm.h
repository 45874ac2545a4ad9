/* SPDX-License-Identifier: Apache-2.0 */
/* Pipelines of a proof, built by a thread while its key is opened. */
#ifndef PAIL_PROVER_OPEN_WARM_H
#define PAIL_PROVER_OPEN_WARM_H

#include <pthread.h>

#include <prover/key/key.h>

/* All zero: there is nothing to end. */
struct pail_key_warming {
    pthread_t thread;
    bool has_thread;
    const pail_groth16_key *key;
    const pail_groth16_key_params *params;
};

/* Begins with PAIL_GROTH16_KEY_WARM, once the header of the key is read. A thread or pipeline that
 * is not to be had is told by the work that needs the pipeline. */
void pail_key_warm_begin(struct pail_key_warming *warming, const pail_groth16_key *key,
                         const pail_groth16_key_params *params);

/* Waits until all are built. */
void pail_key_warm_end(struct pail_key_warming *warming);

#endif /* PAIL_PROVER_OPEN_WARM_H */
