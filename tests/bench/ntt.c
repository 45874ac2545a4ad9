/* SPDX-License-Identifier: Apache-2.0 */
/* Transforms of the CPU backend, in every arithmetic that the processor has, beside one of radix 2
 * with a table of all twiddles, as a prover without tiles and vectors has it. A row is printed only
 * if both give the same values.
 *
 * Prints: for each size and way the least processor time and the least time of several turns, in
 * ms; the machine may have other work, which the former does not see.
 *
 * usage: bench_ntt [LEAST [MOST [TURNS [THREADS [FLAGS]]]]]   of log n; FLAGS 1: bit-reversed */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include <cpu/adders.h>
#include <cpu/cpu.h>
#include <cpu/modular.h>
#include <curves/bn254.h>
#include <curves/rng.h>
#include <platform/clock.h>

typedef pail_bn254_fr fr;

struct times {
    double processor, wall; /* ms */
};

static struct times now(void)
{
    struct rusage usage;
    (void)getrusage(RUSAGE_SELF, &usage);
    const double seconds = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec);
    const double micros = (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
    return (struct times){1e3 * seconds + 1e-3 * micros, pail_now_ms()};
}

static void keep_least(struct times *least, struct times begin)
{
    const struct times end = now();
    const struct times took = {end.processor - begin.processor, end.wall - begin.wall};
    if (least->wall == 0 || took.processor < least->processor)
        least->processor = took.processor;
    if (least->wall == 0 || took.wall < least->wall)
        least->wall = took.wall;
}

static void fail(const char *what)
{
    (void)fprintf(stderr, "%s\n", what);
    exit(1);
}

/* Decimation in frequency, values in bit-reversed order. */
static void radix_2(fr *x, const fr *twiddles, size_t n)
{
    for (size_t half = n / 2, stride = 1; half > 0; half /= 2, stride *= 2) {
        for (size_t begin = 0; begin < n; begin += 2 * half) {
            for (size_t k = 0; k < half; k++) {
                fr *const low = &x[begin + k], *const high = low + half;
                fr difference;
                pail_bn254_fr_sub(&difference, low, high);
                pail_bn254_fr_add(low, low, high);
                pail_bn254_fr_mul(high, &difference, &twiddles[k * stride]);
            }
        }
    }
}

static size_t reverse(size_t i, uint32_t bits)
{
    size_t r = 0;
    for (uint32_t k = 0; k < bits; k++)
        r |= (i >> k & 1) << (bits - 1 - k);
    return r;
}

struct job {
    uint32_t log_n, flags, threads;
    unsigned turns;
    pail_u256 root;
    fr *in, *want, *got; /* [n] */
};

static struct times run_plain(const struct job *j)
{
    const size_t n = (size_t)1 << j->log_n;
    fr *const twiddles = malloc((n / 2 + 1) * sizeof *twiddles), root;
    if (!twiddles)
        fail("no memory");
    pail_bn254_fr_from_integer(&root, j->root.l);
    twiddles[0] = pail_bn254_fr_one;
    for (size_t i = 1; i < n / 2; i++)
        pail_bn254_fr_mul(&twiddles[i], &twiddles[i - 1], &root);
    struct times least = {0};
    for (unsigned turn = 0; turn < j->turns; turn++) {
        memcpy(j->got, j->in, n * sizeof(fr));
        const struct times begin = now();
        radix_2(j->got, twiddles, n);
        keep_least(&least, begin);
    }
    free(twiddles);
    for (size_t i = 0; i < n; i++)
        j->want[(j->flags & PAIL_VECTOR_OP_BIT_REVERSED) != 0 ? i : reverse(i, j->log_n)] =
            j->got[i];
    return least;
}

