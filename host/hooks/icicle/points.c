/* SPDX-License-Identifier: Apache-2.0 */
/* Single points on the CPU, and conversions of the coordinates of many. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include <curves/bls12_381.h>
#include <curves/bn254.h>
#include <curves/little_endian.h>
#include <curves/paste.h>
#include <platform/memory.h>
#include <platform/thread.h>

#include "state.h"

/* Functions of one group; points may be of any alignment. */
struct projective_ops {
    size_t coordinate_bytes;
    bool (*add)(uint8_t *r, const uint8_t *p, const uint8_t *q, bool subtract);
    bool (*mul)(uint8_t *r, const uint8_t *p, const uint8_t *scalar);
    bool (*equal)(const uint8_t *p, const uint8_t *q);
    bool (*on_curve)(const uint8_t *p);
    bool (*to_affine)(uint8_t *r, const uint8_t *p);
    bool (*from_affine)(uint8_t *r, const uint8_t *p);
    void (*generator)(uint8_t *r);
    /* Returns the number of the first coordinate that is not below the modulus; n: none. */
    size_t (*convert)(uint8_t *to, const uint8_t *from, size_t n, bool to_montgomery);
};

/* A scalar of any alignment: any 256-bit integer. */
static void read_limbs(uint64_t limbs[4], const uint8_t *bytes)
{
    for (size_t i = 0; i < 4; i++)
        limbs[i] = pail_read_u64(bytes + 8 * i);
}

#define FE pail_bn254_fp
#define EC pail_bn254_g1
#include "projective_template.h"
#define FE pail_bn254_fp2
#define EC pail_bn254_g2
#include "projective_template.h"
#define FE pail_bls12_381_fp
#define EC pail_bls12_381_g1
#include "projective_template.h"
#define FE pail_bls12_381_fp2
#define EC pail_bls12_381_g2
#include "projective_template.h"

static const struct projective_ops *group_of(uint32_t curve, uint32_t group)
{
    if (curve == PAIL_CURVE_BN254)
        return group == PAIL_G1 ? &pail_bn254_g1_projective_table : &pail_bn254_g2_projective_table;
    return group == PAIL_G1 ? &pail_bls12_381_g1_projective_table
                            : &pail_bls12_381_g2_projective_table;
}

/* ---- Points. Those of secret scalars are secret, too: the stack is wiped --------------------- */

/* Zeroes the result of a function that returns nothing, and says why. */
static void refuse(void *result, size_t bytes)
{
    memset(result, 0, bytes);
    (void)icicle_fail(ICICLE_INVALID_ARGUMENT, "a coordinate of a point is not below the modulus");
}

void pail_icicle_point(uint32_t curve, uint32_t group, enum icicle_point_op op, const void *p,
                       const void *q, void *result)
{
    const struct projective_ops *const ops = group_of(curve, group);
    if (!ops->add(result, p, q, op == ICICLE_POINT_SUB))
        refuse(result, 3 * ops->coordinate_bytes);
    pail_wipe_stack();
}

void pail_icicle_point_mul(uint32_t curve, uint32_t group, const void *p, const void *scalar,
                           void *result)
{
    const struct projective_ops *const ops = group_of(curve, group);
    if (!ops->mul(result, p, scalar))
        refuse(result, 3 * ops->coordinate_bytes);
    pail_wipe_stack();
}

bool pail_icicle_point_equal(uint32_t curve, uint32_t group, const void *p, const void *q)
{
    const bool equal = group_of(curve, group)->equal(p, q);
    pail_wipe_stack();
    return equal;
}

bool pail_icicle_point_on_curve(uint32_t curve, uint32_t group, const void *p)
{
    const bool on_curve = group_of(curve, group)->on_curve(p);
    pail_wipe_stack();
    return on_curve;
}

void pail_icicle_to_affine(uint32_t curve, uint32_t group, const void *p, void *affine)
{
    const struct projective_ops *const ops = group_of(curve, group);
    if (!ops->to_affine(affine, p))
        refuse(affine, 2 * ops->coordinate_bytes);
    pail_wipe_stack();
}

