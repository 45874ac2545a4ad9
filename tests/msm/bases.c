/* SPDX-License-Identifier: Apache-2.0 */
/* Sets of bases: what is left out, where they are kept, how they get there, and what is refused.
 * The devices here bind little at a time, so that every set has several segments. */
#include "bases_support.h"
#include "support/test.h"

#include <pthread.h>

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));
    assert_non_null(f);
    *state = f;
    open_device(f, false);
    return 0;
}

static int teardown(void **state)
{
    close_device(*state);
    free(*state);
    return 0;
}

static void check_set(struct fixture *f, const struct set *s)
{
    enum pail_field_form forms[PAIL_FORM_COUNT];
    const uint32_t n_forms = forms_of(f, forms);
    const uint64_t before = pail_vk_memory_stats(f->vk.dev).device;
    struct pail_bases *bases = set_register(f, s);
    assert_int_equal(bases->residency, s->desc.residency);
    expect_numbers(s, bases);
    expect_info(s, bases, bases->kept ? 1 : 0);
    for (uint32_t i = 0; i < n_forms; i++) {
        uint64_t there;
        struct pail_vk_slice pinned;
        if (forms[i] != bases->form && bases->residency == PAIL_RESIDENCY_HOST)
            assert_null(pail_bases_host_points(bases, forms[i], 0, 1, &there, &pinned));
        ASSERT_OK(pail_bases_in_form(bases, forms[i], ERR));
        ASSERT_OK(pail_bases_in_form(bases, forms[i], ERR)); /* it is there */
        expect_points(f, s, bases, forms[i]);
    }
    expect_info(s, bases, bases->kept ? n_forms : 0);
    if (s->desc.residency == PAIL_RESIDENCY_HOST)
        assert_int_equal(pail_vk_memory_stats(f->vk.dev).device, before);
    pail_bases_release(bases);
    assert_int_equal(pail_vk_memory_stats(f->vk.dev).device, before);
}

PAIL_TEST_OF(test_patterns, struct fixture *f)
{
    struct pail_msm_group groups[4];
    const uint32_t all_groups = groups_of(groups), n_groups = few_groups() ? 1 : all_groups;
    for (uint32_t g = 0; g < n_groups; g++)
        for (uint32_t pattern = 0; pattern < PATTERNS; pattern++)
            for (uint32_t i = 0; i < 12; i++) {
                struct set s = set_make(&groups[g], points_needed(&groups[g]),
                                        (enum pattern)pattern, i / 4, i & 1);
                s.desc.residency = i & 2 ? PAIL_RESIDENCY_HOST : PAIL_RESIDENCY_DEVICE;
                s.desc.flags = pattern == THIRD && i / 4 ? PAIL_BASES_KEEP_INFINITIES : 0;
                check_set(f, &s);
                set_free(&s);
            }
}

/* Small sets, and none: what is left out, and what is not, at the edge of the rule. */
PAIL_TEST_OF(test_small_sets, struct fixture *f)
{
    struct pail_msm_group groups[4];
    (void)groups_of(groups);
    static const size_t sizes[] = {0, 1, 2, 63, 64, 65, 127, 128};
    for (size_t i = 0; i < 2 * sizeof(sizes) / sizeof(sizes[0]); i++)
        for (uint32_t pattern = 0; pattern < PATTERNS; pattern++) {
            struct set s =
                set_make(&groups[0], sizes[i / 2], (enum pattern)pattern,
                         i % 2 ? PAIL_ENCODING_JACOBIAN : PAIL_ENCODING_MONTGOMERY, false);
            for (uint32_t r = PAIL_RESIDENCY_DEVICE; r <= PAIL_RESIDENCY_HOST; r++) {
                s.desc.residency = r;
                check_set(f, &s);
            }
            set_free(&s);
        }
}

