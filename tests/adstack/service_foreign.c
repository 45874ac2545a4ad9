/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays on a device that Pail cannot read: what the host is asked for, and when. */
#include <adstack/prepared.h>
#include <platform/clock.h>
#include <time.h>

#include "remote.h"
#include "service_support.h"
#include "support/test.h"

enum { A = 11, B = 22 };

/* A product of maxima of two remote arrays: 3 * 4. */
struct far {
    struct product p;
    struct remote remote;
};

static void far_open(struct far *far, bool with_device, bool reduces)
{
    product_open(&far->p, with_device, 0);
    remote_open(&far->remote);
    far->p.stage.service->env.fetch = remote_callbacks(&far->remote, reduces);
    remote_put(&far->remote, A, far->p.a);
    remote_put(&far->remote, B, far->p.b);
    for (int i = 0; i < 2; i++) {
        far->p.bindings[i].host = NULL;
        far->p.bindings[i].flags = PAIL_BINDING_FOREIGN;
    }
}

static void far_close(struct far *far)
{
    stage_close(&far->p.stage);
    remote_close(&far->remote);
}

/* A case with such arrays; `reduces`: the host has `reduce`. */
#define FAR_TEST(name, with_device, reduces)                                                       \
    static void name##_at(struct far *far, __attribute__((unused)) struct remote *remote);         \
    PAIL_TEST(name)                                                                                \
    {                                                                                              \
        struct far far;                                                                            \
        far_open(&far, with_device, reduces);                                                      \
        name##_at(&far, &far.remote);                                                              \
        far_close(&far);                                                                           \
    }                                                                                              \
    static void name##_at(struct far *far, __attribute__((unused)) struct remote *remote)

static int64_t far_size(struct far *far, uint32_t flags)
{
    return stage_size(&far->p.stage, far->p.kernel, 1, far->p.bindings, 2, flags, 0, 0).raw;
}

/* The sentence of a launch that fails with this status. */
static struct pail_error far_fails(struct far *far, uint32_t flags, pail_status status)
{
    struct pail_error err = {0};
    assert_null(stage_launch(&far->p.stage, far->p.kernel, 1, far->p.bindings, 2, flags, &err));
    if (err.status != status)
        fail_msg("%d: %s", (int)err.status, err.text);
    return err;
}

static void expect_text(const struct pail_error *err, const char *text)
{
    if (!strstr(err->text, text))
        fail_msg("'%s' is not in: %s", text, err->text);
}

/* ---- How often ------------------------------------------------------------------------------- */
FAR_TEST(a_hit_costs_nothing_and_a_change_one_copy, false, false)
{
    assert_int_equal(far_size(far, 0), 12);
    assert_int_equal(remote->starts, 2);
    assert_int_equal(remote->bytes, 16);
    remote_reset(remote);
    assert_int_equal(far_size(far, 0), 12);
    assert_int_equal(remote->starts, 0);
    /* A write of one array: exactly its bytes; the copy of the other one stays. */
    far->p.a[0] = 7;
    pail_adstack_bump(far->p.stage.service, A);
    assert_int_equal(far_size(far, 0), 28);
    assert_int_equal(remote->starts, 1);
    const pail_fetch_range range = remote_last(remote);
    assert_int_equal(range.struct_size, sizeof(range));
    assert_int_equal(range.identity, A);
    assert_int_equal(range.dtype, PAIL_DTYPE_I32);
    assert_int_equal(range.offset, 0);
    assert_int_equal(range.bytes, 8);
    /* A kernel that reads both anew: copies are there. */
    const uint64_t other = stage_register_product(&far->p.stage);
    assert_int_equal(stage_capacity(&far->p.stage, other, far->p.bindings, 2, 5), 28);
    assert_int_equal(remote->starts, 1);
    /* A generation is as good as a word, and what was forgotten is fetched again. */
    far->p.b[1] = 9;
    far->p.bindings[1].generation = 33;
    far->p.bindings[1].device_address = 0x1234; /* odd as it may be */
    assert_int_equal(far_size(far, 0), 63);
    assert_int_equal(remote->starts, 2);
    assert_int_equal(remote_last(remote).generation, 33);
    assert_int_equal(remote_last(remote).address, 0x1234);
    pail_adstack_forget(far->p.stage.service, B);
    assert_int_equal(far->p.stage.service->copies.n, 1);
    assert_int_equal(far_size(far, 0), 63);
    assert_int_equal(remote->starts, 3);
    pail_adstack_invalidate(far->p.stage.service, far->p.kernel);
    assert_int_equal(far->p.stage.service->copies.n, 0);
    assert_int_equal(far_size(far, 0), 63);
    assert_int_equal(remote->starts, 5);
    const pail_adstack_stats stats = stage_stats(&far->p.stage);
    assert_int_equal(stats.fetches, 7);
    assert_int_equal(stats.fetched_bytes, 56);
    assert_int_equal(stats.reduced, 0);
}

