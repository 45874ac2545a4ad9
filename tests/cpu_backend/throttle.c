/* SPDX-License-Identifier: Apache-2.0 */
/* Phases that load the memory bus: the context's are counted, and give way to the host's. */
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include <cpu/context.h>
#include <cpu/cpu.h>
#include <prover/key/domain.h>

#include "support/test.h"

enum { LOG_N = 16, N = 1 << LOG_N, ENTRIES = 1 << 18, MS = 1000000 };

static const pail_backend *backend;
static pail_context *context;
static pail_matrix *matrix;
static pail_vector *vector, *product;
static atomic_long allowed = 1000000; /* allocations until they fail */

static void *allocate(void *user, size_t size)
{
    (void)user;
    return atomic_fetch_sub(&allowed, 1) > 0 ? malloc(size) : NULL;
}

static void release(void *user, void *memory)
{
    (void)user;
    free(memory);
}

/* Half of the entries are of one row, the others two in each. */
static int make_matrix(void)
{
    uint64_t *const starts = calloc(N + 1, sizeof *starts);
    uint32_t *const columns = calloc(ENTRIES, sizeof *columns);
    uint8_t *const values = calloc(ENTRIES, 32);
    if (!starts || !columns || !values)
        return -1;
    for (uint64_t row = 0; row < N; row++)
        starts[row + 1] = ENTRIES / 2 + 2 * row;
    starts[N] = ENTRIES;
    for (uint32_t i = 0; i < ENTRIES; i++) {
        columns[i] = i * 2654435761u % N;
        values[32 * (size_t)i] = (uint8_t)(1 + i % 3);
    }
    const pail_matrix_desc desc =
        SIZED(pail_matrix_desc, .curve = PAIL_CURVE_BN254, .n_rows = N, .n_columns = N,
              .row_starts = starts, .columns = columns, .values = values);
    const pail_status status = backend->matrix_create(context, &matrix, NULL, &desc);
    free(starts);
    free(columns);
    free(values);
    return status == PAIL_OK ? 0 : -1;
}

PAIL_FIXTURE(setup)
{
    static const pail_host host =
        SIZED(pail_host, .abi_major = PAIL_ABI_MAJOR, .abi_minor = PAIL_ABI_MINOR,
              .alloc = allocate, .free = release);
    const pail_context_params params = {.struct_size = sizeof params, .threads = 2};
    if (pail_cpu_open(&host, &backend) != PAIL_OK ||
        backend->context_create(&host, &context, &params) != PAIL_OK ||
        backend->vector_create(context, &vector, PAIL_CURVE_BN254, N) != PAIL_OK ||
        backend->vector_create(context, &product, PAIL_CURVE_BN254, N) != PAIL_OK)
        return -1;
    uint8_t *const ones = calloc(N, 32);
    for (size_t i = 0; i < N; i++)
        ones[32 * i] = 1;
    const pail_status status = backend->vector_write(vector, 0, ones, N, PAIL_ENCODING_CANONICAL);
    free(ones);
    return status == PAIL_OK ? make_matrix() : -1;
}

PAIL_FIXTURE(teardown)
{
    backend->matrix_destroy(context, &matrix);
    backend->vector_destroy(context, &vector);
    backend->vector_destroy(context, &product);
    backend->context_destroy(&context);
    return 0;
}

static int ours(void)
{
    return __atomic_load_n(backend->throttle(context), __ATOMIC_RELAXED);
}

/* A product, a transform of it and back. */
static pail_status start(pail_pending **pending)
{
    pail_vector_op ops[3] = {
        SIZED(pail_vector_op, .kind = PAIL_VECTOR_OP_SPMV, .r = product, .a = vector,
              .matrix = matrix, .n = N),
        SIZED(pail_vector_op, .kind = PAIL_VECTOR_OP_NTT, .log_n = LOG_N, .r = product,
              .a = product, .n = N),
        SIZED(pail_vector_op, .kind = PAIL_VECTOR_OP_INTT, .log_n = LOG_N, .r = product,
              .a = product, .n = N),
    };
    struct pail_domain domain;
    pail_domain_init(&domain, pail_curve_ops(PAIL_CURVE_BN254, PAIL_G1), LOG_N);
    for (int i = 1; i < 3; i++)
        memcpy(ops[i].root, domain.root, sizeof ops[i].root);
    return backend->vector_start(context, pending, ops, 3);
}

static void run(void)
{
    pail_pending *pending = NULL;
    assert_int_equal(start(&pending), PAIL_OK);
    assert_int_equal(backend->vector_finish(&pending, NULL), PAIL_OK);
    assert_int_equal(ours(), 0);
}

PAIL_TEST(phases_of_the_context)
{
    pail_pending *pending = NULL;
    int most = 0;
    assert_int_equal(ours(), 0);
    for (int i = 0; i < 100 && most == 0; i++) {
        assert_int_equal(start(&pending), PAIL_OK);
        while (backend->pending_poll(pending) != PAIL_OK)
            most = ours() > most ? ours() : most;
        assert_int_equal(backend->vector_finish(&pending, NULL), PAIL_OK);
        assert_int_equal(ours(), 0);
    }
    assert_in_range(most, 1, 2); /* at most one for each thread */
    /* However it ends. */
    for (int i = 0; i < 20; i++) {
        assert_int_equal(start(&pending), PAIL_OK);
        (void)backend->pending_wait(pending, (uint64_t)i * 200000);
        backend->pending_abandon(&pending);
        assert_int_equal(ours(), 0);
    }
    int failures = 0;
    for (;; failures++) {
        atomic_store(&allowed, failures);
        const pail_status status = start(&pending);
        assert_int_equal(ours() == 0 || status == PAIL_OK, 1);
        if (status == PAIL_OK)
            break;
        assert_int_equal(status, PAIL_ERR_HOST_MEMORY);
    }
    atomic_store(&allowed, 1000000);
    assert_true(failures > 4);
    assert_int_equal(backend->vector_finish(&pending, NULL), PAIL_OK);
    assert_int_equal(ours(), 0);
}

