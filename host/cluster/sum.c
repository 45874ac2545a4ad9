/* SPDX-License-Identifier: Apache-2.0 */
/* One multiplication: each rank's part, and the sum of what they give. Points are small and few, a
 * few hundred bytes a rank, so they are gathered and added at rank 0, after a look at each. */
#include "cluster.h"

#include <stdbool.h>
#include <string.h>

#include "caller.h"
#include <cpu/result.h>
#include <curves/curve_ops.h>
#include <formats/report.h>
#include <platform/memory.h>

/* A rank's message: the sum of its part. */
struct partial {
    struct pail_verdict verdict;
    uint32_t curve, group;
    uint64_t n;
    double wall_ms;
    uint8_t point[2 * PAIL_COORDINATE_MAX]; /* x then y, packed; all zero: infinity */
};

_Static_assert(sizeof(struct partial) <= PAIL_CLUSTER_ANSWER, "room for a part of each rank");

/* A result that the caller owns, of any version, as ours. */
static void pack(struct partial *partial, const pail_msm_result *result)
{
    const size_t bytes = result->coordinate_bytes;
    if (bytes > PAIL_COORDINATE_MAX)
        return;
    memcpy(partial->point, result->x, bytes);
    memcpy(partial->point + bytes, result->y, bytes);
}

/* Adds up what the ranks gave; *verdict becomes that of the first that failed. */
static void add_up(pail_msm_result *result, struct pail_verdict *verdict, const struct partial *all,
                   uint32_t n)
{
    *verdict = all[0].verdict;
    for (uint32_t i = 0; i < n; i++) {
        if (all[i].verdict.status != PAIL_OK) {
            *verdict = all[i].verdict;
            return;
        }
    }
    for (uint32_t i = 1; i < n; i++) {
        if (all[i].curve == all[0].curve && all[i].group == all[0].group)
            continue;
        verdict->status = PAIL_ERR_DATA;
        verdict->rank = i;
        (void)pail_report(verdict->sentence, sizeof(verdict->sentence), PAIL_ERR_DATA,
                          "how: curve %u, group %u here, and curve %u, group %u at rank 0",
                          all[i].curve, all[i].group, all[0].curve, all[0].group);
        return;
    }
    const struct pail_curve_ops *const ops = pail_curve_ops(all[0].curve, all[0].group);
    pail_point sum;
    pail_affine affine = {{0}};
    ops->from_affine(&sum, &affine);
    for (uint32_t i = 0; i < n && verdict->status == PAIL_OK; i++) {
        if (ops->decode(&affine, all[i].point, false) && ops->on_curve(&affine)) {
            ops->add_affine(&sum, &sum, &affine);
            continue;
        }
        verdict->status = PAIL_ERR_INTERNAL;
        verdict->rank = i;
        (void)pail_report(verdict->sentence, sizeof(verdict->sentence), PAIL_ERR_INTERNAL,
                          "its partial sum is no point of %s %s", ops->curve_name, ops->group_name);
    }
    if (verdict->status == PAIL_OK)
        pail_cpu_result(result, ops, &sum);
    pail_wipe(&sum, sizeof(sum));
    pail_wipe(&affine, sizeof(affine));
}

static pail_status collect(struct pail_cluster *cluster, pail_msm_result *result,
                           struct partial *own, const pail_cluster_sum *how, char *error,
                           size_t capacity)
{
    const pail_transport *const transport = cluster->transport;
    struct partial *const all = cluster->answers;
    pail_status status = transport->gather(cluster->link, all, own, sizeof(*own), error, capacity);
    if (status == PAIL_OK && cluster->rank == 0) {
        add_up(result, &own->verdict, all, cluster->size);
        pail_wipe_stack(); /* of additions */
        for (uint32_t i = 0; i < cluster->size && how->parts; i++)
            how->parts[i] = (pail_cluster_part){.n = all[i].n, .wall_ms = all[i].wall_ms};
    }
    if (all)
        pail_wipe(all, cluster->size * sizeof(*all));
    if (status == PAIL_OK)
        status = transport->broadcast(cluster->link, &own->verdict, sizeof(own->verdict), error,
                                      capacity);
    return status;
}