void pail_icicle_from_affine(uint32_t curve, uint32_t group, const void *affine, void *p)
{
    const struct projective_ops *const ops = group_of(curve, group);
    if (!ops->from_affine(p, affine))
        refuse(p, 3 * ops->coordinate_bytes);
    pail_wipe_stack();
}

void pail_icicle_generator(uint32_t curve, uint32_t group, void *p)
{
    group_of(curve, group)->generator(p);
}

/* As ICICLE: a hundred random points, which repeat. */
void pail_icicle_points_random(uint32_t curve, uint32_t group, bool affine, void *points, int n)
{
    enum { DISTINCT = 100 };
    const struct projective_ops *const ops = group_of(curve, group);
    const size_t size = (affine ? 2 : 3) * ops->coordinate_bytes;
    uint8_t *const bytes = points;
    uint8_t scalar[ICICLE_ELEMENT], point[3 * PAIL_COORDINATE_MAX];
    for (size_t i = 0; n > 0 && i < (size_t)n; i++) {
        if (i >= DISTINCT) {
            memcpy(bytes + i * size, bytes + (i - DISTINCT) * size, size);
            continue;
        }
        if (!pail_icicle_random(curve, ICICLE_SCALAR_FIELD, scalar, 1)) {
            memset(bytes, 0, (size_t)n * size);
            return;
        }
        ops->generator(point);
        pail_icicle_point_mul(curve, group, point, scalar, point);
        if (affine)
            (void)ops->to_affine(bytes + i * size, point);
        else
            memcpy(bytes + i * size, point, size);
    }
}

/* ---- Coordinates in and out of Montgomery form ----------------------------------------------- */

enum { BLOCK = 1 << 12 }; /* coordinates that a thread converts in one go */

struct conversion {
    struct icicle_device *device;
    struct icicle_operand input, output;
    const struct projective_ops *ops;
    uint64_t n; /* coordinates */
    uint32_t curve, group, coordinates;
    bool to_montgomery;
};
static_assert(sizeof(struct conversion) <= ICICLE_ARGS_MAX, "args are copied");

struct blocks {
    const struct conversion *work;
    const uint8_t *from;
    uint8_t *to;
    atomic_uint_fast64_t bad; /* the first coordinate that is not below the modulus, or n */
};

static void drop_conversion(void *args)
{
    struct conversion *const work = args;
    icicle_operand_drop(&work->input);
    icicle_operand_drop(&work->output);
}

static void convert_block(void *user, uint32_t i)
{
    struct blocks *const blocks = user;
    const struct conversion *const work = blocks->work;
    const uint64_t first = (uint64_t)i * BLOCK;
    const size_t n = work->n - first < BLOCK ? (size_t)(work->n - first) : BLOCK;
    const size_t at = first * work->ops->coordinate_bytes;
    const size_t done =
        work->ops->convert(blocks->to + at, blocks->from + at, n, work->to_montgomery);
    uint_fast64_t bad = atomic_load(&blocks->bad);
    while (done < n && first + done < bad &&
           !atomic_compare_exchange_weak(&blocks->bad, &bad, first + done))
        ;
}

/* The conversion of arrays that the device reaches. Coordinates mean what they are modulo p. */
static int convert_on_device(const struct conversion *work)
{
    struct icicle_ops ops = {.device = work->device, .name = "convert_montgomery"};
    const bool projective = work->coordinates == 3;
    const uint32_t canonical = projective ? PAIL_ENCODING_PROJECTIVE : PAIL_ENCODING_CANONICAL,
                   montgomery =
                       projective ? PAIL_ENCODING_PROJECTIVE_MONTGOMERY : PAIL_ENCODING_MONTGOMERY;
    const pail_vector_op op = {
        .struct_size = sizeof(op),
        .kind = PAIL_VECTOR_OP_POINTS_CONVERT,
        .n = work->n / work->coordinates,
        .address = icicle_operand_address(&work->input),
        .encoding = work->to_montgomery ? canonical : montgomery,
        .to_address = icicle_operand_address(&work->output),
        .to_encoding = work->to_montgomery ? montgomery : canonical,
        .curve = work->curve,
        .group = work->group,
    };
    icicle_ops_add(&ops, &op);
    return icicle_ops_run(&ops, &work->output);
}

