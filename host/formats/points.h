/* SPDX-License-Identifier: Apache-2.0 */
/* One point of one curve and group, to and from a form of <pail/encoding.h>. */
#ifndef PAIL_FORMATS_POINTS_H
#define PAIL_FORMATS_POINTS_H

#include <stdbool.h>

#include <pail/encoding.h>

#include <curves/curve_ops.h>

struct pail_point_codec {
    const struct pail_curve_ops *ops;
    uint32_t form;        /* pail_point_form */
    size_t field_bytes;   /* bytes of an element of Fp */
    size_t parts;         /* elements of Fp in a coordinate: 1, or 2 in G2 */
    size_t point_bytes;   /* bytes, canonical */
    size_t encoded_bytes; /* bytes in the form */
    bool compressed, little_endian;
    bool high_first; /* c1 before c0 */
    size_t padding;  /* zero bytes before each element of Fp */
    uint8_t flag_mask;
    uint8_t modulus[48]; /* p, little-endian */
};

/* Returns false, with the codec zeroed, where there is no such form for the curve and group. */
bool pail_point_codec_init(struct pail_point_codec *codec, uint32_t curve, uint32_t group,
                           uint32_t form);

/* Out: point: [point_bytes], canonical little-endian; zeroed on failure.
 * In:  validation: pail_validation.
 * Returns PAIL_OK, or PAIL_ERR_DATA with a sentence that does not say which point it is about.
 * error: optional; holds error_cap bytes. */
pail_status pail_point_decode(const struct pail_point_codec *codec, uint8_t *point,
                              const uint8_t *encoded, uint32_t validation, char *error,
                              size_t error_cap);

/* A compressed point: its x, canonical, and which of both y is meant. */
struct pail_point_x {
    uint8_t x[2 * 48];
    bool infinity, largest;
};

/* Reads a compressed point as far as it goes without the curve: for many that are lifted together.
 * Returns as pail_point_decode. */
pail_status pail_point_read_x(const struct pail_point_codec *codec, struct pail_point_x *x,
                              const uint8_t *encoded, char *error, size_t error_cap);

/* Out: encoded: [encoded_bytes]; zeroed on failure.
 * Returns PAIL_OK, or PAIL_ERR_DATA for a coordinate not below p or, in a compressed form, a point
 * that is not on the curve. */
pail_status pail_point_encode(const struct pail_point_codec *codec, uint8_t *encoded,
                              const uint8_t *point, char *error, size_t error_cap);

#endif /* PAIL_FORMATS_POINTS_H */
