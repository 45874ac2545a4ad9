/* SPDX-License-Identifier: Apache-2.0 */
/* Ranks that are threads: what they agree on, share and queue. */
#include "threads.h"

#include <stdatomic.h>

#include "support/test.h"

enum { N = 103 };

static void agree(pail_cluster *cluster, uint32_t rank, void *user)
{
    char sentence[256] = "";
    (void)user;
    assert_int_equal(pail_cluster_agree(cluster, PAIL_OK, sentence, sizeof(sentence)), PAIL_OK);
    assert_string_equal(sentence, "");
    (void)snprintf(sentence, sizeof(sentence), "%s", rank >= 1 ? "no luck" : "");
    assert_int_equal(pail_cluster_agree(cluster, rank >= 1 ? PAIL_ERR_DATA : PAIL_OK, sentence,
                                        sizeof(sentence)),
                     PAIL_ERR_DATA);
    assert_string_equal(sentence, "rank 1 of 4: no luck");
    const char *const names[] = {"one", "two"};
    const uint64_t values[] = {7, rank == 3 ? 9 : 8};
    assert_int_equal(pail_cluster_compare(cluster, PAIL_OK, names, values, 1, sentence, 256),
                     PAIL_OK);
    assert_int_equal(pail_cluster_compare(cluster, PAIL_OK, names, values, 2, sentence, 256),
                     PAIL_ERR_DATA);
    assert_string_equal(sentence, "rank 3 of 4: two is 9 here and 8 at rank 0");
}

PAIL_TEST(test_agree)
{
    run_ranks(4, 0, 0, agree, NULL);
}

static void scatter(pail_cluster *cluster, uint32_t rank, void *user)
{
    const uint64_t n = *(const uint64_t *)user;
    uint8_t all[N * 3], own[N * 3 + 1];
    char error[256];
    uint64_t first, count;
    for (size_t i = 0; i < sizeof(all); i++)
        all[i] = (uint8_t)i;
    memset(own, 0xee, sizeof(own));
    pail_cluster_share(cluster, n, &first, &count);
    assert_int_equal(pail_cluster_scatter(cluster, own, rank == 0 ? all : NULL, n, 3, error, 256),
                     PAIL_OK);
    assert_memory_equal(own, all + 3 * first, 3 * count);
    assert_int_equal(own[3 * count], 0xee);
}

PAIL_TEST(test_scatter)
{
    for (uint32_t size = 1; size <= RANKS_MAX; size++)
        for (uint64_t n = 0; n <= N; n += n < 10 ? 1 : 31)
            run_ranks(size, 0, 0, scatter, &n);
}

struct queue {
    atomic_uint done[N], failed, by[RANKS_MAX];
    uint32_t lost; /* bits of ranks that lose their device at their first task */
};

struct place {
    struct queue *queue;
    uint32_t rank;
};

static void task(void *user, uint64_t index, void *to)
{
    (void)user;
    memcpy(to, &index, sizeof(index));
}

static pail_status work(void *user, uint64_t index, const void *from, void *result, char *error,
                        size_t capacity)
{
    const struct place *const place = user;
    uint64_t twice;
    memcpy(&twice, from, sizeof(twice));
    assert_int_equal(twice, index);
    twice *= 2;
    memcpy(result, &twice, sizeof(twice));
    (void)snprintf(error, capacity, "task %u", (unsigned)index);
    if (place->queue->lost >> place->rank & 1)
        return PAIL_ERR_DEVICE_LOST;
    return index % 10 == 3 ? PAIL_ERR_DATA : PAIL_OK;
}

static void done(void *user, uint64_t index, uint32_t rank, pail_status status, const void *result,
                 const char *error)
{
    struct queue *const queue = ((struct place *)user)->queue;
    uint64_t twice;
    char wanted[32];
    memcpy(&twice, result, sizeof(twice));
    assert_int_equal(twice, 2 * index);
    (void)snprintf(wanted, sizeof(wanted), "task %u", (unsigned)index);
    if (status != PAIL_OK) {
        assert_string_equal(error, wanted);
        queue->failed++;
    }
    queue->done[index]++;
    queue->by[rank]++;
}

