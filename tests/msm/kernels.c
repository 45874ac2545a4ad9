/* SPDX-License-Identifier: Apache-2.0 */
/* Each kernel of the multi-scalar multiplication alone, compared with its CPU twin word for word,
 * in every field form that the device has. One device for all: pipelines are slow to make.
 * An argument is a pattern of tests to run ("*sort*"). */
#include "kernels_support.h"

#define GROUP(name, curve, group)                                                                  \
    static int name(void **state)                                                                  \
    {                                                                                              \
        (void)state;                                                                               \
        test_group(curve, group);                                                                  \
        return 0;                                                                                  \
    }
GROUP(bn254_g1, PAIL_KC_BN254, PAIL_KG_G1)
GROUP(bn254_g2, PAIL_KC_BN254, PAIL_KG_G2)
GROUP(bls12_381_g1, PAIL_KC_BLS12_381, PAIL_KG_G1)
GROUP(bls12_381_g2, PAIL_KC_BLS12_381, PAIL_KG_G2)

static int back(void **state)
{
    return bn254_g1(state);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_decompose),
        cmocka_unit_test(test_sort),
        cmocka_unit_test(test_sort_serial),
        cmocka_unit_test(test_sort_scan),
        cmocka_unit_test(test_cuts),
        cmocka_unit_test(test_convert),
        cmocka_unit_test(test_normalize),
        cmocka_unit_test(test_check),
        cmocka_unit_test(test_endomorphism),
        cmocka_unit_test(test_compact),
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_accumulate),
        cmocka_unit_test(test_accumulate_splits),
        cmocka_unit_test(test_accumulate_long_share),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_accumulate_serial),
        {"test_accumulate_serial bls12_381_g1", test_accumulate_serial, bls12_381_g1, back, NULL},
        cmocka_unit_test(test_accumulate_runs),
        {"test_accumulate_pairs bn254_g2", test_accumulate_pairs, bn254_g2, back, NULL},
        {"test_accumulate_pairs bls12_381_g2", test_accumulate_pairs, bls12_381_g2, back, NULL},
        cmocka_unit_test(test_walker),
        cmocka_unit_test(test_coop),
        cmocka_unit_test(test_coop_subgroup),
        cmocka_unit_test(test_debug),
        cmocka_unit_test(test_walk_long_share),
        cmocka_unit_test(test_corrupt_cuts),
        cmocka_unit_test(test_corrupt_runs),
        cmocka_unit_test(test_reduce_window),
        cmocka_unit_test(test_reduce_pass),
        cmocka_unit_test(test_reduce_serial),
        {"test_reduce_serial bls12_381_g1", test_reduce_serial, bls12_381_g1, back, NULL},
#define OTHER_GROUP(group)                                                                         \
    {"test_accumulate_splits " #group, test_accumulate_splits, group, back, NULL},                 \
        {"test_accumulate_long_share " #group, test_accumulate_long_share, group, back, NULL},     \
        {"test_reduce_window " #group, test_reduce_window, group, back, NULL},                     \
        {"test_reduce_pass " #group, test_reduce_pass, group, back, NULL}
#define PAIRS(group)                                                                               \
    {"test_reduce_window_pairs " #group, test_reduce_window_pairs, group, back, NULL},             \
    {                                                                                              \
        "test_reduce_pass_pairs " #group, test_reduce_pass_pairs, group, back, NULL                \
    }
        OTHER_GROUP(bn254_g2),
        PAIRS(bn254_g2),
        OTHER_GROUP(bls12_381_g1),
        OTHER_GROUP(bls12_381_g2),
        PAIRS(bls12_381_g2),
    };
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests_name("kernels", tests, vk_setup, vk_teardown);
}
