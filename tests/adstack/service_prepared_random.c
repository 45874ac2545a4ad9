/* SPDX-License-Identifier: Apache-2.0 */
/* Prepared launches while anything changes, at random and in other threads. */
#include <stdatomic.h>

#include "prepared_support.h"
#include "support/test.h"

/* ---- At random ------------------------------------------------------------------------------- */
struct lot {
    uint64_t state;
};

static uint32_t draw(struct lot *lot, uint32_t n)
{
    lot->state = lot->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(lot->state >> 33) % n;
}

/* Changes the description and tells the handle, by `change` or through the service. */
static void change_one(struct prepared *s, struct lot *lot, pail_launch_change *change,
                       pail_generation *generation, uint64_t *identities)
{
    const uint32_t i = draw(lot, ARRAYS), side = draw(lot, 2);
    pail_binding *binding = &s->bindings[i];
    int32_t *const data = (int32_t *)(uintptr_t)binding->host;
    switch (draw(lot, 8)) {
    case 0: /* written, and told */
        data[0] = (int32_t)draw(lot, 100);
        pail_ad_identities_bump(&s->stage.service->identities, binding->identity);
        break;
    case 1: /* written, and counted */
        data[1] = (int32_t)draw(lot, 100);
        for (uint32_t k = 0; k < ARRAYS; k++)
            assert_true(k == i || s->bindings[k].identity != binding->identity);
        binding->generation = ++*identities;
        *generation = GIVEN(pail_generation, .source = i, .generation = binding->generation);
        change->generations = generation;
        change->n_generations = 1;
        break;
    case 2: /* bound anew, to one of two arrays */
        *binding = bind(i, 100 + i + ARRAYS * side, s->data[i + ARRAYS * side], &s->shape[i]);
        binding->size_bytes = sizeof(s->data[i]);
        /* Its generation is new, since it may have been written under another one. */
        binding->generation = ++*identities;
        change->bindings = binding;
        change->n_bindings = 1;
        break;
    case 3: /* another shape */
        s->shape[i] = 1 + draw(lot, LENGTH);
        change->bindings = binding;
        change->n_bindings = 1;
        break;
    case 4:
        s->tasks[side].threads = draw(lot, 4);
        change->tasks = &s->tasks[side];
        change->first_task = side;
        change->n_tasks = 1;
        break;
    case 5:
        s->launch.heap_float = draw(lot, 3) * 1000;
        change->set = PAIL_CHANGE_HEAPS;
        change->heap_float = s->launch.heap_float;
        break;
    case 6:
        binding = &s->bindings[0];
        binding->flags = draw(lot, 8) == 0 ? PAIL_BINDING_UNTRACKED : 0;
        binding->generation = ++*identities;
        change->bindings = binding;
        change->n_bindings = 1;
        break;
    default:
        if (draw(lot, 8) == 0)
            pail_adstack_invalidate(s->stage.service, side ? s->kernel : 0);
        if (draw(lot, 8) == 0)
            for (int k = 0; k < 300; k++)
                pail_ad_identities_bump(&s->stage.service->identities, binding->identity);
        break;
    }
}

PAIL_TEST(at_random)
{
    struct prepared *s = prepared_open();
    struct lot lot = {1};
    uint64_t generations = 0;
    const uint64_t before = prepared_hits(s);
    for (int i = 0; i < 20000; i++) {
        pail_launch_change change = GIVEN(pail_launch_change, .serial = (uint64_t)i);
        pail_generation generation;
        const bool changes = draw(&lot, 3) != 0;
        if (changes)
            change_one(s, &lot, &change, &generation, &generations);
        (void)prepared_step(s, changes ? &change : NULL);
    }
    assert_true(prepared_hits(s) > before + 5000);
    prepared_close(s);
}

/* ---- Threads --------------------------------------------------------------------------------- */
struct writer {
    struct prepared *s;
    atomic_uint written, stop;
};

/* Others' arrays and shared ones are written while what is prepared is launched. */
static void *write_on(void *user)
{
    struct writer *w = user;
    while (!atomic_load(&w->stop)) {
        pail_ad_identities_bump(&w->s->stage.service->identities, 100 + w->written % ARRAYS);
        pail_ad_identities_bump(&w->s->stage.service->identities, 5);
        if (w->written % 64 == 0)
            pail_adstack_invalidate(w->s->stage.service, 0);
        atomic_fetch_add(&w->written, 1);
    }
    return NULL;
}

PAIL_TEST(writes_in_other_threads)
{
    struct prepared *s = prepared_open();
    struct writer w = {.s = s};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, write_on, &w), 0);
    for (int i = 0; i < 3000 || atomic_load(&w.written) < 1000; i++)
        pail_ad_result_release(prepared_launch(s, NULL));
    atomic_store(&w.stop, 1);
    assert_int_equal(pthread_join(thread, NULL), 0);
    (void)prepared_step(s, NULL);
    s->data[5][0] = 1234; /* told before the launch */
    pail_ad_identities_bump(&s->stage.service->identities, 105);
    assert_int_equal(prepared_step(s, NULL), 1);
    prepared_close(s);
}

/* Threads that launch the same kernel, each what it prepared: the same results, shared. */
static void *launch_on(void *user)
{
    struct prepared *s = user;
    struct pail_error err = {0};
    struct pail_adstack_prepared *mine = NULL;
    bool good = pail_adstack_prepare(s->stage.service, &mine, &s->launch, &err) == PAIL_OK;
    for (uint64_t i = 0; good && i < 3000; i++) {
        const pail_task_launch task = GIVEN(pail_task_launch, .threads = 10 + i / 4 % 2);
        const pail_launch_change change =
            GIVEN(pail_launch_change, .serial = i, .tasks = &task, .n_tasks = 1);
        struct pail_adstack_result *result = NULL;
        pail_task_size size = {.struct_size = sizeof(size)};
        good = pail_adstack_evaluate_prepared(mine, &result, &change, &err) == PAIL_OK &&
               pail_adstack_task_size(result, &size, 0, &err) == PAIL_OK &&
               size.heap_float == 4 * size.stride_float * task.threads && size.stride_float > 0;
        pail_ad_result_release(result);
    }
    if (mine)
        pail_adstack_prepared_destroy(mine);
    return good ? s : NULL;
}

PAIL_TEST(threads_on_one_kernel)
{
    enum { THREADS = 4 };
    struct prepared *s = prepared_open();
    pthread_t threads[THREADS];
    const uint64_t evaluations = stage_stats(&s->stage).evaluations;
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, launch_on, s), 0);
    for (int i = 0; i < 100; i++) {
        pail_ad_result_release(prepared_launch(s, NULL));
        (void)stage_stats(&s->stage);
    }
    for (int i = 0; i < THREADS; i++) {
        void *good;
        assert_int_equal(pthread_join(threads[i], &good), 0);
        assert_ptr_equal(good, s);
    }
    assert_int_equal(stage_stats(&s->stage).evaluations, evaluations + 3000 * THREADS + 100);
    prepared_close(s);
}
