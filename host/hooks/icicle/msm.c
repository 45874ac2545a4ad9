/* SPDX-License-Identifier: Apache-2.0 */
/* Multi-scalar multiplications in batches. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include <platform/memory.h>

#include "state.h"

enum {
    JOBS_MAX = 32,   /* multiplications of one start */
    WINDOW_MAX = 16, /* of every backend; c is a wish, and else the backend chooses */
    TABLE_MAX = 64,
    CONVERTED_MAX = 1 << 24, /* scalars of a start, unless one multiplication has more */
};

struct multiplication {
    struct icicle_device *device;
    struct icicle_operand scalars, points, results;
    struct icicle_points set;
    uint64_t n, batch;
    uint32_t scalar_encoding, scalar_bits, window_bits;
    bool shared;
};
static_assert(sizeof(struct multiplication) <= ICICLE_ARGS_MAX, "args are copied");

static size_t coordinate_bytes(uint32_t curve, uint32_t group)
{
    return (size_t)(curve == PAIL_CURVE_BN254 ? 32 : 48) * (group == PAIL_G2 ? 2 : 1);
}

static void drop_multiplication(void *args)
{
    struct multiplication *const work = args;
    icicle_operand_drop(&work->scalars);
    icicle_operand_drop(&work->points);
    icicle_operand_drop(&work->results);
}

/* X, Y, Z of a sum. */
static void write_projective(uint8_t *to, size_t width, const pail_msm_result *sum)
{
    memset(to, 0, 3 * width);
    if (sum->infinity) {
        to[width] = 1;
        return;
    }
    memcpy(to, sum->x, width);
    memcpy(to + width, sum->y, width);
    to[2 * width] = 1;
}

/* True if scalars are to be converted on the device: it multiplies only by canonical ones there. */
static bool converts(const struct multiplication *work)
{
    return icicle_operand_address(&work->scalars) != 0 &&
           work->scalar_encoding == PAIL_ENCODING_MONTGOMERY;
}

/* Scalars of n_jobs multiplications, in a vector. */
static int convert(const struct multiplication *work, uint64_t first, size_t n_jobs,
                   struct icicle_scratch *scalars)
{
    struct icicle_ops ops = {.device = work->device, .name = "msm: scalars"};
    const struct icicle_elements elements = {.operand = &work->scalars,
                                             .first = first * work->n,
                                             .n = n_jobs * work->n,
                                             .encoding = work->scalar_encoding};
    const struct icicle_operand nothing = {0}; /* is written */
    int status = icicle_scratch_take(scalars, work->device, ops.name, work->set.curve, elements.n);
    if (status == ICICLE_SUCCESS)
        status = icicle_ops_load(&ops, scalars->vector, &elements);
    return status == ICICLE_SUCCESS ? icicle_ops_run(&ops, &nothing) : status;
}

/* The multiplications first, ..., first + n_jobs - 1 of the batch. sums: [n_jobs], projective.
 * converted: NULL, or their scalars. */
static int multiply(const struct multiplication *work, const pail_bases *bases,
                    const pail_vector *converted, uint64_t first, size_t n_jobs, uint8_t *sums)
{
    const pail_backend *const backend = work->device->backend;
    const pail_msm_config config = {.struct_size = sizeof(config),
                                    .flags = PAIL_MSM_STABLE_SCALARS,
                                    .window_bits = work->window_bits};
    const size_t width = coordinate_bytes(work->set.curve, work->set.group);
    pail_msm_result results[JOBS_MAX];
    pail_msm_job jobs[JOBS_MAX];
    pail_pending *pending = NULL;
    const uint64_t address = icicle_operand_address(&work->scalars);
    for (size_t i = 0; i < n_jobs; i++) {
        const uint64_t element = (first + i) * work->n;
        results[i] = (pail_msm_result){.struct_size = sizeof(*results)};
        jobs[i] = (pail_msm_job){
            .struct_size = sizeof(*jobs),
            .scalar_encoding = work->scalar_encoding,
            .scalar_location = address ? PAIL_LOCATION_DEVICE_ADDRESS : PAIL_LOCATION_HOST,
            .scalar_bits = work->scalar_bits,
            .bases = bases,
            .base_offset = work->shared ? 0 : element,
            .scalars = address ? (const void *)(uintptr_t)(address + element * ICICLE_ELEMENT)
                               : work->scalars.host + element * ICICLE_ELEMENT,
            .n = work->n};
        if (converted) {
            jobs[i].scalar_encoding = 0;
            jobs[i].scalar_location = PAIL_LOCATION_VECTOR;
            jobs[i].scalars = NULL;
            jobs[i].scalar_vector = converted;
            jobs[i].scalar_offset = i * work->n;
        }
    }
    pail_status status;
    do
        status = backend->msm_start(work->device->context, &pending, jobs, n_jobs, &config);
    while (icicle_bases_retry(work->device, status));
    if (status == PAIL_OK)
        status = backend->msm_finish(&pending, results, n_jobs, NULL);
    for (size_t i = 0; i < n_jobs && status == PAIL_OK; i++)
        write_projective(sums + i * 3 * width, width, &results[i]);
    pail_wipe(results, sizeof(results)); /* the caller's alone */
    return status == PAIL_OK ? ICICLE_SUCCESS : icicle_device_fail(work->device, status, "msm");
}

