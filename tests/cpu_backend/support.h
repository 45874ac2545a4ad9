/* SPDX-License-Identifier: Apache-2.0 */
/* Support for the tests of the CPU backend: an opened context whose memory is counted and can be
 * made to run out, and short forms of the calls. */
#ifndef PAIL_TESTS_CPU_SUPPORT_H
#define PAIL_TESTS_CPU_SUPPORT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cpu/cpu.h>
#include <curves/inputs.h>

/* Memory of the host: blocks that are out, and the number of the allocation that fails (from 1; 0:
 * none). */
struct test_memory {
    atomic_long out, made, fail_at;
};

struct test_cpu {
    struct test_memory memory;
    pail_host host;
    const pail_backend *backend;
    pail_context *context;
};

void test_cpu_host(struct test_cpu *cpu); /* backend opened, no context */
void test_cpu_begin(struct test_cpu *cpu, uint32_t threads);
void test_cpu_end(struct test_cpu *cpu); /* and asserts that all memory came back */

/* Bytes of the widest encoded point, and of the chosen group's. */
enum { POINT_MAX = 2 * PAIL_COORDINATE_MAX };
size_t test_point_bytes(void);

/* The group that everything here works in: BN254 G1 until another is chosen. */
void test_choose(const struct pail_curve_ops *ops);
const struct pail_curve_ops *test_ops(void);

pail_bases *test_bases(struct test_cpu *cpu, const uint8_t *points, size_t n, bool montgomery);

/* Runs one job to its end and asserts that every call succeeds. point: as test_encode. stats:
 * optional. */
void test_msm(struct test_cpu *cpu, uint8_t point[POINT_MAX], const pail_msm_job *job,
              const pail_msm_config *config, pail_stats *stats);

/* The encoding, canonical, of a point, and zeros up to the widest. */
void test_encode(uint8_t bytes[POINT_MAX], const pail_point *p);

#endif /* PAIL_TESTS_CPU_SUPPORT_H */
