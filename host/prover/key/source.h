/* SPDX-License-Identifier: Apache-2.0 */
/* The file of a key, while it is still needed. */
#ifndef PAIL_PROVER_KEY_SOURCE_H
#define PAIL_PROVER_KEY_SOURCE_H

#include <stdatomic.h>

#include "key.h"

/* Bytes that a backend keeps at most of points of so many bytes of a file: the widest form has
 * digits of 52 bits in 64, as many as a coordinate needs (cpu/ifma_field.h). */
static inline uint64_t pail_key_kept_bytes(uint64_t in_file, uint32_t curve)
{
    const uint64_t coordinate = pail_curve_ops(curve, PAIL_G1)->coordinate_bytes;
    return in_file / coordinate * 8 * ((8 * coordinate + 51) / 52);
}

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
