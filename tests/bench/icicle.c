/* SPDX-License-Identifier: Apache-2.0 */
/* The same work through ICICLE's functions and through Pail's own interface, in turns in one
 * process and on one device: what a host pays for keeping its calls of ICICLE.
 *
 *   bench_icicle [LOG2_MIN LOG2_MAX]      16 and 22; every second size is measured
 *
 * The backend is the one that PAIL_BACKEND requests, the Vulkan plugin if it requests none. Columns
 * are the median of the rounds in milliseconds by the host's clock: through ICICLE, through Pail
 * with scalars in vectors, and through Pail with scalars in memory at an address. "ratio" is
 * ICICLE's time by the smaller one of Pail's. "calls" is the number of transforms: calls in one
 * stream that is waited for at the end, and operations of one start.
 *
 * Multiplications have scalars and points on the device, and their sum in the host. Points are
 * registered before the first round, except ICICLE's on the CPU backend, which registers them in
 * each call. No row is printed unless all results are equal. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <curves/inputs.h>
#include <pail/pail.h>
#include <platform/clock.h>

#include "field/gpu_support.h"
#include "hooks/icicle.h"

enum { ROUNDS_MIN = 5, ROUNDS_MAX = 51, CALLS = 8, WIDEST = 48 };

/* The time of the rounds of one row, and of the calls before them, in which the clock rises. */
#define ROUNDS_MS 2000.0
#define WARM_MS   400.0

enum way { ICICLE, VECTORS, MEMORY, WAYS };

#define DECLARE(curve)                                                                             \
    int curve##msm(const void *scalars, const void *points, int n, const MSMConfig *config,        \
                   void *out);                                                                     \
    void curve##to_affine(const void *p, void *r);
DECLARE(bn254_)
DECLARE(bls12_381_)
#undef DECLARE
int bn254_ntt(const void *in, int n, int direction, const NTTConfig *config, void *out);
int bn254_ntt_init_domain(const void *root, const NTTInitDomainConfig *config);
int bn254_get_root_of_unity_from_domain(uint64_t log_n, void *root);

static const struct curve {
    uint32_t curve;
    int (*msm)(const void *scalars, const void *points, int n, const MSMConfig *config, void *out);
    void (*to_affine)(const void *p, void *r);
} curves[] = {{PAIL_CURVE_BN254, bn254_msm, bn254_to_affine},
              {PAIL_CURVE_BLS12_381, bls12_381_msm, bls12_381_to_affine}};

/* Pail's side. */
static struct {
    pail_registry *registry;
    const pail_backend *api;
    pail_context *context;
    bool addresses;
} pail;

static void stop(const char *what, const char *why)
{
    (void)fprintf(stderr, "bench_icicle: %s: %s\n", what, why);
    exit(1);
}

static void check(pail_status status, const char *what)
{
    if (status != PAIL_OK)
        stop(what, pail.api->error(pail.context));
}

static void check_icicle(int status, const char *what)
{
    if (status != SUCCESS)
        stop(what, pail_icicle_error());
}

static void *host_memory(size_t bytes)
{
    void *const memory = malloc(bytes);
    if (!memory)
        stop("host memory", "there is not enough");
    return memory;
}

static void *icicle_memory(const void *bytes, size_t n_bytes)
{
    void *pointer = NULL;
    check_icicle(icicle_malloc(&pointer, n_bytes), "icicle_malloc");
    if (bytes)
        check_icicle(icicle_copy_to_device(pointer, bytes, n_bytes), "icicle_copy_to_device");
    return pointer;
}

static pail_memory *pail_memory_of(const void *bytes, size_t n_bytes, uint64_t *address)
{
    pail_memory_info info = {.struct_size = sizeof(info)};
    pail_memory *memory = NULL;
    check(pail.api->memory_create(pail.context, &memory, &info, PAIL_MEMORY_DEVICE, n_bytes),
          "memory_create");
    if (bytes)
        check(pail.api->memory_write(memory, 0, bytes, n_bytes), "memory_write");
    *address = info.address;
    return memory;
}

static pail_vector *vector_of(uint32_t curve, const void *bytes, size_t n)
{
    pail_vector *vector = NULL;
    check(pail.api->vector_create(pail.context, &vector, curve, n), "vector_create");
    if (bytes)
        check(pail.api->vector_write(vector, 0, bytes, n, PAIL_ENCODING_CANONICAL), "vector_write");
    return vector;
}

/* ---- Rounds ---------------------------------------------------------------------------------- */

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Runs the ways in turns, each round from another one on. ICICLE's functions have a context of
 * their own, and a card takes 0.1 ms to go from one to another: each way runs once before it is
 * timed. */
