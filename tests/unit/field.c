/* The fields of host/ref against vectors that tools/gen_vectors.py computed with Python's integers.
 */
#include <string.h>

#include "bn254.h"
#include "cmocka_all.h"
#include "field_bn254.h"
#include "rng.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        FIELD_TESTS(pail_bn254_fp),
        FIELD_TESTS(pail_bn254_fr),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
