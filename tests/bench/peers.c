/* SPDX-License-Identifier: Apache-2.0 */
/* Multiplications in G1 of a library that a user has built, and of Pail, in turns in one process.
 *
 *   bench_peers LIBRARY [LOG2_MIN LOG2_MAX]      16 and 22; every second size is measured
 *
 * The library is told by its functions, and is one of
 *   sppark            as rust-kzg's blst-sppark exports it (prepare_msm, mult_pippenger_prepared):
 *                     BLS12-381, scalars in host memory
 *   era-bellman-cuda  (bellman-cuda.h, at a87a309): BN254, scalars on the device. Its result is a
 *                     point for each bit of the sum; the host combines them, which counts
 *
 * Pail's backend is the one that PAIL_BACKEND requests, or the best one. Points stay on the device
 * on both sides, and scalars are where the library has them; on a backend that has no memory, in
 * host memory. Columns are medians of the rounds in milliseconds by the host's clock, and the
 * library's time by Pail's. No row is printed unless the sums are equal. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <curves/curve_ops.h>
#include <curves/inputs.h>
#include <pail/pail.h>
#include <platform/clock.h>

#include "bellman_cuda.h"

enum { ROUNDS = 9, POINT_MAX = 96, SCALAR = 32, LOG2_MAX = 26 };

static struct {
    pail_registry *registry;
    const pail_backend *api;
    pail_context *context;
} pail;

static const struct pail_curve_ops *ops;

static void stop(const char *what, const char *why)
{
    (void)fprintf(stderr, "bench_peers: %s: %s\n", what, why ? why : "it failed");
    exit(1);
}

static void check(pail_status status, const char *what)
{
    if (status != PAIL_OK)
        stop(what, pail.api->error(pail.context));
}

/* A library: its functions, and what is done with them. */
struct peer {
    const char *name;
    uint32_t curve;
    bool on_device; /* scalars */
    bool (*open)(void *library);
    void (*prepare)(const uint8_t *points, const uint8_t *scalars, uint32_t log_n);
    void (*multiply)(void *affine, const uint8_t *scalars, size_t n);
    void (*drop)(void);
    void (*close)(void);
};

/* Stores the function; false: the library has none of that name. */
static bool find(void *library, const char *name, void *to)
{
    void *const function = dlsym(library, name);
    memcpy(to, &function, sizeof(function));
    return function != NULL;
}

static void must_find(void *library, const char *name, void *to)
{
    if (!find(library, name, to))
        stop("the library", dlerror());
}

/* ---- sppark ---------------------------------------------------------------------------------- */
struct rust_error {
    int code;
    char *message;
};

static struct {
    void *(*prepare)(const void *points, size_t n);
    struct rust_error (*multiply)(void *prepared, void *sum, size_t n, const void *scalars);
    void (*drop)(void *prepared); /* of Pail's library alone, as close is */
    void (*close)(void);
    void *prepared;
} sppark;

static bool sppark_open(void *library)
{
    if (!find(library, "prepare_msm", &sppark.prepare))
        return false;
    must_find(library, "mult_pippenger_prepared", &sppark.multiply);
    (void)find(library, "pail_hooks_drop_msm", &sppark.drop);
    (void)find(library, "pail_hooks_close", &sppark.close);
    return true;
}

static void sppark_prepare(const uint8_t *points, const uint8_t *scalars, uint32_t log_n)
{
    (void)scalars;
    sppark.prepared = sppark.prepare(points, (size_t)1 << log_n);
    if (!sppark.prepared)
        stop("prepare_msm", NULL);
}

/* The sum is x, y and z in Montgomery form, as scalars are. */
static void sppark_multiply(void *affine, const uint8_t *scalars, size_t n)
{
    uint8_t sum[3 * POINT_MAX / 2];
    const uint8_t *const at = sum;
    const struct rust_error error = sppark.multiply(sppark.prepared, sum, n, scalars);
    if (error.code != 0)
        stop("mult_pippenger_prepared", error.message);
    if (ops->decode_jacobian(affine, &at, 1) != 1)
        stop("mult_pippenger_prepared", "a coordinate of the sum is not below p");
}

