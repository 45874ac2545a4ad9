/* Measurements that are no numbers of the model, beside the model's predictions of them. */
#ifndef PAIL_TOOL_SIMULATE_CLUSTER_CHECKS_H
#define PAIL_TOOL_SIMULATE_CLUSTER_CHECKS_H

#include "cluster.h"

struct pail_cluster_check {
    const char *what, *unit;
    double predicted, measured;
};

/* Check i, with the numbers that are the default for BN254 G1; false past the end. */
bool pail_cluster_check(struct pail_cluster_check *check, uint32_t i);

#endif /* PAIL_TOOL_SIMULATE_CLUSTER_CHECKS_H */