static void run_queue(pail_cluster *cluster, uint32_t rank, void *user)
{
    struct place place = {.queue = user, .rank = rank};
    const pail_cluster_batch batch =
        SIZED(pail_cluster_batch, .n = rank == 0 ? N : 0, .task_bytes = 8, .result_bytes = 8,
              .task = task, .work = work, .done = done, .user = &place);
    char error[256] = "";
    assert_int_equal(pail_cluster_run(cluster, &batch, error, sizeof(error)), PAIL_OK);
}

PAIL_TEST(test_queue)
{
    for (uint32_t size = 1; size <= RANKS_MAX; size++)
        for (uint32_t lost = 0; lost + 1 < (1u << size); lost += size < 4 ? 1 : 7) {
            struct queue queue = {.lost = lost};
            run_ranks(size, 0, 0, run_queue, &queue);
            for (uint32_t i = 0; i < N; i++)
                assert_int_equal(queue.done[i], 1);
            assert_int_equal(queue.failed, 10);
            for (uint32_t i = 0; i < size; i++)
                if (lost >> i & 1)
                    assert_int_equal(queue.by[i], 0);
        }
}

/* All have lost theirs: each task is said to have failed, once. */
PAIL_TEST(test_all_lost)
{
    for (uint32_t size = 1; size <= 4; size++) {
        struct queue queue = {.lost = ~0u};
        run_ranks(size, 0, 0, run_queue, &queue);
        for (uint32_t i = 0; i < N; i++)
            assert_int_equal(queue.done[i], 1);
        assert_int_equal(queue.failed, N);
    }
}

static void all_calls(pail_cluster *cluster, uint32_t rank, void *user)
{
    struct place place = {.queue = user, .rank = rank};
    const pail_cluster_batch batch =
        SIZED(pail_cluster_batch, .n = N, .task_bytes = 8, .result_bytes = 8, .task = task,
              .work = work, .done = done, .user = &place);
    char error[256] = "";
    uint8_t all[N] = {0}, own[N];
    pail_cluster_info info = {.struct_size = sizeof(info)};
    pail_status status = pail_cluster_agree(cluster, PAIL_OK, error, sizeof(error));
    if (status == PAIL_OK)
        status = pail_cluster_scatter(cluster, own, all, N, 1, error, sizeof(error));
    if (status == PAIL_OK)
        status = pail_cluster_run(cluster, &batch, error, sizeof(error));
    assert_int_equal(pail_cluster_get_info(cluster, &info), PAIL_OK);
    assert_int_equal(info.broken, status != PAIL_OK);
    if (status != PAIL_OK) {
        assert_int_equal(status, PAIL_ERR_IO);
        assert_string_equal(error, "the line is down");
    }
}

/* The transport fails at any call of any rank: nobody waits for ever. */
PAIL_TEST(test_broken)
{
    for (uint32_t rank = 0; rank < 3; rank++)
        for (uint32_t at = 1; at < 40; at++) {
            struct queue queue = {.lost = 0};
            run_ranks(3, rank, at, all_calls, &queue);
        }
}

/* A backend that gives each rank what a case says. */
static _Thread_local struct {
    pail_status status;
    uint8_t x, y;
} part;

static const char *part_error(const pail_context *context)
{
    (void)context;
    return "as it was told";
}

static pail_status part_start(pail_context *context, pail_pending **pending,
                              const pail_msm_job *jobs, size_t n, const pail_msm_config *config)
{
    (void)context;
    (void)jobs;
    (void)n;
    (void)config;
    *pending = NULL;
    return part.status;
}

static pail_status part_finish(pail_pending **pending, pail_msm_result *results, size_t n,
                               pail_stats *stats)
{
    (void)pending;
    (void)n;
    stats->wall_ms = 1;
    results->infinity = part.x == 0 && part.y == 0;
    results->coordinate_bytes = 32;
    results->x[0] = part.x;
    results->y[0] = part.y;
    return PAIL_OK;
}

static const pail_backend parts_backend = SIZED(pail_backend, .name = "parts", .error = part_error,
                                                .msm_start = part_start, .msm_finish = part_finish);

struct sum_case {
    pail_status status; /* rank 2's */
    uint8_t x, y;       /* rank 2's */
    pail_status wanted;
    const char *sentence;
};

