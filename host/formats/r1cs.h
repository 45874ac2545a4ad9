/* SPDX-License-Identifier: Apache-2.0 */
/* Circuits as circom compiles them (.r1cs) over the scalar field of BN254 or BLS12-381: each
 * constraint is (A w) (B w) = C w, of linear combinations of the wires w.
 * Source of the format: iden3/r1csfile, doc/r1cs_bin_format.md. */
#ifndef PAIL_FORMATS_R1CS_H
#define PAIL_FORMATS_R1CS_H

#include <stdbool.h>

#include <pail/backend.h>

#include "binfile.h"

struct pail_r1cs {
    const char *name;  /* the caller's: name in errors */
    uint32_t curve;    /* pail_curve */
    uint32_t n_wires;  /* the constant 1 included, which is wire 0 */
    uint32_t n_public; /* outputs, then public inputs: wires 1 to n_public */
    uint32_t n_constraints;
    struct pail_bytes bytes;    /* contents of a file; none when they belong to the caller */
    const uint8_t *constraints; /* [constraints_size], of any alignment */
    size_t constraints_size;
    size_t constraints_offset; /* place in the file */
};

/* A wire in one of a constraint's linear combinations. */
struct pail_r1cs_term {
    uint32_t constraint;
    uint32_t combination; /* 0: A, 1: B, 2: C */
    uint32_t wire;
    const uint8_t *value; /* 32 bytes, canonical, below r */
};

/* A place in the constraints; zeroed at first. */
struct pail_r1cs_cursor {
    size_t offset;
    uint32_t constraint, combination, terms; /* terms: left in the combination */
    bool inside;
};

/* Reads the headers and loads the constraints. path must stay valid as long as the circuit.
 *
 * Returns PAIL_OK, PAIL_ERR_DATA, PAIL_ERR_UNSUPPORTED for custom gates, PAIL_ERR_IO or
 * PAIL_ERR_HOST_MEMORY; the circuit is zeroed then. error: optional; holds error_cap bytes. */
pail_status pail_r1cs_open(struct pail_r1cs *circuit, const char *path, char *error,
                           size_t error_cap);

/* The same of bytes in memory, which must stay valid as long as the circuit. */
pail_status pail_r1cs_parse(struct pail_r1cs *circuit, const char *name, const uint8_t *data,
                            size_t size, char *error, size_t error_cap);

/* Reads the next term, in the order of the file. PAIL_NOT_READY: there is none, and the section
 * ends where it should; PAIL_ERR_DATA: a number is out of range, or the section ends too early or
 * too late. */
pail_status pail_r1cs_next(struct pail_r1cs_term *term, struct pail_r1cs_cursor *at,
                           const struct pail_r1cs *circuit, char *error, size_t error_cap);

/* Legal on a circuit that is zeroed or failed to open. */
void pail_r1cs_close(struct pail_r1cs *circuit);

#endif /* PAIL_FORMATS_R1CS_H */
