/* SPDX-License-Identifier: Apache-2.0 */
/* Files as the command uses them: everything is read once. */
#ifndef PAIL_TESTS_FORMATS_USE_H
#define PAIL_TESTS_FORMATS_USE_H

#include <formats/zkey.h>

enum { USE_PIECE_MAX = 128 };

/* All points of a section, in pieces of so many bytes, which are added up by exclusive or to `sum`.
 * What went wrong, as a sentence, to `said`. */
pail_status use_points(const struct pail_zkey *key, enum pail_zkey_msm msm, size_t piece_bytes,
                       uint8_t *sum, char *said, size_t said_bytes);

/* All points of a proving key, in pieces of so many bytes, and its coefficients. A fault, as a
 * sentence, to `said`. */
pail_status use_key_file(const char *path, size_t piece_bytes, char *said, size_t size);

#endif /* PAIL_TESTS_FORMATS_USE_H */
