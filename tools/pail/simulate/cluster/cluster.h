/* SPDX-License-Identifier: Apache-2.0 */
/* The time of one multiplication over nodes of cards, the number of proofs they make, and the
 * causes of both. docs/scaling.md has the formulas. */
#ifndef PAIL_TOOL_SIMULATE_CLUSTER_CLUSTER_H
#define PAIL_TOOL_SIMULATE_CLUSTER_CLUSTER_H

#include <stdbool.h>

#include "facts.h"

/* Causes of the milliseconds of a multiplication. */
enum pail_cluster_part {
    PAIL_CLUSTER_CARD,      /* work that halves with twice the cards */
    PAIL_CLUSTER_FIXED,     /* time of a card besides, whatever its work; of several together */
    PAIL_CLUSTER_PCIE,      /* copies from the host that no work hides */
    PAIL_CLUSTER_NETWORK,   /* scalars from rank 0 */
    PAIL_CLUSTER_REDUCTION, /* partial sums to rank 0, the outcome back */
    PAIL_CLUSTER_PARTS
};
const char *pail_cluster_part_name(enum pail_cluster_part part);

/* The place of scalars when a multiplication starts. */
enum pail_cluster_scalars {
    PAIL_CLUSTER_ROOT,   /* in pinned memory of rank 0 */
    PAIL_CLUSTER_HOST,   /* in pinned memory of each node: made or read there */
    PAIL_CLUSTER_DEVICE, /* on each card */
    PAIL_CLUSTER_MALLOC, /* in ordinary memory of each node */
};

/* The place of points. Each node has read its own before. */
enum pail_cluster_points {
    PAIL_CLUSTER_FIT,      /* on the cards if they fit, else in host memory */
    PAIL_CLUSTER_RESIDENT, /* on the cards */
    PAIL_CLUSTER_STREAMED, /* in pinned memory of the nodes */
};

struct pail_cluster_job {
    uint64_t n; /* points: 1 to 2^PAIL_CLUSTER_LOG2_MAX; constraints of proofs */
    enum pail_cluster_scalars scalars;
    enum pail_cluster_points points;
};

/* Nodes and cards of each are 1 or more. A node is one rank, its cards are behind one table. */
struct pail_cluster_shape {
    uint32_t nodes, cards;
};

struct pail_cluster_time {
    double part_ms[PAIL_CLUSTER_PARTS], wall_ms; /* wall: their sum */
    enum pail_cluster_part bound;                /* the largest */
    bool streamed;
    double
        register_ms; /* once, before: a node's points over network and bus, whichever is longer */
};

void pail_cluster_multiply(struct pail_cluster_time *time, const struct pail_cluster_facts *facts,
                           const struct pail_cluster_job *job,
                           const struct pail_cluster_shape *shape);

/* Bounds of the rate of proofs. */
enum pail_cluster_proof_bound {
    PAIL_CLUSTER_PROOF_CARD,
    PAIL_CLUSTER_PROOF_NETWORK, /* witnesses to a node */
    PAIL_CLUSTER_PROOF_QUEUE,   /* rank 0 answers one rank after the other */
};
const char *pail_cluster_proof_bound_name(enum pail_cluster_proof_bound bound);

struct pail_cluster_rate {
    double per_hour;
    enum pail_cluster_proof_bound bound;
};

/* Proofs of `n` constraints, one at a time on each card, a rank for each. */
void pail_cluster_prove(struct pail_cluster_rate *rate, const struct pail_cluster_facts *facts,
                        uint64_t n, const struct pail_cluster_shape *shape);

/* Milliseconds of one card for n points that are there, with scalars that are there. 0 for none. */
double pail_cluster_card_ms(const struct pail_cluster_facts *facts, double n);

/* ---- More and more cards, and where more are of little use ---- */
enum { PAIL_CLUSTER_SHAPES = 64 };

/* 1, 2, 4, ... up to `cards` in one node, then 2, 4, ... up to `nodes` with as many in each. The
 * last step of either is shorter where its end is no power of two. Returns how many there are, at
 * most PAIL_CLUSTER_SHAPES. */
uint32_t pail_cluster_shapes(struct pail_cluster_shape shapes[PAIL_CLUSTER_SHAPES], uint32_t cards,
                             uint32_t nodes);

/* A step of twice the cards has to give this much, and a shorter one in proportion:
 * ratio^log2(1.5). */
#define PAIL_CLUSTER_LEAST_GAIN 1.5

struct pail_cluster_end {
    bool found;
    uint32_t last;                /* the shape up to which every step gives that much */
    double gain;                  /* of the step after it, to shape last + 1 */
    enum pail_cluster_part cause; /* the main cause of the gain that the step lacks */
};

/* times[i] is of shapes[i]. */
void pail_cluster_growth(struct pail_cluster_end *end, const struct pail_cluster_time *times,
                         const struct pail_cluster_shape *shapes, uint32_t n);

/* The same of proofs. Their cause is the bound of shape last + 1, and end->cause says nothing. */
void pail_cluster_proof_growth(struct pail_cluster_end *end, const struct pail_cluster_rate *rates,
                               const struct pail_cluster_shape *shapes, uint32_t n);

/* ---- Measurements that are no numbers of the model, beside its predictions of them ---- */
struct pail_cluster_check {
    const char *what, *unit;
    double predicted, measured;
};

/* Check i, with the numbers that are the default for BN254 G1; false past the end. */
bool pail_cluster_check(struct pail_cluster_check *check, uint32_t i);

#endif /* PAIL_TOOL_SIMULATE_CLUSTER_CLUSTER_H */