static void sppark_drop(void)
{
    if (sppark.drop)
        sppark.drop(sppark.prepared);
}

static void sppark_close(void)
{
    if (sppark.close)
        sppark.close();
}

/* ---- era-bellman-cuda ------------------------------------------------------------------------ */
static struct {
    int (*stream_create)(struct bc_handle *stream, bool blocking_sync);
    int (*stream_synchronize)(struct bc_handle stream);
    int (*stream_destroy)(struct bc_handle stream);
    int (*pool_create)(struct bc_handle *pool, int device);
    int (*pool_destroy)(struct bc_handle pool);
    int (*alloc)(void **memory, size_t bytes);
    int (*free)(void *memory);
    int (*copy)(void *to, const void *from, size_t bytes);
    int (*set_up)(void);
    int (*execute)(struct bc_msm configuration);
    int (*tear_down)(void);
    struct bc_handle pool, stream;
    void *points, *scalars;
    uint32_t log_n;
} bellman;

static void bellman_check(int code, const char *what)
{
    char why[32];
    (void)snprintf(why, sizeof(why), "error %d of CUDA", code);
    if (code != 0)
        stop(what, why);
}

static bool bellman_open(void *library)
{
    if (!find(library, "msm_execute_async", &bellman.execute))
        return false;
    must_find(library, "bc_stream_create", &bellman.stream_create);
    must_find(library, "bc_stream_synchronize", &bellman.stream_synchronize);
    must_find(library, "bc_stream_destroy", &bellman.stream_destroy);
    must_find(library, "bc_mem_pool_create", &bellman.pool_create);
    must_find(library, "bc_mem_pool_destroy", &bellman.pool_destroy);
    must_find(library, "bc_malloc", &bellman.alloc);
    must_find(library, "bc_free", &bellman.free);
    must_find(library, "bc_memcpy", &bellman.copy);
    must_find(library, "msm_set_up", &bellman.set_up);
    must_find(library, "msm_tear_down", &bellman.tear_down);
    bellman_check(bellman.set_up(), "msm_set_up");
    bellman_check(bellman.pool_create(&bellman.pool, 0), "bc_mem_pool_create");
    bellman_check(bellman.stream_create(&bellman.stream, false), "bc_stream_create");
    return true;
}

static void *bellman_put(const uint8_t *from, size_t bytes)
{
    void *memory = NULL;
    bellman_check(bellman.alloc(&memory, bytes), "bc_malloc");
    bellman_check(bellman.copy(memory, from, bytes), "bc_memcpy");
    return memory;
}

static void bellman_prepare(const uint8_t *points, const uint8_t *scalars, uint32_t log_n)
{
    const size_t n = (size_t)1 << log_n;
    bellman.log_n = log_n;
    bellman.points = bellman_put(points, 2 * ops->coordinate_bytes * n);
    bellman.scalars = bellman_put(scalars, SCALAR * n);
}

static void bellman_multiply(void *affine, const uint8_t *scalars, size_t n)
{
    static const uint8_t infinity[POINT_MAX];
    /* Coordinates of the library are below 2p. */
    const struct pail_point_encoding encoding = {
        .coordinates = 3, .jacobian = true, .montgomery = true};
    uint8_t results[BC_RESULTS * 3 * POINT_MAX / 2];
    pail_affine points[PAIL_JACOBIAN_BATCH]; /* room; packed by the size of the curve's own */
    pail_point sum;
    (void)scalars;
    (void)n;
    const struct bc_msm configuration = {.pool = bellman.pool,
                                         .stream = bellman.stream,
                                         .bases = bellman.points,
                                         .scalars = bellman.scalars,
                                         .results = results,
                                         .log_scalars_count = bellman.log_n};
    bellman_check(bellman.execute(configuration), "msm_execute_async");
    bellman_check(bellman.stream_synchronize(bellman.stream), "bc_stream_synchronize");
    (void)ops->decode(affine, infinity, false);
    ops->from_affine(&sum, affine);
    for (size_t end = BC_RESULTS, batch; end > 0; end -= batch) { /* from the highest bit on */
        batch = end < PAIL_JACOBIAN_BATCH ? end : PAIL_JACOBIAN_BATCH;
        ops->load_points(points, results + (end - batch) * 3 * ops->coordinate_bytes, batch,
                         encoding);
        for (size_t i = batch; i-- > 0;) {
            ops->dbl(&sum, &sum);
            ops->add_affine(&sum, &sum, (const uint8_t *)points + i * ops->affine_bytes);
        }
    }
    ops->to_affine(affine, &sum);
}

