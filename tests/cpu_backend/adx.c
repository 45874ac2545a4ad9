/* SPDX-License-Identifier: Apache-2.0 */
/* The products of BMI2 and ADX, which the CPU backend's adder "adx" is made of, word by word: edges
 * and random numbers. cpu_adders.c has the adder's sums. */

#include "support/test.h"
#include <cpu/adders.h>
#include <curves/bls12_381.h>
#include <curves/bn254.h>
#include <curves/rng.h>

#if PAIL_CPU_HAS_ADX

#define TEST_HEADER <curves/adx_field.h>

#define AF          bn254_adx
#define AF_WORDS    4
#define BASE        pail_bn254_fp
#define BASE_PARAMS PAIL_BN254_FP
#define TEST_FIELD  bn254
#include "loose_tests.h"

#define AF          bls12_381_adx
#define AF_WORDS    6
#define BASE        pail_bls12_381_fp
#define BASE_PARAMS PAIL_BLS12_381_FP
#define TEST_FIELD  bls12_381
#include "loose_tests.h"

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(bn254), cmocka_unit_test(bls12_381)};
    if (!pail_cpu_arithmetic_runs(PAIL_CPU_ADX)) {
        printf("this processor has no BMI2 or no ADX\n");
        return 0;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void)
{
    printf("not built for this kind of processor\n");
    return 0;
}

#endif
