/* SPDX-License-Identifier: Apache-2.0 */
/* Races and corners of the adstack service, each made to happen. */
#define _POSIX_C_SOURCE 200809L /* signals of threads */
#include <signal.h>

#include "service_support.h"
#include "support/test.h"

enum { A = 0, ID_A = 11 };

/* ---- Forgetting while somebody looks --------------------------------------------------------- */
struct intruder {
    struct stage *stage;
    uint64_t kernel;
    const pail_binding *binding;
    uint32_t threads;   /* other than those that are kept: the launch is worked out anew */
    uint32_t frees, at; /* frees so far; the one it comes in */
    bool inside;
};

static struct pail_alloc stage_alloc;
static struct intruder intruder;

static struct pail_adstack_result *launch_with(struct stage *stage, uint64_t kernel,
                                               const pail_binding *binding, uint64_t threads)
{
    const pail_task_launch tasks[] = {
        {.struct_size = sizeof(pail_task_launch), .threads = threads}};
    struct pail_adstack_result *result;
    struct pail_error err = {0};
    const pail_launch launch = SIZED(pail_launch, .kernel = kernel, .bindings = binding,
                                     .n_bindings = 1, .tasks = tasks, .n_tasks = 1);
    if (pail_adstack_evaluate(stage->service, &result, &launch, &err) != PAIL_OK)
        fail_msg("%s", err.text);
    return result;
}

static uint64_t capacity_with(struct stage *stage, uint64_t kernel, const pail_binding *binding,
                              uint64_t threads)
{
    struct pail_adstack_result *result = launch_with(stage, kernel, binding, threads);
    const uint64_t capacity = result->tasks[0].laid->places[0].capacity;
    pail_ad_result_release(result);
    return capacity;
}

static void free_and_intrude(void *user, void *ptr)
{
    stage_alloc.free(user, ptr);
    if (intruder.inside || ++intruder.frees != intruder.at)
        return;
    intruder.inside = true;
    pail_ad_result_release(
        launch_with(intruder.stage, intruder.kernel, intruder.binding, intruder.threads));
    intruder.inside = false;
}

/* The host's free calls back in the middle of an invalidation. What the launch in there finds, and
 * keeps, is of before: no launch after the invalidation may see it. */
PAIL_TEST(an_invalidation_is_whole)
{
    for (uint32_t at = 1; at <= 4; at++) {
        struct stage stage;
        stage_open(&stage, false, 0);
        struct kernel *kernel = kernel_make("whole", "1");
        (void)kernel_task(kernel, 0);
        tree_max_of(kernel_stack(kernel), A);
        /* Results have copies of the allocator: it is another one before there are any. */
        stage_alloc = stage.service->env.alloc;
        stage.service->env.alloc.free = free_and_intrude;
        intruder = (struct intruder){.inside = true};
        const uint64_t handle = stage_register(&stage, kernel);
        int32_t a[] = {2, 3};
        const int64_t two = 2;
        const pail_binding binding = bind(A, ID_A, a, &two);
        assert_int_equal(capacity_with(&stage, handle, &binding, 1), 3);
        assert_int_equal(capacity_with(&stage, handle, &binding, 2), 3);
        a[0] = 9; /* without a word, but before the invalidation */
        intruder = (struct intruder){&stage, handle, &binding, 3, 0, at, false};
        pail_adstack_invalidate(stage.service, handle);
        intruder.inside = true;
        assert_int_equal(capacity_with(&stage, handle, &binding, 3), 9);
        assert_int_equal(capacity_with(&stage, handle, &binding, 1), 9);
        kernel_free(kernel);
        stage_close(&stage);
    }
}

/* ---- Polling while kernels report ------------------------------------------------------------ */
enum { RING = 1, SIGNALS = 20000 };

/* The kernels: a signal comes anywhere in the middle of a poll and reports. */
static struct {
    uint32_t words[PAIL_AD_OVERFLOW_WORDS(RING)];
    uint32_t reports; /* so far; also the number of the next stack */
    uint32_t dirty;   /* records that were free, but not cleared */
    uint32_t done;
    pthread_t poller;
} kernels;

static uint32_t exchange(uint32_t *word, uint32_t value)
{
    return __atomic_exchange_n(word, value, __ATOMIC_RELAXED);
}

/* Reports as pail_overflow_report does, into the only record, for a different stack each time. */
static void report(int number)
{
    uint32_t *at = &kernels.words[4], free_one = 0;
    const uint32_t n = 1 + __atomic_fetch_add(&kernels.reports, 1, __ATOMIC_RELAXED);
    (void)number;
    if (!__atomic_compare_exchange_n(&at[0], &free_one, n, false, __ATOMIC_RELAXED,
                                     __ATOMIC_RELAXED))
        return;
    uint32_t zero = exchange(&at[1], n);
    zero |= exchange(&at[2], n);
    zero |= exchange(&at[3], 7);
    __atomic_fetch_add(&kernels.dirty, zero != 0, __ATOMIC_RELAXED);
}

