/* SPDX-License-Identifier: Apache-2.0 */
/* The same work through ICICLE's functions and through Pail's own interface, in turns in one
 * process: what a host pays for keeping its calls of ICICLE, or how fast ICICLE itself is.
 *
 *   bench_icicle [-l FOLDER] [-d TYPE] [-w BITS] [-t MS] [LOG2_MIN LOG2_MAX]
 *
 * 16 and 22; every second size is measured. FOLDER: libraries of ICICLE 4.0, or of 3.0 to 3.9, by
 * ICICLE's names; default: those of Pail. TYPE: ICICLE's device, such as CUDA; default: VULKAN, or
 * CPU. BITS: of ICICLE's windows; default: its own choice. MS: for the rounds of a row, 2000.
 * ICICLE looks for its backends where ICICLE_BACKEND_INSTALL_DIR says.
 *
 * Pail's backend is the one that PAIL_BACKEND requests, the Vulkan plugin if it requests none.
 * Columns are the median of the rounds in milliseconds by the host's clock: through ICICLE, through
 * Pail with scalars in vectors, and through Pail with scalars in memory at an address. "ratio" is
 * ICICLE's time by the smaller one of Pail's. "calls" is the number of transforms: calls in one
 * stream that is waited for at the end, beside as many starts of Pail, and beside one start with as
 * many operations.
 *
 * Multiplications have scalars and points on the device, and their sum in the host. Points are
 * registered before the first round, except ICICLE's on the CPU backend, which registers them in
 * each call. No row is printed unless all results are equal. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <curves/inputs.h>
#include <pail/pail.h>
#include <platform/clock.h>

#include "field/gpu_support.h"
#include "hooks/icicle.h"
#include "support/moved.h"

enum { ROUNDS_MIN = 5, ROUNDS_MAX = 51, CALLS = 8, WIDEST = 48 };

/* The time of the rounds of one row. A fifth is for the calls before them, in which the clock
 * rises. */
static double rounds_ms = 2000;

enum way { ICICLE, VECTORS, MEMORY, WAYS };

/* ICICLE's side. */
static struct {
    int (*set_device)(const Device *device);
    int (*load_backend)(void);
    int (*malloc)(void **pointer, size_t size);
    int (*free)(void *pointer);
    int (*copy_to_device)(void *to, const void *from, size_t size);
    int (*copy_to_host)(void *to, const void *from, size_t size);
    int (*create_stream)(void **stream);
    int (*destroy_stream)(void *stream);
    int (*synchronize)(void *stream);
    int (*ntt)(const void *in, int n, int direction, const NTTConfig *config, void *out);
    int (*init_domain)(const void *root, const NTTInitDomainConfig *config);
    const char *(*error)(void); /* of Pail's libraries alone, as close is */
    void (*close)(void);
    const char *type; /* of the device; NULL: Pail's */
    int window;
} icicle;

static struct curve {
    uint32_t curve;
    int (*msm)(const void *scalars, const void *points, int n, const MSMConfig *config, void *out);
    void (*to_affine)(const void *p, void *r);
} curves[] = {{.curve = PAIL_CURVE_BN254}, {.curve = PAIL_CURVE_BLS12_381}};

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
    char text[48];
    (void)snprintf(text, sizeof(text), "ICICLE's status %d", status);
    if (status != SUCCESS)
        stop(what, icicle.error ? icicle.error() : text);
}

/* Puts the address of a function where a pointer to it is; NULL without one that may be missing. */
static void find(void *library, const char *name, void *to, bool may_be_missing)
{
    void *const function = dlsym(library, name);
    if (!function && !may_be_missing)
        stop("a library of ICICLE", dlerror());
    memcpy(to, &function, sizeof(function));
}

