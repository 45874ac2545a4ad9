/* SPDX-License-Identifier: Apache-2.0 */
#include "points.h"

#include <assert.h>
#include <string.h>

#include <shared/msm_layout.h>

#include "msm/plan/integers.h"
#include "msm/plan/work.h"
#include "vk/cmd.h"
#include "vk/send.h"
#include "vk/staging.h"

/* Points in one form that are on the device at a time while a set is converted. */
#define PIECE_BYTES ((uint64_t)32 << 20)

/* Points whose subgroup is checked at a time: enough to fill a device, few enough for a driver that
 * gives up on work that takes seconds. */
#define CHECK_POINTS 65536u

/* State of one pass over all points of a set. */
struct pass {
    struct pail_bases *bases;
    struct pail_intake *intake; /* the caller's points; NULL: those of the copy there is */
    struct pail_bases_copy *to;
    enum pail_field_form form;  /* form of `to` */
    uint64_t raw_bytes;         /* bytes of an incoming point */
    bool jacobian;              /* it is a Jacobian point; else: */
    uint32_t encoding;          /* MSM_ENCODING_ of other points */
    bool validate;              /* checks that points are on the curve */
    bool check;                 /* checks that points are in the subgroup */
    uint32_t factor;            /* copies of each point that are gone through, one like another */
    uint64_t piece;             /* points, at most */
    struct pail_vk_buffer raw;  /* incoming bytes, unless they are on the device anyway */
    struct pail_vk_buffer made; /* outgoing points, unless they stay on the device as they are */
    struct pail_vk_buffer sums; /* sums of the check, from one dispatch to the next */
    struct pail_vk_buffer report;
};

