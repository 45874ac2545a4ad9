/* SPDX-License-Identifier: Apache-2.0 */
/* Barriers that a recording gets: one for each of the three kinds of dependency, and none for what
 * does not depend. */
#include <vk/cmd.h>
#include <vk/execute.h>

#include "support/test.h"

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

PAIL_TEST(test_dependencies)
{
    struct pail_vk_hazards h = {0};
    expect(&h, writes(1, 0, 64), 0);
    expect(&h, reads(1, 0, 64), PAIL_VK_COMPUTE);  /* read after write */
    expect(&h, writes(1, 0, 64), PAIL_VK_COMPUTE); /* write after read */
    expect(&h, writes(1, 0, 64), PAIL_VK_COMPUTE); /* write after write */
    expect(&h, fills(1, 0, 64), PAIL_VK_COMPUTE);
    expect(&h, reads(1, 0, 64), PAIL_VK_TRANSFER);
}

PAIL_TEST(test_independence)
{
    struct pail_vk_hazards h = {0};
    expect(&h, reads(1, 0, 64), 0);
    expect(&h, reads(1, 0, 64), 0);     /* read after read */
    expect(&h, writes(2, 0, 64), 0);    /* another region */
    expect(&h, writes(1, 64, 64), 0);   /* behind */
    expect(&h, fills(1, 128, 64), 0);   /* and once more */
    expect(&h, writes(1, 127, 2), ALL); /* across both */
}

/* A barrier makes what is before it visible to one stage. The other still has to wait. */
PAIL_TEST(test_stages)
{
    struct pail_vk_hazards h = {0};
    expect(&h, writes(1, 0, 64), 0);
    expect(&h, writes(2, 0, 64), 0);
    expect(&h, reads(1, 0, 64), PAIL_VK_COMPUTE);
    expect(&h, reads(2, 0, 64), 0); /* the same barrier did that */
    expect(&h, fills(2, 0, 64), PAIL_VK_COMPUTE);
}

PAIL_TEST(test_unknown)
{
    struct pail_vk_hazards h = {.unknown = true};
    struct pail_vk_step step = reads(1, 0, 64);
    struct pail_vk_needed_barrier barrier = pail_vk_hazards_next(&h, &step);
    assert_int_equal(barrier.from, ALL);
    assert_int_equal(barrier.to, ALL);
    assert_false(h.unknown);
    expect(&h, reads(2, 0, 64), 0);
}

/* However many uses there are, none is forgotten without a barrier. */
PAIL_TEST(test_many)
{
    struct pail_vk_hazards h = {0};
    uint32_t barriers = 0;
    for (uint32_t i = 0; i < 3 * PAIL_VK_PENDING_MAX - 1; i++) {
        struct pail_vk_step step = writes(1, 8 * (uint64_t)i, 4);
        barriers += pail_vk_hazards_next(&h, &step).from != 0;
    }
    assert_int_equal(barriers, 2);
    expect(&h, reads(1, 8 * (3 * PAIL_VK_PENDING_MAX - 2), 4), PAIL_VK_COMPUTE);
}

/* Two runs become one, in turns; the rest of the longer one follows in its order. */
PAIL_TEST(test_weave)
{
    static const uint32_t woven[3][7] = {
        {1, 101, 2, 102, 103, 104, 105}, {1, 101, 2, 102, 3, 103, 4}, {1, 101, 102, 103, 104, 105}};
    static const uint32_t lengths[3][2] = {{5, 2}, {3, 4}, {5, 1}};
    for (int k = 0; k < 3; k++) {
        const struct pail_alloc alloc = {0};
        struct pail_vk_steps list;
        pail_vk_steps_init(&list, &alloc);
        const struct pail_vk_range range = {0, 0, 4};
        pail_vk_steps_fill(&list, range, 1000);
        list.phase = "first";
        for (uint32_t i = 0; i < lengths[k][0]; i++)
            pail_vk_steps_fill(&list, range, 101 + i);
        list.phase = "second";
        for (uint32_t i = 0; i < lengths[k][1]; i++)
            pail_vk_steps_fill(&list, range, 1 + i);
        pail_vk_steps_weave(&list, 1, 1 + lengths[k][0]);
        assert_int_equal(list.n, 1 + lengths[k][0] + lengths[k][1]);
        assert_int_equal(list.steps[0].word, 1000);
        for (uint32_t i = 1; i < list.n; i++) {
            assert_int_equal(list.steps[i].word, woven[k][i - 1]);
            assert_string_equal(list.steps[i].phase, k == 1 && i == 7 ? "second" : "first");
        }
        pail_vk_steps_fini(&list);
    }
}