FAR_TEST(a_prepared_launch, false, false)
{
    struct pail_error err = {0};
    struct pail_adstack_prepared *prepared;
    struct pail_adstack_result *result;
    const pail_task_launch task = {.struct_size = sizeof(task), .threads = 1};
    const pail_launch launch =
        SIZED(pail_launch, .kernel = far->p.kernel, .bindings = far->p.bindings, .n_bindings = 2,
              .tasks = &task, .n_tasks = 1, .serial = 77);
    struct pail_adstack *service = far->p.stage.service;
    assert_int_equal(pail_adstack_prepare(service, &prepared, &launch, &err), PAIL_OK);
    assert_int_equal(remote->starts, 0);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(pail_adstack_evaluate_prepared(prepared, &result, NULL, &err), PAIL_OK);
        pail_ad_result_release(result);
    }
    assert_int_equal(remote->starts, 2);
    assert_int_equal(remote_last(remote).serial, 77);
    const pail_generation written = SIZED(pail_generation, .source = 1, .generation = 8);
    const pail_launch_change change =
        SIZED(pail_launch_change, .serial = 78, .generations = &written, .n_generations = 1);
    assert_int_equal(pail_adstack_evaluate_prepared(prepared, &result, &change, &err), PAIL_OK);
    pail_ad_result_release(result);
    assert_int_equal(remote->starts, 3);
    assert_int_equal(remote_last(remote).serial, 78);
    assert_int_equal(remote_last(remote).generation, 8);
    pail_adstack_prepared_destroy(prepared);
}

FAR_TEST(what_may_not_be_kept, false, false)
{
    far->p.bindings[0].flags |= PAIL_BINDING_UNTRACKED;
    for (int i = 0; i < 3; i++)
        assert_int_equal(far_size(far, 0), 12);
    assert_int_equal(remote->starts, 4); /* B once */
    remote_reset(remote);
    for (int i = 0; i < 3; i++)
        assert_int_equal(far_size(far, PAIL_LAUNCH_NO_CACHE), 12);
    assert_int_equal(remote->starts, 6);
    /* Contents in host memory are taken. */
    far->p.bindings[0].host = far->p.a;
    far->p.bindings[1].host = far->p.b;
    assert_int_equal(far_size(far, PAIL_LAUNCH_NO_CACHE), 12);
    assert_int_equal(remote->starts, 6);
}

FAR_TEST(copies_leave_a_full_cache, false, false)
{
    struct pail_adstack *service = far->p.stage.service;
    service->copies.max_bytes = 8;
    assert_int_equal(far_size(far, 0), 12);
    assert_int_equal(service->copies.n, 1);
    assert_int_equal(service->copies.bytes, 8);
    service->copies.max_bytes = 7;
    pail_adstack_bump(service, A);
    pail_adstack_bump(service, B);
    assert_int_equal(far_size(far, 0), 12);
    assert_int_equal(service->copies.n, 0);
    assert_int_equal(service->copies.bytes, 0);
    /* New contents take the place of old ones. */
    service->copies.max_bytes = 1000;
    for (uint64_t i = 1; i < 9; i++) {
        far->p.bindings[0].generation = i;
        assert_int_equal(far_size(far, 0), 12);
    }
    assert_int_equal(service->copies.n, 1);
}

/* One array of two sources is fetched once. */
FAR_TEST(an_array_bound_twice, false, false)
{
    far->p.bindings[1].identity = A;
    assert_int_equal(far_size(far, 0), 9);
    assert_int_equal(remote->starts, 1);
    far->p.bindings[1].flags |= PAIL_BINDING_UNTRACKED; /* no copy counts for this one */
    assert_int_equal(far_size(far, 0), 9);
    assert_int_equal(remote->starts, 2);
}

