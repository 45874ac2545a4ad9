/* Each kernel of the multi-scalar multiplication alone, compared with its CPU twin word for word,
 * in every field form that the device has. One device for all: pipelines are slow to make.
 * An argument is a pattern of tests to run ("*sort*"). */
#include "kernels_support.h"

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_decompose),
        cmocka_unit_test(test_sort),
        cmocka_unit_test(test_sort_scan),
        cmocka_unit_test(test_sort_totals),
        cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_cuts),
        cmocka_unit_test(test_convert),
        cmocka_unit_test(test_accumulate),
        cmocka_unit_test(test_accumulate_splits),
        cmocka_unit_test(test_accumulate_long_share),
        cmocka_unit_test(test_walker),
        cmocka_unit_test(test_coop),
        cmocka_unit_test(test_coop_subgroup),
        cmocka_unit_test(test_debug),
        cmocka_unit_test(test_walk_long_share),
        cmocka_unit_test(test_reduce_window),
        cmocka_unit_test(test_reduce_level),
    };
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests_name("kernels", tests, vk_setup, vk_teardown);
}