/* Checks the arguments of this rank. With wrong ones it takes part all the same, with no points, so
 * that the others do not wait. */
static pail_status check(pail_msm_result *result, pail_stats *stats, const pail_cluster_sum *how,
                         char *error, size_t capacity)
{
    pail_status status = pail_check_out(result, sizeof(uint32_t), "result", error, capacity);
    if (status == PAIL_OK && stats)
        status = pail_check_out(stats, sizeof(uint32_t), "stats", error, capacity);
    if (status == PAIL_OK && (!how || how->struct_size < sizeof(*how)))
        status = pail_report(error, capacity, PAIL_ERR_ARGUMENT, "%s",
                             !how ? "how is NULL" : "how has a struct_size that cannot be");
    if (status == PAIL_OK && !pail_curve_ops(how->curve, how->group))
        status = pail_report(error, capacity, PAIL_ERR_UNSUPPORTED,
                             "how: there is no curve %u with a group %u", how->curve, how->group);
    return status;
}

/* This rank's part. */
static void multiply(struct partial *own, pail_msm_result *result, pail_stats *stats,
                     const pail_backend *backend, pail_context *context, const pail_msm_job *job,
                     const pail_msm_config *config, const struct pail_cluster *cluster)
{
    pail_stats ours = {.struct_size = sizeof(ours)};
    const pail_status status = pail_msm(backend, context, result, &ours, job, config);
    const char *why = NULL;
    if (status != PAIL_OK)
        why = !backend ? "backend is NULL" : backend->error(context);
    pail_verdict_set(&own->verdict, cluster, status, why);
    own->n = job ? job->n : 0;
    own->wall_ms = ours.wall_ms;
    if (status == PAIL_OK)
        pack(own, result);
    if (stats)
        pail_struct_deliver(stats, &ours, sizeof(ours));
}

pail_status pail_cluster_msm(pail_cluster *cluster, const pail_backend *backend,
                             pail_context *context, pail_msm_result *result, pail_stats *stats,
                             const pail_cluster_sum *how, const pail_msm_job *job,
                             const pail_msm_config *config, char *error, size_t capacity)
{
    pail_clear_error(error, capacity);
    if (!cluster || cluster->broken) {
        (void)check(result, stats, how, NULL, 0); /* zeroes the outputs */
        return !cluster ? pail_report(error, capacity, PAIL_ERR_ARGUMENT, "cluster is NULL")
                        : pail_report(error, capacity, PAIL_ERR_IO,
                                      "the transport of the cluster has failed");
    }
    char why[PAIL_CLUSTER_SENTENCE] = "";
    struct partial own;
    memset(&own, 0, sizeof(own)); /* it is sent whole */
    pail_msm_result ours = {.struct_size = sizeof(ours)};
    const pail_cluster_sum none = {0};
    pail_status status = check(result, stats, how, why, sizeof(why));
    const bool fits = status == PAIL_OK;
    if (fits) {
        own.curve = how->curve;
        own.group = how->group;
        multiply(&own, &ours, stats, backend, context, job, config, cluster);
    } else {
        how = &none; /* the others are told by what is sent */
        pail_verdict_set(&own.verdict, cluster, status, why);
        status = PAIL_OK;
    }
    if (cluster->size == 1) {
        if (how->parts)
            how->parts[0] = (pail_cluster_part){.n = own.n, .wall_ms = own.wall_ms};
    } else {
        if (cluster->rank != 0) /* a part of the sum is no result */
            ours = (pail_msm_result){.struct_size = sizeof(ours)};
        status = pail_cluster_sent(cluster, collect(cluster, &ours, &own, how, error, capacity));
    }
    if (status == PAIL_OK)
        status = pail_verdict_tell(&own.verdict, cluster, error, capacity);
    if (status == PAIL_OK)
        pail_struct_deliver(result, &ours, sizeof(ours));
    pail_wipe(&own, sizeof(own));
    pail_wipe(&ours, sizeof(ours));
    return status;
}
