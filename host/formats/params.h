/* SPDX-License-Identifier: Apache-2.0 */
/* Groth16 proving keys of bellman, bellperson and Zcash over BLS12-381 (.params):
 *     alpha1, beta1 (G1), beta2, gamma2 (G2), delta1 (G1), delta2 (G2)
 *     { u32 count, points[count] } of ic, h, l, a, b_g1 (G1), b_g2 (G2)
 * big-endian, without padding. Points are uncompressed: x | y, in G2 x.c1 | x.c0 | y.c1 | y.c0, of
 * 48 bytes each, with flags in the three top bits of the first byte (0x80: compressed, 0x40:
 * infinity, 0x20: sign), none of which may be set here. Bytes after the last list are ignored:
 * files of ceremonies have contributions there.
 *
 * h is tau^i (tau^n - 1) / delta for i below n - 1, with n the size of the domain, so its scalars
 * are the coefficients of the quotient. a, b_g1 and b_g2 have the points of inputs, then those of
 * the other variables, without those that are infinity; which these are is not in the file. Source
 * of the format: zkcrypto/bellman, groth16/src/lib.rs and generator.rs. */
#ifndef PAIL_FORMATS_PARAMS_H
#define PAIL_FORMATS_PARAMS_H

#include "zkey.h"

/* Opens a key of either form, told by its contents: that of a .zkey begins with "zkey", that of a
 * .params with a point on the curve, whose first byte is no letter. Anything else fails as
 * pail_zkey_open does.
 *
 * In: path: a file, which stays open; or NULL: n_bytes in memory. name: the key's name in errors.
 *     All of them must stay valid until pail_zkey_close.
 * Out: key: it must stay where it is. Of a .params: C is l, n_public + 1 are the points of ic, and
 *      n_vars these and those of l.
 * Returns as pail_zkey_open_as and pail_zkey_parse. */
pail_status pail_key_file_open(struct pail_zkey *key, const char *path, const char *name,
                               const void *bytes, size_t n_bytes, char *error, size_t error_cap);

/* Points of a key of either form that another module reads piece by piece, in any order, in several
 * threads at a time: the `user` of pail_key_points_read. */
struct pail_key_points {
    struct pail_file_part part; /* part.error: sentence of the first failure */
    const uint8_t *data;        /* in memory; NULL: in the file */
    const struct pail_zkey *key;
    enum pail_zkey_msm msm;
    size_t first;      /* number of the first point of the part */
    uint32_t encoding; /* out: pail_encoding of the bytes that are read */
};

/* Gets points first to first + count - 1 of those of a multiplication. The key stays open
 * meanwhile. */
void pail_key_points_init(struct pail_key_points *points, const struct pail_zkey *key,
                          enum pail_zkey_msm msm, size_t first, size_t count);

/* A pail_read_points. Returns PAIL_OK; as pail_file_part_read; PAIL_ERR_DATA for a point of a
 * .params that has a flag or is (0, 0); or PAIL_ERR_HOST_MEMORY. */
pail_status pail_key_points_read(void *points, void *to, uint64_t offset, size_t bytes);

/* Writes the name of a list: "section 5 (A)", or "the list a". Returns text. */
const char *pail_key_list_name(char text[32], const struct pail_zkey *key, enum pail_zkey_msm msm);

/* Converts one point of a .params to the canonical encoding. Returns NULL, or the reason why it is
 * none, without a check of the coordinates. */
const char *pail_params_point(uint8_t *to, const uint8_t *from, uint32_t group);

#endif /* PAIL_FORMATS_PARAMS_H */
