/* SPDX-License-Identifier: Apache-2.0 */
/* An exchange in which all ranks learn how each fared. */
#include "cluster.h"

#include <string.h>

#include "caller.h"
#include <formats/report.h>

/* A rank's message: how it fared, and what it sees. */
struct answer {
    struct pail_verdict verdict;
    uint64_t values[PAIL_CLUSTER_VALUES];
};

_Static_assert(sizeof(struct answer) <= PAIL_CLUSTER_ANSWER, "room for an answer of each rank");

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
    if (status == PAIL_OK || !error)
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

/* The verdict on all: that of the first rank that is not well, or that sees other values than rank
 * 0 does, or of rank 0. names: [n]. */
static void judge(struct pail_verdict *verdict, const struct answer *all, uint32_t size,
                  const char *const *names, uint32_t n)
{
    *verdict = all[0].verdict;
    for (uint32_t i = 0; i < size; i++) {
        if (all[i].verdict.status != PAIL_OK) {
            *verdict = all[i].verdict;
            return;
        }
    }
    for (uint32_t i = 1; i < size; i++) {
        for (uint32_t k = 0; k < n; k++) {
            if (all[i].values[k] == all[0].values[k])
                continue;
            verdict->status = PAIL_ERR_DATA;
            verdict->rank = i;
            (void)pail_report(verdict->sentence, sizeof(verdict->sentence), PAIL_ERR_DATA,
                              "%s is %llu here and %llu at rank 0", names[k],
                              (unsigned long long)all[i].values[k],
                              (unsigned long long)all[0].values[k]);
            return;
        }
    }
}

static pail_status exchange(struct pail_cluster *cluster, struct answer *own,
                            const char *const *names, uint32_t n, char *error, size_t capacity)
{
    const pail_transport *const transport = cluster->transport;
    struct answer *const all = cluster->answers;
    pail_status status = transport->gather(cluster->link, all, own, sizeof(*own), error, capacity);
    if (status == PAIL_OK && cluster->rank == 0)
        judge(&own->verdict, all, cluster->size, names, n);
    if (status == PAIL_OK)
        status = transport->broadcast(cluster->link, &own->verdict, sizeof(own->verdict), error,
                                      capacity);
    return status;
}

pail_status pail_cluster_compare(pail_cluster *cluster, pail_status status,
                                 const char *const *names, const uint64_t *values, uint32_t n,
                                 char *error, size_t capacity)
{
    if (!cluster)
        return pail_report(error, capacity, PAIL_ERR_ARGUMENT, "cluster is NULL");
    if (cluster->broken) /* the link is of use for abort and close alone */
        return status != PAIL_OK ? status
                                 : pail_report(error, capacity, PAIL_ERR_IO,
                                               "the transport of the cluster has failed");
    struct answer own;
    memset(&own, 0, sizeof(own)); /* it is sent whole */
    if (n > PAIL_CLUSTER_VALUES) {
        if (status == PAIL_OK)
            status = pail_report(error, capacity, PAIL_ERR_ARGUMENT, "too many values to compare");
        n = 0;
    }
    pail_verdict_set(&own.verdict, cluster, status, capacity > 0 ? error : NULL);
    if (n > 0)
        memcpy(own.values, values, n * sizeof(*values));
    if (cluster->size > 1) {
        const pail_status sent =
            pail_cluster_sent(cluster, exchange(cluster, &own, names, n, error, capacity));
        if (sent != PAIL_OK)
            return sent;
    }
    return pail_verdict_tell(&own.verdict, cluster, error, capacity);
}

pail_status pail_cluster_agree(pail_cluster *cluster, pail_status status, char *sentence,
                               size_t capacity)
{
    return pail_cluster_compare(cluster, status, NULL, NULL, 0, sentence, capacity);
}