/* ---- In which order -------------------------------------------------------------------------- */
FAR_TEST(all_start_before_one_is_waited_for, false, false)
{
    remote->way = REMOTE_REVERSED;
    assert_int_equal(far_size(far, 0), 12);
    assert_int_equal(remote->most_open, 2);
    assert_int_equal(remote->waits, 2);
    assert_false(remote->waited_before_starts);
}

/* ---- Failures -------------------------------------------------------------------------------- */
FAR_TEST(a_start_that_fails, false, false)
{
    static const struct {
        pail_status returned, status;
    } statuses[] = {
        {PAIL_ERR_HOST_MEMORY, PAIL_ERR_HOST_MEMORY},
        {PAIL_ERR_DEVICE_MEMORY, PAIL_ERR_DEVICE_MEMORY},
        {PAIL_ERR_UNSUPPORTED, PAIL_ERR_UNSUPPORTED},
        {PAIL_ERR_INTERNAL, PAIL_ERR_INTERNAL},
        {PAIL_ERR_IO, PAIL_ERR_IO},
        /* Statuses that would say something about this call, this context or these limits. */
        {PAIL_ERR_ARGUMENT, PAIL_ERR_IO},
        {PAIL_ERR_DATA, PAIL_ERR_IO},
        {PAIL_ERR_STOPPED, PAIL_ERR_IO},
        {PAIL_ERR_DEVICE_LOST, PAIL_ERR_IO},
        {(pail_status)700, PAIL_ERR_IO},
        {(pail_status)-4, PAIL_ERR_IO},
    };
    remote->way = REMOTE_IN_WAIT;
    for (size_t i = 0; i < sizeof(statuses) / sizeof(statuses[0]); i++) {
        remote_reset(remote);
        remote->start_fails = 2;
        remote->fails = statuses[i].returned;
        const struct pail_error err = far_fails(far, 0, statuses[i].status);
        char text[160];
        (void)snprintf(text, sizeof(text),
                       "source 1: bytes 0 to 7 of array 22 are not here: start of params->fetch "
                       "returned %d",
                       (int)statuses[i].returned);
        expect_text(&err, text);
        assert_int_equal(remote->abandons, 1); /* of the one that went on */
        assert_int_equal(far->p.stage.service->copies.n, 0);
    }
    remote->start_fails = 0;
    assert_int_equal(far_size(far, 0), 12);
    assert_int_equal(stage_stats(&far->p.stage).fetches, 2);
}

FAR_TEST(a_wait_that_fails, false, true)
{
    struct pail_error err;
    remote->way = REMOTE_IN_WAIT;
    remote->wait_fails = 1;
    err = far_fails(far, 0, PAIL_ERR_IO);
    expect_text(&err, "source 0: bytes 0 to 7 of array 11 are not here: wait of params->fetch "
                      "returned 403");
    assert_int_equal(remote->abandons, 1);
    far->p.stage.service->env.fetch.reduce = NULL;
    remote_reset(remote);
    remote->wait_fails = 2;
    err = far_fails(far, 0, PAIL_ERR_IO);
    expect_text(&err, "source 1: bytes 0 to 7 of array 22");
    assert_int_equal(remote->abandons, 0);
    remote->wait_fails = 0;
    assert_int_equal(far_size(far, 0), 12);
    assert_int_equal(remote->starts, 3); /* A's copy was good */
}

FAR_TEST(a_host_without_wait, false, false)
{
    far->p.stage.service->env.fetch.wait = NULL;
    far->p.stage.service->env.fetch.abandon = NULL;
    assert_int_equal(far_size(far, 0), 12);
    pail_adstack_bump(far->p.stage.service, A);
    remote->way = REMOTE_IN_WAIT;
    const struct pail_error err = far_fails(far, 0, PAIL_ERR_IO);
    expect_text(&err, "returned 1, and there is no wait to end that");
    remote->calls[remote->tickets - 1].open = false; /* against the rules, so nobody ends it */
    remote->open = 0;
}

