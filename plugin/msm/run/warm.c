/* SPDX-License-Identifier: Apache-2.0 */
#include "warm.h"

#include <string.h>

#include <core/debug.h>
#include <front/front.h>

#include "msm/service/service.h"
#include "msm/steps/bundle.h"
#include "msm/steps/steps.h"

/* Unit of warming: multiplications over bases of one group, by one accumulator. */
struct warming {
    struct pail_msm *msm;
    struct pail_warm_list *list;
    struct pail_msm_question question; /* about the accumulator */
    struct pail_msm_resolution chosen; /* the accumulator */
    bool glv;                          /* bases may have them */
};

/* A kind of multiplication. */
struct kind {
    uint64_t n;
    uint32_t window_bits; /* 0: the plan decides */
    bool halves;          /* halves of scalars, for bases with GLV images */
    bool address;         /* scalars are at a device address */
    bool promised;        /* scalars are small, which is checked: so they are fetched */
    bool device_results;
};

static pail_status add_requests(const struct warming *w, const struct pail_msm_bundle *bundle,
                                struct pail_error *err)
{
    static const uint64_t somewhere[PAIL_MSM_SETS_MAX] = {16};
    struct pail_vk_steps steps;
    const struct pail_msm_recording r = {
        .bundle = bundle, .addresses = bundle->shape.device_results ? somewhere : NULL};
    pail_vk_steps_init(&steps, &w->msm->alloc);
    pail_msm_steps_all(&steps, &r, NULL, NULL);
    pail_status status = PAIL_OK;
    if (steps.failed != PAIL_OK)
        status = pail_fail(err, steps.failed, "%s", steps.error.text);
    for (uint32_t i = 0; i < steps.n_requests && status == PAIL_OK; i++)
        status = pail_warm_list_add(w->list, steps.requests[i], &w->msm->alloc, err);
    pail_vk_steps_fini(&steps);
    return status;
}

/* Adds the pipelines of a kind over bases; without a plan it needs none. q: all but the extent,
 * keeping and shape. */
static pail_status add_over(const struct warming *w, const struct kind *kind,
                            struct pail_bases *bases, struct pail_msm_question q,
                            struct pail_error *err)
{
    const struct pail_msm_group *group = &bases->group;
    struct pail_msm_vector vector = {.address = kind->address ? 16 : 0,
                                     .scalars = kind->address ? NULL : (const uint8_t *)""};
    struct pail_msm_set set = {.bases = bases};
    struct pail_msm_bundle bundle = {
        .shape = {.n = kind->n, .vectors = 1, .sets = 1, .device_results = kind->device_results},
        .form = w->chosen.form,
        .scalar_ops = group->ops,
        .curve = group->curve,
        .promised_bits = kind->promised ? 128 : 256,
        .n_original = kind->n,
        .n_vectors = 1,
        .n_sets = 1,
        .vectors = &vector,
        .sets = &set,
    };
    struct pail_msm_resolution chosen;
    struct pail_error ignored;
    q.extent = PAIL_MSM_RESOLVE_PLAN;
    q.kept = pail_bases_keeping(bases);
    pail_msm_shape_over(&bundle.shape, group, &q.kept, bases->order_known,
                        bases->order_known ? group->ops->order_bits : 256);
    q.shape = bundle.shape;
    const pail_status status = pail_msm_resolve(&chosen, &q, &ignored);
    bundle.plan = chosen.plan;
    return status == PAIL_OK ? add_requests(w, &bundle, err) : PAIL_OK;
}

static pail_status add_kind(const struct warming *w, const struct kind *kind,
                            struct pail_error *err)
{
    const pail_msm_config *wanted = w->question.config;
    const pail_msm_config config = {.struct_size = sizeof(config),
                                    .window_bits = kind->window_bits,
                                    .accumulator = wanted->accumulator,
                                    .field = wanted->field};
    struct pail_bases bases = {
        .group = w->question.group,
        .n = kind->n,
        .kept = kind->n,
        .order_known = true,
        .residency = PAIL_RESIDENCY_DEVICE,
        .segment = kind->n,
        .table = {.factor = kind->halves ? 2 : 1, .glv = kind->halves},
    };
    struct pail_msm_question q = w->question;
    q.config = &config;
    return add_over(w, kind, &bases, q, err);
}

