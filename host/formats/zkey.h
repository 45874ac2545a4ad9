/* SPDX-License-Identifier: Apache-2.0 */
/* Groth16 proving keys of snarkjs (.zkey) over BN254 or BLS12-381. Only requested parts of a file
 * are read. Source of the format: snarkjs, src/zkey_utils.js. The struct also describes keys of
 * bellman (params.h), which no function here opens. */
#ifndef PAIL_FORMATS_ZKEY_H
#define PAIL_FORMATS_ZKEY_H

#include <pail/backend.h>

#include "binfile.h"
#include "file.h"

/* The multi-scalar multiplications of a proof, each with the section that holds its points. */
enum pail_zkey_msm {
    PAIL_ZKEY_A,  /* section 5, first group */
    PAIL_ZKEY_B1, /* section 6, first group */
    PAIL_ZKEY_B2, /* section 7, second group */
    PAIL_ZKEY_C,  /* section 8, first group */
    PAIL_ZKEY_H,  /* section 9, first group */
    PAIL_ZKEY_MSMS
};

/* The file that a key is in. */
enum pail_key_form {
    PAIL_KEY_ZKEY,  /* of snarkjs */
    PAIL_KEY_PARAMS /* of bellman: no matrices, and points of A and B that are infinity left out */
};

/* Affine points in Montgomery form, x then y, all bytes zero for infinity; see pail_encoding.
 * PAIL_KEY_PARAMS: as in params.h. */
struct pail_zkey_points {
    const uint8_t *data; /* [count * point_bytes], of any alignment; NULL: in the file, or none */
    size_t offset;       /* place in the file */
    size_t count;
    size_t point_bytes; /* 64 (BN254) or 96 in the first group, twice that in the second */
    /* Index of the witness value that goes with the first point; the others follow. SIZE_MAX for H,
     * whose scalars are the coefficients of the quotient. */
    size_t first_witness;
};

/* The points of the header, in the order of the file. */
enum pail_zkey_point {
    PAIL_ZKEY_ALPHA1,
    PAIL_ZKEY_BETA1,
    PAIL_ZKEY_BETA2,
    PAIL_ZKEY_GAMMA2,
    PAIL_ZKEY_DELTA1,
    PAIL_ZKEY_DELTA2,
    PAIL_ZKEY_HEADER_POINTS
};

enum {
    PAIL_ZKEY_POINT_MAX = 192,        /* bytes of a point, at most */
    PAIL_ZKEY_COEFFICIENT_BYTES = 44, /* bytes of a coefficient: three numbers and a value */
};

struct pail_zkey {
    enum pail_key_form form;
    struct pail_file file; /* not open when the bytes belong to the caller */
    struct pail_binfile container;
    uint32_t curve;    /* pail_curve */
    uint32_t n_vars;   /* witness values, the constant 1 included */
    uint32_t n_public; /* public values, the constant 1 not included */
    uint32_t domain_size;
    size_t n_coefficients;
    const uint8_t *coefficients; /* packed; see pail_zkey_coefficient; NULL: not loaded, or none */
    size_t coefficients_offset;  /* place in the file */
    struct pail_bytes coefficient_bytes;
    struct pail_zkey_points points[PAIL_ZKEY_MSMS];
    struct pail_zkey_points ic; /* PAIL_KEY_PARAMS alone; see pail_zkey_find_ic */
    /* As in the sections; PAIL_KEY_PARAMS: canonical. */
    uint8_t header[PAIL_ZKEY_HEADER_POINTS][PAIL_ZKEY_POINT_MAX];
    size_t header_offsets[PAIL_ZKEY_HEADER_POINTS]; /* places in the file */
};

/* One entry of the constraint matrices A and B. */
struct pail_zkey_coefficient {
    uint32_t matrix; /* 0: A, 1: B */
    uint32_t constraint;
    uint32_t signal;
    const uint8_t *value; /* 32 bytes, value * R^2 mod r, R = 2^256 */
};

/* Opens the file and looks at it as pail_zkey_parse does; also PAIL_ERR_IO. Points stay in the
 * file, and coefficients are there when they have been loaded. The key must stay where it is, and
 * path valid, until it is closed. */
pail_status pail_zkey_open(struct pail_zkey *key, const char *path, char *error, size_t error_cap);

/* The same, where errors call the file `name`, which must stay valid as well. */
pail_status pail_zkey_open_as(struct pail_zkey *key, const char *path, const char *name,
                              char *error, size_t error_cap);

/* Reads the header and finds and measures sections 4 to 9. Coordinates are not read: registration
 * checks the points. `name` and `data` must stay valid as long as the key.
 *
 * Returns PAIL_OK, PAIL_ERR_DATA, or PAIL_ERR_UNSUPPORTED for the key of another proof system; the
 * key is zeroed then. error: optional; holds error_cap bytes. */
pail_status pail_zkey_parse(struct pail_zkey *key, const char *name, const uint8_t *data,
                            size_t size, char *error, size_t error_cap);

/* Gets the place of the points in an open file, to be read piece by piece. The key stays open
 * meanwhile. */
void pail_zkey_points_part(struct pail_file_part *part, const struct pail_zkey *key,
                           enum pail_zkey_msm msm);

/* Finds section 3, or the list ic: the points that go with the constant and the public values,
 * n_public + 1 of them; first_witness is 0. */
pail_status pail_zkey_find_ic(struct pail_zkey_points *points, const struct pail_zkey *key,
                              char *error, size_t error_cap);

/* The name "alpha1", ..., "delta2", and the group of the point, pail_group. */
const char *pail_zkey_point_name(enum pail_zkey_point point);
uint32_t pail_zkey_point_group(enum pail_zkey_point point);

/* Reads the coefficients of an open file. PAIL_ERR_IO when they are not there any more,
 * PAIL_ERR_HOST_MEMORY. Coefficients that are loaded are not read again. */
pail_status pail_zkey_load_coefficients(struct pail_zkey *key, char *error, size_t error_cap);

/* Reads entry `index` < n_coefficients of loaded coefficients, and checks that its numbers are in
 * range. */
pail_status pail_zkey_coefficient(struct pail_zkey_coefficient *coefficient,
                                  const struct pail_zkey *key, size_t index, char *error,
                                  size_t error_cap);

/* The same for an entry whose PAIL_ZKEY_COEFFICIENT_BYTES the caller has read; value points into
 * them. */
pail_status pail_zkey_coefficient_of(struct pail_zkey_coefficient *coefficient,
                                     const struct pail_zkey *key, const uint8_t *entry,
                                     size_t index, char *error, size_t error_cap);

/* Gets the place of the coefficients in an open file, to be read piece by piece, one packed behind
 * the other. The key stays open meanwhile. */
void pail_zkey_coefficients_part(struct pail_file_part *part, const struct pail_zkey *key);

/* Byte offset of the entry in the file, or in the bytes. */
size_t pail_zkey_coefficient_offset(const struct pail_zkey *key, size_t index);

/* The name "A", "B1", "B2", "C" or "H", the group of its points, pail_group, and its section. */
const char *pail_zkey_msm_name(enum pail_zkey_msm msm);
uint32_t pail_zkey_msm_group(enum pail_zkey_msm msm);
uint32_t pail_zkey_msm_section(enum pail_zkey_msm msm);

/* Legal on a key that is zeroed or failed to open. */
void pail_zkey_close(struct pail_zkey *key);

#endif /* PAIL_FORMATS_ZKEY_H */
