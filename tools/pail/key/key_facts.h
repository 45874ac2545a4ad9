/* Contents of a proving key. */
#ifndef PAIL_TOOL_KEY_KEY_FACTS_H
#define PAIL_TOOL_KEY_KEY_FACTS_H

#include <formats/zkey.h>

#include "error/error.h"

enum { PAIL_KEY_SECTIONS = 10 };

struct pail_key_facts {
    uint64_t coefficients[2]; /* of the matrices A and B */
    /* The rows of A and B that are used, less those that stand for the public values and the
     * constant: a key does not say how many constraints it was made from. */
    uint64_t constraints;
    uint64_t infinities[PAIL_ZKEY_MSMS];
    size_t section_bytes[PAIL_KEY_SECTIONS + 1]; /* by number, from 1 on; 0: there is none */
};

/* "header", "points of A", ...; of a section's number, from 1 to PAIL_KEY_SECTIONS. */
const char *pail_key_section_name(uint32_t section);

/* Reads the coefficients and all points of an open key once. Shows progress.
 *
 * Returns PAIL_OK or a status with a sentence in *error. */
pail_status pail_key_facts_read(struct pail_key_facts *facts, struct pail_zkey *key,
                                struct pail_error *error);

#endif /* PAIL_TOOL_KEY_KEY_FACTS_H */
