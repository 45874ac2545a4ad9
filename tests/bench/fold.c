/* SPDX-License-Identifier: Apache-2.0 */
/* The host's end of a multiplication: the fold of window sums and the result's coordinates, with
 * the plain table and with the fast one, in turns.
 *
 *   bench_fold [REPETITIONS [C WINDOWS PARTS LISTS]]
 *
 * For each group: the least and the median wall time of all repetitions in microseconds; without
 * more arguments for 16 bits, 8 windows, 6 parts and 1 list, which is what a device leaves of 2^20
 * points of BN254 G1. "cold": what the fold reads and the data of both are thrown out of the caches
 * before it starts, as a device's results are in none. The results are compared. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <curves/fast.h>
#include <curves/fold.h>
#include <curves/rng.h>
#include <platform/clock.h>

enum { SIDES = 2, COLD_BYTES = 64 << 20 };

struct shape {
    uint32_t c, windows, parts, lists;
    enum pail_field_form form;
};

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void *allocate(size_t bytes)
{
    void *block = malloc(bytes);
    if (!block) {
        fprintf(stderr, "bench_fold: no memory\n");
        exit(1);
    }
    return block;
}

/* Points with any ZZ, as a device has them. */
static void make_words(const struct pail_curve_ops *ops, uint32_t *words, const struct shape *s)
{
    struct pail_rng rng;
    pail_affine generator;
    pail_point p;
    pail_rng_init(&rng, 1);
    ops->generator(&generator);
    ops->from_affine(&p, &generator);
    const size_t n = (size_t)s->lists * s->windows * s->parts;
    for (size_t i = 0; i < n; i++) {
        const pail_u256 k = {{pail_rng_next(&rng), pail_rng_next(&rng)}};
        ops->mul(&p, &p, &k);
        ops->to_words(words + i * ops->coordinate_bytes, &p, s->form);
    }
}

static void evict(unsigned char *block)
{
    for (size_t i = 0; i < COLD_BYTES; i += 64)
        block[i]++;
}

static double once(const struct pail_curve_ops *ops, const uint32_t *words, const struct shape *s,
                   uint8_t *bytes)
{
    const double start_ms = pail_now_ms();
    size_t bad;
    pail_point sum;
    pail_affine affine;
    if (!pail_fold(ops, &sum, &bad, words, s->lists, s->windows, s->c, s->parts, s->form)) {
        fprintf(stderr, "bench_fold: point %zu is bad\n", bad);
        exit(1);
    }
    ops->to_affine(&affine, &sum);
    ops->encode(bytes, &affine, false);
    return 1e3 * (pail_now_ms() - start_ms);
}

static void bench(const struct pail_curve_ops *ops, const struct shape *s, size_t repetitions,
                  unsigned char *cold)
{
    const struct pail_curve_ops *const sides[SIDES] = {ops, pail_fast_ops(ops, NULL)};
    uint8_t bytes[SIDES][sizeof(pail_affine)] = {{0}};
    double *times[SIDES];
    uint32_t *words = allocate(4 * ops->coordinate_bytes * s->lists * s->windows * s->parts);
    make_words(ops, words, s);
    for (size_t i = 0; i < SIDES; i++)
        times[i] = allocate(repetitions * sizeof **times);
    for (size_t r = 0; r < repetitions; r++) {
        for (size_t i = 0; i < SIDES; i++) {
            if (cold)
                evict(cold);
            times[i][r] = once(sides[i], words, s, bytes[i]);
        }
    }
    if (memcmp(bytes[0], bytes[1], sizeof bytes[0]) != 0) {
        fprintf(stderr, "bench_fold: the results differ\n");
        exit(1);
    }
    printf("%-9s %s %s:", ops->curve_name, ops->group_name, cold ? "cold" : "warm");
    for (size_t i = 0; i < SIDES; i++) {
        qsort(times[i], repetitions, sizeof *times[i], compare);
        printf("  %s %.1f, median %.1f us", i == 0 ? "plain" : "fast", times[i][0],
               times[i][repetitions / 2]);
    }
    printf("  (%.2f)\n", times[1][0] / times[0][0]);
    for (size_t i = 0; i < SIDES; i++)
        free(times[i]);
    free(words);
}

int main(int argc, char **argv)
{
    unsigned long numbers[] = {200, 16, 8, 6, 1};
    for (int i = 1; i < argc && i <= 5; i++)
        numbers[i - 1] = strtoul(argv[i], NULL, 10);
    const struct shape s = {(uint32_t)numbers[1], (uint32_t)numbers[2], (uint32_t)numbers[3],
                            (uint32_t)numbers[4], PAIL_FORM_X29};
    if ((argc != 1 && argc != 2 && argc != 6) || numbers[0] == 0 || s.parts == 0 ||
        PAIL_FOLD_PART_BITS * (s.parts - 1) > s.c) {
        fprintf(stderr, "usage: bench_fold [REPETITIONS [C WINDOWS PARTS LISTS]]\n");
        return 2;
    }
    unsigned char *cold = allocate(COLD_BYTES);
    memset(cold, 1, COLD_BYTES);
    for (uint32_t curve = 1; curve <= 2; curve++) {
        for (uint32_t group = 1; group <= 2; group++) {
            const struct pail_curve_ops *ops = pail_curve_ops(curve, group);
            bench(ops, &s, numbers[0], NULL);
            bench(ops, &s, numbers[0] / 10 + 1, cold);
        }
    }
    free(cold);
    return 0;
}