static void bellman_drop(void)
{
    bellman_check(bellman.free(bellman.points), "bc_free");
    bellman_check(bellman.free(bellman.scalars), "bc_free");
}

static void bellman_close(void)
{
    bellman_check(bellman.stream_destroy(bellman.stream), "bc_stream_destroy");
    bellman_check(bellman.pool_destroy(bellman.pool), "bc_mem_pool_destroy");
    bellman_check(bellman.tear_down(), "msm_tear_down");
}

static const struct peer peers[] = {
    {"sppark", PAIL_CURVE_BLS12_381, false, sppark_open, sppark_prepare, sppark_multiply,
     sppark_drop, sppark_close},
    {"bellman-cuda", PAIL_CURVE_BN254, true, bellman_open, bellman_prepare, bellman_multiply,
     bellman_drop, bellman_close},
};
enum { PEERS = sizeof(peers) / sizeof(peers[0]) };

/* ---- Both sides ------------------------------------------------------------------------------ */
static const struct peer *open_sides(const char *path)
{
    const pail_context_params params = {.struct_size = sizeof(params), .device = PAIL_DEVICE_BEST};
    pail_device_info info = {.struct_size = sizeof(info)};
    char error[512];
    void *const library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        stop("the library", dlerror());
    const struct peer *peer = peers;
    while (peer < peers + PEERS && !peer->open(library))
        peer++;
    if (peer == peers + PEERS)
        stop(path, "it has neither prepare_msm, as of sppark, nor msm_execute_async, as of "
                   "era-bellman-cuda");
    if (pail_registry_create(&pail.registry, NULL, error, sizeof(error)) != PAIL_OK ||
        pail_registry_find(pail.registry, &pail.api, getenv("PAIL_BACKEND"), error,
                           sizeof(error)) != PAIL_OK)
        stop("registry", error);
    check(pail.api->context_create(pail_registry_host(pail.registry), &pail.context, &params),
          "context_create");
    check(pail.api->context_device(pail.context, &info), "context_device");
    ops = pail_curve_ops(peer->curve, PAIL_G1);
    (void)printf("%s, %s\n%-20s %12s %10s %7s\n", info.name, info.driver, "milliseconds",
                 peer->name, "Pail", "ratio");
    return peer;
}

static void our_sum(const pail_msm_job *job, pail_msm_result *result)
{
    pail_pending *pending = NULL;
    *result = (pail_msm_result){.struct_size = sizeof(*result)};
    check(pail.api->msm_start(pail.context, &pending, job, 1, NULL), "msm_start");
    check(pail.api->msm_finish(&pending, result, 1, NULL), "msm_finish");
}