static int run_multiplication(void *args)
{
    const struct multiplication *const work = args;
    const uint64_t bytes = 3 * coordinate_bytes(work->set.curve, work->set.group);
    const bool in_vector = converts(work);
    const uint64_t most =
        in_vector && work->n * JOBS_MAX > CONVERTED_MAX ? CONVERTED_MAX / work->n : JOBS_MAX;
    const uint64_t step = most ? most : 1;
    struct icicle_scratch scalars = {0};
    pail_bases *bases = NULL;
    uint8_t *const sums = calloc(JOBS_MAX, bytes);
    int status = sums ? icicle_bases_get(&bases, work->device, &work->points, &work->set)
                      : icicle_fail(ICICLE_OUT_OF_MEMORY, "msm: out of host memory");
    for (uint64_t i = 0; i < work->batch && status == ICICLE_SUCCESS; i += step) {
        const size_t n_jobs = (size_t)(work->batch - i < step ? work->batch - i : step);
        if (in_vector)
            status = convert(work, i, n_jobs, &scalars);
        if (status == ICICLE_SUCCESS)
            status = multiply(work, bases, scalars.vector, i, n_jobs, sums);
        if (status == ICICLE_SUCCESS)
            status = icicle_operand_write(&work->results, i * bytes, sums, n_jobs * bytes);
        icicle_scratch_give(&scalars);
    }
    icicle_bases_put(&bases, work->device);
    pail_wipe_and_free(sums);
    return icicle_operand_end(&work->results, status);
}

/* Checks what both functions take from a configuration. */
static int check_config(const char *name, const struct icicle_msm_config *config, int n)
{
    if (!config)
        return icicle_fail(ICICLE_INVALID_POINTER, "%s: the configuration is NULL", name);
    if (n < 0)
        return icicle_fail(ICICLE_INVALID_ARGUMENT, "%s: the size is %d", name, n);
    if (config->batch_size < 1)
        return icicle_fail(ICICLE_INVALID_ARGUMENT, "%s: batch_size is %d, not at least 1", name,
                           config->batch_size);
    if (config->precompute_factor < 1 || config->precompute_factor > TABLE_MAX)
        return icicle_fail(ICICLE_INVALID_ARGUMENT, "%s: precompute_factor is %d, not 1 to %d",
                           name, config->precompute_factor, TABLE_MAX);
    if (config->c < 0 || config->bitsize < 0 || config->bitsize > 256)
        return icicle_fail(ICICLE_INVALID_ARGUMENT,
                           "%s: c is %d and bitsize is %d; both are at least 0, and the scalars "
                           "have 256 bits",
                           name, config->c, config->bitsize);
    if ((uint64_t)n * (uint64_t)config->batch_size * (uint64_t)config->precompute_factor >=
        ICICLE_COUNT_MAX)
        return icicle_fail(ICICLE_INVALID_ARGUMENT,
                           "%s: %d times %d points, %d for each, are more "
                           "than fit 32 bits",
                           name, n, config->batch_size, config->precompute_factor);
    return ICICLE_SUCCESS;
}

