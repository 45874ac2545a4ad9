/* SPDX-License-Identifier: Apache-2.0 */
/* Sizes that are stale because of a write that nobody told of: an overflow is diagnosed long after
 * its launch, or together with others, and the next launch is right all the same. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include <sys/mman.h>
#include <unistd.h>

#include "service_support.h"
#include "support/test.h"

enum { ID_A = 5, ID_B = 6, STALE = 2, NEEDED = 64, N = 8 };

struct setting {
    struct stage stage;
    uint64_t kernel;
    uint32_t id;
    int32_t a[N], b[N];
    int64_t shape;
    pail_binding bindings[2];
};

/* The largest element of source 0. */
static uint64_t register_max(struct setting *s, const char *name)
{
    struct kernel *kernel = kernel_make(name, "1");
    (void)kernel_task(kernel, 0);
    tree_max_of(kernel_stack(kernel), 0);
    const uint64_t handle = stage_register(&s->stage, kernel);
    kernel_free(kernel);
    return handle;
}

static uint32_t id_of(struct setting *s, uint64_t handle)
{
    struct pail_ad_kernel *kernel;
    struct pail_error err;
    assert_int_equal(pail_ad_registry_find(&s->stage.service->registry, &kernel, handle, &err),
                     PAIL_OK);
    const uint32_t id = kernel->tasks[0].id;
    pail_ad_kernel_release(kernel);
    return id;
}

static void set_up(struct setting *s)
{
    stage_open(&s->stage, false, 0);
    s->kernel = register_max(s, "substep_grad");
    s->id = id_of(s, s->kernel);
    for (int i = 0; i < N; i++)
        s->a[i] = s->b[i] = STALE;
    s->shape = N;
    s->bindings[0] = bind(0, ID_A, s->a, &s->shape);
    s->bindings[1] = bind(1, ID_B, s->b, &s->shape);
}

static uint64_t launch(struct setting *s, uint64_t kernel, size_t n_bindings, uint64_t serial)
{
    return stage_capacity(&s->stage, kernel, s->bindings, n_bindings, serial);
}

static pail_diagnosis diagnose(struct setting *s, uint32_t id, uint64_t serial)
{
    struct pail_error err = {0};
    pail_diagnosis d = {.struct_size = sizeof(d)};
    const pail_overflow record =
        SIZED(pail_overflow, .id = id, .stack = 0, .count = NEEDED, .serial = serial);
    if (pail_adstack_diagnose(s->stage.service, &d, &record, &err) != PAIL_OK)
        fail_msg("%s", err.text);
    assert_non_null(strstr(d.text, "start again"));
    assert_null(strchr(d.text, '\n'));
    return d;
}

static void expect(const pail_diagnosis *d, uint32_t cause, uint64_t suspect, uint32_t invalidated,
                   const char *words)
{
    if (d->cause != cause || d->suspect_identity != suspect || d->invalidated != invalidated ||
        !strstr(d->text, words))
        fail_msg("cause %u, suspect %llu, invalidated %u: '%s'", d->cause,
                 (unsigned long long)d->suspect_identity, d->invalidated, d->text);
}

/* However many launches there are between two looks: one diagnosis, of the first of them, is
 * enough. */
PAIL_TEST(any_number_of_launches)
{
    static const uint64_t numbers[] = {1, 7, 8, 9, 20, 300};
    for (size_t k = 0; k < sizeof(numbers) / sizeof(numbers[0]); k++) {
        struct setting s;
        set_up(&s);
        const uint64_t other = register_max(&s, "other_grad");
        assert_int_equal(launch(&s, s.kernel, 1, 1000), STALE);
        assert_int_equal(launch(&s, other, 1, 1001), STALE);
        s.a[3] = NEEDED; /* nobody tells */
        for (uint64_t i = 1; i <= numbers[k]; i++)
            assert_int_equal(launch(&s, s.kernel, 1, i), STALE);
        const pail_diagnosis d = diagnose(&s, s.id, 1);
        expect(&d, PAIL_CAUSE_UNTRACKED_WRITE, ID_A, 1, "without a word (identity 5)");
        assert_int_equal(d.required, NEEDED);
        assert_int_equal(d.allocated, numbers[k] <= 8 ? STALE : 0);
        assert_true(stage_stats(&s.stage).invalidations > 0);
        assert_int_equal(launch(&s, s.kernel, 1, 2000), NEEDED);
        assert_int_equal(launch(&s, other, 1, 2001), NEEDED); /* it reported nothing */
        stage_close(&s.stage);
    }
}