static bool are_equal(const void *theirs, const pail_msm_result *ours)
{
    uint8_t encoded[POINT_MAX];
    ops->encode(encoded, theirs, false);
    return memcmp(encoded, ours->x, ops->coordinate_bytes) == 0 &&
           memcmp(encoded + ops->coordinate_bytes, ours->y, ops->coordinate_bytes) == 0;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Scalars to memory of the backend, where it has any. */
static pail_memory *place(pail_msm_job *job)
{
    pail_memory *memory = NULL;
    pail_memory_info info = {.struct_size = sizeof(info)};
    if (!PAIL_HAS(pail.api, memory_create) || !PAIL_HAS(pail.api, memory_write))
        return NULL;
    check(
        pail.api->memory_create(pail.context, &memory, &info, PAIL_MEMORY_DEVICE, SCALAR * job->n),
        "memory_create");
    check(pail.api->memory_write(memory, 0, job->scalars, SCALAR * job->n), "memory_write");
    job->scalars = (const void *)(uintptr_t)info.address;
    job->scalar_location = PAIL_LOCATION_DEVICE_ADDRESS;
    return memory;
}

static void bench(const struct peer *peer, uint32_t log_n)
{
    const size_t n = (size_t)1 << log_n, point_bytes = 2 * ops->coordinate_bytes;
    double theirs_ms[ROUNDS], ours_ms[ROUNDS];
    pail_affine sum;
    pail_msm_result result;
    pail_bases *bases = NULL;
    uint8_t *const points = malloc(point_bytes * n), *const scalars = malloc(SCALAR * n);
    if (!points || !scalars)
        stop("host memory", "there is not enough");
    pail_make_bases(ops, points, true, 0, n, PAIL_BASES_DISTINCT, 1);
    /* Below r, and so elements in Montgomery form as well, in which both libraries have them. */
    pail_make_scalars(ops, scalars, n, PAIL_SCALARS_UNIFORM, 2);
    const pail_bases_desc desc = {.struct_size = sizeof(desc),
                                  .curve = ops->curve,
                                  .group = ops->group,
                                  .encoding = PAIL_ENCODING_MONTGOMERY,
                                  .points = points,
                                  .n_points = n};
    check(pail.api->bases_create(pail.context, &bases, NULL, &desc), "bases_create");
    pail_msm_job job = {.struct_size = sizeof(job),
                        .bases = bases,
                        .n = n,
                        .scalars = scalars,
                        .scalar_encoding =
                            peer->on_device ? PAIL_ENCODING_CANONICAL : PAIL_ENCODING_MONTGOMERY};
    peer->prepare(points, scalars, log_n);
    /* A library that has its scalars on the device has copied them. Pail takes canonical ones
     * there. */
    for (size_t i = 0; peer->on_device && i < n; i++) {
        pail_u256 scalar;
        pail_u256_from_bytes(&scalar, scalars + SCALAR * i);
        ops->scalar_from_montgomery(&scalar, &scalar);
        pail_u256_to_bytes(scalars + SCALAR * i, &scalar);
    }
    pail_memory *memory = peer->on_device ? place(&job) : NULL;
    for (int i = 0; i <= ROUNDS; i++) { /* the first one is not timed */
        const double begin = pail_now_ms();
        peer->multiply(&sum, scalars, n);
        const double middle = pail_now_ms();
        our_sum(&job, &result);
        if (i > 0) {
            theirs_ms[i - 1] = middle - begin;
            ours_ms[i - 1] = pail_now_ms() - middle;
        }
        if (!are_equal(&sum, &result))
            stop("msm", "the sums differ");
    }
    qsort(theirs_ms, ROUNDS, sizeof(double), ascending);
    qsort(ours_ms, ROUNDS, sizeof(double), ascending);
    (void)printf("msm %-10s  2^%-2u %12.3f %10.3f %7.2f\n", ops->curve_name, log_n,
                 theirs_ms[ROUNDS / 2], ours_ms[ROUNDS / 2],
                 theirs_ms[ROUNDS / 2] / ours_ms[ROUNDS / 2]);
    (void)fflush(stdout);
    peer->drop();
    if (memory)
        pail.api->memory_destroy(pail.context, &memory);
    pail.api->bases_destroy(pail.context, &bases);
    free(points);
    free(scalars);
}

int main(int argc, char **argv)
{
    const long from = argc == 4 ? strtol(argv[2], NULL, 10) : 16;
    const long to = argc == 4 ? strtol(argv[3], NULL, 10) : 22;
    if ((argc != 2 && argc != 4) || from < 1 || to > LOG2_MAX || from > to) {
        (void)fprintf(stderr, "usage: bench_peers LIBRARY [LOG2_MIN LOG2_MAX], 1 to %d\n",
                      LOG2_MAX);
        return 64;
    }
    const struct peer *const peer = open_sides(argv[1]);
    for (long log_n = from; log_n <= to; log_n += 2)
        bench(peer, (uint32_t)log_n);
    peer->close();
    pail.api->context_destroy(&pail.context);
    pail_registry_destroy(&pail.registry);
    return 0;
}
