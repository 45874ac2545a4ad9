#include "bases.h"

#include <string.h>

#include <shared/msm_layout.h>

#include "../vk/cmd.h"
#include "../vk/staging.h"

/* Raw points that are on the device at a time while a set is converted. */
#define RAW_BYTES ((uint64_t)32 << 20)

enum pail_field_form pail_default_form(const struct pail_vk_caps *caps)
{
    return caps->int64 ? PAIL_FORM_X29 : PAIL_FORM_X32;
}

static uint64_t min_u64(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Points of a segment: as many as one binding and one buffer reach, in whole thousands so that
 * every segment starts at an alignment. */
static uint64_t segment_points(const struct pail_vk_caps *caps, uint32_t point_bytes)
{
    const uint64_t bytes = min_u64(caps->max_storage_range, caps->max_buffer_bytes);
    const uint64_t points = bytes / point_bytes;
    return points - points % 1024;
}

static uint64_t points_of_segment(const struct pail_bases *bases, uint32_t i)
{
    return min_u64(bases->segment, bases->n - i * bases->segment);
}

static void free_copy(struct pail_bases *bases, struct pail_bases_copy *copy)
{
    for (uint32_t i = 0; i < copy->n_segments; i++)
        pail_vk_buffer_destroy(bases->ctx->dev, &copy->segments[i]);
    pail_free(&bases->ctx->alloc, copy->segments);
    memset(copy, 0, sizeof(*copy));
}

static pail_status make_copy(struct pail_bases *bases, struct pail_bases_copy *copy,
                             struct pail_error *err)
{
    const uint32_t n = (uint32_t)((bases->n + bases->segment - 1) / bases->segment);
    if (n == 0)
        return PAIL_OK;
    copy->segments = pail_calloc(&bases->ctx->alloc, n, sizeof(*copy->segments));
    if (!copy->segments)
        return pail_fail(err, PAIL_ERR_HOST_MEMORY, "no host memory for %u base segments", n);
    for (; copy->n_segments < n; copy->n_segments++) {
        const uint64_t points = points_of_segment(bases, copy->n_segments);
        const pail_status status = pail_vk_buffer_create(
            bases->ctx->dev, &copy->segments[copy->n_segments], PAIL_VK_MEMORY_DEVICE,
            points * bases->group.point_bytes, "bases", err);
        if (status != PAIL_OK) {
            free_copy(bases, copy);
            return status;
        }
    }
    return PAIL_OK;
}

/* What was submitted before a failure may still use the buffers that are about to go. */
static void settle(struct pail_vk_device *dev)
{
    (void)pail_vk_wait(dev, pail_vk_last_ticket(dev, PAIL_VK_QUEUE_MAIN), PAIL_VK_FOREVER, NULL);
}

/* One dispatch of msm/convert. */
struct conversion {
    struct pail_vk_slice raw, bases, status;
    struct msm_convert_push push;
};

static pail_status convert(struct pail_bases *bases, enum pail_field_form form,
                           const struct conversion *c, struct pail_error *err)
{
    struct pail_vk_device *dev = bases->ctx->dev;
    const struct pail_vk_pipeline *pipeline;
    const struct pail_variant variant = {bases->group.curve, bases->group.group, form};
    pail_status status =
        pail_vk_pipeline_get(dev, PAIL_KERNEL_MSM_CONVERT, variant, NULL, 0, &pipeline, err);
    if (status != PAIL_OK)
        return status;
    struct pail_vk_cmd *cmd;
    status = pail_vk_cmd_begin(dev, PAIL_VK_QUEUE_MAIN, "bases", &cmd, err);
    if (status != PAIL_OK)
        return status;
    const uint32_t groups = (c->push.n + MSM_CONVERT_WORKGROUP - 1) / MSM_CONVERT_WORKGROUP;
    const struct pail_vk_slice bindings[] = {c->raw, c->bases, c->status};
    pail_vk_cmd_dispatch(cmd, pipeline, bindings, 3, &c->push, sizeof(c->push), groups, 1, 1);
    pail_vk_cmd_barrier(cmd, PAIL_VK_COMPUTE, PAIL_VK_COMPUTE | PAIL_VK_TRANSFER);
    pail_vk_ticket ticket;
    status = pail_vk_cmd_submit(cmd, &ticket, err);
    /* The raw points are overwritten next, and a failure below must leave nothing running. */
    if (status == PAIL_OK)
        status = pail_vk_wait(dev, ticket, PAIL_VK_FOREVER, err);
    pail_vk_cmd_release(&cmd);
    return status;
}

/* Points from the caller's layout to packed ones; infinity bytes become zero coordinates. */
static void pack(uint8_t *out, const pail_bases_desc *desc, size_t point_bytes, size_t first,
                 size_t n)
{
    const size_t stride = desc->stride ? desc->stride : point_bytes;
    const uint8_t *in = (const uint8_t *)desc->points + first * stride;
    for (size_t i = 0; i < n; i++, in += stride, out += point_bytes) {
        if (desc->infinity_byte && in[desc->infinity_byte - 1])
            memset(out, 0, point_bytes);
        else
            memcpy(out, in, point_bytes);
    }
}

static pail_status refuse(const struct pail_bases *bases, const pail_bases_desc *desc,
                          const uint32_t words[MSM_STATUS_WORDS], size_t *bad_index,
                          struct pail_error *err)
{
    const uint32_t range = words[MSM_STATUS_RANGE], curve = words[MSM_STATUS_OFF_CURVE];
    if (range == UINT32_MAX && curve == UINT32_MAX)
        return PAIL_OK;
    const uint32_t bad = range < curve ? range : curve;
    *bad_index = bad;
    uint8_t point[4 * PAIL_COORDINATE_MAX];
    pack(point, desc, bases->group.point_bytes, bad, 1);
    char hex[2 * PAIL_COORDINATE_MAX + 1];
    const size_t bytes = bases->group.ops->coordinate_bytes;
    for (size_t i = 0; i < bytes; i++) {
        static const char digits[] = "0123456789abcdef";
        hex[2 * i] = digits[point[bytes - 1 - i] >> 4];
        hex[2 * i + 1] = digits[point[bytes - 1 - i] & 15];
    }
    hex[2 * bytes] = '\0';
    return pail_fail(err, PAIL_ERR_DATA, "points: point %u (x = 0x%s as given) %s %s", bad, hex,
                     range < curve ? "has a coordinate that is not below the field modulus of"
                                   : "is not on the curve",
                     bases->group.ops->curve_name);
}

/* Uploads and converts piece by piece. */
static pail_status fill(struct pail_bases *bases, const pail_bases_desc *desc, size_t *bad_index,
                        struct pail_error *err)
{
    struct pail_vk_device *dev = bases->ctx->dev;
    const struct pail_vk_caps *caps = pail_vk_device_caps(dev);
    const uint32_t point_bytes = bases->group.point_bytes;
    const bool packed = (!desc->stride || desc->stride == point_bytes) && !desc->infinity_byte;
    uint64_t piece = min_u64(RAW_BYTES, caps->max_storage_range) / point_bytes;
    piece = min_u64(piece, (uint64_t)caps->max_workgroup_count[0] * MSM_CONVERT_WORKGROUP);
    piece = min_u64(piece, bases->n);

    struct pail_vk_buffer raw = {0}, report = {0};
    uint8_t *host = NULL;
    uint32_t words[MSM_STATUS_WORDS] = {UINT32_MAX, UINT32_MAX};
    pail_status status = pail_vk_buffer_create(dev, &raw, PAIL_VK_MEMORY_DEVICE,
                                               piece * point_bytes, "raw points", err);
    if (status == PAIL_OK)
        status = pail_vk_buffer_create(dev, &report, PAIL_VK_MEMORY_DEVICE, sizeof(words),
                                       "point status", err);
    if (status != PAIL_OK)
        goto out;
    if (!packed && !(host = pail_calloc(&bases->ctx->alloc, (size_t)piece, point_bytes))) {
        status = pail_fail(err, PAIL_ERR_HOST_MEMORY, "no host memory to pack %llu points",
                           (unsigned long long)piece);
        goto out;
    }
    const struct pail_vk_slice report_slice = pail_vk_buffer_slice(&report, 0, sizeof(words));
    status = pail_vk_upload(dev, &report_slice, 0, words, sizeof(words), NULL, err);
    for (uint64_t first = 0, n; first < bases->n && status == PAIL_OK; first += n) {
        const uint64_t at = first % bases->segment;
        const uint32_t segment = (uint32_t)(first / bases->segment);
        n = min_u64(min_u64(piece, bases->n - first), bases->segment - at);
        const uint8_t *points = (const uint8_t *)desc->points + first * point_bytes;
        if (!packed) {
            pack(host, desc, point_bytes, (size_t)first, (size_t)n);
            points = host;
        }
        const struct conversion c = {
            .raw = pail_vk_buffer_slice(&raw, 0, n * point_bytes),
            .bases = pail_vk_buffer_slice(&bases->copies[bases->form].segments[segment],
                                          at * point_bytes, n * point_bytes),
            .status = report_slice,
            .push = {.n = (uint32_t)n,
                     .encoding = desc->encoding,
                     .validation = desc->validation != PAIL_VALIDATE_NONE,
                     .first = (uint32_t)first},
        };
        status = pail_vk_upload(dev, &c.raw, 0, points, n * point_bytes, NULL, err);
        if (status == PAIL_OK)
            status = convert(bases, bases->form, &c, err);
    }
    if (status == PAIL_OK)
        status =
            pail_vk_download(dev, &report_slice, 0, words, sizeof(words), PAIL_VK_FOREVER, err);
    if (status == PAIL_OK)
        status = refuse(bases, desc, words, bad_index, err);
out:
    if (status != PAIL_OK)
        settle(dev);
    pail_free(&bases->ctx->alloc, host);
    pail_vk_buffer_destroy(dev, &report);
    pail_vk_buffer_destroy(dev, &raw);
    return status;
}

static pail_status check(const pail_bases_desc *desc, const struct pail_msm_group *group,
                         struct pail_error *err)
{
    if (desc->encoding != PAIL_ENCODING_CANONICAL && desc->encoding != PAIL_ENCODING_MONTGOMERY)
        return pail_fail(err, PAIL_ERR_ARGUMENT, "encoding: %u is not a pail_encoding",
                         desc->encoding);
    if (desc->validation > PAIL_VALIDATE_SUBGROUP)
        return pail_fail(err, PAIL_ERR_ARGUMENT, "validation: %u is not a pail_validation",
                         desc->validation);
    if (desc->stride && desc->stride < group->point_bytes)
        return pail_fail(err, PAIL_ERR_ARGUMENT, "stride: %zu is less than a point's %u bytes",
                         desc->stride, group->point_bytes);
    if (desc->infinity_byte > (desc->stride ? desc->stride : group->point_bytes))
        return pail_fail(err, PAIL_ERR_ARGUMENT, "infinity_byte: %u lies outside the stride",
                         desc->infinity_byte);
    if (!desc->points && desc->n_points)
        return pail_fail(err, PAIL_ERR_ARGUMENT, "points: NULL with n_points = %zu",
                         desc->n_points);
    if (desc->n_points > MSM_HANDLE_SIGN - 1)
        return pail_fail(err, PAIL_ERR_UNSUPPORTED, "n_points: %zu is more than 2^31 - 1",
                         desc->n_points);
    if (desc->table_factor > 1)
        return pail_fail(err, PAIL_ERR_UNSUPPORTED,
                         "table_factor: %u, but this backend keeps no tables", desc->table_factor);
    return PAIL_OK;
}

pail_status pail_bases_register(struct pail_context *ctx, struct pail_bases **out,
                                size_t *bad_index, const pail_bases_desc *desc,
                                struct pail_error *err)
{
    *out = NULL;
    *bad_index = SIZE_MAX;
    struct pail_msm_group group;
    pail_status status = pail_msm_group(&group, desc->curve, desc->group, err);
    if (status == PAIL_OK)
        status = check(desc, &group, err);
    if (status != PAIL_OK)
        return status;
    struct pail_bases *bases = pail_calloc(&ctx->alloc, 1, sizeof(*bases));
    if (!bases)
        return pail_fail(err, PAIL_ERR_HOST_MEMORY, "no host memory for a set of bases");
    const struct pail_vk_caps *caps = pail_vk_device_caps(ctx->dev);
    bases->ctx = ctx;
    bases->group = group;
    bases->n = desc->n_points;
    bases->segment = segment_points(caps, group.point_bytes);
    bases->form = pail_default_form(caps);
    atomic_init(&bases->references, 1);
    status = make_copy(bases, &bases->copies[bases->form], err);
    if (status == PAIL_OK && bases->n)
        status = fill(bases, desc, bad_index, err);
    if (status != PAIL_OK) {
        pail_bases_release(bases);
        return status;
    }
    *out = bases;
    return PAIL_OK;
}

void pail_bases_retain(struct pail_bases *bases)
{
    atomic_fetch_add_explicit(&bases->references, 1, memory_order_relaxed);
}

void pail_bases_release(struct pail_bases *bases)
{
    if (!bases || atomic_fetch_sub_explicit(&bases->references, 1, memory_order_acq_rel) != 1)
        return;
    for (uint32_t f = 0; f < PAIL_FORM_COUNT; f++)
        free_copy(bases, &bases->copies[f]);
    pail_free(&bases->ctx->alloc, bases);
}

static pail_status convert_copy(struct pail_bases *bases, struct pail_bases_copy *copy,
                                enum pail_field_form form, struct pail_error *err)
{
    struct pail_vk_device *dev = bases->ctx->dev;
    const uint32_t point_bytes = bases->group.point_bytes;
    const uint64_t piece =
        min_u64(bases->segment,
                (uint64_t)pail_vk_device_caps(dev)->max_workgroup_count[0] * MSM_CONVERT_WORKGROUP);
    struct pail_vk_buffer report = {0};
    pail_status status = pail_vk_buffer_create(dev, &report, PAIL_VK_MEMORY_DEVICE,
                                               4 * MSM_STATUS_WORDS, "point status", err);
    for (uint64_t first = 0, n; first < bases->n && status == PAIL_OK; first += n) {
        const uint64_t at = first % bases->segment;
        const uint32_t segment = (uint32_t)(first / bases->segment);
        n = min_u64(min_u64(piece, bases->n - first), bases->segment - at);
        const struct conversion c = {
            .raw = pail_vk_buffer_slice(&bases->copies[bases->form].segments[segment],
                                        at * point_bytes, n * point_bytes),
            .bases =
                pail_vk_buffer_slice(&copy->segments[segment], at * point_bytes, n * point_bytes),
            .status = pail_vk_buffer_slice(&report, 0, 4 * MSM_STATUS_WORDS),
            .push = {.n = (uint32_t)n, .encoding = MSM_ENCODING_OTHER_FORM},
        };
        status = convert(bases, form, &c, err);
    }
    if (status != PAIL_OK)
        settle(dev);
    pail_vk_buffer_destroy(dev, &report);
    return status;
}

pail_status pail_bases_in_form(struct pail_bases *bases, enum pail_field_form form,
                               struct pail_error *err)
{
    struct pail_bases_copy *copy = &bases->copies[form];
    pthread_mutex_lock(&bases->ctx->lock);
    pail_status status = PAIL_OK;
    if (bases->n && !copy->segments) {
        struct pail_bases_copy made = {0};
        status = make_copy(bases, &made, err);
        if (status == PAIL_OK)
            status = convert_copy(bases, &made, form, err);
        if (status == PAIL_OK)
            *copy = made;
        else
            free_copy(bases, &made);
    }
    pthread_mutex_unlock(&bases->ctx->lock);
    return status;
}

struct pail_vk_slice pail_bases_slice(const struct pail_bases *bases, enum pail_field_form form,
                                      uint64_t first, uint64_t count, uint32_t *base_first)
{
    const uint32_t point_bytes = bases->group.point_bytes;
    const uint64_t align = pail_vk_device_caps(bases->ctx->dev)->storage_align;
    const uint64_t at = first % bases->segment;
    /* The alignment is a power of two and a point a multiple of 32 bytes, so `align` points are
     * always whole alignments. */
    const uint64_t start = at - at % align;
    *base_first = (uint32_t)(at - start);
    return pail_vk_buffer_slice(&bases->copies[form].segments[first / bases->segment],
                                start * point_bytes, (at - start + count) * point_bytes);
}