/* A buffer full of records, all of them diagnosed: one cause. */
PAIL_TEST(each_of_many_records)
{
    struct setting s;
    set_up(&s);
    assert_int_equal(launch(&s, s.kernel, 1, 1000), STALE);
    s.a[3] = NEEDED;
    for (uint64_t i = 1; i <= 300; i++)
        assert_int_equal(launch(&s, s.kernel, 1, i), STALE);
    for (uint64_t i = 1; i <= 300; i++) {
        const pail_diagnosis d = diagnose(&s, s.id, i);
        expect(&d, PAIL_CAUSE_UNTRACKED_WRITE, ID_A, 1, "identity 5");
        assert_int_equal(d.required, NEEDED);
    }
    assert_int_equal(launch(&s, s.kernel, 1, 301), NEEDED);
    stage_close(&s.stage);
}

/* A right value stays, and the record of a launch that nobody knows is no reason to compute
 * anything again. */
PAIL_TEST(what_is_right_stays)
{
    struct setting s;
    set_up(&s);
    for (uint64_t i = 1; i <= 20; i++)
        assert_int_equal(launch(&s, s.kernel, 1, i), STALE);
    const pail_diagnosis d = diagnose(&s, s.id, 1);
    expect(&d, PAIL_CAUSE_UNKNOWN, 0, 0, "had what they take by the arrays as they are now");
    assert_int_equal(d.required, -1);
    assert_int_equal(stage_stats(&s.stage).invalidations, 0);
    assert_int_equal(launch(&s, s.kernel, 1, 21), STALE);
    assert_int_equal(stage_stats(&s.stage).launch_hits, 20);
    stage_close(&s.stage);
}

/* The runtime writes one array in each step, and says so; another one is written without a word.
 * When the overflow is diagnosed, the first was written again. */
PAIL_TEST(beside_a_write_that_was_told)
{
    struct setting s;
    set_up(&s);
    const uint64_t product = stage_register_product(&s.stage);
    const uint32_t id = id_of(&s, product);
    assert_int_equal(launch(&s, product, 2, 1), STALE * STALE);
    s.b[7] = NEEDED;
    assert_int_equal(launch(&s, product, 2, 2), STALE * STALE);
    s.a[0] = 3;
    pail_ad_identities_bump(&s.stage.service->identities, ID_A);
    pail_diagnosis d = diagnose(&s, id, 2);
    expect(&d, PAIL_CAUSE_UNTRACKED_WRITE, ID_B, 1, "identity 6");
    assert_int_equal(d.allocated, STALE * STALE);
    assert_int_equal(d.required, 3 * NEEDED);
    assert_int_equal(launch(&s, product, 2, 3), 3 * NEEDED);

    /* Two arrays at once: both are doubted, and no one is named. */
    s.a[0] = s.b[7] = 2 * NEEDED;
    for (uint64_t i = 4; i < 24; i++)
        assert_int_equal(launch(&s, product, 2, i), 3 * NEEDED);
    d = diagnose(&s, id, 4);
    expect(&d, PAIL_CAUSE_UNTRACKED_WRITE, 0, 1, "without a word");
    assert_int_equal(launch(&s, product, 2, 24), 4 * NEEDED * NEEDED);
    stage_close(&s.stage);
}

/* The launch had an array that none of the last ones had: it is not looked at, and what was
 * computed from it does not count any more. */