int pail_icicle_msm(uint32_t curve, uint32_t group, const void *scalars, const void *points, int n,
                    const struct icicle_msm_config *config, void *results)
{
    int status = check_config("msm", config, n);
    struct multiplication work = {0};
    if (status == ICICLE_SUCCESS)
        status = icicle_device_active(&work.device);
    if (status != ICICLE_SUCCESS)
        return status;
    const uint64_t width = coordinate_bytes(curve, group),
                   factor = (uint64_t)config->precompute_factor;
    work.n = (uint64_t)n;
    work.batch = (uint64_t)config->batch_size;
    work.shared = config->are_points_shared_in_batch || work.batch == 1;
    work.scalar_encoding = config->are_scalars_montgomery_form && n ? PAIL_ENCODING_MONTGOMERY
                                                                    : PAIL_ENCODING_CANONICAL;
    work.scalar_bits = (uint32_t)config->bitsize;
    /* A table has windows of its own; and windows of c bits pay nowhere with fewer than 2^c points,
     * two for each bucket. gnark asks for 16 whatever n is. */
    if (factor == 1 && config->c <= WINDOW_MAX && work.n >> config->c)
        work.window_bits = (uint32_t)config->c;
    work.set = (struct icicle_points){.curve = curve,
                                      .group = group,
                                      .encoding = config->are_points_montgomery_form
                                                      ? PAIL_ENCODING_MONTGOMERY
                                                      : PAIL_ENCODING_CANONICAL,
                                      .table_factor = factor == 1 ? 0 : (uint32_t)factor,
                                      .stride = factor == 1 ? 0 : factor * 2 * width,
                                      .n = work.shared ? work.n : work.n * work.batch};
    status = icicle_operand_take(&work.scalars, "msm: scalars", scalars,
                                 work.n * work.batch * ICICLE_ELEMENT,
                                 config->are_scalars_on_device, work.device);
    if (status == ICICLE_SUCCESS)
        status = icicle_operand_take(&work.points, "msm: points", points,
                                     work.set.n * factor * 2 * width, config->are_points_on_device,
                                     work.device);
    if (status == ICICLE_SUCCESS)
        status = icicle_operand_take(&work.results, "msm: results", results, work.batch * 3 * width,
                                     config->are_results_on_device, work.device);
    if (status == ICICLE_SUCCESS && (icicle_operands_overlap(&work.results, &work.scalars, true) ||
                                     icicle_operands_overlap(&work.results, &work.points, true)))
        status = icicle_fail(ICICLE_INVALID_ARGUMENT, "msm: results overlap scalars or points");
    if (status != ICICLE_SUCCESS) {
        drop_multiplication(&work);
        return status;
    }
    const bool async = config->is_async && config->are_scalars_on_device &&
                       config->are_points_on_device && config->are_results_on_device;
    return icicle_stream_run(work.device, config->stream, async, run_multiplication,
                             drop_multiplication, &work, sizeof(work));
}

/* ---- Bases of several slots ------------------------------------------------------------------ */

struct precomputation {
    struct icicle_operand bases, output;
    uint64_t n, factor, point_bytes;
};

static void drop_precomputation(void *args)
{
    struct precomputation *const work = args;
    icicle_operand_drop(&work->bases);
    icicle_operand_drop(&work->output);
}

static int run_precomputation(void *args)
{
    const struct precomputation *const work = args;
    const uint64_t size = work->point_bytes;
    const uint8_t *bases = NULL;
    uint8_t *copy = NULL;
    uint8_t *const slots = malloc(work->output.bytes ? work->output.bytes : 1);
    int status = slots ? icicle_operand_read(&work->bases, &bases, &copy)
                       : icicle_fail(ICICLE_OUT_OF_MEMORY,
                                     "msm_precompute_bases: out of host memory: %llu bytes",
                                     (unsigned long long)work->output.bytes);
    for (uint64_t i = 0; i < work->n * work->factor && status == ICICLE_SUCCESS; i++)
        memcpy(slots + i * size, bases + i / work->factor * size, size);
    if (status == ICICLE_SUCCESS)
        status = icicle_operand_write(&work->output, 0, slots, work->output.bytes);
    icicle_operand_unread(copy);
    free(slots);
    return icicle_operand_end(&work->output, status);
}

int pail_icicle_precompute(uint32_t curve, uint32_t group, const void *bases, int n,
                           const struct icicle_msm_config *config, void *output)
{
    struct icicle_device *device = NULL;
    int status = check_config("msm_precompute_bases", config, n);
    if (status == ICICLE_SUCCESS)
        status = icicle_device_active(&device);
    if (status != ICICLE_SUCCESS)
        return status;
    struct precomputation work = {.factor = (uint64_t)config->precompute_factor,
                                  .point_bytes = 2 * coordinate_bytes(curve, group)};
    /* n counts the points of one multiplication, unless all share them. */
    work.n = (uint64_t)n * (config->are_points_shared_in_batch ? 1 : (uint64_t)config->batch_size);
    status = icicle_operand_take(&work.bases, "msm_precompute_bases: bases", bases,
                                 work.n * work.point_bytes, config->are_points_on_device, device);
    if (status == ICICLE_SUCCESS)
        status = icicle_operand_take(&work.output, "msm_precompute_bases: output", output,
                                     work.n * work.factor * work.point_bytes,
                                     config->are_results_on_device, device);
    if (status != ICICLE_SUCCESS) {
        drop_precomputation(&work);
        return status;
    }
    return icicle_stream_run(device, config->stream,
                             config->is_async && config->are_points_on_device &&
                                 config->are_results_on_device,
                             run_precomputation, drop_precomputation, &work, sizeof(work));
}
