/* SPDX-License-Identifier: Apache-2.0 */
/* A verifying key with the memory of its points, and that of a proving key. */
#ifndef PAIL_FORMATS_VERIFYING_KEY_H
#define PAIL_FORMATS_VERIFYING_KEY_H

#include <pail/groth16.h>

#include "zkey.h"

struct pail_verifying_key {
    pail_groth16_verifying_key key; /* key.ic is `ic` */
    uint8_t *ic;
};

/* Makes room for the points of n_public public values and the constant, of a key whose curve is
 * set. PAIL_ERR_HOST_MEMORY, with a sentence that begins with `name`. */
pail_status pail_verifying_key_reserve(struct pail_verifying_key *key, const char *name,
                                       uint64_t n_public, char *error, size_t error_cap);

/* Makes the key from sections 2 and 3 of a proving key that is open or parsed. It checks that
 * coordinates are below p; verification checks the points.
 *
 * Returns PAIL_OK, PAIL_ERR_DATA, PAIL_ERR_IO or PAIL_ERR_HOST_MEMORY; the key is zeroed on
 * failure. */
pail_status pail_verifying_key_of_zkey(struct pail_verifying_key *key,
                                       const struct pail_zkey *proving, char *error,
                                       size_t error_cap);

/* The same for a file. */
pail_status pail_verifying_key_of_file(struct pail_verifying_key *key, const char *path,
                                       char *error, size_t error_cap);

/* Legal on a key that is zeroed or failed to be made. */
void pail_verifying_key_free(struct pail_verifying_key *key);

#endif /* PAIL_FORMATS_VERIFYING_KEY_H */