PAIL_TEST(an_array_of_long_ago)
{
    struct setting s;
    set_up(&s);
    const pail_binding a = s.bindings[0], b = bind(0, ID_B, s.b, &s.shape);
    assert_int_equal(launch(&s, s.kernel, 1, 1), STALE);
    s.a[3] = NEEDED;
    assert_int_equal(launch(&s, s.kernel, 1, 2), STALE);
    s.bindings[0] = b;
    for (uint64_t i = 3; i < 20; i++)
        assert_int_equal(launch(&s, s.kernel, 1, i), STALE);
    pail_diagnosis d = diagnose(&s, s.id, 2);
    expect(&d, PAIL_CAUSE_UNKNOWN, 0, 1, "array of identity 5 cannot be compared");
    const uint64_t hits = stage_stats(&s.stage).launch_hits;
    assert_int_equal(launch(&s, s.kernel, 1, 20), STALE);
    s.bindings[0] = a;
    assert_int_equal(launch(&s, s.kernel, 1, 21), NEEDED);
    assert_true(stage_stats(&s.stage).launch_hits <= hits + 1);
    /* And once it is forgotten there is nothing to say of it. */
    s.bindings[0] = b;
    for (uint64_t i = 22; i < 40; i++)
        assert_int_equal(launch(&s, s.kernel, 1, i), STALE);
    pail_ad_identities_forget(&s.stage.service->identities, ID_A);
    d = diagnose(&s, s.id, 2);
    expect(&d, PAIL_CAUSE_UNKNOWN, 0, 0, "had what they take");
    stage_close(&s.stage);
}

/* Memory that is gone is not read: of arrays that moved, were written with a word, or forgotten. */
PAIL_TEST(memory_that_is_gone)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    for (int how = 0; how < 3; how++) {
        struct setting s;
        set_up(&s);
        int32_t *old = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        assert_ptr_not_equal(old, MAP_FAILED);
        memcpy(old, s.a, sizeof(s.a));
        s.bindings[0].host = old;
        assert_int_equal(launch(&s, s.kernel, 1, 1), STALE);
        assert_int_equal(mprotect(old, page, PROT_NONE), 0);
        s.bindings[0].host = s.a;
        if (how == 1)
            s.bindings[0].generation = 1;
        if (how == 2)
            pail_ad_identities_forget(&s.stage.service->identities, ID_A);
        assert_int_equal(launch(&s, s.kernel, 1, 2), STALE);
        pail_diagnosis d = diagnose(&s, s.id, 77);
        expect(&d, PAIL_CAUSE_UNKNOWN, 0, 0, "had what they take");
        s.a[0] = NEEDED;
        assert_int_equal(launch(&s, s.kernel, 1, 3), STALE);
        d = diagnose(&s, s.id, 77);
        expect(&d, PAIL_CAUSE_UNTRACKED_WRITE, ID_A, 1, "identity 5");
        assert_int_equal(launch(&s, s.kernel, 1, 4), NEEDED);
        assert_int_equal(munmap(old, page), 0);
        stage_close(&s.stage);
    }
}

/* An array of another shape is another view of the same memory. */
PAIL_TEST(a_view_of_less)
{
    struct setting s;
    int64_t half = N / 2;
    set_up(&s);
    const pail_binding all = s.bindings[0];
    assert_int_equal(launch(&s, s.kernel, 1, 1), STALE);
    s.a[N - 1] = NEEDED;
    s.bindings[0] = bind(0, ID_A, s.a, &half);
    for (uint64_t i = 2; i < 20; i++)
        assert_int_equal(launch(&s, s.kernel, 1, i), STALE);
    const pail_diagnosis d = diagnose(&s, s.id, 1);
    expect(&d, PAIL_CAUSE_UNKNOWN, 0, 1, "identity 5 cannot be compared");
    s.bindings[0] = all;
    assert_int_equal(launch(&s, s.kernel, 1, 20), NEEDED);
    stage_close(&s.stage);
}

