/* What the tests of the CPU backend share: an opened context whose memory is counted and can be
 * made to run out, and short forms of the calls. */
#ifndef PAIL_TESTS_CPU_SUPPORT_H
#define PAIL_TESTS_CPU_SUPPORT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cpu/cpu.h"
#include "inputs.h"

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

pail_bases *test_bases(struct test_cpu *cpu, const uint8_t *points, size_t n, bool montgomery);

/* Runs one job to its end and asserts that every call succeeds. stats: optional. */
void test_msm(struct test_cpu *cpu, uint8_t point[64], const pail_msm_job *job,
              const pail_msm_config *config, pail_stats *stats);

/* The encoding, canonical, of a point. */
void test_encode(uint8_t bytes[64], const pail_point *p);

const struct pail_curve_ops *test_ops(void); /* BN254 G1 */

#endif /* PAIL_TESTS_CPU_SUPPORT_H */
