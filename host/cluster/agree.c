/* What all ranks are told of how each fared. */
#include "cluster.h"

#include <stdlib.h>
#include <string.h>

#include "caller.h"
#include <formats/report.h>

enum { VALUES_MAX = 16 };

pail_status pail_cluster_sent(struct pail_cluster *cluster, pail_status status)
{
    cluster->broken |= status != PAIL_OK;
    return status;
}

void pail_verdict_set(struct pail_verdict *verdict, const struct pail_cluster *cluster,
                      pail_status status, const char *error)
{
    memset(verdict, 0, sizeof(*verdict)); /* it is sent whole */
    verdict->status = (uint32_t)status;
    verdict->rank = cluster->rank;
    if (status == PAIL_OK || error == NULL)
        return;
    size_t n = 0;
    while (n + 1 < sizeof(verdict->sentence) && error[n] != '\0')
        n++;
    memcpy(verdict->sentence, error, n);
}

pail_status pail_verdict_tell(const struct pail_verdict *verdict,
                              const struct pail_cluster *cluster, char *error, size_t capacity)
{
    pail_clear_error(error, capacity);
    if (verdict->status == PAIL_OK)
        return PAIL_OK;
    char sentence[PAIL_CLUSTER_SENTENCE];
    memcpy(sentence, verdict->sentence, sizeof(sentence));
    sentence[sizeof(sentence) - 1] = '\0';
    if (cluster->size == 1)
        return pail_report(error, capacity, (pail_status)verdict->status, "%s", sentence);
    return pail_report(error, capacity, (pail_status)verdict->status, "rank %u of %u: %s",
                       verdict->rank, cluster->size, sentence);
}

/* The first verdict that is not good, or the first of all. */
static const struct pail_verdict *worst(const struct pail_verdict *all, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (all[i].status != PAIL_OK)
            return &all[i];
    return &all[0];
}

static pail_status exchange(struct pail_cluster *cluster, struct pail_verdict *verdict, char *error,
                            size_t capacity)
{
    const pail_transport *const transport = cluster->transport;
    struct pail_verdict *all = NULL;
    pail_status status = PAIL_OK;
    if (cluster->rank == 0) {
        all = malloc(cluster->size * sizeof(*all));
        if (all == NULL)
            return pail_report(error, capacity, PAIL_ERR_HOST_MEMORY,
                               "no memory for the answers of %u ranks", cluster->size);
    }
    status = transport->gather(cluster->link, all, verdict, sizeof(*verdict), error, capacity);
    if (status == PAIL_OK && cluster->rank == 0)
        *verdict = *worst(all, cluster->size);
    free(all);
    if (status == PAIL_OK)
        status = transport->broadcast(cluster->link, verdict, sizeof(*verdict), error, capacity);
    return status;
}

pail_status pail_cluster_agree(pail_cluster *cluster, pail_status status, char *sentence,
                               size_t capacity)
{
    if (cluster == NULL)
        return pail_report(sentence, capacity, PAIL_ERR_ARGUMENT, "cluster is NULL");
    if (cluster->broken) /* the link is of use for abort and close alone */
        return status != PAIL_OK ? status
                                 : pail_report(sentence, capacity, PAIL_ERR_IO,
                                               "the transport of the cluster has failed");
    struct pail_verdict verdict;
    pail_verdict_set(&verdict, cluster, status, capacity > 0 ? sentence : NULL);
    if (cluster->size > 1) {
        const pail_status sent =
            pail_cluster_sent(cluster, exchange(cluster, &verdict, sentence, capacity));
        if (sent != PAIL_OK)
            return sent;
    }
    return pail_verdict_tell(&verdict, cluster, sentence, capacity);
}

pail_status pail_cluster_compare(pail_cluster *cluster, pail_status status,
                                 const char *const *names, const uint64_t *values, uint32_t n,
                                 char *error, size_t capacity)
{
    if (cluster == NULL || n > VALUES_MAX)
        return pail_report(error, capacity, PAIL_ERR_ARGUMENT, "%s",
                           cluster == NULL ? "cluster is NULL" : "too many values to compare");
    /* What a rank that failed has is of no use: first whether all are well. */
    status = pail_cluster_agree(cluster, status, error, capacity);
    if (status != PAIL_OK || cluster->size == 1)
        return status;
    uint64_t first[VALUES_MAX] = {0};
    memcpy(first, values, n * sizeof(*values));
    status = pail_cluster_sent(cluster, cluster->transport->broadcast(
                                            cluster->link, first, sizeof(first), error, capacity));
    if (status != PAIL_OK)
        return status;
    for (uint32_t i = 0; i < n && status == PAIL_OK; i++)
        if (values[i] != first[i])
            status =
                pail_report(error, capacity, PAIL_ERR_DATA, "%s is %llu here and %llu at rank 0",
                            names[i], (unsigned long long)values[i], (unsigned long long)first[i]);
    return pail_cluster_agree(cluster, status, error, capacity);
}
