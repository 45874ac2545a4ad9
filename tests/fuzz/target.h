/* SPDX-License-Identifier: Apache-2.0 */
/* The function that libFuzzer and the replay driver both call. */
#ifndef PAIL_TESTS_FUZZ_TARGET_H
#define PAIL_TESTS_FUZZ_TARGET_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif /* PAIL_TESTS_FUZZ_TARGET_H */
