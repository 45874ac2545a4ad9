/* SPDX-License-Identifier: Apache-2.0 */
/* Joining and leaving, and what a rank knows of itself. */
#include "cluster.h"

#include <stdlib.h>
#include <string.h>

#include "caller.h"
#include <formats/report.h>

static pail_status check_table(const pail_transport *table, char *error, size_t capacity)
{
    if (table->struct_size < sizeof(*table) || table->abi != PAIL_TRANSPORT_ABI)
        return pail_report(error, capacity, PAIL_ERR_ABI,
                           "params: the table is not of version %d of transports",
                           PAIL_TRANSPORT_ABI);
    return PAIL_OK;
}

static pail_status join(struct pail_cluster *cluster, const pail_cluster_params *params,
                        char *error, size_t capacity)
{
    pail_status status = PAIL_OK;
    if (params->transport) {
        status =
            pail_transport_load(&cluster->file, params->transport, params->path, error, capacity);
        cluster->transport = cluster->file.table;
    } else if (params->table) {
        status = check_table(params->table, error, capacity);
        cluster->transport = params->table;
    }
    if (status == PAIL_OK && cluster->transport)
        status = cluster->transport->open(&cluster->link, &cluster->rank, &cluster->size, error,
                                          capacity);
    return status;
}

/* Memory for the cluster, and at rank 0 for what the others give. Rank 0 tells them whether it has
 * it, and then all tell each other: whoever left alone would leave the others waiting. */
static pail_status settle(pail_cluster **made, struct pail_cluster *joined, char *error,
                          size_t capacity)
{
    const bool leads = joined->rank == 0 && joined->size > 1;
    pail_status status = PAIL_OK;
    *made = malloc(sizeof(**made));
    joined->answers = leads ? malloc((size_t)joined->size * PAIL_CLUSTER_ANSWER) : NULL;
    if (leads && !joined->answers)
        status = pail_report(error, capacity, PAIL_ERR_HOST_MEMORY,
                             "no memory for the answers of %u ranks", joined->size);
    if (joined->size > 1) {
        struct pail_verdict verdict;
        pail_verdict_set(&verdict, joined, status, capacity > 0 ? error : NULL);
        status =
            joined->transport->broadcast(joined->link, &verdict, sizeof(verdict), error, capacity);
        if (status == PAIL_OK)
            status = pail_verdict_tell(&verdict, joined, error, capacity);
        if (status != PAIL_OK)
            return status;
    }
    if (!*made)
        status = pail_report(error, capacity, PAIL_ERR_HOST_MEMORY, "no memory for a cluster");
    return pail_cluster_agree(joined, status, error, capacity);
}

static void leave(struct pail_cluster *cluster)
{
    if (cluster->transport)
        cluster->transport->close(&cluster->link);
    pail_transport_unload(&cluster->file);
    free(cluster->answers);
}

pail_status pail_cluster_open(pail_cluster **cluster, const pail_cluster_params *params,
                              char *error, size_t capacity)
{
    pail_clear_error(error, capacity);
    if (!cluster)
        return pail_report(error, capacity, PAIL_ERR_ARGUMENT, "cluster is NULL");
    *cluster = NULL;
    pail_cluster_params ours;
    pail_status status = pail_check_process(error, capacity);
    if (status == PAIL_OK)
        status = pail_take(&ours, sizeof(ours), params, "params", error, capacity);
    if (status == PAIL_OK && ours.flags != 0)
        status = pail_report(error, capacity, PAIL_ERR_ARGUMENT, "params: there are no flags 0x%x",
                             ours.flags);
    if (status != PAIL_OK)
        return status;
    struct pail_cluster joined = {.size = 1};
    pail_cluster *made = NULL;
    status = join(&joined, &ours, error, capacity);
    if (status != PAIL_OK) {
        pail_transport_unload(&joined.file);
        return status;
    }
    status = settle(&made, &joined, error, capacity);
    if (status == PAIL_OK) {
        *made = joined;
        *cluster = made;
    } else {
        leave(&joined);
        free(made);
    }
    return status;
}

