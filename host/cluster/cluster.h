/* SPDX-License-Identifier: Apache-2.0 */
/* The fields of a cluster, for the functions of <pail/cluster.h>. */
#ifndef PAIL_CLUSTER_CLUSTER_H
#define PAIL_CLUSTER_CLUSTER_H

#include <stdbool.h>

#include <pail/cluster.h>

#include <loader/transport.h>

enum {
    PAIL_CLUSTER_SENTENCE = 1024,
    PAIL_CLUSTER_VALUES = 16,
    PAIL_CLUSTER_ANSWER = 1536, /* bytes of whatever a rank gives at a time */
};

struct pail_cluster {
    const pail_transport *transport; /* NULL: this process alone */
    pail_link *link;
    uint32_t rank, size;
    bool broken;
    /* At rank 0 of several, [size][PAIL_CLUSTER_ANSWER]. Allocated when the cluster is opened:
     * without it the other ranks would wait for an exchange that rank 0 cannot begin. */
    void *answers;
    struct pail_transport_file file;
};

/* How one rank fared, as it is sent. */
struct pail_verdict {
    uint32_t status; /* pail_status */
    uint32_t rank;
    char sentence[PAIL_CLUSTER_SENTENCE];
};

/* error: its sentence where it failed. */
void pail_verdict_set(struct pail_verdict *verdict, const struct pail_cluster *cluster,
                      pail_status status, const char *error);

/* The status, with the sentence that names the rank. */
pail_status pail_verdict_tell(const struct pail_verdict *verdict,
                              const struct pail_cluster *cluster, char *error, size_t capacity);

/* Notes what the transport returned: any failure breaks the cluster. */
pail_status pail_cluster_sent(struct pail_cluster *cluster, pail_status status);

#endif /* PAIL_CLUSTER_CLUSTER_H */
