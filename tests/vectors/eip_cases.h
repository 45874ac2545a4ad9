/* SPDX-License-Identifier: Apache-2.0 */
/* Cases of Ethereum's specifications, from the files they are published in. */
#ifndef PAIL_TESTS_EIP_CASES_H
#define PAIL_TESTS_EIP_CASES_H

#include <stddef.h>
#include <stdint.h>

struct eip_case {
    char *name;
    uint8_t *input;
    size_t input_bytes;
    uint8_t *expected; /* NULL: the input must be refused */
    size_t expected_bytes;
    char *fault; /* in go-ethereum's words; NULL where the file has none */
};

struct eip_cases {
    struct eip_case *one;
    size_t count;
};

/* A JSON array of objects with Name, Input and either Expected or ExpectedError: hexadecimal
 * without 0x. Ends the test with a message if the file cannot be read; a missing one is no case. */
struct eip_cases eip_cases_load(const char *path);

/* FOLDER/NAME/data.yaml, in the order of their names: input is the blob, expected the commitment.
 */
struct eip_cases eip_blobs_load(const char *folder);

void eip_cases_free(struct eip_cases *cases);

#endif /* PAIL_TESTS_EIP_CASES_H */