PAIL_TEST(begin_and_end)
{
    for (int i = 0; i < 3; i++)
        assert_int_equal(backend->throttle_begin(context), PAIL_OK);
    for (int i = 0; i < 3; i++)
        assert_int_equal(backend->throttle_end(context), PAIL_OK);
    assert_int_equal(backend->throttle_end(context), PAIL_ERR_ARGUMENT);
    assert_string_equal(backend->error(context),
                        "throttle_end: no phase has begun that has not ended");
    assert_int_equal(backend->throttle_begin(NULL), PAIL_ERR_ARGUMENT);
    assert_int_equal(backend->throttle_end(NULL), PAIL_ERR_ARGUMENT);
    assert_int_equal(ours(), 0);
}

/* ---- How often it is looked at -------------------------------------------------------------- */
static atomic_ulong looks;
static _Atomic uint64_t longest_ns;

static uint64_t thread_ns(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* By the thread's own time, which others of the machine do not lengthen. */
static void note_look(struct pail_cpu_throttle *throttle)
{
    static _Thread_local uint64_t last_ns;
    (void)throttle;
    const uint64_t now = thread_ns(CLOCK_THREAD_CPUTIME_ID);
    uint64_t longest = atomic_load(&longest_ns);
    while (last_ns != 0 && now - last_ns > longest &&
           !atomic_compare_exchange_weak(&longest_ns, &longest, now - last_ns))
        continue;
    atomic_fetch_add(&looks, 1);
    last_ns = now;
}

PAIL_TEST(within_a_millisecond)
{
    enum { TRIES = 5 };
    uint64_t least = UINT64_MAX;
    void (*const usual)(struct pail_cpu_throttle *) = context->throttle.give_way;
    context->throttle.give_way = note_look;
    assert_int_equal(backend->throttle_begin(context), PAIL_OK);
    run();
    for (int i = 0; i < TRIES; i++) { /* one is not disturbed by interrupts and the like */
        atomic_store(&longest_ns, 0);
        run();
        least = atomic_load(&longest_ns) < least ? atomic_load(&longest_ns) : least;
    }
    assert_int_equal(backend->throttle_end(context), PAIL_OK);
    context->throttle.give_way = usual;
    assert_true(atomic_load(&looks) > 100);
    print_message("# at most %.3f ms between two looks\n", (double)least / MS);
#ifndef PAIL_TEST_SANITIZED
    assert_in_range(least, 1, MS);
#endif
}

/* ---- Giving way ----------------------------------------------------------------------------- */
static atomic_bool stop;

static void *keep_running(void *argument)
{
    (void)argument;
    while (!atomic_load(&stop)) {
        pail_pending *pending = NULL;
        if (start(&pending) != PAIL_OK || backend->vector_finish(&pending, NULL) != PAIL_OK)
            abort();
    }
    return NULL;
}

/* Processor time of the process in a while, in parts of what it could have had. */
static double share(void)
{
    enum { WHILE_MS = 300, THREADS = 2 };
    const struct timespec a_while = {.tv_nsec = (long)WHILE_MS * MS};
    const uint64_t begin = thread_ns(CLOCK_MONOTONIC), own = thread_ns(CLOCK_PROCESS_CPUTIME_ID);
    (void)nanosleep(&a_while, NULL);
    return (double)(thread_ns(CLOCK_PROCESS_CPUTIME_ID) - own) /
           (THREADS * (double)(thread_ns(CLOCK_MONOTONIC) - begin));
}

PAIL_TEST(gives_way)
{
    pthread_t thread;
    atomic_store(&stop, false);
    assert_int_equal(pthread_create(&thread, NULL, keep_running, NULL), 0);
    const double before = share();
    assert_int_equal(backend->throttle_begin(context), PAIL_OK);
    const double throttled = share();
    assert_int_equal(backend->throttle_end(context), PAIL_OK);
    atomic_store(&stop, true);
    pthread_join(thread, NULL);
    print_message("# %.0f %% of the processors, %.0f %% beside a phase of the host\n", 100 * before,
                  100 * throttled);
    assert_true(throttled > 0); /* a host that forgets its end stops nobody */
#ifndef PAIL_TEST_SANITIZED
    assert_true(throttled < 0.45);
#endif
    assert_int_equal(ours(), 0);
}

/* ---- Threads -------------------------------------------------------------------------------- */
static void *nest(void *argument)
{
    (void)argument;
    for (int i = 0; i < 2000; i++)
        if (backend->throttle_begin(context) != PAIL_OK ||
            backend->throttle_begin(context) != PAIL_OK || ours() < 0 ||
            backend->throttle_end(context) != PAIL_OK || backend->throttle_end(context) != PAIL_OK)
            abort();
    return NULL;
}

PAIL_TEST(from_many_threads)
{
    enum { THREADS = 4 };
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, nest, NULL), 0);
    for (int i = 0; i < 5; i++)
        run();
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(backend->throttle_end(context), PAIL_ERR_ARGUMENT);
    run();
}

PAIL_TEST_GROUP(setup, teardown)
