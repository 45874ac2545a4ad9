/* SPDX-License-Identifier: Apache-2.0 */
/* Keys, witnesses and proofs on one context of the CPU backend, or of the plugin where a program is
 * linked with that. */
#ifndef PAIL_TESTS_PROVER_SUPPORT_H
#define PAIL_TESTS_PROVER_SUPPORT_H

#include <stdbool.h>

#include <pail/groth16.h>

#include "circuit.h"

/* Set by support_setup. */
extern const pail_backend *backend;
extern pail_context *context;

/* Fixtures of a group of cmocka: open the backend; and close it. */
int support_setup(void **state);
int support_teardown(void **state);

struct support_bytes {
    uint8_t *data;
    size_t size;
};

/* A circuit's files, in memory. */
struct support_case {
    struct support_bytes zkey, wtns;
    uint32_t n_public;
};

/* A made-up circuit with a key of known trapdoor. Freed by support_case_free. */
void support_make_case(struct support_case *files, const struct circuit_params *params);
void support_case_free(struct support_case *files);

void support_read_file(struct support_bytes *bytes, const char *path);
/* data and size of what follows the header of a section; it has to be there. */
uint8_t *support_section(const struct support_bytes *file, uint32_t type, uint64_t *size);

/* Opens the key, which has to work, or has to fail with the status and a sentence that has all the
 * words, separated by '|', in their order. */
pail_groth16_key_params support_params(const struct support_bytes *zkey);
pail_groth16_key *support_open(const struct support_bytes *zkey);
void support_expect_refused(const struct support_bytes *zkey, pail_status status,
                            const char *words);
/* Checks that the sentence has the words; the test fails otherwise. */
void support_expect_words(const char *sentence, const char *words);

struct support_proof {
    pail_groth16_proof proof;
    uint8_t *publics;
    uint64_t n_public;
    bool valid;
};

/* Proves, which has to work, and verifies. options: optional. Freed by support_proof_free. */
void support_prove(struct support_proof *made, const pail_groth16_key *key,
                   const struct support_bytes *wtns, const pail_groth16_options *options);
void support_proof_free(struct support_proof *made);

#endif /* PAIL_TESTS_PROVER_SUPPORT_H */