static int run_rounds(void (*run)(void *work, enum way way), void *work, int least, double least_ms,
                      double times[WAYS][ROUNDS_MAX])
{
    const double begun = pail_now_ms();
    int n = 0;
    for (; n < least || (n < ROUNDS_MAX && pail_now_ms() - begun < least_ms); n++) {
        for (int i = 0; i < WAYS; i++) {
            const int way = (n + i) % WAYS;
            if (way == MEMORY && !pail.addresses)
                continue;
            run(work, (enum way)way);
            const double start = pail_now_ms();
            run(work, (enum way)way);
            times[way][n] = pail_now_ms() - start;
        }
    }
    return n;
}

static void measure(void (*run)(void *work, enum way way), void *work, double medians[WAYS])
{
    double times[WAYS][ROUNDS_MAX];
    (void)run_rounds(run, work, 2, WARM_MS, times);
    const int n = run_rounds(run, work, ROUNDS_MIN, ROUNDS_MS, times);
    for (int i = 0; i < WAYS; i++) {
        if (i == MEMORY && !pail.addresses)
            continue;
        qsort(times[i], (size_t)n, sizeof(double), ascending);
        medians[i] = times[i][n / 2];
    }
}

static void print_row(const char *name, uint32_t log_n, int calls, const double medians[WAYS])
{
    const double least =
        pail.addresses && medians[MEMORY] < medians[VECTORS] ? medians[MEMORY] : medians[VECTORS];
    const double ratio = medians[ICICLE] / least;
    const double target = log_n == 16 ? 1.15 : log_n >= 20 ? 1.03 : 0;
    (void)printf("%-18s  2^%-2u %6d %11.4f %11.4f ", name, log_n, calls, medians[ICICLE],
                 medians[VECTORS]);
    if (pail.addresses)
        (void)printf("%11.4f", medians[MEMORY]);
    else
        (void)printf("%11s", "-");
    (void)printf(" %7.3f", ratio);
    if (target > 0)
        (void)printf("  %.2f %s", target, ratio <= target ? "met" : "missed");
    (void)printf("\n");
    (void)fflush(stdout);
}

/* ---- Multiplications ------------------------------------------------------------------------- */

struct multiplication {
    const struct curve *curve;
    size_t n;
    void *scalars, *points; /* ICICLE's */
    pail_bases *bases;
    pail_vector *vector;
    uint64_t address;
    uint8_t projective[3 * WIDEST];
    pail_msm_result sums[WAYS];
};

static void run_multiplication(void *state, enum way way)
{
    struct multiplication *const work = state;
    if (way == ICICLE) {
        const MSMConfig config = {.precompute_factor = 1,
                                  .batch_size = 1,
                                  .shared = true,
                                  .scalars_on_device = true,
                                  .points_on_device = true};
        check_icicle(
            work->curve->msm(work->scalars, work->points, (int)work->n, &config, work->projective),
            "msm");
        return;
    }
    pail_msm_job job = {.struct_size = sizeof(job), .bases = work->bases, .n = work->n};
    if (way == MEMORY) {
        job.scalar_location = PAIL_LOCATION_DEVICE_ADDRESS;
        job.scalars = (const void *)(uintptr_t)work->address;
    } else {
        job.scalar_location = PAIL_LOCATION_VECTOR;
        job.scalar_vector = work->vector;
    }
    pail_pending *pending = NULL;
    work->sums[way].struct_size = sizeof(pail_msm_result);
    check(pail.api->msm_start(pail.context, &pending, &job, 1, NULL), "msm_start");
    check(pail.api->msm_finish(&pending, &work->sums[way], 1, NULL), "msm_finish");
}

static void compare_sums(const struct multiplication *work, size_t width)
{
    uint8_t affine[2 * WIDEST];
    work->curve->to_affine(work->projective, affine);
    for (int i = VECTORS; i < WAYS; i++)
        if ((i != MEMORY || pail.addresses) &&
            (memcmp(affine, work->sums[i].x, width) != 0 ||
             memcmp(affine + width, work->sums[i].y, width) != 0))
            stop("msm", "the sums differ");
}