static void *send_signals(void *user)
{
    (void)user;
    for (uint32_t i = 0; i < SIGNALS; i++)
        (void)pthread_kill(kernels.poller, SIGUSR1);
    __atomic_store_n(&kernels.done, 1, __ATOMIC_RELEASE);
    return NULL;
}

/* A record is another's only once all of it is cleared. */
STAGE_TEST(polling_leaves_records_whole, false)
{
    pthread_t thread;
    pail_overflow records[RING];
    uint64_t lost;
    struct sigaction action = {.sa_handler = report, .sa_flags = SA_RESTART}, before;
    pail_ad_overflow_lend(&stage->service->overflows, kernels.words, RING);
    kernels.poller = pthread_self();
    assert_int_equal(sigaction(SIGUSR1, &action, &before), 0);
    assert_int_equal(pthread_create(&thread, NULL, send_signals, NULL), 0);
    uint32_t torn = 0;
    while (!__atomic_load_n(&kernels.done, __ATOMIC_ACQUIRE)) {
        report(0);
        const size_t n = pail_ad_overflow_poll(&stage->service->overflows, records, RING, &lost);
        for (size_t i = 0; i < n; i++)
            torn += records[i].id != 7 || records[i].stack + 1 != records[i].count ||
                    records[i].serial != records[i].count;
    }
    assert_int_equal(pthread_join(thread, NULL), 0);
    action.sa_handler = SIG_IGN; /* also of what is still on its way */
    assert_int_equal(sigaction(SIGUSR1, &action, NULL), 0);
    (void)pail_ad_overflow_poll(&stage->service->overflows, records, RING, &lost);
    assert_int_equal(sigaction(SIGUSR1, &before, NULL), 0);
    assert_int_equal(kernels.dirty, 0);
    assert_int_equal(torn, 0);
    for (uint32_t i = 4; i < PAIL_AD_OVERFLOW_WORDS(RING); i++)
        assert_int_equal(kernels.words[i], 0);
}

/* ---- Arms that are not taken ----------------------------------------------------------------- */
/* shape(a) > 0 ? 5 : the largest of 2^20 products: a guard in front of what is dear. */
PAIL_TEST(what_a_guard_rules_out_costs_nothing)
{
    for (int with_device = 0; with_device < 2; with_device++) {
        struct stage stage;
        stage_open(&stage, with_device, 0);
        struct kernel *kernel = kernel_make("guard", "1");
        (void)kernel_task(kernel, 0);
        struct nodes *nodes = kernel_stack(kernel);
        NODES(nodes, "(select (shape % 0) 5 (max_over i 0 % (mul (read % i) i)))", A, 1 << 20, A);
        const uint64_t handle = stage_register(&stage, kernel);
        int32_t a[] = {2, 3};
        const int64_t two = 2;
        const pail_binding binding = bind(A, ID_A, a, &two);
        assert_int_equal(capacity_with(&stage, handle, &binding, 1), 5);
        assert_int_equal(stage_stats(&stage).host_cells, 0);
        assert_int_equal(stage.device.runs, 0);
        kernel_free(kernel);
        stage_close(&stage);
    }
}

/* ---- Semaphores ------------------------------------------------------------------------------ */
/* A semaphore of another device must never reach the driver, nor be waited for by nobody. */
STAGE_TEST(a_foreign_semaphore_is_refused, true)
{
    struct kernel *kernel = kernel_make("foreign", "1");
    (void)kernel_task(kernel, 0);
    tree_max_of(kernel_stack(kernel), A);
    const uint64_t handle = stage_register(stage, kernel);
    int32_t a[] = {2, 3};
    const int64_t two = 2;
    const pail_binding binding = bind(A, ID_A, a, &two);
    const pail_task_launch tasks[] = {{.struct_size = sizeof(pail_task_launch), .threads = 1}};
    const pail_launch launch =
        SIZED(pail_launch, .kernel = handle, .bindings = &binding, .n_bindings = 1, .tasks = tasks,
              .n_tasks = 1, .wait_semaphore = 0xabc, .wait_value = 1);
    struct pail_adstack_result *result;
    struct pail_error err = {0};
    stage->service->env.no_semaphores = "the device is another";
    assert_int_equal(pail_adstack_evaluate(stage->service, &result, &launch, &err),
                     PAIL_ERR_ARGUMENT);
    assert_null(result);
    assert_non_null(strstr(err.text, "wait_semaphore is 0xabc, but the device is another"));
    assert_int_equal(stage->device.runs, 0);
    stage->service->env.no_semaphores = NULL;
    assert_int_equal(pail_adstack_evaluate(stage->service, &result, &launch, &err), PAIL_OK);
    assert_int_equal(stage->device.wait_semaphore, 0xabc);
    pail_ad_result_release(result);
    kernel_free(kernel);
}
