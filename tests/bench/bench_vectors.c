/* SPDX-License-Identifier: Apache-2.0 */
/* Times of transforms over a scalar field on a device, data there before and after: of one alone,
 * and of one in a chain of as many as take some milliseconds, where the device does not wait for
 * the host between them. Each is the median of 5, by the device's timestamps.
 *
 * No time is printed unless results are right: one value of the transform is computed by Horner's
 * scheme at its point, and the inverse gives back what there was.
 *
 * With `first` for sizes: what the first call of a context takes by the host's clock, and the
 * second one. The first has the self-test, of more or of fewer elements; each context has one kind
 * of call. Pipelines are there, from a context before.
 *
 * With `points`: transforms of points, projective ones at addresses, a batch in a call: the least
 * of 5. On the CPU backend (PLUGIN cpu) by one thread, and beside it as many multiplications of
 * points as the transform has butterflies, by double and add.
 *
 * usage: bench_vectors PLUGIN CURVE LOG_FROM LOG_TO STEP      CURVE: bn254 or bls12_381
 *        bench_vectors PLUGIN CURVE first
 *        bench_vectors PLUGIN CURVE points LOG_N BATCH */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pail/backend.h>

#include <cpu/cpu.h>
#include <curves/inputs.h>
#include <curves/scalar.h>
#include <platform/clock.h>

#include "field/gpu_support.h"

enum { ROUNDS = 5, CHAIN_MAX = 256 };

#define CHAIN_MS 3.0

/* Time for which a device works before it is timed: its clock is low after the host has checked. */
#define WARM_MS 400.0

struct bench {
    const pail_backend *api;
    pail_context *context;
    const struct pail_curve_ops *ops;
    uint32_t log_n;
    pail_u256 root, shift;
    pail_vector *x, *y;
    uint8_t *input, *output; /* [n] */
    bool on_cpu;             /* by one thread */
};