static void bench_multiplication(const struct curve *curve, uint32_t log_n)
{
    const struct pail_curve_ops *const ops = pail_curve_ops(curve->curve, PAIL_G1);
    const size_t n = (size_t)1 << log_n, width = ops->coordinate_bytes;
    struct multiplication work = {.curve = curve, .n = n};
    pail_memory *memory = NULL;
    double medians[WAYS];
    char name[32];
    uint8_t *const points = host_memory(2 * width * n), *const scalars = host_memory(32 * n);
    pail_make_bases(ops, points, false, 0, n, PAIL_BASES_DISTINCT, 1);
    pail_make_scalars(ops, scalars, n, PAIL_SCALARS_UNIFORM, 2);
    const pail_bases_desc desc = {.struct_size = sizeof(desc),
                                  .curve = curve->curve,
                                  .group = PAIL_G1,
                                  .encoding = PAIL_ENCODING_CANONICAL,
                                  .points = points,
                                  .n_points = n};
    check(pail.api->bases_create(pail.context, &work.bases, NULL, &desc), "bases_create");
    work.points = icicle_memory(points, 2 * width * n);
    work.scalars = icicle_memory(scalars, 32 * n);
    work.vector = vector_of(curve->curve, scalars, n);
    if (pail.addresses)
        memory = pail_memory_of(scalars, 32 * n, &work.address);
    measure(run_multiplication, &work, medians);
    compare_sums(&work, width);
    (void)snprintf(name, sizeof(name), "msm %s", ops->curve_name);
    print_row(name, log_n, 1, medians);
    if (memory)
        pail.api->memory_destroy(pail.context, &memory);
    pail.api->vector_destroy(pail.context, &work.vector);
    pail.api->bases_destroy(pail.context, &work.bases);
    check_icicle(icicle_free(work.points), "icicle_free");
    check_icicle(icicle_free(work.scalars), "icicle_free");
    free(points);
    free(scalars);
}

/* ---- Transforms ------------------------------------------------------------------------------ */

struct transform {
    uint32_t log_n;
    int calls;
    bool reversed;
    uint8_t root[32];
    void *in, *out, *stream; /* ICICLE's */
    pail_vector *x, *y;
    uint64_t in_address, out_address;
};

static void run_icicle(const struct transform *work)
{
    const NTTConfig config = {.stream = work->stream,
                              .coset_gen = {1},
                              .batch_size = 1,
                              .ordering = work->reversed ? 1 : 0, /* kNR, kNN */
                              .in_on_device = true,
                              .out_on_device = true,
                              .is_async = true};
    for (int i = 0; i < work->calls; i++)
        check_icicle(bn254_ntt(work->in, 1 << work->log_n, 0, &config, work->out), "ntt");
    check_icicle(icicle_stream_synchronize(work->stream), "icicle_stream_synchronize");
}

static void run_transform(void *state, enum way way)
{
    const struct transform *const work = state;
    pail_vector_op ops[CALLS];
    if (way == ICICLE) {
        run_icicle(work);
        return;
    }
    pail_vector_op op = {.struct_size = sizeof(op),
                         .kind = PAIL_VECTOR_OP_NTT,
                         .flags = work->reversed ? PAIL_VECTOR_OP_BIT_REVERSED : 0,
                         .log_n = work->log_n,
                         .r = work->y,
                         .a = work->x,
                         .n = UINT64_C(1) << work->log_n};
    memcpy(op.root, work->root, sizeof(op.root));
    if (way == MEMORY) {
        op.kind = PAIL_VECTOR_OP_NTT_AT;
        op.curve = PAIL_CURVE_BN254;
        op.r = NULL;
        op.a = NULL;
        op.address = work->in_address;
        op.to_address = work->out_address;
    }
    for (int i = 0; i < work->calls; i++)
        ops[i] = op;
    pail_pending *pending = NULL;
    check(pail.api->vector_start(pail.context, &pending, ops, (size_t)work->calls), "vector_start");
    check(pail.api->vector_finish(&pending, NULL), "vector_finish");
}

static void compare_values(const struct transform *work, const pail_memory *out, uint8_t *got,
                           uint8_t *wanted)
{
    const size_t n = (size_t)1 << work->log_n;
    check(pail.api->vector_read(work->y, wanted, 0, n, PAIL_ENCODING_CANONICAL), "vector_read");
    check_icicle(icicle_copy_to_host(got, work->out, 32 * n), "icicle_copy_to_host");
    if (memcmp(got, wanted, 32 * n) != 0)
        stop("ntt", "the values through ICICLE are others than Pail's");
    if (!out)
        return;
    check(pail.api->memory_read(out, got, 0, 32 * n), "memory_read");
    if (memcmp(got, wanted, 32 * n) != 0)
        stop("ntt", "the values in memory are others than in vectors");
}

