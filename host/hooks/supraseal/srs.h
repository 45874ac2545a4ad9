/* SPDX-License-Identifier: Apache-2.0 */
/* Keys of the process, and the prover that has them. */
#ifndef PAIL_SUPRASEAL_SRS_H
#define PAIL_SUPRASEAL_SRS_H

#include <pail/prover.h>

#include "supraseal.h"

struct srs {
    pail_prover *prover; /* of all keys; there as long as the key */
    uint32_t key;
};

/* Makes an error of a status and a sentence; PAIL_OK: none. */
RustError supraseal_error(pail_status status, const char *sentence);

/* Waits a moment for a place in the queue, which other calls fill. */
void supraseal_pause(void);

#endif /* PAIL_SUPRASEAL_SRS_H */
