/* SPDX-License-Identifier: Apache-2.0 */
/* The setup of KZG commitments as c-kzg-4844 reads it (trusted_setup.txt), and blobs of EIP-4844,
 * which are committed to with it; both also over BN254.
 *
 * The file is text, one item a line:
 *   n, the number of G1 points in each basis (4096 in EIP-4844), a power of two
 *   m, the number of G2 points (65)
 *   n points [l_i(tau)] G1, the Lagrange basis over the n-th roots of unity w^i
 *   m points [tau^i] G2
 *   n points [tau^i] G1
 * Points are compressed, in hexadecimal, with or without "0x": PAIL_POINT_ZCASH over BLS12-381, and
 * PAIL_POINT_GNARK over BN254, which is told by the 64 digits of its points of G1.
 * Source of the format: ethereum/c-kzg-4844, src/trusted_setup.txt and src/setup/setup.c.
 *
 * Or it is binary: "PAILKZG1"; the curve (pail_curve) and 0, 4 bytes each; n and m, 8 bytes each,
 * all little-endian; and the same compressed points in the same order, packed.
 *
 * EIP-4844 evaluates blobs at the roots in bit-reversed order, so the commitment to a blob is the
 * sum of blob[i] times [l_rev(i)(tau)] G1: the Lagrange points are handed out in that order.
 */
#ifndef PAIL_FORMATS_KZG_SETUP_H
#define PAIL_FORMATS_KZG_SETUP_H

#include <pail/backend.h>

struct pail_kzg_setup {
    uint32_t curve; /* pail_curve */
    size_t n_g1, n_g2;
    /* Canonical. */
    uint8_t *g1_lagrange; /* [n_g1] bit-reversed: to multiply with a blob */
    uint8_t *g1_monomial; /* [n_g1] times tau^0, tau^1, ... */
    uint8_t *g2_monomial; /* [n_g2] */
};

/* Reads a setup; all points are on the curve then.
 *
 * In: validation: PAIL_VALIDATE_CURVE, or PAIL_VALIDATE_SUBGROUP to check that on this CPU too.
 * Returns PAIL_OK, PAIL_ERR_DATA (the sentence names the line) or PAIL_ERR_HOST_MEMORY, with *setup
 * zeroed unless PAIL_OK. error: optional; holds error_cap bytes. */
pail_status pail_kzg_setup_parse(struct pail_kzg_setup *setup, const char *name,
                                 const uint8_t *data, size_t size, uint32_t validation, char *error,
                                 size_t error_cap);

/* The same from a file; also PAIL_ERR_IO. */
pail_status pail_kzg_setup_open(struct pail_kzg_setup *setup, const char *path, uint32_t validation,
                                char *error, size_t error_cap);

/* Legal on a setup that is zeroed or failed to parse. */
void pail_kzg_setup_free(struct pail_kzg_setup *setup);

/* Reads the blob of a file as pail_kzg_blob_scalars does: n * 32 bytes, or otherwise text in
 * hexadecimal that begins with "0x". Also PAIL_ERR_IO. */
pail_status pail_kzg_blob_open(uint8_t *scalars, size_t n, uint32_t curve, const char *path,
                               char *error, size_t error_cap);

/* The scalars of a blob: n field elements of 32 bytes, big-endian, each below the order r
 * of the curve.
 *
 * Out: scalars: [n * 32], little-endian; zeroed on failure.
 * Returns PAIL_OK, or PAIL_ERR_DATA for a size other than n * 32 or an element not below r. */
pail_status pail_kzg_blob_scalars(uint8_t *scalars, size_t n, uint32_t curve, const uint8_t *blob,
                                  size_t size, char *error, size_t error_cap);

#endif /* PAIL_FORMATS_KZG_SETUP_H */