/* Each library needs those before it. */
static void open_icicle(const char *folder)
{
    enum { DEVICE, FIELD, CURVE, FIELD_381, CURVE_381, LIBRARIES };
    static const char *const names[LIBRARIES] = {"device", "field_bn254", "curve_bn254",
                                                 "field_bls12_381", "curve_bls12_381"};
    void *libraries[LIBRARIES];
    for (int i = 0; i < LIBRARIES; i++) {
        char path[4096];
        if (snprintf(path, sizeof(path), "%s/libicicle_%s.so", folder, names[i]) >=
            (int)sizeof(path))
            stop("a library of ICICLE", "the folder's name is too long");
        libraries[i] = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        if (!libraries[i])
            stop("a library of ICICLE", dlerror());
    }
    const struct {
        int library;
        const char *name;
        void *to;
    } functions[] = {
        {DEVICE, "icicle_set_device", &icicle.set_device},
        {DEVICE, "icicle_load_backend_from_env_or_default", &icicle.load_backend},
        {DEVICE, "icicle_malloc", &icicle.malloc},
        {DEVICE, "icicle_free", &icicle.free},
        {DEVICE, "icicle_copy_to_device", &icicle.copy_to_device},
        {DEVICE, "icicle_copy_to_host", &icicle.copy_to_host},
        {DEVICE, "icicle_create_stream", &icicle.create_stream},
        {DEVICE, "icicle_destroy_stream", &icicle.destroy_stream},
        {DEVICE, "icicle_stream_synchronize", &icicle.synchronize},
        {FIELD, "bn254_ntt", &icicle.ntt},
        {FIELD, "bn254_ntt_init_domain", &icicle.init_domain},
        {CURVE, "bn254_msm", &curves[0].msm},
        {CURVE, "bn254_to_affine", &curves[0].to_affine},
        {CURVE_381, "bls12_381_msm", &curves[1].msm},
        {CURVE_381, "bls12_381_to_affine", &curves[1].to_affine},
    };
    for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
        find(libraries[functions[i].library], functions[i].name, functions[i].to, false);
    find(libraries[DEVICE], "pail_icicle_error", &icicle.error, true);
    find(libraries[DEVICE], "pail_icicle_close", &icicle.close, true);
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
    check_icicle(icicle.malloc(&pointer, n_bytes), "icicle_malloc");
    if (bytes)
        check_icicle(icicle.copy_to_device(pointer, bytes, n_bytes), "icicle_copy_to_device");
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
    (void)run_rounds(run, work, 2, rounds_ms / 5, times);
    const int n = run_rounds(run, work, ROUNDS_MIN, rounds_ms, times);
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
    (void)printf("%-21s  2^%-2u %6d %11.4f %11.4f ", name, log_n, calls, medians[ICICLE],
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
                                  .c = icicle.window,
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
    check_icicle(icicle.free(work.points), "icicle_free");
    check_icicle(icicle.free(work.scalars), "icicle_free");
    free(points);
    free(scalars);
}

/* ---- Transforms ------------------------------------------------------------------------------ */

struct transform {
    uint32_t log_n;
    int calls, starts;
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
        check_icicle(icicle.ntt(work->in, 1 << work->log_n, 0, &config, work->out), "ntt");
    check_icicle(icicle.synchronize(work->stream), "icicle_stream_synchronize");
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
    pail_pending *pending[CALLS] = {NULL};
    for (int i = 0; i < work->starts; i++)
        check(pail.api->vector_start(pail.context, &pending[i], ops,
                                     (size_t)(work->calls / work->starts)),
              "vector_start");
    for (int i = 0; i < work->starts; i++)
        check(pail.api->vector_finish(&pending[i], NULL), "vector_finish");
}

static void compare_values(const struct transform *work, const pail_memory *out, uint8_t *got,
                           uint8_t *wanted)
{
    const size_t n = (size_t)1 << work->log_n;
    check(pail.api->vector_read(work->y, wanted, 0, n, PAIL_ENCODING_CANONICAL), "vector_read");
    check_icicle(icicle.copy_to_host(got, work->out, 32 * n), "icicle_copy_to_host");
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
    const pail_u256 root = field_root(ops, log_n);
    pail_u256_to_bytes(work.root, &root);
    pail_make_scalars(ops, elements, n, PAIL_SCALARS_UNIFORM, 3);
    work.in = icicle_memory(elements, 32 * n);
    work.out = icicle_memory(NULL, 32 * n);
    check_icicle(icicle.create_stream(&work.stream), "icicle_create_stream");
    work.x = vector_of(PAIL_CURVE_BN254, elements, n);
    work.y = vector_of(PAIL_CURVE_BN254, NULL, n);
    if (pail.addresses) {
        in = pail_memory_of(elements, 32 * n, &work.in_address);
        out = pail_memory_of(NULL, 32 * n, &work.out_address);
    }
    for (int i = 0; i < 6; i++) {
        double medians[WAYS];
        char name[32];
        work.reversed = i % 2;
        work.calls = i < 2 ? 1 : CALLS;
        work.starts = i < 4 ? work.calls : 1;
        measure(run_transform, &work, medians);
        compare_values(&work, out, elements, values);
        (void)snprintf(name, sizeof(name), "ntt bn254 %s%s", work.reversed ? "NR" : "NN",
                       work.starts < work.calls ? ", 1 start" : "");
        print_row(name, log_n, work.calls, medians);
    }
    if (pail.addresses) {
        pail.api->memory_destroy(pail.context, &in);
        pail.api->memory_destroy(pail.context, &out);
    }
    pail.api->vector_destroy(pail.context, &work.x);
    pail.api->vector_destroy(pail.context, &work.y);
    check_icicle(icicle.destroy_stream(work.stream), "icicle_destroy_stream");
    check_icicle(icicle.free(work.in), "icicle_free");
    check_icicle(icicle.free(work.out), "icicle_free");
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
    if (icicle.type) {
        (void)snprintf(device.type, sizeof(device.type), "%s", icicle.type);
        check_icicle(icicle.load_backend(), "icicle_load_backend_from_env_or_default");
    }
    check_icicle(icicle.set_device(&device), "icicle_set_device");
    const pail_u256 value = field_root(pail_curve_ops(PAIL_CURVE_BN254, PAIL_G1), log_max);
    pail_u256_to_bytes(root, &value);
    check_icicle(icicle.init_domain(root, &domain), "ntt_init_domain");
    (void)printf("%s, %s; ICICLE's device %s %d\n%-21s  %-4s %6s %11s %11s %11s %7s  target\n",
                 info.name, info.driver, device.type, device.id, "milliseconds", "n", "calls",
                 "ICICLE", "vectors", "memory", "ratio");
}

int main(int argc, char **argv)
{
    struct test_path folder = test_path(PAIL_BENCH_ICICLE);
    const char *libraries = folder.text;
    bool wrong = false;
    for (int letter; (letter = getopt(argc, argv, "l:d:w:t:")) != -1;) {
        libraries = letter == 'l' ? optarg : libraries;
        icicle.type = letter == 'd' ? optarg : icicle.type;
        icicle.window = letter == 'w' ? (int)strtol(optarg, NULL, 10) : icicle.window;
        rounds_ms = letter == 't' ? strtod(optarg, NULL) : rounds_ms;
        wrong |= letter == '?';
    }
    const int words = argc - optind;
    const long from = words == 2 ? strtol(argv[optind], NULL, 10) : 16;
    const long to = words == 2 ? strtol(argv[optind + 1], NULL, 10) : 22;
    if (wrong || (words != 0 && words != 2) || from < 1 || to > 26 || from > to ||
        icicle.window < 0) {
        (void)fprintf(stderr, "usage: bench_icicle [-l FOLDER] [-d TYPE] [-w BITS] [-t MS] "
                              "[LOG2_MIN LOG2_MAX], 1 to 26\n");
        return 64;
    }
    open_icicle(libraries);
    open_sides((uint32_t)to);
    for (long log_n = from; log_n <= to; log_n += 2)
        for (size_t i = 0; i < sizeof(curves) / sizeof(curves[0]); i++)
            bench_multiplication(&curves[i], (uint32_t)log_n);
    for (long log_n = from; log_n <= to; log_n += 2)
        bench_transforms((uint32_t)log_n);
    if (icicle.close)
        icicle.close();
    pail.api->context_destroy(&pail.context);
    pail_registry_destroy(&pail.registry);
    return 0;
}