/* Each allocation of a launch fails in turn. */
FAR_TEST(no_memory, false, true)
{
    struct stage *stage = &far->p.stage;
    bool failed = true;
    for (unsigned long n = 1; failed; n++) {
        remote->way = n % 2 ? REMOTE_IN_WAIT : REMOTE_AT_ONCE;
        stage->service->env.fetch.reduce = n % 3 ? stage->service->env.fetch.reduce : NULL;
        pail_adstack_bump(stage->service, A);
        pail_adstack_bump(stage->service, B);
        stage->allocations = 0;
        stage->fails = n;
        struct pail_error err = {0};
        struct pail_adstack_result *result =
            stage_launch(stage, far->p.kernel, 1, far->p.bindings, 2, 0, &err);
        failed = stage->allocations >= n;
        if (!result)
            assert_int_equal(err.status, PAIL_ERR_HOST_MEMORY);
        else
            assert_int_equal(result->tasks[0].laid->places[0].raw, 12);
        pail_ad_result_release(result);
    }
    stage->fails = 0;
    assert_int_equal(far_size(far, 0), 12);
}

/* ---- Limits ---------------------------------------------------------------------------------- */
static struct pail_error far_stops(struct far *far, uint32_t max_ms, uint64_t max_cells,
                                   const uint32_t *cancel, double *ms)
{
    struct pail_error err = {0};
    struct pail_adstack_result *result;
    const pail_task_launch task = {.struct_size = sizeof(task), .threads = 1};
    const pail_launch launch = SIZED(
        pail_launch, .kernel = far->p.kernel, .bindings = far->p.bindings, .n_bindings = 2,
        .tasks = &task, .n_tasks = 1, .max_ms = max_ms, .max_cells = max_cells, .cancel = cancel);
    const double began = pail_now_ms();
    assert_int_equal(pail_adstack_evaluate(far->p.stage.service, &result, &launch, &err),
                     PAIL_ERR_STOPPED);
    assert_null(result);
    *ms = pail_now_ms() - began;
    return err;
}

static void *cancel_soon(void *user)
{
    const struct timespec t = {.tv_nsec = 30000000};
    (void)nanosleep(&t, NULL);
    __atomic_store_n((uint32_t *)user, 1, __ATOMIC_RELAXED);
    return NULL;
}

static void stop_in_the_middle(struct far *far, struct remote *remote)
{
    double ms;
    uint32_t cancel = 0;
    pthread_t thread;
    remote->way = REMOTE_NEVER;
    struct pail_error err = far_stops(far, 40, 0, NULL, &ms);
    expect_text(&err, "in the 40 ms of max_ms");
    assert_true(ms >= 40 && ms < 240);
    assert_int_equal(remote->abandons, 2);
    assert_int_equal(pthread_create(&thread, NULL, cancel_soon, &cancel), 0);
    err = far_stops(far, 0, 0, &cancel, &ms);
    assert_int_equal(pthread_join(thread, NULL), 0);
    expect_text(&err, "cancelled after 0 cells");
    assert_true(ms < 230);
    assert_int_equal(remote->abandons, 4);
    /* Nothing of it is kept. */
    remote->release = true;
    remote_reset(remote);
    assert_int_equal(far_size(far, 0), 12);
    assert_int_equal(remote->starts + remote->reductions, 2);
}

FAR_TEST(limits_while_copies_are_on_their_way, false, false)
{
    stop_in_the_middle(far, remote);
}

FAR_TEST(limits_while_the_host_reduces, false, true)
{
    stop_in_the_middle(far, remote);
    double ms;
    pail_adstack_bump(far->p.stage.service, A);
    const struct pail_error err = far_stops(far, 0, 1, NULL, &ms);
    expect_text(&err, "2 cells, after 0 of others, are more than the 1 of max_cells");
}

/* A device of Pail's own that copies an array to the host. */
STAGE_TEST(limits_while_a_device_copies, true)
{
    enum { N = 1 << 14 };
    static int32_t data[N] = {[N - 1] = 5};
    const int64_t n = N;
    const uint32_t cancel = 1;
    struct kernel *kernel = kernel_make("largest", "1");
    struct pail_error err = {0};
    struct pail_adstack_result *result;
    (void)kernel_task(kernel, 0);
    tree_max_of(kernel_stack(kernel), 0);
    const pail_binding binding = bind_device(0, A, data, &n);
    const pail_task_launch task = {.struct_size = sizeof(task), .threads = 1};
    pail_launch launch = SIZED(pail_launch, .kernel = stage_register(stage, kernel),
                               .bindings = &binding, .n_bindings = 1, .tasks = &task, .n_tasks = 1,
                               .flags = PAIL_LAUNCH_HOST, .cancel = &cancel);
    assert_int_equal(pail_adstack_evaluate(stage->service, &result, &launch, &err),
                     PAIL_ERR_STOPPED);
    expect_text(&err, "task 0, stack 0, node 3: cancelled after 0 cells");
    assert_int_equal(stage->device.fetched, 4096);
    launch.cancel = NULL;
    assert_int_equal(pail_adstack_evaluate(stage->service, &result, &launch, &err), PAIL_OK);
    assert_int_equal(stage->device.fetched, 4096 + sizeof(data));
    pail_ad_result_release(result);
    kernel_free(kernel);
}

