/* SPDX-License-Identifier: Apache-2.0 */
/* The products in C that the CPU backend's adder "portable" is made of, word by word: edges and
 * random numbers. cpu_adders.c has the adder's sums. */

#include "support/test.h"
#include <curves/bls12_381.h>
#include <curves/bn254.h>
#include <curves/rng.h>

#define TEST_HEADER <curves/plain_field.h>

#define AF          bn254_plain
#define AF_WORDS    4
#define BASE        pail_bn254_fp
#define BASE_PARAMS PAIL_BN254_FP
#define TEST_FIELD  bn254
#include "loose_tests.h"

#define AF          bls12_381_plain
#define AF_WORDS    6
#define BASE        pail_bls12_381_fp
#define BASE_PARAMS PAIL_BLS12_381_FP
#define TEST_FIELD  bls12_381
#include "loose_tests.h"

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(bn254), cmocka_unit_test(bls12_381)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