static void check(const struct bench *b, pail_status status)
{
    if (status == PAIL_OK)
        return;
    (void)fprintf(stderr, "status %d: %s\n", (int)status, b->api->error(b->context));
    exit(1);
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static pail_vector_op op_of(const struct bench *b, uint32_t kind, bool reversed, bool shifted)
{
    pail_vector_op op = {
        .struct_size = sizeof(op),
        .kind = kind,
        .flags = reversed ? PAIL_VECTOR_OP_BIT_REVERSED : 0,
        .log_n = b->log_n,
        .r = b->y,
        .a = b->x,
        .n = UINT64_C(1) << b->log_n,
    };
    pail_u256_to_bytes(op.root, &b->root);
    if (shifted)
        pail_u256_to_bytes(op.shift, &b->shift);
    return op;
}

/* Device milliseconds of `n` times the operation in one start. */
static double run(const struct bench *b, const pail_vector_op *op, size_t n)
{
    pail_vector_op ops[CHAIN_MAX];
    pail_pending *pending = NULL;
    pail_stats stats = {.struct_size = sizeof(stats)};
    for (size_t i = 0; i < n; i++)
        ops[i] = *op;
    check(b, b->api->vector_start(b->context, &pending, ops, n));
    check(b, b->api->vector_finish(&pending, &stats));
    return stats.device_ms;
}

static double median(const struct bench *b, const pail_vector_op *op, size_t n)
{
    double ms[ROUNDS];
    for (int i = 0; i < ROUNDS; i++)
        ms[i] = run(b, op, n) / (double)n;
    qsort(ms, ROUNDS, sizeof(*ms), ascending);
    return ms[ROUNDS / 2];
}

static void fail(const struct bench *b, const char *what)
{
    (void)fprintf(stderr, "2^%u: %s is wrong\n", b->log_n, what);
    exit(1);
}

/* There and back, and one value of it. */
static void verify(const struct bench *b, bool reversed, bool shifted)
{
    const uint64_t n = UINT64_C(1) << b->log_n, k = 12345 & (n - 1);
    const uint32_t place = reversed ? field_reverse((uint32_t)k, b->log_n) : (uint32_t)k;
    pail_vector_op op = op_of(b, PAIL_VECTOR_OP_NTT, reversed, shifted);
    pail_u256 point = field_pow(b->ops, &b->root, k), value;
    uint8_t got[32], wanted[32];
    if (shifted)
        b->ops->scalar_mul(&point, &point, &b->shift);
    (void)run(b, &op, 1);
    check(b, b->api->vector_read(b->y, got, place, 1, PAIL_ENCODING_CANONICAL));
    value = field_value(b->ops, b->input, n, &point);
    pail_u256_to_bytes(wanted, &value);
    if (memcmp(got, wanted, 32) != 0)
        fail(b, "a value");
    op = op_of(b, PAIL_VECTOR_OP_INTT, reversed, shifted);
    op.a = b->y;
    (void)run(b, &op, 1);
    check(b, b->api->vector_read(b->y, b->output, 0, n, PAIL_ENCODING_CANONICAL));
    if (memcmp(b->input, b->output, 32 * n) != 0)
        fail(b, "the inverse of the transform");
}

static void measure(const struct bench *b, const char *name, uint32_t kind, bool reversed,
                    bool shifted)
{
    const pail_vector_op op = op_of(b, kind, reversed, shifted);
    double one = 0;
    for (double all = 0; all < WARM_MS; all += one * CHAIN_MAX / 8)
        one = run(b, &op, CHAIN_MAX / 8) / (CHAIN_MAX / 8);
    size_t n = one > 0 ? (size_t)(CHAIN_MS / one) + 1 : 1;
    n = n > CHAIN_MAX ? CHAIN_MAX : n;
    const double chained = median(b, &op, n), alone = median(b, &op, 1);
    (void)printf("2^%-2u  %-22s %10.4f %10.4f\n", b->log_n, name, chained, alone);
    (void)fflush(stdout);
}

static void bench_size(struct bench *b)
{
    const uint64_t n = UINT64_C(1) << b->log_n;
    b->root = field_root(b->ops, b->log_n);
    b->shift = (pail_u256){{7, 0, 0, 0}};
    b->input = malloc(32 * n);
    b->output = malloc(32 * n);
    if (!b->input || !b->output) {
        (void)fprintf(stderr, "no memory for 2^%u elements\n", b->log_n);
        exit(1);
    }
    pail_make_scalars(b->ops, b->input, n, PAIL_SCALARS_UNIFORM, b->log_n);
    check(b, b->api->vector_create(b->context, &b->x, b->ops->curve, n));
    check(b, b->api->vector_create(b->context, &b->y, b->ops->curve, n));
    check(b, b->api->vector_write(b->x, 0, b->input, n, PAIL_ENCODING_CANONICAL));
    for (int i = 0; i < 4; i++)
        verify(b, i & 1, i & 2);
    measure(b, "forward", PAIL_VECTOR_OP_NTT, false, false);
    measure(b, "forward, bit-reversed", PAIL_VECTOR_OP_NTT, true, false);
    measure(b, "inverse", PAIL_VECTOR_OP_INTT, false, false);
    measure(b, "inverse, bit-reversed", PAIL_VECTOR_OP_INTT, true, false);
    measure(b, "forward, coset", PAIL_VECTOR_OP_NTT, false, true);
    measure(b, "inverse, coset", PAIL_VECTOR_OP_INTT, false, true);
    b->api->vector_destroy(b->context, &b->x);
    b->api->vector_destroy(b->context, &b->y);
    free(b->input);
    free(b->output);
}

static void open_context(struct bench *b, const pail_host *host)
{
    const pail_context_params params = {
        .struct_size = sizeof(params), .device = PAIL_DEVICE_BEST, .threads = b->on_cpu};
    check(b, b->api->context_create(host, &b->context, &params));
}

/* The inverse, twice, brings back what a vector had before two transforms of it. */
static void take_back(struct bench *b, pail_vector_op op, size_t n)
{
    op.kind = PAIL_VECTOR_OP_INTT;
    (void)run(b, &op, 1);
    (void)run(b, &op, 1);
    check(b, b->api->vector_read(b->x, b->output, 0, n, PAIL_ENCODING_CANONICAL));
    if (memcmp(b->input, b->output, 32 * n) != 0)
        fail(b, "the inverse of the transform");
}

/* A call of 2^log_all elements in transforms of 2^log_n, twice, in a context of its own. */
static void bench_first(struct bench *b, const pail_host *host, uint32_t log_n, uint32_t log_all)
{
    const uint64_t n = UINT64_C(1) << log_all;
    double first[ROUNDS], second[ROUNDS];
    b->input = calloc((size_t)n, 32);
    b->output = calloc((size_t)n, 32);
    if (b->input == NULL || b->output == NULL)
        exit(1);
    pail_make_scalars(b->ops, b->input, (size_t)n, PAIL_SCALARS_UNIFORM, log_n);
    for (int round = -1; round < ROUNDS; round++) {
        open_context(b, host);
        b->log_n = log_n;
        b->root = field_root(b->ops, log_n);
        check(b, b->api->vector_create(b->context, &b->x, b->ops->curve, n));
        check(b, b->api->vector_write(b->x, 0, b->input, n, PAIL_ENCODING_CANONICAL));
        b->y = b->x;
        pail_vector_op op = op_of(b, PAIL_VECTOR_OP_NTT, false, false);
        op.n = n;
        const double begun = pail_now_ms();
        (void)run(b, &op, 1);
        const double between = pail_now_ms();
        (void)run(b, &op, 1);
        if (round >= 0) {
            first[round] = between - begun;
            second[round] = pail_now_ms() - between;
        }
        take_back(b, op, (size_t)n);
        b->api->vector_destroy(b->context, &b->x);
        b->api->context_destroy(&b->context);
    }
    qsort(first, ROUNDS, sizeof(*first), ascending);
    qsort(second, ROUNDS, sizeof(*second), ascending);
    (void)printf("2^%-2u  of 2^%-2u  first %10.3f  second %10.3f\n", log_all, log_n,
                 first[ROUNDS / 2], second[ROUNDS / 2]);
    free(b->input);
    free(b->output);
}

static void bench_firsts(struct bench *b, const pail_host *host)
{
    static const uint32_t sizes[][2] = {{9, 9}, {11, 11}, {11, 16}, {11, 17}, {10, 17}, {20, 20}};
    b->api->context_destroy(&b->context);
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
        bench_first(b, host, sizes[i][0], sizes[i][1]);
}

/* ---- Points ---------------------------------------------------------------------------------- */
static const struct pail_point_encoding projective = {.coordinates = 3};

static bool is_multiple(const struct bench *b, const uint8_t *point, const pail_u256 *k)
{
    pail_affine affine;
    pail_point want, got;
    b->ops->generator(&affine);
    b->ops->from_affine(&want, &affine);
    b->ops->mul(&want, &want, k);
    b->ops->load_points(&affine, point, 1, projective);
    b->ops->from_affine(&got, &affine);
    return b->ops->equal(&want, &got);
}

/* Point i of a sequence is i + 1 times G, so that value 1 of its transform is known. */
static void check_points(struct bench *b, pail_memory *memory, pail_vector_op op, size_t of_point)
{
    const size_t n = (size_t)1 << op.log_n;
    pail_u256 value = pail_scalar_of(0);
    for (size_t j = n; j-- > 0;) {
        const pail_u256 number = pail_scalar_of(j + 1);
        b->ops->scalar_mul(&value, &value, &b->root);
        b->ops->scalar_add(&value, &value, &number);
    }
    (void)run(b, &op, 1);
    check(b, b->api->memory_read(memory, b->output, op.n * of_point, op.n * of_point));
    if (n > 1 && !is_multiple(b, b->output + (op.n - n + 1) * of_point, &value))
        fail(b, "a transform of points");
    op.kind = PAIL_VECTOR_OP_POINTS_INTT;
    op.address = op.to_address;
    (void)run(b, &op, 1);
    check(b, b->api->memory_read(memory, b->output, op.n * of_point, op.n * of_point));
    const pail_u256 last = pail_scalar_of(n);
    if (!is_multiple(b, b->output + (op.n - 1) * of_point, &last))
        fail(b, "the inverse of a transform of points");
}

/* Milliseconds of n multiplications, from those of a few. */
static double multiplications(const struct bench *b, double n)
{
    enum { FEW = 200 };
    pail_affine affine;
    pail_point point;
    uint8_t bytes[32 * FEW];
    b->ops->generator(&affine);
    b->ops->from_affine(&point, &affine);
    pail_make_scalars(b->ops, bytes, FEW, PAIL_SCALARS_UNIFORM, 1);
    const double begun = pail_now_ms();
    for (size_t i = 0; i < FEW; i++) {
        pail_u256 k;
        pail_u256_from_bytes(&k, bytes + 32 * i);
        b->ops->mul(&point, &point, &k);
    }
    return (pail_now_ms() - begun) * n / FEW;
}

static void bench_points(struct bench *b, uint32_t log_n, uint64_t batch)
{
    static const uint32_t kinds[] = {PAIL_VECTOR_OP_POINTS_NTT, PAIL_VECTOR_OP_POINTS_INTT};
    const uint64_t n = batch << log_n;
    const size_t of_point = 3 * b->ops->coordinate_bytes;
    pail_memory_info info = {.struct_size = sizeof(info)};
    pail_memory *memory = NULL;
    b->log_n = log_n;
    b->root = field_root(b->ops, log_n);
    b->input = calloc((size_t)n, 2 * of_point);
    b->output = calloc((size_t)n, of_point);
    if (!b->input || !b->output)
        exit(1);
    uint8_t *const affine = b->input + n * of_point;
    pail_make_bases(b->ops, affine, false, 0, (size_t)1 << log_n, PAIL_BASES_MULTIPLES, 1);
    for (uint64_t i = 0; i < n; i++) {
        pail_affine point;
        (void)b->ops->decode(
            &point, affine + (i & ((UINT64_C(1) << log_n) - 1)) * 2 * b->ops->coordinate_bytes,
            false);
        b->ops->store_point(b->input + i * of_point, &point, projective);
    }
    check(b,
          b->api->memory_create(b->context, &memory, &info, PAIL_MEMORY_DEVICE, 2 * n * of_point));
    check(b, b->api->memory_write(memory, 0, b->input, n * of_point));
    pail_vector_op op = {.struct_size = sizeof(op),
                         .log_n = log_n,
                         .n = n,
                         .address = info.address,
                         .to_address = info.address + n * of_point,
                         .encoding = PAIL_ENCODING_PROJECTIVE,
                         .to_encoding = PAIL_ENCODING_PROJECTIVE,
                         .curve = b->ops->curve,
                         .group = PAIL_G1};
    pail_u256_to_bytes(op.root, &b->root);
    op.kind = kinds[0];
    check_points(b, memory, op, of_point);
    for (size_t k = 0; k < 2; k++) {
        double least = 1e300, wall = 1e300;
        op.kind = kinds[k];
        for (int round = 0; round <= ROUNDS; round++) {
            const double begun = pail_now_ms(), ms = run(b, &op, 1), all = pail_now_ms() - begun;
            least = ms < least ? ms : least;
            wall = all < wall ? all : wall;
        }
        (void)printf("2^%-2u  %llu of points, %-8s %10.3f %10.3f\n", log_n,
                     (unsigned long long)batch, k ? "inverse" : "forward", least, wall);
    }
    if (b->on_cpu)
        (void)printf("      as many multiplications    %10.3f\n",
                     multiplications(b, (double)n / 2 * log_n));
    b->api->memory_destroy(b->context, &memory);
    free(b->input);
    free(b->output);
}

static void log_line(void *user, pail_log_level level, const char *message)
{
    (void)user;
    (void)level;
    (void)fprintf(stderr, "%s\n", message);
}

static const pail_host host = {.struct_size = sizeof(host),
                               .abi_major = PAIL_ABI_MAJOR,
                               .abi_minor = PAIL_ABI_MINOR,
                               .log = log_line};

static void open_plugin(struct bench *b, const char *path)
{
    pail_status (*open)(const pail_host *, const pail_backend **) = NULL;
    pail_device_info info = {.struct_size = sizeof(info)};
    b->on_cpu = strcmp(path, "cpu") == 0;
    void *library = b->on_cpu ? NULL : dlopen(path, RTLD_NOW | RTLD_LOCAL);
    void *symbol = library ? dlsym(library, PAIL_BACKEND_SYMBOL) : NULL;
    if (!symbol && !b->on_cpu) {
        (void)fprintf(stderr, "%s\n", dlerror());
        exit(1);
    }
    if (symbol)
        memcpy(&open, &symbol, sizeof(open));
    else
        open = pail_cpu_open;
    if (open(&host, &b->api) != PAIL_OK) {
        (void)fprintf(stderr, "%s: not a plugin for this program\n", path);
        exit(1);
    }
    open_context(b, &host);
    check(b, b->api->context_device(b->context, &info));
    (void)printf("%s, %s, %s: milliseconds of a transform in a chain, alone\n", info.name,
                 info.driver, b->ops->curve_name);
}

int main(int argc, char **argv)
{
    struct bench b = {.api = NULL};
    const bool firsts = argc == 4 && strcmp(argv[3], "first") == 0,
               points = argc == 6 && strcmp(argv[3], "points") == 0;
    if (argc == 6 || firsts)
        b.ops = pail_curve_ops(
            strcmp(argv[2], "bls12_381") == 0 ? PAIL_CURVE_BLS12_381 : PAIL_CURVE_BN254, PAIL_G1);
    if (!b.ops || strcmp(argv[2], b.ops->curve_name) != 0) {
        (void)fprintf(stderr,
                      "usage: %s PLUGIN CURVE LOG_FROM LOG_TO STEP, or first, or "
                      "points LOG_N BATCH\n",
                      argv[0]);
        return 64;
    }
    if (firsts) {
        open_plugin(&b, argv[1]);
        bench_firsts(&b, &host);
        return 0;
    }
    if (points) {
        const long log_n = strtol(argv[4], NULL, 10), batch = strtol(argv[5], NULL, 10);
        if (log_n < 0 || log_n > 20 || batch < 1) {
            (void)fprintf(stderr, "sizes: 0 to 20, and a batch of 1 or more\n");
            return 64;
        }
        open_plugin(&b, argv[1]);
        bench_points(&b, (uint32_t)log_n, (uint64_t)batch);
        b.api->context_destroy(&b.context);
        return 0;
    }
    const long from = strtol(argv[3], NULL, 10), to = strtol(argv[4], NULL, 10),
               step = strtol(argv[5], NULL, 10);
    if (from < 0 || to > (long)PAIL_NTT_LOG_MAX || step < 1) {
        (void)fprintf(stderr, "sizes: 0 to %u, in steps of 1 or more\n", PAIL_NTT_LOG_MAX);
        return 64;
    }
    open_plugin(&b, argv[1]);
    for (long log_n = from; log_n <= to; log_n += step) {
        b.log_n = (uint32_t)log_n;
        bench_size(&b);
    }
    b.api->context_destroy(&b.context);
    return 0;
}