/* Every way in which scalars come and results go. */
static pail_status add_kinds(const struct warming *w, uint64_t n, uint32_t window_bits,
                             struct pail_error *err)
{
    const bool addresses = pail_vk_device_caps(w->msm->dev)->buffer_device_address;
    pail_status status = PAIL_OK;
    for (uint32_t i = 0; i < 16 && status == PAIL_OK; i++) {
        const struct kind kind = {
            .n = n,
            .window_bits = window_bits,
            .halves = i & 1,
            .address = i & 2,
            .promised = i & 4,
            .device_results = i & 8,
        };
        const bool can = (addresses || (!kind.address && !kind.device_results)) &&
                         (w->glv || !kind.halves) && (kind.address || !kind.promised);
        if (can)
            status = add_kind(w, &kind, err);
    }
    return status;
}

/* Few points and many, whose reductions and sorts differ; and few with windows for which the device
 * sorts by other kernels than for most: with many, those of three passes are refused. */
static pail_status add_multiplications(const struct warming *w, struct pail_error *err)
{
    const struct pail_msm_sort_kernels *most = &w->chosen.limits.sort_kernels;
    pail_status status = PAIL_OK;
    for (uint32_t log2_n = 0; log2_n <= 24 && status == PAIL_OK; log2_n += 4)
        status = add_kinds(w, (uint64_t)1 << log2_n, 0, err);
    for (uint32_t c = PAIL_MSM_WINDOW_MIN; c <= PAIL_MSM_WINDOW_MAX && status == PAIL_OK; c++) {
        const struct pail_msm_sort_kernels sort_kernels = pail_msm_sort_kernels_for(most, c - 1);
        if (c == PAIL_MSM_WINDOW_MIN || sort_kernels.bits_max != most->bits_max ||
            sort_kernels.top_bits != most->top_bits)
            status = add_kinds(w, (uint64_t)1 << 10, c, err);
    }
    return status;
}

static pail_status add_points_kernel(const struct warming *w, enum pail_kernel_id kernel,
                                     enum pail_field_form form, struct pail_error *err)
{
    const struct pail_msm_group *group = &w->question.group;
    const struct pail_vk_pipeline_request request = {
        .kernel = kernel, .variant = {group->curve, group->group, form, 0}};
    return pail_warm_list_add(w->list, request, &w->msm->alloc, err);
}

/* Adds the pipelines of registering bases. */
static pail_status add_registration(const struct warming *w, struct pail_error *err)
{
    const enum pail_kernel_id kernels[] = {PAIL_KERNEL_MSM_CONVERT, PAIL_KERNEL_MSM_NORMALIZE,
                                           PAIL_KERNEL_MSM_CHECK, PAIL_KERNEL_MSM_TABLE,
                                           PAIL_KERNEL_MSM_ENDOMORPHISM};
    pail_status status = PAIL_OK;
    for (size_t i = 0; i < (w->glv ? 5 : 4) && status == PAIL_OK; i++)
        status = add_points_kernel(w, kernels[i], w->chosen.form, err);
    const bool compact = w->question.group.group == PAIL_G1;
    if (status == PAIL_OK && compact)
        status = add_points_kernel(w, PAIL_KERNEL_MSM_COMPACT, w->chosen.form, err);
    if (status == PAIL_OK && compact) /* of multiplications, which else take the same */
        status =
            add_points_kernel(w, PAIL_KERNEL_MSM_EXPAND, pail_msm_expand_form(w->chosen.form), err);
    return status;
}

/* Registering bases, in the form that is the device's choice, and their conversion to that of the
 * configuration. */
