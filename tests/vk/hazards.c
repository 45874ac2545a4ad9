/* Which barriers a recording gets: one for each of the three kinds of dependency, and none for what
 * does not depend. */
#include <vk/cmd.h>
#include <vk/hazards.h>

#include "support/cmocka_all.h"

#define ALL (PAIL_VK_COMPUTE | PAIL_VK_TRANSFER)

static struct pail_vk_step step_of(enum pail_vk_step_kind kind, enum pail_access access,
                                   uint32_t region, uint64_t offset, uint64_t bytes)
{
    struct pail_vk_step step = {.kind = kind, .n_uses = 1};
    step.uses[0] = (struct pail_vk_use){{region, offset, bytes}, access};
    return step;
}

/* A dispatch or a fill, and the barrier that it has to have before it. */
static void expect(struct pail_vk_hazards *hazards, struct pail_vk_step step, uint32_t from)
{
    const struct pail_vk_needed_barrier barrier = pail_vk_hazards_next(hazards, &step);
    assert_int_equal(barrier.from, from);
    if (from)
        assert_int_equal(barrier.to,
                         step.kind == PAIL_VK_STEP_DISPATCH ? PAIL_VK_COMPUTE : PAIL_VK_TRANSFER);
}

static struct pail_vk_step reads(uint32_t region, uint64_t offset, uint64_t bytes)
{
    return step_of(PAIL_VK_STEP_DISPATCH, PAIL_READ, region, offset, bytes);
}

static struct pail_vk_step writes(uint32_t region, uint64_t offset, uint64_t bytes)
{
    return step_of(PAIL_VK_STEP_DISPATCH, PAIL_WRITE, region, offset, bytes);
}

static struct pail_vk_step fills(uint32_t region, uint64_t offset, uint64_t bytes)
{
    return step_of(PAIL_VK_STEP_FILL, PAIL_WRITE, region, offset, bytes);
}

static void test_dependencies(void **state)
{
    (void)state;
    struct pail_vk_hazards h = {0};
    expect(&h, writes(1, 0, 64), 0);
    expect(&h, reads(1, 0, 64), PAIL_VK_COMPUTE);  /* read after write */
    expect(&h, writes(1, 0, 64), PAIL_VK_COMPUTE); /* write after read */
    expect(&h, writes(1, 0, 64), PAIL_VK_COMPUTE); /* write after write */
    expect(&h, fills(1, 0, 64), PAIL_VK_COMPUTE);
    expect(&h, reads(1, 0, 64), PAIL_VK_TRANSFER);
}

static void test_independence(void **state)
{
    (void)state;
    struct pail_vk_hazards h = {0};
    expect(&h, reads(1, 0, 64), 0);
    expect(&h, reads(1, 0, 64), 0);     /* read after read */
    expect(&h, writes(2, 0, 64), 0);    /* another region */
    expect(&h, writes(1, 64, 64), 0);   /* behind */
    expect(&h, fills(1, 128, 64), 0);   /* and once more */
    expect(&h, writes(1, 127, 2), ALL); /* across both */
}

/* A barrier makes what is before it visible to one stage. The other still has to wait. */
static void test_stages(void **state)
{
    (void)state;
    struct pail_vk_hazards h = {0};
    expect(&h, writes(1, 0, 64), 0);
    expect(&h, writes(2, 0, 64), 0);
    expect(&h, reads(1, 0, 64), PAIL_VK_COMPUTE);
    expect(&h, reads(2, 0, 64), 0); /* the same barrier did that */
    expect(&h, fills(2, 0, 64), PAIL_VK_COMPUTE);
}

static void test_unknown(void **state)
{
    (void)state;
    struct pail_vk_hazards h = {.unknown = true};
    struct pail_vk_step step = reads(1, 0, 64);
    struct pail_vk_needed_barrier barrier = pail_vk_hazards_next(&h, &step);
    assert_int_equal(barrier.from, ALL);
    assert_int_equal(barrier.to, ALL);
    assert_false(h.unknown);
    expect(&h, reads(2, 0, 64), 0);
}

/* However many uses there are, none is forgotten without a barrier. */
static void test_many(void **state)
{
    (void)state;
    struct pail_vk_hazards h = {0};
    uint32_t barriers = 0;
    for (uint32_t i = 0; i < 3 * PAIL_VK_PENDING_MAX - 1; i++) {
        struct pail_vk_step step = writes(1, 8 * (uint64_t)i, 4);
        barriers += pail_vk_hazards_next(&h, &step).from != 0;
    }
    assert_int_equal(barriers, 2);
    expect(&h, reads(1, 8 * (3 * PAIL_VK_PENDING_MAX - 2), 4), PAIL_VK_COMPUTE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dependencies), cmocka_unit_test(test_independence),
        cmocka_unit_test(test_stages),       cmocka_unit_test(test_unknown),
        cmocka_unit_test(test_many),
    };
    return cmocka_run_group_tests_name("vk/hazards", tests, NULL, NULL);
}
