/* Witnesses of circom and snarkjs (.wtns) over BN254: a view into the file, nothing is copied.
 * Source of the format: snarkjs, src/wtns_utils.js. */
#ifndef PAIL_FORMATS_WTNS_H
#define PAIL_FORMATS_WTNS_H

#include <pail/backend.h>

#include "binfile.h"
#include "file.h"

struct pail_wtns {
    struct pail_file file; /* empty when the bytes belong to the caller */
    struct pail_binfile container;
    const uint8_t *values; /* [count * 32], canonical integers below r, of any alignment */
    size_t count;
};

/* Maps the file and reads it as pail_wtns_parse does. path must stay valid as long as the witness.
 */
pail_status pail_wtns_open(struct pail_wtns *witness, const char *path, char *error,
                           size_t error_cap);

/* Reads the header and checks each value against r. `name` and `data` must stay valid as long as
 * the witness.
 *
 * Returns PAIL_OK, or PAIL_ERR_DATA with the witness zeroed. error: optional; holds error_cap
 * bytes. */
pail_status pail_wtns_parse(struct pail_wtns *witness, const char *name, const uint8_t *data,
                            size_t size, char *error, size_t error_cap);

/* Legal on a witness that is zeroed or failed to open. */
void pail_wtns_close(struct pail_wtns *witness);

#endif /* PAIL_FORMATS_WTNS_H */