/* ---- The host's reductions ------------------------------------------------------------------- */
FAR_TEST(reduced_where_they_are, false, true)
{
    assert_int_equal(far_size(far, 0), 12);
    assert_int_equal(remote->reductions, 2);
    assert_int_equal(remote->starts, 0);
    far->p.a[0] = -5;
    far->p.a[1] = -6;
    pail_adstack_bump(far->p.stage.service, A);
    assert_int_equal(far_size(far, 0), 0); /* a maximum over a range is at least 0 */
    assert_int_equal(remote->reductions, 3);
    const pail_adstack_stats stats = stage_stats(&far->p.stage);
    assert_int_equal(stats.reduced, 3);
    assert_int_equal(stats.fetches, 0);
    assert_int_equal(stats.reductions, 3);
    assert_int_equal(stats.host_reductions, 0);
    assert_int_equal(stats.host_cells, 0);
}

FAR_TEST(a_range_that_the_host_does_not_reduce, false, true)
{
    remote->reduce_fails = 1;
    remote->fails = PAIL_ERR_UNSUPPORTED;
    assert_int_equal(far_size(far, 0), 12);
    assert_int_equal(remote->reductions, 2);
    assert_int_equal(remote->starts, 1);
    /* With a copy nothing is asked. */
    const uint64_t other = stage_register_product(&far->p.stage);
    assert_int_equal(stage_capacity(&far->p.stage, other, far->p.bindings, 2, 5), 12);
    assert_int_equal(remote->reductions, 3);
    assert_int_equal(remote->starts, 1);
    remote_reset(remote);
    remote->fails = PAIL_ERR_INTERNAL;
    pail_adstack_bump(far->p.stage.service, A);
    const struct pail_error err = far_fails(far, 0, PAIL_ERR_INTERNAL);
    expect_text(&err, "reduce of params->fetch returned 404");
}

/* ---- With a device besides ------------------------------------------------------------------- */
FAR_TEST(beside_a_device, true, true)
{
    struct stage *stage = &far->p.stage;
    assert_int_equal(far_size(far, PAIL_LAUNCH_DEVICE), 12);
    assert_int_equal(stage->device.runs, 1);
    assert_int_equal(remote->starts, 2);
    assert_int_equal(remote->reductions, 0);
    /* One array there and one here. */
    far->p.bindings[1] = bind_device(1, 23, far->p.b, &far->p.two);
    pail_adstack_bump(stage->service, A);
    assert_int_equal(far_size(far, 0), 12);
    assert_int_equal(remote->reductions, 1);
    assert_int_equal(stage->device.runs, 2);
    pail_adstack_bump(stage->service, A);
    pail_adstack_bump(stage->service, 23);
    assert_int_equal(far_size(far, PAIL_LAUNCH_HOST), 12);
    assert_int_equal(stage->device.fetches, 1);
    assert_int_equal(stage->device.runs, 2);
    /* No command buffer reads it. */
    struct pail_error err = {0};
    struct pail_adstack_result *result;
    const pail_task_launch task = {.struct_size = sizeof(task), .threads = 1};
    const pail_launch launch =
        SIZED(pail_launch, .kernel = far->p.kernel, .bindings = far->p.bindings, .n_bindings = 2,
              .tasks = &task, .n_tasks = 1);
    assert_int_equal(pail_adstack_record(stage->service, &result, &launch, far, 64, &err),
                     PAIL_ERR_ARGUMENT);
    expect_text(&err, "source 0: flags has PAIL_BINDING_FOREIGN");
}

FAR_TEST(without_callbacks, false, false)
{
    far->p.stage.service->env.fetch = (pail_fetch_callbacks){0};
    const struct pail_error err = far_fails(far, 0, PAIL_ERR_ARGUMENT);
    expect_text(&err, "binding 0, source 0: flags is 0x2, with PAIL_BINDING_FOREIGN");
    assert_int_equal(remote->starts, 0);
}

