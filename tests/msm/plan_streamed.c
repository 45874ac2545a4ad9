/* Plans over bases that stay in host memory: where their points are cut, and how many places there
 * are for what is sent. */
#include "plan_check.h"

/* Bases from host memory: several chunks, so that there is something to go on with while others are
 * sent, and two places for them where that takes nothing away. */
static void test_streamed(void **state)
{
    (void)state;
    static const struct {
        uint64_t n;
        uint32_t chunks;
    } cases[] = {{1 << 14, 1}, {1 << 19, 1}, {3 << 18, 3}, {1 << 20, 3},
                 {1 << 22, 5}, {1 << 24, 5}, {1 << 26, 5}};
    struct pail_msm_limits limits = ample;
    limits.overlap_points = 1 << 19;
    struct pail_msm_plan plan, single;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct pail_msm_shape shape = shape_of(cases[i].n);
        shape.streamed = true;
        expect_plan(&plan, &shape, &limits, &(const struct pail_msm_knobs){0});
        assert_true(plan.stepped);
        assert_int_equal(plan.chunks, cases[i].chunks);
        assert_int_equal(plan.places, cases[i].chunks > 1 ? 2 : 1);
        /* The first chunk is small: until it is there, nothing is worked on. */
        assert_int_equal(plan.lead, cases[i].chunks > 1 ? plan.chunk / 4 : 0);
        /* With one byte less there is one place, for the same chunks. */
        const struct pail_msm_knobs tight = {.memory_budget = plan.scratch_bytes - 1};
        if (plan.places == 1)
            continue;
        expect_plan(&single, &shape, &limits, &tight);
        assert_int_equal(single.places, 1);
        assert_int_equal(single.chunks, plan.chunks);
        assert_int_equal(single.batches, plan.batches);
        assert_in_range(single.scratch_bytes, 1, tight.memory_budget);
        expect_plan(&plan, &shape, &ample, &(const struct pail_msm_knobs){0});
        assert_int_equal(plan.places, 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_streamed)};
    return cmocka_run_group_tests_name("plans of streamed bases", tests, NULL, NULL);
}
