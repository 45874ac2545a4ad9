#include "estimate.h"

#include "on_host.h"

enum { SCALAR_BYTES = 32, SMALL_BYTES = 1 << 15 };

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
    return pail_computes_on_host(key) ? 0 : UINT64_C(5) * SCALAR_BYTES << key->domain.log2_n;
}

pail_status pail_prove_worker_bytes(const pail_groth16_key *key, uint64_t *bytes)
{
    *bytes = 0;
    for (enum pail_zkey_msm i = PAIL_ZKEY_A; i < PAIL_ZKEY_MSMS; i++) {
        pail_stats one, two;
        if (key->bases[i] == NULL) /* the processors beside the device have the points, or nobody */
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

pail_status pail_prove_estimate(const pail_groth16_key *key, uint32_t threads, uint64_t *bytes,
                                uint64_t *largest)
{
    const uint64_t n = UINT64_C(1) << key->domain.log2_n;
    const bool transforms =
        key->matrices[PAIL_MATRIX_A] != NULL || key->matrices[PAIL_MATRIX_B] != NULL;
    /* Three vectors of the domain, or the scalars of H, where others transform. */
    const uint64_t vectors = transforms ? 3 * n : key->part.count[PAIL_ZKEY_H];
    pail_stats stats[PAIL_ZKEY_MSMS];
    uint64_t sum = 0;
    *bytes = *largest = 0;
    for (enum pail_zkey_msm i = PAIL_ZKEY_A; i < PAIL_ZKEY_MSMS; i++) {
        stats[i] = (pail_stats){0};
        if (key->bases[i] == NULL)
            continue;
        const pail_status status = estimate(key, i, threads, &stats[i]);
        if (status != PAIL_OK)
            return status;
        sum += stats[i].bytes_estimate;
        if (stats[i].bytes_estimate > *largest)
            *largest = stats[i].bytes_estimate;
    }
    if (pail_computes_on_host(key)) {
        *bytes = with_handles(pail_on_host_start_bytes(key, stats, threads) +
                              SCALAR_BYTES * (key->n_vars + vectors));
        return PAIL_OK;
    }
    /* The witness; vectors, and as much again for transforms that reorder. */
    *bytes = sum + SCALAR_BYTES * (key->n_vars + (transforms ? 2 : 1) * vectors) +
             (transforms ? powers_bytes(key) : 0);
    return PAIL_OK;
}

uint64_t pail_prove_taken_bytes(const pail_groth16_key *key, uint64_t scratch_bytes)
{
    const uint64_t n = UINT64_C(1) << key->domain.log2_n;
    return with_handles(scratch_bytes + powers_bytes(key) + SCALAR_BYTES * (key->n_vars + 3 * n));
}
