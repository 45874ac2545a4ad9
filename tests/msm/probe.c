/* SPDX-License-Identifier: Apache-2.0 */
/* The arithmetic under the kernels, one operation for each thread, against the CPU. */
#include "probe.h"

static void test_field(void **state)
{
    probe_field(*state);
}

static void test_points(void **state)
{
    probe_points(*state);
}

#define GROUP(name, curve, group)                                                                  \
    static int name(void **state)                                                                  \
    {                                                                                              \
        (void)state;                                                                               \
        test_group(curve, group);                                                                  \
        return 0;                                                                                  \
    }
GROUP(toy1, PAIL_KC_TOY1, PAIL_KG_G1)
GROUP(toy2, PAIL_KC_TOY2, PAIL_KG_G1)
GROUP(bn254_g1, PAIL_KC_BN254, PAIL_KG_G1)
GROUP(bn254_g2, PAIL_KC_BN254, PAIL_KG_G2)
GROUP(bls12_381_g1, PAIL_KC_BLS12_381, PAIL_KG_G1)
GROUP(bls12_381_g2, PAIL_KC_BLS12_381, PAIL_KG_G2)

/* An argument is a pattern of tests to run. */
int main(int argc, char **argv)
{
#define TESTS(group)                                                                               \
    {"field " #group, test_field, group, NULL, NULL},                                              \
    {                                                                                              \
        "points " #group, test_points, group, NULL, NULL                                           \
    }
    const struct CMUnitTest tests[] = {
        TESTS(toy1),     TESTS(toy2),         TESTS(bn254_g1),
        TESTS(bn254_g2), TESTS(bls12_381_g1), TESTS(bls12_381_g2),
    };
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests_name("probe", tests, vk_setup, vk_teardown);
}
