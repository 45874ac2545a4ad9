/* SPDX-License-Identifier: Apache-2.0 */
/* Files of (point, scalar) pairs, one after the other, as precompiled contracts take them: the
 * point in an uncompressed form, then the scalar, 32 bytes big-endian, of any value. EIP-2537:
 * pairs of 160 bytes in G1 and 288 in G2, at least one. EIP-196:  pairs of 96 bytes, any number;
 * zeros complete the last one. In G2, which EIP-196 does not have, the point is EIP-197's and a
 * pair has 160 bytes. The bytes are the file itself, or its text in hexadecimal when that begins
 * with "0x": no pair begins with these two characters, since its x would not be below the modulus.
 */
#ifndef PAIL_FORMATS_PAIRS_H
#define PAIL_FORMATS_PAIRS_H

#include <stdbool.h>

#include "points.h"

struct pail_pairs {
    size_t first, count; /* first: index in the file, where only a range was read */
    uint8_t *points;     /* [count], canonical; NULL when count is 0 */
    uint8_t *scalars;    /* [count * 32], little-endian; NULL when count is 0 */
};

/* Decodes the pairs. It checks that coordinates are below p; registration checks that points are on
 * the curve and in the subgroup.
 *
 * In: codec: of PAIL_POINT_EIP196 or PAIL_POINT_EIP2537. name: of the bytes in errors.
 * Returns PAIL_OK, PAIL_ERR_DATA or PAIL_ERR_HOST_MEMORY, with *pairs zeroed unless PAIL_OK.
 * error: optional; holds error_cap bytes. */
pail_status pail_pairs_parse(struct pail_pairs *pairs, const char *name, const uint8_t *data,
                             size_t size, const struct pail_point_codec *codec, char *error,
                             size_t error_cap);

/* The same from a file; also PAIL_ERR_IO. */
pail_status pail_pairs_open(struct pail_pairs *pairs, const char *path,
                            const struct pail_point_codec *codec, char *error, size_t error_cap);

/* Counts the pairs of a file by its size. is_text: it is text, of which no range can be read, and
 * *count is 0. Returns as pail_pairs_open does. */
pail_status pail_pairs_measure(size_t *count, bool *is_text, const char *path,
                               const struct pail_point_codec *codec, char *error, size_t error_cap);

/* Reads and decodes pairs first ... first + count - 1 of a file that is no text. PAIL_ERR_IO, too,
 * where they are not there. */
pail_status pail_pairs_open_range(struct pail_pairs *pairs, const char *path,
                                  const struct pail_point_codec *codec, size_t first, size_t count,
                                  char *error, size_t error_cap);

/* Wipes the scalars. Legal on pairs that are zeroed or failed to parse. */
void pail_pairs_free(struct pail_pairs *pairs);

#endif /* PAIL_FORMATS_PAIRS_H */
