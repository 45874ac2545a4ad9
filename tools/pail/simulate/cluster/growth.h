/* A multiplication, or proofs, over more and more cards, and where more are of little use. */
#ifndef PAIL_TOOL_SIMULATE_CLUSTER_GROWTH_H
#define PAIL_TOOL_SIMULATE_CLUSTER_GROWTH_H

#include "cluster.h"

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

#endif /* PAIL_TOOL_SIMULATE_CLUSTER_GROWTH_H */
