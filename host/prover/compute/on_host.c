/* A start on the host has one block of buckets for each thread, of the size that its largest
 * multiplication needs, and plain integers once for each vector. Each multiplication has its own
 * sums. */
#include "on_host.h"

#include <string.h>

#include <curves/curve_ops.h>

enum {
    SCALAR_BYTES = 32,
    /* A thread's part of a transform, which is cut so that it fits a second-level cache, and its
     * stretch of the tables of powers. */
    TRANSFORM_BYTES = 160 << 10
};

bool pail_computes_on_host(const pail_groth16_key *key)
{
    return strcmp(key->backend->name, "cpu") == 0;
}

uint64_t pail_on_host_start_bytes(const pail_groth16_key *key, const pail_stats estimates[],
                                  uint32_t threads)
{
    const uint64_t n = UINT64_C(1) << key->domain.log2_n;
    uint64_t sums = 0, tasks = 0, buckets = 0;
    pail_device_info device = {.struct_size = sizeof(device)};
    for (enum pail_zkey_msm i = PAIL_ZKEY_A; i < PAIL_ZKEY_MSMS; i++) {
        const pail_stats *const one = &estimates[i];
        const uint64_t its_tasks = (uint64_t)one->chunks * one->windows;
        const uint64_t its_sums = its_tasks * sizeof(pail_point);
        const uint64_t others = SCALAR_BYTES * key->part.count[i] + its_sums;
        if (one->threads == 0 || one->bytes_estimate <= others)
            continue; /* it has no points */
        const uint64_t its_buckets = (one->bytes_estimate - others) / one->threads;
        sums += its_sums;
        tasks += its_tasks;
        buckets = its_buckets > buckets ? its_buckets : buckets;
    }
    uint64_t all = tasks;
    if (key->backend->context_device(key->context, &device) == PAIL_OK &&
        device.compute_units < all)
        all = device.compute_units;
    const uint64_t running = threads != 0 && threads < all ? threads : all;
    return SCALAR_BYTES * (key->n_vars + n) + sums + running * buckets +
           all * TRANSFORM_BYTES; /* transforms take all threads */
}