/* ---- Kernels of one name --------------------------------------------------------------------- */
/* Instances of a template: one name, one task, one id. */
PAIL_TEST(one_name)
{
    for (int which = 0; which < 3; which++) {
        struct setting s;
        set_up(&s);
        uint64_t kernels[3] = {s.kernel};
        kernels[1] = register_max(&s, "substep_grad");
        kernels[2] = register_max(&s, "substep_grad");
        for (int i = 0; i < 3; i++)
            assert_int_equal(id_of(&s, kernels[i]), s.id);
        assert_int_equal(launch(&s, kernels[which], 1, 1), STALE);
        s.a[1] = NEEDED;
        assert_int_equal(launch(&s, kernels[which], 1, 2), STALE);
        pail_diagnosis d = diagnose(&s, s.id, 2);
        expect(&d, PAIL_CAUSE_UNTRACKED_WRITE, ID_A, 1, "Launch 2 had 2 entries");
        assert_int_equal(d.allocated, STALE);
        assert_int_equal(launch(&s, kernels[which], 1, 3), NEEDED);

        /* Long ago, and without a number. */
        for (int again = 0; again < 2; again++) {
            s.a[1] *= 2;
            for (uint64_t i = 10; i < 30; i++)
                assert_int_equal(launch(&s, kernels[which], 1, i), s.a[1] / 2);
            d = diagnose(&s, s.id, again ? UINT64_MAX : 10);
            expect(&d, PAIL_CAUSE_UNTRACKED_WRITE, ID_A, 1, "identity 5");
            assert_int_equal(launch(&s, kernels[which], 1, 30), s.a[1]);
        }
        stage_close(&s.stage);
    }
}

/* The kernel whose launch it was decides, whatever others of its name know. */
PAIL_TEST(one_name_and_another_launch)
{
    struct setting s;
    set_up(&s);
    const uint64_t newer = register_max(&s, "substep_grad");
    assert_int_equal(launch(&s, s.kernel, 1, 1), STALE);
    s.bindings[0] = bind(0, ID_B, s.b, &s.shape);
    assert_int_equal(launch(&s, newer, 1, 2), STALE);
    pail_diagnosis d = diagnose(&s, s.id, 1);
    expect(&d, PAIL_CAUSE_BOUND_TOO_SMALL, 0, 0, "Launch 1 had 2 entries");
    d = diagnose(&s, s.id, 2);
    expect(&d, PAIL_CAUSE_BOUND_TOO_SMALL, 0, 0, "Launch 2 had 2 entries");

    /* One of them has more stacks. */
    struct kernel *kernel = kernel_make("substep_grad", "1");
    (void)kernel_task(kernel, 0);
    kernel_static(kernel, 1);
    (void)stage_register(&s.stage, kernel);
    kernel_static(kernel, 7);
    const uint64_t two = stage_register(&s.stage, kernel);
    kernel_free(kernel);
    assert_int_equal(launch(&s, two, 1, 3), 1);
    struct pail_error err;
    d = (pail_diagnosis){.struct_size = sizeof(d)};
    const pail_overflow record = SIZED(pail_overflow, .id = s.id, .stack = 1, .serial = 3);
    assert_int_equal(pail_adstack_diagnose(s.stage.service, &d, &record, &err), PAIL_OK);
    expect(&d, PAIL_CAUSE_BOUND_TOO_SMALL, 0, 0, "the 7 entries for stack 1");

    /* The one that was registered last goes, and then all. */
    assert_int_equal(pail_adstack_unregister(s.stage.service, newer, &err), PAIL_OK);
    assert_int_equal(pail_adstack_unregister(s.stage.service, two, &err), PAIL_OK);
    d = diagnose(&s, s.id, 1);
    expect(&d, PAIL_CAUSE_BOUND_TOO_SMALL, 0, 0, "Launch 1 had 2 entries");
    pail_adstack_destroy(&s.stage.service);
    assert_int_equal(s.stage.held, 0);
    stage_close(&s.stage);
}

PAIL_TEST(nobody_has_the_id)
{
    struct setting s;
    struct pail_error err;
    set_up(&s);
    pail_diagnosis d = diagnose(&s, 0x1234, 1);
    expect(&d, PAIL_CAUSE_UNKNOWN, 0, 0, "No task was ever registered with this id");
    assert_null(strstr(d.text, "any more"));
    assert_int_equal(pail_adstack_unregister(s.stage.service, s.kernel, &err), PAIL_OK);
    d = diagnose(&s, s.id, 1);
    expect(&d, PAIL_CAUSE_UNKNOWN, 0, 0, "not registered any more");
    stage_close(&s.stage);
}
