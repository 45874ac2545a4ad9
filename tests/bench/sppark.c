/* SPDX-License-Identifier: Apache-2.0 */
/* Multiplications in BLS12-381 G1 of a library of sppark, as rust-kzg's blst-sppark exports them
 * (prepare_msm, mult_pippenger_prepared), and of Pail, in turns in one process.
 *
 *   bench_sppark LIBRARY [LOG2_MIN LOG2_MAX]      16 and 22; every second size is measured
 *
 * Pail's backend is the one that PAIL_BACKEND requests, or the best one. Points stay on the device.
 * Scalars are in host memory on both sides, for sppark's function takes no others. Columns are
 * medians of the rounds in milliseconds by the host's clock, and sppark's time by Pail's. No row is
 * printed unless the sums are equal. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <curves/curve_ops.h>
#include <curves/inputs.h>
#include <pail/pail.h>
#include <platform/clock.h>

enum { ROUNDS = 9, POINT = 96, SCALAR = 32, LOG2_MAX = 26 };

struct rust_error {
    int code;
    char *message;
};

static struct {
    void *(*prepare)(const void *points, size_t n);
    struct rust_error (*multiply)(void *prepared, void *sum, size_t n, const void *scalars);
    void (*drop)(void *prepared); /* of Pail's library alone, as close is */
    void (*close)(void);
} sppark;

static struct {
    pail_registry *registry;
    const pail_backend *api;
    pail_context *context;
} pail;

static const struct pail_curve_ops *ops;

static void stop(const char *what, const char *why)
{
    (void)fprintf(stderr, "bench_sppark: %s: %s\n", what, why ? why : "it failed");
    exit(1);
}

static void check(pail_status status, const char *what)
{
    if (status != PAIL_OK)
        stop(what, pail.api->error(pail.context));
}

static void open_sides(const char *path)
{
    const pail_context_params params = {.struct_size = sizeof(params), .device = PAIL_DEVICE_BEST};
    pail_device_info info = {.struct_size = sizeof(info)};
    char error[512];
    void *const library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        stop("the library", dlerror());
    const struct {
        const char *name;
        void *to;
        bool may_be_missing;
    } functions[] = {{"prepare_msm", &sppark.prepare, false},
                     {"mult_pippenger_prepared", &sppark.multiply, false},
                     {"pail_hooks_drop_msm", &sppark.drop, true},
                     {"pail_hooks_close", &sppark.close, true}};
    for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
        void *const function = dlsym(library, functions[i].name);
        if (!function && !functions[i].may_be_missing)
            stop("the library", dlerror());
        memcpy(functions[i].to, &function, sizeof(function));
    }
    if (pail_registry_create(&pail.registry, NULL, error, sizeof(error)) != PAIL_OK ||
        pail_registry_find(pail.registry, &pail.api, getenv("PAIL_BACKEND"), error,
                           sizeof(error)) != PAIL_OK)
        stop("registry", error);
    check(pail.api->context_create(pail_registry_host(pail.registry), &pail.context, &params),
          "context_create");
    check(pail.api->context_device(pail.context, &info), "context_device");
    (void)printf("%s, %s\n%-20s %10s %10s %7s\n", info.name, info.driver, "milliseconds", "sppark",
                 "Pail", "ratio");
}

/* The sum of sppark: x, y and z in Montgomery form. */
static void their_sum(void *prepared, const uint8_t *scalars, size_t n, uint8_t sum[3 * POINT / 2])
{
    const struct rust_error error = sppark.multiply(prepared, sum, n, scalars);
    if (error.code != 0)
        stop("mult_pippenger_prepared", error.message);
}

static void our_sum(const pail_bases *bases, const uint8_t *scalars, size_t n,
                    pail_msm_result *result)
{
    const pail_msm_job job = {.struct_size = sizeof(job),
                              .bases = bases,
                              .n = n,
                              .scalars = scalars,
                              .scalar_encoding = PAIL_ENCODING_MONTGOMERY};
    pail_pending *pending = NULL;
    *result = (pail_msm_result){.struct_size = sizeof(*result)};
    check(pail.api->msm_start(pail.context, &pending, &job, 1, NULL), "msm_start");
    check(pail.api->msm_finish(&pending, result, 1, NULL), "msm_finish");
}

