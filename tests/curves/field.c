/* SPDX-License-Identifier: Apache-2.0 */
/* The fields of host/base/curves against vectors that tools/gen_vectors.py computed with Python's
 * integers.
 */

#include "support/test.h"
#include "vectors/field_bls12_381.h"
#include "vectors/field_bn254.h"
#include <curves/bls12_381.h>
#include <curves/bn254.h>
#include <curves/rng.h>

#define FE        pail_bn254_fp
#define FE_PARAMS PAIL_BN254_FP
#define FE_ROWS   bn254_fp
#include "field_tests.h"
#undef FE
#undef FE_PARAMS
#undef FE_ROWS

#define FE        pail_bn254_fr
#define FE_PARAMS PAIL_BN254_FR
#define FE_ROWS   bn254_fr
#include "field_tests.h"
#undef FE
#undef FE_PARAMS
#undef FE_ROWS

#define FE        pail_bls12_381_fp
#define FE_PARAMS PAIL_BLS12_381_FP
#define FE_ROWS   bls12_381_fp
#include "field_tests.h"
#undef FE
#undef FE_PARAMS
#undef FE_ROWS

#define FE        pail_bls12_381_fr
#define FE_PARAMS PAIL_BLS12_381_FR
#define FE_ROWS   bls12_381_fr
#include "field_tests.h"
#undef FE
#undef FE_PARAMS
#undef FE_ROWS

#define FE      pail_bn254_fp2
#define BASE    pail_bn254_fp
#define FE_ROWS bn254_fp2
#define EC      pail_bn254_g2
#define EC_ROWS bn254_g2
#include "field2_tests.h"
#undef FE
#undef BASE
#undef FE_ROWS
#undef EC
#undef EC_ROWS

#define FE      pail_bls12_381_fp2
#define BASE    pail_bls12_381_fp
#define FE_ROWS bls12_381_fp2
#define EC      pail_bls12_381_g2
#define EC_ROWS bls12_381_g2
#include "field2_tests.h"
#undef FE
#undef BASE
#undef FE_ROWS
#undef EC
#undef EC_ROWS

int main(void)
{
    const struct CMUnitTest tests[] = {
        FIELD_TESTS(pail_bn254_fp),     FIELD_TESTS(pail_bn254_fr), FIELD_TESTS(pail_bls12_381_fp),
        FIELD_TESTS(pail_bls12_381_fr), FIELD2_TESTS(pail_bn254),   FIELD2_TESTS(pail_bls12_381),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