static void sum(pail_cluster *cluster, uint32_t rank, void *user)
{
    const struct sum_case *const one = user;
    const pail_cluster_sum how =
        SIZED(pail_cluster_sum, .curve = PAIL_CURVE_BN254, .group = PAIL_G1);
    pail_msm_result result = {.struct_size = sizeof(result), .coordinate_bytes = 7};
    const pail_msm_job job = {.struct_size = sizeof(job)};
    char error[256];
    part.status = rank == 2 ? one->status : PAIL_OK;
    part.x = rank == 2 ? one->x : 0;
    part.y = rank == 2 ? one->y : 0;
    assert_int_equal(pail_cluster_msm(cluster, &parts_backend, NULL, &result, NULL, &how, &job,
                                      NULL, error, sizeof(error)),
                     one->wanted);
    assert_string_equal(error, one->sentence);
    const bool has = rank == 0 && one->wanted == PAIL_OK;
    assert_int_equal(result.coordinate_bytes, has ? 32 : 0);
    assert_int_equal(result.x[0], has ? one->x : 0);
    assert_int_equal(result.y[0], has ? one->y : 0);
}

/* One of three ranks loses its device, runs out of memory, sends what is no point, or is well. */
PAIL_TEST(test_sum)
{
    const struct sum_case cases[] = {
        {PAIL_OK, 1, 2, PAIL_OK, ""},
        {PAIL_OK, 0, 0, PAIL_OK, ""},
        {PAIL_ERR_DEVICE_LOST, 0, 0, PAIL_ERR_DEVICE_LOST, "rank 2 of 3: as it was told"},
        {PAIL_ERR_HOST_MEMORY, 0, 0, PAIL_ERR_HOST_MEMORY, "rank 2 of 3: as it was told"},
        {PAIL_OK, 1, 3, PAIL_ERR_INTERNAL, "rank 2 of 3: its partial sum is no point of bn254 g1"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        run_ranks(3, 0, 0, sum, (void *)(uintptr_t)&cases[i]);
}

/* The fault of one rank alone, which all are told. */
struct wrong {
    uint32_t rank, kind;
};

enum { WRONG_RESULT, WRONG_STATS, WRONG_HOW, WRONG_SIZE, WRONG_CURVE, WRONG_OTHER, WRONG_KINDS };

static void sum_wrong(pail_cluster *cluster, uint32_t rank, void *user)
{
    static const struct {
        pail_status status;
        const char *says;
    } wanted[WRONG_KINDS] = {
        {PAIL_ERR_ARGUMENT, "result"},      {PAIL_ERR_ARGUMENT, "stats"},
        {PAIL_ERR_ARGUMENT, "how is NULL"}, {PAIL_ERR_ARGUMENT, "struct_size"},
        {PAIL_ERR_UNSUPPORTED, "curve 77"}, {PAIL_ERR_DATA, "curve 2, group 1"},
    };
    const struct wrong *const wrong = user;
    const uint32_t kind = rank == wrong->rank ? wrong->kind : WRONG_KINDS;
    pail_cluster_sum how = SIZED(pail_cluster_sum, .curve = PAIL_CURVE_BN254, .group = PAIL_G1);
    pail_msm_result result = {.struct_size = sizeof(result), .coordinate_bytes = 7};
    pail_stats stats = {.struct_size = kind == WRONG_STATS ? 3 : sizeof(stats)};
    const pail_msm_job job = {.struct_size = sizeof(job)};
    char error[256], begin[32] = "";
    part.status = PAIL_OK;
    part.x = rank == 0;
    part.y = rank == 0 ? 2 : 0;
    if (kind == WRONG_SIZE)
        how.struct_size = 8;
    else if (kind == WRONG_CURVE)
        how.curve = 77;
    else if (kind == WRONG_OTHER)
        how.curve = PAIL_CURVE_BLS12_381;
    assert_int_equal(
        pail_cluster_msm(cluster, &parts_backend, NULL, kind == WRONG_RESULT ? NULL : &result,
                         &stats, kind == WRONG_HOW ? NULL : &how, &job, NULL, error, sizeof(error)),
        wanted[wrong->kind].status);
    if (wrong->kind != WRONG_OTHER || wrong->rank != 0) /* then all others are */
        (void)snprintf(begin, sizeof(begin), "rank %u of ", (unsigned)wrong->rank);
    assert_int_equal(strncmp(error, begin, strlen(begin)), 0);
    assert_non_null(strstr(error, wanted[wrong->kind].says));
    if (kind != WRONG_RESULT) {
        assert_int_equal(result.coordinate_bytes, 0);
        assert_int_equal(result.x[0], 0);
    }
    /* The cluster is good for more. */
    how =
        (pail_cluster_sum){.struct_size = sizeof(how), .curve = PAIL_CURVE_BN254, .group = PAIL_G1};
    assert_int_equal(pail_cluster_msm(cluster, &parts_backend, NULL, &result, NULL, &how, &job,
                                      NULL, error, sizeof(error)),
                     PAIL_OK);
    assert_int_equal(result.x[0], rank == 0);
}

PAIL_TEST(test_wrong_sum)
{
    for (uint32_t size = 2; size <= 4; size++) {
        for (struct wrong wrong = {0}; wrong.rank < size; wrong.rank++)
            for (wrong.kind = 0; wrong.kind < WRONG_KINDS; wrong.kind++)
                run_ranks(size, 0, 0, sum_wrong, &wrong);
    }
}

static void scatter_wrong(pail_cluster *cluster, uint32_t rank, void *user)
{
    const struct wrong *const wrong = user;
    const bool me = rank == wrong->rank;
    uint8_t all[N] = {0}, own[N];
    char error[256], begin[32] = "";
    uint64_t n = N, bytes = 1;
    pail_status status = PAIL_ERR_ARGUMENT;
    switch (wrong->kind) {
    case 0: /* the rank passes NULL */
        break;
    case 1:
        bytes = me ? 0 : 1;
        break;
    default:
        n = me ? N - 3 : N;
        status = PAIL_ERR_DATA;
        break;
    }
    const bool gives = wrong->kind == 0 && me;
    memset(own, 0xee, sizeof(own));
    assert_int_equal(pail_cluster_scatter(cluster, gives && rank != 0 ? NULL : own,
                                          rank == 0 && !gives ? all : NULL, n, bytes, error,
                                          sizeof(error)),
                     status);
    if (wrong->kind < 2 || wrong->rank != 0)
        (void)snprintf(begin, sizeof(begin), "rank %u of ", (unsigned)wrong->rank);
    assert_int_equal(strncmp(error, begin, strlen(begin)), 0);
    assert_int_equal(own[0], 0xee);
    assert_int_equal(pail_cluster_scatter(cluster, own, all, N, 1, error, sizeof(error)), PAIL_OK);
    assert_int_equal(own[0], 0);
}

PAIL_TEST(test_wrong_scatter)
{
    for (uint32_t size = 2; size <= 4; size++) {
        for (struct wrong wrong = {0}; wrong.rank < size; wrong.rank++)
            for (wrong.kind = 0; wrong.kind < 3; wrong.kind++)
                run_ranks(size, 0, 0, scatter_wrong, &wrong);
    }
}

PAIL_TEST(test_open)
{
    pail_cluster *cluster = NULL;
    char error[512];
    pail_cluster_params params = {.struct_size = sizeof(params), .transport = "../mpi"};
    assert_int_equal(pail_cluster_open(&cluster, &params, error, sizeof(error)), PAIL_ERR_ARGUMENT);
    assert_string_equal(error, "there is no transport \"../mpi\"; \"mpi\" is one");
    params = (pail_cluster_params){.struct_size = sizeof(params), .flags = 4};
    assert_int_equal(pail_cluster_open(&cluster, &params, error, sizeof(error)), PAIL_ERR_ARGUMENT);
    const pail_transport old = {.struct_size = 8, .abi = 77};
    params = (pail_cluster_params){.struct_size = sizeof(params), .table = &old};
    assert_int_equal(pail_cluster_open(&cluster, &params, error, sizeof(error)), PAIL_ERR_ABI);
    assert_null(cluster);
    assert_int_equal(pail_cluster_open(&cluster, NULL, error, sizeof(error)), PAIL_OK);
    pail_cluster_close(&cluster);
    pail_cluster_close(&cluster);
}
