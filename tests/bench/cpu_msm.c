/* SPDX-License-Identifier: Apache-2.0 */
/* Processor time of the CPU backend's multiplications: what they cost whatever else the machine
 * does, which wall time does not say on a busy one.
 *
 *   bench_cpu_msm LOG2_N [REPETITIONS]
 *
 * For each group: the least time of all repetitions in milliseconds, with each arithmetic that the
 * processor has, in turns. One thread; scalars uniform, points distinct, their registration not
 * counted. The results are compared. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cpu/adders.h>
#include <cpu/cpu.h>
#include <curves/inputs.h>

struct side {
    pail_context *context;
    pail_bases *bases;
    double least_ms;
    pail_stats stats;
    pail_msm_result result;
};

static double processor_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

static void stop(const pail_backend *backend, const pail_context *context)
{
    fprintf(stderr, "bench_cpu_msm: %s\n", backend->error(context));
    exit(1);
}

static void open_side(struct side *side, const pail_backend *backend, const pail_host *host,
                      const pail_bases_desc *desc, enum pail_cpu_arithmetic arithmetic)
{
    const pail_context_params params = {.struct_size = sizeof params, .threads = 1};
    setenv("PAIL_CPU", pail_cpu_arithmetic_name(arithmetic), 1);
    if (backend->context_create(host, &side->context, &params) != PAIL_OK)
        stop(backend, NULL);
    if (backend->bases_create(side->context, &side->bases, NULL, desc) != PAIL_OK)
        stop(backend, side->context);
    side->least_ms = -1;
}

static void multiply(struct side *side, const pail_backend *backend, const uint8_t *scalars,
                     size_t n)
{
    const pail_msm_job job = {
        .struct_size = sizeof job, .bases = side->bases, .scalars = scalars, .n = n};
    side->stats.struct_size = sizeof side->stats;
    side->result.struct_size = sizeof side->result;
    pail_pending *pending;
    const double start = processor_ms();
    if (backend->msm_start(side->context, &pending, &job, 1, NULL) != PAIL_OK ||
        backend->msm_finish(&pending, &side->result, 1, &side->stats) != PAIL_OK)
        stop(backend, side->context);
    const double ms = processor_ms() - start;
    if (side->least_ms < 0 || ms < side->least_ms)
        side->least_ms = ms;
}

static void bench_group(const pail_backend *backend, const pail_host *host,
                        const struct pail_curve_ops *ops, size_t n, unsigned long repetitions)
{
    struct side sides[PAIL_CPU_ARITHMETIC_COUNT] = {0};
    uint8_t *points = malloc(2 * ops->coordinate_bytes * n), *scalars = malloc(32 * n);
    if (!points || !scalars) {
        fprintf(stderr, "bench_cpu_msm: no memory for %zu points\n", n);
        exit(1);
    }
    pail_make_bases(ops, points, true, 0, n, PAIL_BASES_DISTINCT, 1);
    pail_make_scalars(ops, scalars, n, PAIL_SCALARS_UNIFORM, 2);
    const pail_bases_desc desc = {.struct_size = sizeof desc,
                                  .curve = ops->curve,
                                  .group = ops->group,
                                  .encoding = PAIL_ENCODING_MONTGOMERY,
                                  .points = points,
                                  .n_points = n};
    for (int i = 0; i < PAIL_CPU_ARITHMETIC_COUNT; i++)
        if (pail_cpu_arithmetic_runs((enum pail_cpu_arithmetic)i))
            open_side(&sides[i], backend, host, &desc, (enum pail_cpu_arithmetic)i);
    for (unsigned long r = 0; r < repetitions; r++) {
        for (int i = 0; i < PAIL_CPU_ARITHMETIC_COUNT; i++)
            if (sides[i].context)
                multiply(&sides[i], backend, scalars, n);
    }
    printf("%-9s %s n %zu:", ops->curve_name, ops->group_name, n);
    for (int i = 0; i < PAIL_CPU_ARITHMETIC_COUNT; i++) {
        struct side *side = &sides[i];
        if (!side->context)
            continue;
        if (memcmp(&side->result, &sides[0].result, sizeof side->result) != 0) {
            fprintf(stderr, "bench_cpu_msm: the results differ\n");
            exit(1);
        }
        printf("  %s %.2f ms (window %u, %.2f of portable)",
               pail_cpu_arithmetic_name((enum pail_cpu_arithmetic)i), side->least_ms,
               side->stats.window_bits, side->least_ms / sides[0].least_ms);
        backend->bases_destroy(side->context, &side->bases);
        backend->context_destroy(&side->context);
    }
    printf("\n");
    fflush(stdout);
    free(points);
    free(scalars);
}

int main(int argc, char **argv)
{
    const unsigned long log2_n = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
    const unsigned long repetitions = argc > 2 ? strtoul(argv[2], NULL, 10) : 5;
    if (argc < 2 || argc > 3 || log2_n > 24 || repetitions == 0) {
        fprintf(stderr, "usage: bench_cpu_msm LOG2_N [REPETITIONS], LOG2_N at most 24\n");
        return 2;
    }
    const pail_host host = {
        .struct_size = sizeof host, .abi_major = PAIL_ABI_MAJOR, .abi_minor = PAIL_ABI_MINOR};
    const pail_backend *backend;
    if (pail_cpu_open(&host, &backend) != PAIL_OK) {
        fprintf(stderr, "bench_cpu_msm: no CPU backend\n");
        return 1;
    }
    for (uint32_t curve = PAIL_CURVE_BN254; curve <= PAIL_CURVE_BLS12_381; curve++) {
        for (uint32_t group = PAIL_G1; group <= PAIL_G2; group++) {
            bench_group(backend, &host, pail_curve_ops(curve, group), (size_t)1 << log2_n,
                        repetitions);
        }
    }
    return 0;
}
