/* SPDX-License-Identifier: Apache-2.0 */
/* Facts of a cluster, as numbers: measured ones and assumed ones. */
#ifndef PAIL_TOOL_SIMULATE_CLUSTER_FACTS_H
#define PAIL_TOOL_SIMULATE_CLUSTER_FACTS_H

#include <stdint.h>

#include <pail/backend.h>

#include "error/error.h"

enum { PAIL_CLUSTER_SIZES = 24, PAIL_CLUSTER_LOG2_MAX = 40 };

/* Host memory: pinned, or of malloc, which has to be copied before a card can read it. */
enum pail_cluster_memory { PAIL_CLUSTER_PINNED, PAIL_CLUSTER_ORDINARY, PAIL_CLUSTER_MEMORIES };

/* One multiplication of 2^log2 points on one card, with points and scalars on the device. */
struct pail_cluster_size {
    double log2, ms;
    /* Scalars in host memory: what that adds to ms, over the time of copying them at pcie_gbs.
     * Negative: not measured. */
    double exposed[PAIL_CLUSTER_MEMORIES];
};

struct pail_cluster_sizes {
    struct pail_cluster_size at[PAIL_CLUSTER_SIZES]; /* ascending in both; two or more */
    uint32_t n;
};

/* GB are 10^9 bytes. A rate of a bus or of a network is of one direction. */
struct pail_cluster_facts {
    double card_scale;  /* times of `sizes` and `proofs` on the card that is meant, over theirs */
    double card_gib;    /* device memory that a multiplication may use */
    double point_bytes; /* affine */
    double scalar_bytes;
    double resident;      /* device bytes of a resident point over point_bytes: images of it */
    double scratch_bytes; /* device bytes beside it, for each point */
    double pcie_gbs;      /* host memory to one card */
    double host_gbs;      /* host memory to all cards of a node together */
    double ordinary_gbs;  /* the same of memory that is not pinned */
    double several_ms;  /* of a multiplication on several cards of a node, beside that of a card */
    double network_gbs; /* of a node */
    double latency_us;  /* of a message, and what rank 0 spends on one at least */
    double sum_bytes, outcome_bytes;  /* of a rank's answer, and of the reply to it */
    double proof_bytes;               /* to and from a rank for each proof */
    double value_bytes;               /* of a witness, for each constraint */
    struct pail_cluster_sizes sizes;  /* multiplications */
    struct pail_cluster_sizes proofs; /* log2 of constraints; ms of a proof, one after the other */
};

/* The numbers of a curve and group that docs/performance.md has; proofs are of BN254. */
void pail_cluster_facts_default(struct pail_cluster_facts *facts, pail_curve curve,
                                pail_group group);

/* Sets one number from "NAME VALUE" or "NAME=VALUE". `place` begins the sentence of a failure:
 * PAIL_ERR_ARGUMENT, and nothing is changed. */
pail_status pail_cluster_facts_set(struct pail_cluster_facts *facts, const char *text,
                                   const char *place, struct pail_error *error);

/* Reads lines of a name and a number on top of what is there; '#' begins a comment. Lines
 * `size LOG2 MS [EXPOSED]` and `proof LOG2 MS` take the place of all sizes or proofs that were
 * there. Fails with PAIL_ERR_DATA or PAIL_ERR_IO and the file and the line. */
pail_status pail_cluster_facts_read(struct pail_cluster_facts *facts, const char *path,
                                    struct pail_error *error);

/* Number i with its name, and in one phrase where its default is from; NULL past the end. */
const char *pail_cluster_fact(const struct pail_cluster_facts *facts, uint32_t i, double *value,
                              const char **source);

#endif /* PAIL_TOOL_SIMULATE_CLUSTER_FACTS_H */