/* ---- Diagnosis ------------------------------------------------------------------------------- */
FAR_TEST(a_write_that_nobody_told_of, false, false)
{
    struct pail_error err = {0};
    pail_diagnosis d = {.struct_size = sizeof(d)};
    struct pail_ad_kernel *kernel;
    struct pail_adstack *service = far->p.stage.service;
    assert_int_equal(stage_capacity(&far->p.stage, far->p.kernel, far->p.bindings, 2, 1), 12);
    far->p.a[1] = 30;
    assert_int_equal(stage_capacity(&far->p.stage, far->p.kernel, far->p.bindings, 2, 2), 12);
    assert_int_equal(pail_ad_registry_find(&service->registry, &kernel, far->p.kernel, &err),
                     PAIL_OK);
    const pail_overflow record =
        SIZED(pail_overflow, .id = kernel->tasks[0].id, .stack = 0, .count = 120, .serial = 2);
    pail_ad_kernel_release(kernel);
    /* It reads what is there, and no copy of before. */
    remote_reset(remote);
    assert_int_equal(pail_adstack_diagnose(service, &d, &record, &err), PAIL_OK);
    assert_int_equal(remote->starts, 2);
    assert_int_equal(remote_last(remote).serial, 0);
    assert_int_equal(d.cause, PAIL_CAUSE_UNTRACKED_WRITE);
    assert_int_equal(d.suspect_identity, A);
    assert_int_equal(d.required, 120);
    /* And the next launch is right. */
    remote_reset(remote);
    assert_int_equal(stage_capacity(&far->p.stage, far->p.kernel, far->p.bindings, 2, 3), 120);
    assert_int_equal(remote->starts, 1);
    /* One that cannot be read says so. */
    far->p.a[1] = 31;
    remote_reset(remote);
    remote->start_fails = 1;
    assert_int_equal(pail_adstack_diagnose(service, &d, &record, &err), PAIL_ERR_IO);
    expect_text(&err, "of array 11 are not here");
}

/* ---- Threads --------------------------------------------------------------------------------- */
enum { THREADS = 16, ROUNDS = 40 };

struct crowd {
    struct far far;
    pthread_barrier_t barrier;
    int64_t wrong;
};

static void *launch_with_others(void *user)
{
    struct crowd *crowd = user;
    struct far *far = &crowd->far;
    for (int round = 0; round < ROUNDS; round++) {
        const int who = pthread_barrier_wait(&crowd->barrier);
        if (who == PTHREAD_BARRIER_SERIAL_THREAD) {
            far->p.a[0] = 10 + round;
            pail_adstack_bump(far->p.stage.service, A);
        }
        (void)pthread_barrier_wait(&crowd->barrier);
        struct pail_adstack_result *result =
            stage_launch(&far->p.stage, far->p.kernel, 1, far->p.bindings, 2, 0, NULL);
        const bool good = result && result->tasks[0].laid->places[0].raw == 4 * (10 + round);
        __atomic_fetch_add(&crowd->wrong, !good, __ATOMIC_RELAXED);
        pail_ad_result_release(result);
    }
    return NULL;
}

/* A stage whose allocations are watched numbers no launches. */
static void do_nothing(void *user)
{
    (void)user;
}

static void run_crowd(struct crowd *crowd)
{
    pthread_t threads[THREADS];
    crowd->wrong = 0;
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, launch_with_others, crowd), 0);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
}

/* Sixteen launches that need the same array fetch it once; of a copy that fails, only the launch
 * that asked for it does. */
PAIL_TEST(threads_share_a_copy)
{
    struct crowd crowd;
    struct remote *remote = &crowd.far.remote;
    assert_int_equal(pthread_barrier_init(&crowd.barrier, NULL, THREADS), 0);
    far_open(&crowd.far, false, false);
    crowd.far.p.stage.on_alloc = do_nothing;
    remote->way = REMOTE_IN_WAIT;
    run_crowd(&crowd);
    assert_int_equal(crowd.wrong, 0);
    assert_int_equal(remote->starts, ROUNDS + 1);
    remote_reset(remote);
    remote->start_fails = 5;
    remote->wait_fails = 20;
    run_crowd(&crowd);
    assert_int_equal(crowd.wrong, 2);
    far_close(&crowd.far);
    assert_int_equal(pthread_barrier_destroy(&crowd.barrier), 0);
}
