/* Pipelines of what is going to run, built before it runs. */
#ifndef PAIL_TOOL_MEASURE_WARMING_H
#define PAIL_TOOL_MEASURE_WARMING_H

#include "rig.h"

/* Builds what the setups take, all of them in parallel, with the threads of the rig's context and a
 * bar on a terminal. Says how many were built, if any were. What is missed, or cannot be built, is
 * built or refused when it is used: this changes no result. Does nothing where the backend builds
 * no pipelines for single configurations (before ABI 1.1), and no more once the rig's deadline has
 * passed. */
void pail_rig_warm(struct pail_rig *rig, const struct pail_setup *setups, size_t n);

#endif /* PAIL_TOOL_MEASURE_WARMING_H */
