/* SPDX-License-Identifier: Apache-2.0 */
/* Setups out of powers of tau: reading those that are used, and their Lagrange points. */
#include "setup.h"

#include <inttypes.h>
#include <stdlib.h>

#include <cpu/point_ntt.h>
#include <formats/report.h>

static const struct pail_alloc memory;

/* ---- Files of powers of tau ------------------------------------------------------------------ */
bool pail_kzg_is_ptau(const pail_kzg_params *params)
{
    return params->path    ? pail_ptau_is_file(params->path)
           : params->bytes ? pail_ptau_is(params->bytes, (size_t)params->n_bytes)
                           : false;
}

pail_status pail_kzg_ptau_open(struct pail_ptau *ptau, struct pail_kzg_setup *sizes,
                               const pail_kzg_params *params, const char *name, char *error,
                               size_t capacity)
{
    const struct pail_binfile_bytes bytes = {params->bytes, (size_t)params->n_bytes};
    const pail_status status = pail_ptau_open(ptau, params->path ? params->path : name,
                                              params->path ? NULL : &bytes, error, capacity);
    if (status != PAIL_OK)
        return status;
    const uint64_t powers = ptau->points[PAIL_PTAU_TAU_G2].count;
    if (params->n_g1 > powers || params->n_g2 > powers)
        return pail_report(error, capacity, PAIL_ERR_DATA,
                           "%s: has %" PRIu64 " powers of tau in both groups, but %" PRIu64
                           " of %s are wanted",
                           name, powers, params->n_g1 > powers ? params->n_g1 : params->n_g2,
                           params->n_g1 > powers ? "G1" : "G2");
    if (params->n_g1 == 0 && powers > PAIL_KZG_N_MAX)
        return pail_report(error, capacity, PAIL_ERR_DATA,
                           "%s: has %" PRIu64 " powers of tau, but a setup at most %u: say how "
                           "many are used (n_g1; --n of pail kzg)",
                           name, powers, PAIL_KZG_N_MAX);
    sizes->curve = ptau->curve;
    sizes->n_g1 = (size_t)(params->n_g1 != 0 ? params->n_g1 : powers);
    sizes->n_g2 = (size_t)(params->n_g2 != 0         ? params->n_g2
                           : powers < PAIL_KZG_N_MAX ? powers
                                                     : PAIL_KZG_N_MAX);
    return PAIL_OK;
}

static pail_status read_section(unsigned char *to, const struct pail_curve_ops *ops,
                                const struct pail_ptau *ptau, enum pail_ptau_section section,
                                size_t n, const char *name, char *error, size_t capacity)
{
    const size_t size = ptau->points[section].point_bytes;
    struct pail_bytes bytes;
    const uint8_t *points;
    pail_status status = pail_ptau_load(&points, &bytes, ptau, section, n, error, capacity);
    for (size_t i = 0; status == PAIL_OK && i < n; i++) {
        unsigned char *const affine = to + i * ops->affine_bytes;
        const bool decoded = ops->decode(affine, points + i * size, true);
        if (!decoded || !ops->on_curve(affine))
            status = pail_report(
                error, capacity, PAIL_ERR_DATA,
                "%s: point %zu of section %" PRIu32 " (%s), at byte %zu: %s", name, i,
                pail_ptau_section_number(section), pail_ptau_section_name(section),
                ptau->points[section].offset + i * size,
                decoded ? "it is not on the curve" : "a coordinate is not below the modulus");
    }
    pail_bytes_free(&bytes, false);
    return status;
}

pail_status pail_kzg_ptau_read(struct pail_kzg_points *points, const struct pail_kzg *kzg,
                               const struct pail_ptau *ptau, const char *name, char *error,
                               size_t capacity)
{
    const pail_status status = read_section(points->powers, kzg->g1, ptau, PAIL_PTAU_TAU_G1, kzg->n,
                                            name, error, capacity);
    points->derive = true;
    return status == PAIL_OK ? read_section(points->g2, kzg->g2, ptau, PAIL_PTAU_TAU_G2, kzg->n_g2,
                                            name, error, capacity)
                             : status;
}

