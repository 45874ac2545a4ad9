/* SPDX-License-Identifier: Apache-2.0 */
/* Sixteen threads evaluate, write, forget, register and invalidate at once. Built with
 * -fsanitize=thread it also says whether they race. */
#include <curves/registry_id.h>
#include <stdatomic.h>

#include "service_support.h"
#include "support/test.h"

enum { THREADS = 16, ARRAYS = 6, STEPS = 300 };

struct shared {
    struct stage stage;
    uint64_t kernels[4];
    int32_t data[ARRAYS][4]; /* never written: only told to be */
    int64_t shape;
    /* Metadata of a run with each array and the first write: for task 0 the product, for task 1 the
     * first's largest element; stacks of two values. */
    uint64_t metadata[ARRAYS][64];
    atomic_uint wrong;
};

struct thread {
    pthread_t id;
    unsigned number;
    struct shared *shared;
};

static uint32_t id_of(const char *name)
{
    return pail_registry_id(name, strlen(name), 0);
}

/* The largest element of an array. */
static int32_t largest(unsigned array)
{
    return (int32_t)array + 4;
}

static void check(struct thread *thread, bool good)
{
    if (!good)
        atomic_fetch_add(&thread->shared->wrong, 1);
}

static void fill(struct shared *s, unsigned array)
{
    uint32_t *words = (uint32_t *)(void *)s->metadata[array];
    for (int k = 0; k < 4; k++)
        s->data[array][k] = k == 2 ? largest(array) : k;
    words[3] = (uint32_t)(largest(array) * largest(0));
    words[64 + 3] = (uint32_t)largest(0);
    words[0] = 2 * words[3];
    words[64] = 2 * words[64 + 3];
}

static struct kernel *product(const char *name)
{
    struct kernel *kernel = kernel_make(name, "11");
    (void)kernel_task(kernel, 0);
    tree_product_of(kernel_stack(kernel), 0, 1);
    (void)kernel_task(kernel, 1);
    tree_max_of(kernel_stack(kernel), 1);
    return kernel;
}

static void evaluate(struct thread *thread, uint64_t kernel, unsigned random)
{
    struct shared *s = thread->shared;
    const unsigned x = random % ARRAYS, y = random / ARRAYS % ARRAYS;
    pail_binding bindings[] = {bind(0, 100 + x, s->data[x], &s->shape),
                               bind(1, 100 + y, s->data[y], &s->shape)};
    bindings[0].flags = random / 64 % 16 == 0 ? PAIL_BINDING_UNTRACKED : 0;
    bindings[1].generation = random / 1024 % 2;
    const pail_task_launch tasks[2] = {{.struct_size = sizeof(pail_task_launch), .threads = 10},
                                       {.struct_size = sizeof(pail_task_launch), .threads = 10}};
    const pail_launch launch = SIZED(pail_launch,
                                     .flags = random / 2048 % 8 == 0   ? PAIL_LAUNCH_NO_CACHE
                                              : random / 2048 % 8 == 1 ? PAIL_LAUNCH_HOST
                                                                       : 0,
                                     .kernel = kernel, .bindings = bindings, .n_bindings = 2,
                                     .tasks = tasks, .n_tasks = 2, .serial = random);
    struct pail_adstack_result *result;
    struct pail_error err = {0};
    const pail_status status = pail_adstack_evaluate(s->stage.service, &result, &launch, &err);
    check(thread, status == PAIL_OK);
    if (status != PAIL_OK)
        return;
    check(thread, result->tasks[0].laid->places[0].raw == largest(x) * largest(y));
    check(thread, result->tasks[1].laid->places[0].raw == largest(y));
    pail_ad_result_retain(result);
    pail_ad_result_release(result);
    pail_ad_result_release(result);
}

/* A kernel of its own for a moment, some under a name that others have as well. */
static void register_one(struct thread *thread, unsigned random)
{
    struct shared *s = thread->shared;
    struct pail_error err = {0};
    char name[64];
    uint64_t handle;
    uint32_t ids[2];
    (void)snprintf(name, sizeof(name), "kernel %u", random % 5);
    struct kernel *kernel = product(name);
    kernel->stacks[0][0].tree = nodes_tree(&kernel->trees[0]);
    kernel->stacks[1][0].tree = nodes_tree(&kernel->trees[1]);
    check(thread,
          pail_adstack_register(s->stage.service, &handle, ids, &kernel->desc, &err) == PAIL_OK);
    check(thread, ids[0] == id_of(name));
    evaluate(thread, handle, random);
    check(thread, pail_adstack_unregister(s->stage.service, handle, &err) == PAIL_OK);
    kernel_free(kernel);
}

/* Recorded, and diagnosed by this thread and others as long as it is held. */
static void record_one(struct thread *thread, unsigned random)
{
    struct shared *s = thread->shared;
    const unsigned x = random % ARRAYS;
    pail_binding bindings[] = {bind_device(0, 100 + x, s->data[x], &s->shape),
                               bind_device(1, 100, s->data[0], &s->shape)};
    const pail_task_launch tasks[2] = {{.struct_size = sizeof(pail_task_launch), .threads = 10},
                                       {.struct_size = sizeof(pail_task_launch), .threads = 10}};
    const pail_launch launch =
        SIZED(pail_launch, .kernel = s->kernels[1], .bindings = bindings, .n_bindings = 2,
              .tasks = tasks, .n_tasks = 2, .heap_float = UINT64_MAX, .serial = random);
    struct pail_adstack_result *result;
    struct pail_error err = {0};
    pail_diagnosis diagnosis = {.struct_size = sizeof(diagnosis)};
    const pail_overflow record = SIZED(pail_overflow, .id = pail_registry_id("shared 1", 8, 0),
                                       .stack = 0, .serial = random);
    check(thread, pail_adstack_record(s->stage.service, &result, &launch, thread,
                                      (uint64_t)(uintptr_t)s->metadata[x], &err) == PAIL_OK);
    if (!result)
        return;
    check(thread, pail_adstack_diagnose(s->stage.service, &diagnosis, &record, &err) == PAIL_OK);
    check(thread, diagnosis.cause != PAIL_CAUSE_UNTRACKED_WRITE);
    pail_ad_result_release(result);
}

