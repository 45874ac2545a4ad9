/* SPDX-License-Identifier: Apache-2.0 */
#include "memory.h"

#include <cpu/cpu.h>
#include <curves/curve_ops.h>

enum {
    SCALAR_BYTES = 32,
    SMALL_BYTES = 1 << 15,
    /* A thread's part of a transform, which is cut so that it fits a second-level cache, and its
     * stretch of the tables of powers. */
    TRANSFORM_BYTES = 160 << 10
};

static pail_status estimate(const pail_groth16_key *key, enum pail_zkey_msm msm, uint32_t threads,
                            pail_stats *stats)
{
    const pail_msm_config config = {.struct_size = sizeof(config), .threads = threads};
    const pail_msm_job job = {.struct_size = sizeof(job),
                              .scalar_location = PAIL_LOCATION_HOST, /* there are no vectors yet */
                              .scalar_bits = key->g1->order_bits,
                              .bases = key->bases[msm],
                              .n = (size_t)key->part.count[msm]};
    *stats = (pail_stats){.struct_size = sizeof(*stats)};
    return key->backend->msm_estimate(key->context, stats, &job, &config);
}

/* Bytes of a transform's tables of powers on a device, of 9/2 n elements, by measurement. The first
 * proof makes them, and the context keeps them. */
static uint64_t powers_bytes(const pail_groth16_key *key)
{
    return pail_is_cpu(key->backend) ? 0 : UINT64_C(5) * SCALAR_BYTES << key->domain.log2_n;
}

pail_status pail_proof_worker_bytes(const pail_groth16_key *key, uint64_t *bytes)
{
    *bytes = 0;
    for (enum pail_zkey_msm i = 0; i < PAIL_ZKEY_MSMS; i++) {
        pail_stats one, two;
        if (!key->bases[i]) /* the processors beside the device have the points, or nobody */
            continue;
        pail_status status = estimate(key, i, 1, &one);
        if (status == PAIL_OK)
            status = estimate(key, i, 2, &two);
        if (status != PAIL_OK)
            return status;
        if (two.threads > one.threads && two.bytes_estimate > one.bytes_estimate + *bytes)
            *bytes = two.bytes_estimate - one.bytes_estimate;
    }
    return PAIL_OK;
}

/* Adds the handles, and memory that backends do not count. */
static uint64_t with_handles(uint64_t bytes)
{
    return bytes + bytes / 32 + SMALL_BYTES;
}

/* Bytes that the CPU backend takes for the transforms and multiplications of a proof, beside its
 * vectors, at most: one block of buckets for each thread, of the size that the largest
 * multiplication needs, plain integers once for each vector, and each multiplication's own sums.
 * estimates: [PAIL_ZKEY_MSMS]: from msm_estimate for each of them by itself; threads: given to
 * msm_estimate. */
static uint64_t host_bytes(const pail_groth16_key *key, const pail_stats estimates[],
                           uint32_t threads)
{
    const uint64_t n = UINT64_C(1) << key->domain.log2_n;
    uint64_t sums = 0, tasks = 0, buckets = 0;
    pail_device_info device = {.struct_size = sizeof(device)};
    for (enum pail_zkey_msm i = 0; i < PAIL_ZKEY_MSMS; i++) {
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
    uint64_t integers = key->n_vars + n;
    if (key->form == PAIL_KEY_PARAMS) /* scalars of A and of B are vectors, too */
        integers += key->part.count[PAIL_ZKEY_A] + key->part.count[PAIL_ZKEY_B1];
    return SCALAR_BYTES * integers + sums + running * buckets +
           all * TRANSFORM_BYTES; /* transforms take all threads */
}

pail_status pail_proof_estimate(const pail_groth16_key *key, const struct pail_proof_lane *lane,
                                uint32_t threads, uint64_t *bytes, uint64_t *largest)
{
    const uint64_t transformed = SCALAR_BYTES * lane->elements[PAIL_OBJECT_TRANSFORMS];
    struct pail_proof_scratch scratch = {.transforms = transformed}; /* for those that reorder */
    pail_stats stats[PAIL_ZKEY_MSMS] = {0};
    *bytes = *largest = 0;
    for (enum pail_zkey_msm i = 0; i < PAIL_ZKEY_MSMS; i++) {
        if (!key->bases[i])
            continue;
        const pail_status status = estimate(key, i, threads, &stats[i]);
        if (status != PAIL_OK)
            return status;
        scratch.msm[i] = stats[i].bytes_estimate;
        if (scratch.msm[i] > *largest)
            *largest = scratch.msm[i];
    }
    *bytes = pail_is_cpu(key->backend)
                 ? with_handles(host_bytes(key, stats, threads) + pail_proof_peak(lane, NULL))
                 : pail_proof_peak(lane, &scratch) + (transformed != 0 ? powers_bytes(key) : 0);
    return PAIL_OK;
}

uint64_t pail_proof_taken_bytes(const pail_groth16_key *key, const struct pail_proof_lane *lane,
                                uint64_t scratch_bytes)
{
    return with_handles(scratch_bytes + powers_bytes(key) + pail_proof_peak(lane, NULL));
}
