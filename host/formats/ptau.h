/* SPDX-License-Identifier: Apache-2.0 */
/* Powers of tau of snarkjs (.ptau) over BN254 or BLS12-381. Only requested parts of a file are
 * read: of a section that is a gigabyte, the points that are asked for. Source of the format:
 * snarkjs, src/powersoftau_utils.js. */
#ifndef PAIL_FORMATS_PTAU_H
#define PAIL_FORMATS_PTAU_H

#include <stdbool.h>

#include <pail/backend.h>

#include "binfile.h"
#include "file.h"

/* Sections of points, each with the number that the file has for it. */
enum pail_ptau_section {
    PAIL_PTAU_TAU_G1,       /* section 2: tau^i G1, i < 2^(power + 1) - 1 */
    PAIL_PTAU_TAU_G2,       /* section 3: tau^i G2, i < 2^power, as below */
    PAIL_PTAU_ALPHA_TAU_G1, /* section 4: alpha tau^i G1 */
    PAIL_PTAU_BETA_TAU_G1,  /* section 5: beta tau^i G1 */
    PAIL_PTAU_SECTIONS
};

/* Affine points in Montgomery form, x then y; see pail_encoding. */
struct pail_ptau_points {
    size_t offset; /* place in the file */
    size_t count;
    size_t point_bytes; /* 64 (BN254) or 96 in the first group, twice that in the second */
};

struct pail_ptau {
    struct pail_file file; /* not open when the bytes belong to the caller */
    struct pail_binfile container;
    uint32_t curve; /* pail_curve */
    uint32_t power;
    struct pail_ptau_points points[PAIL_PTAU_SECTIONS];
};

/* Reads the header and finds and measures sections 2 to 5. Coordinates are not read. `name` and
 * `bytes` must stay valid as long as the powers, which must stay where they are.
 *
 * In: bytes: the contents in memory, which errors call `name`; or NULL: `name` is a path.
 * Returns PAIL_OK or PAIL_ERR_DATA, and PAIL_ERR_IO where a file is read; *ptau is zeroed then.
 * error: optional; holds error_cap bytes. */
pail_status pail_ptau_open(struct pail_ptau *ptau, const char *name,
                           const struct pail_binfile_bytes *bytes, char *error, size_t error_cap);

/* Legal on one that is zeroed or failed to open. */
void pail_ptau_close(struct pail_ptau *ptau);

/* True for bytes, or a file, that begin as such a file does. */
bool pail_ptau_is(const uint8_t *data, size_t size);
bool pail_ptau_is_file(const char *path);

/* Gets the first `count` points of a section, which has so many, in *data, packed. Those of a file
 * are read into *bytes, which the caller frees; those in memory stay where they are.
 * Returns PAIL_OK, PAIL_ERR_IO or PAIL_ERR_HOST_MEMORY. */
pail_status pail_ptau_load(const uint8_t **data, struct pail_bytes *bytes,
                           const struct pail_ptau *ptau, enum pail_ptau_section section,
                           size_t count, char *error, size_t error_cap);

/* Gets the place of the first `count` points in an open file, to be read piece by piece. */
void pail_ptau_points_part(struct pail_file_part *part, const struct pail_ptau *ptau,
                           enum pail_ptau_section section, size_t count);

/* The name "tauG1", "tauG2", "alphaTauG1" or "betaTauG1", as snarkjs has them, the group of its
 * points, pail_group, and its number. */
const char *pail_ptau_section_name(enum pail_ptau_section section);
uint32_t pail_ptau_section_group(enum pail_ptau_section section);
uint32_t pail_ptau_section_number(enum pail_ptau_section section);

#endif /* PAIL_FORMATS_PTAU_H */