static pail_status add_one_registration(const struct warming *w, const struct pail_bases *bases,
                                        const pail_warm_item *item, struct pail_error *err)
{
    const pail_msm_config open = {.struct_size = sizeof(open)};
    struct pail_msm_question q = w->question;
    struct pail_msm_resolution own;
    q.extent = PAIL_MSM_RESOLVE_FORM;
    q.config = &open;
    pail_status status = pail_msm_resolve(&own, &q, err);
    if (status == PAIL_OK)
        status = add_points_kernel(w, PAIL_KERNEL_MSM_CONVERT, own.form, err);
    if (status == PAIL_OK)
        status = add_points_kernel(w, PAIL_KERNEL_MSM_CONVERT, w->chosen.form, err);
    if (status == PAIL_OK && item->validation == (uint32_t)PAIL_VALIDATE_SUBGROUP &&
        !w->question.group.ops->cofactor_one)
        status = add_points_kernel(w, PAIL_KERNEL_MSM_CHECK, own.form, err);
    if (status == PAIL_OK && bases->table.bits)
        status = add_points_kernel(w, PAIL_KERNEL_MSM_TABLE, w->chosen.form, err);
    if (status == PAIL_OK && bases->compact)
        status = add_points_kernel(w, PAIL_KERNEL_MSM_COMPACT, own.form, err);
    if (status == PAIL_OK && bases->table.glv)
        status = add_points_kernel(w, PAIL_KERNEL_MSM_ENDOMORPHISM, w->chosen.form, err);
    return status;
}

pail_status pail_msm_warm_candidate(struct pail_msm *msm, struct pail_warm_list *list,
                                    const struct pail_candidates_wish *wish, uint32_t accumulator,
                                    struct pail_msm_accumulator *chosen, struct pail_error *err)
{
    const pail_msm_config config = {.struct_size = sizeof(config), .accumulator = accumulator};
    struct warming w = {.msm = msm, .list = list};
    struct pail_msm_question q = pail_msm_ask(msm, &wish->group, &config);
    struct pail_error ignored;
    q.extent = PAIL_MSM_RESOLVE_ACCUMULATOR;
    q.form = wish->form;
    q.points = wish->n;
    q.scratch = pail_msm_room(msm);
    if (pail_msm_resolve(&w.chosen, &q, &ignored) != PAIL_OK)
        return PAIL_NOT_READY;
    *chosen = w.chosen.accumulator;
    struct pail_bases bases = {
        .group = wish->group,
        .n = wish->n,
        .kept = wish->n,
        .order_known = wish->order_known,
        .residency = wish->kept.residency,
        .compact = wish->kept.compact,
        .segment = wish->kept.segment,
        .table = wish->kept.table,
        .pinned = wish->kept.pinned,
    };
    const struct kind kind = {.n = wish->n};
    const pail_status status = add_over(&w, &kind, &bases, q, err);
    return status == PAIL_OK && list->n == 0 ? PAIL_NOT_READY : status;
}

/* One multiplication over bases of its own. */
static pail_status add_one(struct warming *w, const pail_warm_item *item, struct pail_error *err)
{
    struct pail_msm_question q = w->question;
    const struct pail_msm_set_wish set = {.n = item->n,
                                          .n_registered = item->n,
                                          .residency = item->residency,
                                          .table_factor = item->table_factor,
                                          .compact = (item->bases_flags & PAIL_BASES_COMPACT) != 0};
    struct pail_error ignored;
    q.extent = PAIL_MSM_RESOLVE_BASES;
    q.order_known =
        q.group.ops->cofactor_one || item->validation == (uint32_t)PAIL_VALIDATE_SUBGROUP;
    q.points = item->n;
    q.set = &set;
    q.room = pail_device_room(w->msm);
    if (item->n == 0 ||
        pail_front_bases_flags(item->bases_flags, item->residency, item->table_factor, item->group,
                               "item->bases_flags", &ignored) != PAIL_OK ||
        pail_msm_resolve(&w->chosen, &q, &ignored) != PAIL_OK)
        return PAIL_OK;
    struct pail_bases bases = {
        .group = q.group,
        .n = item->n,
        .kept = item->n,
        .order_known = q.order_known,
        .residency = w->chosen.kept.residency,
        .compact = w->chosen.kept.compact,
        .segment = w->chosen.kept.segment,
        .table = w->chosen.kept.table,
        .pinned = w->chosen.kept.pinned,
    };
    const struct kind kind = {.n = item->n};
    const pail_status status = add_one_registration(w, &bases, item, err);
    q.set = NULL;
    q.form = w->chosen.form;
    q.scratch = pail_msm_room(w->msm);
    return status == PAIL_OK ? add_over(w, &kind, &bases, q, err) : status;
}

