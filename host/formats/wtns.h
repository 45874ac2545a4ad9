/* SPDX-License-Identifier: Apache-2.0 */
/* Witnesses of circom and snarkjs (.wtns) over the scalar field of BN254 or BLS12-381.
 * Source of the format: snarkjs, src/wtns_utils.js. */
#ifndef PAIL_FORMATS_WTNS_H
#define PAIL_FORMATS_WTNS_H

#include <pail/backend.h>

#include "binfile.h"
#include "file.h"

struct pail_wtns {
    const char *name;        /* the caller's: name in errors */
    uint32_t curve;          /* pail_curve; values are below its order */
    struct pail_bytes bytes; /* contents of a file; none when they belong to the caller */
    const uint8_t *values;   /* [count * 32], canonical integers below r, of any alignment */
    size_t count;
};

/* Reads the file as pail_wtns_parse does; also PAIL_ERR_IO and PAIL_ERR_HOST_MEMORY. path must stay
 * valid as long as the witness. */
pail_status pail_wtns_open(struct pail_wtns *witness, const char *path, char *error,
                           size_t error_cap);

/* Reads the header and checks each value against r. `name` and `data` must stay valid as long as
 * the witness.
 *
 * Returns PAIL_OK, or PAIL_ERR_DATA with the witness zeroed. error: optional; holds error_cap
 * bytes. */
pail_status pail_wtns_parse(struct pail_wtns *witness, const char *name, const uint8_t *data,
                            size_t size, char *error, size_t error_cap);

/* The place of the values in a file, for reading piece by piece. */
struct pail_wtns_place {
    uint32_t curve;
    size_t count, offset; /* [count * 32] from byte `offset` on */
};

/* Reads and checks everything but the values. name, bytes, keep: as in pail_binfile_read.
 * Returns PAIL_OK, or PAIL_ERR_DATA or PAIL_ERR_IO with *place zeroed. */
pail_status pail_wtns_locate(struct pail_wtns_place *place, const char *name,
                             const struct pail_binfile_bytes *bytes, struct pail_file *keep,
                             char *error, size_t error_cap);

/* Checks that each value is below the order of the curve's groups; PAIL_ERR_DATA when one is not.
 * values: [count * 32], from value number `first` on; value 0 is at byte `offset` of the file or
 * memory called `name`. */
pail_status pail_wtns_check_values(const char *name, size_t offset, const uint8_t *values,
                                   size_t first, size_t count, uint32_t curve, char *error,
                                   size_t error_cap);

/* Wipes the contents of a file. Legal on a witness that is zeroed or failed to open. */
void pail_wtns_close(struct pail_wtns *witness);

#endif /* PAIL_FORMATS_WTNS_H */