static void diagnose(struct thread *thread, unsigned random)
{
    struct shared *s = thread->shared;
    struct pail_error err = {0};
    pail_diagnosis diagnosis = {.struct_size = sizeof(diagnosis)};
    const pail_overflow record =
        SIZED(pail_overflow, .id = id_of("shared 1"), .stack = random % 2, .serial = UINT64_MAX);
    check(thread, pail_adstack_diagnose(s->stage.service, &diagnosis, &record, &err) == PAIL_OK);
    check(thread, diagnosis.cause != PAIL_CAUSE_UNTRACKED_WRITE);
}

/* Records and lets go, and nothing else: lists of what is recorded are all that is shared. */
static void *record(void *argument)
{
    struct thread *thread = argument;
    for (unsigned step = 0; step < STEPS; step++)
        record_one(thread, thread->number + step);
    return NULL;
}

static void *work(void *argument)
{
    struct thread *thread = argument;
    struct shared *s = thread->shared;
    struct pail_adstack *service = s->stage.service;
    unsigned random = thread->number + 1;
    for (unsigned step = 0; step < STEPS; step++) {
        random = random * 1103515245u + 12345u;
        const unsigned bits = random >> 8, action = random >> 4 & 31;
        pail_overflow records[4];
        if (action < 20)
            evaluate(thread, s->kernels[bits % 4], bits / 4);
        else if (action < 23)
            pail_ad_identities_bump(&service->identities, 100 + bits % ARRAYS);
        else if (action == 23)
            pail_ad_identities_forget(&service->identities, 100 + bits % ARRAYS);
        else if (action == 24)
            pail_adstack_invalidate(service, bits % 3 == 0 ? 0 : s->kernels[bits % 4]);
        else if (action < 28)
            register_one(thread, bits);
        else if (action == 28)
            diagnose(thread, bits);
        else if (action == 29)
            (void)pail_adstack_poll_overflow(service, records, 4);
        else if (action == 30)
            record_one(thread, bits);
        else
            (void)stage_stats(&s->stage);
    }
    return NULL;
}

static struct shared *shared_open(void)
{
    struct shared *s = calloc(1, sizeof(*s));
    assert_non_null(s);
    stage_open(&s->stage, true, 0);
    s->shape = 4;
    for (unsigned i = 0; i < ARRAYS; i++)
        fill(s, i);
    for (unsigned i = 0; i < 4; i++) {
        char name[64];
        (void)snprintf(name, sizeof(name), "shared %u", i);
        struct kernel *kernel = product(name);
        s->kernels[i] = stage_register(&s->stage, kernel);
        kernel_free(kernel);
    }
    return s;
}

static void shared_close(struct shared *s)
{
    stage_close(&s->stage);
    free(s);
}

static void run_threads(struct shared *s, void *(*work_of)(void *))
{
    struct thread threads[THREADS];
    for (unsigned i = 0; i < THREADS; i++) {
        threads[i] = (struct thread){.number = i, .shared = s};
        assert_int_equal(pthread_create(&threads[i].id, NULL, work_of, &threads[i]), 0);
    }
    for (unsigned i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(threads[i].id, NULL), 0);
    assert_int_equal(s->wrong, 0);
}

PAIL_TEST(all_at_once)
{
    struct shared *s = shared_open();
    s->stage.device.worth = 3; /* some of it on the host */
    run_threads(s, work);
    const pail_adstack_stats stats = stage_stats(&s->stage);
    assert_true(stats.evaluations > 1000);
    assert_true(stats.launch_hits > 0 && stats.task_hits > 0 && stats.spec_hits > 0);
    shared_close(s);
}

PAIL_TEST(recorded_at_once)
{
    struct shared *s = shared_open();
    run_threads(s, record);
    shared_close(s);
}

/* A callback in the middle of each allocation calls into the service again. */
static void evaluate_inside(void *user)
{
    struct thread *thread = user;
    struct stage *stage = &thread->shared->stage;
    if (stage->on_alloc == NULL)
        return;
    stage->on_alloc = NULL; /* not inside of itself */
    pail_ad_identities_bump(&stage->service->identities, 101);
    evaluate(thread, thread->shared->kernels[1], 2);
    register_one(thread, 1);
    pail_adstack_invalidate(stage->service, 0);
    stage->on_alloc = evaluate_inside;
}

PAIL_TEST(callbacks_call_back)
{
    struct shared *s = shared_open();
    struct thread thread = {.shared = s};
    s->stage.on_alloc_user = &thread;
    s->stage.on_alloc = evaluate_inside;
    for (unsigned i = 0; i < 10; i++) {
        evaluate(&thread, s->kernels[0], i);
        register_one(&thread, i);
        diagnose(&thread, i);
    }
    s->stage.on_alloc = NULL;
    assert_int_equal(s->wrong, 0);
    shared_close(s);
}
