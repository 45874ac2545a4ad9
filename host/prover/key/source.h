/* The file of a key, while it is still needed. */
#ifndef PAIL_PROVER_KEY_SOURCE_H
#define PAIL_PROVER_KEY_SOURCE_H

#include <stdatomic.h>

#include "key.h"

struct pail_key_source {
    struct pail_zkey zkey;
    pail_groth16_key_params params;
    char *path; /* a copy, for errors of the file; NULL: the key is in memory */
    atomic_flag taken;
};

/* Makes a source; nothing is opened yet. Returns NULL where there is no memory. */
struct pail_key_source *pail_key_source_make(const pail_groth16_key_params *params);

/* Legal on NULL. */
void pail_key_source_close(struct pail_key_source **source);

#endif /* PAIL_PROVER_KEY_SOURCE_H */