static struct times run_backend(const struct job *j, const char *arithmetic)
{
    const pail_host host = {.struct_size = sizeof host, .abi_major = PAIL_ABI_MAJOR};
    const pail_context_params params = {.struct_size = sizeof params, .threads = j->threads};
    const pail_backend *backend;
    pail_context *context = NULL;
    pail_vector *a = NULL, *r = NULL;
    const size_t n = (size_t)1 << j->log_n;
    if (setenv("PAIL_CPU", arithmetic, 1) != 0 || pail_cpu_open(&host, &backend) != PAIL_OK ||
        backend->context_create(&host, &context, &params) != PAIL_OK ||
        backend->vector_create(context, &a, PAIL_CURVE_BN254, n) != PAIL_OK ||
        backend->vector_create(context, &r, PAIL_CURVE_BN254, n) != PAIL_OK ||
        backend->vector_write(a, 0, j->in, n, PAIL_ENCODING_MONTGOMERY) != PAIL_OK)
        fail("no context or vectors");
    pail_vector_op op = {.struct_size = sizeof op,
                         .kind = PAIL_VECTOR_OP_NTT,
                         .flags = j->flags,
                         .log_n = j->log_n,
                         .r = r,
                         .a = a,
                         .n = n};
    pail_u256_to_bytes(op.root, &j->root);
    struct times least = {0};
    for (unsigned turn = 0; turn < j->turns; turn++) {
        pail_pending *pending;
        const struct times begin = now();
        if (backend->vector_start(context, &pending, &op, 1) != PAIL_OK)
            fail(backend->error(context));
        if (backend->vector_finish(&pending, NULL) != PAIL_OK)
            fail(backend->error(context));
        keep_least(&least, begin);
    }
    if (backend->vector_read(r, j->got, 0, n, PAIL_ENCODING_MONTGOMERY) != PAIL_OK)
        fail(backend->error(context));
    if (memcmp(j->got, j->want, n * sizeof(fr)) != 0)
        fail("the values differ");
    backend->vector_destroy(context, &a);
    backend->vector_destroy(context, &r);
    backend->context_destroy(&context);
    return least;
}

static void print(const struct job *j, const char *way, struct times t)
{
    const double products = (double)j->log_n * (double)((size_t)1 << j->log_n) / 2;
    printf("2^%-2u  %-8s  processor %9.3f ms  %6.2f ns a butterfly  time %9.3f ms\n", j->log_n, way,
           t.processor, products > 0 ? 1e6 * t.processor / products : 0, t.wall);
}

static uint32_t argument(int argc, char **argv, int i, uint32_t otherwise)
{
    return i < argc ? (uint32_t)strtoul(argv[i], NULL, 10) : otherwise;
}

int main(int argc, char **argv)
{
    const uint32_t least = argument(argc, argv, 1, 10), most = argument(argc, argv, 2, 20);
    for (uint32_t log_n = least; log_n <= most; log_n++) {
        const size_t n = (size_t)1 << log_n;
        struct job j = {
            .log_n = log_n,
            .turns = argument(argc, argv, 3, 5),
            .threads = argument(argc, argv, 4, 0),
            .flags = argument(argc, argv, 5, 0),
            .in = malloc(n * sizeof(fr)),
            .want = malloc(n * sizeof(fr)),
            .got = malloc(n * sizeof(fr)),
        };
        if (!j.in || !j.want || !j.got)
            fail("no memory");
        const struct pail_curve_ops *const ops = pail_curve_ops(PAIL_CURVE_BN254, PAIL_G1);
        const pail_u256 five = {{5}};
        pail_u256 e = ops->order;
        e.l[0]--;
        for (uint32_t i = 0; i < log_n; i++)
            for (size_t k = 0; k < 4; k++)
                e.l[k] = e.l[k] >> 1 | (k < 3 ? e.l[k + 1] << 63 : 0);
        pail_cpu_power(&j.root, ops, &five, &e);
        struct pail_rng rng;
        pail_rng_init(&rng, log_n);
        for (size_t i = 0; i < n; i++)
            for (size_t k = 0; k < 4; k++)
                j.in[i].l[k] = pail_rng_next(&rng) >> (k == 3 ? 3 : 0);
        print(&j, "radix 2", run_plain(&j));
        for (int way = 0; way < PAIL_CPU_ARITHMETIC_COUNT; way++) {
            const enum pail_cpu_arithmetic arithmetic = (enum pail_cpu_arithmetic)way;
            if (pail_cpu_arithmetic_runs(arithmetic)) {
                const char *const name = pail_cpu_arithmetic_name(arithmetic);
                print(&j, name, run_backend(&j, name));
            }
        }
        free(j.in);
        free(j.want);
        free(j.got);
    }
    return 0;
}
