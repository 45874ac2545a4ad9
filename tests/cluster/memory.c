/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that one rank does not get: no rank waits for ever, and all are told the same. */
#include <errno.h>
#include <platform/thread.h>
#include <stdatomic.h>

#include <unistd.h>

#include "nothing.h"
#include "support/test.h"
#include "threads.h"

enum { SIZE = 3, TASKS = 5, SECONDS = 60 };

/* The first failure of each rank, and its place. */
static struct {
    pail_status status;
    bool opened;
    char sentence[256];
} met[SIZE];

/* Rank whose requests fail, the first that does, and how many there were. The transport has what it
 * needs. */
static uint32_t victim;
static atomic_long until = -1, requests;

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
int __real_pail_thread_start(pthread_t *thread, const char *name, enum pail_thread_stack stack,
                             void *(*main)(void *), void *argument);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
int __wrap_pail_thread_start(pthread_t *thread, const char *name, enum pail_thread_stack stack,
                             void *(*main)(void *), void *argument);

static bool fails(void)
{
    if (!is_rank() || rank_of_thread() != victim)
        return false;
    return atomic_fetch_add(&requests, 1) == atomic_load(&until);
}

void *__wrap_malloc(size_t size)
{
    return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t n, size_t size)
{
    return fails() ? NULL : __real_calloc(n, size);
}

int __wrap_pail_thread_start(pthread_t *thread, const char *name, enum pail_thread_stack stack,
                             void *(*main)(void *), void *argument)
{
    return fails() ? EAGAIN : __real_pail_thread_start(thread, name, stack, main, argument);
}

static const char *nothing_said(const pail_context *context)
{
    (void)context;
    return "";
}

static const pail_backend nothing = SIZED(pail_backend, .name = "nothing", .error = nothing_said,
                                          .msm_start = nothing_start, .msm_finish = nothing_finish);

static void task(void *user, uint64_t index, void *to)
{
    (void)user;
    memcpy(to, &index, sizeof(index));
}

static pail_status work(void *user, uint64_t index, const void *from, void *result, char *error,
                        size_t capacity)
{
    (void)user;
    (void)index;
    (void)error;
    (void)capacity;
    memcpy(result, from, sizeof(index));
    return PAIL_OK;
}

static void done(void *user, uint64_t index, uint32_t rank, pail_status status, const void *result,
                 const char *error)
{
    (void)index;
    (void)rank;
    (void)result;
    (void)error;
    assert_int_equal(status, PAIL_OK);
    atomic_fetch_add((atomic_uint *)user, 1);
}

static bool opened(uint32_t rank, pail_status status, const char *error)
{
    met[rank].status = status;
    met[rank].opened = status == PAIL_OK;
    (void)snprintf(met[rank].sentence, sizeof(met[rank].sentence), "%s", error);
    return status == PAIL_OK;
}

/* All collective functions, each also after one that has failed: the cluster is good for more. */
static void all_calls(pail_cluster *cluster, uint32_t rank, void *user)
{
    const pail_cluster_batch batch = SIZED(
        pail_cluster_batch, .n = TASKS, .task_bytes = sizeof(uint64_t),
        .result_bytes = sizeof(uint64_t), .task = task, .work = work, .done = done, .user = user);
    const pail_cluster_sum how =
        SIZED(pail_cluster_sum, .curve = PAIL_CURVE_BN254, .group = PAIL_G1);
    const pail_msm_job job = {.struct_size = sizeof(job)};
    pail_msm_result result = {.struct_size = sizeof(result)};
    char error[256];
    uint8_t all[SIZE] = {1, 2, 3}, own = 0;
    for (int call = 0; call < 4; call++) {
        pail_status status = PAIL_OK;
        if (call == 0)
            status = pail_cluster_agree(cluster, PAIL_OK, error, sizeof(error));
        else if (call == 1)
            status = pail_cluster_scatter(cluster, &own, all, SIZE, 1, error, sizeof(error));
        else if (call == 2)
            status = pail_cluster_msm(cluster, &nothing, NULL, &result, NULL, &how, &job, NULL,
                                      error, sizeof(error));
        else
            status = pail_cluster_run(cluster, &batch, error, sizeof(error));
        if (status == PAIL_OK)
            continue;
        assert_int_equal(met[rank].status, PAIL_OK); /* one failure, told once */
        met[rank].status = status;
        (void)snprintf(met[rank].sentence, sizeof(met[rank].sentence), "%s", error);
    }
}

/* Returns whether the request was made at all. */
static bool strike(long at)
{
    atomic_uint tasks;
    char begin[32];
    atomic_init(&tasks, 0);
    atomic_store(&until, at);
    atomic_store(&requests, 0);
    memset(met, 0, sizeof(met));
    (void)alarm(SECONDS); /* a rank that waits for ever ends the test */
    run_ranks(SIZE, 0, 0, all_calls, &tasks);
    (void)alarm(0);
    const bool struck = atomic_load(&requests) > at;
    (void)snprintf(begin, sizeof(begin), "rank %u of ", (unsigned)victim);
    for (uint32_t i = 0; i < SIZE; i++) {
        assert_int_equal(met[i].status, struck ? PAIL_ERR_HOST_MEMORY : PAIL_OK);
        assert_string_equal(met[i].sentence, met[0].sentence);
        assert_int_equal(met[i].opened, met[0].opened);
        if (struck && strncmp(met[i].sentence, begin, strlen(begin)) != 0)
            fail_msg("request %ld: \"%s\"", at, met[i].sentence);
    }
    if (!struck)
        assert_int_equal(tasks, TASKS);
    return struck;
}

PAIL_TEST(each_request_fails)
{
    watch_opening(opened);
    for (victim = 0; victim < SIZE; victim++) {
        long at = 0;
        while (strike(at))
            at++;
        print_message("rank %u: %ld requests\n", (unsigned)victim, at);
        assert_true(at >= (victim == 0 ? 7 : 4));
    }
}

/* A program in whose folder there is no libpail-mpi.so. */
PAIL_TEST(test_no_mpi)
{
    pail_cluster *cluster = NULL;
    char error[512];
    const pail_cluster_params params = {.struct_size = sizeof(params), .transport = "mpi"};
    assert_int_equal(pail_cluster_open(&cluster, &params, error, sizeof(error)),
                     PAIL_ERR_UNSUPPORTED);
    assert_null(cluster);
    assert_string_equal(error, "there is no libpail-mpi.so, the transport of clusters over MPI, "
                               "beside the library, nor where "
                               "PAIL_BACKEND_PATH says: Debian's package libpail-mpi has it, and a "
                               "build with an MPI (Debian: libopenmpi-dev)");
}