/* Same as `w`, of the accumulators that first uses compare with the one that is chosen there. item:
 * of one multiplication; NULL: of all. */
static pail_status add_candidates(struct warming *w, const pail_warm_item *item,
                                  struct pail_error *err)
{
    const pail_msm_config open = *w->question.config;
    const uint32_t usual = w->chosen.accumulator.accumulator;
    pail_status status = PAIL_OK;
    if (!w->msm->first.on || w->question.tuning.struct_size || !pail_msm_config_is_open(&open) ||
        (item && item->n >> PAIL_COMPARISON_LOG2_MIN == 0))
        return PAIL_OK;
    for (uint32_t a = 1; a <= PAIL_COMPARISON_CANDIDATES && status == PAIL_OK; a++) {
        struct warming other = *w;
        pail_msm_config config = open;
        struct pail_error ignored;
        config.accumulator = a;
        other.question.config = &config;
        if (a != usual && item)
            status = add_one(&other, item, err);
        else if (a != usual &&
                 pail_msm_resolve(&other.chosen, &other.question, &ignored) == PAIL_OK)
            status = add_multiplications(&other, err);
    }
    return status;
}

pail_status pail_msm_warm_add(struct pail_msm *msm, struct pail_warm_list *list,
                              const pail_warm_item *item, struct pail_error *err)
{
    const pail_msm_config all = {
        .struct_size = sizeof(all), .accumulator = item->accumulator, .field = item->field};
    struct warming w = {.msm = msm, .list = list};
    struct pail_msm_group group;
    pail_status status = pail_msm_group(&group, item->curve, item->group, err);
    if (status != PAIL_OK)
        return status;
    struct pail_msm_question *q = &w.question;
    *q = pail_msm_ask(msm, &group, item->config ? item->config : &all);
    if (item->config) {
        status = add_one(&w, item, err);
        return status == PAIL_OK && !item->default_only ? add_candidates(&w, item, err) : status;
    }
    /* Warms all sizes, whatever the pace is: measured windows, and limits that bound a run, change
     * no pipelines. Kinds of few points are wanted with PAIL_DEBUG=runs, too. */
    memset(q->tuning.window_bits, 0, sizeof(q->tuning.window_bits));
    q->paced = NULL;
    q->debug &= PAIL_DEBUG_GLV;
    q->extent = PAIL_MSM_RESOLVE_FORM;
    status = pail_msm_resolve(&w.chosen, q, err);
    if (status != PAIL_OK)
        return status;
    w.glv = w.chosen.glv_from != UINT64_MAX;
    status = add_registration(&w, err);
    /* The accumulators of few points, of many, and of so many that they come as runs: jobs of few
     * may come together. */
    const uint64_t points[] = {0, w.chosen.runs_from - 1, UINT64_MAX};
    q->extent = PAIL_MSM_RESOLVE_ACCUMULATOR;
    for (uint32_t i = 0; i < 3 && status == PAIL_OK; i++) {
        q->points = points[i];
        status = pail_msm_resolve(&w.chosen, q, err);
        if (status == PAIL_OK)
            status = add_multiplications(&w, err);
    }
    return status == PAIL_OK ? add_candidates(&w, NULL, err) : status;
}

pail_status pail_msm_warm_add_all(struct pail_msm *msm, struct pail_warm_list *list,
                                  struct pail_error *err)
{
    for (uint32_t curve = PAIL_CURVE_BN254; curve <= PAIL_CURVE_BLS12_381; curve++)
        for (uint32_t group = PAIL_G1; group <= PAIL_G2; group++)
            for (uint32_t accumulator = PAIL_ACCUMULATOR_AUTO;
                 accumulator <= PAIL_ACCUMULATOR_DEBUG; accumulator++)
                for (uint32_t field = 0; field < PAIL_FORM_COUNT; field++) {
                    const pail_warm_item item = {.struct_size = sizeof(item),
                                                 .curve = curve,
                                                 .group = group,
                                                 .accumulator = accumulator,
                                                 .field = field};
                    const pail_status status = pail_msm_warm_add(msm, list, &item, err);
                    if (status != PAIL_OK && status != PAIL_ERR_UNSUPPORTED)
                        return status;
                }
    return PAIL_OK;
}