/* Sets share a sort when they left out the same points, whatever the points are. */
PAIL_TEST_OF(test_hashes, struct fixture *f)
{
    struct pail_msm_group groups[4];
    (void)groups_of(groups);
    uint64_t seen[PATTERNS] = {0};
    for (uint32_t pattern = 0; pattern < PATTERNS; pattern++) {
        uint64_t hash[2];
        for (uint32_t i = 0; i < 2; i++) {
            struct set s = set_make(&groups[0], 300, (enum pattern)pattern,
                                    i ? PAIL_ENCODING_MONTGOMERY : PAIL_ENCODING_CANONICAL, i);
            struct pail_bases *bases = set_register(f, &s);
            hash[i] = bases->map_hash;
            pail_bases_release(bases);
            set_free(&s);
        }
        assert_int_equal(hash[0], hash[1]);
        seen[pattern] = hash[0];
        for (uint32_t k = 0; k < pattern; k++)
            assert_true(!seen[pattern] || seen[k] != seen[pattern]);
    }
    assert_true(seen[NONE] == 0 && seen[FIRST] == 0 && seen[ALL] && seen[MOST] && seen[THIRD]);
}

/* Wrong arguments of a caller, and a struct that ends early. */
PAIL_TEST_OF(test_info_arguments, struct fixture *f)
{
    struct pail_msm_group groups[4];
    (void)groups_of(groups);
    struct set s = set_make(&groups[0], 10, NONE, PAIL_ENCODING_CANONICAL, false);
    struct pail_bases *bases = set_register(f, &s);
    pail_bases_info info = {.struct_size = sizeof(info), .n_points = 77};
    assert_int_equal(pail_api_table.bases_info(NULL, &info), PAIL_ERR_ARGUMENT);
    assert_int_equal(info.n_points, 0);
    assert_int_equal(pail_api_table.bases_info(bases, NULL), PAIL_ERR_ARGUMENT);
    info.struct_size = PAIL_BASES_INFO_SIZE_1_0 - 1;
    assert_int_equal(pail_api_table.bases_info(bases, &info), PAIL_ERR_ARGUMENT);
    assert_int_equal(info.n_points, 0);
    info.struct_size = sizeof(info);
    assert_int_equal(pail_api_table.bases_info(bases, &info), PAIL_OK);
    assert_int_equal(info.n_points, 10);
    pail_bases_release(bases);
    set_free(&s);
}
struct asker {
    struct pail_bases *bases;
    enum pail_field_form form;
    pail_status status;
};

static void *ask(void *user)
{
    struct asker *asker = user;
    asker->status = pail_bases_in_form(asker->bases, asker->form, NULL);
    return NULL;
}

/* Threads that want one form at the same time get one copy. */
PAIL_TEST_OF(test_threads, struct fixture *f)
{
    enum pail_field_form forms[PAIL_FORM_COUNT];
    const uint32_t n_forms = forms_of(f, forms);
    struct pail_msm_group groups[4];
    (void)groups_of(groups);
    struct set s =
        set_make(&groups[0], points_needed(&groups[0]), THIRD, PAIL_ENCODING_CANONICAL, false);
    for (uint32_t r = PAIL_RESIDENCY_DEVICE; r <= PAIL_RESIDENCY_HOST; r++) {
        s.desc.residency = r;
        struct pail_bases *bases = set_register(f, &s);
        enum { ASKERS = 4 };
        pthread_t ids[ASKERS];
        struct asker askers[ASKERS];
        for (uint32_t i = 0; i < ASKERS; i++) {
            askers[i] = (struct asker){bases, forms[i % n_forms], PAIL_ERR_INTERNAL};
            assert_int_equal(pthread_create(&ids[i], NULL, ask, &askers[i]), 0);
        }
        for (uint32_t i = 0; i < ASKERS; i++) {
            pthread_join(ids[i], NULL);
            assert_int_equal(askers[i].status, PAIL_OK);
        }
        for (uint32_t i = 0; i < n_forms; i++)
            expect_points(f, &s, bases, forms[i]);
        expect_info(&s, bases, n_forms);
        pail_bases_release(bases);
    }
    set_free(&s);
}
PAIL_TEST_GROUP(setup, teardown)