static int run_conversion(void *args)
{
    enum { ALIGN = 16 }; /* of the boundary's operations on points */
    const struct conversion *const work = args;
    if (icicle_operand_direct(&work->input, ALIGN) && icicle_operand_direct(&work->output, ALIGN))
        return icicle_operand_end(&work->output, convert_on_device(work));
    struct blocks blocks = {.work = work, .bad = work->n};
    uint8_t *copy = NULL;
    uint8_t *const out = work->output.host ? NULL : malloc(work->output.bytes + 1);
    int status = work->output.host || out
                     ? icicle_operand_read(&work->input, &blocks.from, &copy)
                     : icicle_fail(ICICLE_OUT_OF_MEMORY, "convert_montgomery: out of host memory");
    if (status == ICICLE_SUCCESS) {
        icicle_operand_changes(&work->output);
        blocks.to = out ? out : work->output.host;
        pail_team_run((uint32_t)((work->n + BLOCK - 1) / BLOCK), pail_team_processors(),
                      convert_block, &blocks);
        icicle_operand_changes(&work->output);
        if (blocks.bad < work->n)
            status = icicle_fail(ICICLE_INVALID_ARGUMENT,
                                 "convert_montgomery: coordinate %llu is not below the modulus",
                                 (unsigned long long)blocks.bad);
    }
    if (status == ICICLE_SUCCESS && out)
        status = icicle_operand_write(&work->output, 0, out, work->output.bytes);
    icicle_operand_unread(copy);
    free(out);
    return icicle_operand_end(&work->output, status);
}

int pail_icicle_convert_points(uint32_t curve, uint32_t group, uint32_t coordinates,
                               const void *input, uint64_t n, bool to_montgomery,
                               const struct icicle_vectors_config *config, void *output)
{
    const struct projective_ops *const ops = group_of(curve, group);
    struct icicle_device *device = NULL;
    if (!config)
        return icicle_fail(ICICLE_INVALID_POINTER, "convert_montgomery: the configuration is NULL");
    if (n >= ICICLE_COUNT_MAX / 4)
        return icicle_fail(ICICLE_INVALID_ARGUMENT, "convert_montgomery: %llu points are too many",
                           (unsigned long long)n);
    int status = icicle_device_active(&device);
    if (status != ICICLE_SUCCESS)
        return status;
    struct conversion work = {.device = device,
                              .ops = ops,
                              .curve = curve,
                              .group = group,
                              .coordinates = coordinates,
                              .to_montgomery = to_montgomery};
    work.n = n * coordinates; /* as ICICLE, which does not look at batch_size here */
    const uint64_t bytes = work.n * ops->coordinate_bytes;
    status = icicle_operand_take(&work.input, "convert_montgomery: input", input, bytes,
                                 config->is_a_on_device, device);
    if (status == ICICLE_SUCCESS)
        status = icicle_operand_take(&work.output, "convert_montgomery: output", output, bytes,
                                     config->is_result_on_device, device);
    if (status == ICICLE_SUCCESS && icicle_operands_overlap(&work.output, &work.input, false))
        status = icicle_fail(ICICLE_INVALID_ARGUMENT,
                             "convert_montgomery: the output overlaps the input without being the "
                             "same array");
    if (status != ICICLE_SUCCESS) {
        drop_conversion(&work);
        return status;
    }
    return icicle_stream_run(device, config->stream,
                             config->is_async && config->is_a_on_device &&
                                 config->is_result_on_device,
                             run_conversion, drop_conversion, &work, sizeof(work));
}