void pail_cluster_close(pail_cluster **cluster)
{
    if (!cluster || !*cluster)
        return;
    struct pail_cluster *const ours = *cluster;
    *cluster = NULL;
    if (pail_check_process(NULL, 0) != PAIL_OK) /* connections are the parent's */
        return;
    leave(ours);
    free(ours);
}

pail_status pail_cluster_get_info(const pail_cluster *cluster, pail_cluster_info *info)
{
    if (pail_check_out(info, sizeof(uint32_t), "info", NULL, 0) != PAIL_OK || !cluster)
        return PAIL_ERR_ARGUMENT;
    const pail_cluster_info ours = {
        .rank = cluster->rank,
        .size = cluster->size,
        .broken = cluster->broken,
        .transport = cluster->transport ? cluster->transport->name : "alone",
        .version = cluster->transport ? cluster->transport->version : ""};
    pail_struct_deliver(info, &ours, sizeof(ours));
    return PAIL_OK;
}

void pail_cluster_abort(pail_cluster *cluster, int exit_status)
{
    if (cluster && cluster->transport)
        cluster->transport->abort(cluster->link, exit_status);
}

/* The first element of a rank's part: floor(n rank / size), without a product that overflows. */
static uint64_t begin_of(uint64_t n, uint32_t rank, uint32_t size)
{
    return n / size * rank + n % size * rank / size;
}

void pail_cluster_share(const pail_cluster *cluster, uint64_t n, uint64_t *first, uint64_t *count)
{
    *first = begin_of(n, cluster->rank, cluster->size);
    *count = begin_of(n, cluster->rank + 1, cluster->size) - *first;
}

pail_status pail_cluster_scatter(pail_cluster *cluster, void *own, const void *all, uint64_t n,
                                 uint64_t element_bytes, char *error, size_t capacity)
{
    static const char *const names[] = {"n", "element_bytes"};
    const uint64_t values[] = {n, element_bytes};
    pail_clear_error(error, capacity);
    if (!cluster)
        return pail_report(error, capacity, PAIL_ERR_ARGUMENT, "cluster is NULL");
    if (cluster->broken)
        return pail_report(error, capacity, PAIL_ERR_IO, "the transport of the cluster has failed");
    pail_status status = PAIL_OK;
    uint64_t first, count;
    uint64_t *ends = NULL;
    pail_cluster_share(cluster, n, &first, &count);
    if (element_bytes == 0 || n > UINT64_MAX / element_bytes)
        status = pail_report(error, capacity, PAIL_ERR_ARGUMENT,
                             "%llu elements of %llu bytes cannot be scattered",
                             (unsigned long long)n, (unsigned long long)element_bytes);
    else if (n > 0 && cluster->rank == 0 && !all)
        status = pail_report(error, capacity, PAIL_ERR_ARGUMENT,
                             "all is NULL, but there are %llu elements", (unsigned long long)n);
    else if (count > 0 && cluster->rank != 0 && !own)
        status = pail_report(error, capacity, PAIL_ERR_ARGUMENT,
                             "own is NULL, but the part of this rank has %llu elements",
                             (unsigned long long)count);
    if (status == PAIL_OK && cluster->size > 1) {
        ends = malloc(cluster->size * sizeof(*ends));
        if (!ends)
            status = pail_report(error, capacity, PAIL_ERR_HOST_MEMORY,
                                 "no memory for the parts of %u ranks", cluster->size);
    }
    /* A rank that failed alone would leave the others waiting. */
    status = pail_cluster_compare(cluster, status, names, values, 2, error, capacity);
    if (status == PAIL_OK && cluster->rank == 0 && count > 0 && own && own != all)
        memcpy(own, all, count * element_bytes);
    if (status == PAIL_OK && cluster->size > 1) {
        for (uint32_t i = 0; i < cluster->size; i++)
            ends[i] = element_bytes * begin_of(n, i + 1, cluster->size);
        status = pail_cluster_sent(
            cluster, cluster->transport->scatter(cluster->link, own, all, ends, error, capacity));
    }
    free(ends);
    return status;
}