static bool are_equal(const uint8_t *theirs, const pail_msm_result *ours)
{
    pail_point affine; /* large enough for an affine one */
    uint8_t encoded[POINT];
    if (ops->decode_jacobian(&affine, &theirs, 1) != 1)
        return false;
    ops->encode(encoded, &affine, false);
    return memcmp(encoded, ours->x, POINT / 2) == 0 &&
           memcmp(encoded + POINT / 2, ours->y, POINT / 2) == 0;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void bench(uint32_t log_n)
{
    const size_t n = (size_t)1 << log_n;
    double theirs_ms[ROUNDS], ours_ms[ROUNDS];
    uint8_t sum[3 * POINT / 2];
    pail_msm_result result;
    pail_bases *bases = NULL;
    uint8_t *const points = malloc(POINT * n), *const scalars = malloc(SCALAR * n);
    if (!points || !scalars)
        stop("host memory", "there is not enough");
    pail_make_bases(ops, points, true, 0, n, PAIL_BASES_DISTINCT, 1);
    /* Below r, and so elements in Montgomery form as well. */
    pail_make_scalars(ops, scalars, n, PAIL_SCALARS_UNIFORM, 2);
    const pail_bases_desc desc = {.struct_size = sizeof(desc),
                                  .curve = PAIL_CURVE_BLS12_381,
                                  .group = PAIL_G1,
                                  .encoding = PAIL_ENCODING_MONTGOMERY,
                                  .points = points,
                                  .n_points = n};
    check(pail.api->bases_create(pail.context, &bases, NULL, &desc), "bases_create");
    void *const prepared = sppark.prepare(points, n);
    if (!prepared)
        stop("prepare_msm", NULL);
    for (int i = 0; i <= ROUNDS; i++) { /* the first one is not timed */
        const double begin = pail_now_ms();
        their_sum(prepared, scalars, n, sum);
        const double middle = pail_now_ms();
        our_sum(bases, scalars, n, &result);
        if (i > 0) {
            theirs_ms[i - 1] = middle - begin;
            ours_ms[i - 1] = pail_now_ms() - middle;
        }
        if (!are_equal(sum, &result))
            stop("msm", "the sums differ");
    }
    qsort(theirs_ms, ROUNDS, sizeof(double), ascending);
    qsort(ours_ms, ROUNDS, sizeof(double), ascending);
    (void)printf("msm %-10s  2^%-2u %10.3f %10.3f %7.2f\n", ops->curve_name, log_n,
                 theirs_ms[ROUNDS / 2], ours_ms[ROUNDS / 2],
                 theirs_ms[ROUNDS / 2] / ours_ms[ROUNDS / 2]);
    (void)fflush(stdout);
    if (sppark.drop)
        sppark.drop(prepared);
    pail.api->bases_destroy(pail.context, &bases);
    free(points);
    free(scalars);
}

int main(int argc, char **argv)
{
    const long from = argc == 4 ? strtol(argv[2], NULL, 10) : 16;
    const long to = argc == 4 ? strtol(argv[3], NULL, 10) : 22;
    if ((argc != 2 && argc != 4) || from < 1 || to > LOG2_MAX || from > to) {
        (void)fprintf(stderr, "usage: bench_sppark LIBRARY [LOG2_MIN LOG2_MAX], 1 to %d\n",
                      LOG2_MAX);
        return 64;
    }
    ops = pail_curve_ops(PAIL_CURVE_BLS12_381, PAIL_G1);
    open_sides(argv[1]);
    for (long log_n = from; log_n <= to; log_n += 2)
        bench((uint32_t)log_n);
    if (sppark.close)
        sppark.close();
    pail.api->context_destroy(&pail.context);
    pail_registry_destroy(&pail.registry);
    return 0;
}
