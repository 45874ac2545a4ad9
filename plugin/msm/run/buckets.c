/* SPDX-License-Identifier: Apache-2.0 */
#include "buckets.h"

#include <stdlib.h>
#include <string.h>

#include <platform/memory.h>

#include "pending.h"

/* Words of four coordinates over Fp2 of 12 words. */
#define XYZZ_WORDS_MAX 96u

static void describe(struct pail_msm_buckets *out, const struct pail_msm_bundle *b)
{
    const struct pail_msm_plan *plan = &b->plan;
    const struct pail_curve_ops *ops = b->sets[0].bases->group.ops;
    pail_bucket_info *info = &out->info;
    pail_msm_plan_stats(&out->stats, plan, b->form);
    out->stats.n_jobs = 1;
    info->coordinate_bytes = (uint32_t)ops->coordinate_bytes;
    if (!b->shape.n)
        return;
    info->window_bits = plan->window_bits;
    info->windows = plan->total_windows;
    info->buckets = plan->window_buckets;
    info->copies = plan->copies;
    info->flags = (b->reduce ? PAIL_BUCKETS_REDUCED : 0u) |
                  (plan->split ? PAIL_BUCKETS_HALVES : 0u) |
                  (plan->wide_top == 1 ? PAIL_BUCKETS_WIDE_TOP : 0u) |
                  (plan->wide_top == 2 ? PAIL_BUCKETS_WIDEST_TOP : 0u);
    out->bytes = (size_t)plan->total_windows * plan->window_buckets * 2 * ops->coordinate_bytes;
}

/* Encodes one bucket, added up over the lists of all chunks. A value that is no point becomes all
 * ones. */
static void encode(uint8_t *to, const struct pail_msm_bundle *b, const uint8_t *lists,
                   size_t bucket)
{
    const struct pail_curve_ops *ops = b->sets[0].bases->group.ops;
    const uint64_t point = b->sets[0].bases->group.xyzz_bytes;
    const uint64_t list = (uint64_t)b->plan.total_windows * b->plan.window_buckets * point;
    pail_point sum = {{0}}, one;
    for (uint32_t i = 0; i < b->plan.parts; i++) {
        uint32_t words[XYZZ_WORDS_MAX];
        memcpy(words, lists + i * list + bucket * point, point);
        if (b->form == PAIL_FORM_D51)
            ops->settle_words(words);
        if (!ops->from_words(&one, words, b->form)) {
            memset(to, 0xff, 2 * ops->coordinate_bytes);
            return;
        }
        if (b->plan.parts > 1)
            ops->add(&sum, &sum, &one);
        else
            sum = one;
    }
    pail_affine affine;
    ops->to_affine(&affine, &sum);
    ops->encode(to, &affine, false);
}

static pail_status run(struct pail_pending *p, struct pail_msm_buckets *out, uint8_t *points,
                       struct pail_error *err)
{
    const struct pail_msm_bundle *b = &p->bundles[0];
    const struct pail_vk_slice *slice = &p->parts[0].slices[PAIL_MSM_BUCKETS_OUT];
    pail_status status = pail_msm_drive(p, err);
    if (status == PAIL_OK)
        status = pail_msm_wait(p, PAIL_VK_FOREVER, err);
    if (status == PAIL_OK)
        status = pail_msm_collect(p, err);
    if (status == PAIL_OK && b->shape.n)
        status = pail_vk_invalidate(p->msm->dev, slice, err);
    if (status == PAIL_OK && b->shape.n && b->promised_bits < 256)
        status = pail_msm_check_report(p, 0, err);
    if (status != PAIL_OK)
        return status;
    const size_t bytes = 2 * b->sets[0].bases->group.ops->coordinate_bytes;
    for (size_t i = 0; i < out->bytes / bytes; i++)
        encode(points + i * bytes, b, slice->mapped, i);
    if (p->secret)
        pail_wipe_stack(); /* of sums */
    const pail_stats plan = out->stats;
    out->stats = (pail_stats){.struct_size = plan.struct_size};
    return pail_msm_read_stats(p, &out->stats, err);
}

pail_status pail_msm_read_buckets(struct pail_msm *msm, struct pail_msm_buckets *out,
                                  uint8_t *points, size_t room, const pail_msm_job *job,
                                  const pail_msm_config *config, struct pail_error *err)
{
    struct pail_pending *p = NULL;
    memset(out, 0, sizeof(*out));
    pail_msm_job here = *job;
    here.result_location = PAIL_LOCATION_HOST;
    here.result_address = 0;
    pail_status status = pail_msm_prepare_jobs(msm, &p, &here, 1, config, PAIL_PLAN_KNOWN, err);
    if (status != PAIL_OK)
        return status;
    p->keeps_buckets = true;
    describe(out, &p->bundles[0]);
    if (points && room < out->bytes)
        status = pail_fail(err, PAIL_ERR_ARGUMENT, "n_bytes: %zu, but the buckets take %zu", room,
                           out->bytes);
    else if (points)
        status = run(p, out, points, err);
    pail_msm_drop(p);
    return status;
}