/* ---- Lagrange points -------------------------------------------------------------------------
 * l_i(tau) is the sum over j of w^(-ij) tau^j, divided by n: the inverse transform of the powers.
 */
struct transform {
    const struct pail_kzg_work *work;
    const struct pail_cpu_points *points;
    uint32_t stage;
    unsigned char *scratch;
    size_t scratch_bytes; /* of a worker */
};

static void run_task(void *user, size_t task, struct pail_kzg_worker *worker)
{
    const struct transform *const transform = user;
    const size_t i = (size_t)(worker - transform->work->workers);
    pail_cpu_points_run(transform->points, transform->stage, task,
                        transform->scratch + i * transform->scratch_bytes);
}

static pail_status run_stages(struct pail_kzg_work *work, const struct pail_cpu_points *points)
{
    const size_t bytes = (pail_cpu_points_scratch(points) + PAIL_CPU_ALIGNMENT - 1) &
                         ~(size_t)(PAIL_CPU_ALIGNMENT - 1);
    void *const block = malloc(work->n_workers * bytes + PAIL_CPU_ALIGNMENT);
    if (!block)
        return PAIL_ERR_HOST_MEMORY;
    struct transform transform = {
        .work = work, .points = points, .scratch = pail_cpu_aligned(block), .scratch_bytes = bytes};
    for (; transform.stage < pail_cpu_points_stages(points); transform.stage++)
        pail_kzg_each(work, pail_cpu_points_tasks(points, transform.stage), run_task, &transform);
    free(block);
    return PAIL_OK;
}

static pail_vector_op inverse_of(const struct pail_kzg *kzg)
{
    pail_vector_op op = {.struct_size = sizeof(op),
                         .kind = PAIL_VECTOR_OP_POINTS_INTT,
                         .flags = PAIL_VECTOR_OP_COEFFICIENTS_REVERSED,
                         .log_n = kzg->log_n,
                         .n = kzg->n,
                         .curve = kzg->g1->curve,
                         .group = PAIL_G1,
                         .encoding = PAIL_ENCODING_MONTGOMERY,
                         .to_encoding = PAIL_ENCODING_MONTGOMERY};
    pail_u256 root;
    kzg->g1->scalar_mul(&root, &kzg->wide_root, &kzg->wide_root);
    pail_u256_to_bytes(op.root, &root);
    return op;
}

pail_status pail_kzg_lagrange_make(struct pail_kzg_work *work, struct pail_kzg_points *points)
{
    const struct pail_kzg *const kzg = work->kzg;
    const struct pail_curve_ops *const ops = kzg->g1;
    const size_t size = 2 * ops->coordinate_bytes;
    const pail_vector_op op = inverse_of(kzg);
    struct pail_cpu_points made = {0};
    struct pail_error err = {0};
    uint64_t held = 0;
    uint8_t *const bytes = malloc(kzg->n * size);
    pail_status status = PAIL_ERR_HOST_MEMORY;
    if (bytes) {
        for (size_t i = 0; i < kzg->n; i++)
            ops->encode(bytes + i * size, points->powers + i * ops->affine_bytes, true);
        status = pail_cpu_points_make(&made, &op, bytes, bytes, kzg->adder, work->n_workers,
                                      &memory, 0, &held, &err);
    }
    if (status == PAIL_OK)
        status = run_stages(work, &made);
    for (size_t i = 0; status == PAIL_OK && i < kzg->n; i++)
        if (!ops->decode(points->lagrange + i * ops->affine_bytes, bytes + i * size, true))
            status = PAIL_ERR_INTERNAL;
    pail_cpu_points_free(&made, &memory);
    free(bytes);
    return status;
}