static void bench_transforms(uint32_t log_n)
{
    const struct pail_curve_ops *const ops = pail_curve_ops(PAIL_CURVE_BN254, PAIL_G1);
    const size_t n = (size_t)1 << log_n;
    struct transform work = {.log_n = log_n};
    pail_memory *in = NULL, *out = NULL;
    uint8_t *const elements = host_memory(32 * n), *const values = host_memory(32 * n);
    check_icicle(bn254_get_root_of_unity_from_domain(log_n, work.root), "root");
    pail_make_scalars(ops, elements, n, PAIL_SCALARS_UNIFORM, 3);
    work.in = icicle_memory(elements, 32 * n);
    work.out = icicle_memory(NULL, 32 * n);
    check_icicle(icicle_create_stream(&work.stream), "icicle_create_stream");
    work.x = vector_of(PAIL_CURVE_BN254, elements, n);
    work.y = vector_of(PAIL_CURVE_BN254, NULL, n);
    if (pail.addresses) {
        in = pail_memory_of(elements, 32 * n, &work.in_address);
        out = pail_memory_of(NULL, 32 * n, &work.out_address);
    }
    for (int i = 0; i < 4; i++) {
        double medians[WAYS];
        work.reversed = i % 2;
        work.calls = i < 2 ? 1 : CALLS;
        measure(run_transform, &work, medians);
        compare_values(&work, out, elements, values);
        print_row(work.reversed ? "ntt bn254 NR" : "ntt bn254 NN", log_n, work.calls, medians);
    }
    if (pail.addresses) {
        pail.api->memory_destroy(pail.context, &in);
        pail.api->memory_destroy(pail.context, &out);
    }
    pail.api->vector_destroy(pail.context, &work.x);
    pail.api->vector_destroy(pail.context, &work.y);
    check_icicle(icicle_destroy_stream(work.stream), "icicle_destroy_stream");
    check_icicle(icicle_free(work.in), "icicle_free");
    check_icicle(icicle_free(work.out), "icicle_free");
    free(elements);
    free(values);
}

/* ---- The program ----------------------------------------------------------------------------- */

/* Opens the device on both sides, with one domain for all sizes. */
static void open_sides(uint32_t log_max)
{
    const pail_context_params params = {.struct_size = sizeof(params), .device = PAIL_DEVICE_BEST};
    const NTTInitDomainConfig domain = {0};
    const char *const wanted = getenv("PAIL_BACKEND");
    pail_device_info info = {.struct_size = sizeof(info)};
    Device device = {.type = "VULKAN"}; /* the device 0 is the best one */
    char error[512];
    uint8_t root[32];
    if (wanted && !strcmp(wanted, PAIL_CPU_NAME))
        (void)snprintf(device.type, sizeof(device.type), "CPU");
    if (pail_registry_create(&pail.registry, NULL, error, sizeof(error)) != PAIL_OK ||
        pail_registry_find(pail.registry, &pail.api,
                           strcmp(device.type, "CPU") ? "vulkan" : PAIL_CPU_NAME, error,
                           sizeof(error)) != PAIL_OK)
        stop("registry", error);
    check(pail.api->context_create(pail_registry_host(pail.registry), &pail.context, &params),
          "context_create");
    check(pail.api->context_device(pail.context, &info), "context_device");
    pail.addresses = (info.features & PAIL_FEATURE_DEVICE_ADDRESS) != 0;
    check_icicle(icicle_set_device(&device), "icicle_set_device");
    const pail_u256 value = field_root(pail_curve_ops(PAIL_CURVE_BN254, PAIL_G1), log_max);
    pail_u256_to_bytes(root, &value);
    check_icicle(bn254_ntt_init_domain(root, &domain), "ntt_init_domain");
    (void)printf("%s, %s; ICICLE's device %s %d\n%-18s  %-4s %6s %11s %11s %11s %7s  target\n",
                 info.name, info.driver, device.type, device.id, "milliseconds", "n", "calls",
                 "ICICLE", "vectors", "memory", "ratio");
}

int main(int argc, char **argv)
{
    const long from = argc == 3 ? strtol(argv[1], NULL, 10) : 16;
    const long to = argc == 3 ? strtol(argv[2], NULL, 10) : 22;
    if ((argc != 1 && argc != 3) || from < 1 || to > 24 || from > to) {
        (void)fprintf(stderr, "usage: bench_icicle [LOG2_MIN LOG2_MAX], 1 to 24\n");
        return 64;
    }
    open_sides((uint32_t)to);
    for (long log_n = from; log_n <= to; log_n += 2)
        for (size_t i = 0; i < sizeof(curves) / sizeof(curves[0]); i++)
            bench_multiplication(&curves[i], (uint32_t)log_n);
    for (long log_n = from; log_n <= to; log_n += 2)
        bench_transforms((uint32_t)log_n);
    pail_icicle_close();
    pail.api->context_destroy(&pail.context);
    pail_registry_destroy(&pail.registry);
    return 0;
}
