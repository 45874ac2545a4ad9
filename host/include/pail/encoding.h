/* SPDX-License-Identifier: Apache-2.0 */
/* Conversion of points between the encodings of other programs and the canonical encoding of bases.
 * Thread-safety: safe.
 *
 * Canonical means PAIL_ENCODING_CANONICAL of <pail/backend.h>: affine x then y, little-endian, in
 * G2 c0 before c1, packed; all bytes zero is infinity. A point has 64 bytes in BN254 G1, 128 in
 * BN254 G2, 96 in BLS12-381 G1 and 192 in BLS12-381 G2.
 *
 * p is the modulus of the base field; an element of Fp2 is c0 + c1 u. y is called the largest if it
 * is greater than -y as an integer; in Fp2 c1 is compared, or c0 if c1 is 0. */
#ifndef PAIL_ENCODING_H
#define PAIL_ENCODING_H

#include <pail/pail.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum pail_point_form {
    /* BN254, uncompressed, big-endian, 32 bytes a coordinate; all zero is infinity.
     *   G1, 64 bytes: x | y.                      As in EIP-196 (and gnark's raw form).
     *   G2, 128 bytes: x.c1 | x.c0 | y.c1 | y.c0. As in EIP-197. */
    PAIL_POINT_EIP196 = 1,
    /* BLS12-381, uncompressed, big-endian, 64 bytes a coordinate, of which the first 16 must be
     * zero; all zero is infinity. As in EIP-2537.
     *   G1, 128 bytes: x | y
     *   G2, 256 bytes: x.c0 | x.c1 | y.c0 | y.c1 */
    PAIL_POINT_EIP2537 = 2,
    /* BLS12-381, compressed, big-endian; flags in the three top bits of the first byte: 0x80, set:
     * compressed; 0x40: infinity, every other bit but 0x80 being 0; 0x20: y is the largest. As
     * ZCash defined it; KZG setups, Ethereum's consensus layer, gnark, blst and arkworks write it
     * too.
     *   G1, 48 bytes: x
     *   G2, 96 bytes: x.c1 | x.c0 */
    PAIL_POINT_ZCASH = 3,
    /* BN254, compressed, big-endian; flags in the two top bits of the first byte: 10: y is the
     * smallest; 11: y is the largest; 01: infinity, every other bit being 0; 00, gnark's mark of an
     * uncompressed point, is refused. As gnark-crypto writes it (ecc/bn254/marshal.go).
     *   G1, 32 bytes: x
     *   G2, 64 bytes: x.c1 | x.c0 */
    PAIL_POINT_GNARK = 4,
    /* BN254, compressed, little-endian; flags in the two top bits of the last byte: 00: y is not
     * the largest; 10: y is the largest; 01: infinity, every other bit being 0; 11 is refused. As
     * arkworks writes it (SWFlags of ark-serialize). Its BLS12-381 is PAIL_POINT_ZCASH.
     *   G1, 32 bytes: x
     *   G2, 64 bytes: x.c0 | x.c1 */
    PAIL_POINT_ARKWORKS = 5,
    PAIL_POINT_FORCE_32 = 0x7fffffff
} pail_point_form;

typedef struct pail_point_format {
    uint32_t struct_size;
    uint32_t curve, group; /* pail_curve, pail_group */
    uint32_t form;         /* pail_point_form */
    uint32_t validation;   /* pail_validation: checks of each point when decoding */
    uint32_t reserved;     /* 0 */
} pail_point_format;

/* Bytes of one encoded point; 0 if the form does not exist for the curve and group. */
PAIL_API size_t pail_point_bytes(const pail_point_format *format);

/* Decodes points. It always checks that coordinates are below p, that flags are valid and that
 * compressed points are on the curve, independent of format->validation. PAIL_VALIDATE_SUBGROUP
 * costs about a short scalar multiplication for each point: if the points are to be registered,
 * request it there, where the device checks it.
 *
 * Out: points: [n], packed and canonical; of any alignment. Zeroed on failure.
 *      *bad_index: optional: the index of the first bad point, or SIZE_MAX.
 * In:  encoded: [encoded_bytes], of any alignment; may be NULL when that is 0. It must have n *
 *      pail_point_bytes bytes. With PAIL_POINT_EIP196, as its specification demands, missing bytes
 *      at the end are zeros, and surplus bytes are ignored.
 * Returns PAIL_OK, PAIL_ERR_ARGUMENT (a NULL pointer, an unknown validation, or no such form for
 * the curve and group) or PAIL_ERR_DATA (the message has the index of the point and the reason). */
PAIL_API pail_status pail_points_decode(void *points, size_t *bad_index,
                                        const pail_point_format *format, const void *encoded,
                                        size_t encoded_bytes, size_t n, char *error,
                                        size_t capacity);

/* Encodes points; format->validation is ignored.
 *
 * Out: encoded: [n * pail_point_bytes], of any alignment. Zeroed on failure.
 *      *bad_index: optional: the index of the first bad point, or SIZE_MAX.
 * In:  points: [n], packed and canonical, of any alignment; may be NULL when n is 0.
 * Returns PAIL_OK, PAIL_ERR_ARGUMENT, or PAIL_ERR_DATA for a coordinate that is not below p or, if
 * the form is compressed, a point that is not on the curve. */
PAIL_API pail_status pail_points_encode(void *encoded, size_t *bad_index,
                                        const pail_point_format *format, const void *points,
                                        size_t n, char *error, size_t capacity);

#ifdef __cplusplus
}
#endif

#endif /* PAIL_ENCODING_H */