static uint64_t max_u64(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static size_t original(const struct pail_bases *bases, uint64_t kept)
{
    return (size_t)(bases->map ? bases->map[kept] : kept);
}

/* ---- Buffers -------------------------------------------------------------------------------- */
static bool on_host(const struct pass *p)
{
    return p->bases->residency == PAIL_RESIDENCY_HOST;
}

/* True if converted points do not stay where they were written. */
static bool passes_on(const struct pass *p)
{
    return on_host(p) || p->bases->compact;
}

uint64_t pail_points_least_bytes(const struct pail_bases *bases, uint64_t raw_bytes)
{
    return (uint64_t)PAIL_PIECE_POINTS *
               (raw_bytes + bases->group.point_bytes + bases->group.xyzz_bytes) +
           4 * MSM_STATUS_WORDS;
}

static void pass_end(struct pass *p)
{
    struct pail_vk_device *dev = p->bases->msm->dev;
    pail_vk_buffer_destroy(dev, &p->report);
    pail_vk_buffer_destroy(dev, &p->sums);
    pail_vk_buffer_destroy(dev, &p->made);
    pail_vk_buffer_destroy(dev, &p->raw);
}

/* Chooses the size of a piece and allocates what one takes. */
static pail_status pass_begin(struct pass *p, uint64_t room, struct pail_error *err)
{
    struct pail_vk_device *dev = p->bases->msm->dev;
    const struct pail_vk_caps *caps = pail_vk_device_caps(dev);
    const uint64_t point_bytes = p->bases->group.point_bytes;
    const uint64_t sum_bytes = p->check ? p->bases->group.xyzz_bytes : 0;
    const bool raw = p->intake || on_host(p);
    const uint64_t raw_bytes = raw ? p->raw_bytes : 0;
    const uint64_t per_point = raw_bytes + (passes_on(p) ? point_bytes : 0) + sum_bytes;
    const uint64_t widest = max_u64(sum_bytes, max_u64(point_bytes, raw_bytes));
    p->piece = p->check ? CHECK_POINTS : PIECE_BYTES / point_bytes;
    if (per_point)
        p->piece = min_u64(p->piece, room / per_point);
    p->piece = min_u64(p->piece, min_u64(caps->max_storage_range, caps->max_buffer_bytes) / widest);
    p->piece = min_u64(p->piece, (uint64_t)caps->max_workgroup_count[0] * MSM_CONVERT_WORKGROUP);
    p->piece -= p->piece % PAIL_PIECE_POINTS;
    if (p->piece == 0)
        p->piece = PAIL_PIECE_POINTS; /* the caller knows that there is room for one */
    p->piece = min_u64(p->piece, p->bases->kept * p->factor);

    const uint64_t bytes = p->piece * point_bytes;
    pail_status status = pail_vk_buffer_create(dev, &p->report, PAIL_VK_MEMORY_DEVICE,
                                               4 * MSM_STATUS_WORDS, "point status", err);
    if (status == PAIL_OK && raw)
        status = pail_vk_buffer_create(dev, &p->raw, PAIL_VK_MEMORY_DEVICE, p->piece * raw_bytes,
                                       "raw points", err);
    if (status == PAIL_OK && passes_on(p))
        status = pail_vk_buffer_create(dev, &p->made, PAIL_VK_MEMORY_DEVICE, bytes,
                                       "converted points", err);
    if (status == PAIL_OK && p->check)
        status = pail_vk_buffer_create(dev, &p->sums, PAIL_VK_MEMORY_DEVICE, p->piece * sum_bytes,
                                       "subgroup check", err);
    if (status != PAIL_OK)
        pass_end(p);
    return status;
}

static struct pail_vk_slice report_of(const struct pass *p)
{
    return pail_vk_buffer_slice(&p->report, 0, 4 * MSM_STATUS_WORDS);
}

/* ---- Pieces --------------------------------------------------------------------------------- */
struct piece {
    uint64_t first, n;
    struct pail_vk_slice in, out;
};

/* Points on the device: those of a copy that stays there. */
static struct pail_vk_slice resident(const struct pass *p, const struct pail_bases_copy *copy,
                                     uint64_t first, uint64_t n)
{
    const uint64_t bytes = pail_bases_stored_bytes(p->bases) / p->bases->table.factor;
    const uint64_t segment = p->bases->segment * p->factor;
    return pail_vk_buffer_slice(&copy->segments[first / segment], first % segment * bytes,
                                n * bytes);
}

/* The caller's points go into the staging ring as they come in: while the device copies the ones,
 * others are read. */
static pail_status take_in(const struct pass *p, const struct piece *piece, struct pail_error *err)
{
    struct pail_intake_piece coming = {.intake = p->intake, .first = piece->first};
    const struct pail_vk_parcel parcel = {
        .dst = &piece->in, .bytes = piece->in.size, .fill = pail_intake_fill, .user = &coming};
    return pail_vk_send_all(p->bases->msm->dev, &parcel, NULL, err);
}

/* Points in memory at an address need not be aligned as a binding is. */
static pail_status copy_in(const struct pass *p, const struct piece *piece, struct pail_error *err)
{
    struct pail_vk_cmd *cmd;
    pail_vk_ticket ticket;
    pail_status status =
        pail_vk_cmd_begin(p->bases->msm->dev, PAIL_VK_QUEUE_MAIN, "bases", &cmd, err);
    if (status != PAIL_OK)
        return status;
    pail_vk_cmd_barrier(cmd, PAIL_VK_ANYTHING, PAIL_VK_TRANSFER);
    pail_vk_cmd_copy(cmd, &p->intake->memory, piece->first * p->raw_bytes, &piece->in, 0,
                     piece->in.size);
    pail_vk_cmd_barrier(cmd, PAIL_VK_TRANSFER, PAIL_VK_COMPUTE);
    status = pail_vk_cmd_submit(cmd, &ticket, err);
    pail_vk_cmd_release(&cmd);
    return status;
}

/* Brings the points of a piece to the device, if they are not there. */
static pail_status bring(struct pass *p, struct piece *piece, struct pail_error *err)
{
    const struct pail_bases *bases = p->bases;
    const struct pail_bases_copy *from = &bases->copies[bases->form];
    if (!p->intake && !on_host(p)) {
        piece->in = resident(p, from, piece->first, piece->n);
        return PAIL_OK;
    }
    piece->in = pail_vk_buffer_slice(&p->raw, 0, piece->n * p->raw_bytes);
    if (p->intake)
        return (p->intake->memory.buffer ? copy_in : take_in)(p, piece, err);
    return pail_vk_upload(bases->msm->dev, &piece->in, 0,
                          pail_bases_host_at(bases, from, piece->first), piece->in.size, NULL, err);
}

static void dispatch_check(const struct pass *p, struct pail_vk_cmd *cmd,
                           const struct pail_vk_pipeline *pipeline, const struct piece *piece,
                           uint32_t groups)
{
    struct msm_check_push push = {
        .n = (uint32_t)piece->n,
        .first = (uint32_t)piece->first,
    };
    push.steps =
        pail_msm_steps_at_once(p->bases->msm->dev, PAIL_KERNEL_MSM_CHECK, &p->bases->group, p->form,
                               piece->n, PAIL_MSM_STEP_ADDITIONS,
                               p->form == PAIL_FORM_X32 ? MSM_CHECK_STEPS_X32 : MSM_CHECK_BITS_MAX);
    const struct pail_vk_slice bindings[] = {
        piece->out, pail_vk_buffer_slice(&p->sums, 0, piece->n * p->bases->group.xyzz_bytes),
        report_of(p)};
    for (; push.step < MSM_CHECK_BITS_MAX; push.step += push.steps) {
        const uint32_t bits = pail_msm_check_bits(&p->bases->group);
        const uint32_t left = push.step < bits ? bits - push.step : 0;
        const double steps = push.steps < left ? push.steps : left;
        pail_msm_expect_additions(cmd, &p->bases->group,
                                  PAIL_MSM_STEP_ADDITIONS * steps * (double)piece->n);
        pail_vk_cmd_dispatch(cmd, pipeline, bindings, 3, &push, sizeof(push), groups, 1, 1);
        pail_vk_cmd_barrier(cmd, PAIL_VK_COMPUTE, PAIL_VK_COMPUTE);
    }
}

static uint32_t groups_of(uint64_t threads, uint32_t workgroup)
{
    return (uint32_t)((threads + workgroup - 1) / workgroup);
}

static void dispatch_normalize(const struct pass *p, struct pail_vk_cmd *cmd,
                               const struct pail_vk_pipeline *pipeline, const struct piece *piece)
{
    const uint32_t each =
        p->form == PAIL_FORM_X32 ? MSM_NORMALIZE_POINTS_X32 : MSM_NORMALIZE_POINTS;
    const struct msm_normalize_push push = {
        .n = (uint32_t)piece->n,
        .threads = (uint32_t)((piece->n + each - 1) / each),
        .validation = p->validate,
        .first = (uint32_t)piece->first,
    };
    const struct pail_vk_slice bindings[] = {piece->in, piece->out, report_of(p)};
    pail_msm_expect_additions(cmd, &p->bases->group,
                              PAIL_MSM_STEP_ADDITIONS * (double)piece->n +
                                  PAIL_MSM_INVERSION_ADDITIONS * (double)push.threads);
    pail_vk_cmd_dispatch(cmd, pipeline, bindings, 3, &push, sizeof(push),
                         groups_of(push.threads, MSM_NORMALIZE_WORKGROUP), 1, 1);
    pail_vk_cmd_barrier(cmd, PAIL_VK_COMPUTE, PAIL_VK_COMPUTE);
}

static void dispatch_convert(const struct pass *p, struct pail_vk_cmd *cmd,
                             const struct pail_vk_pipeline *pipeline, const struct piece *piece,
                             uint32_t groups)
{
    const struct msm_convert_push push = {
        .n = (uint32_t)piece->n,
        .encoding = p->encoding,
        .validation = p->validate,
        .first = (uint32_t)piece->first,
    };
    const struct pail_vk_slice bindings[] = {piece->in, piece->out, report_of(p)};
    pail_msm_expect_additions(cmd, &p->bases->group, (double)piece->n);
    pail_vk_cmd_dispatch(cmd, pipeline, bindings, 3, &push, sizeof(push), groups, 1, 1);
    pail_vk_cmd_barrier(cmd, PAIL_VK_COMPUTE, PAIL_VK_COMPUTE);
}

static void dispatch_compact(const struct pass *p, struct pail_vk_cmd *cmd,
                             const struct pail_vk_pipeline *pipeline, const struct piece *piece)
{
    const struct msm_compact_push push = {.n = (uint32_t)piece->n};
    const struct pail_vk_slice bindings[] = {piece->out,
                                             resident(p, p->to, piece->first, piece->n)};
    pail_msm_expect_additions(cmd, &p->bases->group, (double)piece->n);
    pail_vk_cmd_dispatch(cmd, pipeline, bindings, 2, &push, sizeof(push),
                         groups_of(piece->n, MSM_COMPACT_WORKGROUP), 1, 1);
    pail_vk_cmd_barrier(cmd, PAIL_VK_COMPUTE, PAIL_VK_COMPUTE);
}

pail_status pail_points_pipeline(struct pail_bases *bases, enum pail_kernel_id kernel,
                                 enum pail_field_form form,
                                 const struct pail_vk_pipeline **pipeline, struct pail_error *err)
{
    const struct pail_vk_pipeline_request request = {
        .kernel = kernel, .variant = {bases->group.curve, bases->group.group, form, 0}};
    struct pail_msm *msm = bases->msm;
    struct pail_vk_pipeline_stats stats = {0};
    const pail_status status = pail_vk_pipeline_find(msm->dev, &request, pipeline, &stats, err);
    pthread_mutex_lock(&msm->lock);
    pail_vk_pipeline_stats_add(&bases->pipelines, &stats);
    pthread_mutex_unlock(&msm->lock);
    return status;
}

static pail_status convert(struct pass *p, const struct piece *piece, struct pail_error *err)
{
    struct pail_vk_device *dev = p->bases->msm->dev;
    const struct pail_vk_pipeline *convert, *check = NULL, *compact = NULL;
    const enum pail_kernel_id kernel =
        p->jacobian ? PAIL_KERNEL_MSM_NORMALIZE : PAIL_KERNEL_MSM_CONVERT;
    pail_status status = pail_points_pipeline(p->bases, kernel, p->form, &convert, err);
    if (status == PAIL_OK && p->check)
        status = pail_points_pipeline(p->bases, PAIL_KERNEL_MSM_CHECK, p->form, &check, err);
    if (status == PAIL_OK && p->bases->compact)
        status = pail_points_pipeline(p->bases, PAIL_KERNEL_MSM_COMPACT, p->form, &compact, err);
    if (status != PAIL_OK)
        return status;
    struct pail_vk_cmd *cmd;
    status = pail_vk_cmd_begin(dev, PAIL_VK_QUEUE_MAIN, "bases", &cmd, err);
    if (status != PAIL_OK)
        return status;
    static_assert(MSM_CONVERT_WORKGROUP == MSM_CHECK_WORKGROUP, "one count of workgroups for both");
    const uint32_t groups = groups_of(piece->n, MSM_CONVERT_WORKGROUP);
    if (p->jacobian)
        dispatch_normalize(p, cmd, convert, piece);
    else
        dispatch_convert(p, cmd, convert, piece, groups);
    if (p->check)
        dispatch_check(p, cmd, check, piece, groups);
    if (p->bases->compact)
        dispatch_compact(p, cmd, compact, piece);
    /* Before the next piece overwrites what this one reads, and before anyone uses the points. */
    pail_vk_cmd_barrier(cmd, PAIL_VK_COMPUTE, PAIL_VK_COMPUTE | PAIL_VK_TRANSFER);
    pail_vk_ticket ticket;
    status = pail_vk_cmd_submit(cmd, &ticket, err);
    pail_vk_cmd_release(&cmd);
    return status;
}

static pail_status do_piece(struct pass *p, uint64_t first, uint64_t n, struct pail_error *err)
{
    const uint64_t bytes = n * p->bases->group.point_bytes;
    struct piece piece = {.first = first, .n = n};
    pail_status status = bring(p, &piece, err);
    piece.out =
        passes_on(p) ? pail_vk_buffer_slice(&p->made, 0, bytes) : resident(p, p->to, first, n);
    if (status == PAIL_OK)
        status = convert(p, &piece, err);
    if (status == PAIL_OK && on_host(p)) {
        status = pail_vk_download(p->bases->msm->dev, &piece.out, 0,
                                  pail_bases_host_at(p->bases, p->to, first), bytes,
                                  PAIL_VK_FOREVER, err);
    }
    return status;
}

/* ---- Reports -------------------------------------------------------------------------------- */
static_assert((int)MSM_STATUS_RANGE == (int)PAIL_POINT_NOT_BELOW_P &&
                  (int)MSM_STATUS_OFF_CURVE == (int)PAIL_POINT_OFF_CURVE &&
                  (int)MSM_STATUS_NOT_IN_SUBGROUP == (int)PAIL_POINT_NOT_IN_SUBGROUP,
              "the kernels' numbers of defects are the sentences'");

/* Reads what the kernels found, and names the first bad point with what is wrong with it first: a
 * point off the curve is in no subgroup either. */
static pail_status judge(struct pass *p, size_t *bad_index, struct pail_error *err)
{
    const struct pail_vk_slice report = report_of(p);
    uint32_t words[MSM_STATUS_WORDS], fault = 0;
    const pail_status status = pail_vk_download(p->bases->msm->dev, &report, 0, words,
                                                sizeof(words), PAIL_VK_FOREVER, err);
    if (status != PAIL_OK)
        return status;
    for (uint32_t i = 1; i < MSM_STATUS_WORDS; i++)
        if (words[i] < words[fault])
            fault = i;
    if (words[fault] == UINT32_MAX)
        return PAIL_OK;
    const struct pail_msm_group *group = &p->bases->group;
    uint8_t point[3 * PAIL_COORDINATE_MAX];
    const size_t bad = original(p->bases, words[fault]);
    const pail_status again = pail_intake_point(p->intake, point, bad, err);
    if (again != PAIL_OK)
        return again;
    *bad_index = bad;
    const struct pail_bad_point named = {
        .index = bad,
        .at = point,
        .coordinate_bytes = group->ops->coordinate_bytes,
        .group = group->group,
        .defect = (enum pail_point_defect)fault,
        .curve_name = group->ops->curve_name,
        .group_name = group->ops->group_name,
    };
    char text[PAIL_BAD_POINT_TEXT];
    pail_bad_point_text(text, &named);
    return pail_fail(err, PAIL_ERR_DATA, "%s", text);
}

static pail_status run(struct pass *p, uint64_t room, size_t *bad_index, struct pail_error *err)
{
    struct pail_bases *bases = p->bases;
    struct pail_vk_device *dev = bases->msm->dev;
    if (bases->kept == 0)
        return PAIL_OK;
    pail_status status = pass_begin(p, room, err);
    if (status != PAIL_OK)
        return status;
    uint32_t none[MSM_STATUS_WORDS];
    memset(none, 0xff, sizeof(none));
    const struct pail_vk_slice report = report_of(p);
    status = pail_vk_upload(dev, &report, 0, none, sizeof(none), NULL, err);
    const uint64_t all = bases->kept * p->factor, segment = bases->segment * p->factor;
    for (uint64_t first = 0, n; first < all && status == PAIL_OK; first += n) {
        n = min_u64(min_u64(p->piece, all - first), segment - first % segment);
        status = do_piece(p, first, n, err);
    }
    if (status == PAIL_OK && p->intake)
        status = judge(p, bad_index, err);
    /* Work that was submitted, before a failure too, still uses the buffers that are about to
     * go. */
    const pail_status ended = pail_vk_wait(dev, pail_vk_last_ticket(dev, PAIL_VK_QUEUE_MAIN),
                                           PAIL_VK_FOREVER, status == PAIL_OK ? err : NULL);
    pass_end(p);
    return status == PAIL_OK ? ended : status;
}

pail_status pail_points_take(struct pail_bases *bases, struct pail_intake *intake,
                             const pail_bases_desc *desc, uint64_t room, size_t *bad_index,
                             struct pail_error *err)
{
    struct pass p = {
        .bases = bases,
        .intake = intake,
        .to = &bases->copies[bases->form],
        .form = bases->form,
        .raw_bytes = intake->source.point_bytes,
        .jacobian = desc->encoding == PAIL_ENCODING_JACOBIAN,
        .encoding = desc->encoding,
        .validate = desc->validation != PAIL_VALIDATE_NONE || bases->compact,
        .check = desc->validation == PAIL_VALIDATE_SUBGROUP && !bases->group.ops->cofactor_one,
        .factor = 1, /* the points, to where copy 0 is */
    };
    return run(&p, room, bad_index, err);
}

pail_status pail_points_reform(struct pail_bases *bases, struct pail_bases_copy *copy,
                               enum pail_field_form form, uint64_t room, struct pail_error *err)
{
    struct pass p = {
        .bases = bases,
        .to = copy,
        .form = form,
        .raw_bytes = bases->group.point_bytes,
        .encoding = MSM_ENCODING_FORM + (uint32_t)bases->form,
        .factor = bases->table.factor,
    };
    return run(&p, room, NULL, err);
}
